/*
 * unproject.c - convert a linear model trained on projected data to the original features
 *
 * How this works.  A linear decision function of z = x R - c is one of x,
 *
 *     z w~ - rho = x w - (rho + c w~),        w = R w~                          (1)
 *
 * so predictions on the original rows need no projection.  R is not stored: its rows are made one
 * after the other from the seed, feature by feature, and row j of R gives w_j for all pairs of
 * classes at once (2).  w has no zeros to speak of, whatever the sparsity of the data: a row of it
 * for each of n_features is what the model will weigh.
 *
 * A model of LIBSVM's kind is first made compact (compact.h), which gives w~ of each pair, and gets
 * the vectors R w~ instead; one of LIBLINEAR's kind has its weights in a matrix already.  There
 * the constant of (1) is the weight of the bias feature, of value to->bias, and takes
 * -c w~ / to->bias (3); the one-class machine's rho is kept, (3) being a bias beside it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/unproject.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/compact.h"

/* w~ of each pair, or of each column of LIBLINEAR's: values_q = sum_t z_t w[t * n_values + q] */
struct projected_weights {
	int64_t n_columns, n_values;
	double *w;
};

/* Projected data have no features beyond the projection's columns. */
static int check_features(int64_t n_features, const struct feature_map *map, struct error *err)
{
	if (n_features <= map->n_columns)
		return 0;
	return error_set(err, ERR_ARGUMENT,
			 "the model has feature %" PRId64 ", the map %" PRId64
			 " columns: it was trained on other data",
			 n_features, map->n_columns);
}

/* w~ from the vectors that model_compact() makes; projected data have no feature 0 (t + 1 > 0) */
static int take_weights(struct projected_weights *u, const struct csr *sv, struct error *err)
{
	u->w = mem_zeroed(u->n_columns * u->n_values, sizeof(*u->w), err);
	for (int64_t q = 0; u->w && q < u->n_values; q++)
		for (int64_t k = sv->row_start[q]; k < sv->row_start[q + 1]; k++)
			if (sv->col[k] > 0)
				u->w[(sv->col[k] - 1) * u->n_values + q] = sv->val[k];
	return u->w ? 0 : -1;
}

/* (2): to_q += sum_t row_t w~_tq; rows of the sparse embeddings are mostly zeros */
static void unproject_row(const struct projected_weights *u, const double *row, double *to)
{
	for (int64_t t = 0; t < u->n_columns; t++)
		for (int64_t q = 0; row[t] != 0 && q < u->n_values; q++)
			to[q] += row[t] * u->w[t * u->n_values + q];
}

/*
 * to[(j - first) * n_values + q] = (R w~)_jq for features j = first .. last.  Feature 0, which has
 * no row with fht, keeps a weight of 0.
 */
static int unproject_weights(const struct projected_weights *u, const struct feature_map *map,
			     int64_t first, int64_t last, double *to, struct error *err)
{
	double *row = mem_array(map->n_columns, sizeof(*row), err);
	int ret = row ? 0 : -1;

	for (int64_t j = first; j <= last && ret == 0; j++) {
		if (feature_map_row(map, j, row) == 0)
			unproject_row(u, row, to + (j - first) * u->n_values);
		else if (j > 0)
			ret = error_set(err, ERR_ARGUMENT, "the map has no feature %" PRId64, j);
	}
	free(row);
	return ret;
}

/* A support vector for each pair, without zeros; the pairs are grouped by their first class. */
static int make_vectors(struct csr *sv, const double *w, int64_t n_pairs, int64_t n_features,
			struct error *err)
{
	int32_t *col = mem_array(n_features + 1, sizeof(*col), err);
	double *val = mem_array(n_features + 1, sizeof(*val), err);

	for (int64_t q = 0; q < n_pairs && err->code == ERR_NONE; q++) {
		int64_t start[2] = { 0, 0 };

		for (int64_t j = 0; j <= n_features; j++) {
			col[start[1]] = (int32_t)j;
			val[start[1]] = w[j * n_pairs + q];
			start[1] += val[start[1]] != 0;
		}
		csr_append(sv, 1, start, col, val, err);
	}
	free(col);
	free(val);
	return err->code == ERR_NONE ? 0 : -1;
}

static int unproject_libsvm(struct model *unprojected, const struct model *m,
			    const struct feature_map *map, int64_t n_features, struct error *err)
{
	struct projected_weights u = { map->n_columns, solution_n_pairs(m->solution.n_class),
				       NULL };
	const double *offset = feature_map_offset(map);
	double *w;
	int ret = -1;

	if (model_compact(unprojected, m, err) < 0 ||
	    check_features(m->sv.n_cols - 1, map, err) < 0)
		return -1;
	w = mem_zeroed((n_features + 1) * u.n_values, sizeof(double), err);
	if (!w || take_weights(&u, &unprojected->sv, err) < 0)
		goto out;
	csr_free(&unprojected->sv); /* w~; R w~ takes its place */
	ret = unproject_weights(&u, map, 0, n_features, w, err) < 0 ||
			      make_vectors(&unprojected->sv, w, u.n_values, n_features, err) < 0 ?
		      -1 :
		      0;
	for (int64_t q = 0; q < u.n_values && offset; q++)
		for (int64_t t = 0; t < u.n_columns; t++)
			unprojected->solution.rho[q] += offset[t] * u.w[t * u.n_values + q];
out:
	free(u.w);
	free(w);
	return ret;
}

/* The labels, if there are any: regressions have none. */
static int copy_labels(struct linear_model *to, const struct linear_model *from, struct error *err)
{
	if (!from->label)
		return 0;
	to->label = mem_array(from->n_class, sizeof(*to->label), err);
	if (!to->label)
		return -1;
	memcpy(to->label, from->label, (size_t)from->n_class * sizeof(*to->label));
	return 0;
}

/* (3): the weights of the bias feature, from those of the model, if it had one, and from c */
static void unproject_bias(struct linear_model *to, const struct linear_model *from,
			   const double *offset, const struct projected_weights *u)
{
	double *bias = to->w + to->n_features * to->n_columns;

	/* else the model had no bias, or one of value 0 that added nothing */
	if (from->bias == to->bias)
		memcpy(bias, from->w + from->n_features * from->n_columns,
		       (size_t)from->n_columns * sizeof(double));
	for (int64_t t = 0; t < u->n_columns && offset; t++)
		for (int64_t q = 0; q < u->n_values; q++)
			bias[q] -= offset[t] * u->w[t * u->n_values + q] / to->bias;
}

static int unproject_liblinear(struct model *unprojected, const struct model *m,
			       const struct feature_map *map, int64_t n_features, struct error *err)
{
	const struct linear_model *from = &m->linear;
	struct linear_model *to = &unprojected->linear;
	struct projected_weights u = { from->n_features, from->n_columns, from->w };
	const double *offset = feature_map_offset(map);

	if (check_features(from->n_features, map, err) < 0)
		return -1;
	/* all but the arrays, which stay those of 'from' */
	*to = *from;
	to->label = NULL;
	to->n_features = n_features;
	if (offset && !(from->bias > 0))
		to->bias = 1;
	to->w = mem_zeroed((n_features + 1) * from->n_columns, sizeof(double), err);
	if (!to->w || copy_labels(to, from, err) < 0 ||
	    unproject_weights(&u, map, 1, n_features, to->w, err) < 0)
		return -1;
	if (to->bias >= 0)
		unproject_bias(to, from, offset, &u);
	return 0;
}

int model_unproject(struct model *unprojected, const struct model *m, const struct feature_map *map,
		    int64_t n_features, struct error *err)
{
	int ret;

	*unprojected = (struct model){ .is_linear_model = m->is_linear_model, .exact = true };
	ret = m->is_linear_model ? unproject_liblinear(unprojected, m, map, n_features, err) :
				   unproject_libsvm(unprojected, m, map, n_features, err);
	if (ret < 0)
		model_free(unprojected);
	return ret;
}

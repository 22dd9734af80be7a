/*
 * unproject.c - a linear model of projected data made one of the data as they were
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/unproject.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* What a model says of projected data: values_q = sum_t x_t w[t * n_values + q] + ... */
struct weights {
	int64_t n_columns, n_values;
	double *w;
};

static int check_features(int64_t n_features, const struct feature_map *map, struct error *err)
{
	if (n_features <= map->n_columns)
		return 0;
	return error_set(err, ERR_ARGUMENT, "the model has feature %" PRId64
			 ", the map %" PRId64 " columns: it was trained on other data",
			 n_features, map->n_columns);
}

/* Add coef times support vector i to the weights of pair q. */
static void add_vector(struct weights *u, const struct csr *sv, int64_t i, int64_t q, double coef)
{
	for (int64_t k = sv->row_start[i]; coef != 0 && k < sv->row_start[i + 1]; k++)
		if (sv->col[k] > 0)
			u->w[(sv->col[k] - 1) * u->n_values + q] += coef * sv->val[k];
}

/* The pair of classes a != b, counted (0,1), (0,2), ..., (1,2), ... */
static int64_t pair_number(int n_class, int a, int b)
{
	int64_t low = a < b ? a : b, high = a < b ? b : a;

	return low * n_class - low * (low + 1) / 2 + high - low - 1;
}

static void sum_vectors(struct weights *u, const struct model *m)
{
	const struct solution *s = &m->solution;
	int64_t i = 0;

	for (int c = 0; c < s->n_class; c++)
		for (int64_t end = i + s->n_sv_of_class[c]; i < end; i++)
			for (int r = 0; r < s->n_class - 1; r++)
				add_vector(u, &m->sv, i, pair_number(s->n_class, c, r < c ? r : r + 1),
					   s->coef[r * s->n_sv + i]);
}

/* to_q += sum_t row_t w_tq */
static void unproject_row(const struct weights *u, const double *row, double *to)
{
	for (int64_t t = 0; t < u->n_columns; t++)
		for (int64_t q = 0; row[t] != 0 && q < u->n_values; q++)
			to[q] += row[t] * u->w[t * u->n_values + q];
}

/* to[(j - first) * n_values + q] = (R w~)_jq for features j = first .. last; 0 has no row in fht */
static int unproject_weights(const struct weights *u, const struct feature_map *map, int64_t first,
			     int64_t last, double *to, struct error *err)
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

/* One support vector a pair, those of a class together: the pairs' own order. */
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

static void *copy(const void *from, int64_t n, size_t size, struct error *err)
{
	void *to = from ? mem_array(n, size, err) : NULL;

	if (to && n > 0)
		memcpy(to, from, (size_t)n * size);
	return to;
}

/* All but what folding changes. */
static int copy_solution(struct solution *to, const struct solution *from, struct error *err)
{
	int64_t n_pairs = solution_n_pairs(from->n_class);

	*to = (struct solution){ .n_class = from->n_class, .n_sv = n_pairs,
				 .n_density_marks = from->n_density_marks };
	to->label = copy(from->label, from->n_class, sizeof(int), err);
	to->rho = copy(from->rho, n_pairs, sizeof(double), err);
	to->prob_a = copy(from->prob_a, n_pairs, sizeof(double), err);
	to->prob_b = copy(from->prob_b, n_pairs, sizeof(double), err);
	to->density_marks = copy(from->density_marks, from->n_density_marks, sizeof(double), err);
	to->n_sv_of_class = mem_zeroed(from->n_class, sizeof(int64_t), err);
	to->coef = mem_zeroed((from->n_class - 1) * n_pairs, sizeof(double), err);
	return err->code == ERR_NONE ? 0 : -1;
}

static void set_coefficients(struct solution *s)
{
	int64_t q = 0;

	for (int a = 0; a < s->n_class; a++)
		for (int b = a + 1; b < s->n_class; b++) {
			s->n_sv_of_class[a]++;
			s->coef[(b - 1) * s->n_sv + q++] = 1;
		}
}

static int unproject_libsvm(struct model *unprojected, const struct model *m,
			    const struct feature_map *map, int64_t n_features, struct error *err)
{
	struct weights u = { map->n_columns, solution_n_pairs(m->solution.n_class), NULL };
	const double *offset = feature_map_offset(map);
	double *w = NULL;
	int ret = -1;

	if (m->kernel.type != KERNEL_LINEAR)
		return error_set(err, ERR_ARGUMENT, "the model's kernel is not linear");
	if (check_features(m->sv.n_cols - 1, map, err) < 0)
		return -1;
	u.w = mem_zeroed(u.n_columns * u.n_values, sizeof(double), err);
	w = mem_zeroed((n_features + 1) * u.n_values, sizeof(double), err);
	if (!u.w || !w || copy_solution(&unprojected->solution, &m->solution, err) < 0)
		goto out;
	sum_vectors(&u, m);
	set_coefficients(&unprojected->solution);
	ret = unproject_weights(&u, map, 0, n_features, w, err) < 0 ||
	      make_vectors(&unprojected->sv, w, u.n_values, n_features, err) < 0 ? -1 : 0;
	for (int64_t q = 0; q < u.n_values && offset; q++)
		for (int64_t t = 0; t < u.n_columns; t++)
			unprojected->solution.rho[q] += offset[t] * u.w[t * u.n_values + q];
out:
	free(u.w);
	free(w);
	return ret;
}

/* The bias feature's weights, and what c adds to them. */
static void unproject_bias(struct linear_model *to, const struct linear_model *from,
			   const double *offset, const struct weights *u)
{
	double *bias = to->w + to->n_features * to->n_columns;

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
	struct weights u = { from->n_features, from->n_columns, from->w };
	const double *offset = feature_map_offset(map);

	if (check_features(from->n_features, map, err) < 0)
		return -1;
	*to = *from;
	to->label = copy(from->label, from->n_class, sizeof(int), err);
	to->n_features = n_features;
	if (offset && !(from->bias > 0))
		to->bias = 1;
	to->w = mem_zeroed((n_features + 1) * from->n_columns, sizeof(double), err);
	if (err->code != ERR_NONE || unproject_weights(&u, map, 1, n_features, to->w, err) < 0)
		return -1;
	if (to->bias >= 0)
		unproject_bias(to, from, offset, &u);
	return 0;
}

int model_unproject(struct model *unprojected, const struct model *m, const struct feature_map *map,
		    int64_t n_features, struct error *err)
{
	int ret;

	*unprojected = (struct model){ .is_linear_model = m->is_linear_model, .type = m->type,
				       .kernel = m->kernel, .exact = true };
	ret = m->is_linear_model ? unproject_liblinear(unprojected, m, map, n_features, err) :
				   unproject_libsvm(unprojected, m, map, n_features, err);
	if (ret < 0)
		model_free(unprojected);
	return ret;
}

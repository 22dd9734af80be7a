/*
 * recover.c - a linear model of the original features, by the multipliers of one of projected rows
 *
 * How this works.  The dual of a linear machine knows its rows by their products alone, and a
 * projection keeps these nearly.  So the multipliers beta of training on projected rows z_i = x_i R
 * are near those of training on the rows x_i, and
 *
 *     w = sum_i beta_i x_i                                                      (1)
 *
 * is near the w of all features.  The other way back, R w~ = R R' w, has an error as large as w
 * itself where R has fewer columns than the rows have dimensions (Zhang et al., theorem 1).
 *
 *     scan 1   each row    --> its label; is it named for a vector?             in order
 *              named rows  --> the projection, compared with the vector; copies  (2)
 *     between  w of (1)
 *     scan 2   each row    --> decision values w'x of the pairs of its class    on all threads
 *     then     b of each pair, that minimises the primal for w (3)
 *
 * (2) Only training knows which row a vector was, and says so in its list of rows: rows that differ
 *     may have the same projection.  That the list belongs to the model is checked: the row's
 *     projection has the vector's values, in the digits that these have.
 *
 * (3) The b of training belongs to other decision values.  (1) is not optimal, so its conditions
 *     give no b either, and the primal decides: certificate_bias().
 *
 * Memory: labels of all rows, copies of vectors, and 24 bytes a vector; the rows themselves are read
 * twice and never kept.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/recover.h"

#include "base/order.h"
#include "evaluate/certify_rows.h"
#include "evaluate/sv_index.h"
#include "model/compact.h"

/* A row number that the caller named, and the vector that it is for. */
struct named_row {
	int64_t row, sv; /* the row first, for order_int64s() */
};

struct recovery {
	struct model *m;
	const struct recover_options *o;
	struct sv_index index;
	int n_digits;		    /* number of digits of the values, sv_index_digits() */
	struct named_row *named;    /* named rows, n_sv, ascending */
	int64_t n_named;	    /* number of named rows met so far */
	struct map_room room;	    /* memory for projecting named rows */
	struct row_batch projected; /* a named row, projected */
	struct certify_rows rows;   /* labels of all rows of the data */
	struct csr x;		    /* rows that are support vectors, as they were met */
	int64_t *place;		    /* row of 'x' that each vector is */
};

/* ---- the model ---- */

int recover_check(const struct model *m, const struct feature_map *map, struct error *err)
{
	if (m->is_linear_model)
		return error_set_remedy(err, ERR_ARGUMENT, REMEDY_KEEP_MULTIPLIERS,
					"the model has LIBLINEAR's weights and no multipliers");
	if (m->kernel.type != KERNEL_LINEAR)
		return error_set(err, ERR_ARGUMENT, "the model's kernel is not linear");
	if (m->type != MACHINE_C_SVC && m->type != MACHINE_EPSILON_SVR)
		return error_set(err, ERR_ARGUMENT,
				 "only models of C-SVC and epsilon-SVR can be recovered");
	if (model_is_compact(m))
		return error_set_remedy(err, ERR_ARGUMENT, REMEDY_KEEP_MULTIPLIERS,
					"the model has weights and no multipliers");
	if (m->solution.n_class < 2)
		return error_set(err, ERR_ARGUMENT, "the model is of one class alone");
	/* projected rows have no column beyond the map's */
	if (m->sv.n_cols - 1 > map->n_columns)
		return error_set(err, ERR_ARGUMENT,
				 "the model has feature %" PRId64 ", the map %" PRId64
				 " columns: it was trained on other data",
				 m->sv.n_cols - 1, map->n_columns);
	return 0;
}

/* Class of vector j among the classes that have vectors. */
static int class_of_vector(const struct solution *s, int64_t j)
{
	int c = 0;

	/* vectors are listed class after class */
	while (j >= s->n_sv_of_class[c])
		j -= s->n_sv_of_class[c++];
	return c;
}

/* ---- scan 1 ---- */

/* The entries of row i of a batch. */
static struct csr_row row_of(const struct row_batch *b, int64_t i)
{
	const struct csr x = csr_of_batch(b, b->max_index + 1);

	return csr_row_of(&x, i);
}

/* Take row i of the batch as vector j, for which it was named, if it projects to the vector. */
static int take_named(struct recovery *r, int64_t j, const struct row_batch *b, int64_t i,
		      int64_t number, struct error *err)
{
	if (feature_map_apply(r->o->map, (struct row_range){ b, i, 1 }, &r->projected, &r->room,
			      err) < 0)
		return -1;
	if (sv_index_class(r->m, b->label[i]) != class_of_vector(&r->m->solution, j) ||
	    !sv_index_agrees(&r->index, row_of(&r->projected, 0), j, r->n_digits))
		return error_set(err, ERR_ARGUMENT,
				 "row %" PRId64 " does not project to support vector %" PRId64
				 ", as it should: other data, another map, or wrong row numbers",
				 number + 1, j + 1);
	r->place[j] = r->x.n_rows;
	return csr_append_row(&r->x, row_of(b, i), err);
}

static int keep_labels(struct recovery *r, const struct row_batch *b, struct error *err)
{
	struct dataset *d = &r->rows.labels;
	int64_t n = d->x.n_rows;

	if (mem_grow(&d->y, &d->labels_capacity, n + b->n_rows, sizeof(*d->y), err) < 0)
		return -1;
	for (int64_t i = 0; i < b->n_rows; i++) {
		if (sv_index_class(r->m, b->label[i]) < 0)
			return error_set(err, ERR_ARGUMENT,
					 "row %" PRId64 ": the model has no class %g", n + i + 1,
					 b->label[i]);
		d->y[n + i] = b->label[i];
	}
	d->x.n_rows += b->n_rows;
	return 0;
}

static int deliver_batch(void *arg, struct row_batch *b, void *user UNUSED, struct error *err)
{
	struct recovery *r = arg;
	int64_t first = r->rows.labels.x.n_rows;

	if (keep_labels(r, b, err) < 0)
		return -1;
	/* named rows ascend, so that those of this batch come next */
	for (; r->n_named < r->m->solution.n_sv; r->n_named++) {
		struct named_row named = r->named[r->n_named];

		if (named.row >= first + b->n_rows)
			break;
		if (take_named(r, named.sv, b, named.row - first, named.row, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- between the scans ---- */

/* Put rows in place of vectors, and compute w by (1) for each pair of classes. */
static int replace_vectors(struct recovery *r, struct model *weights, struct error *err)
{
	struct solution *s = &r->m->solution;
	struct csr sv = { 0 };

	/* a row that is several vectors is repeated */
	if (csr_gather(&sv, &r->x, r->place, s->n_sv, err) < 0) {
		csr_free(&sv);
		return -1;
	}
	csr_free(&r->m->sv);
	r->m->sv = sv;
	/* probabilities were fitted to decision values of the projected model */
	mem_free_all(s->prob_a, s->prob_b);
	s->prob_a = s->prob_b = NULL;
	return model_compact(weights, r->m, err);
}

/* ---- scan 2 and the constants ---- */

/* Weight that -w auto gives a class of the data; 1 without -w auto. */
static double balance(const struct recovery *r, const struct classes *classes, int c)
{
	if (!r->o->balance || !classes)
		return 1;
	return classes_balanced_weight(r->rows.labels.x.n_rows, classes->n,
				       classes->start[c + 1] - classes->start[c]);
}

/*
 * Step (3), fit the constant of classes a and b of the model, or of a regression, where 'classes' is
 * NULL; value as of certify_rows_evaluate().
 */
static int refit_pair(const struct recovery *r, const struct classes *classes, int a, int b,
		      const double *value, double *rho, struct error *err)
{
	const int *label = r->m->solution.label;
	struct class_choice choice = { 0 };
	struct problem p = { 0 };
	double *f, best;
	int ret;

	if (classes) {
		choice.a = classes_find(classes, label[a]);
		choice.b = classes_find(classes, label[b]);
	}
	/* b of a class that no row has cannot be fitted */
	if (choice.a < 0 || choice.b < 0)
		return error_set(err, ERR_ARGUMENT, "no row has class %d of the model",
				 label[choice.a < 0 ? a : b]);
	if (classes_pair_problem(&p, classes, choice, &r->rows.labels, r->o->training, err) < 0)
		return -1;
	p.view.c_plus *= balance(r, classes, choice.a);
	p.view.c_minus *= balance(r, classes, choice.b);
	f = mem_array(p.view.n, sizeof(*f), err);
	if (f)
		certify_rows_take(&r->rows, &p.view, a, b, value, f);
	ret = f ? certificate_bias(&p.view, f, &best, err) : -1;
	if (ret == 0)
		/* a model has rho = -b */
		*rho = -best;
	mem_free(f);
	problem_free(&p);
	return ret;
}

/* Scan the data a second time, to fit rho of all pairs for both models. */
static int refit_constants(struct recovery *r, struct model *weights, const struct row_source *data,
			   struct error *err)
{
	const struct solution *s = &weights->solution;
	const bool classifies = r->m->type == MACHINE_C_SVC;
	struct classes classes = { 0 };
	struct expansion e = { 0 };
	/* a row has one value for each class other than its own */
	double *value = mem_array(r->rows.labels.x.n_rows * (s->n_class - 1), sizeof(*value), err);
	double *rho = s->rho;
	int ret = -1;

	if (value &&
	    expansion_init(&e, &weights->kernel, solution_vectors(s, &weights->sv), err) == 0 &&
	    certify_rows_evaluate(&r->rows, &e, data, value, r->o->n_threads, err) == 0)
		ret = classifies ? classes_init(&classes, &r->rows.labels, err) : 0;
	/* pairs in the order that rho has */
	for (int a = 0; a < s->n_class; a++)
		for (int b = a + 1; b < s->n_class && ret == 0; b++)
			ret = refit_pair(r, classifies ? &classes : NULL, a, b, value, rho++, err);
	if (ret == 0)
		memcpy(r->m->solution.rho, s->rho,
		       (size_t)solution_n_pairs(s->n_class) * sizeof(double));
	classes_free(&classes);
	expansion_free(&e);
	mem_free(value);
	return ret;
}

/* ---- all together ---- */

static int prepare(struct recovery *r, struct error *err)
{
	int64_t n_sv = r->m->solution.n_sv;
	const enum sv_index_rows rows = r->o->map->projection.options.single ?
						SV_INDEX_PROJECTED_SINGLE :
						SV_INDEX_PROJECTED;

	if (sv_index_init(&r->index, r->m, rows, err) < 0)
		return -1;
	r->n_digits = sv_index_digits(r->m);
	r->rows.m = r->m;
	r->place = mem_array(n_sv, sizeof(*r->place), err);
	r->named = mem_array(n_sv, sizeof(*r->named), err);
	if (!r->place || !r->named)
		return -1;
	for (int64_t j = 0; j < n_sv; j++)
		r->named[j] = (struct named_row){ r->o->sv_row[j], j };
	/* named rows are sorted by row number, as scan 1 meets the rows */
	if (n_sv > 0)
		qsort(r->named, (size_t)n_sv, sizeof(*r->named), order_int64s);
	return 0;
}

/* Recover the weights, which is the whole model except the constants. */
static int find_weights(struct recovery *r, struct model *weights, const struct row_source *data,
			struct error *err)
{
	const struct rows_visitor visitor = { .deliver = deliver_batch, .arg = r };

	map_room_share(&r->room, 1);
	if (prepare(r, err) < 0 || data->scan(data->arg, &visitor, r->o->n_threads, err) < 0)
		return -1;
	if (r->rows.labels.x.n_rows == 0)
		return error_set(err, ERR_ARGUMENT, "no examples");
	if (r->n_named < r->m->solution.n_sv)
		return error_set(err, ERR_ARGUMENT,
				 "support vector %" PRId64 " should be row %" PRId64
				 ", but there are only %" PRId64 " rows",
				 r->named[r->n_named].sv + 1, r->named[r->n_named].row + 1,
				 r->rows.labels.x.n_rows);
	return replace_vectors(r, weights, err);
}

int model_recover(struct model *m, struct model *weights, const struct recover_options *o,
		  const struct row_source *data, struct error *err)
{
	struct training training = *o->training;
	struct recover_options options = *o;
	struct recovery r = { .m = m, .o = &options };
	int ret = -1;

	/* the model knows its machine: C scales all losses alike and does not matter */
	training.type = m->type;
	training.C = 1;
	options.training = &training;
	*weights = (struct model){ 0 };
	if (find_weights(&r, weights, data, err) == 0 &&
	    refit_constants(&r, weights, data, err) == 0)
		ret = 0;
	sv_index_free(&r.index);
	mem_free_all(r.named, r.place);
	map_room_free(&r.room);
	row_batch_free(&r.projected);
	certify_rows_free(&r.rows);
	csr_free(&r.x);
	if (ret < 0)
		model_free(weights);
	return ret;
}

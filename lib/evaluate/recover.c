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
 *     scan 1   each row    --> its projection; is that a vector of the model?   on all threads
 *              each batch  --> labels; copies of the rows that are              in order
 *     between  which row each vector is (2); w of (1)
 *     scan 2   each row    --> decision values w'x of the pairs of its class    on all threads
 *     then     b of each pair, that minimises the primal for w (3)
 *
 * (2) Equal vectors are a group (sv_index.h), and so are the rows that project to them.  Mostly
 *     these rows are equal, too, and it does not matter which of them is which vector.  If they
 *     differ, it does not matter if there are as many as vectors and these have equal multipliers;
 *     else the model does not tell (1), and that is an error.  Where the training data had fewer
 *     digits than the file may have, rows that are the same in all of these come first; if they
 *     are enough no others are looked at.  With o->sv_row nothing is searched, and vectors are compared
 *     with the projections of these rows.
 *
 * (3) The b of training belongs to other decision values.  (1) is not optimal, so its conditions
 *     give no b either, and the primal decides: certificate_bias().
 *
 * What is known of vector j after scan 1 (r->place, r->group):
 *
 *     kind            rows that agree in          place[kind][j]
 *     IN_ALL          all digits of the file      the row of r->x that vector j is, or -1
 *     IN_FEWER        digits of the training data likewise, used where the first kind is too few
 *
 *     group k of n equal vectors     sv[0] sv[1] ... sv[n - 1]
 *     rows met, in order             1st   2nd   ...               further rows are counted only
 *
 * r->x holds a copy of each row that is a vector: equal rows of a group share one.  Memory: labels
 * of all rows, copies of vectors, and 16 bytes a vector; the rows themselves are read twice and
 * never kept.  Searching runs on all threads and writes to the thread's own struct search; what is
 * kept is written by deliver_batch() alone, which is called in the order of the batches.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/recover.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/thread.h"
#include "evaluate/certify_rows.h"
#include "evaluate/sv_index.h"
#include "matrix/csr_batch.h"
#include "model/compact.h"
#include "problem/classes.h"
#include "proof/certificate.h"

/* Rows that project to the vectors of a group: those that agree in all digits, or in fewer. */
struct group_rows {
	int64_t n;
	int64_t first; /* number of the first row */
	int64_t other; /* number of the first row that differs from it, or -1 */
};

/* Kinds of rows of a group: equal in all digits that the file may have, or in fewer. */
enum { IN_ALL, IN_FEWER, N_KINDS };

/* A row number that the caller named, and the vector that it is for. */
struct named_row {
	int64_t row, sv;
};

struct recovery {
	struct model *m;
	const struct recover_options *o;
	struct sv_index index;
	int n_digits;	 /* number of digits of the values, sv_index_digits() */
	int most_digits; /* digits of the file's writer: svm-train's 8, or all where it has more */
	struct group_rows *group; /* groups of rows, [index.n_groups][N_KINDS] */
	struct named_row *named;  /* named rows, n_sv, ascending; or NULL */
	int64_t n_named;	  /* number of named rows met so far */
	/* memory of scan 1 for projecting named rows, which come in order */
	struct feature_map_room room;
	struct row_batch projected; /* projected rows of scan 1 */
	struct certify_rows rows;   /* labels of all rows of the data */
	struct csr x;		    /* rows that are support vectors */
	/* row of 'x' that vector j is, or -1, [N_KINDS][n_sv]; the first kind becomes the answer */
	int64_t *place;
};

/* The group of vectors to which a row projects. */
struct row_group {
	int64_t group; /* number of the group; -1: none */
	bool in_all;   /* row and vectors are equal in recovery.most_digits; else in n_digits */
};

/* Matches that one thread finds in a batch. */
struct search {
	struct feature_map_room room;
	struct row_batch projected;
	struct row_group *found; /* group of each row of the batch */
	int64_t capacity;
};

/* ---- the model ---- */

static int check_model(const struct model *m, const struct feature_map *map, struct error *err)
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

/* Find a row's group in all digits; if there is none, in the digits that the training data had. */
static struct row_group find_group(const struct recovery *r, struct csr_row z, int class)
{
	struct row_group found = { sv_index_find(&r->index, z, class, r->most_digits), true };

	if (found.group < 0 && r->n_digits < r->most_digits)
		found = (struct row_group){ sv_index_find(&r->index, z, class, r->n_digits),
					    false };
	return found;
}

/* Find the group of each row of a batch, on any thread. */
static int search_batch(void *arg, struct row_batch *b, void *user, struct error *err)
{
	const struct recovery *r = arg;
	struct search *s = user;

	if (mem_grow(&s->found, &s->capacity, b->n_rows, sizeof(*s->found), err) < 0 ||
	    feature_map_apply(r->o->map, (struct row_range){ b, 0, b->n_rows }, &s->projected,
			      &s->room, err) < 0)
		return -1;
	for (int64_t i = 0; i < b->n_rows; i++) {
		int class = sv_index_class(r->m, b->label[i]);

		s->found[i] = (struct row_group){ -1, false };
		if (class >= 0)
			s->found[i] = find_group(r, row_of(&s->projected, i), class);
	}
	return 0;
}

/* Are two rows equal?  Zeros that were written count as values. */
static bool equal_rows(struct csr_row a, struct csr_row b)
{
	if (a.n != b.n)
		return false;
	for (int64_t k = 0; k < a.n; k++)
		if (a.col[k] != b.col[k] || a.val[k] != b.val[k])
			return false;
	return true;
}

/* Step (2): keep a row, 'number' of all, as one that projects to a group's vectors. */
static int take_row(struct recovery *r, struct row_group found, struct csr_row row, int64_t number,
		    struct error *err)
{
	const struct sv_group *group = &r->index.group[found.group];
	const int64_t *sv = r->index.order + group->first;
	int kind = found.in_all ? IN_ALL : IN_FEWER;
	struct group_rows *g = &r->group[found.group * N_KINDS + kind];
	int64_t *place = r->place + kind * r->m->solution.n_sv, at = r->x.n_rows;

	if (g->n == 0)
		*g = (struct group_rows){ .first = number, .other = -1 };
	/* a row equal to the group's first needs no second copy */
	else if (equal_rows(csr_row_of(&r->x, place[sv[0]]), row))
		at = place[sv[0]];
	/* check_group() names the first row that differs */
	else if (g->other < 0)
		g->other = number;
	/* further rows of the group are counted, not kept */
	if (g->n++ >= group->n)
		return 0;
	if (at == r->x.n_rows && csr_append_row(&r->x, row, err) < 0)
		return -1;
	place[sv[g->n - 1]] = at;
	return 0;
}

/* Take row i of the batch as vector j, for which it was named, if it projects to the vector. */
static int take_named(struct recovery *r, int64_t j, const struct row_batch *b, int64_t i,
		      int64_t number, struct error *err)
{
	/* named rows are projected here: no search has done so */
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

static int take_named_rows(struct recovery *r, const struct row_batch *b, int64_t first,
			   struct error *err)
{
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

/* Take the rows of a batch, in the order of the batches. */
static int deliver_batch(void *arg, struct row_batch *b, void *user, struct error *err)
{
	struct recovery *r = arg;
	const struct search *s = user;
	int64_t first = r->rows.labels.x.n_rows;

	if (keep_labels(r, b, err) < 0)
		return -1;
	if (r->named)
		return take_named_rows(r, b, first, err);
	for (int64_t i = 0; i < b->n_rows; i++)
		if (s->found[i].group >= 0 &&
		    take_row(r, s->found[i], row_of(b, i), first + i, err) < 0)
			return -1;
	return 0;
}

static int scan_rows(struct recovery *r, const struct row_source *data, struct error *err)
{
	struct search search[THREAD_MAX] = { 0 };
	void *user[THREAD_MAX];
	struct rows_visitor visitor = { .work = r->named ? NULL : search_batch,
					.deliver = deliver_batch,
					.arg = r,
					.user = user };
	int ret;

	feature_map_room_share(&r->room, 1);
	for (int k = 0; k < THREAD_MAX; k++) {
		user[k] = &search[k];
		feature_map_room_share(&search[k].room, r->o->n_threads);
	}
	ret = data->scan(data->arg, &visitor, r->o->n_threads, err);
	for (int k = 0; k < THREAD_MAX; k++) {
		feature_map_room_free(&search[k].room);
		row_batch_free(&search[k].projected);
		mem_free(search[k].found);
	}
	return ret;
}

/* ---- between the scans ---- */

/* Add a group's rows in fewer digits where its rows in all digits are too few for its vectors. */
static void join_kinds(struct recovery *r, int64_t k)
{
	const struct sv_group *group = &r->index.group[k];
	const int64_t *sv = r->index.order + group->first;
	struct group_rows *g = &r->group[k * N_KINDS], *more = g + IN_FEWER;
	const int64_t *place = r->place + r->m->solution.n_sv;

	/* rows in all digits are enough, or no others were found */
	if (g->n >= group->n || more->n == 0)
		return;
	/* vectors without a row take the rows in fewer digits */
	for (int64_t v = g->n; v < group->n; v++)
		r->place[sv[v]] = place[sv[v - g->n]];
	if (g->n == 0) {
		*g = *more;
		return;
	}
	if (g->other < 0)
		/* the first row in which the two kinds differ is named in the message */
		g->other = equal_rows(csr_row_of(&r->x, r->place[sv[0]]),
				      csr_row_of(&r->x, place[sv[0]])) ?
				   more->other :
				   more->first;
	g->n += more->n;
}

/* Step (2): do the rows of a group tell which row is which vector? */
static int check_group(const struct recovery *r, int64_t k, struct error *err)
{
	const struct sv_group *group = &r->index.group[k];
	const struct group_rows *g = &r->group[k * N_KINDS];
	const int64_t *sv = r->index.order + group->first;
	bool equal = g->n == group->n;

	/* equal multipliers, and as many rows as vectors: any row may be any vector */
	for (int64_t v = 1; v < group->n; v++)
		equal = equal && solution_same_coefficients(&r->m->solution, sv[0], sv[v]);
	/* no ambiguity: there are no rows, equal rows alone, or w is the same either way */
	if (g->n == 0 || g->other < 0 || equal)
		return 0;
	return error_set_remedy(err, ERR_ARGUMENT, REMEDY_NAME_VECTORS,
				"rows %" PRId64 " and %" PRId64
				" differ, but both project to support "
				"vector %" PRId64,
				g->first + 1, g->other + 1, sv[0] + 1);
}

/* Check that every vector has its row. */
static int check_places(struct recovery *r, struct error *err)
{
	int64_t n_sv = r->m->solution.n_sv, n_missing = 0;

	if (r->named && r->n_named < n_sv)
		return error_set(err, ERR_ARGUMENT,
				 "support vector %" PRId64 " should be row %" PRId64
				 ", but there are only %" PRId64 " rows",
				 r->named[r->n_named].sv + 1, r->named[r->n_named].row + 1,
				 r->rows.labels.x.n_rows);
	for (int64_t k = 0; !r->named && k < r->index.n_groups; k++)
		join_kinds(r, k);
	for (int64_t j = 0; j < n_sv; j++)
		n_missing += r->place[j] < 0;
	if (n_missing > 0)
		return error_set(err, ERR_ARGUMENT,
				 "%" PRId64 " of %" PRId64
				 " support vectors are the projection of no "
				 "row of their class: other data, another map, or rows that were "
				 "changed after they were projected",
				 n_missing, n_sv);
	for (int64_t k = 0; !r->named && k < r->index.n_groups; k++)
		if (check_group(r, k, err) < 0)
			return -1;
	return 0;
}

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
	mem_free(s->prob_a);
	mem_free(s->prob_b);
	s->prob_a = s->prob_b = NULL;
	return model_compact(weights, r->m, err);
}

/* ---- scan 2 and the constants ---- */

/* Step (3), fit the constant of 'p', classes a and b; value as of certify_rows_evaluate(). */
static int refit(const struct recovery *r, const struct problem_view *p, int a, int b,
		 const double *value, double *rho, struct error *err)
{
	double *f = mem_array(p->n, sizeof(*f), err), best;
	int ret;

	if (!f)
		return -1;
	certify_rows_take(&r->rows, p, a, b, value, f);
	ret = certificate_bias(p, f, &best, err);
	if (ret == 0)
		/* a model has rho = -b */
		*rho = -best;
	mem_free(f);
	return ret;
}

/* Weight that -w auto gives a class of the data; 1 without -w auto. */
static double balance(const struct recovery *r, const struct classes *classes, int c)
{
	if (!r->o->balance)
		return 1;
	return classes_balanced_weight(r->rows.labels.x.n_rows, classes->n,
				       classes->start[c + 1] - classes->start[c]);
}

static int refit_pair(const struct recovery *r, const struct classes *classes, int a, int b,
		      const double *value, double *rho, struct error *err)
{
	const int *label = r->m->solution.label;
	struct class_choice choice = { .a = classes_find(classes, label[a]),
				       .b = classes_find(classes, label[b]) };
	struct problem p = { 0 };
	int ret;

	/* b of a class that no row has cannot be fitted */
	if (choice.a < 0 || choice.b < 0)
		return error_set(err, ERR_ARGUMENT, "no row has class %d of the model",
				 label[choice.a < 0 ? a : b]);
	if (classes_pair_problem(&p, classes, choice, &r->rows.labels, r->o->training, err) < 0)
		return -1;
	p.view.c_plus *= balance(r, classes, choice.a);
	p.view.c_minus *= balance(r, classes, choice.b);
	ret = refit(r, &p.view, a, b, value, rho, err);
	problem_free(&p);
	return ret;
}

static int refit_classes(const struct recovery *r, const double *value, double *rho,
			 struct error *err)
{
	struct classes classes = { 0 };
	int n = r->m->solution.n_class, ret = classes_init(&classes, &r->rows.labels, err);

	/* pairs in the order that rho has */
	for (int a = 0; a < n; a++)
		for (int b = a + 1; b < n && ret == 0; b++)
			ret = refit_pair(r, &classes, a, b, value, rho++, err);
	classes_free(&classes);
	return ret;
}

static int refit_regression(const struct recovery *r, const double *value, double *rho,
			    struct error *err)
{
	struct problem p = { 0 };
	int ret;

	if (single_problem(&p, &r->rows.labels, r->o->training, err) < 0)
		return -1;
	ret = refit(r, &p.view, 0, 1, value, rho, err);
	problem_free(&p);
	return ret;
}

/* Scan the data a second time, to fit rho of all pairs for both models. */
static int refit_constants(struct recovery *r, struct model *weights, const struct row_source *data,
			   struct error *err)
{
	const struct solution *s = &weights->solution;
	const struct support_vectors sv = { &weights->sv, s->n_class, s->n_sv_of_class, s->coef };
	struct expansion e = { 0 };
	/* a row has one value for each class other than its own */
	double *value = mem_array(r->rows.labels.x.n_rows * (s->n_class - 1), sizeof(*value), err);
	int ret = -1;

	if (value && expansion_init(&e, &weights->kernel, &sv, err) == 0 &&
	    certify_rows_evaluate(&r->rows, &e, data, value, r->o->n_threads, err) == 0)
		ret = r->m->type == MACHINE_C_SVC ? refit_classes(r, value, s->rho, err) :
						    refit_regression(r, value, s->rho, err);
	if (ret == 0)
		memcpy(r->m->solution.rho, s->rho,
		       (size_t)solution_n_pairs(s->n_class) * sizeof(double));
	expansion_free(&e);
	mem_free(value);
	return ret;
}

/* ---- all together ---- */

static int compare_named(const void *a, const void *b)
{
	const struct named_row *x = a, *y = b;

	return (x->row > y->row) - (x->row < y->row);
}

static int prepare(struct recovery *r, struct error *err)
{
	int64_t n_sv = r->m->solution.n_sv;

	const enum sv_index_rows rows = r->o->map->projection.options.single ?
						SV_INDEX_PROJECTED_SINGLE :
						SV_INDEX_PROJECTED;

	if (sv_index_init(&r->index, r->m, rows, err) < 0)
		return -1;
	r->n_digits = sv_index_digits(r->m);
	r->most_digits = r->n_digits > SV_INDEX_DIGITS ? SV_INDEX_ALL_DIGITS : SV_INDEX_DIGITS;
	r->rows.m = r->m;
	r->group = mem_zeroed(N_KINDS * r->index.n_groups, sizeof(*r->group), err);
	r->place = mem_array(N_KINDS * n_sv, sizeof(*r->place), err);
	if (!r->group || !r->place)
		return -1;
	/* -1: no row is known for the vector */
	for (int64_t j = 0; j < N_KINDS * n_sv; j++)
		r->place[j] = -1;
	if (!r->o->sv_row)
		return 0;
	r->named = mem_array(n_sv, sizeof(*r->named), err);
	if (!r->named)
		return -1;
	for (int64_t j = 0; j < n_sv; j++)
		r->named[j] = (struct named_row){ r->o->sv_row[j], j };
	/* named rows are sorted by row number, as scan 1 meets the rows */
	if (n_sv > 0)
		qsort(r->named, (size_t)n_sv, sizeof(*r->named), compare_named);
	return 0;
}

/* Recover the weights, which is the whole model except the constants. */
static int find_weights(struct recovery *r, struct model *weights, const struct row_source *data,
			struct error *err)
{
	if (prepare(r, err) < 0 || scan_rows(r, data, err) < 0)
		return -1;
	if (r->rows.labels.x.n_rows == 0)
		return error_set(err, ERR_ARGUMENT, "no examples");
	if (check_places(r, err) < 0)
		return -1;
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
	if (check_model(m, o->map, err) == 0 && find_weights(&r, weights, data, err) == 0 &&
	    refit_constants(&r, weights, data, err) == 0)
		ret = 0;
	sv_index_free(&r.index);
	mem_free(r.group);
	mem_free(r.named);
	mem_free(r.place);
	feature_map_room_free(&r.room);
	row_batch_free(&r.projected);
	certify_rows_free(&r.rows);
	csr_free(&r.x);
	if (ret < 0)
		model_free(weights);
	return ret;
}

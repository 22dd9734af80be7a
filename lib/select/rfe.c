/*
 * rfe.c - features by recursive elimination
 *
 * How this works (Guyon, Weston, Barnhill, Vapnik 2002).  Until r features are left:
 *
 *     train the machines on the features left                    w_m of machine m           (1)
 *     score each feature                                         c_j = sum_m w_mj^2, or as
 *                                                                the trainer says           (2)
 *     drop those with the smallest c_j                                                      (3)
 *
 * where w_m = sum_i beta_mi x_i.  Taking feature j out of a machine changes its objective by
 * w_j^2 / 2, as long as the beta stay: so (3) drops what matters least.
 *
 * What is dropped in a step, a tenth of what is left by default, changes little.  Where there are
 * no more rows than features, machines work on the products X X': a step takes off them those of
 * the columns that went (4),
 *
 *     X X' <- X X' - G G',   G being the columns dropped                                    (5)
 *
 * which costs the squares of their entries, or, where that is less, computes them anew.  They are
 * computed anew as well when little of their trace is left, as (5) would then be a difference of
 * large numbers.  All steps of (5) together take no more products than the first X X'.
 *
 * Rows change hands as columns go; no entry is copied twice in a step:
 *
 *     x       [ entries of columns left ]                 moved to the front              (a)
 *     gone    [ entries of columns dropped in this step ] overwritten by the next step    (b)
 *     all     [ dropped first ... dropped last | left ]   'left' is the last n_left       (c)
 *
 * A step is O(entries left) for (a) and (b), O(columns left) for choosing the smallest c_j, and
 * what the trainer takes.  With a tenth dropped in each step there are about ln(d / r) / 0.105
 * steps, and all passes together cost ten times the first.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/rfe.h"

#include "base/interruption.h"
#include "base/mem.h"
#include "base/order.h"
#include "matrix/columns.h"
#include "matrix/gram.h"

/*
 * Products are computed anew where their trace falls below this share of what it was: (5) has then
 * lost 3 of 16 digits.
 */
#define TRACE_LEFT 1e-3

/* The Gram matrix X X' of the features left, and what decides when rule (4) computes it anew. */
struct gram_state {
	double *product; /* Gram matrix X X', n x n; NULL where it is of no use */
	double trace;	 /* trace of X X' when it was last computed anew */
	double *norm2;	 /* squared norms of the columns, d */
};

/* An elimination under way: the features left, their rows, and the Gram matrix of the rows. */
struct elimination {
	const struct rfe_options *o;
	const struct rfe_trainer *trainer;
	struct columns columns;
	double scale; /* factor of the values: a power of two, mostly 1 */
	int64_t n, d, n_left;
	struct csr x, gone; /* rows with the columns left; rows with the columns dropped last */
	struct gram_state gram;
	double *score; /* scores c_j (2) of the columns, d */
	/* d columns with their scores c_j (2): dropped columns come first */
	struct scored_column *all;
	struct scored_column *left; /* columns that are left: the last n_left of 'all' */
	bool *dropped;		    /* mark of each column that has been dropped, d */
};

static int elimination_init(struct elimination *e, const struct csr *x, struct error *err)
{
	if (columns_init(&e->columns, x, &e->scale, err) < 0 ||
	    csr_transpose(&e->x, &e->columns.by_column, err) < 0 ||
	    csr_reserve(&e->gone, e->x.n_rows, csr_n_entries(&e->x), err) < 0)
		return -1;
	/* room for all entries, so that part_rows() never grows them */
	e->gone.n_cols = e->x.n_cols;
	e->n = x->n_rows;
	e->d = e->n_left = e->columns.n;
	e->score = mem_array(e->d, sizeof(*e->score), err);
	e->all = e->left = mem_array(e->d, sizeof(*e->left), err);
	e->dropped = mem_zeroed(e->d, sizeof(*e->dropped), err);
	e->gram.norm2 = mem_array(e->d, sizeof(*e->gram.norm2), err);
	/*
	 * with more rows than features X X' costs more than it saves; where it would be larger than
	 * max_gram_bytes the trainer works on the rows
	 */
	if (e->n <= e->d && e->d > e->o->n_features &&
	    (double)e->n * (double)e->n * sizeof(double) <=
		    (double)(e->o->max_gram_bytes ? e->o->max_gram_bytes : RFE_MAX_GRAM_BYTES))
		e->gram.product = mem_large(e->n * e->n, sizeof(*e->gram.product), err);
	if (err->code != ERR_NONE)
		return -1;
	for (int64_t j = 0; j < e->d; j++) {
		e->left[j] = (struct scored_column){ 0, (int32_t)j };
		e->gram.norm2[j] = csr_row_norm2(&e->columns.by_column, j);
	}
	return 0;
}

/* ---- Products ---- */

/* Trace of the Gram matrix of some columns, and the number of products that computing it takes. */
struct column_totals {
	double trace, products;
};

/*
 * What decides between (5) and a new X X': the trace, and the products that a Gram matrix of these
 * columns takes.
 */
static struct column_totals totals_of(const struct elimination *e, const struct scored_column *list,
				      int64_t n)
{
	const int64_t *start = e->columns.by_column.row_start;
	struct column_totals sum = { 0 };

	for (int64_t k = 0; k < n; k++) {
		int32_t j = list[k].column;
		double n_entries = (double)(start[j + 1] - start[j]);

		sum.trace += e->gram.norm2[j];
		/* a column of k entries makes k^2 products of pairs */
		sum.products += n_entries * n_entries;
	}
	return sum;
}

/* Compute X X' anew from the columns left, both triangles, with its trace. */
static int compute_gram(struct elimination *e, const struct csr *by_column, struct error *err)
{
	if (gram_rows(&e->x, by_column, e->gram.product, e->o->n_threads, err) < 0)
		return -1;
	/* gram_rows() fills the lower triangle; the upper one is copied from it */
	for (int64_t i = 0; i < e->n; i++)
		for (int64_t k = 0; k < i; k++)
			e->gram.product[k * e->n + i] = e->gram.product[i * e->n + k];
	e->gram.trace = totals_of(e, e->left, e->n_left).trace;
	return 0;
}

/* Step (4): take the n_gone dropped columns off X X' by (5), or compute it anew, if cheaper. */
static int update_gram(struct elimination *e, const struct scored_column *gone, int64_t n_gone,
		       struct error *err)
{
	struct column_totals left = totals_of(e, e->left, e->n_left);
	/* dropped columns need more products than those left, or digits are running out */
	bool anew = left.products <= totals_of(e, gone, n_gone).products ||
		    left.trace < TRACE_LEFT * e->gram.trace;
	struct csr by_column = { 0 };
	int ret;

	/* gram_rows() and gram_subtract() take the same rows by column as well */
	if (csr_transpose(&by_column, anew ? &e->x : &e->gone, err) < 0)
		return -1;
	/* subtract the dropped columns by (5), or compute X X' of the rows left */
	if (anew)
		ret = compute_gram(e, &by_column, err);
	else
		ret = gram_subtract(&e->gone, &by_column, e->gram.product, e->o->n_threads, err);
	csr_free(&by_column);
	return ret;
}

/* Steps (1) and (2): train machines on the columns left, and compute c_j from their weights. */
static int score_features(struct elimination *e, struct error *err)
{
	const struct rfe_step step = { .x = &e->x,
				       .gram = e->gram.product,
				       .n_features = e->n_left };

	if (e->trainer->score(e->trainer->arg, &step, e->score, err) < 0)
		return -1;
	for (int64_t k = 0; k < e->n_left; k++) {
		int32_t j = e->left[k].column;

		/* machines with overflowed weights have no order of features */
		if (!isfinite(e->score[j]))
			return error_set(err, ERR_NUMERIC, "the weight of feature %d is not finite",
					 (int)e->columns.feature[j]);
		e->left[k].score = e->score[j];
	}
	return 0;
}

/* ---- Dropping ---- */

/* qsort() order of columns: is a dropped sooner than b? */
static bool drops_before(const void *a, const void *b)
{
	const struct scored_column *x = a, *y = b;

	/* of columns with equal scores the later one is dropped first */
	return x->score != y->score ? x->score < y->score : x->column > y->column;
}

/* Move the entries of dropped columns from x to 'gone'. */
static void part_rows(struct elimination *e)
{
	struct csr *x = &e->x, *gone = &e->gone;
	/* 'start' is where row i began before entries moved to the front */
	int64_t n_kept = 0, n_gone = 0, start = 0;

	for (int64_t i = 0; i < e->n; i++) {
		int64_t end = x->row_start[i + 1];

		for (int64_t k = start; k < end; k++) {
			bool goes = e->dropped[x->col[k]];
			struct csr *to = goes ? gone : x;
			int64_t at = goes ? n_gone++ : n_kept++;

			to->col[at] = x->col[k];
			to->val[at] = x->val[k];
		}
		/* row_start[i + 1] may be overwritten: the old end is in 'start' */
		start = end;
		x->row_start[i + 1] = n_kept;
		gone->row_start[i + 1] = n_gone;
	}
	gone->n_rows = e->n;
}

/* Step (3): drop the m columns with the smallest c_j. */
static void drop(struct elimination *e, int64_t m)
{
	order_select(e->left, e->n_left, sizeof(*e->left), m, drops_before);
	for (int64_t k = 0; k < m; k++)
		e->dropped[e->left[k].column] = true;
	/* order_select() has put the m smallest columns first: the columns left follow */
	e->left += m;
	e->n_left -= m;
	part_rows(e);
}

/*
 * Steps (1) to (4) until r features are left.  X X' is brought up to date only where another step
 * follows.
 */
static int eliminate(struct elimination *e, struct error *err)
{
	/* the first X X', O(sum of squares of the columns' entries) */
	if (e->gram.product && compute_gram(e, &e->columns.by_column, err) < 0)
		return -1;
	while (e->n_left > e->o->n_features) {
		/* the share wanted of the features left, but at least 1, and no more than leaves r */
		int64_t m = int64_clamp((int64_t)(e->o->fraction * (double)e->n_left), 1,
					e->n_left - e->o->n_features);

		/* train and score by (1), (2), drop by (3); X X' by (4) if a step follows */
		if (interruption_check(err) < 0 || score_features(e, err) < 0)
			return -1;
		drop(e, m);
		/* after the last step no machine is trained, and X X' is not needed */
		if (e->gram.product && e->n_left > e->o->n_features &&
		    update_gram(e, e->left - m, m, err) < 0)
			return -1;
	}
	return 0;
}

int rfe_select(struct selection *s, const struct csr *x, const struct rfe_options *o,
	       const struct rfe_trainer *trainer, struct error *err)
{
	struct elimination e = { .o = o, .trainer = trainer };
	int ret = -1;

	*s = (struct selection){ 0 };
	if (elimination_init(&e, x, err) == 0 && eliminate(&e, err) == 0 &&
	    selection_init(s, e.n_left, err) == 0) {
		/* scores descend here: the feature to be dropped last comes first */
		scored_columns_sort(e.left, e.n_left);
		for (int64_t k = 0; k < e.n_left; k++)
			selection_add(s, e.columns.feature[e.left[k].column], 1,
				      /*
				       * the norm of the column of weights, in the unit of the data
				       * as given
				       */
				      trainer->by_squares ? sqrt(e.left[k].score) * e.scale :
							    e.left[k].score);
		ret = 0;
	}
	columns_free(&e.columns);
	csr_free(&e.x);
	csr_free(&e.gone);
	mem_free_all(e.gram.product, e.gram.norm2, e.score, e.all, e.dropped);
	return ret;
}

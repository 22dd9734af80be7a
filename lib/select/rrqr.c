/*
 * rrqr.c - features by column-pivoted QR
 *
 * How this works.  X P = Q R is made a column at a time (Businger and Golub 1965).  With Q_k, the
 * k columns there are, column j of X has the squared distance
 *
 *     dist_j^2 = |x_j|^2 - |Q_k'x_j|^2                                         (1)
 *
 * from their span.  The next pivot is the column with the largest; its part outside the span,
 *
 *     v = x_j - Q_k Q_k'x_j                                                    (2)
 *
 * over its length is the next column q of Q, and that length is |R_kk|.  All other distances then
 * lose (q'x_j)^2 (3), one product of the sparse X' with q.
 *
 * Rounding: (2) is repeated while it shortens v, since what is left of a vector after much has been
 * taken off it is not orthogonal to Q ("twice is enough", Daniel, Gragg, Kaufman, Stewart 1976).
 * (3) loses digits as a distance falls; where little is left of the square last computed afresh,
 * (1) is computed as the length of (2) (Drmac and Bujanovic 2008).
 *
 * X stays sparse; Q (n x k) is the only full matrix, R is not kept.  Where the largest distance is
 * rounding, max(n, d) DBL_EPSILON times the first one, the rank is reached.  What follows a pivot
 * then is a matter of taste (enum rrqr_beyond): a factorisation of the columns left, their lengths,
 * nothing, or the order in which LAPACK's dgeqp3 leaves its permutation.
 *
 * The arrays, n rows, d columns, k pivots:
 *
 *     columns   sparse X by column, scaled                 entries
 *     q         Q by rows, n x room                        8 n room bytes: the only full matrix
 *     norm2     squared distance of each column, by (3)    8 d
 *     reference the same when last computed by (1)         8 d: WORN_OUT of it ends the use of (3)
 *     v         the pivot's part outside, then q           8 n
 *
 * A pivot costs O(n k) for (2), on blocks of rows, and O(entries) for (3), on blocks of columns;
 * blocks are added in order, so that the choice does not depend on threads.  In all O(n k^2 + k
 * entries), against O(n d k) for a full matrix.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/rrqr.h"

#include "base/interruption.h"
#include "base/mem.h"
#include "base/thread.h"
#include "matrix/blas.h"
#include "matrix/columns.h"

/*
 * Squared distances below this share of the last one computed afresh have too few digits left: (3)
 * has then lost 8 of 16.
 */
#define WORN_OUT 1e-8

/*
 * A vector that kept less than this share of its size, about 1 / sqrt(2), is not orthogonal enough
 * yet.  Two turns are enough; more come only where nothing but rounding is left.
 */
#define SIZE_KEPT 0.7
#define MAX_TURNS 4

enum {
	/* rows of Q that a thread takes at a time; products are summed by block */
	ROW_BLOCK = 1024,
	COLUMN_BLOCK = 64, /* columns that a thread takes at a time */
	/*
	 * a column with entries in less than an eighth of the rows is multiplied with Q entry by
	 * entry, a row of Q each; one with more as a full vector
	 */
	SPARSE_SHARE = 8
};

const char *const rrqr_beyond_names[] = { "restart", "norm", "none", "lapack", NULL };

/* State of a factorisation.  Q is n x room by rows; its first 'rank' columns are computed. */
struct pivoting {
	struct columns columns;
	double scale; /* factor of the columns: a power of two */
	int64_t n, d, room, rank;
	double *q;
	/* squared distances of the columns, d; and their values when last computed afresh */
	double *norm2, *reference;
	bool *chosen;	  /* mark of each column that is a pivot, d */
	double *v, *coef; /* vector v of (2), n; and its coefficients Q'v, room */
	double *partial;  /* coefficients of each block of rows, room for each */
	double *scratch;  /* scratch of each thread, n + room */
	struct thread_team *team;
};

/* Q and its products are cut into blocks of rows, which threads take one by one. */
static int64_t n_row_blocks(const struct pivoting *w)
{
	return int64_blocks(w->n, ROW_BLOCK);
}

static int pivoting_init(struct pivoting *w, const struct csr *x, const struct rrqr_options *o,
			 struct error *err)
{
	int n_threads = thread_clamp_count(o->n_threads);

	if (columns_init(&w->columns, x, &w->scale, err) < 0)
		return -1;
	w->n = x->n_rows;
	w->d = w->columns.n;
	/*
	 * Q has a column for each pivot: min(n, d) at most, or as many as there are features wanted
	 */
	w->room = int64_min(int64_min(w->n, w->d), o->n_features);
	w->q = mem_large(w->n * w->room, sizeof(*w->q), err);
	w->norm2 = mem_array(w->d, sizeof(*w->norm2), err);
	w->reference = mem_array(w->d, sizeof(*w->reference), err);
	w->chosen = mem_zeroed(w->d, sizeof(*w->chosen), err);
	w->v = mem_array(w->n, sizeof(*w->v), err);
	w->coef = mem_array(w->room, sizeof(*w->coef), err);
	w->partial = mem_array(n_row_blocks(w) * w->room, sizeof(*w->partial), err);
	/* each thread has room for a vector of n numbers and for its coefficients */
	w->scratch = mem_array(n_threads * (w->n + w->room), sizeof(*w->scratch), err);
	w->team = thread_team_start(n_threads, err);
	return blas_reserve(INT64_MAX, 0, err) == 0 && err->code == ERR_NONE ? 0 : -1;
}

/* Factor of products: the first 'rank' entries of the rows of Q from 'row' on. */
static struct blas_factor rows_of_q(const struct pivoting *w, int64_t row, enum blas_shape shape)
{
	return (struct blas_factor){ w->q + row * w->room, w->room, shape };
}

/* Coefficients coef = Q'x_j by the entries of the column. */
static void sparse_coefficients(const struct pivoting *w, int64_t j, double *coef)
{
	const struct csr *x = &w->columns.by_column;

	memset(coef, 0, (size_t)w->rank * sizeof(*coef));
	for (int64_t k = x->row_start[j]; k < x->row_start[j + 1]; k++)
		/* each entry x_ij adds x_ij times row i of Q */
		blas_add_scaled(coef, w->rank, x->val[k], w->q + x->col[k] * w->room);
}

/* ---- The pivot's part beyond the span of those before ---- */

/* Compute the part of Q'v that comes from one block of rows. */
static void block_coefficients(void *arg, int64_t block, int thread UNUSED)
{
	const struct pivoting *w = arg;
	int64_t first = block * ROW_BLOCK;
	int64_t count = int64_min(w->n - first, ROW_BLOCK);

	/* each block of rows writes its coefficients to a place of its own */
	blas_multiply_vector(rows_of_q(w, first, BLAS_TRANSPOSED), w->rank, count, w->v + first,
			     w->partial + block * w->room);
}

/* Compute coef = Q'v for a dense v: parts by block of rows on all threads, added in order. */
static void full_coefficients(struct pivoting *w)
{
	thread_team_for(w->team, n_row_blocks(w), block_coefficients, w);
	/* blocks in order: the same bits for any number of threads */
	memcpy(w->coef, w->partial, (size_t)w->rank * sizeof(*w->coef));
	for (int64_t block = 1; block < n_row_blocks(w); block++)
		blas_add_scaled(w->coef, w->rank, 1, w->partial + block * w->room);
}

/* Subtract Q coef from v in one block of rows, with the thread's scratch. */
static void subtract_block(void *arg, int64_t block, int thread)
{
	const struct pivoting *w = arg;
	int64_t first = block * ROW_BLOCK;
	int64_t count = int64_min(w->n - first, ROW_BLOCK);
	double *product = w->scratch + thread * (w->n + w->room);

	/* the rows of the block lose Q coef, the part of v within the span */
	blas_multiply_vector(rows_of_q(w, first, BLAS_PLAIN), count, w->rank, w->coef, product);
	for (int64_t i = 0; i < count; i++)
		w->v[first + i] -= product[i];
}

/* Project v off the span by (2), as many times as needed; returns |v|^2. */
static double orthogonal_part(struct pivoting *w, int64_t j)
{
	const struct csr *x = &w->columns.by_column;
	int64_t n_entries = x->row_start[j + 1] - x->row_start[j];
	double before, norm2;

	/* v = x_j, then v -= Q Q'v */
	csr_fill_row(x, j, w->v);
	norm2 = squared_norm(w->v, w->n);
	for (int turn = 0; turn < MAX_TURNS && w->rank > 0 && norm2 > 0; turn++) {
		before = norm2;
		/* v is sparse in the first turn alone */
		if (turn == 0 && n_entries * SPARSE_SHARE < w->n)
			sparse_coefficients(w, j, w->coef);
		else
			full_coefficients(w);
		thread_team_for(w->team, n_row_blocks(w), subtract_block, w);
		norm2 = squared_norm(w->v, w->n);
		/* little was taken off: v is orthogonal to rounding */
		if (norm2 > SIZE_KEPT * SIZE_KEPT * before)
			break;
	}
	return norm2;
}

/* ---- Distances of the columns that are no pivots ---- */

/* Distance (1) as the length of v in (2), without a difference of large squares. */
static double distance_afresh(const struct pivoting *w, int64_t j, int thread)
{
	const struct csr *x = &w->columns.by_column;
	double *product = w->scratch + thread * (w->n + w->room), *coef = product + w->n;

	sparse_coefficients(w, j, coef);
	blas_multiply_vector(rows_of_q(w, 0, BLAS_PLAIN), w->n, w->rank, coef, product);
	for (int64_t k = x->row_start[j]; k < x->row_start[j + 1]; k++)
		/* the difference Q Q'x_j - x_j has the length of v in (2) */
		product[x->col[k]] -= x->val[k];
	return squared_norm(product, w->n);
}

/* Step (3) for one block of columns: distances lose what the new column of Q explains. */
static void downdate_block(void *arg, int64_t block, int thread)
{
	struct pivoting *w = arg;
	int64_t end = int64_min((block + 1) * COLUMN_BLOCK, w->d);

	for (int64_t j = block * COLUMN_BLOCK; j < end; j++) {
		double product;

		if (w->chosen[j])
			continue;
		/* part of the distance that step (3) subtracts */
		product = csr_row_dot(&w->columns.by_column, j, w->v);
		w->norm2[j] -= product * product;
		/* the test includes squares that rounding has made negative */
		if (w->norm2[j] <= WORN_OUT * w->reference[j])
			w->norm2[j] = w->reference[j] = distance_afresh(w, j, thread);
	}
}

/* Distances (1) at rank 0: the lengths of the columns, all computed afresh. */
static void start_distances(struct pivoting *w)
{
	/* with rank 0 the distance of a column is its length */
	w->rank = 0;
	for (int64_t j = 0; j < w->d; j++)
		w->norm2[j] = w->reference[j] = csr_row_norm2(&w->columns.by_column, j);
}

/* Number of the column with the largest distance among those not chosen, or -1. */
static int64_t farthest(const struct pivoting *w)
{
	int64_t best = -1;

	/* of equal distances the first column is taken */
	for (int64_t j = 0; j < w->d; j++)
		if (!w->chosen[j] && (best < 0 || w->norm2[j] > w->norm2[best]))
			best = j;
	return best;
}

/* ---- The choice ---- */

/* Add pivots until there are r features, or until all distances left are rounding. */
static int factorise(struct pivoting *w, int64_t r, struct selection *s, struct error *err)
{
	double longer = (double)int64_max(w->n, w->d), least = -1, norm;
	int64_t j;

	start_distances(w);
	while (s->n < r && w->rank < w->room && (j = farthest(w)) >= 0) {
		if (interruption_check(err) < 0)
			return -1;
		/* the largest distance is rounding, and so are all others */
		if (w->norm2[j] <= least)
			return 0;
		/* distance of the pivot by (2), which is exact */
		w->norm2[j] = orthogonal_part(w, j);
		/* the first pivot sets what is rounding: (max(n, d) DBL_EPSILON)^2 of its square */
		if (least < 0)
			least = w->norm2[j] * longer * DBL_EPSILON * longer * DBL_EPSILON;
		if (w->norm2[j] <= least)
			/* rounding in step (3) had left the column's distance too large */
			continue;
		w->chosen[j] = true;
		norm = sqrt(w->norm2[j]);
		/* a feature's score is |R_kk|, in the unit of the data as given */
		selection_add(s, w->columns.feature[j], 1, norm / w->scale);
		/* v / |v| is the next column of Q */
		for (int64_t i = 0; i < w->n; i++) {
			w->v[i] /= norm;
			w->q[i * w->room + w->rank] = w->v[i];
		}
		w->rank++;
		/* step (3) for all columns that are left */
		if (w->rank < w->room)
			thread_team_for(w->team, int64_blocks(w->d, COLUMN_BLOCK), downdate_block,
					w);
	}
	return 0;
}

/* Rule RRQR_NORM: add the columns left, the longest first. */
static void add_by_norm(struct pivoting *w, int64_t r, struct selection *s)
{
	int64_t j;

	start_distances(w);
	while (s->n < r && (j = farthest(w)) >= 0) {
		w->chosen[j] = true;
		selection_add(s, w->columns.feature[j], 1, sqrt(w->norm2[j]) / w->scale);
	}
}

/* A place of the permutation, and the feature that an exchange has put there. */
enum exchanged { PLACE, FEATURE };
struct exchange {
	int64_t number[2]; /* by enum exchanged */
};

/* Find the feature in a place, or the place of a feature: the last exchange that has it says so. */
static int64_t partner(const struct exchange *list, int64_t n, enum exchanged kind, int64_t number)
{
	for (int64_t k = n - 1; k >= 0; k--)
		if (list[k].number[kind] == number)
			return list[k].number[!kind];
	return number;
}

/*
 * RRQR_LAPACK: places are 1, 2, ... (from 0 if there is a feature 0), each with the feature of its
 * number.  dgeqp3 exchanged pivot k with what stood in place k; behind the pivots the places are
 * then read in order.  O(pivots) a place.
 */
static int add_as_lapack(const struct pivoting *w, int64_t r, int64_t n_cols, struct selection *s,
			 struct error *err)
{
	int64_t first = w->d > 0 && w->columns.feature[0] == 0 ? 0 : 1, n_pivots = s->n, n = 0;
	struct exchange *list = mem_array(2 * n_pivots, sizeof(*list), err);

	if (!list)
		return -1;
	/* pivot k goes to place k, and the feature in place k goes where the pivot was */
	for (int64_t k = 0; k < n_pivots; k++) {
		int64_t from = partner(list, n, FEATURE, s->feature[k]);
		int64_t displaced = partner(list, n, PLACE, first + k);

		list[n++] = (struct exchange){ { from, displaced } };
		list[n++] = (struct exchange){ { first + k, s->feature[k] } };
	}
	/* places that no exchange has touched hold the feature of their own number */
	for (int64_t place = first + n_pivots; s->n < r && place < n_cols; place++)
		selection_add(s, (int32_t)partner(list, n, PLACE, place), 1, 0);
	mem_free(list);
	return 0;
}

/* Choose pivots up to the rank, and then the features that follow by the rule o->beyond. */
static int choose(struct pivoting *w, const struct rrqr_options *o, int64_t n_cols, int64_t *rank,
		  struct selection *s, struct error *err)
{
	int64_t r = o->n_features, before = 0;

	if (factorise(w, r, s, err) < 0)
		return -1;
	if (rank)
		*rank = w->rank;
	if (o->beyond == RRQR_LAPACK)
		return add_as_lapack(w, r, n_cols, s, err);
	if (o->beyond == RRQR_NORM)
		add_by_norm(w, r, s);
	/* each turn is a new factorisation of the columns left, as long as pivots are found */
	while (o->beyond == RRQR_RESTART && s->n < r && s->n > before) {
		before = s->n;
		if (factorise(w, r, s, err) < 0)
			return -1;
	}
	return 0;
}

int rrqr_select(struct selection *s, const struct csr *x, const struct rrqr_options *o,
		int64_t *rank, struct error *err)
{
	/* a selection has no more features than the data have columns */
	int64_t most = int64_min(x->n_cols, o->n_features);
	struct pivoting w = { 0 };
	int ret = -1;

	if (selection_init(s, most, err) < 0)
		return -1;
	if (pivoting_init(&w, x, o, err) == 0)
		ret = choose(&w, o, x->n_cols, rank, s, err);
	thread_team_stop(w.team);
	columns_free(&w.columns);
	mem_free_all(w.q, w.norm2, w.reference, w.chosen, w.v, w.coef, w.partial, w.scratch);
	if (ret < 0)
		selection_free(s);
	return ret;
}

/*
 * leverage.c - choosing features by their leverage scores
 *
 * How this works.  Scores l_j = |v_j|^2 add up to the rank rho.  Three rules choose by them:
 *
 *   - iid: r draws with replacement, feature j with p_j = l_j / rho.  Drawn c times, its weight is
 *     w_j^2 = c / (r p_j), so that E sum_j w_j^2 v_j v_j' = sum_j v_j v_j' = I           (1)
 *   - Bernoulli: feature j with q_j = min(1, c l_j), w_j^2 = 1 / q_j, which has the same mean
 *     (2).  c is such that sum_j q_j = r: if m scores are cut at 1, it is
 *     c = (r - m) / (sum of the other scores) (3), and m is the least number for which no other
 *     c l_j is above 1
 *   - top: the r largest, weights 1
 *
 * The scores are exact, from a basis of the row space, or approximate, by (4) to (6) below.
 *
 * Each draw is a function of seed and its number (iid) or the feature (Bernoulli), so that neither
 * the order of the features nor threads count.
 *
 * Source: Paul, Magdon-Ismail, Drineas 2015, section 3; Drineas, Mahoney, Muthukrishnan 2008, SIAM
 * J. Matrix Anal. Appl. 30, section 2 (both ways to sample).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/leverage.h"

#include "base/mem.h"
#include "base/order.h"
#include "base/rng_fill.h"
#include "base/thread.h"
#include "matrix/blas.h"
#include "matrix/gram.h"

void leverage_free(struct leverage *l)
{
	mem_free_all(l->feature, l->score);
	*l = (struct leverage){ 0 };
}

/*
 * room for the scores of the features of 's', and their numbers, into '*l'
 *
 * Fails with ERR_MEMORY; the caller then calls leverage_free().
 */
static int leverage_begin(struct leverage *l, const struct row_space *s, struct error *err)
{
	const int64_t n = s->columns.n;

	*l = (struct leverage){ .n = n,
				.rank = s->rank,
				.feature =
					mem_copy(s->columns.feature, n, sizeof(*l->feature), err),
				.score = mem_array(n, sizeof(*l->score), err) };
	return l->feature && l->score ? 0 : -1;
}

int leverage_exact(struct leverage *l, const struct row_space *s, int n_threads, struct error *err)
{
	/* the scores are O(entries rank), or O(d rank) where V is stored */
	if (leverage_begin(l, s, err) == 0 && row_space_leverage(s, l->score, n_threads, err) == 0)
		return 0;
	leverage_free(l);
	return -1;
}

/* ---- Scores, approximately ---- */

/*
 * How this works.  For n rows and d >= n features, X X' = L L' has V = X'L'^-1: the score of
 * feature j is |L^-1 x_j|^2.  Three steps make that cheap (Drineas, Magdon-Ismail, Mahoney,
 * Woodruff 2012; the first by Clarkson and Woodruff 2013):
 *
 *     X S'         features are added up in c n buckets, each with a random sign          (4)
 *     L L'         = X S' S X', the products of all pairs of rows; E S'S = 1              (5)
 *     score_j      = factor |x_j' L'^-1 G|^2 / m,  G of m columns of N(0, 1)              (6)
 *
 * (4) makes (5) cheap: no row has more than c n entries.  (6) makes the scores cheap: G'L^-1 is
 * multiplied with each entry of X, m of 32 ln d numbers instead of n, and E |G'z|^2 / m = |z|^2.
 * By (4) scores become too large in the mean, by 1 / (1 - rank / (c n)) (measured for full rank:
 * 1.14 at c = 8, 1.33 at c = 4): 'factor' is the inverse of that.  Rows that depend on others are
 * left out of L by pivoting, and their rows of L'^-1 G are 0.
 *
 * Data on their way, for n rows, d features, c n buckets and m directions:
 *
 *     X by column   -->  X by row   -->  X S', sparse   -->  n x n products  -->  L  -->  L'^-1 G
 *     (O(entries))       hash_rows()     entries or less     gram_rows()                  n x m
 *                                                                                          |
 *     scores  <--  columns of X times the rows of L'^-1 G, m numbers an entry  <-----------+
 *
 * Time is O(entries m) for (6), n^3 / 3 for L, and for (5) a multiplication for each pair of
 * entries that share a bucket; memory is 8 n (n + 2 m) bytes, which is compared with max_bytes
 * first.
 *
 * All draws are functions of seed and feature (4) or of seed and number of the pivot (6), and sums
 * are taken in the order of rows: the scores do not depend on threads.
 */

/*
 * Rows whose pivot is below this share of the largest product depend on the rows before them:
 * products are good to about 1e-13 of it.
 */
#define PIVOT_SHARE 1e-12

/*
 * Directions per ln d: scores are mostly within a twelfth.  On text four in a hundred are off by
 * more than a quarter with 16, one in a hundred with 32; of the 500 features of largest score of
 * 1,000 rows of 20news 52 are missed with 16, 41 with 32.
 */
#define DIRECTIONS 32

enum { BLOCK = 64 /* features whose scores a thread computes at a time */ };

/* ---- Hashed features, (4) ---- */

struct entry {
	int32_t column;
	int32_t place; /* place of the term in its row, the order in which terms are added */
	double value;
};

/* Sort by bucket, and within a bucket by place in the row. */
static int by_column(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->column != y->column ? ORDER_OF(x->column, y->column) :
					ORDER_OF(x->place, y->place);
}

/* Room for one row, hashed and then added up. */
struct row_room {
	struct entry *entry;
	int32_t *col;
	double *val;
};

struct hashing {
	const struct csr *x; /* columns are places in 'feature' */
	const int32_t *feature;
	int64_t n_buckets;
	uint64_t seed;
};

/* Step (4) for row i: add each feature to a bucket, with a random sign. */
static int hash_row(struct csr *hashed, const struct hashing *h, int64_t i, struct row_room *room,
		    struct error *err)
{
	int64_t first = h->x->row_start[i], n = h->x->row_start[i + 1] - first;
	int64_t start[2] = { 0, 0 };

	/* the first word of a feature's draw is scaled to a bucket, the second has the sign */
	for (int64_t k = 0; k < n; k++) {
		uint64_t j = (uint64_t)((int64_t)h->feature[h->x->col[first + k]] - 1);
		struct rng_block draw = rng_draw(h->seed, RNG_LEVERAGE_BUCKET, j, 0);
		double value = h->x->val[first + k];

		room->entry[k] =
			(struct entry){ (int32_t)(draw.w[0] * (uint64_t)h->n_buckets >> 32),
					(int32_t)k, draw.w[1] & 1 ? -value : value };
	}
	/* entries of one bucket are added in the order of the row, so that the bits are the same */
	qsort(room->entry, (size_t)n, sizeof(*room->entry), by_column);
	/* sorted by bucket: neighbours with the same bucket become one entry */
	for (int64_t k = 0; k < n; k++) {
		const struct entry *e = &room->entry[k];

		if (k > 0 && e->column == e[-1].column) {
			room->val[start[1] - 1] += e->value;
			continue;
		}
		room->col[start[1]] = e->column;
		room->val[start[1]++] = e->value;
	}
	return csr_append(hashed, 1, start, room->col, room->val, err);
}

/* Step (4) for all rows: a sparse matrix of n rows and n_buckets columns. */
static int hash_rows(struct csr *hashed, const struct hashing *h, struct error *err)
{
	struct row_room room;
	int64_t most = 0;
	int ret;

	for (int64_t i = 0; i < h->x->n_rows; i++)
		most = int64_max(most, csr_row_of(h->x, i).n);
	room = (struct row_room){ mem_array(most, sizeof(*room.entry), err),
				  mem_array(most, sizeof(*room.col), err),
				  mem_array(most, sizeof(*room.val), err) };
	ret = room.entry && room.col && room.val ? 0 : -1;
	/* the matrix X S' of hashed rows is made row by row */
	for (int64_t i = 0; i < h->x->n_rows && ret == 0; i++)
		ret = hash_row(hashed, h, i, &room, err);
	hashed->n_cols = h->n_buckets;
	mem_free_all(room.entry, room.col, room.val);
	return ret;
}

/* ---- The factor of the rows' products, (5) ---- */

/* Step (5): g (n x n) becomes the products of all pairs of rows of X S'; without buckets, of X. */
static int multiply_rows(double *g, const struct csr *rows, const struct columns *columns,
			 const struct leverage_options *o, int64_t n_buckets, struct error *err)
{
	const struct hashing h = { rows, columns->feature, n_buckets, o->seed };
	struct csr hashed = { 0 }, buckets = { 0 };
	int ret = -1;

	/* without buckets the products are those of X itself */
	if (n_buckets == 0)
		return gram_rows(rows, &columns->by_column, g, o->n_threads, err);
	/* hashed rows and their columns, by which pairs of rows that meet are found */
	if (hash_rows(&hashed, &h, err) == 0 && csr_transpose(&buckets, &hashed, err) == 0)
		ret = gram_rows(&hashed, &buckets, g, o->n_threads, err);
	csr_free(&hashed);
	csr_free(&buckets);
	return ret;
}

/* Random directions of the basis as a matrix L'^-1 G that multiplies the rows, n x stride. */
struct directions {
	int64_t m, stride; /* number of directions; 'm' made even, as normals come in pairs */
	int64_t rank;	   /* rank of the rows */
	double *at;
};

/* Factor L of the first 'rank' pivots: row k of L is of row pivot[k] of X. */
struct factor {
	int64_t n, rank;
	double *g;	/* products of the rows, and then L, n x n */
	int32_t *pivot; /* row numbers of the pivots, n */
};

/* Step (6), directions L'^-1 G in the order of the rows. */
static int draw_directions(struct directions *w, const struct factor *l, uint64_t seed,
			   struct error *err)
{
	int64_t rank = l->rank;
	/* normals for each pivot's direction; with 'stride' even, whole pairs */
	double *drawn = mem_array(rank * w->stride, sizeof(*drawn), err);

	w->at = mem_zeroed(l->n * w->stride, sizeof(*w->at), err);
	if (!drawn || !w->at) {
		mem_free(drawn);
		return -1;
	}
	/* random numbers belong to a pivot's number, not its row: any rank has the same */
	for (int64_t k = 0; k < rank; k++) {
		struct rng_place place = { .seed = seed,
					   .stream = RNG_LEVERAGE_DIRECTION,
					   .i = (uint64_t)k };

		rng_fill_normals(&place, w->stride / 2, drawn + k * w->stride);
	}
	/* L'^-1 G by back substitution */
	blas_triangular_solve((struct blas_factor){ l->g, l->n, BLAS_TRANSPOSED }, rank, drawn,
			      w->stride, w->m);
	/* rows of X without a pivot keep zeros in L'^-1 G */
	for (int64_t k = 0; k < rank; k++)
		memcpy(w->at + l->pivot[k] * w->stride, drawn + k * w->stride,
		       (size_t)w->m * sizeof(*drawn));
	mem_free(drawn);
	return 0;
}

/* Compute the directions L'^-1 G from the rows. */
static int find_directions(struct directions *w, const struct csr *rows,
			   const struct columns *columns, const struct leverage_options *o,
			   int64_t n_buckets, struct error *err)
{
	int64_t n = rows->n_rows;
	struct factor l = { .n = n,
			    .g = mem_large(n * n, sizeof(*l.g), err),
			    .pivot = mem_array(n, sizeof(*l.pivot), err) };
	int ret = -1;

	/* the lower triangle of the products becomes L, its rows in the order of the pivots */
	if (l.g && l.pivot && multiply_rows(l.g, rows, columns, o, n_buckets, err) == 0 &&
	    blas_cholesky_pivoted(l.g, n, PIVOT_SHARE, l.pivot, &l.rank, err) == 0)
		ret = draw_directions(w, &l, o->seed, err);
	w->rank = l.rank;
	mem_free_all(l.g, l.pivot);
	return ret;
}

/* ---- Scores by the factor, (6) ---- */

struct sketch_scoring {
	const struct columns *columns;
	const struct directions *directions;
	double *score, factor;
};

/* Step (6), score of a feature; 'room' is for its m sums. */
static void score_feature(void *arg, int64_t j, void *room)
{
	const struct sketch_scoring *w = arg;
	const struct csr *x = &w->columns->by_column;
	const int64_t m = w->directions->m;
	double *sum = room;

	/* (6): x_j' L'^-1 G by the entries of the column */
	memset(sum, 0, (size_t)m * sizeof(*sum));
	for (int64_t k = x->row_start[j]; k < x->row_start[j + 1]; k++)
		blas_add_scaled(sum, m, x->val[k],
				w->directions->at + x->col[k] * w->directions->stride);
	w->score[j] = w->factor * squared_norm(sum, m);
}

/* Scores by the products of n <= d rows; hashed only if there are fewer buckets than features. */
static int by_products(struct leverage *l, const struct row_space *s,
		       const struct leverage_options *o, struct error *err)
{
	int64_t n = s->n_rows, d = s->columns.n;
	int64_t turns = o->turns > 0 ? o->turns : LEVERAGE_TURNS;
	/* fewer buckets than features, or hashing saves nothing */
	int64_t n_buckets = turns < d / n && turns * n < INT32_MAX ? turns * n : 0;
	int64_t m = d > 1 ? (int64_t)ceil(DIRECTIONS * log((double)d)) : 1;
	struct directions w = { .m = m, .stride = m + m % 2 };
	struct row_space_options limit = { .max_bytes = o->max_bytes };
	struct csr rows = { 0 };
	int ret = -1;

	if (leverage_begin(l, s, err) == 0 &&
	    /* doubles of the n x n products and of two n x stride arrays of directions */
	    row_space_check_bytes(s, &limit, 8 * (double)n * (double)(n + 2 * w.stride),
				  REMEDY_NONE, err) == 0 &&
	    csr_transpose(&rows, &s->columns.by_column, err) == 0 &&
	    find_directions(&w, &rows, &s->columns, o, n_buckets, err) == 0) {
		/* mean excess of the scores from features that share a bucket */
		double inflation = n_buckets > 0 ? (double)w.rank / (double)n_buckets : 0;
		struct sketch_scoring scoring = { .columns = &s->columns,
						  .directions = &w,
						  .score = l->score,
						  .factor = (1 - inflation) / (double)m };

		l->rank = w.rank;
		l->sketched = n_buckets > 0;
		/* step (6), scores of all features, less that excess */
		ret = thread_each(o->n_threads, d, BLOCK, (size_t)m * sizeof(double), score_feature,
				  &scoring, err);
	}
	csr_free(&rows);
	mem_free(w.at);
	if (ret < 0)
		leverage_free(l);
	return ret;
}

int leverage_approximate(struct leverage *l, const struct csr *x, const struct leverage_options *o,
			 struct error *err)
{
	const struct row_space_options exact = { .max_bytes = o->max_bytes,
						 .n_threads = o->n_threads };
	struct row_space s;
	int ret = -1;

	*l = (struct leverage){ 0 };
	if (row_space_begin(&s, x, err) < 0)
		return -1;
	if (s.columns.n >= s.n_rows && s.columns.n > 0) {
		ret = by_products(l, &s, o, err);
	} else {
		/*
		 * more rows than features: the sketch has nothing to save, and the scores are exact
		 */
		row_space_free(&s);
		if (row_space_init(&s, x, &exact, err) == 0)
			ret = leverage_exact(l, &s, o->n_threads, err);
	}
	row_space_free(&s);
	return ret;
}

/* ---- Rules ---- */

/* Factor c by equation (3), for r < n scores in descending order: those cut at 1 come first. */
static double bernoulli_factor(const struct scored_column *s, int64_t n, int64_t r)
{
	double rest = 0, factor = 0;
	int64_t full = r;

	/* sums go from the smallest score up, so that little is lost; m starts at r and falls */
	for (int64_t k = n - 1; k >= r; k--)
		rest += s[k].score;
	while (full > 0) {
		/* one more score is not cut at 1, so m is one less */
		rest += s[--full].score;
		factor = (double)(r - full) / rest;
		/* c times the next score is at least 1, so that it is cut: m is found */
		if (full == 0 || factor * s[full - 1].score >= 1)
			break;
	}
	return factor;
}

/* Rule (2): select feature j with probability q_j, independently, and give it 1 / sqrt(q_j). */
static int select_bernoulli(struct selection *selection, const struct leverage *l, int64_t r,
			    uint64_t seed, struct error *err)
{
	int64_t n;
	/* a feature without a score has no part in any direction of the space, and is left out */
	struct scored_column *s = scored_columns_of(l->score, l->n, &n, err);
	double factor;
	int ret = -1;

	if (s)
		ret = selection_init(selection, n, err);
	/* all features that have a score are taken where r asks for as many */
	factor = ret == 0 && r < n ? bernoulli_factor(s, n, r) : INFINITY;
	for (int64_t j = 0; j < l->n && ret == 0; j++) {
		uint64_t i = (uint64_t)((int64_t)l->feature[j] - 1);
		double q = factor * l->score[j]; /* probability q_j of the feature, rule (2) */

		if (l->score[j] <= 0)
			continue;
		if (q >= 1)
			selection_add(selection, l->feature[j], 1, l->score[j]);
		else if (rng_unit(rng_first64(rng_draw(seed, RNG_LEVERAGE, i, 0))) < q)
			selection_add(selection, l->feature[j], 1 / sqrt(q), l->score[j]);
	}
	mem_free(s);
	return ret;
}

/*
 * (1): r draws with replacement; a feature drawn c times is selected once, with the weight of c
 * draws.
 */
static int select_iid(struct selection *selection, const struct leverage *l, int64_t r,
		      uint64_t seed, struct error *err)
{
	double *cumulated = mem_array(l->n, sizeof(*cumulated), err), sum = 0;
	int64_t *place = mem_array(l->n, sizeof(*place), err);
	int64_t last = 0;
	int ret = -1;

	if (!cumulated || !place || selection_init(selection, int64_min(r, l->n), err) < 0)
		goto out;
	/* cumulated sums: the interval of a feature is as long as its score */
	for (int64_t j = 0; j < l->n; j++) {
		cumulated[j] = sum += l->score[j];
		/* rounding may make u * sum the sum itself: no feature without a score is drawn */
		last = l->score[j] > 0 ? j : last;
		place[j] = -1;
	}
	for (int64_t k = 0; k < r; k++) {
		double u =
			rng_unit(rng_first64(rng_draw(seed, RNG_LEVERAGE_TRIAL, (uint64_t)k, 0)));
		/* feature j is drawn where u times the sum falls into its interval */
		int64_t j = order_find_above(cumulated, last + 1, u * sum);

		/*
		 * a feature is added at its first draw, so that the selection is in the order of
		 * draws
		 */
		if (place[j] < 0) {
			place[j] = selection->n;
			selection_add(selection, l->feature[j], 0, l->score[j]);
		}
		/* number c of times the feature was drawn, until all draws are done */
		selection->weight[place[j]]++;
	}
	/* weight by rule (1), where r p_j is r l_j / sum */
	for (int64_t k = 0; k < selection->n; k++)
		selection->weight[k] =
			sqrt(selection->weight[k] * sum / ((double)r * selection->score[k]));
	ret = 0;
out:
	mem_free_all(cumulated, place);
	return ret;
}

int leverage_select(struct selection *selection, const struct leverage *l, int64_t r,
		    enum leverage_rule rule, uint64_t seed, struct error *err)
{
	*selection = (struct selection){ 0 };
	if (rule == LEVERAGE_IID && r > LEVERAGE_MOST_TRIALS)
		return error_set(err, ERR_ARGUMENT, "more than %d draws", LEVERAGE_MOST_TRIALS);
	if (rule == LEVERAGE_IID)
		return select_iid(selection, l, r, seed, err);
	if (rule == LEVERAGE_BERNOULLI)
		return select_bernoulli(selection, l, r, seed, err);
	/* 'top': no more than the features with a score can be chosen */
	return selection_of_scores(selection, l->score, l->n, r, l->feature, 1, err);
}

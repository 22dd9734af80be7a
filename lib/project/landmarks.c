/*
 * landmarks.c - landmarks of kernel maps: a uniform sample, or one by ridge leverage scores
 *
 * How this works.  Uniform sample: rows whose key is above the m-th smallest of some earlier moment
 * are not of the sample, and are not looked at (1).  The others are kept; where there are 2 m of
 * them the m best are selected, in O(m), and their largest key is the new bound (2).  The i-th row
 * is kept with a chance of some m / i, so that copying rows costs next to nothing in a long stream.
 *
 * Leverage scores: the quotient of a score is what Nystrom's map of the sample misses of K_ii, once
 * a ridge is added to the sample's kernel matrix: K_ii - |z(x_i)|^2.  So each level fits such a map
 * (3), maps the rows of the next level, some at a time on each thread (4), and draws from them the
 * sample of that level (5).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project/landmarks.h"

#include "base/elementary.h"
#include "base/order.h"
#include "base/rng.h"
#include "matrix/blas.h"
#include "project/nystrom.h"

/* ---- a uniform sample ---- */

/* By key, then by row. */
static bool precedes(const void *a, const void *b)
{
	const struct landmark *x = a, *y = b;

	return x->key != y->key ? x->key < y->key : x->row < y->row;
}

/* The rows of the first n candidates alone, into '*to', which is empty after a failure. */
static int gather(const struct landmark_sample *s, int64_t n, struct csr *to, struct error *err)
{
	int64_t *kept = mem_array(n, sizeof(*kept), err);
	int ret;

	for (int64_t k = 0; kept && k < n; k++)
		kept[k] = s->landmark[k].kept;
	ret = kept ? csr_gather(to, &s->rows, kept, n, err) : -1;
	mem_free(kept);
	if (ret < 0)
		csr_free(to);
	return ret;
}

/* (2) */
static int select_best(struct landmark_sample *s, struct error *err)
{
	struct csr rows = { 0 };

	order_select(s->landmark, s->n, sizeof(*s->landmark), s->n_wanted, precedes);
	if (gather(s, s->n_wanted, &rows, err) < 0)
		return -1;
	csr_free(&s->rows);
	s->rows = rows;
	s->n = s->n_wanted;
	s->bound = 0;
	for (int64_t k = 0; k < s->n; k++) {
		s->landmark[k].kept = k;
		if (s->landmark[k].key > s->bound)
			s->bound = s->landmark[k].key;
	}
	return 0;
}

int landmark_sample_add(struct landmark_sample *s, const struct row_batch *rows, struct error *err)
{
	const struct csr all = csr_of_batch(rows, rows->max_index + 1);

	for (int64_t i = 0; i < rows->n_rows; i++, s->n_seen++) {
		uint64_t key = rng_first64(rng_draw(s->seed, RNG_LANDMARK, (uint64_t)s->n_seen, 0));

		/* (1); a key that equals the bound belongs to a later row */
		if (s->n_seen / 2 >= s->n_wanted && key >= s->bound)
			continue;
		if (mem_grow(&s->landmark, &s->capacity, s->n + 1, sizeof(*s->landmark), err) < 0 ||
		    csr_append_row(&s->rows, csr_row_of(&all, i), err) < 0)
			return -1;
		s->landmark[s->n] = (struct landmark){ s->n_seen, key, s->n };
		if (++s->n / 2 >= s->n_wanted && select_best(s, err) < 0)
			return -1;
	}
	return 0;
}

int landmark_sample_take(struct landmark_sample *s, struct csr *landmarks, struct error *err)
{
	if (s->n > s->n_wanted && select_best(s, err) < 0)
		return -1;
	qsort(s->landmark, (size_t)s->n, sizeof(*s->landmark), order_int64s);
	return gather(s, s->n, landmarks, err);
}

void landmark_sample_free(struct landmark_sample *s)
{
	mem_free(s->landmark);
	csr_free(&s->rows);
	*s = (struct landmark_sample){ 0 };
}

/* ---- leverage scores ---- */

/* Rows that a thread maps at a time: some groups of nystrom.c, and some megabytes. */
enum { TASK_ROWS = 384 };

/* Numbers of rows, and the chances that they were taken with. */
struct row_sample {
	int64_t n;
	int64_t *row;
	double *chance;
};

struct leverage_work {
	const struct csr *x;
	const struct leverage_choice *choice;
	int *level;	/* of each row */
	double largest; /* largest K_ii */
	double lambda;
	struct row_sample sample; /* room for all rows */
};

/* L: rows are taken with L times their score. */
static double oversampling(const struct leverage_choice *c)
{
	return fmax(1, log((double)c->n_wanted));
}

static double diagonal(const struct leverage_work *w, int64_t i)
{
	return kernel_diagonal(&w->choice->kernel, csr_row_norm2(w->x, i));
}

/* ---- a map of the sample so far, (3) ---- */

/* sum_{j > k} e_j / k of W K W, K being n x n, which is destroyed; or the least lambda */
static int find_lambda(struct leverage_work *w, double *k_matrix, struct error *err)
{
	const int64_t n = w->sample.n;
	const int64_t k =
		(int64_t)ceil((double)w->choice->n_wanted / (4 * oversampling(w->choice)));
	double *value = mem_array(n, sizeof(*value), err), sum = 0;
	int ret = -1;

	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j <= i; j++)
			k_matrix[i * n + j] /= sqrt(w->sample.chance[i] * w->sample.chance[j]);
	if (value && blas_symmetric_eigen(k_matrix, n, value, false, err) == 0) {
		for (int64_t j = 0; j < n - k; j++) /* ascending */
			sum += fmax(value[j], 0);
		w->lambda = fmax(sum / (double)k, 1000 * (double)n * DBL_EPSILON * w->largest);
		ret = 0;
	}
	mem_free(value);
	return ret;
}

/* Nystrom's map of the sample, with the ridge lambda W^-2; sets w->lambda */
static int fit_sample(struct nystrom *map, struct leverage_work *w, struct error *err)
{
	const struct leverage_choice *c = w->choice;
	const int64_t n = w->sample.n;
	struct csr rows = { 0 };
	double *ridge = mem_array(n, sizeof(*ridge), err), *k_matrix = NULL;
	int ret = -1;

	if (ridge && csr_gather(&rows, w->x, w->sample.row, n, err) == 0)
		k_matrix = nystrom_matrix(&rows, &c->kernel, c->n_threads, err);
	if (k_matrix && find_lambda(w, k_matrix, err) == 0) {
		mem_free(k_matrix);
		k_matrix = NULL;
		for (int64_t j = 0; j < n; j++)
			ridge[j] = w->lambda * w->sample.chance[j];
		ret = nystrom_fit(map, &rows, &c->kernel, ridge, c->n_threads, err);
	}
	mem_free_all(k_matrix, ridge);
	csr_free(&rows);
	return ret;
}

/* ---- scores of the rows of a level, (4) ---- */

/* The squared lengths of the mapped rows, behind those that came before. */
static int keep_lengths(void *arg, const struct row_batch *z, struct error *err UNUSED)
{
	double **next = arg;

	for (int64_t i = 0; i < z->n_rows; i++)
		*(*next)++ = squared_norm(z->value + z->row_start[i],
					  z->row_start[i + 1] - z->row_start[i]);
	return 0;
}

/* length2[i] = |z(x_i)|^2 */
static int map_lengths(const struct nystrom *map, const struct csr *x, int n_threads,
		       double *length2, struct error *err)
{
	struct dataset rows = { .x = *x, .y = mem_zeroed(x->n_rows, sizeof(double), err) };
	int ret = -1;

	if (rows.y)
		ret = nystrom_map_rows(map, &rows, n_threads, keep_lengths, &length2, err);
	mem_free(rows.y);
	return ret;
}

/* The scores of n rows by the sample; 'row' has their numbers */
static int score_rows(struct leverage_work *w, const int64_t *row, int64_t n, double *score,
		      struct error *err)
{
	const bool all = n == w->x->n_rows;
	struct nystrom map = { 0 };
	struct csr some = { 0 };
	int ret = -1;

	if (fit_sample(&map, w, err) == 0 && (all || csr_gather(&some, w->x, row, n, err) == 0))
		ret = map_lengths(&map, all ? w->x : &some, w->choice->n_threads, score, err);
	for (int64_t i = 0; ret == 0 && i < n; i++)
		score[i] = fmin(1, fmax(0, diagonal(w, row[i]) - score[i]) / w->lambda);
	nystrom_free(&map);
	csr_free(&some);
	return ret;
}

/* ---- the sample of a level, (5) ---- */

static struct rng_block draw(const struct leverage_work *w, int64_t row, int64_t b)
{
	return rng_draw(w->choice->seed, RNG_LANDMARK_LEVEL, (uint64_t)row, (uint32_t)b);
}

/* row[] = numbers of the rows of that level or above; their number */
static int64_t list_level(const struct leverage_work *w, int level, int64_t *row)
{
	int64_t n = 0;

	for (int64_t i = 0; i < w->x->n_rows; i++)
		if (w->level[i] >= level)
			row[n++] = i;
	return n;
}

/* The sample of a level from the scores of its rows; a level without any keeps the last one. */
static void take_sample(struct leverage_work *w, int level, const int64_t *row, int64_t n,
			const double *score)
{
	const double factor = oversampling(w->choice);
	int64_t taken = 0;

	for (int64_t i = 0; i < n; i++) {
		double chance = fmin(1, factor * score[i]);

		if (rng_unit(rng_first64(draw(w, row[i], 1 + level))) < chance) {
			w->sample.row[taken] = row[i];
			w->sample.chance[taken++] = chance;
		}
	}
	if (taken > 0)
		w->sample.n = taken;
}

/* The levels of the rows, and the first sample; its level */
static int first_sample(struct leverage_work *w)
{
	int64_t above[65] = { 0 }, n = 0; /* rows of each level or above, once summed */
	int level = 64;

	for (int64_t i = 0; i < w->x->n_rows; i++) {
		uint64_t bits = rng_first64(draw(w, i, 0));

		w->level[i] = bits ? __builtin_clzll(bits) : 64;
		above[w->level[i]]++;
		w->largest = fmax(w->largest, diagonal(w, i));
	}
	for (; level > 0 && (n += above[level]) < w->choice->n_wanted; level--)
		;
	w->sample.n = list_level(w, level, w->sample.row);
	for (int64_t i = 0; i < w->sample.n; i++)
		w->sample.chance[i] = 1;
	return level;
}

/* All levels; 'row' has room for the numbers of all rows */
static int find_scores(struct leverage_work *w, int64_t *row, double *score, struct error *err)
{
	int level = first_sample(w);

	if (!isfinite(w->largest))
		return error_set(err, ERR_NUMERIC, "a kernel value is too large");
	do {
		int64_t n;

		level = level > 0 ? level - 1 : 0;
		n = list_level(w, level, row);
		if (score_rows(w, row, n, score, err) < 0)
			return -1;
		if (level > 0)
			take_sample(w, level, row, n, score);
	} while (level > 0);
	return 0;
}

int leverage_scores(const struct csr *x, const struct leverage_choice *choice, double *score,
		    double *lambda, struct error *err)
{
	struct leverage_work w = { .x = x, .choice = choice };
	int64_t *row = mem_array(x->n_rows, sizeof(*row), err);
	int ret = -1;

	w.level = mem_array(x->n_rows, sizeof(*w.level), err);
	w.sample.row = mem_array(x->n_rows, sizeof(*w.sample.row), err);
	w.sample.chance = mem_array(x->n_rows, sizeof(*w.sample.chance), err);
	if (row && w.level && w.sample.row && w.sample.chance)
		ret = find_scores(&w, row, score, err);
	*lambda = w.lambda;
	mem_free_all(row, w.level, w.sample.row, w.sample.chance);
	return ret;
}

/* ---- the choice ---- */

/* row[] = the m rows with the smallest keys, ascending */
static int choose(const double *score, int64_t n, const struct leverage_choice *c, int64_t *row,
		  struct error *err)
{
	struct order_key *k = mem_array(n, sizeof(*k), err);

	if (!k)
		return -1;
	for (int64_t i = 0; i < n; i++) {
		double u = rng_unit(rng_first64(rng_draw(c->seed, RNG_LANDMARK, (uint64_t)i, 0)));

		u = -elementary_log(1 - u) / score[i];
		/* numbers above 0 have the order of their bits */
		memcpy(&k[i].key, &u, sizeof(u));
		k[i].id = i;
	}
	order_select(k, n, sizeof(*k), c->n_wanted, order_precedes);
	for (int64_t i = 0; i < c->n_wanted; i++)
		row[i] = k[i].id;
	qsort(row, (size_t)c->n_wanted, sizeof(*row), order_int64s);
	mem_free(k);
	return 0;
}

int leverage_landmarks(struct csr *landmarks, const struct csr *x,
		       const struct leverage_choice *choice, struct error *err)
{
	const int64_t n = x->n_rows, m = int64_min(n, choice->n_wanted);
	double *score = mem_array(n, sizeof(*score), err), lambda;
	int64_t *row = mem_array(n, sizeof(*row), err);
	int ret = -1;

	if (score && row) {
		count_up(row, n);
		if (m == n || (leverage_scores(x, choice, score, &lambda, err) == 0 &&
			       choose(score, n, choice, row, err) == 0))
			ret = csr_gather(landmarks, x, row, m, err);
	}
	if (ret < 0)
		csr_free(landmarks);
	mem_free_all(score, row);
	return ret;
}

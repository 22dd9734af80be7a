/*
 * landmarks.c - a uniform sample of the rows of a stream, in one pass
 *
 * How this works.  Rows whose key is above the m-th smallest of some earlier moment are not of the
 * sample, and are not looked at (1).  The others are kept; where there are 2 m of them the m best
 * are selected, in O(m), and their largest key is the new bound (2).  The i-th row is kept with a
 * chance of some m / i, so that copying rows costs next to nothing in a long stream.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project/landmarks.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"
#include "base/rng.h"

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

/* Row i of the batch is a candidate. */
static int keep(struct landmark_sample *s, uint64_t key, const struct row_batch *in, int64_t i,
		struct error *err)
{
	const int64_t first = in->row_start[i];
	const struct csr_row row = { in->row_start[i + 1] - first, in->index + first,
				     in->value + first };

	if (mem_grow(&s->landmark, &s->capacity, s->n + 1, sizeof(*s->landmark), err) < 0 ||
	    csr_append_row(&s->rows, row, err) < 0)
		return -1;
	s->landmark[s->n] = (struct landmark){ s->n_seen, key, s->n };
	s->n++;
	return s->n < 2 * s->n_wanted ? 0 : select_best(s, err);
}

int landmark_sample_add(struct landmark_sample *s, const struct row_batch *rows, struct error *err)
{
	for (int64_t i = 0; i < rows->n_rows; i++, s->n_seen++) {
		uint64_t key = rng_first64(rng_draw(s->seed, RNG_LANDMARK, (uint64_t)s->n_seen, 0));

		/* (1); a key that equals the bound belongs to a later row */
		if (s->n_seen >= 2 * s->n_wanted && key >= s->bound)
			continue;
		if (keep(s, key, rows, i, err) < 0)
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

/*
 * linear_pack.h - some rows of a linear problem side by side, in single precision
 *
 * Coordinate descent and conjugate gradients pass over the same few rows many times, and what they
 * find need not be exact: the next gradient is computed from the rows in double precision.  A pack
 * has the entries of the rows of a list in the order of the list, in 8 bytes instead of 12.  On
 * 300,000 rows of text, passes over a pack take a third of the time of passes over the same rows
 * where they are, scattered among the others.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_LINEAR_PACK_H
#define RANDSVM_LINEAR_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "linear/linear_rows.h"

/* Owns its arrays; a zeroed struct is empty. */
struct linear_pack {
	int64_t n, d;
	int64_t *start; /* n + 1 */
	int32_t *col;	/* start[n] */
	float *val;	/* start[n]: x_ij / unit */
	double unit;	/* that of the rows, so that no entry is too large for a float */
	int64_t row_capacity, entry_capacity;
};

/*
 * linear_pack_fill() - '*pack' becomes the n rows list[0], list[1], ... of 'x'; NULL: 0, 1, ...
 *
 * Keeps its room for the next filling.  Returns 0, or -1 with ERR_MEMORY and the pack empty.
 */
int linear_pack_fill(struct linear_pack *pack, const struct linear_rows *x, const int64_t *list,
		     int64_t n, struct error *err);

/* linear_pack_keep() - leave only the rows k with keep[k]; O(entries) */
void linear_pack_keep(struct linear_pack *pack, const bool *keep);

void linear_pack_free(struct linear_pack *pack);

/* linear_pack_times() - out[k] = x_k.w + b for all k, on the threads of 'team' */
void linear_pack_times(const struct linear_pack *pack, struct thread_team *team, const double *w,
		       double b, double *out);

/*
 * linear_pack_add() - w += sum_k c[k] x_k, on the threads of 'team'
 *
 * 'partial' is room for LINEAR_MAX_PARTS x d numbers.  The bits do not depend on the team.
 */
void linear_pack_add(const struct linear_pack *pack, struct thread_team *team, const double *c,
		     double *w, double *partial);

/* linear_pack_dot() - x_k.w; four sums, as an addition must not wait for the one before */
static inline double linear_pack_dot(const struct linear_pack *pack, int64_t k, const double *w)
{
	const int32_t *col = pack->col;
	const float *val = pack->val;
	int64_t e = pack->start[k], end = pack->start[k + 1];
	double s0 = 0, s1 = 0, s2 = 0, s3 = 0;

	for (; e + 3 < end; e += 4) {
		s0 += (double)val[e] * w[col[e]];
		s1 += (double)val[e + 1] * w[col[e + 1]];
		s2 += (double)val[e + 2] * w[col[e + 2]];
		s3 += (double)val[e + 3] * w[col[e + 3]];
	}
	for (; e < end; e++)
		s0 += (double)val[e] * w[col[e]];
	return pack->unit * ((s0 + s1) + (s2 + s3));
}

/* linear_pack_axpy() - w += c x_k */
static inline void linear_pack_axpy(const struct linear_pack *pack, int64_t k, double c, double *w)
{
	const int32_t *col = pack->col;
	const float *val = pack->val;

	c *= pack->unit;
	for (int64_t e = pack->start[k]; e < pack->start[k + 1]; e++)
		w[col[e]] += c * (double)val[e];
}

#endif

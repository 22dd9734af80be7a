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

#include <stdint.h>

#include "base/error.h"
#include "linear/linear_rows.h"

struct linear_pack_entry {
	int32_t col;
	float val; /* value of the entry, x_ij / unit */
};

/* Rows side by side, in floats.  Owns its arrays; a zeroed struct is empty. */
struct linear_pack {
	int64_t n, d;
	int64_t *start;			 /* position of each row's first entry; n + 1 numbers */
	struct linear_pack_entry *entry; /* entries of all rows, start[n] of them */
	/*
	 * unit of the values: power of two that entries are divided by, so that none is too large
	 * for a float
	 */
	double unit;
	int64_t row_capacity, entry_capacity;
};

/*
 * linear_pack_make_room() - room for n rows and their entries; rows that were in the pack are lost
 *
 * Returns 0, or -1 with ERR_MEMORY and the pack empty.
 */
int linear_pack_make_room(struct linear_pack *pack, int64_t n, int64_t n_entries,
			  struct error *err);

/*
 * linear_pack_fill() - '*pack' becomes the n rows list[0], list[1], ... of 'x'; NULL: 0, 1, ...
 *
 * Keeps its room for the next filling.  Returns 0, or -1 with ERR_MEMORY and the pack empty.
 */
int linear_pack_fill(struct linear_pack *pack, const struct linear_rows *x, const int64_t *list,
		     int64_t n, struct error *err);

void linear_pack_free(struct linear_pack *pack);

/* Arguments of linear_pack_square(). */
struct linear_square {
	const double *v; /* vector of d numbers */
	double b[2], factor;
	const double *weight; /* weight of each row; NULL: 1 for all */
	const uint8_t *side;  /* side of each row, for its constant b[side]; NULL: 0 for all */
};

/*
 * linear_pack_square() - out += sum_k c_k x_k, c_k = factor weight_k (x_k.v + b), on the threads of
 * 'team'
 *
 * sum[s] becomes the sum of c_k over the rows of side s.  'room' is for LINEAR_MAX_PARTS x d
 * numbers.  One pass over the entries.  The bits do not depend on the team: the rows are cut into
 * linear_pack_parts(), each of which has sums of its own, and these are added by
 * linear_pack_fold().
 */
void linear_pack_square(const struct linear_pack *pack, struct thread_team *team,
			const struct linear_square *product, double *out, double sum[2],
			double *room);

/* ---- linear_pack_square() in two steps, the first of which several processes may share ---- */

/*
 * linear_pack_parts() - number of parts: a power of 2 up to LINEAR_MAX_PARTS, by the entries and d
 * alone
 */
int linear_pack_parts(const struct linear_pack *pack);

/* Parts first .. last - 1 of n_parts, into which n rows are cut. */
struct linear_share {
	const struct linear_pack *pack; /* rows of these parts, and maybe of later parts */
	int64_t n;
	int n_parts, first, last;
};

/*
 * Sums of the rows of some parts, the first of a share's being at 0.  A sum may be that of several:
 * the part that it is at and the next ones.
 */
struct linear_partial {
	double *w; /* sums of c x: d numbers for each part */
	double sum[LINEAR_MAX_PARTS][2];
	/* number of parts in each sum; 0: no sum here, or it is part of another sum */
	int span[LINEAR_MAX_PARTS];
};

/* linear_part_start() - number of a part's first row, or n after the last part */
static inline int64_t linear_part_start(const struct linear_share *share, int part)
{
	return share->n * part / share->n_parts;
}

/*
 * linear_pack_multiply() - the sums of each part of the share; weights and sides are those of its
 * rows
 */
void linear_pack_multiply(const struct linear_share *share, struct thread_team *team,
			  const struct linear_square *product, struct linear_partial *partial);

/*
 * linear_pack_fold() - sums of neighbours become one as far as both are here, as in a binary tree
 *
 * A rank folds what it has, rank 0 what all have sent: each addition is made once, by whichever
 * rank has both sums, so that the bits do not depend on who has which part.  The sum of all parts
 * ends at 0, and is added to 'out' (NULL: it is not, and need not be there).
 */
void linear_pack_fold(const struct linear_share *share, struct thread_team *team,
		      struct linear_partial *partial, double *out);

/*
 * linear_pack_dot() - inner product of w with the row of the entries start .. end - 1; four sums,
 * as an addition must not wait for the one before
 */
static inline double linear_pack_dot(const struct linear_pack *pack, int64_t start, int64_t end,
				     const double *w)
{
	const struct linear_pack_entry *x = pack->entry;
	int64_t e = start;
	double s0 = 0, s1 = 0, s2 = 0, s3 = 0;

	for (; e + 3 < end; e += 4) {
		s0 += (double)x[e].val * w[x[e].col];
		s1 += (double)x[e + 1].val * w[x[e + 1].col];
		s2 += (double)x[e + 2].val * w[x[e + 2].col];
		s3 += (double)x[e + 3].val * w[x[e + 3].col];
	}
	for (; e < end; e++)
		s0 += (double)x[e].val * w[x[e].col];
	return pack->unit * ((s0 + s1) + (s2 + s3));
}

/* linear_pack_axpy() - w += c times the row of the entries start .. end - 1 */
static inline void linear_pack_axpy(const struct linear_pack *pack, int64_t start, int64_t end,
				    double c, double *w)
{
	const struct linear_pack_entry *x = pack->entry;

	c *= pack->unit;
	for (int64_t e = start; e < end; e++)
		w[x[e].col] += c * (double)x[e].val;
}

#endif

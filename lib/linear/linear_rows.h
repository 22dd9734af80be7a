/*
 * linear_rows.h - the rows of a linear problem, and their products with vectors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/thread.h"
#include "base/work_counts.h"
#include "matrix/csr.h"

/*
 * Multiplications from which a pass is shared among threads: some 15 us of work, against a few for
 * a team that may have to be woken.
 */
#define LINEAR_WORK_FOR_THREADS 30000

/*
 * Sums of rows are made in parts, by entries and columns so many at most, and descent has lists of
 * rows (linear_lane.h): range r of the rows is in part and list r modulo their number.  Whatever the
 * order of the rows, by label for one, parts are much alike.
 */
#define LINEAR_MAX_PARTS 8
#define LINEAR_RANGES 64

/*
 * Rows of a problem for the linear engine.  Owns its arrays, but start, col and val where they are
 * 'shared'; a zeroed struct is empty.  Columns are numbered 0 .. d - 1 in the order that they have
 * in the data.  Rows are in the order of their lengths, so that the processor predicts where the
 * loop over a row's entries ends; shared ones are in the order of the data.
 */
struct linear_rows {
	int64_t n, d;
	/* where ranges begin and end, neighbours in the order of the rows, of about as many entries each */
	int64_t range[LINEAR_RANGES + 1];
	int64_t *order; /* order of the n rows: row i was row[order[i]] */
	bool shared;	/* start, col and val belong to the data and are not written */
	int64_t *start; /* position of each row's first entry; n + 1 numbers */
	int32_t *col;	/* column numbers, start[n] of them, ascending within a row */
	double *val;	/* values, start[n] of them, centred */
	double *norm2;	/* squared norms of the n rows, centred */
	/* centre of each of the d columns: the mean of a column that all rows have, else 0 */
	double *centre;
	double unit; /* unit of the values, a power of 2: no |val| is larger */
	/*
	 * partial sums of several threads, LINEAR_MAX_PARTS x d numbers; during a round of
	 * linear_descend() the w of its lanes, so that no product may be asked for then
	 */
	double *partial;
	struct thread_team *team;	/* team of threads, borrowed; or NULL */
	struct linear_helpers *helpers; /* borrowed; or NULL */
};

/*
 * linear_rows_init() - the n rows row[0], row[1], ... of 'x', reordered
 *
 * A copy; or 'x' itself, which must then outlive '*rows', if it is large and would hardly change.
 * Columns that do not occur are left out, but for a few of a large 'x'.  Columns that all rows have
 * are centred: with a free bias and sum beta = 0 that changes w.x by a constant only, and for
 * values far from 0 it saves digits.  O(entries) time and memory, whatever the number of columns.
 * Returns 0, or -1 with an error and '*rows' empty.
 */
int linear_rows_init(struct linear_rows *rows, const struct csr *x, const int64_t *row, int64_t n,
		     struct error *err);

void linear_rows_free(struct linear_rows *rows);

/* linear_range() - the range that row i is in */
static inline int linear_range(const struct linear_rows *rows, int64_t i)
{
	int range = 0;

	for (int step = LINEAR_RANGES / 2; step > 0; step /= 2)
		range += rows->range[range + step] <= i ? step : 0;
	return range;
}

/*
 * linear_entries_dot() - inner product of w with the row of the entries start .. end - 1; four
 * sums, as an addition must not wait for the one before
 */
static inline double linear_entries_dot(const struct linear_rows *rows, int64_t start, int64_t end,
					const double *w)
{
	const int32_t *col = rows->col;
	const double *val = rows->val;
	double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
	int64_t k = start;

	for (; k + 3 < end; k += 4) {
		s0 += val[k] * w[col[k]];
		s1 += val[k + 1] * w[col[k + 1]];
		s2 += val[k + 2] * w[col[k + 2]];
		s3 += val[k + 3] * w[col[k + 3]];
	}
	for (; k < end; k++)
		s0 += val[k] * w[col[k]];
	return (s0 + s1) + (s2 + s3);
}

/* linear_entries_axpy() - w += c times the row of the entries start .. end - 1 */
static inline void linear_entries_axpy(const struct linear_rows *rows, int64_t start, int64_t end,
				       double c, double *w)
{
	for (int64_t k = start; k < end; k++)
		w[rows->col[k]] += c * rows->val[k];
}

/*
 * linear_rows_dot() - inner product x_i.w of row i
 *
 * Not by the vectorised linear_multiply(): callers take one row at a time, mostly of few entries.
 */
static inline double linear_rows_dot(const struct linear_rows *rows, int64_t i, const double *w)
{
	return linear_entries_dot(rows, rows->start[i], rows->start[i + 1], w);
}

/* linear_rows_axpy() - w += c x_i for row i */
static inline void linear_rows_axpy(const struct linear_rows *rows, int64_t i, double c, double *w)
{
	linear_entries_axpy(rows, rows->start[i], rows->start[i + 1], c, w);
}

/* ---- Products with vectors ---- */

/* linear_rows_times() - out[k] = x_list[k].w + b for k < n_list; 'list' NULL: x_k */
void linear_rows_times(const struct linear_rows *rows, const int64_t *list, int64_t n_list,
		       const double *w, double b, double *out);

/*
 * linear_rows_add() - w += sum_k c[k] x_list[k] for k < n_list; 'list' NULL: x_k
 *
 * Long lists are added in parts whose number depends on their entries and on d alone, so that the
 * bits do not depend on threads.  Uses rows->partial: one sum at a time.
 */
void linear_rows_add(const struct linear_rows *rows, const int64_t *list, int64_t n_list,
		     const double *c, double *w);

/*
 * linear_rows_sum() - w = sum_i beta[i] x_i, so exact that rounding changes w.x_i by 'tolerance' at
 * most
 *
 * Thousands of multipliers at a large C add up to a small w.  With features in the thousands a sum
 * in doubles can leave an error in w.x as large as eps; the sum has twice their digits then.
 * Returns 0, or -1 with ERR_MEMORY.
 */
int linear_rows_sum(const struct linear_rows *rows, const double *beta, double tolerance, double *w,
		    struct error *err);

/*
 * linear_rows_entries() - number of entries of the rows of the list; 'list' NULL: the first n_list
 * rows
 */
int64_t linear_rows_entries(const struct linear_rows *rows, const int64_t *list, int64_t n_list);

/* ---- Some rows side by side, in single precision ---- */

/*
 * Coordinate descent and conjugate gradients pass over the same few rows many times, and what they
 * find need not be exact: the next gradient is computed from the rows in double precision.  A pack
 * has the entries of the rows of a list, part by part, in 8 bytes instead of 12.  On
 * 300,000 rows of text, passes over a pack take a third of the time of passes over the same rows
 * where they are, scattered among the others.
 */
struct linear_pack_entry {
	int32_t col;
	float val; /* value of the entry, x_ij / unit */
};

/* Rows side by side, in floats.  Owns its arrays; a zeroed struct is empty. */
struct linear_pack {
	int64_t n, d;
	int64_t *start;			 /* position of each row's first entry; n + 1 numbers */
	int64_t *row;			 /* number of each row, of the n */
	struct linear_pack_entry *entry; /* entries of all rows, start[n] of them */
	/*
	 * unit of the values: power of two that entries are divided by, so that none is too large
	 * for a float
	 */
	double unit;
	int64_t row_capacity, entry_capacity;
	int n_parts; /* parts of the rows, by their entries and d alone; where they begin and end */
	int64_t part[LINEAR_MAX_PARTS + 1];
};

/*
 * linear_pack_reserve() - room for n rows and n_entries entries; the rows before are lost
 *
 * Keeps the room that there is, if it suffices.  Returns 0, or -1 with ERR_MEMORY and the pack empty.
 */
int linear_pack_reserve(struct linear_pack *pack, int64_t n, int64_t n_entries, struct error *err);

/*
 * linear_pack_fill() - '*pack' becomes the n rows list[0], list[1], ... of 'x', NULL: 0, 1, ..., those
 * of each part in this order
 *
 * Keeps its room for the next filling.  Returns 0, or -1 with ERR_MEMORY and the pack empty.
 */
int linear_pack_fill(struct linear_pack *pack, const struct linear_rows *x, const int64_t *list,
		     int64_t n, struct error *err);

void linear_pack_free(struct linear_pack *pack);

/* Arguments of linear_pack_square(). */
struct linear_square {
	const double *v; /* vector of d numbers; NULL: c_k = factor weight_k, and x_k squared */
	double b[2], factor;
	const double *weight; /* weight of each row of the pack; NULL: 1 for all */
	const uint8_t *side;  /* side of each of these, for its constant b[side]; NULL: 0 for all */
	struct linear_helpers *helpers; /* those that have the rows of this product, or NULL */
};

struct descent_rows;
struct descent_rounds;

/*
 * Other processes (ranks/rank_linear.h), this one being 0.  They multiply parts of a pack, part k
 * being that of process k mod 'size'; and process 1 runs lane 1 of descent (linear_lane.h).
 */
struct linear_helpers {
	int size;
	/* give them their parts of a pack; -1 with ERR_MEMORY */
	int (*pack)(struct linear_helpers *h, const struct linear_pack *pack, struct error *err);
	/* linear_pack_parts() of all, of rows without weights and sides */
	void (*square)(struct linear_helpers *h, const struct linear_pack *pack,
		       struct thread_team *team, const struct linear_square *product, double *w,
		       double sum[][2]);
	/*
	 * the rows that lane 1 meets where it does not meet a pack, given in the part of process 1;
	 * they are kept until the next call, in the end with no rows, which cannot fail; -1 with
	 * ERR_MEMORY
	 */
	int (*rows)(struct linear_helpers *h, const struct descent_rows *rows, struct error *err);
	/* rounds of an epoch begin on process 1, too; and end: lane 1's multipliers are here */
	void (*begin)(struct linear_helpers *h, struct descent_rounds *r);
	void (*end)(struct linear_helpers *h, struct descent_rounds *r);
	/* on both: what a lane is after a round, this process's for the other's */
	void (*swap)(struct linear_helpers *h, struct descent_rounds *r);
};

/*
 * linear_pack_parts() - parts first, first + step, ... of a product: w has room for d sums of each
 * part of the pack, and sum[] for those of c by side
 *
 * Where 'step' divides their number they are added up, all in part 'first'.
 */
void linear_pack_parts(const struct linear_pack *pack, struct thread_team *team,
		       const struct linear_square *product, int first, int step, double *w,
		       double sum[][2]);

/*
 * linear_pack_square() - out += sum_k c_k x_k, c_k = factor weight_k (x_k.v + b), on the threads of
 * 'team'
 *
 * sum[s] becomes the sum of c_k over the rows of side s.  'room' is for LINEAR_MAX_PARTS x d
 * numbers.  One pass over the entries.  The bits do not depend on the team: the entries
 * alone say into how many parts the rows are cut, and in which order the sums of these are added.
 */
void linear_pack_square(const struct linear_pack *pack, struct thread_team *team,
			const struct linear_square *product, double *out, double sum[2],
			double *room);

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

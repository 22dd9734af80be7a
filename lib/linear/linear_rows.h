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
 * Entries below which one thread works alone on a problem.  Starting a thread took 60 us, a pass over
 * the 451,592 entries of a9a 250 us: here a pass takes 28 us, and the passes of an average problem
 * would end before the threads were of use.
 */
#define LINEAR_ENTRIES_FOR_THREADS 50000

/*
 * Each row is in one of LINEAR_LISTS lists, for the parts of sums and for descent (linear_lane.h): those
 * of LINEAR_RANGES ranges of neighbours, of as many entries each, that are the list's modulo
 * LINEAR_LISTS.  Whatever the order of the rows, by label for one, lists are much alike.
 */
#define LINEAR_LISTS 8
#define LINEAR_RANGES 64

/*
 * linear_list() - the list at a place of the order in which they are met, 0 4 2 6 1 5 3 7: those that
 * are the same modulo 2 or 4 are neighbours
 */
static inline int linear_list(int place)
{
	return (place & 1) << 2 | (place & 2) | place >> 2;
}

/* linear_range_of() - the range of a row whose first entry is at 'start' of n_entries of all rows */
static inline int linear_range_of(int64_t start, int64_t n_entries)
{
	int range = n_entries > 0 ? (int)((double)start / (double)n_entries * LINEAR_RANGES) : 0;

	return range < LINEAR_RANGES ? range : LINEAR_RANGES - 1;
}

/*
 * Rows of a problem for the linear engine.  Owns its arrays, but those of the data where they are
 * 'shared'; a zeroed struct is empty.  Columns are numbered 0 .. d - 1 in the order that they have
 * in the data.  Rows are in the order of their lengths, so that the processor predicts where the
 * loop over a row's entries ends; shared ones are in the order of the data.  Entries of these may be
 * with other processes: val is NULL, and the products below are asked of 'helpers'.
 */
struct linear_rows {
	int64_t n, d;
	uint8_t *list;	/* list of each of the n rows */
	int64_t *order; /* order of the n rows: row i was row[order[i]] */
	bool shared; /* start and col belong to the data and are not written, and val unless 'centred' */
	bool centred;	/* values of shared rows, here or with helpers, are their own */
	int64_t *start; /* position of each row's first entry; n + 1 numbers */
	int32_t *col;	/* column numbers, start[n] of them, ascending within a row */
	double *val;	/* values, start[n] of them, centred */
	double *norm2;	/* squared norms of the n rows, centred */
	/* centre of each of the d columns: the mean of a column that all rows have, else 0 */
	double *centre;
	double unit; /* unit of the values, a power of 2: no |val| is larger */
	/*
	 * partial sums of several threads, LINEAR_LISTS x d numbers; during a round of
	 * linear_descend() the w of its lanes, so that no product may be asked for then
	 */
	double *partial;
	struct thread_team *team;	/* team of threads, borrowed; or NULL */
	struct linear_helpers *helpers; /* those that have the entries, borrowed; or NULL */
};

/*
 * linear_rows_init() - the n rows row[0], row[1], ... of 'x', reordered
 *
 * A copy; or 'x' itself, which must then outlive '*rows', if it is large, at most with values of its own.
 * Columns that do not occur are left out, but for a few of a large 'x'.  Columns that all rows have
 * are centred: with a free bias and sum beta = 0 that changes w.x by a constant only, and for
 * values far from 0 it saves digits.  O(entries) time and memory, whatever the number of columns.
 * Where x has no entries here, 'helpers' have them, and give them to x unless they can be shared.
 * Returns 0, or -1 with an error and '*rows' empty.
 */
int linear_rows_init(struct linear_rows *rows, const struct csr *x, const int64_t *row, int64_t n,
		     struct linear_helpers *helpers, struct error *err);

void linear_rows_free(struct linear_rows *rows);

/* linear_rows_centre() - values of their own for shared rows: less 'centre'; O(entries), ERR_MEMORY */
int linear_rows_centre(struct linear_rows *rows, const double *centre, struct error *err);

/* linear_rows_norm2() - squared norm of row i */
static inline double linear_rows_norm2(const struct linear_rows *rows, int64_t i)
{
	double sum = 0;

	for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++)
		sum += rows->val[k] * rows->val[k];
	return sum;
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

/*
 * linear_rows_take() - '*out' becomes the n rows of the list, in the columns of 'rows', wherever they are
 *
 * O(their entries).  Returns 0, or -1 with ERR_MEMORY and '*out' empty.
 */
int linear_rows_take(const struct linear_rows *rows, const int64_t *list, int64_t n,
		     struct csr *out, struct error *err);

/* ---- Some rows side by side, in single precision ---- */

/*
 * Coordinate descent and conjugate gradients pass over the same few rows many times, and what they
 * find need not be exact: the next gradient is computed from the rows in double precision.  A pack
 * has the entries of some rows, list by list, in 8 bytes instead of 12.  On
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
	/* where each list begins and ends, by its place: linear_list() */
	int64_t first[LINEAR_LISTS + 1];
	int64_t n_entries; /* entries of all its rows, also those with helpers; and parts, by these and d */
	int n_parts;
};

/*
 * linear_pack_fill() - '*pack' becomes the n rows list[0], list[1], ... of 'x', NULL: 0, 1, ..., those of
 * each of LINEAR_LISTS in this order; where they are elsewhere, those of this process
 *
 * Keeps its room for the next filling.  Returns 0, or -1 with ERR_MEMORY and the pack empty.
 */
int linear_pack_fill(struct linear_pack *pack, const struct linear_rows *x, const int64_t *list,
		     int64_t n, struct error *err);

/* linear_pack_take() - the same of rows that are elsewhere, all of which come here; without pack->row */
int linear_pack_take(struct linear_pack *pack, const struct linear_rows *x, const int64_t *list,
		     int64_t n, struct error *err);

void linear_pack_free(struct linear_pack *pack);

/* Arguments of linear_pack_square(). */
struct linear_square {
	const double *v; /* vector of d numbers; NULL: c_k = factor weight_k, and x_k squared */
	double b[2], factor;
	const double *weight; /* weight of each row of the pack; NULL: 1 for all */
	const uint8_t *side;  /* side of each of these, for its constant b[side]; NULL: 0 for all */
	struct linear_helpers *helpers; /* those that have rows of the pack, or NULL */
};

/*
 * A sum over the rows of a list, or over those of a pack.  Its pointers are borrowed.
 *
 * Part k of n_parts, a power of 2, has the lists that are k modulo n_parts, one after the other.
 */
struct linear_sum {
	const struct linear_rows *rows; /* sum of c[k] x_list[k], k < n_list; list NULL: x_k */
	const int64_t *list;
	int64_t n_list;
	const double *c;
	const struct linear_pack *pack; /* unless NULL: that of linear_pack_square() */
	const struct linear_square *product;
	int64_t d;
	double *w; /* d sums of each part; where there is one part it begins with 'out', and is that */
	double *out;		     /* where the total is added */
	double sum[LINEAR_LISTS][2]; /* of each part: sums of c by side, of a pack */
	int n_parts, first, step;    /* parts; first and step of those that are added up */
	struct linear_helpers *helpers;
};

/*
 * linear_sum_parts() - the parts of a sum, as far as their lists are here
 *
 * Where the number of processes divides n_parts each adds up its own, all in the part of its number.
 */
void linear_sum_parts(struct linear_sum *s, struct thread_team *team);

struct descent_rows;
struct descent_rounds;
struct linear_outer;

/*
 * The processes that have entries (ranks/rank_linear.h): process k those of the lists that are k modulo
 * 'size'.  Each call is for all of them, from process 0, which is this one.
 */
struct linear_helpers {
	int rank, size; /* number of this process, and number of processes */
	struct error
		err; /* the first failure of a request that has no place for it: then all do nothing */
	double *norm2; /* squared norms of all rows */
	/*
	 * a problem begins: count[j] becomes how many rows have column j;
	 * bring: their entries come here, into the matrix
	 * centre: linear_rows_centre() of all, whose squared norms these become
	 */
	int (*open)(struct linear_helpers *h, int64_t *count, struct error *err);
	int (*bring)(struct linear_helpers *h, struct error *err);
	int (*centre)(struct linear_helpers *h, const double *centre, double *norm2,
		      struct error *err);
	/* linear_rows_times(), linear_rows_take() and linear_pack_fill() of all */
	void (*times)(struct linear_helpers *h, const int64_t *list, int64_t n, const double *w,
		      double b, double *out);
	int (*take)(struct linear_helpers *h, const int64_t *list, int64_t n, struct csr *out,
		    struct error *err);
	int (*pack)(struct linear_helpers *h, struct linear_pack *pack, const int64_t *list,
		    int64_t n, struct error *err);
	/* linear_sum_parts() of all; s->n_parts are then those that are left to be added up here */
	void (*sum)(struct linear_helpers *h, struct linear_sum *s);
	/* linear_direction_add() of all */
	void (*outer)(struct linear_helpers *h, struct linear_outer *outer, const int64_t *list,
		      const double *sign, int64_t n);
	/* linear_rounds_run() */
	void (*rounds)(struct linear_helpers *h, struct descent_rounds *r);
	/* on all of them: bytes from who has list 'from' to who has list 'to', or to all where that is < 0 */
	void (*hand_on)(struct linear_helpers *h, int from, int to, void *data, int64_t n_bytes);
};

/*
 * linear_pack_square() - out += sum_k c_k x_k, c_k = factor weight_k (x_k.v + b), on the threads of
 * 'team'
 *
 * sum[s] becomes the sum of c_k over the rows of side s.  'room' is for LINEAR_LISTS x d
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

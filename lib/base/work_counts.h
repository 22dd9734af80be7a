/*
 * work_counts.h - the work of a training, counted: kernel values, and entries of rows
 *
 * Counts say what a training costs where seconds do not: they are the same on any machine, with any
 * number of threads and with any instruction set.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

/* Purposes of kernel values: a part of work for a later purpose is for that purpose, too. */
enum work_purpose {
	WORK_OPTIMISING, /* rows of SMO, and sums that carry a core's changes to all members */
	WORK_DECISIONS,	 /* decision values that choose the examples to go on with */
	WORK_PROOFS,	 /* decision values of all examples */
	WORK_ROUNDING	 /* bounds of what rounding has done to primal and dual */
};

#define WORK_N_PURPOSES (WORK_ROUNDING + 1)

/* Kinds of kernel values. */
enum work_kind {
	WORK_FLOATS,  /* computed in single precision */
	WORK_DOUBLES, /* computed in double precision, if perhaps rounded to floats then */
	WORK_KEPT     /* not computed: read from a matrix or a row that has been kept */
};

#define WORK_N_KINDS (WORK_KEPT + 1)

/* struct work_counts - counts of one training; zeroed: nothing yet */
struct work_counts {
	atomic_llong values[WORK_N_PURPOSES][WORK_N_KINDS]; /* kernel values */
	atomic_llong entries; /* entries of rows that products and sums of weights met */
	/* least kernel values and entries, see work_count_floor() */
	atomic_llong floor_values, floor_entries;
};

/* struct work_scope - counts that a thread adds to, borrowed, NULL: none; and what its work is for */
struct work_scope {
	struct work_counts *counts;
	enum work_purpose purpose;
};

/*
 * work_scope() - what counts the work of this thread from now on, and that of the threads it starts;
 * returns the one before, to be put back
 *
 * work_of_scope() - the one of this thread
 */
struct work_scope work_scope(struct work_scope scope);
struct work_scope work_of_scope(void);

/* work_begin() - work for 'purpose' begins; returns the scope before, for work_scope() at its end */
struct work_scope work_begin(enum work_purpose purpose);

/*
 * work_count() - n kernel values; work_count_entries() - n entries
 *
 * For whole requests or tiles: a call takes as long as some ten kernel values.
 */
void work_count(enum work_kind kind, int64_t n);
void work_count_entries(int64_t n);

/*
 * work_count_floor() - least work of a problem of n examples, by its solution
 *
 * n n_sv + n_free^2 / 2 kernel values: a proof has the decision values of all examples, and the
 * multipliers that are not at a bound solve a system of their kernel matrix.  Where 'entries' is not
 * 0, for weights of a linear kernel: that many entries.
 */
void work_count_floor(int64_t n, int64_t n_sv, int64_t n_free, int64_t entries);

/* work_of_kind() - kernel values of a kind, for all purposes */
int64_t work_of_kind(const struct work_counts *w, enum work_kind kind);

/* work_floor() - the floor in kernel values and entries; 0: nothing is counted */
int64_t work_floor(const struct work_counts *w);

/*
 * work_per_floor() - kernel values computed, and entries, over the floor, which is not 0
 *
 * Either counts only if some problem has a floor in it: entries of what a polynomial kernel makes of
 * rows are far less work than the kernel values that they stand for.
 */
double work_per_floor(const struct work_counts *w);

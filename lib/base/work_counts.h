/*
 * work_counts.h - the work of a training, counted: kernel values, and entries of rows
 *
 * Counts say what a training costs where seconds are too noisy to: they are the same each time, for any
 * number of threads, and on any machine but for the steps that another rounding makes (1 %).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

/* Purposes of work: a part of work for a later purpose is for that purpose, too. */
enum work_purpose {
	WORK_OPTIMISING, /* rows of SMO, and sums that carry a core's changes to all members */
	WORK_DECISIONS,	 /* decision values that choose the examples to go on with */
	WORK_PROOFS,	 /* decision values of all examples */
	WORK_ROUNDING,	 /* bounds of what rounding has done to primal and dual */
	/* of the best solution so far, at times that the clock says: not told, as it differs each time */
	WORK_LOOKS
};

#define WORK_N_PURPOSES (WORK_ROUNDING + 1) /* purposes that are told */

enum work_kind {
	WORK_FLOATS,  /* kernel values computed in single precision */
	WORK_DOUBLES, /* computed in double precision, if perhaps rounded to floats then */
	WORK_KEPT,    /* kernel values read from a matrix or a row that has been kept */
	WORK_ENTRIES, /* entries of rows in products with weights, and in sums of weights */
	/* least kernel values, or entries, of a problem with its solution: not work that is done */
	WORK_LEAST_VALUES,
	WORK_LEAST_ENTRIES
};

#define WORK_N_KINDS (WORK_ENTRIES + 1) /* kinds of work that is done */

/* struct work_counts - counts of one training; zeroed: nothing yet */
struct work_counts {
	atomic_llong of[WORK_LOOKS + 1][WORK_LEAST_ENTRIES + 1];
};

/* struct work_scope - counts that a thread adds to, borrowed, NULL: none; and what its work is for */
struct work_scope {
	struct work_counts *counts;
	enum work_purpose purpose;
};

/*
 * work_begin() - 'scope' is that of this thread from now on, and of the threads it starts; returns the
 * one before, which work_end() puts back
 *
 * work_for() - the scope of this thread, for 'purpose'
 */
struct work_scope work_begin(struct work_scope scope);
void work_end(const struct work_scope *before);
struct work_scope work_for(enum work_purpose purpose);

/* WORK_SCOPE() - a declaration: the scope of the rest of its block */
#define WORK_SCOPE(scope) \
	struct work_scope work_before __attribute__((cleanup(work_end), unused)) = work_begin(scope)

/* work_count() - count n of a kind; for whole requests or tiles, as a call takes some 10 ns */
void work_count(enum work_kind kind, int64_t n);

/*
 * struct work_sums - sums over the purposes that are told; floor: the least kernel values and entries
 * of all problems, 0 where nothing is counted; per_floor: kernel values computed, and entries, over it
 *
 * Either counts only if some problem has a floor in it: entries of what a polynomial kernel makes of
 * rows are far less work than the kernel values that they stand for.
 */
struct work_sums {
	int64_t of[WORK_LEAST_ENTRIES + 1], floor;
	double per_floor;
};

struct work_sums work_sums(const struct work_counts *w);

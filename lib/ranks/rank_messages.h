/*
 * rank_messages.h - what rank 0 and the other ranks say to each other (rank_sums.h)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "kernel/float_vectors.h"
#include "matrix/csr.h"
#include "ranks/rank_group.h"

/*
 * Commands that rank 0 announces.  After a command that takes memory the other ranks say that they
 * are ready, or why not: rank_goes_on(), all_ready() of rank_sums.c.
 */
enum rank_command {
	RANK_MEMORY, /* bound of memory and folder follow, for mem_set_bound() */
	RANK_ROWS,   /* rows follow, for the evaluators to keep */
	RANK_SUMS,   /* vectors follow; sums of rows are the answer */
	RANK_END
};

struct rank_message {
	enum rank_command command;
	int status;	/* exit status of the program, in RANK_END */
	int n_threads;	/* threads to compute sums on; 0: one for each core of the rank */
	bool in_floats; /* the rows or vectors are a struct float_vectors, not a struct csr */
	/* form of the rows or vectors in floats; its pointers mean nothing to other ranks */
	struct float_vectors form;
	struct kernel kernel; /* kernel of sums in doubles */
	int64_t n_cols;	      /* columns of the rows or vectors in doubles */
	int64_t block;	      /* rows that are sent at a time, in RANK_ROWS */
	int64_t bytes;	      /* bound of memory in bytes, in RANK_MEMORY */
	int64_t n, n_values;  /* number of vectors, and of their entries or elements */
};

/*
 * Part of a single evaluator: its rows to keep and their entries, or rows to sum for and their
 * runs.
 */
struct rank_part {
	int64_t n, n_values, n_runs;
};

/* A run of rows first .. first + n - 1 of an evaluator; a message holds RANK_RUNS of them. */
struct rank_run {
	int64_t first, n;
};

#define RANK_RUNS 1024

/* Bytes of the folder's name that follows RANK_MEMORY. */
#define RANK_FOLDER 4096

/* Answer of a rank: ready for the data, or finished with the sums, or failed. */
struct rank_answer {
	struct error err;	  /* failure; its code is ERR_NONE if all is well */
	double sum_seconds;	  /* seconds that this rank has summed since its last answer */
	double cpu_seconds;	  /* processor seconds of this rank's process so far */
	int64_t peak_array_bytes; /* peak number of bytes in arrays so far, see mem_usage() */
};

/* rank_answer() - send rank 0 the error, if any, and the seconds that sums took */
void rank_answer(struct rank_group *g, const struct error *err, double sum_seconds);

/* rank_goes_on() - tell rank 0 whether this rank is ready; true if all ranks are ready */
bool rank_goes_on(struct rank_group *g, const struct error *err);

/*
 * Rows in one of their forms: 'start' is NULL where each has n_cols values without column numbers;
 * col, norm2 are NULL where rows have none.  Borrowed.
 */
struct row_arrays {
	int64_t n_cols;
	int64_t *start;
	int32_t *col;
	void *val, *norm2;
	int64_t value_size, norm_size;
};

struct row_arrays row_arrays_of_floats(const struct float_vectors *v);
struct row_arrays row_arrays_of_csr(const struct csr *x);

/* row_arrays_values() - number of values of rows first .. first + n - 1 */
int64_t row_arrays_values(const struct row_arrays *a, int64_t first, int64_t n);

/* In place of a rank: all ranks but rank 0. */
#define RANK_ALL (-1)

/*
 * rank_move_rows() - move rows first .. first + n - 1 from rank 0 to another rank, or to RANK_ALL
 *
 * Rank 0 and those who receive make the same call.  The receiver has room for the rows, which may
 * have other numbers there, and has the rows before them already, so that a->start[first] is right.
 */
void rank_move_rows(struct rank_group *g, const struct row_arrays *a, int64_t first, int64_t n,
		    int to);

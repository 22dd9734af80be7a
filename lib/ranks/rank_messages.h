/*
 * rank_messages.h - what rank 0 and the other ranks say to each other (rank_rows.h)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/float_vectors.h"
#include "ranks/rank_group.h"

/* Commands that rank 0 announces. */
enum rank_command {
	RANK_SETTLE,  /* bound of memory and threads; the folder of files follows: rank_service.h */
	RANK_READ,    /* rows of a file, which all ranks read or rank 0 deals out: rank_reading.h */
	RANK_BRING,   /* rank 0 wants the entries of all rows: rank_rows.h */
	RANK_FLOATS,  /* make the rows ready in single precision: rank_floats.h */
	RANK_GATHER,  /* rank 0 wants some rows: rank_choice.h */
	RANK_SUMS,    /* rank 0 wants sums over vectors: rank_sums.h */
	RANK_ARRANGE, /* lists of rows of a linear problem go to their ranks: rank_rows.h */
	RANK_OPEN,    /* rank 0 trains a linear machine: rank_linear.h */
	RANK_CENTRE,
	RANK_TIMES,
	RANK_SUM,
	RANK_FILL,
	RANK_OUTER,
	RANK_ROUNDS,
	RANK_PAIRS, /* train some pairs of classes, with all rows: train/dealt_pairs.h */
	RANK_END
};

struct rank_message {
	enum rank_command command;
	int status;	 /* exit status of the program, in RANK_END */
	int n_threads;	 /* threads to work on; 0: one for each core of the rank */
	bool in_floats;	 /* rows, vectors in single precision */
	bool exact_sums; /* sums of values in floats are in doubles throughout */
	struct kernel kernel;
	int64_t n, block; /* number of vectors, and of those that are sent at a time */
	int64_t bytes;	  /* bound of memory in bytes, in RANK_SETTLE */
};

/*
 * A run of n rows, 'skip' rows behind the run before, both at most 'most' of the group; a message
 * holds RANK_RUNS of them.
 */
struct rank_run {
	int32_t skip, n;
};

#define RANK_RUNS 512

/* Bytes of the name of a folder in messages. */
#define RANK_FOLDER 4096

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

/* row_arrays_start() - position of the first value of a row, or of the end of the row before */
static inline int64_t row_arrays_start(const struct row_arrays *a, int64_t row)
{
	return a->start ? a->start[row] : row * a->n_cols;
}

/* In place of a rank: all ranks. */
#define RANK_ALL (-1)

/*
 * n elements on their way: elements at, at + 1, ... of an array of rank 'from' become elements first,
 * first + 1, ... of one of rank 'to', which may be the same rank or RANK_ALL
 */
struct rank_move {
	int from, to;
	int64_t at, first, n;
};

/*
 * rank_move_elements() - move elements of 'size' bytes from 'own' to 'all'
 *
 * 'own' is read on rank 'from' alone, and 'all' is written where they go; other ranks may make the
 * same call, and do nothing.
 */
void rank_move_elements(struct rank_group *g, struct rank_move m, const void *own, void *all,
			int64_t size);

/*
 * rank_move_rows() - the same with rows, of 'own' and 'all'
 *
 * Where they go there is room for them, and the rows before them are there already, so that
 * all->start[m.first] is right.
 */
void rank_move_rows(struct rank_group *g, struct rank_move m, const struct row_arrays *own,
		    const struct row_arrays *all);

/* rank_announce() - on rank 0: tell the other ranks, which await it; they do nothing here */
void rank_announce(struct rank_group *g, struct rank_message m);

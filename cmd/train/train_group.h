/*
 * train_group.h - in what randsvm-train and randsvm-train-mpi differ
 *
 * Both have the main() of randsvm-train.c.  train_variant is defined twice: in train_group.c, which
 * the library of cmd/ has, and in cmd/mpi/randsvm-train-mpi.c, which is linked in its place.  (Tests
 * have one that shares the least of sums.)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "ranks/rank_group.h"

struct train_variant {
	const char *name; /* name of the program */
	bool is_mpi;
	struct rank_group (*start)(int *argc, char ***argv);
	void (*end)(void);
	int64_t block;	    /* number of rows that are dealt at a time */
	int64_t least_part; /* least bytes of a part of a file, which a rank reads */
	int64_t least_rows; /* rows, of which more may stay with the ranks that read them */
};

extern const struct train_variant train_variant;

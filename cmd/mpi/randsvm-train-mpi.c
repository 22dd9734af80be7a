/*
 * randsvm-train-mpi.c - randsvm-train on all ranks of an MPI program
 *
 * The main() is that of cmd/train/randsvm-train.c; see cmd/train/train_group.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "group_mpi.h"
#include "ranks/rank_reading.h"
#include "smo/smo_sets.h"
#include "../train/train_group.h"

const struct train_variant train_variant = { "randsvm-train-mpi", true,
					     group_mpi_start,	  group_mpi_end,
					     RANK_READING_BLOCK,  RANK_READING_LEAST,
					     SMO_WHOLE_ROWS };

/*
 * train_group.c - randsvm-train, the program without MPI: a process alone
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train_group.h"

#include "ranks/row_ranks.h"

static struct group start(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return group_alone();
}

static void end(void)
{
}

const struct train_variant train_variant = { "randsvm-train",	   false,	   start, end,
					     ROW_RANKS_LEAST_WORK, ROW_RANKS_BLOCK };

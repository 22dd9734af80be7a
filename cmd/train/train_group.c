/*
 * train_group.c - randsvm-train, the program without MPI: a process alone
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train_group.h"

#include "ranks/rank_reading.h"
#include "smo/smo_sets.h"

static struct rank_group start(int *argc UNUSED, char ***argv UNUSED)
{
	return (struct rank_group){ .size = 1, .size_on_node = 1 };
}

static void end(void)
{
}

const struct train_variant train_variant = {
	"randsvm-train", false, start, end, RANK_READING_BLOCK, RANK_READING_LEAST, SMO_WHOLE_ROWS
};

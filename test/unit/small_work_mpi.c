/*
 * small_work_mpi.c - randsvm-train-mpi on little data as on much; test/mpi.sh
 *
 * It deals blocks of 64 rows, reads parts of 40 bytes, sends messages of 9999, and has any number of
 * rows on ranks.
 *
 * TEST_BASELINE_RANK is a rank on a machine that has the baseline instructions alone; -1: all are.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdlib.h>

#include "base/instruction_set.h"
#include "group_mpi.h"
#include "train_group.h"

static struct rank_group start(int *argc, char ***argv)
{
	struct rank_group g = group_mpi_start(argc, argv);
	const char *rank = getenv("TEST_BASELINE_RANK");

	g.most = 9999;
	if (rank && (atoi(rank) == g.rank || atoi(rank) < 0))
		instruction_set_limit(INSTRUCTION_SET_BASELINE);
	return g;
}

const struct train_variant train_variant = {
	"randsvm-train-mpi", true, start, group_mpi_end, 64, 40, 0
};

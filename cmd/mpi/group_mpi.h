/*
 * group_mpi.h - the ranks of an MPI program as a group
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "ranks/rank_group.h"

/* group_mpi_start() - MPI_Init(), and the group of all its ranks; a failure of MPI ends them all */
struct rank_group group_mpi_start(int *argc, char ***argv);

/* group_mpi_end() - MPI_Finalize(); all ranks call it, and none of the group's calls after it */
void group_mpi_end(void);

/*
 * kernel_dispatch.c - the best copies of the tiles for this machine
 *
 * How this works.  Each HOT_LOOP() of the headers defines a function here that calls the copy
 * compiled for the newest instruction set that this machine has (base/instruction_set.h).  Copies
 * of kernel_tile.c and node_tile.c give the same bits; those of float_tile.c may
 * differ in the last one.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define HOT_DISPATCH
#include "kernel/factor_loops.h"
#include "kernel/float_tile.h"
#include "kernel/kernel_tile.h"
#include "kernel/node_tile.h"

/*
 * linear_dispatch.c - the best copy of linear_loops.c for this machine
 *
 * How this works.  linear_loops.c is compiled once for each instruction set, each copy with names
 * of its own.  Each HOT_LOOP() of linear_loops.h defines a function here that calls the copy of the
 * instruction set in use (base/instruction_set.h).  All copies give the same bits.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define HOT_DISPATCH
#include "linear/linear_loops.h"

/*
 * project_dispatch.c - the best copies of the hot loops of this folder for this machine
 *
 * Each HOT_LOOP() of project_loops.h defines a function here that calls the copy compiled for the
 * newest instruction set that this machine has.  All copies give the same bits.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define HOT_DISPATCH
#include "project/project_loops.h"

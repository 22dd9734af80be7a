/*
 * smo_dispatch.c - the best copy of smo_loops.c for this machine
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define HOT_DISPATCH
#include "smo/smo_loops.h"

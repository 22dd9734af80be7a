/*
 * rng_dispatch.c - the best copy of rng_loops.c for this machine
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define HOT_DISPATCH
#include "base/rng_fill.h"

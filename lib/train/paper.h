/*
 * paper.h - training by random working sets as published
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_PAPER_H
#define RANDSVM_PAPER_H

#include "base/error.h"
#include "problem/solver.h"
#include "train/rounds.h"

/*
 * paper_solve() - randsvm_solve() in modes paper and reweight
 *
 * And in mode exact with a solver that does not start warm: T grows by violators until there
 * are none.
 */
int paper_solve(struct randsvm_task *task, struct error *err);

#endif

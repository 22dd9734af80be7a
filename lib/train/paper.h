/*
 * paper.h - the published algorithms of training by random working sets
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
 * Also mode exact with a solver that has no warm start: the working set then grows by violators
 * until no example violates.
 */
int paper_solve(struct randsvm_task *task, struct error *err);

#endif

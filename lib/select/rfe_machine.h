/*
 * rfe_machine.h - the linear machine that recursive elimination trains: C-SVC or epsilon-SVR
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_RFE_MACHINE_H
#define RANDSVM_RFE_MACHINE_H

#include <stdint.h>

#include "base/error.h"
#include "problem/solver.h"
#include "select/rfe.h"

/*
 * struct rfe_machine - one binary or regression problem on the rows to be selected on
 *
 * 'problem' is borrowed: type, target, C, epsilon, and which rows of the matrix its n examples
 * are.  Its x, x_float and gram are not used: each step has its own.
 */
struct rfe_machine {
	struct problem_view problem;
	double eps;		/* of the KKT conditions, as svm-train's -e */
	uint64_t seed;
	int n_threads;
	const struct interruption *interruption;	/* or NULL */
	int64_t n_iterations;	/* taken so far; 0 at first */
	double rho;		/* of the last training; 0 at first */
};

/*
 * rfe_machine_train() - train 'm' on the examples of 'step', from 'beta' and 'f' (n rows each)
 *
 * To within m->eps of the KKT conditions.  With products at hand by smo_run() from the multipliers
 * of the step before, on those free or near to violating and whoever turns out to violate, which
 * takes few steps where little has changed; without products, or where it comes to no end in 100
 * steps an example, by exact_solve_linear().  With one class alone beta stays 0.  Fails as these
 * do, or with ERR_INTERRUPTED.
 */
int rfe_machine_train(struct rfe_machine *m, const struct rfe_step *step, double *beta, double *f,
		      struct error *err);

/*
 * rfe_machines_train() - the same for an array of machines, as rfe_trainer.train wants it
 *
 * 'arg' is a struct rfe_machines.
 */
struct rfe_machines {
	int n;
	struct rfe_machine *machine;
};

int rfe_machines_train(void *arg, const struct rfe_step *step, double *beta, double *f,
		       struct error *err);

#endif

/*
 * rfe_machine.h - the linear machine that recursive elimination trains: C-SVC or epsilon-SVR
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_RFE_MACHINE_H
#define RANDSVM_RFE_MACHINE_H

#include <stdint.h>

#include "base/error.h"
#include "matrix/dataset.h"
#include "problem/classes.h"
#include "problem/problem.h"
#include "problem/solver.h"
#include "problem/training.h"
#include "select/rfe.h"

/*
 * struct rfe_machine - one binary or regression problem on the rows to be selected on
 *
 * 'problem' is borrowed: type, target, C, epsilon, and which rows of the matrix its n examples
 * are.  Its x, x_float and gram are not used: each step has its own.
 */
struct rfe_machine {
	struct problem_view problem;
	double eps; /* of the KKT conditions, as svm-train's -e */
	uint64_t seed;
	int n_threads;
	const struct interruption *interruption; /* or NULL */
	int64_t n_iterations;			 /* taken so far; 0 at first */
	double rho;				 /* of the last training; 0 at first */
};

/*
 * rfe_machine_train() - train 'm' on the examples of 'step', from 'beta' and 'f' (n rows each)
 *
 * To within m->eps of the KKT conditions.  With products (step->gram) smo_run() starts from the
 * multipliers of the step before, on a working set of examples that are free, nearly violate, or
 * turn out to violate; that takes few steps if little has changed.  Without products, or if 100
 * steps an example are not enough, exact_solve_linear() trains.  With one class alone beta stays
 * 0.  Fails as these do, or with ERR_INTERRUPTED.
 */
int rfe_machine_train(struct rfe_machine *m, const struct rfe_step *step, double *beta, double *f,
		      struct error *err);

/*
 * struct rfe_machines - those of a data set: one for each pair of classes, or one for its targets
 *
 * 'problem' is what the machines view, where rfe_machines_init() made them; else NULL.
 */
struct rfe_machines {
	int n;
	struct rfe_machine *machine; /* n */
	struct problem *problem;     /* n, or NULL */
};

/*
 * rfe_machines_init() - the machines of 'd' for training 't' into the empty '*all'
 *
 * C-SVC for each pair of the classes of 'd', or one epsilon-SVR, with the C, weights, p and eps of
 * 't'.  Seeds are 0 and threads 1 until the caller sets them.  'd' is borrowed.  Fails with
 * ERR_MEMORY, or ERR_FORMAT (a label that is no class); free '*all' then too.
 */
int rfe_machines_init(struct rfe_machines *all, const struct dataset *d, const struct training *t,
		      struct error *err);

void rfe_machines_free(struct rfe_machines *all);

/*
 * rfe_machines_train() - rfe_machine_train() for each machine: a function for rfe_trainer.train
 *
 * 'arg' is a struct rfe_machines.
 */
int rfe_machines_train(void *arg, const struct rfe_step *step, double *beta, double *f,
		       struct error *err);

#endif

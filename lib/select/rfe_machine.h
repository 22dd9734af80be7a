/*
 * rfe_machine.h - the linear machines that recursive elimination trains: C-SVC or epsilon-SVR
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "matrix/dataset.h"
#include "problem/classes.h"
#include "problem/problem.h"
#include "problem/training.h"
#include "select/rfe.h"

/*
 * struct rfe_machines - those of a data set: one for each pair of classes, or one for its targets
 *
 * What is kept from one training to the next are multipliers, of each machine those of its own
 * examples, and constants.  The problem of a machine is there while it is trained.
 */
struct rfe_machines {
	int64_t n;
	const struct dataset *data; /* data of the elimination; borrowed */
	/* parameters of training: C, weights, p, and eps of the KKT conditions */
	struct training training;
	struct classes classes; /* classes of the data, for C-SVC */
	uint64_t seed;
	int n_threads;
	double *beta; /* multipliers of one machine after the other, in the order of its examples */
	double *rho;  /* constants of the machines, n */
	int64_t n_iterations; /* number of iterations of all machines so far */
};

/*
 * rfe_machines_init() - the machines of 'd' for training 't' into the empty '*all'
 *
 * C-SVC for each pair of the classes of 'd', none if there is one class, or one epsilon-SVR, with
 * the C, weights, p and eps of 't'.  Seeds are 0 and threads 1 until the caller sets them.  'd' is
 * borrowed, and so are the weights.  Memory: 8 bytes a pair, and 8 (classes - 1) a row.  Fails with
 * ERR_MEMORY, or ERR_FORMAT (a label that is no class); free '*all' then too.
 */
int rfe_machines_init(struct rfe_machines *all, const struct dataset *d, const struct training *t,
		      struct error *err);

void rfe_machines_free(struct rfe_machines *all);

/*
 * struct rfe_visitor - what is told of each machine trained: its problem and weights, by column,
 * and the scores, to which it may add
 */
struct rfe_visitor {
	int (*visit)(void *arg, const struct problem_view *p, const double *w, double *score,
		     struct error *err);
	void *arg;
	double *score; /* scores by column; or NULL */
};

/*
 * rfe_machines_train() - train all on the examples of 'step', from the multipliers before
 *
 * To within eps of the KKT conditions.  With products (step->gram) smo_run() starts from the
 * multipliers of the step before, on a working set of examples that are free, nearly violate, or
 * turn out to violate; that takes few steps if little has changed.  Without products, or if 100
 * steps an example are not enough, exact_solve_linear() trains.
 *
 * 'visitor' is called for each machine in the order of the pairs, once it is trained; weights of
 * columns dropped are 0.  Memory beside: that of one machine, and 8 bytes a row and a column.
 * Fails as these do, as the visitor does, or with ERR_INTERRUPTED.
 */
int rfe_machines_train(struct rfe_machines *all, const struct rfe_step *step,
		       const struct rfe_visitor *visitor, struct error *err);

/*
 * rfe_machines_score() - train, and score[j] = sum_m w_mj^2: a function for rfe_trainer.score
 *
 * 'arg' is a struct rfe_machines.  Errors as above.
 */
int rfe_machines_score(void *arg, const struct rfe_step *step, double *score, struct error *err);

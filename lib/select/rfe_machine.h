/*
 * rfe_machine.h - the linear machines that recursive elimination trains: C-SVC or epsilon-SVR
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

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

struct radius_margin {
	struct rfe_machines *machines; /* machines to be trained; borrowed */
	int n_threads;		       /* number of threads for finding the balls */
	/* sum |w_m|^2 over the machines of the last scores; 0: scores give no order */
	double norm2;
};

/*
 * radius_margin_scores() - the size of the bound's derivative by the square of each feature's scale
 * radius_margin_add() - that of one machine, of problem 'p' with weights 'w', added to 'score', and
 * |w|^2 to r->norm2
 *
 * Let machine m have the rows x_i with the multipliers beta_i, R_m be the radius of the smallest
 * ball around these rows, with the centre c_m = sum_i u_i x_i, and feature j have the scale
 * sqrt(s_j), 1 at first.  R_m^2 |w_m|^2 bounds the errors of leaving one row out, where no row has
 * slack.  Where rows have slack let it stay as it is.  Then
 *
 *     B_m(s)      = R_m^2 |w_m|^2
 *     -dB_m/ds_j  = R_m^2 w_mj^2 - |w_m|^2 V_mj,     score_j = sum_m |dB_m/ds_j|
 *     V_mj        = sum_i u_i (x_ij - c_mj)^2,       w_mj = sum_i beta_i x_ij
 *
 * To first order B_m grows by -dB_m/ds_j when feature j is taken out.  In units of B_m that is the
 * feature's share of |w_m|^2 less its share of R_m^2: over all features it adds up to 0, and it
 * does not depend on the unit of the values.
 *
 * The machines are trained first, by rfe_machines_train().  Functions for rfe_trainer.score and
 * rfe_visitor.visit; 'arg' is a struct radius_margin.  'w' and 'score' have a number for each column.  Balls to a relative
 * 1e-6 of their radius: a few passes over the entries each, on rows of high dimension some dozens.
 * The bits do not depend on n_threads.  Fails with ERR_MEMORY, ERR_NUMERIC where distances are not
 * finite, or as the training.
 *
 * Source: Weston, Mukherjee, Chapelle, Pontil, Poggio, Vapnik 2000, Feature selection for SVMs,
 * Advances in Neural Information Processing Systems 13, whose scales descend along this gradient;
 * Rakotomamonjy 2003, Variable selection using SVM-based criteria, Journal of Machine Learning
 * Research 3, who eliminates by the sensitivity of bounds.
 */
int radius_margin_scores(void *arg, const struct rfe_step *step, double *score, struct error *err);
int radius_margin_add(void *arg, const struct problem_view *p, const double *w, double *score,
		      struct error *err);

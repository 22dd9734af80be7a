/*
 * radius_margin.h - how much each feature changes the radius-margin bound of linear machines
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/error.h"
#include "select/rfe.h"
#include "select/rfe_machine.h"

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

/*
 * decision.h - decision values of a problem's examples
 *
 *     f_i = sum_j beta_j K(x_j, x_i)      without the constant
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_DECISION_H
#define RANDSVM_DECISION_H

#include <stdint.h>

#include "base/error.h"
#include "kernel/expansion.h"
#include "problem/problem.h"

/*
 * struct decision - the support vectors of some beta, ready to meet examples
 *
 * Kernel values are single precision where that suffices, else double; what is summed
 * over vectors is double.  Borrows the problem.
 */
struct decision {
	const struct problem_view *p;
	int64_t n_vectors;
	bool in_floats;
	struct float_vectors vectors; /* in single precision */
	double *coef;
	struct csr sv;		    /* double: what the expansion may borrow */
	struct expansion expansion; /* double */
};

/*
 * decision_init() - gather the vectors with beta != 0
 *
 * Single precision suffices where the expected error of f is a small part of 'tolerance':
 * kernel values have independent errors of about 1e-7 sqrt(K_ii K_jj), so f_i has
 * 1e-7 sqrt(K_ii) |(beta_j sqrt(K_jj))_j|.  A linear kernel is folded to weights, in double.
 * O(n + entries of the vectors).
 */
int decision_init(struct decision *d, const struct problem_view *p, const double *beta,
		  double tolerance, struct error *err);

void decision_free(struct decision *d);

/*
 * decision_evaluate() - f[position[i]] for i < n, or f[i] for all i < p->n where 'position' is NULL
 *
 * A value depends neither on the other positions nor on n_threads.
 * O(n n_vectors) kernel values.
 */
int decision_evaluate(const struct decision *d, const int64_t *position, int64_t n, double *f,
		      int n_threads, struct error *err);

/*
 * decision_values() - f[i] of all p->n examples for 'beta', exact enough for a certificate too
 *
 * The three above in one; in double precision where sum beta_i f_i would not be within 2e-6
 * of the dual.
 */
int decision_values(const struct problem_view *p, const double *beta, double tolerance, double *f,
		    int n_threads, struct error *err);

/*
 * decision_choose_precision() - p->x_float becomes NULL where single precision is not enough
 *
 * Returns whether it is, be p->x_float there or not: whether what one multiplier may add to a
 * decision value has an error within 'eps',
 *
 *     1e-7 max_i |K(x_i, x_i)| max(C_plus, C_minus) <= eps
 *
 * Otherwise an optimisation chases the rounding errors of multipliers it starts from.
 * O(n), and O(entries) where p->norm2 is not there.
 */
bool decision_choose_precision(struct problem_view *p, double eps);

#define DECISION_MOST_CORRECTIONS 4

/* Decision values that are kept up with multipliers that change.  Owns its arrays. */
struct decision_history {
	int64_t n;
	double *beta, *f; /* as evaluated last; at first all 0 */
	double *change;
	int n_corrections; /* since the last evaluation from scratch */
	bool corrects;
};

int decision_history_init(struct decision_history *h, int64_t n, struct error *err);

void decision_history_free(struct decision_history *h);

/*
 * decision_changes() - whose sums bring decision values up to 'beta': what changed, or all of
 * 'beta'
 *
 * The caller computes f_i = sum_j coef_j K(x_j, x_i) for the coefficients returned;
 * decision_add_changes() makes the decision values of beta of it.
 */
const double *decision_changes(struct decision_history *h, const double *beta);
void decision_add_changes(struct decision_history *h, const double *beta, double *f);

/*
 * decision_update() - x->f by decision_values() for x->beta, from the multipliers that changed if few
 *
 * Both ways are sums, in double precision, of kernel values good enough for 'tolerance'.  The
 * errors of corrections add up: after DECISION_MOST_CORRECTIONS of them it is from scratch again.
 */
int decision_update(struct decision_history *h, const struct problem_view *p, struct iterate *x,
		    double tolerance, int n_threads, struct error *err);

/* decision_float_suffices() - would decision_values() use kernel values in single precision? */
bool decision_float_suffices(const struct problem_view *p, const double *beta, double tolerance);

#endif

/*
 * decision.h - decision values of a problem's examples
 *
 *     f_i = sum_j beta_j K(x_j, x_i)
 *
 * These are decision values without the constant: -rho is not added.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/checkpoint.h"
#include "problem/problem.h"

/* A multiplier of an example, or a change of one. */
struct decision_term {
	int64_t example; /* first, for order_int64s() */
	double coef;	 /* coefficient, not 0 */
};

/*
 * decision_init_terms() - sums that are the decision values of n terms, by ascending examples
 *
 * In single precision where the problem has rows in it.  O(n + entries of the vectors), where n is
 * far below p->n.
 */
int decision_init_terms(struct kernel_sums *sums, const struct problem_view *p,
			const struct decision_term *term, int64_t n, struct error *err);

/*
 * decision_may_use_floats() - may decision values be sums of kernel values in single precision?
 *
 * Of any tolerance, those of rows that SMO has in single precision among them.
 */
bool decision_may_use_floats(const struct problem_view *p);

/* decision_in_floats() - will decision_of_rows() choose single precision? */
bool decision_in_floats(const struct problem_view *p, const double *beta, double tolerance);

/* Positions of n different examples, or NULL for all, and how to evaluate these. */
struct decision_rows {
	const int64_t *position;
	int64_t n;
	double tolerance;
	int n_threads;
};

/*
 * decision_of_rows() - decision values of the rows for 'beta', by kernel_sums_evaluate()
 *
 * By kernel values in single precision if the expected error of f is at most an eighth of the
 * tolerance.  Float kernel values K_ij have independent errors of about u sqrt(K_ii K_jj), so f_i
 * has the error u sqrt(K_ii) |(beta_j sqrt(K_jj))_j|; u is measured, see decision.c.  For a linear
 * kernel the expansion is one vector of weights, in double precision.  Elements of f that are not of
 * the rows are as they were.
 */
int decision_of_rows(const struct problem_view *p, const double *beta,
		     const struct decision_rows *rows, double *f, struct error *err);

/*
 * decision_values() - f[i] of all p->n examples for 'beta', exact enough for a certificate too
 *
 * Does decision_of_rows().  A certificate needs |w|^2 = sum_i
 * beta_i f_i as well: kernel values are in double precision too if single precision would leave
 * |w|^2 with an error above 2e-6 of the dual.
 */
int decision_values(const struct problem_view *p, const double *beta, double tolerance, double *f,
		    int n_threads, struct error *err);

/*
 * decision_certain_tolerance() - the tolerance for decision_of_rows() that makes f exact enough for
 * a certificate of 'beta': 0, which asks for double precision, or 'tolerance'
 */
double decision_certain_tolerance(const struct problem_view *p, const double *beta,
				  double tolerance);

/*
 * decision_expected_seconds() - time that decision_values() will take if all members are support
 * vectors
 *
 * Measured on some of the examples.  Returns 0, or -1 with ERR_MEMORY or ERR_NUMERIC.
 */
int decision_expected_seconds(const struct problem_view *p, const bool *is_member, double tolerance,
			      int n_threads, double *seconds, struct error *err);

/*
 * decision_choose_precision() - make the problem use double precision if single is not enough
 *
 * Single precision is enough if the largest term of a decision value, a kernel value times a
 * multiplier of size C, has an error of at most 'eps':
 *
 *     u max_i |K(x_i, x_i)| max(C_plus, C_minus) <= eps
 *
 * Otherwise an optimisation would correct rounding errors of the decision values it starts from
 * instead of multipliers, and the problem gets its source's in_doubles.  A problem_is_stepwise(),
 * whose rows are in double precision anyhow, gets the source for_subset.  O(n), plus O(entries) if
 * the source has no diagonal.
 */
void decision_choose_precision(struct problem_view *p, double eps);

/*
 * decision_far_error() - error of decision values of a linear kernel where rows lie far from 0
 *
 *     2^-52 |beta| max_i |x_i|^2
 *
 * which is what rounding the multipliers, or the products of support vectors and a row, makes of
 * them: a file of multipliers then does not hold its own decision values.  0 where it is at most a
 * hundredth of the margin's 1, and of other kernels and one-class, whose multipliers do not cancel.
 * O(n), or O(entries) if the source has no diagonal.
 */
double decision_far_error(const struct problem_view *p, const double *beta);

/* decision_floats_fit() - does the inequality of decision_choose_precision() hold? */
bool decision_floats_fit(const struct problem_view *p, double eps);

/* decision_use_doubles() - give the problem its source in double precision, in_doubles */
void decision_use_doubles(struct problem_view *p);

/*
 * decision_float_is_enough() - the inequality for the error u, and the largest |K(x, x)| and C of
 * many problems
 *
 * False, too, where the range of floats does not hold such values with all their digits.
 */
bool decision_float_is_enough(double error, double largest, double c, double eps);

/* Most corrections of decision values between two evaluations from all multipliers. */
#define DECISION_MOST_CORRECTIONS 4

/*
 * struct decision_history - decision values from evaluation to evaluation
 *
 * From one round of training to the next few multipliers change, so that decision values can be
 * corrected by the changes.  Values that are known are those of 'beta', of all examples or of some.
 * Owns its arrays.
 */
struct decision_history {
	int64_t n;
	double *beta;	 /* multipliers that the known values are of, n numbers; all 0 at first */
	double *f;	 /* decision values of the examples that are known; room for n */
	bool *known;	 /* known flag of each of the n examples; at first all are known, as 0 */
	int64_t n_known; /* number of known values */
	/* change of the multipliers last compared with beta: those minus beta; n numbers */
	double *change;
	/* largest number of corrections of a value since its evaluation from scratch */
	int n_corrections;
	double summed; /* sum of the sizes of all coefficients of that evaluation and corrections */
	bool corrects; /* evaluation in progress is a correction, not from scratch */
	bool in_doubles; /* the known values are sums in doubles, if not of values in doubles */
};

int decision_history_init(struct decision_history *h, int64_t n, struct error *err);

void decision_history_free(struct decision_history *h);

/*
 * decision_changes() - the coefficients to evaluate in order to get the decision values of 'beta'
 *
 * These are the changes of the multipliers if the values of all examples are known, at most half as
 * many multipliers changed as there are support vectors, and fewer than DECISION_MOST_CORRECTIONS
 * corrections came before; else all of 'beta'.  The caller computes f_i = sum_j coef_j K(x_j, x_i)
 * for the coefficients returned.  Then decision_add_changes() turns this 'f' into the decision
 * values of 'beta', which are known from then on; 'in_doubles' says how the caller has summed.
 */
const double *decision_changes(struct decision_history *h, const double *beta);
void decision_add_changes(struct decision_history *h, const double *beta, bool in_doubles,
			  double *f);

/*
 * decision_update() - x->f by decision_values() of x->beta, corrected from the last if few changed
 *
 * Known values are corrected, the others are computed from all multipliers; as decision_changes()
 * says when.  The errors of corrections add up, each within 'tolerance' as those of
 * decision_values() are.  Therefore an evaluation from all multipliers follows
 * DECISION_MOST_CORRECTIONS corrections.  'room' is for h->n numbers.
 */
int decision_update(struct decision_history *h, const struct problem_view *p, struct iterate *x,
		    int64_t *room, double tolerance, int n_threads, struct error *err);

/*
 * decision_update_rows() - x->f[position[k]] for k < n of 'rows', by kernel_sums_evaluate() of x->beta
 *
 * Each of these examples is evaluated from all multipliers once, for h->beta, and corrected by what
 * has changed since; its value for h->beta is known then, for later calls and decision_update().
 * Where more changed than decision_changes() allows h->beta becomes x->beta, and no value is known.
 */
int decision_update_rows(struct decision_history *h, const struct problem_view *p,
			 struct iterate *x, const struct decision_rows *rows, struct error *err);

/* struct decision_state - kept multipliers and values, and of which rows these can be checked */
struct decision_state {
	const struct problem_view *p;
	const struct iterate *x;
	struct decision_rows rows; /* 'position' NULL: the first n */
	uint64_t seed;
};

/*
 * decision_check_state() - are x->f the decision values of x->beta?
 *
 * Up to 1000 of the rows, drawn by the seed, are computed anew.  Finds a state that is not of these
 * rows, in spite of all else that is compared.  Returns 0; or -1 with checkpoint_misfit() where
 * values do not fit, or where they cannot be computed.
 */
int decision_check_state(const struct checkpoint_block *b, const struct decision_state *v,
			 struct error *err);

/*
 * decision_may_correct() - do decision_update_rows() and decision_update() correct known values?
 *
 * True if the values of all examples are known, few multipliers have changed since, and such
 * corrections are exact enough for a certificate.
 */
bool decision_may_correct(struct decision_history *h, const struct problem_view *p,
			  const double *beta);

/*
 * decision_float_suffices() - are kernel values in single precision exact enough for a certificate?
 *
 * If so decision_values() uses them where the problem has rows in single precision, except for a
 * linear kernel.  False where neither it nor SMO has such values.
 */
bool decision_float_suffices(const struct problem_view *p, const double *beta, double tolerance);

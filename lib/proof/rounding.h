/*
 * rounding.h - how far rounding may have moved the bounds that a certificate has
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "problem/problem.h"
#include "proof/certificate.h"

/* struct rounding_rows - squared norms of all rows of a matrix, and the entries of the longest */
struct rounding_rows {
	const double *norm2;
	double *own; /* norm2, where it is not borrowed */
	int64_t longest;
};

/*
 * rounding_rows_init() - norms of the rows of 'x', once for all problems that have some of them
 *
 * Borrows 'norm2', or computes it where that is NULL: 8 bytes for each row.  O(entries); ERR_MEMORY
 * only.
 */
int rounding_rows_init(struct rounding_rows *rows, const struct csr *x, const double *norm2,
		       struct error *err);
void rounding_rows_free(struct rounding_rows *rows);

/* How decision values were computed. */
enum rounding_values {
	ROUNDING_FLOATS,  /* sums of kernel values in single precision */
	ROUNDING_DOUBLES, /* the same in double precision; linear kernel: products with one vector */
	ROUNDING_LONG,	  /* the same in twice the digits, of a definite polynomial kernel */
	ROUNDING_SUMS	  /* sums of kernel values in double precision, of linear kernels, too */
};

/* struct rounding_options - how decision values were computed, and how they may be again */
struct rounding_options {
	double tolerance; /* tolerance of the violators that a new certificate counts */
	const struct rounding_rows *rows; /* norms of the rows of p->x; NULL: computed */
	enum rounding_values values;	  /* how x->f were computed, whatever p->source has */
	uint64_t seed;			  /* seed of the sample of examples */
	int64_t n_problems;		  /* number of problems of the training, 0 for one */
	int n_threads;
};

/*
 * rounding_settle() - c->rounding: how far primal and dual may each be from those of exact numbers
 *
 * 'c' is the certificate of 'x'.  Exact are the rows, the multipliers and the parameters; bounded
 * is what double and single precision make of kernel values, decision values and sums
 * (rounding_errors.c and rounding.c have the formulas).
 *
 * And c->row_gaps: how large can P - D be?  The terms of single examples bound it, most of which are
 * exactly 0 whatever rounding did.  Where errors of values in single precision add more than a tenth
 * of it, those of the examples that add most are computed again in double precision: a
 * thirty-second of the examples, or as many as it takes to bring the errors below 1e-5 of the
 * objective.  Errors that alone make a gap wider than CERTIFICATE_WIDE_GAP are not borne.
 *
 * Where single precision may have moved primal or dual by more than 1e-4 of them 64 examples are
 * drawn, and both are corrected by the mean of what is found, with six of its standard errors in
 * c->rounding, an estimate; the gap does not depend on it.  In small problems of many that is done
 * from a hundredth on; and where all examples that count take few kernel values these are computed.
 * x->f, primal, dual and violators become those of the new values.  Nothing is computed again once
 * p->interruption asks for an end.
 *
 * O(entries) time, O(n) with o->rows, and 73 n bytes (129 n where features are far from scaled); and
 * the kernel values of those examples with all support vectors.  Fails with ERR_MEMORY, or with
 * ERR_NUMERIC where a kernel value overflows.
 */
int rounding_settle(const struct problem_view *p, const struct iterate *x,
		    const struct rounding_options *o, struct certificate *c, struct error *err);

/*
 * rounding_lengthen() - decision values of a polynomial kernel in twice the digits, if they need them
 *
 * Where the error of |w|^2 by doubles is a share of the primal, as of features in the hundreds, and
 * sums in twice the digits take few products, x->f become these, 'c' their certificate, and
 * '*values' ROUNDING_LONG.  Else all is left.  -1 with ERR_MEMORY.
 */
int rounding_lengthen(const struct problem_view *p, const struct iterate *x, double tolerance,
		      enum rounding_values *values, struct certificate *c, struct error *err);

/*
 * rounding_lowered_rho() - one-class: a rho that leaves only examples at their bounds outside
 *
 * At the optimum f - rho is 0 for each free multiplier, so that the tolerance and rounding would
 * decide whether its example is outside, and many more than a share of nu would be.  The result is
 * the least f of the examples that are below their bound and within the tolerance of rho, less what
 * rounding may make of it.  No example above 0 comes to violate by that: where f of one would be
 * more than the tolerance above, the result is higher, and free examples may be outside.  x->f are
 * sums in doubles.  O(n), plus O(entries) if p->diagonal is NULL.
 */
double rounding_lowered_rho(const struct problem_view *p, const struct iterate *x,
			    double tolerance);

/*
 * rounding_lower_rho() - give a one-class solution the rho of rounding_lowered_rho()
 *
 * First x->f of the n_near examples within the tolerance of rho become sums in doubles, but where an
 * end is asked for; then c->n_violators is counted again.  Other machines' rho stays.  n_near n_sv
 * kernel values, 8 n bytes.  Fails as kernel_sums_evaluate() does.
 */
int rounding_lower_rho(const struct problem_view *p, struct iterate *x, double tolerance,
		       int n_threads, struct certificate *c, struct error *err);

/*
 * rounding_bound() - c->rounding of decision values that are known as they are
 *
 * Of the rows only their lengths count, or the diagonal of a precomputed kernel, and the entries of
 * the longest one, for which 'longest' stands if it is more.  O(entries) time, 32 n bytes, or 88 n;
 * ERR_MEMORY only.
 */
int rounding_bound(const struct problem_view *p, const struct iterate *x,
		   enum rounding_values values, int64_t longest, struct certificate *c,
		   struct error *err);

/*
 * Certificates of weights of a linear kernel that no multipliers in doubles have
 *
 *     P(w, b) = |w|^2 / 2 + sum_i C_i loss_i(w.x_i + b)
 *
 * Any w and b bound the optimum from above, as any multipliers do from below.  Multipliers have a
 * relative error of 2^-53 each, which columns of 1e9 make one of thousands in a decision value; but a
 * weight of such a column is small, and its product with it exact to 16 digits.
 */

/*
 * weights_primal() - '*c' of decision values x->f = w.x_i, without a dual, 'square' being |w|^2
 *
 * As certificate_make() and rounding_bound() do for x->beta of 0; rows have at most 'longest'
 * entries.  c->dual is -INFINITY, and c->rounding the error of the primal.  Cost and errors are
 * theirs.
 */
int weights_primal(const struct problem_view *p, const struct iterate *x, double square,
		   int64_t longest, struct certificate *c, struct error *err);

/*
 * weights_certify() - make '*c', certificate_make()'s of x, one of 'w', by column of p->x
 *
 * C-SVC and epsilon-SVR.  x->f become w.x_i, and -x->rho the best constant.  Primal and violators
 * are those of w, the dual stays, and c->rounding is the larger error of the two.  O(entries +
 * columns); ERR_MEMORY only.
 */
int weights_certify(const struct problem_view *p, const double *w, struct iterate *x,
		    double tolerance, struct certificate *c, struct error *err);

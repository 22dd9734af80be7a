/*
 * shapley.h - which features made a decision value what it is: exact Shapley values
 *
 *     f(x)  =  mean over the background rows z of f(z)  +  sum_j phi_j
 *
 * The game (interventional; Lundberg, Lee 2017): a set S of features is worth the mean over z of f(y),
 * where y has the features of S from x and all others from z; phi_j is what feature j adds to those
 * before it, in the mean over all orders of the features.  Nothing is sampled:
 *
 *     linear          phi_j = w_j (x_j - mean z_j)
 *     polynomial      of degree 3 at most, with c_l = gamma s_l (x_l - z_l), u(x) = gamma s.x + coef0:
 *                     the moments of u where each feature comes from x with probability t, integrated
 *                     over t
 *     rbf             factor_loops.h
 *
 * What is explained is the decision value of two classes, a regression or a one-class model; of
 * machines of each class against the rest the value of the class predicted; and of pairs of three
 * classes or more the sum of the predicted class's decision values against each other class.
 *
 * Source: Shapley 1953; Owen 1972, Management Science 18.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/factor_loops.h"
#include "model/predict.h"

/* struct shapley - a model and a background; borrows both, and stays where it is; threads may share it */
struct shapley {
	const struct predictor *by;
	const struct csr *background;
	struct kernel kernel;	   /* that of the vectors: linear is polynomial of degree 1 */
	struct csr weights;	   /* linear: a vector for each decision value; else empty */
	const struct csr *vectors; /* these, or the support vectors */
	int64_t n_lanes;	   /* lanes of all vectors */
	int64_t n_outputs;	   /* values that may be explained: 1, or one for each class */
	double *base;		   /* mean of each output over the background; n_outputs */
	double *coef;		   /* [n_outputs][lanes of all vectors] */
	double *norm2;		   /* |s|^2 of each vector */
	double largest_norm2;	   /* the largest |z|^2 */
	struct factor_rule *rule;  /* FACTOR_RULES */
};

/*
 * shapley_init() - make ready to explain by 'background'
 *
 * O(decision values of the background).  Fails with ERR_MEMORY; with ERR_NUMERIC where a decision
 * value is not finite; and with ERR_ARGUMENT for kernels of other kinds and degrees, models that
 * decide nothing, and a background without rows; '*s' is then empty.
 */
int shapley_init(struct shapley *s, const struct predictor *by, const struct csr *background,
		 int n_threads, struct error *err);
void shapley_free(struct shapley *s);

enum { SHAPLEY_ROWS = 16 };

/* The reasons of a row; arrays last until the next one. */
struct shapley_values {
	double decision, base;	/* the value explained, and its mean over the background */
	int64_t n;		/* number of features; others have 0 */
	const int32_t *feature; /* n, ascending */
	const double *value;	/* their Shapley values */
	/*
	 * of the error of each value: remainder and rounding; INFINITY: no rule is enough, or values are
	 * too large, so that they do not add up within their bounds
	 */
	double bound;
};

/*
 * shapley_rows() - explain rows of these decision values: visit(arg, i, values, err) for each
 *
 * A few rows at a time, SHAPLEY_ROWS, share some work.  'scratch' is that of predictor_decide().
 * A row's values depend on the row alone.  A support vector and a background row take O(n nodes), n
 * being the features in which the row differs from the background row.  Memory: some 11 kB for each
 * column of the rows and the background.  Fails as visit() does, or with ERR_MEMORY.
 */
int shapley_rows(const struct shapley *s, const struct row_view *rows, const double *decisions,
		 struct predictor_scratch *scratch,
		 int (*visit)(void *arg, int64_t i, const struct shapley_values *v,
			      struct error *err),
		 void *arg, struct error *err);

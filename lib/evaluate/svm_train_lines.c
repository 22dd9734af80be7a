/*
 * svm_train_lines.c - svm-train's lines of a training, which people parse
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/svm_train_lines.h"

/* Bytes of the longest block: numbers as %f have up to 317. */
enum { TEXT_SIZE = 2048 };

#define say(to, ...) \
	((to) && (to)->print ? (to)->print((to)->arg, FORMATTED(TEXT_SIZE, __VA_ARGS__)) : (void)0)

void svm_train_pair_lines(const struct training *t, const struct pair_result *pair,
			  const struct libsvm_messages *to)
{
	const struct certificate *c = &pair->solved.certificate;

	say(to, "\noptimization finished, #iter = %" PRId64 "\n", pair->n_iterations);
	if (t->type == MACHINE_NU_SVC)
		say(to, "C = %f\n", 1 / pair->half_width);
	else if (t->type == MACHINE_NU_SVR)
		say(to, "epsilon = %f\n", pair->half_width);
	else if (t->type != MACHINE_ONE_CLASS && !isnan(pair->c) && !t->squared_loss)
		say(to, "nu = %f\n", c->sum_abs_beta / (pair->c * (double)pair->n));
	/* a machine of nu that was ended early may have no dual; 0 is printed without a sign */
	say(to, "obj = %f, rho = %f\nnSV = %" PRId64 ", nBSV = %" PRId64 "\n",
	    0 - (isinf(c->dual) ? c->primal : c->dual), pair->rho, c->n_sv, c->n_bounded_sv);
}

void svm_train_model_lines(const struct training *t, const struct solution *s,
			   const struct pair_result *pairs, const struct libsvm_messages *to)
{
	const bool classifies = machine_classifies(t->type);
	const int64_t n_pairs = classifies ? solution_n_pairs(s->n_class) : 1;

	if (n_pairs == 0)
		say(to, "WARNING: training data in only one class. See README for details.\n");
	for (int64_t q = 0; q < n_pairs; q++)
		svm_train_pair_lines(t, &pairs[q], to);
	if (classifies)
		say(to, "Total nSV = %" PRId64 "\n", s->n_sv);
}

void svm_train_sigmoid_lines(enum sigmoid_end end, const struct libsvm_messages *to)
{
	if (end == SIGMOID_NO_STEP)
		say(to, "Line search fails in two-class probability estimates\n");
	else if (end == SIGMOID_MAX_ITERATIONS)
		say(to, "Reaching maximal iterations in two-class probability estimates\n");
}

void svm_train_scale_lines(double sigma, const struct libsvm_messages *to)
{
	say(to,
	    "Prob. model for test data: target value = predicted value + z,\n"
	    "z: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma= %g\n",
	    sigma);
}

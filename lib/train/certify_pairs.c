/*
 * certify_pairs.c - the certificates of all pairs of a solution that LIBSVM has trained
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/thread.h"
#include "kernel/kernel_lanes.h"
#include "problem/decision.h"
#include "proof/rounding.h"
#include "train/start.h"
#include "train/trainer.h"
#include "train/working_set.h"

/*
 * Decision values of few examples without making vectors ready, which takes 80 % of the certificate
 * of two classes of five rows of 20 columns.
 */
#define FEW_EXAMPLES 32

static int values_of_few(const struct problem_view *p, const double *beta, double *f,
			 struct error *err)
{
	memset(f, 0, (size_t)p->n * sizeof(*f));
	for (int64_t i = 0; i < p->n; i++) {
		struct csr_row x = csr_row_of(p->x, p->row[i]);

		for (int64_t j = 0; j <= i; j++) {
			double value;

			if (beta[i] == 0 && beta[j] == 0)
				continue;
			value = kernel_merged_value(&p->kernel, x, csr_row_of(p->x, p->row[j]));
			f[i] += beta[j] * value;
			if (j < i)
				f[j] += beta[i] * value;
		}
	}
	return are_finite(f, p->n) ? 0 : error_kernel_overflows(err);
}

/* Compute the certificate of a pair from its multipliers 'beta', which stay the caller's. */
static int certify_pair(const struct trainer *t, const struct problem *p, double *beta,
			int n_threads, struct pair_result *result, struct error *err)
{
	const bool is_small =
		p->view.n <= FEW_EXAMPLES && p->view.kernel.type != KERNEL_PRECOMPUTED;
	double eps = t->training->eps;
	struct iterate x = { .beta = beta, .rho = result->rho };
	int ret = -1;

	if (!isfinite(result->rho))
		return error_no_finite_solution(&p->view, err);
	x.f = mem_array(p->view.n, sizeof(*x.f), err);
	if (x.f && (is_small ? values_of_few(&p->view, beta, x.f, err) :
			       decision_values(&p->view, beta, eps, x.f, n_threads, err)) == 0)
		ret = certificate_make(&p->view, &x, eps, &result->solved.certificate, err);
	if (ret == 0)
		ret = rounding_bound(&p->view, &x, is_small ? ROUNDING_SUMS : ROUNDING_DOUBLES, 0,
				     &result->solved.certificate, err);
	if (ret == 0) {
		result->solved.certificate.excess = certificate_excess(&p->view);
		certificate_drop_excess(&result->solved.certificate);
		pair_problem_count_outside(result, &p->view, &x);
	}
	mem_free(x.f);
	return ret;
}

/* Arguments of the threads that certify pairs. */
struct certify_loop {
	const struct trainer *t;
	const struct classes *classes;
	struct pair_result *pairs;
	struct start multipliers;
	int n_threads; /* number of threads for each pair */
};

static int certify_task(void *arg, int64_t q, int thread UNUSED, struct error *err)
{
	const struct certify_loop *loop = arg;
	struct class_choice pair = classes_choice(loop->multipliers.s->n_class, q, false);
	struct pair_result *result = &loop->pairs[q];
	struct problem p;
	double *beta;
	int ret = -1;

	if (pair_problem_init(&p, loop->t, loop->classes, pair, err) < 0)
		return -1;
	pair_problem_describe(result, &p, loop->classes, pair.a, pair.b);
	result->rho = loop->multipliers.s->rho[q];
	beta = mem_array(p.view.n, sizeof(*beta), err);
	if (beta) {
		start_coefficients(&loop->multipliers, pair.a, pair.b, &p.view, beta);
		ret = certify_pair(loop->t, &p, beta, loop->n_threads, result, err);
	}
	mem_free(beta);
	problem_free(&p);
	return ret;
}

int trainer_certify(const struct trainer *t, const struct classes *classes,
		    const struct solution *s, struct pair_result *pairs, struct error *err)
{
	int64_t n_pairs = solution_n_pairs(s->n_class);
	int n_threads = thread_clamp_count(t->options->n_threads);
	bool at_once = n_threads > 1 && n_pairs >= n_threads;
	struct certify_loop loop = {
		.t = t, .classes = classes, .pairs = pairs, .n_threads = at_once ? 1 : n_threads
	};
	int ret = -1;

	if (start_init(&loop.multipliers, s, t->data->x.n_rows, err) == 0)
		ret = thread_ordered_for(at_once ? n_threads : 1, n_pairs, certify_task, NULL,
					 &loop, err);
	start_free(&loop.multipliers);
	return ret;
}

/*
 * rounds.c - what all ways of training by working sets are told, and what they tell
 *
 * The default sizes: k = ceil(kappa ln(4 n / delta) / epsilon^2), of equation 7 of arXiv 0909.3609,
 * is a dimension that keeps all norms to within epsilon when the problem is projected, and so the
 * number of support vectors that an approximate solution should not exceed.  The first
 * sample is a multiple of k in paper (r = c k, c > 1, which the theorem leaves open), and 6 k^2 in
 * reweight (r = 6 Delta^2, by Clarkson's analysis).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/rounds.h"

#include <math.h>
#include <string.h>

const char *stop_reason_text(enum stop_reason reason)
{
	static const char *const text[] = {
		[STOP_OPTIMAL] = "no violators left",
		[STOP_WHOLE_SET] = "the working set was the whole set",
		[STOP_ENOUGH_VECTORS] = "|SV| >= k",
		[STOP_NO_ROOM] = "|SV| >= r: no room for violators",
		[STOP_BUDGET_FULL] = "no room left in the budget",
		[STOP_NO_PROGRESS] = "two rounds brought nothing",
		[STOP_GAP] = "the duality gap asked for",
		[STOP_MAX_ROUNDS] = "maximum number of rounds",
		[STOP_MAX_ITERATIONS] = "maximum number of iterations",
		[STOP_PRECISION] = "the kernel's precision",
		[STOP_INTERRUPTED] = "interrupted",
	};

	return text[reason];
}

int64_t randsvm_default_k(int64_t n, double epsilon, double delta, bool separable)
{
	double kappa = separable ? 16 : 32;

	return (int64_t)ceil(kappa * log(4 * (double)n / delta) / (epsilon * epsilon));
}

int64_t randsvm_k(const struct randsvm_options *o, int64_t n)
{
	return o->k > 0 ? o->k : randsvm_default_k(n, o->epsilon, o->delta, o->separable);
}

int64_t randsvm_sample_size(const struct randsvm_options *o, int64_t n)
{
	/* doubles: 6 k^2 may be beyond 64 bits */
	double k = (double)randsvm_k(o, n), r = (double)o->sample;

	if (o->sample == 0 || o->mode == WORKING_SET_BUDGET)
		switch (o->mode) {
		case WORKING_SET_EXACT:
			r = 2000; /* solved in some 10 ms, and predicts 8,000 well enough */
			break;
		case WORKING_SET_PAPER:
			r = ceil(o->sample_factor * k);
			break;
		case WORKING_SET_REWEIGHT:
			r = 6 * k * k;
			break;
		case WORKING_SET_BUDGET:
			r = (double)o->budget;
			break;
		}
	return r < (double)n ? (int64_t)r : n;
}

void randsvm_task_begin(struct randsvm_task *task)
{
	size_t size = (size_t)task->p->n * sizeof(double);

	task->result = (struct randsvm_result){ 0 };
	task->x.rho = task->x.epsilon = 0;
	task->x.n_iterations = 0;
	memset(task->x.beta, 0, size);
	memset(task->x.f, 0, size);
}

void randsvm_task_observe(const struct randsvm_task *task, const struct randsvm_round *round)
{
	if (task->observer && task->observer->round)
		task->observer->round(task->observer->arg, round);
}

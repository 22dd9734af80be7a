/*
 * linear_lead.c - the multipliers of least primal so far, for a run that is ended early
 *
 * Half way to the optimum neither the multipliers of coordinate descent nor the proximal points of
 * an outer step have a w = sum beta_i x_i worth much: on 100,000 rows of text at C = 100 its primal
 * was 27 times that of the optimum after 5 of 34 s, and above that of w = 0.  The w of the Newton
 * method is better, but a model is made of rows.  It can be: the step from w is
 *
 *     step = -(w - sum_i prox_i x_i) - sigma sum_J (x_i.step + step_b) x_i                      (1)
 *
 * so where w = sum_i c_i x_i, w + t step is that of
 *
 *     c_i + t (prox_i - c_i - [i in J] sigma (x_i.step + step_b))                               (2)
 *
 * which costs O(n) beside the passes of the step.  Conjugate gradients solve (1) nearly, so that c
 * is nearly w's: what counts is the primal of the w that it has.
 *
 * From time to time, so that it takes some 3 % of the time, such multipliers are measured, and the
 * best are kept.  The clock decides when: so nothing but the result of an interruption depends on
 * it, and the count of this work is not told.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/clock.h"
#include "linear/linear_work.h"
#include "proof/unfinished.h"

/*
 * Seconds until the first look, where the run has many: one that is interrupted sooner loses little
 * work.  After .1 s it was a tenth of the time of 245,000 rows of three columns.
 */
#define FIRST_LOOK 1.0

/*
 * Pause between two looks, as a multiple of the time that a look takes: under a limit of time, and
 * without one.
 */
#define LOOKS_APART_LIMITED 5
#define LOOKS_APART 40

static double now(void)
{
	return clock_seconds(CLOCK_MONOTONIC);
}

void linear_lead_begin(struct linear_run *s)
{
	double left = interruption_seconds_left(s->task.o->interruption);

	/* there are no multipliers yet, so that any primal is lower */
	s->lead.certificate.primal = INFINITY;
	s->lead.next = now() + fmin(FIRST_LOOK, left / LOOKS_APART);
}

bool linear_lead_is_due(const struct linear_run *s)
{
	return s->task.o->interruption && now() >= s->lead.next;
}

int linear_lead_start(struct linear_run *s, struct error *err)
{
	/* a run that cannot be interrupted needs no lead */
	if (!s->task.o->interruption)
		return 0;
	s->lead.coef = mem_array(s->task.n_padded, sizeof(double), err);
	if (!s->lead.coef)
		return -1;
	/* at the start of the Newton method w is the sum of prox x, so that c is prox */
	memcpy(s->lead.coef, s->at.prox, (size_t)s->task.n * sizeof(double));
	return 0;
}

/* Update c by (2), after a step of t that the Newton method has just made */
void linear_lead_follow(struct linear_run *s, double t)
{
	const struct linear_newton *m = &s->newton;
	const struct linear_task *task = &s->task;
	double *c = s->lead.coef;

	if (!c)
		return;
	/* change t (prox - c) for all rows; the rows of J lose sigma (x.step + step_b) as well */
	for (int64_t i = 0; i < task->n; i++)
		c[i] += t * (s->at.prox[i] - c[i]);
	for (int64_t k = 0; k < m->n_inside; k++) {
		int64_t i = m->inside[k];
		double sigma = s->at.sigma * (task->row.weight ? task->row.weight[i] : 1);

		c[i] -= t * sigma * m->product[i];
	}
}

/* Repair the sums of the multipliers: with centred columns a wrong sum shifts decision values. */
static void balance(const struct linear_task *t, double *beta)
{
	for (int side = 0; side < t->sides.n; side++) {
		/* excess is taken off in proportion to size, so that multipliers of 0 stay 0 */
		double excess = linear_sum_error(t, beta, side), size = 0;

		for (int64_t i = 0; i < t->n; i++)
			size += linear_side(t, i) == side ? fabs(beta[i]) : 0;
		for (int64_t i = 0; i < t->n && size > 0; i++)
			if (linear_side(t, i) == side)
				beta[i] -= excess * fabs(beta[i]) / size;
	}
}

/* Make '*x' the lead if its primal is lower; the lead then owns the arrays of '*x'. */
static void compare(struct linear_run *s, struct iterate *x, const struct certificate *c)
{
	struct linear_lead *lead = &s->lead;
	struct iterate before = lead->x;

	/* the dual of feasible multipliers bounds the optimum, whatever their primal */
	s->best.dual = fmax(s->best.dual, c->dual);
	if (!(c->primal < lead->certificate.primal))
		return;
	lead->certificate = *c;
	lead->x = *x;
	/* the caller frees the arrays of the lead that was beaten */
	*x = before;
}

int linear_lead_offer(struct linear_run *s, const double *beta, struct error *err)
{
	WORK_SCOPE(work_for(WORK_LOOKS));
	struct iterate x;
	struct certificate c;
	const bool limited = isfinite(interruption_seconds_left(s->task.o->interruption));
	double started = now();
	int ret = iterate_init(&x, s->task.p->n, err);

	/* the multipliers are copied: the run goes on with 'beta' as it is */
	memcpy(s->trial.beta, beta, (size_t)s->task.n * sizeof(double));
	balance(&s->task, s->trial.beta);
	/* multipliers, f and certificate by the caller's numbers, as a result has them */
	if (ret == 0)
		ret = linear_trial_measure(s, err);
	if (ret == 0) {
		linear_trial_store(s, x.beta, x.f);
		ret = unfinished_certify(s->task.p, &x, s->task.eps, &c, err);
	}
	if (ret == 0)
		compare(s, &x, &c);
	iterate_free(&x);
	/* the pause grows with the time of a look, so that looks take a fixed share of the time */
	s->lead.next = now() + (now() - started) * (limited ? LOOKS_APART_LIMITED : LOOKS_APART);
	return ret;
}

int linear_lead_take(struct linear_run *s, struct error *err)
{
	struct linear_best *best = &s->best;
	struct iterate x = {
		.beta = best->beta, .f = best->f, .rho = best->rho, .epsilon = best->epsilon
	};
	struct certificate c;

	/* the last offer: multipliers of the run's present point */
	if (linear_lead_offer(s, s->lead.coef ? s->lead.coef : s->at.prox, err) < 0 ||
	    unfinished_certify(s->task.p, &x, s->task.eps, &c, err) < 0)
		return -1;
	/* the result is the best trial or the lead, whichever has the smaller P */
	if (s->lead.certificate.primal < c.primal)
		iterate_copy(&x, &s->lead.x, s->task.p->n);
	best->rho = x.rho;
	best->epsilon = x.epsilon;
	best->dual = fmax(best->dual, c.dual);
	return 0;
}

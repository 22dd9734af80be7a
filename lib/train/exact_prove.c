/*
 * exact_prove.c - evaluate all examples, certify, and keep what is best
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <string.h>

#include "problem/certificate.h"
#include "train/exact_run.h"

/* Wanted besides the tolerance, where it takes no more steps than there were before. */
#define WANTED_GAP 1e-3
#define LEAST_TOLERANCE 1e-3 /* times the one asked for */

/* Is what was proved just now the best?  Then keep it. */
static void keep_best(struct exact_run *s)
{
	struct exact_solution *best = &s->best;
	const struct certificate *c = &s->result->certificate;
	bool optimal = s->round.n_violators == 0, had_optimum = best->n_violators == 0;
	size_t size = (size_t)s->p->n * sizeof(double);

	if (best->known &&
	    (optimal != had_optimum ? had_optimum :
				      !(fabs(certificate_relative_gap(c)) <=
					fabs(certificate_relative_gap(&best->certificate)))))
		return;
	memcpy(best->beta, s->beta, size);
	memcpy(best->f, s->f, size);
	best->rho = s->result->rho;
	best->n_violators = s->round.n_violators;
	best->certificate = *c;
	best->known = true;
}

void exact_take_best(struct exact_run *s)
{
	const struct exact_solution *best = &s->best;
	size_t size = (size_t)s->p->n * sizeof(double);

	memcpy(s->beta, best->beta, size);
	memcpy(s->f, best->f, size);
	s->result->rho = best->rho;
	s->result->certificate = best->certificate;
}

/*
 * f = sum_j coef_j K(x_j, .) for all, exact enough for a certificate.  Where all are in the
 * working set kernel values that are wanted are at hand.
 */
static int sum_all(struct exact_run *s, const double *coef, struct error *err)
{
	if (s->smo.rows.n == s->p->n && decision_float_suffices(s->p, coef, s->o->eps))
		return smo_sums(&s->smo, coef, s->f, err);
	return decision_values(s->p, coef, s->o->eps, s->f, s->o->n_threads, err);
}

static int evaluate_all(struct exact_run *s, struct error *err)
{
	const double *coef = decision_changes(&s->history, s->beta);

	if (sum_all(s, coef, err) < 0)
		return -1;
	decision_add_changes(&s->history, s->beta, s->f);
	for (int64_t i = 0; i < s->p->n; i++)
		s->seen[i] = s->moved;
	return 0;
}

int exact_prove(struct exact_run *s, struct error *err)
{
	/* where all are members, all of the tolerance, as in svm-train; else each side of b half */
	double tolerance = s->o->eps / (s->alone && s->smo.rows.n == s->p->n ? 1 : 2);

	if (evaluate_all(s, err) < 0)
		return -1;
	s->round.n_violators = s->n_joined = 0;
	s->n_proofs++;
	for (int64_t i = 0; i < s->p->n; i++) {
		double f_plus_b = s->f[i] - s->result->rho;
		bool member = s->is_working[i];

		if (certificate_row_violates(s->p, i, s->beta[i], f_plus_b, tolerance)) {
			s->is_working[i] = true;
			s->round.n_violators++;
			s->n_joined += !member;
		}
	}
	if (certificate_make(s->p, s->beta, s->f, s->result->rho, s->o->eps,
			     &s->result->certificate, err) < 0)
		return -1;
	keep_best(s);
	return 0;
}

void exact_observe(struct exact_run *s)
{
	struct randsvm_round *round = &s->round;

	round->number = ++s->result->rounds;
	round->subset = s->subset_size[s->level];
	round->working_set = s->smo.rows.n;
	round->n_sv = 0;
	for (int64_t i = 0; i < s->p->n; i++)
		round->n_sv += s->beta[i] != 0;
	round->primal = round->dual = NAN;
	if (exact_at_top(s)) {
		round->primal = s->result->certificate.primal;
		round->dual = s->result->certificate.dual;
		round->best_primal = fmin(round->best_primal, round->primal);
		round->best_dual = fmax(round->best_dual, round->dual);
	}
	if (s->observer && s->observer->round)
		s->observer->round(s->observer->arg, round);
}

bool exact_tighten(struct exact_run *s)
{
	if (certificate_relative_gap(&s->result->certificate) <= WANTED_GAP || s->gave_up ||
	    s->last * EXACT_TOLERANCE_STEP < LEAST_TOLERANCE * s->o->eps)
		return false;
	s->last *= EXACT_TOLERANCE_STEP;
	if (s->steps_left > s->result->n_iterations)
		s->steps_left = s->result->n_iterations;
	return true;
}

/*
 * exact_prove.c - evaluate all examples, certify, and keep what is best
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <string.h>

#include "solve/exact_run.h"
#include "solve/gap.h"

/* Wanted besides the tolerance, where it takes no more steps than there were before. */
#define WANTED_GAP 1e-3
#define LEAST_TOLERANCE 1e-3	/* times the one asked for */

int exact_prove(struct exact_run *s, struct error *err)
{
	/* alone, members have all of the tolerance, as in svm-train; else each side of b half */
	double tolerance = s->o->eps / (s->n_levels > 1 ? 2 : 1);

	if (decision_update(&s->history, s->p, s->beta, s->o->eps, s->f, s->o->n_threads, err) < 0)
		return -1;
	for (int64_t i = 0; i < s->p->n; i++)
		s->seen[i] = s->moved;
	s->round.n_violators = s->n_joined = 0;
	s->n_proofs++;
	for (int64_t i = 0; i < s->p->n; i++) {
		double f_plus_b = s->f[i] - s->result->rho;
		bool member = s->is_working[i];

		if (gap_row_violates(s->p, i, s->beta[i], f_plus_b, tolerance)) {
			s->is_working[i] = true;
			s->round.n_violators++;
			s->n_joined += !member;
		}
	}
	return gap_certify(s->p, s->beta, s->f, s->result->rho, s->o->eps, &s->result->certificate,
			   err);
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

static void keep_optimum(struct exact_run *s)
{
	struct exact_solution *o = &s->optimum;
	const struct certificate *c = &s->result->certificate;
	size_t size = (size_t)s->p->n * sizeof(double);

	if (o->known && certificate_relative_gap(c) >= certificate_relative_gap(&o->certificate))
		return;
	memcpy(o->beta, s->beta, size);
	memcpy(o->f, s->f, size);
	o->rho = s->result->rho;
	o->certificate = *c;
	o->known = true;
}

void exact_take_optimum(struct exact_run *s)
{
	const struct exact_solution *o = &s->optimum;
	struct certificate *c = &s->result->certificate;
	size_t size = (size_t)s->p->n * sizeof(double);

	if (s->round.n_violators == 0 &&
	    certificate_relative_gap(c) <= certificate_relative_gap(&o->certificate))
		return;
	memcpy(s->beta, o->beta, size);
	memcpy(s->f, o->f, size);
	s->result->rho = o->rho;
	*c = o->certificate;
}

bool exact_tighten(struct exact_run *s)
{
	if (certificate_relative_gap(&s->result->certificate) <= WANTED_GAP || s->gave_up ||
	    s->last * EXACT_TOLERANCE_STEP < LEAST_TOLERANCE * s->o->eps)
		return false;
	keep_optimum(s);
	s->last *= EXACT_TOLERANCE_STEP;
	if (s->steps_left > s->result->n_iterations)
		s->steps_left = s->result->n_iterations;
	return true;
}

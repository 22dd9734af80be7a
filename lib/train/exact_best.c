/*
 * exact_best.c - the best solution so far, and the end of a run with it
 *
 * A run may be ended at any moment, and while it optimises its multipliers are worth little:
 * between two proofs the primal of the whole set may be far above that of w = 0.  So solutions that
 * are worth something are kept apart:
 *
 *     a proof's     The best of those proved: by its primal, unless there is hardly any difference;
 *                   then without violators before with violators.
 *     samples'      The solution of each subset settled, whose w is nearly that of the whole set, as
 *                   it stands for all examples; its multipliers are beyond the problem's bounds.
 *                   So is a start of such multipliers, which the run begins with cut at the bounds,
 *                   and one that is dropped.
 *
 * Where the run ends before the optimum, the result is the one of least primal of (1) the proof's
 * and (2) the samples', each evaluated on all examples only then, so that a run that comes to its
 * optimum does not pay for them.  These get the constant, the size and the certificate of
 * unfinished.h.  A dual that was proved of one solution bounds the optimum that all have.  Then
 * randsvm_solve() tries (3) mode budget, which begins with a sample at the problem's own C: a small
 * sample that stands for all examples learns its wrong labels by heart.
 *
 * Whatever is a candidate at some moment stays one, so that a later end has no larger primal.  For
 * that, where the time is limited, (2) and (3) have time of their own, which is kept back.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "proof/unfinished.h"
#include "train/exact_run.h"
#include "train/solve.h"

/*
 * A solution whose primal is lower by more than this share is the better one, whatever its
 * violators.
 */
#define LIKE_PRIMALS 1e-3

/*
 * Time kept back: as other work may take its share of the machine; seconds of a certificate for
 * those of w = 0, which ends at the first halving; evaluations of as many examples as the budget has,
 * for the time that optimising these takes; and how many values in single precision take the time of
 * one in double precision
 */
#define RESERVE_FACTOR 1.3
#define HALVINGS_FACTOR 2
#define BUDGET_EVALUATIONS 10
#define FLOATS_A_DOUBLE 4

/* The solution in s->x becomes the best one, for which there is room once there is one. */
static int take_solution(struct exact_run *s, const struct certificate *c, int64_t n_violators,
			 struct error *err)
{
	struct exact_solution *best = &s->proofs.best;

	if (!best->known && iterate_init(&best->x, s->p->n, err) < 0)
		return -1;
	iterate_copy(&best->x, s->x, s->p->n);
	best->certificate = *c;
	best->n_violators = n_violators;
	best->known = true;
	return 0;
}

/* ---- the time kept back ---- */

/* Seconds of (2) for a solution. */
static double sample_seconds(const struct exact_run *s, const struct exact_sample *sample)
{
	double n_values = (double)sample->n * (double)s->p->n;

	return n_values * (sample->in_floats ? 1 : FLOATS_A_DOUBLE) * s->clock.value +
	       HALVINGS_FACTOR * s->clock.certificate;
}

void exact_reserve_time(struct exact_run *s)
{
	const struct exact_solution *best = &s->proofs.best;
	bool is_near = best->known && !randsvm_is_early(s->p, STOP_INTERRUPTED, &best->certificate);
	double seconds = HALVINGS_FACTOR * s->clock.certificate, n = (double)s->p->n, m;

	if (isinf(interruption_seconds_left(s->end.caller)))
		return;
	for (int k = 0; k < s->n_samples && !is_near; k++)
		seconds += sample_seconds(s, &s->sample[k]);
	s->end.reserve = RESERVE_FACTOR * seconds;
	if (s->n_samples == 0 || is_near)
		return;
	/* seconds of (3), all of whose rounds have as many vectors as they may */
	m = (double)budget_for_early(s->task);
	s->end.reserve += BUDGET_DEFAULT_ROUNDS * m * (n + BUDGET_EVALUATIONS * m) * s->clock.value;
}

int exact_measure_end(struct exact_run *s, struct error *err)
{
	/* nothing has moved yet: both arrays are 0 */
	struct iterate zero = { .beta = s->movement.before, .f = s->movement.seen };
	double left = interruption_seconds_left(s->end.caller);
	struct certificate c;

	if (!isfinite(left))
		return 0;
	if (unfinished_certify(s->p, &zero, s->o->eps, &c, err) < 0)
		return -1;
	s->clock.certificate = left - interruption_seconds_left(s->end.caller);
	s->end.reserve = RESERVE_FACTOR * HALVINGS_FACTOR * s->clock.certificate;
	if (s->subsets.n_levels == 1)
		return 0;
	/* seconds of a kernel value: with all of the first sample as support vectors */
	if (decision_expected_seconds(s->p, s->is_working, s->o->eps, s->o->n_threads,
				      &s->clock.value, err) < 0)
		return -1;
	s->clock.value /= (double)exact_list_working(s) * (double)s->p->n;
	return 0;
}

/* ---- candidates ---- */

/* Is the solution proved just now better than the best so far? */
static bool is_better(const struct exact_run *s)
{
	const struct exact_solution *best = &s->proofs.best;
	const struct certificate *c = &s->result->certificate, *before = &best->certificate;
	bool optimal = s->round.n_violators == 0, had_optimum = best->n_violators == 0;

	if (randsvm_gap_suffices(s->o, c->primal, c->dual))
		return true;
	/* for an indefinite kernel a low primal says little about the solution */
	if (kernel_is_definite(&s->p->kernel) &&
	    (!(fabs(c->primal - before->primal) <= LIKE_PRIMALS * fabs(before->primal)) ||
	     !(optimal || had_optimum)))
		return c->primal < before->primal;
	if (optimal != had_optimum)
		return optimal;
	return fabs(certificate_relative_gap(c)) <= fabs(certificate_relative_gap(before));
}

int exact_offer_proof(struct exact_run *s, struct error *err)
{
	if ((!s->proofs.best.known || is_better(s)) &&
	    take_solution(s, &s->result->certificate, s->round.n_violators, err) < 0)
		return -1;
	exact_reserve_time(s);
	return 0;
}

int exact_sample_room(struct exact_sample *sample, int64_t n, struct error *err)
{
	*sample = (struct exact_sample){ .n = n,
					 .example = mem_array(n, sizeof(int64_t), err),
					 .beta = mem_array(n, sizeof(double), err),
					 .in_floats = true };
	return sample->example && sample->beta ? 0 : -1;
}

static void free_sample(struct exact_sample *sample)
{
	mem_free_all(sample->example, sample->beta);
	*sample = (struct exact_sample){ 0 };
}

void exact_free_samples(struct exact_run *s)
{
	while (s->n_samples > 0)
		free_sample(&s->sample[--s->n_samples]);
}

int exact_offer_sample(struct exact_run *s, int64_t n_learned, struct error *err)
{
	struct exact_sample *sample = &s->sample[s->n_samples++];

	if (exact_sample_room(sample, multipliers_count(s->x->beta, s->p->n), err) < 0)
		return -1;
	sample->n_learned = n_learned;
	for (int64_t i = 0, k = 0; i < s->p->n; i++)
		if (s->x->beta[i] != 0) {
			sample->example[k] = i;
			sample->beta[k++] = s->x->beta[i];
		}
	sample->in_floats = decision_in_floats(s->p, s->x->beta, s->o->eps);
	exact_reserve_time(s);
	/* what there is no time to evaluate is no candidate; but there is always one */
	if (s->n_samples > 1 && interruption_seconds_left(s->end.caller) < s->end.reserve) {
		free_sample(sample);
		exact_reserve_time(s);
	}
	return 0;
}

/* ---- the end ---- */

/* The solution in s->x, if it is the best of all examples; 1 if it is. */
static int offer(struct exact_run *s, struct error *err)
{
	const struct exact_solution *best = &s->proofs.best;
	struct certificate c;

	if (unfinished_certify(s->p, s->x, s->o->eps, &c, err) < 0)
		return -1;
	s->round.best_dual = fmax(s->round.best_dual, c.dual);
	if (best->known && !(c.primal < best->certificate.primal))
		return 0;
	return take_solution(s, &c, c.n_violators, err) < 0 ? -1 : 1;
}

/*
 * Evaluate s->x on all examples and offer it.  Support vectors first, as they make |w|^2, which must
 * be exact.
 */
static int offer_evaluated(struct exact_run *s, struct error *err)
{
	double exact = decision_certain_tolerance(s->p, s->x->beta, s->o->eps);
	int ret = 0;

	s->x->sums_in_doubles = false;
	s->x->summed = 0;
	for (int are_vectors = 1; are_vectors >= 0 && ret == 0; are_vectors--) {
		struct decision_rows rows = exact_rows(s, s->list_room, 0);

		for (int64_t i = 0; i < s->p->n; i++)
			if ((s->x->beta[i] != 0) == are_vectors)
				s->list_room[rows.n++] = i;
		if (are_vectors)
			rows.tolerance = exact;
		ret = decision_of_rows(s->p, s->x->beta, &rows, s->x->f, err);
	}
	return ret < 0 ? -1 : offer(s, err);
}

/* Step (2) for one sample. */
static int offer_kept(struct exact_run *s, const struct exact_sample *sample, struct error *err)
{
	memset(s->x->beta, 0, (size_t)s->p->n * sizeof(double));
	for (int64_t k = 0; k < sample->n; k++)
		s->x->beta[sample->example[k]] = sample->beta[k];
	return offer_evaluated(s, err);
}

/* Step (2); 1 if one of the samples has the best solution. */
static int offer_samples(struct exact_run *s, struct error *err)
{
	int offered = 0;

	for (int k = 0; k < s->n_samples; k++) {
		int ret = s->sample[k].n > 0 ? offer_kept(s, &s->sample[k], err) : 0;

		if (ret < 0)
			return -1;
		if (ret > 0) {
			s->result->n_learned = s->sample[k].n_learned;
			offered = 1;
		}
	}
	return offered;
}

int exact_end(struct exact_run *s, struct error *err)
{
	struct exact_solution *best = &s->proofs.best;
	int others = 0;

	s->p->interruption = NULL;
	if (best->known && s->result->reason == STOP_INTERRUPTED && best->n_violators > 0 &&
	    unfinished_certify(s->p, &best->x, s->o->eps, &best->certificate, err) < 0)
		return -1;
	/* without a sample the multipliers that the run has come to are all that there is */
	if (!best->known && s->n_samples == 0 && (others = offer_evaluated(s, err)) < 0)
		return -1;
	if (!best->known || (best->n_violators > 0 &&
			     randsvm_is_early(s->p, s->result->reason, &best->certificate))) {
		int offered = offer_samples(s, err);

		if (offered < 0)
			return -1;
		others |= offered;
	}
	iterate_copy(s->x, &best->x, s->p->n);
	exact_hold(s);
	s->result->certificate = best->certificate;
	if (best->n_violators > 0 && kernel_is_definite(&s->p->kernel))
		s->result->certificate.dual = fmax(s->result->certificate.dual, s->round.best_dual);
	if (!others)
		return 0;
	s->subsets.level = s->subsets.n_levels - 1;
	s->round.n_violators = s->result->certificate.n_violators;
	return 1;
}

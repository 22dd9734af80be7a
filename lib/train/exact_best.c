/*
 * exact_best.c - the best solution so far, and the end of a run with it
 *
 * A run may be ended at any moment, and while it optimises its multipliers are worth little:
 * between two proofs the primal of the whole set may be far above that of w = 0.  So the best
 * solution is kept apart, and is the result however the run ends:
 *
 *     a subset's    The solution of the last subset settled, whose w is nearly that of the whole set,
 *                   as it stands for all examples; its multipliers are beyond the problem's bounds.
 *                   It has the least primal of the rows it was solved on.  Where it has met the rows
 *                   of the next subset, to predict, their decision values are known, of others not
 *                   or not exactly: they are stale, and computed at the end, if it is still the best.
 *     a proof's     The solution proved, if it is better: by its primal, unless there is hardly any
 *                   difference; then rather than a subset's, without violators before with
 *                   violators, and then by the gap.
 *
 * At the end (1) the stale decision values are computed, and (2) a solution that is none of a
 * proof, or whose run is interrupted, gets the constant, the size and the certificate of
 * unfinished.h.  A dual that was proved of another solution bounds the same optimum.
 *
 * Where the time is limited, the run ends earlier by what (1) and (2) will take (3).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <string.h>

#include "train/exact_run.h"
#include "problem/unfinished.h"

/*
 * A solution whose primal is lower by more than this share is the better one, whatever its
 * violators.  That of a subset's solution is known to a few per cent only, as long as some values
 * are stale: a9a, -w1 3, by 3 %.
 */
#define LIKE_PRIMALS 1e-3
#define LIKE_STALE_PRIMALS 0.1

/*
 * (1): error of decision values, in units, that the primal of a classifier may have: the mean of
 * many independent ones is far less.  Single precision then suffices for the large multipliers that
 * stand for many examples.
 */
#define STALE_TOLERANCE 0.1

/*
 * (3): as other work may take its share of the machine; and how many values in single precision
 * take the time of one in double precision
 */
#define RESERVE_FACTOR 1.3
#define FLOATS_A_DOUBLE 4
/*
 * (3): seconds of (2) for those of w = 0, which ends at the first halving; and seconds of (1) for a
 * subset's solution for those expected of the subset before: it has about twice the vectors, and
 * more of them take less time a value
 */
#define HALVINGS_FACTOR 2
#define NEXT_FACTOR 1.5

static void copy_solution(struct exact_run *s, int fresh_level)
{
	struct exact_solution *best = &s->proofs.best;
	size_t size = (size_t)s->p->n * sizeof(double);

	memcpy(best->x.beta, s->x->beta, size);
	memcpy(best->x.f, s->x->f, size);
	best->x.rho = s->x->rho;
	best->x.epsilon = s->x->epsilon;
	best->fresh_level = fresh_level;
	best->known = true;
}

static bool is_stale(const struct exact_run *s, int64_t i)
{
	int fresh = s->proofs.best.fresh_level;

	return fresh != EXACT_ALL_LEVELS && s->subsets.first_level[i] != fresh;
}

/* Error allowed in stale decision values of examples that are no support vectors, step (1). */
static double stale_tolerance(const struct exact_run *s)
{
	double coarse = machine_is_regression(s->p->type) ? 0 : STALE_TOLERANCE * s->unit;

	return fmax(coarse, s->o->eps);
}

/* Seconds for a kernel value, as measured in this precision or the other; 0: not measured. */
static double seconds_a_value(const struct exact_clock *c, bool in_floats)
{
	double factor = in_floats ? 1.0 / FLOATS_A_DOUBLE : FLOATS_A_DOUBLE;

	if (c->n_values[in_floats] > 0)
		return c->seconds[in_floats] / c->n_values[in_floats];
	return c->n_values[!in_floats] > 0 ?
		       factor * c->seconds[!in_floats] / c->n_values[!in_floats] :
		       0;
}

/* Step (3): the seconds that computing the stale decision values will take. */
static double expected_seconds(const struct exact_run *s)
{
	const double *beta = s->proofs.best.x.beta;
	bool in_floats = decision_in_floats(s->p, beta, stale_tolerance(s));
	double n_stale = 0, n_stale_sv = 0, n_sv = 0;

	for (int64_t i = 0; i < s->p->n; i++) {
		n_stale += is_stale(s, i);
		n_sv += beta[i] != 0;
		n_stale_sv += is_stale(s, i) && beta[i] != 0;
	}
	return n_sv * ((n_stale - n_stale_sv) * seconds_a_value(&s->clock, in_floats) +
		       n_stale_sv * seconds_a_value(&s->clock, false));
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
	return 0;
}

/*
 * Step (3).  The solution of the next subset would take longer at the end than this one: where the
 * time does not suffice for that, the run ends now.
 */
static void reserve_time(struct exact_run *s)
{
	double certificate = HALVINGS_FACTOR * s->clock.certificate;
	double stale = expected_seconds(s);

	earlier_end_unless(&s->end, NEXT_FACTOR * stale + certificate);
	s->end.reserve = RESERVE_FACTOR * (stale + certificate);
}

/* Is the solution proved just now better than the best solution so far? */
static bool is_better(const struct exact_run *s)
{
	const struct exact_solution *best = &s->proofs.best;
	const struct certificate *c = &s->result->certificate, *before = &best->certificate;
	bool optimal = s->round.n_violators == 0, had_optimum = best->n_violators == 0;
	bool stale = best->fresh_level != EXACT_ALL_LEVELS;
	double like = stale ? LIKE_STALE_PRIMALS : LIKE_PRIMALS;

	if (s->o->gap > 0 && certificate_gap_is_within(c->primal, c->dual, s->o->gap))
		return true;
	/* for an indefinite kernel a low primal says little about the solution */
	if (kernel_is_definite(&s->p->kernel) &&
	    !(fabs(c->primal - before->primal) <= like * fabs(before->primal)))
		return c->primal < before->primal;
	if (stale)
		return true;
	if (optimal != had_optimum)
		return optimal;
	return fabs(certificate_relative_gap(c)) <= fabs(certificate_relative_gap(before));
}

void exact_offer_proof(struct exact_run *s)
{
	struct exact_solution *best = &s->proofs.best;

	if (best->known && !is_better(s))
		return;
	copy_solution(s, EXACT_ALL_LEVELS);
	best->n_violators = s->round.n_violators;
	best->certificate = s->result->certificate;
	s->end.reserve = RESERVE_FACTOR * HALVINGS_FACTOR * s->clock.certificate;
}

int exact_offer_subset(struct exact_run *s, int fresh_level, struct error *err)
{
	struct exact_solution *best = &s->proofs.best;

	copy_solution(s, fresh_level);
	best->n_violators = s->p->n;
	if (isfinite(interruption_seconds_left(s->end.caller)))
		reserve_time(s);
	/* is_better() needs decision values that are nearly right, as stale values are */
	return exact_at_top(s) ?
		       certificate_make(s->p, &best->x, s->o->eps, &best->certificate, err) :
		       0;
}

/* ---- the end ---- */

/* List the stale examples that are support vectors, or those that are not; returns their number. */
static int64_t list_stale(struct exact_run *s, bool are_vectors, int64_t *list)
{
	int64_t n = 0;

	for (int64_t i = 0; i < s->p->n; i++)
		if (is_stale(s, i) && (s->proofs.best.x.beta[i] != 0) == are_vectors)
			list[n++] = i;
	return n;
}

static int evaluate(struct exact_run *s, int64_t n, double tolerance, struct error *err)
{
	struct iterate *x = &s->proofs.best.x;
	struct decision d;
	int ret;

	if (decision_init(&d, s->p, x->beta, tolerance, err) < 0)
		return -1;
	ret = decision_evaluate(&d, s->list_room, n, x->f, s->o->n_threads, err);
	decision_free(&d);
	return ret;
}

/* Step (1): stale values of support vectors first, as they make |w|^2, which must be exact. */
static int evaluate_stale(struct exact_run *s, struct error *err)
{
	double exact = decision_certain_tolerance(s->p, s->proofs.best.x.beta, s->o->eps);

	if (evaluate(s, list_stale(s, true, s->list_room), exact, err) < 0)
		return -1;
	return evaluate(s, list_stale(s, false, s->list_room), stale_tolerance(s), err);
}

static void take_best(struct exact_run *s)
{
	const struct exact_solution *best = &s->proofs.best;
	size_t size = (size_t)s->p->n * sizeof(double);

	memcpy(s->x->beta, best->x.beta, size);
	memcpy(s->x->f, best->x.f, size);
	s->x->rho = best->x.rho;
	s->x->epsilon = best->x.epsilon;
	exact_hold(s);
	s->result->certificate = best->certificate;
}

int exact_end(struct exact_run *s, struct error *err)
{
	struct exact_solution *best = &s->proofs.best;
	bool proved = best->known && best->fresh_level == EXACT_ALL_LEVELS;
	bool unfinished =
		!proved || (s->result->reason == STOP_INTERRUPTED && best->n_violators > 0);

	s->own->interruption = NULL;
	if (!best->known)
		copy_solution(s, EXACT_NO_LEVEL);
	if (!proved && evaluate_stale(s, err) < 0)
		return -1;
	if (unfinished &&
	    unfinished_certify(s->p, &best->x, s->o->eps, &best->certificate, err) < 0)
		return -1;
	best->fresh_level = EXACT_ALL_LEVELS;
	take_best(s);
	if (best->n_violators > 0 && kernel_is_definite(&s->p->kernel))
		s->result->certificate.dual = fmax(s->result->certificate.dual, s->round.best_dual);
	if (proved)
		return 0;
	s->subsets.level = s->subsets.n_levels - 1;
	s->round.n_violators = s->result->certificate.n_violators;
	return 1;
}

/*
 * exact_prove.c - evaluate all examples, and certify
 *
 * A proof is one evaluation of f for all N examples, in sums of doubles.  It gives
 *
 *     violators   by more than half of eps (by more than WHOLE_SHARE of it where all examples were
 *                 members from the start); they join the working set, in proofs between two
 *                 tolerances those alone that violate by more than the one at hand.  If there are
 *                 none, and members were settled to less than half, m - M <= eps holds on
 *                 everything: svm-train's rule.
 *     P, D        with the best b for this w: an interval that holds the optimum
 *
 * Multipliers that changed since the last proof are few, so f is corrected by those alone where
 * that is exact enough (struct decision_history), and only of examples where it matters
 * (exact_correct()); and likewise, in the first proof, f of the examples that were evaluated before
 * because they are near the margin.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "proof/certificate.h"
#include "train/exact_run.h"

/*
 * A solution to within eps can have a wide gap where C is large or loss is rare.  Then eps is cut
 * further, as long as the gap is above CERTIFICATE_WIDE_GAP or what was asked for, eps is not below
 * LEAST_TOLERANCE of its value, and at most as many steps again are taken as there were before, and
 * once more as long as these halve the gap; but steps down to TRAINING_USUAL_EPS do not count.
 * Where nu is small r may be near eps: there tolerances are shares of r, as they are of the margin
 * of C-SVC, and steps down to eps r do not count; but r below LEAST_UNIT is taken for none.
 */
#define LEAST_TOLERANCE 1e-6
#define LEAST_UNIT 1e-5

/*
 * r of nu-SVC is known to within eps, and all that is printed is over r or r^2: where eps is more
 * than this share of r, it is cut; once, or where all examples are members from the start, and the
 * problem is small, as often as it takes.
 */
#define ERROR_OF_MARGIN 1e-4

/*
 * Share of eps that a proof grants where all are members.  Its sums of float values may be an eighth
 * of eps off; of the 325 pairs of letter with -t 1 -r 1 -g .1 -c 10 one had an example 1.0015 eps off
 * by doubles, and a warning.
 */
#define WHOLE_SHARE 0.9

/* ---- proofs after the first one: only where they can differ from it ---- */

/*
 * Once all decision values are known for some multipliers beta', those of beta = beta' + d are f'
 * and a correction, for which with w - w' = sum_j d_j phi(x_j) Cauchy and Schwarz have a bound:
 *
 *     |f_i - f'_i| <= |w - w'| sqrt(K_ii),   |w - w'|^2 = sum_j d_j (f_j - f'_j)                (1)
 *
 * An example with beta_i = 0 whose slack by f' is more than that has none of f's losses and does
 * not violate, whatever its f is.  Of these f' is kept; all others are corrected:
 *
 *     (2)  examples that have or had a multiplier.  They give |w|^2 = sum_i beta_i f_i, and (1).
 *     (3)  examples with too little slack for (1), and BIAS_ROOM more; and members of the working
 *          set, which SMO goes on from
 *
 * BIAS_ROOM is for P, which is taken at the b that makes it least, not at -rho.  P is convex in b,
 * and near -rho it is that of all true f: if the least one is there, it is the least of all.  So is
 * the least multiple of w without losses, if both classes have an example there.  Otherwise (4) all
 * are corrected.
 *
 * Between two proofs few multipliers change: of 1e6 rows of twonorm the second proof corrects 17 %,
 * and the third, where |w - w'| is 0.02, little more than the support vectors.  The whole training
 * takes 7 % less time for that with 1e5 and with 3e5 rows of twonorm, 10 % with 3e5 of ringnorm, and
 * 3 % with ijcnn1, C = 10, gamma = 1; 14 other cases, regression among them, neither win nor lose.
 */

/* Room for the change of b, in tolerances: near the optimum b is known to within one tolerance. */
#define BIAS_ROOM 20

/* Error allowed in a decision value, and in each of its corrections, in tolerances of training. */
#define VALUE_ERROR 0.125

static double bias_room(const struct exact_run *s)
{
	return BIAS_ROOM * s->o->eps;
}

/* Are all values known for nearly these multipliers, and are (1) and corrections exact? */
static bool applies(struct exact_run *s)
{
	const struct problem_view *p = s->p;
	struct decision_history *h = &s->proofs.history;

	return kernel_is_definite(&p->kernel) && p->kernel.type != KERNEL_PRECOMPUTED &&
	       p->kernel.type != KERNEL_LINEAR && !problem_source(p)->has_matrix &&
	       !problem_fixes_sums(p) && !s->alone && decision_may_correct(h, p, s->x->beta);
}

/* Equation (1): |w - w'| from the n examples listed, all that have or had a multiplier. */
static double distance(const struct exact_run *s, const int64_t *list, int64_t n)
{
	const struct decision_history *h = &s->proofs.history;
	double square = 0, size = 0;

	for (int64_t k = 0; k < n; k++) {
		int64_t i = list[k];
		double d = s->x->beta[i] - h->beta[i];

		square += d * (s->x->f[i] - h->f[i]);
		size += fabs(d);
	}
	return sqrt(fmax(square, 0) + (2 + h->n_corrections) * VALUE_ERROR * s->o->eps * size);
}

/* Step (3): list examples whose value may matter; all others take over the known value f'. */
static int64_t list_near(struct exact_run *s, double distance, int64_t *list)
{
	const struct decision_history *h = &s->proofs.history;
	int64_t n = 0;

	for (int64_t i = 0; i < s->p->n; i++) {
		if (s->x->beta[i] != 0 || h->beta[i] != 0)
			continue;
		s->x->f[i] = h->f[i];
		s->movement.seen[i] = s->proofs.seen;
		/* the comparison is written so that a decision value of NAN is listed */
		if (s->is_working[i] ||
		    !(exact_slack(s, i) >
		      distance * sqrt(fabs(problem_diagonal(s->p, i))) + bias_room(s)))
			list[n++] = i;
	}
	return n;
}

static int correct(struct exact_run *s, const int64_t *list, int64_t n, struct error *err)
{
	const struct decision_rows rows = exact_rows(s, list, n);

	if (decision_update_rows(&s->proofs.history, s->p, s->x, &rows, err) < 0)
		return -1;
	s->x->sums_in_doubles &= s->proofs.history.in_doubles;
	for (int64_t k = 0; k < n; k++)
		s->movement.seen[list[k]] = s->movement.total;
	return 0;
}

/*
 * Is the best b within BIAS_ROOM of -rho, and for C-SVC an example of each class as near to its
 * margin?  -1 with an error.
 */
static int is_near(const struct exact_run *s, struct error *err)
{
	bool found[2] = { false, false };
	double b;

	if (certificate_bias(s->p, s->x->f, &b, err) < 0)
		return -1;
	for (int64_t i = 0; i < s->p->n; i++)
		if (exact_slack(s, i) <= bias_room(s))
			found[s->p->target[i] > 0] = true;
	return fabs(b + s->x->rho) < bias_room(s) &&
	       (machine_is_regression(s->p->type) || (found[0] && found[1]));
}

int exact_correct(struct exact_run *s, struct error *err)
{
	int64_t *list = s->list_room, n = 0;
	int ret;

	if (!applies(s))
		return 1;
	/* step (2): the examples that have a multiplier, or had one when values were last computed */
	for (int64_t i = 0; i < s->p->n; i++)
		if (s->x->beta[i] != 0 || s->proofs.history.beta[i] != 0)
			list[n++] = i;
	if (correct(s, list, n, err) < 0)
		return -1;
	n = list_near(s, distance(s, list, n), list);
	if (correct(s, list, n, err) < 0)
		return -1;
	ret = is_near(s, err);
	/* step (4) is the caller's, unless the best b is near -rho, where kept values f' serve */
	return ret < 0 ? -1 : !ret;
}

/* ---- a proof ---- */

/*
 * All members: SMO has the rows of kernel values in its cache already, if they are exact enough for
 * a certificate.  But of a problem_is_stepwise() mostly not all of them, and they would take longer
 * to compute again; and of a linear kernel products with weights in doubles take no longer, which
 * rounding.h takes its decision values for.
 */
static int sum_members(struct exact_run *s, struct error *err)
{
	const double *coef = decision_changes(&s->proofs.history, s->x->beta);
	bool by_rows =
		s->p->kernel.type != KERNEL_LINEAR &&
		(s->smo.source.in_doubles ||
		 (!problem_is_stepwise(s->p) && decision_float_suffices(s->p, coef, s->o->eps)));
	int ret;

	if (by_rows)
		ret = smo_sums(&s->smo, coef, false, s->x->f, err);
	else
		ret = decision_values(s->p, coef, s->o->eps, s->x->f, s->o->n_threads, err);
	if (ret == 0)
		decision_add_changes(&s->proofs.history, s->x->beta,
				     by_rows || problem_source(s->p)->sums_in_doubles, s->x->f);
	s->x->summed = s->proofs.history.summed;
	return ret;
}

int exact_evaluate_all(struct exact_run *s, struct error *err)
{
	WORK_SCOPE(work_for(WORK_PROOFS));
	const bool of_members = s->smo.whole_rows && s->smo.rows.members.n == s->p->n;
	int ret = exact_correct(s, err);

	if (ret <= 0)
		return ret;
	if (of_members)
		ret = sum_members(s, err);
	else
		ret = decision_update(&s->proofs.history, s->p, s->x, s->list_room, s->o->eps,
				      s->o->n_threads, err);
	s->x->sums_in_doubles = s->proofs.history.in_doubles;
	s->proofs.seen = s->movement.total;
	for (int64_t i = 0; ret == 0 && i < s->p->n; i++)
		s->movement.seen[i] = s->movement.total;
	return ret;
}

int exact_prove(struct exact_run *s, struct error *err)
{
	/* SMO's own rule is nearly svm-train's if all are members; else each side of b gets eps / 2 */
	bool is_whole = s->alone && s->smo.rows.members.n == s->p->n;
	double tolerance = s->o->eps * (is_whole ? WHOLE_SHARE : 0.5);
	/* before the last tolerance smaller violations may vanish: exact_settle() looks again */
	double joining = fmax(tolerance, s->pace.tolerance);

	if (exact_evaluate_all(s, err) < 0)
		return -1;
	s->round.n_violators = s->proofs.n_joined = 0;
	s->proofs.n++;
	s->proofs.work = s->smo.work;
	for (int64_t i = 0; i < s->p->n; i++) {
		double f_plus_b = s->x->f[i] - s->x->rho;
		bool member = s->is_working[i];

		if (!certificate_row_violates(s->p, i, s->x->beta[i], f_plus_b, tolerance))
			continue;
		s->round.n_violators++;
		if (certificate_row_violates(s->p, i, s->x->beta[i], f_plus_b, joining)) {
			s->is_working[i] = true;
			s->proofs.n_joined += !member;
		}
	}
	if (certificate_make(s->p, s->x, s->o->eps, &s->result->certificate, err) < 0)
		return -1;
	return exact_offer_proof(s, err);
}

void exact_observe(struct exact_run *s)
{
	struct randsvm_round *round = &s->round;

	round->number = ++s->result->rounds;
	round->subset = s->subsets.size[s->subsets.level];
	round->working_set = s->smo.rows.members.n;
	round->n_sv = multipliers_count(s->x->beta, s->p->n);
	round->primal = round->dual = NAN;
	if (exact_at_top(s)) {
		round->primal = s->result->certificate.primal;
		round->dual = s->result->certificate.dual;
		round->best_primal = fmin(round->best_primal, round->primal);
		round->best_dual = fmax(round->best_dual, round->dual);
	}
	randsvm_task_observe(s->task, round);
}

/*
 * svm-train gives up after max(1e7, 100 n) steps.  What they have brought the gap down by, as many
 * again mostly bring it down by once more: see exact_extend().
 */
#define FALLING 0.5

bool exact_extend(struct exact_run *s)
{
	const struct randsvm_round *r = &s->round;
	double gap = (r->best_primal - r->best_dual) / fabs(r->best_primal);

	if (!s->pace.may_extend || !kernel_is_definite(&s->p->kernel) ||
	    !(gap > CERTIFICATE_WIDE_GAP) || !(gap <= FALLING * s->pace.gap))
		return false;
	s->pace.gap = gap;
	s->pace.steps_left = solver_max_iterations(s->p->n);
	s->pace.gave_up = false;
	return true;
}

/* Is the duality gap wider than wanted, or nu-SVC's margin not exact enough? */
static bool is_too_wide(const struct exact_run *s)
{
	double wanted = s->o->gap > 0 ? s->o->gap : CERTIFICATE_WIDE_GAP;

	if (certificate_relative_gap(&s->result->certificate) > wanted)
		return true;
	return s->p->type == MACHINE_NU_SVC && s->pace.last > ERROR_OF_MARGIN * -s->x->epsilon &&
	       (s->alone || s->pace.last > EXACT_TOLERANCE_STEP * s->o->eps);
}

bool exact_tighten(struct exact_run *s)
{
	double eps, gap = certificate_relative_gap(&s->result->certificate);
	bool gave_up = s->pace.gave_up;

	exact_measure_unit(s);
	eps = s->o->eps * fmax(LEAST_UNIT, fmin(s->unit, 1));
	/* of a nu-SVC without margin P is 0 and D rounding, a gap that does not fall */
	if (!is_too_wide(s) ||
	    (gave_up ? isinf(s->pace.gap) || !(gap > 0 && gap <= FALLING * s->pace.gap) :
		       s->pace.last * EXACT_TOLERANCE_STEP < LEAST_TOLERANCE * eps))
		return false;
	if (gave_up || isinf(s->pace.gap))
		s->pace.gap = gap;
	if (!gave_up)
		s->pace.last *= EXACT_TOLERANCE_STEP;
	if (gave_up || (s->pace.last < fmin(eps, TRAINING_USUAL_EPS) &&
			s->pace.steps_left > s->x->n_iterations))
		s->pace.steps_left = s->x->n_iterations;
	s->pace.gave_up = false;
	return true;
}

/*
 * exact_subsets.c - nested random subsets, and what the solution of one says of the next
 *
 * Let l be the level, n_l the size of its subset S_l, N that of the whole set, and C_l = C N / n_l
 * the bound of the subset.  A solution on S_{l-1} becomes a start on S_l:
 *
 *     (1)  f of the examples that are new in S_l, from the multipliers of S_{l-1}
 *     (2)  Old multipliers come under the new bound, which is lower by the growth
 *          g = n_l / n_{l-1}.  What was at C_{l-1} goes to C_l and leaves C_l (g - 1) over; what
 *          was free stays, cut at C_l, and leaves over what was cut.
 *     (3)  What was left over goes to new examples of the same sign, those deepest within the
 *          margin first: C_l to each until the bounded part is used up, then C_l / 2 to each for
 *          the free part.  So sum |beta|, and with it w, stays about what it was.
 *     (4)  sum beta = 0 again, by taking from the sign that has more, new examples first
 *     (5)  The working set: examples of S_l that are free, and those so near to the margin that
 *          the prediction may have put them on the wrong side; of those with beta = 0 a limited
 *          number.
 *     (6)  f of the working set, from the new multipliers
 *     (7)  Is the guess plausible at all?  If not, the new multipliers go back to 0.
 *
 * Where floats are too coarse for C ('predicts' is false) C_l = C, and (2), (3), (4) and (7) are
 * left out: multipliers of the subset before stay, and new ones are 0.
 *
 * The machines of nu have (2) to (4) of their own, and no (7).
 *
 * How far a prediction may be off, the noise, is measured from level 2 on: by how much decision
 * values moved in the first optimisation of the level before.  Level 1, and the choice of examples
 * in (3), assume EXACT_FIRST_NOISE.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/order.h"
#include "problem/fixed_sums.h"
#include "train/exact_run.h"
#include "train/working_set.h"

/*
 * Chosen because they make the trainings of bench/train fastest on the whole.  They change how soon
 * the optimum is found, but not the optimum.
 */
/* factor between the sizes of subsets; the whole set is 2 to 8 times the last subset */
#define SUBSET_GROWTH 4
/* width of the band outside the margin, in noises: few examples there have a multiplier */
#define NOISE_OUTSIDE 0.2
#define NOISE_INSIDE 1.2 /* width of the band within the margin, in noises */
/* |w|^2 of a plausible guess, in multiples of the largest |w|^2 of a solution so far */
#define MOST_NORM2 20
#define OUTSIDE_ROOM 2000 /* number of members with beta = 0 above the number of support vectors */

/* Orders for qsort_r() of examples of a run: least slack first, or largest; equal ones by number. */
static int order_slacks(const void *a, const void *b, void *run)
{
	const int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
	const int order = ORDER_OF(exact_slack(run, i), exact_slack(run, j));

	return order != 0 ? order : ORDER_OF(i, j);
}

static int order_falling_slacks(const void *a, const void *b, void *run)
{
	const int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
	const int order = ORDER_OF(exact_slack(run, j), exact_slack(run, i));

	return order != 0 ? order : ORDER_OF(i, j);
}

/* ---- drawing ---- */

/*
 * Nested subsets of the n examples listed: which belong to each level, and how many these are.
 * From the largest down: each reorders the list of the one above, so that they are nested.
 */
static int draw_nested(struct exact_run *s, int64_t *list, int64_t n, int64_t *n_in_level,
		       struct error *err)
{
	const struct rng_place place = { .seed = s->o->seed, .stream = RNG_FIRST_SAMPLE };
	int64_t n_above = n;

	for (int l = s->subsets.n_levels - 1; l > 0; l--) {
		/*
		 * the same share of each class, rounded up, so that its bounds have room for the
		 * sum
		 */
		double share = (double)s->subsets.size[l - 1] / (double)s->p->n;
		int64_t m = n == s->p->n ? s->subsets.size[l - 1] :
					   int64_min((int64_t)ceil(share * (double)n), n_above);

		if (rng_subset(&place, list, n_above, m, err) < 0)
			return -1;
		for (int64_t k = m; k < n_above; k++)
			s->subsets.first_level[list[k]] = (uint8_t)l;
		n_in_level[l - 1] += m;
		n_above = m;
	}
	return 0;
}

/*
 * Draw the subsets.  nu-SVC: each class by itself, as a class that is rare by chance may not be able
 * to hold half of the sum.
 */
static int draw_levels(struct exact_run *s, struct error *err)
{
	const bool by_class = s->p->type == MACHINE_NU_SVC;
	int64_t n_in_level[EXACT_MOST_LEVELS] = { 0 }, n = s->p->n;

	count_up(s->list_room, n);
	for (int plus = 0; plus <= by_class; plus++) {
		if (by_class)
			n = working_set_class(s->p, plus, s->list_room);
		if (draw_nested(s, s->list_room, n, n_in_level, err) < 0)
			return -1;
	}
	for (int l = 0; l < s->subsets.n_levels - 1; l++)
		s->subsets.size[l] = n_in_level[l];
	return 0;
}

int exact_draw_subsets(struct exact_run *s, struct error *err)
{
	const int64_t n = s->p->n;
	double size = (double)randsvm_sample_size(s->o, n);

	/* sizes grow while more than half of the examples is missing; the last is everything */
	while (!problem_is_stepwise(s->p) && size * 2 < (double)n &&
	       s->subsets.n_levels < EXACT_MOST_LEVELS - 1) {
		s->subsets.size[s->subsets.n_levels++] = (int64_t)size;
		size *= SUBSET_GROWTH;
	}
	s->subsets.size[s->subsets.n_levels++] = n;
	if (draw_levels(s, err) < 0)
		return -1;
	for (int64_t i = 0; i < n; i++)
		s->is_working[i] = s->subsets.first_level[i] == 0;
	/* a class too rare for the first sample joins it; a problem of one class has no solution */
	if (working_set_add_missing_classes(s->p, s->is_working, s->o->seed, s->subsets.size[0],
					    s->list_room, err) < 0)
		return -1;
	for (int64_t i = 0; i < n; i++)
		if (s->is_working[i])
			s->subsets.first_level[i] = 0;
	return 0;
}

/* What step (2) leaves for new examples, of bounded and free multipliers; [0] is negative. */
struct shares {
	double bounded[2], free[2];
};

/* Step (2): bring the old multipliers under the new bound, and add up what each sign loses. */
static struct shares scale_multipliers(struct exact_run *s, double scale_before)
{
	double growth = scale_before / s->subsets.scale;
	struct shares left = { { 0 }, { 0 } };

	for (int64_t i = 0; i < s->p->n; i++) {
		double c = exact_bound(s, i), size = fabs(s->x->beta[i]);
		bool positive = s->x->beta[i] > 0;

		if (s->subsets.first_level[i] >= s->subsets.level)
			continue;
		if (size >= c * growth * (1 - DBL_EPSILON))
			left.bounded[positive] += c * (growth - 1);
		else if (size > c)
			left.free[positive] += size - c;
		s->x->beta[i] = copysign(fmin(size, c), s->x->beta[i]);
	}
	return left;
}

/* Steps (2) and (3): new examples with a loss, or nearly one, get what old multipliers lose. */
static void guess_multipliers(struct exact_run *s, double scale_before)
{
	struct shares left = scale_multipliers(s, scale_before);
	int64_t *list = s->list_room;

	for (int positive = 0; positive <= 1; positive++) {
		double bounded = left.bounded[positive];
		double all = bounded + left.free[positive], sum = 0;
		int64_t n = 0;

		for (int64_t i = 0; i < s->p->n; i++)
			if (s->subsets.first_level[i] == s->subsets.level &&
			    exact_is_positive(s, i) == positive &&
			    exact_slack(s, i) < EXACT_FIRST_NOISE)
				list[n++] = i;
		qsort_r(list, (size_t)n, sizeof(*list), order_slacks, s);
		for (int64_t k = 0; k < n && sum < all; k++) {
			double c = exact_bound(s, list[k]) * (sum < bounded ? 1 : EXACT_FREE_SHARE);

			s->x->beta[list[k]] = positive ? c : -c;
			sum += c;
		}
	}
}

/* Step (4), sum beta = 0: new examples with the largest slack give first, then old ones. */
static void balance(struct exact_run *s)
{
	int64_t *list = s->list_room, n = 0;
	double sum = 0;

	for (int64_t i = 0; i < s->p->n; i++)
		sum += s->x->beta[i];
	for (int old = 0; old <= 1; old++) {
		for (int64_t i = 0; i < s->p->n; i++)
			if (s->x->beta[i] * sum > 0 &&
			    (s->subsets.first_level[i] < s->subsets.level) == old)
				list[n++] = i;
		if (!old)
			qsort_r(list, (size_t)n, sizeof(*list), order_falling_slacks, s);
	}
	for (int64_t k = 0; k < n && sum != 0; k++) {
		double *beta = &s->x->beta[list[k]];
		double taken = fabs(*beta) <= fabs(sum) ? *beta : sum;

		*beta -= taken;
		sum -= taken;
	}
}

/* ---- the working set ---- */

/*
 * (5).  Where multipliers are not guessed (predicts is false) all support vectors are members.
 * Examples with beta = 0 are limited, those with the largest loss first: with noisy labels most of
 * the set may be within the band.
 */
void exact_choose_working_set(struct exact_run *s, double noise)
{
	int64_t *outside = s->list_room, n = 0, n_outside = 0, room;

	for (int64_t i = 0; i < s->p->n; i++) {
		double distance = exact_slack(s, i);

		s->is_working[i] = exact_in_subset(s, i) && s->x->beta[i] != 0 &&
				   (exact_is_free(s, i) || !s->subsets.predicts ||
				    distance > -NOISE_INSIDE * noise);
		n += exact_in_subset(s, i) && s->x->beta[i] != 0;
		if (exact_in_subset(s, i) && s->x->beta[i] == 0 && distance < NOISE_OUTSIDE * noise)
			outside[n_outside++] = i;
	}
	room = n + OUTSIDE_ROOM;
	if (n_outside > room)
		qsort_r(outside, (size_t)n_outside, sizeof(*outside), order_slacks, s);
	for (int64_t k = 0; k < n_outside && k < room; k++)
		s->is_working[outside[k]] = true;
}

/* ---- the machines of nu, whose multipliers have fixed sums ---- */

/*
 * Bounds grow by the scale of the subset, as for the other machines, but the sums of either sign of
 * multipliers are those of the whole problem on every subset.  Then f, and with it both thresholds,
 * hardly change from one subset to the next: they are predictions of the whole problem's as they
 * are.
 *
 * A solution on S_{l-1} becomes a feasible start on S_l, for each sign of its own:
 *
 *     (1)  Old multipliers come under the new bound: what was bounded stays so, what was free is
 *          cut there.
 *     (2)  New examples beyond the threshold, or within EXACT_FIRST_NOISE of it, get what the sum
 *          then lacks, those farthest beyond it first: their bound, until the part that bounded
 *          ones have lost is given out, then EXACT_FREE_SHARE of it.
 *     (3)  What is still lacking goes to any example that has room, in the order of (2).
 *     (4)  nu-SVR's sums are limits: where the subset before had slack (smo_sets.h) the next one
 *          begins with as much; and with as much more as a sign has no room for, which is taken from
 *          the last examples of the other.
 *
 * No guess is taken back: w is a sum of examples with weights that add up to what they must, so
 * that a guess cannot be far larger than a solution as it can where C is large.
 */

/*
 * List examples that may have multipliers of this sign, farthest beyond the threshold first, in
 * s->list_room; their number.
 */
static int64_t rank_side(struct exact_run *s, bool positive)
{
	int64_t n = 0;

	for (int64_t i = 0; i < s->p->n; i++) {
		double beta = s->x->beta[i];
		bool fits =
			beta != 0 ? (beta > 0) == positive : exact_is_positive(s, i) == positive;

		if (exact_in_subset(s, i) && fits)
			s->list_room[n++] = i;
	}
	qsort_r(s->list_room, (size_t)n, sizeof(*s->list_room), order_slacks, s);
	return n;
}

/* Raise |beta_i| by at most 'size', as far as its bound and the undistributed sum '*left' allow. */
static void give(struct exact_run *s, int64_t i, bool positive, double size, double *left)
{
	double *beta = &s->x->beta[i], room = exact_bound(s, i) - fabs(*beta);

	size = fmin(fmin(size, room), *left);
	if (!(size > 0))
		return;
	/* a multiplier raised to its bound becomes exactly the bound, without rounding */
	*beta = size == room ? exact_bound(s, i) : fabs(*beta) + size;
	*beta = positive ? *beta : -*beta;
	*left -= size;
}

/* Step (1), cut one sign at the new bound; returns the loss of its bounded multipliers. */
static double cut_side(struct exact_run *s, bool positive, double scale_before, double *left)
{
	double growth = scale_before / s->subsets.scale, lost = 0;

	for (int64_t i = 0; i < s->p->n; i++) {
		double *beta = &s->x->beta[i], c = exact_bound(s, i), size = fabs(*beta);

		if (*beta == 0 || (*beta > 0) != positive)
			continue;
		if (size >= c * growth * (1 - DBL_EPSILON))
			lost += size - c;
		size = fmin(size, c);
		*beta = positive ? size : -size;
		*left -= size;
	}
	return lost;
}

/* Guess multipliers of one sign that sum to 'left'; returns the part that found no room. */
static double guess_side(struct exact_run *s, bool positive, double scale_before, double left)
{
	double bounded = cut_side(s, positive, scale_before, &left), all = left;
	const int64_t n = rank_side(s, positive), *list = s->list_room;

	/* step (2): new examples near or beyond the threshold get the missing part of the sum */
	for (int64_t k = 0; k < n && left > 0; k++) {
		int64_t i = list[k];
		double share = all - left < bounded ? 1 : EXACT_FREE_SHARE;

		if (s->subsets.first_level[i] == s->subsets.level &&
		    exact_slack(s, i) < EXACT_FIRST_NOISE * s->unit)
			give(s, i, positive, share * exact_bound(s, i), &left);
	}
	/* step (3): what is still missing goes to any example that has room */
	for (int64_t k = 0; k < n && left > 0; k++)
		give(s, list[k], positive, exact_bound(s, list[k]), &left);
	return left;
}

/* Step (4): take 'much' off one sign, from the multipliers least beyond their threshold first. */
static void take_from_side(struct exact_run *s, bool positive, double much)
{
	for (int64_t k = rank_side(s, positive) - 1; k >= 0 && much > 0; k--) {
		double *beta = &s->x->beta[s->list_room[k]], part = fmin(fabs(*beta), much);

		*beta -= positive ? part : -part;
		much -= part;
	}
}

/*
 * Multipliers of the subset from those of the one before, with the same sums, by the predicted
 * decision values.
 */
static void guess_sums(struct exact_run *s, double scale_before)
{
	const bool are_limits = s->p->type == MACHINE_NU_SVR;
	double slack = are_limits ? s->p->sum_plus : 0, lacking[2];

	/* step (4): slack that the sums had before multipliers came under the new bound */
	for (int64_t i = 0; are_limits && i < s->p->n; i++)
		slack -= fmax(s->x->beta[i], 0);
	slack = fmax(slack, 0);
	lacking[0] = guess_side(s, true, scale_before, s->p->sum_plus - slack);
	lacking[1] = guess_side(s, false, scale_before, s->p->sum_minus - slack);
	if (are_limits && lacking[0] != lacking[1])
		take_from_side(s, lacking[1] > lacking[0], fabs(lacking[0] - lacking[1]));
}

/* Multipliers and decision values with which the first subset begins. */
static int start_sums(struct exact_run *s, struct error *err)
{
	const struct interruption *interruption = s->p->interruption;
	int ret;

	fixed_sums_start(s->p, s->is_working, s->subsets.scale, s->x->beta);
	/* no interruption here: without these decision values there is no start, and no model */
	s->p->interruption = NULL;
	ret = exact_evaluate(s, s->list_room, exact_list_working(s), false, err);
	s->p->interruption = interruption;
	if (ret == 0)
		exact_measure_unit(s);
	return ret;
}

/* Standard deviation of the decision values in the subset. */
static double spread_of_values(const struct exact_run *s)
{
	double sum = 0, squares = 0;
	int64_t n = 0;

	for (int64_t i = 0; i < s->p->n; i++)
		if (exact_in_subset(s, i)) {
			sum += s->x->f[i];
			n++;
		}
	for (int64_t i = 0; i < s->p->n; i++)
		if (exact_in_subset(s, i)) {
			double off = s->x->f[i] - sum / (double)n;

			squares += off * off;
		}
	return sqrt(squares / (double)n);
}

void exact_measure_unit(struct exact_run *s)
{
	if (!problem_fixes_sums(s->p) || s->p->type == MACHINE_NU_SVR)
		return;
	s->unit = spread_of_values(s);
	if (s->p->type == MACHINE_NU_SVC && -s->x->epsilon > 0)
		s->unit = fmin(s->unit, -s->x->epsilon);
}

/* ---- from subset to subset ---- */

/*
 * (7).  D(t beta) = t L - t^2 |w|^2 / 2 with L of exact_linear().  All t in 0..1 are
 * feasible, so for a solution D cannot fall before t = 1: |w|^2 <= L.  The |w|^2 here is an
 * estimate: outside the working set f is still that of the multipliers before.  A guess may be
 * above L several times, because its many new multipliers are all alike; few steps correct that.
 * But where C is far larger than any multiplier of the solution, a guess with some of them at the
 * bound is beyond L by orders of magnitude, and a start from it is slower than one without it.
 */
static bool guess_is_wild(const struct exact_run *s)
{
	return ordered_product(s->x->beta, s->x->f, s->p->n) > MOST_NORM2 * exact_linear(s);
}

/* Step (7): return to the multipliers of the subset before, cut at the new bound, and their f. */
static int take_back_guess(struct exact_run *s, double noise, struct error *err)
{
	for (int64_t i = 0; i < s->p->n; i++) {
		if (s->subsets.first_level[i] == s->subsets.level)
			s->x->beta[i] = 0;
		s->x->f[i] = s->movement.before[i] + s->x->rho;
	}
	balance(s);
	exact_choose_working_set(s, noise);
	return exact_evaluate(s, s->list_room, exact_list_working(s), false, err);
}

/* Bound C of this subset, which is the working set, over C of the problem. */
static double scale_of(const struct exact_run *s)
{
	if (!s->subsets.predicts)
		return 1;
	return problem_fixes_sums(s->p) ?
		       fixed_sums_scale(s->p, s->is_working) :
		       (double)s->p->n / (double)s->subsets.size[s->subsets.level];
}

int exact_enter_subset(struct exact_run *s, struct error *err)
{
	int64_t *list = s->list_room, n_new = 0;
	double scale_before = s->subsets.scale;
	/* level 0 began at f = 0: its movement does not measure the noise of predictions */
	double noise = s->subsets.level > 1 ? s->subsets.noise : EXACT_FIRST_NOISE * s->unit;

	for (int64_t i = 0; i < s->p->n; i++)
		s->is_working[i] = exact_in_subset(s, i);
	s->subsets.scale = scale_of(s);
	/* noise is measured by exact_settle(), after the first optimisation of this level */
	s->subsets.noise = -1;
	/* level 0: the smallest subset; multipliers are 0 where no sum is fixed */
	if (s->subsets.level == 0)
		return problem_fixes_sums(s->p) ? start_sums(s, err) : 0;
	/* step (1): decision values of new examples, from the former subset's multipliers */
	for (int64_t i = 0; i < s->p->n; i++)
		if (s->subsets.first_level[i] == s->subsets.level)
			list[n_new++] = i;
	if (exact_evaluate(s, list, n_new, true, err) < 0)
		return -1;
	for (int64_t i = 0; i < s->p->n; i++)
		s->movement.before[i] = exact_position(s, i);
	/* steps (2) to (4): guess the multipliers of new examples, and make the sums right */
	if (problem_fixes_sums(s->p)) {
		guess_sums(s, scale_before);
	} else if (s->subsets.predicts) {
		guess_multipliers(s, scale_before);
		balance(s);
	}
	/* steps (5) and (6): the working set, and its decision values from the new multipliers */
	exact_choose_working_set(s, noise);
	if (exact_evaluate(s, list, exact_list_working(s), false, err) < 0)
		return -1;
	if (s->subsets.predicts && !problem_fixes_sums(s->p) && guess_is_wild(s))
		return take_back_guess(s, noise, err);
	return 0;
}

/*
 * leverage.c - choosing features by their leverage scores
 *
 * How this works.  Scores l_j = |v_j|^2 add up to the rank rho.  Three rules choose by them:
 *
 *   - iid: r draws with replacement, feature j with p_j = l_j / rho.  Drawn c times, its weight is
 *     w_j^2 = c / (r p_j), so that E sum_j w_j^2 v_j v_j' = sum_j v_j v_j' = I           (1)
 *   - Bernoulli: feature j with q_j = min(1, c l_j), w_j^2 = 1 / q_j, which has the same mean
 *     (2).  c is such that sum_j q_j = r: if m scores are cut at 1, it is
 *     c = (r - m) / (sum of the other scores) (3), and m is the least number for which no other
 *     c l_j is above 1
 *   - top: the r largest, weights 1
 *
 * Each draw is a function of seed and its number (iid) or the feature (Bernoulli), so that neither
 * the order of the features nor threads count.
 *
 * Source: Paul, Magdon-Ismail, Drineas 2015, section 3; Drineas, Mahoney, Muthukrishnan 2008, SIAM
 * J. Matrix Anal. Appl. 30, section 2 (both ways to sample).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/leverage.h"

#include <math.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/rng.h"

void leverage_free(struct leverage *l)
{
	mem_free_all(l->feature, l->score);
	*l = (struct leverage){ 0 };
}

int leverage_begin(struct leverage *l, const struct row_space *s, struct error *err)
{
	const int64_t n = s->columns.n;

	*l = (struct leverage){ .n = n,
				.rank = s->rank,
				.feature =
					mem_copy(s->columns.feature, n, sizeof(*l->feature), err),
				.score = mem_array(n, sizeof(*l->score), err) };
	return l->feature && l->score ? 0 : -1;
}

int leverage_exact(struct leverage *l, const struct row_space *s, int n_threads, struct error *err)
{
	/* the scores are O(entries rank), or O(d rank) where V is stored */
	if (leverage_begin(l, s, err) == 0 && row_space_leverage(s, l->score, n_threads, err) == 0)
		return 0;
	leverage_free(l);
	return -1;
}

/* ---- Rules ---- */

/* Factor c by equation (3), for r < n scores in descending order: those cut at 1 come first. */
static double bernoulli_factor(const struct scored_column *s, int64_t n, int64_t r)
{
	double rest = 0, factor = 0;
	int64_t full = r;

	/* sums go from the smallest score up, so that little is lost; m starts at r and falls */
	for (int64_t k = n - 1; k >= r; k--)
		rest += s[k].score;
	while (full > 0) {
		/* one more score is not cut at 1, so m is one less */
		rest += s[--full].score;
		factor = (double)(r - full) / rest;
		/* c times the next score is at least 1, so that it is cut: m is found */
		if (full == 0 || factor * s[full - 1].score >= 1)
			break;
	}
	return factor;
}

/* Rule (2): select feature j with probability q_j, independently, and give it 1 / sqrt(q_j). */
static int select_bernoulli(struct selection *selection, const struct leverage *l, int64_t r,
			    uint64_t seed, struct error *err)
{
	int64_t n;
	/* a feature without a score has no part in any direction of the space, and is left out */
	struct scored_column *s = scored_columns_of(l->score, l->n, &n, err);
	double factor;
	int ret = -1;

	if (s)
		ret = selection_init(selection, n, err);
	/* all features that have a score are taken where r asks for as many */
	factor = ret == 0 && r < n ? bernoulli_factor(s, n, r) : INFINITY;
	for (int64_t j = 0; j < l->n && ret == 0; j++) {
		uint64_t i = (uint64_t)((int64_t)l->feature[j] - 1);
		double q = factor * l->score[j]; /* probability q_j of the feature, rule (2) */

		if (l->score[j] <= 0)
			continue;
		if (q >= 1)
			selection_add(selection, l->feature[j], 1, l->score[j]);
		else if (rng_unit(rng_first64(rng_draw(seed, RNG_LEVERAGE, i, 0))) < q)
			selection_add(selection, l->feature[j], 1 / sqrt(q), l->score[j]);
	}
	mem_free(s);
	return ret;
}

/*
 * (1): r draws with replacement; a feature drawn c times is selected once, with the weight of c
 * draws.
 */
static int select_iid(struct selection *selection, const struct leverage *l, int64_t r,
		      uint64_t seed, struct error *err)
{
	double *cumulated = mem_array(l->n, sizeof(*cumulated), err), sum = 0;
	int64_t *place = mem_array(l->n, sizeof(*place), err);
	int64_t last = 0;
	int ret = -1;

	if (!cumulated || !place || selection_init(selection, int64_min(r, l->n), err) < 0)
		goto out;
	/* cumulated sums: the interval of a feature is as long as its score */
	for (int64_t j = 0; j < l->n; j++) {
		cumulated[j] = sum += l->score[j];
		/* rounding may make u * sum the sum itself: no feature without a score is drawn */
		last = l->score[j] > 0 ? j : last;
		place[j] = -1;
	}
	for (int64_t k = 0; k < r; k++) {
		double u =
			rng_unit(rng_first64(rng_draw(seed, RNG_LEVERAGE_TRIAL, (uint64_t)k, 0)));
		/* feature j is drawn where u times the sum falls into its interval */
		int64_t j = order_find_above(cumulated, last + 1, u * sum);

		/*
		 * a feature is added at its first draw, so that the selection is in the order of
		 * draws
		 */
		if (place[j] < 0) {
			place[j] = selection->n;
			selection_add(selection, l->feature[j], 0, l->score[j]);
		}
		/* number c of times the feature was drawn, until all draws are done */
		selection->weight[place[j]]++;
	}
	/* weight by rule (1), where r p_j is r l_j / sum */
	for (int64_t k = 0; k < selection->n; k++)
		selection->weight[k] =
			sqrt(selection->weight[k] * sum / ((double)r * selection->score[k]));
	ret = 0;
out:
	mem_free_all(cumulated, place);
	return ret;
}

int leverage_select(struct selection *selection, const struct leverage *l, int64_t r,
		    enum leverage_rule rule, uint64_t seed, struct error *err)
{
	*selection = (struct selection){ 0 };
	if (l->rank == 0 || r < 1)
		return error_set(err, ERR_ARGUMENT, "%s",
				 l->rank == 0 ?
					 "there are no features to select from: all values are 0" :
					 "no features to be selected");
	if (rule == LEVERAGE_IID && r > LEVERAGE_MOST_TRIALS)
		return error_set(err, ERR_ARGUMENT, "more than %d draws", LEVERAGE_MOST_TRIALS);
	if (rule == LEVERAGE_IID)
		return select_iid(selection, l, r, seed, err);
	if (rule == LEVERAGE_BERNOULLI)
		return select_bernoulli(selection, l, r, seed, err);
	/* 'top': no more than the features with a score can be chosen */
	return selection_of_scores(selection, l->score, l->n, r, l->feature, 1, err);
}

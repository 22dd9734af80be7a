/*
 * bss.c - features by single-set spectral sparsification
 *
 * How this works.  Features are vectors v_1 .. v_d of l numbers, the rows of an orthonormal basis V
 * of the row space, so that sum_j v_j v_j' = I.  Of r > l features with weights w the sum
 * A = sum w^2 v v' shall stay near I.  It is made in r steps (Paul, Magdon-Ismail, Drineas 2015,
 * Algorithm 1).  Each step raises a lower and an upper barrier (barrier.h) and adds t v v' for one
 * feature that they admit,
 *
 *     upper(v) <= lower(v),     t = 2 / (upper(v) + lower(v))                  (1)
 *
 * Among all features there always is one (Batson, Spielman, Srivastava 2009, Lemma 3.5).  At the
 * end eigenvalues of A lie between L = r - sqrt(r l) and U = delta (r + sqrt(r l)).  With
 * s = sqrt(l / r) these are r (1 - s) and r (1 + s)^2 / (1 - s); times
 *
 *     (1 - s) / r                                                              (2)
 *
 * they are (1 - s)^2 and (1 + s)^2, the guarantee.  So w_j^2 is (2) times the sum of j's t.
 *
 * Which admitted feature a step takes is free: the one with the largest |v| not chosen before (3);
 * if none of these is admitted, of those chosen before (4); if rounding leaves none at all, the
 * one with the largest (lower - upper) / |v|^2 (5).
 *
 * (1) does not depend on the length of v, so features are sorted by |v| once and a step ends at the
 * first one admitted: on text after one or two.  Judging one takes O(l^2); what saves time is
 *
 *   - batches that double: full products take over where the first features are not admitted;
 *   - keeping vectors that were judged and not taken: the next step begins with them;
 *   - a screen (barrier_screen) where thousands are not admitted: lower - upper <= a bound that
 *     costs half as much, and that rejects most (6).
 *
 * None of these changes what is chosen.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/bss.h"

#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/interruption.h"
#include "base/mem.h"
#include "select/bss_work.h"

enum {
	/* number of features that a step judges before it screens the others */
	SCREEN_AFTER = 2048,
	/* least number of features left to screen: a screen costs as much as judging them */
	SCREEN_LEFT = 8192
};

/* The feature that a step takes. */
struct choice {
	int32_t place; /* place of the feature in the field; -1: no feature yet */
	bool admitted; /* admission by (1): upper <= lower */
	struct barrier_verdict verdict;
	double excess; /* excess (lower - upper) / |v|^2, by which rule (5) chooses */
	double *y;     /* turned vector of the feature, l numbers */
};

/* A selection under way: options, features, barriers, and the batch that is judged. */
struct sparsification {
	const struct bss_options *o;
	struct bss_report *report;
	struct bss_field field;
	struct barrier barrier;
	struct bss_batch batch;
};

/* ---- One step ---- */

static int batch_init(struct bss_batch *t, const struct bss_field *f, const struct barrier *b,
		      struct error *err)
{
	t->y = mem_array(BSS_MAX_BATCH * f->l, sizeof(double), err);
	t->fresh = mem_array(BSS_MAX_BATCH * f->l, sizeof(double), err);
	t->turned = mem_array(BSS_MAX_BATCH * f->l, sizeof(double), err);
	t->full = mem_array(f->s->rank, sizeof(double), err);
	t->work = mem_array(BSS_MAX_BATCH * (f->l + b->recent.room), sizeof(double), err);
	return t->y && t->fresh && t->turned && t->full && t->work ? 0 : -1;
}

/*
 * Judge the batch.  Its first admitted feature becomes the choice: places ascend, so that none of
 * larger |v| was admitted, as (3) and (4) want.  While no feature is admitted, the one with the
 * largest excess of all judged so far is the choice, as (5) wants.
 */
static int judge_batch(struct bss_field *f, const struct barrier *b, struct bss_batch *t,
		       struct choice *c, struct error *err)
{
	if (bss_collect_vectors(f, b, t, err) < 0 ||
	    barrier_judge(b, t->y, t->n, t->verdict, t->work, err) < 0)
		return -1;
	for (int64_t k = 0; k < t->n && !c->admitted; k++) {
		/* the feature is admitted by (1) if this difference is not below 0 */
		double gain = t->verdict[k].lower.of - t->verdict[k].upper.of;
		double excess = gain / f->size[t->place[k]];

		if (gain >= 0 || c->place < 0 || excess > c->excess) {
			/* the turned vector is copied, as the batch is overwritten by the next one */
			c->place = t->place[k];
			c->admitted = gain >= 0;
			c->excess = excess;
			c->verdict = t->verdict[k];
			memcpy(c->y, t->y + k * f->l, (size_t)f->l * sizeof(*c->y));
		}
	}
	return 0;
}

/* Features that scans go over in turn: new ones, screened; those chosen before; all new ones. */
enum candidates { NEW_SCREENED, CHOSEN_BEFORE, NEW_ALL };

/* Judge the features of supply 'u' in order, until one is admitted or none is left. */
static int scan(struct sparsification *w, struct bss_supply *u, enum candidates which,
		struct choice *c, struct error *err)
{
	struct bss_field *f = &w->field;
	int64_t size = 1, n_judged = 0;

	/*
	 * Batches double from one feature on: mostly the first is admitted, and judging more would
	 * be in vain.  A screen replaces judging only for a step that has seen thousands rejected.
	 */
	while (!c->admitted) {
		/* places of the next batch, without the places that the screen rejects */
		bss_supply_batch(u, f, &w->batch, size, w->o->n_threads);
		if (w->batch.n == 0)
			break;
		if (interruption_check(err) < 0 ||
		    judge_batch(f, &w->barrier, &w->batch, c, err) < 0)
			return -1;
		/* a step that has judged many features judges the next ones by larger products */
		size = int64_min(2 * size, BSS_MAX_BATCH);
		n_judged += w->batch.n;
		if (which == NEW_SCREENED && f->l > 1 && u->screen.k == 0 &&
		    n_judged > SCREEN_AFTER && f->n - n_judged > SCREEN_LEFT &&
		    bss_supply_screen(u, f, &w->barrier, w->o->n_threads, err) < 0)
			return -1;
	}
	return 0;
}

/* Scan the candidates from the beginning; adds the number judged to *n_visited. */
static int scan_all(struct sparsification *w, enum candidates which, struct choice *c,
		    int64_t *n_visited, struct error *err)
{
	struct bss_supply *u = mem_zeroed(1, sizeof(*u), err);
	bool chosen = which == CHOSEN_BEFORE;
	int ret;

	if (!u)
		return -1;
	/* the supply starts before the first place */
	u->chosen = chosen;
	u->place = bss_next_place(&w->field, (int32_t)w->field.n, chosen);
	ret = scan(w, u, which, c, err);
	*n_visited += u->n_passed;
	bss_supply_free(u);
	mem_free(u);
	return ret;
}

/* Choose the feature of a step: a new one (3), a chosen one (4), or the least bad (5). */
static int choose(struct sparsification *w, struct choice *c, struct error *err)
{
	struct bss_report *report = w->report;
	int64_t n_visited = 0;

	c->place = -1;
	c->admitted = false;
	/*
	 * Rule (3): first features not chosen before, by descending |v|; (4): then those chosen
	 * before.  (5): rounding alone can lead there, as the lemma at the head of the file
	 * promises an admitted feature.  The largest excess is looked for among all, so also among
	 * those that the screen of (3) passed over.
	 */
	for (int which = NEW_SCREENED; which <= NEW_ALL && !c->admitted; which++)
		if (scan_all(w, (enum candidates)which, c, &n_visited, err) < 0)
			return -1;
	/* numbers of features judged, for the report of the whole selection */
	report->n_visited += n_visited;
	report->max_visited = int64_max(n_visited, report->max_visited);
	report->n_again += w->field.order.chosen[c->place] >= 0;
	report->n_forced += !c->admitted;
	/* weight t of (1) must be positive, but (5) may force a feature with upper + lower < 0 */
	if (!(c->verdict.upper.of + c->verdict.lower.of > 0))
		return error_set(err, ERR_NUMERIC,
				 "no feature keeps the eigenvalues between the "
				 "barriers: the basis of the rows is not orthonormal enough");
	return 0;
}

/*
 * A += t v v', by which the step ends.  The place keeps the sum of its t for (2).  A feature chosen
 * for the first time leaves the ring of places not chosen, and its slot becomes free: features
 * chosen before are judged in few steps, so that their vectors are not kept.
 */
static void take(struct sparsification *w, const struct choice *c, struct selection *selection)
{
	struct bss_field *f = &w->field;
	int32_t p = c->place;

	/* A is in the coordinates of the rows, while the barriers also need the turned vector */
	bss_make_vector(f, p, w->batch.full, w->batch.fresh);
	f->order.sum[p] += barrier_add(&w->barrier, w->batch.fresh, c->y, &c->verdict);
	if (f->order.chosen[p] >= 0)
		return;
	/* the place remembers where the feature is in the selection */
	f->order.chosen[p] = (int32_t)selection->n;
	selection_add(selection, f->s->columns.feature[f->column[p]], 0, f->size[p]);
	/* a chosen place leaves the ring of places that rule (3) looks at */
	f->order.next[f->order.before[p]] = f->order.next[p];
	f->order.before[f->order.next[p]] = f->order.before[p];
	/* the slot of a chosen feature serves another vector */
	if (f->kept.slot[p] >= 0)
		f->kept.free_slot[f->kept.n_free++] = f->kept.slot[p];
	f->kept.slot[p] = -1;
}

/* ---- All steps ---- */

static int sparsify(struct sparsification *w, struct selection *selection, struct error *err)
{
	const struct bss_options *o = w->o;
	struct choice c = { .y = mem_array(w->field.l, sizeof(double), err) };
	int ret = c.y ? 0 : -1;

	/* before and after each step the eigenvalues of A are between L and U of barrier.h */
	for (int64_t step = 0; step < o->n_features && ret == 0; step++) {
		if (barrier_raise(&w->barrier, err) < 0 ||
		    bss_turn_kept(&w->field, &w->barrier, err) < 0 || choose(w, &c, err) < 0) {
			ret = -1;
		} else {
			take(w, &c, selection);
			progress_observer_tell(&o->progress, step + 1, o->n_features);
		}
	}
	mem_free(c.y);
	return ret;
}

/* Weights by (2), and the extreme eigenvalues of the weighted sum beside their bounds. */
static int finish(struct sparsification *w, struct selection *selection, struct error *err)
{
	const struct bss_field *f = &w->field;
	struct bss_report *report = w->report;
	struct barrier *b = &w->barrier;
	double s = sqrt((double)b->l / (double)b->r), factor = (1 - s) / (double)b->r;

	/* squared weight: (2) times the sum of t, for features chosen in one step or in several */
	for (int64_t p = 0; p < f->n; p++)
		if (f->order.chosen[p] >= 0)
			selection->weight[f->order.chosen[p]] = sqrt(f->order.sum[p] * factor);
	report->n_turns = b->n_turns;
	if (barrier_extremes(b, &report->least, &report->largest, err) < 0)
		return -1;
	/* A times (2) is sum w^2 v v', with eigenvalues from (1 - s)^2 to (1 + s)^2 */
	report->least *= factor;
	report->largest *= factor;
	report->low = (1 - s) * (1 - s);
	report->high = (1 + s) * (1 + s);
	return 0;
}

static int choose_by_barriers(struct sparsification *w, struct selection *selection,
			      struct error *err)
{
	struct bss_batch *t = &w->batch;
	int ret = -1;

	/* memory for all steps is taken here, so that a step fails for numerical reasons alone */
	if (bss_field_open(&w->field, err) == 0 &&
	    barrier_init(&w->barrier, w->field.l, w->o->n_features, err) == 0 &&
	    batch_init(t, &w->field, &w->barrier, err) == 0 && sparsify(w, selection, err) == 0)
		ret = finish(w, selection, err);
	barrier_free(&w->barrier);
	mem_free_all(t->y, t->fresh, t->turned, t->full, t->work);
	return ret;
}

/* Take the first 'n' features; the weight of each is 1, or makes its vector's length 1. */
static void take_first(struct selection *selection, const struct bss_field *f, int64_t n, bool unit,
		       struct bss_report *report)
{
	/* a single feature has weight 1 / |v|; all features with weights 1 sum to the identity */
	for (int64_t p = 0; p < n; p++)
		selection_add(selection, f->s->columns.feature[f->column[p]],
			      unit ? 1 / sqrt(f->size[p]) : 1, f->size[p]);
	report->least = report->largest = report->low = report->high = 1;
}

int bss_select(struct selection *selection, const struct row_space *s, const struct bss_options *o,
	       struct bss_report *report, struct error *err)
{
	struct sparsification w = { .o = o, .report = report };
	struct bss_field *f = &w.field;
	int64_t r = o->n_features;
	int ret;

	*selection = (struct selection){ 0 };
	*report = (struct bss_report){ .dimension = s->rank, .all = r >= s->columns.n };
	if (s->rank == 0 || r < 1)
		return error_set(err, ERR_ARGUMENT, "%s",
				 s->rank == 0 ?
					 "there are no features to select from: all values are 0" :
					 "no features to be selected");
	/* r > l is needed: half of r leaves the barriers as much room as r = 2 l does */
	if (!report->all && r <= s->rank) {
		report->truncated = true;
		report->dimension = r >= 2 ? r / 2 : 1;
	}
	if (bss_field_init(f, s, report->dimension, o->n_threads, err) < 0)
		return -1;
	ret = selection_init(selection, int64_min(r, f->n), err);
	/* all features, one feature, or r steps between the barriers */
	if (ret == 0 && report->all)
		take_first(selection, f, f->n, false, report);
	else if (ret == 0 && r == 1)
		take_first(selection, f, 1, true, report);
	else if (ret == 0)
		ret = choose_by_barriers(&w, selection, err);
	if (ret < 0)
		selection_free(selection);
	bss_field_free(f);
	return ret;
}

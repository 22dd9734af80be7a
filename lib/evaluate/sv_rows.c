/*
 * sv_rows.c - which rows of the training data a model's support vectors are
 *
 * How this works.
 *
 *  (1) Equal vectors of a class are a group, and each row is looked up among the groups of its class
 *      (sv_index.h), in the 8 digits of svm-train's files.
 *  (2) Rows that are the group's vectors to the last bit are its rows, if they are enough; else those
 *      that are once they are written in 8 digits; else all rows of (1) are.  The file does not tell
 *      which is which where they differ.
 *  (3) Rows and vectors of a group meet, one to one.
 *
 * In (3) any assignment of equal rows is right in classification with hinge losses: they have the
 * same label and the same kernel values.  Where rows have weights, the heaviest gets the vector of
 * the largest coefficient, for which its bound may be needed.  In regression the rows of a group may
 * differ in their targets y_i, and of all assignments the one with the largest
 *
 *     D(beta) = sum_i (y_i beta_i - epsilon |beta_i| - s_i beta_i^2 / 2) - ...
 *
 * is the one that training would have found: where the s_i are 0 or equal, the two sequences in the
 * same order (the rearrangement inequality), where rows without a vector count as coefficients of 0.
 * With weights that may lift a coefficient above its bound, C times the weight of the row, and
 * squared losses have an s_i = 1 / (2 C_i) for each row.  But programs write vectors in the order of
 * the rows.  So there the assignment with the largest D of all that keep this order and the bounds is
 * taken, and the one by targets only where there is none.  With the first k vectors and i rows of a
 * group,
 *
 *     best(k, i) = max(best(k, i - 1), best(k - 1, i - 1) + share in D of vector k at row i)      (4)
 *
 * Memory is 40 bytes for each row that agrees with a vector, and an index of the vectors.  A row
 * costs a bisection among the keys of its class; matches and groups are sorted, O(m log m).  Rows
 * that agree with no vector, which are most, are not kept.  (4) takes a byte and a step for each
 * vector of a group and each row that it may be, and is left out where they are above MAX_STEPS.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/sv_rows.h"

#include <math.h>
#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/order.h"
#include "evaluate/certify.h"
#include "evaluate/sv_index.h"

/* Steps of (4) for one group at most. */
#define MAX_STEPS (1 << 24)

/* How a row agrees with the vectors of a group; the closest first. */
enum agreement { SAME, SAME_IN_DIGITS, NEAR };

/* A row that agrees with the vectors of a group in 8 digits. */
struct row_match {
	int64_t row, group; /* the row first, for order_int64s() */
	enum agreement agreement;
	double target; /* target of a regression; else 0 */
	double weight; /* weight of the row; 1 without weights */
};

/* A vector of a group, and its coefficient, or its largest size; see key_of(). */
struct sv_member {
	double coef;
	int64_t sv;
};

/* The vectors and the rows of a group, and the row of each vector of the model, to be set. */
struct meeting {
	struct sv_member *member;
	int64_t n_members;
	struct row_match *match;
	int64_t n_rows;
	int64_t *row;
};

struct row_search {
	struct sv_index index;
	const struct dataset *d;
	const struct training *t;
	struct row_match *match;     /* rows that are vectors, in the order of the data */
	int64_t n_matches, capacity; /* how many there are, and room for how many */
};

/* Sort by coefficient; equal coefficients by number, so that qsort() cannot change the order. */
static int compare_members(const void *a, const void *b)
{
	const struct sv_member *x = a, *y = b;

	return x->coef != y->coef ? ORDER_OF(x->coef, y->coef) : ORDER_OF(x->sv, y->sv);
}

/* Sort by target; equal targets by weight, and then by row. */
static int compare_targets(const void *a, const void *b)
{
	const struct row_match *x = a, *y = b;

	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight < y->weight ? -1 : 1;
	return ORDER_OF(x->row, y->row);
}

/* Sort by group; rows that agree best with its vectors come first. */
static int compare_matches(const void *a, const void *b)
{
	const struct row_match *x = a, *y = b;

	return x->group != y->group	    ? ORDER_OF(x->group, y->group) :
	       x->agreement != y->agreement ? ORDER_OF(x->agreement, y->agreement) :
					      compare_targets(a, b);
}

/* How does a row agree with the vectors of the group that was found for it? */
static enum agreement agreement_of(const struct sv_index *s, int64_t group, struct csr_row row)
{
	int64_t j = s->order[s->group[group].first];

	if (sv_index_same(s, row, csr_row_of(&s->m->sv, j)))
		return SAME;
	return sv_index_rounds_to(s, row, j, SV_INDEX_DIGITS) ? SAME_IN_DIGITS : NEAR;
}

/* Step (1): find the rows that agree with a vector, by group and target. */
static int find_matches(struct row_search *s, struct error *err)
{
	const bool regression = machine_is_regression(s->index.m->type);

	for (int64_t i = 0; i < s->d->x.n_rows; i++) {
		int class = sv_index_class(s->index.m, s->d->y[i]);
		struct csr_row e = csr_row_of(&s->d->x, i);
		/* rows of a class that the model does not have are not vectors */
		int64_t group =
			class < 0 ? -1 : sv_index_find(&s->index, e, class, SV_INDEX_DIGITS);

		if (group < 0)
			continue;
		if (mem_grow(&s->match, &s->capacity, s->n_matches + 1, sizeof(*s->match), err) < 0)
			return -1;
		s->match[s->n_matches++] =
			(struct row_match){ i, group, agreement_of(&s->index, group, e),
					    regression ? s->d->y[i] : 0,
					    s->d->weight ? s->d->weight[i] : 1 };
	}
	if (s->n_matches > 0)
		qsort(s->match, (size_t)s->n_matches, sizeof(*s->match), compare_matches);
	return 0;
}

/*
 * (3): a group's vectors by ascending coefficient meet its rows by ascending target.  Coefficients
 * below 0 are assigned from the lowest target upwards, others from the highest downwards, so that
 * rows without a vector, whose coefficient is 0, lie between.
 */
static void assign_by_target(const struct meeting *g)
{
	/* rows low .. top - 1 of the group are still without a vector */
	int64_t low = 0, top = g->n_rows;

	qsort(g->match, (size_t)g->n_rows, sizeof(*g->match), compare_targets);
	qsort(g->member, (size_t)g->n_members, sizeof(*g->member), compare_members);
	/* more vectors than rows: those that the loops come to last have none */
	for (int64_t k = 0; k < g->n_members && g->member[k].coef < 0 && low < top; k++)
		g->row[g->member[k].sv] = g->match[low++].row;
	for (int64_t k = g->n_members; k-- > 0 && g->member[k].coef >= 0 && low < top;)
		g->row[g->member[k].sv] = g->match[--top].row;
}

/*
 * What 'coef' at a row adds to D, but for what all rows of a group have; -INFINITY if it is above the
 * row's bound.  No bound is known of nu-SVC's.
 */
static double share_in_dual(const struct training *t, double coef, const struct row_match *at)
{
	double c = t->C * at->weight;

	if (t->squared_loss)
		return at->target * coef - coef * coef / (4 * c);
	if (machine_is_regression(t->type) && fabs(coef) > c * (1 + CERTIFY_ROUNDING))
		return -INFINITY;
	return at->target * coef;
}

/*
 * (4) of vectors in the order of the file: vector k may have row k to k + n_spare.  Of the table,
 * taken[k (n_spare + 1) + i] tells whether best(k + 1, k + i + 1) has row k + i for vector k, and
 * best[k] is best(k, rows so far).  Returns whether an assignment keeps the bounds, or -1.
 */
static int assign_in_order(const struct training *t, const struct meeting *g, struct error *err)
{
	const int64_t n_spare = g->n_rows - g->n_members, width = n_spare + 1;
	bool *taken = mem_zeroed(g->n_members * width, sizeof(*taken), err);
	double *best = mem_zeroed(g->n_members + 1, sizeof(*best), err);
	int ret = -1;

	if (!taken || !best)
		goto out;
	qsort(g->match, (size_t)g->n_rows, sizeof(*g->match), order_int64s);
	for (int64_t i = 0; i < g->n_rows; i++)
		/* downwards: best[k] is still without row i */
		for (int64_t k = int64_min(i, g->n_members - 1); k >= int64_max(0, i - n_spare);
		     k--) {
			double with = best[k] + share_in_dual(t, g->member[k].coef, &g->match[i]);

			if (i > k && !(with > best[k + 1]))
				continue;
			best[k + 1] = with;
			taken[k * width + i - k] = true;
		}
	ret = best[g->n_members] > -INFINITY;
	for (int64_t k = g->n_members, i = n_spare; k-- > 0;) {
		while (!taken[k * width + i])
			i--;
		g->row[g->member[k].sv] = g->match[k + i].row;
	}
out:
	mem_free_all(taken, best);
	return ret;
}

/*
 * Is the order of the file to be tried?  With weights, for (4).  nu-SVC's coefficients have a scale
 * for each pair of classes, so that with more than one the largest need not be that of the heaviest
 * row; where each row is a vector, the order tells.
 */
static bool order_matters(const struct row_search *s, const struct meeting *g)
{
	const struct model *m = s->index.m;
	const int64_t n_spare = g->n_rows - g->n_members;

	if (!s->d->weight || n_spare < 0 || g->n_members * (n_spare + 1) > MAX_STEPS)
		return false;
	if (m->type == MACHINE_NU_SVC)
		return m->solution.n_class > 2 && n_spare == 0;
	return machine_is_regression(m->type) || s->t->squared_loss;
}

/* (3) and (4): the rows of a group's vectors, which are in the order of the file */
static int assign_group(const struct row_search *s, const struct meeting *g, struct error *err)
{
	int in_order = order_matters(s, g) ? assign_in_order(s->t, g, err) : 0;

	if (in_order == 0)
		assign_by_target(g);
	return in_order < 0 ? -1 : 0;
}

/*
 * What a vector is ordered by: the coefficient of a regression, or the largest size of its
 * coefficients, all of which have the bound of its row.
 */
static double key_of(const struct model *m, int64_t sv)
{
	const struct solution *s = &m->solution;
	double largest = 0;

	if (machine_is_regression(m->type))
		return s->coef[sv];
	for (int k = 0; k < s->n_class - 1; k++)
		largest = fmax(largest, fabs(s->coef[k * s->n_sv + sv]));
	return largest;
}

/* Step (2): how many of a group's n rows, the first of match[], may be its n_members vectors. */
static int64_t choose_rows(struct row_match *match, int64_t n, int64_t n_members)
{
	int64_t chosen = 0;

	/* all rows of one agreement are as good as each other */
	while (chosen < n &&
	       (chosen < n_members || match[chosen].agreement == match[chosen - 1].agreement))
		chosen++;
	return chosen;
}

/*
 * Do the rows of a group leave open which of them its vectors are?  Not if they are equal, nor if
 * each is a vector and all have the same coefficients.
 */
static bool is_ambiguous(const struct row_search *s, const struct sv_group *group,
			 const struct row_match *match, int64_t n_rows)
{
	const struct solution *solution = &s->index.m->solution;
	const int64_t *sv = s->index.order + group->first;
	bool same_rows = true, same_coefficients = n_rows == group->n;

	for (int64_t i = 1; i < n_rows && same_rows; i++)
		same_rows = sv_index_same(&s->index, csr_row_of(&s->d->x, match[0].row),
					  csr_row_of(&s->d->x, match[i].row));
	for (int64_t v = 1; v < group->n && same_coefficients; v++)
		same_coefficients = solution_same_coefficients(solution, sv[0], sv[v]);
	return !same_rows && !same_coefficients;
}

/* Steps (2) to (4) for all groups; 'member' has room for the largest. */
static int assign_rows(const struct row_search *s, struct sv_member *member, int64_t *row,
		       struct sv_rows_doubts *doubts, struct error *err)
{
	for (int64_t at = 0, end; at < s->n_matches; at = end) {
		const struct sv_group *group = &s->index.group[s->match[at].group];
		struct meeting g = { member, group->n, s->match + at, 0, row };

		/* rows that match one group are neighbours */
		for (end = at; end < s->n_matches && s->match[end].group == s->match[at].group;)
			end++;
		g.n_rows = choose_rows(g.match, end - at, group->n);
		if (is_ambiguous(s, group, g.match, g.n_rows))
			doubts->n_ambiguous += group->n;
		for (int64_t k = 0; k < group->n; k++) {
			int64_t sv = s->index.order[group->first + k];

			member[k] = (struct sv_member){ key_of(s->index.m, sv), sv };
		}
		if (assign_group(s, &g, err) < 0)
			return -1;
	}
	return 0;
}

int sv_rows_find(const struct model *m, const struct dataset *d, const struct training *t,
		 int64_t *row, struct sv_rows_doubts *doubts, struct error *err)
{
	struct row_search s = { .d = d, .t = t };
	int64_t n = m->solution.n_sv;
	struct sv_member *member = mem_array(n, sizeof(*member), err);
	int ret = -1;

	*doubts = (struct sv_rows_doubts){ 0 };
	/* -1: no row was found for the vector */
	for (int64_t j = 0; j < n; j++)
		row[j] = -1;
	if (member && sv_index_init(&s.index, m, SV_INDEX_READ, err) == 0 &&
	    find_matches(&s, err) == 0)
		ret = assign_rows(&s, member, row, doubts, err);
	for (int64_t j = 0; j < n; j++)
		doubts->n_missing += row[j] < 0;
	sv_index_free(&s.index);
	mem_free_all(s.match, member);
	return ret;
}

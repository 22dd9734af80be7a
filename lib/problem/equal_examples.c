/*
 * equal_examples.c - one example in place of several that are equal
 *
 * How this works.  Let examples i of a group have the same x and target y.  Both
 * f = sum_i beta_i K(x_i, .) and sum_i y_i beta_i depend on B = sum_i beta_i of the group, and
 * |beta| costs epsilon |B| if all have one sign, which is the least for this B.  The box of B is
 * the sum of their boxes.  P has sum_i C_i loss_i, and their losses are equal.  So P, D and the
 * conditions of the optimum are those of a problem in which the group is one example whose C is the
 * sum of theirs.
 *
 * Groups are found by an open hash table of their numbers, at most half full: the place of an
 * example is its hash, or the next that is empty or holds the group it belongs to.
 *
 * What it wins in bench/landscape (CPU seconds of one thread, with it and without): skin_nonskin -c
 * 10 4.6 and 20.9, -t 1 -g 1 .21 and 1.3, scaled 2.9 and 5.2; a9a (seven cases) .34 to 1.4 and 1.26
 * to 1.34 times as much; w8a (five) .19 to .61 and 1.23 to 2.2 times as much.
 *
 * Layout, for five examples of which 0, 2 and 3 are equal:
 *
 *      example    0  1  2  3  4
 *      group      0  1  0  0  2        group[i], numbered by first occurrence
 *      row        0  1  4              row[g], the row of the group's first example
 *      weight     3  1  1              weight[g], sum of the weights of the group's examples
 *
 * The merged problem has group g as example g, with C weight[g] as its bound.  Multipliers go back
 * by equal_examples_spread(): the first examples of a group get their bound each until B is used up,
 * so that at most one of the group is between its bounds.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "problem/equal_examples.h"

/* Hash of the target and the entries of example i. */
static uint64_t hash_of(const struct problem_view *p, int64_t i)
{
	const struct kernel_source *source = problem_source(p);
	const int64_t row = p->row[i];
	uint64_t bits;

	memcpy(&bits, &p->target[i], sizeof(bits));
	return bits ^
	       (source->elsewhere ? source->elsewhere->hash[row] : csr_row_hash(p->x, row, false));
}

/*
 * Are two rows equal?  Of rows whose entries are elsewhere all that is known of them: of n rows of one
 * norm and length two that differ are taken for equal with a probability of n^2 / 2^65, 3e-8 of 1e6.
 */
static bool are_equal(const struct problem_view *p, int64_t a, int64_t b)
{
	const struct row_marks *marks = problem_source(p)->elsewhere;

	if (!marks)
		return csr_rows_are_equal(p->x, a, b, 1);
	return marks->hash[a] == marks->hash[b] && marks->norm2[a] == marks->norm2[b] &&
	       p->x->row_start[a + 1] - p->x->row_start[a] ==
		       p->x->row_start[b + 1] - p->x->row_start[b];
}

/*
 * Group of example i: that of one in the hash table, which has the first example of each and one
 * more, or a new one.
 */
static int64_t group_of(struct equal_examples *e, int64_t i, uint32_t *table, uint64_t mask)
{
	const struct problem_view *p = e->p;
	uint64_t at = hash_of(p, i) & mask;

	for (; table[at] > 0; at = (at + 1) & mask) {
		int64_t k = (int64_t)table[at] - 1;

		if (p->target[k] == p->target[i] && are_equal(p, p->row[k], p->row[i]))
			return e->group[k];
	}
	table[at] = (uint32_t)(i + 1);
	return e->merged.n++;
}

void equal_examples_free(struct equal_examples *e)
{
	mem_free_all(e->group, e->row, e->target, e->weight, e->spread);
	*e = (struct equal_examples){ 0 };
}

/* The group of each example, and how many these are. */
static int find_groups(struct equal_examples *e, struct error *err)
{
	int64_t size = 2;
	uint32_t *table;

	/* a power of two, so that a mask finds the slot; at most half full, so that searches end */
	while (size < 2 * e->p->n)
		size *= 2;
	table = mem_zeroed(size, sizeof(*table), err);
	e->group = mem_array(e->p->n, sizeof(*e->group), err);
	e->merged.n = 0;
	for (int64_t i = 0; table && e->group && i < e->p->n; i++)
		e->group[i] = group_of(e, i, table, (uint64_t)size - 1);
	mem_free(table);
	return err->code == ERR_NONE ? 0 : -1;
}

int equal_examples_init(struct equal_examples *e, const struct problem_view *p, double most,
			struct error *err)
{
	*e = (struct equal_examples){ .p = p, .merged = *p };
	/* the table of groups has numbers of 32 bits */
	if (p->n >= UINT32_MAX)
		return 1;
	if (find_groups(e, err) < 0)
		return -1;
	if ((double)e->merged.n > most * (double)p->n)
		return 1;
	e->row = mem_array(e->merged.n, sizeof(*e->row), err);
	e->target = mem_array(e->merged.n, sizeof(*e->target), err);
	e->weight = mem_zeroed(e->merged.n, sizeof(*e->weight), err);
	e->spread = mem_array(e->merged.n, sizeof(*e->spread), err);
	if (err->code != ERR_NONE)
		return -1;
	/* the first example of each group has its row last */
	for (int64_t i = p->n; i-- > 0;) {
		e->row[e->group[i]] = p->row[i];
		e->target[e->group[i]] = p->target[i];
	}
	for (int64_t i = 0; i < p->n; i++)
		e->weight[e->group[i]] += weight_at(p->weight, i);
	e->merged.row = e->row;
	e->merged.target = e->target;
	/* weights make the box of a group: problem_c() multiplies C by them */
	e->merged.weight = e->weight;
	e->merged.source = kernel_source_for_subset(problem_source(p));
	/* rows prepared for the linear engine are those of all examples, not of the groups */
	e->merged.linear_rows = NULL;
	return 0;
}

double *equal_examples_gather(const struct equal_examples *e, const double *beta, struct error *err)
{
	double *sum = mem_zeroed(e->merged.n, sizeof(*sum), err);

	/* sums of the bounds of a group's examples, which the product C weight[g] may miss by bits */
	double *bound = mem_zeroed(e->merged.n, sizeof(*bound), err);

	for (int64_t i = 0; sum && bound && i < e->p->n; i++) {
		sum[e->group[i]] += beta[i];
		bound[e->group[i]] += problem_c(e->p, i);
	}
	/* where all examples are at their bounds both sums are of the same numbers, in one order */
	for (int64_t g = 0; sum && bound && g < e->merged.n; g++)
		if (fabs(sum[g]) >= bound[g])
			sum[g] = copysign(problem_c(&e->merged, g), sum[g]);
	mem_free(bound);
	return sum;
}

/*
 * Share that example i gets of B, the multiplier of its group: it comes after examples whose
 * weights have the sum 'before'.
 */
static double share_of(const struct equal_examples *e, int64_t i, double whole, double before)
{
	const int64_t g = e->group[i];
	double c = problem_c(e->p, i), bound = problem_c(&e->merged, g);
	double left = fabs(whole) - before * (c / weight_at(e->p->weight, i));

	/* multipliers of a machine of nu that was ended early may be beyond their bounds */
	if (fabs(whole) > bound * (1 + DBL_EPSILON))
		return whole * weight_at(e->p->weight, i) / e->weight[g];
	/* where the group is at its bound each example is at its own: no rounding by differences */
	if (fabs(whole) >= bound)
		left = c;
	return copysign(fmin(fmax(left, 0), c), whole);
}

void equal_examples_spread(const struct equal_examples *e, const struct iterate *from,
			   struct iterate *to)
{
	memset(e->spread, 0, (size_t)e->merged.n * sizeof(*e->spread));
	for (int64_t i = 0; i < e->p->n; i++) {
		int64_t g = e->group[i];

		to->beta[i] = share_of(e, i, from->beta[g], e->spread[g]);
		e->spread[g] += weight_at(e->p->weight, i);
		to->f[i] = from->f[g];
		if (to->sizes && from->knows_sizes)
			to->sizes[i] = from->sizes[g];
	}
	to->knows_sizes = to->sizes && from->knows_sizes;
	to->sums_in_doubles = from->sums_in_doubles;
	to->rho = from->rho;
	to->epsilon = from->epsilon;
	to->summed = from->summed;
}

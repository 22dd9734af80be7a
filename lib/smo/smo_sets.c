/*
 * smo_sets.c - the working set: all its members, those being optimised alone, and their kernel rows
 *
 * Three numberings of the same examples:
 *
 *     example   0 .. p->n - 1      of the problem; beta and f of the caller
 *     member    0 .. all.n - 1     of the working set; example rows.example[member]
 *     number    0 .. core.n - 1    in the core; member core.member[number]
 *
 * and for 'all' number and member are the same.  A run is
 *
 *     smo_load_members()   slopes, multipliers and bounds from the caller
 *     ...                  steps among 'all'
 *     smo_load_core()      copies what belongs to the core: arrays without gaps to pass over, and
 *     ...                  steps among 'core'; its rows are made when they are first used
 *     smo_store_core()     the multipliers of the core and their offsets, and for all members
 *                          slope -= sum of change times row over those that changed
 *     smo_store_members()  multipliers and decision values to the caller
 *
 * Between load and store of the core the slopes and multipliers in 'all' are those before it.
 *
 * Up to SMO_WHOLE_ROWS members kernel rows are cached whole, over all members, and survive changes
 * of the working set; the core has copies of its part of them.  Above that, rows are computed over
 * the core alone, and the sum without rows.  The core's rows live as long as the core.  Rows that
 * are missing are computed many at a time, for the worst violators: filling the tiles of rows costs
 * as much for one of them as for all.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "smo/smo_sets.h"

#include "base/mem_bound.h"
#include "base/order.h"
#include "problem/decision.h"

/*
 * Rows over the core computed at once: each time all members of the core are put into tiles anew.
 * a9a (-c 10 -g .1) takes 2.47 s with 512, 2.60 with 128.  Of violators that may not be asked for
 * they are fewer where the core is above 1024, down to 128: with 512 rows of each core w8a takes
 * 67 MB in place of 48, no faster.
 */
#define CORE_ROWS_AT_ONCE 512
#define LEAST_ROWS_AT_ONCE 128

void smo_set_free(struct smo_set *set)
{
	mem_free(set->a.slope); /* all arrays are parts of it */
	*set = (struct smo_set){ 0 };
}

/* Release the arrays that only the core has. */
static void free_core(struct smo *s)
{
	mem_free_all(s->core_members.example, s->core_members.row, s->core_value, s->core_row,
		     s->core_start);
	s->core_members = (struct row_members){ 0 };
	s->core_value = NULL;
	s->core_row = NULL;
	s->core_start = NULL;
}

void smo_free(struct smo *s)
{
	row_cache_free(&s->rows);
	kernel_rows_free(&s->source);
	smo_set_free(&s->all);
	smo_set_free(&s->core);
	free_core(s);
	*s = (struct smo){ 0 };
}

int smo_init(struct smo *s, const struct problem_view *p, double cache_mb, int n_threads,
	     const struct interruption *interruption, struct error *err)
{
	*s = (struct smo){ .p = p, .n_threads = n_threads, .interruption = interruption };
	if (kernel_rows_init(&s->source, p, n_threads, err) < 0)
		return -1;
	row_cache_init(&s->rows, &s->source, cache_mb);
	return 0;
}

int smo_renew_rows(struct smo *s, struct error *err)
{
	row_cache_forget(&s->rows);
	kernel_rows_free(&s->source);
	return kernel_rows_init(&s->source, s->p, s->n_threads, err);
}

/* Length of the arrays for n members, with padding. */
static int64_t padded(int64_t n)
{
	return int64_round_up(n, SMO_LANES);
}

/* Number of arrays of doubles of a set: the last two are of a second side alone. */
static int count_doubles(int n_sides)
{
	return n_sides > 1 ? 9 : 7;
}

/*
 * The arrays are parts of one piece: a problem of a few examples takes little longer than its
 * allocations.  Each part begins at a cache line, as 'n' is padded, and so the capacity a multiple
 * of 8.
 */
int smo_set_room(struct smo_set *set, int n_sides, int64_t n, int64_t most, struct error *err)
{
	const int64_t capacity = int64_max(n, int64_min(n + n / 2, most));
	double **const doubles[] = { &set->a.slope,
				     &set->a.up_offset,
				     &set->a.down_offset,
				     &set->a.double_diagonal,
				     &set->beta,
				     &set->upper,
				     &set->lower,
				     &set->minus_up_offset,
				     &set->minus_down_offset };
	const int n_doubles = count_doubles(n_sides);
	double *piece;

	set->n_sides = n_sides;
	if (n <= set->capacity)
		return 0;
	smo_set_free(set);
	set->n_sides = n_sides;
	piece = mem_aligned(
		capacity,
		n_doubles * sizeof(*piece) + sizeof(*set->member) + sizeof(*set->a.diagonal), err);
	if (!piece)
		return -1;
	for (int k = 0; k < n_doubles; k++)
		*doubles[k] = piece + k * capacity;
	set->member = (int64_t *)(piece + n_doubles * capacity);
	set->a.diagonal = (float *)(set->member + capacity);
	set->capacity = capacity;
	return 0;
}

/* Members that stay keep their order and come first, then the new ones by example. */
int smo_set_members(struct smo *s, const bool *is_member, struct error *err)
{
	const bool was_whole = s->whole_rows;
	/* two sides where multipliers of either sign have a sum of their own */
	const int n_sides = s->p->sum_plus > 0 && s->p->sum_minus > 0 ? 2 : 1;
	int64_t n = s->p->n, n_kept = 0, n_new = 0;
	int ret = -1;
	bool *is_old = mem_zeroed(n, sizeof(*is_old), err);
	int64_t *list = mem_array(n, sizeof(*list), err);

	if (!is_old || !list)
		goto out;
	for (int64_t i = 0; i < s->rows.members.n; i++) {
		is_old[s->rows.members.example[i]] = true;
		if (!is_member || is_member[s->rows.members.example[i]])
			list[n_kept++] = i;
	}
	/* members that leave go first, so that their slots and numbers are free for new ones */
	if (n_kept < s->rows.members.n)
		row_cache_keep(&s->rows, list, n_kept);
	for (int64_t i = 0; i < n; i++)
		if ((!is_member || is_member[i]) && !is_old[i])
			list[n_new++] = i;
	s->whole_rows = n_kept + n_new <= SMO_WHOLE_ROWS || s->rows.is_kept ||
			problem_is_stepwise(s->p) || problem_source(s->p)->is_dear;
	if (!s->whole_rows)
		row_cache_forget(&s->rows);
	/* the core's rows are many when whole rows are not kept, and few when they are */
	if (s->whole_rows != was_whole)
		free_core(s);
	/* the cached rows are extended by the new members at once */
	if (n_new > 0 && row_cache_add(&s->rows, list, n_new, err) < 0)
		goto out;
	ret = smo_set_room(&s->all, n_sides, padded(s->rows.members.n), INT64_MAX, err);
	s->all.n = s->rows.members.n;
	s->all.a.n = padded(s->rows.members.n);
out:
	mem_free_all(is_old, list);
	return ret;
}

/*
 * Raising beta_i costs epsilon from 0 on, gains it below 0, and is impossible at the upper bound;
 * lowering it mirrors that.  With two sides there is no epsilon, and beta_i moves on the side of
 * its sign; at 0 it is raised on the first side, and lowered on the second.
 */
void smo_set_offsets(struct smo_set *set, double epsilon, int64_t i)
{
	double beta = set->beta[i];

	if (set->n_sides > 1) {
		set->a.up_offset[i] = beta >= 0 && beta < set->upper[i] ? 0 : -INFINITY;
		set->a.down_offset[i] = beta > 0 ? 0 : INFINITY;
		set->minus_up_offset[i] = beta < 0 ? 0 : -INFINITY;
		set->minus_down_offset[i] = beta <= 0 && beta > set->lower[i] ? 0 : INFINITY;
		return;
	}
	set->a.up_offset[i] = beta >= set->upper[i] ? -INFINITY : beta < 0 ? epsilon : -epsilon;
	set->a.down_offset[i] = beta <= set->lower[i] ? INFINITY : beta > 0 ? -epsilon : epsilon;
}

/* Padding can move neither way, so that it is never an extreme nor chosen for a pair. */
static void pad(struct smo_set *set)
{
	for (int64_t k = set->n; k < set->a.n; k++) {
		set->a.diagonal[k] = 0;
		set->a.double_diagonal[k] = 0;
		set->a.slope[k] = 0;
		set->a.up_offset[k] = -INFINITY;
		set->a.down_offset[k] = INFINITY;
		if (set->n_sides > 1) {
			set->minus_up_offset[k] = -INFINITY;
			set->minus_down_offset[k] = INFINITY;
		}
	}
}

/* Least share of a sum that a slack has: a smaller one is the rounding of the sum. */
#define LEAST_SLACK 1e-10

void smo_load_members(struct smo *s, double scale, const double *beta, const double *f)
{
	const struct problem_view *p = s->p;
	struct smo_set *set = &s->all;

	set->a.in_doubles = s->source.in_doubles;
	set->a.exact = problem_is_stepwise(p);
	s->core.n = 0;
	/* sums of 0, as of nu C that underflows, leave one side */
	set->sums_are_limits = p->type == MACHINE_NU_SVR && set->n_sides > 1;
	/* slack: shortfall of the sums of a regression's multipliers from their limits */
	set->slack = set->sums_are_limits ? p->sum_plus : 0;
	for (int64_t i = 0; set->sums_are_limits && i < p->n; i++)
		set->slack -= fmax(beta[i], 0);
	set->slack = set->slack > LEAST_SLACK * p->sum_plus ? set->slack : 0;
	for (int64_t k = 0; k < set->n; k++) {
		int64_t i = s->rows.members.example[k];

		set->a.double_diagonal[k] = problem_diagonal(p, i);
		set->a.diagonal[k] = (float)set->a.double_diagonal[k];
		set->a.slope[k] = problem_linear(p, i) - f[i];
		set->beta[k] = beta[i];
		set->upper[k] = scale * problem_upper(p, i);
		set->lower[k] = scale * problem_lower(p, i);
		set->member[k] = k;
		smo_set_offsets(set, problem_cost(p), k);
	}
	pad(set);
}

bool smo_store_members(const struct smo *s, double *beta, double *f)
{
	bool finite = true;

	for (int64_t k = 0; k < s->all.n; k++) {
		int64_t i = s->rows.members.example[k];

		beta[i] = s->all.beta[k];
		f[i] = problem_linear(s->p, i) - s->all.a.slope[k];
		finite = finite && isfinite(f[i]);
	}
	return finite;
}

/* A member and the size of its violation. */
struct candidate {
	double violation;
	int64_t i;
};

static bool is_worse(const void *a, const void *b)
{
	const struct candidate *one = a, *other = b;

	return one->violation != other->violation ? one->violation > other->violation :
						    one->i < other->i;
}

/* Put the 'most' worst of n candidates first, in any order; returns how many of them there are. */
static int64_t find_worst(struct candidate *list, int64_t n, int64_t most)
{
	int64_t m = int64_min(n, most);

	order_select(list, n, sizeof(*list), m, is_worse);
	return m;
}

/*
 * Keep the worst KERNEL_ROWS_AT_ONCE candidates, sorted, the worst first.  A member comes twice in
 * a row where it has two variables (smo_stepwise.c).
 */
static int insert_candidate(struct candidate *list, int n, struct candidate c)
{
	const int last = n < KERNEL_ROWS_AT_ONCE ? n : n - 1;
	int at = last;

	if (n == KERNEL_ROWS_AT_ONCE && c.violation <= list[n - 1].violation)
		return n;
	for (int k = 0; k < n; k++)
		if (list[k].i == c.i)
			return n;
	for (; at > 0 && list[at - 1].violation < c.violation; at--)
		list[at] = list[at - 1];
	list[at] = c;
	return last + 1;
}

/* Violation of the member in a pair with the best partner, raised or lowered. */
static double violation(const struct smo_set *set, int64_t k, const struct smo_extremes *x)
{
	double up = set->a.slope[k] + set->a.up_offset[k] - x->down;
	double down = x->up - (set->a.slope[k] + set->a.down_offset[k]), most;

	most = up > down ? up : down;
	for (int d = 1; set->n_sides > 1 && d < SMO_SIDES * SMO_SIDES; d++) {
		int raised = d / SMO_SIDES, lowered = d % SMO_SIDES;

		if (!smo_may_pair(set, raised, lowered))
			continue;
		up = set->a.slope[k] + smo_side(set, raised).up_offset[k] - x[lowered].down;
		down = x[raised].up - (set->a.slope[k] + smo_side(set, lowered).down_offset[k]);
		most = fmax(most, fmax(up, down));
	}
	return most;
}

/* Extremes that no member violates, for computing only the row that is wanted. */
static const struct smo_extremes no_violators[SMO_SIDES] = {
	{ .up = -INFINITY, .down = INFINITY }, { .up = -INFINITY, .down = INFINITY }
};

/*
 * The row of number i of a set, over all members; if it is not cached, it is computed along
 * with those of the worst violators of the set that are not, which are likely to be wanted next.
 */
static const void *kernel_row(struct smo *s, const struct smo_set *set, int64_t i,
			      const struct smo_extremes *x, struct error *err)
{
	struct candidate worst[KERNEL_ROWS_AT_ONCE];
	int64_t member[KERNEL_ROWS_AT_ONCE];
	int n, at_once = kernel_rows_at_once(&s->source, &s->rows.members);

	if (row_cache_cached(&s->rows, set->member[i]))
		return row_cache_get(&s->rows, set->member[i]);
	/* the row that is wanted is the first candidate in any case */
	n = insert_candidate(worst, 0, (struct candidate){ INFINITY, set->member[i] });
	/* from the last member on, as steps prefer the last among equals */
	for (int64_t k = set->n - 1; at_once > 1 && k >= 0; k--) {
		double v = violation(set, k, x);

		if (v > 0 && k != i && !row_cache_cached(&s->rows, set->member[k]))
			n = insert_candidate(worst, n, (struct candidate){ v, set->member[k] });
	}
	n = int64_min(n, at_once);
	for (int c = 0; c < n; c++)
		member[c] = worst[c].i;
	if (row_cache_fetch(&s->rows, member, n, err) < 0)
		return NULL;
	return row_cache_get(&s->rows, set->member[i]);
}

/* Place of the next row over the core. */
static void *next_core_row(struct smo *s)
{
	int64_t start = s->n_core_rows++ * s->core.a.n;
	size_t size = s->core.a.in_doubles ? sizeof(double) : sizeof(float);

	mem_use(s->core_value, (size_t)(start + s->core.a.n) * size);
	return (char *)s->core_value + (size_t)start * size;
}

/* Copy the core's part of the row of number i, kept until the core changes. */
static void copy_row(struct smo *s, int64_t i, const void *row)
{
	const struct smo_set *core = &s->core;
	void *copy = next_core_row(s);

	for (int64_t k = 0; core->a.in_doubles && k < core->a.n; k++)
		((double *)copy)[k] = k < core->n ? ((const double *)row)[core->member[k]] : 0;
	for (int64_t k = 0; !core->a.in_doubles && k < core->a.n; k++)
		((float *)copy)[k] = k < core->n ? ((const float *)row)[core->member[k]] : 0;
	s->core_row[i] = copy;
}

/* Compute the rows of n members over the core, at most CORE_ROWS_AT_ONCE, by number. */
static int fetch_core_rows(struct smo *s, const int64_t *number, int64_t n, struct error *err)
{
	int64_t wanted[CORE_ROWS_AT_ONCE];
	void *out[CORE_ROWS_AT_ONCE];

	for (int64_t k = 0; k < n; k++) {
		wanted[k] = s->core_members.example[number[k]];
		s->core_row[number[k]] = out[k] = next_core_row(s);
	}
	return kernel_rows_fetch(&s->source,
				 (struct row_request){ &s->core_members, 0, wanted, n, out }, err);
}

/* Compute the row of number i over the core, with rows of the worst violators not used before. */
static int make_core_rows(struct smo *s, int64_t i, const struct smo_extremes *x, struct error *err)
{
	struct candidate *list = mem_array(s->core.n, sizeof(*list), err);
	int64_t number[CORE_ROWS_AT_ONCE], n = 0;
	int64_t most = int64_max(CORE_ROWS_AT_ONCE * 1024 / s->core.n, LEAST_ROWS_AT_ONCE);
	int ret;

	if (!list)
		return -1;
	for (int64_t k = 0; k < s->core.n; k++) {
		double v = violation(&s->core, k, x);

		if (v > 0 && k != i && !s->core_row[k])
			list[n++] = (struct candidate){ v, k };
	}
	n = find_worst(list, n, int64_min(most, CORE_ROWS_AT_ONCE) - 1);
	for (int64_t k = 0; k < n; k++)
		number[k] = list[k].i;
	number[n++] = i;
	ret = fetch_core_rows(s, number, n, err);
	mem_free(list);
	return ret;
}

const void *smo_row_of(struct smo *s, const struct smo_set *set, int64_t i,
		       const struct smo_extremes *x, struct error *err)
{
	const void *row;

	if (set == &s->core && s->core_row[i])
		return s->core_row[i];
	if (!s->whole_rows)
		return make_core_rows(s, i, x, err) < 0 ? NULL : s->core_row[i];
	row = kernel_row(s, set, i, x, err);
	if (set == &s->core && row) {
		copy_row(s, i, row);
		return s->core_row[i];
	}
	return row;
}

/* Compute the rows of n numbers over the core, none of which was used before. */
static int add_core_rows(struct smo *s, const int64_t *number, int n, struct error *err)
{
	if (!s->whole_rows)
		return fetch_core_rows(s, number, n, err);
	for (int k = 0; k < n; k++)
		if (!smo_row_of(s, &s->core, number[k], no_violators, err))
			return -1;
	return 0;
}

int smo_core_rows(struct smo *s, const int64_t *number, int64_t n, const void **row,
		  struct error *err)
{
	int64_t missing[CORE_ROWS_AT_ONCE];
	int n_missing = 0;

	for (int64_t k = 0; k < n; k++) {
		if (!s->core_row[number[k]])
			missing[n_missing++] = number[k];
		if (n_missing < CORE_ROWS_AT_ONCE && k < n - 1)
			continue;
		if (n_missing > 0 && add_core_rows(s, missing, n_missing, err) < 0)
			return -1;
		n_missing = 0;
	}
	for (int64_t k = 0; k < n; k++)
		row[k] = s->core_row[number[k]];
	return 0;
}

int64_t smo_count_free(const struct smo_set *set)
{
	int64_t n = 0;

	for (int64_t i = 0; i < set->n; i++)
		n += smo_is_free(set, i);
	return n;
}

void smo_move(const struct smo_set *set, const double change[2], const void *const row[2],
	      struct smo_extremes *x)
{
	const void *finite = smo_finite_row(&set->a);

	smo_step(&set->a, change[0], row[0], change[1], row[1], x);
	for (int side = 1; side < set->n_sides; side++) {
		const struct smo_arrays a = smo_side(set, side);

		smo_step(&a, 0, finite, 0, finite, &x[side]);
	}
}

void smo_find_extremes(const struct smo_set *set, struct smo_extremes *x)
{
	const void *finite = smo_finite_row(&set->a);

	smo_move(set, (const double[2]){ 0, 0 }, (const void *const[2]){ finite, finite }, x);
}

/* Is the member free, or could it be in a pair that violates? */
static bool in_core(const struct smo_set *all, int64_t i, const struct smo_extremes *x)
{
	return smo_is_free(all, i) || violation(all, i, x) > 0;
}

int64_t smo_count_core(const struct smo_set *all, const struct smo_extremes *x)
{
	int64_t n = 0;

	for (int64_t i = 0; i < all->n; i++)
		n += in_core(all, i, x);
	return n;
}

/* Room in the core for n members and their rows. */
static int reserve_core(struct smo *s, int64_t n, struct error *err)
{
	int64_t capacity;

	n = padded(n);
	/* core_value is for rows as long as the capacity, of floats or doubles */
	if (s->core_value && n <= s->core.capacity && s->core.a.in_doubles == s->source.in_doubles)
		return 0;
	free_core(s);
	if (smo_set_room(&s->core, s->all.n_sides, n, SMO_WHOLE_ROWS, err) < 0)
		return -1;
	capacity = s->core.capacity;
	s->core_members.example = mem_array(capacity, sizeof(int64_t), err);
	s->core_members.row = mem_array(capacity, sizeof(int64_t), err);
	s->core_row = mem_array(capacity, sizeof(*s->core_row), err);
	s->core_start = mem_array(capacity, sizeof(*s->core_start), err);
	s->core_value = mem_reserve(capacity * capacity,
				    s->source.in_doubles ? sizeof(double) : sizeof(float), err);
	return err->code == ERR_NONE ? 0 : -1;
}

/* Whether a member belongs to the core, and whether it is one of those taken. */
enum place { OUTSIDE, IN_CORE, TAKEN };

/* The worst candidates are taken, at most 'most'; returns how many. */
static int64_t take_worst(struct candidate *list, int64_t n, int64_t most, char *place)
{
	n = find_worst(list, n, most);
	for (int64_t k = 0; k < n; k++)
		place[list[k].i] = TAKEN;
	return n;
}

/*
 * Take 'most' of all that belong to the core:
 *
 *     up to half   of the core before, by how much they changed: two examples that are nearly the
 *                  same and have other targets move far, but only when both are in the core
 *     half of the rest by what is gained by raising them, and then by lowering them; with two
 *                  sides a quarter of it for each direction and side
 */
static void choose_block(const struct smo *s, int64_t most, struct candidate *list, char *place)
{
	const struct smo_set *all = &s->all, *core = &s->core;
	int64_t n = 0, n_taken = 0;

	for (int64_t k = 0; k < core->n; k++) {
		double change = fabs(core->beta[k] - s->core_start[k]);

		if (change > 0 && place[core->member[k]] == IN_CORE)
			list[n++] = (struct candidate){ change, core->member[k] };
	}
	n_taken = take_worst(list, n, most / 2, place);
	for (int part = 2 * all->n_sides - 1; part >= 0; part--) {
		const struct smo_arrays a = smo_side(all, part / 2);

		n = 0;
		for (int64_t i = 0; i < all->n; i++)
			if (place[i] == IN_CORE)
				list[n++] = (struct candidate){
					part % 2 ? a.slope[i] + a.up_offset[i] :
						   -(a.slope[i] + a.down_offset[i]),
					i
				};
		n_taken += take_worst(list, n, (most - n_taken) / (1 + part), place);
	}
}

/* Copy a member into the next number of the core. */
static void add_to_core(struct smo *s, int64_t i)
{
	const struct smo_set *all = &s->all;
	struct smo_set *core = &s->core;
	int64_t n = core->n++;

	core->member[n] = i;
	core->a.diagonal[n] = all->a.diagonal[i];
	/* the arrays of doubles lie one after the other, in both sets in the same order */
	for (int k = 0; k < count_doubles(all->n_sides); k++)
		core->a.slope[k * core->capacity + n] = all->a.slope[k * all->capacity + i];
	s->core_start[n] = core->beta[n];
	s->core_row[n] = NULL;
	s->core_members.example[n] = s->rows.members.example[i];
	s->core_members.row[n] = s->rows.members.row[i];
}

int smo_load_core(struct smo *s, const struct smo_extremes *x, int64_t most, struct error *err)
{
	struct smo_set *core = &s->core;
	char *place = mem_array(s->all.n, sizeof(*place), err);
	struct candidate *list;
	int64_t n = 0;
	int ret = -1;

	for (int64_t i = 0; place && i < s->all.n; i++) {
		place[i] = in_core(&s->all, i, x) ? IN_CORE : OUTSIDE;
		n += place[i] == IN_CORE;
	}
	list = mem_array(n, sizeof(*list), err);
	if (!list || !place)
		goto out;
	if (n > most)
		choose_block(s, most, list, place);
	if (reserve_core(s, int64_min(n, most), err) < 0)
		goto out;
	core->n = 0;
	for (int64_t i = 0; i < s->all.n; i++)
		if (place[i] == (n > most ? TAKEN : IN_CORE))
			add_to_core(s, i);
	s->core_members.n = core->n;
	core->a.in_doubles = s->all.a.in_doubles;
	core->a.exact = s->all.a.exact;
	core->sums_are_limits = s->all.sums_are_limits;
	core->slack = s->all.slack;
	core->a.n = padded(core->n);
	s->n_core_rows = 0;
	pad(core);
	ret = 0;
out:
	mem_free_all(list, place);
	return ret;
}

/* slope -= change row for all members, by the rows of the core's members that changed. */
static int move_by_rows(struct smo *s, struct smo_extremes *x, struct error *err)
{
	const struct smo_set *core = &s->core;

	for (int64_t k = 0; k < core->n; k++) {
		double change = core->beta[k] - s->core_start[k];
		const void *row;

		if (change == 0)
			continue;
		row = kernel_row(s, core, k, no_violators, err);
		if (!row)
			return -1;
		smo_step(&s->all.a, change, row, 0, row, x);
	}
	return 0;
}

/* List the changes of the core's multipliers in 'term'; returns how many have changed. */
static int64_t list_changes(const struct smo *s, struct decision_term *term)
{
	int64_t n = 0;

	for (int64_t k = 0; k < s->core.n; k++) {
		double change = s->core.beta[k] - s->core_start[k];

		if (change != 0)
			term[n++] = (struct decision_term){ s->core_members.example[k], change };
	}
	qsort(term, (size_t)n, sizeof(*term), order_int64s);
	return n;
}

/* Move the slopes of all members by the core's changes, summed as precisely as steps' rows are. */
static int move_by_sums(struct smo *s, struct error *err)
{
	const struct row_members *members = &s->rows.members;
	struct decision_term *term = mem_array(s->core.n, sizeof(*term), err);
	double *moved = mem_array(members->n, sizeof(*moved), err);
	struct kernel_sums sums;
	int ret = -1;

	if (term && moved)
		ret = decision_init_terms(&sums, s->p, term, list_changes(s, term), err);
	mem_free(term);
	if (ret == 0) {
		const bool are_all = members->n == s->p->n && members->in_place;

		ret = kernel_sums_values(&sums, are_all ? NULL : members->example, members->n,
					 moved, s->n_threads, err);
		kernel_sums_free(&sums);
	}
	for (int64_t i = 0; ret == 0 && i < s->all.n; i++)
		s->all.a.slope[i] -= moved[i];
	mem_free(moved);
	return ret;
}

int smo_store_core(struct smo *s, struct smo_extremes *x, struct error *err)
{
	const struct smo_set *core = &s->core;

	if ((s->whole_rows ? move_by_rows(s, x, err) : move_by_sums(s, err)) < 0)
		return -1;
	for (int64_t k = 0; k < core->n; k++) {
		s->all.beta[core->member[k]] = core->beta[k];
		smo_set_offsets(&s->all, problem_cost(s->p), core->member[k]);
	}
	s->all.slack = core->slack;
	smo_find_extremes(&s->all, x);
	return 0;
}

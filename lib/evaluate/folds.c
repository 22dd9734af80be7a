/*
 * folds.c - the rows of a data set, shuffled and cut into folds
 *
 * How this works.  LIBSVM's svm_cross_validation() shuffles and cuts in a way of its own, and every
 * accuracy that svm-train -v has printed depends on it; so each line here does what it does, in the
 * same order of draws:
 *
 *     random      shuffle all rows; fold i is the places from i n / n_folds on
 *     stratified  shuffle the rows of each class; fold i is its part, by the same rule, of the
 *                 first class, then of the second, ...
 *
 * The parts of classes are rounded down one by one, so that folds of many small classes may differ
 * by as many rows as there are classes.  A draw modulo m, which prefers small numbers by a little,
 * is also what LIBSVM does.
 *
 * Groups are dealt out whole.  Rows sorted by group and class lie together, which makes the groups
 * and their parts of one class; all rows together are one more class:
 *
 *     member    ann a 0   ann a 2   ann b 5   bob a 1   bob b 4   cid b 3      group, class, row
 *     part      [ ann: 3 ] [ ann a: 2 ] [ ann b: 1 ] [ bob: 2 ] [ bob a: 1 ] ...
 *     count     rows of each class, and of all, in each fold so far
 *
 * A group adds to V what depends on the fold, 2 sum_c n_g,c n_f,c / N_c + 2 n_g n_f / n_rows, and what
 * does not.  The fold of the least is no worse than the mean fold, so that a step adds at most
 * (1 - 1 / n_folds) (sum_c n_g,c^2 / N_c + n_g^2 / n_rows) to V: hence the bound.  Where a fold is
 * empty the sum is 0, and above it elsewhere, so that no fold stays empty.  Large groups come first:
 * one that came late would leave folds of very different sizes.
 *
 * A fold is a part of f->row: rows row[start[i]] .. row[start[i + 1] - 1].  The rows outside are
 * the other two parts of the same array, before and after, which folds_outside() copies.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/folds.h"

#include "base/order.h"

void folds_free(struct folds *f)
{
	mem_free_all(f->start, f->row);
	*f = (struct folds){ 0 };
}

/* Allocate the starts of the folds and the list of all rows; '*f' is empty after a failure. */
static int folds_allocate(struct folds *f, int64_t n_rows, int64_t n_folds, struct error *err)
{
	*f = (struct folds){ .n = n_folds };
	f->start = mem_zeroed(n_folds + 1, sizeof(*f->start), err);
	f->row = mem_array(n_rows, sizeof(*f->row), err);
	if (f->start && f->row)
		return 0;
	folds_free(f);
	return -1;
}

/* as Fisher and Yates do, from the front: place i gets one of the rows from i on */
void rows_shuffle(int64_t *row, int64_t n, struct glibc_rand *draws)
{
	for (int64_t i = 0; i < n; i++) {
		/* one draw for each row, in LIBSVM's order */
		int64_t j = i + glibc_rand_next(draws) % (n - i), first = row[i];

		row[i] = row[j];
		row[j] = first;
	}
}

int folds_random(struct folds *f, int64_t n_rows, struct fold_draw by, struct error *err)
{
	if (folds_allocate(f, n_rows, by.n_folds, err) < 0)
		return -1;
	count_up(f->row, n_rows);
	rows_shuffle(f->row, n_rows, by.draws);
	/* fold i ends where fold i + 1 begins */
	for (int64_t i = 0; i <= f->n; i++)
		f->start[i] = i * n_rows / f->n;
	return 0;
}

int folds_stratified(struct folds *f, const struct classes *c, struct fold_draw by,
		     struct error *err)
{
	const int64_t n_folds = by.n_folds;
	int64_t n_rows = c->start[c->n],
		*shuffled = mem_copy(c->row, n_rows, sizeof(*shuffled), err);
	int64_t n = 0;

	*f = (struct folds){ 0 };
	if (!shuffled || folds_allocate(f, n_rows, n_folds, err) < 0) {
		mem_free(shuffled);
		return -1;
	}
	/* classes, in the order that LIBSVM numbers them; all are shuffled before any is cut */
	for (int k = 0; k < c->n; k++)
		rows_shuffle(shuffled + c->start[k], c->start[k + 1] - c->start[k], by.draws);
	for (int64_t i = 0; i < n_folds; i++) {
		f->start[i] = n;
		for (int k = 0; k < c->n; k++) {
			const int64_t first = c->start[k], size = c->start[k + 1] - first;

			/* fold i takes the i-th part of the class, rounded down at both ends */
			for (int64_t j = i * size / n_folds; j < (i + 1) * size / n_folds; j++)
				f->row[n++] = shuffled[first + j];
		}
	}
	f->start[n_folds] = n;
	mem_free(shuffled);
	return 0;
}

/*
 * List the rows of no fold, whose number is -1, and of each, class by class as folds_stratified()
 * does.
 */
static void list_rows(struct folds *f, const int64_t *fold, int64_t n_rows, const struct classes *c)
{
	for (int64_t i = 0; i < n_rows; i++)
		f->start[fold[i] + 1]++;
	/* now fold k begins at start[k]; and from its end its rows fill it backwards */
	for (int64_t k = 1; k <= f->n; k++)
		f->start[k] += f->start[k - 1];
	for (int64_t k = n_rows; k-- > 0;) {
		int64_t i = c ? c->row[k] : k;

		f->row[--f->start[fold[i] + 1]] = i;
	}
	/* its end has become its start */
	memmove(f->start, f->start + 1, (size_t)f->n * sizeof(*f->start));
	f->start[f->n] = n_rows;
}

/* ---- groups ---- */

/* A row, sorted by its group and class. */
struct member {
	int64_t group, row;
	int class;
};

/* The rows of a group that are of one class, or all of them, which are of class n_classes. */
struct class_part {
	int class;
	int64_t n;
	double share; /* n / N_c, or n / n_rows */
};

/* A group: all its rows are part number 'part', and those of each class the parts behind it. */
struct row_group {
	int64_t place; /* its first row, later its place in the random order; first, to sort by */
	int64_t first; /* its first member */
	int64_t part, n_parts;
	double size; /* sum over the parts of n share */
};

/* Groups on their way into folds.  Owns its arrays. */
struct dealing {
	int64_t n_rows, n_groups;
	int n_classes;
	struct member *member;	 /* n_rows */
	struct class_part *part; /* 2 n_rows at most */
	struct row_group *group; /* n_groups; room for n_rows */
	int64_t *order;		 /* the groups in random order; later the fold of each row */
	int64_t *count;		 /* rows in each fold so far, [n_folds][n_classes + 1] */
};

static int compare_members(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return x->group != y->group ? ORDER_OF(x->group, y->group) :
	       x->class != y->class ? ORDER_OF(x->class, y->class) :
				      ORDER_OF(x->row, y->row);
}

/* The largest first, equal ones in random order. */
static int compare_sizes(const void *a, const void *b)
{
	const struct row_group *x = a, *y = b;

	return x->size != y->size ? ORDER_OF(y->size, x->size) : ORDER_OF(x->place, y->place);
}

static int dealing_init(struct dealing *d, const int64_t *group, int64_t n_rows,
			const struct classes *c, struct error *err)
{
	*d = (struct dealing){ .n_rows = n_rows, .n_classes = c ? c->n : 0 };
	d->member = mem_array(n_rows, sizeof(*d->member), err);
	d->part = mem_array(2 * n_rows, sizeof(*d->part), err);
	d->group = mem_array(n_rows, sizeof(*d->group), err);
	d->order = mem_array(n_rows, sizeof(*d->order), err);
	if (err->code != ERR_NONE)
		return -1;
	for (int64_t i = 0; i < n_rows; i++)
		d->member[i] = (struct member){ group[i], i, 0 };
	for (int k = 0; k < d->n_classes; k++)
		for (int64_t j = c->start[k]; j < c->start[k + 1]; j++)
			d->member[c->row[j]].class = k;
	qsort(d->member, (size_t)n_rows, sizeof(*d->member), compare_members);
	return 0;
}

static void add_part(struct dealing *d, struct row_group *g, int class)
{
	d->part[g->part + g->n_parts++] = (struct class_part){ .class = class };
}

/* Find the groups among the members, and their parts. */
static void find_groups(struct dealing *d)
{
	for (int64_t k = 0; k < d->n_rows; k++) {
		const struct member *m = &d->member[k];
		const bool begins = k == 0 || m->group != m[-1].group;
		struct row_group *g = &d->group[d->n_groups - !begins];

		if (begins) {
			int64_t part = d->n_groups++ > 0 ? g[-1].part + g[-1].n_parts : 0;

			*g = (struct row_group){ .first = k, .part = part, .place = m->row };
			add_part(d, g, d->n_classes);
		}
		if (d->n_classes > 0 && (begins || m->class != m[-1].class))
			add_part(d, g, m->class);
		d->part[g->part].n++;
		if (d->n_classes > 0)
			d->part[g->part + g->n_parts - 1].n++;
		if (m->row < g->place)
			g->place = m->row;
	}
}

static void measure_groups(struct dealing *d, const struct classes *c)
{
	for (struct row_group *g = d->group; g < d->group + d->n_groups; g++)
		for (int64_t k = g->part; k < g->part + g->n_parts; k++) {
			struct class_part *p = &d->part[k];
			int64_t n = p->class == d->n_classes ?
					    d->n_rows :
					    c->start[p->class + 1] - c->start[p->class];

			p->share = (double)p->n / (double)n;
			g->size += (double)p->n * p->share;
		}
}

/* Order the groups as they are dealt: by size, equal sizes at random. */
static void order_groups(struct dealing *d, struct glibc_rand *draws)
{
	const size_t n = (size_t)d->n_groups;

	/* by the first row of each group: the number of the group must not matter */
	qsort(d->group, n, sizeof(*d->group), order_int64s);
	count_up(d->order, d->n_groups);
	rows_shuffle(d->order, d->n_groups, draws);
	for (int64_t k = 0; k < d->n_groups; k++)
		d->group[d->order[k]].place = k;
	qsort(d->group, n, sizeof(*d->group), compare_sizes);
}

/* Half of what a group adds to V, as far as it depends on the fold. */
static double cost_of(const struct dealing *d, const struct row_group *g, int64_t fold)
{
	const int64_t *count = d->count + fold * (d->n_classes + 1);
	double cost = 0;

	for (int64_t k = g->part; k < g->part + g->n_parts; k++)
		cost += d->part[k].share * (double)count[d->part[k].class];
	return cost;
}

/* Deal the groups; d->order becomes the fold of each row. */
static void deal_groups(struct dealing *d, int64_t n_folds)
{
	for (const struct row_group *g = d->group; g < d->group + d->n_groups; g++) {
		const struct member *m = d->member + g->first;
		int64_t best = 0;
		double least = cost_of(d, g, 0);

		for (int64_t k = 1; k < n_folds && least > 0; k++) {
			double cost = cost_of(d, g, k);

			if (cost < least) {
				least = cost;
				best = k;
			}
		}
		for (int64_t k = g->part; k < g->part + g->n_parts; k++)
			d->count[best * (d->n_classes + 1) + d->part[k].class] += d->part[k].n;
		for (int64_t k = 0; k < d->part[g->part].n; k++)
			d->order[m[k].row] = best;
	}
}

int folds_grouped(struct folds *f, const int64_t *group, int64_t n_rows, const struct classes *c,
		  struct fold_draw by, struct error *err)
{
	const int64_t n_folds = by.n_folds;
	struct dealing d;
	int ret = -1;

	*f = (struct folds){ 0 };
	if (dealing_init(&d, group, n_rows, c, err) < 0)
		goto out;
	find_groups(&d);
	if (d.n_groups < n_folds) {
		error_set(err, ERR_ARGUMENT,
			  "%" PRId64 " group%s not enough for %" PRId64
			  " folds: there can be no more folds than groups",
			  d.n_groups, d.n_groups == 1 ? " is" : "s are", n_folds);
		goto out;
	}
	d.count = mem_zeroed(n_folds * (d.n_classes + 1), sizeof(*d.count), err);
	if (!d.count || folds_allocate(f, n_rows, n_folds, err) < 0)
		goto out;
	measure_groups(&d, c);
	order_groups(&d, by.draws);
	deal_groups(&d, n_folds);
	list_rows(f, d.order, n_rows, c);
	ret = 0;
out:
	mem_free_all(d.member, d.part, d.group, d.order, d.count);
	return ret;
}

/* ---- the folds of a data set ---- */

int folds_of_data(struct folds *f, const struct dataset *d, struct fold_draw by, bool classifies,
		  struct error *err)
{
	const int64_t n_rows = d->x.n_rows;
	struct classes classes = { 0 };
	const struct classes *c = classifies ? &classes : NULL;
	int ret = -1;

	/* leaving one out: every fold has one row, and no share of a class */
	if (!d->fold && !d->group && (!classifies || by.n_folds >= n_rows)) {
		by.n_folds = int64_min(by.n_folds, n_rows);
		return folds_random(f, n_rows, by, err);
	}
	*f = (struct folds){ 0 };
	if (classifies && classes_init(&classes, d, err) < 0)
		return -1;
	if (!d->fold) {
		ret = d->group ? folds_grouped(f, d->group, n_rows, c, by, err) :
				 folds_stratified(f, c, by, err);
	} else if (folds_allocate(f, n_rows, by.n_folds, err) == 0) {
		f->given = d->fold;
		list_rows(f, d->fold, n_rows, c);
		ret = 0;
	}
	classes_free(&classes);
	return ret;
}

int64_t folds_outside(const struct folds *f, int64_t fold, int64_t *row)
{
	/* rows keep the order of the folds, in which LIBSVM trains on them */
	int64_t n = 0, before = f->start[fold], after = f->start[f->n] - f->start[fold + 1];

	if (f->given) {
		for (int64_t i = 0; i < f->start[f->n]; i++)
			if (f->given[i] != fold)
				row[n++] = i;
		return n;
	}
	memcpy(row, f->row, (size_t)before * sizeof(*row));
	memcpy(row + before, f->row + f->start[fold + 1], (size_t)after * sizeof(*row));
	return before + after;
}

/* ---- folds of a stream ---- */

/*
 * Stratified folds are permuted blocks, one sequence for each class:
 *
 *     rows of class A     1st 2nd 3rd 4th | 5th 6th 7th 8th | 9th ...          n_folds = 4
 *     their folds          2   0   1   3  |  1   3   0   2  |  ...
 *                         a permutation     the next one
 *
 * After m rows of a class each fold has floor(m / n_folds) or one more, whenever the stream ends.
 * Among the folds that are still due in a permutation, the one that has the fewest rows of all
 * classes comes first, and of equal ones the first of the permutation: else the remainders of many
 * small classes would add up in some folds.  A permutation is the draws of the row that begins it, so
 * nothing but the permutation in use has to be kept of a class, and any reader of the same rows
 * finds the same folds.
 *
 * Labels are looked up in a hash table by their bytes: a stream may have any number of classes.
 */

/*
 * Number of folds up to which their sizes are compared, which takes half as many steps a row:
 * leaving one out of a million must not take 10^12.  So many folds have few rows each, and their
 * sizes matter less.
 */
enum { MOST_COMPARED = 1024 };

/* floor(word m / 2^32): a number below m from 32 random bits, equally likely to m / 2^32 */
static int64_t below(uint32_t word, int64_t m)
{
	/* the high bits of the product are the fold */
	return (int64_t)((uint64_t)word * (uint64_t)m >> 32);
}

/* Number of the class with this label, added if it is new; or -1 without memory. */
static int64_t find_class(struct drawn_folds *f, double label, struct error *err)
{
	const int64_t n = f->labels.n;
	int64_t k;

	label += 0.0; /* turns -0 into 0 */
	k = text_set_find(&f->labels, (const char *)&label, sizeof(label));
	if (k >= 0)
		return k;
	/* room for one more class and for its permutation */
	if (mem_grow(&f->n_of_class, &f->classes_capacity, n + 1, sizeof(int64_t), err) < 0 ||
	    mem_grow(&f->order, &f->orders_capacity, (n + 1) * f->n_folds, sizeof(*f->order), err) <
		    0)
		return -1;
	f->n_of_class[n] = 0;
	return text_set_add(&f->labels, (const char *)&label, sizeof(label), err);
}

/*
 * All folds in random order (Fisher and Yates): fold k takes the place of one of the k before it,
 * which goes to the end, or the end itself.  A draw has four words, for four folds.
 */
static void shuffle_folds(const struct drawn_folds *f, int32_t *order)
{
	struct rng_block block = { { 0 } };

	for (int64_t k = 0; k < f->n_folds; k++) {
		int64_t j;

		if (k % 4 == 0)
			block = rng_draw(f->seed, RNG_FOLD_ORDER, (uint64_t)f->n_rows,
					 (uint32_t)(k / 4));
		j = below(block.w[k % 4], k + 1);
		order[k] = order[j];
		order[j] = (int32_t)k;
	}
}

/* Move to 'place' the smallest of the folds order[place ..], which have no row of this turn yet. */
static void bring_smallest(const struct drawn_folds *f, int32_t *order, int64_t place)
{
	int64_t best = place;
	int32_t fold;

	for (int64_t k = place + 1; k < f->n_folds; k++)
		if (f->size[order[k]] < f->size[order[best]])
			best = k;
	fold = order[best];
	/* the folds between move back by one place and keep their order */
	memmove(order + place + 1, order + place, (size_t)(best - place) * sizeof(*order));
	order[place] = fold;
}

int64_t drawn_folds_next(struct drawn_folds *f, double label, struct error *err)
{
	int64_t k, place;
	int32_t *order;

	/* without stratification each row draws its fold alone, and classes are not counted */
	if (!f->stratified)
		return below(rng_draw(f->seed, RNG_FOLD, (uint64_t)f->n_rows++, 0).w[0],
			     f->n_folds);
	/* the sizes of folds are zeros when the first row comes */
	if (!f->size && !(f->size = mem_zeroed(f->n_folds, sizeof(*f->size), err)))
		return -1;
	k = find_class(f, label, err);
	if (k < 0)
		return -1;
	order = f->order + k * f->n_folds;
	/* a row of a class takes the next fold of the permutation in use */
	place = f->n_of_class[k]++ % f->n_folds;
	/* the permutation has been used up: a new one is drawn */
	if (place == 0)
		shuffle_folds(f, order);
	if (f->n_folds <= MOST_COMPARED)
		bring_smallest(f, order, place);
	f->size[order[place]]++;
	f->n_rows++;
	return order[place];
}

int64_t drawn_folds_small_classes(const struct drawn_folds *f)
{
	int64_t n = 0;

	for (int64_t k = 0; k < f->labels.n; k++)
		n += f->n_of_class[k] < f->n_folds;
	return n;
}

void drawn_folds_free(struct drawn_folds *f)
{
	text_set_free(&f->labels);
	mem_free_all(f->size, f->n_of_class, f->order);
	*f = (struct drawn_folds){ 0 };
}

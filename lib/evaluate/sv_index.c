/*
 * sv_index.c - which support vector of a model a row is, if its values are nearly the same; which
 * rows of the training data a model's support vectors are
 *
 * How this works.  A model file may have the vectors rounded, to the 8 digits of svm-train or to
 * fewer that the training data had.  The rows come from the training data, which have all digits,
 * or are projected anew, and another machine may round the last bits of a sum otherwise.  So a row
 * z is compared with vectors s by differences,
 *
 *     |z_t - s_t| <= 0.6 units of digit D of s_t + c     for all t                         (1)
 *
 * where D is the number of digits, and c is 1e-12 |z|_1 for rows that are projected, else 0 (and in
 * single precision the distance of a float from its shortest decimal is allowed for).  Whole
 * numbers below 10^D, such as counts have, are a unit apart or more, so (1) tells them apart.
 *
 * A row is not compared with all vectors.  With fixed weights |g_t| <= 1, a vector's key is
 *
 *     sum_t g_t h(s_t),       h(x) = x for |x| <= 1, and of the slope 1 / 2^e for 2^e <= |x| < 2^(e+1)
 *
 * where h grows like the logarithm beyond 1, so that one feature of large values, such as a date in
 * seconds, does not hide all others.  Its slope is at most min(1, 2 / |x|).  By (1), with the
 * relative tolerance r of digit D and the absolute one c, the keys of z and s differ by
 *
 *     sum_t (2 r min(1, |z_t|) + c) / (1 - r)                                               (2)
 *
 * at most, so vectors are sorted by their keys, and bisection finds those that (2) leaves.  With 8
 * digits that is hardly ever another than the right one.
 *
 * Equal vectors are a group (3): zeros, which a file may write or leave out, do not count.  Of
 * several groups within (1) the one that the row is to the last bit is taken; or else the one that
 * it is in D digits, rounded as files are written, for a value in the middle of two numbers is as
 * near to either; or else the nearest, in shares of these tolerances: rounding moves a value by half
 * a unit at most, and different vectors are at least a unit apart in one value.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/sv_index.h"

#include "base/decimal.h"
#include "base/order.h"
#include "evaluate/certify.h"

/* Units of the last digit by which rounding moves a value: half a unit, and a bit for the sums. */
#define UNITS 0.6

/* Relative distance of a float from its shortest decimal, at most: half of a float's step. */
#define FLOAT_SPREAD 6e-8

/* Error of a sum that cancels, relative to the sum of all sizes in the row. */
#define CANCELLED 1e-12

/* A support vector and the keys by which vectors are sorted. */
struct place {
	int class;
	double key;
	int64_t sv;
	struct csr_row e;
};

/*
 * The entries that tell rows apart.  A row of a precomputed kernel is column 0, the serial number,
 * which is all that the file has, and then its kernel values.
 */
static struct csr_row telling_entries(const struct model *m, struct csr_row e)
{
	/* a row without a serial number has no entries that tell it apart */
	if (m->kernel.type == KERNEL_PRECOMPUTED)
		e.n = e.n > 0 && e.col[0] == 0;
	return e;
}

/* Entries of vector j that tell it apart from other vectors, borrowed from the model. */
static struct csr_row vector_of(const struct model *m, int64_t j)
{
	return telling_entries(m, csr_row_of(&m->sv, j));
}

/*
 * g_t of (2): as good as random, so that rows of equal values at different features, such as those
 * of binary data, have different keys.  The finaliser of splitmix64 (Steele, Lea, Flood 2014).
 */
static double key_weight(int32_t index)
{
	uint64_t z = ((uint64_t)index + 1) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return 2 * rng_unit(z ^ z >> 31) - 1;
}

/* The function h of key (2), which squeezes a value. */
static double squeezed(double x)
{
	int exponent;
	double part;

	/* h is linear between powers of two */
	if (fabs(x) <= 1)
		return x;
	part = frexp(fabs(x), &exponent);
	return copysign(exponent - 1 + 2 * part, x);
}

/* Key (2) of a row or a vector, summed in the order of its entries. */
static double key_of(struct csr_row e)
{
	double sum = 0;

	for (int64_t k = 0; k < e.n; k++)
		sum += key_weight(e.col[k]) * squeezed(e.val[k]);
	return sum;
}

/*
 * Order by features and values, without zeros; 0 if the two rows are the same.  Values of 'a' are
 * what is read of them once they are written in n_digits digits.
 */
static int compare_rounded(struct csr_row a, int n_digits, struct csr_row b)
{
	for (int64_t k = 0, l = 0;; k++, l++) {
		double value;

		while (k < a.n && a.val[k] == 0)
			k++;
		while (l < b.n && b.val[l] == 0)
			l++;
		/* the row with entries left is the larger one; with none left the rows are equal */
		if (k == a.n || l == b.n)
			return (k < a.n) - (l < b.n);
		if (a.col[k] != b.col[l])
			return a.col[k] < b.col[l] ? -1 : 1;
		value = n_digits < SV_INDEX_ALL_DIGITS ? decimal_read_back(a.val[k], n_digits) :
							 a.val[k];
		if (value != b.val[l])
			return value < b.val[l] ? -1 : 1;
	}
}

static int compare_entries(struct csr_row a, struct csr_row b)
{
	return compare_rounded(a, SV_INDEX_ALL_DIGITS, b);
}

/* Sort by class, key and values, so that equal vectors are neighbours; equal ones by number. */
static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	/* entries are compared only where class and key are equal */
	int order;

	if (x->class != y->class || x->key != y->key)
		return x->class != y->class ? ORDER_OF(x->class, y->class) :
					      ORDER_OF(x->key, y->key);
	order = compare_entries(x->e, y->e);
	return order != 0 ? order : ORDER_OF(x->sv, y->sv);
}

/* Step (3): make groups of equal vectors from the sorted places. */
static void make_groups(struct sv_index *s, const struct place *place)
{
	const struct solution *solution = &s->m->solution;
	int64_t n = solution->n_sv;

	for (int64_t k = 0; k < n; k++) {
		/* a group begins at the first place, and where class or values change */
		bool begins = k == 0 || place[k].class != place[k - 1].class ||
			      compare_entries(place[k].e, place[k - 1].e) != 0;

		s->order[k] = place[k].sv;
		/* all vectors of a group have the same key */
		if (begins) {
			s->group[s->n_groups++] = (struct sv_group){ place[k].key, k, 0 };
			s->class_start[place[k].class + 1]++;
		}
		s->group[s->n_groups - 1].n++;
	}
	/* counts become starts: groups of class c are class_start[c] .. class_start[c + 1] - 1 */
	for (int c = 0; c < solution->n_class; c++)
		s->class_start[c + 1] += s->class_start[c];
}

int sv_index_init(struct sv_index *s, const struct model *m, enum sv_index_rows rows,
		  struct error *err)
{
	const struct solution *solution = &m->solution;
	struct place *place = mem_array(solution->n_sv, sizeof(*place), err);
	int64_t j = 0;

	*s = (struct sv_index){ .m = m,
				.spread = rows == SV_INDEX_PROJECTED_SINGLE ? FLOAT_SPREAD : 0,
				.cancelled = rows == SV_INDEX_READ ? 0 : CANCELLED };
	s->order = mem_array(solution->n_sv, sizeof(*s->order), err);
	s->group = mem_array(solution->n_sv, sizeof(*s->group), err);
	s->class_start = mem_zeroed(solution->n_class + 1, sizeof(*s->class_start), err);
	if (err->code != ERR_NONE) {
		mem_free(place);
		sv_index_free(s);
		return -1;
	}
	/* vectors are listed class after class */
	for (int c = 0; c < solution->n_class; c++)
		for (int64_t end = j + solution->n_sv_of_class[c]; j < end; j++) {
			struct csr_row e = vector_of(m, j);

			place[j] = (struct place){ c, key_of(e), j, e };
		}
	if (j > 0)
		/* a model without vectors has no array to sort */
		qsort(place, (size_t)j, sizeof(*place), compare_places);
	make_groups(s, place);
	mem_free(place);
	return 0;
}

void sv_index_free(struct sv_index *s)
{
	mem_free_all(s->order, s->group, s->class_start);
	*s = (struct sv_index){ 0 };
}

int sv_index_class(const struct model *m, double label)
{
	/* a regression counts as a single class */
	return m->solution.label ? label_find(m->solution.label, m->solution.n_class, label) : 0;
}

int sv_index_digits(const struct model *m)
{
	int longest = 1;

	/* once a value has as many digits as possible, no other value is looked at */
	for (int64_t k = 0; k < csr_n_entries(&m->sv) && longest < SV_INDEX_ALL_DIGITS; k++) {
		char text[DECIMAL_SHORTEST_SIZE];
		int size = decimal_shortest(m->sv.val[k], text), n = 0, zeros = 0;

		for (int c = 0; c < size && text[c] != 'e' && text[c] != 'E'; c++) {
			/* leading zeros and the decimal point are not counted as digits */
			if (text[c] < '0' || text[c] > '9' || (n == 0 && text[c] == '0'))
				continue;
			n++;
			/* trailing zeros are not counted as digits */
			zeros = text[c] == '0' ? zeros + 1 : 0;
		}
		longest = n - zeros > longest ? n - zeros : longest;
	}
	return longest;
}

/* Tolerances of condition (1): how far values may be from those of a vector. */
struct tolerance {
	int n_digits;
	double spread;
	/* relative tolerance of a value: the larger sum of rounding and spread over the value */
	double relative;
	double rounding; /* rounding error of the sums in the row compared */
};

/* The tolerance of condition (1) for row z, to compare with vectors of n_digits digits. */
static struct tolerance tolerance_of(const struct sv_index *s, struct csr_row z, int n_digits)
{
	/* relative: a unit of digit D is at most 10^(1 - D) of the value */
	const double relative = UNITS * pow(10, 1 - n_digits) + s->spread;

	/* c of (1): rounding of the sums in a row is proportional to its norm |z|_1 */
	return (struct tolerance){ n_digits, s->spread, relative,
				   s->cancelled * sum_of_sizes(z.val, z.n) };
}

/* How far a value may be from 'y', the rounded value. */
static double value_tolerance(struct tolerance t, double y)
{
	/* the unit of digit D of y is a power of ten */
	double unit = y == 0 ? 0 : pow(10, floor(log10(fabs(y))) + 1 - t.n_digits);

	return UNITS * unit + t.spread * fabs(y) + t.rounding;
}

/*
 * |z - v|^2 in units of the tolerances if vector v meets condition (1), else INFINITY; missing
 * entries are 0.
 */
static double distance(struct csr_row z, struct csr_row v, struct tolerance t)
{
	double sum = 0;

	for (int64_t k = 0, l = 0; k < z.n || l < v.n;) {
		bool in_z = k < z.n && (l == v.n || z.col[k] <= v.col[l]);
		bool in_v = l < v.n && (k == z.n || v.col[l] <= z.col[k]);
		double x = in_z ? z.val[k] : 0, y = in_v ? v.val[l] : 0, off = fabs(x - y), most;

		/* the first condition is cheap, and mostly enough to tell the two apart */
		if (!(off <= t.relative * fabs(y) + t.rounding))
			return INFINITY;
		most = off == 0 ? 1 : value_tolerance(t, y);
		if (off > most)
			return INFINITY;
		sum += off / most * (off / most);
		k += in_z;
		l += in_v;
	}
	return sum;
}

/* Tolerance of key (2); an entry that only the vector has is within the errors of the sums. */
static double key_tolerance(struct csr_row z, struct tolerance t)
{
	double sum = t.rounding;

	for (int64_t k = 0; k < z.n; k++)
		/* each entry may move the key by slope times tolerance */
		sum += 2 * t.relative * fmin(1, fabs(z.val[k])) + t.rounding;
	return sum / (1 - t.relative);
}

/* Find the first of the groups low .. end - 1 whose key is at least 'key', or 'end'. */
static int64_t first_from(const struct sv_index *s, int64_t low, int64_t end, double key)
{
	while (low < end) {
		int64_t middle = low + (end - low) / 2;

		if (s->group[middle].key < key)
			low = middle + 1;
		else
			end = middle;
	}
	return low;
}

int64_t sv_index_find(const struct sv_index *s, struct csr_row row, int class, int n_digits)
{
	struct csr_row z = telling_entries(s->m, row);
	struct tolerance t = tolerance_of(s, z, n_digits);
	double key = key_of(z), reach = key_tolerance(z, t), nearest = INFINITY;
	/* only groups of the row's class, whose keys ascend, are looked at */
	int64_t end = s->class_start[class + 1], best = -1;

	for (int64_t k = first_from(s, s->class_start[class], end, key - reach);
	     k < end && s->group[k].key <= key + reach; k++) {
		/* the first vector of a group stands for all, as they are equal */
		struct csr_row v = vector_of(s->m, s->order[s->group[k].first]);
		double off = distance(z, v, t);

		/* next after the same to the last bit comes the same in n_digits digits */
		if (off > 0 && off < INFINITY && compare_rounded(z, n_digits, v) == 0)
			off = DBL_MIN;
		if (off < nearest) {
			nearest = off;
			best = k;
		}
	}
	return best;
}

bool sv_index_agrees(const struct sv_index *s, struct csr_row z, int64_t j, int n_digits)
{
	return distance(z, vector_of(s->m, j), tolerance_of(s, z, n_digits)) < INFINITY;
}

/* ---- rows of the training data ---- */

/*
 * How this works.
 *
 *  (4) Equal vectors of a class are a group, and each row is looked up among the groups of its class
 *      (sv_index_find()), in the 8 digits of svm-train's files.
 *  (5) Rows that are the group's vectors to the last bit are its rows, if they are enough; else those
 *      that are once they are written in 8 digits; else all rows of (4) are.  The file does not tell
 *      which is which where they differ.
 *  (6) Rows and vectors of a group meet, one to one.
 *
 * In (6) any assignment of equal rows is right in classification with hinge losses: they have the
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
 *     best(k, i) = max(best(k, i - 1), best(k - 1, i - 1) + share in D of vector k at row i)      (7)
 *
 * Memory is 40 bytes for each row that agrees with a vector, and an index of the vectors.  A row
 * costs a bisection among the keys of its class; matches and groups are sorted, O(m log m).  Rows
 * that agree with no vector, which are most, are not kept.  (7) takes a byte and a step for each
 * vector of a group and each row that it may be, and is left out where they are above MAX_STEPS.
 */

/* Steps of (7) for one group at most. */
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

/* A vector of a group, and its coefficient, or its largest size; see coef_key(). */
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

	return x->target != y->target ? ORDER_OF(x->target, y->target) :
	       x->weight != y->weight ? ORDER_OF(x->weight, y->weight) :
					ORDER_OF(x->row, y->row);
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
	const struct csr_row v = vector_of(s->m, s->order[s->group[group].first]);

	row = telling_entries(s->m, row);
	/* in digits: the row, written in those digits, is the vector but for zeros */
	return compare_entries(row, v) == 0		     ? SAME :
	       compare_rounded(row, SV_INDEX_DIGITS, v) == 0 ? SAME_IN_DIGITS :
							       NEAR;
}

/* Step (4): find the rows that agree with a vector, by group and target. */
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
 * (6): a group's vectors by ascending coefficient meet its rows by ascending target.  Coefficients
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
 * (7) of vectors in the order of the file: vector k may have row k to k + n_spare.  Of the table,
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
 * Is the order of the file to be tried?  With weights, for (7).  nu-SVC's coefficients have a scale
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

/*
 * What a vector is ordered by: the coefficient of a regression, or the largest size of its
 * coefficients, all of which have the bound of its row.
 */
static double coef_key(const struct model *m, int64_t sv)
{
	const struct solution *s = &m->solution;
	double largest = 0;

	if (machine_is_regression(m->type))
		return s->coef[sv];
	for (int k = 0; k < s->n_class - 1; k++)
		largest = fmax(largest, fabs(s->coef[k * s->n_sv + sv]));
	return largest;
}

/* Step (5): how many of a group's n rows, the first of match[], may be its n_members vectors. */
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
	const struct model *m = s->index.m;
	const struct csr_row first = telling_entries(m, csr_row_of(&s->d->x, match[0].row));
	const int64_t *sv = s->index.order + group->first;
	bool same_rows = true, same_coefficients = n_rows == group->n;

	for (int64_t i = 1; i < n_rows && same_rows; i++)
		same_rows =
			compare_entries(
				first, telling_entries(m, csr_row_of(&s->d->x, match[i].row))) == 0;
	for (int64_t v = 1; v < group->n && same_coefficients; v++)
		same_coefficients = solution_same_coefficients(&m->solution, sv[0], sv[v]);
	return !same_rows && !same_coefficients;
}

/* Steps (5) to (7) for all groups; 'member' has room for the largest. */
static int assign_rows(const struct row_search *s, struct sv_member *member, int64_t *row,
		       struct sv_rows_doubts *doubts, struct error *err)
{
	for (int64_t at = 0, end; at < s->n_matches; at = end) {
		const struct sv_group *group = &s->index.group[s->match[at].group];
		struct meeting g = { member, group->n, s->match + at, 0, row };
		int in_order;

		/* rows that match one group are neighbours */
		for (end = at; end < s->n_matches && s->match[end].group == s->match[at].group;)
			end++;
		g.n_rows = choose_rows(g.match, end - at, group->n);
		if (is_ambiguous(s, group, g.match, g.n_rows))
			doubts->n_ambiguous += group->n;
		for (int64_t k = 0; k < group->n; k++) {
			int64_t sv = s->index.order[group->first + k];

			member[k] = (struct sv_member){ coef_key(s->index.m, sv), sv };
		}
		/* (6) and (7): the rows of a group's vectors, which are in the order of the file */
		in_order = order_matters(s, &g) ? assign_in_order(s->t, &g, err) : 0;
		if (in_order < 0)
			return -1;
		if (in_order == 0)
			assign_by_target(&g);
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

/* ---- what the digits of support vectors in a file are worth ---- */

/* Vectors whose decision values are compared, at most, and the numbers of these values. */
#define MOST_VECTORS 256
#define MOST_VALUES (INT64_C(1) << 20)

void vectors_round(struct csr *x)
{
	for (int64_t k = 0; k < csr_n_entries(x); k++)
		x->val[k] = decimal_read_back(x->val[k], 8);
}

static bool same_entries(const struct csr *a, const struct csr *b)
{
	const int64_t n = csr_n_entries(a);

	return n == csr_n_entries(b) &&
	       (n == 0 || (memcmp(a->val, b->val, (size_t)n * sizeof(*a->val)) == 0 &&
			   memcmp(a->col, b->col, (size_t)n * sizeof(*a->col)) == 0));
}

int vectors_evaluate(const struct kernel *kernel, const struct solution *s, const struct csr *sv,
		     struct row_view rows, double *value, int n_threads, struct error *err)
{
	struct expansion e = { 0 };
	int ret = expansion_init(&e, kernel, solution_vectors(s, sv), err);

	if (ret == 0)
		ret = expansion_evaluate_rows(&e, rows, value, n_threads, err);
	expansion_free(&e);
	return ret;
}

int vectors_change(const struct kernel *kernel, const struct solution *s, const struct csr *sv,
		   const struct csr *filed, int n_threads, double *change, struct error *err)
{
	const int64_t n_pairs = solution_n_pairs(s->n_class);
	const int64_t most =
		int64_max(1, int64_min(MOST_VECTORS, MOST_VALUES / int64_max(1, n_pairs)));
	const int64_t n = int64_min(s->n_sv, most), n_values = n * n_pairs;
	int64_t row[MOST_VECTORS];
	double *value;
	int ret = -1;

	*change = same_entries(sv, filed) ? 0 : DBL_MIN;
	if (*change == 0)
		return 0;
	for (int64_t k = 0; k < n; k++)
		row[k] = k * s->n_sv / n;
	value = mem_array(2 * n_values, sizeof(*value), err);
	if (value &&
	    vectors_evaluate(kernel, s, sv, csr_view(sv, row, n), value, n_threads, err) == 0 &&
	    vectors_evaluate(kernel, s, filed, csr_view(sv, row, n), value + n_values, n_threads,
			     err) == 0)
		ret = 0;
	for (int64_t k = 0; ret == 0 && k < n_values; k++)
		*change = fmax(*change, fabs(value[n_values + k] - value[k]));
	mem_free(value);
	return ret;
}

/*
 * near_sv.c - which support vector of a model a row is, if its values are only nearly the same
 *
 * How this works.  The rows that a model was trained on are computed anew, and its file has their
 * values rounded: to the 8 digits of the file, or to fewer that the training data had.  Another
 * machine may round the last bits otherwise, too.  So a row z is compared with vectors s by
 * differences,
 *
 *     |z_t - s_t| <= 0.6 units of digit D of s_t + 1e-12 |z|_1     for all t               (1)
 *
 * where D is the number of digits of the longest value of all vectors (and in single precision
 * the shortest decimal of a float is allowed for).  Whole numbers below 10^D, such as counts have,
 * are a unit apart or more, so (1) tells them apart.
 *
 * A row is not compared with all vectors.  With fixed weights |g_t| <= 1, a vector's key is
 *
 *     g s = sum_t g_t s_t,       |g z - g s| <= sum_t |z_t - s_t|                           (2)
 *
 * so vectors are sorted by their keys, and bisection finds those that (2) leaves.  With 8 digits
 * that is hardly ever another than the right one.
 *
 * Equal vectors are a group.  Of several groups within (1) the nearest is taken: rounding moves a
 * value by half a unit at most, and different vectors are at least a unit apart in one value.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/near_sv.h"

#include <math.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "base/mem.h"

/* Digits that model files keep of a value: %.8g of LIBSVM's svm_save_model(). */
#define MODEL_DIGITS 8

/* Units of the last digit by which rounding moves a value: half a unit, and a bit for the sums. */
#define UNITS 0.6

/* Relative distance of a float from its shortest decimal, at most: half of that between floats. */
#define FLOAT_SPREAD 6e-8

/* Errors of sums that cancel, relative to the sum of all sizes in the row. */
#define CANCELLED 1e-12

/* A vector and what it is sorted by. */
struct place {
	int class;
	double key;
	int64_t sv;
	struct csr_row e;
};

static struct csr_row row_of_batch(const struct row_batch *rows, int64_t i)
{
	int64_t first = rows->row_start[i];

	return (struct csr_row){ rows->row_start[i + 1] - first, rows->index + first,
				 rows->value + first };
}

/* g_t of (2): multiples of the golden ratio, modulo 1, which no sum of few integers makes 0. */
static double key_weight(int32_t index)
{
	double part = (double)index * 0.6180339887498949;

	return 2 * (part - floor(part)) - 1;
}

static double key_of(struct csr_row e)
{
	double sum = 0;

	for (int64_t k = 0; k < e.n; k++)
		sum += key_weight(e.col[k]) * e.val[k];
	return sum;
}

static double sum_of_sizes(struct csr_row e)
{
	double sum = 0;

	for (int64_t k = 0; k < e.n; k++)
		sum += fabs(e.val[k]);
	return sum;
}

/* By features and values; 0 if they are the same. */
static int compare_entries(struct csr_row a, struct csr_row b)
{
	for (int64_t k = 0; k < a.n && k < b.n; k++) {
		if (a.col[k] != b.col[k])
			return a.col[k] < b.col[k] ? -1 : 1;
		if (a.val[k] != b.val[k])
			return a.val[k] < b.val[k] ? -1 : 1;
	}
	return (a.n > b.n) - (a.n < b.n);
}

/* By class, key and values, so that equal vectors are neighbours; these by number. */
static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	order = compare_entries(x->e, y->e);
	return order != 0 ? order : (x->sv > y->sv) - (x->sv < y->sv);
}

/* The digits of the longest value, 8 at most: where one has as many, no other is looked at. */
static int longest_value(const struct csr *sv)
{
	int longest = 1;

	for (int64_t k = 0; k < csr_n_entries(sv) && longest < MODEL_DIGITS; k++) {
		char text[DECIMAL_SHORTEST_SIZE];
		int size = decimal_shortest(sv->val[k], text), n = 0, zeros = 0;

		for (int c = 0; c < size && text[c] != 'e' && text[c] != 'E'; c++) {
			if (text[c] < '0' || text[c] > '9' || (n == 0 && text[c] == '0'))
				continue;
			n++;
			zeros = text[c] == '0' ? zeros + 1 : 0;
		}
		longest = n - zeros > longest ? n - zeros : longest;
	}
	return longest < MODEL_DIGITS ? longest : MODEL_DIGITS;
}

/* The groups of the sorted places. */
static void make_groups(struct near_sv *s, const struct place *place)
{
	const struct solution *solution = &s->m->solution;
	int64_t n = solution->n_sv;

	for (int64_t k = 0; k < n; k++) {
		bool begins = k == 0 || place[k].class != place[k - 1].class ||
			      compare_entries(place[k].e, place[k - 1].e) != 0;

		s->order[k] = place[k].sv;
		if (begins) {
			s->group[s->n_groups++] = (struct sv_group){ place[k].key, k, 0 };
			s->class_start[place[k].class + 1]++;
		}
		s->group[s->n_groups - 1].n++;
	}
	for (int c = 0; c < solution->n_class; c++)
		s->class_start[c + 1] += s->class_start[c];
}

int near_sv_init(struct near_sv *s, const struct model *m, bool single, struct error *err)
{
	const struct solution *solution = &m->solution;
	struct place *place = mem_array(solution->n_sv, sizeof(*place), err);
	int64_t j = 0;

	*s = (struct near_sv){ .m = m,
			       .n_digits = longest_value(&m->sv),
			       .spread = single ? FLOAT_SPREAD : 0 };
	s->order = mem_array(solution->n_sv, sizeof(*s->order), err);
	s->group = mem_array(solution->n_sv, sizeof(*s->group), err);
	s->class_start = mem_zeroed(solution->n_class + 1, sizeof(*s->class_start), err);
	if (err->code != ERR_NONE) {
		mem_free(place);
		near_sv_free(s);
		return -1;
	}
	for (int c = 0; c < solution->n_class; c++)
		for (int64_t end = j + solution->n_sv_of_class[c]; j < end; j++) {
			struct csr_row e = csr_row_of(&m->sv, j);

			place[j] = (struct place){ c, key_of(e), j, e };
		}
	if (j > 0)
		qsort(place, (size_t)j, sizeof(*place), compare_places);
	make_groups(s, place);
	mem_free(place);
	return 0;
}

void near_sv_free(struct near_sv *s)
{
	mem_free(s->order);
	mem_free(s->group);
	mem_free(s->class_start);
	*s = (struct near_sv){ 0 };
}

/* How far values may be from those of a vector. */
struct tolerance {
	int n_digits;
	double spread;
	double relative; /* largest sum of the two over the value */
};

static struct tolerance tolerance_of(const struct near_sv *s, int n_digits)
{
	return (struct tolerance){ n_digits, s->spread, UNITS * pow(10, 1 - n_digits) + s->spread };
}

/* How far a value that is rounded to 'y' may be from it. */
static double value_tolerance(struct tolerance t, double y)
{
	double unit = y == 0 ? 0 : pow(10, floor(log10(fabs(y))) + 1 - t.n_digits);

	return UNITS * unit + t.spread * fabs(y);
}

/* |z - v|^2 where (1) holds for vector v, else INFINITY; what an entry list does not have is 0. */
static double distance(struct csr_row z, struct csr_row v, struct tolerance t)
{
	double sum = 0;
	double rounding = CANCELLED * sum_of_sizes(z);

	for (int64_t k = 0, l = 0; k < z.n || l < v.n;) {
		bool in_z = k < z.n && (l == v.n || z.col[k] <= v.col[l]);
		bool in_v = l < v.n && (k == z.n || v.col[l] <= z.col[k]);
		double x = in_z ? z.val[k] : 0, y = in_v ? v.val[l] : 0, off = fabs(x - y);

		/* the first of these is cheap, and mostly enough to tell that they differ */
		if (!(off <= t.relative * fabs(y) + rounding) ||
		    off > value_tolerance(t, y) + rounding)
			return INFINITY;
		sum += off * off;
		k += in_z;
		l += in_v;
	}
	return sum;
}

/* The nearest of the class's groups for which (1) holds with n_digits digits; -1: none. */
static int64_t find_group(const struct near_sv *s, struct csr_row z, int class, int n_digits)
{
	struct tolerance t = tolerance_of(s, n_digits);
	double key = key_of(z), nearest = INFINITY;
	/* (2), where |s|_1 may be larger than |z|_1 by the tolerance itself */
	double reach =
		(t.relative / (1 - t.relative) + CANCELLED * (double)(1 + z.n)) * sum_of_sizes(z);
	int64_t low = s->class_start[class], end = s->class_start[class + 1], high = end, best = -1;

	while (low < high) {
		int64_t middle = low + (high - low) / 2;

		if (s->group[middle].key < key - reach)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < end && s->group[low].key <= key + reach; low++) {
		int64_t sv = s->order[s->group[low].first];
		double off = distance(z, csr_row_of(&s->m->sv, sv), t);

		if (off < nearest) {
			nearest = off;
			best = low;
		}
	}
	return best;
}

struct near_group near_sv_find(const struct near_sv *s, const struct row_batch *rows, int64_t i,
			       int class)
{
	struct csr_row z = row_of_batch(rows, i);
	struct near_group found = { find_group(s, z, class, MODEL_DIGITS), true };

	if (found.group < 0 && s->n_digits < MODEL_DIGITS)
		found = (struct near_group){ find_group(s, z, class, s->n_digits), false };
	return found;
}

bool near_sv_agrees(const struct near_sv *s, const struct row_batch *rows, int64_t i, int64_t j)
{
	struct csr_row z = row_of_batch(rows, i);

	return distance(z, csr_row_of(&s->m->sv, j), tolerance_of(s, s->n_digits)) < INFINITY;
}

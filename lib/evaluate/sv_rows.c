/*
 * sv_rows.c - which rows of the training data a model's support vectors are
 *
 * How this works.  A model file has the vectors with 8 digits and grouped by class.  A row is equal
 * to a vector if its label is that class and its entries, each as %.8g, are those of the vector:
 * zeros, which a file may write or leave out, do not count.  Comparing all rows with all vectors
 * would take n n_sv comparisons, so:
 *
 *  (1) Vectors get a 64-bit hash of class, features and rounded values, and are sorted by it.
 *  (2) Equal vectors are a group, named by the place of the first of them.  Vectors of one hash
 *      are nearly always equal, so that one comparison each does; different ones, a collision,
 *      are only slower.
 *  (3) A row is looked up by its hash, and compared with the vectors that have it.
 *  (4) Rows and vectors of a group meet, one to one.
 *
 * In (4) any assignment is right in classification: all rows of a group have the same label and,
 * but for digits beyond the eighth, the same kernel values.  In regression the rows of a group may
 * differ in their targets y_i, and of all assignments the one with the largest
 *
 *     D(beta) = sum_i (y_i beta_i - epsilon |beta_i|) - ...
 *
 * is the one that training would have found: the two sequences in the same order (the rearrangement
 * inequality), where rows without a vector count as coefficients of 0.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/sv_rows.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"

/* Digits that model files keep of a value: %.8g of LIBSVM's svm_save_model(). */
#define MODEL_DIGITS 8

/* A support vector, its number and what it is sorted by. */
struct sv_key {
	uint64_t hash;
	int64_t sv;
	int64_t group; /* place, in the order of the hashes, of the first equal vector */
	double coef;   /* coefficient of the vector; of several, that against one class */
};

/* A row that is equal to the vectors of a group. */
struct row_match {
	int64_t group, row;
	double target;
};

struct row_search {
	struct sv_index index;
	const struct dataset *d;
	struct row_match *match; /* n_matches */
	int64_t n_matches, capacity;
};

/* The value that a model file's text of 'value' is read back as. */
static double rounded(double value)
{
	char digits[DECIMAL_SHORTEST_SIZE];
	int n;

	/* whole numbers of up to 8 digits are themselves, and many data have nothing else */
	if (fabs(value) < 1e8 && value == trunc(value))
		return value;
	n = decimal_rounded(value, MODEL_DIGITS, digits);
	decimal_parse(digits, digits + n, &value);
	return value;
}

/*
 * Does the entry tell vectors apart?  A row of a precomputed kernel is column 0, the serial number,
 * which is all that the file has, and then its kernel values.
 */
static bool counts(const struct model *m, const struct csr *x, int64_t k)
{
	return m->kernel.type == KERNEL_PRECOMPUTED ? x->col[k] == 0 : x->val[k] != 0;
}

/* Mix in 64 bits: the finaliser of splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t hash, uint64_t bits)
{
	uint64_t z = hash + UINT64_C(0x9e3779b97f4a7c15) + bits;

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* (1): of a row or a vector, and its class */
static uint64_t hash_row(const struct model *m, const struct csr *x, int64_t i, int class)
{
	uint64_t hash = mix(0, (uint64_t) class);

	for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++) {
		double value = rounded(x->val[k]);
		uint64_t bits;

		if (!counts(m, x, k))
			continue;
		memcpy(&bits, &value, sizeof(bits));
		hash = mix(mix(hash, (uint64_t)x->col[k]), bits);
	}
	return hash;
}

/* Are row i of x and row j of y the same in a model file? */
static bool equal_rows(const struct model *m, const struct csr *x, int64_t i, const struct csr *y,
		       int64_t j)
{
	int64_t k = x->row_start[i], l = y->row_start[j];

	for (;; k++, l++) {
		while (k < x->row_start[i + 1] && !counts(m, x, k))
			k++;
		while (l < y->row_start[j + 1] && !counts(m, y, l))
			l++;
		if (k == x->row_start[i + 1] || l == y->row_start[j + 1])
			return k == x->row_start[i + 1] && l == y->row_start[j + 1];
		if (x->col[k] != y->col[l] || rounded(x->val[k]) != rounded(y->val[l]))
			return false;
	}
}

/* By hash; equal ones by number, so that the order does not depend on qsort(). */
static int compare_keys(const void *a, const void *b)
{
	const struct sv_key *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->sv > y->sv) - (x->sv < y->sv);
}

/* By group, then by coefficient; equal ones by number. */
static int compare_members(const void *a, const void *b)
{
	const struct sv_key *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->coef != y->coef)
		return x->coef < y->coef ? -1 : 1;
	return (x->sv > y->sv) - (x->sv < y->sv);
}

/* By group, then by target; equal ones by row. */
static int compare_matches(const void *a, const void *b)
{
	const struct row_match *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/*
 * (1) and (2).  Each vector is compared with the vectors of its hash from the first of them on,
 * until one is equal, at the latest itself.
 */
static void fill_keys(struct sv_index *s)
{
	const struct solution *solution = &s->m->solution;
	int64_t n = solution->n_sv, j = 0, first_of_hash = 0;

	for (int c = 0; c < solution->n_class; c++)
		for (int64_t end = j + solution->n_sv_of_class[c]; j < end; j++)
			s->key[j] = (struct sv_key){ hash_row(s->m, &s->m->sv, j, c), j, 0,
						     solution->coef[j] };
	qsort(s->key, (size_t)n, sizeof(*s->key), compare_keys);
	for (int64_t k = 0; k < n; k++) {
		int64_t first;

		if (s->key[k].hash != s->key[first_of_hash].hash)
			first_of_hash = k;
		first = first_of_hash;
		while (!equal_rows(s->m, &s->m->sv, s->key[first].sv, &s->m->sv, s->key[k].sv))
			first++;
		s->key[k].group = first;
	}
}

int sv_index_init(struct sv_index *s, const struct model *m, struct error *err)
{
	*s = (struct sv_index){ m, mem_array(m->solution.n_sv, sizeof(*s->key), err) };
	if (!s->key)
		return -1;
	if (m->solution.n_sv > 0)
		fill_keys(s);
	return 0;
}

void sv_index_free(struct sv_index *s)
{
	mem_free(s->key);
	*s = (struct sv_index){ 0 };
}

/* (3): the group whose vectors row i is equal to, or -1. */
static int64_t find_group(const struct sv_index *s, const struct csr *x, int64_t i, int class)
{
	uint64_t hash = hash_row(s->m, x, i, class);
	int64_t n = s->m->solution.n_sv, low = 0, high = n;

	while (low < high) {
		int64_t middle = low + (high - low) / 2;

		if (s->key[middle].hash < hash)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < n && s->key[low].hash == hash; low++)
		if (equal_rows(s->m, &s->m->sv, s->key[low].sv, x, i))
			return s->key[low].group;
	return -1;
}

int sv_index_class(const struct model *m, double label)
{
	if (!m->solution.label)
		return 0;
	for (int c = 0; c < m->solution.n_class; c++)
		if (m->solution.label[c] == label)
			return c;
	return -1;
}

bool sv_index_has(const struct sv_index *s, const struct csr *x, int64_t i, double label)
{
	int class = sv_index_class(s->m, label);

	return class >= 0 && find_group(s, x, i, class) >= 0;
}

/* The rows that are equal to a vector. */
static int find_matches(struct row_search *s, struct error *err)
{
	for (int64_t i = 0; i < s->d->x.n_rows; i++) {
		int class = sv_index_class(s->index.m, s->d->y[i]);
		int64_t group = class < 0 ? -1 : find_group(&s->index, &s->d->x, i, class);

		if (group < 0)
			continue;
		if (mem_grow(&s->match, &s->capacity, s->n_matches + 1, sizeof(*s->match), err) < 0)
			return -1;
		s->match[s->n_matches++] = (struct row_match){ group, i, s->d->y[i] };
	}
	return 0;
}

/*
 * (4): a group's vectors by ascending coefficient meet its rows by ascending target.  Coefficients
 * below 0 are assigned from the lowest target upwards, others from the highest downwards, so that
 * rows without a vector, whose coefficient is 0, lie between.
 */
static void assign_group(const struct sv_key *key, int64_t n_keys, const struct row_match *match,
			 int64_t n_rows, int64_t *row)
{
	int64_t low = 0, top = n_rows;

	for (int64_t k = 0; k < n_keys && key[k].coef < 0 && low < top; k++)
		row[key[k].sv] = match[low++].row;
	for (int64_t k = n_keys; k-- > 0 && key[k].coef >= 0 && low < top;)
		row[key[k].sv] = match[--top].row;
}

/* All groups.  The keys lose their order by hash: afterwards no row can be looked up any more. */
static void assign_rows(struct row_search *s, int64_t *row)
{
	int64_t n = s->index.m->solution.n_sv, at = 0;
	struct sv_key *key = s->index.key;

	qsort(key, (size_t)n, sizeof(*key), compare_members);
	if (s->n_matches > 0)
		qsort(s->match, (size_t)s->n_matches, sizeof(*s->match), compare_matches);
	for (int64_t k = 0, end; k < n; k = end) {
		int64_t group = key[k].group, first;

		for (end = k; end < n && key[end].group == group;)
			end++;
		while (at < s->n_matches && s->match[at].group < group)
			at++;
		for (first = at; at < s->n_matches && s->match[at].group == group;)
			at++;
		assign_group(key + k, end - k, s->match + first, at - first, row);
	}
}

int sv_rows_find(const struct model *m, const struct dataset *d, int64_t *row, int64_t *n_missing,
		 struct error *err)
{
	struct row_search s = { .d = d };
	int64_t n = m->solution.n_sv;
	int ret = -1;

	if (sv_index_init(&s.index, m, err) < 0)
		return -1;
	if (find_matches(&s, err) < 0)
		goto out;
	for (int64_t j = 0; j < n; j++)
		row[j] = -1;
	assign_rows(&s, row);
	*n_missing = 0;
	for (int64_t j = 0; j < n; j++)
		*n_missing += row[j] < 0;
	ret = 0;
out:
	sv_index_free(&s.index);
	mem_free(s.match);
	return ret;
}

/*
 * test_sv_index.c - which support vector a row is: the index finds what rounding made of each row
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "evaluate/sv_index.h"
#include "random.h"
#include "unit.h"

enum { ROWS = 300, VECTORS = 200, COLUMNS = 9 };

/* Rows, and a model whose vectors are the first of them, rounded; the last two are equal. */
struct sample {
	struct csr x;
	struct model m;
	int64_t n_sv_of_class[2];
	int label[2];
};

static double rounded(double value, int n_digits)
{
	char text[40];

	snprintf(text, sizeof(text), "%.*g", n_digits, value);
	return strtod(text, NULL);
}

/* Values of all sizes; 'date': feature 1 is a large number that hardly differs. */
static void sample_init(struct sample *s, int n_digits, bool date)
{
	struct error err = { 0 };

	*s = (struct sample){ .n_sv_of_class = { VECTORS / 4, VECTORS - VECTORS / 4 },
			      .label = { 3, -5 } };
	random_rows(&s->x, ROWS, COLUMNS, 0.8);
	for (int64_t k = 0; k < csr_n_entries(&s->x); k++) {
		s->x.val[k] *= pow(10, random_between(-6, 6));
		if (random_below(10) == 0)
			s->x.val[k] = 0;
		if (random_below(10) == 0) /* rounded across a power of two */
			s->x.val[k] = ldexp(1 - 1e-10, (int)random_below(20));
		if (date && s->x.col[k] == 1)
			s->x.val[k] = 1.6e9 + (double)random_below(2);
	}
	for (int64_t k = 0; n_digits % 4 == 0 && k < csr_n_entries(&s->x); k++)
		s->x.val[k] *= 1e160;		       /* squares of which are infinite */
	s->x.val[s->x.row_start[VECTORS - 1] - 1] = 0; /* the equal vectors have a zero */
	for (int64_t j = 0; j < VECTORS; j++) {
		struct csr_row e = csr_row_of(&s->x, j < VECTORS - 1 ? j : j - 1);
		int64_t start[2] = { 0, 0 };
		int32_t col[COLUMNS];
		double val[COLUMNS];

		/* zeros of the rows are left out of every other vector */
		for (int64_t k = 0; k < e.n; k++)
			if (e.val[k] != 0 || j % 2 == 0) {
				col[start[1]] = e.col[k];
				val[start[1]++] = rounded(e.val[k], n_digits);
			}
		CHECK(csr_append(&s->m.sv, 1, start, col, val, &err) == 0, "%s", err.text);
	}
	s->m.solution.n_class = 2;
	s->m.solution.n_sv = VECTORS;
	s->m.solution.n_sv_of_class = s->n_sv_of_class;
	s->m.solution.label = s->label;
	s->m.kernel.type = KERNEL_LINEAR;
}

static void sample_free(struct sample *s)
{
	csr_free(&s->x);
	csr_free(&s->m.sv);
}

/* Is vector j of the group? */
static bool has_vector(const struct sv_index *index, int64_t group, int64_t j)
{
	const struct sv_group *g = &index->group[group];

	for (int64_t k = g->first; k < g->first + g->n; k++)
		if (index->order[k] == j)
			return true;
	return false;
}

/* Errors of sums, as large as (1) of sv_index.c allows. */
static void disturb(struct csr *x)
{
	for (int64_t i = 0; i < x->n_rows; i++) {
		double sum = 0;

		for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++)
			sum += fabs(x->val[k]);
		for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++)
			x->val[k] += random_between(-0.9, 0.9) * 1e-12 * sum;
	}
}

/* The vectors of a class that a row is, one compared after the other. */
static int64_t count_vectors(const struct sv_index *index, struct csr_row z, int class,
			     int n_digits)
{
	const int64_t *size = index->m->solution.n_sv_of_class;
	int64_t first = class * size[0], n = 0;

	for (int64_t j = first; j < first + size[class]; j++)
		n += sv_index_agrees(index, z, j, n_digits);
	return n;
}

/* 'apart': no row is the vector of another one; beside a large value a projected one may be */
static void check_rows(const struct sample *s, enum sv_index_rows rows, int n_digits, bool apart)
{
	struct sv_index index;
	struct error err = { 0 };

	CHECK(sv_index_init(&index, &s->m, rows, &err) == 0, "%s", err.text);
	CHECK(index.n_groups == VECTORS - 1, "%d groups", (int)index.n_groups);
	CHECK(sv_index_digits(&s->m) == n_digits, "%d digits", sv_index_digits(&s->m));
	for (int64_t i = 0; i < ROWS; i++) {
		int own = i >= VECTORS - 1 ? -1 : i >= VECTORS / 4;
		struct csr_row z = csr_row_of(&s->x, i);

		for (int class = 0; class < 2; class ++) {
			int64_t group = sv_index_find(&index, z, class, n_digits);
			int64_t n = count_vectors(&index, z, class, n_digits);

			CHECK((group >= 0) == (n > 0), "row %d is %d vectors, and in group %d",
			      (int)i, (int)n, (int)group);
			CHECK(class != own || (group >= 0 && has_vector(&index, group, i)),
			      "row %d: group %d", (int)i, (int)group);
			CHECK(!apart || class == own || group < 0, "row %d: group %d", (int)i,
			      (int)group);
		}
	}
	CHECK(sv_index_class(&s->m, 3) == 0 && sv_index_class(&s->m, -5) == 1 &&
		      sv_index_class(&s->m, 4) == -1,
	      "classes");
	sv_index_free(&index);
}

static void test_rows(void)
{
	for (int n_digits = 3; n_digits <= 15; n_digits++)
		for (int date = 0; date < 2; date++) {
			struct sample s;

			sample_init(&s, n_digits, date);
			check_rows(&s, SV_INDEX_READ, n_digits, true);
			check_rows(&s, SV_INDEX_PROJECTED, n_digits, !date);
			disturb(&s.x);
			check_rows(&s, SV_INDEX_PROJECTED, n_digits, !date);
			sample_free(&s);
		}
}

/* Of a precomputed kernel the serial number tells, whatever the values are. */
static void test_serial_numbers(void)
{
	const int64_t start[] = { 0, 2, 4 }, sv_start[] = { 0, 1 };
	const int32_t col[] = { 0, 1, 0, 1 };
	const double val[] = { 1, 0.5, 2, 0.5 }, serial = 2;
	int64_t n_sv_of_class[] = { 1, 0 };
	struct model m = { .type = MACHINE_EPSILON_SVR,
			   .kernel = { .type = KERNEL_PRECOMPUTED },
			   .solution = {
				   .n_class = 2, .n_sv = 1, .n_sv_of_class = n_sv_of_class } };
	struct csr x = { 0 };
	struct sv_index index;
	struct error err = { 0 };

	CHECK(csr_append(&x, 2, start, col, val, &err) == 0 &&
		      csr_append(&m.sv, 1, sv_start, col, &serial, &err) == 0 &&
		      sv_index_init(&index, &m, SV_INDEX_READ, &err) == 0,
	      "%s", err.text);
	CHECK(sv_index_find(&index, csr_row_of(&x, 0), 0, SV_INDEX_DIGITS) == -1, "row 1");
	CHECK(sv_index_find(&index, csr_row_of(&x, 1), 0, SV_INDEX_DIGITS) == 0, "row 2");
	sv_index_free(&index);
	csr_free(&m.sv);
	csr_free(&x);
}

int main(void)
{
	test_rows();
	test_serial_numbers();
	return unit_report("sv_index");
}

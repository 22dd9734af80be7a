/*
 * assemble.c - one solution from the multipliers of all pairs of classes
 *
 * LIBSVM's model lists each support vector once, class after class, with k - 1 coefficients: that
 * of the pair with every other class, 0 where it is none of that pair's support vectors.  So
 *
 *     mark       the rows that are a support vector of any pair, by class (the multiplier's sign
 *                says which class of the pair a row belongs to)
 *     number     them by class, then by row
 *     place      each pair's multipliers: for a vector of class a against class b the row of
 *                coefficients is b - 1 if b > a, else b
 *
 * O(rows + classes * support vectors).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/assemble.h"

#include <string.h>

#include "base/mem.h"

int kept_init(struct kept_multipliers *kept, int64_t n_pairs, struct error *err)
{
	*kept = (struct kept_multipliers){ 0 };
	kept->rho = mem_array(n_pairs, sizeof(*kept->rho), err);
	kept->end = mem_array(n_pairs, sizeof(*kept->end), err);
	return kept->rho && kept->end ? 0 : -1;
}

void kept_free(struct kept_multipliers *kept)
{
	mem_free(kept->rho);
	mem_free(kept->end);
	mem_free(kept->row);
	mem_free(kept->beta);
}

static int64_t kept_start(const struct kept_multipliers *kept, int64_t q)
{
	return q > 0 ? kept->end[q - 1] : 0;
}

int kept_add(struct kept_multipliers *kept, int64_t q, const struct problem *p, const double *beta,
	     double rho, struct error *err)
{
	int64_t most = kept->n;

	for (int64_t i = 0; i < p->view.n; i++)
		most += beta[i] != 0;
	if (mem_grow(&kept->row, &kept->rows_capacity, most, sizeof(*kept->row), err) < 0 ||
	    mem_grow(&kept->beta, &kept->betas_capacity, most, sizeof(*kept->beta), err) < 0)
		return -1;
	for (int64_t i = 0; i < p->view.n; i++)
		if (beta[i] != 0) {
			kept->row[kept->n] = p->row[i];
			kept->beta[kept->n++] = beta[i];
		}
	kept->rho[q] = rho;
	kept->end[q] = kept->n;
	return 0;
}

/* Class of each row that is a support vector of some pair, -1 for all others. */
static void mark_vectors(int32_t *class_of_row, const struct classes *classes,
			 const struct kept_multipliers *kept, int64_t n_rows)
{
	int64_t q = 0;

	for (int64_t i = 0; i < n_rows; i++)
		class_of_row[i] = -1;
	if (!classes) {
		for (int64_t k = 0; k < kept->n; k++)
			class_of_row[kept->row[k]] = 0;
		return;
	}
	for (int a = 0; a < classes->n; a++)
		for (int b = a + 1; b < classes->n; b++, q++)
			for (int64_t k = kept_start(kept, q); k < kept->end[q]; k++)
				class_of_row[kept->row[k]] = kept->beta[k] > 0 ? a : b;
}

/*
 * Number the support vectors: by class, then by example.  vector_of_row gets the numbers.  The rows
 * of a class are in the order of its examples.
 */
static void number_vectors(struct solution *s, const int32_t *class_of_row, int64_t *vector_of_row,
			   const int64_t *row, int64_t n)
{
	s->n_sv = 0;
	for (int64_t k = 0; k < n; k++) {
		int64_t i = row ? row[k] : k;

		if (class_of_row[i] < 0)
			continue;
		s->n_sv_of_class[class_of_row[i]]++;
		vector_of_row[i] = s->n_sv;
		s->sv_row[s->n_sv++] = i;
	}
}

/* coef[r][v] of a vector of class 'own' against class r < own ? r : r + 1. */
static void place_coefficients(struct solution *s, const struct kept_multipliers *kept,
			       const int32_t *class_of_row, const int64_t *vector_of_row)
{
	int64_t q = 0;

	for (int a = 0; a < s->n_class; a++)
		for (int b = a + 1; b < s->n_class; b++, q++)
			for (int64_t k = kept_start(kept, q); k < kept->end[q]; k++) {
				int64_t row = kept->row[k];
				int r = class_of_row[row] == a ? b - 1 : a;

				s->coef[r * s->n_sv + vector_of_row[row]] = kept->beta[k];
			}
}

static int solution_allocate(struct solution *s, const struct classes *classes, int64_t n_rows,
			     struct error *err)
{
	s->n_class = classes ? classes->n : 2;
	s->sv_row = mem_array(n_rows, sizeof(int64_t), err);
	s->n_sv_of_class = mem_zeroed(s->n_class, sizeof(int64_t), err);
	s->rho = mem_array(solution_n_pairs(s->n_class), sizeof(double), err);
	if (classes) {
		s->label = mem_array(s->n_class, sizeof(int), err);
		if (s->label)
			memcpy(s->label, classes->label, (size_t)s->n_class * sizeof(int));
	}
	return err->code == ERR_NONE ? 0 : -1;
}

int assemble_solution(struct solution *s, const struct kept_multipliers *kept,
		      const struct classes *classes, const struct example_list *examples,
		      int64_t n_rows, struct error *err)
{
	int64_t n_coef;
	int32_t *class_of_row = mem_array(n_rows, sizeof(*class_of_row), err);
	int64_t *vector_of_row = mem_array(n_rows, sizeof(*vector_of_row), err);
	int ret = -1;

	if (!class_of_row || !vector_of_row || solution_allocate(s, classes, examples->n, err) < 0)
		goto out;
	mark_vectors(class_of_row, classes, kept, n_rows);
	number_vectors(s, class_of_row, vector_of_row, classes ? classes->row : examples->row,
		       examples->n);
	n_coef = (s->n_class - 1) * s->n_sv;
	s->coef = mem_zeroed(n_coef, sizeof(double), err);
	if (!s->coef)
		goto out;
	place_coefficients(s, kept, class_of_row, vector_of_row);
	memcpy(s->rho, kept->rho, (size_t)solution_n_pairs(s->n_class) * sizeof(*s->rho));
	ret = 0;
out:
	if (ret < 0)
		solution_free(s);
	mem_free(class_of_row);
	mem_free(vector_of_row);
	return ret;
}

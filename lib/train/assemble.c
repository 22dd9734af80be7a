/*
 * assemble.c - one solution from the multipliers of all pairs of classes
 *
 * LIBSVM's model lists each support vector once, class after class, with k - 1 coefficients: that of
 * the pair with every other class, 0 where it is none of that pair's support vectors.  So the
 * multipliers are kept as such a list of all rows, of which those without a coefficient are left out
 * in the end, in place.
 *
 *     kept->coef, by pairs while they are trained          s->coef, in the end
 *                row 0   row 1   ...   row n - 1                     vector 0   vector 1   ...
 *     0          .       .             .                   0         .          .
 *     ...                                                  ...
 *     k - 2      .       .             .                   k - 2     .          .
 *
 * The coefficient of a row of class a against class b is in line b - 1 if a < b, and in line b if a
 * > b: line r leaves the row's own class out (expansion.h).  8 (k - 1) n bytes are needed in any
 * case while pairs may make any row a support vector; moving lines to the front in place needs no
 * second array.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/assemble.h"

#include <string.h>

#include "base/mem.h"

int kept_init(struct kept_multipliers *kept, int n_class, int64_t n_rows, struct error *err)
{
	*kept = (struct kept_multipliers){ .n_class = n_class, .n_rows = n_rows };
	/* a coefficient stays 0 where the row is no support vector of the pair */
	kept->coef = mem_zeroed((n_class - 1) * n_rows, sizeof(*kept->coef), err);
	kept->rho = mem_array(solution_n_pairs(n_class), sizeof(*kept->rho), err);
	kept->w = mem_zeroed(solution_n_pairs(n_class), sizeof(*kept->w), err);
	return kept->coef && kept->rho && kept->w ? 0 : -1;
}

void kept_free(struct kept_multipliers *kept)
{
	solution_free_weights(kept->w, kept->n_class);
	mem_free_all(kept->rho, kept->coef);
}

void kept_add(struct kept_multipliers *kept, int64_t q, struct class_choice pair,
	      const struct problem *p, const double *beta, double rho)
{
	kept->rho[q] = rho;
	for (int64_t i = 0; i < p->view.n; i++) {
		/* class a is the first of the pair: its examples have target +1 */
		int r = p->target[i] > 0 ? pair.b - 1 : pair.a;

		if (beta[i] != 0)
			kept->coef[r * kept->n_rows + p->row[i]] = beta[i];
	}
}

/* Set is_vector[i]: has row i a coefficient other than 0? */
static void mark_vectors(const struct kept_multipliers *kept, bool *is_vector)
{
	memset(is_vector, false, (size_t)kept->n_rows * sizeof(*is_vector));
	for (int r = 0; r < kept->n_class - 1; r++)
		for (int64_t i = 0; i < kept->n_rows; i++) {
			/* a row with a coefficient in any pair is a support vector of the model */
			is_vector[i] |= kept->coef[r * kept->n_rows + i] != 0;
		}
}

/* The support vectors among n rows of class c: rows that are listed, or the first n. */
static void list_class(struct solution *s, const bool *is_vector, int c, const int64_t *row,
		       int64_t n)
{
	int64_t before = s->n_sv;

	/* rows of a class in the order of the data, as LIBSVM's models list them */
	for (int64_t k = 0; k < n; k++) {
		int64_t i = row ? row[k] : k;

		if (is_vector[i])
			s->sv_row[s->n_sv++] = i;
	}
	s->n_sv_of_class[c] = s->n_sv - before;
}

/* The support vectors of all classes, class after class, as LIBSVM's models list them. */
static void list_vectors(struct solution *s, const bool *is_vector, const struct classes *classes,
			 const struct example_list *examples)
{
	/* a regression lists all its examples as one class */
	s->n_sv = 0;
	if (!classes)
		list_class(s, is_vector, 0, examples->row, examples->n);
	for (int c = 0; classes && c < classes->n; c++)
		list_class(s, is_vector, c, classes->row + classes->start[c],
			   classes_size(classes, c));
}

/* Keep only the coefficients of support vectors, moving each to a place that was read already. */
static int take_coefficients(struct solution *s, struct kept_multipliers *kept, struct error *err)
{
	int64_t capacity = (kept->n_class - 1) * kept->n_rows;
	double *some = mem_array(s->n_sv, sizeof(*some), err);

	for (int r = 0; some && r < kept->n_class - 1; r++) {
		/* line by line: line r ends before line r of the old length begins */
		for (int64_t v = 0; v < s->n_sv; v++)
			some[v] = kept->coef[r * kept->n_rows + s->sv_row[v]];
		memcpy(kept->coef + r * s->n_sv, some, (size_t)s->n_sv * sizeof(*some));
	}
	mem_free(some);
	if (!some)
		return -1;
	/* the memory of rows without coefficients is given back */
	mem_shrink(&kept->coef, &capacity, (kept->n_class - 1) * s->n_sv, sizeof(*kept->coef));
	s->coef = kept->coef;
	kept->coef = NULL;
	return 0;
}

/* Allocate a solution's arrays except coefficients and rho, which the kept multipliers give. */
static int solution_allocate(struct solution *s, const struct classes *classes, int64_t n_examples,
			     struct error *err)
{
	s->n_class = classes ? classes->n : 2;
	/* room for as many vectors as examples; n_sv says how many there are */
	s->sv_row = mem_array(n_examples, sizeof(int64_t), err);
	s->n_sv_of_class = mem_zeroed(s->n_class, sizeof(int64_t), err);
	s->label = mem_copy(classes ? classes->label : NULL, s->n_class, sizeof(int), err);
	return err->code == ERR_NONE ? 0 : -1;
}

int assemble_solution(struct solution *s, struct kept_multipliers *kept,
		      const struct classes *classes, const struct example_list *examples,
		      struct error *err)
{
	bool *is_vector = mem_array(kept->n_rows, sizeof(*is_vector), err);
	int ret = -1;

	if (is_vector && solution_allocate(s, classes, examples->n, err) == 0) {
		mark_vectors(kept, is_vector);
		list_vectors(s, is_vector, classes, examples);
		ret = take_coefficients(s, kept, err);
	}
	mem_free(is_vector);
	if (ret < 0) {
		/* after a failure the solution is empty */
		solution_free(s);
		return -1;
	}
	/* the arrays now belong to the solution, and kept_free() finds NULL pointers */
	s->rho = kept->rho;
	s->w = kept->w;
	s->far_error = kept->far_error;
	kept->rho = NULL;
	kept->w = NULL;
	return 0;
}

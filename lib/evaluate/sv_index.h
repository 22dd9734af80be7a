/*
 * sv_index.h - which support vector of a model a row is, if its values are nearly the same; which
 * rows of the training data a model's support vectors are
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "model/model.h"
#include "problem/solution.h"
#include "problem/training.h"

/* Digits of a value in a model file: %.8g of LIBSVM's svm_save_model(), or all of a double. */
enum { SV_INDEX_DIGITS = 8, SV_INDEX_ALL_DIGITS = 17 };

/*
 * Rows that are looked up: as training read them; or projected anew, where another machine may
 * round sums otherwise; or that in single precision, where vectors are the shortest decimals of
 * such rows, which are other numbers.
 */
enum sv_index_rows { SV_INDEX_READ, SV_INDEX_PROJECTED, SV_INDEX_PROJECTED_SINGLE };

/* Equal vectors of a class: order[first .. first + n - 1] are their numbers, ascending. */
struct sv_group {
	double key;
	int64_t first, n;
};

/*
 * A model's vectors, to be looked up by value and class.  Owns its arrays, borrows the model;
 * threads may share it once it is made.
 */
struct sv_index {
	const struct model *m;
	int64_t *order; /* vector numbers by group, n_sv */
	int64_t n_groups;
	struct sv_group *group; /* groups of equal vectors by class and key, n_groups */
	int64_t *class_start;	/* first group of each class, n_class + 1 */
	double spread;		/* relative distance at most between a value and its text */
	double cancelled;	/* error of a sum in a row, relative to the row's |z|_1 */
};

/* sv_index_init() - O(entries + n_sv log n_sv); ERR_MEMORY */
int sv_index_init(struct sv_index *s, const struct model *m, enum sv_index_rows rows,
		  struct error *err);

void sv_index_free(struct sv_index *s);

/* sv_index_class() - number of the model's class with this label, or -1; 0 for regressions */
int sv_index_class(const struct model *m, double label);

/*
 * sv_index_digits() - significant digits of the vectors' longest value
 *
 * They are fewer than those of a model file where the training data had fewer (rp-project --digits).
 */
int sv_index_digits(const struct model *m);

/*
 * sv_index_find() - the group of that class whose vectors row 'z' is when it is rounded; -1: none
 *
 * Each value of the row may differ from the vector's by half a unit of digit n_digits and by the
 * rounding of sums; of several groups the one that the row is, or is once it is rounded, is taken,
 * or else the nearest.  Zeros that are written do not count.
 * Of a precomputed kernel serial numbers are compared.
 * O(log n_sv), and a comparison for each group of which one weighted sum of the values is as near.
 */
int64_t sv_index_find(const struct sv_index *s, struct csr_row z, int class, int n_digits);

/* sv_index_agrees() - does row 'z' agree with vector j of the model in n_digits digits? */
bool sv_index_agrees(const struct sv_index *s, struct csr_row z, int64_t j, int n_digits);

/* Of a model's support vectors, those whose rows are in doubt. */
struct sv_rows_doubts {
	int64_t n_missing; /* vectors that are no row */
	/* vectors rounded to 8 digits, in which rows that differ agree: any may be theirs */
	int64_t n_ambiguous;
};

/*
 * sv_rows_find() - row[j] of the training data 'd' that support vector j of 'm' is, or -1
 *
 * A row has the label of the vector's class and the same values.  svm-train rounds the values in a
 * file to 8 digits; so where no such rows are left, those that agree in 8 digits are taken
 * (sv_index_find()).
 * No two vectors get the same row.  Of equal rows with different targets (regression) the larger
 * coefficients go to the larger targets, which makes the dual objective largest.  Where rows have
 * weights, and so bounds of their own, C and the losses of 't' tell which assignments keep them; one
 * in the order of the rows, which model files have, may then be better.
 * O(entries + (n + n_sv) log n_sv) for n rows; with weights 2^24 steps and bytes more for each group
 * of equal rows at most.  Fails with ERR_MEMORY only.
 */
int sv_rows_find(const struct model *m, const struct dataset *d, const struct training *t,
		 int64_t *row, struct sv_rows_doubts *doubts, struct error *err);

/*
 * What the digits of support vectors in a model file are worth
 *
 * svm-train writes 8 digits of a value.  Where the values of a feature have a large part in common,
 * as numbers of customers and times have, the file is another model than the one that was trained.
 */

/* vectors_round() - values as they are read back from svm-train's files, which have 8 digits */
void vectors_round(struct csr *x);

/*
 * vectors_evaluate() - decision values, without the constants, of some rows by the vectors 'sv' of 's'
 *
 * Fails with ERR_MEMORY, or as expansion_init() does.
 */
int vectors_evaluate(const struct kernel *kernel, const struct solution *s, const struct csr *sv,
		     struct row_view rows, double *value, int n_threads, struct error *err);

/*
 * vectors_change() - how far decision values are off where a file has vectors 'filed' for 'sv'
 *
 * '*change' is the largest |f(x; filed) - f(x; sv)| of all decision functions over vectors x of
 * 'sv', of which some hundred are tried, evenly spread; 0 if, and only if, both are the same to the
 * last bit.
 * Both have the s->n_sv vectors of 's'.  O(hundreds of n_sv kernel values).  Fails with ERR_MEMORY,
 * or as expansion_init() does.
 */
int vectors_change(const struct kernel *kernel, const struct solution *s, const struct csr *sv,
		   const struct csr *filed, int n_threads, double *change, struct error *err);

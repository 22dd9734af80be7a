/*
 * near_sv.h - which support vector of a model a row is, if its values are only nearly the same
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_NEAR_SV_H
#define RANDSVM_NEAR_SV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "io/row_batch.h"
#include "model/model.h"

/* Equal vectors of a class: order[first .. first + n - 1] are their numbers, ascending. */
struct sv_group {
	double key;
	int64_t first, n;
};

/*
 * A model's vectors, to be looked up by value and class.  Owns its arrays, borrows the model;
 * threads may share it once it is made.
 */
struct near_sv {
	const struct model *m;
	int64_t *order; /* n_sv */
	int64_t n_groups;
	struct sv_group *group; /* n_groups, by class and key */
	int64_t *class_start;	/* n_class + 1: group number */
	int n_digits;		/* significant digits of the vectors' longest value, at most 8 */
	double spread;		/* relative: how far the text of a value may be from it */
};

/*
 * near_sv_init() - O(entries + n_sv log n_sv); ERR_MEMORY
 *
 * Vectors have the 8 digits of a model file, or fewer where the training data had (rp-project
 * --digits): the longest value of all tells.  'single': the training data were in single precision,
 * of which text has the shortest decimals, which are other numbers.
 */
int near_sv_init(struct near_sv *s, const struct model *m, bool single, struct error *err);

void near_sv_free(struct near_sv *s);

struct near_group {
	int64_t group; /* -1: none */
	bool exact;    /* equal in 8 digits; else in n_digits */
};

/*
 * near_sv_find() - the group of that class whose vectors row i has when it is rounded
 *
 * Each value of the row may differ from the vector's by half a unit of digit 8, or, if there is no
 * such group, of digit n_digits, and by the rounding of sums; of several groups the nearest is
 * taken.
 * O(log n_sv), and a comparison for each group of which one weighted sum of the values is as near.
 */
struct near_group near_sv_find(const struct near_sv *s, const struct row_batch *rows, int64_t i,
			       int class);

/* near_sv_agrees() - is row i vector j of the model, in n_digits? */
bool near_sv_agrees(const struct near_sv *s, const struct row_batch *rows, int64_t i, int64_t j);

#endif

/*
 * scaling.h - features scaled to a common range, as svm-scale does
 *
 * A feature with values from a to b in the rows that the ranges were found by becomes
 *
 *     x'  =  low + (high - low) (x - a) / (b - a)
 *
 * so that these rows get values from low to high; other rows may get values outside.  Features that
 * a row does not have are 0 and are scaled too: where 0 becomes another number, every row gets a
 * value.  A feature with a = b is left out.  Targets may be scaled in the same way.
 *
 *     scan the rows      scaling_ranges_add(), any number of threads, each with its own ranges
 *     scaling_init()     ranges of all threads --> struct scaling
 *     scaling_apply()    any rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/input.h"
#include "io/output.h"
#include "io/row_batch.h"
#include "matrix/column_map.h"

struct scaling_options {
	double low, high;
	bool targets; /* scale the labels too, to this range: */
	double target_low, target_high;
};

/* The least and the largest of some values, and how many there were. */
struct value_range {
	int32_t feature; /* whose values these are; 0 for labels */
	double least, most;
	int64_t n;
};

/* Ranges of the features of some rows.  Owns its arrays; a zeroed one is empty. */
struct scaling_ranges {
	int64_t n_rows;
	struct value_range target;
	struct column_map map;	   /* place of each feature that occurs */
	struct value_range *range; /* map.n: of the values stored, without zeros that are not */
	int64_t capacity;
};

/*
 * scaling_ranges_add() - the rows of a batch
 *
 * O(entries).  Memory: some 60 bytes a feature.  -1 with ERR_NUMERIC if a value or, with
 * 'targets', a label is not finite; or with ERR_MEMORY.
 */
int scaling_ranges_add(struct scaling_ranges *r, const struct row_batch *rows, bool targets,
		       struct error *err);

void scaling_ranges_free(struct scaling_ranges *r);

/* A scaling ready for use.  Owns its arrays; a zeroed one is empty.  Threads may share it. */
struct scaling {
	struct scaling_options options;
	double target_least, target_most;
	int64_t n;
	struct value_range *range; /* features, ascending, each with least < most; n */
	struct column_map map;
	int64_t n_filled; /* features in which 0 becomes another number */
	int32_t *filled;  /* their places in 'range', ascending */
	double *fill;	  /* value that 0 becomes */
	/* of scaling_init(): features with one value, not 0, in all rows, which are left out */
	int64_t n_constant;
	int32_t first_constant; /* lowest of the constant features */
};

/*
 * scaling_init() - the scaling of all rows of n_ranges ranges, into the empty '*s'
 *
 * It does not depend on how the rows were divided among the ranges, which are joined in ranges[0],
 * and sorted there: they can only be freed then.
 * low < high, and so for targets.  O(features log features).  ERR_MEMORY only; '*s' is then empty.
 */
int scaling_init(struct scaling *s, const struct scaling_options *options,
		 struct scaling_ranges *ranges, int n_ranges, struct error *err);

void scaling_free(struct scaling *s);

/* Values other than 0 of features that have no range; the lowest of these features, if n > 0. */
struct scaling_unknown {
	int64_t n;
	int32_t first;
};

/*
 * scaling_apply() - out = the rows, scaled
 *
 * 'out' is overwritten: labels and text as they were, but a target that is scaled loses the text
 * of its label; zeros and features without a range are left out, and the latter added to
 * '*unknown'.  Each value is computed by the operations of svm-scale, in its order.
 * O(entries + rows * n_filled).  ERR_MEMORY only; 'out' is then empty.
 */
int scaling_apply(const struct scaling *s, struct row_range rows, struct row_batch *out,
		  struct scaling_unknown *unknown, struct error *err);

/*
 * scaling_save() - write the range file of svm-scale -s, byte for byte, to 'output', which stays
 * open; scaling_read() - read one: an input_reader of a struct scaling, which is empty after a failure
 *
 *     y                        these three lines only if targets are scaled
 *     target_low target_high
 *     least most
 *     x
 *     low high
 *     feature least most       ascending
 *     ...
 *
 * Numbers have 17 significant digits.  Fail with ERR_IO, ERR_FORMAT (`path:line: reason`)
 * or ERR_MEMORY.
 */
int scaling_save(const struct scaling *s, struct output *output, struct error *err);
int scaling_read(void *s, struct input *from, struct error *err);

/*
 * normalise_rows() - out = x / |x| for the rows x, with |x| the Euclidean length
 *
 * 'out' is overwritten: labels, texts and entries as they were but for the values.  A row without
 * values other than 0, or with one that is not finite, stays as it is.  Values of any size have a
 * length: they are multiplied by a power of two before they are squared.  O(entries).  ERR_MEMORY
 * only; 'out' is then empty.
 */
int normalise_rows(struct row_range rows, struct row_batch *out, struct error *err);

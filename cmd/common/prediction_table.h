/*
 * prediction_table.h - predictions beside the labels, with decision values: text by rows
 *
 *     row label prediction 1/-1           two classes
 *     1 1 1 1.0000433
 *     2 -1 -1 -0.52431
 *
 *     row label prediction p:1 p:2 p:3 1/2 1/3 2/3    three classes, with probabilities
 *     row label prediction 1 2 3                      a value for each class
 *     row label prediction value                      regression
 *
 * Where rows have groups, a last column 'group' names them.
 *
 * randsvm-train --cv-predictions and svm-eval --with-labels write it, svm-eval --measure reads it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "names.h"
#include "evaluate/cv_predictions.h"
#include "io/input.h"
#include "io/output.h"
#include "matrix/row_groups.h"

/* table_name_columns() - write the first line, from "label" on; failures show in 'err' */
void table_name_columns(const struct prediction_columns *c, bool with_groups, struct output *to,
			struct error *err);

/* table_name_values() - write the names of decision values alone, by the names of classes */
void table_name_values(const struct prediction_columns *c, const struct class_names *names,
		       struct output *to, struct error *err);

/* A table read from a file; owns its arrays. */
struct prediction_table {
	struct prediction_columns columns;
	enum prediction_kind kind;
	int *class_label;
	bool has_row_numbers;		     /* the column 'row', which cross validation writes */
	int64_t n_rows, width, n_unlabelled; /* of rows with a label, and how many are left out */
	bool is_open;			     /* the last line does not end */
	/* [n_rows][width]: label, prediction, probabilities and decision values that columns has */
	double *row;
	struct row_groups groups; /* of the column 'group'; empty without one */
};

/*
 * table_read() - read all of 'input' into the empty '*t'
 *
 * The columns label and prediction must be there, in any place; so may those above, and group.  Without a
 * first line of names there are two or three columns: label, prediction, and a value that speaks
 * for the larger of two labels.  Where no column names a class, whole numbers as labels and
 * predictions are classes, and other numbers those of a regression.  Comments, from a '#' on,
 * further lines that equal the line of names, further lines that begin with the word `error:`, and rows whose
 * label is nan are left out.  Labels and
 * predictions are finite unless 'allow_nonfinite' is set, or the names that 'labels' gives classes;
 * probabilities are from 0 to 1 or nan.  Fails
 * with ERR_FORMAT, naming the line, or as input_read() does; '*t' is then empty.
 */
int table_read(struct prediction_table *t, struct input *input, const struct class_names *labels,
	       bool allow_nonfinite, struct error *err);

void table_free(struct prediction_table *t);

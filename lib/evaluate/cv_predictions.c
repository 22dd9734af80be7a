/*
 * cv_predictions.c - what cross validation predicts of each row, with the values it comes from
 *
 * How this works.  Three tables by row, whose columns are classes in the order of columns.label:
 *
 *     predicted      1 column     label or target                        NAN: no model          (1)
 *     value          n_values     decision values:                       NAN: no value          (2)
 *         a regression                  1
 *         by_class (one vs rest)        a column for each class
 *         one against one               a column for each pair a < b: (0,1) (0,2) .. (1,2) ..
 *     probability    n_class      of each class                          NULL without -b 1      (3)
 *
 * The model of a fold may have its classes in another order, or lack some: find_class() brings each
 * to its column, and the value of a pair changes its sign where the two classes change places.
 * What no model says stays NAN.
 *
 * Each row is in one fold, so that it is set once; rows may be set in any order, by one thread.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/cv_predictions.h"

void cv_predictions_free(struct cv_predictions *c)
{
	mem_free_all(c->predicted, c->value, c->probability);
	*c = (struct cv_predictions){ 0 };
}

/* Allocate n numbers, all NAN. */
static double *undefined_numbers(int64_t n, struct error *err)
{
	double *x = mem_array(n, sizeof(*x), err);

	for (int64_t i = 0; x && i < n; i++)
		x[i] = NAN;
	return x;
}

int64_t prediction_n_values(const struct prediction_columns *c)
{
	if (!c->with_values)
		return 0;
	return c->n_class == 0 ? 1 : c->by_class ? c->n_class : solution_n_pairs(c->n_class);
}

int cv_predictions_init(struct cv_predictions *c, const struct prediction_columns *columns,
			int64_t n_rows, struct error *err)
{
	*c = (struct cv_predictions){ .columns = *columns,
				      .n_rows = n_rows,
				      .n_values = prediction_n_values(columns) };
	c->predicted = undefined_numbers(n_rows, err);
	c->value = undefined_numbers(n_rows * c->n_values, err);
	if (columns->with_probabilities)
		c->probability = undefined_numbers(n_rows * columns->n_class, err);
	/* the error is that of the first array that had no memory */
	if (err->code == ERR_NONE)
		return 0;
	cv_predictions_free(c);
	return -1;
}

/* Number of a class in the table; every class of a model occurs in the data. */
static int find_class(const struct cv_predictions *c, int label)
{
	return label_find(c->columns.label, c->columns.n_class, label);
}

/* Set the decision value of classes a and b, given as positive for a. */
static void set_pair(const struct cv_predictions *c, double *to, int a, int b, double value)
{
	if (c->columns.by_class) {
		to[a] = value;
		to[b] = -value;
	} else {
		to[expansion_pair(c->columns.n_class, a, b)] = a < b ? value : -value;
	}
}

/* Step (2): store a row's decision values, each in the column of its classes in the table. */
static void set_values(const struct cv_predictions *c, const struct predictor *p,
		       const double *from, double *to)
{
	/* LIBLINEAR's machines have a value for each class, except for two classes */
	bool pairs = !p->model->is_linear_model || p->n_values == 1;

	for (int a = 0; a < p->n_class; a++) {
		if (!pairs)
			to[find_class(c, p->label[a])] = from[a];
		for (int b = a + 1; pairs && b < p->n_class; b++)
			set_pair(c, to, find_class(c, p->label[a]), find_class(c, p->label[b]),
				 *from++);
	}
}

void cv_predictions_set(void *cv_predictions, int64_t row, const struct row_prediction *prediction)
{
	const struct cv_predictions *c = cv_predictions;
	const struct predictor *p = prediction->by;
	double *value;

	/* step (1): the class or target predicted for the row */
	c->predicted[row] = prediction->predicted;
	if (c->n_values == 0)
		return;
	/* step (2): a regression has one value, classification those of classes or pairs */
	value = c->value + row * c->n_values;
	if (c->columns.n_class == 0)
		value[0] = prediction->values[0];
	else
		set_values(c, p, prediction->values, value);
	/* step (3): probabilities; a class that the fold's model lacks keeps NAN */
	for (int k = 0; c->probability && p->has_probabilities && k < p->n_class; k++)
		c->probability[row * c->columns.n_class + find_class(c, p->label[k])] =
			prediction->probability[k];
}

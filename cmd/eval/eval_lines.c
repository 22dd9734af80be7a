/*
 * eval_lines.c - svm-eval: the lines of predictions
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "base/decimal.h"
#include "eval.h"
#include "common/prediction_table.h"

/* Bytes of a number in a line: %.17g has at most 24, and a blank is added. */
#define PIECE_SIZE 64

void eval_name_columns(const struct eval_job *job, struct output *to, struct error *err)
{
	const struct predictor *p = &job->predictor;
	struct prediction_columns columns = {
		.n_class = p->label ? p->n_class : 0,
		.label = p->label,
		.by_class = job->model.is_linear_model && p->n_values > 1,
		.with_values = settings.scores,
		.with_probabilities = job->with_probabilities,
	};
	char name[CLASS_NAME_SIZE];

	if (settings.with_labels) {
		/* as --measure reads them: the sides of one-class are two classes */
		columns.label = predictor_labels(p);
		columns.n_class = columns.label ? p->n_class : 0;
		table_name_columns(&columns, to, err);
		return;
	}
	if (!job->with_probabilities && !settings.scores)
		return;
	if (job->with_probabilities && p->kind == PREDICTS_SIDE)
		output_printf(to, err, "label normal outlier");
	else
		output_printf(to, err, job->with_probabilities ? "labels" : "label");
	for (int c = 0; job->with_probabilities && c < columns.n_class; c++)
		output_printf(to, err, " %s", class_names_show(&job->names, p->label[c], name));
	if (settings.scores)
		table_name_values(&columns, &job->names, to, err);
	if (settings.scores && settings.predict)
		output_printf(to, err, p->label ? " proved" : " within");
	output_write(to, "\n", 1, err);
}

/* Append a number as svm-predict writes it, by %.17g; whole numbers need no printf(). */
static void add_full_number(struct byte_buffer *t, double value)
{
	char digits[PIECE_SIZE];
	bool whole = fabs(value) < 1e9 && value == trunc(value);
	int n = whole ? decimal_shortest(value, digits) :
			snprintf(digits, sizeof(digits), "%.17g", value);

	byte_buffer_add(t, digits, n);
}

static void add_short_number(struct byte_buffer *t, double value)
{
	char digits[PIECE_SIZE];

	byte_buffer_add(t, digits, snprintf(digits, sizeof(digits), " %g", value));
}

static void add_score(struct byte_buffer *t, double value)
{
	char digits[DECIMAL_SHORTEST_SIZE];
	int n = decimal_shortest(value, digits);

	byte_buffer_add(t, " ", 1);
	byte_buffer_add(t, digits, n);
}

/* Append the name of a class and return true, if it has one. */
static bool add_name(const struct eval_job *job, struct byte_buffer *t, double label)
{
	const struct text_span name = class_names_find(&job->names, label);

	if (name.start)
		byte_buffer_add(t, name.start, name.length);
	return name.start;
}

/*
 * The prediction, and the probabilities: with svm-predict's few digits; beside the label with all,
 * as the measures of the file are to be those of the predictions.
 */
static void add_prediction(const struct eval_job *job, struct byte_buffer *t,
			   const struct eval_line *line)
{
	const int n = job->with_probabilities ? job->predictor.n_class : 0;
	const bool named = add_name(job, t, line->outcome->predicted);
	char digits[PIECE_SIZE];

	if (!named && (n == 0 || settings.with_labels))
		add_full_number(t, line->outcome->predicted);
	else if (!named)
		byte_buffer_add(t, digits,
				snprintf(digits, sizeof(digits), "%g", line->outcome->predicted));
	for (int c = 0; c < n; c++)
		(settings.with_labels ? add_score : add_short_number)(t, line->probability[c]);
}

int eval_add_line(const struct eval_job *job, struct byte_buffer *t, const struct eval_line *line,
		  struct error *err)
{
	const struct predictor *p = &job->predictor;
	const struct proved_prediction *proved = &line->outcome->proved;
	int64_t pieces = 4 + (job->with_probabilities ? p->n_class : 0) +
			 (settings.scores ? p->n_values : 0);

	if (byte_buffer_reserve(
		    t, pieces * PIECE_SIZE + line->comment.length + 2 * job->names.text.size, err) <
	    0)
		return -1;
	if (settings.with_labels) {
		if (!add_name(job, t, line->outcome->target))
			add_full_number(t, line->outcome->target);
		byte_buffer_add(t, " ", 1);
	}
	add_prediction(job, t, line);
	for (int64_t v = 0; v < p->n_values && settings.scores; v++)
		add_score(t, line->values[v]);
	if (settings.scores && settings.predict)
		add_score(t, p->label ? proved->same : proved->within);
	if (line->comment.length > 0) {
		byte_buffer_add(t, " ", 1);
		byte_buffer_add(t, line->comment.start, line->comment.length);
	}
	byte_buffer_add(t, "\n", 1);
	return 0;
}

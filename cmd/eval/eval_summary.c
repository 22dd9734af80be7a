/*
 * eval_summary.c - svm-eval --summary: lines for those who watch a service
 *
 *     {"rows": 998, "refused": 2, "unknown_features": 0, "out_of_range": 31,
 *      "predicted": {"good": 704, "bad": 294}, "values": {"p0": -2.1, "p5": -1.4, ... "p100": 1.9}}
 *
 * Rows come in the order of the input.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/order.h"
#include "eval.h"

enum { ROWS, REFUSED, UNKNOWN, OUTSIDE, LEFT_OUT, MISSING, CATEGORIES, WORDS, N_COUNTS };
static const char *const names[N_COUNTS] = {
	"rows",	    "refused",	      "unknown_features",   "out_of_range",
	"left_out", "missing_values", "unknown_categories", "unknown_words"
};
static const char *const percentiles[] = { "p0", "p5", "p25", "p50", "p75", "p95", "p100" };

/*
 * Counts of all rows, and what they were at the last line; since then rows of each class, from
 * 1 on, and values.
 */
static struct {
	int64_t now[N_COUNTS], told[N_COUNTS], *predicted;
	double *value;
	int64_t n_values, capacity;
} s;

static int64_t n_untold(void)
{
	return s.now[ROWS] + s.now[REFUSED] - s.told[ROWS] - s.told[REFUSED];
}

/* The counts, which for a table are those of its columns too. */
static void report_counts(struct report *line, const struct csv_columns *c)
{
	s.now[LEFT_OUT] = c->n_left_out;
	s.now[MISSING] = c->n_missing;
	s.now[CATEGORIES] = c->n_unknown;
	s.now[WORDS] = 0;
	for (int64_t k = 0; k < c->n; k++)
		if (c->column[k].text_features)
			s.now[WORDS] += c->column[k].text_features->n_unknown;
	for (int k = 0; k < (c->n > 0 ? N_COUNTS : LEFT_OUT); k++)
		report_count(line, names[k], s.now[k] - s.told[k]);
	memcpy(s.told, s.now, sizeof(s.told));
}

int eval_summary_say(struct eval_job *job, struct error *err)
{
	const int *label = predictor_labels(&job->predictor);
	struct report *line, *part;

	if (n_untold() == 0)
		return 0;
	line = report_root(err);
	report_counts(line, &job->chain.columns);
	part = label ? report_object(line, "predicted") : NULL;
	for (int c = 0; part && c < job->predictor.n_class; c++) {
		report_count(part, CLASS_KEY(&job->names, label[c]), s.predicted[c + 1]);
		s.predicted[c + 1] = 0;
	}
	part = report_object(line, "values");
	qsort(s.value, (size_t)s.n_values, sizeof(*s.value), order_doubles);
	for (int k = 0; k < 7 && s.n_values > 0; k++)
		report_number(part, percentiles[k],
			      s.value[(s.n_values - 1) * atoi(percentiles[k] + 1) / 100]);
	s.n_values = 0;
	cli_progress_pause(&job->run->progress);
	return report_say(line, err);
}

int eval_summary_add(struct eval_job *job, const struct outcome *row, struct error *err)
{
	const struct predictor *p = &job->predictor;
	const int *label = predictor_labels(p);

	if (!settings.summary)
		return 0;
	if (!s.predicted)
		s.predicted = mem_zeroed(p->n_class + 1, sizeof(*s.predicted), err);
	if (!s.predicted ||
	    mem_grow(&s.value, &s.capacity, s.n_values + 1, sizeof(*s.value), err) < 0)
		return -1;
	s.now[row ? ROWS : REFUSED]++;
	if (row && isfinite(row->value))
		s.value[s.n_values++] = row->value;
	s.now[UNKNOWN] += row && row->marks & CHAIN_UNKNOWN;
	s.now[OUTSIDE] += row && row->marks & CHAIN_OUTSIDE;
	if (row && label)
		s.predicted[label_find(label, p->n_class, row->predicted) + 1]++;
	return n_untold() < settings.summary ? 0 : eval_summary_say(job, err);
}

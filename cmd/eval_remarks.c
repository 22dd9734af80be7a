/*
 * eval_remarks.c - what in the rows of a test file does not fit the model
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "eval_remarks.h"

#include <inttypes.h>
#include <math.h>

#include "common/process.h"

/*
 * Share of the entries above the model's highest feature that is worth a note.  Test data have a
 * few features that the training data had not, as new words in texts; rows to which a map or
 * selection was not applied have many.
 */
#define BEYOND_SHARE 0.01

struct eval_remarks eval_remarks_begin(const struct predictor *p)
{
	const struct model *m = p->model;
	struct eval_remarks r = { .predictor = p };

	if (m->is_linear_model)
		r.n_features = m->linear.n_features;
	for (int64_t i = 0; i < m->sv.n_rows; i++) {
		int64_t first = m->sv.row_start[i], end = m->sv.row_start[i + 1];

		if (end > first && m->sv.col[end - 1] > r.n_features)
			r.n_features = m->sv.col[end - 1];
		if (end > first && m->sv.col[first] == 0)
			r.has_feature_0 = true;
	}
	return r;
}

static bool is_class(const struct predictor *p, double label)
{
	for (int c = 0; c < p->n_class; c++)
		if (label == p->label[c])
			return true;
	return false;
}

void eval_remarks_add(struct eval_remarks *r, const struct row_batch *b)
{
	const struct predictor *p = r->predictor;

	for (int64_t i = 0; i < b->n_rows; i++) {
		int64_t first = b->row_start[i], k = b->row_start[i + 1];

		if (isnan(b->label[i]))
			r->n_unlabelled++;
		else if (p->label && !is_class(p, b->label[i]))
			r->n_foreign++;
		if (k > first && b->index[first] == 0)
			r->n_zero++;
		for (; k > first && b->index[k - 1] > r->n_features; k--)
			r->n_beyond++;
	}
	r->n_rows += b->n_rows;
	r->n_entries += b->n_entries;
	if (b->max_index > r->max_index)
		r->max_index = b->max_index;
}

void eval_remarks_add_overflows(struct eval_remarks *r, const struct row_batch *b, int64_t n,
				int64_t first)
{
	if (r->n_overflows == 0)
		r->first_overflow = r->n_rows - b->n_rows + first;
	r->n_overflows += n;
}

void eval_remarks_features(const struct eval_remarks *r)
{
	if (r->n_features == 0) /* a model of a single class has no features */
		return;
	if ((double)r->n_beyond > BEYOND_SHARE * (double)r->n_entries)
		cli_note("the highest feature is %" PRId64 ", the model's is %" PRId64
			 ", and %.3g%% of the values are above it: was the map or the selection "
			 "applied?",
			 r->max_index, r->n_features,
			 100 * (double)r->n_beyond / (double)r->n_entries);
	if (r->n_zero > 0 && !r->has_feature_0)
		cli_note("the rows count features from 0, and the model has no feature 0");
}

void eval_remarks_print(const struct eval_remarks *r)
{
	const struct model *m = r->predictor->model;

	if (r->n_rows == 0)
		cli_note("no examples");
	if (r->n_unlabelled > 0)
		cli_note("%" PRId64 " of %" PRId64 " rows have no label: they are predicted, and "
			 "not measured",
			 r->n_unlabelled, r->n_rows);
	if (r->n_foreign > 0 && r->n_foreign == r->n_rows - r->n_unlabelled)
		cli_note("no label of the test file is a class of the model");
	else if (r->n_foreign > 0)
		cli_note("%" PRId64 " of %" PRId64
			 " rows have a label that is no class of the model",
			 r->n_foreign, r->n_rows);
	/* rows of a precomputed kernel have the numbers of examples in place of features */
	if (m->is_linear_model || m->kernel.type != KERNEL_PRECOMPUTED)
		eval_remarks_features(r);
	else if (r->n_zero < r->n_rows)
		cli_note("%" PRId64 " of %" PRId64 " rows do not begin with 0:, as rows of kernel "
			 "values do: are these features?",
			 r->n_rows - r->n_zero, r->n_rows);
}

void eval_remarks_warn(const struct eval_remarks *r)
{
	if (r->n_overflows > 0)
		cli_warn(
			"warning: %" PRId64 " of %" PRId64
			" rows have decision values that are not finite, the first of them row %" PRId64
			": their predictions may be worth nothing",
			r->n_overflows, r->n_rows, r->first_overflow + 1);
}

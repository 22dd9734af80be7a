/*
 * eval_explain.c - svm-eval --explain: Shapley values of decision values, in place of predictions
 *
 * Rows come here as the model takes them, behind the maps of a chain, which must keep features apart:
 * what a scaled feature adds is what the feature of the data adds.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/order.h"
#include "eval.h"
#include "evaluate/shapley.h"

struct explanation {
	struct eval_job *job;
	struct csr background; /* as the model takes it */
	struct shapley shapley;
	struct feature_names names; /* or none */
	int64_t first, last;	    /* features of the table */
	struct chain_map_scratch mapped[CHAIN_MOST_MAPS];
};

/* ---- features ---- */

void eval_name_features(struct feature_names *names, const struct chain *c,
			const struct predictor *p, const char *option)
{
	const struct eval_remarks r = eval_remarks_begin(p);
	const struct named_features of_model = { chain_data_feature(c, r.n_features),
						 r.has_feature_0, true, "the model counts" };
	struct error err = { 0 };

	for (int k = 0; k < c->n_maps; k++)
		if (c->map[k].kind == MAP_FEATURES)
			cli_fail(
				"%s: a map in %s makes each feature of many, so that no feature "
				"of the data has a value of its own: name its model, of features "
				"that are mapped, or through linear maps that of rp-project --fold",
				option, settings.model_name);
	if (settings.names) {
		cli_read_lines(names, "names file", settings.names);
		/* the data may have more of them than a choice leaves */
		if (c->n_maps == 0 || names->n < of_model.highest)
			named_features_fit(names, settings.names, &of_model);
		cli_check(chain_check_features(c, settings.model_name, names, settings.names, &err),
			  &err);
	} else {
		cli_check(chain_feature_names(c, names, &err), &err);
	}
}

/* ---- lines: all parts have room, for n pieces of two numbers, and each name once ---- */

static int make_room(const struct explanation *e, struct byte_buffer *t, int64_t n,
		     struct error *err)
{
	return byte_buffer_reserve(t, n * 2 * DECIMAL_SHORTEST_SIZE + e->names.text.size, err);
}

/* Append a tab and the feature's name, or its number. */
static void add_feature(const struct explanation *e, struct byte_buffer *t, int64_t feature)
{
	const int64_t f = chain_data_feature(&e->job->chain, feature);
	const struct text_span name = feature_names_line(&e->names, f + e->names.from_0);

	byte_buffer_add(t, "\t", 1);
	if (name.length == 0)
		eval_add_number(t, 0, (double)f);
	else
		byte_buffer_add(t, name.start, name.length);
}

/* A column for each feature of the table; no other, which rows beside it may have, may have a value. */
static int add_all(const struct explanation *e, struct byte_buffer *t,
		   const struct shapley_values *v, struct error *err)
{
	int64_t k = v->n > 0 && v->feature[0] < e->first && v->value[0] == 0;

	for (int64_t f = e->first; f <= e->last; f++) {
		const bool has = k < v->n && v->feature[k] == f;

		eval_add_number(t, '\t', has ? v->value[k] : 0);
		k += has;
	}
	while (k < v->n && v->value[k] == 0)
		k++;
	return k == v->n ? 0 :
			   error_set(err, ERR_FORMAT,
				     "feature %d is none of model and background, which "
				     "--explain 0 tells; --explain N names the N largest",
				     v->feature[k]);
}

/* The sum of the values that are not shown, then those of largest size, the largest first. */
static int add_largest(const struct explanation *e, struct byte_buffer *t,
		       const struct shapley_values *v, struct error *err)
{
	int64_t *order = order_sizes(v->value, v->n, 1, err);
	double others = 0;

	if (!order)
		return -1;
	for (int64_t k = settings.explain; k < v->n; k++)
		others += v->value[order[k]];
	eval_add_number(t, '\t', others);
	for (int64_t k = 0; k < v->n && k < settings.explain && v->value[order[k]] != 0; k++) {
		add_feature(e, t, v->feature[order[k]]);
		eval_add_number(t, '=', v->value[order[k]]);
	}
	mem_free(order);
	return 0;
}

static int add_values(struct explained *to, int64_t i, const struct shapley_values *v,
		      struct error *err)
{
	const struct explanation *e = to->by;
	const double predicted = to->outcome[i].predicted;
	const char *name = class_names_word(&e->job->names, predicted);
	const int64_t n =
		settings.explain > 0 ? int64_min(settings.explain, v->n) : e->last - e->first + 1;

	if (!isfinite(v->bound) || to->outcome[i].marks & CHAIN_OVERFLOW)
		return error_set(err, ERR_NUMERIC,
				 "Shapley values are not known: too many features change kernel "
				 "values much, or values are too large; scale features, or lower "
				 "gamma");
	if ((name && byte_buffer_append_text(to->text, name, err) < 0) ||
	    make_room(e, to->text, n + 5, err) < 0)
		return -1;
	if (!name)
		eval_add_number(to->text, 0, predicted);
	eval_add_number(to->text, '\t', v->decision);
	eval_add_number(to->text, '\t', v->base);
	if ((settings.explain > 0 ? add_largest : add_all)(e, to->text, v, err) < 0)
		return -1;
	byte_buffer_add(to->text, "\n", 1);
	to->bound = fmax(to->bound, v->bound);
	to->n_rows++;
	return 0;
}

/* The line of a row, or with --on-error answer why it has none. */
static int add_line(void *arg, int64_t i, const struct shapley_values *v, struct error *err)
{
	struct explained *to = arg;
	const int64_t start = to->text->size;
	const int ret = add_values(to, i, v, err);
	const struct error fault = *err;

	if (ret == 0 || !settings.answer_errors || fault.code == ERR_MEMORY)
		return ret;
	*err = (struct error){ 0 };
	to->text->size = start;
	to->outcome[i].marks |= CHAIN_OVERFLOW;
	return byte_buffer_append_text(to->text,
				       FORMATTED(sizeof(fault), "error: %s\n", fault.text), err);
}

void eval_explain_rows(struct explained *to, const struct row_view *rows, const double *values,
		       struct predictor_scratch *scratch)
{
	if (to->failed.code == ERR_NONE)
		shapley_rows(&to->by->shapley, rows, values, scratch, add_line, to, &to->failed);
}

void eval_explain_heading(const struct explanation *e, struct output *to, struct error *err)
{
	struct byte_buffer t = { 0 };

	output_printf(to, err, "label\tvalue\tbase%s",
		      settings.explain > 0 ? "\tothers\treasons" : "");
	if (make_room(e, &t, e->last - e->first + 2, err) == 0) {
		for (int64_t f = e->first; settings.explain == 0 && f <= e->last; f++)
			add_feature(e, &t, f);
		byte_buffer_add(&t, "\n", 1);
		output_write(to, t.bytes, t.size, err);
	}
	byte_buffer_free(&t);
}

/* ---- the background ---- */

static int take_rows(void *arg, struct row_batch *batch, void *user UNUSED, struct error *err)
{
	struct explanation *e = arg;
	const struct row_batch *b = chain_apply(&e->job->chain, batch, e->mapped, err);

	if (!b)
		return -1;
	e->background.n_cols = int64_max(e->background.n_cols, b->max_index + 1);
	return csr_append(&e->background, b->n_rows, b->row_start, b->index, b->value, err);
}

/* The rows of --background, or one of zeros. */
static void read_background(struct explanation *e)
{
	const struct rows_visitor visitor = { .work = take_rows, .arg = e };
	struct rows_options format = common_rows_options(&settings.common);
	struct row_batch zero = { 0 };
	struct error err = { 0 };

	format.label_optional = !settings.common.strict;
	if (settings.background) {
		struct input *input = cli_open_input(settings.background);

		if (e->job->chain.has_columns)
			csv_rows_scan(&e->job->chain.columns, input, 0, &visitor, &err);
		else
			rows_scan(input, &format, &visitor, 1, &err);
		cli_close_input(input);
		if (err.code != ERR_NONE)
			cli_fail_input(settings.background, &err);
	} else {
		cli_remark("the background is one row of zeros; --background FILE takes rows such "
			   "as those of the training set");
		if (row_batch_end_row(&zero, 0, &err) == 0)
			take_rows(e, &zero, NULL, &err);
		row_batch_free(&zero);
		cli_check(err.code == ERR_NONE ? 0 : -1, &err);
	}
}

/* ---- begin and end ---- */

struct explanation *eval_explain_begin(struct eval_job *job)
{
	struct error err = { 0 };
	struct explanation *e = cli_zeroed(1, sizeof(*e));

	e->job = job;
	eval_name_features(&e->names, &job->chain, &job->predictor, "--explain");
	read_background(e);
	e->first = !(job->remarks.has_feature_0 || csr_has_column_0(&e->background));
	e->last = int64_max(job->remarks.n_features, e->background.n_cols - 1);
	if (shapley_init(&e->shapley, &job->predictor, &e->background,
			 (int)settings.common.n_threads, &err) < 0)
		cli_fail("--explain: %s: %s", settings.model_name, err.text);
	return e;
}

void eval_explain_end(struct explanation *e, double bound)
{
	report_count(e->job->run->report, "background_rows", e->background.n_rows);
	report_number(e->job->run->report, "explained_to", bound);
	cli_tell(e->job->run, "Shapley values by %" PRId64 " background row%s, exact to %.2g\n",
		 e->background.n_rows, e->background.n_rows == 1 ? "" : "s", bound);
	shapley_free(&e->shapley);
	csr_free(&e->background);
	feature_names_free(&e->names);
	for (int k = 0; k < CHAIN_MOST_MAPS; k++)
		chain_map_scratch_free(&e->mapped[k]);
	mem_free(e);
}

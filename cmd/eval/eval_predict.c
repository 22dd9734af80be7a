/*
 * eval_predict.c - svm-eval: prediction, a pipeline over batches of rows (io/rows.h)
 *
 * predict_batch() runs in several threads, each with a struct worker of its own, and makes decision
 * values, outcomes and the lines of text; deliver_batch() takes the batches in the order of the
 * input, adds the outcomes to the measures and writes the lines.  So outputs do not depend on the
 * number of threads.
 *
 * Lines on standard output are svm-predict's, or liblinear-predict's for a model of LIBLINEAR.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common/table_notes.h"
#include "eval.h"
#include "evaluate/shapley.h"

/* Scratch memory of a thread. */
struct worker {
	struct chain_map_scratch mapped[CHAIN_MOST_MAPS];
	/* the batch, and as the model takes it */
	const struct row_batch *given, *rows;
	struct predictor_scratch scratch;
	double *values; /* decision values of block_rows() examples */
	/* probabilities of the classes, if job->with_probabilities; behind them scores of --calibrate */
	double *probability;
	struct outcome *outcome;
	int64_t outcomes_capacity;
	/* number of the batch's examples with values that are not finite; the first such example */
	int64_t n_overflows, first_overflow;
	/* scores of each class for each example of the batch, measures.classes.n */
	double *class_score;
	int64_t scores_capacity;
	struct byte_buffer text; /* lines of the batch, as text */
	struct explained explained;
};

/* ---- lines ---- */

/* Bytes of a number in a line: %.17g has at most 24, and a blank is added. */
#define PIECE_SIZE 64

/* Write a first line if there are several columns; failure is in '*err'. */
static void name_columns(const struct eval_job *job, struct output *to, struct error *err)
{
	const struct predictor *p = &job->predictor;
	struct prediction_columns columns = {
		.n_class = p->label ? p->n_class : 0,
		.label = p->label,
		.by_class = job->chain.model.is_linear_model && p->n_values > 1,
		.with_values = settings.scores,
		.with_probabilities = job->with_probabilities,
	};

	if (settings.with_labels) {
		/* as --measure reads them: the sides of one-class are two classes */
		columns.label = predictor_labels(p);
		columns.n_class = columns.label ? p->n_class : 0;
		table_name_columns(&columns, false, to, err);
		for (int c = 0; c < columns.n_class && job->names.n > 0; c++)
			if (class_names_is_number(&job->names, columns.label[c]))
				cli_note(
					"columns are called by labels: %d stands for the class '%s'",
					columns.label[c],
					class_names_find(&job->names, columns.label[c]).start);
		return;
	}
	if (!job->with_probabilities && !settings.scores && !settings.sets &&
	    !job->calibration.with_ends)
		return;
	if (job->with_probabilities && p->kind == PREDICTS_SIDE)
		output_printf(to, err, "label normal outlier");
	else
		output_printf(to, err, job->with_probabilities ? "labels" : "label");
	for (int c = 0; job->with_probabilities && c < columns.n_class; c++)
		output_printf(to, err, " %s", CLASS_WORD(&job->names, p->label[c]));
	if (job->calibration.with_ends)
		output_printf(to, err, " low high");
	else if (settings.sets > 0)
		output_printf(to, err, " set");
	if (settings.scores)
		table_name_values(&columns, &job->names, to, err);
	if (settings.scores && settings.predict)
		output_printf(to, err, p->label ? " proved" : " within");
	output_write(to, "\n", 1, err);
}

static void add_piece(struct byte_buffer *t, const char *format, double value)
{
	t->size += snprintf(t->bytes + t->size, PIECE_SIZE, format, value);
}

/* Append a number as svm-predict writes it, by %.17g; whole numbers need no printf(). */
static void add_full_number(struct byte_buffer *t, double value)
{
	if (fabs(value) < 1e9 && value == trunc(value))
		eval_add_number(t, 0, value);
	else
		add_piece(t, "%.17g", value);
}

/* Append the name of a class and return true, if it has one: in quotes where --measure needs them. */
static bool add_name(const struct eval_job *job, struct byte_buffer *t, double label)
{
	const char *name = class_names_word(&job->names, label);
	const int quotes =
		name && settings.with_labels && class_names_is_number(&job->names, label);

	byte_buffer_add(t, "\"", quotes);
	if (name)
		byte_buffer_add(t, name, (int64_t)strlen(name));
	byte_buffer_add(t, "\"", quotes);
	return name;
}

/*
 * The prediction, and the probabilities: with svm-predict's few digits; beside the label with all,
 * as the measures of the file are to be those of the predictions.
 */
static void add_prediction(const struct eval_job *job, struct worker *w, double predicted)
{
	struct byte_buffer *t = &w->text;
	const int n = job->with_probabilities ? job->predictor.n_class : 0;
	const bool named = add_name(job, t, predicted);

	if (!named && (n == 0 || settings.with_labels))
		add_full_number(t, predicted);
	else if (!named)
		add_piece(t, "%g", predicted);
	for (int c = 0; c < n; c++)
		if (settings.with_labels)
			eval_add_number(t, ' ', w->probability[c]);
		else
			add_piece(t, " %g", w->probability[c]);
}

/* Judge an example by its scores; append two ends or the set to 't', unless it is NULL. */
static void judge_scores(const struct eval_job *job, const double *score, struct outcome *o,
			 struct byte_buffer *t)
{
	const struct eval_calibration *c = &job->calibration;
	const int *label = predictor_labels(&job->predictor);
	const bool is_set = t && settings.sets > 0;
	const char *name;

	if (t && c->with_ends) {
		const struct calibrated p = calibration_of(c->of_class, score[0]);

		eval_add_number(t, ' ', label ? p.low : o->predicted + c->of_class->bound);
		eval_add_number(t, ' ', label ? p.high : o->predicted - c->of_class->bound);
	}
	for (int k = 0; k < c->n && c->share > 0; k++) {
		if (!(score[k] >= c->of_class[k].bound))
			continue;
		o->is_covered |= !label || label[k] == o->target;
		o->set_size++;
		if (is_set) {
			byte_buffer_add(t, o->set_size > 1 ? "," : " ", 1);
			name = CLASS_WORD(&job->names, label[k]);
			byte_buffer_add(t, name, (int64_t)strlen(name));
		}
	}
	if (is_set && o->set_size == 0)
		byte_buffer_add(t, " -", 2);
}

/* What is said of a row of which the chain makes no numbers. */
#define OVERFLOW "a value that the chain makes is too large"

/* With --on-error answer, has the row no prediction? */
static bool is_overflown(const struct eval_job *job, const struct outcome *o)
{
	return settings.answer_errors && o->marks & CHAIN_OVERFLOW &&
	       (job->explanation || !settings.common.allow_nonfinite);
}

/* Append prediction, probabilities or decision values, and the comment. */
static int add_line(const struct eval_job *job, struct worker *w, const double *values,
		    struct outcome *o, struct text_span comment, struct error *err)
{
	const struct predictor *p = &job->predictor;
	struct byte_buffer *t = &w->text;
	int64_t pieces = 8 + (job->with_probabilities || settings.sets > 0 ? p->n_class : 0) +
			 (settings.scores ? p->n_values : 0);

	if (is_overflown(job, o))
		return byte_buffer_append_text(t, "error: " OVERFLOW "\n", err);
	if (byte_buffer_reserve(t, pieces * PIECE_SIZE + comment.length + 3 * job->names.text.size,
				err) < 0)
		return -1;
	if (settings.with_labels) {
		if (!add_name(job, t, o->target))
			add_full_number(t, o->target);
		byte_buffer_add(t, " ", 1);
	}
	add_prediction(job, w, o->predicted);
	judge_scores(job, w->probability + p->n_class, o, t);
	for (int64_t v = 0; v < p->n_values && settings.scores; v++)
		eval_add_number(t, ' ', values[v]);
	if (settings.scores && settings.predict)
		eval_add_number(t, ' ', p->label ? o->proved.same : o->proved.within);
	if (comment.length > 0) {
		byte_buffer_add(t, " ", 1);
		byte_buffer_add(t, comment.start, comment.length);
	}
	byte_buffer_add(t, "\n", 1);
	return 0;
}

/* ---- batches ---- */

/* Number of examples whose values are held at once: a megabyte, but at least a tile. */
static int64_t block_rows(const struct predictor *p)
{
	return int64_max((1 << 17) / int64_max(p->n_values, 1), 16);
}

/* The prediction of an example; fills w->probability, and behind it the scores of --calibrate. */
static double predict_values(const struct eval_job *job, const double *values, double target,
			     struct worker *w)
{
	const struct predictor *p = &job->predictor;
	const struct eval_calibration *c = &job->calibration;
	double *score = w->probability + p->n_class;
	double predicted;

	if (job->with_probabilities && c->n == 0)
		return predictor_probabilities(p, values, w->probability, &w->scratch);
	predicted = predictor_decide(p, values, &w->scratch);
	score[0] = -fabs(target - predicted);
	if (c->n > 0 && p->kind != PREDICTS_VALUE)
		prediction_scores(p, job->chain.model.is_linear_model, values, score);
	if (!job->with_probabilities)
		return predicted;
	return predictor_labels(
		p)[calibration_classes(c->of_class, c->n, &c->coupling, score, w->probability)];
}

/* Predict n examples from 'first' on: outcomes go to w->outcome, lines to w->text. */
static int predict_block(const struct eval_job *job, const struct row_batch *b, int64_t first,
			 int64_t n, struct worker *w, struct error *err)
{
	const struct predictor *p = &job->predictor;
	struct row_view rows = { n, NULL, b->row_start + first, b->index, b->value };
	const struct csr all = csr_of_batch(b, b->max_index + 1);
	const struct text_span none = { 0 };
	int n_curves = job->measures.classes.n;

	predictor_values(p, &rows, w->values, &w->scratch);
	for (int64_t k = first; k < first + n; k++) {
		const double *values = w->values + (k - first) * p->n_values;
		const struct row_prediction r = { p, predict_values(job, values, b->label[k], w),
						  values, w->probability };
		struct outcome *o = &w->outcome[k];

		*o = measures_of(&job->measures, &r, b->label[k],
				 n_curves ? w->class_score + k * n_curves : NULL);
		if (settings.summary || job->remarks.by_chain)
			o->marks = chain_row_marks(&job->chain, w->given, w->mapped, k);
		if (!are_finite(values, p->n_values) && !is_overflown(job, o) &&
		    w->n_overflows++ == 0)
			w->first_overflow = k;
		o->value = p->n_values == 1 ? values[0] : largest_of_sizes(values, p->n_values);
		if (settings.predict)
			o->proved = certify_prediction(&job->certificate, p, csr_row_of(&all, k),
						       values, w->scratch.votes);
		if (!settings.output_name)
			judge_scores(job, w->probability + p->n_class, o, NULL);
		else if (!job->explanation &&
			 add_line(job, w, values, o, b->has_text ? b->text[k].comment : none, err) <
				 0)
			return -1;
	}
	if (job->explanation) {
		w->explained.outcome = w->outcome + first;
		eval_explain_rows(&w->explained, &rows, w->values, &w->scratch);
	}
	return 0;
}

static int predict_batch(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	const struct eval_job *job = arg;
	struct worker *w = user;
	const struct row_batch *b = w->rows = chain_apply(&job->chain, batch, w->mapped, err);
	int64_t block = job->explanation ? SHAPLEY_ROWS : block_rows(&job->predictor);

	if (!b)
		return -1;
	w->given = batch;
	w->text.size = w->n_overflows = w->explained.n_rows = 0;
	if (mem_grow(&w->outcome, &w->outcomes_capacity, b->n_rows, sizeof(*w->outcome), err) < 0 ||
	    mem_grow(&w->class_score, &w->scores_capacity, b->n_rows * job->measures.classes.n,
		     sizeof(*w->class_score), err) < 0)
		return -1;
	for (int64_t first = 0; first < b->n_rows; first += block) {
		int64_t n = int64_min(b->n_rows - first, block);

		if (predict_block(job, b, first, n, w, err) < 0)
			return -1;
	}
	return 0;
}

static int deliver_batch(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	struct eval_job *job = arg;
	struct eval_remarks *remarks = &job->remarks;
	const struct worker *w = user;
	const struct row_batch *b = w->rows;
	const int64_t n_before = remarks->n_rows + job->n_refused;

	if (b != batch && !settings.common.allow_nonfinite && !settings.answer_errors &&
	    row_batch_check_mapped(batch, b, n_before, OVERFLOW, err) < 0)
		return -1;
	if (w->explained.failed.code != ERR_NONE)
		return error_set(err, w->explained.failed.code, "row %" PRId64 ": %s",
				 n_before + w->explained.n_rows + 1, w->explained.failed.text);
	job->explained_to = fmax(job->explained_to, w->explained.bound);
	if (remarks->n_overflows == 0)
		remarks->first_overflow = n_before + w->first_overflow;
	remarks->n_overflows += w->n_overflows;
	eval_remarks_add(remarks, b);
	job->has_qid |= batch->has_qid;
	/* qids beside --groups are looked at if all rows have one */
	if ((settings.common.by_qid || (settings.common.groups && batch->has_qid)) &&
	    row_groups_add_qids(&job->groups, batch, settings.test_name,
				settings.common.by_qid ? err : &(struct error){ 0 }) < 0 &&
	    settings.common.by_qid)
		return -1;
	for (int64_t i = 0; i < b->n_rows; i++) {
		struct outcome *o = &w->outcome[i];
		const bool overflown = is_overflown(job, o);

		job->n_overflown += overflown;
		if (overflown)
			error_set(&job->first_refused, ERR_NUMERIC, "row %" PRId64 ": %s",
				  n_before + i + 1,
				  job->explanation ? "it is not explained" : OVERFLOW);
		o->unit = job->n_weighed;
		o->weight = eval_weight(job);
		job->n_proved += o->proved.same;
		job->within = fmax(job->within, overflown ? 0 : o->proved.within);
		eval_remarks_add_prediction(remarks, o);
		if (eval_summary_add(job, overflown ? NULL : o, err) < 0)
			return -1;
		if (overflown || isnan(o->target) || o->weight <= 0)
			continue;
		eval_judge(job, o);
		if (measures_add(&job->measures, o, err) < 0)
			return -1;
	}
	if (!settings.output_name)
		return 0;
	return cli_write(&job->run->file[FILE_PREDICTIONS], w->text.bytes, w->text.size, err);
}

/* A line in place of the prediction of a malformed row. */
static int answer_fault(void *arg, const struct error *fault, struct error *err)
{
	struct eval_job *job = arg;
	const struct cli_output *to = &job->run->file[FILE_PREDICTIONS];

	job->n_refused++;
	error_pass(&job->first_refused, fault);
	if (eval_summary_add(job, NULL, err) < 0)
		return -1;
	return cli_written(to, output_printf(to->output, err, "error: %s\n", fault->text), err);
}

/* Print the remarks on -b that svm-predict and liblinear-predict print before they start. */
static void check_probabilities(struct eval_job *job)
{
	const struct predictor *p = &job->predictor;
	bool linear = job->chain.model.is_linear_model;

	if (!settings.probability) {
		if (p->has_probabilities && !job->chain.model.linear.logistic &&
		    !settings.calibrate)
			cli_tell(job->run, "Model supports probability estimates, but disabled in "
					   "prediction.\n");
		return;
	}
	if (!p->has_probabilities)
		cli_fail(
			linear ?
				"probability output is only supported for logistic regression, and "
				"for --multiclass ovr -b 1" :
				"Model does not support probabiliy estimates: train it with -b 1");
	if (p->kind == PREDICTS_VALUE) {
		cli_tell(job->run,
			 "Prob. model for test data: target value = predicted value + z,\n"
			 "z: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma=%g\n",
			 job->chain.model.solution.prob_a[0]);
		return;
	}
	job->with_probabilities = true;
	if (model_n_reversed(&job->chain.model) > 0)
		cli_warn("warning: the model's probabilities contradict its decision values for "
			 "%" PRId64 " of %" PRId64 " %s: predict without -b 1",
			 model_n_reversed(&job->chain.model), p->n_values,
			 linear ? "classes" : "pairs of classes");
}

static void run_workers(struct eval_job *job, struct input *input, struct error *err)
{
	const int n_threads = (int)settings.common.n_threads;
	struct rows_options format = common_rows_options(&settings.common);
	/* 0 of other maps, and without one */
	const int64_t last = feature_map_last_feature(&job->chain.map[0].features);
	struct worker workers[THREAD_MAX] = { 0 };
	struct rows_visitor visitor = { .work = predict_batch,
					.deliver = deliver_batch,
					.pause = cli_flush_output,
					.refused = settings.answer_errors ? answer_fault : NULL,
					.arg = job,
					.pause_arg = &job->run->file[FILE_PREDICTIONS],
					.users = { workers, sizeof(*workers) },
					.progress = { cli_progress_bytes, &job->run->progress } };

	format.label_optional = !settings.common.strict;
	format.keep_text = settings.comments || settings.common.by_qid || settings.common.groups;
	format.max_rows = job->explanation ? EXPLAIN_ROWS : chain_batch_rows(&job->chain);
	format.min_index = last > 0;
	format.max_index = (int32_t)last;
	for (int i = 0; i < n_threads && err->code == ERR_NONE; i++) {
		struct worker *w = &workers[i];

		w->explained = (struct explained){ .by = job->explanation, .text = &w->text };
		w->probability = mem_array(2 * job->predictor.n_class, sizeof(double), err);
		w->values = mem_array(block_rows(&job->predictor) * job->predictor.n_values,
				      sizeof(double), err);
		predictor_scratch_init(&w->scratch, &job->predictor, err);
	}
	if (err->code == ERR_NONE && job->chain.has_columns)
		/* the counts of a table are those of all rows that were read */
		csv_rows_scan(&job->chain.columns, input, settings.summary ? 1 : format.max_rows,
			      &visitor, err);
	else if (err->code == ERR_NONE)
		rows_scan(input, &format, &visitor, n_threads, err);
	for (int i = 0; i < n_threads; i++) {
		predictor_scratch_free(&workers[i].scratch);
		for (int k = 0; k < CHAIN_MOST_MAPS; k++) {
			job->n_unranged += workers[i].mapped[k].unknown.n;
			chain_map_scratch_free(&workers[i].mapped[k]);
		}
		mem_free_all(workers[i].values, workers[i].outcome, workers[i].class_score,
			     workers[i].probability, workers[i].text.bytes);
	}
}

/*
 * No row has a label: files of measures cannot be made, and lines of --metrics are left out, if
 * there are predictions to write.
 */
static void check_unmeasured(void)
{
	const char *option = settings.roc			       ? "--roc" :
			     settings.pr			       ? "--pr" :
			     settings.plot			       ? "--plot" :
			     settings.compare			       ? "--compare" :
			     settings.metrics && !settings.output_name ? "--metrics" :
									 NULL;

	if (option)
		cli_fail("%s: no row has a label to measure by; to predict alone, leave out %s and "
			 "name an output_file",
			 settings.test_name, option);
}

static void predict_stream(struct eval_job *job)
{
	struct error err = { 0 };
	struct input *input = cli_open_input(settings.test.file[0]);
	struct cli_output *to = &job->run->file[FILE_PREDICTIONS];

	if (to->name) {
		cli_open_output(to);
		if (job->explanation)
			eval_explain_heading(job->explanation, to->output, &err);
		else
			name_columns(job, to->output, &err);
	}
	if (err.code != ERR_NONE)
		cli_fail("can't open output file %s: %s", to->name, err.text);
	input_continue(input, &settings.test);
	cli_run_progress(job->run, "predicting");
	run_workers(job, input, &err);
	cli_progress_end(&job->run->progress);
	if (err.code == ERR_NONE)
		eval_summary_say(job, &err);
	if (err.code == ERR_NONE && job->remarks.n_rows + job->n_refused == 0 &&
	    !settings.allow_empty)
		error_set(&err, ERR_FORMAT, "%s: no examples (--allow-empty accepts that)",
			  input_whole_name(input));
	if (err.code == ERR_NONE)
		note_table_values(&job->chain.columns);
	cli_close_input(input);
	if (err.code != ERR_NONE)
		cli_fail_input(settings.test_name, &err);
	eval_check_weights(job, settings.test_name);
	if (job->measures.sums.n == 0)
		check_unmeasured();
	if (job->first_refused.code != ERR_NONE)
		cli_remark("errors in place of predictions: %" PRId64 ", the first: %s",
			   job->n_refused + job->n_overflown, job->first_refused.text);
	if (job->chain.columns.n_left_out > 0)
		cli_remark("%" PRId64 " rows with missing values have no prediction",
			   job->chain.columns.n_left_out);
	if (job->n_unranged > 0)
		cli_remark("%" PRId64 " values are left out: their features have no range in %s",
			   job->n_unranged, settings.model_name);
	eval_remarks_tell(&job->remarks);
}

/* Check the names on the command line, open the outputs and read the model before predicting. */
static void start_prediction(struct eval_job *job, char **names, int n)
{
	static const char *const of_output[] = { "--scores", "--with-labels", "--comments",
						 "-z",	     "--on-error",    "--explain" };
	struct error err = { 0 };

	eval_take_names(names, n, false);
	for (int i = 0; i < N_ELEMENTS(of_output); i++)
		if (!settings.output_name && cli_given(of_output[i]))
			cli_refuse("%s: needs an output_file ('-' is standard output)",
				   of_output[i]);
	eval_open(job->run);
	eval_start_measures(job, settings.metrics);
	if (chain_read(&job->chain, settings.model_name, &err) < 0 ||
	    predictor_init(&job->predictor, &job->chain.model, &err) < 0)
		cli_fail_model(settings.model_name, &err);
	if (job->chain.has_columns &&
	    (settings.comments || settings.common.by_qid || settings.test.n > 1))
		cli_fail(
			"%s: takes a table, one file, without --comments and --by-qid: convert it to rows by svm-convert -r",
			settings.model_name);
	if (settings.labels)
		cli_check(chain_check_names(&job->chain, &job->names, settings.labels, &err), &err);
	if (job->chain.labels.n > 0 && !settings.labels) {
		job->names = job->chain.labels;
		job->chain.labels = (struct class_names){ 0 };
		job->measures.names = &job->names;
	}
	job->remarks = eval_remarks_begin(&job->predictor);
	job->remarks.by_chain = job->chain.n_maps > 0;
	if (cli_given("--explain"))
		job->explanation = eval_explain_begin(job);
}

/* ---- predictions of every optimum ---- */

/* Make job->certificate, or end the program where it proves nothing. */
static void prove(struct eval_job *job)
{
	const struct model_certificate *c = &job->certificate;

	if (eval_certify_model(job->run, &job->chain.model, &job->certificate))
		cli_fail("--predict: %s was not trained on %s with these parameters",
			 settings.model_name, settings.certify);
	for (int64_t v = 0; v < c->n_pairs; v++)
		if (isnan(c->pair[v].ball.radius))
			cli_fail("--predict: nothing is proved by %s: that takes multipliers of "
				 "C-SVC or epsilon-SVR, support vectors with all digits, and a "
				 "linear, rbf or positive definite polynomial kernel",
				 settings.model_name);
}

/* Print and report what is proved of all predictions. */
static void tell_proved(const struct eval_job *job)
{
	const struct model_certificate *c = &job->certificate;
	const int64_t n_rows = job->remarks.n_rows;

	report_count(job->run->report, "optimum_n_sv_least", c->n_sv_least);
	report_count(job->run->report, "optimum_n_sv_most", c->n_sv_most);
	if (job->predictor.label)
		report_count(job->run->report, "proved", job->n_proved);
	else
		report_number(job->run->report, "within", job->within);
	cli_tell(job->run, "every optimum has %" PRId64 " to %" PRId64 " support vectors\n",
		 c->n_sv_least, c->n_sv_most);
	if (job->predictor.label)
		cli_tell(job->run,
			 "Proved = %g%% (%" PRId64 "/%" PRId64 ") of the predictions are those of "
			 "every optimum\n",
			 100. * (double)job->n_proved / fmax(1, (double)n_rows), job->n_proved,
			 n_rows);
	else
		/* rounded up to the digits printed */
		cli_tell(job->run, "Proved: predictions of every optimum differ by at most %.3g\n",
			 1.005 * job->within);
}

/* ---- the mode ---- */

int eval_predict(struct cli_run *run, char **names, int n)
{
	struct eval_job job = { .run = run };

	start_prediction(&job, names, n);
	check_probabilities(&job);
	if (settings.predict)
		prove(&job);
	else
		cli_run_phase(job.run, "read");
	if (settings.calibrate)
		eval_calibrate(&job);
	job.measures.by_class = job.chain.model.is_linear_model;
	measures_begin(&job.measures, &job.predictor, job.with_probabilities);
	predict_stream(&job);
	cli_run_phase(job.run, "predict");
	if (settings.predict)
		tell_proved(&job);
	if (settings.calibrate)
		eval_tell_calibration(&job);
	if (job.explanation)
		eval_explain_end(job.explanation, job.explained_to);
	eval_finish_measures(&job);
	predictor_free(&job.predictor);
	chain_free(&job.chain);
	model_certificate_free(&job.certificate);
	return cli_run_end(run);
}

int eval_measure(struct cli_run *run, char **names, int n)
{
	struct eval_job job = { .run = run };

	cli_allow_names(names, n, 0);
	eval_open(run);
	eval_start_measures(&job, true);
	job.predictor = eval_open_table(&job, settings.measure);
	cli_run_phase(job.run, "read");
	eval_measure_table(&job);
	eval_finish_measures(&job);
	return cli_run_end(run);
}

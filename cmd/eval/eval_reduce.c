/*
 * eval_reduce.c - svm-eval --reduce, a model of fewer support vectors, and --weights
 *
 * Both write what is in a model, and predict no file: --reduce trains or chooses, and compares the
 * models before and after on rows; --weights lists the weights of features.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/order.h"
#include "common/help.h"
#include "common/read_rows.h"
#include "eval.h"
#include "model/compact.h"
#include "model/reduced_model.h"

/* Rows whose decision values are compared at a time, for a single decision function. */
#define BLOCK_ROWS 4096

/* A model and what it predicts of the rows. */
struct judged {
	struct model model;
	struct predictor predictor;
	struct metrics metrics;
	double objective; /* sum of the primal objectives of all pairs; NAN: not found */
};

/* The model as it was, the reduced one, and how they differ on the rows. */
struct reduction_run {
	struct cli_run *run;
	struct training training;
	struct dataset data;
	struct judged before, after;
	double *lost;		    /* lost share of each pair's norm, by model_reduce() */
	double weight;		    /* sum of the weights of all rows; their number without */
	double mean, largest, size; /* mean and largest change of values; their mean size before */
	int64_t n_same;		    /* rows with the same prediction */
};

/* End the program if what a call returned is below 0. */
static void check(int ret, const struct error *err)
{
	if (ret < 0)
		cli_fail("--reduce: %s: %s", settings.model_name, err->text);
}

/* ---- Decision values and predictions ---- */

static void compare_row(struct reduction_run *r, const double *before, const double *after,
			struct predictor_scratch *scratch, int64_t row)
{
	const int64_t n_values = r->before.predictor.n_values;
	const double weight = dataset_weight(&r->data, row), target = r->data.y[row];
	const double share = weight / (r->weight * (double)n_values);
	const double old = predictor_decide(&r->before.predictor, before, scratch);
	const double new = predictor_decide(&r->after.predictor, after, scratch);

	for (int64_t v = 0; v < n_values; v++) {
		double change = fabs(after[v] - before[v]);

		r->mean += share * change;
		r->size += share * fabs(before[v]);
		r->largest = fmax(r->largest, change);
	}
	r->n_same += old == new;
	metrics_add(&r->before.metrics, old, target, weight);
	metrics_add(&r->after.metrics, new, target, weight);
}

static void compare(struct reduction_run *r)
{
	const struct csr *x = &r->data.x;
	const int n_threads = (int)settings.common.n_threads;
	const int64_t n_values = r->before.predictor.n_values, n_rows = x->n_rows;
	const int64_t block = int64_max(BLOCK_ROWS / int64_max(n_values, 1), 64);
	struct error err = { 0 };
	struct predictor_scratch scratch = { 0 };
	double *before = mem_array(block * n_values, sizeof(*before), &err);
	double *after = mem_array(block * n_values, sizeof(*after), &err);

	check(before && after ? predictor_scratch_init(&scratch, &r->before.predictor, &err) : -1,
	      &err);
	for (int64_t first = 0; first < n_rows; first += block) {
		const int64_t n = int64_min(block, n_rows - first);
		const struct row_view rows = { n, NULL, x->row_start + first, x->col, x->val };

		check(predictor_values_on(&r->before.predictor, &rows, before, n_threads, &err),
		      &err);
		check(predictor_values_on(&r->after.predictor, &rows, after, n_threads, &err),
		      &err);
		for (int64_t i = 0; i < n; i++)
			compare_row(r, before + i * n_values, after + i * n_values, &scratch,
				    first + i);
	}
	predictor_scratch_free(&scratch);
	mem_free_all(before, after);
}

/* ---- Objectives ---- */

/*
 * The primal objective on the rows, each pair with its best constant.  Only machines whose file has
 * the function that their problem is about have one: nu-SVC's is divided by a margin that it lacks.
 */
static void find_objective(struct reduction_run *r, struct judged *j)
{
	const struct row_source source = { dataset_scan, &r->data };
	const struct certify_options options = { .n_threads = (int)settings.common.n_threads };
	struct model_certificate c = { 0 };
	struct error err = { 0 };

	j->objective = NAN;
	if (j->model.type != MACHINE_C_SVC && j->model.type != MACHINE_EPSILON_SVR)
		return;
	check(certify_model(&c, &j->model, &source, &r->training, &options, &err), &err);
	j->objective = 0;
	for (int64_t q = 0; q < c.n_pairs; q++)
		j->objective += c.pair[q].certificate.primal;
	model_certificate_free(&c);
}

/* ---- Lines and report ---- */

static void print(const struct reduction_run *r)
{
	const struct metrics *old = &r->before.metrics, *new = &r->after.metrics;
	FILE *to = r->run->info;

	fprintf(to, "support vectors = %" PRId64 " -> %" PRId64 "\n", r->before.model.solution.n_sv,
		r->after.model.solution.n_sv);
	if (!settings.retrain)
		fprintf(to, "change of the decision function, in its norm = %g\n",
			largest_of_sizes(r->lost, r->before.predictor.n_values));
	fprintf(to, "change of decision values: mean = %g, largest = %g, of values of %g\n",
		r->mean, r->largest, r->size);
	if (r->before.predictor.kind == PREDICTS_VALUE)
		fprintf(to, "Mean squared error = %g -> %g (regression)\n", metrics_mse(old),
			metrics_mse(new));
	else
		fprintf(to,
			"Accuracy = %g%% -> %g%%, same predictions = %" PRId64 " of %" PRId64 "\n",
			metrics_accuracy(old), metrics_accuracy(new), r->n_same, old->n);
	if (settings.retrain && !isnan(r->after.objective))
		fprintf(to, "objective = %f -> %f\n", r->before.objective, r->after.objective);
}

static void report_model(struct report *r, const struct judged *j)
{
	const bool regression = j->predictor.kind == PREDICTS_VALUE;

	report_count(r, "n_sv", j->model.solution.n_sv);
	report_number(r, regression ? "mse" : "accuracy",
		      regression ? metrics_mse(&j->metrics) : metrics_accuracy(&j->metrics));
	if (settings.retrain)
		report_number(r, "objective", j->objective);
}

static void fill_report(const struct reduction_run *r)
{
	struct report *report = r->run->report, *pairs;

	report_count(report, "rows", r->data.x.n_rows);
	report_model(report_object(report, "before"), &r->before);
	report_model(report_object(report, "after"), &r->after);
	report_number(report, "mean_change", r->mean);
	report_number(report, "largest_change", r->largest);
	report_number(report, "mean_size", r->size);
	report_count(report, "same_predictions", r->n_same);
	if (settings.retrain)
		return;
	pairs = report_array(report, "norm_changes");
	for (int64_t q = 0; q < r->before.predictor.n_values; q++)
		report_number(report_item(pairs), "norm_change", r->lost[q]);
}

/* ---- The run of --reduce ---- */

static void read_inputs(struct reduction_run *r)
{
	struct error err = { 0 };

	if (model_read(&r->before.model, settings.model_name, &err) < 0)
		cli_fail_model(settings.model_name, &err);
	cli_read_rows(r->run, &r->data, &settings.test);
	if (settings.row_weights)
		mem_free(cli_weigh_rows(&r->data, NULL, settings.row_weights, settings.test_name));
	for (int64_t i = 0; i < r->data.x.n_rows; i++)
		r->weight += dataset_weight(&r->data, i);
	cli_run_phase(r->run, "read");
}

static void reduce(struct reduction_run *r)
{
	const int n_threads = (int)settings.common.n_threads;
	struct error err = { 0 };

	r->lost = mem_array(solution_n_pairs(r->before.model.solution.n_class), sizeof(*r->lost),
			    &err);
	check(r->lost ? model_reduce(&r->after.model, &r->before.model, settings.reduce, r->lost,
				     n_threads, &err) :
			-1,
	      &err);
	if (r->after.model.solution.n_sv <
	    int64_min(settings.reduce, r->before.model.solution.n_sv))
		cli_remark("%" PRId64 " support vectors are all that do not depend on others",
			   r->after.model.solution.n_sv);
	cli_run_phase(r->run, "reduce");
	if (!settings.retrain)
		return;
	check(model_retrain(&r->after.model, &r->data, &r->training, 1, n_threads, &err), &err);
	cli_run_phase(r->run, "retrain");
}

int eval_reduce(struct cli_run *run, char **names, int n)
{
	struct reduction_run r = { .run = run };
	struct error err = { 0 };

	eval_take_names(names, n, true);
	if (settings.weights.automatic)
		cli_refuse("-w auto: is not for --retrain: give the weights that randsvm-train "
			   "printed");
	r.training = eval_training();
	eval_open(run);
	cli_open_output(&run->file[FILE_PREDICTIONS]);
	read_inputs(&r);
	reduce(&r);
	check(predictor_init(&r.before.predictor, &r.before.model, &err), &err);
	check(predictor_init(&r.after.predictor, &r.after.model, &err), &err);
	compare(&r);
	if (settings.retrain) {
		find_objective(&r, &r.before);
		find_objective(&r, &r.after);
	}
	cli_run_phase(run, "compare");
	cli_save(&run->file[FILE_PREDICTIONS], model_write, &r.after.model);
	if (!settings.common.quiet)
		print(&r);
	fill_report(&r);
	cli_run_commit(r.run);
	predictor_free(&r.before.predictor);
	model_free(&r.before.model);
	predictor_free(&r.after.predictor);
	model_free(&r.after.model);
	dataset_free(&r.data);
	mem_free_all(r.lost, settings.weights.weight);
	return cli_run_end(run);
}

/* ---- --weights ---- */

/* Print the name of a column: a class, a pair of classes, or "value"; as --scores names them. */
static void print_column(const struct predictor *p, bool by_class, const struct class_names *names,
			 int64_t column)
{
	struct class_choice pair;

	if (!p->label) {
		printf(" value");
	} else if (by_class) {
		printf(" %s", CLASS_WORD(names, p->label[column]));
	} else {
		pair = classes_choice(p->n_class, column, false);
		printf(" %s/%s", CLASS_WORD(names, p->label[pair.a]),
		       CLASS_WORD(names, p->label[pair.b]));
	}
}

static void print_numbers(const double *x, int64_t n)
{
	for (int64_t v = 0; v < n; v++)
		printf(" %s", DECIMAL_TEXT(x[v]));
	putchar('\n');
}

/* What is printed: the weights, and the names of features and classes, or none. */
struct weights_table {
	struct chain chain;
	struct model_weights w;
	struct predictor p;
	bool by_class;
	struct feature_names features;
	struct class_names classes;
};

/* n features in some order, or all by index: weights of columns first .. first + n_columns - 1. */
static void print_weights(const struct weights_table *t, const int64_t *order, int64_t n,
			  int64_t first, int64_t n_columns)
{
	const struct model_weights *w = &t->w;
	const bool named = t->features.n > 0;

	printf("#index%s", named ? " name" : "");
	for (int64_t v = first; v < first + n_columns; v++)
		print_column(&t->p, t->by_class, t->classes.n > 0 ? &t->classes : &t->chain.labels,
			     v);
	putchar('\n');
	for (int64_t k = 0; k < n; k++) {
		const int64_t i = order ? order[k] : k,
			      f = chain_data_feature(&t->chain, w->feature[i]);
		const struct text_span name =
			feature_names_line(&t->features, f + t->features.from_0);

		printf("%" PRId64, f);
		if (named)
			printf(" %.*s", name.length > 0 ? (int)name.length : 1,
			       name.length > 0 ? name.start : "-");
		print_numbers(w->w + i * w->n_columns + first, n_columns);
	}
	printf("constant%s", named ? " -" : "");
	print_numbers(w->constant + first, n_columns);
}

/* Of the 'order' by column v only features whose weight has the sign asked for; how many there are. */
static int64_t keep_sign(const struct model_weights *w, int64_t v, int64_t *order)
{
	int64_t n = 0;

	if (settings.sign == WEIGHT_SIGN_BOTH)
		return w->n;
	for (int64_t k = 0; k < w->n; k++) {
		double x = w->w[order[k] * w->n_columns + v];

		if (settings.sign == WEIGHT_SIGN_PLUS ? x > 0 : x < 0)
			order[n++] = order[k];
	}
	return n;
}

/* The features of largest weight in each column. */
static void print_top(const struct weights_table *t)
{
	struct error err = { 0 };

	for (int64_t v = 0; v < t->w.n_columns; v++) {
		int64_t *order = order_sizes(t->w.w + v, t->w.n, t->w.n_columns, &err);

		cli_check(order ? 0 : -1, &err);
		print_weights(t, order, int64_min(settings.top, keep_sign(&t->w, v, order)), v, 1);
		mem_free(order);
	}
}

int eval_weights(struct cli_run *run, char **names, int n)
{
	struct weights_table t = { 0 };
	struct error err = { 0 };

	cli_allow_names(names, n, 1);
	if (n < 1)
		cli_usage(&eval_program);
	cli_refuse_together("--weights", "--report");
	settings.model_name = names[0];
	if (chain_read(&t.chain, settings.model_name, &err) < 0 ||
	    predictor_init(&t.p, &t.chain.model, &err) < 0)
		cli_fail_model(settings.model_name, &err);
	if (model_weights(&t.w, &t.chain.model, &err) < 0)
		cli_fail("%s: %s", settings.model_name, err.text);
	t.by_class = t.chain.model.is_linear_model && t.p.n_values > 1;
	if (settings.labels) {
		class_names_read(&t.classes, settings.labels);
		cli_check(chain_check_names(&t.chain, &t.classes, settings.labels, &err), &err);
	}
	eval_name_features(&t.features, &t.chain, &t.p, "--weights");
	if (t.chain.n_maps > 0)
		cli_remark("the weights are those of the values that %s makes of the data",
			   settings.model_name);
	if (settings.top > 0)
		print_top(&t);
	else
		print_weights(&t, NULL, t.w.n, 0, t.w.n_columns);
	feature_names_free(&t.features);
	class_names_free(&t.classes);
	model_weights_free(&t.w);
	predictor_free(&t.p);
	chain_free(&t.chain);
	return cli_run_end(run);
}

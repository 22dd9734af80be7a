/*
 * eval_weights.c - svm-eval --weights: the weights of the features in a linear model
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/arithmetic.h"
#include "base/decimal.h"
#include "base/mem.h"
#include "common/help.h"
#include "eval.h"
#include "model/compact.h"
#include "problem/classes.h"

/* Print the name of a column: a class, a pair of classes, or "value"; as --scores names them. */
static void print_column(const struct predictor *p, bool by_class, const struct class_names *names,
			 int64_t column)
{
	char name[CLASS_NAME_SIZE];
	struct class_choice pair;

	if (!p->label) {
		printf(" value");
	} else if (by_class) {
		printf(" %s", class_names_show(names, p->label[column], name));
	} else {
		pair = classes_choice(p->n_class, column, false);
		printf(" %s", class_names_show(names, p->label[pair.a], name));
		printf("/%s", class_names_show(names, p->label[pair.b], name));
	}
}

static void print_numbers(const double *x, int64_t n)
{
	char text[DECIMAL_SHORTEST_SIZE];

	for (int64_t v = 0; v < n; v++) {
		decimal_shortest(x[v], text);
		printf(" %s", text);
	}
	putchar('\n');
}

/* Print the name of a feature; "-" if it has no name. */
static void print_name(const struct feature_names *names, int64_t feature)
{
	const struct text_span name = feature_names_line(names, feature + names->from_0);

	if (name.length == 0)
		printf(" -");
	else
		printf(" %.*s", (int)name.length, name.start);
}

/* What is printed: the weights, and the names of features and classes. */
struct weights_table {
	struct model_weights w;
	struct predictor p;
	bool by_class;
	struct feature_names *features; /* NULL: features have no names */
	struct class_names classes;
};

/* n features in some order, or all by index: weights of columns first .. first + n_columns - 1. */
static void print_weights(const struct weights_table *t, const int64_t *order, int64_t n,
			  int64_t first, int64_t n_columns)
{
	const struct model_weights *w = &t->w;

	printf("#index%s", t->features ? " name" : "");
	for (int64_t v = first; v < first + n_columns; v++)
		print_column(&t->p, t->by_class, &t->classes, v);
	putchar('\n');
	for (int64_t k = 0; k < n; k++) {
		int64_t i = order ? order[k] : k;

		printf("%" PRId64, w->feature[i]);
		if (t->features)
			print_name(t->features, w->feature[i]);
		print_numbers(w->w + i * w->n_columns + first, n_columns);
	}
	printf("constant%s", t->features ? " -" : "");
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
		int64_t *order = model_weights_order(&t->w, v, &err);

		cli_check(order ? 0 : -1, &err);
		print_weights(t, order, int64_min(settings.top, keep_sign(&t->w, v, order)), v, 1);
		mem_free(order);
	}
}

static void show_weights(const char *model_name)
{
	struct feature_names names = { 0 };
	struct weights_table t = { 0 };
	struct model model;
	struct error err = { 0 };

	if (model_read(&model, model_name, &err) < 0 || predictor_init(&t.p, &model, &err) < 0)
		cli_fail("can't open model file %s: %s", model_name, err.text);
	if (model_weights(&t.w, &model, &err) < 0)
		cli_fail("%s: %s", model_name, err.text);
	t.by_class = model.is_linear_model && t.p.n_values > 1;
	if (settings.labels)
		class_names_read(&t.classes, settings.labels);
	if (settings.names) {
		const struct eval_remarks r = eval_remarks_begin(&t.p);
		const struct named_features features = { r.n_features, r.has_feature_0, true,
							 "the model counts" };

		named_features_read(&names, settings.names);
		named_features_fit(&names, settings.names, &features);
		t.features = &names;
	}
	if (settings.top > 0)
		print_top(&t);
	else
		print_weights(&t, NULL, t.w.n, 0, t.w.n_columns);
	feature_names_free(&names);
	class_names_free(&t.classes);
	model_weights_free(&t.w);
	predictor_free(&t.p);
	model_free(&model);
}

int eval_weights(struct cli_run *run, char **names, int n)
{
	cli_allow_names(names, n, 1);
	if (n < 1)
		cli_usage(&eval_program);
	cli_refuse_together("--weights", "--report");
	show_weights(names[0]);
	return cli_run_end(run);
}

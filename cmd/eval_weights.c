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
#include "common/process.h"
#include "eval.h"
#include "eval_remarks.h"
#include "model/predict.h"
#include "model/weights.h"
#include "named_features.h"
#include "select/selection_map.h"

/* Print the first line: a column for each class or pair of classes, named as --scores does. */
static void print_heading(const struct predictor *p, bool by_class, bool named)
{
	printf("#index%s", named ? " name" : "");
	if (!p->label)
		printf(" value");
	for (int a = 0; a < p->n_class && p->label; a++) {
		if (by_class)
			printf(" %d", p->label[a]);
		for (int b = a + 1; b < p->n_class && !by_class; b++)
			printf(" %d/%d", p->label[a], p->label[b]);
	}
	putchar('\n');
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
	int64_t line = feature + names->from_0;
	struct text_span name = feature_names_line(names, line);

	if (name.length == 0)
		printf(" -");
	else
		printf(" %.*s", (int)name.length, name.start);
}

static void print_weights(const struct model_weights *w, const struct feature_names *names,
			  const int64_t *order, int64_t n)
{
	for (int64_t k = 0; k < n; k++) {
		int64_t i = order ? order[k] : k;

		printf("%" PRId64, w->feature[i]);
		if (names)
			print_name(names, w->feature[i]);
		print_numbers(w->w + i * w->n_columns, w->n_columns);
	}
	printf("constant%s", names ? " -" : "");
	print_numbers(w->constant, w->n_columns);
}

static void read_names(struct feature_names *names, const char *file, const struct predictor *p,
		       bool quiet)
{
	const struct eval_remarks r = eval_remarks_begin(p);
	const struct named_features features = { r.n_features, r.has_feature_0, quiet, true,
						 "the model counts" };

	named_features_read(names, file);
	named_features_fit(names, file, &features);
}

static void show_weights(const char *model_name)
{
	struct feature_names names = { 0 };
	struct model_weights w;
	struct predictor p;
	struct model model;
	struct error err = { 0 };
	int64_t *order = NULL;

	if (model_read(&model, model_name, &err) < 0 || predictor_init(&p, &model, &err) < 0)
		cli_fail("can't open model file %s: %s", model_name, err.text);
	if (model_weights(&w, &model, &err) < 0)
		cli_fail("%s: %s: %s", cli_program_name(), model_name, err.text);
	if (settings.names)
		read_names(&names, settings.names, &p, settings.common.quiet);
	if (settings.top > 0 && !(order = model_weights_order(&w, &err)))
		cli_fail("%s: %s", cli_program_name(), err.text);
	print_heading(&p, model.is_linear_model && p.n_values > 1, settings.names != NULL);
	print_weights(&w, settings.names ? &names : NULL, order,
		      settings.top > 0 ? int64_min(settings.top, w.n) : w.n);
	mem_free(order);
	feature_names_free(&names);
	model_weights_free(&w);
	predictor_free(&p);
	model_free(&model);
}

int eval_weights(char **names, int n)
{
	cli_allow_names(names, n, 1);
	if (n < 1)
		cli_usage(&eval_program);
	cli_refuse_together("--weights", "--report");
	show_weights(names[0]);
	return cli_finish();
}

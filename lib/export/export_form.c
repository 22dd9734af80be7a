/*
 * export_form.c - a model as the writers of all forms see it: rows, stages, then weights or vectors
 *
 * How this works.  Ranges and choices of features each make one feature of one feature, so all maps of
 * a chain together are a list: feature z_j of the model, the feature of the row that it is made of (1),
 * and what each map does to its value in turn (2).  A map leaves out features without a range, and
 * those not chosen: they are not in the list, and a model that has them is refused (3).  A value that
 * a row does not have is 0 and passes all stages, as in scaling.c.
 *
 * Weights and vectors are those of the predictor, whose order of sums the writers keep.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "export/export_form.h"

/* Rows of a self-test, and most features of one that is made up. */
enum { TEST_ROWS = 8, TEST_FEATURES = 64 };

void export_form_free(struct export_form *f)
{
	for (int s = 0; s < f->n_stages; s++)
		mem_free_all(f->stage[s].least, f->stage[s].most);
	column_map_free(&f->features);
	model_weights_free(&f->weights);
	mem_free_all(f->input, f->place, f->plus, f->values, f->predicted, f->probability);
	csr_free(&f->vector);
	row_batch_free(&f->test);
	predictor_free(&f->predictor);
	*f = (struct export_form){ 0 };
}

/* ---- (1) and (2): what maps do to features ---- */

/* Number of features that a map makes, and what the k-th of them, ascending, is made of. */
static int64_t n_made(const struct chain_map *m)
{
	return m->kind == MAP_SCALING ? m->scaling.n : m->selection.index.map.n;
}

static int32_t made_of(const struct chain_map *m, int64_t k)
{
	return m->kind == MAP_SCALING ? m->scaling.range[k].feature :
					m->selection.index.map.list[k];
}

/* Where a map has the feature among those that it makes; -1: it does not. */
static int64_t place_in_map(const struct chain_map *m, int32_t feature)
{
	if (m->kind == MAP_SCALING)
		return column_map_find(&m->scaling.map, feature);
	if (m->selection.renumber)
		return feature >= 1 && feature <= n_made(m) ? feature - 1 : -1;
	return selection_find(&m->selection.index, feature);
}

/*
 * The feature of the row that the model's is made of, for the next z_j, and what each map does to it
 * on the way; -1: there is none, by one of the maps.
 */
static int32_t trace(struct export_form *f, int32_t feature)
{
	for (int s = f->n_stages - 1; s >= 0; s--) {
		const struct chain_map *m = &f->options->chain->map[s];
		const struct selection_map *choice = &m->selection;
		const int64_t place = place_in_map(m, feature);
		struct export_stage *stage = &f->stage[s];

		if (place < 0)
			return -1;
		if (stage->ranges) {
			stage->least[f->n] = stage->ranges->range[place].least;
			stage->most[f->n] = stage->ranges->range[place].most;
		} else {
			stage->least[f->n] =
				choice->rescale ?
					choice->chosen.weight[choice->index.place[place]] :
					1;
		}
		feature = made_of(m, place);
	}
	return feature;
}

static int list_features(struct export_form *f, struct error *err)
{
	const struct chain *c = f->options->chain;
	const struct chain_map *last = c->map + c->n_maps - 1;
	const int64_t most = n_made(last);

	f->input = mem_array(most, sizeof(*f->input), err);
	for (; f->n_stages < c->n_maps; f->n_stages++) {
		struct export_stage *stage = &f->stage[f->n_stages];

		if (c->map[f->n_stages].kind == MAP_SCALING)
			stage->ranges = &c->map[f->n_stages].scaling;
		stage->least = mem_array(most, sizeof(double), err);
		stage->most = mem_array(most, sizeof(double), err);
	}
	for (int64_t k = 0; err->code == ERR_NONE && k < most; k++) {
		int32_t feature = last->selection.renumber ? (int32_t)(k + 1) : made_of(last, k),
			input = trace(f, feature);

		if (input == 0 || feature == 0)
			return error_set(err, ERR_ARGUMENT, "a map has feature 0");
		if (input < 0 || column_map_add(&f->features, feature, err) < 0)
			continue;
		f->input[f->n++] = input;
		f->n_inputs = input;
	}
	return err->code == ERR_NONE ? 0 : -1;
}

/* (3): the number j of a feature of the model, or -1 with an error. */
static int32_t place_of(const struct export_form *f, int64_t feature, struct error *err)
{
	const int32_t j =
		f->input ? column_map_find(&f->features, (int32_t)feature) : (int32_t)(feature - 1);

	if (j >= 0)
		return j;
	return error_set(err, ERR_ARGUMENT, "the model has feature %" PRId64 ", %s", feature,
			 f->input ? "which no map makes" : "and features begin at 1");
}

/* ---- weights and vectors ---- */

static void take_weights(struct export_form *f, struct error *err)
{
	const struct linear_model *l = &f->options->chain->model.linear;
	struct model_weights *w = &f->weights;

	if (model_weights(w, &f->options->chain->model, err) == 0)
		f->place = mem_array(w->n, sizeof(*f->place), err);
	for (int64_t k = 0; err->code == ERR_NONE && k < w->n; k++)
		f->place[k] = place_of(f, w->feature[k], err);
	if (l->w && l->bias >= 0)
		f->plus = mem_array(w->n_columns, sizeof(double), err);
	for (int64_t v = 0; f->plus && v < w->n_columns; v++)
		f->plus[v] = l->w[l->n_features * w->n_columns + v] * l->bias;
}

static void take_vectors(struct export_form *f, struct error *err)
{
	const struct csr *sv = &f->options->chain->model.sv;

	if (sv->n_rows > 0)
		csr_append(&f->vector, sv->n_rows, sv->row_start, sv->col, sv->val, err);
	for (int64_t k = 0; k < csr_n_entries(&f->vector) && err->code == ERR_NONE; k++)
		f->vector.col[k] = place_of(f, f->vector.col[k], err);
	f->vector.n_cols = f->n;
}

/* What no form can say. */
static int refuse(const struct chain *c, struct error *err)
{
	const struct model *m = &c->model;

	for (int s = 0; s < c->n_maps; s++)
		if (c->map[s].kind == MAP_FEATURES)
			return error_set(
				err, ERR_ARGUMENT,
				"of maps only ranges and choices of features are exported, "
				"not %s; a linear model can be carried back through it",
				projection_names[c->map[s].features.method]);
	if (!m->is_linear_model && m->kernel.type == KERNEL_PRECOMPUTED)
		return error_set(err, ERR_ARGUMENT,
				 "a precomputed kernel takes kernel values with the training set, "
				 "not features");
	if ((m->is_linear_model ? m->linear.n_class : m->solution.n_class) < 2)
		return error_set(err, ERR_ARGUMENT,
				 "a model of a single class has no decision function");
	return 0;
}

/* ---- words ---- */

bool export_has(const struct export_form *f, const char *word, const char *end)
{
	char blanked[32];
	bool all = true;

	for (const char *next; word < end; word = next) {
		word += *word == ' ';
		next = word + strcspn(word, " \n");
		snprintf(blanked, sizeof(blanked), " %.*s ", (int)(next - word), word);
		all &= strstr(f->has, blanked) != NULL;
	}
	return all;
}

bool export_text_line(const struct export_form *f, struct export_text *t)
{
	for (bool is_if = true; is_if || t->skipped;) {
		if (!*t->next)
			return false;
		t->line = t->next;
		t->next = strchr(t->line, '\n') + 1;
		is_if = strncmp(t->line, "%if", 3) == 0;
		if (is_if)
			t->skipped = !export_has(f, t->line + 3, t->next - 1);
		t->place = *t->line == '%' && !is_if ? t->n_places++ : -1;
	}
	return true;
}

/* Would the vectors take fewer bytes with their zeros than with the numbers of their columns? */
static bool is_dense(const struct export_form *f, int64_t value)
{
	const int64_t column = f->n <= 1 << 8 ? 1 : f->n <= 1 << 16 ? 2 : 4;

	return f->vector.n_rows * f->n * value <= csr_n_entries(&f->vector) * (value + column);
}

/* The words of a model. */
static void name_parts(struct export_form *f)
{
	static const char *const kernels[KERNEL_N_TYPES] = { "LINEAR DOTS", "POLYNOMIAL DOTS",
							     "RBF EXP", "SIGMOID EXP DOTS", "" };
	const bool single = f->options->kind == EXPORT_C_FLOAT;
	const bool wanted = f->options->kind != EXPORT_ONNX || f->options->probabilities;
	const struct predictor *p = &f->predictor;
	const struct linear_model *l = p->model->is_linear_model ? &p->model->linear : NULL;
	const bool is_class = p->kind == PREDICTS_CLASS;
	const char *const words[] = {
		single ? "SINGLE" : "DOUBLE",
		f->input ? "MAPPED" : "PLAIN",
		f->is_linear ? "WEIGHTS" : "VECTORS",
		f->is_linear ? "" : kernels[p->model->kernel.type],
		f->is_linear || single ? "" : "DOTS",
		f->is_linear					     ? "" :
		is_dense(f, single ? sizeof(float) : sizeof(double)) ? "DENSE" :
								       "SPARSE",
		p->kind == PREDICTS_VALUE     ? "VALUE" :
		!is_class || p->n_values == 1 ? "LABEL SIGN MOVES" :
		l			      ? "LABEL LARGEST ORDER" :
						"LABEL VOTES MOVES",
		f->plus ? "PLUS" : "",
		f->minus ? "MINUS" : "",
		!wanted || !p->has_probabilities || p->kind == PREDICTS_VALUE ? "SCORES" :
		!is_class						      ? "P DENSITY" :
		l && l->logistic ?
			    (p->n_values == 1 ? "P LOGISTIC EXP ODDS" : "P LOGISTIC EXP SIDES") :
		l		? "P REST ORDER EXP ODDS" :
		p->n_class == 2 ? "P PAIRS TWO ORDER EXP ODDS" :
				  "P PAIRS MANY ORDER EXP",
	};

	for (int k = 0; k < f->n_stages && !EXPORT_HAS(f, "SCALED"); k++)
		text_append(f->has, sizeof(f->has), "%s", f->stage[k].ranges ? " SCALED " : "");
	for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
		text_append(f->has, sizeof(f->has), " %s ", words[k]);
}

/* A bound of the rounding errors of values in single precision, as of kernel values of the vectors. */
static double float_error(const struct model *m)
{
	const struct solution *s = &m->solution;
	double sum = 0, largest = 0;

	for (int64_t i = 0; i < m->sv.n_rows; i++) {
		double most = 0;

		for (int k = 0; k < int64_max(s->n_class - 1, 1); k++)
			most = fmax(most, fabs(s->coef[k * m->sv.n_rows + i]));
		sum += most;
		largest =
			fmax(largest, fabs(kernel_diagonal(&m->kernel, csr_row_norm2(&m->sv, i))));
	}
	return FLT_EPSILON * sum * largest;
}

int export_form_init(struct export_form *f, const struct export_options *o, struct error *err)
{
	const struct model *m = &o->chain->model;

	*f = (struct export_form){ .options = o };
	if (refuse(o->chain, err) < 0 || predictor_init(&f->predictor, m, err) < 0)
		return -1;
	if (o->chain->n_maps == 0)
		f->n = f->n_inputs = model_n_features(m);
	else if (list_features(f, err) < 0)
		return -1;
	if (f->predictor.expansion.merged)
		return error_set(err, ERR_ARGUMENT, "its vectors have too many entries");
	if (o->kind == EXPORT_C_FLOAT && m->kernel.gamma != 0 && fabs(m->kernel.gamma) < FLT_MIN)
		return error_set(err, ERR_NUMERIC, "gamma is beyond single precision");
	if (o->probabilities && !f->predictor.has_probabilities)
		return error_set(err, ERR_ARGUMENT, "the model has no probabilities");
	f->is_linear = m->is_linear_model || f->predictor.expansion.weight;
	f->minus = !m->is_linear_model ? m->solution.rho :
		   m->linear.one_class ? &m->linear.rho :
					 NULL;
	f->prob_a = m->is_linear_model ? m->linear.prob_a : m->solution.prob_a;
	f->prob_b = m->is_linear_model ? m->linear.prob_b : m->solution.prob_b;
	if (o->kind == EXPORT_C_FLOAT && !f->is_linear && f->predictor.kind != PREDICTS_VALUE &&
	    float_error(m) > 1)
		return error_set(err, ERR_NUMERIC,
				 "coefficients are too large for single precision, in which values "
				 "may be wrong by %.2g",
				 float_error(m));
	(f->is_linear ? take_weights : take_vectors)(f, err);
	name_parts(f);
	return err->code == ERR_NONE ? 0 : -1;
}

/* ---- rows of the self-test ---- */

/* Row i of n of the test: a support vector, or some values within the first ranges. */
static void add_row(struct export_form *f, int64_t i, int64_t n, struct error *err)
{
	const struct export_stage *first = &f->stage[0];
	const int64_t step = 1 + f->n / TEST_FEATURES;

	if (!f->is_linear && f->n_stages == 0) {
		const struct csr_row s = csr_row_of(&f->vector, i * f->vector.n_rows / n);

		for (int64_t k = 0; k < s.n; k++)
			row_batch_add(&f->test, s.col[k] + 1, s.val[k], err);
	} else {
		for (int64_t j = i % step; j < f->n; j += step) {
			/* a number of 0, 1/16, ..., 1 that looks like chance */
			double part = (double)((7 * i + 5 * j + 3 * i * j) % 17) / 16;

			if (first->ranges)
				part = first->least[j] + part * (first->most[j] - first->least[j]);
			row_batch_add(&f->test, f->input ? f->input[j] : j + 1, part, err);
		}
	}
	row_batch_end_row(&f->test, 0, err);
}

int export_form_test(struct export_form *f, struct error *err)
{
	const struct predictor *p = &f->predictor;
	struct chain_map_scratch scratch[CHAIN_MOST_MAPS] = { { .out = { 0 } } };
	struct predictor_scratch own = { 0 };
	const struct row_batch *mapped = NULL;
	const int64_t n = f->is_linear || f->n_stages > 0 ? TEST_ROWS :
							    int64_min(f->vector.n_rows, TEST_ROWS);

	if (row_batch_reserve(&f->test, n, 0, false, err) < 0)
		return -1;
	for (int64_t i = 0; i < n && err->code == ERR_NONE; i++)
		add_row(f, i, n, err);
	f->values = mem_array(n * p->n_values, sizeof(double), err);
	f->predicted = mem_array(n, sizeof(double), err);
	f->probability = mem_array(n * p->n_class, sizeof(double), err);
	if (err->code == ERR_NONE && predictor_scratch_init(&own, p, err) == 0)
		mapped = chain_apply(f->options->chain, &f->test, scratch, err);
	if (mapped)
		predictor_values(p,
				 &(struct row_view){ n, NULL, mapped->row_start, mapped->index,
						     mapped->value },
				 f->values, &own);
	for (int64_t i = 0; mapped && i < n; i++) {
		const double *values = f->values + i * p->n_values;

		f->predicted[i] = predictor_decide(p, values, &own);
		if (p->has_probabilities && p->kind != PREDICTS_VALUE)
			predictor_probabilities(p, values, f->probability + i * p->n_class, &own);
	}
	predictor_scratch_free(&own);
	for (int s = 0; s < CHAIN_MOST_MAPS; s++)
		chain_map_scratch_free(&scratch[s]);
	return err->code == ERR_NONE ? 0 : -1;
}

/* ---- names ---- */

void export_name(const char *path, char *name, size_t size)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	const char *from = file_base(path);
	const bool begins = *from && strcspn(letters, (const char[2]){ *from }) < 52;

	snprintf(name, size, "%s%.*s", begins ? "" : "model_", (int)strcspn(from, "."), from);
	for (; *name; name++)
		*name = strchr(letters, *name) ? *name : '_';
}

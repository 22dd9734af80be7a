/*
 * export_c.c - a model as a file of C99
 *
 * How this works.  The text of the file is scripts/export.c.in, in which '@' is the name of the file,
 * '^' that in capitals, '$' the type of the numbers.  Lines behind "%if WORD ..." are for models that
 * have all of the words (1); at a line "%put" a function here writes what the model has there (2),
 * mostly tables of its numbers.
 *
 * In double precision the functions do what predict.c, expansion.c and kernel_tile.c do, operation for
 * operation: sums in the order of a vector's entries, and over the vectors of a function's first class,
 * then its second, from 0 on; the distance of rbf from |x|^2 + |s|^2 - 2 x.s, and by coordinates where
 * a row is far (kernel_lanes.c); exp and tanh by the same series.  A value of 0 that a row of a file
 * would not have adds a 0 here.  Only exp() of probabilities is the C library's there and not here.
 * In single precision distances are always by coordinates, as products would leave too few digits.
 *
 * Vectors are dense or, where that takes fewer bytes, entries and their columns.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "export/export_form.h"

#include "base/decimal.h"
#include "export_text.h"
#include "io/output.h"
#include "model/model_header.h"

enum { NUMBERS_IN_LINE = 8 };

struct c_writer {
	const struct export_form *f;
	struct output *to;
	struct error *err;
	char name[64], upper[64];
	bool single;
	int64_t bytes; /* of the tables so far */
};

/* ---- text ---- */

static void put_bytes(struct c_writer *w, const char *text, const char *end)
{
	while (text < end) {
		const char *to = text + strcspn(text, "@^$");
		const char *word = *to == '@' ? w->name :
				   *to == '^' ? w->upper :
				   w->single  ? "float" :
						"double";

		to = to < end ? to : end;
		output_write(w->to, text, to - text, w->err);
		if (to < end)
			output_write(w->to, word, (int64_t)strlen(word), w->err);
		text = to + 1;
	}
}

static void put(struct c_writer *w, const char *text)
{
	put_bytes(w, text, text + strlen(text));
}

/* ---- numbers ---- */

struct number {
	char text[DECIMAL_SHORTEST_SIZE + 4];
};

/* A constant of C from which the same number is read. */
static struct number real(struct c_writer *w, double x)
{
	struct number number;

	if (!isfinite(w->single ? (float)x : x))
		error_set(w->err, ERR_NUMERIC, "a number of the model is beyond %s precision",
			  w->single ? "single" : "double");
	if (w->single)
		decimal_shortest_single((float)x, number.text);
	else
		decimal_shortest(x, number.text);
	strcat(number.text, strpbrk(number.text, ".e") ? "" : ".0");
	strcat(number.text, w->single ? "f" : "");
	return number;
}

/* Behind number i of the n of a table. */
static void put_separator(struct c_writer *w, int64_t i, int64_t n)
{
	put(w, i + 1 >= n ? "\n};\n" : (i + 1) % NUMBERS_IN_LINE == 0 ? ",\n\t" : ", ");
}

/* A table of n numbers, unless x is NULL; C has none of none. */
static void put_reals(struct c_writer *w, const char *name, const double *x, int64_t n)
{
	if (!x && n > 0)
		return;
	put(w, FORMATTED(80, "^_CONST $ @_%s[] = {\n\t%s", name, n == 0 ? "0\n};\n" : ""));
	for (int64_t i = 0; i < n; i++) {
		put(w, real(w, x[i]).text);
		put_separator(w, i, n);
	}
	w->bytes += n * (int64_t)(w->single ? sizeof(float) : sizeof(double));
}

/* Likewise numbers from 0 on, each x[i] - less, or ends[i], in the fewest bytes. */
static void put_integers(struct c_writer *w, const char *name, const int32_t *x, int32_t less,
			 const int64_t *ends, int64_t n)
{
	int64_t most = 0;
	int size;

	for (int64_t i = 0; i < n; i++)
		most = int64_max(most, ends ? ends[i] : x[i] - less);
	size = most <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : 4;
	if (most > UINT32_MAX)
		error_set(w->err, ERR_ARGUMENT, "the model has too many numbers");
	put(w, FORMATTED(80, "^_CONST uint%d_t @_%s[] = {\n\t%s", 8 * size, name,
			 n == 0 ? "0\n};\n" : ""));
	for (int64_t i = 0; i < n; i++) {
		put(w, FORMATTED(24, "%" PRId64, ends ? ends[i] : x[i] - less));
		put_separator(w, i, n);
	}
	w->bytes += n * size;
}

/* ---- (2): what the text has places for ---- */

static void put_head(struct c_writer *w)
{
	const struct export_form *f = w->f;
	const enum kernel_type type =
		f->is_linear ? KERNEL_LINEAR : f->predictor.model->kernel.type;

	put(w, FORMATTED(200,
			 "/*\n * @.c - a model of %s kernel: %" PRId64 " features, %" PRId64
			 " %s\n *\n",
			 model_keys[KEY_KERNEL_TYPE].words[type], f->n_inputs,
			 f->is_linear ? f->weights.n : f->vector.n_rows,
			 f->is_linear ? "with weights" : "support vectors"));
}

static void put_define(struct c_writer *w, const char *name, int64_t value)
{
	put(w, FORMATTED(80, "#define ^_%s %" PRId64 "\n", name, value));
}

static void put_sizes(struct c_writer *w)
{
	put_define(w, "FEATURES", int64_max(w->f->n_inputs, 1));
	put_define(w, "VALUES", w->f->predictor.n_values);
	put_define(w, "CLASSES", w->f->predictor.n_class);
}

static void put_vectors(struct c_writer *w)
{
	const struct csr *x = &w->f->vector;
	const struct solution *s = &w->f->options->chain->model.solution;
	const struct expansion *e = &w->f->predictor.expansion;
	const bool dense = EXPORT_HAS(w->f, "DENSE");
	double *full = mem_array(dense ? x->n_rows * w->f->n : 0, sizeof(*full), w->err);

	for (int64_t v = 0; full && dense && v < x->n_rows; v++)
		csr_fill_row(x, v, full + v * w->f->n);
	put_reals(w, "vector", dense ? full : x->val,
		  dense ? x->n_rows * w->f->n : csr_n_entries(x));
	mem_free(full);
	if (!dense) {
		put_integers(w, "column", x->col, 0, NULL, csr_n_entries(x));
		put_integers(w, "start", NULL, 0, x->row_start, x->n_rows + 1);
	}
	if (EXPORT_HAS(w->f, "DOUBLE RBF"))
		put_reals(w, "norm", e->sv.norm2, x->n_rows);
	put_reals(w, "coef", s->coef, (s->n_class - 1) * s->n_sv);
	put_integers(w, "first", NULL, 0, e->class_start, s->n_class + 1);
	put_define(w, "VECTORS", s->n_sv);
	put_define(w, "DEGREE", e->kernel.degree);
	put(w, FORMATTED(80, "#define ^_GAMMA %s\n", real(w, e->kernel.gamma).text));
	put(w, FORMATTED(80, "#define ^_COEF0 %s\n", real(w, e->kernel.coef0).text));
}

/* Constants of what maps do: see put_stages(). */
static void put_stage_tables(struct c_writer *w)
{
	for (int s = 0; s < w->f->n_stages; s++) {
		const struct export_stage *stage = &w->f->stage[s];

		put_reals(w, FORMATTED(20, "least%d", s), stage->least, w->f->n);
		if (stage->ranges)
			put_reals(w, FORMATTED(20, "most%d", s), stage->most, w->f->n);
	}
	if (w->f->input)
		put_integers(w, "input", w->f->input, 1, NULL, w->f->n);
}

static void put_tables(struct c_writer *w)
{
	const struct export_form *f = w->f;
	const struct predictor *p = &f->predictor;
	const struct model *m = p->model;

	put_define(w, "N", f->n);
	put_stage_tables(w);
	if (f->is_linear) {
		put_define(w, "WEIGHTS", f->weights.n);
		put_reals(w, "weight", f->weights.w, f->weights.n * p->n_values);
		put_integers(w, "place", f->place, 0, NULL, f->weights.n);
	} else {
		put_vectors(w);
	}
	put_reals(w, "plus", f->plus, p->n_values);
	put_reals(w, "minus", f->minus, p->n_values);
	if (EXPORT_HAS(w->f, "DENSITY")) {
		put_define(w, "MARKS", m->solution.n_density_marks);
		put_reals(w, "mark", m->solution.density_marks, m->solution.n_density_marks);
	}
	if (EXPORT_HAS(w->f, "PAIRS") || EXPORT_HAS(w->f, "REST")) {
		put_reals(w, "a", f->prob_a, p->n_values);
		put_reals(w, "b", f->prob_b, p->n_values);
	}
	for (int k = 0; EXPORT_HAS(w->f, "LABEL") && k < p->n_class; k++) {
		put(w, k == 0 ? "const int @_label[^_CLASSES] = {\n\t" : "");
		put(w, FORMATTED(24, "%d", predictor_labels(p)[k]));
		put_separator(w, k, p->n_class);
	}
}

/* z_j of x: a line for each map. */
static void put_stages(struct c_writer *w)
{
	for (int s = 0; s < w->f->n_stages; s++) {
		const struct export_stage *stage = &w->f->stage[s];

		if (stage->ranges)
			put(w,
			    FORMATTED(200, "\tz = @_scale(z, @_least%d[j], @_most%d[j], %s, %s);\n",
				      s, s, real(w, stage->ranges->options.low).text,
				      real(w, stage->ranges->options.high).text));
		else
			put(w, FORMATTED(80, "\tz = @_least%d[j] * z;\n", s));
	}
}

static void put_test(struct c_writer *w)
{
	const struct export_form *f = w->f;
	const struct row_batch *rows = &f->test;
	const int64_t bytes = w->bytes;

	put_define(w, "TESTS", rows->n_rows);
	put_integers(w, "test_start", NULL, 0, rows->row_start, rows->n_rows + 1);
	put_integers(w, "test_feature", rows->index, 1, NULL, rows->n_entries);
	put_reals(w, "test_x", rows->value, rows->n_entries);
	put_reals(w, "test_values", f->values, rows->n_rows * f->predictor.n_values);
	if (EXPORT_HAS(w->f, "LABEL"))
		put_reals(w, "test_predicted", f->predicted, rows->n_rows);
	if (EXPORT_HAS(w->f, "P"))
		put_reals(w, "test_p", f->probability, rows->n_rows * f->predictor.n_class);
	w->bytes = bytes; /* these are not the model's */
}

int64_t export_write_c(const struct export_form *f, struct output *to, struct error *err)
{
	static void (*const places[])(struct c_writer * w) = { put_head, put_sizes, put_tables,
							       put_stages, put_test };
	struct c_writer w = {
		.f = f, .to = to, .err = err, .single = f->options->kind == EXPORT_C_FLOAT
	};
	struct export_text text = { .next = export_text_c };

	export_name(f->options->path, w.name, sizeof(w.name));
	for (int k = 0; w.name[k]; k++)
		w.upper[k] = (char)(w.name[k] < 'a' ? w.name[k] : w.name[k] - 'a' + 'A');
	while (export_text_line(f, &text))
		if (text.place >= 0)
			places[text.place](&w);
		else
			put_bytes(&w, text.line, text.next);
	return w.bytes;
}

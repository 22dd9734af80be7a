/*
 * export_onnx.c - a model as a graph of ONNX
 *
 *     x --Gather--> chosen --Cast, Mul, Add--> z                     of chains; else x --Cast--> z
 *     z --MatMul--> sums                                             weights
 *     z --Mul, MatMul--> products --...--> kernel --MatMul--> sums   vectors
 *     sums --Add--> exact --Cast--> values
 *
 *     exact --Sign, MatMul--> votes --ArgMax, Gather--> label
 *     exact --MatMul, Add--> odds --Softmax, Cast--> probabilities --ArgMax, Gather--> label
 *
 * How this works.  A file of ONNX is a message of Protocol Buffers, fields one after the other: a
 * number of the field with the kind of its value, and the value; messages within are bytes with their
 * length before (1), here always of five bytes, so that it can be written when the message ends.  The
 * numbers of the fields are those of onnx.proto.
 *
 * Rows and outputs are floats, and all else is in doubles: with coefficients of 1e5 of either sign floats
 * in sums or in vectors, as SVMRegressor has them, leave two to four digits.  The operators are those
 * of all runtimes, and products of matrices the fastest of them.  The text of the graph is
 * scripts/export.onnx.in: a node in a line, and places for the functions here, mostly tensors.
 *
 * All stages of a chain together are one product and sum (2).  Of pairs of classes each class has its
 * part of the kernel values, and a coefficient for each other class; a decision value is the sum of a
 * column of the first class and one of the second (3).  The sign of a value is added for the first class
 * of the pair and subtracted for the second, so that classes are in the order of their votes; a value
 * of 0, the second's vote for svm-eval, is nobody's (4).  Probabilities are by softmax of the logarithms
 * of odds, -(A_c f_c + B_c), the second of two classes having odds of 1 (5); of LIBLINEAR's logistic
 * regression of more classes sigmoids divided by their sum; and those of more classes by pairs are
 * SVMClassifier's, which couples them as LIBSVM does, in floats (6).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "export/export_form.h"

#include "base/little_endian.h"
#include "export_text.h"
#include "io/byte_buffer.h"
#include "io/output.h"

/* Fields of onnx.proto, and its types. */
enum { MODEL_IR = 1, MODEL_PRODUCER, MODEL_GRAPH = 7, MODEL_OPSET };
enum { GRAPH_NODE = 1, GRAPH_NAME, GRAPH_TENSOR = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT };
enum { NODE_INPUT = 1, NODE_OUTPUT, NODE_OPERATOR = 4, NODE_ATTRIBUTE, NODE_DOMAIN = 7 };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_TYPE = 20 };
enum { OF_I = 3, OF_S, OF_FLOATS = 7, OF_INTS }; /* of the value, each the number of its type + 1 */
enum { TENSOR_DIMENSION = 1, TENSOR_TYPE, TENSOR_NAME = 8, TENSOR_BYTES };
enum { FLOAT = 1, INT64 = 7, DOUBLE = 11 }; /* of tensors */

#define LEARNED "ai.onnx.ml" /* the domain of SVMClassifier */

struct onnx_writer {
	const struct export_form *f;
	struct error *err;
	struct byte_buffer bytes;
	int64_t constant_bytes;
};

/* ---- messages ---- */

static void put_varint(struct onnx_writer *w, uint64_t x)
{
	unsigned char byte;

	do {
		byte = (unsigned char)((x & 127) | (x > 127) << 7);
		byte_buffer_append(&w->bytes, &byte, 1, w->err);
	} while (x >>= 7);
}

static void put_integer(struct onnx_writer *w, int field, int64_t x)
{
	put_varint(w, (uint64_t)field << 3);
	put_varint(w, (uint64_t)x);
}

/* (1): begin a message; returns where its bytes begin, for end_message(). */
static int64_t begin_message(struct onnx_writer *w, int field)
{
	put_varint(w, (uint64_t)field << 3 | 2);
	byte_buffer_append(&w->bytes, "\x80\x80\x80\x80", 5, w->err);
	return w->bytes.size;
}

static void end_message(struct onnx_writer *w, int64_t start)
{
	int64_t n = w->bytes.size - start;

	if (n > INT32_MAX)
		error_set(w->err, ERR_ARGUMENT, "the model is too large for a file of ONNX");
	for (int k = 5; w->err->code == ERR_NONE && k > 0; k--, n >>= 7)
		w->bytes.bytes[start - k] = (char)((n & 127) | (k > 1 ? 128 : 0));
}

/* WITHIN() - the statement writes what is in the message that has begun */
#define WITHIN(w, begun) \
	for (int64_t start_ = (begun), open_ = 1; open_; open_ = 0, end_message(w, start_))

static void put_text(struct onnx_writer *w, int field, const char *text)
{
	WITHIN (w, begin_message(w, field))
		byte_buffer_append_text(&w->bytes, text, w->err);
}

/* ---- tensors ---- */

/* A number of the type, DOUBLE or INT64, the least byte first. */
static void put_element(struct onnx_writer *w, int type, double x)
{
	const int64_t integer = type == INT64 ? (int64_t)x : 0;
	uint64_t bits;
	char bytes[8];

	if (!isfinite(x))
		error_set(w->err, ERR_NUMERIC, "a number of the model is beyond double precision");
	memcpy(&bits, type == INT64 ? (const void *)&integer : &x, sizeof(bits));
	put_64(bytes, bits);
	byte_buffer_append(&w->bytes, bytes, sizeof(bytes), w->err);
	w->constant_bytes += type == DOUBLE ? (int64_t)sizeof(bytes) : 0;
}

static int64_t begin_tensor(struct onnx_writer *w, const char *name, int type, int64_t n_rows,
			    int64_t n_columns)
{
	const int64_t start = begin_message(w, GRAPH_TENSOR);

	if (n_rows > 0)
		put_integer(w, TENSOR_DIMENSION, n_rows);
	put_integer(w, TENSOR_DIMENSION, n_columns);
	put_integer(w, TENSOR_TYPE, type);
	put_text(w, TENSOR_NAME, name);
	return start;
}

/* WITHIN_TENSOR() - the statement writes its numbers, row by row; of 0 rows, a list */
#define WITHIN_TENSOR(w, name, type, n_rows, n_columns)            \
	WITHIN (w, begin_tensor(w, name, type, n_rows, n_columns)) \
		WITHIN (w, begin_message(w, TENSOR_BYTES))

static void put_constant(struct onnx_writer *w, const char *name, double x)
{
	WITHIN_TENSOR (w, name, DOUBLE, 0, 1)
		put_element(w, DOUBLE, x);
}

/* A list of integers, each x[k] - less. */
static void put_integers(struct onnx_writer *w, const char *name, const int *x, int less, int64_t n)
{
	WITHIN_TENSOR (w, name, INT64, 0, n)
		for (int64_t k = 0; k < n; k++)
			put_element(w, INT64, x[k] - less);
}

/* ---- nodes and their attributes ---- */

static int64_t begin_attribute(struct onnx_writer *w, const char *name, int of_value)
{
	const int64_t start = begin_message(w, NODE_ATTRIBUTE);

	put_text(w, ATTRIBUTE_NAME, name);
	put_integer(w, ATTRIBUTE_TYPE, of_value - 1);
	return start;
}

/* "OUTPUT = OPERATOR INPUT ... ATTRIBUTE:INTEGER ...", up to 'end'; axes are a list of one. */
static void put_node(struct onnx_writer *w, const char *at, const char *end)
{
	static const int field[] = { NODE_OUTPUT, NODE_OPERATOR, NODE_INPUT, NODE_INPUT };
	char word[32];

	WITHIN (w, begin_message(w, GRAPH_NODE))
		for (int k = 0; at < end; k++) {
			const int size = (int)strcspn(at, " =:\n");
			const bool axes = strncmp(at, "axes", 4) == 0;

			snprintf(word, sizeof(word), "%.*s", size, at);
			at += size;
			if (*at != ':')
				put_text(w, field[k], word);
			else
				WITHIN (w, begin_attribute(w, word, axes ? OF_INTS : OF_I))
					put_integer(w, axes ? OF_INTS : OF_I,
						    strtol(at + 1, (char **)&at, 10));
			at += strspn(at, " =");
		}
}

static void put_line(struct onnx_writer *w, const char *line)
{
	put_node(w, line, line + strlen(line));
}

/* ---- what the text has places for ---- */

/* (2): scale or, 'shift', constant of z_j = scale x + constant. */
static double of_stages(const struct export_form *f, int64_t j, bool shift)
{
	double scale = 1, constant = 0;

	for (int s = 0; s < f->n_stages; s++) {
		const struct export_stage *of = &f->stage[s];
		const struct scaling_options *to = of->ranges ? &of->ranges->options : NULL;
		const double factor =
			to ? (to->high - to->low) / (of->most[j] - of->least[j]) : of->least[j];

		scale *= factor;
		constant *= factor;
		constant += to ? to->low - factor * of->least[j] : 0;
	}
	return shift ? constant : scale;
}

static void put_features(struct onnx_writer *w)
{
	static const char *const names[] = { "scale", "shift" };

	put_integers(w, "features", w->f->input, 1, w->f->n);
	for (int k = 0; k < 2; k++)
		WITHIN_TENSOR (w, names[k], DOUBLE, 0, w->f->n)
			for (int64_t j = 0; j < w->f->n; j++)
				put_element(w, DOUBLE, of_stages(w->f, j, k == 1));
}

static void put_weights(struct onnx_writer *w)
{
	const struct export_form *f = w->f;
	const int64_t n_values = f->predictor.n_values;

	WITHIN_TENSOR (w, "weights", DOUBLE, f->n, n_values)
		for (int64_t j = 0, k = 0; j < f->n; j++) {
			const bool here = k < f->weights.n && f->place[k] == j;

			for (int64_t v = 0; v < n_values; v++)
				put_element(w, DOUBLE, here ? f->weights.w[k * n_values + v] : 0);
			k += here;
		}
}

/* Vectors, and gamma |s|^2 of each. */
static void put_vectors(struct onnx_writer *w)
{
	const struct csr *s = &w->f->vector;
	const struct kernel *k = &w->f->predictor.model->kernel;

	WITHIN_TENSOR (w, "vectors", DOUBLE, s->n_rows, w->f->n)
		for (int64_t v = 0; v < s->n_rows; v++)
			for (int64_t j = 0, e = s->row_start[v]; j < w->f->n; j++) {
				const bool here = e < s->row_start[v + 1] && s->col[e] == j;

				put_element(w, DOUBLE, here ? s->val[e] : 0);
				e += here;
			}
	if (k->type != KERNEL_LINEAR)
		put_constant(w, "gamma", k->gamma);
	if (k->type == KERNEL_RBF)
		WITHIN_TENSOR (w, "norms", DOUBLE, 0, s->n_rows)
			for (int64_t v = 0; v < s->n_rows; v++)
				put_element(w, DOUBLE, k->gamma * csr_row_norm2(s, v));
	else if (k->type != KERNEL_LINEAR)
		put_constant(w, "coef0", k->coef0);
	if (k->type == KERNEL_POLYNOMIAL)
		put_constant(w, "degree", k->degree);
}

/* Coefficients of n vectors from 'first' on; of none, one of zeros. */
static void put_coefficients(struct onnx_writer *w, const char *name, int64_t first, int64_t n)
{
	const struct solution *s = &w->f->predictor.model->solution;

	WITHIN_TENSOR (w, name, DOUBLE, int64_max(n, 1), s->n_class - 1)
		for (int64_t v = first; v < first + int64_max(n, 1); v++)
			for (int64_t r = 0; r < s->n_class - 1; r++)
				put_element(w, DOUBLE, n > 0 ? s->coef[r * s->n_sv + v] : 0);
}

/* (3): the columns of each pair's first class, or its second */
static void put_columns(struct onnx_writer *w, const char *name, bool second)
{
	const int n_class = w->f->predictor.n_class;

	WITHIN_TENSOR (w, name, INT64, 0, w->f->predictor.n_values)
		for (int a = 0; a < n_class; a++)
			for (int b = a + 1; b < n_class; b++)
				put_element(w, INT64,
					    second ? b * (n_class - 1) + a :
						     a * (n_class - 1) + b - 1);
}

static void put_sums(struct onnx_writer *w)
{
	const struct solution *s = &w->f->predictor.model->solution;
	int64_t first = 0;

	if (w->f->predictor.n_values == 1) {
		put_coefficients(w, "coef", 0, s->n_sv);
		put_line(w, "sums = MatMul kernel coef");
		return;
	}
	for (int c = 0; c < s->n_class; first += s->n_sv_of_class[c++]) {
		const int64_t n = s->n_sv_of_class[c];

		put_coefficients(w, FORMATTED(24, "coef_%d", c), first, n);
		WITHIN_TENSOR (w, FORMATTED(24, "of_class_%d", c), INT64, 0, int64_max(n, 1))
			for (int64_t v = 0; v < int64_max(n, 1); v++)
				put_element(w, INT64, n > 0 ? (double)(first + v) : 0);
		put_line(w, FORMATTED(80, "kernel_%d = Gather kernel of_class_%d axis:1", c, c));
		put_line(w, FORMATTED(80, "part_%d = MatMul kernel_%d coef_%d", c, c, c));
		if (c > 0)
			put_line(w, FORMATTED(80, "upto_%d = Concat %s_%d part_%d axis:1", c,
					      c > 1 ? "upto" : "part", c - 1, c));
	}
	put_columns(w, "firsts", false);
	put_columns(w, "seconds", true);
	put_line(w, FORMATTED(80, "first = Gather upto_%d firsts axis:1", s->n_class - 1));
	put_line(w, FORMATTED(80, "second = Gather upto_%d seconds axis:1", s->n_class - 1));
	put_line(w, "sums = Add first second");
}

static void put_constants(struct onnx_writer *w)
{
	const struct export_form *f = w->f;

	WITHIN_TENSOR (w, "constants", DOUBLE, 0, f->predictor.n_values)
		for (int64_t v = 0; v < f->predictor.n_values; v++)
			put_element(w, DOUBLE,
				    (f->plus ? f->plus[v] : 0) - (f->minus ? f->minus[v] : 0));
}

/* (4) */
static void put_moves(struct onnx_writer *w)
{
	const int n_class = w->f->predictor.n_class;

	WITHIN_TENSOR (w, "moves", DOUBLE, w->f->predictor.n_values, n_class)
		for (int a = 0; a < n_class; a++)
			for (int b = a + 1; b < n_class; b++)
				for (int c = 0; c < n_class; c++)
					put_element(w, DOUBLE, (c == a) - (c == b));
}

/* (5); those of logistic regression are its decision values. */
static void put_odds(struct onnx_writer *w)
{
	const struct export_form *f = w->f;
	const int64_t n_values = f->predictor.n_values, n_class = f->predictor.n_class;
	const bool logistic = EXPORT_HAS(f, "LOGISTIC");

	WITHIN_TENSOR (w, "slopes", DOUBLE, n_values, n_class)
		for (int64_t k = 0; k < n_values * n_class; k++)
			put_element(w, DOUBLE,
				    k / n_class != k % n_class ? 0 :
				    logistic		       ? 1 :
								 -f->prob_a[k % n_class]);
	WITHIN_TENSOR (w, "intercepts", DOUBLE, 0, n_class)
		for (int64_t c = 0; c < n_class; c++)
			put_element(w, DOUBLE, c < n_values && !logistic ? -f->prob_b[c] : 0);
}

static void put_labels(struct onnx_writer *w)
{
	put_integers(w, "labels", predictor_labels(&w->f->predictor), 0, w->f->predictor.n_class);
}

/* A number of an attribute. */
static void put_real(struct onnx_writer *w, double x)
{
	const float single = (float)x;
	uint32_t bits;
	char bytes[4];

	if (!isfinite(single))
		error_set(w->err, ERR_NUMERIC, "a number of the model is beyond single precision");
	memcpy(&bits, &single, sizeof(bits));
	put_varint(w, OF_FLOATS << 3 | 5);
	put_32(bytes, bits);
	byte_buffer_append(&w->bytes, bytes, sizeof(bytes), w->err);
}

/* (6): a vector of each pair, that of its decision value */
static void put_coupled(struct onnx_writer *w)
{
	const struct predictor *p = &w->f->predictor;
	const int64_t n = p->n_values;
	static const char *const names[] = { "kernel_params", "rho", "prob_a", "prob_b" };
	const double *const list[] = { NULL, NULL, w->f->prob_a, w->f->prob_b };

	WITHIN (w, begin_message(w, GRAPH_NODE)) {
		put_text(w, NODE_INPUT, "single");
		put_text(w, NODE_OUTPUT, "sides");
		put_text(w, NODE_OUTPUT, "probabilities");
		put_text(w, NODE_OPERATOR, "SVMClassifier");
		put_text(w, NODE_DOMAIN, LEARNED);
		WITHIN (w, begin_attribute(w, "kernel_type", OF_S))
			put_text(w, OF_S, "LINEAR");
		WITHIN (w, begin_attribute(w, "support_vectors", OF_FLOATS))
			for (int64_t k = 0; k < n * n; k++)
				put_real(w, k / n == k % n);
		WITHIN (w, begin_attribute(w, "coefficients", OF_FLOATS))
			for (int other = 1; other < p->n_class; other++)
				for (int a = 0; a < p->n_class; a++)
					for (int b = a + 1; b < p->n_class; b++)
						put_real(w, b == other);
		for (int k = 0; k < 4; k++)
			WITHIN (w, begin_attribute(w, names[k], OF_FLOATS))
				for (int64_t i = 0; i < (k == 0 ? 3 : n); i++)
					put_real(w, list[k] ? list[k][i] : 0);
		WITHIN (w, begin_attribute(w, "classlabels_ints", OF_INTS))
			for (int c = 0; c < p->n_class; c++)
				put_integer(w, OF_INTS, p->label[c]);
		WITHIN (w, begin_attribute(w, "vectors_per_class", OF_INTS))
			for (int c = 1; c <= p->n_class; c++)
				put_integer(w, OF_INTS, p->n_class - c);
	}
}

/* ---- the graph ---- */

/* An input or output of the graph: rows of n columns; 0: of single numbers. */
static void put_interface(struct onnx_writer *w, int field, const char *name, int type, int64_t n)
{
	WITHIN (w, begin_message(w, field)) {
		put_text(w, 1, name);
		/* a type of tensors: that of the elements, and a shape */
		WITHIN (w, begin_message(w, 2))
			WITHIN (w, begin_message(w, 1)) {
				put_integer(w, 1, type);
				WITHIN (w, begin_message(w, 2)) {
					WITHIN (w, begin_message(w, 1))
						put_text(w, 2, "rows");
					if (n > 0)
						WITHIN (w, begin_message(w, 1))
							put_integer(w, 1, n);
				}
			}
	}
}

static void put_graph(struct onnx_writer *w)
{
	static void (*const places[])(struct onnx_writer *
				      w) = { put_features, put_weights,	  put_vectors,
					     put_sums,	   put_constants, put_moves,
					     put_odds,	   put_coupled,	  put_labels };
	const struct export_form *f = w->f;
	const struct predictor *p = &f->predictor;
	const bool wanted = f->options->probabilities;
	struct export_text text = { .next = export_text_onnx };
	char name[64];

	export_name(f->options->path, name, sizeof(name));
	put_text(w, GRAPH_NAME, name);
	while (export_text_line(f, &text))
		if (text.place >= 0)
			places[text.place](w);
		else
			put_node(w, text.line, text.next - 1);
	put_interface(w, GRAPH_INPUT, "x", FLOAT, f->n_inputs);
	if (p->kind != PREDICTS_VALUE)
		put_interface(w, GRAPH_OUTPUT, "label", INT64, 0);
	put_interface(w, GRAPH_OUTPUT, wanted ? "probabilities" : "values", FLOAT,
		      wanted ? p->n_class : p->n_values);
}

int64_t export_write_onnx(const struct export_form *f, struct output *to, struct error *err)
{
	struct onnx_writer w = { .f = f, .err = err };

	if (f->n == 0 || (!f->is_linear && f->vector.n_rows == 0))
		return error_set(err, ERR_ARGUMENT,
				 "the model is a constant, which no operator of ONNX says");
	/* a number takes 8 bytes; found out before a wide model fills the memory */
	if (f->n > INT32_MAX / 8 / (f->is_linear ? f->predictor.n_values : f->vector.n_rows))
		return error_set(err, ERR_ARGUMENT, "the model is too large for a file of ONNX");
	if (f->options->probabilities && f->predictor.kind != PREDICTS_CLASS)
		return error_set(err, ERR_ARGUMENT,
				 "operators of ONNX have probabilities of classes alone");
	put_integer(&w, MODEL_IR, 7);
	put_text(&w, MODEL_PRODUCER, "randsvm");
	WITHIN (&w, begin_message(&w, MODEL_GRAPH))
		put_graph(&w);
	for (int k = 0; k < 2; k++) /* versions of ONNX's own operators, and of the others */
		WITHIN (&w, begin_message(&w, MODEL_OPSET)) {
			put_text(&w, 1, k == 0 ? "" : LEARNED);
			put_integer(&w, 2, k == 0 ? 13 : 1);
		}
	if (err->code == ERR_NONE)
		output_write(to, w.bytes.bytes, w.bytes.size, err);
	byte_buffer_free(&w.bytes);
	return w.constant_bytes;
}

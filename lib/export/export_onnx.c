/*
 * export_onnx.c - a model as a graph of ONNX
 *
 *     x --Gather--> --Scaler--> z     of chains, either or both
 *
 *     z --SVMRegressor, LinearRegressor--> values --LinearClassifier--> label, probabilities
 *     z --SVMClassifier--> label, values                               of pairs of classes
 *     z --SVMClassifier--> probabilities --LinearClassifier--> label
 *
 * How this works.  A file of ONNX is a message of Protocol Buffers, fields one after the other: a
 * number of the field with the kind of its value, and the value; messages within are bytes with their
 * length before (1), here always of five bytes, so that it can be written when the message ends.  The
 * numbers of the fields are those of onnx.proto.
 *
 * All stages of a chain together are one product and sum, z_j = scale_j (x - offset_j) (2).  The
 * operators add what LIBSVM subtracts, rho (3).  The label is that of the largest of the values, of
 * two classes of f and -f (4); with probabilities that of the largest, which softmax makes of ln of
 * the odds, -(A_c f_c + B_c), the second of two classes having odds of 1 (5).  For two classes
 * onnxruntime's SVMClassifier would couple a single pair, and stop early.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "export/export_form.h"

#include "base/little_endian.h"
#include "io/byte_buffer.h"
#include "io/output.h"

/* Fields of onnx.proto, and its types. */
enum { MODEL_IR = 1, MODEL_PRODUCER, MODEL_GRAPH = 7, MODEL_OPSET };
enum { GRAPH_NODE = 1, GRAPH_NAME, GRAPH_TENSOR = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT };
enum { NODE_INPUT = 1, NODE_OUTPUT, NODE_OPERATOR = 4, NODE_ATTRIBUTE, NODE_DOMAIN = 7 };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_TYPE = 20 };
enum { OF_I = 3, OF_S, OF_FLOATS = 7, OF_INTS }; /* of the value, each the number of its type + 1 */
enum { TENSOR_DIMENSION = 1, TENSOR_TYPE, TENSOR_INTS = 7, TENSOR_NAME };
enum { FLOAT = 1, INT64 = 7 }; /* of tensors */

#define LEARNED "ai.onnx.ml" /* the domain of the operators */

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

/* ---- nodes and their attributes ---- */

/* Begin a node of up to two inputs and outputs; NULL: none. */
static int64_t begin_node(struct onnx_writer *w, const char *name, const char *const in[2],
			  const char *const out[2])
{
	const int64_t start = begin_message(w, GRAPH_NODE);

	for (int k = 0; k < 2 && in[k]; k++)
		put_text(w, NODE_INPUT, in[k]);
	for (int k = 0; k < 2 && out[k]; k++)
		put_text(w, NODE_OUTPUT, out[k]);
	put_text(w, NODE_OPERATOR, name);
	put_text(w, NODE_DOMAIN, strcmp(name, "Gather") == 0 ? "" : LEARNED);
	return start;
}
#define NAMES(...) ((const char *const[2]){ __VA_ARGS__ })

static int64_t begin_attribute(struct onnx_writer *w, const char *name, int of_value)
{
	const int64_t start = begin_message(w, NODE_ATTRIBUTE);

	put_text(w, ATTRIBUTE_NAME, name);
	put_integer(w, ATTRIBUTE_TYPE, of_value - 1);
	return start;
}

static void put_word(struct onnx_writer *w, const char *name, const char *word)
{
	WITHIN (w, begin_attribute(w, name, OF_S))
		put_text(w, OF_S, word);
}

static void put_number(struct onnx_writer *w, const char *name, int64_t x)
{
	WITHIN (w, begin_attribute(w, name, OF_I))
		put_integer(w, OF_I, x);
}

/* A number of an attribute of numbers, the least byte first. */
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
	w->constant_bytes += (int64_t)sizeof(bytes);
}

static void put_reals(struct onnx_writer *w, const char *name, const double *x, int64_t n)
{
	WITHIN (w, begin_attribute(w, name, OF_FLOATS))
		for (int64_t k = 0; k < n; k++)
			put_real(w, x[k]);
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

/* The features of the row that maps take. */
static void put_choice(struct onnx_writer *w)
{
	WITHIN (w, begin_message(w, GRAPH_TENSOR)) {
		put_integer(w, TENSOR_DIMENSION, w->f->n);
		put_integer(w, TENSOR_TYPE, INT64);
		for (int64_t k = 0; k < w->f->n; k++)
			put_integer(w, TENSOR_INTS, w->f->input[k] - 1);
		put_text(w, TENSOR_NAME, "features");
	}
	WITHIN (w, begin_node(w, "Gather", NAMES("x", "features"), NAMES("chosen")))
		put_number(w, "axis", 1);
}

/* (2): scale_j, or offset_j, of z_j = scale x + constant. */
static double scaler(const struct export_form *f, int64_t j, bool offset)
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
	return !offset ? scale : constant == 0 ? 0 : -constant / scale;
}

static void put_scaler(struct onnx_writer *w)
{
	static const char *const names[] = { "scale", "offset" };

	WITHIN (w, begin_node(w, "Scaler", NAMES("chosen"), NAMES("z")))
		for (int k = 0; k < 2; k++)
			WITHIN (w, begin_attribute(w, names[k], OF_FLOATS))
				for (int64_t j = 0; j < w->f->n; j++)
					put_real(w, scaler(w->f, j, k == 1));
}

/*
 * The order of vectors: theirs, which pairs of classes need; else one in which coefficients of both
 * signs alternate, so that partial sums stay small, of which floats keep more digits.
 */
static int64_t *order_vectors(const struct solution *s, struct error *err)
{
	int64_t *order = mem_array(s->n_sv, sizeof(*order), err);
	int64_t next[2] = { 0, 0 }; /* the next of at least 0, and of less */
	double sum = 0;

	for (int64_t k = 0; order && k < s->n_sv; k++) {
		int side = s->n_class == 2 && sum > 0;

		for (int t = 0; s->n_class == 2 && t < 2; t++)
			while (next[t] < s->n_sv && (s->coef[next[t]] < 0) != t)
				next[t]++;
		side ^= next[side] == s->n_sv;
		order[k] = next[side]++;
		sum += s->coef[order[k]];
	}
	return order;
}

/* Attributes of support vectors. */
static void put_vectors(struct onnx_writer *w)
{
	static const char *const names[KERNEL_N_TYPES] = { "LINEAR", "POLY", "RBF", "SIGMOID", "" };
	const struct export_form *f = w->f;
	const struct solution *s = &f->predictor.model->solution;
	const struct kernel *k = &f->predictor.model->kernel;
	int64_t *order = order_vectors(s, w->err);

	WITHIN (w, begin_attribute(w, "support_vectors", OF_FLOATS))
		for (int64_t v = 0; order && v < s->n_sv; v++) {
			const struct csr_row x = csr_row_of(&f->vector, order[v]);

			for (int64_t j = 0, i = 0; j < f->n; j++)
				put_real(w, i < x.n && x.col[i] == j ? x.val[i++] : 0);
		}
	WITHIN (w, begin_attribute(w, "coefficients", OF_FLOATS))
		for (int64_t r = 0; order && r < s->n_class - 1; r++)
			for (int64_t v = 0; v < s->n_sv; v++)
				put_real(w, s->coef[r * s->n_sv + order[v]]);
	mem_free(order);
	put_word(w, "kernel_type", names[k->type]);
	put_reals(w, "kernel_params", (const double[3]){ k->gamma, k->coef0, k->degree }, 3);
	WITHIN (w, begin_attribute(w, "rho", OF_FLOATS)) /* (3) */
		for (int64_t v = 0; v < f->predictor.n_values; v++)
			put_real(w, -s->rho[v]);
}

/* Attributes of weights: a target for each decision value. */
static void put_weights(struct onnx_writer *w)
{
	const struct export_form *f = w->f;
	const int64_t n_values = f->predictor.n_values;

	put_number(w, "targets", n_values);
	WITHIN (w, begin_attribute(w, "coefficients", OF_FLOATS))
		for (int64_t v = 0; v < n_values; v++)
			for (int64_t j = 0, k = 0; j < f->n; j++) {
				const bool here = k < f->n_weights && f->place[k] == j;

				put_real(w, here ? f->weight[k++ * n_values + v] : 0);
			}
	WITHIN (w, begin_attribute(w, "intercepts", OF_FLOATS))
		for (int64_t v = 0; v < n_values; v++)
			put_real(w, (f->plus ? f->plus[v] : 0) - (f->minus ? f->minus[v] : 0));
}

static void put_labels(struct onnx_writer *w)
{
	const struct predictor *p = &w->f->predictor;

	WITHIN (w, begin_attribute(w, "classlabels_ints", OF_INTS))
		for (int k = 0; k < p->n_class; k++)
			put_integer(w, OF_INTS, predictor_labels(p)[k]);
}

/* A label for each class, from the n numbers 'from': see (4) and (5). */
static void put_decision(struct onnx_writer *w, const char *from, int64_t n, bool by_odds,
			 const char *transform, const char *second)
{
	const struct export_form *f = w->f;
	const int n_class = f->predictor.n_class;
	const bool has_minus = n == 1 && strcmp(transform, "NONE") == 0;

	WITHIN (w, begin_node(w, "LinearClassifier", NAMES(from), NAMES("label", second))) {
		put_labels(w);
		put_word(w, "post_transform", transform);
		WITHIN (w, begin_attribute(w, "coefficients", OF_FLOATS))
			for (int64_t c = 0; c < n_class; c++)
				for (int64_t k = 0; k < n; k++)
					put_real(w, c != k  ? -(double)has_minus :
						    by_odds ? -f->prob_a[k] :
							      1);
		WITHIN (w, begin_attribute(w, "intercepts", OF_FLOATS))
			for (int64_t c = 0; c < n_class; c++)
				put_real(w, by_odds && c < n ? -f->prob_b[c] : 0);
	}
}

/* Attributes of pairs of classes alone. */
static void put_pairs(struct onnx_writer *w)
{
	const struct export_form *f = w->f;
	const struct predictor *p = &f->predictor;

	put_labels(w);
	WITHIN (w, begin_attribute(w, "vectors_per_class", OF_INTS))
		for (int c = 0; c < p->n_class; c++)
			put_integer(w, OF_INTS, p->model->solution.n_sv_of_class[c]);
	if (f->options->probabilities) {
		put_reals(w, "prob_a", f->prob_a, p->n_values);
		put_reals(w, "prob_b", f->prob_b, p->n_values);
	}
}

/*
 * Decision values, then labels, and probabilities where they are wanted.  The operator of pairs has
 * labels itself, which with probabilities are those of votes.
 */
static void put_outputs(struct onnx_writer *w, const char *z)
{
	const struct export_form *f = w->f;
	const struct predictor *p = &f->predictor;
	const bool is_logistic = p->model->is_linear_model && p->model->linear.logistic;
	const bool wanted = f->options->probabilities, pairs = p->n_values > 1 && !f->is_linear;
	const char *const name = pairs	      ? "SVMClassifier" :
				 f->is_linear ? "LinearRegressor" :
						"SVMRegressor";

	WITHIN (w, begin_node(w, name, NAMES(z),
			      !pairs ? NAMES("values") :
			      wanted ? NAMES("votes", "probabilities") :
				       NAMES("label", "values"))) {
		(f->is_linear ? put_weights : put_vectors)(w);
		if (pairs)
			put_pairs(w);
		else if (!f->is_linear)
			put_number(w, "n_supports", p->model->solution.n_sv);
	}
	if (p->kind == PREDICTS_VALUE || (pairs && !wanted))
		return;
	if (pairs) {
		put_decision(w, "probabilities", p->n_class, false, "NONE", "same");
	} else if (!wanted) {
		put_decision(w, "values", p->n_values, false, "NONE", "sides");
	} else if (!is_logistic || p->n_values == 1) {
		put_decision(w, "values", p->n_values, !is_logistic, "SOFTMAX", "probabilities");
	} else {
		put_decision(w, "values", p->n_values, false, "LOGISTIC", "sigmoids");
		WITHIN (w, begin_node(w, "Normalizer", NAMES("sigmoids"), NAMES("probabilities")))
			put_word(w, "norm", "L1");
	}
}

static void put_graph(struct onnx_writer *w)
{
	const struct export_form *f = w->f;
	const struct predictor *p = &f->predictor;
	const bool wanted = f->options->probabilities;
	char name[64];

	export_name(f->options->path, name, sizeof(name));
	put_text(w, GRAPH_NAME, name);
	if (f->input) {
		put_choice(w);
		put_scaler(w);
	}
	put_outputs(w, f->input ? "z" : "x");
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
	/* a number takes 5 bytes; found out before a wide model fills the memory */
	if (f->n > INT32_MAX / 5 / (f->is_linear ? f->predictor.n_values : f->vector.n_rows))
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

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

#include "base/mem.h"
#include "io/byte_buffer.h"
#include "io/output.h"

/* Fields of onnx.proto, and its types. */
enum { MODEL_IR = 1, MODEL_PRODUCER, MODEL_GRAPH = 7, MODEL_OPSET };
enum { GRAPH_NODE = 1, GRAPH_NAME, GRAPH_TENSOR = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT };
enum { NODE_INPUT = 1, NODE_OUTPUT, NODE_OPERATOR = 4, NODE_ATTRIBUTE, NODE_DOMAIN = 7 };
enum {
	ATTRIBUTE_NAME = 1,
	ATTRIBUTE_I = 3,
	ATTRIBUTE_S,
	ATTRIBUTE_FLOATS = 7,
	ATTRIBUTE_INTS,
	ATTRIBUTE_TYPE = 20
};
enum { TENSOR_DIMENSION = 1, TENSOR_TYPE, TENSOR_INTS = 7, TENSOR_NAME };
enum { FLOAT = 1, INT64 = 7 };			 /* of tensors */
enum { OF_I = 2, OF_S, OF_FLOATS = 6, OF_INTS }; /* of attributes */

struct onnx_writer {
	const struct export_form *f;
	struct error *err;
	struct byte_buffer bytes;
	int64_t constant_bytes;
};

/* ---- messages ---- */

static void put_varint(struct onnx_writer *w, uint64_t x)
{
	unsigned char bytes[10];
	int n = 0;

	for (; x >= 128; x >>= 7)
		bytes[n++] = (unsigned char)(x | 128);
	bytes[n++] = (unsigned char)x;
	byte_buffer_append(&w->bytes, bytes, n, w->err);
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
	for (int k = 0; w->err->code == ERR_NONE && k < 5; k++, n >>= 7)
		w->bytes.bytes[start - 5 + k] = (char)((n & 127) | (k < 4 ? 128 : 0));
}

static void put_text(struct onnx_writer *w, int field, const char *text)
{
	const int64_t at = begin_message(w, field);

	byte_buffer_append_text(&w->bytes, text, w->err);
	end_message(w, at);
}

/* ---- attributes, of the node that is being written ---- */

static int64_t begin_attribute(struct onnx_writer *w, const char *name, int type)
{
	const int64_t at = begin_message(w, NODE_ATTRIBUTE);

	put_text(w, ATTRIBUTE_NAME, name);
	put_integer(w, ATTRIBUTE_TYPE, type);
	return at;
}

static void put_word(struct onnx_writer *w, const char *name, const char *word)
{
	const int64_t at = begin_attribute(w, name, OF_S);

	put_text(w, ATTRIBUTE_S, word);
	end_message(w, at);
}

static void put_number(struct onnx_writer *w, const char *name, int64_t x)
{
	const int64_t at = begin_attribute(w, name, OF_I);

	put_integer(w, ATTRIBUTE_I, x);
	end_message(w, at);
}

/* The n numbers of 'label', or of 'count'. */
static void put_numbers(struct onnx_writer *w, const char *name, const int *label,
			const int64_t *count, int64_t n)
{
	const int64_t at = begin_attribute(w, name, OF_INTS);
	const int64_t list = begin_message(w, ATTRIBUTE_INTS);

	for (int64_t k = 0; k < n; k++)
		put_varint(w, (uint64_t)(label ? label[k] : count[k]));
	end_message(w, list);
	end_message(w, at);
}

/* The n numbers x, each times 'sign'. */
static void put_reals(struct onnx_writer *w, const char *name, const double *x, int64_t n,
		      double sign)
{
	const int64_t at = begin_attribute(w, name, OF_FLOATS);
	const int64_t list = begin_message(w, ATTRIBUTE_FLOATS);

	for (int64_t k = 0; k < n; k++) {
		const float value = (float)(sign * x[k]);
		uint32_t bits;
		unsigned char bytes[4];

		if (!isfinite(value))
			error_set(w->err, ERR_NUMERIC,
				  "a number of the model is beyond single precision");
		memcpy(&bits, &value, sizeof(bits));
		for (int b = 0; b < 4; b++)
			bytes[b] = (unsigned char)(bits >> 8 * b);
		byte_buffer_append(&w->bytes, bytes, 4, w->err);
	}
	end_message(w, list);
	end_message(w, at);
	w->constant_bytes += n * (int64_t)sizeof(float);
}

/* ---- nodes ---- */

/* Begin a node of up to two inputs and outputs; NULL: none. */
static int64_t begin_node(struct onnx_writer *w, const char *operator, const char * domain,
			  const char *const in[2], const char *const out[2])
{
	const int64_t at = begin_message(w, GRAPH_NODE);

	for (int k = 0; k < 2 && in[k]; k++)
		put_text(w, NODE_INPUT, in[k]);
	for (int k = 0; k < 2 && out[k]; k++)
		put_text(w, NODE_OUTPUT, out[k]);
	put_text(w, NODE_OPERATOR, operator);
	put_text(w, NODE_DOMAIN, domain);
	return at;
}
#define NAMES(...) ((const char *const[2]){ __VA_ARGS__ })
#define LEARNED "ai.onnx.ml"

/* A constant of the graph: n integers, each x[k] - 1. */
static void put_constant(struct onnx_writer *w, const char *name, const int32_t *x, int64_t n)
{
	const int64_t at = begin_message(w, GRAPH_TENSOR);
	int64_t list;

	put_integer(w, TENSOR_DIMENSION, n);
	put_integer(w, TENSOR_TYPE, INT64);
	list = begin_message(w, TENSOR_INTS);
	for (int64_t k = 0; k < n; k++)
		put_varint(w, (uint64_t)(x[k] - 1));
	end_message(w, list);
	put_text(w, TENSOR_NAME, name);
	end_message(w, at);
}

/* An input or output of the graph: rows of n columns; 0: of single numbers. */
static void put_interface(struct onnx_writer *w, int field, const char *name, int type, int64_t n)
{
	const int64_t at = begin_message(w, field);
	int64_t of_type, of_tensor, shape, dimension;

	put_text(w, 1, name);
	of_type = begin_message(w, 2);
	of_tensor = begin_message(w, 1);
	put_integer(w, 1, type);
	shape = begin_message(w, 2);
	dimension = begin_message(w, 1);
	put_text(w, 2, "rows");
	end_message(w, dimension);
	if (n != 0) {
		dimension = begin_message(w, 1);
		put_integer(w, 1, n);
		end_message(w, dimension);
	}
	end_message(w, shape);
	end_message(w, of_tensor);
	end_message(w, of_type);
	end_message(w, at);
}

/* ---- the graph ---- */

/* (2): z_j = scale (x - offset) */
static void put_scaler(struct onnx_writer *w, const char *in)
{
	const struct export_form *f = w->f;
	double *offset = mem_zeroed(f->n, sizeof(*offset), w->err);
	double *scale = mem_array(f->n, sizeof(*scale), w->err);
	int64_t at;

	for (int64_t j = 0; offset && scale && j < f->n; j++) {
		double a = 1, b = 0; /* z = a x + b */

		for (int s = 0; s < f->n_stages; s++) {
			const struct export_stage *of = &f->stage[s];
			const double factor =
				of->is_scaling ?
					(of->high - of->low) / (of->most[j] - of->least[j]) :
					of->least[j];

			a *= factor;
			b = b * factor + (of->is_scaling ? of->low - factor * of->least[j] : 0);
		}
		scale[j] = a;
		offset[j] = a == 0 ? 0 : -b / a;
	}
	if (w->err->code == ERR_NONE) {
		at = begin_node(w, "Scaler", LEARNED, NAMES(in), NAMES("z"));
		put_reals(w, "offset", offset, f->n, 1);
		put_reals(w, "scale", scale, f->n, 1);
		end_message(w, at);
	}
	mem_free_all(offset, scale);
}

/* Attributes of support vectors. */
static void put_vectors(struct onnx_writer *w)
{
	static const char *const names[KERNEL_N_TYPES] = { "LINEAR", "POLY", "RBF", "SIGMOID", "" };
	const struct export_form *f = w->f;
	const struct model *m = f->predictor.model;
	const struct solution *s = &m->solution;
	const struct kernel *k = &m->kernel;
	double *full = mem_array(s->n_sv * f->n, sizeof(*full), w->err);

	for (int64_t v = 0; full && v < s->n_sv; v++)
		csr_fill_row(&f->vector, v, full + v * f->n);
	if (full)
		put_reals(w, "support_vectors", full, s->n_sv * f->n, 1);
	mem_free(full);
	put_word(w, "kernel_type", names[k->type]);
	put_reals(w, "kernel_params", (const double[3]){ k->gamma, k->coef0, k->degree }, 3, 1);
	put_reals(w, "coefficients", s->coef, (s->n_class - 1) * s->n_sv, 1);
	put_reals(w, "rho", s->rho, f->predictor.n_values, -1); /* (3) */
}

/* Decision values by weights: a target for each. */
static void put_weights(struct onnx_writer *w, const char *z)
{
	const struct export_form *f = w->f;
	const int64_t n_values = f->predictor.n_values;
	double *weight = mem_zeroed(n_values * (f->n + 1), sizeof(*weight), w->err);
	double *constant = weight ? weight + n_values * f->n : NULL;
	const int64_t at = begin_node(w, "LinearRegressor", LEARNED, NAMES(z), NAMES("values"));

	for (int64_t v = 0; weight && v < n_values; v++) {
		for (int64_t k = 0; k < f->n_weights; k++)
			weight[v * f->n + f->place[k]] = f->weight[k * n_values + v];
		constant[v] = (f->plus ? f->plus[v] : 0) - (f->minus ? f->minus[v] : 0);
	}
	if (weight) {
		put_reals(w, "coefficients", weight, n_values * f->n, 1);
		put_reals(w, "intercepts", constant, n_values, 1);
	}
	put_number(w, "targets", n_values);
	end_message(w, at);
	mem_free(weight);
}

/* A label for each class, from the n numbers 'from': see (4) and (5). */
static void put_decision(struct onnx_writer *w, const char *from, int64_t n, bool by_odds,
			 const char *transform, const char *second)
{
	const struct predictor *p = &w->f->predictor;
	const struct model *m = p->model;
	const double *a = m->is_linear_model ? m->linear.prob_a : m->solution.prob_a;
	const double *b = m->is_linear_model ? m->linear.prob_b : m->solution.prob_b;
	double *weight = mem_zeroed(p->n_class * (n + 1), sizeof(*weight), w->err);
	const int64_t at =
		begin_node(w, "LinearClassifier", LEARNED, NAMES(from), NAMES("label", second));

	for (int64_t k = 0; weight && k < n; k++) {
		weight[k * n + k] = by_odds ? -a[k] : 1;
		weight[p->n_class * n + k] = by_odds ? -b[k] : 0;
	}
	if (weight && n == 1 && strcmp(transform, "NONE") == 0)
		weight[1] = -1;
	put_numbers(w, "classlabels_ints", predictor_labels(p), NULL, p->n_class);
	if (weight) {
		put_reals(w, "coefficients", weight, p->n_class * n, 1);
		put_reals(w, "intercepts", weight + p->n_class * n, p->n_class, 1);
	}
	put_word(w, "post_transform", transform);
	end_message(w, at);
	mem_free(weight);
}

/* Decision values of pairs, or probabilities; with those the operator's label is that of votes. */
static void put_pairs(struct onnx_writer *w, const char *z)
{
	const struct predictor *p = &w->f->predictor;
	const struct solution *s = &p->model->solution;
	const bool wanted = w->f->options->probabilities;
	const int64_t at =
		begin_node(w, "SVMClassifier", LEARNED, NAMES(z),
			   wanted ? NAMES("votes", "probabilities") : NAMES("label", "values"));

	put_vectors(w);
	put_numbers(w, "classlabels_ints", p->label, NULL, p->n_class);
	put_numbers(w, "vectors_per_class", NULL, s->n_sv_of_class, p->n_class);
	if (wanted) {
		put_reals(w, "prob_a", s->prob_a, p->n_values, 1);
		put_reals(w, "prob_b", s->prob_b, p->n_values, 1);
	}
	end_message(w, at);
	if (wanted)
		put_decision(w, "probabilities", p->n_class, false, "NONE", "same");
}

/* Decision values, then labels, and probabilities where they are wanted. */
static void put_values(struct onnx_writer *w, const char *z)
{
	const struct predictor *p = &w->f->predictor;
	const bool is_logistic = p->model->is_linear_model && p->model->linear.logistic;
	const bool wanted = w->f->options->probabilities;
	int64_t at;

	if (w->f->is_linear) {
		put_weights(w, z);
	} else {
		at = begin_node(w, "SVMRegressor", LEARNED, NAMES(z), NAMES("values"));
		put_vectors(w);
		put_number(w, "n_supports", p->model->solution.n_sv);
		end_message(w, at);
	}
	if (p->kind == PREDICTS_VALUE)
		return;
	if (!wanted) {
		put_decision(w, "values", p->n_values, false, "NONE", "sides");
	} else if (!is_logistic || p->n_values == 1) {
		put_decision(w, "values", p->n_values, !is_logistic, "SOFTMAX", "probabilities");
	} else {
		put_decision(w, "values", p->n_values, false, "LOGISTIC", "sigmoids");
		at = begin_node(w, "Normalizer", LEARNED, NAMES("sigmoids"),
				NAMES("probabilities"));
		put_word(w, "norm", "L1");
		end_message(w, at);
	}
}

static void put_graph(struct onnx_writer *w)
{
	const struct export_form *f = w->f;
	const struct predictor *p = &f->predictor;
	const bool wanted = f->options->probabilities;
	const char *z = "x";
	char name[64];
	int64_t at;

	export_name(f->options->path, name, sizeof(name));
	put_text(w, GRAPH_NAME, name);
	if (f->input) {
		put_constant(w, "features", f->input, f->n);
		at = begin_node(w, "Gather", "", NAMES(z, "features"), NAMES("chosen"));
		put_number(w, "axis", 1);
		end_message(w, at);
		z = "chosen";
	}
	if (f->n_stages > 0) {
		put_scaler(w, z);
		z = "z";
	}
	(p->n_values > 1 && !f->is_linear ? put_pairs : put_values)(w, z);
	put_interface(w, GRAPH_INPUT, "x", FLOAT, f->n_inputs);
	if (p->kind != PREDICTS_VALUE)
		put_interface(w, GRAPH_OUTPUT, "label", INT64, 0);
	put_interface(w, GRAPH_OUTPUT, wanted ? "probabilities" : "values", FLOAT,
		      wanted ? p->n_class : p->n_values);
}

static void put_opset(struct onnx_writer *w, const char *domain, int64_t version)
{
	const int64_t at = begin_message(w, MODEL_OPSET);

	put_text(w, 1, domain);
	put_integer(w, 2, version);
	end_message(w, at);
}

int64_t export_write_onnx(const struct export_form *f, struct output *to, struct error *err)
{
	const struct predictor *p = &f->predictor;
	struct onnx_writer w = { .f = f, .err = err };
	int64_t graph;

	if (f->options->probabilities && p->kind != PREDICTS_CLASS)
		return error_set(err, ERR_ARGUMENT,
				 "operators of ONNX have probabilities of classes alone");
	put_integer(&w, MODEL_IR, 7);
	put_text(&w, MODEL_PRODUCER, "randsvm");
	graph = begin_message(&w, MODEL_GRAPH);
	put_graph(&w);
	end_message(&w, graph);
	put_opset(&w, "", 13);
	put_opset(&w, LEARNED, 1);
	if (err->code == ERR_NONE)
		output_write(to, w.bytes.bytes, w.bytes.size, err);
	byte_buffer_free(&w.bytes);
	return w.constant_bytes;
}

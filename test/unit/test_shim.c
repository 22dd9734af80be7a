/*
 * test_shim.c - LIBSVM's interface, by a plain evaluation of its models and by hostile calls
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <fenv.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/instruction_set.h"
#include "kernel/kernel_tile.h"
#include "kernel/node_tile.h"
#include "random.h"
#include "matrix/svm_header.h"
#include "unit.h"

enum { N = 90, N_COLS = 7, N_CLASS = 3, MAX_NODES = N_COLS + 2 };

/* Messages of the shim since was_told(): of its print function, and in front of these its errors. */
static char messages[1 << 16];

/* What is written to standard error, after a flush; in place of the C library's stream. */
static char *errors;
static size_t n_errors;

static void note_message(const char *text)
{
	strncat(messages, text, sizeof(messages) - strlen(messages) - 1);
}

/* Take what was written to standard error among the messages. */
static void take_errors(void)
{
	fflush(stderr);
	if (n_errors > 0 && strlen(messages) + n_errors < sizeof(messages))
		strncat(messages, errors, n_errors);
	rewind(stderr);
	fflush(stderr);
}

/* The last message, for a check that fails. */
static const char *last_message(void)
{
	const char *error;

	take_errors();
	error = strstr(messages, "ERROR");

	return error ? error : "no error";
}

/* Did the messages have the text?  They are cleared. */
static bool was_told(const char *text)
{
	bool told;

	take_errors();
	told = strstr(messages, text) != NULL;
	messages[0] = '\0';
	return told;
}

/* Rows, some of them empty, of classes that lie apart but overlap. */
struct rows {
	struct svm_node node[N][MAX_NODES];
	struct svm_node *x[N];
	double y[N];
	struct svm_problem prob;
};

static void make_rows(struct rows *r)
{
	for (int i = 0; i < N; i++) {
		int n = 0;

		r->y[i] = i % N_CLASS - 1;
		for (int c = 1; c <= N_COLS && i % 31 != 30; c++)
			if (random_unit() < 0.7)
				r->node[i][n++] =
					(struct svm_node){ c, random_between(-1, 1) +
								      (c == i % N_CLASS + 1) };
		r->node[i][n].index = -1;
		r->x[i] = r->node[i];
	}
	r->prob = (struct svm_problem){ N, r->y, r->x };
}

static struct svm_parameter parameter(int svm_type, int kernel_type)
{
	return (struct svm_parameter){ .svm_type = svm_type,
				       .kernel_type = kernel_type,
				       .degree = 3,
				       .gamma = 0.3,
				       .coef0 = 0.5,
				       .cache_size = 100,
				       .eps = 0.001,
				       .C = 2,
				       .nu = 0.6,
				       .p = 0.1,
				       .shrinking = 1 };
}

/* ---- the plain evaluation ---- */

static double value_of(const struct svm_node *x, int index)
{
	for (; x->index != -1; x++)
		if (x->index == index)
			return x->value;
	return 0;
}

static double dot(const struct svm_node *x, const struct svm_node *z)
{
	double sum = 0;

	for (; x->index != -1; x++)
		sum += x->value * value_of(z, x->index);
	return sum;
}

static double kernel(const struct svm_parameter *p, const struct svm_node *x,
		     const struct svm_node *z)
{
	switch (p->kernel_type) {
	case POLY:
		return pow(p->gamma * dot(x, z) + p->coef0, p->degree);
	case RBF:
		return exp(-p->gamma * (dot(x, x) + dot(z, z) - 2 * dot(x, z)));
	case SIGMOID:
		return tanh(p->gamma * dot(x, z) + p->coef0);
	case PRECOMPUTED:
		return x[(int)z->value].value;
	default:
		return dot(x, z);
	}
}

/* Decision values of all pairs; returns the sum of the sizes of what they are sums of. */
static double plain_values(const struct svm_model *m, const struct svm_node *x, double *value)
{
	const bool classifies = m->param.svm_type == C_SVC || m->param.svm_type == NU_SVC;
	double size = 0;
	int p = 0;

	for (int a = 0, first_a = 0; a < m->nr_class; first_a += classifies ? m->nSV[a] : 0, a++)
		for (int b = a + 1, first_b = first_a + (classifies ? m->nSV[a] : 0);
		     b < m->nr_class; first_b += classifies ? m->nSV[b] : 0, b++, p++) {
			const int n_a = classifies ? m->nSV[a] : m->l;
			const int n_b = classifies ? m->nSV[b] : 0;

			value[p] = -m->rho[p];
			size += fabs(m->rho[p]);
			for (int j = first_a; j < first_a + n_a; j++) {
				double part = m->sv_coef[b - 1][j] * kernel(&m->param, x, m->SV[j]);

				value[p] += part;
				size += fabs(part);
			}
			for (int j = first_b; j < first_b + n_b; j++) {
				double part = m->sv_coef[a][j] * kernel(&m->param, x, m->SV[j]);

				value[p] += part;
				size += fabs(part);
			}
		}
	return size;
}

/* Do decision values, and the predictions by them, agree with the plain ones for the row? */
static void check_row(const struct svm_model *m, const struct svm_node *x, const char *what)
{
	double value[N_CLASS], plain[N_CLASS];
	double size = plain_values(m, x, plain), predicted = svm_predict_values(m, x, value);

	for (int p = 0; p < m->nr_class * (m->nr_class - 1) / 2; p++)
		CHECK(fabs(value[p] - plain[p]) <= 1e-13 * size, "%s, pair %d: %.17g, not %.17g",
		      what, p, value[p], plain[p]);
	CHECK(svm_predict(m, x) == predicted, "%s: %g", what, predicted);
	if (m->param.svm_type == ONE_CLASS)
		CHECK(predicted == (value[0] > 0 ? 1 : -1), "%s: %g", what, predicted);
	else if (m->nr_class == 2)
		CHECK(predicted == value[0], "%s: %g, not %g", what, predicted, value[0]);
}

static void check_fields(const struct svm_model *m, const struct rows *r)
{
	int labels[N_CLASS] = { 0 }, indices[N] = { 0 };

	svm_get_labels(m, labels);
	svm_get_sv_indices(m, indices);
	CHECK(!m->free_sv && svm_get_nr_sv(m) == m->l && m->l <= N, "%d vectors", m->l);
	CHECK(svm_get_nr_class(m) == m->nr_class, "%d classes", m->nr_class);
	CHECK(svm_get_svm_type(m) == m->param.svm_type, "type %d", m->param.svm_type);
	for (int j = 0; j < m->l; j++)
		CHECK(m->SV[j] == r->x[indices[j] - 1], "vector %d is not row %d", j, indices[j]);
	for (int c = 0, j = 0; m->label && c < m->nr_class; c++)
		for (int last = j + m->nSV[c]; j < last; j++)
			CHECK(r->y[indices[j] - 1] == labels[c], "vector %d is of class %g", j,
			      r->y[indices[j] - 1]);
}

static void test_machines(void)
{
	static struct rows r;

	make_rows(&r);
	for (int s = C_SVC; s <= NU_SVR; s++)
		for (int t = LINEAR; t <= SIGMOID; t++) {
			struct svm_parameter param = parameter(s, t);
			struct svm_model *m = svm_train(&r.prob, &param);
			char what[32];

			snprintf(what, sizeof(what), "-s %d -t %d", s, t);
			if (!CHECK(m, "%s: %s", what, last_message()))
				continue;
			check_fields(m, &r);
			for (int i = 0; i < N; i++)
				check_row(m, r.x[i], what);
			svm_free_and_destroy_model(&m);
			CHECK(!m, "the model is still there");
		}
	was_told("");
}

/* ---- rows ---- */

/* The nodes of a row in another order. */
static void shuffle(struct svm_node *node)
{
	int n = 0;

	while (node[n].index != -1)
		n++;
	for (int k = n - 1; k > 0; k--) {
		int other = (int)(random_bits() % (uint64_t)(k + 1));
		struct svm_node kept = node[k];

		node[k] = node[other];
		node[other] = kept;
	}
}

static void test_order(void)
{
	static struct rows r, shuffled;
	struct svm_parameter param = parameter(C_SVC, RBF);
	struct svm_model *a, *b;

	make_rows(&r);
	memcpy(shuffled.node, r.node, sizeof(r.node));
	memcpy(shuffled.y, r.y, sizeof(r.y));
	for (int i = 0; i < N; i++)
		shuffle(shuffled.x[i] = shuffled.node[i]);
	shuffled.prob = (struct svm_problem){ N, shuffled.y, shuffled.x };
	a = svm_train(&r.prob, &param);
	b = svm_train(&shuffled.prob, &param);
	if (!CHECK(a && b && a->l == b->l, "%s", last_message()))
		return;
	for (int k = 0; k < N_CLASS - 1; k++)
		CHECK(memcmp(a->sv_coef[k], b->sv_coef[k], (size_t)a->l * sizeof(double)) == 0,
		      "coefficients %d differ", k);
	for (int i = 0; i < N; i++)
		check_row(b, shuffled.x[i], "shuffled");
	svm_free_and_destroy_model(&a);
	svm_free_and_destroy_model(&b);
}

/* Indices so large that a row is not spread out, and values so large that products are infinite. */
static void test_large(void)
{
	static struct rows r;
	const double scale[] = { 1, 1e200 };

	for (int k = 0; k < 2; k++) {
		struct svm_parameter param = parameter(C_SVC, RBF);
		struct svm_model *m;
		double value[N_CLASS];

		make_rows(&r);
		for (int i = 0; i < N; i++)
			for (struct svm_node *x = r.x[i]; x->index != -1; x++) {
				x->index = INT_MAX - N_COLS + x->index;
				x->value *= scale[k];
			}
		m = svm_train(&r.prob, &param);
		if (!CHECK(m, "scale %g: %s", scale[k], last_message()))
			continue;
		for (int i = 0; i < N && k == 0; i++)
			check_row(m, r.x[i], "large indices");
		shuffle(m->SV[0]);
		for (int i = 0; i < N && k == 0; i++)
			check_row(m, r.x[i], "large indices in another order");
		svm_predict_values(m, r.x[0], value);
		CHECK(isfinite(value[0]), "scale %g: %g", scale[k], value[0]);
		svm_free_and_destroy_model(&m);
	}
	was_told("");
}

/* Rows that no machine is trained on, and no prediction is made of. */
static void test_bad_rows(void)
{
	static const struct {
		struct svm_node node[3];
		const char *told;
	} bad[] = {
		{ { { 5, 1 }, { 5, 2 }, { -1, 0 } }, "index 5 is there twice" },
		{ { { -5, 1 }, { 2, 2 }, { -1, 0 } }, "index -5 is below 0" },
		{ { { 2, 1 }, { INT_MIN, 2 }, { -1, 0 } }, "is below 0" },
		{ { { 2, 1 }, { 3, NAN }, { -1, 0 } }, "row 7: value nan of index 3" },
		{ { { 2, 1 }, { 3, INFINITY }, { -1, 0 } }, "row 7: value inf of index 3" },
	};
	static struct rows r;
	struct svm_parameter param = parameter(C_SVC, LINEAR);
	double target[N];

	for (size_t k = 0; k < sizeof(bad) / sizeof(*bad); k++) {
		struct svm_model *m;

		make_rows(&r);
		m = svm_train(&r.prob, &param);
		was_told("");
		/* a value that is not finite is predicted by, as LIBSVM does */
		CHECK(isnan(svm_predict(m, bad[k].node)) == (k == 0), "row %zu", k);
		CHECK(was_told(bad[k].told) == (k == 0), "%s", last_message());
		svm_free_and_destroy_model(&m);
		was_told("");
		memcpy(r.x[6], bad[k].node, sizeof(bad[k].node));
		CHECK(!svm_train(&r.prob, &param), "row %zu is trained on", k);
		CHECK(was_told(bad[k].told), "%s", last_message());
		svm_cross_validation(&r.prob, &param, 3, target);
		CHECK(was_told(bad[k].told), "%s", last_message());
		CHECK(isnan(target[0]) && isnan(target[N - 1]), "targets %g", target[0]);
	}
	make_rows(&r);
	r.y[3] = NAN;
	CHECK(!svm_train(&r.prob, &param) && was_told("row 4: target nan"), "%s", last_message());
	r.y[3] = 1e300;
	CHECK(!svm_train(&r.prob, &param) && was_told("ERROR: svm_train: "), "%s", last_message());
	r.y[3] = 1.75;
	for (int i = 0; i < N; i++)
		r.y[i] += i == 3 ? 0 : r.y[i] / 4;
	CHECK(svm_check_parameter(&r.prob, &param) == NULL, "labels are not cut to integers");
}

/* To a prediction an index below 0 is a feature that no support vector has. */
static void test_indices_below_zero(void)
{
	static struct rows r;

	make_rows(&r);
	for (int kernel = LINEAR; kernel <= SIGMOID; kernel++) {
		struct svm_parameter param = parameter(C_SVC, kernel);
		struct svm_model *m = svm_train(&r.prob, &param);
		const struct svm_node below[] = { { 2, 2 }, { -5, 1 }, { -1, 0 } },
				      beyond[] = { { 2, 2 }, { 9999, 1 }, { -1, 0 } };
		double a[N], b[N];

		CHECK(svm_predict_values(m, below, a) == svm_predict_values(m, beyond, b) &&
			      isfinite(a[0]) && fabs(a[0] - b[0]) <= 1e-12 * fabs(b[0]),
		      "kernel %d: %g and %g", kernel, a[0], b[0]);
		svm_free_and_destroy_model(&m);
	}
}

/* A kernel matrix by rows of nodes gives the machine of the kernel. */
static void test_precomputed(void)
{
	static struct rows r;
	static struct svm_node node[N][N + 2];
	static struct svm_node *x[N];
	struct svm_parameter of_rows = parameter(C_SVC, RBF),
			     by_matrix = parameter(C_SVC, PRECOMPUTED);
	struct svm_problem prob = { N, r.y, x };
	struct svm_model *m, *k;

	make_rows(&r);
	for (int i = 0; i < N; i++) {
		x[i] = node[i];
		x[i][0] = (struct svm_node){ 0, i + 1 };
		for (int j = 0; j < N; j++)
			x[i][j + 1] = (struct svm_node){ j + 1, kernel(&of_rows, r.x[i], r.x[j]) };
		x[i][N + 1].index = -1;
	}
	m = svm_train(&r.prob, &of_rows);
	k = svm_train(&prob, &by_matrix);
	if (!CHECK(m && k, "%s", last_message()))
		return;
	for (int i = 0; i < N; i++) {
		double a[N_CLASS], b[N_CLASS];

		check_row(k, x[i], "precomputed");
		svm_predict_values(m, r.x[i], a);
		svm_predict_values(k, x[i], b);
		for (int p = 0; p < N_CLASS; p++)
			CHECK(fabs(a[p] - b[p]) <= 2 * of_rows.eps, "%g, not %g", b[p], a[p]);
	}
	/* a row without the values of all vectors is no reason to read beyond it */
	x[0][1].index = -1;
	CHECK(!isnan(svm_predict(k, x[0])), "%s", last_message());
	k->SV[0]->value = 1e300;
	CHECK(!isnan(svm_predict(k, x[1])), "%s", last_message());
	svm_free_and_destroy_model(&m);
	svm_free_and_destroy_model(&k);
}

/* ---- models ---- */

static void test_edits(void)
{
	static struct rows r;
	struct svm_parameter param = parameter(C_SVC, RBF);
	struct svm_model *m;
	struct svm_node edited[] = { { 1, 0.5 }, { -1, 0 } };
	double before[N_CLASS], after[N_CLASS];

	make_rows(&r);
	m = svm_train(&r.prob, &param);
	svm_predict_values(m, r.x[0], before);
	m->rho[1] += 1;
	svm_predict_values(m, r.x[0], after);
	CHECK(fabs(before[1] - after[1] - 1) < 1e-14 && before[0] == after[0], "rho");
	m->sv_coef[1][0] *= 2;
	check_row(m, r.x[0], "a coefficient");
	m->SV[2]->value += 0.25;
	check_row(m, r.x[0], "a node");
	m->SV[1] = edited;
	check_row(m, r.x[0], "a vector");
	m->param.gamma = 1;
	check_row(m, r.x[0], "gamma");
	m->param.kernel_type = LINEAR;
	check_row(m, r.x[0], "the kernel");
	m->label[0] = m->label[1] = m->label[2] = 17;
	CHECK(svm_predict(m, r.x[0]) == 17, "label");
	m->nSV[0]++;
	CHECK(isnan(svm_predict(m, r.x[0])) && was_told("nSV does not add up to l"), "%s",
	      last_message());
	m->nSV[0]--;
	m->param.svm_type = 9;
	CHECK(isnan(svm_predict(m, r.x[0])) && was_told("unknown svm type"), "%s", last_message());
	CHECK(svm_save_model("edited", m) == -1 && access("edited", F_OK) != 0, "it is written");
	was_told("");
	svm_free_and_destroy_model(&m);
}

typedef __typeof__(node_tile_dots) tile_code;
tile_code node_tile_dots_base, node_tile_dots_v3, node_tile_dots_v4;

/* Each copy of the tiles has the bits of plain sums, for as many vectors as have the indices. */
static void test_tile_copies(void)
{
	enum { N_VECTORS = 3 * NODE_TILE_VECTORS, MOST = 13 };
	tile_code *const copy[] = {
		node_tile_dots_base,
#ifdef HAVE_ISA_VARIANTS
		instruction_set_best() >= INSTRUCTION_SET_V3 ? node_tile_dots_v3 : NULL,
		instruction_set_best() >= INSTRUCTION_SET_V4 ? node_tile_dots_v4 : NULL,
#endif
	};
	struct svm_node node[N_VECTORS][MOST + 1], *sv[N_VECTORS];
	double x[MOST], norm2[N_VECTORS] __attribute__((aligned(KERNEL_TILE_ALIGNMENT))),
		dot[N_VECTORS] __attribute__((aligned(KERNEL_TILE_ALIGNMENT)));

	for (int n = 1; n <= MOST; n++) {
		for (int j = 0; j < N_VECTORS; j++) {
			sv[j] = node[N_VECTORS - 1 - j];
			for (int k = 0; k < n; k++)
				sv[j][k] = (struct svm_node){ 5 + k, random_normal() };
			sv[j][n].index = -1;
			x[j % MOST] = random_normal();
		}
		for (size_t c = 0; c < sizeof(copy) / sizeof(*copy) && copy[c]; c++) {
			const struct node_span span = { 5, n };
			const int other = NODE_TILE_VECTORS + (int)random_below(NODE_TILE_VECTORS);
			const int place = (int)random_below(n + 1);
			const int kept = sv[other][place].index;

			CHECK(copy[c](sv, N_VECTORS, span, x, norm2, dot) == N_VECTORS,
			      "copy %zu, %d columns", c, n);
			for (int j = 0; j < N_VECTORS; j++) {
				double sum = 0, square = 0;

				for (int k = 0; k < n; k++) {
					sum += sv[j][k].value * x[k];
					square += sv[j][k].value * sv[j][k].value;
				}
				CHECK(dot[j] == sum && norm2[j] == square,
				      "copy %zu, %d columns: %.17g, not %.17g", c, n, dot[j], sum);
			}
			sv[other][place].index = 77;
			CHECK(copy[c](sv, N_VECTORS, span, x, norm2, dot) == NODE_TILE_VECTORS,
			      "copy %zu: vector %d has another index at %d", c, other, place);
			sv[other][place].index = kept;
		}
	}
}

/* A model of dense rows, in one array of nodes as a file is read into. */
static struct svm_model *dense_model(struct rows *r, int kernel)
{
	struct svm_parameter param = parameter(C_SVC, kernel);
	struct svm_model *m, *read = NULL;

	make_rows(r);
	for (int i = 0; i < N; i++) {
		for (int c = 0; c < N_COLS; c++)
			r->node[i][c] = (struct svm_node){ c + 1, random_between(-1, 1) +
									  (c == i % N_CLASS) };
		r->node[i][N_COLS].index = -1;
	}
	param.C = 0.1; /* most rows become vectors */
	m = svm_train(&r->prob, &param);
	if (m && svm_save_model("dense", m) == 0)
		read = svm_load_model("dense");
	svm_free_and_destroy_model(&m);
	CHECK(read && read->l > N / 2, "%s", last_message());
	was_told("");
	return read;
}

/* Do rows get the values of the plain evaluation, and the bits of vectors taken one by one? */
static void check_dense(struct svm_model *m, const struct rows *r, const char *what)
{
	for (int i = 0; i < N; i++) {
		double value[N_CLASS], one_by_one[N_CLASS];

		check_row(m, r->x[i], what);
		svm_predict_values(m, r->x[i], value);
		m->free_sv = 0;
		svm_predict_values(m, r->x[i], one_by_one);
		m->free_sv = 1;
		CHECK(memcmp(value, one_by_one, sizeof(value)) == 0, "%s, row %d: %.17g, not %.17g",
		      what, i, value[0], one_by_one[0]);
	}
}

/* Vectors of one array are taken by tiles as long as they have all features, and no longer. */
static void test_dense_edits(void)
{
	for (int kernel = LINEAR; kernel <= SIGMOID; kernel++) {
		static struct rows r;
		struct svm_node elsewhere[] = { { 2, 0.5 }, { -1, 0 } }, *kept;
		struct svm_model *m = dense_model(&r, kernel);

		if (!m)
			return;
		for (int i = 0; i < N; i += 3) /* rows without some features */
			r.x[i]++;
		r.x[1] += N_COLS;
		check_dense(m, &r, "dense");
		m->SV[3][N_COLS - 1].index = -1;
		check_dense(m, &r, "a vector without its last feature");
		m->SV[m->l - 1][2].index = -1;
		check_dense(m, &r, "a vector of two features");
		m->SV[m->l / 2][4].value += 0.5;
		check_dense(m, &r, "a value");
		for (int k = 0; k < N_COLS; k++)
			m->SV[17][k].index += 20;
		check_dense(m, &r, "a vector of other indices");
		for (int k = 1; k < N_COLS; k++)
			m->SV[19][k].index++;
		check_dense(m, &r, "a vector with a gap");
		/* the last vector of a tile goes on through the first one of the next */
		m->SV[47][N_COLS].index = 15;
		for (int k = 0; k < N_COLS; k++)
			m->SV[48][k].index += 20;
		check_dense(m, &r, "a vector that goes on");
		kept = m->SV[33];
		m->SV[33] = elsewhere;
		check_dense(m, &r, "a vector elsewhere");
		m->SV[33] = m->SV[34];
		m->SV[34] = kept;
		check_dense(m, &r, "vectors in another order");
		m->SV[0][0].index = -1;
		check_dense(m, &r, "an empty vector");
		for (int j = 0; j < m->l; j++)
			if (m->SV[j][0].index == 1)
				m->SV[j][0].index = 0;
		check_dense(m, &r, "an index 0");
		svm_free_and_destroy_model(&m);
	}
}

/* What is written and read again predicts the same; as is what is read written again. */
static void test_files(void)
{
	static struct rows r;

	make_rows(&r);
	for (int s = C_SVC; s <= NU_SVR; s++) {
		struct svm_parameter param = parameter(s, RBF);
		struct svm_model *m, *read;
		double probability[2][N_CLASS] = { { 0 } };

		param.probability = SVM_HAS_DENSITY_MARKS || s != ONE_CLASS;
		m = svm_train(&r.prob, &param);
		CHECK(m && svm_save_model("model", m) == 0, "%s", last_message());
		read = svm_load_model("model");
		if (!CHECK(read && read->free_sv == 1 && read->l == m->l, "%s", last_message()))
			continue;
		CHECK(svm_check_probability_model(read) == param.probability, "-s %d", s);
		if (s >= EPSILON_SVR)
			CHECK(svm_get_svr_probability(read) == svm_get_svr_probability(m) &&
				      svm_get_svr_probability(m) > 0,
			      "-s %d: %g", s, svm_get_svr_probability(m));
		for (int i = 0; i < N; i++) {
			double a = svm_predict_probability(m, r.x[i], probability[0]);
			double b = svm_predict_probability(read, r.x[i], probability[1]);

			CHECK(a == b, "-s %d: %.17g, not %.17g", s, b, a);
			CHECK(probability[0][0] == probability[1][0], "-s %d", s);
			CHECK(s > NU_SVC || fabs(probability[0][0] + probability[0][1] +
						 probability[0][2] - 1) < 1e-9,
			      "probabilities do not add up to 1");
		}
		svm_free_and_destroy_model(&m);
		svm_free_and_destroy_model(&read);
	}
	CHECK(!svm_load_model("missing") && was_told("svm_load_model: "), "%s", last_message());
	CHECK(svm_save_model("no/folder", NULL) == -1, "no model is written");
	was_told("");
}

static void test_missing(void)
{
	static struct rows r;
	struct svm_parameter param = parameter(C_SVC, RBF);
	struct svm_problem none = { 0, NULL, NULL };
	struct svm_model empty = { 0 }, *m = NULL;
	double target[N];

	make_rows(&r);
	CHECK(!svm_train(NULL, &param) && !svm_train(&r.prob, NULL), "trained");
	CHECK(!svm_train(&none, &param), "trained on nothing");
	svm_cross_validation(NULL, &param, 2, target);
	svm_cross_validation(&r.prob, NULL, 2, target);
	svm_cross_validation(&r.prob, &param, 2, NULL);
	svm_cross_validation(&r.prob, &param, 0, target);
	CHECK(isnan(target[0]), "no folds, and a prediction");
	CHECK(isnan(svm_predict(NULL, r.x[0])) && isnan(svm_predict(&empty, r.x[0])), "predicted");
	CHECK(svm_save_model("none", &empty) == -1 && svm_save_model(NULL, &empty) == -1, "saved");
	CHECK(!svm_load_model(NULL), "loaded");
	CHECK(svm_check_parameter(NULL, NULL) != NULL, "no parameters are good");
	CHECK(!svm_check_parameter(NULL, &param), "%s", svm_check_parameter(NULL, &param));
	CHECK(svm_check_probability_model(NULL) == 0 && svm_get_nr_class(NULL) == 0, "NULL");
	svm_get_labels(NULL, NULL);
	svm_get_sv_indices(&empty, NULL);
	svm_destroy_param(NULL);
	svm_free_model_content(NULL);
	svm_free_and_destroy_model(NULL);
	svm_free_and_destroy_model(&m);
	m = svm_train(&r.prob, &param);
	CHECK(isnan(svm_predict(m, NULL)), "a row that is not there is predicted");
	svm_free_model_content(m);
	svm_free_model_content(m);
	CHECK(isnan(svm_predict(m, r.x[0])), "a model that was freed predicts");
	svm_free_and_destroy_model(&m);
	was_told("");
}

static void test_parameters(void)
{
	static struct rows r;
	struct svm_parameter param = parameter(NU_SVC, RBF);

	make_rows(&r);
	for (int i = 0; i < N; i++)
		r.y[i] = i < N / 10;
	CHECK(strcmp(svm_check_parameter(&r.prob, &param), "specified nu is infeasible") == 0,
	      "nu = %g", param.nu);
	CHECK(!svm_train(&r.prob, &param) && was_told("specified nu is infeasible"), "%s",
	      last_message());
	param.eps = 0;
	CHECK(strcmp(svm_check_parameter(&r.prob, &param), "eps <= 0") == 0, "eps 0");
	CHECK(!svm_train(&r.prob, &param) && was_told("eps <= 0"), "%s", last_message());
	for (int k = 0; k < 2; k++) {
		param.eps = k ? NAN : INFINITY;
		CHECK(svm_check_parameter(&r.prob, &param), "eps %g", param.eps);
	}
}

/* ---- threads ---- */

enum { N_THREADS = 20, N_PHASES = 6 };

struct shared {
	const struct rows *rows;
	const struct svm_model *model;
	double value[N][N_CLASS];
	/* by threads that predict, before and after each edit of the model */
	pthread_barrier_t edit;
};

static void *predict_all(void *arg)
{
	const struct shared *s = arg;

	for (int k = 0; k < 20; k++)
		for (int i = 0; i < N; i++) {
			double value[N_CLASS];

			svm_predict_values(s->model, s->rows->x[i], value);
			CHECK(memcmp(value, s->value[i], sizeof(value)) == 0, "row %d", i);
		}
	return NULL;
}

/* Predicts in each phase between two edits; the rows' values are those of the phase. */
static void *predict_edited(void *arg)
{
	struct shared *s = arg;

	for (int phase = 0; phase < N_PHASES; phase++) {
		pthread_barrier_wait(&s->edit);
		predict_all(arg);
		pthread_barrier_wait(&s->edit);
	}
	return NULL;
}

static void note_values(struct shared *s)
{
	for (int i = 0; i < N; i++)
		svm_predict_values(s->model, s->rows->x[i], s->value[i]);
}

/* A model that is edited while no thread predicts; each edit changes some row's values. */
static void test_threads_and_edits(void)
{
	static struct rows r;
	static struct shared s;
	struct svm_model *m = dense_model(&r, RBF);
	pthread_t thread[N_THREADS];

	if (!m)
		return;
	s.rows = &r;
	s.model = m;
	pthread_barrier_init(&s.edit, NULL, N_THREADS + 1);
	for (int i = 0; i < N_THREADS; i++)
		pthread_create(&thread[i], NULL, predict_edited, &s);
	for (int phase = 0; phase < N_PHASES; phase++) {
		const double before = s.value[0][0];

		m->SV[phase * 7][phase].value += 1;
		m->sv_coef[0][phase] *= 2;
		m->rho[0] -= 0.5;
		m->param.gamma *= 1.5;
		note_values(&s);
		CHECK(s.value[0][0] != before, "phase %d: an edit changes nothing", phase);
		pthread_barrier_wait(&s.edit);
		pthread_barrier_wait(&s.edit);
	}
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&s.edit);
	svm_free_and_destroy_model(&m);
}

static void *train_one(void *arg)
{
	const struct shared *s = arg;
	struct svm_parameter param = parameter(C_SVC, RBF);
	struct svm_model *m;

	for (int k = 0; k < 3; k++) {
		m = svm_train(&s->rows->prob, &param);
		CHECK(m && m->l == s->model->l &&
			      memcmp(m->sv_coef[0], s->model->sv_coef[0],
				     (size_t)m->l * sizeof(double)) == 0,
		      "a training at the same time has another result");
		svm_free_and_destroy_model(&m);
	}
	return NULL;
}

/* Number of whole lines of objects in the file of certificates. */
static int count_certificates(const char *file)
{
	FILE *lines = fopen(file, "r");
	char *line = NULL;
	size_t size = 0;
	ssize_t length;
	int n = 0;

	while (lines && (length = getline(&line, &size, lines)) > 0) {
		CHECK(strncmp(line, "{\"schema_version\": 1,", 20) == 0 &&
			      strcmp(line + length - 4, "}]}\n") == 0 &&
			      strstr(line, "\"classes\": 3"),
		      "line %d: %s", n + 1, line);
		n++;
	}
	free(line);
	if (lines)
		fclose(lines);
	return n;
}

static void ignore_message(const char *text)
{
	(void)text;
}

static void test_threads(void)
{
	static struct rows r;
	static struct shared s;
	struct svm_parameter param = parameter(C_SVC, RBF);
	struct svm_model *m;
	pthread_t thread[N_THREADS + 2];

	svm_set_print_string_function(ignore_message);
	setenv("RANDSVM_CERTIFICATES", "certificates", 1);
	make_rows(&r);
	m = svm_train(&r.prob, &param);
	s.rows = &r;
	s.model = m;
	note_values(&s);
	for (int i = 0; i < N_THREADS + 2; i++)
		pthread_create(&thread[i], NULL, i < N_THREADS ? predict_all : train_one, &s);
	for (int i = 0; i < N_THREADS + 2; i++)
		pthread_join(thread[i], NULL);
	svm_free_and_destroy_model(&m);
	CHECK(count_certificates("certificates") == 1 + 2 * 3, "%d certificates",
	      count_certificates("certificates"));
	unsetenv("RANDSVM_CERTIFICATES");
}

/*
 * Errors never go to the print function: svmutil's ends with the parameters that it was set for, and a
 * later call would call what is no longer there.
 */
static void gone(const char *text)
{
	CHECK(false, "an error goes to the print function: %s", text);
}

static void test_print_function(void)
{
	static struct rows r;
	struct svm_parameter param = parameter(C_SVC, RBF);

	make_rows(&r);
	svm_set_print_string_function(gone);
	CHECK(!svm_load_model("missing") && was_told("ERROR: svm_load_model: "), "%s",
	      last_message());
	r.y[3] = 1e300;
	CHECK(!svm_train(&r.prob, &param) && was_told("ERROR: svm_train: "), "%s", last_message());
	svm_set_print_string_function(note_message);
}

int main(void)
{
	FILE *real = stderr;

	stderr = open_memstream(&errors, &n_errors);
	svm_set_print_string_function(note_message);
	/* for callers who have 0/0 and 1/0 end the program */
	feenableexcept(FE_DIVBYZERO | FE_INVALID);
	test_machines();
	test_precomputed();
	fedisableexcept(FE_DIVBYZERO | FE_INVALID);
	test_order();
	test_large();
	test_bad_rows();
	test_indices_below_zero();
	test_edits();
	test_tile_copies();
	test_dense_edits();
	test_files();
	test_missing();
	test_parameters();
	test_print_function();
	test_threads();
	test_threads_and_edits();
	fclose(stderr);
	free(errors);
	stderr = real;
	return unit_report("shim");
}

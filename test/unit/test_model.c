/*
 * test_model.c - model files of every kind, whole and damaged
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include "base/mem_bound.h"
#include "csr_check.h"
#include "failing.h"
#include "io/input.h"
#include "io/output.h"
#include "model/compact.h"
#include "model/model.h"
#include "unit.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define HAS_ASAN
#endif

enum { TEXT_SIZE = 1 << 21 };

static char text[TEXT_SIZE], expected[TEXT_SIZE];

/* ---- Samples, as the programs write them ---- */

static const char three_classes[] = "svm_type c_svc\n"
				    "kernel_type rbf\n"
				    "gamma 0.076923076923076927\n"
				    "nr_class 3\n"
				    "total_sv 5\n"
				    "rho -0.40625 1.5 0\n"
				    "label 3 -1 2\n"
				    "probA -1.6840000000000002 -2 -3\n"
				    "probB -0.054170791243250346 0 1\n"
				    "nr_sv 2 1 2\n"
				    "SV\n"
				    "1 0 1:0.708333 2:1 13:-1 \n"
				    "0.5 0.25 \n"
				    "-1 0.125 0:3 2147483647:1e-05 \n"
				    "-0.5 1 5:-0 6:1.2345678e+300 \n"
				    "0 -1 7:4.9406565e-324 \n";

static const char polynomial[] =
	"svm_type nu_svc\nkernel_type polynomial\ndegree 3\ngamma 0.5\ncoef0 -1\nnr_class 2\n"
	"total_sv 2\nrho 0.25\nlabel 1 -1\nnr_sv 1 1\nSV\n1 1:2 \n-1 1:-0.5 2:3 \n";

static const char sigmoid[] =
	"svm_type c_svc\nkernel_type sigmoid\ngamma 0.5\ncoef0 0\nnr_class 2\n"
	"total_sv 1\nrho 0.25\nlabel 0 1\nnr_sv 1 0\nSV\n1 1:2 \n";

static const char precomputed[] =
	"svm_type c_svc\nkernel_type precomputed\nnr_class 2\ntotal_sv 2\nrho 0.25\nlabel 1 -1\n"
	"nr_sv 1 1\nSV\n0.75 0:3 \n-0.75 0:2147483647 \n";

static const char regression[] =
	"svm_type epsilon_svr\nkernel_type linear\nnr_class 2\ntotal_sv 3\nrho -7.25\n"
	"probA 0.5\nSV\n1 1:2 \n-0.5 1:-0.5 2:3 \n-0.5 \n";

static const char nu_regression[] =
	"svm_type nu_svr\nkernel_type rbf\ngamma 2\nnr_class 2\ntotal_sv 0\nrho -7.25\nSV\n";

static const char one_class[] =
	"svm_type one_class\nkernel_type rbf\ngamma 2\nnr_class 2\ntotal_sv 2\nrho 1.5\n"
	"prob_density_marks -3 -2 -1 -0.5 0 1 2 3 4 5\nSV\n1 1:2 \n0.5 2:1 \n";

static const char single_class[] =
	"svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 1\ntotal_sv 0\nrho\nlabel 1\n"
	"probA\nprobB\nnr_sv 0\nSV\n";

static const char linear_two[] =
	"solver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias -1\nw\n"
	"0.5 \n-0.25 \n0 \n";

static const char linear_three[] =
	"solver_type L2R_LR\nnr_class 3\nlabel 1 2 3\nnr_feature 2\nbias 1\nw\n"
	"0.5 1 2 \n-0.25 0 1 \n0 1e-300 -1 \n";

static const char linear_mcsvm[] =
	"solver_type MCSVM_CS\nnr_class 2\nlabel 1 2\nnr_feature 2\nbias 0.5\nw\n"
	"0.5 1 \n-0.25 0 \n0 1 \n";

static const char linear_sigmoids[] =
	"solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 4\nlabel 1 2 3 7\nnr_feature 1\nbias 1\nw\n"
	"0.5 1 2 4 \n0 1e-300 -1 0 \nprobA -1 -0.5 -2 0.25\nprobB 0 1e-300 1 2\n";

static const char linear_regression[] =
	"solver_type L2R_L1LOSS_SVR_DUAL\nnr_class 2\nnr_feature 2\nbias -1\nw\n0.5 \n1 \n";

static const char linear_one_class[] =
	"solver_type ONECLASS_SVM\nnr_class 2\nnr_feature 2\nbias -1\nrho 0.75\nw\n0.5 \n1 \n";

static const char linear_single[] =
	"solver_type L1R_LR\nnr_class 1\nlabel 1\nnr_feature 1\nbias 0\nw\n0.5 \n1 \n";

static const char *const samples[] = { three_classes,	 polynomial,	sigmoid,
				       precomputed,	 regression,	nu_regression,
				       one_class,	 single_class,	linear_two,
				       linear_three,	 linear_mcsvm,	linear_regression,
				       linear_one_class, linear_single, linear_sigmoids };

enum { N_SAMPLES = sizeof(samples) / sizeof(samples[0]) };

/* ---- Files ---- */

static void give_up(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

/* Overwrites: thousands of new files would take seconds. */
static void write_file(const char *path, const char *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0666);

	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n || ftruncate(fd, (off_t)n) < 0 ||
	    close(fd) < 0)
		give_up(path);
}

static size_t read_file(const char *path, char *bytes)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!f)
		give_up(path);
	n = fread(bytes, 1, TEXT_SIZE - 1, f);
	bytes[n] = '\0';
	fclose(f);
	return n;
}

static int parse_bytes(struct model *m, const char *bytes, size_t n, struct error *err)
{
	*err = (struct error){ 0 };
	write_file("m.model", bytes, n);
	return model_read(m, "m.model", err);
}

static int parse(struct model *m, const char *bytes, struct error *err)
{
	return parse_bytes(m, bytes, strlen(bytes), err);
}

static int write_model(const struct model *m, const char *path, struct error *err)
{
	struct output *output;

	if (output_open(&output, path, false, err) < 0)
		return -1;
	if (model_write(m, output, err) < 0) {
		output_discard(output);
		return -1;
	}
	return output_commit(output, err);
}

/* ---- Equality ---- */

static bool same_bytes(const void *a, const void *b, int64_t n, size_t size)
{
	return !a == !b && (!a || n == 0 || memcmp(a, b, (size_t)n * size) == 0);
}

static bool same_solution(const struct solution *a, const struct solution *b)
{
	int64_t pairs = solution_n_pairs(a->n_class);

	return a->n_class == b->n_class && a->n_sv == b->n_sv &&
	       a->n_density_marks == b->n_density_marks && !a->sv_row && !b->sv_row &&
	       same_bytes(a->n_sv_of_class, b->n_sv_of_class, a->n_class, sizeof(int64_t)) &&
	       same_bytes(a->label, b->label, a->n_class, sizeof(int)) &&
	       same_bytes(a->coef, b->coef, (a->n_class - 1) * a->n_sv, sizeof(double)) &&
	       same_bytes(a->rho, b->rho, pairs, sizeof(double)) &&
	       same_bytes(a->prob_a, b->prob_a, pairs, sizeof(double)) &&
	       same_bytes(a->prob_b, b->prob_b, pairs, sizeof(double)) &&
	       same_bytes(a->density_marks, b->density_marks, a->n_density_marks, sizeof(double));
}

static bool same_matrix(const struct csr *a, const struct csr *b)
{
	int64_t n = csr_n_entries(a);

	return a->n_rows == b->n_rows && a->n_cols == b->n_cols && n == csr_n_entries(b) &&
	       (a->n_rows == 0 ||
		same_bytes(a->row_start, b->row_start, a->n_rows + 1, sizeof(int64_t))) &&
	       (n == 0 || (same_bytes(a->col, b->col, n, sizeof(int32_t)) &&
			   same_bytes(a->val, b->val, n, sizeof(double))));
}

static bool same_linear(const struct linear_model *a, const struct linear_model *b)
{
	int64_t n = (a->n_features + (a->bias >= 0)) * a->n_columns;

	return strcmp(a->solver_type, b->solver_type) == 0 && a->regression == b->regression &&
	       a->one_class == b->one_class && a->logistic == b->logistic &&
	       a->n_class == b->n_class && a->n_features == b->n_features && a->bias == b->bias &&
	       a->rho == b->rho && a->n_columns == b->n_columns &&
	       same_bytes(a->label, b->label, a->n_class, sizeof(int)) &&
	       same_bytes(a->w, b->w, n, sizeof(double)) &&
	       same_bytes(a->prob_a, b->prob_a, a->n_columns, sizeof(double)) &&
	       same_bytes(a->prob_b, b->prob_b, a->n_columns, sizeof(double));
}

static bool same_model(const struct model *a, const struct model *b)
{
	return a->is_linear_model == b->is_linear_model && a->type == b->type &&
	       a->kernel.type == b->kernel.type && a->kernel.degree == b->kernel.degree &&
	       a->kernel.gamma == b->kernel.gamma && a->kernel.coef0 == b->kernel.coef0 &&
	       same_solution(&a->solution, &b->solution) && same_matrix(&a->sv, &b->sv) &&
	       same_linear(&a->linear, &b->linear);
}

static bool is_empty(const struct model *m)
{
	static const struct model empty;

	return memcmp(m, &empty, sizeof(empty)) == 0;
}

/* ---- Whole files ---- */

static void test_round_trips(void)
{
	struct model m, again;
	struct error err;

	for (int i = 0; i < N_SAMPLES; i++) {
		if (!CHECK(parse(&m, samples[i], &err) == 0, "sample %d: %s", i, err.text))
			continue;
		CHECK(csr_check(&m.sv, &err) == 0, "sample %d: %s", i, err.text);
		CHECK(write_model(&m, "again.model", &err) == 0, "sample %d: %s", i, err.text);
		read_file("again.model", text);
		CHECK(strcmp(text, samples[i]) == 0, "sample %d:\n%swritten:\n%s", i, samples[i],
		      text);
		if (CHECK(model_read(&again, "again.model", &err) == 0, "sample %d: %s", i,
			  err.text))
			CHECK(same_model(&m, &again), "sample %d", i);
		model_free(&again);
		model_free(&m);
		CHECK(is_empty(&m), "sample %d", i);
	}
}

static void test_libsvm_content(void)
{
	struct model m;
	struct error err;
	const struct solution *s = &m.solution;

	if (!CHECK(parse(&m, three_classes, &err) == 0, "%s", err.text))
		return;
	CHECK(!m.is_linear_model && m.type == MACHINE_C_SVC && m.kernel.type == KERNEL_RBF &&
		      m.kernel.gamma == 1.0 / 13,
	      "type %d, kernel %d, gamma %g", (int)m.type, (int)m.kernel.type, m.kernel.gamma);
	CHECK(s->n_class == 3 && s->n_sv == 5 && s->n_sv_of_class[2] == 2, "%d classes",
	      s->n_class);
	CHECK(s->label[0] == 3 && s->label[1] == -1, "labels %d %d", s->label[0], s->label[1]);
	CHECK(s->coef[1] == 0.5 && s->coef[4] == 0 && s->coef[5] == 0 && s->coef[9] == -1,
	      "coefficients %g %g %g %g", s->coef[1], s->coef[4], s->coef[5], s->coef[9]);
	CHECK(s->rho[1] == 1.5 && s->prob_a[2] == -3 && s->prob_b[2] == 1, "rho %g", s->rho[1]);
	CHECK(m.sv.n_rows == 5 && m.sv.n_cols == (int64_t)INT32_MAX + 1 && m.sv.row_start[2] == 3,
	      "%" PRId64 " rows", m.sv.n_rows);
	model_free(&m);
	CHECK(parse(&m, regression, &err) == 0, "%s", err.text);
	CHECK(m.type == MACHINE_EPSILON_SVR && !s->label && !s->prob_b && s->prob_a[0] == 0.5 &&
		      s->n_sv_of_class[0] == 3 && s->n_sv_of_class[1] == 0,
	      "type %d", (int)m.type);
	model_free(&m);
	CHECK(parse(&m, one_class, &err) == 0, "%s", err.text);
	CHECK(s->n_density_marks == 10 && s->density_marks[9] == 5, "%d marks", s->n_density_marks);
	model_free(&m);
	CHECK(parse(&m, single_class, &err) == 0, "%s", err.text);
	CHECK(s->n_class == 1 && s->rho && s->prob_a && s->coef && m.sv.n_rows == 0, "%d classes",
	      s->n_class);
	model_free(&m);
}

static void test_liblinear_content(void)
{
	struct model m;
	struct error err;
	const struct linear_model *l = &m.linear;

	if (!CHECK(parse(&m, linear_three, &err) == 0, "%s", err.text))
		return;
	CHECK(m.is_linear_model && l->logistic && !l->regression && !l->one_class &&
		      l->n_class == 3 && l->n_columns == 3 && l->label[2] == 3 &&
		      l->n_features == 2 && l->bias == 1 && l->w[8] == -1,
	      "%s, %d classes", l->solver_type, l->n_class);
	model_free(&m);
	CHECK(parse(&m, linear_one_class, &err) == 0, "%s", err.text);
	CHECK(l->one_class && !l->logistic && !l->label && l->rho == 0.75 && l->n_columns == 1,
	      "%s", l->solver_type);
	model_free(&m);
	CHECK(parse(&m, linear_regression, &err) == 0, "%s", err.text);
	CHECK(l->regression && !l->label && l->n_columns == 1, "%s", l->solver_type);
	model_free(&m);
	CHECK(parse(&m, linear_mcsvm, &err) == 0, "%s", err.text);
	CHECK(!l->logistic && l->n_columns == 2 && l->bias == 0.5, "%s", l->solver_type);
	model_free(&m);
}

/* Texts that say the same as three_classes[]: other writers, other editors. */
static const char *const same_as_three_classes[] = {
	"nr_class 3\nkernel_type rbf\nrho -.40625 15e-1 0x0\ncoef0 4\nnr_sv 2 1 2\ntotal_sv 5\n"
	"label 3 -1 +2\nsvm_type c_svc\nprobB -0.054170791243250346 0 1\ndegree 2\n"
	"probA -1.6840000000000002 -2 -3\n gamma\t0.076923076923076927 \nSV \n"
	"1 0 1:0.708333 2:1 13:-1\n0.5 0.25\n-1 0.125 0:3 2147483647:1e-05\n"
	"-0.5 1 5:-0 6:1.2345678e+300\n0 -1 7:4.9406565e-324\n",
	"\n\nsvm_type c_svc\nkernel_type rbf\ngamma 0.076923076923076927\n\nnr_class 3\n"
	"total_sv 5\nrho -0.40625 1.5 0 \nlabel 3 -1 2 \nprobA -1.6840000000000002 -2 -3 \n"
	"probB -0.054170791243250346 0 1\nnr_sv 2 1 2 \nSV\n"
	"1 0  1:0.708333\t2:1 13:-1.0 \n0.5 0.25 \n \n-1 0.125 00:3 2147483647:1e-05 \n"
	"-0.5 1 5:-0 6:1.2345678e+300 \n0 -1 7:4.9406565e-324 \n\n \t\r\n\n",
};

/* 'name' holds what three_classes[] says. */
static void check_same_as_three_classes(const char *name)
{
	struct model m, other;
	struct error err;

	CHECK(parse(&m, three_classes, &err) == 0, "%s", err.text);
	if (CHECK(model_read(&other, name, &err) == 0, "%s", err.text))
		CHECK(same_model(&m, &other), "%s", name);
	model_free(&other);
	model_free(&m);
}

static void test_other_spellings(void)
{
	char *to = text;
	gzFile gz;

	for (int i = 0; i < 2; i++) {
		write_file("other.model", same_as_three_classes[i],
			   strlen(same_as_three_classes[i]));
		check_same_as_three_classes("other.model");
	}
	for (const char *p = three_classes; *p; p++) {
		if (*p == '\n')
			*to++ = '\r';
		*to++ = *p;
	}
	write_file("crlf.model", text, (size_t)(to - text));
	check_same_as_three_classes("crlf.model");
	gz = gzopen("packed.model", "wb");
	if (!gz || gzputs(gz, three_classes) < 0 || gzclose(gz) != Z_OK)
		give_up("packed.model");
	check_same_as_three_classes("packed.model");
}

/* Every word once falls on the boundary between two buffers full. */
static void test_buffer_boundaries(void)
{
	const char *sv = strstr(three_classes, "SV\n");
	size_t head = (size_t)(sv - three_classes), tail = strlen(sv);

	memcpy(text, three_classes, head);
	for (size_t n = (1 << 18) - 450; n < (1 << 18) + 10; n++) {
		memset(text + head, n % 2 ? ' ' : '\n', n - head);
		memcpy(text + n, sv, tail);
		write_file("wide.model", text, n + tail);
		check_same_as_three_classes("wide.model");
	}
}

/* ---- What is refused ---- */

/* 'from' in 'sample' replaced by 'to' makes it fail with 'message' after "m.model:". */
static const struct defect {
	const char *sample, *from, *to, *message;
} defects[] = {
	/* keys */
	{ three_classes, "gamma", "gammma", "3: unknown key 'gammma'" },
	{ three_classes, "gamma", "gam\tma", "3: unknown key 'gam'" },
	{ three_classes, "nr_class", "gamma 1\nnr_class", "4: repeated key 'gamma'" },
	{ three_classes, "svm_type c_svc\n", "", "10: key 'svm_type' is missing" },
	{ three_classes, "kernel_type rbf\n", "", "10: key 'kernel_type' is missing" },
	{ three_classes, "gamma 0.076923076923076927\n", "", "10: key 'gamma' is missing" },
	{ three_classes, "nr_class 3\n", "", "5: key 'nr_class' must come before 'rho'" },
	{ three_classes, "total_sv 5\n", "", "10: key 'total_sv' is missing" },
	{ three_classes, "rho -0.40625 1.5 0\n", "", "10: key 'rho' is missing" },
	{ three_classes, "label 3 -1 2\n", "", "10: key 'label' is missing" },
	{ three_classes, "nr_sv 2 1 2\n", "", "10: key 'nr_sv' is missing" },
	{ three_classes, "probA -1.6840000000000002 -2 -3\n", "", "10: key 'probA' is missing" },
	{ three_classes, "probB -0.054170791243250346 0 1\n", "", "10: key 'probB' is missing" },
	{ three_classes, "rbf", "polynomial\ncoef0 0", "12: key 'degree' is missing" },
	{ three_classes, "rbf", "sigmoid", "11: key 'coef0' is missing" },
	{ three_classes, "label", "bias 1\nlabel",
	  "12: key 'bias' has no place in a model of type c_svc" },
	{ three_classes, "SV\n", "prob_density_marks 1 2 3 4 5 6 7 8 9 10\nSV\n",
	  "12: key 'prob_density_marks' has no place in a model of type c_svc" },
	{ three_classes, "SV\n", "w\n", "11: key 'solver_type' is missing" },
	{ regression, "SV\n", "probB 1\nSV\n",
	  "8: key 'probB' has no place in a model of type epsilon_svr" },
	{ regression, "SV\n", "label 1 2\nSV\n",
	  "8: key 'label' has no place in a model of type epsilon_svr" },
	{ one_class, "SV\n", "probA 1\nSV\n",
	  "9: key 'probA' has no place in a model of type one_class" },
	{ one_class, "SV\n", "nr_sv 1 1\nSV\n",
	  "9: key 'nr_sv' has no place in a model of type one_class" },
	{ linear_two, "bias -1\n", "", "5: key 'bias' is missing" },
	{ linear_two, "label 1 -1\n", "", "5: key 'label' is missing" },
	{ linear_two, "nr_feature 3\n", "", "5: key 'nr_feature' is missing" },
	{ linear_two, "w\n", "rho 1\nw\n",
	  "7: key 'rho' has no place in a model of type L2R_L2LOSS_SVC_DUAL" },
	{ linear_one_class, "rho 0.75\n", "", "5: key 'rho' is missing" },
	{ three_classes, "SV\n1", "SV 1", "11: text after 'SV'" },
	/* values */
	{ three_classes, "c_svc", "d_svc", "1: unknown svm_type 'd_svc'" },
	{ three_classes, "rbf", "rbfs", "2: unknown kernel_type 'rbfs'" },
	{ linear_two, "L2R_L2", "L2R_L3", "1: unknown solver_type 'L2R_L3LOSS_SVC_DUAL'" },
	{ three_classes, "c_svc", "", "1: svm_type: 0 values, 1 expected" },
	{ three_classes, "c_svc", "c_svc 1", "1: svm_type: 2 values, 1 expected" },
	{ three_classes, "nr_class 3", "nr_class", "4: nr_class: 0 values, 1 expected" },
	{ three_classes, "0.076923076923076927", "1 2 3", "3: gamma: 3 values, 1 expected" },
	{ three_classes, "0.076923076923076927", "0,5", "3: gamma: '0,5' is not a number" },
	{ three_classes, "0.076923076923076927", "nan", "3: gamma: 'nan' is not finite" },
	{ three_classes, "0.076923076923076927", "1e999", "3: gamma: '1e999' is not finite" },
	{ three_classes, "1.5 0\n", "1.5\n", "6: rho: 2 values, 3 expected" },
	{ three_classes, "1.5 0\n", "1.5 0 0 0\n", "6: rho: 5 values, 3 expected" },
	{ three_classes, "rho -0.40625", "rho -inf", "6: rho: '-inf' is not finite" },
	{ three_classes, "label 3 -1 2", "label 3 -1", "7: label: 2 values, 3 expected" },
	{ three_classes, "label 3 -1 2", "label 3 -1 2.5",
	  "7: label: '2.5' is not an integer from -2147483648 to 2147483647" },
	{ three_classes, "label 3 -1 2", "label 3 -1 2147483648",
	  "7: label: '2147483648' is not an integer from -2147483648 to 2147483647" },
	{ three_classes, "label 3 -1 2", "label 3 - 2",
	  "7: label: '-' is not an integer from -2147483648 to 2147483647" },
	{ three_classes, "label 3 -1 2", "label 3 -1 3", "11: label 3 stands for two classes" },
	{ three_classes, "nr_class 3", "nr_class 0",
	  "4: nr_class: '0' is not an integer from 1 to 2147483647" },
	{ three_classes, "nr_class 3", "nr_class 4294967299",
	  "4: nr_class: '4294967299' is not an integer from 1 to 2147483647" },
	{ three_classes, "nr_class 3", "nr_class 100000", "6: rho: 3 values, 4999950000 expected" },
	{ three_classes, "total_sv 5", "total_sv 18446744073709551621",
	  "5: total_sv: '18446744073709551621' is not an integer from 0 to 9223372036854775807" },
	{ three_classes, "total_sv 5", "total_sv 6", "11: nr_sv adds up to 5, total_sv is 6" },
	{ three_classes, "nr_sv 2 1 2", "nr_sv 2 9223372036854775807 2",
	  "11: nr_sv adds up to more than total_sv" },
	{ three_classes, "nr_sv 2 1 2", "nr_sv 4 -1 2",
	  "10: nr_sv: '-1' is not an integer from 0 to 9223372036854775807" },
	{ three_classes, "gamma 0.07", "gamma -0.07", "11: gamma is -0.0769231" },
	{ polynomial, "degree 3", "degree -3",
	  "3: degree: '-3' is not an integer from 0 to 2147483647" },
	{ single_class, "total_sv 0", "total_sv 1", "11: nr_sv adds up to 0, total_sv is 1" },
	{ single_class, "total_sv 0\nrho\nlabel 1\nprobA\nprobB\nnr_sv 0",
	  "total_sv 1\nrho\nlabel 1\nnr_sv 1",
	  "9: a single class has no support vectors, total_sv is 1" },
	{ one_class, "4 5\n", "4\n", "7: prob_density_marks: 9 values, 10 expected" },
	{ regression, "nr_class 2\ntotal_sv 3\nrho -7.25\nprobA 0.5",
	  "nr_class 3\ntotal_sv 3\nrho -7.25 1 2\nprobA 0.5 1 2",
	  "7: nr_class is 3; a model of type epsilon_svr has 2" },
	{ linear_regression, "nr_class 2", "nr_class 1",
	  "5: nr_class is 1; a model of type L2R_L1LOSS_SVR_DUAL has 2" },
	{ linear_one_class, "nr_feature 2", "nr_feature -2",
	  "3: nr_feature: '-2' is not an integer from 0 to 2147483647" },
	{ linear_two, "bias -1", "bias -", "5: bias: '-' is not a number" },
	/* support vectors */
	{ polynomial, "-1 1:-0.5 2:3 \n", "", "12: 2 support vectors promised, 1 found" },
	{ polynomial, "-1 1:-0.5 2:3 \n", "\n\n", "12: 2 support vectors promised, 1 found" },
	{ polynomial, "-0.5 2:3 \n", "-0.5\n1 2:3\n",
	  "14: text after the 2 support vectors promised" },
	{ polynomial, "-0.5 2:3 \n", "-0.5\nx", "14: text after the 2 support vectors promised" },
	{ polynomial, "1 1:2 \n", "1:2 \n", "12: coefficients: '1:2' is not a number" },
	{ polynomial, "1 1:2 \n", "nan 1:2 \n", "12: coefficients: 'nan' is not finite" },
	{ polynomial, "1 1:2 \n", "1 1 1:2 \n", "12: expected index:value, got '1'" },
	{ three_classes, "0.5 0.25 \n", "0.5 \n", "13: coefficients: 1 in this line, 2 expected" },
	{ polynomial, "1 1:2 \n", "1 1:2 junk \n", "12: expected index:value, got 'junk'" },
	{ polynomial, "1 1:2 \n", "1 1:2 2:\n", "12: value: '2:' is not a number" },
	{ polynomial, "1 1:2 \n", "1 1:2 2: 3\n", "12: value: '2:' is not a number" },
	{ polynomial, "1 1:2 \n", "1 1:2 :3\n", "12: expected index:value, got ':3'" },
	{ polynomial, "1 1:2 \n", "1 1:2 -3:3\n", "12: expected index:value, got '-3:3'" },
	{ polynomial, "1 1:2 \n", "1 1:2x\n", "12: value: '1:2x' is not a number" },
	{ polynomial, "1 1:2 \n", "1 1:inf\n", "12: value: '1:inf' is not finite" },
	{ polynomial, "1 1:2 \n", "1 2:2 2:3\n", "12: feature 2 after 2; indices must ascend" },
	{ polynomial, "1 1:2 \n", "1 5:2 2:3\n", "12: feature 2 after 5; indices must ascend" },
	{ polynomial, "1 1:2 \n", "1 2147483648:2\n", "12: '2147483648:2': index too large" },
	{ polynomial, "1 1:2 \n", "1 18446744073709551617:2\n",
	  "12: '18446744073709551617:2': index too large" },
	{ polynomial, "1 1:2 \n", "1 1:2 # tail\n", "12: expected index:value, got '#'" },
	{ precomputed, "0.75 0:3", "0.75 1:3",
	  "9: expected 0:serial_number, for a precomputed kernel" },
	{ precomputed, "0.75 0:3", "0.75 0:3 1:1",
	  "9: expected 0:serial_number, for a precomputed kernel" },
	{ precomputed, "0.75 0:3", "0.75",
	  "9: expected 0:serial_number, for a precomputed kernel" },
	{ precomputed, "0.75 0:3", "0.75 0:3.5",
	  "9: expected 0:serial_number, for a precomputed kernel" },
	{ precomputed, "0.75 0:3", "0.75 0:0",
	  "9: expected 0:serial_number, for a precomputed kernel" },
	/* weights */
	{ linear_two, "0 \n", "", "8: 3 rows of weights promised, 2 found" },
	{ linear_two, "0 \n", "0 \n1 \n", "10: text after the 3 rows of weights promised" },
	{ linear_two, "0 \n", "0 1 \n", "9: weights: more in this line than 1" },
	{ linear_three, "0.5 1 2 \n", "0.5 1 \n", "7: weights: 2 in this line, 3 expected" },
	{ linear_two, "-0.25", "1:-0.25", "8: weights: '1:-0.25' is not a number" },
	{ linear_two, "-0.25", "nan", "8: weights: 'nan' is not finite" },
	{ linear_two, "bias -1", "bias 1", "9: 4 rows of weights promised, 3 found" },
	{ linear_sigmoids, "probA -1", "probA", "9: probA: 3 values, 4 expected" },
	{ linear_sigmoids, "probB 0 1e-300 1 2\n", "", "9: key 'probB' is missing" },
	{ linear_sigmoids, "probA -1 -0.5 -2 0.25\n", "",
	  "9: text after the 2 rows of weights promised" },
	{ linear_sigmoids, "1 2\n", "1 2\n\nprobA 1\n",
	  "12: text after the 2 rows of weights promised" },
	{ linear_sigmoids, "L1LOSS_SVC_DUAL", "LR",
	  "9: key 'probA' has no place in a model of type L2R_LR" },
	/* ends */
	{ linear_two, "0 \n", "0 ", "9: the line does not end (truncated file?)" },
	{ linear_two, "0 \n", "0", "9: the line does not end (truncated file?)" },
	{ linear_two, "w\n0.5 \n-0.25 \n0 \n", "", "5: the header ends without 'SV' or 'w'" },
};

static void test_defects(void)
{
	struct model m;
	struct error err;

	for (size_t i = 0; i < sizeof(defects) / sizeof(defects[0]); i++) {
		const struct defect *d = &defects[i];
		const char *at = strstr(d->sample, d->from);

		if (!CHECK(at, "'%s' is not in the sample", d->from))
			continue;
		sprintf(text, "%.*s%s%s", (int)(at - d->sample), d->sample, d->to,
			at + strlen(d->from));
		CHECK(parse(&m, text, &err) == -1, "'%s' for '%s' passed", d->to, d->from);
		CHECK(err.code == ERR_FORMAT, "code %d: %s", (int)err.code, err.text);
		CHECK(strncmp(err.text, "m.model:", 8) == 0 &&
			      strcmp(err.text + 8, d->message) == 0,
		      "%s\ninstead of %s", err.text, d->message);
		CHECK(is_empty(&m), "'%s' for '%s' left something", d->to, d->from);
	}
}

static void test_no_model(void)
{
	struct model m;
	struct error err = { 0 };

	CHECK(model_read(&m, "nothing.model", &err) == -1 && err.code == ERR_IO && is_empty(&m),
	      "%s", err.text);
	CHECK(parse(&m, "", &err) == -1 &&
		      strcmp(err.text, "m.model:1: the header ends without 'SV' or 'w'") == 0,
	      "%s", err.text);
	CHECK(parse_bytes(&m, "a\0\1b c\n", 7, &err) == -1 &&
		      strcmp(err.text, "m.model:1: unknown key 'a??b'") == 0,
	      "%s", err.text);
	memset(text, '1', 1 << 20);
	memcpy(text, "total_sv ", 9);
	CHECK(parse_bytes(&m, text, 1 << 20, &err) == -1 &&
		      strcmp(err.text, "m.model:1: word of more than 2048 bytes") == 0,
	      "%s", err.text);
	memcpy(text, "bias 0.11", 9);
	CHECK(parse_bytes(&m, text, 1 << 20, &err) == -1 &&
		      strcmp(err.text, "m.model:1: word of more than 2048 bytes") == 0,
	      "%s", err.text);
}

/* Either an error, or nothing but blanks was lost. */
static void check_truncated(const char *sample)
{
	size_t size = (size_t)sprintf(text, "%s\n \n", sample);
	struct model whole, m;
	struct error err;

	CHECK(parse(&whole, sample, &err) == 0, "%s", err.text);
	for (size_t n = 0; n < size; n++) {
		bool passed = parse_bytes(&m, text, n, &err) == 0;

		/* probabilities are behind what LIBLINEAR reads, and a cut before them leaves a model */
		if (passed && whole.linear.prob_a && text[n - 1] == '\n' && text[n] == 'p') {
			model_free(&m);
			continue;
		}
		CHECK(passed == (n >= size - 3), "%zu bytes of\n%s%s", n, sample, err.text);
		CHECK(passed ? same_model(&m, &whole) : is_empty(&m), "%zu bytes of\n%s", n,
		      sample);
		model_free(&m);
	}
	model_free(&whole);
}

static void test_truncation(void)
{
	for (int i = 0; i < N_SAMPLES; i++)
		check_truncated(samples[i]);
}

/* A compressed file that ends too early; a disk that is full. */
static void test_failing_files(void)
{
	struct model m;
	struct error err;
	gzFile gz = gzopen("packed.model", "wb");
	size_t size;

	if (!gz || gzprintf(gz, "%s", three_classes) < 0)
		give_up("packed.model");
	for (int i = 0; i < 600000; i++)
		gzputc(gz, '\n');
	if (gzclose(gz) != Z_OK)
		give_up("packed.model");
	size = read_file("packed.model", text);
	for (size_t n = 1; n < size; n++) {
		err = (struct error){ 0 };
		write_file("cut.model", text, n);
		CHECK(model_read(&m, "cut.model", &err) == -1 && err.code == ERR_FORMAT &&
			      strncmp(err.text, "cut.model: ", 11) == 0 && is_empty(&m),
		      "%zu bytes: %s", n, err.text);
	}
	CHECK(parse(&m, three_classes, &err) == 0, "%s", err.text);
	CHECK(write_model(&m, "/dev/full", &err) < 0 && err.code == ERR_IO, "%s", err.text);
	model_free(&m);
}

/* What a header claims must not be asked of the system before the bytes are there. */
static const struct defect absurd[] = {
	{ three_classes, "total_sv 5\n", "total_sv 1099511627776\n", NULL },
	{ three_classes, "nr_class 3\n", "nr_class 2147483647\n", NULL },
	{ three_classes, "nr_class 3\n", "nr_class 100000\n", NULL },
	{ regression, "total_sv 3\n", "total_sv 9223372036854775807\n", NULL },
	{ linear_two, "nr_feature 3\n", "nr_feature 2147483647\n", NULL },
	{ linear_three, "nr_class 3\n", "nr_class 2147483647\n", NULL },
	{ linear_one_class, "nr_class 2\n", "nr_class 2147483647\n", NULL },
};

static void test_absurd_sizes(void)
{
	struct rlimit before, low;
	struct model m;
	struct error err;

	getrlimit(RLIMIT_AS, &before);
	low = before;
#ifndef HAS_ASAN
	low.rlim_cur = 1 << 28;
#endif
	setrlimit(RLIMIT_AS, &low);
	for (size_t i = 0; i < sizeof(absurd) / sizeof(absurd[0]); i++) {
		const struct defect *d = &absurd[i];
		const char *at = strstr(d->sample, d->from);

		sprintf(text, "%.*s%s%s", (int)(at - d->sample), d->sample, d->to,
			at + strlen(d->from));
		CHECK(parse(&m, text, &err) == -1 && err.code == ERR_FORMAT && is_empty(&m),
		      "%s: %s", d->to, err.text);
	}
	setrlimit(RLIMIT_AS, &before);
}

/* ---- Memory that runs out ---- */

static void test_out_of_memory(void)
{
	struct model m;
	struct error err = { 0 };
	int ret;

	for (int i = 0; i < N_SAMPLES; i++) {
		ret = -1;
		write_file("m.model", samples[i], strlen(samples[i]));
		for (int n = 0; ret < 0 && n < 1000; n++) {
			err = (struct error){ 0 };
			mem_fail_after(n);
			ret = model_read(&m, "m.model", &err);
			mem_fail_after(-1);
			CHECK(ret == 0 || err.code == ERR_MEMORY, "sample %d, %d: %s", i, n,
			      err.text);
			CHECK(ret == 0 || is_empty(&m), "sample %d, %d", i, n);
		}
		CHECK(ret == 0, "sample %d: %s", i, err.text);
		ret = -1;
		for (int n = 0; ret < 0 && n < 1000; n++) {
			err = (struct error){ 0 };
			mem_fail_after(n);
			ret = write_model(&m, "again.model", &err);
			mem_fail_after(-1);
			CHECK(ret == 0 || err.code == ERR_MEMORY, "sample %d, %d: %s", i, n,
			      err.text);
		}
		CHECK(ret == 0, "sample %d: %s", i, err.text);
		model_free(&m);
	}
}

/* ---- Writing ---- */

static uint64_t random_bits(void)
{
	static uint64_t state = 1;

	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return state ^ state >> 29;
}

/* Short decimals, ties of the eighth digit, all magnitudes, any finite double. */
static double random_value(int kind)
{
	uint64_t bits = random_bits();
	double n = (double)(bits % 100000000), value;

	switch (kind % 6) {
	case 0:
		return (double)(int64_t)(bits % 512) - 256;
	case 1:
		return n / pow(10, (double)(bits >> 60));
	case 2:
		return -(n + 0.5) / pow(10, (double)(bits >> 59));
	case 3:
		return n / 255;
	case 4:
		value = pow(10, (double)(bits >> 60) - 6);
		return kind & 64 ? nextafter(value, 0) : kind & 128 ? nextafter(value, 1e9) : value;
	default:
		memcpy(&value, &bits, sizeof(value));
		return isfinite(value) ? value : -0.0;
	}
}

/* Digits of a decimal without zeros in front and at the end. */
static int count_digits(const char *text)
{
	int n = 0, zeros = 0;

	for (; *text && strchr("-.0123456789", *text); text++) {
		if (!isdigit((unsigned char)*text) || (n == 0 && *text == '0'))
			continue;
		n++;
		zeros = *text == '0' ? zeros + 1 : 0;
	}
	return n - zeros;
}

/* A value as %.8g where that reads back, or must do; else as some shortest decimal that does. */
static void check_value(const struct model *m, int64_t k, const char *text)
{
	const double value = m->sv.val[k];
	char plain[40], entry[60];
	int n = 9;

	sprintf(plain, "%.8g", value);
	if (m->eight_digits || strtod(plain, NULL) == value) {
		sprintf(entry, "%d:%s", m->sv.col[k], plain);
		CHECK(strcmp(text, entry) == 0, "%s for %s", text, entry);
		return;
	}
	while (sprintf(plain, "%.*g", n, value) && strtod(plain, NULL) != value)
		n++;
	CHECK(atoi(text) == m->sv.col[k] && strtod(strchr(text, ':') + 1, NULL) == value &&
		      count_digits(strchr(text, ':') + 1) <= n,
	      "%s for %d:%s", text, m->sv.col[k], plain);
}

static void check_written(const struct model *m, int64_t n)
{
	static const char head[] = "svm_type epsilon_svr\nkernel_type linear\nnr_class 2\n"
				   "total_sv 1\nrho 0.10000000000000001\nSV\n"
				   "0.10000000000000001 ";
	struct error err = { 0 };
	int64_t k = 0;

	CHECK(write_model(m, "values.model", &err) == 0, "%s", err.text);
	read_file("values.model", text);
	CHECK(strncmp(text, head, strlen(head)) == 0, "%.*s", (int)strlen(head), text);
	for (char *at = text + strlen(head); k < n && *at != '\n'; k++) {
		char *end = strchr(at, ' ');

		*end = 0;
		check_value(m, k, at);
		at = end + 1;
	}
	CHECK(k == n, "%" PRId64 " values", k);
}

static void test_values_written(void)
{
	enum { N = 20000 };
	static int32_t col[N];
	static double val[N];
	const int64_t row_start[] = { 0, N };
	double number = 0.1;
	int64_t n_sv[2] = { 1, 0 };
	struct model m = { .type = MACHINE_EPSILON_SVR };
	struct error err = { 0 };

	m.solution = (struct solution){
		.n_class = 2, .n_sv = 1, .n_sv_of_class = n_sv, .coef = &number, .rho = &number
	};
	for (int round = 0; round < 10; round++) {
		for (int k = 0; k < N; k++) {
			col[k] = k * 100000 + k;
			val[k] = random_value(k);
		}
		CHECK(csr_append(&m.sv, 1, row_start, col, val, &err) == 0, "%s", err.text);
		m.eight_digits = round % 2;
		check_written(&m, N);
		csr_free(&m.sv);
	}
}

/* Coefficients as printf("%.17g") has them, whole numbers too. */
static void test_coefficients_written(void)
{
	static const double edges[] = { 0,	     -0.0,	 10,	-10,
					0.5,	     1e14,	 -1e14, 999999999999999,
					1e15,	     1e16,	 -1e17, 1e300,
					123456789.5, 1 - 0x1p-53 };
	enum { N_EDGES = sizeof(edges) / sizeof(*edges) };
	double coef, rho = 0;
	const int64_t row_start[] = { 0, 0 };
	int64_t n_sv[2] = { 1, 0 };
	struct model m = { .type = MACHINE_EPSILON_SVR };
	struct error err = { 0 };

	m.solution = (struct solution){
		.n_class = 2, .n_sv = 1, .n_sv_of_class = n_sv, .coef = &coef, .rho = &rho
	};
	CHECK(csr_append(&m.sv, 1, row_start, NULL, NULL, &err) == 0, "%s", err.text);
	for (int k = 0; k < N_EDGES + 300; k++) {
		coef = k < N_EDGES ? edges[k] : random_value(k);
		CHECK(write_model(&m, "values.model", &err) == 0, "%s", err.text);
		read_file("values.model", text);
		sprintf(expected, "SV\n%.17g \n", coef);
		CHECK(strstr(text, expected), "%.17g is not in %s", coef, text);
	}
	csr_free(&m.sv);
}

static void test_foreign_locale(void)
{
	static const char *const names[] = { "de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "C" };
	int i = 0;

	while (!setlocale(LC_ALL, names[i]))
		i++;
	test_round_trips();
	setlocale(LC_ALL, "C");
}

static void *copy_of(const void *bytes, size_t size)
{
	void *copy = malloc(size);

	if (!copy)
		give_up("malloc");
	return memcpy(copy, bytes, size);
}

/* Rows 3 and 0 of some matrix as support vectors. */
static struct solution made_solution(void)
{
	const int64_t sv_row[] = { 3, 0 }, n_sv_of_class[] = { 1, 1 };
	const double coef[] = { 1, -1 }, rho = 0.5;
	const int label[] = { 4, 5 };

	return (struct solution){ .n_class = 2,
				  .n_sv = 2,
				  .sv_row = copy_of(sv_row, sizeof(sv_row)),
				  .n_sv_of_class = copy_of(n_sv_of_class, sizeof(n_sv_of_class)),
				  .label = copy_of(label, sizeof(label)),
				  .coef = copy_of(coef, sizeof(coef)),
				  .rho = copy_of(&rho, sizeof(rho)) };
}

static void test_from_solution(enum kernel_type kernel, const char *text_expected)
{
	const int64_t row_start[] = { 0, 2, 4, 4, 6 };
	const int32_t col[] = { 0, 2, 0, 3, 0, 1 };
	const double val[] = { 7, 2, 8, 4, 9, 6 };
	const struct training t = { .kernel = { .type = kernel } };
	struct solution s = made_solution();
	struct csr x = { 0 };
	struct model m;
	struct error err = { 0 };
	int ret = -1;

	CHECK(csr_append(&x, 4, row_start, col, val, &err) == 0, "%s", err.text);
	for (int n = 0; ret < 0 && n < 100; n++) {
		mem_fail_after(n);
		err = (struct error){ 0 };
		ret = model_from_solution(&m, &t, &s, &x, &err);
		mem_fail_after(-1);
		CHECK(ret == 0 || (err.code == ERR_MEMORY && is_empty(&m) && s.sv_row && s.coef),
		      "%d: %s", n, err.text);
	}
	CHECK(ret == 0 && !s.sv_row && !s.coef && !m.solution.sv_row && m.solution.coef[1] == -1,
	      "%s", err.text);
	CHECK(write_model(&m, "made.model", &err) == 0, "%s", err.text);
	read_file("made.model", text);
	CHECK(strcmp(text, text_expected) == 0, "%s", text);
	model_free(&m);
	csr_free(&x);
}

/* A view writes the bytes of a copy, and leaves the data alone. */
static void test_view(void)
{
	const int64_t row_start[] = { 0, 2, 4, 4, 6 };
	const int32_t col[] = { 1, 2, 1, 3, 1, 4 };
	const double val[] = { 7, 2, 8, 4, 9, 6 };
	const struct training t = { .kernel = { .type = KERNEL_LINEAR } };
	struct solution s = made_solution();
	struct csr x = { 0 };
	struct model m;
	struct error err = { 0 };

	CHECK(csr_append(&x, 4, row_start, col, val, &err) == 0, "%s", err.text);
	model_view(&m, &t, &s, &x);
	CHECK(!s.sv_row && !s.coef && m.sv.val == x.val, "not moved");
	CHECK(model_check(&m, &err) == 0 && write_model(&m, "view.model", &err) == 0, "%s",
	      err.text);
	read_file("view.model", text);
	CHECK(strstr(text, "SV\n1 1:9 4:6 \n-1 1:7 2:2 \n"), "%s", text);
	model_free(&m);
	CHECK(x.val[5] == 6 && is_empty(&m), "the data are gone");
	csr_free(&x);
}

/* Rows of a struct csr that are fetched, 'most' at a time. */
struct elsewhere {
	struct csr x;
	int64_t most;
	int n_fetched, fails_at;
};

static int fetch(void *arg, const int64_t *row, int64_t n, struct csr *out, struct error *err)
{
	struct elsewhere *e = arg;

	if (e->n_fetched++ == e->fails_at)
		return error_set(err, ERR_IO, "gone");
	return csr_gather(out, &e->x, row, n < e->most ? n : e->most, err);
}

/* The file of a model of all rows of 'x', 'elsewhere' being NULL or what fetches them. */
static int write_rows(const struct csr *x, struct elsewhere *elsewhere, char *to, struct error *err)
{
	const struct training t = { .kernel = { .type = KERNEL_RBF, .gamma = 0.5 } };
	const int64_t n = x->n_rows, n_of_class[] = { n / 2, n - n / 2 };
	const int label[] = { 1, -1 };
	const double rho = 0.25;
	struct solution s = { .n_class = 2, .n_sv = n };
	struct model m;
	int ret;

	s.label = mem_copy(label, 2, sizeof(*label), err);
	s.n_sv_of_class = mem_copy(n_of_class, 2, sizeof(*n_of_class), err);
	s.rho = mem_copy(&rho, 1, sizeof(rho), err);
	s.coef = mem_array(n, sizeof(*s.coef), err);
	s.sv_row = mem_array(n, sizeof(*s.sv_row), err);
	for (int64_t i = 0; i < n; i++) {
		s.coef[i] = i < n / 2 ? 1.0 / 3 : -1;
		s.sv_row[i] = (7 * i + 3) % n;
	}
	model_view(&m, &t, &s, x);
	m.fetch = elsewhere ? fetch : NULL;
	m.fetch_arg = elsewhere;
	ret = model_check(&m, err) == 0 ? write_model(&m, "view.model", err) : -1;
	if (ret == 0)
		read_file("view.model", to);
	model_free(&m);
	return ret;
}

/* A model whose rows are fetched some at a time has the bytes of one whose rows are here. */
static void test_elsewhere(void)
{
	enum { N = 60 };
	static const int64_t most[] = { 1, 7, 30, 59, 60, 1000 };
	const int32_t col[] = { 1, 2, 3, 4, 5 };
	const double val[] = { 7, 0.5, -1, 1.0 / 3, 1e-9 };
	struct elsewhere e = { .fails_at = -1 };
	struct csr outline;
	struct error err = { 0 };

	for (int64_t i = 0; i < N; i++) {
		const int64_t start[] = { 0, 1 + i % 5 };

		CHECK(csr_append(&e.x, 1, start, col, val, &err) == 0, "%s", err.text);
	}
	CHECK(write_rows(&e.x, NULL, expected, &err) == 0, "%s", err.text);
	outline = e.x;
	outline.col = NULL;
	outline.val = NULL;
	for (size_t k = 0; k < sizeof(most) / sizeof(*most); k++) {
		e.most = most[k];
		e.n_fetched = 0;
		CHECK(write_rows(&outline, &e, text, &err) == 0 && strcmp(text, expected) == 0,
		      "another file: %s", err.text);
		CHECK(e.n_fetched == (N + most[k] - 1) / most[k], "%d times", e.n_fetched);
	}
	e = (struct elsewhere){ .x = e.x, .most = 7, .fails_at = 2 };
	CHECK(write_rows(&outline, &e, text, &err) < 0 && err.code == ERR_IO, "not failed");
	csr_free(&e.x);
}

static void test_no_serial(void)
{
	const int64_t row_start[] = { 0, 1, 1 };
	const int32_t col[] = { 1 };
	const double val[] = { 1 };
	const struct training t = { .kernel = { .type = KERNEL_PRECOMPUTED } };
	struct csr x = { 0 };
	struct model m;
	struct error err = { 0 };

	CHECK(csr_append(&x, 2, row_start, col, val, &err) == 0, "%s", err.text);
	for (int64_t row = 0; row < 2; row++) {
		struct solution s = { .n_class = 2, .n_sv = 1, .sv_row = &row };

		err = (struct error){ 0 };
		CHECK(model_from_solution(&m, &t, &s, &x, &err) < 0 && err.code == ERR_ARGUMENT &&
			      is_empty(&m) && s.sv_row == &row,
		      "%s", err.text);
	}
	csr_free(&x);
}

/* ---- model_check() refuses what model_read() refuses ---- */

static void compare_check(const struct model *m, const char *what)
{
	struct error of_check = { 0 }, of_read = { 0 }, err = { 0 };
	struct model again;
	int checked = model_check(m, &of_check);

	CHECK(write_model(m, "checked.model", &err) == 0, "%s: %s", what, err.text);
	CHECK(model_read(&again, "checked.model", &of_read) == checked, "%s: checked: %s, read: %s",
	      what, of_check.text, of_read.text);
	model_free(&again);
}

/* With 'n' numbers, if there are any, replaced one by one. */
static void check_with(struct model *m, const char *what, double *value, int64_t n)
{
	static const double bad[] = { NAN, INFINITY, -INFINITY };

	for (int64_t i = 0; value && i < n; i++) {
		double before = value[i];

		for (int k = 0; k < 3; k++) {
			value[i] = bad[k];
			compare_check(m, what);
		}
		value[i] = 1.7976931348623157e308;
		compare_check(m, what);
		value[i] = before;
	}
}

static void check_solution(struct model *m)
{
	struct solution *s = &m->solution;
	int64_t n_pairs = solution_n_pairs(s->n_class);

	check_with(m, "rho", s->rho, n_pairs);
	check_with(m, "probA", s->prob_a, s->prob_b ? n_pairs : 1);
	check_with(m, "probB", s->prob_b, n_pairs);
	check_with(m, "marks", s->density_marks, s->n_density_marks);
	check_with(m, "coefficients", s->coef, (s->n_class - 1) * s->n_sv);
	if (m->kernel.type != KERNEL_PRECOMPUTED)
		check_with(m, "values", m->sv.val, csr_n_entries(&m->sv));
	if (s->label && s->n_class > 1) {
		int before = s->label[0];

		s->label[0] = s->label[1];
		compare_check(m, "labels");
		s->label[0] = before;
		s->n_sv_of_class[1]++;
		compare_check(m, "counts");
		s->n_sv_of_class[1]--;
	}
}

static void test_check(void)
{
	struct model m;
	struct error err = { 0 };

	for (int i = 0; i < N_SAMPLES; i++) {
		if (!CHECK(parse(&m, samples[i], &err) == 0, "sample %d: %s", i, err.text))
			continue;
		compare_check(&m, "unharmed");
		check_with(&m, "gamma", &m.kernel.gamma, 1);
		check_with(&m, "coef0", &m.kernel.coef0, 1);
		m.kernel.degree -= 10;
		compare_check(&m, "degree");
		m.kernel.degree += 10;
		if (m.is_linear_model)
			check_with(&m, "weights", m.linear.w,
				   (m.linear.n_features + (m.linear.bias >= 0)) *
					   m.linear.n_columns);
		else
			check_solution(&m);
		model_free(&m);
	}
}

/* ---- Weights in place of support vectors ---- */

static const char three_linear[] =
	"svm_type nu_svc\nkernel_type linear\nnr_class 3\ntotal_sv 5\nrho -0.40625 1.5 0\n"
	"label 3 -1 2\nprobA -1 -2 -3\nprobB -0.5 0 1\nnr_sv 2 1 2\nSV\n"
	"1 0 1:0.5 2:1 13:-1 \n"
	"0.5 0.25 0:3 2:-2 \n"
	"-1 0.125 1:4 2147483647:1 \n"
	"-0.5 1 1:0 2:2 \n"
	"0 -1 7:0.1 \n";

/* Pairs (3,-1), (3,2), (-1,2); of feature 2 nothing is left in the first. */
static const char three_compact[] =
	"svm_type nu_svc\nkernel_type linear\nnr_class 3\ntotal_sv 3\nrho -0.40625 1.5 0\n"
	"label 3 -1 2\nprobA -1 -2 -3\nprobB -0.5 0 1\nnr_sv 2 1 0\nSV\n"
	"1 0 0:1.5 1:-3.5 13:-1 2147483647:-1 \n"
	"0 1 0:0.75 2:-1.5 \n"
	"0 1 1:0.5 2:2 7:-0.1 2147483647:0.125 \n";

static const char regression_compact[] =
	"svm_type epsilon_svr\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho -7.25\n"
	"probA 0.5\nSV\n1 1:2.25 2:-1.5 \n";

static const char regression_liblinear[] =
	"solver_type L2R_L1LOSS_SVR_DUAL\nnr_class 2\nnr_feature 2\nbias 1\nw\n"
	"2.25 \n-1.5 \n7.25 \n";

static const char one_class_linear[] =
	"svm_type one_class\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 1.5\n"
	"prob_density_marks -3 -2 -1 -0.5 0 1 2 3 4 5\nSV\n1 1:2 \n0.5 2:1 \n";

static const char one_class_compact[] =
	"svm_type one_class\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 1.5\n"
	"prob_density_marks -3 -2 -1 -0.5 0 1 2 3 4 5\nSV\n1 1:2 2:0.5 \n";

static const char one_class_liblinear[] =
	"solver_type ONECLASS_SVM\nnr_class 2\nnr_feature 2\nbias -1\nrho 1.5\nw\n2 \n0.5 \n";

static const char two_linear[] =
	"svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0.25\nlabel 0 1\n"
	"nr_sv 1 1\nSV\n1 3:0.1 \n-1 1:0.5 \n";

static const char two_compact[] =
	"svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0.25\nlabel 0 1\n"
	"nr_sv 1 0\nSV\n1 1:-0.5 3:0.1 \n";

static const char two_liblinear[] =
	"solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 2\nlabel 0 1\nnr_feature 3\nbias 1\nw\n"
	"-0.5 \n0 \n0.10000000000000001 \n-0.25 \n";

static const char no_vectors[] =
	"svm_type nu_svr\nkernel_type linear\nnr_class 2\ntotal_sv 0\nrho -7.25\nSV\n";

static const char no_vectors_compact[] =
	"svm_type nu_svr\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho -7.25\nSV\n1 \n";

static const char no_vectors_liblinear[] =
	"solver_type L2R_L1LOSS_SVR_DUAL\nnr_class 2\nnr_feature 0\nbias 1\nw\n7.25 \n";

static const char single_linear[] =
	"svm_type c_svc\nkernel_type linear\nnr_class 1\ntotal_sv 0\nrho\nlabel 1\nnr_sv 0\nSV\n";

static const struct conversion {
	const char *from, *compact, *liblinear; /* NULL: cannot be had */
} conversions[] = {
	{ three_linear, three_compact, NULL },
	{ regression, regression_compact, regression_liblinear },
	{ one_class_linear, one_class_compact, one_class_liblinear },
	{ two_linear, two_compact, two_liblinear },
	{ two_compact, two_compact, two_liblinear },
	{ no_vectors, no_vectors_compact, no_vectors_liblinear },
	{ single_linear, single_linear, NULL },
	{ one_class, NULL, NULL },
	{ precomputed, NULL, NULL },
	{ linear_two, NULL, NULL },
};

/* model_compact() or model_to_liblinear() */
typedef int convert_function(struct model *to, const struct model *m, struct error *err);

struct converting {
	convert_function *convert;
	const struct model *m;
};

static int convert_once(void *arg, struct error *err)
{
	const struct converting *c = arg;
	struct model to;

	if (c->convert(&to, c->m, err) < 0) {
		CHECK(is_empty(&to), "something left behind");
		return -1;
	}
	model_free(&to);
	return 0;
}

static void check_conversion(convert_function *convert, const struct model *m,
			     const char *text_expected)
{
	struct model to;
	struct error err = { 0 };

	if (!text_expected) {
		CHECK(convert(&to, m, &err) < 0 && err.code == ERR_ARGUMENT && is_empty(&to),
		      "code %d: %s", err.code, err.text);
		return;
	}
	if (!CHECK(convert(&to, m, &err) == 0, "%s", err.text))
		return;
	CHECK(model_check(&to, &err) == 0 && write_model(&to, "made.model", &err) == 0, "%s",
	      err.text);
	CHECK(convert != model_compact || to.solution.n_class == 1 || model_is_compact(&to),
	      "not compact:\n%s", text_expected);
	read_file("made.model", text);
	CHECK(strcmp(text, text_expected) == 0, "%swritten:\n%s", text_expected, text);
	model_free(&to);
	fail_each_allocation("convert", convert_once, &(struct converting){ convert, m });
}

static void test_compact(void)
{
	struct model m;
	struct error err;

	for (size_t i = 0; i < sizeof(conversions) / sizeof(conversions[0]); i++) {
		const struct conversion *c = &conversions[i];

		if (!CHECK(parse(&m, c->from, &err) == 0, "%zu: %s", i, err.text))
			continue;
		CHECK(model_is_compact(&m) == (c->from == two_compact), "compact or not:\n%s",
		      c->from);
		check_conversion(model_compact, &m, c->compact);
		check_conversion(model_to_liblinear, &m, c->liblinear);
		model_free(&m);
	}
}

/* LIBLINEAR has no feature 0. */
static void test_feature_zero(void)
{
	struct model m;
	struct error err;

	CHECK(parse(&m, two_linear, &err) == 0, "%s", err.text);
	m.sv.col[0] = 0;
	check_conversion(model_to_liblinear, &m, NULL);
	m.sv.val[0] = 0;
	CHECK(convert_once(&(struct converting){ model_to_liblinear, &m }, &err) == 0, "%s",
	      err.text);
	model_free(&m);
}

/* ---- The programs themselves, where they are installed ---- */

/* Three classes, and values that %.8g must round. */
static void write_data(void)
{
	FILE *f = fopen("data", "w");

	if (!f)
		give_up("data");
	for (int i = 0; i < 90; i++)
		fprintf(f, "%d 1:%.10g 3:%d 4:%.17g\n", i % 3 - 1, i % 3 + random_value(3) / 4e8,
			(int)(random_bits() >> 62), random_value(1) / 1e8);
	if (fclose(f) != 0)
		give_up("data");
}

static void check_program(const char *command)
{
	struct model m;
	struct error err = { 0 };

	if (system(command) != 0) /* older ones refuse newer options */
		return;
	if (!CHECK(model_read(&m, "their.model", &err) == 0, "%s: %s", command, err.text))
		return;
	CHECK(write_model(&m, "our.model", &err) == 0, "%s: %s", command, err.text);
	CHECK(system("cmp their.model our.model") == 0, "%s", command);
	model_free(&m);
}

static void test_programs(void)
{
	static const int solver[] = { 0, 1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 21 };
	char command[200];

	write_data();
	for (int s = 0; s < 5; s++)
		for (int t = 0; t < 4; t++)
			for (int b = 0; b < 2; b++) {
				sprintf(command,
					"svm-train -q -s %d -t %d -b %d data their.model "
					">/dev/null 2>&1",
					s, t, b);
				check_program(command);
			}
	for (int b = -1; b < 2; b++)
		for (size_t i = 0; i < sizeof(solver) / sizeof(solver[0]); i++) {
			sprintf(command,
				"liblinear-train -q -s %d -B %d data their.model "
				">/dev/null 2>&1",
				solver[i], b);
			check_program(command);
		}
}

int main(void)
{
	test_round_trips();
	test_libsvm_content();
	test_liblinear_content();
	test_other_spellings();
	test_buffer_boundaries();
	test_defects();
	test_no_model();
	test_truncation();
	test_failing_files();
	test_absurd_sizes();
	test_out_of_memory();
	test_values_written();
	test_coefficients_written();
	test_foreign_locale();
	test_from_solution(KERNEL_LINEAR,
			   "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0.5\n"
			   "label 4 5\nnr_sv 1 1\nSV\n1 0:9 1:6 \n-1 0:7 2:2 \n");
	test_from_solution(KERNEL_PRECOMPUTED,
			   "svm_type c_svc\nkernel_type precomputed\nnr_class 2\ntotal_sv 2\n"
			   "rho 0.5\nlabel 4 5\nnr_sv 1 1\nSV\n1 0:9 \n-1 0:7 \n");
	test_view();
	test_elsewhere();
	test_no_serial();
	test_check();
	test_compact();
	test_feature_zero();
	test_programs();
	return unit_report("model");
}

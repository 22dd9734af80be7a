/*
 * test_certify.c - certificates of models against the multipliers they were made of
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <string.h>

#include "evaluate/certify.h"
#include "evaluate/sv_index.h"
#include "failing.h"
#include "full.h"
#include "plain_problem.h"
#include "proof/rounding.h"
#include "random.h"
#include "unit.h"

enum { N = 60, D = 4 };

static const struct certify_options one_thread = { .n_threads = 1 };

/* Examples, multipliers for them, and the model that holds those, as a file would. */
struct sample {
	struct dataset d;
	double beta[N];
	struct training t;
	struct model m;
	int64_t row_of[N]; /* of the model's vectors, before the file */
};

#define source_of(dataset)            \
	(struct row_source)           \
	{                             \
		dataset_scan, dataset \
	}

static bool is_svc(const struct sample *s)
{
	return s->t.type == MACHINE_C_SVC;
}

static void give_up(const struct error *err)
{
	fprintf(stderr, "%s\n", err->text);
	exit(EXIT_FAILURE);
}

/* As the model file keeps it. */
static double written(double value)
{
	char text[40];

	snprintf(text, sizeof(text), "%.8g", value);
	return strtod(text, NULL);
}

/* Multipliers of sum 0, some at their bounds, some at 0. */
static void make_beta(struct sample *s)
{
	double up = 0, down = 0;

	for (int i = 0; i < N; i++) {
		double size = random_below(3) ? random_unit() : (double)random_below(2);
		bool positive = is_svc(s) ? s->d.y[i] > 0 : random_below(2) != 0;

		s->beta[i] = s->t.C * (positive ? size : -size);
		*(positive ? &up : &down) += size;
	}
	for (int i = 0; i < N; i++)
		s->beta[i] *= s->beta[i] > 0 ? fmin(1, down / up) : fmin(1, up / down);
}

static void make_model(struct sample *s)
{
	struct solution *solution = &s->m.solution;
	struct error err = { 0 };
	int64_t n = 0;

	s->m.type = s->t.type;
	s->m.kernel = s->t.kernel;
	solution->n_class = 2;
	solution->n_sv_of_class = calloc(2, sizeof(int64_t));
	solution->coef = calloc(N, sizeof(double));
	solution->rho = calloc(1, sizeof(double));
	solution->rho[0] = random_normal() / 4;
	for (int class = 0; class < (is_svc(s) ? 2 : 1); class ++)
		for (int i = 0; i < N; i++)
			if (s->beta[i] != 0 && (!is_svc(s) || (s->d.y[i] > 0) == (class == 0))) {
				solution->coef[n] = s->beta[i];
				s->row_of[n++] = i;
				solution->n_sv_of_class[class]++;
			}
	solution->n_sv = n;
	if (is_svc(s)) {
		solution->label = malloc(2 * sizeof(int));
		solution->label[0] = 1;
		solution->label[1] = -1;
	}
	if (csr_gather(&s->m.sv, &s->d.x, s->row_of, n, &err) < 0)
		give_up(&err);
	for (int64_t k = 0; k < csr_n_entries(&s->m.sv); k++)
		s->m.sv.val[k] = written(s->m.sv.val[k]);
}

static void sample_init(struct sample *s, enum machine_type type, enum kernel_type kernel,
			bool repeated)
{
	double *a = full_normal(N, D);

	memset(s, 0, sizeof(*s));
	s->t = (struct training){ .type = type,
				  .C = exp(random_between(-2, 2)),
				  .eps = 1e-3,
				  .p = type == MACHINE_C_SVC ? 0 : 0.1,
				  .kernel = { .type = kernel, .gamma = 0.5 } };
	for (int i = 0; i < N * D; i++)
		a[i] = i % D && random_below(4) == 0 ? 0 : a[i];
	for (int i = 0; repeated && i < N; i++)
		memcpy(a + i * D, a + random_below(N / 4) * D, D * sizeof(double));
	full_rows(&s->d.x, a, N, D, 1, 2);
	free(a);
	s->d.y = calloc(N, sizeof(double));
	for (int i = 0; i < N; i++)
		s->d.y[i] = is_svc(s) ? (random_below(2) ? 1 : -1) : random_normal();
	make_beta(s);
	make_model(s);
}

static void sample_free(struct sample *s)
{
	dataset_free(&s->d);
	model_free(&s->m);
}

/* ---- By definition ---- */

static struct problem_view problem_of(const struct sample *s)
{
	static int64_t row[N];

	for (int i = 0; i < N; i++)
		row[i] = i;
	return (struct problem_view){ .type = s->t.type,
				      .kernel = s->t.kernel,
				      .x = &s->d.x,
				      .row = row,
				      .target = s->d.y,
				      .n = N,
				      .c_plus = s->t.C,
				      .c_minus = s->t.C,
				      .epsilon = s->t.p };
}

/* How much an ounce more or less of a multiplier would gain, where its bounds allow it. */
static double violation_at(const struct sample *s, const double f[N], double b)
{
	double most = 0;

	for (int i = 0; i < N; i++) {
		double upper = is_svc(s) && s->d.y[i] < 0 ? 0 : s->t.C;
		double lower = is_svc(s) && s->d.y[i] > 0 ? 0 : -s->t.C;
		double slope = s->d.y[i] - f[i] - b;

		if (s->beta[i] < upper)
			most = fmax(most, slope + (s->beta[i] < 0 ? s->t.p : -s->t.p));
		if (s->beta[i] > lower)
			most = fmax(most, -slope + (s->beta[i] > 0 ? s->t.p : -s->t.p));
	}
	return most;
}

static bool close_to(double x, double y)
{
	return fabs(x - y) <= 1e-9 * fmax(1, fabs(y));
}

static void check_certificate(struct sample *s, int n_threads)
{
	struct model_certificate c;
	struct error err = { 0 };
	const struct problem_view p = problem_of(s);
	double f[N], primal, dual;

	if (!CHECK(certify_model(&c, &s->m, &source_of(&s->d), &s->t,
				 &(struct certify_options){ .n_threads = n_threads }, &err) == 0,
		   "%s", err.text))
		return;
	plain_values(&p, s->beta, f);
	primal = plain_least_primal(&p, s->beta, f);
	dual = plain_dual(&p, s->beta, f);
	CHECK(c.n_missing == 0 && certify_feasible(&c.pair[0]), "%" PRId64 " missing, %g, %g",
	      c.n_missing, c.pair[0].excess, c.pair[0].imbalance);
	CHECK(close_to(c.pair[0].certificate.dual, dual), "dual %.17g, not %.17g",
	      c.pair[0].certificate.dual, dual);
	CHECK(close_to(c.pair[0].certificate.primal, primal), "primal %.17g, not %.17g",
	      c.pair[0].certificate.primal, primal);
	CHECK(close_to(c.pair[0].kkt_violation, violation_at(s, f, -s->m.solution.rho[0])),
	      "violation %.17g, not %.17g", c.pair[0].kkt_violation,
	      violation_at(s, f, -s->m.solution.rho[0]));
	model_certificate_free(&c);
}

static void test_certificates(void)
{
	for (int k = 0; k < 40; k++) {
		struct sample s;

		sample_init(&s, k % 2 ? MACHINE_C_SVC : MACHINE_EPSILON_SVR,
			    k % 4 < 2 ? KERNEL_LINEAR : KERNEL_RBF, false);
		check_certificate(&s, 1 + k % 3);
		sample_free(&s);
	}
}

/* ---- Rows ---- */

/* Each vector has a row of its own, of its class, with its values. */
static void check_rows(const struct sample *s, const int64_t *row)
{
	bool taken[N] = { false };
	double *a = full_of_rows(&s->d.x);
	double *v = full_of_rows(&s->m.sv);

	for (int64_t j = 0; j < s->m.solution.n_sv; j++) {
		if (!CHECK(row[j] >= 0 && row[j] < N, "vector %" PRId64 ": %" PRId64, j, row[j]))
			continue;
		CHECK(!taken[row[j]], "row %" PRId64 " twice", row[j]);
		taken[row[j]] = true;
		CHECK(!is_svc(s) || s->d.y[row[j]] * s->m.solution.coef[j] > 0,
		      "row %" PRId64 " is of the other class", row[j]);
		for (int64_t k = 0; k < s->m.sv.n_cols; k++)
			CHECK(written(a[row[j] * s->d.x.n_cols + k]) == v[j * s->m.sv.n_cols + k],
			      "row %" PRId64 ", column %" PRId64, row[j], k);
	}
	free(a);
	free(v);
}

static void test_rows(void)
{
	for (int k = 0; k < 40; k++) {
		int64_t row[N];
		struct sv_rows_doubts doubts = { -1, -1 };
		struct error err = { 0 };
		struct sample s;

		sample_init(&s, k % 2 ? MACHINE_C_SVC : MACHINE_EPSILON_SVR, KERNEL_RBF, k % 4 < 2);
		CHECK(sv_rows_find(&s.m, &s.d, &s.t, row, &doubts, &err) == 0 &&
			      doubts.n_missing == 0 && doubts.n_ambiguous == 0,
		      "%" PRId64 " missing, %" PRId64 " ambiguous: %s", doubts.n_missing,
		      doubts.n_ambiguous, err.text);
		check_rows(&s, row);
		sample_free(&s);
	}
}

/* Feature 1 becomes a number of its own; 'alike': by its last digits alone, all others are 1. */
static void make_long(struct sample *s, bool alike)
{
	for (int64_t i = 0; i < N; i++)
		for (int64_t k = s->d.x.row_start[i]; k < s->d.x.row_start[i + 1]; k++)
			if (s->d.x.col[k] == 1)
				s->d.x.val[k] = 1e9 + 0.25 + (double)i * (alike ? 0.25 : 1000);
			else if (alike)
				s->d.x.val[k] = 1;
}

/* The vectors of the model become rows of the data, as they are or with 8 digits. */
static void take_vectors(struct sample *s, bool eight_digits)
{
	struct error err = { 0 };

	csr_free(&s->m.sv);
	if (csr_gather(&s->m.sv, &s->d.x, s->row_of, s->m.solution.n_sv, &err) < 0)
		give_up(&err);
	for (int64_t k = 0; eight_digits && k < csr_n_entries(&s->m.sv); k++)
		s->m.sv.val[k] = written(s->m.sv.val[k]);
}

/*
 * With all digits each vector is its row, whatever rows agree with it in 8; with 8 digits it is
 * where no other row agrees, and the decision values are known to be others.
 */
static void test_digits(void)
{
	for (int k = 0; k < 32; k++) {
		const bool alike = k & 2, eight_digits = k & 4;
		int64_t row[N];
		struct model_certificate c;
		struct sv_rows_doubts doubts = { 0 };
		struct error err = { 0 };
		struct sample s;

		sample_init(&s, k % 2 ? MACHINE_C_SVC : MACHINE_EPSILON_SVR, KERNEL_RBF, false);
		make_long(&s, alike);
		take_vectors(&s, eight_digits);
		CHECK(sv_rows_find(&s.m, &s.d, &s.t, row, &doubts, &err) == 0 &&
			      doubts.n_missing == 0,
		      "%" PRId64 " missing: %s", doubts.n_missing, err.text);
		CHECK((doubts.n_ambiguous > 0) == (alike && eight_digits),
		      "%" PRId64 " of %" PRId64, doubts.n_ambiguous, s.m.solution.n_sv);
		for (int64_t j = 0; j < s.m.solution.n_sv && doubts.n_ambiguous == 0; j++)
			CHECK(row[j] == s.row_of[j], "%" PRId64 ", not %" PRId64, row[j],
			      s.row_of[j]);
		CHECK(certify_model(&c, &s.m, &source_of(&s.d), &s.t, &one_thread, &err) == 0, "%s",
		      err.text);
		CHECK(c.n_ambiguous == doubts.n_ambiguous && (c.change > 1e-3) == eight_digits &&
			      (eight_digits || c.change == 0),
		      "%" PRId64 " ambiguous, change %g", c.n_ambiguous, c.change);
		CHECK(c.pair[0].certificate.dual <= c.pair[0].certificate.primal, "%.17g and %.17g",
		      c.pair[0].certificate.dual, c.pair[0].certificate.primal);
		model_certificate_free(&c);
		sample_free(&s);
	}
}

/*
 * Which of equal rows had which multiplier the file does not say: the best dual is not worse, and of
 * rows with weights, half of them at their bounds, no multiplier is above that of its row.
 */
static void test_equal_rows(void)
{
	for (int k = 0; k < 20; k++) {
		struct model_certificate c;
		struct error err = { 0 };
		struct problem_view p;
		double f[N], weight[N], dual;
		struct sample s;

		sample_init(&s, MACHINE_EPSILON_SVR, KERNEL_RBF, true);
		for (int i = 0; i < N; i++)
			weight[i] = s.beta[i] == 0 ? 1 : fabs(s.beta[i]) / s.t.C * (1 + i % 2);
		s.d.weight = k % 2 ? weight : NULL;
		p = problem_of(&s);
		plain_values(&p, s.beta, f);
		dual = plain_dual(&p, s.beta, f);
		CHECK(certify_model(&c, &s.m, &source_of(&s.d), &s.t, &one_thread, &err) == 0, "%s",
		      err.text);
		CHECK(c.pair[0].certificate.dual >= dual - 1e-9, "dual %.17g, less than %.17g",
		      c.pair[0].certificate.dual, dual);
		s.d.weight = NULL;
		CHECK(c.pair[0].certificate.dual <= c.pair[0].certificate.primal, "%.17g and %.17g",
		      c.pair[0].certificate.dual, c.pair[0].certificate.primal);
		model_certificate_free(&c);
		sample_free(&s);
	}
}

/* ---- What is no certificate ---- */

static void test_wrong_models(void)
{
	struct model_certificate c;
	struct error err = { 0 };
	struct problem_view p;
	double f[N], primal;
	struct sample s;

	sample_init(&s, MACHINE_C_SVC, KERNEL_RBF, false);
	s.m.solution.coef[0] *= 1.5;
	CHECK(certify_model(&c, &s.m, &source_of(&s.d), &s.t, &one_thread, &err) == 0, "%s",
	      err.text);
	CHECK(c.pair[0].imbalance > CERTIFY_ROUNDING && isnan(c.pair[0].certificate.dual),
	      "imbalance %g, dual %g", c.pair[0].imbalance, c.pair[0].certificate.dual);
	s.m.solution.coef[0] /= 1.5;
	model_certificate_free(&c);
	s.t.C /= 2;
	CHECK(certify_model(&c, &s.m, &source_of(&s.d), &s.t, &one_thread, &err) == 0, "%s",
	      err.text);
	CHECK(c.pair[0].excess > CERTIFY_ROUNDING && isnan(c.pair[0].certificate.dual),
	      "excess %g, dual %g", c.pair[0].excess, c.pair[0].certificate.dual);
	s.t.C *= 2;
	model_certificate_free(&c);

	/* a vector of another training set: the primal is that of the model's functions all the same */
	s.m.sv.val[0] *= 1.0000001;
	CHECK(certify_model(&c, &s.m, &source_of(&s.d), &s.t, &one_thread, &err) == 0, "%s",
	      err.text);
	p = problem_of(&s);
	plain_values(&p, s.beta, f);
	primal = plain_least_primal(&p, s.beta, f);
	CHECK(c.n_missing == 1 && isnan(c.pair[0].certificate.dual), "%" PRId64 " missing, dual %g",
	      c.n_missing, c.pair[0].certificate.dual);
	CHECK(fabs(c.pair[0].certificate.primal / primal - 1) < 1e-5, "primal %.17g, not %.17g",
	      c.pair[0].certificate.primal, primal);
	model_certificate_free(&c);

	s.d.y[3] = 7;
	CHECK(certify_model(&c, &s.m, &source_of(&s.d), &s.t, &one_thread, &err) < 0 &&
		      err.code == ERR_ARGUMENT,
	      "a class more: code %d", err.code);
	err.code = ERR_NONE;
	s.m.type = MACHINE_NU_SVC;
	CHECK(certify_model(&c, &s.m, &source_of(&s.d), &s.t, &one_thread, &err) < 0 &&
		      err.code == ERR_ARGUMENT,
	      "nu-SVC: code %d", err.code);
	sample_free(&s);
}

/* The first scan finds data[0], the next one data[1]. */
struct changing {
	struct dataset *data[2];
	int n_scans;
};

static int scan_changing(void *arg, const struct rows_visitor *visitor, int n_threads,
			 struct error *err)
{
	struct changing *c = arg;

	return dataset_scan(c->data[c->n_scans++], visitor, n_threads, err);
}

static void expect_change(struct sample *s, const char *what, struct dataset *first,
			  struct dataset *second)
{
	struct changing changing = { { first, second }, 0 };
	struct row_source source = { scan_changing, &changing };
	struct model_certificate c;
	struct error err = { 0 };

	CHECK(certify_model(&c, &s->m, &source, &s->t, &(struct certify_options){ .n_threads = 2 },
			    &err) < 0 &&
		      err.code == ERR_ARGUMENT && strstr(err.text, "a moment ago"),
	      "%s: %s", what, err.text);
}

static void test_changing_data(void)
{
	struct dataset fewer, relabelled;
	struct sample s;
	double y[N];

	sample_init(&s, MACHINE_EPSILON_SVR, KERNEL_RBF, false);
	fewer = relabelled = s.d;
	fewer.x.n_rows = N - 1;
	memcpy(y, s.d.y, sizeof(y));
	y[1]++;
	relabelled.y = y;
	expect_change(&s, "a label", &s.d, &relabelled);
	expect_change(&s, "a row less", &s.d, &fewer);
	expect_change(&s, "a row more", &fewer, &s.d);
	sample_free(&s);
}

static int run_certify(void *arg, struct error *err)
{
	struct sample *s = arg;
	struct model_certificate c;

	if (certify_model(&c, &s->m, &source_of(&s->d), &s->t, &one_thread, err) < 0)
		return -1;
	model_certificate_free(&c);
	return 0;
}

static void test_memory(void)
{
	for (int k = 0; k < 4; k++) {
		struct sample s;

		sample_init(&s, k % 2 ? MACHINE_C_SVC : MACHINE_EPSILON_SVR, KERNEL_RBF, false);
		if (k >= 2)
			s.m.sv.val[0] += 1;
		CHECK(fail_each_allocation("certify", run_certify, &s) >= 10,
		      "too few allocations");
		sample_free(&s);
	}
}

/* LIBLINEAR's L2 loss: rows of a class whose C is 0 are as if they were not there. */
static void test_weight_of_zero(void)
{
	const struct class_weight weights[] = { { -1, 0 } };
	const struct training t = { .C = 1, .eps = 0.001, .n_weights = 1, .weight = weights };
	int label[] = { 1, -1 };
	double w[] = { 0.5 }, y[] = { 1, 1, -1, -1 }, val[] = { 0.5, 0.4, -2, 0.3 };
	int32_t col[] = { 1, 1, 1, 1 };
	int64_t row_start[] = { 0, 1, 2, 3, 4 };
	struct model m = { .is_linear_model = true,
			   .linear = { .solver_type = "L2R_L2LOSS_SVC",
				       .n_class = 2,
				       .label = label,
				       .n_features = 1,
				       .bias = -1,
				       .n_columns = 1,
				       .w = w } };
	struct dataset d = { .x = { .n_rows = 4, .row_start = row_start, .col = col, .val = val },
			     .y = y };
	struct model_certificate all, part;
	struct error err = { 0 };

	CHECK(certify_model(&all, &m, &source_of(&d), &t, &one_thread, &err) == 0, "%s", err.text);
	d.x.n_rows = 2;
	CHECK(certify_model(&part, &m, &source_of(&d), &t, &one_thread, &err) == 0, "%s", err.text);
	CHECK(all.pair[0].certificate.dual > 0 &&
		      all.pair[0].certificate.dual == part.pair[0].certificate.dual &&
		      all.pair[0].certificate.primal == part.pair[0].certificate.primal,
	      "dual %g, not %g", all.pair[0].certificate.dual, part.pair[0].certificate.dual);
	model_certificate_free(&all);
	model_certificate_free(&part);
}

/*
 * Multipliers C and C (1 - 2^-32) of equal rows in pairs, one of each class: w is 2^-12, which is
 * nothing if the latter are taken for C.  All numbers are exact in doubles.
 */
static void test_next_to_bound(void)
{
	enum { ROWS = 4 };
	const double C = 8, next = C * (1 - 0x1p-32), far = 0x1p16, w = -0x1p-12, f = w * far;
	const struct training t = { .C = C, .eps = 0.001 };
	int label[] = { 1, -1 };
	int64_t n_sv_of_class[] = { 2, 2 };
	double coef[] = { next, C, -C, -next }, rho[] = { 0 };
	double y[] = { 1, 1, -1, -1 }, val[] = { far, -far, far, -far };
	int32_t col[] = { 1, 1, 1, 1 };
	int64_t row_start[] = { 0, 1, 2, 3, 4 };
	struct csr x = {
		.n_rows = ROWS, .n_cols = 2, .row_start = row_start, .col = col, .val = val
	};
	struct model m = { .type = MACHINE_C_SVC,
			   .kernel = { .type = KERNEL_LINEAR },
			   .sv = x,
			   .solution = { .n_class = 2,
					 .n_sv = ROWS,
					 .n_sv_of_class = n_sv_of_class,
					 .label = label,
					 .coef = coef,
					 .rho = rho } };
	struct dataset d = { .x = x, .y = y };
	struct model_certificate c;
	struct error err = { 0 };
	const struct certificate *made;

	if (!CHECK(certify_model(&c, &m, &source_of(&d), &t, &one_thread, &err) == 0, "%s",
		   err.text))
		return;
	made = &c.pair[0].certificate;
	CHECK(made->primal == w * w / 2 + 2 * C * (1 - f), "primal %.17g", made->primal);
	CHECK(made->dual == 2 * C + 2 * next - w * w / 2, "dual %.17g", made->dual);
	CHECK(made->n_bounded_sv == ROWS && c.pair[0].kkt_violation == -f - 1,
	      "%" PRId64 " bounded, violation %g", made->n_bounded_sv, c.pair[0].kkt_violation);
	model_certificate_free(&c);
}

/* The bound of rounding is that of the rows themselves, though these are not kept. */
static void test_rounding(void)
{
	for (int k = 0; k < 12; k++) {
		const enum kernel_type kernels[] = { KERNEL_LINEAR, KERNEL_RBF, KERNEL_POLYNOMIAL };
		struct model_certificate c;
		struct certificate whole;
		struct error err = { 0 };
		struct problem_view p;
		double f[N];
		struct sample s;
		struct iterate x = { .f = f };

		sample_init(&s, k % 2 ? MACHINE_C_SVC : MACHINE_EPSILON_SVR, kernels[k % 3], false);
		s.m.kernel.degree = s.t.kernel.degree = 3;
		p = problem_of(&s);
		x.beta = s.beta;
		x.rho = s.m.solution.rho[0];
		plain_values(&p, s.beta, f);
		CHECK(certify_model(&c, &s.m, &source_of(&s.d), &s.t,
				    &(struct certify_options){ .n_threads = 1 + k % 2 },
				    &err) == 0 &&
			      certificate_make(&p, &x, s.t.eps, &whole, &err) == 0 &&
			      rounding_bound(&p, &x, ROUNDING_DOUBLES, 0, &whole, &err) == 0,
		      "%s", err.text);
		/* the row that the best constant leaves without loss may count or not, by rounding */
		CHECK(whole.rounding > 0 &&
			      fabs(c.pair[0].certificate.rounding / whole.rounding - 1) < 0.1,
		      "kernel %d: %g, not %g", (int)kernels[k % 3], c.pair[0].certificate.rounding,
		      whole.rounding);
		model_certificate_free(&c);
		sample_free(&s);
	}
}

/*
 * Rows of both classes that are equal to 12 digits: |w|^2 is 1e-24 of its terms, and what rounding
 * makes of it is not below 0.
 */
static void test_nothing(void)
{
	for (int k = 0; k < 40; k++) {
		struct model_certificate c;
		const struct certificate *made;
		struct error err = { 0 };
		struct sample s;
		double *a, sum;
		int64_t n;

		sample_init(&s, MACHINE_C_SVC, KERNEL_POLYNOMIAL, false);
		s.t.kernel.degree = 3;
		s.t.kernel.gamma = 1e5;
		n = s.d.x.n_cols;
		a = full_of_rows(&s.d.x);
		for (int i = N / 2; i < N; i++)
			for (int64_t j = 0; j < n; j++)
				a[i * n + j] = a[(N - 1 - i) * n + j] * (1 + 1e-12);
		csr_free(&s.d.x);
		full_rows(&s.d.x, a, N, n, 0, 1);
		free(a);
		model_free(&s.m);
		for (int i = 0; i < N; i++) {
			s.d.y[i] = i < N / 2 ? 1 : -1;
			s.beta[i] =
				i < N / 2 ? s.t.C * random_between(0.1, 0.9) : -s.beta[N - 1 - i];
		}
		make_model(&s);
		sum = plain_size(s.beta, N);
		CHECK(certify_model(&c, &s.m, &source_of(&s.d), &s.t, &one_thread, &err) == 0, "%s",
		      err.text);
		made = &c.pair[0].certificate;
		CHECK(made->dual <= sum * (1 + N * DBL_EPSILON), "dual %.17g above %.17g",
		      made->dual, sum);
		CHECK(fabs(made->dual - sum) <= made->rounding,
		      "dual %.17g, not %.17g: rounding %g", made->dual, sum, made->rounding);
		model_certificate_free(&c);
		sample_free(&s);
	}
}

/*
 * LIBLINEAR's squared losses: P is within the bound of rounding of its sum in long double, and D
 * below it.  Features of size 1e8 and weights of 1e-8, whose products cancel.
 */
static void test_linear_rounding(void)
{
	for (int k = 0; k < 20; k++) {
		int label[] = { 1, -1 };
		double w[D + 1], *a = full_normal(N, D), y[N];
		struct training t = { .C = exp(random_between(-2, 8)), .eps = 0.001 };
		struct model m = { .is_linear_model = true,
				   .linear = { .solver_type = "L2R_L2LOSS_SVC",
					       .n_class = 2,
					       .label = label,
					       .n_features = D,
					       .bias = k % 2 ? 1 : -1,
					       .n_columns = 1,
					       .w = w } };
		struct dataset d = { .y = y };
		struct model_certificate c;
		const struct certificate *made;
		struct error err = { 0 };
		long double primal = 0;

		for (int j = 0; j <= D; j++)
			w[j] = random_normal() * 1e-8;
		for (int i = 0; i < N * D; i++)
			a[i] *= 1e8;
		full_rows(&d.x, a, N, D, 1, 1);
		for (int i = 0; i < N; i++) {
			long double f = k % 2 ? w[D] : 0, loss;

			y[i] = random_below(2) ? 1 : -1;
			for (int j = 0; j < D; j++)
				f += (long double)a[i * D + j] * w[j];
			loss = fmaxl(0, 1 - y[i] * f);
			primal += t.C * loss * loss;
		}
		CHECK(certify_model(&c, &m, &source_of(&d), &t, &one_thread, &err) == 0, "%s",
		      err.text);
		made = &c.pair[0].certificate;
		for (int j = 0; j < D + (c.pair[0].constant == CONSTANT_IN_NORM); j++)
			primal += (long double)w[j] * w[j] / 2;
		CHECK(made->rounding > 0 && made->rounding < 1e-6 * made->primal &&
			      fabsl(made->primal - primal) <= made->rounding,
		      "primal %.17g, not %.17g: rounding %g", made->primal, (double)primal,
		      made->rounding);
		CHECK(made->dual <= made->primal + 2 * made->rounding, "dual %.17g above %.17g",
		      made->dual, made->primal);
		model_certificate_free(&c);
		csr_free(&d.x);
		free(a);
	}
}

int main(void)
{
	test_linear_rounding();
	test_rounding();
	test_nothing();
	test_weight_of_zero();
	test_next_to_bound();
	test_certificates();
	test_rows();
	test_digits();
	test_equal_rows();
	test_wrong_models();
	test_changing_data();
	test_memory();
	return unit_report("certify");
}

/*
 * test_shim_libsvm.c - the shim beside LIBSVM itself: all machines with all kernels
 *
 * Random problems of few rows, many of them degenerate: centred rows, rows of a lower rank, equal
 * rows, whole numbers.  Both libraries train the same nodes in one process, and models are judged
 * here from their fields by kernel values of the test's own:
 *
 *     D(beta)    not below LIBSVM's by more than the tolerance lets a solution be
 *     decisions  the same, but where either is within what two optima may differ by
 *
 * A model is missing only where LIBSVM's is a nu-SVC whose classes have no margin.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "libraries.h"
#include "matrix/svm_header.h"
#include "random.h"
#include "unit.h"

enum { N_PROBLEMS = 500, MOST_ROWS = 40, N_COLS = 4, MOST_CLASSES = 3 };

/* ---- problems ---- */

enum rows_kind { NORMAL, CENTRED, OF_LOW_RANK, WHOLE, EQUAL, N_ROWS_KINDS };

struct trial {
	int n;
	enum rows_kind kind;
	double row[MOST_ROWS][N_COLS];
	double y[MOST_ROWS];
	double kernel[MOST_ROWS][MOST_ROWS];
	bool definite; /* is the kernel? */
	struct svm_node node[MOST_ROWS][MOST_ROWS + 2];
	struct svm_node *x[MOST_ROWS];
	struct svm_problem prob;
	struct svm_parameter param;
	char what[200];
};

static double choose(const double *from, size_t n)
{
	return from[random_below((int64_t)n)];
}

#define CHOOSE(...)                             \
	choose((const double[]){ __VA_ARGS__ }, \
	       sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double))

/* A number of a row of that kind. */
static double draw_value(enum rows_kind kind)
{
	return kind == WHOLE ? (double)random_below(5) - 2 : random_normal();
}

/* Rows that have a mean of 0: pairs of x and -x, and one row of 0 if n is odd. */
static void centre(struct trial *t)
{
	for (int i = 0; i < t->n; i++)
		for (int j = 0; j < N_COLS; j++)
			t->row[i][j] = i % 2 ? -t->row[i - 1][j] : i + 1 < t->n ? t->row[i][j] : 0;
}

static void draw_rows(struct trial *t)
{
	double scale = CHOOSE(1, 1, 0.01, 10), offset = CHOOSE(0, 0, 0, 2);

	for (int i = 0; i < t->n; i++)
		for (int j = 0; j < N_COLS; j++) {
			t->row[i][j] = draw_value(t->kind) + offset;
			if (t->kind == OF_LOW_RANK && j > 0)
				t->row[i][j] = (j - 2) * t->row[i][0];
			if (t->kind == EQUAL && i >= 3)
				t->row[i][j] = t->row[i % 3][j];
			if (t->kind == EQUAL && i == 0)
				t->row[i][j] = 0;
		}
	if (t->kind == CENTRED)
		centre(t);
	for (int i = 0; i < t->n; i++)
		for (int j = 0; j < N_COLS; j++)
			t->row[i][j] *= scale;
}

static void draw_targets(struct trial *t)
{
	int n_class = 1 + (int)random_below(MOST_CLASSES);
	double noise = CHOOSE(0, 0.5, 3);

	for (int i = 0; i < t->n; i++) {
		double f = t->row[i][0] + t->row[i][1] * t->row[i][1] + noise * random_normal();

		if (t->param.svm_type == EPSILON_SVR || t->param.svm_type == NU_SVR)
			t->y[i] = t->kind == WHOLE ? rint(f) : f;
		else
			t->y[i] = n_class == 1 ? 1 : (int)fmin(fabs(f), n_class - 1) % n_class;
	}
}

static double power(double base, int degree)
{
	double product = 1;

	for (int k = 0; k < degree; k++)
		product *= base;
	return product;
}

static double kernel_value(const struct svm_parameter *p, int type, const double *x,
			   const double *z)
{
	double dot = 0, distance2 = 0;

	for (int j = 0; j < N_COLS; j++) {
		dot += x[j] * z[j];
		distance2 += (x[j] - z[j]) * (x[j] - z[j]);
	}
	switch (type) {
	case POLY:
		return power(p->gamma * dot + p->coef0, p->degree);
	case RBF:
		return exp(-p->gamma * distance2);
	case SIGMOID:
		return tanh(p->gamma * dot + p->coef0);
	case PRECOMPUTED: /* distances, which are no kernel */
		return -sqrt(distance2);
	default:
		return dot;
	}
}

/* Kernel values, and the nodes of rows or of the matrix. */
static void make_nodes(struct trial *t)
{
	bool precomputed = t->param.kernel_type == PRECOMPUTED;
	int type = precomputed ? (int)random_below(5) : t->param.kernel_type;

	t->definite = type != SIGMOID && type != PRECOMPUTED;
	for (int i = 0; i < t->n; i++) {
		struct svm_node *node = t->x[i] = t->node[i];

		for (int j = 0; j < t->n; j++)
			t->kernel[i][j] = kernel_value(&t->param, type, t->row[i], t->row[j]);
		if (precomputed)
			*node++ = (struct svm_node){ 0, i + 1 };
		for (int j = 0; precomputed && j < t->n; j++)
			*node++ = (struct svm_node){ j + 1, t->kernel[i][j] };
		for (int j = 0; !precomputed && j < N_COLS; j++)
			if (t->row[i][j] != 0)
				*node++ = (struct svm_node){ j + 1, t->row[i][j] };
		node->index = -1;
	}
	snprintf(
		t->what, sizeof(t->what),
		"-s %d -t %d (kernel %d) -c %g -n %g -g %g -r %g -d %d -p %g -e %g, %d rows of kind %d",
		t->param.svm_type, t->param.kernel_type, type, t->param.C, t->param.nu,
		t->param.gamma, t->param.coef0, t->param.degree, t->param.p, t->param.eps, t->n,
		(int)t->kind);
}

static void draw_trial(struct trial *t, int number)
{
	t->n = 5 + (int)random_below(MOST_ROWS - 4);
	t->kind = (enum rows_kind)random_below(N_ROWS_KINDS);
	t->param = (struct svm_parameter){ .svm_type = number % 5,
					   .kernel_type = number / 5 % 5,
					   .degree = 1 + (int)random_below(3),
					   .gamma = CHOOSE(0.01, 0.25, 1, 4),
					   .coef0 = CHOOSE(0, 0, 1, -1),
					   .cache_size = 1,
					   .eps = CHOOSE(1e-3, 1e-5),
					   .C = CHOOSE(0.01, 1, 1, 100),
					   .nu = CHOOSE(0.02, 0.1, 0.3, 0.5, 0.8, 1),
					   .p = CHOOSE(0, 0.1, 1),
					   .shrinking = (int)random_below(2) };
	/* a polynomial of odd degree or with coef0 < 0 is definite only as C counts on it */
	if (t->param.kernel_type == POLY || t->param.kernel_type == PRECOMPUTED)
		t->param.coef0 = fabs(t->param.coef0);
	draw_rows(t);
	draw_targets(t);
	make_nodes(t);
	t->prob = (struct svm_problem){ t->n, t->y, t->x };
}

/* ---- both libraries ---- */

/* LIBSVM's functions; those of the shim are in the program itself. */
static struct {
	__typeof__(svm_train) *train;
	__typeof__(svm_predict_values) *predict_values;
	__typeof__(svm_check_parameter) *check_parameter;
	__typeof__(svm_free_and_destroy_model) *free_and_destroy_model;
	__typeof__(svm_set_print_string_function) *set_print_string_function;
} libsvm;

static bool load_libsvm(void)
{
	static const char *const files[] = { LIBSVM_FILES, NULL };
	void *library = NULL;

	for (int k = 0; !library && files[k]; k++)
		library = dlopen(files[k], RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return false;
	libsvm.train = dlsym(library, "svm_train");
	libsvm.predict_values = dlsym(library, "svm_predict_values");
	libsvm.check_parameter = dlsym(library, "svm_check_parameter");
	libsvm.free_and_destroy_model = dlsym(library, "svm_free_and_destroy_model");
	libsvm.set_print_string_function = dlsym(library, "svm_set_print_string_function");
	return libsvm.train && libsvm.train != svm_train;
}

static void ignore_message(const char *text)
{
	(void)text;
}

/* ---- what a model is worth ---- */

/* One decision function of a model: its multipliers by row, and what they are worth. */
struct solution_of_pair {
	double beta[MOST_ROWS]; /* of nu-SVC in the scaling of problem.h */
	double f[MOST_ROWS];	/* decision values, in that scaling */
	double y[MOST_ROWS];	/* +1 and -1, or targets; rows of other classes have beta 0 */
	bool member[MOST_ROWS];
	double n;	     /* number of members */
	double r;	     /* half of nu-SVC's margin; else 1 */
	double dual, primal; /* D, and P at the model's own rho */
};

static bool classifies(const struct trial *t)
{
	return t->param.svm_type == C_SVC || t->param.svm_type == NU_SVC;
}

static int first_vector(const struct svm_model *m, int class)
{
	int first = 0;

	for (int c = 0; c < class; c++)
		first += m->nSV[c];
	return first;
}

/* Multipliers of the pair of classes a < b, or of all rows. */
static void expand(const struct trial *t, const struct svm_model *m, int a, int b,
		   struct solution_of_pair *s)
{
	double sum = 0;

	*s = (struct solution_of_pair){ .r = 1 };
	for (int i = 0; i < t->n; i++) {
		s->y[i] = !classifies(t) ? t->y[i] : t->y[i] == m->label[a] ? 1 : -1;
		s->member[i] = !classifies(t) || t->y[i] == m->label[a] || t->y[i] == m->label[b];
		s->n += s->member[i];
	}
	for (int c = 0; c < 2; c++) {
		int class = c ? b : a, slot = c ? a : b - 1;
		int first = classifies(t) ? first_vector(m, class) : 0;
		int n = classifies(t) ? m->nSV[class] : c ? 0 : m->l;

		for (int j = first; j < first + n; j++)
			s->beta[m->sv_indices[j] - 1] += m->sv_coef[slot][j];
	}
	for (int i = 0; i < t->n; i++)
		sum += s->y[i] * s->beta[i];
	if (t->param.svm_type == NU_SVC)
		s->r = t->param.nu * s->n / sum;
	for (int i = 0; i < t->n; i++)
		s->beta[i] *= s->r;
}

/* nu-SVR: the least nu n epsilon + sum of losses over all epsilon, each of them a residual or 0. */
static double least_tube(const struct trial *t, const struct solution_of_pair *s)
{
	double least = INFINITY;

	for (int k = -1; k < t->n; k++) {
		double epsilon = k < 0 ? 0 : fabs(s->y[k] - s->f[k]);
		double sum = t->param.nu * t->n * epsilon;

		for (int i = 0; i < t->n; i++)
			sum += fmax(0, fabs(s->y[i] - s->f[i]) - epsilon);
		least = fmin(least, sum);
	}
	return least;
}

/* Sum of losses, and of what thresholds cost, by the rho that the model has. */
static double losses(const struct trial *t, const struct solution_of_pair *s, double rho)
{
	double sum = 0;

	if (t->param.svm_type == NU_SVR)
		return t->param.C * least_tube(t, s);
	for (int i = 0; i < t->n; i++) {
		double f = s->f[i];

		if (!s->member[i])
			continue;
		if (t->param.svm_type == C_SVC)
			sum += t->param.C * fmax(0, 1 - s->y[i] * f);
		else if (t->param.svm_type == EPSILON_SVR)
			sum += t->param.C * fmax(0, fabs(s->y[i] - f) - t->param.p);
		else if (t->param.svm_type == NU_SVC)
			sum += fmax(0, s->r - s->y[i] * f) - t->param.nu * s->r;
		else
			sum += fmax(0, -f) - t->param.nu * rho;
	}
	return sum;
}

static void judge(const struct trial *t, double rho, struct solution_of_pair *s)
{
	double square = 0, linear = 0;

	for (int i = 0; i < t->n; i++) {
		double beta = s->beta[i];

		for (int j = 0; j < t->n; j++)
			s->f[i] += s->beta[j] * t->kernel[j][i];
		square += beta * s->f[i];
		s->f[i] -= rho * s->r;
		if (t->param.svm_type == C_SVC)
			linear += fabs(beta);
		else if (!classifies(t) && t->param.svm_type != ONE_CLASS)
			linear += s->y[i] * beta -
				  (t->param.svm_type == EPSILON_SVR ? t->param.p * fabs(beta) : 0);
	}
	s->dual = linear - square / 2;
	s->primal = square / 2 + losses(t, s, rho);
}

/* ---- the comparison ---- */

/* What conditions that hold to within eps leave D and P: eps for each unit of each multiplier. */
static double allowed(const struct trial *t, double n)
{
	bool of_c = t->param.svm_type != NU_SVC && t->param.svm_type != ONE_CLASS;

	return t->param.eps * n * (of_c ? t->param.C : 1);
}

/* Is r beyond what LIBSVM's tolerance leaves of it?  Else its nu-SVC is a model of rounding. */
static bool has_margin(const struct trial *t, const struct solution_of_pair *s)
{
	return t->param.svm_type != NU_SVC || s->r > 20 * t->param.eps;
}

static void compare_pair(const struct trial *t, const struct svm_model *ours,
			 const struct svm_model *theirs, int a, int b, int p)
{
	struct solution_of_pair x, z;
	double within, largest = 0;

	expand(t, ours, a, b, &x);
	expand(t, theirs, a, b, &z);
	judge(t, ours->rho[p], &x);
	judge(t, theirs->rho[p], &z);
	within = allowed(t, x.n) + 1e-9 * fabs(x.primal);
	if (!CHECK(isfinite(ours->rho[p]) && isfinite(x.dual) && isfinite(x.primal),
		   "%s: rho %g, D %g, P %g", t->what, ours->rho[p], x.dual, x.primal))
		return;
	CHECK(!(z.dual - x.dual > 0.1 * within), "%s: D = %.9g, not %.9g", t->what, x.dual, z.dual);
	CHECK(!(x.primal - z.primal > within), "%s: P = %.9g, not %.9g", t->what, x.primal,
	      z.primal);
	CHECK(!t->definite || x.dual <= x.primal + 1e-9 * fabs(x.primal) + 1e-9 * within,
	      "%s: D = %.9g is above P = %.9g", t->what, x.dual, x.primal);
	/* LIBSVM's steps may have come to their limit */
	if (!t->definite || !has_margin(t, &z) || x.dual - z.dual > within)
		return;
	for (int i = 0; i < t->n; i++)
		largest = fmax(largest, fabs(z.f[i]));
	for (int i = 0; classifies(t) && i < t->n; i++)
		CHECK(x.f[i] * z.f[i] > 0 || fabs(z.f[i]) <= 0.05 * largest,
		      "%s: row %d has %g, not %g", t->what, i, x.f[i], z.f[i]);
}

/* What rounding may change decision values by: LIBSVM's distances are differences of products. */
static double rounding_of(const struct trial *t, const struct svm_model *m)
{
	double sum = 0, largest = 1;

	for (int k = 0; k < m->nr_class - 1; k++)
		for (int j = 0; j < m->l; j++)
			sum += fabs(m->sv_coef[k][j]);
	for (int i = 0; i < t->n; i++)
		largest = fmax(largest, fabs(t->kernel[i][i]));
	return 1e-12 * sum * largest;
}

/* Do both libraries make the same of a model? */
static void compare_predictions(const struct trial *t, const struct svm_model *m)
{
	double ours[MOST_CLASSES], theirs[MOST_CLASSES], rounding = rounding_of(t, m);

	for (int i = 0; i < t->n; i++) {
		double a = svm_predict_values(m, t->x[i], ours);
		double b = libsvm.predict_values(m, t->x[i], theirs), nearest = INFINITY;

		for (int p = 0; p < m->nr_class * (m->nr_class - 1) / 2; p++) {
			CHECK(!(fabs(ours[p] - theirs[p]) > rounding), "%s: %.17g, not %.17g",
			      t->what, ours[p], theirs[p]);
			nearest = fmin(nearest, fabs(theirs[p]));
		}
		/* a value that is nearly 0 has any sign */
		CHECK(!(fabs(a - b) > rounding) || nearest <= rounding, "%s: predicts %g, not %g",
		      t->what, a, b);
	}
}

/* nu-SVC without a margin: LIBSVM divides by an r of rounding, or of an indefinite kernel below 0. */
static bool may_be_missing(const struct trial *t, const struct svm_model *theirs)
{
	struct solution_of_pair s;
	bool none = false;

	for (int a = 0; t->param.svm_type == NU_SVC && a < theirs->nr_class; a++)
		for (int b = a + 1; b < theirs->nr_class; b++) {
			expand(t, theirs, a, b, &s);
			none = none || !(s.r > 3 * t->param.eps) || isinf(s.r);
		}
	return none;
}

static void compare(const struct trial *t)
{
	const char *fault = svm_check_parameter(&t->prob, &t->param);
	struct svm_model *ours, *theirs;
	int p = 0;

	CHECK(!fault == !libsvm.check_parameter(&t->prob, &t->param), "%s: %s", t->what,
	      fault ? fault : "no fault");
	if (fault)
		return;
	theirs = libsvm.train(&t->prob, &t->param);
	ours = svm_train(&t->prob, &t->param);
	CHECK(ours || may_be_missing(t, theirs), "%s: no model", t->what);
	if (ours &&
	    CHECK(ours->nr_class == theirs->nr_class, "%s: %d classes", t->what, ours->nr_class)) {
		for (int a = 0; a < ours->nr_class; a++)
			for (int b = a + 1; b < ours->nr_class; b++)
				compare_pair(t, ours, theirs, a, b, p++);
		compare_predictions(t, ours);
		compare_predictions(t, theirs);
	}
	svm_free_and_destroy_model(&ours);
	libsvm.free_and_destroy_model(&theirs);
}

int main(void)
{
	static struct trial t;
	FILE *real = stderr;

	if (!load_libsvm()) {
		puts("shim_libsvm: LIBSVM is not installed: skipped");
		return EXIT_SUCCESS;
	}
	/* errors that are wanted, and LIBSVM's warnings */
	stderr = fopen("/dev/null", "w");
	svm_set_print_string_function(ignore_message);
	libsvm.set_print_string_function(ignore_message);
	for (int k = 0; k < (UNIT_IS_SANITIZED ? N_PROBLEMS / 5 : N_PROBLEMS); k++) {
		draw_trial(&t, k);
		compare(&t);
	}
	fclose(stderr);
	stderr = real;
	return unit_report("shim_libsvm");
}

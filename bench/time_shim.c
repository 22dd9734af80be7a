/*
 * time_shim.c - predictions by two libraries of LIBSVM's interface, compared, then timed
 *
 *     time_shim LIBSVM SHIM VECTORS FEATURES
 *
 * A model of two classes, dense vectors and random coefficients, and 500 rows, one row at a time.
 * For each kernel, and for vectors in one array, as a model file is read into, and each in memory of
 * its own: first all decision values of both libraries are compared, to 1e-9 of the sum of the terms
 * they are made of; then a line has microseconds of processor time for each prediction, the least of
 * several runs in turn, by one thread and by all processors at once.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "matrix/svm_header.h"
#include "random.h"
#include "timing.h"

enum { N_ROWS = 500, N_RUNS = 15, MOST_THREADS = 256 };

typedef double predict_values(const struct svm_model *, const struct svm_node *, double *);

struct bench {
	struct svm_model model;
	struct svm_node *row[N_ROWS];
	double size; /* sum of |coefficient| */
};

static void *allocate(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		exit(1);
	return p;
}

static void fill_row(struct svm_node *to, int n_features)
{
	for (int k = 0; k < n_features; k++)
		to[k] = (struct svm_node){ k + 1, random_between(-1, 1) };
	to[n_features].index = -1;
}

static void make(struct bench *b, int n, int n_features)
{
	static int label[] = { 1, -1 }, n_of_class[2];
	static double rho = 0.1;
	static double *coefficients;
	struct svm_model *m = &b->model;
	const size_t size = (size_t)n_features + 1;
	struct svm_node *node = allocate((size_t)n * size, sizeof(*node));

	n_of_class[0] = n / 2;
	n_of_class[1] = n - n / 2;
	coefficients = allocate((size_t)n, sizeof(*coefficients));
	*m = (struct svm_model){ .nr_class = 2,
				 .l = n,
				 .SV = allocate((size_t)n, sizeof(*m->SV)),
				 .sv_coef = &coefficients,
				 .rho = &rho,
				 .label = label,
				 .nSV = n_of_class,
				 .free_sv = 1 };
	m->param = (struct svm_parameter){ .gamma = 1.0 / n_features, .degree = 3, .coef0 = 1 };
	for (int j = 0; j < n; j++) {
		fill_row(m->SV[j] = node + (size_t)j * size, n_features);
		coefficients[j] = random_between(-1, 1);
		b->size += fabs(coefficients[j]);
	}
	for (int i = 0; i < N_ROWS; i++)
		fill_row(b->row[i] = allocate(size, sizeof(*node)), n_features);
}

/* Gives each vector memory of its own. */
static void separate(struct svm_model *m, int n_features)
{
	const size_t size = ((size_t)n_features + 1) * sizeof(**m->SV);

	m->free_sv = 0;
	for (int j = 0; j < m->l; j++)
		m->SV[j] = memcpy(allocate(1, size), m->SV[j], size);
}

static void compare(const struct bench *b, predict_values *const *library)
{
	/* a kernel value of such rows is at most (1 + 1)^3 */
	const double tolerance = 1e-9 * b->size * 8;

	for (int i = 0; i < N_ROWS; i++) {
		double value[2];

		for (int l = 0; l < 2; l++)
			library[l](&b->model, b->row[i], &value[l]);
		if (fabs(value[0] - value[1]) <= tolerance)
			continue;
		fprintf(stderr, "row %d: %.17g and %.17g\n", i, value[0], value[1]);
		exit(1);
	}
}

struct work {
	const struct bench *bench;
	predict_values *predict;
	double seconds;
};

static void *predict_rows(void *arg)
{
	struct work *w = arg;
	const double start = seconds(CLOCK_THREAD_CPUTIME_ID);
	double value;

	for (int i = 0; i < N_ROWS; i++)
		w->predict(&w->bench->model, w->bench->row[i], &value);
	w->seconds = seconds(CLOCK_THREAD_CPUTIME_ID) - start;
	return NULL;
}

/* Microseconds of processor time for a prediction, the mean of the threads. */
static double time_threads(const struct bench *b, predict_values *predict, int n_threads)
{
	pthread_t thread[MOST_THREADS];
	struct work work[MOST_THREADS];
	double sum = 0;

	for (int t = 0; t < n_threads; t++) {
		work[t] = (struct work){ .bench = b, .predict = predict };
		if (pthread_create(&thread[t], NULL, predict_rows, &work[t]) != 0)
			exit(1);
	}
	for (int t = 0; t < n_threads; t++) {
		pthread_join(thread[t], NULL);
		sum += work[t].seconds;
	}
	return sum / n_threads / N_ROWS * 1e6;
}

static void time_both(const struct bench *b, predict_values *const *library, const char *what)
{
	const int n_cores = (int)fmin((double)sysconf(_SC_NPROCESSORS_ONLN), MOST_THREADS);

	for (int threads = 1; threads <= n_cores; threads += n_cores > 1 ? n_cores - 1 : 1) {
		double least[] = { INFINITY, INFINITY };

		for (int run = 0; run < N_RUNS; run++)
			for (int l = 0; l < 2; l++)
				least[l] = fmin(least[l], time_threads(b, library[l], threads));
		printf("%-34s %7d %9.1f %9.1f %6.2f\n", what, threads, least[0], least[1],
		       least[0] / least[1]);
	}
}

static predict_values *open_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	predict_values *predict =
		library ? (predict_values *)dlsym(library, "svm_predict_values") : NULL;

	if (!predict) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return predict;
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "linear", "polynomial", "rbf", "sigmoid" };
	predict_values *library[2];
	struct bench b = { 0 };
	char what[80];

	if (argc != 5) {
		fprintf(stderr, "usage: time_shim LIBSVM SHIM VECTORS FEATURES\n");
		return 1;
	}
	for (int l = 0; l < 2; l++)
		library[l] = open_library(argv[1 + l]);
	make(&b, atoi(argv[3]), atoi(argv[4]));
	printf("%-34s %7s %9s %9s %6s\n", "us a prediction", "threads", "LIBSVM", "shim", "ratio");
	for (int apart = 0; apart < 2; apart++) {
		if (apart)
			separate(&b.model, atoi(argv[4]));
		for (int kernel = LINEAR; kernel <= SIGMOID; kernel++) {
			b.model.param.kernel_type = kernel;
			compare(&b, library);
			snprintf(what, sizeof(what), "%s, vectors %s", names[kernel],
				 apart ? "apart" : "in one array");
			time_both(&b, library, what);
		}
	}
	return 0;
}

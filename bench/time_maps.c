/*
 * time_maps.c - check kernel maps, then time them
 *
 *     time_maps rff D K        random Fourier features, K columns, of dense rows of D features,
 *                              against the product of as many rows with a D x K matrix by sgemm
 *     time_maps nystrom D M    M landmarks, against the decision values of M support vectors
 *     time_maps tensor D K     sketches of the polynomial kernel (x.y + 1)^3, K columns
 *
 * Before anything is timed, products of rows are compared with kernel values: those of rff have to
 * be within six standard deviations of independent frequencies, those of sketches within six of
 * their bound, those of landmarks exact.  Times are
 * processor seconds of one thread, the best of several repeats.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng_fill.h"
#include "common/process.h"
#include "libraries.h"
#include "matrix/dataset.h"
#include "project/fourier.h"
#include "project/nystrom.h"
#include "project/tensor_sketch.h"
#include "timing.h"

enum { ROWS = 512, REPEATS = 9 };

static struct csr rows;
static struct row_batch in, out;
static double label[ROWS];

/* Dense rows of normal numbers, whose squared distances are some 2. */
static void make_rows(int64_t d)
{
	struct error err = { 0 };
	int32_t *col = mem_array(d, sizeof(*col), &err);
	double *val = mem_array(d + 1, sizeof(*val), &err);

	stop_on(&err);
	for (int64_t i = 0; i < ROWS; i++) {
		rng_fill_normals(&(struct rng_place){ 1, RNG_MADE_VALUE, (uint64_t)i, 0 },
				 (d + 1) / 2, val);
		for (int64_t j = 0; j < d; j++) {
			col[j] = (int32_t)j + 1;
			val[j] /= sqrt((double)d);
		}
		csr_append_row(&rows, (struct csr_row){ d, col, val }, &err);
	}
	stop_on(&err);
	in = csr_as_batch(&rows, label);
	mem_free(col);
	mem_free(val);
}

static double polynomial(int64_t a, int64_t b, int64_t d)
{
	double sum = 1;

	for (int64_t j = 0; j < d; j++)
		sum += rows.val[a * d + j] * rows.val[b * d + j];
	return sum * sum * sum;
}

static double rbf(int64_t a, int64_t b, int64_t d)
{
	double sum = 0;

	for (int64_t j = 0; j < d; j++) {
		double x = rows.val[a * d + j] - rows.val[b * d + j];

		sum += x * x;
	}
	return exp(-sum / 2);
}

static void check(int64_t d, double (*kernel)(int64_t, int64_t, int64_t), double most)
{
	for (int64_t i = 1; i < ROWS; i++) {
		double sum = 0, expected = kernel(0, i, d);
		int64_t k = 0, l = out.row_start[i];

		for (; k < out.row_start[1]; k++) {
			while (l < out.row_start[i + 1] && out.index[l] < out.index[k])
				l++;
			if (l < out.row_start[i + 1] && out.index[l] == out.index[k])
				sum += out.value[k] * out.value[l];
		}
		if (!(fabs(sum - expected) < most)) {
			printf("rows 0 and %d: %g, not %g\n", (int)i, sum, expected);
			exit(1);
		}
	}
}

typedef void sgemm_function(const char *, const char *, const int *, const int *, const int *,
			    const float *, const float *, const int *, const float *, const int *,
			    const float *, float *, const int *);

static double sgemm_seconds(int d, int k)
{
	static const char *const file[] = { BLAS_FILES };
	void *library = dlopen(file[0], RTLD_NOW);
	sgemm_function *sgemm = library ? (sgemm_function *)dlsym(library, "sgemm_") : NULL;
	struct error err = { 0 };
	float *x = mem_aligned((int64_t)ROWS * d, sizeof(*x), &err);
	float *w = mem_aligned((int64_t)d * k, sizeof(*w), &err);
	float *y = mem_aligned((int64_t)ROWS * k, sizeof(*y), &err), one = 1, zero = 0;
	double best = INFINITY;
	int n = ROWS;

	stop_on(&err);
	if (!sgemm) {
		fprintf(stderr, "no sgemm in %s\n", file[0]);
		exit(1);
	}
	for (int64_t e = 0; e < (int64_t)ROWS * d; e++)
		x[e] = (float)rows.val[e];
	for (int64_t e = 0; e < (int64_t)d * k; e++)
		w[e] = (float)sin((double)e);
	for (int r = 0; r < REPEATS; r++) {
		double start = seconds(CLOCK_THREAD_CPUTIME_ID);

		sgemm("N", "N", &k, &n, &d, &one, w, &k, x, &d, &zero, y, &k);
		best = fmin(best, seconds(CLOCK_THREAD_CPUTIME_ID) - start);
	}
	mem_free(x);
	mem_free(w);
	mem_free(y);
	return best;
}

static void time_rff(int64_t d, int64_t k)
{
	const struct fourier_options options = {
		.gamma = 0.5, .seed = 1, .n_columns = k, .n_features = d, .orthogonal = true
	};
	struct map_room room = { 0 };
	struct fourier f;
	struct error err = { 0 };
	double best = INFINITY, sgemm;

	fourier_init(&f, &options, &err);
	stop_on(&err);
	for (int r = 0; r < REPEATS; r++) {
		double start = seconds(CLOCK_THREAD_CPUTIME_ID);

		fourier_apply(&f, (struct row_range){ &in, 0, ROWS }, &out, &room, &err);
		best = fmin(best, seconds(CLOCK_THREAD_CPUTIME_ID) - start);
		stop_on(&err);
	}
	check(d, rbf, 6 * sqrt(1 / (double)k));
	sgemm = sgemm_seconds((int)d, (int)k);
	printf("rff, %d features, %d columns: %.2f us a row; sgemm %.2f us: %.2f times its rate\n",
	       (int)d, (int)k, best / ROWS * 1e6, sgemm / ROWS * 1e6, sgemm / best);
	map_room_free(&room);
	fourier_free(&f);
}

static double expansion_seconds(const struct nystrom *n)
{
	struct expansion_scratch scratch;
	struct error err = { 0 };
	static double value[ROWS];
	const struct row_view view = csr_view(&rows, NULL, ROWS);
	double best = INFINITY;

	expansion_scratch_init(&scratch, &n->expansion, &err);
	stop_on(&err);
	for (int r = 0; r < REPEATS; r++) {
		double start = seconds(CLOCK_THREAD_CPUTIME_ID);

		expansion_evaluate(&n->expansion, &view, value, &scratch);
		best = fmin(best, seconds(CLOCK_THREAD_CPUTIME_ID) - start);
	}
	expansion_scratch_free(&scratch);
	return best;
}

static void time_nystrom(int64_t d, int64_t m)
{
	const struct kernel gaussian = { .type = KERNEL_RBF, .gamma = 0.5 };
	struct csr landmarks = { 0 };
	struct map_room room = { 0 };
	struct nystrom n = { 0 };
	struct error err = { 0 };
	double best = INFINITY, decision;

	for (int64_t i = 0; i < m && err.code == ERR_NONE; i++) {
		double *x = rows.val + i % ROWS * d;

		/* row 0 is a landmark; others are near rows of the data */
		if (i >= ROWS)
			x[i % d] += 0.5;
		csr_append_row(&landmarks, (struct csr_row){ d, rows.col, x }, &err);
		if (i >= ROWS)
			x[i % d] -= 0.5;
	}
	nystrom_fit(&n, &landmarks, &gaussian, NULL, 1, &err);
	stop_on(&err);
	for (int r = 0; r < REPEATS; r++) {
		double start = seconds(CLOCK_THREAD_CPUTIME_ID);

		nystrom_apply(&n, (struct row_range){ &in, 0, ROWS }, &out, &room, &err);
		best = fmin(best, seconds(CLOCK_THREAD_CPUTIME_ID) - start);
		stop_on(&err);
	}
	check(d, rbf, 1e-9);
	decision = expansion_seconds(&n);
	printf("nystrom, %d features, %d landmarks: %.1f us a row; decision values %.1f us: %.2f "
	       "times as long\n",
	       (int)d, (int)m, best / ROWS * 1e6, decision / ROWS * 1e6, best / decision);
	map_room_free(&room);
	nystrom_free(&n);
}

static void time_tensor(int64_t d, int64_t k)
{
	const struct tensor_options options = {
		.kernel = { .type = KERNEL_POLYNOMIAL, .degree = 3, .gamma = 1, .coef0 = 1 },
		.seed = 1,
		.n_columns = k
	};
	struct map_room room = { 0 };
	struct tensor_sketch s;
	struct error err = { 0 };
	double best = INFINITY;

	tensor_sketch_init(&s, &options, &err);
	stop_on(&err);
	for (int r = 0; r < REPEATS; r++) {
		double start = seconds(CLOCK_THREAD_CPUTIME_ID);

		tensor_sketch_apply(&s, (struct row_range){ &in, 0, ROWS }, &out, &room, &err);
		best = fmin(best, seconds(CLOCK_THREAD_CPUTIME_ID) - start);
		stop_on(&err);
	}
	/* (2) of tensor_sketch.h: the rows are of length 1 or so, K(x, x) = 8 or so */
	check(d, polynomial, 6 * sqrt(26 / (double)k) * 16);
	printf("tensorsketch, %d features, %d columns: %.2f us a row, %.1f ns a value\n", (int)d,
	       (int)k, best / ROWS * 1e6, best / ROWS * 1e9 / (double)d);
	map_room_free(&room);
}

int main(int argc, char **argv)
{
	int64_t d = argc == 4 ? atoll(argv[2]) : 0, k = argc == 4 ? atoll(argv[3]) : 0;

	cli_set_up("time_maps", argv, NULL); /* the kernels of OpenBLAS that the programs take */
	if (d < 1 || k < 1) {
		fprintf(stderr, "usage: time_maps rff|nystrom|tensor FEATURES COLUMNS\n");
		return 1;
	}
	make_rows(d);
	if (strcmp(argv[1], "rff") == 0)
		time_rff(d, k);
	else if (strcmp(argv[1], "tensor") == 0)
		time_tensor(d, k);
	else
		time_nystrom(d, k);
	row_batch_free(&out);
	csr_free(&rows);
	return 0;
}

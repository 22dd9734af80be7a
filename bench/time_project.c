/*
 * time_project.c - check the arithmetic of projections, then time it
 *
 *     time_project hadamard             Hadamard transforms of 2^10 to 2^20 floats, and a pass over
 *                                       an array of the same size
 *     time_project fht                  fht of 300 dense rows x 20,000 features, k = 512
 *     time_project METHOD FILE K        METHOD (rs, gaussian, cw, ...) on the rows of FILE
 *     time_project METHOD FILE K OUT    check the first rows of OUT, which rp-project made of FILE
 *                                       with seed 1; nothing is timed
 *
 * Before anything is timed, results are compared with x R, summed in double precision over the rows
 * of R.  Times are processor seconds of one thread, the best of several repeats.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/instruction_set.h"
#include "base/mem.h"
#include "base/rng.h"
#include "io/rows.h"
#include "project/family.h"
#include "project/project_loops.h"
#include "project/projection.h"
#include "timing.h"

#define BATCH_ROWS 512

static void *room(int64_t n, size_t size)
{
	struct error err = { 0 };
	void *p = mem_aligned(n, size, &err);

	stop_on(&err);
	return p;
}

static void fail(const char *what, double got, double expected)
{
	printf("%s: %.17g, not %.17g\n", what, got, expected);
	exit(1);
}

/* ---- Hadamard ---- */

/* Compare some entries of H x with their sums in double precision. */
static void check_hadamard(int log2_n)
{
	int64_t n = INT64_C(1) << log2_n;
	float *x = room(n, sizeof(*x)), *y = room(n, sizeof(*y));

	for (int64_t i = 0; i < n; i++)
		y[i] = x[i] = (float)sin((double)i);
	hadamard_trimmed_single(y, log2_n, NULL);
	for (int64_t i = n - 1; i > 0; i /= 3) {
		double sum = 0;

		for (int64_t j = 0; j < n; j++)
			sum += __builtin_parityll((unsigned long long)(i & j)) ? -x[j] : x[j];
		if (fabs(y[i] - sum) > 1e-6 * sqrt((double)n) * log2_n)
			fail("H x", y[i], sum);
	}
	free(x);
	free(y);
}

static double time_hadamard(float *x, int log2_n)
{
	int64_t n = INT64_C(1) << log2_n, times = (INT64_C(1) << 22) / n;
	double best = 1e9;

	for (int repeat = 0; repeat < 30; repeat++) {
		double start = seconds(CLOCK_THREAD_CPUTIME_ID);

		for (int64_t k = 0; k < times; k++) {
			hadamard_trimmed_single(x, log2_n, NULL);
			if (k % 4 == 3) /* or it overflows */
				for (int64_t i = 0; i < n; i++)
					x[i] = 1;
		}
		if ((seconds(CLOCK_THREAD_CPUTIME_ID) - start) / (double)times < best)
			best = (seconds(CLOCK_THREAD_CPUTIME_ID) - start) / (double)times;
	}
	return best;
}

/* Seconds to read and write an array of n floats once. */
static double time_pass(float *x, int64_t n)
{
	int64_t times = (INT64_C(1) << 24) / n;
	double best = 1e9;

	for (int repeat = 0; repeat < 30; repeat++) {
		double start = seconds(CLOCK_THREAD_CPUTIME_ID);

		for (int64_t k = 0; k < times; k++) {
			for (int64_t i = 0; i < n; i++)
				x[i] += 1;
			__asm__ volatile("" ::: "memory");
		}
		if ((seconds(CLOCK_THREAD_CPUTIME_ID) - start) / (double)times < best)
			best = (seconds(CLOCK_THREAD_CPUTIME_ID) - start) / (double)times;
	}
	return best;
}

static int measure_hadamard(void)
{
	float *x = room(1 << 20, sizeof(*x));

	printf("%s\nsize     us    additions/ns  passes over memory\n",
	       instruction_set_name(instruction_set_best()));
	for (int log2_n = 10; log2_n <= 20; log2_n++) {
		double n = (double)(1 << log2_n), transform, pass;

		check_hadamard(log2_n);
		transform = time_hadamard(x, log2_n);
		pass = time_pass(x, 1 << log2_n);
		printf("2^%d %9.2f %8.1f %12.1f\n", log2_n, transform * 1e6,
		       n * log2_n / transform * 1e-9, transform / pass);
	}
	free(x);
	return 0;
}

/* ---- Projections ---- */

enum { CHECKED_ROWS = 3 };

/* Compare the first rows of the output with sums over the rows of R. */
static void compare_rows(const struct projection *p, const struct row_batch *in,
			 const struct row_batch *out)
{
	int64_t r = p->options.n_columns;
	double *row = room(r, sizeof(*row)), *sum = room(r, sizeof(*sum));

	for (int64_t i = 0; i < in->n_rows && i < CHECKED_ROWS; i++) {
		double size = 0;

		memset(sum, 0, (size_t)r * sizeof(*sum));
		for (int64_t k = in->row_start[i]; k < in->row_start[i + 1]; k++) {
			projection_row(p, in->index[k], row);
			for (int64_t t = 0; t < r; t++)
				sum[t] += in->value[k] * row[t];
			size += fabs(in->value[k]);
		}
		for (int64_t k = out->row_start[i]; k < out->row_start[i + 1]; k++)
			sum[out->index[k] - 1] -= out->value[k];
		for (int64_t t = 0; t < r; t++)
			if (fabs(sum[t]) > (p->options.single ? 1e-6 : 1e-14) * size)
				fail("x R less what it should be", sum[t], 0);
	}
	free(row);
	free(sum);
}

static void check_rows(const struct projection *p, const struct row_batch *in)
{
	struct map_room work = { 0 };
	struct row_batch out = { 0 };
	struct error err = { 0 };

	projection_apply(
		p,
		(struct row_range){ in, 0, in->n_rows < CHECKED_ROWS ? in->n_rows : CHECKED_ROWS },
		&out, &work, &err);
	stop_on(&err);
	compare_rows(p, in, &out);
	map_room_free(&work);
	row_batch_free(&out);
}

static double time_apply(const struct projection *p, const struct row_batch *in, int repeats)
{
	struct map_room work = { 0 };
	struct row_batch out = { 0 };
	struct error err = { 0 };
	double best = 1e9;

	for (int repeat = 0; repeat < repeats; repeat++) {
		double start = seconds(CLOCK_THREAD_CPUTIME_ID);

		for (int64_t i = 0; i < in->n_rows; i += BATCH_ROWS) {
			projection_apply(p,
					 (struct row_range){ in, i,
							     in->n_rows - i < BATCH_ROWS ?
								     in->n_rows - i :
								     BATCH_ROWS },
					 &out, &work, &err);
			stop_on(&err);
		}
		if (seconds(CLOCK_THREAD_CPUTIME_ID) - start < best)
			best = seconds(CLOCK_THREAD_CPUTIME_ID) - start;
	}
	map_room_free(&work);
	row_batch_free(&out);
	return best;
}

static struct projection projection_of(const struct projection_options *options)
{
	struct projection p;
	struct error err = { 0 };

	projection_init(&p, options, &err);
	stop_on(&err);
	return p;
}

static void append_entry(struct row_batch *b, int32_t index, double value)
{
	struct error err = { 0 };

	mem_grow(&b->index, &b->capacity.indices, b->n_entries + 1, sizeof(*b->index), &err);
	mem_grow(&b->value, &b->capacity.values, b->n_entries + 1, sizeof(*b->value), &err);
	stop_on(&err);
	b->index[b->n_entries] = index;
	b->value[b->n_entries++] = value;
	if (index > b->max_index)
		b->max_index = index;
}

static void end_row(struct row_batch *b, double label)
{
	struct error err = { 0 };

	mem_grow(&b->label, &b->capacity.rows, b->n_rows + 1, sizeof(*b->label), &err);
	mem_grow(&b->row_start, &b->capacity.starts, b->n_rows + 2, sizeof(*b->row_start), &err);
	stop_on(&err);
	b->row_start[0] = 0;
	b->label[b->n_rows++] = label;
	b->row_start[b->n_rows] = b->n_entries;
}

static int measure_fht(void)
{
	enum { ROWS = 300, FEATURES = 20000, COLUMNS = 512 };
	struct row_batch in = { 0 };

	for (int i = 0; i < ROWS; i++) {
		for (int j = 1; j <= FEATURES; j++)
			append_entry(&in, j,
				     rng_unit(rng_first64(rng_draw(1, RNG_MADE_VALUE, (uint64_t)i,
								   (uint32_t)j))));
		end_row(&in, 1);
	}
	for (int single = 0; single < 2; single++) {
		struct projection p =
			projection_of(&(struct projection_options){ .method = PROJECT_FHT,
								    .seed = 1,
								    .n_columns = COLUMNS,
								    .n_features = FEATURES,
								    .single = single });

		check_rows(&p, &in);
		printf("fht %d x %d, k = %d, %s: %.2f ms\n", ROWS, FEATURES, COLUMNS,
		       single ? "single" : "double", time_apply(&p, &in, 20) * 1e3);
		projection_free(&p);
	}
	row_batch_free(&in);
	return 0;
}

static int keep_rows(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	(void)user;
	(void)err;
	for (int64_t i = 0; i < batch->n_rows; i++) {
		for (int64_t k = batch->row_start[i]; k < batch->row_start[i + 1]; k++)
			append_entry(arg, batch->index[k], batch->value[k]);
		end_row(arg, batch->label[i]);
	}
	return 0;
}

static void read_rows(const char *path, struct row_batch *in)
{
	const struct rows_options format = { 0 };
	const struct rows_visitor visitor = { .deliver = keep_rows, .arg = in };
	struct input *input = NULL;
	struct error err = { 0 };

	input_open(&input, path, &err);
	stop_on(&err);
	rows_scan(input, &format, &visitor, 1, &err);
	stop_on(&err);
	input_close(input);
}

/* Seconds of the additions alone, without generating R: one tile of R serves all entries. */
static double time_given(const struct row_batch *in, int64_t r)
{
	int64_t n_tiles = (r + PROJECTION_TILE - 1) / PROJECTION_TILE;
	double *tile = room(PROJECTION_TILE, sizeof(*tile));
	double *sum = room(BATCH_ROWS * PROJECTION_TILE, sizeof(*sum)), best = 1e9;
	struct dense_entry *entry = room(in->n_entries, sizeof(*entry));

	for (int t = 0; t < PROJECTION_TILE; t++)
		tile[t] = t % 3 - 1.0;
	for (int64_t i = 0; i < in->n_rows; i++)
		for (int64_t k = in->row_start[i]; k < in->row_start[i + 1]; k++)
			entry[k] = (struct dense_entry){ (uint32_t)in->index[k],
							 (uint32_t)(i % BATCH_ROWS), in->value[k] };
	for (int repeat = 0; repeat < 3; repeat++) {
		double start = seconds(CLOCK_THREAD_CPUTIME_ID);

		for (int64_t k = 0; k < n_tiles; k++)
			tile_add(tile, entry, in->n_entries, sum, PROJECTION_TILE);
		if (seconds(CLOCK_THREAD_CPUTIME_ID) - start < best)
			best = seconds(CLOCK_THREAD_CPUTIME_ID) - start;
	}
	free(tile);
	free(sum);
	free(entry);
	return best;
}

static int measure_rows(int method, const char *path, int64_t k)
{
	struct row_batch in = { 0 };
	double time;

	read_rows(path, &in);
	printf("%s of %" PRId64 " rows, %" PRId64 " entries, k = %" PRId64 "\n",
	       projection_names[method], in.n_rows, in.n_entries, k);
	for (int single = 0; single < 2; single++) {
		struct projection p = projection_of(
			&(struct projection_options){ .method = (enum projection_method)method,
						      .seed = 1,
						      .n_columns = k,
						      .n_features = in.max_index,
						      .single = single });

		check_rows(&p, &in);
		time = time_apply(&p, &in, 5);
		printf("%s: %.1f ms, %.1f million entries/s, %.2f billion values/s\n",
		       single ? "single" : "double", time * 1e3, (double)in.n_entries / time * 1e-6,
		       (double)in.n_entries * (double)k / time * 1e-9);
		projection_free(&p);
	}
	time = time_given(&in, k);
	printf("the additions alone, R given: %.1f ms, %.2f billion values/s\n", time * 1e3,
	       (double)in.n_entries * (double)k / time * 1e-9);
	row_batch_free(&in);
	return 0;
}

static int check_output(int method, const char *path, int64_t k, const char *output)
{
	struct row_batch in = { 0 }, out = { 0 };
	struct projection p;

	read_rows(path, &in);
	read_rows(output, &out);
	if (in.n_rows != out.n_rows || out.max_index > k)
		fail("rows or columns", (double)out.n_rows, (double)in.n_rows);
	p = projection_of(&(struct projection_options){ .method = (enum projection_method)method,
							.seed = 1,
							.n_columns = k,
							.n_features = in.max_index });
	compare_rows(&p, &in, &out);
	projection_free(&p);
	row_batch_free(&in);
	row_batch_free(&out);
	return 0;
}

/* The method's number, or -1. */
static int method_named(const char *name)
{
	for (int m = 0; projection_names[m]; m++)
		if (strcmp(name, projection_names[m]) == 0)
			return m;
	return -1;
}

int main(int argc, char **argv)
{
	int method = argc >= 4 && atoll(argv[3]) > 0 ? method_named(argv[1]) : -1;

	if (argc == 2 && strcmp(argv[1], "hadamard") == 0)
		return measure_hadamard();
	if (argc == 2 && strcmp(argv[1], "fht") == 0)
		return measure_fht();
	if (argc == 4 && method >= 0)
		return measure_rows(method, argv[2], atoll(argv[3]));
	if (argc == 5 && method >= 0)
		return check_output(method, argv[2], atoll(argv[3]), argv[4]);
	fprintf(stderr, "usage: time_project hadamard | fht | METHOD FILE K [OUT]\n");
	return 1;
}

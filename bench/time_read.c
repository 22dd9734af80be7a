/*
 * time_read.c - check the reader of text, then time it
 *
 *     time_read check FILE             compare all values with those of strtod(), bit for bit
 *     time_read load FILE THREADS      read FILE once; print the memory used and its bound
 *     time_read speed FILE THREADS N   print the best times of N runs: reading, and inflating alone
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/mem.h"
#include "base/thread.h"
#include "io/input.h"
#include "matrix/dataset.h"
#include "timing.h"

static struct input *open_file(const char *path)
{
	struct error err = { 0 };
	struct input *input = NULL;

	input_open(&input, path, &err);
	stop_on(&err);
	return input;
}

static void load(struct dataset *d, const char *path, int n_threads)
{
	const struct rows_options format = { 0 };
	struct input *input = open_file(path);
	struct error err = { 0 };

	dataset_read(d, input, &format, NULL, n_threads, &err);
	stop_on(&err);
	input_close(input);
}

/* The whole text of a file, 0-terminated. */
static char *read_text(const char *path, int64_t *size)
{
	struct input *input = open_file(path);
	struct error err = { 0 };
	int64_t capacity = 0, got = 1;
	char *text = NULL;

	for (*size = 0; got > 0; *size += got) {
		mem_grow(&text, &capacity, *size + (1 << 20) + 1, 1, &err);
		got = input_read(input, text + *size, 1 << 20, &err);
		stop_on(&err);
	}
	input_close(input);
	text[*size] = '\0';
	return text;
}

static int same(double a, double b)
{
	uint64_t x, y;

	memcpy(&x, &a, sizeof(x));
	memcpy(&y, &b, sizeof(y));
	return x == y;
}

/* Compare row i with its line, read by strtod() and strtol(); returns the next line. */
static char *check_row(char *p, const struct dataset *d, int64_t i)
{
	int64_t k = d->x.row_start[i];

	if (!same(strtod(p, &p), d->y[i]))
		goto differs;
	for (;; k++) {
		p += strspn(p, " \t\r");
		if (*p == '\n' || *p == '\0')
			break;
		if (k == d->x.row_start[i + 1] || strtol(p, &p, 10) != d->x.col[k] || *p++ != ':' ||
		    !same(strtod(p, &p), d->x.val[k]))
			goto differs;
	}
	if (k == d->x.row_start[i + 1])
		return *p ? p + 1 : p;
differs:
	printf("example %" PRId64 " differs from strtod's\n", i + 1);
	exit(1);
}

static int check(const char *path)
{
	struct dataset d = { 0 };
	int64_t size;
	char *text = read_text(path, &size), *p = text;

	load(&d, path, thread_default_count());
	for (int64_t i = 0; i < d.x.n_rows; i++)
		p = check_row(p, &d, i);
	if (*p) {
		printf("rows are missing at the end\n");
		return 1;
	}
	printf("%" PRId64 " rows and %" PRId64 " entries equal strtod's bit for bit\n", d.x.n_rows,
	       csr_n_entries(&d.x));
	dataset_free(&d);
	free(text);
	return 0;
}

static int measure_memory(const char *path, int n_threads)
{
	struct dataset d = { 0 };
	struct rusage before, after;
	double bound, held, peak;

	getrusage(RUSAGE_SELF, &before);
	load(&d, path, n_threads);
	getrusage(RUSAGE_SELF, &after);
	bound = 12.0 * (double)csr_n_entries(&d.x) + 24.0 * (double)d.x.n_rows;
	held = (double)d.x.cols_capacity * sizeof(int32_t) +
	       (double)d.x.vals_capacity * sizeof(double) +
	       (double)(d.x.starts_capacity + d.labels_capacity) * 8;
	peak = (double)(after.ru_maxrss - before.ru_maxrss) * 1024;
	printf("memory: %.1f MB held, %.2f of the bound; peak %.1f MB, %.2f of the bound\n",
	       held / 1e6, held / bound, peak / 1e6, peak / bound);
	dataset_free(&d);
	return 0;
}

static int measure_speed(const char *path, int n_threads, int repeats)
{
	static char buffer[1 << 20];
	double reading = 1e9, inflating = 1e9;
	int64_t size = 0, got;

	for (int r = 0; r < repeats; r++) {
		struct dataset d = { 0 };
		struct error err = { 0 };
		struct input *input;
		double start = seconds(CLOCK_MONOTONIC);

		load(&d, path, n_threads);
		if (seconds(CLOCK_MONOTONIC) - start < reading)
			reading = seconds(CLOCK_MONOTONIC) - start;
		dataset_free(&d);
		start = seconds(CLOCK_MONOTONIC);
		input = open_file(path);
		for (size = 0; (got = input_read(input, buffer, sizeof(buffer), &err)) > 0;)
			size += got;
		stop_on(&err);
		input_close(input);
		if (seconds(CLOCK_MONOTONIC) - start < inflating)
			inflating = seconds(CLOCK_MONOTONIC) - start;
	}
	printf("%d %.1f %.4f %.4f\n", n_threads, (double)size / 1e6, reading, inflating);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "check") == 0)
		return check(argv[2]);
	if (argc == 4 && strcmp(argv[1], "load") == 0)
		return measure_memory(argv[2], atoi(argv[3]));
	if (argc == 5 && strcmp(argv[1], "speed") == 0)
		return measure_speed(argv[2], atoi(argv[3]), atoi(argv[4]));
	fprintf(stderr, "usage: time_read check FILE | load FILE THREADS | speed FILE THREADS N\n");
	return 1;
}

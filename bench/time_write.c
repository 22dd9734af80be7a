/*
 * time_write.c - check the writing of rows as text, then time it
 *
 *     time_write [N]     best of N runs (default 5), one thread
 *
 * First a batch of dense rows is written and read back.  Shortest forms must return every value bit
 * for bit; a given number of digits must give the text of printf().  Then a line is printed for
 * each kind of values: millions of values, and megabytes, per second of CPU time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "io/svmlight.h"
#include "random.h"

enum { ROWS = 400, COLUMNS = 256 };

struct kind {
	const char *name;
	struct svmlight_options options;
	double (*draw)(void);
};

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void stop(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

static double draw_unit(void)
{
	return random_between(-0.5, 0.5);
}

static double draw_float(void)
{
	return (float)random_normal();
}

static double draw_integer(void)
{
	return (double)(1 + random_below(255));
}

static double draw_short(void)
{
	return (double)(1 + random_below(999999)) / 1e6;
}

/* a double of random bits that is finite */
static double draw_bits(void)
{
	double x;

	do {
		uint64_t bits = random_bits();

		memcpy(&x, &bits, sizeof(x));
	} while (!isfinite(x));
	return x;
}

static const struct kind kinds[] = {
	{ "normal, shortest", { 0 }, random_normal },
	{ "-0.5 .. 0.5, shortest", { 0 }, draw_unit },
	{ "random bits, shortest", { 0 }, draw_bits },
	{ "six decimals, shortest", { 0 }, draw_short },
	{ "1 .. 255, shortest", { 0 }, draw_integer },
	{ "normal floats, shortest", { .single = true }, draw_float },
	{ "normal, 6 digits", { .digits = 6 }, random_normal },
	{ "normal, 17 digits", { .digits = 17 }, random_normal },
};

static void make_rows(struct row_batch *b, const struct kind *kind)
{
	struct error err = { 0 };

	if (row_batch_reserve(b, ROWS, ROWS * COLUMNS, false, &err) < 0)
		stop(err.text);
	b->n_rows = ROWS;
	b->n_entries = ROWS * COLUMNS;
	for (int64_t i = 0; i < ROWS; i++) {
		b->label[i] = i % 2 ? 1 : -1;
		b->row_start[i + 1] = (i + 1) * COLUMNS;
	}
	for (int64_t k = 0; k < b->n_entries; k++) {
		b->index[k] = (int32_t)(k % COLUMNS + 1);
		b->value[k] = kind->draw();
	}
}

/* Exit unless the value read back is the value written, as rounded by the options of 'kind'. */
static void check_value(const struct kind *kind, double wrote, double read)
{
	char text[64];

	if (kind->options.digits > 0) {
		snprintf(text, sizeof(text), "%.*g", kind->options.digits, wrote);
		wrote = strtod(text, NULL);
	}
	if (memcmp(&wrote, &read, sizeof(read)) != 0 &&
	    !(kind->options.single && (float)wrote == (float)read))
		stop("a value read back is another one");
}

static void check(const struct kind *kind, const struct row_batch *b,
		  const struct byte_buffer *text)
{
	struct rows_options options = { 0 };
	struct text_position where;
	struct row_batch again = { 0 };
	struct error err = { 0 };

	if (svmlight_parse(&again, text->bytes, text->bytes + text->size, &options, &where, &err) <
	    0)
		stop(err.text);
	if (again.n_entries != b->n_entries ||
	    memcmp(again.index, b->index, (size_t)b->n_entries * sizeof(*b->index)) != 0)
		stop("an index read back is another one");
	for (int64_t k = 0; k < b->n_entries; k++)
		check_value(kind, b->value[k], again.value[k]);
	row_batch_free(&again);
}

static void measure(const struct kind *kind, int repeats)
{
	struct byte_buffer text = { 0 };
	struct row_batch b = { 0 };
	struct error err = { 0 };
	double best = 1e9;

	make_rows(&b, kind);
	if (svmlight_append(&text, &b, &kind->options, &err) < 0)
		stop(err.text);
	check(kind, &b, &text);
	for (int r = 0; r < repeats; r++) {
		double start = seconds();

		for (int i = 0; i < 10; i++) {
			text.size = 0;
			svmlight_append(&text, &b, &kind->options, &err);
		}
		if (seconds() - start < best)
			best = seconds() - start;
	}
	printf("%-26s %6.1f %8.0f\n", kind->name, 10e-6 * (double)b.n_entries / best,
	       10e-6 * (double)text.size / best);
	free(text.bytes);
	row_batch_free(&b);
}

int main(int argc, char **argv)
{
	int repeats = argc > 1 ? atoi(argv[1]) : 5;

	printf("%-26s %6s %8s\n", "text of dense rows", "M/s", "MB/s");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		measure(&kinds[i], repeats);
	return 0;
}

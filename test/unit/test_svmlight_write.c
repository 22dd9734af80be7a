/*
 * test_svmlight_write.c - examples written as text, by printf()'s word and read back
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "failing.h"
#include "io/svmlight.h"
#include "plain_reader.h"
#include "random.h"
#include "unit.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

static struct row_batch parse(const char *text, bool keep_text)
{
	const struct rows_options options = { .keep_text = keep_text, .allow_nonfinite = true };
	struct row_batch b = { 0 };
	struct text_position where;
	struct error err = { 0 };

	CHECK(svmlight_parse(&b, text, text + strlen(text), &options, &where, &err) == 0, "%s",
	      err.text);
	return b;
}

static void expect(const struct row_batch *b, const struct svmlight_options *options,
		   const char *want)
{
	struct byte_buffer text = { 0 };
	struct error err = { 0 };

	CHECK(byte_buffer_reserve(&text, 1, &err) == 0 &&
		      svmlight_append(&text, b, options, &err) == 0,
	      "%s", err.text);
	CHECK(text.size == (int64_t)strlen(want) && !memcmp(text.bytes, want, (size_t)text.size),
	      "wrote '%.*s', expected '%s'", (int)text.size, text.bytes, want);
	free(text.bytes);
}

/* What is read, and is written with its text kept, and without. */
static const struct {
	const char *read, *kept, *made;
} cases[] = {
	{ "", "", "" },
	{ "1\n", "1\n", "1\n" },
	{ "+1.0 1:2.50 # c \n", "+1.0 1:2.5 # c\n", "1 1:2.5\n" },
	{ "0x10  qid:07 0:1\n", "0x10 qid:07 0:1\n", "16 0:1\n" },
	{ "-0.0 1:0 2:-0 3:0e5 2147483647:-1e-300#\n\n", "-0.0 2147483647:-1e-300 #\n",
	  "-0 2147483647:-1e-300\n" },
	{ "1 5:1 qid:3 6:nan 7:-inf\n2 # d\n", "1 qid:3 5:1 6:nan 7:-inf\n2 # d\n",
	  "1 5:1 6:nan 7:-inf\n2\n" },
	{ "0.1 9:0.1 10:0.30000000000000004 99999999:1 100000000:2\n",
	  "0.1 9:0.1 10:0.30000000000000004 99999999:1 100000000:2\n",
	  "0.1 9:0.1 10:0.30000000000000004 99999999:1 100000000:2\n" },
};

static void test_cases(void)
{
	const struct svmlight_options shortest = { 0 };

	for (int i = 0; i < LENGTH(cases); i++) {
		struct row_batch kept = parse(cases[i].read, true);
		struct row_batch made = parse(cases[i].read, false);

		expect(&kept, &shortest, cases[i].kept);
		expect(&made, &shortest, cases[i].made);
		row_batch_free(&kept);
		row_batch_free(&made);
	}
}

/* Text is appended, and only the end of a buffer touched. */
static void test_append(void)
{
	const struct svmlight_options shortest = { 0 };
	struct row_batch b = parse("1 1:1\n2 2:2\n", false);
	struct byte_buffer text = { 0 };
	struct error err = { 0 };

	for (int i = 0; i < 1000; i++)
		svmlight_append(&text, &b, &shortest, &err);
	CHECK(text.size == 12000, "%" PRId64 " bytes", text.size);
	for (int64_t i = 0; i + 12 <= text.size; i += 12)
		CHECK(!memcmp(text.bytes + i, "1 1:1\n2 2:2\n", 12), "at %" PRId64, i);
	free(text.bytes);
	row_batch_free(&b);
}

static double random_value(int64_t kind)
{
	uint64_t bits = random_bits();
	double x;

	switch (kind % 4) {
	case 0:
		memcpy(&x, &bits, sizeof(x));
		return isfinite(x) ? x : 1;
	case 1:
		return (double)random_below(1000) / 100;
	case 2:
		return (double)random_below(3);
	default:
		return random_normal();
	}
}

/* Rows of all lengths with indices of all lengths. */
static void make_rows(struct row_batch *b, int n_rows)
{
	struct error err = { 0 };

	CHECK(row_batch_reserve(b, n_rows, (int64_t)n_rows * 100, false, &err) == 0, "%s",
	      err.text);
	b->n_rows = n_rows;
	for (int i = 0; i < n_rows; i++) {
		int64_t index = random_below(3), n = random_below(100);
		int step = 1 << random_below(24);

		b->label[i] = random_value(i);
		for (int64_t k = 0; k < n; k++, index += 1 + random_below(step)) {
			b->index[b->n_entries] = (int32_t)index;
			b->value[b->n_entries++] = random_value(i + k);
		}
		b->row_start[i + 1] = b->n_entries;
	}
}

static void compare(const struct row_batch *a, const struct row_batch *b)
{
	if (!CHECK(a->n_rows == b->n_rows && a->n_entries == b->n_entries,
		   "%" PRId64 " rows and %" PRId64 " entries, expected %" PRId64 " and %" PRId64,
		   a->n_rows, a->n_entries, b->n_rows, b->n_entries))
		return;
	CHECK(!memcmp(a->label, b->label, (size_t)a->n_rows * 8), "other labels");
	CHECK(!memcmp(a->row_start, b->row_start, (size_t)a->n_rows * 8 + 8), "other lengths");
	CHECK(!memcmp(a->index, b->index, (size_t)a->n_entries * 4), "other indices");
	CHECK(!memcmp(a->value, b->value, (size_t)a->n_entries * 8), "other values");
}

/* In their shortest forms the rows come back bit for bit; floats as floats. */
static void test_round_trip(bool single)
{
	const struct svmlight_options options = { .single = single };
	struct row_batch b = { 0 }, again;
	struct byte_buffer text = { 0 };
	struct error err = { 0 };

	make_rows(&b, 1000);
	for (int64_t k = 0; single && k < b.n_entries; k++)
		b.value[k] = fabs(b.value[k]) < FLT_MAX ? (float)b.value[k] : 0.5;
	CHECK(svmlight_append(&text, &b, &options, &err) == 0, "%s", err.text);
	text.bytes[text.size] = '\0';
	again = parse(text.bytes, false);
	for (int64_t k = 0; single && k < again.n_entries; k++)
		again.value[k] = (float)again.value[k];
	plain_drop_zeros(&b);
	compare(&again, &b);
	row_batch_free(&again);
	row_batch_free(&b);
	free(text.bytes);
}

/* With so many digits it is what printf() writes. */
static void test_digits(void)
{
	struct row_batch b = { 0 };

	make_rows(&b, 50);
	for (int digits = 1; digits <= 17; digits++) {
		const struct svmlight_options options = { .digits = digits };
		char *want;
		size_t size;
		FILE *f = open_memstream(&want, &size);

		for (int64_t i = 0; f && i < b.n_rows; i++) {
			char label[DECIMAL_SHORTEST_SIZE];

			decimal_shortest(b.label[i], label);
			fputs(label, f);
			for (int64_t k = b.row_start[i]; k < b.row_start[i + 1]; k++)
				if (b.value[k] != 0)
					fprintf(f, " %d:%.*g", b.index[k], digits, b.value[k]);
			fputc('\n', f);
		}
		if (!CHECK(f && fclose(f) == 0, "no memory"))
			continue;
		expect(&b, &options, want);
		free(want);
	}
	row_batch_free(&b);
}

static int append_once(void *arg, struct error *err)
{
	const struct svmlight_options options = { 0 };
	struct byte_buffer text = { 0 };
	int ret = svmlight_append(&text, arg, &options, err);

	CHECK(ret == 0 || text.size == 0, "%" PRId64 " bytes left after a failure", text.size);
	free(text.bytes);
	return ret;
}

static void test_memory(void)
{
	struct row_batch b = { 0 };
	int64_t n;

	make_rows(&b, 500);
	n = fail_each_allocation("svmlight_append", append_once, &b);
	CHECK(n >= 3, "%" PRId64 " allocations", n);
	row_batch_free(&b);
}

int main(void)
{
	test_cases();
	test_append();
	test_round_trip(false);
	test_round_trip(true);
	test_digits();
	test_memory();
	return unit_report("svmlight_write");
}

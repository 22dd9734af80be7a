/*
 * test_text_part.c - a text cut at every byte: parts that meet have each line once
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <string.h>

#include "io/input.h"
#include "unit.h"

/* Long and short lines, empty ones, ends of both kinds, a last line without an end. */
static const char *const texts[] = {
	"+1 1:1 2:2\n-1 3:3\r\n\n# a comment\n+1\n-1 1:0.5 4:1e-3",
	"1 1:1\n2 2:2\n",
	"1 1:1",
	"\n",
	"\n\n1\n",
	"-1 1:0000000000000000000000000000000000000000000000000000000000000000001\n1\n2"
};

static void write_text(const char *text)
{
	FILE *f = fopen("text", "w");

	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0, "cannot write");
}

/* The part's bytes to the end of 'all'. */
static void add_part(char *all, const struct file_stamp *file, int64_t first, int64_t end)
{
	const size_t n = strlen(all);
	struct error err = { 0 };
	struct input *part;
	int64_t got;

	if (!CHECK(text_part_open(&part, "text", file, first, end, &err) == 0, "%s", err.text))
		return;
	got = input_read(part, all + n, 4096, &err);
	all[n + (size_t)(got > 0 ? got : 0)] = '\0';
	CHECK(got >= 0 && (got == 0 || n == 0 || all[n - 1] == '\n'), "part %d to %d", (int)first,
	      (int)end);
	input_close(part);
}

/* Two cuts anywhere, and up to three parts more than there are bytes. */
static void test_cuts(const char *text)
{
	struct file_stamp file;
	const int64_t size = (int64_t)strlen(text);
	char all[8192];

	write_text(text);
	CHECK(file_stamp_take(&file, "text") && file_stamp_is_text(&file) && file.size == size,
	      "size %d", (int)file.size);
	for (int64_t a = 0; a <= size; a++)
		for (int64_t b = a; b <= size; b++) {
			all[0] = '\0';
			add_part(all, &file, 0, a);
			add_part(all, &file, a, b);
			add_part(all, &file, b, size);
			CHECK(strcmp(all, text) == 0, "cut at %d and %d: %s", (int)a, (int)b, all);
		}
	for (int64_t n = 1; n <= size + 3; n++) {
		all[0] = '\0';
		for (int64_t k = 0; k < n; k++)
			add_part(all, &file, size * k / n, size * (k + 1) / n);
		CHECK(strcmp(all, text) == 0, "%d parts: %s", (int)n, all);
	}
}

/* A line longer than what is looked through at a time. */
static void test_long_line(void)
{
	enum { N = 300000 };
	static char text[N + 64], all[N + 64];
	struct file_stamp file;

	memset(text, '1', N);
	memcpy(text + N, "\n2\n", 4);
	write_text(text);
	CHECK(file_stamp_take(&file, "text") && file_stamp_is_text(&file), "no text");
	for (int64_t cut = 1; cut < N + 3; cut += 99999) {
		struct error err = { 0 };
		struct input *part;

		CHECK(text_part_open(&part, "text", &file, cut, N + 3, &err) == 0, "%s", err.text);
		CHECK(input_read(part, all, N, &err) == (cut <= N + 1 ? 2 : 0) && all[0] == '2',
		      "cut at %d", (int)cut);
		input_close(part);
	}
}

/* What is no text, or no longer the same file. */
static void test_refusals(void)
{
	struct file_stamp file, other;
	struct error err = { 0 };
	struct input *part;

	CHECK(!file_stamp_take(&other, "-") && !file_stamp_take(&other, ".") &&
		      !file_stamp_take(&other, "missing"),
	      "no file");
	write_text("\x1f\x8b packed");
	CHECK(file_stamp_take(&other, "text") && !file_stamp_is_text(&other), "gzip is a text");
	write_text("");
	CHECK(file_stamp_take(&other, "text") && !file_stamp_is_text(&other), "nothing is a text");
	write_text("1 1:1\n");
	CHECK(file_stamp_take(&file, "text") && file_stamp_is_text(&file), "no text");
	write_text("1 1:1\n1 1:2\n");
	CHECK(text_part_open(&part, "text", &file, 0, 6, &err) < 0 && err.code == ERR_IO,
	      "another file");
	remove("text");
	err = (struct error){ 0 };
	CHECK(text_part_open(&part, "text", &file, 0, 6, &err) < 0 && err.code == ERR_IO,
	      "no file");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		test_cuts(texts[i]);
	test_long_line();
	test_refusals();
	return unit_report("text_part");
}

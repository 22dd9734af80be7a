/*
 * test_svmlight_read.c - SVMlight text in all its forms, right and wrong, whole and in pieces
 *
 * Texts lie right before a page that cannot be read, so that a look beyond their end is noticed
 * with any compiler.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/thread.h"
#include "csr_check.h"
#include "failing.h"
#include "io/rows.h"
#include "io/svmlight.h"
#include "matrix/dataset.h"
#include "plain_reader.h"
#include "random.h"
#include "unit.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum {
	ROOM = 1 << 23,	 /* no text is longer */
	CHUNK = 1 << 17, /* what rows_scan() reads at a time */
	AHEAD = 130	 /* the parser looks no farther ahead, and not at all near the end */
};

static const struct rows_options plain_format, nonfinite_format = { .allow_nonfinite = true };
static const struct rows_options strict_format = { .strict = true };

static char text[ROOM];
static char *guarded_end; /* the unreadable page */

static void give_up(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static void make_guard(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p =
		mmap(NULL, ROOM + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + ROOM, page, PROT_NONE) < 0)
		give_up("mmap");
	guarded_end = p + ROOM;
}

/* Parse 'size' bytes that end at the unreadable page. */
static int parse_guarded(struct row_batch *batch, const char *bytes, size_t size,
			 const struct rows_options *options, struct text_position *where,
			 struct error *err)
{
	char *start = guarded_end - size;

	memcpy(start, bytes, size);
	*err = (struct error){ 0 };
	*where = (struct text_position){ 0 };
	return svmlight_parse(batch, start, guarded_end, options, where, err);
}

static bool same_double(double a, double b)
{
	return (isnan(a) && isnan(b)) || !memcmp(&a, &b, sizeof(a));
}

static int64_t largest_index(const struct plain_rows *rows)
{
	int64_t largest = 0;

	for (int64_t k = 0; k < rows->n_entries; k++)
		largest = rows->index[k] > largest ? rows->index[k] : largest;
	return largest;
}

static void compare_rows(const char *what, const struct row_batch *batch,
			 const struct plain_rows *rows)
{
	if (!CHECK(batch->n_rows == rows->n_rows && batch->n_entries == rows->n_entries,
		   "%s: %" PRId64 " rows, %" PRId64 " entries, not %" PRId64 ", %" PRId64, what,
		   batch->n_rows, batch->n_entries, rows->n_rows, rows->n_entries))
		return;
	for (int64_t i = 0; i < rows->n_rows; i++)
		CHECK(same_double(batch->label[i], rows->label[i]),
		      "%s: label %" PRId64 " %a not %a", what, i, batch->label[i], rows->label[i]);
	CHECK(!memcmp(batch->row_start, rows->row_start, (size_t)(rows->n_rows + 1) * 8),
	      "%s: other row starts", what);
	for (int64_t k = 0; k < rows->n_entries; k++)
		CHECK(batch->index[k] == rows->index[k] &&
			      same_double(batch->value[k], rows->value[k]),
		      "%s: entry %" PRId64 ": %d:%a not %" PRId64 ":%a", what, k, batch->index[k],
		      batch->value[k], rows->index[k], rows->value[k]);
	CHECK(batch->max_index == largest_index(rows), "%s: largest index %" PRId64, what,
	      batch->max_index);
}

/* The text parses as it does the plain way. */
static void expect_rows(struct row_batch *batch, const char *bytes, size_t size,
			const struct rows_options *options)
{
	struct text_position where;
	struct plain_rows rows;
	struct error err;
	char what[60];
	bool good = plain_read(&rows, bytes, size, options);

	snprintf(what, sizeof(what), "%.*s", size < 59 ? (int)size : 59, bytes);
	CHECK(good, "%s: refused the plain way", what);
	if (CHECK(parse_guarded(batch, bytes, size, options, &where, &err) == 0,
		  "%s: %" PRId64 ":%" PRId64 ": %s", what, where.line, where.column, err.text)) {
		compare_rows(what, batch, &rows);
		CHECK(batch->n_lines == rows.n_lines, "%s: %" PRId64 " lines", what,
		      batch->n_lines);
	}
	plain_rows_free(&rows);
}

/* ---- Text of all forms ---- */

static size_t text_size;

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_size += (size_t)vsnprintf(text + text_size, ROOM - text_size, format, args);
	va_end(args);
}

static void add_digits(int64_t n)
{
	for (; n > 0; n--)
		text[text_size++] = (char)('0' + random_below(10));
}

static void add_blanks(int64_t least)
{
	for (int64_t n = least + (random_below(6) ? 0 : random_below(4)); n > 0; n--)
		text[text_size++] = random_below(5) ? ' ' : "\t\t\v\f"[random_below(4)];
}

static void add_decimal(void)
{
	int64_t whole = random_below(10), fraction = random_below(10);

	add_digits(whole);
	if (fraction > 0 || whole == 0)
		add(".");
	add_digits(fraction > 0 || whole > 0 ? fraction : 1);
	if (!random_below(8))
		add("%c%+d", "eE"[random_below(2)], (int)random_below(40) - 20);
}

static void add_long_number(void)
{
	add_digits(random_below(40));
	add("%d.", (int)random_below(10));
	add_digits(random_below(900));
	add("e%d", (int)random_below(300) - 150);
}

static void add_odd_number(void)
{
	static const char *const odd[] = { "0",
					   "0",
					   "00012",
					   "000.5",
					   "5.",
					   ".5",
					   "0x10",
					   "0X1.8p3",
					   "0x1p-1074",
					   "0x.8P+1",
					   "4.9406564584124654e-324",
					   "2.4703282292062327e-324",
					   "1e-320",
					   "1e-400",
					   "2.2250738585072011e-308",
					   "1.7976931348623157e308",
					   "9007199254740993",
					   "9999999.9999999",
					   "99999999.9999999",
					   "9999999.99999999",
					   "0.0000001",
					   "1e0000001" };

	add("%s", odd[random_below(LENGTH(odd))]);
}

static void add_any_double(void)
{
	uint64_t bits = random_bits();
	double value;

	memcpy(&value, &bits, sizeof(value));
	add("%.17g", isfinite(value) ? fabs(value) : 0.1);
}

static void add_number(void)
{
	static void (*const forms[])(void) = { add_decimal, add_decimal,    add_decimal,
					       add_decimal, add_odd_number, add_any_double };

	add("%s", (const char *const[]){ "", "", "-", "+" }[random_below(4)]);
	if (random_below(100))
		forms[random_below(LENGTH(forms))]();
	else
		add_long_number();
}

static void add_nonfinite(void)
{
	static const char *const odd[] = { "nan", "NaN",  "-nan",      "nan(1_a)",
					   "inf", "-inf", "+Infinity", "INF" };

	add("%s", odd[random_below(LENGTH(odd))]);
}

/* Indices of one to ten digits; the last of a long row may be the largest there is. */
static void add_entries(bool nonfinite)
{
	int64_t index = random_below(3) ? 1 : 0, n = random_below(random_below(10) ? 12 : 60);

	for (; n > 0 && index <= INT32_MAX; n--) {
		add_blanks(1);
		add("%s%s%" PRId64 ":", random_below(20) ? "" : "+", random_below(20) ? "" : "000",
		    index);
		if (!random_below(10))
			add_blanks(1);
		if (nonfinite && !random_below(5))
			add_nonfinite();
		else
			add_number();
		index += 1 + random_below(random_below(10) ? 12 : INT64_C(1) << random_below(32));
		if (n == 2 && index < INT32_MAX && !random_below(4))
			index = INT32_MAX;
	}
}

static void add_line_end(void)
{
	static const char *const ends[] = { "\n",     "\n",	     "\n",
					    "\n",     "\r\n",	     " \n",
					    "\t\r\n", "# comment\n", " # a:b c:d # e\r\n",
					    "#\n" };

	add("%s", ends[random_below(LENGTH(ends))]);
}

static void add_example(bool nonfinite)
{
	static const char *const labels[] = { "+1", "-1", "1", "0", "-1.5" };

	if (!random_below(20))
		add_blanks(1);
	if (nonfinite && !random_below(10))
		add_nonfinite();
	else if (random_below(4))
		add("%s", labels[random_below(LENGTH(labels))]);
	else
		add_number();
	if (!random_below(20))
		add(" qid:%d ", (int)random_below(100000));
	add_entries(nonfinite);
	if (!random_below(50))
		add(" qid:007\t");
	add_line_end();
}

static void add_lines(size_t size, bool nonfinite)
{
	static const char *const skipped[] = { "\n", "  \t\n", "\r\n", "# a comment\n", " #1:2\n" };

	while (text_size < size)
		if (random_below(20))
			add_example(nonfinite);
		else
			add("%s", skipped[random_below(LENGTH(skipped))]);
}

static void test_all_forms(void)
{
	struct row_batch batch = { 0 };

	for (int trial = 0; trial < 300; trial++) {
		bool nonfinite = trial % 4 == 0;

		text_size = 0;
		add_lines((size_t)(trial < 200 ? random_below(300) : 5000), nonfinite);
		expect_rows(&batch, text, text_size, nonfinite ? &nonfinite_format : &plain_format);
	}
	text_size = 0;
	add_lines(1000000, false);
	expect_rows(&batch, text, text_size, &plain_format);
	row_batch_free(&batch);
	CHECK(!batch.label && !batch.value && batch.capacity.rows == 0, "not emptied");
}

/* A few texts by hand, for what both readers might get wrong alike. */
static void test_by_hand(void)
{
	static const char bytes[] =
		"+1 0:5 3:.5e1\t10: -2 # tail 9:9\r\n\n#c\n-1.25\n2 qid:3 2147483647:1";
	static const double label[] = { 1, -1.25, 2 }, value[] = { 5, 5, -2, 1 };
	static const int32_t index[] = { 0, 3, 10, INT32_MAX };
	static const int64_t start[] = { 0, 3, 3, 4 };
	struct row_batch b = { 0 };
	struct text_position where;
	char line[sizeof(bytes)];
	struct error err;

	memcpy(line, bytes, sizeof(bytes));
	line[sizeof(bytes) - 1] = '\n';
	CHECK(parse_guarded(&b, line, sizeof(line), &plain_format, &where, &err) == 0, "%s",
	      err.text);
	CHECK(b.n_rows == 3 && b.n_entries == 4 && b.n_lines == 5 && b.max_index == INT32_MAX,
	      "%" PRId64 " rows, %" PRId64 " entries", b.n_rows, b.n_entries);
	CHECK(!memcmp(b.label, label, sizeof(label)) &&
		      !memcmp(b.row_start, start, sizeof(start)) &&
		      !memcmp(b.index, index, sizeof(index)) &&
		      !memcmp(b.value, value, sizeof(value)),
	      "other rows");
	CHECK(parse_guarded(&b, "", 0, &plain_format, &where, &err) == 0 && b.n_rows == 0 &&
		      b.n_lines == 0 && b.max_index == 0,
	      "nothing is not nothing");
	row_batch_free(&b);
}

/*
 * Around the limits of the quick path (seven digits of index, before and after the point), with
 * all that may follow, right before the end of the text and away from it.
 */
static void expect_quick(struct row_batch *batch, int index_digits, int whole, int fraction)
{
	static const char *const signs[] = { "", "-", "+" };
	static const char *const after[] = {
		"\n", " \n", "\t2147483647:1\n", "\r\n", "#\n", "\v\n"
	};
	int sign = (int)random_below(3);

	for (int i = 0; i < LENGTH(after); i++) {
		text_size = 0;
		add("1 1");
		add_digits(index_digits - 1);
		add(":%s", signs[sign]);
		add_digits(whole);
		if (fraction >= 0)
			add(".");
		add_digits(fraction);
		add("%s", after[i]);
		expect_rows(batch, text, text_size, &plain_format);
		add("1%*s\n", (int)random_below(2 * AHEAD), "");
		expect_rows(batch, text, text_size, &plain_format);
	}
}

static void test_quick_boundaries(void)
{
	struct row_batch batch = { 0 };

	for (int index_digits = 1; index_digits < 10; index_digits++)
		for (int whole = 0; whole < 10; whole++)
			for (int fraction = -1; fraction < 10; fraction++)
				if (whole > 0 || fraction > 0)
					expect_quick(&batch, index_digits, whole, fraction);
	row_batch_free(&batch);
}

/* An entry of every length at every distance from the end. */
static void test_near_the_end(void)
{
	struct row_batch batch = { 0 };

	for (int tail = 0; tail <= AHEAD; tail++)
		for (int fraction = 0; fraction < 9; fraction++) {
			text_size = 0;
			add("1 7654321:-1234567.%.*s%*s\n", fraction, "98765432", tail, "");
			expect_rows(&batch, text, text_size, &plain_format);
		}
	row_batch_free(&batch);
}

/* As many rows and entries as so many bytes can hold. */
static void test_densest(void)
{
	static const char *const lines[] = { "1\n", "1 0:1 1:1 2:1 3:1 4:1 5:1 6:1 7:1 8:1 9:1\n" };

	for (int i = 0; i < LENGTH(lines); i++)
		for (int n = 1; n < 3000; n *= 3) {
			struct row_batch batch = { 0 };

			for (text_size = 0; text_size < (size_t)n * strlen(lines[i]);)
				add("%s", lines[i]);
			expect_rows(&batch, text, text_size, &plain_format);
			row_batch_free(&batch);
		}
}

/* ---- Errors ---- */

struct defect {
	const char *text; /* without the last newline */
	int64_t line, column;
	const char *reason;
};

static const struct defect defects[] = {
	{ "x 1:1", 1, 1, "expected a label, got 'x'" },
	{ "  x", 1, 3, "expected a label, got 'x'" },
	{ "+", 1, 1, "expected a label, got '+'" },
	{ "-.", 1, 1, "expected a label, got '-.'" },
	{ "1,2 1:1", 1, 1, "expected a label, got '1,2'" },
	{ "\xef\xbb\xbf"
	  "1 1:1",
	  1, 1,
	  "expected a label, got '\xef\xbb\xbf"
	  "1'" },
	{ "1:1", 1, 1, "expected a label, got '1:1'" },
	{ "1\n\n# c\n \t\r\n1 1:x", 5, 5, "expected a value, got 'x'" },
	{ "1 1:1\n2 1:1\n3 2", 3, 3, "expected index:value, got '2'" },
	{ "1 2\t:1", 1, 3, "expected index:value, got '2'" },
	{ "1 a:1", 1, 3, "expected index:value, got 'a:1'" },
	{ "1 :1", 1, 3, "expected index:value, got ':1'" },
	{ "1 1.5:1", 1, 3, "expected index:value, got '1.5:1'" },
	{ "1 ++1:1", 1, 3, "expected index:value, got '++1:1'" },
	{ "1 +:1", 1, 3, "expected index:value, got '+:1'" },
	{ "1 1:1 junk", 1, 7, "expected index:value, got 'junk'" },
	{ "1 0x1:1", 1, 3, "expected index:value, got '0x1:1'" },
	{ "1 -1:1", 1, 3, "negative feature index" },
	{ "1 -a:1", 1, 3, "expected index:value, got '-a:1'" },
	{ "1 2147483648:1", 1, 3, "feature index too large (limit 2147483647)" },
	{ "1 4294967297:1", 1, 3, "feature index too large (limit 2147483647)" },
	{ "1 99999999999999999999999999:1", 1, 3, "feature index too large (limit 2147483647)" },
	{ "+1 3:1 2:5", 1, 8, "feature 2 after 3; indices must ascend" },
	{ "+1 3:1\t 3:5", 1, 9, "feature 3 after 3; indices must ascend" },
	{ "+1 0:1 0:5", 1, 8, "feature 0 after 0; indices must ascend" },
	{ "1 1:", 1, 5, "expected a value, got the end of the line" },
	{ "1 1:  ", 1, 7, "expected a value, got the end of the line" },
	{ "1 1: \r", 1, 7, "expected a value, got the end of the line" },
	{ "1 1:# 2", 1, 5, "expected a value, got '#'" },
	{ "1 1:1x", 1, 5, "expected a value, got '1x'" },
	{ "1 1:1,2:2", 1, 5, "expected a value, got '1,2:2'" },
	{ "1 1:1:2", 1, 5, "expected a value, got '1:2'" },
	{ "1 1:1e", 1, 5, "expected a value, got '1e'" },
	{ "1 1:0x", 1, 5, "expected a value, got '0x'" },
	{ "1 1:--1", 1, 5, "expected a value, got '--1'" },
	{ "1 1:-", 1, 5, "expected a value, got '-'" },
	{ "1 1:.", 1, 5, "expected a value, got '.'" },
	{ "1 1:nanx", 1, 5, "expected a value, got 'nanx'" },
	{ "1 1:nan", 1, 5, "not finite: 'nan'" },
	{ "1 1: -inf", 1, 6, "not finite: '-inf'" },
	{ "1 1:1e400", 1, 5, "not finite: '1e400'" },
	{ "nan 1:1", 1, 1, "not finite: 'nan'" },
	{ "-1e400", 1, 1, "not finite: '-1e400'" },
	{ "1 qid:", 1, 3, "expected qid:number, got 'qid:'" },
	{ "1 qid:x 1:1", 1, 3, "expected qid:number, got 'qid:x'" },
	{ "1 qid:-1", 1, 3, "expected qid:number, got 'qid:-1'" },
	{ "1 qid:3x", 1, 3, "expected qid:number, got 'qid:3x'" },
	{ "1 qid", 1, 3, "expected index:value, got 'qid'" },
	{ "1 1:1 \x01\x7f\x1b[1m:2", 1, 7, "expected index:value, got '???[1m:2'" },
	{ "1 12345678901234567890123456789012345678", 1, 3,
	  "feature index too large (limit 2147483647)" },
	{ "1 a2345678901234567890123456789012345678", 1, 3,
	  "expected index:value, got 'a2345678901234567890123456789012345678'" },
	{ "1 a234567890123456789012345678901234567890", 1, 3,
	  "expected index:value, got 'a23456789012345678901234567890123456...'" },
};

static const struct defect strict_defects[] = {
	{ "", 1, 1, "empty line" },
	{ "1 1:1\n \t\r\n1", 2, 1, "empty line" },
	{ "# c", 1, 1, "comment line" },
	{ "1\n  # c", 2, 1, "comment line" },
	{ "1 1:1 # a:b", 1, 7, "colon in a comment" },
	{ "1 1:1# a:b", 1, 6, "colon in a comment" },
	{ "1 qid:1 1:1", 1, 3, "qid" },
	{ "1 qid:x", 1, 3, "qid" },
	{ "1 1:nan", 1, 5, "not finite: 'nan'" },
};

/* Is the text this reason, with or without advice behind it? */
static bool says(const char *reported, const char *reason)
{
	size_t n = strlen(reason);

	return strncmp(reported, reason, n) == 0 &&
	       (!reported[n] || !strncmp(reported + n, " (", 2) || !strncmp(reported + n, "; ", 2));
}

/* The rows before the wrong line are in the batch, of the line itself nothing. */
static void expect_defect(struct row_batch *batch, const struct defect *d, const char *bytes,
			  size_t size, const struct rows_options *options)
{
	struct text_position where;
	struct plain_rows rows;
	struct error err;

	CHECK(!plain_read(&rows, bytes, size, options), "%s: taken the plain way", d->text);
	CHECK(parse_guarded(batch, bytes, size, options, &where, &err) == -1 &&
		      err.code == ERR_FORMAT && says(err.text, d->reason),
	      "%s: '%s', not '%s'", d->text, err.text, d->reason);
	CHECK(where.line == d->line && where.column == d->column,
	      "%s: at %" PRId64 ":%" PRId64 ", not %" PRId64 ":%" PRId64, d->text, where.line,
	      where.column, d->line, d->column);
	CHECK(rows.n_lines == d->line && batch->n_lines == d->line, "%s: %" PRId64 " lines",
	      d->text, batch->n_lines);
	compare_rows(d->text, batch, &rows);
	plain_rows_free(&rows);
}

/* As the text's last line, and far from its end. */
static void expect_defects(const struct defect *d, int n, const struct rows_options *options)
{
	struct row_batch batch = { 0 };

	for (; n > 0; n--, d++) {
		text_size = 0;
		add("%s\n", d->text);
		expect_defect(&batch, d, text, text_size, options);
		add("1 1:1%*s\nx\n", AHEAD, "");
		expect_defect(&batch, d, text, text_size, options);
	}
	row_batch_free(&batch);
}

static void test_nul_byte(void)
{
	static const struct defect value = { "value", 1, 5, "expected a value, got '1?'" };
	static const struct defect index = { "index", 1, 3, "expected index:value, got '1?:1'" };
	static const struct defect label = { "label", 1, 1, "expected a label, got '?1'" };
	struct row_batch batch = { 0 };

	expect_defect(&batch, &value, "1 1:1\0 2:2\n", 11, &plain_format);
	expect_defect(&batch, &index, "1 1\0:1 2:2\n", 11, &plain_format);
	expect_defect(&batch, &label,
		      "\0"
		      "1 1:1\n",
		      7, &plain_format);
	row_batch_free(&batch);
}

static void test_comment_after_qid(void)
{
	struct row_batch batch = { 0 };

	expect_rows(&batch, "1 qid:3# c\n", 11, &plain_format);
	row_batch_free(&batch);
}

/* What the strict reader does take, and what the other takes besides. */
static void test_options(void)
{
	static const char *const strict[] = { "1 1:1 # a b\n", "1 # c\n", "+1\t0:1 5: 0x10\r\n",
					      "1 1:1\n" };
	static const char *const nonfinite[] = { "nan 1:1\n", "1 1:nan 2:-inf 3:inf\n", "-inf\n",
						 "1 1:NAN(12)# c\n" };
	struct row_batch batch = { 0 };

	for (int i = 0; i < LENGTH(strict); i++)
		expect_rows(&batch, strict[i], strlen(strict[i]), &strict_format);
	for (int i = 0; i < LENGTH(strict_defects) - 1; i++) {
		text_size = 0;
		add("%s\n", strict_defects[i].text);
		if (!strstr(strict_defects[i].text, "qid:x"))
			expect_rows(&batch, text, text_size, &plain_format);
	}
	for (int i = 0; i < LENGTH(nonfinite); i++)
		expect_rows(&batch, nonfinite[i], strlen(nonfinite[i]), &nonfinite_format);
	row_batch_free(&batch);
}

/* With label_optional a row begins with its label, an entry or a qid. */
static void test_label_optional(void)
{
	static const struct rows_options optional = { .label_optional = true, .keep_text = true };
	static const char rows[] = "1:0.5 2:1\n3 1:1\n  qid:4 5:1 # c\n0:7\n-2\n";
	static const double label[] = { NAN, 3, NAN, NAN, -2 };
	static const int64_t start[] = { 0, 2, 3, 4, 5, 5 };
	struct row_batch b = { 0 };
	struct text_position where;
	struct error err;

	CHECK(parse_guarded(&b, rows, strlen(rows), &optional, &where, &err) == 0, "%s", err.text);
	CHECK(b.n_rows == 5, "%" PRId64 " rows", b.n_rows);
	for (int i = 0; i < 5 && b.n_rows == 5; i++)
		CHECK(same_double(b.label[i], label[i]) && b.row_start[i + 1] == start[i + 1],
		      "row %d: label %g, end %" PRId64, i, b.label[i], b.row_start[i + 1]);
	CHECK(b.text[0].label.length == 0 && b.text[1].label.length == 1, "text of labels");
	CHECK(b.text[2].qid.length == 5 && b.text[2].comment.length == 3, "qid and comment");
	CHECK(parse_guarded(&b, "1:x\n", 4, &optional, &where, &err) < 0 && where.column == 3,
	      "column %" PRId64, where.column);
	CHECK(parse_guarded(&b, ":1\n", 3, &optional, &where, &err) < 0, "an entry of no feature");
	row_batch_free(&b);
}

/* Behind a row without a label a line without an example is a row; behind others it is none. */
static void test_empty_unlabelled(void)
{
	static const char text[] = "\n# a\n2:1\n\n # b\n1 1:1\n# c\n\nqid:1\n\r\n";
	static const int64_t start[] = { 0, 1, 1, 1, 2, 2, 2 };
	/* number of rows where the row before the text has a label, and where it has none */
	static const int n_rows[] = { 6, 8 };

	for (int after = 0; after < 2; after++) {
		const struct rows_options optional = { .label_optional = true,
						       .keep_text = true,
						       .after_unlabelled = after };
		struct row_batch b = { 0 };
		struct text_position where;
		struct error err;
		int first = n_rows[after] - 6;

		CHECK(parse_guarded(&b, text, strlen(text), &optional, &where, &err) == 0, "%s",
		      err.text);
		CHECK(b.n_rows == n_rows[after] && b.n_lines == 10, "%" PRId64 " rows", b.n_rows);
		for (int i = 0; i < 6 && b.n_rows == n_rows[after]; i++)
			CHECK(isnan(b.label[first + i]) == (i != 3) &&
				      b.row_start[first + i + 1] == start[i + 1],
			      "row %d", i);
		CHECK(b.text[first + 1].comment.length == 0 &&
			      b.text[first + 2].comment.length == 3 &&
			      b.text[first + 2].label.length == 0,
		      "texts");
		row_batch_free(&b);
	}
	CHECK(svmlight_ends_unlabelled(text, text + strlen(text), false) &&
		      !svmlight_ends_unlabelled(text, strstr(text, "qid"), true) &&
		      svmlight_ends_unlabelled(text, strstr(text, "1 1:1"), false),
	      "the last row");
	for (int before = 0; before < 2; before++)
		CHECK(svmlight_ends_unlabelled(text, strstr(text, "2:1"), before) == before,
		      "no row");
}

/* ---- Damage at random ---- */

/* Entries of the most common form, as the parser likes them. */
static void add_common_line(void)
{
	add("%+d", random_below(2) ? 1 : -1);
	for (int64_t index = 1, n = random_below(40); n > 0; n--) {
		add(" %" PRId64 ":%.*g", index, (int)random_below(8) + 1, random_normal());
		index += 1 + random_below(random_below(4) ? 3 : 30000);
	}
	add("\n");
}

/* What is said of the text is the same with and without more text behind it. */
static void expect_the_same(struct row_batch *batch, const struct plain_rows *rows, bool good,
			    size_t size)
{
	struct text_position near, far;
	struct error near_error, far_error;
	int ret = parse_guarded(batch, text, size, &plain_format, &near, &near_error);

	CHECK((ret == 0) == good, "%.*s: %d, %s", (int)size, text, ret, near_error.text);
	compare_rows(text, batch, rows);
	if (good)
		return;
	parse_guarded(batch, text, text_size, &plain_format, &far, &far_error);
	compare_rows(text, batch, rows);
	CHECK(!strcmp(near_error.text, far_error.text) && near.line == far.line &&
		      near.column == far.column,
	      "%.*s: '%s' at %" PRId64 ", then '%s' at %" PRId64, (int)size, text, near_error.text,
	      near.column, far_error.text, far.column);
}

static void test_damage(void)
{
	static const char bytes[] = "0123456789:.-+ eExn#\t\r\n\v\0\1\x7f\x80\xba\xff;/";
	struct row_batch batch = { 0 };
	struct plain_rows rows;

	for (int trial = 0; trial < 20000; trial++) {
		size_t size;
		bool good;

		text_size = 0;
		add_common_line();
		add_common_line();
		for (int64_t n = random_below(3); n >= 0; n--)
			text[random_below((int64_t)text_size - 1)] =
				bytes[random_below(sizeof(bytes) - 1)];
		size = text_size;
		good = plain_read(&rows, text, size, &plain_format);
		add("1%*s\n", AHEAD, "");
		expect_the_same(&batch, &rows, good, size);
		plain_rows_free(&rows);
	}
	row_batch_free(&batch);
}

/* ---- Scanning ---- */

/* A file without a name holding [text, text + text_size); its path. */
struct source {
	int fd;
	char path[40];
	bool is_pipe;
	int feed;
	pthread_t feeder;
};

static void *feed_pipe(void *arg)
{
	const struct source *s = arg;
	size_t done = 0;

	while (done < text_size) {
		size_t piece = text_size - done < 70001 ? text_size - done : 70001;
		ssize_t n = write(s->feed, text + done, piece);

		if (n < 0)
			break;
		done += (size_t)n;
	}
	close(s->feed);
	return NULL;
}

static void source_open(struct source *s, bool is_pipe)
{
	int ends[2];

	s->is_pipe = is_pipe;
	if (is_pipe) {
		if (pipe(ends) < 0)
			give_up("pipe");
		s->fd = ends[0];
		s->feed = ends[1];
		if (pthread_create(&s->feeder, NULL, feed_pipe, s))
			give_up("pthread_create");
	} else {
		s->fd = memfd_create("text", 0);
		if (s->fd < 0 || write(s->fd, text, text_size) != (ssize_t)text_size)
			give_up("memfd");
	}
	snprintf(s->path, sizeof(s->path), "/proc/self/fd/%d", s->fd);
}

static void source_close(struct source *s)
{
	close(s->fd);
	if (s->is_pipe)
		pthread_join(s->feeder, NULL);
}

/* What a scan delivers: one matrix, one list of labels. */
struct collection {
	struct csr x;
	double *label;
	int64_t labels_capacity, n_lines, max_index;
	int64_t taken;
	atomic_int delivering;
};

static void collection_free(struct collection *c)
{
	csr_free(&c->x);
	free(c->label);
	*c = (struct collection){ 0 };
}

static int collect(void *arg, struct row_batch *b, void *user, struct error *err)
{
	struct collection *c = arg;
	int64_t old = c->x.n_rows;

	CHECK(user == NULL, "a user pointer from nowhere");
	CHECK(atomic_fetch_add(&c->delivering, 1) == 0, "two threads deliver");
	if (mem_grow(&c->label, &c->labels_capacity, old + b->n_rows, 8, err) < 0 ||
	    csr_append(&c->x, b->n_rows, b->row_start, b->index, b->value, err) < 0)
		return -1;
	if (b->n_rows > 0)
		memcpy(c->label + old, b->label, (size_t)b->n_rows * sizeof(double));
	c->n_lines += b->n_lines;
	c->max_index = b->max_index > c->max_index ? b->max_index : c->max_index;
	atomic_fetch_sub(&c->delivering, 1);
	return 0;
}

static void note_progress(void *arg, int64_t taken, int64_t total)
{
	struct collection *c = arg;

	CHECK(taken >= c->taken && (total == -1 || total == (int64_t)text_size),
	      "%" PRId64 " of %" PRId64 " after %" PRId64, taken, total, c->taken);
	c->taken = taken;
}

/* Scan 'text' into the empty collection. */
static int scan(struct collection *c, bool is_pipe, int n_threads, struct error *err)
{
	struct rows_visitor visitor = { .deliver = collect,
					.arg = c,
					.progress = { note_progress, c } };
	struct input *input;
	struct source source;
	int ret = -1;

	source_open(&source, is_pipe);
	if (input_open(&input, source.path, err) == 0) {
		ret = rows_scan(input, &plain_format, &visitor, n_threads, err);
		input_close(input);
	}
	source_close(&source);
	return ret;
}

static void compare_collection(const struct collection *c, const struct plain_rows *rows,
			       int n_threads)
{
	struct row_batch all = { .n_rows = c->x.n_rows,
				 .n_entries = csr_n_entries(&c->x),
				 .max_index = c->max_index,
				 .label = c->label,
				 .row_start = c->x.row_start ? c->x.row_start : (int64_t[]){ 0 },
				 .index = c->x.col,
				 .value = c->x.val };
	char what[40];

	snprintf(what, sizeof(what), "%zu bytes, %d threads", text_size, n_threads);
	compare_rows(what, &all, rows);
}

/* The plain reader wants a newline at the end, which 'text' has room for. */
static bool read_plainly(struct plain_rows *rows)
{
	size_t size = text_size;

	if (size > 0 && text[size - 1] != '\n')
		text[size++] = '\n';
	return plain_read(rows, text, size, &plain_format);
}

static void expect_scan_on(const struct plain_rows *rows, bool is_pipe, int n_threads)
{
	struct collection c = { 0 };
	struct error err = { 0 };

	CHECK(scan(&c, is_pipe, n_threads, &err) == 0, "%zu bytes, %d threads: %s", text_size,
	      n_threads, err.text);
	compare_collection(&c, rows, n_threads);
	CHECK(c.n_lines == rows->n_lines && c.taken == (int64_t)text_size,
	      "%" PRId64 " of %" PRId64 " lines, %" PRId64 " bytes", c.n_lines, rows->n_lines,
	      c.taken);
	collection_free(&c);
}

static void expect_scan(bool is_pipe)
{
	static const int threads[] = { 1, 2, 5 };
	struct plain_rows rows;

	CHECK(read_plainly(&rows), "refused the plain way");
	for (int i = 0; i < LENGTH(threads); i++)
		expect_scan_on(&rows, is_pipe, threads[i]);
	plain_rows_free(&rows);
}

static void add_long_line(size_t size)
{
	size_t end = text_size + size;

	add("-1");
	for (int64_t index = 1; text_size < end; index++)
		add(" %" PRId64 ":%d.%d", index, (int)random_below(1000), (int)random_below(1000));
	add("\n");
}

/* Lines longer than a piece, a comment too, and a last line without an end. */
static void make_long_text(void)
{
	text_size = 0;
	add_lines(CHUNK / 2, false);
	add_long_line(3 * CHUNK / 2);
	add_lines(5 * CHUNK / 2, false);
	add("# %*s\n", CHUNK + 5, "comment");
	add_lines(4 * CHUNK, false);
	add("1 1:1 77:0.25");
}

static void test_scan_long_lines(void)
{
	make_long_text();
	expect_scan(false);
	expect_scan(true);
	text_size = 0;
	add_long_line(5 * CHUNK / 2);
	expect_scan(true);
}

/* Pieces end just before, at and after the end of a line. */
static void test_scan_boundaries(void)
{
	for (int shift = -2; shift <= 2; shift++)
		for (int tail = 0; tail < 4; tail++) {
			text_size = 0;
			add("1 1:1%*s\n", CHUNK - 7 + shift, "# filled");
			add("%s", (const char *const[]){ "", "2", "2\n", "\n" }[tail]);
			expect_scan(false);
		}
}

static void test_scan_small(void)
{
	static const char *const texts[] = { "", "\n", "1", "1\n", "\r\n\r\n", "# c", "1\n\n\n2" };

	for (int i = 0; i < LENGTH(texts); i++) {
		text_size = 0;
		add("%s", texts[i]);
		expect_scan(false);
		expect_scan(true);
	}
}

/* An error has its line in the file, and all rows before it are delivered. */
static void expect_scan_error(bool is_pipe, int n_threads, int64_t column, const char *reason)
{
	struct collection c = { 0 };
	struct error err = { 0 };
	struct plain_rows rows;
	char expected[200], where[60], *at;

	CHECK(!read_plainly(&rows), "taken the plain way");
	CHECK(scan(&c, is_pipe, n_threads, &err) == -1 && err.code == ERR_FORMAT, "%d: %s",
	      err.code, err.text);
	snprintf(where, sizeof(where), "Wrong input format at line %" PRId64 ": /proc/self/fd/",
		 rows.n_lines);
	snprintf(expected, sizeof(expected), ":%" PRId64 ":%" PRId64 ": %s", rows.n_lines, column,
		 reason);
	at = strchr(err.text + strlen(where), ':');
	CHECK(!strncmp(err.text, where, strlen(where)) && at && !strcmp(at, expected), "%s",
	      err.text);
	compare_collection(&c, &rows, n_threads);
	collection_free(&c);
	plain_rows_free(&rows);
}

static void test_scan_errors(void)
{
	text_size = 0;
	add_lines(10 * CHUNK / 4, false);
	add("1 5:1 5:2\n");
	add_lines(13 * CHUNK / 4, false);
	add("a later error\n");
	for (int n_threads = 1; n_threads <= 5; n_threads += 2) {
		expect_scan_error(false, n_threads, 7, "feature 5 after 5; indices must ascend");
		expect_scan_error(true, n_threads, 7, "feature 5 after 5; indices must ascend");
	}
	text_size = 0;
	add("1 1:1\n2 x");
	expect_scan_error(false, 2, 3, "expected index:value, got 'x'");
}

/* ---- Visitors that work, and that fail ---- */

struct worker {
	atomic_int batches;
	int64_t rows;
};

struct overseer {
	struct worker *workers;
	int n_workers, n_delivered, fails_at;
	int64_t n_rows;
	atomic_long rows_worked;
};

/* The user pointer is the batch's from work to deliver. */
static int work_on_batch(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	struct overseer *o = arg;
	struct worker *w = user;

	(void)err;
	CHECK(w >= o->workers && w < o->workers + o->n_workers, "not one of the user pointers");
	CHECK(atomic_fetch_add(&w->batches, 1) == 0, "two batches at a time");
	w->rows = batch->n_rows;
	atomic_fetch_add(&o->rows_worked, batch->n_rows);
	return 0;
}

static int deliver_batch(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	struct overseer *o = arg;
	struct worker *w = user;

	CHECK(w->rows == batch->n_rows, "%" PRId64 " rows worked on, %" PRId64 " delivered",
	      w->rows, batch->n_rows);
	atomic_fetch_sub(&w->batches, 1);
	o->n_rows += batch->n_rows;
	if (o->n_delivered++ == o->fails_at)
		return error_set(err, ERR_IO, "no more");
	return 0;
}

static int oversee(struct overseer *o, int n_threads, struct error *err)
{
	struct worker workers[8] = { 0 };
	struct rows_visitor visitor = { .work = work_on_batch,
					.deliver = deliver_batch,
					.arg = o,
					.users = { workers, sizeof(*workers) } };
	struct source source;
	struct input *input;
	int ret;

	o->workers = workers;
	o->n_workers = n_threads;
	source_open(&source, true);
	if (input_open(&input, source.path, err) < 0)
		give_up(err->text);
	ret = rows_scan(input, &plain_format, &visitor, n_threads, err);
	input_close(input);
	source_close(&source);
	return ret;
}

static void test_visitors(void)
{
	text_size = 0;
	while (text_size < 4 * CHUNK)
		add("1 1:1 2:%d\n", (int)(text_size % 1000));
	for (int n_threads = 1; n_threads <= 4; n_threads += 3) {
		struct overseer good = { .fails_at = -1 }, bad = { .fails_at = 2 };
		struct error err = { 0 };

		CHECK(oversee(&good, n_threads, &err) == 0, "%s", err.text);
		CHECK(good.n_rows == good.rows_worked && good.n_delivered >= 4,
		      "%" PRId64 " rows, %ld worked on", good.n_rows, good.rows_worked);
		CHECK(oversee(&bad, n_threads, &err) == -1 && err.code == ERR_IO &&
			      !strcmp(err.text, "no more"),
		      "%s", err.text);
		CHECK(bad.n_delivered == 3, "%d batches delivered", bad.n_delivered);
	}
}

/* ---- Data sets ---- */

static int load(struct dataset *d, int n_threads, struct error *err)
{
	struct input *input;
	struct source source;
	int ret = -1;

	source_open(&source, false);
	if (input_open(&input, source.path, err) == 0) {
		ret = dataset_read(d, input, &plain_format, NULL, n_threads, err);
		input_close(input);
	}
	source_close(&source);
	return ret;
}

static bool dataset_is_empty(const struct dataset *d)
{
	static const struct dataset empty;

	return !memcmp(d, &empty, sizeof(empty));
}

static void test_dataset(void)
{
	struct dataset d = { 0 };
	struct error err = { 0 };
	struct plain_rows rows;

	text_size = 0;
	add_lines(5 * CHUNK / 2, false);
	read_plainly(&rows);
	CHECK(load(&d, 3, &err) == 0, "%s", err.text);
	CHECK(csr_check(&d.x, &err) == 0, "%s", err.text);
	compare_collection(&(struct collection){ .x = d.x, .label = d.y, .max_index = d.max_index },
			   &rows, 3);
	CHECK(d.x.starts_capacity == d.x.n_rows + 1 && d.labels_capacity == d.x.n_rows &&
		      d.x.cols_capacity == rows.n_entries && d.x.vals_capacity == rows.n_entries,
	      "room left over for %" PRId64 " entries", d.x.cols_capacity - rows.n_entries);
	dataset_free(&d);
	CHECK(dataset_is_empty(&d), "not emptied");
	plain_rows_free(&rows);
}

static void test_dataset_errors(void)
{
	struct dataset d = { 0 };
	struct error err = { 0 };

	text_size = 0;
	add("# nothing\n\n");
	CHECK(load(&d, 2, &err) == -1 && err.code == ERR_FORMAT &&
		      strstr(err.text, ": no examples") && dataset_is_empty(&d),
	      "%s", err.text);
	err = (struct error){ 0 };
	text_size = 0;
	add("1 1:1\n1 1:1 1\n");
	CHECK(load(&d, 2, &err) == -1 && strstr(err.text, ":2:7: expected index:value, got '1'") &&
		      dataset_is_empty(&d),
	      "%s", err.text);
}

/* ---- Memory ---- */

static int parse_once(void *arg, struct error *err)
{
	struct row_batch batch = { 0 };
	struct text_position where;
	int ret = svmlight_parse(&batch, text, text + text_size, &plain_format, &where, err);

	(void)arg;
	row_batch_free(&batch);
	return ret;
}

static int scan_once(void *arg, struct error *err)
{
	struct collection c = { 0 };
	int ret = scan(&c, false, *(int *)arg, err);

	collection_free(&c);
	return ret;
}

static int load_once(void *arg, struct error *err)
{
	struct dataset d = { 0 };
	int ret = load(&d, *(int *)arg, err);

	CHECK((ret == 0) != dataset_is_empty(&d), "%" PRId64 " rows after %d", d.x.n_rows, ret);
	dataset_free(&d);
	return ret;
}

static void test_memory(void)
{
	int64_t n;

	text_size = 0;
	add_lines(1000, false);
	n = fail_each_allocation("svmlight_parse", parse_once, NULL);
	CHECK(n == 4, "%" PRId64 " allocations", n);
	add_long_line(CHUNK);
	add_lines(text_size + CHUNK / 8, false);
	for (int n_threads = 1; n_threads <= 3; n_threads += 2) {
		n = fail_each_allocation("rows_scan", scan_once, &n_threads);
		CHECK(n >= 8, "%" PRId64 " allocations", n);
		n = fail_each_allocation("dataset_read", load_once, &n_threads);
		CHECK(n >= 8, "%" PRId64 " allocations", n);
	}
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	make_guard();
	test_all_forms();
	test_by_hand();
	test_quick_boundaries();
	test_near_the_end();
	test_densest();
	expect_defects(defects, LENGTH(defects), &plain_format);
	expect_defects(strict_defects, LENGTH(strict_defects), &strict_format);
	test_nul_byte();
	test_comment_after_qid();
	test_options();
	test_label_optional();
	test_empty_unlabelled();
	test_damage();
	test_scan_long_lines();
	test_scan_boundaries();
	test_scan_small();
	test_scan_errors();
	test_visitors();
	test_dataset();
	test_dataset_errors();
	test_memory();
	return unit_report("svmlight_read");
}

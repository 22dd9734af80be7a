/*
 * test_binary.c - examples in binary form: there and back, damaged, cut short, joined
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/binary.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "failing.h"
#include "io/gzip.h"
#include "io/output.h"
#include "io/rows.h"
#include "io/row_batch.h"
#include "memory_input.h"
#include "random.h"
#include "unit.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const struct rows_options plain = { 0 }, nonfinite = { .allow_nonfinite = true };

/* ---- Rows to write, and rows that were read ---- */

static void begin_batch(struct row_batch *b)
{
	struct error err = { 0 };

	if (row_batch_reserve(b, 1, 1, false, &err) < 0)
		give_up(err.text);
}

/* Add a row of n entries whose indices begin with 'first' and rise by up to 'step'. */
static void add_row(struct row_batch *b, double label, int64_t n, int64_t first, int step,
		    double (*draw)(void))
{
	struct error err = { 0 };
	int64_t rows = b->n_rows + 1, entries = b->n_entries + n;

	if (mem_grow(&b->label, &b->capacity.rows, rows, 8, &err) < 0 ||
	    mem_grow(&b->row_start, &b->capacity.starts, rows + 1, 8, &err) < 0 ||
	    mem_grow(&b->index, &b->capacity.indices, entries, 4, &err) < 0 ||
	    mem_grow(&b->value, &b->capacity.values, entries, 8, &err) < 0)
		give_up(err.text);
	b->label[b->n_rows++] = label;
	for (int64_t k = 0; k < n; k++) {
		b->index[b->n_entries] = (int32_t)first;
		b->value[b->n_entries++] = draw();
		b->max_index = first > b->max_index ? first : b->max_index;
		first += step > 1 ? 1 + random_below(step) : 1;
	}
	b->row_start[b->n_rows] = b->n_entries;
}

static double draw_double(void)
{
	double x;

	do {
		uint64_t bits = random_bits();

		memcpy(&x, &bits, sizeof(x));
	} while (!isfinite(x));
	return random_below(8) ? x : random_below(2) ? 0.0 : -5e-324;
}

static double draw_float(void)
{
	float x;

	do {
		uint32_t bits = (uint32_t)random_bits();

		memcpy(&x, &bits, sizeof(x));
	} while (!isfinite(x));
	return x;
}

static double draw_anything(void)
{
	static const double odd[] = { INFINITY, -INFINITY, NAN, -0.0, 1 };

	return odd[random_below(LENGTH(odd))];
}

static int append(void *arg, struct row_batch *b, void *user, struct error *err)
{
	struct row_batch *all = arg;
	int64_t rows = all->n_rows + b->n_rows, entries = all->n_entries + b->n_entries;

	(void)user;
	CHECK(b->row_start[0] == 0 && b->row_start[b->n_rows] == b->n_entries && !b->has_text,
	      "no batch");
	if (mem_grow(&all->label, &all->capacity.rows, rows, 8, err) < 0 ||
	    mem_grow(&all->row_start, &all->capacity.starts, rows + 1, 8, err) < 0 ||
	    mem_grow(&all->index, &all->capacity.indices, entries, 4, err) < 0 ||
	    mem_grow(&all->value, &all->capacity.values, entries, 8, err) < 0)
		return -1;
	memcpy(all->label + all->n_rows, b->label, (size_t)b->n_rows * 8);
	memcpy(all->index + all->n_entries, b->index, (size_t)b->n_entries * 4);
	memcpy(all->value + all->n_entries, b->value, (size_t)b->n_entries * 8);
	for (int64_t i = 1; i <= b->n_rows; i++)
		all->row_start[all->n_rows + i] = all->n_entries + b->row_start[i];
	all->max_index = b->max_index > all->max_index ? b->max_index : all->max_index;
	all->n_rows = rows;
	all->n_entries = entries;
	return 0;
}

static void compare(const char *what, const struct row_batch *a, const struct row_batch *b)
{
	if (!CHECK(a->n_rows == b->n_rows && a->n_entries == b->n_entries,
		   "%s: %" PRId64 " rows, %" PRId64 " entries, expected %" PRId64 ", %" PRId64,
		   what, a->n_rows, a->n_entries, b->n_rows, b->n_entries))
		return;
	CHECK(a->max_index == b->max_index, "%s: largest index %" PRId64 ", not %" PRId64, what,
	      a->max_index, b->max_index);
	CHECK(!memcmp(a->label, b->label, (size_t)a->n_rows * 8), "%s: other labels", what);
	CHECK(!memcmp(a->row_start, b->row_start, (size_t)(a->n_rows + 1) * 8), "%s: other lengths",
	      what);
	CHECK(!memcmp(a->index, b->index, (size_t)a->n_entries * 4), "%s: other indices", what);
	CHECK(!memcmp(a->value, b->value, (size_t)a->n_entries * 8), "%s: other values", what);
}

/* Append a shard with this batch to what is written. */
static void write_shard(struct byte_buffer *out, const struct row_batch *b, int value_size)
{
	struct binary_totals totals = { 0 };
	struct error err = { 0 };
	int64_t before;

	binary_add_header(out, value_size, &err);
	before = out->size;
	binary_add_rows(out, b, value_size, &err);
	binary_count(&totals, out->bytes + before, out->size - before, value_size);
	binary_add_end(out, &totals, &err);
	CHECK(err.code == ERR_NONE, "%s", err.text);
	CHECK(totals.n_rows == (uint64_t)b->n_rows && totals.n_entries == (uint64_t)b->n_entries,
	      "%" PRIu64 " rows and %" PRIu64 " entries counted", totals.n_rows, totals.n_entries);
}

/* All rows of the file at 'path' into the empty batch. */
static int read_path(struct row_batch *all, const char *path, const struct rows_options *options,
		     int n_threads, struct error *err)
{
	struct rows_visitor visitor = { .deliver = append, .arg = all };
	struct input *input;
	int ret = -1;

	*all = (struct row_batch){ 0 };
	if (row_batch_reserve(all, 1, 1, false, err) < 0)
		return -1;
	if (input_open(&input, path, err) == 0) {
		ret = rows_scan(input, options, &visitor, n_threads, err);
		input_close(input);
	}
	return ret;
}

static int read_bytes(struct row_batch *all, const char *bytes, int64_t size, bool is_pipe,
		      const struct rows_options *options, int n_threads, struct error *err)
{
	struct memory_input memory;
	int ret;

	memory_input_open(&memory, bytes, size, is_pipe);
	ret = read_path(all, memory.path, options, n_threads, err);
	memory_input_close(&memory);
	return ret;
}

static void expect_rows(const char *what, const struct byte_buffer *out,
			const struct row_batch *rows, const struct rows_options *options)
{
	for (int n_threads = 1; n_threads <= 3; n_threads++) {
		struct row_batch all;
		struct error err = { 0 };

		CHECK(read_bytes(&all, out->bytes, out->size, n_threads == 2, options, n_threads,
				 &err) == 0,
		      "%s: %s", what, err.text);
		compare(what, &all, rows);
		row_batch_free(&all);
	}
}

/* Written, and read from files and pipes, in batches of all sizes, gzipped too. */
static void round_trip(const char *what, const struct row_batch *rows, int value_size,
		       const struct rows_options *options)
{
	static const int64_t bounds[] = { 1, 2, 1000 };
	struct byte_buffer out = { 0 };
	struct output *output;
	struct error err = { 0 };
	struct row_batch all;

	write_shard(&out, rows, value_size);
	expect_rows(what, &out, rows, options);
	for (int i = 0; i < LENGTH(bounds) && rows->n_rows < 3000; i++) {
		struct rows_options bounded = *options;

		bounded.max_rows = bounds[i];
		expect_rows(what, &out, rows, &bounded);
	}
	if (output_open(&output, "rows.gz", false, &err) < 0 ||
	    output_write(output, out.bytes, out.size, &err) < 0 || output_commit(output, &err) < 0)
		give_up(err.text);
	CHECK(read_path(&all, "rows.gz", options, 2, &err) == 0, "%s: %s", what, err.text);
	compare(what, &all, rows);
	row_batch_free(&all);
	free(out.bytes);
}

/* ---- There and back ---- */

static void test_round_trips(void)
{
	struct row_batch b = { 0 };

	begin_batch(&b);
	round_trip("nothing", &b, 8, &plain);
	add_row(&b, 1, 0, 0, 1, draw_double);
	round_trip("an empty row", &b, 8, &plain);
	add_row(&b, -1e-310, 0, 0, 1, draw_double);
	add_row(&b, 2, 3, 0, 1, draw_double);
	add_row(&b, 2, 1, INT32_MAX, 1, draw_double);
	round_trip("a few rows", &b, 8, &plain);

	begin_batch(&b);
	for (int i = 0; i < 2500; i++)
		add_row(&b, draw_double(), random_below(80), random_below(5), 1 << random_below(20),
			draw_double);
	round_trip("sparse rows", &b, 8, &plain);

	begin_batch(&b);
	for (int i = 0; i < 2000; i++)
		add_row(&b, i, 70, 3, 1, draw_double);
	round_trip("dense rows", &b, 8, &plain);

	begin_batch(&b);
	for (int i = 0; i < 1000; i++)
		add_row(&b, draw_double(), 100, i < 500 ? 1 : INT32_MAX - 199, i % 7 ? 1 : 2,
			draw_float);
	round_trip("floats", &b, 4, &plain);

	begin_batch(&b);
	for (int i = 0; i < 100; i++)
		add_row(&b, draw_anything(), random_below(9), 1, 3, draw_anything);
	round_trip("not finite", &b, 8, &nonfinite);
	round_trip("not finite floats", &b, 4, &nonfinite);

	begin_batch(&b);
	for (int i = 0; i < 200000; i++)
		add_row(&b, i, i % 3 == 0, 7, 1, draw_double);
	add_row(&b, 1, 300000, 1, 2, draw_double);
	add_row(&b, 2, 10, 1, 2, draw_double);
	round_trip("many short rows and a long one", &b, 8, &plain);
	row_batch_free(&b);
}

/* A row whose label, or a value, is not finite is refused without the option. */
static void test_finite(void)
{
	for (int where = 0; where < 2; where++)
		for (int value_size = 4; value_size <= 8; value_size += 4) {
			struct byte_buffer out = { 0 };
			struct row_batch b = { 0 }, all;
			struct error err = { 0 };

			begin_batch(&b);
			for (int i = 0; i < 5; i++)
				add_row(&b, i, 4, 1, 2, draw_float);
			*(where ? &b.value[13] : &b.label[3]) = value_size == 4 ? NAN : -INFINITY;
			write_shard(&out, &b, value_size);
			CHECK(read_bytes(&all, out.bytes, out.size, false, &plain, 2, &err) == -1 &&
				      err.code == ERR_FORMAT &&
				      strstr(err.text,
					     where ? ": block 1: row 4: a value is not finite" :
						     ": block 1: row 4: the label is not finite"),
			      "%s", err.text);
			row_batch_free(&all);
			row_batch_free(&b);
			free(out.bytes);
		}
}

static void test_float_range(void)
{
	struct byte_buffer out = { 0 };
	struct row_batch b = { 0 };
	struct error err = { 0 };

	begin_batch(&b);
	for (int i = 0; i < 1000; i++)
		add_row(&b, DBL_MAX, 100, 1, 2, draw_float);
	CHECK(binary_add_rows(&out, &b, 4, &err) == 0, "%s", err.text);
	out.size = 10;
	b.value[99999] = 1e39;
	CHECK(binary_add_rows(&out, &b, 4, &err) == -1 && err.code == ERR_NUMERIC &&
		      !strcmp(err.text, "the value 1e+39 is beyond single precision") &&
		      out.size == 10,
	      "%s, %" PRId64 " bytes", err.text, out.size);
	row_batch_free(&b);
	free(out.bytes);
}

/* Blocks hold what they say, whatever batches they came in. */
static void test_joined(void)
{
	struct byte_buffer out = { 0 }, other = { 0 };
	struct row_batch b = { 0 }, all = { 0 };
	struct error err = { 0 };

	begin_batch(&all);
	for (int shard = 0; shard < 5; shard++) {
		begin_batch(&b);
		for (int i = 0; i < 300 * (shard % 3); i++)
			add_row(&b, shard, 1 + random_below(4), 1, 1, draw_float);
		write_shard(&out, &b, shard % 2 ? 4 : 8);
		append(&all, &b, NULL, &err);
	}
	expect_rows("joined", &out, &all, &plain);
	binary_add_header(&other, 8, &err);
	other.size--;
	byte_buffer_reserve(&out, 100, &err);
	byte_buffer_add(&out, other.bytes, other.size);
	row_batch_free(&all);
	CHECK(read_bytes(&all, out.bytes, out.size, false, &plain, 2, &err) == -1 &&
		      strstr(err.text, ": examples in binary form: cut short in the header"),
	      "%s", err.text);
	row_batch_free(&all);
	row_batch_free(&b);
	free(out.bytes);
	free(other.bytes);
}

/* ---- Damage ---- */

/* Two shards of all kinds of blocks; where the first ends is left in '*first'. */
static void make_shards(struct byte_buffer *out, int64_t *first)
{
	struct row_batch b = { 0 };

	begin_batch(&b);
	add_row(&b, 1, 3, 1, 1, draw_double);
	add_row(&b, 2, 2, 5, 3, draw_double);
	write_shard(out, &b, 8);
	*first = out->size;
	begin_batch(&b);
	add_row(&b, 1, 2, 1, 1, draw_float);
	add_row(&b, 1, 2, 1, 1, draw_float);
	write_shard(out, &b, 4);
	row_batch_free(&b);
}

/* A file cut in two at any byte: each block is in one of the pieces. */
static void test_pieces(void)
{
	struct byte_buffer out = { 0 };
	struct row_batch all, first, second;
	struct error err = { 0 };
	int64_t middle;

	make_shards(&out, &middle);
	CHECK(read_bytes(&all, out.bytes, out.size, false, &plain, 1, &err) == 0, "%s", err.text);
	for (int64_t cut = 1; cut <= out.size; cut++) {
		const struct rows_options before = { .end = cut };
		const struct rows_options behind = { .first = cut, .end = out.size, .max_rows = 1 };

		CHECK(read_bytes(&first, out.bytes, out.size, false, &before, 2, &err) == 0 &&
			      read_bytes(&second, out.bytes, out.size, false, &behind, 1, &err) ==
				      0,
		      "%s", err.text);
		CHECK((cut > middle ? second : first).n_rows < all.n_rows, "cut at %d", (int)cut);
		append(&first, &second, NULL, &err);
		compare("pieces", &first, &all);
		row_batch_free(&first);
		row_batch_free(&second);
	}
	row_batch_free(&all);
	free(out.bytes);
}

static bool is_refused(const struct byte_buffer *out, int64_t size, struct error *err)
{
	struct row_batch all;
	int ret;

	*err = (struct error){ 0 };
	ret = read_bytes(&all, out->bytes, size, false, &plain, 1, err);
	row_batch_free(&all);
	return ret == -1 && err->code == ERR_FORMAT && *err->text;
}

/* Each bit of each byte, and each byte as a whole. */
static void test_every_byte(void)
{
	struct byte_buffer out = { 0 };
	struct error err;
	int64_t first;

	make_shards(&out, &first);
	for (int64_t i = 0; i < out.size; i++)
		for (int bit = 0; bit <= 8; bit++) {
			char mask = (char)(bit < 8 ? 1 << bit : 0xff);

			out.bytes[i] ^= mask;
			CHECK(is_refused(&out, out.size, &err),
			      "byte %" PRId64 " damaged by %02x, and read", i, mask & 0xff);
			out.bytes[i] ^= mask;
		}
	free(out.bytes);
}

/* What is cut is missed, unless nothing is left or a whole shard. */
static void test_every_truncation(void)
{
	struct byte_buffer out = { 0 };
	struct error err;
	int64_t first;

	make_shards(&out, &first);
	for (int64_t size = 1; size < out.size; size++)
		CHECK(is_refused(&out, size, &err) != (size == first),
		      "cut to %" PRId64 " of %" PRId64 " bytes", size, out.size);
	free(out.bytes);
}

/* ---- The form, by an encoder of its own ---- */

struct bytes {
	unsigned char at[4000];
	int64_t size;
};

static void put(struct bytes *b, uint64_t n, int size)
{
	for (int i = 0; i < size; i++)
		b->at[b->size++] = (unsigned char)(n >> 8 * i);
}

static void put_double(struct bytes *b, double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	put(b, bits, 8);
}

/* A bit at a time. */
static uint32_t slow_crc(uint32_t crc, const unsigned char *bytes, int64_t size)
{
	crc = ~crc;
	for (int64_t i = 0; i < size; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
	}
	return ~crc;
}

static void put_crc(struct bytes *b, int64_t size)
{
	put(b, slow_crc(0, b->at + b->size - size, size), 4);
}

/* What a header claims. */
struct claims {
	uint32_t order, version, value_size;
	uint32_t n_rows, layout, first;
	uint64_t n_entries;
	const char *tag;
	uint32_t length[2]; /* of the rows, in the payload */
	int32_t index[3];
	uint64_t more_rows; /* that the end mark counts */
};

static const struct claims good = {
	0x01020304, 1, 8, 2, 0, 0, 3, "ROWS", { 1, 2 }, { 7, 1, 9 }, 0
};

/* A shard of two rows, 7:0.5 and 1:-0.0 9:1e-310, labelled 3 and -1. */
static void make_by_hand(struct bytes *b, const struct claims *c)
{
	static const double value[] = { 0.5, -0.0, 1e-310 };
	struct bytes payload = { .size = 0 };
	uint32_t chain;

	b->size = 0;
	for (int i = 0; i < 8; i++)
		put(b, (unsigned char)"\x93ROWS\r\n\x1a"[i], 1);
	put(b, c->order, 4);
	put(b, c->version, 4);
	put(b, c->value_size, 4);
	put_crc(b, 20);
	put_double(&payload, 3);
	put_double(&payload, -1);
	for (int i = 0; i < 3; i++)
		put_double(&payload, value[i]);
	put(&payload, c->length[0], 4);
	put(&payload, c->length[1], 4);
	for (int i = 0; i < 3; i++)
		put(&payload, (uint32_t)c->index[i], 4);
	for (int i = 0; i < 4; i++)
		put(b, (unsigned char)c->tag[i], 1);
	put(b, c->n_rows, 4);
	put(b, c->n_entries, 8);
	put(b, c->layout, 4);
	put(b, c->first, 4);
	put(b, slow_crc(0, payload.at, payload.size), 4);
	put_crc(b, 28);
	chain = slow_crc(0, b->at + b->size - 4, 4);
	memcpy(b->at + b->size, payload.at, (size_t)payload.size);
	b->size += payload.size;
	for (int i = 0; i < 4; i++)
		put(b, (unsigned char)"ENDS"[i], 1);
	put(b, chain, 4);
	put(b, c->n_rows + c->more_rows, 8);
	put(b, c->n_entries, 8);
	put(b, 1, 4);
	put_crc(b, 28);
}

/* The writer's bytes are those by hand, and a dense block's too. */
static void test_bytes(void)
{
	struct byte_buffer out = { 0 };
	struct row_batch b = { 0 };
	struct bytes expected;
	struct error err = { 0 };

	begin_batch(&b);
	add_row(&b, 3, 1, 7, 1, draw_double);
	add_row(&b, -1, 2, 1, 1, draw_double);
	b.index[2] = 9;
	memcpy(b.value, (double[]){ 0.5, -0.0, 1e-310 }, 24);
	write_shard(&out, &b, 8);
	make_by_hand(&expected, &good);
	CHECK(out.size == expected.size && !memcmp(out.bytes, expected.at, (size_t)out.size),
	      "%" PRId64 " bytes, by hand %" PRId64, out.size, expected.size);

	out.size = 0;
	begin_batch(&b);
	add_row(&b, 1, 2, 4, 1, draw_float);
	add_row(&b, 2, 2, 4, 1, draw_float);
	binary_add_rows(&out, &b, 4, &err);
	expected.size = 0;
	for (int i = 0; i < 4; i++)
		put(&expected, (unsigned char)"ROWS"[i], 1);
	put(&expected, 2, 4);
	put(&expected, 4, 8);
	put(&expected, 1, 4);
	put(&expected, 4, 4);
	CHECK(out.size == 32 + 2 * 8 + 4 * 4 && !memcmp(out.bytes, expected.at, 24),
	      "a dense block has %" PRId64 " bytes", out.size);
	row_batch_free(&b);
	free(out.bytes);
}

/* Well made in all but one thing, checksums included. */
static const struct defect {
	const char *reason;
	struct claims claims;
} defects[] = {
	{ "another byte order", { .order = 0x04030201, .version = 0x01000000 } },
	{ "the header is damaged", { .order = 0x01020403 } },
	{ "version 2, this program reads version 1", { .version = 2 } },
	{ "values have neither 4 bytes nor 8", { .value_size = 2 } },
	{ "block 1: of an unknown kind", { .tag = "COLS" } },
	{ "block 1: impossible sizes", { .n_rows = UINT32_MAX } },
	{ "block 1: impossible sizes", { .layout = 2 } },
	{ "block 1: impossible sizes", { .layout = 1, .first = 1 } },
	{ "block 1: impossible sizes", { .layout = 1, .n_entries = 4, .first = INT32_MAX } },
	{ "block 1: impossible sizes", { .first = 1 } },
	{ "block 1: impossible sizes", { .n_entries = UINT64_C(1) << 63 } },
	{ "block 1: impossible sizes", { .n_entries = (UINT64_C(1) << 31) + 1 } },
	{ "block 1: cut short", { .n_entries = UINT64_C(1) << 31 } },
	{ "block 1: cut short", { .n_rows = INT32_MAX } },
	{ "block 1: row 2: more entries than the block has", { .length = { 1, 3 } } },
	{ "block 1: row 1: more entries than the block has", { .length = { UINT32_MAX, 3 } } },
	{ "block 1: row 2: fewer entries than the block has", { .length = { 1, 1 } } },
	{ "block 1: row 2: indices must not be negative and must ascend",
	  { .index = { 7, 9, 9 } } },
	{ "block 1: row 2: indices must not be negative and must ascend",
	  { .index = { 7, 9, 8 } } },
	{ "block 1: row 1: indices must not be negative and must ascend",
	  { .index = { -1, 1, 2 } } },
	{ "blocks are missing, or not in order, before the end mark", { .more_rows = 1 } },
};

/* What the defect does not name is as it should be. */
static struct claims complete(struct claims c)
{
	c.order = c.order ? c.order : good.order;
	c.version = c.version ? c.version : good.version;
	c.value_size = c.value_size ? c.value_size : good.value_size;
	c.tag = c.tag ? c.tag : good.tag;
	c.n_rows = c.n_rows ? c.n_rows : good.n_rows;
	c.n_entries = c.n_entries ? c.n_entries : good.n_entries;
	if (!c.length[0])
		memcpy(c.length, good.length, sizeof(c.length));
	if (!c.index[0])
		memcpy(c.index, good.index, sizeof(c.index));
	return c;
}

static void test_defects(void)
{
	for (int i = 0; i < LENGTH(defects); i++) {
		struct claims claims = complete(defects[i].claims);
		struct error err = { 0 };
		struct row_batch all;
		struct bytes b;

		make_by_hand(&b, &claims);
		CHECK(read_bytes(&all, (char *)b.at, b.size, true, &plain, 2, &err) == -1 &&
			      err.code == ERR_FORMAT && strstr(err.text, defects[i].reason),
		      "'%s', expected '%s'", err.text, defects[i].reason);
		row_batch_free(&all);
	}
}

/* Blocks that are whole, but twice, or swapped, or left out, are found out at the end. */
static void test_order(void)
{
	static const int orders[][3] = { { 0, 1, 1 }, { 1, 0, 2 }, { 0, 2, 1 }, { 0, 0, 2 } };

	for (int o = 0; o < LENGTH(orders); o++) {
		struct byte_buffer block[3] = { 0 }, out = { 0 };
		struct binary_totals totals = { 0 };
		struct error err = { 0 };

		binary_add_header(&out, 8, &err);
		for (int i = 0; i < 3; i++) {
			struct row_batch b = { 0 };

			begin_batch(&b);
			add_row(&b, i, 2, 1, 1, draw_double);
			binary_add_rows(&block[i], &b, 8, &err);
			binary_count(&totals, block[i].bytes, block[i].size, 8);
			row_batch_free(&b);
		}
		for (int i = 0; i < 3; i++) {
			const struct byte_buffer *from = &block[orders[o][i]];

			byte_buffer_reserve(&out, from->size, &err);
			byte_buffer_add(&out, from->bytes, from->size);
		}
		binary_add_end(&out, &totals, &err);
		CHECK(err.code == ERR_NONE, "%s", err.text);
		CHECK(is_refused(&out, out.size, &err) &&
			      strstr(err.text, "missing, or not in order"),
		      "%s", err.text);
		for (int i = 0; i < 3; i++)
			free(block[i].bytes);
		free(out.bytes);
	}
}

/* Blocks before a damaged one are delivered, and it is named. */
static void test_rows_before(void)
{
	for (int n_threads = 1; n_threads <= 3; n_threads++) {
		struct byte_buffer out = { 0 };
		struct row_batch b = { 0 }, all;
		struct error err = { 0 };

		begin_batch(&b);
		for (int i = 0; i < 100; i++)
			add_row(&b, i, 10000, 1, 1, draw_double);
		write_shard(&out, &b, 8);
		out.bytes[out.size * 3 / 4] ^= 1;
		CHECK(read_bytes(&all, out.bytes, out.size, true, &plain, n_threads, &err) == -1 &&
			      strstr(err.text, ": block 13: damaged"),
		      "%s", err.text);
		CHECK(all.n_rows == 72 && !memcmp(all.value, b.value, (size_t)all.n_entries * 8),
		      "%" PRId64 " rows", all.n_rows);
		row_batch_free(&all);
		row_batch_free(&b);
		free(out.bytes);
	}
}

static void test_checksum(void)
{
	unsigned char bytes[300];

	CHECK(checksum_crc32(0, "123456789", 9) == UINT32_C(0xcbf43926), "%08" PRIx32,
	      checksum_crc32(0, "123456789", 9));
	CHECK(checksum_crc32(5, bytes, 0) == 5, "of nothing");
	for (int i = 0; i < LENGTH(bytes); i++)
		bytes[i] = (unsigned char)random_bits();
	for (int size = 0; size <= LENGTH(bytes); size++) {
		int part = (int)random_below(size + 1);
		uint32_t whole = checksum_crc32(0, bytes, size);

		CHECK(whole == slow_crc(0, bytes, size), "%d bytes: %08" PRIx32, size, whole);
		CHECK(checksum_crc32(checksum_crc32(0, bytes, part), bytes + part, size - part) ==
			      whole,
		      "%d bytes after %d", size - part, part);
		CHECK(checksum_join(checksum_crc32(0, bytes, part),
				    checksum_crc32(0, bytes + part, size - part),
				    size - part) == whole,
		      "%d bytes joined to %d", size - part, part);
	}
}

static uint32_t sum_without_zeros(const struct row_batch *b, int most)
{
	struct rows_checksum sum = { .without_zeros = true };

	for (int64_t first = 0; first < b->n_rows; first += most) {
		int64_t left = b->n_rows - first;

		rows_checksum_add(&sum, (struct row_range){ b, first, left < most ? left : most });
	}
	return rows_checksum_crc32(&sum);
}

/* Of a copy of the rows that has no zeros. */
static uint32_t sum_of_nonzeros(const struct row_batch *b)
{
	struct rows_checksum sum = { 0 };
	struct row_batch copy = { 0 };
	struct error err = { 0 };
	uint32_t crc;

	if (row_batch_reserve(&copy, b->n_rows, b->n_entries, false, &err) < 0)
		give_up(err.text);
	for (int64_t i = 0; i < b->n_rows; i++) {
		for (int64_t k = b->row_start[i]; k < b->row_start[i + 1]; k++)
			if (b->value[k] != 0) {
				copy.index[copy.n_entries] = b->index[k];
				copy.value[copy.n_entries++] = b->value[k];
			}
		copy.label[i] = b->label[i];
		copy.row_start[i + 1] = copy.n_entries;
	}
	rows_checksum_add(&sum, (struct row_range){ &copy, 0, b->n_rows });
	crc = rows_checksum_crc32(&sum);
	row_batch_free(&copy);
	return crc;
}

/* The checksum of rows is that of their arrays, one after the other, however they are cut. */
static void test_rows_checksum(void)
{
	struct row_batch b = { 0 };
	struct rows_checksum none = { 0 };
	int64_t zero = 0;
	uint32_t whole;

	CHECK(rows_checksum_crc32(&none) == slow_crc(0, (unsigned char *)&zero, 8), "no rows");
	begin_batch(&b);
	for (int i = 0; i < 1500; i++)
		add_row(&b, draw_double(), random_below(5), random_below(5), 100, draw_double);
	whole = slow_crc(0, (unsigned char *)b.label, b.n_rows * 8);
	whole = slow_crc(whole, (unsigned char *)b.row_start, (b.n_rows + 1) * 8);
	whole = slow_crc(whole, (unsigned char *)b.index, b.n_entries * 4);
	whole = slow_crc(whole, (unsigned char *)b.value, b.n_entries * 8);
	for (int64_t most = 1; most <= 2 * b.n_rows; most *= 7) {
		struct rows_checksum sum = { 0 };

		for (int64_t first = 0, n; first < b.n_rows; first += n) {
			n = (int64_t)random_below((int)most + 1);
			n = n < b.n_rows - first ? n : b.n_rows - first;
			rows_checksum_add(&sum, (struct row_range){ &b, first, n });
		}
		CHECK(rows_checksum_crc32(&sum) == whole && sum.n_rows == b.n_rows &&
			      sum.n_entries == b.n_entries && sum.max_index == b.max_index,
		      "pieces of up to %" PRId64 " rows", most);
		CHECK(sum_without_zeros(&b, (int)most) == sum_of_nonzeros(&b),
		      "without zeros, pieces of up to %" PRId64 " rows", most);
	}
	row_batch_free(&b);
}

/* ---- Memory ---- */

static struct byte_buffer written;

static int read_once(void *arg, struct error *err)
{
	const struct rows_options options = { .max_rows = *(int *)arg };
	struct row_batch all;
	int ret = read_bytes(&all, written.bytes, written.size, false, &options, 2, err);

	row_batch_free(&all);
	return ret;
}

static int write_once(void *arg, struct error *err)
{
	struct binary_totals totals = { 0 };
	struct byte_buffer out = { 0 };
	int ret = binary_add_header(&out, 8, err);

	if (ret == 0)
		ret = binary_add_rows(&out, arg, 8, err);
	CHECK(ret == 0 || out.size == 0 || out.size == 24, "%" PRId64 " bytes left", out.size);
	if (ret == 0)
		ret = binary_add_end(&out, &totals, err);
	free(out.bytes);
	return ret;
}

static void test_memory(void)
{
	struct row_batch b = { 0 };

	begin_batch(&b);
	for (int i = 0; i < 100; i++)
		add_row(&b, i, 5000, 1, 3, draw_double);
	write_shard(&written, &b, 8);
	CHECK(fail_each_allocation("writing", write_once, &b) >= 3, "few allocations");
	for (int max_rows = 0; max_rows < 8; max_rows += 7)
		CHECK(fail_each_allocation("reading", read_once, &max_rows) >= 8,
		      "few allocations");
	row_batch_free(&b);
	free(written.bytes);
}

int main(void)
{
	test_checksum();
	test_rows_checksum();
	test_bytes();
	test_round_trips();
	test_finite();
	test_float_range();
	test_joined();
	test_pieces();
	test_every_byte();
	test_every_truncation();
	test_defects();
	test_order();
	test_rows_before();
	test_memory();
	return unit_report("binary");
}

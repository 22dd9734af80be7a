/*
 * binary.c - examples in binary form
 *
 * How this works.  Reading has two halves.  binary_take() runs on one thread at a time: it follows
 * the grammar of binary.h (between shards, in a shard), reads headers and payloads, and keeps the
 * running totals that the end mark must confirm.  binary_decode() runs on all threads: it looks at
 * one block alone, whose checksum it verifies first, and fills a batch of rows.
 *
 * Three checksums cover every byte.  The shard's header and each block's header end in their own
 * (1), so a size is used only if its header is whole.  The block's header holds the checksum
 * of the payload (2).  The end mark holds a checksum over the checksums of the block headers in
 * their order (3): with (1) and (2) it covers all that was written, and a block that is missing,
 * repeated or moved changes it.
 *
 * A header that is whole may still lie: a CRC is no signature.  So memory for a payload grows as
 * its bytes arrive (4) instead of being taken for what the header promises, and after decoding each
 * row is checked for what struct row_batch promises.  A stream is good only if it ends right after
 * an end mark; an end anywhere else is an error, never an end of the data.
 *
 * The bytes of a block's payload, as payload_size() counts them (n rows, m entries):
 *
 *      labels    8 n          doubles
 *      values    4 m or 8 m   floats or doubles, by the shard's header
 *      lengths   4 n          entries of each row, unless columns are consecutive
 *      indices   4 m          likewise
 *
 * What holds after each step, and what the next step relies on:
 *
 *      check_header()        value_size is 4 or 8
 *      check_block_header()  sizes are in range, so payload_size() does not overflow
 *      read_payload()        all bytes of the payload are there
 *      checksum (2)          they are those that were written
 *      decode_lengths()      row_start ascends, and ends with the number of entries
 *      check_indices()       indices ascend in each row, none is negative
 *      check_bounds(),       what the caller's options ask for
 *      check_finite()
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/binary.h"

#include "base/little_endian.h"
#include "io/gzip.h"

#define VERSION 1
#define BYTE_ORDER_MARK UINT32_C(0x01020304)
#define BYTE_ORDER_OTHER UINT32_C(0x04030201)

/* As in PNG: a transfer that changes line ends or bytes above 127 damages the first 8 bytes. */
static const unsigned char magic[8] = { BINARY_FIRST_BYTE, 'R', 'O', 'W', 'S', '\r', '\n', 0x1a };

enum { HEADER_SIZE = 24, BLOCK_HEADER_SIZE = 32, END_SIZE = 32 };

/* Limits of a block: one row with every index from 0 to 2^31 - 1 fits. */
#define ROWS_MAX INT32_MAX
#define ENTRIES_MAX (INT64_C(1) << 31)

enum layout { LISTED, CONSECUTIVE };

/* ---- Numbers as bytes ---- */

/* Copy 'n' numbers of 4 or 8 bytes to or from little-endian. */
static void copy_numbers(void *to, const void *from, int64_t n, int size)
{
	if (n > 0)
		memcpy(to, from, (size_t)(n * size));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	for (unsigned char *p = to, *end = p + n * size; p < end; p += size)
		for (int i = 0; i < size / 2; i++) {
			unsigned char byte = p[i];

			p[i] = p[size - 1 - i];
			p[size - 1 - i] = byte;
		}
#endif
}

/* A header ends in the checksum of its other bytes. */
static void put_checksum(char *header, int size)
{
	put_32(header + size - 4, checksum_crc32(0, header, size - 4));
}

static bool checksum_holds(const char *header, int size)
{
	return get_32(header + size - 4) == checksum_crc32(0, header, size - 4);
}

/* labels, values, and unless the block is dense a length for each row and an index each entry */
static int64_t payload_size(const struct binary_block *b)
{
	return b->n_rows * 8 + b->n_entries * b->value_size +
	       (b->is_dense ? 0 : b->n_rows * 4 + b->n_entries * 4);
}

/* Add a block to the totals; its header stands for its payload, whose checksum it holds. */
static void count_block(struct binary_totals *t, const struct binary_block *b, const char *header)
{
	t->n_rows += (uint64_t)b->n_rows;
	t->n_entries += (uint64_t)b->n_entries;
	t->n_blocks++;
	/* cppcheck-suppress ctuPointerArith ; a header has BLOCK_HEADER_SIZE bytes */
	t->chain = checksum_crc32(t->chain, header + BLOCK_HEADER_SIZE - 4, 4);
}

static void parse_block_header(struct binary_block *b, const char *header, int value_size)
{
	b->n_rows = get_32(header + 4);
	b->n_entries = (int64_t)get_64(header + 8);
	b->is_dense = get_32(header + 16) == CONSECUTIVE;
	b->first = get_32(header + 20);
	b->checksum = get_32(header + 24);
	b->value_size = value_size;
}

/* ---- Reading ---- */

/* Bytes of a payload asked for at first; then as many as there are, so few reads are needed */
#define STEP (1 << 20)

/*
 * Fail for the block that is being read, by its number in the stream, or, outside of shards, for the
 * header of a shard; returns -1.
 */
static int refuse(const struct binary_reader *r, struct error *err, const char *reason)
{
	return error_set(err, ERR_FORMAT, "%s: %s: %s", input_name(r->input),
			 r->in_shard ? FORMATTED(32, "block %" PRId64, r->n_blocks + 1) :
				       "examples in binary form",
			 reason);
}

/*
 * The order of the checks makes for the most telling message: another byte order or version has
 * another checksum, too, as far as this program can tell.
 */
static int check_header(const struct binary_reader *r, const char *header, struct error *err)
{
	uint32_t order = get_32(header + 8), version = get_32(header + 12);

	if (memcmp(header + 1, "NUMPY", 5) == 0)
		return error_set(err, ERR_FORMAT, "%s: a NumPy array, which svm-convert reads",
				 input_name(r->input));
	if (memcmp(header, magic, sizeof(magic)) != 0)
		return refuse(r, err, "the header is damaged");
	if (order == BYTE_ORDER_OTHER)
		return refuse(r, err, "written in another byte order (not little-endian)");
	if (order == BYTE_ORDER_MARK && version != VERSION)
		return refuse(r, err,
			      FORMATTED(64, "version %" PRIu32 ", this program reads version %d",
					version, VERSION));
	/* (1): the header's own checksum, after the faults that have a better message */
	if (!checksum_holds(header, HEADER_SIZE) || order != BYTE_ORDER_MARK)
		return refuse(r, err, "the header is damaged");
	if (r->value_size != 4 && r->value_size != 8)
		return refuse(r, err, "values have neither 4 bytes nor 8");
	return 0;
}

/*
 * A shard's header (1), or the stream's end (0); -1 on failure.  The first byte of the stream has
 * been read by the caller, to tell the binary form from text.
 */
static int begin_shard(struct binary_reader *r, struct error *err)
{
	char header[HEADER_SIZE] = { (char)BINARY_FIRST_BYTE };
	int taken = r->first_byte_taken;
	int64_t got = input_read(r->input, header + taken, HEADER_SIZE - taken, err);

	if (got < 0)
		return -1;
	if (got == 0 && !taken)
		return 0;
	if (memcmp(header, magic, (size_t)int64_min(got + taken, sizeof(magic))) != 0 && !taken)
		return refuse(r, err, "something else follows after the end");
	if (got < HEADER_SIZE - taken)
		/* the bytes that are there are right, but more must follow */
		return refuse(r, err, "cut short in the header");
	/* not trusted before check_header() has seen the checksum */
	r->value_size = (int)get_32(header + 16);
	if (check_header(r, header, err) < 0)
		return -1;
	r->first_byte_taken = false;
	r->in_shard = true;
	/* each shard has an end mark with totals of its own blocks */
	r->totals = (struct binary_totals){ 0 };
	return 1;
}

/* (3): does the end mark agree with the blocks that were read?  Returns 0 or -1. */
static int end_shard(struct binary_reader *r, const char *end, struct error *err)
{
	const struct binary_totals *t = &r->totals;

	if (get_32(end + 4) != t->chain || get_64(end + 8) != t->n_rows ||
	    get_64(end + 16) != t->n_entries || get_32(end + 24) != t->n_blocks)
		return error_set(err, ERR_FORMAT,
				 "%s: blocks are missing, or not in order, before the end mark",
				 input_name(r->input));
	r->in_shard = false;
	return 0;
}

/*
 * Sizes within the form's limits, so that what is computed from them cannot overflow; consecutive
 * columns: as many for each row, and none beyond the largest index.
 */
static int check_block_header(const struct binary_reader *r, const struct binary_block *b,
			      const char *header, struct error *err)
{
	uint32_t layout = get_32(header + 16);
	bool good = b->n_rows >= 1 && b->n_rows <= ROWS_MAX && b->n_entries >= 0 &&
		    b->n_entries <= ENTRIES_MAX;

	if (good && layout == CONSECUTIVE)
		good = b->n_entries > 0 && b->n_entries % b->n_rows == 0 &&
		       b->first + b->n_entries / b->n_rows - 1 <= INT32_MAX;
	else
		good = good && layout == LISTED && b->first == 0;
	return good ? 0 : refuse(r, err, "impossible sizes in its header");
}

/* (4): no more than twice the bytes that arrived are ever asked for. */
static int read_payload(struct binary_reader *r, struct binary_block *b, struct error *err)
{
	int64_t wanted = payload_size(b);

	b->payload.size = 0;
	while (b->payload.size < wanted) {
		int64_t step =
			int64_min(int64_max(b->payload.size, STEP), wanted - b->payload.size);

		/* where reading fails err keeps the reason */
		if (input_append(r->input, &b->payload, step, err) < step)
			return refuse(r, err, "cut short");
	}
	return 0;
}

/* A block (1); or an end mark, or a block that is left out (0). */
static int take_block(struct binary_reader *r, struct binary_block *b, struct error *err)
{
	char header[BLOCK_HEADER_SIZE];
	int64_t got = input_read(r->input, header, sizeof(header), err), at, total;
	bool wanted;

	_Static_assert(END_SIZE == BLOCK_HEADER_SIZE, "either is read before it is known which");
	if (got < 0)
		return -1;
	if (got < (int64_t)sizeof(header))
		return refuse(r, err,
			      got == 0 ? "expected this or an end mark, but the input ends "
					 "(cut short?)" :
					 "cut short");
	/* (1): no size of the header is used before its own checksum holds */
	if (!checksum_holds(header, sizeof(header)))
		return refuse(r, err, "the header is damaged");
	/* an end mark ends the shard, not the stream: another shard may follow */
	if (memcmp(header, "ENDS", 4) == 0)
		return end_shard(r, header, err);
	if (memcmp(header, "ROWS", 4) != 0)
		return refuse(r, err, "of an unknown kind");
	parse_block_header(b, header, r->value_size);
	/* where its header ends tells whether the block is to be taken */
	input_position(r->input, &at, &total);
	wanted = r->end == 0 || (at > r->first && at <= r->end);
	if (check_block_header(r, b, header, err) < 0 ||
	    (wanted ? read_payload(r, b, err) : input_skip(r->input, payload_size(b), err)) < 0)
		return -1;
	/* on the thread that reads, in the order of the blocks: (3) depends on it */
	count_block(&r->totals, b, header);
	b->number = ++r->n_blocks;
	return wanted;
}

/* Shards may follow each other, and a shard may have no blocks. */
int binary_take(struct binary_reader *r, struct binary_block *b, struct error *err)
{
	int ret;

	do {
		ret = r->in_shard ? 1 : begin_shard(r, err);
		if (ret <= 0)
			return ret;
		ret = take_block(r, b, err);
	} while (ret == 0);
	return ret;
}

/* One block on its way into a batch; failures name the block and the row. */
struct decoder {
	struct row_batch *batch;
	const struct binary_block *block;
	const char *name;
	struct error *err;
};

/* Fail for a row of the block, counted from 1; returns -1. */
static int refuse_row(const struct decoder *d, int64_t row, const char *reason)
{
	return error_set(d->err, ERR_FORMAT, "%s: block %" PRId64 ": row %" PRId64 ": %s", d->name,
			 d->block->number, row + 1, reason);
}

/* Each row holds the columns first, first + 1, ..., first + n - 1. */
static void fill_consecutive(struct row_batch *r, const struct binary_block *b)
{
	int64_t n = b->n_entries / b->n_rows;

	for (int64_t i = 0; i < b->n_rows; i++) {
		int32_t *index = r->index + i * n;

		for (int64_t j = 0; j < n; j++)
			index[j] = (int32_t)(b->first + j);
		r->row_start[i + 1] = (i + 1) * n;
	}
	r->max_index = b->first + n - 1;
}

/* row_start from the rows' lengths, which must add up to the block's entries. */
static int decode_lengths(const struct decoder *d, const char *p)
{
	int64_t *start = d->batch->row_start;

	for (int64_t i = 0; i < d->block->n_rows; i++, p += 4) {
		start[i + 1] = start[i] + get_32(p);
		/* at once: a sum over more rows could overflow */
		if (start[i + 1] > d->block->n_entries)
			return refuse_row(d, i, "more entries than the block has");
	}
	if (start[d->block->n_rows] != d->block->n_entries)
		return refuse_row(d, d->block->n_rows - 1, "fewer entries than the block has");
	return 0;
}

/* Not negative, strictly ascending in each row; finds max_index on the way. */
static int check_indices(const struct decoder *d)
{
	struct row_batch *r = d->batch;

	for (int64_t i = 0; i < d->block->n_rows; i++) {
		int64_t k = r->row_start[i], end = r->row_start[i + 1];
		bool bad = k < end && r->index[k] < 0;

		/* without a branch for each entry, so that the loop takes several at once */
		while (++k < end)
			bad |= r->index[k] <= r->index[k - 1];
		if (bad)
			return refuse_row(d, i, "indices must not be negative and must ascend");
		if (end > r->row_start[i] && r->index[end - 1] > r->max_index)
			r->max_index = r->index[end - 1];
	}
	return 0;
}

/* Values as doubles; floats become doubles without loss. */
static void decode_values(const struct decoder *d, const char *p)
{
	double *value = d->batch->value;

	if (d->block->value_size == 8) {
		copy_numbers(value, p, d->block->n_entries, 8);
		return;
	}
	for (int64_t k = 0; k < d->block->n_entries; k++) {
		float single;

		copy_numbers(&single, p + 4 * k, 1, 4);
		value[k] = single;
	}
}

/* Labels and values must be finite; refuses the first row with one that is not. */
static int check_finite(const struct decoder *d)
{
	const struct row_batch *r = d->batch;

	/* all rows at once; row by row only to name the one that is wrong */
	if (are_finite(r->label, d->block->n_rows) && are_finite(r->value, d->block->n_entries))
		return 0;
	for (int64_t i = 0; i < d->block->n_rows; i++) {
		int64_t start = r->row_start[i];

		if (!isfinite(r->label[i]))
			return refuse_row(d, i, "the label is not finite");
		if (!are_finite(r->value + start, r->row_start[i + 1] - start))
			return refuse_row(d, i, "a value is not finite");
	}
	return 0;
}

/* Indices ascend, so the first and the last of a row speak for all. */
static int check_bounds(const struct decoder *d, const struct rows_options *o)
{
	const struct row_batch *r = d->batch;

	for (int64_t i = 0; i < d->block->n_rows; i++) {
		int64_t start = r->row_start[i], end = r->row_start[i + 1];

		if (start < end && r->index[start] < o->min_index)
			return refuse_row(d, i,
					  FORMATTED(64, "feature %" PRId32 " below %" PRId32,
						    r->index[start], o->min_index));
		if (start < end && o->max_index && r->index[end - 1] > o->max_index)
			return refuse_row(d, i,
					  FORMATTED(64, "feature %" PRId32 " above %" PRId32,
						    r->index[end - 1], o->max_index));
	}
	return 0;
}

int binary_decode(struct row_batch *batch, const struct binary_block *b, const char *name,
		  const struct rows_options *options, struct error *err)
{
	const struct decoder d = { batch, b, name, err };
	/* the parts of the payload by their sizes, which check_block_header() has bounded */
	const char *values = b->payload.bytes + 8 * b->n_rows;
	const char *lengths = values + b->value_size * b->n_entries;

	if (row_batch_reserve(batch, b->n_rows, b->n_entries, false, err) < 0)
		return -1;
	/* (2), before any byte of the payload is used */
	if (checksum_crc32(0, b->payload.bytes, b->payload.size) != b->checksum)
		return error_set(err, ERR_FORMAT, "%s: block %" PRId64 ": damaged", name,
				 b->number);
	copy_numbers(batch->label, b->payload.bytes, b->n_rows, 8);
	decode_values(&d, values);
	if (b->is_dense) {
		fill_consecutive(batch, b);
	} else {
		if (decode_lengths(&d, lengths) < 0)
			return -1;
		copy_numbers(batch->index, lengths + 4 * b->n_rows, b->n_entries, 4);
		if (check_indices(&d) < 0)
			return -1;
	}
	if ((options->min_index > 0 || options->max_index > 0) && check_bounds(&d, options) < 0)
		return -1;
	if (!options->allow_nonfinite && check_finite(&d) < 0)
		return -1;
	batch->n_rows = b->n_rows;
	batch->n_entries = b->n_entries;
	batch->value_size = b->value_size;
	return 0;
}

/* ---- Writing ---- */

/*
 * How this works.  Rows become blocks, whose bytes any thread can make: a block depends on its rows
 * alone.  Where a block ends is decided from the first row on, by counts of rows and entries
 * (block_end), so the bytes of a file depend neither on threads nor on time.  What depends on the
 * order, the totals and the checksum of checksums at the end of a shard, is gathered by
 * binary_count() from the headers of blocks already made, on the one thread that writes them.
 *
 * The payload is written before its header, behind the room for it: the header holds the
 * payload's checksum.  The buffer's size grows last, so a failure leaves it as it was.
 *
 * The steps of a block, (a) to (d) on any thread, (e) on the thread that writes:
 *
 *  (a) block_end()        which rows: decided by counts alone
 *  (b) are_consecutive()  which layout: without columns where all rows have the same range of them
 *  (c) put_payload()      labels, values, and for the other layout lengths and columns
 *  (d) add_block()        header, with the checksum of the payload and one of itself
 *  (e) binary_count()     totals, from the header as a reader sees it
 */

/* A block ends at so many rows or entries: 32 bytes of header for some 500 kB, and yet enough
 * blocks for all threads that read them */
#define BLOCK_FULL (1 << 16)

int binary_add_header(struct byte_buffer *out, int value_size, struct error *err)
{
	char header[HEADER_SIZE];

	memcpy(header, magic, sizeof(magic));
	put_32(header + 8, BYTE_ORDER_MARK);
	put_32(header + 12, VERSION);
	put_32(header + 16, (uint32_t)value_size);
	put_checksum(header, HEADER_SIZE);
	return byte_buffer_append(out, header, HEADER_SIZE, err);
}

/* (a): the end of a block that begins with row 'first'; it has one row at least, however long. */
static int64_t block_end(const struct row_batch *rows, int64_t first)
{
	int64_t end = first;

	do
		end++;
	while (end < rows->n_rows && end - first < BLOCK_FULL &&
	       rows->row_start[end + 1] - rows->row_start[first] <= BLOCK_FULL);
	return end;
}

/*
 * (b): do the rows first .. end - 1 hold the same consecutive columns?  Indices ascend strictly, so
 * a row of n entries whose last index is n - 1 above its first has no gap.
 */
static bool are_consecutive(const struct row_batch *rows, int64_t first, int64_t end)
{
	const int64_t *start = rows->row_start;
	int64_t n = start[first + 1] - start[first];

	for (int64_t i = first; i < end; i++)
		if (n == 0 || start[i + 1] - start[i] != n ||
		    rows->index[start[i]] != rows->index[start[first]] ||
		    rows->index[start[i + 1] - 1] - rows->index[start[i]] != n - 1)
			return false;
	return true;
}

/*
 * Values as floats.  False if one is beyond their range; '*value' then points to it.  Infinite
 * values stay infinite: whether they are allowed was decided when they were read.
 */
static bool put_floats(char *p, const double **value, int64_t n)
{
	for (int64_t k = 0; k < n; k++) {
		float single = (float)(*value)[k];

		if (!isfinite(single) && isfinite((*value)[k])) {
			*value += k;
			return false;
		}
		copy_numbers(p + 4 * k, &single, 1, 4);
	}
	return true;
}

/* (c): payload of rows first, first + 1, ... at 'p', where there is room for payload_size(). */
static int put_payload(char *p, const struct binary_block *b, const struct row_batch *rows,
		       int64_t first, struct error *err)
{
	const int64_t *start = rows->row_start + first;
	const double *value = rows->value + start[0];

	copy_numbers(p, rows->label + first, b->n_rows, 8);
	p += 8 * b->n_rows;
	if (b->value_size == 8)
		copy_numbers(p, value, b->n_entries, 8);
	else if (!put_floats(p, &value, b->n_entries))
		return error_set(err, ERR_NUMERIC, "the value %g is beyond single precision",
				 *value);
	p += b->value_size * b->n_entries;
	if (b->is_dense)
		return 0;
	for (int64_t i = 0; i < b->n_rows; i++, p += 4)
		put_32(p, (uint32_t)(start[i + 1] - start[i]));
	copy_numbers(p, rows->index + start[0], b->n_entries, 4);
	return 0;
}

/* (d): append the rows first .. end - 1 as one block. */
static int add_block(struct byte_buffer *out, const struct row_batch *rows, int64_t first,
		     int64_t end, int value_size, struct error *err)
{
	struct binary_block b = { .n_rows = end - first,
				  .n_entries = rows->row_start[end] - rows->row_start[first],
				  .is_dense = are_consecutive(rows, first, end),
				  .value_size = value_size };
	int64_t size = payload_size(&b);
	char *header; /* the fields are at the places where parse_block_header() reads them */

	if (byte_buffer_reserve(out, BLOCK_HEADER_SIZE + size, err) < 0)
		return -1;
	header = out->bytes + out->size;
	if (put_payload(header + BLOCK_HEADER_SIZE, &b, rows, first, err) < 0)
		return -1;
	memcpy(header, "ROWS", 4);
	put_32(header + 4, (uint32_t)b.n_rows);
	put_64(header + 8, (uint64_t)b.n_entries);
	put_32(header + 16, b.is_dense ? CONSECUTIVE : LISTED);
	put_32(header + 20, b.is_dense ? (uint32_t)rows->index[rows->row_start[first]] : 0);
	put_32(header + 24, checksum_crc32(0, header + BLOCK_HEADER_SIZE, size));
	put_checksum(header, BLOCK_HEADER_SIZE);
	out->size += BLOCK_HEADER_SIZE + size;
	return 0;
}

int binary_add_rows(struct byte_buffer *out, const struct row_batch *rows, int value_size,
		    struct error *err)
{
	int64_t old_size = out->size;

	for (int64_t first = 0; first < rows->n_rows;) {
		int64_t end = block_end(rows, first);

		if (add_block(out, rows, first, end, value_size, err) < 0) {
			out->size = old_size;
			return -1;
		}
		first = end;
	}
	return 0;
}

void binary_count(struct binary_totals *t, const char *blocks, int64_t size, int value_size)
{
	const char *p = blocks; /* header of a block: (e) goes from one to the next */

	while (p < blocks + size) {
		struct binary_block b;

		parse_block_header(&b, p, value_size);
		count_block(t, &b, p);
		p += BLOCK_HEADER_SIZE + payload_size(&b);
	}
}

int binary_add_end(struct byte_buffer *out, const struct binary_totals *t, struct error *err)
{
	char end[END_SIZE];

	memcpy(end, "ENDS", 4);
	put_32(end + 4, t->chain);
	put_64(end + 8, t->n_rows);
	put_64(end + 16, t->n_entries);
	put_32(end + 24, t->n_blocks);
	put_checksum(end, END_SIZE);
	return byte_buffer_append(out, end, END_SIZE, err);
}

/*
 * dataset_file.c - the rows of a data file, kept in a file that is mapped in place of reading them
 *
 * How this works.  Where the arrays are follows from the numbers of rows and entries in the header;
 * the file ends with the last of them.  Files are made by struct output: written without a name and
 * renamed when they are whole.  Nobody changes one later: a run that makes it anew replaces it by
 * another, and runs that have the old one mapped keep that.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/dataset_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "io/checksum.h"

/* Raise it when the form below changes, or what is read from the same data. */
#define VERSION 1
#define BYTE_ORDER_MARK UINT32_C(0x01020304)

/* As in PNG: a transfer that changes line ends or bytes above 127 damages them. */
static const unsigned char magic[8] = { 0x94, 'K', 'E', 'P', 'T', '\r', '\n', 0x1a };

/* Arrays begin at multiples of the largest page that is common: 64 KiB. */
#define ALIGNMENT (INT64_C(64) << 10)

/* More rows or entries are a sign of damage; sizes in bytes stay far below 2^63. */
#define MOST (INT64_C(1) << 48)

/* Bytes written at a time. */
#define PIECE (INT64_C(4) << 20)

enum { LABELS, STARTS, COLUMNS, VALUES, N_ARRAYS };

enum { STRICT = 1, ALLOW_NONFINITE = 2, LABEL_OPTIONAL = 4 };

/* Written as it is in memory. */
struct header {
	unsigned char magic[8];
	uint32_t byte_order, version;
	int64_t n_rows, n_entries, n_cols, max_index;
	struct file_stamp data;
	uint32_t flags;		/* of the options that rows were read by, ... */
	int32_t least, most;	/* ... and the bounds of indices */
	uint32_t sum[N_ARRAYS]; /* CRC-32 of each array */
	uint32_t own_sum;	/* CRC-32 of all of the above */
};

_Static_assert(sizeof(struct header) == 136 && sizeof(struct file_stamp) == 56,
	       "no padding, which would be undefined bytes of the file");

/* An array in the file, and in memory. */
struct section {
	int64_t offset, n;
	size_t size; /* of an element */
	void *array;
};

static int64_t bytes_of(const struct section *s)
{
	return s->n * (int64_t)s->size;
}

static int64_t aligned(int64_t offset)
{
	return (offset + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Where arrays of so many rows and entries are; returns the size of the file. */
static int64_t lay_out(struct section s[static N_ARRAYS], int64_t n_rows, int64_t n_entries)
{
	int64_t end = (int64_t)sizeof(struct header);

	s[LABELS] = (struct section){ .n = n_rows, .size = sizeof(double) };
	s[STARTS] = (struct section){ .n = n_rows + 1, .size = sizeof(int64_t) };
	s[COLUMNS] = (struct section){ .n = n_entries, .size = sizeof(int32_t) };
	s[VALUES] = (struct section){ .n = n_entries, .size = sizeof(double) };
	for (int k = 0; k < N_ARRAYS; k++) {
		s[k].offset = aligned(end);
		end = s[k].offset + bytes_of(&s[k]);
	}
	return end;
}

static void set_options(struct header *h, const struct rows_options *o)
{
	h->flags = (o->strict ? STRICT : 0) | (o->allow_nonfinite ? ALLOW_NONFINITE : 0) |
		   (o->label_optional ? LABEL_OPTIONAL : 0);
	h->least = o->min_index;
	h->most = o->max_index;
}

static uint32_t sum_of_header(const struct header *h)
{
	return checksum_crc32(0, h, offsetof(struct header, own_sum));
}

/* ---- Mapping ---- */

static bool is_same_reading(const struct header *h, const struct rows_options *options)
{
	struct header wanted = { 0 };

	set_options(&wanted, options);
	return h->flags == wanted.flags && h->least == wanted.least && h->most == wanted.most;
}

/* Why the file is of no use, as far as its first 'n' bytes and its size tell; else NULL. */
static const char *find_fault(const struct header *h, int64_t n, int64_t size)
{
	struct section s[N_ARRAYS];

	if (n == (int64_t)sizeof(*h) && (h->byte_order != BYTE_ORDER_MARK || h->version != VERSION))
		return "is of another version or machine";
	if (n < (int64_t)sizeof(*h) || h->own_sum != sum_of_header(h) || h->n_rows < 1 ||
	    h->n_rows > MOST || h->n_entries < 0 || h->n_entries > MOST ||
	    size != lay_out(s, h->n_rows, h->n_entries))
		return "is damaged";
	return NULL;
}

/* Read the header; '*misfit' as find_fault().  -1 with ERR_IO, also if the file is not ours. */
static int read_header(struct header *h, int fd, const char **misfit, struct error *err)
{
	struct stat status;
	ssize_t n;

	if (fstat(fd, &status) < 0)
		return error_set(err, ERR_IO, "%s", strerror(errno));
	if (!S_ISREG(status.st_mode))
		return error_set(err, ERR_IO, "neither a folder nor a regular file");
	n = pread(fd, h, sizeof(*h), 0);
	if (n < 0)
		return error_set(err, ERR_IO, "%s", strerror(errno));
	if (memcmp(h->magic, magic, (size_t)int64_min(n, sizeof(magic))) != 0)
		return error_set(err, ERR_IO,
				 "not a file of kept rows, and so not replaced; name another");
	*misfit = find_fault(h, n, (int64_t)status.st_size);
	return 0;
}

/* Are all arrays in the file as they were written?  A part that cannot be read is damage. */
static int check_arrays(const struct header *h, int fd, const char **misfit, struct error *err)
{
	struct section s[N_ARRAYS];

	lay_out(s, h->n_rows, h->n_entries);
	for (int k = 0; k < N_ARRAYS && !*misfit; k++) {
		struct error reason = { 0 };
		uint32_t sum = 0;

		if (file_checksum(fd, s[k].offset, bytes_of(&s[k]), &sum, &reason) < 0 &&
		    reason.code == ERR_MEMORY)
			return error_set(err, reason.code, "%s", reason.text);
		if (reason.code != ERR_NONE || sum != h->sum[k])
			*misfit = "is damaged";
	}
	return 0;
}

/* Does the file have the rows of the data?  Sets '*misfit' if not. */
static int check(const struct header *h, int fd, const struct dataset_file *f, const char **misfit,
		 struct error *err)
{
	bool agrees;

	if (file_stamp_agrees(&h->data, f->data, &agrees, err) < 0)
		return -1;
	if (!agrees)
		*misfit = "is of other data";
	else if (!is_same_reading(h, &f->options))
		*misfit = "is of the same data, read by other options";
	else
		return check_arrays(h, fd, misfit, err);
	return 0;
}

static int map_arrays(struct dataset *d, const struct header *h, int fd, struct error *err)
{
	struct section s[N_ARRAYS];

	lay_out(s, h->n_rows, h->n_entries);
	for (int k = 0; k < N_ARRAYS; k++) {
		s[k].array = mem_map(fd, s[k].offset, s[k].n, s[k].size, err);
		if (!s[k].array) {
			while (--k >= 0)
				mem_free(s[k].array);
			return -1;
		}
	}
	*d = (struct dataset){
		.x = { .n_rows = h->n_rows,
		       .n_cols = h->n_cols,
		       .row_start = s[STARTS].array,
		       .col = s[COLUMNS].array,
		       .val = s[VALUES].array,
		       .starts_capacity = s[STARTS].n,
		       .cols_capacity = s[COLUMNS].n,
		       .vals_capacity = s[VALUES].n },
		.y = s[LABELS].array,
		.max_index = h->max_index,
		.labels_capacity = s[LABELS].n,
	};
	return 0;
}

int dataset_file_map(struct dataset *d, const struct dataset_file *f, const char **misfit,
		     struct error *err)
{
	int fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret;
	struct header h;

	*misfit = NULL;
	if (fd < 0)
		return errno == ENOENT ? 0 : error_set(err, ERR_IO, "%s", strerror(errno));
	ret = read_header(&h, fd, misfit, err);
	if (ret == 0 && !*misfit)
		ret = check(&h, fd, f, misfit, err);
	if (ret == 0 && !*misfit)
		ret = map_arrays(d, &h, fd, err) < 0 ? -1 : 1;
	close(fd);
	return ret;
}

/* ---- Writing ---- */

int dataset_file_begin(struct dataset_file *f, struct error *err)
{
	if (file_stamp_take(&f->stamp, f->data, err) < 0)
		return -1;
	return output_open_plain(&f->output, f->path, err);
}

static int write_array(struct output *output, const struct section *s, struct error *err)
{
	const char *from = s->array;

	for (int64_t done = 0; done < bytes_of(s); done += PIECE) {
		if (output_write(output, from + done, int64_min(PIECE, bytes_of(s) - done), err) <
		    0)
			return -1;
		mem_trim();
	}
	return 0;
}

static int write_all(struct output *output, const struct header *h,
		     const struct section s[static N_ARRAYS], struct error *err)
{
	static const char zeros[ALIGNMENT];
	int64_t end = (int64_t)sizeof(*h);

	if (output_write(output, h, end, err) < 0)
		return -1;
	for (int k = 0; k < N_ARRAYS; k++) {
		if (output_write(output, zeros, s[k].offset - end, err) < 0 ||
		    write_array(output, &s[k], err) < 0)
			return -1;
		end = s[k].offset + bytes_of(&s[k]);
	}
	return 0;
}

static uint32_t sum_array(const struct section *s)
{
	const char *from = s->array;
	uint32_t sum = 0;

	for (int64_t done = 0; done < bytes_of(s); done += PIECE) {
		sum = checksum_crc32(sum, from + done, int64_min(PIECE, bytes_of(s) - done));
		mem_trim();
	}
	return sum;
}

/* The rows as they are in memory; the output is committed or discarded. */
static int write_file(struct dataset_file *f, const struct dataset *d, struct error *err)
{
	struct header h = { .byte_order = BYTE_ORDER_MARK,
			    .version = VERSION,
			    .n_rows = d->x.n_rows,
			    .n_entries = csr_n_entries(&d->x),
			    .n_cols = d->x.n_cols,
			    .max_index = d->max_index,
			    .data = f->stamp };
	struct section s[N_ARRAYS];
	int ret;

	memcpy(h.magic, magic, sizeof(magic));
	set_options(&h, &f->options);
	lay_out(s, h.n_rows, h.n_entries);
	s[LABELS].array = d->y;
	s[STARTS].array = d->x.row_start;
	s[COLUMNS].array = d->x.col;
	s[VALUES].array = d->x.val;
	for (int k = 0; k < N_ARRAYS; k++)
		h.sum[k] = sum_array(&s[k]);
	h.own_sum = sum_of_header(&h);
	ret = write_all(f->output, &h, s, err);
	if (ret == 0)
		ret = output_commit(f->output, err);
	else
		output_discard(f->output);
	f->output = NULL;
	return ret;
}

int dataset_file_commit(struct dataset_file *f, struct dataset *d, uint32_t whole,
			struct error *err)
{
	struct dataset mapped = { 0 };
	const char *misfit;
	int ret;

	f->stamp.whole = whole;
	if (!file_stamp_is_untouched(&f->stamp, f->data)) {
		output_discard(f->output);
		f->output = NULL;
		return 0;
	}
	if (write_file(f, d, err) < 0)
		return -1;
	ret = dataset_file_map(&mapped, f, &misfit, err);
	if (ret == 1) {
		dataset_free(d);
		*d = mapped;
	}
	/*
	 * 0: another run has replaced it at once, by that of other data; the rows are here anyway
	 */
	return ret < 0 ? -1 : 1;
}

/*
 * zip_file.c - the members of a zip archive, stored or deflated
 *
 * How this works.
 *
 *  (1) The end record is searched backwards from the end of the file, as a comment of up to 65,535
 *      bytes may follow it.  With zip64 a locator stands right before it, and names the offset of
 *      zip64's end record.
 *  (2) The entries of the central directory have sizes and checksum of each member.  Fields of 32
 *      bits that are all ones are in zip64's extra field, in a fixed order.
 *  (3) Lengths of the local header, which may differ from the directory's, tell where data begin.
 *  (4) A deflated member becomes one of gzip: the same bytes between a header of ten bytes and a
 *      trailer of CRC-32 and size, as the directory has them; so one inflater reads, and checks,
 *      both formats.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/zip_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arithmetic.h"
#include "base/little_endian.h"
#include "base/mem.h"

enum { END_RECORD = 22, LOCATOR = 20, END_RECORD_64 = 56, ENTRY = 46, LOCAL_HEADER = 30 };
enum { LONGEST_COMMENT = 65535 };
enum { ENCRYPTED = 1 }; /* bit of an entry's flags */

#define refuse(zip, reason, err) zip_refuse(zip, "zip archive: " reason, err)

int zip_refuse(const struct zip_file *zip, const char *reason, struct error *err)
{
	char shown[512];

	return error_set(err, ERR_FORMAT, "%s: %s",
			 error_quote(shown, sizeof(shown), zip->path, strlen(zip->path)), reason);
}

/* Bytes first .. first + size - 1 of the file. */
static int read_at(const struct zip_file *zip, void *to, int64_t first, int64_t size,
		   struct error *err)
{
	int64_t done = 0;
	ssize_t n = 1;

	if (first < 0 || size < 0 || size > zip->file_size || first > zip->file_size - size)
		return refuse(zip, "cut short, or damaged", err);
	while (done < size && n > 0) {
		n = pread(zip->fd, (char *)to + done, (size_t)(size - done), (off_t)(first + done));
		done += n > 0 ? n : 0;
	}
	if (n < 0)
		return error_set(err, ERR_IO, "%s: %s", zip->path, strerror(errno));
	return done == size ? 0 : refuse(zip, "cut short, or damaged", err);
}

/* ---- the directory ---- */

/* Where the central directory is. */
struct zip_place {
	int64_t first, size, n;
};

/* (1): zip64's end record, if its locator stands before the end record */
static int find_zip64(const struct zip_file *zip, int64_t end_record, struct zip_place *place,
		      struct error *err)
{
	char locator[LOCATOR], record[END_RECORD_64];

	if (end_record < LOCATOR)
		return 0;
	if (read_at(zip, locator, end_record - LOCATOR, LOCATOR, err) < 0)
		return -1;
	if (memcmp(locator, "PK\6\7", 4) != 0)
		return 0;
	if (read_at(zip, record, (int64_t)get_64(locator + 8), END_RECORD_64, err) < 0)
		return -1;
	if (memcmp(record, "PK\6\6", 4) != 0)
		return refuse(zip, "zip64's end record is damaged", err);
	*place = (struct zip_place){ .first = (int64_t)get_64(record + 48),
				     .size = (int64_t)get_64(record + 40),
				     .n = (int64_t)get_64(record + 32) };
	return 0;
}

/* (1): the end record */
static int find_directory(const struct zip_file *zip, struct zip_place *place, struct error *err)
{
	const int64_t size = int64_min(zip->file_size, END_RECORD + LONGEST_COMMENT);
	const char *record = NULL;
	char *tail = mem_array(size, 1, err);
	int ret = -1;

	if (tail)
		ret = read_at(zip, tail, zip->file_size - size, size, err);
	for (int64_t k = size - END_RECORD; ret == 0 && k >= 0 && !record; k--)
		if (memcmp(tail + k, "PK\5\6", 4) == 0)
			record = tail + k;
	if (record) {
		*place = (struct zip_place){ .first = get_32(record + 16),
					     .size = get_32(record + 12),
					     .n = get_16(record + 10) };
		ret = find_zip64(zip, zip->file_size - size + (record - tail), place, err);
	} else if (ret == 0) {
		ret = refuse(zip, "cut short: it has no directory", err);
	}
	mem_free(tail);
	return ret;
}

/* (2): fields of zip64's extra field, for those that are all ones */
static void read_extra(struct zip_member *m, const char *extra, const char *end)
{
	int64_t *const field[] = { &m->size, &m->packed, &m->header };

	for (; end - extra >= 4; extra += 4 + get_16(extra + 2)) {
		const char *p = extra + 4, *last = p + get_16(extra + 2);

		if (last > end)
			break;
		if (get_16(extra) != 1)
			continue;
		for (int k = 0; k < 3; k++) {
			if (*field[k] != UINT32_MAX || last - p < 8)
				continue;
			*field[k] = (int64_t)get_64(p);
			p += 8;
		}
	}
}

/* (2): the entry at *at of the directory, which moves behind it */
static int read_entry(struct zip_file *zip, int64_t *at, struct error *err)
{
	const int64_t left = zip->directory.size - *at;
	const char *p = left < ENTRY ? "" : zip->directory.bytes + *at;
	struct zip_member m = { .name_start = *at + ENTRY };
	int64_t length;

	if (strncmp(p, "PK\1\2", 4) != 0)
		return refuse(zip, "its directory is damaged", err);
	m.name_length = get_16(p + 28);
	length = ENTRY + m.name_length + get_16(p + 30) + get_16(p + 32);
	if (length > left)
		return refuse(zip, "its directory is damaged", err);
	m.method = (int)get_16(p + 10);
	m.checksum = get_32(p + 16);
	m.packed = get_32(p + 20);
	m.size = get_32(p + 24);
	m.header = get_32(p + 42);
	read_extra(&m, p + ENTRY + m.name_length, p + ENTRY + m.name_length + get_16(p + 30));
	if (get_16(p + 8) & ENCRYPTED)
		return refuse(zip, "its members are encrypted", err);
	if (m.method != 0 && m.method != 8)
		return refuse(zip, "its members are neither stored nor deflated", err);
	if (m.size < 0 || m.packed < 0 || m.header < 0 || (m.method == 0 && m.packed != m.size))
		return refuse(zip, "its directory is damaged", err);
	if (mem_grow(&zip->member, &zip->capacity, zip->n + 1, sizeof(m), err) < 0)
		return -1;
	zip->member[zip->n++] = m;
	*at += length;
	return 0;
}

static int read_directory(struct zip_file *zip, struct error *err)
{
	struct zip_place place = { 0 };
	int64_t at = 0;

	if (find_directory(zip, &place, err) < 0)
		return -1;
	if (place.size < 0 || place.size > zip->file_size)
		return refuse(zip, "its directory is damaged", err);
	if (byte_buffer_reserve(&zip->directory, place.size, err) < 0 ||
	    read_at(zip, zip->directory.bytes, place.first, place.size, err) < 0)
		return -1;
	zip->directory.size = place.size;
	for (int64_t k = 0; k < place.n; k++)
		if (read_entry(zip, &at, err) < 0)
			return -1;
	return 0;
}

int zip_open(struct zip_file *zip, const char *path, struct error *err)
{
	struct stat st;
	int ret = -1;

	*zip = (struct zip_file){ .path = path, .fd = open(path, O_RDONLY | O_CLOEXEC) };
	if (zip->fd < 0)
		return error_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	if (fstat(zip->fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		refuse(zip, "it has to be a file, as it is not read from its beginning on", err);
	} else {
		zip->file_size = st.st_size;
		ret = read_directory(zip, err);
	}
	if (ret < 0)
		zip_free(zip);
	return ret;
}

int64_t zip_find(const struct zip_file *zip, const char *name)
{
	for (int64_t k = 0; k < zip->n; k++)
		if (zip->member[k].name_length == (int64_t)strlen(name) &&
		    memcmp(zip->directory.bytes + zip->member[k].name_start, name, strlen(name)) ==
			    0)
			return k;
	return -1;
}

/* ---- members ---- */

/* (3): where the data of a member begin, or -1 */
static int64_t find_data(const struct zip_file *zip, const struct zip_member *m, struct error *err)
{
	char header[LOCAL_HEADER];
	int64_t first;

	if (read_at(zip, header, m->header, LOCAL_HEADER, err) < 0)
		return -1;
	first = m->header + LOCAL_HEADER + get_16(header + 26) + get_16(header + 28);
	if (memcmp(header, "PK\3\4", 4) != 0 || m->packed > zip->file_size ||
	    first > zip->file_size - m->packed)
		return refuse(zip, "cut short, or damaged", err);
	return first;
}

int zip_open_member(const struct zip_file *zip, int64_t k, struct input **input, struct error *err)
{
	static const uint8_t head[10] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255 };
	const struct zip_member *m = &zip->member[k];
	struct input_part part = { .size = m->packed };
	uint8_t tail[8];

	part.first = find_data(zip, m, err);
	if (part.first < 0)
		return -1;
	if (m->method == 8) { /* (4) */
		put_32(tail, m->checksum);
		put_32(tail + 4, (uint32_t)m->size);
		part.head = head;
		part.n_head = sizeof(head);
		part.tail = tail;
		part.n_tail = sizeof(tail);
	} else {
		part.checksum = &m->checksum;
	}
	return input_open_part(input, zip->path, &part, err);
}

void zip_free(struct zip_file *zip)
{
	if (zip->fd >= 0)
		close(zip->fd);
	mem_free(zip->member);
	byte_buffer_free(&zip->directory);
	*zip = (struct zip_file){ .fd = -1 };
}

/*
 * file_stamp.c - what a file was when it was read, to tell later whether it still holds the same
 *
 * How this works.  Size and time of modification alone do not tell: copies may keep both (cp -p,
 * rsync, tar), and touch(1) sets the time.  So a file whose size is the same is believed in two
 * cases:
 *
 *     size, inode and both times are as they were, and so is the sample.  The time of the last
 *     change (ctime) is set by the system alone, so the contents were written since only if that
 *     happened within the same tick of its clock, or the file system keeps coarse times or none;
 *     the sample is for these cases: all of a file up to 4 MB, else 64 pieces of 64 KB at equal
 *     distances, the first and the last bytes among them.  Data compressed by gzip differ behind a
 *     change up to the end.
 *
 *     or the sum of all bytes is as it was.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/file_stamp.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "io/checksum.h"

enum { N_PIECES = 64, PIECE_SIZE = 64 << 10 };

/* Bytes read at a time: they fit a core's cache. */
enum { BUFFER_SIZE = 256 << 10 };

static int fail(struct error *err)
{
	return error_set(err, ERR_IO, "%s", strerror(errno));
}

/* As many bytes as there are, up to 'size'; -1 with errno. */
static ssize_t read_at(int fd, void *buffer, int64_t size, int64_t offset)
{
	ssize_t n;

	do
		n = pread(fd, buffer, (size_t)size, (off_t)offset);
	while (n < 0 && errno == EINTR);
	return n;
}

int file_checksum(int fd, int64_t offset, int64_t size, uint32_t *crc, struct error *err)
{
	char *buffer = mem_array(BUFFER_SIZE, 1, err);
	int64_t left = size;
	ssize_t n = 1;

	if (!buffer)
		return -1;
	*crc = 0;
	while (left > 0 && n > 0) {
		n = read_at(fd, buffer, int64_min(left, BUFFER_SIZE), offset + size - left);
		if (n > 0) {
			*crc = checksum_crc32(*crc, buffer, n);
			left -= n;
		}
	}
	mem_free(buffer);
	if (n < 0)
		return fail(err);
	return left == 0 ? 0 : error_set(err, ERR_IO, "shorter than it was");
}

/* Pieces begin at equal distances, rounded down; the last one ends with the file. */
static int sum_sample(int fd, int64_t size, uint32_t *crc, struct error *err)
{
	if (size <= (int64_t)N_PIECES * PIECE_SIZE)
		return file_checksum(fd, 0, size, crc, err);
	*crc = 0;
	for (int64_t k = 0; k < N_PIECES; k++) {
		int64_t offset = (size - PIECE_SIZE) / (N_PIECES - 1) * k;
		uint32_t piece;

		if (k == N_PIECES - 1)
			offset = size - PIECE_SIZE;
		if (file_checksum(fd, offset, PIECE_SIZE, &piece, err) < 0)
			return -1;
		*crc = checksum_join(*crc, piece, PIECE_SIZE);
	}
	return 0;
}

static struct file_stamp stamp_of(const struct stat *status)
{
	return (struct file_stamp){ .size = (int64_t)status->st_size,
				    .inode = (int64_t)status->st_ino,
				    .modified_s = (int64_t)status->st_mtim.tv_sec,
				    .modified_ns = (int64_t)status->st_mtim.tv_nsec,
				    .changed_s = (int64_t)status->st_ctim.tv_sec,
				    .changed_ns = (int64_t)status->st_ctim.tv_nsec };
}

/* An open file, and its stamp without sums; -1 with ERR_IO. */
static int open_file(const char *path, struct file_stamp *stamp, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;

	if (fd < 0)
		return fail(err);
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
		close(fd);
		return error_set(err, ERR_IO, "not a regular file");
	}
	*stamp = stamp_of(&status);
	return fd;
}

int file_stamp_take(struct file_stamp *stamp, const char *path, struct error *err)
{
	int fd = open_file(path, stamp, err), ret;

	if (fd < 0)
		return -1;
	ret = sum_sample(fd, stamp->size, &stamp->sample, err);
	close(fd);
	return ret;
}

static bool is_same_state(const struct file_stamp *a, const struct file_stamp *b)
{
	return a->size == b->size && a->inode == b->inode && a->modified_s == b->modified_s &&
	       a->modified_ns == b->modified_ns && a->changed_s == b->changed_s &&
	       a->changed_ns == b->changed_ns;
}

bool file_stamp_is_untouched(const struct file_stamp *stamp, const char *path)
{
	struct stat status;
	struct file_stamp now;

	if (stat(path, &status) < 0)
		return false;
	now = stamp_of(&status);
	return is_same_state(stamp, &now);
}

int file_stamp_agrees(const struct file_stamp *stamp, const char *path, bool *agrees,
		      struct error *err)
{
	struct file_stamp now;
	int fd = open_file(path, &now, err), ret = 0;

	*agrees = false;
	if (fd < 0)
		return -1;
	if (is_same_state(stamp, &now)) {
		ret = sum_sample(fd, now.size, &now.sample, err);
		*agrees = ret == 0 && now.sample == stamp->sample;
	} else if (now.size == stamp->size) {
		ret = file_checksum(fd, 0, now.size, &now.whole, err);
		*agrees = ret == 0 && now.whole == stamp->whole;
	}
	close(fd);
	return ret;
}

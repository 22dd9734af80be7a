/*
 * test_input.c - plain and gzip input, whole, damaged, cut short and in small pieces
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "base/mem_bound.h"
#include "io/gzip.h"
#include "io/input.h"
#include "unit.h"

enum {
	ROOM = 1 << 20,	      /* of each buffer here; no test needs more */
	PACKED_SIZE = 1 << 18 /* what input.c reads of compressed input at a time */
};

static const char early_end[] = "gzip data end too early (truncated file?)";
static const char garbage[] = "bytes after the gzip data that are no gzip member";
static const char damaged[] = "gzip data are damaged";

static char folder[4096], path[4200], second[4200], third[4200];
static uint8_t text[ROOM], packed[ROOM], unpacked[ROOM];

/* Lines of a sort, so that there are matches to find as well as literals. */
static void fill_text(void)
{
	uint32_t random = 1;
	char line[64];

	for (size_t i = 0, n; i < ROOM; i += n) {
		random = random * 1664525 + 1013904223;
		n = (size_t)snprintf(line, sizeof(line), "%d 3:%.4g 17:%u\n", random >> 31 ? 1 : -1,
				     random / 1e9, random >> 25);
		if (n > ROOM - i)
			n = ROOM - i;
		memcpy(text + i, line, n);
	}
}

static void write_file_to(const char *name, const uint8_t *bytes, size_t n)
{
	FILE *f = fopen(name, "wb");

	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0) {
		perror(name);
		exit(1);
	}
}

static void write_file(const uint8_t *bytes, size_t n)
{
	write_file_to(path, bytes, n);
}

/* Writes one member of text[start, start + n) to 'out', returns its length. */
static size_t pack(uint8_t *out, size_t start, size_t n, int level, gz_header *header)
{
	z_stream z = {
		.next_in = text + start, .avail_in = (uInt)n, .next_out = out, .avail_out = ROOM
	};

	if (deflateInit2(&z, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	if (header)
		deflateSetHeader(&z, header);
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();
	deflateEnd(&z);
	return z.total_out;
}

/* Reads all there is into 'unpacked', 'piece' bytes at a time. */
static int64_t read_all(const char *name, int64_t piece, struct error *err)
{
	struct input *s;
	int64_t n, done = 0;

	*err = (struct error){ 0 };
	if (input_open(&s, name, err) < 0) {
		CHECK(s == NULL, "an input beside a failure");
		return -1;
	}
	do {
		n = input_read(s, unpacked + done, piece < ROOM - done ? piece : ROOM - done, err);
		done += n < 0 ? 0 : n;
	} while (n == piece);
	if (n >= 0)
		CHECK(input_read(s, unpacked, 1, err) == 0, "bytes after the end");
	else
		CHECK(input_read(s, unpacked, 1, &(struct error){ 0 }) < 0, "failure forgotten");
	input_close(s);
	return n < 0 ? -1 : done;
}

static void expect_text(const char *what, size_t n, int64_t got, const struct error *err)
{
	CHECK(got == (int64_t)n, "%s: %lld bytes, not %zu; %s", what, (long long)got, n, err->text);
	CHECK(got < 0 || memcmp(text, unpacked, n) == 0, "%s: other bytes", what);
}

static void expect_error(const char *what, const char *reason, int64_t got, const struct error *err)
{
	CHECK(got < 0 && err->code == ERR_FORMAT && strstr(err->text, reason),
	      "%s: %lld bytes, code %d, '%s', not '%s'", what, (long long)got, err->code, err->text,
	      reason);
}

static void expect_file(const char *what, const uint8_t *bytes, size_t n_bytes, size_t n)
{
	static const int64_t pieces[] = { 1000, 4096, 100003, ROOM };
	struct error err;
	int64_t got;

	write_file(bytes, n_bytes);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		got = read_all(path, pieces[i], &err);
		expect_text(what, n, got, &err);
	}
	if (n < 5000) {
		got = read_all(path, 1, &err);
		expect_text(what, n, got, &err);
	}
}

static void expect_bad_file(const char *what, const char *reason, const uint8_t *bytes, size_t n)
{
	struct error err;
	int64_t got;

	write_file(bytes, n);
	got = read_all(path, 1000, &err);
	expect_error(what, reason, got, &err);
}

/* Makes standard input a thing of which every read(2) gives one byte, if not at once. */
static pid_t feed_bytes(const uint8_t *bytes, size_t n, useconds_t pause)
{
	int ends[2];
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) < 0 || (child = fork()) < 0) {
		perror("feeding");
		exit(1);
	}
	if (child == 0) {
		close(ends[0]);
		for (size_t i = 0; i < n && write(ends[1], bytes + i, 1) == 1; i++)
			if (pause > 0)
				usleep(pause);
		_exit(0);
	}
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	return child;
}

static int64_t read_slowly(const uint8_t *bytes, size_t n, useconds_t pause, struct error *err)
{
	pid_t child = feed_bytes(bytes, n, pause);
	int64_t got = read_all("-", ROOM, err);

	close(STDIN_FILENO);
	waitpid(child, NULL, 0);
	open("/dev/null", O_RDONLY); /* so that fd 0 stays taken */
	return got;
}

static int64_t read_fed(const uint8_t *bytes, size_t n, struct error *err)
{
	return read_slowly(bytes, n, 0, err);
}

static void test_plain(void)
{
	static const size_t sizes[] = { 0, 1, 2, 3, 4000, 300000 };
	uint8_t first = text[0];
	struct error err;
	int64_t got;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		expect_file("plain", text, sizes[i], sizes[i]);
	got = read_fed(text, 1000, &err);
	expect_text("plain, fed by the byte", 1000, got, &err);
	text[0] = 0x1f;
	expect_file("half the magic", text, 500, 500);
	text[0] = first;
}

static void test_members(void)
{
	static const size_t sizes[] = { 0, 1, 3000, 200000 };
	size_t n;

	for (int level = 0; level <= 9; level += 3)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			n = pack(packed, 0, sizes[i], level, NULL);
			expect_file("a member", packed, n, sizes[i]);
		}
	n = 0;
	for (int i = 0; i < 2000; i++)
		n += pack(packed + n, 0, 0, 6, NULL);
	n += pack(packed + n, 0, 3000, 6, NULL);
	n += pack(packed + n, 0, 0, 0, NULL);
	expect_file("empty members", packed, n, 3000);
}

/* text[0, 600) in two members; returns the length of both and sets that of the first. */
static size_t pack_two(size_t *first, gz_header *header)
{
	*first = pack(packed, 0, 400, 6, header);
	return *first + pack(packed + *first, 400, 200, 6, header);
}

/* Every kind of header, the one before and the one between the members, cut everywhere. */
static void test_headers(void)
{
	Bytef name[] = "a name", comment[] = "a comment", extra[] = "AB\3\0xyz";
	struct error err;
	size_t n, first;
	int64_t got;

	for (int i = 0; i < 32; i++) {
		gz_header header = { .text = i & 1,
				     .hcrc = i >> 1 & 1,
				     .name = i & 4 ? name : NULL,
				     .comment = i & 8 ? comment : NULL,
				     .extra = i & 16 ? extra : NULL,
				     .extra_len = i & 16 ? 7 : 0 };

		n = pack_two(&first, &header);
		expect_file("header", packed, n, 600);
		got = read_fed(packed, n, &err);
		expect_text("header, fed by the byte", 600, got, &err);
		if (i & 2) {
			packed[4] ^= 1; /* a date; only the header's checksum knows */
			got = read_fed(packed, n, &err);
			expect_error("header checksum", damaged, got, &err);
		}
	}
}

static void test_long_header(void)
{
	static Bytef extra[65535], name[PACKED_SIZE];
	gz_header header = { .extra = extra, .extra_len = sizeof(extra), .name = name, .hcrc = 1 };

	memset(name, 'n', sizeof(name) - 1);
	expect_file("long header", packed, pack(packed, 0, 3000, 6, &header), 3000);
}

static void test_bad_headers(void)
{
	size_t first, n = pack_two(&first, NULL), member[] = { 0, first };

	for (int i = 0; i < 2; i++) {
		uint8_t *header = packed + member[i];

		for (int bit = 5; bit < 8; bit++) {
			header[3] = (uint8_t)(1 << bit);
			expect_bad_file("reserved flag", damaged, packed, n);
		}
		header[3] = 0;
		header[2] = 7;
		expect_bad_file("method 7", damaged, packed, n);
		header[2] = 8;
	}
	expect_file("mended", packed, n, 600);
}

static void test_truncated(void)
{
	Bytef name[] = "name";
	gz_header header = { .name = name, .hcrc = 1 };
	size_t first, n = pack_two(&first, &header);

	for (size_t cut = 1; cut < n; cut++) {
		char what[64];
		struct error err;
		int64_t got;

		if (cut == first)
			continue;
		snprintf(what, sizeof(what), "%zu of %zu bytes", cut, n);
		expect_bad_file(what, early_end, packed, cut);
		got = read_fed(packed, cut, &err);
		expect_error(what, early_end, got, &err);
	}
	expect_file("first member alone", packed, first, 400);
	expect_file("both members", packed, n, 600);
}

/* No flipped bit may pass for other data, and none in a trailer may pass at all. */
static void test_flips(void)
{
	size_t first, n = pack_two(&first, NULL);
	struct error err;
	int fd;

	write_file(packed, n);
	fd = open(path, O_WRONLY);
	for (size_t i = sizeof("\x1f\x8b") - 1; i < n; i++) {
		bool trailer = (i >= first - 8 && i < first) || i >= n - 8;

		for (int bit = 0; bit < 8; bit++) {
			uint8_t flipped = packed[i] ^ (uint8_t)(1 << bit);
			int64_t got;

			CHECK(pwrite(fd, &flipped, 1, (off_t)i) == 1, "cannot flip");
			got = read_all(path, ROOM, &err);
			if (trailer)
				expect_error("trailer", damaged, got, &err);
			else
				CHECK(got < 0 ? err.code == ERR_FORMAT :
						got == 600 && !memcmp(text, unpacked, 600),
				      "bit %d of byte %zu: %lld bytes", bit, i, (long long)got);
		}
		CHECK(pwrite(fd, packed + i, 1, (off_t)i) == 1, "cannot flip back");
	}
	close(fd);
}

static void test_after_the_end(void)
{
	size_t n = pack(packed, 0, 3000, 6, NULL), zeros = 300000;

	memset(packed + n, 0, zeros + 100);
	expect_file("a zero", packed, n + 1, 3000);
	expect_file("zeros", packed, n + 512, 3000);
	expect_file("many zeros", packed, n + zeros, 3000);
	packed[n + zeros] = 'x';
	expect_bad_file("garbage after zeros", garbage, packed, n + zeros + 1);
	memcpy(packed + n + 10, packed, n < 90 ? n : 90);
	expect_bad_file("member after zeros", garbage, packed, n + 100);
	packed[n] = 'x';
	expect_bad_file("a byte of garbage", garbage, packed, n + 1);
	packed[n] = 0x1f;
	expect_bad_file("half the magic", early_end, packed, n + 1);
	expect_bad_file("half the magic, then a zero", garbage, packed, n + 2);
	packed[n + 1] = 0x8b;
	expect_bad_file("the magic alone", early_end, packed, n + 2);
	packed[n] = 0x8b;
	expect_bad_file("the other half", garbage, packed, n + 2);
}

/* Trailer and next header lie in every way across the end of an input buffer. */
static void test_buffer_boundary(void)
{
	static Bytef name[20000];
	gz_header header = { .name = name };
	size_t n = 250000, shortest = pack(packed, 0, n, 0, &header);

	for (size_t end = PACKED_SIZE - 12; end <= PACKED_SIZE + 12; end++) {
		size_t first, second;

		memset(name, 'n', end - shortest);
		name[end - shortest] = '\0';
		first = pack(packed, 0, n, 0, &header);
		CHECK(first == end, "member of %zu bytes, not %zu", first, end);
		second = pack(packed + first, n, 1000, 6, NULL);
		expect_file("ends at the boundary", packed, first, n);
		expect_file("goes on at the boundary", packed, first + second, n + 1000);
	}
}

static void ignore_signal(int number)
{
	(void)number;
}

static void test_interrupted(void)
{
	struct sigaction action = { .sa_handler = ignore_signal };
	struct itimerval often = { { 0, 300 }, { 0, 300 } }, never = { 0 };
	size_t n = pack(packed, 0, 50, 6, NULL);
	struct error err;
	int64_t got;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	got = read_slowly(packed, n, 1000, &err);
	setitimer(ITIMER_REAL, &never, NULL);
	expect_text("interrupted", 50, got, &err);
}

static void test_open_errors(void)
{
	char expected[5000];
	struct error err = { 0 };
	struct input *s;

	CHECK(input_open(&s, folder, &err) < 0 && err.code == ERR_IO, "opened a folder");
	CHECK(!strcmp(err.text, "Is a directory"), "%s", err.text);
	err = (struct error){ 0 };
	CHECK(input_open(&s, "/no\n/such", &err) < 0 && err.code == ERR_IO, "opened nothing");
	CHECK(!strcmp(err.text, "No such file or directory"), "%s", err.text);
	err = (struct error){ 0 };
	memset(expected, 'x', sizeof(expected) - 1);
	expected[sizeof(expected) - 1] = '\0';
	CHECK(input_open(&s, expected, &err) < 0 && !strcmp(err.text, "File name too long"), "%s",
	      err.text);
	input_close(NULL);
}

static void test_position(void)
{
	struct error err = { 0 };
	size_t n = pack(packed, 0, 30000, 1, NULL);
	int64_t taken, total;
	struct input *s;

	write_file(packed, n);
	CHECK(input_open(&s, path, &err) == 0, "%s", err.text);
	CHECK(!strcmp(input_name(s), path), "%s", input_name(s));
	input_position(s, &taken, &total);
	CHECK(taken == 0 && total == (int64_t)n, "%lld of %lld", (long long)taken,
	      (long long)total);
	CHECK(input_read(s, unpacked, ROOM, &err) == 30000, "%s", err.text);
	input_position(s, &taken, &total);
	CHECK(taken == (int64_t)n, "%lld of %zu", (long long)taken, n);
	input_close(s);
}

/* Plain, of two members, empty and plain: each is read as it is, and their bytes are counted. */
static void test_files(void)
{
	const char *names[] = { path, second, third, path };
	struct data_files files = { .file = names, .n = 4, .name = "all" };
	struct error err = { 0 };
	size_t n = pack(packed, 0, 20000, 1, NULL);
	int64_t taken, total;
	struct input *s;

	n += pack(packed + n, 20000, 10000, 9, NULL);
	write_file_to(second, packed, n);
	write_file_to(third, packed, 0);
	write_file(text, 5000);
	files.bytes = (int64_t)n + 2 * 5000;
	CHECK(input_open(&s, path, &err) == 0, "%s", err.text);
	input_continue(s, &files);
	for (int k = 0; k < 4; k++) {
		const int64_t expected_bytes = k == 1 ? 30000 : k == 2 ? 0 : 5000;

		CHECK(!strcmp(input_name(s), names[k]) && !strcmp(input_whole_name(s), "all"),
		      "%d: %s", k, input_name(s));
		CHECK(input_read(s, unpacked, ROOM, &err) == expected_bytes, "%d: %s", k, err.text);
		CHECK(!memcmp(unpacked, text, (size_t)expected_bytes), "%d: other bytes", k);
		CHECK(input_next(s, &err) == (k < 3), "%d: %s", k, err.text);
	}
	CHECK(input_next(s, &err) == 0, "a fifth file");
	input_position(s, &taken, &total);
	CHECK(taken == files.bytes && total == taken, "%lld of %lld", (long long)taken,
	      (long long)total);
	input_close(s);

	/* one that is gone meanwhile */
	unlink(second);
	CHECK(input_open(&s, path, &err) == 0, "%s", err.text);
	input_continue(s, &files);
	CHECK(input_next(s, &err) < 0 && err.code == ERR_IO && strstr(err.text, second), "%s",
	      err.text);
	input_close(s);
	unlink(third);
}

/* Standard input that was read from before starts where it is. */
static void test_standard_input(void)
{
	struct error err = { 0 };
	int64_t taken, total;
	struct input *s;
	int fd;

	write_file(text, 5000);
	fd = open(path, O_RDONLY);
	dup2(fd, STDIN_FILENO);
	close(fd);
	lseek(STDIN_FILENO, 1000, SEEK_SET);
	CHECK(input_open(&s, "-", &err) == 0, "%s", err.text);
	CHECK(!strcmp(input_name(s), "standard input"), "%s", input_name(s));
	CHECK(input_read(s, unpacked, ROOM, &err) == 4000, "%s", err.text);
	CHECK(!memcmp(unpacked, text + 1000, 4000), "other bytes");
	input_position(s, &taken, &total);
	CHECK(taken == 4000 && total == 4000, "%lld of %lld", (long long)taken, (long long)total);
	input_close(s);
	CHECK(fcntl(STDIN_FILENO, F_GETFD) >= 0, "standard input closed");
	close(STDIN_FILENO);
	CHECK(input_open(&s, "-", &err) < 0 && !strcmp(err.text, "Bad file descriptor"), "%s",
	      err.text);
	open("/dev/null", O_RDONLY);
}

static void test_memory(void)
{
	struct error err;
	int64_t n = 0, got;
	size_t first;

	write_file(packed, pack_two(&first, NULL));
	for (;; n++) {
		mem_fail_after(n);
		got = read_all(path, ROOM, &err);
		mem_fail_after(-1);
		if (got >= 0)
			break;
		CHECK(err.code == ERR_MEMORY, "allocation %lld: %s", (long long)n, err.text);
	}
	expect_text("memory", 600, got, &err);
	CHECK(n >= 3, "%lld allocations", (long long)n);
}

static void test_versions(void)
{
	CHECK(!strncmp(inflater_version(), "ISA-L", 5) || !strncmp(inflater_version(), "zlib 1", 6),
	      "%s", inflater_version());
	CHECK(!strcmp(deflater_zlib_version(), zlibVersion()), "%s", deflater_zlib_version());
}

int main(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(folder, sizeof(folder), "%s/stream-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
	snprintf(path, sizeof(path), "%s/input", folder);
	snprintf(second, sizeof(second), "%s/second", folder);
	snprintf(third, sizeof(third), "%s/third", folder);
	fill_text();
	test_plain();
	test_members();
	test_headers();
	test_long_header();
	test_bad_headers();
	test_truncated();
	test_flips();
	test_after_the_end();
	test_buffer_boundary();
	test_interrupted();
	test_open_errors();
	test_position();
	test_files();
	test_standard_input();
	test_memory();
	test_versions();
	unlink(path);
	rmdir(folder);
	return unit_report("input");
}

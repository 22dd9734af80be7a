/*
 * output.c - a file that appears whole or not at all
 *
 * How this works.  What is written goes into a new file in the target's folder, since rename(2) is
 * atomic only within one file system.  The new file has no name (O_TMPFILE): however the process
 * ends, the kernel removes it.  Where the file system or a missing /proc forbids that, it has a
 * name from the start, .TARGET.tmpPROCESS-TIME, which is noted for output_remove_pending(); what
 * SIGKILL leaves of such names the next output to the same target removes.
 *
 * A commit takes four steps, each for all outputs before the next one begins:
 *
 *     (1) finish          of files: bytes and mark are written and on the disk (fsync); a full disk
 *                         shows here
 *     (2) finish          of pipes and devices, which cannot be taken back, so after the files: a
 *                         reader at the end of a pipe sees an end only if those are safe
 *     (3) name_file       an unnamed file is called .TARGET.tmp...; linkat(2) cannot replace a file
 *     (4) replace_target  rename(2) onto the target
 *
 * Everything that may fail for want of room, rights or memory comes before the first rename.  The
 * fsync before it matters after a power failure: some file systems would otherwise have the new
 * name and not yet the bytes.
 *
 * Bytes pass through 'buffer', for compressed output on to the deflater and 'packed'.  A large
 * piece of plain output skips the buffer.  The first failure is kept in the struct, and every later
 * call returns it: a caller may check only the commit.
 *
 * Which of the four an output is, and what it has:
 *
 *      a new file without a name    fd, target        temp from step (3) on
 *      a new file with a name       fd, target, temp  temp is noted for a signal handler
 *      a pipe, device or descriptor fd                written as bytes come; nothing to take back
 *      a checksum                   counts            no descriptor
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/output.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/gzip.h"

/* ---- temporary names, and what killed processes left of them ---- */

/*
 * While a file has the name .TARGET.tmpPROCESS-TIME its writer holds flock(2) on it, which ends with
 * the process however that ends.  So a file of such a name that nobody holds was left behind by
 * SIGKILL or a failure of power.  Processes in other containers, and on other machines where the
 * file system shares locks, hold theirs likewise, though their numbers say nothing here.
 */

/* Bytes kept of the target's name, of 255; the rest is for what is around it. */
enum { BASE_KEPT = 200 };

/* Entries of a folder that are looked at: they take 3 ms. */
enum { MOST_ENTRIES = 5000 };

/* Digits of the nanoseconds in a name. */
enum { TIME_DIGITS = 9 };

/* Bytes of a name beyond those of its target, final 0 included. */
enum { TEMP_FILE_SUFFIX = 64 };

#define DIGITS "0123456789"

const char *file_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Is 'name' what name_temp() makes of a target of this base? */
static bool is_temp_name(const char *name, const char *base)
{
	char start[NAME_MAX + 1];
	int n = snprintf(start, sizeof(start), ".%.*s.tmp", BASE_KEPT, base);
	size_t process;

	if (strncmp(name, start, (size_t)n) != 0)
		return false;
	name += n;
	process = strspn(name, DIGITS);
	if (process == 0 || name[process] != '-')
		return false;
	name += process + 1;
	return strlen(name) == TIME_DIGITS && strspn(name, DIGITS) == TIME_DIGITS;
}

/*
 * Hold the file that 'fd' has open, which may have no name yet
 *
 * Returns another descriptor of it, to be closed when the file has its last name; -1 where there is
 * none left.  Where the file system knows no locks nothing is held, and nothing removed either.
 */
static int temp_file_hold(int fd)
{
	int held = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	/* temp_file_remove_stale() may have it for a moment */
	while (held >= 0 && flock(held, LOCK_EX) < 0 && errno == EINTR)
		;
	return held;
}

/* Remove the file of the folder if nobody holds it. */
static void remove_unheld(int folder, const char *name)
{
	int fd = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0)
		unlinkat(folder, name, 0);
	close(fd);
}

/*
 * Remove files of temporary names beside 'target' that nobody holds
 *
 * Looks at the first thousands of files in the folder: more would cost more than they are worth.
 */
static void temp_file_remove_stale(const char *target)
{
	const char *base = file_base(target);
	char folder[PATH_MAX];
	int n = snprintf(folder, sizeof(folder), "%.*s.", (int)(base - target), target);
	DIR *list = n < PATH_MAX ? opendir(folder) : NULL;
	const struct dirent *e;

	if (!list)
		return;
	for (int i = 0; i < MOST_ENTRIES && (e = readdir(list)); i++)
		if (is_temp_name(e->d_name, base))
			remove_unheld(dirfd(list), e->d_name);
	closedir(list);
}

/* ---- names of unfinished files, for a signal handler that removes them ---- */

/* Most names noted at a time; names beyond that are not removed by a signal. */
enum { MAX_PENDING = 64 };

/*
 * The names of unfinished files, for output_remove_pending() in a signal handler, which may only
 * use atomics and unlink(2).  A name is noted before its file exists and forgotten after the file
 * is gone or renamed, so none is missed.  The handler may run in another thread while this one
 * forgets a name: 'removing' tells, and the name's memory is then not freed, as the process is
 * about to end.
 */
static _Atomic(char *) pending[MAX_PENDING];
static atomic_int removing;

_Static_assert(ATOMIC_POINTER_LOCK_FREE == 2 && ATOMIC_INT_LOCK_FREE == 2,
	       "a signal handler must not wait for a lock");

void output_note_pending(char *name)
{
	for (int i = 0; i < MAX_PENDING; i++) {
		char *free_slot = NULL;

		if (atomic_compare_exchange_strong(&pending[i], &free_slot, name))
			return;
	}
}

/* The named file is gone: take its entry off the list and free the entry. */
void output_forget_pending(char *name)
{
	for (int i = 0; i < MAX_PENDING; i++) {
		char *noted = name;

		if (atomic_compare_exchange_strong(&pending[i], &noted, NULL))
			break;
	}
	if (atomic_load(&removing) == 0)
		mem_free(name);
}

void output_remove_pending(void)
{
	int saved = errno; /* errno of the code that the signal interrupted */

	atomic_fetch_add(&removing, 1);
	for (int i = 0; i < MAX_PENDING; i++) {
		const char *name = atomic_load(&pending[i]);

		if (name)
			unlink(name);
	}
	atomic_fetch_sub(&removing, 1);
	errno = saved;
}

/* ---- outputs ---- */

enum {
	BUFFER_SIZE = 1 << 16, /* size of 'buffer': as much as a pipe holds on Linux */
	MAX_PIECE = 1 << 30,   /* a single write(2) may fail beyond 2 GiB */
	MAX_LINKS = 40,	       /* symbolic links followed at most: as many as Linux follows */
	MAX_ATTEMPTS = 100,    /* attempts to find a free name for the new file */
	DESCRIPTOR_PATH = 32,  /* room for /proc/self/fd/N */
	MARK_PERIOD = 1000000, /* nanoseconds of a time that hold a mark: those below a ms */
	SECOND = 1000000000    /* nanoseconds */
};

#ifndef O_TMPFILE
#define O_TMPFILE 0 /* opening a folder for writing fails: the new file has a name then */
#endif

/* An output; the table above says which fields each kind uses. */
struct output {
	int fd;		 /* descriptor that is written to; -1: none, or closed */
	int held;	 /* descriptor of temp_file_hold() for the new file; -1: none */
	bool owned;	 /* descriptor is opened and closed by this module */
	char *target;	 /* name that the new file will take; NULL where 'fd' is no new file */
	char *temp;	 /* name of the new file; NULL while the file is unnamed */
	long older;	 /* digits of MARK_PERIOD of the older file's time; -1: none, or empty */
	long mark;	 /* digits that the time of what is written will have; 0: any */
	uint8_t *buffer; /* buffer of BUFFER_SIZE for bytes not written yet */
	int64_t n_buffered;
	int64_t n_appended;	   /* bytes of all output_write() */
	struct deflater *deflater; /* compressor of the output; NULL for an uncompressed output */
	uint8_t *packed;	   /* BUFFER_SIZE compressed bytes; NULL as 'deflater' */
	struct gzip_io io;	   /* io.out, io.n_out: the part of 'packed' still free */
	bool counts;		   /* there is no file: bytes go into 'checksum' alone */
	uint32_t checksum;
	struct error failure; /* first failure: later writes fail with the first error again */
};

/* Notes that 'number', an errno, stood in the way. */
static int fail(struct output *o, int number)
{
	return error_set(&o->failure, ERR_IO, "%s", strerror(number));
}

/* A path of 'n' bytes, taken from the folder of 'path' unless it is absolute. */
static char *path_beside(const char *path, const char *name, size_t n, struct error *err)
{
	size_t folder = n > 0 && name[0] == '/' ? 0 : (size_t)(file_base(path) - path);
	char *joined = mem_array((int64_t)(folder + n + 1), 1, err);

	if (!joined)
		return NULL;
	memcpy(joined, path, folder);
	memcpy(joined + folder, name, n);
	joined[folder + n] = '\0';
	return joined;
}

char *output_target(const char *path, struct error *err)
{
	char *target = path_beside("", path, strlen(path), err);
	int reason = ELOOP;

	for (int i = 0; target && i < MAX_LINKS; i++) {
		char link[PATH_MAX];
		ssize_t n = readlink(target, link, sizeof(link));
		char *next;

		if (n < 0)
			return target;	 /* no link; any other fault shows when the file is made */
		if (n == sizeof(link)) { /* the buffer is full: the link may be longer */
			reason = ENAMETOOLONG;
			break;
		}
		next = path_beside(target, link, (size_t)n, err);
		mem_free(target);
		target = next;
	}
	if (target)
		error_set(err, ERR_IO, "%s", strerror(reason));
	mem_free(target);
	return NULL;
}

/* ---- The new file, and its name ---- */

static const char *path_of_descriptor(const struct output *o, char path[static DESCRIPTOR_PATH])
{
	snprintf(path, DESCRIPTOR_PATH, "/proc/self/fd/%d", o->fd);
	return path;
}

/*
 * Make the new file without a name.  False where this cannot be done; the reason does not matter
 * here: if it is more than a missing feature, making a file with a name fails for it as well.
 */
static bool create_unnamed(struct output *o, mode_t mode)
{
	char folder[PATH_MAX], path[DESCRIPTOR_PATH];
	int n = snprintf(folder, sizeof(folder), "%.*s.", (int)(file_base(o->target) - o->target),
			 o->target);

	if (n >= PATH_MAX)
		return false;
	o->fd = open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
	if (o->fd >= 0 && access(path_of_descriptor(o, path), F_OK) < 0) {
		close(o->fd); /* without /proc the file could not be given a name later */
		o->fd = -1;
	}
	if (o->fd >= 0)
		o->held = temp_file_hold(o->fd);
	return o->fd >= 0;
}

/* Hold the new file no longer. */
static void let_go(struct output *o)
{
	if (o->held >= 0)
		close(o->held);
	o->held = -1;
}

/*
 * Give the name o->temp to the unnamed file, or make a file of that name.  Either way it fails with
 * EEXIST if there is one already.
 */
static int take_name(struct output *o, mode_t mode)
{
	char path[DESCRIPTOR_PATH];
	struct stat st;

	if (o->fd >= 0)
		return linkat(AT_FDCWD, path_of_descriptor(o, path), AT_FDCWD, o->temp,
			      AT_SYMLINK_FOLLOW);
	o->fd = open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (o->fd < 0)
		return -1;
	o->held = temp_file_hold(o->fd);
	if (fstat(o->fd, &st) < 0 || st.st_nlink > 0)
		return 0;
	/* before it was held another process took it for one that was left behind */
	let_go(o);
	close(o->fd);
	o->fd = -1;
	errno = EEXIST;
	return -1;
}

/*
 * A name that is noted before it is taken.  Its dot keeps it out of what a shell makes of `FILE*`.
 * Process and time make it new; where they do not (another machine on the same disk), taking it
 * fails and the next time is tried.
 */
static int name_temp(struct output *o, mode_t mode)
{
	const char *base = file_base(o->target);
	size_t size = strlen(o->target) + TEMP_FILE_SUFFIX;
	struct timespec now;
	int reason = EEXIST;

	for (int i = 0; i < MAX_ATTEMPTS && reason == EEXIST; i++) {
		o->temp = mem_array((int64_t)size, 1, &o->failure);
		if (!o->temp)
			return -1;
		clock_gettime(CLOCK_REALTIME, &now);
		snprintf(o->temp, size, "%.*s.%.*s.tmp%ld-%0*ld", (int)(base - o->target),
			 o->target, BASE_KEPT, base, (long)getpid(), TIME_DIGITS, now.tv_nsec);
		output_note_pending(o->temp);
		if (take_name(o, mode) == 0)
			return 0;
		reason = errno;
		output_forget_pending(o->temp);
		o->temp = NULL;
	}
	return fail(o, reason);
}

/*
 * Owner and group first, since chown(2) clears mode bits.  Only root may set the owner; where the
 * group cannot be kept either, the rights meant for it are given to no group.
 */
static void copy_permissions(int fd, const struct stat *old)
{
	mode_t mode = old->st_mode & 0777;

	if (fchown(fd, old->st_uid, old->st_gid) < 0 && fchown(fd, (uid_t)-1, old->st_gid) < 0)
		mode &= ~(mode_t)070;
	fchmod(fd, mode); /* where fchmod() is refused the file stays closed to others */
}

/*
 * Make the new file; 'old' is the file it will replace, NULL if there is none.  A file that may not
 * be written is refused, though rename(2) could replace it.  While the new file has not the old
 * one's permissions only its owner may read it.
 */
static int open_beside(struct output *o, const char *path, const struct stat *old)
{
	mode_t mode = old ? 0600 : 0666;

	if (old && access(path, W_OK) < 0)
		return fail(o, errno);
	if (old && old->st_size > 0)
		o->older = old->st_mtim.tv_nsec % MARK_PERIOD;
	o->target = output_target(path, &o->failure);
	if (!o->target)
		return -1;
	temp_file_remove_stale(o->target);
	if (!create_unnamed(o, mode) && name_temp(o, mode) < 0)
		return -1;
	if (old)
		copy_permissions(o->fd, old);
	return 0;
}

/*
 * The open file that 'path' is a name of, or -1.  It is used as it is: to open the name again
 * would, on Linux, begin at the start of the file and write over what other programs wrote to it.
 */
static int named_descriptor(const char *path)
{
	static const char folder[] = "/dev/fd/";
	char *end;
	long fd;

	if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	if (strncmp(path, folder, strlen(folder)) != 0)
		return -1;
	fd = strtol(path + strlen(folder), &end, 10);
	return *end == '\0' && fd >= 0 && fd <= INT_MAX ? (int)fd : -1;
}

/* Choose among an open descriptor, a pipe or device, and a new file beside the target. */
static int open_target(struct output *o, const char *path)
{
	struct stat st;
	bool exists;

	o->fd = named_descriptor(path);
	if (o->fd >= 0)
		return fcntl(o->fd, F_GETFD) < 0 ? fail(o, errno) : 0;
	/* stat(2) follows links: a link to nowhere is a file that does not exist yet */
	o->owned = true;
	exists = stat(path, &st) == 0;
	if (!exists && (errno != ENOENT || !*path))
		return fail(o, errno);
	if (exists && S_ISDIR(st.st_mode))
		return fail(o, EISDIR);
	if (!exists || S_ISREG(st.st_mode))
		return open_beside(o, path, exists ? &st : NULL);
	/* a pipe, a device or the like: open(2) of a named pipe waits for a reader: signals may come */
	do
		o->fd = open(path, O_WRONLY | O_CLOEXEC);
	while (o->fd < 0 && errno == EINTR);
	return o->fd < 0 ? fail(o, errno) : 0;
}

/* The buffers, and the deflater for compressed output. */
static int get_memory(struct output *o, bool compress)
{
	o->buffer = mem_array(BUFFER_SIZE, 1, &o->failure);
	if (!o->buffer)
		return -1;
	if (!compress)
		return 0;
	o->packed = mem_array(BUFFER_SIZE, 1, &o->failure);
	o->io.out = o->packed;
	o->io.n_out = BUFFER_SIZE;
	o->deflater = o->packed ? deflater_new(&o->failure) : NULL;
	return o->deflater ? 0 : -1;
}

/* Open an output to the file 'path', or, if it is NULL, one that only counts bytes. */
static int open_output(struct output **output, const char *path, bool compress, struct error *err)
{
	struct output *o = mem_zeroed(1, sizeof(*o), err);

	*output = NULL;
	if (!o)
		return -1;
	*o = (struct output){ .fd = -1, .held = -1, .older = -1, .counts = !path };
	if (get_memory(o, compress) < 0 || (path && open_target(o, path) < 0)) {
		error_pass(err, &o->failure);
		output_discard(o);
		return -1;
	}
	*output = o;
	return 0;
}

int output_open(struct output **output, const char *path, bool compress, struct error *err)
{
	const char *dot = strrchr(path, '.');

	return open_output(output, path, compress || (dot && strcmp(dot, ".gz") == 0), err);
}

int output_open_checksum(struct output **output, struct error *err)
{
	return open_output(output, NULL, false, err);
}

/* ---- The mark ---- */

/*
 * Whole hundreds of nanoseconds, which the file systems of Windows keep, too, and no whole
 * microseconds, which other programs set.
 */
static long mark_of(const char *maker)
{
	uint32_t hash = 0;

	for (; *maker; maker++)
		hash = 31 * hash + (uint8_t)*maker;
	return (long)(hash % 1000 * 10 + 1 + hash / 1000 % 9) * 100;
}

enum output_older output_mark(struct output *o, const char *maker)
{
	const long mark = mark_of(maker);
	struct stat now;

	/* standard output may be a file, too, or the end of one */
	if (fstat(o->fd, &now) == 0 && S_ISREG(now.st_mode) && now.st_size == 0)
		o->mark = mark;
	return o->older < 0	? OUTPUT_REPLACES_NONE :
	       o->older == mark ? OUTPUT_REPLACES_OWN :
				  OUTPUT_REPLACES_OTHER;
}

/* The first time with the mark from the last change on; without it where this cannot be set. */
static void set_mark(const struct output *o)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };
	struct stat now;
	long wait;

	if (o->mark == 0 || fstat(o->fd, &now) < 0)
		return;
	wait = (o->mark - now.st_mtim.tv_nsec % MARK_PERIOD + MARK_PERIOD) % MARK_PERIOD;
	times[1] = now.st_mtim;
	times[1].tv_nsec += wait;
	if (times[1].tv_nsec >= SECOND) {
		times[1].tv_nsec -= SECOND;
		times[1].tv_sec++;
	}
	futimens(o->fd, times);
}

/* ---- Writing ---- */

/* write(2) may take a part, or be interrupted by a signal. */
static int write_all(struct output *o, const uint8_t *bytes, int64_t size)
{
	if (o->counts) {
		o->checksum = checksum_crc32(o->checksum, bytes, size);
		return 0;
	}
	while (size > 0) {
		ssize_t n = write(o->fd, bytes, (size_t)int64_min(size, MAX_PIECE));

		if (n < 0 && errno != EINTR)
			return fail(o, errno);
		if (n > 0) {
			bytes += n;
			size -= n;
		}
	}
	return 0;
}

/*
 * Deflate what is buffered.  Packed bytes are written when 'packed' is full; with 'finish' the
 * member is ended, and everything is written.
 */
static int flush_packed(struct output *o, bool finish)
{
	bool ended;

	/* bytes that the deflater has not used yet stay in 'buffer' until the loop ends */
	o->io.in = o->buffer;
	o->io.n_in = (uint32_t)o->n_buffered;
	do {
		ended = deflater_run(o->deflater, &o->io, finish);
		if (ended || o->io.n_out == 0) {
			if (write_all(o, o->packed, BUFFER_SIZE - o->io.n_out) < 0)
				return -1;
			o->io.out = o->packed;
			o->io.n_out = BUFFER_SIZE;
		}
	} while (finish ? !ended : o->io.n_in > 0);
	return 0;
}

/* Buffered bytes go to the file or the deflater; with 'finish' the deflater ends, too. */
static int flush(struct output *o, bool finish)
{
	if (o->deflater ? flush_packed(o, finish) < 0 : write_all(o, o->buffer, o->n_buffered) < 0)
		return -1;
	o->n_buffered = 0;
	return 0;
}

/*
 * The buffer is never left full: output_printf() has room for a byte at least.  A piece as large as
 * an empty buffer is written at once, without a copy.
 */
static int append(struct output *o, const uint8_t *bytes, int64_t size)
{
	while (size > 0) {
		int64_t n = int64_min(BUFFER_SIZE - o->n_buffered, size);

		/* the buffer is empty and the piece at least as large: no copy is needed */
		if (n == BUFFER_SIZE && !o->deflater)
			return write_all(o, bytes, size);
		memcpy(o->buffer + o->n_buffered, bytes, (size_t)n);
		o->n_buffered += n;
		bytes += n;
		size -= n;
		if (o->n_buffered == BUFFER_SIZE && flush(o, false) < 0)
			return -1;
	}
	return 0;
}

int output_write(struct output *o, const void *bytes, int64_t size, struct error *err)
{
	if (o->failure.code || append(o, bytes, size) < 0)
		return error_pass(err, &o->failure);
	o->n_appended += size;
	return 0;
}

int64_t output_size(const struct output *o)
{
	return o->n_appended;
}

int output_flush(struct output *o, struct error *err)
{
	bool waited_for = !o->target && !o->deflater; /* a pipe or device, not compressed */

	if (o->failure.code || (waited_for && flush(o, false) < 0))
		return error_pass(err, &o->failure);
	return 0;
}

int output_checksum(struct output *o, uint32_t *crc, struct error *err)
{
	if (o->failure.code || flush(o, true) < 0)
		return error_pass(err, &o->failure);
	*crc = o->checksum;
	return 0;
}

/* Text of 'n' bytes that does not fit the rest of the buffer. */
static int append_long(struct output *o, int n, const char *format, va_list args)
{
	int64_t size = (int64_t)n + 1;
	char *text = mem_array(size, 1, &o->failure);
	int ret;

	if (!text)
		return -1;
	vsnprintf(text, (size_t)size, format, args);
	ret = append(o, (const uint8_t *)text, n);
	mem_free(text);
	return ret;
}

int output_printf(struct output *o, struct error *err, const char *format, ...)
{
	int64_t room = BUFFER_SIZE - o->n_buffered;
	va_list args;
	int n;

	if (o->failure.code)
		return error_pass(err, &o->failure);
	va_start(args, format);
	/* printed into the buffer itself; the next text overwrites the final 0 */
	n = vsnprintf((char *)o->buffer + o->n_buffered, (size_t)room, format, args);
	va_end(args);
	if (n < 0) {
		fail(o, errno);
		return error_pass(err, &o->failure);
	}
	if (n < room) {
		o->n_buffered += n;
		return 0;
	}
	va_start(args, format);
	n = append_long(o, n, format, args);
	va_end(args);
	return n < 0 ? error_pass(err, &o->failure) : 0;
}

/* close(2) may report that a file system on the network did not keep the bytes. */
static int close_file(struct output *o)
{
	int fd = o->fd;

	o->fd = -1;
	return o->owned && close(fd) < 0 && errno != EINTR ? fail(o, errno) : 0;
}

/* ---- Steps to commit ---- */

/*
 * (1), (2): bytes and mark are written; a new file is flushed to the disk, a pipe or device closed,
 * as a pipe's reader waits for the end
 */
static int finish(struct output *o)
{
	if (o->failure.code || flush(o, true) < 0)
		return -1;
	set_mark(o);
	if (!o->target)
		return close_file(o);
	return fsync(o->fd) < 0 ? fail(o, errno) : 0;
}

/*
 * (3): linkat(2) needs the descriptor, so the file is closed after it has its name.  A file that
 * had a name from the start is only closed.
 */
static int name_file(struct output *o)
{
	return !o->temp && name_temp(o, 0) < 0 ? -1 : close_file(o);
}

/* (4): from here on a failure cannot undo the renames of other outputs. */
static int replace_target(struct output *o)
{
	if (rename(o->temp, o->target) < 0)
		return fail(o, errno);
	let_go(o);
	output_forget_pending(o->temp);
	o->temp = NULL;
	return 0;
}

int output_commit_all(struct output *const *outputs, int n, int *failed, struct error *err)
{
	static const struct {
		int (*run)(struct output *);
		bool of_files; /* of new files, which have a target; else of pipes and devices */
	} steps[] = {
		{ finish, true }, { finish, false }, { name_file, true }, { replace_target, true }
	};
	int ret = 0;

	/* each step for all outputs, so that all that may fail comes before the first (4) */
	for (size_t step = 0; step < sizeof(steps) / sizeof(steps[0]); step++)
		for (int i = 0; i < n && ret == 0; i++)
			if (outputs[i] && steps[step].of_files == (outputs[i]->target != NULL) &&
			    steps[step].run(outputs[i]) < 0) {
				*failed = i;
				ret = error_pass(err, &outputs[i]->failure);
			}
	/* a file not renamed disappears: an unnamed file by close(2), a named file by unlink(2) */
	for (int i = 0; i < n; i++)
		output_discard(outputs[i]);
	return ret;
}

int output_commit(struct output *o, struct error *err)
{
	int failed;

	return output_commit_all(&o, 1, &failed, err);
}

int output_write_file(const char *path, output_writer *write, const void *what, struct error *err)
{
	struct output *output;

	if (output_open(&output, path, false, err) < 0)
		return -1;
	if (write(what, output, err) == 0)
		return output_commit(output, err);
	output_discard(output);
	return -1;
}

void output_discard(struct output *o)
{
	if (!o)
		return;
	if (o->fd >= 0)
		close_file(o);
	if (o->temp) {
		unlink(o->temp);
		output_forget_pending(o->temp);
	}
	let_go(o);
	deflater_free(o->deflater);
	mem_free_all(o->target, o->packed, o->buffer, o);
}

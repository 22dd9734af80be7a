/*
 * fault_shim.c - calls of the C library that fail on purpose, for LD_PRELOAD; see test/faults.py
 *
 * How this works.  The file that FAULT_STATE names is mapped, shared, as a struct state.  The driver
 * writes there which calls are counted ('calls', bits), which of them fail ('first' to 'last',
 * from 1) and how; the shim counts each of them, and writes how many there were and how many failed.
 * Without the variable nothing fails.  Memory that is shared keeps the counts of a program that ends
 * by _exit() or by a signal.
 *
 * A program that the first one starts is left alone: its process is another.  The shim looks up the
 * functions behind its own by dlsym(), which may allocate memory itself: 'inside' keeps such calls
 * out of the count.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Kinds of calls, in the order of the table `calls` in faults.py. */
enum call {
	MEMORY,
	READ,
	PREAD,
	WRITE,
	FTRUNCATE,
	FALLOCATE,
	FSYNC,
	RENAME,
	LINK,
	UNLINK,
	OPEN,
	CLOSE,
	STAT,
	MMAP,
	MADVISE,
	FLOCK,
	DLOPEN,
	THREAD,
	SPAWN,
	FOPEN,
	N_CALLS
};

/* What becomes of a call: nothing, a failure with 'error', or a transfer of half of its bytes. */
enum fault { NONE, FAILS, SHORT };

/* The file FAULT_STATE, 8 bytes a field. */
struct state {
	int64_t calls;	     /* bits of the kinds that 'n' counts: 1 << kind */
	int64_t first, last; /* numbers of the calls that fail, of those that 'n' counts */
	int64_t how;	     /* enum fault of these */
	int64_t error;	     /* errno of a call that fails */
	_Atomic int64_t pid; /* process that faults are for; 0: the next one that starts */
	_Atomic int64_t n, n_faults;
	_Atomic int64_t of_kind[N_CALLS]; /* calls of each kind, counted in any case */
};

static struct state *state;
static _Thread_local bool inside;

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("FAULT_STATE");
	int64_t nobody = 0;
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	struct state *s;

	if (fd < 0)
		return;
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (s != MAP_FAILED && atomic_compare_exchange_strong(&s->pid, &nobody, getpid()))
		state = s;
}

/* Counts a call; what becomes of it.  Sets errno if it fails. */
static enum fault fault(enum call call)
{
	int64_t n;

	if (!state || inside)
		return NONE;
	atomic_fetch_add(&state->of_kind[call], 1);
	if (!(state->calls >> call & 1))
		return NONE;
	n = atomic_fetch_add(&state->n, 1) + 1;
	if (n < state->first || n > state->last)
		return NONE;
	atomic_fetch_add(&state->n_faults, 1);
	if (state->how == FAILS)
		errno = (int)state->error;
	return (enum fault)state->how;
}

/* The function of that name that would have been called without this file. */
static void *next_function(const char *name)
{
	bool was_inside = inside;
	void *function;

	inside = true;
	function = dlsym(RTLD_NEXT, name);
	inside = was_inside;
	return function;
}

#define NEXT(name) ((__typeof__(&name))next_function(#name))

/* ---- Memory: by the names under which glibc has its own functions, which dlsym() may call ---- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
	return fault(MEMORY) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fault(MEMORY) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return fault(MEMORY) ? NULL : __libc_realloc(p, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return fault(MEMORY) ? NULL : __libc_memalign(alignment, size);
}

void *memalign(size_t alignment, size_t size)
{
	return fault(MEMORY) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **p, size_t alignment, size_t size)
{
	void *memory = fault(MEMORY) ? NULL : __libc_memalign(alignment, size);

	if (!memory)
		return ENOMEM;
	*p = memory;
	return 0;
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return fault(MMAP) ? MAP_FAILED : NEXT(mmap)(at, size, protection, flags, fd, offset);
}

void *mremap(void *at, size_t before, size_t size, int flags, ...)
{
	return fault(MMAP) ? MAP_FAILED : NEXT(mremap)(at, before, size, flags);
}

int madvise(void *at, size_t size, int advice)
{
	return fault(MADVISE) ? -1 : NEXT(madvise)(at, size, advice);
}

/* ---- Bytes of files ---- */

/* How many of 'n' bytes are to be transferred; a transfer of none would be the end of the file. */
static size_t transferred(enum fault f, size_t n)
{
	return f == SHORT && n > 1 ? n / 2 : n;
}

ssize_t read(int fd, void *bytes, size_t n)
{
	enum fault f = fault(READ);

	return f == FAILS ? -1 : NEXT(read)(fd, bytes, transferred(f, n));
}

ssize_t pread(int fd, void *bytes, size_t n, off_t offset)
{
	enum fault f = fault(PREAD);

	return f == FAILS ? -1 : NEXT(pread)(fd, bytes, transferred(f, n), offset);
}

ssize_t write(int fd, const void *bytes, size_t n)
{
	enum fault f = fault(WRITE);

	return f == FAILS ? -1 : NEXT(write)(fd, bytes, transferred(f, n));
}

int ftruncate(int fd, off_t size)
{
	return fault(FTRUNCATE) ? -1 : NEXT(ftruncate)(fd, size);
}

/* It returns its error, and leaves errno alone. */
int posix_fallocate(int fd, off_t offset, off_t size)
{
	return fault(FALLOCATE) ? (int)state->error : NEXT(posix_fallocate)(fd, offset, size);
}

int fsync(int fd)
{
	return fault(FSYNC) ? -1 : NEXT(fsync)(fd);
}

int flock(int fd, int operation)
{
	return fault(FLOCK) ? -1 : NEXT(flock)(fd, operation);
}

/* ---- Names of files ---- */

/* The mode is there only where a file may be made; otherwise it is not used. */
int open(const char *path, int flags, ...)
{
	va_list arguments;
	mode_t mode;

	va_start(arguments, flags);
	mode = va_arg(arguments, mode_t);
	va_end(arguments);
	return fault(OPEN) ? -1 : NEXT(open)(path, flags, mode);
}

/* The descriptor is closed even where close() fails, as on Linux. */
int close(int fd)
{
	enum fault f = fault(CLOSE);
	int ret = NEXT(close)(fd);

	if (f != FAILS)
		return ret;
	errno = (int)state->error;
	return -1;
}

FILE *fopen(const char *path, const char *mode)
{
	return fault(FOPEN) ? NULL : NEXT(fopen)(path, mode);
}

FILE *tmpfile(void)
{
	return fault(FOPEN) ? NULL : NEXT(tmpfile)();
}

int stat(const char *path, struct stat *st)
{
	return fault(STAT) ? -1 : NEXT(stat)(path, st);
}

int fstat(int fd, struct stat *st)
{
	return fault(STAT) ? -1 : NEXT(fstat)(fd, st);
}

int rename(const char *from, const char *to)
{
	return fault(RENAME) ? -1 : NEXT(rename)(from, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
	return fault(LINK) ? -1 : NEXT(linkat)(from_folder, from, to_folder, to, flags);
}

int unlink(const char *path)
{
	return fault(UNLINK) ? -1 : NEXT(unlink)(path);
}

/* ---- Libraries, threads, processes: these return their errors ---- */

void *dlopen(const char *file, int flags)
{
	return fault(DLOPEN) ? NULL : NEXT(dlopen)(file, flags);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
		   void *argument)
{
	return fault(THREAD) ? (int)state->error :
			       NEXT(pthread_create)(thread, attributes, run, argument);
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
		 const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	return fault(SPAWN) ? (int)state->error :
			      NEXT(posix_spawnp)(pid, file, actions, attributes, argv, envp);
}

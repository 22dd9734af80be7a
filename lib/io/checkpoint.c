/*
 * checkpoint.c - the file with the state of a training: read, compared, written
 *
 * The file:
 *
 *     randsvm checkpoint 3 little-endian
 *     settings SIZE CRC        and SIZE bytes: lines `NAME VALUE`
 *     block NUMBER SIZE CRC    and SIZE bytes; for each block that there is a copy of
 *     end
 *
 * A block is fields (io/fields.h): `finished 1` and the result, or `finished 0`, `runs N` and the
 * outcomes of N runs, `live 1` and the state of the run under way.
 *
 * How this works.
 *
 *  (1) Reading.  The file is read as a whole and taken apart from its beginning: first the line
 *      that any checkpoint has, then version and byte order, then sections.  A section is accepted
 *      if its checksum is right; the line `end` shows that no section is missing.  Blocks are kept
 *      as bytes: which fields they have is known to the run that will read them (b, c).
 *  (2) Comparing.  Settings are text, line by line, in a fixed order, so that a difference can be
 *      told to the user as it stands: both lines that differ go into the message.
 *  (3) Placing.  The number of blocks is known once training begins; until then blocks are in the
 *      order of the file.  Each then moves to its number, and its first fields are read.
 *  (4) Writing.  The file is replaced as a whole (io/output.h): a process that ends at any moment
 *      leaves the old file or the new one.  Threads that train replace their block's bytes under
 *      c->lock, the thread that writes holds the lock while it reads them; c->changed spares a
 *      file that would be equal.
 *
 * Two processes do not write the same file: it is locked from checkpoint_open() on
 * (file_lock_take()).  That the file can be written is tried at the beginning too, and not found out
 * after hours of training.
 *
 * Memory is one copy of the state, and two of the outcomes of ended runs; more while reading.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/checkpoint.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/gzip.h"
#include "io/input.h"
#include "io/output.h"

/* ---- the lock ---- */

/*
 * The holder of a lock unlinks its file before it unlocks it.  So a process that opened the file
 * before that and locks it afterwards has locked a file without a name, while a third one may lock
 * a new file of that name: after flock(2) it compares the two, and tries again where they differ.
 *
 * How this works.  The lock of FILE is an flock(2) of .FILE.lock, a file beside it, since FILE
 * itself is replaced by rename(2) while the lock is held.
 *
 *      (5) open or create the lock's file
 *      (6) flock(2) without waiting: TAKEN if another process has it, NO_LOCKS if the file system
 *          has no locks
 *      (7) is the file that was locked still the one with the name?  if not, begin again with (5)
 *
 * An flock(2) ends with the process, however that ends: a lock's file that stays behind after a
 * failure of the machine is locked by nobody, and the next process takes it over.  Where the file
 * system has no locks the caller goes on without one, as if there was no other process.
 */

enum {
	SUFFIX_SIZE = 16, /* room for a dot, ".lock" and the final 0 */
	BASE_KEPT = 240	  /* bytes of the target's name that are kept, of 255 in a file name */
};

/* The name of the lock's file, beside the file that a link leads to, for the caller to free. */
static char *name_lock(const char *path, struct error *err)
{
	char *target = output_target(path, err), *name = NULL;
	const char *base;
	size_t size;

	if (!target)
		return NULL;
	base = file_base(target);
	size = strlen(target) + SUFFIX_SIZE;
	name = mem_array((int64_t)size, 1, err);
	if (name)
		snprintf(name, size, "%.*s.%.*s.lock", (int)(base - target), target, BASE_KEPT,
			 base);
	mem_free(target);
	return name;
}

/* (7): does the name still belong to the open file? */
static bool is_named(int fd, const char *name)
{
	struct stat ours, named;

	return fstat(fd, &ours) == 0 && stat(name, &named) == 0 && ours.st_dev == named.st_dev &&
	       ours.st_ino == named.st_ino;
}

/* Outcomes of an attempt to take the lock's file. */
enum outcome { LOCKED, TAKEN, NO_LOCKS, NO_FILE };

/* Repeat steps (5) to (7) until one attempt completes; '*fd' is open only if LOCKED is returned. */
static enum outcome lock_file(int *fd, const char *name)
{
	enum outcome outcome;

	for (;;) {
		*fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
		if (*fd < 0)
			return NO_FILE;
		if (flock(*fd, LOCK_EX | LOCK_NB) < 0)
			break;
		if (is_named(*fd, name))
			return LOCKED;
		close(*fd);
	}
	outcome = errno == EWOULDBLOCK ? TAKEN : NO_LOCKS;
	if (outcome == NO_LOCKS)
		unlink(name);
	close(*fd);
	return outcome;
}

int file_lock_take(struct file_lock *lock, const char *path, bool *taken, struct error *err)
{
	char *name = name_lock(path, err);
	enum outcome outcome;
	int fd;

	*lock = (struct file_lock){ 0 };
	*taken = false;
	if (!name)
		return -1;
	outcome = lock_file(&fd, name);
	if (outcome == NO_FILE)
		error_set(err, ERR_IO, "%s", strerror(errno));
	*taken = outcome == LOCKED || outcome == NO_LOCKS;
	if (outcome != LOCKED) {
		mem_free(name);
		return outcome == NO_FILE ? -1 : 0;
	}
	*lock = (struct file_lock){ fd, name };
	output_note_pending(name);
	return 0;
}

/* The name goes first, while the lock is held: see the beginning for why in this order. */
void file_lock_release(struct file_lock *lock)
{
	if (!lock->name)
		return;
	unlink(lock->name);
	output_forget_pending(lock->name);
	close(lock->fd);
	*lock = (struct file_lock){ 0 };
}

/* ---- the checkpoint ---- */

struct checkpoint_block {
	struct checkpoint *owner;
	int64_t number;
	struct byte_buffer now;	     /* latest copy, or what the file had */
	struct byte_buffer outcomes; /* outcomes of the runs that have ended, as in 'now' */
	int64_t n_runs;		     /* runs that have ended */
	struct checkpoint_run run;   /* run under way */
	const char *saved; /* part of the file that is not used yet, to the end of 'now' */
	int64_t n_saved;   /* ended runs in 'saved'; -1: the state has been used up */
	double next;	   /* time, in seconds, before which no copy is made */
};

struct checkpoint {
	char *path;
	struct file_lock file_lock;
	bool was_read;
	struct byte_buffer settings;
	int64_t n_blocks, capacity;
	struct checkpoint_block *block;
	const struct interruption *interruption;
	void (*kept)(void *arg);
	void *arg;
	pthread_mutex_t lock; /* lock of the bytes 'now' of all blocks, and of 'changed' */
	bool changed;	      /* there are copies that are not in the file */
};

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BYTE_ORDER_NAME "little-endian"
#else
#define BYTE_ORDER_NAME "big-endian"
#endif

#define MAGIC "randsvm checkpoint "
#define FIRST_LINE MAGIC "3 " BYTE_ORDER_NAME "\n"

enum { LINE_SIZE = 1024 };

/* ---- reading ---- */

static int damaged(const struct checkpoint *c, struct error *err)
{
	return error_set(err, ERR_FORMAT,
			 "%s: the checkpoint is damaged or cut short: remove it to begin anew",
			 c->path);
}

/* The next line of the text, without its end; NULL where there is none. */
static const char *take_line(const char **at, const char *end, char line[LINE_SIZE])
{
	const char *newline = memchr(*at, '\n', (size_t)(end - *at));

	if (!newline || newline - *at >= LINE_SIZE)
		return NULL;
	memcpy(line, *at, (size_t)(newline - *at));
	line[newline - *at] = '\0';
	*at = newline + 1;
	return line;
}

/* Append the next 'size' bytes to 'to', if their checksum is 'crc'. */
static int take_section(const struct checkpoint *c, const char **at, const char *end, int64_t size,
			uint32_t crc, struct byte_buffer *to, struct error *err)
{
	if (size < 0 || size > end - *at || checksum_crc32(0, *at, size) != crc)
		return damaged(c, err);
	if (byte_buffer_append(to, *at, size, err) < 0)
		return -1;
	*at += size;
	return 0;
}

/* One more block, without bytes; n_saved of -1: there is no state to go on from. */
static int add_block(struct checkpoint *c, int64_t number, struct error *err)
{
	if (mem_grow(&c->block, &c->capacity, c->n_blocks + 1, sizeof(*c->block), err) < 0)
		return -1;
	c->block[c->n_blocks++] =
		(struct checkpoint_block){ .owner = c, .number = number, .n_saved = -1 };
	return 0;
}

/* (1): the sections of the bytes from 'at' to 'end' become c->settings and c->block. */
static int parse(struct checkpoint *c, const char *at, const char *end, struct error *err)
{
	char line[LINE_SIZE];
	int64_t number, size;
	uint32_t crc;

	/* first line: of a checkpoint at all, then of this version and byte order */
	if ((size_t)(end - at) < strlen(FIRST_LINE) || memcmp(at, MAGIC, strlen(MAGIC)) != 0)
		return error_set(err, ERR_FORMAT, "%s: not a checkpoint", c->path);
	if (memcmp(at, FIRST_LINE, strlen(FIRST_LINE)) != 0)
		return error_set(err, ERR_FORMAT,
				 "%s: a checkpoint of another version or machine: '%.40s'", c->path,
				 take_line(&at, end, line) ? line : "");
	at += strlen(FIRST_LINE);
	/* settings, which checkpoint_begin() compares with those of the training */
	if (!take_line(&at, end, line) ||
	    sscanf(line, "settings %" SCNd64 " %" SCNx32, &size, &crc) != 2)
		return damaged(c, err);
	if (take_section(c, &at, end, size, crc, &c->settings, err) < 0)
		return -1;
	/* blocks in any order, until the line "end", which a file cut short does not have */
	for (;;) {
		if (!take_line(&at, end, line))
			return damaged(c, err);
		if (strcmp(line, "end") == 0)
			return at == end ? 0 : damaged(c, err);
		/* any size may stand here: take_section() compares it with the bytes left */
		if (sscanf(line, "block %" SCNd64 " %" SCNd64 " %" SCNx32, &number, &size, &crc) !=
		    3)
			return damaged(c, err);
		if (add_block(c, number, err) < 0 ||
		    take_section(c, &at, end, size, crc, &c->block[c->n_blocks - 1].now, err) < 0)
			return -1;
	}
}

/* The reason 'why', which may name a temporary file, as one of the checkpoint. */
static int cannot(const char *what, const struct checkpoint *c, const struct error *why,
		  struct error *err)
{
	return error_set(err, why->code, "can't %s checkpoint %s: %s", what, c->path, why->text);
}

/* Fill '*c' from its file; on failure checkpoint_free() finds what has been read so far. */
static int read_file(struct checkpoint *c, struct error *err)
{
	struct byte_buffer all = { 0 };
	struct input *input;
	struct error why = { 0 };
	int ret = -1;

	if (input_open(&input, c->path, &why) < 0)
		return cannot("read", c, &why, err);
	if (input_append_all(input, &all, err) == 0)
		ret = parse(c, all.bytes, all.bytes + all.size, err);
	input_close(input);
	byte_buffer_free(&all);
	return ret;
}

/* Is there a file of at least one byte?  Empty files, as mktemp(1) makes, have no state yet. */
static bool has_state(const struct checkpoint *c)
{
	struct stat st;

	return stat(c->path, &st) == 0 && st.st_size > 0;
}

/*
 * Can the file be written?  Its folder may be missing, or not ours.  1: another process writes it.
 *
 * A device or a pipe cannot be replaced by a new file.  An output that is opened and discarded
 * leaves no trace; where it fails, the failure of the first checkpoint_write() is known now.
 */
static int begin_writing(struct checkpoint *c, struct error *err)
{
	struct error why = { 0 };
	struct output *output;
	struct stat st;
	bool taken;

	if (stat(c->path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
		error_set(&why, ERR_IO, "not a regular file");
		return cannot("write", c, &why, err);
	}
	if (output_open(&output, c->path, false, &why) < 0)
		return cannot("write", c, &why, err);
	output_discard(output);
	if (file_lock_take(&c->file_lock, c->path, &taken, &why) < 0)
		return cannot("lock", c, &why, err);
	return taken ? 0 : 1;
}

int checkpoint_open(struct checkpoint **c, const char *path, struct error *err)
{
	struct checkpoint *made = *c = mem_zeroed(1, sizeof(*made), err);
	int ret = -1;

	if (!made)
		return -1;
	/* before any step can fail: checkpoint_free() destroys the lock */
	pthread_mutex_init(&made->lock, NULL);
	made->path = mem_copy(path, (int64_t)strlen(path) + 1, 1, err);
	if (made->path)
		ret = begin_writing(made, err);
	if (ret == 0) {
		/* after the lock of the file was taken: no other process replaces it now */
		made->was_read = has_state(made);
		if (made->was_read)
			ret = read_file(made, err);
	}
	if (ret != 0) {
		checkpoint_free(made);
		*c = NULL;
	}
	return ret;
}

void checkpoint_free(struct checkpoint *c)
{
	if (!c)
		return;
	for (int64_t i = 0; i < c->n_blocks; i++) {
		byte_buffer_free(&c->block[i].now);
		byte_buffer_free(&c->block[i].outcomes);
	}
	file_lock_release(&c->file_lock);
	pthread_mutex_destroy(&c->lock);
	byte_buffer_free(&c->settings);
	mem_free_all(c->block, c->path, c);
}

bool checkpoint_was_read(const struct checkpoint *c)
{
	return c->was_read;
}

/* ---- sameness ---- */

/* Append a line to a text of 'room' bytes, with ", " between lines, as far as it fits. */
static void append(char *text, size_t room, const char *line)
{
	size_t used = strlen(text);

	if (room - used > 3)
		text_append(text, room, "%s%.*s", used > 0 ? ", " : "", (int)(room - used - 3),
			    line);
}

/*
 * (2): the settings of the file and those of this training, line by line
 *
 * Both texts have the same lines but for their values; where one text has fewer, the file is of
 * another version, or damaged.
 */
static int compare_settings(const struct checkpoint *c, const char *settings, struct error *err)
{
	const char *a = c->settings.bytes, *end_a;
	const char *b = settings, *end_b = b + strlen(b);
	char was[350] = "", is[350] = "";

	/* no bytes are at no place, which has no end */
	if (c->settings.size == 0)
		return damaged(c, err);
	end_a = a + c->settings.size;
	while (a < end_a || b < end_b) {
		char line_a[LINE_SIZE], line_b[LINE_SIZE];

		if (!take_line(&a, end_a, line_a) || !take_line(&b, end_b, line_b))
			return damaged(c, err);
		if (strcmp(line_a, line_b) == 0)
			continue;
		append(was, sizeof(was), line_a);
		append(is, sizeof(is), line_b);
	}
	if (*was)
		return error_set(
			err, ERR_ARGUMENT,
			"%s: checkpoint is of %s, this is %s: remove it to begin anew, or name another",
			c->path, was, is);
	return 0;
}

/* Read the beginning of the block's fields: 'finished', and the number of runs that have ended. */
static int open_block(struct checkpoint_block *b, struct error *err)
{
	struct fields f = fields_reader(b->now.bytes, b->now.size, err);
	bool finished = false;

	b->n_saved = 0;
	fields_bool(&f, "finished", &finished);
	if (!fields_failed(&f) && !finished)
		fields_int64(&f, "runs", &b->n_saved);
	b->saved = f.at;
	return err->code == ERR_NONE ? 0 : -1;
}

/* (3): move blocks that were read to their numbers; blocks that the file lacks are empty. */
static int place_blocks(struct checkpoint *c, int64_t n_blocks, struct error *err)
{
	struct checkpoint_block *read = c->block;
	int64_t n_read = c->n_blocks;
	int ret = 0;

	/* all blocks of the training, empty; then each one read moves to its number */
	c->block = NULL;
	c->n_blocks = c->capacity = 0;
	for (int64_t q = 0; q < n_blocks && ret == 0; q++)
		ret = add_block(c, q, err);
	for (int64_t k = 0; k < n_read; k++) {
		struct error why = { 0 };

		/* numbers are not covered by checksums: one may be out of range, or come twice */
		if (ret < 0 || read[k].number < 0 || read[k].number >= n_blocks ||
		    c->block[read[k].number].now.bytes) {
			byte_buffer_free(&read[k].now);
			ret = ret < 0 ? ret : damaged(c, err);
			continue;
		}
		/* the bytes change their owner; 'read' keeps no pointer that anyone frees */
		c->block[read[k].number].now = read[k].now;
		if (open_block(&c->block[read[k].number], &why) < 0)
			ret = damaged(c, err);
	}
	mem_free(read);
	return ret;
}

int checkpoint_begin(struct checkpoint *c, const char *settings, int64_t n_blocks,
		     const struct interruption *interruption, struct error *err)
{
	c->interruption = interruption;
	/* from here on c->settings are those of this training, which the next file will have */
	if (c->was_read && compare_settings(c, settings, err) < 0)
		return -1;
	c->settings.size = 0;
	if (byte_buffer_append_text(&c->settings, settings, err) < 0)
		return -1;
	return place_blocks(c, n_blocks, err);
}

void checkpoint_notify(struct checkpoint *c, void (*kept)(void *arg), void *arg)
{
	c->kept = kept;
	c->arg = arg;
}

/* ---- writing ---- */

/* Size and checksum end the line begun by the caller; the bytes follow. */
static int write_section(struct output *o, const struct byte_buffer *b, struct error *err)
{
	if (output_printf(o, err, "%" PRId64 " %08" PRIx32 "\n", b->size,
			  checksum_crc32(0, b->bytes, b->size)) < 0)
		return -1;
	return output_write(o, b->bytes, b->size, err);
}

/* (4): the bytes of all blocks are read, so the caller holds the lock. */
static int write_all(const void *checkpoint, struct output *o, struct error *err)
{
	const struct checkpoint *c = checkpoint;

	if (output_printf(o, err, FIRST_LINE "settings ") < 0 ||
	    write_section(o, &c->settings, err) < 0)
		return -1;
	for (int64_t i = 0; i < c->n_blocks; i++) {
		/* no copy of the block yet, or its last copy failed for want of memory */
		if (c->block[i].now.size == 0)
			continue;
		if (output_printf(o, err, "block %" PRId64 " ", i) < 0 ||
		    write_section(o, &c->block[i].now, err) < 0)
			return -1;
	}
	return output_printf(o, err, "end\n");
}

/* Write the file if there are new copies; the caller holds the lock. */
static int write_changes(struct checkpoint *c, struct error *err)
{
	struct error why = { 0 };

	if (c->changed && output_write_file(c->path, write_all, c, &why) < 0)
		return cannot("write", c, &why, err);
	c->changed = false;
	return 0;
}

int checkpoint_write(struct checkpoint *c, struct error *err)
{
	int ret;

	pthread_mutex_lock(&c->lock);
	ret = write_changes(c, err);
	pthread_mutex_unlock(&c->lock);
	return ret;
}

/* The lock is kept: the file may not be in the middle of being replaced when the process ends. */
int checkpoint_close(struct checkpoint *c, bool *kept, struct error *err)
{
	int ret;

	pthread_mutex_lock(&c->lock);
	ret = write_changes(c, err);
	*kept = has_state(c);
	return ret;
}

int checkpoint_remove(struct checkpoint *c, struct error *err)
{
	struct error why = { 0 };
	char *target = output_target(c->path, &why);

	if (target && unlink(target) < 0 && errno != ENOENT)
		error_set(&why, ERR_IO, "%s", strerror(errno));
	mem_free(target);
	return why.code == ERR_NONE ? 0 : cannot("remove", c, &why, err);
}

/* ---- Copies of the state of runs, and runs that go on from them ---- */

/*
 * How this works.  The bytes b->now of a block are what the file has of it or will have.  After a
 * file has been read they are consumed first: b->n_saved >= 0 is the number of ended runs in them,
 * and b->saved the part not consumed yet.  checkpoint_enter() gives back run after run from there
 * (a): the outcomes of the ended ones (b), then the state of the one under way (c).  From then on
 * n_saved is -1, and each copy replaces b->now (d): the outcomes of the runs that have ended, kept
 * in b->outcomes, and the state of the run under way.
 *
 * The lock guards b->now of all blocks and c->changed.  checkpoint_keep() only tries to take it: a
 * training does not wait while another thread writes the file.  Once an interruption is requested
 * no copy is made, because what engines compute while they end is not what they would have
 * computed.
 *
 * A block of two ended runs and one under way, and how it is consumed:
 *
 *      b->now     finished 0 | runs 2 | outcome 0 | outcome 1 | live 1 | state 2
 *                                     ^ b->saved after checkpoint_begin(), then moving right
 *
 *      enter 0    FINISHED: outcome 0 is read (b), and appended to b->outcomes
 *      enter 1    FINISHED: outcome 1, likewise
 *      enter 2    BEGUN: state 2 is read (c); n_saved becomes -1
 *      keep       copies (d):  finished 0 | runs 2 | outcomes | live 1 | state now
 *      leave      the outcome of run 2 joins b->outcomes; copy with runs 3, live 0
 *
 * A copy is O(state).  Its time is measured, and the next copy waits COPY_SHARE times as long:
 * copying stays below 1 / COPY_SHARE of the training's time, however large the state is.
 */

/* Copying takes at most 1 / COPY_SHARE of the time. */
#define COPY_SHARE 100

struct checkpoint_block *checkpoint_block(struct checkpoint *c, int64_t number)
{
	return c ? &c->block[number] : NULL;
}

/* Without memory the copy is not whole: the block is left out of files until the next one is. */
static void end_copy(struct checkpoint_block *b, const struct error *failure)
{
	struct checkpoint *c = b->owner;

	if (failure->code != ERR_NONE)
		b->now.size = 0;
	if (failure->code == ERR_NONE)
		c->changed = true;
	pthread_mutex_unlock(&c->lock);
	if (c->kept && failure->code == ERR_NONE)
		c->kept(c->arg);
}

/* (d): the block's runs into 'now': those that have ended, and the one under way if 'live'. */
static void copy_runs(struct checkpoint_block *b, bool live)
{
	struct error failure = { 0 };
	struct fields f = fields_writer(&b->now, &failure);
	bool finished = false;

	b->now.size = 0;
	b->n_saved = -1;
	fields_bool(&f, "finished", &finished);
	fields_int64(&f, "runs", &b->n_runs);
	byte_buffer_append(&b->now, b->outcomes.bytes, b->outcomes.size, &failure);
	fields_bool(&f, "live", &live);
	if (live)
		b->run.state(b->run.arg, &f);
	end_copy(b, &failure);
}

/* Has an interruption been requested?  No state is copied from then on. */
static bool is_asked_to_end(const struct checkpoint_block *b)
{
	return interruption_requested(b->owner->interruption);
}

void checkpoint_keep(struct checkpoint_block *b)
{
	double start;

	if (!b)
		return;
	/* also where the lock is taken: by the thread that writes the file */
	start = clock_seconds(CLOCK_MONOTONIC);
	if (start < b->next || is_asked_to_end(b) || pthread_mutex_trylock(&b->owner->lock) != 0)
		return;
	copy_runs(b, true);
	/* copies are not spaced out where the caller is told of each (checkpoint_notify()) */
	if (!b->owner->kept)
		b->next = clock_seconds(CLOCK_MONOTONIC) +
			  COPY_SHARE * (clock_seconds(CLOCK_MONOTONIC) - start);
}

int checkpoint_misfit(const struct checkpoint_block *b, const char *why, struct error *err)
{
	return error_set(err, ERR_FORMAT, "%s: the checkpoint does not fit this training: %s",
			 b->owner->path, why);
}

/* Report a failure to read the state: one of the format is a misfit of the checkpoint. */
static int pass_on(const struct checkpoint_block *b, const struct error *why, struct error *err)
{
	return why->code == ERR_FORMAT ? checkpoint_misfit(b, why->text, err) :
					 error_pass(err, why);
}

/* Append the outcome of the run to the outcomes of the runs before. */
static void add_outcome(struct checkpoint_block *b, struct error *err)
{
	struct fields f = fields_writer(&b->outcomes, err);

	b->run.outcome(b->run.arg, &f);
	b->n_runs++;
}

/* Look for the next run in the file: finished, begun, or not there. */
static int find_run(struct checkpoint_block *b, struct error *err)
{
	struct fields f;
	bool live = false;

	/* (a): is there a state from the file that is not consumed yet? */
	if (b->n_saved < 0)
		return CHECKPOINT_NEW;
	f = fields_reader(b->saved, b->now.bytes + b->now.size - b->saved, err);
	/* (b): the outcome is given back, and joins those of this process for the next copy */
	if (b->n_runs < b->n_saved) {
		if (!b->run.outcome)
			return error_set(err, ERR_FORMAT, "too many runs");
		b->run.outcome(b->run.arg, &f);
		b->saved = f.at;
		if (!fields_failed(&f))
			add_outcome(b, err);
		return CHECKPOINT_FINISHED;
	}
	/* (c): the last that the bytes have */
	b->n_saved = -1;
	fields_bool(&f, "live", &live);
	if (!live)
		return CHECKPOINT_NEW;
	b->run.state(b->run.arg, &f);
	return CHECKPOINT_BEGUN;
}

int checkpoint_enter(struct checkpoint_block *b, const struct checkpoint_run *run,
		     struct error *err)
{
	struct error why = { 0 };
	int found;

	if (!b)
		return CHECKPOINT_NEW;
	b->run = *run;
	found = find_run(b, &why);
	return why.code == ERR_NONE ? found : pass_on(b, &why, err);
}

void checkpoint_leave(struct checkpoint_block *b)
{
	struct error failure = { 0 };

	if (!b || !b->run.outcome || is_asked_to_end(b))
		return;
	pthread_mutex_lock(&b->owner->lock);
	add_outcome(b, &failure);
	if (failure.code == ERR_NONE)
		copy_runs(b, false);
	else
		end_copy(b, &failure);
}

int checkpoint_finished(struct checkpoint_block *b, checkpoint_visit *visit, void *arg,
			struct error *err)
{
	struct error why = { 0 };
	struct fields f;
	bool finished = false;

	if (!b || b->n_saved < 0)
		return 0;
	f = fields_reader(b->now.bytes, b->now.size, &why);
	fields_bool(&f, "finished", &finished);
	if (!finished && why.code == ERR_NONE)
		return 0;
	visit(arg, &f);
	b->n_saved = -1;
	return why.code == ERR_NONE ? 1 : pass_on(b, &why, err);
}

void checkpoint_finish(struct checkpoint_block *b, checkpoint_visit *visit, void *arg)
{
	struct error failure = { 0 };
	struct fields f;
	bool finished = true;

	if (!b || is_asked_to_end(b))
		return;
	pthread_mutex_lock(&b->owner->lock);
	/* the result replaces all runs of the block */
	byte_buffer_free(&b->outcomes);
	byte_buffer_free(&b->now);
	f = fields_writer(&b->now, &failure);
	fields_bool(&f, "finished", &finished);
	visit(arg, &f);
	end_copy(b, &failure);
}

/*
 * rows.c - examples read from a stream in batches, whatever form they have there
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/thread.h"
#include "io/svmlight.h"

/* Large enough to make locking rare, small enough to stay in a core's cache. */
#define CHUNK_SIZE (1 << 20)

int row_batch_reserve(struct row_batch *b, int64_t n_rows, int64_t n_entries, bool with_text,
		      struct error *err)
{
	if (mem_grow(&b->label, &b->rows_capacity, n_rows, sizeof(double), err) < 0 ||
	    mem_grow(&b->row_start, &b->starts_capacity, n_rows + 1, sizeof(int64_t), err) < 0 ||
	    mem_grow(&b->index, &b->indices_capacity, n_entries, sizeof(int32_t), err) < 0 ||
	    mem_grow(&b->value, &b->values_capacity, n_entries, sizeof(double), err) < 0)
		return -1;
	if (with_text &&
	    mem_grow(&b->text, &b->texts_capacity, n_rows, sizeof(struct row_text), err) < 0)
		return -1;
	b->n_rows = b->n_entries = b->n_lines = b->max_index = 0;
	b->row_start[0] = 0;
	b->has_text = with_text;
	return 0;
}

void row_batch_free(struct row_batch *b)
{
	free(b->label);
	free(b->row_start);
	free(b->index);
	free(b->value);
	free(b->text);
	*b = (struct row_batch){ 0 };
}

/* A piece of the input on its way through the pipeline. */
struct piece {
	char *bytes;
	int64_t size, capacity;
	struct row_batch batch;
	bool malformed;		/* told only when its turn comes: only then the line
				 * number within the file is known */
	struct text_position where;
	struct error reason;
	void *user;
};

/* What was read and belongs to no piece yet: [start, end) of the bytes. */
struct rest {
	char *bytes;
	int64_t start, end, capacity;
};

struct scan {
	struct stream *stream;
	const struct rows_options *options;
	const struct rows_visitor *visitor;
	struct rest rest;
	bool at_end;
	int64_t n_lines;	/* delivered so far */
};

static void show_progress(const struct scan *s)
{
	int64_t taken, total;

	if (!s->visitor->progress)
		return;
	stream_position(s->stream, &taken, &total);
	s->visitor->progress(s->visitor->arg, taken, total);
}

/* ---- Text ---- */

/* Where max_rows lines of a text end, NULL if it has fewer whole ones, or there is no bound. */
static const char *enough_lines(const struct scan *s, const char *text, const char *end)
{
	if (s->options->max_rows <= 0)
		return NULL;
	for (int64_t i = 0; i < s->options->max_rows; i++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));

		if (!newline)
			return NULL;
		text = newline + 1;
	}
	return text;
}

/* Move the first 'size' bytes of the rest to the end of the piece. */
static int take_rest(struct scan *s, struct piece *p, int64_t size, struct error *err)
{
	if (mem_grow(&p->bytes, &p->capacity, p->size + size + 1, 1, err) < 0)
		return -1;
	if (size > 0)
		memcpy(p->bytes + p->size, s->rest.bytes + s->rest.start, (size_t)size);
	p->size += size;
	s->rest.start += size;
	return 0;
}

/* Move what the piece has beyond 'size' bytes to the rest, which is empty. */
static int leave_rest(struct scan *s, struct piece *p, int64_t size, struct error *err)
{
	int64_t more = p->size - size;

	if (mem_grow(&s->rest.bytes, &s->rest.capacity, more, 1, err) < 0)
		return -1;
	if (more > 0)
		memcpy(s->rest.bytes, p->bytes + size, (size_t)more);
	s->rest.start = 0;
	s->rest.end = more;
	p->size = size;
	return 0;
}

/*
 * Read until the piece has its size and a newline, or the input ends; '*lines' becomes how
 * many of its bytes are whole lines.
 */
static int fill_piece(struct scan *s, struct piece *p, int64_t *lines, struct error *err)
{
	char *last = p->size > 0 ? memrchr(p->bytes, '\n', (size_t)p->size) : NULL;

	while (!s->at_end && (p->size < CHUNK_SIZE || !last)) {
		int64_t room = p->size < CHUNK_SIZE ? CHUNK_SIZE - p->size : p->size, got;
		int64_t last_at = last ? last - p->bytes : -1;
		char *found;

		if (mem_grow(&p->bytes, &p->capacity, p->size + room + 1, 1, err) < 0)
			return -1;
		got = stream_read(s->stream, p->bytes + p->size, room, err);
		if (got < 0)
			return -1;
		found = memrchr(p->bytes + p->size, '\n', (size_t)got);
		last = found ? found : last_at >= 0 ? p->bytes + last_at : NULL;
		/* a line with a byte 0 is refused: no need to look for its end */
		s->at_end = got < room ||
			    (!last && memchr(p->bytes + p->size, '\0', (size_t)got));
		p->size += got;
	}
	if (s->at_end && p->size > 0 && p->bytes[p->size - 1] != '\n') {
		p->bytes[p->size++] = '\n';
		last = p->bytes + p->size - 1;
	}
	*lines = last ? last + 1 - p->bytes : 0;
	return 0;
}

/*
 * Every byte is copied at most twice, however small the pieces: while the rest holds enough
 * lines they are taken from its beginning, and what then remains of it is moved once.
 */
static int take_text(void *arg, void *slot, struct error *err)
{
	struct scan *s = arg;
	struct piece *p = slot;
	const char *enough;
	int64_t size;

	p->size = 0;
	if (s->rest.start < s->rest.end) {
		const char *text = s->rest.bytes + s->rest.start;

		enough = enough_lines(s, text, s->rest.bytes + s->rest.end);
		if (enough)
			return take_rest(s, p, enough - text, err) < 0 ? -1 : 1;
	}
	if (take_rest(s, p, s->rest.end - s->rest.start, err) < 0 ||
	    fill_piece(s, p, &size, err) < 0)
		return -1;
	show_progress(s);
	if (p->size == 0)
		return 0;
	enough = enough_lines(s, p->bytes, p->bytes + size);
	if (enough)
		size = enough - p->bytes;
	return leave_rest(s, p, size, err) < 0 ? -1 : 1;
}

static int work_on_text(void *arg, void *slot, struct error *err)
{
	struct scan *s = arg;
	struct piece *p = slot;

	p->reason = (struct error){ 0 };
	p->malformed = svmlight_parse(&p->batch, p->bytes, p->bytes + p->size, s->options,
				      &p->where, &p->reason) < 0;
	if (p->malformed && p->reason.code != ERR_FORMAT)
		return error_set(err, p->reason.code, "%s", p->reason.text);
	return s->visitor->work ? s->visitor->work(s->visitor->arg, &p->batch, p->user, err) : 0;
}

static int deliver(struct scan *s, struct piece *p, struct error *err)
{
	if (!s->visitor->deliver)
		return 0;
	return s->visitor->deliver(s->visitor->arg, &p->batch, p->user, err);
}

/* The rows before a malformed line are good, and come first. */
static int deliver_text(void *arg, void *slot, struct error *err)
{
	struct scan *s = arg;
	struct piece *p = slot;
	int64_t line = s->n_lines + p->where.line;

	if (deliver(s, p, err) < 0)
		return -1;
	if (p->malformed)
		return error_set(err, ERR_FORMAT,
				 "Wrong input format at line %" PRId64 ": %s:%" PRId64 ":%" PRId64
				 ": %s", line, stream_name(s->stream), line, p->where.column,
				 p->reason.text);
	s->n_lines += p->batch.n_lines;
	return 0;
}

static const struct pipeline text_steps = { take_text, work_on_text, deliver_text, NULL };

/* ---- Either ---- */

static int run(struct scan *s, const struct pipeline *steps, int n_threads, struct error *err)
{
	struct pipeline pipeline = *steps;
	struct piece pieces[THREAD_MAX] = { 0 };
	void *slots[THREAD_MAX];
	int ret;

	pipeline.arg = s;
	for (int i = 0; i < n_threads; i++) {
		pieces[i].user = s->visitor->user ? s->visitor->user[i] : NULL;
		slots[i] = &pieces[i];
	}
	ret = pipeline_run(&pipeline, slots, n_threads, err);
	for (int i = 0; i < n_threads; i++) {
		free(pieces[i].bytes);
		row_batch_free(&pieces[i].batch);
	}
	return ret;
}

int rows_scan(struct stream *stream, const struct rows_options *options,
	      const struct rows_visitor *visitor, int n_threads, struct error *err)
{
	struct scan s = { .stream = stream, .options = options, .visitor = visitor };
	int ret = run(&s, &text_steps, thread_clamp_count(n_threads), err);

	free(s.rest.bytes);
	return ret;
}

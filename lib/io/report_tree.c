/*
 * report_tree.c - what is known of a run, as a tree of JSON that is written when all of it is known
 *
 * The leaves are texts as they are written, so that 64-bit counts keep all digits and doubles have the
 * shortest form that reads back.
 *
 *     {"tool": "svm-eval", "argv": ["a", "b"]}        { first -> "tool" value
 *                                                             -> "argv" [ first -> value -> value
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/report_tree.h"

#include "base/decimal.h"
#include "base/utf8.h"

/* An object, an array or a value, in the list of those in the same object or array. */
struct report {
	struct report *next;
	char open;		     /* '{', '['; '\0': a value */
	struct report *first, **end; /* what is in it, and where the next one goes */
	char *key;		     /* quoted; NULL in an array */
	char *value;		     /* as it is written; NULL: not a value */
	struct error *err;	     /* that of the root */
};

/* The text as a string of JSON, to be freed. */
static char *quote(const char *text, struct error *err)
{
	static const char letters[] = "\b\t\n\f\r\"\\", escapes[] = "btnfr\"\\";
	size_t left = strlen(text);
	char *quoted = mem_zeroed(6 * (int64_t)left + 3, 1, err), *to = quoted;

	if (!quoted)
		return NULL;
	*to++ = '"';
	while (left > 0) {
		const size_t n = utf8_length(text, left);
		const char *letter = strchr(letters, *text);

		if (letter)
			to += sprintf(to, "\\%c", escapes[letter - letters]);
		else if ((unsigned char)*text < ' ')
			to += sprintf(to, "\\u%04x", (unsigned)*text);
		else
			to += sprintf(to, "%.*s", n ? (int)n : 3, n ? text : "\xef\xbf\xbd");
		text += n ? n : 1;
		left -= n ? n : 1;
	}
	*to = '"';
	return quoted;
}

struct report *report_root(struct error *err)
{
	struct report *r = mem_zeroed(1, sizeof(*r), err);

	if (r)
		*r = (struct report){ .open = '{', .end = &r->first, .err = err };
	return r;
}

/* A new object, array or value at the end of 'parent'; takes 'value', which NULL is no memory for. */
static struct report *add(struct report *parent, const char *key, char open, char *value)
{
	struct report *r = parent ? report_root(parent->err) : NULL;
	char *quoted = r && key ? quote(key, r->err) : NULL;

	if (!r || (key && !quoted) || (!open && !value)) {
		mem_free_all(r, quoted, value);
		return NULL;
	}
	r->open = open;
	r->key = quoted;
	r->value = value;
	*parent->end = r;
	parent->end = &r->next;
	return r;
}

struct report *report_object(struct report *parent, const char *key)
{
	return add(parent, key, '{', NULL);
}

struct report *report_array(struct report *parent, const char *key)
{
	return add(parent, key, '[', NULL);
}

struct report *report_item(struct report *array)
{
	return report_object(array, NULL);
}

static void add_digits(struct report *r, const char *key, const char *digits)
{
	if (r)
		add(r, key, '\0', mem_copy(digits, (int64_t)strlen(digits) + 1, 1, r->err));
}

void report_number(struct report *r, const char *key, double value)
{
	add_digits(r, key, isfinite(value) ? DECIMAL_TEXT(value) : "null");
}

void report_count(struct report *r, const char *key, int64_t value)
{
	add_digits(r, key, FORMATTED(24, "%" PRId64, value));
}

/* As one value: one for each number takes 100 bytes. */
void report_numbers(struct report *array, const double *value, int64_t n)
{
	char *text, *end;

	if (!array)
		return;
	text = end = mem_zeroed(n * (DECIMAL_SHORTEST_SIZE + 2) + 3, 1, array->err);
	if (!text)
		return;
	*end++ = '[';
	for (int64_t k = 0; k < n; k++) {
		if (k > 0)
			end = stpcpy(end, ", ");
		end += decimal_shortest(value[k], end);
	}
	/* behind the last number may be digits that were left out */
	strcpy(end, "]");
	add(array, NULL, '\0', text);
}

void report_seed(struct report *r, const char *key, uint64_t value)
{
	add_digits(r, key, FORMATTED(24, "%" PRIu64, value));
}

void report_text(struct report *r, const char *key, const char *value)
{
	if (r)
		add(r, key, '\0', quote(value, r->err));
}

void report_flag(struct report *r, const char *key, int value)
{
	add_digits(r, key, value ? "true" : "false");
}

static void begin_line(int depth, struct byte_buffer *to, struct error *err)
{
	for (int i = 0; i < depth; i++)
		byte_buffer_append_text(to, "\t", err);
}

/* What an object has stands on lines of its own, unless 'depth' is below 0; what an array has on one. */
static void write_value(const struct report *r, int depth, struct byte_buffer *to)
{
	const bool on_lines = r->open == '{' && depth >= 0;

	if (r->value) {
		byte_buffer_append_text(to, r->value, r->err);
		return;
	}
	byte_buffer_append_text(to, on_lines ? "{\n" : r->open == '{' ? "{" : "[", r->err);
	for (const struct report *e = r->first; e; e = e->next) {
		begin_line(on_lines ? depth + 1 : 0, to, r->err);
		if (e->key) {
			byte_buffer_append_text(to, e->key, r->err);
			byte_buffer_append_text(to, on_lines ? ":\t" : ": ", r->err);
		}
		write_value(e, depth < 0 ? depth : depth + 1, to);
		if (e->next)
			byte_buffer_append_text(to, on_lines ? "," : ", ", r->err);
		if (on_lines)
			byte_buffer_append_text(to, "\n", r->err);
	}
	begin_line(on_lines ? depth : 0, to, r->err);
	byte_buffer_append_text(to, r->open == '{' ? "}" : "]", r->err);
}

static void release(struct report *r)
{
	while (r) {
		struct report *next = r->next;

		release(r->first);
		mem_free_all(r->key, r->value, r);
		r = next;
	}
}

int report_end(struct report *r, bool on_lines, struct byte_buffer *to)
{
	struct error *err = r ? r->err : NULL;

	if (!r)
		return -1;
	write_value(r, on_lines ? 0 : -1, to);
	byte_buffer_append_text(to, "\n", err);
	release(r);
	return err->code == ERR_NONE ? 0 : -1;
}

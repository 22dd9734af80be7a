/*
 * mapfile.c - short text files that hold a fitted map
 *
 * How this works.  One table of keys drives both directions, so that a key cannot be written in one
 * way and read in another.  Writing goes through put(), which keeps the checksum of all bytes so
 * far; the last line holds it.
 *
 * Reading takes the whole file into memory and checks it in an order that finds the most telling
 * fault first:
 *
 *     name        with the first bytes that come: a data file given by mistake may be huge
 *     version     before the checksum, as another version may have another way to end
 *     checksum    over all lines but the last: damage is reported as damage, not as a wrong value
 *     keys        each at most once, its value within its range; then that none is missing, given
 *                 those that are there (a key may apply only where another has a certain value)
 *     data        as many lines as the keys call for, and as many as there are
 *
 * With the checksum right the text ends in '\n', and all lines can be scanned for it.
 *
 * The text in memory, and the pointers that reading has into it:
 *
 *      randsvm-projection 1\n              checked by check_name(), check_version()
 *      method pca\n columns 2\n ...        line ... end   the line that is being read
 *      data 3\n 17.4 3.25\n ...
 *      checksum 0a1b2c3d\n                 keys_end: where this line begins and data end
 *
 * r->line never passes keys_end, since all loops stop there, and r->end is the '\n' of the line: so
 * parsers need no other limit.  Reading takes O(bytes) time and, as the buffer doubles, up to twice
 * the bytes of the file in memory; a kind of map has at most 64 keys, so finding one by comparing
 * all names takes little time beside parsing.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/mapfile.h"

#include "base/decimal.h"
#include "io/gzip.h"

enum {
	LINE_SIZE = 256, /* room for a line with a key, a name or a checksum */
	WORD_SIZE = 60,	 /* room for a word of the input in a message */
	/* bytes read at first, and then as many again as there are: few maps are larger */
	STEP = 1 << 16,
	CHECKSUM_SIZE = 18 /* "checksum XXXXXXXX\n" */
};

/* ---- Writing ---- */

struct writer {
	struct output *output;
	uint32_t checksum; /* checksum of the bytes written */
	struct error *err;
};

/* Write bytes, and add them to the checksum: all but the last line is written by this function. */
static int put(struct writer *w, const char *bytes, int64_t size)
{
	w->checksum = checksum_crc32(w->checksum, bytes, size);
	return output_write(w->output, bytes, size, w->err);
}

static int put_text(struct writer *w, const char *text)
{
	return put(w, text, (int64_t)strlen(text));
}

/* Does the record have the key, given the values of its other keys? */
static bool applies(const struct mapfile_form *form, const struct mapfile_key *key,
		    const void *record)
{
	return !key->kinds || key->kinds & form->kind(record);
}

/*
 * A line "KEY VALUE" for each key that the record has, in the order of the table: reals in the fewest
 * digits that read back as the same double
 */
static int write_keys(struct writer *w, const struct mapfile_form *form, const void *record)
{
	for (const struct mapfile_key *key = form->keys; key->name; key++) {
		const void *field = (const char *)record + key->offset;
		const char *const value =
			!applies(form, key, record) ?
				NULL :
			key->kind == MAPFILE_IS_INTEGER ?
				FORMATTED(LINE_SIZE, "%" PRId64, *(const int64_t *)field) :
			key->kind == MAPFILE_IS_NATURAL ?
				FORMATTED(LINE_SIZE, "%" PRIu64, *(const uint64_t *)field) :
			key->kind == MAPFILE_IS_REAL ? DECIMAL_TEXT(*(const double *)field) :
						       key->choices[*(const int *)field];

		if (value && put_text(w, FORMATTED(2 * LINE_SIZE, "%s %s\n", key->name, value)) < 0)
			return -1;
	}
	return 0;
}

/* "data N" and N lines, unless N is 0; one buffer serves all lines that are not there yet. */
static int write_data(struct writer *w, const struct mapfile_form *form, const void *record,
		      const struct byte_buffer *lines)
{
	int64_t n = form->count_lines(record);
	struct byte_buffer text = { 0 };
	int ret = n > 0 ? put_text(w, FORMATTED(LINE_SIZE, "data %" PRId64 "\n", n)) : 0;

	if (lines && ret == 0)
		return put(w, lines->bytes, lines->size);
	for (int64_t i = 0; i < n && ret == 0; i++) {
		text.size = 0;
		ret = form->write_line(record, i, &text, w->err);
		if (ret == 0)
			ret = byte_buffer_append(&text, "\n", 1, w->err);
		if (ret == 0)
			ret = put(w, text.bytes, text.size);
	}
	mem_free(text.bytes);
	return ret;
}

int mapfile_write(const struct mapfile_form *form, const void *record,
		  const struct byte_buffer *lines, struct output *output, struct error *err)
{
	struct writer w = { .output = output, .err = err };

	/* every byte from here to the checksum's line goes through put() */
	if (put_text(&w, FORMATTED(LINE_SIZE, "randsvm-%s %d\n", form->name, form->version)) < 0 ||
	    write_keys(&w, form, record) < 0 || write_data(&w, form, record, lines) < 0)
		return -1;
	/* not by put(): the checksum does not cover itself */
	return output_printf(output, err, "checksum %08" PRIx32 "\n", w.checksum);
}

/* ---- Reading ---- */

/* A map file in memory, and the line that is being read. */
struct reader {
	const struct mapfile_form *form;
	void *record;
	struct byte_buffer text;
	const char *line, *end; /* current line; *end == '\n' */
	const char *keys_end;	/* beginning of the checksum's line */
	int64_t number;		/* number of the line, from 1 */
	int64_t n_lines;
	uint64_t seen; /* keys seen, a bit for each key of the table */
	struct input *input;
	struct error *err;
};

/* Fail with the file's name, the number of the line at hand and a reason; is -1. */
#define refuse(r, format, ...)                                                             \
	error_set((r)->err, ERR_FORMAT, "%s:%" PRId64 ": " format, input_name((r)->input), \
		  (r)->number, ##__VA_ARGS__)

/* Go to the line that begins at 'p'; false if there is none that ends. */
static bool go_to_line(struct reader *r, const char *p)
{
	const char *limit = r->text.bytes + r->text.size;

	r->line = p;
	r->end = p < limit ? memchr(p, '\n', (size_t)(limit - p)) : NULL;
	r->number++;
	return r->end != NULL;
}

/*
 * Does the text read so far begin as it should?  Called after each piece: another kind of file is
 * refused after its first 64 kB, however long it is.
 */
static int check_name(struct reader *r)
{
	char name[LINE_SIZE];
	int64_t n = snprintf(name, sizeof(name), "randsvm-%s ", r->form->name);

	/* fewer bytes than the name are refused: the first read has 64 kB, or the whole file */
	if (r->text.size >= n && !memcmp(r->text.bytes, name, (size_t)n))
		return 0;
	r->number = 1;
	n = int64_min(r->text.size, WORD_SIZE);
	for (int64_t i = 0; i < n; i++)
		if (r->text.bytes[i] == '\n')
			n = i;
	return refuse(r, "expected '%s%d', got '%s'", name, r->form->version,
		      QUOTED(WORD_SIZE, r->text.bytes, (size_t)n));
}

/* The whole text; each step reads as much as there is, so the number of steps is logarithmic. */
static int read_all(struct reader *r)
{
	int64_t step = STEP, got;

	for (;;) {
		got = input_append(r->input, &r->text, step, r->err);
		if (got < 0 || check_name(r) < 0)
			return -1;
		if (got < step)
			return 0;
		/* the text doubles with each read, so growing the buffer moves O(bytes) in all */
		step = r->text.size;
	}
}

/* The version, at the end of the first line: in another one all that follows may differ. */
static int check_version(struct reader *r)
{
	const char *p;
	int64_t version;

	if (!go_to_line(r, r->text.bytes))
		return refuse(r, "cut short");
	p = r->line + strlen("randsvm-") + strlen(r->form->name) + 1;
	if (!decimal_integer(p, r->end, &version))
		return refuse(r, "expected a version, got '%s'%s",
			      QUOTED(WORD_SIZE, p, (size_t)(r->end - p)),
			      r->end[-1] == '\r' ? ": lines must end in LF alone, as written" : "");
	/* a file of another version may differ in all that follows, even in its checksum */
	if (version != r->form->version)
		return refuse(r, "a map of version %" PRId64 "; this program reads version %d",
			      version, r->form->version);
	return 0;
}

/*
 * Sets keys_end and n_lines.  Messages name the last line, where the checksum is or should be; then
 * the reader is at the first line again.
 */
static int check_checksum(struct reader *r)
{
	const char *start = r->text.bytes, *end = start + r->text.size;

	/* r->number becomes that of the last line */
	for (const char *p = start; p < end - 1; p++)
		r->number += *p == '\n';
	if (r->text.size <= CHECKSUM_SIZE || end[-1] != '\n' ||
	    memcmp(end - CHECKSUM_SIZE - 1, "\nchecksum ", 10) != 0)
		return refuse(r, "no checksum at the end: cut short?");
	r->keys_end = end - CHECKSUM_SIZE;
	r->n_lines = r->number;
	/* as text: one spelling alone is right */
	if (memcmp(FORMATTED(LINE_SIZE, "checksum %08" PRIx32 "\n",
			     checksum_crc32(0, start, r->keys_end - start)),
		   r->keys_end, CHECKSUM_SIZE) != 0)
		return refuse(r, "the checksum does not fit: damaged, or changed by hand?");
	r->number = 1;
	return 0;
}

/* Refuse the value of a key; the message lists the values allowed. */
static int refuse_value(struct reader *r, const struct mapfile_key *key, const char *value)
{
	const char *const word = QUOTED(WORD_SIZE, value, (size_t)(r->end - value));

	if (key->kind == MAPFILE_IS_INTEGER)
		return refuse(r,
			      "'%s' must be an integer from %" PRId64 " to %" PRId64 ", not '%s'",
			      key->name, key->low, key->high, word);
	if (key->kind == MAPFILE_IS_REAL)
		return refuse(r, "'%s' must be a number from %g to %g, not '%s'", key->name,
			      key->least, key->most, word);
	return refuse(r, "'%s' is not a value of '%s'", word, key->name);
}

/* The number of the choice that [p, end) names; false if no choice has this name. */
static bool find_choice(const char *const *choices, const char *p, const char *end, int *number)
{
	size_t length = (size_t)(end - p);

	for (*number = 0; choices[*number]; ++*number)
		if (strlen(choices[*number]) == length && !memcmp(choices[*number], p, length))
			return true;
	return false;
}

/*
 * The value [p, end of the line) into the field of the record, of no meaning if it is refused
 *
 * The type of the field is the one that the macro of key->kind has checked (MAPFILE_FIELD).
 */
static int read_value(struct reader *r, const struct mapfile_key *key, const char *p)
{
	void *field = (char *)r->record + key->offset;
	const int64_t *integer = field;
	const double *real = field;
	bool good;

	if (key->kind == MAPFILE_IS_INTEGER)
		good = decimal_integer(p, r->end, field) && *integer >= key->low &&
		       *integer <= key->high;
	else if (key->kind == MAPFILE_IS_NATURAL)
		good = decimal_natural(p, r->end, field);
	else if (key->kind == MAPFILE_IS_REAL)
		/* it may look at the byte after the text, which is '\n' */
		good = decimal_parse(p, r->end, field) == r->end && isfinite(*real) &&
		       *real >= key->least && *real <= key->most;
	else
		good = find_choice(key->choices, p, r->end, field);
	return good ? 0 : refuse_value(r, key, p);
}

/* Read the line "KEY VALUE" at hand; bit i of r->seen is set once keys[i] has been there. */
static int read_key(struct reader *r)
{
	const char *blank = memchr(r->line, ' ', (size_t)(r->end - r->line));
	size_t length = (size_t)((blank ? blank : r->end) - r->line);

	for (int i = 0; r->form->keys[i].name; i++) {
		const struct mapfile_key *key = &r->form->keys[i];

		/* names are compared whole: "column" is not a short form of "columns" */
		if (strlen(key->name) != length || memcmp(key->name, r->line, length) != 0)
			continue;
		if (!blank)
			return refuse(r, "'%s' without a value", key->name);
		if (r->seen >> i & 1)
			return refuse(r, "'%s' a second time", key->name);
		r->seen |= UINT64_C(1) << i;
		return read_value(r, key, blank + 1);
	}
	return refuse(r, "unknown key '%s'", QUOTED(WORD_SIZE, r->line, length));
}

/*
 * All lines before "data" or the checksum, at which the reader is then.  Which keys apply can be
 * asked only now: the keys it depends on may stand in any line.
 */
static int read_keys(struct reader *r)
{
	while (go_to_line(r, r->end + 1) && r->line < r->keys_end &&
	       (r->end - r->line < 5 || memcmp(r->line, "data ", 5) != 0))
		if (read_key(r) < 0)
			return -1;
	for (int i = 0; r->form->keys[i].name; i++) {
		const struct mapfile_key *key = &r->form->keys[i];
		bool wanted = applies(r->form, key, r->record), seen = r->seen >> i & 1;

		if (wanted && !seen)
			return refuse(r, "'%s' is missing", key->name);
		if (seen && !wanted)
			return refuse(r, "'%s' does not belong here", key->name);
	}
	return 0;
}

/* The lines of data; the number of lines is checked against the keys and the file. */
static int read_data(struct reader *r)
{
	int64_t wanted = r->form->count_lines(r->record), n = 0, n_there;
	struct error reason = { 0 };

	if (r->line < r->keys_end) {
		if (!decimal_integer(r->line + 5, r->end, &n) || n != wanted || n == 0)
			return refuse(r, "expected data of %" PRId64 " lines", wanted);
		go_to_line(r, r->end + 1);
	} else if (wanted > 0) {
		return refuse(r, "the data are missing");
	}
	/* lines from the one at hand up to, and not with, the checksum's */
	n_there = r->n_lines - r->number;
	if (n != n_there)
		return refuse(r, "%" PRId64 " lines of data, not %" PRId64, n_there, n);
	for (int64_t i = 0; i < n; i++) {
		if (r->form->read_line(r->record, i, r->line, r->end, &reason) < 0)
			/* a bare reason gets the file's name and the line */
			return reason.code == ERR_FORMAT ? refuse(r, "%s", reason.text) :
							   error_pass(r->err, &reason);
		go_to_line(r, r->end + 1);
	}
	return 0;
}

int mapfile_read(const struct mapfile_form *form, void *record, struct input *input,
		 struct error *err)
{
	struct reader r = { .form = form, .record = record, .input = input, .err = err };
	int ret = -1;

	if (read_all(&r) == 0 && check_version(&r) == 0 && check_checksum(&r) == 0 &&
	    read_keys(&r) == 0)
		ret = read_data(&r);
	mem_free(r.text.bytes);
	return ret;
}

/* ---- Lines of numbers ---- */

int mapfile_put_reals(struct byte_buffer *text, const double *x, int64_t n, struct error *err)
{
	if (byte_buffer_reserve(text, n * (DECIMAL_SHORTEST_SIZE + 1), err) < 0)
		return -1;
	for (int64_t i = 0; i < n; i++) {
		if (text->size > 0 && text->bytes[text->size - 1] != '\n')
			text->bytes[text->size++] = ' ';
		text->size += decimal_shortest(x[i], text->bytes + text->size);
	}
	return 0;
}

int mapfile_get_reals(double *x, int64_t n, const char *text, const char *end, struct error *err)
{
	for (int64_t i = 0; i < n; i++) {
		const char *stop = decimal_parse(text, end, &x[i]);

		if (!stop || !isfinite(x[i]) || (i < n - 1 && (stop == end || *stop != ' ')))
			return error_set(err, ERR_FORMAT, "expected %" PRId64 " numbers", n);
		text = i < n - 1 ? stop + 1 : stop;
	}
	return text == end ? 0 : error_set(err, ERR_FORMAT, "more than %" PRId64 " numbers", n);
}

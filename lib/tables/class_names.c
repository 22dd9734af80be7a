/*
 * class_names.c - names of the classes that labels are numbers of
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/class_names.h"

#include "base/decimal.h"
#include "io/line_reader.h"

/*
 * Append a name as a word, with a 0 behind it: in quotes where it could be taken for several words, a
 * pair, a list, the empty list or a comment.
 */
static int add_word(struct byte_buffer *to, const char *name, struct error *err)
{
	const int quotes = strpbrk(name, " \t\r\",/#") || strcmp(name, "-") == 0;

	if (byte_buffer_reserve(to, 2 * (int64_t)strlen(name) + 3, err) < 0)
		return -1;
	byte_buffer_add(to, "\"", quotes);
	for (; *name; name++)
		byte_buffer_add(to, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
	byte_buffer_add(to, "\"", quotes);
	byte_buffer_add(to, "", 1);
	return 0;
}

/* A line "NUMBER NAME". */
static int take_line(struct class_names *names, const struct line_reader *r, const char *line,
		     struct error *err)
{
	struct class_name name;
	const char *end = line + strlen(line), *p = decimal_parse(line, end, &name.label);
	double other;

	if (!p || *p != ' ' || p + 1 == end)
		return line_fault(r, "expected the number of a class, a blank and its name", err);
	if (class_names_find(names, name.label).start)
		return line_fault(r, "this class has a name already, as if these were rows of data",
				  err);
	p++;
	if (class_names_label(names, p, &other))
		return line_fault(r, "another class has this name", err);
	name.start = names->text.size;
	name.length = end - p;
	if (byte_buffer_append(&names->text, p, name.length + 1, err) < 0 ||
	    add_word(&names->text, p, err) < 0 ||
	    mem_grow(&names->name, &names->capacity, names->n + 1, sizeof(name), err) < 0)
		return -1;
	names->name[names->n++] = name;
	return 0;
}

int class_names_take(void *to, struct input *from, struct error *err)
{
	struct class_names *names = to;
	struct line_reader r = { .text.from = from, .name = input_name(from) };
	char *line;

	while (line_read(&r, &line, err) > 0)
		if (*line && take_line(names, &r, line, err) < 0)
			break;
	if (err->code == ERR_NONE && names->n == 0)
		error_set(err, ERR_FORMAT, "%s: no names of classes", r.name);
	line_reader_free(&r);
	return err->code == ERR_NONE ? 0 : -1;
}

struct text_span class_names_find(const struct class_names *names, double label)
{
	for (int64_t k = 0; names && k < names->n; k++)
		if (names->name[k].label == label)
			return (struct text_span){ names->text.bytes + names->name[k].start,
						   names->name[k].length };
	return (struct text_span){ 0 };
}

const char *class_names_word(const struct class_names *names, double label)
{
	const struct text_span name = class_names_find(names, label);

	return name.start ? name.start + name.length + 1 : NULL;
}

bool class_names_label(const struct class_names *names, const char *name, double *label)
{
	int64_t k = 0;

	while (k < names->n && strcmp(names->text.bytes + names->name[k].start, name) != 0)
		k++;
	if (k < names->n)
		*label = names->name[k].label;
	return k < names->n;
}

bool class_names_is_number(const struct class_names *names, double label)
{
	const struct text_span name = class_names_find(names, label);
	const char *end = name.start + name.length;
	double x;

	return decimal_parse(name.start, end, &x) == end && x != label &&
	       (isnan(x) || class_names_find(names, x).start);
}

void class_names_free(struct class_names *names)
{
	byte_buffer_free(&names->text);
	mem_free(names->name);
	*names = (struct class_names){ 0 };
}

/*
 * class_names.c - names of the classes that labels are numbers of
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/class_names.h"

#include "base/decimal.h"
#include "io/line_reader.h"

/* A line "NUMBER NAME". */
static int take_line(struct class_names *names, const struct line_reader *r, const char *line,
		     struct error *err)
{
	struct class_name name;
	const char *end = line + strlen(line), *p = decimal_parse(line, end, &name.label);

	if (!p || *p != ' ' || p + 1 == end)
		return line_fault(r, "expected the number of a class, a blank and its name", err);
	if (class_names_find(names, name.label).start)
		return line_fault(r, "this class has a name already", err);
	p++;
	name.start = names->text.size;
	name.length = end - p;
	if (byte_buffer_append(&names->text, p, name.length, err) < 0 ||
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

void class_names_free(struct class_names *names)
{
	byte_buffer_free(&names->text);
	mem_free(names->name);
	*names = (struct class_names){ 0 };
}

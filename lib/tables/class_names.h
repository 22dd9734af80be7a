/*
 * class_names.h - names of the classes that labels are numbers of
 *
 *     1 bad                 a text as svm-convert --labels writes it: on each line a number, a
 *     2 rather good         blank, and a name
 *
 * Where names are words of a line, that of class 2 is "rather good", as a field of CSV: in quotes, each
 * of its own doubled, is a name with a blank, comma, slash, '#' or quote, and one that is '-', the empty
 * list.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/byte_buffer.h"
#include "io/input.h"
#include "io/row_batch.h"

struct class_name {
	double label;
	int64_t start, length; /* place of the name in the text */
};

/* Owns its arrays; a zeroed struct has no names. */
struct class_names {
	struct byte_buffer text; /* names, each before the word that stands for it; 0 behind both */
	int64_t n, capacity;
	struct class_name *name;
};

/*
 * class_names_take() - an input_reader of an empty struct class_names
 *
 * Fails with ERR_FORMAT (text: `name:line: reason`), ERR_MEMORY or as input_read().
 */
int class_names_take(void *names, struct input *from, struct error *err);

/*
 * class_names_find() - the name of the class with that label; its start is NULL if it has none
 *
 * Nor has any class a name where 'names' is NULL.
 */
struct text_span class_names_find(const struct class_names *names, double label);

/* class_names_word() - the same as a word of a line, in quotes where it needs them; or NULL */
const char *class_names_word(const struct class_names *names, double label);

/* class_names_label() - is there a class of that name?  Then its label, too; O(classes) */
bool class_names_label(const struct class_names *names, const char *name, double *label);

/*
 * class_names_is_number() - is the name of that class a number that is the label of another, or nan?
 *
 * Where a word may be a label as well, such a name has to be in quotes to be one.
 */
bool class_names_is_number(const struct class_names *names, double label);

void class_names_free(struct class_names *names);

/*
 * report_tree.h - what is known of a run, as a tree of JSON that is written when all of it is known
 *
 * Keys are lower_snake; numbers that are not finite are null, and bytes of texts that are not UTF-8
 * become U+FFFD.  A key of NULL is for what is in an array.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/byte_buffer.h"

struct report; /* a JSON object, or NULL, for which every function below does no work */

/*
 * report_root() - an object without a parent; NULL: memory ran out
 *
 * 'err', borrowed until report_end(), tells whether memory ran out for some part of it.
 */
struct report *report_root(struct error *err);

/* report_object() - a new object under 'key'; belongs to 'parent' */
struct report *report_object(struct report *parent, const char *key);

/* report_array() - a new array under 'key'; report_item() appends an object to it */
struct report *report_array(struct report *parent, const char *key);
struct report *report_item(struct report *array);

/* report_numbers() - append an array of n numbers to 'array' */
void report_numbers(struct report *array, const double *value, int64_t n);

void report_number(struct report *r, const char *key, double value);
void report_count(struct report *r, const char *key, int64_t value);
void report_seed(struct report *r, const char *key, uint64_t value);
void report_text(struct report *r, const char *key, const char *value);
void report_flag(struct report *r, const char *key, int value);

/*
 * report_end() - append a root to the bytes, and release it: on one line, or each value of an object
 * on a line of its own
 *
 * Returns 0, or -1 where memory ran out, for this or in between; also for NULL, a root that there was no
 * memory for.
 */
int report_end(struct report *r, bool on_lines, struct byte_buffer *to);

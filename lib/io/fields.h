/*
 * fields.h - named numbers and arrays, written to bytes and read back by the same calls
 *
 *     void visit(struct state *s, struct fields *f)
 *     {
 *             fields_double(f, "rho", &s->rho);
 *             fields_doubles(f, "beta", s->beta, s->n);
 *     }
 *
 * appends the state to f->out, or fills it from the bytes that were appended.  A number is a line
 * `NAME VALUE`, with all its digits; an array a line `NAME[COUNT]` and its bytes as they are in
 * memory.  After a failure, which f->err holds, nothing is written or read any more.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/byte_buffer.h"

/* All pointers are borrowed. */
struct fields {
	struct byte_buffer *out; /* NULL: fields are read, from 'at' to 'end' */
	const char *at, *end;
	struct error *err;
};

/* fields_writer() - to append to 'out'; fields_reader() - to read 'size' bytes */
struct fields fields_writer(struct byte_buffer *out, struct error *err);
struct fields fields_reader(const char *bytes, int64_t size, struct error *err);

static inline bool fields_are_read(const struct fields *f)
{
	return !f->out;
}

static inline bool fields_failed(const struct fields *f)
{
	return f->err->code != ERR_NONE;
}

/*
 * Each writes one field, or reads it: ERR_FORMAT where the next field has another name or count, or
 * is cut short; ERR_MEMORY where there is no room to write it.
 */
void fields_int64(struct fields *f, const char *name, int64_t *x);
void fields_int(struct fields *f, const char *name, int *x);
void fields_bool(struct fields *f, const char *name, bool *x);
void fields_double(struct fields *f, const char *name, double *x); /* also infinite or NaN */
void fields_doubles(struct fields *f, const char *name, double *x, int64_t n);
void fields_int64s(struct fields *f, const char *name, int64_t *x, int64_t n);
void fields_bools(struct fields *f, const char *name, bool *x, int64_t n);

/*
 * fields_sparse() - n doubles, most of which may be 0: only the others are written, each with its
 * number, where that is shorter
 */
void fields_sparse(struct fields *f, const char *name, double *x, int64_t n);

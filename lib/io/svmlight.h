/*
 * svmlight.h - examples in SVMlight/LIBSVM text
 *
 *     line     = [ label { blank [ "qid:" digits | index ":" value ] } ] [ "#" text ]
 *     label    = number
 *     index    = 0 .. 2147483647, strictly ascending within a line
 *     value    = number
 *
 * Lines end in LF or CR LF; the last line may have no end.  Blanks are spaces, tabs, CR, VT and FF,
 * and are also allowed before the label and after a colon.  Lines without an example are skipped.
 * Numbers are what strtod() reads in the C locale, correctly rounded.  With options->label_optional
 * a line may begin with an entry or a qid: its label is NaN.  Behind such a row a line without an
 * example is one more: a row without label and entries, so that who asks by lines gets an answer for
 * each.
 *
 * Indices are kept as the file writes them: feature 1 is column 1.  (Column 0 exists
 * because svm-train accepts it and precomputed kernels need it.)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/byte_buffer.h"
#include "io/row_batch.h"

/* Where in a text a line is wrong; lines and columns count from 1, columns in bytes. */
struct text_position {
	int64_t line, column;
	int64_t behind; /* bytes of the text up to the end of that line */
};

/*
 * svmlight_parse() - the examples in a text of whole lines
 *
 * [text, end) ends in '\n' (or is empty).  The batch is overwritten; with options->keep_text it
 * points into the text.  O(bytes).  Returns 0; or -1 with ERR_MEMORY; or -1 with ERR_FORMAT, the
 * bare reason as its text, '*where' set, and the batch holding the rows before the fault.
 */
int svmlight_parse(struct row_batch *batch, const char *text, const char *end,
		   const struct rows_options *options, struct text_position *where,
		   struct error *err);

/*
 * svmlight_ends_unlabelled() - has the last row in a text of whole lines no label?
 *
 * Of a text without a row the answer is 'before', that of the text before it.  It is what
 * options->after_unlabelled says of the text after it.  O(bytes of the last row and of what follows).
 */
bool svmlight_ends_unlabelled(const char *text, const char *end, bool before);

/* ---- Writing ---- */

struct svmlight_options {
	int digits;  /* 1 .. 17: values as "%.*g" with so many; 0: in the shortest form
				 * that reads back to the same number */
	bool single; /* values are floats: 0 digits means the fewest that read back to that float */
	bool svm_scale; /* labels as "%.17g", a blank behind each row, no comments: svm-scale's */
};

/*
 * svmlight_append() - the examples of a batch as lines at the end of a buffer
 *
 *     label [ " qid:" digits ] { " " index ":" value } [ " #" text ] "\n"
 *
 * Where the batch has text, label, qid and comment are what the input had; else the label is in its
 * shortest form.  Entries of value 0 are left out.  A row that was read without a label is written
 * without one, and as "1:0" if it would be an empty line, which is no example.  Threads may fill
 * different buffers at the same time.  O(entries), some 30 ns each.  -1 with ERR_MEMORY, the buffer
 * being as it was.
 */
int svmlight_append(struct byte_buffer *text, const struct row_batch *rows,
		    const struct svmlight_options *options, struct error *err);

/*
 * svmlight.h - examples in SVMlight/LIBSVM text, in batches or as a stream
 *
 *     line     = [ label { blank [ "qid:" digits | index ":" value ] } ] [ "#" text ]
 *     label    = number
 *     index    = 0 .. 2147483647, strictly ascending within a line
 *     value    = number
 *
 * Lines end in LF or CR LF, the last one perhaps in nothing; blanks are spaces, tabs,
 * CR, VT, FF, also allowed before the label and after a colon.  Lines without an example are skipped.
 * Numbers are what strtod() reads in the C locale, correctly rounded.
 *
 * Indices are kept as the file writes them: feature 1 is column 1.  (Column 0 exists
 * because svm-train accepts it and precomputed kernels need it.)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_SVMLIGHT_H
#define RANDSVM_SVMLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "io/stream.h"

struct svmlight_options {
	bool strict;		/* refuse what svm-train refuses: empty lines, comment
				 * lines, a colon in a comment, qid */
	bool allow_nonfinite;	/* accept nan and inf as label or value */
};

/*
 * struct row_batch - consecutive examples
 *
 *     row_start  [0, 2, 2]    row 0 holds entries 0 and 1, row 1 is empty
 *     index      [1, 5]       as in the file
 *     value      [.5, 2]
 *
 * Owns its arrays; a zeroed struct is empty, and is filled again and again.
 */
struct row_batch {
	int64_t n_rows, n_entries;
	int64_t n_lines;	/* lines read, those without an example included */
	int64_t max_index;	/* largest index, 0 if there is none */
	double *label;		/* n_rows */
	int64_t *row_start;	/* n_rows + 1, row_start[0] == 0 */
	int32_t *index;		/* n_entries */
	double *value;		/* n_entries */
	int64_t rows_capacity, starts_capacity, indices_capacity, values_capacity;
};

void row_batch_free(struct row_batch *batch);

/* Where in a text a line is wrong; both count from 1, columns in bytes. */
struct text_position {
	int64_t line, column;
};

/*
 * svmlight_parse() - the examples in a text of whole lines
 *
 * [text, end) ends in '\n' (or is empty).  The batch is overwritten.  O(bytes).
 * Returns 0; or -1 with ERR_MEMORY, or with ERR_FORMAT, the bare reason as text, and
 * '*where' set.
 */
int svmlight_parse(struct row_batch *batch, const char *text, const char *end,
		   const struct svmlight_options *options, struct text_position *where,
		   struct error *err);

/*
 * struct svmlight_visitor - what svmlight_scan() does with the batches
 *
 * 'work' runs on all threads at once; 'deliver' on one at a time, in the order of the
 * file.  Either may be NULL.  'user' (NULL, or one pointer for each thread) comes with
 * the batch, for results on their way from work to deliver.  'progress', if any, is told
 * now and then how many bytes of how many (-1 if unknown) have been read.
 */
struct svmlight_visitor {
	int (*work)(void *arg, struct row_batch *batch, void *user, struct error *err);
	int (*deliver)(void *arg, struct row_batch *batch, void *user, struct error *err);
	void (*progress)(void *arg, int64_t taken, int64_t total);
	void *arg;
	void *const *user;
};

/*
 * svmlight_scan() - parse a stream to its end, in pieces of about a megabyte
 *
 * Parsing runs on 'n_threads' threads while one of them reads (and inflates) ahead.
 * Neither the batches' order nor their rows depend on the number of threads.  Memory: some
 * megabytes a thread, or twice the longest line if that is more.
 * A malformed line stops it, after all lines before it have been delivered, with
 * ERR_FORMAT and the text
 * `Wrong input format at line N: file:N:column: reason`.
 */
int svmlight_scan(struct stream *stream, const struct svmlight_options *options,
		  const struct svmlight_visitor *visitor, int n_threads, struct error *err);

#endif

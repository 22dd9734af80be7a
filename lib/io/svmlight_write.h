/*
 * svmlight_write.h - examples written as SVMlight/LIBSVM text
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_SVMLIGHT_WRITE_H
#define RANDSVM_SVMLIGHT_WRITE_H

#include <stdbool.h>

#include "base/error.h"
#include "io/byte_buffer.h"
#include "io/row_batch.h"

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

#endif

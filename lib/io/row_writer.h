/*
 * row_writer.h - batches of rows to an output, as text or in the binary form
 *
 *     row_writer_begin(&w, &err);
 *     row_writer_format(&w, &bytes, &batch, &err);       any thread, a buffer each
 *     row_writer_write(&w, &bytes, &err);                in order
 *     row_writer_end(&w, &err);
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/binary.h"
#include "io/byte_buffer.h"
#include "io/output.h"
#include "io/row_batch.h"

/* 'totals' are zero at first.  The caller opens the output and commits it. */
struct row_writer {
	struct output *to;
	bool binary;	/* binary form; else text */
	bool single;	/* values are floats */
	int digits;	/* text: digits of a value; 0: fewest digits that read back to the value */
	bool svm_scale; /* text: the form of svm-scale; see svmlight.h */
	struct binary_totals totals;
};

/*
 * row_writer_begin(), row_writer_end() - write what comes before and after all rows
 *
 * Nothing for text.  -1 with ERR_IO as output_write() (text: the bare reason), or ERR_MEMORY.
 */
int row_writer_begin(struct row_writer *w, struct error *err);
int row_writer_end(struct row_writer *w, struct error *err);

/*
 * row_writer_format() - a batch as bytes, which replace those in the buffer
 *
 * Changes nothing in '*w'.  -1 with ERR_MEMORY, or ERR_NUMERIC (see binary_add_rows()).
 */
int row_writer_format(const struct row_writer *w, struct byte_buffer *bytes,
		      const struct row_batch *rows, struct error *err);

/*
 * row_writer_check_labels() - does the output have a way to say that a row has no label?
 *
 * Fails with ERR_FORMAT for the binary form and a label that is NaN, as label_optional makes it;
 * 'n_before' rows were written before these.  Where NaN is a label like others do not ask.
 */
int row_writer_check_labels(const struct row_writer *w, const struct row_batch *rows,
			    int64_t n_before, struct error *err);

/* row_writer_write() - the bytes of row_writer_format() to the output; -1 as output_write() */
int row_writer_write(struct row_writer *w, const struct byte_buffer *bytes, struct error *err);

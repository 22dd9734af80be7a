/*
 * rows.h - examples read from an input in batches, whatever form they have there
 *
 * Text (svmlight.h) and the binary form (binary.h) are told apart by the first byte.  All
 * programs read examples through rows_scan(), so all of them accept both forms.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/progress_observer.h"
#include "io/input.h"
#include "io/row_batch.h"

/* An array of an element for each thread; or none, first is NULL. */
struct rows_users {
	void *first;
	size_t size; /* bytes of each */
};

/*
 * struct rows_visitor - what rows_scan() does with the batches
 *
 * work() runs on all threads at once; deliver() on one at a time, in the order of the input.
 * Either may be NULL.  A batch and the text it points to last until its deliver() is over.  A pointer
 * into 'users' comes with the batch, for results on their way from work() to deliver().  'progress' is
 * told the bytes read so far and those there are in all (-1 if unknown).
 *
 * With pause(), rows that come slowly are not kept waiting: whole lines of text are delivered as
 * soon as a pipe has no more to read, and pause() is called behind them, to hand on what was made
 * of them.  What a batch holds then depends on how the bytes arrive.
 *
 * With refused(), a malformed line of text does not end the scan: refused() is told of it in its place
 * between the batches, which end there, by ERR_FORMAT and the text `file:N:column: reason`, and the
 * rows behind it are read.  Each such line costs a call of work() on the thread that delivers.
 */
struct rows_visitor {
	int (*work)(void *arg, struct row_batch *batch, void *user, struct error *err);
	int (*deliver)(void *arg, struct row_batch *batch, void *user, struct error *err);
	int (*pause)(void *pause_arg, struct error *err);
	int (*refused)(void *arg, const struct error *fault, struct error *err);
	void *arg, *pause_arg;
	struct rows_users users;
	struct progress_observer progress;
};

/* rows_user() - the pointer for the batches of a thread; NULL without 'users' */
static inline void *rows_user(const struct rows_visitor *v, int thread)
{
	return v->users.first ? (char *)v->users.first + (size_t)thread * v->users.size : NULL;
}

/* struct row_source - examples that can be read again: scan() visits them all, as rows_scan() */
struct row_source {
	int (*scan)(void *arg, const struct rows_visitor *visitor, int n_threads,
		    struct error *err);
	void *arg;
};

/*
 * rows_scan() - all examples of an input, in batches
 *
 * A batch is made of some 128 kB of text, of a block of the binary form, or of max_rows lines or
 * rows if these are fewer.  Parsing runs on 'n_threads' threads while one of them reads (and
 * inflates) ahead.  Neither the order of the batches nor their rows depend on the number of threads
 * or, without visitor->pause, on how the bytes arrive.  Memory a thread: some megabytes, twice the
 * longest line, or the largest block, whichever is most.
 *
 * With options->keep_text all batches from text have has_text set; batches from the binary form
 * never have.  A malformed line or block ends the scan, after all rows before it have been
 * delivered, with ERR_FORMAT and the text `Wrong input format at line N: file:N:column: reason` or
 * `file: block N: reason`.  With visitor->refused only a block does, and a text that has a byte 0 and
 * no end of a line near it, which is no rows.
 *
 * Of several files (input_continue()) each has a form and lines of its own, and may have no rows.
 */
int rows_scan(struct input *input, const struct rows_options *options,
	      const struct rows_visitor *visitor, int n_threads, struct error *err);

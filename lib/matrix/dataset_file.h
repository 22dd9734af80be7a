/*
 * dataset_file.h - the rows of a data file, kept in a file that is mapped in place of reading them
 *
 * What happens, in this order:
 *
 *     dataset_file_map()     is FILE there, whole, and of these data?  Then its arrays are the dataset
 *     else
 *     dataset_file_begin()   a new file without a name, and a stamp of the data file
 *     dataset_read()         the rows, in memory (the caller; with the sum of the bytes it read)
 *     dataset_file_commit()  they are written, the new file is called FILE, and mapped
 *
 * FILE is the dataset as it is in memory, for this kind of machine:
 *
 *     header                 what it is, sizes, the stamp of the data file, sums, its own sum
 *     y, row_start, col, val each from a multiple of 64 KiB on, each with a CRC-32 in the header
 *
 * It is mapped to be read only, so its pages take no room that the system could not have back.
 *
 * FILE matches if the data file holds the same bytes (file_stamp.h) and rows are read by the same
 * options.  All of FILE is read once when it is mapped, to compare its sums: that takes a thirtieth
 * of the time of parsing (0.03 s for 256 MB), and a change by one bit would end in results of other
 * data, or a crash.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_DATASET_FILE_H
#define RANDSVM_DATASET_FILE_H

#include <stdint.h>

#include "base/error.h"
#include "io/file_stamp.h"
#include "io/output.h"
#include "io/row_batch.h"
#include "matrix/dataset.h"

/* Which rows, and where they are kept.  The names are borrowed. */
struct dataset_file {
	const char *path; /* FILE */
	const char *data; /* the regular file that rows are read from */
	struct rows_options options;
	struct file_stamp stamp; /* from dataset_file_begin() on, as the output */
	struct output *output;
};

/*
 * dataset_file_map() - the rows of the file, if it has those of the data, into the empty '*d'
 *
 * Returns 1; or 0 if the file is not there, or is no longer of use: '*misfit' is then NULL, or why
 * ("is of other data").  -1 with ERR_IO or ERR_MEMORY; also if the file is none that was written
 * here, so that it must not be replaced.  '*d' may only be read, and is released by dataset_free().
 *
 * O(size of the file), and of the data file where that was touched.
 */
int dataset_file_map(struct dataset *d, const struct dataset_file *f, const char **misfit,
		     struct error *err);

/*
 * dataset_file_begin() - before the data are read: set stamp and output
 *
 * Fails with ERR_IO (text: the bare reason) or ERR_MEMORY.
 */
int dataset_file_begin(struct dataset_file *f, struct error *err);

/*
 * dataset_file_commit() - write the rows; '*d' is the mapped ones then
 *
 * 'whole' is the CRC-32 of the bytes of the data file, as they were read.  Returns 1, or 0 if the
 * data file was changed meanwhile: nothing is written then.  -1 with ERR_IO (text: the bare reason)
 * or ERR_MEMORY; the file is as it was before.  f->output is released in any case.
 */
int dataset_file_commit(struct dataset_file *f, struct dataset *d, uint32_t whole,
			struct error *err);

#endif

/*
 * sv_indices.h - a file that says which rows of the training data a model's vectors are
 *
 * The file that randsvm-train --sv-indices writes: a number for each support vector, from 1, in the
 * order of the model, each on a line of its own.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdint.h>

#include "base/error.h"

/*
 * sv_indices_read() - row[j], from 0, of vector j < n_sv among the n_rows of the data
 *
 * Reads 'path' ("-": standard input), plain or gzipped; where n_rows is not known it is INT64_MAX.
 * Refused with ERR_FORMAT (text: `path:line: reason`) are words that are no number of 1 .. n_rows,
 * rows given twice, and fewer or more numbers than vectors; also ERR_IO, ERR_MEMORY.
 */
int sv_indices_read(const char *path, int64_t n_sv, int64_t n_rows, int64_t *row,
		    struct error *err);

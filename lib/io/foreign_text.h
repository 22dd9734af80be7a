/*
 * foreign_text.h - what a text that is not SVMlight's may be, and what helps
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_FOREIGN_TEXT_H
#define RANDSVM_FOREIGN_TEXT_H

#include <stdint.h>

/*
 * foreign_text_hint() - advice about the word at 'p', which is no part of an example
 *
 * 'line' is the start of its line, which ends in '\n'; 'p' is in it.  Returns a phrase to be put
 * behind a message, beginning with its punctuation; "" if the word looks like nothing known.
 * O(length of the line): for lines that are refused.
 */
const char *foreign_text_hint(const char *line, const char *p);

/*
 * foreign_packed_hint() - "packed by zstd; unpack it: ..." if the text begins as packed files do
 *
 * 'line' ends in '\n'.  NULL if it does not.
 */
const char *foreign_packed_hint(const char *line);

/*
 * foreign_file_hint() - likewise for 'size' bytes of a file that holds no rows of data
 *
 * "packed by zstd, and only gzip is unpacked here: zstd -d FILE".  NULL if it is none of these.
 */
const char *foreign_file_hint(const char *text, int64_t size);

#endif

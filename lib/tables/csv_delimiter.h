/*
 * csv_delimiter.h - what is between the fields of a table
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_CSV_DELIMITER_H
#define RANDSVM_CSV_DELIMITER_H

#include <stdbool.h>

/*
 * csv_guess_delimiter() - comma, tab, semicolon or bar, or ' ' for runs of blanks
 *
 * By the first records of [text, end), which is at least the beginning of the table.  O(their
 * length).  '*found' tells whether it fits; a text of one word a line has none that does.  Where it is
 * blanks, and texts seem to hold some, 0 is returned.
 */
char csv_guess_delimiter(const char *text, const char *end, bool *found);

#endif

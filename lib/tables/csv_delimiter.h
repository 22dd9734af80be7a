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
 * length).  '*n_more' tells how many more the second has of it than the first: 0; 1, if the first may
 * have no name for names of rows; or -1, if it does not fit.  Where it is blanks, and texts seem to hold
 * some, 0 is returned.  'decimal_comma' tells that numbers have one.
 */
char csv_guess_delimiter(const char *text, const char *end, bool decimal_comma, int *n_more);

#endif

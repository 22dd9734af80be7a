/*
 * unlike.h - how unlike two words are: what a misspelt option or choice was meant to be
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_UNLIKE_H
#define RANDSVM_UNLIKE_H

/* Largest number of characters that are compared; the names of all options are shorter. */
enum { UNLIKE_SIZE = 32 };

/*
 * unlike_name() - how unlike are a word of 'length' <= UNLIKE_SIZE letters and a name?
 *
 * The number of letters to insert, delete, replace or exchange with the next one; INT_MAX for a
 * longer name.  Names that begin with the word are as good as equal (0), since people cut long
 * words short.
 */
int unlike_name(const char *word, int length, const char *name);

/* unlike_limit() - distance below which two words are alike: at most one wrong letter of three */
int unlike_limit(int length);

#endif

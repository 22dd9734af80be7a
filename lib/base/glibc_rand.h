/*
 * glibc_rand.h - the numbers of srand() and rand() of the GNU C library, on any system
 *
 * LIBSVM draws folds by rand(), and what svm-train -v has printed is by this library's.  Here a state
 * belongs to a call: the process's rand() is left alone, and no thread waits for another.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdint.h>

enum { GLIBC_RAND_WORDS = 31 };

struct glibc_rand {
	uint32_t word[GLIBC_RAND_WORDS];
	int next; /* the word that is drawn next */
};

/* glibc_rand_seed() - as srand(seed); a program that never calls that has a seed of 1 */
void glibc_rand_seed(struct glibc_rand *r, unsigned seed);

/* glibc_rand_next() - as rand(), from 0 to 2^31 - 1; where 'r' is NULL the process's rand() itself */
int32_t glibc_rand_next(struct glibc_rand *r);

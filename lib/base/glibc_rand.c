/*
 * glibc_rand.c - the numbers of srand() and rand() of the GNU C library, on any system
 *
 * How this works.  An additive feedback generator, x^31 + x^3 + 1 of degree 31:
 *
 *     r_i = r_{i-3} + r_{i-31}  mod 2^32,    the number drawn is r_i / 2, rounded down
 *
 * The first words are those of the generator r_i = 16807 r_{i-1} mod (2^31 - 1) of Park and Miller,
 * begun with the seed, and the first 310 numbers are dropped.
 *
 * Source: Knuth, The Art of Computer Programming, volume 2, section 3.2.2; random(3), the type of
 * state of 128 bytes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/glibc_rand.h"

#include <stdlib.h>

enum { DISTANCE = 3, DROPPED = 310 };

void glibc_rand_seed(struct glibc_rand *r, unsigned seed)
{
	/* a seed from 2^31 on is a negative number, and so is what its remainder begins with */
	int64_t word = (int32_t)(seed ? seed : 1);

	r->word[0] = (uint32_t)word;
	for (int i = 1; i < GLIBC_RAND_WORDS; i++) {
		word = 16807 * word % INT32_MAX;
		if (word < 0)
			word += INT32_MAX;
		r->word[i] = (uint32_t)word;
	}
	r->next = DISTANCE;
	for (int i = 0; i < DROPPED; i++)
		glibc_rand_next(r);
}

int32_t glibc_rand_next(struct glibc_rand *r)
{
	uint32_t sum;

	if (!r)
		return rand();
	/* r_{i-31} is the oldest word, in whose place r_i comes */
	sum = r->word[r->next] +
	      r->word[(r->next + GLIBC_RAND_WORDS - DISTANCE) % GLIBC_RAND_WORDS];
	r->word[r->next] = sum;
	r->next = (r->next + 1) % GLIBC_RAND_WORDS;
	return (int32_t)(sum >> 1);
}

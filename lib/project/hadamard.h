/*
 * hadamard.h - the fast Walsh-Hadamard transform
 *
 *     (H x)_i = sum_j (-1)^popcount(i & j) x_j        n = 2^log2_n entries, H H = n I
 *
 * In place, additions and subtractions only: log2_n n of them.  They are those of the recursion
 * H [a; b] = [H (a + b); H (a - b)], so the results have the same bits on every machine.  The
 * halves are done one after the other, so whatever fits a cache stays there.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_HADAMARD_H
#define RANDSVM_HADAMARD_H

#include <stddef.h>
#include <stdint.h>

#define HADAMARD_GROUP 128

/*
 * hadamard_trimmed() - x becomes H x, or only some entries of it; 0 <= log2_n <= 30
 *
 * Entries i of the groups g = i / HADAMARD_GROUP with wanted[g] < wanted[g + 1] become those of
 * H x; the others are undefined.  'wanted' counts ascending, over n / HADAMARD_GROUP groups (at
 * least one); NULL: all.  Fastest where x is aligned to 64 bytes.
 *
 * Source: the recursion above, left out where a half is not wanted; Ailon and Liberty 2009,
 * Fast dimension reduction using Rademacher series on dual BCH codes.
 */
void hadamard_trimmed(double *x, int log2_n, const int32_t *wanted);
void hadamard_trimmed_single(float *x, int log2_n, const int32_t *wanted);

#endif

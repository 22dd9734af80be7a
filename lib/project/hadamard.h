/*
 * hadamard.h - the fast Walsh-Hadamard transform
 *
 *     (H x)_i = sum_j (-1)^popcount(i & j) x_j        n = 2^log2_n entries, H H = n I
 *
 * In place, by n log2_n additions and subtractions.  They are those of the recursion
 * H [a; b] = [H (a + b); H (a - b)], so the results have the same bits on every machine.  The
 * halves are transformed one after the other, so that a half that fits a cache stays in it.
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
 * H x; all other entries are undefined.  wanted[g] is the number of wanted groups before g, for
 * g = 0 .. n / HADAMARD_GROUP (at least 1); NULL: all are wanted.  Fastest where x is aligned to
 * 64 bytes.
 *
 * Source: the recursion above, omitted for a half of which nothing is wanted; Ailon and Liberty
 * 2009, Fast dimension reduction using Rademacher series on dual BCH codes.
 */
void hadamard_trimmed(double *x, int log2_n, const int32_t *wanted);
void hadamard_trimmed_single(float *x, int log2_n, const int32_t *wanted);

#endif

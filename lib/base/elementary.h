/*
 * elementary.h - logarithm, sine and cosine that are the same on every machine
 *
 * C libraries differ in the last bit, and between versions.  These use additions,
 * multiplications and divisions of doubles in a fixed order and nothing else: where doubles are
 * those of IEEE 754, the compiler does not fuse operations (-ffp-contract=off) and
 * FLT_EVAL_METHOD is 0, the results have the same bits everywhere.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_ELEMENTARY_H
#define RANDSVM_ELEMENTARY_H

/* elementary_log() - ln x for normal x > 0; relative error below 2^-50 */
double elementary_log(double x);

/*
 * elementary_circle() - cos(2 pi t) and sin(2 pi t)
 *
 * For |t| < 2^50.  Absolute error below 2^-51 if t is a multiple of 2^-53, whose distance from a
 * quarter of a turn is exact; others err by 2 pi times what that rounds.
 */
void elementary_circle(double t, double *cosine, double *sine);

#endif

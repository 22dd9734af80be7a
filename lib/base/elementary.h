/*
 * elementary.h - logarithm, sine and cosine that are the same on every machine
 *
 * C libraries differ from each other in the last bit, and from version to version.  The functions
 * here use only additions, multiplications and divisions of doubles in a fixed order.  Where
 * doubles are those of IEEE 754, the compiler does not fuse operations (-ffp-contract=off) and
 * FLT_EVAL_METHOD is 0, the results have the same bits everywhere.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

/* elementary_log() - ln x for normal x > 0; relative error below 2^-50 */
double elementary_log(double x);

/*
 * elementary_circle() - cos(2 pi t) and sin(2 pi t)
 *
 * For |t| < 2^50.  The absolute error is below 2^-51 if t is a multiple of 2^-53: its distance from
 * the nearest quarter of a turn is then exact.  For other t the rounding of that distance, times
 * 2 pi, comes on top.
 */
void elementary_circle(double t, double *cosine, double *sine);

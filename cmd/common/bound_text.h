/*
 * bound_text.h - bounds of an optimum as text, to the digits that are known
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_BOUND_TEXT_H
#define RANDSVM_BOUND_TEXT_H

/* Room for a text of a bound, with its final null. */
#define BOUND_TEXT_SIZE 64

/*
 * bound_text() - 'value' as svm-train prints objectives, less the digits that 'rounding' hides
 *
 * %f, or eight digits where %f would show few of them.  The last digit's unit is at least
 * 'rounding', a bound of the value's error: 1871846.4676 with an error of 4e-5, 1.3e+12 with one of
 * 2e10.  Returns 'text'.
 */
const char *bound_text(double value, double rounding, char text[BOUND_TEXT_SIZE]);

#endif

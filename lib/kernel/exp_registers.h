/*
 * exp_registers.h - the exponential of registers of doubles, the same bits on every machine
 *
 * For files of hot loops.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/hot_loop.h"

/*
 * Registers whose exponentials are computed in step: within one register each step of the
 * polynomial waits for the step before.
 */
#define STEP_REGISTERS 4

/*
 * exp(x) of n registers, for x <= 709: x = k ln 2 + r with |r| <= ln(2)/2; e^r by its Taylor
 * polynomial of degree 13 (truncation 4e-18); times 2^k through the exponent bits.  One
 * register's operations wait for each other; several in step keep the machine busy.
 */
INLINED void exp_registers(reg_double *x, int n)
{
	static const double inverse_factorial[] = { 1.0 / 6227020800,
						    1.0 / 479001600,
						    1.0 / 39916800,
						    1.0 / 3628800,
						    1.0 / 362880,
						    1.0 / 40320,
						    1.0 / 5040,
						    1.0 / 720,
						    1.0 / 120,
						    1.0 / 24,
						    1.0 / 6,
						    1.0 / 2,
						    1.0,
						    1.0 };
	const reg_double log2_e = ALL_DOUBLES(0x1.71547652b82fep0);
	const reg_double ln2_high = ALL_DOUBLES(0x1.62e42fee00000p-1),
			 ln2_low = ALL_DOUBLES(0x1.a39ef35793c76p-33);
	/* adding 1.5 2^52 rounds to an integer and leaves it in the low bits */
	const reg_double to_integer = ALL_DOUBLES(0x1.8p52);
	reg_double t[STEP_REGISTERS], r[STEP_REGISTERS], p[STEP_REGISTERS];

	for (int h = 0; h < n; h++) {
		reg_double k;

		t[h] = x[h] * log2_e + to_integer;
		k = t[h] - to_integer;
		r[h] = (x[h] - k * ln2_high) - k * ln2_low;
		p[h] = ALL_DOUBLES(inverse_factorial[0]);
	}
	for (int i = 1; i < 14; i++)
		for (int h = 0; h < n; h++)
			p[h] = p[h] * r[h] + ALL_DOUBLES(inverse_factorial[i]);
	for (int h = 0; h < n; h++) {
		reg_uint64 tiny = (reg_uint64)(x[h] < ALL_DOUBLES(-708.0));

		x[h] = (reg_double)(((reg_uint64)p[h] + ((reg_uint64)t[h] << 52)) & ~tiny);
	}
}

/*
 * hostile.h - the bytes of an input as decisions: numbers, sizes and names as no caller should give them
 *
 * One input at a time, of one thread.  Where the bytes end all decisions are 0, so that every input
 * is a whole sequence of calls.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_HOSTILE_H
#define RANDSVM_HOSTILE_H

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

static struct {
	const uint8_t *next, *end;
} decisions;

static inline void decide_by(const uint8_t *data, size_t size)
{
	decisions.next = data;
	decisions.end = data + size;
}

/* decide() - 0 .. n - 1, of at most 256 */
static inline int decide(int n)
{
	return decisions.next < decisions.end ? *decisions.next++ % n : 0;
}

/* once_in() - true once in n decisions, and not where the bytes have ended */
static inline bool once_in(int n)
{
	return decide(n) == n - 1;
}

static inline double hostile_number(void)
{
	static const double number[] = { 0,	 -1,	  NAN,	   INFINITY, -INFINITY, 1e308,
					 -1e308, DBL_MAX, DBL_MIN, 1e-9,     5e-324,	-5e-324,
					 1e155,	 1e-155,  1e20,	   2,	     0.5,	1e-320 };

	return number[decide(LENGTH(number))];
}

static inline int64_t hostile_count(void)
{
	static const int64_t count[] = { 0,	    -1,	       1,
					 2,	    INT_MAX,   (int64_t)INT_MAX + 1,
					 INT64_MAX, INT64_MIN, INT32_MAX - 1,
					 100000,    UINT32_MAX };

	return count[decide(LENGTH(count))];
}

static inline int hostile_int(void)
{
	static const int number[] = { 0, -1, 1, 2, 5, 17, INT_MAX, INT_MIN, 1000, 64 };

	return number[decide(LENGTH(number))];
}

/* tame_number() - small, of either sign, many of them equal */
static inline double tame_number(void)
{
	return (decide(65) - 32) / 16.0;
}

#endif

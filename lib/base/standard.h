/*
 * standard.h - what nearly every file uses: the headers of C, and arithmetic.h, which C lacks
 *
 * Reached through base/error.h by all that can fail, so that no file lists them again: a file
 * includes what is ours, and beside that what is of the system (unistd.h, pthread.h, zlib.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"

/* number of elements of an array, which is no parameter */
#define N_ELEMENTS(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* behind a parameter that the function does not need, but its type has */
#define UNUSED __attribute__((unused))

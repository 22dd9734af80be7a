/*
 * liblinear_adapter.c - LIBLINEAR as a library
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linear/liblinear_adapter.h"

#include <linear.h>

int liblinear_version_number(void)
{
	return liblinear_version;
}

/*
 * test_decimal_32.c - the tests of decimal.c as it is for machines of 32 bits
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#undef __SIZEOF_INT128__
#include "base/decimal.c"

#include "test_decimal.c"

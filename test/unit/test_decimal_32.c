/*
 * test_decimal_32.c - the tests of decimals as they are read and written for machines of 32 bits
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#undef __SIZEOF_INT128__
#include "base/decimal_power.c"
#include "base/decimal_read.c"
#include "base/decimal_write.c"

#include "test_decimal.c"

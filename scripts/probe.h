/*
 * probe.h - what the compiler offers, asked by preprocessing this file
 *
 *     cc -E -P -x c scripts/probe.h
 *
 * leaves one word a line for each thing found.  The Makefile reads them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#if defined(__x86_64__) && (__GNUC__ >= 11 || __clang_major__ >= 12)
x86_64_levels
#endif
#if __has_include(<isa-l.h>)
isal
#endif

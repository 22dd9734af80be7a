/*
 * probe.h - find out features of the compiler and headers by preprocessing this file
 *
 *     cc -E -P -x c scripts/probe.h
 *
 * prints one word per line for each feature and optional library found, and no_NAME for each without
 * which nothing compiles and whose header is not found.  The Makefile reads these words.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#if defined(__x86_64__) && (__GNUC__ >= 11 || __clang_major__ >= 12)
x86_64_levels
#endif
#ifdef __i386__
x87
#endif
#ifdef __clang__
	clang
#endif
#if defined(__OPTIMIZE__) && !defined(_FORTIFY_SOURCE)
	fortify
#endif
#if defined(__x86_64__) || (defined(__GNUC__) && !defined(__clang__))
	stack_clash
#endif
#if __has_include(<isa-l.h>)
		isal
#endif
#if !__has_include(<stdio.h>)
no_libc
#endif
#if __has_include(<libsvm/svm.h>) || __has_include(<svm.h>)
libsvm
#endif
#if __has_include(<linear.h>)
liblinear
#endif
#if !__has_include(<zlib.h>)
no_zlib
#endif

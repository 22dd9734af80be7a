/*
 * asked_kernel.h - a kernel of objects that are the caller's: its values are asked for
 *
 *     row of a matrix   0:1   0:2   0:3      column 0: the number of its object, counted from 1
 *     value             K(object 2, object 0): the caller's function says it
 *
 * Strings, graphs, molecules: what they are only the caller knows.  Values are taken to cost much
 * more than what is done with them, a millisecond each, and are kept: the function is asked for
 * K(i, j) or for K(j, i), not for both, and once while memory suffices.
 *
 * Threads may share a kernel; they wait for each other.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "base/error.h"

/* struct kernel_function - what the caller gives */
struct kernel_function {
	/* value[b] = K(i, j[b]) for n objects j; other than 0 if it fails, which ends what asks */
	int (*values)(void *arg, int64_t i, const int64_t *j, int64_t n, double *value);
	void *arg;
	double error; /* a value differs from K(i, j) by at most error sqrt(K(i, i) K(j, j)) */
};

struct asked_kernel {
	struct kernel_function by;
	int64_t n;    /* number of objects, 0 .. n - 1 */
	double **row; /* values of object i with all others, NAN: not known; NULL: none are kept */
	double *diagonal;	   /* K(i, i), NAN: not known */
	int64_t n_rows, most_rows; /* number of rows that are kept, and that may be */
	atomic_bool is_symmetric;  /* somebody has looked */
	atomic_llong n_asked;	   /* number of values that the function was asked for */
	atomic_int n_users;	   /* who copies the pointer adds one */
	pthread_mutex_t lock;
};

/*
 * asked_kernel_new() - the kernel of n objects, with one user
 *
 * Keeps 8 n bytes for each object that it is asked about, and an eighth of the memory at most; then
 * it forgets all of them.  NULL with ERR_MEMORY.
 */
struct asked_kernel *asked_kernel_new(const struct kernel_function *by, int64_t n,
				      struct error *err);

/* asked_kernel_free() - one user less; without any it is freed.  NULL is fine. */
void asked_kernel_free(struct asked_kernel *k);

/* Values K(i, j) that somebody wants, for n objects j. */
struct asked_row {
	int64_t i, n;
	const int64_t *j;
	const int64_t *object; /* j are rows, which are objects object[j]; NULL: they are objects */
	/* all, which are objects, are asked for, and not kept; else those that are not known */
	bool anew;
};

/*
 * asked_kernel_values() - value[b] = K(i, j[b])
 *
 * Fails with ERR_ARGUMENT if the function does, or is asked within a call of itself; with
 * ERR_NUMERIC where a value is not finite, naming the objects; or with ERR_MEMORY.
 */
int asked_kernel_values(struct asked_kernel *k, struct asked_row q, double *value,
			struct error *err);

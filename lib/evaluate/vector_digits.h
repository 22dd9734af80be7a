/*
 * vector_digits.h - what the digits of support vectors in a model file are worth
 *
 * svm-train writes 8 digits of a value.  Where the values of a feature have a large part in common,
 * as numbers of customers and times have, the file is another model than the one that was trained.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/error.h"
#include "kernel/expansion.h"
#include "matrix/csr.h"
#include "problem/solution.h"

/* vectors_round() - values as they are read back from svm-train's files, which have 8 digits */
void vectors_round(struct csr *x);

/*
 * vectors_evaluate() - decision values, without the constants, of some rows by the vectors 'sv' of 's'
 *
 * Fails with ERR_MEMORY, or as expansion_init() does.
 */
int vectors_evaluate(const struct kernel *kernel, const struct solution *s, const struct csr *sv,
		     struct row_view rows, double *value, int n_threads, struct error *err);

/*
 * vectors_change() - how far decision values are off where a file has vectors 'filed' for 'sv'
 *
 * '*change' is the largest |f(x; filed) - f(x; sv)| of all decision functions over vectors x of
 * 'sv', of which some hundred are tried, evenly spread; 0 if, and only if, both are the same to the
 * last bit.
 * Both have the s->n_sv vectors of 's'.  O(hundreds of n_sv kernel values).  Fails with ERR_MEMORY,
 * or as expansion_init() does.
 */
int vectors_change(const struct kernel *kernel, const struct solution *s, const struct csr *sv,
		   const struct csr *filed, int n_threads, double *change, struct error *err);

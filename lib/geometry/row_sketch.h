/*
 * row_sketch.h - the row space of a few random combinations of the rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_ROW_SKETCH_H
#define RANDSVM_ROW_SKETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "geometry/row_space.h"

#define ROW_SKETCH_ROWS 256 /* t, unless another is wanted */

struct row_sketch_options {
	int64_t n_rows; /* t >= 1 */
	uint64_t seed;
	struct row_space_options space;
};

/*
 * row_sketch_space() - the basis of the rows of X^ = G X into the empty '*s'
 *
 * G is t x n, its entries independent N(0, 1): column i of it belongs to row i of 'x', pair b of
 * that column being draw (i, b) of RNG_SKETCH_ROWS.  The rank is t, if that of X is not less;
 * directions with large singular values are in the space nearly, those with small ones partly.
 * Where n or the features that occur are no more than t the space is that of X itself,
 * row_space_init()'s, and *sketched is false.  Spectral sparsification of the space (bss.h) is
 * approximate BSS; it needs more features than t.
 *
 * s->n_rows is n, s->singular_value that of G X.  As there, vectors are made of the entries of
 * their columns if n <= d, else stored; neither X nor (n <= d, but for QR) X^ is ever held full.
 * Entries t + d t^2 + n t and 9 t^3.  Memory: 8 t min(n, d) bytes (QR: + 8 t d) and 24 an entry;
 * the former is bounded by max_bytes.  The bits do not depend on the number of threads.
 * Errors as row_space_init().
 *
 * Source: Paul, Magdon-Ismail, Drineas 2015, Feature Selection for Linear SVM with Provable
 * Guarantees, section 4.3 (approximate BSS).
 */
int row_sketch_space(struct row_space *s, const struct csr *x,
		     const struct row_sketch_options *options, bool *sketched, struct error *err);

#endif

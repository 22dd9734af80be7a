/*
 * row_sketch.h - the row space of a few random combinations of the rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "geometry/row_space.h"

#define ROW_SKETCH_ROWS 256 /* default of t, the number of sketch rows */

struct row_sketch_options {
	int64_t n_rows; /* number t >= 1 of sketch rows */
	uint64_t seed;
	struct row_space_options space;
};

/*
 * row_sketch_space() - the basis of the rows of X^ = G X into the empty '*s'
 *
 * G is t x n with independent N(0, 1) entries.  Its column i belongs to row i of 'x', and pair b of
 * that column is draw (i, b) of RNG_SKETCH_ROWS.  The rank of X^ is t, or that of X if this is
 * less.  Directions of X with large singular values lie almost in the space, those with small ones
 * partly.  If n or the number of features that occur is at most t, the space is that of X itself,
 * by row_space_init(), and *sketched is false.  Spectral sparsification of the space (bss.h) is
 * approximate BSS; it chooses more than t features.
 *
 * s->n_rows is n; s->singular_value has the singular values of G X.  Vectors of features are made
 * from the entries of their columns if n <= d, else stored.  X is never held full; X^ only if n > d
 * or for QR.  Operations: entries t + d t^2 + n t + 9 t^3.  Memory: 8 t min(n, d) bytes, which
 * max_bytes bounds (QR: 8 t d more), and 24 an entry.  The bits do not depend on the number of
 * threads.  Errors as row_space_init().
 *
 * Source: Paul, Magdon-Ismail, Drineas 2015, Feature Selection for Linear SVM with Provable
 * Guarantees, section 4.3 (approximate BSS).
 */
int row_sketch_space(struct row_space *s, const struct csr *x,
		     const struct row_sketch_options *options, bool *sketched, struct error *err);

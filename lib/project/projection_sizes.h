/*
 * projection_sizes.h - how many columns a random projection needs, by the theorems
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_PROJECTION_SIZES_H
#define RANDSVM_PROJECTION_SIZES_H

#include <stdint.h>

#include "project/projection.h"

/*
 * sizes_of_theorem() - the number of columns of a theorem O(...), with 1 for its unknown constant
 *
 *     fht   rho epsilon^-2 log(rho / delta) log(rho epsilon^-2 delta^-1 log(rho / delta))
 *     cw    rho epsilon^-4 log(rho / (delta epsilon)) (rho + log(1 / (delta epsilon)))
 *     rs    rho epsilon^-2 log(rho) log(n_features)
 *
 * are enough, times a constant, for E <= epsilon <= 1 with probability 1 - delta (rs: 1 - 1/n),
 * where E is the error of inner products in a row space of rank rho.  NAN for other methods, and
 * for rs where n_features is unknown (0) or a logarithm is 0.
 *
 * Source: Paul, Boutsidis, Magdon-Ismail, Drineas 2013, equations 7 to 9.
 */
double sizes_of_theorem(enum projection_method method, int64_t rank, double epsilon, double delta,
			int64_t n_features);

#endif

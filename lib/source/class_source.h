/*
 * class_source.h - kernel values of a pair of classes, by what is kept for all pairs
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "problem/kernel_source.h"
#include "source/class_tiles.h"

/*
 * struct class_source - source of a problem whose examples are all of class a, then all of class b
 */
struct class_source {
	struct kernel_source base;
	struct class_pair pair;
};

/* class_source_make() - 'floats' is the float_source of the rows that the tiles are made of */
struct class_source class_source_make(struct class_pair pair, const struct kernel_source *floats);

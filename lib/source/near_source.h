/*
 * near_source.h - the kernel values of a narrow kernel that are not next to 0
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/near_matrix.h"
#include "problem/kernel_source.h"

/*
 * struct near_source - source that has the kernel values of all examples of one problem, borrowed
 */
struct near_source {
	struct kernel_source base;
	const struct near_matrix *values;
};

/* near_source_make() - 'floats' is the float_source that the values were computed from */
struct near_source near_source_make(const struct near_matrix *values,
				    const struct kernel_source *floats);

/* near_source_is() - is 'source' a struct near_source? */
bool near_source_is(const struct kernel_source *source);

/*
 * near_source_serves() - is the kernel narrow, for rows row[0 .. n - 1] of 'floats', so that their
 * values may be kept?  By near_matrix_serves() on few of them; -1 with an error.
 */
int near_source_serves(const struct kernel_source *floats, const int64_t *row, int64_t n,
		       bool *serves, struct error *err);

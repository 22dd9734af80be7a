/*
 * shifted_data.h - the rows of an rbf kernel less what all values of a column have in common
 *
 *     exp(-gamma |x - z|^2) = exp(-gamma |(x - c) - (z - c)|^2)
 *
 * Times in milliseconds have 13 digits and differ in the last ones.  Products of such rows are too
 * coarse for their distances (kernel_is_far()), sums over coordinates (kernel_lanes.h) take many
 * times as long, and neither has to be: a shift of all rows changes no distance.
 *
 * A column is shifted by its value c of the smallest size if each row has an entry there, all of
 * one sign, and c is some hundred times their range.  So sparse rows stay sparse, and since a
 * difference of two doubles within a factor of two is a double (Sterbenz 1974), the shift rounds
 * nothing: distances are those of the rows as they were.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_SHIFTED_DATA_H
#define RANDSVM_SHIFTED_DATA_H

#include "base/error.h"
#include "kernel/kernel.h"
#include "matrix/dataset.h"

/* A data set whose arrays are another's, but for the values where these are shifted. */
struct shifted_data {
	struct dataset data; /* to be read; not to be freed */
	double *val; /* the values of 'data' where they are its own; NULL: none are shifted */
};

/*
 * shifted_data_init() - s->data = the rows of 'd', shifted if kernel_has_far() of them
 *
 * 'd' must outlive '*s'.  O(entries); 8 bytes an entry where rows are shifted.  Returns 0, or -1
 * with ERR_MEMORY and '*s' empty.
 */
int shifted_data_init(struct shifted_data *s, const struct dataset *d, const struct kernel *kernel,
		      struct error *err);

void shifted_data_free(struct shifted_data *s);

#endif

/*
 * shifted_data.h - rows less what all values of a column have in common
 *
 *     rbf      exp(-gamma |x - z|^2) = exp(-gamma |(x - c) - (z - c)|^2)
 *     linear   w.x + b = w.(x - c) + (b + w.c), where a machine's constant b is free
 *
 * Times in milliseconds have 13 digits and differ in the last ones.  Products of such rows are too
 * coarse for their distances (kernel_is_far()) and for decision values, sums over coordinates
 * (kernel_lanes.h) take many times as long, and neither has to be: a shift of all rows changes no
 * distance.
 *
 * A column is shifted by its value c of the smallest size if each row has an entry there, all of
 * one sign, and c is some hundred times their range.  So sparse rows stay sparse, and since a
 * difference of two doubles within a factor of two is a double (Sterbenz 1974), the shift rounds
 * nothing: distances are those of the rows as they were.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "matrix/dataset.h"

/* A data set whose arrays are another's, but for the values where these are shifted. */
struct shifted_data {
	struct dataset data; /* to be read; not to be freed */
	double *val; /* the values of 'data' where they are its own; NULL: none are shifted */
};

/*
 * shifted_data_init() - s->data = the rows of 'd', shifted if an rbf kernel of this gamma has far ones
 *
 * Of another kernel 'gamma' is the measure of what is far, and 0 where rows are not to be shifted.
 * 'd' must outlive '*s'.  O(entries); 8 bytes an entry where rows are shifted.  Returns 0, or -1
 * with ERR_MEMORY and '*s' empty.
 */
int shifted_data_init(struct shifted_data *s, const struct dataset *d, double gamma,
		      struct error *err);

void shifted_data_free(struct shifted_data *s);

/*
 * projected.h - rows of a matrix by a random projection, for tests
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_PROJECTED_H
#define RANDSVM_PROJECTED_H

#include <stdint.h>
#include <stdlib.h>

#include "matrix/dataset.h"
#include "project/projection.h"
#include "unit.h"

/*
 * project_rows() - x R in '*out', which may hold rows from before; what is returned borrows it
 *
 * A row has 'n_columns' values, those of the features 1 and on.
 */
static inline struct csr project_rows(struct row_batch *out, const struct csr *x,
				      const struct projection_options *options)
{
	double *label = calloc((size_t)x->n_rows + 1, sizeof(*label));
	const struct row_batch in = csr_as_batch(x, label);
	struct map_room room = { .cache_bytes = 1 << 18 };
	struct projection map = { 0 };
	struct error err = { 0 };

	CHECK(projection_init(&map, options, &err) == 0 &&
		      projection_apply(&map, (struct row_range){ &in, 0, in.n_rows }, out, &room,
				       &err) == 0,
	      "%s", err.text);
	projection_free(&map);
	map_room_free(&room);
	free(label);
	return csr_of_batch(out, options->n_columns + 1);
}

#endif

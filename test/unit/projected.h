/*
 * projected.h - rows of a matrix by a random projection, for tests
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_PROJECTED_H
#define RANDSVM_PROJECTED_H

#include <stdint.h>
#include <stdlib.h>

#include "matrix/csr.h"
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
	const struct row_batch in = { .n_rows = x->n_rows,
				      .n_entries = csr_n_entries(x),
				      .max_index = x->n_cols - 1,
				      .label = label,
				      .row_start = x->row_start,
				      .index = x->col,
				      .value = x->val };
	struct projection_room room = { .cache_bytes = 1 << 18 };
	struct projection map = { 0 };
	struct error err = { 0 };

	CHECK(projection_init(&map, options, &err) == 0 &&
		      projection_apply(&map, (struct row_range){ &in, 0, in.n_rows }, out, &room,
				       &err) == 0,
	      "%s", err.text);
	projection_free(&map);
	projection_room_free(&room);
	free(label);
	return (struct csr){ .n_rows = out->n_rows,
			     .n_cols = options->n_columns + 1,
			     .row_start = out->row_start,
			     .col = out->index,
			     .val = out->value };
}

#endif

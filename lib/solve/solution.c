/*
 * solution.c - what training found
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solve/solution.h"

#include <stdlib.h>

void solution_free(struct solution *s)
{
	free(s->sv_row);
	free(s->n_sv_of_class);
	free(s->label);
	free(s->coef);
	free(s->rho);
	free(s->prob_a);
	free(s->prob_b);
	free(s->density_marks);
	*s = (struct solution){ 0 };
}

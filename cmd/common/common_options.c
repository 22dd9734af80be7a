/*
 * common_options.c - the options that several programs share, and what they hold
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "common_options.h"

#include "process.h"

void common_options_init(struct common_options *c)
{
	c->n_threads = thread_default_count();
}

struct rows_options common_rows_options(const struct common_options *c)
{
	return (struct rows_options){ .strict = c->strict, .allow_nonfinite = c->allow_nonfinite };
}

void common_warn_weights(const struct training *t, const int *label, int n)
{
	for (int k = 0; k < t->n_weights; k++) {
		int c = 0;

		while (c < n && label[c] != t->weight[k].label)
			c++;
		if (c == n)
			cli_warn("WARNING: class label %d specified in weight is not found",
				 t->weight[k].label);
	}
}

/*
 * common_options.c - the options that several programs share, and what they hold
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "common_options.h"

void common_options_init(struct common_options *c)
{
	c->n_threads = thread_default_count();
}

struct rows_options common_rows_options(const struct common_options *c)
{
	return (struct rows_options){ .strict = c->strict, .allow_nonfinite = c->allow_nonfinite };
}

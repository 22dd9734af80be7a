/*
 * dealt_service.c - what other ranks than 0 do of pairs of classes that are dealt to them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/dealt_pairs.h"

#include "base/clock.h"
#include "ranks/rank_rows.h"
#include "train/machine.h"

static double seconds_left(void *deadline)
{
	return *(const double *)deadline - clock_seconds(CLOCK_MONOTONIC);
}

static bool is_over(void *deadline)
{
	return seconds_left(deadline) <= 0;
}

void dealt_service_run(struct rank_rows *ranks)
{
	struct dealt_terms terms;
	struct dataset data = { 0 };
	struct machine_given given;
	struct machine m = { .weight = NULL };
	struct byte_buffer pairs = { 0 };
	struct error err = { 0 };
	struct fields out = fields_writer(&pairs, &err);
	const struct interruption end = { is_over, &terms.end, seconds_left };

	if (dealt_pairs_share(ranks, &terms, &data, &err)) {
		terms.end += clock_seconds(CLOCK_MONOTONIC);
		terms.options.n_threads = ranks->n_threads;
		given = (struct machine_given){ .training = terms.training,
						.options = terms.options,
						.cache_mb = terms.cache_mb,
						.gamma_is_given = true,
						.interruption = &end };
		machine_init(&m, &data, &given, &err);
		m.solver.rows_mb = terms.rows_mb;
		m.trainer.certifies = terms.certifies;
		m.trainer.ranks = ranks;
		m.trainer.out = &out;
		if (err.code == ERR_NONE)
			trainer_run(&m.trainer, &m.classes, NULL, NULL, &err);
		dealt_pairs_gather(ranks, &pairs, &err);
	}
	machine_free(&m);
	byte_buffer_free(&pairs);
	mem_free((void *)terms.training.weight);
	dataset_free(&data);
}

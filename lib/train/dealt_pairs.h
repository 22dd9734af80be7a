/*
 * dealt_pairs.h - pairs of classes that are dealt to ranks, each of which trains its pairs alone
 *
 *     rank 0, in trainer_run()             other ranks
 *     dealt_pairs_begin()           -->    dealt_service_run()    what is trained, and all rows
 *     its own pairs                        trainer_run(): their pairs, as a checkpoint has them
 *     dealt_pairs_gather()          <--                           what is written of these
 *     the other pairs, as read
 *
 * A failure of a rank fails the training.  A limit of time ends all ranks; of other interruptions only
 * rank 0 knows, which awaits the others.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "train/trainer.h"

/* What rank 0 trains by, sent as it is; pointers in it are of no use to others. */
struct dealt_terms {
	struct training training;
	struct randsvm_options options;
	double cache_mb, rows_mb;
	double end; /* seconds until the end; then its time on a rank's clock */
	bool certifies;
};

/*
 * dealt_pairs_share() - rank 0's terms and rows to all ranks, each of which makes this call
 *
 * The weights of the training and the empty '*d' are for the others to free, after a failure too.
 * False, on all ranks, where one has no memory.
 */
bool dealt_pairs_share(struct rank_rows *ranks, struct dealt_terms *t, struct dataset *d,
		       struct error *err);

/* dealt_pairs_begin() - the ranks of the trainer begin; -1 with ERR_MEMORY: no rank has begun */
int dealt_pairs_begin(const struct trainer *t, struct error *err);

/*
 * dealt_pairs_gather() - what the other ranks have written, one after another, into the empty '*all'
 *
 * Must follow dealt_pairs_begin().  '*err' is what has failed on rank 0 before, if anything: -1 then, and
 * where another rank has failed, or with ERR_MEMORY.
 */
int dealt_pairs_gather(struct rank_rows *ranks, struct byte_buffer *all, struct error *err);

/* ---- dealt_service.c ---- */

/* dealt_service_run() - RANK_PAIRS: train some pairs on another rank than 0; failures go to rank 0 */
void dealt_service_run(struct rank_rows *ranks);

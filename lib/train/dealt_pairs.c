/*
 * dealt_pairs.c - pairs of classes that are dealt to ranks, each of which trains its pairs alone
 *
 * All that pairs are trained by is sent, so that each is trained as in one process: it has its number, its
 * seed and its order of examples, and kernel values of the same bits.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/dealt_pairs.h"

#include "ranks/rank_messages.h"
#include "ranks/rank_rows.h"

bool dealt_pairs_share(struct rank_rows *ranks, struct dealt_terms *t, struct dataset *d,
		       struct error *err)
{
	struct rank_group *g = ranks->group;
	struct training *training = &t->training;
	const struct rank_part *last = &ranks->part[ranks->n_parts - 1];
	const int64_t n = last->first + last->n, size = sizeof(double);

	rank_group_broadcast(g, t, sizeof(*t));
	if (g->rank > 0) {
		training->weight = mem_array(training->n_weights, sizeof(*training->weight), err);
		d->y = mem_array(n, size, err);
		d->x = (struct csr){ .n_rows = n, .n_cols = ranks->own.n_cols };
		csr_reserve(&d->x, n, last->first_entry + last->sum.n_entries, err);
	}
	if (!rank_agree(ranks, err))
		return false;
	rank_group_broadcast(g, (void *)training->weight,
			     training->n_weights * (int64_t)sizeof(*training->weight));
	rank_group_broadcast(g, d->y, n * size);
	rank_group_broadcast(g, d->x.row_start, (n + 1) * size);
	rank_group_broadcast(g, d->x.col, csr_n_entries(&d->x) * (int64_t)sizeof(*d->x.col));
	rank_group_broadcast(g, d->x.val, csr_n_entries(&d->x) * size);
	return true;
}

int dealt_pairs_begin(const struct trainer *t, struct error *err)
{
	struct dealt_terms terms = { .training = *t->training,
				     .options = *t->options,
				     .cache_mb = t->solver->cache_mb,
				     .rows_mb = t->solver->rows_mb,
				     .end = interruption_seconds_left(t->solver->interruption),
				     .certifies = t->certifies };

	t->ranks->n_requests++;
	rank_announce(t->ranks->group, (struct rank_message){ .command = RANK_PAIRS });
	return dealt_pairs_share(t->ranks, &terms, (struct dataset *)t->data, err) ? 0 : -1;
}

int dealt_pairs_gather(struct rank_rows *ranks, struct byte_buffer *all, struct error *err)
{
	struct rank_group *g = ranks->group;

	for (int rank = 1; rank < g->size; rank++) {
		int64_t size = all->size;

		rank_group_share(g, rank, &size, sizeof(size));
		if (g->rank == 0)
			byte_buffer_reserve(all, size, err);
		if (!rank_agree(ranks, err))
			return -1;
		rank_move_elements(g, (struct rank_move){ rank, 0, 0, all->size, size }, all->bytes,
				   all->bytes, 1);
		all->size += g->rank == 0 ? size : 0;
	}
	return 0;
}

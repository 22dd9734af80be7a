/*
 * rank_rows.c - rows of the data, each with one of the ranks
 *
 * How rows come.  Each rank fills in its own parts of the table as it gets them.  In the end, on all
 * ranks:
 *
 *     agree; or else all rows are dropped
 *     each part from its rank to all: the table                                                 (1)
 *     rank 0 makes room for what it keeps of each row; agree                                    (2)
 *     labels, norms, hashes, starts of each part, from its rank to rank 0                       (3)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ranks/rank_rows.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/mem_bound.h"
#include "io/gzip.h"
#include "kernel/float_sums.h"
#include "linear/linear_rows.h"
#include "ranks/rank_messages.h"

int rank_rows_init(struct rank_rows *rows, struct rank_group *group, int n_threads,
		   struct error *err)
{
	*rows = (struct rank_rows){ .group = group, .n_threads = n_threads };
	if (group->rank == 0)
		rows->record = mem_zeroed(group->size, sizeof(*rows->record), err);
	return err->code == ERR_NONE ? 0 : -1;
}

void rank_rows_drop(struct rank_rows *rows)
{
	float_vectors_drop_tiles(&rows->floats);
	float_vectors_free(&rows->floats);
	csr_free(&rows->own);
	dataset_free(&rows->got);
	mem_free_all(rows->part, rows->norm2, rows->hash);
	*rows = (struct rank_rows){ .group = rows->group,
				    .n_threads = rows->n_threads,
				    .sum_seconds = rows->sum_seconds,
				    .record = rows->record };
}

void rank_rows_free(struct rank_rows *rows)
{
	rank_rows_drop(rows);
	mem_free(rows->record);
	*rows = (struct rank_rows){ 0 };
}

/* ---- agreement ---- */

/* What a rank has to say: its failure, if any, the name of its machine, and its figures. */
struct answer {
	struct error err;
	char host[64];
	struct rank_record record;
};

bool rank_agree(struct rank_rows *rows, struct error *err)
{
	struct rank_group *g = rows->group;
	struct answer a = { .err = *err };
	struct mem_usage usage;
	int go;

	mem_usage(&usage);
	gethostname(a.host, sizeof(a.host) - 1);
	a.record = (struct rank_record){ rows->n_own, rows->sum_seconds,
					 clock_seconds(CLOCK_PROCESS_CPUTIME_ID), usage.peak };
	if (g->rank > 0)
		rank_group_send(g, 0, &a, sizeof(a));
	/* all are heard, also after a failure: an answer left unread would be taken for the next */
	for (int rank = 0; g->rank == 0 && rank < g->size; rank++) {
		if (rank > 0)
			rank_group_receive(g, rank, &a, sizeof(a));
		rows->record[rank] = a.record;
		/* the first failure is kept: that of rank 0 is not noted again */
		if (a.err.code != ERR_NONE)
			error_set_remedy(err, a.err.code, a.err.remedy, "rank %d of %d: %s: %s",
					 rank, g->size, a.host, a.err.text);
	}
	go = err->code == ERR_NONE;
	rank_group_broadcast(g, &go, sizeof(go));
	return go;
}

/* ---- how rows come ---- */

int rank_rows_open(struct rank_rows *rows, int64_t rank, struct error *err)
{
	/* its rows come behind those that this rank has */
	const struct rank_part p = { .rank = rank,
				     .at = rows->got.x.n_rows,
				     .entries_at = csr_n_entries(&rows->got.x) };

	if (mem_grow(&rows->part, &rows->parts_capacity, rows->n_parts + 1, sizeof(p), err) < 0)
		return -1;
	rows->part[rows->n_parts++] = p;
	return 0;
}

int rank_rows_add(void *arg, struct row_batch *b, void *user UNUSED, struct error *err)
{
	struct rank_rows *rows = arg;
	struct rank_part *p = &rows->part[rows->n_parts - 1];

	if (dataset_append(&rows->got, b, err) < 0)
		return -1;
	p->n += b->n_rows;
	p->has_qid |= b->has_qid;
	rows_checksum_add(&p->sum, (struct row_range){ b, 0, b->n_rows });
	return 0;
}

/* (1): the table of parts, and what follows from it for all rows */
static void share_parts(struct rank_rows *rows, struct dataset *all)
{
	int64_t n_entries = 0;

	for (int64_t k = 0; k < rows->n_parts; k++) {
		struct rank_part *p = &rows->part[k];

		rank_group_share(rows->group, (int)p->rank, p, sizeof(*p));
		p->first = all->x.n_rows;
		p->first_entry = n_entries;
		n_entries += p->sum.n_entries;
		rows->sum.features = checksum_join(rows->sum.features, p->sum.features,
						   p->sum.n_entries * (int64_t)sizeof(*all->x.col));
		rows->sum.values = checksum_join(rows->sum.values, p->sum.values,
						 p->sum.n_entries * (int64_t)sizeof(*all->x.val));
		all->x.n_rows += p->n;
		all->max_index = int64_max(all->max_index, p->sum.max_index);
		all->has_qid |= p->has_qid;
	}
	all->x.n_cols = n_entries > 0 ? all->max_index + 1 : 0;
	rows->own.n_cols = all->x.n_cols;
}

/* (2): room on rank 0 for what is known of each row */
static void make_room(struct rank_rows *rows, struct dataset *d, struct error *err)
{
	struct csr *x = &d->x;

	rows->norm2 = mem_array(x->n_rows, sizeof(*rows->norm2), err);
	rows->hash = mem_array(x->n_rows, sizeof(*rows->hash), err);
	mem_grow(&d->y, &d->labels_capacity, x->n_rows, sizeof(*d->y), err);
	mem_grow(&x->row_start, &x->starts_capacity, x->n_rows + 1, sizeof(*x->row_start), err);
	if (x->n_rows == 0)
		error_set(err, ERR_FORMAT, "no examples");
}

/* (3): what is known of each row; a rank counts entries from its own first one */
static void gather_outline(struct rank_rows *rows, const double *norm2, const uint64_t *hash,
			   struct dataset *all)
{
	struct rank_group *g = rows->group;
	int64_t *start = all->x.row_start;

	for (int64_t k = 0; k < rows->n_parts; k++) {
		const struct rank_part *p = &rows->part[k];
		struct rank_move m = { (int)p->rank, 0, p->at, p->first, p->n };

		rank_move_elements(g, m, rows->got.y, all->y, sizeof(*all->y));
		rank_move_elements(g, m, norm2, rows->norm2, sizeof(*norm2));
		rank_move_elements(g, m, hash, rows->hash, sizeof(*hash));
		/* the start of the first row is the end of the one before */
		m.n++;
		rank_move_elements(g, m, rows->own.row_start, start, sizeof(*start));
		for (int64_t i = 0; g->rank == 0 && i < m.n; i++)
			start[p->first + i] += p->first_entry - p->entries_at;
	}
}

int rank_rows_settle(struct rank_rows *rows, struct error *err)
{
	struct dataset none = { 0 }, *all = rows->data ? rows->data : &none;
	struct csr *own = &rows->own;
	double *norm2 = mem_array(rows->got.x.n_rows, sizeof(*norm2), err);
	uint64_t *hash = mem_array(rows->got.x.n_rows, sizeof(*hash), err);
	bool agreed;

	/* also a rank without rows has a first start */
	csr_reserve(&rows->got.x, 0, 0, err);
	csr_shrink(&rows->got.x);
	*own = rows->got.x;
	rows->n_own = own->n_rows;
	rows->got.x = (struct csr){ 0 };
	for (int64_t i = 0; err->code == ERR_NONE && i < own->n_rows; i++) {
		norm2[i] = csr_row_norm2(own, i);
		hash[i] = csr_row_hash(own, i, false);
	}
	agreed = rank_agree(rows, err);
	if (agreed) {
		share_parts(rows, all);
		if (rows->data)
			make_room(rows, all, err);
		agreed = rank_agree(rows, err);
	}
	if (agreed) {
		gather_outline(rows, norm2, hash, all);
		dataset_free(&rows->got);
	} else {
		dataset_free(all);
		rank_rows_drop(rows);
	}
	mem_free_all(norm2, hash);
	return agreed ? 0 : -1;
}

/* ---- all rows ---- */

const struct rank_part *rank_rows_part(const struct rank_rows *rows, int64_t row,
				       const struct rank_part *near)
{
	int64_t low = 0, high = rows->n_parts - 1;

	if (row >= near->first && row < near->first + near->n)
		return near;
	while (low < high) {
		int64_t middle = low + (high - low + 1) / 2;

		if (rows->part[middle].first <= row)
			low = middle;
		else
			high = middle - 1;
	}
	return &rows->part[low];
}

int rank_rows_bring_all(struct rank_rows *rows, struct error *err)
{
	struct rank_group *g = rows->group;
	struct csr none = { 0 }, *all = rows->data ? &rows->data->x : &none;

	rank_announce(g, (struct rank_message){ .command = RANK_BRING });
	if (rows->data)
		csr_reserve(all, all->n_rows, csr_n_entries(all), err);
	if (!rank_agree(rows, err))
		return -1;
	for (int64_t k = 0; k < rows->n_parts; k++) {
		const struct rank_part *p = &rows->part[k];
		const struct rank_move m = { (int)p->rank, 0, p->entries_at, p->first_entry,
					     p->sum.n_entries };

		rank_move_elements(g, m, rows->own.col, all->col, sizeof(*all->col));
		rank_move_elements(g, m, rows->own.val, all->val, sizeof(*all->val));
	}
	return 0;
}

/* ---- the ranks of lists ---- */

/*
 * The table of parts cut where lists go to other ranks, and how each moves, if it does: behind the rows and
 * entries, end[], that its rank has.
 */
static int64_t cut_parts(const struct rank_rows *rows, struct rank_part *part,
			 struct rank_move *move, int64_t (*end)[2])
{
	const struct csr *x = &rows->data->x;
	const int64_t *start = x->row_start, size = rows->group->size;
	int64_t n = 0;

	for (int64_t k = 0; k < rows->n_parts; k++) {
		const struct rank_part *p = &rows->part[k];

		end[p->rank][0] = int64_max(end[p->rank][0], p->at + p->n);
		end[p->rank][1] = int64_max(end[p->rank][1], p->entries_at + p->sum.n_entries);
	}
	for (int64_t k = 0; k < rows->n_parts; k++)
		for (int64_t i = rows->part[k].first, j = i;
		     i < rows->part[k].first + rows->part[k].n; i = j, n++) {
			const struct rank_part *p = &rows->part[k];
			const int range = linear_range_of(start[i], csr_n_entries(x));
			const int64_t rank = range % LINEAR_LISTS % size;

			while (j < p->first + p->n &&
			       linear_range_of(start[j], csr_n_entries(x)) == range)
				j++;
			part[n] = (struct rank_part){ .first = i,
						      .n = j - i,
						      .rank = rank,
						      .at = p->at + i - p->first,
						      .first_entry = start[i],
						      .entries_at = p->entries_at + start[i] -
								    p->first_entry,
						      .sum.n_entries = start[j] - start[i] };
			move[n] = (struct rank_move){ (int)p->rank, (int)rank, part[n].at,
						      end[rank][0], j - i };
			if (rank == p->rank)
				continue;
			part[n].at = end[rank][0];
			part[n].entries_at = end[rank][1];
			end[rank][0] += j - i;
			end[rank][1] += start[j] - start[i];
		}
	return n;
}

int rank_rows_arrange(struct rank_rows *rows, struct error *err)
{
	struct rank_group *g = rows->group;
	const int64_t most = rows->n_parts + LINEAR_RANGES;
	struct rank_part *part = mem_array(most, sizeof(*part), err);
	struct rank_move *move = mem_array(most, sizeof(*move), err);
	int64_t(*end)[2] = mem_zeroed(g->size, sizeof(*end), err), n = 0;
	struct row_arrays own;
	bool agreed;

	rank_announce(g, (struct rank_message){ .command = RANK_ARRANGE });
	if (!rank_agree(rows, err)) {
		mem_free_all(part, move, end);
		return -1;
	}
	if (rows->data)
		n = cut_parts(rows, part, move, end);
	rank_group_broadcast(g, &n, sizeof(n));
	rank_group_broadcast(g, part, n * (int64_t)sizeof(*part));
	rank_group_broadcast(g, move, n * (int64_t)sizeof(*move));
	rank_group_broadcast(g, end, g->size * (int64_t)sizeof(*end));
	csr_reserve(&rows->own, end[g->rank][0], end[g->rank][1], err);
	agreed = rank_agree(rows, err);
	own = row_arrays_of_csr(&rows->own);
	for (int64_t k = 0; agreed && k < n; k++)
		if (move[k].from != move[k].to)
			rank_move_rows(g, move[k], &own, &own);
	mem_free_all(move, agreed ? rows->part : part);
	if (agreed) {
		rows->own.n_rows = end[g->rank][0];
		rows->n_own = 0;
		for (int64_t k = 0; k < n; k++)
			rows->n_own += part[k].rank == g->rank ? part[k].n : 0;
		rows->part = part;
		rows->n_parts = n;
		rows->is_arranged = true;
	}
	mem_free(end);
	return agreed ? 0 : -1;
}

uint32_t rank_rows_checksum(const struct rank_rows *rows)
{
	const struct dataset *d = rows->data;
	const int64_t n = d->x.n_rows, size = sizeof(int64_t);
	struct rows_checksum all = { .n_rows = n,
				     .n_entries = csr_n_entries(&d->x),
				     .labels = checksum_crc32(0, d->y, n * size),
				     .ends = checksum_crc32(0, d->x.row_start + 1, n * size),
				     .features = rows->sum.features,
				     .values = rows->sum.values };

	return rows_checksum_crc32(&all);
}

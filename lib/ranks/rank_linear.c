/*
 * rank_linear.c - the rows of a linear problem, each with the rank that keeps its list
 *
 *     RANK_OPEN     room on all ranks; how many rows have each column to rank 0
 *     RANK_CENTRE   the centre to all ranks; norms of their rows to rank 0
 *     RANK_TIMES    rows that are listed and a vector to all ranks; products to rank 0
 *     RANK_SUM      likewise, and multipliers, or a vector for the rows of a pack; sums of parts to
 *                   rank 0, each on its way over the ranks that have its lists
 *     RANK_FILL     rows that are listed to all ranks, which pack their own
 *     RANK_OUTER    rows that are listed and their signs to all ranks; the matrix goes over all of them
 *     RANK_ROUNDS   w and the rows of an epoch, but for entries, to who meets them, and back in the end;
 *                   in each round lanes go on from one rank to the next, and then to all
 *
 * Each is a function that all ranks run, rank 0 with what it is given, the others with NULL.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ranks/rank_linear.h"

#include "base/clock.h"
#include "ranks/rank_choice.h"

static struct rank_linear *of(struct linear_helpers *h)
{
	return (struct rank_linear *)h;
}

/* ---- rows that are listed ---- */

/* On all ranks; 'list' NULL: the first n.  False, with h->err, if one of them has no memory. */
static bool list_rows(struct rank_linear *s, const int64_t *list, int64_t n, struct rank_choice *c)
{
	struct error *err = &s->helpers.err;
	const bool leads = s->rows->group->rank == 0;
	int64_t *all = leads && !list ? mem_array(n, sizeof(*all), err) : NULL;

	if (all)
		count_up(all, n);
	rank_choice_init(c, s->rows, leads && !list ? all : list, all || list ? n : 0, err);
	mem_free(all);
	return rank_agree(s->rows, err);
}

/* ---- a problem ---- */

void rank_linear_free(struct rank_linear *s)
{
	thread_team_stop(s->x.team);
	linear_rows_free(&s->x);
	linear_pack_free(&s->pack);
	linear_direction_free(&s->direction);
	mem_free_all(s->v, s->w, s->row, s->old, s->list);
	*s = (struct rank_linear){ .helpers = s->helpers, .rows = s->rows };
}

/* The rows of this rank, and what is counted of them. */
static void count_rows(struct rank_linear *s, int64_t *count)
{
	const struct rank_part *end = s->rows->part + s->rows->n_parts, *last = end - 1;
	const struct csr *x = &s->rows->own;

	for (const struct rank_part *p = s->rows->part; p < end; p++)
		for (int64_t i = p->at; p->rank == s->rows->group->rank && i < p->at + p->n; i++) {
			s->x.list[i] =
				(uint8_t)(linear_range_of(x->row_start[i] - p->entries_at +
								  p->first_entry,
							  last->first_entry + last->sum.n_entries) %
					  LINEAR_LISTS);
			for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++)
				count[x->col[k]]++;
		}
}

static int open(struct linear_helpers *h, int64_t *count, struct error *err)
{
	struct rank_linear *s = of(h);
	struct rank_group *g = s->rows->group;
	const struct csr *x = &s->rows->own;
	int64_t *own = mem_zeroed(x->n_cols, sizeof(*own), err);
	bool agreed;

	rank_announce(g, (struct rank_message){ .command = RANK_OPEN });
	rank_linear_free(s);
	s->x = (struct linear_rows){ .n = x->n_rows,
				     .d = x->n_cols,
				     .list = mem_array(x->n_rows, 1, err),
				     .shared = true,
				     .start = x->row_start,
				     .col = x->col,
				     .val = x->val,
				     .helpers = h,
				     .team = thread_team_start(s->rows->n_threads, err) };
	s->row = mem_aligned(x->n_rows, sizeof(*s->row), err);
	s->old = mem_array(x->n_rows, sizeof(*s->old), err);
	s->list = mem_array(2 * x->n_rows, sizeof(*s->list), err);
	s->v = mem_array(x->n_cols, sizeof(*s->v), err);
	s->w = mem_array((g->rank == 0 ? DESCENT_LANES + 1 : LINEAR_LISTS) * x->n_cols,
			 sizeof(*s->w), err);
	agreed = rank_agree(s->rows, err);
	if (agreed)
		count_rows(s, count ? count : own);
	for (int rank = 1; agreed && rank < g->size; rank++) {
		const struct rank_move m = { rank, 0, 0, 0, x->n_cols };

		rank_move_elements(g, m, own, own, sizeof(*own));
		for (int64_t j = 0; count && j < x->n_cols; j++)
			count[j] += own[j];
	}
	mem_free(own);
	return agreed ? 0 : -1;
}

static int centre(struct linear_helpers *h, const double *given, double *norm2, struct error *err)
{
	struct rank_linear *s = of(h);
	const struct rank_rows *rows = s->rows;
	struct rank_group *g = rows->group;
	double *c = given ? (double *)given : s->v, *own = mem_array(s->x.n, sizeof(*own), err);
	bool agreed;

	rank_announce(g, (struct rank_message){ .command = RANK_CENTRE });
	rank_group_broadcast(g, c, s->x.d * (int64_t)sizeof(*c));
	if (own)
		linear_rows_centre(&s->x, c, err);
	agreed = rank_agree(s->rows, err);
	for (int64_t i = 0; agreed && i < s->x.n; i++)
		own[i] = linear_rows_norm2(&s->x, i);
	for (const struct rank_part *p = rows->part; agreed && p < rows->part + rows->n_parts; p++)
		rank_move_elements(g, (struct rank_move){ (int)p->rank, 0, p->at, p->first, p->n },
				   own, norm2, sizeof(*own));
	mem_free(own);
	return agreed ? 0 : -1;
}

static int bring(struct linear_helpers *h, struct error *err)
{
	return rank_rows_bring_all(of(h)->rows, err);
}

static int take(struct linear_helpers *h, const int64_t *list, int64_t n, struct csr *out,
		struct error *err)
{
	return rank_rows_gather(of(h)->rows, list, n, out, err);
}

static void hand_on(struct linear_helpers *h, int from, int to, void *data, int64_t n_bytes)
{
	const struct rank_move m = { from % h->size, to < 0 ? RANK_ALL : to % h->size, 0, 0,
				     n_bytes };

	if (m.from != m.to)
		rank_move_elements(of(h)->rows->group, m, data, data, 1);
}

/* ---- products and sums ---- */

static void times(struct linear_helpers *h, const int64_t *list, int64_t n, const double *w,
		  double b, double *out)
{
	struct rank_linear *s = of(h);
	struct rank_group *g = s->rows->group;
	double *v = g->rank == 0 ? (double *)w : s->v;
	struct rank_choice l;

	/* a failure on rank 0 has ended the work; those of another rank are rank 0's by now */
	if (g->rank == 0 && h->err.code != ERR_NONE)
		return;
	rank_announce(g, (struct rank_message){ .command = RANK_TIMES });
	s->rows->n_requests++;
	if (list_rows(s, list, n, &l)) {
		rank_group_broadcast(g, &b, sizeof(b));
		rank_group_broadcast(g, v, s->x.d * (int64_t)sizeof(*v));
		linear_rows_times(&s->x, l.own, l.n_own, v, b, l.value);
		rank_choice_move(&l, s->rows, out, true);
	}
	rank_choice_free(&l);
}

/* The sums of parts to rank 0, each from who has its last list. */
static void bring_parts(struct rank_linear *s, struct linear_sum *q)
{
	const int size = s->helpers.size;
	const bool divides = q->n_parts % size == 0;

	for (int k = 0; k < (divides ? size : q->n_parts); k++) {
		struct rank_move m = { divides ? k : (k + LINEAR_LISTS - q->n_parts) % size, 0, k,
				       k, 1 };

		if (m.from == 0)
			continue;
		rank_move_elements(s->rows->group, m, q->sum, q->sum, sizeof(q->sum[0]));
		rank_move_elements(s->rows->group, m, q->w, q->w, q->d * (int64_t)sizeof(*q->w));
	}
	if (divides)
		q->n_parts = size;
}

static void sum(struct linear_helpers *h, struct linear_sum *given)
{
	struct rank_linear *s = of(h);
	struct rank_group *g = s->rows->group;
	struct linear_sum q = given ? *given : (struct linear_sum){ 0 };
	struct linear_square product = q.pack ? *q.product : (struct linear_square){ 0 };
	struct rank_choice l = { 0 };
	bool agreed = true;

	if (given && h->err.code != ERR_NONE)
		return;
	rank_announce(g, (struct rank_message){ .command = RANK_SUM });
	s->rows->n_requests++;
	rank_group_broadcast(g, &q, sizeof(q));
	rank_group_broadcast(g, &product, sizeof(product));
	if (!given) {
		q.w = q.out = s->w;
		product.v = product.v ? s->v : NULL;
		q.pack = q.pack ? &s->pack : NULL;
	}
	if (q.n_parts == 1)
		q.w = q.out;
	q.product = &product;
	q.helpers = h;
	if (product.v)
		rank_group_broadcast(g, (double *)product.v, q.d * (int64_t)sizeof(*q.w));
	if (!q.pack) {
		agreed = list_rows(s, given ? given->list : NULL, given ? given->n_list : 0, &l);
		if (agreed)
			rank_choice_move(&l, s->rows, given ? (double *)given->c : NULL, false);
		q.rows = &s->x;
		q.list = l.own;
		q.n_list = l.n_own;
		q.c = l.value;
	}
	if (agreed) {
		const double started = clock_seconds(CLOCK_MONOTONIC);

		linear_sum_parts(&q, s->x.team);
		s->rows->sum_seconds += clock_seconds(CLOCK_MONOTONIC) - started;
		bring_parts(s, &q);
	}
	if (given) {
		given->n_parts = q.n_parts;
		memcpy(given->sum, q.sum, sizeof(q.sum));
	}
	rank_choice_free(&l);
}

static int fill(struct linear_helpers *h, struct linear_pack *given, const int64_t *list, int64_t n,
		struct error *err)
{
	struct rank_linear *s = of(h);
	struct linear_pack *own = given ? given : &s->pack, all = *own;
	struct rank_choice l;

	if (given && h->err.code != ERR_NONE)
		return error_pass(err, &h->err);
	rank_announce(s->rows->group, (struct rank_message){ .command = RANK_FILL });
	rank_group_broadcast(s->rows->group, &all, sizeof(all));
	s->x.unit = all.unit;
	if (list_rows(s, list, n, &l) &&
	    linear_pack_fill(own, &s->x, l.own, l.n_own, &h->err) == 0) {
		own->n_entries = all.n_entries;
		own->n_parts = all.n_parts;
	}
	rank_choice_free(&l);
	return rank_agree(s->rows, &h->err) ? 0 : error_pass(err, &h->err);
}

/* ---- the matrix of a Newton step ---- */

static void outer(struct linear_helpers *h, struct linear_outer *given, const int64_t *list,
		  const double *sign, int64_t n)
{
	struct rank_linear *s = of(h);
	struct rank_group *g = s->rows->group;
	struct linear_direction m = { .outer = given ? *given : s->direction.outer };
	bool about[] = { m.outer.by_entries, sign != NULL };
	struct rank_choice l;

	if (given && h->err.code != ERR_NONE)
		return;
	rank_announce(g, (struct rank_message){ .command = RANK_OUTER });
	s->rows->n_requests++;
	if (!given && linear_direction_room(&s->direction, &s->x, &h->err) == 0)
		m.outer = s->direction.outer;
	if (list_rows(s, list, n, &l)) {
		rank_group_broadcast(g, about, sizeof(about));
		m.outer.by_entries = about[0];
		rank_choice_move(&l, s->rows, (double *)sign, false);
		linear_direction_add(&m, &s->x, l.own, about[1] ? l.value : NULL, l.n_own);
	}
	rank_choice_free(&l);
}

/* ---- descent ---- */

/* Rows of a message. */
#define MET_ROWS 1024

/*
 * The rows of a list, from rank 0 to who meets them, into row[] from 'at' on, or 'back', of which
 * multipliers and who is left out are kept.
 */
static void move_met(struct rank_linear *s, struct descent_rounds *given,
		     const struct descent_rounds *r, int list, int64_t at, bool back)
{
	const int rank = s->rows->group->rank, owner = list % s->helpers.size;
	const struct rank_part *part = s->rows->part;
	struct descent_row met[MET_ROWS];
	struct rank_move m = { back ? owner : 0, back ? 0 : owner, 0, 0, 0 };

	for (int64_t first = 0; first < r->list[list].n; first += m.n) {
		m.n = int64_min(MET_ROWS, r->list[list].n - first);
		for (int64_t k = 0; given && !back && k < m.n; k++) {
			const int64_t i = given->list[list].row[first + k];

			met[k] = given->rows.row[i];
			part = rank_rows_part(s->rows, i, part);
			if (!r->terms.packed)
				met[k].start += part->entries_at - part->first_entry;
		}
		if (back && rank == owner)
			memcpy(met, s->row + at + first, (size_t)m.n * sizeof(*met));
		rank_move_elements(s->rows->group, m, met, met, sizeof(*met));
		if (!back && rank == owner)
			memcpy(s->row + at + first, met, (size_t)m.n * sizeof(*met));
		for (int64_t k = 0; given && back && k < m.n; k++) {
			struct descent_row *row =
				&given->rows.row[given->list[list].row[first + k]];

			row->beta = met[k].beta;
			row->is_active = met[k].is_active;
		}
	}
}

static void rounds(struct linear_helpers *h, struct descent_rounds *given)
{
	struct rank_linear *s = of(h);
	struct rank_group *g = s->rows->group;
	const int64_t d = s->x.d;
	struct descent_lane lane[DESCENT_LANES] = { { .w = s->w + d }, { .w = s->w + 2 * d } };
	struct descent_rounds r = { .rows = { s->row, &s->x, given ? given->rows.pack : s->pack },
				    .w = s->w,
				    .old = s->old,
				    .lane = lane,
				    .helpers = h };
	int64_t at[LINEAR_LISTS + 1] = { 0 };
	double started;

	rank_announce(g, (struct rank_message){ .command = RANK_ROUNDS });
	s->rows->n_requests++;
	if (given) {
		memcpy(&r, given, offsetof(struct descent_rounds, rows));
		memcpy(r.list, given->list, sizeof(r.list));
		memcpy(r.w, given->w, (size_t)d * sizeof(*r.w));
	}
	rank_group_broadcast(g, &r, offsetof(struct descent_rounds, rows));
	rank_group_broadcast(g, r.list, sizeof(r.list));
	rank_group_broadcast(g, r.w, d * (int64_t)sizeof(*r.w));
	count_up(s->list, s->x.n);
	for (int list = 0; list < r.n_lists; list++) {
		r.list[list].row = s->list + at[list];
		r.list[list].hard = s->list + s->x.n + at[list];
		at[list + 1] = at[list] + (list % g->size == g->rank ? r.list[list].n : 0);
		move_met(s, given, &r, list, at[list], false);
	}
	started = clock_seconds(CLOCK_MONOTONIC) - g->seconds_waited;
	linear_rounds_run(&r);
	s->rows->sum_seconds += clock_seconds(CLOCK_MONOTONIC) - g->seconds_waited - started;
	for (int list = 0; list < r.n_lists; list++)
		move_met(s, given, &r, list, at[list], true);
	if (!given)
		return;
	memcpy(given->w, r.w, (size_t)d * sizeof(*r.w));
	memcpy(given->sum, r.sum, sizeof(r.sum));
	for (int k = 0; k < DESCENT_LANES; k++) {
		lane[k].w = given->lane[k].w;
		given->lane[k] = lane[k];
	}
}

/* ---- the ranks as helpers ---- */

void rank_linear_init(struct rank_linear *s, struct rank_rows *rows)
{
	*s = (struct rank_linear){ .helpers = { .rank = rows->group->rank,
						.size = rows->group->size,
						.norm2 = rows->norm2,
						.open = open,
						.bring = bring,
						.centre = centre,
						.take = take,
						.hand_on = hand_on,
						.times = times,
						.sum = sum,
						.pack = fill,
						.outer = outer,
						.rounds = rounds },
				   .rows = rows };
}

/*
 * rank_linear.c - products with rows of a linear problem, and lanes of descent, shared among ranks
 *
 *     RANK_PACK        rank 0 tells of rows and parts; room, agree; the rows of each part to its rank
 *     RANK_SQUARE      a vector to all ranks, which sum over their parts; sums of parts to rank 0
 *
 *     RANK_LANE_ROWS   numbers of all rows and entries of the ranges of lane 1 to rank 1
 *     RANK_LANE        an epoch's numbers, the rows that lane 1 meets, and w to rank 1 (rows in a
 *                      pack are in one that RANK_PACK has brought, all in the part of rank 1); after
 *                      each round both swap their lanes, and in the end the rows come back
 *
 * Where their number divides that of the parts ranks add up their parts, as one process would
 * (linear_rows.c), so that each sends one vector.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ranks/rank_linear.h"

#include "base/clock.h"

void rank_linear_free(struct rank_linear *s)
{
	thread_team_stop(s->team);
	linear_pack_free(&s->pack);
	linear_rows_free(&s->x);
	mem_free_all(s->v, s->w, s->met, s->row, s->list, s->room);
	*s = (struct rank_linear){ .helpers = s->helpers, .rows = s->rows };
}

/*
 * Room of a rank for its parts of a pack, in which parts begin with these entries, and for products
 * with it.  What there is of the pack before serves, if it is large enough: memory comes slowly.
 */
static void make_room(struct rank_linear *s, const struct linear_pack *all, const int64_t *entry,
		      struct error *err)
{
	struct linear_pack *own = &s->pack;
	int64_t n = 0, n_entries = 0;

	for (int k = 0; k < all->n_parts; k++) {
		const bool is_own = k % s->rows->group->size == s->rows->group->rank;

		own->part[k] = n;
		n += is_own ? all->part[k + 1] - all->part[k] : 0;
		n_entries += is_own ? entry[k + 1] - entry[k] : 0;
	}
	if (own->d < all->d) {
		mem_free_all(s->v, s->w);
		s->v = mem_array(all->d, sizeof(*s->v), err);
		s->w = mem_array(LINEAR_MAX_PARTS * all->d, sizeof(*s->w), err);
	}
	if (!s->team)
		s->team = thread_team_start(s->rows->n_threads, err);
	if (linear_pack_reserve(own, n, n_entries, err) == 0)
		own->start[0] = 0;
	own->n = own->part[all->n_parts] = n;
	own->d = err->code == ERR_NONE ? all->d : 0;
	own->unit = all->unit;
	own->n_parts = all->n_parts;
}

/* RANK_PACK on all ranks; 'given' is of rank 0. */
static int share_pack(struct linear_helpers *h, const struct linear_pack *given, struct error *err)
{
	struct rank_linear *s = (struct rank_linear *)h;
	struct rank_group *g = s->rows->group;
	const struct linear_pack *pack = given ? given : &s->pack;
	struct linear_pack all = *pack;
	int64_t entry[LINEAR_MAX_PARTS + 1];
	struct row_arrays rows;

	rank_announce(g, (struct rank_message){ .command = RANK_PACK });
	for (int k = 0; given && k <= all.n_parts; k++)
		entry[k] = all.start[all.part[k]];
	rank_group_broadcast(g, &all, sizeof(all));
	rank_group_broadcast(g, entry, sizeof(entry));
	if (!given)
		make_room(s, &all, entry, err);
	if (!rank_agree(s->rows, err))
		return -1;
	rows = (struct row_arrays){ .start = pack->start,
				    .val = pack->entry,
				    .value_size = sizeof(*pack->entry) };
	for (int k = 0; k < all.n_parts; k++)
		if (k % g->size > 0)
			rank_move_rows(g,
				       (struct rank_move){ 0, k % g->size, all.part[k],
							   pack->part[k],
							   all.part[k + 1] - all.part[k] },
				       &rows, &rows);
	return 0;
}

/* RANK_SQUARE on all ranks; the pack, the product and the room of rank 0, or a rank's own. */
static void square(struct linear_helpers *h, const struct linear_pack *pack,
		   struct thread_team *team, const struct linear_square *product, double *w,
		   double sum[][2])
{
	struct rank_linear *s = (struct rank_linear *)h;
	struct linear_square p = *product;
	struct rank_group *g = s->rows->group;
	double *v = g->rank == 0 ? (double *)p.v : s->v, started;

	rank_announce(g, (struct rank_message){ .command = RANK_SQUARE });
	s->rows->n_requests++;
	rank_group_broadcast(g, &p, sizeof(p));
	if (p.v)
		rank_group_broadcast(g, v, pack->d * (int64_t)sizeof(*v));
	p.v = p.v ? v : NULL;
	started = clock_seconds(CLOCK_MONOTONIC);
	linear_pack_parts(pack, team, &p, g->rank, g->size, w, sum);
	s->rows->sum_seconds += clock_seconds(CLOCK_MONOTONIC) - started;
	for (int k = 0; k < pack->n_parts; k++) {
		struct rank_move m = { k % g->size, 0, k, k, 1 };

		/* those that a rank has added to others have come with them */
		if (m.from == 0 || (pack->n_parts % g->size == 0 && k >= g->size))
			continue;
		rank_move_elements(g, m, sum, sum, sizeof(*sum));
		rank_move_elements(g, m, w, w, pack->d * (int64_t)sizeof(*w));
	}
}

/* ---- lane 1 of descent ---- */

/* RANK_LANE_ROWS on all ranks; 'given' is of rank 0. */
static int share_rows(struct linear_helpers *h, const struct descent_rows *given, struct error *err)
{
	struct rank_linear *s = (struct rank_linear *)h;
	struct rank_group *g = s->rows->group;
	struct linear_rows all = given ? *given->x : (struct linear_rows){ 0 };
	int64_t entry[LINEAR_RANGES + 1] = { 0 }, n_entries = 0;
	struct rank_move m = { .from = 0, .to = 1 };

	rank_announce(g, (struct rank_message){ .command = RANK_LANE_ROWS });
	rank_linear_free(s);
	for (int r = 0; given && all.n > 0 && r <= LINEAR_RANGES; r++)
		entry[r] = all.start[all.range[r]];
	rank_group_broadcast(g, &all, sizeof(all));
	rank_group_broadcast(g, entry, sizeof(entry));
	if (all.n == 0)
		return 0;
	for (int r = 1; r < LINEAR_RANGES; r += DESCENT_LANES)
		n_entries += entry[r + 1] - entry[r];
	if (g->rank < DESCENT_LANES)
		s->met = mem_array(all.n, sizeof(*s->met), err);
	if (g->rank == 1) {
		s->x.n = all.n;
		s->x.d = all.d;
		s->row = mem_aligned(all.n, sizeof(*s->row), err);
		s->list = mem_array(2 * all.n, sizeof(*s->list), err);
		s->room = mem_array((DESCENT_LANES + 1) * all.d + all.n, sizeof(*s->room), err);
		s->x.col = mem_large(n_entries, sizeof(*s->x.col), err);
		s->x.val = mem_large(n_entries, sizeof(*s->x.val), err);
	}
	if (!rank_agree(s->rows, err))
		return -1;
	m.n = all.n;
	rank_move_elements(g, m, given ? given->row : NULL, s->row, sizeof(*s->row));
	for (int r = 1; r < LINEAR_RANGES; r += DESCENT_LANES, m.first += m.n) {
		m.at = entry[r];
		m.n = entry[r + 1] - entry[r];
		s->shift[r] = m.at - m.first;
		rank_move_elements(g, m, all.col, s->x.col, sizeof(*s->x.col));
		rank_move_elements(g, m, all.val, s->x.val, sizeof(*s->x.val));
	}
	return 0;
}

/* The rows of lane 1 of an epoch, as they are on a rank, on their way to the other one; their number */
static int64_t move_met(struct rank_linear *s, const struct descent_rounds *r, int from)
{
	struct rank_group *g = s->rows->group;
	struct rank_move m = { .from = from, .to = !from };

	for (int list = 1; list < r->n_lists; list += DESCENT_LANES)
		for (int64_t k = 0; k < r->list[list].n; k++, m.n++) {
			const int64_t i = g->rank == from ? r->list[list].row[k] : 0;
			const struct descent_row *row = &r->rows.row[i];
			const bool shifts = from == 0 && !r->terms.packed;
			const int64_t start = row->start - (shifts ? s->shift[row->range] : 0);

			if (g->rank == from)
				s->met[m.n] = (struct met_row){ row->beta, i,
								row->is_active ? start : -1 };
		}
	rank_move_elements(g, m, s->met, s->met, sizeof(*s->met));
	return m.n;
}

/* RANK_LANE on ranks 0 and 1: what they need for the rounds of an epoch, from 0 to 1 */
static void begin_rounds(struct linear_helpers *h, struct descent_rounds *r)
{
	struct rank_linear *s = (struct rank_linear *)h;
	struct rank_group *g = s->rows->group;
	struct rank_move m = { .from = 0, .to = 1, .n = 1 };

	rank_announce(g, (struct rank_message){ .command = RANK_LANE });
	rank_move_elements(g, m, r, r, offsetof(struct descent_rounds, rows));
	rank_move_elements(g, m, r->list, r->list, sizeof(r->list));
	move_met(s, r, 0);
	m.n = r->rows.x->d;
	rank_move_elements(g, m, r->w, r->w, sizeof(*r->w));
}

static void swap(struct linear_helpers *h, struct descent_rounds *r)
{
	struct rank_linear *s = (struct rank_linear *)h;
	struct rank_group *g = s->rows->group;

	s->rows->n_requests++;
	for (int from = 0; from < DESCENT_LANES; from++) {
		struct descent_lane *l = &r->lane[from];
		struct rank_move m = { .from = from, .to = !from, .n = 1 };

		rank_move_elements(g, m, &l->round, &l->round,
				   sizeof(*l) - offsetof(struct descent_lane, round));
		m.n = r->rows.x->d;
		rank_move_elements(g, m, l->w, l->w, sizeof(*l->w));
	}
}

static void end_rounds(struct linear_helpers *h, struct descent_rounds *r)
{
	struct rank_linear *s = (struct rank_linear *)h;
	const int64_t n = move_met(s, r, 1);

	for (int64_t k = 0; k < n && r->own == 0; k++) {
		struct descent_row *row = &r->rows.row[s->met[k].row];

		row->beta = s->met[k].beta;
		row->is_active = s->met[k].start >= 0;
	}
}

/* RANK_LANE on rank 1 */
static void serve_lane(struct rank_linear *s)
{
	const int64_t d = s->x.d;
	struct descent_lane lane[DESCENT_LANES] = { { .w = s->room + d },
						    { .w = s->room + 2 * d } };
	struct descent_rounds r = { .rows = { .row = s->row, .x = &s->x, .pack = s->pack },
				    .w = s->room,
				    .old = s->room + 3 * d,
				    .lane = lane,
				    .helpers = &s->helpers,
				    .own = 1 };
	const struct met_row *met = s->met;
	int64_t *list = s->list;
	double started;

	begin_rounds(&s->helpers, &r);
	for (int k = 1; k < r.n_lists; k += DESCENT_LANES) {
		struct descent_list *l = &r.list[k];

		l->row = list;
		l->hard = list + s->x.n;
		for (int64_t j = 0; j < l->n; j++, met++) {
			struct descent_row *row = &s->row[met->row];

			row->beta = met->beta;
			row->start = met->start;
			row->is_active = true;
			*list++ = met->row;
		}
	}
	started = clock_seconds(CLOCK_MONOTONIC) - s->rows->group->seconds_waited;
	linear_rounds_run(&r);
	s->rows->sum_seconds +=
		clock_seconds(CLOCK_MONOTONIC) - s->rows->group->seconds_waited - started;
	end_rounds(&s->helpers, &r);
}

void rank_linear_serve(struct rank_linear *s, const struct rank_message *m)
{
	double sum[LINEAR_MAX_PARTS][2];
	struct error err = { 0 };

	if (m->command == RANK_PACK)
		share_pack(&s->helpers, NULL, &err);
	else if (m->command == RANK_SQUARE)
		square(&s->helpers, &s->pack, s->team, &(struct linear_square){ 0 }, s->w, sum);
	else if (m->command == RANK_LANE_ROWS)
		share_rows(&s->helpers, NULL, &err);
	else if (s->rows->group->rank == 1)
		serve_lane(s);
}

void rank_linear_init(struct rank_linear *s, struct rank_rows *rows)
{
	*s = (struct rank_linear){ .helpers = { rows->group->size, share_pack, square, share_rows,
						begin_rounds, end_rounds, swap },
				   .rows = rows };
}

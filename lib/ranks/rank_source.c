/*
 * rank_source.c - kernel values of rows that are with other ranks
 *
 * Rows that are brought lie in 'here' in the order in which they came.  Members come and go; where
 * fewer than half of the rows that are here are wanted all are dropped, and those wanted come again.
 * float_source.c then computes as it does for rows of its own, by their numbers here.
 *
 * In doubles rank 0 computes few kernel values; for rows of them it brings the entries of all rows.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ranks/rank_source.h"

#include "kernel/float_sums.h"
#include "problem/problem.h"
#include "ranks/rank_choice.h"
#include "ranks/rank_sums.h"
#include "source/float_source.h"

/* Rows here that are too few to be dropped. */
#define FEW_ROWS 4096

static struct rank_source *of_floats(const struct kernel_source *source)
{
	return (struct rank_source *)((char *)source - offsetof(struct rank_source, floats));
}

/* ---- the rows that are here ---- */

static void drop_rows(struct rank_source *s)
{
	float_vectors_drop_tiles(&s->here);
	float_vectors_free(&s->here);
	memset(s->slot, -1, (size_t)s->rows->data->x.n_rows * sizeof(*s->slot));
}

/* row[k], of n rows of the data, becomes their number here; those that are not here are brought. */
static int bring(struct rank_source *s, int64_t *row, int64_t n, struct error *err)
{
	int64_t *list = mem_array(n, sizeof(*list), err), n_missing = 0;
	int ret = list ? 0 : -1;

	if (s->here.n > 2 * n + FEW_ROWS)
		drop_rows(s);
	for (int64_t k = 0; list && k < n; k++)
		if (s->slot[row[k]] < 0) {
			/* a row that is asked for twice is listed once */
			s->slot[row[k]] = (int32_t)(s->here.n + n_missing);
			list[n_missing++] = row[k];
		}
	if (n_missing > 0)
		ret = rank_rows_gather_floats(s->rows, list, n_missing, &s->here, err);
	if (ret == 0 && !s->here.spare)
		ret = float_vectors_keep_tiles(&s->here, err);
	for (int64_t k = 0; ret < 0 && k < n_missing; k++)
		s->slot[list[k]] = -1;
	for (int64_t k = 0; ret == 0 && k < n; k++)
		row[k] = s->slot[row[k]];
	mem_free(list);
	return ret;
}

/* ---- rows of kernel values, in floats ---- */

/* fetch_rows() of rows that are here: of members q->first on at slot[], and then of those wanted. */
static int fetch_here(const struct rank_source *s, const struct kernel_rows *r,
		      const struct row_request *q, int64_t *slot, const int64_t *wanted,
		      struct error *err)
{
	const struct kernel_source source = float_source_make(&s->here, &s->doubles);
	/* members before q->first are not looked at */
	struct row_members over = { q->over->n, q->over->example, slot - q->first, false };
	struct row_request request = { &over, q->first, wanted, q->n, q->out };
	struct problem_view p = *r->p;
	struct kernel_rows rows = { .p = &p, .source = &source, .n_threads = r->n_threads };
	int ret;

	p.row = slot + q->over->n - q->first;
	ret = float_source_open_rows(&rows, err);
	if (ret == 0)
		ret = float_source_fetch_rows(&rows, &request, err);
	float_source_close_rows(&rows);
	return ret;
}

static int fetch_rows(const struct kernel_rows *r, const struct row_request *q, struct error *err)
{
	struct rank_source *s = of_floats(r->source);
	const int64_t n = q->over->n - q->first;
	int64_t *slot = mem_array(n + q->n, sizeof(*slot), err);
	int64_t *wanted = mem_array(q->n, sizeof(*wanted), err);
	int ret = err->code == ERR_NONE ? 0 : -1;

	for (int64_t j = 0; ret == 0 && j < n; j++)
		slot[j] = q->over->row[q->first + j];
	for (int64_t v = 0; ret == 0 && v < q->n; v++) {
		slot[n + v] = r->p->row[q->wanted[v]];
		wanted[v] = v;
	}
	if (ret == 0)
		ret = bring(s, slot, n + q->n, err);
	if (ret == 0)
		ret = fetch_here(s, r, q, slot, wanted, err);
	mem_free_all(slot, wanted);
	return ret;
}

static int gather(const struct kernel_source *source, const int64_t *row, int64_t n,
		  struct float_vectors *out, struct error *err)
{
	return rank_rows_gather_floats(of_floats(source)->rows, row, n, out, err);
}

/* ---- rows of kernel values, in doubles ---- */

static int open_plain_rows(struct kernel_rows *r, struct error *err)
{
	const struct rank_source *s = (const struct rank_source *)r->source;

	if (!s->rows->data->x.val && rank_rows_bring_all(s->rows, err) < 0)
		return -1;
	return plain_source.type->open_rows(r, err);
}

/* ---- sums ---- */

static int sum(const struct kernel_sums *s, const struct sum_request *q, struct error *err)
{
	const struct rank_source *source =
		s->source->in_floats ? of_floats(s->source) : (const struct rank_source *)s->source;

	return rank_rows_sum(source->rows, s, q, err);
}

int rank_source_init(struct rank_source *s, struct rank_rows *rows, const double *diagonal,
		     struct error *err)
{
	static const struct kernel_source_type of_floats = { .fetch_rows = fetch_rows,
							     .gather = gather,
							     .open_sums = kernel_sums_open_rows,
							     .close_sums = kernel_sums_close_rows,
							     .sum = sum };

	*s = (struct rank_source){ .rows = rows,
				   .marks = { rows->hash, rows->norm2 },
				   .of_doubles = *plain_source.type };
	s->of_doubles.open_rows = open_plain_rows;
	s->of_doubles.open_sums = kernel_sums_open_rows;
	s->of_doubles.close_sums = kernel_sums_close_rows;
	s->of_doubles.sum = sum;
	s->doubles = plain_source_with(diagonal);
	s->doubles.type = &s->of_doubles;
	s->doubles.elsewhere = rows->data->x.val ? NULL : &s->marks;
	s->floats = float_source_make(&rows->floats, &s->doubles);
	s->floats.type = &of_floats;
	s->floats.elsewhere = s->doubles.elsewhere;
	s->slot = mem_array(rows->data->x.n_rows, sizeof(*s->slot), err);
	if (!s->slot)
		return -1;
	drop_rows(s);
	return 0;
}

void rank_source_free(struct rank_source *s)
{
	if (s->slot)
		drop_rows(s);
	mem_free(s->slot);
	*s = (struct rank_source){ 0 };
}

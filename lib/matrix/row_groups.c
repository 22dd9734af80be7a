/*
 * row_groups.c - the groups that rows belong to, by name
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/row_groups.h"

#include "base/order.h"
#include "io/gzip.h"
#include "matrix/dataset.h"

int row_groups_add(struct row_groups *g, const char *name, int64_t length, struct error *err)
{
	int64_t number;

	if (mem_grow(&g->number, &g->capacity, g->n + 1, sizeof(*g->number), err) < 0)
		return -1;
	number = text_set_add(&g->names, name, length, err);
	if (number < 0)
		return -1;
	g->number[g->n++] = number;
	return 0;
}

int row_groups_add_qids(struct row_groups *g, const struct row_batch *batch, const char *source,
			struct error *err)
{
	for (int64_t i = 0; i < batch->n_rows; i++) {
		struct text_span qid;

		if (!batch->has_text || batch->text[i].qid.length == 0)
			return error_set(err, ERR_FORMAT,
					 "%s: example %" PRId64 " has no qid, and its group is not "
					 "known%s",
					 source, g->n + 1,
					 batch->has_text ? "" : ": the binary form has no qids");
		/* digits of a "qid:01" without leading zeros */
		qid.start = batch->text[i].qid.start + strlen("qid:");
		qid.length = batch->text[i].qid.length - (int64_t)strlen("qid:");
		for (; qid.length > 1 && *qid.start == '0'; qid.length--)
			qid.start++;
		if (row_groups_add(g, qid.start, qid.length, err) < 0)
			return -1;
	}
	return 0;
}

bool row_groups_divide(const struct row_groups *g, const int64_t *whole, struct error *err)
{
	/* of each whole group the group of one of its rows, and 1 more */
	int64_t *part = mem_zeroed(g->n, sizeof(*part), err);
	bool divide = false;

	for (int64_t i = 0; part && i < g->n; i++) {
		divide |= part[whole[i]] > 0 && part[whole[i]] != g->number[i] + 1;
		part[whole[i]] = g->number[i] + 1;
	}
	mem_free(part);
	return divide;
}

void row_groups_give(struct row_groups *g, struct dataset *d)
{
	mem_shrink(&g->number, &g->capacity, g->n, sizeof(*g->number));
	mem_free(d->group);
	d->group = g->number;
	g->number = NULL;
	row_groups_free(g);
}

void row_groups_free(struct row_groups *g)
{
	text_set_free(&g->names);
	mem_free(g->number);
	*g = (struct row_groups){ 0 };
}

int64_t row_groups_count(const int64_t *group, const int64_t *row, int64_t n, struct error *err)
{
	int64_t *sorted = mem_array(n, sizeof(*sorted), err), n_groups = n > 0;

	if (!sorted)
		return -1;
	for (int64_t i = 0; i < n; i++)
		sorted[i] = group[row ? row[i] : i];
	qsort(sorted, (size_t)n, sizeof(*sorted), order_int64s);
	for (int64_t i = 1; i < n; i++)
		n_groups += sorted[i] != sorted[i - 1];
	mem_free(sorted);
	return n_groups;
}

uint32_t dataset_groups_checksum(const struct dataset *d)
{
	return checksum_crc32(0, d->group, d->x.n_rows * (int64_t)sizeof(*d->group));
}

/*
 * prediction_table.c - predictions beside the labels, with decision values: text by rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "prediction_table.h"

#include <inttypes.h>
#include <math.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "problem/solution.h"

int64_t table_n_values(const struct table_columns *c)
{
	if (!c->with_values)
		return 0;
	return c->n_class == 0 ? 1 : c->by_class ? c->n_class : solution_n_pairs(c->n_class);
}

void table_name_columns(const struct table_columns *c, struct output *to, struct error *err)
{
	output_printf(to, err, c->with_row ? "row label prediction" : "label prediction");
	for (int a = 0; a < c->n_class && c->with_probabilities; a++)
		output_printf(to, err, " p:%d", c->label[a]);
	if (c->with_values && c->n_class == 0)
		output_printf(to, err, " value");
	for (int a = 0; a < c->n_class && c->with_values; a++) {
		if (c->by_class)
			output_printf(to, err, " %d", c->label[a]);
		for (int b = a + 1; b < c->n_class && !c->by_class; b++)
			output_printf(to, err, " %d/%d", c->label[a], c->label[b]);
	}
}

static void add_number(struct output *to, double x, struct error *err)
{
	char text[DECIMAL_SHORTEST_SIZE] = "nan";

	if (!isnan(x))
		decimal_shortest(x, text);
	output_printf(to, err, " %s", text);
}

void table_add_row(const struct table_columns *c, const struct table_row *row, struct output *to,
		   struct error *err)
{
	char label[DECIMAL_SHORTEST_SIZE];
	int64_t n_values = table_n_values(c);

	decimal_shortest(row->label, label);
	if (c->with_row)
		output_printf(to, err, "%" PRId64 " ", row->number);
	output_printf(to, err, "%s", label);
	add_number(to, row->prediction, err);
	for (int k = 0; k < c->n_class && c->with_probabilities; k++)
		add_number(to, row->probability[k], err);
	for (int64_t v = 0; v < n_values; v++)
		add_number(to, row->value[v], err);
	output_printf(to, err, "\n");
}

void table_free(struct prediction_table *t)
{
	mem_free_all(t->class_label, t->row);
	*t = (struct prediction_table){ 0 };
}

/*
 * model.c - models in memory
 *
 * A model owns copies of its support vectors, so that it outlives the data it was trained on; all
 * other arrays of a solution move into it, since training has no more use for them.  A model of a
 * precomputed kernel keeps of each vector the serial number, which is what a file of it has:
 * kernel values with new rows come from the rows to predict.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/model.h"

#include <inttypes.h>

#include "base/mem.h"

void model_free(struct model *m)
{
	if (!m->solution.sv_row) /* else the arrays are borrowed */
		csr_free(&m->sv);
	solution_free(&m->solution);
	mem_free_all(m->linear.label, m->linear.w);
	*m = (struct model){ 0 };
}

int64_t model_n_numbers(const struct model *m)
{
	const struct linear_model *l = &m->linear;

	if (m->is_linear_model)
		return (l->n_features + (l->bias >= 0)) * l->n_columns;
	return csr_n_entries(&m->sv) + (m->solution.n_class - 1) * m->solution.n_sv;
}

/* The serial numbers, column 0, of rows of a precomputed kernel. */
static int gather_serials(struct csr *sv, const struct csr *x, const int64_t *row, int64_t n,
			  struct error *err)
{
	for (int64_t i = 0; i < n; i++) {
		struct csr_row e = csr_row_of(x, row[i]);

		if (e.n == 0 || e.col[0] != 0)
			return error_set(err, ERR_ARGUMENT, "row %" PRId64 " has no serial number",
					 row[i]);
		e.n = 1;
		if (csr_append_row(sv, e, err) < 0)
			return -1;
	}
	csr_shrink(sv);
	return 0;
}

int model_from_solution(struct model *m, const struct training *t, struct solution *s,
			const struct csr *x, struct error *err)
{
	int ret;

	*m = (struct model){ .type = t->type,
			     .squared_loss = t->squared_loss,
			     .kernel = t->kernel };
	if (t->kernel.type == KERNEL_PRECOMPUTED)
		ret = gather_serials(&m->sv, x, s->sv_row, s->n_sv, err);
	else
		ret = csr_gather(&m->sv, x, s->sv_row, s->n_sv, err);
	if (ret < 0) {
		model_free(m);
		return -1;
	}
	m->solution = *s;
	m->solution.sv_row = NULL; /* rows of training data that a model does not know */
	mem_free(s->sv_row);
	*s = (struct solution){ 0 };
	return 0;
}

void model_view(struct model *m, const struct training *t, struct solution *s, const struct csr *x)
{
	*m = (struct model){ .type = t->type, .kernel = t->kernel, .solution = *s, .sv = *x };
	*s = (struct solution){ 0 };
}

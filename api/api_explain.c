/*
 * api_explain.c - Shapley values for the public library
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "api.h"
#include "base/thread.h"
#include "evaluate/shapley.h"

struct explanation {
	const struct csr *rows;
	struct predictor by;
	struct shapley shapley;
	int64_t n_features;
	double *value;		       /* [rows][n_features] */
	double (*sums)[RSV_EXPLAINED]; /* one for each row; or NULL */
	int64_t first;		       /* of a block: its first row */
};

/* The values of row i of a block, into its place. */
static int keep_values(void *arg, int64_t i, const struct shapley_values *v,
		       struct error *err UNUSED)
{
	const struct explanation *e = arg;

	for (int64_t k = 0; k < v->n; k++)
		if (v->feature[k] > 0 && v->feature[k] <= e->n_features)
			e->value[(e->first + i) * e->n_features + v->feature[k] - 1] = v->value[k];
	if (e->sums)
		memcpy(e->sums[e->first + i], (const double[]){ v->decision, v->base, v->bound },
		       sizeof(*e->sums));
	return 0;
}

static int explain_block(void *arg, int64_t block, int thread UNUSED, struct error *err)
{
	struct explanation e = *(const struct explanation *)arg;
	const int64_t first = e.first = block * SHAPLEY_ROWS;
	const struct row_view rows = { int64_min(SHAPLEY_ROWS, e.rows->n_rows - first), NULL,
				       e.rows->row_start + first, e.rows->col, e.rows->val };
	double *decisions = mem_array(rows.n_rows * e.by.n_values, sizeof(double), err);
	struct predictor_scratch scratch = { 0 };
	int ret = decisions ? predictor_scratch_init(&scratch, &e.by, err) : -1;

	if (ret == 0) {
		predictor_values(&e.by, &rows, decisions, &scratch);
		ret = shapley_rows(&e.shapley, &rows, decisions, &scratch, keep_values, &e, err);
	}
	predictor_scratch_free(&scratch);
	mem_free(decisions);
	return ret;
}

int rsv_explain(const rsv_model *model, const rsv_rows *rows, const rsv_rows *background,
		int64_t n_features, double *value, double (*sums)[RSV_EXPLAINED],
		const struct rsv_run *given, struct rsv_error *err)
{
	API_CALL(failed);
	struct explanation e = { .n_features = n_features, .value = value, .sums = sums };
	rsv_rows zero = { .data.max_index = 0 };
	struct api_run run;

	csr_append_row(&zero.data.x, (struct csr_row){ 0 }, &failed);
	if (!background)
		background = &zero;
	if (n_features < 0)
		error_set(&failed, ERR_ARGUMENT, "%" PRId64 " features", n_features);
	if (failed.code == ERR_NONE && api_need_model(model, &failed) == 0 &&
	    api_need(value, "room for values", &failed) == 0 &&
	    api_need_features(rows, &failed) == 0 && api_need_features(background, &failed) == 0 &&
	    api_begin(&run, given, &failed) == 0 &&
	    predictor_init(&e.by, &model->chain.model, &failed) == 0 &&
	    shapley_init(&e.shapley, &e.by, &background->data.x, run.n_threads, &failed) == 0) {
		e.rows = &rows->data.x;
		memset(value, 0, (size_t)(e.rows->n_rows * n_features) * sizeof(*value));
		thread_ordered_for(run.n_threads,
				   (e.rows->n_rows + SHAPLEY_ROWS - 1) / SHAPLEY_ROWS,
				   explain_block, NULL, &e, &failed);
	}
	shapley_free(&e.shapley);
	predictor_free(&e.by);
	csr_free(&zero.data.x);
	return api_status(&failed, err);
}

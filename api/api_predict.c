/*
 * api_predict.c - predictions of the public library, and how good they are
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>

#include "api.h"
#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/thread.h"
#include "evaluate/metrics.h"
#include "kernel/precomputed.h"
#include "model/predict.h"

/* Rows that a thread takes at a time. */
enum { BLOCK_ROWS = 256 };

/* Predictions of all rows; what is not wanted goes to arrays of a thread. */
struct prediction {
	const struct dataset *data;
	struct predictor by;
	struct rsv_predictions to;
	struct worker {
		struct predictor_scratch scratch;
		double *values; /* [BLOCK_ROWS][n_values] */
	} * worker;
};

static void predict_block(void *arg, int64_t block, int thread)
{
	const struct prediction *p = arg;
	const struct predictor *by = &p->by;
	const struct csr *x = &p->data->x;
	const int64_t first = block * BLOCK_ROWS, n = int64_min(BLOCK_ROWS, x->n_rows - first);
	struct worker *w = &p->worker[thread];
	double *values = p->to.values ? p->to.values + first * by->n_values : w->values;

	predictor_values(by, &(struct row_view){ n, NULL, x->row_start + first, x->col, x->val },
			 values, &w->scratch);
	for (int64_t i = 0; i < n; i++) {
		const double *value = values + i * by->n_values;
		double *probability =
			p->to.probability ? p->to.probability + (first + i) * by->n_class : NULL;
		const double predicted =
			probability ? predictor_probabilities(by, value, probability, &w->scratch) :
				      predictor_decide(by, value, &w->scratch);

		if (p->to.predicted)
			p->to.predicted[first + i] = predicted;
	}
}

static int predict(struct prediction *p, int n_threads, struct error *err)
{
	const int64_t n_blocks = (p->data->x.n_rows + BLOCK_ROWS - 1) / BLOCK_ROWS;

	p->worker = mem_zeroed(n_threads, sizeof(*p->worker), err);
	for (int n = 0; p->worker && n < n_threads; n++) {
		p->worker[n].values = mem_array(BLOCK_ROWS * p->by.n_values, sizeof(double), err);
		if (!p->worker[n].values ||
		    predictor_scratch_init(&p->worker[n].scratch, &p->by, err) < 0)
			break;
	}
	if (err->code == ERR_NONE)
		thread_interruptible_for(n_threads, n_blocks, predict_block, p, err);
	for (int k = 0; k < n_threads && p->worker; k++) {
		mem_free(p->worker[k].values);
		predictor_scratch_free(&p->worker[k].scratch);
	}
	mem_free(p->worker);
	return err->code == ERR_NONE ? 0 : -1;
}

/* Rows of a precomputed kernel must have a value for each support vector: column serial number. */
static int check_kernel_rows(const struct model *m, const struct dataset *d, struct error *err)
{
	const struct csr *sv = &m->sv;
	double last = 0;

	if (d->asked && (m->is_linear_model || m->kernel.type != KERNEL_PRECOMPUTED))
		return error_set(err, ERR_ARGUMENT,
				 "the model's kernel is not that of the caller's objects");
	if (m->is_linear_model || m->kernel.type != KERNEL_PRECOMPUTED || d->x.n_rows == 0)
		return 0;
	for (int64_t j = 0; j < sv->n_rows; j++)
		last = fmax(last, sv->val[sv->row_start[j]]);
	if (last > (double)d->max_index)
		return error_set(err, ERR_ARGUMENT,
				 "rows have %" PRId64
				 " kernel values, too few for support vector %.0f",
				 d->max_index, last);
	return 0;
}

/* Of rows that are objects the values with the support vectors, which '*made' becomes. */
static int ask_values(struct prediction *p, struct dataset *made, const struct model *m,
		      struct error *err)
{
	const struct row_view rows = csr_view(&p->data->x, NULL, p->data->x.n_rows);

	if (!p->data->asked)
		return 0;
	if (precomputed_of_objects(&made->x, p->data->asked, &rows, &m->sv, false, err) < 0)
		return -1;
	p->data = made;
	return 0;
}

int rsv_predict(const rsv_model *model, const rsv_rows *rows,
		const struct rsv_predictions *predictions, const struct rsv_run *given,
		struct rsv_error *err)
{
	API_CALL(failed);
	struct prediction p = { 0 };
	struct dataset made = { 0 };
	struct api_run run;

	if (api_need(model, "model", &failed) < 0 || api_need(rows, "rows", &failed) < 0 ||
	    api_read_struct(&p.to, sizeof(p.to), predictions, "room for predictions", &failed) <
		    0 ||
	    api_begin(&run, given, &failed) < 0 ||
	    predictor_init(&p.by, &model->model, &failed) < 0)
		return api_status(&failed, err);
	p.data = &rows->data;
	if (p.to.probability && (!p.by.has_probabilities || p.by.kind == PREDICTS_VALUE))
		error_set(&failed, ERR_ARGUMENT, "the model gives no probabilities");
	else if (check_kernel_rows(&model->model, p.data, &failed) == 0 &&
		 ask_values(&p, &made, &model->model, &failed) == 0)
		predict(&p, run.n_threads, &failed);
	dataset_free(&made);
	predictor_free(&p.by);
	return api_status(&failed, err);
}

/* ---- measures ---- */

void rsv_measure_sized(const double *target, const double *predicted, int64_t n,
		       struct rsv_measures *measures, size_t size)
{
	FROM_CALLER;
	struct metrics m = { 0 };
	struct rsv_measures own;

	for (int64_t i = 0; i < n; i++)
		metrics_add(&m, predicted[i], target[i], 1);
	own = (struct rsv_measures){ .n = n,
				     .accuracy = metrics_accuracy(&m),
				     .mse = metrics_mse(&m),
				     .mae = metrics_mae(&m),
				     .squared_correlation = metrics_squared_correlation(&m),
				     .determination = metrics_determination(&m) };
	api_write_struct(measures, size, &own, sizeof(own));
}

double rsv_auc(const double *score, const int *is_positive, int64_t n)
{
	API_CALL(failed);
	struct roc roc = { 0 };
	double auc = NAN;

	for (int64_t i = 0; i < n && failed.code == ERR_NONE; i++)
		roc_add(&roc, score[i], is_positive[i] ? 1 : -1, &failed);
	if (failed.code == ERR_NONE) {
		roc_sort(&roc);
		auc = roc_auc(&roc);
	}
	roc_free(&roc);
	return auc;
}

/*
 * api_model.c - models of the public library: files, what is in them, predictions and measures
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "api.h"
#include "base/thread.h"
#include "evaluate/metrics.h"
#include "export/export.h"
#include "kernel/precomputed.h"
#include "model/compact.h"
#include "model/predict.h"

struct rsv_model *api_model_new(struct error *err)
{
	return mem_zeroed(1, sizeof(struct rsv_model), err);
}

rsv_model *api_give_model(rsv_model *model, const struct error *failed, struct rsv_error *err)
{
	if (api_status(failed, err) == 0)
		return model;
	rsv_model_free(model);
	return NULL;
}

int api_need_model(const rsv_model *model, struct error *err)
{
	if (api_need(model, "model", err) < 0 || model->chain.n_maps == 0)
		return err->code == ERR_NONE ? 0 : -1;
	return error_set(err, ERR_ARGUMENT,
			 "a chain is for predictions; read its model's own file");
}

void rsv_model_free(rsv_model *model)
{
	if (!model)
		return;
	chain_free(&model->chain);
	mem_free_all(model->sv_row, model->certificate, model);
}

/* ---- files ---- */

rsv_model *rsv_model_read(const char *path, struct rsv_error *err)
{
	API_CALL(failed);
	struct error reason = { 0 };
	rsv_model *model = NULL;

	if (api_need(path, "file name", &failed) == 0)
		model = api_model_new(&failed);
	if (model && chain_read(&model->chain, path, &reason) == 0 && model->chain.has_columns)
		error_set(&failed, ERR_ARGUMENT,
			  "%s: a chain that begins with columns of a table is for svm-eval; make "
			  "one of the files behind them",
			  path);
	api_name_file(path, &reason, &failed);
	return api_give_model(model, &failed, err);
}

int rsv_model_write(const rsv_model *model, const char *path, struct rsv_error *err)
{
	API_CALL(failed);

	if (api_need_model(model, &failed) == 0)
		api_write_file(path, model_write, &model->chain.model, &failed);
	return api_status(&failed, err);
}

int rsv_model_write_exact(const rsv_model *model, const char *path, struct rsv_error *err)
{
	return rsv_model_write(model, path, err);
}

int rsv_model_export(const rsv_model *model, const char *kind, int probabilities, const char *path,
		     struct rsv_error *err)
{
	API_CALL(failed);
	struct export_size size;
	struct export_options how = { NULL, 0, path, probabilities != 0, &size };

	if (api_need(model, "model", &failed) == 0 && api_need(kind, "kind", &failed) == 0 &&
	    api_need(path, "file name", &failed) == 0)
		how.kind = api_find_name(export_kind_names, kind, "kind of program", &failed);
	if (failed.code == ERR_NONE) {
		how.chain = &model->chain;
		api_write_file(path, export_model, &how, &failed);
	}
	return api_status(&failed, err);
}

/* ---- what is in a model ---- */

/* The model's, or that of no model. */
static const struct model *model_of(const rsv_model *model)
{
	static const struct model none;

	return model ? &model->chain.model : &none;
}

void rsv_model_info_sized(const rsv_model *model, struct rsv_model_info *info, size_t size)
{
	FROM_CALLER;
	const struct model *m = model_of(model);
	struct rsv_model_info own = { .machine = (int)m->type,
				      .kernel = (int)m->kernel.type,
				      .degree = m->kernel.degree,
				      .is_linear_model = m->is_linear_model,
				      .gamma = m->kernel.gamma,
				      .coef0 = m->kernel.coef0,
				      .n_sv = m->solution.n_sv,
				      .n_features = model_n_features(m),
				      .was_interrupted = model && model->was_interrupted,
				      .far_error = model ? model->far_error : 0,
				      .n_reversed = model_n_reversed(m) };
	struct predictor by;

	predictor_of_values(&by, m);
	own.n_classes = by.kind == PREDICTS_CLASS ? by.n_class : 0;
	own.n_values = model ? by.n_values : 0;
	own.has_probabilities = by.has_probabilities;
	if (by.has_probabilities && by.kind == PREDICTS_VALUE)
		own.sigma = m->solution.prob_a[0];
	else if (by.has_probabilities)
		own.n_probabilities = by.n_class;
	api_write_struct(info, size, &own, sizeof(own));
}

const int *rsv_model_labels(const rsv_model *model)
{
	const struct model *m = model_of(model);

	return m->is_linear_model ? m->linear.label : m->solution.label;
}

const double *rsv_model_rho(const rsv_model *model)
{
	return model_of(model)->solution.rho;
}

const double *rsv_model_prob_a(const rsv_model *model)
{
	const struct model *m = model_of(model);

	return m->is_linear_model ? m->linear.prob_a : m->solution.prob_a;
}

const double *rsv_model_prob_b(const rsv_model *model)
{
	const struct model *m = model_of(model);

	return m->is_linear_model ? m->linear.prob_b : m->solution.prob_b;
}

const double *rsv_model_coefficients(const rsv_model *model)
{
	return model_of(model)->solution.coef;
}

const int64_t *rsv_model_n_sv_of_classes(const rsv_model *model)
{
	return model_of(model)->solution.n_sv_of_class;
}

const int64_t *rsv_model_sv_rows(const rsv_model *model)
{
	return model ? model->sv_row : NULL;
}

rsv_rows *rsv_model_support_vectors(const rsv_model *model, struct rsv_error *err)
{
	API_CALL(failed);
	struct dataset d = { 0 };
	const struct csr *sv = &model_of(model)->sv;

	if (api_need_model(model, &failed) == 0)
		d.y = mem_zeroed(sv->n_rows, sizeof(*d.y), &failed);
	d.labels_capacity = sv->n_rows;
	d.max_index = sv->n_cols > 0 ? sv->n_cols - 1 : 0;
	if (d.y && sv->n_rows > 0)
		csr_append(&d.x, sv->n_rows, sv->row_start, sv->col, sv->val, &failed);
	return api_give_rows(&d, &failed, err);
}

static int fill_weights(const struct model_weights *w, int64_t n_features, double *weight,
			double *constant, struct error *err)
{
	/* features ascend, and a feature 0 is left out */
	const int64_t first = w->n > 0 && w->feature[0] == 0 ? 1 : 0;

	if (n_features < 0)
		return error_set(err, ERR_ARGUMENT, "%" PRId64 " features", n_features);
	for (int64_t i = first; i < w->n; i++)
		if (w->feature[i] > n_features)
			return error_set(err, ERR_ARGUMENT,
					 "feature %" PRId64 " is not in 1 .. %" PRId64,
					 w->feature[i], n_features);
	memset(weight, 0, (size_t)(w->n_columns * n_features) * sizeof(*weight));
	for (int64_t v = 0; v < w->n_columns; v++) {
		constant[v] = w->constant[v];
		for (int64_t i = first; i < w->n; i++)
			weight[v * n_features + w->feature[i] - 1] = w->w[i * w->n_columns + v];
	}
	return 0;
}

int rsv_model_weights(const rsv_model *model, int64_t n_features, double *weight, double *constant,
		      struct rsv_error *err)
{
	API_CALL(failed);
	struct model_weights w = { 0 };

	if (api_need_model(model, &failed) == 0 && api_need(weight, "weights", &failed) == 0 &&
	    api_need(constant, "constants", &failed) == 0 &&
	    model_weights(&w, &model->chain.model, &failed) == 0)
		fill_weights(&w, n_features, weight, constant, &failed);
	model_weights_free(&w);
	return api_status(&failed, err);
}

/* ---- predictions ---- */

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
	for (int n = 0; err->code == ERR_NONE && n < n_threads; n++) {
		p->worker[n].values = mem_array(BLOCK_ROWS * p->by.n_values, sizeof(double), err);
		predictor_scratch_init(&p->worker[n].scratch, &p->by, err);
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

/* The rows as the model of a chain takes them, which '*made' becomes. */
static int map_rows(struct prediction *p, struct dataset *made, const struct chain *c,
		    int n_threads, struct error *err)
{
	int ret = 0;

	for (int k = 0; k < c->n_maps && ret == 0; k++) {
		struct dataset next = { 0 };

		ret = api_map_rows(&c->map[k], p->data, n_threads, &next, p->to.n_unranged, err);
		dataset_free(made);
		*made = next;
		p->data = made;
	}
	return ret;
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
	    predictor_init(&p.by, &model->chain.model, &failed) < 0)
		return api_status(&failed, err);
	p.data = &rows->data;
	if (p.to.probability && (!p.by.has_probabilities || p.by.kind == PREDICTS_VALUE))
		error_set(&failed, ERR_ARGUMENT, "the model gives no probabilities");
	else if ((model->chain.n_maps == 0 || api_need_features(rows, &failed) == 0) &&
		 map_rows(&p, &made, &model->chain, run.n_threads, &failed) == 0 &&
		 check_kernel_rows(&model->chain.model, p.data, &failed) == 0 &&
		 ask_values(&p, &made, &model->chain.model, &failed) == 0)
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

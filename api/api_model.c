/*
 * api_model.c - models of the public library: files, and what is in them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <string.h>

#include "api.h"
#include "base/mem.h"
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

void rsv_model_free(rsv_model *model)
{
	if (!model)
		return;
	model_free(&model->model);
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
	if (model && model_read(&model->model, path, &reason) < 0)
		api_name_file(path, &reason, &failed);
	return api_give_model(model, &failed, err);
}

static int write_model(const void *what, struct output *to, struct error *err)
{
	return model_write(what, to, err);
}

int rsv_model_write(const rsv_model *model, const char *path, struct rsv_error *err)
{
	API_CALL(failed);

	if (api_need(model, "model", &failed) == 0)
		api_write_file(path, write_model, &model->model, &failed);
	return api_status(&failed, err);
}

int rsv_model_write_exact(const rsv_model *model, const char *path, struct rsv_error *err)
{
	return rsv_model_write(model, path, err);
}

/* ---- what is in a model ---- */

/* The model's, or that of no model. */
static const struct model *model_of(const rsv_model *model)
{
	static const struct model none;

	return model ? &model->model : &none;
}

static int64_t highest_feature(const struct model *m)
{
	if (m->is_linear_model)
		return m->linear.n_features;
	if (m->kernel.type == KERNEL_PRECOMPUTED || m->sv.n_cols == 0)
		return 0;
	return m->sv.n_cols - 1;
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
				      .n_features = highest_feature(m),
				      .was_interrupted = model && model->was_interrupted,
				      .far_error = model ? model->far_error : 0,
				      .n_reversed = solution_n_reversed(&m->solution) };
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
	return model_of(model)->solution.prob_a;
}

const double *rsv_model_prob_b(const rsv_model *model)
{
	return model_of(model)->solution.prob_b;
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

	if (api_need(model, "model", &failed) == 0)
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

	if (api_need(model, "model", &failed) == 0 && api_need(weight, "weights", &failed) == 0 &&
	    api_need(constant, "constants", &failed) == 0 &&
	    model_weights(&w, &model->model, &failed) == 0)
		fill_weights(&w, n_features, weight, constant, &failed);
	model_weights_free(&w);
	return api_status(&failed, err);
}

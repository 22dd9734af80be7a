/*
 * svm_model.c - LIBSVM's model files and the fields of a model
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdlib.h>
#include <string.h>

#include "base/caller.h"
#include "io/output.h"
#include "host.h"
#include "print_string.h"
#include "public_model.h"

int libsvm_version = LIBSVM_VERSION;

/* ---- files ---- */

static int write_model(const void *model, struct output *to, struct error *err)
{
	return model_write(model, to, err);
}

int svm_save_model(const char *model_file_name, const struct svm_model *model)
{
	FOR_HOST(svm_save_model, (model_file_name, model));
	FROM_CALLER;
	struct error err = { 0 };
	struct model m = { 0 };

	if (!model_file_name || !model)
		error_set(&err, ERR_ARGUMENT, "no %s", model ? "file name" : "model");
	else if (public_model_read(&m, model, &err) == 0)
		output_write_file(model_file_name, write_model, &m, &err);
	public_model_read_free(&m);
	if (err.code == ERR_NONE)
		return 0;
	print_string_error("svm_save_model", &err);
	return -1;
}

/* One array has the nodes of all vectors: LIBSVM frees SV[0]. */
static int give_rows(struct svm_model *to, const struct csr *sv, struct error *err)
{
	const size_t size = (size_t)(csr_n_entries(sv) + sv->n_rows) * sizeof(struct svm_node);
	struct svm_node *node;

	to->free_sv = 1;
	if (sv->n_rows <= 0)
		return 0;
	node = malloc(size);
	if (!node)
		return error_memory(err, size);
	for (int64_t j = 0; j < sv->n_rows; j++) {
		const struct csr_row row = csr_row_of(sv, j);

		to->SV[j] = node;
		for (int64_t k = 0; k < row.n; k++)
			*node++ = (struct svm_node){ row.col[k], row.val[k] };
		*node++ = (struct svm_node){ -1, 0 };
	}
	return 0;
}

static struct svm_model *public_of(const struct model *m, struct error *err)
{
	const struct svm_parameter param = { .svm_type = (int)m->type,
					     .kernel_type = (int)m->kernel.type,
					     .degree = m->kernel.degree,
					     .gamma = m->kernel.gamma,
					     .coef0 = m->kernel.coef0 };
	struct svm_model *model;

	if (m->is_linear_model) {
		error_set(err, ERR_FORMAT, "a model of LIBLINEAR");
		return NULL;
	}
	model = public_model_make(&m->solution, &param, err);
	if (model && give_rows(model, &m->sv, err) < 0)
		svm_free_and_destroy_model(&model);
	return model;
}

struct svm_model *svm_load_model(const char *model_file_name)
{
	FOR_HOST(svm_load_model, (model_file_name));
	FROM_CALLER;
	struct svm_model *model = NULL;
	struct model m = { 0 };
	struct error err = { 0 };

	if (!model_file_name)
		error_set(&err, ERR_ARGUMENT, "no file name");
	else if (model_read(&m, model_file_name, &err) == 0)
		model = public_of(&m, &err);
	model_free(&m);
	if (!model)
		print_string_error("svm_load_model", &err);
	return model;
}

/* ---- fields ---- */

int svm_get_svm_type(const struct svm_model *model)
{
	FOR_HOST(svm_get_svm_type, (model));
	return model ? model->param.svm_type : C_SVC;
}

int svm_get_nr_class(const struct svm_model *model)
{
	FOR_HOST(svm_get_nr_class, (model));
	return model ? model->nr_class : 0;
}

int svm_get_nr_sv(const struct svm_model *model)
{
	FOR_HOST(svm_get_nr_sv, (model));
	return model ? model->l : 0;
}

void svm_get_labels(const struct svm_model *model, int *label)
{
	FOR_HOST(svm_get_labels, (model, label));
	if (model && model->label && label)
		memcpy(label, model->label, (size_t)model->nr_class * sizeof(*label));
}

void svm_get_sv_indices(const struct svm_model *model, int *sv_indices)
{
	FOR_HOST(svm_get_sv_indices, (model, sv_indices));
	if (model && model->sv_indices && sv_indices && model->l > 0)
		memcpy(sv_indices, model->sv_indices, (size_t)model->l * sizeof(*sv_indices));
}

double svm_get_svr_probability(const struct svm_model *model)
{
	FOR_HOST(svm_get_svr_probability, (model));
	static const struct error none = {
		.text = "the model has no distribution of a regression's errors"
	};

	if (model && machine_is_regression((enum machine_type)model->param.svm_type) &&
	    model->probA)
		return model->probA[0];
	print_string_error("svm_get_svr_probability", &none);
	return 0;
}

int svm_check_probability_model(const struct svm_model *model)
{
	FOR_HOST(svm_check_probability_model, (model));
	if (!model)
		return 0;
	switch (model->param.svm_type) {
	case C_SVC:
	case NU_SVC:
		return model->probA && model->probB;
	case ONE_CLASS:
#if SVM_HAS_DENSITY_MARKS
		return model->prob_density_marks != NULL;
#else
		return 0;
#endif
	default:
		return machine_is_regression((enum machine_type)model->param.svm_type) &&
		       model->probA;
	}
}

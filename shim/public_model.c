/*
 * public_model.c - svm_model, whose fields callers read and edit, and the library's struct model
 *
 *     svm_model                     struct model
 *     SV[l]                         sv, rows
 *     sv_coef[nr_class - 1][l]      solution.coef, [n_class - 1][n_sv]
 *     rho, probA, probB             solution.rho, prob_a, prob_b, one for each pair of classes
 *     label, nSV                    solution.label, n_sv_of_class; regression, one-class: NULL, and
 *                                   all vectors are of class 0
 *     sv_indices                    solution.sv_row + 1
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "public_model.h"

#include "base/caller.h"
#include "io/output.h"
#include "matrix/node_rows.h"
#include "model/predict.h"
#include "host.h"

/* ---- svm_model to struct model ---- */

void public_model_view(struct model *view, const struct svm_model *m)
{
	view->is_linear_model = false;
	view->type = (enum machine_type)m->param.svm_type;
	view->kernel = (struct kernel){ .type = (enum kernel_type)m->param.kernel_type,
					.degree = m->param.degree,
					.gamma = m->param.gamma,
					.coef0 = m->param.coef0 };
	view->solution = (struct solution){ .n_class = m->nr_class,
					    .n_sv = m->l,
					    .label = m->label,
					    .rho = m->rho,
					    .prob_a = m->probA,
					    .prob_b = m->probB };
#if SVM_HAS_DENSITY_MARKS
	view->solution.density_marks = m->prob_density_marks;
	view->solution.n_density_marks = m->prob_density_marks ? SVM_DENSITY_MARKS : 0;
#endif
}

const char *public_model_fault(const struct svm_model *model)
{
	const struct svm_parameter *param = &model->param;
	int64_t n_sv = 0;

	if (param->svm_type < C_SVC || param->svm_type > NU_SVR)
		return "unknown svm type";
	if (param->kernel_type < LINEAR || param->kernel_type > PRECOMPUTED)
		return "unknown kernel type";
	if (model->nr_class < 1 || model->l < 0)
		return "nr_class or l out of range";
	if ((model->nr_class > 1 && !model->rho) ||
	    (model->l > 0 && (!model->SV || !model->sv_coef)))
		return "rho, SV or sv_coef is NULL";
	for (int r = 0; model->l > 0 && r < model->nr_class - 1; r++)
		if (!model->sv_coef[r])
			return "a row of sv_coef is NULL";
	if (!machine_classifies((enum machine_type)param->svm_type))
		return model->nr_class == 2 ? NULL : "nr_class is not 2";
	if (!model->label || !model->nSV)
		return "label or nSV is NULL";
	for (int c = 0; c < model->nr_class; c++) {
		if (model->nSV[c] < 0)
			return "nSV below 0";
		n_sv += model->nSV[c];
	}
	return n_sv == model->l ? NULL : "nSV does not add up to l";
}

/*
 * '*m' is what the fields say, with arrays that are borrowed and copies
 *
 * Fails with ERR_ARGUMENT and the model's fault, or as node_rows_read() does.  The caller owns
 * m->sv, m->solution.coef and n_sv_of_class, after a failure too.
 */
static int public_model_read(struct model *m, const struct svm_model *from, struct error *err)
{
	const char *fault = public_model_fault(from);
	struct solution *s = &m->solution;

	*m = (struct model){ 0 };
	if (fault)
		return error_set(err, ERR_ARGUMENT, "%s", fault);
	public_model_view(m, from);
	s->coef = mem_array((s->n_class - 1) * s->n_sv, sizeof(*s->coef), err);
	s->n_sv_of_class = mem_zeroed(s->n_class, sizeof(*s->n_sv_of_class), err);
	if (!s->coef || !s->n_sv_of_class)
		return -1;
	for (int r = 0; s->n_sv > 0 && r < s->n_class - 1; r++)
		memcpy(s->coef + r * s->n_sv, from->sv_coef[r], (size_t)s->n_sv * sizeof(*s->coef));
	/* without classes all vectors are of the first, and labels mean nothing */
	s->n_sv_of_class[0] = s->n_sv;
	if (!machine_classifies(m->type))
		s->label = NULL;
	for (int c = 0; s->label && c < s->n_class; c++)
		s->n_sv_of_class[c] = from->nSV[c];
	return node_rows_read(&m->sv, from->SV, from->l,
			      m->kernel.type == KERNEL_PRECOMPUTED ? NODES_SERIAL : NODES_FEATURES,
			      err);
}

/* ---- the end ---- */

void svm_free_model_content(struct svm_model *model_ptr)
{
	FOR_HOST(svm_free_model_content, (model_ptr));
	if (!model_ptr)
		return;
	if (model_ptr->free_sv && model_ptr->l > 0 && model_ptr->SV)
		free(model_ptr->SV[0]);
	for (int r = 0; model_ptr->sv_coef && r < model_ptr->nr_class - 1; r++)
		free(model_ptr->sv_coef[r]);
	mem_free_all(model_ptr->SV, model_ptr->sv_coef, model_ptr->rho, model_ptr->label,
		     model_ptr->probA, model_ptr->probB, model_ptr->sv_indices, model_ptr->nSV);
#if SVM_HAS_DENSITY_MARKS
	free(model_ptr->prob_density_marks);
#endif
	/* without the arrays, so that a second call does no harm */
	*model_ptr = (struct svm_model){ .param = model_ptr->param,
					 .nr_class = model_ptr->nr_class,
					 .l = model_ptr->l,
					 .free_sv = model_ptr->free_sv };
}

void svm_free_and_destroy_model(struct svm_model **model_ptr_ptr)
{
	FOR_HOST(svm_free_and_destroy_model, (model_ptr_ptr));
	if (!model_ptr_ptr || !*model_ptr_ptr)
		return;
	svm_free_model_content(*model_ptr_ptr);
	free(*model_ptr_ptr);
	*model_ptr_ptr = NULL;
}

/* ---- solution to svm_model ---- */

/* malloc() of n elements, at least one; NULL with ERR_MEMORY. */
static void *public_array(int64_t n, size_t size, struct error *err)
{
	void *p = calloc(n > 0 ? (size_t)n : 1, size);

	if (!p)
		error_memory(err, (size_t)n * size);
	return p;
}

/* A copy of n elements, in '*to'; NULL, if there are none to copy. */
static int give_copy(void *to, const void *from, int64_t n, size_t size, struct error *err)
{
	void *copy = from ? public_array(n, size, err) : NULL;

	if (copy && n > 0)
		memcpy(copy, from, (size_t)n * size);
	memcpy(to, &copy, sizeof(copy));
	return copy || !from ? 0 : -1;
}

/* The n numbers, 'more' added to each, in '*to'; NULL, if there are none. */
static int give_ints(int **to, const int64_t *from, int64_t n, int more, struct error *err)
{
	if (!from)
		return 0;
	*to = public_array(n, sizeof(**to), err);
	for (int64_t k = 0; *to && k < n; k++)
		(*to)[k] = (int)from[k] + more;
	return *to ? 0 : -1;
}

/* Coefficients, room for the vectors, and their rows if these are known. */
static int give_vectors(struct svm_model *to, const struct solution *s, struct error *err)
{
	to->SV = public_array(s->n_sv, sizeof(*to->SV), err);
	to->sv_coef = public_array(s->n_class - 1, sizeof(*to->sv_coef), err);
	if (!to->SV || !to->sv_coef)
		return -1;
	for (int r = 0; r < s->n_class - 1; r++)
		if (give_copy(&to->sv_coef[r], s->coef + r * s->n_sv, s->n_sv, sizeof(*s->coef),
			      err) < 0)
			return -1;
	return give_ints(&to->sv_indices, s->sv_row, s->n_sv, 1, err);
}

static int give_solution(struct svm_model *to, const struct solution *s, struct error *err)
{
	const int64_t n_pairs = solution_n_pairs(s->n_class);

	to->nr_class = s->n_class;
	to->l = (int)s->n_sv;
	if (give_vectors(to, s, err) < 0 ||
	    give_copy(&to->label, s->label, s->n_class, sizeof(*s->label), err) < 0 ||
	    give_ints(&to->nSV, s->label ? s->n_sv_of_class : NULL, s->n_class, 0, err) < 0 ||
	    give_copy(&to->rho, s->rho, n_pairs, sizeof(*s->rho), err) < 0 ||
	    give_copy(&to->probA, s->prob_a, n_pairs, sizeof(*s->prob_a), err) < 0 ||
	    give_copy(&to->probB, s->prob_b, n_pairs, sizeof(*s->prob_b), err) < 0)
		return -1;
#if SVM_HAS_DENSITY_MARKS
	return give_copy(&to->prob_density_marks, s->density_marks, s->n_density_marks,
			 sizeof(*s->density_marks), err);
#else
	return 0;
#endif
}

struct svm_model *public_model_make(const struct solution *s, const struct svm_parameter *param,
				    struct error *err)
{
	struct svm_model *model;

	if (s->n_sv > INT_MAX) {
		error_set(err, ERR_ARGUMENT, "more than %d support vectors", INT_MAX);
		return NULL;
	}
	model = public_array(1, sizeof(*model), err);
	if (!model)
		return NULL;
	model->param = *param;
	if (give_solution(model, s, err) < 0)
		svm_free_and_destroy_model(&model);
	return model;
}

int libsvm_version = LIBSVM_VERSION;

/* ---- files ---- */

int svm_save_model(const char *model_file_name, const struct svm_model *model)
{
	FOR_HOST(svm_save_model, (model_file_name, model));
	FROM_CALLER;
	struct error err = { 0 };
	struct model m = { 0 };

	if (!model_file_name || !model)
		error_set(&err, ERR_ARGUMENT, "no %s", model ? "file name" : "model");
	else if (public_model_read(&m, model, &err) == 0)
		output_write_file(model_file_name, model_write, &m, &err);
	csr_free(&m.sv);
	mem_free_all(m.solution.coef, m.solution.n_sv_of_class);
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
	struct predictor by;
	struct model view;

	if (!model || model->param.svm_type < C_SVC || model->param.svm_type > NU_SVR)
		return 0;
	public_model_view(&view, model);
	predictor_of_values(&by, &view);
	return by.has_probabilities;
}

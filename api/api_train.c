/*
 * api_train.c - training, certificates and reduced models of the public library
 *
 *     rows, rsv_training, rsv_run --> struct api_problem --> train_calibrated() --> rsv_model
 *                                                      `--> one_vs_rest_run() ----^
 *
 * Training is randsvm-train's, by its own solvers alone: no LIBSVM is loaded.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "api.h"
#include "base/mem.h"
#include "evaluate/certify.h"
#include "evaluate/cross_validation.h"
#include "kernel/precomputed.h"
#include "model/one_vs_rest_model.h"
#include "model/reduced_model.h"
#include "train/one_vs_rest.h"

/* ---- the problem ---- */

static struct training training_of(const struct rsv_training *t, const struct dataset *d)
{
	const double gamma =
		t->gamma == 0 && d->max_index > 0 ? 1.0 / (double)d->max_index : t->gamma;

	return (struct training){ .type = (enum machine_type)t->machine,
				  .kernel = { .type = (enum kernel_type)t->kernel,
					      .degree = t->degree,
					      .gamma = gamma,
					      .coef0 = t->coef0 },
				  .C = t->C,
				  .nu = t->nu,
				  .p = t->p,
				  .cache_mb = 1, /* LIBSVM's cache, which is not used */
				  .eps = t->eps,
				  .probability = t->probability,
				  .squared_loss = t->squared_loss != 0 };
}

/* The programs' parsers let no other numbers through. */
static int check_finite(const struct rsv_training *t, struct error *err)
{
	const struct {
		const char *name;
		double value;
	} number[] = { { "gamma", t->gamma }, { "coef0", t->coef0 }, { "C", t->C },
		       { "nu", t->nu },	      { "p", t->p },	     { "eps", t->eps },
		       { "gap", t->gap } };

	for (size_t k = 0; k < sizeof(number) / sizeof(*number); k++)
		if (!isfinite(number[k].value))
			return error_set(err, ERR_ARGUMENT, "%s is %g", number[k].name,
					 number[k].value);
	return 0;
}

static int check_parameters(const struct api_problem *p, const struct rsv_rows *rows,
			    struct error *err)
{
	const struct training *t = &p->training;
	const bool linear = t->kernel.type == KERNEL_LINEAR;
	const char *fault = training_fault(t);

	if (check_finite(&p->given, err) < 0)
		return -1;
	if (fault)
		return error_set(err, ERR_ARGUMENT, "%s", fault);
	if (!(p->given.gap >= 0 && p->given.gap <= 1))
		return error_set(err, ERR_ARGUMENT, "gap < 0 or gap > 1");
	if (rows->data.x.n_rows == 0)
		return error_set(err, ERR_ARGUMENT, "no examples");
	if (p->given.one_vs_rest && !(linear && t->type == MACHINE_C_SVC && !t->probability))
		return error_set(err, ERR_ARGUMENT,
				 "machines of each class against the rest are for C-SVC with the "
				 "linear kernel, without probabilities");
	if (p->given.budget < 0 || p->given.budget == 1)
		return error_set(err, ERR_ARGUMENT, "a budget of %" PRId64, p->given.budget);
	if (p->given.budget > 0 && t->type == MACHINE_NU_SVC)
		return error_set(err, ERR_ARGUMENT, "a budget is not for nu-SVC");
	if (p->given.budget > 0 && (t->squared_loss || p->given.one_vs_rest))
		return error_set(err, ERR_ARGUMENT,
				 "a budget is not for squared losses, nor for machines of each "
				 "class against the rest");
	if (p->given.balanced && t->type != MACHINE_C_SVC)
		return error_set(err, ERR_ARGUMENT, "a balance of classes is for C-SVC");
	if (rows->data.weight && t->type == MACHINE_ONE_CLASS && t->probability)
		return error_set(err, ERR_ARGUMENT,
				 "probabilities of a one-class machine count rows without weights");
	return 0;
}

/* Weights of classes, those of a balance among them. */
static int set_weights(struct api_problem *p, const struct dataset *d, struct error *err)
{
	const struct classes *c = &p->classes;
	double all = 0;
	const int n_given = p->given.n_weights, n_balanced = p->given.balanced ? c->n : 0;

	if (n_given < 0 || (n_given > 0 && (!p->given.label || !p->given.weight)))
		return error_set(err, ERR_ARGUMENT, "weights are missing");
	p->weight = mem_array(n_given + n_balanced, sizeof(*p->weight), err);
	if (!p->weight)
		return -1;
	for (int k = 0; k < n_given; k++) {
		if (!(p->given.weight[k] >= 0) || !isfinite(p->given.weight[k]))
			return error_set(err, ERR_ARGUMENT, "weight %g", p->given.weight[k]);
		p->weight[k] = (struct class_weight){ p->given.label[k], p->given.weight[k] };
	}
	for (int k = 0; k < n_balanced; k++)
		all += classes_weight(c, k, d);
	for (int k = 0; k < n_balanced; k++)
		p->weight[n_given + k] = (struct class_weight){
			c->label[k], classes_balanced_weight(all, c->n, classes_weight(c, k, d))
		};
	p->training.n_weights = n_given + n_balanced;
	p->training.weight = p->weight;
	return 0;
}

static int find_classes(struct api_problem *p, const struct rsv_rows *rows, struct error *err)
{
	p->classifies = machine_classifies(p->training.type);
	if (!p->classifies)
		return 0;
	if (classes_init(&p->classes, &rows->data, err) < 0 ||
	    classes_check_number(p->classes.n, err) < 0)
		return -1;
	if (p->training.type == MACHINE_NU_SVC &&
	    !classes_allow_nu(&p->classes, &rows->data, p->training.nu))
		return error_set(err, ERR_ARGUMENT, "specified nu is infeasible");
	return 0;
}

int api_problem_init(struct api_problem *p, const struct rsv_rows *rows,
		     const struct rsv_training *given, struct api_run *run, struct error *err)
{
	*p = (struct api_problem){ 0 };
	rsv_training_init(&p->given);
	if (api_need(rows, "rows", err) < 0 || api_need(given, "parameters", err) < 0 ||
	    api_read_struct(&p->given, sizeof(p->given), given, err) < 0)
		return -1;
	p->training = training_of(&p->given, &rows->data);
	if (check_parameters(p, rows, err) < 0 || find_classes(p, rows, err) < 0 ||
	    set_weights(p, &rows->data, err) < 0 ||
	    (p->training.kernel.type == KERNEL_PRECOMPUTED &&
	     (precomputed_check(&rows->data.x, err) < 0 ||
	      precomputed_check_numbers(&rows->data.x, err) < 0)))
		return -1;
	run->options.eps = p->training.eps;
	run->options.gap = p->given.gap;
	if (p->given.budget > 0 && p->given.budget < rows->data.x.n_rows) {
		run->options.mode = WORKING_SET_BUDGET;
		run->options.budget = p->given.budget;
	}
	p->trainer = (struct trainer){ .data = &rows->data,
				       .training = &p->training,
				       .options = &run->options,
				       .solver = &run->solver,
				       .rounds = run->rounds.round ? &run->rounds : NULL,
				       .certifies = true };
	return 0;
}

void api_problem_free(struct api_problem *p)
{
	mem_free(p->weight);
	classes_free(&p->classes);
}

const struct classes *api_problem_classes(const struct api_problem *p)
{
	return p->classifies ? &p->classes : NULL;
}

/* ---- training ---- */

int rsv_doubts(const rsv_rows *rows, const struct rsv_training *training)
{
	struct error asymmetry = { 0 };
	int doubts = 0;

	if (!rows || !training)
		return 0;
	if (rows->data.has_qid && !rows->data.group)
		doubts |= RSV_DOUBT_QID;
	if (training->kernel == RSV_PRECOMPUTED &&
	    precomputed_check(&rows->data.x, &asymmetry) == 0 &&
	    precomputed_check_symmetry(&rows->data.x, &asymmetry) < 0 &&
	    asymmetry.code != ERR_MEMORY)
		doubts |= RSV_DOUBT_ASYMMETRY;
	return doubts;
}

static struct rsv_certificate certificate_of(int label_a, int label_b, int64_t n_rows,
					     const struct certificate *c)
{
	const double gap = certificate_relative_gap(c);

	return (struct rsv_certificate){
		.size = sizeof(struct rsv_certificate),
		.label_a = label_a,
		.label_b = label_b,
		.n_rows = n_rows,
		.primal = c->primal,
		.dual = isfinite(c->dual) ? c->dual : NAN,
		.rounding = c->rounding,
		.relative_gap = certificate_is_below_dual(c) || !isfinite(gap) ? NAN : gap,
		.n_violators = c->n_violators,
		.n_sv = c->n_sv,
		.n_bounded = c->n_bounded_sv,
		.excess = c->excess
	};
}

/* Certificates of the pairs into the model; ERR_NUMERIC where there is no solution. */
static int keep_certificates(struct rsv_model *m, const struct pair_result *pairs, int64_t n,
			     struct error *err)
{
	m->certificate = mem_array(n, sizeof(*m->certificate), err);
	if (!m->certificate)
		return -1;
	for (int64_t q = 0; q < n; q++) {
		const struct certificate *c = &pairs[q].certificate;

		if (certificate_check(c, "", err) < 0)
			return -1;
		m->certificate[q] =
			certificate_of(pairs[q].label_a, pairs[q].label_b, pairs[q].n, c);
		m->certificate[q].rho = pairs[q].rho;
		m->certificate[q].rounds = pairs[q].rounds;
	}
	m->n_certificates = n;
	m->was_interrupted = trainer_was_interrupted(pairs, n);
	return 0;
}

static int copy_sv_rows(struct rsv_model *m, const struct solution *s, struct error *err)
{
	m->sv_row = mem_array(s->n_sv, sizeof(*m->sv_row), err);
	if (!m->sv_row)
		return -1;
	for (int64_t j = 0; j < s->n_sv; j++)
		m->sv_row[j] = s->sv_row[j];
	return 0;
}

static int train_pairs(struct rsv_model *m, const struct api_problem *p, struct error *err)
{
	const struct classes *classes = api_problem_classes(p);
	const int64_t n_pairs = classes ? solution_n_pairs(classes->n) : 1;
	struct pair_result *pairs = mem_zeroed(n_pairs, sizeof(*pairs), err);
	struct solution s = { 0 };
	int ret = -1;

	if (pairs && train_calibrated(&p->trainer, classes, NULL, &s, pairs, err) == 0) {
		if (p->training.type == MACHINE_C_SVC)
			solution_bound_rho(&s);
		m->far_error = trainer_far_error(&p->trainer, &s, pairs, n_pairs);
		if (keep_certificates(m, pairs, n_pairs, err) == 0 && copy_sv_rows(m, &s, err) == 0)
			ret = model_from_solution(&m->model, &p->training, &s, &p->trainer.data->x,
						  err);
	}
	solution_free(&s);
	mem_free(pairs);
	return ret;
}

static int train_against_rest(struct rsv_model *m, const struct api_problem *p, struct error *err)
{
	const int n = one_vs_rest_count(p->classes.n);
	struct pair_result *pairs;
	struct one_vs_rest machines = { 0 };
	int ret = -1;

	if (p->classes.n < 2)
		return error_set(err, ERR_ARGUMENT, "a single class has no rest");
	pairs = mem_zeroed(n, sizeof(*pairs), err);
	if (pairs && one_vs_rest_run(&p->trainer, &p->classes, &machines, pairs, err) == 0 &&
	    keep_certificates(m, pairs, n, err) == 0)
		ret = one_vs_rest_model(&m->model, &machines, &p->classes, err);
	one_vs_rest_free(&machines);
	mem_free(pairs);
	return ret;
}

static int train(struct rsv_model *m, const struct api_problem *p, struct api_run *run,
		 struct error *err)
{
	int ret;

	if (p->given.one_vs_rest)
		return train_against_rest(m, p, err);
	if (!p->training.probability)
		return train_pairs(m, p, err);
	if (api_lock(run, err) < 0)
		return -1;
	ret = train_pairs(m, p, err);
	api_unlock();
	return ret;
}

rsv_model *rsv_train(const rsv_rows *rows, const struct rsv_training *training,
		     const struct rsv_run *given, struct rsv_error *err)
{
	struct error failed = { 0 };
	struct api_problem p = { 0 };
	struct api_run run;
	rsv_model *model = NULL;

	if (api_run_init(&run, given, &failed) == 0 &&
	    api_problem_init(&p, rows, training, &run, &failed) == 0)
		model = api_model_new(&failed);
	if (model &&
	    (train(model, &p, &run, &failed) < 0 || model_check(&model->model, &failed) < 0)) {
		rsv_model_free(model);
		model = NULL;
	}
	api_problem_free(&p);
	api_status(&failed, err);
	return model;
}

/* ---- certificates of any model ---- */

/* Rows of the two classes; or all, of a machine against the rest or without classes. */
static int64_t rows_of_pair(const struct dataset *d, const struct pair_certificate *pair)
{
	int64_t n = 0;

	if (pair->label_a == pair->label_b)
		return d->x.n_rows;
	for (int64_t i = 0; i < d->x.n_rows; i++)
		n += d->y[i] == pair->label_a || d->y[i] == pair->label_b;
	return n;
}

static int take_certificates(struct rsv_model *m, const struct model_certificate *c,
			     const struct dataset *d, struct error *err)
{
	struct rsv_certificate *list = mem_array(c->n_pairs, sizeof(*list), err);

	if (!list)
		return -1;
	for (int64_t q = 0; q < c->n_pairs; q++) {
		const struct pair_certificate *pair = &c->pair[q];

		list[q] = certificate_of(pair->label_a,
					 pair->label_b == pair->label_a ? 0 : pair->label_b,
					 rows_of_pair(d, pair), &pair->certificate);
		list[q].rho = m->model.solution.rho ? m->model.solution.rho[q] : NAN;
	}
	mem_free(m->certificate);
	m->certificate = list;
	m->n_certificates = c->n_pairs;
	return 0;
}

/* The certificate is of the model's machine and kernel: it is none of a problem with others. */
static int check_same_problem(const struct model *m, const struct training *t, struct error *err)
{
	if (!m->is_linear_model && (m->type != t->type || m->kernel.type != t->kernel.type))
		return error_set(err, ERR_ARGUMENT, "the model has another machine or kernel");
	return 0;
}

int rsv_certify(rsv_model *model, const rsv_rows *rows, const struct rsv_training *training,
		const struct rsv_run *given, struct rsv_error *err)
{
	struct error failed = { 0 };
	struct api_problem p = { 0 };
	struct model_certificate c = { 0 };
	struct api_run run = { 0 };

	if (api_need(model, "model", &failed) == 0 && api_begin(&run, given, &failed) == 0 &&
	    api_problem_init(&p, rows, training, &run, &failed) == 0 &&
	    check_same_problem(&model->model, &p.training, &failed) == 0) {
		const struct row_source data = { dataset_scan, (void *)&rows->data };

		if (certify_model(&c, &model->model, &data, &p.training, run.options.n_threads,
				  &failed) == 0)
			take_certificates(model, &c, &rows->data, &failed);
	}
	model_certificate_free(&c);
	api_problem_free(&p);
	return api_end(&run, &failed, err);
}

int64_t rsv_model_n_certificates(const rsv_model *model)
{
	return model ? model->n_certificates : 0;
}

int rsv_model_certificate_sized(const rsv_model *model, int64_t k,
				struct rsv_certificate *certificate, size_t size,
				struct rsv_error *err)
{
	struct error failed = { 0 };

	if (api_need(certificate, "room for a certificate", &failed) < 0)
		return api_status(&failed, err);
	if (!model || k < 0 || k >= model->n_certificates)
		error_set(&failed, ERR_ARGUMENT, "there is no certificate %" PRId64, k);
	else
		api_write_struct(certificate, size, &model->certificate[k],
				 sizeof(model->certificate[k]));
	return api_status(&failed, err);
}

/* ---- models of fewer support vectors ---- */

static int reduce(struct rsv_model *reduced, const struct model *m, int64_t n_sv, double *change,
		  const struct api_run *run, struct error *err)
{
	double *own = mem_array(solution_n_pairs(m->solution.n_class), sizeof(*own), err);
	int ret = -1;

	if (n_sv < 1)
		error_set(err, ERR_ARGUMENT, "%" PRId64 " support vectors", n_sv);
	else if (own)
		ret = model_reduce(&reduced->model, m, n_sv, change ? change : own,
				   run->options.n_threads, err);
	mem_free(own);
	return ret;
}

static int retrain(struct rsv_model *m, const rsv_rows *rows, const struct rsv_training *training,
		   struct api_run *run, struct error *err)
{
	struct api_problem p = { 0 };
	int ret = -1;

	if (api_problem_init(&p, rows, training, run, err) == 0 &&
	    check_same_problem(&m->model, &p.training, err) == 0)
		ret = model_retrain(&m->model, &rows->data, &p.training, run->given.seed,
				    run->options.n_threads, err);
	api_problem_free(&p);
	return ret;
}

rsv_model *rsv_model_reduce(const rsv_model *model, int64_t n_sv, double *change,
			    const rsv_rows *rows, const struct rsv_training *training,
			    const struct rsv_run *given, struct rsv_error *err)
{
	struct error failed = { 0 };
	struct api_run run = { 0 };
	rsv_model *reduced = NULL;

	if (api_need(model, "model", &failed) == 0 && api_begin(&run, given, &failed) == 0)
		reduced = api_model_new(&failed);
	if (reduced && reduce(reduced, &model->model, n_sv, change, &run, &failed) == 0 &&
	    (rows || training))
		retrain(reduced, rows, training, &run, &failed);
	if (failed.code != ERR_NONE) {
		rsv_model_free(reduced);
		reduced = NULL;
	}
	api_end(&run, &failed, err);
	return reduced;
}

/*
 * api_train.c - training, certificates and reduced models of the public library
 *
 *     rows, rsv_training, rsv_run --> struct machine --> machine_train() --> rsv_model
 *
 * Training is randsvm-train's, by its own solvers alone: no LIBSVM is loaded.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "api.h"
#include "evaluate/certify.h"
#include "evaluate/machine_train.h"
#include "kernel/precomputed.h"
#include "model/compact.h"
#include "model/reduced_model.h"

/* ---- the problem ---- */

/* The programs' parsers let no other numbers through. */
static int check_finite(const struct rsv_training *t, struct error *err)
{
	const struct {
		const char *name;
		double value;
	} number[] = { { "gamma", t->gamma }, { "coef0", t->coef0 }, { "C", t->C },
		       { "nu", t->nu },	      { "p", t->p },	     { "eps", t->eps },
		       { "gap", t->gap } };

	for (int k = 0; k < N_ELEMENTS(number); k++)
		if (!isfinite(number[k].value))
			return error_set(err, ERR_ARGUMENT, "%s is %g", number[k].name,
					 number[k].value);
	return 0;
}

static struct machine_given given_of(const struct rsv_training *t, const struct api_run *run)
{
	return (struct machine_given){
		.training = { .type = (enum machine_type)t->machine,
			      .kernel = { .type = (enum kernel_type)t->kernel,
					  .degree = t->degree,
					  .gamma = t->gamma,
					  .coef0 = t->coef0 },
			      .C = t->C,
			      .nu = t->nu,
			      .p = t->p,
			      .cache_mb = TRAINING_USUAL_CACHE_MB,
			      .eps = t->eps,
			      .probability = t->probability,
			      .squared_loss = t->squared_loss != 0 },
		.options = { .seed = run->given.seed,
			     .n_threads = run->n_threads,
			     .gap = t->gap,
			     .budget = t->budget,
			     .max_rounds = t->max_rounds },
		.n_weights = t->n_weights,
		.label = t->label,
		.factor = t->weight,
		.balanced = t->balanced != 0,
		.one_vs_rest = t->one_vs_rest != 0,
		.cache_mb = run->given.cache_mb,
		.interruption = run->ends
	};
}

int api_machine_init(struct machine *m, const struct rsv_rows *rows,
		     const struct rsv_training *training, const struct api_run *run,
		     struct error *err)
{
	struct rsv_training own;
	struct machine_given given;

	rsv_training_init(&own);
	if (api_need(rows, "rows", err) < 0 ||
	    api_read_struct(&own, sizeof(own), training, "parameters", err) < 0 ||
	    check_finite(&own, err) < 0)
		return -1;
	given = given_of(&own, run);
	if (machine_init(m, &rows->data, &given, err) < 0)
		return -1;
	m->trainer.rounds = run->rounds.round ? &run->rounds : NULL;
	m->trainer.certifies = true;
	return 0;
}

/* ---- training ---- */

int rsv_doubts(const rsv_rows *rows, const struct rsv_training *training)
{
	FROM_CALLER;
	struct error asymmetry = { 0 };
	int doubts = 0;

	if (!rows)
		return 0;
	if (rows->data.has_qid && !rows->data.group)
		doubts |= RSV_DOUBT_QID;
	if (rows->data.has_rounded)
		doubts |= RSV_DOUBT_ROUNDED;
	if (training && training->kernel == RSV_PRECOMPUTED &&
	    precomputed_check(&rows->data.x, &asymmetry) == 0 &&
	    precomputed_check_symmetry(&rows->data.x, &asymmetry) < 0 &&
	    asymmetry.code != ERR_MEMORY)
		doubts |= RSV_DOUBT_ASYMMETRY;
	return doubts;
}

static struct rsv_certificate certificate_of(int label_a, int label_b, int64_t n_rows,
					     const struct certificate *c)
{
	const double gap = certificate_proves(c) ? certificate_gap(c) : NAN,
		     relative = certificate_is_below_dual(c) ? NAN : certificate_relative_gap(c);

	return (struct rsv_certificate){ .size = sizeof(struct rsv_certificate),
					 .label_a = label_a,
					 .label_b = label_b,
					 .n_rows = n_rows,
					 .primal = c->primal,
					 .dual = isfinite(c->dual) ? c->dual : NAN,
					 .rounding = c->rounding,
					 .relative_gap = isfinite(relative) ? relative : NAN,
					 .n_violators = c->n_violators,
					 .n_sv = c->n_sv,
					 .n_bounded = c->n_bounded_sv,
					 .excess = c->excess,
					 .gap = isfinite(gap) ? gap : NAN };
}

/* Certificates of the pairs into the model; ERR_NUMERIC where there is no solution. */
static int keep_certificates(struct rsv_model *m, const struct pair_result *pairs, int64_t n,
			     struct error *err)
{
	m->certificate = mem_array(n, sizeof(*m->certificate), err);
	if (!m->certificate)
		return -1;
	for (int64_t q = 0; q < n; q++) {
		const struct certificate *c = &pairs[q].solved.certificate;

		if (certificate_check(c, "", err) < 0)
			return -1;
		m->certificate[q] =
			certificate_of(pairs[q].label_a, pairs[q].label_b, pairs[q].n, c);
		m->certificate[q].rho = pairs[q].rho;
		m->certificate[q].rounds = pairs[q].solved.rounds;
		m->certificate[q].ended_early = stop_reason_is_early(pairs[q].solved.reason);
	}
	m->n_certificates = n;
	m->was_interrupted = trainer_was_interrupted(pairs, n);
	return 0;
}

static int make_model(struct rsv_model *to, const struct machine *m, struct machine_result *r,
		      struct error *err)
{
	struct model full;
	int ret;

	if (keep_certificates(to, r->pairs, r->n_pairs, err) < 0)
		return -1;
	to->far_error = r->solution.far_error;
	if (to->far_error == 0)
		to->sv_row =
			mem_copy(r->solution.sv_row, r->solution.n_sv, sizeof(*to->sv_row), err);
	if (err->code != ERR_NONE)
		return -1;
	ret = m->given.one_vs_rest ?
		      one_vs_rest_model(&to->chain.model, &r->machines, &m->classes, err) :
		      model_from_solution(&to->chain.model, &m->training, &r->solution,
					  &m->trainer.data->x, err);
	if (ret == 0 && to->far_error > 0) {
		full = to->chain.model;
		ret = model_compact(&to->chain.model, &full, err);
		model_free(&full);
	}
	return ret < 0 ? ret : model_check(&to->chain.model, err);
}

rsv_model *rsv_train(const rsv_rows *rows, const struct rsv_training *training,
		     const struct rsv_run *given, struct rsv_error *err)
{
	API_CALL(failed);
	struct machine m = { 0 };
	struct machine_result found = { 0 };
	struct api_run run;
	rsv_model *model = NULL;

	if (api_run_init(&run, given, &failed) == 0 &&
	    api_machine_init(&m, rows, training, &run, &failed) == 0)
		model = api_model_new(&failed);
	if (model && machine_train(&m, NULL, &found, &failed) == 0)
		make_model(model, &m, &found, &failed);
	machine_result_free(&found);
	machine_free(&m);
	return api_give_model(model, &failed, err);
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
		list[q].rho = m->chain.model.solution.rho ? m->chain.model.solution.rho[q] : NAN;
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
	API_CALL(failed);
	struct machine m = { 0 };
	struct model_certificate c = { 0 };
	struct api_run run;

	if (api_need_model(model, &failed) == 0 && api_need_features(rows, &failed) == 0 &&
	    api_begin(&run, given, &failed) == 0 &&
	    api_machine_init(&m, rows, training, &run, &failed) == 0 &&
	    check_same_problem(&model->chain.model, &m.training, &failed) == 0) {
		const struct row_source data = { dataset_scan, (void *)&rows->data };

		if (certify_model(&c, &model->chain.model, &data, &m.training,
				  &(struct certify_options){ .n_threads = run.n_threads },
				  &failed) == 0)
			take_certificates(model, &c, &rows->data, &failed);
	}
	model_certificate_free(&c);
	machine_free(&m);
	return api_status(&failed, err);
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

	api_need(certificate, "room for a certificate", &failed);
	if (!model || k < 0 || k >= model->n_certificates)
		error_set(&failed, ERR_ARGUMENT, "there is no certificate %" PRId64, k);
	else if (size < sizeof(model->certificate[k]))
		error_set(&failed, ERR_ARGUMENT, "a struct of %zu bytes is of no version", size);
	else if (certificate)
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
		ret = model_reduce(&reduced->chain.model, m, n_sv, change ? change : own,
				   run->n_threads, err);
	mem_free(own);
	return ret;
}

static int retrain(struct rsv_model *to, const rsv_rows *rows, const struct rsv_training *training,
		   struct api_run *run, struct error *err)
{
	struct machine m = { 0 };
	int ret = -1;

	if (api_machine_init(&m, rows, training, run, err) == 0 &&
	    check_same_problem(&to->chain.model, &m.training, err) == 0)
		ret = model_retrain(&to->chain.model, &rows->data, &m.training, run->given.seed,
				    run->n_threads, err);
	machine_free(&m);
	return ret;
}

rsv_model *rsv_model_reduce(const rsv_model *model, int64_t n_sv, double *change,
			    const rsv_rows *rows, const struct rsv_training *training,
			    const struct rsv_run *given, struct rsv_error *err)
{
	API_CALL(failed);
	struct api_run run;
	rsv_model *reduced = NULL;

	if (api_need_model(model, &failed) == 0 && api_begin(&run, given, &failed) == 0)
		reduced = api_model_new(&failed);
	if (reduced && reduce(reduced, &model->chain.model, n_sv, change, &run, &failed) == 0 &&
	    (rows || training))
		retrain(reduced, rows, training, &run, &failed);
	return api_give_model(reduced, &failed, err);
}

/*
 * choice.c - the features that fs-select chooses: by which rows, by which method
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "choice.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "geometry/reduction_sizes.h"
#include "geometry/row_sketch.h"
#include "select/bss.h"
#include "select/leverage.h"
#include "select/lpsvm.h"
#include "select/rfe.h"
#include "select/rrqr.h"
#include "select/selection_map.h"
#include "select/uniform.h"
#include "smo/smo.h"
#include "train/trainer.h"

const char *const choice_sampling_names[] = { "iid", "bernoulli", NULL };

_Noreturn static void fail(const struct choice *c, const struct error *err)
{
	cli_fail("%s: %s: %s", c->settings->program, c->settings->data_name, err->text);
}

/* ---- the rows that count ---- */

void choice_check_values(const struct choice *c)
{
	const struct csr *x = &c->data->x;

	for (int64_t i = 0; i < x->n_rows; i++)
		for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++)
			if (!isfinite(x->val[k]))
				cli_fail("%s: %s: feature %" PRId32 " of row %" PRId64
					 " is not finite: nothing can be chosen by it",
					 c->settings->program, c->settings->data_name, x->col[k],
					 i + 1);
}

/* Does anything need the labels to be classes? */
static bool needs_classes(const struct choice_settings *o)
{
	return !o->regression &&
	       (!o->unsupervised || o->method == SELECT_RFE || o->method == SELECT_LPSVM);
}

static void find_classes(struct choice *c)
{
	const struct choice_settings *o = c->settings;
	struct error err = { 0 };

	if (classes_init(&c->classes, c->data, &err) < 0)
		cli_fail("%s: %s: %s (for targets say --regression, to look at no label "
			 "--unsupervised)", o->program, o->data_name, err.text);
	if (c->classes.n < 2 && !o->unsupervised)
		cli_fail("%s: %s: there is only one class, so no support vectors; say "
			 "--unsupervised", o->program, o->data_name);
	if (o->method == SELECT_LPSVM && c->classes.n != 2)
		cli_fail("%s: %s: lpsvm is for two classes, not %d", o->program, o->data_name,
			 c->classes.n);
}

static void show_round(void *arg, const struct randsvm_round *round)
{
	cli_progress_text(&((struct choice *)arg)->progress,
			  "round %d, %" PRId64 " SVs, %" PRId64 " violators", round->number,
			  round->n_sv, round->n_violators);
}

static int train(struct choice *c, struct solution *solution, struct error *err)
{
	const struct choice_settings *o = c->settings;
	const struct randsvm_options working_sets = {
		.mode = WORKING_SET_EXACT, .seed = o->seed, .eps = o->eps,
		.n_threads = o->n_threads,
	};
	const struct solver solver = smo_solver(1000, o->n_threads);
	const struct classes *classes = o->regression ? NULL : &c->classes;
	const struct randsvm_observer rounds = { show_round, c };
	const struct libsvm_messages silent = { 0 };
	const struct trainer trainer = { .data = c->data, .training = &c->training,
					 .options = &working_sets, .solver = &solver,
					 .rounds = &rounds, .messages = &silent };

	if (trainer_direct_reason(&trainer, classes))
		return trainer_run_direct(&trainer, solution, err);
	return trainer_run(&trainer, classes, solution, NULL, err);
}

static int compare_rows(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void take_support_vectors(struct choice *c)
{
	const struct choice_settings *o = c->settings;
	struct solution solution = { 0 };
	struct error err = { 0 };

	cli_progress_start(&c->progress, "training", o->progress, o->quiet);
	if (train(c, &solution, &err) < 0)
		fail(c, &err);
	cli_progress_end(&c->progress);
	c->row = solution.sv_row;
	c->n_rows = solution.n_sv;
	solution.sv_row = NULL;
	solution_free(&solution);
	if (c->n_rows == 0)
		cli_fail("%s: %s: there are no support vectors: values that are too large or too "
			 "small for %s; scale them, or say --unsupervised", o->program,
			 o->data_name, o->regression ? "-p" : "doubles");
	qsort(c->row, (size_t)c->n_rows, sizeof(*c->row), compare_rows);
	if (dataset_gather(&c->gathered, c->data, c->row, c->n_rows, &err) < 0)
		fail(c, &err);
	c->part = &c->gathered;
	if (o->verbose)
		cli_warn("%" PRId64 " of %" PRId64 " rows are support vectors", c->n_rows,
			 c->data->x.n_rows);
}

void choice_find_rows(struct choice *c)
{
	const struct choice_settings *o = c->settings;

	c->training = (struct training){
		.type = o->regression ? MACHINE_EPSILON_SVR : MACHINE_C_SVC,
		.kernel = { .type = KERNEL_LINEAR }, .C = o->C, .p = o->p, .cache_mb = 100,
		.eps = o->eps, .shrinking = 1, .nu = 0.5,
	};
	if (needs_classes(o))
		find_classes(c);
	c->part = c->data;
	c->n_rows = c->data->x.n_rows;
	if (!o->unsupervised)
		take_support_vectors(c);
	report_count(c->results, "rows_chosen_by", c->n_rows);
}

/* ---- what they span, and how many features that takes ---- */

static struct row_space_options space_options(const struct choice_settings *o)
{
	return (struct row_space_options){ .rank_tol = o->rank_tol, .max_bytes = o->max_bytes,
					   .n_threads = o->n_threads };
}

static void need_features(const struct choice *c, int64_t rank)
{
	if (rank == 0)
		cli_fail("%s: %s: the rows that count have no features", c->settings->program,
			 c->settings->data_name);
}

static void find_space(struct choice *c, struct row_space *space,
		       const struct row_space_options *how)
{
	const struct choice_settings *o = c->settings;
	struct error err = { 0 };

	if (row_space_init(space, &c->part->x, how, &err) < 0)
		cli_fail("%s: %s: %s%s", o->program, o->data_name, err.text,
			 err.code != ERR_ARGUMENT ? "" : o->unsupervised ?
			 "; approx-bss does with less, or a supervised choice" :
			 "; approx-bss does with less");
	need_features(c, space->rank);
	if (o->verbose)
		cli_warn("rank %" PRId64 " of %" PRId64 " rows and %" PRId64 " features%s",
			 space->rank, c->n_rows, space->columns.n, space->by_qr ? ", by QR" : "");
}

static const struct row_space *choice_space(struct choice *c)
{
	const struct row_space_options how = space_options(c->settings);

	if (!c->has_space)
		find_space(c, &c->space, &how);
	c->has_space = true;
	return &c->space;
}

const struct row_space *choice_whole_space(struct choice *c)
{
	struct row_space_options how = space_options(c->settings);

	if (how.rank_tol == 0)
		return choice_space(c);
	how.rank_tol = 0;
	if (!c->has_whole)
		find_space(c, &c->whole, &how);
	c->has_whole = true;
	return &c->whole;
}

/* -k, or what --epsilon makes of the rank. */
static void settle_size(struct choice *c, int64_t rank)
{
	const struct choice_settings *o = c->settings;

	c->n_wanted = o->n_features;
	if (o->epsilon == 0)
		return;
	c->n_wanted = sizes_for_error(rank, o->epsilon);
	if (!o->quiet)
		cli_warn("k = %" PRId64 " = rho / (sqrt(1 + E) - 1)^2 with the rank rho = %" PRId64
			 " (the paper: 36 rho / E^2 = %" PRId64 ")", c->n_wanted, rank,
			 sizes_of_paper(rank, o->epsilon));
}

/* ---- methods ---- */

static void show_steps(void *arg, int64_t done, int64_t total)
{
	cli_progress_text(&((struct choice *)arg)->progress, "%" PRId64 " of %" PRId64 " features",
			  done, total);
}

static void tell_of_bss(const struct choice *c, const struct bss_report *r)
{
	const struct choice_settings *o = c->settings;

	report_count(c->results, "rank", r->dimension);
	report_count(c->results, "visited", r->n_visited);
	report_count(c->results, "chosen_again", r->n_again);
	report_number(c->results, "least_eigenvalue", r->least);
	report_number(c->results, "largest_eigenvalue", r->largest);
	if (r->truncated && !o->quiet)
		cli_warn("warning: -k %" PRId64 " is not above the rank: only the %" PRId64
			 " largest directions count, and nothing bounds the others", c->n_wanted,
			 r->dimension);
	if (r->all && !o->quiet)
		cli_warn("no more than %" PRId64 " features have values: all are taken, as they "
			 "are", c->n_wanted);
	if (!o->verbose)
		return;
	cli_warn("%" PRId64 " features looked at, %" PRId64 " at most in a step; %" PRId64
		 " steps took one again, %" PRId64 " one that rounding spoilt", r->n_visited,
		 r->max_visited, r->n_again, r->n_forced);
	cli_warn("eigenvalues of sum w^2 v v' from %g to %g, bounds %g and %g", r->least,
		 r->largest, r->low, r->high);
}

static int choose_in_space(struct choice *c, const struct row_space *space, struct error *err)
{
	const struct bss_options how = { .n_features = c->n_wanted,
					 .n_threads = c->settings->n_threads,
					 .progress = show_steps, .arg = c };
	struct bss_report report = { 0 };

	if (bss_select(&c->chosen, space, &how, &report, err) < 0)
		return -1;
	tell_of_bss(c, &report);
	return 0;
}

static int choose_bss(struct choice *c, struct error *err)
{
	return choose_in_space(c, choice_space(c), err);
}

static int choose_approx_bss(struct choice *c, struct error *err)
{
	const struct choice_settings *o = c->settings;
	const struct row_sketch_options how = { .n_rows = o->sketch_rows, .seed = o->seed,
						.space = space_options(o) };
	struct row_space space = { 0 };
	bool sketched;
	int ret;

	if (row_sketch_space(&space, &c->part->x, &how, &sketched, err) < 0)
		return -1;
	need_features(c, space.rank);
	settle_size(c, space.rank);
	if (sketched && c->n_wanted <= space.rank)
		cli_fail("%s: -k: approx-bss takes more features than the sketch has rows, %" PRId64
			 ": a smaller -T, or a larger -k", o->program, space.rank);
	if (o->verbose)
		cli_warn(sketched ? "a sketch of %" PRId64 " rows" :
				    "no sketch: the rank is %" PRId64, space.rank);
	ret = choose_in_space(c, &space, err);
	row_space_free(&space);
	return ret;
}

static enum leverage_rule rule_of(const struct choice_settings *o)
{
	if (o->method == SELECT_TOP)
		return LEVERAGE_TOP;
	return o->sampling == CHOICE_IID ? LEVERAGE_IID : LEVERAGE_BERNOULLI;
}

static int choose_by_scores(struct choice *c, const struct leverage *l, struct error *err)
{
	const struct choice_settings *o = c->settings;

	report_count(c->results, "rank", l->rank);
	if (o->verbose)
		cli_warn("scores of %" PRId64 " features, which add up to the rank %" PRId64 "%s",
			 l->n, l->rank, l->sketched ? ", about" : "");
	return leverage_select(&c->chosen, l, c->n_wanted, rule_of(o), o->seed, err);
}

static int choose_leverage(struct choice *c, struct error *err)
{
	const struct row_space *space = choice_space(c);
	struct leverage l = { 0 };
	int ret = leverage_exact(&l, space, c->settings->n_threads, err);

	if (ret == 0)
		ret = choose_by_scores(c, &l, err);
	leverage_free(&l);
	return ret;
}

static int choose_approx_leverage(struct choice *c, struct error *err)
{
	const struct leverage_options how = { .seed = c->settings->seed,
					      .max_bytes = c->settings->max_bytes,
					      .n_threads = c->settings->n_threads };
	struct leverage l = { 0 };
	int ret = leverage_approximate(&l, &c->part->x, &how, err);

	if (ret == 0) {
		need_features(c, l.rank);
		settle_size(c, l.rank);
		ret = choose_by_scores(c, &l, err);
	}
	leverage_free(&l);
	return ret;
}

/* How many of the features chosen have no value in the rows that count. */
static int count_empty(const struct choice *c, int64_t *n, struct error *err)
{
	struct selection_index index = { 0 };
	const struct csr *x = &c->part->x;
	bool *seen = mem_zeroed(c->chosen.n, sizeof(*seen), err);
	int ret = seen ? selection_index_init(&index, &c->chosen, err) : -1;

	*n = c->chosen.n;
	for (int64_t k = 0; ret == 0 && k < csr_n_entries(x); k++) {
		int64_t number = selection_find(&index, x->col[k]);

		if (number < 0 || x->val[k] == 0 || seen[number])
			continue;
		seen[number] = true;
		--*n;
	}
	selection_index_free(&index);
	free(seen);
	return ret;
}

static int choose_rrqr(struct choice *c, struct error *err)
{
	const struct choice_settings *o = c->settings;
	const struct rrqr_options how = { .n_features = c->n_wanted,
					  .beyond = (enum rrqr_beyond)o->beyond,
					  .n_threads = o->n_threads };
	int64_t rank, n_empty = 0;

	if (rrqr_select(&c->chosen, &c->part->x, &how, &rank, err) < 0)
		return -1;
	need_features(c, rank);
	report_count(c->results, "pivots", rank);
	if (o->verbose)
		cli_warn("%" PRId64 " pivots, %" PRId64 " features beyond the rank", rank,
			 c->chosen.n - rank);
	if (o->beyond != RRQR_LAPACK)
		return 0;
	if (count_empty(c, &n_empty, err) < 0)
		return -1;
	if (n_empty > 0 && !o->quiet)
		cli_warn("warning: %" PRId64 " of the features that --beyond lapack takes have no "
			 "values in the rows that count", n_empty);
	return 0;
}

/* A machine for each pair of the part's classes, or one for the targets. */
static int make_problems(const struct choice *c, const struct classes *classes,
			 struct problem *problem, struct error *err)
{
	int64_t q = 0;

	if (c->settings->regression)
		return regression_problem(problem, c->part, &c->training, err);
	for (int a = 0; a < classes->n; a++)
		for (int b = a + 1; b < classes->n; b++, q++)
			if (classes_pair_problem(&problem[q], classes, a, b, false, c->part,
						 &c->training, err) < 0)
				return -1;
	return 0;
}

static int eliminate(struct choice *c, const struct rfe_trainer *trainer, struct error *err)
{
	const struct rfe_options how = { .n_features = c->n_wanted,
					 .fraction = c->settings->fraction,
					 .n_threads = c->settings->n_threads };

	return rfe_select(&c->chosen, &c->part->x, &how, trainer, err);
}

static int train_machines(void *arg, const struct rfe_step *step, double *beta, double *f,
			  struct error *err)
{
	struct choice *c = arg;

	c->has_trained = true;
	cli_progress_text(&c->progress, "%" PRId64 " features left", step->n_features);
	return rfe_machines_train(&c->machines, step, beta, f, err);
}

static int eliminate_by(struct choice *c, const struct problem *problem, int n, struct error *err)
{
	const struct choice_settings *o = c->settings;
	const struct rfe_trainer trainer = { n, train_machines, c };
	struct rfe_machine *machine = mem_zeroed(n, sizeof(*machine), err);
	int ret;

	if (!machine)
		return -1;
	for (int q = 0; q < n; q++)
		machine[q] = (struct rfe_machine){ .problem = problem[q].view, .eps = o->eps,
						   .seed = o->seed, .n_threads = o->n_threads };
	c->machines = (struct rfe_machines){ n, machine };
	ret = eliminate(c, &trainer, err);
	c->machines = (struct rfe_machines){ 0 };
	free(machine);
	return ret;
}

/* One class: there is nothing to tell apart, and all weights stay 0. */
static int train_nothing(void *arg, const struct rfe_step *step, double *beta, double *f,
			 struct error *err)
{
	(void)arg;
	(void)step;
	(void)beta;
	(void)f;
	(void)err;
	return 0;
}

static int eliminate_blindly(struct choice *c, struct error *err)
{
	static const struct rfe_trainer nothing = { 1, train_nothing, NULL };

	if (!c->settings->quiet)
		cli_warn("warning: there is only one class, so rfe has no weights to go by: the "
			 "first features with values are left");
	return eliminate(c, &nothing, err);
}

static int choose_rfe(struct choice *c, struct error *err)
{
	bool regression = c->settings->regression;
	struct classes classes = { 0 };
	struct problem *problem;
	int n = 1, ret;

	if (!regression && c->classes.n == 1)
		return eliminate_blindly(c, err);
	if (!regression && classes_init(&classes, c->part, err) < 0)
		return -1;
	if (!regression)
		n = (int)solution_n_pairs(classes.n);
	problem = mem_zeroed(n, sizeof(*problem), err);
	ret = problem ? make_problems(c, &classes, problem, err) : -1;
	if (ret == 0)
		ret = eliminate_by(c, problem, n, err);
	for (int q = 0; problem && q < n; q++)
		problem_free(&problem[q]);
	free(problem);
	classes_free(&classes);
	if (ret == 0 && c->has_trained && c->chosen.n > 0 && c->chosen.score[0] == 0 &&
	    !c->settings->quiet)
		cli_warn("warning: all weights of rfe's machine are 0, so the first features with "
			 "values are left");
	return ret;
}

static void tell_of_lpsvm(const struct choice *c, const struct lpsvm_result *r)
{
	report_number(c->results, "nu", r->nu);
	report_number(c->results, "primal", r->primal);
	report_number(c->results, "dual", r->dual);
	report_number(c->results, "relative_gap", r->gap);
	if (!r->converged)
		cli_warn("warning: lpsvm ended with a relative gap of %g", r->gap);
	if (c->settings->verbose)
		cli_warn("nu = %g: %" PRId64 " features, objective between %g and %g", r->nu,
			 c->chosen.n, r->dual, r->primal);
}

static int choose_lpsvm(struct choice *c, struct error *err)
{
	const struct choice_settings *o = c->settings;
	const struct lpsvm_options how = { .nu = o->nu, .target = o->nu > 0 ? 0 : c->n_wanted,
					   .n_threads = o->n_threads };
	struct lpsvm_result result;
	double *y = mem_array(c->n_rows, sizeof(*y), err);
	int ret = -1;

	for (int64_t i = 0; y && i < c->n_rows; i++)
		y[i] = (int)c->part->y[i] == c->classes.label[0] ? 1 : -1;
	if (y)
		ret = lpsvm_select(&c->chosen, &c->part->x, y, &how, &result, err);
	free(y);
	if (ret < 0)
		return -1;
	if (c->chosen.n == 0 && o->nu == 0)
		return error_set(err, ERR_ARGUMENT, "lpsvm takes no feature with any NU from %g to "
				 "%g; scale the values?", LPSVM_LEAST_NU, LPSVM_MOST_NU);
	tell_of_lpsvm(c, &result);
	return 0;
}

static int choose_uniform(struct choice *c, struct error *err)
{
	const struct choice_settings *o = c->settings;
	const struct uniform_options how = { c->n_wanted, o->all_features, o->seed };

	return uniform_select(&c->chosen, &c->part->x, &how, err);
}

typedef int choose_function(struct choice *c, struct error *err);

static choose_function *const methods[] = {
	[SELECT_BSS] = choose_bss,
	[SELECT_APPROX_BSS] = choose_approx_bss,
	[SELECT_LEVERAGE] = choose_leverage,
	[SELECT_APPROX_LEVERAGE] = choose_approx_leverage,
	[SELECT_TOP] = choose_leverage,
	[SELECT_RRQR] = choose_rrqr,
	[SELECT_RFE] = choose_rfe,
	[SELECT_LPSVM] = choose_lpsvm,
	[SELECT_UNIFORM] = choose_uniform,
};

/* Fewer than wanted; or, where chance or a parameter decides, some other number. */
static void tell_number(const struct choice *c)
{
	const struct choice_settings *o = c->settings;
	bool random = o->method == SELECT_LEVERAGE || o->method == SELECT_APPROX_LEVERAGE;

	if (o->quiet || c->n_wanted == 0 || c->chosen.n == c->n_wanted)
		return;
	if (random && o->sampling == CHOICE_IID)
		cli_warn("%" PRId64 " different features in %" PRId64 " draws", c->chosen.n,
			 c->n_wanted);
	else
		cli_warn("%" PRId64 " features were chosen, not %" PRId64, c->chosen.n,
			 c->n_wanted);
}

void choice_make(struct choice *c)
{
	const struct choice_settings *o = c->settings;
	struct error err = { 0 };

	cli_progress_start(&c->progress, "choosing", o->progress, o->quiet);
	/* of an approximation, its own rank */
	if (o->method != SELECT_APPROX_BSS && o->method != SELECT_APPROX_LEVERAGE)
		settle_size(c, o->epsilon > 0 ? choice_space(c)->rank : 0);
	if (methods[o->method](c, &err) < 0)
		fail(c, &err);
	cli_progress_end(&c->progress);
	tell_number(c);
	report_count(c->results, "wanted", c->n_wanted);
	report_count(c->results, "features", c->chosen.n);
}

void choice_free(struct choice *c)
{
	classes_free(&c->classes);
	free(c->row);
	dataset_free(&c->gathered);
	row_space_free(&c->space);
	row_space_free(&c->whole);
	selection_free(&c->chosen);
	*c = (struct choice){ 0 };
}

/*
 * eval_geometry.c - svm-eval --geometry: rank, radius and margin, and what a reduction did to them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common/read_rows.h"
#include "eval.h"
#include "evaluate/margin.h"
#include "geometry/ball.h"
#include "geometry/reduction.h"
#include "model/compact.h"
#include "train/rounds.h"

/* Rows and features above which the rank is estimated, from this many combinations of rows. */
#define RANK_ROWS 1000

/* Share of the largest singular value below which others do not count, in an estimated rank. */
#define RANK_TOLERANCE 1e-4

/*
 * What the theorems about numbers of support vectors leave open: the part of the margin that may be
 * lost, and the probability of losing more.  And RandSVM's own k, by the defaults of randsvm-train.
 */
#define LOSS 0.5
#define DELTA 0.1
#define RANDSVM_EPSILON 0.2
#define RANDSVM_DELTA 0.9

struct geometry {
	/* rank, and number of combinations it was estimated from; 0: the rank of all rows */
	int64_t rank, n_combinations;
	struct ball ball;
	bool has_margin, in_input_space;
	double margin; /* least margin of the decision functions; NAN: no function has one */
	int64_t n_functions;
	/* number of support vectors of the model; -1: the model has weights */
	int64_t n_sv;
	/* sizes by the theorems; NAN without a margin, and theorem_k without a tube */
	double theorem_k, core_k;
	int64_t randsvm_k;
	enum prediction_kind kind; /* what the model predicts */
	bool tells_tube;	   /* tube is known: p is given, or is epsilon-SVR's default */
	struct kernel kernel;	   /* kernel of a model that is not linear */
};

static void find_rank(struct geometry *g, const struct csr *x, const char *name)
{
	struct row_sketch_options options = { .n_rows = RANK_ROWS,
					      .seed = 1,
					      .space = { .n_threads =
								 (int)settings.common.n_threads } };
	struct row_space space = { 0 };
	struct error err = { 0 };
	struct columns columns = { 0 };
	bool sketched = false;

	if (columns_init(&columns, x, NULL, &err) < 0)
		cli_fail("%s: %s", name, err.text);
	if (columns.n > RANK_ROWS && x->n_rows > RANK_ROWS)
		options.space.rank_tol = RANK_TOLERANCE;
	columns_free(&columns);
	if (row_sketch_space(&space, x, &options, &sketched, &err) < 0)
		cli_fail("%s: %s", name, err.text);
	g->rank = space.rank;
	g->n_combinations = sketched ? RANK_ROWS : 0;
	row_space_free(&space);
}

static void find_margin(struct geometry *g, const struct dataset *d, const char *name)
{
	const struct row_batch rows = csr_as_batch(&d->x, d->y);
	struct eval_remarks remarks;
	struct predictor p = { 0 };
	struct model model = { 0 };
	struct error err = { 0 };
	double *norm2;

	if (model_read(&model, name, &err) < 0 || predictor_init(&p, &model, &err) < 0)
		cli_fail("can't open model file %s: %s", name, err.text);
	norm2 = mem_array(p.n_values, sizeof(*norm2), &err);
	if (!norm2 || margin_norms(&p, norm2, (int)settings.common.n_threads, &err) < 0)
		cli_fail("%s: %s", name, err.text);
	g->has_margin = true;
	g->in_input_space = model.is_linear_model || model.kernel.type == KERNEL_LINEAR;
	g->n_functions = p.n_values;
	g->n_sv = model.is_linear_model || model_is_compact(&model) ? -1 : model.solution.n_sv;
	g->kind = p.kind;
	g->tells_tube = cli_given("-p") || model.type != MACHINE_NU_SVR;
	if (cli_given("-p") && p.kind != PREDICTS_VALUE)
		cli_remark("-p has no effect: %s is no regression", name);
	g->kernel = model.kernel;
	g->margin = p.n_values > 0 ? INFINITY : NAN;
	for (int64_t v = 0; v < p.n_values && !isnan(g->margin); v++)
		g->margin = norm2[v] >= 0 ? fmin(g->margin, 1 / sqrt(norm2[v])) : NAN;
	/* note if features or values of 'd' do not fit the model */
	remarks = eval_remarks_begin(&p);
	eval_remarks_add(&remarks, &rows);
	eval_remarks_values(&remarks);
	mem_free(norm2);
	predictor_free(&p);
	model_free(&model);
}

/*
 * What the theorems say.  The origin of the data does not matter, as b is free, so that L is the
 * radius; in the space of a kernel it is the largest sqrt(K(x, x)).
 */
static void find_sizes(struct geometry *g, const struct csr *x, double p)
{
	double n = (double)x->n_rows, largest = 0, radius;

	for (int64_t i = 0; i < x->n_rows && !g->in_input_space; i++)
		largest = fmax(largest, kernel_diagonal(&g->kernel, csr_row_norm2(x, i)));
	radius = g->in_input_space ? g->ball.radius_high : sqrt(largest);
	if (g->kind != PREDICTS_VALUE)
		g->theorem_k = sv_sizes_margin(n, radius, g->margin, LOSS, DELTA);
	else if (g->tells_tube && p > 0)
		g->theorem_k = sv_sizes_tube(n, radius, g->margin, p, LOSS, DELTA);
	else
		/* theorem_k is unknown: nu-SVR's model lacks the tube, and p = 0 is no tube */
		g->theorem_k = NAN;
	g->core_k = sv_sizes_core(radius, g->margin, LOSS);
	g->randsvm_k = x->n_rows > 0 ?
			       randsvm_default_k(x->n_rows, RANDSVM_EPSILON, RANDSVM_DELTA, false) :
			       0;
}

/* Ratio of radius and margin; with the upper bound of the radius, an upper bound. */
static double ratio_of(const struct geometry *g)
{
	double ratio = g->ball.radius_high / g->margin;

	return g->has_margin && g->in_input_space ? ratio * ratio : NAN;
}

/* Print sizes by the theorems, to compare with the number of support vectors. */
static void print_sizes(const struct geometry *g, FILE *to)
{
	if (isnan(g->margin) || g->kind == PREDICTS_SIDE)
		return;
	if (g->kind == PREDICTS_VALUE && !isnan(g->theorem_k))
		fprintf(to,
			"k by the theorem = %.6g (keeps the tube to %g of p%s with probability %g)\n",
			g->theorem_k, 1 + LOSS, cli_given("-p") ? "" : ", by default 0.1,",
			1 - DELTA);
	else if (g->kind != PREDICTS_VALUE)
		fprintf(to,
			"k by the theorem = %.6g (keeps %g of the margin with probability %g)\n",
			g->theorem_k, 1 - LOSS, 1 - DELTA);
	fprintf(to, "k of RandSVM = %" PRId64 " (epsilon %g, delta %g)\n", g->randsvm_k,
		RANDSVM_EPSILON, RANDSVM_DELTA);
	if (g->kind != PREDICTS_VALUE)
		fprintf(to, "core set for the margin = %.6g (the order: radius^2/margin^2 / %g)\n",
			g->core_k, LOSS);
	if (g->n_sv >= 0)
		fprintf(to, "support vectors = %" PRId64 "\n", g->n_sv);
}

static void print_geometry(const struct geometry *g, const struct dataset *d, const char *name,
			   FILE *to)
{
	fprintf(to, "%s: %" PRId64 " rows, %" PRId64 " entries\n", name, d->x.n_rows,
		csr_n_entries(&d->x));
	if (g->n_combinations == 0)
		fprintf(to, "rank = %" PRId64 "\n", g->rank);
	else
		fprintf(to,
			"rank %s %" PRId64 " (estimated from %" PRId64
			" random combinations of rows)\n",
			g->rank == g->n_combinations ? ">=" : "=", g->rank, g->n_combinations);
	fprintf(to, "radius = %.9g (proved: %.9g to %.9g)\n", g->ball.radius_low,
		g->ball.radius_low, g->ball.radius_high);
	fprintf(to, "core set of the ball = %" PRId64 " rows\n", g->ball.n_core);
	if (!g->has_margin)
		return;
	fprintf(to, "margin = %.9g (1/|w|%s%s)\n", g->margin,
		g->n_functions > 1 ? ", the least of all decision functions" : "",
		g->in_input_space ? "" : ", in the space of the kernel");
	if (g->in_input_space)
		fprintf(to, "radius^2/margin^2 = %.9g\n", ratio_of(g));
	else
		fprintf(to,
			"radius^2/margin^2: not for this kernel: the radius is that of the data "
			"themselves\n");
	print_sizes(g, to);
}

static void report_geometry(const struct geometry *g, const struct dataset *d, struct report *r)
{
	report_count(r, "rows", d->x.n_rows);
	report_count(r, "entries", csr_n_entries(&d->x));
	report_count(r, "rank", g->rank);
	report_flag(r, "rank_is_lower_bound", g->n_combinations && g->rank == g->n_combinations);
	report_number(r, "radius", g->ball.radius_low);
	report_number(r, "radius_upper", g->ball.radius_high);
	report_count(r, "ball_core_set", g->ball.n_core);
	if (!g->has_margin)
		return;
	report_number(r, "margin", g->margin);
	report_number(r, "radius2_over_margin2", ratio_of(g));
	if (g->n_sv >= 0)
		report_count(r, "n_sv", g->n_sv);
	if (g->kind == PREDICTS_SIDE)
		return;
	report_number(r, "theorem_k", g->theorem_k);
	report_count(r, "paper_k", g->randsvm_k);
	report_number(r, "margin_core_set", g->kind == PREDICTS_VALUE ? NAN : g->core_k);
}

/* Measure data and model, print what was found, and report it. */
static void measure(struct cli_run *run, struct geometry *g, const struct dataset *d,
		    const char *name, const char *model_name, struct report *report)
{
	struct ball_options options = { settings.ball_tolerance, (int)settings.common.n_threads };
	struct error err = { 0 };

	cli_run_progress(run, "measuring");
	if (model_name)
		find_margin(g, d, model_name);
	if (ball_enclose(&g->ball, NULL, &d->x, &options, &err) < 0)
		cli_fail("%s: %s", name, err.text);
	find_rank(g, &d->x, name);
	if (g->has_margin)
		find_sizes(g, &d->x, settings.training.p);
	cli_progress_end(&run->progress);
	if (!settings.common.quiet)
		print_geometry(g, d, name, run->info);
	report_geometry(g, d, report);
}

/* ---- Against a reference ---- */

static void compare(const struct geometry *g, const struct geometry *of_reference,
		    const struct dataset *d, const struct dataset *reference, struct cli_run *run)
{
	const double radius = g->ball.radius_high / of_reference->ball.radius_high;
	const double margin = g->margin / of_reference->margin;
	const double radius2 = radius * radius, margin2 = margin * margin;
	bool margins = g->has_margin && of_reference->has_margin;
	const struct row_space_options options = { .n_threads = (int)settings.common.n_threads };
	struct reduction_certificate c = { 0 };
	struct row_space space = { 0 };
	struct error err = { 0 };
	bool certified;

	cli_run_progress(run, "comparing");
	certified = row_space_init(&space, &reference->x, &options, &err) == 0 &&
		    reduction_certify_rows(&c, &space, &d->x, &err) == 0;
	row_space_free(&space);
	cli_progress_end(&run->progress);
	cli_tell(run, "radius^2/reference radius^2 = %.9g\n", radius2);
	if (margins)
		cli_tell(run, "margin^2/reference margin^2 = %.9g\n", margin2);
	if (certified)
		cli_tell(run,
			 "measured epsilon = %.9g (eigenvalues %.9g to %.9g, rank %" PRId64 ")\n",
			 c.error, c.lambda_min, c.lambda_max, c.rank);
	else
		cli_tell(run, "measured epsilon: not to be had: %s\n", err.text);
	report_number(run->report, "radius2_ratio", radius2);
	report_number(run->report, "margin2_ratio", margins ? margin2 : NAN);
	report_number(run->report, "epsilon_measured", certified ? c.error : NAN);
	report_number(run->report, "lambda_min", certified ? c.lambda_min : NAN);
	report_number(run->report, "lambda_max", certified ? c.lambda_max : NAN);
}

/* ---- The mode ---- */

int eval_geometry(struct cli_run *run, char **names, int n)
{
	const char *name = settings.geometry, *reference_name = settings.reference;
	const char *model = n > 0 ? names[0] : NULL, *reference_model = n > 1 ? names[1] : NULL;
	struct geometry g = { 0 }, of_reference = { 0 };
	struct dataset d = { 0 }, reference = { 0 };

	cli_allow_names(names, n, 2);
	if (n > 1 && !reference_name)
		cli_fail("a reference_model_file needs --reference");
	settings.model_name = model;
	name = cli_name_data(run, &settings.test, &name, 1);
	reference_name = cli_name_data(run, &settings.other, &reference_name, 1);
	cli_run_reads(run, reference_model);
	eval_open(run);
	cli_read_rows(run, &d, &settings.test);
	if (reference_name)
		cli_read_rows(run, &reference, &settings.other);
	if (reference_name && reference.x.n_rows != d.x.n_rows)
		cli_fail("--reference: %s has %" PRId64 " rows, and %s has %" PRId64
			 "; they must be the same rows",
			 reference_name, reference.x.n_rows, name, d.x.n_rows);
	cli_run_phase(run, "read");
	measure(run, &g, &d, name, model, run->report);
	if (reference_name) {
		measure(run, &of_reference, &reference, reference_name, reference_model,
			report_object(run->report, "reference"));
		compare(&g, &of_reference, &d, &reference, run);
	}
	cli_run_phase(run, "measure");
	dataset_free(&d);
	dataset_free(&reference);
	cli_run_commit(run);
	return cli_run_end(run);
}

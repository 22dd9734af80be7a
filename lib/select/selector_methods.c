/*
 * selector_methods.c - each method as selector_run() calls it: its options from the run's, its
 * findings into the result
 *
 * How this works.  A method is a function of this file and a line of the table at its end, which
 * says what selector_run() has to know before it calls the function.  What a method looks at:
 *
 *     bss, leverage, top                   V, a basis of the space of the rows that count
 *     approx-bss, approx-leverage, rrqr,   the entries of these rows; the first two approximate V,
 *     uniform                              by sketches of their own
 *     rfe, rmb, lpsvm, l1                  entries and labels
 *     t, f                                 entries and labels of all rows
 *
 * The number of features is in result->n_wanted when a function is called, made of epsilon and the
 * rank of V where the caller wants that.  The methods with a rank of their own (own_rank) make it
 * when they know that rank; the basis of the whole space may be what they are there to avoid.
 *
 * Where a method finds something that a caller should know, such as a sketch that is the data
 * themselves, it is noted in the result and an event is told: nothing is printed here.
 *
 * Every function here has the same form: '*run' has the rows that count, the classes and the
 * options; run->result->chosen becomes the selection, with weights and scores.  What a function
 * makes for itself is freed before it returns, failed or not; a basis of the rows is the run's and
 * serves any function that asks for it.  Errors that a caller may explain carry a trouble
 * (selector_fail()).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "geometry/row_space.h"
#include "select/l1.h"
#include "select/leverage.h"
#include "select/rfe_machine.h"
#include "select/rrqr.h"
#include "select/selector_run.h"
#include "select/selection.h"
#include "select/univariate.h"

/* Pass the progress of a method to the run's observer, if there is one. */
static void show_progress(void *arg, int64_t done, int64_t total)
{
	const struct selector_run *run = arg;

	if (run->observer && run->observer->progress)
		run->observer->progress(run->observer->arg, done, total);
}

/* ---- spectral sparsification ---- */

/* Choose by bss in a space: that of the rows, or of a sketch of the rows; NULL: 'err' says why. */
static int choose_in_space(struct selector_run *run, const struct row_space *space,
			   struct error *err)
{
	struct selector_result *r = run->result;
	const struct bss_options how = { .n_features = r->n_wanted,
					 .n_threads = run->options->n_threads,
					 .progress = { show_progress, run } };

	return space ? bss_select(&r->chosen, space, &how, &r->bss, err) : -1;
}

/* Spectral sparsification of the space of the rows that count. */
static int choose_bss(struct selector_run *run, struct error *err)
{
	return choose_in_space(run, selector_space(run, err), err);
}

/*
 * The number of features that goes with a sketch of that rank.  Of random combinations more
 * features have to be taken than their rank is: with as many there is no lower bound on what they
 * keep, and bss would cut directions off a space that is an approximation already.
 */
static int settle_sketch(struct selector_run *run, int64_t rank, bool sketched, struct error *err)
{
	struct selector_result *r = run->result;

	r->sketched = sketched;
	if (selector_settle_size(run, rank, err) < 0)
		return -1;
	/* with as many features as rows of the sketch there is no lower bound */
	if (sketched && r->n_wanted <= rank)
		return selector_fail(
			run, SELECTOR_SKETCH_TOO_LARGE, err,
			"approx-bss takes more features than the sketch has rows, %" PRId64, rank);
	selector_tell(run, SELECTOR_SKETCHED);
	return 0;
}

/* Choose by bss of random combinations of the rows, or of the rows if these are as few. */
static int choose_approx_bss(struct selector_run *run, struct error *err)
{
	const struct selector_options *o = run->options;
	const struct row_sketch_options how = {
		.n_rows = o->sketch_rows > 0 ? o->sketch_rows : ROW_SKETCH_ROWS,
		.seed = o->seed,
		.space = { .rank_tol = o->rank_tol,
			   .max_bytes = o->max_bytes,
			   .n_threads = o->n_threads },
	};
	struct row_space space = { 0 };
	bool sketched;
	int ret = -1;

	/* a space of the sketch; 'sketched' is false where the rows were few enough themselves */
	if (row_sketch_space(&space, &run->part->x, &how, &sketched, err) < 0)
		return -1;
	if (settle_sketch(run, space.rank, sketched, err) == 0)
		ret = choose_in_space(run, &space, err);
	row_space_free(&space);
	return ret;
}

/* ---- leverage scores ---- */

/* Choose features by scores, exact or estimated: leverage, approx-leverage and top. */
static int choose_by_scores(struct selector_run *run, const struct leverage *l, struct error *err)
{
	const struct selector_options *o = run->options;
	const enum leverage_rule rule = o->method == SELECT_TOP	    ? LEVERAGE_TOP :
					o->sampling == SELECTOR_IID ? LEVERAGE_IID :
								      LEVERAGE_BERNOULLI;
	struct selector_result *r = run->result;

	/* the caller hears of the scores before features are chosen */
	r->rank = l->rank;
	r->n_scored = l->n;
	r->sketched = l->sketched;
	selector_tell(run, SELECTOR_SCORED);
	return leverage_select(&r->chosen, l, r->n_wanted, rule, o->seed, err);
}

/* Methods leverage and top, which differ only in the rule of choosing. */
static int choose_leverage(struct selector_run *run, struct error *err)
{
	const struct row_space *space = selector_space(run, err);
	struct leverage l = { 0 };
	/* the scores are those of a basis of all rows that count */
	int ret = space ? leverage_exact(&l, space, run->options->n_threads, err) : -1;

	if (ret == 0)
		ret = choose_by_scores(run, &l, err);
	leverage_free(&l);
	return ret;
}

/*
 * Leverage scores by sketches, without a basis; the number of features may follow from their rank.
 */
static int choose_approx_leverage(struct selector_run *run, struct error *err)
{
	const struct leverage_options how = { .seed = run->options->seed,
					      .max_bytes = run->options->max_bytes,
					      .n_threads = run->options->n_threads };
	struct leverage l = { 0 };
	int ret = -1;

	if (leverage_approximate(&l, &run->part->x, &how, err) == 0 &&
	    selector_settle_size(run, l.rank, err) == 0)
		ret = choose_by_scores(run, &l, err);
	leverage_free(&l);
	return ret;
}

/* ---- pivots ---- */

/* Count the chosen features that have no value in the rows that count. */
static int count_empty(const struct selector_run *run, int64_t *n, struct error *err)
{
	const struct selection *chosen = &run->result->chosen;
	const struct csr *x = &run->part->x;
	struct selection_index index = { 0 };
	bool *seen = mem_zeroed(chosen->n, sizeof(*seen), err);
	int ret = seen ? selection_index_init(&index, chosen, err) : -1;

	if (ret == 0)
		*n = chosen->n - selection_see(&index, x->col, x->val, csr_n_entries(x), seen);
	selection_index_free(&index);
	mem_free(seen);
	return ret;
}

/* Choose by pivots; beyond the rank LAPACK's order goes on, even with columns without values. */
static int choose_rrqr(struct selector_run *run, struct error *err)
{
	const struct selector_options *o = run->options;
	struct selector_result *r = run->result;
	const struct rrqr_options how = { .n_features = r->n_wanted,
					  .beyond = (enum rrqr_beyond)o->beyond,
					  .n_threads = o->n_threads };

	/* an error of rank 0 means that no row has any value */
	if (rrqr_select(&r->chosen, &run->part->x, &how, &r->rank, err) < 0 ||
	    selector_need_features(r->rank, err) < 0)
		return -1;
	/* the other rules take no feature without values */
	return o->beyond == RRQR_LAPACK ? count_empty(run, &r->n_empty, err) : 0;
}

/* ---- recursive elimination ---- */

/* The machines of rfe and rmb, and the run whose observer is told of their trainings. */
struct watched_machines {
	struct selector_run *run;
	struct rfe_machines machines;
	struct radius_margin bound; /* bound of R^2 |w|^2 for these */
	bool trained;
};

/* Score features by machines. */
static int score_features(void *arg, const struct rfe_step *step, double *score, struct error *err)
{
	struct watched_machines *e = arg;

	/* progress of an elimination: the number of features left */
	e->trained = true;
	show_progress(e->run, step->n_features, 0);
	return e->run->options->method == SELECT_RMB ?
		       radius_margin_scores(&e->bound, step, score, err) :
		       rfe_machines_score(&e->machines, step, score, err);
}

/* Eliminate features by machines: of the pairs of classes, or of the regression. */
static int eliminate(struct watched_machines *e, struct error *err)
{
	struct selector_run *run = e->run;
	const struct selector_options *o = run->options;
	const struct rfe_options how = { .n_features = run->result->n_wanted,
					 .fraction = o->fraction,
					 .n_threads = o->n_threads };
	const struct rfe_trainer trainer = { score_features, e, o->method == SELECT_RFE };

	if (rfe_machines_init(&e->machines, run->part, &run->training, err) < 0)
		return -1;
	e->machines.seed = o->seed;
	e->machines.n_threads = o->n_threads;
	/* both methods train the same machines, and differ in what they make of weights */
	e->bound = (struct radius_margin){ .machines = &e->machines, .n_threads = o->n_threads };
	return rfe_select(&run->result->chosen, &run->part->x, &how, &trainer, err);
}

/*
 * rfe, which drops features by their weights, and rmb, which drops them by what they add to the
 * radius-margin bound.  If a machine was trained and all of the weights are 0, because C is too
 * small, say, the choice went by index.
 */
static int choose_rfe(struct selector_run *run, struct error *err)
{
	struct selector_result *r = run->result;
	struct watched_machines e = { .run = run };
	int ret = eliminate(&e, err);

	rfe_machines_free(&e.machines);
	if (ret == 0 && e.trained && r->chosen.n > 0)
		/* scores descend, so that a first score of 0 means that all are 0 */
		r->weightless = run->options->method == SELECT_RMB ? e.bound.norm2 == 0 :
								     r->chosen.score[0] == 0;
	return ret;
}

/* ---- the linear programming machine ---- */

/* Choose by lpsvm: a given nu decides the number of features; else nu is searched for n_wanted. */
static int choose_lpsvm(struct selector_run *run, struct error *err)
{
	const struct selector_options *o = run->options;
	const struct dataset *d = run->part;
	struct selector_result *r = run->result;
	const struct lpsvm_options how = { .weight = d->weight,
					   .nu = o->nu,
					   .target = o->nu > 0 ? 0 : r->n_wanted,
					   .n_threads = o->n_threads };
	double *y = mem_array(d->x.n_rows, sizeof(*y), err);
	int ret = -1;

	/* rows of the first class get +1, those of the second -1 */
	for (int64_t i = 0; y && i < d->x.n_rows; i++)
		y[i] = (int)d->y[i] == run->classes.label[0] ? 1 : -1;
	if (y)
		ret = lpsvm_select(&r->chosen, &d->x, y, &how, &r->lpsvm, err);
	mem_free(y);
	/* for a nu that the caller gave, a choice of no features is a valid answer */
	if (ret == 0 && r->chosen.n == 0 && o->nu == 0)
		return error_set(err, ERR_ARGUMENT,
				 "lpsvm takes no feature with any NU from %g to "
				 "%g; scale the values?",
				 LPSVM_LEAST_NU, LPSVM_MOST_NU);
	return ret;
}

/* ---- the machines with the 1-norm ---- */

/* Choose by l1: a given C (option nu) decides the number of features; else C is searched for. */
static int choose_l1(struct selector_run *run, struct error *err)
{
	const struct selector_options *o = run->options;
	struct selector_result *r = run->result;
	const struct l1_options how = {
		.loss = (enum liblinear_loss)o->loss,
		.n_features = r->n_wanted,
		.C = o->nu,
		.eps = o->l1_eps,
		.seed = o->seed,
		.progress = { show_progress, run },
	};

	return l1_select(&r->chosen, &run->part->x, run->part->y, &how, &r->l1, err);
}

/* ---- tests of single features ---- */

/* Choose by t or F tests: of the classes, or of a regression's correlation with the targets. */
static int choose_univariate(struct selector_run *run, struct error *err)
{
	const struct selector_options *o = run->options;
	const struct univariate_options how = {
		.test = o->method == SELECT_T ? UNIVARIATE_T :
			o->regression	      ? UNIVARIATE_CORRELATION :
						UNIVARIATE_F,
		.n_features = run->result->n_wanted,
		.classes = &run->classes,
		.target = run->part->y,
		.weight = run->part->weight,
		/* classes are not read for a correlation, nor targets for the others */
		.n_threads = o->n_threads,
	};

	return univariate_select(&run->result->chosen, &run->part->x, &how, err);
}

/* ---- chance ---- */

/* Choose features at random, with equal probability, for comparison with other methods. */
static int choose_uniform(struct selector_run *run, struct error *err)
{
	const struct selector_options *o = run->options;

	return uniform_select(&run->result->chosen, &run->part->x, run->result->n_wanted,
			      o->all_features, o->seed, err);
}

/* Why the methods that look at no label have no weights of rows. */
#define BY_SPACE "chooses by the space that the rows span, whatever their weights"

#define SVM (SELECTOR_SVM | SELECTOR_REGRESSION)

/* Fields left out are false or 0: selector_run.h says what they mean. */
const struct selector_method selector_methods[] = {
	[SELECT_BSS] = { choose_bss, .takes = SVM | SELECTOR_RANK_TOL, .weighs = true,
			 .no_row_weights = BY_SPACE },
	[SELECT_APPROX_BSS] = { choose_approx_bss,
				.takes = SVM | SELECTOR_RANK_TOL | SELECTOR_SKETCH_ROWS,
				.own_rank = true, .weighs = true, .no_row_weights = BY_SPACE },
	[SELECT_LEVERAGE] = { choose_leverage, .takes = SVM | SELECTOR_RANK_TOL | SELECTOR_SAMPLING,
			      .weighs = true, .no_row_weights = BY_SPACE },
	[SELECT_APPROX_LEVERAGE] = { choose_approx_leverage, .takes = SVM | SELECTOR_SAMPLING,
				     .own_rank = true, .weighs = true, .no_row_weights = BY_SPACE },
	[SELECT_TOP] = { choose_leverage, .takes = SVM | SELECTOR_RANK_TOL,
			 .no_row_weights = BY_SPACE },
	[SELECT_RRQR] = { choose_rrqr, .takes = SVM | SELECTOR_BEYOND,
			  .no_row_weights = "takes the pivots of the rows as they are" },
	[SELECT_RFE] = { choose_rfe, .takes = SVM | SELECTOR_FRACTION, .labels = true,
			 .pairs = true, .least_classes = 2 },
	[SELECT_RMB] = { choose_rfe, .takes = SVM | SELECTOR_FRACTION, .labels = true,
			 .pairs = true, .least_classes = 2 },
	/* lpsvm, l1 and t tell classes apart, and have no regression */
	[SELECT_LPSVM] = { choose_lpsvm, .takes = SELECTOR_SVM | SELECTOR_NU, .labels = true,
			   .least_classes = 2, .most_classes = 2 },
	[SELECT_L1] = { choose_l1, .takes = SELECTOR_SVM | SELECTOR_NU | SELECTOR_LOSS,
			.labels = true, .least_classes = 2,
			.no_row_weights = "trains by LIBLINEAR, which has no weights of rows" },
	[SELECT_T] = { choose_univariate, .labels = true, .all_rows = true, .least_classes = 2,
		       .most_classes = 2 },
	[SELECT_F] = { choose_univariate, .takes = SELECTOR_REGRESSION, .labels = true,
		       .all_rows = true, .least_classes = 2 },
	[SELECT_UNIFORM] = { choose_uniform, .takes = SVM | SELECTOR_ALL_FEATURES,
			     .no_row_weights = "chooses by chance" },
};

_Static_assert(sizeof(selector_methods) / sizeof(*selector_methods) == SELECT_N_METHODS,
	       "a line of each method");

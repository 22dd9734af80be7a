/*
 * trainer.c - from a data set and options to a solution, by whatever way they call for
 *
 * k classes are k (k - 1) / 2 problems, a regression is one.  What all of them share is made once,
 * before the first: K(x, x) of each row, the rows in single precision, and, for many small pairs,
 * tiles of each class with the kernel values inside it (problem/class_tiles.h), or, where floats
 * are too coarse, the kernel matrix of all rows in double precision.  A single problem of so few
 * rows that all are optimised at once has their kernel matrix.
 *
 *     train_pairs     with at least as many pairs as threads, each thread trains a pair of its own
 *                     with an equal share of the kernel cache; otherwise, and always with LIBSVM
 *                     as the solver, pairs are trained one after the other, each on all threads
 *     train_pair      any order: the pair's problem, its multipliers and result.  Rounds are
 *                     recorded, not reported, where pairs are trained at once.
 *     finish_pair     in the order of the pairs, one at a time: reports, and keeps what the
 *                     solution needs (row and beta of support vectors); the rest is freed
 *
 * Pair q draws from seed + q and no pair sees another's result, so that the solution and all
 * reports are the same for any number of threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/trainer.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/thread.h"
#include "kernel/float_sums.h"
#include "kernel/kernel_matrix.h"
#include "kernel/kernel_merged.h"
#include "kernel/near_rows.h"
#include "kernel/precomputed.h"
#include "problem/decision.h"
#include "smo/smo_sets.h"
#include "source/class_cross.h"
#include "source/class_source.h"
#include "source/float_source.h"
#include "source/matrix_source.h"
#include "train/assemble.h"
#include "train/start.h"
#include "train/working_set.h"

/*
 * Largest share of the kernel cache that tiles shared by all pairs of classes may take: the rows of
 * kernel values that a pair works with need the rest.
 */
#define TILES_SHARE 0.5

/*
 * Least share of the elements of those tiles that must be entries of rows.  Below it, tiles of
 * 1,000 rows of 60 entries in 60,000 columns would be 3 GB of zeros.
 */
#define LEAST_TILES_FILL 0.01

/*
 * Examples of a pair up to which a linear kernel is solved by its values however few the columns
 * are: two classes of 61 rows of 20 columns take 70 us so, and 200 us by the linear engine.
 */
#define MOST_BY_VALUES 200

/*
 * With more columns, examples for each of them: usps (256 columns, up to 8.6 times as many
 * examples) takes .31 s by values and .83 by weights at C = 1, .75 and .82 at C = 100; dna (180
 * columns, 13 times) .07 and .06, .09 and .05; letter.scale (16 columns, 75 times) .24 and .39, 1.5
 * and .36.
 */
#define BY_VALUES_A_COLUMN 10

/*
 * Rows up to which pairs have their kernel values from a matrix of all rows, 128 MB of doubles, and
 * up to which several trainings on subsets have, 512 MB.
 */
#define MOST_IN_MATRIX 4096
#define MOST_SHARED 8192

/*
 * Trainings on subsets share a matrix if rows have this many entries, so that kernel values are
 * expensive; or if a row's entries, times the trainings that it takes part in, are as many as the
 * rows.  Without a matrix each training prepares its rows, which takes some 20 ns for an entry; the
 * system takes as long to provide 8 bytes of a matrix.
 */
#define LONG_ROW 400

/* The problem of a pair, or the regression. */
static int make_problem(struct problem *p, const struct trainer *t, const struct classes *classes,
			struct class_choice pair, struct error *err)
{
	if (!classes && t->subset)
		return single_problem_list(p, t->data, t->training, &t->subset->examples, err);
	if (!classes)
		return single_problem(p, t->data, t->training, err);
	return classes_pair_problem(p, classes, pair, t->data, t->training, err);
}

static void describe_pair(struct pair_result *pair, const struct problem *p,
			  const struct classes *classes, int a, int b)
{
	pair->n = p->view.n;
	pair->label_a = classes ? classes->label[a] : 0;
	pair->label_b = classes ? classes->label[b] : 0;
	pair->c = p->view.c_plus == p->view.c_minus ? p->view.c_plus : NAN;
}

/*
 * One pair from the start of its training until the observers have been told: its problem and
 * its result, its multipliers, and the rounds that the observers have not been told of.
 */
struct pair_job {
	struct problem p;
	struct class_source source;	      /* of its kernel values, where tiles are shared */
	struct pair_result *result, unwanted; /* the caller's, or this one */
	double *beta;			      /* of the problem's examples */
	struct randsvm_rounds rounds;
	const struct randsvm_observer *told; /* at once, or NULL: when the pair is finished */
	struct error *err;		     /* that of the task, to record a round */
};

/* What is made of the rows once, for all pairs. */
struct prepared_rows {
	double *diagonal; /* K(x, x) by row; NULL for RBF, where it is 1 */
	bool fit_floats, has_floats, has_tiles, has_matrix;
	struct kernel_matrix *shared; /* in double precision; NULL: there is none */
	struct float_vectors x_float;
	struct class_tiles tiles;
	struct kernel_matrix matrix, own_shared; /* 'shared', if it is not the caller's */
	/* of the kernel values of a pair: computed; from 'matrix'; from 'shared', as it is or rounded */
	struct kernel_source doubles, floats;
	struct matrix_source all, exact, rounded;
	double tiles_bytes; /* what the tiles take */
	int64_t *place; /* of each row, where examples are to be near their neighbours; or NULL */
};

/* All pairs; several at once where there are enough for all threads. */
struct pair_loop {
	const struct trainer *t;
	const struct classes *classes;
	struct prepared_rows *rows;
	bool by_class;			/* examples in the order tiles have them */
	struct randsvm_options options; /* as the pairs have them, but for the seed */
	const struct solver *solver;
	struct solver share; /* what a pair has of it, beside tiles and other pairs */
	bool at_once;
	/* by pair: about the work of it and all later ones; NULL: the time is not limited */
	double *work_left;
	struct class_cross *cross; /* of each thread, if tiles are 'whole'; else NULL */
	struct pair_job **job;	   /* of each pair, NULL before and after */
	struct pair_result *pairs; /* of each pair, or NULL */
	struct kept_multipliers *kept;
	struct start start;  /* its 's' is NULL: none */
	struct error failed; /* to keep a pair's multipliers */
};

static void record_round(void *arg, const struct randsvm_round *round)
{
	struct pair_job *job = arg;

	struct randsvm_rounds *rounds = &job->rounds;

	if (mem_grow(&rounds->round, &rounds->capacity, rounds->n + 1, sizeof(*round), job->err) <
	    0)
		return;
	rounds->round[rounds->n++] = *round;
	if (job->told && job->told->round)
		job->told->round(job->told->arg, round);
}

bool trainer_was_interrupted(const struct pair_result *pairs, int64_t n)
{
	bool interrupted = false;

	for (int64_t q = 0; q < n; q++)
		interrupted |= pairs[q].rounds > 0 && pairs[q].reason == STOP_INTERRUPTED;
	return interrupted;
}

int trainer_error_no_margin(const struct trainer *t, int label_a, int label_b, struct error *err)
{
	return error_set(
		err, ERR_NUMERIC,
		"there is no margin between classes %d and %d with nu = %g: what nu leaves "
		"of them overlaps, or nearly; try a larger nu",
		label_a, label_b, t->training->nu);
}

/* A relative gap up to which a primal below 0 proves that there is a margin. */
#define PROVING_GAP 0.5

/*
 * nu-SVC: all over r, as the margin of the model is 1.  r is 0 where the classes' reduced convex
 * hulls meet, and then w is 0 too: what LIBSVM makes of it is a model of rounding errors.  An r that
 * is not above the tolerance counts if the certificate proves it, as w = 0 has P = 0.
 */
static int scale_margin(const struct pair_loop *loop, struct pair_job *job, struct error *err)
{
	struct pair_result *result = job->result;
	struct certificate *c = &result->certificate;
	double r = result->half_width;

	if (!(r > loop->options.eps) && !(r > 0 && certificate_relative_gap(c) <= PROVING_GAP))
		return trainer_error_no_margin(loop->t, result->label_a, result->label_b, err);
	for (int64_t i = 0; i < job->p.view.n; i++)
		job->beta[i] /= r;
	result->rho /= r;
	c->primal /= r * r;
	c->dual /= r * r;
	c->sum_abs_beta /= r;
	/* r^2 may be 0 where r is not; and P be 0, as no multiple of w is better than w = 0 */
	if (!isfinite(result->rho) || !certificate_is_finite(c))
		return trainer_error_no_margin(loop->t, result->label_a, result->label_b, err);
	return 0;
}

/* One-class: 0 in place of what rounding has left of it. */
static void drop_rounding(const struct problem_view *p, const double *beta, struct certificate *c)
{
	double lengths = 0;

	if (p->type != MACHINE_ONE_CLASS)
		return;
	for (int64_t i = 0; i < p->n; i++)
		lengths += fabs(beta[i]) * sqrt(fabs(problem_diagonal(p, i)));
	certificate_drop_rounding(c, lengths);
}

/*
 * What to begin with, for the caller to free; NULL where that is 0, or without memory.  Machines of
 * nu have sums of multipliers that a model of other rows or another nu has not.
 */
static double *start_of(const struct pair_loop *loop, const struct pair_job *job, struct error *err)
{
	const struct start_pair labels = { job->result->label_a, job->result->label_b };
	double *start;

	if (!loop->start.s || problem_fixes_sums(&job->p.view))
		return NULL;
	start = mem_array(job->p.view.n, sizeof(*start), err);
	if (start && start_multipliers(&loop->start, labels, &job->p.view, start) == 0) {
		mem_free(start);
		return NULL;
	}
	return start;
}

static int solve_pair(struct pair_loop *loop, int64_t q, double *f, struct error *err)
{
	struct pair_job *job = loop->job[q];
	struct pair_result *result = job->result;
	double *start = start_of(loop, job, err);
	struct randsvm_observer recorder = { record_round, job };
	struct randsvm_options options = loop->options;
	struct randsvm_task task = { .p = &job->p.view,
				     .solver = loop->solver,
				     .options = &options,
				     .observer = &recorder,
				     .start = start,
				     .checkpoint = checkpoint_block(loop->t->checkpoint, q),
				     .rounds = &job->rounds,
				     .x = { .beta = job->beta, .f = f } };
	int ret = -1;

	options.seed += (uint64_t)q;
	if (err->code == ERR_NONE)
		ret = randsvm_solve(&task, err);
	mem_free(start);
	if (ret < 0)
		return -1;
	result->rho = task.x.rho;
	if (problem_fixes_sums(&job->p.view))
		result->half_width =
			job->p.view.type == MACHINE_NU_SVC ? -task.x.epsilon : task.x.epsilon;
	result->n_iterations = task.x.n_iterations;
	result->rounds = task.result.rounds;
	result->reason = task.result.reason;
	result->certificate = task.result.certificate;
	drop_rounding(&job->p.view, job->beta, &result->certificate);
	if (job->p.view.type == MACHINE_NU_SVC && scale_margin(loop, job, err) < 0)
		return -1;
	return err->code == ERR_NONE ? 0 : -1;
}

/* All that is kept of a pair that is trained: its result, its multipliers, its rounds. */
static void visit_pair(void *arg, struct fields *f)
{
	struct pair_job *job = arg;
	struct pair_result *result = job->result;
	struct randsvm_result found = { result->rounds, result->reason, result->certificate };
	const struct randsvm_observer recorder = { record_round, job };
	const struct randsvm_task task = { .observer = &recorder, .rounds = &job->rounds };

	fields_double(f, "rho", &result->rho);
	if (problem_fixes_sums(&job->p.view))
		fields_double(f, "half_width", &result->half_width);
	fields_int64(f, "n_iterations", &result->n_iterations);
	randsvm_visit_result(&found, f);
	result->rounds = found.rounds;
	result->reason = found.reason;
	result->certificate = found.certificate;
	randsvm_visit_rounds(&task, 0, f);
	fields_sparse(f, "beta", job->beta, job->p.view.n);
}

/* Was the matrix computed for these pairs alone, from rows that floats may be too coarse for? */
static bool is_computed(const struct pair_loop *loop, const struct kernel_matrix *m)
{
	return m == &loop->rows->own_shared && loop->t->training->kernel.type != KERNEL_PRECOMPUTED;
}

/* Once all is prepared that pairs share. */
static void make_sources(struct pair_loop *loop)
{
	struct prepared_rows *rows = loop->rows;

	rows->doubles = plain_source_with(rows->diagonal);
	rows->floats = float_source_make(&rows->x_float, &rows->doubles);
	rows->all = matrix_source_of_floats(&rows->matrix, &rows->floats);
	if (!rows->shared)
		return;
	rows->exact = matrix_source_of_doubles(rows->shared, rows->diagonal, false);
	rows->rounded = matrix_source_of_doubles(rows->shared, rows->diagonal, true);
}

/* The shared matrix, rounded where floats suffice. */
static const struct kernel_source *source_of_shared(struct pair_loop *loop, struct problem_view *p)
{
	struct prepared_rows *rows = loop->rows;

	p->source = &rows->exact.base;
	return decision_floats_fit(p, loop->options.eps) && !problem_is_stepwise(p) &&
			       (rows->fit_floats || !is_computed(loop, rows->shared)) ?
		       &rows->rounded.base :
		       &rows->exact.base;
}

/* Where the pair has its kernel values from. */
static int lend_source(struct pair_loop *loop, struct pair_job *job, struct class_choice pair,
		       int thread, struct error *err)
{
	struct prepared_rows *rows = loop->rows;
	struct class_cross *cross = loop->cross ? &loop->cross[thread] : NULL;
	struct problem_view *p = &job->p.view;

	p->ranks = loop->at_once ? NULL : loop->t->ranks;
	if (rows->has_tiles) {
		job->source = class_source_make(
			(struct class_pair){ &rows->tiles, pair.a, pair.b, cross }, &rows->floats);
		p->source = &job->source.base;
	} else if (rows->shared) {
		p->source = source_of_shared(loop, p);
	} else {
		p->source = rows->has_matrix ? &rows->all.base :
			    rows->has_floats ? &rows->floats :
					       &rows->doubles;
	}
	/* where floats are too coarse randsvm_solve() does without them */
	if (!cross || !decision_choose_precision(p, loop->options.eps))
		return 0;
	return class_cross_compute(cross, pair.a, pair.b, err);
}

/* Training takes some power of the number of examples between 1 and 3. */
static double expected_work(const struct pair_loop *loop, int64_t q)
{
	const int64_t *start = loop->classes->start;
	struct class_choice pair = classes_choice(loop->classes->n, q, loop->by_class);
	double n = (double)(start[pair.a + 1] - start[pair.a] + start[pair.b + 1] - start[pair.b]);

	return n * n;
}

/* Where the time is limited several pairs share it, so that none is left without a model. */
static int divide_time(struct pair_loop *loop, int64_t n_pairs, struct error *err)
{
	double sum = 0;

	if (n_pairs < 2 || loop->t->all_or_nothing ||
	    isinf(interruption_seconds_left(loop->solver->interruption)))
		return 0;
	loop->work_left = mem_array(n_pairs, sizeof(*loop->work_left), err);
	for (int64_t q = n_pairs; loop->work_left && q-- > 0;)
		loop->work_left[q] = sum += expected_work(loop, q);
	return loop->work_left ? 0 : -1;
}

/* The pair's share of the time that is left. */
static void limit_pair(const struct pair_loop *loop, int64_t q, struct problem_view *p,
		       struct earlier_end *end)
{
	int n_at_once = loop->at_once ? thread_clamp_count(loop->t->options->n_threads) : 1;

	if (!loop->work_left)
		return;
	earlier_end_share(end, loop->solver->interruption,
			  n_at_once * expected_work(loop, q) / loop->work_left[q]);
	p->interruption = &end->own;
}

static int train_pair(void *arg, int64_t q, int thread, struct error *err)
{
	struct pair_loop *loop = arg;
	struct class_choice pair =
		classes_choice(loop->classes ? loop->classes->n : 2, q, loop->by_class);
	struct pair_job *job = loop->job[q] = mem_zeroed(1, sizeof(*job), err);
	const struct trainer_observer *pairs = loop->t->pairs;
	struct checkpoint_block *kept = checkpoint_block(loop->t->checkpoint, q);
	struct earlier_end end;
	double *f;
	int ret = -1;

	if (!job || make_problem(&job->p, loop->t, loop->classes, pair, err) < 0)
		return -1;
	job->err = err;
	job->told = loop->at_once ? NULL : loop->t->rounds;
	job->result = loop->pairs ? &loop->pairs[q] : &job->unwanted;
	if (loop->rows->place && problem_sort(&job->p, loop->rows->place, err) < 0)
		return -1;
	describe_pair(job->result, &job->p, loop->classes, pair.a, pair.b);
	if (!loop->at_once && pairs && pairs->pair_started)
		pairs->pair_started(pairs->arg, job->result);
	job->beta = mem_array(job->p.view.n, sizeof(*job->beta), err);
	ret = job->beta ? checkpoint_finished(kept, visit_pair, job, err) : -1;
	if (ret != 0)
		return ret < 0 ? -1 : 0;
	if (lend_source(loop, job, pair, thread, err) < 0)
		return -1;
	limit_pair(loop, q, &job->p.view, &end);
	f = mem_array(job->p.view.n, sizeof(*f), err);
	ret = f ? solve_pair(loop, q, f, err) : -1;
	mem_free(f);
	job->p.view.interruption = NULL;
	/* an end before the optimum is not the outcome: the training goes on from its last safe point */
	if (ret == 0 && job->result->reason != STOP_INTERRUPTED)
		checkpoint_finish(kept, visit_pair, job);
	return ret;
}

static void free_job(struct pair_loop *loop, int64_t q)
{
	struct pair_job *job = loop->job[q];

	if (!job)
		return;
	problem_free(&job->p);
	mem_free(job->beta);
	mem_free(job->rounds.round);
	mem_free(job);
	loop->job[q] = NULL;
}

/*
 * In the order of the pairs: tell what could not be told while several were trained at once, and
 * keep what the solution needs.
 */
static void finish_pair(void *arg, int64_t q)
{
	struct pair_loop *loop = arg;
	struct pair_job *job = loop->job[q];
	const struct trainer_observer *pairs = loop->t->pairs;
	const struct randsvm_observer *rounds = loop->t->rounds;

	if (loop->at_once && pairs && pairs->pair_started)
		pairs->pair_started(pairs->arg, job->result);
	for (int64_t r = 0; loop->at_once && r < job->rounds.n && rounds && rounds->round; r++)
		rounds->round(rounds->arg, &job->rounds.round[r]);
	if (pairs && pairs->pair_finished)
		pairs->pair_finished(pairs->arg, job->result);
	if (loop->failed.code == ERR_NONE)
		kept_add(loop->kept, q, &job->p, job->beta, job->result->rho, &loop->failed);
	free_job(loop, q);
}

/*
 * Would kernel values within a class serve its k - 1 pairs?  They do where pairs are solved as a
 * whole: a subset of a pair has few of the class's rows.  Squared losses are the linear engine's.
 */
static bool pairs_are_whole(const struct trainer *t, const struct classes *c)
{
	const struct randsvm_options *o = t->options;

	return c && c->n > 2 && !t->training->squared_loss && o->mode == WORKING_SET_EXACT &&
	       t->solver->warm_start &&
	       classes_largest_pair(c) <= 2 * randsvm_sample_size(o, classes_largest_pair(c)) &&
	       classes_largest_pair(c) <= SMO_WHOLE_ROWS;
}

/* Do tiles of n bytes leave enough of the cache? */
static bool tiles_fit(const struct pair_loop *loop, double bytes)
{
	return bytes <= TILES_SHARE * loop->solver->cache_mb * 1048576;
}

/*
 * Make tiles where they serve: of dense rows if each thread has pairs of its own, the values being
 * the same bits without tiles; of very sparse ones only the values within classes, whatever the
 * number of threads.
 */
static int make_tiles(const struct pair_loop *loop, struct prepared_rows *rows, struct error *err)
{
	const struct classes *c = loop->classes;
	const struct float_vectors *x = &rows->x_float;
	int n_threads = loop->options.n_threads, made;

	if (!x->dense && class_tiles_fill(x, c) < LEAST_TILES_FILL) {
		rows->tiles_bytes = class_tiles_whole_bytes(x, c);
		if (!tiles_fit(loop, rows->tiles_bytes))
			return 0;
		made = class_tiles_init_whole(&rows->tiles, x, c, n_threads, err);
	} else {
		rows->tiles_bytes = class_tiles_bytes(x, c);
		if (!tiles_fit(loop, rows->tiles_bytes) || solution_n_pairs(c->n) < n_threads)
			return 0;
		made = class_tiles_init(&rows->tiles, x, c, err);
	}
	rows->has_tiles = made == 0;
	return made;
}

/* Room for n threads to compute the values between the classes of their pairs. */
static int make_crosses(struct pair_loop *loop, int n, struct error *err)
{
	const struct class_tiles *tiles = &loop->rows->tiles;

	if (!loop->rows->has_tiles || !tiles->whole)
		return 0;
	loop->cross = mem_zeroed(n, sizeof(*loop->cross), err);
	for (int i = 0; loop->cross && i < n; i++)
		if (class_cross_init(&loop->cross[i], &tiles->by_class, tiles->classes, err) < 0)
			return -1;
	return loop->cross ? 0 : -1;
}

static void free_crosses(struct pair_loop *loop, int n)
{
	for (int i = 0; loop->cross && i < n; i++)
		class_cross_free(&loop->cross[i]);
	mem_free(loop->cross);
}

/* Of the cache, in MB, that the memory of all pairs leaves: the rows of a step, and more. */
#define LEAST_CACHE 1

/* Do other ranks help?  Pairs that are solved as a whole have no sums that are worth sending. */
static bool ranks_serve(const struct pair_loop *loop)
{
	return loop->t->ranks && !pairs_are_whole(loop->t, loop->classes);
}

/* Each thread trains pairs of its own, or all threads one pair after the other. */
static void share_out(struct pair_loop *loop, int64_t n_pairs, int n_threads)
{
	const struct prepared_rows *rows = loop->rows;
	double n = rows->shared ? (double)rows->shared->n : 0;

	loop->share = *loop->solver;
	loop->at_once = n_threads > 1 && n_pairs >= n_threads && loop->share.warm_start &&
			!ranks_serve(loop);
	if (rows->has_tiles)
		loop->share.cache_mb -= rows->tiles_bytes / 1048576;
	if (rows->shared && rows->shared->wide_own) /* else it is the data */
		loop->share.cache_mb -= sizeof(double) * n * n / 1048576;
	/* a precomputed kernel in another order is copied however small the cache is */
	loop->share.cache_mb =
		fmax(loop->share.cache_mb, fmin(loop->solver->cache_mb, LEAST_CACHE));
	if (loop->at_once) {
		loop->options.n_threads = loop->share.n_threads = 1;
		loop->share.cache_mb /= n_threads;
		loop->share.rows_mb /= n_threads;
	}
	if (loop->at_once || rows->has_tiles || rows->shared)
		loop->solver = &loop->share;
}

static int train_pairs(struct pair_loop *loop, struct error *err)
{
	int n_class = loop->classes ? loop->classes->n : 2;
	int64_t n_pairs = solution_n_pairs(n_class);
	int n_threads = thread_clamp_count(loop->options.n_threads), ret = -1;

	make_sources(loop);
	share_out(loop, n_pairs, n_threads);
	n_threads = loop->at_once ? n_threads : 1;
	loop->job = mem_zeroed(n_pairs, sizeof(*loop->job), err);
	if (loop->job && make_crosses(loop, n_threads, err) == 0 &&
	    divide_time(loop, n_pairs, err) == 0)
		ret = thread_ordered_for(n_threads, n_pairs, train_pair, finish_pair, loop, err);
	for (int64_t q = 0; loop->job && q < n_pairs; q++)
		free_job(loop, q);
	free_crosses(loop, n_threads);
	mem_free(loop->work_left);
	mem_free(loop->job);
	if (ret == 0 && loop->failed.code != ERR_NONE)
		ret = error_set(err, loop->failed.code, "%s", loop->failed.text);
	return ret;
}

/* K(x, x) of all rows, which the caller frees; NULL without memory. */
static double *kernel_diagonals(const struct kernel *kernel, const struct csr *x, struct error *err)
{
	double *diagonal = mem_array(x->n_rows, sizeof(*diagonal), err);

	for (int64_t i = 0; diagonal && i < x->n_rows; i++)
		diagonal[i] = kernel_diagonal(kernel, csr_row_norm2(x, i));
	return diagonal;
}

/*
 * Is a linear kernel better solved by its values than by its weights?  Weights cost passes over
 * all entries, values a matrix of the pair, which is less where rows are few, and tells more where
 * columns are many.
 */
static bool linear_by_values(const struct prepared_rows *rows, const struct csr *x,
			     const struct classes *c)
{
	int64_t n = classes_largest_pair(c);
	int64_t n_cols = rows->fit_floats ? rows->x_float.n_cols : x->n_cols;

	return n <= MOST_BY_VALUES || n <= BY_VALUES_A_COLUMN * n_cols;
}

/* Floats are left out where they cannot hold the rows or are not needed. */
static int prepare_rows(struct prepared_rows *rows, const struct trainer *t,
			const struct classes *classes, struct error *err)
{
	const struct kernel *kernel = &t->training->kernel;
	int unfit;

	if (kernel->type == KERNEL_PRECOMPUTED) {
		rows->shared = &rows->own_shared;
		return precomputed_matrix_init(rows->shared, &t->data->x, err);
	}
	if (kernel->type != KERNEL_RBF)
		rows->diagonal = kernel_diagonals(kernel, &t->data->x, err);
	if (err->code != ERR_NONE)
		return -1;
	/* mostly a linear kernel is evaluated by its weights, which are doubles */
	if (kernel->type == KERNEL_LINEAR && !pairs_are_whole(t, classes))
		return 0;
	unfit = float_vectors_init(&rows->x_float, &t->data->x, kernel, err);
	if (unfit < 0)
		return -1;
	rows->fit_floats = unfit == 0;
	rows->has_floats = unfit == 0 && (kernel->type != KERNEL_LINEAR ||
					  linear_by_values(rows, &t->data->x, classes));
	return rows->has_floats ? float_vectors_keep_tiles(&rows->x_float, err) : 0;
}

/* Examples that are near their neighbours, where most kernel values between others are nothing. */
static int order_rows(struct prepared_rows *rows, struct error *err)
{
	struct float_vectors *x = &rows->x_float;

	rows->place = mem_array(x->n, sizeof(*rows->place), err);
	if (!rows->place || near_rows_order(x, rows->place, &x->near, err) < 0)
		return -1;
	if (!x->near) {
		mem_free(rows->place);
		rows->place = NULL;
	}
	return 0;
}

static void prepared_rows_free(struct prepared_rows *rows)
{
	class_tiles_free(&rows->tiles);
	kernel_matrix_free(&rows->matrix);
	kernel_matrix_free(&rows->own_shared);
	mem_free(rows->place);
	float_vectors_drop_tiles(&rows->x_float);
	float_vectors_free(&rows->x_float);
	mem_free(rows->diagonal);
}

/*
 * Is it a single problem, all of whose rows are optimised at once, and is there room for their
 * matrix?  exact_solve() takes no subset of up to twice the first sample.
 */
static bool matrix_serves(const struct pair_loop *loop)
{
	const struct float_vectors *x = &loop->rows->x_float;
	const struct randsvm_options *o = &loop->options;

	/* row i of the matrix is that of row i of the data, and so must example i be */
	return loop->rows->has_floats && !loop->rows->place && o->mode == WORKING_SET_EXACT &&
	       loop->solver->warm_start && (!loop->classes || loop->classes->n == 2) &&
	       kernel_is_definite(&loop->t->training->kernel) &&
	       x->n <= 2 * randsvm_sample_size(o, x->n) &&
	       kernel_matrix_bytes(x) <= loop->solver->cache_mb * 1048576;
}

/* Are floats too coarse for C and the kernel values of some pair? */
static bool needs_doubles(const struct pair_loop *loop)
{
	const struct prepared_rows *rows = loop->rows;
	const struct classes *c = loop->classes;
	double largest = rows->diagonal ? 0 : 1, most_c = 0;

	for (int64_t i = 0; rows->diagonal && i < loop->t->data->x.n_rows; i++)
		largest = fmax(largest, fabs(rows->diagonal[i]));
	for (int k = 0; k < c->n; k++)
		most_c = fmax(most_c, classes_c(loop->t->training, c->label[k]));
	return !rows->fit_floats || !decision_float_is_enough(largest, most_c, loop->options.eps);
}

/*
 * Are tiles of the classes larger than the matrix?  A tile of ten rows of 1,000 columns is mostly
 * padding, and where columns are that many most rows become support vectors.
 */
static bool has_long_rows(const struct prepared_rows *rows)
{
	const struct float_vectors *x = &rows->x_float;

	return rows->has_floats && x->dense && x->n_cols >= x->n;
}

/*
 * The kernel matrix of all rows in double precision, where pairs need it: it is half as much work
 * as the values of all pairs, and needs nothing that is proportional to columns for each.  No
 * memory for it is no failure: pairs then compute their own rows.
 */
static int make_shared_matrix(const struct pair_loop *loop, struct prepared_rows *rows,
			      struct error *err)
{
	const struct csr *x = &loop->t->data->x;
	const struct kernel *kernel = &loop->t->training->kernel;
	double n = (double)x->n_rows;
	struct error failure = { 0 };

	if (n > MOST_IN_MATRIX || !tiles_fit(loop, n * n * sizeof(double)) ||
	    (kernel->type == KERNEL_LINEAR && !linear_by_values(rows, x, loop->classes)) ||
	    !(needs_doubles(loop) || has_long_rows(rows)))
		return 0;
	if (kernel_matrix_init_wide(&rows->own_shared, x, kernel, loop->options.n_threads,
				    &failure) == 0)
		rows->shared = &rows->own_shared;
	else if (failure.code != ERR_MEMORY)
		return error_set(err, failure.code, "%s", failure.text);
	return 0;
}

/* Train all pairs, with tiles or the matrix where these serve. */
static int run_loop(struct pair_loop *loop, struct error *err)
{
	struct prepared_rows *rows = loop->rows;
	bool definite = kernel_is_definite(&loop->t->training->kernel) &&
			!(rows->shared && rows->shared->indefinite);
	bool whole = definite && pairs_are_whole(loop->t, loop->classes);
	struct error failure = { 0 };

	/*
	 * The order of examples, unlike the tiles, must not depend on threads and memory.  By class is
	 * LIBSVM's order, which a problem_is_stepwise() needs.
	 */
	if (rows->shared) {
		loop->by_class = whole || !definite;
		return train_pairs(loop, err);
	}
	loop->by_class = (rows->has_floats && whole) || !definite;
	if (whole && make_shared_matrix(loop, rows, err) < 0)
		return -1;
	if (whole && rows->has_floats && !rows->shared && make_tiles(loop, rows, err) < 0)
		return -1;
	if (rows->has_floats && !loop->by_class && order_rows(rows, err) < 0)
		return -1;
	/* without memory for a matrix rows are computed as they are wanted, and cached */
	rows->has_matrix =
		matrix_serves(loop) && kernel_matrix_init(&rows->matrix, &rows->x_float,
							  loop->options.n_threads, &failure) == 0;
	return train_pairs(loop, err);
}

/* Is that the faster way for a linear kernel, for pairs of at most n examples? */
static bool values_suit(const struct trainer *t, const struct classes *classes, int64_t n)
{
	if (t->training->kernel.type != KERNEL_LINEAR)
		return true;
	return classes && classes->n > 2 && !t->training->squared_loss &&
	       (n <= MOST_BY_VALUES || n <= BY_VALUES_A_COLUMN * t->data->x.n_cols);
}

bool trainer_shares_matrix(const struct trainer *t, const struct classes *classes,
			   double n_trainings)
{
	const struct csr *x = &t->data->x;
	const struct randsvm_options *o = t->options;
	int64_t n = classes ? classes_largest_pair(classes) : x->n_rows;
	double n_rows = (double)x->n_rows, entries = (double)csr_n_entries(x) / n_rows;

	if (t->training->kernel.type == KERNEL_PRECOMPUTED)
		return true;
	if (x->n_rows > MOST_SHARED ||
	    n_rows * n_rows * sizeof(double) > TILES_SHARE * t->solver->cache_mb * 1048576 ||
	    o->mode != WORKING_SET_EXACT || !t->solver->warm_start || n > SMO_WHOLE_ROWS ||
	    n > 2 * randsvm_sample_size(o, n) || !values_suit(t, classes, n))
		return false;
	return entries >= LONG_ROW || n_trainings * entries >= n_rows;
}

int trainer_run(const struct trainer *t, const struct classes *classes, struct solution *s,
		struct pair_result *pairs, struct error *err)
{
	const struct example_list all = { t->data->x.n_rows, NULL, t->data->y };
	const struct example_list *examples = t->subset ? &t->subset->examples : &all;
	struct kept_multipliers kept;
	struct prepared_rows rows = { .shared = t->subset ? t->subset->matrix : NULL };
	struct pair_loop loop = { .t = t,
				  .classes = classes,
				  .rows = &rows,
				  .options = *t->options,
				  .solver = t->solver,
				  .pairs = pairs,
				  .kept = &kept };
	int ret = -1;

	if (kept_init(&kept, solution_n_pairs(classes ? classes->n : 2), err) == 0 &&
	    (!t->start || start_init(&loop.start, t->start, t->data->x.n_rows, err) == 0) &&
	    (t->subset || prepare_rows(&rows, t, classes, err) == 0) && run_loop(&loop, err) == 0)
		ret = assemble_solution(s, &kept, classes, examples, t->data->x.n_rows, err);
	row_ranks_forget(t->ranks);
	prepared_rows_free(&rows);
	start_free(&loop.start);
	kept_free(&kept);
	return ret;
}

/* The support vector that each row is, -1 for all others. */
static int64_t *find_vectors(const struct solution *s, int64_t n_rows, struct error *err)
{
	int64_t *vector_of_row = mem_array(n_rows, sizeof(*vector_of_row), err);

	for (int64_t i = 0; vector_of_row && i < n_rows; i++)
		vector_of_row[i] = -1;
	for (int64_t j = 0; vector_of_row && j < s->n_sv; j++)
		vector_of_row[s->sv_row[j]] = j;
	return vector_of_row;
}

/* beta[i] of the examples of pair (a, b), from the solution's coefficients; a regression is (0, 1). */
static void pair_multipliers_of(const struct solution *s, const struct problem *p, int a, int b,
				const int64_t *vector_of_row, double *beta)
{
	for (int64_t i = 0; i < p->view.n; i++) {
		int64_t j = vector_of_row[p->row[i]];
		int r = p->target[i] > 0 ? b - 1 : a;

		beta[i] = j < 0 ? 0 : s->coef[r * s->n_sv + j];
	}
}

/*
 * Decision values of few examples without making vectors ready, which takes 80 % of the certificate
 * of two classes of five rows of 20 columns.
 */
#define FEW_EXAMPLES 32

static int values_of_few(const struct problem_view *p, const double *beta, double *f,
			 struct error *err)
{
	memset(f, 0, (size_t)p->n * sizeof(*f));
	for (int64_t i = 0; i < p->n; i++) {
		struct csr_row x = csr_row_of(p->x, p->row[i]);

		for (int64_t j = 0; j <= i; j++) {
			double value;

			if (beta[i] == 0 && beta[j] == 0)
				continue;
			value = kernel_merged_value(&p->kernel, x, csr_row_of(p->x, p->row[j]));
			f[i] += beta[j] * value;
			if (j < i)
				f[j] += beta[i] * value;
		}
	}
	for (int64_t i = 0; i < p->n; i++)
		if (!isfinite(f[i]))
			return error_kernel_overflows(err);
	return 0;
}

/* The certificate of the multipliers of a pair, 'beta', which stays the caller's. */
static int certify_pair(const struct trainer *t, const struct problem *p, double *beta,
			int n_threads, struct pair_result *result, struct error *err)
{
	double eps = t->training->eps;
	struct iterate x = { .beta = beta, .rho = result->rho };
	int ret = -1;

	if (!isfinite(result->rho))
		return error_no_finite_solution(&p->view, err);
	x.f = mem_array(p->view.n, sizeof(*x.f), err);
	if (x.f && (p->view.n <= FEW_EXAMPLES && p->view.kernel.type != KERNEL_PRECOMPUTED ?
			    values_of_few(&p->view, beta, x.f, err) :
			    decision_values(&p->view, beta, eps, x.f, n_threads, err)) == 0)
		ret = certificate_make(&p->view, &x, eps, &result->certificate, err);
	if (ret == 0)
		result->certificate.excess = certificate_excess(&p->view, &result->certificate);
	mem_free(x.f);
	return ret;
}

/* All pairs, certified at the same time. */
struct certify_loop {
	const struct trainer *t;
	const struct classes *classes;
	const struct solution *s;
	struct pair_result *pairs;
	int64_t *vector_of_row;
	int n_threads; /* for each pair */
};

static int certify_task(void *arg, int64_t q, int thread, struct error *err)
{
	const struct certify_loop *loop = arg;
	struct class_choice pair = classes_choice(loop->s->n_class, q, false);
	struct pair_result *result = &loop->pairs[q];
	struct problem p;
	double *beta;
	int ret = -1;

	(void)thread;
	if (make_problem(&p, loop->t, loop->classes, pair, err) < 0)
		return -1;
	describe_pair(result, &p, loop->classes, pair.a, pair.b);
	result->rho = loop->s->rho[q];
	beta = mem_array(p.view.n, sizeof(*beta), err);
	if (beta) {
		pair_multipliers_of(loop->s, &p, pair.a, pair.b, loop->vector_of_row, beta);
		ret = certify_pair(loop->t, &p, beta, loop->n_threads, result, err);
	}
	mem_free(beta);
	problem_free(&p);
	return ret;
}

int trainer_certify(const struct trainer *t, const struct classes *classes,
		    const struct solution *s, struct pair_result *pairs, struct error *err)
{
	int64_t n_pairs = solution_n_pairs(s->n_class);
	int n_threads = thread_clamp_count(t->options->n_threads);
	bool at_once = n_threads > 1 && n_pairs >= n_threads;
	struct certify_loop loop = { .t = t,
				     .classes = classes,
				     .s = s,
				     .pairs = pairs,
				     .vector_of_row = find_vectors(s, t->data->x.n_rows, err),
				     .n_threads = at_once ? 1 : n_threads };
	int ret = -1;

	if (loop.vector_of_row)
		ret = thread_ordered_for(at_once ? n_threads : 1, n_pairs, certify_task, NULL,
					 &loop, err);
	mem_free(loop.vector_of_row);
	return ret;
}

/*
 * trainer.c - from a data set and options to a solution, by whatever way they call for
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solve/trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/thread.h"
#include "solve/class_tiles.h"
#include "solve/decision.h"

/* The linear engine is the faster one from so many examples on. */
#define LINEAR_EXAMPLES 500

/*
 * LIBSVM needs the more steps the larger C K(x, x) is, up to its limit, far from the optimum; our
 * own solvers do not.  Up to this, data that fit into one sample are left to it.
 */
#define LIBSVM_SCALE 1e3

/* Of the cache, for what all pairs share. */
#define TILES_SHARE 0.5

/* Is the largest C K(x, x), class weights aside, beyond that?  Nobody solves those that overflow. */
static bool is_hard_for_libsvm(const struct trainer *t)
{
	const struct csr *x = &t->data->x;
	double largest = 0;

	for (int64_t i = 0; i < x->n_rows; i++) {
		double norm2 = 0;

		for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++)
			norm2 += x->val[k] * x->val[k];
		largest = fmax(largest, kernel_diagonal(&t->training->kernel, norm2));
	}
	return t->training->C * largest > LIBSVM_SCALE && isfinite(largest);
}

/*
 * Would the first sample hold every pair's examples?  The native solver is the faster one as soon
 * as there is some work: it has the data unless one sample holds all, and LIBSVM is good at them.
 */
static bool one_sample_does(const struct trainer *t, const struct classes *classes)
{
	int64_t n = t->data->x.n_rows;
	bool exact = t->options->mode == WORKING_SET_EXACT && t->solver->warm_start;

	if (exact && t->training->kernel.type == KERNEL_LINEAR && n > LINEAR_EXAMPLES)
		return false;
	if (exact)
		return randsvm_sample_size(t->options, n) == n && !is_hard_for_libsvm(t);
	if (!classes)
		return randsvm_sample_size(t->options, n) == n;
	for (int a = 0; a < classes->n; a++)
		for (int b = a + 1; b < classes->n; b++) {
			n = classes->start[a + 1] - classes->start[a] + classes->start[b + 1] -
			    classes->start[b];
			if (randsvm_sample_size(t->options, n) < n)
				return false;
		}
	return true;
}

const char *trainer_direct_reason(const struct trainer *t, const struct classes *classes)
{
	const struct training *training = t->training;

	switch (training->type) {
	case MACHINE_NU_SVC:
		return "nu-SVC has no working sets yet";
	case MACHINE_ONE_CLASS:
		return "one-class SVM has no working sets yet";
	case MACHINE_NU_SVR:
		return "nu-SVR has no working sets yet";
	default:
		break;
	}
	if (training->kernel.type == KERNEL_PRECOMPUTED)
		return "the kernel is precomputed";
	if (classes && classes->n == 1)
		return "there is only one class";
	if (one_sample_does(t, classes))
		return "the sample would hold the whole set";
	return NULL;
}

int trainer_run_direct(const struct trainer *t, struct solution *s, struct error *err)
{
	return libsvm_train(t->data, t->training, t->messages, s, err);
}

/* The problem of pair (a, b), or the regression. */
static int make_problem(struct problem *p, const struct trainer *t, const struct classes *classes,
			bool by_class, int a, int b, struct error *err)
{
	if (!classes)
		return regression_problem(p, t->data, t->training, err);
	return classes_pair_problem(p, classes, a, b, by_class, t->data, t->training, err);
}

static void describe_pair(struct pair_result *pair, const struct problem *p,
			  const struct classes *classes, int a, int b)
{
	pair->n = p->view.n;
	pair->label_a = classes ? classes->label[a] : 0;
	pair->label_b = classes ? classes->label[b] : 0;
	pair->c_plus = p->view.c_plus;
	pair->c_minus = p->view.c_minus;
}

/* The non-zero multipliers of one pair, by ascending row. */
struct pair_multipliers {
	int64_t n;
	int64_t *row;
	double *beta;
};

static int keep_multipliers(struct pair_multipliers *kept, const struct problem *p,
			    const double *beta, struct error *err)
{
	int64_t n = 0;

	for (int64_t i = 0; i < p->view.n; i++)
		n += beta[i] != 0;
	kept->row = mem_array(n, sizeof(*kept->row), err);
	kept->beta = mem_array(n, sizeof(*kept->beta), err);
	if (!kept->row || !kept->beta)
		return -1;
	for (int64_t i = 0; i < p->view.n; i++)
		if (beta[i] != 0) {
			kept->row[kept->n] = p->row[i];
			kept->beta[kept->n++] = beta[i];
		}
	return 0;
}

/* One pair: what it is, its problem while it is trained, and the rounds nobody has been told of. */
struct pair_job {
	int a, b;
	struct problem p;
	struct randsvm_round *round;
	int64_t n_rounds, rounds_capacity;
	struct error failed;	/* to record one of them */
};

/* All pairs; several at once where there are enough for all threads. */
struct pair_loop {
	const struct trainer *t;
	const struct classes *classes;
	const struct single_vectors *single;
	const struct class_tiles *tiles;
	bool by_class;		/* examples in the order tiles have them */
	struct randsvm_options options;	/* as the pairs have them, but for the seed */
	const struct solver *solver;
	struct solver share;	/* what a pair has of it, beside tiles and other pairs */
	bool at_once;
	struct pair_job *job;
	struct pair_result *pairs;
	struct pair_multipliers *kept;
};

static void record_round(void *arg, const struct randsvm_round *round)
{
	struct pair_job *job = arg;

	if (job->failed.code != ERR_NONE ||
	    mem_grow(&job->round, &job->rounds_capacity, job->n_rounds + 1, sizeof(*round),
		     &job->failed) < 0)
		return;
	job->round[job->n_rounds++] = *round;
}

static int solve_pair(struct pair_loop *loop, int64_t q, double *beta, double *f, struct error *err)
{
	struct pair_job *job = &loop->job[q];
	struct pair_result *result = &loop->pairs[q];
	struct randsvm_observer recorder = { record_round, job };
	struct randsvm_options options = loop->options;
	struct randsvm_result run;

	options.seed += (uint64_t)q;
	if (randsvm_solve(&job->p.view, loop->solver, &options,
			  loop->at_once ? &recorder : loop->t->rounds, beta, f, &run, err) < 0)
		return -1;
	result->rho = run.rho;
	result->n_iterations = run.n_iterations;
	result->rounds = run.rounds;
	result->reason = run.reason;
	result->certificate = run.certificate;
	if (job->failed.code != ERR_NONE) {
		*err = job->failed;
		return -1;
	}
	return keep_multipliers(&loop->kept[q], &job->p, beta, err);
}

static int train_pair(void *arg, int64_t q, struct error *err)
{
	struct pair_loop *loop = arg;
	struct pair_job *job = &loop->job[q];
	const struct trainer_observer *pairs = loop->t->pairs;
	double *beta, *f;
	int ret = -1;

	if (make_problem(&job->p, loop->t, loop->classes, loop->by_class, job->a, job->b, err) < 0)
		return -1;
	job->p.view.single = loop->single;
	job->p.view.pair = (struct class_pair){ loop->tiles, job->a, job->b };
	describe_pair(&loop->pairs[q], &job->p, loop->classes, job->a, job->b);
	if (!loop->at_once && pairs && pairs->pair_started)
		pairs->pair_started(pairs->arg, &loop->pairs[q]);
	beta = mem_array(job->p.view.n, sizeof(*beta), err);
	f = mem_array(job->p.view.n, sizeof(*f), err);
	if (beta && f)
		ret = solve_pair(loop, q, beta, f, err);
	free(f);
	free(beta);
	problem_free(&job->p);
	return ret;
}

/* In the order of the pairs: tell what could not be told while several were trained at once. */
static void tell_of_pair(void *arg, int64_t q)
{
	struct pair_loop *loop = arg;
	struct pair_job *job = &loop->job[q];
	const struct trainer_observer *pairs = loop->t->pairs;
	const struct randsvm_observer *rounds = loop->t->rounds;

	if (loop->at_once && pairs && pairs->pair_started)
		pairs->pair_started(pairs->arg, &loop->pairs[q]);
	for (int64_t r = 0; r < job->n_rounds && rounds && rounds->round; r++)
		rounds->round(rounds->arg, &job->round[r]);
	if (pairs && pairs->pair_finished)
		pairs->pair_finished(pairs->arg, &loop->pairs[q]);
}

static struct pair_job *make_jobs(int n_class, struct error *err)
{
	struct pair_job *job = mem_zeroed(solution_n_pairs(n_class), sizeof(*job), err);
	int64_t q = 0;

	for (int a = 0; job && a < n_class; a++)
		for (int b = a + 1; b < n_class; b++, q++)
			job[q] = (struct pair_job){ .a = a, .b = b };
	return job;
}

/* Examples in the two largest classes. */
static int64_t largest_pair(const struct classes *c)
{
	int64_t first = 0, second = 0;

	for (int k = 0; k < c->n; k++) {
		int64_t n = c->start[k + 1] - c->start[k];

		second = n > first ? first : n > second ? n : second;
		first = n > first ? n : first;
	}
	return first + second;
}

/* Would tiles serve?  For pairs that are solved as a whole, not in subsets. */
static bool tiles_serve(const struct pair_loop *loop)
{
	const struct classes *c = loop->classes;
	const struct randsvm_options *o = &loop->options;

	return c && c->n > 2 && loop->single && o->mode == WORKING_SET_EXACT &&
	       loop->solver->warm_start &&
	       largest_pair(c) <= 2 * randsvm_sample_size(o, largest_pair(c));
}

/* Where each thread has pairs of its own, tiles get of the cache what they need, up to a share. */
static bool tiles_fit(const struct pair_loop *loop)
{
	return solution_n_pairs(loop->classes->n) >= loop->options.n_threads &&
	       class_tiles_bytes(loop->single, loop->classes) <=
		       TILES_SHARE * loop->solver->cache_mb * 1048576;
}

/* Where there are pairs for all threads each pair has one, else each pair has all. */
static int train_pairs(struct pair_loop *loop, struct error *err)
{
	int n_class = loop->classes ? loop->classes->n : 2;
	int64_t n_pairs = solution_n_pairs(n_class);
	int n_threads = thread_clamp_count(loop->options.n_threads), ret;

	loop->job = make_jobs(n_class, err);
	if (!loop->job)
		return -1;
	loop->share = *loop->solver;
	loop->at_once = n_threads > 1 && n_pairs >= n_threads && loop->share.warm_start;
	if (loop->tiles)
		loop->share.cache_mb -= class_tiles_bytes(loop->single, loop->classes) / 1048576;
	if (loop->at_once) {
		loop->options.n_threads = loop->share.n_threads = 1;
		loop->share.cache_mb /= n_threads;
	}
	if (loop->at_once || loop->tiles)
		loop->solver = &loop->share;
	ret = thread_ordered_for(loop->at_once ? n_threads : 1, n_pairs, train_pair, tell_of_pair,
				 loop, err);
	for (int64_t q = 0; q < n_pairs; q++)
		free(loop->job[q].round);
	free(loop->job);
	return ret;
}

/* Class of each row that is a support vector of some pair, -1 for all others. */
static void mark_vectors(int32_t *class_of_row, const struct classes *classes,
			 const struct pair_multipliers *kept, int64_t n_rows)
{
	int64_t q = 0;

	for (int64_t i = 0; i < n_rows; i++)
		class_of_row[i] = -1;
	if (!classes) {
		for (int64_t j = 0; j < kept->n; j++)
			class_of_row[kept->row[j]] = 0;
		return;
	}
	for (int a = 0; a < classes->n; a++)
		for (int b = a + 1; b < classes->n; b++, q++)
			for (int64_t j = 0; j < kept[q].n; j++)
				class_of_row[kept[q].row[j]] = kept[q].beta[j] > 0 ? a : b;
}

/* Number the support vectors: by class, then by row.  vector_of_row gets the numbers. */
static void number_vectors(struct solution *s, const int32_t *class_of_row, int64_t *vector_of_row,
			   int64_t n_rows)
{
	s->n_sv = 0;
	for (int c = 0; c < s->n_class; c++) {
		int64_t before = s->n_sv;

		for (int64_t i = 0; i < n_rows; i++)
			if (class_of_row[i] == c) {
				vector_of_row[i] = s->n_sv;
				s->sv_row[s->n_sv++] = i;
			}
		s->n_sv_of_class[c] = s->n_sv - before;
	}
}

/* coef[r][v] of a vector of class 'own' against class r < own ? r : r + 1. */
static void place_coefficients(struct solution *s, const struct pair_multipliers *kept,
			       const int32_t *class_of_row, const int64_t *vector_of_row)
{
	int64_t q = 0;

	for (int a = 0; a < s->n_class; a++)
		for (int b = a + 1; b < s->n_class; b++, q++)
			for (int64_t j = 0; j < kept[q].n; j++) {
				int64_t row = kept[q].row[j];
				int r = class_of_row[row] == a ? b - 1 : a;

				s->coef[r * s->n_sv + vector_of_row[row]] = kept[q].beta[j];
			}
}

static int solution_allocate(struct solution *s, const struct classes *classes, int64_t n_rows,
			     struct error *err)
{
	s->n_class = classes ? classes->n : 2;
	s->sv_row = mem_array(n_rows, sizeof(int64_t), err);
	s->n_sv_of_class = mem_zeroed(s->n_class, sizeof(int64_t), err);
	s->rho = mem_array(solution_n_pairs(s->n_class), sizeof(double), err);
	if (classes) {
		s->label = mem_array(s->n_class, sizeof(int), err);
		if (s->label)
			memcpy(s->label, classes->label, (size_t)s->n_class * sizeof(int));
	}
	return err->code == ERR_NONE ? 0 : -1;
}

static int assemble(struct solution *s, const struct trainer *t, const struct classes *classes,
		    const struct pair_multipliers *kept, const struct pair_result *pairs,
		    struct error *err)
{
	int64_t n_rows = t->data->x.n_rows, n_coef;
	int32_t *class_of_row = mem_array(n_rows, sizeof(*class_of_row), err);
	int64_t *vector_of_row = mem_array(n_rows, sizeof(*vector_of_row), err);
	int ret = -1;

	if (!class_of_row || !vector_of_row || solution_allocate(s, classes, n_rows, err) < 0)
		goto out;
	mark_vectors(class_of_row, classes, kept, n_rows);
	number_vectors(s, class_of_row, vector_of_row, n_rows);
	n_coef = (s->n_class - 1) * s->n_sv;
	s->coef = mem_zeroed(n_coef, sizeof(double), err);
	if (!s->coef)
		goto out;
	place_coefficients(s, kept, class_of_row, vector_of_row);
	for (int64_t q = 0; q < solution_n_pairs(s->n_class); q++)
		s->rho[q] = pairs[q].rho;
	ret = 0;
out:
	if (ret < 0)
		solution_free(s);
	free(class_of_row);
	free(vector_of_row);
	return ret;
}

static void free_multipliers(struct pair_multipliers *kept, int64_t n_pairs)
{
	for (int64_t q = 0; kept && q < n_pairs; q++) {
		free(kept[q].row);
		free(kept[q].beta);
	}
	free(kept);
}

int trainer_run(const struct trainer *t, const struct classes *classes, struct solution *s,
		struct pair_result *pairs, struct error *err)
{
	int64_t n_pairs = solution_n_pairs(classes ? classes->n : 2);
	struct pair_multipliers *kept = mem_zeroed(n_pairs, sizeof(*kept), err);
	const struct kernel *kernel = &t->training->kernel;
	struct single_vectors single = { 0 };
	/* a linear kernel is evaluated by its weights */
	int unfit = kernel->type == KERNEL_LINEAR ||
		    single_vectors_init(&single, &t->data->x, kernel, err);
	struct class_tiles tiles = { 0 };
	int ret = -1;

	struct pair_loop loop = { .t = t, .classes = classes, .single = unfit ? NULL : &single,
				  .options = *t->options, .solver = t->solver,
				  .pairs = pairs, .kept = kept };

	/* the order of examples, unlike the tiles, must not depend on threads and memory */
	loop.by_class = tiles_serve(&loop);
	if (kept && unfit >= 0 && loop.by_class && tiles_fit(&loop)) {
		unfit = class_tiles_init(&tiles, &single, classes, err);
		loop.tiles = &tiles;
	}
	if (kept && unfit >= 0 && train_pairs(&loop, err) == 0)
		ret = assemble(s, t, classes, kept, pairs, err);
	class_tiles_free(&tiles);
	single_vectors_free(&single);
	free_multipliers(kept, n_pairs);
	return ret;
}

/* beta[i] of the pair's examples from the solution's coefficients. */
static void pair_multipliers_of(const struct solution *s, const struct problem *p, int a, int b,
				double *beta_of_row, double *beta)
{
	int64_t j = 0;

	for (int c = 0; c < s->n_class; c++)
		for (int64_t end = j + s->n_sv_of_class[c]; j < end; j++)
			beta_of_row[s->sv_row[j]] =
				c == a ? s->coef[(b - 1) * s->n_sv + j] :
				c == b ? s->coef[a * s->n_sv + j] : 0;
	for (int64_t i = 0; i < p->view.n; i++)
		beta[i] = beta_of_row[p->row[i]];
}

static int certify_pair(const struct trainer *t, const struct problem *p, const double *beta,
			struct pair_result *result, struct error *err)
{
	double *f = mem_array(p->view.n, sizeof(*f), err);
	int ret = -1;

	if (f && decision_values(&p->view, beta, t->training->eps, f, t->options->n_threads,
				 err) == 0)
		ret = gap_certify(&p->view, beta, f, result->rho, t->training->eps,
				  &result->certificate, err);
	free(f);
	return ret;
}

int trainer_certify(const struct trainer *t, const struct classes *classes,
		    const struct solution *s, struct pair_result *pairs, struct error *err)
{
	int64_t n_rows = t->data->x.n_rows, q = 0;
	double *beta_of_row = mem_zeroed(n_rows, sizeof(double), err);
	double *beta = mem_array(n_rows, sizeof(double), err);
	int ret = -1;

	if (!beta_of_row || !beta)
		goto out;
	for (int a = 0; a < s->n_class; a++)
		for (int b = a + 1; b < s->n_class; b++, q++) {
			struct problem p;
			int certified;

			if (make_problem(&p, t, classes, false, a, b, err) < 0)
				goto out;
			describe_pair(&pairs[q], &p, classes, a, b);
			pairs[q].rho = s->rho[q];
			pair_multipliers_of(s, &p, a, b, beta_of_row, beta);
			certified = certify_pair(t, &p, beta, &pairs[q], err);
			problem_free(&p);
			if (certified < 0)
				goto out;
		}
	ret = 0;
out:
	free(beta_of_row);
	free(beta);
	return ret;
}

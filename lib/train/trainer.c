/*
 * trainer.c - from a data set and options to a solution, by whatever way they call for
 *
 * k classes are k (k - 1) / 2 problems, a regression is one.  pair_rows.c says how they are solved,
 * and makes once, before the first, what they share of kernel values.
 *
 *     train_pairs     with at least as many pairs as threads, each thread trains a pair of its own
 *                     with an equal share of the kernel cache; otherwise, and always with LIBSVM
 *                     as the solver, pairs are trained one after the other, each on all threads
 *     train_pair      any order: the pair's problem, its multipliers and result.  Rounds are
 *                     recorded, not reported, where pairs are trained at once.
 *     finish_pair     in the order of the pairs, one at a time: reports, and keeps what the
 *                     solution needs (row and beta of support vectors); the rest is freed
 *     assemble_solution   after all pairs
 *
 * Pair q draws from seed + q and no pair sees another's result, so that the solution and all
 * reports are the same for any number of threads.
 *
 * What a pair owns, and until when (struct pair_job):
 *
 *     train_pair          p, beta, rounds      made by the thread that trains the pair
 *                         f, start             freed at the end of solve_pair() or train_pair()
 *     finish_pair         p, beta, rounds      freed; kept_add() has copied the multipliers
 *     train_pairs         all of these         freed too, where an error ended the loop before
 *
 * Threads write to loop->job[q] and loop->pairs[q] of their own pairs alone.  Everything else in
 * struct pair_loop is set before the first pair and read by all, but for 'kept': finish_pair() is
 * called in order, never by two threads at once, and alone writes to it.
 *
 * With a limit of time, pair q gets from what is left at its start the share
 *
 *     n_at_once work_q / (work_q + work_q+1 + ...)                                              (1)
 *
 * so that pairs which end early leave their time to later ones.
 *
 * Where pairs are dealt to ranks (dealt_pairs.h) each rank's loop is over a run of them, and finish_pair()
 * writes what a checkpoint would have of a pair.  Rank 0 goes over its own pairs, and then over all
 * others, which train_pair() reads.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/trainer.h"

#include "problem/decision.h"
#include "proof/rounding.h"
#include "ranks/rank_linear.h"
#include "train/dealt_pairs.h"
#include "train/pair_rows.h"
#include "train/start.h"

/* ---- one solution from the multipliers of all pairs ---- */

/*
 * LIBSVM's model lists each support vector once, class after class, with k - 1 coefficients: that of
 * the pair with every other class, 0 where it is none of that pair's support vectors.  So the
 * multipliers are kept as such a list of all rows, of which those without a coefficient are left out
 * in the end, in place.
 *
 *     kept->coef, by pairs while they are trained          s->coef, in the end
 *                row 0   row 1   ...   row n - 1                     vector 0   vector 1   ...
 *     0          .       .             .                   0         .          .
 *     ...                                                  ...
 *     k - 2      .       .             .                   k - 2     .          .
 *
 * The coefficient of a row of class a against class b is in line b - 1 if a < b, and in line b if a
 * > b: line r leaves the row's own class out (expansion.h).  8 (k - 1) n bytes are needed in any
 * case while pairs may make any row a support vector; moving lines to the front in place needs no
 * second array.
 */

/*
 * The multipliers of all pairs of n_class classes, as LIBSVM's models have them: those of a row in a
 * column, in row b - 1 of a pair (a, b) where the row is of class a, else in row a.
 *
 * Where classes are many nearly every row is a support vector of some pair, and this becomes the
 * solution's coefficients; where they are few it is small beside the data.
 */
struct kept_multipliers {
	int n_class;
	int64_t n_rows;
	/* coefficients by row, [n_class - 1][n_rows], 0 at first; NULL before the first pair, or: */
	double *coef;
	struct error err; /* the failure to get memory for them */
	double *rho;	  /* constant rho of the decision function of each pair */
	double far_error;
	double **w; /* weights of each pair that has them in place of multipliers; else NULL */
};

/* Room for all coefficients, 0: one stays 0 where the row is no support vector of the pair. */
static bool kept_has_room(struct kept_multipliers *kept)
{
	if (!kept->coef && kept->err.code == ERR_NONE)
		kept->coef = mem_zeroed((kept->n_class - 1) * kept->n_rows, sizeof(*kept->coef),
					&kept->err);
	return kept->coef;
}

/* Store the multipliers 'beta' and the constant of pair number q, classes a and b. */
static void kept_add(struct kept_multipliers *kept, int64_t q, struct class_choice pair,
		     const struct problem *p, const double *beta, double rho)
{
	const int64_t n = kept_has_room(kept) ? p->view.n : 0;

	kept->rho[q] = rho;
	for (int64_t i = 0; i < n; i++) {
		/* class a is the first of the pair: its examples have target +1 */
		int r = p->view.target[i] > 0 ? pair.b - 1 : pair.a;

		if (beta[i] != 0)
			kept->coef[r * kept->n_rows + p->row[i]] = beta[i];
	}
}

/* Has row i a coefficient other than 0 in any pair?  It is a support vector of the model then. */
static bool is_vector(const struct kept_multipliers *kept, int64_t i)
{
	for (int r = 0; r < kept->n_class - 1; r++)
		if (kept->coef[r * kept->n_rows + i] != 0)
			return true;
	return false;
}

/* The support vectors of all classes, class after class, as LIBSVM's models list them. */
static void list_vectors(struct solution *s, const struct kept_multipliers *kept,
			 const struct classes *classes, const struct example_list *examples)
{
	s->n_sv = 0;
	/* a regression lists all its examples as one class */
	for (int c = 0; c < (classes ? classes->n : 1); c++) {
		const int64_t *row = classes ? classes->row + classes->start[c] : examples->row;
		const int64_t n = classes ? classes_size(classes, c) : examples->n;
		const int64_t before = s->n_sv;

		/* rows of a class in the order of the data; of a regression maybe the first n rows */
		for (int64_t k = 0; k < n; k++)
			if (is_vector(kept, row ? row[k] : k))
				s->sv_row[s->n_sv++] = row ? row[k] : k;
		s->n_sv_of_class[c] = s->n_sv - before;
	}
}

/* Keep only the coefficients of support vectors, moving each to a place that was read already. */
static int take_coefficients(struct solution *s, struct kept_multipliers *kept, struct error *err)
{
	int64_t capacity = (kept->n_class - 1) * kept->n_rows;
	double *some = mem_array(s->n_sv, sizeof(*some), err);

	for (int r = 0; some && r < kept->n_class - 1; r++) {
		/* line by line: line r ends before line r of the old length begins */
		for (int64_t v = 0; v < s->n_sv; v++)
			some[v] = kept->coef[r * kept->n_rows + s->sv_row[v]];
		memcpy(kept->coef + r * s->n_sv, some, (size_t)s->n_sv * sizeof(*some));
	}
	mem_free(some);
	if (!some)
		return -1;
	/* the memory of rows without coefficients is given back */
	mem_shrink(&kept->coef, &capacity, (kept->n_class - 1) * s->n_sv, sizeof(*kept->coef));
	s->coef = kept->coef;
	kept->coef = NULL;
	return 0;
}

/*
 * Fill the empty '*s' from the multipliers kept of all pairs, which it takes
 *
 * 'classes' is NULL for a regression.  Support vectors are in the order of the examples, for
 * several classes within each class.  O(classes times rows).  Fails with ERR_MEMORY only; '*s' is
 * then empty.
 */
static int assemble_solution(struct solution *s, struct kept_multipliers *kept,
			     const struct classes *classes, const struct example_list *examples,
			     struct error *err)
{
	if (!kept_has_room(kept))
		return error_pass(err, &kept->err);
	s->n_class = kept->n_class;
	/* room for as many vectors as examples; n_sv says how many there are */
	s->sv_row = mem_array(examples->n, sizeof(int64_t), err);
	s->n_sv_of_class = mem_zeroed(s->n_class, sizeof(int64_t), err);
	s->label = mem_copy(classes ? classes->label : NULL, s->n_class, sizeof(int), err);
	if (err->code == ERR_NONE)
		list_vectors(s, kept, classes, examples);
	if (err->code != ERR_NONE || take_coefficients(s, kept, err) < 0) {
		/* after a failure the solution is empty */
		solution_free(s);
		return -1;
	}
	/* the arrays now belong to the solution, and who frees those kept finds NULL pointers */
	s->rho = kept->rho;
	s->w = kept->w;
	s->far_error = kept->far_error;
	kept->rho = NULL;
	kept->w = NULL;
	return 0;
}

/* ---- the pairs ---- */

/*
 * One pair from the start of its training until the observers have been told: its problem and
 * its result, its multipliers, and the rounds that the observers have not been told of.
 */
struct pair_job {
	struct problem p;
	struct class_source source; /* source of its kernel values, where tiles are shared */
	struct pair_result *result, unwanted; /* the caller's, or this one */
	double *beta;			      /* multipliers of the problem's examples */
	double *w; /* weights in place of multipliers: see struct randsvm_task; or NULL */
	struct randsvm_rounds rounds;
	/* observer told at once; NULL: the caller's is told when the pair is finished */
	const struct randsvm_observer *told;
	struct error *err; /* error of the task, for recording a round */
};

/* All pairs; several at once where there are enough for all threads. */
struct pair_loop {
	const struct trainer *t;
	const struct classes *classes;
	struct pair_rows *rows;
	struct randsvm_options options; /* options of all pairs, but for the seed */
	/* solver of one pair, whose cache is what tiles and other pairs leave */
	struct solver solver;
	bool at_once;
	/* by pair: about the work of it and all later ones; NULL: the time is not limited */
	double *work_left;
	int64_t first;		   /* number of the first pair that is trained now */
	struct fields received;	   /* pairs that other ranks have trained, if those are next */
	struct pair_job **job;	   /* job of each pair, NULL before and after */
	struct pair_result *pairs; /* results of all pairs, or NULL */
	struct kept_multipliers *kept;
	struct start start;	  /* start of all pairs; start.s is NULL without one */
	struct rank_linear ranks; /* ranks that help with linear kernels; ranks.rows NULL: none */
	/* norms of all rows, where several pairs have them; else empty */
	struct rounding_rows norms;
};

int pair_problem_init(struct problem *p, const struct trainer *t, const struct classes *classes,
		      struct class_choice pair, struct error *err)
{
	/* the classes of a subset name rows of the data already: a pair needs no case of its own */
	if (!classes && t->subset)
		return single_problem_list(p, t->data, t->training, &t->subset->examples, err);
	return classes_pair_problem(p, classes, pair, t->data, t->training, err);
}

void pair_problem_describe(struct pair_result *pair, const struct problem *p,
			   const struct classes *classes, int a, int b)
{
	pair->n = p->view.n;
	pair->label_a = classes ? classes->label[a] : 0;
	pair->label_b = classes ? classes->label[b] : 0;
	pair->c = problem_has_one_c(&p->view) ? p->view.c_plus : NAN;
}

void pair_problem_count_outside(struct pair_result *result, const struct problem_view *p,
				const struct iterate *x)
{
	result->outside = 0;
	for (int64_t i = 0; p->type == MACHINE_ONE_CLASS && i < p->n; i++)
		if (!(x->f[i] > x->rho))
			result->outside += p->weight ? p->weight[i] : 1;
	result->outside /= problem_weight(p);
}

/* An observer that keeps each round, and passes it on unless pairs are trained at once. */
static void record_round(void *arg, const struct randsvm_round *round)
{
	struct pair_job *job = arg;

	struct randsvm_rounds *rounds = &job->rounds;

	/* an error is found by the caller in job->err; the round is lost with the training */
	if (mem_grow(&rounds->round, &rounds->capacity, rounds->n + 1, sizeof(*round), job->err) <
	    0)
		return;
	rounds->round[rounds->n++] = *round;
	/* pairs trained at once tell nothing yet: finish_pair() tells their rounds in order */
	if (job->told && job->told->round)
		job->told->round(job->told->arg, round);
}

struct example_list trainer_examples(const struct trainer *t)
{
	if (t->subset)
		return t->subset->examples;
	return (struct example_list){ t->data->x.n_rows, NULL, t->data->y };
}

bool trainer_was_interrupted(const struct pair_result *pairs, int64_t n)
{
	bool interrupted = false;

	/* a pair that was not trained has 0 rounds */
	for (int64_t q = 0; q < n; q++)
		interrupted |=
			pairs[q].solved.rounds > 0 && pairs[q].solved.reason == STOP_INTERRUPTED;
	return interrupted;
}

int trainer_error_no_margin(const struct trainer *t, int label_a, int label_b, bool early,
			    struct error *err)
{
	return error_set(
		err, ERR_NUMERIC,
		"there is no margin%s between classes %d and %d with nu = %g: what nu leaves "
		"of them overlaps, or nearly; try a larger nu%s",
		early ? " so far" : "", label_a, label_b, t->training->nu,
		early ? ", or more time" : "");
}

/* A relative gap up to which a primal below 0 proves that there is a margin. */
#define PROVING_GAP 0.5

/*
 * nu-SVC: has w a margin?  P of w = 0 is 0, and P below that by more than rounding is one of a
 * margin where D is near and below.
 */
static bool proves_margin(const struct certificate *c)
{
	return c->primal < -c->rounding && c->dual <= c->primal + 2 * c->rounding &&
	       certificate_relative_gap(c) <= PROVING_GAP;
}

/*
 * nu-SVC: all over r, as the margin of the model is 1; r > 0.  P and D are then those of the
 * multipliers that the model has, each rounded: with a linear kernel that moves w.
 */
static int scale_margin(struct problem_view *p, struct randsvm_task *task, double r,
			struct error *err)
{
	struct iterate *x = &task->x;
	struct certificate *c = &task->result.certificate;
	const struct certificate before = *c;
	struct problem_view scaled = *p;

	scaled.c_plus /= r;
	scaled.c_minus /= r;
	scaled.sum_plus /= r;
	scaled.sum_minus /= r;
	for (int64_t i = 0; i < p->n; i++) {
		/* a bound stays one, however its weight rounds */
		x->beta[i] = fabs(x->beta[i]) == problem_bound(p, i) ?
				     copysign(problem_bound(&scaled, i), x->beta[i]) :
				     x->beta[i] / r;
		x->f[i] /= r;
	}
	x->knows_sizes = false;
	x->rho /= r;
	x->epsilon /= r;
	*p = scaled;
	/* what was interrupted is finished */
	scaled.interruption = NULL;
	if (p->kernel.type == KERNEL_LINEAR &&
	    decision_values(&scaled, x->beta, 0, x->f, task->options->n_threads, err) < 0)
		return -1;
	if (certificate_make(p, x, task->options->eps / r, c, err) < 0)
		return -1;
	c->excess = before.excess;
	/* an end before the optimum may have left multipliers that are not feasible */
	if (task->result.reason == STOP_INTERRUPTED)
		c->dual = before.dual / (r * r);
	return 0;
}

/*
 * Has a nu-SVC a margin?  r is 0 where the classes' reduced convex hulls meet, and then w is 0
 * too: what LIBSVM makes of it is a model of rounding errors.  An r that is not above the tolerance
 * counts if the certificate proves it.
 */
static int check_margin(const struct pair_loop *loop, const struct pair_result *result,
			struct error *err)
{
	const struct certificate *c = &result->solved.certificate;
	double r = result->half_width;

	if (loop->t->training->type != MACHINE_NU_SVC)
		return 0;
	/* r > 0 may have an infinite 1 / r^2; P is 0 where no multiple of w is better than w = 0 */
	if ((!(r > loop->options.eps) && !(r > 0 && proves_margin(c))) || !isfinite(result->rho) ||
	    !certificate_is_finite(c) || (c->primal == 0 && c->dual <= 0))
		return trainer_error_no_margin(loop->t, result->label_a, result->label_b,
					       result->solved.reason == STOP_INTERRUPTED, err);
	return 0;
}

/*
 * What to begin with, for the caller to free; NULL where that is 0, or without memory.  Machines of
 * nu have sums of multipliers that a model of other rows or another nu has not.
 */
static double *start_of(const struct pair_loop *loop, const struct pair_job *job, struct error *err)
{
	const struct problem_view *p = &job->p.view;
	double *start;

	if (!loop->start.s || problem_fixes_sums(p))
		return NULL;
	start = mem_array(p->n, sizeof(*start), err);
	if (!start)
		return NULL;
	start_coefficients(&loop->start, start_class(&loop->start, job->result->label_a),
			   start_class(&loop->start, job->result->label_b), p, start);
	if (multipliers_count(start, p->n) > 0)
		return start;
	/* a start of multipliers 0 is the same as none */
	mem_free(start);
	return NULL;
}

/* Folds and callers without results do not look at primal and dual. */
static bool settles_rounding(const struct pair_loop *loop)
{
	return (loop->pairs || loop->t->out) && !loop->t->all_or_nothing &&
	       (loop->t->certifies || loop->t->training->type == MACHINE_NU_SVC);
}

/*
 * How exact are primal and dual?  Of folds nobody asks, unless doubles are coarse for them; and
 * rounding alone has none to lose.  Where the primal is 0 a dual within its error is, too.
 */
static int settle_rounding(const struct pair_loop *loop, const struct problem_view *p,
			   struct randsvm_task *task, double tolerance, struct error *err)
{
	struct rounding_options o = {
		.tolerance = tolerance,
		.rows = loop->norms.norm2 ? &loop->norms : NULL,
		.values = task->result.in_doubles ? ROUNDING_DOUBLES : ROUNDING_FLOATS,
		.seed = task->options->seed,
		.n_problems = loop->classes ? solution_n_pairs(loop->classes->n) : 1,
		.n_threads = task->options->n_threads
	};
	struct certificate *c = &task->result.certificate;
	WORK_SCOPE(work_for(WORK_ROUNDING));

	certificate_drop_rounding(p, task->x.beta, c);
	/* the errors of weights are known */
	if (!task->w && (settles_rounding(loop) || c->excess > 0) &&
	    (c->primal != 0 || c->dual != 0)) {
		if (rounding_lengthen(p, &task->x, tolerance, &o.values, c, err) < 0 ||
		    rounding_settle(p, &task->x, &o, c, err) < 0)
			return -1;
		certificate_drop_rounding(p, task->x.beta, c);
	}
	/* what is proved in twice the digits does not hold for who predicts in doubles */
	if (o.values != ROUNDING_LONG)
		certificate_drop_excess(c);
	return 0;
}

/* Multipliers and result of pair q, whose problem is ready; 'f' is room for the decision values. */
static int solve_pair(struct pair_loop *loop, int64_t q, double *f, struct error *err)
{
	struct pair_job *job = loop->job[q];
	struct pair_result *result = job->result;
	/* 'start' is NULL without a start, and without memory, which 'err' tells apart */
	double *start = start_of(loop, job, err);
	struct randsvm_observer recorder = { record_round, job };
	struct randsvm_options options = loop->options;
	struct randsvm_task task = {
		.p = &job->p.view,
		.solver = &loop->solver,
		.options = &options,
		.observer = &recorder,
		.start = start,
		.checkpoint = checkpoint_block(loop->t->checkpoint, q),
		.rounds = &job->rounds,
		.helpers = loop->ranks.rows && !loop->at_once ? &loop->ranks.helpers : NULL,
		.takes_weights = loop->pairs && !loop->t->all_or_nothing &&
				 job->p.view.kernel.type == KERNEL_LINEAR,
		.x = { .beta = job->beta, .f = f, .asks_sizes = settles_rounding(loop) }
	};
	double unit = 1;
	int ret = -1;

	/* no pair draws the numbers of another */
	options.seed += (uint64_t)q;
	if (err->code == ERR_NONE)
		ret = randsvm_solve(&task, err);
	job->w = task.w;
	/* epsilon is minus the margin's half width for nu-SVC (problem.h), the tube's for nu-SVR */
	if (problem_fixes_sums(&job->p.view))
		result->half_width =
			job->p.view.type == MACHINE_NU_SVC ? -task.x.epsilon : task.x.epsilon;
	if (ret == 0 && job->p.view.type == MACHINE_NU_SVC && result->half_width > 0) {
		unit = result->half_width;
		ret = scale_margin(&job->p.view, &task, unit, err);
	}
	if (ret == 0)
		ret = settle_rounding(loop, &job->p.view, &task, options.eps / unit, err);
	if (ret == 0)
		ret = rounding_lower_rho(&job->p.view, &task.x, options.eps, options.n_threads,
					 &task.result.certificate, err);
	mem_free_all(start, task.x.sizes);
	if (ret < 0)
		return -1;
	pair_problem_count_outside(result, &job->p.view, &task.x);
	result->rho = task.x.rho;
	result->n_iterations = task.x.n_iterations;
	result->solved = task.result;
	/* only the bound of rounding asks for it, and checkpoints do not keep it */
	result->solved.certificate.witness = (struct certificate_witness){ 0 };
	/* rank 0 looks, in the order of the pairs */
	if (!loop->t->out && check_margin(loop, result, err) < 0)
		return -1;
	return err->code == ERR_NONE ? 0 : -1;
}

/* All that is kept of a pair that is trained: its result, its multipliers, its rounds. */
static void visit_pair(void *arg, struct fields *f)
{
	struct pair_job *job = arg;
	struct pair_result *result = job->result;
	const struct randsvm_observer recorder = { record_round, job };
	const struct randsvm_task task = { .observer = &recorder, .rounds = &job->rounds };

	/* the same calls write and read the fields of a pair (rounds.c) */
	fields_double(f, "rho", &result->rho);
	if (problem_fixes_sums(&job->p.view))
		fields_double(f, "half_width", &result->half_width);
	fields_int64(f, "n_iterations", &result->n_iterations);
	randsvm_visit_result(&result->solved, f);
	randsvm_visit_rounds(&task, 0, f);
	fields_sparse(f, "beta", job->beta, job->p.view.n);
}

/* The classes of pair q, in LIBSVM's order of pairs, and the order of their examples. */
static struct class_choice pair_of(const struct pair_loop *loop, int64_t q)
{
	return classes_choice(loop->classes ? loop->classes->n : 2, q, loop->rows->order.by_class);
}

/* Training takes some power of the number of examples between 1 and 3. */
static double expected_work(const struct pair_loop *loop, int64_t q)
{
	const int64_t *start = loop->classes->start;
	struct class_choice pair = pair_of(loop, q);
	double n = (double)(start[pair.a + 1] - start[pair.a] + start[pair.b + 1] - start[pair.b]);

	return n * n;
}

/* The first pair of a rank: each has a run of about the same work. */
static int64_t first_of_rank(const struct pair_loop *loop, int64_t n_pairs, int rank, int size)
{
	double left = 0;
	int64_t q = 0;

	while (q < n_pairs)
		left += expected_work(loop, q++) * rank / size;
	for (q = 0; q < n_pairs && left > expected_work(loop, q) / 2; q++)
		left -= expected_work(loop, q);
	return q;
}

/* Where the time is limited several pairs share it, so that none is left without a model. */
static int divide_time(struct pair_loop *loop, int64_t end, struct error *err)
{
	double sum = 0;

	if (end < 2 || loop->t->all_or_nothing ||
	    isinf(interruption_seconds_left(loop->solver.interruption)))
		return 0;
	loop->work_left = mem_array(end, sizeof(*loop->work_left), err);
	/* sums from the last pair of this rank back: work_left[q] is the work of q and all later pairs */
	for (int64_t q = end; loop->work_left && q-- > loop->first;)
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
	earlier_end_share(end, loop->solver.interruption,
			  /* (1); the times of pairs trained at once run side by side */
			  n_at_once * expected_work(loop, q) / loop->work_left[q]);
	p->interruption = &end->own;
}

/* All that a thread does for pair q: the problem, the checkpoint's record of it, its solution. */
static int train_pair(void *arg, int64_t number, int thread, struct error *err)
{
	struct pair_loop *loop = arg;
	const int64_t q = loop->first + number;
	struct class_choice pair = pair_of(loop, q);
	struct pair_job *job = loop->job[q] = mem_zeroed(1, sizeof(*job), err);
	const struct trainer_observer *pairs = loop->t->pairs;
	struct checkpoint_block *kept = checkpoint_block(loop->t->checkpoint, q);
	struct earlier_end end;
	double *f;
	int ret = -1;

	/* free_job() frees the job later, as far as it was made */
	if (!job || pair_problem_init(&job->p, loop->t, loop->classes, pair, err) < 0)
		return -1;
	job->err = err;
	job->told = loop->at_once ? NULL : loop->t->rounds;
	/* the caller's place for the result, or one that nobody looks at */
	job->result = loop->pairs ? &loop->pairs[q] : &job->unwanted;
	if (loop->rows->order.place && problem_sort(&job->p, loop->rows->order.place, err) < 0)
		return -1;
	problem_share_targets(&job->p, loop->t->data);
	pair_problem_describe(job->result, &job->p, loop->classes, pair.a, pair.b);
	/* started here where one pair follows another, else by finish_pair() */
	if (!loop->at_once && pairs && pairs->pair_started)
		pairs->pair_started(pairs->arg, job->result);
	job->beta = mem_array(job->p.view.n, sizeof(*job->beta), err);
	/* trained by another rank: its errors are those of this one */
	if (job->beta && loop->received.at) {
		loop->received.err = err;
		visit_pair(job, &loop->received);
		return fields_failed(&loop->received) ? -1 : check_margin(loop, job->result, err);
	}
	ret = job->beta ? checkpoint_finished(kept, visit_pair, job, err) : -1;
	/* below 0: an error; above: finished by an earlier run, and read from the checkpoint */
	if (ret != 0)
		return ret < 0 ? -1 : 0;
	/* the source must last until the pair is solved: it is job->source or one of rows' */
	if (pair_rows_lend(loop->rows, &job->p.view, pair, thread, &job->source, err) < 0)
		return -1;
	limit_pair(loop, q, &job->p.view, &end);
	f = mem_array(job->p.view.n, sizeof(*f), err);
	ret = f ? solve_pair(loop, q, f, err) : -1;
	mem_free(f);
	/* 'end' is a variable of this function, which the problem outlives */
	job->p.view.interruption = NULL;
	/*
	 * an end before the optimum is not the outcome: the training goes on from its last safe
	 * point; and weights are in the outcome of the solver
	 */
	if (ret == 0 && !job->w && job->result->solved.reason != STOP_INTERRUPTED)
		checkpoint_finish(kept, visit_pair, job);
	return ret;
}

static void free_job(struct pair_loop *loop, int64_t q)
{
	struct pair_job *job = loop->job[q];

	if (!job)
		return;
	problem_free(&job->p);
	mem_free_all(job->beta, job->w, job->rounds.round, job);
	loop->job[q] = NULL;
}

/*
 * In the order of the pairs: tell what could not be told while several were trained at once, and
 * keep what the solution needs.
 */
static void finish_pair(void *arg, int64_t number)
{
	struct pair_loop *loop = arg;
	const int64_t q = loop->first + number;
	struct pair_job *job = loop->job[q];
	const struct trainer_observer *pairs = loop->t->pairs;
	const struct randsvm_observer *rounds = loop->t->rounds;

	if (loop->t->out) {
		visit_pair(job, loop->t->out);
		free_job(loop, q);
		return;
	}
	if (loop->at_once && pairs && pairs->pair_started)
		pairs->pair_started(pairs->arg, job->result);
	/* pairs trained at once: rounds are told here, one pair after the other */
	for (int64_t r = 0; loop->at_once && r < job->rounds.n && rounds && rounds->round; r++)
		rounds->round(rounds->arg, &job->rounds.round[r]);
	if (pairs && pairs->pair_finished)
		pairs->pair_finished(pairs->arg, job->result);
	/* job->p and job->beta are not used after this */
	kept_add(loop->kept, q, pair_of(loop, q), &job->p, job->beta, job->result->rho);
	loop->kept->far_error =
		fmax(loop->kept->far_error, decision_far_error(&job->p.view, job->beta));
	loop->kept->w[q] = job->w;
	job->w = NULL;
	free_job(loop, q);
}

/* Of the cache, in MB, that the memory of all pairs leaves: the rows of a step, and more. */
#define LEAST_CACHE 1

/* Each thread trains pairs of its own, or all threads one pair after the other. */
static void share_out(struct pair_loop *loop, int64_t n_pairs, int n_threads)
{
	/* enough pairs for all threads, a solver of our own, and no other processes to ask */
	loop->at_once = n_threads > 1 && n_pairs >= n_threads && loop->solver.warm_start &&
			!loop->rows->on_ranks;
	loop->solver.cache_mb -= pair_rows_bytes(loop->rows) / MEGABYTE;
	/*
	 * a precomputed kernel in another order is copied however small the cache is: LEAST_CACHE
	 * remains, unless the caller gave less
	 */
	loop->solver.cache_mb =
		fmax(loop->solver.cache_mb, fmin(loop->t->solver->cache_mb, LEAST_CACHE));
	if (loop->at_once) {
		/* each pair has one thread, and an equal part of the cache */
		loop->options.n_threads = loop->solver.n_threads = 1;
		loop->solver.cache_mb /= n_threads;
		loop->solver.rows_mb /= n_threads;
	}
}

/*
 * Are pairs dealt to other ranks?  A matrix of all rows is most of the work where there is one, and weights
 * are not in what is written of a pair.
 */
static bool are_dealt(const struct pair_loop *loop, int64_t n_pairs)
{
	const struct trainer *t = loop->t;

	return n_pairs > 1 && t->ranks && !loop->rows->on_ranks &&
	       loop->rows->kept != KEPT_SHARED && t->training->kernel.type != KERNEL_LINEAR &&
	       !t->checkpoint && !t->start && !t->data->weight && !t->out;
}

/*
 * All pairs of the training, at once or one after another; or those of a rank, to which on rank 0 all
 * others are added.  Every job is freed.
 */
static int train_pairs(struct pair_loop *loop, struct error *err)
{
	int64_t n_pairs = solution_n_pairs(loop->classes ? loop->classes->n : 2), end = n_pairs;
	int n_threads = thread_clamp_count(loop->options.n_threads), ret = -1;
	const bool is_dealt = are_dealt(loop, n_pairs);
	struct rank_rows *ranks = loop->t->ranks;
	struct byte_buffer answers = { 0 };

	if (is_dealt && dealt_pairs_begin(loop->t, err) < 0)
		return -1;
	if (is_dealt || loop->t->out) {
		/* ranks that train do not help */
		loop->ranks.rows = NULL;
		loop->first = first_of_rank(loop, n_pairs, ranks->group->rank, ranks->group->size);
		end = first_of_rank(loop, n_pairs, ranks->group->rank + 1, ranks->group->size);
	}
	share_out(loop, end - loop->first, n_threads);
	n_threads = loop->at_once ? n_threads : 1;
	/* an array of NULLs: free_job() below finds the jobs that an error left */
	loop->job = mem_zeroed(n_pairs, sizeof(*loop->job), err);
	if ((n_pairs > 1 || loop->rows->on_ranks) && settles_rounding(loop))
		rounding_rows_init(&loop->norms, &loop->t->data->x,
				   loop->rows->on_ranks ? ranks->norm2 : NULL, err);
	if (err->code == ERR_NONE && pair_rows_for_threads(loop->rows, n_threads, err) == 0 &&
	    divide_time(loop, end, err) == 0)
		ret = thread_ordered_for(n_threads, end - loop->first, train_pair, finish_pair,
					 loop, err);
	if (is_dealt && (ret = dealt_pairs_gather(ranks, &answers, err)) == 0) {
		loop->first = end;
		loop->received = fields_reader(answers.bytes, answers.size, err);
		ret = thread_ordered_for(1, n_pairs - end, train_pair, finish_pair, loop, err);
	}
	for (int64_t q = 0; loop->job && q < n_pairs; q++)
		free_job(loop, q);
	byte_buffer_free(&answers);
	rounding_rows_free(&loop->norms);
	mem_free_all(loop->work_left, loop->job);
	return ret;
}

/* trainer_run() on rows that need no shift, or have it. */
static int run_near(const struct trainer *t, const struct classes *classes, struct solution *s,
		    struct pair_result *pairs, struct error *err)
{
	const struct example_list examples = trainer_examples(t);
	struct kept_multipliers kept = { .n_class = classes ? classes->n : 2,
					 .n_rows = t->data->x.n_rows };
	struct pair_rows rows = { 0 };
	struct plan_line line[PLAN_LINES];
	struct pair_loop loop = { .t = t,
				  .classes = classes,
				  .rows = &rows,
				  .options = *t->options,
				  .solver = *t->solver,
				  .pairs = pairs,
				  .kept = &kept };
	int ret = -1;

	if (t->ranks)
		rank_linear_init(&loop.ranks, t->ranks);
	/* of cross validations predictions alone are wanted, which the tolerance does for */
	loop.options.finishes = !t->all_or_nothing;
	if (!t->out) {
		kept.rho = mem_array(solution_n_pairs(kept.n_class), sizeof(*kept.rho), err);
		kept.w = mem_zeroed(solution_n_pairs(kept.n_class), sizeof(*kept.w), err);
	}
	if ((t->out || (kept.rho && kept.w)) &&
	    (!t->start || start_init(&loop.start, t->start, t->data->x.n_rows, err) == 0) &&
	    pair_rows_init(&rows, t, classes, err) == 0) {
		/* which solver and which kernel values the pairs have, and why */
		if (t->pairs && t->pairs->planned) {
			pair_rows_explain(&rows, line);
			t->pairs->planned(t->pairs->arg, line, PLAN_LINES);
		}
		/* pairs that share dear values are not sampled */
		if (rows.plan.is_dear)
			loop.options.sample = rows.plan.n_largest;
		if (train_pairs(&loop, err) == 0)
			ret = t->out ? 0 : assemble_solution(s, &kept, classes, &examples, err);
	}
	pair_rows_free(&rows);
	rank_linear_free(&loop.ranks);
	start_free(&loop.start);
	solution_free_weights(kept.w, kept.n_class);
	mem_free_all(kept.rho, kept.coef);
	return ret;
}

double trainer_shift_gamma(const struct training *t, bool for_predictions)
{
	/* one class has no free constant */
	if (t->kernel.type == KERNEL_LINEAR)
		return for_predictions && t->type != MACHINE_ONE_CLASS;
	return t->kernel.type == KERNEL_RBF ? t->kernel.gamma : 0;
}

int trainer_shift(struct trainer *near, struct shifted_data *shifted, const struct trainer *t,
		  bool for_predictions, struct error *err)
{
	double gamma = trainer_shift_gamma(t->training, for_predictions);

	*shifted = (struct shifted_data){ 0 };
	*near = *t;
	/* the matrix of a subset is made already; and far rows are not left with other processes */
	if (t->subset || t->out || (t->ranks && !t->data->x.val))
		return 0;
	if (shifted_data_init(shifted, t->data, gamma, err) < 0)
		return -1;
	near->data = &shifted->data;
	if (shifted->val)
		near->ranks = NULL;
	return 0;
}

int trainer_run(const struct trainer *t, const struct classes *classes, struct solution *s,
		struct pair_result *pairs, struct error *err)
{
	struct trainer near;
	struct shifted_data shifted;
	int ret = trainer_shift(&near, &shifted, t, false, err);

	if (ret == 0)
		ret = run_near(&near, classes, s, pairs, err);
	shifted_data_free(&shifted);
	return ret;
}

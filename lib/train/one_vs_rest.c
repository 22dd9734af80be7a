/*
 * one_vs_rest.c - linear machines for several classes, each class against all others together
 *
 * How this works.  All machines have the same rows, and differ in the targets alone.  So the rows
 * are made ready for the linear engine once (linear_rows.h) and the problem of each machine borrows
 * them; all else is what trainer.c does for a pair of classes.
 *
 *     train_machine     any order, several at once: the targets, the multipliers, w = sum beta_i x_i
 *     finish_machine    in the order of the classes: tells the observers
 *
 * The weights of all machines are one matrix, which LIBLINEAR's model files have as well:
 *
 *                     machine 0   machine 1   ...
 *     feature 1          w           w
 *     ...
 *     feature d          w           w
 *     constant         -rho        -rho            row n_features
 *
 * A machine writes only its own column, so that machines trained at once do not meet.  A row of the
 * data is copied for none of them: targets, multipliers and decision values are 24 bytes a row for
 * each machine that is being trained.
 *
 * The result of a machine is a struct pair_result, as a pair of classes has it; label_b is 0 where
 * the other side is several classes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/one_vs_rest.h"

#include "linear/linear_rows.h"
#include "linear/logistic.h"
#include "matrix/full_weights.h"
#include "proof/rounding.h"

struct machine_loop {
	const struct trainer *t;
	const struct classes *classes;
	struct one_vs_rest *found;
	struct pair_result *results;
	struct randsvm_options options; /* options of each machine */
	struct solver solver;		/* solver of each machine */
	bool at_once;
	struct linear_rows rows;
	/* row numbers 0, 1, 2, ..., for every machine's problem, which has all rows */
	int64_t *row;
	double *diagonal; /* squared norm K(x, x) of each row */
};

void one_vs_rest_free(struct one_vs_rest *o)
{
	mem_free_all(o->w, o->prob_a, o->prob_b);
	*o = (struct one_vs_rest){ 0 };
}

/*
 * The weights of machine c, those of the task or the sum over its multipliers, and their certificate:
 * rounded to doubles they are not quite the multipliers'.
 */
static int take_weights(const struct machine_loop *loop, int64_t c, struct randsvm_task *task,
			struct error *err)
{
	const struct problem_view *p = task->p;
	int64_t n = loop->found->n_machines;

	if (!task->w) {
		task->w = mem_zeroed(p->x->n_cols, sizeof(*task->w), err);
		for (int64_t i = 0; task->w && i < p->n; i++)
			csr_add_row(p->x, i, task->x.beta[i], task->w);
		if (!task->w || weights_certify(p, task->w, &task->x, loop->options.eps,
						&task->result.certificate, err) < 0)
			return -1;
	}
	certificate_drop_excess(&task->result.certificate);
	/* column c of the weights, whose first row is feature 1, and the constant b below them */
	for (int64_t j = 1; j < loop->t->data->x.n_cols; j++)
		loop->found->w[(j - 1) * n + c] = task->w[j];
	loop->found->w[loop->found->n_features * n + c] = -task->x.rho;
	return 0;
}

/* The weights of logistic losses, with their certificate. */
static int solve_logistic(const struct machine_loop *loop, struct randsvm_task *task,
			  struct error *err)
{
	const struct logistic_options o = { .gap = loop->options.gap,
					    .n_threads = loop->options.n_threads,
					    .interruption = randsvm_interruption(task) };
	struct logistic_result found;

	if (logistic_solve(task->p, &o, task->x.beta, &found, err) < 0)
		return -1;
	task->w = found.w;
	task->x.rho = found.rho;
	task->x.n_iterations = found.n_iterations;
	task->result = (struct randsvm_result){ .rounds = 1,
						.reason = found.interrupted ? STOP_INTERRUPTED :
							  found.enough	    ? STOP_GAP :
									      STOP_PRECISION,
						.certificate = found.certificate };
	return 0;
}

/*
 * Solve the problem of class c; multipliers and decision values go to beta and f, all else to the
 * result and to w.
 */
static int solve_machine(const struct machine_loop *loop, int64_t c, const struct problem_view *p,
			 double *beta, double *f, struct error *err)
{
	struct pair_result *result = &loop->results[c];
	struct randsvm_task task = { .p = p,
				     .solver = &loop->solver,
				     .options = &loop->options,
				     .takes_weights = true,
				     .x = { .beta = beta, .f = f } };
	int ret = -1;

	result->label_a = loop->classes->label[c];
	result->label_b = loop->classes->n == 2 ? loop->classes->label[1] : 0;
	result->n = p->n;
	/* the result gives C only where all rows of the machine have the same */
	result->c = problem_has_one_c(p) ? p->c_plus : NAN;
	for (int64_t i = 0; i < p->n; i++)
		result->constant += p->target[i] > 0 ? 2 * problem_c(p, i) : 0;
	if ((loop->t->training->logistic_loss ? solve_logistic(loop, &task, err) :
						randsvm_solve(&task, err)) == 0)
		ret = take_weights(loop, c, &task, err);
	mem_free(task.w);
	result->rho = task.x.rho;
	result->n_iterations = task.x.n_iterations;
	result->solved = task.result;
	return ret;
}

/* Train class c against all others: targets, problem, solution.  Any thread, in any order. */
static int train_machine(void *arg, int64_t c, int thread UNUSED, struct error *err)
{
	const struct machine_loop *loop = arg;
	const struct training *training = loop->t->training;
	const struct dataset *d = loop->t->data;
	const int *label = loop->classes->label;
	int64_t n = d->x.n_rows;
	/* each machine's problem has arrays of its own, as several machines are trained at once */
	const struct kernel_source source = plain_source_with(loop->diagonal);
	double *target = mem_array(n, sizeof(*target), err);
	double *beta = mem_array(n, sizeof(*beta), err), *f = mem_array(n, sizeof(*f), err);
	struct problem_view p = { .type = MACHINE_C_SVC,
				  .kernel = training->kernel,
				  .x = &d->x,
				  .source = &source,
				  .linear_rows = &loop->rows,
				  .row = loop->row,
				  .target = target,
				  .weight = d->weight,
				  .n = n,
				  .c_plus = classes_c(training, label[c]),
				  /* of several other classes no weight counts */
				  .c_minus = loop->classes->n == 2 ? classes_c(training, label[1]) :
								     training->C,
				  .squared_loss = training->squared_loss };
	struct earlier_end end;
	int ret = -1;

	/* where the time is limited each machine has its share of it */
	earlier_end_share(&end, loop->solver.interruption,
			  (double)(loop->at_once ? loop->t->options->n_threads : 1) /
				  (double)(loop->found->n_machines - c));
	if (!loop->t->all_or_nothing)
		p.interruption = &end.own;
	if (target && beta && f) {
		/* a machine without memory for one of its arrays is not trained */
		for (int64_t i = 0; i < n; i++)
			target[i] = -1;
		for (int64_t k = loop->classes->start[c]; k < loop->classes->start[c + 1]; k++)
			target[loop->classes->row[k]] = 1;
		ret = solve_machine(loop, c, &p, beta, f, err);
	}
	mem_free_all(target, beta, f);
	return ret;
}

/* Tell the observers of machine c, which is called in the order of the classes. */
static void finish_machine(void *arg, int64_t c)
{
	const struct machine_loop *loop = arg;
	const struct trainer_observer *pairs = loop->t->pairs;
	const struct randsvm_observer *rounds = loop->t->rounds;
	const struct pair_result *result = &loop->results[c];
	/*
	 * the engine works on all rows from the start: one round stands for the whole optimisation
	 */
	const struct randsvm_round round =
		randsvm_whole_round(result->solved.rounds, result->n, &result->solved.certificate);

	if (pairs && pairs->pair_started)
		pairs->pair_started(pairs->arg, result);
	if (rounds && rounds->round)
		rounds->round(rounds->arg, &round);
	if (pairs && pairs->pair_finished)
		pairs->pair_finished(pairs->arg, result);
}

/* Prepare the arrays that all machines share, and allocate their weights. */
static int prepare(struct machine_loop *loop, struct error *err)
{
	const struct csr *x = &loop->t->data->x;
	struct one_vs_rest *found = loop->found;

	/* weights are added up over the rows, and begin at 0 */
	found->w = full_weights(found->n_features, found->n_machines, csr_n_entries(x), err);
	loop->row = mem_array(x->n_rows, sizeof(*loop->row), err);
	loop->diagonal = mem_array(x->n_rows, sizeof(*loop->diagonal), err);
	if (err->code != ERR_NONE)
		return -1;
	count_up(loop->row, x->n_rows);
	/* K(x, x) of the linear kernel is |x|^2 */
	for (int64_t i = 0; i < x->n_rows; i++)
		loop->diagonal[i] = csr_row_norm2(x, i);
	return linear_rows_init(&loop->rows, x, loop->row, x->n_rows, NULL, err);
}

int one_vs_rest_run(const struct trainer *t, const struct classes *classes,
		    struct one_vs_rest *found, struct pair_result *results, struct error *err)
{
	struct machine_loop loop = { .t = t,
				     .classes = classes,
				     .found = found,
				     .results = results,
				     .options = *t->options,
				     .solver = *t->solver };
	int n_threads = thread_clamp_count(t->options->n_threads), ret = -1;

	/* two classes have one machine, more classes have one each */
	*found = (struct one_vs_rest){ .n_machines = one_vs_rest_count(classes->n),
				       .n_features = t->data->max_index,
				       .squared_loss = t->training->squared_loss,
				       .logistic_loss = t->training->logistic_loss };
	loop.at_once = n_threads > 1 && found->n_machines >= n_threads;
	if (loop.at_once)
		/* each thread trains machines of its own, each on that thread alone */
		loop.options.n_threads = loop.solver.n_threads = 1;
	if (prepare(&loop, err) == 0)
		ret = thread_ordered_for(loop.at_once ? n_threads : 1, found->n_machines,
					 train_machine, finish_machine, &loop, err);
	linear_rows_free(&loop.rows);
	mem_free_all(loop.row, loop.diagonal);
	/* observers may have been told of some machines, but no weights are returned */
	if (ret < 0)
		one_vs_rest_free(found);
	return ret;
}

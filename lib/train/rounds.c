/*
 * rounds.c - what all ways of training by working sets are told, and what they tell
 *
 * The default sizes: k = ceil(kappa ln(4 n / delta) / epsilon^2), of equation 7 of arXiv 0909.3609,
 * is a dimension that keeps all norms to within epsilon when the problem is projected, and so the
 * number of support vectors that an approximate solution should not exceed.  The first
 * sample is a multiple of k in paper (r = c k, c > 1, which the theorem leaves open), and 6 k^2 in
 * reweight (r = 6 Delta^2, by Clarkson's analysis).
 *
 * A checkpoint is written and read by the same functions, randsvm_visit_*(): they name each field
 * once, and struct fields says in which direction values go.  So a field cannot be written and
 * forgotten when reading.  A number that stands for something else is checked where it is read, as
 * a file may hold any number.
 *
 *     randsvm_visit_outcome()   a run that has ended: return value, rounds, result, solution
 *     randsvm_visit_rounds()    rounds since the run began; when read they are told once more, as
 *                               a run taken up reports what one never interrupted would
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/rounds.h"

/* Relative gap up to which no other solution is looked for. */
#define NEAR_GAP 1e-3

const char *stop_reason_text(enum stop_reason reason)
{
	static const char *const text[] = {
		[STOP_OPTIMAL] = "no violators left",
		[STOP_WHOLE_SET] = "the working set was the whole set",
		[STOP_ENOUGH_VECTORS] = "|SV| >= k",
		[STOP_NO_ROOM] = "|SV| >= r: no room for violators",
		[STOP_BUDGET_FULL] = "no room left in the budget",
		[STOP_NO_PROGRESS] = "two rounds brought nothing",
		[STOP_GAP] = "the duality gap asked for",
		[STOP_MAX_ROUNDS] = "maximum number of rounds",
		[STOP_MAX_ITERATIONS] = "maximum number of iterations",
		[STOP_PRECISION] = "the kernel's precision",
		[STOP_INTERRUPTED] = "interrupted",
	};

	return text[reason];
}

bool stop_reason_is_early(enum stop_reason reason)
{
	return reason == STOP_INTERRUPTED || reason == STOP_MAX_ROUNDS ||
	       reason == STOP_MAX_ITERATIONS;
}

int64_t randsvm_default_k(int64_t n, double epsilon, double delta, bool separable)
{
	double kappa = separable ? 16 : 32;

	return (int64_t)ceil(kappa * log(4 * (double)n / delta) / (epsilon * epsilon));
}

int64_t randsvm_k(const struct randsvm_options *o, int64_t n)
{
	return o->k > 0 ? o->k : randsvm_default_k(n, o->epsilon, o->delta, o->separable);
}

int64_t randsvm_sample_size(const struct randsvm_options *o, int64_t n)
{
	/* doubles: 6 k^2 may be beyond 64 bits */
	double r = (double)o->sample;

	/*
	 * mode budget has one number of examples at a time; a sample size given is for other modes
	 */
	if (o->mode == WORKING_SET_BUDGET) {
		r = (double)o->budget;
	} else if (o->sample == 0 && o->mode == WORKING_SET_EXACT) {
		r = 2000; /* solved in some 10 ms; predicts 8,000 examples well enough */
	} else if (o->sample == 0) {
		double k = (double)randsvm_k(o, n);

		r = o->mode == WORKING_SET_PAPER ? ceil(o->sample_factor * k) : 6 * k * k;
	}
	/* a sample is never more than all examples */
	return r < (double)n ? (int64_t)r : n;
}

bool randsvm_takes_all(const struct randsvm_options *o, int64_t n)
{
	/*
	 * with half of all examples in the first sample, solving all of them at once is less work
	 */
	return n <= 2 * randsvm_sample_size(o, n);
}

bool randsvm_is_early(const struct problem_view *p, enum stop_reason reason,
		      const struct certificate *c)
{
	return stop_reason_is_early(reason) && kernel_is_definite(&p->kernel) &&
	       certificate_relative_gap(c) > NEAR_GAP;
}

void randsvm_task_begin(struct randsvm_task *task)
{
	size_t size = (size_t)task->p->n * sizeof(double);

	/* multipliers of 0 have decision values of 0: both arrays agree from the start */
	task->result = (struct randsvm_result){ 0 };
	task->x.rho = task->x.epsilon = 0;
	task->x.n_iterations = 0;
	memset(task->x.beta, 0, size);
	memset(task->x.f, 0, size);
}

struct randsvm_round randsvm_whole_round(int number, int64_t n, const struct certificate *c)
{
	return (struct randsvm_round){ .number = number,
				       .sample = n,
				       .subset = n,
				       .working_set = n,
				       .n_sv = c->n_sv,
				       .n_violators = c->n_violators,
				       .primal = c->primal,
				       .dual = c->dual,
				       .best_primal = c->primal,
				       .best_dual = c->dual };
}

void randsvm_task_observe(const struct randsvm_task *task, const struct randsvm_round *round)
{
	if (task->observer && task->observer->round)
		task->observer->round(task->observer->arg, round);
}

void randsvm_observe_whole(const struct randsvm_task *task)
{
	const struct randsvm_round round =
		randsvm_whole_round(task->result.rounds, task->p->n, &task->result.certificate);

	randsvm_task_observe(task, &round);
}

void randsvm_visit_round(struct randsvm_round *round, struct fields *f)
{
	fields_int(f, "number", &round->number);
	fields_int64(f, "k", &round->k);
	fields_int64(f, "sample", &round->sample);
	fields_int64(f, "subset", &round->subset);
	fields_int64(f, "working_set", &round->working_set);
	fields_int64(f, "n_sv", &round->n_sv);
	fields_int64(f, "n_violators", &round->n_violators);
	fields_double(f, "primal", &round->primal);
	fields_double(f, "dual", &round->dual);
	fields_double(f, "best_primal", &round->best_primal);
	fields_double(f, "best_dual", &round->best_dual);
	fields_int(f, "model", &round->model);
	fields_bool(f, "kept", &round->kept);
}

void randsvm_visit_result(struct randsvm_result *result, struct fields *f)
{
	int reason = (int)result->reason;

	fields_int(f, "rounds", &result->rounds);
	fields_int(f, "reason", &reason);
	/* the file's number is checked before it becomes an enumerator */
	if (reason < 0 || reason > STOP_INTERRUPTED)
		error_set(f->err, ERR_FORMAT, "'reason' is none");
	else
		result->reason = (enum stop_reason)reason;
	certificate_visit(&result->certificate, f);
}

void randsvm_visit_iterate(struct iterate *x, int64_t n, struct fields *f)
{
	fields_sparse(f, "beta", x->beta, n);
	fields_sparse(f, "f", x->f, n);
	fields_double(f, "rho", &x->rho);
	fields_double(f, "epsilon", &x->epsilon);
	fields_bool(f, "sums_in_doubles", &x->sums_in_doubles);
	fields_double(f, "summed", &x->summed);
	fields_int64(f, "n_iterations", &x->n_iterations);
}

void randsvm_visit_rounds(const struct randsvm_task *task, int64_t first, struct fields *f)
{
	int64_t n = task->rounds ? task->rounds->n - first : 0;

	fields_int64(f, "told", &n);
	for (int64_t k = 0; k < n && !fields_failed(f); k++) {
		struct randsvm_round round = { 0 };

		/* when writing, the rounds recorded since the run began are written */
		if (!fields_are_read(f))
			round = task->rounds->round[first + k];
		randsvm_visit_round(&round, f);
		/* a round that was read is told once more, which records it as well */
		if (fields_are_read(f) && !fields_failed(f))
			randsvm_task_observe(task, &round);
	}
}

struct randsvm_run randsvm_run_of(struct randsvm_task *task)
{
	return (struct randsvm_run){ .task = task,
				     .first_round = task->rounds ? task->rounds->n : 0 };
}

void randsvm_visit_outcome(void *run, struct fields *f)
{
	struct randsvm_run *r = run;
	struct iterate *x = &r->task->x;
	const int64_t n = r->task->p->n;

	fields_int(f, "returned", &r->ret);
	randsvm_visit_rounds(r->task, r->first_round, f);
	randsvm_visit_result(&r->task->result, f);
	/* a run that returned 1 leaves no solution, only its number of iterations */
	if (r->ret == 1) {
		fields_int64(f, "n_iterations", &x->n_iterations);
		return;
	}
	randsvm_visit_iterate(x, n, f);
	/* by the sizes of terms the bound of rounding is found after the run */
	fields_bool(f, "knows_sizes", &x->knows_sizes);
	if (x->knows_sizes && !x->sizes)
		x->sizes = mem_array(n, sizeof(*x->sizes), f->err);
	if (x->knows_sizes && x->sizes)
		fields_doubles(f, "sizes", x->sizes, n);
}

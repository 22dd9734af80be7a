/*
 * working_set.c - some examples of a problem: drawing them, solving them as a problem of its own
 *
 * How this works.  A working set T is an array of bools over all examples, to which draws add.
 * Solving it takes four steps:
 *
 *     gather()             members side by side: row, target, beta, f                           (1)
 *     divide_sums()        bounds n / m times larger for machines of nu, or sums less           (2)
 *     solver->solve()      on the small problem, from the start gathered                        (3)
 *     subproblem_store()   multipliers back to all examples, 0 outside T                        (4)
 *
 * The small problem is a struct problem_view whose row and target are those of the members; data,
 * kernel and its source stay the whole problem's.  So nothing of the data is copied, and kernel
 * values that are kept serve the small problem too.  O(n) a solution beside the solver.
 *
 * (3) has half of the tolerance: an example outside T may violate by the other half (half of eps)
 * before the caller takes it for a violator.  With T the whole problem there is no such example.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/working_set.h"

#include "problem/decision.h"
#include "problem/fixed_sums.h"

/*
 * A class missing in a sample gets a tenth of its size: enough to place the margin, little enough
 * to leave the sample what it is.
 */
#define MISSING_CLASS_PART 10

/* ---- drawing ---- */

int64_t working_set_class(const struct problem_view *p, bool plus, int64_t *list)
{
	int64_t n = 0;

	for (int64_t i = 0; i < p->n; i++)
		if ((p->target[i] > 0) == plus)
			list[n++] = i;
	return n;
}

/* the draw depends on the place of the random numbers and on the candidates, not on T so far */
int working_set_draw(bool *is_member, const struct rng_place *place, int64_t *candidate, int64_t n,
		     int64_t m, struct error *err)
{
	m = int64_min(m, n);
	if (rng_subset(place, candidate, n, m, err) < 0)
		return -1;
	for (int64_t k = 0; k < m; k++)
		is_member[candidate[k]] = true;
	return 0;
}

/* Does the working set lack the class (+1 if 'plus', else -1)? */
static bool class_is_missing(const struct problem_view *p, const bool *is_member, bool plus)
{
	for (int64_t i = 0; i < p->n; i++)
		if (is_member[i] && (p->target[i] > 0) == plus)
			return false;
	return true;
}

int working_set_add_missing_classes(const struct problem_view *p, bool *is_member, uint64_t seed,
				    int64_t size, int64_t *list, struct error *err)
{
	const struct rng_place place = { .seed = seed, .stream = RNG_FIRST_SAMPLE };
	int64_t m = int64_blocks(size, MISSING_CLASS_PART);

	if (p->type != MACHINE_C_SVC)
		return 0;
	for (int plus = 0; plus <= 1; plus++)
		if (class_is_missing(p, is_member, plus) &&
		    working_set_draw(is_member, &place, list, working_set_class(p, plus, list), m,
				     err) < 0)
			return -1;
	return 0;
}

/* ---- solving ---- */

int error_no_finite_solution(const struct problem_view *p, struct error *err)
{
	const char *why = "the kernel overflows";

	if (p->c_plus == 0 || p->c_minus == 0)
		why = "a class has weight 0";
	else if (p->kernel.type == KERNEL_LINEAR)
		why = "numbers are too large";
	return error_set(err, ERR_NUMERIC, "no finite solution: %s", why);
}

int subproblem_init(struct subproblem *s, int64_t capacity, struct error *err)
{
	*s = (struct subproblem){ .capacity = capacity };
	s->example = mem_array(capacity, sizeof(int64_t), err);
	s->row = mem_array(capacity, sizeof(int64_t), err);
	s->target = mem_array(capacity, sizeof(double), err);
	s->weight = mem_array(capacity, sizeof(double), err);
	iterate_init(&s->x, capacity, err);
	return err->code == ERR_NONE ? 0 : -1;
}

void subproblem_free(struct subproblem *s)
{
	mem_free_all(s->example, s->row, s->target, s->weight, s->x.beta, s->x.f);
	*s = (struct subproblem){ 0 };
}

/* Gather the members into a problem of their own, which views the arrays of 's'. */
static struct problem_view gather(struct subproblem *s, const struct problem_view *p,
				  const bool *is_member, const struct iterate *start)
{
	/* step (1), the problem: members in the order of the whole problem */
	struct problem_view sub = *p;

	s->n = 0;
	for (int64_t i = 0; i < p->n; i++) {
		if (!is_member[i])
			continue;
		s->row[s->n] = p->row[i];
		s->target[s->n] = p->target[i];
		if (p->weight)
			s->weight[s->n] = p->weight[i];
		s->x.beta[s->n] = start ? start->beta[i] : 0;
		s->x.f[s->n] = start ? start->f[i] : 0;
		s->example[s->n++] = i;
	}
	sub.row = s->row;
	sub.target = s->target;
	sub.weight = p->weight ? s->weight : NULL;
	sub.n = s->n;
	/* values of the whole problem serve its members; what assumes all examples does not */
	if (sub.n < p->n)
		sub.source = kernel_source_for_subset(problem_source(p));
	return sub;
}

/*
 * (2): m members have the sums of all n, so that each bound grows by n / m; or their share of them.
 * Decision values of a regression are in the unit of its targets, others grow with the sums.
 */
static void divide_sums(const struct subproblem *s, const struct problem_view *p,
			const bool *is_member, struct problem_view *sub, double *eps)
{
	double growth = p->weight ? fixed_sums_scale(p, is_member) : (double)p->n / (double)sub->n;

	if (s->shares_sums) {
		sub->sum_plus /= growth;
		sub->sum_minus /= growth;
		return;
	}
	sub->c_plus *= growth;
	sub->c_minus *= growth;
	if (!machine_is_regression(p->type))
		*eps *= growth;
}

/* Start of a machine of nu: multipliers, which cannot be 0, and their decision values. */
static int start_sums(struct subproblem *s, const struct problem_view *sub,
		      const struct randsvm_task *task, struct error *err)
{
	struct problem_view whole = *sub;

	/* without an interruption, as half of the decision values would be of no use */
	whole.interruption = NULL;
	fixed_sums_start(sub, NULL, 1, s->x.beta);
	return decision_values(&whole, s->x.beta, task->options->eps, s->x.f,
			       task->options->n_threads, err);
}

int subproblem_solve(struct subproblem *s, const struct randsvm_task *task, const bool *is_member,
		     const struct iterate *start, struct error *err)
{
	const struct problem_view *p = task->p;
	struct problem_view sub = gather(s, p, is_member, start);
	/* step (3), solve: half of the tolerance is left to the examples outside T */
	double eps = sub.n < p->n ? task->options->eps / 2 : task->options->eps;
	int solved;

	if (problem_fixes_sums(p)) {
		divide_sums(s, p, is_member, &sub, &eps);
		/* a start must have the sums */
		if (start_sums(s, &sub, task, err) < 0)
			return -1;
	}
	/* step (3), solve: s->x is the start, and becomes the solution */
	solved = task->solver->solve(task->solver, &sub, eps, &s->x, err);
	if (solved < 0)
		return -1;
	/* rho is not finite where kernel values or bounds are not */
	return isfinite(s->x.rho) ? solved : error_no_finite_solution(p, err);
}

void subproblem_store(const struct subproblem *s, const struct problem_view *p, double *beta)
{
	/* step (4), store: examples outside the working set T have multiplier 0 */
	memset(beta, 0, (size_t)p->n * sizeof(*beta));
	for (int64_t k = 0; k < s->n; k++)
		beta[s->example[k]] = s->x.beta[k];
}

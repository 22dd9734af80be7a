/*
 * machine.c - a machine to train: from what a caller asks for to a trainer, or to a refusal
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/machine.h"

#include "base/mem_bound.h"
#include "smo/smo.h"
#include "train/one_vs_rest.h"

/* Of rows whose kernel values are asked for one in so many is in a first sample. */
#define ASKED_SAMPLE 8

double machine_usual_cache_mb(void)
{
	return (double)(mem_limit() / 4) / MEGABYTE;
}

/* ---- what does not go together ---- */

/* A possible fault, and if it is one. */
struct check {
	bool is_wrong;
	struct machine_fault fault;
};

static struct machine_fault first_fault(const struct check *check, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (check[k].is_wrong)
			return check[k].fault;
	return (struct machine_fault){ .kind = FAULT_NONE };
}

struct machine_fault machine_check(const struct machine_given *g)
{
	static const char loss[] = "squared losses are for C-SVC and epsilon-SVR with the linear "
				   "kernel";
	static const char rest[] = "machines of each class against the rest are for C-SVC with the "
				   "linear kernel";
	static const char logistic[] = "logistic losses are for C-SVC with the linear kernel";
	const struct training *t = &g->training;
	const double gap = g->options.gap, budget = (double)g->options.budget,
		     rounds = (double)g->options.max_rounds;
	const bool squared = t->squared_loss, other_kernel = t->kernel.type != KERNEL_LINEAR,
		   other_type = t->type != MACHINE_C_SVC;
	const struct check check[] = {
		{ squared && other_kernel, { FAULT_LOSS, "kernel", loss, 0 } },
		{ squared && other_type && t->type != MACHINE_EPSILON_SVR,
		  { FAULT_LOSS, "type", loss, 0 } },
		{ t->logistic_loss && other_kernel, { FAULT_LOSS, "kernel", logistic, 0 } },
		{ t->logistic_loss && other_type, { FAULT_LOSS, "type", logistic, 0 } },
		{ !(gap >= 0 && gap <= 1), { FAULT_NUMBER, "gap", "gap < 0 or gap > 1", gap } },
		{ g->one_vs_rest && other_kernel, { FAULT_REST, "kernel", rest, 0 } },
		{ g->one_vs_rest && other_type, { FAULT_REST, "type", rest, 0 } },
		{ budget < 0 || budget == 1, { FAULT_VALUE, "budget", "a budget of", budget } },
		{ rounds < 0, { FAULT_VALUE, "max_rounds", "a limit of rounds of", rounds } },
		{ budget > 0 && t->type == MACHINE_NU_SVC && !g->takes_libsvm,
		  { FAULT_NUMBER, "budget", "a budget is not for nu-SVC", budget } },
		{ budget > 0 && (squared || g->one_vs_rest),
		  { FAULT_NUMBER, "budget",
		    "a budget is not for squared losses, nor for machines of each class against "
		    "the rest",
		    budget } },
		{ g->balanced && other_type,
		  { FAULT_BALANCE, "type", "a balance of classes is for C-SVC", 0 } },
	};

	return first_fault(check, sizeof(check) / sizeof(*check));
}

/* All that can be said before the rows are looked at. */
static struct machine_fault check_given(const struct machine *m, const struct dataset *d)
{
	const struct machine_given *g = &m->given;
	const struct training *t = &m->training;
	const char *words = training_fault(t);
	const struct machine_fault together = machine_check(g);
	const struct check check[] = {
		{ words, { FAULT_NUMBER, NULL, words, 0 } },
		{ together.kind != FAULT_NONE, together },
		{ d->x.n_rows == 0, { FAULT_NUMBER, NULL, "no examples", 0 } },
		{ d->asked && t->kernel.type != KERNEL_PRECOMPUTED,
		  { FAULT_KERNEL, "kernel", "rows that are objects have a kernel of their own",
		    0 } },
		{ d->weight && t->type == MACHINE_ONE_CLASS && t->probability,
		  { FAULT_MARKS, "probability",
		    "probabilities of a one-class machine count rows without weights", 0 } },
		{ g->n_weights < 0 || (g->n_weights > 0 && (!g->label || !g->factor)),
		  { FAULT_NUMBER, "weight", "weights are missing", 0 } },
	};
	const struct machine_fault fault = first_fault(check, sizeof(check) / sizeof(*check));

	for (int k = 0; fault.kind == FAULT_NONE && k < t->n_weights + g->n_weights; k++) {
		const double factor =
			k < t->n_weights ? t->weight[k].factor : g->factor[k - t->n_weights];

		if (!(factor >= 0) || !isfinite(factor))
			return (struct machine_fault){ FAULT_WEIGHT, "weight", "weight", factor };
	}
	return fault;
}

/* Fail with the words of the fault. */
static int refuse(const struct machine_fault *f, struct error *err)
{
	if (f->kind == FAULT_VALUE || f->kind == FAULT_WEIGHT)
		return error_set(err, ERR_ARGUMENT, "%s %g", f->words, f->value);
	return error_set(err, ERR_ARGUMENT, "%s", f->words);
}

/* ---- the rows ---- */

static int look_at_rows(struct machine *m, const struct dataset *d, struct error *err)
{
	if (m->training.kernel.type == KERNEL_PRECOMPUTED && !d->asked) {
		m->fault.kind = FAULT_KERNEL;
		if (precomputed_check(&d->x, err) < 0 ||
		    (!m->given.any_kernel && precomputed_check_numbers(&d->x, err) < 0))
			return -1;
	}
	if (machine_classifies(m->training.type)) {
		m->fault.kind = FAULT_LABELS;
		if (classes_init(&m->classes, d, err) < 0)
			return -1;
		m->fault.kind = FAULT_CLASSES;
		if (classes_check_number(m->classes.n, err) < 0)
			return -1;
	}
	m->fault = (struct machine_fault){ FAULT_NU, "nu", "specified nu is infeasible",
					   m->training.nu };
	if (m->training.type == MACHINE_NU_SVC && !classes_allow_nu(&m->classes, d, m->training.nu))
		return refuse(&m->fault, err);
	m->fault = (struct machine_fault){ .kind = FAULT_NONE };
	return 0;
}

/* All weights of classes: those of the training, the others given, and those of a balance. */
static int set_weights(struct machine *m, const struct dataset *d, struct error *err)
{
	const struct machine_given *g = &m->given;
	const int n_balanced = g->balanced ? m->classes.n : 0;
	struct class_weight *weight;
	int n = 0;

	weight = mem_array(g->training.n_weights + g->n_weights + n_balanced, sizeof(*weight), err);
	if (!weight)
		return -1;
	for (int k = 0; k < g->training.n_weights; k++)
		weight[n++] = g->training.weight[k];
	for (int k = 0; k < g->n_weights; k++)
		weight[n++] = (struct class_weight){ g->label[k], g->factor[k] };
	if (g->balanced)
		classes_balance(&m->classes, d, weight + n);
	m->training.n_weights = n + n_balanced;
	m->training.weight = m->weight = weight;
	return 0;
}

/*
 * Why LIBSVM trains on all rows at once.  It draws its folds itself, without a look at groups.  Where it
 * is missing our own solvers train what it would train for being faster alone.
 */
static const char *find_direct_reason(const struct machine *m)
{
	struct error missing = { 0 };
	const char *reason;
	int version;

	if (!m->given.takes_libsvm || m->given.one_vs_rest || m->trainer.data->group)
		return NULL;
	if (m->given.direct)
		return "it is asked for";
	reason = direct_reason(&m->trainer, machine_classes(m));
	if (reason && !(machine_fixes_sums(m->training.type) && m->classes.n != 1) &&
	    libsvm_version_number(&version, &missing) < 0 && missing.code == ERR_LIBRARY)
		return NULL;
	return reason;
}

int machine_init(struct machine *m, const struct dataset *d, const struct machine_given *given,
		 struct error *err)
{
	const double cache_mb = given->cache_mb > 0 ? given->cache_mb : machine_usual_cache_mb();
	int version;
	struct training *t = &m->training;

	*m = (struct machine){ .given = *given,
			       .training = given->training,
			       .options = given->options };
	if (t->kernel.gamma == 0 && !given->gamma_is_given && d->max_index > 0)
		t->kernel.gamma = 1.0 / (double)d->max_index;
	m->fault = check_given(m, d);
	if (m->fault.kind != FAULT_NONE)
		return refuse(&m->fault, err);
	if (look_at_rows(m, d, err) < 0 || set_weights(m, d, err) < 0)
		return -1;
	if (given->by_libsvm && libsvm_version_number(&version, err) < 0)
		return -1;
	m->options.eps = t->eps;
	/*
	 * nu-SVC and one-class begin with nu n multipliers, whose values would all be asked for: a
	 * sample finds better ones for a third less
	 */
	if (d->asked && (t->type == MACHINE_NU_SVC || t->type == MACHINE_ONE_CLASS))
		m->options.sample = d->x.n_rows / ASKED_SAMPLE + 1;
	if (given->options.budget > 0 && given->options.budget < d->x.n_rows)
		m->options.mode = WORKING_SET_BUDGET;
	m->solver = given->by_libsvm ? libsvm_solver(cache_mb, t->shrinking) :
				       smo_solver(cache_mb, given->options.n_threads);
	if (given->interruption)
		m->solver.interruption = given->interruption;
	glibc_rand_seed(&m->draws, (unsigned)m->options.seed);
	m->trainer = (struct trainer){ .data = d,
				       .training = t,
				       .options = &m->options,
				       .solver = &m->solver,
				       .draws = &m->draws };
	m->direct_reason = find_direct_reason(m);
	return 0;
}

void machine_free(struct machine *m)
{
	mem_free(m->weight);
	classes_free(&m->classes);
}

const struct classes *machine_classes(const struct machine *m)
{
	return machine_classifies(m->training.type) ? &m->classes : NULL;
}

int64_t machine_n_problems(const struct machine *m)
{
	if (m->given.one_vs_rest)
		return one_vs_rest_count(m->classes.n);
	return machine_classifies(m->training.type) ? solution_n_pairs(m->classes.n) : 1;
}

/*
 * machine.c - a machine to train: from what a caller asks for to a trainer, or to a refusal
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/machine.h"

#include <math.h>

#include "base/mem.h"
#include "kernel/precomputed.h"
#include "smo/smo.h"
#include "train/one_vs_rest.h"

double machine_usual_cache_mb(void)
{
	return (double)(mem_limit() / 4) / MEGABYTE;
}

/* ---- what does not go together ---- */

/* Of C-SVC, or with 'also' of another machine too, with the linear kernel: what is not as it must be. */
static const char *unlike_linear(const struct training *t, enum machine_type also)
{
	return t->kernel.type != KERNEL_LINEAR		   ? "kernel" :
	       t->type != MACHINE_C_SVC && t->type != also ? "type" :
							     NULL;
}

static struct machine_fault check_budget(const struct machine_given *g)
{
	const int64_t budget = g->options.budget;
	enum machine_fault_kind kind = MACHINE_FITS;

	if (budget < 0 || budget == 1)
		return (struct machine_fault){ .kind = MACHINE_BUDGET, .value = (double)budget };
	if (budget > 0 && g->training.type == MACHINE_NU_SVC && !g->takes_libsvm)
		kind = MACHINE_BUDGET_NU;
	else if (budget > 0 && (g->training.squared_loss || g->one_vs_rest))
		kind = MACHINE_BUDGET_USE;
	return (struct machine_fault){ .kind = kind };
}

struct machine_fault machine_check(const struct machine_given *g)
{
	const struct training *t = &g->training;
	const char *loss = t->squared_loss ? unlike_linear(t, MACHINE_EPSILON_SVR) : NULL;
	const char *rest = g->one_vs_rest ? unlike_linear(t, MACHINE_C_SVC) : NULL;
	struct machine_fault fault;

	if (g->one_vs_rest && !rest && t->probability)
		rest = "probability";
	if (loss)
		return (struct machine_fault){ .kind = MACHINE_LOSS, .parameter = loss };
	if (!(g->options.gap >= 0 && g->options.gap <= 1))
		return (struct machine_fault){ .kind = MACHINE_GAP };
	if (rest)
		return (struct machine_fault){ .kind = MACHINE_REST, .parameter = rest };
	fault = check_budget(g);
	if (fault.kind == MACHINE_FITS && g->balanced && t->type != MACHINE_C_SVC)
		fault.kind = MACHINE_BALANCE;
	return fault;
}

static struct machine_fault check_weights(const struct machine_given *g)
{
	const struct training *t = &g->training;

	if (g->n_weights < 0 || (g->n_weights > 0 && (!g->label || !g->factor)))
		return (struct machine_fault){ .kind = MACHINE_NO_WEIGHTS };
	for (int k = 0; k < t->n_weights + g->n_weights; k++) {
		const double factor =
			k < t->n_weights ? t->weight[k].factor : g->factor[k - t->n_weights];

		if (!(factor >= 0) || !isfinite(factor))
			return (struct machine_fault){ .kind = MACHINE_WEIGHT, .value = factor };
	}
	return (struct machine_fault){ .kind = MACHINE_FITS };
}

/* All that can be said before the rows are looked at. */
static struct machine_fault check_given(const struct machine *m, const struct dataset *d)
{
	const struct training *t = &m->training;
	struct machine_fault fault;

	if (training_fault(t))
		return (struct machine_fault){ .kind = MACHINE_PARAMETER };
	fault = machine_check(&m->given);
	if (fault.kind == MACHINE_FITS && d->x.n_rows == 0)
		fault.kind = MACHINE_NO_ROWS;
	if (fault.kind == MACHINE_FITS && d->weight && t->type == MACHINE_ONE_CLASS &&
	    t->probability)
		fault.kind = MACHINE_MARKS;
	return fault.kind == MACHINE_FITS ? check_weights(&m->given) : fault;
}

/* Fail with the words of a fault that is found without the rows. */
static int refuse(const struct machine *m, struct error *err)
{
	static const char *const words[] = {
		[MACHINE_GAP] = "gap < 0 or gap > 1",
		[MACHINE_LOSS] = "squared losses are for C-SVC and epsilon-SVR with the linear "
				 "kernel",
		[MACHINE_REST] = "machines of each class against the rest are for C-SVC with the "
				 "linear kernel, without probabilities",
		[MACHINE_BUDGET_USE] = "a budget is not for squared losses, nor for machines of "
				       "each class against the rest",
		[MACHINE_BUDGET_NU] = "a budget is not for nu-SVC",
		[MACHINE_BALANCE] = "a balance of classes is for C-SVC",
		[MACHINE_NO_WEIGHTS] = "weights are missing",
		[MACHINE_NO_ROWS] = "no examples",
		[MACHINE_MARKS] = "probabilities of a one-class machine count rows without weights",
		[MACHINE_NU] = "specified nu is infeasible",
	};
	const struct machine_fault *f = &m->fault;

	if (f->kind == MACHINE_PARAMETER)
		return error_set(err, ERR_ARGUMENT, "%s", training_fault(&m->training));
	if (f->kind == MACHINE_BUDGET)
		return error_set(err, ERR_ARGUMENT, "a budget of %.0f", f->value);
	if (f->kind == MACHINE_WEIGHT)
		return error_set(err, ERR_ARGUMENT, "weight %g", f->value);
	return error_set(err, ERR_ARGUMENT, "%s", words[f->kind]);
}

/* ---- the rows ---- */

static int look_at_rows(struct machine *m, const struct dataset *d, struct error *err)
{
	if (m->training.kernel.type == KERNEL_PRECOMPUTED) {
		m->fault.kind = MACHINE_KERNEL;
		if (precomputed_check(&d->x, err) < 0 ||
		    (!m->given.any_kernel && precomputed_check_numbers(&d->x, err) < 0))
			return -1;
	}
	if (machine_classifies(m->training.type)) {
		m->fault.kind = MACHINE_LABELS;
		if (classes_init(&m->classes, d, err) < 0)
			return -1;
		m->fault.kind = MACHINE_CLASSES;
		if (classes_check_number(m->classes.n, err) < 0)
			return -1;
	}
	m->fault.kind = MACHINE_NU;
	if (m->training.type == MACHINE_NU_SVC && !classes_allow_nu(&m->classes, d, m->training.nu))
		return refuse(m, err);
	m->fault.kind = MACHINE_FITS;
	return 0;
}

/* All weights of classes: those of the training, the others given, and those of a balance. */
static int set_weights(struct machine *m, const struct dataset *d, struct error *err)
{
	const struct classes *c = &m->classes;
	const struct machine_given *g = &m->given;
	const int n_balanced = g->balanced ? c->n : 0;
	double all = 0;
	int n = 0;

	m->weight = mem_array(g->training.n_weights + g->n_weights + n_balanced, sizeof(*m->weight),
			      err);
	if (!m->weight)
		return -1;
	for (int k = 0; k < g->training.n_weights; k++)
		m->weight[n++] = g->training.weight[k];
	for (int k = 0; k < g->n_weights; k++)
		m->weight[n++] = (struct class_weight){ g->label[k], g->factor[k] };
	for (int k = 0; k < n_balanced; k++)
		all += classes_weight(c, k, d);
	for (int k = 0; k < n_balanced; k++)
		m->weight[n++] = (struct class_weight){
			c->label[k], classes_balanced_weight(all, c->n, classes_weight(c, k, d))
		};
	m->training.n_weights = n;
	m->training.weight = m->weight;
	return 0;
}

int machine_init(struct machine *m, const struct dataset *d, const struct machine_given *given,
		 struct error *err)
{
	const double cache_mb = given->cache_mb > 0 ? given->cache_mb : machine_usual_cache_mb();
	struct training *t = &m->training;

	*m = (struct machine){ .given = *given,
			       .training = given->training,
			       .options = given->options };
	if (t->kernel.gamma == 0 && !given->gamma_is_given && d->max_index > 0)
		t->kernel.gamma = 1.0 / (double)d->max_index;
	m->fault = check_given(m, d);
	if (m->fault.kind != MACHINE_FITS)
		return refuse(m, err);
	if (look_at_rows(m, d, err) < 0 || set_weights(m, d, err) < 0)
		return -1;
	m->options.eps = t->eps;
	if (given->options.budget > 0 && given->options.budget < d->x.n_rows)
		m->options.mode = WORKING_SET_BUDGET;
	m->solver = given->by_libsvm ? libsvm_solver(cache_mb, t->shrinking) :
				       smo_solver(cache_mb, given->options.n_threads);
	if (given->interruption)
		m->solver.interruption = given->interruption;
	m->trainer = (struct trainer){
		.data = d, .training = t, .options = &m->options, .solver = &m->solver
	};
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

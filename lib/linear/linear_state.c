/*
 * linear_state.c - the state of the linear engine at a safe point, kept and taken up again
 *
 * Safe points are where residuals and sums have just been computed anew (linear_refresh()), which a
 * run that goes on from there does likewise; and in coordinate descent where all rows are met next,
 * so that there is no choice of rows to be kept.  Multipliers are in the order of the rows, which
 * is a function of the data.
 *
 * A run is in one of three places (enum linear_place), and its state has the fields of all of them;
 * those of another place are what they were at the start.  The fields are named once, for writing
 * and for reading (io/checkpoint.h).  Not kept, since linear_refresh() makes them anew: residual,
 * sum_w, the matrix of the direction.  Not kept either: the lead, which an interruption alone looks
 * at.
 *
 *     visit_state      a run that is to go on: the point, the best trial, epochs, outer steps
 *     visit_outcome    a run that has ended: the best trial alone
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linear/linear_work.h"
#include "problem/decision.h"

static void visit_best(struct linear_run *s, struct fields *f)
{
	struct linear_best *best = &s->best;

	/* best_beta and best_f are in the caller's order of examples */
	fields_sparse(f, "best_beta", best->beta, s->task.p->n);
	fields_sparse(f, "best_f", best->f, s->task.p->n);
	fields_double(f, "best_gap", &best->gap);
	fields_double(f, "best_violation", &best->violation);
	fields_double(f, "best_rho", &best->rho);
	fields_double(f, "best_epsilon", &best->epsilon);
	/* tolerance of the run, which linear_tighten() may have lowered */
	fields_double(f, "eps", &s->task.eps);
	fields_int64(f, "n_iterations", &s->n_iterations);
}

static void visit_state(void *run, struct fields *f)
{
	struct linear_run *s = run;
	struct linear_point *at = &s->at;
	struct linear_epochs *e = &s->epochs;
	struct linear_progress *p = &s->progress;

	fields_int(f, "place", &s->place);
	/* multipliers of 0, which most are, take no room in the file */
	fields_sparse(f, "beta", at->beta, s->task.n);
	fields_sparse(f, "prox", at->prox, s->task.n);
	fields_sparse(f, "w", at->w, s->task.d);
	fields_doubles(f, "b", at->b, 2);
	fields_doubles(f, "centre_b", at->centre_b, 2);
	fields_double(f, "sigma", &at->sigma);
	fields_double(f, "tau", &at->tau);
	fields_double(f, "scale", &at->scale);
	fields_bool(f, "precise", &at->precise);
	fields_double(f, "primal", &at->primal);
	visit_best(s, f);
	fields_int(f, "epochs", &e->n);
	fields_double(f, "tolerance", &e->tolerance);
	fields_double(f, "recent", &e->recent);
	fields_double(f, "before", &e->before);
	fields_double(f, "n_updates", &e->n_updates);
	fields_double(f, "n_judged", &e->n_judged);
	fields_double(f, "largest", &e->largest);
	fields_double(f, "bound", &e->bound);
	fields_doubles(f, "sum", e->sum, 2);
	fields_int(f, "step", &p->step);
	fields_double(f, "previous", &p->previous);
	fields_double(f, "violation", &p->violation);
	fields_double(f, "dual", &p->dual);
	fields_int(f, "n_stagnant", &p->n_stagnant);
	fields_int(f, "n_solved", &p->n_solved);
	fields_double(f, "last", &p->last);
	fields_int(f, "n_rounding", &p->n_rounding);
	fields_bool(f, "overflows", &p->overflows);
	fields_int(f, "n_unfinished", &s->n_unfinished);
	fields_int(f, "n_times", &s->n_times);
}

static void visit_outcome(void *run, struct fields *f)
{
	struct linear_run *s = run;

	/* a finished run keeps its result alone, and where its last Newton step led */
	visit_best(s, f);
	fields_sparse(f, "w", s->at.w, s->task.d);
}

/* Compare the decision values read with those computed anew from the multipliers read. */
static int check_values(const struct linear_run *s, struct error *err)
{
	const struct linear_options *o = s->task.o;
	const struct iterate x = { .beta = s->best.beta, .f = s->best.f };
	const struct decision_state kept = {
		.p = s->task.p,
		.x = &x,
		.rows = { .n = s->task.p->n, .tolerance = o->eps, .n_threads = o->n_threads },
		.seed = o->seed
	};

	return decision_check_state(o->checkpoint, &kept, err);
}

int linear_enter(struct linear_run *s, struct error *err)
{
	const struct checkpoint_run run = { visit_state, visit_outcome, s };
	int found = checkpoint_enter(s->task.o->checkpoint, &run, err);

	/*
	 * CHECKPOINT_BEGUN: state of a run that was interrupted; a finished one needs no more work
	 */
	s->resumes = found == CHECKPOINT_BEGUN;
	return s->resumes && check_values(s, err) < 0 ? -1 : found;
}

void linear_keep(struct linear_run *s, enum linear_place place)
{
	/* visit_state() writes the place with the state */
	s->place = (int)place;
	checkpoint_keep(s->task.o->checkpoint);
}

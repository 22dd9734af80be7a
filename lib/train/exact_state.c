/*
 * exact_state.c - the state of an exact_solve() at a safe point, kept and taken up again
 *
 * Safe points are where nothing is under way but what exact_run.h holds: before the members are
 * optimised, between slices of a long optimisation, and before a proof.  From there on the bits are
 * those of a run that was not interrupted, because what is not kept is a function of what is:
 *
 *     subsets          drawn again, from the seed
 *     kernel rows      computed again: no bit depends on which are cached (smo.h)
 *     near_matrix      computed again, where the run had it
 *     SMO              begins each slice with multipliers and decision values alone; but sums over
 *                      members are in their order, which is kept
 *
 * Decision values of some members are computed anew and compared: a state that is not of these
 * rows, in spite of all else that is compared (checkpoint.h), is refused.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "io/checkpoint.h"
#include "train/exact_run.h"

/* ---- fields ---- */

static void visit_pace(struct exact_pace *pace, struct fields *f)
{
	fields_double(f, "tolerance", &pace->tolerance);
	fields_double(f, "last_tolerance", &pace->last);
	fields_double(f, "pace_unit", &pace->unit);
	fields_int64(f, "steps_left", &pace->steps_left);
	fields_int64(f, "work_left", &pace->work_left);
	fields_int64(f, "run_left", &pace->run_left);
	fields_int64(f, "run_taken", &pace->run_taken);
	fields_bool(f, "cut_short", &pace->cut_short);
	fields_bool(f, "gave_up", &pace->gave_up);
	fields_bool(f, "settled", &pace->settled);
	fields_double(f, "pace_gap", &pace->gap);
}

static void visit_samples(struct exact_run *s, struct fields *f)
{
	fields_int(f, "n_samples", &s->n_samples);
	if (s->n_samples < 0 || s->n_samples > s->subsets.n_levels) {
		error_set(f->err, ERR_FORMAT, "too many samples");
		s->n_samples = 0;
	}
	for (int k = 0; k < s->n_samples && !fields_failed(f); k++) {
		struct exact_sample *sample = &s->sample[k];

		fields_int64(f, "n_sample", &sample->n);
		if (sample->n < 0 || sample->n > s->p->n)
			error_set(f->err, ERR_FORMAT, "too many multipliers");
		else if (fields_are_read(f))
			exact_sample_room(sample, sample->n, f->err);
		if (fields_failed(f))
			return;
		fields_bool(f, "sample_in_floats", &sample->in_floats);
		fields_int64(f, "sample_n_learned", &sample->n_learned);
		fields_int64s(f, "sample", sample->example, sample->n);
		fields_doubles(f, "sample_beta", sample->beta, sample->n);
		for (int64_t i = 0; i < sample->n; i++)
			if (sample->example[i] < 0 || sample->example[i] >= s->p->n)
				error_set(f->err, ERR_FORMAT,
					  "a sample has examples that are none");
	}
}

/* Visit the members in their order, read into s->list_room, and the next working set. */
static void visit_members(struct exact_run *s, struct fields *f)
{
	int64_t *n = &s->keeping.n_members, *list = s->list_room;

	fields_bools(f, "is_working", s->is_working, s->p->n);
	fields_double(f, "work", &s->smo.work);
	if (!fields_are_read(f)) {
		*n = s->smo.rows.members.n;
		list = s->smo.rows.members.example;
	}
	fields_int64(f, "n_members", n);
	if (*n < 0 || *n > s->p->n)
		error_set(f->err, ERR_FORMAT, "too many members");
	else
		fields_int64s(f, "members", list, *n);
}

static void visit_state(void *run, struct fields *f)
{
	struct exact_run *s = run;
	struct decision_history *h = &s->proofs.history;
	struct exact_solution *best = &s->proofs.best;

	if (!fields_are_read(f))
		s->keeping.has_near = near_source_is(problem_source(s->p));
	fields_int(f, "place", &s->keeping.place);
	randsvm_visit_rounds(s->task, s->keeping.run.first_round, f);
	randsvm_visit_iterate(s->x, s->p->n, f);
	randsvm_visit_result(s->result, f);
	randsvm_visit_round(&s->round, f);
	fields_int(f, "level", &s->subsets.level);
	fields_double(f, "scale", &s->subsets.scale);
	fields_double(f, "noise", &s->subsets.noise);
	fields_double(f, "unit", &s->unit);
	fields_double(f, "moved", &s->movement.total);
	fields_sparse(f, "before", s->movement.before, s->p->n);
	fields_sparse(f, "seen", s->movement.seen, s->p->n);
	visit_pace(&s->pace, f);
	fields_int(f, "n_proofs", &s->proofs.n);
	fields_double(f, "proof_work", &s->proofs.work);
	fields_int64(f, "n_joined", &s->proofs.n_joined);
	fields_int(f, "n_stalls", &s->proofs.n_stalls);
	fields_double(f, "values_seen", &s->proofs.seen);
	fields_sparse(f, "history_beta", h->beta, h->n);
	fields_sparse(f, "history_f", h->f, h->n);
	fields_bools(f, "history_known", h->known, h->n);
	fields_int64(f, "history_n_known", &h->n_known);
	fields_int(f, "history_n_corrections", &h->n_corrections);
	fields_double(f, "history_summed", &h->summed);
	fields_bool(f, "history_in_doubles", &h->in_doubles);
	fields_bool(f, "best_known", &best->known);
	if (best->known) {
		if (fields_are_read(f) && iterate_init(&best->x, s->p->n, f->err) < 0)
			return;
		randsvm_visit_iterate(&best->x, s->p->n, f);
		fields_int64(f, "best_n_violators", &best->n_violators);
		certificate_visit(&best->certificate, f);
	}
	visit_samples(s, f);
	fields_bool(f, "near_values", &s->keeping.has_near);
	visit_members(s, f);
}

static void visit_outcome(void *run, struct fields *f)
{
	struct exact_run *s = run;

	randsvm_visit_outcome(&s->keeping.run, f);
}

/* ---- what is not kept ---- */

/*
 * SMO's members in their order: sets that grow by examples in ascending order, as smo_set_members()
 * adds them.
 */
static int restore_members(struct exact_run *s, struct error *err)
{
	bool *is_member = mem_zeroed(s->p->n, sizeof(*is_member), err);
	int64_t n = s->keeping.n_members;
	int ret = is_member ? 0 : -1;

	for (int64_t k = 0; k < n && ret == 0; k++) {
		int64_t i = s->list_room[k];

		if (i < 0 || i >= s->p->n || is_member[i])
			ret = checkpoint_misfit(s->task->checkpoint, "its members are none", err);
		else
			is_member[i] = true;
		if (ret == 0 && (k == n - 1 || s->list_room[k + 1] < i))
			ret = smo_set_members(&s->smo, is_member, err);
	}
	if (ret == 0 && n > 0)
		smo_load_members(&s->smo, s->subsets.scale, s->x->beta, s->x->f);
	mem_free(is_member);
	return ret;
}

/* Evaluate the members anew, to check that their decision values belong to the multipliers read. */
static int check_values(struct exact_run *s, struct error *err)
{
	const struct decision_state kept = { s->p, s->x,
					     exact_rows(s, s->list_room, exact_list_working(s)),
					     s->o->seed };

	return decision_check_state(s->task->checkpoint, &kept, err);
}

/* Rows of the examples that the source does not have here are copied for as long as this takes. */
int exact_make_near(struct exact_run *s, struct error *err)
{
	const struct kernel_source *floats = problem_source(s->p);
	struct float_rows rows = { floats->x_float, s->p->row, s->p->n };
	struct float_vectors copy = { 0 };
	int64_t *number = NULL;
	int ret = 0;

	if (floats->type->gather) {
		number = mem_array(rows.n, sizeof(*number), err);
		ret = number ? kernel_source_gather(floats, rows.row, rows.n, &copy, err) : -1;
		if (ret == 0)
			count_up(number, rows.n);
		rows = (struct float_rows){ &copy, number, rows.n };
	}
	if (ret == 0)
		ret = near_matrix_init(&s->near, rows, s->o->n_threads, s->p->interruption, err);
	float_vectors_free(&copy);
	mem_free(number);
	if (ret < 0)
		return -1;
	s->near_source = near_source_make(&s->near, floats);
	s->p->source = &s->near_source.base;
	return smo_renew_rows(&s->smo, err);
}

/* ---- the run ---- */

int exact_enter(struct exact_run *s, struct error *err)
{
	const struct checkpoint_run run = { visit_state, visit_outcome, s };
	int found;

	s->keeping.run = randsvm_run_of(s->task);
	found = checkpoint_enter(s->task->checkpoint, &run, err);
	if (found != CHECKPOINT_BEGUN)
		return found;
	if (s->subsets.level < 0 || s->subsets.level >= s->subsets.n_levels)
		return checkpoint_misfit(s->task->checkpoint, "it has other subsets", err);
	exact_hold(s);
	if (s->keeping.has_near && exact_make_near(s, err) < 0)
		return -1;
	s->keeping.resumes = true;
	exact_reserve_time(s);
	return restore_members(s, err) < 0 || check_values(s, err) < 0 ? -1 : found;
}

void exact_keep(struct exact_run *s, enum exact_place place)
{
	s->keeping.place = (int)place;
	if (!s->keeping.ends)
		checkpoint_keep(s->task->checkpoint);
}

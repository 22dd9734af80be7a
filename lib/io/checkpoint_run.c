/*
 * checkpoint_run.c - copies of the state of runs, and runs that go on from them
 *
 * How this works.  The bytes b->now of a block are what the file has of it or will have.  After a
 * file has been read they are consumed first: b->n_saved >= 0 is the number of ended runs in them,
 * and b->saved the part not consumed yet.  checkpoint_enter() gives back run after run from there
 * (1): the outcomes of the ended ones (2), then the state of the one under way (3).  From then on
 * n_saved is -1, and each copy replaces b->now (4): the outcomes of the runs that have ended, kept
 * in b->outcomes, and the state of the run under way.
 *
 * The lock guards b->now of all blocks and c->changed.  checkpoint_keep() only tries to take it: a
 * training does not wait while another thread writes the file.  Once an interruption is requested
 * no copy is made, because what engines compute while they end is not what they would have
 * computed.
 *
 * A block of two ended runs and one under way, and how it is consumed:
 *
 *      b->now     finished 0 | runs 2 | outcome 0 | outcome 1 | live 1 | state 2
 *                                     ^ b->saved after checkpoint_begin(), then moving right
 *
 *      enter 0    FINISHED: outcome 0 is read (2), and appended to b->outcomes
 *      enter 1    FINISHED: outcome 1, likewise
 *      enter 2    BEGUN: state 2 is read (3); n_saved becomes -1
 *      keep       copies (4):  finished 0 | runs 2 | outcomes | live 1 | state now
 *      leave      the outcome of run 2 joins b->outcomes; copy with runs 3, live 0
 *
 * A copy is O(state).  Its time is measured, and the next copy waits COPY_SHARE times as long:
 * copying stays below 1 / COPY_SHARE of the training's time, however large the state is.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/clock.h"
#include "io/checkpoint_work.h"

/* Copying takes at most 1 / COPY_SHARE of the time. */
#define COPY_SHARE 100

struct checkpoint_block *checkpoint_block(struct checkpoint *c, int64_t number)
{
	return c ? &c->block[number] : NULL;
}

/* Without memory the copy is not whole: the block is left out of files until the next one is. */
static void end_copy(struct checkpoint_block *b, const struct error *failure)
{
	struct checkpoint *c = b->owner;

	if (failure->code != ERR_NONE)
		b->now.size = 0;
	if (failure->code == ERR_NONE)
		c->changed = true;
	pthread_mutex_unlock(&c->lock);
	if (c->kept && failure->code == ERR_NONE)
		c->kept(c->arg);
}

/* (4): the block's runs into 'now': those that have ended, and the one under way if 'live'. */
static void copy_runs(struct checkpoint_block *b, bool live)
{
	struct error failure = { 0 };
	struct fields f = fields_writer(&b->now, &failure);
	bool finished = false;

	b->now.size = 0;
	b->n_saved = -1;
	fields_bool(&f, "finished", &finished);
	fields_int64(&f, "runs", &b->n_runs);
	byte_buffer_append(&b->now, b->outcomes.bytes, b->outcomes.size, &failure);
	fields_bool(&f, "live", &live);
	if (live)
		b->run.state(b->run.arg, &f);
	end_copy(b, &failure);
}

/* Has an interruption been requested?  No state is copied from then on. */
static bool is_asked_to_end(const struct checkpoint_block *b)
{
	return interruption_requested(b->owner->interruption);
}

void checkpoint_keep(struct checkpoint_block *b)
{
	double start;

	if (!b)
		return;
	/* also where the lock is taken: by the thread that writes the file */
	start = clock_seconds(CLOCK_MONOTONIC);
	if (start < b->next || is_asked_to_end(b) || pthread_mutex_trylock(&b->owner->lock) != 0)
		return;
	copy_runs(b, true);
	/* copies are not spaced out where the caller is told of each (checkpoint_notify()) */
	if (!b->owner->kept)
		b->next = clock_seconds(CLOCK_MONOTONIC) +
			  COPY_SHARE * (clock_seconds(CLOCK_MONOTONIC) - start);
}

int checkpoint_misfit(const struct checkpoint_block *b, const char *why, struct error *err)
{
	return error_set(err, ERR_FORMAT, "%s: the checkpoint does not fit this training: %s",
			 b->owner->path, why);
}

/* Report a failure to read the state: one of the format is a misfit of the checkpoint. */
static int pass_on(const struct checkpoint_block *b, const struct error *why, struct error *err)
{
	return why->code == ERR_FORMAT ? checkpoint_misfit(b, why->text, err) :
					 error_pass(err, why);
}

/* Append the outcome of the run to the outcomes of the runs before. */
static void add_outcome(struct checkpoint_block *b, struct error *err)
{
	struct fields f = fields_writer(&b->outcomes, err);

	b->run.outcome(b->run.arg, &f);
	b->n_runs++;
}

/* Look for the next run in the file: finished, begun, or not there. */
static int find_run(struct checkpoint_block *b, struct error *err)
{
	struct fields f;
	bool live = false;

	/* (1): is there a state from the file that is not consumed yet? */
	if (b->n_saved < 0)
		return CHECKPOINT_NEW;
	f = fields_reader(b->saved, b->now.bytes + b->now.size - b->saved, err);
	/* (2): the outcome is given back, and joins those of this process for the next copy */
	if (b->n_runs < b->n_saved) {
		if (!b->run.outcome)
			return error_set(err, ERR_FORMAT, "too many runs");
		b->run.outcome(b->run.arg, &f);
		b->saved = f.at;
		if (!fields_failed(&f))
			add_outcome(b, err);
		return CHECKPOINT_FINISHED;
	}
	/* (3): the last that the bytes have */
	b->n_saved = -1;
	fields_bool(&f, "live", &live);
	if (!live)
		return CHECKPOINT_NEW;
	b->run.state(b->run.arg, &f);
	return CHECKPOINT_BEGUN;
}

int checkpoint_enter(struct checkpoint_block *b, const struct checkpoint_run *run,
		     struct error *err)
{
	struct error why = { 0 };
	int found;

	if (!b)
		return CHECKPOINT_NEW;
	b->run = *run;
	found = find_run(b, &why);
	return why.code == ERR_NONE ? found : pass_on(b, &why, err);
}

void checkpoint_leave(struct checkpoint_block *b)
{
	struct error failure = { 0 };

	if (!b || !b->run.outcome || is_asked_to_end(b))
		return;
	pthread_mutex_lock(&b->owner->lock);
	add_outcome(b, &failure);
	if (failure.code == ERR_NONE)
		copy_runs(b, false);
	else
		end_copy(b, &failure);
}

int checkpoint_finished(struct checkpoint_block *b, checkpoint_visit *visit, void *arg,
			struct error *err)
{
	struct error why = { 0 };
	struct fields f;
	bool finished = false;

	if (!b || b->n_saved < 0)
		return 0;
	f = fields_reader(b->now.bytes, b->now.size, &why);
	fields_bool(&f, "finished", &finished);
	if (!finished && why.code == ERR_NONE)
		return 0;
	visit(arg, &f);
	b->n_saved = -1;
	return why.code == ERR_NONE ? 1 : pass_on(b, &why, err);
}

void checkpoint_finish(struct checkpoint_block *b, checkpoint_visit *visit, void *arg)
{
	struct error failure = { 0 };
	struct fields f;
	bool finished = true;

	if (!b || is_asked_to_end(b))
		return;
	pthread_mutex_lock(&b->owner->lock);
	/* the result replaces all runs of the block */
	byte_buffer_free(&b->outcomes);
	byte_buffer_free(&b->now);
	f = fields_writer(&b->now, &failure);
	fields_bool(&f, "finished", &finished);
	visit(arg, &f);
	end_copy(b, &failure);
}

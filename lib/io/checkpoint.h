/*
 * checkpoint.h - the state of a training, kept in memory and in a file, to go on from there
 *
 * A training is one block for each pair of classes, and a block is a sequence of runs: an engine
 * that gives up is followed by another.  Each run says
 *
 *     found = checkpoint_enter(block, &run, err);    is it new, begun, or finished?
 *     ...
 *     checkpoint_keep(block);                        at a safe point: copy the state
 *     ...
 *     checkpoint_leave(block);                       copy the outcome
 *
 * and at the end of the block checkpoint_finish().  Copies are in memory; checkpoint_write() puts
 * those of all blocks into the file, whenever the caller wants, from any thread.  When the same
 * training is started again with this file, finished blocks and runs give back their outcomes, and
 * the run that was begun its state.  What is computed is the same in either case.
 *
 * All functions take a NULL block for one that nobody keeps, and do nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/interruption.h"
#include "io/fields.h"

/*
 * At most one process at a time writes a file
 *
 * The lock is flock(2) on an empty file .NAME.lock beside the file, because the file itself is
 * replaced whenever it is written.  It ends with the process, however that ends; the lock's file is
 * removed too, except by SIGKILL, and one that was left behind holds nobody up.
 */
struct file_lock {
	int fd;	    /* descriptor of the lock's file; the lock lasts while the descriptor is open */
	char *name; /* name of the lock's file; NULL: no lock is held */
};

/*
 * file_lock_take() - lock 'path', a file that is there or will be; symbolic links are followed
 *
 * '*taken' is false where another process has locked it.  Where the file system knows no locks
 * nothing is locked, and '*taken' is true.  Fails with ERR_IO (the bare reason) where the lock's
 * file cannot be made, or with ERR_MEMORY.
 */
int file_lock_take(struct file_lock *lock, const char *path, bool *taken, struct error *err);

/* file_lock_release() - unlock the file if locked; fine on a zeroed struct */
void file_lock_release(struct file_lock *lock);

struct checkpoint;
struct checkpoint_block;

/*
 * checkpoint_open() - the state in the file 'path', or none where there is no file or an empty one
 *
 * Also makes sure that the file can be written, and that no other process does: it is locked until
 * checkpoint_free().  Returns 0; 1 where another process has it, '*c' being NULL; -1 with ERR_IO,
 * ERR_FORMAT (damaged, cut short, of another version) or ERR_MEMORY: the text names the file.
 */
int checkpoint_open(struct checkpoint **c, const char *path, struct error *err);

void checkpoint_free(struct checkpoint *c);

/* checkpoint_was_read() - was there a state to go on from? */
bool checkpoint_was_read(const struct checkpoint *c);

/*
 * checkpoint_begin() - what is trained, of n_blocks blocks: lines `NAME VALUE`, in a fixed order
 *
 * ERR_ARGUMENT where the file is of other lines; the text tells which.  No state is kept any more
 * once 'interruption' (or NULL) is requested: what is computed then is not what it would be.
 */
int checkpoint_begin(struct checkpoint *c, const char *settings, int64_t n_blocks,
		     const struct interruption *interruption, struct error *err);

/* checkpoint_notify() - call 'kept' after each copy, on the thread that trains */
void checkpoint_notify(struct checkpoint *c, void (*kept)(void *arg), void *arg);

/*
 * checkpoint_write() - write the latest copies, if there are any since the last time
 *
 * The file is replaced as a whole, or stays as it was.  May be called from any thread.  Returns 0,
 * or -1 with the reason.
 */
int checkpoint_write(struct checkpoint *c, struct error *err);

/*
 * checkpoint_close() - write for the last time, before the process ends
 *
 * Other threads that train do not write any more, or wait for ever.  '*kept' tells whether there is
 * a state in the file.
 */
int checkpoint_close(struct checkpoint *c, bool *kept, struct error *err);

/* checkpoint_remove() - remove the file, if there is one; of a symbolic link what it leads to */
int checkpoint_remove(struct checkpoint *c, struct error *err);

/* checkpoint_block() - the block of one pair of classes; NULL where 'c' is */
struct checkpoint_block *checkpoint_block(struct checkpoint *c, int64_t number);

/* A function that passes over all fields of a state, see io/fields.h. */
typedef void checkpoint_visit(void *arg, struct fields *f);

/*
 * checkpoint_finished() - has the block been trained before?  Then 'visit' reads its result
 *
 * Returns 1 if so, 0 if not, -1 with an error.
 */
int checkpoint_finished(struct checkpoint_block *b, checkpoint_visit *visit, void *arg,
			struct error *err);

/* checkpoint_finish() - copy the result, which replaces all of the block's runs */
void checkpoint_finish(struct checkpoint_block *b, checkpoint_visit *visit, void *arg);

/* The state and the outcome of a run, as functions that write or read them. */
struct checkpoint_run {
	checkpoint_visit *state; /* function that passes over the state at a safe point */
	checkpoint_visit *
		outcome; /* function that passes over the outcome at the end; NULL for a last run */
	void *arg;
};

enum checkpoint_found { CHECKPOINT_NEW, CHECKPOINT_BEGUN, CHECKPOINT_FINISHED };

/*
 * checkpoint_enter() - the next run of the block; -1 with ERR_FORMAT where the file does not fit
 *
 * CHECKPOINT_BEGUN: run->state has read it.  CHECKPOINT_FINISHED: run->outcome has, and there is no
 * checkpoint_leave().
 */
int checkpoint_enter(struct checkpoint_block *b, const struct checkpoint_run *run,
		     struct error *err);

/*
 * checkpoint_keep() - a safe point: copy the state, unless that took more than a hundredth of the
 * time
 *
 * Nothing is copied either while the file is being written.
 */
void checkpoint_keep(struct checkpoint_block *b);

/* checkpoint_leave() - the end of the run */
void checkpoint_leave(struct checkpoint_block *b);

/* checkpoint_misfit() - ERR_FORMAT: the state that was read is not of these rows; returns -1 */
int checkpoint_misfit(const struct checkpoint_block *b, const char *why, struct error *err);

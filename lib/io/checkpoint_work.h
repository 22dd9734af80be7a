/*
 * checkpoint_work.h - what checkpoint.c, which has the file, shares with checkpoint_run.c
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_CHECKPOINT_WORK_H
#define RANDSVM_CHECKPOINT_WORK_H

#include <pthread.h>

#include "io/byte_buffer.h"
#include "io/checkpoint.h"
#include "io/file_lock.h"

struct checkpoint_block {
	struct checkpoint *owner;
	int64_t number;
	struct byte_buffer now;	     /* latest copy, or what the file had */
	struct byte_buffer outcomes; /* outcomes of the runs that have ended, as in 'now' */
	int64_t n_runs;		     /* runs that have ended */
	struct checkpoint_run run;   /* run under way */
	const char *saved; /* part of the file that is not used yet, to the end of 'now' */
	int64_t n_saved;   /* ended runs in 'saved'; -1: the state has been used up */
	double next;	   /* time, in seconds, before which no copy is made */
};

struct checkpoint {
	char *path;
	struct file_lock file_lock;
	bool was_read;
	struct byte_buffer settings;
	int64_t n_blocks, capacity;
	struct checkpoint_block *block;
	const struct interruption *interruption;
	void (*kept)(void *arg);
	void *arg;
	pthread_mutex_t lock; /* lock of the bytes 'now' of all blocks, and of 'changed' */
	bool changed;	      /* there are copies that are not in the file */
};

#endif

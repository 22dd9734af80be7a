/*
 * api.h - what the files of the public library share
 *
 *     randsvm.h        the public header
 *     api_call.c       what calls share: structs, errors, files, threads and callbacks
 *     api_rows.c       rows
 *     api_train.c      training, certificates
 *     api_model.c      models; predictions, measures
 *     api_explain.c    Shapley values
 *     api_search.c     folds, cross validation, search
 *     api_map.c        maps, and selections of features
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

/* all else is hidden */
#pragma GCC visibility push(default)
#include "randsvm.h"
#pragma GCC visibility pop

#include "base/caller.h"
#include "chain/chain.h"
#include "train/machine.h"

/* API_CALL - first declarations of a public function: FROM_CALLER, and the error that it collects */
#define API_CALL(failed) \
	FROM_CALLER;     \
	struct error failed = { 0 }

struct rsv_rows {
	struct dataset data;
};

struct rsv_model {
	struct chain chain; /* the model, and what rows pass before it */
	int64_t *sv_row;    /* rows of the training data that the vectors are; NULL: not known */
	int64_t n_certificates;
	struct rsv_certificate *certificate;
	bool was_interrupted;
	double far_error; /* solution.far_error of the training; 0: not known */
};

struct rsv_map {
	struct chain_map is;
};

/* ---- api_call.c ---- */

/*
 * api_read_struct() - a caller's struct of any version into 'own', which holds the defaults
 *
 * Of a later version fields that this one does not have must be 0; a size of no version, which may
 * cut a field, is refused.  So is NULL for 'given', in the name of what is missing; with the name
 * NULL the defaults stay.  ERR_ARGUMENT.
 */
int api_read_struct(void *own, size_t own_size, const void *given, const char *name,
		    struct error *err);

/* api_write_struct() - as much of 'own' as the caller's struct of 'size' bytes has; clears the rest */
void api_write_struct(void *to, size_t size, const void *own, size_t own_size);

/* api_status() - hand a failure to the caller; returns 0 without one, or -1 */
int api_status(const struct error *err, struct rsv_error *to);

/* api_need() - ERR_ARGUMENT if a pointer is NULL */
int api_need(const void *pointer, const char *name, struct error *err);

/* api_find_name() - position of a name in a list that NULL ends; -1 with ERR_ARGUMENT */
int api_find_name(const char *const *names, const char *name, const char *what, struct error *err);

/*
 * api_name_file() - pass a failure on, with the name of the file where the text is a bare reason
 *
 * Returns 0 without a failure, or -1.
 */
int api_name_file(const char *path, const struct error *reason, struct error *err);

/* api_write_file() - a file of what write() writes; it is replaced when that is complete */
int api_write_file(const char *path, output_writer *write, const void *what, struct error *err);

/* Settings of a call, and what points to them. */
struct api_run {
	struct rsv_run given;
	struct interruption interruption;
	int n_threads;
	struct randsvm_observer rounds;
	const struct interruption *ends; /* what ends the call; NULL: nothing */
};

/* api_run_init() - '*run' must not move afterwards; 'given' may be NULL */
int api_run_init(struct api_run *run, const struct rsv_run *given, struct error *err);

/* api_begin() - api_run_init() of a call that ends where the caller wants it, with ERR_INTERRUPTED */
int api_begin(struct api_run *run, const struct rsv_run *given, struct error *err);

/* ---- api_rows.c ---- */

/*
 * api_give_rows() - what a call returns: the dataset as rows, or NULL and its end where something has
 * failed
 */
rsv_rows *api_give_rows(struct dataset *data, struct error *failed, struct rsv_error *err);

/* api_need_features() - ERR_ARGUMENT if there are no rows, or if they are those of a caller's kernel */
int api_need_features(const rsv_rows *rows, struct error *err);

/*
 * api_map_rows() - append the rows, mapped, to 'mapped', without weights and groups
 *
 * '*n_unranged', unless it is NULL, grows by the number of values whose features have no range.
 * Fails as chain_map_apply() and row_batch_check_mapped() do.
 */
int api_map_rows(const struct chain_map *map, const struct dataset *data, int n_threads,
		 struct dataset *mapped, int64_t *n_unranged, struct error *err);

/* ---- api_train.c ---- */

/*
 * api_machine_init() - machine_init() of rows and parameters; '*m' must not move afterwards
 *
 * '*m', zeroed before, is to be freed after a failure too.
 */
int api_machine_init(struct machine *m, const struct rsv_rows *rows,
		     const struct rsv_training *training, const struct api_run *run,
		     struct error *err);

/* ---- api_model.c ---- */

/* api_model_new() - a model without anything; NULL with ERR_MEMORY */
struct rsv_model *api_model_new(struct error *err);

/* api_need_model() - ERR_ARGUMENT if there is none, or for a chain, of whose rows the model knows nothing */
int api_need_model(const rsv_model *model, struct error *err);

/* api_give_model() - what a call returns: the model, or NULL and its end where something has failed */
rsv_model *api_give_model(rsv_model *model, const struct error *failed, struct rsv_error *err);

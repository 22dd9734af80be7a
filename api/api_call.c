/*
 * api_call.c - what calls share: structs, errors, files, and the run as the engine has it
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "api.h"
#include "base/thread.h"
#include "version.h"

const char *rsv_version(void)
{
	return RANDSVM_VERSION;
}

/* ---- sizes ---- */

int api_read_struct(void *own, size_t own_size, const void *given, const char *name,
		    struct error *err)
{
	const char *byte = given;
	size_t size;

	if (!given)
		return name ? api_need(given, name, err) : 0;
	memcpy(&size, given, sizeof(size));
	if (size < sizeof(size))
		return error_set(err, ERR_ARGUMENT, "a struct was not initialised");
	/* there is no earlier version, whose structs were shorter */
	if (size < own_size)
		return error_set(err, ERR_ARGUMENT, "a struct of %zu bytes is of no version", size);
	for (size_t k = own_size; k < size; k++)
		if (byte[k])
			return error_set(err, ERR_ARGUMENT,
					 "a parameter of a later version than this library's");
	memcpy(own, given, own_size);
	return 0;
}

void api_write_struct(void *to, size_t size, const void *own, size_t own_size)
{
	memset(to, 0, size);
	memcpy(to, own, size < own_size ? size : own_size);
	memcpy(to, &size, size < sizeof(size) ? size : sizeof(size));
}

/* ---- defaults ---- */

void rsv_run_init_sized(struct rsv_run *run, size_t size)
{
	api_write_struct(run, size, &(struct rsv_run){ .seed = 1 }, sizeof(*run));
}

void rsv_training_init_sized(struct rsv_training *training, size_t size)
{
	const struct rsv_training own = { .machine = RSV_C_SVC,
					  .kernel = RSV_RBF,
					  .degree = 3,
					  .C = 1,
					  .nu = 0.5,
					  .p = 0.1,
					  .eps = 0.001 };

	api_write_struct(training, size, &own, sizeof(own));
}

void rsv_kernel_function_init_sized(struct rsv_kernel_function *kernel, size_t size)
{
	api_write_struct(kernel, size, &(struct rsv_kernel_function){ 0 }, sizeof(*kernel));
}

void rsv_predictions_init_sized(struct rsv_predictions *predictions, size_t size)
{
	api_write_struct(predictions, size, &(struct rsv_predictions){ 0 }, sizeof(*predictions));
}

void rsv_grid_init_sized(struct rsv_grid *grid, size_t size)
{
	api_write_struct(grid, size, &(struct rsv_grid){ .n_folds = 5 }, sizeof(*grid));
}

void rsv_projection_init_sized(struct rsv_projection *projection, size_t size)
{
	const struct rsv_projection own = { .method = "cw", .seed = 1, .degree = 3 };

	api_write_struct(projection, size, &own, sizeof(own));
}

void rsv_selection_init_sized(struct rsv_selection *selection, size_t size)
{
	const struct rsv_selection own = {
		.method = "bss", .C = 1, .p = 0.1, .eps = 0.001, .fraction = 0.1
	};

	api_write_struct(selection, size, &own, sizeof(own));
}

/* ---- errors ---- */

int api_status(const struct error *err, struct rsv_error *to)
{
	if (err->code == ERR_NONE)
		return 0;
	if (to) {
		to->code = (int)err->code;
		snprintf(to->text, sizeof(to->text), "%.1019s", err->text);
	}
	return -1;
}

int api_need(const void *pointer, const char *name, struct error *err)
{
	return pointer ? 0 : error_set(err, ERR_ARGUMENT, "no %s", name);
}

int api_find_name(const char *const *names, const char *name, const char *what, struct error *err)
{
	const char *const given = name ? name : "";

	for (int k = 0; names[k]; k++)
		if (strcmp(names[k], given) == 0)
			return k;
	return error_set(err, ERR_ARGUMENT, "no %s '%s'", what, QUOTED(64, given, strlen(given)));
}

/* ---- files ---- */

int api_name_file(const char *path, const struct error *reason, struct error *err)
{
	if (reason->code == ERR_NONE)
		return 0;
	if (reason->code != ERR_IO)
		return error_pass(err, reason);
	return error_set(err, ERR_IO, "%s: %s", QUOTED(256, path, strlen(path)), reason->text);
}

int api_write_file(const char *path, output_writer *write, const void *what, struct error *err)
{
	struct error reason = { 0 };

	if (api_need(path, "file name", err) < 0)
		return -1;
	output_write_file(path, write, what, &reason);
	return api_name_file(path, &reason, err);
}

/* ---- threads, memory and callbacks ---- */

static bool end_is_wanted(void *arg)
{
	const struct rsv_run *run = arg;

	return run->interrupted(run->arg) != 0;
}

static void tell_round(void *arg, const struct randsvm_round *r)
{
	const struct rsv_run *run = arg;
	const struct rsv_round round = { .size = sizeof(round),
					 .number = r->number,
					 .working_set = r->working_set,
					 .n_sv = r->n_sv,
					 .n_violators = r->n_violators,
					 .primal = r->best_primal,
					 .dual = r->best_dual };

	run->round(run->arg, &round);
}

int api_run_init(struct api_run *run, const struct rsv_run *given, struct error *err)
{
	*run = (struct api_run){ 0 };
	rsv_run_init(&run->given);
	if (api_read_struct(&run->given, sizeof(run->given), given, NULL, err) < 0)
		return -1;
	if (run->given.n_threads < 0 || run->given.n_threads > THREAD_MAX)
		return error_set(err, ERR_ARGUMENT, "%d threads", run->given.n_threads);
	run->n_threads = run->given.n_threads ? run->given.n_threads : thread_default_count();
	if (!(run->given.cache_mb >= 0))
		return error_set(err, ERR_ARGUMENT, "cache of %g MB", run->given.cache_mb);
	run->interruption = (struct interruption){ .requested = end_is_wanted, .arg = &run->given };
	run->ends = run->given.interrupted ? &run->interruption : NULL;
	if (run->given.round)
		run->rounds = (struct randsvm_observer){ tell_round, &run->given };
	return 0;
}

int api_begin(struct api_run *run, const struct rsv_run *given, struct error *err)
{
	if (api_run_init(run, given, err) < 0)
		return -1;
	interruption_scope(run->ends);
	return 0;
}

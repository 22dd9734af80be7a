/*
 * run.c - what the run of every program has: inputs, outputs, report, phases, progress, and its end
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "run.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes that a program takes for buffers and small pieces, beyond its memory at the start. */
#define BUFFERS (12 << 20)

const char *const common_loss_names[] = { "hinge", "squared", NULL };

struct rows_options common_rows_options(const struct common_options *c)
{
	return (struct rows_options){ .strict = c->strict,
				      .allow_nonfinite = c->allow_nonfinite,
				      .groups_by_qid = c->by_qid };
}

void common_warn_weights(const struct training *t, const int *label, int n)
{
	for (int k = 0; k < t->n_weights; k++)
		if (label_find(label, n, t->weight[k].label) < 0)
			cli_warn("WARNING: class label %d specified in weight is not found",
				 t->weight[k].label);
}

void common_need_memory(int64_t bytes)
{
	int64_t least = mem_least_bound(bytes + BUFFERS);

	/* two megabytes to spare, as memory at the start differs between runs */
	if (mem_bound() > 0 && mem_bound() < least)
		cli_fail("--memory %" PRId64 " is too small: %" PRId64 " MB would do",
			 mem_bound() / MEGABYTE, least / MEGABYTE + 2);
}

/*
 * The folder for arrays: the one that --spill names, else that of the output, or the current one
 * where that cannot be written to.  That the output cannot be where it is to be is told when it is
 * opened.
 */
static void choose_folder(char *folder, size_t size, const struct common_options *c,
			  const char *output)
{
	const char *slash = output ? strrchr(output, '/') : NULL;

	if (c->spill) {
		snprintf(folder, size, "%s", c->spill);
		return;
	}
	snprintf(folder, size, ".");
	/* folders of devices are no place for files */
	if (slash && strncmp(output, "/dev/", 5) != 0)
		snprintf(folder, size, "%.*s", slash == output ? 1 : (int)(slash - output), output);
	if (access(folder, W_OK | X_OK) < 0)
		snprintf(folder, size, ".");
}

void common_bound_memory(const struct common_options *c, const char *output)
{
	char folder[PATH_MAX];
	struct error err = { 0 };
	struct stat status;

	if (c->memory_mb == 0)
		return;
	choose_folder(folder, sizeof(folder), c, output);
	if (c->spill && stat(folder, &status) == 0 && !S_ISDIR(status.st_mode))
		cli_fail("--spill takes a folder here: '%s' is a file", folder);
	if (c->spill && access(folder, W_OK | X_OK) < 0)
		cli_fail("--spill: cannot write into the folder '%s': %s", folder, strerror(errno));
	/* pieces that are kept when they are freed would count as memory */
	memory_give_back(MEGABYTE, MEGABYTE);
	cli_check(
		mem_set_bound(c->memory_mb * MEGABYTE, folder, "try another --spill folder", &err),
		&err);
}

void cli_run_begin(struct cli_run *run, const struct cli_program *program,
		   struct common_options *common, char *const *argv)
{
	if (run->started == 0)
		run->started = cli_seconds();
	run->options = program->options;
	run->common = common;
	common->n_threads = thread_default_count();
	cli_set_up(program->name, argv, &common->quiet);
}

void cli_run_bound(const struct cli_run *run, const char *output)
{
	common_bound_memory(run->common, output);
	common_need_memory(0);
}

void cli_add_file(struct data_files *files, const char *name)
{
	struct error err = { 0 };

	cli_check(mem_grow(&files->file, &files->capacity, files->n + 1, sizeof(name), &err), &err);
	files->file[files->n++] = name;
}

void cli_run_read_list(struct cli_run *run, const char *const *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		cli_add_file(&run->inputs, name[i]);
}

struct cli_output *cli_run_writes(struct cli_run *run, int i, const char *name, const char *what,
				  enum file_kind kind)
{
	assert(i + 1 < CLI_MAX_OUTPUTS);
	run->file[i] = (struct cli_output){ .name = name,
					    .what = what,
					    .compress = i == 0 && run->common->compress,
					    .kind = kind,
					    .saved = run->saves };
	if (run->n_files <= i)
		run->n_files = i + 1;
	return &run->file[i];
}

void cli_run_name(struct cli_run *run)
{
	cli_run_writes(run, run->n_files, run->common->report,
		       run->saves ? "report" : "report file", FILE_IS_OTHER);
	cli_keep_files_apart(run->file, run->n_files, run->inputs.file, (int)run->inputs.n);
	run->info = cli_results_stream(run->file, run->n_files);
}

void cli_run_report(struct cli_run *run)
{
	struct cli_output *file = &run->file[run->n_files - 1];

	if (!file->name)
		return;
	cli_open_output(file);
	run->report = report_new(cli_program_name());
	run->settings = report_settings(run->report, run->options);
}

void cli_run_open(struct cli_run *run)
{
	cli_run_name(run);
	cli_open_outputs(run->file, run->n_files - 1);
	cli_run_report(run);
}

void cli_run_progress(struct cli_run *run, const char *what)
{
	cli_progress_start(&run->progress, what, run->common->progress, run->common->quiet);
}

int cli_run_try_scan(struct cli_run *run, const struct cli_scan *scan,
		     const struct rows_visitor *visitor, struct error *err)
{
	struct input *input = cli_open_pass(&run->passes, scan->name, scan->is_last);
	struct rows_visitor shown = *visitor;
	int ret;

	shown.progress = (struct progress_observer){ cli_progress_bytes, &run->progress };
	cli_run_progress(run, scan->what);
	ret = rows_scan(input, &scan->format, &shown, (int)run->common->n_threads, err);
	cli_progress_end(&run->progress);
	if (ret < 0)
		input_close(input);
	else
		cli_close_pass(&run->passes, input);
	return ret;
}

void cli_run_scan(struct cli_run *run, const struct cli_scan *scan,
		  const struct rows_visitor *visitor)
{
	struct error err = { 0 };

	if (cli_run_try_scan(run, scan, visitor, &err) < 0)
		cli_fail_input(scan->name, &err);
}

void cli_tell_weights(struct cli_run *run, const struct training *t, const struct classes *c)
{
	struct report *array = report_array(run->report, "class_weights");

	for (int k = 0; k < c->n; k++) {
		const double factor = classes_c(t, c->label[k]) / t->C;
		struct report *item = report_item(array);

		report_count(item, "label", c->label[k]);
		report_number(item, "weight", factor);
		if (!run->common->quiet)
			fprintf(run->info, "weight of class %d = %g\n", c->label[k], factor);
	}
}

void cli_run_phase(struct cli_run *run, const char *name)
{
	report_phase_end(&run->phases, name);
}

void cli_run_commit(struct cli_run *run)
{
	report_finish(run->report, run->started, run->file[run->n_files - 1].output);
	cli_commit_outputs(run->file, run->n_files);
}

int cli_run_end(struct cli_run *run)
{
	byte_buffer_free(&run->passes.kept);
	mem_free(run->inputs.file);
	return cli_finish();
}

/*
 * select_rows.c - fs-select: rows of the chosen features, a list of these, a model of these
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "common/fold_model.h"
#include "common/read_rows.h"
#include "io/row_writer.h"
#include "select.h"

/* Scratch memory of a thread. */
struct worker {
	struct row_batch chosen;
	struct byte_buffer bytes;
};

/* State of writing rows. */
struct writing {
	struct select_job *job;
	struct row_writer writer;
	int64_t n_rows;
	/* marks of the chosen features that some row has a value of; only with -r */
	bool *seen;
	int64_t n_seen; /* number of features seen */
	bool has_qid;	/* some row has a qid */
};

/*
 * Mark the chosen features that these rows have a value of.  Once half of them are seen there is
 * nothing to remark on, and no more rows are looked at.
 */
static void note_seen(struct writing *writing, const struct row_batch *chosen)
{
	const struct selection_map *map = &writing->job->map;

	if (!writing->seen || 2 * writing->n_seen >= map->chosen.n)
		return;
	for (int64_t k = 0; k < chosen->n_entries; k++) {
		int64_t number = map->renumber ? chosen->index[k] - 1 :
						 selection_find(&map->index, chosen->index[k]);

		if (chosen->value[k] == 0 || writing->seen[number])
			continue;
		writing->seen[number] = true;
		writing->n_seen++;
	}
}

static void free_worker(struct worker *w)
{
	row_batch_free(&w->chosen);
	mem_free(w->bytes.bytes);
}

static int apply_rows(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	const struct writing *writing = arg;
	struct worker *w = user;

	if (selection_map_apply(&writing->job->map, (struct row_range){ batch, 0, batch->n_rows },
				&w->chosen, err) < 0)
		return -1;
	return row_writer_format(&writing->writer, &w->bytes, &w->chosen, err);
}

static int write_rows(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	struct writing *writing = arg;
	const struct row_batch *chosen = &((struct worker *)user)->chosen;

	if (!settings.common.allow_nonfinite &&
	    (row_batch_check_mapped(batch, chosen, writing->n_rows,
				    "a value times the weight of its feature is too large",
				    err) < 0 ||
	     row_writer_check_labels(&writing->writer, batch, writing->n_rows, err) < 0))
		return -1;
	writing->has_qid |= batch->has_qid;
	writing->n_rows += batch->n_rows;
	note_seen(writing, chosen);
	if (settings.common.report) {
		struct select_job *job = writing->job;

		rows_checksum_add(&job->read, (struct row_range){ batch, 0, batch->n_rows });
		rows_checksum_add(&job->written, (struct row_range){ chosen, 0, chosen->n_rows });
	}
	return cli_written(&writing->job->run.file[FILE_ROWS],
			   row_writer_write(&writing->writer, &((struct worker *)user)->bytes, err),
			   err);
}

/* Fail if the rows' writer has: row_writer_begin() and row_writer_end() return 'ret'. */
static void check_writer(const struct writing *writing, int ret, struct error *err)
{
	if (cli_written(&writing->job->run.file[FILE_ROWS], ret, err) < 0)
		cli_fail_input(settings.data_name, err);
}

static struct writing begin_rows(struct select_job *job)
{
	struct writing writing = { .job = job,
				   .writer = { .to = job->run.file[FILE_ROWS].output,
					       .binary = settings.binary,
					       .digits = (int)settings.digits } };
	struct error err = { 0 };

	check_writer(&writing, row_writer_begin(&writing.writer, &err), &err);
	return writing;
}

static void end_rows(struct writing *writing)
{
	struct error err = { 0 };

	if (settings.binary && writing->has_qid)
		cli_note_lost_qids(settings.data_name);
	check_writer(writing, row_writer_end(&writing->writer, &err), &err);
}

#define ROWS_AT_ONCE 4096

/* Write the rows in memory: all of them, or the support vectors. */
static int write_kept_rows(struct writing *writing, struct error *err)
{
	const struct select_job *job = writing->job;
	const int64_t *row = settings.rows == ROWS_SV ? job->choice.row : NULL;
	int64_t n = row ? job->choice.n_rows : job->rows.data.x.n_rows;
	struct row_batch rows = { 0 };
	struct worker w = { 0 };
	int ret = 0;

	for (int64_t first = 0; first < n && ret == 0; first += ROWS_AT_ONCE) {
		int64_t count = int64_min(n - first, ROWS_AT_ONCE);

		ret = labelled_rows_batch(&rows, &job->rows, row, first, count, err);
		if (ret == 0)
			ret = apply_rows(writing, &rows, &w, err);
		if (ret == 0)
			ret = write_rows(writing, &rows, &w, err);
	}
	row_batch_free(&rows);
	free_worker(&w);
	return ret;
}

void select_write_list(struct select_job *job)
{
	struct byte_buffer text = { 0 };
	struct error err = { 0 };

	cli_check(selection_map_list(&job->map, select_names(job), &text, &err), &err);
	cli_check(cli_write(&job->run.file[FILE_ROWS], text.bytes, text.size, &err), &err);
	mem_free(text.bytes);
}

void select_write_chosen(struct select_job *job)
{
	struct error err = { 0 };

	if (settings.list) {
		select_write_list(job);
	} else {
		struct writing writing = begin_rows(job);

		if (write_kept_rows(&writing, &err) < 0)
			cli_fail_input(settings.data_name, &err);
		end_rows(&writing);
	}
	cli_run_phase(&job->run, "write");
}

/* Apply a saved selection to a stream of rows. */
void select_apply(struct select_job *job)
{
	struct writing writing = begin_rows(job);
	struct worker workers[THREAD_MAX] = { 0 };
	struct cli_scan scan = { .name = settings.data_name,
				 .what = "applying",
				 .is_last = true,
				 .format = select_row_format() };
	const struct rows_visitor visitor = { .work = apply_rows,
					      .deliver = write_rows,
					      /* a block is a batch: not as input arrives */
					      .pause = settings.binary ? NULL : cli_flush_output,
					      .arg = &writing,
					      .pause_arg = &job->run.file[FILE_ROWS],
					      .users = workers,
					      .user_size = sizeof(*workers) };
	struct error err = { 0 };

	/* where NaN is a label of the binary form it cannot stand for a missing one */
	scan.format.label_optional =
		!settings.common.strict && !(settings.binary && settings.common.allow_nonfinite);
	writing.seen = mem_zeroed(job->map.chosen.n, sizeof(*writing.seen), &err);
	cli_check(writing.seen ? 0 : -1, &err);
	cli_run_scan(&job->run, &scan, &visitor);
	end_rows(&writing);
	if (writing.n_rows == 0)
		cli_remark("%s: no examples", settings.data_name);
	/* few chosen features occur: the rows may be of other data, or numbered differently */
	if (writing.n_rows > 0 && 2 * writing.n_seen < job->map.chosen.n)
		cli_remark("%" PRId64 " of %" PRId64 " chosen features have no value in these rows",
			   job->map.chosen.n - writing.n_seen, job->map.chosen.n);
	mem_free(writing.seen);
	for (int i = 0; i < settings.common.n_threads; i++)
		free_worker(&workers[i]);
	cli_run_phase(&job->run, "apply");
	report_file(job->run.report, "data", settings.data_name, &job->read);
}

/* ---- a model ---- */

void select_fold(struct select_job *job)
{
	struct linear_map map = selection_map_linear(&job->map);

	if (cli_given("-d") && settings.fold_features < map.n_features)
		cli_fail("-d: feature %" PRId64 " was chosen, and %" PRId64 " is less",
			 map.n_features, settings.fold_features);
	if (cli_given("-d"))
		map.n_features = settings.fold_features;
	cli_fold_model(settings.fold, &map, NULL, &job->run.file[FILE_ROWS]);
	cli_run_phase(&job->run, "fold");
	report_file(job->run.report, "data", settings.fold, NULL);
}

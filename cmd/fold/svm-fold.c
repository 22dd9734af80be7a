/*
 * svm-fold.c - the training or test part of a fold, lines as they are
 *
 * Plain and stratified folds are drawn row by row (evaluate/folds.h): one pass, each row is
 * written or left out as it comes.  The folds of svm-train depend on all labels, so the data are read
 * twice, the first time for their labels alone, and the bytes of a pipe are kept:
 *
 *     scan_data() -> note_labels() for each batch -> draw_folds() -> scan_data() again
 *
 * Folds by qid, and stratified ones of groups, are found in the same way; those by --groups alone
 * from that file, before the data are read.
 *
 * Text goes out byte for byte, from where the reader has the line.  Rows in binary form are encoded
 * again, with values of the size they had; where a stream joins parts of both sizes, each part is a
 * shard of its own (change_shard()).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common/names.h"
#include "common/read_rows.h"
#include "evaluate/folds.h"
#include "io/row_writer.h"

static struct settings {
	struct common_options common;
	int64_t n_folds, fold, svm_type;
	uint64_t seed;
	bool train, test, list, stratified, svm_train_order;
	const char *lines, *lines_output;
	const char *data_name, *output_name;
} settings = {
	.seed = 1,
	.data_name = "-",
	.output_name = "-",
};

/* Most folds: each class keeps an order of the folds, and a million of folds is no burden. */
#define FOLDS_MAX 1000000

static const struct cli_option options[] = {
	CLI_HEADING("Folds:"),
	CLI_INT('v', NULL, &settings.n_folds, 2, FOLDS_MAX, "N", "number of folds; must be given",
		.key = "folds"),
	CLI_INT('f', "fold", &settings.fold, 1, FOLDS_MAX, "I",
		"number of the fold to write or to leave out, 1 to N; must be given, but for --list"),
	CLI_FLAG(0, "train", &settings.train,
		 "write the training part: the rows of all other folds"),
	CLI_FLAG(0, "test", &settings.test, "write the test part: the rows of fold I"),
	CLI_FLAG(0, "stratified", &settings.stratified,
		 "deal the rows of each class evenly to the folds: their numbers differ by one at "
		 "most",
		 .not_with = "--svm-train-order"),
	CLI_SEED(0, "seed", &settings.seed, "N",
		 "start of the random numbers: same seed, same folds", .key = CLI_NO_KEY),
	CLI_FLAG(0, "list", &settings.list,
		 "write the number of its fold for each row, in place of rows",
		 .not_with = "-f --train --test"),
	COMMON_GROUPS(settings.common, " --svm-train-order"),
	CLI_FLAG(0, "svm-train-order", &settings.svm_train_order,
		 "use the folds of svm-train -v N; a file is read twice, a pipe is kept in memory"),
	CLI_INT('s', NULL, &settings.svm_type, 0, 4, "svm_type",
		"type of SVM, as svm-train's -s, which decides how svm-train draws its folds",
		.needs = "--svm-train-order", .key = "svm_type"),

	CLI_HEADING("Input and output:"),
	CLI_TEXT(0, "lines", &settings.lines, "FILE",
		 "take lines along with the rows: FILE has a line for each row, such as its weight",
		 .needs = "--lines-output", .not_with = "--list", .key = CLI_NO_KEY),
	CLI_TEXT(0, "lines-output", &settings.lines_output, "FILE",
		 "write the lines of the rows that are written to FILE", .needs = "--lines",
		 .key = CLI_NO_KEY),
	COMMON_OUTPUT(&settings.output_name, settings.common),
	COMMON_RUNNING(settings.common),
	COMMON_ROWS(settings.common),
	COMMON_FORCE(settings.common),
	CLI_END
};

static const struct cli_example examples[] = {
	{ "Training and test part of the third of ten folds",
	  "svm-fold -v 10 -f 3 --train --stratified heart_scale.gz train.gz\n"
	  "svm-fold -v 10 -f 3 --test --stratified heart_scale.gz test.gz" },
	{ "The test part that svm-train -v 5 has",
	  "svm-fold -v 5 -f 1 --test --svm-train-order heart_scale.gz test" },
	{ NULL, NULL }
};

static const struct cli_program program = {
	.name = "svm-fold",
	.arguments = "-v N -f I --train|--test [options] [data_file [output_file]]\n"
		     "-v N --list [options] [data_file [output_file]]",
	.purpose =
		"Divides rows into N folds at random and writes fold I, or all rows but these: for cross validation of several programs in a row. " COMMON_STREAMS,
	.options = options,
	.examples = examples,
};

/* Files that a run writes, by position in struct cli_run. */
enum { FILE_ROWS, FILE_LINES };

/* Rows chosen for a fold, as bytes to write. */
struct fold_rows {
	bool *wanted; /* which rows of a batch are wanted */
	int64_t wanted_capacity;
	struct byte_buffer bytes; /* bytes to write, of a batch */
	struct row_batch chosen;  /* room for the rows of a batch in binary form */
	struct row_writer to;	  /* writer of the open binary shard, or of text */
};

struct fold_job {
	struct cli_run run;
	struct feature_names lines; /* the file of --lines */
	struct drawn_folds drawn;
	int64_t n_rows, n_chosen;
	struct rows_checksum read, written; /* checksums for the report */
	struct fold_rows rows;		    /* rows of the fold, as they are being written */

	/* where folds depend on all rows: the rows' labels and groups, without features */
	struct dataset labels;
	int32_t *fold; /* fold of each row, from 0, once all rows are known */
	struct row_groups groups;
	struct row_groups qids; /* of the rows beside --groups, if all have one */
	int64_t n_groups;
	bool has_qid; /* some row has a qid */
};

static void check_options(void)
{
	if (settings.n_folds == 0)
		cli_refuse("-v is missing: how many folds?");
	if (settings.list)
		return;
	if (settings.fold == 0)
		cli_refuse("-f is missing: which fold?");
	if (settings.fold > settings.n_folds)
		cli_fail("-f: there is no fold %" PRId64 " of %" PRId64, settings.fold,
			 settings.n_folds);
	if (settings.train == settings.test)
		cli_refuse("either --train or --test");
}

/* ---- rows as they are written: lines as they are, or shards in binary form ---- */

/* End the open shard, if there is one, and begin one with values of 'value_size' bytes. */
static int change_shard(struct fold_rows *r, int value_size, struct error *err)
{
	const bool single = value_size == sizeof(float);

	if (r->to.binary && single == r->to.single)
		return 0;
	if (row_writer_end(&r->to, err) < 0)
		return -1;
	r->to = (struct row_writer){ .to = r->to.to, .binary = true, .single = single };
	return row_writer_begin(&r->to, err);
}

static int add_binary(struct fold_rows *r, const struct row_batch *batch, struct error *err)
{
	if (change_shard(r, batch->value_size, err) < 0 ||
	    row_batch_reserve(&r->chosen, batch->n_rows, batch->n_entries, false, err) < 0)
		return -1;
	for (int64_t i = 0; i < batch->n_rows; i++)
		if (r->wanted[i] && row_batch_copy_row(&r->chosen, batch, i, err) < 0)
			return -1;
	return row_writer_format(&r->to, &r->bytes, &r->chosen, err);
}

static int add_lines(struct fold_rows *r, const struct row_batch *batch, struct error *err)
{
	for (int64_t i = 0; i < batch->n_rows; i++) {
		const struct text_span *line = &batch->text[i].line;

		if (!r->wanted[i])
			continue;
		if (byte_buffer_reserve(&r->bytes, line->length + 1, err) < 0)
			return -1;
		byte_buffer_add(&r->bytes, line->start, line->length);
		byte_buffer_add(&r->bytes, "\n", 1);
	}
	return 0;
}

/* ---- writing ---- */

/* Mark the rows of a batch that are to be written; --list: append the number of each one's fold. */
static int choose_rows(struct fold_job *job, const struct row_batch *batch, struct error *err)
{
	struct fold_rows *r = &job->rows;
	char line[32];

	if (mem_grow(&r->wanted, &r->wanted_capacity, batch->n_rows, sizeof(bool), err) < 0)
		return -1;
	for (int64_t i = 0; i < batch->n_rows; i++) {
		const int64_t fold = job->fold ?
					     job->fold[job->n_rows + i] :
					     drawn_folds_next(&job->drawn, batch->label[i], err);

		if (fold < 0 || byte_buffer_reserve(&r->bytes, sizeof(line), err) < 0)
			return -1;
		if (settings.list)
			byte_buffer_add(&r->bytes, line, sprintf(line, "%" PRId64 "\n", fold + 1));
		r->wanted[i] = settings.list || (fold == settings.fold - 1) == settings.test;
		job->n_chosen += r->wanted[i];
	}
	return 0;
}

/* Update the report's numbers and checksums of rows read and written. */
static void count_rows(struct fold_job *job, const struct row_batch *batch)
{
	if (!job->run.report)
		return;
	rows_checksum_add(&job->read, (struct row_range){ batch, 0, batch->n_rows });
	for (int64_t i = 0; i < batch->n_rows && !settings.list; i++)
		if (job->rows.wanted[i])
			rows_checksum_add(&job->written, (struct row_range){ batch, i, 1 });
}

/* Write the lines of --lines for the wanted ones of n rows, as they are, each with its end. */
static int write_lines(const struct fold_job *job, int64_t n, struct error *err)
{
	const struct feature_names *lines = &job->lines;

	for (int64_t i = 0; i < n && job->n_rows + i < lines->n; i++) {
		const int64_t *start = lines->start + job->n_rows + i;

		if (job->rows.wanted[i] &&
		    cli_write(&job->run.file[FILE_LINES], lines->text.bytes + start[0],
			      start[1] - start[0], err) < 0)
			return -1;
	}
	return 0;
}

static int write_batch(struct fold_job *job, const struct row_batch *batch, struct error *err)
{
	const struct cli_output *to = &job->run.file[FILE_ROWS];
	struct fold_rows *r = &job->rows;

	r->bytes.size = 0;
	if (job->fold && batch->n_rows > job->labels.x.n_rows - job->n_rows)
		return settings.common.groups ?
			       error_set(err, ERR_FORMAT,
					 "%s: has more examples than %s has groups",
					 settings.data_name, settings.common.groups) :
			       error_set(err, ERR_FORMAT, "%s: was changed while it was read",
					 settings.data_name);
	if (choose_rows(job, batch, err) < 0)
		return -1;
	count_rows(job, batch);
	if (settings.common.groups && batch->has_qid)
		row_groups_add_qids(&job->qids, batch, settings.data_name, &(struct error){ 0 });
	if ((!settings.list &&
	     cli_written(to, (batch->has_text ? add_lines : add_binary)(r, batch, err), err) < 0) ||
	    write_lines(job, batch->n_rows, err) < 0)
		return -1;
	job->n_rows += batch->n_rows;
	return cli_written(to, row_writer_write(&r->to, &r->bytes, err), err);
}

/* ---- the folds of all rows ---- */

/* Do the rows have groups? */
static bool has_groups(void)
{
	return settings.common.groups || settings.common.by_qid;
}

/* Do folds depend on all rows, so that a first pass must read them? */
static bool needs_all_rows(void)
{
	return settings.svm_train_order || settings.common.by_qid ||
	       (settings.common.groups && settings.stratified);
}

static int note_labels(struct fold_job *job, const struct row_batch *batch, struct error *err)
{
	struct dataset *d = &job->labels;
	const int64_t n = d->x.n_rows;

	if (batch->n_rows == 0) /* arrays of an empty batch or data set may be NULL */
		return 0;
	if (mem_grow(&d->y, &d->labels_capacity, n + batch->n_rows, sizeof(*d->y), err) < 0)
		return -1;
	memcpy(d->y + n, batch->label, (size_t)batch->n_rows * sizeof(*d->y));
	d->x.n_rows += batch->n_rows;
	return settings.common.by_qid ?
		       row_groups_add_qids(&job->groups, batch, settings.data_name, err) :
		       0;
}

/* Folds are those of svm-train, or of groups, by classes if they are stratified. */
static void draw_folds(struct fold_job *job)
{
	const bool classifies = has_groups() ? settings.stratified : settings.svm_type < 2;
	const char *source = settings.common.groups ? settings.common.groups : settings.data_name;
	struct dataset *d = &job->labels;
	struct error err = { 0 };
	struct folds folds;
	struct glibc_rand draws;

	job->fold = mem_zeroed(d->x.n_rows, sizeof(*job->fold), &err);
	if (d->x.n_rows == 0) /* an empty part of the data has an empty part in each fold */
		return;
	if (!has_groups() && d->x.n_rows < settings.n_folds)
		cli_fail("%s: %" PRId64 " examples are not enough for %" PRId64 " folds", source,
			 d->x.n_rows, settings.n_folds);
	job->n_groups = job->groups.names.n;
	if (has_groups())
		row_groups_give(&job->groups, d);
	glibc_rand_seed(&draws, (unsigned)settings.seed);
	if (!job->fold || folds_of_data(&folds, d, (struct fold_draw){ settings.n_folds, &draws },
					classifies, &err) < 0)
		cli_fail("%s: %s", source, err.text);
	for (int64_t i = 0; i < folds.n; i++)
		for (int64_t k = folds.start[i]; k < folds.start[i + 1]; k++)
			job->fold[folds.row[k]] = (int32_t)i;
	folds_free(&folds);
}

/* ---- rows ---- */

static int deliver(void *arg, struct row_batch *batch, void *user UNUSED, struct error *err)
{
	struct fold_job *job = arg;

	job->has_qid |= batch->has_qid;
	if (needs_all_rows() && !job->fold)
		return note_labels(job, batch, err);
	return write_batch(job, batch, err);
}

/* Make one pass over the data. */
static void scan_data(struct fold_job *job)
{
	const struct rows_visitor visitor = { .deliver = deliver,
					      .pause = cli_flush_output,
					      .arg = job,
					      .pause_arg = &job->run.file[FILE_ROWS] };
	struct cli_scan scan = { .name = settings.data_name,
				 .what = "reading",
				 .is_last = job->fold || !needs_all_rows(),
				 .format = common_rows_options(&settings.common) };

	scan.format.keep_text = true;
	cli_run_scan(&job->run, &scan, &visitor);
}

/* Notes on what is probably not meant: no rows, no groups, parts without a class. */
static void remark(const struct fold_job *job)
{
	const int64_t n_small = drawn_folds_small_classes(&job->drawn);

	if (job->n_rows == 0)
		cli_remark("%s: no examples", settings.data_name);
	if (job->has_qid && !has_groups())
		cli_warn_qids(settings.data_name);
	if (job->qids.n > 0 && job->qids.n == job->n_rows)
		cli_warn_divided(
			&(struct row_groups){ .n = job->n_rows, .number = job->labels.group },
			job->qids.number, settings.common.groups, settings.data_name);
	if (n_small > 0)
		cli_remark("%" PRId64 " of %" PRId64
			   " classes have fewer rows than there are folds: "
			   "not every test part has one of them",
			   n_small, job->drawn.labels.n);
	if (job->n_rows > 0 && job->n_chosen == 0)
		cli_remark("no row of %" PRId64 " is in the %s part of fold %" PRId64, job->n_rows,
			   settings.test ? "test" : "training", settings.fold);
}

static void fold_data(struct fold_job *job)
{
	if (settings.lines)
		cli_read_lines(&job->lines, "file of lines", settings.lines);
	if (settings.common.groups)
		job->groups = cli_read_groups(settings.common.groups);
	if (needs_all_rows()) {
		scan_data(job);
		cli_check_lines(settings.common.groups, "groups", job->groups.n,
				job->labels.x.n_rows, settings.data_name);
	} else {
		job->labels.x.n_rows = job->groups.n;
	}
	if (has_groups() || needs_all_rows())
		draw_folds(job);
	scan_data(job);
	cli_check_lines(settings.lines, "lines", job->lines.n, job->n_rows, settings.data_name);
	cli_check_lines(settings.common.groups, "groups", job->labels.x.n_rows, job->n_rows,
			settings.data_name);
	remark(job);
}

/* ---- all together ---- */

static void report(const struct fold_job *job)
{
	struct report *data = report_file(job->run.report, "data", settings.data_name, &job->read);

	if (job->n_groups > 0)
		report_count(data, "groups", job->n_groups);
	if (!settings.list)
		report_file(job->run.report, "written", settings.output_name, &job->written);
}

int main(int argc, char **argv)
{
	struct fold_job job = { .run.passes.copies = true };
	struct error err = { 0 };

	cli_run_begin(&job.run, &program, &settings.common, argv);
	cli_parse_data(&program, argc, argv, &settings.data_name, &settings.output_name);
	check_options();
	cli_run_bound(&job.run, settings.output_name);
	job.drawn = (struct drawn_folds){ .seed = settings.seed,
					  .n_folds = settings.n_folds,
					  .stratified = settings.stratified };
	cli_run_reads(&job.run, settings.data_name, settings.common.groups, settings.lines);
	cli_run_writes(&job.run, FILE_ROWS, settings.output_name, "output file",
		       settings.list ? FILE_IS_OTHER : FILE_IS_ROWS);
	cli_run_writes(&job.run, FILE_LINES, settings.lines_output, "file of lines", FILE_IS_OTHER);
	cli_run_open(&job.run);
	job.rows.to.to = job.run.file[FILE_ROWS].output;
	report_seed(job.run.report, "seed", settings.seed);
	fold_data(&job);
	report(&job);
	/* end the binary form of the output, if there is one */
	cli_check(cli_written(&job.run.file[FILE_ROWS], row_writer_end(&job.rows.to, &err), &err),
		  &err);
	cli_run_commit(&job.run);
	row_groups_free(&job.groups);
	row_groups_free(&job.qids);
	mem_free_all(job.fold, job.rows.wanted, job.rows.bytes.bytes);
	row_batch_free(&job.rows.chosen);
	feature_names_free(&job.lines);
	dataset_free(&job.labels);
	drawn_folds_free(&job.drawn);
	return cli_run_end(&job.run);
}

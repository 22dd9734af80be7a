/*
 * select_rows.c - fs-select: features chosen; their rows, a list of them, a model of them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common/certificate_print.h"
#include "common/fold_model.h"
#include "common/read_rows.h"
#include "select.h"

/* job->map from the file of -r. */
static void restore(struct select_job *job)
{
	const struct selection *s = &job->map.chosen;
	struct error err = { 0 };

	if (input_load(selection_map_read, &job->map, settings.restore, &err) < 0)
		cli_fail_reading("selection file", settings.restore, &err);
	for (int64_t k = 0; settings.names && k < s->n; k++) {
		if (s->feature[k] > job->names.n)
			cli_fail("--names: %s has %" PRId64 " names, and feature %" PRId32
				 " was chosen",
				 settings.names, job->names.n, s->feature[k]);
		cli_check(feature_names_check(&job->names, settings.names, s->feature[k],
					      settings.restore,
					      feature_names_line(&job->map.kept, k + 1), &err),
			  &err);
	}
}

/* The map's text; an output_writer of the job. */
static int write_map(const void *arg, struct output *to, struct error *err)
{
	const struct select_job *job = arg;

	return selection_map_save(&job->map, &job->names, to, err);
}

static void read_rows(struct select_job *job)
{
	const struct rows_visitor visitor = { .deliver = labelled_rows_add, .arg = &job->rows };
	struct cli_scan scan = { .name = settings.data_name,
				 .what = "reading",
				 .is_last = true,
				 .format = common_rows_options(&settings.common) };

	scan.format.keep_text = !settings.binary;
	cli_run_scan(&job->run, &scan, &visitor);
	if (job->rows.data.x.n_rows == 0)
		cli_fail_input(settings.data_name,
			       &(struct error){ .code = ERR_ARGUMENT, .text = "no examples" });
	if (settings.row_weights)
		job->weighed_row = cli_weigh_rows(&job->rows.data, &job->weighed,
						  settings.row_weights, settings.data_name);
	cli_run_phase(&job->run, "read");
}

/* Warn of labels that are probably targets, where the method tells classes apart. */
static void remark_labels(const struct dataset *data)
{
	struct classes classes = { 0 };
	struct error err = { 0 };

	if (settings.how.regression || settings.how.unsupervised ||
	    classes_init(&classes, data, &err) < 0)
		return;
	if (classes_look_like_targets(&classes))
		cli_warn("warning: %s: %d classes in %" PRId64
			 " rows; for a regression say --regression",
			 settings.data_name, classes.n, classes.start[classes.n]);
	classes_free(&classes);
}

/* Note a choice by labels, which makes measures of the same rows too good; a list has no rows. */
static void remark_choice(void)
{
	const struct selector_method *method = &selector_methods[settings.how.method];
	const bool by_labels = method->labels || !settings.how.unsupervised;

	if (by_labels && settings.how.method != SELECT_UNIFORM && (settings.save || !settings.list))
		cli_remark(
			"the labels have chosen: -v, --permutations and --calibrate of these rows "
			"promise too much; choose by the training part of each fold");
}

/* ---- failures ---- */

/* Advice on options of fs-select that help against this failure. */
static const char *advice(enum selector_trouble trouble)
{
	const struct selector_options *o = &settings.how;

	switch (trouble) {
	case SELECTOR_LABELS_NO_CLASSES:
	case SELECTOR_TARGETS:
		return " (for targets say --regression, to look at no label --unsupervised -m bss)";
	case SELECTOR_ONE_CLASS:
		return "; say --unsupervised -m bss";
	case SELECTOR_MORE_CLASSES:
		return o->method == SELECT_T ? "; -m f takes several" : "; -m l1 takes several";
	case SELECTOR_NO_SUPPORT_VECTORS:
		return o->regression ?
			       ": values that are too large or too small for -p; scale them, or say "
			       "--unsupervised" :
			       ": values that are too large or too small for doubles; scale them, or say "
			       "--unsupervised";
	case SELECTOR_SPACE_TOO_LARGE:
		return o->unsupervised ? "; approx-bss does with less, or a supervised choice" :
					 "; approx-bss does with less";
	case SELECTOR_SKETCH_TOO_LARGE:
		return ": a smaller -T, or a larger -k";
	case SELECTOR_OTHER_TROUBLE:
		break;
	}
	return "";
}

/* ---- the methods: what they say at the end ---- */

static void remark_bss(const struct selector_result *s)
{
	const struct bss_report *b = &s->bss;

	/* features are no more than the rank: then half as many directions count */
	if (b->truncated)
		cli_warn("warning: the %" PRId64 " %s have rank %" PRId64
			 "; bss guarantees nothing for %" PRId64
			 " features. Take more than %" PRId64 ", or -m rfe%s",
			 s->n_rows, s->row ? "support vectors" : "rows", s->rank, s->n_wanted,
			 s->rank, s->row ? "" : ", which looks at the labels");
	if (b->all && !settings.common.quiet)
		cli_warn("only %" PRId64 " features occur in the %s: all of them are chosen, with "
			 "weight 1",
			 s->chosen.n, settings.how.unsupervised ? "rows" : "support vectors");
	if (!settings.common.verbose)
		return;
	cli_warn("%" PRId64 " features looked at, %" PRId64 " at most in a step; %" PRId64
		 " steps took one again, %" PRId64 " one that rounding spoilt",
		 b->n_visited, b->max_visited, b->n_again, b->n_forced);
	cli_warn("eigenvalues of sum w^2 v v' from %g to %g, bounds %g and %g", b->least,
		 b->largest, b->low, b->high);
}

static void remark_rrqr(const struct selector_result *s)
{
	if (settings.common.verbose)
		cli_warn("%" PRId64 " pivots, %" PRId64 " features beyond the rank", s->rank,
			 s->chosen.n - s->rank);
	if (s->n_empty > 0)
		cli_warn("warning: %" PRId64 " of the features that --beyond lapack takes have no "
			 "values in the rows that count",
			 s->n_empty);
}

static void remark_rfe(const struct selector_result *s)
{
	if (s->weightless)
		cli_warn("warning: all weights of %s's machine are 0, so the first features with "
			 "values are left",
			 select_method_names[settings.how.method]);
}

static void remark_lpsvm(const struct selector_result *s)
{
	const struct lpsvm_result *l = &s->lpsvm;

	if (!l->converged)
		cli_warn("warning: lpsvm ended with a relative gap of %g", l->gap);
	if (settings.common.verbose)
		cli_warn("nu = %g: %" PRId64 " features, objective between %g and %g", l->nu,
			 s->chosen.n, l->dual, l->primal);
}

static void remark_l1(const struct selector_result *s)
{
	if (!s->l1.converged)
		cli_warn("warning: LIBLINEAR ended at its limit of iterations: a larger -e, or "
			 "scaled values, would make the choice surer");
	if (!settings.common.verbose)
		return;
	cli_warn("C = %.17g: %" PRId64 " features have weights other than 0, after %d trainings",
		 s->l1.C, s->l1.n_weights, s->l1.n_trainings);
	if (s->l1.n_weights > s->chosen.n)
		cli_warn("no C was found with %" PRId64
			 ": those with the largest weights are taken",
			 s->n_wanted);
}

static void (*const remark_method[SELECT_N_METHODS])(const struct selector_result *s) = {
	[SELECT_BSS] = remark_bss, [SELECT_APPROX_BSS] = remark_bss, [SELECT_RRQR] = remark_rrqr,
	[SELECT_RFE] = remark_rfe, [SELECT_RMB] = remark_rfe,	     [SELECT_LPSVM] = remark_lpsvm,
	[SELECT_L1] = remark_l1,
};

/* ---- events of a choice ---- */

static void remark_size(const struct selector_result *s)
{
	const double epsilon = settings.how.epsilon;

	cli_warn("k = %" PRId64 " = rho / (sqrt(1 + E) - 1)^2 with the rank rho = %" PRId64
		 " (by the paper: 9 rho / E^2 = %" PRId64 ", and 36 rho / E^2 = %" PRId64
		 " for an error E of the squared margin)",
		 s->n_wanted, s->rank, sizes_of_paper(s->rank, 2 * epsilon),
		 sizes_of_paper(s->rank, epsilon));
	if (epsilon < 1 && settings.how.method == SELECT_BSS)
		cli_warn(
			"(for an error E of the squared margin rho / (1 - sqrt(1 - E))^2 = %" PRId64
			" suffice)",
			sizes_for_margin(s->rank, epsilon));
}

/* Note the number of features, if it is not the number wanted. */
static void remark_number(const struct selector_result *s)
{
	const bool draws = selector_methods[settings.how.method].takes & SELECTOR_SAMPLING &&
			   settings.how.sampling == SELECTOR_IID;

	/* remark_bss() has reported a bss that takes all features */
	if (settings.common.quiet || s->n_wanted == 0 || s->chosen.n == s->n_wanted || s->bss.all)
		return;
	cli_warn("%" PRId64 " features were chosen, not %" PRId64 "%s", s->chosen.n, s->n_wanted,
		 draws ? ": some were drawn again" : "");
}

static void tell_event(void *arg, enum selector_event event, const struct selector_result *s)
{
	struct select_job *job = arg;
	const bool verbose = settings.common.verbose;

	if (event == SELECTOR_TRAINING || event == SELECTOR_CHOOSING)
		cli_run_progress(&job->run, event == SELECTOR_TRAINING ? "training" : "choosing");
	else if (event == SELECTOR_TRAINED)
		cli_progress_end(&job->run.progress);
	else if (event == SELECTOR_ROWS && s->row) { /* else no SVM was trained */
		if (verbose)
			cli_warn("%" PRId64 " of %" PRId64 " rows are support vectors", s->n_rows,
				 s->n_rows_given);
		cli_run_phase(&job->run, "train");
	} else if (event == SELECTOR_SPACE && verbose)
		cli_warn("rank %" PRId64 " of %" PRId64 " rows and %" PRId64 " features%s", s->rank,
			 s->n_rows, s->n_columns, s->by_qr ? ", by QR" : "");
	else if (event == SELECTOR_SIZED && !settings.common.quiet)
		remark_size(s);
	else if (event == SELECTOR_SKETCHED && verbose)
		cli_warn(s->sketched ? "a sketch of %" PRId64 " rows" :
				       "no sketch: the rank is %" PRId64,
			 s->rank);
	else if (event == SELECTOR_SCORED && verbose)
		cli_warn("scores of %" PRId64 " features, which add up to the rank %" PRId64 "%s",
			 s->n_scored, s->rank, s->sketched ? ", about" : "");
	else if (event == SELECTOR_CHOSEN) {
		if (remark_method[settings.how.method])
			remark_method[settings.how.method](s);
		cli_progress_end(&job->run.progress);
		remark_number(s);
		if (s->chosen.n_tied > 0)
			cli_remark("the score of the last feature chosen is that of %" PRId64
				   " left out, but for rounding: a larger -k takes these too, and "
				   "-m bss and rrqr look at what features have together",
				   s->chosen.n_tied);
	}
}

static void show_round(void *arg, const struct randsvm_round *round)
{
	cli_progress_text(&((struct select_job *)arg)->run.progress,
			  "round %d, %" PRId64 " SVs, %" PRId64 " violators", round->number,
			  round->n_sv, round->n_violators);
}

static void show_progress(void *arg, int64_t done, int64_t total)
{
	struct cli_progress *progress = &((struct select_job *)arg)->run.progress;

	if (total > 0)
		cli_progress_text(progress, "%" PRId64 " of %" PRId64 " features", done, total);
	else
		cli_progress_text(progress, "%" PRId64 " features left", done);
}

/* ---- the report ---- */

static void report_method(struct report *report, const struct selector_result *s)
{
	const int method = settings.how.method;

	if (method == SELECT_BSS || method == SELECT_APPROX_BSS) {
		report_count(report, "rank", s->bss.dimension);
		report_count(report, "visited", s->bss.n_visited);
		report_count(report, "chosen_again", s->bss.n_again);
		report_number(report, "least_eigenvalue", s->bss.least);
		report_number(report, "largest_eigenvalue", s->bss.largest);
	} else if (method == SELECT_LEVERAGE || method == SELECT_APPROX_LEVERAGE ||
		   method == SELECT_TOP || method == SELECT_RRQR) {
		report_count(report, method == SELECT_RRQR ? "pivots" : "rank", s->rank);
	} else if (method == SELECT_LPSVM) {
		report_number(report, "nu", s->lpsvm.nu);
		report_number(report, "primal", s->lpsvm.primal);
		report_number(report, "dual", s->lpsvm.dual);
		report_number(report, "relative_gap", s->lpsvm.gap);
	} else if (method == SELECT_L1) {
		report_number(report, "cost", s->l1.C);
		report_count(report, "weights", s->l1.n_weights);
		report_count(report, "trainings", s->l1.n_trainings);
		report_flag(report, "converged", s->l1.converged);
	}
}

/* ---- choosing ---- */

/*
 *  (1) read_rows() keeps the rows in memory with the text of their labels, so that they can be
 *      written as they were read; and gives them the weights of -W.  Rows of weight 0 are no rows
 *      to choose by, but are written, so that files that have a line for each row still fit.
 *  (2) choose() is selector_run() of the library.  Its observations on the way become lines,
 *      progress and keys of the report.
 *  (3) The map adds how the choice is applied: weights, new numbers.
 *  (4) certify() prints what the choice does to the margin and the radius of the rows.
 */

static void choose(struct select_job *job)
{
	const struct selector_observer observer = { tell_event, show_round, show_progress, job };
	const struct dataset *data = job->weighed_row ? &job->weighed : &job->rows.data;
	struct report *report;
	struct error err = { 0 };

	if (settings.why_method && !settings.common.quiet)
		cli_warn("method: %s", settings.why_method);
	remark_labels(data);
	if (selector_run(&job->choice, data, &settings.how, &observer, &err) < 0)
		cli_fail("%s: %s%s",
			 job->choice.trouble == SELECTOR_SKETCH_TOO_LARGE ? "-k" :
									    settings.data_name,
			 err.text, advice(job->choice.trouble));
	remark_choice();
	for (int64_t k = 0; job->weighed_row && job->choice.row && k < job->choice.n_rows; k++)
		job->choice.row[k] = job->weighed_row[job->choice.row[k]];
	cli_run_phase(&job->run, "choose");
	report = report_object(job->run.report, "selection");
	report_count(report, "rows_chosen_by", job->choice.n_rows);
	report_method(report, &job->choice);
	report_count(report, "wanted", job->choice.n_wanted);
	report_count(report, "features", job->choice.chosen.n);
}

static void certify(struct select_job *job)
{
	const struct selection *s = &job->map.chosen;
	struct reduction_certificate c;
	struct error err = { 0 };

	if (!settings.how.whole_space)
		return;
	cli_run_progress(&job->run, "certifying");
	if (reduction_certify_features(&c, &job->choice.space, s->feature,
				       job->map.rescale ? s->weight : NULL, s->n, &err) < 0)
		cli_fail("--certificate: %s", cli_error(&err));
	cli_progress_end(&job->run.progress);
	fprintf(job->run.info, "rows = %" PRId64 ", rank = %" PRId64 ", features = %" PRId64 "\n",
		job->choice.n_rows, c.rank, s->n);
	reduction_print(job->run.info, &c, "features");
	reduction_report(job->run.report, &c);
	cli_run_phase(&job->run, "certify");
}

/* Read the rows and choose features of them, which job->map then holds. */
static void choose_features(struct select_job *job)
{
	const struct dataset *d = &job->rows.data;
	struct error err = { 0 };
	struct row_batch all;
	struct report *data;

	read_rows(job);
	if (settings.names) {
		const struct named_features features = { d->max_index, csr_has_column_0(&d->x),
							 false, "the data count" };

		named_features_fit(&job->names, settings.names, &features);
	}
	choose(job);
	/* the map of the choice and of the way it is applied, for -s to save */
	job->map = (struct selection_map){
		.method = settings.how.method,
		.rescale = settings.rescale ||
			   (selector_methods[settings.how.method].weighs && !settings.no_rescale),
		.renumber = settings.renumber,
		.chosen = job->choice.chosen,
	};
	job->choice.chosen = (struct selection){ 0 };
	cli_check(selection_index_init(&job->map.index, &job->map.chosen, &err), &err);
	certify(job);
	all = csr_as_batch(&d->x, d->y);
	if (job->run.report)
		rows_checksum_add(&job->read, (struct row_range){ &all, 0, all.n_rows });
	data = report_file(job->run.report, "data", settings.data_name, &job->read);
	report_count(data, "classes", job->choice.n_classes);
}

/* Scratch memory of a thread. */
struct worker {
	struct row_batch chosen;
	struct byte_buffer bytes;
};

static void free_worker(struct worker *w)
{
	row_batch_free(&w->chosen);
	mem_free(w->bytes.bytes);
}

static int apply_rows(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	const struct select_job *job = arg;
	struct worker *w = user;

	if (selection_map_apply(&job->map, (struct row_range){ batch, 0, batch->n_rows },
				&w->chosen, err) < 0)
		return -1;
	return row_writer_format(&job->writer, &w->bytes, &w->chosen, err);
}

static int write_rows(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	struct select_job *job = arg;
	struct worker *w = user;

	if (!settings.common.allow_nonfinite &&
	    (row_batch_check_mapped(batch, &w->chosen, job->n_written,
				    "a value times the weight of its feature is too large",
				    err) < 0 ||
	     row_writer_check_labels(&job->writer, batch, job->n_written, err) < 0))
		return -1;
	job->has_qid |= batch->has_qid;
	job->n_written += batch->n_rows;
	/* once half of them are seen there is nothing to remark on, and no more rows are looked at */
	if (job->seen && 2 * job->n_seen < job->map.chosen.n)
		job->n_seen += selection_see(&job->map.index, batch->index, batch->value,
					     batch->n_entries, job->seen);
	if (settings.common.report) {
		rows_checksum_add(&job->read, (struct row_range){ batch, 0, batch->n_rows });
		rows_checksum_add(&job->written,
				  (struct row_range){ &w->chosen, 0, w->chosen.n_rows });
	}
	return cli_written(&job->run.file[FILE_ROWS],
			   row_writer_write(&job->writer, &w->bytes, err), err);
}

/* Fail if the rows' writer has: row_writer_begin() and row_writer_end() return 'ret'. */
static void check_writer(const struct select_job *job, int ret, struct error *err)
{
	if (cli_written(&job->run.file[FILE_ROWS], ret, err) < 0)
		cli_fail_input(settings.data_name, err);
}

static void begin_rows(struct select_job *job)
{
	struct error err = { 0 };

	job->writer = (struct row_writer){ .to = job->run.file[FILE_ROWS].output,
					   .binary = settings.binary,
					   .digits = (int)settings.digits };
	check_writer(job, row_writer_begin(&job->writer, &err), &err);
}

static void end_rows(struct select_job *job)
{
	struct error err = { 0 };

	if (settings.binary && job->has_qid)
		cli_note_lost_qids(settings.data_name);
	check_writer(job, row_writer_end(&job->writer, &err), &err);
}

#define ROWS_AT_ONCE 4096

/* Write the rows in memory: all of them, or the support vectors. */
static int write_kept_rows(struct select_job *job, struct error *err)
{
	const int64_t *row = settings.rows == ROWS_SV ? job->choice.row : NULL;
	int64_t n = row ? job->choice.n_rows : job->rows.data.x.n_rows;
	struct row_batch rows = { 0 };
	struct worker w = { 0 };
	int ret = 0;

	for (int64_t first = 0; first < n && ret == 0; first += ROWS_AT_ONCE) {
		int64_t count = int64_min(n - first, ROWS_AT_ONCE);

		ret = labelled_rows_batch(&rows, &job->rows, row, first, count, err);
		if (ret == 0)
			ret = apply_rows(job, &rows, &w, err);
		if (ret == 0)
			ret = write_rows(job, &rows, &w, err);
	}
	row_batch_free(&rows);
	free_worker(&w);
	return ret;
}

/* --list: index, weight and score of each feature. */
static void write_list(struct select_job *job)
{
	struct byte_buffer text = { 0 };
	struct error err = { 0 };

	cli_check(selection_map_list(&job->map, &job->names, &text, &err), &err);
	cli_check(cli_write(&job->run.file[FILE_ROWS], text.bytes, text.size, &err), &err);
	mem_free(text.bytes);
}

/* The list, or the rows in memory: all rows, or support vectors. */
static void write_chosen(struct select_job *job)
{
	struct error err = { 0 };

	if (settings.list) {
		write_list(job);
	} else {
		begin_rows(job);
		if (write_kept_rows(job, &err) < 0)
			cli_fail_input(settings.data_name, &err);
		end_rows(job);
	}
	cli_run_phase(&job->run, "write");
}

/* Apply a saved selection to a stream of rows. */
static void apply_choice(struct select_job *job)
{
	struct worker workers[THREAD_MAX] = { 0 };
	struct cli_scan scan = { .name = settings.data_name,
				 .what = "applying",
				 .is_last = true,
				 .format = common_rows_options(&settings.common) };
	const struct rows_visitor visitor = { .work = apply_rows,
					      .deliver = write_rows,
					      /* a block is a batch: not as input arrives */
					      .pause = settings.binary ? NULL : cli_flush_output,
					      .arg = job,
					      .pause_arg = &job->run.file[FILE_ROWS],
					      .users = { workers, sizeof(*workers) } };

	scan.format.keep_text = !settings.binary;
	/* where NaN is a label of the binary form it cannot stand for a missing one */
	scan.format.label_optional =
		!settings.common.strict && !(settings.binary && settings.common.allow_nonfinite);
	begin_rows(job);
	job->seen = cli_zeroed(job->map.chosen.n, sizeof(*job->seen));
	cli_run_scan(&job->run, &scan, &visitor);
	end_rows(job);
	if (job->n_written == 0)
		cli_remark("%s: no examples", settings.data_name);
	/* few chosen features occur: the rows may be of other data, or numbered differently */
	if (job->n_written > 0 && 2 * job->n_seen < job->map.chosen.n)
		cli_remark("%" PRId64 " of %" PRId64 " chosen features have no value in these rows",
			   job->map.chosen.n - job->n_seen, job->map.chosen.n);
	mem_free(job->seen);
	for (int i = 0; i < settings.common.n_threads; i++)
		free_worker(&workers[i]);
	cli_run_phase(&job->run, "apply");
	report_file(job->run.report, "data", settings.data_name, &job->read);
}

/* ---- a model ---- */

/* Convert a model of the chosen features to one of all features; reads no data. */
static void fold(struct select_job *job)
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

/* ---- all of it ---- */

void select_run(struct select_job *job)
{
	struct report *map;

	if (settings.names)
		cli_read_lines(&job->names, "names file", settings.names);
	if (!settings.restore) {
		choose_features(job);
		write_chosen(job);
	} else {
		restore(job);
		if (settings.fold)
			fold(job);
		else if (settings.list)
			write_list(job);
		else
			apply_choice(job);
	}
	cli_save(&job->run.file[FILE_CHOICE], write_map, job);
	map = report_object(job->run.report, "map");
	report_text(map, "method", select_method_names[job->map.method]);
	report_count(map, "features", job->map.chosen.n);
	report_flag(map, "rescaled", job->map.rescale);
	report_flag(map, "renumbered", job->map.renumber);
	report_map_checksum(map, write_map, job);
	if (!settings.list && !settings.fold)
		report_file(job->run.report, "written", settings.output_name,
			    settings.digits ? NULL : &job->written);
	cli_run_commit(&job->run);
}

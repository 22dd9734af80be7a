/*
 * randsvm-grid.c - LIBSVM's grid.py as one program: the best C and gamma, by cross validation
 *
 * main() reads the command line and the data; then
 *
 *     search_points()   finds the rates of all points, and with --refine those around the best
 *     grid_nested()     says what the choice achieves on rows that it has not seen
 *     train_choice()    trains at the point chosen
 *
 * Lines of points and the last line go to standard output, as grid.py's do; what training prints
 * goes to standard error, so that the last line stays the last.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/decimal.h"
#include "common/picture.h"
#include "grid.h"

/* Defaults of grid.py. */
struct grid_settings grid = {
	.log2c = "-5,15,2",
	.log2g = "3,-15,-2",
	.log2p = "null",
	.log2n = "null",
	.shard_number = 1,
	.n_shards = 1,
};

static const struct cli_option options[] = {
	CLI_HEADING("The grid:"),
	CLI_TEXT(0, "log2c", &grid.log2c, "BEGIN,END,STEP", "values of log2 C; or null: C is -c",
		 .single_dash = true, .otherwise = "-5,15,2"),
	CLI_TEXT(0, "log2g", &grid.log2g, "BEGIN,END,STEP",
		 "values of log2 gamma; or null: gamma is -g", .single_dash = true,
		 .otherwise = "3,-15,-2"),
	CLI_INT('v', NULL, &given.n_folds, INT_MIN, INT_MAX, "n",
		"number of folds of the cross validation", .key = "folds"),
	CLI_TEXT(0, "out", &grid.out, "FILE",
		 "file that gets a line for each point, as soon as it is known; or null: none",
		 .single_dash = true, .otherwise = "name of the data with .out", .key = CLI_NO_KEY),
	CLI_TEXT(0, "png", &grid.png, "FILE",
		 "picture of the rates, by gnuplot, named .png, .svg, .pdf or .eps; or null: none",
		 .single_dash = true, .otherwise = "name of the data with .png", .key = CLI_NO_KEY),
	PICTURE_SIZE(NULL),
	CLI_TEXT(
		0, "resume", &grid.resume, "FILE",
		"take the points of a file that -out or grid.py wrote, and compute only the others; "
		"FILE may be left out where it is the default of -out",
		.single_dash = true, .implied = "", .otherwise = "", .key = CLI_NO_KEY),
	CLI_TEXT(0, "svmtrain", &grid.svmtrain, "FILE",
		 "not used: no other program is started to train", .single_dash = true,
		 .otherwise = "", .key = CLI_NO_KEY),
	CLI_TEXT(0, "gnuplot", &grid.gnuplot, "FILE",
		 "null: no picture; else not used: gnuplot is the one in PATH", .single_dash = true,
		 .otherwise = "", .key = CLI_NO_KEY),

	CLI_HEADING("Options of svm-train:"),
	TRAIN_MACHINE,
	COMMON_QUIET(given.common),

	CLI_HEADING("What is searched:"),
	CLI_TEXT(0, "log2p", &grid.log2p, "BEGIN,END,STEP",
		 "values of log2 epsilon, the -p of epsilon-SVR", .single_dash = true,
		 .otherwise = "null"),
	CLI_TEXT(0, "log2n", &grid.log2n, "BEGIN,END,STEP",
		 "values of log2 nu, the -n of nu-SVC, one-class SVM, and nu-SVR; up to 0",
		 .single_dash = true, .otherwise = "null"),
	CLI_CHOICE(
		0, "measure", &grid.measure, grid_measure_names, "NAME",
		"which rate decides\n"
		"accuracy -- per cent of rows predicted right\n"
		"balanced -- mean of the classes' accuracies, in per cent\n"
		"auc -- area under the curve; of several classes the mean of each against the rest\n"
		"f1 -- F1 of the larger label; of several classes the mean of their F1\n"
		"mse -- mean squared error: less is better\n"
		"rho -- squared correlation coefficient\n"
		"log-loss -- of the probabilities (needs -b 1): less is better",
		.otherwise = "accuracy; mse for -s 3 and -s 4"),
	CLI_FLAG(0, "refine", &grid.refine,
		 "then search a finer grid around the best point, by an eighth of the step",
		 .not_with = "--shard --merge"),
	CLI_FLAG(0, "one-se", &grid.one_se,
		 "choose the smoothest point, of the smallest C and then of the smallest gamma, "
		 "among those within a standard error of the best",
		 .not_with = "--shard --race"),
	CLI_INT(0, "nested", &grid.n_outer, 2, 1e6, "N",
		"after the search tell what its choice achieves on rows that it has not seen, by an "
		"outer cross validation of N folds, each with a search of its own",
		.otherwise = "", .not_with = "--shard --merge"),
	CLI_FLAG(
		0, "race", &grid.race,
		"give up a point after half of its folds if it would stay behind the best one even "
		"though all other rows were predicted right; the best point is the same"),
	TRAIN_MULTICLASS,
	TRAIN_LOSS,
	TRAIN_ROW_WEIGHTS,
	COMMON_GROUPS(given.common, ""),

	CLI_HEADING("Results:"),
	CLI_TEXT(
		0, "model", &grid.model, "FILE",
		"train at the point chosen on all rows, with its certificate, and write the model, "
		"the one that randsvm-train writes",
		.not_with = "--shard", .key = CLI_NO_KEY),
	CLI_TEXT(0, "table", &grid.table, "FILE",
		 "write all points with their standard errors and seconds, in columns",
		 .key = CLI_NO_KEY),
	COMMON_FORCE(given.common),

	CLI_HEADING("Many machines:"),
	CLI_TEXT(0, "shard", &grid.shard, "I/N",
		 "evaluate share I of N of the values of gamma; the file of -out is named for it",
		 .otherwise = "1/1"),
	CLI_FLAG(0, "merge", &grid.merge,
		 "join files of -out, which are given instead of training_set_file, and print the "
		 "best of all points",
		 .not_with = "--shard -resume --race"),
	CLI_TEXT(0, "data", &grid.data, "FILE", "training_set_file for --model, with --merge",
		 .needs = "--merge", .key = CLI_NO_KEY),

	CLI_HEADING("How to run:"),
	COMMON_THREADS(given.common),
	COMMON_MEMORY(given.common),
	CLI_SEED(0, "seed", &given.machine.options.seed, "N",
		 "start of the random numbers that draw the folds: 1 draws those of svm-train -v",
		 .key = CLI_NO_KEY),
	CLI_REAL(
		0, "time-limit", &given.time_limit, 1e-6, 1e9, "S",
		"end the search after about S seconds, as the first Ctrl-C does: the best point so "
		"far is printed, and with --model trained"),
	COMMON_REPORT(given.common),
	COMMON_PROGRESS(given.common),
	COMMON_VERBOSE(given.common),

	CLI_HEADING("Input:"),
	COMMON_ROWS(given.common),
	CLI_END
};

static const struct cli_example examples[] = {
	{ "Search C and gamma, and train at the best point",
	  "randsvm-grid --model heart.model heart_scale.gz" },
	{ "Go on after an interrupt", "randsvm-grid -resume heart_scale.gz.out heart_scale.gz" },
	{ "A linear kernel has C alone", "randsvm-grid -t 0 -log2c -7,3,2 a9a.gz" },
	{ "By the area under the curve, and an honest estimate",
	  "randsvm-grid --measure auc --nested 3 -log2c -1,5,2 heart_scale.gz" },
	{ NULL, NULL }
};

static struct cli_program program = {
	.name = "randsvm-grid",
	.arguments = "[options] training_set_file\n[options] --merge results_file...",
	.purpose = "Searches the parameters of a support vector machine on a grid by cross "
		   "validation, as LIBSVM's grid.py does, in one program. Files may be compressed "
		   "by gzip; \"-\" is standard input.",
	.options = options,
	.examples = examples,
	.min_arguments = 1,
	.like_svm_train = true,
};

/* A run of the program. */
struct grid_job {
	struct training_job training;
	struct grid_axis axes[N_AXES];
	struct grid_search search;
	struct grid_display display;
	char head[1024];
	bool interrupted;
};

/* ---- the command line ---- */

static void check_shard(void)
{
	int end = 0;

	if (!grid.shard)
		return;
	if (sscanf(grid.shard, "%" SCNd64 "/%" SCNd64 "%n", &grid.shard_number, &grid.n_shards,
		   &end) != 2 ||
	    grid.shard[end] || grid.shard_number < 1 || grid.shard_number > grid.n_shards)
		cli_refuse("--shard: expected I/N, 1 <= I <= N, got '%.40s'", grid.shard);
}

static bool is_null(const char *text)
{
	return text && strcmp(text, "null") == 0;
}

/* Choose the measure unless it is given; refuse one that does not fit. */
static void check_measure(void)
{
	const enum machine_type type = (enum machine_type)given.svm_type;
	const bool of_values = grid.measure == MEASURE_MSE || grid.measure == MEASURE_RHO;
	const char *name = grid_measure_names[grid.measure];

	if (!cli_given("--measure")) {
		grid.measure = machine_is_regression(type) ? MEASURE_MSE : MEASURE_ACCURACY;
		return;
	}
	if (of_values != machine_is_regression(type))
		cli_refuse("--measure %s is for %s", name,
			   of_values ? "-s 3 and -s 4, regressions" : "-s 0, 1 and 2");
	if (grid.measure == MEASURE_LOG_LOSS && (!given.probability || type == MACHINE_ONE_CLASS))
		cli_refuse("--measure log-loss needs -b 1, and -s 0 or -s 1");
}

/* Names of the files that are not given; NULL: not wanted. */
static void name_files(const char *data)
{
	const char *const ending = grid.shard ? FORMATTED(64, ".%" PRId64 "of%" PRId64 ".out",
							  grid.shard_number, grid.n_shards) :
						".out";

	if (grid.resume && !*grid.resume)
		grid.resume = train_name_after(data, ending);
	if (!grid.out && !grid.merge)
		grid.out = train_name_after(data, ending);
	if (!grid.png && !grid.merge && !grid.shard && !is_null(grid.gnuplot) && picture_can_draw())
		grid.png = train_name_after(data, ".png");
	if (is_null(grid.out))
		grid.out = NULL;
	if (is_null(grid.png) || is_null(grid.gnuplot))
		grid.png = NULL;
	if (grid.out && strcmp(grid.out, "-") == 0)
		cli_refuse("-out: a file has to have a name: the points are on standard output");
	if (grid.png && !picture_terminal(grid.png))
		cli_refuse("-png: '%s' does not end in .png, .svg, .pdf or .eps", grid.png);
	if (grid.png)
		picture_need_gnuplot(grid.png);
}

/*
 * Refuse options that do not go together; choose the measure, and the names of files that are not
 * given.  Returns the names behind the options.
 */
static char **check_arguments(struct grid_job *job, int argc, char **argv)
{
	static const char *const of_data[] = { "--model", "-W", "--groups", "--by-qid" };
	int first = cli_parse(&program, argc, argv);

	if (given.n_folds < 2)
		cli_refuse("n-fold cross validation: n must >= 2");
	if (!grid.merge)
		cli_allow_names(argv + first, argc - first, 1);
	for (int k = 0; grid.merge && !grid.data && k < N_ELEMENTS(of_data); k++)
		if (cli_given(of_data[k]))
			cli_refuse("%s needs --data with --merge", of_data[k]);
	given.data_name = grid.merge ? grid.data : argv[first];
	given.data_name = cli_name_data(&job->training.run, &given.data, &given.data_name, 1);
	train_check_options();
	grid_axes_make(job->axes);
	check_measure();
	if (grid.race && (grid.measure == MEASURE_AUC || grid.measure == MEASURE_RHO ||
			  grid.measure == MEASURE_LOG_LOSS))
		cli_refuse("--race is not for --measure %s, which half of the rows do not bound",
			   grid_measure_names[grid.measure]);
	check_shard();
	name_files(grid.merge ? argv[first] : given.data_name);
	if (grid.svmtrain && !given.common.quiet)
		cli_note("-svmtrain has no effect: randsvm-grid trains itself");
	if (grid.gnuplot && !is_null(grid.gnuplot) && !given.common.quiet)
		cli_note("-gnuplot has no effect: the gnuplot in PATH draws");
	return argv + first;
}

/* ---- files ---- */

/* Files that only a search writes, by position in struct cli_run. */
enum { FILE_TABLE = FILE_MODEL + 1, FILE_PICTURE, FILE_RESULTS };

static void open_files(struct grid_job *job)
{
	struct cli_run *run = &job->training.run;

	cli_run_reads(run, given.row_weights, given.common.groups);
	cli_run_writes(run, FILE_MODEL, grid.model, "model", FILE_IS_MODEL);
	cli_run_writes(run, FILE_TABLE, grid.table, "table", FILE_IS_OTHER)->saved = false;
	cli_run_writes(run, FILE_PICTURE, grid.png, "picture", FILE_IS_OTHER)->saved = false;
	/* added to point by point: see grid_file_open() */
	cli_run_writes(run, FILE_RESULTS, grid.out, "results", FILE_IS_OTHER);
	cli_run_name(run);
	job->display.info = run->info;
	/* svm-train's lines, beside grid.py's */
	run->info = stderr;
	cli_open_outputs(run->file, FILE_RESULTS);
}

/* ---- the search ---- */

static void read_data(struct grid_job *job)
{
	struct training_job *t = &job->training;
	const struct grid_axis *third = &job->axes[AXIS_THIRD];
	struct machine_given asked;

	read_training_rows(t);
	asked = train_asked();
	/* the smallest nu is the one that fits the classes, if any does */
	if (third->searched && grid_parameter(AXIS_THIRD)->letter == 'n')
		asked.training.nu =
			fmin(1, exp2(fmin(third->begin, grid_axis_value(third, third->n - 1))));
	check_problem(t, &asked);
	report_data(t);
	grid_file_head(job->head, sizeof(job->head), job->axes, &t->data);
}

/*
 * Order as a run over all axes tells the points; others come behind.  Returns how many are points
 * of the axes.
 */
static int64_t sort_points(struct grid_points *p, const struct grid_axis *a)
{
	struct grid_points sorted = { 0 };
	struct grid_place *place;
	int n = grid_columns(a, &place);
	int64_t n_on_axes;

	for (int k = 0; k < n; k++)
		for (int i = 0; i < a[AXIS_C].n; i++) {
			const struct grid_point *point;
			double at[N_AXES];

			grid_axes_at(a, place[k], i, at);
			point = grid_points_find(p, at);
			if (point)
				grid_points_add(&sorted, point);
		}
	n_on_axes = sorted.n;
	for (int64_t i = 0; i < p->n; i++)
		if (!grid_points_find(&sorted, p->point[i].at))
			grid_points_add(&sorted, &p->point[i]);
	mem_free(place);
	grid_points_free(p);
	*p = sorted;
	return n_on_axes;
}

/* Read the points of -resume or --merge, and open the file of -out, or go on with it. */
static void take_points(struct grid_job *job, char **names)
{
	const bool added_to = grid.out && grid.resume && cli_same_file(grid.resume, grid.out);
	struct grid_points *points = &job->search.points;
	const int64_t n = grid_n_points(job->axes);
	struct grid_kept kept = { 0 };

	/* nothing is added to it between reading and writing */
	if (added_to)
		grid_file_open(&job->display.file, grid.out, true);
	if (grid.resume)
		kept = grid_file_read(grid.resume, job->axes, points, job->head, sizeof(job->head));
	for (; grid.merge && *names; names++)
		grid_file_read(*names, job->axes, points, job->head, sizeof(job->head));
	/* of points of another grid the options do not tell how many there should be */
	if (grid.merge && sort_points(points, job->axes) == points->n && points->n < n)
		cli_warn("warning: %" PRId64 " of %" PRId64 " points of the grid of these "
			 "options are in no file",
			 n - points->n, n);
	job->display.points = points;
	job->display.progress = &job->training.run.progress;
	for (int64_t i = 0; i < points->n; i++)
		grid_told(&job->display, &points->point[i], NULL);
	if (!grid.out)
		return;
	if (!added_to)
		grid_file_open(&job->display.file, grid.out, false);
	grid_file_begin(&job->display.file, added_to ? &kept : &(struct grid_kept){ 0 }, job->head,
			points);
}

static void search_points(struct grid_job *job)
{
	struct training_job *t = &job->training;
	struct error err = { 0 };
	int ret;

	bound_training(t);
	/* points are rated by our solvers alone; the model of the best may be LIBSVM's */
	need_memory(t, grid.model && t->machine.direct_reason);
	job->search.machine = &t->machine;
	job->search.display = &job->display;
	job->search.progress = &t->run.progress;
	if (grid.n_outer > 0 && t->data.group)
		grid_check_nested(&job->search);
	cli_note_interrupts(true);
	cli_run_progress(&t->run, "searching");
	job->search.share = 1 / (1 + (double)grid.n_outer);
	ret = grid_search_all(&job->search, job->axes, &err);
	if (ret == 0 && grid.n_outer > 0)
		ret = grid_nested(&job->search, job->axes, t->run.report, job->display.info, &err);
	cli_progress_end(&t->run.progress);
	if (ret != 0 && err.code != ERR_INTERRUPTED)
		cli_fail("%s", err.text);
	job->interrupted = ret != 0;
	if (job->interrupted)
		cli_warn("warning: %s%s",
			 cli_interrupted() ? "interrupted" : "reaching the time limit",
			 grid_points_best(&job->search.points, NULL) ?
				 ": the best point so far is chosen" :
				 "");
	cli_run_phase(&t->run, "search");
}

/* ---- results ---- */

static void write_table(const struct grid_points *p, const struct cli_output *to)
{
	const bool with_p = grid_parameter(AXIS_THIRD)->letter == 'p';
	struct output *out = to->output;
	struct error err = { 0 }; /* a failed write is reported when the output is committed */

	output_printf(out, &err,
		      "log2c\tlog2g\tlog2p\tlog2n\trate\tstandard_error\tseconds\tunfinished\t"
		      "outcome\n");
	for (int64_t i = 0; i < p->n; i++) {
		const struct grid_point *point = &p->point[i];
		const double third = point->at[AXIS_THIRD];
		const double cell[] = { point->at[AXIS_C],
					point->at[AXIS_GAMMA],
					with_p ? third : NAN,
					with_p ? NAN : third,
					point->rate,
					point->error,
					decimal_read_back(point->seconds, GRID_DIGITS) };

		for (int k = 0; k < N_ELEMENTS(cell); k++)
			output_printf(out, &err, "%s\t",
				      isnan(cell[k]) ? "" : DECIMAL_TEXT(cell[k]));
		output_printf(out, &err, "%" PRId64 "\t%s\n", point->n_unfinished,
			      point->resumed && point->outcome == GRID_RATED ?
				      "resumed" :
				      grid_outcome_names[point->outcome]);
	}
}

/* Train on all rows at the point chosen, as randsvm-train does, and write the model. */
static void train_choice(struct training_job *job, const struct grid_point *choice)
{
	struct machine_given asked = train_asked();

	asked.training = grid_training_at(&asked.training, choice->at);
	machine_free(&job->machine);
	init_machine(job, &asked);
	/* the interrupt and the time limit have ended the search: the model gets its time */
	cli_answer_interrupt();
	job->deadline = INFINITY;
	train_job(job);
	write_model(job);
	report_text(job->run.report, "model_file", job->run.file[FILE_MODEL].name);
	cli_run_phase(&job->run, "write");
}

_Noreturn static void fail_without_choice(const struct grid_job *job)
{
	const struct grid_points *p = &job->search.points;
	int64_t n_rated = 0;

	for (int64_t i = 0; i < p->n; i++)
		n_rated += p->point[i].outcome == GRID_RATED;
	if (n_rated > 0)
		cli_fail(
			"no point has a rate: of these labels and their predictions there is no %s",
			grid_measure_names[grid.measure]);
	if (job->interrupted)
		cli_fail("no point has a rate: the search ended before the first");
	cli_fail("no point has a rate");
}

/* Print the choice, and make of it all that is wanted. */
static void finish_points(struct grid_job *job)
{
	struct training_job *t = &job->training;
	const struct grid_points *p = &job->search.points;
	const struct grid_point *choice = grid_points_choice(p);
	struct report *array;

	if (job->display.n_failed > 0)
		cli_warn("warning: %" PRId64 " points cannot be trained; the first: %s",
			 job->display.n_failed, job->display.first_reason);
	if (choice)
		grid_print_choice(job->display.info, choice);
	else if (!grid.shard)
		fail_without_choice(job);
	if (grid.one_se && choice && isnan(choice->error))
		cli_remark("--one-se: the best point has no standard error, and is chosen itself");
	cli_flush(job->display.info);
	report_text(t->run.report, "measure", grid_measure_names[grid.measure]);
	report_flag(t->run.report, "interrupted", job->interrupted);
	if (choice)
		grid_report_point(choice, report_object(t->run.report, "choice"));
	array = report_array(t->run.report, "points");
	for (int64_t i = 0; i < p->n; i++)
		grid_report_point(&p->point[i], report_item(array));
	if (grid.table)
		write_table(p, &t->run.file[FILE_TABLE]);
	if (grid.png)
		grid_draw(p, choice, job->axes, &t->run.file[FILE_PICTURE]);
	if (grid.model)
		train_choice(t, choice);
}

int main(int argc, char **argv)
{
	struct grid_job job = { .training.run.saves = true };
	struct training_job *t = &job.training;
	char **names;

	given.n_folds = 5;
	cli_run_begin(&t->run, &program, &given.common, argv);
	names = check_arguments(&job, argc, argv);
	open_files(&job);
	common_bound_memory(&given.common, grid.model ? grid.model : grid.out);
	cli_run_report(&t->run);
	report_seed(t->run.report, "seed", given.machine.options.seed);
	cli_run_phases(&t->run);
	if (given.data_name)
		read_data(&job);
	take_points(&job, names);
	if (!grid.merge) {
		remark_data(t, true);
		search_points(&job);
	}
	grid_file_close(&job.display.file);
	finish_points(&job);
	cli_run_commit(&t->run);
	grid_search_free(&job.search);
	return end_job(t);
}

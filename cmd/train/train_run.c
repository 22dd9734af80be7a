/*
 * train_run.c - randsvm-train: training on all examples
 *
 * direct_reason() says whether LIBSVM has to train on all examples (a single class, a few
 * examples); so it does with --mode direct.  LIBSVM then gets the examples as svm-train gives them
 * and prints its own lines, and the certificate is computed afterwards.  Else the library trains on
 * working sets, by observers that train_lines.c has.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "common/process.h"
#include "smo/smo.h"
#include "smo/smo_sets.h"
#include "train.h"
#include "train/direct.h"
#include "train_remarks.h"

/*
 * Seconds between two flushes of LIBSVM's messages.  Of many classes each pair has four: a flush of
 * each took 1.3 s of the 4.2 that 180,000 pairs of 10 examples took.
 */
#define FLUSH_INTERVAL 0.1

/* Print a message of LIBSVM. */
static void print_message(void *arg, const char *text)
{
	struct training_job *job = arg;
	double now = cli_seconds();

	fputs(text, job->display.info);
	if (now - job->display.flushed < FLUSH_INTERVAL)
		return;
	cli_flush(job->display.info);
	job->display.flushed = now;
}

static struct libsvm_messages messages_of(struct training_job *job)
{
	return (struct libsvm_messages){ settings.common.quiet ? NULL : print_message, job };
}

/*
 * What writing a model of all rows takes of the processor time that it took to read them: 0.67 for
 * a text of 100,000 rows.
 */
#define WRITING_SHARE 0.7

/* Seconds left for training: until the time limit, less the time to write the model. */
static double seconds_left(void *arg)
{
	const struct training_job *job = arg;
	double writing = WRITING_SHARE * job->record.reading;

	return settings.time_limit > 0 ?
		       job->record.started + settings.time_limit - writing - cli_seconds() :
		       INFINITY;
}

/* Is the end of training wanted, by Ctrl-C or by the time limit? */
static bool end_is_wanted(void *arg)
{
	return cli_interrupted() || seconds_left(arg) <= 0;
}

static struct randsvm_options working_set_options(void)
{
	static const enum working_set_mode mode[] = { WORKING_SET_EXACT, WORKING_SET_PAPER,
						      WORKING_SET_REWEIGHT, WORKING_SET_BUDGET,
						      WORKING_SET_EXACT };

	return (struct randsvm_options){
		.mode = mode[settings.mode],
		.seed = settings.seed,
		.eps = settings.eps,
		.k = settings.k,
		.epsilon = settings.epsilon,
		.delta = settings.delta,
		.separable = settings.separable,
		.sample_factor = settings.sample_factor,
		.sample = settings.sample,
		.budget = settings.budget,
		.n_models = (int)settings.n_models,
		.gap = settings.gap,
		.max_rounds = settings.max_rounds,
		.n_threads = (int)settings.common.n_threads,
	};
}

static void report_pair(struct report *r, const struct pair_result *pair)
{
	const struct certificate *c = &pair->certificate;

	report_number(r, "primal", c->primal);
	report_number(r, "dual", c->dual);
	report_number(r, "gap", c->primal - c->dual);
	report_number(r, "rounding", c->rounding);
	report_number(r, "relative_gap", certificate_relative_gap(c));
	report_count(r, "violators", c->n_violators);
	report_count(r, "rounds", pair->rounds);
	report_count(r, "n_sv", c->n_sv);
	report_count(r, "n_bsv", c->n_bounded_sv);
	report_text(r, "stop_reason", pair->rounds ? train_reason_text(pair->reason) : "direct");
}

/* Add a pair's result to the report; the constant belongs to a single problem, not to a sum. */
static void report_problem(struct report *r, const struct pair_result *pair)
{
	report_pair(r, pair);
	report_number(r, "rho", pair->rho);
}

/* Report certificates: a single pair's numbers; or sums, and each pair's numbers under "pairs". */
static void report_certificates(const struct training_job *job)
{
	struct pair_result sum = job->result.pairs[0];
	struct report *array;

	if (job->result.n_pairs == 1) {
		report_problem(job->record.report, &sum);
		return;
	}
	for (int64_t q = 1; q < job->result.n_pairs; q++) {
		const struct pair_result *pair = &job->result.pairs[q];

		mem_trim_at(q);
		sum.certificate.primal += pair->certificate.primal;
		sum.certificate.dual += pair->certificate.dual;
		sum.certificate.rounding += pair->certificate.rounding;
		sum.certificate.n_violators += pair->certificate.n_violators;
		sum.certificate.n_sv += pair->certificate.n_sv;
		sum.certificate.n_bounded_sv += pair->certificate.n_bounded_sv;
		sum.rounds += pair->rounds;
		if (pair->reason > sum.reason)
			sum.reason = pair->reason;
	}
	if (!is_one_vs_rest())
		sum.certificate.n_sv = job->result.solution.n_sv;
	report_pair(job->record.report, &sum);
	array = report_array(job->record.report, "pairs");
	for (int64_t q = 0; q < job->result.n_pairs && array; q++) {
		struct report *r = report_item(array);

		mem_trim_at(q);
		report_count(r, "label_a", job->result.pairs[q].label_a);
		if (!is_one_vs_rest())
			report_count(r, "label_b", job->result.pairs[q].label_b);
		report_problem(r, &job->result.pairs[q]);
	}
}

/* Can the model be certified?  LIBSVM's machines of nu cannot; our own are in training. */
static bool can_certify(const struct training_job *job, bool by_libsvm)
{
	return settings.mode != MODE_DIRECT && job->result.n_pairs > 0 &&
	       !(by_libsvm && machine_fixes_sums(job->training.type));
}

/* Compute the certificate after LIBSVM; after our own solvers print svm-train's lines. */
static void finish_training(struct training_job *job, const struct trainer *t,
			    const struct classes *classes, bool by_libsvm)
{
	struct error err = { 0 };

	if (job->training.type == MACHINE_ONE_CLASS && !settings.common.quiet) {
		/* svm-train's model stays as it is, but how many rows it leaves outside is told */
		if (!can_certify(job, by_libsvm))
			trainer_certify(t, classes, &job->result.solution, job->result.pairs, &err);
		train_remark_outside(job);
	}
	if (!can_certify(job, by_libsvm))
		return;
	if (by_libsvm) {
		cli_progress_start(&job->display.progress, "certifying", settings.common.progress,
				   settings.common.quiet);
		if (trainer_certify(t, classes, &job->result.solution, job->result.pairs, &err) < 0)
			cli_fail("%s: %s", cli_program_name(), err.text);
		cli_progress_end(&job->display.progress);
		report_phase_end(&job->record.phases, "certify");
	}
	train_refuse_certificates(job);
	report_certificates(job);
	train_doubt_certificates(job);
	if (settings.common.quiet)
		return;
	if (is_one_vs_rest())
		train_print_machines(job, job->result.pairs, job->result.n_pairs);
	else if (!by_libsvm)
		train_print_model(job, &job->result.solution, job->result.pairs);
	for (int64_t q = 0; q < job->result.n_pairs; q++) {
		mem_trim_at(q);
		train_print_certificate(job, &job->result.pairs[q]);
	}
	train_print_whole(job);
}

/* Note options of other ways to train that have no effect; 'direct': LIBSVM trains all examples. */
static void remark_unused(bool direct)
{
	const bool by_k = is_published(), exact = settings.mode == MODE_EXACT;
	const struct cli_fit of_mode[] = {
		{ "-k", by_k },
		{ "--epsilon", by_k },
		{ "--delta", by_k },
		{ "--separable", by_k },
		{ "--sample-factor", settings.mode == MODE_PAPER },
		{ "--sample", by_k || exact },
		{ "--max-iter", settings.mode != MODE_DIRECT },
		{ "--solver", settings.mode != MODE_DIRECT },
	};
	/* in the other modes k and the sample decide whether LIBSVM trains on all examples */
	const struct cli_fit of_rounds[] = { { "--sample", !exact },
					     { "--max-iter", false },
					     { "--start", false },
					     { "--checkpoint", is_one_vs_rest() } };
	char where[32]; /* mode in words, such as "in --mode reweight" */

	if (settings.common.quiet)
		return;
	snprintf(where, sizeof(where), "in --mode %s", train_mode_names[settings.mode]);
	cli_note_misfits(of_mode, (int)(sizeof(of_mode) / sizeof(*of_mode)), where);
	if (settings.weights.n > 0 && settings.svm_type != MACHINE_C_SVC &&
	    settings.mode != MODE_DIRECT)
		cli_note("-w has no effect with -s %d: only C-SVC has weights",
			 (int)settings.svm_type);
	if (settings.mode != MODE_DIRECT && (direct || is_one_vs_rest()))
		cli_note_misfits(of_rounds, (int)(sizeof(of_rounds) / sizeof(*of_rounds)),
				 direct ? "where LIBSVM trains on all examples" :
					  "with --multiclass ovr");
}

/* Explain, even without --verbose, why a mode or solver asked for cannot be used. */
static void explain_route(const char *reason)
{
	bool wanted =
		is_published() || settings.mode == MODE_BUDGET || settings.solver != SOLVER_AUTO;

	if (reason && (settings.common.verbose ||
		       (wanted && !settings.common.quiet && settings.mode != MODE_DIRECT)))
		cli_warn("training by LIBSVM alone: %s", reason);
	else if (settings.common.verbose && is_one_vs_rest())
		cli_warn("training each class against the rest, by weights of the columns");
	if (reason && settings.gap > 0)
		cli_warn("warning: --gap is ignored: LIBSVM trains on all examples");
	if (reason && settings.time_limit > 0)
		cli_warn("warning: --time-limit is ignored: LIBSVM trains on all examples");
}

/* Most members of which kernel rows are kept, and most that are optimised alone: see smo_sets.h. */
#define MOST_ROWS ((double)SMO_WHOLE_ROWS)

/* Megabytes for kernel values: the value of -m, or a quarter of the memory. */
static double choose_cache(void)
{
	return isnan(settings.cache_mb) ? (double)(mem_limit() / 4 / MEGABYTE) : settings.cache_mb;
}

/*
 * Bytes for each row that the least bound has room for: multipliers, decision values and three more
 * numbers.  They may be in files too; but loops go over all of them, so that with less room their
 * pages come in faster than they are dropped.
 */
#define STATE_BYTES 40

/* Largest number of pairs of classes trained at the same time. */
static int64_t pairs_at_once(const struct training_job *job)
{
	const int64_t n_pairs = job->classifies ? solution_n_pairs(job->classes.n) : 1;

	return n_pairs < settings.common.n_threads ? 1 : settings.common.n_threads;
}

/*
 * What the rows among these may take: within --memory at most half of what is left by the rows of
 * those that are optimised alone; or half of all, if these have to be in a file.
 */
static double choose_rows(const struct training_job *job, double cache_mb)
{
	const double n = (double)job->data.x.n_rows, most = fmin(n, MOST_ROWS);
	const int64_t n_at_once = pairs_at_once(job);
	int64_t core = (int64_t)(most * most * sizeof(float)) * n_at_once, room;
	double rows_mb;

	if (mem_bound() == 0)
		return cache_mb;
	if (settings.kernel_type == KERNEL_LINEAR) {
		mem_hold_back(0);
		return cache_mb;
	}
	room = mem_room();
	if (core > room / 2)
		core = 0;
	rows_mb = fmin(cache_mb, fmax((double)n_at_once, (double)((room - core) / 2 / MEGABYTE)));
	mem_hold_back(core + (int64_t)(rows_mb * MEGABYTE));
	return rows_mb;
}

/* LIBSVM's arrays are never in files. */
void need_memory(const struct training_job *job, bool direct)
{
	const struct csr *x = &job->data.x;
	const int64_t n = x->n_rows, n_class = job->classifies ? job->classes.n : 2;

	common_need_memory(direct ? libsvm_least_bytes(n, n_class, x->row_start[n]) :
				    STATE_BYTES * n);
}

void prepare_training(struct training_setup *s, struct training_job *job)
{
	const double cache_mb = choose_cache();
	bool native = settings.solver == SOLVER_NATIVE ||
		      (settings.solver == SOLVER_AUTO && settings.mode != MODE_REWEIGHT);

	*s = (struct training_setup){
		.messages = messages_of(job),
		.rounds = { train_round_finished, job },
		.pairs = { train_planned, train_pair_started, train_pair_finished, job },
		.folds = { .fold_started = train_fold_started,
			   .fold_trained = train_fold_trained,
			   .sigmoid_fitted = train_sigmoid_fitted,
			   .scale_fitted = train_scale_fitted,
			   .marks_fitted = train_marks_fitted,
			   .arg = job },
		.working_sets = working_set_options(),
		.interruption = { end_is_wanted, job, seconds_left },
		.solver = native ? smo_solver(cache_mb, (int)settings.common.n_threads) :
				   libsvm_solver(cache_mb, settings.shrinking),
		.classes = job->classifies ? &job->classes : NULL,
	};
	s->solver.rows_mb = choose_rows(job, cache_mb);
	s->solver.interruption = &s->interruption;
	s->trainer =
		(struct trainer){ .data = &job->data,
				  .training = &job->training,
				  .options = &s->working_sets,
				  .solver = &s->solver,
				  .rounds = &s->rounds,
				  .pairs = &s->pairs,
				  .messages = &s->messages,
				  .helpers = train_helpers(),
				  .certifies = !settings.common.quiet || settings.common.report ||
					       settings.most_gap < INFINITY };
	s->trainer.start = settings.start ? &job->start.solution : NULL;
}

const char *training_direct_reason(const struct training_setup *s)
{
	/* LIBSVM draws its folds itself, without a look at groups */
	if (is_one_vs_rest() || s->trainer.data->group)
		return NULL;
	return settings.mode == MODE_DIRECT ? "--mode direct" :
					      direct_reason(&s->trainer, s->classes);
}

/*
 * LIBSVM's rbf kernel has no digit right of rows far from 0: they are shifted, but for --mode
 * direct, which does what svm-train does.
 */
static void shift_for_libsvm(struct training_setup *s, bool for_predictions)
{
	struct error err = { 0 };

	/* a single class has no kernel values */
	if ((!s->direct_reason && s->solver.warm_start) || (s->classes && s->classes->n == 1))
		return;
	if (settings.mode != MODE_DIRECT &&
	    trainer_shift(&s->trainer, &s->shifted, &s->trainer, for_predictions, &err) < 0)
		cli_fail("%s: %s", cli_program_name(), err.text);
	train_remarks_far(s->trainer.data, &s->trainer.training->kernel);
}

void set_up_training(struct training_setup *s, struct training_job *job, bool for_predictions)
{
	prepare_training(s, job);
	s->direct_reason = training_direct_reason(s);
	need_memory(job, s->direct_reason != NULL);
	/* what is held back for our kernel rows is for LIBSVM's arrays */
	if (s->direct_reason)
		mem_hold_back(0);
	else
		cli_note_interrupts(true);
	explain_route(s->direct_reason);
	shift_for_libsvm(s, for_predictions);
	remark_unused(s->direct_reason != NULL);
	report_text(job->record.report, "route",
		    s->direct_reason ? s->direct_reason :
		    is_one_vs_rest() ? "one class against the rest" :
				       "working sets");
	/* LIBSVM warns itself where it gets all labels */
	if (!s->direct_reason && job->classifies)
		common_warn_weights(&job->training, job->classes.label, job->classes.n);
	cli_progress_start(&job->display.progress, "training", settings.common.progress,
			   settings.common.quiet || s->direct_reason);
}

void fail_training(const struct error *err)
{
	if (err->code == ERR_INTERRUPTED)
		cli_fail("%s: %s: nothing is written", cli_program_name(),
			 cli_interrupted() ? err->text :
					     "time limit reached during cross validation");
	cli_fail("%s: %s", cli_program_name(), cli_error(err));
}

/* Warn that training ended early; what a single problem's model was trained on, and by what mode. */
static void warn_of_interruption(struct training_job *job)
{
	const struct pair_result *pair = job->result.pairs;
	char what[160] = "";

	job->result.interrupted = trainer_was_interrupted(pair, job->result.n_pairs);
	if (!job->result.interrupted)
		return;
	if (job->result.n_pairs == 1 && pair->by_budget)
		snprintf(what, sizeof(what),
			 ", of at most %" PRId64 " of %" PRId64
			 " rows at a time: --mode budget --budget %" PRId64
			 " makes it, or a better one, in less time",
			 pair->n_learned, pair->n, pair->n_learned);
	else if (job->result.n_pairs == 1 && pair->n_learned > 0)
		snprintf(what, sizeof(what), ", of %" PRId64 " of %" PRId64 " rows",
			 pair->n_learned, pair->n);
	cli_warn("warning: %s: the model so far is written%s",
		 cli_interrupted() ? "interrupted" : "reaching the time limit", what);
}

static int run_training(struct training_job *job, const struct training_setup *s, struct error *err)
{
	if (is_one_vs_rest())
		return one_vs_rest_run(&s->trainer, s->classes, &job->result.machines,
				       job->result.pairs, err);
	if (s->direct_reason) {
		int ret = direct_run(&s->trainer, &job->result.solution, err);

		cli_flush(job->display.info); /* before what is said on standard error */
		if (ret < 0)
			return -1;
	}
	/* --mode direct writes what svm-train writes, a model without a margin too */
	if (s->direct_reason && machine_fixes_sums(job->training.type) &&
	    settings.mode != MODE_DIRECT)
		return direct_check(&s->trainer, s->classes, &job->result.solution, err);
	if (s->direct_reason)
		return 0;
	return train_calibrated(&s->trainer, s->classes, &s->folds, &job->result.solution,
				job->result.pairs, err);
}

void train_job(struct training_job *job)
{
	struct training_setup s;
	struct error err = { 0 };
	int trained;

	job->result.pairs = mem_zeroed(job->result.n_pairs, sizeof(*job->result.pairs), &err);
	if (!job->result.pairs)
		cli_fail("%s: %s", cli_program_name(), err.text);
	set_up_training(&s, job, false);
	start_checkpoint(&s, job);
	trained = run_training(job, &s, &err);
	cli_progress_end(&job->display.progress);
	if (trained < 0)
		fail_training(&err);
	cli_note_interrupts(false);
	warn_of_interruption(job);
	if (job->result.interrupted)
		keep_checkpoint();
	if (settings.mode != MODE_DIRECT && job->training.type == MACHINE_C_SVC)
		solution_bound_rho(&job->result.solution);
	report_phase_end(&job->record.phases, "train");
	train_ranks_report(job);
	finish_training(job, &s.trainer, s.classes, s.direct_reason != NULL);
	shifted_data_free(&s.shifted);
}

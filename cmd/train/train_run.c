/*
 * train_run.c - randsvm-train: training on all examples
 *
 * Where the machine has a direct_reason, as for a single class, a few examples, or --mode direct,
 * LIBSVM trains on all examples.  It gets them as svm-train gives them and prints its own lines, and
 * the certificate is computed afterwards (train_certificates.c).  Else the library trains on working
 * sets, by observers that train_certificates.c has too.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "smo/smo_sets.h"
#include "train.h"

/*
 * What writing a model of all rows takes of the processor time that it took to read them: 0.67 for
 * a text of 100,000 rows.
 */
#define WRITING_SHARE 0.7

/* Seconds left for training: until the time limit, less the time to write the model. */
static double seconds_left(void *arg)
{
	const struct training_job *job = arg;

	return job->deadline - WRITING_SHARE * job->reading - cli_seconds();
}

/* Is the end of training wanted, by Ctrl-C or by the time limit? */
static bool end_is_wanted(void *arg)
{
	return cli_interrupted() || seconds_left(arg) <= 0;
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

	if (given.common.quiet)
		return;
	cli_note_misfits(of_mode, N_ELEMENTS(of_mode),
			 FORMATTED(32, "in --mode %s", train_mode_names[settings.mode]));
	if (given.weights.n > 0 && given.svm_type != MACHINE_C_SVC && settings.mode != MODE_DIRECT)
		cli_note("-w has no effect with -s %d: only C-SVC has weights",
			 (int)given.svm_type);
	if (settings.mode != MODE_DIRECT && (direct || is_one_vs_rest()))
		cli_note_misfits(of_rounds, N_ELEMENTS(of_rounds),
				 direct ? "where LIBSVM trains on all examples" :
					  "with --multiclass ovr");
}

/* Explain, even without --verbose, why a mode or solver asked for cannot be used. */
static void explain_route(const struct training_job *job, const char *reason)
{
	bool wanted =
		is_published() || settings.mode == MODE_BUDGET || settings.solver != SOLVER_AUTO;

	if (reason && (given.common.verbose ||
		       (wanted && !given.common.quiet && settings.mode != MODE_DIRECT)))
		cli_warn("training by LIBSVM alone: %s", reason);
	else if (given.common.verbose && is_one_vs_rest())
		cli_warn("training each class against the rest, by weights of the columns");
	if (reason && given.machine.options.gap > 0)
		cli_warn("warning: --gap is ignored: LIBSVM trains on all examples");
	if (reason && job->deadline < INFINITY)
		cli_warn("warning: --time-limit is ignored: LIBSVM trains on all examples");
}

/* Most members of which kernel rows are kept, and most that are optimised alone: see smo_sets.h. */
#define MOST_ROWS ((double)SMO_WHOLE_ROWS)

/*
 * Bytes for each row that the least bound has room for: multipliers, decision values and three more
 * numbers.  They may be in files too; but loops go over all of them, so that with less room their
 * pages come in faster than they are dropped.
 */
#define STATE_BYTES 40

/*
 * What the rows among these may take: within --memory at most half of what is left by the rows of
 * those that are optimised alone; or half of all, if these have to be in a file.
 */
static double choose_rows(const struct training_job *job)
{
	const double cache_mb = job->machine.solver.cache_mb;
	const double n = (double)job->data.x.n_rows, most = fmin(n, MOST_ROWS);
	/* pairs of classes are trained at the same time where each thread has one */
	const int64_t n_threads = given.common.n_threads;
	const int64_t n_at_once = job->result.n_pairs < n_threads ? 1 : n_threads;
	int64_t core = (int64_t)(most * most * sizeof(float)) * n_at_once, room;
	double rows_mb;

	if (mem_bound() == 0)
		return cache_mb;
	if (given.kernel_type == KERNEL_LINEAR) {
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
	const int64_t n = x->n_rows, n_class = job_classifies(job) ? job->machine.classes.n : 2;

	common_need_memory(direct ? libsvm_least_bytes(n, n_class, x->row_start[n]) :
				    STATE_BYTES * n);
}

void bound_training(struct training_job *job)
{
	job->setup.interruption = (struct interruption){ end_is_wanted, job, seconds_left };
	job->machine.solver.interruption = &job->setup.interruption;
	job->machine.solver.rows_mb = choose_rows(job);
}

/* Size of |x|^2, in that of rows that are far, from which rounding moves an exponent by 0.001. */
#define COARSE 0x1p12

/*
 * Warn that LIBSVM, which trains, has no right kernel values of these rows
 *
 * Of an rbf kernel where rows lie so far from 0 that |x|^2 + |z|^2 - 2 x.z is rounding; O(entries).
 */
static void remark_far(const struct dataset *d, const struct kernel *k)
{
	const struct kernel coarse = { .type = k->type, .gamma = k->gamma / COARSE };

	if (kernel_has_far(&coarse, &d->x))
		cli_warn("warning: rows lie so far from 0 that LIBSVM's kernel values are rounding "
			 "errors; scale the features (rp-project -m scale), or have the native "
			 "solver train, in mode exact");
}

/*
 * LIBSVM's rbf kernel has no digit right of rows far from 0: they are shifted, but for --mode
 * direct, which does what svm-train does.
 */
static void shift_for_libsvm(struct training_job *job, bool for_predictions)
{
	struct machine *m = &job->machine;
	struct error err = { 0 };

	/* a single class has no kernel values */
	if ((!m->direct_reason && m->solver.warm_start) || m->classes.n == 1)
		return;
	if (!m->given.direct)
		cli_check(trainer_shift(&m->trainer, &job->setup.shifted, &m->trainer,
					for_predictions, &err),
			  &err);
	remark_far(m->trainer.data, &m->training.kernel);
}

void set_up_training(struct training_job *job, bool for_predictions)
{
	struct machine *m = &job->machine;
	const char *reason = m->given.direct ? "--mode direct" : m->direct_reason;

	bound_training(job);
	train_observe(job);
	m->trainer.ranks = train_rank_rows();
	m->trainer.certifies =
		!given.common.quiet || given.common.report || settings.most_gap < INFINITY;
	m->trainer.start = settings.start ? &job->start.solution : NULL;
	need_memory(job, reason != NULL);
	/* what is held back for our kernel rows is for LIBSVM's arrays */
	if (reason) {
		mem_hold_back(0);
		train_ranks_bring();
	} else {
		cli_note_interrupts(true);
	}
	explain_route(job, reason);
	shift_for_libsvm(job, for_predictions);
	remark_unused(reason != NULL);
	report_text(job->run.report, "route",
		    reason	     ? reason :
		    is_one_vs_rest() ? "one class against the rest" :
				       "working sets");
	/* LIBSVM warns itself where it gets all labels */
	if (!reason && job_classifies(job))
		common_warn_weights(&m->training, m->classes.label, m->classes.n);
	cli_progress_start(&job->run.progress, "training", given.common.progress,
			   given.common.quiet || reason);
}

int end_job(struct training_job *job)
{
	machine_result_free(&job->result);
	machine_free(&job->machine);
	shifted_data_free(&job->setup.shifted);
	model_free(&job->start);
	dataset_free(&job->data);
	mem_free_all(job->file_row, given.weights.weight);
	if (given.common.verbose)
		memory_tell();
	return cli_run_end(&job->run);
}

void fail_training(const struct error *err)
{
	if (err->code == ERR_INTERRUPTED)
		cli_fail("%s: nothing is written",
			 cli_interrupted() ? err->text :
					     "time limit reached during cross validation");
	cli_fail("%s", cli_error(err));
}

/* Warn that training ended early; what a single problem's model was trained on, and by what mode. */
static void warn_of_interruption(struct training_job *job)
{
	const struct pair_result *pair = job->result.pairs;

	job->interrupted = trainer_was_interrupted(pair, job->result.n_pairs);
	if (!job->interrupted)
		return;
	cli_warn("warning: %s: the model so far is written%s",
		 cli_interrupted() ? "interrupted" : "reaching the time limit",
		 job->result.n_pairs != 1 ?
			 "" :
		 pair->solved.by_budget ?
			 FORMATTED(160,
				   ", of at most %" PRId64 " of %" PRId64
				   " rows at a time: --mode budget "
				   "--budget %" PRId64 " makes it, or a better one, in less time",
				   pair->solved.n_learned, pair->n, pair->solved.n_learned) :
		 pair->solved.n_learned > 0 ? FORMATTED(160, ", of %" PRId64 " of %" PRId64 " rows",
							pair->solved.n_learned, pair->n) :
					      "");
}

void train_job(struct training_job *job)
{
	struct error err = { 0 };
	int trained;

	set_up_training(job, false);
	start_checkpoint(job);
	trained = machine_train(&job->machine, &job->setup.folds, &job->result, &err);
	if (job->machine.direct_reason)
		cli_flush(job->run.info); /* before what is said on standard error */
	cli_progress_end(&job->run.progress);
	if (trained < 0)
		fail_training(&err);
	cli_note_interrupts(false);
	warn_of_interruption(job);
	if (job->interrupted)
		keep_checkpoint();
	cli_run_phase(&job->run, "train");
	train_ranks_report(job);
	train_certificates(job);
}

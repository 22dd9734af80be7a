/*
 * train_lines.c - what randsvm-train prints while it trains: svm-train's lines and more
 *
 * The library trains on working sets and calls the functions below for each round, pair of classes
 * and fold.  They print lines of svm-train's form, and rounds where the mode prints them.  People
 * parse these lines: they go to run.info unchanged.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/text_append.h"
#include "evaluate/svm_train_lines.h"
#include "model/probability.h"
#include "train.h"

const char *train_name_pair(const struct pair_result *pair, char name[TRAIN_NAME_SIZE])
{
	if (is_one_vs_rest())
		snprintf(name, TRAIN_NAME_SIZE, "class %d against the rest", pair->label_a);
	else
		snprintf(name, TRAIN_NAME_SIZE, "classes %d and %d", pair->label_a, pair->label_b);
	return name;
}

static void planned(void *arg, const struct plan_line *line, int n_lines)
{
	const struct training_job *job = arg;

	for (int i = 0; given.common.verbose && job->display.fold <= 1 && i < n_lines; i++)
		cli_warn("%s: %s (%s)", line[i].subject, line[i].choice, line[i].reason);
}

static void pair_started(void *arg, const struct pair_result *pair)
{
	const struct training_job *job = arg;
	char name[TRAIN_NAME_SIZE];

	if (job->result.n_pairs > 1 && given.common.verbose)
		cli_warn("%s: %" PRId64 " examples", train_name_pair(pair, name), pair->n);
}

/* Bytes of a text such as "fold 10 of 10, pair 4950 of 4950". */
enum { PART_SIZE = 96 };

/* Are pairs counted?  With -b 1 each pair is trained several times, and counts would mislead. */
static bool counts_pairs(const struct training_job *job)
{
	return job->result.n_pairs > 1 && job->display.n_trained < job->result.n_pairs &&
	       !given.probability;
}

/* For progress: name the fold and the pair in training; "" if there is only one, or no progress. */
static const char *name_part(const struct training_job *job, char part[PART_SIZE])
{
	part[0] = '\0';
	if (!job->run.progress.shown)
		return part;
	if (job->display.n_folds > 0)
		text_append(part, PART_SIZE, "fold %" PRId64 " of %" PRId64, job->display.fold,
			    job->display.n_folds);
	if (counts_pairs(job))
		text_append(part, PART_SIZE, "%s%s %" PRId64 " of %" PRId64, *part ? ", " : "",
			    is_one_vs_rest() ? "class" : "pair", job->display.n_trained + 1,
			    job->result.n_pairs);
	return part;
}

/* Tell if the primal rises: a working set of the published loop can be worse than the last. */
static void watch_primal(struct training_job *job, const struct randsvm_round *r)
{
	if (settings.mode == MODE_PAPER && r->number > 1 && r->primal > job->display.last_primal)
		cli_warn("warning: the primal rose from %g to %g in round %d: the published loop "
			 "is losing ground; --mode exact does not",
			 job->display.last_primal, r->primal, r->number);
	job->display.last_primal = r->primal;
}

static void print_budget_round(FILE *to, const struct randsvm_round *r)
{
	if (settings.n_models > 1)
		fprintf(to, "model %d, ", r->model);
	fprintf(to,
		"round %d: |T| = %" PRId64 ", |SV| = %" PRId64 ", |V| = %" PRId64
		", primal = %f, dual",
		r->number, r->working_set, r->n_sv, r->n_violators, r->primal);
	/* samples of the machines of nu have no dual */
	if (isinf(r->dual))
		fputs(" unknown", to);
	else
		fprintf(to, " = %f", r->dual);
	fprintf(to, ": %s\n", r->kept ? "kept" : "given up");
}

/* Add a round to the report, of a training that is one problem: `progress` is in the order of time. */
static void report_round(struct training_job *job, const struct randsvm_round *r)
{
	struct report *item;

	if (!job->run.report || job->result.n_pairs != 1 || job->display.n_folds > 0 ||
	    given.probability)
		return;
	if (!job->rounds)
		job->rounds = report_array(job->run.report, "progress");
	item = job->rounds ? report_item(job->rounds) : NULL;
	report_count(item, "round", r->number);
	report_number(item, "seconds", cli_seconds() - job->run.started);
	report_number(item, "cpu_seconds", cli_cpu_seconds());
	report_count(item, "examples", r->subset);
	report_count(item, "n_sv", r->n_sv);
	/* of a sample nothing is known of the other examples */
	if (isnan(r->primal))
		return;
	report_count(item, "violators", r->n_violators);
	report_number(item, "primal", r->primal);
	report_number(item, "dual", r->dual);
}

static void round_finished(void *arg, const struct randsvm_round *r)
{
	struct training_job *job = arg;
	bool published = is_published();
	FILE *to = published && !given.common.quiet ? job->run.info :
		   given.common.verbose		    ? stderr :
						      NULL;
	char part[PART_SIZE];

	name_part(job, part);
	cli_progress_text(&job->run.progress,
			  "%s%sround %d, %" PRId64 " SVs, %" PRId64 " violators", part,
			  *part ? ", " : "", r->number, r->n_sv, r->n_violators);
	if (published && !given.common.quiet && r->number == 1)
		fprintf(job->run.info, "k = %" PRId64 ", r = %" PRId64 "\n", r->k, r->sample);
	if (to && settings.mode == MODE_BUDGET)
		print_budget_round(to, r);
	else if (to && isnan(r->primal))
		fprintf(to,
			"round %d: %" PRId64 " examples, |T| = %" PRId64 ", |SV| = %" PRId64 "\n",
			r->number, r->subset, r->working_set, r->n_sv);
	else if (to)
		fprintf(to,
			"round %d: |T| = %" PRId64 ", |SV| = %" PRId64 ", |V| = %" PRId64
			", primal = %f, dual = %f, best primal = %f, best dual = %f\n",
			r->number, r->working_set, r->n_sv, r->n_violators, r->primal, r->dual,
			r->best_primal, r->best_dual);
	else if (!given.common.quiet)
		fputc('.', job->run.info);
	if (!given.common.quiet)
		cli_flush(job->run.info);
	watch_primal(job, r);
	report_round(job, r);
}

const char *train_reason_text(enum stop_reason reason)
{
	return reason == STOP_INTERRUPTED && !cli_interrupted() ? "time limit" :
								  stop_reason_text(reason);
}

static void warn_of_iterations(const struct training_job *job, const struct pair_result *pair)
{
	char name[TRAIN_NAME_SIZE], whose[TRAIN_NAME_SIZE + 2] = "";

	cli_warn("WARNING: reaching max number of iterations");
	if (given.common.quiet)
		return;
	if (job->result.n_pairs > 1)
		snprintf(whose, sizeof(whose), "%s: ", train_name_pair(pair, name));
	cli_note("%sa smaller -c takes fewer iterations%s", whose,
		 settings.mode == MODE_EXACT && !machine_fixes_sums(job->machine.training.type) ?
			 "; --start with this model goes on from it" :
			 "");
}

static void pair_finished(void *arg, const struct pair_result *pair)
{
	struct training_job *job = arg;
	FILE *to = is_published() && !given.common.quiet ? job->run.info :
		   given.common.verbose			 ? stderr :
							   NULL;
	char part[PART_SIZE];

	job->display.n_trained++;
	if (counts_pairs(job))
		cli_progress_text(&job->run.progress, "%s", name_part(job, part));
	if (to && settings.n_models > 1)
		fprintf(to, "stopped after %d round%s: %s\n", pair->rounds,
			pair->rounds == 1 ? "" : "s", train_reason_text(pair->reason));
	else if (to)
		fprintf(to, "stopped after round %d: %s\n", pair->rounds,
			train_reason_text(pair->reason));
	if (pair->reason == STOP_MAX_ITERATIONS)
		warn_of_iterations(job, pair);
	if (settings.mode == MODE_EXACT && pair->reason == STOP_MAX_ROUNDS)
		cli_warn("warning: reaching max number of rounds");
}

static void fold_started(void *arg, const struct fold_training *fold)
{
	struct training_job *job = arg;
	char whose[64] = "";

	if (!fold->for_probabilities) {
		job->display.n_trained = 0;
		job->display.fold = fold->number;
		job->display.n_folds = fold->n_folds;
	}
	if (!given.common.verbose)
		return;
	if (fold->for_probabilities && job_classifies(job))
		snprintf(whose, sizeof(whose), "probabilities of classes %d and %d, ",
			 fold->label_a, fold->label_b);
	else if (fold->for_probabilities)
		snprintf(whose, sizeof(whose), "probabilities, ");
	cli_warn("%sfold %" PRId64 " of %" PRId64 ": %" PRId64 " examples to train on", whose,
		 fold->number, fold->n_folds, fold->n);
}

static void fold_trained(void *arg, const struct solution *s, const struct pair_result *pairs)
{
	struct training_job *job = arg;

	job->display.n_reversed += solution_n_reversed(s);
	/* a fold may lack a class, and one for probabilities is of a single pair */
	for (int64_t q = 0; q < solution_n_pairs(s->n_class); q++)
		job->display.n_coarse += pairs[q].certificate.excess > 0;
	svm_train_model_lines(&job->machine.training, s, pairs, &job->setup.messages);
}

static void marks_fitted(void *arg, bool enough)
{
	(void)arg;
	if (!enough)
		cli_warn("WARNING: number of positive or negative decision values <%d; too few to "
			 "do a probability estimation.",
			 PROBABILITY_LEAST_VALUES);
}

/*
 * Seconds between two flushes of svm-train's lines.  Of many classes each pair has four: a flush of
 * each took 1.3 s of the 4.2 that 180,000 pairs of 10 examples took.
 */
#define FLUSH_INTERVAL 0.1

/* Print a line of svm-train, or a message of LIBSVM. */
static void print_message(void *arg, const char *text)
{
	struct training_job *job = arg;
	double now = cli_seconds();

	fputs(text, job->run.info);
	if (now - job->display.flushed < FLUSH_INTERVAL)
		return;
	cli_flush(job->run.info);
	job->display.flushed = now;
}

void train_observe(struct training_job *job)
{
	struct training_setup *s = &job->setup;
	struct trainer *t = &job->machine.trainer;

	s->messages = (struct libsvm_messages){ given.common.quiet ? NULL : print_message, job };
	s->rounds = (struct randsvm_observer){ round_finished, job };
	s->pairs = (struct trainer_observer){ planned, pair_started, pair_finished, job };
	s->folds = (struct validation_observer){ .fold_started = fold_started,
						 .fold_trained = fold_trained,
						 .marks_fitted = marks_fitted,
						 .arg = job };
	t->rounds = &s->rounds;
	t->pairs = &s->pairs;
	t->messages = &s->messages;
}

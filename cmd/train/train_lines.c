/*
 * train_lines.c - what randsvm-train prints while it trains: svm-train's lines and more
 *
 * The library trains on working sets and calls the functions below for each round, pair of classes
 * and fold.  They print lines of svm-train's form; rounds where the mode prints them; and after
 * them the certificate of each pair.  People parse these lines: they go to run.info unchanged.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/text_append.h"
#include "common/bound_text.h"
#include "evaluate/svm_train_lines.h"
#include "model/probability.h"
#include "train.h"

/* Bytes of a name such as "classes 1 and 2" or "class 1 against the rest". */
#define NAME_SIZE 64

static const char *name_pair(const struct pair_result *pair, char name[NAME_SIZE])
{
	if (is_one_vs_rest())
		snprintf(name, NAME_SIZE, "class %d against the rest", pair->label_a);
	else
		snprintf(name, NAME_SIZE, "classes %d and %d", pair->label_a, pair->label_b);
	return name;
}

void train_planned(void *arg, const struct plan_line *line, int n_lines)
{
	const struct training_job *job = arg;

	for (int i = 0; given.common.verbose && job->display.fold <= 1 && i < n_lines; i++)
		cli_warn("%s: %s (%s)", line[i].subject, line[i].choice, line[i].reason);
}

void train_pair_started(void *arg, const struct pair_result *pair)
{
	const struct training_job *job = arg;

	char name[NAME_SIZE];

	if (job->result.n_pairs > 1 && given.common.verbose)
		cli_warn("%s: %" PRId64 " examples", name_pair(pair, name), pair->n);
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

void train_round_finished(void *arg, const struct randsvm_round *r)
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
	char name[NAME_SIZE], whose[NAME_SIZE + 2] = "";

	cli_warn("WARNING: reaching max number of iterations");
	if (given.common.quiet)
		return;
	if (job->result.n_pairs > 1)
		snprintf(whose, sizeof(whose), "%s: ", name_pair(pair, name));
	cli_note("%sa smaller -c takes fewer iterations%s", whose,
		 settings.mode == MODE_EXACT && !machine_fixes_sums(job->machine.training.type) ?
			 "; --start with this model goes on from it" :
			 "");
}

void train_pair_finished(void *arg, const struct pair_result *pair)
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

static void print_text(void *arg, const char *text)
{
	const struct training_job *job = arg;

	fputs(text, job->run.info);
}

/* Receiver of svm-train's lines. */
static struct libsvm_messages lines_of(const struct training_job *job)
{
	return (struct libsvm_messages){ print_text, (void *)job };
}

/* Print svm-train's lines for one model, except those of its probabilities. */
void train_print_model(const struct training_job *job, const struct solution *s,
		       const struct pair_result *pairs)
{
	const struct libsvm_messages lines = lines_of(job);

	svm_train_model_lines(&job->machine.training, s, pairs, &lines);
}

/* Print the blocks of machines of each class against the rest, which share no coefficients. */
void train_print_machines(const struct training_job *job, const struct pair_result *results,
			  int64_t n)
{
	const struct libsvm_messages lines = lines_of(job);

	for (int64_t c = 0; c < n; c++)
		svm_train_pair_lines(&job->machine.training, &results[c], &lines);
}

void train_fold_started(void *arg, const struct fold_training *fold)
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

void train_fold_trained(void *arg, const struct solution *s, const struct pair_result *pairs)
{
	struct training_job *job = arg;

	job->display.n_reversed += solution_n_reversed(s);
	/* a fold may lack a class, and one for probabilities is of a single pair */
	for (int64_t q = 0; q < solution_n_pairs(s->n_class); q++)
		job->display.n_coarse += pairs[q].certificate.excess > 0;
	if (!given.common.quiet)
		train_print_model(job, s, pairs);
}

void train_sigmoid_fitted(void *arg, enum sigmoid_end end)
{
	const struct libsvm_messages lines = lines_of(arg);

	if (!given.common.quiet)
		svm_train_sigmoid_lines(end, &lines);
}

void train_scale_fitted(void *arg, double sigma)
{
	const struct libsvm_messages lines = lines_of(arg);

	if (!given.common.quiet)
		svm_train_scale_lines(sigma, &lines);
}

void train_marks_fitted(void *arg, bool enough)
{
	(void)arg;
	if (!enough)
		cli_warn("WARNING: number of positive or negative decision values <%d; too few to "
			 "do a probability estimation.",
			 PROBABILITY_LEAST_VALUES);
}

void train_print_certificate(const struct training_job *job, const struct pair_result *pair)
{
	const struct certificate *c = &pair->certificate;
	char primal[BOUND_TEXT_SIZE], dual[BOUND_TEXT_SIZE], name[NAME_SIZE];

	fprintf(job->run.info, "primal = %s, ", bound_text(c->primal, c->rounding, primal));
	if (isinf(c->dual))
		fprintf(job->run.info, "dual unknown, rounding = %.2g", c->rounding);
	else
		fprintf(job->run.info, "dual = %s, gap = %g, rounding = %.2g, relative gap = %g",
			bound_text(c->dual, c->rounding, dual), c->primal - c->dual, c->rounding,
			certificate_relative_gap(c));
	fprintf(job->run.info, ", violators = %" PRId64, c->n_violators);
	if (job->result.n_pairs > 1)
		fprintf(job->run.info, " (%s)", name_pair(pair, name));
	fputc('\n', job->run.info);
}

/* Print sums over all pairs or machines, and the one of the largest relative gap. */
void train_print_whole(const struct training_job *job)
{
	struct certificate sum = { 0 };
	int64_t worst = 0;
	char primal[BOUND_TEXT_SIZE], name[NAME_SIZE];

	if (job->result.n_pairs < 2)
		return;
	for (int64_t q = 0; q < job->result.n_pairs; q++) {
		const struct certificate *c = &job->result.pairs[q].certificate;

		sum.primal += c->primal;
		sum.dual += c->dual;
		sum.rounding += c->rounding;
		sum.n_violators += c->n_violators;
		if (certificate_relative_gap(c) >
		    certificate_relative_gap(&job->result.pairs[worst].certificate))
			worst = q;
	}
	fprintf(job->run.info,
		"all %" PRId64 " %s: primal = %s, relative gap = %.2g, worst %.2g (%s), "
		"violators = %" PRId64 "\n",
		job->result.n_pairs, is_one_vs_rest() ? "classes" : "pairs",
		bound_text(sum.primal, sum.rounding, primal), certificate_relative_gap(&sum),
		certificate_relative_gap(&job->result.pairs[worst].certificate),
		name_pair(&job->result.pairs[worst], name), sum.n_violators);
}

/* A doubt about certificates: number of pairs, and the pair of the largest relative gap. */
struct doubt {
	int64_t n, n_violators; /* numbers of problems, and of their violators in all */
	const struct pair_result *worst;
};

static void add_doubt(struct doubt *d, const struct pair_result *pair)
{
	d->n_violators += pair->certificate.n_violators;
	if (d->n++ == 0 || certificate_relative_gap(&pair->certificate) >
				   certificate_relative_gap(&d->worst->certificate))
		d->worst = pair;
}

/* Name doubted pairs: "", or " (17 of 20 classes, the worst of them class 4 against the rest)". */
static const char *name_doubted(const struct training_job *job, const struct doubt *d,
				char text[2 * NAME_SIZE])
{
	char name[NAME_SIZE];

	text[0] = '\0';
	if (job->result.n_pairs > 1)
		snprintf(text, 2 * NAME_SIZE, " (%" PRId64 " of %" PRId64 " %s, the worst %s)",
			 d->n, job->result.n_pairs, is_one_vs_rest() ? "classes" : "pairs",
			 name_pair(d->worst, name));
	return text;
}

void train_refuse_certificates(const struct training_job *job)
{
	char name[NAME_SIZE], whose[NAME_SIZE + 4] = "";
	struct error err = { 0 };

	for (int64_t q = 0; q < job->result.n_pairs; q++) {
		const struct pair_result *pair = &job->result.pairs[q];

		if (job->result.n_pairs > 1)
			snprintf(whose, sizeof(whose), " (%s)", name_pair(pair, name));
		if (certificate_check(&pair->certificate, whose, &err) < 0)
			cli_fail("%s", err.text);
	}
}

void train_remark_outside(const struct training_job *job)
{
	const double outside = job->result.pairs[0].outside, nu = job->machine.training.nu;

	/* a tenth and one row more are what the tolerance does to any model */
	if (outside > 1.1 * nu + 1 / (double)job->result.pairs[0].n)
		cli_note("%.3g %% of the training rows are outside the model, and -n %g allows "
			 "%.3g %%: rows on its boundary are on either side, within -e",
			 100 * outside, nu, 100 * nu);
}

/* A relative gap that is worth a warning although no example violates. */
#define WIDE_GAP 0.01

/* Is the relative gap above that, and the gap above rounding, of which -q has no bound? */
static bool is_wide(const struct training_job *job, const struct pair_result *pair, double most_gap)
{
	const struct certificate *c = &pair->certificate;
	double losses = DBL_EPSILON * job->machine.training.C * (double)pair->n;

	return settings.mode == MODE_EXACT && c->n_violators + c->excess == 0 &&
	       isfinite(c->dual) && pair->reason != STOP_INTERRUPTED &&
	       c->primal - c->dual > fmax(2 * c->rounding, losses) &&
	       certificate_relative_gap(c) > most_gap;
}

/* Warn of solutions that doubles are too coarse for; what is computed may violate nothing. */
static void warn_of_rounding(const struct doubt *d, const char *whose)
{
	const double excess = d->worst->certificate.excess;
	char who[40] = "examples may";

	if (d->n_violators > 0)
		snprintf(who, sizeof(who), "%" PRId64 " examples", d->n_violators);
	cli_warn("warning: %s violate the optimality conditions by more than -e: C times the "
		 "largest kernel value is %.2g, so that doubles hold decision values to %.2g; "
		 "scale the features, or try a smaller -c%s",
		 who, excess, DBL_EPSILON * excess, whose);
}

void train_doubt_certificates(const struct training_job *job)
{
	struct doubt violated = { 0 }, rounded = { 0 }, excess = { 0 }, indefinite = { 0 },
		     wide = { 0 };
	const double most_gap = fmax(given.machine.options.gap, WIDE_GAP);
	char whose[2 * NAME_SIZE];

	for (int64_t q = 0; q < job->result.n_pairs; q++) {
		const struct pair_result *pair = &job->result.pairs[q];
		const struct certificate *c = &pair->certificate;

		if (c->excess > 0 && !certificate_is_doubted(c))
			add_doubt(&rounded, pair);
		else if (settings.mode == MODE_EXACT && c->n_violators > 0 &&
			 pair->reason != STOP_GAP)
			add_doubt(&violated, pair);
		if (certificate_is_doubted(c))
			add_doubt(&excess, pair);
		if (is_wide(job, pair, most_gap))
			add_doubt(&wide, pair);
		if (certificate_is_below_dual(c))
			add_doubt(&indefinite, pair);
	}
	if (certificate_separates_nothing(job->machine.training.type,
					  &job->result.pairs[0].certificate))
		cli_warn("warning: no plane separates the rows from the origin, and the model is "
			 "nothing: try -t 2");
	if (violated.n > 0)
		cli_warn("warning: %" PRId64 " examples violate the optimality conditions by more "
			 "than -e%s",
			 violated.n_violators, name_doubted(job, &violated, whose));
	if (wide.n > 0)
		cli_warn(
			"warning: the relative gap is above %g, though no example violates by more "
			"than -e: try a smaller -e%s",
			most_gap, name_doubted(job, &wide, whose));
	if (rounded.n > 0)
		warn_of_rounding(&rounded, name_doubted(job, &rounded, whose));
	if (excess.n > 0)
		cli_warn("warning: C times the largest kernel value is %g, too much for doubles: "
			 "the model may be far from the optimum; scale the features%s",
			 excess.worst->certificate.excess, name_doubted(job, &excess, whose));
	if (indefinite.n > 0)
		cli_warn("warning: the kernel is not positive definite on these data: the gap "
			 "proves nothing%s",
			 name_doubted(job, &indefinite, whose));
}

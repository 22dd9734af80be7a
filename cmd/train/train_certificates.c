/*
 * train_certificates.c - randsvm-train: svm-train's lines, and the certificates of all pairs of classes
 *
 * Lines as training goes on; then, of the certificates, the report, lines, and warnings of what is
 * doubtful in them.  After LIBSVM certificates are computed here; our own solvers make them themselves.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common/certificate_print.h"
#include "evaluate/svm_train_lines.h"
#include "train.h"

/* ---- svm-train's lines, and rounds ---- */

/*
 * The library trains on working sets and calls the functions below for each round, pair of classes
 * and fold.  They print lines of svm-train's form, and rounds where the mode prints them.  People
 * parse these lines: they go to run.info unchanged.
 */

/* Bytes of a name such as "classes 1 and 2" or "class 1 against the rest". */
#define TRAIN_NAME_SIZE 64

/* What a pair of classes is called; until the end of the block. */
#define PAIR_NAME(pair)                                                                     \
	(is_one_vs_rest() ?                                                                 \
		 FORMATTED(TRAIN_NAME_SIZE, "class %d against the rest", (pair)->label_a) : \
		 FORMATTED(TRAIN_NAME_SIZE, "classes %d and %d", (pair)->label_a,           \
			   (pair)->label_b))

static void planned(void *arg, const struct plan_line *line, int n_lines)
{
	const struct training_job *job = arg;

	for (int i = 0; given.common.verbose && job->display.fold <= 1 && i < n_lines; i++)
		cli_warn("%s: %s (%s)", line[i].subject, line[i].choice, line[i].reason);
}

static void pair_started(void *arg, const struct pair_result *pair)
{
	const struct training_job *job = arg;

	if (job->result.n_pairs > 1 && given.common.verbose)
		cli_warn("%s: %" PRId64 " examples", PAIR_NAME(pair), pair->n);
}

/* Bytes of a text such as "fold 10 of 10, pair 4950 of 4950". */
enum { PART_SIZE = 96 };

/* Are pairs counted?  With -b 1 each pair is trained several times, and counts would mislead. */
static bool counts_pairs(const struct training_job *job)
{
	return job->result.n_pairs > 1 && job->display.n_trained < job->result.n_pairs &&
	       !given.probability;
}

/*
 * For progress, until the end of the block: the fold and the pair in training; "" if there is only
 * one, or no progress.
 */
#define PART_NAME(job) name_part(job, (char[PART_SIZE]){ 0 })
static const char *name_part(const struct training_job *job, char part[PART_SIZE])
{
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
	const char *const part = PART_NAME(job);

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

/* Reason why a pair's training ended; a time limit by its name. */
static const char *train_reason_text(enum stop_reason reason)
{
	return reason == STOP_INTERRUPTED && !cli_interrupted() ? "time limit" :
								  stop_reason_text(reason);
}

static void warn_of_iterations(const struct training_job *job, const struct pair_result *pair)
{
	cli_warn("WARNING: reaching max number of iterations");
	if (given.common.quiet)
		return;
	cli_note("%s%sa smaller -c takes fewer iterations%s",
		 job->result.n_pairs > 1 ? PAIR_NAME(pair) : "",
		 job->result.n_pairs > 1 ? ": " : "",
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

	job->display.n_trained++;
	if (counts_pairs(job))
		cli_progress_text(&job->run.progress, "%s", PART_NAME(job));
	if (to && settings.n_models > 1)
		fprintf(to, "stopped after %d round%s: %s\n", pair->solved.rounds,
			pair->solved.rounds == 1 ? "" : "s",
			train_reason_text(pair->solved.reason));
	else if (to)
		fprintf(to, "stopped after round %d: %s\n", pair->solved.rounds,
			train_reason_text(pair->solved.reason));
	if (pair->solved.reason == STOP_MAX_ITERATIONS)
		warn_of_iterations(job, pair);
	if (settings.mode == MODE_EXACT && pair->solved.reason == STOP_MAX_ROUNDS)
		cli_warn("warning: reaching max number of rounds");
}

static void fold_started(void *arg, const struct fold_training *fold)
{
	struct training_job *job = arg;
	const char *const whose = !fold->for_probabilities ?
					  "" :
				  fold->label_a == fold->label_b ?
					  "probabilities, " :
					  FORMATTED(64, "probabilities of classes %d and %d, ",
						    fold->label_a, fold->label_b);

	if (!fold->for_probabilities) {
		job->display.n_trained = 0;
		job->display.fold = fold->number;
		job->display.n_folds = fold->n_folds;
	}
	if (given.common.verbose)
		cli_warn("%sfold %" PRId64 " of %" PRId64 ": %" PRId64 " examples to train on",
			 whose, fold->number, fold->n_folds, fold->n);
}

static void fold_trained(void *arg, const struct solution *s, const struct pair_result *pairs)
{
	struct training_job *job = arg;

	job->display.n_reversed += solution_n_reversed(s);
	/* a fold may lack a class, and one for probabilities is of a single pair */
	for (int64_t q = 0; q < solution_n_pairs(s->n_class); q++)
		job->display.n_coarse += pairs[q].solved.certificate.excess > 0;
	svm_train_model_lines(&job->machine.training, s, pairs, &job->setup.messages);
}

static void marks_fitted(void *arg UNUSED, bool enough)
{
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

/* ---- certificates as lines ---- */

/* " (classes 1 and 2)"; "" where there is one problem alone; until the end of the block. */
#define NAME_BEHIND(job, pair) \
	((job)->result.n_pairs > 1 ? FORMATTED(TRAIN_NAME_SIZE + 4, " (%s)", PAIR_NAME(pair)) : "")

/* The words before the gap, by the reason that ended the training. */
static const char *end_words(enum stop_reason reason)
{
	if (reason == STOP_OPTIMAL || reason == STOP_WHOLE_SET || reason == STOP_PRECISION)
		return "optimal to";
	if (reason == STOP_GAP) /* one class against the rest ends by a gap of its own */
		return cli_given("--gap") ? "--gap met:" : "optimal to";
	return "stopped early at";
}

static void print_certificate(const struct pair_result *pair, const char *after, FILE *to)
{
	certificate_print(&pair->solved.certificate, end_words(pair->solved.reason), to);
	fprintf(to, "%s\n", after);
}

/* Print the certificates, with --verbose all their numbers, and where several the worst and the sum. */
static void print_certificates(const struct training_job *job, FILE *to)
{
	const struct machine_result *r = &job->result;
	const struct pair_result *worst = r->pairs, sum = machine_result_sum(r);

	for (const struct pair_result *pair = r->pairs; pair < r->pairs + r->n_pairs; pair++) {
		const char *const name = NAME_BEHIND(job, pair);

		print_certificate(pair, name, to);
		if (given.common.verbose) {
			certificate_print_numbers(&pair->solved.certificate, to);
			fprintf(to, "%s\n", name);
		}
		if (certificate_relative_gap(&pair->solved.certificate) >
		    certificate_relative_gap(&worst->solved.certificate))
			worst = pair;
	}
	if (r->n_pairs == 1)
		return;
	fputs("worst: ", to);
	print_certificate(worst, NAME_BEHIND(job, worst), to);
	fprintf(to, "all %" PRId64 " %s: ", r->n_pairs, is_one_vs_rest() ? "classes" : "pairs");
	print_certificate(&sum, "", to);
}

/*
 * Share of a constant's objective from which on a machine against the rest is none but that constant.
 * A value of -1 for all rows costs 2 C for each row of the class, all on the wrong side.
 */
#define CONSTANT_SHARE 0.999

/* Note such machines: the hinge loss gives a class up where fewer than half of the rows are of it. */
static void remark_constants(const struct training_job *job)
{
	const struct machine_result *r = &job->result;
	int64_t n = 0;

	for (int64_t k = 0; given.loss == LOSS_HINGE && is_one_vs_rest() && k < r->n_pairs; k++)
		n += r->pairs[k].solved.certificate.primal >= CONSTANT_SHARE * r->pairs[k].constant;
	if (n > 0)
		cli_note("%" PRId64 " of %" PRId64
			 " machines give all rows the same value, nearly: "
			 "C is small, or fewer than half of any rows alike are of their class, as "
			 "with wrong labels; try a larger C, or --loss logistic or squared",
			 n, r->n_pairs);
}

/* svm-train's lines, unless LIBSVM has printed them, and the certificates. */
static void print_pairs(const struct training_job *job)
{
	const struct machine_result *r = &job->result;
	const struct training *t = &job->machine.training;

	for (int64_t c = 0; is_one_vs_rest() && c < r->n_pairs; c++)
		svm_train_pair_lines(t, &r->pairs[c], &job->setup.messages);
	if (!is_one_vs_rest() && !job->machine.direct_reason)
		svm_train_model_lines(t, &r->solution, r->pairs, &job->setup.messages);
	print_certificates(job, job->run.info);
	remark_constants(job);
}

/* Report the work of our own solvers, and with --verbose print it. */
static void tell_work(const struct work_counts *w, struct report *r, FILE *to)
{
	static const char *const purpose[] = { "optimising", "decisions", "proofs", "rounding" };
	static const char *const kind[] = { "floats", "doubles", "kept", "entries" };
	const struct work_sums sums = work_sums(w);
	char values[128] = "";

	if (sums.floor == 0)
		return;
	r = report_object(r, "work");
	report_count(r, "floor", sums.floor);
	report_number(r, "per_floor", sums.per_floor);
	for (int p = 0; p < WORK_N_PURPOSES; p++) {
		struct report *of = report_object(r, purpose[p]);

		for (int k = 0; k < WORK_N_KINDS; k++)
			report_count(of, kind[k], w->of[p][k]);
		text_append(values, sizeof(values), ", %.3g for %s",
			    1e-6 * (double)(w->of[p][WORK_FLOATS] + w->of[p][WORK_DOUBLES]),
			    purpose[p]);
	}
	if (given.common.verbose)
		fprintf(to,
			"Work, in millions: %.3g entries of rows; kernel values computed%s, %.3g of "
			"them in doubles; %.3g times the floor of %.3g\n",
			1e-6 * (double)sums.of[WORK_ENTRIES], values,
			1e-6 * (double)sums.of[WORK_DOUBLES], sums.per_floor,
			1e-6 * (double)sums.floor);
}

/* ---- doubts ---- */

/* A doubt about certificates: number of pairs, and the pair of the largest relative gap. */
struct doubt {
	int64_t n, n_violators; /* numbers of problems, and of their violators in all */
	const struct pair_result *worst;
};

static void add_doubt(struct doubt *d, const struct pair_result *pair)
{
	d->n_violators += pair->solved.certificate.n_violators;
	if (d->n++ == 0 || certificate_relative_gap(&pair->solved.certificate) >
				   certificate_relative_gap(&d->worst->solved.certificate))
		d->worst = pair;
}

/*
 * Doubted pairs, until the end of the block: "", or " (17 of 20 classes, the worst class 4 against
 * the rest)"
 */
#define NAME_DOUBTED(job, d)                                                                      \
	((job)->result.n_pairs > 1 ?                                                              \
		 FORMATTED(2 * TRAIN_NAME_SIZE, " (%" PRId64 " of %" PRId64 " %s, the worst %s)", \
			   (d)->n, (job)->result.n_pairs, is_one_vs_rest() ? "classes" : "pairs", \
			   PAIR_NAME((d)->worst)) :                                               \
		 "")

/* A note where a one-class model has far more rows outside than nu allows. */
static void remark_outside(const struct training_job *job)
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

/*
 * Is the relative gap above --gap; or above that, and the gap above rounding, of which -q has no
 * bound?
 */
static bool is_wide(const struct training_job *job, const struct pair_result *pair)
{
	const struct certificate *c = &pair->solved.certificate;
	const double asked = given.machine.options.gap;
	double losses = DBL_EPSILON * job->machine.training.C * (double)pair->n;

	return settings.mode == MODE_EXACT && c->n_violators + c->excess == 0 &&
	       isfinite(c->dual) && pair->solved.reason != STOP_INTERRUPTED &&
	       (asked > 0 || certificate_gap(c) > fmax(4 * c->rounding, losses)) &&
	       certificate_relative_gap(c) > (asked > 0 ? asked : WIDE_GAP);
}

/* Warn of relative gaps that are too wide. */
static void warn_of_gap(const struct doubt *d, const char *whose)
{
	const struct certificate *c = &d->worst->solved.certificate;
	const double asked = given.machine.options.gap;

	cli_warn("warning: the relative gap is above %g, though no example violates by more than "
		 "-e: %s%s",
		 asked > 0 ? asked : WIDE_GAP,
		 certificate_gap(c) > 4 * c->rounding ?
			 "try a smaller -e" :
			 "most of it is the bound of its rounding errors",
		 whose);
}

/* Warn of solutions that doubles are too coarse for; what is computed may violate nothing. */
static void warn_of_rounding(const struct doubt *d, const char *whose)
{
	const double excess = d->worst->solved.certificate.excess;

	cli_warn("warning: %s violate the optimality conditions by more than -e: C times the "
		 "largest kernel value is %.2g, so that doubles hold decision values to %.2g; "
		 "scale the features, or try a smaller -c%s",
		 d->n_violators > 0 ? FORMATTED(40, "%" PRId64 " examples", d->n_violators) :
				      "examples may",
		 excess, DBL_EPSILON * excess, whose);
}

/* Warn of doubtful certificates of all pairs. */
static void doubt_certificates(const struct training_job *job)
{
	struct doubt violated = { 0 }, rounded = { 0 }, excess = { 0 }, indefinite = { 0 },
		     wide = { 0 };

	for (int64_t q = 0; q < job->result.n_pairs; q++) {
		const struct pair_result *pair = &job->result.pairs[q];
		const struct certificate *c = &pair->solved.certificate;

		if (c->excess > 0 && !certificate_is_doubted(c))
			add_doubt(&rounded, pair);
		else if (settings.mode == MODE_EXACT && c->n_violators > 0 &&
			 pair->solved.reason != STOP_GAP)
			add_doubt(&violated, pair);
		if (certificate_is_doubted(c))
			add_doubt(&excess, pair);
		if (is_wide(job, pair))
			add_doubt(&wide, pair);
		if (certificate_is_below_dual(c))
			add_doubt(&indefinite, pair);
	}
	if (certificate_separates_nothing(job->machine.training.type,
					  &job->result.pairs[0].solved.certificate))
		cli_warn("warning: no plane separates the rows from the origin, and the model is "
			 "nothing: try -t 2");
	if (violated.n > 0)
		cli_warn("warning: %" PRId64 " examples violate the optimality conditions by more "
			 "than -e%s",
			 violated.n_violators, NAME_DOUBTED(job, &violated));
	if (wide.n > 0)
		warn_of_gap(&wide, NAME_DOUBTED(job, &wide));
	if (rounded.n > 0)
		warn_of_rounding(&rounded, NAME_DOUBTED(job, &rounded));
	if (excess.n > 0)
		cli_warn("warning: C times the largest kernel value is %g, too much for doubles: "
			 "the model may be far from the optimum; scale the features%s",
			 excess.worst->solved.certificate.excess, NAME_DOUBTED(job, &excess));
	if (indefinite.n > 0)
		cli_warn("warning: the kernel is not positive definite on these data: the gap "
			 "proves nothing%s",
			 NAME_DOUBTED(job, &indefinite));
}

/* ---- all of it ---- */

/* Can the model be certified?  LIBSVM's machines of nu cannot; our own are in training. */
static bool can_certify(const struct training_job *job)
{
	return settings.mode != MODE_DIRECT && job->result.n_pairs > 0 &&
	       !(job->machine.direct_reason && machine_fixes_sums(job->machine.training.type));
}

void train_certificates(struct training_job *job)
{
	const struct machine *m = &job->machine;
	const struct machine_result *r = &job->result;
	struct error err = { 0 };

	/* svm-train's model stays as it is, but how many rows it leaves outside is told */
	if (m->training.type == MACHINE_ONE_CLASS && !given.common.quiet &&
	    (can_certify(job) ||
	     trainer_certify(&m->trainer, NULL, &r->solution, r->pairs, &err) == 0))
		remark_outside(job);
	if (!can_certify(job))
		return;
	if (m->direct_reason) {
		cli_run_progress(&job->run, "certifying");
		cli_check(trainer_certify(&m->trainer, machine_classes(m), &r->solution, r->pairs,
					  &err),
			  &err);
		cli_progress_end(&job->run.progress);
		cli_run_phase(&job->run, "certify");
	}
	/* no numbers, or doubles that are too coarse for a pair's solution, end the program */
	for (const struct pair_result *pair = r->pairs; pair < r->pairs + r->n_pairs; pair++)
		cli_check(
			certificate_check(&pair->solved.certificate, NAME_BEHIND(job, pair), &err),
			&err);
	machine_result_report(r, train_reason_text, job->run.report);
	doubt_certificates(job);
	if (!given.common.quiet)
		print_pairs(job);
	tell_work(&r->work, job->run.report, given.common.quiet ? stderr : job->run.info);
}

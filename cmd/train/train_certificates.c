/*
 * train_certificates.c - randsvm-train: after training, the certificates of all pairs of classes
 *
 * svm-train's lines, the certificates, their report, and warnings of what is doubtful in them.  After
 * LIBSVM certificates are computed here; our own solvers make them themselves.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "common/bound_text.h"
#include "evaluate/svm_train_lines.h"
#include "train.h"

/* Sums over all pairs or machines, the most of the reasons to end, and the pair of the widest gap. */
static struct pair_result sum_pairs(const struct training_job *job,
				    const struct pair_result **worst)
{
	struct pair_result sum = { 0 };

	*worst = job->result.pairs;
	for (int64_t q = 0; q < job->result.n_pairs; q++) {
		const struct pair_result *pair = &job->result.pairs[q];

		certificate_add(&sum.certificate, &pair->certificate);
		sum.rounds += pair->rounds;
		if (pair->reason > sum.reason)
			sum.reason = pair->reason;
		if (certificate_relative_gap(&pair->certificate) >
		    certificate_relative_gap(&(*worst)->certificate))
			*worst = pair;
	}
	return sum;
}

/* ---- the report ---- */

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

/* Report certificates: a single pair's numbers; or sums, and each pair's numbers under "pairs". */
static void report_certificates(const struct training_job *job)
{
	const struct pair_result *pair = job->result.pairs, *worst;
	struct pair_result sum = sum_pairs(job, &worst);
	struct report *r = job->run.report, *array;

	if (job->result.n_pairs == 1) {
		report_pair(r, pair);
		report_number(r, "rho", pair->rho); /* a constant is no sum */
		return;
	}
	if (!is_one_vs_rest())
		sum.certificate.n_sv = job->result.solution.n_sv;
	report_pair(r, &sum);
	array = report_array(r, "pairs");
	for (; array && pair < job->result.pairs + job->result.n_pairs; pair++) {
		r = report_item(array);
		report_count(r, "label_a", pair->label_a);
		if (!is_one_vs_rest())
			report_count(r, "label_b", pair->label_b);
		report_pair(r, pair);
		report_number(r, "rho", pair->rho);
	}
}

/* ---- lines ---- */

static void print_certificate(const struct training_job *job, const struct pair_result *pair)
{
	const struct certificate *c = &pair->certificate;
	char primal[BOUND_TEXT_SIZE], dual[BOUND_TEXT_SIZE], name[TRAIN_NAME_SIZE];

	fprintf(job->run.info, "primal = %s, ", bound_text(c->primal, c->rounding, primal));
	if (isinf(c->dual))
		fprintf(job->run.info, "dual unknown, rounding = %.2g", c->rounding);
	else
		fprintf(job->run.info, "dual = %s, gap = %g, rounding = %.2g, relative gap = %g",
			bound_text(c->dual, c->rounding, dual), c->primal - c->dual, c->rounding,
			certificate_relative_gap(c));
	fprintf(job->run.info, ", violators = %" PRId64, c->n_violators);
	if (job->result.n_pairs > 1)
		fprintf(job->run.info, " (%s)", train_name_pair(pair, name));
	fputc('\n', job->run.info);
}

/* svm-train's lines, unless LIBSVM has printed them, the certificates, and where several their sum. */
static void print_pairs(const struct training_job *job)
{
	const struct machine_result *r = &job->result;
	const struct training *t = &job->machine.training;
	const struct pair_result *worst, sum = sum_pairs(job, &worst);
	char primal[BOUND_TEXT_SIZE], name[TRAIN_NAME_SIZE];

	for (int64_t c = 0; is_one_vs_rest() && c < r->n_pairs; c++)
		svm_train_pair_lines(t, &r->pairs[c], &job->setup.messages);
	if (!is_one_vs_rest() && !job->machine.direct_reason)
		svm_train_model_lines(t, &r->solution, r->pairs, &job->setup.messages);
	for (int64_t q = 0; q < r->n_pairs; q++)
		print_certificate(job, &r->pairs[q]);
	if (r->n_pairs > 1)
		fprintf(job->run.info,
			"all %" PRId64 " %s: primal = %s, relative gap = %.2g, worst %.2g (%s), "
			"violators = %" PRId64 "\n",
			r->n_pairs, is_one_vs_rest() ? "classes" : "pairs",
			bound_text(sum.certificate.primal, sum.certificate.rounding, primal),
			certificate_relative_gap(&sum.certificate),
			certificate_relative_gap(&worst->certificate), train_name_pair(worst, name),
			sum.certificate.n_violators);
}

/* ---- doubts ---- */

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
				char text[2 * TRAIN_NAME_SIZE])
{
	char name[TRAIN_NAME_SIZE];

	text[0] = '\0';
	if (job->result.n_pairs > 1)
		snprintf(text, 2 * TRAIN_NAME_SIZE,
			 " (%" PRId64 " of %" PRId64 " %s, the worst %s)", d->n,
			 job->result.n_pairs, is_one_vs_rest() ? "classes" : "pairs",
			 train_name_pair(d->worst, name));
	return text;
}

/* End the program if a certificate is no numbers or doubles are too coarse for a pair's solution. */
static void refuse_certificates(const struct training_job *job)
{
	char name[TRAIN_NAME_SIZE], whose[TRAIN_NAME_SIZE + 4] = "";
	struct error err = { 0 };

	for (int64_t q = 0; q < job->result.n_pairs; q++) {
		const struct pair_result *pair = &job->result.pairs[q];

		if (job->result.n_pairs > 1)
			snprintf(whose, sizeof(whose), " (%s)", train_name_pair(pair, name));
		cli_check(certificate_check(&pair->certificate, whose, &err), &err);
	}
}

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
	const struct certificate *c = &pair->certificate;
	const double asked = given.machine.options.gap;
	double losses = DBL_EPSILON * job->machine.training.C * (double)pair->n;

	return settings.mode == MODE_EXACT && c->n_violators + c->excess == 0 &&
	       isfinite(c->dual) && pair->reason != STOP_INTERRUPTED &&
	       (asked > 0 || c->primal - c->dual > fmax(2 * c->rounding, losses)) &&
	       certificate_relative_gap(c) > (asked > 0 ? asked : WIDE_GAP);
}

/* Warn of relative gaps that are too wide. */
static void warn_of_gap(const struct doubt *d, const char *whose)
{
	const struct certificate *c = &d->worst->certificate;
	const double asked = given.machine.options.gap;

	cli_warn("warning: the relative gap is above %g, though no example violates by more than "
		 "-e: %s%s",
		 asked > 0 ? asked : WIDE_GAP,
		 c->primal - c->dual > 2 * c->rounding ?
			 "try a smaller -e" :
			 "most of it is the bound of its rounding errors",
		 whose);
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

/* Warn of doubtful certificates of all pairs. */
static void doubt_certificates(const struct training_job *job)
{
	struct doubt violated = { 0 }, rounded = { 0 }, excess = { 0 }, indefinite = { 0 },
		     wide = { 0 };
	char whose[2 * TRAIN_NAME_SIZE];

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
		if (is_wide(job, pair))
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
		warn_of_gap(&wide, name_doubted(job, &wide, whose));
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
	refuse_certificates(job);
	report_certificates(job);
	doubt_certificates(job);
	if (!given.common.quiet)
		print_pairs(job);
}

/*
 * eval_certify.c - svm-eval --certify: how near a model is to the optimum on its training set
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common/certificate_print.h"
#include "common/help.h"
#include "common/read_rows.h"
#include "eval.h"
#include "io/gzip.h"
#include "model/compact.h"

/* Names of the two problems of a LIBLINEAR model with a constant, by enum certify_constant. */
static const char *const constant_names[] = { NULL, "constant in |w|", "constant free" };

static bool has_dual(const struct pair_certificate *p)
{
	return !isnan(p->certificate.dual);
}

/* Print a certificate as a line, with --verbose all its numbers, and what else is known of it. */
static void print_pair(const struct pair_certificate *p, bool several, FILE *to)
{
	const bool knows_rows = !isnan(p->kkt_violation);
	const struct exact_certificate *e = &p->exact;
	struct certificate c = p->certificate;
	const char *const name =
		!several ? "" :
		p->label_a == p->label_b ?
			   FORMATTED(64, " (class %d against the rest)", p->label_a) :
			   FORMATTED(64, " (classes %d and %d)", p->label_a, p->label_b);

	if (!knows_rows)
		c.n_violators = -1;
	certificate_print(&c, "optimal to", to);
	if (p->constant != CONSTANT_KNOWN)
		fprintf(to, ", %s", constant_names[p->constant]);
	if (p->constant != CONSTANT_KNOWN && !has_dual(p))
		fprintf(to, ", primal with constant free = %f", p->primal_free);
	fprintf(to, "%s\n", name);
	if (knows_rows)
		fprintf(to, "worst KKT violation = %g, nSV = %" PRId64 ", nBSV = %" PRId64 "%s\n",
			p->kkt_violation, c.n_sv, c.n_bounded_sv, name);
	if (settings.common.verbose) {
		certificate_print_numbers(&c, to);
		fprintf(to, "%s\n", name);
	}
	/* decimals that stand for the doubles nearest to them */
	if (settings.exact && e->known)
		fprintf(to, "exact: objective <= %.17g, %s >= %.17g%s\nexact: gap <= %.17g%s%s\n",
			e->primal[1], p->certificate.indefinite ? "dual" : "optimum", e->dual[0],
			name, e->gap[1], e->rounded ? "" : ", nothing rounded", name);
	else if (settings.exact)
		fprintf(to, "exact: nothing is proved without multipliers of these rows%s\n", name);
}

static void report_keys(const struct pair_certificate *p, bool multipliers, struct report *r)
{
	const struct certificate *c = &p->certificate;

	certificate_report(c, r);
	report_number(r, "kkt_violation", p->kkt_violation);
	if (!isnan(p->ball.radius)) {
		report_number(r, "w_within", p->ball.radius);
		report_number(r, "constant_least", p->ball.low);
		report_number(r, "constant_most", p->ball.high);
	}
	if (p->exact.known) {
		report_number(r, "exact_primal_least", p->exact.primal[0]);
		report_number(r, "exact_primal_most", p->exact.primal[1]);
		report_number(r, "exact_dual_least", p->exact.dual[0]);
		report_number(r, "exact_dual_most", p->exact.dual[1]);
		report_number(r, "exact_gap_least", p->exact.gap[0]);
		report_number(r, "exact_gap_most", p->exact.gap[1]);
	}
	if (p->constant != CONSTANT_KNOWN)
		report_text(r, "constant", p->constant == CONSTANT_FREE ? "free" : "in |w|");
	if (p->constant != CONSTANT_KNOWN && !has_dual(p))
		report_number(r, "primal_constant_free", p->primal_free);
	if (!multipliers || isnan(p->kkt_violation))
		return;
	report_count(r, "violators", c->n_violators);
	report_count(r, "n_sv", c->n_sv);
	report_count(r, "n_bsv", c->n_bounded_sv);
}

/* Sum the certificates of all pairs; the largest KKT violation; 'constant' if all pairs agree. */
static struct pair_certificate sum_pairs(const struct model_certificate *c)
{
	struct pair_certificate sum = { .ball = c->pair[0].ball, .exact = c->pair[0].exact };

	for (int64_t v = 0; v < c->n_pairs; v++) {
		const struct pair_certificate *p = &c->pair[v];

		certificate_add(&sum.certificate, &p->certificate);
		sum.primal_free += p->primal_free;
		sum.constant = v == 0 || p->constant == sum.constant ? p->constant : CONSTANT_KNOWN;
		if (v > 0)
			sum.ball.radius = NAN;
		sum.exact.known = sum.exact.known && v == 0;
		if (isnan(p->kkt_violation) || p->kkt_violation > sum.kkt_violation)
			sum.kkt_violation = isnan(sum.kkt_violation) ? NAN : p->kkt_violation;
	}
	return sum;
}

/* The decision function with the largest gap among those not optimal; NULL if all are optimal. */
static const struct pair_certificate *find_worst(const struct model_certificate *c,
						 const struct training *t)
{
	const struct pair_certificate *worst = NULL;

	for (int64_t v = 0; v < c->n_pairs; v++) {
		const struct pair_certificate *p = &c->pair[v];

		if (has_dual(p) && !certify_optimal(p, t->eps) &&
		    (!worst || certificate_relative_gap(&p->certificate) >
				       certificate_relative_gap(&worst->certificate)))
			worst = p;
	}
	return worst;
}

static void report_certificate(const struct model_certificate *c,
			       const struct pair_certificate *sum, struct report *r)
{
	struct report *pairs;

	report_keys(sum, c->has_multipliers, r);
	report_count(r, "missing_sv", c->n_missing);
	if (c->n_pairs < 2)
		return;
	pairs = report_array(r, "pairs");
	for (int64_t v = 0; v < c->n_pairs; v++) {
		struct report *item = report_item(pairs);

		report_count(item, "label_a", c->pair[v].label_a);
		if (c->pair[v].label_b != c->pair[v].label_a)
			report_count(item, "label_b", c->pair[v].label_b);
		report_keys(&c->pair[v], c->has_multipliers, item);
	}
}

/* Names of the training options that the model depends on. */
static const char *options_of(const struct model *m)
{
	if (!m->is_linear_model && machine_fixes_sums(m->type))
		return m->type == MACHINE_NU_SVR ? "-n, -c" : "-n";
	return "-c, -p, -w";
}

/* Warn of coefficients whose sums are of another nu, or beyond one-class's bound 1. */
static bool doubt_sums(const struct pair_certificate *p, const struct model *m,
		       const struct training *t)
{
	if (p->shown_nu > 0)
		cli_warn("warning: the coefficients are those of -n %.6g, not -n %g: wrong %s, or "
			 "another training set",
			 p->shown_nu, t->nu, options_of(m));
	else if (m->type == MACHINE_ONE_CLASS && p->excess > CERTIFY_ROUNDING)
		cli_warn("warning: a coefficient exceeds its bound: it is %g, and not at most 1; "
			 "this is no solution",
			 1 + p->excess);
	return p->sum_excess > CERTIFY_ROUNDING ||
	       (p->excess > CERTIFY_ROUNDING && m->type != MACHINE_NU_SVR);
}

/*
 * Warn of contradictions of one decision function.  Of a linear model coefficients beyond C could
 * also be those of squared losses, which need it.
 */
static bool doubt_pair(const struct pair_certificate *p, bool rows_are_known,
		       const struct training *t, const struct model *m)
{
	const bool is_linear = m->kernel.type == KERNEL_LINEAR;
	const bool has_c = m->is_linear_model || machine_has_cost(m->type);
	const bool exceeds = has_c && p->excess > CERTIFY_ROUNDING;
	bool wrong = false;

	if (!m->is_linear_model && machine_fixes_sums(m->type))
		wrong = doubt_sums(p, m, t);
	wrong = wrong || exceeds || p->imbalance > CERTIFY_ROUNDING;
	if (exceeds)
		cli_warn("warning: a coefficient exceeds its bound: it is %g times C and weight: "
			 "wrong -c or -w, %sor another training set",
			 1 + p->excess,
			 is_linear && m->type != MACHINE_NU_SVR && !cli_given("--loss") ?
				 "trained with --loss squared (then say so here), " :
				 "");
	if (p->imbalance > CERTIFY_ROUNDING)
		cli_warn("warning: the coefficients do not sum to 0: by %g of their sizes; this is "
			 "no solution",
			 p->imbalance);
	if (!rows_are_known)
		return wrong;
	if (has_c && p->largest_share < 1 - CERTIFY_ROUNDING && p->n_at_largest > 1 &&
	    p->kkt_violation > 10 * t->eps)
		cli_warn("warning: %" PRId64 " coefficients are %g times C and weight, and none is "
			 "larger: was it trained with -c %g?",
			 p->n_at_largest, p->largest_share, p->largest_share * t->C);
	if (p->n_showing_p > 0)
		cli_warn("warning: %" PRId64 " free support vectors are not at the border of "
			 "-p %g: they suggest -p %.3g",
			 p->n_showing_p, t->p, p->shown_p);
	if (certificate_is_below_dual(&p->certificate))
		cli_warn("warning: the kernel is not positive definite on these data: the gap "
			 "proves nothing");
	return wrong;
}

/* Warn of a gap larger than training on these data with these parameters leaves. */
static void doubt_optimum(const struct model_certificate *c, const struct pair_certificate *sum,
			  const struct model *m, const struct pair_certificate *worst)
{
	double gap;

	if (!c->has_multipliers && !has_dual(sum))
		cli_warn("note: nothing was checked: without a dual the primal shows neither "
			 "wrong -c, -p and -w nor another training set");
	if (!worst)
		return;
	gap = certificate_relative_gap(&worst->certificate);
	if (c->has_multipliers)
		cli_warn("warning: not the optimum for these %s and data: relative gap %g, "
			 "worst KKT violation %g",
			 options_of(m), gap, worst->kkt_violation);
	else
		cli_warn("warning: not proved to be near the optimum for these -c, -p, -w and "
			 "data: relative gap %g (it is this large too after training with a large "
			 "-e, or on other features, as for a model of --fold)",
			 gap);
}

/* Are the decision values of the file those of the certificate, as near as training comes? */
static bool is_rounded(const struct model_certificate *c, const struct training *t)
{
	return c->n_ambiguous > 0 || c->change > t->eps;
}

/* Warn of a file that is another model than the one that was trained, as svm-train's may be. */
static void doubt_digits(const struct model_certificate *c, const struct training *t)
{
	const char *const cure = "train again: randsvm-train writes all digits, but with --mode "
				 "direct";

	if (c->n_ambiguous > 0)
		cli_warn("warning: %" PRId64 " of %" PRId64 " support vectors are examples in 8 "
			 "digits only, as svm-train writes them, and may be several that differ: "
			 "the bounds hold, but the gap is that of a guess; %s",
			 c->n_ambiguous, c->n_sv, cure);
	else if (is_rounded(c, t))
		cli_warn("warning: support vectors are examples in 8 digits only, as svm-train "
			 "writes them: decision values of the file are off by up to %.3g from "
			 "those that are certified; %s",
			 c->change, cure);
}

/* Warn of contradictions; returns whether the training set or the parameters must be wrong. */
static bool doubt(const struct model_certificate *c, const struct model *m,
		  const struct training *t)
{
	bool wrong = false;

	for (int64_t v = 0; v < c->n_pairs; v++)
		wrong |= doubt_pair(&c->pair[v], c->n_ambiguous == 0, t, m);
	if (model_is_compact(m)) {
		cli_warn("note: the model holds weights, not multipliers: no dual and no KKT "
			 "conditions");
	} else if (c->n_missing > 0) {
		cli_warn("warning: %" PRId64 " of %" PRId64 " support vectors are not among the "
			 "examples of their class: another training set",
			 c->n_missing, c->n_sv);
		wrong = true;
	}
	if (!m->is_linear_model && !kernel_is_definite(&m->kernel))
		cli_note(
			"with this kernel there may be several optima, and another model may have a "
			"primal below this dual");
	return wrong;
}

/* Training set: a file, read for each scan; or a pipe, read once and kept. */
struct training_set {
	struct cli_source file;
	struct dataset kept;
};

static int scan_kept(void *arg, const struct rows_visitor *visitor, int n_threads,
		     struct error *err)
{
	struct training_set *set = arg;
	int ret;

	cli_run_progress(set->file.run, set->file.scan.what);
	ret = dataset_scan(&set->kept, visitor, n_threads, err);
	cli_progress_end(&set->file.run->progress);
	return ret;
}

/*
 * Open the training set; a pipe is kept if rows are needed again, and so are rows with weights of
 * their own or of balanced classes, and those of --exact.
 */
static struct row_source open_training_set(struct training_set *set, const struct model *m)
{
	if (settings.other.file[0] == settings.certify && !settings.row_weights &&
	    !settings.weights.automatic && !settings.exact &&
	    (certify_scans_once(m) || cli_reads_again(settings.certify)))
		return (struct row_source){ cli_scan_source, &set->file };
	cli_read_rows(set->file.run, &set->kept, &settings.other);
	if (settings.row_weights)
		mem_free(cli_weigh_rows(&set->kept, NULL, settings.row_weights, settings.certify));
	return (struct row_source){ scan_kept, set };
}

/* Class weights as by randsvm-train -w auto; returns t->weight, to be freed. */
static struct class_weight *balance_weights(struct training *t, const struct model *m,
					    const struct dataset *d, struct cli_run *run,
					    struct error *err)
{
	struct class_weight *weight = NULL;
	struct classes classes = { 0 };
	struct predictor p;

	predictor_of_values(&p, m);
	if (!p.label || (!m->is_linear_model && m->type != MACHINE_C_SVC))
		cli_fail("-w auto is for models of C-SVC");
	if (classes_init(&classes, d, err) == 0)
		weight = mem_array(t->n_weights + classes.n, sizeof(*weight), err);
	if (weight) {
		for (int k = 0; k < t->n_weights; k++)
			weight[k] = t->weight[k];
		classes_balance(&classes, d, weight + t->n_weights);
		t->n_weights += classes.n;
		t->weight = weight;
		cli_tell_weights(run, t, &classes);
	}
	classes_free(&classes);
	return weight;
}

/* Write the model with the constants that its certificates found best, if it is not 'wrong'. */
static void repair(struct model *m, const struct model_certificate *c, const struct training *t,
		   bool wrong, struct cli_run *run)
{
	int64_t n_repaired;

	if (wrong)
		cli_fail("--repair: %s was not trained on %s with these parameters",
			 settings.model_name, settings.certify);
	if (is_rounded(c, t))
		cli_fail("--repair: support vectors of %s are examples in 8 digits "
			 "only: the constants of the certificate are not theirs",
			 settings.model_name);
	n_repaired = certify_repair(m, c);
	report_count(run->report, "repaired", n_repaired);
	cli_tell(run, "repaired = %" PRId64 " of %" PRId64 "\n", n_repaired, c->n_pairs);
	cli_save(&run->file[FILE_PREDICTIONS], model_write, m);
}

/* Tell what the certificates are; returns as certify() does. */
static bool tell(const struct model_certificate *c, const struct model *m, const struct training *t,
		 struct cli_run *run)
{
	const struct pair_certificate *worst;
	struct pair_certificate sum;
	bool wrong;

	if (c->n_pairs == 0) {
		cli_note("a model of one class has no decision function to certify");
		return false;
	}
	for (int64_t v = 0; v < c->n_pairs && !settings.common.quiet; v++)
		print_pair(&c->pair[v], c->n_pairs > 1, run->info);
	worst = find_worst(c, t);
	sum = sum_pairs(c);
	if (c->n_ambiguous == 0)
		doubt_optimum(c, &sum, m, worst);
	doubt_digits(c, t);
	wrong = doubt(c, m, t);
	report_count(run->report, "rows", c->n_rows);
	report_certificate(c, &sum, run->report);
	report_flag(run->report, "feasible", !wrong);
	if (has_dual(&sum) || wrong)
		report_flag(run->report, "optimal", !wrong && !worst && !is_rounded(c, t));
	else
		report_number(run->report, "optimal", NAN);
	return wrong;
}

bool eval_certify_model(struct cli_run *run, const struct model *m, struct model_certificate *c)
{
	struct training training = eval_training(), weighted = training;
	struct class_weight *weight = NULL;
	struct training_set set = { .file.run = run,
				    .file.scan = { settings.certify, "certifying", false,
						   common_rows_options(&settings.common) } };
	struct row_source data = open_training_set(&set, m);
	const struct certify_options options = { (int)settings.common.n_threads, settings.predict,
						 settings.certificate,
						 settings.exact ? &set.kept.x : NULL };
	struct error err = { 0 };
	bool wrong;

	cli_run_phase(run, "read");
	if (settings.weights.automatic)
		weight = balance_weights(&weighted, m, &set.kept, run, &err);
	if (err.code == ERR_NONE)
		certify_model(c, m, &data, &weighted, &options, &err);
	if (set.file.is_unreadable)
		cli_fail_input(settings.certify, &err);
	if (err.code == ERR_LIBRARY)
		cli_fail("--exact: %s (Debian's package libmpfr6)", err.text);
	if (err.code != ERR_NONE)
		cli_fail("%s and %s: %s", settings.model_name, settings.certify, err.text);
	if (c->n_pairs == 0 && (settings.certificate || settings.predict))
		cli_fail("%s: a model of one class has no decision function to prove anything of",
			 settings.model_name);
	cli_run_phase(run, "certify");
	wrong = tell(c, m, &training, run);
	dataset_free(&set.kept);
	mem_free_all(weight, settings.weights.weight);
	return wrong;
}

/*
 * ---- the file of a certificate ----
 *
 * Others can repeat the certificate by it: doc/certificates.md describes the file, and
 * scripts/check_certificate.py checks it.
 */

/* Bytes of a file that are read at a time. */
#define BLOCK 65536

/* A line with the CRC-32 of a file's bytes, unpacked. */
static void write_checksum(const char *key, const char *name, struct output *to, struct error *err)
{
	struct input *input;
	uint8_t block[BLOCK];
	uint32_t crc = 0;
	int64_t n;

	if (!cli_is_file(name))
		cli_fail("--certificate: %s is not a file that can be read again for its checksum",
			 name);
	input = cli_open_input(name);
	while ((n = input_read(input, block, BLOCK, err)) > 0)
		crc = checksum_crc32(crc, block, n);
	if (n < 0)
		cli_fail_input(name, err);
	input_close(input);
	output_printf(to, err, "%s %08" PRIx32 "\n", key, crc);
}

static void write_function(const struct pair_certificate *p, const struct model *m,
			   struct output *to, struct error *err)
{
	const struct certified_rows *r = &p->rows;

	output_printf(to, err, "function");
	if (m->solution.label)
		output_printf(to, err, " %d %d", p->label_a, p->label_b);
	output_printf(to, err, "\nproblem %s\nprimal %.17g\ndual %.17g\nrounding %.17g\n",
		      r->problem, r->primal, r->dual, r->rounding);
	for (int64_t i = 0; i < r->n; i++)
		output_printf(to, err, "row %" PRId64 " %.17g %.17g\n", r->row[i].row + 1,
			      r->row[i].beta, r->row[i].term);
}

static void write_all(const struct model_certificate *c, const struct model *m, struct output *to,
		      struct error *err)
{
	output_printf(to, err, "svm-eval-certificate 1\n");
	write_checksum("data", settings.certify, to, err);
	write_checksum("model", settings.model_name, to, err);
	if (settings.row_weights)
		write_checksum("weights", settings.row_weights, to, err);
	for (int64_t v = 0; v < c->n_pairs; v++)
		write_function(&c->pair[v], m, to, err);
}

/* Write the file of --certificate, or end the program if there can be none. */
static void write_certificate(const struct model_certificate *c, const struct model *m,
			      const struct cli_output *to)
{
	struct output *sum;
	struct error err = { 0 };
	uint32_t crc = 0;

	for (int64_t v = 0; v < c->n_pairs; v++)
		if (!c->pair[v].rows.row || c->change > 0 || m->kernel.type == KERNEL_PRECOMPUTED)
			cli_fail("--certificate: %s has no proof to repeat: wrong parameters or "
				 "data, vectors of 8 digits, weights, or a precomputed kernel",
				 settings.model_name);
	if (output_open_checksum(&sum, &err) == 0) {
		write_all(c, m, sum, &err);
		output_checksum(sum, &crc, &err);
		output_discard(sum);
	}
	write_all(c, m, to->output, &err);
	output_printf(to->output, &err, "checksum %08" PRIx32 "\n", crc);
	if (err.code != ERR_NONE)
		cli_fail_output(to, &err);
}

/* ---- the mode ---- */

int eval_certify(struct cli_run *run, char **names, int n)
{
	struct model_certificate c = { 0 };
	struct model model = { 0 };
	struct error err = { 0 };
	bool wrong;

	cli_allow_names(names, n, 1);
	if (n < 1)
		cli_usage(&eval_program);
	cli_refuse_together("--certify", "-o -z --scores --with-labels --comments --allow-empty");
	settings.model_name = names[0];
	settings.output_name = settings.repair;
	eval_open(run);
	cli_open_output(&run->file[FILE_PREDICTIONS]);
	cli_open_output(&run->file[FILE_CERTIFICATE]);
	if (model_read(&model, settings.model_name, &err) < 0)
		cli_fail("can't open model file %s: %s", settings.model_name, err.text);
	if (settings.repair && model.is_linear_model)
		cli_fail("--repair: %s is a model of LIBLINEAR, whose certificate is that "
			 "of its own constant",
			 settings.model_name);
	wrong = eval_certify_model(run, &model, &c);
	if (settings.certificate)
		write_certificate(&c, &model, &run->file[FILE_CERTIFICATE]);
	if (settings.repair)
		repair(&model, &c, &settings.training, wrong, run);
	model_certificate_free(&c);
	model_free(&model);
	cli_run_commit(run);
	return cli_run_end(run) || wrong;
}

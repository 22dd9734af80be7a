/*
 * machine_train.c - train a machine, or validate it, by the way that it calls for
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/machine_train.h"

/* LIBSVM's solution, which has to be one unless the caller wants what LIBSVM makes as it is. */
static int train_by_libsvm(const struct machine *m, struct solution *s, struct error *err)
{
	const struct trainer *t = &m->trainer;

	srand((unsigned)m->options.seed); /* of folds of probabilities, which LIBSVM draws itself */
	if (libsvm_train(t->data, t->training, t->messages, s, err) < 0)
		return -1;
	if (m->given.direct || !machine_fixes_sums(m->training.type))
		return 0;
	return direct_check(t, machine_classes(m), s, err);
}

struct pair_result machine_result_sum(const struct machine_result *r)
{
	struct pair_result sum = { 0 };

	for (int64_t q = 0; q < r->n_pairs; q++) {
		const struct pair_result *pair = &r->pairs[q];

		certificate_add(&sum.solved.certificate, &pair->solved.certificate);
		sum.solved.rounds += pair->solved.rounds;
		if (pair->solved.reason > sum.solved.reason)
			sum.solved.reason = pair->solved.reason;
	}
	if (r->machines.n_machines == 0)
		sum.solved.certificate.n_sv = r->solution.n_sv;
	return sum;
}

/* Of a problem, or of the sum of all; LIBSVM tells no rounds. */
static void report_problem(const struct machine_result *result, const struct pair_result *pair,
			   const char *(*reason_text)(enum stop_reason reason), struct report *r)
{
	const struct certificate *c = &pair->solved.certificate;

	certificate_report(c, r);
	report_count(r, "violators", c->n_violators);
	report_count(r, "rounds", pair->solved.rounds);
	report_count(r, "n_sv", c->n_sv);
	report_count(r, "n_bsv", c->n_bounded_sv);
	report_text(r, "stop_reason",
		    pair->solved.rounds || result->n_pairs == 0 ? reason_text(pair->solved.reason) :
								  "direct");
}

void machine_result_report(const struct machine_result *result,
			   const char *(*reason_text)(enum stop_reason reason), struct report *r)
{
	const struct pair_result *pair = result->pairs, sum = machine_result_sum(result);
	struct report *array;

	if (result->n_pairs == 1) {
		report_problem(result, pair, reason_text, r);
		report_number(r, "rho", pair->rho); /* a constant is no sum */
		return;
	}
	report_problem(result, &sum, reason_text, r);
	array = report_array(r, "pairs");
	for (; array && pair < result->pairs + result->n_pairs; pair++) {
		r = report_item(array);
		report_count(r, "label_a", pair->label_a);
		if (result->machines.n_machines == 0)
			report_count(r, "label_b", pair->label_b);
		report_problem(result, pair, reason_text, r);
		report_number(r, "rho", pair->rho);
	}
}

int machine_train(const struct machine *m, const struct validation_observer *folds,
		  struct machine_result *r, struct error *err)
{
	const struct classes *classes = machine_classes(m);
	WORK_SCOPE(((struct work_scope){ .counts = m->solver.warm_start ? &r->work : NULL }));
	int ret;

	r->n_pairs = machine_n_problems(m);
	r->pairs = mem_zeroed(r->n_pairs, sizeof(*r->pairs), err);
	if (!r->pairs)
		return -1;
	if (m->given.one_vs_rest && classes->n < 2)
		return error_set(err, ERR_ARGUMENT, "a single class has no rest");
	if (m->given.one_vs_rest)
		return train_calibrated_rest(&m->trainer, classes, folds, &r->machines, r->pairs,
					     err);
	if (m->direct_reason)
		ret = train_by_libsvm(m, &r->solution, err);
	else
		ret = train_calibrated(&m->trainer, classes, folds, &r->solution, r->pairs, err);
	if (ret == 0 && m->training.type == MACHINE_C_SVC && !m->given.direct)
		solution_bound_rho(&r->solution);
	return ret;
}

struct prediction_columns machine_columns(const struct machine *m, bool with_values)
{
	const struct classes *c = &m->classes;

	return (struct prediction_columns){ .n_class = c->n,
					    .label = c->label,
					    .by_class = m->given.one_vs_rest && c->n > 2,
					    .with_values = with_values,
					    .with_probabilities = with_values && c->n > 0 &&
								  m->training.probability };
}

int machine_validate(const struct machine *m, int64_t n_folds,
		     const struct validation_observer *folds, struct fold_start *start,
		     struct cv_predictions *c, struct error *err)
{
	struct validation_observer observer = { 0 };

	/* of machines of each class against the rest the predictions alone are told */
	if (folds && !m->given.one_vs_rest)
		observer = *folds;
	observer.row_predicted = cv_predictions_set;
	observer.table = c;
	if (m->direct_reason) {
		srand((unsigned)m->options.seed);
		return libsvm_cross_validate(m->trainer.data, m->trainer.training, (int)n_folds,
					     m->trainer.messages, c->predicted, err);
	}
	return cross_validate(&m->trainer, m->given.one_vs_rest, n_folds, &observer, start,
			      c->predicted, err);
}

void machine_result_free(struct machine_result *r)
{
	mem_free(r->pairs);
	one_vs_rest_free(&r->machines);
	solution_free(&r->solution);
}

/*
 * eval_proved.c - svm-eval --certify --predict: which predictions are those of every optimum
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>

#include "eval.h"

void eval_prove(struct eval_job *job)
{
	const struct model_certificate *c = &job->certificate;

	if (eval_certify_model(job->run, &job->model, &job->certificate))
		cli_fail("--predict: %s was not trained on %s with these parameters",
			 settings.model_name, settings.certify);
	for (int64_t v = 0; v < c->n_pairs; v++)
		if (isnan(c->pair[v].ball.radius))
			cli_fail("--predict: nothing is proved by %s: that takes multipliers of "
				 "C-SVC or epsilon-SVR, support vectors with all digits, and a "
				 "linear, rbf or positive definite polynomial kernel",
				 settings.model_name);
}

void eval_proved_tell(const struct eval_job *job)
{
	const struct model_certificate *c = &job->certificate;
	const int64_t n_rows = job->remarks.n_rows;
	FILE *to = job->run->info;

	report_count(job->run->report, "optimum_n_sv_least", c->n_sv_least);
	report_count(job->run->report, "optimum_n_sv_most", c->n_sv_most);
	if (job->predictor.label)
		report_count(job->run->report, "proved", job->n_proved);
	else
		report_number(job->run->report, "within", job->within);
	if (settings.common.quiet)
		return;
	fprintf(to, "every optimum has %" PRId64 " to %" PRId64 " support vectors\n", c->n_sv_least,
		c->n_sv_most);
	if (job->predictor.label)
		fprintf(to,
			"Proved = %g%% (%" PRId64 "/%" PRId64 ") of the predictions are those of "
			"every optimum\n",
			100. * (double)job->n_proved / fmax(1, (double)n_rows), job->n_proved,
			n_rows);
	else
		/* rounded up to the digits printed */
		fprintf(to, "Proved: predictions of every optimum differ by at most %.3g\n",
			1.005 * job->within);
}

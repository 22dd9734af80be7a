/*
 * grid_results.c - randsvm-grid: the table, the report, and the model of the point chosen
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>

#include "base/decimal.h"
#include "grid.h"
#include "io/output.h"

/* ---- the table ---- */

/* Write a number and what comes after it; NAN as nothing. */
static void write_cell(struct output *to, double value, char after, struct error *err)
{
	char text[DECIMAL_SHORTEST_SIZE] = "";

	if (!isnan(value))
		decimal_shortest(value, text);
	output_printf(to, err, "%s%c", text, after);
}

void grid_write_table(const struct grid_points *p, const struct cli_output *to)
{
	static const char *const outcome[] = { "rated", "skipped", "failed" };
	const bool with_p = grid_axis_letter(AXIS_THIRD) == 'p';
	struct output *out = to->output;
	struct error err = { 0 }; /* a failed write is reported when the output is committed */

	output_printf(out, &err,
		      "log2c\tlog2g\tlog2p\tlog2n\trate\tstandard_error\tseconds\tunfinished\t"
		      "outcome\n");
	for (int64_t i = 0; i < p->n; i++) {
		const struct grid_point *point = &p->point[i];

		write_cell(out, point->at[AXIS_C], '\t', &err);
		write_cell(out, point->at[AXIS_GAMMA], '\t', &err);
		write_cell(out, with_p ? point->at[AXIS_THIRD] : NAN, '\t', &err);
		write_cell(out, with_p ? NAN : point->at[AXIS_THIRD], '\t', &err);
		write_cell(out, point->rate, '\t', &err);
		write_cell(out, point->error, '\t', &err);
		write_cell(out, decimal_read_back(point->seconds, GRID_DIGITS), '\t', &err);
		output_printf(out, &err, "%" PRId64 "\t%s\n", point->n_unfinished,
			      point->resumed && point->outcome == GRID_RATED ?
				      "resumed" :
				      outcome[point->outcome]);
	}
}

/* ---- the report ---- */

void grid_report_point(const struct grid_point *p, struct report *r)
{
	static const char *const key[2][N_AXES] = { { "C", "gamma", "p" }, { "C", "gamma", "nu" } };
	const int with_nu = grid_axis_letter(AXIS_THIRD) == 'n';

	for (int k = 0; k < N_AXES; k++)
		if (!isnan(p->at[k]))
			report_number(r, key[with_nu][k], exp2(p->at[k]));
	report_number(r, "rate", p->rate);
	report_number(r, "standard_error", p->error);
	report_count(r, "unfinished", p->n_unfinished);
	report_flag(r, "skipped", p->outcome == GRID_SKIPPED);
	report_flag(r, "failed", p->outcome == GRID_FAILED);
	report_flag(r, "resumed", p->resumed);
}

void grid_report(const struct grid_points *p, const struct grid_point *choice, bool interrupted,
		 struct report *r)
{
	struct report *array = report_array(r, "points");

	report_text(r, "measure", grid_measure_names[grid.measure]);
	report_flag(r, "interrupted", interrupted);
	if (choice)
		grid_report_point(choice, report_object(r, "choice"));
	for (int64_t i = 0; i < p->n; i++)
		grid_report_point(&p->point[i], report_item(array));
}

/* ---- the model ---- */

void grid_train(struct training_job *job, const struct grid_point *choice)
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

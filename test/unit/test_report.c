/*
 * test_report.c - the report of --report where memory runs out: an error, never a part of it
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../cmd/common/process.h"
#include "../../cmd/common/run.h"
#include "base/mem_bound.h"
#include "problem/training.h"
#include "unit.h"

/* Each function of report.h and run.h that adds to a report, with room for n allocations. */
static void write_report(long n)
{
	static bool flag = true;
	static int64_t integer = 3;
	static double real = 0.5;
	static const char *text = "caf\xe9";
	static struct class_weight one = { .label = 1, .factor = 2 };
	static struct cli_weights weights = { .weight = &one, .n = 1, .takes_auto = true };
	static const struct cli_option options[] = {
		CLI_HEADING("All:"),
		CLI_FLAG('f', "flag", &flag, "a flag"),
		CLI_INT('i', "integer", &integer, 0, 9, "N", "an integer"),
		CLI_REAL('r', "real", &real, 0, 1, "R", "a number"),
		CLI_TEXT('t', "text", &text, "TEXT", "a text"),
		CLI_WEIGHT('w', &weights, "weight", "weights"),
		CLI_END,
	};
	const double counts[] = { 1, 2, 3 };
	const struct rows_checksum rows = { .n_rows = 1 };
	struct cli_run run = { 0 };
	struct report *r, *array;
	struct output *output;
	struct error err = { 0 };

	if (output_open(&output, "report", false, &err) < 0)
		cli_fail("%s", err.text);
	mem_fail_after(n);
	r = run.report = report_new("test");
	report_settings(r, options);
	report_seed(r, "seed", 7);
	report_number(report_item(report_array(r, "items")), "number", 1.5);
	array = report_array(r, "counts");
	report_numbers(array, counts, 3);
	report_file(r, "written", "file", &rows);
	cli_run_phases(&run);
	cli_run_phase(&run, "reading");
	report_finish(r, 0, output);
	if (output_commit(output, &err) < 0)
		cli_fail("%s", err.text);
}

/* With the n-th allocation failing and all after it: the exit status of a program, or 0 where it made a report. */
static int status_of(long n)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		char *argv[] = { "test", "--option", "caf\xe9", NULL };

		dup2(open("messages", O_WRONLY | O_CREAT | O_APPEND, 0666), STDERR_FILENO);
		cli_set_up("test", argv, NULL);
		write_report(n);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_memory(void)
{
	struct stat file;
	char line[200];
	FILE *messages;
	long n = 0, n_said = 0;
	int status;

	for (; (status = status_of(n)) == 1; n++)
		CHECK(stat("report", &file) < 0, "allocation %ld: a report in spite of it", n);
	CHECK(status == 0, "allocation %ld: status %d", n, status);
	CHECK(n > 100, "only %ld allocations", n);
	CHECK(stat("report", &file) == 0, "no report in the end");
	messages = fopen("messages", "r");
	while (messages && fgets(line, sizeof(line), messages))
		n_said += strncmp(line, "test: ", 6) == 0 && strstr(line, "out of memory");
	CHECK(n_said == n, "%ld of %ld failures said", n_said, n);
	if (messages)
		fclose(messages);
}

int main(void)
{
	test_memory();
	return unit_report("report");
}

/*
 * eval_chain.c - svm-eval --chain: files that rows pass one after the other, as one
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "common/help.h"
#include "eval.h"

int eval_chain(struct cli_run *run, char **names, int n)
{
	struct cli_output *to = &run->file[FILE_PREDICTIONS];
	const char *const *files = (const char *const *)names;
	struct error err = { 0 };

	if (n < 1)
		cli_usage(&eval_program);
	cli_run_read_list(run, files, (size_t)n);
	cli_run_writes(run, FILE_PREDICTIONS, settings.chain, "chain", FILE_IS_MAP);
	cli_run_open(run);
	cli_check(cli_written(to, chain_make(files, n, to->output, &err), &err), &err);
	cli_run_commit(run);
	return cli_run_end(run);
}

/*
 * eval_chain.c - svm-eval --chain: files that rows pass one after the other, as one; and --export: a
 * model or a chain as a program
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "eval.h"
#include "export/export.h"

int eval_chain(struct cli_run *run, char **names, int n)
{
	struct cli_output *to = &run->file[FILE_PREDICTIONS];
	const char *const *files = (const char *const *)names;
	struct error err = { 0 };

	if (n < 1)
		cli_refuse("--chain: name its files behind %s, the model last", settings.chain);
	cli_run_read_list(run, files, (size_t)n);
	cli_run_writes(run, FILE_PREDICTIONS, settings.chain, "chain", FILE_IS_CHAIN);
	cli_run_open(run);
	cli_check(cli_written(to, chain_make(files, n, to->output, &err), &err), &err);
	cli_run_commit(run);
	return cli_run_end(run);
}

int eval_export(struct cli_run *run, char **names, int n)
{
	struct cli_output *to = &run->file[FILE_PREDICTIONS];
	struct export_size size = { 0 };
	struct export_options how;
	struct chain chain;
	struct error err = { 0 };

	eval_take_names(names, n, true);
	cli_run_reads(run, settings.model_name);
	cli_run_writes(run, FILE_PREDICTIONS, settings.output_name, "output file", FILE_IS_OTHER);
	cli_run_open(run);
	if (chain_read(&chain, settings.model_name, &err) < 0)
		cli_fail_model(settings.model_name, &err);
	how = (struct export_options){ &chain, settings.export, settings.output_name,
				       settings.probability != 0, &size };
	if (cli_written(to, export_model(&how, to->output, &err), &err) < 0)
		cli_fail("--export %s: %s: %s", export_kind_names[settings.export],
			 settings.model_name, err.text);
	if (settings.export == EXPORT_ONNX)
		cli_remark(
			"%s: in single precision, by which labels of rows between classes may differ",
			settings.output_name);
	if (chain.has_columns)
		cli_remark("%s: takes the rows that svm-convert makes of the table, not the table",
			   settings.output_name);
	if (chain.labels.n > 0)
		cli_remark("%s: predicts the numbers of the labels, not their names",
			   settings.output_name);
	cli_remark("%s: %" PRId64 " features, %" PRId64 " bytes of constants%s",
		   settings.output_name, size.n_inputs, size.constant_bytes,
		   size.n_vectors > 0 ? "; --reduce makes a model of fewer support vectors" : "");
	report_count(run->report, "constant_bytes", size.constant_bytes);
	chain_free(&chain);
	cli_run_commit(run);
	return cli_run_end(run);
}

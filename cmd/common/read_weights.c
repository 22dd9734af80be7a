/*
 * read_weights.c - option -W: a file of weights of rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "read_weights.h"

#include <inttypes.h>

#include "files.h"
#include "process.h"

struct row_weights cli_read_weights(const char *name)
{
	struct input *input;
	struct row_weights w;
	struct error err = { 0 };

	if (input_open(&input, name, &err) < 0 || row_weights_read(&w, input, &err) < 0)
		cli_fail_reading("weights file", name, &err);
	input_close(input);
	return w;
}

/* Weights of the n_rows rows of 'data', from the file 'name'. */
static struct row_weights read_fitting(const char *name, int64_t n_rows, const char *data)
{
	struct row_weights w = cli_read_weights(name);
	struct error err = { 0 };

	if (row_weights_check(&w, n_rows, name, data, &err) < 0)
		cli_fail("%s: %s", cli_program_name(), err.text);
	return w;
}

static void note_left_out(int64_t n, int64_t n_rows, bool quiet)
{
	if (!quiet)
		cli_note("%" PRId64 " of %" PRId64 " rows have weight 0 and are left out", n,
			 n_rows);
}

int64_t *cli_weigh_rows(struct dataset *d, const char *name, const char *data, bool quiet)
{
	const int64_t n_rows = d->x.n_rows;
	struct row_weights w = read_fitting(name, n_rows, data);
	struct error err = { 0 };
	int64_t *row;

	if (dataset_weigh(d, &w, &row, &err) < 0)
		cli_fail("%s: %s", cli_program_name(), err.text);
	if (row)
		note_left_out(n_rows - d->x.n_rows, n_rows, quiet);
	return row;
}

int64_t *cli_weigh_apart(struct dataset *d, struct dataset *left, const char *name,
			 const char *data, bool quiet)
{
	const int64_t n_rows = d->x.n_rows;
	struct row_weights w = read_fitting(name, n_rows, data);
	struct error err = { 0 };
	int64_t *row;

	if (dataset_weigh_apart(d, left, &w, &row, &err) < 0)
		cli_fail("%s: %s", cli_program_name(), err.text);
	if (row)
		note_left_out(n_rows - left->x.n_rows, n_rows, quiet);
	return row;
}

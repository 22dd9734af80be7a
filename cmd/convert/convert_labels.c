/*
 * convert_labels.c - labels of a matrix from a file of their own
 *
 * Lines of text are a table of one column, the label's: numbers, or names of classes.  They are kept
 * in memory, to be learned and then handed out.  The values of an array become such lines.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "convert.h"
#include "tables/matrix_write.h"
#include "tables/npy_read.h"
#include "tables/npz_read.h"

struct convert_labels {
	const char *name; /* name of the file, for messages */
	struct csv_columns *columns;
	int missing; /* rule for missing labels, an enum missing_rule */
	struct byte_buffer kept;
	struct csv_reader text;
	struct row_batch row;
	int64_t n_read;
};

/* Read the lines of the input, or those that were kept where it is NULL. */
static void begin_text(struct convert_labels *l, struct input *input)
{
	struct error err = { 0 };

	input_close(l->text.text.from);
	csv_reader_free(&l->text);
	l->text = (struct csv_reader){ .text.from = input, .name = l->name, .delimiter = '\n' };
	if (!input)
		cli_check(input_open_kept(&l->text.text.from, &l->kept, settings.labels_of, &err),
			  &err);
	cli_check(csv_reader_start(&l->text, &err), &err);
}

/* One column, of labels; its lines are then to be read again. */
static void learn_text(struct convert_labels *l)
{
	struct csv_columns *c = l->columns;
	struct csv_record record;
	struct error err = { 0 };
	int got;

	c->missing = l->missing;
	cli_check(csv_columns_begin(c, NULL, 1, &err), &err);
	cli_check(csv_columns_set(c, "1", COLUMN_LABEL, &err), &err);
	while ((got = csv_read(&l->text, &record, &err)) > 0)
		cli_check(csv_columns_learn(c, &record, &err), &err);
	cli_check(got, &err);
	cli_check(csv_columns_end(c, &err), &err);
	begin_text(l, NULL);
}

/* The value of row i of an array, which is the next one, as a line of text. */
static void add_value(struct convert_labels *l, struct npy_array *a, int64_t i,
		      struct byte_buffer *text)
{
	struct error err = { 0 };
	double value;

	text->size = 0;
	if (npy_is_text(a)) {
		cli_check(npy_text(a, text, &err), &err);
		cli_check(csv_add_field(&l->kept, text->bytes, text->size, &err), &err);
	} else {
		cli_check(npy_numbers(a, &value, 1, &err), &err);
		if (isinf(value))
			cli_fail("%s: row %" PRId64 ": the label is not finite", l->name, i + 1);
		cli_check(number_text_add(&l->kept, value, 0, &err), &err);
	}
	cli_check(byte_buffer_append(&l->kept, "\n", 1, &err), &err);
}

/* The values of an array become lines; the input is closed. */
static void keep_array(struct convert_labels *l, struct input *input)
{
	struct npy_array a;
	struct byte_buffer text = { 0 };
	struct error err = { 0 };

	cli_check(npy_begin(&a, input, &err), &err);
	if (a.n_dims > 2 || (a.dim[0] != 1 && a.dim[1] != 1))
		cli_fail("%s: labels are an array of one dimension", l->name);
	for (int64_t i = 0; i < a.dim[0] * a.dim[1]; i++)
		add_value(l, &a, i, &text);
	cli_check(npy_end(&a, &err), &err);
	byte_buffer_free(&text);
	cli_close_input(input);
}

struct convert_labels *convert_labels_open(struct convert_job *job)
{
	struct error err = { 0 };
	struct convert_labels *l = mem_zeroed(1, sizeof(*l), &err);
	struct input *input;
	char start[6];
	int64_t n;

	cli_check(l ? 0 : -1, &err);
	l->columns = &job->columns;
	l->missing = job->missing;
	l->name = l->columns->name =
		strcmp(settings.labels_of, "-") == 0 ? "standard input" : settings.labels_of;
	input = cli_open_input(settings.labels_of);
	n = input_peek(input, start, sizeof(start), &err);
	cli_check(n, &err);
	if (n == 6 && memcmp(start, "PK\3\4", 4) == 0) {
		/* the array y, or the only one, is the input */
		input_close(input);
		cli_check(npz_open_array(&input, settings.labels_of, "y", &err), &err);
		memcpy(start, NPY_MAGIC, 6);
	}
	if (n == 6 && memcmp(start, NPY_MAGIC, 6) == 0) {
		keep_array(l, input);
		input = NULL;
	} else if (!settings.restore) {
		input_keep(input, &l->kept);
	}
	begin_text(l, input);
	if (!settings.restore)
		learn_text(l);
	else
		cli_check(csv_columns_fit(l->columns, NULL, 1, &err), &err);
	return l;
}

/* 1, 0 if the row is left out, -1 if there is no further label. */
static int next_label(struct convert_labels *l, double *label)
{
	struct csv_record record;
	struct error err = { 0 };
	int got = csv_read(&l->text, &record, &err);

	if (got == 0)
		return -1;
	cli_check(got, &err);
	cli_check(row_batch_reserve(&l->row, 0, 0, false, &err), &err);
	got = csv_columns_row(l->columns, &record, &l->row, &err);
	cli_check(got, &err);
	if (got == 1)
		*label = l->row.label[0];
	return got;
}

int convert_labels_next(struct convert_labels *l, double *label)
{
	const int got = next_label(l, label);

	if (got < 0)
		cli_fail("%s: %" PRId64 " labels, fewer than the rows of %s", l->name, l->n_read,
			 convert_name());
	l->n_read++;
	return got;
}

void convert_labels_close(struct convert_labels *l)
{
	double ignored;

	if (!l)
		return;
	if (next_label(l, &ignored) >= 0)
		cli_fail("%s: more labels than the %" PRId64 " rows of %s", l->name, l->n_read,
			 convert_name());
	input_close(l->text.text.from);
	csv_reader_free(&l->text);
	row_batch_free(&l->row);
	byte_buffer_free(&l->kept);
	mem_free(l);
}

/*
 * convert_labels.c - labels of a matrix from a file of their own
 *
 * Lines of text are a table of one column, the label's: numbers, or names of classes.  They are kept
 * in memory, to be learned and then handed out; so are texts of an array.  Numbers of one are read as
 * a matrix of one column.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "convert.h"
#include "tables/npy_array.h"
#include "tables/npy_read.h"
#include "tables/npz_read.h"

struct convert_labels {
	const char *name;	     /* name of the file, for messages */
	struct input *input, *again; /* the file; its texts, to be handed out */
	struct csv_columns *columns;
	int missing; /* rule for missing labels, an enum missing_rule */
	struct byte_buffer kept;
	struct csv_reader text;
	struct matrix_reader array;
	bool is_array;
	struct zip_file zip; /* archive with the array; empty: there is none */
	int64_t member;
	struct row_batch row;
	int64_t n_read;
};

static void begin_text(struct convert_labels *l, struct csv_reader *r, struct input *input)
{
	struct error err = { 0 };

	*r = (struct csv_reader){ .text.from = input, .name = l->name, .delimiter = '\n' };
	if (csv_reader_start(r, &err) < 0)
		convert_fail(&err);
}

/* The labels that were kept, from their beginning on. */
static struct input *open_kept(const struct convert_labels *l)
{
	struct input *input;
	struct error err = { 0 };

	if (input_open_kept(&input, &l->kept, l->name, &err) < 0)
		convert_fail(&err);
	return input;
}

/* One column, of labels. */
static void learn_text(struct convert_labels *l, struct input *input)
{
	struct csv_columns *c = l->columns;
	struct csv_reader r;
	struct csv_record record;
	struct error err = { 0 };

	c->missing = l->missing;
	begin_text(l, &r, input);
	if ((settings.restore ? csv_columns_fit(c, NULL, 1, &err) :
				csv_columns_begin(c, NULL, 1, &err)) < 0 ||
	    (!settings.restore && csv_columns_set(c, "1", COLUMN_LABEL, &err) < 0))
		convert_fail(&err);
	while (csv_read(&r, &record, &err) > 0)
		if (!settings.restore && csv_columns_learn(c, &record, &err) < 0)
			break;
	if (err.code != ERR_NONE || (!settings.restore && csv_columns_end(c, &err) < 0))
		convert_fail(&err);
	csv_reader_free(&r);
	l->again = open_kept(l);
	begin_text(l, &l->text, l->again);
}

static bool is_zip(const char *start, int64_t n)
{
	return n >= 4 && memcmp(start, "PK\3\4", 4) == 0;
}

/* Was a member of an archive what it has to be, now that all of it is read? */
static void check_member(const struct convert_labels *l)
{
	struct error err = { 0 };

	if (l->zip.n > 0 && zip_check_member(&l->zip, l->member, l->input, &err) < 0)
		convert_fail(&err);
}

/* Texts of an array become lines, in quotes as those of CSV. */
static void keep_texts(struct convert_labels *l, struct npy_array *a)
{
	struct byte_buffer text = { 0 };
	struct error err = { 0 };

	for (int64_t i = 0; i < a->dim[0] * a->dim[1]; i++) {
		text.size = 0;
		if (npy_text(a, &text, &err) < 0 ||
		    byte_buffer_reserve(&l->kept, 2 * text.size + 3, &err) < 0)
			convert_fail(&err);
		byte_buffer_add(&l->kept, "\"", 1);
		for (int64_t k = 0; k < text.size; k++)
			byte_buffer_add(&l->kept, text.bytes[k] == '"' ? "\"\"" : &text.bytes[k],
					text.bytes[k] == '"' ? 2 : 1);
		byte_buffer_add(&l->kept, "\"\n", 2);
	}
	byte_buffer_free(&text);
	if (npy_end(a, &err) < 0)
		convert_fail(&err);
	check_member(l);
}

/* The array y of an archive, or the only one, becomes the input. */
static void open_member(struct convert_labels *l)
{
	struct error err = { 0 };

	input_close(l->input);
	l->input = NULL;
	if (zip_open(&l->zip, settings.labels_of, &err) < 0)
		convert_fail(&err);
	l->member = npz_find(&l->zip, "y", &err);
	if (l->member < 0 || zip_open_member(&l->zip, l->member, &l->input, &err) < 0)
		convert_fail(&err);
	l->name = input_name(l->input);
}

static void open_array(struct convert_labels *l)
{
	struct npy_array a;
	struct input *texts;
	struct error err = { 0 };

	if (npy_begin(&a, l->input, &err) < 0)
		convert_fail(&err);
	if (a.n_dims > 2 || (a.dim[0] != 1 && a.dim[1] != 1))
		cli_fail("svm-convert: %s: labels are an array of one dimension", l->name);
	if (npy_is_text(&a)) {
		keep_texts(l, &a);
		texts = open_kept(l);
		learn_text(l, texts);
		input_close(texts);
		return;
	}
	l->is_array = true;
	if (npy_open_array(&l->array, &a, &err) < 0)
		convert_fail(&err);
}

struct convert_labels *convert_labels_open(struct convert_job *job)
{
	struct error err = { 0 };
	struct convert_labels *l = mem_zeroed(1, sizeof(*l), &err);
	char start[6];
	int64_t n;

	if (!l)
		convert_fail(&err);
	l->columns = &job->columns;
	l->missing = job->missing;
	l->input = cli_open_input(settings.labels_of);
	l->name = input_name(l->input);
	l->columns->name = settings.labels_of; /* which lasts longer than the input */
	n = input_peek(l->input, start, sizeof(start), &err);
	if (n < 0)
		convert_fail(&err);
	if (is_zip(start, n))
		open_member(l);
	if (l->zip.n > 0 || (n == 6 && memcmp(start, NPY_MAGIC, 6) == 0)) {
		open_array(l);
	} else {
		input_keep(l->input, &l->kept);
		learn_text(l, l->input);
	}
	return l;
}

/* A row of the array, which has one number; the program ends where there is none. */
static bool next_number(struct convert_labels *l, double *label)
{
	struct error err = { 0 };
	int64_t n;

	if (row_batch_reserve(&l->row, 0, 0, false, &err) < 0)
		convert_fail(&err);
	n = matrix_read(&l->array, 1, &l->row, &err);
	if (n < 0)
		convert_fail(&err);
	*label = l->row.n_entries > 0 ? l->row.value[0] : 0;
	return n > 0;
}

/* 1, 0 if the row is left out, -1 if there is no further label. */
static int next_label(struct convert_labels *l, double *label)
{
	struct csv_record record;
	struct error err = { 0 };
	int got;

	if (l->is_array) {
		if (!next_number(l, label))
			return -1;
		if (!isnan(*label) || l->missing == MISSING_DROPS)
			return !isnan(*label);
		cli_fail("svm-convert: %s: label %" PRId64 " is missing", l->name, l->n_read + 1);
	}
	got = csv_read(&l->text, &record, &err);
	if (got == 0)
		return -1;
	if (got < 0 || row_batch_reserve(&l->row, 0, 0, false, &err) < 0)
		convert_fail(&err);
	got = csv_columns_row(l->columns, &record, &l->row, &err);
	if (got < 0)
		convert_fail(&err);
	if (got == 1)
		*label = l->row.label[0];
	return got;
}

int convert_labels_next(struct convert_labels *l, double *label)
{
	const int got = next_label(l, label);

	if (got < 0)
		cli_fail("svm-convert: %s: %" PRId64 " labels, fewer than the rows of %s", l->name,
			 l->n_read, convert_name());
	l->n_read++;
	return got;
}

void convert_labels_close(struct convert_labels *l)
{
	double ignored;

	if (!l)
		return;
	if (next_label(l, &ignored) >= 0)
		cli_fail("svm-convert: %s: more labels than the %" PRId64 " rows of %s", l->name,
			 l->n_read, convert_name());
	if (l->is_array)
		check_member(l);
	zip_free(&l->zip);
	csv_reader_free(&l->text);
	matrix_close(&l->array);
	row_batch_free(&l->row);
	byte_buffer_free(&l->kept);
	cli_close_input(l->input);
	input_close(l->again);
	mem_free(l);
}

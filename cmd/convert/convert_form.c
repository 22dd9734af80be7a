/*
 * convert_form.c - which format the input has
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <strings.h>

#include "convert.h"
#include "io/binary.h"
#include "tables/npy_read.h"

/* Bytes looked at: more than a comment at the beginning of most files. */
enum { LOOKED_AT = 4096 };

const char *convert_name(void)
{
	return strcmp(settings.data_name, "-") == 0 ? "standard input" : settings.data_name;
}

static bool begins(const char *text, const char *start)
{
	return strncasecmp(text, start, strlen(start)) == 0;
}

/* Are there control characters that no text has?  A byte 0 is one. */
static bool is_no_text(const char *bytes, int64_t n)
{
	for (int64_t k = 0; k < n; k++)
		if ((unsigned char)bytes[k] < ' ' && !(bytes[k] >= '\t' && bytes[k] <= '\r') &&
		    bytes[k] != '\x1a')
			return true;
	return false;
}

/* Has the first line a CR within, and not between quotation marks?  A LF may follow those looked at. */
static bool has_cr_within(const char *text)
{
	const char *cr = text + strcspn(text, strchr(text, '\n') ? "\n\r\"" : "\r");

	return *cr == '\r' && !strchr("\n", cr[strspn(cr, "\r")]);
}

/* End the program for bytes that are no lines of text, of which tables and MatrixMarket are. */
static void refuse_bytes(const char *text, int64_t n)
{
	const int64_t n_blanks = (int64_t)strspn(text, " \t\r\n");
	const char *hint;

	/* formats that are text may have blanks before them */
	if (n_blanks < n && foreign_start(text + n_blanks, n - n_blanks, &hint) == START_FOREIGN)
		cli_fail("%s: %s", convert_name(), hint);
	if (is_no_text(text, n))
		cli_fail("%s: this is no text, nor a format that is known", convert_name());
	if (has_cr_within(text))
		cli_fail("%s:1: lines end with CR alone: make them end with LF, as by "
			 "tr '\\r' '\\n'",
			 convert_name());
}

static enum convert_form form_of(const char *text, int64_t n)
{
	const char *line = cli_first_line(text, '%');

	if (n >= 6 && memcmp(text, NPY_MAGIC, 6) == 0)
		return FORM_NPY;
	if (n >= 4 && memcmp(text, "PK\3\4", 4) == 0)
		return FORM_NPZ;
	if (n > 0 && (unsigned char)*text == BINARY_FIRST_BYTE)
		return FORM_ROWS;
	if (begins(text, MTX_MAGIC) || begins(text, &MTX_MAGIC[1]))
		return FORM_MTX;
	if (begins(line, "@relation") || begins(line, "@attribute"))
		return FORM_ARFF;
	return cli_are_rows(text) ? FORM_ROWS : FORM_CSV;
}

/* Options with a meaning for some formats only. */
static void refuse_misfits(enum convert_form form)
{
	static const char *const what[] = { "",
					    "a table of delimited text",
					    "a table in ARFF",
					    "a NumPy array",
					    "a NumPy archive",
					    "a MatrixMarket file",
					    "rows in SVMlight's form" };
	const bool is_table = form <= FORM_ARFF, is_csv = form == FORM_CSV;
	const struct cli_fit fit[] = {
		{ "--label", form != FORM_ROWS },
		{ "--labels-of", !is_table && form != FORM_ROWS },
		{ "--categories", is_table },
		{ "--ignore", is_table },
		{ "--text", is_table },
		{ "--names", is_table },
		{ "--save", form != FORM_ROWS },
		{ "--restore", form != FORM_ROWS },
		{ "--missing", form != FORM_ROWS },
		{ "--id", is_table && settings.to == TO_ROWS },
		{ "--group", is_table && settings.to == TO_ROWS },
		{ "--na", is_table },
		{ "--delimiter", is_csv },
		{ "--header", is_csv },
		{ "--no-header", is_csv },
		{ "--decimal-comma", is_csv },
		{ "--zero-based", form == FORM_ROWS || !(settings.zero_based & ZERO_IN) },
	};

	if ((settings.zero_based & ZERO_OUT) && settings.to != TO_ROWS)
		cli_refuse("--zero-based %s is for --to svmlight",
			   convert_zero_based_names[settings.zero_based]);
	cli_refuse_misfits(fit, N_ELEMENTS(fit), what[form]);
}

void convert_open(struct convert_job *job)
{
	char text[LOOKED_AT + 1];
	struct error err = { 0 };
	int64_t n;

	job->input = cli_open_pass(&job->run.passes, settings.data_name, settings.restore != NULL);
	n = input_peek(job->input, text, LOOKED_AT, &err);
	cli_check(n, &err);
	text[n] = '\0';
	job->form =
		settings.from != FORM_AUTO ? (enum convert_form)settings.from : form_of(text, n);
	refuse_misfits(job->form);
	/* other formats are read once */
	if (job->form > FORM_ARFF)
		input_keep(job->input, NULL);
	if (input_start(job->input) != START_FOREIGN &&
	    (job->form <= FORM_ARFF || job->form == FORM_MTX))
		refuse_bytes(text, n);
}

/*
 * files.c - the files that a command line names: opened, kept apart, written all or none
 *
 * Two names are the same file if stat() finds the same inode behind them, whatever their spelling.
 * Standard input and output, "-", have the inodes of their descriptors.  An output that does not
 * exist yet has no inode: it is compared by its folder's inode and its
 * name in that folder.  Standard output has a name if the shell redirected it (`>FILE`), so an
 * output is standard output too if it is the inode of file descriptor 1.
 *
 * The order "keep apart, open, work, commit" belongs together: an output is written beside its
 * target and renamed by the commit (io/output.h), so an input of the same name would be read
 * undamaged and then lost.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "files.h"

#include <assert.h>
#include <ctype.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"
#include "process.h"
#include "base/decimal.h"
#include "io/binary.h"
#include "tables/csv_read.h"

/* ---- what a file holds ---- */

/* Find a file by stat(); for "-" by fstat() of the file descriptor 'standard'. */
static bool find_file(const char *name, int standard, struct stat *s)
{
	return (strcmp(name, "-") != 0 ? stat(name, s) : fstat(standard, s)) == 0;
}

bool cli_is_file(const char *name)
{
	return strcmp(name, "-") != 0 && cli_reads_again(name);
}

bool cli_reads_again(const char *name)
{
	struct stat s;

	return find_file(name, STDIN_FILENO, &s) && S_ISREG(s.st_mode);
}

/* Bytes read to tell the kind: more than some lines of comment before the first row. */
enum { LOOKED_AT = 4096 };

/* Most lines that are looked through for the end of a title. */
enum { MOST_TITLES = 20 };

const char *cli_first_line(const char *text, char comment)
{
	for (;;) {
		text += strspn(text, " \t\r\n\v\f");
		if (*text != comment)
			return text;
		text += strcspn(text, "\n");
	}
}

/* Text behind "qid:3 ", which rows for ranking have before their features, or 'text'. */
static const char *behind_query(const char *text)
{
	const size_t name = cli_begins_with(text, "qid:") ? strlen("qid:") : 0;

	text += name + (name ? strcspn(text + name, " \t\n") : 0);
	return text + strspn(text, " \t");
}

bool cli_are_rows(const char *text)
{
	const char *p;
	double label;
	size_t blanks, digits;

	for (text = cli_first_line(text, '#'); *text; text = cli_first_line(p, '#')) {
		p = decimal_parse(text, text + strlen(text), &label);
		if (!p)
			return false;
		blanks = strspn(p, " \t");
		p = behind_query(p + blanks);
		digits = strspn(p, "0123456789");
		if (blanks > 0 && digits > 0)
			return p[digits] == ':';
		p += strspn(p, "\r");
		if (*p && *p != '\n' && *p != '#')
			return false;
	}
	return false;
}

/* Predictions, or a table or matrix of another program, by first bytes; rows have NumPy's too. */
static bool has_table_mark(const char *text)
{
	static const char *const marks[] = { "\x93NUMPY",	 "PK\3\4",
					     "%%MatrixMarket",	 "@relation",
					     "@RELATION",	 "@attribute",
					     "label prediction", "row label prediction" };

	for (int k = 0; k < N_ELEMENTS(marks); k++)
		if (cli_begins_with(text, marks[k]))
			return true;
	return false;
}

/*
 * Names, some of which may be numbers, or behind the number of a class: the first line is one word, but not
 * the only one, and not all lines are numbers.  Predictions have comments behind them.
 */
static bool are_names(const char *line)
{
	const char *text = line, *end = line + strlen(line), *p;
	double value;

	while ((p = decimal_parse(line, end, &value)) && strchr("\r\n", *p) && *p)
		line = p + strspn(p, "\r\n");
	if (p)
		return *p == ' ' && (unsigned char)p[1] > ' ' && p[1] != '#' &&
		       !decimal_parse(p + 1, end, &value);
	p = strchr(line, '\n');
	return (isalpha((unsigned char)*line) || (unsigned char)*line >= 0xc2) &&
	       (line > text || (p && p[1] && strcspn(line, " \t,;\r\n") == strcspn(line, "\r\n")));
}

/* A table, where a delimiter is equally often in the first two lines: lines of messages seldom have one. */
static enum file_kind kind_of_table(const char *text)
{
	int n_more;
	const char *end = text + strlen(text);
	const char delimiter = csv_guess_delimiter(text, end, false, &n_more);
	double value;

	if (delimiter && delimiter != ' ')
		return n_more >= 0 ? FILE_IS_TABLE : FILE_IS_OTHER;
	text += strspn(text, " \t");
	return strchr(text, '\n') && decimal_parse(text, end, &value) ? FILE_IS_NUMBERS :
									FILE_IS_OTHER;
}

/*
 * Likewise of the two lines that follow a title, which is some lines of text above the names of
 * columns.  Reports and pictures, whose lines end in commas, are none, nor are lines of results and
 * other prose, which has a blank behind a comma.
 */
static enum file_kind kind_below_title(const char *text)
{
	const bool is_markup = *text == '{' || *text == '[' || *text == '<';
	const char *line = text;

	for (int n = 0; !is_markup && n < MOST_TITLES; n++) {
		const char *end = strchr(line, '\n'), *prose = strstr(line, ", ");

		if (!end || !strchr(end + 1, '\n'))
			break;
		if ((!prose || prose > end) && kind_of_table(line) == FILE_IS_TABLE)
			return FILE_IS_TABLE;
		line = end + 1;
	}
	return kind_of_table(text);
}

/* Ranges of svm-scale: a letter, which a name or word may be, and two numbers on the next line. */
static bool are_ranges(const char *text)
{
	double low, high;

	return (cli_begins_with(text, "x\n") || cli_begins_with(text, "y\n")) &&
	       sscanf(text + 2, "%lf %lf", &low, &high) == 2;
}

enum file_kind file_kind(const char *name)
{
	char text[LOOKED_AT + 1];
	const int64_t n = cli_is_file(name) ? input_begins(name, text, LOOKED_AT) : -1;

	if (n <= 0)
		return n == 0 ? FILE_IS_EMPTY : FILE_IS_OTHER;
	text[n] = '\0';
	if (cli_begins_with(text, "svm_type ") || cli_begins_with(text, "solver_type "))
		return FILE_IS_MODEL;
	if (cli_begins_with(text, "randsvm-chain "))
		return FILE_IS_CHAIN;
	if (cli_begins_with(text, "randsvm-") || are_ranges(text))
		return FILE_IS_MAP;
	if (has_table_mark(text))
		return FILE_IS_TABLE;
	if ((unsigned char)text[0] == BINARY_FIRST_BYTE || cli_are_rows(text))
		return FILE_IS_ROWS;
	if (are_names(text))
		return FILE_IS_NAMES;
	return kind_below_title(cli_first_line(text, '#'));
}

/* ---- which files are one ---- */

static bool same_inode(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Part of 'path' behind its folder; *folder becomes that folder. */
static const char *split_path(const char *path, struct stat *folder)
{
	const char *slash = strrchr(path, '/');
	char *name = slash ? strndup(path, (size_t)(slash + 1 - path)) : strdup(".");

	if (!name || stat(name, folder) < 0)
		*folder = (struct stat){ 0 };
	mem_free(name);
	return slash ? slash + 1 : path;
}

/* Is output 'a' the regular file 'b'?  'standard' is the descriptor that "-" means for 'b'. */
static bool same_file(const char *a, const char *b, int standard)
{
	struct stat x, y;
	bool exists = find_file(a, STDOUT_FILENO, &x);

	if (exists != find_file(b, standard, &y))
		return false;
	if (exists)
		return S_ISREG(x.st_mode) && same_inode(&x, &y);
	return strcmp(split_path(a, &x), split_path(b, &y)) == 0 && same_inode(&x, &y);
}

bool cli_same_file(const char *a, const char *b)
{
	return same_file(a, b, STDOUT_FILENO);
}

static bool is_standard_output(const char *name)
{
	struct stat x, y;

	if (!strcmp(name, "-") || !strcmp(name, "/dev/stdout") || !strcmp(name, "/dev/fd/1"))
		return true;
	return stat(name, &x) == 0 && fstat(STDOUT_FILENO, &y) == 0 && !S_ISCHR(x.st_mode) &&
	       same_inode(&x, &y);
}

FILE *cli_results_stream(const struct cli_output *output, int n)
{
	for (int i = 0; i < n; i++)
		if (output[i].name && is_standard_output(output[i].name))
			return stderr;
	return stdout;
}

static void keep_from_input(const char *output, const char *input)
{
	if (!output || !input || !same_file(output, input, STDIN_FILENO))
		return;
	if (strcmp(output, "-") != 0 && strcmp(input, "-") != 0)
		cli_fail("'%s' and '%s' are the same file", output, input);
	cli_fail("%s and %s are the same file",
		 strcmp(output, "-") != 0 ? output : "standard output",
		 strcmp(input, "-") != 0 ? input : "standard input");
}

static void keep_outputs_apart(const struct cli_output *a, const struct cli_output *b)
{
	if (!a->name || !b->name)
		return;
	if (is_standard_output(a->name) && is_standard_output(b->name))
		cli_fail("'%s' and '%s' are both standard output", a->name, b->name);
	if (same_file(b->name, a->name, STDOUT_FILENO))
		cli_fail("'%s' and '%s' are the same file", b->name, a->name);
}

void cli_keep_files_apart(const struct cli_output *output, int n_outputs, const char *const *input,
			  int n_inputs)
{
	int n_standard = 0;

	for (int i = 0; i < n_outputs; i++) {
		for (int j = 0; j < n_inputs; j++)
			keep_from_input(output[i].name, input[j]);
		for (int j = i + 1; j < n_outputs; j++)
			keep_outputs_apart(&output[i], &output[j]);
	}
	for (int j = 0; j < n_inputs; j++)
		n_standard += input[j] && strcmp(input[j], "-") == 0;
	if (n_standard > 1)
		cli_fail("'-': only one file can come from standard input");
}

struct input *cli_open_input(const char *name)
{
	struct error err = { 0 };
	struct input *input;

	if (input_open(&input, name, &err) < 0)
		cli_fail("can't open input file %s: %s", name, err.text);
	return input;
}

void cli_note_rounded(const struct input *input)
{
	if (input_rounded(input))
		cli_remark("%s", input_rounded(input));
}

void cli_close_input(struct input *input)
{
	cli_note_rounded(input);
	input_close(input);
}

struct input *cli_open_pass(struct cli_passes *passes, const char *name, bool is_last)
{
	struct input *input;
	struct error err = { 0 };

	passes->cpu_seconds -= cli_cpu_seconds();
	if (passes->is_pipe) {
		if (input_open_kept(&input, &passes->kept, name, &err) < 0)
			cli_fail_input(name, &err);
		return input;
	}
	if (passes->n > 0 && strcmp(name, "-") == 0 &&
	    lseek(STDIN_FILENO, -(off_t)passes->size, SEEK_CUR) < 0)
		cli_fail("standard input cannot be read again: %s", strerror(errno));
	input = cli_open_input(name);
	passes->is_pipe = passes->n == 0 && !is_last && !cli_reads_again(name);
	if (passes->is_pipe)
		input_keep(input, &passes->kept);
	else if (passes->n > 0 || !is_last)
		input_sum_bytes(input);
	return input;
}

void cli_close_pass(struct cli_passes *passes, struct input *input)
{
	const int64_t size = passes->size;
	const uint32_t checksum = passes->checksum;
	int64_t total;

	passes->n++;
	passes->cpu_seconds += cli_cpu_seconds();
	passes->checksum = input_checksum(input);
	input_position(input, &passes->size, &total);
	if (passes->n > 1 && !passes->is_pipe &&
	    (passes->size != size || passes->checksum != checksum))
		cli_fail("%s: was changed while it was read", input_name(input));
	if (passes->n == 1 && !passes->copies)
		cli_note_rounded(input);
	input_close(input);
}

void cli_fail_reading(const char *what, const char *name, const struct error *err)
{
	if (err->code == ERR_IO)
		cli_fail("can't open %s %s: %s", what, name, err->text);
	cli_fail_input(name, err);
}

void cli_fail_model(const char *name, const struct error *err)
{
	const enum file_kind kind = file_kind(name);

	cli_fail("can't open model file %s: %s", name,
		 kind == FILE_IS_ROWS  ? "it holds rows of data, which are named before the model" :
		 kind == FILE_IS_EMPTY ? "it is empty" :
					 cli_error(err));
}

/* May a file of kind 'old' be replaced?  'own': this program made it. */
static bool may_replace(const struct cli_output *o, enum file_kind old, bool own)
{
	if (o->kind == FILE_IS_CHAIN || old == FILE_IS_CHAIN || old == FILE_IS_MODEL ||
	    old == FILE_IS_MAP)
		return o->kind == old || old == FILE_IS_EMPTY;
	if (old == FILE_IS_NAMES)
		return own && o->kind == FILE_IS_OTHER;
	if (old == FILE_IS_ROWS || old == FILE_IS_TABLE)
		return own && (o->kind == FILE_IS_ROWS) == (old == FILE_IS_ROWS);
	return old != FILE_IS_NUMBERS || own || !o->beside_tables;
}

void cli_spare(const struct cli_output *o, enum output_older older)
{
	static const char *const contents[] = {
		[FILE_IS_ROWS] = "rows of data", [FILE_IS_MODEL] = "a model",
		[FILE_IS_TABLE] = "a table",	 [FILE_IS_NUMBERS] = "lines of numbers",
		[FILE_IS_MAP] = "a map",	 [FILE_IS_CHAIN] = "a chain",
		[FILE_IS_NAMES] = "names",	 [FILE_IS_OTHER] = "something else",
	};
	enum file_kind old;

	if (older == OUTPUT_REPLACES_NONE || cli_given("--force"))
		return;
	old = file_kind(o->name);
	if (!may_replace(o, old, older == OUTPUT_REPLACES_OWN))
		cli_fail("%s holds %s: say --force to replace it by the %s", o->name, contents[old],
			 o->what);
}

void cli_open_output(struct cli_output *o)
{
	struct error err = { 0 };

	if (!o->name)
		return;
	if (output_open(&o->output, o->name, o->compress, &err) == 0) {
		cli_spare(o, output_mark(o->output, cli_program_name()));
		return;
	}
	cli_fail(o->saved ? "can't save %s to file %s: %s" : "can't open %s %s: %s", o->what,
		 o->name, err.text);
}

void cli_open_outputs(struct cli_output *output, int n)
{
	for (int i = 0; i < n; i++)
		cli_open_output(&output[i]);
}

/* Put before the bare reason in 'err' which output could not be written; returns -1. */
static int cannot_write(const struct cli_output *to, struct error *err)
{
	const struct error reason = *err;

	*err = (struct error){ 0 };
	if (!to->saved && strcmp(to->name, "-") == 0)
		return error_set(err, reason.code, "can't write standard output: %s", reason.text);
	return error_set(err, reason.code,
			 to->saved ? "can't save %s to file %s: %s" : "can't write %s %s: %s",
			 to->what, to->name, reason.text);
}

void cli_fail_output(const struct cli_output *to, const struct error *reason)
{
	struct error err = *reason;

	cannot_write(to, &err);
	cli_fail("%s", err.text);
}

void cli_save(const struct cli_output *to, output_writer *write, const void *what)
{
	struct error err = { 0 };

	if (to->name && write(what, to->output, &err) < 0)
		cli_fail_output(to, &err);
}

int cli_written(const struct cli_output *to, int ret, struct error *err)
{
	return ret == 0 || err->code != ERR_IO ? ret : cannot_write(to, err);
}

int cli_write(const struct cli_output *to, const void *bytes, int64_t size, struct error *err)
{
	return cli_written(to, output_write(to->output, bytes, size, err), err);
}

int cli_flush_output(void *output, struct error *err)
{
	const struct cli_output *to = output;

	return to->output ? cli_written(to, output_flush(to->output, err), err) : 0;
}

void cli_commit_outputs(const struct cli_output *output, int n)
{
	struct output *all[CLI_MAX_OUTPUTS];
	struct error err = { 0 };
	int failed;

	assert(n <= CLI_MAX_OUTPUTS);
	for (int i = 0; i < n; i++)
		all[i] = output[i].output;
	if (output_commit_all(all, n, &failed, &err) < 0)
		cli_fail_output(&output[failed], &err);
	cli_ignore_end();
}

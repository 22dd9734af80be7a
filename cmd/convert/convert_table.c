/*
 * convert_table.c - tables as rows: CSV and ARFF
 *
 * What the columns become is learned by a first reading of the table, unless it is restored from a
 * file; a second reading writes the rows.  A file is read twice, and a pipe is kept in memory,
 * or under --memory in a file without a name (mem_spill.c).
 *
 *     read_table(learn)  -->  struct csv_columns  -->  read_table(write)
 *                               ^ -r     | -s
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/decimal.h"
#include "convert.h"
#include "tables/arff_read.h"

/* Delimiters, as settings.delimiter numbers them; the first is to be guessed. */
static const char delimiters[] = {
	'\0', ',', '\t', ';', '|', ' ', CSV_FIRST_BLANK, CSV_WHOLE_LINE
};

/* A table that is being read, in one of two formats. */
struct table {
	bool is_arff;
	struct csv_reader csv;
	struct arff_reader arff;
};

/* ---- is line 1 the heading? ---- */

/*
 * With --header and --no-header it is told.  Else, when the columns are learned, line 1 is a heading
 *
 *     (1)  if a field of it is the column that -l, --id or --group names;
 *     (2)  if none of its fields is a number, nor a text that begins as one above another, such as a
 *          date, where as many letters are behind both numbers;
 *     (3)  or if line 2 has a number below a text of line 1, and no text below a number, and all
 *          numbers of line 1 are whole ones, such as years.
 *
 * With columns restored it is a heading if it has the name of one of them (4).  The heading that R's
 * write.table() writes has no field for the names of the rows, which come first in all other lines:
 * it gets an empty one (5), as write.csv() writes it.  A text that holds the delimiter looks the same,
 * and columns that touch in a first record.  So the heading has to have quotes, or the delimiter to be
 * a tab; or, between blanks, the first is 0 or 1, and the heading begins behind it or no two texts
 * follow each other, as the words of one would; or the heading begins behind the first, and all others
 * are numbers.
 */

/* Numbers and texts of line 1, and how they are continued in line 2. */
struct first_lines {
	int64_t n_numbers, n_texts;
	bool whole;	     /* numbers have digits alone */
	bool repeats;	     /* a text that begins as a number is above a similar one */
	bool quotes_number;  /* a name is a number in quotes */
	bool number_follows; /* a number is below a text */
	bool text_follows;   /* a text is below a number */
};

static bool is_text(const struct csv_columns *c, const struct csv_field *field)
{
	return csv_missing(c, field) == NOT_MISSING &&
	       !csv_columns_is_number(c, field, &(double){ 0 });
}

/* Does it begin as a number, as do 2024-01-31 and numbers that touch, 1.00-200.00? */
static bool begins_as_number(const struct csv_field *field)
{
	return digits_is(field->text[strspn(field->text, "+-.")]);
}

/* How many letters follow the digits that a text begins with: 5 in 1stFlr, 2 in 5kg, none in dates. */
static size_t letters_behind(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

	return strspn(text + strspn(text, "+-.0123456789"), letters);
}

static struct first_lines look_at(const struct csv_columns *c, const struct csv_record *first,
				  const struct csv_record *second)
{
	struct first_lines f = { .whole = true };
	double ignored;

	for (int64_t k = 0; k < first->n; k++) {
		const struct csv_field above = csv_trimmed(c, &first->field[k]);
		const struct csv_field below =
			second && k < second->n ? csv_trimmed(c, &second->field[k]) : above;

		/* a number whose quotes it does not need, above one without, is a name */
		const bool is_name = above.quoted && !below.quoted && !strpbrk(above.text, ",;\t");

		const bool is_number = csv_columns_is_number(c, &above, &ignored);

		f.quotes_number |= is_name && is_number;
		if (!is_name && is_number) {
			f.n_numbers++;
			f.whole = f.whole && above.text[strspn(above.text, "0123456789")] == '\0';
			f.text_follows = f.text_follows || is_text(c, &below);
		} else if (is_name || is_text(c, &above)) {
			f.n_texts++;
			f.number_follows =
				f.number_follows || csv_columns_is_number(c, &below, &ignored);
			f.repeats |= second && !is_name && begins_as_number(&above) &&
				     is_text(c, &below) && begins_as_number(&below) &&
				     letters_behind(above.text) == letters_behind(below.text);
		}
	}
	return f;
}

/* Is the text, which is no number, a field of the record? */
static bool has_field(const struct csv_columns *c, const struct csv_record *record,
		      const char *text)
{
	if (!text || decimal_parse(text, text + strlen(text), &(double){ 0 }))
		return false;
	for (int64_t k = 0; k < record->n; k++)
		if (strcmp(csv_trimmed(c, &record->field[k]).text, text) == 0)
			return true;
	return false;
}

/* (4) */
static bool has_names(const struct csv_columns *c, const struct csv_record *record)
{
	for (int64_t k = 0; k < record->n; k++) {
		const struct csv_field field = csv_trimmed(c, &record->field[k]);

		if (text_set_find(&c->names, field.text, field.length) >= 0)
			return true;
	}
	return false;
}

static bool is_heading(struct convert_job *job, const struct csv_record *first,
		       const struct csv_record *second)
{
	const struct csv_columns *c = &job->columns;
	struct first_lines f;
	bool named;

	if (settings.header || settings.no_header)
		return settings.header;
	if (settings.restore)
		return !csv_columns_numbered(c) && has_names(c, first);
	f = look_at(c, first, second);
	named = has_field(c, first, settings.label) || has_field(c, first, settings.id) ||
		has_field(c, first, settings.group);
	job->in_doubt =
		f.n_numbers > 0 ? f.n_texts > 0 : !named && (!f.number_follows || f.quotes_number);
	return named || (f.n_numbers == 0 && !f.repeats) ||
	       (f.number_follows && !f.text_follows && f.whole);
}

/* Does the heading begin behind the first field of the record, as above the names of rows? */
static bool begins_behind(const struct csv_record *heading, const struct csv_record *record)
{
	return heading->indent >= record->indent + record->field[0].length;
}

/* (5): is the first field of the second record, which has one more, its name?  Ends the program in doubt. */
static bool has_row_name(const struct csv_columns *c, const struct csv_reader *r,
			 const struct csv_record *heading, const struct csv_record *second)
{
	const struct csv_field *name = &second->field[0], *last = &second->field[second->n - 1];
	const bool is_first = name->length == 1 && (*name->text == '0' || *name->text == '1'),
		   is_behind = begins_behind(heading, second);
	bool touches = false;
	int n_texts = 0, most_texts = 0; /* that follow each other */

	/* else a delimiter is behind each record */
	if (r->delimiter != ' ' && last->length == 0 && !last->quoted)
		return false;
	/* columns that were saved have that name, an empty one; no text has a tab within */
	if (settings.restore && c->n == heading->n + 1 && text_set_get(&c->names, 0).length == 0)
		return true;
	if (settings.header || (heading->field[0].quoted && name->quoted) || r->delimiter == '\t')
		return true;
	for (int64_t k = 0; k < heading->n; k++) {
		touches = touches || begins_as_number(&heading->field[k]);
		n_texts = !name[k + 1].quoted && is_text(c, &name[k + 1]) ? n_texts + 1 : 0;
		most_texts = n_texts > most_texts ? n_texts : most_texts;
	}
	if (r->delimiter == ' ' && !touches &&
	    (is_first ? is_behind || most_texts < 2 : is_behind && most_texts == 0))
		return true;
	cli_fail("%s:%" PRId64 ": a field more than in line %" PRId64 ": if the first "
		 "is the name of its row say --header, if texts hold what is between columns put "
		 "tabs there, if columns touch, blanks",
		 convert_name(), second->line, heading->line);
}

/*
 * A copy of the first record, for mem_free(), if it is the heading; else NULL
 *
 * 'second' is NULL if there is no second record.  'err' tells that memory ran out.  The program ends
 * for a second record between blanks with one field more that may be no name of its row.
 */
static struct csv_record *find_heading(struct convert_job *job, const struct csv_reader *r,
				       const struct csv_record *first,
				       const struct csv_record *second, struct error *err)
{
	struct csv_record *heading;

	if (((r->delimiter == CSV_FIRST_BLANK || r->delimiter == CSV_WHOLE_LINE) &&
	     !settings.header) ||
	    !is_heading(job, first, second))
		return NULL;
	job->between_blanks = r->delimiter == ' ';
	if (job->between_blanks && !settings.header && second && second->n == first->n &&
	    !first->field[0].quoted && begins_behind(first, second))
		cli_fail("%s:%" PRId64 ": begins behind the first field of line %" PRId64
			 ", and has as many: if a name of a column holds a blank put tabs between "
			 "columns, else say --header",
			 convert_name(), first->line, second->line);
	heading = csv_record_keep(first,
				  second && second->n == first->n + 1 &&
					  has_row_name(&job->columns, r, first, second),
				  err);
	if (!heading || settings.common.quiet || settings.restore || !job->in_doubt)
		return heading;
	cli_note("%s:%" PRId64 ": is taken for the names of the columns: if it is a record, say "
		 "--no-header",
		 convert_name(), heading->line);
	return heading;
}

/* ---- the beginning ---- */

/*
 * The items of a list, which is a record of CSV: items with commas are quoted.  They are added to the
 * set 'to' or, if it is NULL, name columns of that kind.
 */
static void take_list(struct csv_columns *c, const char *list, struct text_set *to,
		      enum column_kind kind)
{
	const struct byte_buffer bytes = { (char *)list, list ? (int64_t)strlen(list) : 0, 0 };
	struct csv_reader r = { .delimiter = ',', .name = list };
	struct csv_record items = { 0 };
	struct error err = { 0 };
	int got;

	if (!list)
		return;
	cli_check(input_open_kept(&r.text.from, &bytes, "list", &err), &err);
	cli_check(text_window_more(&r.text, &err), &err);
	while ((got = csv_read(&r, &items, &err)) > 0)
		for (const struct csv_field *item = items.field; item < items.field + items.n;
		     item++)
			cli_check(to ? text_set_add(to, item->text, item->length, &err) :
				       csv_columns_set(c, item->text, kind, &err),
				  &err);
	cli_check(got, &err);
	input_close(r.text.from);
	csv_reader_free(&r);
}

/* The columns, by the header, or the number of fields of the first record. */
static int begin_columns(struct convert_job *job, struct table *t, const struct csv_record *header,
			 int64_t n, struct error *err)
{
	struct csv_columns *c = &job->columns;

	if (settings.restore)
		return csv_columns_fit(c, header, n, err);
	if (csv_columns_begin(c, header, n, err) < 0 ||
	    (t->is_arff && arff_declare(&t->arff, c, err) < 0))
		return -1;
	/* names of rows, as R and pandas write them */
	if (header && c->n > 1 && text_set_get(&c->names, 0).length == 0)
		c->column[0].kind = COLUMN_IGNORED;
	take_list(c, settings.categories, NULL, COLUMN_CATEGORIES);
	take_list(c, settings.ignore, NULL, COLUMN_IGNORED);
	take_list(c, settings.text, NULL, COLUMN_TEXT);
	if ((settings.id && csv_columns_set(c, settings.id, COLUMN_ID, err) < 0) ||
	    (settings.group && csv_columns_set(c, settings.group, COLUMN_GROUP, err) < 0))
		return -1;
	return settings.label ? csv_columns_set(c, settings.label, COLUMN_LABEL, err) : 0;
}

/* What is done with the records of a reading. */
struct visitor {
	bool begins; /* columns begin with this reading */
	int (*record)(struct convert_job *job, const struct csv_record *record, struct error *err);
};

static int visit_rest(struct convert_job *job, struct table *t, const struct visitor *v,
		      struct error *err)
{
	struct csv_record record;
	int got;

	while ((got = t->is_arff ? arff_read(&t->arff, &record, err) :
				   csv_read(&t->csv, &record, err)) > 0)
		if (v->record(job, &record, err) < 0)
			return -1;
	return got;
}

static int visit_arff(struct convert_job *job, struct table *t, const struct visitor *v,
		      struct error *err)
{
	struct csv_record names;

	if (arff_begin(&t->arff, err) < 0)
		return -1;
	names = arff_names(&t->arff);
	if (v->begins && begin_columns(job, t, &names, names.n, err) < 0)
		return -1;
	return visit_rest(job, t, v, err);
}

/* End the program for a record that rules off a printed table, such as |---|---| and +---+. */
static void refuse_rule(const struct csv_record *record, char delimiter)
{
	bool has_line = false;

	for (int64_t k = 0; k < record->n; k++) {
		const struct csv_field *f = &record->field[k];

		/* a lone + is a value, as of strands, and so is a lone - but below columns of one byte */
		if ((int64_t)strspn(f->text, "-=+:| \t") < f->length || strcmp(f->text, "+") == 0)
			return;
		has_line = has_line || strstr(f->text, "--") || strstr(f->text, "==") ||
			   (delimiter == ' ' && f->length > 0);
	}
	if (has_line)
		cli_fail("%s:%" PRId64 ": this line rules off a printed table, and is "
			 "no record: write the table as CSV, as by psql --csv, mysql --batch or "
			 "sqlite3 -csv -header, or take such lines out",
			 convert_name(), record->line);
}

/* The columns begin with the first two records, of which the second is NULL if there is none. */
static int begin_csv(struct convert_job *job, struct table *t, const struct csv_record *first,
		     const struct csv_record *second, struct error *err)
{
	struct csv_record *heading = find_heading(job, &t->csv, first, second, err);
	const int64_t n = heading ? heading->n : first->n;
	const int ret = err->code == ERR_NONE ? begin_columns(job, t, heading, n, err) : -1;

	job->has_heading = heading != NULL;
	mem_free(heading);
	return ret;
}

static int visit_csv(struct convert_job *job, struct table *t, const struct visitor *v,
		     struct error *err)
{
	struct csv_record *first = NULL, second;
	int got, ret = -1;

	if (text_window_more(&t->csv.text, err) < 0)
		return -1;
	t->csv.delimiter = csv_skip_head(&t->csv);
	if (settings.delimiter > 0)
		t->csv.delimiter = delimiters[settings.delimiter];
	else if (job->columns.text_rule.delimiter > 0)
		t->csv.delimiter = (char)job->columns.text_rule.delimiter;
	if (!t->csv.delimiter)
		cli_fail("%s: blanks are between columns, and in texts or beside columns that are "
			 "not aligned: put tabs between the columns, or say --delimiter blank",
			 t->csv.name);
	got = csv_read(&t->csv, &second, err);
	if (got == 0)
		return error_set(err, ERR_FORMAT, "%s: the table is empty", t->csv.name);
	if (got > 0)
		refuse_rule(&second, t->csv.delimiter);
	first = got > 0 ? csv_record_keep(&second, 0, err) : NULL;
	got = first ? csv_read(&t->csv, &second, err) : -1;
	if (got > 0)
		refuse_rule(&second, t->csv.delimiter);
	if (got >= 0 &&
	    (!v->begins || begin_csv(job, t, first, got > 0 ? &second : NULL, err) == 0) &&
	    (job->has_heading || v->record(job, first, err) == 0) &&
	    (got > 0 || !job->has_heading ||
	     error_set(err, ERR_FORMAT, "%s: a heading, and no records", t->csv.name) == 0) &&
	    (got == 0 || v->record(job, &second, err) == 0))
		ret = got > 0 ? visit_rest(job, t, v, err) : 0;
	mem_free(first);
	return ret;
}

/* ---- readings ---- */

static void read_table(struct convert_job *job, const char *doing, const struct visitor *v,
		       bool is_last)
{
	struct table t = { .is_arff = job->form == FORM_ARFF };
	/* the input of the first reading is open already */
	struct input *input = job->input ?
				      job->input :
				      cli_open_pass(&job->run.passes, settings.data_name, is_last);
	struct error err = { 0 };
	int ret;

	job->input = NULL;
	t.csv.text.from = t.arff.lines.text.from = input;
	t.csv.decimal_comma = job->columns.decimal_comma;
	t.csv.name = t.arff.lines.name = convert_name();
	cli_run_progress(&job->run, doing);
	ret = t.is_arff ? visit_arff(job, &t, v, &err) : visit_csv(job, &t, v, &err);
	cli_progress_end(&job->run.progress);
	cli_check(ret, &err);
	cli_close_pass(&job->run.passes, input);
	csv_reader_free(&t.csv);
	arff_reader_free(&t.arff);
}

static int learn_record(struct convert_job *job, const struct csv_record *record, struct error *err)
{
	return csv_columns_learn(&job->columns, record, err);
}

/* Keep the identifier as the comment of the row that was made last; a line stays one. */
static int keep_id(struct convert_job *job, const struct csv_field *field, struct error *err)
{
	struct byte_buffer *ids = &job->ids;
	const int64_t n = job->id_names.n;

	if (field->length > 0 && n < CSV_MOST_CATEGORIES)
		job->n_again += text_set_add(&job->id_names, field->text, field->length, err) < n;
	if (byte_buffer_reserve(ids, field->length + 2, err) < 0)
		return -1;
	byte_buffer_add(ids, "# ", field->length > 0 ? 2 : 0);
	for (int64_t k = 0; k < field->length; k++)
		ids->bytes[ids->size++] =
			(unsigned char)field->text[k] < ' ' ? ' ' : field->text[k];
	job->id_start[job->rows.n_rows] = ids->size;
	return err->code == ERR_NONE ? 0 : -1;
}

/* The qid of the row that was made last: the number of its group. */
static int keep_group(struct convert_job *job, const struct csv_field *field, struct error *err)
{
	const struct csv_field name = csv_trimmed(&job->columns, field);
	const int64_t k = text_set_add(&job->groups, name.text, name.length, err);

	snprintf(job->qid[job->rows.n_rows - 1], sizeof(*job->qid), "qid:%" PRId64, k + 1);
	job->has_qid = true;
	return k < 0 ? -1 : 0;
}

static int write_record(struct convert_job *job, const struct csv_record *record, struct error *err)
{
	const struct csv_columns *c = &job->columns;
	const int made = csv_columns_row(&job->columns, record, &job->rows, err);

	job->n_read++;
	if (made < 0 ||
	    (made > 0 && c->id_place >= 0 && keep_id(job, &record->field[c->id_place], err) < 0) ||
	    (made > 0 && c->group_place >= 0 &&
	     keep_group(job, &record->field[c->group_place], err) < 0))
		return -1;
	return job->rows.n_rows < CONVERT_BATCH ? 0 : convert_write(job, &job->rows, err);
}

/* The words of the file --stop: its text is one of words by the rule, so that each can be met. */
static void take_stop_words(struct csv_columns *c)
{
	struct text_features t = { .rule = settings.rule };
	struct byte_buffer text = { 0 };
	struct input *from = cli_open_input(settings.stop);
	struct error err = { 0 };

	if (input_append_all(from, &text, &err) < 0)
		cli_fail_input(settings.stop, &err);
	if (text_words_find(&t, &c->stop, (struct text_span){ text.bytes, text.size }, &err) < 0)
		cli_fail("%s: %s", input_name(from), err.text);
	for (int64_t k = 0; k < t.n_found; k++)
		cli_check(text_set_add(&c->stop, t.text.bytes + t.start[k],
				       t.start[k + 1] - t.start[k] - 1, &err),
			  &err);
	input_close(from);
	byte_buffer_free(&text);
	text_features_free(&t);
}

static void set_text_rule(struct csv_columns *c)
{
	struct text_rule *rule = &settings.rule;
	const char delimiter = delimiters[settings.delimiter];
	char more;

	if (sscanf(settings.ngrams, "%1" SCNd64 ",%1" SCNd64 "%c", &rule->least, &rule->most,
		   &more) != 2 ||
	    rule->least < 1 || rule->most < rule->least)
		cli_refuse("--ngrams LEAST,MOST: two numbers from 1 to %d, not '%s'",
			   TEXT_MOST_WORDS, settings.ngrams);
	rule->weights = settings.tfidf ? WEIGHTS_TFIDF : WEIGHTS_NONE;
	/* a table of later texts is guessed to be another: those who read it know this one by the file */
	rule->delimiter = delimiter <= CSV_WHOLE_LINE ? delimiter : 0;
	if (settings.text)
		c->text_rule = *rule;
	if (settings.stop)
		take_stop_words(c);
}

static void learn(struct convert_job *job)
{
	static const struct visitor learning = { true, learn_record };
	struct error err = { 0 };

	set_text_rule(&job->columns);
	job->columns.missing = settings.missing;
	job->columns.decimal_comma = settings.decimal_comma;
	take_list(&job->columns, settings.na, &job->columns.missing_texts, COLUMN_TEXT);
	read_table(job, "learning columns", &learning, false);
	cli_check(csv_columns_end(&job->columns, &err), &err);
	if (job->columns.n_features == 0)
		cli_fail("%s: no column is left for features%s", convert_name(),
			 job->columns.n > 1 ? "" :
					      ": the table has one; is there a --delimiter that "
					      "was not guessed?");
}

void convert_restore(struct convert_job *job)
{
	struct csv_columns *c = &job->columns;
	struct error err = { 0 };

	if (input_load(csv_columns_read, c, settings.restore, &err) < 0)
		cli_fail_reading("columns file", settings.restore, &err);
	c->accept_unlabelled = !settings.no_label;
	c->id = settings.id;
	c->group = settings.group;
	if (!cli_given("--missing"))
		return;
	if (settings.missing == MISSING_MARKED && !c->marked)
		cli_fail("--missing mark: %s was saved without it", settings.restore);
	c->missing = settings.missing;
}

void convert_table(struct convert_job *job)
{
	const struct visitor writing = { settings.restore != NULL, write_record };
	const char delimiter = delimiters[settings.delimiter];

	if (!settings.label && !settings.no_label && !settings.restore)
		cli_refuse("-l is missing: %s",
			   delimiter == CSV_WHOLE_LINE ?
				   "each line is one text: say --no-label --text 1" :
			   delimiter == CSV_FIRST_BLANK ? "say -l 1 --text 2" :
							  "which column has the labels?");
	if (settings.restore)
		convert_restore(job);
	job->columns.name = convert_name();
	job->columns.exact = job->form == FORM_ARFF;
	if (!settings.restore)
		learn(job);
	job->n_columns = job->columns.n_features;
	convert_begin(job);
	read_table(job, "converting", &writing, true);
}

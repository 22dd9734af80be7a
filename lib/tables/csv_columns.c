/*
 * csv_columns.c - the columns of a table as a label and features: learned, then rows made by them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/csv_columns.h"

#include "base/decimal.h"
#include "base/mem_bound.h"

/* ---- fields as missing values, numbers and texts ---- */

const char *const csv_missing_names[] = { "error", "drop", "zero", "mean", "mark", NULL };

enum missing_word csv_missing(const struct csv_columns *c, const struct csv_field *field)
{
	if (c->missing_texts.n > 0 &&
	    text_set_find(&c->missing_texts, field->text, field->length) >= 0)
		return MISSING_ALWAYS;
	if (!c->exact)
		return missing_word(field->text, field->length);
	return !field->quoted && field->length == 1 && *field->text == '?' ? MISSING_ALWAYS :
									     NOT_MISSING;
}

/* A blank, or the 0 that is there since the field was trimmed before. */
static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\0';
}

struct csv_field csv_trimmed(const struct csv_columns *c, const struct csv_field *field)
{
	struct csv_field f = *field;

	if (c->exact)
		return f;
	while (f.length > 0 && is_blank(*f.text)) {
		f.text++;
		f.length--;
	}
	while (f.length > 0 && is_blank(f.text[f.length - 1]))
		f.text[--f.length] = '\0';
	return f;
}

/* The end of the number at 'text', or NULL; Fortran's exponents have a D before a sign: 0.1D+01. */
static const char *parse_number(char *text, const char *end, double *value)
{
	const char *stop = decimal_parse(text, end, value);
	char *letter = text + (stop ? stop - text : 0);

	if (!stop || stop == end || (*letter != 'D' && *letter != 'd') ||
	    (letter[1] != '+' && letter[1] != '-'))
		return stop;
	*letter ^= 'D' ^ 'E';
	stop = decimal_parse(text, end, value);
	*letter ^= 'D' ^ 'E';
	return stop;
}

/* Is the byte at 'p' a separator of thousands, with digits before it and three digits behind? */
static bool separates_thousands(const char *start, const char *p)
{
	return p > start && digits_is(p[-1]) && strspn(p + 1, "0123456789") == 3;
}

bool csv_columns_is_number(const struct csv_columns *c, const struct csv_field *field,
			   double *value)
{
	char *comma = c->decimal_comma ? strchr(field->text, ',') : NULL;
	const char *point = c->decimal_comma ? strchr(field->text, '.') : NULL;
	const char *end = field->text + field->length;
	bool is_number;

	/* a point beside a decimal comma separates thousands, as it may before three digits */
	if (point && (comma || separates_thousands(field->text, point)))
		return false;
	if (comma)
		*comma = '.';
	is_number = parse_number(field->text, end, value) == end && isfinite(*value);
	if (comma)
		*comma = ',';
	return is_number;
}

/*
 * Is the byte at 'p' one that people write in or beside a number, such as $ and %?  So are signs that
 * are not in ASCII, such as those of euro, pound and yen: U+0080 to U+00BF, U+2000 to U+2FFF and
 * U+F000 on, whose first bytes are C2, E2 and EF.  Letters are not.
 */
static bool is_decoration(const struct csv_columns *c, const char *start, const char *p)
{
	const unsigned char byte = (unsigned char)*p;

	if (*p == ' ' && !(p > start && digits_is(p[-1]) && digits_is(p[1])))
		return true;
	if (*p == ' ' || *p == '\'' || *p == (c->decimal_comma ? '.' : ','))
		return separates_thousands(start, p);
	return (byte >= 0x80 && byte <= 0xc2) || byte == 0xe2 || byte == 0xef ||
	       (*p && strchr("$%*()[]{}", *p));
}

static bool has_letter(const char *start, const char *end)
{
	for (const char *p = start; p < end; p++)
		if (((*p | 0x20) >= 'a' && (*p | 0x20) <= 'z') || (unsigned char)*p >= 0x80)
			return true;
	return false;
}

/* May what is before a number be the short word of a currency, as in EUR 5, Rs. 5 and R$5? */
static bool is_currency(const char *start, const char *end)
{
	return end - start <= 4 && (end[-1] == '$' || (end - start >= 3 && strchr(" .", end[-1])));
}

/* The text from 'p' on that is no number: letters, or one character of UTF-8. */
static void note_other(const char *p, char other[16])
{
	size_t n = 0;

	while (((p[n] | 0x20) >= 'a' && (p[n] | 0x20) <= 'z'))
		n++;
	if (n == 0 && *p)
		for (n = 1; ((unsigned char)p[n] & 0xc0) == 0x80;)
			n++;
	error_quote(other, 16, p, n);
}

/* Which it is; 'other' becomes what of it is no number, where that is known. */
static enum number_look csv_number_look(const struct csv_columns *c, const struct csv_field *field,
					char other[16])
{
	static const struct csv_columns with_comma = { .decimal_comma = true };
	char kept[64];
	struct csv_field rest = { .text = kept };
	const char *p = field->text, *first = NULL, *end = p;
	double value;

	if (!c->decimal_comma && strchr(p, ',') && !separates_thousands(p, strchr(p, ',')) &&
	    csv_columns_is_number(&with_comma, field, &value))
		return LOOKS_DECIMAL_COMMA;
	for (; *p && rest.length < (int64_t)sizeof(kept) - 1; p++)
		if (!is_decoration(c, field->text, p))
			kept[rest.length++] = *p;
		else if (!first || *first == ' ')
			first = p;
	kept[rest.length] = '\0';
	if (first && !*p && csv_columns_is_number(c, &rest, &value)) {
		note_other(first, other);
		return LOOKS_DECORATED;
	}
	/* the first digit, and what is before it, or else behind its number */
	p = field->text + strcspn(field->text, "0123456789");
	if (!*p || (has_letter(field->text, p) && !is_currency(field->text, p)))
		return LOOKS_LIKE_TEXT;
	end = decimal_parse(p, field->text + field->length, &value);
	p = field->text + strspn(field->text, "+-. ");
	if (digits_is(*p))
		p = end + strspn(end, " ");
	/* two signs or points, or more than a double holds */
	if (!*p)
		p = strpbrk(field->text, "eE") ? strpbrk(field->text, "eE") : field->text;
	note_other(p, other);
	return LOOKS_BEGUN;
}

const char *csv_column_name(const struct csv_columns *c, int64_t k, char quoted[64])
{
	const struct text_span name = text_set_get(&c->names, k);

	return error_quote(quoted, 64, name.start, (size_t)name.length);
}

/* Set ERR_FORMAT to `TABLE:LINE: column 'NAME': 'FIELD' REASON`; returns -1. */
static int csv_fault(const struct csv_columns *c, const struct csv_record *record, int64_t k,
		     const char *reason, struct error *err)
{
	const struct csv_field *field = &record->field[c->column[k].place];

	return error_set(err, ERR_FORMAT, "%s:%" PRId64 ": column '%s': '%s' %s", c->name,
			 record->line, CSV_COLUMN_NAME(c, k),
			 QUOTED(64, field->text, (size_t)field->length), reason);
}

/* Has the record as many fields as the table?  Else -1 with ERR_FORMAT. */
static int csv_check_length(const struct csv_columns *c, const struct csv_record *record,
			    struct error *err)
{
	if (record->n == c->n_fields)
		return 0;
	return error_set_remedy(err, ERR_FORMAT, record->n == 1 ? REMEDY_DELIMITER : REMEDY_NONE,
				"%s:%" PRId64 ": %" PRId64 " field%s, not %" PRId64, c->name,
				record->line, record->n, record->n == 1 ? "" : "s", c->n_fields);
}

/* Number of features of a column. */
static int64_t csv_count_features(const struct csv_columns *c, const struct csv_column *column)
{
	if (column->kind >= COLUMN_TEXT)
		return column->kind == COLUMN_TEXT ? text_features_count(column->text_features) : 0;
	return (column->kind == COLUMN_NUMBER ? 1 : column->categories.n) +
	       (c->marked && column->n_missing > 0);
}

/* Bytes of the small pieces of memory of a column with a few texts, which are never in files. */
#define COLUMN_BYTES 256

/* Most bytes of a category: a longer text is a document. */
#define LONGEST_CATEGORY (1 << 20)

/* ---- names and kinds ---- */

static int64_t find_column(const struct csv_columns *c, const char *name)
{
	const int64_t k = text_set_find(&c->names, name, (int64_t)strlen(name));
	const char *end = name + strlen(name);
	double number;

	if (k >= 0 || decimal_parse(name, end, &number) != end || number != floor(number) ||
	    fabs(number) < 1 || fabs(number) > (double)c->n)
		return k;
	return number > 0 ? (int64_t)number - 1 : c->n + (int64_t)number;
}

/* The name of the next column, which is new: "NAME", or "NAME.1", "NAME.2" and so on. */
static int add_name(struct csv_columns *c, const char *name, int64_t length, struct error *err)
{
	struct byte_buffer other = { 0 };
	int64_t place = text_set_add(&c->names, name, length, err);

	for (uint64_t i = 1; place >= 0 && place < c->n; i++) {
		c->renamed = c->n;
		c->column[place].twin = c->n;
		other.size = 0;
		if (byte_buffer_reserve(&other, length + 1 + DECIMAL_SHORTEST_SIZE, err) < 0)
			break;
		byte_buffer_add(&other, name, length);
		byte_buffer_add(&other, ".", 1);
		other.size += decimal_unsigned(i, other.bytes + other.size);
		place = text_set_add(&c->names, other.bytes, other.size, err);
	}
	byte_buffer_free(&other);
	return err->code == ERR_NONE ? 0 : -1;
}

int csv_columns_begin(struct csv_columns *c, const struct csv_record *header, int64_t n,
		      struct error *err)
{
	char number[DECIMAL_SHORTEST_SIZE];

	if (mem_check_bound((double)n * COLUMN_BYTES, err) < 0)
		return -1;
	c->label = c->renamed = c->id_place = c->group_place = c->like_groups = -1;
	c->n_fields = n;
	c->has_header = header != NULL;
	c->column = mem_zeroed(n, sizeof(*c->column), err);
	if (!c->column)
		return -1;
	for (int64_t k = 0; k < n; k++) {
		struct csv_field field = { 0 };

		if (header)
			field = csv_trimmed(c, &header->field[k]);
		c->column[k].unnamed = field.length == 0;
		if (field.length == 0 && (!header || k > 0))
			field = (struct csv_field){
				.text = number, .length = decimal_unsigned((uint64_t)k + 1, number)
			};
		if (add_name(c, field.text, field.length, err) < 0)
			return -1;
		c->column[k].place = k;
		c->column[k].counts = c->column[k].whole = true;
		c->n++;
	}
	return 0;
}

int csv_columns_begin_text(const struct csv_columns *c, struct csv_column *column,
			   struct error *err)
{
	column->text_features = mem_zeroed(1, sizeof(*column->text_features), err);
	if (!column->text_features)
		return -1;
	column->text_features->rule = c->text_rule;
	return 0;
}

int csv_columns_set(struct csv_columns *c, const char *name, enum column_kind kind,
		    struct error *err)
{
	const int64_t k = find_column(c, name);

	if (k < 0)
		return error_set_remedy(
			err, ERR_ARGUMENT, c->has_header ? REMEDY_NONE : REMEDY_HEADER,
			"%s has no column '%s' (the first of %" PRId64 " is '%s')", c->name,
			QUOTED(64, name, strlen(name)), c->n, CSV_COLUMN_NAME(c, 0));
	if (c->column[k].kind == COLUMN_TEXT && kind != COLUMN_TEXT)
		return error_set(
			err, ERR_ARGUMENT,
			"%s: column '%s' has texts that become features, and is to be the %s",
			c->name, CSV_COLUMN_NAME(c, k),
			kind == COLUMN_LABEL ? "label" : "identifier or group");
	if (kind == COLUMN_GROUP)
		c->group_place = k;
	if (kind == COLUMN_GROUP && c->column[k].kind == COLUMN_ID)
		kind = COLUMN_ID_AND_GROUP;
	c->column[k].kind = kind;
	c->column[k].all_texts |= kind == COLUMN_CATEGORIES;
	/* a column of numbers by its declaration: its categories are learned */
	if (kind == COLUMN_CATEGORIES && c->column[k].categories.n == 0)
		c->column[k].declared = false;
	if (kind == COLUMN_LABEL)
		c->label = k;
	if (kind == COLUMN_ID)
		c->id_place = k;
	return kind == COLUMN_TEXT && !c->column[k].text_features ?
		       csv_columns_begin_text(c, &c->column[k], err) :
		       0;
}

int csv_columns_declare(struct csv_columns *c, int64_t k, const struct text_set *values,
			struct error *err)
{
	struct csv_column *column = &c->column[k];

	column->declared = true;
	column->kind = values->n > 0 ? COLUMN_CATEGORIES : COLUMN_NUMBER;
	for (int64_t j = 0; j < values->n; j++) {
		const struct text_span text = text_set_get(values, j);
		const struct csv_field field = { .text = (char *)text.start,
						 .length = text.length,
						 .quoted = true };

		column->n_texts += !csv_columns_is_number(c, &field, &(double){ 0 });
		if (text_set_add(&column->categories, text.start, text.length, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- learning ---- */

/* Of a column whose kind is declared: is the field what it may be? */
static int check_declared(const struct csv_columns *c, const struct csv_record *record, int64_t k,
			  bool is_number, struct error *err)
{
	struct csv_column *column = &c->column[k];
	const struct csv_field *field = &record->field[k];

	if (column->categories.n == 0)
		return is_number ? 0 : csv_fault(c, record, k, "is not a number", err);
	column->value = text_set_find(&column->categories, field->text, field->length);
	return column->value >= 0 ? 0 :
				    csv_fault(c, record, k, "is none of the values declared", err);
}

/* A value that is no number. */
static void learn_text(const struct csv_columns *c, struct csv_column *column,
		       const struct csv_field *field, int64_t line)
{
	char other[16] = ",";
	const enum number_look look = csv_number_look(c, field, other);
	const bool is_first = column->n_texts++ == 0;

	column->n_commas += look == LOOKS_DECIMAL_COMMA;
	column->n_decorated += look >= LOOKS_DECORATED;
	/* the text to be named is one that looks like a number, if there is one */
	if (is_first || (look != LOOKS_LIKE_TEXT && column->n_begun == 0)) {
		column->text_line = line;
		error_quote(column->text, sizeof(column->text), field->text, (size_t)field->length);
		memcpy(column->other, other, sizeof(other));
	}
	column->n_begun += look != LOOKS_LIKE_TEXT;
}

/* text_features_take() of a field, with the place of a fault. */
static int use_text(struct csv_columns *c, const struct csv_record *record, int64_t k,
		    struct row_batch *rows, struct error *err)
{
	const struct csv_column *column = &c->column[k];
	const struct csv_field *field = &record->field[column->place];
	const struct text_span text = { field->text, field->length };
	struct error fault = { 0 };
	const int ret = text_features_take(column->text_features, &c->stop, text, record->line,
					   rows, column->feature, &fault);

	if (fault.code == ERR_FORMAT)
		return csv_fault(c, record, k, fault.text, err);
	*err = fault;
	return ret;
}

static int learn_field(struct csv_columns *c, const struct csv_record *record, int64_t k,
		       struct error *err)
{
	struct csv_column *column = &c->column[k];
	const struct csv_field field = csv_trimmed(c, &record->field[k]);
	double value;
	const enum missing_word missing = csv_missing(c, &field);
	bool is_number;

	column->value = -1;
	if (column->kind == COLUMN_TEXT)
		return use_text(c, record, k, NULL, err);
	if (missing == MISSING_ALWAYS) {
		column->n_missing++;
		return 0;
	}
	column->n_doubtful += missing == MISSING_AMONG_NUMBERS;
	is_number = csv_columns_is_number(c, &field, &value);
	if (is_number) {
		const double n = (double)++column->n_numbers;

		moments_add(&column->numbers, value, 1);
		column->mean = moments_mean(&column->numbers);
		column->counts = column->counts && (value == n || value == n - 1);
		column->whole = column->whole && value == trunc(value);
		column->number = value;
	}
	if (column->declared)
		return check_declared(c, record, k, is_number, err);
	if (!is_number)
		learn_text(c, column, &field, record->line);
	if (column->has_many)
		return 0;
	if (field.length > LONGEST_CATEGORY)
		return csv_fault(c, record, k, "is too long for a category", err);
	column->value = text_set_add(&column->categories, field.text, field.length, err);
	if (column->value < 0)
		return -1;
	column->n_first += column->value == 0;
	if (column->categories.n > CSV_MOST_CATEGORIES) {
		column->has_many = true;
		text_set_free(&column->categories);
	}
	return 0;
}

/* ---- do the values of a column tell the label? ---- */

/*
 * Values such as names of patients, who are ill or well, tell the label.  By chance the label of a row
 * is that of the first row of its value with probability p at most, the share of one label or of all
 * others.  So of m further rows of values, n do not agree with the first with probability
 *
 *     P <= (m choose n) p^(m - n) <= m^n p^(m - n)                                              (1)
 *
 * which is to be small, and n at most a twentieth of the number of values.  A good feature does as well
 * where it is a number.  But then its values differ by the label, and numbers of groups hardly do:
 *
 *     squares between the labels < GROUPS_VARIANCE squares in all                               (2)
 */
#define GROUPS_CHANCE 1e-9
/* Where the label is a threshold of a feature, .75 for half of the values above it, .27 for a tenth. */
#define GROUPS_VARIANCE 0.1
/* Fewest values that are groups, and rows that do not agree from which on a column has none: see n. */
#define LEAST_GROUPS 5
#define MOST_CONTRARY (CSV_MOST_CATEGORIES / 20 + 1)

/* Compare the label of a row with that of the first row that has the same value. */
static int compare_labels(const struct csv_columns *c, struct csv_column *column, struct error *err)
{
	const int32_t label = (int32_t)c->column[c->label].value + 1;
	int32_t *first;

	if (mem_grow(&column->label_of, &column->labels_capacity, column->value + 1,
		     sizeof(*column->label_of), err) < 0)
		return -1;
	while (column->n_values <= column->value)
		column->label_of[column->n_values++] = 0;
	first = &column->label_of[column->value];
	if (column->n_texts == 0)
		moments_add(&column->by_label[label == 1], column->number, 1);
	column->n_agreeing += *first == label;
	column->n_contrary += *first != label && *first > 0;
	*first = *first > 0 ? *first : label;
	return 0;
}

/* Do the values of a column that was learned tell the label, as (1) and (2)? */
static bool is_like_groups(const struct csv_columns *c, struct csv_column *column)
{
	const double share = (double)c->n_first_label / (double)c->n_labels,
		     p = fmax(share, 1 - share), n = (double)column->n_contrary,
		     m = (double)column->n_agreeing + n,
		     between = moments_join(&column->by_label[0], &column->by_label[1]);

	return column->n_values >= LEAST_GROUPS && 20 * n <= (double)column->n_values &&
	       n * log(m) + (m - n) * log(p) < log(GROUPS_CHANCE) &&
	       (column->kind != COLUMN_NUMBER || column->n_texts > 0 ||
		(column->whole && column->n_agreeing >= column->n_values &&
		 between < GROUPS_VARIANCE * column->by_label[0].squares));
}

int csv_columns_learn(struct csv_columns *c, const struct csv_record *record, struct error *err)
{
	const struct csv_column *label = c->label >= 0 ? &c->column[c->label] : NULL;

	if (csv_check_length(c, record, err) < 0)
		return -1;
	for (int64_t k = 0; k < c->n; k++)
		if (c->column[k].kind < COLUMN_IGNORED && learn_field(c, record, k, err) < 0)
			return -1;
	/* of groups that are named nothing is to be said, nor without labels */
	if (c->group_place >= 0 || !label || label->value < 0)
		return 0;
	c->n_labels++;
	c->n_first_label += label->value == 0;
	for (struct csv_column *of = c->column; of < c->column + c->n; of++)
		if (of->kind < COLUMN_TEXT && of->value >= 0 && of->n_contrary < MOST_CONTRARY &&
		    compare_labels(c, of, err) < 0)
			return -1;
	return 0;
}

int csv_columns_number(struct csv_columns *c, struct error *err)
{
	c->n_features = 0;
	for (int64_t k = 0; k < c->n; k++) {
		c->column[k].feature = c->n_features + 1;
		c->n_features += csv_count_features(c, &c->column[k]);
	}
	return c->n_features < INT32_MAX ? 0 :
					   error_set(err, ERR_FORMAT, "%s: %" PRId64 " features",
						     c->name, c->n_features);
}

/*
 * Texts among nine times as many numbers, or more, are taken for slips, not for categories; numbers
 * with signs and separators count as numbers.
 */
static int check_texts(const struct csv_columns *c, int64_t k, struct error *err)
{
	const struct csv_column *column = &c->column[k];
	const int64_t n = column->n_numbers + column->n_texts;
	const char *const name = CSV_COLUMN_NAME(c, k);

	if (column->n_texts == 0 || 10 * (column->n_texts - column->n_decorated) > n ||
	    column->all_texts || column->declared)
		return 0;
	if (column->n_commas > 0)
		return error_set_remedy(err, ERR_FORMAT, REMEDY_DECIMAL_COMMA,
					"%s:%" PRId64 ": column '%s': '%s' is not a number",
					c->name, column->text_line, name, column->text);
	if (column->n_decorated > 0)
		return error_set_remedy(
			err, ERR_FORMAT, REMEDY_PLAIN_NUMBERS,
			"%s:%" PRId64 ": column '%s': '%s' is no number for its '%s'", c->name,
			column->text_line, name, column->text, column->other);
	return error_set_remedy(err, ERR_FORMAT, REMEDY_NAME_TEXTS,
				"%s:%" PRId64 ": column '%s': '%s' is not a number, as %" PRId64
				" of %" PRId64 " values are",
				c->name, column->text_line, name, column->text, column->n_numbers,
				n);
}

/* Of a column with texts: kind, and the order of its categories or classes. */
static int end_texts(struct csv_columns *c, int64_t k, struct error *err)
{
	struct csv_column *column = &c->column[k];

	if (column->kind == COLUMN_NUMBER)
		column->kind = COLUMN_CATEGORIES;
	if (column->has_many)
		return error_set_remedy(err, ERR_FORMAT, REMEDY_WORDS,
					"%s: column '%s' has more than %d different texts", c->name,
					CSV_COLUMN_NAME(c, k), CSV_MOST_CATEGORIES);
	return column->declared ? 0 : text_set_sort(&column->categories, NULL, err);
}

int csv_columns_end(struct csv_columns *c, struct error *err)
{
	c->marked = c->missing == MISSING_MARKED;
	for (int64_t k = 0; k < c->n; k++) {
		struct csv_column *column = &c->column[k];

		if (column->kind == COLUMN_TEXT &&
		    text_features_end(column->text_features, err) < 0)
			return -1;
		/* what delimiters behind all records leave: no name, and no values */
		if (column->unnamed && column->n_numbers + column->n_texts == 0 &&
		    column->kind == COLUMN_NUMBER)
			column->kind = COLUMN_IGNORED;
		if (column->n_numbers > 0 && column->n_texts == column->n_doubtful &&
		    !column->all_texts && !column->declared) {
			column->n_missing += column->n_texts;
			column->n_texts = 0;
		}
		if (c->like_groups < 0 && column->kind < COLUMN_TEXT && !column->has_many &&
		    is_like_groups(c, column))
			c->like_groups = k;
		if (column->kind >= COLUMN_IGNORED || column->kind == COLUMN_TEXT ||
		    (column->kind != COLUMN_CATEGORIES && column->n_texts == 0 &&
		     !column->all_texts))
			text_set_free(&column->categories);
		else if (check_texts(c, k, err) < 0 || end_texts(c, k, err) < 0)
			return -1;
	}
	return csv_columns_number(c, err);
}

bool csv_columns_numbered(const struct csv_columns *c)
{
	char number[DECIMAL_SHORTEST_SIZE];

	for (int64_t k = 0; k < c->n; k++) {
		const int length = decimal_unsigned((uint64_t)k + 1, number);

		if (text_set_find(&c->names, number, length) != k)
			return false;
	}
	return true;
}

int csv_columns_fit(struct csv_columns *c, const struct csv_record *header, int64_t n,
		    struct error *err)
{
	struct csv_columns there = { .name = c->name,
				     .decimal_comma = c->decimal_comma,
				     .exact = c->exact };
	int ret = csv_columns_begin(&there, header, n, err);

	c->n_fields = n;
	/* more fields without names are of another delimiter, unless names of rows or groups were added */
	if (ret == 0 && !header && n > c->n && !c->id && !c->group)
		ret = error_set(err, ERR_FORMAT, "%s: %" PRId64 " fields, and %" PRId64 " columns",
				c->name, n, c->n);
	for (int64_t k = 0; k < c->n && ret == 0; k++) {
		const struct text_span name = text_set_get(&c->names, k);
		const int64_t place = text_set_find(&there.names, name.start, name.length);
		const int64_t twin = place >= 0 ? there.column[place].twin : 0;
		const struct text_span other = text_set_get(&there.names, twin);

		/* of two columns of a name one was learned, and nothing tells which */
		if (twin > 0 && c->column[k].kind != COLUMN_IGNORED &&
		    text_set_find(&c->names, other.start, other.length) < 0)
			ret = error_set(err, ERR_FORMAT,
					"%s: columns %" PRId64 " and %" PRId64
					" have the same name, '%s'",
					c->name, place + 1, twin + 1, CSV_COLUMN_NAME(c, k));
		c->column[k].place = place;
		if (c->column[k].kind == COLUMN_ID || c->column[k].kind == COLUMN_ID_AND_GROUP)
			c->id_place = c->column[k].place;
		if (c->column[k].kind >= COLUMN_GROUP)
			c->group_place = c->column[k].place;
		if (c->column[k].place >= 0 || c->column[k].kind >= COLUMN_LABEL)
			continue;
		ret = error_set_remedy(err, ERR_FORMAT, header ? REMEDY_NONE : REMEDY_HEADER,
				       "%s: no column '%s'", c->name, CSV_COLUMN_NAME(c, k));
	}
	if (ret == 0 && c->id) {
		ret = csv_columns_set(&there, c->id, COLUMN_ID, err);
		c->id_place = there.id_place;
	}
	if (ret == 0 && c->group) {
		ret = csv_columns_set(&there, c->group, COLUMN_GROUP, err);
		c->group_place = there.group_place;
	}
	csv_columns_free(&there);
	return ret;
}

void csv_columns_free(struct csv_columns *c)
{
	for (int64_t k = 0; k < c->n; k++) {
		text_set_free(&c->column[k].categories);
		if (c->column[k].text_features)
			text_features_free(c->column[k].text_features);
		mem_free_all(c->column[k].text_features, c->column[k].label_of);
	}
	mem_free(c->column);
	text_set_free(&c->names);
	text_set_free(&c->missing_texts);
	text_set_free(&c->stop);
	*c = (struct csv_columns){ 0 };
}

/* ---- records as rows ---- */

/* Add an entry, unless it is 0: 1, or -1. */
static int add_entry(struct row_batch *to, int64_t feature, double value, struct error *err)
{
	return value != 0 && row_batch_add(to, feature, value, err) < 0 ? -1 : 1;
}

static int missing_fault(const struct csv_columns *c, const struct csv_record *record, int64_t k,
			 const char *reason, struct error *err)
{
	csv_fault(c, record, k, reason, err);
	err->remedy = REMEDY_MISSING;
	return -1;
}

/* The field of column k as a number; false if it is none.  Notes the first that is rounded. */
static bool read_number(struct csv_columns *c, int64_t line, int64_t k,
			const struct csv_field *field, double *value)
{
	struct csv_column *column = &c->column[k];

	if (!csv_columns_is_number(c, field, value))
		return false;
	if (column->rounded_line == 0 &&
	    decimal_is_rounded(field->text, field->text + field->length, *value)) {
		column->rounded_line = line;
		error_quote(column->rounded, sizeof(column->rounded), field->text,
			    (size_t)field->length);
	}
	return true;
}

/* A missing value of column k, by the rule: 1, 0 if the row is left out, or -1. */
static int add_missing(struct csv_columns *c, int64_t k, struct row_batch *to, struct error *err)
{
	const struct csv_column *column = &c->column[k];
	const int64_t last = column->feature + csv_count_features(c, column) - 1;

	if (c->missing == MISSING_MARKED && column->n_missing > 0)
		return add_entry(to, last, 1, err);
	if (c->missing == MISSING_MARKED && c->n_unmarked++ == 0)
		c->unmarked_column = k;
	if (c->missing >= MISSING_MEAN && column->kind == COLUMN_NUMBER)
		return add_entry(to, column->feature, column->mean, err);
	return c->missing != MISSING_DROPS;
}

/* Is it a missing value of that column, which a word such as '-' is among numbers alone? */
static bool is_missing(const struct csv_columns *c, const struct csv_column *column,
		       const struct csv_field *field)
{
	const enum missing_word missing = csv_missing(c, field);

	return missing == MISSING_ALWAYS ||
	       (missing == MISSING_AMONG_NUMBERS && column->categories.n == 0);
}

/* The entry of a field: 1, 0 if the row is left out, or -1. */
static int add_field(struct csv_columns *c, const struct csv_record *record, int64_t k,
		     struct row_batch *to, struct error *err)
{
	const struct csv_column *column = &c->column[k];
	const struct csv_field field = csv_trimmed(c, &record->field[column->place]);
	double value;
	int64_t category;

	if (column->kind == COLUMN_TEXT)
		return use_text(c, record, k, to, err) < 0 ? -1 : 1;
	if (is_missing(c, column, &field)) {
		c->n_missing++;
		if (c->missing == MISSING_REFUSED)
			return missing_fault(c, record, k, "is a missing value", err);
		return add_missing(c, k, to, err);
	}
	if (column->kind == COLUMN_NUMBER) {
		if (!read_number(c, record->line, k, &field, &value))
			return csv_fault(c, record, k, "is not a number", err);
		return add_entry(to, column->feature, value, err);
	}
	category = text_set_find(&column->categories, field.text, field.length);
	if (category >= 0)
		return add_entry(to, column->feature + category, 1, err);
	/* a text that is no category of the column */
	if (c->n_unknown++ == 0) {
		c->unknown.line = record->line;
		c->unknown.column = k;
		error_quote(c->unknown.text, sizeof(c->unknown.text), field.text,
			    (size_t)field.length);
	}
	return 1;
}

/* The label of a record: 1, 0 if it is missing and the row is left out, or -1. */
static int read_label(struct csv_columns *c, const struct csv_record *record, double *label,
		      struct error *err)
{
	const struct csv_column *column = &c->column[c->label];
	const struct csv_field field = csv_trimmed(c, &record->field[column->place]);
	int64_t class;

	if (is_missing(c, column, &field)) {
		if (c->missing == MISSING_DROPS || c->accept_unlabelled)
			return c->missing != MISSING_DROPS;
		return missing_fault(c, record, c->label, "is a missing label", err);
	}
	if (column->categories.n == 0)
		return read_number(c, record->line, c->label, &field, label) ?
			       1 :
			       csv_fault(c, record, c->label, "is not a number", err);
	class = text_set_find(&column->categories, field.text, field.length);
	*label = (double)class + 1;
	return class >= 0 ? 1 : csv_fault(c, record, c->label, "is none of the classes", err);
}

/* Is there a group, where rows have one?  1, 0 if the row is left out without it, or -1. */
static int check_group(const struct csv_columns *c, const struct csv_record *record,
		       struct error *err)
{
	struct csv_field field;

	if (c->group_place < 0)
		return 1;
	field = csv_trimmed(c, &record->field[c->group_place]);
	if (csv_missing(c, &field) != MISSING_ALWAYS)
		return 1;
	if (c->missing == MISSING_DROPS)
		return 0;
	return error_set(err, ERR_FORMAT,
			 "%s:%" PRId64 ": field %" PRId64 ", the group of the row, is missing",
			 c->name, record->line, c->group_place + 1);
}

int csv_columns_row(struct csv_columns *c, const struct csv_record *record, struct row_batch *to,
		    struct error *err)
{
	const int64_t n_before = to->n_entries;
	double label = c->accept_unlabelled && c->label >= 0 ? NAN : 0;
	int kept;

	if (csv_check_length(c, record, err) < 0)
		return -1;
	kept = check_group(c, record, err);
	if (kept == 1 && c->label >= 0 && c->column[c->label].place >= 0)
		kept = read_label(c, record, &label, err);
	for (int64_t k = 0; k < c->n && kept == 1; k++)
		if (c->column[k].kind < COLUMN_LABEL)
			kept = add_field(c, record, k, to, err);
	if (kept < 1) {
		to->n_entries = n_before;
		c->n_left_out += kept == 0;
		return kept;
	}
	c->n_unlabelled += isnan(label);
	/* -0 is 0 */
	return row_batch_end_row(to, label + 0., err) < 0 ? -1 : 1;
}

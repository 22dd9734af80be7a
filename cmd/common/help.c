/*
 * help.c - what --help, a wrong command line, --version and --completion print
 *
 *     Usage: rp-project [options] [data_file [output_file]]
 *
 *     Multiplies each row by a random matrix, ...
 *
 *     Projection:
 *       -k, --dim DIM             features of the rows written
 *       --tau T                   distance of the plane from the origin (needs --plane;
 *     |       |                   default 0)
 *     |       NAME -- a value     |
 *     |       |                   |
 *     0       ITEM                DESCRIPTION                      no line goes beyond WIDTH
 *
 * Text is broken at blanks.  The default of an option is what its target held when
 * cli_note_defaults() was called, which is before the first option is read: --help after `-c 3`
 * still shows the default of -c.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "help.h"

#include <assert.h>

#include "completion_scripts.h"
#include "io/gzip.h"
#include "linear/liblinear_adapter.h"
#include "matrix/blas.h"
#include "process.h"
#include "train/libsvm_adapter.h"
#include "version.h"

enum {
	WIDTH = 80,	  /* width of a line, at most, in columns */
	DESCRIPTION = 28, /* column of descriptions; " -b probability_estimates" fits before it */
	ITEM = 8,	  /* column of the values that a description lists */
	TEXT_SIZE = 1024, /* bytes of a text: more than any description */
	DEFAULT_SIZE = 128
};

/* Default values as text, by position of the option in the table; "": no default to show. */
static char defaults[CLI_MAX_OPTIONS][DEFAULT_SIZE];

/* An item in the help of an option, `NAME -- what it is`; its texts are not ended by '\0'. */
struct cli_item {
	const char *name, *text;
	int name_length, text_length; /* lengths in bytes */
};

/* ---- defaults ---- */

/* Is the number within the option's range?  A number outside the range means "not given". */
static bool in_range(const struct cli_option *o, double value)
{
	return !(o->min < o->max) || (value >= o->min && value <= o->max);
}

static void note_default(const struct cli_option *o, char text[DEFAULT_SIZE])
{
	const size_t size = DEFAULT_SIZE;

	if (o->otherwise)
		snprintf(text, size, "%s", o->otherwise);
	else if (o->type == OPTION_INT && in_range(o, (double)*o->target.integer))
		snprintf(text, size, "%" PRId64, *o->target.integer);
	else if (o->type == OPTION_SEED)
		snprintf(text, size, "%" PRIu64, *o->target.seed);
	else if (o->type == OPTION_REAL && in_range(o, *o->target.real))
		snprintf(text, size, "%g", *o->target.real);
	else if (o->type == OPTION_CHOICE)
		snprintf(text, size, "%s", o->choices[*o->target.choice]);
}

void cli_note_defaults(const struct cli_program *program)
{
	for (int i = 0; program->options[i].type != OPTION_END; i++) {
		assert(i < CLI_MAX_OPTIONS);
		note_default(&program->options[i], defaults[i]);
	}
}

/* ---- help ---- */

/* Write the names of an option, such as "-k, --dim DIM", into 'words'. */
static void option_words(const struct cli_option *o, char *words, size_t size)
{
	*words = '\0';
	if (o->letter)
		text_append(words, size, "-%c%s", o->letter, o->type == OPTION_WEIGHT ? "i" : "");
	if (o->name)
		text_append(words, size, "%s%s%s", o->letter ? ", " : "",
			    o->single_dash ? "-" : "--", o->name);
	if (o->metavar)
		text_append(words, size, " %s", o->metavar);
}

/* Bytes of 'text' that fit into 'room' columns as one line; a longer word is not broken. */
static size_t line_length(const char *text, size_t room)
{
	size_t n = room;

	if (strlen(text) <= room)
		return strlen(text);
	while (n > 0 && text[n] != ' ')
		n--;
	return n > 0 ? n : strcspn(text, " ");
}

/* Print 'text' from column 'column' on; further lines are indented by 'indent'. */
static void print_wrapped(const char *text, int column, int indent)
{
	for (;;) {
		size_t n = line_length(text, (size_t)(WIDTH - column));

		printf("%.*s\n", (int)n, text);
		text += n + strspn(text + n, " ");
		if (!*text)
			return;
		printf("%*s", indent, "");
		column = indent;
	}
}

/* The items in the help of an option, behind its first line feed; NULL: there is none. */
static const char *items_of(const struct cli_option *option)
{
	const char *end = strchr(option->help, '\n');

	return end ? end + 1 : NULL;
}

/* The item at *items, which moves on; false at the end, where *items is NULL. */
static bool next_item(const char **items, struct cli_item *item)
{
	const char *dashes, *end;

	if (!*items)
		return false;
	dashes = strstr(*items, " -- ");
	end = strchrnul(dashes, '\n');
	*item = (struct cli_item){ *items, dashes + 4, (int)(dashes - *items),
				   (int)(end - dashes) - 4 };
	*items = *end ? end + 1 : NULL;
	return true;
}

/* Print items from column ITEM on, with the texts behind the dashes aligned. */
static void print_items(const char *items)
{
	struct cli_item item;
	int longest = 0;

	for (const char *i = items; next_item(&i, &item);)
		longest = (int)int64_max(longest, item.name_length);
	while (next_item(&items, &item)) {
		int column =
			printf("%*s%-*.*s -- ", ITEM, "", longest, item.name_length, item.name);
		char line[TEXT_SIZE];

		snprintf(line, sizeof(line), "%.*s", item.text_length, item.text);
		print_wrapped(line, column, column);
	}
}

/* Describe an option: the phrase, then in parentheses the options it needs and its default. */
static void describe(const struct cli_option *o, const char *value, char text[TEXT_SIZE])
{
	/* needs of one option are printed; where one of several is needed, the phrase tells */
	const char *needs = o->needs && !strchr(o->needs, ' ') ? o->needs : "";

	snprintf(text, TEXT_SIZE, "%.*s", (int)strcspn(o->help, "\n"), o->help);
	if (!*needs && !*value)
		return;
	text_append(text, TEXT_SIZE, " (%s%s%s%s%s)", *needs ? "needs " : "", needs,
		    *needs && *value ? "; " : "",
		    !*value	       ? "" :
		    strchr(value, ' ') ? "default: " :
					 "default ",
		    value);
}

static void print_option(const char *words, const char *description)
{
	int column = printf("  %s", words);

	if (column + 2 > DESCRIPTION) {
		putchar('\n');
		column = 0;
	}
	printf("%*s", DESCRIPTION - column, "");
	print_wrapped(description, DESCRIPTION, DESCRIPTION);
}

/* Lists such as "BEGIN,END,STEP" and shares such as "I/N" are no names. */
bool cli_takes_file(const struct cli_option *option)
{
	return option->type == OPTION_TEXT && !strpbrk(option->metavar, ",/");
}

/* The options of every program, with a letter each where the table has no such letter. */
static const struct cli_option *help_options(const struct cli_option *options)
{
	static struct cli_option help[] = {
		CLI_HEADING("Help:"),
		CLI_FLAG('h', "help", NULL, "print this"),
		CLI_FLAG('V', "version", NULL, "print the versions of all parts"),
		CLI_END,
	};

	for (struct cli_option *h = help; h->type != OPTION_END; h++)
		for (const struct cli_option *o = options; o->type != OPTION_END; o++)
			if (o->letter == h->letter)
				h->letter = 0;
	return help;
}

/* Print the options of a table; 'value' are their defaults. */
static void print_options(const struct cli_option *options, char value[][DEFAULT_SIZE])
{
	char words[128], text[TEXT_SIZE];

	for (const struct cli_option *o = options; o->type != OPTION_END; o++) {
		if (o->type == OPTION_HEADING) {
			printf("\n%s\n", o->help);
			continue;
		}
		option_words(o, words, sizeof(words));
		describe(o, value[o - options], text);
		print_option(words, text);
		print_items(items_of(o));
	}
}

/* Print every form of the command line, beginning with the program's name. */
static void print_usage(const struct cli_program *program)
{
	const char *first = "Usage:";

	for (const char *form = program->arguments, *end; form; form = *end ? end + 1 : NULL) {
		end = strchrnul(form, '\n');
		printf("%s %s %.*s\n", first, program->name, (int)(end - form), form);
		first = "      ";
	}
}

/* Print each task and its commands, each on a line of its own, so that they can be copied. */
static void print_examples(const struct cli_example *examples)
{
	printf("\nExamples:\n");
	for (const struct cli_example *e = examples; e->task; e++) {
		printf("  %s:\n", e->task);
		for (const char *c = e->commands, *end; c; c = *end ? end + 1 : NULL) {
			end = strchrnul(c, '\n');
			printf("    %.*s\n", (int)(end - c), c);
		}
	}
}

void cli_print_help(const struct cli_program *program)
{
	print_usage(program);
	putchar('\n');
	print_wrapped(program->purpose, 0, 0);
	print_options(program->options, defaults);
	print_options(help_options(program->options), (char[3][DEFAULT_SIZE]){ 0 });
	print_examples(program->examples);
}

void cli_usage(const struct cli_program *program)
{
	cli_print_help(program);
	fflush(stdout);
	cli_call_end(1);
	exit(1);
}

/* Version of a library whose numbers count hundreds, or "none"; until the end of the block. */
#define VERSION_OF(library) name_version((char[16]){ 0 }, library##_version_number)
static const char *name_version(char text[16], int (*version_of)(int *, struct error *))
{
	int version;

	if (version_of(&version, &(struct error){ 0 }) < 0)
		return "none";
	return text_append(text, 16, "%d.%02d", version / 100, version % 100);
}

void cli_print_version(void)
{
	char blas[256];

	if (blas_version(blas, sizeof(blas), &(struct error){ 0 }) < 0)
		strcpy(blas, "none");
	printf("%s %s\n", cli_program_name(), RANDSVM_VERSION);
	printf("LIBSVM %s, LIBLINEAR %s, zlib %s, BLAS %s\n", VERSION_OF(libsvm),
	       VERSION_OF(liblinear), deflater_zlib_version(), blas);
	printf("inflating with %s; kernels for %s; %s\n", inflater_version(),
	       instruction_set_name(instruction_set_best()), RANDSVM_COMPILER);
}

/* ---- completion ---- */

/*
 * `PROGRAM --completion=SHELL` prints scripts/completion.SHELL, with the program's name for the word
 * PROGRAM, that name with '_' for '-' for FUNCTION, and the table of its options for OPTIONS; `make`
 * calls it for each program and shell.  `--completion=table` prints the table alone.  A line of it is
 *
 *     NAMES|KIND|VALUE|NOT_WITH|PHRASE     an option: its names; what its value is: none, free, file,
 *                                          folder or words; the value's name, in brackets if it may
 *                                          be left out; options it excludes; the phrase of --help
 *     |WORD|||TEXT                         a word, and what it means, for the option below
 *
 * Words are those of an OPTION_CHOICE, or the items in the help of an OPTION_INT.  NAMES is "first"
 * for the words of which one comes before all options, and "-wCLASS" for weights of classes.
 */

static const char *kind_of(const struct cli_option *o)
{
	const bool has_words = o->type == OPTION_CHOICE || (o->type == OPTION_INT && items_of(o)) ||
			       (o->type == OPTION_WEIGHT && o->target.weights->takes_auto);

	if (o->type == OPTION_FLAG)
		return "none";
	if (o->type == OPTION_TEXT && strcmp(o->metavar, "DIR") == 0)
		return "folder";
	return has_words ? "words" : cli_takes_file(o) ? "file" : "free";
}

/*
 * Print 'length' bytes of a text, with a backslash before those in 'special'; blanks that align
 * columns become one.
 */
static void print_table_text(const char *text, int length, const char *special)
{
	for (int i = 0; i < length; i++) {
		if (i > 0 && text[i] == ' ' && text[i - 1] == ' ')
			continue;
		if (strchr(special, text[i]))
			putchar('\\');
		putchar(text[i]);
	}
}

/* Print a word, and the text of the item that has its name, if there is one. */
static void print_table_word(const struct cli_option *o, const char *word, int length,
			     const char *special)
{
	const char *items = items_of(o);
	struct cli_item item;

	printf("|%.*s|||", length, word);
	while (next_item(&items, &item))
		if (item.name_length == length && memcmp(item.name, word, (size_t)length) == 0)
			print_table_text(item.text, item.text_length, special);
	putchar('\n');
}

static void print_table_words(const struct cli_option *o, const char *special)
{
	const char *items = o->type == OPTION_INT ? items_of(o) : NULL;
	struct cli_item item;

	while (next_item(&items, &item))
		print_table_word(o, item.name, item.name_length, special);
	for (int i = 0; o->type == OPTION_CHOICE && o->choices[i]; i++)
		print_table_word(o, o->choices[i], (int)strlen(o->choices[i]), special);
	if (o->type == OPTION_WEIGHT && o->target.weights->takes_auto)
		print_table_word(o, "auto", 4, special);
}

static void print_table_option(const struct cli_option *o, const char *special)
{
	print_table_words(o, special);
	if (o->letter)
		printf("-%c%s", o->letter, o->name ? " " : "");
	if (o->name)
		printf("%s%s", o->single_dash ? "-" : "--", o->name);
	printf(o->implied ? "|%s|[%s]|%s|" : "|%s|%s|%s|", kind_of(o), o->metavar ? o->metavar : "",
	       o->not_with ? o->not_with : "");
	print_table_text(o->help, (int)strcspn(o->help, "\n"), special);
	putchar('\n');
	if (o->type == OPTION_WEIGHT)
		printf("-%cCLASS|free|%s||\n", o->letter, o->metavar);
}

/* Print the table; the characters in 'special' get a backslash. */
static void print_table(const struct cli_program *program, const char *special)
{
	const struct cli_option *const tables[] = { program->options,
						    help_options(program->options) };

	for (int i = 0; program->first_words && program->first_words[i]; i++)
		printf("|%s|||\n", program->first_words[i]);
	if (program->first_words)
		printf("first|words|KIND||\n");
	for (int t = 0; t < N_ELEMENTS(tables); t++)
		for (const struct cli_option *o = tables[t]; o->type != OPTION_END; o++)
			if (o->type != OPTION_HEADING)
				print_table_option(o, special);
}

/* Is it the word that begins at *c, which then moves to its last byte? */
static bool is_word(const char **c, const char *word)
{
	const size_t n = strlen(word);

	if (strncmp(*c, word, n) != 0)
		return false;
	*c += n - 1;
	return true;
}

bool cli_print_completion(const struct cli_program *program, const char *shell)
{
	static const struct {
		const char *shell, *script;
		const char *special; /* characters that mean something within its quotes */
	} scripts[] = { { "bash", COMPLETION_BASH, "" },
			{ "zsh", COMPLETION_ZSH, "" },
			{ "fish", COMPLETION_FISH, "'\\" },
			{ "table", "OPTIONS\n", "" } };
	int i = 0;

	while (strcmp(scripts[i].shell, shell) != 0)
		if (++i == N_ELEMENTS(scripts))
			return false;
	for (const char *c = scripts[i].script; *c; c++)
		if (is_word(&c, "PROGRAM"))
			printf("%s", program->name);
		else if (is_word(&c, "FUNCTION"))
			for (const char *n = program->name; *n; n++)
				putchar(*n == '-' ? '_' : *n); /* as identifiers are in POSIX */
		else if (is_word(&c, "OPTIONS\n"))
			print_table(program, scripts[i].special);
		else
			putchar(*c);
	return true;
}

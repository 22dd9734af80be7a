/*
 * completion.c - what shells complete on the command line of a program
 *
 * `PROGRAM --completion=SHELL` prints a script for the shell; `make` calls it for each program and
 * shell.  All in which the scripts of programs differ comes from the option table:
 *
 *     option          names, the phrase of --help in zsh and fish, and for zsh .not_with
 *     its value       words      of an OPTION_CHOICE, or the items in the help of an OPTION_INT;
 *                                zsh and fish show the texts of the items beside them
 *                     file, folder     of an OPTION_TEXT
 *                     free       all else, such as numbers: nothing is completed
 *
 * Options end at the first file name, as for cli_parse(): bash and zsh offer none behind it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "completion.h"

#include <stdio.h>
#include <string.h>

#include "help.h"

enum value_kind { VALUE_NONE, VALUE_FREE, VALUE_FILE, VALUE_FOLDER, VALUE_WORDS };

/* ---- the table ---- */

static enum value_kind kind_of(const struct cli_option *o)
{
	switch (o->type) {
	case OPTION_FLAG:
		return VALUE_NONE;
	case OPTION_CHOICE:
		return VALUE_WORDS;
	case OPTION_INT:
		return cli_items(o) ? VALUE_WORDS : VALUE_FREE;
	case OPTION_WEIGHT:
		return o->target.weights->takes_auto ? VALUE_WORDS : VALUE_FREE;
	case OPTION_TEXT:
		if (strcmp(o->metavar, "DIR") == 0)
			return VALUE_FOLDER;
		return cli_takes_file(o) ? VALUE_FILE : VALUE_FREE;
	default:
		return VALUE_FREE;
	}
}

/* The i-th word that is a value of the option, with its text or ""; false where there is none. */
static bool value_word(const struct cli_option *o, int i, struct cli_item *word)
{
	const char *items = cli_items(o);
	const char *name = o->type == OPTION_CHOICE ? o->choices[i] : i == 0 ? "auto" : NULL;
	int length = name ? (int)strlen(name) : 0;

	if (o->type == OPTION_INT) {
		while (cli_next_item(&items, word))
			if (i-- == 0)
				return true;
		return false;
	}
	while (name && cli_next_item(&items, word))
		if (word->name_length == length && memcmp(word->name, name, (size_t)length) == 0)
			return true;
	*word = (struct cli_item){ name, "", length, 0 };
	return name;
}

/* Options of a program: those of its table, and those of every program. */
struct options {
	struct cli_option option[CLI_MAX_OPTIONS + 2];
	int n;
};

static void collect(struct options *all, const struct cli_program *program)
{
	all->n = 0;
	for (const struct cli_option *o = program->options; o->type != OPTION_END; o++)
		if (o->type != OPTION_HEADING)
			all->option[all->n++] = *o;
	cli_help_options(program->options, all->option + all->n);
	all->n += 2;
}

static const char *dashes(const struct cli_option *o)
{
	return o->single_dash ? "-" : "--";
}

/* Print the names of an option; 'between' is printed between a letter and a long name. */
static void print_names(const struct cli_option *o, const char *between)
{
	if (o->letter)
		printf("-%c", o->letter);
	if (o->letter && o->name)
		printf("%s", between);
	if (o->name)
		printf("%s%s", dashes(o), o->name);
}

static void print_first_words(const struct cli_program *program)
{
	for (int i = 0; program->first_words && program->first_words[i]; i++)
		printf("%s%s", i > 0 ? " " : "", program->first_words[i]);
}

/* ---- quotation ---- */

/* How a shell writes two characters within single quotes. */
struct quoting {
	const char *quote, *backslash;
};

static const struct quoting zsh = { "'\\''", "\\" }, fish = { "\\'", "\\\\" };

static void put(const struct quoting *shell, char c)
{
	if (c == '\'')
		fputs(shell->quote, stdout);
	else if (c == '\\')
		fputs(shell->backslash, stdout);
	else
		putchar(c);
}

/*
 * Print 'length' bytes of a text within single quotes, with a backslash before those in 'special';
 * blanks that align columns become one.
 */
static void put_text(const struct quoting *shell, const char *text, int length, const char *special)
{
	for (int i = 0; i < length; i++) {
		if (i > 0 && text[i] == ' ' && text[i - 1] == ' ')
			continue;
		if (strchr(special, text[i]))
			put(shell, '\\');
		put(shell, text[i]);
	}
}

/* Characters of a text that is read as a word of the shell once more. */
#define OF_WORDS " !\"#$%&'()*+,/:;<=>?@[\\]^`{|}~"

/* Print the words of an option, and behind 'between' the text of each, within single quotes. */
static void put_words(const struct quoting *shell, const struct cli_option *o, const char *between)
{
	struct cli_item word;

	for (int i = 0; value_word(o, i, &word); i++) {
		printf("%s%.*s", i > 0 ? " " : "", word.name_length, word.name);
		if (word.text_length > 0)
			printf("%s", between);
		put_text(shell, word.text, word.text_length, OF_WORDS);
	}
}

/* Print the phrase of an option within single quotes. */
static void put_phrase(const struct quoting *shell, const struct cli_option *o, const char *special)
{
	put_text(shell, o->help, (int)strcspn(o->help, "\n"), special);
}

/* ---- bash ---- */

/* Print what the value of an option is: words, or a word that begins with '@'. */
static void bash_value(const struct cli_option *o)
{
	static const char *const kinds[] = { "", "@free", "@file", "@folder" };
	struct cli_item word;

	if (kind_of(o) != VALUE_WORDS)
		printf("%s", kinds[kind_of(o)]);
	for (int i = 0; kind_of(o) == VALUE_WORDS && value_word(o, i, &word); i++)
		printf("%s%.*s", i > 0 ? " " : "", word.name_length, word.name);
}

/*
 * The words before the cursor are followed as cli_parse() does: 'value' is what the next word is as
 * the value of an option, or empty.  `--name=VALUE` comes as three words.  A value that begins with
 * '-' is no file.  Names of files are left to readline, which quotes them as need be.
 */
static const char bash_follow[] =
	"	local current=${COMP_WORDS[COMP_CWORD]} words= value= named= word i\n"
	"\n"
	"	for ((i = 1; i < COMP_CWORD; i++)); do\n"
	"		word=${COMP_WORDS[i]}\n"
	"		if [[ $value && $word = '=' ]]; then\n"
	"			continue\n"
	"		elif [[ $value && ! ($value = @file && $word = -?*) ]]; then\n"
	"			value=\n"
	"		elif [[ $word != -?* ]]; then\n"
	"			[[ $i = 1 && $first ]] || named=yes\n"
	"		else\n"
	"			case $word in\n";

static const char bash_reply[] = "			*) value= ;;\n"
				 "			esac\n"
				 "		fi\n"
				 "	done\n"
				 "	[[ $value && $current = '=' ]] && current=\n"
				 "	case $value in\n"
				 "	@free) ;;\n"
				 "	@file) compopt -o default ;;\n"
				 "	@folder) compopt -o dirnames ;;\n"
				 "	?*) words=$value ;;\n"
				 "	*)\n"
				 "		if [[ $COMP_CWORD = 1 && $first ]]; then\n"
				 "			words=$first\n"
				 "		elif [[ $current = -* && ! $named ]]; then\n"
				 "			words=$options\n"
				 "		else\n"
				 "			compopt -o default\n"
				 "		fi\n"
				 "		;;\n"
				 "	esac\n"
				 "	COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
				 "}\n";

static void bash_options(const struct options *all)
{
	printf("	local options='");
	for (int k = 0; k < all->n; k++) {
		printf("%s", k > 0 ? " " : "");
		print_names(&all->option[k], " ");
	}
	printf("'\n");
}

/* Print the line of an option that takes a value; -w1, with a class in its word, takes a number. */
static void bash_case(const struct cli_option *o)
{
	if (kind_of(o) == VALUE_NONE)
		return;
	printf("			");
	print_names(o, " | ");
	printf(") value='");
	bash_value(o);
	printf("' ;;\n");
	if (o->type == OPTION_WEIGHT)
		printf("			-%c*) value='@free' ;;\n", o->letter);
}

static void print_bash(const struct cli_program *program, const struct options *all)
{
	char function[64];

	snprintf(function, sizeof(function), "_%s", program->name);
	for (char *c = function; *c; c++)
		if (*c == '-')
			*c = '_';
	printf("# completions for bash, by %s --completion=bash\n\n", program->name);
	printf("%s()\n{\n", function);
	bash_options(all);
	printf("	local first='");
	print_first_words(program);
	printf("'\n%s", bash_follow);
	for (int k = 0; k < all->n; k++)
		bash_case(&all->option[k]);
	printf("%scomplete -F %s %s\n", bash_reply, function, program->name);
}

/* ---- zsh ---- */

/* Print what follows the names and the phrase of an option, for _arguments. */
static void zsh_value(const struct cli_option *o)
{
	const char *colon = o->implied ? "::" : ":";

	switch (kind_of(o)) {
	case VALUE_NONE:
		return;
	case VALUE_FREE:
		printf("%s%s: ", colon, o->metavar);
		return;
	case VALUE_FILE:
		printf("%s%s:_files", colon, o->metavar);
		return;
	case VALUE_FOLDER:
		printf("%s%s:_files -/", colon, o->metavar);
		return;
	case VALUE_WORDS:
		printf("%s%s:((", colon, o->metavar);
		put_words(&zsh, o, "\\:");
		printf("))");
	}
}

/* Print what an option excludes, itself and others, and its names. */
static void zsh_names(const struct cli_option *o)
{
	bool two = o->letter && o->name;

	printf("'(");
	print_names(o, " ");
	printf("%s%s)'%s", o->not_with ? " " : "", o->not_with ? o->not_with : "", two ? "{" : "");
	print_names(o, ",");
	/* the value of a long option is the next word, or follows '=' */
	if (o->name && !o->single_dash && kind_of(o) != VALUE_NONE)
		printf("=");
	printf("%s'", two ? "}" : "");
}

/* Print an option as arguments of _arguments; -w1, with a class in its word, takes a number. */
static void zsh_option(const struct cli_option *o)
{
	printf(" \\\n	");
	zsh_names(o);
	printf("[");
	put_phrase(&zsh, o, "[]:\\");
	printf("]");
	zsh_value(o);
	printf("'");
	if (o->type == OPTION_WEIGHT)
		printf(" \\\n	'*-%c-:class: :%s: '", o->letter, o->metavar);
}

static void print_zsh(const struct cli_program *program, const struct options *all)
{
	printf("#compdef %s\n# completions for zsh, by %s --completion=zsh\n\n", program->name,
	       program->name);
	/* -A: options end at the first name, unless a word comes before them */
	printf("_arguments%s", program->first_words ? "" : " -A '-*'");
	for (int k = 0; k < all->n; k++)
		zsh_option(&all->option[k]);
	if (program->first_words) {
		printf(" \\\n	'1:KIND:(");
		print_first_words(program);
		printf(")'");
	}
	printf(" \\\n	'*:file:_files'\n");
}

/* ---- fish ---- */

/* fish 3.6 takes the name in --name=FOLDER for a part of the folder */
#define FISH_FOLDERS                                                              \
	"'(__fish_complete_directories (string replace -r \"^--[^=]*=\" \"\" -- " \
	"(commandline -ct)))'"

static void fish_option(const struct cli_program *program, const struct cli_option *o)
{
	static const char *const kinds[] = { "", " -x", " -r -F", " -x -a " FISH_FOLDERS,
					     " -x -a '" };

	printf("complete -c %s", program->name);
	if (o->letter)
		printf(" -s %c", o->letter);
	if (o->name)
		printf(" %s %s", o->single_dash ? "-o" : "-l", o->name);
	printf("%s", kinds[kind_of(o)]);
	if (kind_of(o) == VALUE_WORDS) {
		put_words(&fish, o, "\\\\t");
		putchar('\'');
	}
	printf(" -d '");
	put_phrase(&fish, o, "");
	printf("'\n");
}

static void print_fish(const struct cli_program *program, const struct options *all)
{
	printf("# completions for fish, by %s --completion=fish\n\n", program->name);
	if (program->first_words) {
		printf("complete -c %s -n __fish_is_first_token -f -a '", program->name);
		print_first_words(program);
		printf("'\n");
	}
	for (int k = 0; k < all->n; k++)
		fish_option(program, &all->option[k]);
}

/* ---- all ---- */

bool cli_print_completion(const struct cli_program *program, const char *shell)
{
	struct options all;

	collect(&all, program);
	if (strcmp(shell, "bash") == 0)
		print_bash(program, &all);
	else if (strcmp(shell, "zsh") == 0)
		print_zsh(program, &all);
	else if (strcmp(shell, "fish") == 0)
		print_fish(program, &all);
	else
		return false;
	return true;
}

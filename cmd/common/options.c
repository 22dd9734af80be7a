/*
 * options.c - the options of a command line, read as svm-train reads its own
 *
 * svm-train's reader and the one that people expect of `--name` do not agree, and scripts rely on
 * the first: `-cost 3` is `-c 3`, `-w1 5` has its class in the word, `-g -1` takes a value that
 * begins with '-', and the first file name ends the options.  getopt_long() permutes the
 * arguments, abbreviates long names and cannot read -w1.  So the words are read here, one after
 * the other, each by
 *
 *     take_long()      --name, --name=VALUE, --name VALUE, and -name of some
 *     take_letter()    -L VALUE, whatever comes after the letter in its word
 *
 * and set_option() turns the text into the target of the table's entry, whole or not at all:
 * where svm-train's atof() reads "1x" as 1, refuse() names the option and ends the program.
 * When all words are read, check_combinations() refuses those options that lack what they need
 * (.needs) or meet what they exclude (.not_with).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "options.h"

#include <assert.h>
#include <ctype.h>
#include <strings.h>

#include "base/decimal.h"
#include "help.h"
#include "problem/training.h"
#include "process.h"

/* The command line of this process, as parsed. */
static struct {
	const struct cli_program *program;
	const char *value
		/* values of the options by position in the table; "" of a flag; NULL: not given */
		[CLI_MAX_OPTIONS];
} parsed;

/* The longest option in a table or a list of options: "--without-replacement". */
enum { WORD_SIZE = 64 };

/* ---- refusals ---- */

void cli_refuse_text(const char *text)
{
	cli_fail("%s%s try '%s --help'", text, *text && text[strlen(text) - 1] == '?' ? "" : ";",
		 cli_program_name());
}

/* Are words taken as svm-train takes them, also where that is probably a slip that we refuse? */
static bool is_strict(void)
{
	return parsed.program->strict && *parsed.program->strict;
}

/* ---- misspelt words ---- */

/* Largest number of characters that are compared; the names of all options are shorter. */
enum { UNLIKE_SIZE = 32 };

/*
 * Letters to insert, delete, replace or exchange with the next one between two names of at most
 * UNLIKE_SIZE letters: the distance of Damerau and Levenshtein (optimal string alignment).
 */
static int edit_distance(const char *a, int n_a, const char *b, int n_b)
{
	/* distances between a's first i letters and b's first j letters */
	int d[UNLIKE_SIZE + 1][UNLIKE_SIZE + 1];

	for (int i = 0; i <= n_a; i++)
		d[i][0] = i;
	for (int j = 0; j <= n_b; j++)
		d[0][j] = j;
	for (int i = 1; i <= n_a; i++)
		for (int j = 1; j <= n_b; j++) {
			int replaced = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			d[i][j] = (int)int64_min(replaced, int64_min(d[i - 1][j], d[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = (int)int64_min(d[i][j], d[i - 2][j - 2] + 1);
		}
	return d[n_a][n_b];
}

/* Distance below which two words are alike: at most one wrong letter of three. */
static int unlike_limit(int length)
{
	return (length + 1) / 3 + 1;
}

/* The name that is most like a word, of those that were compared with it. */
struct likeness {
	const char *word;
	/* letters of the word, at most UNLIKE_SIZE; distance below which a name is nearer */
	int length, least;
	const char *nearest; /* NULL: none is near */
};

/* Names that begin with the word are as good as equal, since people cut long words short. */
static void compare_name(struct likeness *l, const char *name)
{
	const int n = (int)strlen(name);
	const bool begins = l->length >= 2 && l->length < n &&
			    strncasecmp(l->word, name, (size_t)l->length) == 0;
	const int distance = begins	      ? 0 :
			     n <= UNLIKE_SIZE ? edit_distance(l->word, l->length, name, n) :
						INT_MAX;

	if (distance < l->least) {
		l->least = distance;
		l->nearest = name;
	}
}

/* ---- values ---- */

/*
 * `-c10` and `-c=10`: the letter takes the next word, so the number behind it is lost; tell how to
 * write it.
 */
static void refuse_glued(const struct cli_option *o, const char *option)
{
	const char *number = option + 2, *end = option + strlen(option);
	double value;

	number += number < end && *number == '=';
	if (o->type != OPTION_WEIGHT && option[0] == '-' && option[1] != '-' && number < end &&
	    decimal_parse(number, end, &value) == end)
		cli_refuse("write '-%c %.40s', not '%.40s'", option[1], number, option);
}

static double parse_real(const char *option, const char *text, const struct cli_option *o)
{
	const char *end = text + strlen(text);
	double value;

	if (decimal_parse(text, end, &value) != end || !isfinite(value)) {
		refuse_glued(o, option);
		cli_refuse("%s: expected a number, got '%.40s'", option, text);
	}
	if (o->min < o->max && !(value >= o->min && value <= o->max))
		cli_refuse("%s: %.40s is not between %g and %g", option, text, o->min, o->max);
	return value;
}

static int64_t parse_int(const char *option, const char *text, const struct cli_option *o)
{
	long long value;
	char *end;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (end == text || *end || errno || isspace((unsigned char)*text)) {
		refuse_glued(o, option);
		cli_refuse("%s: expected an integer, got '%.40s'", option, text);
	}
	if (o->min < o->max && ((double)value < o->min || (double)value > o->max))
		cli_refuse("%s: %lld is not between %.0f and %.0f", option, value, o->min, o->max);
	return value;
}

/* Megabytes in the unit after a number, such as "G", "GB" or "GiB"; 0 if it is no unit. */
static double megabytes_of(const char *unit)
{
	static const char letters[] = "KMGT";
	const char *letter = *unit ? strchr(letters, toupper((unsigned char)*unit)) : NULL;

	if (!*unit)
		return 1;
	if (!letter ||
	    (unit[1] && strcasecmp(unit + 1, "B") != 0 && strcasecmp(unit + 1, "iB") != 0))
		return 0;
	return ldexp(1, 10 * (int)(letter - letters) - 10);
}

/* Read whole megabytes: 1536 from "1.5G". */
static int64_t parse_megabytes(const char *option, const char *text, const struct cli_option *o)
{
	double value, unit;
	char *end;

	errno = 0;
	value = strtod(text, &end);
	unit = megabytes_of(end);
	/* refuse "0x10", "inf" and " 5", which strtod() accepts */
	if (end == text || errno || unit == 0 ||
	    strspn(text, "0123456789.") != (size_t)(end - text))
		cli_refuse("%s: expected megabytes, or a number with K, M, G or T, got '%.40s'",
			   option, text);
	value *= unit;
	if (value < o->min || value > o->max)
		cli_refuse("%s: '%.40s' is not between %.0f and %.0f megabytes", option, text,
			   o->min, o->max);
	return (int64_t)value;
}

static uint64_t parse_seed(const char *option, const char *text)
{
	uint64_t value;

	if (!decimal_natural(text, text + strlen(text), &value))
		cli_refuse("%s: expected an integer from 0 to 2^64 - 1", option);
	return value;
}

static int parse_choice(const char *option, const char *text, const struct cli_option *o)
{
	const int length = (int)strnlen(text, UNLIKE_SIZE);
	/* a typed word of two letters is not corrected: any other is as near */
	struct likeness l = { text, length, length > 2 ? unlike_limit(length) : length > 1, NULL };
	char words[256] = "";

	for (int i = 0; o->choices[i]; i++) {
		if (strcmp(text, o->choices[i]) == 0)
			return i;
		text_append(words, sizeof(words), " %s", o->choices[i]);
		compare_name(&l, o->choices[i]);
	}
	if (l.nearest)
		cli_refuse("%s: expected one of%s; did you mean '%s'?", option, words, l.nearest);
	cli_refuse("%s: expected one of%s", option, words);
}

/*
 * `-w1 5`: the label is what follows the letter; svm-train takes nothing there for 0.  `-w auto` is
 * no number and so none of svm-train's.
 */
static void add_weight(struct cli_weights *w, const char *option, const char *text,
		       const struct cli_option *o)
{
	const struct cli_option label_range = { .type = OPTION_WEIGHT,
						.min = INT_MIN,
						.max = INT_MAX };
	struct error err = { 0 };

	if (o->letter == 'w' && !option[2] && strcmp(text, "auto") == 0 && w->takes_auto) {
		w->automatic = true;
		return;
	}
	cli_check(mem_grow(&w->weight, &w->capacity, w->n + 1, sizeof(*w->weight), &err), &err);
	w->weight[w->n].label = option[2] ? (int)parse_int(option, option + 2, &label_range) : 0;
	w->weight[w->n++].factor = parse_real(option, text, o);
}

static void set_option(const struct cli_option *o, const char *option, const char *text)
{
	if (o->type == OPTION_FLAG)
		*o->target.flag = true;
	else if (o->type == OPTION_INT)
		*o->target.integer = parse_int(option, text, o);
	else if (o->type == OPTION_MEGABYTES)
		*o->target.integer = parse_megabytes(option, text, o);
	else if (o->type == OPTION_SEED)
		*o->target.seed = parse_seed(option, text);
	else if (o->type == OPTION_REAL)
		*o->target.real = parse_real(option, text, o);
	else if (o->type == OPTION_TEXT)
		*o->target.text = text;
	else if (o->type == OPTION_CHOICE)
		*o->target.choice = parse_choice(option, text, o);
	else if (o->type == OPTION_WEIGHT)
		add_weight(o->target.weights, option, text, o);
	parsed.value[o - parsed.program->options] = text;
}

/* ---- the table ---- */

static const struct cli_option *find_letter(char letter)
{
	const struct cli_option *o = parsed.program->options;

	while (o->type != OPTION_END && !(o->letter && o->letter == letter))
		o++;
	return o->type != OPTION_END ? o : NULL;
}

static const struct cli_option *find_name(const char *name, size_t length)
{
	const struct cli_option *o = parsed.program->options;

	while (o->type != OPTION_END &&
	       !(o->name && strlen(o->name) == length && memcmp(o->name, name, length) == 0))
		o++;
	return o->type != OPTION_END ? o : NULL;
}

/* The option whose name may be written with one dash, and is, in 'word'; NULL: there is none. */
static const struct cli_option *find_single_dash(const char *word)
{
	const struct cli_option *o = find_name(word + 1, strlen(word + 1));

	return o && o->single_dash ? o : NULL;
}

/* ---- what an unknown option may have been meant to be ---- */

/* The long option that a word without its dashes was probably meant to be; NULL if none is near. */
static const char *nearest_name(const char *word)
{
	const int length = (int)strcspn(word, "=");
	struct likeness l = { word, length, unlike_limit(length), NULL };

	if (length < 2 || length > UNLIKE_SIZE)
		return NULL;
	for (const struct cli_option *o = parsed.program->options; o->type != OPTION_END; o++)
		if (o->name)
			compare_name(&l, o->name);
	compare_name(&l, "help");
	compare_name(&l, "version");
	return l.nearest;
}

/* Refuse an unknown option in one line without usage: standard output may feed a program. */
_Noreturn static void refuse_unknown(const char *word)
{
	const char *name = word + strspn(word, "-");
	const char *nearest = name - word <= 2 ? nearest_name(name) : NULL;
	const struct cli_foreign *f = parsed.program->foreign;

	/* a letter of another program */
	for (; name - word == 1 && !name[1] && f && f->letter; f++)
		if (f->letter == name[0])
			cli_fail("Unknown option: %s; %s", word, f->advice);
	if (nearest)
		cli_fail("Unknown option: %s; did you mean '%s%s'?", word,
			 find_single_dash(FORMATTED(WORD_SIZE, "-%s", nearest)) ? "-" : "--",
			 nearest);
	if (name - word == 2 && name[0] && (!name[1] || name[1] == '=') && find_letter(name[0]))
		cli_fail("Unknown option: %s; did you mean '-%c'?", word, name[0]);
	cli_fail("Unknown option: %s; try '%s --help'", word, cli_program_name());
}

/* ---- the words of the command line ---- */

/* Answer --help and --version, and end the program; other options are left to the caller. */
static void answer(const char *name)
{
	if (strcmp(name, "help") == 0)
		cli_print_help(parsed.program);
	else if (strcmp(name, "version") == 0)
		cli_print_version();
	else
		return;
	exit(cli_finish());
}

/*
 * The next word is an option's value.  A file name that begins with '-' is almost always an option
 * behind one whose name was forgotten, unless it is a number; "-" alone is standard input or
 * output.
 */
static void check_text(const struct cli_option *o, const char *option, const char *text)
{
	if (o->type == OPTION_TEXT && text[0] == '-' && text[1] && !strchr(".0123456789", text[1]))
		cli_refuse("%s: expected %s, got '%.40s'", option,
			   cli_takes_file(o) ? "a file name" : o->metavar, text);
}

/* Take one option `--name[=VALUE]` or `-name`; returns the number of arguments taken. */
static int take_long(char **argv, int left)
{
	const char *name = argv[0] + strspn(argv[0], "-"), *equals = strchr(name, '='), *text = "";
	size_t length = equals ? (size_t)(equals - name) : strlen(name);
	const struct cli_option *o = find_name(name, length);

	answer(name);
	if (equals && strncmp(name, "completion=", length + 1) == 0) {
		if (!cli_print_completion(parsed.program, equals + 1))
			cli_refuse("--completion: expected bash, zsh, fish or table, got '%.40s'",
				   equals + 1);
		exit(cli_finish());
	}
	if (!o)
		refuse_unknown(argv[0]);
	/* cppcheck-suppress nullPointerRedundantCheck ; refuse_unknown() does not return */
	if (o->type == OPTION_FLAG && equals)
		cli_refuse("%s: takes no value", argv[0]);
	/* is the value left out?  The last word is a file name of the command line */
	if (!equals && o->implied && (left < 3 || argv[1][0] == '-')) {
		set_option(o, argv[0], o->implied);
		return 1;
	}
	if (o->type != OPTION_FLAG) {
		if (!equals && left < 2)
			cli_refuse("%s: needs a value", argv[0]);
		text = equals ? equals + 1 : argv[1];
		if (!equals)
			check_text(o, argv[0], text);
	}
	set_option(o, argv[0], text);
	return o->type == OPTION_FLAG || equals ? 1 : 2;
}

/* Refuse a long name behind one dash, such as -seed, unless svm-train's rules hold (-s eed). */
_Noreturn static void refuse_word(const struct cli_option *o, const char *word)
{
	if (o)
		refuse_glued(o, word);
	if (o && !nearest_name(word + 1))
		cli_refuse("write '-%c', not '%s'", word[1], word);
	refuse_unknown(word);
}

/* Take one option behind a single dash; returns the number of arguments taken. */
static int take_letter(char **argv, int left)
{
	const char *word = argv[0];
	const struct cli_option *o = find_letter(word[1]);

	if (find_single_dash(word))
		return take_long(argv, left);
	if (word[2] && !parsed.program->like_svm_train && !(o && o->type == OPTION_WEIGHT))
		refuse_word(o, word);
	if (!o && !word[2])
		answer(word[1] == 'h' ? "help" : word[1] == 'V' ? "version" : "");
	if (!o)
		refuse_unknown(word);
	/* cppcheck-suppress nullPointerRedundantCheck ; refuse_unknown() does not return */
	if (o->type == OPTION_FLAG) {
		if (word[2] && !is_strict() && !(o->name && strcmp(word + 1, o->name) == 0))
			cli_refuse("write '-%c', not '%.40s': options are not joined", word[1],
				   word);
		set_option(o, word, "");
		return 1;
	}
	if (left < 2 && parsed.program->like_svm_train)
		cli_usage(parsed.program);
	if (left < 2)
		cli_refuse("%s: needs a value", word);
	check_text(o, word, argv[1]);
	set_option(o, word, argv[1]);
	return 2;
}

/* ---- options that go together ---- */

/* Take the next word of a list such as "--list -s"; false at the end of the list. */
static bool next_word(const char **list, char word[WORD_SIZE])
{
	size_t n = strcspn(*list, " ");

	assert(n < WORD_SIZE);
	memcpy(word, *list, n);
	word[n] = '\0';
	*list += n + strspn(*list + n, " ");
	return n > 0;
}

static const struct cli_option *find_word(const char *word)
{
	return word[1] == '-'	      ? find_name(word + 2, strlen(word + 2)) :
	       find_single_dash(word) ? find_single_dash(word) :
					find_letter(word[1]);
}

/* Last value that the command line gives an option; NULL: not given. */
static const char *value_of(const char *word)
{
	const struct cli_option *o = find_word(word);

	return o ? parsed.value[o - parsed.program->options] : NULL;
}

bool cli_given(const char *word)
{
	return value_of(word) != NULL;
}

bool cli_applies(const struct cli_option *option)
{
	const char *list = option->needs ? option->needs : "";
	char word[WORD_SIZE];
	bool applies = !option->needs;

	while (next_word(&list, word))
		applies |= cli_given(word);
	return applies;
}

/* The name of an option for a message: its letter, if it has one; until the end of the block. */
#define OPTION_NAME(o)                                                    \
	((o)->letter ? FORMATTED(WORD_SIZE, "-%c%s", (o)->letter,         \
				 (o)->type == OPTION_WEIGHT ? "i" : "") : \
		       FORMATTED(WORD_SIZE, "%s%s", (o)->single_dash ? "-" : "--", (o)->name))

/* Refuse an option that needs one of the others in its list, such as "--list or -s". */
_Noreturn static void refuse_alone(const struct cli_option *o)
{
	char word[WORD_SIZE], wanted[4 * WORD_SIZE] = "";
	const char *list = o->needs;

	while (next_word(&list, word))
		text_append(wanted, sizeof(wanted), "%s%s", *wanted ? " or " : "", word);
	cli_refuse("%s needs %s", OPTION_NAME(o), wanted);
}

static void check_combinations(void)
{
	for (const struct cli_option *o = parsed.program->options; o->type != OPTION_END; o++) {
		const char *others = o->not_with ? o->not_with : "";
		char other[WORD_SIZE];

		if (!parsed.value[o - parsed.program->options])
			continue;
		while (next_word(&others, other))
			if (cli_given(other))
				cli_refuse("cannot use %s and %s simultaneously", other,
					   OPTION_NAME(o));
		if (!cli_applies(o))
			refuse_alone(o);
	}
}

void cli_refuse_together(const char *option, const char *others)
{
	char other[WORD_SIZE];

	while (next_word(&others, other))
		if (cli_given(other))
			cli_refuse("cannot use %s and %s simultaneously", option, other);
}

const char *cli_misfit(const struct cli_fit *fit, int n)
{
	static char text[2 * WORD_SIZE];

	for (int i = 0; i < n; i++) {
		const struct cli_option *o = find_word(fit[i].option);

		if (fit[i].fits || !cli_given(fit[i].option))
			continue;
		/* the value is shown together with the option where it is the value that is refused */
		if (o->type == OPTION_CHOICE ||
		    (o->type == OPTION_INT && parsed.program->like_svm_train))
			snprintf(text, sizeof(text), "%s %.40s", fit[i].option,
				 value_of(fit[i].option));
		else
			snprintf(text, sizeof(text), "%s:", fit[i].option);
		return text;
	}
	return NULL;
}

void cli_refuse_misfits(const struct cli_fit *fit, int n, const char *with)
{
	const char *misfit = cli_misfit(fit, n);

	if (misfit)
		cli_refuse("%s is not for %s", misfit, with);
}

void cli_note_misfits(const struct cli_fit *fit, int n, const char *where)
{
	for (int i = 0; i < n; i++)
		if (!fit[i].fits && cli_given(fit[i].option))
			cli_note("%s has no effect %s", fit[i].option, where);
}

/* ---- all together ---- */

/*
 * svm-train takes an option behind its file names for the name of the model, or ignores it: nobody
 * wants that.  --strict keeps it, but for options of two dashes, which svm-train does not have.
 */
static void refuse_late_options(char *const *names, int n)
{
	for (int k = 1; k < n; k++) {
		const char *word = names[k];

		if (word[0] != '-' || !word[1])
			continue;
		if (!is_strict() || (word[1] == '-' && word[2]))
			cli_fail("options go before the file names: '%s'", word);
	}
}

int cli_parse(const struct cli_program *program, int argc, char **argv)
{
	int i = 1;
	bool ended;

	parsed.program = program;
	cli_note_defaults(program);
	while (i < argc && argv[i][0] == '-' && argv[i][1] != '\0' && strcmp(argv[i], "--") != 0)
		i += argv[i][1] == '-' && argv[i][2] ? take_long(argv + i, argc - i) :
						       take_letter(argv + i, argc - i);
	ended = i < argc && strcmp(argv[i], "--") == 0;
	i += ended;
	if (argc - i < program->min_arguments)
		cli_usage(program);
	if (!ended)
		refuse_late_options(argv + i, argc - i);
	check_combinations();
	return i;
}

void cli_allow_names(char *const *names, int n, int most)
{
	if (n > most && !is_strict())
		cli_fail("one file name too many: '%s'", names[most]);
}

void cli_parse_data(const struct cli_program *program, int argc, char **argv,
		    const char **data_name, const char **output_name)
{
	int first = cli_parse(program, argc, argv);
	bool reads_data = !program->in_place_of_data || !*program->in_place_of_data;

	cli_allow_names(argv + first, argc - first, 1 + reads_data - cli_given("-o"));
	if (reads_data && first < argc)
		*data_name = argv[first++];
	if (first < argc)
		*output_name = argv[first++];
}

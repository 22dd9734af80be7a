/*
 * model_header.c - lines and words of model files, and the `key value ...` lines that open them
 *
 * How this works.  A header is lines of a key and its values, in any order, up to `SV` (LIBSVM's
 * kind) or `w` (LIBLINEAR's).  One table says of each key where in struct model its values go, how
 * many there are and how one is read; a set of bits remembers which keys were there.  Which ones a
 * model needs and may have depends on its machine and kernel, whose keys may come last: so that is
 * judged at the end (finish_libsvm(), finish_liblinear()).
 *
 *     line      key known, not repeated  -->  as many values as are due, each in range
 *     SV or w   no key missing, none out of place  -->  labels differ, counts add up
 *
 * The number of values of `rho`, `label`, ... is made of nr_class, which must have come before.  A
 * file may claim any nr_class: arrays grow as values are read, never ahead of them.
 *
 * While the kind of the model is unknown, values that both kinds have (nr_class, label, rho) are
 * kept in m->solution; finish_liblinear() moves them to m->linear.
 *
 * An example, with the set `seen` of keys after each line:
 *
 *      svm_type c_svc           {svm_type}               m->type
 *      kernel_type rbf          {.., kernel_type}        m->kernel.type
 *      gamma 0.5                {.., gamma}              m->kernel.gamma
 *      nr_class 2               {.., nr_class}           m->solution.n_class
 *      total_sv 3               {.., total_sv}           m->solution.n_sv
 *      rho -0.1                 {.., rho}                m->solution.rho[0], one for the only pair
 *      SV                       finish_libsvm(): label and nr_sv are missing, refused
 *
 *  (1) a line      read_line() finds the key and refuses what can be judged by it alone
 *  (2) its values  read_key() reads as many values as model_key_count() says, no more and no fewer
 *  (3) the end     finish_libsvm() or finish_liblinear() judges the set of keys and the values
 *
 * A failure leaves *m partly filled; model_free() releases it, since every array is in its place
 * from its first element on.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/model_header.h"

#include "base/decimal.h"
#include "io/binary.h"

/* ---- lines, words and numbers ---- */

/*
 * How this works.  A buffer holds a part of the file:
 *
 *     buffer [ read already | pos: not read yet ... | end: '\n' ]
 *
 * The '\n' at 'end' is not part of the file.  It stops all loops over words and numbers, which so
 * look at no limit; code that stops there checks whether this is the end of a line (pos < end) or
 * of the buffer.
 *
 * skip_blanks() comes before every word and guarantees that the word is whole in the buffer: there
 * are more than MODEL_WORD_MAX bytes, or all that the file has.  If not, refill() moves what is not
 * read to the front and reads on.  So a word is read in place, by pointers, and copied nowhere; it
 * is lost with the next call.  A word that reaches 'end' all the same is longer than a word may be,
 * or, at the end of the file, on a line that does not end: of `1.25` a cut may have left `1.2`.
 *
 * Numbers are parsed first and their end is looked at then, which takes one pass over the digits;
 * only if that fails is the word found, for the message.
 *
 * Invariants between calls: buffer <= pos <= end, *end == '\n', and every byte of [pos, end) is a
 * byte of the file that no call has used.  t->line is the number of the line that the last
 * model_text_next_line() went to; n_ended counts the line ends passed so far.
 *
 *      call                        pos afterwards
 *      model_text_next_line()      first word of the next line that has one
 *      model_text_word()           behind the word, at a blank or a line's end
 *      model_text_number(), ..     behind the number, likewise
 *
 * Time is O(bytes); each buffer read moves at most MODEL_WORD_MAX bytes to the front.
 */

enum {
	BUFFER_SIZE = 1 << 18, /* bytes of the buffer, which stay in the second-level cache */
	NAME_SHOWN = 512       /* bytes of a name in a message, so that the reason fits too */
};

int model_text_open(struct model_text *t, struct input *input, struct error *err)
{
	*t = (struct model_text){ .err = err, .line = 1, .input = input };
	t->buffer = mem_array(BUFFER_SIZE + 1, 1, err); /* 1 more for a last '\n' */
	if (!t->buffer)
		return -1;
	t->buffer[0] = '\n'; /* an empty buffer, which the first skip_blanks() refills */
	t->pos = t->end = t->buffer;
	return 0;
}

void model_text_close(struct model_text *t)
{
	mem_free(t->buffer);
	*t = (struct model_text){ 0 };
}

int model_text_fault(struct model_text *t, const char *reason)
{
	const char *name = input_name(t->input);

	return error_set(t->err, ERR_FORMAT, "%s:%" PRId64 ": %s",
			 QUOTED(NAME_SHOWN, name, strlen(name)), t->line, reason);
}

/* Is 'text' the word? */
static bool model_word_is(const struct model_word *word, const char *text)
{
	return strlen(text) == (size_t)word->length &&
	       memcmp(text, word->start, (size_t)word->length) == 0;
}

/* A word in a message, until the end of the block. */
#define WORD_QUOTED(word) QUOTED(64, (word).start, (size_t)(word).length)

/* As isspace() in the C locale, without a look-up in the locale's table. */
static inline bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Move the bytes not read yet to the front of the buffer, and fill the rest of it. */
static int refill(struct model_text *t)
{
	int64_t kept = t->end - t->pos, n;

	memmove(t->buffer, t->pos, (size_t)kept);
	n = input_read(t->input, t->buffer + kept, BUFFER_SIZE - kept, t->err);
	if (n < 0)
		return -1;
	t->at_end = n < BUFFER_SIZE - kept; /* input_read() returns less only at the end */
	t->pos = t->buffer;
	t->end = t->buffer + kept + n;
	t->buffer[kept + n] = '\n';
	return 0;
}

/*
 * Go to the next word or line end, and see that a word there is whole in the buffer
 *
 * After a refill blanks may go on, so the loop begins anew; it ends as the file does.
 */
static inline int skip_blanks(struct model_text *t)
{
	for (;;) {
		while (is_space(*t->pos) && *t->pos != '\n')
			t->pos++;
		if (t->end - t->pos > MODEL_WORD_MAX || t->at_end)
			return 0;
		if (refill(t) < 0)
			return -1;
	}
}

/* At a line end of the file, not at that after the buffer? */
static inline bool at_line_end(const struct model_text *t)
{
	return *t->pos == '\n' && t->pos < t->end;
}

/* Does a word of the file end at 'p', where decimal_parse() stopped?  NULL: there was no number. */
static inline bool ends_word(const struct model_text *t, const char *p)
{
	return p && p < t->end && is_space(*p);
}

int model_text_next_line(struct model_text *t)
{
	for (;;) {
		if (skip_blanks(t) < 0)
			return -1;
		if (t->pos == t->end)
			return 0;
		if (*t->pos != '\n')
			break;
		t->pos++;
		t->n_ended++;
	}
	t->line = t->n_ended + 1;
	return 1;
}

int model_text_word(struct model_text *t, struct model_word *word)
{
	const char *p;

	if (skip_blanks(t) < 0)
		return -1;
	p = t->pos;
	while (!is_space(*p))
		p++;
	if (p == t->end)
		return t->at_end ? model_text_fail(t, "the line does not end (truncated file?)") :
				   model_text_fail(t, "word of more than %d bytes", MODEL_WORD_MAX);
	*word = (struct model_word){ t->pos, p - t->pos };
	t->pos = p;
	return word->length > 0;
}

int model_text_integer(struct model_text *t, const char *what, int64_t low, int64_t high,
		       int64_t *value)
{
	struct model_word word;
	const char *number;
	int ret = model_text_word(t, &word);

	if (ret <= 0)
		return ret;
	number = word.start + (word.start[0] == '+' && word.start[1] != '-');
	if (!decimal_integer(number, word.start + word.length, value) || *value < low ||
	    *value > high)
		return model_text_fail(t, "%s: '%s' is not an integer from %" PRId64 " to %" PRId64,
				       what, WORD_QUOTED(word), low, high);
	return 1;
}

/* Sets the error for the malformed number that begins 'skipped' bytes into the next word. */
static int fail_number(struct model_text *t, const char *what, int64_t skipped)
{
	struct model_word word;
	const char *end;
	double value;

	if (model_text_word(t, &word) < 0)
		return -1;
	end = word.start + word.length;
	return model_text_fail(
		t, "%s: '%s' is not %s", what, WORD_QUOTED(word),
		decimal_parse(word.start + skipped, end, &value) == end ? "finite" : "a number");
}

int model_text_number(struct model_text *t, const char *what, double *value)
{
	const char *p;

	if (skip_blanks(t) < 0)
		return -1;
	if (at_line_end(t))
		return 0;
	p = decimal_parse(t->pos, t->end, value);
	/* pos has not moved: the word that is refused can be found again, for the message */
	if (!ends_word(t, p) || !isfinite(*value))
		return fail_number(t, what, 0);
	t->pos = p;
	return 1;
}

/* Refuse the next word: it is no index:value, or, if 'too_large', its index has over 31 bits. */
static int fail_pair(struct model_text *t, bool too_large)
{
	struct model_word word;

	if (model_text_word(t, &word) < 0)
		return -1;
	return too_large ? model_text_fail(t, "'%s': index too large", WORD_QUOTED(word)) :
			   model_text_fail(t, "expected index:value, got '%s'", WORD_QUOTED(word));
}

int model_text_pair(struct model_text *t, int32_t *index, double *value)
{
	const char *p, *end;
	int64_t i = 0;

	if (skip_blanks(t) < 0)
		return -1;
	if (at_line_end(t))
		return 0;
	for (p = t->pos; *p >= '0' && *p <= '9'; p++)
		if (i <= INT32_MAX) /* a larger index is refused anyway, and must not overflow */
			i = 10 * i + (*p - '0');
	if (p == t->pos || *p != ':')
		return fail_pair(t, false);
	if (i > INT32_MAX)
		return fail_pair(t, true);
	end = decimal_parse(++p, t->end, value);
	if (!ends_word(t, end) || !isfinite(*value))
		return fail_number(t, "value", p - t->pos);
	*index = (int32_t)i;
	t->pos = end;
	return 1;
}

/* ---- the header ---- */

static const char *const machine_name[] = { [MACHINE_C_SVC] = "c_svc",
					    [MACHINE_NU_SVC] = "nu_svc",
					    [MACHINE_ONE_CLASS] = "one_class",
					    [MACHINE_EPSILON_SVR] = "epsilon_svr",
					    [MACHINE_NU_SVR] = "nu_svr" };

static const char *const kernel_name[] = { [KERNEL_LINEAR] = "linear",
					   [KERNEL_POLYNOMIAL] = "polynomial",
					   [KERNEL_RBF] = "rbf",
					   [KERNEL_SIGMOID] = "sigmoid",
					   [KERNEL_PRECOMPUTED] = "precomputed" };

_Static_assert(N_ELEMENTS(machine_name) == MACHINE_N_TYPES, "a name of each machine");
_Static_assert(N_ELEMENTS(kernel_name) == KERNEL_N_TYPES, "a name of each kernel");

/* LIBLINEAR's solvers, as spelt in its model files. */
static const char *const solver_name[] = { "L2R_LR",
					   "L2R_L2LOSS_SVC_DUAL",
					   "L2R_L2LOSS_SVC",
					   "L2R_L1LOSS_SVC_DUAL",
					   "MCSVM_CS",
					   "L1R_L2LOSS_SVC",
					   "L1R_LR",
					   "L2R_LR_DUAL",
					   "L2R_L2LOSS_SVR",
					   "L2R_L2LOSS_SVR_DUAL",
					   "L2R_L1LOSS_SVR_DUAL",
					   "ONECLASS_SVM" };

/* ---- Keys ---- */

#define AT(member) .offset = offsetof(struct model, member)
#define WORDS(names) .words = (names), .n_words = N_ELEMENTS(names)

const struct model_key model_keys[N_KEYS] = {
	[KEY_SVM_TYPE] = { "svm_type", VALUE_CHOICE, AT(type), WORDS(machine_name) },
	[KEY_KERNEL_TYPE] = { "kernel_type", VALUE_CHOICE, AT(kernel.type), WORDS(kernel_name) },
	[KEY_SOLVER_TYPE] = { "solver_type", VALUE_TEXT, AT(linear.solver_type),
			      WORDS(solver_name) },
	[KEY_NR_CLASS] = { "nr_class", VALUE_INT, AT(solution.n_class), .low = 1,
			   .high = INT32_MAX },
	[KEY_DEGREE] = { "degree", VALUE_INT, AT(kernel.degree), .high = INT32_MAX },
	[KEY_GAMMA] = { "gamma", VALUE_DOUBLE, AT(kernel.gamma) },
	[KEY_COEF0] = { "coef0", VALUE_DOUBLE, AT(kernel.coef0) },
	[KEY_TOTAL_SV] = { "total_sv", VALUE_INT64, AT(solution.n_sv), .high = INT64_MAX },
	[KEY_RHO] = { "rho", VALUE_DOUBLE, AT(solution.rho), COUNT_PER_PAIR },
	[KEY_LABEL] = { "label", VALUE_INT, AT(solution.label), COUNT_PER_CLASS, INT32_MIN,
			INT32_MAX },
	[KEY_PROB_A] = { "probA", VALUE_DOUBLE, AT(solution.prob_a), COUNT_PER_PAIR },
	[KEY_PROB_B] = { "probB", VALUE_DOUBLE, AT(solution.prob_b), COUNT_PER_PAIR },
	[KEY_DENSITY_MARKS] = { "prob_density_marks", VALUE_DOUBLE, AT(solution.density_marks),
				COUNT_MARKS },
	[KEY_NR_SV] = { "nr_sv", VALUE_INT64, AT(solution.n_sv_of_class), COUNT_PER_CLASS, 0,
			INT64_MAX },
	[KEY_NR_FEATURE] = { "nr_feature", VALUE_INT64, AT(linear.n_features), .high = INT32_MAX },
	[KEY_BIAS] = { "bias", VALUE_DOUBLE, AT(linear.bias) },
	[KEY_COLUMN_A] = { "probA", VALUE_DOUBLE, AT(linear.prob_a), COUNT_PER_COLUMN },
	[KEY_COLUMN_B] = { "probB", VALUE_DOUBLE, AT(linear.prob_b), COUNT_PER_COLUMN }
};

const unsigned model_kernel_keys[KERNEL_N_TYPES] = { [KERNEL_POLYNOMIAL] = KERNEL_KEY_BITS,
						     [KERNEL_RBF] = KEY_BIT(KEY_GAMMA),
						     [KERNEL_SIGMOID] = KEY_BIT(KEY_GAMMA) |
									KEY_BIT(KEY_COEF0) };

int64_t model_key_count(const struct model *m, const struct model_key *key)
{
	return key->count == COUNT_MARKS      ? MODEL_DENSITY_MARKS :
	       key->count == COUNT_PER_COLUMN ? m->linear.n_columns :
	       key->count == COUNT_PER_CLASS  ? m->solution.n_class :
	       key->count == COUNT_PER_PAIR   ? solution_n_pairs(m->solution.n_class) :
						1;
}

/* ---- Values ---- */

/* The place of the next word among those of the key, for a choice or as text. */
static int read_choice(struct model_text *t, const struct model_key *key, void *value)
{
	struct model_word word;
	int ret = model_text_word(t, &word), k = 0;

	if (ret <= 0)
		return ret;
	while (k < key->n_words && !model_word_is(&word, key->words[k]))
		k++;
	if (k == key->n_words)
		return model_text_fail(t, "unknown %s '%s'", key->name, WORD_QUOTED(word));
	if (key->type == VALUE_CHOICE)
		*(int *)value = k;
	else
		strcpy(value, key->words[k]); /* the longest name has 19 bytes, the field 32 */
	return 1;
}

/* Read one value: 1, or 0 at the end of the line, or -1. */
static int read_value(struct model_text *t, const struct model_key *key, void *value)
{
	int64_t number = 0;
	int ret;

	if (key->type == VALUE_DOUBLE)
		return model_text_number(t, key->name, value);
	if (key->type == VALUE_CHOICE || key->type == VALUE_TEXT)
		return read_choice(t, key, value);
	ret = model_text_integer(t, key->name, key->low, key->high, &number);
	if (key->type == VALUE_INT)
		*(int *)value = (int)number;
	else
		*(int64_t *)value = number;
	return ret;
}

/*
 * Read up to 'n' values; returns their number.  The array grows with them, and is allocated even if
 * there are none (rho of a single class): that it is not NULL says that the key was there.
 */
static int64_t read_values(struct model_text *t, const struct model_key *key, struct model *m,
			   int64_t n)
{
	const size_t size = key->type == VALUE_INT ? sizeof(int) : sizeof(double);
	char *place = (char *)m + key->offset, *array = NULL;
	int64_t capacity = 0;
	int ret;

	if (key->count == COUNT_ONE)
		return read_value(t, key, place);
	for (int64_t i = 0;; i++) {
		if (mem_grow(&array, &capacity, i + 1, size, t->err) < 0)
			return -1;
		/* growing moves it, and on failure model_free() has to find it; a pointer of
		 * another type is only to be written by its bytes */
		memcpy(place, &array, sizeof(array));
		if (i == n)
			return n;
		ret = read_value(t, key, array + (size_t)i * size);
		if (ret <= 0)
			return ret < 0 ? -1 : i;
	}
}

/* (2): read the values of a key; superfluous ones are counted, for the message. */
static int read_key(struct model_text *t, const struct model_key *key, struct model *m)
{
	int64_t expected = model_key_count(m, key), found = read_values(t, key, m, expected);
	struct model_word word;
	int ret = 1;

	while (found >= 0 && (ret = model_text_word(t, &word)) > 0)
		found++;
	if (found < 0 || ret < 0)
		return -1;
	if (found != expected)
		return model_text_fail(t, "%s: %" PRId64 " values, %" PRId64 " expected", key->name,
				       found, expected);
	return 0;
}

/* ---- Keys that must agree ---- */

/*
 * (3): all keys needed were seen, and none but those and the allowed; arguments are sets of bits
 *
 * The lowest bit of a set is the key that enum model_key_id has first.
 */
static int check_keys(struct model_text *t, const char *kind, unsigned seen, unsigned needed,
		      unsigned allowed)
{
	unsigned missing = needed & ~seen, stray = seen & ~(needed | allowed);

	if (missing)
		return model_text_fail(t, "key '%s' is missing",
				       model_keys[__builtin_ctz(missing)].name);
	if (stray)
		return model_text_fail(t, "key '%s' has no place in a model of type %s",
				       model_keys[__builtin_ctz(stray)].name, kind);
	return 0;
}

/* Fail for a reason of model_check(), which knows neither path nor line. */
static int fail_check(struct model_text *t, const struct error *reason)
{
	if (reason->code == ERR_FORMAT)
		return model_text_fail(t, "%s", reason->text);
	return error_pass(t->err, reason);
}

/*
 * Constants that the kernel does not have become 0.  Files of old and foreign programs have them,
 * and a model written again should not.
 */
static void forget_unused(struct kernel *kernel)
{
	unsigned used = model_kernel_keys[kernel->type];

	kernel->degree = used & KEY_BIT(KEY_DEGREE) ? kernel->degree : 0;
	kernel->gamma = used & KEY_BIT(KEY_GAMMA) ? kernel->gamma : 0;
	kernel->coef0 = used & KEY_BIT(KEY_COEF0) ? kernel->coef0 : 0;
}

/* (3): the header of a model of LIBSVM's kind is over: is it whole?  'seen' has its keys. */
static int finish_libsvm(struct model *m, struct model_text *t, unsigned seen)
{
	const char *kind = machine_name[m->type];
	unsigned needed = KEY_BIT(KEY_SVM_TYPE) | KEY_BIT(KEY_KERNEL_TYPE) | KEY_BIT(KEY_NR_CLASS) |
			  KEY_BIT(KEY_TOTAL_SV) | KEY_BIT(KEY_RHO) |
			  model_kernel_keys[m->kernel.type];
	unsigned allowed = KERNEL_KEY_BITS;
	struct solution *s = &m->solution;
	struct error reason = { 0 };

	if (machine_classifies(m->type)) {
		needed |= KEY_BIT(KEY_LABEL) | KEY_BIT(KEY_NR_SV);
		/* the sigmoid of a pair needs both probA and probB */
		if (seen & (KEY_BIT(KEY_PROB_A) | KEY_BIT(KEY_PROB_B)))
			needed |= KEY_BIT(KEY_PROB_A) | KEY_BIT(KEY_PROB_B);
	} else {
		/* one-class models may have density marks, regressions the width of their noise */
		allowed |= m->type == MACHINE_ONE_CLASS ? KEY_BIT(KEY_DENSITY_MARKS) :
							  KEY_BIT(KEY_PROB_A);
	}
	if (check_keys(t, kind, seen, needed, allowed) < 0)
		return -1;
	if (model_check_kernel(&m->kernel, &reason) < 0 ||
	    model_check_classes(s, kind, &reason) < 0)
		return fail_check(t, &reason);
	if (!machine_classifies(m->type)) {
		s->n_sv_of_class = mem_zeroed(s->n_class, sizeof(*s->n_sv_of_class), t->err);
		if (!s->n_sv_of_class)
			return -1;
		s->n_sv_of_class[0] = s->n_sv;
	}
	s->n_density_marks = s->density_marks ? MODEL_DENSITY_MARKS : 0;
	forget_unused(&m->kernel);
	return model_check_vector_counts(s, &reason) < 0 ? fail_check(t, &reason) : 0;
}

/* (3): the header of a model of LIBLINEAR's kind is over; its values move to m->linear. */
static int finish_liblinear(struct model *m, struct model_text *t, unsigned seen)
{
	unsigned needed = KEY_BIT(KEY_SOLVER_TYPE) | KEY_BIT(KEY_NR_CLASS) |
			  KEY_BIT(KEY_NR_FEATURE) | KEY_BIT(KEY_BIAS);
	struct linear_model *l = &m->linear;
	struct solution *s = &m->solution;
	struct error reason = { 0 };

	m->is_linear_model = true;
	l->regression = strstr(l->solver_type, "_SVR") != NULL;
	l->one_class = strcmp(l->solver_type, "ONECLASS_SVM") == 0;
	l->logistic = strstr(l->solver_type, "_LR") != NULL;
	if (l->one_class)
		needed |= KEY_BIT(KEY_RHO);
	else if (!l->regression)
		needed |= KEY_BIT(KEY_LABEL);
	if (check_keys(t, l->solver_type, seen, needed, 0) < 0)
		return -1;
	if (model_check_classes(s, l->solver_type, &reason) < 0)
		return fail_check(t, &reason);
	l->n_class = s->n_class;
	/* two classes share a column, but for the one machine that has a vector for each */
	l->n_columns = l->n_class == 2 && strcmp(l->solver_type, "MCSVM_CS") != 0 ? 1 : l->n_class;
	l->rho = l->one_class ? s->rho[0] : 0;
	/* the labels change their owner before the rest of the solution is released */
	l->label = s->label;
	s->label = NULL;
	solution_free(s);
	return 0;
}

/* ---- Lines ---- */

/* The words that end the header, and what is to be done then. */
static const struct ending {
	const char *name;
	int (*finish)(struct model *m, struct model_text *t, unsigned seen);
} endings[] = { { "SV", finish_libsvm }, { "w", finish_liblinear } };

/* (1): read a line; returns 1 if it ends the header, '*ending' then saying how; else 0, or -1. */
static int read_line(struct model *m, struct model_text *t, unsigned *seen,
		     const struct ending **ending)
{
	struct model_word word;
	int id = 0;

	if (model_text_word(t, &word) < 0)
		return -1;
	for (int i = 0; i < N_ELEMENTS(endings); i++)
		if (model_word_is(&word, endings[i].name)) {
			*ending = &endings[i];
			return 1;
		}
	/* a likely mistake, whose bytes would make an unreadable message */
	if (t->line == 1 && (unsigned char)*word.start == BINARY_FIRST_BYTE)
		return model_text_fail(t, "this is a data file in binary form, not a model");
	while (id < N_KEYS && !model_word_is(&word, model_keys[id].name))
		id++;
	if (id == N_KEYS)
		return model_text_fail(t, "unknown key '%s'%s", WORD_QUOTED(word),
				       memchr(word.start, ',', (size_t)word.length) ?
					       "; this looks like CSV, not like a model" :
				       model_word_is(&word, "randsvm-chain") ?
					       ": a chain is for predictions; name its model here" :
					       "");
	if (*seen & KEY_BIT(id))
		return model_text_fail(t, "repeated key '%s'", model_keys[id].name);
	if (model_keys[id].count >= COUNT_PER_CLASS && !(*seen & KEY_BIT(KEY_NR_CLASS)))
		return model_text_fail(t, "key 'nr_class' must come before '%s'",
				       model_keys[id].name);
	/* from here on another line with this key is refused, also if these values are not read */
	*seen |= KEY_BIT(id);
	return read_key(t, &model_keys[id], m);
}

/* Lines until one ends the header; then nothing else may stand in the last line. */
int model_read_header(struct model *m, struct model_text *t)
{
	const struct ending *ending = NULL;
	struct model_word word;
	unsigned seen = 0;
	int ret = 0;

	while (ret == 0) {
		ret = model_text_next_line(t);
		if (ret == 0)
			return model_text_fail(t, "the header ends without 'SV' or 'w'");
		if (ret > 0)
			ret = read_line(m, t, &seen, &ending);
	}
	if (ret < 0)
		return -1;
	ret = model_text_word(t, &word);
	if (ret > 0)
		return model_text_fail(t, "text after '%s'", ending->name);
	return ret < 0 ? -1 : ending->finish(m, t, seen);
}

int model_read_end(struct model *m, struct model_text *t, int64_t n)
{
	const struct linear_model *l = &m->linear;
	struct model_word word;
	int id = KEY_COLUMN_A, ret;

	while ((ret = model_text_next_line(t)) > 0) {
		if (model_text_word(t, &word) < 0)
			return -1;
		if (id == N_KEYS || !model_word_is(&word, model_keys[id].name))
			return model_text_fail(
				t, "text after the %" PRId64 " rows of weights promised", n);
		if (l->regression || l->one_class || l->logistic)
			return model_text_fail(t, "key '%s' has no place in a model of type %s",
					       model_keys[id].name, l->solver_type);
		if (read_key(t, &model_keys[id++], m) < 0)
			return -1;
	}
	return ret == 0 && id == KEY_COLUMN_B ? model_text_fail(t, "key 'probB' is missing") : ret;
}

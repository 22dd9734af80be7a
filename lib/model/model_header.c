/*
 * model_header.c - the `key value ...` lines that open a model file
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
 *  (2) its values  read_key() reads as many values as expected_values() says, no more and no fewer
 *  (3) the end     finish_libsvm() or finish_liblinear() judges the set of keys and the values
 *
 * A failure leaves *m partly filled; model_free() releases it, since every array is in its place
 * from its first element on.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/model_header.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "io/binary.h"
#include "model/model_check.h"

#define N_ELEMENTS(array) ((int)(sizeof(array) / sizeof((array)[0])))

const char *const model_machine_name[] = { [MACHINE_C_SVC] = "c_svc",
					   [MACHINE_NU_SVC] = "nu_svc",
					   [MACHINE_ONE_CLASS] = "one_class",
					   [MACHINE_EPSILON_SVR] = "epsilon_svr",
					   [MACHINE_NU_SVR] = "nu_svr" };

const char *const model_kernel_name[] = { [KERNEL_LINEAR] = "linear",
					  [KERNEL_POLYNOMIAL] = "polynomial",
					  [KERNEL_RBF] = "rbf",
					  [KERNEL_SIGMOID] = "sigmoid",
					  [KERNEL_PRECOMPUTED] = "precomputed" };

_Static_assert(N_ELEMENTS(model_machine_name) == MACHINE_N_TYPES, "a name of each machine");
_Static_assert(N_ELEMENTS(model_kernel_name) == KERNEL_N_TYPES, "a name of each kernel");

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

/* ---- Values ---- */

/* Number of values after a key; PER_CLASS and PER_PAIR need nr_class. */
enum count { ONE, MARKS, PER_CLASS, PER_PAIR };

/* A key, and where in a struct model its value is, or the pointer to its array of values. */
struct key {
	const char *name;
	/* function that reads one value: 1, or 0 at the end of the line, or -1 */
	int (*read)(struct model_text *t, const struct key *key, void *value);
	size_t offset;
	size_t size; /* bytes of one value, where there are several */
	enum count count;
	int64_t low, high; /* range of an integer */
};

/* '*which' = the place of the next word among 'n' names */
static int read_name(struct model_text *t, const struct key *key, const char *const *name, int n,
		     int *which)
{
	char quote[MODEL_QUOTE_SIZE];
	struct model_word word;
	int ret = model_text_word(t, &word);

	if (ret <= 0)
		return ret;
	for (int i = 0; i < n; i++)
		if (model_word_is(&word, name[i])) {
			*which = i;
			return 1;
		}
	return model_text_fail(t, "unknown %s '%s'", key->name, model_word_quote(&word, quote));
}

/* The functions of struct key: one value each, its word in '*t', the value into '*value'. */
static int read_machine(struct model_text *t, const struct key *key, void *value)
{
	int which = 0,
	    ret = read_name(t, key, model_machine_name, N_ELEMENTS(model_machine_name), &which);

	*(enum machine_type *)value = (enum machine_type)which;
	return ret;
}

static int read_kernel(struct model_text *t, const struct key *key, void *value)
{
	int which = 0,
	    ret = read_name(t, key, model_kernel_name, N_ELEMENTS(model_kernel_name), &which);

	*(enum kernel_type *)value = (enum kernel_type)which;
	return ret;
}

static int read_solver(struct model_text *t, const struct key *key, void *value)
{
	int which = 0, ret = read_name(t, key, solver_name, N_ELEMENTS(solver_name), &which);

	strcpy(value, solver_name[which]); /* the longest name has 19 bytes, the field 32 */
	return ret;
}

static int read_int64(struct model_text *t, const struct key *key, void *value)
{
	return model_text_integer(t, key->name, key->low, key->high, value);
}

static int read_int(struct model_text *t, const struct key *key, void *value)
{
	int64_t wide = 0;
	int ret = read_int64(t, key, &wide);

	*(int *)value = (int)wide;
	return ret;
}

static int read_double(struct model_text *t, const struct key *key, void *value)
{
	return model_text_number(t, key->name, value);
}

/* ---- Keys ---- */

/* The keys; of several that are missing or misplaced the first in this order is reported. */
enum key_id {
	SVM_TYPE,
	KERNEL_TYPE,
	SOLVER_TYPE,
	NR_CLASS,
	DEGREE,
	GAMMA,
	COEF0,
	TOTAL_SV,
	RHO,
	LABEL,
	PROB_A,
	PROB_B,
	DENSITY_MARKS,
	NR_SV,
	NR_FEATURE,
	BIAS,
	N_KEYS
};

#define BIT(key) (1u << (key))
#define AT(member) .offset = offsetof(struct model, member)

static const struct key keys[N_KEYS] = {
	[SVM_TYPE] = { "svm_type", read_machine, AT(type) },
	[KERNEL_TYPE] = { "kernel_type", read_kernel, AT(kernel.type) },
	[SOLVER_TYPE] = { "solver_type", read_solver, AT(linear.solver_type) },
	[NR_CLASS] = { "nr_class", read_int, AT(solution.n_class), .low = 1, .high = INT32_MAX },
	[DEGREE] = { "degree", read_int, AT(kernel.degree), .high = INT32_MAX },
	[GAMMA] = { "gamma", read_double, AT(kernel.gamma) },
	[COEF0] = { "coef0", read_double, AT(kernel.coef0) },
	[TOTAL_SV] = { "total_sv", read_int64, AT(solution.n_sv), .high = INT64_MAX },
	[RHO] = { "rho", read_double, AT(solution.rho), sizeof(double), PER_PAIR },
	[LABEL] = { "label", read_int, AT(solution.label), sizeof(int), PER_CLASS, INT32_MIN,
		    INT32_MAX },
	[PROB_A] = { "probA", read_double, AT(solution.prob_a), sizeof(double), PER_PAIR },
	[PROB_B] = { "probB", read_double, AT(solution.prob_b), sizeof(double), PER_PAIR },
	[DENSITY_MARKS] = { "prob_density_marks", read_double, AT(solution.density_marks),
			    sizeof(double), MARKS },
	[NR_SV] = { "nr_sv", read_int64, AT(solution.n_sv_of_class), sizeof(int64_t), PER_CLASS, 0,
		    INT64_MAX },
	[NR_FEATURE] = { "nr_feature", read_int64, AT(linear.n_features), .high = INT32_MAX },
	[BIAS] = { "bias", read_double, AT(linear.bias) }
};

/* (2): how many values the key has in this model; PER_CLASS and PER_PAIR follow nr_class. */
static int64_t expected_values(const struct model *m, const struct key *key)
{
	switch (key->count) {
	case MARKS:
		return MODEL_DENSITY_MARKS;
	case PER_CLASS:
		return m->solution.n_class;
	case PER_PAIR:
		return solution_n_pairs(m->solution.n_class);
	default:
		return 1;
	}
}

/*
 * Read up to 'n' values; returns their number.  The array grows with them, and is allocated even if
 * there are none (rho of a single class): that it is not NULL says that the key was there.
 */
static int64_t read_values(struct model_text *t, const struct key *key, struct model *m, int64_t n)
{
	char *place = (char *)m + key->offset, *array = NULL;
	int64_t capacity = 0;
	int ret;

	if (key->count == ONE)
		return key->read(t, key, place);
	for (int64_t i = 0;; i++) {
		if (mem_grow(&array, &capacity, i + 1, key->size, t->err) < 0)
			return -1;
		/* growing moves it, and on failure model_free() has to find it; a pointer of
		 * another type is only to be written by its bytes */
		memcpy(place, &array, sizeof(array));
		if (i == n)
			return n;
		ret = key->read(t, key, array + (size_t)i * key->size);
		if (ret <= 0)
			return ret < 0 ? -1 : i;
	}
}

/* (2): read the values of a key; superfluous ones are counted, for the message. */
static int read_key(struct model_text *t, const struct key *key, struct model *m)
{
	int64_t expected = expected_values(m, key), found = read_values(t, key, m, expected);
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

/* The constants that each kernel has. */
static const unsigned kernel_keys[] = { [KERNEL_LINEAR] = 0,
					[KERNEL_POLYNOMIAL] = BIT(DEGREE) | BIT(GAMMA) | BIT(COEF0),
					[KERNEL_RBF] = BIT(GAMMA),
					[KERNEL_SIGMOID] = BIT(GAMMA) | BIT(COEF0),
					[KERNEL_PRECOMPUTED] = 0 };

_Static_assert(N_ELEMENTS(kernel_keys) == KERNEL_N_TYPES, "the constants of each kernel");

/*
 * (3): all keys needed were seen, and none but those and the allowed; arguments are sets of bits
 *
 * The lowest bit of a set is the key that enum key_id has first.
 */
static int check_keys(struct model_text *t, const char *kind, unsigned seen, unsigned needed,
		      unsigned allowed)
{
	unsigned missing = needed & ~seen, stray = seen & ~(needed | allowed);

	if (missing)
		return model_text_fail(t, "key '%s' is missing", keys[__builtin_ctz(missing)].name);
	if (stray)
		return model_text_fail(t, "key '%s' has no place in a model of type %s",
				       keys[__builtin_ctz(stray)].name, kind);
	return 0;
}

/* Put path and line before the reason of a failure of model_check.h, which knows neither. */
static int located(struct model_text *t, int ret, const struct error *reason)
{
	if (ret == 0)
		return 0;
	if (reason->code == ERR_FORMAT)
		return model_text_fail(t, "%s", reason->text);
	return error_pass(t->err, reason);
}

/* model_check_classes(), with path and line in its error */
static int check_classes(struct model_text *t, const char *kind, const struct solution *s)
{
	struct error reason = { 0 };

	return located(t, model_check_classes(s, kind, &reason), &reason);
}

/* model_check_vector_counts(), with path and line in its error */
static int check_vector_counts(struct model_text *t, const struct solution *s)
{
	struct error reason = { 0 };

	return located(t, model_check_vector_counts(s, &reason), &reason);
}

/* model_check_kernel(), with path and line in its error */
static int check_kernel(struct model_text *t, const struct kernel *k)
{
	struct error reason = { 0 };

	return located(t, model_check_kernel(k, &reason), &reason);
}

/*
 * Constants that the kernel does not have become 0.  Files of old and foreign programs have them,
 * and a model written again should not.
 */
static void forget_unused(struct kernel *kernel)
{
	unsigned used = kernel_keys[kernel->type];

	if (!(used & BIT(DEGREE)))
		kernel->degree = 0;
	if (!(used & BIT(GAMMA)))
		kernel->gamma = 0;
	if (!(used & BIT(COEF0)))
		kernel->coef0 = 0;
}

/* (3): the header of a model of LIBSVM's kind is over: is it whole?  'seen' has its keys. */
static int finish_libsvm(struct model *m, struct model_text *t, unsigned seen)
{
	const char *kind = model_machine_name[m->type];
	unsigned needed = BIT(SVM_TYPE) | BIT(KERNEL_TYPE) | BIT(NR_CLASS) | BIT(TOTAL_SV) |
			  BIT(RHO) | kernel_keys[m->kernel.type];
	unsigned allowed = BIT(DEGREE) | BIT(GAMMA) | BIT(COEF0);
	struct solution *s = &m->solution;

	if (machine_classifies(m->type)) {
		needed |= BIT(LABEL) | BIT(NR_SV);
		/* the sigmoid of a pair needs both probA and probB */
		if (seen & (BIT(PROB_A) | BIT(PROB_B)))
			needed |= BIT(PROB_A) | BIT(PROB_B);
	} else {
		/* one-class models may have density marks, regressions the width of their noise */
		allowed |= m->type == MACHINE_ONE_CLASS ? BIT(DENSITY_MARKS) : BIT(PROB_A);
	}
	if (check_keys(t, kind, seen, needed, allowed) < 0 || check_kernel(t, &m->kernel) < 0 ||
	    check_classes(t, kind, s) < 0)
		return -1;
	if (!machine_classifies(m->type)) {
		s->n_sv_of_class = mem_zeroed(s->n_class, sizeof(*s->n_sv_of_class), t->err);
		if (!s->n_sv_of_class)
			return -1;
		s->n_sv_of_class[0] = s->n_sv;
	}
	s->n_density_marks = s->density_marks ? MODEL_DENSITY_MARKS : 0;
	forget_unused(&m->kernel);
	return check_vector_counts(t, s);
}

/* (3): the header of a model of LIBLINEAR's kind is over; its values move to m->linear. */
static int finish_liblinear(struct model *m, struct model_text *t, unsigned seen)
{
	unsigned needed = BIT(SOLVER_TYPE) | BIT(NR_CLASS) | BIT(NR_FEATURE) | BIT(BIAS);
	struct linear_model *l = &m->linear;
	struct solution *s = &m->solution;

	m->is_linear_model = true;
	l->regression = strstr(l->solver_type, "_SVR") != NULL;
	l->one_class = strcmp(l->solver_type, "ONECLASS_SVM") == 0;
	l->logistic = strstr(l->solver_type, "_LR") != NULL;
	if (l->one_class)
		needed |= BIT(RHO);
	else if (!l->regression)
		needed |= BIT(LABEL);
	if (check_keys(t, l->solver_type, seen, needed, 0) < 0 ||
	    check_classes(t, l->solver_type, s) < 0)
		return -1;
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
	char quote[MODEL_QUOTE_SIZE];
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
	while (id < N_KEYS && !model_word_is(&word, keys[id].name))
		id++;
	if (id == N_KEYS)
		return model_text_fail(t, "unknown key '%s'%s", model_word_quote(&word, quote),
				       memchr(word.start, ',', (size_t)word.length) ?
					       "; this looks like CSV, not like a model" :
					       "");
	if (*seen & BIT(id))
		return model_text_fail(t, "repeated key '%s'", keys[id].name);
	if (keys[id].count >= PER_CLASS && !(*seen & BIT(NR_CLASS)))
		return model_text_fail(t, "key 'nr_class' must come before '%s'", keys[id].name);
	/* from here on another line with this key is refused, also if these values are not read */
	*seen |= BIT(id);
	return read_key(t, &keys[id], m);
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

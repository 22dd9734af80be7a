/*
 * model_header.h - lines and words of model files, and the `key value ...` lines that open them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/input.h"
#include "model/model.h"

/*
 * Words are separated by blanks (space, tab, CR, VT, FF), lines end in LF.  A line that
 * holds a word must end, for a line that was cut short could not be told from a whole one.
 * Lines may be of any length, words of up to MODEL_WORD_MAX bytes.
 *
 * All functions that read a word return 1 if there was one, 0 at the end of the line, or -1 on
 * failure, with `path:line: reason` in the struct error given to model_text_open().
 */

/* Most bytes of a number: the exact decimal of a double has at most 767 digits. */
#define MODEL_WORD_MAX 2048

/* Owns 'buffer'; input and error are borrowed. */
struct model_text {
	struct input *input;
	struct error *err;
	int64_t line;	 /* number, from 1, of the last line begun */
	int64_t n_ended; /* number of line ends passed */
	bool at_end;	 /* end of the input was met */
	char *buffer;
	const char *pos, *end; /* bytes in the buffer not read yet; *end == '\n', so loops stop */
};

struct model_word {
	const char *start;
	int64_t length;
};

/*
 * model_text_open() - begin at the first line of an input; fails with ERR_MEMORY
 *
 * model_text_close() follows, after a failure too.
 */
int model_text_open(struct model_text *t, struct input *input, struct error *err);
void model_text_close(struct model_text *t);

/*
 * model_text_next_line() - go from the end of a line to the next that holds a word
 *
 * Returns 1, 0 at the end of the file, or -1.
 */
int model_text_next_line(struct model_text *t);

/* model_text_word() - the next word of the line; its bytes last until the next call */
int model_text_word(struct model_text *t, struct model_word *word);

/* model_text_integer() - the next word as an integer in [low, high]; 'what' is for the message */
int model_text_integer(struct model_text *t, const char *what, int64_t low, int64_t high,
		       int64_t *value);

/* model_text_number() - the next word as a finite number, in any notation strtod() takes */
int model_text_number(struct model_text *t, const char *what, double *value);

/* model_text_pair() - the next word as index:value, 0 <= index < 2^31, the value finite */
int model_text_pair(struct model_text *t, int32_t *index, double *value);

/* model_text_fail() - set the error to `path:line: reason` with ERR_FORMAT; returns -1 */
#define model_text_fail(t, ...) model_text_fault(t, FORMATTED(256, __VA_ARGS__))
int model_text_fault(struct model_text *t, const char *reason);

/* Marks in a one-class model with probabilities: LIBSVM's reader takes no other number. */
#define MODEL_DENSITY_MARKS 10

/* The keys; of several that are missing or misplaced the first in this order is reported. */
enum model_key_id {
	KEY_SVM_TYPE,
	KEY_KERNEL_TYPE,
	KEY_SOLVER_TYPE,
	KEY_NR_CLASS,
	KEY_DEGREE,
	KEY_GAMMA,
	KEY_COEF0,
	KEY_TOTAL_SV,
	KEY_RHO,
	KEY_LABEL,
	KEY_PROB_A,
	KEY_PROB_B,
	KEY_DENSITY_MARKS,
	KEY_NR_SV,
	KEY_NR_FEATURE,
	KEY_BIAS,
	KEY_COLUMN_A, /* those of LIBLINEAR's kind, behind its weights, by the same names */
	KEY_COLUMN_B,
	N_KEYS
};

/* A set of keys. */
#define KEY_BIT(key) (1u << (key))

/* Keys of the constants that some kernels have. */
#define KERNEL_KEY_BITS (KEY_BIT(KEY_DEGREE) | KEY_BIT(KEY_GAMMA) | KEY_BIT(KEY_COEF0))

/* Number of values after a key; PER_CLASS and PER_PAIR need nr_class. */
enum key_count { COUNT_ONE, COUNT_MARKS, COUNT_PER_COLUMN, COUNT_PER_CLASS, COUNT_PER_PAIR };

/* What a value is in the file, and in the model: an enum, text[32], int, int64_t or double. */
enum key_type { VALUE_CHOICE, VALUE_TEXT, VALUE_INT, VALUE_INT64, VALUE_DOUBLE };

/* A key, and where in a struct model its value is, or the pointer to its array of values. */
struct model_key {
	const char *name;
	enum key_type type;
	size_t offset;
	enum key_count count;
	int64_t low, high;	  /* range of an integer */
	const char *const *words; /* of VALUE_CHOICE and VALUE_TEXT: the words there are; n_words */
	int n_words;
};

extern const struct model_key model_keys[N_KEYS];

/* model_key_count() - how many values the key has in this model */
int64_t model_key_count(const struct model *m, const struct model_key *key);

/* model_kernel_keys[] - the set of constants that each kernel has */
extern const unsigned model_kernel_keys[KERNEL_N_TYPES];

/*
 * model_read_header() - read up to and including the line `SV` or `w`
 *
 * Fills the empty '*m' but for the body: m->solution.coef, m->sv, m->linear.w.  On success every
 * key that this kind of model needs was there once, no key was there that has no place in it, and
 * counts agree.  m->solution.n_sv and m->linear.n_features are what the file claims, which the
 * body has yet to show.  On failure -1, and the caller frees '*m'.
 */
int model_read_header(struct model *m, struct model_text *t);

/*
 * model_read_end() - read what follows the n rows of weights: probA and probB, or nothing
 *
 * Fails with ERR_FORMAT where there is other text, or one of them alone, or where the model is not of
 * classes or has probabilities of its own.
 */
int model_read_end(struct model *m, struct model_text *t, int64_t n);

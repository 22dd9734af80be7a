/*
 * model_header.h - the `key value ...` lines that open a model file
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stddef.h>

#include "model/model.h"
#include "model/model_text.h"

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
	N_KEYS
};

/* A set of keys. */
#define KEY_BIT(key) (1u << (key))

/* Keys of the constants that some kernels have. */
#define KERNEL_KEY_BITS (KEY_BIT(KEY_DEGREE) | KEY_BIT(KEY_GAMMA) | KEY_BIT(KEY_COEF0))

/* Number of values after a key; PER_CLASS and PER_PAIR need nr_class. */
enum key_count { COUNT_ONE, COUNT_MARKS, COUNT_PER_CLASS, COUNT_PER_PAIR };

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

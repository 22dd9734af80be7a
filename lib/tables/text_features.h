/*
 * text_features.h - texts as rows of their words
 *
 *     the cat, the dog        cat 1, dog 1, the 2, in the order of a vocabulary that was learned; or
 *                             in features that a hash of each word chooses
 *
 * A feature is an n-gram, a word or several that follow each other.  Its value in a text is
 *
 *     x = c(t) w        t: how often it is in the text; c(t) is t, 1 or 1 + ln t, by the rule
 *                       w = 1, or ln((1 + N) / (1 + n)) + 1, for n of N texts that have it
 *
 * and, unless the rule is otherwise, all of a text are divided by their Euclidean norm.  With a hash
 * of b bits a word is feature |h| mod 2^b, for the hash h of MurmurHash3_x86_32 (seed 0) as an
 * integer with a sign, and t is the sum of the signs of h: what words that share a feature do to
 * each other then has mean 0.
 *
 * Source: Weinberger, Dasgupta, Langford, Smola and Attenberg 2009, ICML (hashing); weights and hash
 * as in scikit-learn's TfidfVectorizer and HashingVectorizer.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/byte_buffer.h"
#include "io/row_batch.h"
#include "tables/text_set.h"

/*
 * What a word is: words_rule_names has the same order.
 *
 * By letters, a run of letters and digits, and of combining marks (accents, vowels) behind the first
 * of them.  By scikit-learn's rule, a run of two or more letters, digits and underscores, without
 * marks.  Both become small letters, character by character.  Or what is between blanks and line
 * ends, as it stands.
 *
 * Source: Unicode Standard, chapter 4, general category; scikit-learn, CountVectorizer.
 */
enum words_rule { WORDS_BY_LETTERS, WORDS_OF_SKLEARN, WORDS_BETWEEN_BLANKS };
extern const char *const words_rule_names[];

/* c(t), w and the norm that rows are divided by; the names have the same order. */
enum text_counts { COUNTS_ALL, COUNTS_ONCE, COUNTS_LOG };
enum text_weights { WEIGHTS_NONE, WEIGHTS_TFIDF };
enum text_norm { NORM_EUCLIDEAN, NORM_NONE };
extern const char *const text_counts_names[], *const text_weights_names[], *const text_norm_names[];

/* With a hash there are eight bytes of memory for each feature. */
enum { TEXT_MOST_WORDS = 9, TEXT_MOST_BITS = 24 };

struct text_rule {
	int words;	     /* an enum words_rule */
	int64_t least, most; /* words of an n-gram, 1 to TEXT_MOST_WORDS */
	int64_t bits;	     /* of the hash; 0: features are those of a vocabulary */
	int64_t least_texts; /* texts that have a word for it to be learned */
	int counts;	     /* an enum text_counts */
	int weights;	     /* an enum text_weights */
	int norm;	     /* an enum text_norm */
	int delimiter;	     /* of tables: CSV_FIRST_BLANK, CSV_WHOLE_LINE, or 0: it is guessed */
};

/* Features are in blocks; they number that many, and bits of one word tell of 64 others. */
enum { TEXT_BLOCK = 64 * 64 };

/* Counts of features.  Those of the text at hand have a bit. */
struct text_block {
	uint64_t has[64];
	struct text_feature {
		int32_t n_with; /* n: texts that have it */
		int32_t count;	/* t: how often the text at hand has it */
	} feature[TEXT_BLOCK];
};

/* The features of a column; owns its arrays.  The caller sets 'rule'. */
struct text_features {
	struct text_rule rule;
	struct text_set words; /* the vocabulary, in the order of its bytes */
	int64_t n_texts;       /* N: texts that were learned from, while they are */
	double *weight;	       /* w of each feature; NULL: 1 */
	int64_t n_unknown;     /* words of texts that are not in the vocabulary */
	int64_t n_wordless;    /* texts that have become rows without features */
	bool has_accents;      /* some are characters of their own, as in decomposed Unicode */
	struct text_block *block;
	/*
	 * of each block bits of the words of 'has' that are not 0: so the features of a text are found in
	 * ascending order without being sorted, and without a look at the other blocks
	 */
	uint64_t *some;
	int64_t n_blocks, blocks_capacity, some_capacity;

	/*
	 * counts of the texts learned from, for their rows, in the order of the texts: a row's label is
	 * its line, and index -1 a word that is rare.  No more than most_kept: later texts have none.
	 */
	struct row_batch kept;
	int64_t most_kept, n_recalled; /* rows of 'kept' that are before the text at hand */

	/* of each character its small letter, and above it what it is in words: see text_words.c */
	uint32_t *letter;
	/* of the text at hand: its words, each followed by a blank; their starts and the last's end */
	struct byte_buffer text;
	int64_t *start;
	int64_t n_found, starts_capacity;
};

/* text_features_count() - how many features there are */
static inline int64_t text_features_count(const struct text_features *t)
{
	return t->rule.bits > 0 ? INT64_C(1) << t->rule.bits : t->words.n;
}

/*
 * text_features_take() - learn the words of a text, or make a row of them
 *
 * Words of the set 'stop' are left out.  Where 'to' is NULL the others are noted (nothing is for a
 * hash without weights); else the features are appended to the row that is being made, the first with
 * the index 'first'.  Rows of texts that were learned from are made in the order of their lines, by
 * the counts that were kept: such a text is not looked at.  -1 with ERR_FORMAT (a bare reason) for a
 * text that is not UTF-8, or ERR_MEMORY.  O(length + features / 4096).
 */
int text_features_take(struct text_features *t, const struct text_set *stop, struct text_span text,
		       int64_t line, struct row_batch *to, int64_t first, struct error *err);

/* text_features_end() - after the last text: leave rare words out, number the others; ERR_MEMORY */
int text_features_end(struct text_features *t, struct error *err);

void text_features_free(struct text_features *t);

/* ---- text_words.c ---- */

/*
 * text_words_find() - the words of a text but for those in 'stop', in place of those found before
 *
 * -1 with ERR_FORMAT (a bare reason) for a text that is not UTF-8, or ERR_MEMORY.  O(length).
 */
int text_words_find(struct text_features *t, const struct text_set *stop, struct text_span text,
		    struct error *err);

/*
 * letter_runs.c has the characters of a version of Unicode, so that words do not depend on the C
 * library: runs of one kind, 3 length + kind, from U+0000 on, ended by a 0; and runs of capitals,
 * three numbers each: how far the first is behind that of the run before; how many follow each other,
 * or (negative) how many of every other character; how far behind each is its small letter.
 */
enum { LETTER_NONE, LETTER_OR_DIGIT, LETTER_MARK, N_LETTER_KINDS, LETTER_END = 0x3134b };
extern const uint32_t letter_runs[];
extern const int32_t letter_capitals[];

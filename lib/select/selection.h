/*
 * selection.h - features chosen, with weights, and how to apply them to rows
 *
 *     feature  [7, 2, 70000]    in order of choice, numbered as files write them
 *     weight   [1.5, 1, .5]     what the values of the feature are multiplied by
 *     score    [.9, .2, .1]     why it was chosen; what it means is each method's to say
 *
 * As a matrix R (d x n) of a reduction x R: column k has weight[k] in the row of feature[k].
 *
 * Both structs own their arrays; zeroed ones are empty.  Readers may share them between threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "matrix/column_map.h"

struct selection {
	int64_t n;
	int32_t *feature; /* numbers of the features, n, all different */
	double *weight;	  /* weights of the features, n; 1 where the method has no weights */
	double *score;	  /* scores of the features, n */
	/* number of features left out whose scores are that of the last but for rounding */
	int64_t n_tied;
};

/* Most features of a selection, 2 GB: where features without values count there may be 2^31 - 1 */
#define SELECTION_MOST 100000000

/*
 * selection_init() - no features, and room for 'room' of them, into the empty '*s'
 *
 * Fails with ERR_MEMORY, or ERR_ARGUMENT (more than SELECTION_MOST); '*s' is then empty.
 */
int selection_init(struct selection *s, int64_t room, struct error *err);

void selection_free(struct selection *s);

/* selection_add() - append a feature, for which there must be room */
static inline void selection_add(struct selection *s, int32_t feature, double weight, double score)
{
	s->feature[s->n] = feature;
	s->weight[s->n] = weight;
	s->score[s->n++] = score;
}

/* A column of some matrix, and the score by which it is chosen. */
struct scored_column {
	double score;
	int32_t column;
};

/* scored_columns_sort() - sort by descending score, equal scores by ascending column; O(n log n) */
void scored_columns_sort(struct scored_column *list, int64_t n);

/*
 * scored_columns_of() - the columns of positive score, the largest first, for the caller to free
 *
 * Their number is *n_listed.  NULL with ERR_MEMORY.
 */
struct scored_column *scored_columns_of(const double *score, int64_t n, int64_t *n_listed,
					struct error *err);

/*
 * selection_of_columns() - the 'most' of n columns with the largest scores, or all, into the empty
 * '*s', by descending score
 *
 * 'list' is sorted.  Column j has the feature feature[j]; weights are 1, and scores those of the
 * list times 'factor', above 0.  s->n_tied counts features left out whose scores are that of the last
 * one to 1e-9 of it.  O(n log n).  Fails as selection_init() does.
 */
int selection_of_columns(struct selection *s, struct scored_column *list, int64_t n, int64_t most,
			 const int32_t *feature, double factor, struct error *err);

/* selection_of_scores() - selection_of_columns() of the columns of positive score */
int selection_of_scores(struct selection *s, const double *score, int64_t n, int64_t most,
			const int32_t *feature, double factor, struct error *err);

/* The features of a selection in ascending order, and where each is in the selection. */
struct selection_index {
	struct column_map map; /* map.list: features of the selection, map.n, ascending */
	int32_t *place;	       /* places of the features in the selection, map.n */
};

/*
 * selection_index_init() - for the features of 's', into the empty '*index'; O(n log n)
 *
 * Fails with ERR_MEMORY, or with ERR_ARGUMENT if a feature is there twice; '*index' is then empty.
 */
int selection_index_init(struct selection_index *index, const struct selection *s,
			 struct error *err);

void selection_index_free(struct selection_index *index);

/*
 * selection_find() - the number of 'feature' among the ascending ones, from 0, or -1; O(1)
 *
 * Its weight is that of place[number] in the selection; number + 1 is what it is called where the
 * features are numbered afresh.
 */
static inline int64_t selection_find(const struct selection_index *index, int32_t feature)
{
	return column_map_find(&index->map, feature);
}

/*
 * selection_see() - note which of the features have values other than 0 among n entries
 *
 * seen[number] becomes true, by the numbers of selection_find(); returns how many are new.
 */
int64_t selection_see(const struct selection_index *index, const int32_t *feature,
		      const double *value, int64_t n, bool *seen);

/*
 * uniform_select() - r features of 'x', all subsets being equally likely, into the empty '*s'
 *
 * The r features with the smallest keys, in the order of the keys: rng_first64() of the draw
 * (stream RNG_UNIFORM_FEATURE, i = index - 1 as 32 bits), ties by index.  So the choice for a
 * smaller r begins that for a larger one, and neither the order of the rows nor other features
 * change it.  Weights are 1, scores rng_unit() of the keys.  If there are no more than r features,
 * all are chosen.  With 'all' features without entries count, too: 1 .. n_cols - 1, and 0 if a row
 * has it.  O(entries + features + r log r log(features)).
 * Memory: 16 r bytes, and about 60 a feature unless 'all'.
 * Fails with ERR_MEMORY or ERR_ARGUMENT (too many rows, or features to select); '*s' is then
 * empty.
 */
int uniform_select(struct selection *s, const struct csr *x, int64_t r, bool all, uint64_t seed,
		   struct error *err);

/*
 * export_form.h - a model as the writers of all forms see it: rows, stages, then weights or vectors
 *
 *     z_j = stages of x[input_j]     the features that maps make, each of one feature of the row
 *     f_v = sum_k weights.w[k][v] z_place[k] + plus[v] - minus[v]            linear, or
 *     f_v = sum_s coef_s K(vector_s, z) - minus[v]                        as in expansion.h
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "export/export.h"
#include "model/compact.h"
#include "model/predict.h"

/* What one map does to each z_j: ranges, low + (high - low) (z - least) / (most - least); or a factor. */
struct export_stage {
	const struct scaling *ranges; /* NULL: factors */
	double *least, *most;	      /* n each; 'least' has the factors of a choice of features */
};

/* Owns its arrays and borrows the chain. */
struct export_form {
	const struct export_options *options;
	struct predictor predictor;
	int64_t n_inputs;
	int64_t n; /* number of z_j */
	/* of chains: the model's feature of each, and its feature of the row, from 1, both ascending */
	struct column_map features;
	int32_t *input; /* NULL: z_j is feature j + 1 */
	int n_stages;
	struct export_stage stage[CHAIN_MOST_MAPS];

	bool is_linear;
	struct model_weights weights; /* of the features that have one other than 0 */
	int32_t *place;		      /* j of each of them, ascending; weights.n */
	struct csr vector;	      /* else: support vectors, by the numbers j */
	double *plus;		      /* NULL: 0 */
	const double *minus;
	const double *prob_a, *prob_b; /* of the curves of probabilities; NULL: none */

	char has[160]; /* words of what it has, a blank before and behind each: see the texts in scripts/ */

	/* rows of the self-test, and decision values and predictions of them */
	struct row_batch test;
	double *values, *predicted, *probability;
};

/* export_form_init() - refuses what export_model() does for all kinds; '*f' is to be freed then too */
int export_form_init(struct export_form *f, const struct export_options *o, struct error *err);

/* export_form_test() - the rows of the self-test, and what is predicted of them */
int export_form_test(struct export_form *f, struct error *err);
void export_form_free(struct export_form *f);

/* export_has() - all words from 'word' up to 'end', with a blank between two of them? */
bool export_has(const struct export_form *f, const char *word, const char *end);
#define EXPORT_HAS(f, words) export_has(f, words, &(words)[strlen(words)])

/* The text of a file: scripts/export.*.in. */
struct export_text {
	const char *line, *next; /* the line, and the one behind it */
	int place,
		n_places; /* number of its place, of a line "%put"; else -1; and how many there were */
	bool skipped;
};

/* export_text_line() - go to the next line that the model has; false at the end */
bool export_text_line(const struct export_form *f, struct export_text *t);

/* export_name() - the letters of a path's file name that an identifier may have; 'size' above 8 */
void export_name(const char *path, char *name, size_t size);

/* The writers; they return the bytes of the numbers, and fail through 'err' alone. */
int64_t export_write_onnx(const struct export_form *f, struct output *to, struct error *err);
int64_t export_write_c(const struct export_form *f, struct output *to, struct error *err);

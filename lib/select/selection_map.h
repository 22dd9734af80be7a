/*
 * selection_map.h - selections in files, to look at and to apply to other data
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/byte_buffer.h"
#include "io/output.h"
#include "io/rows.h"
#include "project/linear_map.h"
#include "select/selection.h"
#include "tables/text_set.h"

enum select_method {
	SELECT_BSS,
	SELECT_APPROX_BSS,
	SELECT_LEVERAGE,
	SELECT_APPROX_LEVERAGE,
	SELECT_TOP,
	SELECT_RRQR,
	SELECT_RFE,
	SELECT_RMB,
	SELECT_LPSVM,
	SELECT_L1,
	SELECT_T,
	SELECT_F,
	SELECT_UNIFORM,
	SELECT_N_METHODS
};

/* select_method_names - names of enum select_method on command lines and in files; ended by NULL */
extern const char *const select_method_names[];

/* Names of features: a line of text for each, the first for feature 1, or 0. */
struct feature_names {
	bool from_0;
	struct byte_buffer text;
	int64_t n, starts_capacity;
	int64_t *start; /* starts of the names in the text, n + 1; each name is followed by '\n' */
	struct text_set all; /* the same names, once feature_names_check() has looked for one */
};

/*
 * feature_names_read() - all lines of the file at 'path' into the empty '*names'
 *
 * Plain or gzipped.  Fails with ERR_IO (the bare reason if it cannot be opened), ERR_FORMAT or
 * ERR_MEMORY; '*names' is then empty.
 */
int feature_names_read(struct feature_names *names, const char *path, struct error *err);

/* feature_names_split() - find the lines of names->text, all of which end in '\n'; ERR_MEMORY */
int feature_names_split(struct feature_names *names, struct error *err);

/*
 * feature_names_line() - the text of line 1, 2, ... without blanks and line end after it, and
 * without double quotes around it
 *
 * NULL and 0 if there is none.
 */
struct text_span feature_names_line(const struct feature_names *names, int64_t line);

/*
 * feature_names_compare() - is the feature's name in 'file' the one that it has in 'other_file'?
 *
 * Names without a byte are not known, and not compared.  Refused with ERR_FORMAT (text:
 * `file: feature 4 is 'a', and 'b' in other_file: ...`).
 */
int feature_names_compare(const char *file, int64_t feature, struct text_span name,
			  const char *other_file, struct text_span other, struct error *err);

/*
 * feature_names_check() - may the name that 'file' has of a feature stand for that in 'other_file'?
 *
 * Other names may, but not where the one in the other file is here that of another feature:
 * feature_names_compare() refuses that.  O(length), the first time O(bytes of all names); ERR_MEMORY.
 */
int feature_names_check(struct feature_names *names, const char *file, int64_t feature,
			const char *other_file, struct text_span other, struct error *err);

void feature_names_free(struct feature_names *names);

/* A selection and the way it is applied, once it has its index.  Owns selection and names. */
struct selection_map {
	int method;   /* method of the choice, an enum select_method */
	int rescale;  /* rescaling: 1: values are multiplied by the weights */
	int renumber; /* renumbering: 1: features become 1, 2, ... in ascending order */
	struct selection chosen;
	struct selection_index index;
	/* names from the selection's file: line k is the name of the k-th chosen; or empty */
	struct feature_names kept;
};

void selection_map_free(struct selection_map *map);

/*
 * selection_map_apply() - out = the rows with the features chosen
 *
 * 'out' is overwritten; labels and text as they were, values of 0 are left out, as in files.  O(entries).  ERR_MEMORY
 * only; 'out' is then empty.
 */
int selection_map_apply(const struct selection_map *map, struct row_range rows,
			struct row_batch *out, struct error *err);

/* selection_map_linear() - a linear map with a row for each chosen feature; borrows 'map' */
struct linear_map selection_map_linear(const struct selection_map *map);

/*
 * selection_map_list() - append a heading, and a line for each feature, in order of choice
 *
 *     "#index weight score" [ " name" ]
 *     index " " weight " " score [ " " name ]
 *
 * 'names' may be empty, or NULL: names that came with the file are then shown.  ERR_MEMORY.
 */
int selection_map_list(const struct selection_map *map, const struct feature_names *names,
		       struct byte_buffer *text, struct error *err);

/*
 * selection_map_save() - write the map to 'output', which stays open; selection_map_read() -
 * read it: an input_reader of a struct selection_map, which is empty after a failure
 *
 * The lines of selection_map_list() in a file of mapfile.h, whose errors these are.
 */
int selection_map_save(const struct selection_map *map, const struct feature_names *names,
		       struct output *output, struct error *err);
int selection_map_read(void *map, struct input *from, struct error *err);

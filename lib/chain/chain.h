/*
 * chain.h - the way from raw data to predictions, in one file
 *
 *     table --> columns --> rows --> map --> ... --> map --> model --> labels
 *
 * A model may need files beside it: the columns that svm-convert learned of a table; ranges, maps of
 * rp-project and choices of fs-select, in the order in which they are applied; and the names of the
 * classes.  A chain is these files and the model, each of which but the model may be left out.  Its
 * file has their lines:
 *
 *     randsvm-chain 1
 *     columns 0                    how many lines are of each file
 *     map-1 14
 *     map-2 0
 *     ...
 *     labels 2
 *     model 121
 *     data 137
 *     x
 *     -1 1
 *     ...
 *     checksum 0a1b2c3d            mapfile.h
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "chain/chain_map.h"
#include "model/model.h"
#include "tables/class_names.h"
#include "tables/csv_columns.h"

enum { CHAIN_MOST_MAPS = 4 };

/* Owns all; a zeroed one is empty.  Threads may share it, but for the columns, which count rows. */
struct chain {
	bool has_columns;
	struct csv_columns columns;
	int n_maps;
	struct chain_map map[CHAIN_MOST_MAPS];
	struct class_names labels; /* none: classes have no names */
	struct model model;
};

/*
 * chain_make() - write the chain of n files, the last of which is the model
 *
 * A file is of the kind that it begins as.  Refused with ERR_FORMAT (text: `file: reason`,
 * `file:line: reason`) are files in another order than that of the drawing, and one that does not fit
 * what comes before: with features that are not made there, a map that does not take all, a model of
 * fewer features than a map makes whose last is hardly 0 in all rows or of classes that the columns do
 * not have, the same map twice, a choice or a model with a feature that the choice before it leaves
 * out, ranges of labels, a choice with the name of a feature that has another one in the choice before
 * or in the columns (feature_names_compare()), and labels as of chain_check_names().  Names that the
 * columns have of the classes are written where no labels are given.  Also fails as input_open(),
 * input_read(), and output_write().
 */
int chain_make(const char *const *path, int n, struct output *to, struct error *err);

/*
 * chain_read() - a chain, or a model, which is one without anything else; an input in one pass
 *
 * The checksum is checked before all else, and then what chain_make() checks, except that names of a
 * choice may be others than those of the columns, as in chain_check_features(): not all versions have
 * compared them.  Memory: at most three times the bytes of the file.  Fails as input_open(), mapfile_read(), model_read() and chain_make();
 * '*c' is empty then.
 */
int chain_read(struct chain *c, const char *path, struct error *err);

void chain_free(struct chain *c);

/*
 * chain_check_names() - are these the names of the model's classes?
 *
 * Refused with ERR_FORMAT (text: `file: reason`) are names of a regression, a class without one, and
 * where the columns have names, too, a class of the model that they do not have, and a name that is
 * another class's.  There may be no names.  O(classes^2).
 */
int chain_check_names(const struct chain *c, const struct class_names *names, const char *file,
		      struct error *err);

/*
 * chain_data_feature() - which feature of the data feature f of the model is
 *
 * Choices may number them anew, from 1 on.
 */
int64_t chain_data_feature(const struct chain *c, int64_t f);

/*
 * chain_feature_names() - names of the features of the data, into the empty '*names'
 *
 * By the columns, or where there are none, or they are of a hash, by the choices: features that these
 * leave out have none then.  O(highest feature of the data); ERR_MEMORY.
 */
int chain_feature_names(const struct chain *c, struct feature_names *names, struct error *err);

/*
 * chain_check_features() - may these names of the features of the data stand for those of the chain?
 *
 * As feature_names_check() of each feature of the model that columns or a choice have a name of.
 */
int chain_check_features(const struct chain *c, const char *chain_file, struct feature_names *names,
			 const char *file, struct error *err);

/*
 * chain_apply() - the rows as the model takes them, which are 'rows' or belong to the scratch
 *
 * Values are those that the programs make one after the other.  A thread has CHAIN_MOST_MAPS
 * scratches.  NULL on failure, as chain_map_apply() fails.
 */
const struct row_batch *chain_apply(const struct chain *c, const struct row_batch *rows,
				    struct chain_map_scratch *scratch, struct error *err);

/*
 * chain_row_marks() - how row i of 'rows' differs from what the chain was made of, after chain_apply()
 *
 * A value is out of its range; or a feature has none, or without ranges is above all of the model; or
 * most values are out of their ranges.  The ranges are the first of the chain.  Or a number that the
 * chain makes of finite ones is none, row_overflows().  O(entries of the row).
 */
enum { CHAIN_OUTSIDE = 1, CHAIN_UNKNOWN = 2, CHAIN_FAR = 4, CHAIN_OVERFLOW = 8 };
int chain_row_marks(const struct chain *c, const struct row_batch *rows,
		    const struct chain_map_scratch *scratch, int64_t i);

/* chain_batch_rows() - how many rows may be mapped at once in some megabytes; 0: any number */
int64_t chain_batch_rows(const struct chain *c);

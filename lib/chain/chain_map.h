/*
 * chain_map.h - what rows are mapped by, of whatever kind: ranges, a projection, a selection of features
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "project/feature_map.h"
#include "project/scaling.h"
#include "select/selection_map.h"

enum chain_map_kind { MAP_FEATURES, MAP_SCALING, MAP_SELECTION };

/* Owns the map of its kind; a zeroed one is empty.  Threads may share it. */
struct chain_map {
	enum chain_map_kind kind;
	struct feature_map features;
	struct scaling scaling;
	struct selection_map selection;
};

/* chain_map_read() - an input_reader: the kind is that which the file begins as */
int chain_map_read(void *map, struct input *from, struct error *err);

void chain_map_free(struct chain_map *map);

/* chain_map_n_features() - highest feature that the map makes; 0: it keeps those of the rows */
int64_t chain_map_n_features(const struct chain_map *map);

/* What a thread maps rows with; a zeroed one is ready. */
struct chain_map_scratch {
	struct row_batch out;
	struct map_room room;
	struct scaling_unknown unknown; /* of all rows so far */
};

/* chain_map_apply() - scratch->out = the rows, mapped; fails as the apply function of the kind */
int chain_map_apply(const struct chain_map *map, const struct row_batch *rows,
		    struct chain_map_scratch *scratch, struct error *err);

void chain_map_scratch_free(struct chain_map_scratch *s);

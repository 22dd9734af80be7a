/*
 * api_select.c - selections of features of the public library
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "api.h"
#include "base/mem.h"
#include "select/selector.h"

static struct selector_options options_of(const struct rsv_selection *s, const struct api_run *run,
					  int method)
{
	return (struct selector_options){ .method = method,
					  .n_features = s->n_features,
					  .nu = s->nu,
					  .unsupervised = s->unsupervised != 0,
					  .regression = s->regression != 0,
					  .C = s->C,
					  .p = s->p,
					  .eps = s->eps,
					  .fraction = s->fraction,
					  .sketch_rows = s->sketch_rows,
					  .seed = run->given.seed,
					  .n_threads = run->n_threads };
}

/* Move the choice into the map. */
static int make_map(rsv_map *map, struct selector_result *found, const struct rsv_selection *s,
		    int method, struct error *err)
{
	map->kind = MAP_SELECTION;
	map->selection = (struct selection_map){ .method = method,
						 .rescale = s->rescale != 0 ||
							    selector_methods[method].weighs,
						 .renumber = s->renumber != 0,
						 .chosen = found->chosen };
	found->chosen = (struct selection){ 0 };
	return selection_map_prepare(&map->selection, err);
}

rsv_map *rsv_select(const rsv_rows *rows, const struct rsv_selection *selection,
		    const struct rsv_run *given, struct rsv_error *err)
{
	API_CALL(failed);
	struct selector_result found = { 0 };
	struct selector_options options;
	struct rsv_selection own;
	struct api_run run;
	rsv_map *map = NULL;
	int method = -1;

	rsv_selection_init(&own);
	if (api_need_features(rows, &failed) == 0 &&
	    api_read_struct(&own, sizeof(own), selection, "selection", &failed) == 0 &&
	    api_begin(&run, given, &failed) == 0)
		method = api_find_name(select_method_names, own.method, "method", &failed);
	if (method >= 0)
		map = mem_zeroed(1, sizeof(*map), &failed);
	if (map) {
		options = options_of(&own, &run, method);
		if (selector_run(&found, &rows->data, &options, NULL, &failed) == 0)
			make_map(map, &found, &own, method, &failed);
		selector_result_free(&found);
	}
	return api_give_map(map, &failed, err);
}

static const struct selection *chosen_of(const rsv_map *map)
{
	static const struct selection none;

	return map && map->kind == MAP_SELECTION ? &map->selection.chosen : &none;
}

int64_t rsv_map_n_selected(const rsv_map *map)
{
	return chosen_of(map)->n;
}

const int32_t *rsv_map_selected(const rsv_map *map)
{
	return chosen_of(map)->feature;
}

const double *rsv_map_selected_weights(const rsv_map *map)
{
	return chosen_of(map)->weight;
}

const double *rsv_map_selected_scores(const rsv_map *map)
{
	return chosen_of(map)->score;
}

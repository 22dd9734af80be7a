/*
 * api_map.c - maps of the public library: projections, scalings and selections
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "api.h"
#include "model/unproject.h"
#include "project/landmarks.h"
#include "select/selector.h"

void rsv_map_free(rsv_map *map)
{
	if (!map)
		return;
	chain_map_free(&map->is);
	mem_free(map);
}

/* What a call returns: the map, or NULL where something has failed. */
static rsv_map *give_map(rsv_map *map, const struct error *failed, struct rsv_error *err)
{
	if (api_status(failed, err) == 0)
		return map;
	rsv_map_free(map);
	return NULL;
}

/* An empty map of features; NULL after a failure. */
static rsv_map *new_map(struct error *err)
{
	return err->code == ERR_NONE ? mem_zeroed(1, sizeof(rsv_map), err) : NULL;
}

/* ---- maps of kernels ---- */

/*
 * The number of the kernel's name, the method's first if it has none; -1 where it has no such map, or
 * constants are out of their ranges.
 */
static int find_kernel(const struct rsv_projection *p, int method, struct error *err)
{
	const int first =
		method == FEATURE_MAP_TENSORSKETCH ? MAP_KERNEL_POLYNOMIAL : MAP_KERNEL_RBF;
	const int other = method == FEATURE_MAP_RFF ? MAP_KERNEL_LAPLACE : MAP_KERNEL_POLYNOMIAL;
	const int kernel =
		p->kernel ? api_find_name(map_kernel_names, p->kernel, "kernel", err) : first;

	if (!(p->gamma >= 0) || !(p->coef0 >= 0) || !isfinite(p->gamma + p->coef0))
		return error_set(err, ERR_ARGUMENT, "a kernel with gamma %g and coef0 %g", p->gamma,
				 p->coef0);
	if (p->degree < 1 || p->degree > 1000)
		return error_set(err, ERR_ARGUMENT, "a kernel of degree %d", p->degree);
	if (kernel < 0 || kernel == first || kernel == other)
		return kernel;
	return error_set(err, ERR_ARGUMENT, "%s has no map of kernel %s", projection_names[method],
			 p->kernel);
}

/* The kernel as LIBSVM has it; gamma is that of the features, if none is given. */
static struct kernel kernel_of(const struct rsv_projection *p, int kernel, int64_t n_features)
{
	return (struct kernel){ .type = kernel == MAP_KERNEL_POLYNOMIAL ? KERNEL_POLYNOMIAL :
									  KERNEL_RBF,
				.degree = p->degree,
				.gamma = p->gamma != 0 ? p->gamma : 1 / (double)n_features,
				.coef0 = p->coef0 };
}

/* The map of a kernel that depends on no data. */
static int draw_kernel_map(struct feature_map *map, const struct rsv_projection *p, int method,
			   struct error *err)
{
	const int kernel = find_kernel(p, method, err);
	const struct kernel k = kernel_of(p, kernel, p->n_features);
	const bool orthogonal = kernel == MAP_KERNEL_RBF && p->n_features > 0 &&
				p->n_features <= FOURIER_MAX_ORTHOGONAL;

	if (kernel < 0)
		return -1;
	if (p->gamma == 0 && p->n_features < 1)
		return error_set(err, ERR_ARGUMENT, "neither gamma nor a number of features");
	if (method == FEATURE_MAP_TENSORSKETCH)
		return feature_map_tensor(map,
					  &(struct tensor_options){ .kernel = k,
								    .seed = p->seed,
								    .n_columns = p->n_columns },
					  p->n_features, err);
	return feature_map_fourier(map,
				   &(struct fourier_options){ .kernel = (enum map_kernel)kernel,
							      .gamma = k.gamma,
							      .seed = p->seed,
							      .n_columns = p->n_columns,
							      .n_features = p->n_features,
							      .orthogonal = orthogonal },
				   err);
}

/* Landmarks among the rows, into the empty '*landmarks'. */
static int choose_landmarks(struct csr *landmarks, const struct dataset *d,
			    const struct rsv_projection *p, const struct leverage_choice *choice,
			    struct error *err)
{
	struct landmark_sample sample = { .n_wanted = p->n_columns, .seed = p->seed };
	const struct row_batch batch = csr_as_batch(&d->x, d->y);
	int ret;

	if (p->by_leverage)
		return leverage_landmarks(landmarks, &d->x, choice, err);
	ret = landmark_sample_add(&sample, &batch, err);
	if (ret == 0)
		ret = landmark_sample_take(&sample, landmarks, err);
	landmark_sample_free(&sample);
	return ret;
}

rsv_map *rsv_nystrom(const rsv_rows *rows, const struct rsv_projection *projection,
		     const struct rsv_run *given, struct rsv_error *err)
{
	API_CALL(failed);
	struct rsv_projection own;
	struct api_run run;
	struct csr landmarks = { 0 };
	rsv_map *map = NULL;
	int kernel = -1;

	rsv_projection_init(&own);
	if (api_need_features(rows, &failed) == 0 &&
	    api_read_struct(&own, sizeof(own), projection, "projection", &failed) == 0 &&
	    api_begin(&run, given, &failed) == 0)
		kernel = find_kernel(&own, FEATURE_MAP_NYSTROM, &failed);
	if (kernel >= 0 && (own.n_columns < 1 || rows->data.x.n_rows < 1))
		error_set(&failed, ERR_ARGUMENT, "%" PRId64 " landmarks of %" PRId64 " rows",
			  own.n_columns, rows->data.x.n_rows);
	map = new_map(&failed);
	if (map) {
		const struct dataset *d = &rows->data;
		const struct leverage_choice choice = {
			.kernel = kernel_of(&own, kernel, int64_max(d->max_index, 1)),
			.n_wanted = own.n_columns,
			.seed = own.seed,
			.n_threads = run.n_threads
		};

		if (choose_landmarks(&landmarks, d, &own, &choice, &failed) == 0 &&
		    feature_map_nystrom(&map->is.features, &landmarks, &choice.kernel,
					run.n_threads, &failed) == 0)
			map->is.features.n_features = d->max_index;
	}
	return give_map(map, &failed, err);
}

/* ---- ways to make a map ---- */

rsv_map *rsv_project(const struct rsv_projection *projection, struct rsv_error *err)
{
	API_CALL(failed);
	struct rsv_projection own;
	rsv_map *map;
	int method = -1;

	rsv_projection_init(&own);
	if (api_read_struct(&own, sizeof(own), projection, "projection", &failed) == 0)
		method = api_find_name(projection_names, own.method, "random projection", &failed);
	if (method == FEATURE_MAP_NYSTROM)
		error_set(&failed, ERR_ARGUMENT, "nystrom has landmarks among rows: rsv_nystrom()");
	else if (method == FEATURE_MAP_PCA || method > FEATURE_MAP_TENSORSKETCH)
		error_set(&failed, ERR_ARGUMENT, "no random projection '%s'", own.method);
	map = new_map(&failed);
	if (map && method > FEATURE_MAP_PCA)
		draw_kernel_map(&map->is.features, &own, method, &failed);
	else if (map)
		feature_map_random(
			&map->is.features,
			&(struct projection_options){ .method = (enum projection_method)method,
						      .seed = own.seed,
						      .n_columns = own.n_columns,
						      .n_features = own.n_features },
			&failed);
	return give_map(map, &failed, err);
}

rsv_map *rsv_components(const rsv_rows *rows, int64_t n_components, const struct rsv_run *given,
			struct rsv_error *err)
{
	API_CALL(failed);
	struct api_run run;
	rsv_map *map;

	api_need_features(rows, &failed);
	api_begin(&run, given, &failed);
	if (n_components < 1)
		error_set(&failed, ERR_ARGUMENT, "%" PRId64 " components", n_components);
	map = new_map(&failed);
	if (map)
		feature_map_pca(&map->is.features, &rows->data.x,
				&(struct pca_options){ .n_components = n_components,
						       .seed = run.given.seed,
						       .n_threads = run.n_threads },
				&failed);
	return give_map(map, &failed, err);
}

rsv_map *rsv_scale(const rsv_rows *rows, double lower, double upper, struct rsv_error *err)
{
	API_CALL(failed);
	const struct scaling_options options = { .low = lower, .high = upper };
	struct scaling_ranges ranges = { 0 };
	rsv_map *map;

	if (api_need_features(rows, &failed) == 0 && rows->data.x.n_rows == 0)
		error_set(&failed, ERR_ARGUMENT, "no examples");
	if (!(lower < upper) || !isfinite(lower) || !isfinite(upper))
		error_set(&failed, ERR_ARGUMENT, "a range from %g to %g", lower, upper);
	map = new_map(&failed);
	if (map) {
		const struct row_batch batch = csr_as_batch(&rows->data.x, rows->data.y);

		map->is.kind = MAP_SCALING;
		if (scaling_ranges_add(&ranges, &batch, false, &failed) == 0)
			scaling_init(&map->is.scaling, &options, &ranges, 1, &failed);
	}
	scaling_ranges_free(&ranges);
	return give_map(map, &failed, err);
}

int64_t rsv_map_n_features(const rsv_map *map)
{
	return map ? chain_map_n_features(&map->is) : 0;
}

/* ---- files ---- */

rsv_map *rsv_map_read(const char *path, struct rsv_error *err)
{
	API_CALL(failed);
	struct error reason = { 0 };
	rsv_map *map = NULL;

	if (api_need(path, "file name", &failed) == 0 && strcmp(path, "-") == 0)
		error_set(&failed, ERR_ARGUMENT, "maps are not read from standard input");
	if (failed.code == ERR_NONE)
		map = new_map(&failed);
	if (map) {
		input_load(chain_map_read, &map->is, path, &reason);
		api_name_file(path, &reason, &failed);
	}
	return give_map(map, &failed, err);
}

static int save(const void *what, struct output *to, struct error *err)
{
	const rsv_map *map = what;

	if (map->is.kind == MAP_SELECTION)
		return selection_map_save(&map->is.selection, NULL, to, err);
	if (map->is.kind == MAP_SCALING)
		return scaling_save(&map->is.scaling, to, err);
	return feature_map_save(&map->is.features, to, err);
}

int rsv_map_write(const rsv_map *map, const char *path, struct rsv_error *err)
{
	API_CALL(failed);

	if (api_need(map, "map", &failed) == 0)
		api_write_file(path, save, map, &failed);
	return api_status(&failed, err);
}

/* ---- use ---- */

rsv_rows *rsv_map_apply(const rsv_map *map, const rsv_rows *rows, const struct rsv_run *given,
			struct rsv_error *err)
{
	API_CALL(failed);
	struct dataset mapped = { 0 };
	struct api_run run;

	if (api_need(map, "map", &failed) == 0 && api_need_features(rows, &failed) == 0 &&
	    api_begin(&run, given, &failed) == 0 &&
	    api_map_rows(&map->is, &rows->data, run.n_threads, &mapped, NULL, &failed) == 0) {
		const struct dataset *d = &rows->data;

		mapped.weight = mem_copy(d->weight, d->x.n_rows, sizeof(*d->weight), &failed);
		mapped.group = mem_copy(d->group, d->x.n_rows, sizeof(*d->group), &failed);
	}
	return api_give_rows(&mapped, &failed, err);
}

rsv_model *rsv_map_fold(const rsv_map *map, const rsv_model *model, int64_t n_features,
			struct rsv_error *err)
{
	API_CALL(failed);
	struct linear_map linear;
	rsv_model *folded = NULL;

	if (api_need(map, "map", &failed) == 0 && api_need_model(model, &failed) == 0) {
		if (map->is.kind == MAP_SCALING)
			error_set(&failed, ERR_ARGUMENT, "a scaling cannot be folded into a model");
		else if (map->is.kind == MAP_FEATURES && !feature_map_is_linear(&map->is.features))
			error_set(&failed, ERR_ARGUMENT,
				  "a map of a kernel is not linear: no model is folded through it");
		else if (n_features < 1 || n_features > INT32_MAX)
			error_set(&failed, ERR_ARGUMENT, "%" PRId64 " features", n_features);
		else
			folded = api_model_new(&failed);
	}
	if (folded) {
		linear = map->is.kind == MAP_SELECTION ?
				 selection_map_linear(&map->is.selection) :
				 feature_map_linear(&map->is.features, n_features);
		model_unproject(&folded->chain.model, &model->chain.model, &linear, &failed);
	}
	return api_give_model(folded, &failed, err);
}

/* ---- selections of features ---- */

rsv_map *rsv_select(const rsv_rows *rows, const struct rsv_selection *selection,
		    const struct rsv_run *given, struct rsv_error *err)
{
	API_CALL(failed);
	struct selector_result found = { 0 };
	struct selector_options options;
	struct rsv_selection own;
	struct api_run run;
	rsv_map *map;
	int method = -1;

	rsv_selection_init(&own);
	if (api_need_features(rows, &failed) == 0 &&
	    api_read_struct(&own, sizeof(own), selection, "selection", &failed) == 0 &&
	    api_begin(&run, given, &failed) == 0)
		method = api_find_name(select_method_names, own.method, "method", &failed);
	map = new_map(&failed);
	if (map) {
		map->is.kind = MAP_SELECTION;
		options = (struct selector_options){ .method = method,
						     .n_features = own.n_features,
						     .nu = own.nu,
						     .unsupervised = own.unsupervised != 0,
						     .regression = own.regression != 0,
						     .C = own.C,
						     .p = own.p,
						     .eps = own.eps,
						     .fraction = own.fraction,
						     .sketch_rows = own.sketch_rows,
						     .seed = run.given.seed,
						     .n_threads = run.n_threads };
		selector_run(&found, &rows->data, &options, NULL, &failed);
		map->is.selection =
			(struct selection_map){ .method = method,
						.rescale = own.rescale != 0 ||
							   selector_methods[method].weighs,
						.renumber = own.renumber != 0,
						.chosen = found.chosen };
		found.chosen = (struct selection){ 0 };
		if (failed.code == ERR_NONE)
			selection_index_init(&map->is.selection.index, &map->is.selection.chosen,
					     &failed);
		selector_result_free(&found);
	}
	return give_map(map, &failed, err);
}

static const struct selection *chosen_of(const rsv_map *map)
{
	static const struct selection none;

	return map && map->is.kind == MAP_SELECTION ? &map->is.selection.chosen : &none;
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

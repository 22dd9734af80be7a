/*
 * feature_map.c - a map ready for use, of whatever kind; how near its products are to kernel values
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project/feature_map.h"

#include "base/rng.h"

const char *const map_kernel_names[] = { "rbf", "laplace", "polynomial", NULL };

int feature_map_random(struct feature_map *map, const struct projection_options *options,
		       struct error *err)
{
	*map = (struct feature_map){ .method = (int)options->method,
				     .n_columns = options->n_columns,
				     .n_features = options->n_features };
	return projection_init(&map->projection, options, err);
}

int feature_map_pca(struct feature_map *map, const struct csr *x, const struct pca_options *options,
		    struct error *err)
{
	/* n_cols is the largest feature + 1 */
	*map = (struct feature_map){ .method = FEATURE_MAP_PCA, .n_features = x->n_cols - 1 };
	if (pca_fit(&map->pca, x, options, err) < 0)
		return -1;
	map->n_columns = map->pca.n_components;
	return 0;
}

int feature_map_fourier(struct feature_map *map, const struct fourier_options *options,
			struct error *err)
{
	*map = (struct feature_map){ .method = FEATURE_MAP_RFF,
				     .n_columns = options->n_columns,
				     .n_features = options->n_features };
	return fourier_init(&map->fourier, options, err);
}

int feature_map_nystrom(struct feature_map *map, struct csr *landmarks, const struct kernel *kernel,
			int n_threads, struct error *err)
{
	const int64_t n_features = landmarks->n_cols - 1;

	*map = (struct feature_map){ .method = FEATURE_MAP_NYSTROM, .n_features = n_features };
	if (nystrom_fit(&map->nystrom, landmarks, kernel, NULL, n_threads, err) < 0)
		return -1;
	map->n_columns = map->nystrom.n_columns;
	return 0;
}

int feature_map_tensor(struct feature_map *map, const struct tensor_options *options,
		       int64_t n_features, struct error *err)
{
	*map = (struct feature_map){ .method = FEATURE_MAP_TENSORSKETCH,
				     .n_columns = options->n_columns,
				     .n_features = n_features };
	return tensor_sketch_init(&map->tensor, options, err);
}

void feature_map_free(struct feature_map *map)
{
	projection_free(&map->projection);
	pca_free(&map->pca);
	fourier_free(&map->fourier);
	nystrom_free(&map->nystrom);
	*map = (struct feature_map){ 0 };
}

bool feature_map_is_linear(const struct feature_map *map)
{
	return map->method <= FEATURE_MAP_PCA;
}

bool feature_map_is_single(const struct feature_map *map)
{
	return map->projection.options.single || map->fourier.options.single ||
	       map->tensor.options.single;
}

enum map_kernel feature_map_kernel(const struct feature_map *map)
{
	if (map->method == FEATURE_MAP_RFF)
		return map->fourier.options.kernel;
	return feature_map_svm_kernel(map)->type == KERNEL_RBF ? MAP_KERNEL_RBF :
								 MAP_KERNEL_POLYNOMIAL;
}

const struct kernel *feature_map_svm_kernel(const struct feature_map *map)
{
	return map->method == FEATURE_MAP_TENSORSKETCH ? &map->tensor.options.kernel :
							 &map->nystrom.kernel;
}

uint64_t feature_map_seed(const struct feature_map *map)
{
	if (map->method == FEATURE_MAP_RFF)
		return map->fourier.options.seed;
	return map->method == FEATURE_MAP_TENSORSKETCH ? map->tensor.options.seed :
							 map->projection.options.seed;
}

int64_t feature_map_last_feature(const struct feature_map *map)
{
	if (map->method == PROJECT_FHT)
		return map->projection.options.n_features;
	return map->method == FEATURE_MAP_RFF ? fourier_last_feature(&map->fourier) : 0;
}

int feature_map_apply(const struct feature_map *map, struct row_range rows, struct row_batch *out,
		      struct map_room *room, struct error *err)
{
	switch (map->method) {
	case FEATURE_MAP_PCA:
		return pca_apply(&map->pca, rows, out, err);
	case FEATURE_MAP_RFF:
		return fourier_apply(&map->fourier, rows, out, room, err);
	case FEATURE_MAP_NYSTROM:
		return nystrom_apply(&map->nystrom, rows, out, room, err);
	case FEATURE_MAP_TENSORSKETCH:
		return tensor_sketch_apply(&map->tensor, rows, out, room, err);
	default:
		return projection_apply(&map->projection, rows, out, room, err);
	}
}

/* All values of row k of R, of n_columns; -1 if R has no such row, or the map no R */
static int fill_row(const struct feature_map *map, int64_t k, double *row)
{
	const struct pca *p = &map->pca;
	const size_t size = (size_t)map->n_columns * sizeof(*row);
	int32_t j;

	if (!feature_map_is_linear(map))
		return -1;
	if (map->method != FEATURE_MAP_PCA)
		return projection_row(&map->projection, k, row);
	j = column_map_find(&p->map, (int32_t)k);
	if (j < 0)
		memset(row, 0, size);
	else
		memcpy(row, p->component + j * p->n_components, size);
	return 0;
}

/* A function for linear_map.row: row k is that of feature k, without its zeros. */
static int make_linear_row(const void *map, int64_t k, struct linear_map_row *to)
{
	const struct feature_map *from = map;

	to->feature = (int32_t)k;
	to->n = 0;
	if (fill_row(from, k, to->value) < 0)
		return -1;
	/* in place: to->n never passes t, so no value is overwritten before it is read */
	for (int64_t t = 0; t < from->n_columns; t++) { /* sparse embeddings are mostly zeros */
		if (to->value[t] == 0)
			continue;
		to->column[to->n] = (int32_t)(t + 1);
		to->value[to->n++] = to->value[t];
	}
	return 0;
}

struct linear_map feature_map_linear(const struct feature_map *map, int64_t n_features)
{
	return (struct linear_map){ .map = map,
				    .n_features = n_features,
				    .n_rows = n_features + 1,
				    .most_entries = map->n_columns,
				    .n_columns = map->n_columns,
				    .offset =
					    map->method == FEATURE_MAP_PCA ? map->pca.offset : NULL,
				    .row = make_linear_row };
}

/* ---- How far products of mapped rows are from kernel values, over random pairs ---- */

/*
 * Kernel values here are those of merged sparse rows, not of the tiles that Nystrom's map computes
 * with: what rounding does to the map is among the errors.
 */

/* The sum of absolute differences. */
static double distance1(struct csr_row x, struct csr_row y)
{
	double sum = 0;
	int64_t j = 0, k = 0;

	while (j < x.n || k < y.n) {
		if (k == y.n || (j < x.n && x.col[j] < y.col[k]))
			sum += fabs(x.val[j++]);
		else if (j == x.n || y.col[k] < x.col[j])
			sum += fabs(y.val[k++]);
		else
			sum += fabs(x.val[j++] - y.val[k++]);
	}
	return sum;
}

static double product(struct csr_row x, struct csr_row y)
{
	return kernel_merged_value(&(struct kernel){ .type = KERNEL_LINEAR }, x, y);
}

static double kernel_value(const struct feature_map *map, struct csr_row x, struct csr_row y)
{
	const struct fourier_options *o = &map->fourier.options;
	const struct kernel rbf = { .type = KERNEL_RBF, .gamma = o->gamma };

	if (map->method != FEATURE_MAP_RFF)
		return kernel_merged_value(feature_map_svm_kernel(map), x, y);
	return o->kernel == MAP_KERNEL_RBF ? kernel_merged_value(&rbf, x, y) :
					     exp(-o->gamma * distance1(x, y));
}

/* d(x) of nystrom.h; what rounding makes negative is 0 */
static double missing(const struct feature_map *map, struct csr_row x, struct csr_row z)
{
	return fmax(kernel_value(map, x, x) - product(z, z), 0);
}

/* A number below n of 64 random bits. */
static int64_t below(uint64_t bits, int64_t n)
{
	return (int64_t)(rng_unit(bits) * (double)n);
}

static void add_pair(struct kernel_errors *e, const struct feature_map *map, const struct csr *x,
		     const struct csr *z, int64_t i, int64_t j)
{
	const struct csr_row x_i = csr_row_of(x, i), z_i = csr_row_of(z, i);
	const struct csr_row x_j = csr_row_of(x, j), z_j = csr_row_of(z, j);
	double error = fabs(kernel_value(map, x_i, x_j) - product(z_i, z_j));

	e->mean += error / (double)e->n_pairs;
	e->largest = fmax(e->largest, error);
	if (map->method == FEATURE_MAP_NYSTROM)
		e->bound = fmax(e->bound, sqrt(missing(map, x_i, z_i) * missing(map, x_j, z_j)));
	if (map->method == FEATURE_MAP_TENSORSKETCH) /* (2) of tensor_sketch.h */
		e->bound =
			fmax(e->bound, sqrt((pow(3, map->tensor.options.kernel.degree) - 1) /
					    (double)map->n_columns * kernel_value(map, x_i, x_i) *
					    kernel_value(map, x_j, x_j)));
}

int kernel_errors_find(struct kernel_errors *e, const struct feature_map *map, const struct csr *x,
		       const struct csr *z, uint64_t seed, int64_t n_pairs, struct error *err)
{
	const int64_t n = x->n_rows;
	const double k = (double)map->n_columns;

	*e = (struct kernel_errors){ .n_pairs = n_pairs };
	if (n < 1)
		return error_set(err, ERR_ARGUMENT, "there is no row");
	for (int64_t p = 0; p < n_pairs; p++) {
		struct rng_block draw = rng_draw(seed, RNG_CERTIFIED_PAIR, (uint64_t)p, 0);
		int64_t i = below(rng_first64(draw), n), j = i;

		if (n > 1)
			j = (i + 1 + below(rng_second64(draw), n - 1)) % n;
		add_pair(e, map, x, z, i, j);
	}
	if (map->method == FEATURE_MAP_RFF)
		e->bound = sqrt(4 * log(2 * (double)n_pairs / KERNEL_ERRORS_DELTA) /
				(map->n_columns % 2 ? k * k / (k + 1) : k));
	return 0;
}

/*
 * feature_map.h - a projection ready for use, of whatever kind, and the file it is kept in
 *
 *     z = x R - offset        a linear map
 *     z.z' nearly K(x, x')    a kernel map
 *
 * R is random and never stored (projection.h), and the offset 0; or R holds principal components,
 * and the offset is that of the mean (pca.h).  A kernel map has random Fourier features
 * (fourier.h), kernel values with landmarks (nystrom.h), or sketches of tensor powers
 * (tensor_sketch.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/output.h"
#include "io/rows.h"
#include "project/fourier.h"
#include "project/linear_map.h"
#include "project/nystrom.h"
#include "project/pca.h"
#include "project/projection.h"
#include "project/tensor_sketch.h"

/* The methods after those of enum projection_method, in projection_names[] as well. */
enum {
	FEATURE_MAP_PCA = PROJECT_N_METHODS,
	FEATURE_MAP_RFF,
	FEATURE_MAP_NYSTROM,
	FEATURE_MAP_TENSORSKETCH
};

/* The names after that: methods of rp-project that keep the features (scaling.h). */
enum row_map { ROW_MAP_SCALE = FEATURE_MAP_TENSORSKETCH + 1, ROW_MAP_NORMALISE, ROW_MAP_NONE };

/* Names of enum map_kernel, then NULL. */
extern const char *const map_kernel_names[];

/* Owns the map of its method; a zeroed one is empty.  Threads may share it. */
struct feature_map {
	int method;		      /* number of its name in projection_names[] */
	struct projection projection; /* of a method before FEATURE_MAP_PCA */
	struct pca pca;		      /* of FEATURE_MAP_PCA */
	struct fourier fourier;	      /* of FEATURE_MAP_RFF */
	struct nystrom nystrom;	      /* of FEATURE_MAP_NYSTROM */
	struct tensor_sketch tensor;  /* of FEATURE_MAP_TENSORSKETCH */
	int64_t n_columns;
	int64_t n_features; /* highest feature of the data the map was made for; 0: unknown */
};

/* feature_map_random() - fails as projection_init() does */
int feature_map_random(struct feature_map *map, const struct projection_options *options,
		       struct error *err);

/* feature_map_pca() - fails as pca_fit() does; n_columns may be less than options->n_components */
int feature_map_pca(struct feature_map *map, const struct csr *x, const struct pca_options *options,
		    struct error *err);

/* feature_map_fourier() - fails as fourier_init() does */
int feature_map_fourier(struct feature_map *map, const struct fourier_options *options,
			struct error *err);

/*
 * feature_map_nystrom() - the map of these landmarks; fails as nystrom_fit() does
 *
 * It has fewer columns than landmarks where their kernel matrix is singular.
 */
int feature_map_nystrom(struct feature_map *map, struct csr *landmarks, const struct kernel *kernel,
			int n_threads, struct error *err);

/* feature_map_tensor() - fails as tensor_sketch_init() does; 'n_features' is only kept */
int feature_map_tensor(struct feature_map *map, const struct tensor_options *options,
		       int64_t n_features, struct error *err);

void feature_map_free(struct feature_map *map);

/* feature_map_is_linear() - is z linear in x?  If not, the map has no rows. */
bool feature_map_is_linear(const struct feature_map *map);

/* feature_map_is_single() - are its values rounded to single precision? */
bool feature_map_is_single(const struct feature_map *map);

/* feature_map_kernel() - the kernel of a kernel map */
enum map_kernel feature_map_kernel(const struct feature_map *map);

/* feature_map_svm_kernel() - the kernel of a kernel map, unless that is of rff, as LIBSVM's */
const struct kernel *feature_map_svm_kernel(const struct feature_map *map);

/* feature_map_seed() - seed of its random numbers; 0 for maps of data, which do not keep it */
uint64_t feature_map_seed(const struct feature_map *map);

/* feature_map_last_feature() - highest feature that rows may have, the least being 1; 0: any */
int64_t feature_map_last_feature(const struct feature_map *map);

/*
 * feature_map_apply() - out = the rows, mapped
 *
 * As projection_apply(), fourier_apply(), nystrom_apply(), tensor_sketch_apply(), or pca_apply(),
 * which has no use for 'room'.
 */
int feature_map_apply(const struct feature_map *map, struct row_range rows, struct row_batch *out,
		      struct map_room *room, struct error *err);

/*
 * feature_map_linear() - the map with rows for features 0 .. n_features; borrows 'map'
 *
 * For pca, features that did not occur have a row without entries.
 */
struct linear_map feature_map_linear(const struct feature_map *map, int64_t n_features);

/*
 * feature_map_save() - write the map to 'output', which stays open; feature_map_read() - read it: an
 * input_reader of a struct feature_map
 *
 * A short text of the numbers that make the map; for pca the components too, as exact decimals.
 * See mapfile.h for the format and its errors.  Options that no map can have fail with ERR_FORMAT.
 * On failure '*map' is empty.
 */
int feature_map_save(const struct feature_map *map, struct output *output, struct error *err);
int feature_map_read(void *map, struct input *from, struct error *err);

/* Chance that the error of some pair exceeds the bound of random Fourier features. */
#define KERNEL_ERRORS_DELTA 0.05

/* Errors |K(x, y) - z(x).z(y)| over pairs of rows. */
struct kernel_errors {
	int64_t n_pairs;
	double mean, largest; /* mean and largest of the errors */
	/*
	 * bound of the largest: of random Fourier features sqrt(4 ln(2 n_pairs / delta) / k), by
	 * (1) of fourier.h for each pair, which has k^2 / (k + 1) for an odd k, so that it holds
	 * with a chance of 1 - delta over the seeds if frequencies are independent; of Nystrom's
	 * map the largest sqrt(d(x) d(y)), which always holds up to rounding; of sketches of
	 * tensor powers that of the standard deviation over the seeds, by (2) of tensor_sketch.h
	 * for the pair where it is largest
	 */
	double bound;
};

/*
 * kernel_errors_find() - the errors of n_pairs random pairs of rows, for a kernel map
 *
 * 'x' has the rows, 'z' the same rows mapped.  Both rows of pair p come from the draw (seed,
 * RNG_CERTIFIED_PAIR, p, 0): they differ unless there is one row alone.  Pairs may occur twice.
 * O(n_pairs (k + entries of a row)).  Fails with ERR_ARGUMENT if there is no row.
 */
int kernel_errors_find(struct kernel_errors *e, const struct feature_map *map, const struct csr *x,
		       const struct csr *z, uint64_t seed, int64_t n_pairs, struct error *err);

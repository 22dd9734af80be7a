/*
 * feature_map_file.c - the file that a map is kept in
 *
 * How this works.  Test data must be mapped as training data were, so the map of a training is kept
 * in a file.  Of a random map the file needs the options and the seed alone, a dozen numbers
 * whatever the size of R: entries are made again from them.  They include what was a default,
 * sqrt(d) for li or d' for fht, since defaults made from the test data might differ.  Components
 * were computed from data, and are all in the file, a line for each feature that occurred:
 *
 *     method pca                        one key a line (mapfile.h), those that the method has
 *     columns 2 ...
 *     17.4 3.25                         singular values
 *     5 0.5 0.71 -0.02                  feature, mean, its entries in the components
 *     ...
 *
 * One table of keys writes and reads the header; a struct map_record has a field for each of them.
 * The numbers of a file are not believed: the options go through projection_init() as those of a
 * command line do, and arrays grow with the lines that are there.
 *
 * Which keys a method has (each is a function `applies` of the table):
 *
 *      method           keys besides method, columns, features          lines of data
 *      pca              occurring                                       1 + occurring
 *      rff              seed, precision, kernel, gamma, frequencies     none
 *      nystrom          kernel, gamma, degree, coef0                    columns
 *      tensorsketch     seed, precision, kernel, gamma, degree, coef0   none
 *      linear ones      seed, precision; and for                        none
 *        fht            replacement
 *        li             sparsity
 *        cw             blocks, copies, width
 *        osnap          copies, width
 *
 * Saving and loading both go through struct map_record: feature_map_save() fills it from a map, and
 * feature_map_load() makes the map from it.  The components of a pca are not copied; the record
 * borrows the struct pca, which read_line() fills line by line.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <string.h>

#include "base/mem.h"
#include "io/mapfile.h"
#include "project/feature_map.h"
#include "project/nystrom.h"

/* The values of a file's keys, and the components that are its other lines. */
struct map_record {
	/* numbers of the chosen names */
	int method, replacement, precision, kernel, frequencies;
	uint64_t seed;
	int64_t n_columns, n_features, q, a, v, n_occurring, degree;
	double sparsity, gamma, coef0;
	struct pca *pca;						/* borrowed */
	int64_t features_capacity, means_capacity, components_capacity; /* room in 'pca' */
	struct nystrom *nystrom;					/* borrowed */
	int64_t inverse_capacity;					/* room in 'nystrom' */
};

/* ---- lines of landmarks ---- */

/*
 * Append the line of landmark i, as exact decimals: its row of L^-1, then its entries as pairs of index
 * and value.
 */
static int write_landmark(const struct nystrom *n, int64_t i, struct byte_buffer *text,
			  struct error *err)
{
	const struct csr_row x = csr_row_of(&n->landmarks, i);

	if (mapfile_put_reals(text, nystrom_row(n, i), i + 1, err) < 0)
		return -1;
	for (int64_t k = 0; k < x.n; k++) {
		const double pair[2] = { x.col[k], x.val[k] };

		if (byte_buffer_append(text, " ", 1, err) < 0 ||
		    mapfile_put_reals(text, pair, 2, err) < 0)
			return -1;
	}
	return 0;
}

static int64_t count_numbers(const char *text, const char *end)
{
	int64_t n = 1;

	for (; text < end; text++)
		n += *text == ' ';
	return n;
}

/* Append the landmark whose pairs of index and value are pair[0 .. 2 n - 1]. */
static int append_landmark(struct nystrom *to, const double *pair, int64_t n, int64_t n_features,
			   struct error *err)
{
	const int64_t start[2] = { 0, n };
	int32_t *col = mem_array(n, sizeof(*col), err);
	double *val = mem_array(n, sizeof(*val), err);
	int ret = col && val ? 0 : -1;

	for (int64_t k = 0; ret == 0 && k < n; k++) {
		double index = pair[2 * k], least = k == 0 ? 0 : (double)col[k - 1] + 1;

		/* the bounds come first: the conversion to 32 bits is undefined beyond them */
		if (!(index >= least && index <= (double)n_features) ||
		    index != (double)(int32_t)index)
			ret = error_set(err, ERR_FORMAT, "features must ascend, to %lld at most",
					(long long)n_features);
		else
			col[k] = (int32_t)index;
		val[k] = pair[2 * k + 1];
	}
	if (ret == 0)
		ret = csr_append(&to->landmarks, 1, start, col, val, err);
	mem_free_all(col, val);
	return ret;
}

/*
 * The next landmark, from the line [text, end); '*capacity', 0 at first, is that of n->inverse.  The
 * numbers of a line are counted by the blanks between them, so that no memory is asked for that the
 * bytes of the line do not fill.
 */
static int read_landmark(struct nystrom *n, int64_t *capacity, int64_t n_features, const char *text,
			 const char *end, struct error *err)
{
	const int64_t i = n->landmarks.n_rows, own = i + 1, count = count_numbers(text, end);
	double *line;
	int ret = -1;

	if (count < own || (count - own) % 2 != 0)
		return error_set(err, ERR_FORMAT,
				 "expected %lld numbers, then pairs of an index and a value",
				 (long long)own);
	line = mem_array(count, sizeof(*line), err);
	if (line && mapfile_get_reals(line, count, text, end, err) == 0 &&
	    mem_grow(&n->inverse, capacity, own * (own + 1) / 2, sizeof(*n->inverse), err) == 0) {
		memcpy(nystrom_row(n, i), line, (size_t)own * sizeof(*line));
		ret = append_landmark(n, line + own, (count - own) / 2, n_features, err);
	}
	mem_free(line);
	return ret;
}

/* ---- keys ---- */

static const char *const replacement_names[] = { "no", "yes", NULL };
static const char *const precision_names[] = { "double", "single", NULL };
static const char *const frequency_names[] = { "independent", "orthogonal", NULL };

/* Which methods have a key: mapfile.h asks these for each of 'keys', method having been read. */
static bool is_pca(const void *record)
{
	return ((const struct map_record *)record)->method == FEATURE_MAP_PCA;
}

static bool is_nystrom(const void *record)
{
	return ((const struct map_record *)record)->method == FEATURE_MAP_NYSTROM;
}

static bool is_random(const void *record)
{
	return !is_pca(record) && !is_nystrom(record);
}

static bool is_rff(const void *record)
{
	return ((const struct map_record *)record)->method == FEATURE_MAP_RFF;
}

static bool is_tensor(const void *record)
{
	return ((const struct map_record *)record)->method == FEATURE_MAP_TENSORSKETCH;
}

static bool has_kernel(const void *record)
{
	return is_rff(record) || is_nystrom(record) || is_tensor(record);
}

static bool is_polynomial(const void *record)
{
	return (is_nystrom(record) || is_tensor(record)) &&
	       ((const struct map_record *)record)->kernel == MAP_KERNEL_POLYNOMIAL;
}

static bool is_fht(const void *record)
{
	return ((const struct map_record *)record)->method == PROJECT_FHT;
}

static bool is_li(const void *record)
{
	return ((const struct map_record *)record)->method == PROJECT_LI;
}

static bool is_cw(const void *record)
{
	return ((const struct map_record *)record)->method == PROJECT_CW;
}

static bool has_copies(const void *record)
{
	return is_cw(record) || ((const struct map_record *)record)->method == PROJECT_OSNAP;
}

static const struct mapfile_key keys[] = {
	{ MAPFILE_CHOICE("method", struct map_record, method, projection_names) },
	{ MAPFILE_INTEGER("columns", struct map_record, n_columns, 1, INT32_MAX) },
	{ MAPFILE_INTEGER("features", struct map_record, n_features, 0, INT32_MAX) },
	{ MAPFILE_NATURAL("seed", struct map_record, seed), .applies = is_random },
	{ MAPFILE_CHOICE("precision", struct map_record, precision, precision_names),
	  .applies = is_random },
	{ MAPFILE_INTEGER("blocks", struct map_record, q, 1, INT32_MAX), .applies = is_cw },
	{ MAPFILE_INTEGER("copies", struct map_record, a, 1, INT32_MAX), .applies = has_copies },
	{ MAPFILE_INTEGER("width", struct map_record, v, 1, INT32_MAX), .applies = has_copies },
	{ MAPFILE_REAL("sparsity", struct map_record, sparsity, 1, PROJECTION_MAX_SPARSITY),
	  .applies = is_li },
	{ MAPFILE_CHOICE("replacement", struct map_record, replacement, replacement_names),
	  .applies = is_fht },
	{ MAPFILE_CHOICE("kernel", struct map_record, kernel, map_kernel_names),
	  .applies = has_kernel },
	{ MAPFILE_REAL("gamma", struct map_record, gamma, 0, DBL_MAX), .applies = has_kernel },
	{ MAPFILE_INTEGER("degree", struct map_record, degree, 1, INT32_MAX),
	  .applies = is_polynomial },
	{ MAPFILE_REAL("coef0", struct map_record, coef0, 0, DBL_MAX), .applies = is_polynomial },
	{ MAPFILE_CHOICE("frequencies", struct map_record, frequencies, frequency_names),
	  .applies = is_rff },
	{ MAPFILE_INTEGER("occurring", struct map_record, n_occurring, 0, INT32_MAX),
	  .applies = is_pca },
	{ 0 }
};

/*
 * Lines after the keys: singular values, then one for each feature that occurred; one for each
 * landmark; or none
 */
static int64_t count_lines(const void *record)
{
	const struct map_record *r = record;

	return is_pca(r) ? 1 + r->n_occurring : is_nystrom(r) ? r->n_columns : 0;
}

/*
 * Line 0: singular values; line i: feature i - 1, its mean and its entries.  Exact decimals.  Or a
 * landmark.
 */
static int write_line(const void *record, int64_t i, struct byte_buffer *text, struct error *err)
{
	const struct map_record *r = record;
	const struct pca *p = r->pca;
	double head[2];

	if (is_nystrom(r))
		return write_landmark(r->nystrom, i, text, err);

	if (i == 0)
		return mapfile_put_reals(text, p->singular_value, p->n_components, err);
	head[0] = p->feature[i - 1];
	head[1] = p->mean[i - 1];
	if (mapfile_put_reals(text, head, 2, err) < 0 || byte_buffer_append(text, " ", 1, err) < 0)
		return -1;
	return mapfile_put_reals(text, p->component + (i - 1) * p->n_components, p->n_components,
				 err);
}

/*
 * Are there bytes for n numbers, a digit and a blank each?  Else a key that promises 2^31 numbers
 * would have memory allocated for them by a line of one.
 */
static int check_length(int64_t n, const char *text, const char *end, struct error *err)
{
	if (n <= (end - text + 1) / 2)
		return 0;
	return error_set(err, ERR_FORMAT, "expected %lld numbers", (long long)n);
}

/* Line 0, which also says that there are as many components as the key 'columns' promises. */
static int read_singular_values(struct map_record *r, const char *text, const char *end,
				struct error *err)
{
	struct pca *p = r->pca;

	p->n_components = r->n_columns;
	if (check_length(p->n_components, text, end, err) < 0)
		return -1;
	p->singular_value = mem_array(p->n_components, sizeof(*p->singular_value), err);
	if (!p->singular_value)
		return -1;
	return mapfile_get_reals(p->singular_value, p->n_components, text, end, err);
}

/* The arrays of the components get room for one feature more. */
static int grow(struct map_record *r, struct error *err)
{
	struct pca *p = r->pca;
	int64_t n = p->n_features + 1;

	if (mem_grow(&p->feature, &r->features_capacity, n, sizeof(*p->feature), err) < 0 ||
	    mem_grow(&p->mean, &r->means_capacity, n, sizeof(*p->mean), err) < 0)
		return -1;
	return mem_grow(&p->component, &r->components_capacity, n * p->n_components,
			sizeof(*p->component), err);
}

/* The line of a feature; 'line' has room for its numbers. */
static int read_feature(struct map_record *r, double *line, const char *text, const char *end,
			struct error *err)
{
	struct pca *p = r->pca;
	int64_t j = p->n_features, least = j == 0 ? 0 : p->feature[j - 1] + (int64_t)1;

	if (mapfile_get_reals(line, 2 + p->n_components, text, end, err) < 0)
		return -1;
	/* the bounds come first: the conversion to 32 bits is undefined beyond them */
	if (!(line[0] >= (double)least && line[0] <= (double)r->n_features) ||
	    line[0] != (double)(int32_t)line[0])
		return error_set(err, ERR_FORMAT, "features must ascend, to %lld at most",
				 (long long)r->n_features);
	if (grow(r, err) < 0)
		return -1;
	p->feature[j] = (int32_t)line[0];
	p->mean[j] = line[1];
	memcpy(p->component + j * p->n_components, line + 2,
	       (size_t)p->n_components * sizeof(*line));
	/* last: pca_free() and the next line see a feature only with all its numbers */
	p->n_features++;
	return 0;
}

/* Reads one line after the keys, in the form write_line() writes. */
static int read_line(void *record, int64_t i, const char *text, const char *end, struct error *err)
{
	struct map_record *r = record;
	double *line;
	int ret;

	if (is_nystrom(r))
		return read_landmark(r->nystrom, &r->inverse_capacity, r->n_features, text, end,
				     err);
	if (i == 0)
		return read_singular_values(r, text, end, err);
	if (check_length(2 + r->n_columns, text, end, err) < 0)
		return -1;
	line = mem_array(2 + r->n_columns, sizeof(*line), err);
	ret = line ? read_feature(r, line, text, end, err) : -1;
	mem_free(line);
	return ret;
}

static const struct mapfile_form form = {
	"projection", 1, keys, count_lines, write_line, read_line
};

int feature_map_save(const struct feature_map *map, struct output *output, struct error *err)
{
	const struct projection_options *o = &map->projection.options;
	const struct fourier_options *f = &map->fourier.options;
	const struct kernel *k = feature_map_svm_kernel(map);
	struct nystrom nystrom = map->nystrom;
	struct pca pca = map->pca;
	struct map_record r = {
		.method = map->method,
		.n_columns = map->n_columns,
		.n_features = map->n_features,
		.seed = feature_map_seed(map),
		.precision = feature_map_is_single(map),
		.q = o->q,
		.a = o->a,
		.v = o->v,
		.sparsity = o->sparsity,
		.replacement = o->with_replacement,
		.kernel = (int)feature_map_kernel(map),
		.gamma = map->method == FEATURE_MAP_RFF ? f->gamma : k->gamma,
		.degree = k->degree,
		.coef0 = k->coef0,
		.nystrom = &nystrom,
		.frequencies = f->orthogonal,
		.n_occurring = pca.n_features,
		.pca = &pca,
	};

	return mapfile_write(&form, &r, output, err);
}

static int linear_from_record(struct feature_map *map, const struct map_record *r,
			      struct error *err)
{
	const struct projection_options options = {
		.method = (enum projection_method)r->method,
		.seed = r->seed,
		.n_columns = r->n_columns,
		.n_features = r->n_features,
		.q = r->q,
		.a = r->a,
		.v = r->v,
		.sparsity = r->sparsity,
		.with_replacement = r->replacement,
		.single = r->precision,
	};

	return feature_map_random(map, &options, err);
}

static int fourier_from_record(struct feature_map *map, const struct map_record *r,
			       struct error *err)
{
	const struct fourier_options options = {
		.kernel = (enum fourier_kernel)r->kernel,
		.gamma = r->gamma,
		.seed = r->seed,
		.n_columns = r->n_columns,
		.n_features = r->n_features,
		.orthogonal = r->frequencies,
		.single = r->precision,
	};

	return feature_map_fourier(map, &options, err);
}

static struct kernel kernel_of_record(const struct map_record *r)
{
	return (struct kernel){ .type = r->kernel == MAP_KERNEL_RBF ? KERNEL_RBF :
								      KERNEL_POLYNOMIAL,
				.degree = (int)r->degree,
				.gamma = r->gamma,
				.coef0 = r->coef0 };
}

static int tensor_from_record(struct feature_map *map, const struct map_record *r,
			      struct error *err)
{
	const struct tensor_options options = { .kernel = kernel_of_record(r),
						.seed = r->seed,
						.n_columns = r->n_columns,
						.single = r->precision };

	if (r->kernel != MAP_KERNEL_POLYNOMIAL)
		return error_set(err, ERR_ARGUMENT, "tensorsketch has no kernel %s",
				 map_kernel_names[r->kernel]);
	return feature_map_tensor(map, &options, r->n_features, err);
}

/*
 * Whatever is said against the options of a file is the file's fault.  Methods that keep the
 * features have names, but no such file.
 */
static int random_from_record(struct feature_map *map, const struct map_record *r, const char *path,
			      struct error *err)
{
	struct error reason = { 0 };
	int ret;

	if (r->method >= ROW_MAP_SCALE)
		return error_set(err, ERR_FORMAT, "%s: no map file has the method %s", path,
				 projection_names[r->method]);
	ret = is_rff(r)	   ? fourier_from_record(map, r, &reason) :
	      is_tensor(r) ? tensor_from_record(map, r, &reason) :
			     linear_from_record(map, r, &reason);
	if (ret == 0)
		return 0;
	return error_set(err, reason.code == ERR_MEMORY ? ERR_MEMORY : ERR_FORMAT, "%s: %s", path,
			 reason.text);
}

/* The map whose landmarks were read line by line. */
static int nystrom_from_record(struct feature_map *map, const struct map_record *r,
			       struct error *err)
{
	if (r->kernel == MAP_KERNEL_LAPLACE)
		return error_set(err, ERR_FORMAT, "nystrom has no kernel laplace");
	map->nystrom.kernel = kernel_of_record(r);
	map->nystrom.n_columns = r->n_columns;
	return nystrom_prepare(&map->nystrom, err);
}

/* The map of components or landmarks, which were read into it. */
static int fitted_from_record(struct feature_map *map, const struct map_record *r,
			      struct error *err)
{
	map->method = r->method;
	map->n_columns = r->n_columns;
	map->n_features = r->n_features;
	return is_pca(r) ? pca_prepare(&map->pca, err) : nystrom_from_record(map, r, err);
}

int feature_map_load(struct feature_map *map, const char *path, struct error *err)
{
	struct map_record r = { .pca = &map->pca, .nystrom = &map->nystrom };
	int ret;

	*map = (struct feature_map){ 0 };
	/* arrays of the map are made on the way; feature_map_free() releases them on failure */
	ret = mapfile_read(&form, &r, path, err);
	if (ret == 0)
		ret = is_random(&r) ? random_from_record(map, &r, path, err) :
				      fitted_from_record(map, &r, err);
	if (ret < 0)
		feature_map_free(map);
	return ret;
}

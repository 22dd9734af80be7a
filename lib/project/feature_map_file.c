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
 * One table of keys writes and reads the header; a struct record has a field for each of them.
 * The numbers of a file are not believed: the options go through projection_init() as those of a
 * command line do, and arrays grow with the lines that are there.
 *
 * Which keys a method has (`kinds` of the table):
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
 * Saving and loading both go through struct record: feature_map_save() fills it from a map, and
 * feature_map_read() makes the map from it.  Components and landmarks are not copied; the record
 * borrows the map, which read_line() fills line by line.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "io/mapfile.h"
#include "project/feature_map.h"

/* The values of a file's keys, and the map whose components or landmarks are its other lines. */
struct record {
	/* numbers of the chosen names */
	int method, replacement, precision, kernel, frequencies;
	/* options of a random map; of any map its columns, features and seed */
	struct projection_options random;
	int64_t n_occurring, degree;
	double gamma, coef0;
	struct feature_map *map; /* borrowed */
	/* room in the arrays of map->pca, and in map->nystrom.inverse */
	int64_t features_capacity, means_capacity, components_capacity, inverse_capacity;
};

/* ---- keys ---- */

static const char *const replacement_names[] = { "no", "yes", NULL };
static const char *const precision_names[] = { "double", "single", NULL };
static const char *const frequency_names[] = { "independent", "orthogonal", NULL };

/* Kinds of records: a bit for each method, and one more for a polynomial kernel. */
enum {
	FHT = 1 << PROJECT_FHT,
	LI = 1 << PROJECT_LI,
	CW = 1 << PROJECT_CW,
	OSNAP = 1 << PROJECT_OSNAP,
	PCA = 1 << FEATURE_MAP_PCA,
	RFF = 1 << FEATURE_MAP_RFF,
	NYSTROM = 1 << FEATURE_MAP_NYSTROM,
	TENSOR = 1 << FEATURE_MAP_TENSORSKETCH,
	POLYNOMIAL = 1 << (ROW_MAP_NONE + 1),
	RANDOM = (POLYNOMIAL - 1) & ~(PCA | NYSTROM)
};

static unsigned kind_of(const void *record)
{
	const struct record *r = record;
	const unsigned method = 1U << r->method;
	const bool polynomial = r->kernel == MAP_KERNEL_POLYNOMIAL && method & (NYSTROM | TENSOR);

	return polynomial ? method | POLYNOMIAL : method;
}

static const struct mapfile_key keys[] = {
	{ MAPFILE_CHOICE("method", struct record, method, projection_names) },
	{ MAPFILE_INTEGER("columns", struct record, random.n_columns, 1, INT32_MAX) },
	{ MAPFILE_INTEGER("features", struct record, random.n_features, 0, INT32_MAX) },
	{ MAPFILE_NATURAL("seed", struct record, random.seed), .kinds = RANDOM },
	{ MAPFILE_CHOICE("precision", struct record, precision, precision_names), .kinds = RANDOM },
	{ MAPFILE_INTEGER("blocks", struct record, random.q, 1, INT32_MAX), .kinds = CW },
	{ MAPFILE_INTEGER("copies", struct record, random.a, 1, INT32_MAX), .kinds = CW | OSNAP },
	{ MAPFILE_INTEGER("width", struct record, random.v, 1, INT32_MAX), .kinds = CW | OSNAP },
	{ MAPFILE_REAL("sparsity", struct record, random.sparsity, 1, PROJECTION_MAX_SPARSITY),
	  .kinds = LI },
	{ MAPFILE_CHOICE("replacement", struct record, replacement, replacement_names),
	  .kinds = FHT },
	{ MAPFILE_CHOICE("kernel", struct record, kernel, map_kernel_names),
	  .kinds = RFF | NYSTROM | TENSOR },
	{ MAPFILE_REAL("gamma", struct record, gamma, 0, DBL_MAX),
	  .kinds = RFF | NYSTROM | TENSOR },
	{ MAPFILE_INTEGER("degree", struct record, degree, 1, INT32_MAX), .kinds = POLYNOMIAL },
	{ MAPFILE_REAL("coef0", struct record, coef0, 0, DBL_MAX), .kinds = POLYNOMIAL },
	{ MAPFILE_CHOICE("frequencies", struct record, frequencies, frequency_names),
	  .kinds = RFF },
	{ MAPFILE_INTEGER("occurring", struct record, n_occurring, 0, INT32_MAX), .kinds = PCA },
	{ 0 }
};

/* ---- lines of components and landmarks ---- */

/*
 * Lines after the keys: singular values, then one for each feature that occurred; one for each
 * landmark; or none
 */
static int64_t count_lines(const void *record)
{
	const struct record *r = record;

	return r->method == FEATURE_MAP_PCA	? 1 + r->n_occurring :
	       r->method == FEATURE_MAP_NYSTROM ? r->random.n_columns :
						  0;
}

/* The line of landmark i: its row of L^-1, then its entries as pairs of index and value. */
static int write_landmark(const struct nystrom *n, int64_t i, struct byte_buffer *text,
			  struct error *err)
{
	const struct csr_row x = csr_row_of(&n->landmarks, i);

	if (mapfile_put_reals(text, nystrom_row(n, i), i + 1, err) < 0)
		return -1;
	for (int64_t k = 0; k < x.n; k++)
		if (mapfile_put_reals(text, (double[]){ x.col[k], x.val[k] }, 2, err) < 0)
			return -1;
	return 0;
}

/*
 * Line 0: singular values; line i: feature i - 1, its mean and its entries.  Exact decimals.  Or a
 * landmark.
 */
static int write_line(const void *record, int64_t i, struct byte_buffer *text, struct error *err)
{
	const struct record *r = record;
	const struct pca *p = &r->map->pca;

	if (r->method == FEATURE_MAP_NYSTROM)
		return write_landmark(&r->map->nystrom, i, text, err);
	if (i == 0)
		return mapfile_put_reals(text, p->singular_value, p->n_components, err);
	if (mapfile_put_reals(text, (double[]){ p->feature[i - 1], p->mean[i - 1] }, 2, err) < 0)
		return -1;
	return mapfile_put_reals(text, p->component + (i - 1) * p->n_components, p->n_components,
				 err);
}

/*
 * The n numbers that a line must be, for the caller to free
 *
 * Each takes a digit and a blank at least: no memory is asked for that the bytes of the line do not
 * fill, whatever the keys promise.
 */
static double *read_numbers(int64_t n, const char *text, const char *end, struct error *err)
{
	double *x;

	if (n > (end - text + 1) / 2) {
		error_set(err, ERR_FORMAT, "expected %lld numbers", (long long)n);
		return NULL;
	}
	x = mem_array(n, sizeof(*x), err);
	if (!x || mapfile_get_reals(x, n, text, end, err) == 0)
		return x;
	mem_free(x);
	return NULL;
}

/* The number x of a file as a feature, which is above the one before; -1 if it is none. */
static int32_t feature_of(double x, int32_t before, int64_t last, struct error *err)
{
	/* the bounds come first: the conversion to 32 bits is undefined beyond them */
	if (x > before && x <= (double)last && x == (double)(int32_t)x)
		return (int32_t)x;
	return error_set(err, ERR_FORMAT, "features must ascend, to %lld at most", (long long)last);
}

/* Append the landmark whose pairs of index and value are pair[0 .. 2 n - 1]. */
static int append_landmark(struct record *r, const double *pair, int64_t n, struct error *err)
{
	int32_t *col = mem_array(n, sizeof(*col), err);
	double *val = mem_array(n, sizeof(*val), err);
	int ret = col && val ? 0 : -1;

	for (int64_t k = 0; ret == 0 && k < n; k++) {
		col[k] =
			feature_of(pair[2 * k], k > 0 ? col[k - 1] : -1, r->random.n_features, err);
		val[k] = pair[2 * k + 1];
		ret = col[k] < 0 ? -1 : 0;
	}
	if (ret == 0)
		ret = csr_append_row(&r->map->nystrom.landmarks, (struct csr_row){ n, col, val },
				     err);
	mem_free_all(col, val);
	return ret;
}

/* The next landmark; the numbers of its line are counted by the blanks between them. */
static int read_landmark(struct record *r, const char *text, const char *end, struct error *err)
{
	struct nystrom *n = &r->map->nystrom;
	const int64_t i = n->landmarks.n_rows, own = i + 1;
	int64_t count = 1;
	double *line;
	int ret = -1;

	for (const char *p = text; p < end; p++)
		count += *p == ' ';
	if (count < own || (count - own) % 2 != 0)
		return error_set(err, ERR_FORMAT,
				 "expected %lld numbers, then pairs of an index and a value",
				 (long long)own);
	line = read_numbers(count, text, end, err);
	if (line && mem_grow(&n->inverse, &r->inverse_capacity, own * (own + 1) / 2,
			     sizeof(*n->inverse), err) == 0) {
		memcpy(nystrom_row(n, i), line, (size_t)own * sizeof(*line));
		ret = append_landmark(r, line + own, (count - own) / 2, err);
	}
	mem_free(line);
	return ret;
}

/* Append the feature whose numbers 'line' has. */
static int append_feature(struct record *r, const double *line, struct error *err)
{
	struct pca *p = &r->map->pca;
	const int64_t j = p->n_features, k = p->n_components;
	const int32_t feature =
		feature_of(line[0], j > 0 ? p->feature[j - 1] : -1, r->random.n_features, err);

	if (feature < 0 ||
	    mem_grow(&p->feature, &r->features_capacity, j + 1, sizeof(*p->feature), err) < 0 ||
	    mem_grow(&p->mean, &r->means_capacity, j + 1, sizeof(*p->mean), err) < 0 ||
	    mem_grow(&p->component, &r->components_capacity, (j + 1) * k, sizeof(*p->component),
		     err) < 0)
		return -1;
	p->feature[j] = feature;
	p->mean[j] = line[1];
	memcpy(p->component + j * k, line + 2, (size_t)k * sizeof(*line));
	/* last: pca_free() and the next line see a feature only with all its numbers */
	p->n_features++;
	return 0;
}

/*
 * Reads one line after the keys, in the form write_line() writes.  Line 0 also says that there are
 * as many components as the key 'columns' promises.
 */
static int read_line(void *record, int64_t i, const char *text, const char *end, struct error *err)
{
	struct record *r = record;
	struct pca *p = &r->map->pca;
	double *line;
	int ret;

	if (r->method == FEATURE_MAP_NYSTROM)
		return read_landmark(r, text, end, err);
	p->n_components = r->random.n_columns;
	line = read_numbers(r->random.n_columns + (i == 0 ? 0 : 2), text, end, err);
	if (i == 0) {
		p->singular_value = line;
		return line ? 0 : -1;
	}
	ret = line ? append_feature(r, line, err) : -1;
	mem_free(line);
	return ret;
}

static const struct mapfile_form form = { "projection", 1,	   keys,   count_lines,
					  write_line,	read_line, kind_of };

/* ---- maps ---- */

int feature_map_save(const struct feature_map *map, struct output *output, struct error *err)
{
	const struct projection_options *o = &map->projection.options;
	const struct fourier_options *f = &map->fourier.options;
	const struct kernel *k = feature_map_svm_kernel(map);
	/* a record points to a map that it could change, but writing changes no map */
	struct feature_map borrowed = *map;
	struct record r = {
		.method = map->method,
		.precision = feature_map_is_single(map),
		.random = *o,
		.replacement = o->with_replacement,
		.kernel = (int)feature_map_kernel(map),
		.gamma = map->method == FEATURE_MAP_RFF ? f->gamma : k->gamma,
		.degree = k->degree,
		.coef0 = k->coef0,
		.frequencies = f->orthogonal,
		.n_occurring = map->pca.n_features,
		.map = &borrowed,
	};

	r.random.n_columns = map->n_columns;
	r.random.n_features = map->n_features;
	r.random.seed = feature_map_seed(map);
	return mapfile_write(&form, &r, NULL, output, err);
}

static struct kernel kernel_of_record(const struct record *r)
{
	return (struct kernel){ .type = r->kernel == MAP_KERNEL_RBF ? KERNEL_RBF :
								      KERNEL_POLYNOMIAL,
				.degree = (int)r->degree,
				.gamma = r->gamma,
				.coef0 = r->coef0 };
}

/* The map of these options, as of a command line.  Methods that keep the features have no file. */
static int draw_map(const struct record *r, struct error *err)
{
	struct projection_options linear = r->random;
	const struct fourier_options fourier = {
		.kernel = (enum map_kernel)r->kernel,
		.gamma = r->gamma,
		.seed = r->random.seed,
		.n_columns = r->random.n_columns,
		.n_features = r->random.n_features,
		.orthogonal = r->frequencies,
		.single = r->precision,
	};
	const struct tensor_options tensor = { .kernel = kernel_of_record(r),
					       .seed = r->random.seed,
					       .n_columns = r->random.n_columns,
					       .single = r->precision };

	if (r->method >= ROW_MAP_SCALE)
		return error_set(err, ERR_FORMAT, "no map file has the method %s",
				 projection_names[r->method]);
	linear.method = (enum projection_method)r->method;
	linear.with_replacement = r->replacement;
	linear.single = r->precision;
	if (r->method == FEATURE_MAP_RFF)
		return feature_map_fourier(r->map, &fourier, err);
	if (r->method < FEATURE_MAP_PCA)
		return feature_map_random(r->map, &linear, err);
	if (r->kernel != MAP_KERNEL_POLYNOMIAL)
		return error_set(err, ERR_ARGUMENT, "tensorsketch has no kernel %s",
				 map_kernel_names[r->kernel]);
	return feature_map_tensor(r->map, &tensor, r->random.n_features, err);
}

/* The map of components or landmarks, which were read into it. */
static int prepare_map(const struct record *r, struct error *err)
{
	struct feature_map *map = r->map;

	map->method = r->method;
	map->n_columns = r->random.n_columns;
	map->n_features = r->random.n_features;
	if (r->method == FEATURE_MAP_PCA)
		return pca_prepare(&map->pca, err);
	if (r->kernel == MAP_KERNEL_LAPLACE)
		return error_set(err, ERR_FORMAT, "nystrom has no kernel laplace");
	map->nystrom.kernel = kernel_of_record(r);
	map->nystrom.n_columns = r->random.n_columns;
	return nystrom_prepare(&map->nystrom, err);
}

int feature_map_read(void *to, struct input *from, struct error *err)
{
	struct feature_map *map = to;
	struct record r = { .map = map };
	struct error reason = { 0 };
	int ret;

	*map = (struct feature_map){ 0 };
	/* arrays of the map are made on the way; feature_map_free() releases them on failure */
	ret = mapfile_read(&form, &r, from, err);
	if (ret == 0 && !(kind_of(&r) & RANDOM))
		ret = prepare_map(&r, err);
	else if (ret == 0 && draw_map(&r, &reason) < 0)
		/* whatever is said against the options of a file is the file's fault */
		ret = error_set(err, reason.code == ERR_MEMORY ? ERR_MEMORY : ERR_FORMAT, "%s: %s",
				input_name(from), reason.text);
	if (ret < 0)
		feature_map_free(map);
	return ret;
}

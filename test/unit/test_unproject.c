/*
 * test_unproject.c - feature maps, their files, and models pulled back through them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "failing.h"
#include "io/output.h"
#include "matrix/dataset.h"
#include "model/predict.h"
#include "model/unproject.h"
#include "project/feature_map.h"
#include "random.h"
#include "select/selection_map.h"
#include "unit.h"

enum { ROWS = 40, FEATURES = 30, COLUMNS = 12, CLASSES = 4 };

/* z = x R - offset for all rows, from the rows of R. */
static void map_plainly(const struct feature_map *map, const struct csr *x, double *z)
{
	const struct linear_map linear = feature_map_linear(map, FEATURES);
	struct linear_map_row row = { .column = malloc((size_t)map->n_columns * sizeof(int32_t)),
				      .value = malloc((size_t)map->n_columns * sizeof(double)) };

	for (int64_t i = 0; i < x->n_rows; i++) {
		double *to = z + i * map->n_columns;

		for (int64_t t = 0; t < map->n_columns; t++)
			to[t] = linear.offset ? -linear.offset[t] : 0;
		for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++) {
			linear.row(linear.map, x->col[k], &row);
			for (int64_t e = 0; e < row.n; e++)
				to[row.column[e] - 1] += x->val[k] * row.value[e];
		}
	}
	free(row.column);
	free(row.value);
}

static double largest_difference(const double *a, const struct row_batch *b, int64_t n_columns)
{
	double worst = 0, *row = calloc((size_t)n_columns, sizeof(*row));

	for (int64_t i = 0; i < b->n_rows; i++) {
		memset(row, 0, (size_t)n_columns * sizeof(*row));
		for (int64_t k = b->row_start[i]; k < b->row_start[i + 1]; k++)
			row[b->index[k] - 1] = b->value[k];
		for (int64_t t = 0; t < n_columns; t++)
			worst = fmax(worst, fabs(row[t] - a[i * n_columns + t]));
	}
	free(row);
	return worst;
}

static void make_map(struct feature_map *map, int method, const struct csr *x)
{
	const struct projection_options random = {
		.method = (enum projection_method)method,
		.seed = 3,
		.n_columns = COLUMNS,
		.n_features = FEATURES,
	};
	const struct pca_options components = { .n_components = COLUMNS, .n_threads = 1 };
	struct error err = { 0 };
	int ret = method == FEATURE_MAP_PCA ? feature_map_pca(map, x, &components, &err) :
					      feature_map_random(map, &random, &err);

	CHECK(ret == 0, "%s: %s", projection_names[method], err.text);
}

/* Through a file and back it is the same map. */
static void check_file(const struct feature_map *map, const struct csr *x)
{
	struct feature_map again;
	struct output *output;
	struct error err = { 0 };
	double *before = malloc((size_t)(x->n_rows * map->n_columns) * sizeof(*before));
	double *after = malloc((size_t)(x->n_rows * map->n_columns) * sizeof(*after));

	CHECK(output_open(&output, "map", false, &err) == 0 &&
		      feature_map_save(map, output, &err) == 0 &&
		      output_commit(output, &err) == 0 &&
		      input_load(feature_map_read, &again, "map", &err) == 0,
	      "%s", err.text);
	CHECK(again.n_columns == map->n_columns && again.n_features == map->n_features &&
		      again.method == map->method,
	      "%" PRId64 " columns, not %" PRId64, again.n_columns, map->n_columns);
	map_plainly(map, x, before);
	map_plainly(&again, x, after);
	CHECK(memcmp(before, after, (size_t)(x->n_rows * map->n_columns) * sizeof(*before)) == 0,
	      "%s: another map", projection_names[map->projection.options.method]);
	feature_map_free(&again);
	free(before);
	free(after);
}

static void test_maps(void)
{
	struct csr x = { 0 };
	double label[ROWS] = { 0 }, z[ROWS * COLUMNS];

	random_rows(&x, ROWS, FEATURES + 1, 0.5);
	for (int method = 0; method <= FEATURE_MAP_PCA; method++) {
		struct row_batch in = csr_as_batch(&x, label), out = { 0 };
		struct map_room room = { 0 };
		struct feature_map map;
		struct error err = { 0 };

		make_map(&map, method, &x);
		map_plainly(&map, &x, z);
		CHECK(feature_map_apply(&map, (struct row_range){ &in, 0, ROWS }, &out, &room,
					&err) == 0,
		      "%s", err.text);
		CHECK(largest_difference(z, &out, COLUMNS) < 1e-12, "%s: off by %g",
		      projection_names[method], largest_difference(z, &out, COLUMNS));
		check_file(&map, &x);
		map_room_free(&room);
		row_batch_free(&out);
		feature_map_free(&map);
	}
	csr_free(&x);
}

/* Decision values by 'm' of rows; [rows][values]. */
static double *values_of(const struct model *m, const struct csr *x)
{
	struct row_view all = {
		.n_rows = x->n_rows, .row_start = x->row_start, .col = x->col, .val = x->val
	};
	struct predictor p;
	struct predictor_scratch scratch;
	struct error err = { 0 };
	double *values;

	CHECK(predictor_init(&p, m, &err) == 0 && predictor_scratch_init(&scratch, &p, &err) == 0,
	      "%s", err.text);
	values = malloc((size_t)(x->n_rows * p.n_values) * sizeof(*values));
	predictor_values(&p, &all, values, &scratch);
	predictor_scratch_free(&scratch);
	predictor_free(&p);
	return values;
}

/* A model of LIBSVM's kind with random support vectors of COLUMNS features. */
static void make_libsvm(struct model *m, int n_class)
{
	int64_t n_pairs = solution_n_pairs(n_class), n_sv = 5 * n_class;
	struct solution *s = &m->solution;

	*m = (struct model){ .type = MACHINE_C_SVC, .kernel = { .type = KERNEL_LINEAR } };
	*s = (struct solution){ .n_class = n_class, .n_sv = n_sv };
	s->n_sv_of_class = malloc((size_t)n_class * sizeof(*s->n_sv_of_class));
	s->label = malloc((size_t)n_class * sizeof(*s->label));
	s->rho = malloc((size_t)n_pairs * sizeof(*s->rho));
	s->coef = malloc((size_t)((n_class - 1) * n_sv) * sizeof(*s->coef));
	for (int c = 0; c < n_class; c++) {
		s->n_sv_of_class[c] = 5;
		s->label[c] = 7 - c;
	}
	for (int64_t q = 0; q < n_pairs; q++)
		s->rho[q] = random_normal();
	for (int64_t k = 0; k < (n_class - 1) * n_sv; k++)
		s->coef[k] = random_normal();
	random_rows(&m->sv, n_sv, COLUMNS + 1, 0.7);
}

static void make_liblinear(struct model *m, int n_columns, double bias)
{
	struct linear_model *l = &m->linear;

	*m = (struct model){ .is_linear_model = true };
	*l = (struct linear_model){ .solver_type = "MCSVM_CS",
				    .n_class = n_columns,
				    .n_features = COLUMNS,
				    .bias = bias,
				    .n_columns = n_columns };
	l->label = malloc((size_t)n_columns * sizeof(*l->label));
	l->w = malloc((size_t)((COLUMNS + 1) * n_columns) * sizeof(*l->w));
	for (int c = 0; c < n_columns; c++)
		l->label[c] = c;
	for (int k = 0; k < (COLUMNS + 1) * n_columns; k++)
		l->w[k] = random_normal();
}

/* The model for features 0 .. n_features of the data that the map was made for. */
static int unproject(struct model *folded, const struct model *m, const struct feature_map *map,
		     int64_t n_features, struct error *err)
{
	struct linear_map rows = feature_map_linear(map, n_features);

	return model_unproject(folded, m, &rows, err);
}

/* f(z) of the model is f(x) of the folded one. */
static void check_fold(const struct model *m, const struct feature_map *map, const struct csr *x,
		       int64_t n_values)
{
	struct model folded;
	struct error err = { 0 };
	struct row_batch in, out = { 0 };
	struct map_room room = { 0 };
	struct csr z = { 0 };
	double label[ROWS] = { 0 }, *before, *after, worst = 0;

	in = csr_as_batch(x, label);
	CHECK(feature_map_apply(map, (struct row_range){ &in, 0, x->n_rows }, &out, &room, &err) ==
			      0 &&
		      csr_append(&z, out.n_rows, out.row_start, out.index, out.value, &err) == 0 &&
		      unproject(&folded, m, map, FEATURES, &err) == 0,
	      "%s", err.text);
	before = values_of(m, &z);
	after = values_of(&folded, x);
	for (int64_t k = 0; k < x->n_rows * n_values; k++)
		worst = fmax(worst, fabs(before[k] - after[k]));
	CHECK(worst < 1e-11, "off by %g", worst);
	CHECK(folded.is_linear_model == m->is_linear_model, "of another kind");
	free(before);
	free(after);
	csr_free(&z);
	map_room_free(&room);
	row_batch_free(&out);
	model_free(&folded);
}

static void test_folding(void)
{
	struct csr x = { 0 };

	random_rows(&x, ROWS, FEATURES + 1, 0.5);
	for (int method = 0; method <= FEATURE_MAP_PCA; method++) {
		struct feature_map map;

		make_map(&map, method, &x);
		for (int n = 2; n <= CLASSES; n++) {
			struct model m;

			make_libsvm(&m, n);
			check_fold(&m, &map, &x, solution_n_pairs(n));
			model_free(&m);
			for (int b = -1; b <= 2; b++) {
				make_liblinear(&m, n, b);
				check_fold(&m, &map, &x, n);
				model_free(&m);
			}
		}
		feature_map_free(&map);
	}
	csr_free(&x);
}

/* ---- chosen features ---- */

enum { CHOSEN = 7 };

/* Features 3, 6, ..., 18 and 0, or 21 in place of 0, in another order, with weights. */
static void choose(struct selection_map *map, bool with_0, int rescale, int renumber)
{
	struct error err = { 0 };

	*map = (struct selection_map){ .method = SELECT_BSS,
				       .rescale = rescale,
				       .renumber = renumber };
	CHECK(selection_init(&map->chosen, CHOSEN, &err) == 0, "%s", err.text);
	for (int k = 0; k < CHOSEN; k++) {
		int32_t feature = 3 * (k * 4 % CHOSEN);

		selection_add(&map->chosen, feature == 0 && !with_0 ? 3 * CHOSEN : feature,
			      0.5 + random_unit(), 0);
	}
	CHECK(selection_index_init(&map->index, &map->chosen, &err) == 0, "%s", err.text);
}

/* f of the rows with the features chosen is f(x) of the folded model. */
static void check_chosen(const struct model *m, const struct selection_map *map,
			 const struct csr *x, int64_t n_values)
{
	struct linear_map rows = selection_map_linear(map);
	struct model folded;
	struct error err = { 0 };
	struct row_batch in, out = { 0 };
	struct csr z = { 0 };
	double label[ROWS] = { 0 }, *before, *after, worst = 0;

	in = csr_as_batch(x, label);
	rows.n_features = FEATURES;
	CHECK(selection_map_apply(map, (struct row_range){ &in, 0, x->n_rows }, &out, &err) == 0 &&
		      csr_append(&z, out.n_rows, out.row_start, out.index, out.value, &err) == 0 &&
		      model_unproject(&folded, m, &rows, &err) == 0,
	      "%s", err.text);
	before = values_of(m, &z);
	after = values_of(&folded, x);
	for (int64_t k = 0; k < x->n_rows * n_values; k++)
		worst = fmax(worst, fabs(before[k] - after[k]));
	CHECK(worst < 1e-12, "off by %g", worst);
	CHECK(!m->is_linear_model || folded.linear.n_features == FEATURES, "%" PRId64 " features",
	      folded.linear.n_features);
	for (int64_t k = 0; k < csr_n_entries(&folded.sv); k++)
		CHECK(selection_find(&map->index, folded.sv.col[k]) >= 0,
		      "feature %" PRId32 " was not chosen", folded.sv.col[k]);
	free(before);
	free(after);
	csr_free(&z);
	row_batch_free(&out);
	model_free(&folded);
}

/* Columns of support vectors, 0 .. COLUMNS, become features that 'map' makes, each of one row. */
static void use_chosen(struct csr *sv, const struct selection_map *map)
{
	for (int64_t i = 0; i < sv->n_rows; i++) {
		int64_t start = sv->row_start[i], end = sv->row_start[i + 1];

		for (int64_t k = start; k < end; k++) {
			int64_t number = k - start;

			if (number >= CHOSEN)
				sv->val[k] = 0; /* of a feature that nobody chose */
			sv->col[k] = (int32_t)(number >= CHOSEN ? FEATURES + number :
					       map->renumber	? number + 1 :
								  map->index.map.list[number]);
		}
	}
	sv->n_cols = FEATURES + COLUMNS + 1;
}

/* The same for the weights of LIBLINEAR's kind: those of other features are 0. */
static void clear_others(struct linear_model *l, const struct selection_map *map)
{
	for (int64_t j = 1; j <= l->n_features; j++) {
		bool made =
			map->renumber ? j <= CHOSEN : selection_find(&map->index, (int32_t)j) >= 0;

		for (int q = 0; q < l->n_columns && !made; q++)
			l->w[(j - 1) * l->n_columns + q] = 0;
	}
}

static void test_chosen(void)
{
	struct csr x = { 0 };

	random_rows(&x, ROWS, FEATURES + 1, 0.5);
	for (int t = 0; t < 8; t++) {
		struct selection_map map;

		choose(&map, t & 4, t & 1, t & 2);
		for (int n = 2; n <= CLASSES; n++) {
			struct model m;

			make_libsvm(&m, n);
			use_chosen(&m.sv, &map);
			check_chosen(&m, &map, &x, solution_n_pairs(n));
			model_free(&m);
			for (int b = -1; b <= 1 && !(t & 4); b++) {
				make_liblinear(&m, n, b);
				clear_others(&m.linear, &map);
				check_chosen(&m, &map, &x, n);
				model_free(&m);
			}
		}
		selection_map_free(&map);
	}
	csr_free(&x);
}

static void refuse(const struct model *m, const struct selection_map *map, const char *what)
{
	struct linear_map rows = selection_map_linear(map);
	struct model folded;
	struct error err = { 0 };

	CHECK(model_unproject(&folded, m, &rows, &err) < 0 && err.code == ERR_ARGUMENT &&
		      strstr(err.text, what),
	      "code %d, '%s'", err.code, err.text);
	CHECK(!folded.sv.n_rows && !folded.solution.rho && !folded.linear.w, "something left");
}

/* A model of other features is no model of the chosen ones; LIBLINEAR's have no feature 0. */
static void test_other_features(void)
{
	struct selection_map map;
	struct model m;

	for (int t = 0; t < 4; t++) {
		choose(&map, t & 1, 1, t & 2);
		make_libsvm(&m, 2);
		refuse(&m, &map, "which the selection does not have");
		use_chosen(&m.sv, &map);
		m.kernel.type = KERNEL_RBF;
		refuse(&m, &map, "kernel");
		model_free(&m);
		make_liblinear(&m, 2, 1);
		refuse(&m, &map, t == 3 ? "feature 0 was chosen" : "which the selection does not");
		model_free(&m);
		selection_map_free(&map);
	}
}

/* The model as a file has it. */
static void through_file(struct model *m)
{
	struct output *output;
	struct error err = { 0 };

	CHECK(output_open(&output, "model", false, &err) == 0 &&
		      model_write(m, output, &err) == 0 && output_commit(output, &err) == 0,
	      "%s", err.text);
	model_free(m);
	CHECK(model_read(m, "model", &err) == 0, "%s", err.text);
}

/* Features far from 0: what the folded model says is a small difference of large numbers. */
static void test_far_features(void)
{
	struct csr x = { 0 };
	struct row_batch in, out = { 0 };
	struct map_room room = { 0 };
	struct feature_map map;
	struct csr z = { 0 };
	struct model m, folded;
	struct error err = { 0 };
	double label[ROWS] = { 0 }, *before, *after, worst = 0;

	random_rows(&x, ROWS, FEATURES + 1, 1);
	for (int64_t k = 0; k < csr_n_entries(&x); k++)
		x.val[k] += 1e7;
	in = csr_as_batch(&x, label);
	make_map(&map, FEATURE_MAP_PCA, &x);
	make_libsvm(&m, 2);
	CHECK(feature_map_apply(&map, (struct row_range){ &in, 0, ROWS }, &out, &room, &err) == 0 &&
		      csr_append(&z, out.n_rows, out.row_start, out.index, out.value, &err) == 0 &&
		      unproject(&folded, &m, &map, FEATURES, &err) == 0,
	      "%s", err.text);
	through_file(&folded);
	before = values_of(&m, &z);
	after = values_of(&folded, &x);
	for (int64_t i = 0; i < ROWS; i++)
		worst = fmax(worst, fabs(before[i] - after[i]));
	CHECK(worst < 1e-5, "off by %g", worst);
	free(before);
	free(after);
	csr_free(&z);
	csr_free(&x);
	row_batch_free(&out);
	map_room_free(&room);
	feature_map_free(&map);
	model_free(&m);
	model_free(&folded);
}

static void test_refusals(void)
{
	struct model m, folded;
	struct feature_map map;
	struct projection_options options = { .method = PROJECT_RS, .n_columns = COLUMNS - 1 };
	struct error err = { 0 };

	CHECK(feature_map_random(&map, &options, &err) == 0, "%s", err.text);
	make_libsvm(&m, 2);
	CHECK(unproject(&folded, &m, &map, 5, &err) < 0 && err.code == ERR_ARGUMENT,
	      "features beyond the map: code %d", err.code);
	err = (struct error){ 0 };
	m.kernel.type = KERNEL_RBF;
	CHECK(unproject(&folded, &m, &map, 5, &err) < 0 && err.code == ERR_ARGUMENT,
	      "a kernel: code %d", err.code);
	CHECK(folded.sv.n_rows == 0 && !folded.solution.rho, "something left behind");
	model_free(&m);
	err = (struct error){ 0 };
	make_liblinear(&m, 2, 1);
	CHECK(unproject(&folded, &m, &map, 5, &err) < 0 && err.code == ERR_ARGUMENT,
	      "features beyond the map: code %d", err.code);
	model_free(&m);
	feature_map_free(&map);
	err = (struct error){ 0 };
	make_libsvm(&m, 2);
	make_map(&map, PROJECT_FHT, NULL);
	CHECK(unproject(&folded, &m, &map, FEATURES + 1, &err) < 0 && err.code == ERR_ARGUMENT &&
		      folded.sv.n_rows == 0,
	      "features the map does not have: code %d", err.code);
	model_free(&m);
	feature_map_free(&map);
}

struct folding {
	const struct model *m;
	struct linear_map map;
};

static int fold_once(void *arg, struct error *err)
{
	const struct folding *f = arg;
	struct model folded;

	if (model_unproject(&folded, f->m, &f->map, err) < 0)
		return -1;
	model_free(&folded);
	return 0;
}

static int load_once(void *arg, struct error *err)
{
	struct feature_map map;

	(void)arg;
	if (input_load(feature_map_read, &map, "map", err) < 0)
		return -1;
	feature_map_free(&map);
	return 0;
}

static void test_memory(void)
{
	struct csr x = { 0 };
	struct model m;
	struct feature_map map;
	struct selection_map chosen;

	random_rows(&x, ROWS, FEATURES + 1, 0.5);
	for (int method = 0; method <= FEATURE_MAP_PCA; method += FEATURE_MAP_PCA) {
		make_map(&map, method, &x);
		check_file(&map, &x);
		fail_each_allocation("load", load_once, NULL);
		make_libsvm(&m, 3);
		fail_each_allocation("fold", fold_once,
				     &(struct folding){ &m, feature_map_linear(&map, FEATURES) });
		model_free(&m);
		make_liblinear(&m, 3, -1);
		fail_each_allocation("fold, LIBLINEAR", fold_once,
				     &(struct folding){ &m, feature_map_linear(&map, FEATURES) });
		model_free(&m);
		feature_map_free(&map);
	}
	choose(&chosen, false, 1, 1);
	make_libsvm(&m, 3);
	use_chosen(&m.sv, &chosen);
	fail_each_allocation("fold, chosen features", fold_once,
			     &(struct folding){ &m, selection_map_linear(&chosen) });
	model_free(&m);
	selection_map_free(&chosen);
	csr_free(&x);
}

int main(void)
{
	test_maps();
	test_folding();
	test_chosen();
	test_other_features();
	test_far_features();
	test_refusals();
	test_memory();
	return unit_report("unproject");
}

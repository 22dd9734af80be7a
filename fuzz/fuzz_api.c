/*
 * fuzz_api.c - sequences of 24 calls of the public library, as no caller should make them
 *
 * The bytes decide which functions of randsvm.h are called, with which handles, numbers, names, files
 * and sizes of structs, when allocations begin to fail, and when a callback wants the end.  What must
 * hold: a failure has a code and a text, and leaves the objects as they were; what is made has finite
 * numbers; a model that is written and read again predicts the same, bit for bit; nothing leaks.
 *
 * What only a caller can know is right: arrays have the lengths that are told, and handles are NULL
 * or alive.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/mem_bound.h"
#include "hostile.h"
#include "matrix/svm_header.h"
#include "randsvm.h"
#include "require.h"

/* a request that no machine has the memory for is refused, not a crash of the sanitizer */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1:max_allocation_size_mb=512";
}

enum { N_CALLS = 24, N_SLOTS = 3, MOST_ROWS = 20, MOST_COLS = 5, MOST_ASKED = 400, N_FILES = 3 };

static struct {
	rsv_rows *rows[N_SLOTS];
	rsv_model *model[N_SLOTS];
	rsv_map *map[N_SLOTS];
	char file[N_FILES][64];
} world;

static rsv_rows *a_rows(void)
{
	return once_in(16) ? NULL : world.rows[decide(N_SLOTS)];
}

static rsv_model *a_model(void)
{
	return once_in(16) ? NULL : world.model[decide(N_SLOTS)];
}

static rsv_map *a_map(void)
{
	return once_in(16) ? NULL : world.map[decide(N_SLOTS)];
}

/* ---- errors ---- */

static struct rsv_error err;
static bool has_failed;

/* Where a call is to say why it fails; some of its allocations may be made to fail. */
static struct rsv_error *begin(void)
{
	err = (struct rsv_error){ RSV_OK, "as it was" };
	if (once_in(12))
		mem_fail_after(decide(256));
	return once_in(16) ? NULL : &err;
}

static void judge(bool failed, const struct rsv_error *to)
{
	mem_fail_after(-1);
	has_failed = failed;
	if (!to)
		return;
	if (!failed) {
		REQUIRE(err.code == RSV_OK && strcmp(err.text, "as it was") == 0);
		return;
	}
	REQUIRE(err.code > RSV_OK && err.code <= RSV_ERR_INTERRUPTED);
	REQUIRE(*err.text && strcmp(err.text, "as it was") != 0);
	for (const char *c = err.text; *c; c++)
		REQUIRE((unsigned char)*c >= ' ' && *c != 127);
}

/* ---- structs of any size ---- */

/* Room behind a struct for the fields of a later version. */
#define WITH_ROOM(type)                        \
	union {                                \
		type s;                        \
		char bytes[sizeof(type) + 16]; \
	}

static size_t struct_size(size_t own)
{
	const size_t size[] = { own,	 0,	  1,	   4,	    sizeof(size_t),
				own - 1, own - 4, own - 8, own / 2, own + 8 };

	return once_in(8) ? size[decide(LENGTH(size))] : own;
}

/* A struct as an input: its size, and perhaps a field that this version does not know. */
static void set_size(void *given, size_t own)
{
	const size_t size = struct_size(own);

	memcpy(given, &size, sizeof(size));
	if (size > own && once_in(2))
		((char *)given)[own] = 1;
}

/* ---- runs ---- */

static struct {
	WITH_ROOM(struct rsv_run) run;
	atomic_int n_asked;
	int patience;
} watch;

static int asks_for_the_end(void *arg)
{
	REQUIRE(arg == &watch);
	return atomic_fetch_add(&watch.n_asked, 1) >= watch.patience;
}

static void hear_of_round(void *arg, const struct rsv_round *round)
{
	REQUIRE(arg == &watch && round->number > 0 && round->working_set >= 0);
}

static void hear_of_share(void *arg, double share)
{
	REQUIRE(arg == &watch && share >= 0 && share <= 1);
}

/* Always one that ends, as hostile parameters may need very many steps. */
static const struct rsv_run *a_run(void)
{
	struct rsv_run *run = &watch.run.s;

	memset(&watch, 0, sizeof(watch));
	rsv_run_init(run);
	watch.patience = once_in(4) ? decide(8) : MOST_ASKED;
	run->n_threads = once_in(8) ? hostile_int() : 1 + decide(2);
	run->n_threads = run->n_threads == 64 ? 3 : run->n_threads;
	run->cache_mb = once_in(8) ? hostile_number() : decide(3);
	run->seed = (uint64_t)(once_in(8) ? hostile_count() : decide(4));
	run->interrupted = asks_for_the_end;
	run->round = once_in(2) ? hear_of_round : NULL;
	run->progress = once_in(2) ? hear_of_share : NULL;
	run->arg = &watch;
	/* where a size leaves the callback out nothing would end the call: too short to be taken */
	if (once_in(16))
		run->size = (size_t)decide(sizeof(size_t));
	else if (once_in(16))
		memset(watch.run.bytes + (run->size = sizeof(*run) + 8) - 8, once_in(2), 1);
	return run;
}

/* ---- names and files ---- */

static const char *a_name(void)
{
	static const char *const name[] = { "cw",	 "rs",	       "fht",	     "countsketch",
					    "gaussian",	 "uniform",    "achlioptas", "li",
					    "osnap",	 "pca",	       "rff",	     "scale",
					    "bss",	 "leverage",   "rrqr",	     "rfe",
					    "rmb",	 "l1",	       "lpsvm",	     "t",
					    "f",	 "approx-bss", "none",	     "",
					    "rbf",	 "laplace",    "polynomial", "tensorsketch",
					    "r\x1b[31m", "%s%n%1000d", "leverage-b", "uniform-b" };
	static char long_name[3000];

	memset(long_name, 'x', sizeof(long_name) - 1);
	if (once_in(24))
		return once_in(2) ? NULL : long_name;
	return name[decide(LENGTH(name))];
}

static const char *a_path(void)
{
	static const char *const path[] = { "", "/nonexistent/file", "/dev/shm", "/dev/null" };

	if (once_in(16))
		return once_in(3) ? NULL : path[decide(LENGTH(path))];
	return world.file[decide(N_FILES)];
}

/* ---- what rows, models and maps must be ---- */

static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
	for (size_t k = 0; bytes && k < size; k++)
		hash = (hash ^ ((const uint8_t *)bytes)[k]) * UINT64_C(0x100000001b3);
	return hash;
}

/* The rows as arrays; the largest of their numbers, or INFINITY of rows with a feature 0. */
static double look_at_rows(const rsv_rows *rows, uint64_t *hash)
{
	const int64_t n = rsv_rows_count(rows), n_entries = rsv_rows_n_entries(rows);
	const double *label = rsv_rows_labels(rows);
	struct rsv_error failed = { 0 };
	int64_t *start = malloc(((size_t)n + 1) * sizeof(*start));
	int32_t *column = malloc((size_t)n_entries * sizeof(*column) + 1);
	double *value = malloc((size_t)n_entries * sizeof(*value) + 1), most = 0;

	REQUIRE(n >= 0 && n_entries >= 0 && (n == 0 || label));
	for (int64_t i = 0; i < n; i++)
		REQUIRE(isfinite(label[i]));
	*hash = mix(*hash, label, (size_t)n * sizeof(*label));
	if (rsv_rows_copy(rows, start, column, value, &failed) < 0) {
		REQUIRE(failed.code == RSV_ERR_ARGUMENT);
		most = INFINITY;
	} else {
		REQUIRE(start[n] == n_entries);
		for (int64_t k = 0; k < n_entries; k++) {
			REQUIRE(isfinite(value[k]) && column[k] >= 0);
			REQUIRE(column[k] < rsv_rows_n_features(rows));
			most = fmax(most, fabs(value[k]));
		}
		*hash = mix(*hash, value, (size_t)n_entries * sizeof(*value));
		*hash = mix(*hash, column, (size_t)n_entries * sizeof(*column));
	}
	free(start);
	free(column);
	free(value);
	return most;
}

static uint64_t look_at_model(const rsv_model *model)
{
	struct rsv_model_info info;
	uint64_t hash;
	int64_t n_pairs;

	rsv_model_info(model, &info);
	n_pairs = info.n_classes > 0 ? info.n_classes * (info.n_classes - 1) / 2 : 1;
	REQUIRE(info.n_sv >= 0 && info.n_values >= 0 && info.n_classes >= 0);
	REQUIRE(info.n_probabilities >= 0 && isfinite(info.gamma) && isfinite(info.sigma));
	hash = mix(0, &info, sizeof(info));
	hash = mix(hash, rsv_model_labels(model), (size_t)info.n_classes * sizeof(int));
	if (rsv_model_rho(model)) {
		const int64_t rows = info.n_classes > 0 ? info.n_classes - 1 : 1;

		for (int64_t q = 0; q < n_pairs && !info.is_linear_model; q++)
			REQUIRE(isfinite(rsv_model_rho(model)[q]));
		for (int64_t k = 0; k < rows * info.n_sv; k++)
			REQUIRE(isfinite(rsv_model_coefficients(model)[k]));
		hash = mix(hash, rsv_model_coefficients(model),
			   (size_t)(rows * info.n_sv) * sizeof(double));
	}
	return hash;
}

static uint64_t look_at_map(const rsv_map *map)
{
	const int64_t n = rsv_map_n_selected(map), n_features = rsv_map_n_features(map);
	uint64_t hash = mix(0, &n_features, sizeof(n_features));

	REQUIRE(n >= 0 && n_features >= 0);
	for (int64_t k = 0; k < n; k++) {
		REQUIRE(rsv_map_selected(map)[k] >= 0);
		REQUIRE(isfinite(rsv_map_selected_weights(map)[k]));
		if (rsv_map_selected_scores(map))
			REQUIRE(isfinite(rsv_map_selected_scores(map)[k]));
	}
	hash = mix(hash, rsv_map_selected(map), (size_t)n * sizeof(int32_t));
	return mix(hash, rsv_map_selected_weights(map), (size_t)n * sizeof(double));
}

/* All that is alive, in a number. */
static uint64_t look_at_all(void)
{
	uint64_t hash = 0, part;

	for (int k = 0; k < N_SLOTS; k++) {
		look_at_rows(world.rows[k], &hash);
		part = look_at_model(world.model[k]);
		hash = mix(hash, &part, sizeof(part));
		part = look_at_map(world.map[k]);
		hash = mix(hash, &part, sizeof(part));
	}
	return hash;
}

/* ---- objects that are made ---- */

static void keep_rows(rsv_rows *rows, const struct rsv_error *to)
{
	const int k = decide(N_SLOTS);
	uint64_t hash = 0;

	judge(!rows, to);
	if (rows) {
		look_at_rows(rows, &hash);
		rsv_rows_free(world.rows[k]);
		world.rows[k] = rows;
	}
}

static void keep_map(rsv_map *map, const struct rsv_error *to)
{
	const int k = decide(N_SLOTS);

	judge(!map, to);
	if (map) {
		look_at_map(map);
		rsv_map_free(world.map[k]);
		world.map[k] = map;
	}
}

/* Values of all rows, and their predictions. */
static double *values_of(const rsv_model *model, const rsv_rows *rows, size_t *size)
{
	struct rsv_predictions p;
	struct rsv_model_info info;
	const size_t n = (size_t)rsv_rows_count(rows);
	double *room;

	rsv_model_info(model, &info);
	rsv_predictions_init(&p);
	*size = n * (size_t)(1 + info.n_values + info.n_probabilities) * sizeof(double);
	room = calloc(1, *size + 1);
	p.predicted = room;
	p.values = room + n;
	p.probability = info.n_probabilities > 0 ? p.values + n * (size_t)info.n_values : NULL;
	if (rsv_predict(model, rows, &p, NULL, &err) == 0)
		return room;
	free(room);
	return NULL;
}

/* The model that is read predicts as the one that was written, NANs among equals. */
static void write_and_read(const rsv_model *model)
{
	char path[80];
	rsv_model *again;

	snprintf(path, sizeof(path), "%s.again", world.file[0]);
	REQUIRE(rsv_model_write(model, path, &err) == 0);
	again = rsv_model_read(path, &err);
	REQUIRE(again);
	for (int k = 0; k < N_SLOTS; k++) {
		size_t size, other;
		double *a = values_of(model, world.rows[k], &size);
		double *b = values_of(again, world.rows[k], &other);

		REQUIRE(!a == !b && size == other);
		for (size_t i = 0; a && i < size / sizeof(double); i++)
			REQUIRE(a[i] == b[i] || (isnan(a[i]) && isnan(b[i])));
		free(a);
		free(b);
	}
	rsv_model_free(again);
	unlink(path);
}

static void keep_model(rsv_model *model, const struct rsv_error *to)
{
	const int k = decide(N_SLOTS);

	judge(!model, to);
	if (model) {
		look_at_model(model);
		write_and_read(model);
		rsv_model_free(world.model[k]);
		world.model[k] = model;
	}
}

/* ---- rows ---- */

/* Numbers of a matrix: small ones, small ones times a large or tiny one, or any. */
static void draw_values(double *value, int n)
{
	const int kind = decide(8);
	const double unit = kind == 6 ? hostile_number() : 1;

	for (int k = 0; k < n; k++)
		value[k] = kind == 7 && once_in(4) ? hostile_number() : tame_number() * unit;
}

static void draw_labels(double *label, int n)
{
	const int kind = decide(8);

	for (int i = 0; i < n; i++)
		label[i] = kind < 5   ? i % (2 + kind % 2) :
			   kind < 7   ? tame_number() :
			   once_in(4) ? hostile_number() :
					-1;
}

static void make_full(bool is_kernel)
{
	double value[MOST_ROWS * MOST_ROWS], label[MOST_ROWS];
	const bool hostile = once_in(16);
	int64_t n = 2 + decide(MOST_ROWS - 1), m = is_kernel ? n : 1 + decide(MOST_COLS), stride;
	const struct rsv_error *to;
	rsv_rows *rows;

	draw_values(value, (int)(n * m));
	for (int64_t i = 0; is_kernel && i < n && once_in(2); i++)
		for (int64_t j = 0; j < i; j++)
			value[i * n + j] = value[j * n + i];
	draw_labels(label, (int)n);
	stride = m;
	if (hostile) { /* none that makes the arrays longer than they are */
		n = once_in(2) ? -(hostile_count() % 3) : n;
		m = n <= 0 ? hostile_count() % INT_MAX : -1;
		stride = once_in(2) ? m : -1;
		n = n > 0 && m > 0 ? 0 : n;
	}
	to = begin();
	rows = (is_kernel ? rsv_rows_kernel : rsv_rows_dense)(n, m, once_in(24) ? NULL : value,
							      stride, once_in(8) ? NULL : label,
							      (struct rsv_error *)to);
	keep_rows(rows, to);
}

static void call_dense(void)
{
	make_full(false);
}

static void call_kernel(void)
{
	make_full(true);
}

static void call_csr(void)
{
	int64_t start[MOST_ROWS + 1] = { 0 };
	int32_t column[MOST_ROWS * MOST_COLS];
	double value[MOST_ROWS * MOST_COLS], label[MOST_ROWS];
	int64_t n = 1 + decide(MOST_ROWS);
	struct rsv_error *to;

	draw_values(value, LENGTH(value));
	draw_labels(label, (int)n);
	for (int64_t i = 0; i < n; i++)
		start[i + 1] = start[i] + decide(MOST_COLS + 1);
	for (int64_t i = 0; i < n; i++)
		for (int64_t k = start[i]; k < start[i + 1]; k++)
			column[k] = (int32_t)(k - start[i]) * 2;
	if (once_in(8))
		column[decide(8)] = (int32_t)hostile_count();
	if (once_in(16))
		start[decide((int)n)] = hostile_count() % 5;
	if (once_in(16))
		n = once_in(2) ? 0 : INT64_MIN;
	to = begin();
	keep_rows(rsv_rows_csr(n, once_in(32) ? NULL : start, once_in(32) ? NULL : column,
			       once_in(32) ? NULL : value, once_in(8) ? NULL : label, to),
		  to);
}

static void call_nodes(void)
{
	struct svm_node node[MOST_ROWS][MOST_COLS + 1];
	const struct svm_node *row[MOST_ROWS];
	double label[MOST_ROWS];
	const int n = 1 + decide(MOST_ROWS);
	struct rsv_error *to;

	draw_labels(label, n);
	for (int i = 0; i < n; i++) {
		const int m = decide(MOST_COLS + 1);

		for (int k = 0; k < m; k++)
			node[i][k] =
				(struct svm_node){ once_in(32) ? hostile_int() : k + 1,
						   once_in(32) ? hostile_number() : tame_number() };
		node[i][m].index = -1;
		row[i] = node[i];
	}
	to = begin();
	keep_rows(rsv_rows_nodes(once_in(16) ? -1 : n, once_in(32) ? NULL : row, label, to), to);
}

static void call_part(void)
{
	const rsv_rows *rows = a_rows();
	const int64_t n = rsv_rows_count(rows);
	int64_t row[2 * MOST_ROWS];
	struct rsv_error *to;

	for (size_t k = 0; k < LENGTH(row); k++)
		row[k] = once_in(64) || n == 0 ? hostile_count() : decide((int)n);
	to = begin();
	keep_rows(rsv_rows_part(rows, once_in(16) ? NULL : row,
				once_in(16) ? -1 : decide(LENGTH(row)), to),
		  to);
}

static void call_weigh(void)
{
	const rsv_rows *rows = a_rows();
	double *weight = calloc((size_t)rsv_rows_count(rows) + 1, sizeof(*weight));
	const bool hostile = once_in(4);
	struct rsv_error *to;

	for (int64_t i = 0; i < rsv_rows_count(rows); i++)
		weight[i] = hostile && once_in(4) ? hostile_number() : 1 + decide(3);
	to = begin();
	keep_rows(rsv_rows_weigh(rows, once_in(16) ? NULL : weight, to), to);
	free(weight);
}

static void call_group(void)
{
	const rsv_rows *rows = a_rows();
	int64_t *group = calloc((size_t)rsv_rows_count(rows) + 1, sizeof(*group));
	struct rsv_error *to;

	for (int64_t i = 0; i < rsv_rows_count(rows); i++)
		group[i] = once_in(8) ? hostile_count() : decide(5);
	to = begin();
	keep_rows(rsv_rows_group(rows, once_in(16) ? NULL : group, to), to);
	free(group);
}

static void call_read_rows(void)
{
	const char *path = a_path();
	const struct rsv_run *run = a_run();
	struct rsv_error *to = begin();

	keep_rows((once_in(4) ? rsv_rows_read_by_qid : rsv_rows_read)(path, run, to), to);
}

static int look_at_batch(void *arg, const rsv_rows *rows)
{
	uint64_t hash = 0;
	struct rsv_error *to = arg;

	look_at_rows(rows, &hash);
	if (hash % 4 == 0 && to)
		*to = (struct rsv_error){ RSV_ERR_NUMERIC, "enough" };
	return hash % 4 < 2;
}

static void call_scan(void)
{
	const char *path = a_path();
	const struct rsv_run *run = a_run();
	struct rsv_error *to = begin();

	judge(rsv_rows_scan(path, run, once_in(16) ? NULL : look_at_batch, NULL, to) < 0, to);
}

static void call_write(void)
{
	const char *path = a_path();
	struct rsv_error *to = begin();
	int ret;

	switch (decide(4)) {
	case 0:
		ret = rsv_rows_write(a_rows(), path, to);
		break;
	case 1:
		ret = rsv_model_write(a_model(), path, to);
		break;
	case 2:
		ret = rsv_model_write_exact(a_model(), path, to);
		break;
	default:
		ret = rsv_map_write(a_map(), path, to);
	}
	judge(ret < 0, to);
}

/* ---- training ---- */

typedef WITH_ROOM(struct rsv_training) any_training;

static const struct rsv_training *a_training(any_training *given)
{
	static int label[] = { 0, 1, 7 };
	static double weight[] = { 1, 2, 0 };
	struct rsv_training *t = &given->s;
	double *const number[] = { &t->gamma, &t->coef0, &t->C, &t->nu, &t->p, &t->eps, &t->gap };
	int *const whole[] = { &t->machine, &t->kernel, &t->degree };

	memset(given, 0, sizeof(*given));
	rsv_training_init(t);
	t->machine = decide(5);
	t->kernel = decide(5);
	t->C = 1 << decide(6);
	t->nu = (1 + decide(9)) / 10.0;
	t->degree = 1 + decide(3);
	t->probability = once_in(6);
	t->squared_loss = once_in(6);
	t->one_vs_rest = once_in(6);
	t->balanced = once_in(6);
	t->budget = once_in(12) ? hostile_count() : once_in(6) ? 4 : 0;
	if (once_in(3))
		*number[decide(LENGTH(number))] = hostile_number();
	if (once_in(16))
		*whole[decide(LENGTH(whole))] = hostile_int();
	if (once_in(8)) {
		t->n_weights = once_in(4) ? -1 : 3;
		t->label = once_in(8) ? NULL : label;
		t->weight = once_in(8) ? NULL : weight;
		weight[2] = once_in(2) ? hostile_number() : 3;
	}
	set_size(given, sizeof(*t));
	return once_in(32) ? NULL : t;
}

static void call_train(void)
{
	const rsv_rows *rows = a_rows();
	any_training given;
	const struct rsv_training *training = a_training(&given);
	const struct rsv_run *run = a_run();
	struct rsv_error *to;

	if (training && training->size == sizeof(*training))
		REQUIRE(rsv_doubts(rows, training) >= 0);
	to = begin();
	keep_model(rsv_train(rows, training, run, to), to);
}

static void call_certify(void)
{
	rsv_model *model = a_model();
	const rsv_rows *rows = a_rows();
	any_training given;
	const struct rsv_training *training = a_training(&given);
	const struct rsv_run *run = a_run();
	struct rsv_error *to = begin();

	judge(rsv_certify(model, rows, training, run, to) < 0, to);
}

static void call_certificate(void)
{
	const rsv_model *model = a_model();
	const int64_t k = once_in(8) ? hostile_count() : decide(3);
	struct rsv_certificate c;
	const size_t size = struct_size(sizeof(c));
	char *room = malloc(size + 1);
	struct rsv_error *to = begin();

	judge(rsv_model_certificate_sized(model, k, once_in(16) ? NULL : (void *)room, size, to) <
		      0,
	      to);
	if (rsv_model_certificate(model, k, &c, NULL) == 0) {
		REQUIRE(k >= 0 && k < rsv_model_n_certificates(model));
		REQUIRE(!isinf(c.primal) && !isinf(c.gap) && c.n_sv <= c.n_rows);
	}
	free(room);
}

static void call_reduce(void)
{
	const rsv_model *model = a_model();
	struct rsv_model_info info;
	any_training given;
	const struct rsv_training *training = once_in(2) ? a_training(&given) : NULL;
	const rsv_rows *rows = once_in(2) ? a_rows() : NULL;
	const int64_t n_sv = once_in(8) ? hostile_count() : 1 + decide(8);
	const struct rsv_run *run = a_run();
	struct rsv_error *to;
	double *change;

	rsv_model_info(model, &info);
	change = calloc((size_t)info.n_values + 1, sizeof(*change));
	to = begin();
	keep_model(
		rsv_model_reduce(model, n_sv, once_in(2) ? NULL : change, rows, training, run, to),
		to);
	free(change);
}

static void call_explain(void)
{
	const rsv_model *model = a_model();
	const rsv_rows *rows = a_rows(), *background = once_in(2) ? a_rows() : NULL;
	const int64_t n_features = decide(40);
	const struct rsv_run *run = a_run();
	const size_t n = (size_t)(rsv_rows_count(rows) * n_features) + 1;
	double *value = calloc(n, sizeof(*value));
	struct rsv_error *to = begin();

	judge(rsv_explain(model, rows, background, n_features, once_in(16) ? NULL : value, NULL,
			  run, to) < 0,
	      to);
	free(value);
}

static void call_read_model(void)
{
	const char *path = a_path();
	struct rsv_error *to = begin();

	keep_model(rsv_model_read(path, to), to);
}

/* ---- models ---- */

static void call_support_vectors(void)
{
	const rsv_model *model = a_model();
	struct rsv_error *to = begin();

	keep_rows(rsv_model_support_vectors(model, to), to);
}

static void call_weights(void)
{
	const rsv_model *model = a_model();
	struct rsv_model_info info;
	struct rsv_error *to;
	double *weight, *constant;
	int64_t n;

	rsv_model_info(model, &info);
	/* the highest feature may be 2^31: no room for that */
	n = once_in(8) ? -1 : info.n_features > 1000 ? 3 : info.n_features - once_in(8);
	weight = calloc((size_t)(info.n_values * (n > 0 ? n : 0)) + 1, sizeof(*weight));
	constant = calloc((size_t)info.n_values + 1, sizeof(*constant));
	to = begin();
	judge(rsv_model_weights(model, n, once_in(16) ? NULL : weight,
				once_in(16) ? NULL : constant, to) < 0,
	      to);
	for (int64_t k = 0; k < info.n_values * (n > 0 ? n : 0); k++)
		REQUIRE(isfinite(weight[k]));
	free(weight);
	free(constant);
}

static void call_info(void)
{
	const rsv_model *model = a_model();
	const size_t size = struct_size(sizeof(struct rsv_model_info));
	char *room = malloc(size + 1);

	rsv_model_info_sized(model, (void *)room, size);
	REQUIRE(!rsv_model_sv_rows(model) || model);
	REQUIRE(!rsv_model_n_sv_of_classes(NULL) && !rsv_model_labels(NULL));
	free(room);
}

static void call_predict(void)
{
	const rsv_model *model = a_model();
	const rsv_rows *rows = a_rows();
	const size_t n = (size_t)rsv_rows_count(rows);
	WITH_ROOM(struct rsv_predictions) p = { { 0 } };
	const struct rsv_run *run = a_run();
	struct rsv_model_info info;
	struct rsv_error *to;
	double *room;

	rsv_model_info(model, &info);
	room = calloc(n * (size_t)(1 + info.n_values + 2 + info.n_probabilities) + 1,
		      sizeof(*room));
	rsv_predictions_init(&p.s);
	p.s.predicted = once_in(8) ? NULL : room;
	p.s.values = once_in(2) ? NULL : room + n;
	p.s.probability = once_in(2) ? NULL : room + n + n * (size_t)info.n_values;
	set_size(&p, sizeof(p.s));
	to = begin();
	judge(rsv_predict(model, rows, once_in(32) ? NULL : &p.s, run, to) < 0, to);
	free(room);
}

static void call_measure(void)
{
	double target[MOST_ROWS], predicted[MOST_ROWS], auc;
	int positive[MOST_ROWS];
	struct rsv_measures m;

	draw_values(target, MOST_ROWS);
	draw_values(predicted, MOST_ROWS);
	for (int i = 0; i < MOST_ROWS; i++)
		positive[i] = decide(2) ? hostile_int() : 0;
	rsv_measure(target, predicted, decide(MOST_ROWS), &m);
	REQUIRE(!(m.accuracy < 0) && !(m.accuracy > 100) && !(m.mse < 0));
	begin();
	auc = rsv_auc(predicted, positive, once_in(8) ? -1 : decide(MOST_ROWS));
	mem_fail_after(-1);
	REQUIRE(isnan(auc) || (auc >= 0 && auc <= 1));
}

/* ---- folds and searches ---- */

static void call_folds(void)
{
	const rsv_rows *rows = a_rows();
	const int64_t n = rsv_rows_count(rows),
		      n_folds = once_in(8) ? hostile_count() : 1 + decide(6);
	int64_t *fold = calloc((size_t)n + 1, sizeof(*fold));
	const struct rsv_run *run = a_run();
	struct rsv_error *to = begin();
	const int ret = rsv_folds(rows, n_folds, decide(2), run, once_in(32) ? NULL : fold, to);

	judge(ret < 0, to);
	for (int64_t i = 0; ret == 0 && i < n; i++)
		REQUIRE(fold[i] >= 0 && fold[i] < n_folds);
	free(fold);
}

static void call_cross_validate(void)
{
	const rsv_rows *rows = a_rows();
	any_training given;
	const struct rsv_training *training = a_training(&given);
	const int64_t n_folds = once_in(8) ? hostile_count() : 2 + decide(3);
	double *predicted = calloc((size_t)rsv_rows_count(rows) + 1, sizeof(*predicted));
	const struct rsv_run *run = a_run();
	struct rsv_error *to = begin();

	judge(rsv_cross_validate(rows, training, n_folds, run, once_in(32) ? NULL : predicted, to) <
		      0,
	      to);
	free(predicted);
}

static void hear_of_point(void *arg, const struct rsv_point *point, const double *predicted)
{
	REQUIRE(arg == &watch && predicted && !(point->rate < 0));
}

static void hear_of_values(void *arg, const struct rsv_point *point, const double *predicted,
			   const double *values, int64_t n_values)
{
	hear_of_point(arg, point, predicted);
	REQUIRE(values && n_values >= 0);
}

/* Folds of rows, some of which are in none; NULL: those that are drawn. */
static const int64_t *given_folds(const rsv_rows *rows)
{
	static int64_t fold[MOST_ASKED];

	if (once_in(2) || rsv_rows_count(rows) > MOST_ASKED)
		return NULL;
	for (int k = 0; k < MOST_ASKED; k++)
		fold[k] = once_in(200) ? hostile_count() : decide(4) - 1;
	return fold;
}

static void call_search(void)
{
	const rsv_rows *rows = a_rows();
	double c[3] = { 0.5, 1, 4 }, gamma[2] = { 0.1, 1 };
	struct rsv_point point[6];
	WITH_ROOM(struct rsv_grid) grid = { { 0 } };
	any_training given;
	const struct rsv_training *training = a_training(&given);
	const struct rsv_run *run = a_run();
	struct rsv_error *to;
	int64_t best;

	rsv_grid_init(&grid.s);
	if (once_in(6))
		c[decide(3)] = hostile_number();
	if (once_in(6))
		gamma[decide(2)] = hostile_number();
	grid.s.n_c = once_in(16) ? -1 : decide(4);
	grid.s.n_gamma = once_in(16) ? -1 : decide(3);
	grid.s.c = once_in(16) ? NULL : c;
	grid.s.gamma = once_in(16) ? NULL : gamma;
	grid.s.n_folds = once_in(8) ? hostile_count() : 2 + decide(3);
	grid.s.found = once_in(2) ? hear_of_point : NULL;
	grid.s.arg = &watch;
	grid.s.fold = given_folds(rows);
	grid.s.found_values = once_in(2) ? hear_of_values : NULL;
	set_size(&grid, sizeof(grid.s));
	to = begin();
	best = rsv_search(rows, training, once_in(32) ? NULL : &grid.s, run,
			  once_in(32) ? NULL : point, to);
	judge(best < 0, to);
	if (best >= 0)
		REQUIRE(best < 6 && isfinite(point[best].rate));
}

/* ---- maps ---- */

static void call_project(void)
{
	WITH_ROOM(struct rsv_projection) p = { { 0 } };
	const rsv_rows *rows = a_rows();
	const struct rsv_run *run = a_run();
	const bool of_rows = once_in(3);
	struct rsv_error *to;

	rsv_projection_init(&p.s);
	p.s.method = a_name();
	p.s.kernel = once_in(2) ? NULL : a_name();
	p.s.gamma = once_in(4) ? hostile_number() : once_in(2) ? 0 : 0.5;
	p.s.coef0 = once_in(4) ? hostile_number() : once_in(2);
	p.s.degree = once_in(4) ? hostile_int() : 1 + decide(4);
	p.s.by_leverage = once_in(2);
	p.s.n_columns = once_in(8) ? hostile_count() : 1 + decide(20);
	p.s.n_features = once_in(8) ? hostile_count() : decide(12);
	p.s.seed = (uint64_t)decide(4);
	set_size(&p, sizeof(p.s));
	to = begin();
	if (of_rows)
		keep_map(rsv_nystrom(rows, once_in(32) ? NULL : &p.s, run, to), to);
	else
		keep_map(rsv_project(once_in(32) ? NULL : &p.s, to), to);
}

static void call_components(void)
{
	const rsv_rows *rows = a_rows();
	const int64_t n = once_in(8) ? hostile_count() : 1 + decide(4);
	const struct rsv_run *run = a_run();
	struct rsv_error *to = begin();

	keep_map(rsv_components(rows, n, run, to), to);
}

static void call_scale(void)
{
	const rsv_rows *rows = a_rows();
	const double lower = once_in(4) ? hostile_number() : -1;
	const double upper = once_in(4) ? hostile_number() : 1;
	struct rsv_error *to = begin();

	keep_map(rsv_scale(rows, lower, upper, to), to);
}

static void call_select(void)
{
	const rsv_rows *rows = a_rows();
	WITH_ROOM(struct rsv_selection) s = { { 0 } };
	double *const number[] = { &s.s.C, &s.s.p, &s.s.eps, &s.s.nu, &s.s.fraction };
	const struct rsv_run *run = a_run();
	struct rsv_error *to;

	rsv_selection_init(&s.s);
	s.s.method = a_name();
	s.s.n_features = once_in(8) ? hostile_count() : decide(5);
	s.s.unsupervised = once_in(3);
	s.s.regression = once_in(3);
	s.s.rescale = once_in(3);
	s.s.renumber = once_in(3);
	s.s.sketch_rows = once_in(16) ? hostile_count() : decide(9);
	if (once_in(4))
		*number[decide(LENGTH(number))] = once_in(2) ? hostile_number() : 0.5;
	set_size(&s, sizeof(s.s));
	to = begin();
	keep_map(rsv_select(rows, once_in(32) ? NULL : &s.s, run, to), to);
}

static void call_read_map(void)
{
	const char *path = once_in(16) ? "-" : a_path();
	struct rsv_error *to = begin();

	keep_map(rsv_map_read(path, to), to);
}

static void call_apply(void)
{
	const rsv_map *map = a_map();
	const rsv_rows *rows = a_rows();
	const struct rsv_run *run = a_run();
	struct rsv_error *to = begin();

	keep_rows(rsv_map_apply(map, rows, run, to), to);
}

static void call_fold(void)
{
	const rsv_map *map = a_map();
	const rsv_model *model = a_model();
	const int64_t n = once_in(8) ? hostile_count() : 1 + decide(12);
	struct rsv_error *to = begin();

	keep_model(rsv_map_fold(map, model, n, to), to);
}

/* ---- the end of objects ---- */

static void call_free(void)
{
	const int k = decide(N_SLOTS);

	switch (decide(3)) {
	case 0:
		rsv_rows_free(world.rows[k]);
		world.rows[k] = NULL;
		break;
	case 1:
		rsv_model_free(world.model[k]);
		world.model[k] = NULL;
		break;
	default:
		rsv_map_free(world.map[k]);
		world.map[k] = NULL;
	}
}

static void begin_world(const uint8_t *data, size_t size)
{
	static const char *const end[N_FILES] = { "a", "b.gz", "c" };
	FILE *file;

	for (int k = 0; k < N_FILES; k++)
		snprintf(world.file[k], sizeof(world.file[k]), "/dev/shm/randsvm-fuzz.%ld.%s",
			 (long)getpid(), end[k]);
	file = fopen(world.file[N_FILES - 1], "wb");
	REQUIRE(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static void end_world(void)
{
	for (int k = 0; k < N_SLOTS; k++) {
		rsv_rows_free(world.rows[k]);
		rsv_model_free(world.model[k]);
		rsv_map_free(world.map[k]);
	}
	for (int k = 0; k < N_FILES; k++)
		unlink(world.file[k]);
	memset(&world, 0, sizeof(world));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const call[])(
		void) = { call_dense,		call_kernel,	call_csr,
			  call_nodes,		call_part,	call_weigh,
			  call_group,		call_read_rows, call_scan,
			  call_write,		call_train,	call_train,
			  call_train,		call_certify,	call_certificate,
			  call_reduce,		call_explain,	call_read_model,
			  call_support_vectors, call_weights,	call_info,
			  call_predict,		call_measure,	call_folds,
			  call_cross_validate,	call_search,	call_project,
			  call_components,	call_scale,	call_select,
			  call_select,		call_read_map,	call_apply,
			  call_apply,		call_fold,	call_free };

	decide_by(data, size);
	begin_world(data, size);
	REQUIRE(*rsv_version());
	call_dense();
	call_dense();
	call_kernel();
	for (int k = 0; k < N_CALLS && decisions.next < decisions.end; k++) {
		const uint64_t before = look_at_all();

		has_failed = false;
		call[decide(LENGTH(call))]();
		REQUIRE(!has_failed || look_at_all() == before);
	}
	end_world();
	return 0;
}

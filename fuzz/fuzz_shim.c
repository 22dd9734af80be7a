/*
 * fuzz_shim.c - sequences of calls of LIBSVM's functions, as no caller should make them
 *
 * The bytes decide rows, parameters, which functions are called, with which models, and when
 * allocations begin to fail.  What must hold: what svm_check_parameter() refuses svm_train() does not
 * train; the prediction is that of svm_predict_values() and one of the labels, probabilities sum to 1;
 * a model that is saved and loaded again predicts the same; nothing leaks.
 *
 * What only a caller can know is right: arrays have the lengths that are told, indices of a row ascend
 * and end by -1, and models are NULL or alive.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem_bound.h"
#include "hostile.h"
#include "matrix/svm_header.h"
#include "require.h"

enum {
	N_CALLS = 12,
	N_SLOTS = 2,
	MOST_ROWS = 12,
	MOST_NODES = 14,
	MOST_CLASSES = 4,
	MOST_PAIRS = 66
};

static struct {
	struct svm_node node[MOST_ROWS][MOST_NODES + 1];
	struct svm_node *x[MOST_ROWS];
	double y[MOST_ROWS];
	struct svm_problem prob;
	struct svm_model *model[N_SLOTS];
	char file[64];
} world;

static void ignore(const char *text)
{
	REQUIRE(text);
}

/* ---- rows and parameters ---- */

/* Nodes of a row: rows of a matrix of kernel values have all columns, and a number first. */
static void draw_row(int i, int n, bool is_kernel)
{
	struct svm_node *node = world.node[i];
	int k = 0;

	if (is_kernel)
		node[k++] = (struct svm_node){ 0, once_in(32) ? hostile_int() : i + 1 };
	for (int j = 0; j < (is_kernel ? n : 5); j++)
		if (is_kernel || !once_in(3))
			node[k++] = (struct svm_node){
				!is_kernel && j == 4 && once_in(8) ? INT_MAX - 1 : j + 1,
				once_in(64) ? hostile_number() : tame_number()
			};
	node[k].index = -1;
	world.x[i] = once_in(128) ? NULL : node;
}

static void draw_problem(void)
{
	const int n = 2 + decide(MOST_ROWS - 1), n_class = 1 + decide(MOST_CLASSES);
	const bool is_kernel = once_in(5), of_targets = once_in(3);

	for (int i = 0; i < n; i++) {
		draw_row(i, n, is_kernel);
		world.y[i] = once_in(64) ? hostile_number() :
			     of_targets	 ? tame_number() :
					   i % n_class;
	}
	world.prob = (struct svm_problem){ once_in(64) ? -decide(2) : n, world.y, world.x };
}

static struct svm_parameter draw_parameter(void)
{
	static int label[] = { 0, 1, 7 };
	static double weight[3];
	struct svm_parameter p = { .svm_type = decide(5),
				   .kernel_type = decide(5),
				   .degree = decide(4),
				   .gamma = decide(4) / 2.0,
				   .coef0 = decide(3) - 1,
				   .cache_size = 1,
				   .eps = once_in(4) ? 0.1 : 0.001,
				   .C = 1 << decide(6),
				   .nu = (1 + decide(9)) / 10.0,
				   .p = 0.1,
				   .shrinking = decide(2),
				   .probability = once_in(4) };
	double *const number[] = { &p.gamma, &p.coef0, &p.cache_size, &p.C, &p.nu, &p.p };

	if (once_in(6))
		*number[decide(LENGTH(number))] = hostile_number();
	if (once_in(16))
		p.svm_type = hostile_int();
	if (once_in(16))
		p.kernel_type = hostile_int();
	if (once_in(8)) {
		p.nr_weight = 3;
		p.weight_label = label;
		p.weight = weight;
		weight[0] = once_in(4) ? hostile_number() : 2;
		weight[1] = weight[2] = 1;
	}
	return p;
}

/* ---- calls ---- */

static struct svm_model *a_model(void)
{
	return once_in(16) ? NULL : world.model[decide(N_SLOTS)];
}

static bool same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

/* Is the prediction one of the model's labels? */
static bool is_label(const struct svm_model *m, double predicted)
{
	int label[MOST_ROWS];
	bool found = false;

	svm_get_labels(m, label);
	for (int k = 0; k < svm_get_nr_class(m); k++)
		found |= predicted == label[k];
	return found;
}

static void predict_row(const struct svm_model *m, const struct svm_node *x)
{
	double value[MOST_PAIRS], probability[MOST_ROWS], predicted = svm_predict(m, x), sum = 0;
	const int type = svm_get_svm_type(m), n_class = svm_get_nr_class(m);
	const bool classifies = type == C_SVC || type == NU_SVC;

	REQUIRE(same(svm_predict_values(m, x, value), predicted));
	if (isnan(predicted))
		return;
	REQUIRE(!classifies || is_label(m, predicted));
	if (!svm_check_probability_model(m) || !classifies)
		return;
	predicted = svm_predict_probability(m, x, probability);
	REQUIRE(isnan(predicted) || is_label(m, predicted));
	for (int k = 0; k < n_class; k++)
		sum += probability[k];
	REQUIRE(isnan(sum) || fabs(sum - 1) < 1e-9);
}

static void call_predict(void)
{
	const struct svm_model *m = a_model();

	if (!m) {
		REQUIRE(isnan(svm_predict(m, world.x[0])));
		return;
	}
	for (int i = 0; i < world.prob.l; i++)
		predict_row(m, world.x[i]);
}

static void keep_model(struct svm_model *m)
{
	const int k = decide(N_SLOTS);

	if (!m)
		return;
	svm_free_and_destroy_model(&world.model[k]);
	REQUIRE(!world.model[k]);
	world.model[k] = m;
}

/* A model borrows the rows it was trained on, which change: it is kept by way of a file. */
static struct svm_model *through_file(struct svm_model *m)
{
	struct svm_model *loaded;

	REQUIRE(svm_save_model(world.file, m) == 0);
	loaded = svm_load_model(world.file);
	REQUIRE(loaded);
	for (int i = 0; i < world.prob.l; i++)
		REQUIRE(same(svm_predict(m, world.x[i]), svm_predict(loaded, world.x[i])));
	svm_free_and_destroy_model(&m);
	return loaded;
}

static void call_train(void)
{
	struct svm_parameter p = draw_parameter();
	const char *fault;
	struct svm_model *m;

	draw_problem();
	fault = svm_check_parameter(&world.prob, &p);
	if (once_in(12))
		mem_fail_after(decide(256));
	m = svm_train(once_in(64) ? NULL : &world.prob, once_in(64) ? NULL : &p);
	mem_fail_after(-1);
	/* LIBSVM 3.24 too trains one-class, without the probabilities that it says it has not */
	REQUIRE(!m || !fault || (p.svm_type == ONE_CLASS && p.probability));
	if (m)
		keep_model(through_file(m));
}

static void call_cross_validation(void)
{
	struct svm_parameter p = draw_parameter();
	double target[MOST_ROWS];

	draw_problem();
	svm_cross_validation(&world.prob, once_in(32) ? NULL : &p,
			     once_in(8) ? hostile_int() : 2 + decide(3), target);
}

static void call_load(void)
{
	keep_model(svm_load_model(once_in(8) ? "/nonexistent" : world.file));
}

static void call_getters(void)
{
	const struct svm_model *m = a_model();
	int *indices = calloc((size_t)svm_get_nr_sv(m) + 1, sizeof(*indices));

	REQUIRE(svm_get_nr_class(m) >= 0 && svm_get_nr_sv(m) >= 0);
	svm_get_sv_indices(m, indices);
	REQUIRE(!(svm_get_svr_probability(m) < 0));
	free(indices);
}

static void call_free(void)
{
	struct svm_model **m = &world.model[decide(N_SLOTS)];

	if (*m && once_in(2))
		svm_free_model_content(*m);
	svm_free_and_destroy_model(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const call[])(void) = { call_train,   call_train, call_train,
					      call_predict, call_load,	call_cross_validation,
					      call_getters, call_free };
	FILE *errors = stderr;

	decide_by(data, size);
	snprintf(world.file, sizeof(world.file), "/dev/shm/randsvm-shim.%ld", (long)getpid());
	svm_set_print_string_function(ignore);
	stderr = fopen("/dev/null", "w");
	REQUIRE(stderr);
	call_train();
	for (int k = 0; k < N_CALLS && decisions.next < decisions.end; k++)
		call[decide(LENGTH(call))]();
	for (int k = 0; k < N_SLOTS; k++)
		svm_free_and_destroy_model(&world.model[k]);
	unlink(world.file);
	fclose(stderr);
	stderr = errors;
	return 0;
}

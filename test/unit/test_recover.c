/*
 * test_recover.c - models recovered from multipliers by hand, and every allocation failing
 *
 * test/recover.sh has the rest: files, messages, and weights and constants against plain sums.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/recover.h"
#include "failing.h"
#include "matrix/dataset.h"
#include "random.h"
#include "unit.h"

enum { ROWS = 60, FEATURES = 30, COLUMNS = 7, CLASSES = 3, VECTORS = 21 };

/* Rows of three classes, a map, and a model of some of the rows, mapped. */
struct sample {
	struct dataset data;
	struct feature_map map;
	struct row_batch mapped;
	double label[ROWS];
	int64_t sv_row[VECTORS];
	double coef[2 * VECTORS];
};

static void sample_init(struct sample *s)
{
	const struct projection_options options = { .method = PROJECT_GAUSSIAN,
						    .seed = 9,
						    .n_columns = COLUMNS };
	struct map_room room = { 0 };
	struct row_batch rows;
	struct error err = { 0 };

	*s = (struct sample){ 0 };
	random_rows(&s->data.x, ROWS, FEATURES, 0.3);
	for (int i = 0; i < ROWS; i++)
		s->label[i] = 5 + i % CLASSES;
	s->data.y = s->label;
	rows = csr_as_batch(&s->data.x, s->label);
	s->data.max_index = rows.max_index;
	CHECK(feature_map_random(&s->map, &options, &err) == 0 &&
		      feature_map_apply(&s->map, (struct row_range){ &rows, 0, ROWS }, &s->mapped,
					&room, &err) == 0,
	      "%s", err.text);
	map_room_free(&room);
	/* seven vectors of each class: rows c, c + 2 * CLASSES, ... */
	for (int j = 0; j < VECTORS; j++) {
		s->sv_row[j] = j / 7 + 2 * CLASSES * (j % 7);
		s->coef[j] = random_between(0, 1);
		s->coef[VECTORS + j] = random_between(-1, 1);
	}
}

static void sample_free(struct sample *s)
{
	csr_free(&s->data.x);
	feature_map_free(&s->map);
	row_batch_free(&s->mapped);
}

/* The model, as a file would have it: values rounded to 8 digits. */
static int make_model(const struct sample *s, struct model *m, struct error *err)
{
	struct solution *to = &m->solution;

	*m = (struct model){ .type = MACHINE_C_SVC, .kernel = { .type = KERNEL_LINEAR } };
	*to = (struct solution){ .n_class = CLASSES, .n_sv = VECTORS };
	to->label = mem_array(CLASSES, sizeof(*to->label), err);
	to->n_sv_of_class = mem_array(CLASSES, sizeof(*to->n_sv_of_class), err);
	to->coef = mem_array(2 * VECTORS, sizeof(*to->coef), err);
	to->rho = mem_zeroed(CLASSES, sizeof(*to->rho), err);
	if (err->code != ERR_NONE)
		return -1;
	memcpy(to->coef, s->coef, sizeof(s->coef));
	for (int c = 0; c < CLASSES; c++) {
		to->label[c] = 5 + c;
		to->n_sv_of_class[c] = VECTORS / CLASSES;
	}
	for (int j = 0; j < VECTORS; j++) {
		int64_t first = s->mapped.row_start[s->sv_row[j]];
		int64_t start[2] = { 0, s->mapped.row_start[s->sv_row[j] + 1] - first };
		double value[COLUMNS];

		for (int64_t k = 0; k < start[1]; k++) {
			char text[32];

			snprintf(text, sizeof(text), "%.8g", s->mapped.value[first + k]);
			value[k] = strtod(text, NULL);
		}
		if (csr_append(&m->sv, 1, start, s->mapped.index + first, value, err) < 0)
			return -1;
	}
	return 0;
}

/* w of the pair (a, b), and its sum of sizes, in w[0] and w[1] */
static void weigh_plainly(const struct sample *s, int a, int b, double w[2][FEATURES + 1])
{
	memset(w, 0, 2 * sizeof(*w));
	for (int j = 0; j < VECTORS; j++) {
		int own = j / 7, other = own == a ? b : a;
		double coef = s->coef[(other < own ? other : other - 1) * VECTORS + j];
		const struct csr *x = &s->data.x;

		if (own != a && own != b)
			continue;
		for (int64_t k = x->row_start[s->sv_row[j]]; k < x->row_start[s->sv_row[j] + 1];
		     k++) {
			w[0][x->col[k]] += coef * x->val[k];
			w[1][x->col[k]] += fabs(coef * x->val[k]);
		}
	}
}

/* Row q of the compact model has the weights of pair q. */
static void expect_weights(const struct sample *s, const struct model *weights)
{
	int q = 0;

	for (int a = 0; a < CLASSES; a++)
		for (int b = a + 1; b < CLASSES; b++, q++) {
			double w[2][FEATURES + 1], found[FEATURES + 1] = { 0 };

			weigh_plainly(s, a, b, w);
			for (int64_t k = weights->sv.row_start[q]; k < weights->sv.row_start[q + 1];
			     k++)
				found[weights->sv.col[k]] = weights->sv.val[k];
			for (int j = 0; j <= FEATURES; j++)
				CHECK(fabs(found[j] - w[0][j]) <= 1e-14 * w[1][j],
				      "pair %d, feature %d: %.17g, not %.17g", q, j, found[j],
				      w[0][j]);
		}
}

static int recover(void *arg, struct error *err)
{
	struct sample *s = arg;
	const struct training training = { .C = 7 };
	const struct row_source source = { dataset_scan, &s->data };
	const struct recover_options options = {
		.map = &s->map, .sv_row = s->sv_row, .training = &training, .n_threads = 1
	};
	struct model m, weights = { 0 };
	int ret = make_model(s, &m, err);

	if (ret == 0)
		ret = model_recover(&m, &weights, &options, &source, err);
	CHECK(ret == 0 || (weights.sv.n_rows == 0 && !weights.solution.coef), "not empty");
	if (ret == 0)
		expect_weights(s, &weights);
	for (int q = 0; q < CLASSES && ret == 0; q++)
		CHECK(m.solution.rho[q] == weights.solution.rho[q] && m.solution.rho[q] != 0,
		      "rho %g, %g", m.solution.rho[q], weights.solution.rho[q]);
	model_free(&m);
	model_free(&weights);
	return ret;
}

static void test_recovery(void)
{
	struct error err = { 0 };
	struct sample s;

	sample_init(&s);
	CHECK(recover(&s, &err) == 0, "%s", err.text);
	fail_each_allocation("rows", recover, &s);
	sample_free(&s);
}

int main(void)
{
	test_recovery();
	return unit_report("recover");
}

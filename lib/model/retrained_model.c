/*
 * retrained_model.c - the coefficients of given support vectors, trained on data
 *
 * How this works.  For each pair the vectors of its two classes are the landmarks of a map of
 * nystrom.h.  The rows of the two classes are mapped (1), a linear machine is trained on what that
 * gives (2), and its weights are carried back to coefficients of the landmarks (3), which take the
 * place of the model's own.  Regressions and one class have one such machine, of all rows.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <string.h>

#include "base/interruption.h"
#include "base/mem.h"
#include "model/reduced_model.h"
#include "model/unproject.h"
#include "project/nystrom.h"
#include "train/machine.h"

/* Kernel cache of machines that are not solved by their weights, in 2^20 bytes: as -m 1000. */
#define CACHE_MB 1000

/* What all pairs share. */
struct retraining {
	struct model *m;
	const struct dataset *data;
	struct training training;
	struct classes classes; /* rows of each class; empty without classes */
	uint64_t seed;
	int n_threads;
};

/* ---- (1) ---- */

static int keep_rows(void *to, const struct row_batch *z, struct error *err)
{
	return dataset_append(to, z, err);
}

/* 'from' gives its weights to 'to' */
static int map_rows(struct dataset *to, struct dataset *from, const struct nystrom *map,
		    int n_threads, struct error *err)
{
	int ret = nystrom_map_rows(map, from, n_threads, keep_rows, to, err);

	to->weight = from->weight; /* rows stay in order */
	from->weight = NULL;
	return ret;
}

/* ---- (2) ---- */

static int train(struct model *linear, const struct dataset *z, const struct retraining *r,
		 struct error *err)
{
	const struct machine_given given = { .training = r->training,
					     .options = { .seed = r->seed,
							  .n_threads = r->n_threads },
					     .cache_mb = CACHE_MB };
	struct machine machine = { 0 };
	struct solution solution = { 0 };
	int ret = -1;

	if (machine_init(&machine, z, &given, err) == 0 &&
	    trainer_run(&machine.trainer, machine_classes(&machine), &solution, NULL, err) == 0 &&
	    interruption_check(err) == 0)
		ret = model_from_solution(linear, &r->training, &solution, &z->x, err);
	solution_free(&solution);
	machine_free(&machine);
	return ret;
}

/* ---- (3) ---- */

/* The landmarks of a pair: the vectors of class a, then those of class b. */
static int gather_landmarks(struct csr *landmarks, const struct model *m, int a, int b,
			    struct error *err)
{
	const struct solution *s = &m->solution;
	const int64_t n_a = s->n_sv_of_class[a], n_b = s->n_sv_of_class[b];
	int64_t *row = mem_array(n_a + n_b, sizeof(*row), err);
	int ret;

	for (int64_t i = 0; row && i < n_a + n_b; i++)
		row[i] = i < n_a ? solution_first_sv(s, a) + i : solution_first_sv(s, b) + i - n_a;
	ret = row ? csr_gather(landmarks, &m->sv, row, n_a + n_b, err) : -1;
	mem_free(row);
	return ret;
}

/*
 * The coefficients and the constant of the pair (a, b), whose number is q, from a folded model.
 * Vectors that depend on others are no landmarks of the map, and have coefficients of 0.
 */
static void take_coef(struct model *m, int a, int b, int64_t q, const struct model *folded,
		      const struct nystrom *map)
{
	struct solution *s = &m->solution;
	const int64_t n_a = s->n_sv_of_class[a], n_b = s->n_sv_of_class[b];
	double *of_a = solution_coef(s, a, b) + solution_first_sv(s, a);
	double *of_b = solution_coef(s, b, a) + solution_first_sv(s, b);
	/* a machine of two classes may have them in the other order */
	const double sign = s->label && folded->solution.label[0] != s->label[a] ? -1 : 1;

	memset(of_a, 0, (size_t)n_a * sizeof(*of_a));
	memset(of_b, 0, (size_t)n_b * sizeof(*of_b));
	for (int64_t t = 0; t < map->n_columns; t++) {
		const int64_t i = map->origin[t];

		*(i < n_a ? of_a + i : of_b + (i - n_a)) = sign * folded->solution.coef[t];
	}
	s->rho[q] = sign * folded->solution.rho[0];
}

/* ---- All pairs ---- */

/* The rows of classes a and b, or all rows. */
static int gather_rows(struct dataset *part, const struct retraining *r, int a, int b,
		       struct error *err)
{
	const struct classes *c = &r->classes;
	const int own[2] = { a, b };
	int64_t *row = mem_array(r->data->x.n_rows, sizeof(*row), err), n = 0;
	int ret;

	if (!row)
		return -1;
	for (int side = 0; side < 2 && c->n > 0; side++) {
		const int k = classes_find(c, r->m->solution.label[own[side]]);

		if (k < 0) {
			mem_free(row);
			return error_set(err, ERR_ARGUMENT, "no row has the label %d",
					 r->m->solution.label[own[side]]);
		}
		for (int64_t i = c->start[k]; i < c->start[k + 1]; i++)
			row[n++] = c->row[i];
	}
	for (int64_t i = 0; c->n == 0 && i < r->data->x.n_rows; i++)
		row[n++] = i;
	ret = dataset_gather(part, r->data, row, n, err);
	mem_free(row);
	return ret;
}

/* Steps (1) to (3) of a pair that has landmarks. */
static int retrain_mapped(struct retraining *r, int a, int b, int64_t q, const struct nystrom *map,
			  struct error *err)
{
	struct dataset rows = { 0 }, z = { 0 };
	struct model linear = { 0 }, folded = { 0 };
	int ret = -1;

	if (gather_rows(&rows, r, a, b, err) == 0 &&
	    map_rows(&z, &rows, map, r->n_threads, err) == 0 && train(&linear, &z, r, err) == 0 &&
	    model_of_landmarks(&folded, &linear, map, err) == 0) {
		take_coef(r->m, a, b, q, &folded, map);
		ret = 0;
	}
	dataset_free(&rows);
	dataset_free(&z);
	model_free(&linear);
	model_free(&folded);
	return ret;
}

static int retrain_pair(struct retraining *r, int a, int b, int64_t q, struct error *err)
{
	const struct solution *s = &r->m->solution;
	struct csr landmarks = { 0 };
	struct nystrom map = { 0 };
	int ret = -1;

	if (s->n_sv_of_class[a] + s->n_sv_of_class[b] == 0)
		return 0; /* a constant, which stays */
	if (gather_landmarks(&landmarks, r->m, a, b, err) == 0 &&
	    nystrom_fit(&map, &landmarks, &r->m->kernel, NULL, r->n_threads, err) == 0)
		ret = retrain_mapped(r, a, b, q, &map, err);
	nystrom_free(&map);
	csr_free(&landmarks);
	return ret;
}

int model_retrain(struct model *m, const struct dataset *d, const struct training *t, uint64_t seed,
		  int n_threads, struct error *err)
{
	struct retraining r = {
		.m = m, .data = d, .training = *t, .seed = seed, .n_threads = n_threads
	};
	struct solution *s = &m->solution;
	const int n_class = s->n_class;
	int64_t q = 0;
	int ret = 0;

	r.training.type = m->type;
	r.training.kernel = (struct kernel){ .type = KERNEL_LINEAR };
	r.training.cache_mb = TRAINING_USUAL_CACHE_MB;
	r.training.probability = 0;
	if (machine_classifies(m->type))
		ret = classes_init(&r.classes, d, err);
	for (int a = 0; a < n_class; a++)
		for (int b = a + 1; b < n_class && ret == 0; b++)
			ret = retrain_pair(&r, a, b, q++, err);
	classes_free(&r.classes);
	/* probabilities and marks were those of other decision values */
	mem_free_all(s->prob_a, s->prob_b, s->density_marks);
	s->prob_a = s->prob_b = s->density_marks = NULL;
	s->n_density_marks = 0;
	return ret < 0 ? ret : model_check(m, err);
}

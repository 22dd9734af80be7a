/*
 * rank_sums.c - sums over vectors, where the rows are
 *
 * A request, on all ranks at once:
 *
 *     announce                       the other ranks wake up
 *     list                           all ranks learn for which rows: rank_choice.h
 *     room, agree                    if a rank has no memory all leave it at that
 *     for some vectors at a time
 *         collect, agree             the vectors go to all ranks; a rank that failed before, or an
 *                                    interruption, end it for all
 *         coefficients               from rank 0
 *         sum                        each rank for its rows, to what it has so far
 *     agree                          a failure of the last sums is heard
 *     sums                           of each rank to rank 0, and there to their places
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ranks/rank_sums.h"

#include "base/clock.h"
#include "kernel/expansion.h"
#include "kernel/float_sums.h"
#include "problem/problem.h"
#include "ranks/rank_choice.h"

/*
 * Kernel values of a rank between two looks at whether an end is wanted, and the vectors that they
 * are of: whole groups of vectors (float_tile.h), so that no sum depends on it.
 */
#define VALUES_A_LOOK 2e8
#define LEAST_VECTORS 1024
#define MOST_VECTORS 65536

/* One request on a rank: its rows, by their places, and the sums of these so far. */
struct summing {
	struct rank_rows *rows;
	const struct rank_message *m;
	/* on rank 0; else NULL */
	const struct kernel_sums *sums;
	const struct sum_request *q;
	struct rank_choice targets; /* and the sums so far of those of this rank */
};

/* Add the sums over some vectors, in floats. */
static void add_floats(struct summing *s, struct float_vectors *vectors, const double *coef,
		       struct error *err)
{
	const struct float_rows rows = { &s->rows->floats, s->targets.own, s->targets.n_own };

	vectors->exact_sums = s->m->exact_sums;
	float_vectors_add_sums(rows, vectors, coef, s->targets.value, s->rows->n_threads, err);
}

/* The sums over all vectors, in doubles: those of an expansion, as one process computes them. */
static void sum_doubles(struct summing *s, const struct csr *vectors, const double *coef,
			struct error *err)
{
	/* one decision function, the pair (0, 1), with all vectors in class 0 */
	const int64_t n_of_class[2] = { vectors->n_rows, 0 };
	const struct support_vectors sv = { vectors, 2, n_of_class, coef };
	const struct row_view rows = csr_view(&s->rows->own, s->targets.own, s->targets.n_own);
	struct expansion e;

	if (expansion_init(&e, &s->m->kernel, sv, err) == 0)
		expansion_evaluate_rows(&e, rows, s->targets.value, s->rows->n_threads, err);
	expansion_free(&e);
}

static void add_sums(struct summing *s, struct rank_store *vectors, const double *coef,
		     struct error *err)
{
	double started = clock_seconds(CLOCK_MONOTONIC);

	if (err->code != ERR_NONE || s->targets.n_own == 0)
		return;
	if (s->m->in_floats)
		add_floats(s, &vectors->floats, coef, err);
	else
		sum_doubles(s, &vectors->doubles, coef, err);
	s->rows->sum_seconds += clock_seconds(CLOCK_MONOTONIC) - started;
}

/*
 * Vectors first .. first + n - 1 come to all ranks, and are summed; false if that is the end for all.
 * A failure of the sums is left in '*err' for the next agreement.
 */
static bool sum_block(struct summing *s, int64_t first, int64_t n, struct error *err)
{
	struct rank_choice c;
	struct rank_store vectors = { 0 };
	double *coef = mem_array(n, sizeof(*coef), err);
	const struct interruption *end = s->q ? s->sums->p->interruption : NULL;
	bool goes_on;

	if (s->q && interruption_requested(end ? end : interruption_of_scope()))
		error_set(err, ERR_INTERRUPTED, "interrupted");
	rank_choice_init(&c, s->rows, s->q ? (const int64_t *)s->sums->state + first : NULL, n,
			 err);
	if (s->q && coef)
		memcpy(coef, s->sums->coef + first, (size_t)n * sizeof(*coef));
	goes_on = rank_choice_collect(&c, s->rows, s->m->in_floats, RANK_ALL, &vectors, err);
	if (goes_on) {
		rank_group_broadcast(s->rows->group, coef, n * (int64_t)sizeof(*coef));
		add_sums(s, &vectors, coef, err);
	}
	rank_choice_free(&c);
	rank_store_free(&vectors);
	mem_free(coef);
	return goes_on;
}

/* The request after its announcement. */
static int run(struct summing *s, struct error *err)
{
	struct rank_choice *c = &s->targets;
	bool goes_on;

	rank_choice_init(c, s->rows, s->q ? s->q->row : NULL, s->q ? s->q->n : 0, err);
	goes_on = rank_agree(s->rows, err);
	for (int64_t first = 0; goes_on && first < s->m->n; first += s->m->block)
		goes_on = sum_block(s, first, int64_min(s->m->block, s->m->n - first), err);
	if (goes_on && rank_agree(s->rows, err))
		rank_choice_move(c, s->rows, s->q ? s->q->value : NULL, true);
	/* float_vectors_add_sums() has counted the values of this rank's rows */
	if (goes_on && s->q && s->m->in_floats)
		float_vectors_count(&s->rows->floats, (c->n - c->n_own) * s->m->n);
	else if (goes_on && s->q && s->m->kernel.type != KERNEL_LINEAR)
		work_count(WORK_DOUBLES, c->n * s->m->n);
	rank_choice_free(c);
	return err->code == ERR_NONE ? 0 : -1;
}

/* Vectors that are sent at a time. */
static int64_t block_of(const struct rank_rows *rows, const struct kernel_sums *s,
			const struct sum_request *q)
{
	double values = VALUES_A_LOOK * rows->group->size / ((double)q->n + 1);
	int64_t n = (int64_t)fmin(fmax(values, LEAST_VECTORS), MOST_VECTORS);

	return s->source->in_floats ? n / LEAST_VECTORS * LEAST_VECTORS :
				      int64_max(s->n_vectors, 1);
}

int rank_rows_sum(struct rank_rows *rows, const struct kernel_sums *s, const struct sum_request *q,
		  struct error *err)
{
	const struct rank_message m = { .command = RANK_SUMS,
					.in_floats = s->source->in_floats,
					.exact_sums = s->exact,
					.kernel = s->p->kernel,
					.n = s->n_vectors,
					.block = block_of(rows, s, q) };
	struct summing summing = { .rows = rows, .m = &m, .sums = s, .q = q };

	rank_announce(rows->group, m);
	rows->n_requests++;
	return run(&summing, err);
}

void rank_sums_serve(struct rank_rows *rows, const struct rank_message *m)
{
	struct summing s = { .rows = rows, .m = m };

	run(&s, &(struct error){ 0 });
}

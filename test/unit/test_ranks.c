/*
 * test_ranks.c - sums on several ranks, which are threads here, against those of one process
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/mem_bound.h"
#include "failing.h"
#include "full.h"
#include "plain_problem.h"
#include "random.h"
#include "ranks/rank_group.h"
#include "ranks/rank_messages.h"
#include "ranks/rank_sums.h"
#include "unit.h"
#include "world.h"

enum { N = 3 * RANK_SUMS_BLOCK + 100, D = 6, N_VECTORS = 40, MOST_RANKS = 7 };

/* ---- a group whose ranks are threads, and what they say goes through pipes ---- */

struct pipes {
	int to[MOST_RANKS][2], from[MOST_RANKS][2]; /* to and from rank 0 */
};

static void move_bytes(int fd, char *data, int64_t n_bytes, bool writes)
{
	while (n_bytes > 0) {
		ssize_t n =
			writes ? write(fd, data, (size_t)n_bytes) : read(fd, data, (size_t)n_bytes);

		if (!CHECK(n > 0, "a pipe ended"))
			_exit(1);
		data += n;
		n_bytes -= n;
	}
}

static void pipes_send(struct rank_group *g, int to, const void *data, int64_t n_bytes)
{
	const struct pipes *p = g->arg;

	move_bytes(g->rank == 0 ? p->to[to][1] : p->from[g->rank][1], (char *)data, n_bytes, true);
}

static void pipes_receive(struct rank_group *g, int from, void *data, int64_t n_bytes)
{
	const struct pipes *p = g->arg;

	move_bytes(g->rank == 0 ? p->from[from][0] : p->to[g->rank][0], data, n_bytes, false);
}

static void pipes_broadcast(struct rank_group *g, void *data, int64_t n_bytes)
{
	if (g->rank > 0)
		pipes_receive(g, 0, data, n_bytes);
	for (int rank = 1; g->rank == 0 && rank < g->size; rank++)
		pipes_send(g, rank, data, n_bytes);
}

static const struct rank_group_calls calls = { pipes_broadcast, pipes_broadcast, pipes_send,
					       pipes_receive, NULL };

struct crowd {
	struct pipes pipes;
	struct rank_group group[MOST_RANKS];
	pthread_t thread[MOST_RANKS];
	int status[MOST_RANKS];
	struct rank_sums ranks;
};

struct member {
	struct crowd *crowd;
	int rank;
};

static void *evaluate(void *arg)
{
	const struct member *m = arg;

	m->crowd->status[m->rank] = rank_service_run(&m->crowd->group[m->rank], 1 + m->rank % 2);
	return NULL;
}

static void crowd_start(struct crowd *c, struct member *member, int size)
{
	struct error err = { 0 };

	memset(c, 0, sizeof(*c));
	for (int rank = 0; rank < size; rank++) {
		c->group[rank] = (struct rank_group){
			.rank = rank, .size = size, .calls = &calls, .arg = &c->pipes
		};
		member[rank] = (struct member){ c, rank };
		if (rank > 0 &&
		    CHECK(pipe(c->pipes.to[rank]) == 0 && pipe(c->pipes.from[rank]) == 0,
			  "no pipes"))
			pthread_create(&c->thread[rank], NULL, evaluate, &member[rank]);
	}
	CHECK(rank_sums_init(&c->ranks, &c->group[0], &err) == 0, "%s", err.text);
	c->ranks.least_work = 0;
}

static void crowd_end(struct crowd *c)
{
	int size = c->group[0].size;

	rank_sums_end(&c->ranks, 5);
	for (int rank = 1; rank < size; rank++) {
		pthread_join(c->thread[rank], NULL);
		CHECK(c->status[rank] == 5, "status %d", c->status[rank]);
		for (int end = 0; end < 2; end++) {
			close(c->pipes.to[rank][end]);
			close(c->pipes.from[rank][end]);
		}
	}
}

/* ---- rows, vectors among them, and lists of rows ---- */

/* Rows, and vectors chosen from the rows, in floats and in doubles. */
struct vector_world {
	struct world w;
	struct csr sv;
	struct float_vectors vectors;
	struct expansion expansion;
	double coef[N_VECTORS];
	int64_t chosen[N_VECTORS]; /* rows that the vectors are */
	int64_t list[N];
};

/* Of 'share' of the columns; with a large offset floats are too coarse for products. */
static void vectors_init(struct vector_world *v, enum kernel_type type, double share, double offset)
{
	const int64_t n_of_class[2] = { N_VECTORS, 0 };
	const struct support_vectors sv = { &v->sv, 2, n_of_class, v->coef };
	const struct kernel kernel = { .type = type, .degree = 2, .gamma = 0.1, .coef0 = 0.5 };
	double *full = full_zeros(N, D);
	struct error err = { 0 };

	memset(v, 0, sizeof(*v));
	world_init(&v->w, (struct problem_view){ .kernel = kernel, .n = N });
	for (int64_t k = 0; k < N * D; k++)
		full[k] = random_unit() < share ? offset + random_normal() : 0;
	world_rows(&v->w, full, D);
	world_use_single(&v->w);
	for (int j = 0; j < N_VECTORS; j++) {
		v->chosen[j] = random_below(N);
		v->coef[j] = random_normal();
	}
	CHECK(float_vectors_gather(&v->vectors, &v->w.single, v->chosen, N_VECTORS, &err) == 0 &&
		      csr_gather(&v->sv, &v->w.x, v->chosen, N_VECTORS, &err) == 0 &&
		      expansion_init(&v->expansion, &v->w.p.kernel, &sv, &err) == 0,
	      "%s", err.text);
}

static void vectors_free(struct vector_world *v)
{
	expansion_free(&v->expansion);
	float_vectors_free(&v->vectors);
	csr_free(&v->sv);
	world_free(&v->w);
}

/* All rows, some of them in order, or n in no order. */
static int64_t make_list(struct vector_world *v, int kind)
{
	int64_t n = 0;

	for (int64_t i = 0; i < N; i++)
		if (kind == 0 || (kind == 1 && random_unit() < 0.1))
			v->list[n++] = i;
	for (; kind > 1 && n < kind; n++)
		v->list[n] = random_below(N);
	return n;
}

static int float_sums(struct helpers *helpers, const struct vector_world *v, int64_t n, double *out,
		      struct error *err)
{
	struct float_rows rows = { &v->w.single, v->list, n };

	return helpers_float_sums(helpers, rows, &v->vectors, v->coef, out, 2, err);
}

static int double_sums(struct helpers *helpers, const struct vector_world *v, int64_t n,
		       double *out, struct error *err)
{
	const struct helped_expansion r = { &v->w.x, &v->expansion, &v->sv, v->coef };

	return helpers_expand(helpers, &r, v->list, n, out, 2, err);
}

typedef int sums(struct helpers *helpers, const struct vector_world *v, int64_t n, double *out,
		 struct error *err);

/* The sum of a row by its definition. */
static void check_sum(const struct vector_world *v, int64_t row, double sum)
{
	double plain = 0, size = 0;

	for (int j = 0; j < N_VECTORS; j++) {
		double term =
			v->coef[j] * plain_row_kernel(&v->w.p.kernel, &v->w.x, row, v->chosen[j]);

		plain += term;
		size += fabs(term);
	}
	CHECK(fabs(sum - plain) <= 1e-5 * size + 1e-30, "sum %g, not %g", sum, plain);
}

static void compare(struct helpers *helpers, struct vector_world *v, int kind, sums *sum)
{
	static double alone[N], together[N];
	struct error err = { 0 };
	int64_t n = make_list(v, kind);

	CHECK(sum(NULL, v, n, alone, &err) == 0 && sum(helpers, v, n, together, &err) == 0, "%s",
	      err.text);
	CHECK(memcmp(alone, together, (size_t)n * sizeof(*alone)) == 0, "kind %d: other bytes",
	      kind);
	for (int k = 0; k < 5; k++)
		check_sum(v, v->list[k], together[k]);
}

static void test_sums(int size, enum kernel_type type, double share, double offset)
{
	static struct vector_world v;
	static struct crowd crowd;
	struct member member[MOST_RANKS];

	vectors_init(&v, type, share, offset);
	crowd_start(&crowd, member, size);
	for (int kind = 0; kind < 4; kind++) {
		compare(&crowd.ranks.helpers, &v, kind < 3 ? kind : 5000, float_sums);
		compare(&crowd.ranks.helpers, &v, kind < 3 ? kind : 5000, double_sums);
	}
	CHECK(crowd.ranks.n_requests == (size > 1 ? 8 : 0), "%d requests",
	      (int)crowd.ranks.n_requests);
	/* what is too small is not sent */
	crowd.ranks.least_work = 1e12;
	compare(&crowd.ranks.helpers, &v, 0, float_sums);
	CHECK(crowd.ranks.n_requests == (size > 1 ? 8 : 0), "a small request was sent");
	crowd_end(&crowd);
	vectors_free(&v);
}

/* Whichever allocation of any rank fails, the error is told and the next request is understood. */
static void test_memory(sums *sum)
{
	static struct vector_world v;
	static struct crowd crowd;
	static double out[N];
	struct member member[MOST_RANKS];
	int64_t n;
	int failures = 0, ret = -1;

	vectors_init(&v, KERNEL_RBF, 0.5, 0);
	crowd_start(&crowd, member, 3);
	n = make_list(&v, 1);
	for (int after = 0; ret < 0; after++) {
		struct error err = { 0 };

		helpers_forget(&crowd.ranks.helpers);
		mem_fail_after(after);
		ret = sum(&crowd.ranks.helpers, &v, n, out, &err);
		mem_fail_after(-1);
		CHECK(ret == 0 || err.code == ERR_MEMORY, "after %d: %s", after, err.text);
		failures += ret < 0 && strncmp(err.text, "rank ", 5) == 0;
		compare(&crowd.ranks.helpers, &v, 1, sum);
	}
	CHECK(failures > 4, "%d failures on other ranks", failures);
	crowd_end(&crowd);
	vectors_free(&v);
}

int main(void)
{
	static const int sizes[] = { 1, 2, 3, 4, 7 };

	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		test_sums(sizes[s], KERNEL_RBF, 1, 0);
		test_sums(sizes[s], KERNEL_RBF, 0.4, 0);
	}
	test_sums(3, KERNEL_RBF, 1, 3000);
	test_sums(3, KERNEL_RBF, 0.4, 300);
	test_sums(2, KERNEL_POLYNOMIAL, 1, 0);
	test_sums(2, KERNEL_SIGMOID, 0.4, 0);
	test_memory(float_sums);
	test_memory(double_sums);
	return unit_report("ranks");
}

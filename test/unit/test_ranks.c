/*
 * test_ranks.c - sums on several ranks, which are threads here, against those of one process
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "failing.h"
#include "full.h"
#include "random.h"
#include "ranks/rank_group.h"
#include "ranks/rank_messages.h"
#include "ranks/rank_service.h"
#include "ranks/rank_sums.h"
#include "unit.h"

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

struct world {
	struct csr x, sv;
	struct kernel kernel;
	struct float_vectors floats, vectors;
	struct expansion expansion;
	double coef[N_VECTORS];
	int64_t list[N];
};

/* Of 'share' of the columns; with a large offset floats are too coarse for products. */
static void world_init(struct world *w, enum kernel_type type, double share, double offset)
{
	const int64_t n_of_class[2] = { N_VECTORS, 0 };
	const struct support_vectors sv = { &w->sv, 2, n_of_class, w->coef };
	double *full = full_zeros(N, D);
	struct error err = { 0 };
	int64_t chosen[N_VECTORS];

	memset(w, 0, sizeof(*w));
	w->kernel = (struct kernel){ .type = type, .degree = 2, .gamma = 0.1, .coef0 = 0.5 };
	for (int64_t k = 0; k < N * D; k++)
		full[k] = random_unit() < share ? offset + random_normal() : 0;
	full_rows(&w->x, full, N, D, 0, 1);
	free(full);
	for (int j = 0; j < N_VECTORS; j++) {
		chosen[j] = random_below(N);
		w->coef[j] = random_normal();
	}
	CHECK(float_vectors_init(&w->floats, &w->x, &w->kernel, &err) == 0 &&
		      float_vectors_gather(&w->vectors, &w->floats, chosen, N_VECTORS, &err) == 0 &&
		      csr_gather(&w->sv, &w->x, chosen, N_VECTORS, &err) == 0 &&
		      expansion_init(&w->expansion, &w->kernel, &sv, &err) == 0,
	      "%s", err.text);
}

static void world_free(struct world *w)
{
	expansion_free(&w->expansion);
	float_vectors_free(&w->vectors);
	float_vectors_free(&w->floats);
	csr_free(&w->sv);
	csr_free(&w->x);
}

/* All rows, some of them in order, or n in no order. */
static int64_t make_list(struct world *w, int kind)
{
	int64_t n = 0;

	for (int64_t i = 0; i < N; i++)
		if (kind == 0 || (kind == 1 && random_unit() < 0.1))
			w->list[n++] = i;
	for (; kind > 1 && n < kind; n++)
		w->list[n] = random_below(N);
	return n;
}

static int float_sums(struct helpers *helpers, const struct world *w, int64_t n, double *out,
		      struct error *err)
{
	struct float_rows rows = { &w->floats, w->list, n };

	return helpers_float_sums(helpers, rows, &w->vectors, w->coef, out, 2, err);
}

static int double_sums(struct helpers *helpers, const struct world *w, int64_t n, double *out,
		       struct error *err)
{
	const struct helped_expansion r = { &w->x, &w->expansion, &w->sv, w->coef };

	return helpers_expand(helpers, &r, w->list, n, out, 2, err);
}

typedef int sums(struct helpers *helpers, const struct world *w, int64_t n, double *out,
		 struct error *err);

static void compare(struct helpers *helpers, struct world *w, int kind, sums *sum)
{
	static double alone[N], together[N];
	struct error err = { 0 };
	int64_t n = make_list(w, kind);

	CHECK(sum(NULL, w, n, alone, &err) == 0 && sum(helpers, w, n, together, &err) == 0, "%s",
	      err.text);
	CHECK(memcmp(alone, together, (size_t)n * sizeof(*alone)) == 0, "kind %d: other bytes",
	      kind);
}

static void test_sums(int size, enum kernel_type type, double share, double offset)
{
	static struct world w;
	static struct crowd crowd;
	struct member member[MOST_RANKS];

	world_init(&w, type, share, offset);
	crowd_start(&crowd, member, size);
	for (int kind = 0; kind < 4; kind++) {
		compare(&crowd.ranks.helpers, &w, kind < 3 ? kind : 5000, float_sums);
		compare(&crowd.ranks.helpers, &w, kind < 3 ? kind : 5000, double_sums);
	}
	CHECK(crowd.ranks.n_requests == (size > 1 ? 8 : 0), "%d requests",
	      (int)crowd.ranks.n_requests);
	/* what is too small is not sent */
	crowd.ranks.least_work = 1e12;
	compare(&crowd.ranks.helpers, &w, 0, float_sums);
	CHECK(crowd.ranks.n_requests == (size > 1 ? 8 : 0), "a small request was sent");
	crowd_end(&crowd);
	world_free(&w);
}

/* Whichever allocation of any rank fails, the error is told and the next request is understood. */
static void test_memory(sums *sum)
{
	static struct world w;
	static struct crowd crowd;
	static double out[N];
	struct member member[MOST_RANKS];
	int64_t n;
	int failures = 0, ret = -1;

	world_init(&w, KERNEL_RBF, 0.5, 0);
	crowd_start(&crowd, member, 3);
	n = make_list(&w, 1);
	for (int after = 0; ret < 0; after++) {
		struct error err = { 0 };

		helpers_forget(&crowd.ranks.helpers);
		mem_fail_after(after);
		ret = sum(&crowd.ranks.helpers, &w, n, out, &err);
		mem_fail_after(-1);
		CHECK(ret == 0 || err.code == ERR_MEMORY, "after %d: %s", after, err.text);
		failures += ret < 0 && strncmp(err.text, "rank ", 5) == 0;
		compare(&crowd.ranks.helpers, &w, 1, sum);
	}
	CHECK(failures > 4, "%d failures on other ranks", failures);
	crowd_end(&crowd);
	world_free(&w);
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

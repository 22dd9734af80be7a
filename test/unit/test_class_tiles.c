/*
 * test_class_tiles.c - kernel rows of pairs of classes from shared tiles
 *
 * On 1 to 4 threads where it says so.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/thread.h"
#include "failing.h"
#include "kernel/float_form.h"
#include "kernel/float_sums.h"
#include "source/class_tiles.h"
#include "plain_problem.h"
#include "random.h"
#include "smo/smo.h"
#include "train/trainer.h"
#include "unit.h"

enum { MAX_ROWS = 320, MAX_CLASSES = 6, N_COLUMNS = 9 };

/* Classes of awkward sizes, their rows mixed, and all that is made of them. */
struct sample {
	struct dataset d;
	double y[MAX_ROWS];
	struct classes classes;
	struct training training;
	struct float_vectors single;
	struct class_tiles tiles;
};

static const int64_t sizes[MAX_CLASSES] = { 17, 1, 64, 130, 15, 66 };

/* Classes, rows and their floats; no tiles yet. */
static void make_rows(struct sample *s, enum kernel_type kernel, int32_t n_cols, double density)
{
	int64_t left[MAX_CLASSES], n = 0;
	struct error err = { 0 };

	memset(s, 0, sizeof(*s));
	memcpy(left, sizes, sizeof(left));
	for (int k = 0; k < MAX_CLASSES; k++)
		n += sizes[k];
	for (int64_t i = 0; i < n; i++) {
		int64_t k = random_below(MAX_CLASSES);

		while (left[k] == 0)
			k = (k + 1) % MAX_CLASSES;
		left[k]--;
		s->y[i] = (double)k;
	}
	s->d.y = s->y;
	random_rows(&s->d.x, n, n_cols, density);
	s->training = (struct training){ .type = MACHINE_C_SVC,
					 .C = 3,
					 .eps = 1e-3,
					 .cache_mb = 10,
					 .kernel = { kernel, 2, 0.3 / n_cols, 0.5 } };
	CHECK(classes_init(&s->classes, &s->d, &err) == 0 &&
		      float_vectors_init(&s->single, &s->d.x, &s->training.kernel, &err) == 0,
	      "%s", err.text);
}

/* Tiles, and places for a share of the values, as many as class_tiles_share() says. */
static void sample_init(struct sample *s, enum kernel_type kernel, int32_t n_cols, double density)
{
	const double share = (double)(1 + random_below(4)) / 4;
	struct error err = { 0 };
	double bytes;

	make_rows(s, kernel, n_cols, density);
	bytes = class_tiles_bytes(&s->single, &s->classes, share);
	CHECK(fabs(class_tiles_share(&s->single, &s->classes, bytes) - share) < 1e-9 &&
		      class_tiles_share(&s->single, &s->classes, 1e3 * bytes) == 1 &&
		      class_tiles_share(&s->single, &s->classes, 0) < 0,
	      "share %g", share);
	CHECK(class_tiles_init(&s->tiles, &s->single, &s->classes, share, &err) == 0, "%s",
	      err.text);
}

static void sample_free(struct sample *s)
{
	class_tiles_free(&s->tiles);
	float_vectors_free(&s->single);
	classes_free(&s->classes);
	csr_free(&s->d.x);
}

/* n rows of a pair into out[.][MAX_ROWS]; what is beyond the pair stays as it was. */
static void get_rows(const struct class_pair *pair, const int64_t *example, int n,
		     float (*out)[MAX_ROWS])
{
	struct error err = { 0 };
	float *room = mem_aligned(class_pair_room(pair), sizeof(*room), &err);
	float *to[MAX_CLASS_ROWS];

	for (int u = 0; u < n; u++)
		to[u] = out[u];
	CHECK(room && class_pair_rows(pair, example, n, room, to, &err) == 0, "%s", err.text);
	free(room);
}

static void expect_rows(const struct sample *s, const struct problem *p, const int64_t *example,
			int n, float (*out)[MAX_ROWS])
{
	const struct kernel *k = &s->training.kernel;

	for (int u = 0; u < n; u++) {
		int64_t i = p->row[example[u]];

		for (int64_t j = 0; j < p->view.n; j++) {
			double wanted = plain_row_kernel(k, &s->d.x, i, p->row[j]);
			double size =
				sqrt(fabs(plain_row_kernel(k, &s->d.x, i, i) *
					  plain_row_kernel(k, &s->d.x, p->row[j], p->row[j])));

			CHECK(fabs(out[u][j] - wanted) <= FLOAT_TOLERANCE * size,
			      "row %" PRId64 ", %" PRId64 ": %g, not %g", i, j, out[u][j], wanted);
		}
		CHECK(out[u][p->view.n] == -7, "written beyond the pair");
	}
}

/* Any rows of any pair, several at once, in any order: the kernel's, and always the same bits. */
static void test_rows(enum kernel_type kernel, int32_t n_cols, double density)
{
	static struct sample s;
	static float first[MAX_CLASS_ROWS][MAX_ROWS], again[MAX_CLASS_ROWS][MAX_ROWS];

	sample_init(&s, kernel, n_cols, density);
	for (int round = 0; round < 200; round++) {
		int a = (int)random_below(MAX_CLASSES - 1);
		int b = a + 1 + (int)random_below(MAX_CLASSES - 1 - a), n;
		struct class_pair pair = { .tiles = &s.tiles, .a = a, .b = b };
		int64_t example[MAX_CLASS_ROWS];
		struct error err = { 0 };
		struct problem p;

		if (!CHECK(classes_pair_problem(&p, &s.classes, (struct class_choice){ a, b, true },
						&s.d, &s.training, &err) == 0,
			   "%s", err.text))
			break;
		n = 1 + (int)random_below(p.view.n < MAX_CLASS_ROWS ? p.view.n : MAX_CLASS_ROWS);
		for (int u = 0; u < n; u++) {
			example[u] =
				u == 0 ? random_below(p.view.n) : (example[u - 1] + 1) % p.view.n;
			for (int64_t j = 0; j < MAX_ROWS; j++)
				first[u][j] = again[u][j] = -7;
		}
		get_rows(&pair, example, n, first);
		expect_rows(&s, &p, example, n, first);
		for (int u = 0; u < n; u++)
			get_rows(&pair, &example[u], 1, again + u);
		CHECK(!memcmp(first, again, (size_t)n * sizeof(*first)), "other bits");
		problem_free(&p);
	}
	sample_free(&s);
}

/* Without tiles: values within classes, whatever the threads, and between the classes of any pair. */
static void test_whole(enum kernel_type kernel, bool wide, int n_threads)
{
	static struct sample s;
	static float row[MAX_CLASS_ROWS][MAX_ROWS];
	struct class_cross cross;
	struct error err = { 0 };

	make_rows(&s, kernel, N_COLUMNS, 0.5);
	if (wide) { /* all exponents above 2.4 need products in doubles */
		float_vectors_free(&s.single);
		s.training.kernel.gamma = 3;
		CHECK(float_vectors_init(&s.single, &s.d.x, &s.training.kernel, &err) == 0 &&
			      s.single.in_doubles,
		      "not wide");
	}
	CHECK(class_tiles_init_whole(&s.tiles, &s.single, &s.classes, n_threads, &err) == 0 &&
		      class_cross_init(&cross, &s.tiles.by_class, &s.classes, &err) == 0,
	      "%s", err.text);
	for (int round = 0; round < 100; round++) {
		int a = (int)random_below(MAX_CLASSES - 1);
		int b = a + 1 + (int)random_below(MAX_CLASSES - 1 - a);
		struct class_pair pair = { .tiles = &s.tiles, .a = a, .b = b, .cross = &cross };
		struct problem p;

		if (!CHECK(classes_pair_problem(&p, &s.classes, (struct class_choice){ a, b, true },
						&s.d, &s.training, &err) == 0 &&
				   class_cross_compute(&cross, a, b, &err) == 0,
			   "%s", err.text))
			break;
		for (int64_t i = 0; i < p.view.n; i += 1 + random_below(9)) {
			for (int64_t j = 0; j < MAX_ROWS; j++)
				row[0][j] = -7;
			get_rows(&pair, &i, 1, row);
			expect_rows(&s, &p, &i, 1, row);
		}
		problem_free(&p);
	}
	class_cross_free(&cross);
	sample_free(&s);
}

/* Sums over all examples, as those of float_vectors_sums() to the bit. */
static void test_sums(enum kernel_type kernel, double density)
{
	static struct sample s;
	double coef[MAX_ROWS], wanted[MAX_ROWS], sum[MAX_ROWS];
	struct float_vectors vectors = { 0 };
	struct error err = { 0 };
	struct problem p;

	sample_init(&s, kernel, N_COLUMNS, density);
	CHECK(classes_pair_problem(&p, &s.classes, (struct class_choice){ 1, 3, true }, &s.d,
				   &s.training, &err) == 0 &&
		      float_vectors_gather(&vectors, &s.single, p.row, p.view.n, &err) == 0,
	      "%s", err.text);
	for (int64_t i = 0; i < p.view.n; i++)
		coef[i] = random_normal();
	CHECK(float_vectors_sums((struct float_rows){ &s.single, p.row, p.view.n }, &vectors, coef,
				 wanted, 2, &err) == 0 &&
		      class_pair_sums(&(struct class_pair){ .tiles = &s.tiles, .a = 1, .b = 3 },
				      &vectors, coef, sum, &err) == 0,
	      "%s", err.text);
	CHECK(!memcmp(sum, wanted, (size_t)p.view.n * sizeof(*sum)), "other sums");
	float_vectors_free(&vectors);
	problem_free(&p);
	sample_free(&s);
}

/* Row i of its own class against the next, for all rows at once, from several threads. */
struct asking {
	const struct sample *s;
	float (*out)[MAX_ROWS];
};

static void ask(void *arg, int64_t task, int thread)
{
	const struct asking *asking = arg;
	int k = (int)(task % MAX_CLASSES),
	    other = (k + 1 + thread % (MAX_CLASSES - 1)) % MAX_CLASSES;
	bool is_a = k < other;
	struct class_pair pair = { .tiles = &asking->s->tiles,
				   .a = is_a ? k : other,
				   .b = is_a ? other : k };
	const struct classes *c = &asking->s->classes;
	int64_t n_a = c->start[pair.a + 1] - c->start[pair.a], n = c->start[k + 1] - c->start[k];
	int64_t i = task / MAX_CLASSES % n, example = is_a ? i : n_a + i;
	static _Thread_local float row[1][MAX_ROWS];

	get_rows(&pair, &example, 1, row);
	/* each task its own place: all that ask for a row of a class get the same */
	memcpy(asking->out[task], row[0] + (is_a ? 0 : n_a), (size_t)n * sizeof(float));
}

static void test_threads(void)
{
	enum { TASKS = MAX_CLASSES * 300 };
	static struct sample s;
	static float out[TASKS][MAX_ROWS];
	struct asking asking = { &s, out };

	sample_init(&s, KERNEL_RBF, N_COLUMNS, 0.7);
	thread_parallel_for(4, TASKS, ask, &asking);
	for (int64_t t = 0; t < TASKS; t++) {
		int k = (int)(t % MAX_CLASSES);
		const int64_t *row = s.classes.row + s.classes.start[k];
		int64_t n = s.classes.start[k + 1] - s.classes.start[k], i = t / MAX_CLASSES % n;

		for (int64_t j = 0; j < n; j++) {
			double wanted =
				plain_row_kernel(&s.training.kernel, &s.d.x, row[i], row[j]);

			CHECK(fabs(out[t][j] - wanted) <= FLOAT_TOLERANCE, "%g, not %g", out[t][j],
			      wanted);
		}
		CHECK(t < MAX_CLASSES * n ||
			      !memcmp(out[t], out[t - MAX_CLASSES * n], (size_t)n * sizeof(float)),
		      "row %" PRId64 " of class %d has other bits", i, k);
	}
	sample_free(&s);
}

static void train(const struct sample *s, double cache_mb, int n_threads, struct solution *solution,
		  struct pair_result *pairs)
{
	struct solver solver = smo_solver(cache_mb, n_threads);
	struct randsvm_options options = { .mode = WORKING_SET_EXACT,
					   .seed = 3,
					   .eps = 1e-3,
					   .epsilon = 0.2,
					   .delta = 0.9,
					   .sample_factor = 2,
					   .n_threads = n_threads };
	struct trainer trainer = {
		.data = &s->d, .training = &s->training, .options = &options, .solver = &solver
	};
	struct error err = { 0 };

	CHECK(trainer_run(&trainer, &s->classes, solution, pairs, &err) == 0, "%s", err.text);
}

/* One more training of the sample, the same bits as in 'first'. */
static void train_again(const struct sample *s, double cache_mb, int n_threads,
			const struct solution *first, const struct pair_result *pairs)
{
	struct solution other = { 0 };
	struct pair_result theirs[MAX_CLASSES * (MAX_CLASSES - 1) / 2];
	size_t n_rho = (size_t)solution_n_pairs(MAX_CLASSES);

	train(s, cache_mb, n_threads, &other, theirs);
	CHECK(other.n_sv == first->n_sv &&
		      !memcmp(other.coef, first->coef,
			      (size_t)first->n_sv * (MAX_CLASSES - 1) * sizeof(double)) &&
		      !memcmp(other.rho, first->rho, n_rho * sizeof(double)),
	      "%d threads, %g MB: another solution", n_threads, cache_mb);
	for (size_t q = 0; q < n_rho; q++)
		CHECK(theirs[q].solved.certificate.primal == pairs[q].solved.certificate.primal &&
			      theirs[q].solved.certificate.dual ==
				      pairs[q].solved.certificate.dual &&
			      pairs[q].solved.certificate.n_violators == 0,
		      "%d threads, %g MB: another certificate", n_threads, cache_mb);
	solution_free(&other);
}

/*
 * Neither threads nor room for tiles change a bit: with little cache, or more threads than pairs,
 * there are none.
 */
static void test_same_solution(void)
{
	static const double cache_mb[] = { 10, 1e-3, 1e-3, 10 };
	static const int n_threads[] = { 4, 1, 3, 16 };
	static struct sample s;
	struct solution first = { 0 };
	struct pair_result pairs[MAX_CLASSES * (MAX_CLASSES - 1) / 2];

	sample_init(&s, KERNEL_RBF, N_COLUMNS, 0.7);
	train(&s, 10, 1, &first, pairs);
	for (int t = 0; t < 4; t++)
		train_again(&s, cache_mb[t], n_threads[t], &first, pairs);
	solution_free(&first);
	sample_free(&s);
}

/* Of very sparse rows nor do threads. */
static void test_same_sparse_solution(enum kernel_type kernel)
{
	static const int n_threads[] = { 2, 4, 16 };
	static struct sample s;
	struct solution first = { 0 };
	struct pair_result pairs[MAX_CLASSES * (MAX_CLASSES - 1) / 2];

	make_rows(&s, kernel, 5000, 0.003);
	CHECK(class_tiles_fill(&s.single, &s.classes) < 0.01, "not so sparse");
	train(&s, 10, 1, &first, pairs);
	/* a linear kernel too is solved by its values, not by weights */
	CHECK(pairs[0].solved.reason == STOP_WHOLE_SET, "%s",
	      stop_reason_text(pairs[0].solved.reason));
	for (int t = 0; t < 3; t++)
		train_again(&s, 10, n_threads[t], &first, pairs);
	solution_free(&first);
	sample_free(&s);
}

static int make_tiles(void *arg, struct error *err)
{
	const struct sample *s = arg;
	struct class_tiles tiles;
	int ret = class_tiles_init(&tiles, &s->single, &s->classes, 1, err);

	CHECK(ret == 0 || !tiles.block, "not empty after a failure");
	class_tiles_free(&tiles);
	return ret;
}

static int make_whole(void *arg, struct error *err)
{
	const struct sample *s = arg;
	struct class_tiles tiles;
	struct class_cross cross = { 0 };
	int ret = class_tiles_init_whole(&tiles, &s->single, &s->classes, 2, err);

	CHECK(ret == 0 || !tiles.block, "not empty after a failure");
	if (ret == 0 && (class_cross_init(&cross, &tiles.by_class, &s->classes, err) < 0 ||
			 class_cross_compute(&cross, 2, 3, err) < 0 ||
			 class_cross_compute(&cross, 3, 4, err) < 0))
		ret = -1;
	class_cross_free(&cross);
	class_tiles_free(&tiles);
	return ret;
}

/* After a failure the same rows can be had. */
static int ask_for_rows(void *arg, struct error *err)
{
	const struct sample *s = arg;
	struct class_pair pair = { .tiles = &s->tiles, .a = 2, .b = 3 };
	static float out[2][MAX_ROWS], room[2048] __attribute__((aligned(64)));
	float *to[2] = { out[0], out[1] };

	CHECK(class_pair_room(&pair) <= 2048, "room for %" PRId64, class_pair_room(&pair));
	return class_pair_rows(&pair, (int64_t[]){ 3, 5 }, 2, room, to, err);
}

static void test_memory(void)
{
	static struct sample s;

	sample_init(&s, KERNEL_RBF, N_COLUMNS, 0.7);
	CHECK(fail_each_allocation("class_tiles_init", make_tiles, &s) > 3 * MAX_CLASSES,
	      "few allocations");
	CHECK(fail_each_allocation("class_tiles_init_whole", make_whole, &s) > 2 * MAX_CLASSES,
	      "few allocations");
	CHECK(fail_each_allocation("class_pair_rows", ask_for_rows, &s) > 2, "few allocations");
	sample_free(&s);
}

int main(void)
{
	test_rows(KERNEL_RBF, N_COLUMNS, 0.5);
	test_rows(KERNEL_RBF, N_COLUMNS, 1);
	test_rows(KERNEL_RBF, 2 * N_COLUMNS, 1);
	test_rows(KERNEL_POLYNOMIAL, N_COLUMNS, 0.5);
	test_rows(KERNEL_SIGMOID, N_COLUMNS, 1);
	test_whole(KERNEL_RBF, false, 1);
	test_whole(KERNEL_RBF, true, 2);
	test_whole(KERNEL_POLYNOMIAL, false, 3);
	test_sums(KERNEL_RBF, 0.5);
	test_sums(KERNEL_RBF, 1);
	test_threads();
	test_same_solution();
	test_same_sparse_solution(KERNEL_RBF);
	test_same_sparse_solution(KERNEL_LINEAR);
	test_memory();
	return unit_report("class_tiles");
}

/*
 * test_ranks.c - rows of ranks, which are threads here, against those of one process
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem_bound.h"
#include "float_check.h"
#include "kernel/expansion.h"
#include "kernel/float_form.h"
#include "kernel/float_sums.h"
#include "kernel/near_rows.h"
#include "pipe_group.h"
#include "problem/problem.h"
#include "random.h"
#include "ranks/rank_choice.h"
#include "ranks/rank_reading.h"
#include "ranks/rank_floats.h"
#include "ranks/rank_linear.h"
#include "ranks/rank_service.h"
#include "ranks/rank_source.h"
#include "ranks/rank_sums.h"
#include "source/float_source.h"
#include "unit.h"

enum { MOST_ROWS = 5000, MOST_LISTED = 6000, N_VECTORS = 40 };

static const char name[] = "rows";

/* ---- ranks that serve ---- */

struct member {
	struct rank_group *group;
	int status;
};

/* Ranks with rows, and the same rows in one process. */
struct world {
	struct pipe_group threads;
	struct member member[MOST_RANKS];
	struct rank_rows rows;	/* those of rank 0 */
	struct dataset outline; /* what it knows of all */
	struct dataset all;
	struct kernel kernel;
	struct float_vectors alone; /* all in floats, if they are not unfit */
	int unfit;
	int64_t list[MOST_LISTED];
	/* vectors of sums */
	int64_t vector[MOST_ROWS];
	double coef[MOST_ROWS];
};

static void *serve(void *arg)
{
	struct member *m = arg;

	m->status = rank_service_run(m->group, 1 + m->group->rank % 2, NULL);
	return NULL;
}

static void start_ranks(struct world *w, int size)
{
	void *arg[MOST_RANKS];
	struct error err = { 0 };

	for (int rank = 0; rank < size; rank++) {
		w->member[rank].group = &w->threads.group[rank];
		arg[rank] = &w->member[rank];
	}
	pipe_group_start(&w->threads, size, serve, arg);
	CHECK(rank_rows_init(&w->rows, &w->threads.group[0], 2, &err) == 0 &&
		      rank_service_settle(&w->rows, 0, NULL, 0, &err) == 0,
	      "%s", err.text);
}

static void end_ranks(struct world *w)
{
	rank_service_end(&w->threads.group[0], 5);
	pipe_group_end(&w->threads);
	for (int rank = 1; rank < w->threads.group[0].size; rank++)
		CHECK(w->member[rank].status == 5, "status %d", w->member[rank].status);
	rank_rows_free(&w->rows);
	dataset_free(&w->outline);
}

/* ---- rows ---- */

/* Those of COLUMNS have 4096 columns each, which no other row has, of WIDE many that others have. */
enum kind { DENSE, SPARSE, TEXT, FAR, FAR_SPARSE, INTEGERS, SPARSE_INTEGERS, WIDE, COLUMNS, KINDS };

static double value_of(enum kind kind)
{
	double value = random_normal();

	switch (kind) {
	case FAR:
		return 1e5 + value;
	case FAR_SPARSE:
		return 300 + value;
	case INTEGERS:
		return rint(100 * value);
	case SPARSE_INTEGERS: /* whose products are exact in chunks alone */
		return fmin(fmax(rint(200 * value), -724), 724);
	default:
		return value;
	}
}

static void write_rows(int64_t n, enum kind kind)
{
	static const struct {
		int first, n_columns;
		double density;
	} form[KINDS] = { { 1, 6, 1 },	   { 1, 40, 0.3 },    { 1, 5000, 0.005 },
			  { 1, 6, 1 },	   { 1, 9, 0.4 },     { 1, 6, 1 },
			  { 1, 800, 0.3 }, { 1, 20000, 0.2 }, { 1, 4096, 1 } };
	FILE *f = fopen(name, "w");

	CHECK(f, "cannot write");
	for (int64_t i = 0; i < n; i++) {
		fprintf(f, "%" PRId64, random_below(3) - 1);
		for (int j = 0; j < form[kind].n_columns; j++)
			if (random_unit() < form[kind].density)
				fprintf(f, " %" PRId64 ":%.17g",
					1 + j + (kind == COLUMNS ? i * form[kind].n_columns : 0),
					value_of(kind));
		fprintf(f, "\n");
	}
	CHECK(fclose(f) == 0, "cannot write");
}

static struct kernel random_kernel(const struct csr *x, enum kernel_type type)
{
	static const double reach[] = { 0.5, 50, 1e5, 1e12, 1e17 };
	double norm2 = csr_row_norm2(x, 0) + 1e-300;

	return (struct kernel){ .type = type,
				.degree = 3,
				.coef0 = 1,
				.gamma = reach[type == KERNEL_RBF ? random_below(5) : 0] / norm2 };
}

/* n rows of which each rank gets 'block' at a time; with the floats of one process, not of ranks. */
static void world_init(struct world *w, int size, int64_t n, enum kind kind, int64_t block)
{
	const struct rows_options options = { 0 };
	struct rank_reading dealing = { .block = block };
	struct error err = { 0 };

	memset(w, 0, sizeof(*w));
	start_ranks(w, size);
	write_rows(n, kind);
	CHECK(input_open(&dealing.input, name, &err) == 0 &&
		      dataset_read(&w->all, dealing.input, &options, NULL, 1, &err) == 0,
	      "%s", err.text);
	input_close(dealing.input);
	CHECK(input_open(&dealing.input, name, &err) == 0 &&
		      rank_rows_read(&w->rows, &w->outline, &dealing, &err) == 0,
	      "%s", err.text);
	input_close(dealing.input);
	CHECK(w->all.x.n_rows == n, "%d rows", (int)w->all.x.n_rows);
	for (int64_t j = 0; j < n; j++) {
		w->vector[j] = random_below(n);
		w->coef[j] = random_normal();
	}
}

static void world_free(struct world *w)
{
	end_ranks(w);
	float_vectors_free(&w->alone);
	dataset_free(&w->all);
}

static void use_kernel(struct world *w, struct kernel kernel)
{
	struct error err = { 0 };

	float_vectors_free(&w->alone);
	w->kernel = kernel;
	w->unfit = float_vectors_init(&w->alone, &w->all.x, &kernel, &err);
	CHECK(w->unfit >= 0, "%s", err.text);
}

/* ---- lists of rows ---- */

/* In an order: all, some; in none, and repeated: many, some; none. */
enum order { ALL, SOME, MANY, FEW, NONE, ORDERS };

static int64_t make_list(struct world *w, enum order order)
{
	const int64_t n_rows = w->all.x.n_rows;
	const int64_t most[ORDERS] = { [MANY] = int64_min(10 * n_rows, MOST_LISTED), [FEW] = 50 };
	int64_t n = 0;

	for (int64_t i = 0; i < n_rows && order <= SOME; i++)
		if (order == ALL || random_unit() < 0.1)
			w->list[n++] = i;
	while (n < most[order])
		w->list[n++] = random_below(n_rows);
	return n;
}

/* ---- rows in floats, rows in doubles ---- */

/* The rows of ranks in a list are those of one process. */
static void check_floats(struct world *w, enum order order)
{
	const int64_t n = make_list(w, order);
	struct float_vectors brought = { 0 }, here;
	struct error err = { 0 };

	CHECK(rank_rows_gather_floats(&w->rows, w->list, n, &brought, &err) == 0 &&
		      float_vectors_gather(&here, &w->alone, w->list, n, &err) == 0,
	      "%s", err.text);
	CHECK(brought.n == n && same_form(&brought, &here) && same_rows(&brought, &here, 0),
	      "other rows in list %d", order);
	CHECK(order != ALL || (same_form(&brought, &w->alone) && same_rows(&brought, &w->alone, 0)),
	      "other rows");
	float_vectors_free(&brought);
	float_vectors_free(&here);
}

static bool same(const void *a, const void *b, int64_t n_bytes)
{
	return n_bytes == 0 || memcmp(a, b, (size_t)n_bytes) == 0;
}

static void check_doubles(struct world *w, enum order order)
{
	const int64_t n = make_list(w, order);
	struct csr brought, here = { 0 };
	struct error err = { 0 };

	CHECK(rank_rows_gather(&w->rows, w->list, n, &brought, &err) == 0 &&
		      csr_gather(&here, &w->all.x, w->list, n, &err) == 0,
	      "%s", err.text);
	CHECK(brought.n_rows == n && brought.n_cols == here.n_cols &&
		      csr_n_entries(&brought) == csr_n_entries(&here) &&
		      (n == 0 || same(brought.row_start, here.row_start, (n + 1) * 8)) &&
		      same(brought.col, here.col, csr_n_entries(&here) * 4) &&
		      same(brought.val, here.val, csr_n_entries(&here) * 8),
	      "other rows in list %d", order);
	csr_free(&brought);
	csr_free(&here);
}

/* Floats of all ranks, the same as of one process, or for neither. */
static bool make_floats(struct world *w)
{
	struct error err = { 0 };
	int unfit = rank_rows_make_floats(&w->rows, &w->kernel, &err);

	CHECK(unfit == w->unfit && err.code == ERR_NONE, "%d, not %d: %s", unfit, w->unfit,
	      err.text);
	for (int64_t i = 0; i < w->all.x.n_rows; i++)
		CHECK(w->rows.hash[i] == csr_row_hash(&w->all.x, i, false), "hash %d", (int)i);
	return unfit == 0 && w->unfit == 0;
}

/* May an order help?  The same answer. */
static void check_near(struct world *w)
{
	int64_t row[2 * NEAR_ROWS_PAIRS];
	const int64_t n = near_rows_list_pairs(&w->alone, w->all.x.n_rows, row);
	struct float_vectors pairs = { 0 };
	struct error err = { 0 };
	bool here = false, there;

	if (n > 0)
		CHECK(float_vectors_gather(&pairs, &w->alone, row, n, &err) == 0 &&
			      near_rows_are_far(&pairs, &here, &err) == 0,
		      "%s", err.text);
	CHECK(rank_rows_are_near(&w->rows, &there, &err) == 0 && here == there, "%d, not %d: %s",
	      there, here, err.text);
	float_vectors_free(&pairs);
}

/* ---- sums ---- */

/* Sums that are asked for, of ranks or of one process: out[k] over vectors, of row[k]. */
struct asked {
	bool in_floats, exact_sums;
	const struct kernel *kernel;
	int64_t *vector;
	double *coef;
	int64_t n_vectors;
	const int64_t *row;
	double *out;
	int64_t n;
	const struct interruption *interruption;
};

static int sum_on_ranks(struct rank_rows *rows, const struct asked *a, struct error *err)
{
	const struct problem_view p = { .kernel = *a->kernel, .interruption = a->interruption };
	const struct kernel_source source = { .in_floats = a->in_floats };
	const struct kernel_sums s = { .p = &p,
				       .source = &source,
				       .n_vectors = a->n_vectors,
				       .coef = a->coef,
				       .exact = a->exact_sums,
				       .state = a->vector };
	const struct sum_request q = { .row = a->row, .n = a->n, .value = a->out };

	return rank_rows_sum(rows, &s, &q, err);
}

static int float_sums_alone(const struct world *w, const struct asked *q, double *out,
			    struct error *err)
{
	const struct float_rows rows = { &w->alone, q->row, q->n };
	struct float_vectors vectors;
	int ret = float_vectors_gather(&vectors, &w->alone, q->vector, q->n_vectors, err);

	vectors.exact_sums = q->exact_sums;
	if (ret == 0)
		ret = float_vectors_sums(rows, &vectors, q->coef, out, 2, err);
	float_vectors_free(&vectors);
	return ret;
}

static int double_sums_alone(const struct world *w, const struct asked *q, double *out,
			     struct error *err)
{
	const int64_t n_of_class[2] = { q->n_vectors, 0 };
	struct csr vectors = { 0 };
	const struct support_vectors sv = { &vectors, 2, n_of_class, q->coef };
	struct expansion e = { 0 };
	int ret = csr_gather(&vectors, &w->all.x, q->vector, q->n_vectors, err);

	if (ret == 0)
		ret = expansion_init(&e, &w->kernel, sv, err);
	if (ret == 0)
		ret = expansion_evaluate_rows(&e, csr_view(&w->all.x, q->row, q->n), out, 2, err);
	expansion_free(&e);
	csr_free(&vectors);
	return ret;
}

/* Sums over the first vectors for a list of rows. */
static struct asked request_of(struct world *w, bool in_floats, int64_t n, double *out)
{
	return (struct asked){ .in_floats = in_floats,
			       .kernel = &w->kernel,
			       .vector = w->vector,
			       .coef = w->coef,
			       .n_vectors = int64_min(N_VECTORS, w->all.x.n_rows),
			       .row = w->list,
			       .out = out,
			       .n = n };
}

static void check_sums(struct world *w, enum order order, bool in_floats, bool exact)
{
	static double alone[MOST_LISTED], together[MOST_LISTED];
	struct asked q = request_of(w, in_floats, make_list(w, order), together);
	struct error err = { 0 };

	q.exact_sums = exact;
	CHECK(sum_on_ranks(&w->rows, &q, &err) == 0 &&
		      (in_floats ? float_sums_alone : double_sums_alone)(w, &q, alone, &err) == 0,
	      "%s", err.text);
	CHECK(same(alone, together, q.n * (int64_t)sizeof(*alone)), "other sums, list %d, %s",
	      order, in_floats ? "in floats" : "in doubles");
}

/* What was made of a kind of rows and kernels. */
static int n_forms[4], n_unfit, n_dense;

/* ---- a linear problem ---- */

/* Its rows here and with the ranks, and one request of each kind; the bits are the same. */
struct linear_pair {
	struct world *w;
	struct rank_linear ranks;
	struct linear_rows here, there;
	struct linear_pack pack, own; /* of 'here', and rank 0's of 'there' */
	struct descent_row row[MOST_ROWS], far[MOST_ROWS];
	double c[MOST_ROWS], old[MOST_ROWS], result[2][MOST_ROWS];
	int64_t list[MOST_ROWS], hard[2 * MOST_ROWS];
	double *vector; /* room for some vectors */
};

/* Room for vectors of d numbers. */
static double *vector(const struct linear_pair *l, int k)
{
	return l->vector + k * l->here.d;
}

static bool open_pair(struct linear_pair *l, struct world *w)
{
	const struct csr *x = &w->all.x;
	int64_t *count = calloc((size_t)x->n_cols + 1, sizeof(*count));
	struct error err = { 0 };
	bool good;

	l->w = w;
	rank_linear_init(&l->ranks, &w->rows);
	l->here = (struct linear_rows){ .n = x->n_rows,
					.d = x->n_cols,
					.start = x->row_start,
					.col = x->col,
					.val = x->val,
					.unit = 4,
					.shared = true };
	l->here.list = calloc((size_t)x->n_rows, 1);
	l->here.partial = calloc((size_t)(LINEAR_LISTS * x->n_cols), sizeof(double));
	l->vector = calloc((size_t)(8 * x->n_cols), sizeof(double));
	for (int64_t i = 0; i < x->n_rows; i++)
		l->here.list[i] = (uint8_t)(linear_range_of(x->row_start[i], csr_n_entries(x)) %
					    LINEAR_LISTS);
	l->there = l->here;
	l->there.val = NULL;
	l->there.start = w->outline.x.row_start;
	l->there.helpers = &l->ranks.helpers;
	good = CHECK(rank_rows_arrange(&w->rows, &err) == 0 &&
			     l->ranks.helpers.open(&l->ranks.helpers, count, &err) == 0,
		     "%s", err.text);
	for (int64_t k = 0; k < csr_n_entries(x); k++)
		count[x->col[k]]--;
	for (int64_t j = 0; j < x->n_cols; j++)
		CHECK(count[j] == 0, "column %d: %d rows too many", (int)j, (int)count[j]);
	free(count);
	return good;
}

static void close_pair(struct linear_pair *l)
{
	if (l->here.centred)
		mem_free(l->here.val);
	linear_pack_free(&l->pack);
	linear_pack_free(&l->own);
	rank_linear_free(&l->ranks);
	free(l->here.list);
	free(l->here.partial);
	free(l->vector);
}

/* Some rows, or all of them, in their order; their number. */
static int64_t choose_rows(struct linear_pair *l, bool all)
{
	int64_t n = 0;

	for (int64_t i = 0; i < l->here.n; i++)
		if (all || random_below(3) > 0)
			l->list[n++] = i;
	return n;
}

static void check_products(struct linear_pair *l)
{
	double *w = vector(l, 0), *sum[2] = { vector(l, 1), vector(l, 2) };
	const int64_t n_bytes = l->here.d * (int64_t)sizeof(*w);

	for (int k = 0; k < 3; k++) {
		const int64_t n = choose_rows(l, k == 0);
		const int64_t *list = k == 0 ? NULL : l->list;

		for (int64_t j = 0; j < l->here.d; j++)
			w[j] = sum[0][j] = sum[1][j] = sin((double)(j + k));
		for (int64_t i = 0; i < n; i++)
			l->c[i] = random_below(4) > 0 ? random_normal() : 0;
		linear_rows_times(&l->here, list, n, w, 0.5, l->result[0]);
		linear_rows_times(&l->there, list, n, w, 0.5, l->result[1]);
		linear_rows_add(&l->here, list, n, l->c, sum[0]);
		linear_rows_add(&l->there, list, n, l->c, sum[1]);
		CHECK(same(l->result[0], l->result[1], n * (int64_t)sizeof(double)),
		      "other products, %d", k);
		CHECK(same(sum[0], sum[1], n_bytes), "another sum, %d", k);
	}
}

/* The matrix of a Newton step, of rows that enter and leave, by entries and by the BLAS. */
static void check_outer(struct linear_pair *l, struct error *err)
{
	struct linear_direction m[2] = { { 0 }, { 0 } };
	const int64_t size = l->here.d + 1, n = choose_rows(l, false);

	if (size > 40)
		return;
	CHECK(linear_direction_room(&m[0], &l->here, err) == 0 &&
		      linear_direction_room(&m[1], &l->here, err) == 0,
	      "%s", err->text);
	for (int64_t i = 0; i < n; i++)
		l->c[i] = i % 3 == 0 ? -1 : 1;
	for (int k = 0; k < 4 && err->code == ERR_NONE; k++) {
		const double *sign = k < 2 ? NULL : l->c;
		double trace = 0, wanted = 0;

		m[0].outer.by_entries = m[1].outer.by_entries = k % 2 == 0;
		memset(m[0].outer.sum, 0, (size_t)(size * size) * sizeof(double));
		memset(m[1].outer.sum, 0, (size_t)(size * size) * sizeof(double));
		linear_direction_add(&m[0], &l->here, l->list, sign, n);
		l->there.helpers->outer(l->there.helpers, &m[1].outer, l->list, sign, n);
		for (int64_t a = 0; a < size; a++) {
			trace += m[0].outer.sum[a * size + a];
			CHECK(same(m[0].outer.sum + a * size, m[1].outer.sum + a * size,
				   (a + 1) * (int64_t)sizeof(double)),
			      "another matrix, %d", k);
		}
		for (int64_t i = 0; i < n; i++)
			wanted += (sign ? sign[i] : 1) *
				  (1 + linear_rows_norm2(&l->here, l->list[i]));
		CHECK(fabs(trace - wanted) <= 1e-9 * (1 + fabs(wanted)), "trace %g, not %g", trace,
		      wanted);
	}
	linear_direction_free(&m[0]);
	linear_direction_free(&m[1]);
}

/* Columns are centred: norms, products and rows are those of all of them in one place. */
static void check_centre(struct linear_pair *l, struct error *err)
{
	double *centre = vector(l, 3), *norm2 = calloc((size_t)l->here.n + 1, sizeof(*norm2));
	struct csr some = { 0 };
	const int64_t n = choose_rows(l, false);

	for (int64_t j = 0; j < l->here.d; j++)
		centre[j] = j % 2;
	l->here.centre = l->there.centre = centre;
	l->there.centred = true;
	CHECK(linear_rows_centre(&l->here, centre, err) == 0 &&
		      l->there.helpers->centre(l->there.helpers, centre, norm2, err) == 0 &&
		      linear_rows_take(&l->there, l->list, n, &some, err) == 0,
	      "%s", err->text);
	for (int64_t i = 0; i < l->here.n; i++)
		CHECK(norm2[i] == linear_rows_norm2(&l->here, i), "norm of row %d", (int)i);
	for (int64_t k = 0; k < n; k++)
		CHECK(same(some.val + some.row_start[k], l->here.val + l->here.start[l->list[k]],
			   (some.row_start[k + 1] - some.row_start[k]) * (int64_t)sizeof(double)),
		      "values of row %d", (int)l->list[k]);
	free(norm2);
	csr_free(&some);
}

/* Packs of some rows, of 1 to 8 parts: where ranks have some lists of a part, its sums go on. */
static void check_packs(struct linear_pair *l, struct error *err)
{
	double *w = vector(l, 0), *sum[2] = { vector(l, 1), vector(l, 2) }, added[2][2];
	double *room = calloc((size_t)(LINEAR_LISTS * l->here.d), sizeof(*room));
	const int64_t n = choose_rows(l, false);

	CHECK(linear_pack_fill(&l->pack, &l->here, l->list, n, err) == 0 &&
		      linear_pack_fill(&l->own, &l->there, l->list, n, err) == 0,
	      "%s", err->text);
	for (int parts = 1; parts <= LINEAR_LISTS; parts *= 2)
		for (int squares = 0; squares < 2; squares++) {
			struct linear_square product = { .v = squares ? NULL : w,
							 .b = { 0.5 },
							 .factor = 3 };

			for (int64_t j = 0; j < l->here.d; j++)
				w[j] = sum[0][j] = sum[1][j] = cos((double)j);
			l->pack.n_parts = l->own.n_parts = parts;
			linear_pack_square(&l->pack, NULL, &product, sum[0], added[0], room);
			product.helpers = &l->ranks.helpers;
			linear_pack_square(&l->own, NULL, &product, sum[1], added[1], room);
			CHECK(same(sum[0], sum[1], l->here.d * (int64_t)sizeof(*w)) &&
				      added[0][0] == added[1][0],
			      "another product of %d parts", parts);
		}
	free(room);
}

/* Rows in lists, and a point to begin with; 'number' of the epoch. */
static void make_epoch(struct linear_pair *l, struct descent_rounds *r, struct descent_row *row,
		       struct descent_lane *lane, int number)
{
	int64_t n = 0;

	r->rows.row = row;
	r->terms = (struct descent_round){ .theta = 1,
					   .bound = 0.3,
					   .epsilon = 0.01,
					   .packed = number / 2 == 1,
					   .hard = false,
					   .most_hard = MOST_ROWS,
					   .seed = 7,
					   .epoch = (uint32_t)number };
	r->sum[0] = 0.25 * number;
	r->n_lanes = DESCENT_LANES;
	r->n_lists = LINEAR_LISTS;
	r->n_rounds = 1 + number % 2;
	r->old = l->old;
	r->lane = lane;
	for (int k = 0; k < DESCENT_LANES; k++)
		lane[k] = (struct descent_lane){ .w = lane[k].w };
	memset(r->list, 0, sizeof(r->list));
	for (int k = 0; k < LINEAR_LISTS; k++) {
		r->list[k].row = l->list + n;
		r->list[k].hard = l->hard + n;
		for (int64_t i = 0; i < l->here.n; i++)
			if (row[i].list == k)
				l->list[n++] = i;
		r->list[k].n = l->list + n - r->list[k].row;
	}
	for (int64_t i = 0; i < l->here.n; i++)
		row[i].is_active = true;
	for (int64_t j = 0; j < l->here.d; j++)
		r->w[j] = sin((double)(number + 2 * j));
}

/* Where entries of rows are: with all of their process, or with those of a pack of all rows. */
static void set_starts(struct linear_pair *l, bool packed)
{
	int64_t end[2][LINEAR_LISTS] = { 0 };
	const int size = l->ranks.helpers.size;

	for (int64_t i = 0; i < l->here.n; i++)
		l->row[i].start = l->far[i].start = l->here.start[i];
	for (int place = 0; place < LINEAR_LISTS && packed; place++)
		for (int64_t i = 0; i < l->here.n; i++)
			if (l->row[i].list == linear_list(place)) {
				l->row[i].start = end[0][0];
				l->far[i].start = end[1][l->row[i].list % size];
				end[0][0] += l->row[i].n;
				end[1][l->row[i].list % size] += l->row[i].n;
			}
}

/* Epochs here and with the ranks, of rows, of a pack, and of rows again. */
static void check_rounds(struct linear_pair *l, struct error *err)
{
	struct descent_lane lane[2][DESCENT_LANES] = {
		{ { .w = vector(l, 0) }, { .w = vector(l, 1) } },
		{ { .w = vector(l, 2) }, { .w = vector(l, 3) } }
	};
	static struct descent_rounds here, there;

	here = (struct descent_rounds){ .w = vector(l, 4), .rows.x = &l->here };
	there = (struct descent_rounds){ .w = vector(l, 5),
					 .rows.x = &l->there,
					 .helpers = &l->ranks.helpers };
	for (int64_t i = 0; i < l->here.n; i++)
		l->row[i] = l->far[i] = (struct descent_row){ .q = 3 + random_unit(),
							      .target = random_normal(),
							      .upper = 1 + random_unit(),
							      .beta = random_unit(),
							      .n = (int32_t)(l->here.start[i + 1] -
									     l->here.start[i]),
							      .list = l->here.list[i] };
	for (int k = 0; k < 6; k++) {
		const int64_t n = choose_rows(l, true);

		if (k == 2)
			CHECK(linear_pack_fill(&l->pack, &l->here, l->list, n, err) == 0 &&
				      linear_pack_fill(&l->own, &l->there, l->list, n, err) == 0,
			      "%s", err->text);
		here.rows.pack = l->pack;
		there.rows.pack = l->own;
		set_starts(l, k / 2 == 1);
		make_epoch(l, &here, l->row, lane[0], k);
		linear_rounds_run(&here);
		make_epoch(l, &there, l->far, lane[1], k);
		l->ranks.helpers.rounds(&l->ranks.helpers, &there);
		CHECK(same(here.w, there.w, l->here.d * (int64_t)sizeof(double)) &&
			      here.sum[0] == there.sum[0] &&
			      lane[0][0].largest == lane[1][0].largest &&
			      lane[0][1].n_entries == lane[1][1].n_entries,
		      "other lanes, epoch %d", k);
		for (int64_t i = 0; i < l->here.n; i++)
			CHECK(l->row[i].beta == l->far[i].beta &&
				      l->row[i].is_active == l->far[i].is_active,
			      "row %d is another one, epoch %d", (int)i, k);
	}
}

static void check_linear(struct world *w)
{
	static struct linear_pair l;
	const uint32_t sum = rank_rows_checksum(&w->rows);
	struct error err = { 0 };

	l = (struct linear_pair){ 0 };
	if (open_pair(&l, w)) {
		CHECK(rank_rows_checksum(&w->rows) == sum, "another checksum");
		for (enum order order = ALL; order < ORDERS; order++)
			check_doubles(w, order);
		check_products(&l);
		check_outer(&l, &err);
		check_packs(&l, &err);
		check_rounds(&l, &err);
		/* the same with centred values */
		check_centre(&l, &err);
		check_products(&l);
		check_outer(&l, &err);
		check_packs(&l, &err);
	}
	close_pair(&l);
}

/* Requests of each kind, with no memory for one of them. */
static int try_linear(struct world *w, struct error *err)
{
	static double v[64], out[MOST_ROWS];
	static int64_t count[64];
	struct rank_linear ranks;
	struct linear_helpers *h = &ranks.helpers;
	const struct linear_rows rows = { .n = w->outline.x.n_rows, .d = w->outline.x.n_cols };
	struct linear_pack pack = { .d = rows.d, .unit = 1, .n_parts = 2 };
	struct linear_direction m = { 0 };
	struct linear_sum sum = {
		.n_list = w->outline.x.n_rows, .c = out, .d = pack.d, .out = v, .n_parts = 1
	};

	rank_linear_init(&ranks, &w->rows);
	if (rank_rows_arrange(&w->rows, err) == 0 && h->open(h, count, err) == 0) {
		h->times(h, NULL, w->outline.x.n_rows, v, 0, out);
		h->sum(h, &sum);
		h->pack(h, &pack, w->list, 2, err);
		if (rows.d < 40 && linear_direction_room(&m, &rows, err) == 0)
			h->outer(h, &m.outer, w->list, NULL, 2);
		h->centre(h, v, out, err);
	}
	if (err->code == ERR_NONE && h->err.code != ERR_NONE)
		error_pass(err, &h->err);
	rank_linear_free(&ranks);
	linear_direction_free(&m);
	linear_pack_free(&pack);
	return err->code == ERR_NONE ? 0 : -1;
}

static void test_rows(int size, enum kind kind, enum kernel_type type)
{
	static struct world w;
	const int64_t n =
		kind == COLUMNS || kind == WIDE ? 2 + random_below(6) : 1 + random_below(600);

	world_init(&w, size, n, kind, 1 + random_below(n + n / 4));
	for (enum order order = ALL; order < ORDERS; order++)
		check_doubles(&w, order);
	/* the floats of one kernel after those of another */
	for (int k = 0; k < 2; k++) {
		use_kernel(&w, random_kernel(&w.all.x, type));
		for (enum order order = ALL; order < ORDERS && k == 0; order++)
			check_sums(&w, order, false, false);
		n_unfit += w.unfit;
		if (!make_floats(&w))
			continue;
		for (enum order order = ALL; order < ORDERS; order++) {
			check_floats(&w, order);
			check_sums(&w, order, true, k == 0);
		}
		check_near(&w);
		n_dense += w.alone.dense;
		n_forms[2 * w.alone.wide_sums + w.alone.in_doubles]++;
	}
	if (size > 1)
		check_linear(&w);
	world_free(&w);
}

/* ---- many vectors, interruptions ---- */

/* An interruption that comes when it is looked at for the n-th time. */
struct countdown {
	int n_looks, n;
};

static bool is_over(void *arg)
{
	struct countdown *c = arg;

	return ++c->n_looks >= c->n;
}

/*
 * Vectors in several blocks, as a block has fewer vectors the more rows are asked for; and an end
 * between two of them.
 */
static void test_blocks(int size)
{
	enum { N = 3000 };
	static struct world w;
	static double alone[N];
	const int64_t n = (int64_t)size * 100000;
	int64_t *list = calloc((size_t)n, sizeof(*list)), n_wrong = 0;
	double *out = calloc((size_t)n, sizeof(*out));
	struct asked q;
	struct countdown never = { .n = INT32_MAX }, soon = { .n = 2 };
	struct interruption end = { .requested = is_over, .arg = &never };
	struct error err = { 0 };

	world_init(&w, size, N, DENSE, 200);
	use_kernel(&w, (struct kernel){ .type = KERNEL_RBF, .gamma = 0.1 });
	CHECK(make_floats(&w), "unfit");
	q = request_of(&w, true, make_list(&w, ALL), alone);
	q.n_vectors = N;
	CHECK(float_sums_alone(&w, &q, alone, &err) == 0, "%s", err.text);
	for (int64_t k = 0; k < n; k++)
		list[k] = random_below(N);
	q.row = list;
	q.n = n;
	q.out = out;
	q.interruption = &end;
	CHECK(sum_on_ranks(&w.rows, &q, &err) == 0, "%s", err.text);
	for (int64_t k = 0; k < n; k++)
		n_wrong += out[k] != alone[list[k]];
	CHECK(n_wrong == 0, "%d wrong", (int)n_wrong);
	CHECK(never.n_looks == 2 || never.n_looks == 3, "%d blocks", never.n_looks);
	end.arg = &soon;
	CHECK(sum_on_ranks(&w.rows, &q, &err) < 0 && err.code == ERR_INTERRUPTED, "'%s'", err.text);
	check_sums(&w, SOME, true, false);
	free(list);
	free(out);
	world_free(&w);
}

/* An end before the first vector, in floats and in doubles; the next request is understood. */
static void test_interruption(int size)
{
	static struct world w;
	static double out[MOST_LISTED];

	world_init(&w, size, 300, SPARSE, 20);
	use_kernel(&w, (struct kernel){ .type = KERNEL_RBF, .gamma = 0.1 });
	CHECK(make_floats(&w), "unfit");
	for (int in_floats = 0; in_floats < 2; in_floats++) {
		struct countdown now = { .n = 1 };
		const struct interruption end = { .requested = is_over, .arg = &now };
		struct asked q = request_of(&w, in_floats, make_list(&w, FEW), out);
		struct error err = { 0 };

		q.interruption = &end;
		CHECK(sum_on_ranks(&w.rows, &q, &err) < 0 && err.code == ERR_INTERRUPTED, "'%s'",
		      err.text);
		check_sums(&w, FEW, in_floats, false);
		check_floats(&w, SOME);
		check_doubles(&w, SOME);
	}
	world_free(&w);
}

/* ---- kernel values by the source ---- */

enum { WANTED = 5 };

/* The same problem twice: by rows on ranks, and by rows here. */
struct both {
	struct rank_source source;
	struct kernel_source here;
	int64_t row[MOST_ROWS];
	struct problem_view on_ranks, alone;
	struct kernel_rows rows_on_ranks, rows_alone;
};

static void both_init(struct both *b, struct world *w)
{
	struct error err = { 0 };

	for (int64_t i = 0; i < w->all.x.n_rows; i++)
		b->row[i] = i;
	CHECK(rank_source_init(&b->source, &w->rows, NULL, &err) == 0, "%s", err.text);
	b->here = float_source_make(&w->alone, &plain_source);
	b->on_ranks = (struct problem_view){ .type = MACHINE_C_SVC,
					     .kernel = w->kernel,
					     .x = &w->outline.x,
					     .source = &b->source.floats,
					     .row = b->row,
					     .n = w->all.x.n_rows,
					     .c_plus = 1,
					     .c_minus = 1 };
	b->alone = b->on_ranks;
	b->alone.x = &w->all.x;
	b->alone.source = &b->here;
}

static void both_open(struct both *b)
{
	struct error err = { 0 };

	CHECK(kernel_rows_init(&b->rows_on_ranks, &b->on_ranks, 2, &err) == 0 &&
		      kernel_rows_init(&b->rows_alone, &b->alone, 2, &err) == 0,
	      "%s", err.text);
}

static void both_close(struct both *b)
{
	kernel_rows_free(&b->rows_on_ranks);
	kernel_rows_free(&b->rows_alone);
}

/* Rows of some examples over n members, from 'first' on, are the same. */
static void check_rows(struct both *b, int64_t *member, int64_t n, int64_t first)
{
	static double value[2][WANTED][MOST_ROWS + KERNEL_ROWS_LANES] __attribute__((aligned(64)));
	const int64_t size = b->rows_alone.in_doubles ? sizeof(double) : sizeof(float);
	const struct row_members over = { n, member, member, false };
	int64_t wanted[WANTED];
	void *out[2][WANTED];
	struct error err = { 0 };

	CHECK(b->rows_alone.in_doubles == b->rows_on_ranks.in_doubles, "another precision");
	for (int v = 0; v < WANTED; v++) {
		wanted[v] = random_below(b->alone.n);
		out[0][v] = value[0][v];
		out[1][v] = value[1][v];
	}
	CHECK(kernel_rows_fetch(&b->rows_alone,
				(struct row_request){ &over, first, wanted, WANTED, out[0] },
				&err) == 0 &&
		      kernel_rows_fetch(
			      &b->rows_on_ranks,
			      (struct row_request){ &over, first, wanted, WANTED, out[1] },
			      &err) == 0,
	      "%s", err.text);
	for (int v = 0; v < WANTED; v++)
		CHECK(same((char *)out[0][v] + first * size, (char *)out[1][v] + first * size,
			   (n - first) * size),
		      "another row over %d members from %d on", (int)n, (int)first);
}

/* All examples, in no order. */
static int64_t *make_members(int64_t n)
{
	static int64_t member[MOST_ROWS];

	for (int64_t i = 0; i < n; i++)
		member[i] = (7 * i + 3) % n;
	return member;
}

/* Members come and go; where most of them went rows are dropped, and brought again. */
static void check_members(struct both *b)
{
	int64_t *member = make_members(b->alone.n);
	/* a kernel that is not definite has rows of doubles, of which none is here */
	const bool here = kernel_is_definite(&b->alone.kernel);

	both_open(b);
	for (int round = 0; round < 2; round++) {
		check_rows(b, member, 100, 0);
		check_rows(b, member, 150, 96);
		check_rows(b, member, 150, 150 - 3);
		check_rows(b, member, b->alone.n, 0);
		CHECK(b->source.here.n == (here ? b->alone.n : 0), "%d rows here",
		      (int)b->source.here.n);
		check_rows(b, member + 500, 10, 0);
		CHECK(b->source.here.n < 20, "%d rows here", (int)b->source.here.n);
		check_rows(b, member + 500, 300, 0);
	}
	both_close(b);
}

/* Sums by both sources, over vectors that are examples, for some examples and for all. */
static void check_kernel_sums(struct both *b, struct world *w)
{
	static double value[2][MOST_ROWS];
	const int64_t n = b->alone.n;
	struct error err = { 0 };

	for (int all = 0; all < 2; all++) {
		const int64_t n_list = all ? n : make_list(w, FEW);

		for (int k = 0; k < 2; k++) {
			const struct problem_view *p = k == 0 ? &b->alone : &b->on_ranks;
			struct kernel_sums s;

			memset(value[k], 0, sizeof(value[k]));
			CHECK(kernel_sums_init(&s, p, p->source, N_VECTORS, &err) == 0, "%s",
			      err.text);
			for (int64_t j = 0; j < N_VECTORS; j++)
				kernel_sums_add(&s, w->vector[j], w->coef[j]);
			CHECK(kernel_sums_open(&s, &err) == 0 &&
				      kernel_sums_evaluate(&s, all ? NULL : w->list, n_list,
							   value[k], 2, &err) == 0,
			      "%s", err.text);
			kernel_sums_free(&s);
		}
		CHECK(same(value[0], value[1], n * (int64_t)sizeof(**value)), "other sums");
	}
}

/* In doubles: sums where the rows are, but for rows all entries come. */
static void check_in_doubles(struct both *b, struct world *w)
{
	int64_t *member = make_members(b->alone.n);

	b->on_ranks.source = kernel_source_in_doubles(&b->source.floats);
	b->alone.source = &plain_source;
	check_kernel_sums(b, w);
	CHECK(!kernel_is_definite(&w->kernel) == !!w->outline.x.val, "entries already");
	both_open(b);
	check_rows(b, member, 100, 0);
	check_rows(b, member, b->alone.n, 96);
	both_close(b);
	CHECK(w->outline.x.val, "no entries");
	check_kernel_sums(b, w);
}

static void test_source(int size, enum kind kind, enum kernel_type type)
{
	static struct world w;
	static struct both b;

	world_init(&w, size, MOST_ROWS, kind, 600);
	use_kernel(&w, (struct kernel){ .type = type, .degree = 2, .gamma = 0.05, .coef0 = 1 });
	if (CHECK(make_floats(&w), "unfit")) {
		both_init(&b, &w);
		check_members(&b);
		check_kernel_sums(&b, &w);
		check_in_doubles(&b, &w);
		rank_source_free(&b.source);
	}
	world_free(&w);
}

/* ---- failures ---- */

static int try_floats(struct world *w, struct error *err)
{
	return rank_rows_make_floats(&w->rows, &w->kernel, err);
}

static int try_gather(struct world *w, struct error *err)
{
	struct csr x;
	struct float_vectors v = { 0 };
	int ret = rank_rows_gather(&w->rows, w->list, 40, &x, err);

	CHECK(ret == 0 || x.n_rows == 0, "rows nevertheless");
	csr_free(&x);
	if (ret < 0)
		return -1;
	ret = rank_rows_gather_floats(&w->rows, w->list, 40, &v, err);
	CHECK(ret == 0 || v.n == 0, "rows nevertheless");
	float_vectors_free(&v);
	return ret;
}

static int try_sums(struct world *w, bool in_floats, struct error *err)
{
	static double out[MOST_LISTED];
	const struct asked q = request_of(w, in_floats, 40, out);

	return sum_on_ranks(&w->rows, &q, err);
}

static int try_float_sums(struct world *w, struct error *err)
{
	return try_sums(w, true, err);
}

static int try_double_sums(struct world *w, struct error *err)
{
	return try_sums(w, false, err);
}

/* Rows over members that are not here, and over some more. */
static int try_source(struct world *w, struct error *err)
{
	static float value[128] __attribute__((aligned(64)));
	const struct row_members few = { 20, w->list, w->list, false };
	const struct row_members more = { 40, w->list, w->list, false };
	static struct both b;
	int64_t wanted = 7;
	void *out = value;
	int ret = rank_source_init(&b.source, &w->rows, NULL, err);

	for (int64_t i = 0; i < w->all.x.n_rows; i++)
		b.row[i] = i;
	b.on_ranks = (struct problem_view){ .kernel = w->kernel,
					    .x = &w->outline.x,
					    .source = &b.source.floats,
					    .row = b.row,
					    .n = w->all.x.n_rows,
					    .c_plus = 1,
					    .c_minus = 1 };
	if (ret == 0)
		ret = kernel_rows_init(&b.rows_on_ranks, &b.on_ranks, 2, err);
	if (ret == 0)
		ret = kernel_rows_fetch(&b.rows_on_ranks,
					(struct row_request){ &few, 0, &wanted, 1, &out }, err);
	if (ret == 0)
		ret = kernel_rows_fetch(&b.rows_on_ranks,
					(struct row_request){ &more, 20, &wanted, 1, &out }, err);
	kernel_rows_free(&b.rows_on_ranks);
	rank_source_free(&b.source);
	return ret;
}

/* What is asked for next is understood, and right. */
static void check_next(struct world *w)
{
	CHECK(make_floats(w), "unfit");
	check_floats(w, SOME);
	check_doubles(w, SOME);
	check_sums(w, FEW, true, false);
	check_sums(w, FEW, false, false);
}

/* Failures of other ranks that rank 0 has told: who is the first without memory is a race. */
static int n_told;

/* Whichever allocation of any rank fails, the error is told and the next request is understood. */
static void test_memory(int size, enum kind kind, int (*try)(struct world *w, struct error *err))
{
	static struct world w;
	int ret = -1;

	world_init(&w, size, 90, kind, 8);
	use_kernel(&w, (struct kernel){ .type = KERNEL_RBF, .gamma = 0.1 });
	CHECK(make_floats(&w), "unfit");
	for (int after = 0; ret < 0; after++) {
		struct error err = { 0 };

		make_list(&w, FEW);
		mem_fail_after(after);
		ret = try(&w, &err);
		mem_fail_after(-1);
		CHECK(ret == 0 ? err.code == ERR_NONE : err.code == ERR_MEMORY, "after %d: %d, %s",
		      after, ret, err.text);
		n_told += ret < 0 && strncmp(err.text, "rank ", 5) == 0;
		if (try == try_linear)
			check_doubles(&w, SOME);
		else
			check_next(&w);
	}
	world_free(&w);
}

int main(void)
{
	static const int sizes[] = { 1, 2, 3, 4, 7 };
	static const enum kernel_type types[] = { KERNEL_RBF, KERNEL_POLYNOMIAL, KERNEL_SIGMOID };

	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s += UNIT_FINDS_RACES ? 2 : 1) {
		for (enum kind kind = DENSE; kind < KINDS; kind++)
			for (int t = 0; t < 3; t++)
				test_rows(sizes[s], kind, types[t]);
		test_interruption(sizes[s]);
	}
	CHECK(n_forms[0] > 20 && n_forms[2] > 2 && n_forms[3] > 20 && n_dense > 20 && n_unfit > 5,
	      "%d floats, %d chunks, %d doubles, %d dense, %d in no form", n_forms[0], n_forms[2],
	      n_forms[3], n_dense, n_unfit);
	for (int size = UNIT_IS_SANITIZED ? 2 : 1; size <= (UNIT_IS_SANITIZED ? 2 : 3); size++)
		test_blocks(size);
	test_source(1, DENSE, KERNEL_RBF);
	test_source(2, SPARSE, KERNEL_RBF);
	test_source(4, FAR, KERNEL_RBF);
	test_source(3, DENSE, KERNEL_POLYNOMIAL);
	test_source(2, SPARSE, KERNEL_SIGMOID);
	for (int size = UNIT_IS_SANITIZED ? 3 : 1; size <= 3; size += 2) {
		test_memory(size, DENSE, try_floats);
		test_memory(size, SPARSE, try_floats);
		test_memory(size, SPARSE, try_gather);
		if (size > 1)
			test_memory(size, SPARSE, try_linear);
		test_memory(size, DENSE, try_float_sums);
		test_memory(size, SPARSE, try_double_sums);
		test_memory(size, DENSE, try_source);
	}
	CHECK(n_told > 3, "%d failures of other ranks", n_told);
	return unit_report("ranks");
}

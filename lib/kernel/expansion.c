/*
 * expansion.c - decision values: sums of kernels over support vectors
 *
 * n_class classes have n_class (n_class - 1) / 2 functions, but each vector has one kernel value
 * with a row for all of them.  Which of four ways evaluates them depends on kernel and sizes:
 *
 *     evaluate_by_weights()   linear: w_p = sum_j coef_j s_j once for each function, then w_p.x.
 *                             Precomputed kernels are linear ones: the vector with serial number s
 *                             is the unit vector of column s
 *     evaluate_by_merging()   a few vectors of so many columns that a tile would be larger than
 *                             they are: each is merged with each row, both sorted by column
 *     evaluate_vectors()      16 rows in a tile; kernel values of BLOCK_VECTORS vectors of one
 *                             class, which are then added to the sums of all functions of it
 *     evaluate_functions()    where functions are more than vectors: kernel values of all vectors,
 *                             then one function after the other.  2,000 classes have 2,000,000
 *                             functions, whose sums over 16 rows would take 256 MB
 *
 * Each function sums over its first class and then over its second, vectors in order, starting at
 * 0: svm-predict's order, so that the same doubles come out whichever way computes them, but for
 * the first, and for the distances of merged rows, which are sums over coordinates.
 *
 * A tile is filled and emptied by the entries of its rows, as float_sums.c says.  Columns that no
 * vector has are left out of it; they count in a row's norm.  Many rows are shared among threads
 * TASK_ROWS at a time.
 *
 * Layout.  Vectors are grouped by class, class c having class_start[c] <= j < class_start[c + 1],
 * and coefficients are n_class - 1 rows of n_sv: row r of a vector of class c is its coefficient
 * against class r if r < c, else r + 1.  For three classes of two vectors:
 *
 *      vector        0    1  |  2    3  |  4    5
 *      class         0    0  |  1    1  |  2    2
 *      coef row 0   0-1  0-1 | 1-0  1-0 | 2-0  2-0        own class - class against
 *      coef row 1   0-2  0-2 | 1-2  1-2 | 2-1  2-1
 *
 *      function p of (a, b), a < b:  sum over class a, row b - 1;  then over class b, row a
 *
 * Kernel values of a block of vectors are in values[v * 16 + lane], sums in sums[p * 16 + lane]:
 * inner loops go over the 16 lanes, and one kernel value is used for n_class - 1 functions while it
 * is in the first-level cache.
 *
 * Work of n rows and m vectors: n (entries of the vectors) for kernel values, n m (n_class - 1)
 * multiplications for the sums; with weights n_functions for each entry of a row instead of both.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/expansion.h"

#include "base/long_sum.h"
#include "base/mem.h"
#include "base/thread.h"

/* Vectors whose kernel values are held at once: 64 x 16 doubles stay in the first cache. */
#define BLOCK_VECTORS 64

/*
 * Vectors are merged with rows where the longest has this many entries and a tile would be larger
 * than all of them; a tile of as many columns takes 64 MB a thread.  Two rows of 2.5 million
 * features: 0.6 s and 228 MB instead of 2.8 s and 958 MB for a training.
 */
#define WIDE_ENTRIES (1 << 19)

/*
 * Weight vectors may take this many times the entries of the support vectors, or FEW_WEIGHTS: with
 * many classes of sparse vectors they are mostly zeros, each of which a row would meet.
 */
#define WEIGHT_EXCESS 8
/* entries of the weight vectors that are always allowed: 8 MB of doubles */
#define FEW_WEIGHTS (1 << 20)

void expansion_free(struct expansion *e)
{
	column_map_free(&e->columns);
	kernel_vectors_free(&e->sv);
	mem_free_all(e->weight, e->coef, e->class_start);
	*e = (struct expansion){ 0 };
}

const double *expansion_coef(const struct expansion *e, int own, int other)
{
	return e->coef + (other < own ? other : other - 1) * e->n_sv;
}

/*
 * The kernel by which vectors are evaluated: a precomputed kernel becomes a linear one, in which a
 * support vector with serial number s is the unit vector of column s.
 */
static int take_precomputed(struct expansion *e, const struct csr *sv, struct error *err)
{
	for (int64_t j = 0; j < sv->n_rows; j++) {
		int64_t start = sv->row_start[j], row_start[2] = { 0, 1 };
		double one = 1;
		int32_t serial;

		if (sv->row_start[j + 1] == start || sv->col[start] != 0 ||
		    !(sv->val[start] >= 1 && sv->val[start] <= INT32_MAX))
			return error_set(
				err, ERR_FORMAT,
				"a support vector of a precomputed kernel has no serial number");
		serial = (int32_t)sv->val[start];
		if (csr_append(&e->sv.x, 1, row_start, &serial, &one, err) < 0)
			return -1;
	}
	e->kernel.type = KERNEL_LINEAR;
	return 0;
}

/* The vectors, those of 'own' themselves or a copy of 'sv', with their columns numbered. */
static int take_vectors(struct expansion *e, const struct csr *sv, struct csr *own,
			struct error *err)
{
	int taken = 0;

	if (e->kernel.type == KERNEL_PRECOMPUTED) {
		taken = take_precomputed(e, sv, err);
	} else if (own) {
		e->sv.x = *own;
		*own = (struct csr){ 0 };
	} else if (sv->n_rows > 0) {
		taken = csr_append(&e->sv.x, sv->n_rows, sv->row_start, sv->col, sv->val, err);
	}
	if (taken < 0 || kernel_vectors_number_columns(&e->sv, &e->columns, err) < 0)
		return -1;
	return kernel_vectors_prepare(&e->sv, &e->kernel, err);
}

/* Would a tile of rows take more memory than the vectors: columns and values? */
static bool is_wide(const struct kernel *kernel, const struct csr *sv)
{
	const int64_t entry = sizeof(*sv->col) + sizeof(*sv->val);
	const int64_t column = KERNEL_TILE_ROWS * sizeof(double);
	int64_t longest = 0;

	for (int64_t j = 0; j < sv->n_rows; j++)
		longest = int64_max(longest, sv->row_start[j + 1] - sv->row_start[j]);
	return kernel->type != KERNEL_PRECOMPUTED && longest >= WIDE_ENTRIES &&
	       longest * column > csr_n_entries(sv) * entry;
}

/* Copy the coefficients, and where the vectors of each class begin. */
static int take_coefficients(struct expansion *e, struct support_vectors sv, struct error *err)
{
	e->coef = mem_copy(sv.coef, (e->n_class - 1) * e->n_sv, sizeof(double), err);
	e->class_start = mem_zeroed(e->n_class + 1, sizeof(int64_t), err);
	if (err->code != ERR_NONE)
		return -1;
	for (int c = 0; c < e->n_class; c++)
		e->class_start[c + 1] = e->class_start[c] + sv.n_of_class[c];
	return 0;
}

/* w_p += sum over the vectors of class 'own' of coef_j s_j; 'sum' by features */
static void add_weights(const struct expansion *e, struct long_sum *sum, int own, int other)
{
	const double *coef = expansion_coef(e, own, other);

	for (int64_t j = e->class_start[own]; j < e->class_start[own + 1]; j++)
		for (int64_t k = e->sv.x.row_start[j]; k < e->sv.x.row_start[j + 1]; k++)
			long_sum_add(&sum[e->sv.x.col[k]], coef[j], e->sv.x.val[k]);
}

/* The weights of all functions; where they would take too much memory e->weight stays NULL. */
static int fold_linear(struct expansion *e, struct error *err)
{
	int64_t n_weights = e->columns.n * e->n_functions, p = 0;
	struct long_sum *sum;

	if (n_weights > FEW_WEIGHTS && n_weights > WEIGHT_EXCESS * csr_n_entries(&e->sv.x))
		return 0;
	e->weight = mem_zeroed(e->n_functions + n_weights, sizeof(double), err);
	sum = mem_array(e->columns.n, sizeof(*sum), err);
	for (int a = 0; e->weight && sum && a < e->n_class; a++)
		for (int b = a + 1; b < e->n_class; b++, p++) {
			memset(sum, 0, (size_t)e->columns.n * sizeof(*sum));
			add_weights(e, sum, a, b);
			add_weights(e, sum, b, a);
			for (int64_t j = 0; j < e->columns.n; j++)
				e->weight[(1 + j) * e->n_functions + p] = long_sum_value(&sum[j]);
		}
	mem_free(sum);
	return err->code == ERR_NONE ? 0 : -1;
}

/* expansion_init(), which takes over 'own', sv.x without const, unless that is NULL */
static int init(struct expansion *e, const struct kernel *kernel, struct support_vectors sv,
		struct csr *own, struct error *err)
{
	*e = (struct expansion){ .kernel = *kernel,
				 .n_class = sv.n_class,
				 .n_sv = sv.x->n_rows,
				 .n_functions = (int64_t)sv.n_class * (sv.n_class - 1) / 2 };
	/* merging keeps the caller's vectors: it needs columns ascending, not renumbered */
	if (is_wide(kernel, sv.x))
		e->merged = sv.x;
	if ((e->merged || take_vectors(e, sv.x, own, err) == 0) &&
	    take_coefficients(e, sv, err) == 0 &&
	    (kernel->type != KERNEL_LINEAR || e->merged || fold_linear(e, err) == 0))
		return 0;
	expansion_free(e);
	return -1;
}

int expansion_init(struct expansion *e, const struct kernel *kernel, struct support_vectors sv,
		   struct error *err)
{
	return init(e, kernel, sv, NULL, err);
}

int expansion_take(struct expansion *e, const struct kernel *kernel, struct csr *x,
		   const double *coef, struct error *err)
{
	const int64_t n_of_class[2] = { x->n_rows, 0 };

	return init(e, kernel, (struct support_vectors){ x, 2, n_of_class, coef }, x, err);
}

void expansion_scratch_free(struct expansion_scratch *s)
{
	kernel_lanes_free(&s->lanes);
	mem_free_all(s->values, s->sums);
	*s = (struct expansion_scratch){ 0 };
}

/*
 * Are kernel values of all vectors fewer than sums of all functions? True where classes are many.
 */
static bool many_functions(const struct expansion *e)
{
	return e->n_functions > e->n_sv;
}

int expansion_scratch_init(struct expansion_scratch *s, const struct expansion *e,
			   struct error *err)
{
	*s = (struct expansion_scratch){ 0 };
	/* evaluation by weights or by merging needs no scratch memory */
	if (e->weight || e->merged)
		return 0;
	/* all three allocations are tried: a failure of any stays in 'err' */
	kernel_lanes_init(&s->lanes, e->columns.n, err);
	s->values = mem_aligned((many_functions(e) ? e->n_sv : BLOCK_VECTORS) * KERNEL_TILE_ROWS,
				sizeof(double), err);
	s->sums = mem_aligned((many_functions(e) ? 1 : e->n_functions) * KERNEL_TILE_ROWS,
			      sizeof(double), err);
	if (err->code == ERR_NONE)
		return 0;
	expansion_scratch_free(s);
	return -1;
}

/*
 * One function: the sum stays in a register, and nothing waits for whether a vector has the column;
 * not finite where a value that counts for nothing is not.
 */
static double evaluate_one(const struct expansion *e, const struct csr_row x)
{
	double sum = 0;

	for (int64_t k = 0; k < x.n; k++)
		sum += x.val[k] * e->weight[1 + column_map_find(&e->columns, x.col[k])];
	return sum;
}

/* The weights of a column lie side by side, so that each entry of a row meets all functions. */
static void evaluate_by_weights(const struct expansion *e, const struct row_view *rows, double *out)
{
	int64_t n = e->n_functions;

	for (int64_t i = 0; i < rows->n_rows; i++, out += n) {
		struct csr_row x = row_view_at(rows, i);

		if (n == 1 && isfinite(*out = evaluate_one(e, x)))
			continue;
		memset(out, 0, (size_t)n * sizeof(*out));
		for (int64_t k = 0; k < x.n; k++) {
			int64_t column = column_map_find(&e->columns, x.col[k]);

			if (column < 0) /* no vector has the column */
				continue;
			for (int64_t p = 0; p < n; p++)
				out[p] += x.val[k] * e->weight[(1 + column) * n + p];
		}
	}
}

/* Evaluate row i by merging: classes in order, so each function meets its lower class first. */
static void evaluate_by_merging(const struct expansion *e, const struct row_view *rows, int64_t i,
				double *out)
{
	struct csr_row x = row_view_at(rows, i);

	memset(out, 0, (size_t)e->n_functions * sizeof(*out));
	for (int own = 0; own < e->n_class; own++)
		for (int64_t v = e->class_start[own]; v < e->class_start[own + 1]; v++) {
			double value = kernel_merged_value(&e->kernel, csr_row_of(e->merged, v), x);

			for (int other = 0; other < e->n_class; other++)
				if (other != own)
					out[expansion_pair(e->n_class, own, other)] +=
						expansion_coef(e, own, other)[v] * value;
		}
}

/*
 * Add vectors first .. last - 1 of class 'own' to the sums of its functions
 *
 * Blocks come class by class, so pair (a, b) sums over class a first, then over class b:
 * svm-predict's order.
 */
static void accumulate_block(const struct expansion *e, int own, int64_t first, int64_t last,
			     struct expansion_scratch *s)
{
	for (int other = 0; other < e->n_class; other++)
		if (other != own)
			kernel_tile_accumulate(expansion_coef(e, own, other) + first, last - first,
					       s->values,
					       s->sums + expansion_pair(e->n_class, own, other) *
								 KERNEL_TILE_ROWS);
}

/* The n rows of the tile's lanes with all vectors, row by row. */
static void values_of_tile(const struct expansion *e, int64_t n, double *out, int64_t stride,
			   struct expansion_scratch *s)
{
	for (int64_t v = 0, last; v < e->n_sv; v = last) {
		last = int64_min(v + BLOCK_VECTORS, e->n_sv);
		kernel_lanes_values(&e->kernel, &e->sv, v, last, &s->lanes, s->values);
		for (int64_t lane = 0; lane < n; lane++)
			for (int64_t k = v; k < last; k++)
				out[lane * stride + k] =
					s->values[(k - v) * KERNEL_TILE_ROWS + lane];
	}
}

void expansion_values(const struct expansion *e, const struct row_view *rows, double *out,
		      int64_t stride, struct expansion_scratch *s)
{
	for (int64_t i = 0; e->merged && i < rows->n_rows; i++)
		for (int64_t v = 0; v < e->n_sv; v++)
			out[i * stride + v] = kernel_merged_value(
				&e->kernel, csr_row_of(e->merged, v), row_view_at(rows, i));
	for (int64_t i = 0; !e->merged && i < rows->n_rows; i += KERNEL_TILE_ROWS) {
		int64_t n = int64_min(KERNEL_TILE_ROWS, rows->n_rows - i);

		kernel_lanes_fill(&s->lanes, &e->kernel, &e->columns, rows, i, n, false);
		values_of_tile(e, n, out + i * stride, stride, s);
		kernel_lanes_fill(&s->lanes, &e->kernel, &e->columns, rows, i, n, true);
	}
}

/* Add the vectors of class 'own' to the sums of its function with 'other', for n lanes. */
static void add_class(const struct expansion *e, int own, int other, int64_t n,
		      struct expansion_scratch *s)
{
	const double *coef = expansion_coef(e, own, other);

	for (int64_t v = e->class_start[own]; v < e->class_start[own + 1]; v++)
		for (int64_t lane = 0; lane < n; lane++)
			s->sums[lane] += coef[v] * s->values[v * KERNEL_TILE_ROWS + lane];
}

/*
 * Functions of n rows, one after the other, from the kernel values of all vectors with these rows.
 */
static void evaluate_functions(const struct expansion *e, int64_t n, double *out,
			       struct expansion_scratch *s)
{
	int64_t p = 0;

	/*
	 * kernel values of all vectors with 16 lanes: n_sv x 16 numbers, fewer than the functions
	 * have
	 */
	kernel_lanes_values(&e->kernel, &e->sv, 0, e->n_sv, &s->lanes, s->values);
	for (int a = 0; a < e->n_class; a++)
		for (int b = a + 1; b < e->n_class; b++, p++) {
			memset(s->sums, 0, (size_t)n * sizeof(*s->sums));
			add_class(e, a, b, n, s);
			add_class(e, b, a, n, s);
			for (int64_t lane = 0; lane < n; lane++)
				out[lane * e->n_functions + p] = s->sums[lane];
		}
}

/*
 * The sums of all functions for the rows in the tile, [n_functions][KERNEL_TILE_ROWS], and those of
 * its first n lanes, with the functions of a row side by side, in 'out'.
 */
static void evaluate_vectors(const struct expansion *e, int64_t n, double *out,
			     struct expansion_scratch *s)
{
	memset(s->sums, 0, (size_t)e->n_functions * KERNEL_TILE_ROWS * sizeof(double));
	for (int c = 0; c < e->n_class; c++)
		for (int64_t v = e->class_start[c], last; v < e->class_start[c + 1]; v = last) {
			last = int64_min(v + BLOCK_VECTORS, e->class_start[c + 1]);
			kernel_lanes_values(&e->kernel, &e->sv, v, last, &s->lanes, s->values);
			accumulate_block(e, c, v, last, s);
		}
	for (int64_t lane = 0; lane < n; lane++)
		for (int64_t p = 0; p < e->n_functions; p++)
			out[lane * e->n_functions + p] = s->sums[p * KERNEL_TILE_ROWS + lane];
}

void expansion_evaluate(const struct expansion *e, const struct row_view *rows, double *out,
			struct expansion_scratch *scratch)
{
	if (e->weight) {
		evaluate_by_weights(e, rows, out);
		return;
	}
	for (int64_t i = 0; e->merged && i < rows->n_rows; i++)
		evaluate_by_merging(e, rows, i, out + i * e->n_functions);
	/*
	 * each tile is filled, met by all vectors, and emptied by writing zeros to the same entries
	 */
	for (int64_t first = 0; !e->merged && first < rows->n_rows; first += KERNEL_TILE_ROWS) {
		int64_t n = int64_min(rows->n_rows - first, KERNEL_TILE_ROWS);

		kernel_lanes_fill(&scratch->lanes, &e->kernel, &e->columns, rows, first, n, false);
		(many_functions(e) ? evaluate_functions :
				     evaluate_vectors)(e, n, out + first * e->n_functions, scratch);
		kernel_lanes_fill(&scratch->lanes, &e->kernel, &e->columns, rows, first, n, true);
	}
}

/* Rows a task takes: about a millisecond's work with a thousand support vectors. */
#define TASK_ROWS 256

/* Products of an entry of a vector with an entry of a row that pay for a thread: some 0.4 ms. */
#define THREAD_PRODUCTS (1 << 21)

/* Arguments of the tasks that evaluate parts of the rows. */
struct evaluation {
	const struct expansion *e;
	struct row_view rows;
	double *out;
	struct expansion_scratch *scratch; /* scratch memory of each thread */
};

/*
 * One task: evaluate its part of the view, whose 'row' or starts of rows are moved on to the part.
 */
static void evaluate_task(void *arg, int64_t i, int thread)
{
	struct evaluation *ev = arg;
	struct row_view part = ev->rows;
	int64_t first = i * TASK_ROWS;

	part.n_rows = int64_min(ev->rows.n_rows - first, TASK_ROWS);
	if (part.row)
		part.row += first;
	else
		part.row_start += first;
	expansion_evaluate(ev->e, &part, ev->out + first * ev->e->n_functions,
			   &ev->scratch[thread]);
}

/*
 * Number of threads worth starting: for few rows and vectors starting a thread takes longer than
 * the sums.
 */
static int threads_that_pay(const struct expansion *e, int64_t n_rows, int n_threads)
{
	int64_t n_tasks = int64_blocks(n_rows, TASK_ROWS);
	double products;

	/* no scratch for threads without a task */
	n_threads = thread_clamp_count((int)int64_min(n_tasks, n_threads));
	if (e->weight || e->merged)
		return n_threads;
	/* the kernel's function counts as ten products */
	products = (double)n_rows * (double)(csr_n_entries(&e->sv.x) + 10 * e->n_sv);
	return (int)fmin(n_threads, 1 + products / THREAD_PRODUCTS);
}

int expansion_evaluate_rows(const struct expansion *e, struct row_view rows, double *out,
			    int n_threads, struct error *err)
{
	struct evaluation ev = { e, rows, out, NULL };
	int64_t n_tasks = int64_blocks(rows.n_rows, TASK_ROWS);

	n_threads = threads_that_pay(e, rows.n_rows, n_threads);
	ev.scratch = mem_zeroed(n_threads, sizeof(*ev.scratch), err);
	for (int t = 0; ev.scratch && t < n_threads; t++)
		expansion_scratch_init(&ev.scratch[t], e, err);
	if (err->code == ERR_NONE)
		thread_interruptible_for(n_threads, n_tasks, evaluate_task, &ev, err);
	for (int t = 0; ev.scratch && t < n_threads; t++)
		expansion_scratch_free(&ev.scratch[t]);
	mem_free(ev.scratch);
	return err->code == ERR_NONE ? 0 : -1;
}

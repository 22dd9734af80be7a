/*
 * matrix_source.c - kernel values from a kernel matrix that is kept
 *
 * How this works.  A source answers two requests (problem/kernel_source.h):
 * rows of kernel values over some members, and sums of kernel values over support vectors.  Here
 * both come from a matrix that has all kernel values of the rows of x, or computes and keeps them.
 *
 *  (1) A matrix of doubles is complete from the beginning.  A row over the members is a selection
 *      from a row of the matrix, by the members' numbers of rows in x:
 *
 *           matrix row      K(i,0) K(i,1) K(i,2) K(i,3) K(i,4) ...
 *           over->row          1      4                              two members
 *           out             K(i,1) K(i,4) 0 0 ... 0                  padded with 0
 *
 *      No value is computed, so fetching several rows at once saves nothing.
 *  (2) A sum goes over one row of the matrix after the other, one for each support vector, and adds
 *      to TASK_EXAMPLES sums at a time.  Each sum adds its vectors in their order, whatever the
 *      number of threads: its bits do not depend on them.
 *  (3) Where values are asked for (kernel_matrix.h), a row over the members asks for those that are
 *      not known; rows are fetched singly, none in vain.  A sum takes its vectors one after the
 *      other, for the same values as the working set's, and looks at the interruption before each.
 *  (4) A matrix of floats computes a row when it is first wanted and keeps it.  Example i is row i,
 *      so the solver uses the kept row itself, without a copy (kept_row); other requests are those
 *      of the float_source that the base was copied from.
 *
 * Both kinds only read x; the matrix is borrowed and outlives the source.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "source/matrix_source.h"

#include "base/thread.h"
#include "kernel/kernel_tile.h"
#include "source/float_source.h"

/* Examples whose sums one task computes: these sums stay in the processor's cache. */
#define TASK_EXAMPLES 256

/* Products from which on a sum is shared among threads: about a millisecond's work. */
#define THREADS_FROM 1e6

/*
 * Bytes of tiles that one row may meet for rows to be computed one by one: a quarter of a
 * second-level cache of 1 MB, which is then left for the rows themselves.
 */
#define BYTES_ALONE (256 << 10)

static struct kernel_matrix *matrix_of(const struct kernel_source *source)
{
	return ((const struct matrix_source *)source)->matrix;
}

/* ---- matrices in double precision ---- */

/* The members' columns of each row wanted, (1) or (3), and padding of 0. */
static int fetch_wide(const struct kernel_rows *r, const struct row_request *q, struct error *err)
{
	const struct kernel_matrix *m = matrix_of(r->source);
	const size_t size = r->in_doubles ? sizeof(double) : sizeof(float);
	const int64_t *row = q->over->row;
	int64_t n = q->over->n, n_padding = kernel_rows_padded(n) - n;
	double *asked = m->asked ? mem_array(n, sizeof(*asked), err) : NULL;

	for (int64_t v = 0; v < q->n && err->code == ERR_NONE; v++) {
		const int64_t i = r->p->row[q->wanted[v]];
		const double *from = asked ? asked : m->double_value + i * m->stride;
		double *wide = q->out[v];
		float *narrow = q->out[v];

		if (asked)
			kernel_matrix_values(m, i, row + q->first, n - q->first, asked + q->first,
					     err);
		for (int64_t j = q->first; r->in_doubles && j < n; j++)
			wide[j] = from[asked ? j : row[j]];
		for (int64_t j = q->first; asked && !r->in_doubles && j < n; j++)
			narrow[j] = (float)from[j];
		if (!asked && !r->in_doubles)
			kernel_round_row(from, row + q->first, n - q->first, narrow + q->first);
		memset((char *)q->out[v] + (size_t)n * size, 0, (size_t)n_padding * size);
	}
	work_count(WORK_KEPT, asked ? 0 : q->n * (n - q->first));
	mem_free(asked);
	return err->code == ERR_NONE ? 0 : -1;
}

/* Sums over the vectors, one after the other, (3). */
static int sum_asked(const struct kernel_sums *s, const struct sum_request *q, struct error *err)
{
	const struct interruption *interruption =
		s->p->interruption ? s->p->interruption : interruption_of_scope();
	const int64_t *vector = s->state;
	double *value = mem_array(q->n, sizeof(*value), err);
	int ret = value ? 0 : -1;

	memset(q->value, 0, (size_t)q->n * sizeof(*q->value));
	for (int64_t j = 0; j < s->n_vectors && ret == 0; j++) {
		ret = interruption_requested(interruption) ?
			      error_set(err, ERR_INTERRUPTED, "interrupted") :
			      kernel_matrix_values(matrix_of(s->source), vector[j], q->row, q->n,
						   value, err);
		for (int64_t k = 0; k < q->n && ret == 0; k++)
			q->value[k] += s->coef[j] * value[k];
	}
	mem_free(value);
	return ret;
}

/* Arguments of the tasks that make sums: the support vectors, and the examples. */
struct summing {
	const struct kernel_sums *s;
	const struct sum_request *q;
};

/*
 * Sums of examples first <= k < end, (2), which no other task writes
 *
 * The values of one vector with the examples lie in one row of the matrix, mostly close together;
 * the other order, an example's values of all vectors, would touch a row for each product.
 */
static void sum_task(void *arg, int64_t task, int thread UNUSED)
{
	const struct summing *a = arg;
	const struct sum_request *q = a->q;
	const struct kernel_matrix *m = matrix_of(a->s->source);
	const int64_t *vector = a->s->state;
	int64_t first = task * TASK_EXAMPLES, end = int64_min(first + TASK_EXAMPLES, q->n);

	memset(q->value + first, 0, (size_t)(end - first) * sizeof(*q->value));
	for (int64_t j = 0; j < a->s->n_vectors; j++) {
		const double *values = m->double_value + vector[j] * m->stride;

		for (int64_t k = first; k < end; k++)
			q->value[k] += a->s->coef[j] * values[q->row[k]];
	}
}

/* Sums of all examples of the request; of values that are kept without a failure. */
static int sum_wide(const struct kernel_sums *s, const struct sum_request *q, struct error *err)
{
	struct summing arg = { s, q };
	bool alone = (double)q->n * (double)s->n_vectors < THREADS_FROM;

	if (matrix_of(s->source)->asked)
		return sum_asked(s, q, err);
	work_count(WORK_KEPT, q->n * s->n_vectors);
	thread_parallel_for(alone ? 1 : q->n_threads, int64_blocks(q->n, TASK_EXAMPLES), sum_task,
			    &arg);
	return 0;
}

static const struct kernel_source_type wide_type = {
	.rows_at_once = kernel_rows_singly, /* all values are there already, (1), or dear, (3) */
	.fetch_rows = fetch_wide,
	.open_sums = kernel_sums_open_rows,
	.close_sums = kernel_sums_close_rows,
	.sum = sum_wide,
};

struct matrix_source matrix_source_of_doubles(struct kernel_matrix *matrix, const double *diagonal,
					      bool rounds)
{
	if (!diagonal)
		diagonal = matrix->diagonal;
	return (struct matrix_source){
		.base = {
			.type = &wide_type,
			.diagonal = diagonal ? diagonal : matrix->double_value,
			.diagonal_step = diagonal ? 1 : matrix->stride + 1,
			.in_floats = rounds,
			.has_matrix = !matrix->asked,
			.is_slow = matrix->asked != NULL,
			.value_error = matrix->asked ? matrix->asked->by.error : 0,
			.indefinite = matrix->indefinite,
		},
		.matrix = matrix,
	};
}

/* ---- matrices in single precision ---- */

/*
 * Number of rows that the matrix computes best in one go, (4): 1 where the tiles of all rows that a
 * row meets stay in the processor's cache, so that no row is computed in vain.
 */
static int narrow_at_once(const struct kernel_rows *r, const struct row_members *over UNUSED)
{
	const struct kernel_matrix *m = matrix_of(r->source);
	const struct float_vectors *x = m->x;
	/* entries that a row meets in one of the other rows, on average */
	double columns = x->dense ? (double)x->n_cols : (double)x->start[x->n] / (double)x->n;
	bool alone = columns * (double)(m->n * float_vectors_size(x)) <= BYTES_ALONE;

	return alone ? 1 : KERNEL_ROWS_AT_ONCE;
}

/* Pointer to the row of example i in the matrix if the row is known; else NULL. */
static const float *kept_row(const struct kernel_source *s, int64_t i)
{
	return matrix_of(s)->row[i];
}

/* Compute and keep the rows of n examples, except rows already known. */
static int make_rows(const struct kernel_source *s, const int64_t *i, int n, struct error *err)
{
	return kernel_matrix_fetch(matrix_of(s), i, n, err);
}

static const struct kernel_source_type narrow_type = {
	.rows_at_once = narrow_at_once,
	.kept_row = kept_row,
	.make_rows = make_rows,
	.open_sums = float_source_open_sums,
	.close_sums = float_source_close_sums,
	.sum = kernel_sums_by_looks,
	.sum_rows = float_source_sum_rows,
};

struct matrix_source matrix_source_of_floats(struct kernel_matrix *matrix,
					     const struct kernel_source *floats)
{
	struct matrix_source s = { .base = *floats, .matrix = matrix };

	/*
	 * a problem with another choice of rows uses 'floats', as its example i is not row i of the
	 * matrix
	 */
	s.base.type = &narrow_type;
	s.base.for_subset = floats;
	s.base.has_matrix = true;
	return s;
}

/*
 * kernel_sums.c - sums of kernel values over support vectors, by the problem's source
 *
 * How this works.  The life of a struct kernel_sums:
 *
 *      kernel_sums_init()      room for n vectors
 *      kernel_sums_add()       example and coefficient of each vector
 *      kernel_sums_open()      the source makes the vectors ready, in s->state; most sources take
 *                              over the examples as rows of x (kernel_sums_take_rows())
 *      kernel_sums_evaluate()  any number of times, each for a list of examples
 *      kernel_sums_free()      the source gives back its state
 *
 * An evaluation makes one request of rows of x, which the source answers into an array by position
 * in the request; values then go to f at the examples' positions (1).  A sum that is not finite is
 * an error here, once for all sources, and not a result (2).
 *
 * A request of many rows is cut into parts of about VALUES_A_LOOK kernel values, between which the
 * interruption is looked at (3).  Parts are whole tiles, so sums are the same with and without
 * cuts.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/float_tile.h"
#include "problem/problem.h"

/*
 * Kernel values between two looks at whether an end is wanted: a tenth of a second of a core, where
 * rows are short.  The rows of a look fill whole tiles, so that no sum depends on it.
 */
#define VALUES_A_LOOK 1e8
#define ROWS_A_LOOK (16 * FLOAT_TILE_LANES)

int kernel_sums_init(struct kernel_sums *s, const struct problem_view *p,
		     const struct kernel_source *source, int64_t n, struct error *err)
{
	*s = (struct kernel_sums){ .p = p, .source = source };
	s->coef = mem_array(n, sizeof(*s->coef), err);
	s->example = mem_array(n, sizeof(*s->example), err);
	if (s->coef && s->example)
		return 0;
	kernel_sums_free(s);
	return -1;
}

void kernel_sums_add(struct kernel_sums *s, int64_t example, double coef)
{
	s->example[s->n_vectors] = example;
	s->coef[s->n_vectors++] = coef;
}

int kernel_sums_open(struct kernel_sums *s, struct error *err)
{
	if (!s->source->type->open_sums || s->source->type->open_sums(s, err) == 0)
		return 0;
	kernel_sums_free(s);
	return -1;
}

void kernel_sums_free(struct kernel_sums *s)
{
	if (s->source && s->source->type->close_sums)
		s->source->type->close_sums(s);
	mem_free_all(s->example, s->coef);
	*s = (struct kernel_sums){ 0 };
}

/* Turn the array of examples into one of their rows of x, in place; the array changes its owner. */
int64_t *kernel_sums_take_rows(struct kernel_sums *s)
{
	int64_t *row = s->example;

	for (int64_t j = 0; j < s->n_vectors; j++)
		row[j] = s->p->row[row[j]];
	s->example = NULL;
	return row;
}

int kernel_sums_open_rows(struct kernel_sums *s, struct error *err UNUSED)
{
	s->state = kernel_sums_take_rows(s);
	return 0;
}

void kernel_sums_close_rows(struct kernel_sums *s)
{
	mem_free(s->state);
}

int kernel_sums_by_looks(const struct kernel_sums *s, const struct sum_request *q,
			 struct error *err)
{
	const struct interruption *interruption =
		s->p->interruption ? s->p->interruption : interruption_of_scope();
	int64_t some =
		(int64_t)(VALUES_A_LOOK / ((double)s->n_vectors + 1)) / ROWS_A_LOOK * ROWS_A_LOOK;

	some = interruption ? int64_max(some, ROWS_A_LOOK) : q->n;
	/* parts of the request, (3); without an interruption the whole request is one part */
	for (int64_t first = 0; first < q->n; first += some) {
		struct sum_request part = *q;

		part.row += first;
		part.value += first;
		part.n = int64_min(some, q->n - first);
		if (interruption_requested(interruption))
			return error_set(err, ERR_INTERRUPTED, "interrupted");
		if (s->source->type->sum_rows(s, &part, err) < 0)
			return -1;
	}
	return 0;
}

int error_kernel_overflows(struct error *err)
{
	return error_set(err, ERR_NUMERIC, "no finite solution: the kernel overflows");
}

int kernel_sums_values(const struct kernel_sums *s, const int64_t *position, int64_t n,
		       double *value, int n_threads, struct error *err)
{
	int64_t *row = mem_array(n, sizeof(*row), err);
	struct sum_request q = { position, row, n, value, n_threads };
	int ret;

	if (!row)
		return -1;
	for (int64_t k = 0; k < n; k++)
		row[k] = s->p->row[position ? position[k] : k];
	ret = s->source->type->sum(s, &q, err);
	mem_free(row);
	/* overflow test, (2) */
	return ret == 0 && !are_finite(value, n) ? error_kernel_overflows(err) : ret;
}

int kernel_sums_evaluate(const struct kernel_sums *s, const int64_t *position, int64_t n, double *f,
			 int n_threads, struct error *err)
{
	/* values for all examples are in the order of f already */
	double *value = position ? mem_array(n, sizeof(*value), err) : f;
	int ret = value ? kernel_sums_values(s, position, n, value, n_threads, err) : -1;

	/* values go from the order of the request to the positions of the examples, (1) */
	for (int64_t k = 0; position && ret == 0 && k < n; k++)
		f[position[k]] = value[k];
	if (position)
		mem_free(value);
	return ret;
}

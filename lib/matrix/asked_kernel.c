/*
 * asked_kernel.c - a kernel of objects that are the caller's: its values are asked for
 *
 * Rows are those of objects that something asks all others about: examples of the working set, and
 * support vectors.  A value is looked up in the rows of both of its objects.
 *
 * One lock is held while values are looked up and asked for.  A call from within the function would
 * wait for itself for ever: the thread that calls the function is marked, and refused.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/asked_kernel.h"

#include "base/mem_bound.h"
#include "base/work_counts.h"

/* Share of the memory that rows may take: half of what kernel values have by default. */
#define ROWS_SHARE 8

/* Is this thread within a call of a caller's function? */
static _Thread_local bool is_asking;

/* ---- users ---- */

struct asked_kernel *asked_kernel_new(const struct kernel_function *by, int64_t n,
				      struct error *err)
{
	struct asked_kernel *k = mem_zeroed(1, sizeof(*k), err);

	if (!k)
		return NULL;
	k->by = *by;
	k->n = n;
	k->most_rows = (int64_t)(mem_limit() / ROWS_SHARE) / ((n + 1) * (int64_t)sizeof(double));
	atomic_init(&k->n_users, 1);
	pthread_mutex_init(&k->lock, NULL);
	k->row = mem_zeroed(n, sizeof(*k->row), err);
	k->diagonal = mem_array(n, sizeof(*k->diagonal), err);
	for (int64_t i = 0; k->diagonal && i < n; i++)
		k->diagonal[i] = NAN;
	if (k->row && k->diagonal)
		return k;
	asked_kernel_free(k);
	return NULL;
}

static void forget_rows(struct asked_kernel *k)
{
	for (int64_t i = 0; k->n_rows > 0 && i < k->n; i++) {
		k->n_rows -= k->row[i] != NULL;
		mem_free(k->row[i]);
		k->row[i] = NULL;
	}
}

void asked_kernel_free(struct asked_kernel *k)
{
	if (!k || atomic_fetch_sub(&k->n_users, 1) > 1)
		return;
	forget_rows(k);
	pthread_mutex_destroy(&k->lock);
	mem_free_all(k->row, k->diagonal, k);
}

/* ---- values ---- */

/* The object that value b is of. */
static int64_t object_of(const struct asked_row *q, int64_t b)
{
	return q->object ? q->object[q->j[b]] : q->j[b];
}

/* Ask for all values; they are to be finite. */
static int ask(struct asked_kernel *k, const struct asked_row *q, double *value, struct error *err)
{
	int failed = 0;

	atomic_fetch_add(&k->n_asked, q->n);
	work_count(WORK_DOUBLES, q->n);
	is_asking = true;
	if (q->n > 0)
		failed = k->by.values(k->by.arg, q->i, q->j, q->n, value);
	is_asking = false;
	if (failed)
		return error_set(err, ERR_ARGUMENT, "the function of the kernel has failed: %d",
				 failed);
	for (int64_t b = 0; b < q->n; b++)
		if (!isfinite(value[b]))
			return error_set(err, ERR_NUMERIC,
					 "the kernel of objects %" PRId64 " and %" PRId64 " is %g",
					 q->i, q->j[b], value[b]);
	return 0;
}

/* Where K(i, j) is kept for who asks about i. */
static double *place_of(const struct asked_kernel *k, int64_t i, int64_t j)
{
	return i == j ? &k->diagonal[i] : &k->row[i][j];
}

/* A row of i, with the values that other rows have; the diagonal alone needs none. */
static int make_row(struct asked_kernel *k, const struct asked_row *q, struct error *err)
{
	double *row;

	if (k->row[q->i] || (q->n == 1 && object_of(q, 0) == q->i))
		return 0;
	if (k->n_rows >= k->most_rows)
		forget_rows(k);
	row = mem_array(k->n, sizeof(*row), err);
	for (int64_t j = 0; row && j < k->n; j++)
		row[j] = k->row[j] ? k->row[j][q->i] : NAN;
	k->row[q->i] = row;
	k->n_rows += row != NULL;
	return row ? 0 : -1;
}

/*
 * List the objects j whose values with i are not known, each once.  What is listed is marked as
 * INFINITY, which no value is.
 */
static int64_t list_missing(struct asked_kernel *k, const struct asked_row *q, int64_t *missing)
{
	int64_t n_missing = 0;

	for (int64_t b = 0; b < q->n; b++) {
		const int64_t j = object_of(q, b);
		double *value = place_of(k, q->i, j);

		if (isnan(*value) && q->i != j && k->row[j])
			*value = k->row[j][q->i];
		if (isnan(*value)) {
			*value = INFINITY;
			missing[n_missing++] = j;
		}
	}
	return n_missing;
}

/* Ask for the values that are not known, and keep them. */
static int complete(struct asked_kernel *k, const struct asked_row *q, double *value,
		    struct error *err)
{
	int64_t *missing = mem_array(q->n, sizeof(*missing), err);
	struct asked_row rest = { .i = q->i, .j = missing };
	int ret = -1;

	if (missing && make_row(k, q, err) == 0) {
		rest.n = list_missing(k, q, missing);
		ret = ask(k, &rest, value, err);
	}
	for (int64_t b = 0; b < rest.n; b++)
		*place_of(k, q->i, missing[b]) = ret == 0 ? value[b] : NAN;
	for (int64_t b = 0; ret == 0 && b < q->n; b++)
		value[b] = *place_of(k, q->i, object_of(q, b));
	mem_free(missing);
	return ret;
}

int asked_kernel_values(struct asked_kernel *k, struct asked_row q, double *value,
			struct error *err)
{
	int ret;

	/* the function, whose caller has the lock, would wait for itself */
	if (is_asking)
		return error_set(err, ERR_ARGUMENT,
				 "the function of a kernel must not ask for values of one");
	pthread_mutex_lock(&k->lock);
	ret = q.anew ? ask(k, &q, value, err) : complete(k, &q, value, err);
	pthread_mutex_unlock(&k->lock);
	return ret;
}

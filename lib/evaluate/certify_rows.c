/*
 * certify_rows.c - what a certificate needs of the training data, from two passes over them
 *
 * How this works.  Decision values need the support vectors with all their digits, which
 * svm-train's files do not have, and these are rows of the data; so the rows are first searched for
 * vectors, and then evaluated.
 *
 *     scan 1   each row    --> is it, in 8 digits, a vector of the model?       on all threads
 *              each batch  --> labels; copies of the rows that are              in order
 *     between  the caller finds which candidate each vector is, and makes an expansion of them
 *     scan 2   each row    --> decision values of all pairs, kept: its class's  on all threads
 *              each batch  --> copied to their places                           in order
 *
 * There may be more candidates than vectors: equal rows of which only some have a multiplier.
 * Which of them is the vector is sv_rows_find()'s choice, which has to see them all.
 *
 * Keeping the whole data instead would take 12 bytes an entry: certifying 30,000 rows of 100
 * features took 47 MB before, and takes 24 MB now.  What reads the rows must therefore be able to
 * read them twice, and labels are compared to see that they are still the same.
 *
 * A row of class a is in the problems of the n_class - 1 pairs of a alone, so that of the
 * n_class (n_class - 1) / 2 values that an expansion computes with the same kernel values only
 * those are kept.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/certify_rows.h"

#include "base/thread.h"
#include "evaluate/sv_index.h"

/*
 * Rows evaluated at a time, for all pairs of classes: a few tiles (KERNEL_TILE_ROWS), and few
 * enough that the values of all pairs, of which most are dropped, take little memory.
 */
#define BLOCK_ROWS 64

void certify_rows_free(struct certify_rows *r)
{
	dataset_free(&r->labels);
	dataset_free(&r->candidates);
	mem_free_all(r->candidate_row, r->distance);
	*r = (struct certify_rows){ 0 };
}

/* ---- First pass ---- */

/* Candidates among the rows of a batch: which rows may equal a support vector. */
struct row_list {
	int64_t *row;
	int64_t n, capacity;
	struct csr instead;
	double *distance; /* distances of all rows of the batch */
	int64_t distance_capacity;
};

/* Own kernel value K(x_i, x_i) of a precomputed kernel; 0 for rows of any other kernel. */
static double own_value(struct csr_row x)
{
	const double serial = x.n > 0 ? x.val[0] : 0;

	return serial >= 1 && serial < (double)x.n ? x.val[(int64_t)serial] : 0;
}

struct first_scan {
	const struct sv_index *index; /* index of the model's vectors, shared by all threads */
	struct certify_rows *to;
};

/*
 * A row with the length of row i; or with the serial number 1, and its own kernel value in the
 * column of that number.
 */
static int append_instead(struct csr *to, const struct model *m, const struct csr *x, int64_t i,
			  struct error *err)
{
	bool precomputed = m->kernel.type == KERNEL_PRECOMPUTED;
	const int32_t col[] = { precomputed ? 0 : 1, 1 };
	const double val[] = { precomputed ? 1 : sqrt(csr_row_norm2(x, i)),
			       precomputed ? own_value(csr_row_of(x, i)) : 0 };

	return csr_append_row(to, (struct csr_row){ precomputed ? 2 : 1, col, val }, err);
}

static int list_candidates(void *arg, struct row_batch *b, void *user, struct error *err)
{
	const struct first_scan *c = arg;
	const struct csr x = csr_of_batch(b, b->max_index + 1);
	struct row_list *list = user;

	list->n = 0;
	list->instead.n_rows = 0;
	if (mem_grow(&list->distance, &list->distance_capacity, b->n_rows, sizeof(double), err) < 0)
		return -1;
	for (int64_t i = 0; i < b->n_rows; i++) {
		int class = sv_index_class(c->index->m, b->label[i]);

		if (c->to->center)
			list->distance[i] =
				optimum_measure(c->to->center, csr_row_of(&x, i)).distance;
		if (append_instead(&list->instead, c->to->m, &x, i, err) < 0)
			return -1;
		if (class < 0 ||
		    sv_index_find(c->index, csr_row_of(&x, i), class, SV_INDEX_DIGITS) < 0)
			continue;
		if (mem_grow(&list->row, &list->capacity, list->n + 1, sizeof(*list->row), err) < 0)
			return -1;
		list->row[list->n++] = i;
	}
	return 0;
}

/* Keep row i of the batch, a candidate, as row 'number' of all. */
static int keep_row(struct certify_rows *r, const struct row_batch *b, int64_t i, int64_t number,
		    struct error *err)
{
	const struct csr x = csr_of_batch(b, b->max_index + 1);
	struct dataset *d = &r->candidates;
	int64_t n = d->x.n_rows;

	if (mem_grow(&r->candidate_row, &r->candidate_capacity, n + 1, sizeof(int64_t), err) < 0 ||
	    mem_grow(&d->y, &d->labels_capacity, n + 1, sizeof(*d->y), err) < 0 ||
	    (b->weight && mem_grow(&d->weight, &r->candidate_weights_capacity, n + 1,
				   sizeof(*d->weight), err) < 0) ||
	    csr_append_row(&d->x, csr_row_of(&x, i), err) < 0)
		return -1;
	if (b->weight)
		d->weight[n] = b->weight[i];
	r->candidate_row[n] = number;
	d->y[n] = b->label[i];
	return 0;
}

/* Append the labels and candidates of a batch, in the order of the batches. */
static int keep_candidates(void *arg, struct row_batch *b, void *user, struct error *err)
{
	struct certify_rows *r = ((struct first_scan *)arg)->to;
	struct dataset *labels = &r->labels;
	const struct row_list *list = user;
	int64_t n = labels->x.n_rows, end = n + b->n_rows;

	if (mem_grow(&labels->y, &labels->labels_capacity, end, sizeof(*labels->y), err) < 0 ||
	    mem_grow(&labels->weight, &r->weights_capacity, b->weight ? end : 0,
		     sizeof(*labels->weight), err) < 0 ||
	    mem_grow(&r->distance, &r->distance_capacity, r->center ? end : 0, sizeof(double),
		     err) < 0)
		return -1;
	if (b->n_rows == 0) /* arrays of an empty batch may be NULL */
		return 0;
	if (r->center)
		memcpy(r->distance + n, list->distance, (size_t)b->n_rows * sizeof(double));
	memcpy(labels->y + n, b->label, (size_t)b->n_rows * sizeof(*labels->y));
	if (b->weight)
		memcpy(labels->weight + n, b->weight, (size_t)b->n_rows * sizeof(*b->weight));
	if (csr_append(&labels->x, b->n_rows, list->instead.row_start, list->instead.col,
		       list->instead.val, err) < 0)
		return -1;
	for (int64_t i = 0; i < b->n_rows; i++)
		r->longest = int64_max(r->longest, b->row_start[i + 1] - b->row_start[i]);
	for (int64_t k = 0; k < list->n; k++)
		if (keep_row(r, b, list->row[k], n + list->row[k], err) < 0)
			return -1;
	return 0;
}

int certify_rows_collect(struct certify_rows *r, const struct model *m,
			 const struct row_source *data, int n_threads, struct error *err)
{
	struct row_list lists[THREAD_MAX] = { 0 };
	struct sv_index index = { 0 };
	struct first_scan collection = { &index, r };
	struct rows_visitor visitor = { .work = list_candidates,
					.deliver = keep_candidates,
					.arg = &collection,
					.users = { lists, sizeof(*lists) } };
	int ret;

	r->m = m;
	ret = sv_index_init(&index, m, SV_INDEX_READ, err);
	if (ret == 0)
		ret = data->scan(data->arg, &visitor, n_threads, err);
	sv_index_free(&index);
	for (int k = 0; k < THREAD_MAX; k++) {
		mem_free_all(lists[k].row, lists[k].distance);
		csr_free(&lists[k].instead);
	}
	if (ret < 0)
		certify_rows_free(r);
	return ret;
}

/* ---- Second pass ---- */

struct second_scan {
	const struct certify_rows *rows;
	const struct expansion *e;
	double *value;
	int64_t n_done; /* number of rows whose values have been kept */
};

/* Memory of one thread in the second scan. */
struct evaluator {
	struct expansion_scratch scratch;
	double *all; /* values for all pairs, [BLOCK_ROWS][n_functions] */
	/* values for the pairs of each row's class, [rows of the batch][n_class - 1] */
	double *own;
	int64_t capacity;
};

/* Pick a row's values for the pairs of its class, by opponent, from those for all pairs. */
static void take_own(const struct second_scan *v, double label, const double *all, double *own)
{
	/* a label that the first pass did not see is refused in keep_values() */
	const int64_t class = int64_max(sv_index_class(v->rows->m, label), 0);
	const int n = v->e->n_class;

	for (int other = 0; other < n; other++)
		if (other != class)
			own[solution_slot(class, other)] = all[expansion_pair(n, class, other)];
}

static int evaluate_batch(void *arg, struct row_batch *b, void *user, struct error *err)
{
	const struct second_scan *v = arg;
	struct evaluator *w = user;
	int64_t n_own = v->e->n_class - 1;

	if (mem_grow(&w->own, &w->capacity, b->n_rows * n_own, sizeof(*w->own), err) < 0)
		return -1;
	for (int64_t first = 0; first < b->n_rows; first += BLOCK_ROWS) {
		int64_t n = int64_min(b->n_rows - first, BLOCK_ROWS);
		struct row_view rows = { n, NULL, b->row_start + first, b->index, b->value };

		expansion_evaluate(v->e, &rows, w->all, &w->scratch);
		for (int64_t i = 0; i < n; i++)
			take_own(v, b->label[first + i], w->all + i * v->e->n_functions,
				 w->own + (first + i) * n_own);
	}
	return 0;
}

static int refuse_change(struct error *err)
{
	return error_set(err, ERR_ARGUMENT, "the examples are not those of a moment ago");
}

/* Keep the values of a batch, in the order of the batches; refuse rows unlike the first scan's. */
static int keep_values(void *arg, struct row_batch *b, void *user, struct error *err)
{
	struct second_scan *v = arg;
	const struct evaluator *w = user;
	const struct dataset *labels = &v->rows->labels;
	int64_t n_own = v->e->n_class - 1, n = b->n_rows * n_own;

	if (b->n_rows == 0)
		return 0;
	if (b->n_rows > labels->x.n_rows - v->n_done ||
	    memcmp(b->label, labels->y + v->n_done, (size_t)b->n_rows * sizeof(*b->label)) != 0)
		return refuse_change(err);
	if (!are_finite(w->own, n))
		return error_kernel_overflows(err);
	if (n > 0) /* a single class has no values, and no room for them */
		memcpy(v->value + v->n_done * n_own, w->own, (size_t)n * sizeof(*w->own));
	v->n_done += b->n_rows;
	return 0;
}

int certify_rows_evaluate(const struct certify_rows *r, const struct expansion *e,
			  const struct row_source *data, double *value, int n_threads,
			  struct error *err)
{
	struct second_scan evaluation = { .rows = r, .e = e, .value = value };
	struct evaluator evaluators[THREAD_MAX] = { 0 };
	struct rows_visitor visitor = { .work = evaluate_batch,
					.deliver = keep_values,
					.arg = &evaluation,
					.users = { evaluators, sizeof(*evaluators) } };
	int n = thread_clamp_count(n_threads), ret = 0;

	for (int k = 0; k < n && ret == 0; k++) {
		evaluators[k].all = mem_array(BLOCK_ROWS * e->n_functions, sizeof(double), err);
		if (!evaluators[k].all ||
		    expansion_scratch_init(&evaluators[k].scratch, e, err) < 0)
			ret = -1;
	}
	if (ret == 0)
		ret = data->scan(data->arg, &visitor, n, err);
	if (ret == 0 && evaluation.n_done < r->labels.x.n_rows)
		ret = refuse_change(err);
	for (int k = 0; k < n; k++) {
		expansion_scratch_free(&evaluators[k].scratch);
		mem_free_all(evaluators[k].all, evaluators[k].own);
	}
	return ret;
}

void certify_rows_take(const struct certify_rows *r, const struct problem_view *p, int a, int b,
		       const double *value, double *f)
{
	int n_own = r->m->solution.n_class - 1;

	for (int64_t i = 0; i < p->n; i++) {
		bool is_b = machine_classifies(p->type) && p->target[i] < 0;
		int slot = is_b ? solution_slot(b, a) : solution_slot(a, b);

		f[i] = value[p->row[i] * n_own + slot];
	}
}

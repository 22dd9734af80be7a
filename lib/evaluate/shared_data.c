/*
 * shared_data.c - the data of a cross validation, with a kernel matrix that its trainings share
 *
 * How this works.  Where trainings share a kernel matrix the data are put in the order of the
 * classes, as trainer.c wants it for pairs, and the matrix is of these rows:
 *
 *     data          rows by class                 s->data, s->matrix (n x n doubles)
 *     examples      in the order they came        s->row[i] is the row of example i in s->data
 *
 * So folds, which are of examples, stay those that they would be without a matrix.  A precomputed
 * kernel is its own matrix: data and rows stay as they are.  Where there is no memory, or the
 * matrix would not pay (trainer_shares_matrix()), 't' is left alone and nothing else changes: that
 * is no error.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/shared_data.h"

#include "base/mem.h"
#include "kernel/precomputed.h"

struct example_list trainer_examples(const struct trainer *t)
{
	if (t->subset)
		return t->subset->examples;
	return (struct example_list){ t->data->x.n_rows, NULL, t->data->y };
}

void shared_data_free(struct shared_data *s)
{
	kernel_matrix_free(&s->matrix);
	dataset_free(&s->data);
	mem_free(s->row);
}

/*
 * Share the matrix of the rows in the order of the classes, which s->data becomes; s->row tells where
 * each example went
 */
static int share_by_class(struct shared_data *s, const struct trainer *t,
			  const struct classes *classes, struct error *err)
{
	const struct dataset *d = t->data;
	int64_t n = d->x.n_rows, *order = mem_array(n, sizeof(*order), err);
	int ret = -1;

	s->row = mem_array(n, sizeof(*s->row), err);
	for (int64_t k = 0; order && s->row && k < n; k++) {
		/* without classes the rows keep their order */
		order[k] = classes ? classes->row[k] : k;
		/* s->row is the inverse of the order */
		s->row[order[k]] = k;
	}
	if (order && s->row)
		ret = dataset_gather(&s->data, d, order, n, err);
	mem_free(order);
	return ret < 0 ? -1 :
			 kernel_matrix_init_doubles(&s->matrix, &s->data.x, &t->training->kernel,
						    t->options->n_threads, err);
}

/* Share a precomputed kernel's matrix, which is the data, in the order of the rows. */
static int share_precomputed(struct shared_data *s, const struct dataset *d, struct error *err)
{
	s->row = mem_array(d->x.n_rows, sizeof(*s->row), err);
	for (int64_t i = 0; s->row && i < d->x.n_rows; i++)
		s->row[i] = i;
	return s->row ? precomputed_matrix_init(&s->matrix, &d->x, err) : -1;
}

void shared_data_init(struct shared_data *s, struct trainer *t, const struct classes *classes,
		      double n_trainings)
{
	const struct dataset *d = t->data;
	bool precomputed = t->training->kernel.type == KERNEL_PRECOMPUTED;
	struct error failure = { 0 };

	*s = (struct shared_data){ 0 };
	/* a trainer with a subset shares its matrix already */
	if (t->subset || !trainer_shares_matrix(t, classes, n_trainings))
		return;
	if ((precomputed ? share_precomputed(s, d, &failure) :
			   share_by_class(s, t, classes, &failure)) < 0)
		return;
	/* labels stay in the order of the examples */
	s->subset.examples = (struct example_list){ d->x.n_rows, s->row, d->y };
	s->subset.matrix = &s->matrix;
	/* from here on the trainer has all examples, as a subset of the shared data */
	t->subset = &s->subset;
	t->data = precomputed ? d : &s->data;
}

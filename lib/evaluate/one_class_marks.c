/*
 * one_class_marks.c - the probabilities of a one-class model: how its decision values are spread
 *
 * How this works.  LIBSVM's one-class probabilities are a table of ten marks: decision values that
 * cut the training rows into parts of given sizes (model/probability.c).  So all it takes are the
 * decision values of the training rows by the solution: an expansion of its support vectors, less
 * rho.  O(n n_sv) kernel values on all threads, and 8 bytes a row.  Where the values do not allow
 * marks the solution stays without them, as LIBSVM's does.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/one_class_marks.h"

#include "base/mem.h"
#include "evaluate/shared_data.h"
#include "kernel/expansion.h"
#include "model/model_header.h"
#include "model/probability.h"

/* Compute the decision values of all examples by the solution of a single problem. */
static int solution_values(const struct trainer *t, const struct solution *s, double *value,
			   struct error *err)
{
	const struct example_list all = trainer_examples(t);
	struct expansion e = { 0 };
	struct csr sv = { 0 };
	int ret = -1;

	if (csr_gather(&sv, &t->data->x, s->sv_row, s->n_sv, err) == 0 &&
	    expansion_init(&e, &t->training->kernel,
			   &(struct support_vectors){ &sv, 2, s->n_sv_of_class, s->coef },
			   err) == 0)
		ret = expansion_evaluate_rows(&e, csr_view(&t->data->x, all.row, all.n), value,
					      t->options->n_threads, err);
	/* the expansion's sums are without the constant rho */
	for (int64_t i = 0; ret == 0 && i < all.n; i++)
		value[i] -= s->rho[0];
	expansion_free(&e);
	csr_free(&sv);
	return ret;
}

int one_class_marks(const struct trainer *t, struct solution *s, struct error *err)
{
	int64_t n = trainer_examples(t).n;
	double *value = mem_array(n, sizeof(*value), err), *marks;
	struct trainer near;
	struct shifted_data shifted;
	int ret = trainer_shift(&near, &shifted, t, true, err);

	marks = mem_array(MODEL_DENSITY_MARKS, sizeof(*marks), err);
	if (!value || !marks)
		ret = -1;
	if (ret < 0 || solution_values(&near, s, value, err) < 0) {
		ret = -1;
		goto out;
	}
	/* the solution owns the marks from here on */
	if (probability_fit_density(value, n, MODEL_DENSITY_MARKS, marks)) {
		s->density_marks = marks;
		s->n_density_marks = MODEL_DENSITY_MARKS;
		marks = NULL;
	}
out:
	shifted_data_free(&shifted);
	mem_free_all(marks, value);
	return ret;
}

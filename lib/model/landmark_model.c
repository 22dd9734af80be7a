/*
 * landmark_model.c - a linear model of Nystrom's features as a model with the landmarks' kernel
 *
 * How this works.  z(x) = L^-1 k(x) is a linear map of the r kernel values k(x).  So model_unproject()
 * makes of w~ the weights beta of those values (1), as those of features 1 to r, one vector for each
 * pair of classes.  They become the coefficients of the landmarks (2).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/landmark_model.h"

#include "base/arithmetic.h"
#include "base/mem.h"
#include "model/unproject.h"

/* A function for linear_map.row: feature j + 1 is the kernel value with landmark j. */
static int landmark_row(const void *map, int64_t j, struct linear_map_row *to)
{
	const struct nystrom *n = map;

	to->feature = (int32_t)j + 1;
	to->n = n->n_columns - j;
	for (int64_t k = 0; k < to->n; k++) {
		to->column[k] = (int32_t)(j + k) + 1;
		to->value[k] = nystrom_row(n, j + k)[j];
	}
	return 0;
}

/* (2): row q of 'beta' has the weights of pair q, (0,1), (0,2), ..., (1,2), ... */
static void fill_coef(struct solution *s, const struct csr *beta, int64_t m)
{
	int64_t q = 0;

	for (int a = 0; a < s->n_class; a++)
		for (int b = a + 1; b < s->n_class; b++, q++)
			for (int64_t k = beta->row_start[q]; k < beta->row_start[q + 1]; k++)
				solution_coef(s, a, b)[a * m + beta->col[k] - 1] = beta->val[k];
}

/* Take the weights of kernel values, which 'model' has as its vectors, to be those of landmarks. */
static int use_landmarks(struct model *model, const struct nystrom *map, struct error *err)
{
	struct solution *s = &model->solution;
	const int64_t m = map->landmarks.n_rows;
	const int n_copies = s->n_class > 1 ? s->n_class - 1 : 0;
	struct csr beta = model->sv;
	double *coef;
	int ret;

	model->kernel = map->kernel;
	model->sv = (struct csr){ 0 };
	s->n_sv = n_copies * m;
	coef = mem_zeroed(s->n_sv * int64_max(n_copies, 1), sizeof(*coef), err);
	ret = coef ? 0 : -1;
	/* (1): the landmarks, once for each class but the last */
	for (int c = 0; c < n_copies && ret == 0; c++)
		ret = csr_append(&model->sv, m, map->landmarks.row_start, map->landmarks.col,
				 map->landmarks.val, err);
	if (ret == 0) {
		mem_free(s->coef);
		s->coef = coef;
		coef = NULL;
		for (int c = 0; c < s->n_class; c++)
			s->n_sv_of_class[c] = c < n_copies ? m : 0;
		fill_coef(s, &beta, m);
	}
	mem_free(coef);
	csr_free(&beta);
	return ret;
}

int model_of_landmarks(struct model *folded, const struct model *m, const struct nystrom *map,
		       struct error *err)
{
	const struct linear_map values = { .map = map,
					   .n_features = map->landmarks.n_rows,
					   .n_rows = map->landmarks.n_rows,
					   .most_entries = map->n_columns,
					   .n_columns = map->n_columns,
					   .row = landmark_row };

	if (m->is_linear_model) {
		*folded = (struct model){ 0 };
		return error_set(err, ERR_ARGUMENT,
				 "a model of LIBLINEAR's kind cannot be one with a kernel; train "
				 "with randsvm-train -t 0 or svm-train -t 0");
	}
	if (model_unproject(folded, m, &values, err) < 0) /* (1) */
		return -1;
	if (use_landmarks(folded, map, err) == 0 && model_check(folded, err) == 0)
		return 0;
	model_free(folded);
	return -1;
}

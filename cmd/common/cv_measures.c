/*
 * cv_measures.c - the measures of svm-eval, of what a cross validation predicted
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "cv_measures.h"

#include "base/mem.h"

struct measures cv_measures_wanted(void)
{
	static const struct cli_output no_file;

	return (struct measures){
		.wanted = true, .to.roc = &no_file, .to.pr = &no_file, .to.plot = &no_file
	};
}

/* Add row i; 'score' has room for the scores of the classes. */
static int add_row(struct measures *m, const struct predictor *p, const struct cv_predictions *c,
		   const struct dataset *d, int64_t i, double *score, struct error *err)
{
	const struct row_prediction r = { p, c->predicted[i], c->value + i * c->n_values,
					  c->probability ? c->probability + i * c->columns.n_class :
							   NULL };
	struct outcome outcome = measures_of(m, &r, d->y[i], score);

	outcome.weight = dataset_weight(d, i);
	return measures_add(m, &outcome, d->y[i], err);
}

int cv_measures(struct measures *m, const struct cv_predictions *c, enum prediction_kind kind,
		const struct dataset *d, const int64_t *row, int64_t n, struct error *err)
{
	const struct predictor p = { .kind = kind,
				     .n_class = kind == PREDICTS_SIDE ? 2 : c->columns.n_class,
				     .label = c->columns.label,
				     .n_values = c->n_values };
	double *score = mem_array(p.n_class, sizeof(*score), err);
	int ret = score ? 0 : -1;

	m->by_class = c->columns.by_class;
	measures_begin(m, &p, c->probability != NULL);
	for (int64_t k = 0; k < n && ret == 0; k++) {
		int64_t i = row ? row[k] : k;

		ret = add_row(m, &p, c, d, i, score, err);
	}
	mem_free(score);
	if (ret == 0)
		measures_finish(m);
	else
		measures_free(m);
	return ret;
}

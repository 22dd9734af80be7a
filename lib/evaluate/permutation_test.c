/*
 * permutation_test.c - could what a cross validation finds be chance?
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/permutation_test.h"

#include "base/order.h"
#include "evaluate/folds.h"

int labels_permute(double *y, const int64_t *group, int64_t n, struct glibc_rand *draws,
		   struct error *err)
{
	/* rows by group, the rows that they get their labels of, and where groups of one label begin */
	struct order_key *by = mem_array(n, sizeof(*by), err);
	int64_t *from = mem_array(n, sizeof(*from), err), *lender, n_alike = 0;
	int64_t *alike = mem_array(n, sizeof(*alike), err);
	double *old = mem_copy(y, n, sizeof(*old), err);
	const int64_t n_ready = by && from && alike && old ? n : 0;

	for (int64_t i = 0; i < n_ready; i++)
		by[i] = (struct order_key){ group ? (uint64_t)group[i] : 0, i };
	if (n_ready > 0)
		qsort(by, (size_t)n, sizeof(*by), order_keys);
	for (int64_t k = 0, end; k < n_ready; k = end) {
		bool differ = false;

		for (end = k; end < n && by[end].key == by[k].key; end++) {
			from[end] = by[end].id;
			differ |= y[from[end]] != y[from[k]];
		}
		if (differ)
			rows_shuffle(from + k, end - k, draws);
		else
			alike[n_alike++] = k;
	}
	lender = mem_copy(alike, n_alike, sizeof(*lender), err);
	if (lender)
		rows_shuffle(lender, n_alike, draws);
	for (int64_t g = 0; g < n_alike && lender; g++)
		for (int64_t k = alike[g]; k < n && by[k].key == by[alike[g]].key; k++)
			from[k] = by[lender[g]].id;
	for (int64_t k = 0; k < n_ready && lender; k++)
		y[by[k].id] = old[from[k]];
	mem_free_all(by, from, alike, lender, old);
	return lender && n_ready == n ? 0 : -1;
}

int validation_permuted(const struct machine *m, int64_t n_folds, int64_t draw,
			struct metrics *sums, struct error *err)
{
	struct dataset d = *m->trainer.data;
	struct machine_given given = m->given;
	struct machine again = { 0 };
	struct cv_predictions c = { .predicted = mem_array(d.x.n_rows, sizeof(double), err) };
	struct glibc_rand draws;
	int ret = -1;

	/* not the numbers that the folds are drawn by */
	glibc_rand_seed(&draws, rng_draw(m->options.seed, RNG_PERMUTATION, (uint64_t)draw, 0).w[0]);
	given.interruption = m->solver.interruption;
	d.y = mem_copy(d.y, d.x.n_rows, sizeof(double), err);
	if (c.predicted && d.y && labels_permute(d.y, d.group, d.x.n_rows, &draws, err) == 0 &&
	    machine_init(&again, &d, &given, err) == 0) {
		again.solver.rows_mb = m->solver.rows_mb;
		ret = machine_validate(&again, n_folds, NULL, NULL, &c, err);
	}
	for (int64_t i = 0; i < d.x.n_rows && ret == 0; i++)
		metrics_add(sums, c.predicted[i], d.y[i], dataset_weight(&d, i));
	machine_free(&again);
	mem_free_all(d.y, c.predicted);
	return ret;
}

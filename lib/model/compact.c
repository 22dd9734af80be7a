/*
 * compact.c - models with a linear kernel as weights of the features, not as support vectors
 *
 * How this works.  For the pair (a, b) of classes
 *
 *     w_(a,b) = sum_{j of a} coef_j^b s_j + sum_{j of b} coef_j^a s_j           (1)
 *
 * coef_j^c being the coefficient of vector j against class c.  A model with thousands of vectors
 * becomes one with as many vectors as pairs, and any reader of LIBSVM's format can use it: (1) is
 * written as the only support vector of its pair (2), or as weights in LIBLINEAR's format (3).
 *
 *  (2) A file of LIBSVM's groups vectors by class and gives each a coefficient against every other
 *      class.  w_(a,b) goes to class a, the earlier one, with coefficient 1 against b and 0 else;
 *      so f_(a,b) sees this vector alone, and the last class has none.  For three classes:
 *
 *          vectors          w_01  w_02 | w_12 |            n_sv_of_class 2 1 0
 *          coef row 0         1     0      0
 *          coef row 1         0     1      1               row of b: b - 1, since a < b
 *
 *  (3) LIBLINEAR has no one-against-one, so only a single pair fits its format.
 *
 * Features are numbered as they occur, so that a feature 2147483647 takes no more memory than
 * feature 1; each pair's weights are summed in a full array, of which the non-zeros are kept, in
 * twice the digits of a double: terms of unscaled features mostly cancel.
 *
 * How (1) is computed: columns are numbered in ascending order (column_map_sort()), the sum of a pair
 * is a full array by these numbers, and its non-zeros become a row, ascending without sorting,
 * after which the array is 0 again for the next pair.  Time is O(entries (n_class - 1) + pairs
 * columns).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/compact.h"

#include "base/long_sum.h"
#include "matrix/full_weights.h"

/* Work on one pair's weights after the other; borrows the model. */
struct pair_weights {
	const struct model *m;
	struct column_map map; /* columns of the support vectors, numbered in ascending order */
	struct long_sum *sum;  /* map.n: w of the pair at hand; all 0 between pairs */
	double *w;	       /* map.n: w of the pair as doubles */
};

/* Room for the weights of a pair; after a failure find_weights() releases what there is. */
static int init_weights(struct pair_weights *u, const struct model *m, struct error *err)
{
	*u = (struct pair_weights){ .m = m };
	if (column_map_init(&u->map, &m->sv, err) < 0 || column_map_sort(&u->map, err) < 0)
		return -1;
	u->sum = mem_zeroed(u->map.n, sizeof(*u->sum), err);
	u->w = mem_array(u->map.n, sizeof(*u->w), err);
	return u->sum && u->w ? 0 : -1;
}

/* One of the two sums of (1): the vectors of class 'own', by their coefficients against 'other' */
static void add_class(struct pair_weights *u, int own, int other)
{
	const struct solution_side side = solution_side(&u->m->solution, own, other);
	const struct csr *sv = &u->m->sv;

	/* w += coef s_j */
	for (int64_t j = side.first; j < side.first + side.n; j++)
		for (int64_t k = sv->row_start[j]; side.coef[j] != 0 && k < sv->row_start[j + 1];
		     k++)
			long_sum_add(&u->sum[column_map_find(&u->map, sv->col[k])], side.coef[j],
				     sv->val[k]);
}

/* (1) of all pairs: row q of the empty '*to' becomes the weights of pair q. */
static int find_weights(struct csr *to, const struct model *m, struct error *err)
{
	int n_class = m->solution.n_class, ret;
	struct pair_weights u;

	if (m->is_linear_model || m->kernel.type != KERNEL_LINEAR)
		return error_set(err, ERR_ARGUMENT, "the model's kernel is not linear");
	ret = init_weights(&u, m, err);
	for (int a = 0; a < n_class; a++)
		for (int b = a + 1; b < n_class && ret == 0; b++) {
			/* w of the pair as training gave it, by column, if it did */
			const double *w = m->solution.w ? m->solution.w[to->n_rows] : NULL;

			for (int64_t t = 0; w && t < u.map.n; t++)
				u.sum[t].high = w[u.map.list[t]];
			if (!w) {
				add_class(&u, a, b);
				add_class(&u, b, a);
			}
			/* w becomes a row of 'to'; all sums are 0 between pairs */
			for (int64_t t = 0; t < u.map.n; t++)
				u.w[t] = long_sum_value(&u.sum[t]);
			memset(u.sum, 0, (size_t)u.map.n * sizeof(*u.sum));
			ret = csr_append_nonzeros(to, u.map.n, u.map.list, u.w, 1, err);
		}
	column_map_free(&u.map);
	mem_free_all(u.sum, u.w);
	return ret;
}

/* (2), all but the vectors themselves. */
static int copy_solution(struct solution *to, const struct solution *from, struct error *err)
{
	int64_t n_pairs = solution_n_pairs(from->n_class), q = 0;

	if (solution_copy_constants(to, from, err) < 0)
		return -1;
	to->n_sv = n_pairs;
	to->coef = mem_zeroed((from->n_class - 1) * n_pairs, sizeof(double), err);
	if (!to->coef)
		return -1;
	for (int a = 0; a < to->n_class; a++)
		for (int b = a + 1; b < to->n_class; b++) {
			to->n_sv_of_class[a]++;
			to->coef[(b - 1) * n_pairs + q++] = 1;
		}
	return 0;
}

int model_compact(struct model *to, const struct model *m, struct error *err)
{
	*to = (struct model){ .type = m->type, .kernel = m->kernel };
	if (find_weights(&to->sv, m, err) == 0 &&
	    copy_solution(&to->solution, &m->solution, err) == 0)
		return 0;
	model_free(to);
	return -1;
}

/* Has the model the form (2): a linear kernel and one support vector for each pair? */
bool model_is_compact(const struct model *m)
{
	const struct solution *s = &m->solution;
	int64_t n_pairs = solution_n_pairs(s->n_class), q = 0;

	if (m->is_linear_model || m->kernel.type != KERNEL_LINEAR || s->n_sv != n_pairs ||
	    n_pairs == 0)
		return false;
	for (int a = 0; a < s->n_class; a++) {
		if (s->n_sv_of_class[a] != s->n_class - 1 - a)
			return false;
		for (int b = a + 1; b < s->n_class; b++, q++)
			for (int r = 0; r < s->n_class - 1; r++)
				if (s->coef[r * n_pairs + q] != (r == b - 1))
					return false;
	}
	return true;
}

/*
 * (3): two classes, a regression, or one class, which all have one pair.  LIBLINEAR's decision
 * function is w'x with the bias as a last feature, and w'x - rho for its one-class machine alone.
 */
static int set_linear(struct linear_model *l, const struct model *m, const struct csr *w,
		      struct error *err)
{
	double rho = m->solution.rho[0];

	l->one_class = m->type == MACHINE_ONE_CLASS;
	l->regression = machine_is_regression(m->type);
	/* by loss and problem; predictions depend on the name only by class, value or side */
	if (l->one_class)
		strcpy(l->solver_type, "ONECLASS_SVM");
	else if (l->regression)
		strcpy(l->solver_type, m->squared_loss ? "L2R_L2LOSS_SVR" : "L2R_L1LOSS_SVR_DUAL");
	else
		strcpy(l->solver_type, m->squared_loss ? "L2R_L2LOSS_SVC" : "L2R_L1LOSS_SVC_DUAL");
	l->n_class = 2;
	l->n_columns = 1;
	l->n_features = m->sv.n_cols > 0 ? m->sv.n_cols - 1 : 0;
	l->bias = l->one_class ? -1 : 1;
	l->rho = l->one_class ? rho : 0;
	l->label = mem_copy(m->solution.label, 2, sizeof(int), err);
	/* those of a regression or of one class are of another kind */
	l->prob_a = mem_copy(l->label ? m->solution.prob_a : NULL, 1, sizeof(double), err);
	l->prob_b = mem_copy(m->solution.prob_b, 1, sizeof(double), err);
	l->w = full_weights(l->n_features, 1, csr_n_entries(w), err);
	if (err->code != ERR_NONE)
		return -1;
	for (int64_t k = 0; k < csr_n_entries(w); k++) {
		if (w->col[k] == 0)
			return error_set(
				err, ERR_ARGUMENT,
				"feature 0 has a weight: LIBLINEAR's features begin with 1");
		l->w[w->col[k] - 1] = w->val[k];
	}
	if (!l->one_class)
		l->w[l->n_features] = -rho;
	return 0;
}

int model_to_liblinear(struct model *to, const struct model *m, struct error *err)
{
	struct csr w = { 0 };
	int ret;

	*to = (struct model){ .is_linear_model = true };
	if (find_weights(&w, m, err) < 0)
		ret = -1;
	else if (m->solution.n_class != 2)
		ret = error_set(err, ERR_ARGUMENT,
				"%d classes: LIBLINEAR has no models of one "
				"class against one but for 2",
				m->solution.n_class);
	else
		ret = set_linear(&to->linear, m, &w, err);
	csr_free(&w);
	if (ret < 0)
		model_free(to);
	return ret;
}

/* ---- Weights of the features of either kind ---- */

/*
 * How this works.  Both kinds of linear model end as one table, features that have a weight by
 * decision values:
 *
 *      decision value     0     1     2
 *      feature[0] =  3   .2     0   -.1       w[0 * n_columns + v]
 *      feature[1] = 17    0    .4    .4       w[1 * n_columns + v]
 *      constant          -1    .3     0       constant[v]
 *
 *  (4) LIBLINEAR's weights are such a table already, with a row for every feature.  Rows of zeros
 *      are left out; the constant is the bias times its weight, which is in the last row; a
 *      one-class model subtracts rho from it.
 *  (5) A model of support vectors is summed up first (model_compact()), so that vector v has the
 *      weights of decision value v.  The columns that any vector has are the features (6); then the
 *      entries of vector v go to column v of the table, by their numbers (7).
 *
 * order_sizes() sorts by the |weight| of a decision value, then by the feature, so that the order is
 * total and the same with any qsort().
 */

void model_weights_free(struct model_weights *w)
{
	mem_free_all(w->feature, w->w, w->constant);
	*w = (struct model_weights){ 0 };
}

/* Room for n features; all weights 0. */
static int allocate(struct model_weights *w, int64_t n, int64_t n_columns, struct error *err)
{
	w->n_columns = n_columns;
	w->feature = mem_array(n, sizeof(*w->feature), err);
	w->w = mem_zeroed(n * n_columns, sizeof(*w->w), err);
	w->constant = mem_zeroed(n_columns, sizeof(*w->constant), err);
	return w->feature && w->w && w->constant ? 0 : -1;
}

/* (4): the table gets room for all features, also for those that turn out to have no weight. */
static int from_liblinear(struct model_weights *w, const struct linear_model *l, struct error *err)
{
	int64_t n_columns = l->n_columns;

	if (allocate(w, l->n_features, n_columns, err) < 0)
		return -1;
	for (int64_t j = 0; j < l->n_features; j++) {
		const double *row = l->w + j * n_columns;

		if (are_zeros(row, n_columns))
			continue;
		/* files number features from 1, rows of l->w count from 0 */
		w->feature[w->n] = j + 1;
		memcpy(w->w + w->n * n_columns, row, (size_t)n_columns * sizeof(*row));
		w->n++;
	}
	/* a negative bias says that the model has none: no row follows the last feature's */
	for (int64_t v = 0; v < n_columns && l->bias >= 0; v++)
		w->constant[v] = l->bias * l->w[l->n_features * n_columns + v];
	if (l->one_class)
		w->constant[0] -= l->rho;
	return 0;
}

/* (5): vector v of a compact model has the weights of decision value v. */
static int from_compact(struct model_weights *w, const struct model *m, struct error *err)
{
	const struct csr *sv = &m->sv;
	struct column_map map = { 0 };
	int ret = -1;

	if (column_map_init(&map, sv, err) < 0 || column_map_sort(&map, err) < 0 || /* (6) */
	    allocate(w, map.n, sv->n_rows, err) < 0)
		goto out;
	w->n = map.n;
	for (int64_t i = 0; i < w->n; i++)
		w->feature[i] = map.list[i];
	for (int64_t v = 0; v < sv->n_rows; v++) {
		w->constant[v] = -m->solution.rho[v];
		for (int64_t k = sv->row_start[v]; k < sv->row_start[v + 1]; k++) /* (7) */
			w->w[column_map_find(&map, sv->col[k]) * sv->n_rows + v] = sv->val[k];
	}
	ret = 0;
out:
	column_map_free(&map);
	return ret;
}

int model_weights(struct model_weights *w, const struct model *m, struct error *err)
{
	struct model compact = { 0 };
	int ret = -1;

	*w = (struct model_weights){ 0 };
	if (m->is_linear_model)
		ret = from_liblinear(w, &m->linear, err);
	else if (model_compact(&compact, m, err) == 0 && model_check(&compact, err) == 0)
		ret = from_compact(w, &compact, err);
	model_free(&compact);
	if (ret < 0)
		model_weights_free(w);
	return ret;
}

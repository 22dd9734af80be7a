/*
 * margin.c - a model's margins, and how many support vectors theorems say are enough for them
 *
 * How this works.  w = sum_j coef_j phi(s_j) of a pair of classes is known by its vectors alone, so
 *
 *     |w|^2 = sum_j coef_j f(s_j),      f(x) = sum_k coef_k K(s_k, x)           (1)
 *
 * with the decision function f without its constant: the expansion that predicts evaluates all
 * vectors as if they were data, and each vector counts in the n_class - 1 pairs of its class.
 * With a linear kernel the expansion has w itself in most cases, and |w|^2 is a sum of squares.
 *
 * Three formulas give numbers of examples or support vectors, rounded up.  With L the radius, l the
 * margin, n examples, and the probability delta of failing:
 *
 *     margin    8 / loss^2 (1 + L / l)^2 ln(4 n / delta)                        (2)
 *     tube      2 (2 L / (l loss epsilon))^2 ln(4 n / delta)                    (3)
 *     core      (L / l)^2 / loss                                                (4)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/margin.h"

/* Squared norm of each column v of the weights, [n_rows][n_columns], into norm2[v]. */
static void norms_of_weights(const double *weight, int64_t n_rows, int64_t n_columns, double *norm2)
{
	/* row by row, as weights are stored: a column alone would be read with long strides */
	for (int64_t j = 0; j < n_rows; j++)
		for (int64_t v = 0; v < n_columns; v++)
			norm2[v] += weight[j * n_columns + v] * weight[j * n_columns + v];
}

/* Equation (1) for the vectors of class 'own' with their coefficients against class 'other'. */
static double part_of_norm(const struct expansion *e, const double *f, int64_t v, int own,
			   int other)
{
	const double *coef = expansion_coef(e, own, other);
	double sum = 0;

	for (int64_t j = e->class_start[own]; j < e->class_start[own + 1]; j++)
		sum += coef[j] * f[j * e->n_functions + v];
	return sum;
}

/* Equation (1), |w|^2, for all pairs, from the decision values of all vectors. */
static int norms_of_expansion(const struct predictor *p, double *norm2, int n_threads,
			      struct error *err)
{
	const struct expansion *e = &p->expansion;
	/* decision values of all vectors in all pairs: n_sv times the number of pairs */
	double *f = mem_array(e->n_sv * e->n_functions, sizeof(*f), err);
	const struct row_view all = csr_view(&p->model->sv, NULL, e->n_sv);
	const int ret = f ? expansion_evaluate_rows(e, all, f, n_threads, err) : -1;
	int64_t v = 0;

	/* each pair sums over the vectors of both of its classes */
	for (int a = 0; a < e->n_class && ret == 0; a++)
		for (int b = a + 1; b < e->n_class; b++, v++)
			norm2[v] = part_of_norm(e, f, v, a, b) + part_of_norm(e, f, v, b, a);
	mem_free(f);
	return ret;
}

int margin_norms(const struct predictor *p, double *norm2, int n_threads, struct error *err)
{
	const struct model *m = p->model;

	memset(norm2, 0, (size_t)p->n_values * sizeof(*norm2));
	if (m->is_linear_model) {
		/* the bias's row comes after those of the features, and is left out */
		norms_of_weights(m->linear.w, m->linear.n_features, m->linear.n_columns, norm2);
		return 0;
	}
	/* a precomputed kernel's vectors are row numbers, without kernel values among them */
	if (m->kernel.type == KERNEL_PRECOMPUTED)
		return error_set(
			err, ERR_ARGUMENT,
			"a model of a precomputed kernel does not hold the kernel values that "
			"its margin needs");
	/* a linear kernel has weights, and no vectors have to be evaluated */
	if (p->expansion.weight) {
		norms_of_weights(p->expansion.weight, 1 + p->expansion.columns.n,
				 p->expansion.n_functions, norm2);
		return 0;
	}
	return norms_of_expansion(p, norm2, n_threads, err);
}

double sv_sizes_margin(double n, double radius, double margin, double loss, double delta)
{
	/* theorem (2): the factor in brackets, which is squared */
	double stretch = 1 + radius / margin;

	return ceil(8 / (loss * loss) * stretch * stretch * log(4 * n / delta));
}

double sv_sizes_tube(double n, double radius, double margin, double epsilon, double loss,
		     double delta)
{
	/* theorem (3): the quotient that is squared, where |w| is 1 / margin */
	double ratio = 2 * radius / (margin * loss * epsilon);

	return ceil(2 * ratio * ratio * log(4 * n / delta));
}

double sv_sizes_core(double radius, double margin, double loss)
{
	/* theorem (4): the ratio of radius and margin, whose square is the size of a core set */
	double ratio = radius / margin;

	return ceil(ratio * ratio / loss);
}

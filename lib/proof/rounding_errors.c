/*
 * rounding_errors.c - how far rounding may have moved decision values
 *
 * How this works.  Decision values are sums of kernel values, f_i = sum_j beta_j K_ij.  With the
 * unit u of a precision (2^-53 or 2^-24), and for each example i a length l_i and a size h_i,
 *
 *     |error of K_ij| <= u (a l_i l_j + h_i l_j + l_i h_j)                        (1)
 *
 *     kernel        l                                h                 a
 *     linear        |x|                              0                 k
 *     polynomial    (gamma |x|^2 + |r|)^(d / 2)      0                 d (k + 4)
 *     rbf           1                                2 gamma k |x|^2   8
 *     sigmoid       (1 + gamma |x|^2 + |r|)^(1/2)    0                 k + 4
 *     precomputed   sqrt |K_ii|                      0                 1
 *
 * An rbf kernel's |x - z|^2 is made of |x|^2, |z|^2 and x.z; that of a row kernel_is_far() is a sum
 * over columns, and h = k.  Values of a precomputed kernel are as they are read, or rounded to
 * floats; where a caller's function gives them, its own error per value, a share of l_i l_j, adds to
 * u a.
 *
 * Here k bounds the error of an inner product in units: the entries of the longest row, or
 * ROUNDING_SPREAD sqrt of them, as rounding errors of a long sum are as good as independent (2).  A
 * sum of m terms has that factor s too, in doubles: float kernel values are summed in doubles every
 * few terms.  With L = sum_j |beta_j| l_j and H = sum_j |beta_j| h_j,
 *
 *     |error of f_i| <= e_i = u ((a l_i + h_i) L + l_i H) + 2^-53 s l_i L          (3)
 *
 * The errors of an rbf kernel are relative, but for pairs with a row kernel_is_far().  So, with sums
 * over the rows that are not far, G_i = sum_j |beta_j| K_ij and H_i = sum_j |beta_j| h_j K_ij, which
 * rbf_bound_at() bounds by lengths, and L_far of those that are
 *
 *     |error of f_i| <= e_i = u ((a + s + h_i) G_i + H_i + (a + s + k) L_far)     (4)
 *     |error of f_i| <= e_i = u (a + s + k) L                            if i is far
 *
 * The lesser of (3) and these weighed errors counts.  Where features are not scaled h is large, most
 * K_ij are 0, and the latter are much smaller.
 *
 * An rbf kernel's values in floats are of rows in a form that float_form.c chooses, which tells
 * the error of exponents.  Their sums of sizes G_i are known where kernel values are kept, and are L
 * at most:
 *
 *     |error of f_i| <= (c u + absolute) G_i + sum_j |beta_j| K (root sqrt(t) + relative t)
 *                       + 17 u (G_i + S - L)                                                  (6)
 *
 * with t = ln(1/K), so that K t is bounded whatever the rows are; and S = x->summed, the sizes of
 * the coefficients of all the sums in floats that made f, L where it is not a correction.  A term
 * of these sums has K <= 1 times more than |beta_j| where coefficients cancel: S - L in all.
 *
 * A linear kernel's f_i is x_i.w of one vector w, unless kernel values were summed, and any w gives
 * a primal: so the losses have the error of that product alone, u k |x_i| |w|, and |w|^2 = sum_i
 * beta_i f_i one of w, which is at most u (s + k) L, times 2 |w| (5).
 *
 * Polynomial kernels are not weighed: K_ij is below l_i l_j by the angle of the rows alone, and rows
 * of large positive features have nearly one direction.  Their sums in twice the digits
 * (base/long_sum.h) are rounded to doubles, |f_i| <= |w| l_i, and have errors of the second order,
 *
 *     |error of f_i| <= u |w| l_i + u^2 (a + s)^2 l_i L                           (7)
 *
 * Sources: Higham 2002, Accuracy and Stability of Numerical Algorithms, section 3.1, for (1);
 * Higham and Mary 2019, SIAM J. Sci. Comput. 41, theorem 2.4, for (2).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "proof/rounding_errors.h"

#include "base/long_sum.h"
#include "base/order.h"

/* ---- Bounds of sums of rbf kernel values, by the lengths of vectors alone ---- */

/*
 * How this works.  With M(t) the sum of the factors of vectors whose length differs by at most t,
 * which two bisections find in sums of sorted terms, and steps t_k = k / 2,
 *
 *     sum_j factor_j K_j <= sum_k exp(-t_(k-1)^2) (M(t_k) - M(t_(k-1)))
 *
 * up to t = 6.  Vectors beyond count at most exp(-36) = 2.3e-16, and a difference of two sums, each of
 * which is rounded once, is 2^-52 of all factors off at most.
 */

#define STEP 0.5
#define N_STEPS 12

/* Share of the sum of all factors for vectors beyond the steps, and for rounding. */
#define FLOOR 4e-15

int rbf_bound_init(struct rbf_bound *b, struct rbf_term *term, int64_t n, struct error *err)
{
	struct long_sum sum[RBF_SUMS] = { { 0, 0 } };

	*b = (struct rbf_bound){ .n = n, .length = mem_array(n + 1, sizeof(double), err) };
	for (int f = 0; f < RBF_SUMS; f++)
		b->sum[f] = mem_array(n + 1, sizeof(double), err);
	if (err->code != ERR_NONE) {
		rbf_bound_free(b);
		return -1;
	}
	qsort(term, (size_t)n, sizeof(*term), order_doubles);
	for (int64_t j = 0; j <= n; j++) {
		b->length[j] = j < n ? term[j].length : INFINITY;
		for (int f = 0; f < RBF_SUMS; f++) {
			b->sum[f][j] = long_sum_value(&sum[f]);
			if (j < n)
				long_sum_add(&sum[f], term[j].factor[f], 1);
		}
	}
	return 0;
}

void rbf_bound_free(struct rbf_bound *b)
{
	mem_free(b->length);
	for (int f = 0; f < RBF_SUMS; f++)
		mem_free(b->sum[f]);
	*b = (struct rbf_bound){ 0 };
}

void rbf_bound_at(const struct rbf_bound *b, double length, double bound[RBF_SUMS])
{
	double nearer[RBF_SUMS] = { 0 };

	for (int f = 0; f < RBF_SUMS; f++)
		bound[f] = FLOOR * b->sum[f][b->n];
	for (int k = 1; k <= N_STEPS; k++) {
		double t = k * STEP, most = exp(-(t - STEP) * (t - STEP));
		int64_t end = order_find_above(b->length, b->n + 1, length + t);
		int64_t start = order_find_above(b->length, b->n + 1, length - t);

		for (int f = 0; f < RBF_SUMS; f++) {
			double within = b->sum[f][end] - b->sum[f][start];

			bound[f] += most * fmax(within - nearer[f], 0);
			nearer[f] = within;
		}
	}
}

/* ---- Errors of decision values ---- */

#define FLOAT_UNIT (FLT_EPSILON / 2)

/*
 * Errors of f that corrections of earlier values have made (decision.h), those of the earlier values
 * among them, where x->summed does not tell what all the sums were of.
 */
#define CORRECTED 2

/*
 * Roundings of a sum of FLOAT_FLUSH kernel values in floats, those of coefficients among them; and
 * rbf kernel values that may be left out (near_rows.h).
 */
#define SUM_STEPS 17
#define LEFT_OUT 0x1p-40

/*
 * (4) is of the first order in the relative error of a kernel value, which kernel_is_far() limits
 * to 2^30 k u: 1e-3 with a million entries in a row.
 */
#define SECOND_ORDER 1e-2

/* The constant a of (1). */
static double kernel_error(const struct problem_view *p, double k)
{
	const double a[KERNEL_N_TYPES] = { [KERNEL_LINEAR] = k,
					   [KERNEL_POLYNOMIAL] = p->kernel.degree * (k + 4),
					   [KERNEL_RBF] = 8,
					   [KERNEL_SIGMOID] = k + 4,
					   [KERNEL_PRECOMPUTED] = 1 };

	return a[p->kernel.type];
}

/* l_i and h_i of (1), for a row whose |x|^2 is 'norm2' */
static void measure(const struct problem_view *p, int64_t i, double norm2, double k, double *length,
		    double *size)
{
	const struct kernel *kernel = &p->kernel;
	double product = fabs(kernel->gamma) * norm2 + fabs(kernel->coef0);

	*size = 0;
	*length = 1;
	if (kernel->type == KERNEL_LINEAR)
		*length = sqrt(norm2);
	else if (kernel->type == KERNEL_POLYNOMIAL)
		*length = pow(product, kernel->degree / 2.);
	else if (kernel->type == KERNEL_SIGMOID)
		*length = sqrt(1 + product);
	else if (kernel->type == KERNEL_PRECOMPUTED)
		*length = sqrt(fabs(problem_diagonal(p, i)));
	else
		*size = kernel_is_far(kernel, norm2) ? k : 2 * kernel->gamma * k * norm2;
}

/* Entries of the longest row, or 'longest' if that is more. */
static int64_t longest_row(const struct problem_view *p, int64_t longest)
{
	for (int64_t i = 0; i < p->n; i++)
		longest = int64_max(longest,
				    p->x->row_start[p->row[i] + 1] - p->x->row_start[p->row[i]]);
	return longest;
}

/* |x|^2 of example i; 'rows' are those of p->x, or NULL */
static double norm2_of(const struct problem_view *p, int64_t i, const struct rounding_rows *rows)
{
	if (p->kernel.type == KERNEL_PRECOMPUTED)
		return 0;
	return rows ? rows->norm2[p->row[i]] : csr_row_norm2(p->x, p->row[i]);
}

/* (5) of a vector of length 'norm' that is a sum with the factor 'sum' */
static void set_product(struct rounding_errors *e, double norm, double sum)
{
	double units = (sum + e->k) * e->lengths;

	e->in_doubles.of_length = ROUNDING_UNIT * e->k * norm;
	e->square = ROUNDING_UNIT * (2 * units * norm + ROUNDING_UNIT * units * units);
}

/* (3), where 'per_length' is a L + H, and 'value_error' the error of values other than rounding */
static void set_sums(struct rounding_errors *e, double per_length, double sum, double value_error)
{
	double of_sum = (ROUNDING_UNIT * sum + value_error) * e->lengths;

	e->in_floats = (struct rounding_rate){ CORRECTED * FLOAT_UNIT * per_length + of_sum,
					       CORRECTED * FLOAT_UNIT * e->lengths };
	e->in_doubles = (struct rounding_rate){ ROUNDING_UNIT * per_length + of_sum,
						ROUNDING_UNIT * e->lengths };
}

/*
 * (6): error of f of an rbf kernel in floats, where 'size' is G_i or more; 'own' of it is that of the
 * example's own term, whose K is 1 but for 'own_share' of the absolute error of exponents
 *
 * sum_j |beta_j| K ln(1/K) is at most L phi(G_i / L) with phi(x) = x ln(1/x), which is concave and
 * grows up to 1/e, and at most L times the largest exponent, gamma (2 max |x|)^2; and the sum of
 * sqrt(ln(1/K)) K, by Cauchy and Schwarz, the root of that times G_i.
 */
static double error_of_size(const struct rounding_errors *e, const struct problem_view *p,
			    const struct iterate *x, double size, double own, double own_share)
{
	const struct float_exponent *exponent = &problem_source(p)->x_float->exponent;
	double summed = x->summed > 0 ? fmax(x->summed, e->lengths) : CORRECTED * e->lengths;
	double left_out = LEFT_OUT * summed;
	double all = fmin((1 + SECOND_ORDER) * size + left_out, e->lengths);
	double others = fmax(all - own, left_out), share = fmin(others / e->lengths, exp(-1));
	double of_exponents = share > 0 ? e->lengths * -share * log(share) : 0;

	of_exponents = fmin(of_exponents, e->lengths * e->largest_exponent);
	return (x->sums_in_doubles ? 0 : FLOAT_UNIT * SUM_STEPS * (all + summed - e->lengths)) +
	       FLOAT_UNIT * FLOAT_VALUE_STEPS *
		       (others + (exponent->absolute > 0 ? own_share * own : 0)) +
	       exponent->absolute * (others + own_share * own) +
	       exponent->of_root * sqrt(others * of_exponents) + exponent->relative * of_exponents +
	       left_out + ROUNDING_UNIT * e->per_value * e->lengths;
}

int rounding_errors_by_sizes(struct rounding_errors *e, const struct problem_view *p,
			     const struct iterate *x, const int64_t *example, int64_t n,
			     struct error *err)
{
	/* dense rows are centred, and have other norms */
	bool by_norm = !problem_source(p)->x_float->dense && e->largest_size > 0;

	e->of_sizes = mem_array(p->n, sizeof(double), err);
	for (int64_t k = 0; e->of_sizes && k < n; k++) {
		int64_t i = example[k];

		e->of_sizes[i] = error_of_size(e, p, x, x->sizes[i], fabs(x->beta[i]),
					       by_norm ? e->size[i] / e->largest_size : 1);
	}
	return e->of_sizes ? 0 : -1;
}

int rounding_errors_init(struct rounding_errors *e, const struct problem_view *p,
			 const struct iterate *x, enum rounding_values values,
			 const struct rounding_rows *rows, int64_t longest, struct error *err)
{
	/* + 3: an rbf kernel's |x|^2 + |z|^2, what is subtracted, and gamma */
	const double k =
		rounding_growth((double)(rows ? rows->longest : longest_row(p, longest))) + 3;
	const double a = kernel_error(p, k);
	bool linear = p->kernel.type == KERNEL_LINEAR && values != ROUNDING_SUMS;
	double sizes = 0, n_terms = 0, sum, units;

	*e = (struct rounding_errors){ .all_exact = values != ROUNDING_FLOATS || linear,
				       .square = NAN };
	e->length = mem_array(p->n, sizeof(double), err);
	e->size = mem_array(p->n, sizeof(double), err);
	if (!e->length || !e->size)
		return -1;
	for (int64_t i = 0; i < p->n; i++) {
		double norm2 = norm2_of(p, i, rows);

		measure(p, i, norm2, k, &e->length[i], &e->size[i]);
		e->lengths += fabs(x->beta[i]) * e->length[i];
		sizes += fabs(x->beta[i]) * e->size[i];
		e->largest_size = fmax(e->largest_size, e->size[i]);
		e->largest_exponent = fmax(e->largest_exponent, 4 * p->kernel.gamma * norm2);
		if (kernel_is_far(&p->kernel, norm2))
			e->far_lengths += fabs(x->beta[i]);
		n_terms += x->beta[i] != 0;
	}
	sum = rounding_growth(n_terms) + 1;
	e->per_value = a + sum;
	e->k = k;
	if (linear)
		set_product(e, sqrt(certificate_square(p, x->beta, x->f)), sum);
	else
		set_sums(e, a * e->lengths + sizes, sum, problem_source(p)->value_error);
	units = e->per_value * ROUNDING_UNIT;
	if (values == ROUNDING_LONG) /* (7) */
		e->in_doubles.of_length =
			ROUNDING_UNIT * sqrt(certificate_square(p, x->beta, x->f)) +
			units * units * e->lengths;
	/* of rows in floats, whatever they are */
	if (p->kernel.type == KERNEL_RBF && problem_source(p)->x_float)
		e->in_floats =
			(struct rounding_rate){ error_of_size(e, p, x, e->lengths, 0, 0), 0 };
	return 0;
}

void rounding_errors_free(struct rounding_errors *e)
{
	mem_free_all(e->length, e->size, e->exact, e->weighed, e->of_sizes);
}

/* The lesser of (3) and (4) of the n examples listed, from the bounds of their sums. */
static void weigh(struct rounding_errors *e, const struct problem_view *p,
		  const struct rounding_rows *rows, const struct rbf_bound *sums,
		  const int64_t *example, int64_t n)
{
	const double per_far = e->per_value + e->k;

	for (int64_t k = 0; k < n; k++) {
		int64_t i = example[k];
		double norm2 = norm2_of(p, i, rows), units = per_far * e->lengths, sum[RBF_SUMS];

		if (!kernel_is_far(&p->kernel, norm2)) {
			rbf_bound_at(sums, sqrt(p->kernel.gamma * norm2), sum);
			units = (e->per_value + e->size[i]) * sum[0] + sum[1] +
				per_far * e->far_lengths;
		}
		e->weighed[i] = fmin((1 + SECOND_ORDER) * ROUNDING_UNIT * units,
				     e->in_doubles.of_length * e->length[i] +
					     e->in_doubles.of_size * e->size[i]);
	}
}

/* Terms |beta_j| and |beta_j| h_j of the support vectors that are not far; returns their number. */
static int64_t list_terms(const struct rounding_errors *e, const struct problem_view *p,
			  const struct iterate *x, const struct rounding_rows *rows,
			  struct rbf_term *term)
{
	int64_t n = 0;

	for (int64_t i = 0; i < p->n; i++) {
		double norm2 = norm2_of(p, i, rows), size = fabs(x->beta[i]);

		if (size > 0 && !kernel_is_far(&p->kernel, norm2))
			term[n++] = (struct rbf_term){ sqrt(p->kernel.gamma * norm2),
						       { size, size * e->size[i] } };
	}
	return n;
}

int rounding_errors_weigh(struct rounding_errors *e, const struct problem_view *p,
			  const struct iterate *x, const struct rounding_rows *rows,
			  const int64_t *example, int64_t n, struct error *err)
{
	struct rbf_term *term = mem_array(p->n, sizeof(*term), err);
	struct rbf_bound sums = { 0 };
	int ret = -1;

	e->weighed = mem_array(p->n, sizeof(double), err);
	if (term && e->weighed)
		ret = rbf_bound_init(&sums, term, list_terms(e, p, x, rows, term), err);
	if (ret == 0)
		weigh(e, p, rows, &sums, example, n);
	rbf_bound_free(&sums);
	mem_free(term);
	return ret;
}

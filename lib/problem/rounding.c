/*
 * rounding.c - how far rounding may have moved the bounds that a certificate has
 *
 * How this works.  D and P are sums over examples of beta_i f_i, t_i beta_i and losses of f_i.  The
 * errors are those of kernel values, of their sums f_i, and of the sums over i.  With the unit u of
 * a precision (2^-53 or 2^-24), and for each example i a length l_i and a size h_i,
 *
 *     |error of K_ij| <= u (a l_i l_j + h_i l_j + l_i h_j)                        (1)
 *
 *     linear        l = |x|                          h = 0             a = k
 *     polynomial    l = (gamma |x|^2 + |r|)^(d / 2)  h = 0             a = d (k + 4)
 *     rbf           l = 1                            h = 2 gamma k |x|^2, a = 8, as |x - z|^2 is
 *                                                    made of |x|^2, |z|^2, x.z; of kernel_is_far(),
 *                                                    whose distances are sums over columns, h = k
 *     sigmoid       l = (1 + gamma |x|^2 + |r|)^(1/2)  h = 0           a = k + 4
 *     precomputed   l = sqrt |K_ii|                  h = 0            a = 0 in doubles, 1 in floats
 *
 * where k bounds the error of an inner product in units: the entries of the longest row, or
 * SPREAD sqrt of them, as rounding errors of a long sum are as good as independent (2).  A sum of m
 * terms has that factor too, in doubles: float kernel values are summed in doubles every few terms.
 * With L = sum_j |beta_j| l_j and H = sum_j |beta_j| h_j,
 *
 *     |error of f_i| <= e_i = u ((a l_i + h_i) L + l_i H) + 2^-53 s l_i L          (3)
 *     |error of |w|^2| <= sum_i |beta_i| e_i                                      (4)
 *
 * A linear kernel's f_i is x_i.w of one vector w, and any w gives a primal: so the losses have the
 * error of that product alone, u k |x_i| |w|, and |w|^2 = sum_i beta_i f_i one of w, which is at
 * most u (s + k) L, times 2 |w| (5).
 *
 * D has half of (4), P too, times the scale of the witness squared, and what losses change by where
 * f_i moves by e_i (6): nothing, where an example is further than e_i from having a loss.  Sums
 * over i have an error of s 2^-53 times the sum of their terms' sizes (7), and multipliers whose
 * sum is not quite what the constraint says have |b| times the difference (8).
 *
 * Kernel values in single precision make (4) large, since it takes all errors as of one sign, and
 * some are: of sinc, C = 100, gamma = 0.01 the dual was 2e-5 above the optimum.  So decision values
 * that matter are computed again, see rounding_settle().  Of a sample of m of the M examples that
 * matter, with d_i as what P (or D) changes by when f_i becomes exact,
 *
 *     P' = P + M/m sum d_i,   error <= SURE M sd(d) / sqrt(m) sqrt(1 - m/M)         (9)
 *
 * SURE = 6: by the normal law one in 5e8; d_i are bounded and m is in the hundreds.
 *
 * Sources: Higham 2002, Accuracy and Stability of Numerical Algorithms, section 3.1, for (1);
 * Higham and Mary 2019, SIAM J. Sci. Comput. 41, theorem 2.4, for (2).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "problem/rounding.h"

#include <float.h>
#include <math.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/rng.h"
#include "problem/decision.h"

/* Rounding units u of doubles and of floats */
#define UNIT (DBL_EPSILON / 2)
#define FLOAT_UNIT (FLT_EPSILON / 2)

/*
 * Spread of the sum of n roundings, in units of sqrt(n), (2): a larger one has probability 2
 * exp(-SPREAD^2/2)
 */
#define SPREAD 6

/* Standard deviations of the sample's mean that its error is taken for, (9) */
#define SURE 6

/*
 * Share of the gap up to which errors are borne; above it values are computed again.  Without a
 * dual the share of the primal: seven digits.
 */
#define BORNE_SHARE 0.1
#define BORNE_OF_PRIMAL 1e-7

/*
 * Shares of examples computed again: all that matter where these are up to 1 / FEW_SHARE of all,
 * else a sample.  A proof takes the kernel values of all examples, in floats, which are four times
 * faster: so 1 / SAMPLE_SHARE is a twentieth of the last proof.  Of a9a's first 8,000 rows, at
 * LEAST_SAMPLE, it is 4.5 % of a training's instructions.
 */
#define FEW_SHARE 40
#define SAMPLE_SHARE 80
#define LEAST_SAMPLE 256

/* Errors of decision values, by (3). */
struct errors {
	/* errors of kernel values, by example: (a l_i + h_i) L + l_i H, or k |x_i| |w|: in units */
	double *of_value;
	double *of_sum; /* errors of sums, by example: s l_i L, in units of doubles */
	/* error of |w|^2 for a linear kernel, (5), in units of doubles; else NAN */
	double squared;
	/* exact flag of each example: f_i is in doubles; NULL: as all_exact says */
	bool *exact;
	bool all_exact;
};

static void errors_free(struct errors *e)
{
	mem_free(e->of_value);
	mem_free(e->of_sum);
	mem_free(e->exact);
}

/* Error of a sum of n terms, in units of the sum of the terms' sizes, (2) */
static double growth(double n)
{
	return fmin(n, SPREAD * sqrt(n));
}

/* Constants of the kernel error (1) for the rows of a problem. */
struct kernel_error {
	double a, k;
};

static struct kernel_error kernel_error(const struct problem_view *p, int64_t longest)
{
	struct kernel_error e = { 0 };

	for (int64_t i = 0; i < p->n; i++)
		longest = int64_max(longest,
				    p->x->row_start[p->row[i] + 1] - p->x->row_start[p->row[i]]);
	e.k = growth((double)longest) + 2;
	switch (p->kernel.type) {
	case KERNEL_LINEAR:
		e.a = e.k;
		break;
	case KERNEL_POLYNOMIAL:
		e.a = p->kernel.degree * (e.k + 4);
		break;
	case KERNEL_RBF:
		e.a = 8;
		break;
	case KERNEL_SIGMOID:
		e.a = e.k + 4;
		break;
	default:
		e.a = 1;
	}
	return e;
}

/* Length l_i and size h_i of example i for (1) */
static void measure(const struct problem_view *p, int64_t i, double k, double *length, double *size)
{
	const struct kernel *kernel = &p->kernel;
	double norm2 = kernel->type == KERNEL_PRECOMPUTED ? 0 : csr_row_norm2(p->x, p->row[i]);
	double product = fabs(kernel->gamma) * norm2 + fabs(kernel->coef0);

	*size = 0;
	switch (kernel->type) {
	case KERNEL_LINEAR:
		*length = sqrt(norm2);
		break;
	case KERNEL_POLYNOMIAL:
		*length = pow(product, kernel->degree / 2.);
		break;
	case KERNEL_RBF:
		*length = 1;
		*size = kernel_is_far(kernel, norm2) ? k : 2 * kernel->gamma * k * norm2;
		break;
	case KERNEL_SIGMOID:
		*length = sqrt(1 + product);
		break;
	default:
		*length = sqrt(fabs(problem_diagonal(p, i)));
	}
}

/* |w|^2 by the decision values, not below 0 */
static double square_of(const struct problem_view *p, const struct iterate *x)
{
	double sum = 0;

	for (int64_t i = 0; i < p->n; i++)
		sum += x->beta[i] * x->f[i];
	return fmax(sum, 0);
}

/* Errors of decision values and of |w|^2, (3) and (5) */
static int errors_init(struct errors *e, const struct problem_view *p, const struct iterate *x,
		       bool in_doubles, int64_t longest, struct error *err)
{
	const struct kernel_error of = kernel_error(p, longest);
	bool linear = p->kernel.type == KERNEL_LINEAR;
	double lengths = 0, sizes = 0, n_terms = 0, norm = sqrt(square_of(p, x)), sum;

	*e = (struct errors){ .all_exact = in_doubles || linear, .squared = NAN };
	e->of_value = mem_array(p->n, sizeof(double), err);
	e->of_sum = mem_array(p->n, sizeof(double), err);
	if (!e->of_value || !e->of_sum)
		return -1;
	for (int64_t i = 0; i < p->n; i++) {
		measure(p, i, of.k, &e->of_sum[i], &e->of_value[i]);
		lengths += fabs(x->beta[i]) * e->of_sum[i];
		sizes += fabs(x->beta[i]) * e->of_value[i];
		n_terms += x->beta[i] != 0;
	}
	sum = growth(n_terms) + 1;
	for (int64_t i = 0; i < p->n; i++) {
		double length = e->of_sum[i], size = e->of_value[i];

		e->of_value[i] = linear ? of.k * length * norm :
					  (of.a * length + size) * lengths + length * sizes;
		e->of_sum[i] = linear ? 0 : sum * length * lengths;
	}
	if (linear)
		e->squared = 2 * (sum + of.k) * lengths * norm +
			     UNIT * (sum + of.k) * (sum + of.k) * lengths * lengths;
	return 0;
}

/* Error e_i of the decision value of example i, (3) */
static double error_of(const struct errors *e, int64_t i)
{
	bool exact = e->exact ? e->exact[i] : e->all_exact;

	return (exact ? UNIT : FLOAT_UNIT) * e->of_value[i] + UNIT * e->of_sum[i];
}

/* Error of |w|^2 by (4) or (5), with that of the sum over i, (7) */
static double error_of_square(const struct problem_view *p, const struct iterate *x,
			      const struct errors *e)
{
	double sum = 0, sizes = 0;

	for (int64_t i = 0; i < p->n; i++) {
		sum += fabs(x->beta[i]) * error_of(e, i);
		sizes += fabs(x->beta[i] * x->f[i]);
	}
	return (isnan(e->squared) ? sum : UNIT * e->squared) + UNIT * growth((double)p->n) * sizes;
}

/* Error of sums of multipliers that are not quite those wanted, times their thresholds, (8) */
static double error_of_sums(const struct problem_view *p, const struct iterate *x,
			    const struct certificate_witness *at)
{
	double plus = 0, minus = 0, size = 0;

	for (int64_t i = 0; i < p->n; i++) {
		plus += fmax(x->beta[i], 0);
		minus += fmax(-x->beta[i], 0);
		size += fabs(x->beta[i]);
	}
	size *= UNIT * growth((double)p->n);
	if (!problem_fixes_sums(p))
		return (fabs(plus - minus) + size) * fmax(fabs(x->rho), fabs(at->plus));
	/* nu-SVR's sums are limits, and the same for both signs */
	if (p->type == MACHINE_NU_SVR)
		return (fmax(plus - p->sum_plus, 0) + fmax(minus - p->sum_minus, 0) +
			fabs(plus - minus) + size) *
		       (fabs(x->rho) + fabs(x->epsilon));
	return (fabs(plus - p->sum_plus) + fabs(minus - p->sum_minus) + size) *
	       (fabs(x->rho) + fabs(x->epsilon));
}

static double error_of_dual(const struct problem_view *p, const struct iterate *x,
			    const struct errors *e, const struct certificate_witness *at)
{
	double sizes = 0, cost = problem_cost(p);

	for (int64_t i = 0; i < p->n; i++)
		sizes += (fabs(problem_linear(p, i)) + cost +
			  problem_softness(p, i) * fabs(x->beta[i])) *
			 fabs(x->beta[i]);
	return error_of_square(p, x, e) / 2 + UNIT * (growth((double)p->n) + 2) * sizes +
	       error_of_sums(p, x, at);
}

/* Error of the loss of example i: how much the loss may change, (6) */
static double error_of_loss(const struct problem_view *p, int64_t i, double f, double error,
			    const struct certificate_witness *at)
{
	double loss = certificate_loss(p, i, f, at);

	/* the loss itself is a difference of numbers of this size */
	error += UNIT * 2 *
		 (fabs(f) + (fabs(problem_linear(p, i)) + fmax(fabs(at->plus), fabs(at->minus))) /
				    (at->scale > 0 ? at->scale : 1));
	return fmax(fabs(certificate_loss(p, i, f + error, at) - loss),
		    fabs(certificate_loss(p, i, f - error, at) - loss));
}

static double error_of_primal(const struct problem_view *p, const struct iterate *x,
			      const struct errors *e, const struct certificate_witness *at)
{
	double sum = 0, losses = 0;

	for (int64_t i = 0; i < p->n; i++) {
		sum += error_of_loss(p, i, x->f[i], error_of(e, i), at);
		losses += certificate_loss(p, i, x->f[i], at);
	}
	if (problem_fixes_sums(p))
		losses += p->sum_plus * fabs(at->plus) + p->sum_minus * fabs(at->minus);
	return at->scale * at->scale * error_of_square(p, x, e) / 2 + sum +
	       UNIT * growth((double)p->n) * losses;
}

/*
 * Witness that separates, enlarged a little so that no example has a loss whatever its error; the
 * growth of P is its error.  INFINITY where errors leave no room between the classes.
 */
static double error_of_separating(const struct problem_view *p, const struct iterate *x,
				  const struct errors *e, const struct certificate_witness *at)
{
	double above = INFINITY, below = -INFINITY, square = square_of(p, x), scale;

	for (int64_t i = 0; i < p->n; i++)
		if (p->target[i] > 0)
			above = fmin(above, x->f[i] - error_of(e, i));
		else
			below = fmax(below, x->f[i] + error_of(e, i));
	scale = 2 / (above - below) * (1 + 8 * UNIT);
	if (!(above > below) || !isfinite(scale))
		return INFINITY;
	return scale * scale * (square + error_of_square(p, x, e)) / 2 -
	       at->scale * at->scale * square / 2;
}

/* Error of primal and dual, the larger of the two, where the dual is known. */
static double error_of_bounds(const struct problem_view *p, const struct iterate *x,
			      const struct errors *e, const struct certificate_witness *at,
			      const struct certificate *c)
{
	double primal = certificate_separates(p, at) ? error_of_separating(p, x, e, at) :
						       error_of_primal(p, x, e, at);

	return isinf(c->dual) ? primal : fmax(primal, error_of_dual(p, x, e, at));
}

/* Examples whose decision values matter: support vectors, and those that may have a loss. */
static int64_t list_mattering(const struct problem_view *p, const struct iterate *x,
			      const struct errors *e, const struct certificate_witness *at,
			      int64_t *list)
{
	int64_t n = 0;

	for (int64_t i = 0; i < p->n; i++)
		if (x->beta[i] != 0 || certificate_loss(p, i, x->f[i], at) > 0 ||
		    error_of_loss(p, i, x->f[i], 2 * error_of(e, i), at) > 0)
			list[n++] = i;
	return n;
}

/*
 * Compute f of the listed examples again in double precision, by example; -1 with ERR_INTERRUPTED
 * in time
 */
static int compute_again(const struct problem_view *p, const double *beta, const int64_t *list,
			 int64_t n, double *f, int n_threads, struct error *err)
{
	struct decision d;
	int ret;

	if (decision_init(&d, p, beta, 0, err) < 0)
		return -1;
	ret = decision_evaluate(&d, list, n, f, n_threads, err);
	decision_free(&d);
	return ret;
}

/* Estimate from a sample, (9): the mean times the population, and the error. */
struct estimate {
	double sum, error;
};

static struct estimate estimate(const double *d, int64_t n, int64_t population)
{
	double mean = 0, squares = 0, share = (double)n / (double)population;

	for (int64_t k = 0; k < n; k++)
		mean += d[k] / (double)n;
	for (int64_t k = 0; k < n; k++)
		squares += (d[k] - mean) * (d[k] - mean);
	return (struct estimate){ (double)population * mean,
				  SURE * (double)population *
					  sqrt(squares / (double)(n - 1) / (double)n *
					       (1 - share)) };
}

/*
 * Correct primal and dual by (9), from a sample of which 'exact' has the decision values in doubles
 */
static int correct_by_sample(const struct problem_view *p, const struct iterate *x,
			     const struct certificate_witness *at, const int64_t *list, int64_t n,
			     int64_t population, const double *exact, struct certificate *c,
			     struct error *err)
{
	double *d = mem_array(n, sizeof(*d), err);
	double dual = certificate_dual(p, x->beta, x->f);
	struct estimate of_primal, of_dual;

	if (!d)
		return -1;
	for (int64_t k = 0; k < n; k++) {
		int64_t i = list[k];

		d[k] = at->scale * at->scale * x->beta[i] * (exact[i] - x->f[i]) / 2 +
		       certificate_loss(p, i, exact[i], at) - certificate_loss(p, i, x->f[i], at);
	}
	of_primal = estimate(d, n, population);
	for (int64_t k = 0; k < n; k++)
		d[k] = -x->beta[list[k]] * (exact[list[k]] - x->f[list[k]]) / 2;
	of_dual = estimate(d, n, population);
	mem_free(d);
	c->primal += of_primal.sum;
	c->dual = dual + of_dual.sum;
	c->rounding += fmax(of_primal.error, of_dual.error);
	return 0;
}

/*
 * Settle by values computed again: where all that matter are exact the certificate is made anew;
 * else it is corrected.
 */
static int settle_again(const struct problem_view *p, struct iterate *x, double tolerance,
			const struct rounding_options *o, struct errors *e,
			const struct certificate_witness *at, struct certificate *c,
			struct error *err)
{
	const struct rng_place place = { .seed = o->seed, .stream = RNG_ROUNDED_ROWS };
	int64_t *list = mem_array(p->n, sizeof(*list), err), n, population;
	double *exact = mem_array(p->n, sizeof(*exact), err);
	int ret = -1;

	if (!list || !exact)
		goto out;
	n = population = list_mattering(p, x, e, at, list);
	if (population > int64_max(p->n / FEW_SHARE, LEAST_SAMPLE) &&
	    !certificate_separates(p, at)) {
		n = int64_max(p->n / SAMPLE_SHARE, LEAST_SAMPLE);
		if (rng_subset(&place, list, population, n, err) < 0)
			goto out;
	}
	ret = compute_again(p, x->beta, list, n, exact, o->n_threads, err);
	if (ret < 0)
		goto out;
	if (n < population) {
		e->all_exact = true;
		c->rounding = error_of_bounds(p, x, e, at, c);
		ret = correct_by_sample(p, x, at, list, n, population, exact, c, err);
		goto out;
	}
	e->exact = mem_zeroed(p->n, sizeof(bool), err);
	if (!e->exact) {
		ret = -1;
		goto out;
	}
	for (int64_t k = 0; k < n; k++) {
		x->f[list[k]] = exact[list[k]];
		e->exact[list[k]] = true;
	}
	ret = certificate_make(p, x, tolerance, c, err);
out:
	mem_free(list);
	mem_free(exact);
	return ret;
}

/*
 * Settle the dual, which may be that of other multipliers than x->beta, left by merged examples or
 * an early end: it stays with its error if it is the better bound all the same, or where no other
 * is known.
 */
static void keep_dual(double dual, double rounding, struct certificate *c)
{
	if (isinf(dual) || dual - rounding > c->dual - c->rounding) {
		c->dual = dual;
		c->rounding = isinf(dual) ? c->rounding : fmax(c->rounding, rounding);
	}
}

/* Settle as settle_again() does, and keep what certificate_make() does not compute. */
static int settle_coarse(const struct problem_view *p, struct iterate *x, double tolerance,
			 const struct rounding_options *o, struct errors *e,
			 struct certificate_witness *at, struct certificate *c, struct error *err)
{
	const struct certificate coarse = *c;
	double of_beta = certificate_dual(p, x->beta, x->f);
	bool anothers = isinf(c->dual) || c->dual > of_beta + 4 * DBL_EPSILON * fabs(of_beta);

	if (settle_again(p, x, tolerance, o, e, at, c, err) < 0) {
		*c = coarse;
		if (err->code != ERR_INTERRUPTED)
			return -1;
		*err = (struct error){ 0 };
		return 0;
	}
	c->excess = coarse.excess;
	if (e->exact) {
		if (certificate_find_witness(p, x, at, err) < 0)
			return -1;
		c->rounding = error_of_bounds(p, x, e, at, c);
	}
	if (anothers)
		keep_dual(coarse.dual, coarse.rounding, c);
	return 0;
}

int rounding_settle(const struct problem_view *p, struct iterate *x, double tolerance,
		    const struct rounding_options *o, struct certificate *c, struct error *err)
{
	struct errors e = { 0 };
	struct certificate_witness at;
	double borne;
	int ret = -1;

	if (!isfinite(c->primal))
		return 0;
	if (errors_init(&e, p, x, o->in_doubles, 0, err) < 0 ||
	    certificate_find_witness(p, x, &at, err) < 0)
		goto out;
	c->rounding = error_of_bounds(p, x, &e, &at, c);
	ret = 0;
	borne = isinf(c->dual) ? BORNE_OF_PRIMAL * fabs(c->primal) :
				 BORNE_SHARE * (c->primal - c->dual);
	if (!e.all_exact && 2 * c->rounding > borne && !interruption_requested(p->interruption))
		ret = settle_coarse(p, x, tolerance, o, &e, &at, c, err);
out:
	errors_free(&e);
	return ret;
}

int rounding_bound(const struct problem_view *p, const struct iterate *x, bool in_doubles,
		   int64_t longest, struct certificate *c, struct error *err)
{
	struct errors e = { 0 };
	struct certificate_witness at;
	int ret = -1;

	if (!isfinite(c->primal))
		return 0;
	if (errors_init(&e, p, x, in_doubles, longest, err) == 0 &&
	    certificate_find_witness(p, x, &at, err) == 0) {
		c->rounding = error_of_bounds(p, x, &e, &at, c);
		ret = 0;
	}
	errors_free(&e);
	return ret;
}

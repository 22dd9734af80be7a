/*
 * rounding.c - how far rounding may have moved the bounds that a certificate has
 *
 * How this works.  D and P are sums over examples of beta_i f_i, t_i beta_i and losses of f_i.  The
 * errors are those of kernel values, of their sums f_i, and of the sums over i.  With the unit u of
 * a precision (2^-53 or 2^-24), and for each example i a length l_i and a size h_i,
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
 * floats.
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
 * that matter are computed again, see rounding_settle().  Where they are many, m examples are
 * drawn, each with a probability that is its share w_i / W of all errors that (4) and (6) allow.
 * With d_i as what P (or D) changes by when f_i becomes exact, |d_i / w_i| is at most 1, and about
 * the same for all, however uneven the multipliers are:
 *
 *     P' = P + W mean(d / w),   error <= SURE W sd(d / w) / sqrt(m)                 (9)
 *
 * Examples of w_i = 0 change nothing.  SURE = 6: with m = 32, the least, that is one in a million
 * by Student's law.
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

/* u of doubles and of floats */
#define UNIT (DBL_EPSILON / 2)
#define FLOAT_UNIT (FLT_EPSILON / 2)

/* f that corrections of earlier values have made (decision.h) have the errors of these, too. */
#define CORRECTED 2

/*
 * (2): n roundings move a sum by more than SPREAD sqrt(n) units with probability 2 exp(-SPREAD^2/2)
 */
#define SPREAD 6

/* (9) */
#define SURE 6

/*
 * Share of the gap up to which errors are borne; above it values are computed again.  Without a
 * dual the share of the primal: seven digits.
 */
#define BORNE_SHARE 0.1
#define BORNE_OF_PRIMAL 1e-7

/*
 * Examples computed again: all that matter where these are a fortieth of all examples or FEW, else
 * a sample of an eightieth or LEAST_SAMPLE.  A proof takes the kernel values of all, in floats,
 * which are four times faster: so a sample is a twentieth of the last proof.  With 256 in place of
 * 32 it would be 30 % of the training of two classes of satimage.
 */
#define FEW_SHARE 40
#define FEW 64
#define SAMPLE_SHARE 80
#define LEAST_SAMPLE 32

/* Errors of decision values, as (3) has them. */
struct errors {
	double *of_value; /* by example: (a l_i + h_i) L + l_i H, or k |x_i| |w|: in units */
	double *of_sum;	  /* by example: s l_i L, in units of doubles */
	double squared;	  /* linear kernel: (5) in units of doubles; else NAN */
	bool *exact;	  /* by example: f_i is in doubles; NULL: as all_exact says */
	bool all_exact;
};

static void errors_free(struct errors *e)
{
	mem_free(e->of_value);
	mem_free(e->of_sum);
	mem_free(e->exact);
}

/* (2): error of a sum of n terms, in units of the sum of their sizes */
static double growth(double n)
{
	return fmin(n, SPREAD * sqrt(n));
}

/* Constants of (1) for the rows of a problem. */
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

/* l_i and h_i of (1) */
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

/* (3) and (5) */
static int errors_init(struct errors *e, const struct problem_view *p, const struct iterate *x,
		       bool in_doubles, int64_t longest, struct error *err)
{
	const struct kernel_error of = kernel_error(p, longest);
	bool linear = p->kernel.type == KERNEL_LINEAR;
	double lengths = 0, sizes = 0, n_terms = 0,
	       norm = sqrt(certificate_square(p, x->beta, x->f)), sum;

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

/* e_i of (3) */
static double error_of(const struct errors *e, int64_t i)
{
	bool exact = e->exact ? e->exact[i] : e->all_exact;

	return (exact ? UNIT : CORRECTED * FLOAT_UNIT) * e->of_value[i] + UNIT * e->of_sum[i];
}

/* (4) or (5), and (7) */
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

/* (8): the multipliers' sums times the thresholds that they count for */
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

/* (6): how much more or less the loss of example i may be where f_i is off by 'error' */
static double error_of_loss(const struct problem_view *p, int64_t i, double f, double error,
			    const struct certificate_witness *at)
{
	double t = problem_linear(p, i), u = t - at->scale * f, sum = 0;
	double upper = problem_upper(p, i), lower = problem_lower(p, i);
	double above = upper > 0 ? u - at->plus : -INFINITY;
	double below = lower < 0 ? at->minus - u : -INFINITY;
	/* the loss itself is a difference of numbers of the last two sizes */
	double e = at->scale * (error + 2 * UNIT * fabs(f)) +
		   2 * UNIT * (fabs(t) + fmax(fabs(at->plus), fabs(at->minus)));

	if (p->squared_loss) {
		double loss = fmax(fmax(above, below), 0);

		return fmax(above, below) > -e ? problem_c(p, i) * e * (2 * loss + e) : 0;
	}
	if (above > -e)
		sum += upper * e;
	if (below > -e)
		sum -= lower * e;
	return sum;
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
 * The witness that separates is a little larger, so that no example has a loss whatever its error;
 * what P grows by is its error.  INFINITY where errors leave no room between the classes.
 */
static double error_of_separating(const struct problem_view *p, const struct iterate *x,
				  const struct errors *e, const struct certificate_witness *at)
{
	double above = INFINITY, below = -INFINITY, scale;
	double square = certificate_square(p, x->beta, x->f);

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

/* The larger one of the errors of primal and dual, where the dual is known. */
static double error_of_bounds(const struct problem_view *p, const struct iterate *x,
			      const struct errors *e, const struct certificate_witness *at,
			      const struct certificate *c)
{
	double primal = certificate_separates(p, at) ? error_of_separating(p, x, e, at) :
						       error_of_primal(p, x, e, at);

	return isinf(c->dual) ? primal : fmax(primal, error_of_dual(p, x, e, at));
}

/* Witness of c->primal, and c->rounding, of decision values as they are. */
static int bound(const struct problem_view *p, const struct iterate *x, const struct errors *e,
		 struct certificate_witness *at, struct certificate *c, struct error *err)
{
	if (certificate_find_witness(p, x, at, err) < 0)
		return -1;
	c->rounding = error_of_bounds(p, x, e, at, c);
	return 0;
}

/* ---- decision values computed again ---- */

/* A certificate being settled; rounding_settle()'s caller has all but errors and witness. */
struct settling {
	const struct problem_view *p;
	struct iterate *x;
	double tolerance;
	const struct rounding_options *o;
	struct certificate *c;
	struct errors errors;
	struct certificate_witness at; /* witness of c->primal */
};

/* List examples whose decision values matter: support vectors, and those that may have a loss. */
static int64_t list_mattering(const struct settling *s, int64_t *list)
{
	int64_t n = 0;

	for (int64_t i = 0; i < s->p->n; i++)
		if (s->x->beta[i] != 0 || certificate_loss(s->p, i, s->x->f[i], &s->at) > 0 ||
		    error_of_loss(s->p, i, s->x->f[i], 2 * error_of(&s->errors, i), &s->at) > 0)
			list[n++] = i;
	return n;
}

/* Compute f in doubles of the n examples listed, by example; or -1 with ERR_INTERRUPTED. */
static int compute_again(const struct settling *s, const int64_t *list, int64_t n, double *f,
			 struct error *err)
{
	struct decision d;
	int ret;

	if (decision_init(&d, s->p, s->x->beta, 0, err) < 0)
		return -1;
	ret = decision_evaluate(&d, list, n, f, s->o->n_threads, err);
	decision_free(&d);
	return ret;
}

/* All values that matter become exact, and the certificate is made anew. */
static int settle_all(struct settling *s, const int64_t *list, int64_t n, double *exact,
		      struct error *err)
{
	s->errors.exact = mem_zeroed(s->p->n, sizeof(bool), err);
	if (!s->errors.exact || compute_again(s, list, n, exact, err) < 0)
		return -1;
	for (int64_t k = 0; k < n; k++) {
		s->x->f[list[k]] = exact[list[k]];
		s->errors.exact[list[k]] = true;
	}
	return certificate_make(s->p, s->x, s->tolerance, s->c, err) < 0 ?
		       -1 :
		       bound(s->p, s->x, &s->errors, &s->at, s->c, err);
}

/* Examples of w_i > 0, and those of them that are drawn for (9). */
struct sample {
	int64_t n, n_drawn, n_distinct;
	int64_t *example;  /* n: examples, ascending */
	double *weight;	   /* n: w_i of each */
	double total;	   /* W, sum of the weights */
	int64_t *place;	   /* n_drawn: places in 'example', ascending, one maybe several times */
	int64_t *distinct; /* n_distinct: the examples that are drawn, each once */
};

static void sample_free(struct sample *d)
{
	mem_free(d->example);
	mem_free(d->weight);
	mem_free(d->place);
	mem_free(d->distinct);
}

/* w_i of (9): errors that example i may bring into P or D */
static double weight_of(const struct settling *s, int64_t i)
{
	double error = error_of(&s->errors, i), scale = s->at.scale;

	return fmax(scale * scale, 1) * fabs(s->x->beta[i]) * error / 2 +
	       error_of_loss(s->p, i, s->x->f[i], error, &s->at);
}

static int sample_init(struct sample *d, const struct settling *s, int64_t n_drawn,
		       struct error *err)
{
	*d = (struct sample){ .n_drawn = n_drawn,
			      .example = mem_array(s->p->n, sizeof(int64_t), err),
			      .weight = mem_array(s->p->n, sizeof(double), err),
			      .place = mem_array(n_drawn, sizeof(int64_t), err),
			      .distinct = mem_array(n_drawn, sizeof(int64_t), err) };
	if (!d->example || !d->weight || !d->place || !d->distinct)
		return -1;
	for (int64_t i = 0; i < s->p->n; i++) {
		double weight = weight_of(s, i);

		if (weight > 0) {
			d->example[d->n] = i;
			d->weight[d->n++] = weight;
			d->total += weight;
		}
	}
	return 0;
}

/*
 * Draw once from each of n_drawn parts of equal weight: the example where the sum of the weights up
 * to it passes the number drawn.
 */
static void sample_draw(struct sample *d, uint64_t seed)
{
	double part = d->total / (double)d->n_drawn, below = 0;
	int64_t at = 0;

	for (int64_t k = 0; k < d->n_drawn; k++) {
		struct rng_block random = rng_draw(seed, RNG_ROUNDED_ROWS, (uint64_t)k, 0);
		double number = ((double)k + rng_unit(rng_first64(random))) * part;

		while (at + 1 < d->n && below + d->weight[at] < number)
			below += d->weight[at++];
		if (k == 0 || d->place[k - 1] != at)
			d->distinct[d->n_distinct++] = d->example[at];
		d->place[k] = at;
	}
}

/* An estimate of a sum over all examples, and its error. */
struct estimate {
	double sum, error;
};

/* (9), from d_i / w_i of the n_drawn examples */
static struct estimate estimate(const struct sample *d, const double *ratio)
{
	double n = (double)d->n_drawn, mean = 0, squares = 0;

	for (int64_t k = 0; k < d->n_drawn; k++)
		mean += ratio[k] / n;
	for (int64_t k = 0; k < d->n_drawn; k++)
		squares += (ratio[k] - mean) * (ratio[k] - mean);
	return (struct estimate){ d->total * mean, SURE * d->total * sqrt(squares / (n - 1) / n) };
}

/* (9): primal and dual are corrected; 'exact' has the values of the examples drawn, in doubles */
static int correct(struct settling *s, const struct sample *d, const double *exact,
		   struct error *err)
{
	double *ratio = mem_array(d->n_drawn, sizeof(*ratio), err);
	struct estimate of_primal, of_dual;

	if (!ratio)
		return -1;
	for (int64_t k = 0; k < d->n_drawn; k++) {
		int64_t i = d->example[d->place[k]];
		double f = s->x->f[i], square = s->x->beta[i] * (exact[i] - f);

		ratio[k] = (s->at.scale * s->at.scale * square / 2 +
			    certificate_loss(s->p, i, exact[i], &s->at) -
			    certificate_loss(s->p, i, f, &s->at)) /
			   d->weight[d->place[k]];
	}
	of_primal = estimate(d, ratio);
	for (int64_t k = 0; k < d->n_drawn; k++) {
		int64_t i = d->example[d->place[k]];

		ratio[k] = -s->x->beta[i] * (exact[i] - s->x->f[i]) / 2 / d->weight[d->place[k]];
	}
	of_dual = estimate(d, ratio);
	mem_free(ratio);
	s->c->primal += of_primal.sum;
	s->c->dual = certificate_dual(s->p, s->x->beta, s->x->f) + of_dual.sum;
	s->c->rounding += fmax(of_primal.error, of_dual.error);
	return 0;
}

/* Correct primal and dual by a sample; the bound left is its error, and that of exact values. */
static int settle_sample(struct settling *s, int64_t n_drawn, double *exact, struct error *err)
{
	struct sample d;
	int ret = sample_init(&d, s, n_drawn, err);

	if (ret == 0) {
		sample_draw(&d, s->o->seed);
		ret = compute_again(s, d.distinct, d.n_distinct, exact, err);
	}
	if (ret == 0) {
		s->errors.all_exact = true;
		s->c->rounding = error_of_bounds(s->p, s->x, &s->errors, &s->at, s->c);
		ret = correct(s, &d, exact, err);
	}
	sample_free(&d);
	return ret;
}

static int settle_again(struct settling *s, struct error *err)
{
	int64_t n = s->p->n, n_mattering;
	int64_t *list = mem_array(n, sizeof(*list), err);
	double *exact = mem_array(n, sizeof(*exact), err);
	int ret = -1;

	if (list && exact) {
		n_mattering = list_mattering(s, list);
		/* the nearest examples, which a separating witness depends on, no sample has */
		if (n_mattering <= int64_max(n / FEW_SHARE, FEW) ||
		    certificate_separates(s->p, &s->at))
			ret = settle_all(s, list, n_mattering, exact, err);
		else
			ret = settle_sample(s, int64_max(n / SAMPLE_SHARE, LEAST_SAMPLE), exact,
					    err);
	}
	mem_free(list);
	mem_free(exact);
	return ret;
}

/*
 * The dual may be that of other multipliers than x->beta, which merged examples or an early end
 * have left: it stays with its error if it is the better bound all the same, or where none is
 * known.
 */
static void keep_dual(double dual, double rounding, struct certificate *c)
{
	if (isinf(dual) || dual - rounding > c->dual - c->rounding) {
		c->dual = dual;
		c->rounding = isinf(dual) ? c->rounding : fmax(c->rounding, rounding);
	}
}

/* As settle_again(), and what certificate_make() does not know is kept. */
static int settle_coarse(struct settling *s, struct error *err)
{
	const struct certificate coarse = *s->c;
	double of_beta = certificate_dual(s->p, s->x->beta, s->x->f);
	bool anothers =
		isinf(coarse.dual) || coarse.dual > of_beta + 4 * DBL_EPSILON * fabs(of_beta);

	if (settle_again(s, err) < 0) {
		*s->c = coarse;
		if (err->code != ERR_INTERRUPTED)
			return -1;
		*err = (struct error){ 0 };
		return 0;
	}
	s->c->excess = coarse.excess;
	if (anothers)
		keep_dual(coarse.dual, coarse.rounding, s->c);
	return 0;
}

/* Are the errors more than a share of what the certificate is to tell? */
static bool is_coarse(const struct certificate *c)
{
	return 2 * c->rounding > (isinf(c->dual) ? BORNE_OF_PRIMAL * fabs(c->primal) :
						   BORNE_SHARE * (c->primal - c->dual));
}

int rounding_settle(const struct problem_view *p, struct iterate *x, double tolerance,
		    const struct rounding_options *o, struct certificate *c, struct error *err)
{
	struct settling s = { .p = p, .x = x, .tolerance = tolerance, .o = o, .c = c };
	bool in_doubles = o->in_doubles || !decision_may_use_floats(p);
	int ret = -1;

	if (!isfinite(c->primal))
		return 0;
	if (errors_init(&s.errors, p, x, in_doubles, 0, err) == 0 &&
	    bound(p, x, &s.errors, &s.at, c, err) == 0)
		ret = 0;
	if (ret == 0 && !s.errors.all_exact && is_coarse(c) &&
	    !interruption_requested(p->interruption))
		ret = settle_coarse(&s, err);
	errors_free(&s.errors);
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
	if (errors_init(&e, p, x, in_doubles, longest, err) == 0)
		ret = bound(p, x, &e, &at, c, err);
	errors_free(&e);
	return ret;
}

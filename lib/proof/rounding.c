/*
 * rounding.c - how far rounding may have moved the bounds that a certificate has
 *
 * How this works.  D and P are sums over examples of beta_i f_i, t_i beta_i and losses of f_i.  The
 * errors are those of the decision values f_i, at most the e_i of rounding_errors.c, and of the sums
 * over i.
 *
 *     |error of |w|^2| <= sum_i |beta_i| e_i                                      (1)
 *
 * or, of a linear kernel, what rounding_errors.c says.  D has half of (1), P too, times the scale of
 * the witness squared, and what losses change by where f_i moves by e_i (2): nothing, where an
 * example is further than e_i from having a loss.  Sums over n examples have an error of
 * rounding_growth(n) 2^-53 times the sum of their terms' sizes (3), and multipliers whose sum is not
 * quite what the constraint says have |b| times the difference (4).
 *
 * Kernel values in single precision make (1) large, since it takes all errors as of one sign, and
 * some are: of sinc, C = 100, gamma = 0.01 the dual was 2e-5 above the optimum.
 *
 * The gap is better known than P and D.  With thresholds that are not scaled P - D is
 *
 *     sum_i certificate_row_gap(i) + gap_of_sums()                                  (5)
 *
 * in which each term is exactly 0 for an example whose multiplier is at a bound and whose f_i is on
 * the right side of the threshold by e_i or more.  So only free examples count, and those near a
 * threshold, and the most that each adds within f_i +- e_i is a bound of the gap, without a sample.
 * What e_i adds to a term is its share of the error; values of the largest shares are computed again
 * in doubles, until the rest is a tenth of the gap, or of KNOWN_SHARE of the objective.
 *
 * Of P and D the size is told, not the gap.  Where their errors are more than KNOWN_SHARE of them, m
 * examples are drawn, each with a probability that is its share w_i / W of all errors that (1) and
 * (2) allow.  With d_i as what P (or D) changes by when f_i becomes exact, |d_i / w_i| is at most 1,
 *
 *     P' = P + W mean(d / w),   error = SURE W sd(d / w) / sqrt(m)                  (6)
 *
 * which is an estimate, and right but for one in a million where d / w is of about one size for all,
 * as it is with e_i that weigh the terms of f_i.  Examples of w_i = 0 change nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "proof/rounding.h"

#include "base/order.h"
#include "base/rng.h"
#include "kernel/kernel_tile.h"
#include "problem/decision.h"
#include "proof/rounding_errors.h"
#include "proof/unfinished.h"

/* (6): six standard errors */
#define SURE 6

/*
 * Share of the gap up to which errors are borne; above it values are computed again.  Without a
 * dual the share of the primal: seven digits.
 */
#define BORNE_SHARE 0.1
#define BORNE_OF_PRIMAL 1e-7

/*
 * Share of the objective up to which its errors are borne, and gaps are as good as none; and up to
 * which they are borne in small problems of many.
 */
#define KNOWN_SHARE 1e-4
#define HARDLY_KNOWN 1e-2

/* Share of the primal above which errors of doubles are weighed by kernel values. */
#define WEIGHED_SHARE 1e-5

/*
 * Part of the examples that are computed again for the gap whatever it is relative to the objective:
 * a proof takes the kernel values of all, in floats, which are four times faster.
 */
#define CHEAP_SHARE 32

/* Exponents of an rbf kernel, the largest of which is above this where many values are small. */
#define NARROW 8

/*
 * Kernel values, in some milliseconds, that the problems of a training share to have all that counts
 * computed again, for more digits of the objective.  Else these come from a sample of examples,
 * which in small problems takes a larger share, and is drawn where hardly a digit is known.
 */
#define FREE_VALUES 500000
#define SAMPLE 64
#define LEAST_DRAWN_FROM 5000

/*
 * The error of |w|^2 by sums of kernel values in doubles, as a share of the primal, above which they
 * are summed in twice the digits where that takes at most so many products, in some .1 s: of the
 * polynomial kernel of features in the hundreds they prove nothing.
 */
#define COARSE 1e-5
#define MOST_LONG_PRODUCTS (1 << 24)

/* |x|^2 of each row, and the entries of the longest */
int rounding_rows_init(struct rounding_rows *rows, const struct csr *x, const double *norm2,
		       struct error *err)
{
	*rows = (struct rounding_rows){ .norm2 = norm2 };
	if (!norm2)
		rows->norm2 = rows->own = mem_array(x->n_rows, sizeof(double), err);
	for (int64_t r = 0; rows->norm2 && r < x->n_rows; r++) {
		if (rows->own)
			rows->own[r] = csr_row_norm2(x, r);
		rows->longest = int64_max(rows->longest, x->row_start[r + 1] - x->row_start[r]);
	}
	return rows->norm2 ? 0 : -1;
}

void rounding_rows_free(struct rounding_rows *rows)
{
	mem_free(rows->own);
	*rows = (struct rounding_rows){ 0 };
}

/* fmax() of numbers, which compilers do not call a function for */
static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* ---- the bound ---- */

/* Error of t - s f and of its distances from the thresholds, where f is off by 'error'. */
static double error_of_distance(double t, double f, double error,
				const struct certificate_witness *at)
{
	return at->scale * (error + 2 * ROUNDING_UNIT * fabs(f)) +
	       2 * ROUNDING_UNIT * (fabs(t) + larger(fabs(at->plus), fabs(at->minus)));
}

/* Losses that an example has or may have: how large, and (2), how much that may be off. */
struct loss {
	double size, error;
};

static struct loss loss_of(const struct problem_view *p, int64_t i, double f, double error,
			   const struct certificate_witness *at)
{
	double t = problem_linear(p, i), u = t - at->scale * f;
	double e = error_of_distance(t, f, error, at);
	double upper = problem_upper(p, i), lower = problem_lower(p, i);
	double above = upper > 0 ? u - at->plus : -INFINITY;
	double below = lower < 0 ? at->minus - u : -INFINITY;
	double nearest = larger(above, below), loss = larger(nearest, 0);

	if (!(nearest > -e))
		return (struct loss){ 0 };
	if (p->squared_loss)
		return (struct loss){ problem_c(p, i) * loss * loss,
				      problem_c(p, i) * e * (2 * loss + e) };
	return (struct loss){
		(above > 0 ? upper * above : 0) - (below > 0 ? lower * below : 0),
		(above > -e ? upper * e : 0) - (below > -e ? lower * e : 0),
	};
}

/*
 * Certificate whose rounding is bounded.  Of all examples only those listed count: support vectors,
 * and those that may have a loss, were their values twice as far off as they may be.
 */
struct settling {
	const struct problem_view *p;
	const struct iterate *x;
	struct iterate found; /* x with sizes that were found: find_sizes() */
	struct certificate *c;
	const struct rounding_rows *rows; /* norms of the rows of p->x; or NULL */
	struct certificate_witness at;	  /* c->witness */
	struct rounding_errors errors;
	int64_t n;	    /* number of examples listed */
	int64_t *example;   /* examples listed, ascending; room for p->n */
	double *weight;	    /* w_i of (6) of each; room for p->n */
	double plus, minus; /* sums of the multipliers above 0, and below */
	double dual_error;  /* error of D, with that of the sums of P */
	bool is_feasible;   /* x->beta is */
};

static int settling_init(struct settling *s, enum rounding_values values, int64_t longest,
			 struct error *err)
{
	s->example = mem_array(s->p->n, sizeof(*s->example), err);
	s->weight = mem_array(s->p->n, sizeof(*s->weight), err);
	s->is_feasible = unfinished_is_feasible(s->p, s->x->beta);
	return s->example && s->weight ?
		       rounding_errors_init(&s->errors, s->p, s->x, values, s->rows, longest, err) :
		       -1;
}

/* Error of f_i as one of beta's: where f_i is a product with one vector w, that of w, too. */
static double error_of_row(const struct settling *s, int64_t i)
{
	const struct rounding_errors *e = &s->errors;
	double of_vector = isnan(e->square) ? 0 : ROUNDING_UNIT * e->per_value * e->lengths;

	return rounding_error_of(e, i) + of_vector * e->length[i];
}

static void list_examples(struct settling *s)
{
	const struct problem_view *p = s->p;
	bool both = machine_is_regression(p->type);

	s->n = 0;
	for (int64_t i = 0; i < p->n; i++) {
		double t = problem_linear(p, i), f = s->x->f[i], u = t - s->at.scale * f;
		double above = u - s->at.plus, below = s->at.minus - u;
		double nearest = both ? larger(above, below) : p->target[i] > 0 ? above : below;

		s->example[s->n] = i;
		s->n += s->x->beta[i] != 0 ||
			nearest > -error_of_distance(t, f, 2 * error_of_row(s, i), &s->at);
	}
}

/* Sums over the examples listed. */
struct sums {
	double square;	     /* (1) */
	double square_sizes; /* |beta_i f_i| */
	double dual_sizes;   /* sizes of the terms of D other than |w|^2 */
	double loss_errors;  /* (2) */
	double losses;
};

static void add_example(struct settling *s, int64_t k, struct sums *sums)
{
	const struct problem_view *p = s->p;
	int64_t i = s->example[k];
	double f = s->x->f[i], beta = s->x->beta[i], size = fabs(beta);
	double error = rounding_error_of(&s->errors, i);
	struct loss loss = loss_of(p, i, f, error, &s->at);

	s->weight[k] = larger(s->at.scale * s->at.scale, 1) * size * error / 2 + loss.error;
	sums->square += size * error;
	sums->square_sizes += size * fabs(f);
	sums->dual_sizes += size * (fabs(problem_linear(p, i)) + problem_cost(p) +
				    problem_softness(p, i) * size);
	*(beta > 0 ? &s->plus : &s->minus) += size;
	sums->loss_errors += loss.error;
	sums->losses += loss.size;
}

/* (4): the multipliers' sums times the thresholds that they count for */
static double error_of_sums(const struct settling *s)
{
	const struct problem_view *p = s->p;
	const struct iterate *x = s->x;
	double plus = s->plus, minus = s->minus;
	double size = (plus + minus) * ROUNDING_UNIT * rounding_growth((double)p->n);

	if (!problem_fixes_sums(p))
		return (fabs(plus - minus) + size) * fmax(fabs(x->rho), fabs(s->at.plus));
	/* nu-SVR's sums are limits, and the same for both signs */
	if (p->type == MACHINE_NU_SVR)
		return (fmax(plus - p->sum_plus, 0) + fmax(minus - p->sum_minus, 0) +
			fabs(plus - minus) + size) *
		       (fabs(x->rho) + fabs(x->epsilon));
	return (fabs(plus - p->sum_plus) + fabs(minus - p->sum_minus) + size) *
	       (fabs(x->rho) + fabs(x->epsilon));
}

/*
 * The witness that separates is a little larger, so that no example has a loss whatever its error;
 * what P grows by is its error.  INFINITY where errors leave no room between the classes.  The
 * nearest examples of each class have no distance from a loss, so that they are listed.
 */
static double error_of_separating(const struct settling *s, double error_of_square)
{
	double above = INFINITY, below = -INFINITY, scale;
	double square = certificate_square(s->p, s->x->beta, s->x->f);

	for (int64_t k = 0; k < s->n; k++) {
		int64_t i = s->example[k];
		double f = s->x->f[i], error = rounding_error_of(&s->errors, i);

		if (s->p->target[i] > 0)
			above = fmin(above, f - error);
		else
			below = fmax(below, f + error);
	}
	scale = 2 / (above - below) * (1 + 8 * ROUNDING_UNIT);
	if (!(above > below) || !isfinite(scale))
		return INFINITY;
	return scale * scale * (square + error_of_square) / 2 -
	       s->at.scale * s->at.scale * square / 2;
}

/* c->rounding: the larger one of the errors of primal and dual, where the dual is known */
static void bound_errors(struct settling *s)
{
	const struct problem_view *p = s->p;
	const struct certificate_witness *at = &s->at;
	double grown = ROUNDING_UNIT * rounding_growth((double)p->n), square, primal, dual;
	struct sums sums = { 0 };

	s->plus = s->minus = 0;
	for (int64_t k = 0; k < s->n; k++)
		add_example(s, k, &sums);
	/* (1), and (3) */
	square = (isnan(s->errors.square) ? sums.square : s->errors.square) +
		 grown * sums.square_sizes;
	if (problem_fixes_sums(p))
		sums.losses += p->sum_plus * fabs(at->plus) + p->sum_minus * fabs(at->minus);
	primal = certificate_separates(p, at) ? error_of_separating(s, square) :
						at->scale * at->scale * square / 2 +
							sums.loss_errors + grown * sums.losses;
	dual = square / 2 + (grown + 2 * ROUNDING_UNIT) * sums.dual_sizes + error_of_sums(s);
	s->c->rounding = isinf(s->c->dual) ? primal : fmax(primal, dual);
	s->dual_error = dual + grown * (sums.square_sizes + sums.losses);
}

/* Are the values of all examples that count in doubles? */
static bool are_exact(const struct settling *s)
{
	bool exact = s->errors.all_exact || s->errors.exact;

	for (int64_t k = 0; s->errors.exact && exact && k < s->n; k++)
		exact = s->errors.exact[s->example[k]];
	return exact;
}

/* bound_errors(), with errors that are weighed where that is needed and decision values are exact. */
static int bound_closely(struct settling *s, struct error *err)
{
	bound_errors(s);
	if (s->p->kernel.type != KERNEL_RBF || !are_exact(s) ||
	    !(s->c->rounding > WEIGHED_SHARE * fabs(s->c->primal)))
		return 0;
	mem_free(s->errors.weighed);
	if (rounding_errors_weigh(&s->errors, s->p, s->x, s->rows, s->example, s->n, err) < 0)
		return -1;
	bound_errors(s);
	return 0;
}

/* ---- the gap by its rows ---- */

/* Term of (5) of example i at most, whose f may be off by 'error' */
static double row_gap(const struct settling *s, int64_t i, double error,
		      const struct certificate_witness *at)
{
	double f = s->x->f[i], of_u = error_of_distance(problem_linear(s->p, i), f, error, at);

	return certificate_row_gap(s->p, i, s->x->beta[i], f, of_u, at);
}

/*
 * What the sums of multipliers add to (5): a threshold that is one of both signs counts for their
 * difference.
 */
static double gap_of_sums(const struct settling *s, const struct certificate_witness *at)
{
	const struct problem_view *p = s->p;
	double plus = s->plus, minus = s->minus;
	double error = (plus + minus) * ROUNDING_UNIT * rounding_growth((double)p->n);

	if (!problem_fixes_sums(p))
		return (fabs(plus - minus) + error) * fabs(at->plus + at->minus) / 2;
	return (fabs(p->sum_plus - plus) + error) * fabs(at->plus) +
	       (fabs(p->sum_minus - minus) + error) * fabs(at->minus);
}

/* Thresholds of (5), which a multiple of w has scaled. */
static struct certificate_witness unscaled(const struct certificate_witness *at)
{
	return (struct certificate_witness){ 1, at->plus / at->scale, at->minus / at->scale };
}

/*
 * Is there a gap by rows?  A separating witness has another w, and without a dual there is none;
 * multipliers that are not feasible, of an early end, bound nothing.
 */
static bool has_row_gaps(const struct settling *s)
{
	return s->is_feasible && isfinite(s->c->dual) && s->at.scale > 0 &&
	       !certificate_separates(s->p, &s->at);
}

/* c->row_gaps */
static void bound_row_gaps(struct settling *s)
{
	const struct certificate_witness at = unscaled(&s->at);
	double gap = 0;

	s->c->row_gaps = 0;
	if (!has_row_gaps(s))
		return;
	for (int64_t k = 0; k < s->n; k++)
		gap += row_gap(s, s->example[k], error_of_row(s, s->example[k]), &at);
	gap *= 1 + ROUNDING_UNIT * rounding_growth((double)s->n);
	s->c->row_gaps = gap + gap_of_sums(s, &at);
	/* P is D and the gap */
	if (s->at.scale == 1)
		s->c->rounding = fmin(s->c->rounding, s->dual_error + s->c->row_gaps);
}

/* List the examples that count for the certificate's witness, and bound their errors. */
static int bound(struct settling *s, struct error *err)
{
	s->at = s->c->witness;
	/* these are of the examples that were listed before */
	mem_free_all(s->errors.weighed, s->errors.of_sizes);
	s->errors.weighed = s->errors.of_sizes = NULL;
	if (s->at.scale == 0 && certificate_find_witness(s->p, s->x, &s->at, err) < 0)
		return -1;
	list_examples(s);
	if (s->x->knows_sizes && !s->errors.all_exact &&
	    rounding_errors_by_sizes(&s->errors, s->p, s->x, s->example, s->n, err) < 0)
		return -1;
	if (bound_closely(s, err) < 0)
		return -1;
	bound_row_gaps(s);
	return 0;
}

/* ---- decision values computed again ---- */

/* Compute f in doubles of the n examples listed, by example; or -1 with ERR_INTERRUPTED. */
static int compute_again(const struct settling *s, const struct rounding_options *o,
			 const int64_t *list, int64_t n, double *f, struct error *err)
{
	const struct decision_rows rows = { list, n, 0, o->n_threads };

	return decision_of_rows(s->p, s->x->beta, &rows, f, err);
}

/* The values of the n examples listed become exact, and the certificate is made anew. */
static int make_exact(struct settling *s, const struct rounding_options *o, const int64_t *list,
		      int64_t n, struct error *err)
{
	if (!s->errors.exact)
		s->errors.exact = mem_zeroed(s->p->n, sizeof(bool), err);
	if (!s->errors.exact || compute_again(s, o, list, n, s->x->f, err) < 0)
		return -1;
	for (int64_t k = 0; k < n; k++)
		s->errors.exact[list[k]] = true;
	return certificate_make(s->p, s->x, o->tolerance, s->c, err) < 0 ? -1 : bound(s, err);
}

/* What an example's error adds to the gap. */
struct share {
	double size;
	int64_t i;
};

/* Examples whose errors add something, and those of them that are wanted; room for s->n each. */
struct shares {
	int64_t n;
	struct share *share;
	int64_t *list;
};

/* List the examples of the largest shares, so that the rest is 'borne' at most; their number. */
static int64_t list_largest(struct shares *found, double borne)
{
	struct share *share = found->share;
	int64_t n = found->n, n_borne = 0;
	double rest = 0;

	qsort(share, (size_t)n, sizeof(*share), order_doubles);
	while (n_borne < n && rest + share[n_borne].size <= borne)
		rest += share[n_borne++].size;
	for (int64_t k = n_borne; k < n; k++)
		found->list[k - n_borne] = share[k].i;
	qsort(found->list, (size_t)(n - n_borne), sizeof(int64_t), order_int64s);
	return n - n_borne;
}

/* Sizes of the examples listed, and L for the others; 'coef' is room for p->n. */
static int find_sizes(struct settling *s, const struct rounding_options *o, double *coef,
		      struct error *err)
{
	const struct decision_rows rows = { s->example, s->n, INFINITY, o->n_threads };
	double *sizes = mem_array(s->p->n, sizeof(*sizes), err);

	for (int64_t i = 0; sizes && i < s->p->n; i++) {
		coef[i] = fabs(s->x->beta[i]);
		sizes[i] = s->errors.lengths;
	}
	s->found = *s->x;
	s->found.sizes = sizes;
	s->found.knows_sizes = true;
	s->x = &s->found;
	return sizes && decision_of_rows(s->p, coef, &rows, sizes, err) == 0 ? bound(s, err) : -1;
}

/* Values become exact of the examples that 'list' lists: with the sizes, where these may be fewer. */
static int settle_listed(struct settling *s, const struct rounding_options *o,
			 int64_t (*list)(const struct settling *s, struct shares *found),
			 double *exact, struct error *err)
{
	struct shares found = { .share = mem_array(s->n, sizeof(*found.share), err),
				.list = mem_array(s->n, sizeof(*found.list), err) };
	bool again = false;
	int ret = -1;

	if (found.share && found.list) {
		int64_t n = list(s, &found);

		/*
		 * would sizes of the terms of f, in floats, save work?  Without them all errors are the
		 * largest that there may be; narrow kernels have small sizes.  Doubles take four times as
		 * long, and n are wanted
		 */
		again = n > s->n / 4 && !s->x->knows_sizes && s->p->kernel.type == KERNEL_RBF &&
			problem_source(s->p)->x_float && s->errors.largest_exponent > NARROW;
		ret = again ? find_sizes(s, o, exact, err) :
		      n > 0 ? make_exact(s, o, found.list, n, err) :
			      0;
	}
	mem_free_all(found.share, found.list);
	return ret == 0 && again ? settle_listed(s, o, list, exact, err) : ret;
}

/*
 * The values become exact that raise the bound of the gap (5) the most, until it is within a share
 * of the gap, or, where these are many, of the gap or a share of the objective.
 */
static int64_t list_for_gap(const struct settling *s, struct shares *found)
{
	const struct certificate_witness at = unscaled(&s->at);
	double gap = 0, sum = 0; /* (5) of the values as they are; what all errors add */
	int64_t n;

	for (int64_t k = 0; k < s->n; k++) {
		int64_t i = s->example[k];
		double least = row_gap(s, i, 0, &at), most = row_gap(s, i, error_of_row(s, i), &at);

		gap += least;
		sum += most - least;
		if (most > least)
			found->share[found->n++] = (struct share){ most - least, i };
	}
	if (!(sum > BORNE_SHARE * gap))
		return 0;
	n = list_largest(found, BORNE_SHARE * gap);
	if (n > s->p->n / CHEAP_SHARE)
		n = list_largest(found, BORNE_SHARE * fmax(gap, KNOWN_SHARE * fabs(s->c->primal)));
	return n;
}

/* What errors of P and D may add to a gap that is not wide until it is; of a wide one all. */
static double room_of_gap(const struct certificate *c)
{
	double room = CERTIFICATE_WIDE_GAP * fabs(c->primal) - (c->primal - c->dual);

	return room > 0 ? room : INFINITY;
}

/* Error of P and D of a separating witness that is borne. */
static double borne_of_separating(const struct certificate *c)
{
	return fmin(KNOWN_SHARE * fabs(c->primal), room_of_gap(c) / 2);
}

/*
 * A separating witness is scaled by the examples of each class that are nearest, which no sample has:
 * those that may be become exact, and of the others what adds most to (1), until the rest is
 * borne.  Of 47,483 support vectors (skin_nonskin, C = 10) 6 may be the nearest.
 */
static int64_t list_for_separating(const struct settling *s, struct shares *found)
{
	const double square = s->at.scale * s->at.scale;
	double most[2] = { INFINITY, INFINITY }; /* the least f t of each class, at most */

	for (int64_t k = 0; k < s->n; k++) {
		int64_t i = s->example[k];
		double t = s->p->target[i];

		most[t > 0] = fmin(most[t > 0], t * s->x->f[i] + rounding_error_of(&s->errors, i));
	}
	for (int64_t k = 0; k < s->n; k++) {
		int64_t i = s->example[k];
		double t = s->p->target[i], error = rounding_error_of(&s->errors, i);
		bool is_near = t * s->x->f[i] - error <= most[t > 0];
		double size = is_near ? INFINITY : square * fabs(s->x->beta[i]) * error;

		if (size > 0)
			found->share[found->n++] = (struct share){ size, i };
	}
	return list_largest(found, borne_of_separating(s->c));
}

/* The examples drawn for (6), of those listed. */
struct sample {
	double total;		  /* W, sum of the weights */
	int64_t place[SAMPLE];	  /* places in the list, ascending, one maybe several times */
	int64_t distinct[SAMPLE]; /* n_distinct: the examples that are drawn, each once */
	int64_t n_distinct;
};

/*
 * Draw once from each of SAMPLE parts of equal weight: the example where the sum of the weights up
 * to it passes the number drawn.
 */
static void draw_sample(const struct settling *s, uint64_t seed, struct sample *d)
{
	int64_t last = 0, at = 0; /* last: the last place with a weight above 0 */
	double below = 0;

	*d = (struct sample){ 0 };
	for (int64_t k = 0; k < s->n; k++) {
		d->total += s->weight[k];
		last = s->weight[k] > 0 ? k : last;
	}
	for (int64_t k = 0; k < SAMPLE; k++) {
		struct rng_block random = rng_draw(seed, RNG_ROUNDED_ROWS, (uint64_t)k, 0);
		double number = ((double)k + rng_unit(rng_first64(random))) * (d->total / SAMPLE);

		while (at < last && below + s->weight[at] <= number)
			below += s->weight[at++];
		if (k == 0 || d->place[k - 1] != at)
			d->distinct[d->n_distinct++] = s->example[at];
		d->place[k] = at;
	}
}

/* An estimate of a sum over all examples, and its error. */
struct estimate {
	double sum, error;
};

/* (6), from d_i / w_i of the examples drawn, and W */
static struct estimate estimate(const double *ratio, double total)
{
	double mean = 0, squares = 0;

	for (int64_t k = 0; k < SAMPLE; k++)
		mean += ratio[k] / SAMPLE;
	for (int64_t k = 0; k < SAMPLE; k++)
		squares += (ratio[k] - mean) * (ratio[k] - mean);
	return (struct estimate){ total * mean,
				  SURE * total * sqrt(squares / (SAMPLE - 1) / SAMPLE) };
}

/*
 * (6): primal and dual are corrected; 'exact' has the values of the examples drawn, in doubles.
 * 'dual' is that of x->beta.  Returns what the sample leaves unknown.
 */
static double correct(struct settling *s, const struct sample *d, double dual, const double *exact)
{
	double of_primal[SAMPLE], of_dual[SAMPLE];
	struct estimate primal_off, dual_off;

	for (int64_t k = 0; k < SAMPLE; k++) {
		int64_t i = s->example[d->place[k]];
		double f = s->x->f[i], square = s->x->beta[i] * (exact[i] - f);

		of_primal[k] = (s->at.scale * s->at.scale * square / 2 +
				certificate_loss(s->p, i, exact[i], &s->at) -
				certificate_loss(s->p, i, f, &s->at)) /
			       s->weight[d->place[k]];
		of_dual[k] = -square / 2 / s->weight[d->place[k]];
	}
	primal_off = estimate(of_primal, d->total);
	dual_off = estimate(of_dual, d->total);
	s->c->primal += primal_off.sum;
	s->c->dual = dual + dual_off.sum;
	return fmax(primal_off.error, dual_off.error);
}

/* Correct primal and dual by a sample; the bound left is its error, and that of exact values. */
static int settle_sample(struct settling *s, const struct rounding_options *o, double dual,
			 double *exact, struct error *err)
{
	struct sample d;
	double error;
	int ret;

	draw_sample(s, o->seed, &d);
	if (compute_again(s, o, d.distinct, d.n_distinct, exact, err) < 0)
		return -1;
	error = correct(s, &d, dual, exact);
	s->errors.all_exact = true;
	mem_free(s->errors.exact);
	s->errors.exact = NULL;
	ret = bound_closely(s, err);
	s->c->rounding += error;
	return ret;
}

/* Are errors of primal and dual more than a share of what these are to tell? */
static bool is_coarse(const struct certificate *c)
{
	double borne = isinf(c->dual) ? BORNE_OF_PRIMAL * fabs(c->primal) :
					fmin(BORNE_SHARE * (c->primal - c->dual), room_of_gap(c));

	return 2 * c->rounding > borne;
}

/* Decision values are computed again where their errors matter: all that count, or some. */
static int settle_again(struct settling *s, const struct rounding_options *o, double *exact,
			struct error *err)
{
	bool are_few = s->n * s->c->n_sv <= FREE_VALUES / int64_max(o->n_problems, 1);
	bool is_unknown = s->c->rounding > borne_of_separating(s->c);
	/* to know the objective better by a sample takes a larger share of small problems */
	bool is_small = o->n_problems > 1 && s->p->n < LEAST_DRAWN_FROM;
	double known = is_small ? HARDLY_KNOWN : KNOWN_SHARE;

	if (is_coarse(s->c) && are_few)
		return make_exact(s, o, s->example, s->n, err);
	if (is_coarse(s->c) && is_unknown && certificate_separates(s->p, &s->at))
		return settle_listed(s, o, list_for_separating, exact, err);
	/* an indefinite kernel's gap proves nothing, however exact it is */
	if (has_row_gaps(s) && !s->c->indefinite &&
	    settle_listed(s, o, list_for_gap, exact, err) < 0)
		return -1;
	if (are_exact(s) || !(s->c->rounding > known * fabs(s->c->primal)))
		return 0;
	return settle_sample(s, o, certificate_dual(s->p, s->x->beta, s->x->f), exact, err);
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
		c->row_gaps = isinf(dual) ? 0 : c->row_gaps;
		c->rounding = isinf(dual) ? c->rounding : fmax(c->rounding, rounding);
	}
}

/* As settle_again(), and what certificate_make() does not know is kept. */
static int settle_coarse(struct settling *s, const struct rounding_options *o, struct error *err)
{
	const struct certificate coarse = *s->c;
	double of_beta = certificate_dual(s->p, s->x->beta, s->x->f);
	double *exact = mem_array(s->p->n, sizeof(*exact), err);
	bool anothers =
		isinf(coarse.dual) || coarse.dual > of_beta + 4 * DBL_EPSILON * fabs(of_beta);
	int ret = exact ? settle_again(s, o, exact, err) : -1;

	mem_free(exact);
	if (ret < 0) {
		*s->c = coarse;
		return error_forgive(err, ERR_INTERRUPTED) ? 0 : -1;
	}
	s->c->excess = coarse.excess;
	/* D of multipliers that are not feasible bounds nothing */
	if (!s->is_feasible)
		s->c->dual = -INFINITY;
	if (anothers || !s->is_feasible)
		keep_dual(coarse.dual, coarse.rounding, s->c);
	return 0;
}

/* Bound the rounding, and with options make it less; the settling ends with this. */
static int bound_and_settle(struct settling *s, const struct rounding_options *o,
			    enum rounding_values values, int64_t longest, struct error *err)
{
	int ret = 0;

	if (!isfinite(s->c->primal))
		return 0;
	if (settling_init(s, values, longest, err) < 0 || bound(s, err) < 0)
		ret = -1;
	else if (o && !s->errors.all_exact && !interruption_requested(s->p->interruption))
		ret = settle_coarse(s, o, err);
	rounding_errors_free(&s->errors);
	mem_free_all(s->example, s->weight, s->x == &s->found ? s->found.sizes : NULL);
	return ret;
}

int rounding_settle(const struct problem_view *p, const struct iterate *x,
		    const struct rounding_options *o, struct certificate *c, struct error *err)
{
	struct settling s = { .p = p, .x = x, .c = c, .rows = o->rows };
	const bool coarser = o->values == ROUNDING_FLOATS && !decision_may_use_floats(p);

	return bound_and_settle(&s, o, coarser ? ROUNDING_DOUBLES : o->values, 0, err);
}

int rounding_lengthen(const struct problem_view *p, const struct iterate *x, double tolerance,
		      enum rounding_values *values, struct certificate *c, struct error *err)
{
	const double excess = c->excess;
	double lengths;

	if (p->kernel.type != KERNEL_POLYNOMIAL || !kernel_is_definite(&p->kernel) ||
	    !isfinite(c->dual) || !unfinished_is_feasible(p, x->beta) ||
	    (double)c->n_sv * (double)csr_n_entries(p->x) > MOST_LONG_PRODUCTS)
		return 0;
	lengths = certificate_lengths(p, x->beta);
	if (!(CERTIFICATE_ROUNDED * lengths * lengths > COARSE * fabs(c->primal)))
		return 0;
	long_polynomial_sums(&p->kernel, p->x, p->row, x->beta, p->n, x->f);
	work_count(WORK_DOUBLES, p->n * c->n_sv);
	if (certificate_make(p, x, tolerance, c, err) < 0)
		return -1;
	c->excess = excess;
	*values = ROUNDING_LONG;
	return 0;
}

int rounding_bound(const struct problem_view *p, const struct iterate *x,
		   enum rounding_values values, int64_t longest, struct certificate *c,
		   struct error *err)
{
	struct settling s = { .p = p, .x = x, .c = c };

	return bound_and_settle(&s, NULL, values, longest, err);
}

/*
 * Error of a decision value that another program sums up, relative to the sum of its terms' sizes:
 * kernel values of rows far from 0 are exact to some thousand roundings.
 */
#define ROUNDING_OF_SUM 1e-12

double rounding_lowered_rho(const struct problem_view *p, const struct iterate *x, double tolerance)
{
	double least = x->rho, most = -INFINITY, longest = 0, spare;

	for (int64_t i = 0; i < p->n; i++) {
		longest = fmax(longest, sqrt(fabs(problem_diagonal(p, i))));
		if (!(fabs(x->f[i] - x->rho) <= tolerance))
			continue;
		if (x->beta[i] < problem_upper(p, i))
			least = fmin(least, x->f[i]);
		if (x->beta[i] > problem_lower(p, i))
			most = fmax(most, x->f[i]);
	}
	spare = ROUNDING_OF_SUM * certificate_lengths(p, x->beta) * longest;
	return fmax(least - spare, fmin(x->rho, most - tolerance + spare));
}

/* Decision values near rho become those in doubles. */
static int settle_near(const struct problem_view *p, const struct iterate *x, double tolerance,
		       int n_threads, struct error *err)
{
	WORK_SCOPE(work_for(WORK_ROUNDING));
	int64_t *list = mem_array(p->n, sizeof(*list), err);
	struct decision_rows near = { .position = list, .n_threads = n_threads };
	int ret;

	for (int64_t i = 0; list && i < p->n; i++)
		if (fabs(x->f[i] - x->rho) <= tolerance)
			list[near.n++] = i;
	ret = list ? decision_of_rows(p, x->beta, &near, x->f, err) : -1;
	mem_free(list);
	return ret;
}

int rounding_lower_rho(const struct problem_view *p, struct iterate *x, double tolerance,
		       int n_threads, struct certificate *c, struct error *err)
{
	if (p->type != MACHINE_ONE_CLASS)
		return 0;
	/* where an end is asked for the values that are known have to do */
	if (settle_near(p, x, tolerance, n_threads, err) < 0 &&
	    !error_forgive(err, ERR_INTERRUPTED))
		return -1;
	x->rho = rounding_lowered_rho(p, x, tolerance);
	c->n_violators = certificate_count_violators(p, x, tolerance);
	return 0;
}

/* ---- certificates of weights of a linear kernel that no multipliers in doubles have ---- */

/*
 * How this works.  A problem with p->square has that for |w|^2, whatever the multipliers are, and
 * certificate.c and rounding.c make of multipliers of 0 the primal of any w, and its error.
 */

int weights_primal(const struct problem_view *p, const struct iterate *x, double square,
		   int64_t longest, struct certificate *c, struct error *err)
{
	struct problem_view at = *p;
	struct iterate zero = *x;
	int ret = -1;

	at.square = square;
	zero.beta = mem_zeroed(p->n, sizeof(*zero.beta), err);
	if (zero.beta && certificate_make(&at, &zero, 0, c, err) == 0) {
		c->dual = -INFINITY;
		ret = rounding_bound(&at, &zero, ROUNDING_DOUBLES, longest, c, err);
	}
	mem_free(zero.beta);
	return ret;
}

int weights_certify(const struct problem_view *p, const double *w, struct iterate *x,
		    double tolerance, struct certificate *c, struct error *err)
{
	const double square = inner_product(w, w, p->x->n_cols);
	struct certificate own;
	double b;

	if (rounding_bound(p, x, ROUNDING_DOUBLES, 0, c, err) < 0)
		return -1;
	for (int64_t i = 0; i < p->n; i++)
		x->f[i] = csr_row_dot(p->x, p->row[i], w);
	if (certificate_bias(p, x->f, &b, err) < 0)
		return -1;
	x->rho = -b;
	if (weights_primal(p, x, square, 0, &own, err) < 0)
		return -1;
	/* what bounds P - D of the multipliers bounds it of w, with the difference of both P */
	if (c->row_gaps > 0)
		c->row_gaps += fmax(own.primal - c->primal, 0) + own.rounding + c->rounding;
	c->primal = own.primal;
	c->rounding = fmax(c->rounding, own.rounding);
	c->witness = (struct certificate_witness){ 0 };
	c->n_violators = certificate_count_violators(p, x, tolerance);
	return 0;
}

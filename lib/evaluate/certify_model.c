/*
 * certify_model.c - how near a model is to the optimum of its training problem, by any program's
 * training
 *
 * How this works.  For any feasible beta and any (w, b) of a positive semidefinite kernel
 *
 *     D(beta) <= optimum <= P(w, b)                                            (1)
 *
 * (problem.h has D, certificate.h P), so the two values enclose the optimum however beta was found.
 * A model file of LIBSVM's kind has every beta_i that is not 0, but does not say which row i it
 * belongs to, and svm-train's keep the vectors with 8 digits only.  So, for each problem, a pair of
 * classes or the regression:
 *
 *  (2) Find the row of the training data that each support vector is (sv_index.h).
 *  (3) beta_i = the coefficient of the vector that row i is, else 0.
 *  (4) f_i = sum_j beta_j K(x_j, x_i) with the rows of the data, in double precision.  The vectors
 *      of the file would not do: with rounded x_j, |w|^2 = sum_i beta_i f_i is not the quadratic
 *      form of the training problem, and D no lower bound.
 *  (5) Check that beta is feasible: bounds and sum_i beta_i = 0, but for rounding.
 *  (6) From beta and f come P, D, counts, and the largest violation of the conditions
 *
 *          beta_i < upper_i:  dD/dbeta_i <= 0 upwards,     dD/dbeta_i = y_i - f_i - b -+ epsilon
 *          beta_i > lower_i:  dD/dbeta_i >= 0 downwards                        (7)
 *
 *      Only to count, and in (7), a multiplier next to a bound is at it.  P and D are those of the
 *      multipliers as they are: a shift of 1e-9 C changes decision values by 1e-9 C K(x, x), which
 *      a large C K(x, x) makes the margin and more.
 *
 * nu-SVC's file has beta / r, b / r and the decision values of these, r being half of the margin in
 * the scale of beta, which its sums give:
 *
 *     r sum_{y_i = +1} coef_i = nu n / 2                                        (8)
 *
 * Where (2) leaves a vector without a row there is no beta, and so no D.  P remains, since (1) asks
 * nothing of (w, b): it is made of the decision functions as the file has them, |w|^2 from its
 * vectors and the losses of the rows.  Where (5) fails D proves nothing and is left out, too.
 *
 * Memory: the labels, and (n_class - 1) values a row, its class against each other class; rows stay
 * in the file, but for those that could be vectors (certify_rows.h).
 *
 * Models of LIBLINEAR's kind have no multipliers; certify_linear.c makes bounds from their losses.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/certify.h"

#include "evaluate/certify_rows.h"
#include "evaluate/margin.h"
#include "evaluate/sv_index.h"
#include "model/compact.h"
#include "problem/classes.h"
#include "proof/rounding.h"

/*
 * A multiplier within this share of C from a bound counts as at that bound.  Files have 16 digits
 * or more, so that a multiplier C may be read back as C (1 - 1e-15): it would count as free, and
 * its row, which may be far inside the margin, as a violator.  The value only has to be well above
 * rounding and well below the smallest multipliers that matter.
 */
#define AT_BOUND 1e-9

/*
 * Training ends at violations up to eps of its own problem.  With the constant of the file, and
 * with other sums of kernel values, a few eps may be left of it; a wrong C, p or training set
 * leaves far more.
 */
#define BEYOND 10

/* Inputs and arrays of one certificate.  The first five fields are the caller's. */
struct certification {
	struct model_certificate *c;
	const struct model *m;
	const struct row_source *data;
	const struct training *t;
	struct certify_options o;
	/* result of the first scan: labels, and rows that could be vectors */
	struct certify_rows rows;
	struct classes classes; /* classes in the order of the data, not of the model */
	int64_t *sv_row;	/* row numbers of n_sv vectors: among candidates, then among all */
	int64_t *position;	/* position of each row of the data in the present problem */
	double *value; /* result of the second scan: f, as certify_rows_evaluate() lays it out */
	double *norm2; /* n_pairs values |w|^2 by the vectors in the file, if some have no row */
	unsigned char *mark; /* enum optimum_row of each row of the data */
};

void model_certificate_free(struct model_certificate *c)
{
	for (int64_t v = 0; c->pair && v < c->n_pairs; v++)
		mem_free(c->pair[v].rows.row);
	mem_free(c->pair);
	*c = (struct model_certificate){ 0 };
}

bool certify_feasible(const struct pair_certificate *p)
{
	return p->excess <= CERTIFY_ROUNDING && p->imbalance <= CERTIFY_ROUNDING &&
	       p->sum_excess <= CERTIFY_ROUNDING;
}

bool certify_optimal(const struct pair_certificate *p, double eps)
{
	double gap = fabs(certificate_relative_gap(&p->certificate));

	/* no violation is known of LIBLINEAR's models, or without a dual, whose gap is NAN */
	if (isnan(p->kkt_violation))
		return gap <= CERTIFY_LINEAR_GAP;
	return (gap <= CERTIFY_GAP || p->kkt_violation <= BEYOND * eps) && p->n_showing_p == 0 &&
	       p->shown_nu == 0;
}

/*
 * (3): beta gets the coefficients of class 'own' against 'other' at the rows of its vectors, times
 * the r that nu-SVC's have been divided by.
 */
static void take_coefficients(const struct certification *w, int own, int other, double r,
			      double *beta)
{
	const struct solution_side side = solution_side(&w->m->solution, own, other);

	for (int64_t j = side.first; j < side.first + side.n; j++)
		beta[w->position[w->sv_row[j]]] = r * side.coef[j];
}

/*
 * The same iterate, with multipliers next to a bound at it, by which conditions of optimality and
 * counts judge them.  Next to 0 a file has all digits.  Its 'beta', n numbers, is the caller's.
 */
static struct iterate snapped(const struct problem_view *p, const struct iterate *x, double *beta)
{
	struct iterate to = *x;

	to.beta = beta;
	for (int64_t i = 0; i < p->n; i++) {
		double bound = problem_bound(p, i), share = fabs(x->beta[i]) / bound;

		beta[i] = fabs(share - 1) <= AT_BOUND ? copysign(bound, x->beta[i]) : x->beta[i];
	}
	return to;
}

/* Sum the sizes of the coefficients of class 'own' against 'other', and find the largest size. */
static double sum_class(const struct certification *w, int own, int other, double *largest)
{
	const struct solution_side side = solution_side(&w->m->solution, own, other);

	*largest = fmax(*largest, largest_of_sizes(side.coef + side.first, side.n));
	return sum_of_sizes(side.coef + side.first, side.n);
}

/*
 * (8): r of nu-SVC, of classes a and b; 1 for all other machines.  If the largest coefficient is
 * then at its bound, but for rounding (of nu: some builds of svm-train read it as a float), it is
 * exactly there.
 */
static double scale_of(const struct certification *w, const struct problem_view *p, int a, int b)
{
	double largest = 0, sum, r;

	if (p->type != MACHINE_NU_SVC)
		return 1;
	sum = (sum_class(w, a, b, &largest) + sum_class(w, b, a, &largest)) / 2;
	r = sum > 0 ? p->sum_plus / sum : 1;
	return fabs(r * largest - 1) <= CERTIFY_ROUNDING ? 1 / largest : r;
}

/*
 * (5): the largest excess over a bound, in C, and |sum beta| / sum |beta|.  The largest multiplier
 * and the number of those equal to it tell a model that was trained with a smaller C.
 */
static void examine(const struct problem_view *p, const double *beta, struct pair_certificate *c)
{
	double sum = 0, sum_abs = 0;

	for (int64_t i = 0; i < p->n; i++) {
		double share = fabs(beta[i]) / problem_c(p, i);
		double excess = fmax(beta[i] - problem_upper(p, i), problem_lower(p, i) - beta[i]);

		c->excess = fmax(c->excess, excess / problem_c(p, i));
		sum += beta[i];
		sum_abs += fabs(beta[i]);
		if (share > c->largest_share * (1 + AT_BOUND)) {
			c->largest_share = share;
			c->n_at_largest = 0;
		}
		c->n_at_largest +=
			share > 0 && !p->squared_loss && share >= c->largest_share * (1 - AT_BOUND);
	}
	c->imbalance = sum_abs > 0 && p->type != MACHINE_ONE_CLASS ? fabs(sum) / sum_abs : 0;
}

/*
 * epsilon-SVR: at the optimum for p every free support vector lies on the edge of the tube, on the
 * side of its multiplier,
 *
 *     sign(beta_i) (y_i - f_i - b) = p,        b = -rho
 *
 * or, with squared losses, |beta_i| / (2 C) beyond it.  So where these values agree with each other
 * but not with t->p, the model was trained with another p, which is their mean.  They agree if they
 * spread over less than half of what the mean is off; the mean is off if that is more than training
 * leaves.
 */
static void look_for_p(const struct problem_view *p, const double *beta, const double *f,
		       double rho, double eps, struct pair_certificate *c)
{
	double sum = 0, least = INFINITY, most = -INFINITY, off;
	int64_t n = 0;

	for (int64_t i = 0; i < p->n; i++)
		if (beta[i] != 0 && fabs(beta[i]) < problem_bound(p, i)) {
			double slope = p->target[i] - f[i] + rho - problem_softness(p, i) * beta[i];
			double at = copysign(1, beta[i]) * slope;

			sum += at;
			least = fmin(least, at);
			most = fmax(most, at);
			n++;
		}
	off = n > 1 ? fabs(sum / (double)n - p->epsilon) : 0;
	if (off > BEYOND * eps && most - least < off / 2) {
		c->n_showing_p = n;
		c->shown_p = fmax(0, sum / (double)n);
	}
}

/*
 * What counts of the certificate depend on which multipliers are at their bounds, those of
 * 'counted', and the largest violation (7).  'at' is problem_at() the solution.
 */
static void count_rows(const struct problem_view *at, const struct iterate *counted, double eps,
		       struct pair_certificate *c)
{
	c->certificate.n_violators = c->certificate.n_bounded_sv = 0;
	for (int64_t i = 0; i < at->n; i++) {
		double beta = counted->beta[i], f_plus_b = counted->f[i] - counted->rho;

		c->certificate.n_violators += certificate_row_violates(at, i, beta, f_plus_b, eps);
		c->certificate.n_bounded_sv += beta != 0 && fabs(beta) >= problem_bound(at, i);
		c->kkt_violation =
			fmax(c->kkt_violation, certificate_row_violation(at, i, beta, f_plus_b));
	}
}

/* Keep what others need to repeat the certificate 'c' of a solution 'x'. */
static int keep_rows(struct certified_rows *to, const struct certification *w,
		     const struct problem_view *p, const struct iterate *x,
		     const struct certificate *c, struct error *err)
{
	const struct problem_view at = problem_at(p, x);
	struct certificate own = *c;

	*to = (struct certified_rows){ .row = mem_array(p->n, sizeof(*to->row), err) };
	snprintf(to->problem, sizeof(to->problem), "%s %.17g %.17g %.17g %.17g %.17g",
		 p->squared_loss ? "squared" : "hinge", p->c_plus, p->c_minus, at.epsilon,
		 p->sum_plus, p->sum_minus);
	/* of the file's own constant, and not of the best */
	own.witness = (struct certificate_witness){ 1, at.epsilon - x->rho, -at.epsilon - x->rho };
	own.primal = certificate_primal_at(p, x->beta, x->f, &own.witness);
	if (rounding_bound(p, x, ROUNDING_DOUBLES, w->rows.longest, &own, err) < 0)
		return -1;
	to->primal = own.primal;
	to->dual = own.dual;
	/* a term is off by |beta| e where |w|^2 / 2 is by half of that */
	to->rounding = 2 * own.rounding;
	for (int64_t i = 0; to->row && i < p->n; i++) {
		double term =
			fmax(certificate_row_gap(p, i, x->beta[i], x->f[i], 0, &own.witness), 0);

		if (term != 0 || x->beta[i] != 0)
			to->row[to->n++] = (struct certified_row){ p->row[i], x->beta[i], term };
	}
	return to->row ? 0 : -1;
}

/* ---- what machines of nu leave out ---- */

/*
 * The machines of nu fix sums of multipliers (problem.h), so the sums of a model say which nu it was
 * trained with, for n rows, or rows whose weights have the sum n:
 *
 *     one-class   sum beta = nu n                                               (a)
 *     nu-SVR      sum |beta| = C nu n, or less where no tube is best            (b)
 *     nu-SVC      The file has beta / r, for an r that it does not tell.  The sum over one class is
 *                 nu n / 2, which gives r; then no beta may be above 1 (or its weight), and where
 *                 several are bounded they are exactly 1.  With a wrong nu they are
 *                 nu / (true nu).                                               (c)
 */

/* Steps (a) and (b): share of the sums asked for that the multipliers have. */
static double share_of_sums(const struct problem_view *p, const double *beta)
{
	return sum_of_sizes(beta, p->n) / (p->sum_plus + p->sum_minus);
}

/* Middle of two bounds on a threshold; the finite one if the other is infinite, or NAN. */
static double middle(double low, double high)
{
	if (isinf(low) || isinf(high))
		return isinf(low) && isinf(high) ? NAN : isinf(low) ? high : low;
	return (low + high) / 2;
}

/*
 * x->epsilon of nu-SVR's multipliers and decision values
 *
 * Half of the distance of the two thresholds, each in the middle of what the conditions of
 * optimality leave for it; 0 where the multipliers use up less than the sums, which is optimal for
 * a tube without width alone.  O(n).
 */
static void nu_thresholds(const struct problem_view *p, struct iterate *x)
{
	double low[2] = { -INFINITY, -INFINITY }, high[2] = { INFINITY, INFINITY }, half;

	/*
	 * beta < U: u <= th_plus; beta > 0: u >= th_plus.  beta > -L: u >= th_minus; beta < 0: <=
	 */
	for (int64_t i = 0; i < p->n; i++) {
		double u = problem_linear(p, i) - x->f[i], beta = x->beta[i];

		if (beta >= 0 && beta < problem_upper(p, i))
			low[1] = fmax(low[1], u);
		if (beta > 0)
			high[1] = fmin(high[1], u);
		if (beta <= 0 && beta > problem_lower(p, i))
			high[0] = fmin(high[0], u);
		if (beta < 0)
			low[0] = fmax(low[0], u);
	}
	half = (middle(low[1], high[1]) - middle(low[0], high[0])) / 2;
	x->epsilon = half > 0 && !(share_of_sums(p, x->beta) < 1 - CERTIFY_ROUNDING) ? half : 0;
}

/*
 * c->sum_excess and c->shown_nu
 *
 * After the other values of 'c' that the multipliers and the violation give.  'eps' is the
 * tolerance of training and 'nu' what the caller takes the model to be trained with.  O(n).
 */
static void nu_examine(const struct problem_view *p, const struct iterate *x, double nu, double eps,
		       struct pair_certificate *c)
{
	double share = share_of_sums(p, x->beta);
	bool violates = !(c->kkt_violation <= BEYOND * eps);

	if (p->type == MACHINE_NU_SVC) {
		bool several = c->largest_share < 1 - CERTIFY_ROUNDING && c->n_at_largest > 1;

		/* step (c): an infeasible solution, or one that violates, shows no nu of its own */
		if (c->excess > CERTIFY_ROUNDING || (several && violates))
			c->shown_nu = nu / c->largest_share;
		return;
	}
	c->sum_excess = p->type == MACHINE_ONE_CLASS ? fabs(share - 1) : fmax(share - 1, 0);
	if (c->sum_excess > CERTIFY_ROUNDING || (violates && share < 1 - CERTIFY_ROUNDING))
		c->shown_nu = nu * share;
}

/* ---- one problem ---- */

/*
 * (5), (6): the certificate 'c' of the multipliers and decision values of a problem, and counts of
 * 'counted'
 */
static int certify_multipliers(const struct certification *w, const struct problem_view *p,
			       const struct iterate *x, const struct iterate *counted,
			       struct pair_certificate *c, struct error *err)
{
	const struct problem_view at = problem_at(p, x);

	examine(p, x->beta, c);
	if (certificate_make(p, x, w->t->eps, &c->certificate, err) < 0 ||
	    rounding_bound(p, x, ROUNDING_DOUBLES, w->rows.longest, &c->certificate, err) < 0)
		return -1;
	certificate_drop_rounding(p, x->beta, &c->certificate);
	count_rows(&at, counted, w->t->eps, c);
	if (p->type == MACHINE_EPSILON_SVR)
		look_for_p(p, counted->beta, x->f, x->rho, w->t->eps, c);
	if (problem_fixes_sums(p))
		nu_examine(p, x, w->t->nu, w->t->eps, c);
	/*
	 * the bound of rounding counts what the sums are off, which matters to the dual alone; a bound
	 * that is no number proves no dual
	 */
	if (!certify_feasible(c) || !isfinite(c->certificate.rounding)) {
		c->certificate.dual = c->certificate.rounding = c->kkt_violation = NAN;
		c->certificate.row_gaps = 0;
	} else if (w->o.keeps_rows && keep_rows(&c->rows, w, p, x, &c->certificate, err) < 0) {
		return -1;
	}
	if (!w->o.every_optimum)
		return 0;
	return optimum_ball_find(
		&c->ball, p, x,
		&(struct optimum_rows){ w->rows.longest, w->rows.distance, w->mark }, err);
}

/*
 * Without multipliers: P of the model's own decision values, and of |w|^2 of the file's vectors,
 * 'norm2'.  Their errors are known where they are products with one vector.
 */
static int certify_values(const struct certification *w, const struct problem_view *p,
			  const struct iterate *x, double norm2, struct pair_certificate *c,
			  struct error *err)
{
	if (weights_primal(p, x, norm2, w->rows.longest, &c->certificate, err) < 0)
		return -1;
	if (p->kernel.type != KERNEL_LINEAR)
		c->certificate.rounding = NAN;
	c->certificate.dual = c->kkt_violation = c->excess = c->imbalance = NAN;
	return 0;
}

/*
 * The constant of least P(w, b), and the multiple of w, where the model's own P is above it by more
 * than rounding.  A witness of multiple 0 is that nothing is better than w = 0.
 */
static int find_repair(const struct problem_view *p, const struct iterate *x, double r,
		       struct pair_certificate *c, struct error *err)
{
	struct pair_repair *repair = &c->repair;
	struct certificate_witness best, own;
	double half, primal;

	if (certificate_find_witness(p, x, &best, err) < 0)
		return -1;
	*repair = (struct pair_repair){ false, 1, x->rho / r };
	if (!(best.scale > 0))
		return 0;
	if (certificate_separates(p, &best)) {
		primal = c->certificate.primal;
		repair->scale = best.scale;
	} else {
		best = (struct certificate_witness){ 1, best.plus / best.scale,
						     best.minus / best.scale };
		primal = certificate_primal_at(p, x->beta, x->f, &best);
	}
	if (p->type == MACHINE_ONE_CLASS)
		best.minus = best.plus;
	/* model files lack the distance of the thresholds: the best one goes with b */
	half = (best.plus - best.minus) / 2;
	own = (struct certificate_witness){ 1, -x->rho + half, -x->rho - half };
	repair->rho = -(best.plus + best.minus) / 2 / r;
	repair->wanted = certificate_primal_at(p, x->beta, x->f, &own) - primal >
			 fmax(c->certificate.rounding, 0);
	return 0;
}

/*
 * One-class: the constant that training gives where 'repair' has the best one, if the model's own,
 * that of x, is not within eps of it.
 */
static void lower_repair(const struct problem_view *p, const struct iterate *x, double eps,
			 struct pair_repair *repair)
{
	struct iterate best = *x;

	best.rho = repair->rho;
	repair->rho = rounding_lowered_rho(p, &best, eps);
	repair->wanted = repair->wanted && fabs(x->rho - repair->rho) > eps;
}

/* Compute the certificate of decision function v, problem 'p' of the model's classes a and b. */
static int certify_problem(struct certification *w, const struct problem_view *p, int a, int b,
			   int64_t v, struct error *err)
{
	struct pair_certificate *c = &w->c->pair[v];
	double r = scale_of(w, p, a, b);
	struct iterate x = { .beta = mem_zeroed(p->n, sizeof(*x.beta), err),
			     .f = mem_array(p->n, sizeof(*x.f), err),
			     .rho = r * w->m->solution.rho[v],
			     .epsilon = p->type == MACHINE_NU_SVC ? -r : 0 };
	struct iterate counted;
	double *snapped_beta = mem_array(p->n, sizeof(*snapped_beta), err);
	int ret = -1;

	if (!x.beta || !x.f || !snapped_beta)
		goto out;
	certify_rows_take(&w->rows, p, a, b, w->value, x.f);
	for (int64_t i = 0; i < p->n; i++)
		x.f[i] *= r;
	if (w->c->n_missing > 0) {
		ret = certify_values(w, p, &x, r * r * w->norm2[v], c, err);
	} else {
		/* rows of other classes keep positions from earlier pairs, which are never read */
		for (int64_t i = 0; i < p->n; i++)
			w->position[p->row[i]] = i;
		take_coefficients(w, a, b, r, x.beta);
		take_coefficients(w, b, a, r, x.beta);
		counted = snapped(p, &x, snapped_beta);
		if (p->type == MACHINE_NU_SVR)
			nu_thresholds(p, &counted);
		x.epsilon = counted.epsilon;
		ret = certify_multipliers(w, p, &x, &counted, c, err);
	}
	if (ret == 0)
		ret = find_repair(p, &x, r, c, err);
	if (ret == 0 && p->type == MACHINE_ONE_CLASS && w->c->n_missing == 0)
		lower_repair(p, &counted, w->t->eps, &c->repair);
	if (ret == 0 && w->o.exact_rows && !isnan(c->certificate.dual) &&
	    p->kernel.type != KERNEL_PRECOMPUTED) {
		struct problem_view at = problem_at(p, &x);

		at.x = w->o.exact_rows;
		ret = exact_certify(&c->exact,
				    &(struct exact_question){ w->m, a, b, w->m->solution.rho[v], r,
							      &at, x.beta },
				    err);
	}
	c->certificate.primal /= r * r;
	c->certificate.dual /= r * r;
	c->certificate.rounding /= r * r;
	c->certificate.row_gaps /= r * r;
out:
	mem_free_all(snapped_beta, x.f, x.beta);
	return ret;
}

/* Check that data and model have the same classes, none of them in one of the two only. */
static int check_classes(struct certification *w, struct error *err)
{
	const int n = w->m->solution.n_class, *label = w->m->solution.label;

	if (classes_init(&w->classes, &w->rows.labels, err) < 0)
		return -1;
	if (w->classes.n > n)
		return error_set(err, ERR_ARGUMENT, "the examples have %d classes, the model %d",
				 w->classes.n, n);
	for (int c = 0; c < n; c++)
		if (classes_find(&w->classes, label[c]) < 0)
			return error_set(err, ERR_ARGUMENT, "no example has class %d of the model",
					 label[c]);
	return 0;
}

/*
 * Certify the machine of each pair of classes
 *
 * A regression, or one class, is the pair (0, 1) whose vectors are all of class 0 (solution.h).
 */
static int certify_pairs(struct certification *w, struct error *err)
{
	const struct solution *s = &w->m->solution;
	const struct classes *classes = machine_classifies(w->m->type) ? &w->classes : NULL;
	int64_t v = 0;

	for (int a = 0; a < s->n_class; a++)
		for (int b = a + 1; b < s->n_class; b++, v++) {
			struct class_choice choice = { 0 };
			struct problem p = { 0 };
			int ret;

			if (classes) {
				choice.a = classes_find(classes, s->label[a]);
				choice.b = classes_find(classes, s->label[b]);
				w->c->pair[v].label_a = s->label[a];
				w->c->pair[v].label_b = s->label[b];
			}
			if (classes_pair_problem(&p, classes, choice, &w->rows.labels, w->t, err) <
			    0)
				return -1;
			/* nu-SVC: have the classes enough examples for the sums of nu? */
			if (w->m->type == MACHINE_NU_SVC &&
			    p.view.sum_plus <
				    w->t->nu * problem_weight(&p.view) / 2 * (1 - CERTIFY_ROUNDING))
				ret = error_set(err, ERR_ARGUMENT, "specified nu is infeasible");
			else
				ret = certify_problem(w, &p.view, a, b, v, err);
			problem_free(&p);
			if (ret < 0)
				return -1;
		}
	return 0;
}

/* Without multipliers: compute decision values and |w|^2 from the vectors in the file. */
static int evaluate_model(struct certification *w, struct error *err)
{
	struct predictor p = { 0 };
	int ret = -1;

	w->norm2 = mem_array(w->c->n_pairs, sizeof(double), err);
	if (!w->norm2 || predictor_init(&p, w->m, err) < 0)
		return -1;
	if (margin_norms(&p, w->norm2, w->o.n_threads, err) == 0)
		ret = certify_rows_evaluate(&w->rows, &p.expansion, w->data, w->value,
					    w->o.n_threads, err);
	predictor_free(&p);
	return ret;
}

/*
 * (4): decision values by the rows that the vectors are, which have all their digits.  Afterwards
 * sv_row numbers rows of the data, not candidates: the problems do.
 */
static int evaluate_rows(struct certification *w, struct error *err)
{
	const struct solution *s = &w->m->solution;
	struct expansion e = { 0 };
	struct csr sv = { 0 };
	int ret = -1;

	if (csr_gather(&sv, &w->rows.candidates.x, w->sv_row, s->n_sv, err) == 0 &&
	    expansion_init(&e, &w->m->kernel, solution_vectors(s, &sv), err) == 0 &&
	    vectors_change(&w->m->kernel, s, &sv, &w->m->sv, w->o.n_threads, &w->c->change, err) ==
		    0)
		ret = certify_rows_evaluate(&w->rows, &e, w->data, w->value, w->o.n_threads, err);
	expansion_free(&e);
	csr_free(&sv);
	for (int64_t j = 0; j < s->n_sv; j++)
		w->sv_row[j] = w->rows.candidate_row[w->sv_row[j]];
	return ret;
}

/* Prepare for all problems: scans, rows of the vectors by step (2), decision values. */
static int prepare(struct certification *w, struct error *err)
{
	const struct solution *s = &w->m->solution;
	struct model_certificate *c = w->c;
	struct sv_rows_doubts doubts = { .n_missing = s->n_sv }; /* no row is sought for weights */

	c->n_sv = s->n_sv;
	c->n_pairs = solution_n_pairs(s->n_class);
	c->has_multipliers = true;
	c->pair = mem_zeroed(c->n_pairs, sizeof(*c->pair), err);
	w->sv_row = mem_array(s->n_sv, sizeof(*w->sv_row), err);
	if (!c->pair || !w->sv_row)
		return -1;
	if (w->o.every_optimum) {
		optimum_center_init(&c->center, &w->m->kernel, &w->m->sv);
		w->rows.center = &c->center;
	}
	if (certify_rows_collect(&w->rows, w->m, w->data, w->o.n_threads, err) < 0)
		return -1;
	c->n_rows = w->rows.labels.x.n_rows;
	if (c->n_rows == 0)
		return error_set(err, ERR_ARGUMENT, "no examples");
	if (machine_classifies(w->m->type) && check_classes(w, err) < 0)
		return -1;
	w->position = mem_array(c->n_rows, sizeof(*w->position), err);
	w->value = mem_array(c->n_rows * (s->n_class - 1), sizeof(*w->value), err);
	w->mark = mem_zeroed(c->n_rows, sizeof(*w->mark), err);
	if (!w->position || !w->value || !w->mark)
		return -1;
	if (!model_is_compact(w->m) &&
	    sv_rows_find(w->m, &w->rows.candidates, w->t, w->sv_row, &doubts, err) < 0)
		return -1;
	c->n_missing = doubts.n_missing;
	c->n_ambiguous = doubts.n_ambiguous;
	return c->n_missing > 0 ? evaluate_model(w, err) : evaluate_rows(w, err);
}

static int certify_expansion(struct certification *w, struct error *err)
{
	int ret = prepare(w, err);

	if (ret == 0)
		ret = certify_pairs(w, err);
	for (int64_t i = 0; ret == 0 && i < w->c->n_rows; i++) {
		w->c->n_sv_least += (w->mark[i] & OPTIMUM_IS_SV) != 0;
		w->c->n_sv_most += (w->mark[i] & OPTIMUM_MAY_BE_SV) != 0;
	}
	certify_rows_free(&w->rows);
	classes_free(&w->classes);
	mem_free_all(w->sv_row, w->position, w->value, w->norm2, w->mark);
	return ret;
}

int certify_model(struct model_certificate *c, const struct model *m, const struct row_source *data,
		  const struct training *t, const struct certify_options *o, struct error *err)
{
	const bool has_ball = (m->type == MACHINE_C_SVC || m->type == MACHINE_EPSILON_SVR) &&
			      !m->is_linear_model && m->kernel.type != KERNEL_PRECOMPUTED &&
			      kernel_is_definite(&m->kernel);
	struct training training = *t;
	struct certification w = { .c = c, .m = m, .data = data, .t = &training, .o = *o };
	int ret;

	*c = (struct model_certificate){ 0 };
	w.o.every_optimum = o->every_optimum && has_ball;
	/* machine and kernel are the model's; the caller's options give only the rest */
	training.type = m->type;
	training.kernel = m->kernel;
	if (m->is_linear_model)
		ret = certify_linear_model(c, &m->linear, data, t, o->n_threads, err);
	else if (m->type == MACHINE_NU_SVC && model_is_compact(m))
		ret = error_set(err, ERR_ARGUMENT,
				"a compact model of nu-SVC does not tell the scale of its margin");
	else if (t->squared_loss && m->kernel.type != KERNEL_LINEAR)
		ret = error_set(err, ERR_ARGUMENT,
				"squared losses are those of models with the linear kernel");
	else if (t->squared_loss && machine_fixes_sums(m->type))
		ret = error_set(err, ERR_ARGUMENT,
				"squared losses are those of C-SVC and epsilon-SVR alone");
	else
		ret = certify_expansion(&w, err);
	for (int64_t q = 0; ret == 0 && q < c->n_pairs; q++) {
		if (!isfinite(c->pair[q].certificate.primal))
			ret = error_set(err, ERR_NUMERIC,
					"the objective of the model is not finite: its numbers, "
					"or those of the rows, are too large");
		if (!w.o.every_optimum || isnan(c->pair[q].certificate.dual) || c->n_missing > 0 ||
		    c->n_ambiguous > 0 || c->change > 0)
			c->pair[q].ball.radius = NAN;
	}
	if (ret < 0)
		model_certificate_free(c);
	return ret;
}

/* ---- What certificates are good for ---- */

/*
 * The constant and the multiple of decision function v, of classes a and b.  Where the old value
 * was f - rho the new one is s f - rho', so sigmoids and marks of density are of
 *
 *     f - rho = (new + rho') / s - rho
 */
static void repair_pair(struct model *m, int a, int b, int64_t v, const struct pair_repair *to)
{
	struct solution *s = &m->solution;
	double shift = to->rho / to->scale - s->rho[v];

	if (to->scale != 1) {
		solution_scale(s, a, b, to->scale);
		solution_scale(s, b, a, to->scale);
	}
	if (s->prob_a && s->prob_b && machine_classifies(m->type)) {
		s->prob_b[v] += s->prob_a[v] * shift;
		s->prob_a[v] /= to->scale;
	}
	for (int k = 0; s->density_marks && k < s->n_density_marks; k++)
		s->density_marks[k] -= shift;
	s->rho[v] = to->rho;
}

int64_t certify_repair(struct model *m, const struct model_certificate *c)
{
	int64_t v = 0, n_changed = 0;

	for (int a = 0; a < m->solution.n_class; a++)
		for (int b = a + 1; b < m->solution.n_class; b++, v++)
			if (c->pair[v].repair.wanted) {
				repair_pair(m, a, b, v, &c->pair[v].repair);
				n_changed++;
			}
	return n_changed;
}

struct proved_prediction certify_prediction(const struct model_certificate *c,
					    const struct predictor *p, struct csr_row x,
					    const double *values, int *votes)
{
	const struct optimum_sizes sizes = optimum_measure(&c->center, x);
	const int winner = predictor_winner(p, values, votes), n = p->n_class;
	struct proved_prediction proved = { .same = true };
	int least = 0;

	memset(votes, 0, (size_t)n * sizeof(*votes));
	for (int a = 0, v = 0; a < n; a++)
		for (int b = a + 1; b < n; b++, v++) {
			const struct value_bounds f = optimum_ball_bounds(
				&c->pair[v].ball, &sizes, values[v], p->model->solution.rho[v]);

			/* no number, as of rows that are not finite, is no bound */
			proved.within = isnan(f.high - f.low) ?
						INFINITY :
						fmax(f.high - values[v], values[v] - f.low);
			least += (a == winner && f.low > 0) || (b == winner && f.high <= 0);
			votes[a] += !(f.high <= 0);
			votes[b] += !(f.low > 0);
		}
	/* the first of equal numbers of votes wins */
	for (int k = 0; k < n; k++)
		if (k != winner && votes[k] + (k < winner) > least)
			proved.same = false;
	return proved;
}

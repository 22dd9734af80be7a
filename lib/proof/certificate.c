/*
 * certificate.c - how far a solution is from the optimum, proved over all the data
 *
 * How this works.  Decision values f of all rows give everything, in one pass each: with
 * |w|^2 = sum_i beta_i f_i
 *
 *     D(beta) = sum_i (y_i beta_i - epsilon |beta_i|) - |w|^2 / 2               (1)
 *     P(w, b) = |w|^2 / 2 + sum_i C_i loss_i(f_i + b)                           (2)
 *
 * D bounds the optimum from below for any feasible beta, and P from above for any b; so b is chosen
 * to make P least, which may be another b than the one that the solver ended with.  As a function
 * of b, (2) is convex and piecewise linear.  Its slope grows by C_i at each breakpoint
 *
 *     y_i - f_i                    C-SVC: where the loss of row i begins or ends
 *     y_i - f_i -+ epsilon         regression: the two edges of the tube        (3)
 *
 * and begins, left of all of them, with minus the C_i of the rows whose loss falls as b grows:
 * those of class +1, or all rows of a regression.  P is least where the slope turns from negative
 * to 0 or more.  Sorting the breakpoints to walk there took 4 % of a training of letter.scale, with
 * its 325 pairs; a quickselect that sums slopes finds the place in O(n) (4).
 *
 * Where C is large and f separates the classes, (2) says little: the optimum may be 1e-7, and a
 * violation of 1e-6 times C is a loss of thousands of it.  But any w bounds the optimum, so also
 * that multiple of this one for which no row has a loss,
 *
 *     P(s w, b') = s^2 |w|^2 / 2,   s = 2 / (min f over +1 - max f over -1)     (5)
 *
 * and the primal is the lower of the two.
 *
 * The machines of nu have two thresholds in place of b (problem.h), and no epsilon to fix their
 * distance.  With u_i = t_i - f_i and the box [-L_i, U_i],
 *
 *     P = |w|^2 / 2 + sum_i (U_i max(0, u_i - th_plus) + L_i max(0, th_minus - u_i))
 *         + S_plus th_plus - S_minus th_minus                                   (6)
 *
 * in which each threshold has a convex piecewise linear function of its own, and (4) finds both.
 * P - D is then a sum of terms of single rows, none of them negative, as each sign of beta has the
 * sum that it must have.
 *
 * Where t = 0, in nu-SVC and one-class, s times w and both thresholds has s^2 times |w|^2 / 2 and s
 * times the rest of (6), R.  The best multiple has
 *
 *     P = -R^2 / (2 |w|^2)                                                      (7)
 *
 * which matters where nu is small: there |w|^2 is a small difference of large multipliers, and the
 * relative error of w is much larger than that of f.
 *
 * With squared losses P is smooth in b, and taken at the solver's b, whose error counts squared.
 *
 * Violations are measured at the solver's b: they say whether the solver did what was asked of it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "proof/certificate.h"

double certificate_square(const struct problem_view *p, const double *beta, const double *f)
{
	/* a square whatever the data are; with files of kernel values it can be any number */
	bool is_square = p->kernel.type != KERNEL_PRECOMPUTED && kernel_is_definite(&p->kernel);
	double sum = p->square;

	for (int64_t i = 0; i < p->n; i++)
		sum += beta[i] * f[i];
	return is_square ? fmax(sum, 0) : sum;
}

double certificate_loss(const struct problem_view *p, int64_t i, double f,
			const struct certificate_witness *at)
{
	double u = problem_linear(p, i) - at->scale * f;
	double upper = problem_upper(p, i), lower = problem_lower(p, i);
	double above = upper > 0 ? fmax(0, u - at->plus) : 0;
	double below = lower < 0 ? fmax(0, at->minus - u) : 0;

	if (p->squared_loss)
		return problem_c(p, i) * (above * above + below * below);
	return (above > 0 ? upper * above : 0) - (below > 0 ? lower * below : 0);
}

/* certificate_row_gap() of u = t - f */
static double row_gap(const struct problem_view *p, int64_t i, double beta, double u,
		      const struct certificate_witness *at)
{
	double above = u - at->plus, below = at->minus - u;
	double plus = fmax(beta, 0), minus = fmax(-beta, 0);

	if (p->squared_loss)
		return problem_c(p, i) * ((problem_upper(p, i) > 0 ? pow(fmax(above, 0), 2) : 0) +
					  (problem_lower(p, i) < 0 ? pow(fmax(below, 0), 2) : 0)) -
		       plus * above - minus * below + problem_softness(p, i) * beta * beta / 2;
	return ((above > 0 ? problem_upper(p, i) : 0) - plus) * above +
	       ((below > 0 ? -problem_lower(p, i) : 0) - minus) * below;
}

double certificate_row_gap(const struct problem_view *p, int64_t i, double beta, double f,
			   double error, const struct certificate_witness *at)
{
	double u = problem_linear(p, i) - f;

	/* a convex function of u: it is most at an end */
	return fmax(row_gap(p, i, beta, u - error, at), row_gap(p, i, beta, u + error, at));
}

/*
 * Primal (2), or (6) for the machines of nu, at the thresholds and the multiple of w that 'at' has
 */
double certificate_primal_at(const struct problem_view *p, const double *beta, const double *f,
			     const struct certificate_witness *at)
{
	double loss = 0;

	for (int64_t i = 0; i < p->n; i++)
		loss += certificate_loss(p, i, f[i], at);
	if (problem_fixes_sums(p))
		loss += (p->sum_plus > 0 ? p->sum_plus * at->plus : 0) -
			(p->sum_minus > 0 ? p->sum_minus * at->minus : 0);
	return at->scale * at->scale * certificate_square(p, beta, f) / 2 + loss;
}

double certificate_primal(const struct problem_view *p, const double *beta, const double *f,
			  double b)
{
	const struct certificate_witness at = { 1, b + p->epsilon, b - p->epsilon };

	return certificate_primal_at(p, beta, f, &at);
}

double certificate_dual(const struct problem_view *p, const double *beta, const double *f)
{
	double linear = 0, cost = problem_cost(p);

	for (int64_t i = 0; i < p->n; i++)
		if (beta[i] != 0)
			linear += problem_linear(p, i) * beta[i] - cost * fabs(beta[i]) -
				  problem_softness(p, i) * beta[i] * beta[i] / 2;
	return linear - certificate_square(p, beta, f) / 2;
}

void certificate_visit(struct certificate *c, struct fields *f)
{
	/* a checkpoint does not have it: it is found again */
	c->witness = (struct certificate_witness){ 0 };
	fields_double(f, "primal", &c->primal);
	fields_double(f, "dual", &c->dual);
	fields_double(f, "rounding", &c->rounding);
	fields_double(f, "row_gaps", &c->row_gaps);
	fields_int64(f, "n_violators", &c->n_violators);
	fields_int64(f, "n_sv", &c->n_sv);
	fields_int64(f, "n_bounded_sv", &c->n_bounded_sv);
	fields_double(f, "sum_abs_beta", &c->sum_abs_beta);
	fields_double(f, "excess", &c->excess);
	fields_bool(f, "indefinite", &c->indefinite);
}

void certificate_report(const struct certificate *c, struct report *r)
{
	report_number(r, "primal", c->primal);
	report_number(r, "dual", c->dual);
	report_number(r, "gap", c->primal - c->dual);
	report_number(r, "gap_bound", certificate_proves(c) ? certificate_gap(c) : NAN);
	report_number(r, "rounding", c->rounding);
	report_number(r, "relative_gap",
		      certificate_is_below_dual(c) ? NAN : certificate_relative_gap(c));
}

void certificate_add(struct certificate *sum, const struct certificate *c)
{
	sum->primal += c->primal;
	sum->dual += c->dual;
	sum->rounding += c->rounding;
	sum->row_gaps += certificate_gap(c);
	sum->n_violators += c->n_violators;
	sum->n_sv += c->n_sv;
	sum->n_bounded_sv += c->n_bounded_sv;
	sum->indefinite |= !certificate_proves(c);
}

double certificate_gap(const struct certificate *c)
{
	double difference = c->primal - c->dual + 2 * c->rounding;

	return c->row_gaps > 0 && !isnan(difference) ? fmin(difference, c->row_gaps) : difference;
}

double certificate_relative_gap(const struct certificate *c)
{
	if (c->primal == 0)
		return c->dual == 0 ? 0 : -c->dual * INFINITY;
	return certificate_gap(c) / fabs(c->primal);
}

bool certificate_is_below_dual(const struct certificate *c)
{
	return c->primal - c->dual < -2 * c->rounding - 1e-6 * fabs(c->dual);
}

bool certificate_proves(const struct certificate *c)
{
	return !c->indefinite && !certificate_is_below_dual(c);
}

bool certificate_gap_is_within(double primal, double dual, double relative)
{
	return fabs(primal - dual) <= relative * fabs(primal);
}

/* Breakpoint of the slope of (2) in b, step (3): where the slope grows, and by how much */
struct breakpoint {
	double b, growth;
};

/* The middle one of three numbers, as a pivot. */
static double median_of_three(double x, double y, double z)
{
	return fmax(fmin(x, y), fmin(fmax(x, y), z));
}

static void swap(struct breakpoint *x, struct breakpoint *y)
{
	struct breakpoint old = *x;

	*x = *y;
	*y = old;
}

/*
 * Reorder the points: first those below the pivot (n_below), then those at the pivot (n_at), then
 * the rest.
 */
static void partition(struct breakpoint *point, int64_t n, double pivot, int64_t *n_below,
		      int64_t *n_at)
{
	int64_t below = 0, k = 0, above = n;

	while (k < above)
		if (point[k].b < pivot)
			swap(&point[below++], &point[k++]);
		else if (point[k].b > pivot)
			swap(&point[k], &point[--above]);
		else
			k++;
	*n_below = below;
	*n_at = above - below;
}

/* Sum by which n breakpoints together raise the slope. */
static double sum_growth(const struct breakpoint *point, int64_t n)
{
	double sum = 0;

	for (int64_t k = 0; k < n; k++)
		sum += point[k].growth;
	return sum;
}

/*
 * (4): the first breakpoint, in ascending order, where a slope that starts with 'slope' is not
 * negative any more, or the last.  A turn looks at the points around a pivot, and goes on with
 * those below it, with 'slope' as it is, or with those above, 'slope' having passed all others.
 * n > 0; reorders the points.  Median of three: points in order, as of a sorted file, cost no more.
 */
static double find_turn(struct breakpoint *point, int64_t n, double slope)
{
	for (;;) {
		double pivot = median_of_three(point[0].b, point[n / 2].b, point[n - 1].b);
		double growth_below, growth_at;
		int64_t n_below, n_at;

		partition(point, n, pivot, &n_below, &n_at);
		growth_below = sum_growth(point, n_below);
		growth_at = sum_growth(point + n_below, n_at);
		if (n_below > 0 && slope + growth_below >= 0) {
			n = n_below;
		} else if (n_below + n_at == n || slope + growth_below + growth_at >= 0) {
			return pivot;
		} else {
			slope += growth_below + growth_at;
			point += n_below + n_at;
			n -= n_below + n_at;
		}
	}
}

/* Number of breakpoints, (3): one for each row of C-SVC, two for each row of a regression. */
static int64_t n_breakpoints(const struct problem_view *p)
{
	return p->type == MACHINE_EPSILON_SVR ? 2 * p->n : p->n;
}

/*
 * List all breakpoints of (2), for the caller to release, and the slope left of all; NULL on
 * failure.
 */
static struct breakpoint *make_breakpoints(const struct problem_view *p, const double *f,
					   double *slope, struct error *err)
{
	bool regression = p->type == MACHINE_EPSILON_SVR;
	struct breakpoint *point = mem_array(n_breakpoints(p), sizeof(*point), err);
	int64_t k = 0;

	if (!point)
		return NULL;
	*slope = 0;
	for (int64_t i = 0; i < p->n; i++) {
		double c = problem_c(p, i), at = p->target[i] - f[i];

		point[k++] = (struct breakpoint){ at - p->epsilon, c };
		if (regression)
			point[k++] = (struct breakpoint){ at + p->epsilon, c };
		if (regression || p->target[i] > 0)
			*slope -= c;
	}
	return point;
}

/* Least b that minimises (2). */
static int best_bias(const struct problem_view *p, const double *f, double *b, struct error *err)
{
	double slope;
	struct breakpoint *point = make_breakpoints(p, f, &slope, err);

	if (!point)
		return -1;
	*b = find_turn(point, n_breakpoints(p), slope);
	mem_free(point);
	return 0;
}

/*
 * Derivative in b of half the sum of squared losses, and the second derivative in '*growth'
 *
 * Both are sums over the rows with a loss; the first is continuous and ascends.
 */
static double squared_slope(const struct problem_view *p, const double *f, double b, double *growth)
{
	const bool classifies = p->type == MACHINE_C_SVC;
	double slope = 0;

	*growth = 0;
	for (int64_t i = 0; i < p->n; i++) {
		double t = p->target[i], at = f[i] + b, c = problem_c(p, i);
		double loss = classifies ? 1 - t * at : fabs(t - at) - p->epsilon;
		bool rises = classifies ? t < 0 : t < at;

		slope += !(loss > 0) ? 0 : rises ? c * loss : -c * loss;
		*growth += loss > 0 ? c : 0;
	}
	return slope;
}

/*
 * Limit of steps of squared_bias(): bisection alone takes some 60 until the interval's ends are
 * neighbours.
 */
#define MOST_STEPS 100

/*
 * The b of squared losses between 'low' and 'high', whose slopes are not above and not below 0
 *
 * Newton's method, and bisection where it would leave the interval.  The slope is made of straight
 * pieces, so a step within the right piece is exact.
 */
static double squared_bias(const struct problem_view *p, const double *f, double low, double high)
{
	double b = (low + high) / 2;

	for (int k = 0; k < MOST_STEPS; k++) {
		double growth, slope = squared_slope(p, f, b, &growth), next;

		if (slope == 0)
			break;
		if (slope < 0)
			low = b;
		else
			high = b;
		next = b - slope / growth;
		if (!(next > low && next < high))
			next = (low + high) / 2;
		if (fabs(next - b) <= DBL_EPSILON * fabs(b))
			break;
		b = next;
	}
	return b;
}

/*
 * Share of all slopes' growth below which a slope is 0, but for rounding: each C_i is far above it.
 */
#define FLAT 1e-12

/*
 * Largest b that minimises (2): where (2) has its least value between two breakpoints, as without
 * any loss, this is the first breakpoint of the mirror image, in -b, whose slope begins with minus
 * the last slope of (2).
 */
int certificate_bias(const struct problem_view *p, const double *f, double *b, struct error *err)
{
	int64_t n = n_breakpoints(p);
	double slope, growth, least, low = INFINITY, high = -INFINITY;
	struct breakpoint *point = make_breakpoints(p, f, &slope, err);

	if (!point)
		return -1;
	growth = sum_growth(point, n);
	for (int64_t k = 0; k < n; k++) {
		low = fmin(low, point[k].b);
		high = fmax(high, point[k].b);
	}
	/* the slopes are raised by a rounding's worth: one that should be 0 counts as 0 */
	least = find_turn(point, n, slope + FLAT * growth);
	for (int64_t k = 0; k < n; k++)
		point[k].b = -point[k].b;
	*b = (least - find_turn(point, n, -(slope + growth) + FLAT * growth)) / 2;
	/* without any loss the squares have the same minimum, and the same middle */
	if (p->squared_loss && squared_slope(p, f, *b, &growth) != 0)
		*b = squared_bias(p, f, low, high);
	mem_free(point);
	return 0;
}

/*
 * Threshold that minimises (6), of the rows that can be above 0 ('plus') or below: the first point
 * where the slope of (6) turns.  Left unchanged where there are no such rows, or no sum of theirs.
 */
static void find_threshold(const struct problem_view *p, const double *f, bool plus,
			   struct breakpoint *point, double *threshold)
{
	double sum = plus ? p->sum_plus : p->sum_minus, slope = plus ? sum : -sum;
	int64_t n = 0;

	for (int64_t i = 0; i < p->n; i++) {
		double bound = plus ? problem_upper(p, i) : -problem_lower(p, i);

		if (!(bound > 0))
			continue;
		point[n++] = (struct breakpoint){ problem_linear(p, i) - f[i], bound };
		if (plus)
			slope -= bound;
	}
	if (n > 0 && sum > 0)
		*threshold = find_turn(point, n, slope);
}

/* Thresholds that minimise (6); those of 'x' where (6) does not depend on them. */
static int best_thresholds(const struct problem_view *p, const struct iterate *x,
			   struct certificate_witness *best, struct error *err)
{
	struct breakpoint *point = mem_array(p->n, sizeof(*point), err);

	if (!point)
		return -1;
	/* each threshold stands alone in (6), so one array of breakpoints serves both in turn */
	*best = (struct certificate_witness){ 1, x->epsilon - x->rho, -x->epsilon - x->rho };
	find_threshold(p, x->f, true, point, &best->plus);
	find_threshold(p, x->f, false, point, &best->minus);
	mem_free(point);
	return 0;
}

int certificate_thresholds(const struct problem_view *p, struct iterate *x, struct error *err)
{
	struct certificate_witness best;

	if (best_thresholds(p, x, &best, err) < 0)
		return -1;
	if (p->type == MACHINE_ONE_CLASS)
		best.minus = best.plus;
	x->rho = -(best.plus + best.minus) / 2;
	x->epsilon = (best.plus - best.minus) / 2;
	/* nu-SVR's sums being limits, a tube has no width below 0 */
	if (p->type == MACHINE_NU_SVR)
		x->epsilon = fmax(x->epsilon, 0);
	return 0;
}

/* Multiple of w and of the thresholds whose P is least, (7); 0 where none is below P = 0 */
static void take_multiple(const struct problem_view *p, const struct iterate *x,
			  struct certificate_witness *best)
{
	double square = certificate_square(p, x->beta, x->f);
	double rest = certificate_primal_at(p, x->beta, x->f, best) - square / 2;
	double scale = square > 0 && rest < 0 ? -rest / square : 0;

	/* a regression has targets other than 0: multiples of w then have another linear part */
	if (machine_is_regression(p->type) || !isfinite(scale))
		return;
	*best = (struct certificate_witness){ scale, scale * best->plus, scale * best->minus };
}

/*
 * Find a separating multiple of w, (5); false where f does not separate the classes, or |w|^2 is
 * not positive
 */
static bool find_separating(const struct problem_view *p, const struct iterate *x,
			    struct certificate_witness *at)
{
	double above = INFINITY, below = -INFINITY;

	if (p->type != MACHINE_C_SVC || !(certificate_square(p, x->beta, x->f) > 0))
		return false;
	for (int64_t i = 0; i < p->n; i++)
		if (p->target[i] > 0)
			above = fmin(above, x->f[i]);
		else
			below = fmax(below, x->f[i]);
	/*
	 * multiplied by s, the f of the nearest rows of the two classes are 2 apart: no row has a
	 * loss
	 */
	at->scale = 2 / (above - below);
	at->plus = at->minus = -at->scale * (above + below) / 2;
	return above > below && at->scale > 0 && isfinite(at->plus);
}

double certificate_row_violation(const struct problem_view *p, int64_t i, double beta,
				 double f_plus_b)
{
	double g = problem_linear(p, i) - f_plus_b - problem_softness(p, i) * beta;
	/* slope of -epsilon |beta| on the side to which beta would move */
	double up = beta < 0 ? g + p->epsilon : g - p->epsilon;
	double down = beta > 0 ? g - p->epsilon : g + p->epsilon, worst = -INFINITY;

	/* the comparisons are such that NAN is worse than any number */
	if (beta < problem_upper(p, i) && !(up <= worst))
		worst = up;
	if (beta > problem_lower(p, i) && !(-down <= worst))
		worst = -down;
	return worst;
}

bool certificate_row_violates(const struct problem_view *p, int64_t i, double beta, double f_plus_b,
			      double tolerance)
{
	return !(certificate_row_violation(p, i, beta, f_plus_b) <= tolerance);
}

bool certificate_separates(const struct problem_view *p, const struct certificate_witness *at)
{
	return p->type == MACHINE_C_SVC && at->scale != 1;
}

/* Primal P at 'at'; a separating witness has no loss by its construction, but for rounding. */
static double primal_at(const struct problem_view *p, const struct iterate *x,
			const struct certificate_witness *at)
{
	if (certificate_separates(p, at))
		return at->scale * at->scale * certificate_square(p, x->beta, x->f) / 2;
	/* where numbers overflow to none P bounds nothing */
	return fmin(certificate_primal_at(p, x->beta, x->f, at), INFINITY);
}

int certificate_find_witness(const struct problem_view *p, const struct iterate *x,
			     struct certificate_witness *least, struct error *err)
{
	struct certificate_witness separating;
	double b = -x->rho;

	if (problem_fixes_sums(p)) {
		if (best_thresholds(p, x, least, err) < 0)
			return -1;
		take_multiple(p, x, least);
		return 0;
	}
	if (!p->squared_loss && best_bias(p, x->f, &b, err) < 0)
		return -1;
	*least = (struct certificate_witness){ 1, b + p->epsilon, b - p->epsilon };
	if (find_separating(p, x, &separating) &&
	    primal_at(p, x, &separating) < primal_at(p, x, least))
		*least = separating;
	return 0;
}

/* Relative error of kernel values that are read: files may have six digits. */
#define FILED_VALUE 1e-6

double certificate_lengths(const struct problem_view *p, const double *beta)
{
	double lengths = 0;

	for (int64_t i = 0; i < p->n; i++)
		lengths += fabs(beta[i]) * sqrt(fabs(problem_diagonal(p, i)));
	return lengths;
}

void certificate_drop_rounding(const struct problem_view *p, const double *beta,
			       struct certificate *c)
{
	double lengths = p->type == MACHINE_ONE_CLASS ? certificate_lengths(p, beta) : 0;
	double norm = CERTIFICATE_ROUNDED * lengths, least = norm * norm / 2;
	double unit = p->kernel.type == KERNEL_PRECOMPUTED ? FILED_VALUE : CERTIFICATE_ROUNDED;

	if (p->type != MACHINE_ONE_CLASS || fabs(c->primal) > least ||
	    fabs(c->dual) > fmax(unit * lengths * lengths, c->rounding))
		return;
	c->rounding = fmax(unit * lengths * lengths, c->rounding + fabs(c->dual));
	c->primal = c->dual = 0;
}

bool certificate_separates_nothing(enum machine_type type, const struct certificate *c)
{
	return type == MACHINE_ONE_CLASS && c->primal == 0 && c->dual <= 0;
}

int64_t certificate_count_violators(const struct problem_view *p, const struct iterate *x,
				    double tolerance)
{
	const struct problem_view at = problem_at(p, x);
	int64_t n = 0;

	for (int64_t i = 0; i < p->n; i++)
		n += certificate_row_violates(&at, i, x->beta[i], x->f[i] - x->rho, tolerance);
	return n;
}

int certificate_make(const struct problem_view *p, const struct iterate *x, double tolerance,
		     struct certificate *c, struct error *err)
{
	const double *beta = x->beta, *f = x->f;

	*c = (struct certificate){ 0 };
	if (certificate_find_witness(p, x, &c->witness, err) < 0)
		return -1;
	c->primal = primal_at(p, x, &c->witness);
	c->dual = certificate_dual(p, beta, f);
	c->indefinite = !problem_is_definite(p);
	c->n_violators = certificate_count_violators(p, x, tolerance);
	for (int64_t i = 0; i < p->n; i++) {
		c->n_sv += beta[i] != 0;
		c->n_bounded_sv += beta[i] != 0 && fabs(beta[i]) >= problem_bound(p, i);
		c->sum_abs_beta += fabs(beta[i]);
	}
	return 0;
}

/*
 * Relative gaps from which on a solution is doubted, and from which on it tells nothing: beta = 0
 * has a gap of 1.
 */
#define DOUBTED_GAP 0.5
#define VOID_GAP 0.99

/*
 * Rounding of a decision value beyond which no solver keeps the usual tolerance, 0.001: C K(x, x)
 * above 4e12.  Data that are separable may be solved all the same, with multipliers far below C, so
 * that this alone is no reason to doubt a solution.
 */
#define VOID_ROUNDING 1e-3

double certificate_excess(const struct problem_view *p)
{
	const double product = problem_largest_diagonal(p) * problem_largest_c(p);

	return DBL_EPSILON * product > VOID_ROUNDING ? product : 0;
}

void certificate_drop_excess(struct certificate *c)
{
	/* a gap that is no number proves nothing */
	if (c->n_violators == 0 && certificate_relative_gap(c) <= DOUBTED_GAP)
		c->excess = 0;
}

bool certificate_is_finite(const struct certificate *c)
{
	/* where P is 0 no gap is relative to it */
	double gap = c->primal == 0 ? 2 * c->rounding - c->dual : certificate_relative_gap(c);

	/* a bound of rounding that is no number bounds nothing */
	return isfinite(c->primal) && !isnan(c->rounding) &&
	       (c->dual == -INFINITY || isfinite(gap));
}

bool certificate_is_doubted(const struct certificate *c)
{
	struct certificate computed = *c;

	computed.rounding = computed.row_gaps = 0;
	/* a gap that is no number is one above it */
	return c->excess > 0 && c->n_violators > 0 &&
	       !(certificate_relative_gap(&computed) <= DOUBTED_GAP);
}

bool certificate_is_void(const struct certificate *c)
{
	return certificate_is_doubted(c) && certificate_relative_gap(c) >= VOID_GAP;
}

int certificate_check(const struct certificate *c, const char *whose, struct error *err)
{
	if (!certificate_is_finite(c))
		return error_set(err, ERR_NUMERIC,
				 "no finite solution%s: primal = %g, dual = %g%s; scale the data, "
				 "or try a smaller C",
				 whose, c->primal, c->dual,
				 isfinite(c->primal) && isfinite(c->dual) ?
					 ", whose rounding errors are too much for doubles" :
					 "");
	if (certificate_is_void(c))
		return error_set(err, ERR_NUMERIC,
				 "no solution%s: C times the largest kernel value is %g, too much "
				 "for doubles; scale the data, or try a smaller C",
				 whose, c->excess);
	return 0;
}

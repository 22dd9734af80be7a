/*
 * rfe_machine.c - the linear machines that recursive elimination trains: C-SVC or epsilon-SVR; and
 * what features add to their weights (rfe) or to their radius-margin bound (rmb)
 *
 * How this works.  A step of the elimination drops features of small weight, so that the machine
 * changes little: the multipliers beta of the step before are feasible, and nearly optimal.  With
 * the products X X' at hand, which the elimination keeps up to date, SMO goes on from there on a
 * working set:
 *
 *  (1) Members are the examples whose multipliers may have to move: the free ones, and those that
 *      are less than REACH from violating their condition.  Members stay members.
 *  (2) SMO optimises the members; then f += (X X') (beta' - beta) for all rows, one row of products
 *      for each multiplier that changed.
 *  (3) Non-members that violate now are counted.  If there are any, (1) again, which takes them in.
 *  (4) The whole solution is to be within eps of its conditions.  Members get 1 - OUTSIDE_SHARE of
 *      eps, non-members the rest: their f has moved with a constant rho that is itself uncertain by
 *      the members' share.
 *
 * Working on all examples instead would have SMO scan multipliers that stay at their bounds: most.
 *
 * Without products (more rows than features, or too many of them), and where pair steps come to no
 * end, the machine is trained by exact_solve_linear(), whose Newton method works on the sparse
 * rows.
 *
 * Of several classes each pair has a machine.  They are trained one after the other, each in the
 * same memory; what one leaves are its multipliers and its constant rho.  Its weights, and of these
 * the f of the features left, are made of them anew (5).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/rfe_machine.h"

#include "geometry/ball.h"
#include "matrix/blas.h"
#include "problem/solution.h"
#include "proof/certificate.h"
#include "smo/smo.h"
#include "source/matrix_source.h"
#include "train/exact.h"

/* Pair steps for each example before the Newton method is tried: they may have no end. */
#define STEPS_PER_EXAMPLE 100

/*
 * How far from violating its condition an example is optimised all the same.  Decision values are
 * in units of the margin, 1: more of it makes the set larger, less of it makes more rounds of (3).
 */
#define REACH 0.5

/* Share of eps by which examples outside the working set may violate condition (4). */
#define OUTSIDE_SHARE 0.25

/* Kernel cache in 2^20 bytes: its rows are copies of rows of X X', and all of them may be kept. */
#define CACHE_MB 1024

/* One machine during its training. */
struct rfe_machine {
	struct rfe_machines *all;
	struct problem_view problem; /* problem whose rows are those of the step */
	const double *products;	     /* products X X' of the step, or NULL */
	double *beta;		     /* multipliers of the machine's examples */
	double *rho;
	/* decision values of all rows; kept up to date for the machine's examples only */
	double *f;
};

/* May a multiplier leave 0?  Not if all could only grow, or only fall, as their sum stays 0. */
static bool has_both_sides(const struct problem_view *p)
{
	bool positive = false, negative = false;

	/* multipliers sum to 0, so that those of one sign alone cannot leave 0 */
	for (int64_t i = 0; i < p->n; i++) {
		positive = positive || problem_upper(p, i) > 0;
		negative = negative || problem_lower(p, i) < 0;
	}
	return positive && negative;
}

/* A problem with products X X', optimised on a working set that grows. */
struct pair_training {
	struct rfe_machine *m;
	const struct problem_view *p; /* problem of the machine */
	struct smo smo;
	bool *is_member; /* membership in the working set, n */
	double *beta;	 /* multipliers of the n examples */
	double *f;	 /* decision values for SMO, which leaves them undefined */
};

static int pair_training_init(struct pair_training *t, struct error *err)
{
	t->is_member = mem_zeroed(t->p->n, sizeof(*t->is_member), err);
	/* SMO changes these beta and f; those of the machine change when a round is over */
	t->beta = mem_copy(t->m->beta, t->p->n, sizeof(*t->beta), err);
	t->f = mem_array(t->p->n, sizeof(*t->f), err);
	if (!t->is_member || !t->beta || !t->f || blas_load(err) < 0)
		return -1;
	return smo_init(&t->smo, t->p, CACHE_MB, t->m->all->n_threads, interruption_of_scope(),
			err);
}

/* Does an example violate its condition by more than the tolerance? */
static bool violates(const struct pair_training *t, int64_t i, double tolerance)
{
	return certificate_row_violates(t->p, i, t->beta[i], t->m->f[t->p->row[i]] - *t->m->rho,
					tolerance);
}

/* Step (3): number of non-members that violate their condition by more than the tolerance. */
static int64_t count_violators(const struct pair_training *t, double tolerance)
{
	int64_t n = 0;

	for (int64_t i = 0; i < t->p->n; i++)
		n += !t->is_member[i] && violates(t, i, tolerance);
	return n;
}

/* Step (2): f += (X X')(beta' - beta), with a row of products for each multiplier that changed. */
static void update_values(struct pair_training *t)
{
	double *beta = t->m->beta;
	int64_t n_rows = t->p->x->n_rows;

	for (int64_t i = 0; i < t->p->n; i++) {
		int64_t row = t->p->row[i];

		/* only multipliers that changed cost a row of products */
		if (t->beta[i] != beta[i])
			blas_add_scaled(t->m->f, n_rows, t->beta[i] - beta[i],
					t->m->products + row * n_rows);
		beta[i] = t->beta[i];
	}
}

/* Steps (1) to (3) until no non-member violates its condition; 1 if the pair steps do not end. */
static int optimise(struct pair_training *t, struct error *err)
{
	struct rfe_machine *m = t->m;
	const double eps = m->all->training.eps;
	/* the constant of the step before is as good a start as its multipliers */
	struct iterate x = { .beta = t->beta, .f = t->f, .rho = *m->rho };
	int64_t limit = STEPS_PER_EXAMPLE * t->p->n;
	int ret;

	do {
		/*
		 * (1): examples with a violation above -REACH join; a free multiplier's at the
		 * optimum is 0.  Those of the problem are some of all rows, in the order of p->row.
		 */
		for (int64_t i = 0; i < t->p->n; i++) {
			t->is_member[i] = t->is_member[i] || violates(t, i, -REACH);
			t->f[i] = m->f[t->p->row[i]];
		}
		if (smo_set_members(&t->smo, t->is_member, err) < 0)
			return -1;
		/* rule (4): members and non-members each have a share of eps */
		/* steps may take the limit of all rounds together, less those of earlier rounds */
		ret = smo_run(&t->smo, 1, (1 - OUTSIDE_SHARE) * eps, limit - x.n_iterations, &x,
			      err);
		*m->rho = x.rho;
		if (ret < 0)
			return -1;
		update_values(t);
	} while (ret == 0 && count_violators(t, OUTSIDE_SHARE * eps) > 0);
	m->all->n_iterations += x.n_iterations;
	return ret;
}

/* Train by pair steps from m->beta and m->f, which both change; 1 if the steps do not end. */
static int train_by_pairs(struct rfe_machine *m, struct error *err)
{
	int64_t n = m->problem.x->n_rows;
	struct kernel_matrix matrix = { .n = n, .stride = n, .double_value = m->products };
	/*
	 * values are rounded to floats, which SMO's kernel rows are of; it computes no diagonal
	 * from elsewhere
	 */
	struct matrix_source source = matrix_source_of_doubles(&matrix, NULL, true);
	struct pair_training t = { .m = m, .p = &m->problem };
	int ret = -1;

	m->problem.source = &source.base;
	if (pair_training_init(&t, err) == 0)
		ret = optimise(&t, err);
	smo_free(&t.smo);
	mem_free_all(t.is_member, t.beta, t.f);
	/* the source is a variable of this function and must not outlive it */
	m->problem.source = NULL;
	return ret;
}

/* Train by the sparse rows, without a start: m->beta is an output only. */
static int train_by_rows(struct rfe_machine *m, struct error *err)
{
	const struct rfe_machines *all = m->all;
	const struct solver solver = smo_solver(CACHE_MB, all->n_threads);
	struct randsvm_options options = { .mode = WORKING_SET_EXACT,
					   .seed = all->seed,
					   .eps = all->training.eps,
					   .n_threads = all->n_threads };
	/* the Newton method on the rows starts from nothing: m->beta is overwritten */
	struct randsvm_task task = { .p = &m->problem,
				     .solver = &solver,
				     .options = &options,
				     .x = { .beta = m->beta,
					    .f = mem_array(m->problem.n, sizeof(double), err) } };
	int ret = -1;

	if (task.x.f)
		ret = exact_solve_linear(&task, err);
	if (ret == 0) {
		m->all->n_iterations += task.x.n_iterations;
		*m->rho = task.x.rho;
	}
	mem_free(task.x.f);
	return ret;
}

/* Weights by (5): w = sum_i beta_i x_i, for the columns left. */
static void sum_weights(const struct rfe_machine *m, double *w)
{
	const struct problem_view *p = &m->problem;

	memset(w, 0, (size_t)p->x->n_cols * sizeof(*w));
	for (int64_t i = 0; i < p->n; i++)
		csr_add_row(p->x, p->row[i], m->beta[i], w);
}

/* Share of sum_i |beta_i| |x_i| below which |w| is rounding, as for certificate_drop_rounding(). */
#define ROUNDED_SUM (16 * DBL_EPSILON)

/* Train a machine from m->beta and *m->rho, which change; 'w' becomes its weights. */
static int train_machine(struct rfe_machine *m, double *w, struct error *err)
{
	const int64_t d = m->problem.x->n_cols;
	double rounding;
	int ret = 1;

	/* one side alone: beta stays 0, the only feasible point */
	if (!has_both_sides(&m->problem)) {
		sum_weights(m, w);
		return 0;
	}
	/* weights and decision values of the columns left follow from the multipliers by (5) */
	if (m->products) {
		sum_weights(m, w);
		/* values of other rows stay as they are: no machine of this pair reads them */
		for (int64_t i = 0; i < m->problem.n; i++)
			m->f[m->problem.row[i]] = csr_row_dot(m->problem.x, m->problem.row[i], w);
		ret = train_by_pairs(m, err);
	}
	/* sparse rows serve where there are no products, or pair steps do not end */
	if (ret == 1 && interruption_check(err) == 0)
		ret = train_by_rows(m, err);
	if (ret >= 0 && interruption_check(err) < 0)
		return -1;
	/* the visitor gets the w of the multipliers found */
	sum_weights(m, w);
	/*
	 * weights that are what rounding leaves of 0 become 0: where the multipliers of both classes
	 * weigh the same rows, as with all of them at C, or the same means, features would be told
	 * apart by it
	 */
	rounding = ROUNDED_SUM * certificate_lengths(&m->problem, m->beta);
	if (squared_norm(w, d) <= rounding * rounding)
		memset(w, 0, (size_t)d * sizeof(*w));
	return ret;
}

/* ---- the machines of a data set ---- */

int rfe_machines_init(struct rfe_machines *all, const struct dataset *d, const struct training *t,
		      struct error *err)
{
	int64_t n_rows = d->x.n_rows, n_beta = n_rows;

	*all = (struct rfe_machines){ .n = 1, .data = d, .training = *t, .n_threads = 1 };
	/* a classification has a machine for each pair of classes, a regression has one */
	if (t->type != MACHINE_EPSILON_SVR) {
		if (classes_init(&all->classes, d, err) < 0)
			return -1;
		all->n = solution_n_pairs(all->classes.n);
		/* each example is in k - 1 of the machines, and has a multiplier in each */
		n_beta = n_rows * (all->classes.n - 1);
	}
	all->beta = mem_zeroed(n_beta, sizeof(*all->beta), err);
	all->rho = mem_zeroed(all->n, sizeof(*all->rho), err);
	return all->beta && all->rho ? 0 : -1;
}

void rfe_machines_free(struct rfe_machines *all)
{
	classes_free(&all->classes);
	mem_free_all(all->beta, all->rho);
	*all = (struct rfe_machines){ 0 };
}

/*
 * Train the machine of a pair, or of the regression, with the multipliers at m->beta, and move m->beta
 * behind them.
 */
static int train_pair(struct rfe_machine *m, struct class_choice pair, const struct rfe_step *step,
		      const struct rfe_visitor *visitor, double *w, struct error *err)
{
	const struct rfe_machines *all = m->all;
	const bool classifies = all->training.type != MACHINE_EPSILON_SVR;
	struct problem p = { 0 };
	int ret = classes_pair_problem(&p, classifies ? &all->classes : NULL, pair, all->data,
				       &all->training, err);

	/* the problem's rows are those of the step, with the columns that are left */
	m->problem = p.view;
	m->problem.kernel = (struct kernel){ .type = KERNEL_LINEAR };
	m->problem.x = step->x;
	if (ret == 0)
		ret = train_machine(m, w, err);
	if (ret == 0)
		ret = visitor->visit(visitor->arg, &m->problem, w, visitor->score, err);
	/* the multipliers of the next machine follow those of this one */
	m->beta += p.view.n;
	problem_free(&p);
	return ret;
}

int rfe_machines_train(struct rfe_machines *all, const struct rfe_step *step,
		       const struct rfe_visitor *visitor, struct error *err)
{
	double *w = mem_array(step->x->n_cols, sizeof(*w), err);
	double *f = mem_zeroed(step->x->n_rows, sizeof(*f), err);
	struct rfe_machine m = {
		.all = all, .products = step->gram, .beta = all->beta, .rho = all->rho, .f = f
	};
	struct class_choice pair = { 0, 1, false };
	int ret = w && f ? 0 : -1;

	for (int64_t k = 0; k < all->n && ret == 0; k++, m.rho++) {
		ret = train_pair(&m, pair, step, visitor, w, err);
		/* (0, 1), (0, 2), ..., (1, 2), ...: the pairs in LIBSVM's order */
		if (++pair.b == all->classes.n)
			pair.b = ++pair.a + 1;
	}
	mem_free_all(w, f);
	return ret;
}

/* ---- scores ---- */

/* Visitor of rfe_machines_train(): adds w_j^2 of one machine to the scores. */
static int add_squares(void *arg UNUSED, const struct problem_view *p, const double *w,
		       double *score, struct error *err UNUSED)
{
	for (int64_t j = 0; j < p->x->n_cols; j++)
		score[j] += w[j] * w[j];
	return 0;
}

int rfe_machines_score(void *arg, const struct rfe_step *step, double *score, struct error *err)
{
	const struct rfe_visitor visitor = { add_squares, NULL, score };

	memset(score, 0, (size_t)step->x->n_cols * sizeof(*score));
	return rfe_machines_train(arg, step, &visitor, err);
}

/* ---- The radius-margin bound ---- */

/*
 * How this works.  Both factors of the bound are maxima over multipliers,
 *
 *     R^2   = max_u  sum_i u_i |x_i|^2 - |sum_i u_i x_i|^2,     u_i >= 0 of sum 1     (6)
 *     |w|^2 = max_a  2 sum_i a_i (1 - xi_i) - |sum_i a_i y_i x_i|^2                   (7)
 *
 * (7) being the machine whose margins are 1 - xi_i with the slacks xi_i of the soft one: its
 * solution is the same w, and its multipliers are those of the soft machine.  The derivative of a
 * maximum is that with the multipliers held, so with values of feature j times sqrt(s_j)
 *
 *     dR^2/ds_j = sum_i u_i x_ij^2 - c_j^2 = V_j,     d|w|^2/ds_j = -w_j^2            (8)
 *
 * A feature adds V_j to R^2 = sum_j V_j, and w_j^2 to |w|^2; the product rule makes the change.
 *
 * The features that change the bound least go first, whichever way they change it, as rfe drops
 * those that change |w|^2 least.  Dropping first what lowers the bound most was tried: it keeps
 * features that are nearly constant, whose change is 0, and drops those that tell the classes apart
 * but make the ball wide.  With 50 of 3289 words (pcmac, three folds) it had errors of 42 %; the
 * size of the change has 14 %, rfe 12 %.
 *
 * Taking out a feature altogether with the multipliers held would add -w_j^2 V_j.  That term is
 * left out: the multipliers held are far from those of the machine without the feature, where it
 * makes most of R^2 and of |w|^2 alone.
 */

/*
 * Of the radius.  The centre is then within 2e-3 R of its place, and V_j is right to as much of R^2
 * in all; with 1e-4 it would be 2e-2, and choices would differ from the exact ones more often.
 */
#define TOLERANCE 1e-6

/* Sums, for a column, over the rows that form the centre of the ball. */
struct spread {
	double centre;	/* coordinate c_j of the centre */
	double v;	/* spread V_j */
	double left;	/* sum of u_i over the rows without an entry in the column */
	int64_t n_used; /* number of rows with an entry in the column */
};

/* Centre c_j of each column, and the weight of the rows that are 0 in the column. */
static void add_centre(struct spread *s, const struct csr *x, const struct ball_centre *ball)
{
	for (int64_t j = 0; j < x->n_cols; j++)
		/* weights u_i sum to 1; those of rows with an entry are subtracted below */
		s[j] = (struct spread){ .left = 1 };
	for (int64_t i = 0; i < ball->n; i++) {
		const struct csr_row row = csr_row_of(x, ball->row[i]);

		for (int64_t k = 0; k < row.n; k++) {
			struct spread *column = &s[row.col[k]];

			column->centre += ball->weight[i] * row.val[k];
			column->left -= ball->weight[i];
			column->n_used++;
		}
	}
	/* rounding may have made the remaining weight negative */
	for (int64_t j = 0; j < x->n_cols; j++)
		s[j].left = s[j].n_used == ball->n ? 0 : fmax(s[j].left, 0);
}

/* Spread V_j by (8), as sums of squares, which do not cancel for values far from 0; returns R^2. */
static double measure(struct spread *s, const struct csr *x, const struct ball_centre *ball)
{
	double radius2 = 0;

	/* the centre c, and for each column the weight of the rows that are 0 there */
	add_centre(s, x, ball);
	for (int64_t j = 0; j < x->n_cols; j++)
		/* rows that are 0 in column j are at the distance c_j from the centre there */
		s[j].v = s[j].left * s[j].centre * s[j].centre;
	for (int64_t i = 0; i < ball->n; i++) {
		const struct csr_row row = csr_row_of(x, ball->row[i]);

		for (int64_t k = 0; k < row.n; k++) {
			struct spread *column = &s[row.col[k]];
			const double difference = row.val[k] - column->centre;

			column->v += ball->weight[i] * difference * difference;
		}
	}
	for (int64_t j = 0; j < x->n_cols; j++)
		/* R^2 is the weighted mean of squared distances */
		radius2 += s[j].v;
	return radius2;
}

/* Find the ball around the machine's rows, and its V_j and R^2. */
static int enclose(struct spread *s, const struct problem_view *p, const struct csr *x,
		   int n_threads, double *radius2, struct error *err)
{
	const struct ball_options options = { TOLERANCE, n_threads };
	struct ball_centre centre = { 0 };
	struct ball ball;
	struct csr rows = { 0 };
	/* the ball holds the rows of this machine alone, in the columns that are left */
	int ret = csr_gather(&rows, x, p->row, p->n, err);

	if (ret == 0)
		ret = ball_enclose(&ball, &centre, &rows, &options, err);
	if (ret == 0)
		*radius2 = measure(s, &rows, &centre);
	ball_centre_free(&centre);
	csr_free(&rows);
	return ret;
}

int radius_margin_add(void *arg, const struct problem_view *p, const double *w, double *score,
		      struct error *err)
{
	struct radius_margin *r = arg;
	int64_t d = p->x->n_cols;
	double norm2 = squared_norm(w, d), radius2 = 0;
	struct spread *s;
	int ret;

	r->norm2 += norm2;
	/* with w = 0 the bound R^2 |w|^2 is 0, and no feature changes it */
	if (norm2 == 0)
		return 0;
	s = mem_array(d, sizeof(*s), err);
	ret = s ? enclose(s, p, p->x, r->n_threads, &radius2, err) : -1;
	for (int64_t j = 0; j < d && ret == 0; j++)
		/*
		 * (8): the derivative of R^2 |w|^2 is |w|^2 V_j - R^2 w_j^2, of which the size
		 * counts
		 */
		score[j] += fabs(radius2 * w[j] * w[j] - norm2 * s[j].v);
	mem_free(s);
	return ret;
}

int radius_margin_scores(void *arg, const struct rfe_step *step, double *score, struct error *err)
{
	const struct rfe_visitor visitor = { radius_margin_add, arg, score };
	struct radius_margin *r = arg;

	memset(score, 0, (size_t)step->x->n_cols * sizeof(*score));
	/* |w|^2 is summed over the machines of this step alone */
	r->norm2 = 0;
	return rfe_machines_train(r->machines, step, &visitor, err);
}

/*
 * linear_judge.c - how good multipliers are, and the best so far
 *
 * An outer step ends with w, b and proximal points 'prox' that agree only as far as its Newton
 * method went: sum prox is not 0, and w is not sum prox_i x_i.  What the caller gets must be
 * feasible, with f from the multipliers alone.  So a copy, the trial, is
 *
 *     1. repaired: inside its bounds, sum 0 (linear_repair.c)
 *     2. measured: w = sum trial_i x_i, f = X w, rho, then
 *
 *            violation = max up - min down,   gap = (P(w, -rho) - D(trial)) / P
 *
 *     3. where the violation is above eps: polished, so that its w is that of the Newton method
 *        (linear_polish()), repaired and measured again
 *
 * and the best trial so far is copied to the caller's beta and f, in the order of its examples.
 * A trial within eps is better than one that is not; between two of a kind the gap decides.
 *
 * rho is the mean over free multipliers, as in LIBSVM, and not the one that minimises P: where the
 * violation is small the two are nearly the same.  Columns were centred (linear_rows.h): with the
 * centre c the caller's f is f + w.c, and its rho is rho + w.c.
 *
 * Cost: two passes over the entries for each measure, more where it polishes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "linear/linear_work.h"
#include "matrix/blas.h"

/* ---- free multipliers made to add up to the w that the Newton method found ---- */

/*
 * A proximal point carries the rounding of the residual times sigma, and sum beta_i x_i multiplies
 * that error by |x|.  Where features are large the w of the Newton method is right long before the
 * multipliers are.  With Z the m free rows (x_i, 1), the changes delta of the free multipliers that
 * put right both sums are
 *
 *     Z' delta = q,   q = (w - sum trial_i x_i, S - sum trial_i)                                (1)
 *
 *     m >= d + 1:  delta = Z (Z'Z)^-1 q      the smallest of all that satisfy (1)               (2)
 *     m <  d + 1:  delta = (ZZ')^-1 Z q      the nearest to (1), by least squares               (3)
 *
 * by one Cholesky factor of the smaller matrix, whose order is at most d + 1.  Columns of Z are
 * centred first and scaled to norm 1,
 *
 *     sum_k delta_k (x_kj - mean_j) = q_j - mean_j sum_k delta_k
 *                                   = q_j + mean_j (sum_i trial_i - S)                          (4)
 *
 * for without that the matrix of features in the thousands is next to singular.  Results are
 * clipped to the bounds, and (2) or (3) is repeated on what is then missing, MAX_ROUNDS times in
 * all: iterative refinement, which also makes good the ridge on the diagonal.
 *
 * Unscaled covtype and skin_nonskin at C = 1000, cpusmall at C <= 1 and cadata end within eps by
 * this; without it they do not, however many outer steps follow.
 */

/*
 * Rounds of correction: each gains the digits of one solution with the factor.  On the 39 trainings
 * of linear_solve.c 1 is as good but for one outer step, and 10 the same as 3.
 */
#define MAX_ROUNDS 3

/*
 * Largest number of elements of the free rows made dense, and largest order of the matrix.  With
 * both, 2,000 rows of 1,000 columns, the step takes 16 MB and 1e9 multiplications by the BLAS.
 * Larger problems are left as they are: the data sets above have 3 to 54 features.
 */
#define MAX_DENSE 2000000
#define MAX_ORDER 1000

/*
 * Ridge on the diagonal, relative to the trace, with which equal or dependent rows still have a
 * factor.
 */
#define RIDGE 1e-14

/* The m free rows (x_i, 1), columns scaled to norm 1; the smaller of m, d + 1 is 'order'. */
struct polish {
	const struct linear_task *task;
	const double *w; /* weights of the Newton method */
	struct linear_trial *trial;
	/* number of columns d + 1, or d + 2 with two sides; order of the matrix */
	int64_t m, size, order;
	/* rows scaled, m x size; or their transpose, size x m, if m < size */
	double *z;
	double *mean, *scale; /* mean and scale of each column: z holds (x - mean) scale */
	double *missing;      /* right side of (1) after (4), scaled; 'size' numbers */
	double *factor;	      /* Cholesky factor, order^2 numbers */
	double *solution;     /* solution of the equations, 'order' numbers */
};

/*
 * Place of the entry of free row k in column j; rows of z are those that blas_add_outer() adds up
 * in (2), (3).
 */
static double *z_at(const struct polish *q, int64_t k, int64_t j)
{
	return q->m < q->size ? &q->z[j * q->m + k] : &q->z[k * q->size + j];
}

/*
 * Subtract from each column its mean.  Columns are then orthogonal to the column of ones, so that
 * the sum of the multipliers is put right whatever becomes of w. scale[j] becomes the norm of
 * column j; returns the largest norm of a feature.
 */
static double centre_columns(struct polish *q)
{
	double largest = 0;
	int64_t d = q->task->d;

	for (int64_t j = 0; j < q->size; j++) {
		double norm2 = 0;

		for (int64_t k = 0; k < q->m; k++) {
			*z_at(q, k, j) -= q->mean[j];
			norm2 += *z_at(q, k, j) * *z_at(q, k, j);
		}
		q->scale[j] = sqrt(norm2);
		largest = fmax(largest, j < d ? q->scale[j] : 0);
	}
	return largest;
}

/*
 * Fill Z, centred and scaled.  In (2) any w can be had and each column has its own scale, which is
 * best conditioned.  In (3) the scale says which error counts: all features have the same one, so
 * that the nearest w is the nearest by |w - sum beta_i x_i|.
 */
static int fill_rows(struct polish *q, struct error *err)
{
	const struct linear_rows *x = &q->task->x;
	struct csr free = { 0 };
	double largest;

	if (linear_rows_take(x, q->trial->free, q->m, &free, err) < 0)
		return -1;
	for (int64_t k = 0; k < q->m; k++) {
		for (int64_t e = free.row_start[k]; e < free.row_start[k + 1]; e++) {
			*z_at(q, k, free.col[e]) = free.val[e];
			q->mean[free.col[e]] += free.val[e] / (double)q->m;
		}
		*z_at(q, k, q->size - 1) = 1;
		/* with two sides column d is 1 on the first and -1 on the second: one more feature */
		if (q->task->sides.n == 2) {
			double sign = linear_side(q->task, q->trial->free[k]) == 0 ? 1 : -1;

			*z_at(q, k, x->d) = sign;
			q->mean[x->d] += sign / (double)q->m;
		}
	}
	csr_free(&free);
	largest = centre_columns(q);
	for (int64_t j = 0; j < q->size; j++) {
		double norm = q->m < q->size && j < x->d ? largest : q->scale[j];

		q->scale[j] = norm > 0 ? 1 / norm : 0;
		for (int64_t k = 0; k < q->m; k++)
			*z_at(q, k, j) *= q->scale[j];
	}
	return 0;
}

/* Factor L L' = Z'Z or ZZ', the smaller of the two. */
static int factor_rows(struct polish *q)
{
	double trace = 0;

	blas_add_outer(q->factor, q->order, q->order, 1, q->z, int64_max(q->m, q->size));
	for (int64_t a = 0; a < q->order; a++)
		trace += q->factor[a * q->order + a];
	for (int64_t a = 0; a < q->order; a++)
		q->factor[a * q->order + a] += RIDGE * trace;
	return blas_cholesky(q->factor, q->order, q->order);
}

/* Correct the free multipliers by (2) or (3), within their bounds. */
static void correct(struct polish *q)
{
	const struct linear_task *t = q->task;
	double *beta = q->trial->beta;
	bool dual = q->m < q->size;

	memset(q->solution, 0, (size_t)q->order * sizeof(*q->solution));
	for (int64_t k = 0; dual && k < q->m; k++)
		for (int64_t j = 0; j < q->size; j++)
			q->solution[k] += *z_at(q, k, j) * q->missing[j];
	if (!dual)
		memcpy(q->solution, q->missing, (size_t)q->size * sizeof(*q->solution));
	blas_cholesky_solve(q->factor, q->order, q->order, q->solution);
	for (int64_t k = 0; k < q->m; k++) {
		int64_t i = q->trial->free[k];
		double change = dual ? q->solution[k] : 0;

		for (int64_t j = 0; !dual && j < q->size; j++)
			change += *z_at(q, k, j) * q->solution[j];
		beta[i] = fmin(fmax(beta[i] + change, t->row.lower[i]), t->row.upper[i]);
	}
}

/* Correct the multipliers several times; each time the error of w is computed in full precision. */
static int run_rounds(struct polish *q, struct error *err)
{
	const struct linear_task *t = q->task;
	struct linear_trial *trial = q->trial;

	for (int round = 0; round < MAX_ROUNDS; round++) {
		double first = linear_sum_error(t, trial->beta, 0), sum = first, second;
		int64_t d = t->d, last = q->size - 1;

		if (linear_sum(t, trial->beta, trial->w, err) < 0)
			return -1;
		if (t->sides.n == 2) {
			second = linear_sum_error(t, trial->beta, 1);
			sum += second;
			q->missing[d] = q->scale[d] * (second - first + q->mean[d] * sum);
		}
		for (int64_t j = 0; j < d; j++)
			q->missing[j] = q->scale[j] * (q->w[j] - trial->w[j] + q->mean[j] * sum);
		q->missing[last] = -q->scale[last] * sum;
		correct(q);
	}
	return 0;
}

int linear_polish(const struct linear_task *t, const double *w, struct linear_trial *trial,
		  struct error *err)
{
	struct polish q = {
		.task = t, .w = w, .trial = trial, .m = trial->n_free, .size = t->d + t->sides.n
	};
	int ret = -1;

	q.order = int64_min(q.m, q.size);
	if (q.m == 0 || q.m > MAX_DENSE / q.size || q.order > MAX_ORDER)
		return 0;
	q.z = mem_aligned(q.m * q.size, sizeof(*q.z), err);
	q.mean = mem_aligned(q.size, sizeof(*q.mean), err);
	q.scale = mem_aligned(q.size, sizeof(*q.scale), err);
	q.missing = mem_aligned(q.size, sizeof(*q.missing), err);
	q.factor = mem_aligned(q.order * q.order, sizeof(*q.factor), err);
	q.solution = mem_aligned(q.order, sizeof(*q.solution), err);
	if (err->code == ERR_NONE && blas_reserve(q.order, int64_max(q.m, q.size), err) == 0 &&
	    fill_rows(&q, err) == 0) {
		/* a matrix that has no factor leaves the multipliers as they are: no error */
		ret = factor_rows(&q) == 0 ? run_rounds(&q, err) : 0;
	}
	mem_free_all(q.z, q.mean, q.scale, q.missing, q.factor, q.solution);
	return ret;
}

/* ---- measures ---- */

/*
 * Measure as linear_measure() does, for squared losses: 'linear' has the term -beta^2 / (4 C) of D,
 * up and down its derivative, and 'loss' squares.
 */
static void measure_squared(const struct linear_task *t, const double *beta, const double *residual,
			    double b, struct linear_state *state)
{
	double epsilon = t->epsilon;

	for (int64_t i = 0; i < t->n; i++) {
		double soft = linear_softness(t, i) * beta[i];
		double slope = residual[i] - soft, over = fabs(residual[i] - b) - epsilon;

		if (beta[i] < t->row.upper[i])
			state->up = fmax(state->up, slope + (beta[i] < 0 ? epsilon : -epsilon));
		if (beta[i] > t->row.lower[i])
			state->down = fmin(state->down, slope + (beta[i] > 0 ? -epsilon : epsilon));
		state->linear += (t->row.target[i] - soft / 2) * beta[i] - epsilon * fabs(beta[i]);
		/* a row counts if it has a loss at this b, on a side where its multiplier can be */
		if (over > 0 && (residual[i] > b ? t->row.upper[i] > 0 : t->row.lower[i] < 0))
			state->loss += problem_c(t->p, linear_example(t, i)) * over * over;
	}
}

/* Measure as linear_measure() does, for two sides with an 'up' and a 'down' each; epsilon is 0. */
static void measure_sides(const struct linear_task *t, const double *beta, const double *residual,
			  const double *b, struct linear_state *state)
{
	for (int64_t i = 0; i < t->n; i++) {
		struct linear_state *side = &state[linear_side(t, i)];
		double r = residual[i], over = r - b[linear_side(t, i)];

		if (beta[i] < t->row.upper[i])
			side->up = fmax(side->up, r);
		if (beta[i] > t->row.lower[i])
			side->down = fmin(side->down, r);
		side->linear += t->row.target[i] * beta[i];
		/*
		 * loss: the bound of the side times how far over; for each row one of the two
		 * bounds is 0
		 */
		side->loss += over > 0 ? t->row.upper[i] * over : t->row.lower[i] * over;
	}
}

double linear_measure_rows(const struct linear_run *s, const double *beta, const double *residual,
			   const double *b, struct linear_state *state)
{
	const struct linear_task *t = &s->task;
	struct linear_arrays a = linear_arrays_of(s);

	/*
	 * 'up' is a maximum and 'down' a minimum over the rows that follow; without a second side
	 * state[1] stays that of no rows, which violates by -INFINITY
	 */
	state[0] = state[1] = (struct linear_state){ .up = -INFINITY, .down = INFINITY };
	if (t->sides.n == 2) {
		measure_sides(t, beta, residual, b, state);
		return fmax(state[0].up - state[0].down, state[1].up - state[1].down);
	}
	if (t->p->squared_loss)
		measure_squared(t, beta, residual, b[0], state);
	else
		linear_measure(&a, beta, residual, b[0], t->epsilon, state);
	return state->up - state->down;
}

double linear_primal(const struct linear_task *t, const double *w, const double *b,
		     const struct linear_state *state)
{
	double primal = state[0].loss + squared_norm(w, t->d) / 2;

	if (!t->sides.fixes_sums)
		return primal;
	for (int k = 0; k < t->sides.n; k++)
		/* given sums of multipliers times the thresholds are part of P */
		primal += t->sides.sum[k] * b[k] + (k > 0 ? state[k].loss : 0);
	return t->offset ? primal - inner_product(t->offset, w, t->d) : primal;
}

/*
 * Minus the bias b where no multiplier is free: b is the middle of the interval up..down that the
 * bounded ones leave to it, or its only finite end.  Far from the solution up is above down, and of
 * the two the one of the smaller loss is taken: without a w this is the larger class.
 */
static double bounded_rho(const struct linear_run *s, double up, double down)
{
	struct linear_state at_up[2], at_down[2];

	/* an open end: no bounded multiplier limits b there */
	if (isinf(up) || isinf(down))
		return isinf(up) && isinf(down) ? 0 : isinf(up) ? -down : -up;
	/*
	 * up and down agree within the tolerance: any b between them serves, and the middle is
	 * taken; so it is for the machines of nu, whose loss depends on more than b
	 */
	if (up - down <= s->task.eps || s->task.sides.fixes_sums)
		return -(up + down) / 2;
	linear_measure_rows(s, s->trial.beta, s->trial.residual, &up, at_up);
	linear_measure_rows(s, s->trial.beta, s->trial.residual, &down, at_down);
	return at_up->loss < at_down->loss ? -up : -down;
}

/*
 * rho = -b of a side: the mean of -(r_i -+ epsilon) over free multipliers; bounded_rho() where none
 * is free
 */
static double find_rho(const struct linear_run *s, int side, double up, double down)
{
	const struct linear_task *t = &s->task;
	double sum = 0, epsilon = t->epsilon;
	int64_t n_free = 0;

	for (int64_t i = 0; i < t->n; i++) {
		double beta = s->trial.beta[i];

		if (!linear_is_inside(beta, t->row.lower[i], t->row.upper[i]) ||
		    linear_side(t, i) != side)
			continue;
		/*
		 * at the optimum r_i - softness beta_i is b + epsilon sign(beta_i) for every free
		 * multiplier
		 */
		sum += s->trial.residual[i] - linear_softness(t, i) * beta -
		       (beta > 0 ? epsilon : -epsilon);
		n_free++;
	}
	if (n_free > 0)
		return -sum / (double)n_free;
	return bounded_rho(s, up, down);
}

/* Is a trial with this violation and gap better than the best so far? */
static bool is_better(const struct linear_run *s, double violation, double gap)
{
	bool solved = violation <= s->task.eps, was_solved = s->best.violation <= s->task.eps;

	return (solved && !was_solved) || ((solved || !was_solved) && gap < s->best.gap);
}

/* w.centre, the part of f that centring took off: f of the caller's columns has it as well. */
static double constant_of(const struct linear_run *s)
{
	return ordered_product(s->task.x.centre, s->trial.w, s->task.d);
}

void linear_trial_store(const struct linear_run *s, double *beta, double *f)
{
	const struct linear_task *t = &s->task;
	const double constant = constant_of(s);

	memset(beta, 0, (size_t)t->p->n * sizeof(*beta));
	for (int64_t i = 0; i < t->n; i++) {
		int64_t example = linear_example(t, i);

		/* an example with two rows has the sum of their multipliers */
		beta[example] += s->trial.beta[i];
		f[example] = t->row.target[i] - s->trial.residual[i] + constant;
	}
}

/*
 * Violation of the trial, whose residuals and w are known; the trial is kept if it is the best so
 * far.
 */
static double judge_trial(struct linear_run *s)
{
	const struct linear_task *t = &s->task;
	const struct linear_trial *trial = &s->trial;
	struct linear_state state[2];
	double b[2] = { 0, 0 }, dual, primal, violation, gap;

	linear_measure_rows(s, trial->beta, trial->residual, b, state);
	for (int k = 0; k < t->sides.n; k++)
		b[k] = -find_rho(s, k, state[k].up, state[k].down);
	/* measured again, for the loss at the new rho; residuals are target - f, without b */
	violation = linear_measure_rows(s, trial->beta, trial->residual, b, state);
	dual = linear_dual(t, trial->w, state);
	primal = linear_primal(t, trial->w, b, state);
	/* a trial whose objective overflowed is not compared with the best */
	if (!isfinite(dual))
		return INFINITY;
	s->best.dual = fmax(s->best.dual, dual);
	gap = fabs(primal) > 0 ? (primal - dual) / fabs(primal) : 0;
	if (is_better(s, violation, gap)) {
		s->best.gap = gap;
		s->best.violation = violation;
		/* bias of the columns as given, see the head: rho + w.c */
		s->best.rho = constant_of(s) - (t->sides.n == 2 ? (b[0] + b[1]) / 2 : b[0]);
		s->best.epsilon = t->sides.n == 2 ? (b[0] - b[1]) / 2 : 0;
		linear_trial_store(s, s->best.beta, s->best.f);
	}
	return violation;
}

/* Judge multipliers of 0: w = 0 and residuals are the targets, so no pass over the entries. */
double linear_judge_zero(struct linear_run *s)
{
	struct linear_trial *trial = &s->trial;

	memset(trial->beta, 0, (size_t)s->task.n * sizeof(*trial->beta));
	memcpy(trial->residual, s->task.row.target, (size_t)s->task.n * sizeof(*trial->residual));
	memset(trial->w, 0, (size_t)s->task.d * sizeof(*trial->w));
	return judge_trial(s);
}

int linear_trial_measure(struct linear_run *s, struct error *err)
{
	const double none[2] = { 0, 0 };
	struct linear_trial *trial = &s->trial;

	if (linear_sum(&s->task, trial->beta, trial->w, err) < 0)
		return -1;
	linear_residuals(&s->task, trial->w, none, trial->residual);
	return 0;
}

/* Make the trial feasible, and compute its w and residuals, and its violation. */
static int measure_trial(struct linear_run *s, double *violation, struct error *err)
{
	linear_repair(&s->task, &s->trial);
	if (linear_trial_measure(s, err) < 0)
		return -1;
	*violation = judge_trial(s);
	return 0;
}

int linear_judge_plain(struct linear_run *s, double *violation, struct error *err)
{
	memcpy(s->trial.beta, s->at.prox, (size_t)s->task.n * sizeof(*s->trial.beta));
	return measure_trial(s, violation, err);
}

int linear_judge(struct linear_run *s, double *violation, struct error *err)
{
	if (linear_judge_plain(s, violation, err) < 0)
		return -1;
	if (*violation <= s->task.eps)
		return 0;
	/* polishing costs a factorisation: only where the plain trial is not within eps */
	if (linear_polish(&s->task, s->at.w, &s->trial, err) < 0)
		return -1;
	/* multipliers moved by polishing may have met their bounds, so that the sums need repair */
	return measure_trial(s, violation, err);
}

int linear_judge_start(struct linear_run *s, const double *start, struct error *err)
{
	double violation;

	for (int64_t i = 0; i < s->task.n; i++)
		s->trial.beta[i] = start[s->task.x.order[i]];
	return measure_trial(s, &violation, err);
}

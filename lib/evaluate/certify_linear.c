/*
 * certify_linear.c - LIBLINEAR's part of certify.h
 *
 * How this works.  A model of LIBLINEAR's kind is w alone, so the primal value is one pass over the
 * data.  With v_i the loss of row i,
 *
 *     P(w) = 1/2 |w|^2 + sum_i C_i v_i^q,       q = 1 (L1 loss) or 2 (L2 loss)         (1)
 *     v_i = max(0, 1 - y_i w'x_i),   or for a regression max(0, |y_i - w'x_i| - epsilon)
 *
 * where x_i and w include the constant, which LIBLINEAR regularises.  The dual of the L2 loss is,
 * in multipliers beta_i with the sign of y_i (of a regression: any),
 *
 *     D(beta) = sum_i (y_i beta_i - epsilon |beta_i| - beta_i^2 / (4 C_i))
 *               - 1/2 |sum_i beta_i x_i|^2                                             (2)
 *
 * without upper bounds and, the constant being regularised, without a constraint on sum_i beta_i.
 * At the optimum beta_i = +-2 C_i v_i (3).  So (3) of the v_i at hand is always feasible, and as
 * near to optimal as w is.  All its multiples are feasible as well: with a the linear part of (2)
 * and c the matrix of its quadratic part,
 *
 *     D(s beta) = s a - s^2 / 2 c,   largest at s = a / c:   D = a^2 / (2 c)           (4)
 *
 * which forgives that the losses are all too large or all too small.
 *
 * Training without that regularisation, as that of randsvm-train, writes the same files.  Its P is
 * (1) without the half square of the constant's weight, and its dual (2) with the constraint
 * sum_i beta_i = 0, by which the constant leaves the last term.  Where (3) violates the constraint,
 * the multipliers above 0, of sum p, and those below, of sum -n, are taken apart:
 *
 *     beta_i min(p, n) / p   where beta_i > 0,      beta_i min(p, n) / n   where beta_i < 0   (5)
 *
 * is feasible, near (3) where w is near to optimal, and then has its multiple by (4).  The problem
 * that leaves the smaller gap is the one reported: both bounds hold, and the file does not tell
 * which of the two problems it was trained for.
 *
 * Both bounds come from the residual w - sum_i beta_i x_i of (3) by its square, while P exceeds the
 * optimum by that square over the curvature of P, which is 2 sum_i C_i |x_i|^2: with C and features
 * large, weights that are optimal to 1e-9 have a dual that is 1e-2 away.  So the dual is taken from
 * another point.  With g the derivative of P by the weights and the constant, and H its second
 * derivative,
 *
 *     H = I + sum_i 2 C_i x_i x_i'  (rows with a loss),     w + d,  H d = -g              (6)
 *
 * is the optimum if the same rows have a loss there, and the residual of (3) at w + d is rounding.
 * The primal stays that of w.  g'd / 2 is about what P loses by the step, which tells which of the
 * two problems w is the solution of.
 *
 * The L1 loss has no such rule: beta_i = C_i where v_i > 0 and 0 beyond the margin, but anything in
 * between for rows on the margin, which w does not tell.  Its dual stays unknown, and the values of
 * both primals are all that can be said.
 *
 * A scan: threads compute w'x_i of a batch, then its rows are judged in their order, one batch
 * after the other, so that the sums have the same bits for any number of threads.  Several columns
 * of w, one for each class against the rest, are several problems with the same rows.  Each Newton
 * step (6) takes another scan; there is none where (3) of w proves enough.
 *
 * Rounding, with u = 2^-53, n rows of at most k entries and d features: the error of w'x_i is at
 * most (k + 2) u |x_i| |w|, and losses change by what that changes them.  A sum of n terms has n u
 * times their sizes, and sum_i beta_i x_i a vector of n u sum_i |beta_i| |x_i|.  In (4) that moves
 * a and c; where (5) is to hold, what the two sides differ by counts b times.                    
 * (7)
 *
 * Source: Fan, Chang, Hsieh, Wang, Lin 2008, "LIBLINEAR", J. Mach. Learn. Res. 9; Ho and Lin 2012,
 * "Large-scale linear support vector regression", J. Mach. Learn. Res. 13.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/certify.h"

#include "base/thread.h"
#include "matrix/blas.h"
#include "problem/classes.h"

/* Relative gap small enough to do without Newton steps: a thousandth of what training leaves. */
#define PROVED 1e-6

/*
 * Newton steps at most: one is enough at an optimum, where all rows with a loss keep it, and the
 * others are for weights some way from it.
 */
#define MOST_STEPS 3

/* Most numbers in all matrices (6) together, 64 MB: a column of 2895 features, or ten of 914. */
#define MOST_NUMBERS (INT64_C(1) << 23)

/* The machines of LIBLINEAR's model files that problem (1) describes, of L1LOSS: q = 1, or L2LOSS. */
static const char *const machines[] = { "L2R_L1LOSS_SVC_DUAL", "L2R_L2LOSS_SVC_DUAL",
					"L2R_L2LOSS_SVC",      "L2R_L1LOSS_SVR_DUAL",
					"L2R_L2LOSS_SVR_DUAL", "L2R_L2LOSS_SVR" };

/* Unit roundoff u in the error bounds (7). */
#define UNIT (DBL_EPSILON / 2)

/* Sums over the rows whose multipliers (3) have the same sign. */
struct side {
	double size;	  /* sum |beta_i|: p or n in the dual (5) */
	double linear;	  /* linear part a of the dual (4) */
	double quadratic; /* sum beta_i^2 / (2 C_i): c of the dual (4) but for |'sum'|^2 */
	double sizes;	  /* sum of the sizes of the terms of 'linear' */
	double lengths;	  /* sum |beta_i| |x_i| */
	double *sum;	  /* sum_i beta_i x_i, n_features, without the constant */
};

/* One column of w as a problem of its own: a point, and sums over the rows so far. */
struct column {
	double c_plus, c_minus;	  /* bounds C_i of the two sides; a regression has c_plus alone */
	int positive;		  /* label of the rows with target +1; all others have -1 */
	double *w;		  /* weights, then the constant or 0; n_features + 1 */
	double norm;		  /* norm |w|, where the constant counts as one more weight */
	double losses;		  /* sum C_i v_i^q of the losses */
	double losses_error;	  /* error bound of 'losses' from the errors of w'x_i: (7) */
	struct side above, below; /* sums over the rows with beta_i > 0, and with beta_i < 0 */
	double *matrix; /* sum (6) for Newton steps, [n_features + 1]^2, constant last; or NULL */
	double primal_error; /* rounding error of P at most, for either problem */
	/*
	 * P of the model and the largest D so far, with the constant in |w| and free; of rounding
	 * that of P and D
	 */
	struct certificate in_norm, unbound;
};

struct linear_work {
	const struct linear_model *m;
	const struct row_source *data;
	int n_threads;
	bool squared;
	double epsilon;
	int64_t n_rows;
	struct column *column; /* columns of w, m->n_columns */
};

/* Decision values of a thread's batch, [n_rows][n_columns]. */
struct linear_values {
	double *f;
	int64_t capacity;
};

/* Has the feature a weight?  Feature 0 and features beyond the model's highest have none. */
static bool is_known(const struct linear_work *w, int32_t feature)
{
	return feature >= 1 && feature <= w->m->n_features;
}

/* Decision value w'x of row i at the point of a column. */
static double decision(const struct linear_work *w, const struct row_batch *b, int64_t i,
		       const struct column *c)
{
	double f = c->w[w->m->n_features];

	for (int64_t k = b->row_start[i]; k < b->row_start[i + 1]; k++)
		if (is_known(w, b->index[k]))
			f += b->value[k] * c->w[b->index[k] - 1];
	return f;
}

/* Loss v_i of a row with the sign of its beta_i: of the class, or of the side of the tube. */
static double signed_loss(const struct linear_work *w, double target, double f)
{
	double residual = target - f;

	if (w->m->regression)
		return copysign(fmax(0, fabs(residual) - w->epsilon), residual);
	return target * fmax(0, 1 - target * f);
}

/* Add scale x_i x_i' to the matrix below its diagonal; features ascend, the constant is last. */
static void add_product(const struct linear_work *w, double *matrix, const struct row_batch *b,
			int64_t i, double scale)
{
	int64_t stride = w->m->n_features + 1, first = b->row_start[i];
	double *last = matrix + w->m->n_features * stride;

	for (int64_t k = first; k < b->row_start[i + 1]; k++) {
		double *line, factor = scale * b->value[k];

		if (!is_known(w, b->index[k]))
			continue;
		line = matrix + (b->index[k] - 1) * stride;
		for (int64_t l = first; l <= k; l++)
			if (is_known(w, b->index[l]))
				line[b->index[l] - 1] += factor * b->value[l];
		last[b->index[k] - 1] += factor;
	}
	last[w->m->n_features] += scale;
}

/* Bound by (7) of the error in the sum of losses that the error of one decision value makes. */
static double error_of_loss(const struct linear_work *w, const struct column *c, double bound,
			    double target, double f, double length, int64_t n_entries)
{
	double error = UNIT * ((double)n_entries + 4) *
		       (hypot(length, 1) * c->norm + fabs(target) + fabs(f) + 1);
	double margin = w->m->regression ? fabs(target - f) - w->epsilon : 1 - target * f;
	double loss = fmax(0, margin), most = fmax(0, margin + error);

	return bound * (w->squared ? most * most - loss * loss : most - loss);
}

/* Add to the sums of a column what row i contributes, by its multiplier (3). */
static void judge_row(const struct linear_work *w, struct column *c, const struct row_batch *b,
		      int64_t i, double f)
{
	int64_t first = b->row_start[i], n_entries = b->row_start[i + 1] - first;
	double side_of_class = b->label[i] == c->positive ? 1 : -1;
	double target = w->m->regression ? b->label[i] : side_of_class;
	double loss = signed_loss(w, target, f);
	/* |x_i|, without the constant */
	double length = sqrt(squared_norm(b->value + first, n_entries));
	double bound = (w->m->regression || target > 0 ? c->c_plus : c->c_minus) *
		       (b->weight ? b->weight[i] : 1);
	double beta = 2 * bound * loss;
	struct side *side = beta > 0 ? &c->above : &c->below;

	c->losses_error += error_of_loss(w, c, bound, target, f, length, n_entries);
	c->losses += bound * (w->squared ? loss * loss : fabs(loss));
	/* skip rows without loss, and rows whose C_i is 0, by which the next lines divide */
	if (beta == 0 || !w->squared)
		return;
	side->size += fabs(beta);
	side->linear += target * beta - w->epsilon * fabs(beta);
	side->quadratic += beta * beta / (2 * bound);
	side->sizes += (fabs(target) + w->epsilon) * fabs(beta);
	side->lengths += length * fabs(beta);
	for (int64_t k = first; k < first + n_entries; k++)
		if (is_known(w, b->index[k]))
			side->sum[b->index[k] - 1] += beta * b->value[k];
	if (c->matrix)
		add_product(w, c->matrix, b, i, 2 * bound);
}

/* Compute the decision values of a batch, on any thread. */
static int decide_batch(void *arg, struct row_batch *b, void *user, struct error *err)
{
	const struct linear_work *w = arg;
	struct linear_values *values = user;
	int n = w->m->n_columns;

	if (mem_grow(&values->f, &values->capacity, b->n_rows * n, sizeof(double), err) < 0)
		return -1;
	for (int64_t i = 0; i < b->n_rows; i++)
		for (int v = 0; v < n; v++)
			values->f[i * n + v] = decision(w, b, i, &w->column[v]);
	return 0;
}

/* Add a batch to the sums of all columns: one thread at a time, in the order of the rows. */
static int judge_batch(void *arg, struct row_batch *b, void *user, struct error *err)
{
	struct linear_work *w = arg;
	const struct linear_values *values = user;
	const struct linear_model *m = w->m;
	int n = m->n_columns;

	/*
	 * the highest feature of LIBLINEAR's training data is in its model: rows with a higher one are
	 * not what it was trained on.  Ignoring that feature would leave it out of
	 * |sum_i beta_i x_i|^2, and (2) would be too large for a lower bound
	 */
	if (b->max_index > m->n_features)
		return error_set(err, ERR_ARGUMENT,
				 "the examples have feature %lld, the model only %lld features",
				 (long long)b->max_index, (long long)m->n_features);
	for (int64_t i = 0; i < b->n_rows; i++) {
		if (!m->regression && label_find(m->label, m->n_class, b->label[i]) < 0)
			return error_set(err, ERR_ARGUMENT, "the model has no class %g",
					 b->label[i]);
		for (int v = 0; v < n; v++)
			judge_row(w, &w->column[v], b, i, values->f[i * n + v]);
	}
	w->n_rows += b->n_rows;
	return 0;
}

static void clear_side(struct side *s, int64_t n_features)
{
	if (s->sum)
		memset(s->sum, 0, (size_t)n_features * sizeof(*s->sum));
	s->size = s->linear = s->quadratic = s->sizes = s->lengths = 0;
}

static void clear_sums(struct column *c, int64_t n_features)
{
	clear_side(&c->above, n_features);
	clear_side(&c->below, n_features);
	c->losses = c->losses_error = 0;
	c->norm = 0;
	for (int64_t j = 0; j <= n_features; j++)
		c->norm = hypot(c->norm, c->w[j]);
	if (c->matrix)
		memset(c->matrix, 0,
		       (size_t)((n_features + 1) * (n_features + 1)) * sizeof(*c->matrix));
}

/* Scan the data once, for the sums of all columns at their points. */
static int judge_rows(struct linear_work *w, struct error *err)
{
	struct linear_values values[THREAD_MAX] = { 0 };
	struct rows_visitor visitor = { .work = decide_batch,
					.deliver = judge_batch,
					.arg = w,
					.users = { values, sizeof(*values) } };
	int64_t n_before = w->n_rows;
	int ret;

	w->n_rows = 0;
	for (int v = 0; v < w->m->n_columns; v++)
		clear_sums(&w->column[v], w->m->n_features);
	ret = w->data->scan(w->data->arg, &visitor, w->n_threads, err);
	for (int k = 0; k < THREAD_MAX; k++)
		mem_free(values[k].f);
	if (ret == 0 && w->n_rows == 0)
		return error_set(err, ERR_ARGUMENT, "no examples");
	if (ret == 0 && n_before > 0 && w->n_rows != n_before)
		return error_set(err, ERR_ARGUMENT, "the examples are not those of a moment ago");
	return ret;
}

/* A lower bound of the optimum, and the largest rounding error of that bound. */
struct lower_bound {
	double dual, error;
	double scale; /* scale s of the multipliers in (4) */
};

/*
 * D of (4) for the multipliers of the two sides times 'above' and 'below'
 *
 * 'constant' is the value that all rows have for the constant in |sum_i beta_i x_i|, 0 without.
 * Where all losses are 0 beta is 0, and D = 0 is all that it proves.
 */
static struct lower_bound best_dual(const struct linear_work *w, const struct column *c,
				    double above, double below, double constant)
{
	const struct side *p = &c->above, *n = &c->below;
	double linear = above * p->linear + below * n->linear;
	double softness = above * above * p->quadratic + below * below * n->quadratic;
	double last = constant * (above * p->size - below * n->size), norm2 = last * last;
	double lengths = above * (p->lengths + constant * p->size) +
			 below * (n->lengths + constant * n->size);
	double unit = UNIT * ((double)w->n_rows + 4), vector = unit * lengths, scale, error;

	for (int64_t j = 0; j < w->m->n_features; j++) {
		double sum = above * p->sum[j] + below * n->sum[j];

		norm2 += sum * sum;
	}
	if (!(softness + norm2 > 0) || !(linear > 0))
		return (struct lower_bound){ 0, 0, 0 };
	scale = linear / (softness + norm2);
	/* error bound (7) of a, and of c, whose sum of squares has n_features terms */
	error = scale * unit * (above * p->sizes + below * n->sizes);
	error += scale * scale / 2 *
		 (unit * softness + vector * (2 * sqrt(norm2) + vector) +
		  UNIT * ((double)w->m->n_features + 4) * norm2);
	return (struct lower_bound){ scale * linear / 2, error, scale };
}

/* Dual of the free constant, by (5); it is 0 where a side has no multipliers. */
static struct lower_bound free_dual(const struct linear_work *w, const struct column *c)
{
	double p = c->above.size, n = c->below.size, least = fmin(p, n);
	struct lower_bound bound = { 0, 0, 0 };

	if (!(least > 0))
		return bound;
	bound = best_dual(w, c, least / p, least / n, 0);
	bound.error += 2 * UNIT * ((double)w->n_rows + 4) * bound.scale * least *
		       fabs(c->w[w->m->n_features]);
	return bound;
}

static void take_dual(const struct column *c, struct certificate *to, struct lower_bound bound)
{
	if (bound.dual <= to->dual)
		return;
	to->dual = bound.dual;
	to->rounding = fmax(c->primal_error, bound.error);
}

/* Keep for both problems the largest dual of all points so far. */
static void take_duals(const struct linear_work *w, struct column *c)
{
	take_dual(c, &c->in_norm, best_dual(w, c, 1, 1, fmax(w->m->bias, 0)));
	take_dual(c, &c->unbound, free_dual(w, c));
}

/* Does the problem with the free constant have the smaller gap of the two? */
static bool is_free(const struct linear_work *w, const struct column *c)
{
	return w->m->bias >= 0 &&
	       certificate_relative_gap(&c->unbound) < certificate_relative_gap(&c->in_norm);
}

static bool is_proved(const struct linear_work *w, const struct column *c)
{
	return certificate_relative_gap(is_free(w, c) ? &c->unbound : &c->in_norm) <= PROVED;
}

static void conclude(const struct linear_work *w, const struct column *column,
		     struct pair_certificate *c)
{
	bool is_unbound = w->squared && is_free(w, column);

	c->certificate = is_unbound ? column->unbound : column->in_norm;
	c->kkt_violation = NAN;
	c->primal_free = NAN;
	if (!w->squared)
		c->certificate.dual = NAN;
	if (w->m->bias < 0)
		return;
	c->constant = is_unbound ? CONSTANT_FREE : CONSTANT_IN_NORM;
	if (!w->squared)
		c->primal_free = column->unbound.primal;
}

/* ---- Newton steps ---- */

/* Allocate a matrix for each column not proved; '*any' is false where no column has one. */
static int make_matrices(struct linear_work *w, bool *any, struct error *err)
{
	int64_t size = w->m->n_features + 1, n = 0;

	*any = false;
	for (int v = 0; v < w->m->n_columns; v++)
		n += !is_proved(w, &w->column[v]);
	if (!w->squared || n == 0 || size > MOST_NUMBERS / size / n)
		return 0;
	for (int v = 0; v < w->m->n_columns; v++)
		if (!is_proved(w, &w->column[v])) {
			w->column[v].matrix = mem_array(size * size, sizeof(double), err);
			if (!w->column[v].matrix)
				return -1;
		}
	*any = true;
	return 0;
}

/* Memory for Newton steps from any point. */
struct newton {
	double *h; /* H of (6), [n_features + 1]^2, and then its Cholesky factor */
	double *g; /* -g, n_features + 1 */
	/* steps d with the constant in |w|, and with the constant free; n_features + 1 each */
	double *in_norm, *unbound;
};

/*
 * (6) for 'step', with the constant in |w|, where its part of I is 1 / bias^2, or free, where it is
 * 0; returns -g'd, or INFINITY if H is singular or numbers overflow
 */
static double find_step(const struct linear_work *w, const struct column *c, bool free,
			struct newton *t, double *step)
{
	const int64_t d = w->m->n_features, stride = d + 1, n = w->m->bias > 0 ? stride : d;
	double softness = n > d && !free ? 1 / (w->m->bias * w->m->bias) : 0, sum;

	memcpy(t->h, c->matrix, (size_t)(stride * stride) * sizeof(*t->h));
	for (int64_t j = 0; j < d; j++) {
		t->h[j * stride + j] += 1;
		t->g[j] = c->above.sum[j] + c->below.sum[j] - c->w[j];
	}
	t->h[d * stride + d] += softness;
	t->g[d] = n > d ? c->above.size - c->below.size - softness * c->w[d] : 0;
	memcpy(step, t->g, (size_t)stride * sizeof(*step));
	if (blas_cholesky(t->h, n, stride) < 0)
		return INFINITY;
	blas_cholesky_solve(t->h, n, stride, step);
	sum = ordered_product(t->g, step, n);
	return isfinite(sum) ? sum : INFINITY;
}

/*
 * Move the point of a column by (6) of the problem, with the constant in |w| or free, by which P loses
 * less: w is nearer to its optimum.  The point stays where H is singular.  O(n_features^3).
 */
static void take_step(const struct linear_work *w, struct newton *t, struct column *c)
{
	double in_norm = find_step(w, c, false, t, t->in_norm);
	double unbound = w->m->bias > 0 ? find_step(w, c, true, t, t->unbound) : INFINITY;
	const double *step = in_norm <= unbound ? t->in_norm : t->unbound;

	if (isfinite(fmin(in_norm, unbound)))
		for (int64_t j = 0; j <= w->m->n_features; j++)
			c->w[j] += step[j];
}

/* Scan for the matrices of Newton's equations (6), until their columns' duals prove enough. */
static int improve_duals(struct linear_work *w, struct error *err)
{
	const int64_t size = w->m->n_features + 1;
	struct newton t = { 0 };
	bool open;
	int ret = make_matrices(w, &open, err);

	if (ret == 0 && open) {
		t.h = mem_array(size * size, sizeof(*t.h), err);
		t.g = mem_array(size, sizeof(*t.g), err);
		t.in_norm = mem_array(size, sizeof(*t.in_norm), err);
		t.unbound = mem_array(size, sizeof(*t.unbound), err);
		ret = t.h && t.g && t.in_norm && t.unbound ? blas_reserve(size, 0, err) : -1;
	}
	for (int k = 0; k <= MOST_STEPS && ret == 0 && open; k++) {
		ret = judge_rows(w, err);
		open = false;
		for (int v = 0; v < w->m->n_columns && ret == 0; v++) {
			struct column *c = &w->column[v];

			take_duals(w, c);
			/* no scan follows the last one, which a step would be for */
			if (!c->matrix || is_proved(w, c) || k == MOST_STEPS)
				continue;
			take_step(w, &t, c);
			open = true;
		}
	}
	mem_free_all(t.h, t.g, t.in_norm, t.unbound);
	return ret;
}

/*
 * Which label is +1 in column v, and C of both sides.  A single column tells the first of two
 * classes from the second; of several, each tells its class from all others, to which LIBLINEAR
 * gives C without a weight.
 */
static void choose_sides(const struct linear_work *w, int v, const struct training *t,
			 struct pair_certificate *c)
{
	const struct linear_model *m = w->m;
	struct column *column = &w->column[v];

	column->c_plus = column->c_minus = t->C;
	if (m->regression)
		return;
	column->positive = c->label_a = c->label_b = m->label[v];
	column->c_plus = classes_c(t, m->label[v]);
	/* a model of one class has no other side whose C would count */
	if (m->n_class == 2 && m->n_columns == 1) {
		c->label_b = m->label[1];
		column->c_minus = classes_c(t, m->label[1]);
	}
}

static int find_loss(const struct linear_model *m, bool *squared, struct error *err)
{
	*squared = strstr(m->solver_type, "L2LOSS") != NULL;
	for (size_t k = 0; k < sizeof(machines) / sizeof(*machines); k++)
		if (strcmp(m->solver_type, machines[k]) == 0)
			return 0;
	return error_set(err, ERR_ARGUMENT,
			 "models of %s cannot be certified, only LIBLINEAR's -s 1, 2, 3, 11, 12 "
			 "and 13",
			 m->solver_type);
}

/* Set the point of column v to the weights of the model. */
static int column_init(const struct linear_work *w, int v, struct column *c, struct error *err)
{
	const struct linear_model *m = w->m;
	int64_t d = m->n_features;

	c->w = mem_zeroed(d + 1, sizeof(*c->w), err);
	if (!c->w)
		return -1;
	for (int64_t j = 0; j < d; j++)
		c->w[j] = m->w[j * m->n_columns + v];
	if (m->bias >= 0)
		c->w[d] = m->bias * m->w[d * m->n_columns + v];
	if (!w->squared)
		return 0;
	c->above.sum = mem_zeroed(d + 1, sizeof(double), err);
	c->below.sum = mem_zeroed(d + 1, sizeof(double), err);
	return c->above.sum && c->below.sum ? 0 : -1;
}

/* Compute P of both problems at the model's own weights. */
static void take_primals(const struct linear_work *w, int v, struct column *c)
{
	const struct linear_model *m = w->m;
	double constant = m->bias >= 0 ? m->w[m->n_features * m->n_columns + v] : 0;
	double norm2 = squared_norm(c->w, m->n_features);

	c->unbound.primal = norm2 / 2 + c->losses;
	c->in_norm.primal = (norm2 + constant * constant) / 2 + c->losses;
	c->primal_error = c->losses_error + UNIT * ((double)w->n_rows + 4) * c->losses +
			  UNIT * ((double)m->n_features + 4) * (norm2 + constant * constant);
	c->in_norm.rounding = c->unbound.rounding = c->primal_error;
}

bool certify_scans_once(const struct model *m)
{
	bool squared;

	return m->is_linear_model &&
	       (find_loss(&m->linear, &squared, &(struct error){ 0 }) < 0 || !squared);
}

int certify_linear_model(struct model_certificate *c, const struct linear_model *m,
			 const struct row_source *data, const struct training *t, int n_threads,
			 struct error *err)
{
	struct linear_work w = {
		.m = m, .data = data, .n_threads = n_threads, .epsilon = m->regression ? t->p : 0
	};
	int ret = -1;

	if (find_loss(m, &w.squared, err) < 0)
		return -1;
	if (t->squared_loss && !w.squared)
		return error_set(err, ERR_ARGUMENT, "models of %s have losses that are not squared",
				 m->solver_type);
	c->n_pairs = m->n_columns;
	c->pair = mem_zeroed(c->n_pairs, sizeof(*c->pair), err);
	w.column = mem_zeroed(m->n_columns, sizeof(*w.column), err);
	if (!c->pair || !w.column)
		goto out;
	for (int v = 0; v < m->n_columns; v++) {
		choose_sides(&w, v, t, &c->pair[v]);
		if (column_init(&w, v, &w.column[v], err) < 0)
			goto out;
	}
	/* both primals of all columns, and duals from the losses of the model or near it */
	ret = judge_rows(&w, err);
	for (int v = 0; v < m->n_columns && ret == 0; v++) {
		take_primals(&w, v, &w.column[v]);
		if (w.squared)
			take_duals(&w, &w.column[v]);
	}
	if (ret == 0 && w.squared)
		ret = improve_duals(&w, err);
	for (int v = 0; v < m->n_columns && ret == 0; v++)
		conclude(&w, &w.column[v], &c->pair[v]);
	c->n_rows = w.n_rows;
out:
	for (struct column *l = w.column; l && l < w.column + m->n_columns; l++)
		mem_free_all(l->w, l->above.sum, l->below.sum, l->matrix);
	mem_free(w.column);
	return ret;
}

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
 * The L1 loss has no such rule: beta_i = C_i where v_i > 0 and 0 beyond the margin, but anything in
 * between for rows on the margin, which w does not tell.  Its dual stays unknown, and the values of
 * both primals are all that can be said.
 *
 * One scan: threads compute w'x_i of a batch, then its rows are judged in their order, one batch
 * after the other, so that the sums have the same bits for any number of threads.  Several columns
 * of w, one for each class against the rest, are several problems with the same rows.
 *
 * Source: Fan, Chang, Hsieh, Wang, Lin 2008, "LIBLINEAR", J. Mach. Learn. Res. 9; Ho and Lin 2012,
 * "Large-scale linear support vector regression", J. Mach. Learn. Res. 13.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/certify_linear.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/thread.h"
#include "problem/classes.h"

/* The machines that (1) describes, as model files name them. */
static const struct {
	const char *name;
	bool squared; /* q = 2 */
} losses[] = {
	{ "L2R_L1LOSS_SVC_DUAL", false }, { "L2R_L2LOSS_SVC_DUAL", true },
	{ "L2R_L2LOSS_SVC", true },	  { "L2R_L1LOSS_SVR_DUAL", false },
	{ "L2R_L2LOSS_SVR_DUAL", true },  { "L2R_L2LOSS_SVR", true },
};

/* Sums over the rows of which (3) has the same sign. */
struct side {
	double size;	  /* sum |beta_i|: p or n of (5) */
	double linear;	  /* a of (4) */
	double quadratic; /* sum beta_i^2 / (2 C_i): c without the square of 'sum' */
	double *sum;	  /* sum_i beta_i x_i, n_features, without the constant */
};

/* The problem of one column of w, and its sums over the rows so far. */
struct column {
	double c_plus, c_minus;	  /* C_i of the two sides; a regression has c_plus alone */
	int positive;		  /* label that counts as +1, all others as -1 */
	double primal;		  /* sum C_i v_i^q */
	struct side above, below; /* beta_i > 0, beta_i < 0 */
};

struct linear_work {
	const struct linear_model *m;
	bool squared;
	double epsilon;
	int64_t n_rows;
	struct column *column; /* m->n_columns */
};

/* Decision values of a thread's batch, [n_rows][n_columns]. */
struct linear_values {
	double *f;
	int64_t capacity;
};

static double weight(const struct linear_work *w, int64_t j, int column)
{
	return w->m->w[j * w->m->n_columns + column];
}

/* Features of files begin with 1; feature 0 and those beyond the model's have no weight. */
static bool is_known(const struct linear_work *w, int32_t feature)
{
	return feature >= 1 && feature <= w->m->n_features;
}

/* w'x of row i and a column of w */
static double decision(const struct linear_work *w, const struct row_batch *b, int64_t i,
		       int column)
{
	double f = w->m->bias >= 0 ? w->m->bias * weight(w, w->m->n_features, column) : 0;

	for (int64_t k = b->row_start[i]; k < b->row_start[i + 1]; k++)
		if (is_known(w, b->index[k]))
			f += b->value[k] * weight(w, b->index[k] - 1, column);
	return f;
}

static double target_of(const struct linear_work *w, const struct column *c, double label)
{
	if (w->m->regression)
		return label;
	return label == c->positive ? 1 : -1;
}

/* v_i with the sign of beta_i: of the class, or of the side of the tube */
static double signed_loss(const struct linear_work *w, double target, double f)
{
	double residual = target - f;

	if (w->m->regression)
		return copysign(fmax(0, fabs(residual) - w->epsilon), residual);
	return target * fmax(0, 1 - target * f);
}

/* sum += beta x_i */
static void add_row(const struct linear_work *w, double *sum, const struct row_batch *b, int64_t i,
		    double beta)
{
	for (int64_t k = b->row_start[i]; k < b->row_start[i + 1]; k++)
		if (is_known(w, b->index[k]))
			sum[b->index[k] - 1] += beta * b->value[k];
}

/*
 * The highest feature of LIBLINEAR's training data is in its model: rows with a higher one are not
 * what it was trained on.  Ignoring that feature would leave it out of |sum_i beta_i x_i|^2, and
 * (2) would be too large for a lower bound.
 */
static int check_features(const struct linear_work *w, const struct row_batch *b, struct error *err)
{
	if (b->max_index > w->m->n_features)
		return error_set(err, ERR_ARGUMENT,
				 "the examples have feature %lld, the model only %lld features",
				 (long long)b->max_index, (long long)w->m->n_features);
	return 0;
}

static int check_label(const struct linear_model *m, double label, struct error *err)
{
	for (int c = 0; c < m->n_class && !m->regression; c++)
		if (m->label[c] == label)
			return 0;
	return m->regression ? 0 : error_set(err, ERR_ARGUMENT, "the model has no class %g", label);
}

/* What row i adds to the sums of a column, by (3). */
static void judge_row(const struct linear_work *w, struct column *c, const struct row_batch *b,
		      int64_t i, double f)
{
	double target = target_of(w, c, b->label[i]), loss = signed_loss(w, target, f);
	double bound = w->m->regression || target > 0 ? c->c_plus : c->c_minus;
	double beta = 2 * bound * loss;
	struct side *side = beta > 0 ? &c->above : &c->below;

	c->primal += bound * (w->squared ? loss * loss : fabs(loss));
	/* without loss, and also where a weight of 0 makes C_i 0, by which the next lines divide */
	if (beta == 0 || !w->squared)
		return;
	side->size += fabs(beta);
	side->linear += target * beta - w->epsilon * fabs(beta);
	side->quadratic += beta * beta / (2 * bound);
	add_row(w, side->sum, b, i, beta);
}

/* On any thread: the decision values of a batch. */
static int decide_batch(void *arg, struct row_batch *b, void *user, struct error *err)
{
	const struct linear_work *w = arg;
	struct linear_values *values = user;
	int n = w->m->n_columns;

	if (mem_grow(&values->f, &values->capacity, b->n_rows * n, sizeof(double), err) < 0)
		return -1;
	for (int64_t i = 0; i < b->n_rows; i++)
		for (int v = 0; v < n; v++)
			values->f[i * n + v] = decision(w, b, i, v);
	return 0;
}

/* On one thread at a time, in the order of the rows: their sums. */
static int judge_batch(void *arg, struct row_batch *b, void *user, struct error *err)
{
	struct linear_work *w = arg;
	const struct linear_values *values = user;
	int n = w->m->n_columns;

	if (check_features(w, b, err) < 0)
		return -1;
	for (int64_t i = 0; i < b->n_rows; i++) {
		if (check_label(w->m, b->label[i], err) < 0)
			return -1;
		for (int v = 0; v < n; v++)
			judge_row(w, &w->column[v], b, i, values->f[i * n + v]);
	}
	w->n_rows += b->n_rows;
	return 0;
}

static int judge_rows(struct linear_work *w, const struct row_source *data, int n_threads,
		      struct error *err)
{
	struct linear_values values[THREAD_MAX] = { 0 };
	void *user[THREAD_MAX];
	struct rows_visitor visitor = {
		.work = decide_batch, .deliver = judge_batch, .arg = w, .user = user
	};
	int ret;

	for (int k = 0; k < THREAD_MAX; k++)
		user[k] = &values[k];
	ret = data->scan(data->arg, &visitor, n_threads, err);
	for (int k = 0; k < THREAD_MAX; k++)
		mem_free(values[k].f);
	return ret;
}

/*
 * D of (4) for the multipliers of the two sides times 'above' and 'below'
 *
 * 'constant' is the value that all rows have for the constant in |sum_i beta_i x_i|, 0 without.
 * Where all losses are 0 beta is 0, and D = 0 is all that it proves.
 */
static double best_dual(const struct column *c, double above, double below, double constant,
			int64_t n_features)
{
	const struct side *p = &c->above, *n = &c->below;
	double linear = above * p->linear + below * n->linear;
	double quadratic = above * above * p->quadratic + below * below * n->quadratic;
	double last = constant * (above * p->size - below * n->size);

	for (int64_t j = 0; j < n_features; j++) {
		double sum = above * p->sum[j] + below * n->sum[j];

		quadratic += sum * sum;
	}
	quadratic += last * last;
	return quadratic > 0 && linear > 0 ? linear * linear / (2 * quadratic) : 0;
}

/* The dual with the free constant, by (5); where a side has no multipliers nothing is left. */
static double free_dual(const struct column *c, int64_t n_features)
{
	double p = c->above.size, n = c->below.size, least = fmin(p, n);

	return least > 0 ? best_dual(c, least / p, least / n, 0, n_features) : 0;
}

/* Of column v the problem with the smaller gap; LIBLINEAR's if the gaps are equal or unknown. */
static void conclude(const struct linear_work *w, int v, struct pair_certificate *c)
{
	const struct linear_model *m = w->m;
	const struct column *column = &w->column[v];
	struct certificate *in_norm = &c->certificate, unbound = { .dual = NAN };
	double norm2 = 0, constant = m->bias >= 0 ? weight(w, m->n_features, v) : 0;

	for (int64_t j = 0; j < m->n_features; j++)
		norm2 += weight(w, j, v) * weight(w, j, v);
	unbound.primal = norm2 / 2 + column->primal;
	in_norm->primal = (norm2 + constant * constant) / 2 + column->primal;
	in_norm->dual =
		!w->squared ? NAN : best_dual(column, 1, 1, fmax(m->bias, 0), m->n_features);
	c->kkt_violation = NAN;
	c->primal_free = NAN;
	if (m->bias < 0)
		return;
	c->constant = CONSTANT_IN_NORM;
	if (!w->squared) {
		c->primal_free = unbound.primal;
		return;
	}
	unbound.dual = free_dual(column, m->n_features);
	if (certificate_relative_gap(&unbound) < certificate_relative_gap(in_norm)) {
		c->certificate = unbound;
		c->constant = CONSTANT_FREE;
	}
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
	if (m->n_columns == 1) {
		c->label_b = m->label[1];
		column->c_minus = classes_c(t, m->label[1]);
	}
}

static int find_loss(const struct linear_model *m, bool *squared, struct error *err)
{
	for (size_t k = 0; k < sizeof(losses) / sizeof(*losses); k++)
		if (strcmp(m->solver_type, losses[k].name) == 0) {
			*squared = losses[k].squared;
			return 0;
		}
	return error_set(err, ERR_ARGUMENT,
			 "models of %s cannot be certified, only LIBLINEAR's -s 1, 2, 3, 11, 12 "
			 "and 13",
			 m->solver_type);
}

static int alloc_sums(struct column *c, int64_t n_features, struct error *err)
{
	c->above.sum = mem_zeroed(n_features + 1, sizeof(double), err);
	c->below.sum = mem_zeroed(n_features + 1, sizeof(double), err);
	return c->above.sum && c->below.sum ? 0 : -1;
}

int certify_linear_model(struct model_certificate *c, const struct linear_model *m,
			 const struct row_source *data, const struct training *t, int n_threads,
			 struct error *err)
{
	struct linear_work w = { .m = m, .epsilon = m->regression ? t->p : 0 };
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
		if (w.squared && alloc_sums(&w.column[v], m->n_features, err) < 0)
			goto out;
	}
	ret = judge_rows(&w, data, n_threads, err);
	if (ret == 0 && w.n_rows == 0)
		ret = error_set(err, ERR_ARGUMENT, "no examples");
	for (int v = 0; v < m->n_columns && ret == 0; v++)
		conclude(&w, v, &c->pair[v]);
	c->n_rows = w.n_rows;
out:
	for (int v = 0; v < m->n_columns && w.column; v++) {
		mem_free(w.column[v].above.sum);
		mem_free(w.column[v].below.sum);
	}
	mem_free(w.column);
	return ret;
}

/*
 * shapley.c - Shapley values of decision values
 *
 * Some rows at a time, with the background, have the columns of a frame.  Vectors come in blocks, as
 * tiles of these columns (factor_loops.h).  The factors of a block and each row of the frame are kept
 * while all background rows z meet the block, those of z while all rows meet z.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/shapley.h"

#include "model/compact.h"
#include "proof/rounding_errors.h"

enum { LANES = FACTOR_LANES, BLOCK_VECTORS = 8 * LANES, MOST_DEGREE = 3 };

/* ---- a model ---- */

/* How often decision value v is in the output: 1, 0 or, of a pair's second class, -1. */
static double share(const struct shapley *s, int64_t output, int64_t v)
{
	struct class_choice pair;

	if (s->n_outputs == 1 || s->by->model->is_linear_model)
		return v == output;
	pair = classes_choice(s->by->n_class, v, false);
	return (pair.a == output) - (pair.b == output);
}

static double output_of(const struct shapley *s, int64_t output, const double *values)
{
	double sum = 0;

	for (int64_t v = 0; v < s->by->n_values; v++)
		sum += share(s, output, v) * values[v];
	return sum;
}

static int find_base(struct shapley *s, int n_threads, struct error *err)
{
	const struct row_view rows = csr_view(s->background, NULL, s->background->n_rows);
	const int64_t n = rows.n_rows, n_values = s->by->n_values;
	double *values = mem_array(n * n_values, sizeof(*values), err);

	s->base = mem_zeroed(s->n_outputs, sizeof(*s->base), err);
	if (values && s->base)
		predictor_values_on(s->by, &rows, values, n_threads, err);
	for (int64_t i = 0; i < n && err->code == ERR_NONE; i++) {
		s->largest_norm2 = fmax(s->largest_norm2, csr_row_norm2(s->background, i));
		for (int64_t o = 0; o < s->n_outputs; o++)
			s->base[o] += output_of(s, o, values + i * n_values) / (double)n;
	}
	if (err->code == ERR_NONE && !are_finite(s->base, s->n_outputs))
		error_set(err, ERR_NUMERIC, "decision values of the background are not finite");
	mem_free(values);
	return err->code == ERR_NONE ? 0 : -1;
}

/* The weights of each decision value as a vector. */
static void take_weights(struct shapley *s, struct error *err)
{
	struct model_weights w = { 0 };
	int32_t *col = NULL;

	if (model_weights(&w, s->by->model, err) == 0)
		col = mem_array(w.n, sizeof(*col), err);
	for (int64_t i = 0; i < w.n && col; i++)
		col[i] = (int32_t)w.feature[i];
	for (int64_t v = 0; v < w.n_columns && err->code == ERR_NONE; v++)
		csr_append_nonzeros(&s->weights, w.n, col, w.w + v, w.n_columns, err);
	mem_free(col);
	model_weights_free(&w);
	s->vectors = &s->weights;
}

/* s->coef: of vector j of class c in output o, the sum over the pairs of c that o has. */
static void fill_coefficients(struct shapley *s, int64_t o)
{
	const struct expansion *e = &s->by->expansion;
	double *coef = s->coef + o * s->n_lanes;

	for (int64_t v = 0; v < s->weights.n_rows; v++)
		coef[v] = share(s, o, v);
	for (int c = 0; c < e->n_class && s->weights.n_rows == 0; c++)
		for (int other = 0; other < e->n_class; other++)
			for (int64_t j = e->class_start[c]; j < e->class_start[c + 1]; j++)
				if (other != c)
					coef[j] +=
						share(s, o, expansion_pair(e->n_class, c, other)) *
						expansion_coef(e, c, other)[j];
}

/* ---- rules ---- */

/* The rule of n nodes: zeros of a Legendre polynomial by Newton's method. */
static void make_rule(struct factor_rule *rule, int n)
{
	rule->n = n;
	rule->log_constant = -log(2 * n + 1);
	for (int i = 1; i <= 2 * n; i++)
		rule->log_constant += (i <= n ? 1 : -3) * log(i);
	for (int i = 0; i < n; i++) {
		double x = cos(3.14159265358979324 * (i + 0.75) / (n + 0.5)), slope = 1, value = 0;

		for (int step = 0; step < 9; step++) {
			double before = 1;

			x -= value / slope;
			value = x;
			for (int k = 2; k <= n; k++) {
				const double next =
					((2 * k - 1) * x * value - (k - 1) * before) / k;

				before = value;
				value = next;
			}
			slope = n * (before - x * value) / (1 - x * x);
		}
		rule->node[i] = (1 - x) / 2;
		rule->weight[i] = 1 / ((1 - x * x) * slope * slope);
	}
}

/* The largest A of each rule, by (2) of factor_loops.h, for the number of players. */
static void find_limits(struct factor_game *game)
{
	const double m = (double)game->n - 1;
	double log_product = 0;

	for (int k = 0, i = 0; k < FACTOR_RULES; k++) {
		const int order = 2 * game->rule[k].n;

		for (; i < order && i < m; i++)
			log_product += log1p(-i / m);
		game->limit[k] =
			order > m ? INFINITY :
				    exp((log(0x1p-50) - game->rule[k].log_constant - log_product) /
					order);
	}
}

/* ---- the model made ready ---- */

void shapley_free(struct shapley *s)
{
	csr_free(&s->weights);
	mem_free_all(s->base, s->rule, s->coef, s->norm2);
	*s = (struct shapley){ 0 };
}

int shapley_init(struct shapley *s, const struct predictor *by, const struct csr *background,
		 int n_threads, struct error *err)
{
	const bool is_linear =
		by->model->is_linear_model || by->model->kernel.type == KERNEL_LINEAR;
	const struct kernel linear = { KERNEL_POLYNOMIAL, 1, 1, 0 };
	int nodes = 0;

	*s = (struct shapley){ .by = by, .background = background, .vectors = &by->model->sv };
	s->kernel = is_linear ? linear : by->model->kernel;
	s->n_outputs = by->label && by->n_values > 1 ? by->n_class : 1;
	if (background->n_rows == 0)
		error_set(err, ERR_ARGUMENT, "the background has no rows");
	else if (by->n_values == 0 ||
		 (s->kernel.type != KERNEL_RBF &&
		  (s->kernel.type != KERNEL_POLYNOMIAL || s->kernel.degree > MOST_DEGREE)))
		error_set(
			err, ERR_ARGUMENT,
			"exact Shapley values are for two classes or more, and for linear, rbf and "
			"polynomial kernels of degree %d at most",
			MOST_DEGREE);
	else if (find_base(s, n_threads, err) == 0 && is_linear)
		take_weights(s, err);
	s->n_lanes = (s->vectors->n_rows + LANES - 1) / LANES * LANES;
	s->rule = mem_array(FACTOR_RULES, sizeof(*s->rule), err);
	s->norm2 = mem_array(s->vectors->n_rows, sizeof(double), err);
	s->coef = mem_aligned(s->n_outputs * s->n_lanes, sizeof(double), err);
	if (err->code != ERR_NONE) {
		shapley_free(s);
		return -1;
	}
	/* 3, 6 .. 15, then by a fifth or more up to FACTOR_MOST_NODES */
	for (int k = 0; k < FACTOR_RULES; k++) {
		nodes += FACTOR_NODES * (1 + nodes / (5 * FACTOR_NODES));
		make_rule(&s->rule[k], nodes);
	}
	for (int64_t j = 0; j < s->vectors->n_rows; j++)
		s->norm2[j] = csr_row_norm2(s->vectors, j);
	for (int64_t o = 0; o < s->n_outputs; o++)
		fill_coefficients(s, o);
	return 0;
}

/* ---- frames of rows ---- */

/* Some rows and the background in the columns that they have; owns all arrays but rules and coef. */
struct frame {
	const struct shapley *s;
	struct column_map columns;
	struct factor_tile tile; /* vectors of a block */
	struct factor_game game;
	double *sum; /* [rows][columns][LANES] */
	/* of the rows, and behind them of a background row: values, and what factor_loops_row() makes */
	double *x, *factor,
		*distance; /* [rows + 1][columns], [rows + 1][columns][BLOCK_VECTORS], .. */
};

/* Where it fails, too, the frame is to be freed. */
static int make_frame(struct frame *f, const struct shapley *s, const struct row_view *rows,
		      struct error *err)
{
	const struct csr *z = s->background;
	int64_t n;

	*f = (struct frame){ .s = s, .game.gamma = s->kernel.gamma, .game.rule = s->rule };
	for (int64_t e = 0; e < csr_n_entries(z); e++)
		column_map_add(&f->columns, z->col[e], err);
	for (int64_t i = 0; i < rows->n_rows; i++)
		for (int64_t e = 0; e < row_view_at(rows, i).n; e++)
			column_map_add(&f->columns, row_view_at(rows, i).col[e], err);
	n = f->columns.n;
	f->tile.n_columns = n;
	f->tile.outside = mem_aligned(BLOCK_VECTORS, sizeof(double), err);
	f->tile.value = mem_aligned(n * BLOCK_VECTORS, sizeof(double), err);
	f->distance = mem_aligned((rows->n_rows + 1) * BLOCK_VECTORS, sizeof(double), err);
	f->factor = mem_aligned((rows->n_rows + 1) * n * BLOCK_VECTORS, sizeof(double), err);
	f->x = mem_array((rows->n_rows + 1) * n, sizeof(double), err);
	f->game.work = mem_aligned(n * FACTOR_WORK, sizeof(double), err);
	f->game.player = mem_array(n, sizeof(int32_t), err);
	f->sum = mem_aligned(n * rows->n_rows * LANES, sizeof(double), err);
	return err->code == ERR_NONE ? column_map_sort(&f->columns, err) : -1;
}

/* Vectors from 'first' on as the tile. */
static void fill_tile(struct frame *f, int64_t first)
{
	const struct csr *v = f->s->vectors;
	struct factor_tile *t = &f->tile;

	t->n_groups = int64_min(BLOCK_VECTORS, f->s->n_lanes - first) / LANES;
	memset(t->value, 0, (size_t)(t->n_groups * t->n_columns * LANES) * sizeof(double));
	memset(t->outside, 0, (size_t)(t->n_groups * LANES) * sizeof(double));
	for (int64_t i = 0; i < t->n_groups * LANES && first + i < v->n_rows; i++)
		for (int64_t e = v->row_start[first + i]; e < v->row_start[first + i + 1]; e++) {
			const int32_t l = column_map_find(&f->columns, v->col[e]);

			if (l >= 0)
				t->value[(i / LANES * t->n_columns + l) * LANES + i % LANES] =
					v->val[e];
			else
				t->outside[i] += v->val[e] * v->val[e];
		}
}

/* The players of a row and a background row. */
static void list_players(struct frame *f)
{
	const int64_t before = f->game.n;

	f->game.n = 0;
	for (int32_t l = 0; l < f->columns.n; l++)
		if (f->game.z[l] != f->game.x[l])
			f->game.player[f->game.n++] = l;
	if (f->game.n != before)
		find_limits(&f->game);
}

/* ---- polynomials ---- */

/*
 * What a vector adds to phi of a player whose product with it changes by c; u is that of x, 'sum' and
 * 'squares' are of all players' c and c^2
 */
static double moment_term(int degree, double u, double c, double sum, double squares)
{
	const double u_z = u - sum, others = sum - c;

	if (degree < 2)
		return degree * c;
	if (degree == 2)
		return c * (u + u_z);
	return c * (3 * (u_z * (u_z + others) + others * others / 3 + (squares - c * c) / 6) +
		    3 * c * (u_z + others / 2) + c * c);
}

static void play_polynomial(struct frame *f)
{
	const struct kernel *kernel = &f->s->kernel;
	const struct factor_tile *t = &f->tile;
	const struct factor_game *g = &f->game;

	for (int64_t j = 0; j < t->n_groups * LANES; j++) {
		const double *value = t->value + j / LANES * t->n_columns * LANES + j % LANES;
		double u = kernel->coef0, sum = 0, squares = 0;

		for (int64_t l = 0; l < t->n_columns; l++)
			u += kernel->gamma * value[l * LANES] * g->x[l];
		for (int64_t k = 0; k < g->n; k++) {
			const int32_t l = g->player[k];

			g->work[k] = kernel->gamma * value[l * LANES] * (g->x[l] - g->z[l]);
			sum += g->work[k];
			squares += g->work[k] * g->work[k];
		}
		for (int64_t k = 0; k < g->n; k++)
			g->sum[g->player[k] * LANES + j % LANES] +=
				g->coef[j] *
				moment_term(kernel->degree, u, g->work[k], sum, squares);
	}
}

/* ---- rows ---- */

/* Row i of the frame plays. */
static void take_row(struct frame *f, int64_t i)
{
	const int64_t n = f->columns.n;

	f->game.x = f->x + i * n;
	f->game.factor = f->factor + i * n * BLOCK_VECTORS;
	f->game.distance = f->distance + i * BLOCK_VECTORS;
	f->game.sum = f->sum + i * n * LANES;
}

/* Row i of the frame becomes x, and meets the block. */
static void meet(struct frame *f, int64_t i, struct csr_row x)
{
	take_row(f, i);
	memset(f->game.x, 0, (size_t)f->columns.n * sizeof(*f->game.x));
	for (int64_t e = 0; e < x.n; e++)
		f->game.x[column_map_find(&f->columns, x.col[e])] = x.val[e];
	if (f->s->kernel.type == KERNEL_RBF)
		factor_loops_row(&f->tile, &f->game);
}

/* The rows meet a block of vectors, from 'first' on, in games with all of the background. */
static void play(struct frame *f, const struct row_view *rows, const int64_t *output, int64_t first)
{
	const struct shapley *s = f->s;

	for (int64_t i = 0; i < rows->n_rows; i++)
		meet(f, i, row_view_at(rows, i));
	for (int64_t k = 0; k < s->background->n_rows; k++) {
		meet(f, rows->n_rows, csr_row_of(s->background, k));
		f->game.z = f->game.x;
		f->game.other = f->game.factor;
		for (int64_t i = 0; i < rows->n_rows; i++) {
			take_row(f, i);
			f->game.coef = s->coef + output[i] * s->n_lanes + first;
			list_players(f);
			if (s->kernel.type != KERNEL_RBF)
				play_polynomial(f);
			else if (!factor_loops_play(&f->tile, &f->game))
				f->game.sum[0] = NAN;
		}
	}
}

/*
 * The error of a Shapley value or a decision value at most: relative errors of n factors, and of sums
 * over vectors, and those of exponents; the remainder is 8 units of them.  24 is for all terms of
 * degree 3.
 */
static double error_bound(const struct shapley *s, int64_t n, const double *coef, double norm2)
{
	const int64_t n_vectors = s->vectors->n_rows;
	const double gamma = fabs(s->kernel.gamma), in_sums = rounding_growth((double)n);
	const double reach = sqrt(norm2) + sqrt(s->largest_norm2);
	const double each = 10 * (double)n + 100 + rounding_growth((double)n_vectors);
	double sum = 0;

	for (int64_t j = 0; j < n_vectors; j++) {
		const double of_vector = s->norm2[j];

		sum += fabs(coef[j]) *
		       (s->kernel.type == KERNEL_RBF ?
				each + gamma * (of_vector + reach * reach) * (10 + in_sums) :
				24 * (each + in_sums) *
					double_power(fabs(s->kernel.coef0) +
							     gamma * sqrt(of_vector) * reach,
						     s->kernel.degree));
	}
	return sum * ROUNDING_UNIT;
}

/* The values of row x from the sums of its lanes, in place. */
static struct shapley_values values_of(const struct frame *f, struct csr_row x, int64_t output,
				       double *sum, double decision)
{
	const struct shapley *s = f->s;
	struct shapley_values v = { decision, s->base[output], f->columns.n, f->columns.list,
				    sum,      INFINITY };
	double total = v.base, bound;

	for (int64_t l = 0; l < v.n; l++) {
		double value = 0;

		for (int lane = 0; lane < LANES; lane++)
			value += sum[l * LANES + lane];
		sum[l] = value / (double)s->background->n_rows;
		total += sum[l];
	}
	bound = error_bound(s, v.n, s->coef + output * s->n_lanes, squared_norm(x.val, x.n));
	if (fabs(total - decision) <= (double)(v.n + 2) * bound)
		v.bound = bound;
	return v;
}

int shapley_rows(const struct shapley *s, const struct row_view *rows, const double *decisions,
		 struct predictor_scratch *scratch,
		 int (*visit)(void *arg, int64_t i, const struct shapley_values *v,
			      struct error *err),
		 void *arg, struct error *err)
{
	const int64_t n_lanes = s->n_lanes, n_values = s->by->n_values;
	int64_t *output = mem_zeroed(rows->n_rows, sizeof(*output), err);
	struct frame f = { 0 };
	int ret = output ? make_frame(&f, s, rows, err) : -1;

	for (int64_t i = 0; i < rows->n_rows && ret == 0 && s->n_outputs > 1; i++) {
		const double label = predictor_decide(s->by, decisions + i * n_values, scratch);

		while (s->by->label[output[i]] != label)
			output[i]++;
	}
	for (int64_t j = 0; j < n_lanes && ret == 0; j += BLOCK_VECTORS) {
		fill_tile(&f, j);
		play(&f, rows, output, j);
	}
	for (int64_t i = 0; i < rows->n_rows && ret == 0; i++) {
		const struct shapley_values v = values_of(
			&f, row_view_at(rows, i), output[i], f.sum + i * f.columns.n * LANES,
			output_of(s, output[i], decisions + i * n_values));

		ret = visit(arg, i, &v, err);
	}
	column_map_free(&f.columns);
	mem_free_all(f.tile.outside, f.tile.value, f.distance, f.factor, f.x, f.game.work,
		     f.game.player, f.sum, output);
	return ret;
}

/*
 * linear_direction.c - the Newton direction of the linear engine
 *
 * With X_J the m rows of J, 1 a column of ones, and g = (g_w, g_b), each way solves (weights apart)
 *
 *     step_w + sigma X_J' u = -g_w
 *     step_b / tau + sigma 1'u = -g_b,        u = X_J step_w + step_b 1                         (1)
 *
 * (with two sides: 1 has two columns, which are 1 on one side and 0 on the other, and step_b and
 * g_b have two numbers).
 *
 * Primal, O((d + 1)^3 / 3): with z = (x, 1), divided by sigma for the sake of the numbers' size,
 *
 *     (diag(1, .., 1, 1/tau) / sigma + sum_J z z') step = -g / sigma                            (2)
 *
 * J changes by few rows from step to step, so sum_J z z' is kept and z z' added or subtracted for
 * the rows that entered or left.  Subtracting leaves the rounding errors of the larger sum: it is
 * begun anew when J has shrunk to a quarter, and by linear_direction_forget() now and then.
 *
 * Dual, O(m^3 / 3), with K = X_J X_J' + 1/sigma: (1) multiplied by X_J gives
 * sigma K u = step_b 1 - X_J g_w, and so
 *
 *     q = K^-1 1,   h = K^-1 X_J g_w
 *     step_b = (sum h - g_b) / (1/tau + sum q),   step_w = -g_w + X_J'(h - q step_b)            (3)
 *
 * (with two sides: q has two columns, and a system of two equations gives step_b).  Woodbury's
 * identity for (x, 1) would have the matrix K + tau 1 1', in which tau = 1e9 residuals / C drowns
 * the inner products; (3) keeps the bias apart.  Inner products of rows are kept in slots,
 * as rows leave J and come back; where neither sigma nor J has changed, so is the factor.
 *
 * With weights c the outer products of (2) and the rows of (1) have the factor c_i, and K has
 * 1/(sigma c_i) on its diagonal; (3) is the same.
 *
 * Conjugate gradients on (1), (4) to (6), a pass over the rows of J for each: for many
 * features and many rows in J.  They take the more steps the larger sigma is; where they do not
 * converge one of the other ways takes over, if its matrix is not too large, and else what has been
 * reached is taken: a direction of descent all the same.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linear/linear_direction.h"

#include "base/mem.h"
#include "matrix/blas.h"

/* Slots: half as many again as rows in J, for rows that left J and may come back; 18 MB. */
#define MAX_SLOTS (3 * LINEAR_MAX_DUAL / 2)

/*
 * Parts of the rows of the matrix (2), shared out among threads: every PARTS-th row goes to the
 * same part; a power of 2.  The number does not change the bits.
 */
#define PARTS 4

/*
 * Ratio of rows summed to rows still in the sum over J at which the sum is begun anew: its rounding
 * errors are those of the larger sum, and summing the few rows again is less than what was spent on
 * subtracting those that left.  On real data it is rare: 2 and 1000 take as many Newton steps.
 */
#define REBUILD 4

/* Rows made dense at a time: the BLAS is at full speed, and 256 x 1201 doubles take 2.5 MB. */
#define DENSE_ROWS 256

/* 1 / DENSE_SHARE of entries: rows at least as full are faster added up densely, by the BLAS. */
#define DENSE_SHARE 3

/*
 * Ridge of a matrix that has no Cholesky factor in doubles, relative to its diagonal (the dual way
 * has it from the first attempt on), and growth of the ridge at each further attempt: 1e-13 is a
 * few hundred roundings, and even the last ridge still leaves a direction of descent.
 */
#define FIRST_RIDGE 1e-13
#define RIDGE_GROWTH 100
#define MAX_RIDGES 6

void linear_direction_free(struct linear_direction *m)
{
	mem_free_all(m->outer.sum, m->factor.matrix, m->factor.rhs, m->outer.dense, m->slots.gram,
		     m->slots.slot_row, m->slots.row_slot, m->slots.expanded, m->factor.row,
		     m->slots.inside);
	linear_pack_free(&m->pack);
	csr_free(&m->slots.x);
	*m = (struct linear_direction){ 0 };
}

static void forget_slots(struct linear_direction *m)
{
	for (int64_t slot = 0; slot < m->slots.n; slot++)
		m->slots.row_slot[m->slots.slot_row[slot]] = -1;
	m->slots.n = m->slots.x.n_rows = 0;
}

void linear_direction_forget(struct linear_direction *m)
{
	m->outer.is_current = false;
	/* the last bit of an inner product depends on which of its rows got its slot first */
	forget_slots(m);
	m->factor.n_rows = 0;
}

/* Room for a matrix of the given order, its factor and its right-hand sides. */
static int get_factor(struct linear_direction *m, int64_t order, struct error *err)
{
	int64_t wanted = order * order;

	/* of order 0 too: its arrays have a place, to which 0 may be added */
	if (m->factor.rhs && m->factor.capacity >= wanted)
		return 0;
	mem_free_all(m->factor.matrix, m->factor.rhs);
	m->factor.capacity = m->factor.n_rows = 0;
	m->factor.matrix = mem_aligned(wanted, sizeof(*m->factor.matrix), err);
	m->factor.rhs = mem_aligned(4 * order, sizeof(*m->factor.rhs), err);
	if (!m->factor.matrix || !m->factor.rhs || blas_reserve(order, 0, err) < 0)
		return -1;
	m->factor.capacity = wanted;
	return 0;
}

/* ---- primal ---- */

/* Rows to be added to the sum of (2), or with the sign -1 to be subtracted. */
struct outer_sum {
	struct linear_direction *m;
	const struct linear_rows *x;
	const int64_t *row;
	const double *sign; /* sign of each row; NULL: 1 for all */
	int64_t n, n_parts; /* number of rows; number of parts of the work, a power of 2 */
	int list;	    /* rows of other lists are left out; -1: none */
};

/* Is row r of the sum left out? */
static bool is_left_out(const struct outer_sum *s, int64_t r)
{
	return s->list >= 0 && s->x->list[s->row[r]] != s->list;
}

/*
 * Add z z' of each row by its entries: lower triangle, row d of the matrix being that of the ones,
 * or d and d + 1 those of the two sides.  This part has the matrix's rows a with a mod n_parts =
 * part: no two parts write to the same element, and each element gets its terms in the order of the
 * list.
 */
static void add_sparse_part(void *arg, int64_t part, int thread UNUSED)
{
	const struct outer_sum *s = arg;
	int64_t size = s->m->outer.size;

	/* 'one' is the column where z has its 1: d, or d + 1 on the second side */
	for (int64_t r = 0; r < s->n; r++) {
		int64_t one = s->x->d + linear_direction_side(s->m, s->row[r]);
		double *ones = s->m->outer.sum + one * size;
		double factor = (s->sign ? s->sign[r] : 1) * weight_at(s->m->weight, s->row[r]);
		int64_t start = s->x->start[s->row[r]], end = s->x->start[s->row[r] + 1];
		const int32_t *col = s->x->col + start;
		const double *val = s->x->val + start;

		if (is_left_out(s, r))
			continue;
		/* columns ascend within a row, so that b <= a is the lower triangle */
		for (int64_t a = 0; a < end - start; a++) {
			double *outer = s->m->outer.sum + col[a] * size, c = factor * val[a];

			if ((col[a] & (s->n_parts - 1)) != part)
				continue;
			for (int64_t b = 0; b <= a; b++)
				outer[col[b]] += c * val[b];
		}
		if ((one & (s->n_parts - 1)) != part)
			continue;
		for (int64_t a = 0; a < end - start; a++)
			ones[col[a]] += factor * val[a];
		ones[one] += factor;
	}
}

/* Add the rows by add_sparse_part() for all parts, on threads where the products are many. */
static void add_sparse(const struct outer_sum *s)
{
	struct outer_sum shared = *s;
	int64_t n_entries = linear_rows_entries(s->x, s->row, s->n);
	double work = (double)n_entries * (double)n_entries / (double)(s->n > 0 ? s->n : 1) / 2;

	shared.n_parts = work >= LINEAR_WORK_FOR_THREADS && s->x->team ? PARTS : 1;
	thread_team_for(s->x->team, shared.n_parts, add_sparse_part, &shared);
}

/* Add the rows of one sign, made dense, DENSE_ROWS at a time: a matrix times its own transpose. */
static void add_dense_of_sign(const struct outer_sum *s, double sign)
{
	int64_t size = s->m->outer.size, n_dense = 0;

	for (int64_t r = 0; r < s->n; r++) {
		double *z = s->m->outer.dense + n_dense * size;
		double root = sqrt(weight_at(s->m->weight, s->row[r]));

		/* weights as c z z' = (sqrt(c) z)(sqrt(c) z)': the BLAS has one factor for all */
		if (is_left_out(s, r) || (s->sign && s->sign[r] != sign))
			continue;
		memset(z, 0, (size_t)size * sizeof(*z));
		linear_rows_axpy(s->x, s->row[r], root, z);
		z[s->x->d + linear_direction_side(s->m, s->row[r])] = root;
		if (++n_dense < DENSE_ROWS)
			continue;
		blas_add_outer(s->m->outer.sum, size, size, sign, s->m->outer.dense, n_dense);
		n_dense = 0;
	}
	blas_add_outer(s->m->outer.sum, size, size, sign, s->m->outer.dense, n_dense);
}

/* Add rows of a list; dense rows go through the BLAS, which takes a fraction of the time. */
static void add_rows(const struct outer_sum *s)
{
	if (s->m->outer.by_entries) {
		add_sparse(s);
		return;
	}
	add_dense_of_sign(s, 1);
	if (s->sign)
		add_dense_of_sign(s, -1);
}

void linear_direction_add(struct linear_direction *m, const struct linear_rows *x,
			  const int64_t *row, const double *sign, int64_t n)
{
	struct linear_helpers *h = x->helpers;
	struct outer_sum s = { .m = m, .x = x, .row = row, .sign = sign, .n = n, .list = -1 };
	const int64_t n_bytes = m->outer.size * m->outer.size * (int64_t)sizeof(*m->outer.sum);

	if (!x->shared)
		add_rows(&s);
	for (int place = 0; x->shared && place < LINEAR_LISTS; place++) {
		s.list = linear_list(place);
		if (h && place > 0)
			h->hand_on(h, linear_list(place - 1), s.list, m->outer.sum, n_bytes);
		if (!h || s.list % h->size == h->rank)
			add_rows(&s);
	}
	if (h)
		h->hand_on(h, s.list, 0, m->outer.sum, n_bytes);
}

/* Add rows to the sum, wherever they are. */
static void add_outer(struct linear_direction *m, const struct linear_rows *x, const int64_t *row,
		      const double *sign, int64_t n)
{
	const int64_t n_entries = linear_rows_entries(x, row, n);

	work_count(WORK_ENTRIES, n_entries);
	/* sparse: entries^2 / 2 scattered products a row; dense: d^2 / 2 by the BLAS */
	m->outer.by_entries = DENSE_SHARE * n_entries < n * x->d;
	if (x->val)
		linear_direction_add(m, x, row, sign, n);
	else
		x->helpers->outer(x->helpers, &m->outer, row, sign, n);
}

void linear_direction_change(struct linear_direction *m, const struct linear_rows *x,
			     const int64_t *row, const double *sign, int64_t n)
{
	/* keep the sum over J of (2), or give the sum up until a primal step needs it */
	for (int64_t k = 0; k < n; k++)
		m->outer.n += sign[k] > 0 ? 1 : -1;
	m->outer.most = int64_max(m->outer.n, m->outer.most);
	m->outer.is_current &= REBUILD * m->outer.n >= m->outer.most;
	if (m->outer.is_current)
		add_outer(m, x, row, sign, n);
}

int linear_direction_room(struct linear_direction *m, const struct linear_rows *x,
			  struct error *err)
{
	int64_t n_dense = int64_min(x->n, DENSE_ROWS);

	if (m->outer.sum)
		return 0;
	m->outer.size = x->d + linear_direction_sides(m);
	m->outer.dense = mem_aligned(n_dense * m->outer.size, sizeof(*m->outer.dense), err);
	m->outer.sum = mem_aligned(m->outer.size * m->outer.size, sizeof(*m->outer.sum), err);
	if (!m->outer.dense || !m->outer.sum)
		return -1;
	return blas_reserve(m->outer.size, n_dense, err);
}

/* Factor the matrix divided by sigma, with a ridge if rounding leaves it not positive definite. */
static int factor_primal(struct linear_direction *m, double sigma, double tau)
{
	int64_t size = m->outer.size, d = size - linear_direction_sides(m);
	double ridge = 0;

	/* both ways share the memory of the factor: a dual factor of earlier rows is lost */
	m->factor.n_rows = 0;
	for (int attempt = 0; attempt < MAX_RIDGES; attempt++) {
		/* a failed attempt leaves half a factor: each attempt begins with the sum */
		memcpy(m->factor.matrix, m->outer.sum,
		       (size_t)(size * size) * sizeof(*m->factor.matrix));
		for (int64_t j = 0; j < size; j++)
			m->factor.matrix[j * size + j] +=
				(j < d ? 1 : 1 / tau) / sigma + ridge * m->outer.sum[j * size + j];
		if (blas_cholesky(m->factor.matrix, size, size) == 0)
			return 0;
		ridge = ridge > 0 ? RIDGE_GROWTH * ridge : FIRST_RIDGE;
	}
	return -1;
}

/* Step by the primal way, (2).  Returns 1 if the matrix could not be factored. */
static int primal_step(struct linear_direction *m, const struct linear_rows *x,
		       const int64_t *inside, int64_t n_inside, struct linear_step *step,
		       struct error *err)
{
	int64_t d = x->d;

	if (linear_direction_room(m, x, err) < 0 || get_factor(m, m->outer.size, err) < 0)
		return -1;
	/* the sum over J, if linear_direction_change() has not kept it: from all rows of J */
	if (!m->outer.is_current) {
		memset(m->outer.sum, 0,
		       (size_t)(m->outer.size * m->outer.size) * sizeof(*m->outer.sum));
		add_outer(m, x, inside, NULL, n_inside);
		m->outer.is_current = true;
		m->outer.n = m->outer.most = n_inside;
	}
	if (factor_primal(m, step->sigma, step->tau) < 0)
		return 1;
	/* solve step = (matrix / sigma)^-1 (-g / sigma) */
	for (int64_t j = 0; j < d; j++)
		m->factor.rhs[j] = -step->gradient_w[j] / step->sigma;
	for (int64_t j = d; j < m->outer.size; j++)
		m->factor.rhs[j] = -step->gradient_b[j - d] / step->sigma;
	blas_cholesky_solve(m->factor.matrix, m->outer.size, m->outer.size, m->factor.rhs);
	memcpy(step->w, m->factor.rhs, (size_t)d * sizeof(*step->w));
	for (int64_t j = d; j < m->outer.size; j++)
		step->b[j - d] = m->factor.rhs[j];
	m->n_primal++;
	return 0;
}

/* ---- dual ---- */

/* Room for the inner products; not cleared, as each product is written before it is read. */
static int get_gram(struct linear_direction *m, const struct linear_rows *x, struct error *err)
{
	int64_t n_inside = int64_min(x->n, LINEAR_MAX_DUAL);

	if (m->slots.gram)
		return 0;
	m->slots.max = int64_min(x->n, MAX_SLOTS);
	m->slots.slot_row = mem_array(m->slots.max, sizeof(*m->slots.slot_row), err);
	m->slots.row_slot = mem_array(x->n, sizeof(*m->slots.row_slot), err);
	m->slots.expanded = mem_zeroed(x->d, sizeof(*m->slots.expanded), err);
	m->factor.row = mem_array(n_inside, sizeof(*m->factor.row), err);
	m->slots.inside = mem_array(n_inside, sizeof(*m->slots.inside), err);
	m->slots.gram = mem_large(m->slots.max * m->slots.max, sizeof(*m->slots.gram), err);
	if (err->code != ERR_NONE)
		return -1;
	memset(m->slots.row_slot, 0xff, (size_t)x->n * sizeof(*m->slots.row_slot));
	return 0;
}

/*
 * The inner products of a slot's row with all rows of earlier slots and itself.  It is expanded to d
 * numbers, so that each product takes the entries of the other row.
 */
static void fill_slot(struct linear_direction *m, int64_t slot)
{
	const struct csr *x = &m->slots.x;
	const struct linear_rows rows = { .start = x->row_start, .col = x->col, .val = x->val };

	/*
	 * 'expanded' is zero between calls: only the row's own entries are written, and cleared.
	 * The product is of the later slot with the earlier one in any case, so that its bits
	 * depend on the order of slots alone.
	 */
	linear_rows_axpy(&rows, slot, 1, m->slots.expanded);
	for (int64_t other = 0; other <= slot; other++)
		m->slots.gram[slot * m->slots.max + other] =
			linear_rows_dot(&rows, other, m->slots.expanded);
	work_count(WORK_ENTRIES, x->row_start[slot + 1]);
	for (int64_t k = x->row_start[slot]; k < x->row_start[slot + 1]; k++)
		m->slots.expanded[x->col[k]] = 0;
}

/* Give every row of J a slot; when the slots run out all are given up, also those of other rows. */
static int cover_rows(struct linear_direction *m, const struct linear_rows *x,
		      const int64_t *inside, int64_t n_inside, struct error *err)
{
	int64_t n_new = 0, *row;
	struct csr some = { 0 };

	/* J itself always fits: n_inside <= LINEAR_MAX_DUAL < MAX_SLOTS */
	for (int64_t k = 0; k < n_inside; k++)
		n_new += m->slots.row_slot[inside[k]] < 0;
	if (m->slots.n + n_new > m->slots.max)
		forget_slots(m);
	row = m->slots.slot_row + m->slots.n;
	n_new = 0;
	for (int64_t k = 0; k < n_inside; k++)
		if (m->slots.row_slot[inside[k]] < 0)
			row[n_new++] = inside[k];
	if (n_new == 0)
		return 0;
	if (linear_rows_take(x, row, n_new, &some, err) == 0)
		csr_append(&m->slots.x, n_new, some.row_start, some.col, some.val, err);
	csr_free(&some);
	for (int64_t k = 0; k < n_new && err->code == ERR_NONE; k++) {
		m->slots.row_slot[row[k]] = (int32_t)m->slots.n;
		fill_slot(m, m->slots.n++);
	}
	return err->code == ERR_NONE ? 0 : -1;
}

/* Copy row a of the Gram matrix of the rows of J, up to the diagonal. */
static void copy_gram_row(const struct linear_direction *m, int64_t a, double *row)
{
	int64_t slot = m->slots.inside[a];

	for (int64_t b = 0; b <= a; b++) {
		int64_t other = m->slots.inside[b];

		row[b] = slot > other ? m->slots.gram[slot * m->slots.max + other] :
					m->slots.gram[other * m->slots.max + slot];
	}
}

/* Factor L L' = X_J X_J' + 1/sigma; a ridge is added at once, for J may hold equal rows. */
static int factor_dual(struct linear_direction *m, const struct linear_rows *x,
		       const int64_t *inside, int64_t n_inside, double sigma)
{
	double ridge = FIRST_RIDGE;

	/* late in an outer step the present factor often is that of these rows and this sigma */
	if (m->factor.n_rows == n_inside && m->factor.sigma == sigma &&
	    memcmp(m->factor.row, inside, (size_t)n_inside * sizeof(*inside)) == 0)
		return 0;
	m->factor.n_rows = 0;
	for (int64_t a = 0; a < n_inside; a++)
		m->slots.inside[a] = m->slots.row_slot[inside[a]];
	for (int attempt = 0; attempt < MAX_RIDGES; attempt++) {
		for (int64_t a = 0; a < n_inside; a++) {
			double *row = m->factor.matrix + a * n_inside;

			/* matrix K of (3); its ridge is relative to |x_a|^2, as rounding is */
			copy_gram_row(m, a, row);
			row[a] += 1 / (sigma * weight_at(m->weight, inside[a])) +
				  ridge * x->norm2[inside[a]];
		}
		if (blas_cholesky(m->factor.matrix, n_inside, n_inside) == 0) {
			memcpy(m->factor.row, inside, (size_t)n_inside * sizeof(*inside));
			m->factor.n_rows = n_inside;
			m->factor.sigma = sigma;
			return 0;
		}
		ridge *= RIDGE_GROWTH;
	}
	return -1;
}

/* Sum of the numbers of the rows of J that are on this side. */
static double sum_of_side(const struct linear_direction *m, const int64_t *inside, int64_t n_inside,
			  const double *x, int side)
{
	double sum = 0;

	for (int64_t k = 0; k < n_inside; k++)
		sum += linear_direction_side(m, inside[k]) == side ? x[k] : 0;
	return sum;
}

/*
 * Solve step_b of (3), where 'a' are the elements of 1'K^-1 1 and 'rhs' is 1'h - g_b: two
 * equations, or one.  The inner products of columns of K^-1 are symmetric, and what is added to the
 * diagonal keeps the determinant from 0.
 */
static void solve_constants(int n_sides, double a[2][2], const double rhs[2], double b[2])
{
	double factor = n_sides > 1 ? a[1][0] / a[0][0] : 0;

	b[1] = n_sides > 1 ? (rhs[1] - factor * rhs[0]) / (a[1][1] - factor * a[0][1]) : 0;
	b[0] = n_sides > 1 ? (rhs[0] - a[0][1] * b[1]) / a[0][0] : rhs[0] / a[0][0];
}

/* Step by the dual way, (3).  Returns 1 if the matrix could not be factored. */
static int dual_step(struct linear_direction *m, const struct linear_rows *x, const int64_t *inside,
		     int64_t n_inside, struct linear_step *step, struct error *err)
{
	int n_sides = linear_direction_sides(m);
	double *q, *h, sums[2][2], rhs[2];

	if (get_gram(m, x, err) < 0 || get_factor(m, n_inside, err) < 0 ||
	    cover_rows(m, x, inside, n_inside, err) < 0)
		return -1;
	if (factor_dual(m, x, inside, n_inside, step->sigma) < 0)
		return 1;
	/* right-hand sides of (3): the columns of q are side by side in rhs, and h is after them */
	q = m->factor.rhs;
	h = m->factor.rhs + n_sides * n_inside;
	/* first right-hand side of (3): h = K^-1 X_J g_w */
	linear_rows_times(x, inside, n_inside, step->gradient_w, 0, h);
	blas_cholesky_solve(m->factor.matrix, n_inside, n_inside, h);
	/* q = K^-1 1 of (3) for each side; then 1'q + 1/tau, and sum h - g_b */
	for (int s = 0; s < n_sides; s++, q += n_inside) {
		for (int64_t k = 0; k < n_inside; k++)
			q[k] = linear_direction_side(m, inside[k]) == s;
		blas_cholesky_solve(m->factor.matrix, n_inside, n_inside, q);
		for (int r = 0; r < n_sides; r++)
			sums[r][s] = sum_of_side(m, inside, n_inside, q, r) +
				     (r == s ? 1 / step->tau : 0);
		rhs[s] = sum_of_side(m, inside, n_inside, h, s) - step->gradient_b[s];
	}
	/* step_b by (3), then h <- h - q step_b, then step_w = -g_w + X_J'h */
	solve_constants(n_sides, sums, rhs, step->b);
	q = m->factor.rhs;
	for (int s = 0; s < n_sides; s++, q += n_inside)
		for (int64_t k = 0; k < n_inside; k++)
			h[k] -= q[k] * step->b[s];
	for (int64_t j = 0; j < x->d; j++)
		step->w[j] = -step->gradient_w[j];
	linear_rows_add(x, inside, n_inside, h, step->w);
	m->n_dual++;
	return 0;
}

/* ---- conjugate gradients ---- */

/*
 * Each step is a pass over the rows of J, on several threads.
 *
 * How this works.  Wanted is the step with
 *
 *     (diag(1, .., 1, 1/tau) + sigma sum_J weight z z') step = -gradient,   z = (x, 1)          (4)
 *
 * whose matrix is never made: a product with it is one pass over the rows of J
 * (linear_pack_square()), two multiplications an entry.  Preconditioned conjugate gradients need
 * one product a step,
 *
 *     length = r'M^-1 r / p'A p,    step += length p,    r -= length A p                        (5)
 *     p <- M^-1 r + (r'M^-1 r / r'M^-1 r before) p                                              (6)
 *
 * M being the diagonal of A: columns of text occur in 1 row or in all, and their diagonal elements
 * differ as much.  It ends when r'M^-1 r has fallen by the factor that the caller wants, after
 * MAX_GRADIENTS, or with an interruption; the step found until then is a direction of descent if it
 * is not 0, as A is positive definite.
 *
 * Five vectors of d + n_sides numbers; the rows are single precision (struct linear_pack), sums double.
 */

/*
 * Limit of steps, above EXPECTED_GRADIENTS, so that conjugate gradients
 * that have nearly converged may end.
 */
#define MAX_GRADIENTS 400

/* State of the iteration; vectors have d + n_sides numbers, the last n_sides of them for b. */
struct gradients {
	const struct linear_pack *rows; /* rows of J side by side; floats are exact enough */
	const struct linear_rows *x;	/* lends threads, and room for their partial sums */
	/* products with the rows of J: their weights, sides and parts, and whose they are */
	struct linear_square product;
	int n_sides;
	const struct linear_step *wanted;
	double *inverse, *step, *rest, *along, *image;
};

/* image = (diag(1, .., 1, 1/tau) + sigma sum_J z z') along */
static void apply_matrix(const struct gradients *g)
{
	int64_t d = g->rows->d;
	struct linear_square product = g->product;
	double sum[2];

	product.v = g->along;
	/* the constant of side s counts for the rows of that side */
	for (int s = 0; s < g->n_sides; s++)
		product.b[s] = g->along[d + s];
	/* the first term of (4) is 1 at each of the d columns, which copies 'along' to 'image' */
	memcpy(g->image, g->along, (size_t)d * sizeof(*g->image));
	linear_pack_square(g->rows, g->x->team, &product, g->image, sum, g->x->partial);
	/* row d + s of A: 1 / tau of its first term, and the sum of c over rows of side s */
	for (int s = 0; s < g->n_sides; s++)
		g->image[d + s] = g->along[d + s] / g->wanted->tau + sum[s];
}

/* Set the preconditioner: the inverse of M, M being the diagonal of the matrix of the step. */
static void set_preconditioner(const struct gradients *g)
{
	int64_t d = g->rows->d;
	double sum[2];

	/* 'inverse' begins as the diagonal without rows, and is inverted at the end */
	for (int64_t j = 0; j < d; j++)
		g->inverse[j] = 1;
	linear_pack_square(g->rows, g->x->team, &g->product, g->inverse, sum, g->x->partial);
	/* the entry of z for the constant is 1 */
	for (int s = 0; s < g->n_sides; s++)
		g->inverse[d + s] = 1 / g->wanted->tau + sum[s];
	for (int64_t j = 0; j < d + g->n_sides; j++)
		g->inverse[j] = 1 / g->inverse[j];
}

/* r' M^-1 r for the residual 'rest'; 'image' becomes M^-1 r. */
static double weighted_norm2(const struct gradients *g)
{
	int64_t size = g->rows->d + g->n_sides;

	for (int64_t j = 0; j < size; j++)
		g->image[j] = g->rest[j] * g->inverse[j];
	return inner_product(g->rest, g->image, size);
}

/*
 * Conjugate gradients by Hestenes and Stiefel with a diagonal preconditioner.  'rest' is -gradient
 * and 'step' zero at first.  False if it ends before the goal; 'step' is then what was reached.
 */
static bool run_gradients(const struct gradients *g)
{
	int64_t size = g->rows->d + g->n_sides;
	/* the goal of the iteration: a share of r'M^-1 r at step 0 */
	double norm2 = weighted_norm2(g), goal = norm2 * g->wanted->reduction;

	memcpy(g->along, g->image, (size_t)size * sizeof(*g->along));
	for (int i = 0; i < MAX_GRADIENTS && norm2 > goal; i++) {
		double curvature, length, previous = norm2;

		/* the first step is made in any case: without it there is no direction to return */
		if (i > 0 && interruption_requested(g->wanted->interruption))
			break;
		apply_matrix(g);
		curvature = inner_product(g->along, g->image, size);
		/* curvature of 0 or not a number: the products have underflowed or overflowed */
		if (!(curvature > 0))
			break;
		/* length of the step, (5): to where the quadratic is least along p */
		length = norm2 / curvature;
		for (int64_t j = 0; j < size; j++) {
			g->step[j] += length * g->along[j];
			g->rest[j] -= length * g->image[j];
		}
		/* new residual and its norm, (6): 'image' is M^-1 r from here on */
		norm2 = weighted_norm2(g);
		for (int64_t j = 0; j < size; j++)
			g->along[j] = g->image[j] + norm2 / previous * g->along[j];
	}
	return norm2 <= goal;
}

/*
 * linear_direction_find() by conjugate gradients alone
 *
 * Solves (4) until r'M^-1 r has fallen to step->reduction of what it was.
 * Returns 0; 1 where that took too long or was interrupted, and the step is a direction of descent
 * all the same; or -1 with ERR_MEMORY.  Up to 400 passes over the entries; the same bits for any
 * number of threads.
 */
static int linear_direction_conjugate(struct linear_direction *m, const struct linear_rows *x,
				      const int64_t *inside, int64_t n_inside,
				      struct linear_step *step, struct error *err)
{
	struct gradients g = {
		.rows = &m->pack, .x = x, .n_sides = linear_direction_sides(m), .wanted = step
	};
	int64_t d = x->d, size = d + g.n_sides;
	double *weight = m->weight ? mem_array(n_inside, sizeof(*weight), err) : NULL;
	uint8_t *side = m->lower ? mem_array(n_inside, sizeof(*side), err) : NULL;
	int ret = -1;

	/* the five vectors lie in one array, which is freed as a whole */
	g.inverse = mem_zeroed(5 * size, sizeof(double), err);
	if (err->code != ERR_NONE || linear_pack_fill(&m->pack, x, inside, n_inside, err) < 0)
		goto out;
	g.product = (struct linear_square){
		.factor = step->sigma, .weight = weight, .side = side, .helpers = x->helpers
	};
	g.step = g.inverse + size;
	g.rest = g.step + size;
	g.along = g.rest + size;
	g.image = g.along + size;
	for (int64_t k = 0; k < m->pack.n && weight; k++)
		weight[k] = m->weight[m->pack.row[k]];
	for (int64_t k = 0; k < m->pack.n && side; k++)
		side[k] = (uint8_t)linear_direction_side(m, m->pack.row[k]);
	/* the first step is 0, so that the first residual is -gradient */
	for (int64_t j = 0; j < size; j++)
		g.rest[j] = j < d ? -step->gradient_w[j] : -step->gradient_b[j - d];
	set_preconditioner(&g);
	ret = run_gradients(&g) ? 0 : 1;
	memcpy(step->w, g.step, (size_t)d * sizeof(*step->w));
	memcpy(step->b, g.step + d, (size_t)g.n_sides * sizeof(*step->b));
	m->n_conjugate++;
out:
	mem_free_all(g.inverse, weight, side);
	return ret;
}

/* ---- choice of the way ---- */

/*
 * Work is counted in entries of sparse rows, 1 to 3 ns each.  A Cholesky factor takes order^3 / 3
 * multiplications at some 1e10 a second, order^3 / CUBE_SPEED in that unit.
 */
#define CUBE_SPEED 100.0

/*
 * Expected number of steps of conjugate gradients, taken from slow cases, for the other ways are
 * sure to end.  Each step passes over the rows of J twice.
 */
#define EXPECTED_GRADIENTS 300

/* A way to find the step, and its work; INFINITY: it is not for a problem of this size. */
struct way {
	double work;
	int (*step)(struct linear_direction *m, const struct linear_rows *x, const int64_t *inside,
		    int64_t n_inside, struct linear_step *step, struct error *err);
};

int linear_direction_find(struct linear_direction *m, const struct linear_rows *x,
			  const int64_t *inside, int64_t n_inside, struct linear_step *step,
			  struct error *err)
{
	double size = (double)x->d + linear_direction_sides(m), free_rows = (double)n_inside;
	bool has_dual = n_inside <= LINEAR_MAX_DUAL && n_inside < x->d;
	/*
	 * Work of the three ways.  Dual: m^3 / 3 for the factor, and 2 m^2 to copy inner products
	 * and to solve, few of them being new.  Primal: (d + 1)^3 / 3 for the factor, the change of
	 * the sum being small beside it.  Conjugate gradients: two passes over J in each step, and
	 * some eight over vectors of d numbers.
	 */
	struct way way[] = {
		{ has_dual ? free_rows * free_rows * (free_rows / CUBE_SPEED + 2) : INFINITY,
		  dual_step },
		{ x->d <= LINEAR_MAX_PRIMAL ? size * size * size / CUBE_SPEED : INFINITY,
		  primal_step },
		{ 2.0 * EXPECTED_GRADIENTS *
			  ((double)linear_rows_entries(x, inside, n_inside) + 4 * size),
		  linear_direction_conjugate },
	};
	int ret = 1;

	/* ways in the order of their work: a way that returns 1 leaves the step to the next one */
	while (ret == 1) {
		struct way *least = way;

		for (int k = 1; k < 3; k++)
			least = way[k].work < least->work ? &way[k] : least;
		if (isinf(least->work))
			break;
		ret = least->step(m, x, inside, n_inside, step, err);
		least->work = INFINITY;
	}
	return ret < 0 ? -1 : 0;
}

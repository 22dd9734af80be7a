/*
 * barrier.c - the two barriers between which spectral sparsification keeps a growing matrix
 *
 * How this works.  A verdict on v needs both inverses, (U' - A)^-1 and (A - L')^-1, which change
 * with every step.  Factorising them anew takes 4/3 l^3 a step.  Instead A = Z'(D + W'W)Z is kept
 * in the coordinates of its eigenvectors Z of some steps ago; W has a row sqrt(t) Z v for each
 * vector added since (1).  By Woodbury's identity, for the upper barrier and S = U' - D,
 *
 *     (S - W'W)^-1 = S^-1 + S^-1 W'(1 - W S^-1 W')^-1 W S^-1                   (2)
 *                  = S^-1 + X'X,    C C' = 1 - W S^-1 W',   C X = W S^-1
 *
 * with the Cholesky factor C of order m, the rows of W; for the lower one S = D - L', and both
 * signs change.  So the potential is tr (U' - A)^-1 = tr S^-1 + |X|^2 (3), and for y = Z v
 *
 *     v'(U' - A)^-1 v  = y'S^-1 y + |X y|^2                                    (4)
 *     v'(U' - A)^-2 v  = |S^-1 y + X'X y|^2                                    (5)
 *
 * O(l + l m) a vector.  When a step is over, A has t v v' more, and the potentials of the next
 * step's L and U, which are this one's L' and U', follow by Sherman and Morrison (6).  Rows of W
 * cost l m^2 a step and eigenvectors 9 l^3: m = l / 6 balances them.  Eigenvectors also come
 * anew when L' has come halfway from where it was to the least of D: (2) would lose digits near it.
 *
 * Memory is 5 l room + room^2 + 2 l^2 doubles, with room = l / 6 rows of W.  What a step costs:
 *
 *     barrier_raise     (2), (3): l m^2 for C and X of both barriers; 9 l^3 where Z is renewed
 *     barrier_turn      l^2 a vector for y = Z v, by one matrix product for many
 *     barrier_judge     (4), (5): 4 l m a vector
 *     barrier_add       O(l): (1) gets a row, (6) gives the next potentials
 *
 * Nothing of A is ever inverted.  A failure of the Cholesky factor is the proof that an eigenvalue
 * has crossed a barrier, and ends the selection instead of spoiling it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/barrier.h"

#include "base/mem.h"
#include "matrix/blas.h"

/* Relative rounding error of a screen's bound: ten times that of sums of some thousand terms. */
#define SCREEN_ROUNDING 1e-11

enum {
	MIN_ROOM = 16,	/* least number of rows in W: where l < 96, l x l matrices cost little */
	MAX_ROOM = 512, /* largest number of rows in W: five arrays have l x room numbers */
	/* divisor of l that gives the rows of W: eigenvectors then cost as much as the rows */
	ROOM_SHARE = 6
};

void barrier_free(struct barrier *b)
{
	mem_free_all(b->a, b->turn, b->value, b->recent.rows, b->recent.added, b->scratch.root,
		     b->scratch.scaled, b->scratch.small, b->upper.inverse, b->upper.rows,
		     b->lower.inverse, b->lower.rows);
	*b = (struct barrier){ 0 };
}

/* Allocate S^-1 and X of one barrier. */
static int side_init(struct barrier_side *side, const struct barrier *b, double sign,
		     struct error *err)
{
	*side = (struct barrier_side){ .sign = sign,
				       .inverse = mem_array(b->l, sizeof(double), err),
				       .rows = mem_array(b->recent.room * b->l, sizeof(double),
							 err) };
	return side->inverse && side->rows ? 0 : -1;
}

/* Start sqrt(r l): distance of the lower barrier from 0, and 1 / delta of the upper one's. */
static double start(const struct barrier *b)
{
	return sqrt((double)b->r * (double)b->l);
}

/* Lower barrier L of this step; L' is larger by 1. */
static double lower_bound(const struct barrier *b)
{
	return (double)b->step - start(b);
}

/* Upper barrier U of this step; U' is larger by delta. */
static double upper_bound(const struct barrier *b)
{
	return b->delta * ((double)b->step + start(b));
}

int barrier_init(struct barrier *b, int64_t l, int64_t r, struct error *err)
{
	double s = sqrt((double)l / (double)r);
	int64_t room = int64_clamp(l / ROOM_SHARE, MIN_ROOM, MAX_ROOM);

	/* in each step L rises by 1 and U by delta */
	*b = (struct barrier){ .l = l, .r = r, .delta = (1 + s) / (1 - s), .recent.room = room };
	b->a = mem_zeroed(l * l, sizeof(double), err);
	b->turn = mem_array(l * l, sizeof(double), err);
	b->value = mem_zeroed(l, sizeof(double), err);
	b->recent.rows = mem_array(room * l, sizeof(double), err);
	b->recent.added = mem_array(room * l, sizeof(double), err);
	b->scratch.root = mem_array(l, sizeof(double), err);
	b->scratch.scaled = mem_array(room * l, sizeof(double), err);
	b->scratch.small = mem_array(room * room, sizeof(double), err);
	if (err->code != ERR_NONE || side_init(&b->upper, b, 1, err) < 0 ||
	    side_init(&b->lower, b, -1, err) < 0 || blas_reserve(INT64_MAX, 0, err) < 0) {
		barrier_free(b);
		return -1;
	}
	/* clearance: distance of L' below the least eigenvalue of A = 0 */
	b->clearance = -(lower_bound(b) + 1);
	/* potentials of A = 0: tr (U - A)^-1 = l / U, tr (A - L)^-1 = -l / L */
	b->upper.before = (double)l / upper_bound(b);
	b->lower.before = (double)l / -lower_bound(b);
	return 0;
}

/* ---- Between steps ---- */

/* Add all vectors chosen since the last turn to b->a, and find its eigenvalues, and vectors. */
static int decompose(struct barrier *b, bool vectors, struct error *err)
{
	/* t v v' of each vector, in the coordinates of the rows and not of Z */
	blas_add_outer(b->a, b->l, b->l, 1, b->recent.added, b->recent.n);
	b->recent.n = 0;
	memcpy(b->turn, b->a, (size_t)(b->l * b->l) * sizeof(*b->turn));
	return blas_symmetric_eigen(b->turn, b->l, b->value, vectors, err);
}

/* Renew the eigenvectors Z, eigenvalues D and potentials, so that rounding does not add up. */
static int renew(struct barrier *b, struct error *err)
{
	double lower = lower_bound(b), upper = upper_bound(b);

	/* A = Z'D Z without W; half of the distance from L' to D is for the corrections (2) */
	if (decompose(b, true, err) < 0)
		return -1;
	b->n_turns++;
	b->clearance = b->value[0] - (lower + 1);
	/* potentials Q(U) and P(L) are sums over the eigenvalues */
	b->upper.before = b->lower.before = 0;
	for (int64_t i = 0; i < b->l; i++) {
		b->upper.before += 1 / (upper - b->value[i]);
		b->lower.before += 1 / (b->value[i] - lower);
	}
	return 0;
}

static int refuse_crossing(struct error *err)
{
	return error_set(
		err, ERR_NUMERIC,
		"an eigenvalue crossed a barrier: the vectors are too far from orthonormal");
}

/* Equations (2) and (3): X and the potential of one barrier, from S^-1 in side->inverse. */
static int correct(struct barrier *b, struct barrier_side *side, struct error *err)
{
	int64_t l = b->l, m = b->recent.n;

	/* first term of the potential (3), tr S^-1 */
	side->after = 0;
	for (int64_t i = 0; i < l; i++) {
		side->after += side->inverse[i];
		b->scratch.root[i] = sqrt(side->inverse[i]);
	}
	/* W S^-1/2, whose products of rows are W S^-1 W'; and W S^-1, which becomes X */
	for (int64_t k = 0; k < m; k++)
		for (int64_t i = 0; i < l; i++) {
			b->scratch.scaled[k * l + i] =
				b->recent.rows[k * l + i] * b->scratch.root[i];
			side->rows[k * l + i] = b->recent.rows[k * l + i] * side->inverse[i];
		}
	/*
	 * C of C C' = 1 -+ W S^-1 W'.  S is positive: barrier_raise() has seen D between the
	 * barriers.  So for the upper barrier S - W'W is positive definite exactly if
	 * 1 - W S^-1 W' is: the Cholesky factor proves that A has not crossed U'.  For the lower
	 * one W only moves A away from L', and C always exists.
	 */
	memset(b->scratch.small, 0, (size_t)(m * m) * sizeof(*b->scratch.small));
	for (int64_t k = 0; k < m; k++)
		b->scratch.small[k * m + k] = 1;
	blas_add_products(b->scratch.small, m, m, -side->sign, b->scratch.scaled, l);
	if (blas_cholesky(b->scratch.small, m, m) < 0)
		return refuse_crossing(err);
	/* solve C X = W S^-1 for X */
	blas_triangular_solve((struct blas_factor){ b->scratch.small, m, BLAS_PLAIN }, m,
			      side->rows, l, l);
	/* second term of the potential (3), |X|^2 */
	side->after += side->sign * squared_norm(side->rows, m * l);
	return 0;
}

int barrier_raise(struct barrier *b, struct error *err)
{
	/* new barriers L' and U' */
	double lower = lower_bound(b) + 1, upper = upper_bound(b) + b->delta;

	/* new eigenvectors where W is full, or where L' has come halfway to the least of D */
	if ((b->recent.n == b->recent.room ||
	     (b->recent.n > 0 && b->value[0] - lower < b->clearance / 2)) &&
	    renew(b, err) < 0)
		return -1;
	/* vectors that are not orthonormal may have made A cross a barrier */
	if (!(b->value[0] > lower && b->value[b->l - 1] < upper))
		return refuse_crossing(err);
	/* S^-1 of both barriers, positive after the check; X and potentials by (2) and (3) */
	for (int64_t i = 0; i < b->l; i++) {
		b->upper.inverse[i] = 1 / (upper - b->value[i]);
		b->lower.inverse[i] = 1 / (b->value[i] - lower);
	}
	return correct(b, &b->upper, err) < 0 || correct(b, &b->lower, err) < 0 ? -1 : 0;
}

/* ---- Vectors ---- */

int barrier_turn(const struct barrier *b, const double *v, int64_t n, double *y, struct error *err)
{
	struct blas_factor vectors = { v, b->l, BLAS_PLAIN };
	struct blas_factor turn = { b->turn, b->l, BLAS_PLAIN };

	if (b->n_turns == 0) { /* before the first turn the eigenvectors Z are the identity */
		memcpy(y, v, (size_t)(n * b->l) * sizeof(*y));
		return 0;
	}
	/* one vector: a product of matrix and vector is faster than one of matrices */
	if (n == 1) {
		blas_multiply_vector(turn, b->l, b->l, v, y);
		return 0;
	}
	turn.shape = BLAS_TRANSPOSED;
	return blas_multiply(vectors, turn, n, b->l, b->l, 0, y, b->l, err);
}

/* Compute image = X'X y for n vectors; X y takes the n m numbers behind the image. */
static int apply_rows(const struct barrier *b, const struct barrier_side *side, const double *y,
		      int64_t n, double *image, struct error *err)
{
	int64_t l = b->l, m = b->recent.n;
	double *reach = image + n * l;
	struct blas_factor vectors = { y, l, BLAS_PLAIN }, rows = { side->rows, l, BLAS_PLAIN };
	struct blas_factor reached = { reach, m, BLAS_PLAIN };

	/* without rows of W the inverse is S^-1 */
	if (m == 0) {
		memset(image, 0, (size_t)(n * l) * sizeof(*image));
		return 0;
	}
	if (n == 1) {
		blas_multiply_vector(rows, m, l, y, reach);
		rows.shape = BLAS_TRANSPOSED;
		blas_multiply_vector(rows, l, m, reach, image);
		return 0;
	}
	rows.shape = BLAS_TRANSPOSED;
	if (blas_multiply(vectors, rows, n, m, l, 0, reach, m, err) < 0)
		return -1;
	rows.shape = BLAS_PLAIN;
	return blas_multiply(reached, rows, n, l, m, 0, image, l, err);
}

/*
 * upper(v) or lower(v) of barrier.h, of one turned vector y with image = X'X y; forms (4) and (5)
 * are v'M^-1 v and v'M^-2 v
 */
static struct barrier_bound measure(const struct barrier_side *side, int64_t l, const double *y,
				    const double *image)
{
	struct barrier_bound bound = { 0 };

	for (int64_t i = 0; i < l; i++) {
		/* M^-1 v = S^-1 y +- X'X y, in the coordinates of Z */
		double solved = y[i] * side->inverse[i] + side->sign * image[i];

		bound.form += y[i] * solved;
		bound.square += solved * solved;
	}
	/*
	 * The divisor is positive: raising U lowers Q(U), and raising L raises P(L), as long as A
	 * stays between the barriers.
	 */
	bound.of = bound.square / (side->sign * (side->before - side->after)) +
		   side->sign * bound.form;
	return bound;
}

int barrier_judge(const struct barrier *b, const double *y, int64_t n,
		  struct barrier_verdict *verdict, double *work, struct error *err)
{
	double *image = work;

	if (apply_rows(b, &b->upper, y, n, image, err) < 0)
		return -1;
	for (int64_t k = 0; k < n; k++)
		verdict[k].upper = measure(&b->upper, b->l, y + k * b->l, image + k * b->l);
	if (apply_rows(b, &b->lower, y, n, image, err) < 0)
		return -1;
	for (int64_t k = 0; k < n; k++)
		verdict[k].lower = measure(&b->lower, b->l, y + k * b->l, image + k * b->l);
	return 0;
}

/* ---- All vectors at once ---- */

/*
 * N of barrier_screen, in turned coordinates: lower - upper = v'N v with
 *
 *     N = (A - L')^-2 / (P(L') - P(L)) - (A - L')^-1 - (U' - A)^-2 / (Q(U) - Q(U')) - (U' - A)^-1
 *
 * Here, what one side takes off it: sign M^-2 / drop + M^-1.  'work' has room for 2 l x l.
 */
static int subtract_side(const struct barrier *b, const struct barrier_side *side, double *work,
			 double *n, struct error *err)
{
	int64_t l = b->l, m = b->recent.n;
	double *inverse = work, *square = work + l * l;
	/* divisor of the form with M^-2 (5), which is positive */
	double drop = side->sign * (side->before - side->after);
	struct blas_factor left = { side->rows, l, BLAS_TRANSPOSED };
	struct blas_factor right = { side->rows, l, BLAS_PLAIN };
	struct blas_factor all = { inverse, l, BLAS_PLAIN };

	/* M^-1 = S^-1 +- X'X, and its square */
	if (blas_multiply(left, right, l, l, m, 0, inverse, l, err) < 0)
		return -1;
	for (int64_t i = 0; i < l; i++)
		for (int64_t j = 0; j < l; j++)
			inverse[i * l + j] =
				side->sign * inverse[i * l + j] + (i == j ? side->inverse[i] : 0);
	if (blas_multiply(all, all, l, l, l, 0, square, l, err) < 0)
		return -1;
	/* the matrix n loses what this side subtracts from lower - upper */
	for (int64_t k = 0; k < l * l; k++)
		n[k] -= side->sign * square[k] / drop + inverse[k];
	return 0;
}

/* Compute the eigenvectors of N as rows of 'n', and turn them back into 'direction'. */
static int keep_directions(struct barrier_screen *screen, const struct barrier *b, const double *n,
			   const double *value, struct error *err)
{
	int64_t l = b->l, k = screen->k;
	struct blas_factor turn = { b->turn, l, BLAS_TRANSPOSED };
	struct blas_factor vectors = { n + (l - k) * l, l, BLAS_TRANSPOSED };
	double largest = fabs(value[0]) > fabs(value[l - 1]) ? fabs(value[0]) : fabs(value[l - 1]);

	screen->gain = mem_array(k, sizeof(double), err);
	screen->direction = mem_array(l * k, sizeof(double), err);
	if (!screen->gain || !screen->direction)
		return -1;
	/* eigenvalues ascend: the last k are the gains, the largest of the others is the rest */
	memcpy(screen->gain, value + l - k, (size_t)k * sizeof(double));
	/* l/2 directions have gains of their own, all others at most 'rest' */
	screen->rest = value[l - k - 1];
	screen->rounding = SCREEN_ROUNDING * largest;
	if (b->n_turns > 0)
		return blas_multiply(turn, vectors, l, k, l, 0, screen->direction, k, err);
	for (int64_t i = 0; i < l; i++)
		for (int64_t c = 0; c < k; c++)
			screen->direction[i * k + c] = vectors.at[c * l + i];
	return 0;
}

int barrier_screen_init(struct barrier_screen *screen, const struct barrier *b, struct error *err)
{
	int64_t l = b->l;
	double *n = mem_zeroed(l * l, sizeof(*n), err), *value = mem_array(l, sizeof(*value), err);
	double *work = mem_array(2 * l * l, sizeof(*work), err);
	int ret = -1;

	*screen = (struct barrier_screen){ .k = l / 2 };
	if (n && value && work && subtract_side(b, &b->upper, work, n, err) == 0 &&
	    subtract_side(b, &b->lower, work, n, err) == 0 &&
	    blas_symmetric_eigen(n, l, value, true, err) == 0)
		ret = keep_directions(screen, b, n, value, err);
	mem_free_all(n, value, work);
	if (ret < 0)
		barrier_screen_free(screen);
	return ret;
}

void barrier_screen_free(struct barrier_screen *screen)
{
	mem_free_all(screen->gain, screen->direction);
	*screen = (struct barrier_screen){ 0 };
}

/* ---- The end of a step ---- */

double barrier_add(struct barrier *b, const double *v, const double *y,
		   const struct barrier_verdict *d)
{
	/*
	 * Any 1 / t from upper(v) to lower(v) keeps A between the barriers and both potentials
	 * from rising (Batson, Spielman, Srivastava 2009, lemmas 3.3 and 3.4): this is the middle.
	 */
	double t = 2 / (d->upper.of + d->lower.of), root = sqrt(t);
	double *added = b->recent.added + b->recent.n * b->l,
	       *recent = b->recent.rows + b->recent.n * b->l;

	/* the vector in both coordinates: that of the rows for A, that of Z for W */
	for (int64_t i = 0; i < b->l; i++) {
		added[i] = root * v[i];
		recent[i] = root * y[i];
	}
	b->recent.n++;
	b->step++;
	/*
	 * (6): L' and U' of this step are L and U of the next.  With M = (U' - A)^-1,
	 * (M^-1 - t v v')^-1 = M + t M v v'M / (1 - t v'M v), whose trace is tr M and the term
	 * below.  Its divisor is positive where v is admitted: 1 / t >= upper(v) > v'M v.
	 */
	b->upper.before = b->upper.after + t * d->upper.square / (1 - t * d->upper.form);
	b->lower.before = b->lower.after - t * d->lower.square / (1 + t * d->lower.form);
	return t;
}

int barrier_extremes(struct barrier *b, double *least, double *largest, struct error *err)
{
	if (decompose(b, false, err) < 0)
		return -1;
	*least = b->value[0];
	*largest = b->value[b->l - 1];
	return 0;
}

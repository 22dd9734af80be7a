/*
 * near_rows.c - rows in an order where neighbours are near, and what is far from them
 *
 * How this works.  With the exponent of a kernel value per squared distance, e,
 *
 *     K(x, z) = 2^(-e |x - z|^2) < 2^-40   if   |x - z| > reach = sqrt(40 / e)                  (1)
 *
 * which is so for all x and z of two balls if their centres are farther apart than the reach and
 * both radii.  Values below 2^-40 are left out of sums: with n terms of at most C they add up to
 * C n 2^-40, less than the C sqrt(n) 1e-7 by which floats are off up to n = 1e10.
 *
 * The order is that of the leaves of a k-d tree: rows are split at the median of the column in
 * which they extend farthest, until a leaf has as many rows as a tile.
 *
 * What the order alone wins in bench/landscape (CPU seconds of one thread, with it and without):
 * covtype.20k (54 columns; -c 1, -c 10 -g 10, -c .01 -g .1) 1.44, 1.42, .95 and 1.80, 1.80, 1.37;
 * skin_nonskin -c 10 4.6 and 5.8; cadata -c 1000 -g 1 1.14 and 1.44; cpusmall -g .1 .064 and .091.
 *
 * The steps of near_rows_order():
 *
 *  (2) may_help()       Are rows that have nothing to do with one another mostly beyond the reach?
 *                       NEAR_ROWS_PAIRS pairs tell; if not, no order can help.  They are all that
 *                       this asks for, as rows may be elsewhere.
 *  (3) sort_rows()      The k-d tree.  A split puts the least rows of one column before the middle,
 *                       which is a multiple of LEAF, so that every leaf but the last is full:
 *
 *                           [ first ........ | middle .................. end )
 *                             half leaves      the rest, split in the loop
 *
 *                       O(n columns) for each level of the tree, log2(n / LEAF) levels.
 *  (4) order_helps()    Balls around SAMPLE leaves, all pairs: is at least FAR_SHARE of them far
 *                       apart?  This is the share of tiles that the order will save.
 *
 * Rows with equal values are ordered by number, so the order is a function of the data alone.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/near_rows.h"

#include "base/mem.h"

/* Exponent of the least kernel value that sums need, (1): values below 2^-NOTHING are left out. */
#define NOTHING 40

/*
 * Least number of rows that are worth an order; and largest number of columns, above which balls
 * are nearly as large as the data.
 */
#define LEAST_ROWS 4096
#define MOST_COLUMNS 128

/* Rows of a leaf, as many as a tile of kernel values has. */
#define LEAF 64

/*
 * Number of balls that are compared to find out whether the order helps; and the share of pairs, of
 * rows or balls, that must be far apart.
 */
#define SAMPLE 100
#define FAR_SHARE 0.5

/* Exponent of 2 of a kernel value, per squared distance of the scaled rows. */
static double exponent(const struct float_vectors *v)
{
	return v->factor * (v->difference ? 1 : 0.5);
}

/* out[c] += times x_ic, for the columns c of row i */
static void add_row(const struct float_vectors *v, int64_t i, double times, double *out)
{
	int64_t n, start = float_vectors_extent(v, i, &n);

	for (int64_t k = 0; k < n; k++)
		out[v->dense ? k : v->col[start + k]] += times * float_vectors_value(v, start + k);
}

/*
 * Distance |x_i - centre| of row i
 *
 * Row i is sparse, the centre is dense: the difference is made in the centre's place and taken
 * back, which leaves the centre as it was but for rounding.
 */
static double distance_from(const struct float_vectors *v, int64_t i, double *centre)
{
	double distance;

	add_row(v, i, -1, centre);
	distance = sqrt(squared_norm(centre, v->n_cols));
	add_row(v, i, 1, centre);
	return distance;
}

void near_ball_of(struct near_ball *ball, const struct float_vectors *v, const int64_t *row,
		  int64_t first, int64_t n)
{
	/* the mean is not the centre of the smallest ball, but takes a single pass */
	memset(ball->centre, 0, (size_t)v->n_cols * sizeof(double));
	ball->radius = 0;
	for (int64_t k = first; k < first + n; k++)
		add_row(v, row ? row[k] : k, 1 / (double)n, ball->centre);
	for (int64_t k = first; k < first + n; k++)
		ball->radius = fmax(ball->radius, distance_from(v, row ? row[k] : k, ball->centre));
}

bool near_balls_are_far(const struct near_ball *a, const struct near_ball *b,
			const struct float_vectors *v)
{
	/* (1): |x - z| >= |centres apart| - both radii > reach */
	double apart = a->radius + b->radius + sqrt(NOTHING / exponent(v)), sum = 0;

	for (int64_t c = 0; c < v->n_cols; c++)
		sum += (a->centre[c] - b->centre[c]) * (a->centre[c] - b->centre[c]);
	return sum > apart * apart;
}

int near_balls_init(struct near_balls *b, const struct float_vectors *v, const int64_t *row,
		    int64_t n, int64_t rows, struct error *err)
{
	b->n = int64_blocks(n, rows);
	b->ball = mem_array(b->n, sizeof(*b->ball), err);
	b->centres = mem_array(b->n * v->n_cols, sizeof(double), err);
	if (!b->ball || !b->centres) {
		near_balls_free(b);
		return -1;
	}
	for (int64_t k = 0; k < b->n; k++) {
		int64_t first = k * rows;

		b->ball[k].centre = b->centres + k * v->n_cols;
		near_ball_of(&b->ball[k], v, row, first, int64_min(n - first, rows));
	}
	return 0;
}

void near_balls_free(struct near_balls *b)
{
	mem_free_all(b->ball, b->centres);
	*b = (struct near_balls){ 0 };
}

/* ---- the order of the rows ---- */

/* Rows that are being sorted, with all columns of each row, as splits read columns of many rows. */
struct tree {
	const float *element; /* elements of each row, [n][n_cols] */
	int64_t n_cols;
	int64_t *row; /* numbers of the rows, in the order made so far */
};

static float element(const struct tree *t, int64_t k, int64_t column)
{
	return t->element[t->row[k] * t->n_cols + column];
}

/* Column in which rows first <= k < end extend farthest, (3). */
static int64_t widest_column(const struct tree *t, int64_t first, int64_t end)
{
	float most = -1;
	int64_t widest = 0;

	for (int64_t c = 0; c < t->n_cols; c++) {
		float low = element(t, first, c), high = low;

		for (int64_t k = first + 1; k < end; k++) {
			float x = element(t, k, c);

			low = x < low ? x : low;
			high = x > high ? x : high;
		}
		if (high - low > most) {
			most = high - low;
			widest = c;
		}
	}
	return widest;
}

/* Is row a before row b by the values of a column? Rows with equal values are ordered by number. */
static bool is_before(const struct tree *t, int64_t column, int64_t a, int64_t b)
{
	float x = t->element[a * t->n_cols + column], z = t->element[b * t->n_cols + column];

	return x != z ? x < z : a < b;
}

/*
 * (3): Hoare's selection; the rows before 'middle' become those that are least in the column
 *
 * The row at 'middle' belongs between first and last.  A pass around a pivot leaves rows not after
 * it up to j, rows not before it from i on; the part with 'middle' is gone on with.  Expected time
 * is O(end - first).
 */
static void split(const struct tree *t, int64_t column, int64_t first, int64_t end, int64_t middle)
{
	int64_t last = end - 1;

	while (first < last) {
		int64_t pivot = t->row[first + (last - first) / 2], i = first, j = last;

		while (i <= j) {
			while (is_before(t, column, t->row[i], pivot))
				i++;
			while (is_before(t, column, pivot, t->row[j]))
				j--;
			if (i <= j) {
				int64_t kept = t->row[i];

				t->row[i++] = t->row[j];
				t->row[j--] = kept;
			}
		}
		if (middle <= j)
			last = j;
		else if (middle >= i)
			first = i;
		else
			break;
	}
}

/*
 * Sort rows by recursion, (3): the left part has a whole number of leaves, so recursion on it is
 * log2(n / LEAF) deep.
 */
static void sort_rows(const struct tree *t, int64_t first, int64_t end)
{
	while (end - first > LEAF) {
		int64_t half = int64_blocks(end - first, 2 * LEAF) * LEAF;

		split(t, widest_column(t, first, end), first, end, first + half);
		sort_rows(t, first, first + half);
		first += half;
	}
}

/* Are most pairs of leaves too far apart for a kernel value, (4)? Leaves are drawn evenly. */
static int order_helps(const struct float_vectors *v, const int64_t *row, bool *helps,
		       struct error *err)
{
	int64_t leaves = v->n / LEAF, n = int64_min(leaves, SAMPLE), n_far = 0;
	double *centres = mem_array(n * v->n_cols, sizeof(double), err);
	struct near_ball *ball = mem_array(n, sizeof(*ball), err);

	for (int64_t k = 0; centres && ball && k < n; k++) {
		ball[k].centre = centres + k * v->n_cols;
		near_ball_of(&ball[k], v, row, k * leaves / n * LEAF, LEAF);
		for (int64_t l = 0; l < k; l++)
			n_far += near_balls_are_far(&ball[k], &ball[l], v);
	}
	*helps = (double)n_far >= FAR_SHARE * (double)(n * (n - 1) / 2);
	mem_free_all(centres, ball);
	return err->code == ERR_NONE ? 0 : -1;
}

/*
 * First rows of pairs are evenly spaced, second ones about half of the rows further on, each by one
 * row more: files often have rows of one class, or of one time, together.
 */
int near_rows_list_pairs(const struct float_vectors *form, int64_t n, int64_t *row)
{
	if (form->kernel.type != KERNEL_RBF || n < LEAST_ROWS || form->n_cols > MOST_COLUMNS ||
	    form->n_cols == 0 || !(exponent(form) > 0))
		return 0;
	for (int64_t k = 0; k < NEAR_ROWS_PAIRS; k++) {
		row[2 * k] = k * n / NEAR_ROWS_PAIRS;
		row[2 * k + 1] = (row[2 * k] + n / 2 + k) % n;
	}
	return 2 * NEAR_ROWS_PAIRS;
}

int near_rows_are_far(const struct float_vectors *pairs, bool *are_far, struct error *err)
{
	double *difference = mem_array(pairs->n_cols, sizeof(*difference), err);
	int n_far = 0;

	for (int64_t i = 0; difference && i < pairs->n; i += 2) {
		memset(difference, 0, (size_t)pairs->n_cols * sizeof(*difference));
		add_row(pairs, i, 1, difference);
		add_row(pairs, i + 1, -1, difference);
		n_far += exponent(pairs) * squared_norm(difference, pairs->n_cols) > NOTHING;
	}
	*are_far = n_far >= FAR_SHARE * NEAR_ROWS_PAIRS;
	mem_free(difference);
	return difference ? 0 : -1;
}

/* May an order help, (2)?  Of the rows gathered alone. */
static int may_help(const struct float_vectors *v, bool *may, struct error *err)
{
	int64_t row[2 * NEAR_ROWS_PAIRS];
	int n = near_rows_list_pairs(v, v->n, row), ret;
	struct float_vectors pairs;

	*may = false;
	if (n == 0)
		return 0;
	if (float_vectors_gather(&pairs, v, row, n, err) < 0)
		return -1;
	ret = near_rows_are_far(&pairs, may, err);
	float_vectors_free(&pairs);
	return ret;
}

/* Copy all rows as dense floats: the order need not be exact, and floats take half the memory. */
static float *dense_rows(const struct float_vectors *v, struct error *err)
{
	float *rows = mem_array(v->n * v->n_cols, sizeof(*rows), err);
	double *row = mem_array(v->n_cols, sizeof(*row), err);

	for (int64_t i = 0; rows && row && i < v->n; i++) {
		memset(row, 0, (size_t)v->n_cols * sizeof(*row));
		add_row(v, i, 1, row);
		for (int64_t c = 0; c < v->n_cols; c++)
			rows[i * v->n_cols + c] = (float)row[c];
	}
	mem_free(row);
	return rows;
}

int near_rows_order(const struct float_vectors *v, int64_t *place, bool *helps, struct error *err)
{
	struct tree t = { .n_cols = v->n_cols };
	float *rows;
	int ret = -1;

	if (may_help(v, helps, err) < 0)
		return -1;
	if (!*helps)
		return 0;
	t.row = mem_array(v->n, sizeof(*t.row), err);
	t.element = rows = dense_rows(v, err);
	if (err->code == ERR_NONE) {
		count_up(t.row, v->n);
		sort_rows(&t, 0, v->n);
		ret = order_helps(v, t.row, helps, err);
		for (int64_t k = 0; k < v->n; k++)
			place[t.row[k]] = k;
	}
	mem_free_all(rows, t.row);
	return ret;
}

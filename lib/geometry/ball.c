/*
 * ball.c - the smallest ball that holds all rows of a matrix, with its radius proved
 *
 * How this works.  The centre is kept as a mean c = sum_j u_j x_j of the rows of the core set, with
 * weights u_j >= 0 of sum 1.  With D_jk = |x_j - x_k|^2 and g = D u,
 *
 *     dual(u) = 1/2 u'Du                                                       (1)
 *     |x_j - c|^2 = g_j - dual(u)                                              (2)
 *
 * so the weighted mean of the squared distances of the core set is dual(u).  For any other centre z
 * it is dual(u) + |z - c|^2, and some row is as far as the mean: dual(u) <= R^2, the lower bound.
 * The ball around c as far as the farthest row is the upper one.
 *
 * A round maximises (1) over the weights by pairwise Frank-Wolfe steps: weight moves from the
 * nearest row that has any, a, to the farthest, b.  Along that line the dual is a parabola with its
 * top at
 *
 *     t = (g_b - g_a) / (2 D_ab),   at most u_a                                (3)
 *
 * and g changes by t (D_b - D_a), O(n_core).  Then one pass over all rows measures their distances
 * to c (4), and the farthest rows outside the ball of the lower bound join the core set (5).  Rows
 * of weight 0 leave (6): the other rows alone make the same centre and bound, and a row that turns
 * out to lie outside joins again.  The dual rises from round to round, and mostly a few rounds are
 * enough, since the smallest ball rests on few rows.
 *
 * Distances are sums of squared differences, never |x|^2 - 2 x'c + |c|^2, which cancels for rows
 * far from 0.  The rows stay sparse all the same: see struct work.
 *
 * Arrays, beside the rows of the caller:
 *
 *     by entry     number          4 bytes: which column of the centre                         (7)
 *     by row       distance2       8 bytes
 *     by column    centre          8 bytes
 *     core set     row, u, gradient, and D with room x room numbers
 *
 * A pass is O(entries), on all threads; a step O(n_core); a row that joins O(n_core) distances.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "geometry/ball.h"

#include "base/interruption.h"
#include "base/mem.h"
#include "base/thread.h"
#include "matrix/column_map.h"

/* Rows that a task measures: a tenth of a millisecond for rows of twenty entries. */
#define TASK_ROWS 4096

/*
 * Up to so many rows join the core set after a pass, or 1 / JOIN_SHARE of the core set if that is
 * more.  A pass costs more than steps on the core set, so several rows join at once; many at once
 * would be much alike, and D has the square of their number.
 */
#define JOIN_LEAST 10
#define JOIN_SHARE 4

/*
 * Least radius other than 0.  Its square is 2^52 times the least normal double and more: squares
 * below those have lost digits.
 */
#define LEAST_RADIUS 0x1p-485

/*
 * |x_i - c|^2 without a look at every column.  Columns in more than half of the rows are heavy and
 * numbered first, from 0: over them the sum is taken in full, which costs no more than twice the
 * entries.  Over the light columns it is |c|^2, found once for all rows, and the change that each
 * entry v makes, (v - c_j)^2 - c_j^2.  Most rows are 0 in a light column, so |c|^2 over the light
 * columns is not larger than most distances, and little cancels.
 */
struct work {
	const struct csr *x;
	int32_t *number;	    /* column number of each entry of x */
	int64_t n_columns, n_heavy; /* columns with an entry; number of heavy columns */
	double *centre;		    /* coordinates of the centre; n_columns */
	double light_norm2;	    /* squared norm of the centre's light columns */
	double *distance2;	    /* squared distances to the centre, n_rows */
	int n_threads;

	int64_t n_core, capacity, room; /* rows in the core set; room in the arrays, and in d */
	int64_t *row;			/* rows of the core set */
	double *u;			/* weights of the rows of the core set */
	double *gradient;		/* gradient g of each core row */
	double *d;			/* squared distances D of core rows, [room][room] */
};

/* ---- Columns ---- */

/*
 * New numbers of columns 0, 1, ..., which ascend as the data's do: heavy ones first, then the light
 * ones, which are in at most half of the rows.  Returns the number of heavy ones.
 */
static int32_t renumber(const int64_t *count, int64_t n, int64_t n_rows, int32_t *new_number)
{
	int32_t next = 0, n_heavy;

	for (int64_t j = 0; j < n; j++)
		if (2 * count[j] > n_rows)
			new_number[j] = next++;
	n_heavy = next;
	for (int64_t j = 0; j < n; j++)
		if (2 * count[j] <= n_rows)
			new_number[j] = next++;
	return n_heavy;
}

/* Number the columns that occur, heavy ones first. */
static int number_columns(struct work *w, struct error *err)
{
	int64_t n_entries = csr_n_entries(w->x), *count = NULL;
	struct column_map map = { 0 };
	int32_t *new_number = NULL;
	int ret = -1;

	/* the map's numbers ascend, so that they do not depend on a hash table */
	if (column_map_init(&map, w->x, err) < 0 || column_map_sort(&map, err) < 0)
		goto out;
	w->n_columns = map.n;
	count = mem_zeroed(map.n, sizeof(*count), err);
	new_number = mem_array(map.n, sizeof(*new_number), err);
	w->number = mem_array(n_entries, sizeof(*w->number), err);
	if (!count || !new_number || !w->number)
		goto out;
	/* count the rows of each column; entries get the map's numbers first */
	for (int64_t k = 0; k < n_entries; k++) {
		w->number[k] = column_map_find(&map, w->x->col[k]);
		count[w->number[k]]++;
	}
	w->n_heavy = renumber(count, map.n, w->x->n_rows, new_number);
	/* (7): each entry gets the final number of its column */
	for (int64_t k = 0; k < n_entries; k++)
		w->number[k] = new_number[w->number[k]];
	ret = 0;
out:
	column_map_free(&map);
	mem_free_all(count, new_number);
	return ret;
}

/* ---- Distances ---- */

/*
 * |x_i - c|^2.  The heavy columns have ascending numbers within a row, with light ones between
 * them; 'next' is the first heavy column not yet added.
 */
static double distance2_to_centre(const struct work *w, int64_t i)
{
	const double *c = w->centre;
	double heavy = 0, light = w->light_norm2;
	int64_t next = 0;

	for (int64_t k = w->x->row_start[i]; k < w->x->row_start[i + 1]; k++) {
		int64_t j = w->number[k];
		double v = w->x->val[k];

		if (j >= w->n_heavy) {
			/* (v - c_j)^2 - c_j^2 = v (v - 2 c_j), without the difference of squares */
			light += v * (v - 2 * c[j]);
			continue;
		}
		/* heavy columns in which the row is 0 */
		for (; next < j; next++)
			heavy += c[next] * c[next];
		heavy += (v - c[j]) * (v - c[j]);
		next++;
	}
	for (; next < w->n_heavy; next++)
		heavy += c[next] * c[next];
	return heavy + fmax(light, 0); /* rounding may have made 'light' negative */
}

/* (4) for the rows of one task; no two tasks write to the same row. */
static void distances_task(void *arg, int64_t task, int thread UNUSED)
{
	struct work *w = arg;
	/* the last task may be shorter */
	int64_t end = (task + 1) * TASK_ROWS;

	for (int64_t i = task * TASK_ROWS; i < end && i < w->x->n_rows; i++)
		w->distance2[i] = distance2_to_centre(w, i);
}

/* (4): the distances of all rows to the centre, on all threads. */
static void measure_distances(struct work *w)
{
	/* light columns: |c|^2 once for all rows */
	w->light_norm2 = squared_norm(w->centre + w->n_heavy, w->n_columns - w->n_heavy);
	thread_parallel_for(w->n_threads, int64_blocks(w->x->n_rows, TASK_ROWS), distances_task, w);
}

/* The first row at the largest distance from the centre; -1 if a distance is not finite. */
static int64_t farthest(const struct work *w, struct error *err)
{
	int64_t most = 0;

	for (int64_t i = 0; i < w->x->n_rows; i++) {
		/* overflow, or a value that is not finite */
		if (!isfinite(w->distance2[i]))
			return error_set(err, ERR_NUMERIC, "distances between rows are not finite");
		if (w->distance2[i] > w->distance2[most])
			most = i;
	}
	return most;
}

/* c += u x_i */
static void add_to_centre(struct work *w, int64_t i, double u)
{
	for (int64_t k = w->x->row_start[i]; k < w->x->row_start[i + 1]; k++)
		w->centre[w->number[k]] += u * w->x->val[k];
}

/* |s x_a - s x_b|^2 for s = 'scale', going through both rows at once by ascending column. */
static double distance2_of_rows(const struct csr *x, int64_t a, int64_t b, double scale)
{
	int64_t k = x->row_start[a], k_end = x->row_start[a + 1];
	int64_t l = x->row_start[b], l_end = x->row_start[b + 1];
	double sum = 0;

	while (k < k_end || l < l_end) {
		/* the entry of the smaller column, or of both rows where the columns are equal */
		bool of_a = k < k_end && (l == l_end || x->col[k] <= x->col[l]);
		bool of_b = l < l_end && (k == k_end || x->col[l] <= x->col[k]);
		double difference = (of_a ? x->val[k] : 0) - (of_b ? x->val[l] : 0);

		difference *= scale;
		sum += difference * difference;
		k += of_a;
		l += of_b;
	}
	return sum;
}

/* ---- The core set ---- */

/* Arrays for 'wanted' rows in the core set; D moves to rows of another length. */
static int make_room(struct work *w, int64_t wanted, struct error *err)
{
	/* half as much room again, so that D seldom moves */
	int64_t room = int64_max(w->room + w->room / 2, wanted);
	int64_t rows = w->capacity, weights = rows;
	double *d;

	if (wanted <= w->room)
		return 0;
	d = mem_array(room * room, sizeof(*d), err);
	if (!d)
		return -1;
	if (mem_grow(&w->row, &rows, room, sizeof(*w->row), err) < 0 ||
	    mem_grow(&w->u, &weights, room, sizeof(*w->u), err) < 0 ||
	    mem_grow(&w->gradient, &w->capacity, room, sizeof(*w->gradient), err) < 0) {
		mem_free(d);
		return -1;
	}
	/* rows of D are 'room' apart */
	for (int64_t j = 0; j < w->n_core; j++)
		memcpy(d + j * room, w->d + j * w->room, (size_t)w->n_core * sizeof(*d));
	mem_free(w->d);
	w->d = d;
	w->room = room;
	return 0;
}

/* Take a row into the core set with weight u, and its distances to the rows there into D. */
static int join(struct work *w, int64_t row, double u, struct error *err)
{
	int64_t j = w->n_core;
	double *d;

	if (make_room(w, j + 1, err) < 0)
		return -1;
	/* the gradient of the row is computed at the next fill_gradient() */
	w->row[j] = row;
	w->u[j] = u;
	d = w->d + j * w->room;
	/* D_jj = 0 is computed like the others */
	for (int64_t k = 0; k <= j; k++)
		d[k] = w->d[k * w->room + j] = distance2_of_rows(w->x, row, w->row[k], 1);
	w->n_core++;
	return 0;
}

/* (6): rows of weight 0 leave; the order of the rows that stay is the same. */
static void drop_idle(struct work *w)
{
	int64_t kept = 0;

	for (int64_t j = 0; j < w->n_core; j++) {
		if (w->u[j] == 0)
			continue;
		w->row[kept] = w->row[j];
		w->u[kept] = w->u[j];
		/* rows of D move up, then columns left; what is overwritten has moved before */
		memmove(w->d + kept * w->room, w->d + j * w->room,
			(size_t)w->n_core * sizeof(double));
		for (int64_t k = 0; k <= kept; k++)
			w->d[kept * w->room + k] = w->d[k * w->room + kept] = w->d[k * w->room + j];
		kept++;
	}
	w->n_core = kept;
}

/* g = D u; anew before and after the steps, which let rounding grow. */
static void fill_gradient(struct work *w)
{
	for (int64_t j = 0; j < w->n_core; j++) {
		w->gradient[j] = 0;
		for (int64_t k = 0; k < w->n_core; k++)
			/* D has the distances of rows of the core set alone */
			w->gradient[j] += w->u[k] * w->d[j * w->room + k];
	}
}

/* dual objective (1), with g = D u */
static double dual(const struct work *w)
{
	return ordered_product(w->u, w->gradient, w->n_core) / 2;
}

/*
 * (3): move weight from row 'from' to row 'to'.  Equal rows have D_ab = 0 and equal gradients; if
 * rounding parts these, t is infinite and all of the weight moves, which changes nothing.
 */
static void pairwise_step(struct work *w, int64_t to, int64_t from)
{
	const double *d_to = w->d + to * w->room, *d_from = w->d + from * w->room;
	/* u_from is set to 0, not lowered to a rounding error: (6) looks for weights that are 0 */
	double step = (w->gradient[to] - w->gradient[from]) / (2 * d_to[from]);

	if (step >= w->u[from]) {
		step = w->u[from];
		w->u[from] = 0;
	} else {
		w->u[from] -= step;
	}
	w->u[to] += step;
	for (int64_t k = 0; k < w->n_core; k++)
		w->gradient[k] += step * (d_to[k] - d_from[k]);
}

/*
 * Maximise the dual until no row of the core set is farther from the centre than
 * sqrt(1 + tolerance) times the bound, by (2).  The bound holds wherever the steps end, so their
 * limit only guards against steps that rounding keeps from gaining anything.
 */
static void optimise(struct work *w, double tolerance)
{
	/* a guard against rounding: 100 steps for each row of the core set */
	int64_t most_steps = 100 * w->n_core + 10000;

	fill_gradient(w);
	for (int64_t step = 0; step < most_steps; step++) {
		double value = dual(w);
		int64_t to = 0, from = -1;

		for (int64_t j = 0; j < w->n_core; j++) {
			if (w->gradient[j] > w->gradient[to])
				/* b of (3): the farthest row; a: the nearest with a weight */
				to = j;
			if (w->u[j] > 0 && (from < 0 || w->gradient[j] < w->gradient[from]))
				from = j;
		}
		/* (2): |x_to - c|^2 is the largest of the core set, and 'value' <= R^2 */
		if (w->gradient[to] - value <= value * (1 + tolerance) ||
		    /* all rows with a weight are at the same distance: no step gains anything */
		    w->gradient[to] <= w->gradient[from])
			break;
		pairwise_step(w, to, from);
	}
	/* g without the rounding of the steps */
	fill_gradient(w);
}

/* Is the row in the core set?  O(n_core), for the few rows that may join after a pass. */
static bool in_core(const struct work *w, int64_t row)
{
	for (int64_t j = 0; j < w->n_core; j++)
		if (w->row[j] == row)
			return true;
	return false;
}

/*
 * (5): the farthest of the rows outside the ball of that squared radius.  A row taken is marked by
 * distance 0, so that the next look finds the next one.
 */
static int join_farthest(struct work *w, double radius2, struct error *err)
{
	int64_t most = int64_max(w->n_core / JOIN_SHARE, JOIN_LEAST);

	for (int64_t n = 0; n < most; n++) {
		int64_t i = farthest(w, err);

		/* the farthest row left is inside: so are all others */
		if (w->distance2[i] <= radius2)
			break;
		w->distance2[i] = 0;
		if (!in_core(w, i) && join(w, i, 0, err) < 0)
			return -1;
	}
	return 0;
}

/* The first core set: the row farthest from the first one, and the row farthest from that. */
static int begin_core(struct work *w, struct error *err)
{
	int64_t row = 0;

	for (int ends = 0; ends < 2; ends++) {
		memset(w->centre, 0, (size_t)w->n_columns * sizeof(double));
		add_to_centre(w, row, 1);
		measure_distances(w);
		row = farthest(w, err);
		if (row < 0 || join(w, row, 0.5, err) < 0)
			return -1;
	}
	return 0;
}

/*
 * Rounds until the bounds meet.  The best bounds of all rounds are kept: the upper one need not
 * fall from round to round.
 */
static int grow_core(struct work *w, struct ball *b, const struct ball_options *options,
		     struct error *err)
{
	/* a tenth of the gap allowed between the bounds: inexact steps must not keep them apart */
	double inner = 0.1 * fmin(1e-4, options->tolerance), low2 = 0, high2 = INFINITY;

	while (b->n_passes < BALL_MAX_PASSES) {
		double before = low2;
		int64_t i;

		if (interruption_check(err) < 0)
			return -1;
		/* (1) and (3) on the core set: the lower bound */
		optimise(w, inner);
		low2 = fmax(low2, dual(w));
		/* (4): the upper bound */
		memset(w->centre, 0, (size_t)w->n_columns * sizeof(double));
		for (int64_t j = 0; j < w->n_core; j++)
			add_to_centre(w, w->row[j], w->u[j]);
		measure_distances(w);
		b->n_passes++;
		i = farthest(w, err);
		if (i < 0)
			return -1;
		/* the ball around this centre holds all rows */
		high2 = fmin(high2, w->distance2[i]);
		/* (6), before (5): rows that join come with weight 0 and must stay */
		drop_idle(w);
		b->n_core = w->n_core;
		/* rounding may put the lower bound above the upper one */
		b->radius_low = sqrt(fmin(low2, high2));
		b->radius_high = sqrt(high2);
		if (b->radius_high <= (1 + options->tolerance) * b->radius_low)
			break;
		if (join_farthest(w, low2, err) < 0)
			return -1;
		/* no row joined, the bound did not rise: rounding alone keeps the bounds apart */
		if (w->n_core == b->n_core && low2 <= before)
			break;
	}
	return 0;
}

/* The rows of the core set that have a weight; rows that joined last have none. */
static int take_centre(struct ball_centre *centre, const struct work *w, struct error *err)
{
	centre->row = mem_array(w->n_core, sizeof(*centre->row), err);
	centre->weight = mem_array(w->n_core, sizeof(*centre->weight), err);
	if (!centre->row || !centre->weight) {
		ball_centre_free(centre);
		return -1;
	}
	for (int64_t j = 0; j < w->n_core; j++) {
		/* rows that joined after the last steps have no weight yet */
		if (w->u[j] == 0)
			continue;
		centre->row[centre->n] = w->row[j];
		centre->weight[centre->n++] = w->u[j];
	}
	return 0;
}

void ball_centre_free(struct ball_centre *centre)
{
	mem_free_all(centre->row, centre->weight);
	*centre = (struct ball_centre){ 0 };
}

/* Are all rows equal?  The scale makes the square of each difference a number above 0, or inf. */
static bool rows_are_equal(const struct csr *x)
{
	for (int64_t i = 1; i < x->n_rows; i++)
		if (distance2_of_rows(x, 0, i, 0x1p1000) > 0)
			return false;
	return true;
}

int ball_enclose(struct ball *b, struct ball_centre *centre, const struct csr *x,
		 const struct ball_options *options, struct error *err)
{
	struct work w = { .x = x, .n_threads = thread_clamp_count(options->n_threads) };
	int ret = -1;

	*b = (struct ball){ 0 };
	/* no rows: a ball of radius 0 */
	if (x->n_rows == 0)
		return 0;
	if (number_columns(&w, err) < 0)
		goto out;
	w.centre = mem_array(w.n_columns, sizeof(double), err);
	w.distance2 = mem_array(x->n_rows, sizeof(double), err);
	if (!w.centre || !w.distance2 || begin_core(&w, err) < 0)
		goto out;
	b->n_passes = 2; /* passes of begin_core() */
	ret = grow_core(&w, b, options, err);
	if (ret == 0 && b->radius_high < LEAST_RADIUS && !rows_are_equal(x))
		ret = error_set(err, ERR_NUMERIC, "distances between rows are too small");
	if (ret == 0 && centre)
		ret = take_centre(centre, &w, err);
out:
	mem_free_all(w.number, w.centre, w.distance2, w.row, w.u, w.gradient, w.d);
	return ret;
}

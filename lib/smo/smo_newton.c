/*
 * smo_newton.c - Newton steps on the free multipliers of a working set
 *
 * As long as the free multipliers F of the core stay between their bounds, on their side of 0, the
 * dual is a quadratic function of them with one constraint.  With u_k = g_k + up_offset_k, what D
 * gains by raising beta_k, its maximum is at beta + d,
 *
 *     K_FF d + nu 1 = u,   1'd = 0                                                              (1)
 *
 * which one Cholesky factor of K_FF solves for two right sides: d = K^-1 u - nu K^-1 1.  Where the
 * multipliers of either sign have a sum of their own, so have the changes: (1) has a nu and a
 * vector of ones for each side.  Beyond the first bound (1) says less.  So a step goes to
 *
 *     goal = the point of the box with the same sum that is next to beta + s d                  (2)
 *          = clip(beta + s d + shift), the shift of each side found by bisection
 *
 * for s = 1, 1/4, 1/16, ...: the first where D rises enough,
 *
 *     slope = u'(goal - beta) > 0,   curvature = (goal - beta)' K (goal - beta)
 *     curvature <= MOST_CURVATURE slope                                                         (3)
 *
 * or, at the least, to where s d meets the first bound, which always satisfies (3) but for
 * rounding.  Where the first bound is as near as rounding, the step is nothing but that, and
 *
 *     multipliers within rounding of a bound go to it, whether D rises or not               (4)
 *
 * Multipliers at a bound leave F, and (1) is solved again, until no bound was met or the budget is
 * spent.  Going only to the first bound each time would take a factor for each
 * multiplier that ends at a bound; (2) lets many of them get there in one step.
 *
 * A matrix of floats is not positive definite to the last digit: a ridge on the diagonal, the least
 * that works, makes it so.  d then is not quite Newton's, but (3) holds, as curvatures are taken
 * from the rows.
 *
 * Members enter F by steps of pairs only, which are next.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "smo/smo_sets.h"

#include "matrix/blas.h"

/*
 * Added to the diagonal, relative to it.  The first try is the rounding of the rows: FLOAT_ERROR of
 * kernel values in floats, some hundred roundings of doubles.  Then RIDGE_STEP times as much, up to
 * MOST_RIDGE: a matrix that is 1 % off is not the kernel's, and not positive definite for another
 * reason.  Beginning at 1e-5, sin(x)/x (see smo.c) takes 313,000 steps of pairs instead of 72,000.
 */
#define RIDGE 1e-7
#define WIDE_RIDGE 1e-13
#define RIDGE_STEP 100
#define MOST_RIDGE 1e-2

/*
 * The next length of a step to try, relative to the last one that failed, and the first one of the
 * next step, relative to that of the last step (at most 1): three shortenings are made good.  From
 * 0.1 to 0.5, and from 4 on, the trainings named in smo.c take half to one and a half times the
 * steps, some more and some less.
 */
#define SHORTER 0.25
#define LONGER 64

/*
 * (3): D rises by slope - curvature / 2, here a quarter of the slope at least; at 2 it would not
 * rise at all.  The maximum along the way has a curvature equal to the slope.
 */
#define MOST_CURVATURE 1.5

/* The shift is bracketed from this width on, WIDER times as wide each time. */
#define FIRST_WIDTH 1e-9
#define WIDER 4

/*
 * Limit of steps to the shift: mostly a handful by Newton; some 60 halvings make the ends of an
 * interval neighbours, more only where the ends are next to 0.
 */
#define HALVINGS 200

/*
 * What sum beta may change by, relative to the width of a box, 1e4 roundings; and how near to a
 * bound (4) is.  Without (4) one such multiplier ends the Newton steps of a nearly singular matrix,
 * and which roundings make one depends on the processor: of 150 draws of sin(x)/x (300 rows, -s 3
 * -c 1e6 -g .5) the mean is then 160,000 steps of pairs and the worst 950,000, in place of 117,000
 * and 165,000.
 */
#define LOST 1e-12

/* The face F: the n free members of the core, and their quantities by position among them. */
struct face {
	struct smo_set *set; /* set of the members: the core */
	/* number of free members; the arrays have room for as many as there were at first */
	int64_t n;
	int64_t *number;    /* number of each free member in the core */
	int *side;	    /* side that each free member moves on */
	const void **row;   /* kernel rows of the free members over the core */
	double *low, *high; /* bounds of the box: of each beta on its side of 0 */
	/* right side u of (1), less the side's mean, which nu takes up: smaller numbers */
	double *want;
	double *direction;	 /* direction d of (1) */
	double *ones[SMO_SIDES]; /* vectors K^-1 1, one of each side */
	double *goal;		 /* goal of the step, (2) */
	double *slope_before;	 /* slopes before the step, by number in the core, to go back to */
	double *matrix;		 /* matrix K_FF with its ridge, or its factor; n x n */
	double ridge;		 /* ridge relative to the diagonal; the least that left a factor */
	bool factored;		 /* matrix holds the factor, and of the present members */
	double length;		 /* length s of the last step */
};

/*
 * Work of a Newton step in members met by a step of a pair, which passes over each twice, 1 to 2
 * ns: m^3 / 3 multiplications of the factor at some 1e10 a second, the m^2 elements of the matrix,
 * and the m / 2 passes of go() with as many again, for trials that fail and rows that have to be
 * computed.
 */
double smo_newton_work(int64_t m, int64_t n)
{
	double size = (double)m;

	return size * size * size / 40 + size * size + size * (double)n / 2;
}

static int face_init(struct face *f, struct smo_set *set, struct error *err)
{
	int64_t n = smo_count_free(set);

	*f = (struct face){ .set = set,
			    .length = 1,
			    .ridge = set->a.in_doubles ? WIDE_RIDGE : RIDGE };
	f->number = mem_array(n, sizeof(*f->number), err);
	f->side = mem_array(n, sizeof(*f->side), err);
	f->row = mem_array(n, sizeof(*f->row), err);
	f->low = mem_array(n, sizeof(double), err);
	f->high = mem_array(n, sizeof(double), err);
	f->want = mem_array(n, sizeof(double), err);
	f->direction = mem_array(n, sizeof(double), err);
	for (int side = 0; side < set->n_sides; side++)
		f->ones[side] = mem_array(n, sizeof(double), err);
	f->goal = mem_array(n, sizeof(double), err);
	f->slope_before = mem_array(set->a.n, sizeof(double), err);
	f->matrix = mem_large(n * n, sizeof(double), err);
	return blas_reserve(n, 0, err) == 0 && err->code == ERR_NONE ? 0 : -1;
}

/*
 * List the members that are free now, with their rows.  Steps here free no members, so that n tells
 * whether F has changed.
 */
static int find_face(struct smo *s, struct face *f, struct error *err)
{
	struct smo_set *set = f->set;
	int64_t n = 0;

	for (int64_t i = 0; i < set->n; i++)
		if (smo_is_free(set, i))
			f->number[n++] = i;
	f->factored = f->factored && n == f->n;
	f->n = n;
	return smo_core_rows(s, f->number, n, f->row, err);
}

/* Fill K_FF from the rows, which are not symmetric to the last bit: the lower triangle counts. */
static void fill_matrix(struct face *f)
{
	const struct smo_arrays *a = &f->set->a;

	for (int64_t k = 0; k < f->n; k++) {
		double *row = f->matrix + k * f->n;

		for (int64_t l = 0; l < k; l++)
			row[l] = smo_row_value(a, f->row[k], f->number[l]);
		row[k] = a->double_diagonal[f->number[k]] * (1 + f->ridge);
	}
}

/* Factor L L' = K_FF, with a larger ridge until there is a factor; false if there is none. */
static bool factor(struct face *f)
{
	for (; !f->factored && f->ridge < MOST_RIDGE; f->ridge *= f->factored ? 1 : RIDGE_STEP) {
		fill_matrix(f);
		f->factored = blas_cholesky(f->matrix, f->n, f->n) == 0;
	}
	return f->factored;
}

/* Set the box, the sides and u for the present multipliers. */
static void load_face(struct face *f)
{
	const struct smo_set *set = f->set;
	double mean[SMO_SIDES] = { 0 };
	int64_t n[SMO_SIDES] = { 0 };

	for (int64_t k = 0; k < f->n; k++) {
		int64_t i = f->number[k];
		bool positive = set->beta[i] > 0;
		int side = set->n_sides > 1 && !positive ? SMO_MINUS : SMO_PLUS;

		f->low[k] = positive ? fmax(set->lower[i], 0) : set->lower[i];
		f->high[k] = positive ? set->upper[i] : fmin(set->upper[i], 0);
		f->want[k] = set->a.slope[i] + smo_side(set, side).up_offset[i];
		f->side[k] = side;
		mean[side] += f->want[k];
		n[side]++;
	}
	for (int side = 0; side < SMO_SIDES; side++)
		mean[side] /= (double)int64_max(n[side], 1);
	for (int64_t k = 0; k < f->n; k++)
		f->want[k] -= mean[f->side[k]];
}

/* Sum of values[k] over the members of a side. */
static double sum_of_side(const struct face *f, const double *values, int side)
{
	double sum = 0;

	for (int64_t k = 0; k < f->n; k++)
		if (f->side[k] == side)
			sum += values[k];
	return sum;
}

/* values -= times direction, for all free members */
static void subtract(struct face *f, double *values, double times, const double *direction)
{
	for (int64_t k = 0; k < f->n; k++)
		values[k] -= times * direction[k];
}

/*
 * Solve (1): d = K^-1 want - nu K^-1 1, where the nu of each side makes the side's sum of d 0.
 * With two sides the vector of the second is first made one that leaves the first side's sum.
 */
static void find_direction(struct face *f)
{
	double total[SMO_SIDES] = { 0 };

	/* K^-1 u, without the term of nu yet */
	memcpy(f->direction, f->want, (size_t)f->n * sizeof(double));
	blas_cholesky_solve(f->matrix, f->n, f->n, f->direction);
	/* K^-1 1 for each side: how all multipliers follow where the side's threshold moves */
	for (int side = 0; side < f->set->n_sides; side++) {
		for (int64_t k = 0; k < f->n; k++)
			f->ones[side][k] = f->side[k] == side;
		blas_cholesky_solve(f->matrix, f->n, f->n, f->ones[side]);
		if (side > 0 && total[0] > 0)
			subtract(f, f->ones[side], sum_of_side(f, f->ones[side], 0) / total[0],
				 f->ones[0]);
		total[side] = sum_of_side(f, f->ones[side], side);
	}
	/* as much of it is taken off as makes the side's changes add up to 0 */
	for (int side = 0; side < f->set->n_sides; side++)
		if (total[side] != 0)
			subtract(f, f->direction, sum_of_side(f, f->direction, side) / total[side],
				 f->ones[side]);
}

/* Largest s <= 1 with beta + s d in the box. */
static double find_room(const struct face *f)
{
	double room = 1;

	for (int64_t k = 0; k < f->n; k++) {
		double beta = f->set->beta[f->number[k]], d = f->direction[k];

		if (d > 0)
			room = fmin(room, (f->high[k] - beta) / d);
		else if (d < 0)
			room = fmin(room, (f->low[k] - beta) / d);
	}
	return room;
}

static double in_box(const struct face *f, int64_t k, double beta)
{
	return beta < f->low[k] ? f->low[k] : beta > f->high[k] ? f->high[k] : beta;
}

/*
 * Set goal = clip(beta + length d + shift) for a side; returns the surplus of its sum over the sum
 * of beta.  '*n_inside' gets the number of goals that are not clipped: the surplus's derivative.
 */
static double set_goals(struct face *f, int side, double length, double shift, int64_t *n_inside)
{
	double surplus = 0;

	*n_inside = 0;
	for (int64_t k = 0; k < f->n; k++) {
		double beta = f->set->beta[f->number[k]], goal;

		if (f->side[k] != side)
			continue;
		goal = beta + length * f->direction[k] + shift;
		f->goal[k] = in_box(f, k, goal);
		*n_inside += f->goal[k] == goal;
		surplus += f->goal[k] - beta;
	}
	return surplus;
}

static double width_of_box(const struct face *f)
{
	return f->set->upper[f->number[0]] - f->set->lower[f->number[0]];
}

/*
 * Give the rest of the side's surplus to goals between their bounds; false if they lack the room.
 */
static bool spread(struct face *f, int side, double surplus)
{
	for (int64_t k = 0; k < f->n && surplus != 0; k++) {
		double goal = f->goal[k];

		if (f->side[k] != side || goal == f->low[k] || goal == f->high[k])
			continue;
		f->goal[k] = in_box(f, k, goal - surplus);
		surplus -= goal - f->goal[k];
	}
	return fabs(surplus) <= LOST * width_of_box(f);
}

/*
 * Project beta + length d onto the box, (2): a side's surplus is a piecewise linear function of the
 * shift that grows with it.  Newton's steps find its zero, but for those that leave the bracket,
 * which the middle replaces.
 */
static bool project_side(struct face *f, int side, double length)
{
	double low = -INFINITY, high = INFINITY, shift = 0, surplus = 0, width = FIRST_WIDTH;
	double rounding = LOST * width_of_box(f);

	for (int h = 0; h < HALVINGS; h++) {
		int64_t n_inside;
		double next;

		/* goals for this shift: too high in sum bounds the shift from above, else from below */
		surplus = set_goals(f, side, length, shift, &n_inside);
		if (fabs(surplus) <= rounding)
			break;
		*(surplus > 0 ? &high : &low) = shift;
		/* a Newton step: the surplus grows with the shift as fast as goals are inside */
		next = n_inside > 0 ? shift - surplus / (double)n_inside : low;
		if (!(next > low && next < high)) {
			/* without an end of the bracket on one side it is looked for there */
			next = isinf(low)  ? high - width :
			       isinf(high) ? low + width :
					     low + (high - low) / 2;
			width *= WIDER;
		}
		/* no double is left between the ends */
		if (next == shift || next == low || next == high)
			break;
		shift = next;
	}
	return spread(f, side, surplus);
}

/* Move the slopes of the core along the way to the goals, two members a pass. */
static void move_slopes(struct face *f)
{
	struct smo_set *set = f->set;
	struct smo_extremes x;

	for (int64_t k = 0; k < f->n; k += 2) {
		int64_t l = k + 1 < f->n ? k + 1 : k;
		double change = f->goal[k] - set->beta[f->number[k]];

		smo_step(&set->a, change, f->row[k],
			 l > k ? f->goal[l] - set->beta[f->number[l]] : 0, f->row[l], &x);
	}
}

/*
 * Move the slopes to the goals and test (3): where D does not rise enough by the curvature so
 * found, the slopes are put back.  Returns by how much D rises, or -1.
 */
static double go(struct face *f)
{
	struct smo_set *set = f->set;
	double slope = 0, curvature = 0;

	memcpy(f->slope_before, set->a.slope, (size_t)set->a.n * sizeof(double));
	move_slopes(f);
	for (int64_t k = 0; k < f->n; k++) {
		int64_t i = f->number[k];
		double change = f->goal[k] - set->beta[i];

		slope += f->want[k] * change;
		curvature += change * (f->slope_before[i] - set->a.slope[i]);
	}
	if (!(slope > 0 && curvature <= MOST_CURVATURE * slope)) {
		memcpy(set->a.slope, f->slope_before, (size_t)set->a.n * sizeof(double));
		return -1;
	}
	return slope - curvature / 2;
}

/*
 * Move multipliers within rounding of a bound to it, (4), the others making up for their sums.
 * Returns 0, as D is unchanged but for rounding, or -1 where no multiplier is so near a bound, or
 * the others have no room.
 */
static double drop_nearest(struct face *f)
{
	double surplus[SMO_SIDES] = { 0 }, least = LOST * width_of_box(f);
	int64_t n = 0;

	for (int64_t k = 0; k < f->n; k++) {
		double beta = f->set->beta[f->number[k]];

		f->goal[k] = beta - f->low[k] <= least	? f->low[k] :
			     f->high[k] - beta <= least ? f->high[k] :
							  beta;
		surplus[f->side[k]] += f->goal[k] - beta;
		n += f->goal[k] != beta;
	}
	for (int side = 0; side < f->set->n_sides; side++)
		if (n == 0 || !spread(f, side, surplus[side]))
			return -1;
	move_slopes(f);
	return 0;
}

/*
 * One Newton step, (1) to (3), with the present factor.  Returns by how much the dual rose, or -1.
 */
static double take_step(const struct smo *s, struct face *f, double *spent, bool *met_bound)
{
	const double cost = problem_cost(s->p);
	double room, gain = -1, length;

	/* the box and u at the present multipliers, d by (1), and how far d stays in the box */
	load_face(f);
	find_direction(f);
	room = find_room(f);
	/* shorter and shorter lengths s, until D rises enough: (2) and (3) for each */
	for (length = fmin(1, LONGER * f->length); gain < 0; length *= SHORTER) {
		/* a step reaches the first bound at least */
		length = f->length = fmax(length, room);
		for (int side = 0; side < f->set->n_sides; side++)
			if (!project_side(f, side, length))
				return -1;
		gain = go(f);
		*spent += (double)f->n * (double)f->set->n / 4;
		if (length == room)
			break;
	}
	/* a bound nearer than rounding leaves nothing of a step: its multipliers go there, (4) */
	*met_bound = room < 1;
	if (gain < 0 && *met_bound)
		gain = drop_nearest(f);
	for (int64_t k = 0; gain >= 0 && k < f->n; k++) {
		f->set->beta[f->number[k]] = f->goal[k];
		smo_set_offsets(f->set, cost, f->number[k]);
	}
	return gain;
}

int smo_newton(struct smo *s, double budget, double *spent, double *gained, struct error *err)
{
	bool met_bound = true;
	struct face f;
	int ret = -1;

	*spent = *gained = 0;
	if (face_init(&f, &s->core, err) < 0)
		goto out;
	/* each step that meets a bound changes F, and with it (1); the last one meets none */
	while (met_bound && *spent < budget && !interruption_requested(s->interruption)) {
		double gain = -1;

		if (find_face(s, &f, err) < 0)
			goto out;
		*spent += smo_newton_work(f.n, s->core.n);
		if (f.n >= 2 && factor(&f))
			gain = take_step(s, &f, spent, &met_bound);
		if (gain < 0)
			break;
		*gained += gain;
	}
	ret = 0;
out:
	mem_free_all(f.number, f.side, f.row, f.low, f.high, f.want, f.direction, f.ones[SMO_PLUS],
		     f.ones[SMO_MINUS], f.goal, f.slope_before, f.matrix);
	return ret;
}

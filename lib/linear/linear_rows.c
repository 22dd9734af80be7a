/*
 * linear_rows.c - the rows of a linear problem, and their products with vectors
 *
 * The engine passes over all entries a hundred times, so the rows of the problem are copied once
 * into the form that is fastest to pass over, unless they are large and have it nearly (6):
 *
 *     1. by length        ascending, in the caller's order among equals.  A loop over a row's
 *                         entries ends where the processor expects it to, as it did for the row
 *                         before
 *     2. side by side     one array of entries, though the caller's rows are a selection
 *     3. columns 0..d-1   those that occur, ascending, so that vectors of the engine have d numbers
 *                         and not as many as the whole data has columns
 *     4. centred          a column that all rows have loses its mean.  f changes by the constant
 *                         w.centre, which the free bias takes up since sum beta = 0.  A feature
 *                         like a year, 2000 +- 10, else costs two digits of each product and makes
 *                         the matrix of the Newton step badly conditioned.  Other columns are left
 *                         as they are: they would become dense
 *     5. norms            |x_i|^2, after centring
 *     6. sharing          rows of many entries are most of the memory of a training.  They are used
 *                         where they are if they are all rows of the data, no column has to be
 *                         centred, and few columns do not occur; in the order of the data
 *
 * All bits are functions of the rows and their order alone.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linear/linear_rows.h"

#include "base/long_sum.h"
#include "linear/linear_work.h"
#include "matrix/column_map.h"

/*
 * Length classes, by which rows are ordered: one mistaken end of a loop is negligible beside a row
 * of this many entries.
 */
#define LENGTH_CLASSES 4096

/*
 * Entries from which rows are shared with the data, 48 MB as a copy, step 6; and the columns that
 * may not occur, as a share of those that do.  On 300,000 rows of text with 70 entries each passes
 * over them take the time of those over a copy.
 */
#define SHARED_ENTRIES 4000000
#define SPARE_COLUMNS 0.25

void linear_rows_free(struct linear_rows *rows)
{
	if (!rows->shared)
		mem_free_all(rows->start, rows->col, rows->val);
	mem_free_all(rows->order, rows->norm2, rows->centre, rows->partial);
	*rows = (struct linear_rows){ 0 };
}

static int64_t length_class(const struct csr *x, int64_t row)
{
	return int64_min(x->row_start[row + 1] - x->row_start[row], LENGTH_CLASSES - 1);
}

/*
 * Order the rows by length, with a counting sort: stable, so that equal lengths stay in the
 * caller's order.
 */
static int order_rows(struct linear_rows *rows, const struct csr *x, const int64_t *row,
		      struct error *err)
{
	int64_t longest = 0, *place;

	/* number of length classes: as many as the longest row needs */
	for (int64_t i = 0; i < rows->n; i++)
		longest = int64_max(longest, length_class(x, row[i]));
	place = mem_zeroed(longest + 2, sizeof(*place), err);
	rows->order = mem_array(rows->n, sizeof(*rows->order), err);
	if (!place || !rows->order) {
		mem_free(place);
		return -1;
	}
	/*
	 * place[c + 1] counts class c, then is where class c + 1 begins; place[c] is where c's next
	 * row goes
	 */
	for (int64_t i = 0; i < rows->n; i++)
		place[length_class(x, row[i]) + 1]++;
	for (int64_t c = 0; c <= longest; c++)
		place[c + 1] += place[c];
	for (int64_t i = 0; i < rows->n; i++)
		rows->order[place[length_class(x, row[i])]++] = i;
	mem_free(place);
	return 0;
}

/*
 * Copy the entries of the rows in their new order, steps 1 and 2; columns still have the caller's
 * numbers.
 */
static int copy_rows(struct linear_rows *rows, const struct csr *x, const int64_t *row,
		     struct error *err)
{
	int64_t n = rows->n, n_entries = 0, at = 0;

	/* entries are counted first, so that their arrays are allocated once */
	for (int64_t i = 0; i < n; i++)
		n_entries += x->row_start[row[i] + 1] - x->row_start[row[i]];
	rows->start = mem_array(n + 1, sizeof(*rows->start), err);
	rows->col = mem_large(n_entries, sizeof(*rows->col), err);
	rows->val = mem_large(n_entries, sizeof(*rows->val), err);
	if (!rows->start || !rows->col || !rows->val)
		return -1;
	for (int64_t i = 0; i < n; i++) {
		const int64_t *start = x->row_start + row[rows->order[i]];

		rows->start[i] = at;
		for (int64_t k = start[0]; k < start[1]; k++, at++) {
			rows->col[at] = x->col[k];
			rows->val[at] = x->val[k];
		}
	}
	rows->start[n] = at;
	return 0;
}

/* Number the columns that occur, step 3. */
static int number_columns(struct linear_rows *rows, int64_t n_cols, struct error *err)
{
	const struct csr entries = {
		.n_rows = rows->n, .n_cols = n_cols, .row_start = rows->start, .col = rows->col
	};
	struct column_map map;
	int ret;

	if (column_map_init(&map, &entries, err) < 0)
		return -1;
	ret = column_map_sort(&map, err);
	for (int64_t k = 0; ret == 0 && k < rows->start[rows->n]; k++)
		rows->col[k] = column_map_find(&map, rows->col[k]);
	rows->d = map.n;
	column_map_free(&map);
	return ret;
}

/* Centre the columns, step 4: columns that fewer than n rows have get the centre 0. */
static int centre_columns(struct linear_rows *rows, struct error *err)
{
	int64_t *count = mem_zeroed(rows->d, sizeof(*count), err);

	rows->centre = mem_zeroed(rows->d, sizeof(*rows->centre), err);
	if (!count || !rows->centre) {
		mem_free(count);
		return -1;
	}
	for (int64_t k = 0; k < rows->start[rows->n]; k++) {
		count[rows->col[k]]++;
		/* summed as a mean from the start: a sum of all values could overflow */
		rows->centre[rows->col[k]] += rows->val[k] / (double)rows->n;
	}
	for (int64_t j = 0; j < rows->d; j++)
		if (count[j] < rows->n)
			rows->centre[j] = 0;
	/* columns with another centre than 0 have all rows: each row has an entry to centre */
	for (int64_t k = 0; k < rows->start[rows->n]; k++)
		rows->val[k] -= rows->centre[rows->col[k]];
	mem_free(count);
	return 0;
}

/* Compute squared norms, and the unit: 1 if all entries are 0. */
static int measure_rows(struct linear_rows *rows, struct error *err)
{
	double largest = 0;
	int exponent = 0;

	rows->norm2 = mem_zeroed(rows->n, sizeof(*rows->norm2), err);
	if (!rows->norm2)
		return -1;
	for (int64_t i = 0; i < rows->n; i++)
		for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
			rows->norm2[i] += rows->val[k] * rows->val[k];
			largest = fmax(largest, fabs(rows->val[k]));
		}
	/* the unit is the power of two above the largest value; packs divide by it */
	frexp(largest, &exponent);
	rows->unit = ldexp(1, exponent);
	return 0;
}

/* Is each row of x one of the problem's, step 6? Then order[row] is its place in the list. */
static bool order_as_data(int64_t *order, int64_t n, const int64_t *row)
{
	for (int64_t i = 0; i < n; i++)
		order[i] = -1;
	for (int64_t i = 0; i < n; i++) {
		if (order[row[i]] >= 0)
			/* a row that is twice in the problem cannot have two places */
			return false;
		order[row[i]] = i;
	}
	return true;
}

/*
 * Do nearly all columns of x occur, and none in all rows, which would have to be centred (step 6)?
 */
static int columns_can_stay(const struct csr *x, struct error *err)
{
	int64_t *count = mem_zeroed(x->n_cols, sizeof(*count), err), n_entries = csr_n_entries(x);
	int64_t n_found = 0, most = 0;

	if (!count)
		return -1;
	for (int64_t k = 0; k < n_entries; k++)
		count[x->col[k]]++;
	for (int64_t j = 0; j < x->n_cols; j++) {
		n_found += count[j] > 0;
		most = int64_max(most, count[j]);
	}
	mem_free(count);
	return most < x->n_rows && (double)(x->n_cols - n_found) <= SPARE_COLUMNS * (double)n_found;
}

/*
 * Share the rows with the data, step 6: returns 1 if the rows are shared, 0 if they have to be
 * copied, or -1 with an error.
 */
static int share_rows(struct linear_rows *rows, const struct csr *x, const int64_t *row,
		      struct error *err)
{
	int fit;

	/* sharing takes all rows of the data, many entries, and no more columns than entries */
	if (rows->n != x->n_rows || csr_n_entries(x) < SHARED_ENTRIES ||
	    x->n_cols > csr_n_entries(x))
		return 0;
	fit = columns_can_stay(x, err);
	if (fit <= 0)
		return fit;
	rows->order = mem_array(rows->n, sizeof(*rows->order), err);
	rows->centre = mem_zeroed(x->n_cols, sizeof(*rows->centre), err);
	if (!rows->order || !rows->centre)
		return -1;
	/* the order and its arrays are released, as the rows are copied instead */
	if (!order_as_data(rows->order, rows->n, row)) {
		linear_rows_free(rows);
		rows->n = x->n_rows;
		return 0;
	}
	rows->shared = true;
	rows->d = x->n_cols;
	rows->start = x->row_start;
	rows->col = x->col;
	rows->val = x->val;
	return 1;
}

/* Ranges of about as many entries each: those of a file are about as many bytes. */
static void set_ranges(struct linear_rows *rows)
{
	int64_t i = 0;

	for (int r = 0; r <= LINEAR_RANGES; r++) {
		const double first = (double)rows->start[rows->n] * r / LINEAR_RANGES;

		while (i < rows->n && (r == LINEAR_RANGES || (double)rows->start[i] < first))
			i++;
		rows->range[r] = i;
	}
}

int linear_rows_init(struct linear_rows *rows, const struct csr *x, const int64_t *row, int64_t n,
		     struct error *err)
{
	int shared;

	*rows = (struct linear_rows){ .n = n };
	shared = share_rows(rows, x, row, err);
	/* a copy of the rows for this problem is steps 1 to 4 */
	if (shared == 0 && order_rows(rows, x, row, err) == 0 &&
	    copy_rows(rows, x, row, err) == 0 && number_columns(rows, x->n_cols, err) == 0)
		centre_columns(rows, err);
	if (err->code == ERR_NONE && measure_rows(rows, err) == 0) {
		set_ranges(rows);
		/* 'partial' has a vector of d sums for each part of a product */
		rows->partial = mem_array(LINEAR_MAX_PARTS * rows->d, sizeof(*rows->partial), err);
	}
	if (rows->partial)
		return 0;
	linear_rows_free(rows);
	return -1;
}

/* ---- Products with vectors ---- */

/*
 * The three passes over entries that the linear engine makes, each over all rows or a list:
 *
 *     linear_rows_times()   out_k = x_k.w + b        each row by itself: any number of threads
 *     linear_rows_add()     w += sum_k c_k x_k       all rows write to w                        (a)
 *     linear_rows_sum()     (a) from w = 0, exact enough for a certificate                      (b)
 *
 * For (a) range r of the rows is in part r mod n_parts, and each part has its own vector of d sums.
 * These are added up in the order of a tree,
 *
 *     part         0              1             2             3         own w of d sums
 *     fold         0+2           1+3                                    width 2                 (d)
 *                  0+2+1+3                                              width 1
 *
 * whatever the number of threads.  For (d) the columns are cut among threads: each makes all
 * additions of its columns and waits for no other.  The number of parts is a power of 2 and depends
 * on entries and d alone: so do the bits.  A process that has every P-th part of the rows, P being a
 * power of 2 as well, can add up its own as all are added up here; and it has the rows of one of the
 * two lanes of descent, or some of them (linear_lane.h).
 *
 * (b) is a plain sum as long as rounding cannot matter: the products beta_i x_ij cancel, as w is
 * small beside them, and leave an error of about
 *
 *     |(w - exact w).x_k| <= DBL_EPSILON (sum_i |beta_i| |x_i|) max |x|                         (c)
 *
 * Where (c) is above the tolerance the sum has twice the digits, on one thread, and takes several
 * times as long.  (Long doubles of 64 bits are too short for features of 1e7: the 3,107 rows of
 * space_ga, -s 3 -t 0, then end with 18 violators.)
 */

/*
 * Rows a thread takes at a time: some 10 us with ten entries each, against about 1 us for a task of
 * a team; and few enough that the last rows are shared evenly.
 */
#define ROWS_PER_TASK 512

/* A product with rows that threads share. */
struct shared_pass {
	const struct linear_rows *rows;
	const int64_t *list;
	int64_t n_list;
	const double *w;
	double b, *out;
};

static void multiply_rows(void *arg, int64_t task, int thread UNUSED)
{
	const struct shared_pass *s = arg;
	int64_t first = task * ROWS_PER_TASK, last = first + ROWS_PER_TASK;

	linear_multiply(s->rows, s->list, first, int64_min(last, s->n_list), s->w, s->b, s->out);
}

int64_t linear_rows_entries(const struct linear_rows *rows, const int64_t *list, int64_t n_list)
{
	int64_t n = 0;

	if (!list)
		return rows->start[n_list];
	for (int64_t k = 0; k < n_list; k++)
		n += rows->start[list[k] + 1] - rows->start[list[k]];
	return n;
}

void linear_rows_times(const struct linear_rows *rows, const int64_t *list, int64_t n_list,
		       const double *w, double b, double *out)
{
	struct shared_pass s = {
		.rows = rows, .list = list, .n_list = n_list, .w = w, .b = b, .out = out
	};
	int64_t n_entries = linear_rows_entries(rows, list, n_list);

	work_count(WORK_ENTRIES, n_entries);
	/* below LINEAR_WORK_FOR_THREADS entries the calling thread works alone */
	thread_team_for(n_entries >= LINEAR_WORK_FOR_THREADS ? rows->team : NULL,
			int64_blocks(n_list, ROWS_PER_TASK), multiply_rows, &s);
}

/* ---- sums in parts, on several threads ---- */

/*
 * Entries a part of a product must have, in columns: clearing its vector and adding it to the
 * others passes over 4 d numbers, one after another, which then take a tenth of the time.
 */
#define ENTRIES_PER_COLUMN 8

/* Columns a thread adds up at a time: 32 KB of each part, which the second cache holds. */
#define COLUMNS_PER_TASK 4096

/* Number of parts, a power of 2 up to LINEAR_MAX_PARTS, by the entries and d alone. */
static int count_parts(int64_t n_entries, int64_t d)
{
	int n_parts = 1;

	/* too few entries for threads; with more there are columns, and the loop below ends */
	if (n_entries < LINEAR_WORK_FOR_THREADS)
		return 1;
	/* a part is only worth its vector if it has ENTRIES_PER_COLUMN entries for each column */
	while (n_parts < LINEAR_MAX_PARTS && n_entries >= 2 * n_parts * ENTRIES_PER_COLUMN * d)
		n_parts *= 2;
	return n_parts;
}

/* out += c times the squares of the entries start .. end - 1 */
static void add_squares(const struct linear_pack *pack, int64_t start, int64_t end, double c,
			double *out)
{
	/* the entries are x / unit */
	c *= pack->unit * pack->unit;
	for (int64_t e = start; e < end; e++) {
		double val = (double)pack->entry[e].val;

		out[pack->entry[e].col] += c * (val * val);
	}
}

/*
 * Products in one pass, (2): multiply each row by v and add its multiple to the sum, while the row
 * is in the first-level cache.
 */
static void square_rows(const struct linear_pack *pack, const struct linear_square *p,
			int64_t first, int64_t last, double *out, double sum[2])
{
	const int64_t *start = pack->start;

	sum[0] = sum[1] = 0;
	for (int64_t k = first; k < last; k++) {
		int side = p->side ? p->side[k] : 0;
		double c = p->factor;

		if (p->v)
			c *= linear_pack_dot(pack, start[k], start[k + 1], p->v) + p->b[side];
		if (p->weight)
			c *= p->weight[k];
		if (p->v)
			linear_pack_axpy(pack, start[k], start[k + 1], c, out);
		else
			add_squares(pack, start[k], start[k + 1], c, out);
		sum[side] += c;
	}
}

/* Sums of the rows of each part: of a list, or of a pack. */
struct part_sums {
	const struct linear_rows *rows; /* sum c[k] x_list[k], (a); or NULL */
	const int64_t *list;
	int64_t n_list;
	const double *c;
	const struct linear_pack *pack; /* sum c x, and sums of c by side, (2) */
	const struct linear_square *product;
	double (*sum)[2];
	int64_t d;
	double *w, *out; /* d numbers for each part; out: where the total is added, or NULL */
	int n_parts, first, step; /* parts that are made here: first, first + step, ... */
};

/* Some neighbours in a list, rows of one range */
struct run {
	int64_t first, end;
	int range;
};

/* The run that begins at place k of the list. */
static struct run run_at(const struct linear_rows *x, const int64_t *list, int64_t n_list,
			 int64_t k)
{
	struct run run = { k, k, linear_range(x, list ? list[k] : k) };
	const int64_t first = x->range[run.range], end = x->range[run.range + 1];

	if (!list)
		run.end = int64_min(end, n_list);
	while (list && run.end < n_list && list[run.end] >= first && list[run.end] < end)
		run.end++;
	return run;
}

/* The sums of one part: no other thread writes to them. */
static void sum_part(void *arg, int64_t task, int thread UNUSED)
{
	struct part_sums *s = arg;
	const int64_t part = s->first + task * s->step;
	double *w = s->w + part * s->d;

	memset(w, 0, (size_t)s->d * sizeof(*w));
	if (s->pack)
		square_rows(s->pack, s->product, s->pack->part[part], s->pack->part[part + 1], w,
			    s->sum[part]);
	for (struct run run = { 0 }; run.end < s->n_list;) {
		run = run_at(s->rows, s->list, s->n_list, run.end);
		if (run.range % s->n_parts == part)
			linear_accumulate(s->rows, s->list, run.first, run.end, s->c, w);
	}
}

/* The tree, (d), of some columns, from its leaves: sums of parts become sums of twice as many. */
static void fold_columns(void *arg, int64_t task, int thread UNUSED)
{
	const struct part_sums *s = arg;
	int64_t d = s->d, first = task * COLUMNS_PER_TASK;
	int64_t last = int64_min(first + COLUMNS_PER_TASK, d);

	for (int width = s->n_parts / 2; width >= s->step; width /= 2)
		for (int part = s->first; part < width; part += s->step) {
			double *to = s->w + part * d;
			const double *from = to + width * d;

			for (int64_t j = first; j < last; j++)
				to[j] += from[j];
		}
	/* the total is at part 0, and joins 'out' */
	for (int64_t j = first; j < last && s->out; j++)
		s->out[j] += s->w[j];
}

/* The tree, (d), of all columns and of the sums of c, as far as this process has the parts */
static void fold(struct part_sums *s, struct thread_team *team)
{
	thread_team_for(team, int64_blocks(s->d, COLUMNS_PER_TASK), fold_columns, s);
	for (int width = s->n_parts / 2; width >= s->step && s->sum; width /= 2)
		for (int part = s->first; part < width; part += s->step)
			for (int side = 0; side < 2; side++)
				s->sum[part][side] += s->sum[part + width][side];
}

void linear_rows_add(const struct linear_rows *rows, const int64_t *list, int64_t n_list,
		     const double *c, double *w)
{
	int64_t n_entries = linear_rows_entries(rows, list, n_list);
	struct part_sums s = { .rows = rows,
			       .list = list,
			       .n_list = n_list,
			       .c = c,
			       .d = rows->d,
			       .w = rows->partial,
			       .out = w,
			       .n_parts = count_parts(n_entries, rows->d),
			       .step = 1 };

	work_count(WORK_ENTRIES, n_entries);
	/* with too few entries for two parts the sum goes straight into w */
	if (s.n_parts == 1) {
		linear_accumulate(rows, list, 0, n_list, c, w);
		return;
	}
	thread_team_for(rows->team, s.n_parts, sum_part, &s);
	fold(&s, rows->team);
}

/* ---- exact sums ---- */

/* Bound of the rounding error of a plain sum: the right side of (c). */
static double sum_error(const struct linear_rows *rows, const double *beta)
{
	double added = 0, largest = 0;

	for (int64_t i = 0; i < rows->n; i++) {
		added += fabs(beta[i]) * sqrt(rows->norm2[i]);
		largest = fmax(largest, rows->norm2[i]);
	}
	return DBL_EPSILON * added * sqrt(largest);
}

int linear_rows_sum(const struct linear_rows *rows, const double *beta, double tolerance, double *w,
		    struct error *err)
{
	struct long_sum *sum;

	/* a plain sum is exact enough if (c) is within the tolerance, (b) */
	if (sum_error(rows, beta) <= tolerance) {
		memset(w, 0, (size_t)rows->d * sizeof(*w));
		linear_rows_add(rows, NULL, rows->n, beta, w);
		return 0;
	}
	/* the sum of each column is kept in twice the digits of a double */
	sum = mem_zeroed(rows->d, sizeof(*sum), err);
	if (!sum)
		return -1;
	work_count(WORK_ENTRIES, rows->start[rows->n]);
	for (int64_t i = 0; i < rows->n; i++) {
		if (beta[i] == 0)
			continue;
		for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++)
			long_sum_add(&sum[rows->col[k]], beta[i], rows->val[k]);
	}
	for (int64_t j = 0; j < rows->d; j++)
		w[j] = long_sum_value(&sum[j]);
	mem_free(sum);
	return 0;
}

/* ---- of a task, with the offset and the constants of its sides ---- */

void linear_plain_sum(const struct linear_task *t, const double *beta, double *w)
{
	if (t->offset)
		memcpy(w, t->offset, (size_t)t->d * sizeof(*w));
	else
		memset(w, 0, (size_t)t->d * sizeof(*w));
	linear_rows_add(&t->x, NULL, t->n, beta, w);
}

void linear_values(const struct linear_task *t, const double *w, const double *b, double *out)
{
	linear_rows_times(&t->x, NULL, t->n, w, t->sides.n == 1 ? b[0] : 0, out);
	for (int64_t i = 0; i < t->n && t->sides.n == 2; i++)
		out[i] += b[linear_side(t, i)];
}

void linear_residuals(const struct linear_task *t, const double *w, const double *b, double *out)
{
	linear_values(t, w, b, out);
	for (int64_t i = 0; i < t->n; i++)
		out[i] = t->row.target[i] - out[i];
}

int linear_sum(const struct linear_task *t, const double *beta, double *w, struct error *err)
{
	if (linear_rows_sum(&t->x, beta, LINEAR_SUM_ERROR * t->eps, w, err) < 0)
		return -1;
	for (int64_t j = 0; j < t->d && t->offset; j++)
		w[j] += t->offset[j];
	return 0;
}

/* ---- Some rows side by side, in single precision ---- */

/*
 * How this works.  A pack is a copy of some rows in the order of a list, entries side by side:
 *
 *     start    [0,       3,    5,       8]        n + 1 places
 *     entry    [c v, c v, c v, c v, c v, ...]     column and value / unit, 8 bytes each         (1)
 *
 * unit being a power of two, so that the division is exact and no value is too large for a float;
 * the value itself loses 29 of its 53 bits.  What is computed with a pack is a direction, not a
 * result: gradients and certificates are computed from the rows in double precision.
 *
 * A product out += sum_k c_k x_k, c_k = factor weight_k (x_k.v + b), takes one pass, each row being
 * read once for both products while it is in the first cache (2).  Rows are summed in the parts of
 * (a), and those of a part are neighbours in the pack:
 *
 *     rows of the list      range 0, 1, 2, 3, 4, 5 ...
 *     rows of the pack      range 0, 4, ... | 1, 5, ... | 2, 6, ... | 3, 7, ...                  (3)
 *     part                  0               1             2             3
 */

void linear_pack_free(struct linear_pack *pack)
{
	mem_free_all(pack->start, pack->row, pack->entry);
	*pack = (struct linear_pack){ 0 };
}

int linear_pack_reserve(struct linear_pack *pack, int64_t n, int64_t n_entries, struct error *err)
{
	/* old entries are not copied to the larger array, as the pack is filled anew */
	if (pack->row_capacity < n + 1) {
		mem_free_all(pack->start, pack->row);
		pack->row_capacity = n + 1;
		pack->start = mem_array(pack->row_capacity, sizeof(*pack->start), err);
		pack->row = mem_array(pack->row_capacity, sizeof(*pack->row), err);
	}
	if (pack->entry_capacity < n_entries || !pack->entry) {
		mem_free(pack->entry);
		pack->entry_capacity = n_entries;
		pack->entry = mem_large(n_entries, sizeof(*pack->entry), err);
	}
	if (err->code == ERR_NONE)
		return 0;
	linear_pack_free(pack);
	return -1;
}

/* Row i behind those in the pack. */
static void pack_row(struct linear_pack *pack, const struct linear_rows *x, int64_t i)
{
	/* 'unit' is a power of two, so that multiplying by its inverse does not round */
	const double inverse = 1 / x->unit;
	int64_t at = pack->start[pack->n];

	for (int64_t e = x->start[i]; e < x->start[i + 1]; e++, at++)
		pack->entry[at] = (struct linear_pack_entry){ .col = x->col[e],
							      .val = (float)(x->val[e] * inverse) };
	pack->row[pack->n++] = i;
	pack->start[pack->n] = at;
}

int linear_pack_fill(struct linear_pack *pack, const struct linear_rows *x, const int64_t *list,
		     int64_t n, struct error *err)
{
	const int64_t n_entries = linear_rows_entries(x, list, n);

	if (linear_pack_reserve(pack, n, n_entries, err) < 0)
		return -1;
	pack->n = pack->start[0] = 0;
	pack->d = x->d;
	pack->unit = x->unit;
	pack->n_parts = count_parts(n_entries, x->d);
	for (int part = 0; part < pack->n_parts; part++) {
		pack->part[part] = pack->n;
		for (struct run run = { 0 }; run.end < n;) {
			run = run_at(x, list, n, run.end);
			for (int64_t k = run.first;
			     k < run.end && run.range % pack->n_parts == part; k++)
				pack_row(pack, x, list ? list[k] : k);
		}
	}
	pack->part[pack->n_parts] = n;
	return 0;
}

void linear_pack_parts(const struct linear_pack *pack, struct thread_team *team,
		       const struct linear_square *product, int first, int step, double *w,
		       double sum[][2])
{
	struct part_sums s = { .pack = pack,
			       .product = product,
			       .sum = sum,
			       .d = pack->d,
			       .w = w,
			       .n_parts = pack->n_parts,
			       .first = first,
			       .step = step };

	thread_team_for(team, int64_blocks(s.n_parts - first, step), sum_part, &s);
	if (s.n_parts % step == 0)
		fold(&s, team);
}

void linear_pack_square(const struct linear_pack *pack, struct thread_team *team,
			const struct linear_square *product, double *out, double sum[2],
			double *room)
{
	struct linear_helpers *helpers = product->helpers;
	double all[LINEAR_MAX_PARTS][2];
	struct part_sums s = {
		.sum = all, .d = pack->d, .w = room, .out = out, .n_parts = 1, .step = 1
	};

	work_count(WORK_ENTRIES, 2 * pack->start[pack->n]);
	/* a single part is summed straight into 'out', without a vector of its own */
	if (pack->n_parts == 1) {
		square_rows(pack, product, 0, pack->n, out, sum);
		return;
	}
	if (helpers) {
		helpers->square(helpers, pack, team, product, room, all);
		/* what each process could add up itself is in the first parts */
		s.n_parts = pack->n_parts % helpers->size == 0 ? helpers->size : pack->n_parts;
	} else {
		linear_pack_parts(pack, team, product, 0, 1, room, all);
	}
	fold(&s, team);
	memcpy(sum, all[0], sizeof(all[0]));
}

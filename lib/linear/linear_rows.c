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
 *                         where they are if they are all rows of the data and few columns do not
 *                         occur; in the order of the data, with values of their own where columns are
 *                         centred.  They may be with other processes then
 *
 * All bits are functions of the rows and their order alone.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linear/linear_rows.h"

#include "base/long_sum.h"
#include "linear/linear_lane.h"
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
		mem_free_all(rows->start, rows->col);
	if (!rows->shared || rows->centred)
		mem_free(rows->val);
	if (!rows->shared || rows->centred || rows->val)
		mem_free(rows->norm2);
	mem_free_all(rows->list, rows->order, rows->centre, rows->partial);
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

int linear_rows_centre(struct linear_rows *rows, const double *centre, struct error *err)
{
	const double *given = rows->val;
	double *val = mem_large(rows->start[rows->n], sizeof(*val), err);

	if (!val)
		return -1;
	for (int64_t k = 0; k < rows->start[rows->n]; k++)
		val[k] = given[k] - centre[rows->col[k]];
	rows->val = val;
	rows->centred = true;
	return 0;
}

/*
 * Centre the columns of shared rows, step 4, those that 'centre' marks by 1, if any: means are sums in
 * parts, as the rows may be with helpers.
 */
static int centre_shared(struct linear_rows *rows, struct error *err)
{
	double *share, *mean;

	if (largest_of_sizes(rows->centre, rows->d) == 0)
		return 0;
	share = mem_array(rows->n, sizeof(*share), err);
	mean = mem_zeroed(rows->d, sizeof(*mean), err);
	for (int64_t i = 0; share && i < rows->n; i++)
		share[i] = 1 / (double)rows->n;
	if (share && mean)
		linear_rows_add(rows, NULL, rows->n, share, mean);
	for (int64_t j = 0; mean && j < rows->d; j++)
		rows->centre[j] *= mean[j];
	mem_free_all(share, mean);
	if (err->code == ERR_NONE && rows->val)
		linear_rows_centre(rows, rows->centre, err);
	else if (err->code == ERR_NONE)
		rows->centred = true;
	return err->code == ERR_NONE ? 0 : -1;
}

/* Compute squared norms, and the unit: 1 if all entries are 0. */
static int measure_rows(struct linear_rows *rows, struct error *err)
{
	double largest = 0;
	int exponent = 0;

	rows->norm2 = rows->val || rows->centred ? mem_array(rows->n, sizeof(*rows->norm2), err) :
						   rows->helpers->norm2;
	if (!rows->norm2 ||
	    (!rows->val && rows->centred &&
	     rows->helpers->centre(rows->helpers, rows->centre, rows->norm2, err) < 0))
		return -1;
	for (int64_t i = 0; rows->val && i < rows->n; i++)
		rows->norm2[i] = linear_rows_norm2(rows, i);
	/* of shared rows norms are known wherever they are; where they overflow there is no training */
	if (rows->shared)
		largest = sqrt(largest_of_sizes(rows->norm2, rows->n));
	else
		largest = largest_of_sizes(rows->val, rows->start[rows->n]);
	/* the unit is a power of two above all values; packs divide by it */
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

/* Do nearly all columns of x occur (step 6)?  Those of all rows, which are centred, get the centre 1. */
static int columns_can_stay(struct linear_rows *rows, const struct csr *x, struct error *err)
{
	int64_t *count = mem_zeroed(x->n_cols, sizeof(*count), err), n_found = 0;
	int ret = -1;

	rows->centre = mem_zeroed(x->n_cols, sizeof(*rows->centre), err);
	for (int64_t k = 0; count && x->val && k < csr_n_entries(x); k++)
		count[x->col[k]]++;
	if (count && rows->centre)
		ret = x->val ? 0 : rows->helpers->open(rows->helpers, count, err);
	for (int64_t j = 0; ret == 0 && j < x->n_cols; j++) {
		n_found += count[j] > 0;
		rows->centre[j] = count[j] == x->n_rows;
	}
	mem_free(count);
	return ret < 0 ? -1 : (double)(x->n_cols - n_found) <= SPARE_COLUMNS * (double)n_found;
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
	    x->n_cols > csr_n_entries(x) ||
	    /* elsewhere, where an epoch over half of them needs all */
	    (!x->val && (x->n_rows < 4 * DESCENT_BLOCK || x->n_cols > csr_n_entries(x) / 8)))
		return 0;
	fit = columns_can_stay(rows, x, err);
	if (fit > 0)
		rows->order = mem_array(rows->n, sizeof(*rows->order), err);
	if (fit < 0 || (fit > 0 && !rows->order))
		return -1;
	/* they are made anew, as the rows are copied instead */
	if (fit == 0 || !order_as_data(rows->order, rows->n, row)) {
		mem_free_all(rows->order, rows->centre);
		*rows = (struct linear_rows){ .n = rows->n, .helpers = rows->helpers };
		return 0;
	}
	rows->shared = true;
	rows->d = x->n_cols;
	rows->start = x->row_start;
	rows->col = x->col;
	rows->val = x->val;
	return 1;
}

/* A copy of the rows for this problem: steps 1 to 4, of entries that are here or come. */
static int take_copy(struct linear_rows *rows, const struct csr *x, const int64_t *row,
		     struct error *err)
{
	if ((rows->helpers && rows->helpers->bring(rows->helpers, err) < 0) ||
	    order_rows(rows, x, row, err) < 0 || copy_rows(rows, x, row, err) < 0 ||
	    number_columns(rows, x->n_cols, err) < 0)
		return -1;
	rows->helpers = NULL;
	return centre_columns(rows, err);
}

int linear_rows_init(struct linear_rows *rows, const struct csr *x, const int64_t *row, int64_t n,
		     struct linear_helpers *helpers, struct error *err)
{
	*rows = (struct linear_rows){ .n = n, .helpers = x->val ? NULL : helpers };
	if (share_rows(rows, x, row, err) == 0)
		take_copy(rows, x, row, err);
	/* 'partial' has a vector of d sums for each part of a product */
	if (err->code == ERR_NONE) {
		rows->list = mem_array(rows->n, sizeof(*rows->list), err);
		rows->partial = mem_array(LINEAR_LISTS * rows->d, sizeof(*rows->partial), err);
	}
	for (int64_t i = 0; err->code == ERR_NONE && i < rows->n; i++)
		rows->list[i] = (uint8_t)(linear_range_of(rows->start[i], rows->start[rows->n]) %
					  LINEAR_LISTS);
	if (err->code == ERR_NONE && (!rows->shared || centre_shared(rows, err) == 0) &&
	    measure_rows(rows, err) == 0)
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
 * For (a) each part has the rows of some lists, one list after the other, and its own vector of d
 * sums.  These are added up in the order of a tree,
 *
 *     part         0              1             2             3         own w of d sums
 *     lists        0, 4           1, 5          2, 6          3, 7
 *     fold         0+2           1+3                                    width 2                 (d)
 *                  0+2+1+3                                              width 1
 *
 * whatever the number of threads.  For (d) the columns are cut among threads: each makes all
 * additions of its columns and waits for no other.  The number of parts is a power of 2 and depends
 * on entries and d alone: so do the bits.  Of P processes each has every P-th list (rank_linear.h): if
 * P divides the number of parts it can add up its own as all are added up here, and else a part's sums
 * go on from one process to the next; and it runs descent over its lists (linear_lane.h).
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

	/* those of a process for another one are counted there */
	if (!rows->val || !rows->helpers)
		work_count(WORK_ENTRIES, n_entries);
	if (!rows->val) {
		rows->helpers->times(rows->helpers, list, n_list, w, b, out);
		return;
	}
	/* below LINEAR_WORK_FOR_THREADS entries the calling thread works alone */
	thread_team_for(n_entries >= LINEAR_WORK_FOR_THREADS ? rows->team : NULL,
			int64_blocks(n_list, ROWS_PER_TASK), multiply_rows, &s);
}

int linear_rows_take(const struct linear_rows *rows, const int64_t *list, int64_t n,
		     struct csr *out, struct error *err)
{
	const struct csr all = { .n_rows = rows->n,
				 .n_cols = rows->d,
				 .row_start = rows->start,
				 .col = rows->col,
				 .val = rows->val };

	if ((rows->val ? csr_gather(out, &all, list, n, err) :
			 rows->helpers->take(rows->helpers, list, n, out, err)) < 0) {
		csr_free(out);
		return -1;
	}
	/* they come as they are in the data */
	for (int64_t k = 0; !rows->val && rows->centred && k < csr_n_entries(out); k++)
		out->val[k] -= rows->centre[out->col[k]];
	return 0;
}

/* ---- sums in parts, on several threads ---- */

/*
 * Entries a part of a product must have, in columns: clearing its vector and adding it to the
 * others passes over 4 d numbers, one after another, which then take a tenth of the time.
 */
#define ENTRIES_PER_COLUMN 8

/* Columns a thread adds up at a time: 32 KB of each part, which the second cache holds. */
#define COLUMNS_PER_TASK 4096

/* Number of parts, a power of 2 up to LINEAR_LISTS, by the entries and d alone. */
static int count_parts(int64_t n_entries, int64_t d)
{
	int n_parts = 1;

	/* too few entries for threads; with more there are columns, and the loop below ends */
	if (n_entries < LINEAR_WORK_FOR_THREADS)
		return 1;
	/* a part is only worth its vector if it has ENTRIES_PER_COLUMN entries for each column */
	while (n_parts < LINEAR_LISTS && n_entries >= 2 * n_parts * ENTRIES_PER_COLUMN * d)
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

/* The rows of a list, as runs of neighbours in that of the sum */
static void add_list(const struct linear_sum *s, int list, double *w)
{
	const uint8_t *of = s->rows->list;

	for (int64_t k = 0, end = 0; k < s->n_list; k = end) {
		const int here = of[s->list ? s->list[k] : k];

		while (end < s->n_list && of[s->list ? s->list[end] : end] == here)
			end++;
		if (here == list)
			linear_accumulate(s->rows, s->list, k, end, s->c, w);
	}
}

/* The sums of one part, list by list, by those who have these: no other thread writes to them. */
static void sum_part(void *arg, int64_t part, int thread UNUSED)
{
	struct linear_sum *s = arg;
	struct linear_helpers *h = s->helpers;
	double *w = s->n_parts > 1 ? s->w + part * s->d : s->out, *sum = s->sum[part];
	int before = -1;

	for (int place = 0; place < LINEAR_LISTS; place++) {
		const int list = linear_list(place);
		const bool is_here = !h || list % h->size == h->rank;

		if (list % s->n_parts != part)
			continue;
		if (h && before >= 0) {
			h->hand_on(h, before, list, w, s->d * (int64_t)sizeof(*w));
			h->hand_on(h, before, list, sum, sizeof(s->sum[0]));
		} else if (before < 0 && is_here && s->n_parts > 1) {
			memset(w, 0, (size_t)s->d * sizeof(*w));
		}
		if (is_here && s->pack)
			square_rows(s->pack, s->product, s->pack->first[place],
				    s->pack->first[place + 1], w, sum);
		else if (is_here)
			add_list(s, list, w);
		before = list;
	}
}

/* The tree, (d), of some columns, from its leaves: sums of parts become sums of twice as many. */
static void fold_columns(void *arg, int64_t task, int thread UNUSED)
{
	const struct linear_sum *s = arg;
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
	for (int64_t j = first; j < last && s->step == 1; j++)
		s->out[j] += s->w[j];
}

/* The tree of every 'step'-th part from 'first' on */
static void fold(struct linear_sum *s, int first, int step, struct thread_team *team)
{
	s->first = first;
	s->step = step;
	thread_team_for(team, int64_blocks(s->d, COLUMNS_PER_TASK), fold_columns, s);
	for (int width = s->n_parts / 2; width >= step; width /= 2)
		for (int part = first; part < width; part += step)
			for (int side = 0; side < 2; side++)
				s->sum[part][side] += s->sum[part + width][side];
}

void linear_sum_parts(struct linear_sum *s, struct thread_team *team)
{
	const struct linear_helpers *h = s->helpers;
	const bool divides = h && s->n_parts % h->size == 0;

	/* what goes on to another process does so in the order of parts */
	thread_team_for(h && !divides && s->n_parts < LINEAR_LISTS ? NULL : team, s->n_parts,
			sum_part, s);
	if (divides)
		fold(s, h->rank, h->size, team);
}

/* The sum of all parts, which joins s->out. */
static void add_up(struct linear_sum *s, struct thread_team *team)
{
	if (s->helpers)
		s->helpers->sum(s->helpers, s);
	else
		linear_sum_parts(s, team);
	if (s->n_parts > 1)
		fold(s, 0, 1, team);
}

void linear_rows_add(const struct linear_rows *rows, const int64_t *list, int64_t n_list,
		     const double *c, double *w)
{
	int64_t n_entries = linear_rows_entries(rows, list, n_list);
	struct linear_sum s = { .rows = rows,
				.list = list,
				.n_list = n_list,
				.c = c,
				.d = rows->d,
				.w = rows->partial,
				.out = w,
				.n_parts = count_parts(n_entries, rows->d),
				.helpers = rows->helpers };

	work_count(WORK_ENTRIES, n_entries);
	/* with too few entries for two parts the sum goes straight into w */
	if (s.n_parts == 1 && !rows->shared)
		linear_accumulate(rows, list, 0, n_list, c, w);
	else
		add_up(&s, rows->team);
}

/* ---- exact sums ---- */

/* Rows that are taken at a time: of text some 4 MB. */
#define ROWS_TAKEN 4096

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
	work_count(WORK_ENTRIES, rows->start[rows->n]);
	for (int64_t i = 0; i < rows->n && err->code == ERR_NONE;) {
		int64_t list[ROWS_TAKEN], n = 0;
		struct csr some = { 0 };

		for (; i < rows->n && n < ROWS_TAKEN; i++)
			if (beta[i] != 0)
				list[n++] = i;
		linear_rows_take(rows, list, n, &some, err);
		for (int64_t r = 0; r < some.n_rows; r++)
			for (int64_t k = some.row_start[r]; k < some.row_start[r + 1]; k++)
				long_sum_add(&sum[some.col[k]], beta[list[r]], some.val[k]);
		csr_free(&some);
	}
	for (int64_t j = 0; j < rows->d && err->code == ERR_NONE; j++)
		w[j] = long_sum_value(&sum[j]);
	mem_free(sum);
	return err->code == ERR_NONE ? 0 : -1;
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
 * read once for both products while it is in the first cache (2).  The rows of each list are
 * neighbours, and so are the lists of each of the parts of (a).
 */

void linear_pack_free(struct linear_pack *pack)
{
	mem_free_all(pack->start, pack->row, pack->entry);
	*pack = (struct linear_pack){ 0 };
}

/* Room for n rows and n_entries entries, in place of those before; of what there is, if it suffices. */
static int reserve(struct linear_pack *pack, int64_t n, int64_t n_entries, struct error *err)
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
	pack->d = x->d;
	pack->unit = x->unit;
	pack->n_entries = linear_rows_entries(x, list, n);
	pack->n_parts = count_parts(pack->n_entries, x->d);
	if (!x->val)
		return x->helpers->pack(x->helpers, pack, list, n, err);
	if (reserve(pack, n, pack->n_entries, err) < 0)
		return -1;
	pack->n = pack->start[0] = 0;
	for (int place = 0; place < LINEAR_LISTS; place++) {
		pack->first[place] = pack->n;
		for (int64_t k = 0; k < n; k++)
			if (x->list[list ? list[k] : k] == linear_list(place))
				pack_row(pack, x, list ? list[k] : k);
	}
	pack->first[LINEAR_LISTS] = n;
	return 0;
}

int linear_pack_take(struct linear_pack *pack, const struct linear_rows *x, const int64_t *list,
		     int64_t n, struct error *err)
{
	struct linear_rows here = *x;
	struct csr some = { 0 };

	here.list = mem_array(n, sizeof(*here.list), err);
	for (int64_t k = 0; here.list && k < n; k++)
		here.list[k] = x->list[list[k]];
	if (here.list && linear_rows_take(x, list, n, &some, err) == 0) {
		here.start = some.row_start;
		here.col = some.col;
		here.val = some.val;
		linear_pack_fill(pack, &here, NULL, n, err);
	}
	csr_free(&some);
	mem_free(here.list);
	return err->code == ERR_NONE ? 0 : -1;
}

void linear_pack_square(const struct linear_pack *pack, struct thread_team *team,
			const struct linear_square *product, double *out, double sum[2],
			double *room)
{
	struct linear_sum s = { .pack = pack,
				.product = product,
				.d = pack->d,
				.w = room,
				.out = out,
				.n_parts = pack->n_parts,
				.helpers = product->helpers };

	work_count(WORK_ENTRIES, 2 * pack->n_entries);
	add_up(&s, team);
	memcpy(sum, s.sum[0], sizeof(s.sum[0]));
}

/*
 * scaling.c - features scaled to a common range, as svm-scale does
 *
 * How this works.  Each thread has a range for each feature that it has seen, found by a hash table
 * (column_map.h), and counts the values of it.  Minima and maxima of parts join to those of the
 * whole without rounding, so the ranges do not depend on the parts.  A feature with fewer values
 * than there are rows is 0 in one of them, which its range then includes (1).
 *
 * A row is scaled by one merge of two ascending lists (2): its own entries, and the features in
 * which 0 becomes another number.  A row of sparse data so costs its entries alone if no feature is
 * filled, as with a range that begins at 0 and values that are not negative.
 *
 * The steps, with the arrays that they leave:
 *
 *  (0) scaling_ranges_add()   each thread, its own rows: range[k], in the order in which features
 *                             occur; the map finds k from a feature
 *  (1) scaling_init()         one set of ranges; feature[p], least[p], most[p] with p ascending by
 *                             feature, without those that have the same value in all rows
 *      prepare()              the map finds p from a feature; filled[f] = p and fill[f], for the
 *                             features whose scaled 0 is not 0
 *  (2) scaling_apply()        rows of the output, entries ascending
 *
 * A row with the features 2 and 7, where features 1 and 7 are filled:
 *
 *      entries     2:x       7:x           looked up in the map, scaled
 *      fillings  1:f         7:f           7 has an entry, which takes the place of its filling
 *      output    1:f 2:s     7:s
 *
 * Threads may share a scaling once it is prepared.  Time is O(entries) for the ranges, O(entries +
 * fillings) for a row.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project/scaling.h"

#include "base/decimal.h"
#include "base/order.h"
#include "io/line_reader.h"

/* ---- ranges ---- */

void scaling_ranges_free(struct scaling_ranges *r)
{
	column_map_free(&r->map);
	mem_free(r->range);
	*r = (struct scaling_ranges){ 0 };
}

/* The range includes x, and has one value more. */
static void widen(struct value_range *range, double x)
{
	if (range->n == 0 || x < range->least)
		range->least = x;
	if (range->n == 0 || x > range->most)
		range->most = x;
	range->n++;
}

/* The range of a feature, an empty one if it is new; NULL on failure */
static struct value_range *range_of(struct scaling_ranges *r, int32_t feature, struct error *err)
{
	int64_t known = r->map.n;
	int32_t number = column_map_add(&r->map, feature, err);

	if (number < 0)
		return NULL;
	/* the map numbers features in the order in which they are added: a new one gets 'known' */
	if (number < known)
		return &r->range[number];
	if (mem_grow(&r->range, &r->capacity, known + 1, sizeof(*r->range), err) < 0)
		return NULL;
	r->range[number] = (struct value_range){ .feature = feature };
	return &r->range[number];
}

int scaling_ranges_add(struct scaling_ranges *r, const struct row_batch *rows, bool targets,
		       struct error *err)
{
	for (int64_t k = 0; k < rows->n_entries; k++) {
		struct value_range *range;

		if (!isfinite(rows->value[k]))
			return error_set(err, ERR_NUMERIC,
					 "a value of feature %d is not finite, so it has no range",
					 (int)rows->index[k]);
		range = range_of(r, rows->index[k], err);
		if (!range)
			return -1;
		widen(range, rows->value[k]);
	}
	for (int64_t i = 0; i < rows->n_rows && targets; i++) {
		if (!isfinite(rows->label[i]))
			return error_set(err, ERR_NUMERIC,
					 "a target is not finite, so there is no range of them");
		widen(&r->target, rows->label[i]);
	}
	r->n_rows += rows->n_rows;
	return 0;
}

/* Range a becomes that of both, with as many values as both have; an empty b changes nothing. */
static void join(struct value_range *a, const struct value_range *b)
{
	int64_t n = a->n + b->n;

	if (b->n == 0)
		return;
	widen(a, b->least);
	widen(a, b->most);
	a->n = n;
}

/* 'b' joins 'a'. */
static int join_ranges(struct scaling_ranges *a, const struct scaling_ranges *b, struct error *err)
{
	for (int64_t k = 0; k < b->map.n; k++) {
		struct value_range *range = range_of(a, b->range[k].feature, err);

		if (!range)
			return -1;
		join(range, &b->range[k]);
	}
	join(&a->target, &b->target);
	a->n_rows += b->n_rows;
	return 0;
}

/* ---- the scaling ---- */

void scaling_free(struct scaling *s)
{
	mem_free_all(s->range, s->filled, s->fill);
	column_map_free(&s->map);
	*s = (struct scaling){ 0 };
}

/* x within [least, most] becomes a number within [low, high]; both ends are met exactly. */
static double scale(double x, double least, double most, double low, double high)
{
	if (x == least)
		return low;
	if (x == most)
		return high;
	return low + (high - low) * (x - least) / (most - least);
}

/* x, a value of the feature at 'place', scaled */
static double scale_feature(const struct scaling *s, int64_t place, double x)
{
	const struct value_range *range = &s->range[place];

	return scale(x, range->least, range->most, s->options.low, s->options.high);
}

/* Add a feature to the array, which has 'capacity', unless it has one value. */
static int add_feature(struct scaling *s, int64_t *capacity, struct value_range range,
		       struct error *err)
{
	if (range.least == range.most)
		return 0;
	if (mem_grow(&s->range, capacity, s->n + 1, sizeof(*s->range), err) < 0)
		return -1;
	s->range[s->n++] = range;
	return 0;
}

/* All that is made of options and ranges, which are there. */
static int prepare(struct scaling *s, struct error *err)
{
	s->filled = mem_array(s->n, sizeof(*s->filled), err);
	s->fill = mem_array(s->n, sizeof(*s->fill), err);
	if (!s->filled || !s->fill)
		return -1;
	for (int64_t p = 0; p < s->n; p++) {
		/* what a 0, which sparse rows do not have, becomes */
		double fill = scale_feature(s, p, 0);

		if (column_map_add(&s->map, s->range[p].feature, err) < 0)
			return -1;
		if (fill == 0)
			continue;
		s->filled[s->n_filled] = (int32_t)p;
		s->fill[s->n_filled++] = fill;
	}
	return 0;
}

/* (1): the features that are not the same in all rows, ascending */
static int take_features(struct scaling *s, const struct scaling_ranges *r, struct error *err)
{
	int64_t capacity = 0;

	if (r->map.n > 0) /* else there is no array */
		qsort(r->range, (size_t)r->map.n, sizeof(*r->range), order_int32s);
	for (int64_t k = 0; k < r->map.n; k++) {
		struct value_range range = r->range[k];

		/* fewer values than rows: some row has none, which is a 0 */
		if (range.n < r->n_rows)
			widen(&range, 0);
		if (range.least == range.most && range.least != 0 && s->n_constant++ == 0)
			s->first_constant = range.feature;
		if (add_feature(s, &capacity, range, err) < 0)
			return -1;
	}
	return 0;
}

int scaling_init(struct scaling *s, const struct scaling_options *options,
		 struct scaling_ranges *ranges, int n_ranges, struct error *err)
{
	*s = (struct scaling){ .options = *options };
	/* minima and maxima join exactly: the order of the parts does not matter */
	for (int i = 1; i < n_ranges; i++)
		if (join_ranges(&ranges[0], &ranges[i], err) < 0)
			return -1;
	s->target_least = ranges[0].target.least;
	s->target_most = ranges[0].target.most;
	if (take_features(s, &ranges[0], err) == 0 && prepare(s, err) == 0)
		return 0;
	scaling_free(s);
	return -1;
}

/* ---- rows ---- */

/* Append an entry, for which there is room, unless it is 0. */
static void add_entry(struct row_batch *out, int32_t feature, double value)
{
	if (value != 0)
		row_batch_put(out, feature, value);
}

/* Fillings f, f + 1, ... of features before 'place'; returns the first that is not before it. */
static int64_t add_fillings(const struct scaling *s, int64_t f, int64_t place,
			    struct row_batch *out)
{
	for (; f < s->n_filled && s->filled[f] < place; f++)
		add_entry(out, s->range[s->filled[f]].feature, s->fill[f]);
	return f;
}

/* (2): the entries of row i of 'in' become those of a row of 'out' */
static void add_entries(const struct scaling *s, const struct row_batch *in, int64_t i,
			struct row_batch *out, struct scaling_unknown *unknown)
{
	int64_t f = 0;

	for (int64_t k = in->row_start[i]; k < in->row_start[i + 1]; k++) {
		int32_t feature = in->index[k];
		int64_t place = s->n > 0 ? column_map_find(&s->map, feature) : -1;

		if (place >= 0) {
			f = add_fillings(s, f, place, out);
			/* the entry takes the place of the feature's own filling */
			f += f < s->n_filled && s->filled[f] == place;
			add_entry(out, feature, scale_feature(s, place, in->value[k]));
			/* a feature without a range: it is left out, and counted for a warning */
		} else if (in->value[k] != 0) {
			if (unknown->n++ == 0 || feature < unknown->first)
				unknown->first = feature;
		}
	}
	add_fillings(s, f, s->n, out);
}

int scaling_apply(const struct scaling *s, struct row_range rows, struct row_batch *out,
		  struct scaling_unknown *unknown, struct error *err)
{
	const struct scaling_options *o = &s->options;
	const struct row_batch *in = rows.in;
	int64_t end = rows.first + rows.n;
	int64_t n_entries = in->row_start[end] - in->row_start[rows.first];

	/* no row has more entries than it had before, and all fillings */
	if (row_batch_reserve(out, rows.n, n_entries + rows.n * s->n_filled, in->has_text, err) < 0)
		return -1;
	for (int64_t i = rows.first; i < end; i++) {
		add_entries(s, in, i, out, unknown);
		row_batch_end_mapped(out, in, i);
		if (!o->targets)
			continue;
		out->label[out->n_rows - 1] = scale(in->label[i], s->target_least, s->target_most,
						    o->target_low, o->target_high);
		/* the label has its own text no more; a row without a label stays without */
		if (in->has_text && in->text[i].label.length > 0)
			out->text[out->n_rows - 1].label = (struct text_span){ 0 };
	}
	return 0;
}

/* ---- range files, as svm-scale writes and reads them ---- */

/*
 * How this works.  The file is read line by line.  What svm-scale would take for the end of the file,
 * such as a line that is no range, is an error.
 *
 * The file, with `y` and the two lines behind it only where targets are scaled:
 *
 *      y                        a
 *      -1 1                       range of the scaled targets
 *      0.5 17                     least and largest target
 *      x                        b
 *      0 1                        range of the scaled features
 *      1 -2.5 4                 c feature, least and largest value; features ascend
 *      7 0 1
 *
 * Reading (a) and (b) sets the options, (c) the arrays.  A failure names the line.  Numbers are written
 * with the 17 digits of svm-scale, which determine a double, so that a file read and written again
 * is the same.  All is O(bytes of the file).
 */

/* Significant digits of a written number, as in svm-scale's %.17g. */
enum { DIGITS = 17 };

/* Append numbers, separated by blanks, and a line feed; there is room. */
static void put_numbers(struct byte_buffer *text, const double *x, int n)
{
	for (int i = 0; i < n; i++) {
		text->size += decimal_rounded(x[i], DIGITS, text->bytes + text->size);
		byte_buffer_add(text, i < n - 1 ? " " : "\n", 1);
	}
}

/* Longest line: an index and two numbers, each with the blank or line feed behind it. */
enum { LINE_SIZE = 3 * (DECIMAL_SHORTEST_SIZE + 1) };

/* The text of the whole file; with room for the at most five lines before the features. */
static int put_ranges(const struct scaling *s, struct byte_buffer *text, struct error *err)
{
	const struct scaling_options *o = &s->options;

	if (byte_buffer_reserve(text, (s->n + 5) * LINE_SIZE, err) < 0)
		return -1;
	if (o->targets) {
		byte_buffer_add(text, "y\n", 2);
		put_numbers(text, (double[]){ o->target_low, o->target_high }, 2);
		put_numbers(text, (double[]){ s->target_least, s->target_most }, 2);
	}
	byte_buffer_add(text, "x\n", 2);
	put_numbers(text, (double[]){ o->low, o->high }, 2);
	for (int64_t p = 0; p < s->n; p++)
		put_numbers(text,
			    (double[]){ s->range[p].feature, s->range[p].least, s->range[p].most },
			    3);
	return 0;
}

int scaling_save(const struct scaling *s, struct output *output, struct error *err)
{
	struct byte_buffer text = { 0 };
	int ret = -1;

	if (put_ranges(s, &text, err) == 0)
		ret = output_write(output, text.bytes, text.size, err);
	mem_free(text.bytes);
	return ret;
}

/* Blanks between numbers and at the end of a line. */
#define BLANKS " \t\r"

/* The next line, from its first byte on that is no blank: 1; or 0 at the end, where it is empty. */
static int next_line(struct line_reader *r, const char **line, struct error *err)
{
	char *found = NULL;
	const int got = line_read(r, &found, err);

	r->line += got == 0; /* a line that is missing is named by its number, too */
	*line = got > 0 ? found + strspn(found, " \t") : "";
	return got;
}

/* The next line consists of n finite numbers, with blanks between any two: 1; or 0 at the end. */
static int read_numbers(struct line_reader *r, double *const *x, int n, const char *what,
			struct error *err)
{
	const char *p, *end;
	const int got = next_line(r, &p, err);

	if (got <= 0)
		return got;
	end = p + strlen(p);
	for (int i = 0; i < n; i++) {
		p = decimal_parse(p, end, x[i]);
		if (!p || !isfinite(*x[i]) || (p < end && strspn(p, BLANKS) == 0))
			return line_fault(r, what, err);
		p += strspn(p, BLANKS);
	}
	return p == end ? 1 : line_fault(r, what, err);
}

/* The next line consists of two numbers. */
static int read_pair(struct line_reader *r, double *first, double *second, const char *what,
		     struct error *err)
{
	/* where the line is wrong err keeps the reason */
	return read_numbers(r, (double *[]){ first, second }, 2, what, err) > 0 ?
		       0 :
		       line_fault(r, what, err);
}

/* (a) and (b): the lines "y" and "x", and the ranges that follow each of them */
static int read_head(struct line_reader *r, struct scaling *s, struct error *err)
{
	struct scaling_options *o = &s->options;
	const char *line;

	if (next_line(r, &line, err) < 0)
		return -1;
	o->targets = *line == 'y';
	if (o->targets && (read_pair(r, &o->target_low, &o->target_high,
				     "expected the range of the scaled labels", err) < 0 ||
			   read_pair(r, &s->target_least, &s->target_most,
				     "expected least and largest label", err) < 0 ||
			   next_line(r, &line, err) < 0))
		return -1;
	if (*line != 'x' || line[1 + strspn(line + 1, BLANKS)])
		return line_fault(r, "expected a line with x, as svm-scale -s writes it", err);
	if (read_pair(r, &o->low, &o->high, "expected the range of the scaled features", err) < 0)
		return -1;
	return o->low < o->high ? 0 :
				  line_fault(r, "the range of the scaled features is empty", err);
}

/* (c): a line for each feature; a feature with a single value has no range and is left out. */
static int read_features(struct line_reader *r, struct scaling *s, struct error *err)
{
	static const char what[] = "expected a feature, its least and its largest value";
	double feature, least, most, last = -1;
	int64_t capacity = 0;
	int got;

	while ((got = read_numbers(r, (double *[]){ &feature, &least, &most }, 3, what, err)) > 0) {
		/* the comparison comes before the conversion, which is undefined beyond int32_t */
		if (!(feature > last && feature <= INT32_MAX) ||
		    feature != (double)(int32_t)feature)
			return line_fault(r, "features are integers and ascend", err);
		if (least > most)
			return line_fault(r, "the least value is above the largest", err);
		last = feature;
		if (add_feature(s, &capacity,
				(struct value_range){ (int32_t)feature, least, most, 0 }, err) < 0)
			return -1;
	}
	return got;
}

int scaling_read(void *to, struct input *from, struct error *err)
{
	struct line_reader r = { .name = input_name(from), .text.from = from };
	struct scaling *s = to;
	int ret = -1;

	*s = (struct scaling){ 0 };
	if (read_head(&r, s, err) == 0 && read_features(&r, s, err) == 0)
		ret = prepare(s, err);
	if (ret < 0)
		scaling_free(s);
	line_reader_free(&r);
	return ret;
}

/* ---- rows of length 1 ---- */

/*
 * How this works.  Squares of values of 1e200 overflow and of 1e-200 vanish.  So a row is first
 * multiplied by the power of two that brings its largest value into [1/2, 1) (1), which changes no
 * digit; then |y|^2 is between 1/4 and n (2), and dividing by its root (3) is all the rounding
 * there is.  A row of zeros, or with a value that is not finite, stays as it is.
 *
 * Rows keep their entries and their order, so the output is a copy with other values.
 */

/* y = x / |x|, n values */
static void normalise(double *y, const double *x, int64_t n)
{
	const double largest = largest_of_sizes(x, n);
	double squares = 0, length;
	int exponent;

	/* (1): largest = m 2^exponent with 1/2 <= m < 1 */
	frexp(largest, &exponent);
	for (int64_t k = 0; k < n; k++) {
		y[k] = ldexp(x[k], -exponent); /* 1/2 <= largest < 1, so that squares >= 1/4 */
		squares += y[k] * y[k];
	}
	/* (2), (3): the root of a sum that neither overflows nor vanishes */
	length = sqrt(squares);
	if (!(largest > 0 && isfinite(length))) {
		memcpy(y, x, (size_t)n * sizeof(*x));
		return;
	}
	for (int64_t k = 0; k < n; k++)
		y[k] /= length;
}

int normalise_rows(struct row_range rows, struct row_batch *out, struct error *err)
{
	const struct row_batch *in = rows.in;
	int64_t first = in->row_start[rows.first], end = rows.first + rows.n;
	int64_t n_entries = in->row_start[end] - first;

	if (row_batch_reserve(out, rows.n, n_entries, in->has_text, err) < 0)
		return -1;
	memcpy(out->index, in->index + first, (size_t)n_entries * sizeof(*out->index));
	for (int64_t i = rows.first; i < end; i++) {
		int64_t start = in->row_start[i], n = in->row_start[i + 1] - start;

		normalise(out->value + out->n_entries, in->value + start, n);
		out->n_entries += n;
		row_batch_end_mapped(out, in, i);
	}
	return 0;
}

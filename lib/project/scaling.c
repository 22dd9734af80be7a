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
 * The file of ranges is in scaling_file.c.
 *
 * The steps, with the arrays that they leave:
 *
 *  (0) scaling_ranges_add()   each thread, its own rows: range[k], in the order in which features
 *                             occur; the map finds k from a feature
 *  (1) scaling_init()         one set of ranges; feature[p], least[p], most[p] with p ascending by
 *                             feature, without those that have the same value in all rows
 *      scaling_prepare()      the map finds p from a feature; filled[f] = p and fill[f], for the
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

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"

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
	mem_free_all(s->feature, s->least, s->most, s->filled, s->fill);
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

/* x, a value of feature[place], scaled */
static double scale_feature(const struct scaling *s, int64_t place, double x)
{
	return scale(x, s->least[place], s->most[place], s->options.low, s->options.high);
}

int scaling_reserve(struct scaling *s, int64_t room, struct error *err)
{
	s->feature = mem_array(room, sizeof(*s->feature), err);
	s->least = mem_array(room, sizeof(*s->least), err);
	s->most = mem_array(room, sizeof(*s->most), err);
	return s->feature && s->least && s->most ? 0 : -1;
}

int scaling_prepare(struct scaling *s, struct error *err)
{
	s->filled = mem_array(s->n, sizeof(*s->filled), err);
	s->fill = mem_array(s->n, sizeof(*s->fill), err);
	if (!s->filled || !s->fill)
		return -1;
	for (int64_t p = 0; p < s->n; p++) {
		/* what a 0, which sparse rows do not have, becomes */
		double fill = scale_feature(s, p, 0);

		if (column_map_add(&s->map, s->feature[p], err) < 0)
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
	if (scaling_reserve(s, r->map.n, err) < 0)
		return -1;
	if (r->map.n > 0) /* else there is no array */
		qsort(r->range, (size_t)r->map.n, sizeof(*r->range), order_int32s);
	for (int64_t k = 0; k < r->map.n; k++) {
		struct value_range range = r->range[k];

		/* fewer values than rows: some row has none, which is a 0 */
		if (range.n < r->n_rows)
			widen(&range, 0);
		if (range.least == range.most && range.least != 0 && s->n_constant++ == 0)
			s->first_constant = range.feature;
		if (range.least == range.most)
			continue;
		s->feature[s->n] = range.feature;
		s->least[s->n] = range.least;
		s->most[s->n++] = range.most;
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
	if (take_features(s, &ranges[0], err) == 0 && scaling_prepare(s, err) == 0)
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
		add_entry(out, s->feature[s->filled[f]], s->fill[f]);
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

/* The label of row i, which is the last one of 'out', scaled; with its own text no more. */
static void scale_label(const struct scaling *s, const struct row_batch *in, int64_t i,
			struct row_batch *out)
{
	const struct scaling_options *o = &s->options;
	const int64_t row = out->n_rows - 1;

	out->label[row] =
		scale(in->label[i], s->target_least, s->target_most, o->target_low, o->target_high);
	if (in->has_text && in->text[i].label.length > 0) /* a row without a label stays without */
		out->text[row].label = (struct text_span){ 0 };
}

int scaling_apply(const struct scaling *s, struct row_range rows, struct row_batch *out,
		  struct scaling_unknown *unknown, struct error *err)
{
	const struct row_batch *in = rows.in;
	int64_t end = rows.first + rows.n;
	int64_t n_entries = in->row_start[end] - in->row_start[rows.first];

	/* no row has more entries than it had before, and all fillings */
	if (row_batch_reserve(out, rows.n, n_entries + rows.n * s->n_filled, in->has_text, err) < 0)
		return -1;
	for (int64_t i = rows.first; i < end; i++) {
		add_entries(s, in, i, out, unknown);
		row_batch_end_mapped(out, in, i);
		if (s->options.targets)
			scale_label(s, in, i, out);
	}
	return 0;
}

/*
 * selection_map.c - selections in files, to look at and to apply to other data
 *
 * How this works.  A map is a selection with two answers: are values multiplied by the weights, and
 * are the features called 1, 2, ... afresh?  Applying it keeps the entries of a row whose feature
 * the index finds, in their order, which is ascending in both numberings.  Its file is one of
 * mapfile.h: a header of keys, then for each feature the line that selection_map_list() makes:
 *
 *     index weight score name                  the name may have blanks, or not be there
 *
 * in the order of choice, which weights and scores tell nothing of.
 *
 * Names come from two places.  A file of names has a line for each feature of the data, 1, 2, ...;
 * a selection read from a file has a line for each feature chosen (map->kept).  Both are a text and
 * the places where its lines start, so that reading them is one allocation that grows, not one
 * for each name.
 *
 * The parts of a map, and who owns them:
 *
 *     chosen    features, weights and scores, in the order of choice       selection.c      (1)
 *     index     features ascending, their places in (1)                    selection.c      (2)
 *     kept      text of the names that came with a file, line k for (1)    this file        (3)
 *
 * selection_index_init() makes (2) of (1), once; after that threads may share the map, as applying
 * it only reads.  A row costs one look into the hash table for each entry.  With new numbers an
 * entry of feature j is called k + 1, where j is the k-th of (2): ascending features keep their
 * order, so that a row needs no sorting.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/selection_map.h"

#include "io/mapfile.h"

const char *const select_method_names[] = { "bss",     "approx-bss", "leverage", "approx-leverage",
					    "top",     "rrqr",	     "rfe",	 "rmb",
					    "lpsvm",   "l1",	     "t",	 "f",
					    "uniform", NULL };

_Static_assert(sizeof(select_method_names) / sizeof(*select_method_names) == SELECT_N_METHODS + 1,
	       "a name of each method");

/* ---- names ---- */

/* Find the lines of names->text, whose last byte is '\n'; start[n] is the end of the text. */
int feature_names_split(struct feature_names *names, struct error *err)
{
	const char *p = names->text.bytes, *end;

	if (names->text.size == 0)
		return 0; /* a text without bytes may also have no array */
	end = p + names->text.size;
	while (p < end) {
		/* room for the start of this line and for the end of the text after it */
		if (mem_grow(&names->start, &names->starts_capacity, names->n + 2,
			     sizeof(*names->start), err) < 0)
			return -1;
		names->start[names->n++] = p - names->text.bytes;
		/* the last byte is '\n', so memchr() always finds one */
		p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
		names->start[names->n] = p - names->text.bytes;
	}
	return 0;
}

int feature_names_read(struct feature_names *names, const char *path, struct error *err)
{
	struct input *input;
	int ret;

	*names = (struct feature_names){ 0 };
	if (input_open(&input, path, err) < 0)
		return -1;
	ret = input_append_all(input, &names->text, err);
	/* a last line without '\n' gets one, for which there is room */
	if (ret == 0 && names->text.size > 0 && names->text.bytes[names->text.size - 1] != '\n')
		byte_buffer_add(&names->text, "\n", 1);
	if (ret == 0)
		ret = feature_names_split(names, err);
	input_close(input);
	if (ret < 0)
		feature_names_free(names);
	return ret;
}

void feature_names_free(struct feature_names *names)
{
	mem_free_all(names->text.bytes, names->start);
	text_set_free(&names->all);
	*names = (struct feature_names){ 0 };
}

/* A name without R's quotes; unchanged if there are quotes inside, as in "1","gene". */
static struct text_span without_quotes(struct text_span name)
{
	const struct text_span inner = { name.start + 1, name.length - 2 };

	if (inner.length < 0 || name.start[0] != '"' || inner.start[inner.length] != '"' ||
	    memchr(inner.start, '"', (size_t)inner.length))
		return name;
	return inner;
}

struct text_span feature_names_line(const struct feature_names *names, int64_t line)
{
	struct text_span name = { 0 };

	if (line < 1 || line > names->n)
		return name;
	name.start = names->text.bytes + names->start[line - 1];
	/* start[line] is behind the '\n' of the line */
	name.length = names->start[line] - names->start[line - 1];
	/* blanks at the end of a name are cut off, and the '\r' of files written on Windows */
	while (name.length > 0 && strchr(" \t\r\n", name.start[name.length - 1]))
		name.length--;
	return without_quotes(name);
}

int feature_names_compare(const char *file, int64_t feature, struct text_span name,
			  const char *other_file, struct text_span other, struct error *err)
{
	if (name.length == 0 || other.length == 0 ||
	    (name.length == other.length &&
	     memcmp(name.start, other.start, (size_t)name.length) == 0))
		return 0;
	return error_set(err, ERR_FORMAT,
			 "%s: feature %" PRId64 " is '%s', and '%s' in %s: take rows, columns and "
			 "names from one conversion of the table",
			 file, feature, QUOTED(48, name.start, (size_t)name.length),
			 QUOTED(48, other.start, (size_t)other.length), other_file);
}

int feature_names_check(struct feature_names *names, const char *file, int64_t feature,
			const char *other_file, struct text_span other, struct error *err)
{
	struct text_set *all = &names->all;
	struct text_span name;

	for (int64_t line = all->n > 0 ? names->n : 0; line < names->n; line++) {
		name = feature_names_line(names, line + 1);
		if (text_set_add(all, name.start, name.length, err) < 0)
			return -1;
	}
	if (other.length == 0 || text_set_find(all, other.start, other.length) < 0)
		return 0;
	name = feature_names_line(names, feature + names->from_0);
	return feature_names_compare(file, feature, name, other_file, other, err);
}

/* ---- applying ---- */

void selection_map_free(struct selection_map *map)
{
	selection_free(&map->chosen);
	selection_index_free(&map->index);
	feature_names_free(&map->kept);
	*map = (struct selection_map){ 0 };
}

/* Append a row of 'in', as the map has it, to 'out', which has room. */
static void add_row(const struct selection_map *map, const struct row_batch *in, int64_t i,
		    struct row_batch *out)
{
	for (int64_t k = in->row_start[i]; k < in->row_start[i + 1]; k++) {
		int64_t number = selection_find(&map->index, in->index[k]);
		double weight;

		if (number < 0 || in->value[k] == 0)
			continue;
		/* the weight is at the feature's place in the order of choice */
		weight = map->rescale ? map->chosen.weight[map->index.place[number]] : 1;
		row_batch_put(out, map->renumber ? (int32_t)(number + 1) : in->index[k],
			      weight * in->value[k]);
	}
	row_batch_end_mapped(out, in, i);
}

int selection_map_apply(const struct selection_map *map, struct row_range rows,
			struct row_batch *out, struct error *err)
{
	int64_t last = rows.first + rows.n;
	/* out has room for all entries, of which those not chosen are left out */
	int64_t n_entries = rows.in->row_start[last] - rows.in->row_start[rows.first];

	if (row_batch_reserve(out, rows.n, n_entries, rows.in->has_text, err) < 0)
		return -1;
	for (int64_t i = rows.first; i < last; i++)
		add_row(map, rows.in, i, out);
	return 0;
}

/* Function for linear_map.row: the k-th of the chosen features in ascending order, as a row. */
static int make_linear_row(const void *map, int64_t k, struct linear_map_row *to)
{
	const struct selection_map *from = map;

	/* as a linear map, a feature that is kept is a row with one entry */
	to->feature = from->index.map.list[k];
	to->n = 1;
	to->column[0] = from->renumber ? (int32_t)(k + 1) : to->feature;
	to->value[0] = from->rescale ? from->chosen.weight[from->index.place[k]] : 1;
	return 0;
}

struct linear_map selection_map_linear(const struct selection_map *map)
{
	/* the index lists features in ascending order, so that the last one is the largest */
	int64_t n = map->index.map.n;

	return (struct linear_map){ .map = map,
				    .n_features = n > 0 ? map->index.map.list[n - 1] : 0,
				    .n_rows = n,
				    .most_entries = 1,
				    .selects = true,
				    .row = make_linear_row };
}

/* ---- lines ---- */

/* Append the lines of the features chosen; given names go before those in the file. */
static int put_lines(const struct selection_map *map, const struct feature_names *names,
		     struct byte_buffer *text, struct error *err)
{
	const struct selection *s = &map->chosen;

	for (int64_t k = 0; k < s->n; k++) {
		const double numbers[] = { s->feature[k], s->weight[k], s->score[k] };
		const struct text_span name =
			names && names->n > 0 ?
				feature_names_line(names, s->feature[k] + names->from_0) :
				feature_names_line(&map->kept, k + 1);

		if (mapfile_put_reals(text, numbers, 3, err) < 0 ||
		    byte_buffer_reserve(text, name.length + 2, err) < 0)
			return -1;
		byte_buffer_add(text, " ", name.length > 0);
		byte_buffer_add(text, name.start, name.length);
		byte_buffer_add(text, "\n", 1);
	}
	return 0;
}

int selection_map_list(const struct selection_map *map, const struct feature_names *names,
		       struct byte_buffer *text, struct error *err)
{
	/* with names the kept text has more bytes than the '\n' of each line */
	const bool named = (names && names->n > 0) || map->kept.text.size > map->kept.n;
	const char *heading = named ? "#index weight score name\n" : "#index weight score\n";

	return byte_buffer_append_text(text, heading, err) < 0 ? -1 :
								 put_lines(map, names, text, err);
}

/* ---- the file ---- */

/* What a file holds, for its keys and lines; the map's arrays are borrowed while it is written. */
struct selection_record {
	struct selection_map map;
	int64_t n; /* number of features chosen */
};

static const char *const answers[] = { "no", "yes", NULL };

static const struct mapfile_key keys[] = {
	{ MAPFILE_CHOICE("method", struct selection_record, map.method, select_method_names) },
	{ MAPFILE_CHOICE("rescale", struct selection_record, map.rescale, answers) },
	{ MAPFILE_CHOICE("renumber", struct selection_record, map.renumber, answers) },
	{ MAPFILE_INTEGER("selected", struct selection_record, n, 0, INT32_MAX) },
	{ 0 }
};

/* Function for mapfile_form: number of lines after the keys, one for each feature. */
static int64_t count_lines(const void *record)
{
	return ((const struct selection_record *)record)->n;
}

/* End of the third word of a line, behind which a name may follow. */
static const char *numbers_end(const char *text, const char *end)
{
	for (int words = 0;; words++) {
		/* index, weight and score are three words; the name may have blanks itself */
		const char *blank = memchr(text, ' ', (size_t)(end - text));

		if (!blank || words == 2)
			return blank ? blank : end;
		text = blank + 1;
	}
}

/* Read the line of a feature: three numbers, then the name, which is kept unchanged. */
static int read_line(void *record, int64_t i, const char *text, const char *end, struct error *err)
{
	const char *name = numbers_end(text, end);
	struct selection_record *r = record;
	double x[3];

	/*
	 * 'selected' has been read as the number of lines that follow; the numbers are read as if
	 * their line ended before the name
	 */
	if ((i == 0 && selection_init(&r->map.chosen, r->n, err) < 0) ||
	    mapfile_get_reals(x, 3, text, name, err) < 0)
		return -1;
	/* a feature is a whole number, though all words are read as doubles */
	if (!(x[0] >= 0 && x[0] <= INT32_MAX) || x[0] != (double)(int32_t)x[0])
		return error_set(err, ERR_FORMAT, "no feature index");
	selection_add(&r->map.chosen, (int32_t)x[0], x[1], x[2]);
	/* the blank between score and name does not belong to the name, which may be empty */
	name += name < end;
	if (byte_buffer_append(&r->map.kept.text, name, end - name, err) < 0)
		return -1;
	return byte_buffer_append(&r->map.kept.text, "\n", 1, err);
}

static const struct mapfile_form form = {
	"selection", 1, keys, count_lines, NULL, read_line, NULL
};

int selection_map_save(const struct selection_map *map, const struct feature_names *names,
		       struct output *output, struct error *err)
{
	const struct selection_record r = { *map, map->chosen.n };
	struct byte_buffer lines = { 0 };
	int ret = put_lines(map, names, &lines, err);

	if (ret == 0)
		ret = mapfile_write(&form, &r, &lines, output, err);
	byte_buffer_free(&lines);
	return ret;
}

int selection_map_read(void *to, struct input *from, struct error *err)
{
	struct selection_map *map = to;
	struct selection_record r = { 0 };
	struct error twice = { 0 };
	int ret = mapfile_read(&form, &r, from, err);

	/* a feature chosen twice is found by the index, whose error lacks the path */
	*map = r.map;
	if (ret == 0)
		/* the lines of the kept names are found once all are read */
		ret = feature_names_split(&map->kept, err);
	if (ret == 0 && selection_index_init(&map->index, &map->chosen, &twice) < 0)
		ret = error_set(err, twice.code == ERR_MEMORY ? ERR_MEMORY : ERR_FORMAT, "%s: %s",
				input_name(from), twice.text);
	if (ret < 0)
		selection_map_free(map);
	return ret;
}

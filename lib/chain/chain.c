/*
 * chain.c - the way from raw data to predictions, in one file
 *
 * How this works.  The file is one of mapfile.h: its keys are the numbers of lines of each part, and
 * its data are the lines.  So the checksum is over all of them, and a part is known by the numbers
 * alone.  The parts are kept as text and read one after the other, each by the reader of its kind.
 *
 * On the way goes the highest feature that rows may have behind the parts so far: the next part must
 * not know others (1), and must take all (2).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "chain/chain.h"

#include "base/decimal.h"
#include "io/mapfile.h"
#include "model/predict.h"

/* Places of the parts; those of maps are from FIRST_MAP on. */
enum { COLUMNS, FIRST_MAP, LABELS = FIRST_MAP + CHAIN_MOST_MAPS, MODEL, N_PLACES };

static const char *const place_names[N_PLACES] = { "columns", "map-1",	"map-2", "map-3",
						   "map-4",   "labels", "model" };

/* ---- do the parts fit each other? ---- */

/* Highest feature of rows behind the parts so far, the last of which is 'by'; NULL: not known. */
struct made {
	int64_t highest;
	const char *by;
};

/* (1) and (2): a part knows features up to one, and takes them up to another, 0 for any. */
static int fit(const struct made *made, const char *name, int64_t knows, int64_t takes,
	       struct error *err)
{
	const bool fits = knows <= made->highest && (takes == 0 || takes >= made->highest);

	if (fits || !made->by)
		return 0;
	return error_set(err, ERR_FORMAT,
			 "%s: has features up to %" PRId64 ", and %s makes %" PRId64, name,
			 int64_max(knows, takes), made->by, made->highest);
}

static int fit_map(const struct chain_map *m, const char *name, struct made *made,
		   struct error *err)
{
	const struct scaling *s = &m->scaling;
	const int method = m->features.method;
	int64_t knows = 0;

	if (m->kind == MAP_SCALING && s->n > 0)
		knows = s->range[s->n - 1].feature;
	else if (m->kind == MAP_SELECTION)
		knows = selection_map_linear(&m->selection).n_features;
	else if (method == FEATURE_MAP_PCA || method == FEATURE_MAP_NYSTROM)
		knows = m->features.n_features;
	if (fit(made, name, knows, feature_map_last_feature(&m->features), err) < 0)
		return -1;
	*made = (struct made){ chain_map_n_features(m), name };
	if (made->highest == 0)
		made->highest = knows;
	return 0;
}

int64_t chain_data_feature(const struct chain *c, int64_t f)
{
	for (int k = c->n_maps - 1; k >= 0; k--)
		if (c->map[k].selection.renumber && f > 0)
			f = c->map[k].selection.index.map.list[f - 1];
	return f;
}

/* With names the kept text has more bytes than the '\n' of each line. */
static bool has_names(const struct selection_map *s)
{
	return s->kept.text.size > s->kept.n;
}

/*
 * The name of feature f of the rows behind the first n maps, by the last that has one, and its place,
 * or by the columns.  Its start is NULL where none is known.
 */
static struct text_span name_behind(const struct chain *c, const struct feature_names *columns,
				    int n, int64_t f, int *place)
{
	for (int k = n - 1; k >= 0; k--) {
		const struct selection_map *s = &c->map[k].selection;
		const int64_t at = s->renumber ? f - 1 : selection_find(&s->index, (int32_t)f);
		const int64_t line = at >= 0 && s->kept.n > 0 ? s->index.place[at] + 1 : 0;
		const struct text_span name = feature_names_line(&s->kept, line);

		*place = FIRST_MAP + k;
		if (name.length > 0 || c->map[k].kind == MAP_FEATURES)
			return name;
		f = s->renumber && f > 0 ? s->index.map.list[f - 1] : f;
	}
	*place = COLUMNS;
	return feature_names_line(columns, f);
}

int chain_feature_names(const struct chain *c, struct feature_names *names, struct error *err)
{
	int64_t highest = 0, n = 0;
	int place;

	if (c->has_columns && csv_columns_names(&c->columns, &names->text, err) == 0)
		return feature_names_split(names, err);
	feature_names_free(names);
	if (err->code != ERR_NONE && !error_forgive(err, ERR_ARGUMENT))
		return -1;
	for (int k = 0; k < c->n_maps; k++)
		if (has_names(&c->map[k].selection))
			highest = model_n_features(&c->model);
	/* features of the data ascend with those of the model, which has none before it is read */
	for (int64_t f = 1; f <= highest && err->code == ERR_NONE; f++) {
		const struct text_span name = name_behind(c, names, c->n_maps, f, &place);

		while (++n < chain_data_feature(c, f))
			byte_buffer_append(&names->text, "\n", 1, err);
		byte_buffer_append(&names->text, name.start, name.length, err);
		byte_buffer_append(&names->text, "\n", 1, err);
	}
	return err->code == ERR_NONE ? feature_names_split(names, err) : -1;
}

/* (1) of a single feature: a choice that keeps numbers makes those that it keeps. */
static void fit_feature(const struct chain *c, const char *name, int32_t f, struct error *err)
{
	int k = c->n_maps - 1;

	while (k >= 0 && c->map[k].kind == MAP_SCALING)
		k--;
	if (k >= 0 && c->map[k].kind == MAP_SELECTION && !c->map[k].selection.renumber &&
	    selection_find(&c->map[k].selection.index, f) < 0)
		error_set(err, ERR_FORMAT, "%s: the choice before leaves out feature %" PRId32,
			  name, f);
}

/*
 * Are the features of the n-th map there, by the names that they have?  Else 'err' says so.  Of a chain
 * that was made before, another name is refused where the columns have it for another feature alone.
 */
static void fit_names(const struct chain *c, int n, const char *const *name, bool was_made,
		      struct error *err)
{
	const struct selection_map *s = &c->map[n].selection;
	struct feature_names columns = { 0 };
	int place;

	if (has_names(s))
		chain_feature_names(c, &columns, err);
	for (int64_t k = 0; k < s->chosen.n && err->code == ERR_NONE; k++) {
		const int64_t f = s->chosen.feature[k];
		const struct text_span own = feature_names_line(&s->kept, k + 1),
				       before = name_behind(c, &columns, n, f, &place);

		fit_feature(c, name[FIRST_MAP + n], (int32_t)f, err);
		if (!was_made)
			feature_names_compare(name[FIRST_MAP + n], f, own, name[place], before,
					      err);
		else if (place == COLUMNS)
			feature_names_check(&columns, name[COLUMNS], chain_data_feature(c, f),
					    name[FIRST_MAP + n], own, err);
	}
	feature_names_free(&columns);
}

int chain_check_features(const struct chain *c, const char *chain_file, struct feature_names *names,
			 const char *file, struct error *err)
{
	const int64_t n = model_n_features(&c->model);
	struct feature_names columns = { 0 };
	int place, ret = chain_feature_names(c, &columns, err);

	for (int64_t f = 1; f <= n && ret == 0; f++)
		ret = feature_names_check(names, file, chain_data_feature(c, f), chain_file,
					  name_behind(c, &columns, c->n_maps, f, &place), err);
	feature_names_free(&columns);
	return ret;
}

/* Maps whose last column may be 0 in all rows. */
#define SPARSE_MAPS                                                                              \
	(1u << PROJECT_LI | 1u << PROJECT_CW | 1u << PROJECT_OSNAP | 1u << PROJECT_COUNTSKETCH | \
	 1u << FEATURE_MAP_TENSORSKETCH)

int chain_check_names(const struct chain *c, const struct class_names *names, const char *file,
		      struct error *err)
{
	const struct csv_columns *columns = &c->columns;
	struct predictor p;
	const int *label;

	predictor_of_values(&p, &c->model);
	label = predictor_labels(&p);
	if (names->n > 0 && !label)
		return error_set(err, ERR_FORMAT, "%s: the model is of a regression", file);
	for (int k = 0; label && k < p.n_class; k++) {
		if (names->n > 0 && !class_names_find(names, label[k]).start)
			return error_set(err, ERR_FORMAT, "%s: no name of class %d of the model",
					 file, label[k]);
		/* one-class models are not trained by labels */
		if (p.label && csv_columns_class(columns, 1).start &&
		    !csv_columns_class(columns, label[k]).start)
			return error_set(err, ERR_FORMAT,
					 "class %d of the model is none of the columns: make a "
					 "chain of the files behind them",
					 label[k]);
	}
	for (int64_t k = 0; k < names->n; k++) {
		const double own = names->name[k].label;
		const int64_t other = csv_columns_find_class(columns, class_names_find(names, own));

		if (other > 0 && (double)other != own)
			return error_set(err, ERR_FORMAT,
					 "%s: the name of class %g is that of class %" PRId64
					 " in the columns",
					 file, own, other);
	}
	return 0;
}

static int fit_model(const struct chain *c, const struct made *made, const char *const *name,
		     struct error *err)
{
	const struct chain_map *last = c->n_maps > 0 ? &c->map[c->n_maps - 1] : NULL;
	const bool is_dense =
		last && last->kind == MAP_FEATURES && !(SPARSE_MAPS >> last->features.method & 1);
	const int64_t knows = model_n_features(&c->model);

	for (int64_t e = 0; e < csr_n_entries(&c->model.sv); e++)
		if (c->model.sv.val[e] != 0)
			fit_feature(c, name[MODEL], c->model.sv.col[e], err);
	if (err->code != ERR_NONE || chain_check_names(c, &c->labels, name[LABELS], err) < 0)
		return -1;
	return fit(made, name[MODEL], knows, is_dense ? knows : 0, err);
}

/* ---- parts as text ---- */

/* Owns the texts, each of which is empty where there is no such part; borrows the names. */
struct parts {
	struct byte_buffer text[N_PLACES];
	const char *name[N_PLACES];
	bool were_made; /* of a chain, by whatever version */
};

static void free_parts(struct parts *p)
{
	for (int k = 0; k < N_PLACES; k++)
		byte_buffer_free(&p->text[k]);
}

/* The chain of the parts, into the empty '*c', which is to be freed after a failure too. */
static int read_parts(struct chain *c, const struct parts *p, struct error *err)
{
	struct made made = { 0 };
	struct input *from = NULL;

	for (int k = 0; k < N_PLACES && err->code == ERR_NONE; k++) {
		if (p->text[k].size == 0 ||
		    input_open_kept(&from, &p->text[k], p->name[k], err) < 0)
			continue;
		if (k == COLUMNS && csv_columns_read(&c->columns, from, err) == 0) {
			c->has_columns = true;
			made = (struct made){ c->columns.n_features, p->name[k] };
		} else if (k == LABELS) {
			class_names_take(&c->labels, from, err);
		} else if (k == MODEL && model_read_input(&c->model, from, err) == 0) {
			fit_model(c, &made, p->name, err);
		} else if (k < LABELS && k != COLUMNS &&
			   chain_map_read(&c->map[c->n_maps], from, err) == 0) {
			if (!p->were_made && c->map[c->n_maps].scaling.options.targets)
				error_set(
					err, ERR_FORMAT,
					"%s: ranges of the labels, too, between which predictions "
					"would be: train on labels as they are",
					p->name[k]);
			else if (fit_map(&c->map[c->n_maps], p->name[k], &made, err) == 0)
				fit_names(c, c->n_maps, p->name, p->were_made, err);
			c->n_maps++;
		}
		input_close(from);
	}
	if (err->code == ERR_NONE && p->text[MODEL].size == 0)
		error_set(err, ERR_FORMAT, "a chain ends with a model");
	return err->code == ERR_NONE ? 0 : -1;
}

/* Place of a text, which has a 0 behind it, if 'next' is the first that is free; N_PLACES: it has none. */
static int place_of(const struct byte_buffer *text, int next)
{
	const char *start = text->bytes;
	double label;

	if (strncmp(start, "randsvm-chain ", strlen("randsvm-chain ")) == 0)
		return N_PLACES;
	if (strncmp(start, "randsvm-columns ", strlen("randsvm-columns ")) == 0)
		return COLUMNS;
	if (strncmp(start, "randsvm-", strlen("randsvm-")) == 0 || *start == 'x' || *start == 'y')
		return next > FIRST_MAP && next < LABELS ? next : FIRST_MAP;
	if (decimal_parse(start, start + text->size, &label))
		return LABELS;
	return strstr(start, "_type ") ? MODEL : N_PLACES;
}

/* Read a file to its place, the first that is free being '*next'. */
static int add_part(struct parts *p, const char *path, int *next, struct error *err)
{
	struct byte_buffer text = { 0 };
	struct error reason = { 0 };
	struct input *from;
	int k;

	if (input_open(&from, path, &reason) < 0)
		return error_set(err, reason.code, "%s: %s", path, reason.text);
	if (input_append_all(from, &text, err) == 0)
		byte_buffer_append(&text, "", 1, err);
	input_close(from);
	k = err->code == ERR_NONE ? place_of(&text, *next) : N_PLACES;
	if (k == N_PLACES && err->code == ERR_NONE)
		error_set(err, ERR_FORMAT,
			  "%s: is no columns, map, labels or model; name the files of a chain",
			  path);
	else if (k < *next)
		error_set(err, ERR_FORMAT,
			  "%s: is taken for %s, and comes too late: a chain is columns, %d maps at "
			  "most, labels and a model",
			  path, place_names[k], CHAIN_MOST_MAPS);
	for (int j = FIRST_MAP; j < k && k < LABELS && err->code == ERR_NONE; j++)
		if (strcmp(text.bytes, p->text[j].bytes) == 0)
			error_set(err, ERR_FORMAT, "%s: is the same as %s", path, p->name[j]);
	if (err->code == ERR_NONE) {
		text.size--;
		*next = k + 1;
		p->text[k] = text;
		p->name[k] = path;
		return 0;
	}
	byte_buffer_free(&text);
	return -1;
}

/* ---- the file ---- */

/* What is written or read: lines of each part. */
struct record {
	int64_t n_lines[N_PLACES];
	struct parts *parts; /* reading: line 'first' of the file is the first of a part */
	int place;
	int64_t first;
};

#define LINES(key, k)                                                             \
	{                                                                         \
		MAPFILE_INTEGER(key, struct record, n_lines[k], 0, INT64_MAX / 8) \
	}
static const struct mapfile_key keys[] = { LINES("columns", COLUMNS), LINES("map-1", 1),
					   LINES("map-2", 2),	      LINES("map-3", 3),
					   LINES("map-4", 4),	      LINES("labels", LABELS),
					   LINES("model", MODEL),     { 0 } };

static int64_t count_lines(const void *record)
{
	const struct record *r = record;
	int64_t n = 0;

	for (int k = 0; k < N_PLACES; k++)
		n += r->n_lines[k];
	return n;
}

static int read_line(void *record, int64_t i, const char *text, const char *end, struct error *err)
{
	struct record *r = record;

	while (i - r->first >= r->n_lines[r->place])
		r->first += r->n_lines[r->place++];
	/* with the end of the line */
	return byte_buffer_append(&r->parts->text[r->place], text, end + 1 - text, err);
}

static const struct mapfile_form form = { "chain", 1, keys, count_lines, NULL, read_line, NULL };

static int write_parts(const struct parts *p, struct output *to, struct error *err)
{
	struct byte_buffer lines = { 0 };
	struct record r = { .parts = NULL };
	int64_t at = 0;
	int ret = 0;

	for (int k = 0; k < N_PLACES && ret == 0; k++) {
		ret = byte_buffer_append(&lines, p->text[k].bytes, p->text[k].size, err);
		if (ret == 0 && lines.size > at && lines.bytes[lines.size - 1] != '\n')
			ret = byte_buffer_append(&lines, "\n", 1, err);
		for (; at < lines.size; at++)
			r.n_lines[k] += lines.bytes[at] == '\n';
	}
	if (ret == 0)
		ret = mapfile_write(&form, &r, &lines, to, err);
	byte_buffer_free(&lines);
	return ret;
}

int chain_make(const char *const *path, int n, struct output *to, struct error *err)
{
	struct parts parts = { 0 };
	struct chain c = { 0 };
	struct predictor predictor;
	int next = 0, ret = 0;

	for (int k = 0; k < n && ret == 0; k++)
		ret = add_part(&parts, path[k], &next, err);
	if (ret == 0)
		ret = read_parts(&c, &parts, err);
	predictor_of_values(&predictor, &c.model);
	if (ret == 0 && parts.text[LABELS].size == 0 && predictor.label)
		ret = csv_columns_labels(&c.columns, &parts.text[LABELS], err);
	if (ret == 0)
		ret = write_parts(&parts, to, err);
	chain_free(&c);
	free_parts(&parts);
	return ret;
}

/* An input_reader of a struct chain. */
static int read_chain(void *to, struct input *from, struct error *err)
{
	static const char mark[] = "randsvm-chain ";
	char first[sizeof(mark)] = "";
	struct parts parts = { .were_made = true };
	struct record r = { .parts = &parts };
	struct chain *c = to;
	int ret;

	if (input_peek(from, first, sizeof(mark) - 1, err) < 0)
		return -1;
	if (strcmp(first, mark) != 0)
		return model_read_input(&c->model, from, err);
	memcpy(parts.name, place_names, sizeof(parts.name));
	ret = mapfile_read(&form, &r, from, err) == 0 ? read_parts(c, &parts, err) : -1;
	free_parts(&parts);
	return ret;
}

int chain_read(struct chain *c, const char *path, struct error *err)
{
	*c = (struct chain){ 0 };
	if (input_load(read_chain, c, path, err) == 0)
		return 0;
	chain_free(c);
	return -1;
}

void chain_free(struct chain *c)
{
	csv_columns_free(&c->columns);
	for (int k = 0; k < c->n_maps; k++)
		chain_map_free(&c->map[k]);
	class_names_free(&c->labels);
	model_free(&c->model);
	*c = (struct chain){ 0 };
}

/* ---- rows ---- */

/* Values of a batch: some megabytes.  At least as many rows as a tile of kernel values. */
enum { BATCH_VALUES = 1 << 19, LEAST_ROWS = 16 };

int64_t chain_batch_rows(const struct chain *c)
{
	int64_t most = 0;

	for (int k = 0; k < c->n_maps; k++)
		most = int64_max(most, c->map[k].features.n_columns + c->map[k].scaling.n_filled);
	return most > 0 ? int64_max(LEAST_ROWS, BATCH_VALUES / most) : 0;
}

const struct row_batch *chain_apply(const struct chain *c, const struct row_batch *rows,
				    struct chain_map_scratch *scratch, struct error *err)
{
	for (int k = 0; k < c->n_maps; k++) {
		if (chain_map_apply(&c->map[k], rows, &scratch[k], err) < 0)
			return NULL;
		rows = &scratch[k].out;
	}
	return rows;
}

int chain_row_marks(const struct chain *c, const struct row_batch *rows,
		    const struct chain_map_scratch *scratch, int64_t i)
{
	const int64_t highest = model_n_features(&c->model);
	const struct scaling *s;
	int64_t n_outside = 0;
	const bool overflows = c->n_maps > 0 && row_overflows(rows, &scratch[c->n_maps - 1].out, i);
	int at = 0, marks = overflows ? CHAIN_OVERFLOW : 0;

	for (; at < c->n_maps && c->map[at].kind != MAP_SCALING; at++)
		rows = &scratch[at].out;
	s = at < c->n_maps ? &c->map[at].scaling : NULL;
	for (int64_t k = rows->row_start[i]; k < rows->row_start[i + 1]; k++)
		if (s ? rows->value[k] != 0 && column_map_find(&s->map, rows->index[k]) < 0 :
			rows->index[k] > highest)
			marks |= CHAIN_UNKNOWN;
	rows = s ? &scratch[at].out : rows;
	/* values at the ends of a range are some units of rounding beyond it: 1e-9 of it is more */
	for (int64_t k = rows->row_start[i]; s && k < rows->row_start[i + 1]; k++)
		n_outside += fabs(2 * rows->value[k] - s->options.low - s->options.high) >
			     (1 + 1e-9) * (s->options.high - s->options.low);
	marks |= n_outside > 0 ? CHAIN_OUTSIDE : 0;
	return 2 * n_outside > rows->row_start[i + 1] - rows->row_start[i] ? marks | CHAIN_FAR :
									     marks;
}

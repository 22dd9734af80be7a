/*
 * model_read.c - model files read: support vectors or weights, after the header
 *
 * How this works.  The body has a line for each support vector, its coefficients against all other
 * classes and then its features, or for each feature, its weights:
 *
 *     coef coef ... index:value index:value ...        total_sv lines
 *     weight weight ...                                nr_feature lines, and one for a bias
 *     probA .. and probB ..                            two lines, or none, behind weights of classes
 *
 * The header promises the number of lines.  Fewer or more are an error: a file cut at the end of a
 * line would otherwise pass for a smaller model.  But nothing is allocated by that promise, which a
 * damaged file makes as easily as a right one: arrays grow by half or so as lines come.
 *
 * A struct solution has coefficients by class, [n_class - 1][n_sv], a file by vector: with n_sv
 * uncertain until the end they are read as the file has them, and transposed then.
 *
 * Steps for each kind, all by the reader of words and numbers (model_header.c), which has the line
 * for messages:
 *
 *  (1) next_row()      the next line is there, or, after the last row promised, no line is
 *  (2) read_numbers()  exactly as many coefficients or weights as the header calls for
 *  (3) read_features() pairs up to the end of the line; or the line ends, for weights
 *  (4) the row joins   m->sv, or the list of weights, which become m->linear.w
 *
 * A failure at any step leaves arrays where model_free() finds them, or in the list of coefficients,
 * which is released on all ways out.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/model.h"

#include "base/order.h"
#include "model/model_header.h"

/* ---- Rows of numbers ---- */

/* Coefficients of support vectors, or weights, in the order of the file's lines. */
struct number_list {
	double *value;
	int64_t n, capacity;
};

/* (2): append exactly 'n' numbers of the line at hand. */
static int read_numbers(struct model_text *t, struct number_list *to, int64_t n, const char *what)
{
	int ret;

	if (mem_grow(&to->value, &to->capacity, to->n + n, sizeof(*to->value), t->err) < 0)
		return -1;
	for (int64_t i = 0; i < n; i++) {
		ret = model_text_number(t, what, to->value + to->n + i);
		if (ret == 0)
			return model_text_fail(t,
					       "%s: %" PRId64 " in this line, %" PRId64 " expected",
					       what, i, n);
		if (ret < 0)
			return -1;
	}
	to->n += n;
	return 0;
}

/* (1): go to the line of row 'i' of 'n' that the header promised; for i == n to the file's end. */
static int next_row(struct model_text *t, int64_t i, int64_t n, const char *what)
{
	int ret = model_text_next_line(t);

	if (ret == 0 && i < n)
		return model_text_fail(t, "%" PRId64 " %s promised, %" PRId64 " found", n, what, i);
	if (ret > 0 && i == n)
		return model_text_fail(t, "text after the %" PRId64 " %s promised", n, what);
	return ret < 0 ? -1 : 0;
}

/* ---- LIBSVM: coefficients and features ---- */

/*
 * (3): the index:value pairs up to the end of the line become the next row of m->sv; indices ascend.
 */
static int read_features(struct model *m, struct model_text *t)
{
	struct csr *sv = &m->sv;
	int64_t end = csr_n_entries(sv);
	int32_t col, previous = -1;
	double val;
	int ret;

	while ((ret = model_text_pair(t, &col, &val)) > 0) {
		if (col <= previous)
			return model_text_fail(
				t, "feature %" PRId32 " after %" PRId32 "; indices must ascend",
				col, previous);
		previous = col;
		if (csr_reserve(sv, sv->n_rows + 1, end + 1, t->err) < 0)
			return -1;
		sv->col[end] = col;
		sv->val[end++] = val;
	}
	if (ret < 0 || csr_reserve(sv, sv->n_rows + 1, end, t->err) < 0)
		return -1;
	sv->n_cols = int64_max(sv->n_cols, (int64_t)previous + 1);
	sv->row_start[++sv->n_rows] = end;
	return 0;
}

/* With a precomputed kernel a support vector is a single pair, `0:serial`. */
static bool is_serial(struct csr_row row)
{
	return row.n == 1 && row.col[0] == 0 && row.val[0] >= 1 && row.val[0] <= INT32_MAX &&
	       row.val[0] == (double)(int32_t)row.val[0];
}

/* A line: coefficients, [vectors so far][n_class - 1], and features of a support vector. */
static int read_vector(struct model *m, struct model_text *t, struct number_list *coef)
{
	if (read_numbers(t, coef, m->solution.n_class - 1, "coefficients") < 0 ||
	    read_features(m, t) < 0)
		return -1;
	if (m->kernel.type == KERNEL_PRECOMPUTED &&
	    !is_serial(csr_row_of(&m->sv, m->sv.n_rows - 1)))
		return model_text_fail(t, "expected 0:serial_number, for a precomputed kernel");
	return 0;
}

/* m->solution.coef, [n_class - 1][n_sv] as expansion.h wants it, from [n_sv][n_class - 1] */
static int transpose_coefficients(struct solution *s, const double *value, struct error *err)
{
	int64_t n_sv = s->n_sv, n = s->n_class - 1;

	s->coef = mem_array(n * n_sv, sizeof(*s->coef), err);
	for (int64_t i = 0; s->coef && i < n_sv; i++)
		for (int64_t j = 0; j < n; j++)
			s->coef[j * n_sv + i] = value[i * n + j];
	return s->coef ? 0 : -1;
}

/* All lines of a model of LIBSVM's kind; one step more than lines, to see that the file ends. */
static int read_vectors(struct model *m, struct model_text *t)
{
	struct number_list coef = { 0 };
	int64_t n = m->solution.n_sv;
	int ret = 0;

	for (int64_t i = 0; i <= n && ret == 0; i++) {
		ret = next_row(t, i, n, "support vectors");
		if (ret == 0 && i < n)
			ret = read_vector(m, t, &coef);
	}
	if (ret == 0)
		ret = transpose_coefficients(&m->solution, coef.value, t->err);
	if (ret == 0)
		csr_shrink(&m->sv);
	mem_free(coef.value);
	return ret;
}

/* ---- LIBLINEAR: weights ---- */

/* Reads a line: the weights of one feature, then the line's end. */
static int read_weight_row(struct model *m, struct model_text *t, struct number_list *w)
{
	struct model_word word;
	int ret;

	if (read_numbers(t, w, m->linear.n_columns, "weights") < 0)
		return -1;
	ret = model_text_word(t, &word);
	if (ret > 0)
		return model_text_fail(t, "weights: more in this line than %d",
				       m->linear.n_columns);
	return ret;
}

/* All lines of a LIBLINEAR model. */
static int read_weights(struct model *m, struct model_text *t)
{
	int64_t n = m->linear.n_features + (m->linear.bias >= 0);
	struct number_list w = { 0 };
	/* an array even without a row, as of nr_feature 0 and no bias */
	int ret = mem_grow(&w.value, &w.capacity, 1, sizeof(*w.value), t->err);

	for (int64_t i = 0; i < n && ret == 0; i++) {
		ret = next_row(t, i, n, "rows of weights");
		if (ret == 0)
			ret = read_weight_row(m, t, &w);
	}
	if (ret == 0)
		ret = model_read_end(m, t, n);
	if (ret == 0)
		mem_shrink(&w.value, &w.capacity, w.n, sizeof(*w.value));
	/* also after a failure: model_free() then releases it */
	m->linear.w = w.value;
	return ret;
}

/* ---- Files ---- */

int model_read(struct model *m, const char *path, struct error *err)
{
	*m = (struct model){ 0 };
	return input_load(model_read_input, m, path, err);
}

int model_read_input(void *to, struct input *from, struct error *err)
{
	struct model *m = to;
	struct model_text t;
	int ret = -1;

	*m = (struct model){ 0 };
	if (model_text_open(&t, from, err) == 0 && model_read_header(m, &t) == 0)
		ret = m->is_linear_model ? read_weights(m, &t) : read_vectors(m, &t);
	model_text_close(&t);
	if (ret < 0)
		model_free(m);
	return ret;
}

/* ---- Which rows of the training data the vectors are ---- */

/*
 * How this works.  The file has one number a line, from 1, for each support vector in the order of
 * the model: svm-train's and this library's models name vectors by value only, and a row of the
 * training data cannot be found from its values if it occurs twice.
 *
 *  (1) Lines are read by the reader of model files (model_header.c), which has their line numbers for
 *      messages and refuses a last line that does not end.
 *  (2) There must be as many lines as vectors: fewer or more show that the file is another model's.
 *  (3) No row may come twice.  Rows are sorted with the lines that name them, in O(n log n) time
 *      and 16 bytes each, and neighbours compared; the later line is the one to be reported.
 */

/* (1), (2): rows of all vectors, one a line, counted from 0; -1 if there are fewer or more lines. */
static int read_all(struct model_text *t, int64_t n_sv, int64_t n_rows, int64_t *row)
{
	struct model_word rest;
	int64_t j = 0;
	int ret;

	while ((ret = model_text_next_line(t)) > 0) {
		if (j == n_sv)
			return model_text_fail(
				t, "more rows than the %" PRId64 " support vectors of the model",
				n_sv);
		if (model_text_integer(t, "row", 1, n_rows, &row[j]) < 0)
			return -1;
		row[j++]--;
		ret = model_text_word(t, &rest);
		if (ret != 0)
			return ret < 0 ? -1 : model_text_fail(t, "one row a line expected");
	}
	if (ret == 0 && j < n_sv)
		return model_text_fail(
			t, "%" PRId64 " rows, and the model has %" PRId64 " support vectors", j,
			n_sv);
	return ret;
}

/* (3): fails where two vectors are the same row. */
static int refuse_repeated(const char *path, const int64_t *row, int64_t n, struct error *err)
{
	/* rows of the training data as keys, and the lines of the file that name them */
	struct order_key *list = mem_array(n, sizeof(*list), err);
	int ret = 0;

	if (!list)
		return -1;
	for (int64_t j = 0; j < n; j++)
		list[j] = (struct order_key){ (uint64_t)row[j], j + 1 };
	qsort(list, (size_t)n, sizeof(*list), order_keys);
	for (int64_t j = 1; j < n && ret == 0; j++)
		if (list[j].key == list[j - 1].key)
			ret = error_set(err, ERR_FORMAT, "%s:%" PRId64 ": row %" PRIu64 " again",
					path, list[j].id, list[j].key + 1);
	mem_free(list);
	return ret;
}

int sv_indices_read(const char *path, int64_t n_sv, int64_t n_rows, int64_t *row, struct error *err)
{
	struct model_text text;
	struct input *from;
	int ret = -1;

	if (input_open(&from, path, err) < 0)
		return -1;
	if (model_text_open(&text, from, err) == 0)
		ret = read_all(&text, n_sv, n_rows, row);
	model_text_close(&text);
	input_close(from);
	return ret < 0 ? -1 : refuse_repeated(path, row, n_sv, err);
}

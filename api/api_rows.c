/*
 * api_rows.c - rows of the public library: a dataset, and ways to make one
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "api.h"
#include "base/order.h"
#include "io/row_writer.h"
#include "matrix/node_rows.h"

rsv_rows *api_give_rows(struct dataset *data, struct error *failed, struct rsv_error *err)
{
	rsv_rows *rows = failed->code == ERR_NONE ? mem_array(1, sizeof(*rows), failed) : NULL;

	if (rows)
		rows->data = *data;
	else
		dataset_free(data);
	api_status(failed, err);
	return rows;
}

/* ---- files ---- */

/* input_open(); fails where 'path' is NULL, and names the file in its errors. */
static int open_file(struct input **input, const char *path, struct error *err)
{
	struct error reason = { 0 };

	if (api_need(path, "file name", err) < 0)
		return -1;
	input_open(input, path, &reason);
	return api_name_file(path, &reason, err);
}

static void tell_bytes(void *arg, int64_t done, int64_t total)
{
	const struct rsv_run *run = arg;

	if (total > 0)
		run->progress(run->arg, (double)done / (double)total);
}

static struct progress_observer observer_of(struct api_run *run)
{
	return run->given.progress ? (struct progress_observer){ tell_bytes, &run->given } :
				     (struct progress_observer){ 0 };
}

static rsv_rows *read_rows(const char *path, bool by_qid, const struct rsv_run *given,
			   struct rsv_error *err)
{
	API_CALL(failed);
	const struct rows_options options = { .groups_by_qid = by_qid };
	struct dataset data = { 0 };
	struct input *input = NULL;
	struct progress_observer progress;
	struct api_run run;

	if (api_begin(&run, given, &failed) == 0 && open_file(&input, path, &failed) == 0) {
		progress = observer_of(&run);
		dataset_read(&data, input, &options, &progress, run.n_threads, &failed);
	}
	input_close(input);
	return api_give_rows(&data, &failed, err);
}

rsv_rows *rsv_rows_read(const char *path, const struct rsv_run *run, struct rsv_error *err)
{
	return read_rows(path, false, run, err);
}

rsv_rows *rsv_rows_read_by_qid(const char *path, const struct rsv_run *run, struct rsv_error *err)
{
	return read_rows(path, true, run, err);
}

/* What a scan calls. */
struct batch_receiver {
	int (*batch)(void *arg, const rsv_rows *rows);
	void *arg;
};

static int deliver_batch(void *arg, struct row_batch *b, void *user UNUSED, struct error *err)
{
	const struct batch_receiver *to = arg;
	const rsv_rows rows = { .data = { .x = csr_of_batch(b, b->max_index + 1),
					  .y = b->label,
					  .max_index = b->max_index,
					  .has_rounded = b->rounded.line > 0 } };

	if (b->n_rows == 0 || to->batch(to->arg, &rows) == 0)
		return 0;
	return error_set(err, ERR_INTERRUPTED, "the caller ended the scan");
}

int rsv_rows_scan(const char *path, const struct rsv_run *given,
		  int (*batch)(void *arg, const rsv_rows *rows), void *arg, struct rsv_error *err)
{
	API_CALL(failed);
	struct batch_receiver to = { batch, arg };
	struct rows_visitor visitor = { .deliver = deliver_batch, .arg = &to };
	struct input *input = NULL;
	const int code_before = err ? err->code : RSV_OK;
	struct api_run run;

	/* tells a failure of batch() from an older one; '*err' stays as it was where all goes well */
	if (err)
		err->code = RSV_OK;
	if (!batch)
		error_set(&failed, ERR_ARGUMENT, "no function for the rows");
	else if (api_begin(&run, given, &failed) == 0 && open_file(&input, path, &failed) == 0) {
		visitor.progress = observer_of(&run);
		rows_scan(input, &(struct rows_options){ 0 }, &visitor, run.n_threads, &failed);
	}
	input_close(input);
	if (failed.code == ERR_INTERRUPTED && err && err->code != RSV_OK)
		return -1;
	if (failed.code == ERR_NONE && err)
		err->code = code_before;
	return api_status(&failed, err);
}

/* Rows on their way to a file. */
struct rows_writing {
	struct row_writer writer;
	struct byte_buffer bytes;
};

static int write_batch(void *arg, struct row_batch *b, void *user UNUSED, struct error *err)
{
	struct rows_writing *w = arg;

	if (row_writer_format(&w->writer, &w->bytes, b, err) < 0)
		return -1;
	return row_writer_write(&w->writer, &w->bytes, err);
}

static int write_rows(const void *what, struct output *to, struct error *err)
{
	struct rows_writing w = { .writer.to = to };
	const struct rows_visitor visitor = { .deliver = write_batch, .arg = &w };
	const int ret = dataset_scan((void *)what, &visitor, 1, err);

	byte_buffer_free(&w.bytes);
	return ret;
}

int rsv_rows_write(const rsv_rows *rows, const char *path, struct rsv_error *err)
{
	API_CALL(failed);

	if (api_need_features(rows, &failed) == 0)
		api_write_file(path, write_rows, &rows->data, &failed);
	return api_status(&failed, err);
}

/* ---- arrays ---- */

static int set_labels(struct dataset *d, const double *label, int64_t n, struct error *err)
{
	d->y = mem_zeroed(n, sizeof(*d->y), err);
	if (!d->y)
		return -1;
	d->labels_capacity = n;
	for (int64_t i = 0; label && i < n; i++) {
		d->y[i] = label[i];
		if (!isfinite(label[i]))
			return error_set(err, ERR_ARGUMENT, "row %" PRId64 ": the label is %g",
					 i + 1, label[i]);
	}
	return 0;
}

/* An entry of a row, its column counted from 1. */
struct entry {
	int32_t col; /* first, for order_int32s() */
	double val;
};

/* A row of a full matrix without its zeros; of a precomputed kernel whole, with its number. */
static int append_full(struct csr *x, const double *value, int64_t n_columns, bool is_kernel,
		       struct error *err)
{
	int64_t at = csr_n_entries(x);

	if (csr_reserve(x, x->n_rows + 1, at + n_columns + 1, err) < 0)
		return -1;
	if (is_kernel) {
		x->col[at] = 0;
		x->val[at++] = (double)(x->n_rows + 1);
	}
	for (int64_t j = 0; j < n_columns; j++) {
		if (!isfinite(value[j]))
			return error_set(err, ERR_ARGUMENT,
					 "row %" PRId64 ", column %" PRId64 ": value %g",
					 x->n_rows + 1, j + 1, value[j]);
		if (value[j] == 0 && !is_kernel)
			continue;
		x->col[at] = (int32_t)(j + 1);
		x->val[at++] = value[j];
	}
	x->row_start[++x->n_rows] = at;
	return 0;
}

static rsv_rows *rows_of_full(int64_t n_rows, int64_t n_columns, const double *value,
			      int64_t stride, const double *label, bool is_kernel,
			      struct rsv_error *err)
{
	API_CALL(failed);
	struct dataset d = { 0 };

	if (n_rows < 0 || n_columns < 0 || n_columns >= INT32_MAX || stride < n_columns)
		error_set(&failed, ERR_ARGUMENT,
			  "%" PRId64 " rows, %" PRId64 " columns, %" PRId64 " apart", n_rows,
			  n_columns, stride);
	else if (n_rows == 0 || api_need(value, "values", &failed) == 0)
		set_labels(&d, label, n_rows, &failed);
	for (int64_t i = 0; i < n_rows && failed.code == ERR_NONE; i++)
		append_full(&d.x, value + i * stride, n_columns, is_kernel, &failed);
	d.x.n_cols = n_columns + 1;
	d.max_index = n_columns;
	return api_give_rows(&d, &failed, err);
}

rsv_rows *rsv_rows_dense(int64_t n_rows, int64_t n_columns, const double *value, int64_t stride,
			 const double *label, struct rsv_error *err)
{
	return rows_of_full(n_rows, n_columns, value, stride, label, false, err);
}

rsv_rows *rsv_rows_kernel(int64_t n_rows, int64_t n_columns, const double *value, int64_t stride,
			  const double *label, struct rsv_error *err)
{
	return rows_of_full(n_rows, n_columns, value, stride, label, true, err);
}

/* ---- a kernel of the caller's ---- */

rsv_rows *rsv_rows_kernel_by(const struct rsv_kernel_function *kernel, int64_t n_rows,
			     const double *label, struct rsv_error *err)
{
	API_CALL(failed);
	struct dataset d = { .max_index = n_rows };
	struct rsv_kernel_function own = { 0 };

	if (api_read_struct(&own, sizeof(own), kernel, "kernel", &failed) == 0)
		api_need(own.values ? kernel : NULL, "function for the kernel's values", &failed);
	if (failed.code == ERR_NONE && !(own.error >= 0 && own.error < 1))
		error_set(&failed, ERR_ARGUMENT, "an error of kernel values of %g", own.error);
	if (failed.code == ERR_NONE && (n_rows < 0 || n_rows >= INT32_MAX))
		error_set(&failed, ERR_ARGUMENT, "%" PRId64 " rows", n_rows);
	if (failed.code == ERR_NONE && set_labels(&d, label, n_rows, &failed) == 0)
		d.asked = asked_kernel_new(
			&(struct kernel_function){ own.values, own.arg, own.error }, n_rows,
			&failed);
	for (int64_t i = 0; i < n_rows && failed.code == ERR_NONE; i++)
		csr_append_row(&d.x,
			       (struct csr_row){ 1, &(int32_t){ 0 }, &(double){ (double)(i + 1) } },
			       &failed);
	d.x.n_cols = n_rows + 1;
	return api_give_rows(&d, &failed, err);
}

int64_t rsv_rows_n_kernel_values(const rsv_rows *rows)
{
	return rows && rows->data.asked ? rows->data.asked->n_asked : 0;
}

int api_need_features(const rsv_rows *rows, struct error *err)
{
	if (api_need(rows, "rows", err) < 0)
		return -1;
	return rows->data.asked ?
		       error_set(err, ERR_ARGUMENT, "rows that are objects have no features") :
		       0;
}

/* ---- sparse arrays ---- */

/* The entries of a row, by ascending columns; 'entry' is room for them. */
static int append_entries(struct csr *x, const int32_t *column, const double *value, int64_t n,
			  struct entry *entry, struct error *err)
{
	int64_t at = csr_n_entries(x);
	bool ascends = true;

	for (int64_t k = 0; k < n; k++) {
		if (column[k] < 0 || column[k] == INT32_MAX || !isfinite(value[k]))
			return error_set(err, ERR_ARGUMENT,
					 "row %" PRId64 ", column %" PRId32 ": value %g",
					 x->n_rows + 1, column[k], value[k]);
		entry[k] = (struct entry){ column[k] + 1, value[k] };
		ascends &= k == 0 || column[k - 1] < column[k];
	}
	if (!ascends)
		qsort(entry, (size_t)n, sizeof(*entry), order_int32s);
	if (csr_reserve(x, x->n_rows + 1, at + n, err) < 0)
		return -1;
	for (int64_t k = 0; k < n; k++, at++) {
		if (k > 0 && entry[k].col == entry[k - 1].col)
			return error_set(err, ERR_ARGUMENT,
					 "row %" PRId64 ": column %" PRId32 " is there twice",
					 x->n_rows + 1, entry[k].col - 1);
		x->col[at] = entry[k].col;
		x->val[at] = entry[k].val;
		x->n_cols = int64_max(x->n_cols, (int64_t)entry[k].col + 1);
	}
	x->row_start[++x->n_rows] = at;
	return 0;
}

static int check_sparse(int64_t n_rows, const int64_t *start, const int32_t *column,
			const double *value, struct error *err)
{
	if (n_rows < 0)
		return error_set(err, ERR_ARGUMENT, "%" PRId64 " rows", n_rows);
	if (n_rows > 0 && api_need(start, "starts of rows", err) < 0)
		return -1;
	for (int64_t i = 0; i < n_rows; i++)
		if (start[0] != 0 || start[i + 1] < start[i])
			return error_set(err, ERR_ARGUMENT,
					 "the starts of rows do not ascend from 0");
	if (n_rows == 0 || start[n_rows] == 0)
		return 0;
	return api_need(column, "columns", err) < 0 ? -1 : api_need(value, "values", err);
}

rsv_rows *rsv_rows_csr(int64_t n_rows, const int64_t *start, const int32_t *column,
		       const double *value, const double *label, struct rsv_error *err)
{
	API_CALL(failed);
	struct dataset d = { 0 };
	struct entry *entry = NULL;
	int64_t room = 0;

	if (check_sparse(n_rows, start, column, value, &failed) == 0)
		set_labels(&d, label, n_rows, &failed);
	for (int64_t i = 0; i < n_rows && failed.code == ERR_NONE; i++) {
		const int64_t n = start[i + 1] - start[i];

		if (mem_grow(&entry, &room, n, sizeof(*entry), &failed) == 0)
			append_entries(&d.x, column + start[i], value + start[i], n, entry,
				       &failed);
	}
	mem_free(entry);
	d.max_index = d.x.n_cols > 0 ? d.x.n_cols - 1 : 0;
	return api_give_rows(&d, &failed, err);
}

rsv_rows *rsv_rows_nodes(int64_t n_rows, const struct svm_node *const *node, const double *label,
			 struct rsv_error *err)
{
	API_CALL(failed);
	struct dataset d = { 0 };

	if (n_rows < 0 || (n_rows > 0 && !node))
		error_set(&failed, ERR_ARGUMENT, "no nodes");
	else if (set_labels(&d, label, n_rows, &failed) == 0)
		node_rows_read(&d.x, (struct svm_node *const *)node, n_rows, NODES_FEATURES,
			       &failed);
	d.max_index = d.x.n_cols > 0 ? d.x.n_cols - 1 : 0;
	return api_give_rows(&d, &failed, err);
}

rsv_rows *rsv_rows_part(const rsv_rows *rows, const int64_t *row, int64_t n, struct rsv_error *err)
{
	struct error failed = { 0 };
	struct dataset part = { 0 };

	if (api_need(rows, "rows", &failed) == 0 && (n < 0 || (n > 0 && !row)))
		error_set(&failed, ERR_ARGUMENT, "no numbers of rows");
	for (int64_t k = 0; k < n && failed.code == ERR_NONE; k++)
		if (row[k] < 0 || row[k] >= rows->data.x.n_rows)
			error_set(&failed, ERR_ARGUMENT, "there is no row %" PRId64, row[k]);
	if (failed.code == ERR_NONE)
		dataset_gather(&part, &rows->data, row, n, &failed);
	return api_give_rows(&part, &failed, err);
}

/* A copy of all rows, with the weights and groups that 'd' has. */
static rsv_rows *copy_rows(const struct dataset *d, struct error *failed, struct rsv_error *err)
{
	struct dataset copy = { 0 };
	int64_t *row = mem_array(d->x.n_rows, sizeof(*row), failed);

	for (int64_t i = 0; row && i < d->x.n_rows; i++)
		row[i] = i;
	if (failed->code == ERR_NONE && d->x.n_rows > 0)
		dataset_gather(&copy, d, row, d->x.n_rows, failed);
	mem_free(row);
	return api_give_rows(&copy, failed, err);
}

rsv_rows *rsv_rows_weigh(const rsv_rows *rows, const double *weight, struct rsv_error *err)
{
	API_CALL(failed);
	struct dataset weighed = { 0 };

	if (api_need(rows, "rows", &failed) == 0 && api_need(weight, "weights", &failed) == 0) {
		weighed = rows->data;
		weighed.weight = (double *)weight;
	}
	for (int64_t i = 0; i < weighed.x.n_rows && failed.code == ERR_NONE; i++)
		if (!(weight[i] > 0) || !isfinite(weight[i]))
			error_set(&failed, ERR_ARGUMENT, "row %" PRId64 ": weight %g", i + 1,
				  weight[i]);
	return copy_rows(&weighed, &failed, err);
}

rsv_rows *rsv_rows_group(const rsv_rows *rows, const int64_t *group, struct rsv_error *err)
{
	struct error failed = { 0 };
	struct dataset grouped = { 0 };

	if (api_need(rows, "rows", &failed) == 0 && api_need(group, "groups", &failed) == 0) {
		grouped = rows->data;
		grouped.group = (int64_t *)group;
	}
	return copy_rows(&grouped, &failed, err);
}

/* ---- what is in the rows ---- */

int64_t rsv_rows_count(const rsv_rows *rows)
{
	return rows ? rows->data.x.n_rows : 0;
}

int64_t rsv_rows_n_entries(const rsv_rows *rows)
{
	return rows ? csr_n_entries(&rows->data.x) : 0;
}

int64_t rsv_rows_n_features(const rsv_rows *rows)
{
	return rows ? rows->data.max_index : 0;
}

const double *rsv_rows_labels(const rsv_rows *rows)
{
	return rows ? rows->data.y : NULL;
}

int rsv_rows_copy(const rsv_rows *rows, int64_t *start, int32_t *column, double *value,
		  struct rsv_error *err)
{
	struct error failed = { 0 };
	const struct csr *x;

	if (api_need(rows, "rows", &failed) < 0 ||
	    api_need(start, "room for starts of rows", &failed) < 0 ||
	    (rsv_rows_n_entries(rows) > 0 && (api_need(column, "room for columns", &failed) < 0 ||
					      api_need(value, "room for values", &failed) < 0)))
		return api_status(&failed, err);
	x = &rows->data.x;
	start[0] = 0;
	for (int64_t i = 0; i < x->n_rows; i++) {
		const struct csr_row row = csr_row_of(x, i);

		if (row.n > 0 && row.col[0] == 0) {
			error_set(&failed, ERR_ARGUMENT, "row %" PRId64 " has a feature 0", i + 1);
			break;
		}
		for (int64_t k = 0; k < row.n; k++) {
			column[start[i] + k] = row.col[k] - 1;
			value[start[i] + k] = row.val[k];
		}
		start[i + 1] = start[i] + row.n;
	}
	return api_status(&failed, err);
}

void rsv_rows_free(rsv_rows *rows)
{
	if (rows)
		dataset_free(&rows->data);
	mem_free(rows);
}

/* ---- rows, mapped ---- */

struct mapping {
	const struct chain_map *map;
	struct dataset *mapped;
};

static int map_batch(void *arg, struct row_batch *b, void *user, struct error *err)
{
	const struct mapping *m = arg;

	return chain_map_apply(m->map, b, user, err);
}

static int append_batch(void *arg, struct row_batch *b, void *user, struct error *err)
{
	static const char *const fault[] = {
		[MAP_FEATURES] = "a sum of its values is too large",
		[MAP_SCALING] = "a scaled value is too large",
		[MAP_SELECTION] = "a value times the weight of its feature is too large"
	};
	struct mapping *m = arg;
	const struct row_batch *out = &((struct chain_map_scratch *)user)->out;

	if (row_batch_check_mapped(b, out, m->mapped->x.n_rows, fault[m->map->kind], err) < 0)
		return -1;
	return dataset_append(m->mapped, out, err);
}

int api_map_rows(const struct chain_map *map, const struct dataset *data, int n_threads,
		 struct dataset *mapped, int64_t *n_unranged, struct error *err)
{
	struct mapping m = { map, mapped };
	struct chain_map_scratch *worker = mem_zeroed(n_threads, sizeof(*worker), err);
	const struct rows_visitor visitor = { .work = map_batch,
					      .deliver = append_batch,
					      .arg = &m,
					      .users = { worker, sizeof(*worker) } };
	int ret = -1;

	if (worker)
		ret = dataset_scan((void *)data, &visitor, n_threads, err);
	for (int k = 0; worker && k < n_threads; k++) {
		if (n_unranged)
			*n_unranged += worker[k].unknown.n;
		chain_map_scratch_free(&worker[k]);
	}
	mem_free(worker);
	return ret;
}

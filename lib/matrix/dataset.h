/*
 * dataset.h - labelled examples in memory
 *
 * 12 bytes an entry and 16 a row; 8 more with weights of the rows, and with groups.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/rows.h"
#include "matrix/csr.h"

struct asked_kernel;

/* Owns its arrays; a zeroed struct is empty.  Readers may share it between threads. */
struct dataset {
	struct csr x;
	double *y;	/* x.n_rows labels or targets */
	double *weight; /* x.n_rows weights of rows, above 0; NULL: 1 each */
	/* numbers of the groups of rows, x.n_rows, for folds that keep them whole; NULL: no groups */
	int64_t *group;
	/* fold of each row, or -1: none, in place of folds that are drawn; borrowed, or NULL */
	const int64_t *fold;
	/*
	 * the kernel of the objects that the rows are, each column 0 alone, as asked_kernel.h has
	 * it; shared with other data sets; NULL: rows have features
	 */
	struct asked_kernel *asked;
	int64_t max_index; /* largest feature number, 0 if there is none */
	int64_t labels_capacity;
	/* some row that was appended or gathered from had a qid, an integer that was rounded */
	bool has_qid, has_rounded;
};

void dataset_free(struct dataset *d);

/* dataset_weight() - the weight of row i */
static inline double dataset_weight(const struct dataset *d, int64_t i)
{
	return d->weight ? d->weight[i] : 1;
}

/*
 * dataset_gather() - the examples row[0], row[1], ..., row[n-1] of 'd', copied into the empty
 * '*part'
 *
 * Row numbers may repeat; max_index is d's.  O(entries copied).  On failure (ERR_MEMORY) '*part'
 * is empty.
 */
int dataset_gather(struct dataset *part, const struct dataset *d, const int64_t *row, int64_t n,
		   struct error *err);

/*
 * dataset_append() - add the examples of a batch to a data set without weights and groups
 *
 * Amortised O(rows + entries).  On ERR_MEMORY the dataset is as it was, but for its capacity.
 */
int dataset_append(void *dataset, const struct row_batch *batch, struct error *err);

/*
 * dataset_read() - load all examples of an input into the empty '*d'
 *
 * One pass, on 'n_threads' threads; see rows.h for the forms of input and their errors.
 * 'progress' (may be NULL) is told the bytes as by rows_scan().
 * With options->groups_by_qid the rows of a qid are a group (row_groups.h).  An input without
 * examples is ERR_FORMAT, and so is then a row without qid.  On failure '*d' is empty.
 */
int dataset_read(struct dataset *d, struct input *input, const struct rows_options *options,
		 const struct progress_observer *progress, int n_threads, struct error *err);

/*
 * dataset_scan() - visit the examples of 'dataset', a const struct dataset; a row_source's scan()
 *
 * Copies no entries.  A batch's max_index is the dataset's.  Fails with ERR_MEMORY, or as the
 * visitor does.
 */
int dataset_scan(void *dataset, const struct rows_visitor *visitor, int n_threads,
		 struct error *err);

/* dataset_checksum() - the CRC-32 of rows_checksum_crc32(); O(entries) */
uint32_t dataset_checksum(const struct dataset *d);

/*
 * The rows of a matrix seen as a batch, and those of a batch as a matrix: no entries are copied, what
 * is returned borrows the arrays, and is not to be freed
 */

/* csr_as_batch() - all rows, with x->n_rows labels */
static inline struct row_batch csr_as_batch(const struct csr *x, double *label)
{
	return (struct row_batch){ .n_rows = x->n_rows,
				   .n_entries = csr_n_entries(x),
				   .max_index = x->n_cols > 0 ? x->n_cols - 1 : 0,
				   .label = label,
				   .row_start = x->row_start,
				   .index = x->col,
				   .value = x->val };
}

/* csr_of_batch() - all rows, without their labels; n_cols is above b->max_index */
static inline struct csr csr_of_batch(const struct row_batch *b, int64_t n_cols)
{
	return (struct csr){ .n_rows = b->n_rows,
			     .n_cols = n_cols,
			     .row_start = b->row_start,
			     .col = b->index,
			     .val = b->value };
}

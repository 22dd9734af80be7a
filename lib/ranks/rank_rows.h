/*
 * rank_rows.h - rows of the data, each with one of the ranks
 *
 * Rows are cut into parts, runs of neighbours, and each part is with one rank: the one that read it.
 * All ranks know all parts.
 *
 *     row of the data    0 1 2 | 3 4 | 5 6 7 8 | 9          part[] = {0, 3, 0, 0}, {3, 2, 1, 0},
 *     rank               0 0 0 | 1 1 | 0 0 0 0 | 1                    {5, 4, 0, 3}, {9, 1, 1, 2} ...
 *     place there        0 1 2 | 0 1 | 3 4 5 6 | 2
 *
 * Rank 0 trains, and has of each row its label, the number of its entries and its norm, but no
 * entries; it asks for the rows that it works on, and for sums over vectors (rank_source.h).  All
 * ranks make the same calls, those that are not rank 0 from rank_service_run().
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/row_batch.h"
#include "kernel/float_vectors.h"
#include "matrix/dataset.h"
#include "ranks/rank_group.h"

/* Rows first .. first + n - 1 of the data, which are rows at .. at + n - 1 of those of a rank. */
struct rank_part {
	int64_t first, n;
	int64_t rank, at;
	int64_t first_entry, entries_at; /* likewise of their entries, sum.n_entries of them */
	struct rows_checksum sum;	 /* of a part that was read; else n_entries alone */
	bool has_qid;			 /* one of them has a qid */
};

/* Figures of one rank, for the report of the run. */
struct rank_record {
	int64_t n_rows;		  /* number of rows that the rank keeps */
	double sum_seconds;	  /* seconds that the rank has summed */
	double cpu_seconds;	  /* processor seconds of its process, when it answered last */
	int64_t peak_array_bytes; /* most bytes in its arrays, see mem_usage() */
};

/* The rows of a rank, and what it knows of the others'.  A zeroed struct with a group has no rows. */
struct rank_rows {
	struct rank_group *group;
	int n_threads;	    /* threads of this rank's work */
	double sum_seconds; /* seconds that this rank has summed */
	/* all parts, in the order of the data; the same on all ranks */
	int64_t n_parts, parts_capacity;
	struct rank_part *part;
	bool is_arranged;	  /* by the lists of linear problems: rank_rows_arrange() */
	struct rows_checksum sum; /* of the features and values of all rows */
	int64_t n_own;		  /* rows of this rank */
	struct csr own; /* its parts one after the other, or with rows that are not its own */
	struct float_vectors floats; /* the same in single precision, once that is wanted */
	struct dataset got;	     /* while rows come: those that this rank has got */

	/* of rank 0 alone */
	struct dataset *data; /* all rows, without entries: x.col, x.val are NULL; or with them */
	double *norm2;	      /* csr_row_norm2() of all rows */
	uint64_t *hash;	      /* csr_row_hash() of all rows */
	int64_t n_requests;   /* requests for sums */
	struct rank_record *record; /* record of each rank */
};

/*
 * rank_rows_init() - no rows yet, with a group that is borrowed; -1 with ERR_MEMORY, on rank 0 alone
 *
 * rank_rows_drop() - drop the rows, which are then those of no data; group and records stay
 *
 * rank_rows_free() - drop all
 */
int rank_rows_init(struct rank_rows *rows, struct rank_group *group, int n_threads,
		   struct error *err);
void rank_rows_drop(struct rank_rows *rows);
void rank_rows_free(struct rank_rows *rows);

/*
 * rank_agree() - is all well on all ranks, each of which makes this call?  The same on all ranks
 *
 * To call before ranks send or await what may not be there.  '*err' is what has failed on this
 * rank, if anything; on rank 0 it gets the first failure of another one, whose text names the rank
 * and its machine.  Rank 0 notes the figures of all ranks.
 */
bool rank_agree(struct rank_rows *rows, struct error *err);

/*
 * How rows come, to a rank that has none yet:
 *
 *     rank_rows_open(rows, rank, &err);        the next part, which is of that rank
 *     rank_rows_add(rows, batch, NULL, &err);  if that is this one
 *     ...
 *     rank_rows_settle(rows, &err);            all ranks have opened the same parts
 *
 * rank_rows_open() - -1 with ERR_MEMORY
 *
 * rank_rows_add() - a batch to the last part: a visitor's deliver(); -1 with ERR_MEMORY
 *
 * rank_rows_settle() - all parts become known to all ranks, and rows->data of rank 0 their outline
 *
 * '*err' is what has failed on this rank before, if anything.  Fails on all ranks where it does on
 * one, with ERR_MEMORY, and with ERR_FORMAT where no rank has a row; there are no rows then, and the
 * data of rank 0 are empty.
 */
int rank_rows_open(struct rank_rows *rows, int64_t rank, struct error *err);
int rank_rows_add(void *rows, struct row_batch *batch, void *user, struct error *err);
int rank_rows_settle(struct rank_rows *rows, struct error *err);

/* rank_rows_part() - the part that a row is in; 'near' is one to try first, as rows mostly come in order */
const struct rank_part *rank_rows_part(const struct rank_rows *rows, int64_t row,
				       const struct rank_part *near);

/*
 * rank_rows_arrange() - each row goes to the rank of its list (linear/linear_rows.h), modulo their number
 *
 * Rows that are read in the order of lists, nearly, are there already but for a few; a rank keeps its
 * room for those that have left it, so that no floats may be made.  Fails with ERR_MEMORY; the rows are
 * where they were then.
 */
int rank_rows_arrange(struct rank_rows *rows, struct error *err);

/*
 * rank_rows_bring_all() - the entries of all rows to rank 0, into rows->data
 *
 * All ranks keep theirs.  Fails with ERR_MEMORY; rows->data has no values then.
 */
int rank_rows_bring_all(struct rank_rows *rows, struct error *err);

/* rank_rows_checksum() - dataset_checksum() of all rows, on rank 0; O(rows) */
uint32_t rank_rows_checksum(const struct rank_rows *rows);

/*
 * rank_choice.h - some rows of the data, wherever they are, and their entries
 *
 * Rank 0 lists rows by their numbers in the data; all ranks get the list, and group it by the rank
 * that has each row:
 *
 *     list     7 0 4 1      rows of the data, in rank 0's order
 *     rank     1 0 1 0      the rank that has each
 *     start    0   2   4    where those of each rank begin, one rank's behind the other's
 *     own      1 0          on rank 1: the places of those that it has
 *
 * All ranks make the same calls.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "ranks/rank_messages.h"
#include "ranks/rank_rows.h"

/* Rows in floats or in doubles, as whoever asks for them says; a zeroed struct is empty. */
struct rank_store {
	struct float_vectors floats;
	struct csr doubles;
};

/* The same on all ranks.  Owns its arrays; a zeroed struct has no rows. */
struct rank_choice {
	int64_t n, n_entries; /* number of rows, and of their entries */
	int64_t n_own;	      /* number of those that this rank has */
	int64_t *start, *own;
	int32_t *rank;
	double *value; /* of each of the n_own rows, 0; and room of rank 0 for rank_choice_move() */
};

/*
 * rank_choice_init() - the rows row[0 .. n - 1] of the data, which rank 0 gives, on all ranks
 *
 * A failure, ERR_MEMORY, stays in '*err' of this rank until rank_agree(): only where that is true the
 * choice may be used.  rank_choice_free() follows in either case.
 */
void rank_choice_init(struct rank_choice *c, struct rank_rows *rows, const int64_t *row, int64_t n,
		      struct error *err);
void rank_choice_free(struct rank_choice *c);

/* rank_choice_move() - a number of each row listed, of rank 0, to c->value of who has the row; or 'back' */
void rank_choice_move(const struct rank_choice *c, struct rank_rows *rows, double *listed,
		      bool back);

/*
 * rank_choice_collect() - copies of the rows in the order of the list
 *
 * In floats as rows->floats has them, behind those that are in '*out' already, or in doubles, into
 * an empty '*out'; of rank 0 or, for RANK_ALL, of all ranks.  True if all ranks go on, false with an
 * error on rank 0: any rank's, also one that was in '*err' before.  A failure after that, ERR_MEMORY,
 * stays in '*err' of this rank until rank_agree(); '*out' has the rows then that it had.
 */
bool rank_choice_collect(const struct rank_choice *c, struct rank_rows *rows, bool in_floats,
			 int to, struct rank_store *out, struct error *err);

/*
 * rank_rows_gather() - copies of rows row[0 .. n - 1] of the data, as csr_gather(), on rank 0;
 * rank_rows_gather_floats() - the same in single precision, as float_vectors_append()
 *
 * Rows may repeat.  Rank 0 announces it; the others make the same call, without a list, and get
 * none.  Returns 0, or -1 with ERR_MEMORY of any rank.
 */
int rank_rows_gather(struct rank_rows *rows, const int64_t *row, int64_t n, struct csr *out,
		     struct error *err);
int rank_rows_gather_floats(struct rank_rows *rows, const int64_t *row, int64_t n,
			    struct float_vectors *out, struct error *err);

void rank_store_free(struct rank_store *s);

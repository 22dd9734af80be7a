/*
 * entry_list.h - the entries of a matrix, in any order, as its rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_ENTRY_LIST_H
#define RANDSVM_ENTRY_LIST_H

#include <stdint.h>

#include "base/error.h"
#include "io/row_batch.h"
#include "tables/matrix_reader.h"

/* Owns its array of 24 bytes an entry; a zeroed struct is empty. */
struct entry_list {
	struct matrix_entry {
		int64_t row;
		int32_t column;
		double value;
	} * entry;
	int64_t n, capacity;
	int64_t row, next; /* the row, and the entry, that is handed out next */
};

/* entry_list_add() - add an entry, whose row and column count from 1; ERR_MEMORY */
int entry_list_add(struct entry_list *l, int64_t row, int32_t column, double value,
		   struct error *err);

/* entry_list_sort() - after the last entry; O(n log n) unless they are in order already */
void entry_list_sort(struct entry_list *l);

/* entry_list_row() - append the entries of the next row; those of the same place are added */
int entry_list_row(struct entry_list *l, struct row_batch *to, struct error *err);

/*
 * entry_list_reader() - the rows of the matrix, whose shape m has; ERR_MEMORY
 *
 * The entries get into order, and are then the reader's: the list is empty.
 */
int entry_list_reader(struct matrix_reader *m, struct entry_list *l, struct error *err);

void entry_list_free(struct entry_list *l);

#endif

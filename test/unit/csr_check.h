/*
 * csr_check.h - is a matrix what matrix/csr.h says of it?
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_CSR_CHECK_H
#define RANDSVM_CSR_CHECK_H

#include <inttypes.h>

#include "matrix/csr.h"

/* The fault of row i as a text, or NULL if the row is valid. */
static inline const char *csr_row_fault(const struct csr *a, int64_t i)
{
	int64_t previous = -1;

	if (a->row_start[i + 1] < a->row_start[i])
		return "row_start descends";
	for (int64_t k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
		if (a->col[k] <= previous)
			return "columns do not ascend";
		previous = a->col[k];
	}
	return previous >= a->n_cols ? "column beyond n_cols" : NULL;
}

/*
 * csr_check() - does the matrix have the invariants that matrix/csr.h names?
 *
 * Returns 0, or -1 with ERR_ARGUMENT naming the first row that breaks one.
 */
static inline int csr_check(const struct csr *a, struct error *err)
{
	if (a->n_rows > 0 && a->row_start[0] != 0)
		return error_set(err, ERR_ARGUMENT, "row_start[0] is not 0");
	for (int64_t i = 0; i < a->n_rows; i++) {
		const char *fault = csr_row_fault(a, i);

		if (fault)
			return error_set(err, ERR_ARGUMENT, "row %" PRId64 ": %s", i, fault);
	}
	return 0;
}

#endif

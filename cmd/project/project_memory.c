/*
 * project_memory.c - rp-project: how much memory it takes to project rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include "project.h"

/*
 * Least number of bytes with which n_threads threads project n_rows rows each
 *
 * Every thread has a sum for each column.  A map that is not sparse makes an entry in each column
 * of each row: an index and a value, and the value once more in the batch that is written.  A
 * sparse map has a bit for each column, and a list with room for the numbers of an eighth of them.
 */
static double bytes_needed(const struct projection_options *map, int64_t n_columns, int64_t n_rows,
			   int64_t n_threads)
{
	bool is_sparse = map->method == PROJECT_CW || map->method == PROJECT_COUNTSKETCH ||
			 map->method == PROJECT_OSNAP;
	double value = map->single ? sizeof(float) : sizeof(double);
	double result = is_sparse ? 0 : sizeof(int32_t) + sizeof(double) + value;
	double touched = is_sparse ? (1 + sizeof(uint32_t)) / 8.0 : 0;
	double drawn = map->method == PROJECT_FHT ? 2 * sizeof(uint32_t) : 0;

	return (double)n_columns *
	       (drawn + (double)n_threads * (value + touched + (double)n_rows * result));
}

int project_check_memory(const struct project_job *job, const struct projection_options *map,
			 int64_t n_columns, int64_t n_rows, struct error *err)
{
	int64_t n_threads = n_rows < job->batch_rows ? 1 : settings.common.n_threads;
	double bytes = bytes_needed(map, n_columns, n_rows, n_threads);
	bool one_may = bytes_needed(map, n_columns, n_rows, 1) <= job->memory;

	if (bytes <= job->memory)
		return 0;
	return error_set(err, ERR_ARGUMENT,
			 "%" PRId64 " columns need %.3g GB of memory, more than %.3g GB%s",
			 n_columns, bytes / 1e9, job->memory / 1e9,
			 one_may ? "; try --threads 1" : "");
}

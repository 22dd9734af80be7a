/*
 * grid_checks.c - randsvm-grid: options that do not go together, and the names of files not given
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <string.h>

#include "common/picture.h"
#include "grid.h"

static void check_shard(void)
{
	int end = 0;

	if (!grid.shard)
		return;
	if (sscanf(grid.shard, "%" SCNd64 "/%" SCNd64 "%n", &grid.shard_number, &grid.n_shards,
		   &end) != 2 ||
	    grid.shard[end] || grid.shard_number < 1 || grid.shard_number > grid.n_shards)
		cli_refuse("--shard: expected I/N, 1 <= I <= N, got '%.40s'", grid.shard);
}

static bool is_null(const char *text)
{
	return text && strcmp(text, "null") == 0;
}

/* Names of the files that are not given; NULL: not wanted. */
static void name_files(const char *data)
{
	char ending[64] = ".out";

	if (grid.shard)
		snprintf(ending, sizeof(ending), ".%" PRId64 "of%" PRId64 ".out", grid.shard_number,
			 grid.n_shards);
	if (grid.resume && !*grid.resume)
		grid.resume = train_name_after(data, ending);
	if (!grid.out && !grid.merge)
		grid.out = train_name_after(data, ending);
	if (!grid.png && !grid.merge && !grid.shard && !is_null(grid.gnuplot) && picture_can_draw())
		grid.png = train_name_after(data, ".png");
	if (is_null(grid.out))
		grid.out = NULL;
	if (is_null(grid.png) || is_null(grid.gnuplot))
		grid.png = NULL;
	if (grid.out && strcmp(grid.out, "-") == 0)
		cli_refuse("-out: a file has to have a name: the points are on standard output");
	if (grid.png && !picture_is_named(grid.png))
		cli_refuse("-png: '%s' does not end in .png or .svg", grid.png);
	if (grid.png)
		picture_need_gnuplot(grid.png);
}

void grid_check_options(const char *name)
{
	grid_check_measure();
	if (grid.race && (grid.measure == MEASURE_AUC || grid.measure == MEASURE_RHO ||
			  grid.measure == MEASURE_LOG_LOSS))
		cli_refuse("--race is not for --measure %s, which half of the rows do not bound",
			   grid_measure_names[grid.measure]);
	check_shard();
	name_files(name);
	if (grid.svmtrain && !given.common.quiet)
		cli_note("-svmtrain has no effect: randsvm-grid trains itself");
	if (grid.gnuplot && !is_null(grid.gnuplot) && !given.common.quiet)
		cli_note("-gnuplot has no effect: the gnuplot in PATH draws");
}

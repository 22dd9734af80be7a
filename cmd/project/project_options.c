/*
 * project_options.c - rp-project: which options belong together, and what follows from them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include "base/arithmetic.h"
#include "geometry/reduction.h"
#include "project.h"

/* Failure probability delta in the theorems' orders of magnitude, which --epsilon prints. */
#define THEOREM_DELTA 0.1

/* Refuse options of one method with another. */
static void check_method(void)
{
	const bool pca = settings.method == FEATURE_MAP_PCA,
		   rff = settings.method == FEATURE_MAP_RFF,
		   nystrom = settings.method == FEATURE_MAP_NYSTROM,
		   tensor = settings.method == FEATURE_MAP_TENSORSKETCH,
		   polynomial = tensor || (nystrom && settings.kernel == MAP_KERNEL_POLYNOMIAL),
		   keeps = settings.method >= ROW_MAP_SCALE;
	const struct cli_fit of_method[] = {
		{ "-k", !keeps },
		{ "--cw", settings.method == PROJECT_CW },
		{ "--sparsity", settings.method == PROJECT_LI },
		{ "--with-replacement", settings.method == PROJECT_FHT },
		{ "-d", !pca },
		{ "--single", !pca && !nystrom && !keeps },
		{ "--epsilon", !pca && !nystrom && !keeps },
		{ "--rank", !pca && !rff && !nystrom && !tensor && !keeps },
		{ "--certificate", !pca && !keeps },
		{ "--kernel", rff || nystrom || tensor },
		{ "-g", rff || nystrom || tensor },
		{ "--degree", polynomial },
		{ "--coef0", polynomial },
		{ "--frequencies", rff },
		{ "--landmarks", nystrom },
		{ "--seed", !keeps },
		{ "-l", settings.method == ROW_MAP_SCALE },
		{ "-u", settings.method == ROW_MAP_SCALE },
		{ "--range-y", settings.method == ROW_MAP_SCALE },
		{ "-s", !keeps || settings.method == ROW_MAP_SCALE },
	};

	settings.map.method = (enum projection_method)settings.method;
	cli_refuse_misfits(of_method, sizeof(of_method) / sizeof(of_method[0]),
			   projection_names[settings.method]);
	if (tensor && !cli_given("--kernel"))
		settings.kernel = MAP_KERNEL_POLYNOMIAL;
}

static void read_ranges(void)
{
	struct scaling_options *s = &settings.scaling;
	const char *y = settings.range_y;
	int end = 0;
	bool wrong_y;

	s->targets = y;
	wrong_y = y && (sscanf(y, "%lf,%lf%n", &s->target_low, &s->target_high, &end) != 2 ||
			y[end] || !isfinite(s->target_low) || !isfinite(s->target_high) ||
			!(s->target_low < s->target_high));
	if (settings.svm_scale && (wrong_y || !(s->low < s->high)))
		cli_fail("inconsistent lower/upper specification");
	if (!(s->low < s->high))
		cli_refuse("-l: %g is not below the -u of %g", s->low, s->high);
	if (wrong_y)
		cli_refuse("--range-y: expected LOWER,UPPER, two numbers that ascend, got '%s'", y);
}

static void read_cw(void)
{
	int end = 0;

	if (sscanf(settings.cw, "%" SCNd64 ",%" SCNd64 ",%" SCNd64 "%n", &settings.map.q,
		   &settings.map.a, &settings.map.v, &end) != 3 ||
	    settings.cw[end] || settings.map.q < 1 || settings.map.a < 1 || settings.map.v < 1 ||
	    settings.map.q > INT32_MAX / settings.map.a ||
	    settings.map.q * settings.map.a > INT32_MAX / settings.map.v)
		cli_refuse("--cw: expected Q,A,V, three positive integers, got '%s'", settings.cw);
	if (cli_given("-k") &&
	    settings.map.n_columns != settings.map.q * settings.map.a * settings.map.v)
		cli_fail("--cw: %" PRId64 " times %" PRId64 " times %" PRId64 " is not -k %" PRId64,
			 settings.map.q, settings.map.a, settings.map.v, settings.map.n_columns);
	settings.map.n_columns = settings.map.q * settings.map.a * settings.map.v;
}

/*
 * Copies of cw where --epsilon promises an error: that of normal entries, which few entries in a
 * row of the map miss where features are as good as indicators.  Of 40 seeds on a1a at E = 0.5 the
 * share within it was 0.15 with 4 copies and 0.9 with 32.
 */
#define EPSILON_COPIES 32

static void choose_columns(void)
{
	double order;

	if (!cli_given("--epsilon"))
		return;
	if (settings.method == FEATURE_MAP_RFF || settings.method == FEATURE_MAP_TENSORSKETCH) {
		settings.map.n_columns = project_kernel_columns();
		return;
	}
	if (!cli_given("--rank"))
		cli_refuse("--epsilon needs --rank");
	settings.map.n_columns = sizes_for_error(settings.rank, settings.epsilon);
	if (settings.map.n_columns <= INT32_MAX && settings.method == PROJECT_CW) {
		/* the least map of so many copies with at least as many columns */
		settings.map.q = 1;
		settings.map.a = EPSILON_COPIES;
		settings.map.v = int64_blocks(settings.map.n_columns, EPSILON_COPIES);
		settings.map.n_columns = settings.map.a * settings.map.v;
	}
	if (settings.map.n_columns > INT32_MAX)
		cli_refuse("--epsilon: that would take more than 2^31 columns");
	if (settings.common.quiet)
		return;
	order = sizes_of_theorem(settings.map.method, settings.rank, settings.epsilon,
				 THEOREM_DELTA, settings.map.n_features);
	cli_warn("k = %" PRId64
		 " = rho / (sqrt(1 + E) - 1)^2, where an error of E is to be expected",
		 settings.map.n_columns);
	if (settings.method == PROJECT_CW)
		cli_warn("(--cw 1,%d,%" PRId64 ": a multiple of %d)", EPSILON_COPIES,
			 settings.map.v, EPSILON_COPIES);
	if (!isnan(order))
		cli_warn("(the theorem's order of magnitude, with 1 for its unknown constant and "
			 "delta = %g, is %.3g)",
			 THEOREM_DELTA, order);
}

void project_check_options(void)
{
	for (int64_t k = 0; k < settings.weights.n; k++)
		if (!(settings.weights.weight[k].factor > 0))
			cli_refuse("-w%d: a weight must be above 0",
				   settings.weights.weight[k].label);
	if (settings.restore && !settings.fold) /* -d with --fold: how many features */
		cli_refuse_together("-r", "-d");
	if (settings.restore &&
	    (settings.method != ROW_MAP_SCALE || !cli_is_file(settings.restore) ||
	     !scaling_is_file(settings.restore)))
		cli_refuse_together("-r", "-m");
	if (settings.restore)
		return;
	check_method();
	if (settings.cw)
		read_cw();
	if (settings.method == ROW_MAP_SCALE)
		read_ranges();
	choose_columns();
	if (settings.map.n_columns == 0 && settings.method < ROW_MAP_SCALE)
		cli_refuse("-k: is missing: how many features shall the rows have?");
}

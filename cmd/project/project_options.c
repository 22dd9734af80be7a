/*
 * project_options.c - rp-project: which options belong together, and what follows from them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

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
	cli_refuse_misfits(of_method, N_ELEMENTS(of_method), projection_names[settings.method]);
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
	struct projection_options *m = &settings.map;
	int end = 0;

	if (sscanf(settings.cw, "%" SCNd64 ",%" SCNd64 ",%" SCNd64 "%n", &m->q, &m->a, &m->v,
		   &end) != 3 ||
	    settings.cw[end] || m->q < 1 || m->a < 1 || m->v < 1 || m->q > INT32_MAX / m->a ||
	    m->q * m->a > INT32_MAX / m->v)
		cli_refuse("--cw: expected Q,A,V, three positive integers, got '%s'", settings.cw);
	if (cli_given("-k") && m->n_columns != m->q * m->a * m->v)
		cli_fail("--cw: %" PRId64 " times %" PRId64 " times %" PRId64 " is not -k %" PRId64,
			 m->q, m->a, m->v, m->n_columns);
	m->n_columns = m->q * m->a * m->v;
}

/*
 * Copies of cw where --epsilon promises an error: that of normal entries, which few entries in a
 * row of the map miss where features are as good as indicators.  Of 40 seeds on a1a at E = 0.5 the
 * share within it was 0.15 with 4 copies and 0.9 with 32.
 */
#define EPSILON_COPIES 32

/* Chance that the error of a kernel value exceeds --epsilon. */
#define EPSILON_DELTA 0.05

/* The number of columns that --epsilon asks of a kernel map. */
static int64_t kernel_columns(void)
{
	const double e2 = settings.epsilon * settings.epsilon;
	const bool tensor = settings.method == FEATURE_MAP_TENSORSKETCH;
	/*
	 * rff, (1) of fourier.h: 2 exp(-k E^2 / 4) <= delta for an even k; tensorsketch, (2) of
	 * tensor_sketch.h and Chebyshev's inequality: (3^d - 1) / (k E^2) <= delta
	 */
	double columns = tensor ? ceil((pow(3, (double)settings.degree) - 1) / EPSILON_DELTA / e2) :
				  2 * ceil(2 * log(2 / EPSILON_DELTA) / e2);

	if (columns > INT32_MAX)
		cli_refuse("--epsilon: that would take more than 2^31 columns");
	if (!settings.common.quiet)
		cli_warn(
			tensor ?
				"k = %.0f = (3^degree - 1) / %g / E^2, where a kernel value is off by "
				"more than E sqrt(K(x, x) K(y, y)) with a chance of at most %g" :
				"k = %.0f, the even number from 4 ln(2 / %g) / E^2 on, where a kernel value is off by more "
				"than E with a chance of at most %g",
			columns, EPSILON_DELTA, EPSILON_DELTA);
	return (int64_t)columns;
}

static void choose_columns(void)
{
	double order;

	if (!cli_given("--epsilon"))
		return;
	if (settings.method == FEATURE_MAP_RFF || settings.method == FEATURE_MAP_TENSORSKETCH) {
		settings.map.n_columns = kernel_columns();
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
	if (settings.restore && settings.method != ROW_MAP_SCALE) /* else the file tells */
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

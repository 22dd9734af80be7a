/*
 * project_seeds.c - rp-project: the certificates of many maps, which differ in their seeds alone
 *
 * How this works.  A certificate depends on the space that the rows span, not on the rows
 * (geometry/reduction.h).  So the maps are applied to the rows of an orthonormal basis of it where
 * these have fewer entries than the data, as they have where rows are many; else to the data.  Each
 * thread takes one seed after the other, with memory of its own for what it projects; the results
 * are kept by seed, and sorted in the end, so they do not depend on the number of threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/thread.h"
#include "common/process.h"
#include "geometry/reduction.h"
#include "geometry/row_space.h"
#include "matrix/csr_batch.h"
#include "project.h"

/* Measures of each map: E, lower bound of the squared margin, upper bound of the radius. */
enum { MEASURE_ERROR, MEASURE_MARGIN, MEASURE_RADIUS, N_MEASURES };

static const char *const headings[N_MEASURES] = { "E", "squared margin >=", "squared radius <=" };
static const char *const keys[N_MEASURES] = { "epsilon_measured", "margin2_low", "radius2_high" };

/* Quantiles that are printed of each measure. */
static const struct {
	const char *name;
	double share;
} quantiles[] = { { "least", 0 },    { "quantile 0.05", 0.05 }, { "quantile 0.25", 0.25 },
		  { "median", 0.5 }, { "quantile 0.75", 0.75 }, { "quantile 0.95", 0.95 },
		  { "largest", 1 } };

#define N_QUANTILES ((int)(sizeof(quantiles) / sizeof(quantiles[0])))

/* Scratch memory of a thread. */
struct seed_scratch {
	struct projection_room room;
	struct row_batch projected;
};

/* Maps of settings.seeds seeds, and their measures. */
struct seed_maps {
	const struct projection_options *map; /* options of the map of the first seed */
	const struct row_space *space;	      /* row space of 'rows' */
	struct row_batch rows;		      /* rows to project; borrowed, except the labels */
	/* values of each measure, one for each seed; sorted in the end */
	double *value[N_MEASURES];
	double formula[N_MEASURES];
	struct seed_scratch scratch[THREAD_MAX];
	struct cli_progress progress;
};

/* ---- What is projected ---- */

/* V': a row for each dimension of the row space, in the empty '*x' */
static int basis_rows(struct csr *x, const struct row_space *s, struct error *err)
{
	const int64_t d = s->columns.n;
	double *vector = mem_array(s->rank, sizeof(*vector), err);
	double *full = mem_large(s->rank * d, sizeof(*full), err);
	int ret = -1;

	if (!vector || !full)
		goto out;
	for (int64_t j = 0; j < d; j++) {
		row_space_vector(s, j, vector);
		for (int64_t l = 0; l < s->rank; l++)
			full[l * d + j] = vector[l];
	}
	ret = 0;
	for (int64_t l = 0; l < s->rank && ret == 0; l++)
		ret = csr_append_row(x, (struct csr_row){ d, s->columns.feature, full + l * d },
				     err);
out:
	mem_free(vector);
	mem_free(full);
	return ret;
}

/* Borrow the rows of 'x' for m->rows; their labels have no meaning. */
static int borrow_rows(struct seed_maps *m, const struct csr *x, struct error *err)
{
	m->rows = csr_as_batch(x, mem_zeroed(x->n_rows, sizeof(double), err));
	return m->rows.label ? 0 : -1;
}

/* ---- The maps ---- */

/* Compute the measures of the map of the i-th seed. */
static int certify_seed(void *arg, int64_t i, int thread, struct error *err)
{
	struct seed_maps *m = arg;
	struct seed_scratch *s = &m->scratch[thread];
	struct projection_options options = *m->map;
	struct reduction_certificate c;
	struct projection map = { 0 };
	int ret = -1;

	options.seed += (uint64_t)i;
	projection_room_share(&s->room, (int)settings.common.n_threads);
	if (projection_init(&map, &options, err) == 0 &&
	    projection_apply(&map, (struct row_range){ &m->rows, 0, m->rows.n_rows }, &s->projected,
			     &s->room, err) == 0) {
		const struct csr reduced = csr_of_batch(&s->projected, options.n_columns + 1);

		ret = reduction_certify_rows(&c, m->space, &reduced, err);
	}
	projection_free(&map);
	projection_room_free(&s->room); /* a room may hold rows of R, and belongs to one map */
	s->room = (struct projection_room){ 0 };
	if (ret < 0)
		return -1;
	m->value[MEASURE_ERROR][i] = c.error;
	m->value[MEASURE_MARGIN][i] = reduction_margin(&c).low;
	m->value[MEASURE_RADIUS][i] = reduction_radius(&c).high;
	return 0;
}

static void show_progress(void *arg, int64_t i)
{
	struct seed_maps *m = arg;

	cli_progress_text(&m->progress, "%" PRId64 " of %" PRId64 " maps", i + 1, settings.seeds);
}

/* ---- What is told of them ---- */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Quantile: the least value not below the given share of the sorted values. */
static double quantile(const double *sorted, double share)
{
	int64_t rank = (int64_t)ceil(share * (double)settings.seeds);

	return sorted[rank > 0 ? rank - 1 : 0];
}

/* Formulas for s^2 = rank / columns: eigenvalues of V'RR'V lie in (1 - s)^2 .. (1 + s)^2. */
static void find_formulas(struct seed_maps *m, int64_t rank)
{
	double s = sqrt((double)rank / (double)m->map->n_columns);

	m->formula[MEASURE_ERROR] = 2 * s + s * s;
	m->formula[MEASURE_MARGIN] = s < 1 ? (1 - s) * (1 - s) : 0;
	m->formula[MEASURE_RADIUS] = (1 + s) * (1 + s);
}

static double share_within(const struct seed_maps *m, int measure)
{
	int64_t n = 0;

	for (int64_t i = 0; i < settings.seeds; i++)
		n += measure == MEASURE_MARGIN ? m->value[measure][i] >= m->formula[measure] :
						 m->value[measure][i] <= m->formula[measure];
	return (double)n / (double)settings.seeds;
}

static void print_line(FILE *to, const char *name, const double value[N_MEASURES])
{
	fprintf(to, "%-13s %12g %18g %18g\n", name, value[0], value[1], value[2]);
}

static void report_line(struct report *r, const double value[N_MEASURES])
{
	for (int k = 0; k < N_MEASURES; k++)
		report_number(r, keys[k], value[k]);
}

static void tell(const struct seed_maps *m, const struct project_job *job)
{
	struct report *r = report_object(job->record.report, "certificates");
	struct report *lines = report_array(r, "quantiles");
	double value[N_MEASURES];

	fprintf(job->certificate.info, "seeds %" PRIu64 " to %" PRIu64 ":\n%-13s %12s %18s %18s\n",
		m->map->seed, m->map->seed + (uint64_t)settings.seeds - 1, "", headings[0],
		headings[1], headings[2]);
	for (int q = 0; q < N_QUANTILES; q++) {
		struct report *line = report_item(lines);

		for (int k = 0; k < N_MEASURES; k++)
			value[k] = quantile(m->value[k], quantiles[q].share);
		print_line(job->certificate.info, quantiles[q].name, value);
		report_number(line, "share", quantiles[q].share);
		report_line(line, value);
	}
	print_line(job->certificate.info, "formula", m->formula);
	report_line(report_object(r, "formula"), m->formula);
	for (int k = 0; k < N_MEASURES; k++)
		value[k] = share_within(m, k);
	print_line(job->certificate.info, "share within", value);
	report_line(report_object(r, "share_within"), value);
}

/* ---- From the data on ---- */

static int certify_seeds(struct seed_maps *m, const struct project_job *job, struct error *err)
{
	for (int k = 0; k < N_MEASURES; k++) {
		m->value[k] = mem_array(settings.seeds, sizeof(double), err);
		if (!m->value[k])
			return -1;
	}
	if (project_check_memory(job, m->map, m->map->n_columns, m->rows.n_rows, err) < 0 ||
	    thread_ordered_for((int)settings.common.n_threads, settings.seeds, certify_seed,
			       show_progress, m, err) < 0)
		return -1;
	for (int k = 0; k < N_MEASURES; k++)
		qsort(m->value[k], (size_t)settings.seeds, sizeof(double), ascending);
	return 0;
}

static void seed_maps_free(struct seed_maps *m)
{
	for (int k = 0; k < N_MEASURES; k++)
		mem_free(m->value[k]);
	for (int i = 0; i < THREAD_MAX; i++) {
		projection_room_free(&m->scratch[i].room);
		row_batch_free(&m->scratch[i].projected);
	}
	mem_free(m->rows.label);
}

void project_certify_seeds(const struct project_job *job, const struct row_space *space)
{
	const bool by_basis =
		space->rank > 0 &&
		space->columns.n <= csr_n_entries(&job->certificate.rows) / space->rank;
	const struct row_space_options options = { .n_threads = (int)settings.common.n_threads };
	struct seed_maps m = { .map = &job->map.projection.options, .space = space };
	struct row_space of_basis = { 0 };
	struct csr basis = { 0 };
	struct error err = { 0 };

	cli_progress_start(&m.progress, "certifying", settings.common.progress,
			   settings.common.quiet);
	if (by_basis && (basis_rows(&basis, space, &err) < 0 ||
			 row_space_init(&of_basis, &basis, &options, &err) < 0))
		cli_fail("%s: --seeds: %s", cli_program_name(), err.text);
	if (by_basis)
		m.space = &of_basis;
	if (borrow_rows(&m, by_basis ? &basis : &job->certificate.rows, &err) < 0 ||
	    certify_seeds(&m, job, &err) < 0)
		cli_fail("%s: --seeds: %s", cli_program_name(), err.text);
	cli_progress_end(&m.progress);
	find_formulas(&m, space->rank);
	tell(&m, job);
	seed_maps_free(&m);
	row_space_free(&of_basis);
	csr_free(&basis);
}

void project_check_seeds(const struct project_job *job)
{
	uint64_t first = job->map.projection.options.seed;

	if ((uint64_t)settings.seeds > 1 && first > UINT64_MAX - (uint64_t)settings.seeds + 1)
		cli_refuse("--seeds: %" PRId64 " seeds from %" PRIu64 " on go beyond 2^64 - 1",
			   settings.seeds, first);
}

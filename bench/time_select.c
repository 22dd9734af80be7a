/*
 * time_select.c - check the features chosen, then time the choice
 *
 *     time_select bss N D R         BSS on text-like rows, against a plain computation with LAPACK
 *                                   that visits all features in each step
 *     time_select leverage N D      leverage scores of sparse rows, against the singular value
 *                                   decomposition of the full matrix
 *     time_select file FILE T R     approximate BSS of FILE, against the time to read FILE
 *
 * Times are CPU seconds of one thread.  First the choice is compared with that of a plain
 * computation (of a file, for a quarter of T and R); the exit status is 1 if they differ.  After
 * each factor its target is printed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <time.h>

#include "geometry/row_space.h"
#include "io/input.h"
#include "matrix/dataset.h"
#include "plain_bss.h"
#include "select/bss.h"
#include "select/leverage.h"

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Targets: times of plain computations over ours; time of a choice over that of reading. */
#define BSS_FACTOR 50
#define LEVERAGE_FACTOR 5
#define FILE_FACTOR 60

static const char *verdict(bool met)
{
	return met ? "ok" : "MISSED";
}

static void stop_on(const struct error *err)
{
	if (err->code == ERR_NONE)
		return;
	fprintf(stderr, "%s\n", err->text);
	exit(1);
}

static const struct row_space_options one_thread = { .n_threads = 1 };

/* Rows of norm 1; word j of d occurs with a probability of about 1 / (j + 1), and at least once. */
static void make_text(struct csr *x, int64_t n, int64_t d, int64_t length)
{
	double *row = full_zeros(1, d);

	for (int64_t i = 0; i < n; i++) {
		double norm = 0;

		memset(row, 0, (size_t)d * sizeof(*row));
		for (int64_t k = 0; k < length; k++)
			row[(int64_t)exp(random_unit() * log((double)d + 1)) - 1] += 1;
		for (int64_t j = i; j < d; j += n)
			row[j] += 1;
		for (int64_t j = 0; j < d; j++) {
			row[j] = row[j] > 0 ? (1 + log(row[j])) * log(2 + (double)j) : 0;
			norm += row[j] * row[j];
		}
		for (int64_t j = 0; j < d; j++)
			row[j] /= sqrt(norm);
		full_rows(x, row, 1, d, 1, 1);
	}
	free(row);
}

static struct selection select_bss(const struct row_space *s, int64_t r, struct bss_report *report)
{
	const struct bss_options o = { .n_features = r, .n_threads = 1 };
	struct error err = { 0 };
	struct selection selection;

	bss_select(&selection, s, &o, report, &err);
	stop_on(&err);
	return selection;
}

/* Exit unless the plain algorithm chooses the same features; returns the seconds that it took. */
static double check_plain(const struct row_space *s, const struct selection *is, int64_t r)
{
	double start, taken, *v = full_zeros(s->columns.n, s->rank);
	struct plain_bss be;
	bool same;

	for (int64_t j = 0; j < s->columns.n; j++)
		row_space_vector(s, j, v + j * s->rank);
	start = seconds();
	be = plain_bss(v, s->columns.n, s->rank, r);
	taken = seconds() - start;
	same = is->n == be.n;
	for (int64_t k = 0; k < is->n && same; k++)
		same = is->feature[k] == s->columns.feature[be.column[k]] &&
		       fabs(is->weight[k] - be.weight[k]) < 1e-8 * be.weight[k];
	if (!same) {
		printf("the features differ from the plain algorithm's\n");
		exit(1);
	}
	plain_bss_free(&be);
	free(v);
	return taken;
}

static int time_bss(int64_t n, int64_t d, int64_t r)
{
	struct csr x = { 0 };
	struct error err = { 0 };
	struct bss_report report;
	struct selection selection;
	struct row_space s;
	double start, basis, ours, theirs;

	make_text(&x, n, d, 150);
	start = seconds();
	row_space_init(&s, &x, &one_thread, &err);
	stop_on(&err);
	basis = seconds() - start;
	start = seconds();
	selection = select_bss(&s, r, &report);
	ours = seconds() - start;
	theirs = check_plain(&s, &selection, r);
	printf("bss %" PRId64 " x %" PRId64 ", r %" PRId64 ": same %" PRId64
	       " features; basis %.3f s, "
	       "choice %.3f s, all features in each step %.2f s: %.0fx (%dx: %s); %.1f visited a "
	       "step\n",
	       n, s.columns.n, r, selection.n, basis, ours, theirs, theirs / ours, BSS_FACTOR,
	       verdict(theirs >= BSS_FACTOR * ours), (double)report.n_visited / (double)r);
	selection_free(&selection);
	row_space_free(&s);
	csr_free(&x);
	return 0;
}

static int time_leverage(int64_t n, int64_t d)
{
	struct csr x = { 0 };
	struct error err = { 0 };
	struct leverage l;
	struct row_space s;
	double start, ours, theirs, worst = 0, *a, *left, *right, *value;

	make_text(&x, n, d, 60);
	start = seconds();
	if (row_space_init(&s, &x, &one_thread, &err) == 0)
		leverage_exact(&l, &s, 1, &err);
	stop_on(&err);
	ours = seconds() - start;
	a = full_of_rows(&x);
	left = full_zeros(n, n);
	right = full_zeros(n, x.n_cols);
	value = full_zeros(n, 1);
	start = seconds();
	blas_svd(a, n, x.n_cols, left, value, right, &err);
	stop_on(&err);
	theirs = seconds() - start;
	for (int64_t j = 0; j < l.n; j++) {
		double score = 0;

		for (int64_t k = 0; k < l.rank; k++)
			score += right[k * x.n_cols + l.feature[j]] *
				 right[k * x.n_cols + l.feature[j]];
		worst = fmax(worst, fabs(score - l.score[j]));
	}
	printf("leverage %" PRId64 " x %" PRId64 ", %" PRId64 " entries, rank %" PRId64
	       ": within %.1e; %.3f s, dgesdd %.2f s: %.0fx (%dx: %s)\n",
	       n, l.n, csr_n_entries(&x), l.rank, worst, ours, theirs, theirs / ours,
	       LEVERAGE_FACTOR, verdict(theirs >= LEVERAGE_FACTOR * ours));
	leverage_free(&l);
	row_space_free(&s);
	csr_free(&x);
	free(a);
	free(left);
	free(right);
	free(value);
	return worst < 1e-8 ? 0 : 1;
}

static void check_sketch(const struct csr *x, int64_t t, int64_t r)
{
	const struct row_sketch_options o = { .n_rows = t, .seed = 1, .space = one_thread };
	struct error err = { 0 };
	struct bss_report report;
	struct selection selection;
	struct row_space s;
	bool sketched;

	row_sketch_space(&s, x, &o, &sketched, &err);
	stop_on(&err);
	selection = select_bss(&s, r, &report);
	check_plain(&s, &selection, r);
	selection_free(&selection);
	row_space_free(&s);
}

static int time_file(const char *path, int64_t t, int64_t r)
{
	const struct row_sketch_options o = { .n_rows = t, .seed = 1, .space = one_thread };
	const struct rows_options format = { 0 };
	struct input *input = NULL;
	struct dataset d = { 0 };
	struct error err = { 0 };
	struct bss_report report;
	struct selection selection;
	struct row_space s;
	double start = seconds(), reading, basis, choice;
	bool sketched;

	input_open(&input, path, &err);
	stop_on(&err);
	dataset_read(&d, input, &format, NULL, 1, &err);
	stop_on(&err);
	input_close(input);
	reading = seconds() - start;
	check_sketch(&d.x, t / 4, r / 4);
	start = seconds();
	row_sketch_space(&s, &d.x, &o, &sketched, &err);
	stop_on(&err);
	basis = seconds() - start;
	start = seconds();
	selection = select_bss(&s, r, &report);
	choice = seconds() - start;
	printf("approximate bss %" PRId64 " x %" PRId64 ", t %" PRId64 ", r %" PRId64 ": %" PRId64
	       " features, eigenvalues %.3f to %.3f in %.3f to %.3f; reading %.3f s, basis %.3f s, "
	       "choice %.3f s: %.0f times reading (%d: %s)\n",
	       d.x.n_rows, s.columns.n, t, r, selection.n, report.least, report.largest, report.low,
	       report.high, reading, basis, choice, (basis + choice) / reading, FILE_FACTOR,
	       verdict(basis + choice < FILE_FACTOR * reading));
	selection_free(&selection);
	row_space_free(&s);
	dataset_free(&d);
	return report.least >= report.low && report.largest <= report.high ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[1], "bss") == 0)
		return time_bss(atoll(argv[2]), atoll(argv[3]), atoll(argv[4]));
	if (argc == 4 && strcmp(argv[1], "leverage") == 0)
		return time_leverage(atoll(argv[2]), atoll(argv[3]));
	if (argc == 5 && strcmp(argv[1], "file") == 0)
		return time_file(argv[2], atoll(argv[3]), atoll(argv[4]));
	fprintf(stderr, "usage: time_select bss N D R | leverage N D | file FILE T R\n");
	return 1;
}

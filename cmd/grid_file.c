/*
 * grid_file.c - randsvm-grid: the points in a file, as -out writes and -resume and --merge read them
 *
 *     # randsvm-grid: -s 0 -t 2 -e 0.001 -v 5 --seed 1 --measure accuracy; 270 rows, crc32 1b2c3d4e
 *     log2c=5 log2g=-7 rate=82.963 se=1.8
 *     log2c=7 log2g=-7 rate=nan outcome=skipped
 *
 * The lines are grid.py's, with more behind them, and grid.py reads them.  A line is written by one
 * call of the system when its point is known, so that a program that is killed leaves whole lines; a
 * last line without its end, which a full disk leaves, is not read.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "base/text_append.h"
#include "common/file_kind.h"
#include "common/process.h"
#include "grid.h"
#include "matrix/row_weights.h"

/* Beginning of the line that says what the rates depend on. */
#define HEAD "# randsvm-grid: "

static const char *const outcome_names[] = { "rated", "skipped", "failed" };

/* ---- the head ---- */

static void append_real(char *text, size_t size, const char *option, double value)
{
	char number[DECIMAL_SHORTEST_SIZE];

	decimal_shortest(value, number);
	text_append(text, size, "%s %s ", option, number);
}

/* Append the parameters that have one value for all points. */
static void append_fixed(char *text, size_t size, const struct grid_axes *a)
{
	const enum machine_type type = (enum machine_type)settings.svm_type;
	const int64_t kernel = settings.kernel_type;
	const bool has_c = type != MACHINE_NU_SVC && type != MACHINE_ONE_CLASS;

	if (kernel == KERNEL_POLYNOMIAL)
		text_append(text, size, "-d %" PRId64 " ", settings.degree);
	if (kernel == KERNEL_POLYNOMIAL || kernel == KERNEL_SIGMOID)
		append_real(text, size, "-r", settings.coef0);
	if (!a->axis[AXIS_GAMMA].searched && kernel != KERNEL_LINEAR &&
	    kernel != KERNEL_PRECOMPUTED)
		append_real(text, size, "-g", settings.gamma);
	if (!a->axis[AXIS_C].searched && has_c)
		append_real(text, size, "-c", settings.C);
	if (!a->axis[AXIS_THIRD].searched && type == MACHINE_EPSILON_SVR)
		append_real(text, size, "-p", settings.p);
	if (!a->axis[AXIS_THIRD].searched && machine_fixes_sums(type))
		append_real(text, size, "-n", settings.nu);
}

static void append_weight(char *text, size_t size, const struct class_weight *w)
{
	char number[DECIMAL_SHORTEST_SIZE];

	decimal_shortest(w->factor, number);
	if (w->factor != 1)
		text_append(text, size, ", -w%d %s", w->label, number);
}

void grid_file_head(char *text, size_t size, const struct grid_axes *a, const struct dataset *data)
{
	snprintf(text, size, HEAD "-s %" PRId64 " -t %" PRId64 " ", settings.svm_type,
		 settings.kernel_type);
	append_fixed(text, size, a);
	if (settings.loss == LOSS_SQUARED)
		text_append(text, size, "--loss squared ");
	if (is_one_vs_rest())
		text_append(text, size, "--multiclass ovr ");
	if (settings.probability)
		text_append(text, size, "-b 1 ");
	if (settings.weights.automatic)
		text_append(text, size, "-w auto ");
	append_real(text, size, "-e", settings.eps);
	text_append(text, size,
		    "-v %" PRId64 " --seed %" PRIu64 " --measure %s; %" PRId64
		    " rows, crc32 %08" PRIx32,
		    settings.n_folds, settings.seed, grid_measure_names[grid.measure],
		    data->x.n_rows, dataset_checksum(data));
	if (data->weight)
		text_append(text, size, ", -W crc32 %08" PRIx32, dataset_weight_checksum(data));
	/* at the end, where too many for the line are cut */
	for (int64_t k = 0; k < settings.weights.n && !settings.weights.automatic; k++)
		append_weight(text, size, &settings.weights.weight[k]);
}

/* Take the measure of a file that is merged, where no option says which it is. */
static void take_measure(const char *head)
{
	const char *name = strstr(head, "--measure ");

	if (cli_given("--measure") || !name)
		return;
	name += strlen("--measure ");
	for (int k = 0; grid_measure_names[k]; k++)
		if (strncmp(name, grid_measure_names[k], strcspn(name, ";")) == 0 &&
		    strlen(grid_measure_names[k]) == strcspn(name, ";"))
			grid.measure = k;
}

/* ---- reading ---- */

/* A file while it is read. */
struct reading {
	const char *name;
	int64_t line;
	const struct grid_axes *axes;
	char *head; /* head that each head must equal; "": none so far */
	size_t head_size;
	int64_t n_other_rates; /* points that are known with another rate */
};

static void check_head(struct reading *r, const char *line)
{
	const char *mine = r->head, *other = line;

	if (!*r->head) {
		snprintf(r->head, r->head_size, "%s", line);
		take_measure(line);
		return;
	}
	if (strcmp(mine, line) == 0)
		return;
	mine += strlen(HEAD);
	other += strlen(HEAD);
	cli_fail("%s:%" PRId64 ": points of another search: '%s', not '%s'", r->name, r->line,
		 other, mine);
}

/* Read `key=value` into the point; returns false if it is neither that nor known to be unneeded. */
static bool read_word(const char *word, struct grid_point *p)
{
	const char *equals = strchr(word, '='), *text = equals ? equals + 1 : NULL;
	const char *end = word + strlen(word);
	double value;

	if (!equals)
		return false;
	if (strncmp(word, "outcome=", 8) == 0) {
		for (int k = 0; k < 3; k++)
			if (strcmp(text, outcome_names[k]) == 0) {
				p->outcome = (enum grid_outcome)k;
				return true;
			}
		return false;
	}
	if (decimal_parse(text, end, &value) != end)
		return false;
	if (strncmp(word, "log2", 4) == 0 && equals == word + 5) {
		for (int k = 0; k < N_AXES; k++)
			if (word[4] == grid_axis_letter(k)) {
				p->at[k] = value;
				return isfinite(value);
			}
		return false;
	}
	if (strncmp(word, "rate=", 5) == 0)
		p->rate = value;
	else if (strncmp(word, "se=", 3) == 0)
		p->error = value;
	else if (strncmp(word, "unfinished=", 11) == 0)
		p->n_unfinished = (int64_t)fmin(fmax(value, 0), 1e9);
	return true;
}

/* Refuse a point that lacks a parameter which is searched, or has another one. */
static void check_axes(const struct reading *r, const struct grid_point *p)
{
	for (int k = 0; k < N_AXES; k++)
		if (r->axes->axis[k].searched == isnan(p->at[k]))
			cli_fail("%s:%" PRId64 ": %s log2%c, which is %s", r->name, r->line,
				 isnan(p->at[k]) ? "no" : "there is", grid_axis_letter(k),
				 isnan(p->at[k]) ? "searched" : "not searched");
}

static struct grid_point read_point(const struct reading *r, char *line)
{
	struct grid_point p = {
		.at = { NAN, NAN, NAN }, .rate = NAN, .error = NAN, .seconds = NAN, .resumed = true
	};
	bool rated = strncmp(line, "rate=", 5) == 0 || strstr(line, " rate=");
	char *rest;

	for (char *word = strtok_r(line, " \t\r", &rest); word;
	     word = strtok_r(NULL, " \t\r", &rest))
		if (!read_word(word, &p))
			cli_fail("%s:%" PRId64 ": expected log2c=... log2g=... rate=..., got "
				 "'%.40s'",
				 r->name, r->line, word);
	if (!rated)
		cli_fail("%s:%" PRId64 ": no rate=", r->name, r->line);
	check_axes(r, &p);
	return p;
}

static void read_line(struct reading *r, char *line, struct grid_points *points)
{
	const struct grid_point *known;
	struct grid_point p;

	if (strncmp(line, HEAD, strlen(HEAD)) == 0) {
		check_head(r, line);
		return;
	}
	line += strspn(line, " \t\r");
	if (!*line || *line == '#')
		return;
	p = read_point(r, line);
	known = grid_points_find(points, p.at);
	if (!known)
		grid_points_add(points, &p);
	else if (known->outcome == GRID_RATED && p.outcome == GRID_RATED && known->rate != p.rate)
		r->n_other_rates++;
}

int64_t grid_file_read(const char *name, const struct grid_axes *axes, struct grid_points *points,
		       char *head, size_t size)
{
	struct reading r = { .name = name, .axes = axes, .head = head, .head_size = size };
	FILE *file = fopen(name, "r");
	char *line = NULL;
	size_t room = 0;
	int64_t whole = 0;
	ssize_t n;

	if (!file)
		cli_fail("can't open results %s: %s", name, strerror(errno));
	while (errno = 0, (n = getline(&line, &room, file)) > 0 && line[n - 1] == '\n') {
		r.line++;
		line[n - 1] = '\0';
		read_line(&r, line, points);
		whole += n;
	}
	if (ferror(file))
		cli_fail("can't read results %s: %s", name, strerror(errno));
	if (n > 0 && !settings.common.quiet)
		cli_note("%s:%" PRId64 ": the last line is cut, and is left out", name, r.line + 1);
	if (r.n_other_rates > 0)
		cli_warn("warning: %s: %" PRId64 " points have other rates than before, which are "
			 "kept",
			 name, r.n_other_rates);
	mem_free(line);
	fclose(file);
	return whole;
}

/* ---- writing ---- */

_Noreturn static void fail_writing(const struct grid_file *f)
{
	cli_fail("can't write results %s: %s", f->name, strerror(errno));
}

static void write_point(const struct grid_file *f, const struct grid_point *p)
{
	for (int k = 0; k < N_AXES; k++)
		if (!isnan(p->at[k]))
			fprintf(f->file, "log2%c=%.10g ", grid_axis_letter(k), p->at[k]);
	fprintf(f->file, "rate=%g", p->rate);
	if (!isnan(p->error))
		fprintf(f->file, " se=%g", p->error);
	if (p->n_unfinished > 0)
		fprintf(f->file, " unfinished=%" PRId64, p->n_unfinished);
	if (p->outcome != GRID_RATED)
		fprintf(f->file, " outcome=%s", outcome_names[p->outcome]);
	fputc('\n', f->file);
}

void grid_file_add(struct grid_file *f, const struct grid_point *p)
{
	write_point(f, p);
	if (fflush(f->file) != 0)
		fail_writing(f);
}

void grid_file_open(struct grid_file *f, const char *name, int64_t from, const char *head,
		    const struct grid_points *points)
{
	f->name = name;
	if (!cli_forced() && file_kind(name) == FILE_IS_ROWS)
		cli_fail("%s: %s holds rows of data: say --force to replace it by the results",
			 cli_program_name(), name);
	f->file = fopen(name, from > 0 ? "a" : "w");
	if (!f->file)
		cli_fail("can't open results %s: %s", name, strerror(errno));
	if (from > 0 && ftruncate(fileno(f->file), from) < 0)
		fail_writing(f);
	if (from > 0)
		return;
	if (*head)
		fprintf(f->file, "%s\n", head);
	for (int64_t i = 0; i < points->n; i++)
		write_point(f, &points->point[i]);
	if (fflush(f->file) != 0)
		fail_writing(f);
}

void grid_file_close(struct grid_file *f)
{
	if (f->file && fclose(f->file) != 0)
		fail_writing(f);
	f->file = NULL;
}

/*
 * grid_file.c - randsvm-grid: the points in a file, as -out writes and -resume and --merge read them
 *
 *     # randsvm-grid: -s 0 -t 2 -e 0.001 -v 5 --measure accuracy; 270 rows, crc32 1b2c3d4e crc32=c5ae4e3f
 *     log2c=5 log2g=-7 rate=82.963 se=1.8 crc32=7d2f80a1
 *     log2c=7 log2g=-7 rate=nan outcome=skipped crc32=03b5a6de
 *
 * The lines are grid.py's, with more behind them, and grid.py reads them.  A line is written by one
 * call of the system when its point is known, so that a program that is killed leaves whole lines; a
 * last line without its end, which a full disk leaves, is not read.
 *
 * Each line ends in the checksum of the bytes before it.  That of a point goes on from the head's: a
 * line whose checksum holds is whole, and of the search whose head the reader has, though the head in
 * the file be damaged.  A line without one, as in grid.py's files, is believed if its rate can be.
 * What is not believed is counted, and not taken; a file that is added to is written anew from there.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/decimal.h"
#include "grid.h"
#include "io/gzip.h"

/* Beginning of the line that says what the rates depend on. */
#define HEAD "# randsvm-grid: "

const char *const grid_outcome_names[] = { "rated", "skipped", "failed" };

/* ---- the head ---- */

static void append_real(char *text, size_t size, const char *option, double value)
{
	text_append(text, size, "%s %s ", option, DECIMAL_TEXT(value));
}

/* Append the parameters that have one value for all points. */
static void append_fixed(char *text, size_t size, const struct grid_axis *a)
{
	const enum machine_type type = (enum machine_type)given.svm_type;
	const enum kernel_type kernel = (enum kernel_type)given.kernel_type;

	if (kernel == KERNEL_POLYNOMIAL)
		text_append(text, size, "-d %" PRId64 " ", given.degree);
	if (kernel_has_coef0(kernel))
		append_real(text, size, "-r", given.machine.training.kernel.coef0);
	if (!a[AXIS_GAMMA].searched && kernel_has_gamma(kernel))
		append_real(text, size, "-g", given.machine.training.kernel.gamma);
	if (!a[AXIS_C].searched && machine_has_cost(type))
		append_real(text, size, "-c", given.machine.training.C);
	if (!a[AXIS_THIRD].searched && type == MACHINE_EPSILON_SVR)
		append_real(text, size, "-p", given.machine.training.p);
	if (!a[AXIS_THIRD].searched && machine_fixes_sums(type))
		append_real(text, size, "-n", given.machine.training.nu);
}

void grid_file_head(char *text, size_t size, const struct grid_axis *a, const struct dataset *data)
{
	snprintf(text, size, HEAD "-s %" PRId64 " -t %" PRId64 " ", given.svm_type,
		 given.kernel_type);
	append_fixed(text, size, a);
	if (given.loss != LOSS_HINGE)
		text_append(text, size, "--loss %s ", common_training_loss_names[given.loss]);
	if (given.multiclass == MULTICLASS_OVR)
		text_append(text, size, "--multiclass ovr ");
	if (given.probability)
		text_append(text, size, "-b 1 ");
	if (given.weights.automatic)
		text_append(text, size, "-w auto ");
	append_real(text, size, "-e", given.machine.training.eps);
	text_append(text, size,
		    "-v %" PRId64 " --seed %" PRIu64 " --measure %s; %" PRId64
		    " rows, crc32 %08" PRIx32,
		    given.n_folds, given.machine.options.seed, grid_measure_names[grid.measure],
		    data->x.n_rows, dataset_checksum(data));
	if (data->weight)
		text_append(text, size, ", -W crc32 %08" PRIx32, dataset_weight_checksum(data));
	if (data->group)
		text_append(text, size, ", groups crc32 %08" PRIx32, dataset_groups_checksum(data));
	/* at the end, where too many for the line are cut */
	for (int64_t k = 0; k < given.weights.n && !given.weights.automatic; k++)
		if (given.weights.weight[k].factor != 1)
			text_append(text, size, ", -w%d %s", given.weights.weight[k].label,
				    DECIMAL_TEXT(given.weights.weight[k].factor));
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

/* ---- checksums ---- */

/* What is written in front of the checksum, and in a head in front of the share of --shard. */
#define SUM_KEY " crc32="
#define SHARD_KEY " shard="

enum { SUM_DIGITS = 8 };

static uint32_t sum_of(uint32_t before, const char *line)
{
	return checksum_crc32(before, line, (int64_t)strlen(line));
}

/* Whether a line has a checksum, and whether it holds. */
enum sum_state { SUM_MISSING, SUM_WRONG, SUM_HOLDS };

/* Cut the checksum off the line, and compare it with that of the rest, which goes on from 'before'. */
static enum sum_state take_sum(char *line, uint32_t before)
{
	const size_t n = strlen(line), width = strlen(SUM_KEY) + SUM_DIGITS;
	char *key = line + n - width;

	if (n < width || strncmp(key, SUM_KEY, strlen(SUM_KEY)) != 0)
		return SUM_MISSING;
	*key = '\0';
	return strcmp(key + strlen(SUM_KEY),
		      FORMATTED(SUM_DIGITS + 1, "%08" PRIx32, sum_of(before, line))) == 0 ?
		       SUM_HOLDS :
		       SUM_WRONG;
}

/* ---- reading ---- */

/* A file while it is read. */
struct reading {
	const char *name;
	int64_t line;
	const struct grid_axis *axes;
	struct grid_points *points;
	char *head; /* head that each head must equal; "": none so far */
	size_t head_size;
	char other[512];       /* the first head that is another one, damaged or old; "": none */
	int64_t other_line;    /* number of its line */
	int64_t n_heads;       /* heads that equal this one */
	int64_t n_sound;       /* points whose checksums hold */
	int64_t n_plain;       /* points without checksum, with possible values */
	int64_t n_other_rates; /* points that are known with another rate */
	bool summed;	       /* a line had a checksum: so have all but grid.py's */
	int64_t n_damaged;     /* lines that are not believed */
	int64_t first_damaged; /* number of the first of these */
	char reason[128];      /* why it is not believed */
	struct grid_kept sure; /* the file up to what the next line may show to be damaged */
	struct grid_kept kept; /* the file up to what was damaged first */
};

/* What a line is: whole, of a point without checksum, or not believed. */
enum line_state { LINE_WHOLE, LINE_PLAIN, LINE_DAMAGED };

/* Count a damaged line; what is not sure before it is not believed either. */
static enum line_state damaged(struct reading *r, const char *reason, const char *word)
{
	r->points->n = r->sure.n_points;
	if (r->n_damaged++ == 0) {
		r->kept = r->sure;
		r->first_damaged = r->line;
		snprintf(r->reason, sizeof(r->reason), "%s%.40s", reason, word);
	}
	return LINE_DAMAGED;
}

_Noreturn static void fail_of_search(const struct reading *r, int64_t line, const char *other)
{
	cli_fail("%s:%" PRId64 ": points of another search: '%s', not '%s'", r->name, line,
		 other + strlen(HEAD), r->head + strlen(HEAD));
}

/*
 * Another head is refused if it is whole.  One without a checksum is of an old file, or damaged: the
 * points below it tell.
 */
static enum line_state read_head(struct reading *r, char *line)
{
	const enum sum_state sum = take_sum(line, 0);
	char *shard = strstr(line, SHARD_KEY);

	if (shard)
		*shard = '\0';
	if (!*r->head && sum != SUM_WRONG) {
		snprintf(r->head, r->head_size, "%s", line);
		take_measure(line);
	}
	if (sum != SUM_WRONG && strcmp(r->head, line) == 0) {
		r->n_heads++;
		r->summed |= sum == SUM_HOLDS;
		return LINE_WHOLE;
	}
	if (sum == SUM_HOLDS)
		fail_of_search(r, r->line, line);
	if (!*r->other && *r->head) {
		snprintf(r->other, sizeof(r->other), "%s", line);
		r->other_line = r->line;
	}
	return damaged(r, "the line of the search is another", "");
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
			if (strcmp(text, grid_outcome_names[k]) == 0) {
				p->outcome = (enum grid_outcome)k;
				return true;
			}
		return false;
	}
	if (decimal_parse(text, end, &value) != end)
		return false;
	if (strncmp(word, "log2", 4) == 0 && equals == word + 5) {
		for (int k = 0; k < N_AXES; k++)
			if (word[4] == grid_parameter(k)->letter && isnan(p->at[k])) {
				p->at[k] = value;
				return isfinite(exp2(value)) && exp2(value) > 0;
			}
		return false;
	}
	if (strncmp(word, "rate=", 5) == 0)
		p->rate = value;
	else if (strncmp(word, "se=", 3) == 0)
		p->error = value;
	else if (strncmp(word, "unfinished=", 11) == 0)
		p->n_unfinished = value >= 0 && value < 1e9 ? (int64_t)value : -1;
	else
		return true;
	return p->n_unfinished >= 0 && (isnan(p->rate) || grid_is_possible(p->rate)) &&
	       (isnan(p->error) || grid_is_possible(p->error));
}

/* Has the point the parameters that are searched, and no others?  Else it is damaged, or refused. */
static bool has_axes(struct reading *r, const struct grid_point *p)
{
	for (int k = 0; k < N_AXES; k++) {
		const bool is_missing = isnan(p->at[k]);
		const char *const reason = FORMATTED(
			64, "%s log2%c, which is %s", is_missing ? "no" : "there is",
			grid_parameter(k)->letter, is_missing ? "searched" : "not searched");

		if (r->axes[k].searched != is_missing)
			continue;
		if (!r->summed)
			cli_fail("%s:%" PRId64 ": %s", r->name, r->line, reason);
		damaged(r, reason, "");
		return false;
	}
	return true;
}

static enum line_state read_point(struct reading *r, char *line)
{
	const enum sum_state sum = take_sum(line, sum_of(0, r->head));
	const bool rated = strncmp(line, "rate=", 5) == 0 || strstr(line, " rate=");
	struct grid_point p = {
		.at = { NAN, NAN, NAN }, .rate = NAN, .error = NAN, .seconds = NAN, .resumed = true
	};
	const struct grid_point *known;
	char *rest;

	if (sum == SUM_WRONG)
		return damaged(r, "the checksum is another", "");
	for (char *word = strtok_r(line, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
		if (!read_word(word, &p))
			return damaged(r, "expected log2c=... log2g=... rate=..., got ", word);
	if (!rated)
		return damaged(r, "no rate=", "");
	if (!has_axes(r, &p))
		return LINE_DAMAGED;
	if (r->summed && sum == SUM_MISSING && !isnan(p.error))
		return damaged(r, "there is no checksum", "");
	if (r->summed && sum == SUM_HOLDS && r->sure.n_points < r->points->n)
		damaged(r, "there is no checksum in the lines before", "");
	if (sum == SUM_MISSING && *r->other)
		fail_of_search(r, r->other_line, r->other);
	known = grid_points_find(r->points, p.at);
	if (!known)
		grid_points_add(r->points, &p);
	else if (known->outcome == GRID_RATED && p.outcome == GRID_RATED && known->rate != p.rate)
		r->n_other_rates++;
	r->summed |= sum == SUM_HOLDS;
	r->n_sound += sum == SUM_HOLDS;
	r->n_plain += sum == SUM_MISSING;
	return sum == SUM_HOLDS ? LINE_WHOLE : LINE_PLAIN;
}

/* The line, or what is behind a byte order mark, as editors put it before a text. */
static char *behind_mark(char *line)
{
	return strncmp(line, "\xef\xbb\xbf", 3) == 0 ? line + 3 : line;
}

/* Read a line of n bytes. */
static enum line_state read_line(struct reading *r, char *line, size_t n)
{
	const char *first;

	if (strlen(line) < n)
		return damaged(r, "there is a byte 0", "");
	if (r->line == 1)
		line = behind_mark(line);
	line[strcspn(line, "\r\n")] = '\0';
	first = line + strspn(line, " \t");
	if (strncmp(line, HEAD, strlen(HEAD)) == 0)
		return read_head(r, line);
	return *first && *first != '#' ? read_point(r, line) : LINE_WHOLE;
}

/* Refuse a file that is of another search, or has no points; say what is not believed. */
static void judge(const struct reading *r)
{
	if (*r->other && r->n_sound == 0)
		fail_of_search(r, r->other_line, r->other);
	if (r->n_damaged > 0 && r->n_heads + r->n_sound + r->n_plain == 0)
		cli_fail("%s:%" PRId64 ": %s", r->name, r->first_damaged, r->reason);
	if (r->n_damaged > 0)
		cli_warn("warning: %s:%" PRId64 ": damaged (%s), the first of %" PRId64 " lines "
			 "whose points are %s",
			 r->name, r->first_damaged, r->reason, r->n_damaged,
			 grid.merge ? "left out" : "computed again");
	if (r->n_other_rates > 0)
		cli_warn("warning: %s: %" PRId64 " points have other rates than before, which are "
			 "kept",
			 r->name, r->n_other_rates);
}

/*
 * Where a false '\n' cuts a line in two, or the end of a line is lost, what is left may look like a
 * line without a checksum.  So such a line is sure if the next one is whole, and in a file of lines
 * with checksums if none of these comes behind: grid.py adds its lines at the end.
 */
static void read_lines(struct reading *r, FILE *file)
{
	struct grid_kept before = r->sure;
	enum line_state state;
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	while (errno = 0, (n = getline(&line, &room, file)) > 0 && line[n - 1] == '\n') {
		r->line++;
		before.n_points = r->points->n;
		state = read_line(r, line, (size_t)n);
		if (state == LINE_PLAIN && !r->summed)
			r->sure = before;
		before.n_bytes += n;
		if (state != LINE_PLAIN)
			r->sure = (struct grid_kept){ before.n_bytes, r->points->n };
	}
	if (ferror(file) || (n < 0 && errno == ENOMEM))
		cli_fail("can't read results %s: %s", r->name, strerror(errno));
	if (n > 0)
		cli_remark("%s:%" PRId64 ": the last line is cut, and is left out", r->name,
			   r->line + 1);
	if (r->n_damaged == 0)
		r->kept = r->summed ? r->sure : (struct grid_kept){ before.n_bytes, r->points->n };
	mem_free(line);
}

struct grid_kept grid_file_read(const char *name, const struct grid_axis *axes,
				struct grid_points *points, char *head, size_t size)
{
	struct reading r = { .name = name,
			     .axes = axes,
			     .points = points,
			     .head = head,
			     .head_size = size,
			     .sure.n_points = points->n };
	FILE *file = fopen(name, "r");

	if (!file)
		cli_fail("can't open results %s: %s", name, strerror(errno));
	read_lines(&r, file);
	judge(&r);
	fclose(file);
	/* checksums go on from that of a head */
	return r.n_heads > 0 ? r.kept : (struct grid_kept){ 0 };
}

/* ---- writing ---- */

_Noreturn static void fail_writing(const struct grid_file *f)
{
	cli_fail("can't write results %s: %s", f->name, strerror(errno));
}

const char *grid_place(const struct grid_point *p, char text[GRID_PLACE_SIZE])
{
	for (int k = 0; k < N_AXES; k++)
		if (!isnan(p->at[k]))
			text_append(text, GRID_PLACE_SIZE, "%slog2%c=%.10g", *text ? " " : "",
				    grid_parameter(k)->letter, p->at[k]);
	return text;
}

static void write_point(const struct grid_file *f, const struct grid_point *p)
{
	char line[256] = "";

	text_append(line, sizeof(line), "%s rate=%g", GRID_PLACE(p), p->rate);
	if (!isnan(p->error))
		text_append(line, sizeof(line), " se=%g", p->error);
	if (p->n_unfinished > 0)
		text_append(line, sizeof(line), " unfinished=%" PRId64, p->n_unfinished);
	if (p->outcome != GRID_RATED)
		text_append(line, sizeof(line), " outcome=%s", grid_outcome_names[p->outcome]);
	fprintf(f->file, "%s" SUM_KEY "%08" PRIx32 "\n", line, sum_of(f->head_sum, line));
}

void grid_file_add(struct grid_file *f, const struct grid_point *p)
{
	write_point(f, p);
	if (fflush(f->file) != 0)
		fail_writing(f);
}

/* The share of --shard, as a head has it, until the end of the block: "" for the whole. */
#define SHARD                                                                            \
	(grid.shard ? FORMATTED(64, SHARD_KEY "%" PRId64 "/%" PRId64, grid.shard_number, \
				grid.n_shards) :                                         \
		      "")

/* Refuse to replace the points of another share by those of this one. */
static void check_shard(const char *name)
{
	FILE *file = grid.shard ? fopen(name, "r") : NULL;
	char room[2048] = "", *line = room, *theirs;

	if (!file)
		return;
	if (fgets(room, sizeof(room), file))
		line = behind_mark(room);
	fclose(file);
	line[strcspn(line, "\r\n")] = '\0';
	take_sum(line, 0);
	theirs = strstr(line, SHARD_KEY);
	if (strncmp(line, HEAD, strlen(HEAD)) == 0 && strcmp(theirs ? theirs : "", SHARD) != 0)
		cli_fail("%s has the points of %s%s, not those of shard %s: give each shard its "
			 "own -out; -resume %s keeps them, --force replaces them",
			 name, theirs ? "shard " : "all shards",
			 theirs ? theirs + strlen(SHARD_KEY) : "", grid.shard, name);
}

void grid_file_open(struct grid_file *f, const char *name, bool resumed)
{
	int fd;

	f->name = name;
	cli_spare(&(struct cli_output){ .name = name, .what = "results" }, OUTPUT_REPLACES_OTHER);
	fd = open(name, O_WRONLY | O_CLOEXEC | (resumed ? 0 : O_CREAT), 0666);
	f->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f->file)
		cli_fail("can't open results %s: %s", name, strerror(errno));
	if (cli_is_file(name) && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		cli_fail("another run writes results to %s", name);
	if (!cli_given("--force") && !resumed)
		check_shard(name);
}

void grid_file_begin(struct grid_file *f, const struct grid_kept *kept, const char *head,
		     const struct grid_points *points)
{
	const char *const line = FORMATTED(1200, "%s%s", head, SHARD);

	f->head_sum = sum_of(0, head);
	if (cli_is_file(f->name) && fseeko(f->file, kept->n_bytes, SEEK_SET) < 0)
		fail_writing(f);
	if (kept->n_bytes == 0 && *head)
		fprintf(f->file, "%s" SUM_KEY "%08" PRIx32 "\n", line, sum_of(0, line));
	for (int64_t i = kept->n_points; i < points->n; i++)
		write_point(f, &points->point[i]);
	if (fflush(f->file) != 0)
		fail_writing(f);
	if (cli_is_file(f->name) && ftruncate(fileno(f->file), ftello(f->file)) < 0)
		fail_writing(f);
}

void grid_file_close(struct grid_file *f)
{
	if (f->file && fclose(f->file) != 0)
		fail_writing(f);
	f->file = NULL;
}

/*
 * grid.h - the parts of randsvm-grid
 *
 *     randsvm-grid.c        options, what is done in which order; the table, the report, the model
 *     grid_points.c         -log2c and its like; points that are known, their rates, the best of them
 *     grid_run.c            a search: from axes to points; --nested
 *     grid_lines.c          LIBSVM's lines
 *     grid_file.c           -out, -resume and --merge
 *     grid_picture.c        -png
 *
 * What trains is randsvm-train's, by the options that both have (train.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "search/search.h"
#include "../train/train.h"

/* Axes of a grid.  The third is -p of epsilon-SVR, else -n of the machines that have a nu. */
enum { AXIS_C, AXIS_GAMMA, AXIS_THIRD, N_AXES };

enum grid_measure {
	MEASURE_ACCURACY,
	MEASURE_BALANCED,
	MEASURE_AUC,
	MEASURE_F1,
	MEASURE_MSE,
	MEASURE_RHO,
	MEASURE_LOG_LOSS
};

extern const char *const grid_measure_names[];

/* Settings of the command line that randsvm-train does not have. */
extern struct grid_settings {
	const char *log2c, *log2g, *log2p, *log2n;
	const char *svmtrain, *gnuplot, *out, *png, *resume;
	const char *table, *model, *data;
	const char *shard;
	int measure;
	int64_t n_outer; /* number of outer folds of --nested; 0: none */
	bool refine, one_se, race, merge;
	int64_t shard_number, n_shards; /* share of the columns, shard_number of n_shards, from 1 */
} grid;

/* ---- grid_points.c ---- */

/* The logarithms to base 2 of a parameter's values: begin + i step, 0 <= i < n. */
struct grid_axis {
	bool searched; /* false: the parameter has one value, by its own option, and n is 1 */
	double begin, step;
	int n;
};

/* Places on the axes of gamma and of the third parameter that a column of values of C has. */
struct grid_place {
	int gamma, third;
};

/* grid_axes_make() - axes of the options; refuses those that the machine or kernel has not */
void grid_axes_make(struct grid_axis *axis);

/* grid_axes_finer() - 'finer' from a step below 'at' to a step above it, by eighths of the step */
void grid_axes_finer(const struct grid_axis *a, const double *at, struct grid_axis *finer);

/* grid_axis_value() - logarithm to base 2 of value i; NAN if the parameter is not searched */
double grid_axis_value(const struct grid_axis *a, int i);

/*
 * grid_axes_at() - logarithms of a point of a column: that of value number i of C, which ascends
 * whatever the direction of its axis is
 */
void grid_axes_at(const struct grid_axis *a, struct grid_place place, int i, double at[N_AXES]);

/* grid_n_points() - number of points of the grid */
int64_t grid_n_points(const struct grid_axis *a);

/* The parameter of an axis: its option's letter, c, g, p or n; names in reports and pictures. */
struct grid_parameter {
	char letter;
	const char *key, *label;
};

/* grid_parameter() - the parameter that the axis has */
const struct grid_parameter *grid_parameter(int axis);

/*
 * grid_columns() - the columns, coarse to fine, in an array for mem_free()
 *
 * Places are halved, as LIBSVM's grid.py does it: the middle of the axis, the middles of its
 * halves, and so on; where both axes are searched their resolutions grow together.  Returns their
 * number.
 */
int grid_columns(const struct grid_axis *a, struct grid_place **place);

enum grid_outcome {
	GRID_RATED,
	GRID_SKIPPED, /* outcome: given up by --race */
	GRID_FAILED   /* outcome: no training is possible there */
};

extern const char *const grid_outcome_names[];

/* What is known of a point. */
struct grid_point {
	double at[N_AXES]; /* logarithms to base 2; NAN where the axis is not searched */
	enum grid_outcome outcome;
	double rate;  /* measure of all rows, of six digits; NAN unless rated */
	double error; /* standard error of the rate, of six digits; NAN: not known */
	double seconds;
	int64_t n_unfinished; /* folds not trained to the tolerance */
	bool resumed;	      /* read from a file, not computed */
};

/* Points in the order in which they became known.  Owns its array; a zeroed struct is empty. */
struct grid_points {
	struct grid_point *point;
	int64_t n, capacity;
};

/* grid_points_add() - append; ends the program where memory is out */
void grid_points_add(struct grid_points *p, const struct grid_point *point);

/* grid_points_find() - the point at these values; NULL if it is not known */
const struct grid_point *grid_points_find(const struct grid_points *p, const double *at);

/*
 * grid_points_best() - the point of the best rate, of all or those on axes alone; NULL where none has
 * a rate
 *
 * Of equal rates the one of the smallest C, then of the smallest gamma, then of the smallest third
 * parameter, whatever the order of the points is.
 */
const struct grid_point *grid_points_best(const struct grid_points *p, const struct grid_axis *on);

/*
 * grid_points_choice() - the best point, or with --one-se the smoothest of those whose rates are
 * within a standard error of the best: that of the smallest C, then of the smallest gamma, then of
 * the largest third parameter; NULL where none has a rate
 */
const struct grid_point *grid_points_choice(const struct grid_points *p);

void grid_points_free(struct grid_points *p);

/* Digits of a rate, as svm-train prints it. */
enum { GRID_DIGITS = 6 };

/* grid_is_better() - is rate a better than rate b, which may be NAN? */
bool grid_is_better(double a, double b);

/* grid_is_possible() - can the measure have this value? */
bool grid_is_possible(double rate);

/*
 * grid_rate_of() - the measure of n rows, or of all if 'row' is NULL; NAN where it is not defined
 */
int grid_rate_of(const struct machine *m, const struct cv_predictions *c, const int64_t *row,
		 int64_t n, double *rate, struct error *err);

/* ---- grid_run.c ---- */

/* A search over data, and what it found. */
struct grid_search {
	const struct machine *machine; /* machine of the rows, with the parameters that are fixed */
	struct grid_points points;
	/* grid_told() is called with each new point, and the file gets it; NULL: neither */
	struct grid_display *display;
	struct cli_progress *progress;
	double done, share; /* share of all work that is done before this search, and that it is */
	struct folds folds;
};

/*
 * grid_search_all() - find the rates of all points of 'axes', and with --refine of the finer grid, that
 * are not known yet
 *
 * Columns are evaluated in the order of grid_columns(), by ascending C.  Those of another shard are
 * left out.  Returns 0, or -1: with ERR_INTERRUPTED the points so far are right.
 */
int grid_search_all(struct grid_search *g, const struct grid_axis *axes, struct error *err);

void grid_search_free(struct grid_search *g);

/* grid_training_at() - 'base' with the parameters of a point */
struct training grid_training_at(const struct training *base, const double *at);

/* grid_check_nested() - end the program if an outer fold leaves fewer groups than a search has folds */
void grid_check_nested(const struct grid_search *g);

/*
 * grid_nested() - search without each outer fold, and tell what the choices achieve on the folds
 *
 * A fold that has no rate, or without which no point has one, is left out of the mean.  Adds the
 * object "nested" to the report.  Fails as grid_search_all() does.
 */
int grid_nested(const struct grid_search *g, const struct grid_axis *axes, struct report *report,
		FILE *info, struct error *err);

/* ---- grid_file.c ---- */

/* The file of -out, to which a line is added for each point. */
struct grid_file {
	FILE *file; /* NULL: not wanted */
	const char *name;
	uint32_t head_sum; /* checksum of the head, from which those of points go on */
};

/* What is kept of a file that is added to: its beginning, up to the first line that is damaged. */
struct grid_kept {
	int64_t n_bytes, n_points;
};

/*
 * grid_file_head() - the first line of a file: what the rates depend on
 *
 * Rates of two files belong together where these lines are equal.
 */
void grid_file_head(char *text, size_t size, const struct grid_axis *a, const struct dataset *data);

/*
 * grid_file_read() - add the points of a file that are not known yet
 *
 * A line is believed if its checksum holds, or without one if its values are possible; a file without
 * a first line as grid_file_head() makes it, such as grid.py's, is believed.  Lines that are not are
 * counted in a warning, and so are points that are known with another rate.
 * 'head' becomes the first such line if it is empty.  Ends the program on a file of another search,
 * or one none of whose lines is believed.
 */
struct grid_kept grid_file_read(const char *name, const struct grid_axis *axes,
				struct grid_points *points, char *head, size_t size);

/*
 * grid_file_open() - open the file, so that no other run writes it
 *
 * 'resumed': it is there, and will be added to.  Ends the program where another run has it open, or
 * what it holds must not be replaced.
 */
void grid_file_open(struct grid_file *f, const char *name, bool resumed);

/* grid_file_begin() - write 'head', and the points that are known, behind what is kept of the file */
void grid_file_begin(struct grid_file *f, const struct grid_kept *kept, const char *head,
		     const struct grid_points *points);

/* GRID_PLACE() - the parameters of a point as a line has them, `log2c=5 log2g=-7`; until the end of the block */
enum { GRID_PLACE_SIZE = 128 };
#define GRID_PLACE(point) grid_place(point, (char[GRID_PLACE_SIZE]){ 0 })
const char *grid_place(const struct grid_point *p, char text[GRID_PLACE_SIZE]);

/* grid_file_add() - write a line, and hand it to the system; ends the program on failure */
void grid_file_add(struct grid_file *f, const struct grid_point *point);

void grid_file_close(struct grid_file *f);

/* ---- grid_lines.c ---- */

/* Where the lines of a search go. */
struct grid_display {
	FILE *info;
	struct grid_file file;
	struct cli_progress *progress;
	const struct grid_points *points;
	int64_t n_failed;	/* number of points where no training is possible */
	char first_reason[256]; /* the reason of the first of them */
};

/*
 * grid_told() - print grid.py's line for a point that has become known
 *
 * 'reason': why no training is possible there, or NULL where it is, or was told by another run.
 */
void grid_told(struct grid_display *d, const struct grid_point *point, const char *reason);

/* grid_print_logarithms() - the logarithms of a point's parameters, each with a blank behind it */
void grid_print_logarithms(FILE *to, const struct grid_point *point);

/* grid_print_choice() - grid.py's last line: the parameters, and the rate */
void grid_print_choice(FILE *to, const struct grid_point *choice);

/* GRID_NUMBER() - a number as Python prints it: 32.0, 0.0078125; until the end of the block */
enum { GRID_NUMBER_SIZE = 40 };
#define GRID_NUMBER(value) grid_number(value, (char[GRID_NUMBER_SIZE]){ 0 })
const char *grid_number(double value, char text[GRID_NUMBER_SIZE]);

/* grid_report_point() - add what is known of a point to the object */
void grid_report_point(const struct grid_point *p, struct report *r);

/* ---- grid_picture.c ---- */

/*
 * grid_draw() - draw the rates into the open output
 *
 * Where there is nothing to draw the output is discarded.
 */
void grid_draw(const struct grid_points *p, const struct grid_point *choice,
	       const struct grid_axis *a, struct cli_output *to);

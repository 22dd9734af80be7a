/*
 * pair_rows.c - what is made of the rows once, for the kernel values of all pairs of classes
 *
 * How this works.  Of the rows, up to four things are made before the first pair is trained:
 *
 *     diagonal   K(x, x) of each row                  kernels other than RBF                    (1)
 *     floats     the rows in single precision         unless floats cannot hold them            (2)
 *     order      a place for each row                 by class, or neighbours together          (3)
 *     values     what is kept of the kernel, one of                                             (4)
 *         KEPT_SHARED   the matrix of all rows in doubles: given by the caller, precomputed, or
 *                       computed where floats are too coarse for a pair or rows are long
 *         KEPT_TILES    rows of each class in tiles, and values within classes
 *         KEPT_MATRIX   the matrix of the only pair, in floats
 *         KEPT_NONE     nothing: pairs compute rows, and cache them
 *
 * make_all() tries the kinds of (4) in this order and takes the first that pays and fits.  What
 * does not fit is not an error: each kind is only a faster way to the same values.  (3) follows
 * from the data and options alone, since the solution depends on the order of examples but must not
 * depend on memory or threads.
 *
 * pair_rows_lend() then gives each pair a struct kernel_source: its own for tiles, which hold the
 * classes of the pair, or one of the common ones in 'source'.  All arrays are read-only by then,
 * except the rows of tiles, which fill as pairs want them (class_tiles.h), those of KEPT_MATRIX,
 * which has a single pair, and tiles.cross, of which each thread has one.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/pair_rows.h"

#include "base/mem.h"
#include "kernel/float_sums.h"
#include "kernel/near_rows.h"
#include "kernel/precomputed.h"
#include "problem/decision.h"
#include "source/float_source.h"

/*
 * Least share of the elements of tiles of classes that must be entries of rows.  Below it, tiles of
 * 1,000 rows of 60 entries in 60,000 columns would be 3 GB of zeros.
 */
#define LEAST_TILES_FILL 0.01

/* Squared norm K(x, x) of every row, for the caller to free; NULL without memory. */
static double *kernel_diagonals(const struct kernel *kernel, const struct csr *x, struct error *err)
{
	double *diagonal = mem_array(x->n_rows, sizeof(*diagonal), err);

	for (int64_t i = 0; diagonal && i < x->n_rows; i++)
		diagonal[i] = kernel_diagonal(kernel, csr_row_norm2(x, i));
	return diagonal;
}

/* Rows of the data, of which each pair has a part. */
static const struct csr *rows_of(const struct pair_rows *rows)
{
	return &rows->plan->t->data->x;
}

/* The kernel of the training, the same for all pairs. */
static const struct kernel *kernel_of(const struct pair_rows *rows)
{
	return &rows->plan->t->training->kernel;
}

/* Number of columns that have entries, where they were counted; else of all columns. */
static int64_t count_columns(const struct pair_rows *rows)
{
	return rows->floats.hold_rows ? rows->floats.x.n_cols : rows_of(rows)->n_cols;
}

/* Keep this matrix of all rows (KEPT_SHARED); the caller knows who owns it. */
static void keep_shared(struct pair_rows *rows, struct kernel_matrix *matrix, const char *why)
{
	rows->kept = KEPT_SHARED;
	rows->matrix.shared = matrix;
	rows->why_kept = why;
}

/* Compute the diagonal and the rows in single precision, where single precision can hold them. */
static int prepare(struct pair_rows *rows, struct error *err)
{
	const struct kernel *kernel = kernel_of(rows);
	int unfit;

	/* a precomputed kernel needs neither a diagonal, step (1), nor floats, step (2) */
	if (kernel->type == KERNEL_PRECOMPUTED) {
		keep_shared(rows, &rows->matrix.own, "the kernel is precomputed");
		return precomputed_matrix_init(rows->matrix.shared, rows_of(rows), err);
	}
	/* step (1), diagonal: for RBF every K(x, x) is 1, and the diagonal is not kept */
	if (kernel->type != KERNEL_RBF)
		rows->diagonal = kernel_diagonals(kernel, rows_of(rows), err);
	if (err->code != ERR_NONE)
		return -1;
	/* a linear kernel is mostly evaluated by its weights, in double precision */
	if (kernel->type == KERNEL_LINEAR && !rows->plan->shares)
		return 0;
	/* step (2), floats: unfit is 1 where values are beyond their range; doubles then serve */
	unfit = float_vectors_init(&rows->floats.x, rows_of(rows), kernel, err);
	if (unfit < 0)
		return -1;
	rows->floats.hold_rows = unfit == 0;
	/* floats serve pairs if all rows fit into them, unless weights solve the pairs */
	rows->floats.serve_pairs = unfit == 0 && plan_by_values(rows->plan, count_columns(rows));
	return rows->floats.serve_pairs ? float_vectors_keep_tiles(&rows->floats.x, err) : 0;
}

/*
 * Are tiles of the classes larger than the matrix?  A tile of ten rows of 1,000 columns is mostly
 * padding, and where columns are that many most rows become support vectors.
 */
static bool has_long_rows(const struct pair_rows *rows)
{
	const struct float_vectors *x = &rows->floats.x;

	return rows->floats.serve_pairs && x->dense && x->n_cols >= x->n;
}

/*
 * The kernel matrix of all rows in double precision, where pairs need it: it is half as much work
 * as the values of all pairs, and needs nothing that is proportional to columns for each.
 */
static int make_shared(struct pair_rows *rows, struct error *err)
{
	const struct plan *plan = rows->plan;
	bool fits = rows->floats.hold_rows && plan_fits_floats(plan, rows->diagonal);
	struct error failure = { 0 };

	/* no matrix is wanted, or floats are exact enough and tiles not mostly padding */
	if (!plan_takes_matrix(plan, count_columns(rows)) || (fits && !has_long_rows(rows)))
		return 0;
	if (kernel_matrix_init_doubles(&rows->matrix.own, rows_of(rows), kernel_of(rows),
				       plan->t->options->n_threads, &failure) == 0)
		keep_shared(rows, &rows->matrix.own,
			    fits ? "there are fewer rows than columns" :
				   "single precision is too coarse for a pair");
	/* without memory for the matrix pairs compute what they want */
	else if (failure.code != ERR_MEMORY)
		return error_pass(err, &failure);
	return 0;
}

/*
 * Of dense rows where each thread has pairs of its own, the values being the same bits without
 * tiles; of very sparse ones only the values within classes, whatever the number of threads.
 */
static int make_tiles(struct pair_rows *rows, struct error *err)
{
	const struct plan *plan = rows->plan;
	const struct classes *c = plan->classes;
	const struct float_vectors *x = &rows->floats.x;
	int n_threads = plan->t->options->n_threads, made;

	/* nearly empty tiles: values within classes, and between two classes by each thread */
	if (!x->dense && class_tiles_fill(x, c) < LEAST_TILES_FILL) {
		rows->tiles.bytes = class_tiles_whole_bytes(x, c);
		if (!plan_has_room(plan, rows->tiles.bytes))
			return 0;
		made = class_tiles_init_whole(&rows->tiles.tiles, x, c, n_threads, err);
	} else {
		rows->tiles.bytes = class_tiles_bytes(x, c);
		/*
		 * no room; or pairs are too few for each thread to have its own, and then rows are
		 * computed
		 */
		if (!plan_has_room(plan, rows->tiles.bytes) || solution_n_pairs(c->n) < n_threads)
			return 0;
		made = class_tiles_init(&rows->tiles.tiles, x, c, err);
	}
	if (made == 0) {
		rows->kept = KEPT_TILES;
		rows->why_kept = "several pairs share each class";
	}
	return made;
}

/* Place neighbours in space together: most kernel values between other examples are next to 0. */
static int order_rows(struct pair_rows *rows, struct error *err)
{
	struct float_vectors *x = &rows->floats.x;

	rows->order.place = mem_array(x->n, sizeof(*rows->order.place), err);
	if (!rows->order.place || near_rows_order(x, rows->order.place, &x->near, err) < 0)
		return -1;
	/* a kernel without near and far has no better order: the order of the data costs nothing */
	if (!x->near) {
		mem_free(rows->order.place);
		rows->order.place = NULL;
	}
	return 0;
}

/* Make the kernel matrix of the only pair, whose example i must be row i of the data. */
static void make_matrix(struct pair_rows *rows)
{
	const struct plan *plan = rows->plan;
	struct error failure = { 0 };

	/*
	 * one pair with all examples optimised at once, in the order of the rows, and room in the
	 * cache
	 */
	if (!rows->floats.serve_pairs || rows->order.place || !plan->is_unsampled ||
	    (plan->classes && plan->classes->n != 2) || !kernel_is_definite(kernel_of(rows)) ||
	    kernel_matrix_bytes(&rows->floats.x) > plan->t->solver->cache_mb * MEGABYTE)
		return;
	/* without memory rows are computed as they are wanted, and cached */
	if (kernel_matrix_init(&rows->matrix.only, &rows->floats.x, plan->t->options->n_threads,
			       &failure) < 0)
		return;
	rows->kept = KEPT_MATRIX;
	rows->why_kept = "there is one pair, and the kernel cache has room";
}

/* The reason, in words, for the order of the examples of a pair. */
static const char *order_reason(const struct pair_rows *rows, bool definite)
{
	if (rows->order.by_class)
		return definite ? "pairs share the values within classes" :
				  "the kernel may be indefinite, and LIBSVM's steps follow it";
	return rows->order.place ? "the kernel is narrow: most values are next to 0" :
				   "nothing asks for another";
}

/*
 * The order of examples, unlike the tiles, must not depend on threads and memory.  By class is
 * LIBSVM's order, which a problem_is_stepwise() needs.
 */
static int make_all(struct pair_rows *rows, struct error *err)
{
	bool definite = kernel_is_definite(kernel_of(rows)) &&
			!(rows->matrix.shared && rows->matrix.shared->indefinite);
	bool shares = definite && rows->plan->shares;

	/* step (3), order: by class if pairs share values within classes, or for LIBSVM's steps */
	rows->order.by_class =
		!definite || (shares && (rows->matrix.shared || rows->floats.serve_pairs));
	rows->order.why = order_reason(rows, definite);
	/* step (4): the shared matrix was given by the caller, or is a precomputed kernel */
	if (rows->matrix.shared)
		return 0;
	/* step (4), kept values: the shared matrix is tried first, then tiles */
	if (shares && make_shared(rows, err) < 0)
		return -1;
	if (shares && rows->floats.serve_pairs && !rows->matrix.shared && make_tiles(rows, err) < 0)
		return -1;
	/* step (3), order by place: classes need not be kept together, so neighbours may be */
	if (rows->floats.serve_pairs && !rows->order.by_class && order_rows(rows, err) < 0)
		return -1;
	rows->order.why = order_reason(rows, definite);
	/* step (4), kept values: the matrix of the only pair, if the order is that of the data */
	make_matrix(rows);
	return 0;
}

/* Make the sources of kernel values that pairs borrow, which read the arrays made before. */
static void make_sources(struct pair_rows *rows)
{
	/* the sources of floats and of the matrix hold pointers to the two sources above */
	rows->source.doubles = plain_source_with(rows->diagonal);
	rows->source.floats = float_source_make(&rows->floats.x, &rows->source.doubles);
	rows->source.of_matrix = matrix_source_of_floats(&rows->matrix.only, &rows->source.floats);
	/* the sources of a shared matrix need a matrix */
	if (!rows->matrix.shared)
		return;
	rows->source.of_shared =
		matrix_source_of_doubles(rows->matrix.shared, rows->diagonal, false);
	rows->source.of_shared_rounded =
		matrix_source_of_doubles(rows->matrix.shared, rows->diagonal, true);
}

int pair_rows_init(struct pair_rows *rows, const struct plan *plan, struct error *err)
{
	const struct trainer_subset *subset = plan->t->subset;

	*rows = (struct pair_rows){
		.plan = plan,
		.why_kept = "pairs have no values in common, or the kernel cache no room for them",
	};
	if (subset)
		keep_shared(rows, subset->matrix, "several trainings take parts of it");
	/* a subset's matrix has been made by the caller, rows and all */
	if ((!subset && prepare(rows, err) < 0) || make_all(rows, err) < 0)
		return -1;
	make_sources(rows);
	return 0;
}

void pair_rows_free(struct pair_rows *rows)
{
	for (int i = 0; i < rows->tiles.n_crosses; i++)
		class_cross_free(&rows->tiles.cross[i]);
	class_tiles_free(&rows->tiles.tiles);
	kernel_matrix_free(&rows->matrix.only);
	kernel_matrix_free(&rows->matrix.own);
	float_vectors_drop_tiles(&rows->floats.x);
	float_vectors_free(&rows->floats.x);
	mem_free_all(rows->tiles.cross, rows->order.place, rows->diagonal);
	*rows = (struct pair_rows){ 0 };
}

double pair_rows_bytes(const struct pair_rows *rows)
{
	/*
	 * only what was made for all pairs counts; the matrix of the only pair is its kernel cache
	 */
	double n = rows->matrix.shared ? (double)rows->matrix.shared->n : 0, bytes = 0;

	if (rows->kept == KEPT_TILES)
		bytes += rows->tiles.bytes;
	if (rows->matrix.shared &&
	    rows->matrix.shared->wide_own) /* otherwise the values are the data themselves */
		bytes += sizeof(double) * n * n;
	return bytes;
}

bool pair_rows_are_shared(const struct pair_rows *rows)
{
	return rows->kept == KEPT_TILES || rows->kept == KEPT_SHARED;
}

void pair_rows_set_helpers(struct pair_rows *rows, struct helpers *helpers)
{
	/* helpers serve the sources that compute kernel values; a shared matrix needs none */
	rows->source.doubles.helpers = rows->source.floats.helpers =
		rows->source.of_matrix.base.helpers = helpers;
}

int pair_rows_for_threads(struct pair_rows *rows, int n_threads, struct error *err)
{
	if (rows->kept != KEPT_TILES || !rows->tiles.tiles.whole)
		return 0;
	rows->tiles.cross = mem_zeroed(n_threads, sizeof(*rows->tiles.cross), err);
	/* n_crosses counts those that pair_rows_free() has to free */
	for (int i = 0; rows->tiles.cross && i < n_threads; i++, rows->tiles.n_crosses++)
		if (class_cross_init(&rows->tiles.cross[i], &rows->tiles.tiles.by_class,
				     rows->tiles.tiles.classes, err) < 0)
			return -1;
	return rows->tiles.cross ? 0 : -1;
}

/* Was the shared matrix computed for these pairs, from rows that may need double precision? */
static bool is_computed(const struct pair_rows *rows)
{
	return rows->matrix.shared == &rows->matrix.own &&
	       kernel_of(rows)->type != KERNEL_PRECOMPUTED;
}

/* Source of the shared matrix, rounded to single precision where that suffices. */
static const struct kernel_source *source_of_shared(struct pair_rows *rows, struct problem_view *p)
{
	/* the source decides with the problem whether floats are exact enough for this pair */
	p->source = &rows->source.of_shared.base;
	return decision_floats_fit(p, rows->plan->t->options->eps) && !problem_is_stepwise(p) &&
			       (rows->floats.hold_rows || !is_computed(rows)) ?
		       &rows->source.of_shared_rounded.base :
		       &rows->source.of_shared.base;
}

/* Source of kernel values for every pair that has no source of its own. */
static const struct kernel_source *common_source(const struct pair_rows *rows)
{
	if (rows->kept == KEPT_MATRIX)
		return &rows->source.of_matrix.base;
	return rows->floats.serve_pairs ? &rows->source.floats : &rows->source.doubles;
}

int pair_rows_lend(struct pair_rows *rows, struct problem_view *p, struct class_choice pair,
		   int thread, struct class_source *own, struct error *err)
{
	const struct trainer *t = rows->plan->t;
	/* room of this thread, which trains one pair at a time */
	struct class_cross *cross = rows->tiles.cross ? &rows->tiles.cross[thread] : NULL;

	if (rows->kept == KEPT_TILES) {
		*own = class_source_make(
			(struct class_pair){ &rows->tiles.tiles, pair.a, pair.b, cross },
			&rows->source.floats);
		p->source = &own->base;
	} else if (rows->kept == KEPT_SHARED) {
		p->source = source_of_shared(rows, p);
	} else {
		p->source = common_source(rows);
	}
	/* LIBSVM, which has no warm start, computes kernel values itself */
	if (t->solver->warm_start)
		decision_choose_precision(p, t->options->eps);
	/* the kernel values between the two classes are computed once for the pair */
	if (!cross || p->source != &own->base)
		return 0;
	return class_cross_compute(cross, pair.a, pair.b, err);
}

/* Choice of the kernel values that are computed and kept, in words. */
static const char *values_choice(const struct pair_rows *rows)
{
	switch (rows->kept) {
	case KEPT_MATRIX:
		return "the matrix of all examples is kept";
	case KEPT_SHARED:
		return "the matrix of all rows serves all pairs";
	case KEPT_TILES:
		return "those within each class serve all pairs";
	default:
		return "computed for each pair, rows of them cached";
	}
}

/* The precision of kernel values in words, as it is for most pairs. */
static struct plan_line explain_precision(const struct pair_rows *rows)
{
	struct plan_line line = { "precision", "double", NULL };

	if (rows->kept == KEPT_SHARED)
		line.reason = "the matrix has it; rounded for pairs that this is exact enough for";
	else if (!rows->floats.serve_pairs)
		line.reason = rows->floats.hold_rows || kernel_of(rows)->type == KERNEL_LINEAR ?
				      "weights solve a linear kernel" :
				      "single precision does not hold the rows";
	else if (!plan_fits_floats(rows->plan, rows->diagonal))
		line.reason = "of some row K(x, x) C is too large for single precision";
	else
		line = (struct plan_line){ "precision", "single",
					   "its errors are below the tolerance" };
	return line;
}

/* Route of the largest pair; a pair's source of kernel values does not change its route. */
static enum route route_of_largest(const struct pair_rows *rows)
{
	const struct plan *plan = rows->plan;
	const struct class_source by_class = class_source_make(
		(struct class_pair){ .tiles = &rows->tiles.tiles }, &rows->source.floats);
	struct problem_view largest = { .type = plan->t->training->type,
					.kernel = *kernel_of(rows),
					.source = common_source(rows),
					.n = plan->n_largest };

	if (rows->kept == KEPT_TILES)
		largest.source = &by_class.base;
	else if (rows->kept == KEPT_SHARED)
		largest.source = &rows->source.of_shared.base;
	if (rows->floats.serve_pairs && !plan_fits_floats(plan, rows->diagonal))
		decision_use_doubles(&largest);
	return route_choose(plan->t->options, plan->t->solver, &largest);
}

void pair_rows_explain(const struct pair_rows *rows, struct plan_line line[PLAN_LINES])
{
	enum route route = route_of_largest(rows);

	line[0] = route_explain(route);
	line[1] = (struct plan_line){ "kernel values", values_choice(rows), rows->why_kept };
	if (rows->kept == KEPT_NONE && route == ROUTE_WEIGHTS)
		line[1] = (struct plan_line){ "kernel values", "of single pairs of examples",
					      "weights need none" };
	line[2] = explain_precision(rows);
	line[3] = (struct plan_line){ "order of examples",
				      rows->order.by_class ? "by class" :
				      rows->order.place	   ? "neighbours together" :
							     "as in the data",
				      rows->order.why };
}

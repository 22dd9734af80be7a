/*
 * pair_rows.c - the plan of a training, and what is made of the rows once for all of its pairs
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

#include "kernel/float_form.h"
#include "kernel/float_sums.h"
#include "kernel/near_rows.h"
#include "problem/decision.h"
#include "ranks/rank_floats.h"
#include "smo/smo_sets.h"
#include "source/float_source.h"
#include "source/near_source.h"

/* ---- the plan: how pairs are solved, and which kernel values they share ---- */

/*
 * Two questions are answered for a whole training, by sizes alone:
 *
 *     is_unsampled    every pair is optimised at once          mode exact, small largest pair
 *     shares          values within a class serve all pairs    more than two classes, likewise  (1)
 *
 * both being true, too, of larger pairs where values are dear (share_dear()); and from them,
 * kernel by kernel:
 *
 *     plan_by_values()      linear kernels by values, where rows are few beside the columns     (2)
 *     fits_floats()         are floats exact enough for the largest C K(x, x)?                  (3)
 *     plan_takes_matrix()   one matrix of doubles for all pairs                                 (4)
 *     plan_room()           tiles or matrix within half of the kernel cache                     (5)
 *
 * Everything is a function of data and options alone; (5) changes how fast values come, not what
 * they are, but for dear values: without room for them large pairs are sampled.  The sizes at which
 * one way becomes faster than another were measured and stand beside the constants.
 */

/*
 * Largest share of the kernel cache that values shared by all pairs of classes may take: the rows
 * of kernel values that a pair works with need the rest.
 */
#define SHARED_SHARE 0.5

/*
 * Examples of a pair up to which a linear kernel is solved by its values however few the columns
 * are: two classes of 61 rows of 20 columns take 70 us so, and 200 us by the linear engine.
 */
#define MOST_BY_VALUES 200

/*
 * With more columns, examples for each of them: usps (256 columns, up to 8.6 times as many
 * examples) takes .31 s by values and .83 by weights at C = 1, .75 and .82 at C = 100; dna (180
 * columns, 13 times) .07 and .06, .09 and .05; letter.scale (16 columns, 75 times) .24 and .39, 1.5
 * and .36.
 */
#define BY_VALUES_A_COLUMN 10

/*
 * Rows up to which pairs have their kernel values from a matrix of all rows, 128 MB of doubles, and
 * up to which several trainings on subsets have, 512 MB.
 */
#define MOST_IN_MATRIX 4096
#define MOST_SHARED 8192

/*
 * Trainings on subsets share a matrix if rows have this many entries, so that kernel values are
 * expensive; or if a row's entries, times the trainings that it takes part in, are as many as the
 * rows.  Without a matrix each training prepares its rows, which takes some 20 ns for an entry; the
 * system takes as long to provide 8 bytes of a matrix.
 */
#define LONG_ROW 400

/*
 * Plan of the training.  Kernel values are not shared where pairs are sampled, since a sample has
 * few of a class's rows; nor with squared losses, which are the linear engine's.
 */
static struct plan plan_make(const struct trainer *t, const struct classes *classes)
{
	const struct randsvm_options *o = t->options;
	/* LIBSVM as the solver has no warm start, and is given working sets */
	bool is_exact = o->mode == WORKING_SET_EXACT && t->solver->warm_start;
	struct plan plan = {
		.t = t,
		.classes = classes,
		.n_largest = classes ? classes_largest_pair(classes) : t->data->x.n_rows,
	};

	/* the largest pair decides, so that all pairs are solved in the same way */
	plan.is_unsampled = is_exact && randsvm_takes_all(o, plan.n_largest);
	plan.shares = classes && classes->n > 2 && !t->training->squared_loss &&
		      plan.is_unsampled && plan.n_largest <= SMO_WHOLE_ROWS;
	return plan;
}

/* Bytes of shared values that leave each pair enough of the kernel cache. */
static double plan_room(const struct plan *plan)
{
	/* pairs need the other half of the kernel cache for kernel rows */
	return SHARED_SHARE * plan->t->solver->cache_mb * MEGABYTE;
}

/*
 * Is a kernel solved by its values?  Any but the linear one is; that may be solved by weights, which
 * cost passes over all entries.  Values cost a matrix of the pair, which is less where rows are few,
 * and tells more where columns are many.  'n_cols' are the columns that have entries.
 */
static bool plan_by_values(const struct plan *plan, int64_t n_cols)
{
	/* rule (2): two classes are one pair, which shares no values and is solved by weights */
	return plan->t->training->kernel.type != KERNEL_LINEAR ||
	       (plan->classes && plan->classes->n > 2 && !plan->t->training->squared_loss &&
		(plan->n_largest <= MOST_BY_VALUES ||
		 plan->n_largest <= BY_VALUES_A_COLUMN * n_cols));
}

/* The largest C of an example; 1 where C is not used. */
static double largest_c(const struct plan *plan)
{
	const struct training *t = plan->t->training;
	const struct classes *c = plan->classes;
	double largest = 0;

	/* nu-SVC and one-class have bounds of 1 or less */
	if (t->type == MACHINE_NU_SVC || t->type == MACHINE_ONE_CLASS)
		return 1;
	for (int k = 0; c && k < c->n; k++)
		largest = fmax(largest, classes_c(t, c->label[k]));
	return c ? largest : t->C;
}

/* Are kernel values in single precision exact enough for every pair?  decision_float_is_enough() */
static bool fits_floats(const struct pair_rows *rows)
{
	const struct plan *plan = &rows->plan;
	const double *diagonal = rows->diagonal;
	double error = rows->floats.hold_rows ? rows->floats.x.error : FLOAT_ERROR;
	/* rule (3), largest diagonal: K(x, x) of RBF is 1 */
	double largest = diagonal ? largest_of_sizes(diagonal, plan->t->data->x.n_rows) : 1;

	return decision_float_is_enough(error, largest, largest_c(plan), plan->t->options->eps);
}

/* Bytes of a kernel matrix of n rows in double precision. */
static double matrix_bytes(const struct plan *plan)
{
	double n = (double)plan->t->data->x.n_rows;

	return n * n * sizeof(double);
}

/* Is one kernel matrix of all rows, in doubles, small enough? */
static bool plan_takes_matrix(const struct plan *plan, int64_t n_cols)
{
	return plan->t->data->x.n_rows <= MOST_IN_MATRIX && matrix_bytes(plan) <= plan_room(plan) &&
	       plan_by_values(plan, n_cols);
}

bool trainer_shares_matrix(const struct trainer *t, const struct classes *classes,
			   double n_trainings)
{
	const struct csr *x = &t->data->x;
	const struct plan plan = plan_make(t, classes);
	double n_rows = (double)x->n_rows, entries = (double)csr_n_entries(x) / n_rows;

	if (t->training->kernel.type == KERNEL_PRECOMPUTED)
		return true;
	if (x->n_rows > MOST_SHARED || matrix_bytes(&plan) > plan_room(&plan) ||
	    !plan.is_unsampled || plan.n_largest > SMO_WHOLE_ROWS ||
	    !plan_by_values(&plan, x->n_cols))
		return false;
	return entries >= LONG_ROW || n_trainings * entries >= n_rows;
}

/* ---- the rows ---- */

/*
 * Least share of the elements of tiles of classes that must be entries of rows.  Below it, tiles of
 * 1,000 rows of 60 entries in 60,000 columns would be 3 GB of zeros.
 */
#define LEAST_TILES_FILL 0.01

/* Least share of a class's rows whose values within the class are kept beside the tiles. */
#define LEAST_TILES_SHARE 0.25

/* Rows of the data, of which each pair has a part. */
static const struct csr *rows_of(const struct pair_rows *rows)
{
	return &rows->plan.t->data->x;
}

/* The kernel of the training, the same for all pairs. */
static const struct kernel *kernel_of(const struct pair_rows *rows)
{
	return &rows->plan.t->training->kernel;
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

/*
 * Pairs above SMO_WHOLE_ROWS are not sampled, and share values, where rows have so many entries, so
 * that a kernel value takes far longer to compute than to keep and to read; classes are so many, so
 * that each is in four pairs at least; and the largest pair has no more rows than this.  CPU seconds
 * so and sampled: mnist.part1 scaled to 0 .. 1, -c 10 -g .01 of ten classes 3.9 and 6.1, of five
 * 1.06 and 1.18, of three .33 both; -c 100 -g .05 13.5 and 31.6; -t 1 -r 1 -g .01 4.8 and 6.2.  Of
 * covtype.20k, 12 entries a row, 1.4 and .54; and so of nu-SVC, -n .1, .27 and .18.
 */
#define DEAR_ROW 100
#define DEAR_CLASSES 5
#define MOST_DEAR 16384

/* May values be so dear that large pairs share them?  See DEAR_ROW. */
static bool may_be_dear(const struct pair_rows *rows)
{
	const struct plan *plan = &rows->plan;
	const struct randsvm_options *o = plan->t->options;

	return rows->floats.serve_pairs && plan->t->training->type == MACHINE_C_SVC &&
	       plan->classes->n >= DEAR_CLASSES && o->mode == WORKING_SET_EXACT &&
	       plan->t->solver->warm_start && o->sample == 0 &&
	       kernel_of(rows)->type != KERNEL_LINEAR && kernel_is_definite(kernel_of(rows)) &&
	       plan->n_largest > SMO_WHOLE_ROWS && plan->n_largest <= MOST_DEAR &&
	       csr_n_entries(rows_of(rows)) >= DEAR_ROW * rows_of(rows)->n_rows;
}

/*
 * The rows in single precision where they are, if kernel values of them are to be had there: of
 * pairs that are sampled, whose values are neither dear nor mostly nothing, and for which floats are
 * exact enough.  Else their entries come to this process.
 */
static int prepare_on_ranks(struct pair_rows *rows, struct error *err)
{
	const struct trainer *t = rows->plan.t;
	struct rank_rows *ranks = t->ranks;
	struct float_vectors *x = &rows->floats.x;
	const enum working_set_mode mode = t->options->mode;
	bool are_near = false;
	int unfit = 1;

	if ((mode == WORKING_SET_EXACT || mode == WORKING_SET_BUDGET) && t->solver->warm_start &&
	    !rows->plan.is_unsampled)
		unfit = rank_rows_make_floats(ranks, kernel_of(rows), err);
	if (unfit == 0) {
		*x = float_vectors_form(&ranks->floats);
		x->n = rows_of(rows)->n_rows;
		rows->floats.hold_rows = rows->floats.serve_pairs = true;
		if (!may_be_dear(rows) && fits_floats(rows) &&
		    rank_rows_are_near(ranks, &are_near, err) == 0)
			rows->on_ranks = !are_near;
	}
	if (err->code != ERR_NONE)
		return -1;
	/* (polynomial kernels are also solved by their monomials) */
	if ((!rows->on_ranks || kernel_of(rows)->type == KERNEL_POLYNOMIAL) && !ranks->data->x.val)
		unfit = rank_rows_bring_all(ranks, err);
	if (!rows->on_ranks)
		rows->floats = (struct pair_floats){ 0 };
	return unfit < 0 ? -1 : 0;
}

/* Compute the diagonal and the rows in single precision, where single precision can hold them. */
static int prepare(struct pair_rows *rows, struct error *err)
{
	const struct kernel *kernel = kernel_of(rows);
	const struct csr *x = rows_of(rows);
	const double *norm2 = rows->plan.t->ranks ? rows->plan.t->ranks->norm2 : NULL;
	int unfit;

	/* a precomputed kernel needs neither a diagonal, step (1), nor floats, step (2) */
	if (kernel->type == KERNEL_PRECOMPUTED) {
		keep_shared(rows, &rows->matrix.own, "the kernel is precomputed");
		return precomputed_matrix_init(rows->matrix.shared, rows->plan.t->data,
					       rows->plan.t->solver->interruption, err);
	}
	/* step (1), diagonal: for RBF every K(x, x) is 1, and the diagonal is not kept */
	if (kernel->type != KERNEL_RBF)
		rows->diagonal = mem_array(x->n_rows, sizeof(*rows->diagonal), err);
	for (int64_t i = 0; rows->diagonal && i < x->n_rows; i++)
		rows->diagonal[i] = kernel_diagonal(kernel, norm2 ? norm2[i] : csr_row_norm2(x, i));
	if (err->code != ERR_NONE)
		return -1;
	/* a linear kernel is mostly evaluated by its weights, in double precision */
	if (kernel->type == KERNEL_LINEAR && !rows->plan.shares) {
		rows->on_ranks = rows->plan.t->ranks && !x->val;
		return 0;
	}
	if (rows->plan.t->ranks && !rows->plan.t->out && prepare_on_ranks(rows, err) < 0)
		return -1;
	if (rows->on_ranks)
		return 0;
	/* step (2), floats: unfit is 1 where values are beyond their range; doubles then serve */
	unfit = float_vectors_init(&rows->floats.x, x, kernel, err);
	if (unfit < 0)
		return -1;
	rows->floats.hold_rows = unfit == 0;
	/* floats serve pairs if all rows fit into them, unless weights solve the pairs */
	rows->floats.serve_pairs = unfit == 0 && plan_by_values(&rows->plan, count_columns(rows));
	return rows->floats.serve_pairs ? float_vectors_keep_tiles(&rows->floats.x, err) : 0;
}

/* Share values that are dear if tiles have room, unless the kernel is narrow: then pairs keep some. */
static int share_dear(struct pair_rows *rows, struct error *err)
{
	const struct float_vectors *x = &rows->floats.x;
	const struct kernel_source floats = float_source_make(x, &plain_source);
	struct plan *plan = &rows->plan;
	bool is_narrow;

	if (!may_be_dear(rows) || class_tiles_fill(x, plan->classes) < LEAST_TILES_FILL ||
	    class_tiles_share(x, plan->classes, plan_room(plan)) < LEAST_TILES_SHARE)
		return 0;
	if (near_source_serves(&floats, plan->classes->row, x->n, &is_narrow, err) < 0)
		return -1;
	plan->shares = plan->is_unsampled = plan->is_dear = !is_narrow;
	return 0;
}

/*
 * The kernel matrix of all rows in double precision, where pairs need it: it is half as much work
 * as the values of all pairs, and needs nothing that is proportional to columns for each.
 */
static int make_shared(struct pair_rows *rows, struct error *err)
{
	const struct plan *plan = &rows->plan;
	const struct float_vectors *x = &rows->floats.x;
	bool fits = rows->floats.hold_rows && fits_floats(rows);
	/*
	 * tiles of the classes are larger than the matrix: a tile of ten rows of 1,000 columns is
	 * mostly padding, and where columns are that many most rows become support vectors
	 */
	bool has_long_rows = rows->floats.serve_pairs && x->dense && x->n_cols >= x->n;
	struct error failure = { 0 };

	/* no matrix is wanted, or floats are exact enough and tiles not mostly padding */
	if (!plan_takes_matrix(plan, count_columns(rows)) || (fits && !has_long_rows))
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
	const struct plan *plan = &rows->plan;
	const struct classes *c = plan->classes;
	const struct float_vectors *x = &rows->floats.x;
	int n_threads = plan->t->options->n_threads, made;

	/* nearly empty tiles: values within classes, and between two classes by each thread */
	if (!x->dense && class_tiles_fill(x, c) < LEAST_TILES_FILL) {
		rows->tiles.bytes = class_tiles_whole_bytes(x, c);
		if (rows->tiles.bytes > plan_room(plan))
			return 0;
		made = class_tiles_init_whole(&rows->tiles.tiles, x, c, n_threads, err);
	} else {
		double share = class_tiles_share(x, c, plan_room(plan));

		/*
		 * no room; or pairs are too few for each thread to have its own, and then rows are
		 * computed
		 */
		if (share < LEAST_TILES_SHARE || solution_n_pairs(c->n) < n_threads)
			return 0;
		rows->tiles.bytes = class_tiles_bytes(x, c, share);
		made = class_tiles_init(&rows->tiles.tiles, x, c, share, err);
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
	const struct plan *plan = &rows->plan;
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

/* Is the kernel positive semidefinite, as far as its values are known? */
static bool is_definite(const struct pair_rows *rows)
{
	return kernel_is_definite(kernel_of(rows)) &&
	       !(rows->matrix.shared && rows->matrix.shared->indefinite);
}

/* The reason, in words, for the order of the examples of a pair. */
static const char *order_reason(const struct pair_rows *rows)
{
	if (rows->order.by_class)
		return is_definite(rows) ?
			       "pairs share the values within classes" :
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
	bool definite = is_definite(rows), shares = definite && rows->plan.shares;

	/* step (3), order: by class if pairs share values within classes, or for LIBSVM's steps */
	rows->order.by_class =
		!definite || (shares && (rows->matrix.shared || rows->floats.serve_pairs));
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
	rows->source.floats.is_dear = rows->plan.is_dear;
	rows->source.of_matrix = matrix_source_of_floats(&rows->matrix.only, &rows->source.floats);
	/* the sources of a shared matrix need a matrix */
	if (!rows->matrix.shared)
		return;
	rows->source.of_shared =
		matrix_source_of_doubles(rows->matrix.shared, rows->diagonal, false);
	rows->source.of_shared_rounded =
		matrix_source_of_doubles(rows->matrix.shared, rows->diagonal, true);
}

int pair_rows_init(struct pair_rows *rows, const struct trainer *t, const struct classes *classes,
		   struct error *err)
{
	const struct trainer_subset *subset = t->subset;

	*rows = (struct pair_rows){
		.plan = plan_make(t, classes),
		.why_kept = "pairs have no values in common, or the kernel cache no room for them",
	};
	if (subset)
		keep_shared(rows, subset->matrix, "several trainings take parts of it");
	/* a subset's matrix has been made by the caller, rows and all */
	if (!subset && prepare(rows, err) < 0)
		return -1;
	if (rows->on_ranks) {
		rows->order.by_class = !kernel_is_definite(kernel_of(rows));
		return rank_source_init(&rows->source.of_ranks, t->ranks, rows->diagonal, err);
	}
	if (share_dear(rows, err) < 0 || make_all(rows, err) < 0)
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
	rank_source_free(&rows->source.of_ranks);
	float_vectors_drop_tiles(&rows->floats.x);
	float_vectors_free(&rows->floats.x);
	mem_free_all(rows->tiles.cross, rows->order.place, rows->diagonal);
	*rows = (struct pair_rows){ 0 };
}

double pair_rows_bytes(const struct pair_rows *rows)
{
	const struct kernel_matrix *m = rows->matrix.shared;

	/*
	 * only what was made for all pairs counts; the matrix of the only pair is its kernel cache
	 */
	if (rows->kept == KEPT_TILES)
		return rows->tiles.bytes;
	/* otherwise the values are the data themselves */
	return m && m->wide_own ? sizeof(double) * (double)m->n * (double)m->n : 0;
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

/* Source of the shared matrix, rounded to single precision where that suffices. */
static const struct kernel_source *source_of_shared(struct pair_rows *rows, struct problem_view *p)
{
	/* was the matrix computed for these pairs, from rows that need double precision? */
	bool needs_doubles = rows->matrix.shared == &rows->matrix.own &&
			     kernel_of(rows)->type != KERNEL_PRECOMPUTED && !rows->floats.hold_rows;

	/* the source decides with the problem whether floats are exact enough for this pair */
	p->source = &rows->source.of_shared.base;
	return decision_floats_fit(p, rows->plan.t->options->eps) && !problem_is_stepwise(p) &&
			       !needs_doubles ?
		       &rows->source.of_shared_rounded.base :
		       &rows->source.of_shared.base;
}

/* Source of kernel values for every pair that has no source of its own. */
static const struct kernel_source *common_source(const struct pair_rows *rows)
{
	if (rows->on_ranks)
		return rows->floats.serve_pairs ? &rows->source.of_ranks.floats :
						  &rows->source.of_ranks.doubles;
	if (rows->kept == KEPT_MATRIX)
		return &rows->source.of_matrix.base;
	return rows->floats.serve_pairs ? &rows->source.floats : &rows->source.doubles;
}

int pair_rows_lend(struct pair_rows *rows, struct problem_view *p, struct class_choice pair,
		   int thread, struct class_source *own, struct error *err)
{
	const struct trainer *t = rows->plan.t;
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
	const char *reason;

	if (rows->kept == KEPT_SHARED)
		reason = "the matrix has it; rounded for pairs that this is exact enough for";
	else if (!rows->floats.serve_pairs)
		reason = rows->floats.hold_rows || kernel_of(rows)->type == KERNEL_LINEAR ?
				 "weights solve a linear kernel" :
				 "single precision does not hold the rows";
	else if (!fits_floats(rows))
		reason = "of some row K(x, x) C is too large for single precision";
	else
		return (struct plan_line){ "precision", "single",
					   "its errors are below the tolerance" };
	return (struct plan_line){ "precision", "double", reason };
}

/* Route of the largest pair; a pair's source of kernel values does not change its route. */
static enum route route_of_largest(const struct pair_rows *rows)
{
	const struct plan *plan = &rows->plan;
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
	if (rows->floats.serve_pairs && !fits_floats(rows))
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
				      order_reason(rows) };
}

/*
 * kernel_source.h - where the kernel values of a problem come from
 *
 *     rows    K(x_i, x_j) of examples i with all members j of a working set
 *     sums    sum_j coef_j K(x_j, x_i) of support vectors j, for examples i
 *
 * A source has both, in single or in double precision.  Who plans a training chooses it and puts it
 * into the problem; solvers and decision values ask the problem's, and know none of them:
 *
 *     plain_source    (this room)   computed in double precision: of problems without another
 *     float_source    (source/)     computed in single precision
 *     class_tiles     (source/)     the same of two classes, by what is kept for all their pairs
 *     matrix_source   (source/)     a kernel matrix, of doubles or of floats, or a caller's kernel
 *     near_source     (source/)     the values of a narrow kernel that are not next to 0
 *     product_source  (source/)     the linear kernel of sparse rows, by their columns
 *     rank_source     (ranks/)      of rows that other processes have
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/float_vectors.h"

/* ---- Rows and sums that a source is asked for ---- */

/* Lanes of a row: rows are padded to a multiple of this many values and aligned to 64 bytes. */
#define KERNEL_ROWS_LANES 16

/* Most rows computed in one go. */
#define KERNEL_ROWS_AT_ONCE 32

/*
 * Members a task meets: eight tiles of 64, 16,384 kernel values with rows fetched 32 at a time, at
 * 1e9 values a second 16 us, as long as starting a thread.
 */
#define KERNEL_ROWS_TASK 512

/*
 * struct kernel_rows - rows of a problem's source; for one thread at a time, which has others help
 */
struct kernel_rows {
	const struct problem_view *p;
	const struct kernel_source *source;
	int n_threads;
	bool in_doubles; /* values of rows are doubles; else floats */
	void *state;	 /* state of the source: rows as it has made them ready */
};

/* Examples that rows go over: member j is example[j] of the problem and row[j] of its matrix. */
struct row_members {
	int64_t n;
	int64_t *example, *row;
	bool in_place; /* members are the examples in place: member j is example j */
};

/* Rows that a source is asked for: see kernel_rows_fetch(). */
struct row_request {
	const struct row_members *over;
	int64_t first; /* first member; for a source a multiple of KERNEL_ROWS_LANES */
	const int64_t *wanted;
	int64_t n;
	void *const *out;
};

/* struct kernel_sums - support vectors and their coefficients, which a source has made ready */
struct kernel_sums {
	const struct problem_view *p;
	const struct kernel_source *source;
	int64_t n_vectors;
	int64_t *example; /* example of each vector; NULL where the source has no use for it */
	double *coef;	  /* coefficient of each vector */
	bool exact;	  /* sums of kernel values in floats are to be in doubles throughout */
	void *state;	  /* vectors as the source has made them ready */
};

/* Sums that a source is asked for: value[k] of row[k] of x, which is example position[k]. */
struct sum_request {
	const int64_t *position; /* positions of the examples; NULL: all examples, in their order */
	const int64_t *row;
	int64_t n;
	double *value;
	int n_threads;
};

/* ---- Sources ---- */

/*
 * struct kernel_source_type - functions of a kind of source
 *
 * Functions return 0, or -1 with an error, mostly ERR_MEMORY.  Rows or sums that could not be
 * opened are closed all the same; functions to open and to close may be NULL where there is no work
 * for them.
 */
struct kernel_source_type {
	int (*open_rows)(struct kernel_rows *r, struct error *err);
	void (*close_rows)(struct kernel_rows *r);
	/* number of rows best fetched at once; NULL: KERNEL_ROWS_AT_ONCE */
	int (*rows_at_once)(const struct kernel_rows *r, const struct row_members *over);
	int (*fetch_rows)(const struct kernel_rows *r, const struct row_request *q,
			  struct error *err);
	/*
	 * Functions in place of fetch_rows, where the source itself keeps rows, of floats and over
	 * all examples: the row of example i, NULL before it is made, and the making of n rows.
	 * Else NULL.
	 */
	const float *(*kept_row)(const struct kernel_source *s, int64_t i);
	int (*make_rows)(const struct kernel_source *s, const int64_t *i, int n, struct error *err);
	/* copying of n rows of x_float to the empty '*out'; NULL: they are here, all of them */
	int (*gather)(const struct kernel_source *s, const int64_t *row, int64_t n,
		      struct float_vectors *out, struct error *err);
	int (*open_sums)(struct kernel_sums *s, struct error *err);
	void (*close_sums)(struct kernel_sums *s);
	int (*sum)(const struct kernel_sums *s, const struct sum_request *q, struct error *err);
	/* of sources whose sum() is kernel_sums_by_looks(): the sums of some rows */
	int (*sum_rows)(const struct kernel_sums *s, const struct sum_request *q,
			struct error *err);
};

/* What is known of rows whose entries other processes have: csr_row_hash(), csr_row_norm2() by row. */
struct row_marks {
	const uint64_t *hash;
	const double *norm2;
};

/*
 * struct kernel_source - a source, the first member of each kind's struct; all pointers are
 * borrowed
 */
struct kernel_source {
	const struct kernel_source_type *type;
	/* source for a problem whose examples are some of the rows of x; NULL: this one */
	const struct kernel_source *for_subset;
	const struct kernel_source *in_doubles; /* source in double precision; NULL: this one */
	/* rows of x in floats, for sums, or NULL; their form alone where the type has gather() */
	const struct float_vectors *x_float;
	/* diagonal: K(x, x) of row i at diagonal[diagonal_step * i]; NULL: computed each time */
	const double *diagonal;
	int64_t diagonal_step;
	/* error of K(x, z) in shares of sqrt(K(x, x) K(z, z)), other than rounding: the caller's */
	double value_error;
	const struct row_marks *elsewhere; /* x has no entries here; NULL: it has */
	bool in_floats; /* kernel values of rows have the error of single precision */
	/* kernel values between all examples are kept: sums need no new ones */
	bool has_matrix;
	/* a value takes far longer to compute than to read: rows are kept, however many */
	bool is_dear;
	bool sums_in_doubles; /* sums of its values are in doubles, term by term */
	bool is_slow;	      /* a value may take long: an end is asked for at each step */
	bool indefinite;      /* kernel matrix was found to be indefinite */
};

/*
 * plain_source - computes kernel values from rows, K(x, x) each time too; plain_source_with() - the
 * same with K(x, x) given by row of x
 */
extern const struct kernel_source plain_source;
struct kernel_source plain_source_with(const double *diagonal);

/* kernel_source_for_subset() - the source of a problem with another choice of the rows */
static inline const struct kernel_source *kernel_source_for_subset(const struct kernel_source *s)
{
	return s->for_subset ? s->for_subset : s;
}

/* kernel_source_in_doubles() - the source for double precision */
static inline const struct kernel_source *kernel_source_in_doubles(const struct kernel_source *s)
{
	return s->in_doubles ? s->in_doubles : s;
}

/* kernel_source_gather() - copy rows row[0 .. n - 1] of s->x_float to the empty '*out' */
static inline int kernel_source_gather(const struct kernel_source *s, const int64_t *row, int64_t n,
				       struct float_vectors *out, struct error *err)
{
	return s->type->gather ? s->type->gather(s, row, n, out, err) :
				 float_vectors_gather(out, s->x_float, row, n, err);
}

/* ---- Rows of the kernel matrix of a problem, over some of its examples ---- */

/*
 * kernel_rows_init() - open the problem's source; 'p' is borrowed
 *
 * Rows of a problem_is_stepwise() are computed in double precision and rounded to floats, as
 * LIBSVM's are.  Returns 0, or -1 with ERR_MEMORY and '*r' empty.
 */
int kernel_rows_init(struct kernel_rows *r, const struct problem_view *p, int n_threads,
		     struct error *err);

void kernel_rows_free(struct kernel_rows *r);

/* kernel_rows_padded() - number of values in a row over n members, with padding */
static inline int64_t kernel_rows_padded(int64_t n)
{
	return int64_round_up(n, KERNEL_ROWS_LANES);
}

/* kernel_rows_at_once() - number of rows best fetched at once, at most KERNEL_ROWS_AT_ONCE */
int kernel_rows_at_once(const struct kernel_rows *r, const struct row_members *over);

/* kernel_rows_singly() - rows_at_once() of sources whose rows cost no more one by one: 1 */
int kernel_rows_singly(const struct kernel_rows *r, const struct row_members *over);

/*
 * kernel_rows_fetch() - out[v][j] = K(x_i, x_j) for the n examples i = wanted[v] of 'q', over all
 * members j from 'first' on
 *
 * A value does not depend on which rows are asked for together.  The padding is finite.  Values
 * from the last multiple of KERNEL_ROWS_LANES before 'first' on are written.  out[v] is aligned to
 * 64 bytes.  Returns 0, or -1 with ERR_MEMORY.
 */
int kernel_rows_fetch(const struct kernel_rows *r, struct row_request q, struct error *err);

/* ---- Sums of kernel values over support vectors, for examples of a problem ---- */

/* kernel_sums_init() - room for n vectors; returns 0, or -1 with ERR_MEMORY and '*s' empty */
int kernel_sums_init(struct kernel_sums *s, const struct problem_view *p,
		     const struct kernel_source *source, int64_t n, struct error *err);

/* kernel_sums_add() - add one more vector, before kernel_sums_open() */
void kernel_sums_add(struct kernel_sums *s, int64_t example, double coef);

/* kernel_sums_open() - the source makes the vectors ready; where it fails '*s' becomes empty */
int kernel_sums_open(struct kernel_sums *s, struct error *err);

void kernel_sums_free(struct kernel_sums *s);

/*
 * kernel_sums_evaluate() - f[position[k]] for k < n; or f[k] for all examples if 'position' is NULL
 *
 * The value of an example does not depend on n_threads, nor, unless rows of x_float->near leave out
 * what is next to nothing, on which other examples are asked for. Computes n n_vectors kernel
 * values.  Fails with ERR_MEMORY, with ERR_NUMERIC if a value is not finite, or with
 * ERR_INTERRUPTED within about a tenth of a second once p->interruption requests it.
 */
int kernel_sums_evaluate(const struct kernel_sums *s, const int64_t *position, int64_t n, double *f,
			 int n_threads, struct error *err);

/* kernel_sums_values() - the same as value[k], which may have changed where it fails */
int kernel_sums_values(const struct kernel_sums *s, const int64_t *position, int64_t n,
		       double *value, int n_threads, struct error *err);

/* error_kernel_overflows() - a sum is not finite: -1 with ERR_NUMERIC */
int error_kernel_overflows(struct error *err);

/* For the functions of sources: */

/* kernel_sums_take_rows() - in place of s->example the rows of x, for the caller to free */
int64_t *kernel_sums_take_rows(struct kernel_sums *s);

/*
 * kernel_sums_open_rows(), kernel_sums_close_rows() - open_sums() and close_sums() of sources whose
 * state is the array of kernel_sums_take_rows()
 */
int kernel_sums_open_rows(struct kernel_sums *s, struct error *err);
void kernel_sums_close_rows(struct kernel_sums *s);

/*
 * kernel_sums_by_looks() - sum() of a source as its sum_rows() of as many rows at a time as take a
 * moment
 *
 * For sums that cost a kernel value for each row and vector.  Between two parts the problem's
 * interruption is asked: -1 with ERR_INTERRUPTED.
 */
int kernel_sums_by_looks(const struct kernel_sums *s, const struct sum_request *q,
			 struct error *err);

/*
 * linear_dispatch.c - the best copy of the hot loops for this machine
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/instruction_set.h"
#include "kernel/float_tile.h"
#include "kernel/kernel_tile.h"
#include "linear/linear_loops.h"
#include "smo/smo_loops.h"

typedef void values_function(const struct kernel *, const struct kernel_vectors *, int64_t, int64_t,
			     const double *, const double *, double *);
typedef int64_t partner_function(const struct smo_arrays *, int64_t, double, const void *);
typedef void step_function(const struct smo_arrays *, double, const void *, double,
			   const void *, struct smo_extremes *);
typedef void accumulate_function(const double *, int64_t, const double *, double *);
typedef void single_values_function(const struct float_vectors *, int64_t, int64_t,
				    const struct float_tile *, float *const *);
typedef void transpose_function(const float *const *, int64_t, float *);
typedef void single_sums_function(const struct float_vectors *, const float *,
				  const struct float_tile *, double *);
typedef void slope_function(const struct linear_arrays *, int64_t, int64_t, double,
			    struct linear_slope *);
typedef void prox_function(const struct linear_arrays *, int64_t, int64_t, int64_t *, double *,
			   struct linear_change *);
typedef void judge_function(const struct linear_arrays *, const double *, const double *, double,
			    double, struct linear_state *);
typedef int64_t free_function(const double *, const double *, const double *, int64_t, int64_t,
			      int64_t *);
typedef void multiply_function(const struct linear_rows *, const int64_t *, int64_t, int64_t,
			       const double *, double, double *);
typedef void add_function(const struct linear_rows *, const int64_t *, int64_t, int64_t,
			  const double *, double *);

#define DECLARE(suffix)                                   \
	values_function kernel_tile_values_##suffix;      \
	accumulate_function kernel_tile_accumulate_##suffix; \
	single_values_function float_tile_values_##suffix; \
	single_sums_function float_tile_sums_##suffix; \
	transpose_function float_tile_transpose_##suffix; \
	partner_function smo_choose_partner_##suffix;     \
	step_function smo_step_##suffix;                  \
	slope_function linear_slope_at_##suffix;          \
	prox_function linear_update_prox_##suffix;        \
	judge_function linear_measure_##suffix;             \
	free_function linear_list_free_##suffix;          \
	multiply_function linear_multiply_##suffix;       \
	add_function linear_accumulate_##suffix

struct code_copy {
	values_function *values;
	accumulate_function *accumulate;
	single_values_function *single_values;
	single_sums_function *single_sums;
	transpose_function *transpose;
	partner_function *partner;
	step_function *step;
	slope_function *slope;
	prox_function *prox;
	judge_function *judge;
	free_function *list_free;
	multiply_function *multiply;
	add_function *add;
};

#define CODE(suffix)                                                                \
	{ kernel_tile_values_##suffix, kernel_tile_accumulate_##suffix,       \
	  float_tile_values_##suffix, float_tile_sums_##suffix,                   \
	  float_tile_transpose_##suffix,                                           \
	  smo_choose_partner_##suffix, smo_step_##suffix,                         \
	  linear_slope_at_##suffix, linear_update_prox_##suffix, linear_measure_##suffix, \
	  linear_list_free_##suffix, linear_multiply_##suffix, linear_accumulate_##suffix }

INSTRUCTION_SET_COPIES(DECLARE);

static const struct code_copy *best_code(void)
{
	static const struct code_copy code[] = INSTRUCTION_SET_TABLE(CODE);

	return &code[instruction_set_best()];
}

void kernel_tile_values(const struct kernel *kernel, const struct kernel_vectors *vectors,
			int64_t first, int64_t last, const double *tile, const double *row_norm2,
			double *values)
{
	best_code()->values(kernel, vectors, first, last, tile, row_norm2, values);
}

void kernel_tile_accumulate(const double *coef, int64_t n, const double *values, double *sum)
{
	best_code()->accumulate(coef, n, values, sum);
}

void float_tile_values(const struct float_vectors *vectors, int64_t first, int64_t last,
		       const struct float_tile *tile, float *const *out)
{
	best_code()->single_values(vectors, first, last, tile, out);
}

void float_tile_sums(const struct float_vectors *vectors, const float *coef,
		     const struct float_tile *tile, double *sum)
{
	best_code()->single_sums(vectors, coef, tile, sum);
}

int64_t smo_choose_partner(const struct smo_arrays *a, int64_t i, double up_i, const void *row)
{
	return best_code()->partner(a, i, up_i, row);
}

void float_tile_transpose(const float *const row[FLOAT_GROUP], int64_t n_cols, float *element)
{
	best_code()->transpose(row, n_cols, element);
}

void smo_step(const struct smo_arrays *a, double change_i, const void *row_i, double change_j,
	      const void *row_j, struct smo_extremes *found)
{
	best_code()->step(a, change_i, row_i, change_j, row_j, found);
}

void linear_slope_at(const struct linear_arrays *a, int64_t first, int64_t last, double t,
		     struct linear_slope *slope)
{
	best_code()->slope(a, first, last, t, slope);
}

void linear_update_prox(const struct linear_arrays *a, int64_t first, int64_t last,
			int64_t *changed, double *old, struct linear_change *change)
{
	best_code()->prox(a, first, last, changed, old, change);
}

void linear_measure(const struct linear_arrays *a, const double *beta, const double *residual,
		    double b, double epsilon, struct linear_state *state)
{
	best_code()->judge(a, beta, residual, b, epsilon, state);
}

int64_t linear_list_free(const double *prox, const double *lower, const double *upper,
			 int64_t first, int64_t last, int64_t *list)
{
	return best_code()->list_free(prox, lower, upper, first, last, list);
}

void linear_multiply(const struct linear_rows *x, const int64_t *list, int64_t first, int64_t last,
		     const double *w, double b, double *out)
{
	best_code()->multiply(x, list, first, last, w, b, out);
}

void linear_accumulate(const struct linear_rows *x, const int64_t *list, int64_t first,
		       int64_t last, const double *c, double *w)
{
	best_code()->add(x, list, first, last, c, w);
}

const char *kernel_tile_instruction_set(void)
{
	return instruction_set_name(instruction_set_best());
}

/*
 * factor_loops.c - the innermost loops of Shapley values of product kernels
 *
 * Compiled once per instruction set, TILE_SUFFIX naming the copy; kernel_dispatch.c chooses.
 *
 * A group of vectors, one in each lane, plays one game:
 *
 *     1. q_l and c_l = p_l - q_l of each player, A, and the squared distance in the players' columns:
 *        the rest of it is the exponent of r
 *     2. the rule that A asks for; then, by three nodes t at a time,
 *     3. forwards over the players, the factors f = q + t c and the products of those before each
 *     4. backwards, c_j (product before j) (product behind j), which is added up
 *
 * No division: a factor may be 0.  Products of one node wait for each other; three nodes of one or
 * two registers hide that.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/factor_loops.h"

#include "kernel/exp_registers.h"

/* Registers of a group. */
#define REGISTERS (FACTOR_LANES / REGISTER_DOUBLES)

/* The part of a player's numbers in the scratch, each FACTOR_LANES wide. */
enum { OF_Q, OF_C, OF_BEFORE, OF_FACTOR = OF_BEFORE + FACTOR_NODES };

/* d = (s - x)^2 of the lanes, and k(s, x) */
INLINED void column_factor(double gamma, const double *s, double x, reg_double *d, reg_double *k)
{
	for (int r = 0; r < REGISTERS; r++) {
		d[r] = ((const reg_double *)s)[r] - ALL_DOUBLES(x);
		d[r] *= d[r];
		k[r] = ALL_DOUBLES(-gamma) * d[r];
	}
	exp_registers(k, REGISTERS);
}

void SUFFIXED(factor_loops_row)(const struct factor_tile *tile, const struct factor_game *game)
{
	for (int64_t g = 0; g < tile->n_groups; g++) {
		reg_double sum[REGISTERS], d[REGISTERS];

		memcpy(sum, tile->outside + g * FACTOR_LANES, sizeof(sum));
		for (int64_t l = 0; l < tile->n_columns; l++) {
			const int64_t at = (g * tile->n_columns + l) * FACTOR_LANES;

			column_factor(game->gamma, tile->value + at, game->x[l], d,
				      (reg_double *)(game->factor + at));
			for (int r = 0; r < REGISTERS; r++)
				sum[r] += d[r];
		}
		memcpy(game->distance + g * FACTOR_LANES, sum, sizeof(sum));
	}
}

/* Step 1: numbers of the players, and coef r as the weight; returns the largest A. */
INLINED double meet(const struct factor_tile *tile, const struct factor_game *game, int64_t g,
		    reg_double *weight)
{
	reg_double change[REGISTERS] = { 0 }, rest[REGISTERS];
	double most = 0;

	memcpy(rest, game->distance + g * FACTOR_LANES, sizeof(rest));
	for (int64_t k = 0; k < game->n; k++) {
		const int64_t l = game->player[k], at = (g * tile->n_columns + l) * FACTOR_LANES;
		const reg_double *s = (const reg_double *)(tile->value + at);
		const reg_double *p = (const reg_double *)(game->factor + at);
		const reg_double *of_z = (const reg_double *)(game->other + at);
		reg_double *q = (reg_double *)(game->work + k * FACTOR_WORK);

		for (int r = 0; r < REGISTERS; r++) {
			const reg_double c = p[r] - of_z[r], off = s[r] - ALL_DOUBLES(game->x[l]);

			q[r] = of_z[r];
			q[OF_C * REGISTERS + r] = c;
			change[r] += (reg_double)((reg_uint64)c & ~(reg_uint64)ALL_DOUBLES(-0.0));
			rest[r] -= off * off;
		}
	}
	for (int r = 0; r < REGISTERS; r++) /* rounding may leave less than 0 */
		weight[r] = ALL_DOUBLES(-game->gamma) *
			    SELECT(reg_double, rest[r] < 0, ALL_DOUBLES(0), rest[r]);
	exp_registers(weight, REGISTERS);
	for (int r = 0; r < REGISTERS; r++)
		weight[r] *= ((const reg_double *)(game->coef + g * FACTOR_LANES))[r];
	for (int k = 0; k < FACTOR_LANES; k++)
		most = ((const double *)change)[k] > most ? ((const double *)change)[k] : most;
	return most;
}

/* Steps 3 and 4, for FACTOR_NODES nodes. */
INLINED void integrate(const struct factor_game *game, const double *node, const double *weight,
		       const reg_double *of_group)
{
	reg_double product[FACTOR_NODES][REGISTERS];

	for (int i = 0; i < FACTOR_NODES; i++)
		for (int r = 0; r < REGISTERS; r++)
			product[i][r] = ALL_DOUBLES(1);
	for (int64_t k = 0; k < game->n; k++) {
		reg_double *of = (reg_double *)(game->work + k * FACTOR_WORK);

		for (int i = 0; i < FACTOR_NODES; i++)
			for (int r = 0; r < REGISTERS; r++) {
				const reg_double f =
					of[r] + ALL_DOUBLES(node[i]) * of[OF_C * REGISTERS + r];

				of[(OF_FACTOR + i) * REGISTERS + r] = f;
				of[(OF_BEFORE + i) * REGISTERS + r] = product[i][r];
				product[i][r] *= f;
			}
	}
	for (int i = 0; i < FACTOR_NODES; i++)
		for (int r = 0; r < REGISTERS; r++)
			product[i][r] = ALL_DOUBLES(weight[i]) * of_group[r];
	for (int64_t k = game->n - 1; k >= 0; k--) {
		const reg_double *of = (const reg_double *)(game->work + k * FACTOR_WORK);
		reg_double *sum =
			(reg_double *)(game->sum + (int64_t)game->player[k] * FACTOR_LANES);

		for (int r = 0; r < REGISTERS; r++) {
			reg_double all = ALL_DOUBLES(0);

			for (int i = 0; i < FACTOR_NODES; i++) {
				all += of[(OF_BEFORE + i) * REGISTERS + r] * product[i][r];
				product[i][r] *= of[(OF_FACTOR + i) * REGISTERS + r];
			}
			sum[r] += of[OF_C * REGISTERS + r] * all;
		}
	}
}

bool SUFFIXED(factor_loops_play)(const struct factor_tile *tile, const struct factor_game *game)
{
	for (int64_t g = 0; g < tile->n_groups; g++) {
		reg_double weight[REGISTERS];
		const double most = meet(tile, game, g, weight);
		const struct factor_rule *rule = game->rule;

		/* step 2 */
		while (rule < game->rule + FACTOR_RULES &&
		       !(most <= game->limit[rule - game->rule]))
			rule++;
		if (rule == game->rule + FACTOR_RULES)
			return false;
		for (int i = 0; i < rule->n; i += FACTOR_NODES)
			integrate(game, rule->node + i, rule->weight + i, weight);
	}
	return true;
}

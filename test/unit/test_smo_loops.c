/*
 * test_smo_loops.c - the loops of sequential minimal optimisation against plain ones
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "random.h"
#include "smo/smo_loops.h"
#include "unit.h"

#define LENGTH(a) ((int)(sizeof(a) / sizeof(*(a))))
#define MAX_N 208
#define ALIGNED __attribute__((aligned(64)))

typedef __typeof__(smo_step) step_code;
typedef __typeof__(smo_choose_partner) choose_code;

step_code smo_step_base, smo_step_v3, smo_step_v4;
choose_code smo_choose_partner_base, smo_choose_partner_v3, smo_choose_partner_v4;

struct variant {
	const char *name;
	bool supported;
	step_code *step;
	choose_code *choose;
};

/* What this machine can run; '*n' of them. */
static const struct variant *variants(int *n)
{
	static struct variant list[3];
	struct variant all[] = {
		{ "baseline", true, smo_step_base, smo_choose_partner_base },
#ifdef HAVE_ISA_VARIANTS
		{ "x86-64-v3",
		  __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
			  __builtin_cpu_supports("bmi2"),
		  smo_step_v3, smo_choose_partner_v3 },
		{ "x86-64-v4",
		  __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
			  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"),
		  smo_step_v4, smo_choose_partner_v4 },
#endif
	};

	*n = 0;
	for (int i = 0; i < LENGTH(all); i++)
		if (all[i].supported)
			list[(*n)++] = all[i];
	return list;
}

/* Arrays of a set, and two rows in both widths. */
struct set {
	struct smo_arrays a;
	double slope[MAX_N] ALIGNED, up[MAX_N] ALIGNED, down[MAX_N] ALIGNED;
	double double_diagonal[MAX_N] ALIGNED, wide_row[2][MAX_N] ALIGNED;
	float diagonal[MAX_N] ALIGNED, row[2][MAX_N] ALIGNED;
};

/*
 * The arrays are those of the set itself, also in a copy.  Kind 0 has rows of floats, 1 of doubles,
 * 2 of floats whose partners are compared in doubles.
 */
static void point(struct set *s, int64_t n, int kind)
{
	s->a = (struct smo_arrays){ .n = n,
				    .slope = s->slope,
				    .up_offset = s->up,
				    .down_offset = s->down,
				    .in_doubles = kind == 1,
				    .exact = kind == 2,
				    .diagonal = s->diagonal,
				    .double_diagonal = s->double_diagonal };
}

/* Small whole numbers: many extremes and promises are equal, and nothing is rounded. */
static void set_init(struct set *s, int64_t n, int kind)
{
	point(s, n, kind);
	for (int64_t k = 0; k < n; k++) {
		int64_t way = random_below(4);

		s->slope[k] = (double)random_below(9) - 4;
		s->up[k] = way == 0 ? -INFINITY : -(double)random_below(2);
		s->down[k] = way == 1 ? INFINITY : (double)random_below(2);
		s->diagonal[k] = (float)(8 + random_below(3));
		s->double_diagonal[k] = s->diagonal[k];
		for (int r = 0; r < 2; r++) {
			s->row[r][k] = (float)random_below(4);
			s->wide_row[r][k] = s->row[r][k];
		}
	}
}

static const void *row_of(const struct set *s, int r)
{
	return s->a.in_doubles ? (const void *)s->wide_row[r] : s->row[r];
}

static struct smo_extremes plain_step(struct set *s, double change_i, double change_j)
{
	struct smo_extremes x = { .up = -INFINITY, .down = INFINITY };

	for (int64_t k = 0; k < s->a.n; k++) {
		double up, down;

		s->slope[k] -= change_i * s->wide_row[0][k];
		s->slope[k] -= change_j * s->wide_row[1][k];
		up = s->slope[k] + s->up[k];
		down = s->slope[k] + s->down[k];
		if (up >= x.up) {
			x.up = up;
			x.up_index = k;
		}
		x.down = fmin(x.down, down);
	}
	return x;
}

static int64_t plain_partner(const struct set *s, int64_t i, double up)
{
	double most = 0;
	int64_t best = -1;

	for (int64_t k = 0; k < s->a.n; k++) {
		double gap = up - (s->slope[k] + s->down[k]);
		double curvature =
			s->double_diagonal[i] + s->double_diagonal[k] - 2 * s->wide_row[0][k];
		double promise = gap * gap / curvature;

		if (!s->a.in_doubles && !s->a.exact)
			promise = (float)(gap * gap) / (float)curvature;
		if (gap > 0 && promise >= most) {
			most = promise;
			best = k;
		}
	}
	return best;
}

/* All copies find what plain loops find: of equal values the one with the highest index. */
static void test_copies(void)
{
	static struct set plain, before, s;
	int n_variants;
	const struct variant *code = variants(&n_variants);

	for (int trial = 0; trial < 2000; trial++) {
		int64_t n = SMO_LANES * (1 + random_below(MAX_N / SMO_LANES));
		double change[2] = { (double)random_below(3) - 1, (double)random_below(3) - 1 };

		set_init(&plain, n, trial % 3);
		for (int c = 0; c < n_variants; c++) {
			struct smo_extremes found, want;
			int64_t partner, wanted;

			s = before = plain;
			point(&s, n, trial % 3);
			code[c].step(&s.a, change[0], row_of(&s, 0), change[1], row_of(&s, 1),
				     &found);
			want = plain_step(&before, change[0], change[1]);
			CHECK(memcmp(s.slope, before.slope, (size_t)n * sizeof(double)) == 0,
			      "%s: other slopes", code[c].name);
			CHECK(found.up == want.up && found.down == want.down &&
				      (isinf(want.up) || found.up_index == want.up_index),
			      "%s: up %g at %" PRId64 ", not %g at %" PRId64 "; down %g, not %g",
			      code[c].name, found.up, found.up_index, want.up, want.up_index,
			      found.down, want.down);
			partner = code[c].choose(&s.a, want.up_index, want.up, row_of(&s, 0));
			wanted = plain_partner(&before, want.up_index, want.up);
			CHECK(partner == wanted, "%s: partner %" PRId64 ", not %" PRId64,
			      code[c].name, partner, wanted);
		}
	}
}

int main(void)
{
	test_copies();
	return unit_report("smo_loops");
}

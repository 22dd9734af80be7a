/*
 * test_tails.c - how often random projections and leverage scores are off by more than lemmas say
 *
 * Seeds are fixed; chance.h says what a count may be.  Lemmas bound the share of failures by the
 * exponential of -k epsilon^2 times a constant, and are tested where that is far below 1, with so
 * many trials that normal entries in half as many columns do not pass.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"
#include "full.h"
#include "geometry/reduction.h"
#include "geometry/row_space.h"
#include "projected.h"
#include "select/leverage.h"
#include "unit.h"

/* ---- Norms, distances, inner products: arXiv 0909.3609, Lemmas 1 and 2, Corollary 1 ---- */

enum {
	SEEDS = 600,
	PAIRS = 32, /* of vectors; each pair has features of its own, so the trials are independent */
	WIDTH = 8, /* features of a pair */
	COLUMNS = 1500
};

#define EPSILON 0.15

/* exp(-(epsilon^2 - epsilon^3) k / 4) bounds the share that is too long, and the share too short. */
#define ONE_SIDE exp(-(EPSILON * EPSILON - EPSILON * EPSILON * EPSILON) * COLUMNS / 4)

/* Failures among SEEDS * PAIRS trials. */
struct failures {
	int64_t long_norm, short_norm, far, near; /* of |u|^2, and of |u - v|^2 */
	int64_t product;			  /* beyond epsilon / 2 (|u|^2 + |v|^2) */
	double mean, variance;			  /* of |u'|^2 / |u|^2 */
};

struct pair {
	double u2, v2, distance2, product;
};

/* Rows 2 p and 2 p + 1 are the pair p: lengths between 1/2 and 2, from nearly equal to opposite. */
static void make_pairs(struct csr *x, struct pair *pair)
{
	double *a = full_zeros(2 * PAIRS, PAIRS * WIDTH);

	for (int64_t p = 0; p < PAIRS; p++) {
		double *u = a + 2 * p * PAIRS * WIDTH + p * WIDTH, *v = u + PAIRS * WIDTH;
		double alike = cos(3 * (double)p / PAIRS), size = exp2(random_between(-1, 1));

		pair[p] = (struct pair){ 0 };
		for (int64_t j = 0; j < WIDTH; j++) {
			u[j] = size * (random_below(2) ? 1 : -1) * random_between(0.8, 1.2);
			v[j] = alike * u[j] + (1 - fabs(alike)) * random_normal();
			pair[p].u2 += u[j] * u[j];
			pair[p].v2 += v[j] * v[j];
			pair[p].distance2 += (u[j] - v[j]) * (u[j] - v[j]);
			pair[p].product += u[j] * v[j];
		}
	}
	full_rows(x, a, 2 * PAIRS, PAIRS * WIDTH, 1, 1);
	free(a);
}

static void count_pair(struct failures *n, const struct pair *pair, const double *u,
		       const double *v)
{
	struct pair is = { 0 };
	double ratio;

	for (int64_t t = 0; t < COLUMNS; t++) {
		is.u2 += u[t] * u[t];
		is.distance2 += (u[t] - v[t]) * (u[t] - v[t]);
		is.product += u[t] * v[t];
	}
	ratio = is.u2 / pair->u2;
	n->long_norm += ratio > 1 + EPSILON;
	n->short_norm += ratio < 1 - EPSILON;
	n->far += is.distance2 > (1 + EPSILON) * pair->distance2;
	n->near += is.distance2 < (1 - EPSILON) * pair->distance2;
	n->product += fabs(is.product - pair->product) > EPSILON / 2 * (pair->u2 + pair->v2);
	n->mean += ratio / (SEEDS * PAIRS);
	n->variance += (ratio - 1) * (ratio - 1) / (SEEDS * PAIRS);
}

static void count_failures(struct failures *n, enum projection_method method, const struct csr *x,
			   const struct pair *pair)
{
	double *full = full_zeros(2, COLUMNS + 1);
	struct row_batch out = { 0 };

	*n = (struct failures){ 0 };
	for (int64_t seed = 0; seed < SEEDS; seed++) {
		const struct projection_options o = { .method = method,
						      .seed = 5000 + (uint64_t)seed,
						      .n_columns = COLUMNS };
		const struct csr y = project_rows(&out, x, &o);

		for (int64_t p = 0; p < PAIRS; p++) {
			csr_fill_row(&y, 2 * p, full);
			csr_fill_row(&y, 2 * p + 1, full + COLUMNS + 1);
			count_pair(n, &pair[p], full + 1, full + COLUMNS + 2);
		}
	}
	row_batch_free(&out);
	free(full);
}

/* The lemmas speak of N(0, 1) and of U(-1, 1), which is read as signs or as the interval. */
static void test_distances(void)
{
	const enum projection_method methods[] = { PROJECT_RS, PROJECT_GAUSSIAN, PROJECT_UNIFORM };
	const int64_t n = SEEDS * PAIRS, one = chance_most(n, ONE_SIDE),
		      two = chance_most(n, 2 * ONE_SIDE), four = chance_most(n, 4 * ONE_SIDE);
	struct pair pair[PAIRS];
	struct csr x = { 0 };

	make_pairs(&x, pair);
	CHECK(4 * ONE_SIDE < 0.01, "the lemma says nothing: %g", ONE_SIDE);
	for (int m = 0; m < 3; m++) {
		const char *name = projection_names[methods[m]];
		struct failures is;

		count_failures(&is, methods[m], &x, pair);
		CHECK(is.long_norm <= one && is.short_norm <= one &&
			      is.long_norm + is.short_norm <= two,
		      "%s: %" PRId64 " norms too large, %" PRId64 " too small, of %" PRId64, name,
		      is.long_norm, is.short_norm, one);
		CHECK(is.far <= one && is.near <= one && is.far + is.near <= two,
		      "%s: %" PRId64 " distances too large, %" PRId64 " too small, of %" PRId64,
		      name, is.far, is.near, one);
		CHECK(is.product <= four, "%s: %" PRId64 " products of %" PRId64, name, is.product,
		      four);
		/* E|u'|^2 = |u|^2: the mean of n trials of this variance, within 5 deviations */
		CHECK(fabs(is.mean - 1) <= 5 * sqrt(is.variance / (double)n), "%s: mean %.6f", name,
		      is.mean);
	}
	csr_free(&x);
}

/* ---- E of a random projection: with normal entries the formula has a proof ---- */

/*
 * s^2 = rho / r: the singular values of V'R lie within 1 +- (s + t) but for a chance of
 * exp(-r t^2 / 2) on each side (Davidson and Szarek 2001, theorem II.13).  For other maps the
 * lemmas (Paul, Boutsidis, Magdon-Ismail, Drineas 2013, 3.1 to 3.3) leave their constants open;
 * there the median of E is to be near 2 s + s^2.
 */
static void test_spectrum(void)
{
	enum { N = 20, D = 200, R = 160, TRIALS = 400 };
	const double s = sqrt((double)N / R), t = 0.1, most = exp(-R * t * t / 2);
	const struct row_space_options plain = { .n_threads = 1 };
	const enum projection_method methods[] = { PROJECT_GAUSSIAN, PROJECT_RS, PROJECT_CW,
						   PROJECT_FHT };
	struct row_space space;
	struct row_batch out = { 0 };
	struct csr x = { 0 };
	struct error err = { 0 };

	random_rows(&x, N, D + 1, 0.5);
	CHECK(row_space_init(&space, &x, &plain, &err) == 0 && space.rank == N, "%s", err.text);
	for (int m = 0; m < 4; m++) {
		int64_t above = 0, below = 0, within = 0;

		for (uint64_t seed = 1; seed <= TRIALS; seed++) {
			const struct projection_options o = { .method = methods[m],
							      .seed = seed,
							      .n_columns = R,
							      .n_features = D,
							      .with_replacement =
								      methods[m] == PROJECT_FHT };
			const struct csr y = project_rows(&out, &x, &o);
			struct reduction_certificate c;

			CHECK(reduction_certify_rows(&c, &space, &y, &err) == 0, "%s", err.text);
			above += sqrt(c.lambda_max) > 1 + s + t;
			below += sqrt(c.lambda_min) < 1 - s - t;
			within += c.error <= 2 * s + s * s;
		}
		CHECK(m > 0 || (above <= chance_most(TRIALS, most) &&
				below <= chance_most(TRIALS, most)),
		      "singular values above %" PRId64 " times, below %" PRId64, above, below);
		CHECK(within > TRIALS / 2, "%s: %" PRId64 " of %d errors within the formula",
		      projection_names[methods[m]], within, TRIALS);
	}
	row_batch_free(&out);
	row_space_free(&space);
	csr_free(&x);
}

/* ---- E of leverage scores: Paul, Magdon-Ismail, Drineas 2015, Lemma 3 ---- */

/*
 * A draw adds X = v v' / (r p) - I / r with |X| <= (rho - 1) / r and sum E X^2 = (rho - 1) / r I.  So
 * by Bernstein's inequality for matrices (Tropp 2012, theorem 1.4) r i.i.d. draws have E >= epsilon
 * with a chance of at most
 *
 *     2 rho exp(-r epsilon^2 / (2 (rho - 1) (1 + epsilon / 3)))
 *
 * which is the lemma with its constants.
 */
static void test_leverage(void)
{
	enum { N = 4, D = 300, TRIALS = 4000 };
	const double epsilon = 0.5, delta = 0.01;
	const int64_t r = (int64_t)ceil(2 * (N - 1) * (1 + epsilon / 3) / (epsilon * epsilon) *
					log(2 * N / delta));
	const struct row_space_options plain = { .n_threads = 1 };
	struct row_space space;
	struct leverage scores;
	struct csr x = { 0 };
	struct error err = { 0 };
	int64_t failed[2] = { 0 };

	random_rows(&x, N, D + 1, 0.5);
	CHECK(row_space_init(&space, &x, &plain, &err) == 0 && space.rank == N &&
		      leverage_exact(&scores, &space, 1, &err) == 0,
	      "%s", err.text);
	CHECK(r < D, "%" PRId64 " of %d features: the lemma says nothing", r, D);
	for (uint64_t seed = 1; seed <= TRIALS; seed++)
		for (int part = 0; part < 2; part++) {
			struct reduction_certificate c;
			struct selection s;

			CHECK(leverage_select(&s, &scores, r >> 2 * part, LEVERAGE_IID, seed,
					      &err) == 0 &&
				      reduction_certify_features(&c, &space, s.feature, s.weight,
								 s.n, &err) == 0,
			      "%s", err.text);
			failed[part] += c.error > epsilon;
			selection_free(&s);
		}
	CHECK(failed[0] <= chance_most(TRIALS, delta), "%" PRId64 " of %d beyond %g", failed[0],
	      TRIALS, epsilon);
	/* so few draws are not enough, by the same count */
	CHECK(failed[1] > chance_most(TRIALS, delta), "%" PRId64 " with a quarter", failed[1]);
	leverage_free(&scores);
	row_space_free(&space);
	csr_free(&x);
}

int main(void)
{
	test_distances();
	test_spectrum();
	test_leverage();
	return unit_report("tails");
}

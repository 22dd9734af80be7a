/*
 * rng.c - counter-based random numbers: the same for any thread, shard and machine; glibc's rand()
 *
 * How this works.  Philox is a keyed bijection of 128 bits, a small block cipher, applied to a
 * counter.  A round on the words x0 .. x3 with the key k0, k1 is
 *
 *     x0, x1 <- high(M1 x2) ^ x1 ^ k0, low(M1 x2)
 *     x2, x3 <- high(M0 x0) ^ x3 ^ k1, low(M0 x0)                              (1)
 *     k0, k1 <- k0 + W0, k1 + W1                                               (2)
 *
 * with products of 64 bits, all from the x before the round.  Ten rounds are the authors'
 * recommendation; seven are the fewest that pass their tests (BigCrush).  The counter says what
 * the number is for: (i low, i high, b, stream).  A generator with a state would make the numbers
 * depend on the order in which rows, columns and threads ask for them.
 *
 * A subset: each id draws a key of 64 bits, and the m smallest keys win (3).  As the keys are
 * independent each subset of m has the same chance; equal keys (n^2 / 2^65) are told apart by the
 * id.  A permutation by exchanges would need the ids in a fixed order, and a run over half of the
 * data could not make the same choice.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/rng.h"

#include "base/elementary.h"
#include "base/mem.h"
#include "base/order.h"

struct rng_block rng_draw(uint64_t seed, enum rng_stream stream, uint64_t i, uint32_t b)
{
	uint32_t x0 = (uint32_t)i, x1 = (uint32_t)(i >> 32), x2 = b, x3 = (uint32_t)stream;
	uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);

	for (int round = 0; round < 10; round++) {
		/* (1): M0 and M1, which the authors chose for the speed at which bits mix */
		uint64_t p0 = (uint64_t)0xD2511F53 * x0, p1 = (uint64_t)0xCD9E8D57 * x2;

		x0 = (uint32_t)(p1 >> 32) ^ x1 ^ k0;
		x1 = (uint32_t)p1;
		x2 = (uint32_t)(p0 >> 32) ^ x3 ^ k1;
		x3 = (uint32_t)p0;
		k0 += 0x9E3779B9; /* (2): golden ratio */
		k1 += 0xBB67AE85; /* sqrt(3) - 1 */
	}
	return (struct rng_block){ { x0, x1, x2, x3 } };
}

void rng_normals(struct rng_block block, double z[2])
{
	double size = sqrt(-2 * elementary_log(rng_unit(rng_first64(block))));

	elementary_circle(rng_unit(rng_second64(block)), &z[0], &z[1]);
	z[0] *= size;
	z[1] *= size;
}

int rng_subset(const struct rng_place *place, int64_t *id, int64_t n, int64_t m, struct error *err)
{
	struct order_key *keyed = mem_array(n, sizeof(*keyed), err);

	if (!keyed)
		return -1;
	for (int64_t i = 0; i < n; i++) {
		struct rng_block block =
			rng_draw(place->seed, place->stream, (uint64_t)id[i], place->b);

		keyed[i] = (struct order_key){ rng_first64(block), id[i] };
	}
	/* (3): the m smallest keys, in any order, come first */
	order_select(keyed, n, sizeof(*keyed), m, order_precedes);
	for (int64_t i = 0; i < n; i++)
		id[i] = keyed[i].id;
	qsort(id, (size_t)m, sizeof(*id), order_int64s);
	mem_free(keyed);
	return 0;
}

/* ---- glibc's rand() ---- */

/*
 * How this works.  An additive feedback generator, x^31 + x^3 + 1 of degree 31:
 *
 *     r_i = r_{i-3} + r_{i-31}  mod 2^32,    the number drawn is r_i / 2, rounded down
 *
 * The first words are those of the generator r_i = 16807 r_{i-1} mod (2^31 - 1) of Park and Miller,
 * begun with the seed, and the first 310 numbers are dropped.
 *
 * Source: Knuth, The Art of Computer Programming, volume 2, section 3.2.2; random(3), the type of
 * state of 128 bytes.
 */

enum { DISTANCE = 3, DROPPED = 310 };

void glibc_rand_seed(struct glibc_rand *r, unsigned seed)
{
	/* a seed from 2^31 on is a negative number, and so is what its remainder begins with */
	int64_t word = (int32_t)(seed ? seed : 1);

	r->word[0] = (uint32_t)word;
	for (int i = 1; i < GLIBC_RAND_WORDS; i++) {
		word = 16807 * word % INT32_MAX;
		if (word < 0)
			word += INT32_MAX;
		r->word[i] = (uint32_t)word;
	}
	r->next = DISTANCE;
	for (int i = 0; i < DROPPED; i++)
		glibc_rand_next(r);
}

int32_t glibc_rand_next(struct glibc_rand *r)
{
	uint32_t sum;

	if (!r)
		return rand();
	/* r_{i-31} is the oldest word, in whose place r_i comes */
	sum = r->word[r->next] +
	      r->word[(r->next + GLIBC_RAND_WORDS - DISTANCE) % GLIBC_RAND_WORDS];
	r->word[r->next] = sum;
	r->next = (r->next + 1) % GLIBC_RAND_WORDS;
	return (int32_t)(sum >> 1);
}

/*
 * decimal_power.c - powers of ten to 128 bits, by long integers
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/decimal_work.h"

/* clang-format off */
const uint64_t decimal_ten[18] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, E8, E8 * 10, E8 * 100, E8 * 1000,
	E8 * 10000, E8 * 100000, E8 * 1000000, E8 * 10000000, E16, E16 * 10
};
/* clang-format on */

struct wide decimal_power_ten[POWER_MAX - POWER_MIN + 1];
pthread_once_t decimal_power_ten_once = PTHREAD_ONCE_INIT;
atomic_bool decimal_power_ten_made;

/*
 * A long integer: limbs, the lowest first, of which n are in use; the others are 0.  10^340 has 1130
 * bits and starts four limbs up, so that leading_bits() always finds five limbs: 40 hold that.
 * 2^1279, the highest bit there is room for, divided by 10^308 still has 256 bits.
 */
#define LIMBS 40
struct long_integer {
	uint32_t limb[LIMBS];
	int n;
};

static void multiply_by_ten(struct long_integer *x)
{
	uint64_t carry = 0;

	for (int i = 0; i < x->n; i++) {
		carry += (uint64_t)x->limb[i] * 10;
		x->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry)
		x->limb[x->n++] = (uint32_t)carry;
}

/* x becomes floor(x / 10), and after k times floor(x / 10^k): floors of floors are floors. */
static void divide_by_ten(struct long_integer *x)
{
	uint64_t rest = 0;

	for (int i = x->n - 1; i >= 0; i--) {
		rest = rest << 32 | x->limb[i];
		x->limb[i] = (uint32_t)(rest / 10);
		rest %= 10;
	}
	x->n -= !x->limb[x->n - 1];
}

/* The upper 128 bits, the highest of them a 1, plus one: g_k, of an integer 10^k 2^i. */
static struct wide leading_bits(const struct long_integer *integer)
{
	const uint32_t *top = integer->limb + integer->n - 1;
	int shift = __builtin_clz(*top);
	struct wide x;

	x.high = (uint64_t)top[0] << 32 | top[-1];
	x.low = (uint64_t)top[-2] << 32 | top[-3];
	x.high = x.high << shift | x.low >> 1 >> (63 - shift);
	x.low = (x.low << shift | (uint64_t)top[-4] << shift >> 32) + 1;
	x.high += x.low == 0;
	return x;
}

void decimal_make_powers(void)
{
	struct long_integer up = { { [4] = 1 }, 5 };
	struct long_integer down = { { [LIMBS - 1] = UINT32_C(1) << 31 }, LIMBS };

	for (int k = 0; k <= POWER_MAX; k++) {
		decimal_power_ten[k - POWER_MIN] = leading_bits(&up);
		multiply_by_ten(&up);
	}
	for (int k = -1; k >= POWER_MIN; k--) {
		divide_by_ten(&down);
		decimal_power_ten[k - POWER_MIN] = leading_bits(&down);
	}
	atomic_store_explicit(&decimal_power_ten_made, true, memory_order_release);
}

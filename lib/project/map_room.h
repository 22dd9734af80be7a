/*
 * map_room.h - the memory that a map of rows works in
 *
 * It is kept from call to call and grows to the largest row or block, so that batches of a stream
 * are mapped without an allocation, but for those of the output.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "io/rows.h"
#include "kernel/expansion.h"

/* An array that grows; aligned to 64 bytes. */
struct room_array {
	void *memory;
	int64_t n_bytes;
};

/*
 * One for each thread and map.  Starts zeroed, but two sizes may be set before the first use, for
 * gaussian, uniform, achlioptas and li, and for rff with independent frequencies.  Results do not
 * depend on them.
 */
struct map_room {
	int64_t cache_bytes; /* memory for rows of R that are kept; 0: 32 megabytes */
	/* memory for these rows and a block of entries and sums, unless one row has more; 0: any */
	int64_t most_bytes;
	/* projections */
	struct room_array entries, runs, touched, cached, cache_lines, counters;
	int64_t n_blocks, n_counted;

	/* kernel maps */
	struct room_array turns, pairs, words, rounded;
	struct row_batch projected;	  /* turns of rows, for independent frequencies */
	struct expansion_scratch scratch; /* kernel values with landmarks */
	bool has_scratch;

	/* both */
	struct room_array sums, work;
};

void map_room_free(struct map_room *room);

/*
 * map_room_share() - most_bytes of one of n rooms: together they take half of what the bound on
 * memory leaves (base/mem_bound.h), the rest being for the rows; unchanged without a bound
 */
void map_room_share(struct map_room *room, int n);

/* room_take() - what the macros below call */
void *room_take(struct room_array *array, int64_t n, size_t size, bool zeroed, struct error *err);

/*
 * room_reserve() - the array with at least n elements; their contents are undefined
 *
 * NULL with ERR_MEMORY; the array is then as it was.
 */
#define room_reserve(array, n, size, err) room_take(array, n, size, false, err)

/* room_reserve_zeroed() - room_reserve() of an array whose bytes are 0 whenever it is new */
#define room_reserve_zeroed(array, n, size, err) room_take(array, n, size, true, err)

/*
 * srht_body.h - a part by the transform, for one type of numbers
 *
 * For srht.c, which includes it once for each type, having defined
 *
 *     REAL                     the type
 *     NAME(function)           the name for this type
 *     COPY(from, n, to)        n doubles as numbers of this type
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifdef REAL

/* The part's entries at their places in an array of zeros. */
static void NAME(scatter)(const struct projection *p, struct part_entries e, REAL *part)
{
	uint32_t mask = (uint32_t)part_size(p) - 1;
	const int32_t *index = e.in->index;
	const double *value = e.in->value;

	if (index[e.end - 1] - index[e.first] == e.end - 1 - e.first) { /* without gaps */
		COPY(value + e.first, e.end - e.first,
		     part + (internal_feature(index[e.first]) & mask));
		return;
	}
	for (int64_t k = e.first; k < e.end; k++)
		part[internal_feature(index[k]) & mask] = (REAL)value[k];
}

/* (4): add the outputs i_t modulo the part's size, with the signs that its high bits give them. */
static void NAME(gather)(const struct projection *p, uint32_t part, const REAL *transformed,
			 REAL *sum)
{
	const uint32_t high = part << p->log2_part, mask = (uint32_t)part_size(p) - 1;
	uint64_t word[1][COLUMNS / 64];
	REAL column[COLUMNS];

	for (int64_t t = 0; t < p->options.n_columns; t += COLUMNS) {
		int64_t n = int64_min(p->options.n_columns - t, COLUMNS);

		for (int64_t e = 0; e < n; e++)
			column[e] = transformed[p->sample[t + e] & mask];
		plane_signs(p->plane + t / 64, p->stride / 64, &high, 1, word);
		NAME(sign_flip)(word[0], int64_round_up(n, 64), column);
		for (int64_t e = 0; e < n; e++)
			sum[t + e] += column[e];
	}
}

/* (3): 'part' has room for 'size' numbers; 'word' has the signs D_j of its features. */
static void NAME(transform)(const struct projection *p, struct part_entries e, const uint64_t *word,
			    int64_t size, REAL *part, REAL *sum)
{
	memset(part, 0, (size_t)size * sizeof(*part));
	NAME(scatter)(p, e, part);
	NAME(sign_flip)(word, size, part);
	NAME(hadamard_trimmed)(part, p->log2_part, p->wanted);
	NAME(gather)(p, internal_feature(e.in->index[e.first]) >> p->log2_part, part, sum);
}

#undef REAL
#undef NAME
#undef COPY
#endif

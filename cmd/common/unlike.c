/*
 * unlike.c - how unlike two words are: what a misspelt option or choice was meant to be
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "unlike.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

static int least_of(int a, int b)
{
	return a < b ? a : b;
}

/*
 * Letters to insert, delete, replace or exchange with the next one between two names of at most
 * UNLIKE_SIZE letters: the distance of Damerau and Levenshtein (optimal string alignment).
 */
static int edit_distance(const char *a, int n_a, const char *b, int n_b)
{
	/* distances between a's first i letters and b's first j letters */
	int d[UNLIKE_SIZE + 1][UNLIKE_SIZE + 1];

	for (int i = 0; i <= n_a; i++)
		d[i][0] = i;
	for (int j = 0; j <= n_b; j++)
		d[0][j] = j;
	for (int i = 1; i <= n_a; i++)
		for (int j = 1; j <= n_b; j++) {
			int replaced = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			d[i][j] = least_of(replaced, least_of(d[i - 1][j], d[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = least_of(d[i][j], d[i - 2][j - 2] + 1);
		}
	return d[n_a][n_b];
}

int unlike_name(const char *word, int length, const char *name)
{
	int n = (int)strlen(name);

	if (length >= 2 && length < n && strncasecmp(word, name, (size_t)length) == 0)
		return 0;
	return n <= UNLIKE_SIZE ? edit_distance(word, length, name, n) : INT_MAX;
}

int unlike_limit(int length)
{
	return (length + 1) / 3 + 1;
}

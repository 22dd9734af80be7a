/*
 * fuzz_model.c - model files: parse, write, parse, compare
 *
 * What parses keeps its invariants, and what is written parses again, to the same but for the
 * features' eight digits; written once more, these too are the same.  The written text
 * goes through a pipe, so that nothing touches the disk.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "csr_check.h"
#include "io/output.h"
#include "model/model.h"

enum {
	INPUT_MAX = 1 << 13,
	/* "1 " becomes 1.2345678901234567e-300 at worst: 13 times as long */
	WRITTEN_MAX = 1 << 18
};

static char first[WRITTEN_MAX], second[WRITTEN_MAX];

static void demand(int holds, const char *what, const struct error *err)
{
	if (!holds) {
		fprintf(stderr, "%s: %s\n", what, err->text);
		abort();
	}
}

/* Model and bytes: a file that lives in memory. */
static int parse(struct model *m, const void *bytes, size_t size, struct error *err)
{
	char path[32];
	int fd = memfd_create("model", MFD_CLOEXEC), ret;

	demand(fd >= 0 && write(fd, bytes, size) == (ssize_t)size, "memfd", err);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	ret = model_read(m, path, err);
	close(fd);
	return ret;
}

static size_t write_model(const struct model *m, char *text)
{
	struct error err = { 0 };
	struct output *output;
	char path[32];
	ssize_t n, size = 0;
	int ends[2];

	demand(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, WRITTEN_MAX) >= 0, "pipe", &err);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
	demand(output_open(&output, path, false, &err) == 0, "output_open", &err);
	demand(model_write(m, output, &err) == 0, "model_write", &err);
	demand(output_commit(output, &err) == 0, "output_commit", &err);
	close(ends[1]);
	while ((n = read(ends[0], text + size, (size_t)(WRITTEN_MAX - size))) > 0)
		size += n;
	close(ends[0]);
	return (size_t)size;
}

static int same_doubles(const double *a, const double *b, int64_t n)
{
	return !a == !b && (!a || n == 0 || memcmp(a, b, (size_t)n * sizeof(*a)) == 0);
}

static int same_numbers(const struct model *a, const struct model *b)
{
	const struct solution *s = &a->solution, *t = &b->solution;
	const struct linear_model *l = &a->linear;
	int64_t n_pairs = solution_n_pairs(s->n_class), n = csr_n_entries(&a->sv);

	return s->n_class == t->n_class && s->n_sv == t->n_sv &&
	       same_doubles(s->coef, t->coef, (s->n_class - 1) * s->n_sv) &&
	       same_doubles(s->rho, t->rho, n_pairs) &&
	       same_doubles(s->prob_a, t->prob_a, n_pairs) &&
	       same_doubles(s->prob_b, t->prob_b, n_pairs) &&
	       same_doubles(s->density_marks, t->density_marks, s->n_density_marks) &&
	       n == csr_n_entries(&b->sv) &&
	       (n == 0 || memcmp(a->sv.col, b->sv.col, (size_t)n * sizeof(int32_t)) == 0) &&
	       same_doubles(l->w, b->linear.w, (l->n_features + (l->bias >= 0)) * l->n_columns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct model m, again;
	struct error err = { 0 };
	size_t n;

	if (size > INPUT_MAX || parse(&m, data, size, &err) < 0)
		return 0;
	demand(csr_check(&m.sv, &err) == 0, "csr_check", &err);
	n = write_model(&m, first);
	demand(parse(&again, first, n, &err) == 0, "parse what was written", &err);
	demand(same_numbers(&m, &again), "other numbers were written", &err);
	demand(write_model(&again, second) == n && memcmp(first, second, n) == 0,
	       "written differently again", &err);
	model_free(&again);
	model_free(&m);
	return 0;
}

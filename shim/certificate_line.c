/*
 * certificate_line.c - a line of JSON for each training, in a file that the environment names
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "certificate_line.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/utf8.h"
#include "print_string.h"
#include "train/rounds.h"
#include "version.h"

static const char variable[] = "RANDSVM_CERTIFICATES";

/* ---- JSON ---- */

/* A string; bytes that are not UTF-8 become U+FFFD. */
static void put_string(FILE *to, const char *text)
{
	putc('"', to);
	for (size_t left = strlen(text), n; left > 0; text += n ? n : 1, left -= n ? n : 1) {
		n = utf8_length(text, left);
		if (*text == '"' || *text == '\\' || (unsigned char)*text < ' ')
			fprintf(to, "\\u%04x", (unsigned)*text);
		else
			fprintf(to, "%.*s", n ? (int)n : 3, n ? text : "\xef\xbf\xbd");
	}
	putc('"', to);
}

/* A number in any locale, behind what comes before it: null if it is not finite. */
static void put_value(FILE *to, const char *before, double value)
{
	char text[DECIMAL_SHORTEST_SIZE] = "null";

	if (isfinite(value))
		decimal_shortest(value, text);
	fprintf(to, "%s%s", before, text);
}

/* What follows another key of its object. */
static void put_number(FILE *to, const char *key, double value)
{
	fprintf(to, ", \"%s\"", key);
	put_value(to, ": ", value);
}

static void put_count(FILE *to, const char *key, int64_t value)
{
	fprintf(to, ", \"%s\": %" PRId64, key, value);
}

/* ---- what a line has ---- */

static void put_arguments(FILE *to)
{
	FILE *words = fopen("/proc/self/cmdline", "re");
	const char *separator = "";
	char *word = NULL;
	size_t size = 0;

	fputs(", \"argv\": [", to);
	while (words && getdelim(&word, &size, '\0', words) > 0) {
		fputs(separator, to);
		put_string(to, word);
		separator = ", ";
	}
	putc(']', to);
	free(word);
	if (words)
		fclose(words);
}

static void put_settings(FILE *to, const struct training *t)
{
	fprintf(to, ", \"settings\": {\"svm_type\": %d, \"kernel_type\": %d, \"degree\": %d",
		(int)t->type, (int)t->kernel.type, t->kernel.degree);
	put_number(to, "gamma", t->kernel.gamma);
	put_number(to, "coef0", t->kernel.coef0);
	put_number(to, "C", t->C);
	put_number(to, "nu", t->nu);
	put_number(to, "p", t->p);
	put_number(to, "eps", t->eps);
	fprintf(to, ", \"probability\": %d}", t->probability ? 1 : 0);
}

/* The proof of a pair, or of the sum of all, whose labels and constant are not written. */
static void put_proof(FILE *to, const struct pair_result *pair)
{
	const struct certificate *c = &pair->certificate;

	put_number(to, "primal", c->primal);
	put_number(to, "dual", c->dual);
	put_number(to, "gap", c->primal - c->dual);
	put_number(to, "gap_bound", certificate_proves(c) ? certificate_gap(c) : NAN);
	put_number(to, "rounding", c->rounding);
	put_number(to, "relative_gap",
		   certificate_is_below_dual(c) ? NAN : certificate_relative_gap(c));
	put_count(to, "violators", c->n_violators);
	put_count(to, "rounds", pair->rounds);
	put_count(to, "n_sv", c->n_sv);
	put_count(to, "n_bsv", c->n_bounded_sv);
	fputs(", \"stop_reason\": ", to);
	put_string(to, stop_reason_text(pair->reason));
}

static void put_pairs(FILE *to, const struct machine_result *result)
{
	struct pair_result sum = machine_result_sum(result);

	sum.certificate.n_sv = result->solution.n_sv;
	put_proof(to, &sum);
	fputs(", \"pairs\": [", to);
	for (int64_t q = 0; q < result->n_pairs; q++) {
		const struct pair_result *pair = &result->pairs[q];

		fprintf(to, "%s{\"label_a\": %d, \"label_b\": %d", q > 0 ? ", " : "", pair->label_a,
			pair->label_b);
		put_proof(to, pair);
		put_number(to, "rho", pair->rho);
		putc('}', to);
	}
	putc(']', to);
}

static void put_line(FILE *to, const struct machine *m, const struct machine_result *result,
		     double seconds)
{
	const struct dataset *d = m->trainer.data;
	const struct classes *classes = machine_classes(m);

	fputs("{\"schema_version\": 1, \"tool\": \"libsvm.so\", \"version\": ", to);
	put_string(to, RANDSVM_VERSION);
	put_arguments(to);
	put_count(to, "process", getpid());
	put_settings(to, &m->training);
	put_value(to, ", \"seconds_per_phase\": {\"train\": ", seconds);
	fprintf(to, "}, \"data\": {\"rows\": %" PRId64, d->x.n_rows);
	put_count(to, "entries", csr_n_entries(&d->x));
	put_count(to, "max_index", d->max_index);
	put_count(to, "classes", classes ? classes->n : 0);
	put_number(to, "gamma", m->training.kernel.gamma);
	putc('}', to);
	if (result->n_pairs == 1) {
		put_proof(to, result->pairs);
		put_number(to, "rho", result->pairs->rho);
	} else {
		put_pairs(to, result);
	}
	fputs("}\n", to);
}

/* ---- the file ---- */

/* Append in one write; 0, or the reason in errno. */
static int append(const char *path, const char *text, size_t size)
{
	const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	ssize_t written;
	int reason;

	if (file < 0)
		return -1;
	do
		written = write(file, text, size);
	while (written < 0 && errno == EINTR);
	reason = written < 0 ? errno : ENOSPC;
	if (close(file) == 0 && written == (ssize_t)size)
		return 0;
	errno = reason;
	return -1;
}

bool certificate_line_is_wanted(void)
{
	const char *name = secure_getenv(variable);

	return name && *name;
}

void certificate_line_append(const struct machine *m, const struct machine_result *result,
			     double seconds)
{
	const char *path = secure_getenv(variable);
	char *text = NULL;
	size_t size = 0;
	FILE *to;

	if (!path || !*path)
		return;
	to = open_memstream(&text, &size);
	if (to)
		put_line(to, m, result, seconds);
	if (!to || fclose(to) != 0 || append(path, text, size) < 0)
		print_string_warning("%s: cannot write '%s': %s", variable, path, strerror(errno));
	free(text);
}

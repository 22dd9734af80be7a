/*
 * eval_certificate.c - svm-eval --certificate: a file by which others can repeat a certificate
 *
 * doc/certificates.md describes it, and scripts/check_certificate.py checks it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>

#include "eval.h"
#include "io/checksum.h"

/* Bytes of a file that are read at a time. */
#define BLOCK 65536

/* A line with the CRC-32 of a file's bytes, unpacked. */
static void write_checksum(const char *key, const char *name, struct output *to, struct error *err)
{
	struct input *input;
	uint8_t block[BLOCK];
	uint32_t crc = 0;
	int64_t n;

	if (!cli_is_file(name))
		cli_fail("--certificate: %s is not a file that can be read again for its checksum",
			 name);
	input = cli_open_input(name);
	while ((n = input_read(input, block, BLOCK, err)) > 0)
		crc = checksum_crc32(crc, block, n);
	if (n < 0)
		cli_fail_input(name, err);
	input_close(input);
	output_printf(to, err, "%s %08" PRIx32 "\n", key, crc);
}

static void write_function(const struct pair_certificate *p, const struct model *m,
			   struct output *to, struct error *err)
{
	const struct certified_rows *r = &p->rows;

	output_printf(to, err, "function");
	if (m->solution.label)
		output_printf(to, err, " %d %d", p->label_a, p->label_b);
	output_printf(to, err, "\nproblem %s\nprimal %.17g\ndual %.17g\nrounding %.17g\n",
		      r->problem, r->primal, r->dual, r->rounding);
	for (int64_t i = 0; i < r->n; i++)
		output_printf(to, err, "row %" PRId64 " %.17g %.17g\n", r->row[i].row + 1,
			      r->row[i].beta, r->row[i].term);
}

static void write_all(const struct model_certificate *c, const struct model *m, struct output *to,
		      struct error *err)
{
	output_printf(to, err, "svm-eval-certificate 1\n");
	write_checksum("data", settings.certify, to, err);
	write_checksum("model", settings.model_name, to, err);
	if (settings.row_weights)
		write_checksum("weights", settings.row_weights, to, err);
	for (int64_t v = 0; v < c->n_pairs; v++)
		write_function(&c->pair[v], m, to, err);
}

void eval_write_certificate(const struct model_certificate *c, const struct model *m,
			    const struct cli_output *to)
{
	struct output *sum;
	struct error err = { 0 };
	uint32_t crc = 0;

	for (int64_t v = 0; v < c->n_pairs; v++)
		if (!c->pair[v].rows.row || c->change > 0 || m->kernel.type == KERNEL_PRECOMPUTED)
			cli_fail("--certificate: %s has no proof to repeat: wrong parameters or "
				 "data, vectors of 8 digits, weights, or a precomputed kernel",
				 settings.model_name);
	if (output_open_checksum(&sum, &err) == 0) {
		write_all(c, m, sum, &err);
		output_checksum(sum, &crc, &err);
		output_discard(sum);
	}
	write_all(c, m, to->output, &err);
	output_printf(to->output, &err, "checksum %08" PRIx32 "\n", crc);
	if (err.code != ERR_NONE)
		cli_fail_output(to, &err);
}

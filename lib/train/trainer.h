/*
 * trainer.h - from a data set and options to a solution, by whatever way they call for
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_TRAINER_H
#define RANDSVM_TRAINER_H

#include <stdint.h>

#include "base/error.h"
#include "matrix/dataset.h"
#include "problem/certificate.h"
#include "problem/classes.h"
#include "problem/solution.h"
#include "problem/training.h"
#include "train/libsvm_adapter.h"
#include "train/randsvm.h"

/* What became of one pair of classes, or of a regression (labels then 0). */
struct pair_result {
	int label_a, label_b;
	int64_t n; /* its examples */
	double c_plus, c_minus;
	double rho;
	struct certificate certificate;
	/* where LIBSVM solved all pairs at once these are 0 */
	int64_t n_iterations;
	int rounds;
	enum stop_reason reason;
};

/* What a caller may watch besides the rounds; each may be NULL. */
struct trainer_observer {
	void (*pair_started)(void *arg, const struct pair_result *pair);
	void (*pair_finished)(void *arg, const struct pair_result *pair);
	void *arg;
};

struct trainer {
	const struct dataset *data;
	const struct training *training;
	const struct randsvm_options *options;
	const struct solver *solver; /* for the working sets */
	const struct randsvm_observer *rounds;
	const struct trainer_observer *pairs;
	const struct libsvm_messages *messages; /* when LIBSVM does all */
};

/*
 * trainer_run() - random working sets, one run for each pair of classes
 *
 * Fills the empty '*s', and 'pairs' (solution_n_pairs(classes->n) of them; one where 'classes'
 * is NULL; or 'pairs' itself is NULL), certificates included.  Pair number q uses seed + q.  All
 * pairs share the rows in single precision; beyond that a pair takes memory for its own rows
 * alone, and for its multipliers after it has been trained.
 * One class alone has no pairs, and a solution without vectors.  No probabilities: see
 * evaluate/cross_validation.h.
 */
int trainer_run(const struct trainer *t, const struct classes *classes, struct solution *s,
		struct pair_result *pairs, struct error *err);

/*
 * trainer_certify() - fill the certificates (and labels, C, rho) of 'pairs' from a solution of
 * LIBSVM's
 *
 * Recomputes all decision values from the solution alone, whoever found it.  Fails with
 * ERR_NUMERIC where certificate_check() does, or rho is not finite.
 * O(n n_sv) kernel values a pair, n and n_sv being the pair's, on options->n_threads threads.
 */
int trainer_certify(const struct trainer *t, const struct classes *classes,
		    const struct solution *s, struct pair_result *pairs, struct error *err);

#endif

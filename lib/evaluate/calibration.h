/*
 * calibration.h - do events of probability p happen in a share p of the cases?
 *
 *     bin        0          1       ...        9
 *     p      [0, 0.1)   [0.1, 0.2)  ...   [0.9, 1]
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_CALIBRATION_H
#define RANDSVM_CALIBRATION_H

#include <stdbool.h>

enum { CALIBRATION_BINS = 10 };

struct calibration_bin {
	double n, n_events; /* numbers of cases and of events, or sums of their weights */
	double sum;	    /* sum of the predicted probabilities, times weights */
};

/* Cases by predicted probability, in bins; a zeroed struct has no cases yet. */
struct calibration_bins {
	struct calibration_bin bin[CALIBRATION_BINS];
};

/*
 * calibration_add() - one more case, which counts as 'weight' of them: the event was given
 * 'probability', and happened or not
 */
static inline void calibration_add(struct calibration_bins *c, double probability, bool happened,
				   double weight)
{
	int k = (int)(probability * CALIBRATION_BINS);
	struct calibration_bin *bin = &c->bin[k < CALIBRATION_BINS ? k : CALIBRATION_BINS - 1];

	bin->n += weight;
	bin->n_events += happened ? weight : 0;
	bin->sum += weight * probability;
}

#endif

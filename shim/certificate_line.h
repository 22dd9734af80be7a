/*
 * certificate_line.h - a line of JSON for each training, in a file that the environment names
 *
 * So programs that know nothing of certificates leave a proof of each of their models.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdbool.h>

#include "evaluate/machine_train.h"

/* certificate_line_is_wanted() - does RANDSVM_CERTIFICATES name a file? */
bool certificate_line_is_wanted(void);

/*
 * certificate_line_append() - append a line on what was trained to that file, if it is wanted
 *
 * Keys are those of randsvm-formats(5).  A line is one write(), so that those of several threads and
 * processes do not mix.  What cannot be written is a warning.
 */
void certificate_line_append(const struct machine *m, const struct machine_result *result,
			     double seconds);

/*
 * select_remarks.h - what fs-select says while it chooses, and reports afterwards
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_SELECT_REMARKS_H
#define RANDSVM_SELECT_REMARKS_H

#include <stdbool.h>

#include "common/progress.h"
#include "common/report.h"
#include "select/selector.h"

/* Names and counts for the remarks; 'progress' belongs to the functions below. */
struct select_remarks {
	const char *program, *data_name;
	const struct selector_options *options;
	bool quiet, verbose, force_progress;
	struct report_phases *phases;
	struct cli_progress progress;
};

/* select_remarks_observer() - prints remarks and progress on standard error, and ends phases */
struct selector_observer select_remarks_observer(struct select_remarks *r);

/* select_remarks_fail() - end the program with the error and an option that may help */
_Noreturn void select_remarks_fail(const struct select_remarks *r, enum selector_trouble trouble,
				   const struct error *err);

/* select_remarks_report() - add the result to 'parent' as an object "selection"; NULL: none */
void select_remarks_report(struct report *parent, const struct selector_options *o,
			   const struct selector_result *result);

#endif

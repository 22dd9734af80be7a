/*
 * reduction_text.h - what a reduction does to margin and radius, printed and reported
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_REDUCTION_TEXT_H
#define RANDSVM_REDUCTION_TEXT_H

#include <stdio.h>

#include "geometry/reduction.h"
#include "report.h"

/* reduction_print() - print eigenvalues and bounds; 'what' names the columns, as "features" */
void reduction_print(FILE *to, const struct reduction_certificate *c, const char *what);

/* reduction_report() - add the numbers as an object "certificate" to 'parent', unless it is NULL */
void reduction_report(struct report *parent, const struct reduction_certificate *c);

#endif

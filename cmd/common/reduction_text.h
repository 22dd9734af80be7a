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

/* reduction_print() - lines of eigenvalues and bounds; 'what' names the columns, as "features" */
void reduction_print(FILE *to, const struct reduction_certificate *c, const char *what);

/* reduction_report() - the numbers as an object "certificate" of 'parent'; NULL: none */
void reduction_report(struct report *parent, const struct reduction_certificate *c);

#endif

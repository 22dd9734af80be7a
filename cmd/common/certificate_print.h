/*
 * certificate_print.h - certificates of models and of reductions, in words and numbers
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "geometry/reduction.h"
#include "proof/certificate.h"
#include "report.h"

/*
 * certificate_print() - print what a certificate says, to people: the objective, and how far it may
 * be above the optimum
 *
 *     Objective 11596.4, optimal to gap = 0.0084, relative gap = 7.3e-7, violators = 0
 *
 * All numbers are upper bounds, rounded up; the objective has the digits that rounding leaves known.
 * Numbers below 1e-3 and from 1e7 on have an exponent: 0.0084, 7.3e-7, 83000.
 * 'end' are the words before the gap, such as "optimal to"; "nothing is proved:" takes their place
 * above a relative gap of 0.5, and where the kernel is indefinite.  Gaps
 * are left out where the dual is not known, and violators where their number is below 0, not known.
 * No newline is printed, so that the caller may add a name.
 */
void certificate_print(const struct certificate *c, const char *end, FILE *to);

/*
 * certificate_print_numbers() - print the same by names of numbers: primal, dual, gap = primal - dual,
 * rounding, relative gap and violators
 *
 * The dual is rounded down, the others up.
 */
void certificate_print_numbers(const struct certificate *c, FILE *to);

/* reduction_print() - print eigenvalues and bounds; 'what' names the columns, as "features" */
void reduction_print(FILE *to, const struct reduction_certificate *c, const char *what);

/* reduction_report() - add the numbers as an object "certificate" to 'parent', unless it is NULL */
void reduction_report(struct report *parent, const struct reduction_certificate *c);

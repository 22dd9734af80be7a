/*
 * memory.h - what took memory, told at the end of a run
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_MEMORY_H
#define RANDSVM_MEMORY_H

#include "report.h"

/* memory_tell() - lines on standard error: the most memory so far, and whose the largest parts are */
void memory_tell(void);

/* memory_report() - the same as an object "memory" of 'r'; NULL: none */
void memory_report(struct report *r);

#endif

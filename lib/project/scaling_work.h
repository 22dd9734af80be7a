/*
 * scaling_work.h - a scaling in the making, shared by scaling.c and scaling_file.c
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_SCALING_WORK_H
#define RANDSVM_SCALING_WORK_H

#include "project/scaling.h"

/* scaling_reserve() - room for the ranges of 'room' features in '*s', which has none; ERR_MEMORY */
int scaling_reserve(struct scaling *s, int64_t room, struct error *err);

/* scaling_prepare() - all that is made of options and ranges, which are there; ERR_MEMORY */
int scaling_prepare(struct scaling *s, struct error *err);

#endif

/*
 * control_group.h - limits of the control group that the process is in, such as a container's
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

/* Where Linux says which group the process is in, and what the groups may use. */
#define CONTROL_GROUP_OF_PROCESS "/proc/self/cgroup"
#define CONTROL_GROUP_LIMITS "/sys/fs/cgroup"

/*
 * control_group_limit() - the least limit by the files 'name' of the group and of all above it
 *
 * "memory.max" has bytes; "cpu.max" the time that may be used in a period and the period, whose ratio
 * is a number of processors.  INFINITY where no file has a number, as outside of Linux or in groups of
 * version 1.  'process' and 'limits' are the two paths above.
 */
double control_group_limit(const char *name, const char *process, const char *limits);

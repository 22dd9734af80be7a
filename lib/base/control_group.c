/*
 * control_group.c - limits of the control group that the process is in, such as a container's
 *
 * How this works.  A line "0::/a/b" of the process's file names its group; each folder on the way from
 * limits/a/b up to 'limits' itself may have a limit, and all of them hold.  A container sees its own
 * group as the uppermost one, whatever the name is.
 *
 * Source: the documentation of Linux, Control Group v2.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/control_group.h"

#include "base/standard.h"

/* The path of the group, such as "/a/b", into PATH_MAX bytes; "" where there is none. */
static void find_group(const char *process, char *group)
{
	FILE *file = fopen(process, "r");

	*group = '\0';
	while (file && fgets(group, PATH_MAX, file) && strncmp(group, "0::/", 4) != 0)
		*group = '\0';
	if (file)
		fclose(file);
	group[strcspn(group, "\n")] = '\0';
	if (*group)
		memmove(group, group + 3, strlen(group + 3) + 1);
}

double control_group_limit(const char *name, const char *process, const char *limits)
{
	char group[PATH_MAX], path[2 * PATH_MAX];
	double least = INFINITY, limit, period;

	for (find_group(process, group);; *strrchr(group, '/') = '\0') {
		FILE *file;
		int n = 0;

		snprintf(path, sizeof(path), "%s%s/%s", limits, group, name);
		file = fopen(path, "r");
		if (file) {
			n = fscanf(file, "%lf %lf", &limit, &period);
			fclose(file);
		}
		if (n > 0)
			least = fmin(least, n > 1 ? limit / period : limit);
		if (!*group)
			return least;
	}
}

/*
 * project_svm_scale.c - rp-project in svm-scale's place: its command line, and its warnings
 *
 * A link of the name svm-scale to rp-project takes svm-scale's options, each a letter and its value
 * (of -y two), and writes svm-scale's bytes to standard output.  The options become those settings
 * that rp-project -m scale has; what follows is the same.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "project.h"

enum { DIGITS = 6 }; /* digits of svm-scale's values, "%g" */

bool project_is_svm_scale(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strcmp(slash ? slash + 1 : path, "svm-scale") == 0;
}

_Noreturn static void show_usage(void)
{
	fputs("Usage: svm-scale [options] data_filename\n"
	      "options:\n"
	      "-l lower : x scaling lower limit (default -1)\n"
	      "-u upper : x scaling upper limit (default +1)\n"
	      "-y y_lower y_upper : y scaling limits (default: no y scaling)\n"
	      "-s save_filename : save scaling parameters to save_filename\n"
	      "-r restore_filename : restore scaling parameters from restore_filename\n",
	      stdout);
	cli_finish();
	exit(1);
}

void project_read_svm_scale(int argc, char **argv)
{
	/* the limits are read as rp-project's */
	char *words[] = { argv[0], "-l", "-1", "-u", "1", NULL, NULL };
	static char range_y[256];
	int i = 1, n;

	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i += n) {
		const char letter = argv[i][1];

		n = letter == 'y' ? 3 : 2;
		if (!strchr("luysr", letter))
			cli_warn("unknown option: %s", argv[i]);
		if (!strchr("luysr", letter) || i + n > argc)
			show_usage();
		if (letter == 'l')
			words[2] = argv[i + 1];
		else if (letter == 'u')
			words[4] = argv[i + 1];
		else if (letter == 's')
			settings.save = argv[i + 1];
		else if (letter == 'r')
			settings.restore = argv[i + 1];
		else
			snprintf(range_y, sizeof(range_y), "%s,%s", argv[i + 1], argv[i + 2]);
	}
	if (i != argc - 1)
		show_usage();
	if (settings.save && settings.restore)
		cli_fail("cannot use -r and -s simultaneously");
	words[5] = argv[i];
	settings.range_y = *range_y ? range_y : NULL;
	settings.method = ROW_MAP_SCALE;
	settings.digits = DIGITS;
	settings.common.quiet = true;
	cli_parse_data(&project_program, 6, words, &settings.data_name, &settings.output_name);
}

void project_warn_svm_scale(const struct project_job *job)
{
	const struct scaling_unknown *unknown = &job->unknown;

	if (settings.restore && unknown->n > 0)
		fprintf(stderr,
			"WARNING: feature index %" PRId32
			" appeared in file %s was not seen in the scaling factor file %s. "
			"The feature is scaled to 0.\n",
			unknown->first, settings.data_name, settings.restore);
	if (job->n_written > job->n_entries)
		fprintf(stderr,
			"WARNING: original #nonzeros %" PRId64 "\n"
			"       > new      #nonzeros %" PRId64 "\n"
			"If feature values are non-negative and sparse, use -l 0 rather than "
			"the default -l -1\n",
			job->n_entries, job->n_written);
}

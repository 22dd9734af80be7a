/*
 * convert_names.c - names of formats and of the input
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <string.h>

#include "convert.h"

const char *const convert_form_names[] = { "auto", "csv", "arff",     "npy",
					   "npz",  "mtx", "svmlight", NULL };
const char *const convert_output_names[] = { "svmlight", "csv", "npy", "mtx", NULL };
const char *const convert_zero_based_names[] = { "no", "in", "out", "both", NULL };
const char *const convert_delimiter_names[] = { "auto", "comma", "tab", "semicolon",
						"bar",	"blank", NULL };
const char convert_delimiters[] = "\0,\t;| ";

const char *convert_name(void)
{
	return strcmp(settings.data_name, "-") == 0 ? "standard input" : settings.data_name;
}

/*
 * fold_model.h - --fold: a linear model of mapped data as a model of the data as they were
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "files.h"
#include "project/linear_map.h"
#include "project/nystrom.h"

/*
 * cli_fold_model() - read the model 'name', carry it back through a map, and write it to 'to'
 *
 * One of the two kinds of maps is given, the other NULL; through a map of landmarks it becomes a model
 * with their kernel.  Notes where a model of more than two classes has more numbers than before.
 * Ends the program with a message where one of these fails.
 */
void cli_fold_model(const char *name, const struct linear_map *linear,
		    const struct nystrom *landmarks, const struct cli_output *to);

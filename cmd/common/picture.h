/*
 * picture.h - pictures drawn by gnuplot
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/output.h"

/* Width and height of pictures, "WxH", which --size sets; NULL: 640x600 */
extern const char *picture_size;

#define PICTURE_SIZE(others)                                                                    \
	CLI_TEXT(0, "size", &picture_size, "WxH",                                               \
		 "pixels of pictures, such as 640x600; of .pdf and .eps hundredths of an inch", \
		 .otherwise = "", .needs = others, .key = CLI_NO_KEY)

/* picture_ends_in() - does the name end so? */
bool picture_ends_in(const char *path, const char *ending);

/* picture_terminal() - gnuplot's command for a name in .png, .svg, .pdf or .eps; NULL for another */
const char *picture_terminal(const char *path);

/* picture_can_draw() - is gnuplot there? */
bool picture_can_draw(void);

/* picture_need_gnuplot() - end with a message unless gnuplot is there to draw 'path', and --size is right */
void picture_need_gnuplot(const char *path);

/* picture_begin() - a file of gnuplot's commands that set the canvas; the caller adds the plot */
FILE *picture_begin(const char *path);

/*
 * picture_end() - let gnuplot draw what 'script' says, into 'output'
 *
 * 'script' is released.  The caller commits the output.  Ends the program with a message on
 * failure.
 */
void picture_end(FILE *script, struct output *output, const char *path);

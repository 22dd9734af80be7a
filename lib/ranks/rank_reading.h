/*
 * rank_reading.h - rows that all ranks read, or that rank 0 reads and deals to them as they come
 *
 * Parsing is most of the work of reading.  A text file is cut at ends of lines into pieces of about
 * the same size (text_part_open()), some for each rank, so that lines that take longer, or rows of a
 * class, are spread; one of the binary form is cut between its blocks, and one of gzip is a piece.
 * Where ranks would have none, and of what no rank but rank 0 can read, such as pipes, it reads all
 * alone: blocks of rows go to the ranks in turn, and rank 0 keeps no entries but those of its own
 * blocks.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/rows.h"
#include "ranks/rank_rows.h"

/* Least bytes of a piece of text: some milliseconds of parsing. */
#define RANK_READING_LEAST (1 << 17)

/* Rows that a rank is dealt before the next one has its turn. */
#define RANK_READING_BLOCK 4096

/* struct rank_reading - what is read, and how */
struct rank_reading {
	struct rows_options options;
	const struct data_files *files;	   /* files that all ranks may read; NULL: they may not */
	bool by_lists;			   /* if all read them rank_rows_arrange() follows */
	int64_t least;			   /* least bytes of a piece of text of them */
	struct input *input;		   /* the same rows for rank 0, not read from yet */
	int64_t block;			   /* rows of it after which the next rank has its turn */
	struct progress_observer progress; /* told its bytes, as by rows_scan() */
};

/*
 * rank_rows_read() - all rows, each to one of the ranks, in place of what these had; on rank 0
 *
 * The others run rank_reading_serve().  All ranks read the files if there are pieces for all of them;
 * where there are not, or a file has a fault that only who reads it from its beginning can tell, with
 * the number of the line, rank 0 reads the input.  The empty '*d' gets all labels and numbers of
 * entries, but no entries, and is rows->data; it must last as long as the rows.
 *
 * Fails as dataset_read() does, with ERR_MEMORY of any rank, and with ERR_IO where one cannot read the
 * same file; the text names rank and machine.  There are no rows then, and '*d' is empty.
 */
int rank_rows_read(struct rank_rows *rows, struct dataset *d, const struct rank_reading *reading,
		   struct error *err);

/* rank_reading_serve() - what the other ranks do then */
void rank_reading_serve(struct rank_rows *rows);

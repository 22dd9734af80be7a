/*
 * memory_input.h - bytes in memory made a file without a name, or a pipe, to open and read
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_MEMORY_INPUT_H
#define RANDSVM_MEMORY_INPUT_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct memory_input {
	char path[40]; /* to open it by */
	int fd;
	const char *bytes;
	int64_t size;
	bool is_pipe;
	int feed; /* a pipe's other end */
	pthread_t feeder;
};

static inline void give_up(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

/* In pieces that no reader asks for, until the end or until nobody reads any more. */
static inline void *memory_input_feed(void *arg)
{
	const struct memory_input *in = arg;
	int64_t done = 0;

	while (done < in->size) {
		int64_t piece = in->size - done < 70001 ? in->size - done : 70001;
		ssize_t n = write(in->feed, in->bytes + done, (size_t)piece);

		if (n < 0)
			break;
		done += n;
	}
	close(in->feed);
	return NULL;
}

/* memory_input_open() - make 'size' bytes readable at in->path; they must last until the end */
static inline void memory_input_open(struct memory_input *in, const void *bytes, int64_t size,
				     bool is_pipe)
{
	int ends[2];

	*in = (struct memory_input){ .bytes = bytes, .size = size, .is_pipe = is_pipe };
	if (is_pipe) {
		signal(SIGPIPE, SIG_IGN);
		if (pipe(ends) < 0)
			give_up("pipe");
		in->fd = ends[0];
		in->feed = ends[1];
		if (pthread_create(&in->feeder, NULL, memory_input_feed, in))
			give_up("pthread_create");
	} else {
		in->fd = memfd_create("input", 0);
		if (in->fd < 0 || write(in->fd, bytes, (size_t)size) != (ssize_t)size)
			give_up("memfd");
	}
	snprintf(in->path, sizeof(in->path), "/proc/self/fd/%d", in->fd);
}

static inline void memory_input_close(struct memory_input *in)
{
	close(in->fd);
	if (in->is_pipe)
		pthread_join(in->feeder, NULL);
}

#endif

/*
 * print_string.c - messages to the caller's print function, errors to standard error
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "print_string.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "matrix/svm_header.h"

typedef void print_function(const char *text);

static void print_to_stdout(const char *text)
{
	fputs(text, stdout);
	fflush(stdout);
}

/* Print function of the process: threads may train while another one sets it. */
static _Atomic(print_function *) current = print_to_stdout;

void svm_set_print_string_function(void (*print_func)(const char *))
{
	atomic_store(&current, print_func ? print_func : print_to_stdout);
}

static void print_string(void *arg, const char *text)
{
	(void)arg;
	atomic_load (&current)(text);
}

struct libsvm_messages print_string_receiver(void)
{
	return (struct libsvm_messages){ print_string, NULL };
}

void print_string_warning(const char *format, ...)
{
	char text[256] = "WARNING: ", line[sizeof(text) + 1];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + 9, sizeof(text) - 9, format, arguments);
	va_end(arguments);
	snprintf(line, sizeof(line), "%s\n", text);
	print_string(NULL, line);
}

void print_string_error(const char *function, const struct error *err)
{
	fprintf(stderr, "ERROR: %s: %s\n", function, err->text);
}

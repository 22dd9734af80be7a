/*
 * print_string.c - messages to the caller's print function, errors to standard error
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "print_string.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "host.h"
#include "matrix/svm_header.h"

typedef void print_function(const char *text);

/* Print function of the process: threads may train while another one sets it.  NULL: none is set. */
static _Atomic(print_function *) current;

void svm_set_print_string_function(void (*print_func)(const char *))
{
	FOR_HOST(svm_set_print_string_function, (print_func));
	atomic_store(&current, print_func);
}

/* The same for objects in C++ whose svm.h declares it as a function of C++, as e1071's does. */
void set_for_cxx(print_function *print_func) __asm__("_Z29svm_set_print_string_functionPFvPKcE")
	__attribute__((visibility("default")));

void set_for_cxx(print_function *print_func)
{
	void (*own)(print_function *) = (void (*)(print_function *))host_function(
		"_Z29svm_set_print_string_functionPFvPKcE", __builtin_return_address(0));

	if (own)
		own(print_func);
	else
		atomic_store(&current, print_func);
}

/* Print the text where the caller wants it; 'silent' is where it goes if that is nowhere. */
static void print_text(const char *text, FILE *silent)
{
	print_function *print = atomic_load(&current);
	FILE *file = host_is_replaced() ? silent : stdout;

	if (print)
		print(text);
	else if (file) {
		fputs(text, file);
		fflush(file);
	}
}

static void print_message(void *arg, const char *text)
{
	(void)arg;
	print_text(text, NULL);
}

struct libsvm_messages print_string_receiver(void)
{
	return (struct libsvm_messages){ print_message, NULL };
}

void print_string_warning(const char *format, ...)
{
	char text[256] = "WARNING: ", line[sizeof(text) + 1];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + 9, sizeof(text) - 9, format, arguments);
	va_end(arguments);
	snprintf(line, sizeof(line), "%s\n", text);
	print_text(line, stderr);
}

void print_string_error(const char *function, const struct error *err)
{
	fprintf(stderr, "ERROR: %s: %s\n", function, err->text);
}

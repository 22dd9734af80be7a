/*
 * test_shared_library.c - libraries that are loaded when they are called: libm as the example
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/shared_library.h"
#include "base/thread.h"
#include "unit.h"

static double (*cosine)(double);
static double (*absent)(double);
static atomic_int n_prepared;

static void count_prepared(void)
{
	n_prepared++;
}

static const char *const libm[] = { "libm.so.6", NULL };
static const char *const libm_second[] = { "libc.so.6", "libm.so.6", NULL };
static const char *const missing[] = { "librandsvm-missing.so.7", NULL };

static const struct shared_symbol symbols[] = {
	{ "cos", &cosine, false },
	{ "randsvm_absent", &absent, true },
	{ NULL, NULL, false },
};

static const struct shared_symbol wrong_symbols[] = {
	{ "cos", &cosine, false },
	{ "randsvm_absent", &absent, false },
	{ NULL, NULL, false },
};

static struct shared_library of(const char *const *file, const struct shared_symbol *symbol)
{
	return (struct shared_library){ .file = file,
					.symbol = symbol,
					.room = 1 << 20,
					.prepare = count_prepared,
					.lock = PTHREAD_MUTEX_INITIALIZER };
}

static void test_symbols(const char *const *file)
{
	struct shared_library library = of(file, symbols);
	struct error err = { 0 };

	n_prepared = 0;
	cosine = NULL;
	absent = cos;
	CHECK(shared_library_load(&library, &err) == 0, "%s", err.text);
	CHECK(cosine && cosine(0) == 1, "cos is not found");
	CHECK(!absent, "there is a symbol that libm does not have");
	CHECK(shared_library_load(&library, &err) == 0 && n_prepared == 1, "prepared %d times",
	      n_prepared);
}

static void test_missing_file(void)
{
	struct shared_library library = of(missing, symbols);
	struct error err = { 0 };

	n_prepared = 0;
	CHECK(shared_library_load(&library, &err) == -1 && err.code == ERR_LIBRARY, "code %d",
	      err.code);
	CHECK(!strcmp(err.text, "cannot load librandsvm-missing.so.7: cannot open shared object "
				"file: No such file or directory"),
	      "'%s'", err.text);
	CHECK(n_prepared == 0, "prepared");
	/* the next call looks again */
	library.file = libm;
	err = (struct error){ 0 };
	CHECK(shared_library_load(&library, &err) == 0 && n_prepared == 1, "%s", err.text);
}

static void test_missing_symbol(void)
{
	struct shared_library library = of(libm, wrong_symbols);
	struct error err = { 0 };

	CHECK(shared_library_load(&library, &err) == -1 && err.code == ERR_LIBRARY, "code %d",
	      err.code);
	CHECK(!strncmp(err.text, "cannot load libm.so.6: ", 23) &&
		      strstr(err.text, "randsvm_absent"),
	      "'%s'", err.text);
}

static void test_no_room(void)
{
	struct shared_library library = of(libm, symbols);
	struct error err = { 0 };

	library.room = 1e18;
	CHECK(shared_library_load(&library, &err) == -1 && err.code == ERR_MEMORY, "code %d",
	      err.code);
}

static void load_and_call(void *arg, int64_t block, int thread)
{
	struct error err = { 0 };

	(void)block;
	(void)thread;
	CHECK(shared_library_load(arg, &err) == 0 && cosine(0) == 1, "%s", err.text);
}

static void test_threads(void)
{
	struct shared_library library = of(libm, symbols);

	n_prepared = 0;
	cosine = NULL;
	thread_parallel_for(4, 64, load_and_call, &library);
	CHECK(n_prepared == 1, "prepared %d times", n_prepared);
}

int main(void)
{
	test_symbols(libm);
	test_symbols(libm_second);
	test_missing_file();
	test_missing_symbol();
	test_no_room();
	test_threads();
	return unit_report("shared_library");
}

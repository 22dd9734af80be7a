/*
 * picture.c - pictures drawn by gnuplot
 *
 * The caller writes gnuplot's commands to a temporary file; picture_end() runs gnuplot with it as
 * standard input and a second temporary file as standard output, and copies that one to the
 * output.  gnuplot never opens the target itself, so the picture appears with the other outputs of
 * the program or not at all, and no file name is quoted in a command.
 *
 * gnuplot's result depends on its settings files and on the environment; it gets none of the
 * former (--default-settings) and only the variables of the latter that it needs to run, so the
 * same data give the same bytes for each user.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "picture.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"

bool picture_ends_in(const char *path, const char *ending)
{
	size_t length = strlen(path), n = strlen(ending);

	return length >= n && strcmp(path + length - n, ending) == 0;
}

const char *picture_size;

/* Endings of names, and gnuplot's commands for them, with a width and a height. */
static const struct {
	const char *ending, *terminal;
} forms[] = {
	{ ".svg",
	  "set terminal svg size %d,%d font 'sans-serif,16' noenhanced background '#ffffff'" },
	{ ".pdf", "set terminal pdfcairo size %d/100.,%d/100. font 'sans-serif,12' noenhanced" },
	{ ".eps", "set terminal epscairo size %d/100.,%d/100. font 'sans-serif,12' noenhanced" },
	{ ".png",
	  "png = strstrt(GPVAL_TERMINALS, 'pngcairo') > 0 ? "
	  "\"pngcairo font 'sans-serif,12'\" : 'png'\nset terminal @png size %d,%d noenhanced" },
};

const char *picture_terminal(const char *path)
{
	for (int k = 0; k < N_ELEMENTS(forms); k++)
		if (picture_ends_in(path, forms[k].ending))
			return forms[k].terminal;
	return NULL;
}

/* Is there an executable file gnuplot in a folder of PATH?  "" in PATH is the current folder. */
bool picture_can_draw(void)
{
	const char *folder = getenv("PATH");

	while (folder) {
		const char *end = strchrnul(folder, ':');
		char file[4096];
		int n = snprintf(file, sizeof(file), "%.*s/gnuplot", (int)(end - folder),
				 end > folder ? folder : ".");

		if (n < (int)sizeof(file) && access(file, X_OK) == 0)
			return true;
		folder = *end ? end + 1 : NULL;
	}
	return false;
}

/* Width and height, from 200 to 10000. */
static int width = 640, height = 600;

static void take_size(void)
{
	int end = 0;

	if (picture_size &&
	    (sscanf(picture_size, "%5dx%5d%n", &width, &height, &end) != 2 || picture_size[end] ||
	     width < 200 || width > 10000 || height < 200 || height > 10000))
		cli_fail(
			"--size: expected a width and a height from 200 to 10000, such as 640x600, "
			"got '%s'",
			picture_size);
}

void picture_need_gnuplot(const char *path)
{
	take_size();
	if (!picture_can_draw())
		cli_fail("can't draw %s: gnuplot is not installed (Debian: gnuplot-nox)", path);
}

FILE *picture_begin(const char *path)
{
	FILE *script = tmpfile();

	if (!script)
		cli_fail("can't draw %s: no temporary file: %s", path, strerror(errno));
	/*
	 * No `set encoding`: all texts are ASCII, and in the C locale gnuplot would warn on each
	 * picture that iconv cannot convert its degree sign.
	 */
	/* cppcheck-suppress nullPointerRedundantCheck ; cli_fail() does not return */
	take_size();
	fprintf(script, picture_terminal(path), width, height);
	fputc('\n', script);
	return script;
}

/* Environment variables that gnuplot needs to run and to find fonts. */
static const char *const kept_variables[] = { "PATH=", "LD_LIBRARY_PATH=", "TMPDIR=",
					      "FONTCONFIG_FILE=", "FONTCONFIG_PATH=" };

/* Make gnuplot's environment of these variables alone: others would change the picture. */
static void make_environment(char *variables[N_ELEMENTS(kept_variables) + 2])
{
	static char locale[] = "LC_ALL=C";
	size_t n = 0;

	variables[n++] = locale;
	for (int k = 0; k < N_ELEMENTS(kept_variables); k++) {
		const char *name = kept_variables[k];
		char **found = environ;

		while (*found && strncmp(*found, name, strlen(name)) != 0)
			found++;
		if (*found)
			variables[n++] = *found;
	}
	variables[n] = NULL;
}

/* Run gnuplot from 'in' to 'out' without the user's settings; returns whether it succeeded. */
static bool run_gnuplot(FILE *in, FILE *out, const char *path)
{
	char *const argv[] = { "gnuplot", "--default-settings", NULL };
	char *variables[N_ELEMENTS(kept_variables) + 2];
	posix_spawn_file_actions_t actions;
	int status = 0, failure;
	pid_t pid;

	make_environment(variables);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fileno(in), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
	failure = posix_spawnp(&pid, argv[0], &actions, NULL, argv, variables);
	posix_spawn_file_actions_destroy(&actions);
	if (failure)
		cli_fail("can't draw %s: gnuplot does not start: %s", path, strerror(failure));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void copy_picture(FILE *picture, struct output *output, const char *path)
{
	struct error err = { 0 };
	char bytes[1 << 16];
	size_t n, total = 0;

	rewind(picture);
	while ((n = fread(bytes, 1, sizeof(bytes), picture)) > 0) {
		total += n;
		if (output_write(output, bytes, (int64_t)n, &err) < 0)
			return; /* a failed write is reported when the output is committed */
	}
	if (ferror(picture) || total == 0)
		cli_fail("can't draw %s: gnuplot made no picture", path);
}

void picture_end(FILE *script, struct output *output, const char *path)
{
	FILE *picture = tmpfile();

	if (!picture || fflush(script) != 0 || fseek(script, 0, SEEK_SET) != 0)
		cli_fail("can't draw %s: no temporary file: %s", path, strerror(errno));
	if (!run_gnuplot(script, picture, path))
		cli_fail("can't draw %s: gnuplot failed", path);
	copy_picture(picture, output, path);
	fclose(picture);
	fclose(script);
}

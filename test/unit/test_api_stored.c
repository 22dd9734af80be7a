/*
 * test_api_stored.c - the public library reads the models, maps and choices of features that earlier
 * versions stored in testdata/stored, and comes to what is stored beside them
 *
 * `contents` there has a line for each: kind, name, rows.  scripts/stored.sh has made them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <dirent.h>
#include <math.h>

#include "randsvm.h"
#include "unit.h"

enum { MOST_ROWS = 60, MOST_VALUES = 8 };

static char folder[1000];

/* The path of a file of the folder; each call overwrites the last. */
static const char *in_folder(const char *name, const char *end)
{
	static char path[1200];

	snprintf(path, sizeof(path), "%s/%s%s", folder, name, end);
	return path;
}

static rsv_rows *rows_of(const char *name, const char *end)
{
	struct rsv_error err = { 0 };
	rsv_rows *rows = rsv_rows_read(in_folder(name, end), NULL, &err);

	CHECK(rows, "%s%s: %s", name, end, err.text);
	return rows;
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-5 * fmax(1, fabs(b));
}

/* The predictions and values of a line of svm-eval --scores, a prediction and its values. */
static void check_line(const char *name, const char *line, double predicted, const double *value,
		       int64_t n_values)
{
	char *at;

	CHECK(near(strtod(line, &at), predicted), "%s: predicts %g for %s", name, predicted, line);
	for (int64_t k = 0; k < n_values; k++)
		CHECK(near(strtod(at, &at), value[k]), "%s: value %d is %g in %s", name, (int)k,
		      value[k], line);
}

static void check_model(const char *name, const char *of_rows)
{
	struct rsv_error err = { 0 };
	rsv_model *model = rsv_model_read(in_folder(name, ".model"), &err);
	rsv_rows *rows = rows_of(of_rows, "");
	double predicted[MOST_ROWS] = { 0 }, value[MOST_ROWS * MOST_VALUES] = { 0 };
	struct rsv_predictions to;
	struct rsv_model_info info;
	char line[1000];
	FILE *then;

	if (!CHECK(model, "%s: %s", name, err.text))
		return;
	rsv_model_info(model, &info);
	rsv_predictions_init(&to);
	to.predicted = predicted;
	to.values = value;
	CHECK(rsv_predict(model, rows, &to, NULL, &err) == 0, "%s: %s", name, err.text);
	then = fopen(in_folder(name, ".predicted"), "r");
	CHECK(then && fgets(line, sizeof(line), then), "%s: no predictions", name);
	for (int64_t i = 0; i < rsv_rows_count(rows); i++)
		if (CHECK(fgets(line, sizeof(line), then), "%s: row %d", name, (int)i))
			check_line(name, line, predicted[i], value + i * info.n_values,
				   info.n_values);
	fclose(then);
	rsv_rows_free(rows);
	rsv_model_free(model);
}

/* The same rows, but for rounding. */
static void check_same(const char *name, const rsv_rows *now, const rsv_rows *then)
{
	static int64_t start[2][MOST_ROWS + 1];
	static int32_t column[2][MOST_ROWS * 20];
	static double value[2][MOST_ROWS * 20];

	if (!CHECK(rsv_rows_count(now) == rsv_rows_count(then) &&
			   rsv_rows_n_entries(now) == rsv_rows_n_entries(then),
		   "%s: %d entries", name, (int)rsv_rows_n_entries(now)))
		return;
	rsv_rows_copy(now, start[0], column[0], value[0], NULL);
	rsv_rows_copy(then, start[1], column[1], value[1], NULL);
	CHECK(memcmp(start[0], start[1], (size_t)(rsv_rows_count(now) + 1) * sizeof(int64_t)) == 0,
	      "%s: other lengths", name);
	for (int64_t k = 0; k < rsv_rows_n_entries(now); k++)
		CHECK(column[0][k] == column[1][k] && near(value[0][k], value[1][k]),
		      "%s: %d:%g, not %d:%g", name, column[0][k], value[0][k], column[1][k],
		      value[1][k]);
}

static void check_map(const char *name, const char *end, const char *end_of_mapped,
		      const char *of_rows)
{
	struct rsv_error err = { 0 };
	rsv_map *map = rsv_map_read(in_folder(name, end), &err);
	rsv_rows *rows = rows_of(of_rows, ""), *then = rows_of(name, end_of_mapped);
	rsv_rows *now = map ? rsv_map_apply(map, rows, NULL, &err) : NULL;

	if (CHECK(now, "%s: %s", name, err.text))
		check_same(name, now, then);
	rsv_rows_free(now);
	rsv_rows_free(then);
	rsv_rows_free(rows);
	rsv_map_free(map);
}

static void check_folder(void)
{
	char kind[20], name[100], rows[100];
	int n_models = 0, n_maps = 0;
	FILE *contents = fopen(in_folder("contents", ""), "r");

	if (!CHECK(contents, "%s has no contents", folder))
		return;
	while (fscanf(contents, "%19s %99s %99s", kind, name, rows) == 3) {
		if (strcmp(kind, "model") == 0) {
			check_model(name, rows);
			n_models++;
		} else if (strcmp(kind, "map") == 0) {
			check_map(name, ".map", ".mapped", rows);
			n_maps++;
		} else if (strcmp(kind, "choice") == 0) {
			check_map(name, ".choice", ".chosen", rows);
			n_maps++;
		}
	}
	CHECK(n_models > 10 && n_maps > 20, "%d models, %d maps", n_models, n_maps);
	fclose(contents);
}

int main(void)
{
	char path[500];
	struct dirent *entry;
	int n_versions = 0;
	DIR *stored;

	snprintf(path, sizeof(path), "%s/stored", getenv("T"));
	stored = opendir(path);
	while (stored && (entry = readdir(stored)))
		if (entry->d_name[0] != '.') {
			snprintf(folder, sizeof(folder), "%s/%s", path, entry->d_name);
			check_folder();
			n_versions++;
		}
	CHECK(n_versions > 0, "nothing in %s", path);
	if (stored)
		closedir(stored);
	return unit_report("api stored");
}

/*
 * model_write.c - model files as LIBSVM and LIBLINEAR write them, but with all digits
 *
 * How this works.  Files of the same model are to be equal byte by byte, whichever program wrote
 * them, where it has no more digits than LIBSVM's: so keys come in the order in which
 * svm_save_model() and LIBLINEAR's save_model() write them, numbers are those of printf, and a line
 * of vectors or weights ends in a blank.
 *
 *     constants, coefficients, weights    %.17g    read back to the same double
 *     features of support vectors         %.8g     where that reads back to the same double, else
 *                                                  the shortest decimal that does
 *     serial numbers                      0:%d
 *
 * svm_save_model() has %.8g for all features, and so has a model of eight_digits: of 123456789 its
 * file has 1.2345679e+08, another vector than the one that was trained.  Where %.8g reads back, the
 * shortest decimal has the same digits, and in 1e-4 <= |x| < 1e8 the same bytes, so that most
 * values are written in one step (1).
 *
 * printf has a decimal comma in some locales; while a model is written the thread's is "C".
 *
 * Nothing is collected: each key, vector or row of weights goes to the output as it is made, so
 * writing takes no memory that grows with the vectors, but eight coefficients for each class, and
 * what is fetched at a time where other processes have the vectors.  The
 * output keeps its first failure, and ends as a file only if all of it could be written
 * (io/output.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/model.h"

#include <locale.h>

#include "base/decimal.h"
#include "io/output.h"
#include "model/model_header.h"

/* Vectors whose coefficients are read together: those of a class are a cache line or two. */
#define VECTORS_AT_ONCE 8

/* ---- Features: `index:value ` ---- */

/* "2147483647:" and a blank, and any number, with the room that decimal_shortest() needs. */
#define FEATURE_SIZE (12 + DECIMAL_SHORTEST_SIZE)

/* Features that go to the output together: a call for each took a seventh of the writing. */
#define FEATURES_AT_ONCE 32

/* A value, by the rule above; returns its length.  'to' has DECIMAL_SHORTEST_SIZE bytes. */
static int put_value(double x, bool eight_digits, char *to)
{
	const double size = fabs(x);
	double back;
	int length;

	if (!eight_digits && (size == 0 || (size >= 1e-4 && size < 1e8))) /* (1) */
		return decimal_shortest(x, to);
	length = decimal_rounded(x, 8, to);
	if (eight_digits || (decimal_parse(to, to + length, &back) && back == x))
		return length;
	return decimal_shortest(x, to);
}

/* An index and a value of a support vector; returns the end. */
static char *put_feature(const struct model *m, int32_t index, double value, char *to)
{
	to += decimal_unsigned((uint64_t)index, to);
	*to++ = ':';
	if (m->kernel.type == KERNEL_PRECOMPUTED)
		to += decimal_unsigned((uint64_t)value, to);
	else
		to += put_value(value, m->eight_digits, to);
	*to++ = ' ';
	return to;
}

/* The features of a support vector, and the end of the line. */
static int write_features(const struct model *m, struct csr_row row, struct output *output,
			  struct error *err)
{
	char text[FEATURES_AT_ONCE * FEATURE_SIZE], *end = text;

	for (int64_t k = 0; k < row.n; k++) {
		if (end > text + sizeof(text) - FEATURE_SIZE) {
			if (output_write(output, text, end - text, err) < 0)
				return -1;
			end = text;
		}
		end = put_feature(m, row.col[k], row.val[k], end);
	}
	*end++ = '\n';
	return output_write(output, text, end - text, err);
}

/* What printf("%.17g") writes, which has "-nan" too; 'to' has room for FEATURE_SIZE bytes. */
static char *put_double(char *to, double x)
{
	return to +
	       (isfinite(x) ? decimal_rounded(x, 17, to) : snprintf(to, FEATURE_SIZE, "%.17g", x));
}

/*
 * What printf("%.17g ") writes.  Of 25 coefficients of a vector of letter.scale most are 0 or C,
 * and whole numbers are their own shortest decimals; with printf for each, writing the model took
 * 50 ms of a training of 300.
 */
static int write_coefficient(double x, struct output *output, struct error *err)
{
	char text[FEATURE_SIZE + 1], *end = text;

	if (fabs(x) < 1e15 && x == floor(x))
		end += decimal_shortest(x, text);
	else
		end = put_double(text, x);
	*end++ = ' ';
	return output_write(output, text, end - text, err);
}

/* Support vector i, after those before it; 'fetched' has some, from number '*first' on. */
static int write_vector(const struct model *m, int64_t i, struct csr *fetched, int64_t *first,
			struct output *output, struct error *err)
{
	const struct solution *s = &m->solution;

	if (!m->fetch)
		return write_features(m, csr_row_of(&m->sv, s->sv_row ? s->sv_row[i] : i), output,
				      err);
	if (i == *first + fetched->n_rows) {
		csr_free(fetched);
		*first = i;
		if (m->fetch(m->fetch_arg, s->sv_row + i, s->n_sv - i, fetched, err) < 0)
			return -1;
	}
	return write_features(m, csr_row_of(fetched, i - *first), output, err);
}

/* Lines of the coefficients of a vector against all other classes, and its features. */
static int write_vectors(const struct model *m, struct output *output, struct error *err)
{
	const struct solution *s = &m->solution;
	const int64_t n_coef = s->n_class - 1;
	double *block = mem_array(VECTORS_AT_ONCE * n_coef, sizeof(*block), err);
	struct csr fetched = { 0 };
	int64_t first = 0;
	int ret = block ? 0 : -1;

	for (int64_t i = 0; i < s->n_sv && ret == 0; i++) {
		/* coefficients of the next vectors, those of each vector side by side */
		int64_t n = i % VECTORS_AT_ONCE ? 0 : int64_min(VECTORS_AT_ONCE, s->n_sv - i);

		for (int64_t r = 0; r < n_coef; r++)
			for (int64_t k = 0; k < n; k++)
				block[k * n_coef + r] = s->coef[r * s->n_sv + i + k];
		for (int64_t r = 0; r < n_coef && ret == 0; r++)
			ret = write_coefficient(block[i % VECTORS_AT_ONCE * n_coef + r], output,
						err);
		if (ret == 0)
			ret = write_vector(m, i, &fetched, &first, output, err);
	}
	csr_free(&fetched);
	mem_free(block);
	return ret;
}

/* ---- Keys: `key value value ...`, none where there is no array ---- */

static int write_value(const struct model_key *key, const char *value, int64_t i,
		       struct output *output, struct error *err)
{
	char text[FEATURE_SIZE + 1] = " ", *end;

	if (key->type == VALUE_CHOICE)
		return output_printf(output, err, " %s", key->words[*(const int *)value]);
	if (key->type == VALUE_TEXT)
		return output_printf(output, err, " %s", value);
	if (key->type == VALUE_INT)
		return output_printf(output, err, " %d", ((const int *)value)[i]);
	if (key->type == VALUE_INT64)
		return output_printf(output, err, " %" PRId64, ((const int64_t *)value)[i]);
	end = put_double(text + 1, ((const double *)value)[i]);
	return output_write(output, text, end - text, err);
}

static int write_key(const struct model *m, enum model_key_id id, struct output *output,
		     struct error *err)
{
	const struct model_key *key = &model_keys[id];
	const char *value = (const char *)m + key->offset;
	int ret = 0;

	if (key->count != COUNT_ONE)
		memcpy(&value, (const void *)value, sizeof(value)); /* the pointer to the array */
	if (value)
		ret = output_printf(output, err, "%s", key->name);
	for (int64_t i = 0; value && i < model_key_count(m, key) && ret == 0; i++)
		ret = write_value(key, value, i, output, err);
	return value && ret == 0 ? output_write(output, "\n", 1, err) : ret;
}

/* ---- The two kinds ---- */

/* In the order of svm_save_model(). */
static int write_libsvm(const struct model *m, struct output *output, struct error *err)
{
	static const enum model_key_id keys[] = { KEY_SVM_TYPE, KEY_KERNEL_TYPE, KEY_DEGREE,
						  KEY_GAMMA,	KEY_COEF0,	 KEY_NR_CLASS,
						  KEY_TOTAL_SV, KEY_RHO,	 KEY_LABEL,
						  KEY_PROB_A,	KEY_PROB_B,	 KEY_DENSITY_MARKS,
						  KEY_NR_SV };
	unsigned without = KERNEL_KEY_BITS & ~model_kernel_keys[m->kernel.type];

	if (!machine_classifies(m->type))
		without |= KEY_BIT(KEY_NR_SV);
	for (int k = 0; k < N_ELEMENTS(keys); k++)
		if (!(without & KEY_BIT(keys[k])) && write_key(m, keys[k], output, err) < 0)
			return -1;
	return output_printf(output, err, "SV\n") < 0 ? -1 : write_vectors(m, output, err);
}

/* A line for each feature, and one for the bias. */
static int write_weights(const struct linear_model *l, struct output *output, struct error *err)
{
	int64_t n_rows = l->n_features + (l->bias >= 0);

	for (int64_t i = 0; i < n_rows; i++) {
		for (int j = 0; j < l->n_columns; j++)
			if (write_coefficient(l->w[i * l->n_columns + j], output, err) < 0)
				return -1;
		if (output_write(output, "\n", 1, err) < 0)
			return -1;
	}
	return 0;
}

/* In the order of LIBLINEAR's save_model().  Keys that both kinds have are in the solution. */
static int write_liblinear(const struct model *m, struct output *output, struct error *err)
{
	static const enum model_key_id keys[] = { KEY_SOLVER_TYPE, KEY_NR_CLASS, KEY_LABEL,
						  KEY_NR_FEATURE,  KEY_BIAS,	 KEY_RHO };
	struct model shown = *m;
	struct linear_model *l = &shown.linear;

	shown.solution.n_class = l->n_class;
	shown.solution.label = l->label;
	shown.solution.rho = l->one_class ? &l->rho : NULL;
	for (int k = 0; k < N_ELEMENTS(keys); k++)
		if (write_key(&shown, keys[k], output, err) < 0)
			return -1;
	if (output_printf(output, err, "w\n") < 0 || write_weights(l, output, err) < 0 ||
	    write_key(&shown, KEY_COLUMN_A, output, err) < 0)
		return -1;
	return write_key(&shown, KEY_COLUMN_B, output, err);
}

int model_write(const void *model, struct output *output, struct error *err)
{
	const struct model *m = model;
	/* a private copy: setlocale() would change it for all threads */
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before;
	int ret;

	if (!c)
		return error_memory(err, sizeof(struct lconv));
	before = uselocale(c); /* locale of this thread: a model has no decimal commas */
	ret = m->is_linear_model ? write_liblinear(m, output, err) : write_libsvm(m, output, err);
	uselocale(before);
	freelocale(c);
	return ret;
}

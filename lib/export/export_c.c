/*
 * export_c.c - a model as a file of C99
 *
 * How this works.  The file is tables of the model's numbers (1) and functions.  Their text stands
 * below as it is written, in parts, each with what a model must have for it (2); '@' is the name of
 * the file, '^' that in capitals, '$' the type of the numbers.
 *
 * In double precision the functions do what predict.c, expansion.c and kernel_tile.c do, operation for
 * operation: sums in the order of a vector's entries, and over the vectors of a function's first class,
 * then its second, from 0 on; the distance of rbf from |x|^2 + |s|^2 - 2 x.s, and by coordinates where
 * a row is far (kernel_lanes.c); exp and tanh by the same series.  A value of 0 that a row of a file
 * would not have adds a 0 here.  Only exp() of probabilities is the C library's there and not here.
 * In single precision distances are always by coordinates, as products would leave too few digits.
 *
 * Vectors are dense or, where that takes fewer bytes, entries and their columns.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "export/export_form.h"

#include <stdarg.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "io/output.h"

enum { NUMBERS_IN_LINE = 8 };

/* What a model has, for (2). */
enum {
	SINGLE = 1,
	DOUBLE = 2,
	WEIGHTS = 4, /* sums of weights; else of kernels of vectors */
	VECTORS = 8,
	DENSE = 16,
	SPARSE = 32,
	DOTS = 64, /* kernels by inner products: all but rbf in single precision */
	LINEAR = 1 << 7,
	POLYNOMIAL = 1 << 8,
	RBF = 1 << 9,
	SIGMOID = 1 << 10,
	VALUE = 1 << 11, /* predicts a value; else a label: */
	LABEL = 1 << 12,
	SIGN = 1 << 13, /* by the sign of one value, the largest value, or votes */
	LARGEST = 1 << 14,
	VOTES = 1 << 15,
	P = 1 << 16, /* has probabilities: */
	DENSITY = 1 << 17,
	LOGISTIC = 1 << 18,
	REST = 1 << 19,
	PAIRS = 1 << 20,
	TWO = 1 << 21,
	MANY = 1 << 22,
	EXP = 1 << 23,	 /* needs exp() */
	ORDER = 1 << 24, /* needs the largest of all classes */
	PLUS = 1 << 25,
	MINUS = 1 << 26
};

struct part {
	int needs;
	const char *text;
};

struct c_writer {
	const struct export_form *f;
	struct output *to;
	struct error *err;
	char name[64], upper[64];
	int has;
	bool single;
	int64_t bytes; /* of the tables so far */
};

/* ---- (2): text ---- */

/* clang-format off */
static const struct part head[] = {
	{ 0, " * Written by randsvm; C99 without any library.  x[0] is feature 1, and features that a\n"
	  " * row does not have are 0; others than these have no place.\n *\n" },
	{ SINGLE, " * Numbers are floats: values are those of svm-eval but for their rounding.\n" },
	{ DOUBLE, " * Decision values have the bits of svm-eval's wherever doubles are those of IEEE 754,\n"
	  " * FLT_EVAL_METHOD is 0, and the compiler fuses no operations.\n" },
	{ P | DOUBLE, " * Probabilities are within 1e-12, as exp() is not the C library's.\n" },
	{ 0, " *\n *     cc -D^_SELF_TEST @.c && ./a.out     rows whose values are known\n"
	  " *\n *     #define ^_DECLARATIONS               in another file of C or C++\n"
	  " *     #include \"@.c\"\n */\n#ifndef ^_FEATURES\n" },
};

static const struct part declarations[] = {
	{ 0, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n" },
	{ SIGN, "/* the first is predicted where the decision value is above 0 */\n" },
	{ LABEL, "extern const int @_label[^_CLASSES];\n" },
	{ LARGEST, "/* a decision value of each class */\n" },
	{ VOTES, "/* a decision value of classes 0 and 1, 0 and 2, ..., 1 and 2, ... */\n" },
	{ 0, "void @_values(const $ *x, $ *values);\n" },
	{ VALUE, "$ @_predict(const $ *x);\n" },
	{ LABEL, "/* a label */\nint @_predict(const $ *x);\n" },
	{ P, "/* p[k] of each class; returns the label that svm-eval -b 1 predicts */\n"
	  "int @_probabilities(const $ *x, $ *p);\n" },
	{ 0, "#ifdef __cplusplus\n}\n#endif\n#endif\n\n#ifndef ^_DECLARATIONS\n"
	  "#include <stdint.h>\n\n#if defined(__clang__)\n#pragma STDC FP_CONTRACT OFF\n"
	  "#elif defined(__GNUC__)\n#pragma GCC optimize(\"fp-contract=off\")\n#endif\n"
	  "#ifdef __FLASH\n#define ^_CONST static const __flash\n#else\n"
	  "#define ^_CONST static const\n#endif\n\n" },
	{ DOUBLE, "/* fails where a double has not 8 bytes: such a machine takes floats */\n"
	  "typedef char @_needs_doubles[sizeof(double) == 8 ? 1 : -1];\n\n" },
};

static const struct part kernels[] = {
	{ EXP, "\n/* x = k ln 2 + r; the series of exp(r); 2^k by the exponent */\n"
	  "static $ @_exp($ x)\n{\n\tstatic const $ c[] = {\n" },
	{ EXP | DOUBLE, "\t\t1 / 6227020800.0, 1 / 479001600.0, 1 / 39916800.0, 1 / 3628800.0,\n"
	  "\t\t1 / 362880.0, 1 / 40320.0,\n" },
	{ EXP, "\t\t1 / ($)5040, 1 / ($)720, 1 / ($)120, 1 / ($)24, 1 / ($)6, 1 / ($)2, 1, 1\n"
	  "\t};\n" },
	{ EXP | DOUBLE, "\tconst $ shift = 6755399441055744.0, high = 0.6931471803691238,\n"
	  "\t\tlow = 1.9082149292705877e-10, least = -708;\n"
	  "\tunion { $ value; uint64_t bits; } t, p;\n" },
	{ EXP | SINGLE, "\tconst $ shift = 12582912.0f, high = 0.693359375f, low = -2.12194440e-4f,\n"
	  "\t\tleast = -87;\n\tunion { $ value; uint32_t bits; } t, p;\n" },
	{ EXP, "\t$ k, r;\n\tint i;\n\n\tif (x < least)\n\t\treturn 0;\n"
	  "\tt.value = x * ($)1.4426950408889634 + shift;\n\tk = t.value - shift;\n"
	  "\tr = (x - k * high) - k * low;\n\tp.value = c[0];\n"
	  "\tfor (i = 1; i < (int)(sizeof(c) / sizeof(c[0])); i++)\n"
	  "\t\tp.value = p.value * r + c[i];\n" },
	{ EXP | DOUBLE, "\tp.bits += t.bits << 52;\n" },
	{ EXP | SINGLE, "\tp.bits += t.bits << 23;\n" },
	{ EXP, "\treturn p.value;\n}\n" },
	{ SIGMOID, "\nstatic $ @_tanh($ x)\n{\n\t$ size = x < 0 ? -x : x, s, t;\n\n"
	  "\tif (size > 20)\n\t\tsize = 20;\n\ts = size * size;\n\tt = @_exp(2 * size);\n"
	  "\tt = 4 * size <= 1 ? size * (10395 + s * (1260 + 21 * s)) /\n"
	  "\t\t(10395 + s * (4725 + s * (210 + s))) : (t - 1) / (t + 1);\n"
	  "\treturn x < 0 ? -t : t;\n}\n" },
	{ RBF, "\n/* |s - z|^2 of vector v by coordinates */\n"
	  "static $ @_distance(const $ *z, long v)\n{\n\t$ sum = 0, d;\n" },
	{ RBF | DENSE, "\tlong j;\n\n\tfor (j = 0; j < ^_N; j++) {\n"
	  "\t\td = @_vector[v * ^_N + j] - z[j];\n" },
	{ RBF | SPARSE, "\tlong j, k = @_start[v], end = @_start[v + 1];\n\n"
	  "\tfor (j = 0; j < ^_N; j++) {\n"
	  "\t\td = (k < end && @_column[k] == j ? @_vector[k++] : 0) - z[j];\n" },
	{ RBF, "\t\tsum += d * d;\n\t}\n\treturn sum;\n}\n" },
	{ VECTORS, "\n/* the kernel of vector v and z, whose squared norm is zz */\n"
	  "static $ @_kernel(const $ *z, $ zz, long v)\n{\n" },
	{ DOTS, "\t$ dot = 0;\n\tlong k;\n\n" },
	{ DOTS | DENSE, "\tfor (k = 0; k < ^_N; k++)\n"
	  "\t\tdot += @_vector[v * ^_N + k] * z[k];\n" },
	{ DOTS | SPARSE, "\tfor (k = @_start[v]; k < (long)@_start[v + 1]; k++)\n"
	  "\t\tdot += @_vector[k] * z[@_column[k]];\n" },
	{ VECTORS, "\t(void)zz;\n" },
	{ LINEAR, "\treturn dot;\n" },
	{ POLYNOMIAL, "\tdot = ^_GAMMA * dot + ^_COEF0;\n"
	  "\tfor (zz = 1, k = ^_DEGREE; k > 0; k /= 2, dot *= dot)\n"
	  "\t\tzz = k % 2 == 1 ? zz * dot : zz;\n\treturn zz;\n" },
	{ RBF | SINGLE, "\treturn @_exp(-^_GAMMA * @_distance(z, v));\n" },
	{ RBF | DOUBLE, "\t/* products are too coarse far from 0 */\n"
	  "\tif (!(^_GAMMA * zz <= 268435456.0 && ^_GAMMA * @_norm[v] <= 268435456.0))\n"
	  "\t\treturn @_exp(-^_GAMMA * @_distance(z, v));\n"
	  "\treturn @_exp(-^_GAMMA * (zz + @_norm[v] - 2 * dot));\n" },
	{ SIGMOID, "\treturn @_tanh(^_GAMMA * dot + ^_COEF0);\n" },
	{ VECTORS, "}\n" },
	{ 0, "\nvoid @_values(const $ *x, $ *values)\n{\n" },
};

static const struct part functions[] = {
	{ WEIGHTS, "\tlong k, v;\n\n\tfor (v = 0; v < ^_VALUES; v++)\n\t\tvalues[v] = 0;\n"
	  "\tfor (k = 0; k < ^_WEIGHTS; k++) {\n\t\tconst $ z_k = z[^_PLACE(k)];\n\n"
	  "\t\tif (z_k != 0)\n\t\t\tfor (v = 0; v < ^_VALUES; v++)\n"
	  "\t\t\t\tvalues[v] += z_k * @_weight[k * ^_VALUES + v];\n\t}\n" },
	{ VECTORS, "\t$ zz = 0;\n\tlong a, b, k, v;\n\n\tfor (k = 0; k < ^_N; k++)\n"
	  "\t\tzz += z[k] * z[k];\n\tfor (v = 0; v < ^_VALUES; v++)\n\t\tvalues[v] = 0;\n"
	  "\tfor (a = 0; a < ^_CLASSES; a++)\n"
	  "\t\tfor (v = @_first[a]; v < (long)@_first[a + 1]; v++) {\n"
	  "\t\t\tconst $ value = @_kernel(z, zz, v);\n\n"
	  "\t\t\tfor (b = 0; b < ^_CLASSES; b++) {\n"
	  "\t\t\t\tconst long low = a < b ? a : b, high = a < b ? b : a;\n\n"
	  "\t\t\t\tif (a != b)\n"
	  "\t\t\t\t\tvalues[low * ^_CLASSES - low * (low + 1) / 2 + high - low - 1] +=\n"
	  "\t\t\t\t\t\t@_coef[(b < a ? b : b - 1) * (long)^_VECTORS + v] * value;\n\t\t\t}\n"
	  "\t\t}\n" },
	{ PLUS, "\tfor (v = 0; v < ^_VALUES; v++)\n\t\tvalues[v] += @_plus[v];\n" },
	{ MINUS, "\tfor (v = 0; v < ^_VALUES; v++)\n\t\tvalues[v] -= @_minus[v];\n" },
	{ 0, "}\n" },
	{ ORDER, "\nstatic int @_largest(const $ *p)\n{\n\tint k, best = 0;\n\n"
	  "\tfor (k = 1; k < ^_CLASSES; k++)\n\t\tif (p[k] > p[best])\n\t\t\tbest = k;\n"
	  "\treturn best;\n}\n" },
	{ VALUE, "\n$ @_predict(const $ *x)\n{\n\t$ value;\n\n\t@_values(x, &value);\n"
	  "\treturn value;\n}\n" },
	{ LABEL, "\nint @_predict(const $ *x)\n{\n\t$ values[^_VALUES];\n" },
	{ VOTES, "\tint votes[^_CLASSES] = { 0 }, best = 0, a, b;\n\tlong v = 0;\n" },
	{ LABEL, "\n\t@_values(x, values);\n" },
	{ SIGN, "\treturn @_label[values[0] > 0 ? 0 : 1];\n" },
	{ LARGEST, "\treturn @_label[@_largest(values)];\n" },
	{ VOTES, "\tfor (a = 0; a < ^_CLASSES; a++)\n"
	  "\t\tfor (b = a + 1; b < ^_CLASSES; b++)\n\t\t\tvotes[values[v++] > 0 ? a : b]++;\n"
	  "\tfor (a = 1; a < ^_CLASSES; a++)\n\t\tbest = votes[a] > votes[best] ? a : best;\n"
	  "\treturn @_label[best];\n" },
	{ LABEL, "}\n" },
};

/* As in predict.c and probability.c. */
static const struct part probabilities[] = {
	{ PAIRS | MANY, "\n/* Wu, Lin and Weng 2004, Algorithm 2 */\n"
	  "static void @_couple($ r[][^_CLASSES], $ *p)\n{\n"
	  "\t$ q[^_CLASSES][^_CLASSES], qp[^_CLASSES], worst, p_qp, step, sum;\n"
	  "\tint t, j, round;\n\n\tfor (t = 0; t < ^_CLASSES; t++) {\n"
	  "\t\tp[t] = 1 / ($)^_CLASSES;\n\t\tq[t][t] = 0;\n"
	  "\t\tfor (j = 0; j < ^_CLASSES; j++)\n\t\t\tif (j != t) {\n"
	  "\t\t\t\tq[t][t] += r[j][t] * r[j][t];\n\t\t\t\tq[t][j] = -r[j][t] * r[t][j];\n"
	  "\t\t\t}\n\t}\n"
	  "\tfor (round = 0; round < (^_CLASSES > 100 ? ^_CLASSES : 100); round++) {\n"
	  "\t\tp_qp = worst = 0;\n\t\tfor (t = 0; t < ^_CLASSES; t++) {\n\t\t\tqp[t] = 0;\n"
	  "\t\t\tfor (j = 0; j < ^_CLASSES; j++)\n\t\t\t\tqp[t] += q[t][j] * p[j];\n"
	  "\t\t\tp_qp += p[t] * qp[t];\n\t\t}\n\t\tfor (t = 0; t < ^_CLASSES; t++) {\n"
	  "\t\t\tstep = qp[t] > p_qp ? qp[t] - p_qp : p_qp - qp[t];\n"
	  "\t\t\tworst = step > worst ? step : worst;\n\t\t}\n"
	  "\t\tif (worst < ($)0.005 / ^_CLASSES)\n\t\t\tbreak;\n"
	  "\t\tfor (t = 0; t < ^_CLASSES; t++) {\n\t\t\tstep = (p_qp - qp[t]) / q[t][t];\n"
	  "\t\t\tsum = 1 + step;\n"
	  "\t\t\tp_qp = (p_qp + step * (step * q[t][t] + 2 * qp[t])) / sum / sum;\n"
	  "\t\t\tp[t] += step;\n\t\t\tfor (j = 0; j < ^_CLASSES; j++) {\n"
	  "\t\t\t\tqp[j] = (qp[j] + step * q[t][j]) / sum;\n\t\t\t\tp[j] /= sum;\n\t\t\t}\n"
	  "\t\t}\n\t}\n}\n" },
	{ P, "\nint @_probabilities(const $ *x, $ *p)\n{\n" },
	{ DENSITY, "\t$ value;\n\tint i = 0;\n\n\t@_values(x, &value);\n"
	  "\twhile (i < ^_MARKS && value >= @_mark[i])\n\t\ti++;\n"
	  "\tp[0] = i == 0 ? ($)0.001 : i == ^_MARKS ? ($)0.999 : ($)i / ^_MARKS;\n"
	  "\tp[1] = 1 - p[0];\n\treturn @_predict(x);\n" },
	{ LOGISTIC, "\t$ sum = 0;\n\tint k;\n\n\t@_values(x, p);\n"
	  "\tfor (k = 0; k < ^_VALUES; k++) {\n"
	  "\t\tp[k] = p[k] <= 0 ? @_exp(p[k]) / (1 + @_exp(p[k])) : 1 / (1 + @_exp(-p[k]));\n"
	  "\t\tsum += p[k];\n\t}\n\tif (^_VALUES < ^_CLASSES)\n\t\tp[1] = 1 - p[0];\n"
	  "\tfor (k = 0; k < ^_CLASSES && ^_VALUES == ^_CLASSES; k++)\n\t\tp[k] /= sum;\n"
	  "\treturn @_predict(x);\n" },
	{ REST, "\t$ most, sum = 0;\n\tint k;\n\n\tp[1] = 0;\n\t@_values(x, p);\n"
	  "\tfor (k = 0; k < ^_VALUES; k++)\n\t\tp[k] = -(p[k] * @_a[k] + @_b[k]);\n"
	  "\tmost = p[@_largest(p)];\n\tfor (k = 0; k < ^_CLASSES; k++)\n"
	  "\t\tsum += p[k] = @_exp(p[k] - most);\n\tfor (k = 0; k < ^_CLASSES; k++)\n"
	  "\t\tp[k] /= sum;\n\treturn @_label[@_largest(p)];\n" },
	{ PAIRS, "\t$ values[^_VALUES], r[^_CLASSES][^_CLASSES], t;\n\tint a, b;\n"
	  "\tlong v = 0;\n\n\t@_values(x, values);\n\tfor (a = 0; a < ^_CLASSES; a++)\n"
	  "\t\tfor (b = a + 1; b < ^_CLASSES; b++, v++) {\n"
	  "\t\t\tt = values[v] * @_a[v] + @_b[v];\n"
	  "\t\t\tt = t >= 0 ? @_exp(-t) / (1 + @_exp(-t)) : 1 / (1 + @_exp(t));\n"
	  "\t\t\tt = t < ($)1e-7 ? ($)1e-7 : t > 1 - ($)1e-7 ? 1 - ($)1e-7 : t;\n"
	  "\t\t\tr[a][b] = t;\n\t\t\tr[b][a] = 1 - t;\n\t\t}\n" },
	{ PAIRS | TWO, "\tp[0] = r[0][1];\n\tp[1] = r[1][0];\n" },
	{ PAIRS | MANY, "\t@_couple(r, p);\n" },
	{ PAIRS, "\treturn @_label[@_largest(p)];\n" },
	{ P, "}\n" },
	{ 0, "\n#ifdef ^_SELF_TEST\n#include <stdio.h>\n\n" },
};

static const struct part test[] = {
	{ 0, "\nint main(void)\n{\n"
	  "\tstatic $ x[^_FEATURES], values[^_VALUES], p[^_CLASSES];\n"
	  "\tdouble d, largest = 0;\n\tlong i, k, n_wrong = 0;\n\n"
	  "\tfor (i = 0; i < ^_TESTS; i++) {\n\t\tfor (k = 0; k < ^_FEATURES; k++)\n"
	  "\t\t\tx[k] = 0;\n\t\tfor (k = @_test_start[i]; k < (long)@_test_start[i + 1]; k++)\n"
	  "\t\t\tx[@_test_feature[k]] = @_test_x[k];\n\t\t@_values(x, values);\n"
	  "\t\tfor (k = 0; k < ^_VALUES; k++) {\n"
	  "\t\t\td = (double)values[k] - (double)@_test_values[i * ^_VALUES + k];\n"
	  "\t\t\tlargest = d > largest ? d : -d > largest ? -d : largest;\n\t\t}\n" },
	{ LABEL, "\t\tn_wrong += @_predict(x) != @_test_predicted[i];\n" },
	{ P, "\t\t@_probabilities(x, p);\n\t\tfor (k = 0; k < ^_CLASSES; k++) {\n"
	  "\t\t\td = (double)p[k] - (double)@_test_p[i * ^_CLASSES + k];\n"
	  "\t\t\tn_wrong += !(d < ^_NEAR && d > -^_NEAR);\n\t\t}\n" },
	{ 0, "\t\t(void)p;\n\t}\n"
	  "\tprintf(\"@: %d rows, %ld wrong; largest difference of a value %g\\n\",\n"
	  "\t\t^_TESTS, n_wrong, largest);\n\treturn n_wrong > 0" },
	{ DOUBLE, " || largest > 0" },
	{ 0, ";\n}\n#endif\n#endif\n" },
};
/* clang-format on */

static void put(struct c_writer *w, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "@^$");
		const char *word = text[n] == '@' ? w->name :
				   text[n] == '^' ? w->upper :
				   w->single	  ? "float" :
						    "double";

		output_write(w->to, text, (int64_t)n, w->err);
		text += n;
		if (*text)
			output_write(w->to, word, (int64_t)strlen(word), w->err);
		text += *text != '\0';
	}
}

static void put_format(struct c_writer *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void put_format(struct c_writer *w, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	put(w, text);
}

static void put_list(struct c_writer *w, const struct part *part, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if ((w->has & part[k].needs) == part[k].needs)
			put(w, part[k].text);
}
#define put_parts(w, parts) put_list(w, parts, sizeof(parts) / sizeof(*(parts)))

/* ---- (1): numbers ---- */

struct number {
	char text[DECIMAL_SHORTEST_SIZE + 4];
};

/* A constant of C from which the same number is read. */
static struct number real(struct c_writer *w, double x)
{
	struct number number;

	if (w->single && !isfinite((float)x))
		error_set(w->err, ERR_NUMERIC, "a number of the model is beyond single precision");
	if (w->single)
		decimal_shortest_single((float)x, number.text);
	else
		decimal_shortest(x, number.text);
	strcat(number.text, strpbrk(number.text, ".e") ? "" : ".0");
	strcat(number.text, w->single ? "f" : "");
	return number;
}

/* Behind number i of the n of a table. */
static void put_separator(struct c_writer *w, int64_t i, int64_t n)
{
	put(w, i + 1 >= n ? "\n};\n" : (i + 1) % NUMBERS_IN_LINE == 0 ? ",\n\t" : ", ");
}

/* A table of n numbers; C has none of none. */
static void put_reals(struct c_writer *w, const char *name, const double *x, int64_t n)
{
	put_format(w, "^_CONST $ @_%s[] = {\n\t%s", name, n == 0 ? "0\n};\n" : "");
	for (int64_t i = 0; i < n; i++) {
		put(w, real(w, x[i]).text);
		put_separator(w, i, n);
	}
	w->bytes += n * (int64_t)(w->single ? sizeof(float) : sizeof(double));
}

/* Likewise numbers from 0 on, each x[i] - less, or ends[i], in the fewest bytes. */
static void put_integers(struct c_writer *w, const char *name, const int32_t *x, int32_t less,
			 const int64_t *ends, int64_t n)
{
	int64_t most = 0;
	int size;

	for (int64_t i = 0; i < n; i++)
		most = int64_max(most, ends ? ends[i] : x[i] - less);
	size = most <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : 4;
	if (most > UINT32_MAX)
		error_set(w->err, ERR_ARGUMENT, "the model has too many numbers");
	put_format(w, "^_CONST uint%d_t @_%s[] = {\n\t%s", 8 * size, name, n == 0 ? "0\n};\n" : "");
	for (int64_t i = 0; i < n; i++) {
		put_format(w, "%" PRId64, ends ? ends[i] : x[i] - less);
		put_separator(w, i, n);
	}
	w->bytes += n * size;
}

static void put_vectors(struct c_writer *w)
{
	const struct csr *x = &w->f->vector;
	const struct solution *s = &w->f->chain->model.solution;
	const struct expansion *e = &w->f->predictor.expansion;
	const int64_t n = w->has & DENSE ? w->f->n : 0;
	double *full = mem_array(x->n_rows * n, sizeof(*full), w->err);

	for (int64_t v = 0; full && n > 0 && v < x->n_rows; v++)
		csr_fill_row(x, v, full + v * n);
	if (full && n > 0)
		put_reals(w, "vector", full, x->n_rows * n);
	mem_free(full);
	if (n == 0) {
		put_reals(w, "vector", x->val, csr_n_entries(x));
		put_integers(w, "column", x->col, 0, NULL, csr_n_entries(x));
		put_integers(w, "start", NULL, 0, x->row_start, x->n_rows + 1);
	}
	if (w->has & DOUBLE && w->has & RBF)
		put_reals(w, "norm", e->sv.norm2, x->n_rows);
	put_reals(w, "coef", s->coef, (s->n_class - 1) * s->n_sv);
	put_integers(w, "first", NULL, 0, e->class_start, s->n_class + 1);
	put_format(w, "#define ^_N %" PRId64 "\n#define ^_VECTORS %" PRId64 "\n", w->f->n, s->n_sv);
	put_format(w, "#define ^_GAMMA %s\n", real(w, e->kernel.gamma).text);
	put_format(w, "#define ^_COEF0 %s\n#define ^_DEGREE %d\n", real(w, e->kernel.coef0).text,
		   e->kernel.degree);
}

static void put_tables(struct c_writer *w)
{
	const struct export_form *f = w->f;
	const struct predictor *p = &f->predictor;
	const struct model *m = p->model;
	const int n_marks = m->solution.n_density_marks;

	if (w->has & WEIGHTS)
		put_reals(w, "weight", f->weight, f->n_weights * p->n_values);
	else
		put_vectors(w);
	if (w->has & WEIGHTS && f->n_weights < f->n)
		put_integers(w, "place", f->place, 0, NULL, f->n_weights);
	if (w->has & WEIGHTS)
		put_format(w, "#define ^_WEIGHTS %" PRId64 "\n#define ^_PLACE(k) %s\n",
			   f->n_weights, f->n_weights < f->n ? "@_place[k]" : "k");
	if (f->plus)
		put_reals(w, "plus", f->plus, p->n_values);
	if (f->minus)
		put_reals(w, "minus", f->minus, p->n_values);
	if (w->has & DENSITY) {
		put_reals(w, "mark", m->solution.density_marks, n_marks);
		put_format(w, "#define ^_MARKS %d\n", n_marks);
	}
	if (w->has & (PAIRS | REST)) {
		put_reals(w, "a", m->is_linear_model ? m->linear.prob_a : m->solution.prob_a,
			  p->n_values);
		put_reals(w, "b", m->is_linear_model ? m->linear.prob_b : m->solution.prob_b,
			  p->n_values);
	}
	if (w->has & LABEL)
		put(w, "const int @_label[^_CLASSES] = {\n\t");
	for (int k = 0; w->has & LABEL && k < p->n_class; k++) {
		put_format(w, "%d", predictor_labels(p)[k]);
		put_separator(w, k, p->n_class);
	}
}

/* Tables of the stages, and z of x at the beginning of the function of values. */
static void put_stage_tables(struct c_writer *w)
{
	const struct export_form *f = w->f;

	for (int s = 0; s < f->n_stages; s++) {
		const struct export_stage *stage = &f->stage[s];
		const char *const name[] = { "least0\0least1\0least2\0least3" + 7 * s,
					     "most0\0most1\0most2\0most3" + 6 * s };

		put_reals(w, name[0], stage->least, f->n);
		if (!stage->is_scaling)
			continue;
		put_reals(w, name[1], stage->most, f->n);
		put_format(w,
			   "static $ @_scale%d($ x, long j)\n{\n"
			   "\tconst $ least = @_%s[j], most = @_%s[j], low = %s, high = %s;\n\n"
			   "\treturn x == least ? low : x == most ? high :\n"
			   "\t\tlow + (high - low) * (x - least) / (most - least);\n}\n",
			   s, name[0], name[1], real(w, stage->low).text,
			   real(w, stage->high).text);
	}
	if (f->input)
		put_integers(w, "input", f->input, 1, NULL, f->n);
}

static void put_stages(struct c_writer *w)
{
	const struct export_form *f = w->f;

	if (!f->input) {
		put(w, "\tconst $ *z = x;\n");
		return;
	}
	put_format(w,
		   "\t$ z[%" PRId64 "] = { 0 };\n\tlong j;\n\n\tfor (j = 0; j < %" PRId64
		   "; j++) {\n\t\tz[j] = x[@_input[j]];\n",
		   int64_max(f->n, 1), f->n);
	for (int s = 0; s < f->n_stages; s++)
		put_format(w,
			   f->stage[s].is_scaling ? "\t\tz[j] = @_scale%d(z[j], j);\n" :
						    "\t\tz[j] = @_least%d[j] * z[j];\n",
			   s);
	put(w, "\t}\n");
}

static void put_test_tables(struct c_writer *w)
{
	const struct export_form *f = w->f;
	const struct row_batch *rows = &f->test;

	put_integers(w, "test_start", NULL, 0, rows->row_start, rows->n_rows + 1);
	put_integers(w, "test_feature", rows->index, 1, NULL, rows->n_entries);
	put_reals(w, "test_x", rows->value, rows->n_entries);
	put_reals(w, "test_values", f->values, rows->n_rows * f->predictor.n_values);
	if (w->has & LABEL)
		put_reals(w, "test_predicted", f->predicted, rows->n_rows);
	if (w->has & P)
		put_reals(w, "test_p", f->probability, rows->n_rows * f->predictor.n_class);
	put_format(w, "#define ^_TESTS %d\n#define ^_NEAR %s\n", (int)rows->n_rows,
		   w->single ? "1e-3" : "1e-12");
}

/* ---- all of it ---- */

/* Would the vectors take fewer bytes with their zeros than with the numbers of their columns? */
static bool is_dense(const struct export_form *f, int64_t value)
{
	const int64_t column = f->n <= 1 << 8 ? 1 : f->n <= 1 << 16 ? 2 : 4;

	return f->vector.n_rows * f->n * value <= csr_n_entries(&f->vector) * (value + column);
}

static int kernel_parts(enum kernel_type type, bool single)
{
	switch (type) {
	case KERNEL_LINEAR:
	case KERNEL_PRECOMPUTED:
		return LINEAR | DOTS;
	case KERNEL_POLYNOMIAL:
		return POLYNOMIAL | DOTS;
	case KERNEL_RBF:
		return RBF | EXP | (single ? 0 : DOTS);
	case KERNEL_SIGMOID:
		return SIGMOID | EXP | DOTS;
	}
	return 0;
}

static int parts_of(const struct export_form *f, bool single)
{
	const struct predictor *p = &f->predictor;
	const bool is_class = p->kind == PREDICTS_CLASS, many = p->n_class > 2;
	const bool by_sign = p->kind == PREDICTS_SIDE || (is_class && p->n_values == 1);
	const struct linear_model *l = p->model->is_linear_model ? &p->model->linear : NULL;
	int has = (single ? SINGLE : DOUBLE) | (many ? MANY : TWO);

	has |= p->kind == PREDICTS_VALUE ? VALUE : LABEL;
	has |= by_sign ? SIGN : !is_class ? 0 : l ? LARGEST | ORDER : VOTES;
	has |= (f->plus ? PLUS : 0) | (f->minus ? MINUS : 0);
	has |= f->is_linear ?
		       WEIGHTS :
		       VECTORS | kernel_parts(p->model->kernel.type, single) |
			       (is_dense(f, single ? sizeof(float) : sizeof(double)) ? DENSE :
										       SPARSE);
	if (!p->has_probabilities || p->kind == PREDICTS_VALUE)
		return has;
	return has | P |
	       (!is_class   ? DENSITY :
		!l	    ? PAIRS | ORDER | EXP :
		l->logistic ? LOGISTIC | EXP :
			      REST | ORDER | EXP);
}

int64_t export_write_c(const struct export_form *f, struct output *to, struct error *err)
{
	static const char *const predicts[] = { "classes", "a regression", "one class" };
	static const char *const kernel_names[KERNEL_N_TYPES] = { "linear", "polynomial", "rbf",
								  "sigmoid", "" };
	struct c_writer w = { .f = f, .to = to, .err = err };
	const struct predictor *p = &f->predictor;
	int64_t bytes;

	w.single = f->options->kind == EXPORT_C_FLOAT;
	w.has = parts_of(f, w.single);
	export_name(f->options->path, w.name, sizeof(w.name));
	for (int k = 0; w.name[k]; k++)
		w.upper[k] = (char)(w.name[k] >= 'a' && w.name[k] <= 'z' ? w.name[k] - 'a' + 'A' :
									   w.name[k]);
	put_format(&w, "/*\n * @.c - a model of %s: %s, %" PRId64 " features, %" PRId64 " %s\n *\n",
		   predicts[p->kind], f->is_linear ? "linear" : kernel_names[p->model->kernel.type],
		   f->n_inputs, f->is_linear ? f->n_weights : f->vector.n_rows,
		   f->is_linear ? "with weights" : "support vectors");
	put_parts(&w, head);
	put_format(&w, "#define ^_FEATURES %" PRId64 "\n#define ^_VALUES %" PRId64 "\n",
		   int64_max(f->n_inputs, 1), p->n_values);
	put_format(&w, "#define ^_CLASSES %d\n", p->n_class);
	put_parts(&w, declarations);
	put_stage_tables(&w);
	put_tables(&w);
	put_parts(&w, kernels);
	put_stages(&w);
	put_parts(&w, functions);
	put_parts(&w, probabilities);
	bytes = w.bytes;
	put_test_tables(&w);
	put_parts(&w, test);
	return bytes;
}

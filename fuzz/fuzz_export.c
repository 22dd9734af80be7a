/*
 * fuzz_export.c - models and chains: as C, in doubles and floats, and as a graph of ONNX
 *
 * What parses is refused with a reason, or written.  A file of C is text in which brackets and quotes
 * close; its tables hold numbers that their types hold, as many as its sizes say, and in doubles the
 * model's own.  In a file of ONNX messages fill what is around them, tensors have the bytes that their
 * dimensions say, names come before they are used, and shapes fit.  (test/export.sh compiles files, and runs graphs.)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <ctype.h>
#include <math.h>
#include <sys/stat.h>

#include "export/export.h"
#include "export/export_form.h"
#include "map_text.h"

enum {
	LARGE = 1 << 10,   /* columns, and features of dense vectors */
	LARGEST = 1 << 20, /* features */
	MOST_TABLES = 32,
	MOST_NAMES = 1 << 10
};

/* Bytes of a file, or of a part of one. */
struct span {
	const char *at, *end;
};

static bool span_is(struct span s, const char *text)
{
	return s.end - s.at == (ptrdiff_t)strlen(text) && memcmp(s.at, text, strlen(text)) == 0;
}

/* ---- C: text ---- */

/* Past a comment or a literal that begins at 'at', or 'at'. */
static const char *past_quoted(const char *at)
{
	const char quote = *at;

	if (at[0] == '/' && at[1] == '*') {
		at = strstr(at + 2, "*/");
		REQUIRE(at);
		return at + 2;
	}
	if (quote != '"' && quote != '\'')
		return at;
	for (at++; *at != quote; at++) {
		REQUIRE(*at && *at != '\n');
		at += *at == '\\';
	}
	return at + 1;
}

/* Brackets close in the order in which they open, and no byte is strange. */
static void check_text(const char *at)
{
	char open[64];
	int depth = 0;

	while (*at) {
		const char *past = past_quoted(at);
		const char *pair = *at ? strchr("()[]{}", *at) : NULL;

		REQUIRE(isprint((unsigned char)*at) || *at == '\n' || *at == '\t');
		if (past > at) {
			at = past;
			continue;
		}
		if (pair && strchr("([{", *pair)) {
			REQUIRE(depth < (int)sizeof(open));
			open[depth++] = pair[1];
		} else if (pair) {
			REQUIRE(depth > 0 && open[--depth] == *pair);
		}
		at++;
	}
	REQUIRE(depth == 0);
}

/* ---- C: tables ---- */

struct table {
	struct span name; /* behind that of the file */
	int64_t n, bits;  /* bits of an integer; 0: a real number */
	double *number;
};

struct program {
	const char *text;
	char name[64], upper[64];
	bool single;
	int n;
	struct table table[MOST_TABLES];
};

static double size_of(const struct program *p, const char *name)
{
	char line[128];
	const char *at;

	snprintf(line, sizeof(line), "\n#define %s_%s ", p->upper, name);
	at = strstr(p->text, line);
	return at ? strtod(at + strlen(line), NULL) : 0;
}

/* A number of the table at 'at': as its type is, and what the compiler will make of it. */
static const char *read_number(const struct program *p, const struct table *t, const char *at,
			       double *x)
{
	char *end;

	*x = p->single && t->bits == 0 ? (double)strtof(at, &end) : strtod(at, &end);
	REQUIRE(end > at && isfinite(*x) && !isspace((unsigned char)*at) && *at != '+');
	if (t->bits > 0 || span_is(t->name, "label")) {
		REQUIRE(!memchr(at, '.', (size_t)(end - at)) && *x == floor(*x));
		REQUIRE(t->bits == 0 || (*x >= 0 && *x < ldexp(1, (int)t->bits)));
		REQUIRE(fabs(*x) <= INT32_MAX || t->bits == 32);
	} else if (strncmp(at, "0\n", 2) != 0 || t->n > 0) { /* a table of none has an integer */
		REQUIRE(memchr(at, '.', (size_t)(end - at)) || memchr(at, 'e', (size_t)(end - at)));
		REQUIRE((*end == 'f') == p->single);
		end += p->single;
	}
	return end;
}

/* A table, whose first number is at 'at'. */
static void read_table(struct program *p, struct table *t, const char *at)
{
	for (char last = ','; last != '}'; t->n++) {
		double x;

		REQUIRE(last == ',');
		at = read_number(p, t, at, &x);
		t->number = realloc(t->number, (size_t)(t->n + 1) * sizeof(x));
		REQUIRE(t->number);
		t->number[t->n] = x;
		at += *at == ',' || *at == '\n' ? 0 : strlen(at);
		last = *at == '\n' ? at[1] : ',';
		at += strspn(at, ", \n\t");
	}
}

/* Tables are at the beginnings of lines; their values begin on the next. */
static void read_tables(struct program *p)
{
	char constant[80], label[80];
	const char *at = p->text;

	snprintf(constant, sizeof(constant), "%s_CONST ", p->upper);
	snprintf(label, sizeof(label), "const int %s_label", p->name);
	while ((at = strchr(at, '\n'))) {
		const char *of, *end = strstr(++at, "[");
		struct table *t = &p->table[p->n];
		int bits = 0;

		if (strncmp(at, constant, strlen(constant)) != 0 &&
		    strncmp(at, label, strlen(label)) != 0)
			continue;
		REQUIRE(p->n++ < MOST_TABLES && end);
		of = strstr(at, p->name);
		if (sscanf(at + strlen(constant), "uint%d_t", &bits) != 1)
			REQUIRE(strstr(at, p->single ? "float" : "double") < of ||
				strncmp(at, label, strlen(label)) == 0);
		for (const char *next; (next = strstr(of + 1, p->name)) && next < end;)
			of = next;
		*t = (struct table){ { of + strlen(p->name) + 1, end }, 0, bits, NULL };
		at = strstr(end, "{\n\t");
		REQUIRE(at);
		read_table(p, t, at + 3);
	}
}

static const struct table *find_table(const struct program *p, const char *name)
{
	for (int k = 0; k < p->n; k++)
		if (span_is(p->table[k].name, name))
			return &p->table[k];
	return NULL;
}

/* A table that there may be has n numbers; C has none of none. */
static void check_table(const struct program *p, const char *name, double n)
{
	const struct table *t = find_table(p, name);

	REQUIRE(!t || t->n == (n > 0 ? n : 1));
}

/* Indices below n. */
static void check_indices(const struct program *p, const char *name, double n)
{
	const struct table *t = find_table(p, name);

	for (int64_t i = 0; t && i < t->n; i++)
		REQUIRE(t->number[i] < n || (t->n == 1 && t->number[i] == 0));
}

/* 'n' parts, the last of which ends at the end of another table; returns that. */
static double check_starts(const struct program *p, const char *name, double n, double end)
{
	const struct table *t = find_table(p, name);

	REQUIRE(t && t->n == n + 1 && t->number[0] == 0);
	for (int64_t i = 0; i < t->n - 1; i++)
		REQUIRE(t->number[i] <= t->number[i + 1]);
	REQUIRE(end < 0 || t->number[t->n - 1] == end);
	return t->number[t->n - 1];
}

/* The doubles are those of the model. */
static void check_same(const struct program *p, const char *name, const double *x, int64_t n)
{
	const struct table *t = find_table(p, name);

	REQUIRE(p->single || n == 0 || !x ||
		(t && t->n == n && memcmp(t->number, x, (size_t)n * sizeof(*x)) == 0));
}

static void check_vectors(const struct program *p, const struct model *m)
{
	const double n_vectors = size_of(p, "VECTORS"), n_classes = size_of(p, "CLASSES");
	const double n = size_of(p, "N");
	const struct solution *s = &m->solution;
	double n_numbers = n_vectors * n;

	REQUIRE(n_vectors == (double)s->n_sv && n_classes == s->n_class);
	if (find_table(p, "start"))
		n_numbers = check_starts(p, "start", n_vectors, -1);
	check_table(p, "vector", n_numbers);
	check_table(p, "column", n_numbers);
	check_indices(p, "column", n);
	check_table(p, "norm", n_vectors);
	check_table(p, "coef", (n_classes - 1) * n_vectors);
	check_starts(p, "first", n_classes, n_vectors);
	check_same(p, "coef", s->coef, (s->n_class - 1) * s->n_sv);
	check_same(p, "minus", s->rho, solution_n_pairs(s->n_class));
	if (find_table(p, "start"))
		check_same(p, "vector", m->sv.val, csr_n_entries(&m->sv));
}

static void check_tables(const struct program *p, const struct model *m)
{
	const double n_values = size_of(p, "VALUES"), n_classes = size_of(p, "CLASSES");
	const double n = size_of(p, "N"), n_tests = size_of(p, "TESTS");
	const double n_test = check_starts(p, "test_start", n_tests, -1);
	char name[24];

	for (int s = 0; s < CHAIN_MOST_MAPS; s++) {
		snprintf(name, sizeof(name), "least%d", s);
		check_table(p, name, n);
		snprintf(name, sizeof(name), "most%d", s);
		check_table(p, name, n);
	}
	check_table(p, "input", n);
	check_indices(p, "input", size_of(p, "FEATURES"));
	if (find_table(p, "first")) {
		check_vectors(p, m);
	} else {
		check_table(p, "weight", size_of(p, "WEIGHTS") * n_values);
		check_table(p, "place", size_of(p, "WEIGHTS"));
		check_indices(p, "place", n);
	}
	check_table(p, "plus", n_values);
	check_table(p, "minus", n_values);
	check_table(p, "mark", size_of(p, "MARKS"));
	check_table(p, "a", n_values);
	check_table(p, "b", n_values);
	check_table(p, "label", n_classes);
	check_table(p, "test_feature", n_test);
	check_indices(p, "test_feature", size_of(p, "FEATURES"));
	check_table(p, "test_x", n_test);
	check_table(p, "test_values", n_tests * n_values);
	check_table(p, "test_predicted", n_tests);
	check_table(p, "test_p", n_tests * n_classes);
}

static void check_program(const char *text, const char *path, bool single, const struct model *m)
{
	struct program p = { .text = text, .single = single };

	export_name(path, p.name, sizeof(p.name));
	for (int k = 0; p.name[k]; k++) {
		REQUIRE(isalnum((unsigned char)p.name[k]) || p.name[k] == '_');
		p.upper[k] = (char)toupper((unsigned char)p.name[k]);
	}
	REQUIRE(isalpha((unsigned char)*p.name));
	check_text(text);
	read_tables(&p);
	check_tables(&p, m);
	for (int k = 0; k < p.n; k++)
		free(p.table[k].number);
}

/* ---- ONNX ---- */

static uint64_t take_varint(struct span *s)
{
	uint64_t x = 0;
	int shift = 0;

	do {
		REQUIRE(s->at < s->end && shift < 64);
		x |= (uint64_t)(*s->at & 127) << shift;
		shift += 7;
	} while (*s->at++ & 128);
	return x;
}

struct field {
	int number, wire;
	uint64_t integer;
	struct span bytes; /* of wire type 2, and of 5 the four of a float */
};

static bool next_field(struct span *s, struct field *f)
{
	uint64_t key, size;

	if (s->at == s->end)
		return false;
	key = take_varint(s);
	*f = (struct field){ .number = (int)(key >> 3), .wire = key & 7 };
	REQUIRE(f->wire == 0 || f->wire == 2 || f->wire == 5);
	if (f->wire == 0) {
		f->integer = take_varint(s);
		return true;
	}
	size = f->wire == 5 ? 4 : take_varint(s);
	REQUIRE(size <= (uint64_t)(s->end - s->at));
	f->bytes = (struct span){ s->at, s->at + size };
	s->at += size;
	return true;
}

/* ---- ONNX: attributes ---- */

/* How many values, the first integer, and the sum of integers. */
struct attribute {
	struct span name;
	int64_t n, first, sum;
};

struct node {
	struct span operator;
	int n, n_inputs, n_outputs;
	struct attribute attribute[16];
	struct span input[2], output[2];
};

static struct attribute read_attribute(struct span s)
{
	struct attribute a = { .name = { NULL, NULL } };
	int64_t type = 0;
	float x;

	for (struct field f; next_field(&s, &f);) {
		if (f.number == 1) {
			a.name = f.bytes;
		} else if (f.number == 20) {
			type = (int64_t)f.integer;
		} else {
			/* an integer, text, floats or integers, the field being the type's + 1 */
			REQUIRE(f.number == 3 || f.number == 4 || f.number == 7 || f.number == 8);
			REQUIRE(f.number == type + 1);
			REQUIRE(f.wire == (f.number == 7 ? 5 : f.number == 4 ? 2 : 0));
			if (f.number == 7) {
				memcpy(&x, f.bytes.at, sizeof(x));
				REQUIRE(isfinite(x));
			}
			a.first = a.n++ == 0 ? (int64_t)f.integer : a.first;
			a.sum += (int64_t)f.integer;
		}
	}
	REQUIRE(a.name.at && type);
	return a;
}

static const struct attribute *attribute(const struct node *node, const char *name)
{
	for (int k = 0; k < node->n; k++)
		if (span_is(node->attribute[k].name, name))
			return &node->attribute[k];
	require_fail(__FILE__, __LINE__, name);
	return NULL;
}

/* ---- ONNX: values and their shapes ---- */

/* A value of so many columns, and rows, or as many as the input has. */
enum { OF_INPUT = -1 };
struct value {
	struct span name;
	int64_t n_rows, n_columns;
};

struct values {
	int n;
	struct value value[MOST_NAMES];
};

static const struct value *find_value(const struct values *v, struct span name)
{
	for (int k = 0; k < v->n; k++)
		if (name.end - name.at == v->value[k].name.end - v->value[k].name.at &&
		    memcmp(name.at, v->value[k].name.at, (size_t)(name.end - name.at)) == 0)
			return &v->value[k];
	return NULL;
}

static void add_value(struct values *v, struct value value)
{
	REQUIRE(value.name.end > value.name.at && !find_value(v, value.name));
	REQUIRE(v->n < MOST_NAMES && value.n_columns > 0);
	v->value[v->n++] = value;
}

/* A tensor: as many bytes of finite numbers as its dimensions say. */
static struct value read_tensor(struct span s)
{
	struct value v = { .n_rows = 1, .n_columns = 0 };
	uint64_t type = 0;
	struct span bytes = { NULL, NULL };

	for (struct field f; next_field(&s, &f);) {
		if (f.number == 1) {
			v.n_rows = v.n_columns > 0 ? v.n_columns : 1;
			v.n_columns = (int64_t)f.integer;
		} else if (f.number == 2) {
			type = f.integer;
		} else if (f.number == 8) {
			v.name = f.bytes;
		} else {
			REQUIRE(f.number == 9);
			bytes = f.bytes;
		}
	}
	REQUIRE(type == 7 || type == 11);
	REQUIRE(bytes.end - bytes.at == 8 * v.n_rows * v.n_columns);
	for (double x; type == 11 && bytes.at < bytes.end; bytes.at += sizeof(x)) {
		memcpy(&x, bytes.at, sizeof(x));
		REQUIRE(isfinite(x));
	}
	return v;
}

/* What SVMClassifier makes of values of pairs: columns, one for each class. */
static int64_t couple(const struct node *node, int64_t n_pairs)
{
	const int64_t n_classes = attribute(node, "classlabels_ints")->n;

	REQUIRE(n_pairs == n_classes * (n_classes - 1) / 2);
	REQUIRE(attribute(node, "vectors_per_class")->n == n_classes);
	REQUIRE(attribute(node, "vectors_per_class")->sum == n_pairs);
	REQUIRE(attribute(node, "support_vectors")->n == n_pairs * n_pairs);
	REQUIRE(attribute(node, "coefficients")->n == (n_classes - 1) * n_pairs);
	REQUIRE(attribute(node, "rho")->n == n_pairs);
	REQUIRE(attribute(node, "prob_a")->n == n_pairs);
	REQUIRE(attribute(node, "prob_b")->n == n_pairs);
	REQUIRE(attribute(node, "kernel_params")->n == 3);
	return n_classes;
}

/* The shape of what an operator makes of values of these shapes, which must fit. */
static struct value shape_of(const struct node *node, struct value a, const struct value *b)
{
	const struct span of = node->operator;

	if (span_is(of, "MatMul")) {
		REQUIRE(b && a.n_columns == b->n_rows);
		a.n_columns = b->n_columns;
	} else if (span_is(of, "Gather") && node->n == 0) {
		REQUIRE(b && a.n_rows == 1 && b->n_rows == OF_INPUT && b->n_columns == 1);
		a = *b;
	} else if (span_is(of, "Gather")) {
		REQUIRE(b && b->n_rows == 1 && attribute(node, "axis")->first == 1);
		a.n_columns = b->n_columns;
	} else if (span_is(of, "Concat")) {
		REQUIRE(b && a.n_rows == b->n_rows && attribute(node, "axis")->first == 1);
		a.n_columns += b->n_columns;
	} else if (span_is(of, "Transpose")) {
		a = (struct value){ .n_rows = a.n_columns, .n_columns = a.n_rows };
	} else if (span_is(of, "ReduceSumSquare") || span_is(of, "ReduceL1")) {
		REQUIRE(attribute(node, "axes")->first == 1);
		a.n_columns = 1;
	} else if (span_is(of, "ArgMax")) {
		REQUIRE(attribute(node, "axis")->first == 1);
		a.n_columns = 1;
	} else if (span_is(of, "SVMClassifier")) {
		a.n_columns = couple(node, a.n_columns);
	} else if (b) {
		REQUIRE(span_is(of, "Add") || span_is(of, "Sub") || span_is(of, "Mul") ||
			span_is(of, "Div") || span_is(of, "Pow"));
		REQUIRE(b->n_rows == 1 || b->n_rows == a.n_rows);
		REQUIRE(b->n_columns == 1 || b->n_columns == a.n_columns);
	} else {
		REQUIRE(span_is(of, "Cast") || span_is(of, "Exp") || span_is(of, "Tanh") ||
			span_is(of, "Sign") || span_is(of, "Softmax") || span_is(of, "Sigmoid"));
	}
	return a;
}

static void read_node(struct span s, struct values *values)
{
	struct node node = { .n = 0 };
	const struct value *in[2] = { NULL, NULL };
	struct value made;

	for (struct field f; next_field(&s, &f);) {
		REQUIRE(f.wire == 2 && (f.number == 7 || (f.number >= 1 && f.number <= 5)));
		REQUIRE(node.n_inputs + (f.number == 1) <= 2 && node.n < 15);
		REQUIRE(node.n_outputs + (f.number == 2) <= 2);
		if (f.number == 1)
			node.input[node.n_inputs++] = f.bytes;
		else if (f.number == 2)
			node.output[node.n_outputs++] = f.bytes;
		else if (f.number == 4)
			node.operator= f.bytes;
		else if (f.number == 5)
			node.attribute[node.n++] = read_attribute(f.bytes);
	}
	REQUIRE(node.operator.at && node.n_inputs> 0 && node.n_outputs> 0);
	for (int k = 0; k < node.n_inputs; k++) {
		in[k] = find_value(values, node.input[k]);
		REQUIRE(in[k]);
	}
	made = shape_of(&node, *in[0], in[1]);
	for (int k = 0; k < node.n_outputs; k++) {
		made.name = node.output[k];
		add_value(values, made);
	}
}

/* An input or output: its name, then its type, messages down to numbers. */
static struct value read_interface(struct span s)
{
	struct value v = { .n_rows = OF_INPUT, .n_columns = 1 };
	struct field f;

	REQUIRE(next_field(&s, &f) && f.number == 1);
	v.name = f.bytes;
	REQUIRE(next_field(&s, &f) && f.number == 2 && f.wire == 2 && s.at == s.end);
	s = f.bytes;
	REQUIRE(next_field(&s, &f) && f.number == 1 && f.wire == 2 && s.at == s.end);
	s = f.bytes;
	REQUIRE(next_field(&s, &f) && f.number == 1 && f.wire == 0);
	REQUIRE(next_field(&s, &f) && f.number == 2 && f.wire == 2 && s.at == s.end);
	for (s = f.bytes; next_field(&s, &f);) {
		struct span dimension = f.bytes;

		REQUIRE(f.number == 1 && f.wire == 2 && next_field(&dimension, &f));
		v.n_columns = f.number == 1 ? (int64_t)f.integer : v.n_columns;
	}
	return v;
}

/* Inputs and tensors have names before all nodes, whose order is that of their use. */
static void check_graph(struct span graph)
{
	struct values values = { 0 };
	int n_outputs = 0;

	for (int pass = 0; pass < 3; pass++) {
		struct span s = graph;

		for (struct field f; next_field(&s, &f);) {
			REQUIRE(f.wire == 2);
			if (pass == 0 && (f.number == 5 || f.number == 11)) {
				add_value(&values,
					  (f.number == 5 ? read_tensor : read_interface)(f.bytes));
			} else if (pass == 1 && f.number == 1) {
				read_node(f.bytes, &values);
			} else if (pass == 2 && f.number == 12) {
				const struct value out = read_interface(f.bytes);
				const struct value *made = find_value(&values, out.name);

				REQUIRE(made && made->n_rows == OF_INPUT);
				REQUIRE(made->n_columns == out.n_columns);
				n_outputs++;
			}
		}
	}
	REQUIRE(n_outputs == 1 || n_outputs == 2);
}

static void check_onnx(const char *bytes, size_t size)
{
	struct span s = { bytes, bytes + size };
	int n_graphs = 0;

	for (struct field f; next_field(&s, &f);) {
		REQUIRE(f.wire == (f.number == 1 ? 0 : 2));
		REQUIRE(f.number <= 2 || f.number == 7 || f.number == 8);
		if (f.number == 7) {
			check_graph(f.bytes);
			n_graphs++;
		}
	}
	REQUIRE(n_graphs == 1);
}

/* ---- all kinds ---- */

/* Export; NULL where that is refused.  The text ends with a 0. */
static char *exported(const struct export_options *o, size_t *size)
{
	struct error err = { 0 };
	struct output *output;
	struct stat info;
	char path[MAP_TEXT_PATH], *text = NULL;
	int fd = map_text_file("", 0, path);

	REQUIRE(output_open(&output, path, false, &err) == 0);
	if (export_model(o, output, &err) < 0) {
		REQUIRE((err.code == ERR_ARGUMENT || err.code == ERR_NUMERIC) && *err.text);
		output_discard(output);
	} else {
		REQUIRE(output_commit(output, &err) == 0 && fstat(fd, &info) == 0);
		*size = (size_t)info.st_size;
		text = calloc(*size + 1, 1);
		REQUIRE(text && pread(fd, text, *size, 0) == info.st_size);
		REQUIRE(o->size->constant_bytes <= info.st_size);
	}
	close(fd);
	return text;
}

static void try(const void *data, size_t size)
{
	static const char *const path[] = { "heart.c", "3-a.b", "/x/_", "" };
	struct chain c;
	struct export_size told;
	struct error err = { 0 };
	char file[MAP_TEXT_PATH];
	int fd;

	if (map_text_claims(data, size, "columns ", LARGE) ||
	    map_text_claims(data, size, "features ", LARGE))
		return;
	fd = map_text_file(data, size, file);
	if (chain_read(&c, file, &err) == 0) {
		const int64_t n_features = model_n_features(&c.model);

		for (int k = 0; k < 6; k++) {
			const struct export_options o = { &c, k / 2, path[size % 4], k % 2, &told };
			char *text = NULL;

			if (n_features < (o.kind == EXPORT_ONNX ? LARGE : LARGEST))
				text = exported(&o, &size);
			if (text && o.kind == EXPORT_ONNX)
				check_onnx(text, size);
			else if (text)
				check_program(text, o.path, o.kind == EXPORT_C_FLOAT, &c.model);
			free(text);
		}
		chain_free(&c);
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	map_text_try(try, data, size);
	return 0;
}

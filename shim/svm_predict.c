/*
 * svm_predict.c - LIBSVM's predictions of one row
 *
 * By the fields of the model as they are at the call, whoever filled or edited them; the model is
 * only read, so that any number of threads may predict.  Decision values are those of svm-eval, and
 * by them predict.h decides.  Where the model or the row cannot be used standard error says why,
 * and the prediction is NAN.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "kernel/kernel_tile.h"
#include "kernel/node_tile.h"
#include "matrix/node_rows.h"
#include "model/predict.h"
#include "host.h"
#include "public_model.h"

/* ---- kernel values of one row with support vectors, all of them nodes as they stand ---- */

/*
 * How this works.  Callers predict one row at a time, and may edit a model between two calls.  So
 * nothing is made of a model beforehand: its nodes are read where they are, once for each
 * prediction.  LIBSVM merges the row with each vector, a comparison of indices for each node of
 * both.  Here the row is spread out once, and a node of a vector finds its element by its index:
 *
 *     row          (1, .5) (5, 2)                      element [0 .5 0 0 0 2]
 *     vector       (2, 1) (5, 3) (9, 1)                dot = 1 element[2] + 3 element[5] = 6
 *
 * Dense vectors, whose indices are first, first + 1, ..., are taken NODE_TILE_VECTORS at a time
 * (node_tile.h).  That reads all nodes that a vector should have, so it must be known that they are
 * there: in the one array of a model that was read from a file (free_sv), the next vector begins
 * where this one should end.  To look at the indices of vectors elsewhere, one after another, would
 * take as long as it saves.
 *
 * Dot products and squared norms of a block of vectors become kernel values by the loops that tiles
 * of rows have (kernel_tile.h), the vectors being the lanes and the row the one vector.
 *
 * To prepare vectors once for many predictions would not be faster: whether a model was edited only
 * its nodes say.  With 1,700 dense vectors of 20 features and one core of Zen 5, to read the nodes
 * takes 3.8 us, a prediction by an rbf kernel 9.9 us, and LIBSVM 24 us.
 */

/* Support vectors taken at a time; a multiple of KERNEL_TILE_ROWS. */
#define NODE_KERNEL_BLOCK 64

/* Elements of a short row: to take memory for it would be most of a small model's prediction. */
#define NODE_KERNEL_SMALL 256

/* A row made ready to meet support vectors. */
struct node_kernel {
	struct kernel kernel;
	struct node_list row; /* row by ascending indices; of a precomputed kernel by position */
	double norm2;
	/* row spread out, by index below n_elements; NULL: it is merged with each vector */
	double *element;
	int64_t n_elements;
	struct node_span span;		 /* indices that vectors of one array may have, or none */
	double small[NODE_KERNEL_SMALL]; /* elements, where these are enough */
};

/*
 * The most elements that a row is spread out to: to clear so many takes less than to
 * merge, which is 50 ns for a short vector.
 */
enum { FEW_INDICES = 4096, INDICES_PER_VECTOR = 64 };

/* Most elements of the row for n_sv vectors. */
static int64_t most_elements(int64_t n_sv)
{
	return FEW_INDICES + INDICES_PER_VECTOR * n_sv;
}

static int spread_out(struct node_kernel *k, struct error *err)
{
	k->element = k->small;
	if (k->n_elements > NODE_KERNEL_SMALL)
		k->element = mem_array(k->n_elements, sizeof(*k->element), err);
	if (!k->element)
		return -1;
	for (int64_t i = 0; i < k->n_elements; i++)
		k->element[i] = 0;
	for (int64_t i = 0; i < k->row.n; i++)
		k->element[k->row.node[i].index] = k->row.node[i].value;
	return 0;
}

/* The span of a dense vector's indices; none of another, or of one beyond the most elements. */
static struct node_span span_of(const struct svm_node *s, int64_t most)
{
	struct node_span span = { s->index, 0 };

	while (span.first >= 0 && (int64_t)span.first + span.n < most &&
	       s[span.n].index == (int64_t)span.first + span.n)
		span.n++;
	return s[span.n].index == -1 ? span : (struct node_span){ 0, 0 };
}

/* The longest span of three vectors: in some a feature may be 0 and left out. */
static struct node_span usual_span(const struct svm_model *m)
{
	struct node_span longest = { 0, 0 };

	for (int i = 0; m->l >= NODE_TILE_VECTORS && i < 3; i++) {
		const struct node_span span =
			span_of(m->SV[(int64_t)(m->l - 1) * i / 2], most_elements(m->l));

		if (span.n > longest.n)
			longest = span;
	}
	return longest;
}

static void node_kernel_free(struct node_kernel *k)
{
	if (k->element != k->small)
		mem_free(k->element);
	node_list_free(&k->row);
}

/*
 * Make the row 'x' ready for the support vectors of 'm', whose kernel is 'kernel'
 *
 * The row is spread out if that takes less than merging does: if its last index is small, or there
 * are many support vectors.  Fails as node_list_init() does.
 */
static int node_kernel_init(struct node_kernel *k, const struct kernel *kernel,
			    const struct svm_node *x, const struct svm_model *m, struct error *err)
{
	/* field by field, as most of it need not be cleared */
	k->kernel = *kernel;
	k->norm2 = 0;
	k->element = NULL;
	k->n_elements = 0;
	k->span = (struct node_span){ 0, 0 };
	if (kernel->type == KERNEL_PRECOMPUTED) {
		if (!x)
			return error_set(err, ERR_ARGUMENT, "no nodes");
		k->row = (struct node_list){ .node = x, .n = node_count(x) };
		return 0;
	}
	if (node_list_init(&k->row, x, err) < 0)
		return -1;
	for (int64_t i = 0; i < k->row.n; i++)
		k->norm2 += k->row.node[i].value * k->row.node[i].value;
	if (k->row.n > 0)
		k->n_elements = (int64_t)k->row.node[k->row.n - 1].index + 1;
	/* an index below 0 has no element, and is merged */
	if ((k->row.n > 0 && k->row.node[0].index < 0) || k->n_elements > most_elements(m->l))
		return 0;
	if (m->free_sv)
		k->span = usual_span(m);
	k->n_elements = int64_max(k->n_elements, (int64_t)k->span.first + k->span.n);
	if (spread_out(k, err) == 0)
		return 0;
	node_kernel_free(k);
	return -1;
}

/* The dot product with one vector; returns its squared norm. */
static double meet_spread(const struct node_kernel *k, const struct svm_node *s, double *dot)
{
	const double *element = k->element;
	const int64_t n = k->n_elements;
	double norm2 = 0, sum = 0;

	for (; s->index != -1; s++) {
		norm2 += s->value * s->value;
		if ((unsigned)s->index < n) /* edited vectors may have any index */
			sum += s->value * element[s->index];
	}
	*dot = sum;
	return norm2;
}

/* The same by merging: a vector that is not in order begins again at the row's first node. */
static double meet_merging(const struct node_kernel *k, const struct svm_node *s, double *dot)
{
	const struct svm_node *x = k->row.node, *end = x + k->row.n;
	double norm2 = 0, sum = 0;
	int before = -1;

	for (; s->index != -1; before = s++->index) {
		norm2 += s->value * s->value;
		if (s->index <= before)
			x = k->row.node;
		while (x < end && x->index < s->index)
			x++;
		if (x < end && x->index == s->index)
			sum += s->value * x->value;
	}
	*dot = sum;
	return norm2;
}

static bool has_span(const struct svm_node *s, struct node_span span)
{
	for (int i = 0; i < span.n; i++)
		if (s[i].index != span.first + i)
			return false;
	return s[span.n].index == -1;
}

/* Does the vector after sv[0] begin in the same array, where sv[0] ends if it is of that span? */
static bool is_next(struct svm_node *const *sv, struct node_span span)
{
	return (uintptr_t)sv[1] - (uintptr_t)sv[0] == ((size_t)span.n + 1) * sizeof(**sv);
}

/* Number of vectors from the first on, in whole tiles, that have all nodes of the span to read. */
static int count_readable(const struct node_kernel *k, struct svm_node *const *sv, int n)
{
	int j = 0;

	while (j < n && (j + 1 < n ? is_next(sv + j, k->span) : has_span(sv[j], k->span)))
		j++;
	return j - j % NODE_TILE_VECTORS;
}

/* Dot products and squared norms of n vectors, one after another. */
static void meet_each(const struct node_kernel *k, struct svm_node *const *sv, int n, double *norm2,
		      double *dot)
{
	for (int j = 0; j < n; j++)
		norm2[j] = (k->element ? meet_spread : meet_merging)(k, sv[j], &dot[j]);
}

/* The same by tiles, where vectors are of the span. */
static void meet_dense(const struct node_kernel *k, struct svm_node *const *sv, int n,
		       double *norm2, double *dot)
{
	for (int j = 0, done; j < n; j += done) {
		done = node_tile_dots(sv + j, count_readable(k, sv + j, n - j), k->span,
				      k->element + k->span.first, norm2 + j, dot + j);
		if (done == 0) {
			done = (int)int64_min(NODE_TILE_VECTORS, n - j);
			meet_each(k, sv + j, done, norm2 + j, dot + j);
		}
	}
}

static double square(double x)
{
	return x * x;
}

/* |x - s|^2 as a sum over coordinates, for rows far from 0; both in order. */
static double distance2(const struct svm_node *x, const struct svm_node *s)
{
	double sum = 0;

	while (x->index != -1 && s->index != -1)
		if (x->index == s->index)
			sum += square(x++->value - s++->value);
		else
			sum += square((x->index < s->index ? x++ : s++)->value);
	while (x->index != -1)
		sum += square(x++->value);
	while (s->index != -1)
		sum += square(s++->value);
	return sum;
}

/*
 * value[j] = K(sv[j], x) for n <= NODE_KERNEL_BLOCK vectors
 *
 * 'value' is aligned to KERNEL_TILE_ALIGNMENT and has room for NODE_KERNEL_BLOCK.  For vectors
 * whose indices ascend the bits are those of kernel_tile_values().  O(nodes).
 */
static void node_kernel_values(const struct node_kernel *k, struct svm_node *const *sv, int n,
			       double *value)
{
	double norm2[NODE_KERNEL_BLOCK] __attribute__((aligned(KERNEL_TILE_ALIGNMENT)));
	bool row_is_far;

	/* the value is the row's node at the position that is the vector's serial number */
	for (int j = 0; k->kernel.type == KERNEL_PRECOMPUTED && j < n; j++) {
		const double serial = sv[j]->value;

		value[j] = serial >= 0 && serial < (double)k->row.n ?
				   k->row.node[(int64_t)serial].value :
				   0;
	}
	if (k->kernel.type == KERNEL_PRECOMPUTED)
		return;
	(k->span.n > 0 ? meet_dense : meet_each)(k, sv, n, norm2, value);
	for (int j = n; j % KERNEL_TILE_ROWS != 0; j++)
		value[j] = norm2[j] = 0;
	for (int j = 0; j < n; j += KERNEL_TILE_ROWS)
		kernel_tile_of_dots(&k->kernel, &k->norm2, 1, norm2 + j, value + j);
	/* again those of vectors whose distance from the row products have too coarsely */
	row_is_far = k->kernel.type == KERNEL_RBF && kernel_is_far(&k->kernel, k->norm2);
	for (int j = 0; k->kernel.type == KERNEL_RBF && j < n; j++)
		if (row_is_far || kernel_is_far(&k->kernel, norm2[j]))
			value[j] = exp(-k->kernel.gamma * distance2(k->row.node, sv[j]));
}

/* ---- predictions ---- */

/* Add vectors first .. first + n - 1, all of class 'own', to the sums of its pairs. */
static void add_values(const struct svm_model *m, int own, int first, int n, const double *value,
		       double *sums)
{
	for (int other = 0; other < m->nr_class; other++) {
		const double *coef;
		double sum;

		if (other == own)
			continue;
		coef = m->sv_coef[solution_slot(own, other)] + first;
		sum = sums[expansion_pair(m->nr_class, own, other)];
		for (int j = 0; j < n; j++)
			sum += coef[j] * value[j];
		sums[expansion_pair(m->nr_class, own, other)] = sum;
	}
}

/*
 * Decision values of the row: pair (a, b) sums over class a first, then over class b, and is less
 * rho.  A block of vectors may have several classes.
 */
static void sum_pairs(const struct svm_model *m, const struct node_kernel *row, double *sums)
{
	double value[NODE_KERNEL_BLOCK] __attribute__((aligned(KERNEL_TILE_ALIGNMENT)));
	const bool classifies = machine_classifies((enum machine_type)m->param.svm_type);
	const int64_t n_pairs = solution_n_pairs(m->nr_class);
	/* without classes all vectors are of the first */
	int class = 0, end = classifies ? m->nSV[0] : m->l;

	for (int64_t p = 0; p < n_pairs; p++)
		sums[p] = 0;
	for (int first = 0, last, n; first < m->l; first = last) {
		last = m->l - first < NODE_KERNEL_BLOCK ? m->l : first + NODE_KERNEL_BLOCK;
		node_kernel_values(row, m->SV + first, last - first, value);
		for (int v = first; v < last; v += n) {
			while (v == end)
				end += m->nSV[++class];
			n = (last < end ? last : end) - v;
			add_values(m, class, v, n, value + (v - first), sums);
		}
	}
	for (int64_t p = 0; p < n_pairs; p++)
		sums[p] -= m->rho[p];
}

/* A prediction: a row, a model, and what is wanted. */
struct prediction {
	const struct svm_model *model;
	const struct svm_node *x;
	double *values;	     /* decision values; NULL: not wanted */
	double *probability; /* probabilities of the classes; NULL: not wanted */
};

/* Doubles of a small model's work, which memory need not be taken for. */
enum { SMALL_WORK = 256 };

static double decide(const struct prediction *p, const struct node_kernel *row,
		     const struct predictor *by, double *work)
{
	const int64_t n = by->n_class;
	double *votes = work + by->n_values;
	struct predictor_scratch scratch; /* three arrays of it are used */

	scratch.votes = (int *)votes;
	scratch.pairwise = votes + n;
	scratch.work = votes + n + n * n;
	sum_pairs(p->model, row, work);
	if (p->values)
		memcpy(p->values, work, (size_t)by->n_values * sizeof(*work));
	return by->has_probabilities ? predictor_probabilities(by, work, p->probability, &scratch) :
				       predictor_decide(by, work, &scratch);
}

static double predict(const struct prediction *p, struct error *err)
{
	const char *fault = p->model ? public_model_fault(p->model) : "no model";
	double small[SMALL_WORK], *work = small, predicted = NAN;
	struct predictor by;
	struct model view;
	struct node_kernel row;
	int64_t size, n;

	if (fault) {
		error_set(err, ERR_ARGUMENT, "%s", fault);
		return NAN;
	}
	public_model_view(&view, p->model);
	predictor_of_values(&by, &view);
	by.has_probabilities &= p->probability && by.kind != PREDICTS_VALUE;
	/*
	 * decision values, then votes, and for probabilities of n classes their pairs and what
	 * predict.h works in
	 */
	n = by.n_class;
	size = solution_n_pairs(by.n_class) + n + (by.has_probabilities ? n * n + n * (n + 1) : 0);
	if (size > SMALL_WORK)
		work = mem_array(size, sizeof(*work), err);
	if (work && node_kernel_init(&row, &view.kernel, p->x, p->model, err) == 0) {
		predicted = decide(p, &row, &by, work);
		node_kernel_free(&row);
	}
	if (work != small)
		mem_free(work);
	return predicted;
}

/* The prediction; an error is told in the name of the function of LIBSVM. */
static double predict_for(const char *function, struct prediction p)
{
	struct error err; /* only its code is cleared: the text is 1 KB */
	double predicted;

	err.code = ERR_NONE;
	predicted = predict(&p, &err);
	if (err.code != ERR_NONE)
		print_string_error(function, &err);
	return predicted;
}

double svm_predict(const struct svm_model *model, const struct svm_node *x)
{
	FOR_HOST(svm_predict, (model, x));
	return predict_for(__func__, (struct prediction){ model, x, NULL, NULL });
}

double svm_predict_values(const struct svm_model *model, const struct svm_node *x,
			  double *dec_values)
{
	FOR_HOST(svm_predict_values, (model, x, dec_values));
	return predict_for(__func__, (struct prediction){ model, x, dec_values, NULL });
}

double svm_predict_probability(const struct svm_model *model, const struct svm_node *x,
			       double *prob_estimates)
{
	FOR_HOST(svm_predict_probability, (model, x, prob_estimates));
	return predict_for(__func__, (struct prediction){ model, x, NULL, prob_estimates });
}

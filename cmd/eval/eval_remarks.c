/*
 * eval_remarks.c - what in the rows of a test file does not fit the model
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "eval.h"

#include "kernel/kernel_lanes.h"

/*
 * Share of the entries above the model's highest feature that is worth a note.  Test data have a
 * few features that the training data had not, as new words in texts; rows to which a map or
 * selection was not applied have many.
 */
#define BEYOND_SHARE 0.01

/*
 * Ratio of the geometric means, of rows and of support vectors, of the largest |value| that is
 * worth a note.  Rows that belong to the model come to 0.7 to 3.1 on 33 public sets, and to 7 where
 * 36 rows were to tell the ranges of 7,000 genes.  Rows as they were against rows scaled to -1 to 1
 * or 0 to 1 come to 149 and more on the 13 sets whose values reach 100, and to 7 at most on the others.
 * So a lower ratio is worth a note where most values of most rows are above all of the support vectors.
 */
#define SCALE_RATIO 50
#define SCALE_RATIO_ABOVE 3
/* Logarithm of the largest ratio that is told, as sizes may be 1e-308 to 1e308. */
#define MOST_RATIO 700

/* Most rows, and most support vectors, whose values are looked at. */
#define MOST_SIZES 1000

/* A mean of fewer rows, or of fewer support vectors, says too little. */
#define LEAST_ROWS 30
#define LEAST_VECTORS 10

/* Count a row, of values that may be above those of all support vectors. */
static void add_size(struct row_sizes *s, const double *value, int64_t n, double of_vectors)
{
	const double most = largest_of_sizes(value, n);
	int64_t n_above = 0;

	for (int64_t k = 0; k < n; k++)
		n_above += fabs(value[k]) > of_vectors;
	if (most > 0 && isfinite(most)) {
		s->sum += log(most);
		s->most = fmax(s->most, most);
		s->n_above += 2 * n_above > n;
		s->n++;
	}
}

/*
 * Sizes of at most MOST_SIZES support vectors; they are in the order of their classes.  None of
 * linear kernels, whose vectors may be weights (--compact, --fold), and of precomputed ones, whose
 * vectors are numbers of rows.
 */
static struct row_sizes size_vectors(const struct model *m)
{
	const struct csr *sv = &m->sv;
	const int64_t step = (sv->n_rows + MOST_SIZES - 1) / MOST_SIZES;
	struct row_sizes s = { 0 };

	if (m->kernel.type == KERNEL_LINEAR || m->kernel.type == KERNEL_PRECOMPUTED)
		return s;
	for (int64_t i = 0; i < sv->n_rows; i += step)
		add_size(&s, sv->val + sv->row_start[i], sv->row_start[i + 1] - sv->row_start[i],
			 INFINITY);
	return s;
}

struct eval_remarks eval_remarks_begin(const struct predictor *p)
{
	const struct model *m = p->model;

	return (struct eval_remarks){ .predictor = p,
				      .n_features = model_n_features(m),
				      .has_feature_0 = csr_has_column_0(&m->sv),
				      .of_vectors = size_vectors(m),
				      .least = INFINITY,
				      .most = -INFINITY };
}

void eval_remarks_add(struct eval_remarks *r, const struct row_batch *b)
{
	const struct predictor *p = r->predictor;
	const int *label = predictor_labels(p);

	for (int64_t i = 0; i < b->n_rows; i++) {
		int64_t first = b->row_start[i], k = b->row_start[i + 1];

		if (isnan(b->label[i]))
			r->n_unlabelled++;
		else if (label && label_find(label, p->n_class, b->label[i]) < 0)
			r->n_foreign++;
		r->n_zero += k > first && b->index[first] == 0;
		for (; k > first && b->index[k - 1] > r->n_features; k--)
			r->n_beyond++;
		if (r->n_rows + i < MOST_SIZES)
			add_size(&r->of_rows, b->value + b->row_start[i],
				 b->row_start[i + 1] - b->row_start[i], r->of_vectors.most);
	}
	r->n_rows += b->n_rows;
	r->n_entries += b->n_entries;
	r->max_index = int64_max(r->max_index, b->max_index);
}

void eval_remarks_add_prediction(struct eval_remarks *r, const struct outcome *row)
{
	const struct predictor *p = r->predictor;

	r->n_far += (row->marks & CHAIN_FAR) != 0;
	r->least = fmin(r->least, row->value);
	r->most = fmax(r->most, row->value);
	for (int c = 0;
	     p->label && !isnan(row->target) && c < p->n_class && c < EVAL_CLASSES_COUNTED; c++) {
		r->n_predicted[c] += row->predicted == p->label[c];
		r->n_labelled[c] += row->target == p->label[c];
	}
}

/* Returns whether there is such a note. */
static bool note_scale(const struct eval_remarks *r)
{
	const struct row_sizes *rows = &r->of_rows, *vectors = &r->of_vectors;
	const double least = rows->n < 2 * rows->n_above ? SCALE_RATIO_ABOVE : SCALE_RATIO;
	double ratio, times;

	if (rows->n < LEAST_ROWS || vectors->n < LEAST_VECTORS)
		return false;
	ratio = rows->sum / (double)rows->n - vectors->sum / (double)vectors->n;
	times = exp(fmin(fabs(ratio), MOST_RATIO));
	if (times >= least)
		cli_remark("the values are %s%.3g%s those of the support vectors: were the rows "
			   "scaled as the training rows were?",
			   ratio > 0 ? "" : "1/", times, ratio > 0 ? " times" : " of");
	return times >= least;
}

/*
 * Share of the rows that are predicted as one class, and of these the share that there are rows of the
 * class, from and up to which the model tells no classes apart.
 */
#define CONSTANT_SHARE 0.5
#define LABELLED_SHARE 0.6
#define LEAST_PREDICTIONS 10

/* Number of support vectors whose distances are looked at. */
#define VECTORS_SEEN 30

/*
 * gamma |x - z|^2 of support vectors below which all of them look the same to an rbf kernel, as their
 * mean, and above which two are alone, but for a share of the pairs.
 */
#define ALL_ALIKE 0.1
#define ALONE 4.6
#define PAIRS_NEAR 0.05

/* Note that gamma does not fit the features, where it does not and nearly all rows get class c. */
static void note_gamma(const struct eval_remarks *r, int c)
{
	const struct model *m = r->predictor->model;
	const int64_t step = (m->sv.n_rows + VECTORS_SEEN - 1) / VECTORS_SEEN;
	const double n_labels = (double)(r->n_rows - r->n_unlabelled);
	double sum = 0, n = 0, n_near = 0;

	for (int64_t i = 0; i < m->sv.n_rows; i += step)
		for (int64_t j = 0; j < i; j += step) {
			double distance2 = kernel_distance2(csr_row_of(&m->sv, i), NULL,
							    csr_row_of(&m->sv, j), INFINITY);

			sum += distance2;
			n_near += m->kernel.gamma * distance2 < ALONE;
			n++;
		}
	if (m->kernel.gamma * sum >= ALL_ALIKE * n && n_near > PAIRS_NEAR * n)
		return;
	cli_remark("%.3g%% of the rows are predicted as %g, which is the label of %.3g%%: gamma = "
		   "%.3g is too %s for these features; scale them (rp-project -m scale), or train "
		   "with -g %.1g",
		   100 * (double)r->n_predicted[c] / n_labels, (double)r->predictor->label[c],
		   100 * (double)r->n_labelled[c] / n_labels, m->kernel.gamma,
		   n_near > PAIRS_NEAR * n ? "small" : "large", 2 * n / sum);
}

static void note_constant(const struct eval_remarks *r)
{
	const struct predictor *p = r->predictor;
	const int64_t n = r->n_rows - r->n_unlabelled;

	if (p->model->is_linear_model || p->model->kernel.type != KERNEL_RBF ||
	    n < LEAST_PREDICTIONS || p->model->sv.n_rows < LEAST_VECTORS)
		return;
	for (int c = 0; c < p->n_class && c < EVAL_CLASSES_COUNTED; c++)
		if ((double)r->n_predicted[c] >= CONSTANT_SHARE * (double)n &&
		    (double)r->n_labelled[c] <= LABELLED_SHARE * (double)r->n_predicted[c])
			note_gamma(r, c);
}

/* Rows that a chain scales twice: returns whether there is such a note. */
static bool note_far(const struct eval_remarks *r)
{
	const bool far = r->n_rows >= LEAST_ROWS && 2 * r->n_far > r->n_rows;

	if (far)
		cli_remark("of %.3g%% of the rows most values are out of the chain's ranges: are "
			   "they as they were before these?",
			   100 * (double)r->n_far / (double)r->n_rows);
	return far;
}

/*
 * Rows that a chain maps as they were before the ranges of training are alike: so are their decision
 * values, or the class of all of them.
 */
#define ALIKE_VALUES 0.1
#define ALIKE_SHARE 0.98

static bool note_alike(const struct eval_remarks *r)
{
	const struct predictor *p = r->predictor;
	const double n_labels = (double)(r->n_rows - r->n_unlabelled);
	bool alike = r->most - r->least < ALIKE_VALUES;

	for (int c = 0; p->label && c < p->n_class && c < EVAL_CLASSES_COUNTED; c++)
		alike |= n_labels > 0 && (double)r->n_predicted[c] >= ALIKE_SHARE * n_labels &&
			 (double)r->n_labelled[c] <= LABELLED_SHARE * n_labels;
	alike &= p->label && r->by_chain && r->n_rows >= LEAST_ROWS;
	if (alike)
		cli_remark("the model hardly tells these rows apart: are they as they were before "
			   "all ranges and maps, and has the chain those of the training rows?");
	return alike;
}

void eval_remarks_values(const struct eval_remarks *r)
{
	if (r->n_features == 0) /* a model of a single class has no features */
		return;
	if ((double)r->n_beyond > BEYOND_SHARE * (double)r->n_entries)
		cli_remark("the highest feature is %" PRId64 ", the model's is %" PRId64
			   ", and %.3g%% of the values are above it: was the map or the selection "
			   "applied?",
			   r->max_index, r->n_features,
			   100 * (double)r->n_beyond / (double)r->n_entries);
	if (r->n_zero > 0 && !r->has_feature_0)
		cli_remark("the rows count features from 0, and the model has no feature 0");
	if (!note_far(r) && !note_scale(r) && !note_alike(r))
		note_constant(r);
}

void eval_remarks_tell(const struct eval_remarks *r)
{
	const struct model *m = r->predictor->model;

	if (r->n_rows == 0)
		cli_remark("no examples");
	if (r->n_unlabelled > 0)
		cli_remark("%" PRId64 " of %" PRId64 " rows have no label: they are predicted, and "
			   "not measured",
			   r->n_unlabelled, r->n_rows);
	if (r->n_foreign > 0 && r->n_foreign == r->n_rows - r->n_unlabelled)
		cli_remark("no label of the test file is a class of the model");
	else if (r->n_foreign > 0)
		cli_remark("%" PRId64 " of %" PRId64
			   " rows have a label that is no class of the model",
			   r->n_foreign, r->n_rows);
	/* rows of a precomputed kernel have the numbers of examples in place of features */
	if (m->is_linear_model || m->kernel.type != KERNEL_PRECOMPUTED)
		eval_remarks_values(r);
	else if (r->n_zero < r->n_rows)
		cli_remark("%" PRId64 " of %" PRId64
			   " rows do not begin with 0:, as rows of kernel "
			   "values do: are these features?",
			   r->n_rows - r->n_zero, r->n_rows);
	if (r->n_overflows > 0)
		cli_warn(
			"warning: %" PRId64 " of %" PRId64
			" rows have decision values that are not finite, the first of them row %" PRId64
			": their predictions may be worth nothing",
			r->n_overflows, r->n_rows, r->first_overflow + 1);
}

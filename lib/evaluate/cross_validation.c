/*
 * cross_validation.c - what models say of rows that they were not trained on
 *
 * How this works.  Rows are cut into folds; for each fold a model is trained on the rows of all
 * other folds, and answers for the rows of the fold.  There are two uses, one inside the other:
 *
 *     -v N     folds of all rows; the answer is a prediction                        (1)
 *     -b 1     before a model is trained: five folds of each pair of classes, of
 *              all rows for machines of each class against the rest, or of
 *              the regression; the answer is a decision value                       (2)
 *
 * (2) is how a model gets probabilities.  Decision values of rows that it was trained on would not
 * do: training itself puts free support vectors on the margin and rows without multipliers beyond
 * it, whatever new rows do.  With -v and -b 1 together (2) happens within each fold of (1), which
 * then trains 1 + 5 machines for each pair of classes.
 *
 * What is fitted to (2): for a pair of classes the sigmoid of probability.c, of labels +1 and -1; for a
 * regression the Laplace density e^(-|z| / sigma) / (2 sigma) of the errors z = y - f, whose
 * likelihood is largest at sigma = mean |z|, taken twice, the second time without the errors
 * beyond five standard deviations, sqrt(2) sigma each.  Weights of rows count in the likelihoods.
 *
 * Without groups of rows the folds, their number for (2), C of its machines and the order of all
 * draws are those of LIBSVM's svm_cross_validation(), svm_binary_svc_probability() and
 * svm_svr_probability(): with the same seed this finds the accuracy and the sigmoids that
 * svm-train finds, as far as two solvers agree.  So draws come in the order of the trainings, and
 * no two folds are trained at the same time; threads work within a training.
 *
 * Where the rows are few enough, their kernel matrix is computed once, in double precision, and
 * each training takes its part of it (trainer_shares_matrix()); so do the decision values of (2).
 * Else each fold is trained on a data set of its own, a copy of its rows (12 bytes an entry): every
 * trainer then works here as it does elsewhere.
 *
 * Source: Platt 2000; Lin, Lin, Weng 2007 (sigmoids); Lin, Weng 2004 (regression).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/cross_validation.h"

#include "evaluate/calibration.h"
#include "evaluate/cv_predictions.h"
#include "evaluate/folds.h"
#include "evaluate/svm_train_lines.h"
#include "evaluate/sv_index.h"
#include "matrix/row_groups.h"
#include "model/model_header.h"

/* Folds of the inner cross validation (2), as in LIBSVM, whose sigmoids depend on the number. */
enum { INNER_FOLDS = 5 };

/*
 * Rows whose decision values are held at a time: a whole fold would take 8 bytes for each row and
 * pair of classes.  Some thousand rows keep all threads busy.
 */
enum { BLOCK_ROWS = 8192 };

/* ---- Solutions for one C as starts of those for the next ---- */

void fold_start_free(struct fold_start *k)
{
	solution_free(&k->solution);
	mem_free(k->growth);
	*k = (struct fold_start){ 0 };
}

/* The part of a that the vectors of class 'own' have by their coefficients against 'other'. */
static double gain_of(const struct trainer *t, const struct solution *s, int own, int other,
		      const double *y)
{
	const struct solution_side r = solution_side(s, own, other);
	double sum = 0, tube = t->training->type == MACHINE_EPSILON_SVR ? t->training->p : 0;

	for (int64_t j = r.first; j < r.first + r.n; j++) {
		double size = fabs(r.coef[j]);

		sum += machine_classifies(t->training->type) ?
			       size :
			       y[s->sv_row[j]] * r.coef[j] - tube * size;
	}
	return sum;
}

static void find_growth(struct fold_start *k, const struct trainer *t,
			const struct pair_result *pairs, const double *y)
{
	const struct solution *s = &k->solution;
	int64_t q = 0;

	for (int a = 0; a < s->n_class; a++)
		for (int b = a + 1; b < s->n_class; b++, q++) {
			double gain = gain_of(t, s, a, b, y), square;

			if (machine_classifies(t->training->type))
				gain += gain_of(t, s, b, a, y);
			square = 2 * (gain - pairs[q].solved.certificate.dual);
			/* where w is 0 the multipliers may be as large as they can */
			k->growth[q] = square > 0 ? fmax(gain / square, 1) : INFINITY;
			/* without losses a larger C changes nothing, but for the gap in 'square' */
			if (pairs[q].solved.certificate.n_bounded_sv == 0)
				k->growth[q] = 1;
		}
}

/*
 * Copy a solution, in place of the one before.
 *
 * With D the dual of the solution's certificate, and 'y' the labels or targets of the rows that
 * sv_row are of,
 *
 *     a = sum_i (y_i beta_i - epsilon |beta_i|),  q = |w|^2 = 2 (a - D),  growth = a / q
 *
 * or 1 where no multiplier is at its bound: the solution is then that for any larger C.
 * (search_machine.c has why).  Fails with ERR_MEMORY; '*k' is then empty.
 */
static int fold_start_keep(struct fold_start *k, const struct trainer *t, const struct solution *s,
			   const struct pair_result *pairs, const double *y, struct error *err)
{
	fold_start_free(k);
	k->c = t->training->C;
	k->growth = mem_array(solution_n_pairs(s->n_class), sizeof(*k->growth), err);
	if (k->growth && solution_copy(&k->solution, s, err) == 0) {
		find_growth(k, t, pairs, y);
		return 0;
	}
	fold_start_free(k);
	return -1;
}

/* ---- Cross validation ---- */

/* One cross validation: the caller's (1), or the inner one for probabilities (2). */
struct validation {
	/* trainer on all examples; each fold has a copy of it, with its own data or a subset */
	const struct trainer *t;
	const struct folds *folds;
	const struct validation_observer *observer;
	bool one_vs_rest;	   /* each fold has machines of each class against the rest */
	struct fold_training fold; /* fold that is left out at present */
	struct fold_start *start;  /* starts of the folds in (1); or NULL */
	/* answer by example: prediction in (1) and of one_vs_rest, decision value in (2) */
	double *answer;
	/* trainer of (2), and the structs to which it points */
	struct trainer inner;
	struct training training;
	struct trainer_observer pairs;
};

/* A model of the rows outside a fold, with the memory of its training. */
struct fold_model {
	int64_t n, *row;     /* number of examples, and their numbers among all examples or rows */
	struct dataset data; /* rows outside the fold, unless the fold uses a subset of the data */
	struct trainer_subset subset;
	double *y; /* labels of the examples in a subset */
	bool classifies;
	struct classes classes;
	struct pair_result *pairs; /* results of the pairs of classes, or of 'machines' */
	struct solution solution;
	struct one_vs_rest machines; /* in place of the solution */
	struct model model;
	struct predictor predictor;
};

static void fold_model_free(struct fold_model *m)
{
	predictor_free(&m->predictor);
	model_free(&m->model);
	one_vs_rest_free(&m->machines);
	solution_free(&m->solution);
	mem_free(m->pairs);
	classes_free(&m->classes);
	dataset_free(&m->data);
	mem_free_all(m->row, m->y);
}

/* Make a subset of the trainer's subset: its examples m->row[0 .. m->n - 1]. */
static int gather_subset(const struct trainer_subset *all, struct fold_model *m, struct error *err)
{
	m->y = mem_array(m->n, sizeof(*m->y), err);
	for (int64_t i = 0; m->y && i < m->n; i++) {
		/* rows of a subset are named by their rows of the data, as the matrix has them */
		m->y[i] = all->examples.y[m->row[i]];
		m->row[i] = all->examples.row[m->row[i]];
	}
	m->subset.examples = (struct example_list){ m->n, m->row, m->y };
	m->subset.matrix = all->matrix;
	return m->y ? 0 : -1;
}

/* List the examples of all folds but this, and their classes. */
static int gather_outside(const struct validation *v, int64_t fold, struct fold_model *m,
			  struct error *err)
{
	const struct trainer *t = v->t;
	struct example_list outside;
	int ret;

	m->classifies = machine_classifies(t->training->type);
	m->row = mem_array(trainer_examples(t).n, sizeof(*m->row), err);
	if (!m->row)
		return -1;
	/* m->row has positions among the examples until gather_subset() changes them */
	m->n = folds_outside(v->folds, fold, m->row);
	ret = t->subset ? gather_subset(t->subset, m, err) :
			  dataset_gather(&m->data, t->data, m->row, m->n, err);
	if (ret < 0 || !m->classifies || m->n == 0)
		return ret;
	outside = t->subset ? m->subset.examples : (struct example_list){ m->n, NULL, m->data.y };
	return classes_init_list(&m->classes, &outside, err);
}

/*
 * Is the answer known without a model?  Without rows to train on it is NAN.  In (2) a single class
 * gives its label, +1 or -1, as decision value, LIBSVM's choice, and a class that has no rest is the
 * prediction; else, in (1), a model of one class is trained and predicts that class.
 */
static bool is_foregone(const struct validation *v, const struct fold_model *m, double *answer)
{
	if (m->n == 0)
		*answer = NAN;
	else if ((v->fold.for_probabilities || v->one_vs_rest) && m->classes.n == 1)
		*answer = m->classes.label[0];
	else
		return false;
	return true;
}

/*
 * The start of the present fold for C = c, the coefficients of each pair times its growth, at most
 * c / k->c; NULL: there is none.
 */
static const struct solution *fold_start_of(const struct validation *v, double c)
{
	struct fold_start *k = v->start ? &v->start[v->fold.number - 1] : NULL;
	struct solution *s = k && k->solution.sv_row ? &k->solution : NULL;
	int64_t q = 0;

	for (int a = 0; s && a < s->n_class; a++)
		for (int b = a + 1; b < s->n_class; b++, q++) {
			double factor = fmin(k->growth[q], c / k->c);

			solution_scale(s, a, b, factor);
			/* without classes all vectors are of the first */
			if (s->label)
				solution_scale(s, b, a, factor);
		}
	if (s)
		k->c = c;
	return s;
}

/*
 * The solution of a fold, with probabilities if -b 1 asks for them, or its machines.  An interrupted
 * training ends with the best model so far, which is no basis for a validation.
 */
static int train_outside(struct validation *v, struct fold_model *m, struct error *err)
{
	const struct validation_observer *observer = v->observer;
	const struct classes *classes = m->classifies ? &m->classes : NULL;
	const int64_t n_pairs = v->one_vs_rest ? one_vs_rest_count(m->classes.n) :
				classes	       ? solution_n_pairs(classes->n) :
						 1;
	struct trainer t = *v->t;
	int ret;

	if (t.subset)
		t.subset = &m->subset;
	else
		t.data = &m->data;
	/* not the caller's start: it has seen the rows left out, and has the numbers of all rows */
	t.start = fold_start_of(v, t.training->C);
	t.all_or_nothing = true;
	v->fold.n = m->n;
	if (observer && observer->fold_started)
		observer->fold_started(observer->arg, &v->fold);
	m->pairs = mem_zeroed(n_pairs, sizeof(*m->pairs), err);
	if (!m->pairs)
		return -1;
	ret = v->one_vs_rest ?
		      train_calibrated_rest(&t, classes, observer, &m->machines, m->pairs, err) :
		      train_calibrated(&t, classes, observer, &m->solution, m->pairs, err);
	if (ret < 0)
		return -1;
	/* a training that was cut short is no basis, whatever model it left */
	if (interruption_requested(t.solver->interruption) ||
	    trainer_was_interrupted(m->pairs, n_pairs))
		return error_set(err, ERR_INTERRUPTED, "interrupted during cross validation");
	if (observer && observer->fold_trained)
		observer->fold_trained(observer->arg, &m->solution, m->pairs);
	/* of a model with probabilities the training itself tells */
	for (int64_t q = 0; !v->fold.for_probabilities && q < n_pairs; q++)
		if (certificate_check(&m->pairs[q].solved.certificate, "", err) < 0)
			return -1;
	if (v->start)
		return fold_start_keep(&v->start[v->fold.number - 1], &t, &m->solution, m->pairs,
				       t.data->y, err);
	return 0;
}

/* Answer for a row from its decision values. */
static double answer_row(const struct validation *v, const struct predictor *p,
			 const double *values, double *probability,
			 struct predictor_scratch *scratch)
{
	if (v->fold.for_probabilities && !v->one_vs_rest)
		return values[0]; /* decision value, positive for the first label, +1 */
	if (p->kind == PREDICTS_CLASS && p->has_probabilities)
		/* -v with -b 1: the class of the largest probability */
		return predictor_probabilities(p, values, probability, scratch);
	return predictor_decide(p, values, scratch);
}

/* Tell the observer of -v, or of machines in (2), the values and probabilities behind an answer. */
static void tell_row(const struct validation *v, const struct predictor *p, int64_t example,
		     const double *values, const double *probability)
{
	const struct validation_observer *observer = v->observer;
	const struct row_prediction prediction = { p, v->answer[example], values, probability };

	if (observer && observer->row_predicted && (!v->fold.for_probabilities || v->one_vs_rest))
		observer->row_predicted(observer->table, example, &prediction);
}

/* Compute the answers for example[0 .. n - 1], a block at a time on all threads. */
static int answer_examples(const struct validation *v, const struct predictor *p,
			   const int64_t *example, int64_t n, struct error *err)
{
	const struct trainer_subset *subset = v->t->subset;
	/* memory for the values of one block, whatever the size of the fold */
	int64_t block = int64_min(n, BLOCK_ROWS);
	struct predictor_scratch scratch = { 0 };
	struct csr of_objects = { 0 };
	double *values = mem_array(block * p->n_values, sizeof(*values), err);
	double *probability = mem_array(p->n_class, sizeof(*probability), err);
	int64_t *row = mem_array(block, sizeof(*row), err);
	int ret = -1;

	if (!values || !probability || !row || predictor_scratch_init(&scratch, p, err) < 0)
		goto out;
	for (; n > 0; example += block, n -= block) {
		struct row_view rows;

		block = int64_min(n, BLOCK_ROWS);
		for (int64_t i = 0; i < block; i++)
			row[i] = subset ? subset->examples.row[example[i]] : example[i];
		rows = csr_view(&v->t->data->x, row, block);
		if (v->t->data->asked) {
			csr_free(&of_objects);
			if (precomputed_of_objects(&of_objects, v->t->data->asked, &rows,
						   &p->model->sv, true, err) < 0)
				goto out;
			rows = csr_view(&of_objects, NULL, block);
		}
		if (predictor_values_on(p, &rows, values, v->t->options->n_threads, err) < 0)
			goto out;
		/* the observer hears of the rows in the order of the fold */
		for (int64_t i = 0; i < block; i++) {
			v->answer[example[i]] =
				answer_row(v, p, values + i * p->n_values, probability, &scratch);
			tell_row(v, p, example[i], values + i * p->n_values, probability);
		}
	}
	ret = 0;
out:
	csr_free(&of_objects);
	predictor_scratch_free(&scratch);
	mem_free_all(row, probability, values);
	return ret;
}

/* Predict the examples of the fold by the model trained without them. */
static int predict_fold(const struct validation *v, struct fold_model *m, const int64_t *example,
			int64_t n, struct error *err)
{
	/* support vectors are rows of all data, or of the copy without the fold */
	const struct csr *x = v->t->subset ? &v->t->data->x : &m->data.x;
	int ret = v->one_vs_rest ?
			  one_vs_rest_model(&m->model, &m->machines, &m->classes, err) :
			  model_from_solution(&m->model, v->t->training, &m->solution, x, err);

	if (ret < 0 || predictor_init(&m->predictor, &m->model, err) < 0)
		return -1;
	return answer_examples(v, &m->predictor, example, n, err);
}

/* Answers of (2) from the kernel matrix: f(x) = sum_j coef_j K(x_j, x) - rho of one problem. */
static int answer_from_matrix(const struct validation *v, const struct solution *s,
			      const int64_t *example, int64_t n, struct error *err)
{
	double *value = mem_array(s->n_sv, sizeof(*value), err);
	int ret = value ? 0 : -1;

	for (int64_t i = 0; i < n && ret == 0; i++) {
		/* sv_row are rows of the data, by which the matrix is numbered, too */
		ret = kernel_matrix_values(v->t->subset->matrix,
					   v->t->subset->examples.row[example[i]], s->sv_row,
					   s->n_sv, value, err);
		if (ret == 0)
			v->answer[example[i]] =
				ordered_product(s->coef, value, s->n_sv) - s->rho[0];
	}
	mem_free(value);
	return ret;
}

/*
 * Train without one fold, and answer for its rows.  For a fold without rows svm-train trains as
 * well, and with -b 1 draws; so does this.
 */
static int validate_fold(struct validation *v, int64_t fold, struct error *err)
{
	const int64_t *row = v->folds->row + v->folds->start[fold];
	int64_t n = v->folds->start[fold + 1] - v->folds->start[fold];
	struct fold_model m = { 0 };
	double answer;
	int ret;

	if (v->observer && v->observer->skips && !v->fold.for_probabilities &&
	    v->observer->skips(v->observer->arg, fold))
		return 0;
	v->fold.number = fold + 1;
	ret = gather_outside(v, fold, &m, err);
	/* no model is trained where the answer is known */
	if (ret == 0 && is_foregone(v, &m, &answer)) {
		for (int64_t i = 0; i < n; i++)
			v->answer[row[i]] = answer;
	} else if (ret == 0 && (ret = train_outside(v, &m, err)) == 0) {
		ret = v->t->subset && v->fold.for_probabilities ?
			      answer_from_matrix(v, &m.solution, row, n, err) :
			      predict_fold(v, &m, row, n, err);
	}
	fold_model_free(&m);
	return ret;
}

/* Validate on all folds, and release them. */
static int validate(struct validation *v, struct folds *folds, struct error *err)
{
	int ret = 0;

	v->folds = folds;
	v->fold.n_folds = folds->n;
	for (int64_t i = 0; i < folds->n && ret == 0; i++)
		ret = validate_fold(v, i, err);
	folds_free(folds);
	return ret;
}

/* Probabilities of a model by (2): the caller's trainer, and parameters for each pair. */
struct probability_fit {
	const struct trainer *t;
	const struct classes *classes; /* classes; NULL: a regression, whose sigma is prob_a[0] */
	const struct validation_observer *observer;
	double *prob_a, *prob_b;
};

/* Begin (2) by a copy of the trainer without probabilities, as (2) must not start another. */
static void validation_init(struct validation *v, const struct probability_fit *c)
{
	*v = (struct validation){ .t = &v->inner,
				  .observer = c->observer,
				  .fold = { .for_probabilities = true },
				  .inner = *c->t,
				  .training = *c->t->training };
	v->training.probability = 0;
	v->inner.training = &v->training;
	if (c->t->pairs) {
		v->pairs = *c->t->pairs;
		v->pairs.pair_started = NULL; /* fold_started() tells the observer */
		v->inner.pairs = &v->pairs;
	}
}

/* Has no fold all examples of a class that has several?  O(examples x classes). */
static bool leaves_all_classes(const struct folds *f, const struct classes *classes,
			       const double *y)
{
	for (int64_t k = 0; k < f->n; k++)
		for (int c = 0; c < classes->n; c++) {
			int64_t here = 0;

			for (int64_t i = f->start[k]; i < f->start[k + 1]; i++)
				here += y[f->row[i]] == classes->label[c];
			if (here > 1 && here == classes_size(classes, c))
				return false;
		}
	return true;
}

/* The groups of the examples of a trainer, to be freed; NULL where the rows have none. */
static int64_t *groups_of(const struct trainer *t, struct error *err)
{
	const struct example_list all = trainer_examples(t);
	int64_t *group = t->data->group ? mem_array(all.n, sizeof(*group), err) : NULL;

	for (int64_t i = 0; group && i < all.n; i++)
		group[i] = t->data->group[all.row ? all.row[i] : i];
	return group;
}

/*
 * The folds of (2): whole groups where there are any, unless a fold would then have all examples of a
 * class of several, which its machine would know nothing of; else LIBSVM's, or 'stratified' ones.
 */
static int draw_inner_folds(struct folds *f, const struct trainer *t, bool stratified,
			    struct error *err)
{
	const struct example_list all = { trainer_examples(t).n, NULL, trainer_examples(t).y };
	const bool classifies = machine_classifies(t->training->type);
	int64_t *group = groups_of(t, err);
	const int64_t n_groups = group ? row_groups_count(group, NULL, all.n, err) : 0;
	struct fold_draw by = { int64_min(n_groups, INNER_FOLDS), t->draws };
	struct classes classes = { 0 };

	*f = (struct folds){ 0 };
	if (classifies && (n_groups >= 2 || stratified))
		classes_init_list(&classes, &all, err);
	if (n_groups >= 2 && err->code == ERR_NONE)
		folds_grouped(f, group, all.n, classifies ? &classes : NULL, by, err);
	if (f->n > 0 && classifies && !leaves_all_classes(f, &classes, all.y))
		folds_free(f);
	by.n_folds = classifies ? INNER_FOLDS : int64_min(all.n, INNER_FOLDS);
	if (f->n == 0 && err->code == ERR_NONE && stratified)
		folds_stratified(f, &classes, by, err);
	else if (f->n == 0 && err->code == ERR_NONE)
		folds_random(f, all.n, by, err);
	classes_free(&classes);
	mem_free(group);
	return err->code == ERR_NONE ? 0 : -1;
}

/* Answers of (2) for the examples of v->t, into v->answer, which is the caller's to free. */
static int validate_inside(struct validation *v, struct error *err)
{
	struct folds folds;

	v->answer = mem_array(trainer_examples(v->t).n, sizeof(*v->answer), err);
	return v->answer && draw_inner_folds(&folds, v->t, false, err) == 0 ?
		       validate(v, &folds, err) :
		       -1;
}

/*
 * The examples of a pair of classes, in the order in which LIBSVM has them when it shuffles them
 * into folds: first all of class a, with label +1, then all of b, with -1.
 */
struct pair_examples {
	int64_t n, *row; /* number of examples, and their rows in the data */
	double *y;
	double *weight;		      /* weights of the examples */
	struct dataset data;	      /* data set of the examples, if they are copied */
	struct trainer_subset subset; /* subset of all data, if the examples are not copied */
};

static int pair_examples_init(struct pair_examples *e, const struct probability_fit *c, int a,
			      int b, struct error *err)
{
	const int64_t *start = c->classes->start;
	int64_t n_a = start[a + 1] - start[a], n_b = start[b + 1] - start[b];

	*e = (struct pair_examples){ .n = n_a + n_b };
	e->row = mem_array(e->n, sizeof(*e->row), err);
	e->y = mem_array(e->n, sizeof(*e->y), err);
	e->weight = mem_array(e->n, sizeof(*e->weight), err);
	if (!e->row || !e->y || !e->weight)
		return -1;
	/* class a, then class b, as LIBSVM collects them before it shuffles */
	memcpy(e->row, c->classes->row + start[a], (size_t)n_a * sizeof(*e->row));
	memcpy(e->row + n_a, c->classes->row + start[b], (size_t)n_b * sizeof(*e->row));
	for (int64_t i = 0; i < e->n; i++) {
		e->y[i] = i < n_a ? 1 : -1;
		e->weight[i] = dataset_weight(c->t->data, e->row[i]);
	}
	/* with a kernel matrix the pair is a part of the subset, and no rows are copied */
	if (c->t->subset) {
		e->subset.examples = (struct example_list){ e->n, e->row, e->y };
		e->subset.matrix = c->t->subset->matrix;
		return 0;
	}
	if (dataset_gather(&e->data, c->t->data, e->row, e->n, err) < 0)
		return -1;
	/* the copy's labels become +1 and -1 */
	memcpy(e->data.y, e->y, (size_t)e->n * sizeof(*e->y));
	return 0;
}

/*
 * (2) of classes a and b.  LIBSVM trains with C = 1 and puts C of each class in its weight; the
 * products are the same.
 */
static int calibrate_pair(const struct probability_fit *c, int a, int b, struct sigmoid *s,
			  struct error *err)
{
	const int label_a = c->classes->label[a], label_b = c->classes->label[b];
	const struct class_weight weight[] = { { 1, classes_c(c->t->training, label_a) },
					       { -1, classes_c(c->t->training, label_b) } };
	struct validation v;
	struct pair_examples pair;
	int ret = -1;

	validation_init(&v, c);
	v.fold.label_a = label_a;
	v.fold.label_b = label_b;
	if (v.inner.subset)
		v.inner.subset = &pair.subset;
	else
		v.inner.data = &pair.data;
	v.training.C = 1;
	v.training.n_weights = 2;
	v.training.weight = weight;
	/* decision values of all examples of the pair, positive for class a */
	if (pair_examples_init(&pair, c, a, b, err) == 0)
		ret = validate_inside(&v, err);
	/* one sigmoid for the values of all five folds */
	if (ret == 0)
		svm_train_sigmoid_lines(sigmoid_fit(v.answer, pair.y, pair.weight, pair.n, s),
					c->t->messages);
	mem_free_all(v.answer, pair.row, pair.y, pair.weight);
	dataset_free(&pair.data);
	return ret;
}

/* Inner cross validation (2) of all pairs of classes, in LIBSVM's order. */
static int calibrate_classes(const struct probability_fit *c, struct error *err)
{
	int64_t q = 0;

	for (int a = 0; a < c->classes->n; a++)
		for (int b = a + 1; b < c->classes->n; b++, q++) {
			struct sigmoid s;

			if (calibrate_pair(c, a, b, &s, err) < 0)
				return -1;
			c->prob_a[q] = s.a;
			c->prob_b[q] = s.b;
		}
	return 0;
}

/* Mean of the errors |y - predicted| that are at most 'limit', by the weights of the examples. */
static double mean_error(const struct trainer *t, const double *predicted, double limit)
{
	const struct example_list all = trainer_examples(t);
	double sum = 0, n_within = 0;

	for (int64_t i = 0; i < all.n; i++) {
		double distance = fabs(all.y[i] - predicted[i]);
		double weight = dataset_weight(t->data, all.row ? all.row[i] : i);

		if (distance > limit)
			continue;
		sum += weight * distance;
		n_within += weight;
	}
	return sum / n_within;
}

/* Inner cross validation (2) of a regression, which finds the scale of its errors. */
static int calibrate_regression(const struct probability_fit *c, struct error *err)
{
	struct validation v;
	int ret;

	validation_init(&v, c);
	ret = validate_inside(&v, err);
	if (ret == 0) {
		/* the mean of all errors; then of those within five standard deviations by it */
		c->prob_a[0] = mean_error(c->t, v.answer, INFINITY);
		c->prob_a[0] = mean_error(c->t, v.answer, 5 * sqrt(2) * c->prob_a[0]);
		svm_train_scale_lines(c->prob_a[0], c->t->messages);
	}
	mem_free(v.answer);
	return ret;
}

/*
 * The sigmoid of class k by the values in the table.  Where the table has none the fold's machines did
 * not know the class, or knew no other, and the row tells nothing of them.
 */
static int fit_class(const struct probability_fit *c, const struct cv_predictions *table, int k,
		     struct error *err)
{
	const struct dataset *d = c->t->data;
	double *value = mem_array(3 * table->n_rows, sizeof(*value), err), *target, *weight;
	struct sigmoid s;
	int64_t n = 0;

	if (!value)
		return -1;
	target = value + table->n_rows;
	weight = target + table->n_rows;
	for (int64_t i = 0; i < table->n_rows; i++) {
		value[n] = table->value[i * table->n_values + k];
		target[n] = d->y[i] == c->classes->label[k] ? 1 : -1;
		weight[n] = dataset_weight(d, i);
		n += !isnan(value[n]);
	}
	svm_train_sigmoid_lines(sigmoid_fit(value, target, weight, n, &s), c->t->messages);
	c->prob_a[k] = s.a;
	c->prob_b[k] = s.b;
	mem_free(value);
	return 0;
}

/*
 * Raise the odds of all classes to the power that fits best: (e^-(A f + B))^beta is that of beta A and
 * beta B
 */
static int fit_power(struct probability_fit *c, const struct cv_predictions *table,
		     struct error *err)
{
	const struct dataset *d = c->t->data;
	const int n = c->classes->n;
	struct class_curves examples = { .n = n, .label = c->classes->label };
	struct coupling by = { .power = 1 };

	for (int64_t i = 0; err->code == ERR_NONE && i < table->n_rows; i++)
		class_curves_add(&examples, table->value + i * n, d->y[i], dataset_weight(d, i),
				 err);
	if (err->code == ERR_NONE)
		calibration_couple(&examples, CALIBRATION_SIGMOID, &by, err);
	for (int k = 0; k < n; k++) {
		c->prob_a[k] *= by.power;
		c->prob_b[k] *= by.power;
	}
	class_curves_free(&examples);
	return err->code == ERR_NONE ? 0 : -1;
}

/* Decision values of all rows by machines of each class against the rest, into the empty table. */
static int validate_rest(const struct probability_fit *c, struct cv_predictions *table,
			 struct error *err)
{
	const struct prediction_columns columns = { .n_class = c->classes->n,
						    .label = c->classes->label,
						    .by_class = c->classes->n > 2,
						    .with_values = true };
	struct validation_observer observer = { .row_predicted = cv_predictions_set,
						.table = table };
	struct validation v;
	struct folds folds;

	if (c->observer) {
		observer.fold_started = c->observer->fold_started;
		observer.arg = c->observer->arg;
	}
	validation_init(&v, c);
	v.observer = &observer;
	v.one_vs_rest = true;
	if (cv_predictions_init(table, &columns, c->t->data->x.n_rows, err) < 0)
		return -1;
	v.answer = table->predicted;
	return draw_inner_folds(&folds, v.t, true, err) == 0 ? validate(&v, &folds, err) : -1;
}

/* (2) of machines of each class against the rest: all of them, fold by fold. */
static int calibrate_rest(struct probability_fit *c, struct error *err)
{
	const int n_machines = one_vs_rest_count(c->classes->n);
	struct cv_predictions table = { 0 };
	int ret;

	c->prob_a = mem_array(n_machines, sizeof(double), err);
	c->prob_b = mem_array(n_machines, sizeof(double), err);
	ret = c->prob_a && c->prob_b ? validate_rest(c, &table, err) : -1;
	for (int k = 0; ret == 0 && k < n_machines; k++)
		ret = fit_class(c, &table, k, err);
	if (ret == 0 && n_machines > 2)
		ret = fit_power(c, &table, err);
	cv_predictions_free(&table);
	return ret;
}

int train_calibrated_rest(const struct trainer *t, const struct classes *classes,
			  const struct validation_observer *observer, struct one_vs_rest *found,
			  struct pair_result *results, struct error *err)
{
	struct probability_fit c = { .t = t, .classes = classes, .observer = observer };
	/* logistic losses make probabilities themselves */
	const bool calibrates = t->training->probability && !t->training->logistic_loss;
	int ret = calibrates ? calibrate_rest(&c, err) : 0;

	if (ret == 0)
		ret = one_vs_rest_run(t, classes, found, results, err);
	found->prob_a = c.prob_a;
	found->prob_b = c.prob_b;
	if (ret < 0)
		one_vs_rest_free(found);
	return ret;
}

/* Number of trainings of (2) on a row: all but one of the folds of each pair of its class. */
static double count_calibrations(const struct classes *classes)
{
	return (INNER_FOLDS - 1) * (classes ? classes->n - 1.0 : 1.0);
}

/*
 * All examples as a subset of data whose kernel matrix the trainings share.  The rows of these data
 * are in another order, class by class, so that a pair of classes has two parts of a row of the
 * matrix; folds, which are of examples, stay those that they would be without it.  A precomputed
 * kernel is its own matrix: data and rows stay as they are.
 */
struct shared_data {
	struct dataset data;
	struct trainer_subset subset;
	struct kernel_matrix matrix;
	int64_t *row; /* row number of each example in 'data' */
};

static void shared_data_free(struct shared_data *s)
{
	kernel_matrix_free(&s->matrix);
	dataset_free(&s->data);
	mem_free(s->row);
}

/*
 * Share the matrix of the rows in the order of the classes, which s->data becomes; s->row tells where
 * each example went.  A precomputed kernel's matrix is the data themselves.
 */
static int share_rows(struct shared_data *s, const struct trainer *t, const struct classes *classes,
		      struct error *err)
{
	const struct dataset *d = t->data;
	const bool precomputed = t->training->kernel.type == KERNEL_PRECOMPUTED;
	int64_t n = d->x.n_rows, *order = mem_array(n, sizeof(*order), err);
	int ret = -1;

	s->row = mem_array(n, sizeof(*s->row), err);
	for (int64_t k = 0; order && s->row && k < n; k++) {
		/* without classes the rows keep their order */
		order[k] = classes && !precomputed ? classes->row[k] : k;
		/* s->row is the inverse of the order */
		s->row[order[k]] = k;
	}
	if (order && s->row)
		ret = precomputed ?
			      precomputed_matrix_init(&s->matrix, d, t->solver->interruption, err) :
			      dataset_gather(&s->data, d, order, n, err);
	mem_free(order);
	if (ret < 0 || precomputed)
		return ret;
	return kernel_matrix_init_doubles(&s->matrix, &s->data.x, &t->training->kernel,
					  t->options->n_threads, err);
}

/*
 * Make the trainer one on a subset with a matrix, if that is the faster way
 *
 * Fills the empty '*s', which 't' borrows from then on.  'classes' is NULL for a regression; each
 * row takes part in about 'n_trainings'.  Without memory for the matrix, or where it would not pay,
 * the trainer stays as it is: that is no error.
 */
static void shared_data_init(struct shared_data *s, struct trainer *t,
			     const struct classes *classes, double n_trainings)
{
	const struct dataset *d = t->data;
	struct error failure = { 0 };

	/* a trainer with a subset shares its matrix already */
	if (t->subset || !trainer_shares_matrix(t, classes, n_trainings) ||
	    share_rows(s, t, classes, &failure) < 0)
		return;
	/* labels stay in the order of the examples */
	s->subset.examples = (struct example_list){ d->x.n_rows, s->row, d->y };
	s->subset.matrix = &s->matrix;
	/* from here on the trainer has all examples, as a subset of the shared data */
	t->subset = &s->subset;
	t->data = t->training->kernel.type == KERNEL_PRECOMPUTED ? d : &s->data;
}

/*
 * (2) of a whole model, pair by pair, before the machine itself is trained, with the kernel matrix
 * of the trainer or one of its own.  svm-train does it before the training of each pair, which draws
 * nothing: the draws are the same.
 */
static int calibrate_pairs(struct probability_fit *c, struct error *err)
{
	int64_t n_pairs = c->classes ? solution_n_pairs(c->classes->n) : 1;
	struct trainer t;
	struct shifted_data shifted;
	struct classes classes = { 0 };
	struct shared_data shared = { 0 };
	struct probability_fit own = *c;
	int ret = trainer_shift(&t, &shifted, c->t, true, err);

	if (ret == 0)
		shared_data_init(&shared, &t, c->classes, count_calibrations(c->classes));
	own.t = &t;
	/* the classes of the data, by the rows that the shared matrix is of */
	if (ret == 0 && t.subset != c->t->subset && c->classes) {
		ret = classes_init_list(&classes, &t.subset->examples, err);
		own.classes = &classes;
	}
	/* train_calibrated() frees both arrays after a failure */
	own.prob_a = c->prob_a = mem_array(n_pairs, sizeof(double), err);
	own.prob_b = c->prob_b = c->classes ? mem_array(n_pairs, sizeof(double), err) : NULL;
	if (err->code != ERR_NONE)
		ret = -1;
	if (ret == 0)
		ret = c->classes ? calibrate_classes(&own, err) : calibrate_regression(&own, err);
	classes_free(&classes);
	shared_data_free(&shared);
	shifted_data_free(&shifted);
	return ret;
}

/* Compute the decision values of all examples by the solution of a single problem. */
static int solution_values(const struct trainer *t, const struct solution *s, double *value,
			   struct error *err)
{
	const struct example_list all = trainer_examples(t);
	struct csr sv = { 0 };
	int ret = csr_gather(&sv, &t->data->x, s->sv_row, s->n_sv, err);

	if (ret == 0)
		ret = vectors_evaluate(&t->training->kernel, s, &sv,
				       csr_view(&t->data->x, all.row, all.n), value,
				       t->options->n_threads, err);
	/* the sums are without the constant rho */
	for (int64_t i = 0; ret == 0 && i < all.n; i++)
		value[i] -= s->rho[0];
	csr_free(&sv);
	return ret;
}

/*
 * The probabilities of a one-class model, s->density_marks: ten decision values that cut the rows
 * trained on into parts of given sizes (probability_fit_density()).  Where the values do not allow
 * marks the solution stays without them, as LIBSVM's does.  O(n n_sv) kernel values, 8 bytes a row.
 */
static int one_class_marks(const struct trainer *t, struct solution *s, struct error *err)
{
	int64_t n = trainer_examples(t).n;
	double *value = mem_array(n, sizeof(*value), err), *marks;
	struct trainer near;
	struct shifted_data shifted;
	int ret = trainer_shift(&near, &shifted, t, true, err);

	marks = mem_array(MODEL_DENSITY_MARKS, sizeof(*marks), err);
	if (ret == 0)
		ret = value && marks ? solution_values(&near, s, value, err) : -1;
	/* the solution owns the marks from here on */
	if (ret == 0 && probability_fit_density(value, n, MODEL_DENSITY_MARKS, marks)) {
		s->density_marks = marks;
		s->n_density_marks = MODEL_DENSITY_MARKS;
		marks = NULL;
	}
	shifted_data_free(&shifted);
	mem_free_all(marks, value);
	return ret;
}

int train_calibrated(const struct trainer *t, const struct classes *classes,
		     const struct validation_observer *observer, struct solution *s,
		     struct pair_result *pairs, struct error *err)
{
	struct probability_fit c = { .t = t, .classes = classes, .observer = observer };
	bool one_class = t->training->type == MACHINE_ONE_CLASS;
	int ret = 0;

	/* one-class models have marks in place of sigmoids, made after the training */
	if (t->training->probability && !one_class)
		ret = calibrate_pairs(&c, err);
	if (ret == 0)
		ret = trainer_run(t, classes, s, pairs, err);
	s->prob_a = c.prob_a;
	s->prob_b = c.prob_b;
	if (ret == 0 && t->training->probability && one_class) {
		ret = one_class_marks(t, s, err);
		if (ret == 0 && observer && observer->marks_fitted)
			observer->marks_fitted(observer->arg, s->density_marks != NULL);
	}
	if (ret < 0)
		solution_free(s);
	return ret;
}

int cross_validate(const struct trainer *t, bool one_vs_rest, int64_t n_folds,
		   const struct validation_observer *observer, struct fold_start *start,
		   double *predicted, struct error *err)
{
	struct trainer on_all = *t;
	struct shifted_data shifted = { 0 };
	struct validation v = { .t = &on_all,
				.observer = observer,
				.one_vs_rest = one_vs_rest,
				.start = one_vs_rest ? NULL : start,
				.answer = predicted };
	struct shared_data shared = { 0 };
	struct classes classes = { 0 };
	const struct classes *given;
	const bool classifies = machine_classifies(t->training->type);
	struct folds folds;
	double n_trainings;
	int ret = -1;

	if (!one_vs_rest && classifies && t->data->x.n_rows > 0 &&
	    classes_init(&classes, t->data, err) < 0)
		return -1;
	if (!one_vs_rest && trainer_shift(&on_all, &shifted, t, true, err) < 0)
		goto out;
	given = classes.n > 0 ? &classes : NULL;
	n_trainings = (double)(n_folds - 1) *
		      (1 + (t->training->probability ? count_calibrations(given) : 0));
	/* without memory for a shared matrix each fold has a data set of its own */
	if (!one_vs_rest)
		shared_data_init(&shared, &on_all, given, n_trainings);
	if (folds_of_data(&folds, t->data, (struct fold_draw){ n_folds, t->draws }, classifies,
			  err) == 0)
		ret = validate(&v, &folds, err);
	shared_data_free(&shared);
out:
	shifted_data_free(&shifted);
	classes_free(&classes);
	return ret;
}

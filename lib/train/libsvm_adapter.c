/*
 * libsvm_adapter.c - LIBSVM as a library
 *
 * LIBSVM takes rows as arrays of (index, value) that end with index -1, and gives a svm_model whose
 * sv_indices count from 1.  What differs from our own modules, and how it is kept in here:
 *
 *     messages    go through one function pointer without argument: current_messages
 *     folds       are drawn from rand(), as svm-train draws them
 *     iterations  are nowhere in its model: read from the message "#iter = "
 *     memory      is used unchecked after malloc(): room for all of it is looked for before
 *     indices     0-based columns of struct csr would do; svm_train() never looks at them but to
 *                 compare them and to print
 *
 * A call goes
 *
 *     struct csr --> svm_node[]  --> svm_train() --> svm_model --> struct solution or iterate
 *                    struct call                                   copy_vectors(), copy_constants()
 *
 * The model's vectors point into the nodes, so that the model is freed first and the nodes after
 * it.  What leaves this file is a copy in memory of our own.  Nodes take 16 bytes an entry and one
 * node a row for its end; the targets are borrowed, as LIBSVM only reads them.
 *
 * Errors: LIBSVM has none to return, and crashes where malloc() gives nothing.  So what can be
 * wrong is looked for before the call: number of rows and memory here, parameters by the caller.
 *
 * Threads: LIBSVM's print function is of the process, so that one call runs at a time.  Where the
 * library itself crashes or ends the process, shared_library_enter() has noted that the thread is in
 * it, and a handler of signals may name it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/libsvm_adapter.h"

#include "base/mem_bound.h"
#include "base/order.h"
#include "base/shared_library.h"
#include "libraries.h"
#include "matrix/svm_header.h"
#include "problem/classes.h"

/* ---- Memory: LIBSVM does not check what malloc() gives it ---- */

enum {
	ROW_BYTES = 512,  /* bytes for an example: all arrays of LIBSVM 3.x sum to 400 */
	CLASS_BYTES = 16, /* bytes for an example and class: multipliers of its pairs, twice */
	PAIR_BYTES = 128, /* bytes for a pair of classes: its model, its probabilities */
	CACHE_SHARE = 2	  /* memory over size of the cache: 100 MB took 140, with gaps */
};

/* LIBSVM's arrays for so many examples of so many classes, without its cache. */
static double arrays_bytes(double n, double n_class)
{
	return n * (ROW_BYTES + CLASS_BYTES * n_class) + PAIR_BYTES * n_class * n_class;
}

int64_t libsvm_least_bytes(int64_t n, int64_t n_class, int64_t n_entries)
{
	const double two_rows = 2 * (double)n * sizeof(float);
	const double nodes = n_class > 1 ? (double)(n_entries + n) * sizeof(struct svm_node) : 0;

	return (int64_t)(arrays_bytes((double)n, (double)n_class) + CACHE_SHARE * two_rows + nodes);
}

#ifdef HAVE_LIBSVM
/* What is called of LIBSVM. */
#define FUNCTIONS(F)                     \
	F(libsvm_version)                \
	F(svm_set_print_string_function) \
	F(svm_train)                     \
	F(svm_cross_validation)          \
	F(svm_free_and_destroy_model)

static struct {
	FUNCTIONS(SHARED_POINTER)
} svm;

#define SYMBOL(name) { #name, &svm.name, false },

static struct shared_library library = {
	.file = (const char *const[]){ LIBSVM_FILES, NULL },
	.symbol = (const struct shared_symbol[]){ FUNCTIONS(SYMBOL){ .name = NULL } },
	/* address space in bytes: LIBSVM 3.24 and the libraries of gcc 12 take 2.5 MB */
	.room = 4 << 20,
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

/* The receiver of messages: LIBSVM's print function has no argument for it.  A call has the lock. */
static pthread_mutex_t calling = PTHREAD_MUTEX_INITIALIZER;
static const struct libsvm_messages *current_messages;

/* LIBSVM's print function: each text goes to the receiver of the call that is running. */
static void forward_message(const char *text)
{
	if (current_messages && current_messages->print)
		current_messages->print(current_messages->arg, text);
}

/* Set the receiver of LIBSVM's messages, before each call of LIBSVM that trains. */
static void enter(const struct libsvm_messages *messages)
{
	pthread_mutex_lock(&calling);
	current_messages = messages;
	svm.svm_set_print_string_function(forward_message);
	shared_library_enter(&library);
}

/* Clear the receiver of LIBSVM's messages, after each call of LIBSVM that trains. */
static void leave(void)
{
	shared_library_leave();
	current_messages = NULL;
	pthread_mutex_unlock(&calling);
}

int libsvm_version_number(int *version, struct error *err)
{
	if (shared_library_load(&library, err) < 0)
		return -1;
	*version = *svm.libsvm_version;
	return 0;
}

/* What a call of LIBSVM takes: its copy of the rows and targets, and its parameters. */
struct call {
	struct svm_problem prob;
	struct svm_node *nodes;
	struct svm_parameter param;
};

/* Copy the listed rows of x, or the first ones, into LIBSVM's nodes; their targets are borrowed. */
static int copy_rows(struct call *p, const struct csr *x, const struct example_list *list,
		     struct error *err)
{
	const struct row_view rows = csr_view(x, list->row, list->n);
	const int64_t n = list->n;
	int64_t n_entries = 0;
	struct svm_node *node;

	/* LIBSVM counts examples in an int */
	if (n > INT_MAX)
		return error_set(err, ERR_ARGUMENT, "LIBSVM takes at most %d examples", INT_MAX);
	/* entries are counted first, as one array has the nodes of all rows */
	for (int64_t i = 0; i < n; i++)
		n_entries += row_view_at(&rows, i).n;
	p->prob.l = (int)n;
	p->prob.y = (double *)list->y; /* LIBSVM only reads the targets */
	p->prob.x = mem_array(n, sizeof(*p->prob.x), err);
	p->nodes = node = mem_array(n_entries + n, sizeof(*node), err);
	if (!p->prob.x || !p->nodes)
		return -1;
	for (int64_t i = 0; i < n; i++) {
		const struct csr_row row = row_view_at(&rows, i);

		p->prob.x[i] = node;
		for (int64_t k = 0; k < row.n; k++)
			*node++ = (struct svm_node){ row.col[k], row.val[k] };
		/* a node with index -1 ends the row */
		*node++ = (struct svm_node){ -1, 0 };
	}
	return 0;
}

/* Make LIBSVM's parameters, with arrays of class weights. */
static int make_parameter(struct svm_parameter *param, const struct training *t, struct error *err)
{
	/* machines and kernels have LIBSVM's own numbers */
	*param = (struct svm_parameter){
		.svm_type = (int)t->type,
		.kernel_type = (int)t->kernel.type,
		.degree = t->kernel.degree,
		.gamma = t->kernel.gamma,
		.coef0 = t->kernel.coef0,
		.cache_size = t->cache_mb,
		.eps = t->eps,
		.C = t->C,
		.nr_weight = t->n_weights,
		.nu = t->nu,
		.p = t->p,
		.shrinking = t->shrinking,
		.probability = t->probability,
	};
	param->weight_label = mem_array(t->n_weights, sizeof(int), err);
	param->weight = mem_array(t->n_weights, sizeof(double), err);
	if (!param->weight_label || !param->weight)
		return -1;
	for (int i = 0; i < t->n_weights; i++) {
		param->weight_label[i] = t->weight[i].label;
		param->weight[i] = t->weight[i].factor;
	}
	return 0;
}

/* ---- Memory ---- */

/* Number of classes in the data; 2 for regression and one-class; 0 with ERR_MEMORY. */
static int64_t count_classes(const struct svm_problem *prob, const struct svm_parameter *param,
			     struct error *err)
{
	int64_t n = prob->l > 0;
	double *label;

	/* a regression or one class: the model has the arrays of two classes */
	if (param->svm_type != C_SVC && param->svm_type != NU_SVC)
		return 2;
	label = mem_copy(prob->y, prob->l, sizeof(*label), err);
	if (!label)
		return 0;
	/* sorted, a class begins wherever a label differs from the one before */
	qsort(label, (size_t)prob->l, sizeof(*label), order_doubles);
	for (int i = 1; i < prob->l; i++)
		n += label[i] != label[i - 1];
	mem_free(label);
	return n;
}

/* Is there room for so many bytes, in the address space and below the bound of memory? */
static bool fits(double bytes)
{
	return bytes <= (double)mem_room() && mem_check_room(bytes, &(struct error){ 0 }) == 0;
}

/*
 * Fails where there is no memory for LIBSVM's arrays and two rows of its cache.  A cache that
 * there is no room for is halved until there is, which costs time only.
 */
static int ensure_memory(const struct svm_problem *prob, struct svm_parameter *param,
			 struct error *err)
{
	double n = prob->l, n_class = (double)count_classes(prob, param, err);
	double arrays = arrays_bytes(n, n_class);
	/* the cache never holds more than the whole kernel matrix, in floats */
	double cache = fmin(param->cache_size * MEGABYTE, n * n * sizeof(float));
	double two_rows = 2 * n * sizeof(float);

	/* no rows need no memory; rows without classes: the labels could not be copied */
	if (n_class == 0)
		return prob->l == 0 ? 0 : -1;
	while (cache > two_rows) {
		if (fits(arrays + CACHE_SHARE * cache))
			return 0;
		cache /= 2;
		param->cache_size = cache / MEGABYTE;
	}
	return mem_check_room(arrays + CACHE_SHARE * two_rows, err);
}

/*
 * Make all that a call takes, of rows row[0..n-1] of x or the first n; every failure that can be
 * foreseen is found here, before LIBSVM is called.  call_free() follows, after a failure too.
 */
static int call_init(struct call *c, const struct csr *x, const struct example_list *list,
		     const struct training *t, struct error *err)
{
	*c = (struct call){ 0 };
	return shared_library_load(&library, err) < 0 || copy_rows(c, x, list, err) < 0 ||
			       make_parameter(&c->param, t, err) < 0 ||
			       ensure_memory(&c->prob, &c->param, err) < 0 ?
		       -1 :
		       0;
}

static void call_free(struct call *c)
{
	mem_free_all(c->prob.x, c->nodes, c->param.weight_label, c->param.weight);
}

/* Copy rows, counts by class and coefficients of the support vectors from LIBSVM's model. */
static int copy_vectors(struct solution *s, const struct svm_model *model, struct error *err)
{
	s->n_sv = model->l;
	s->sv_row = mem_array(s->n_sv, sizeof(*s->sv_row), err);
	s->n_sv_of_class = mem_zeroed(s->n_class, sizeof(*s->n_sv_of_class), err);
	s->coef = mem_array((s->n_class - 1) * s->n_sv, sizeof(double), err);
	if (!s->sv_row || !s->n_sv_of_class || !s->coef)
		return -1;
	for (int64_t j = 0; j < s->n_sv; j++)
		s->sv_row[j] = model->sv_indices[j] - 1;
	for (int r = 0; r < s->n_class - 1; r++)
		memcpy(s->coef + r * s->n_sv, model->sv_coef[r], (size_t)s->n_sv * sizeof(double));
	for (int c = 0; c < s->n_class; c++)
		/*
		 * a regression or one class counts no vectors of classes: all are those of the
		 * first
		 */
		s->n_sv_of_class[c] = model->nSV ? model->nSV[c] : c == 0 ? s->n_sv : 0;
	return 0;
}

/* Copy rho, labels and the parameters of probabilities, as far as LIBSVM's model has them. */
static int copy_constants(struct solution *s, const struct svm_model *model, struct error *err)
{
	int64_t n_pairs = solution_n_pairs(s->n_class);

	/* a model of a regression or of one class has no labels */
	s->label = mem_copy(model->label, s->n_class, sizeof(*s->label), err);
	s->rho = mem_copy(model->rho, n_pairs, sizeof(*s->rho), err);
	s->prob_a = mem_copy(model->probA, n_pairs, sizeof(*s->prob_a), err);
	s->prob_b = mem_copy(model->probB, n_pairs, sizeof(*s->prob_b), err);
#if LIBSVM_VERSION >= 330
	/* marks of a one-class model's probabilities, ten of them, came with LIBSVM 3.30 */
	s->n_density_marks = model->prob_density_marks ? 10 : 0;
	s->density_marks = mem_copy(model->prob_density_marks, 10, sizeof(*s->density_marks), err);
#endif
	return err->code == ERR_NONE ? 0 : -1;
}

int libsvm_train(const struct dataset *d, const struct training *t,
		 const struct libsvm_messages *messages, struct solution *s, struct error *err)
{
	const struct example_list all = { d->x.n_rows, NULL, d->y };
	struct svm_model *model;
	struct call c;
	int ret = call_init(&c, &d->x, &all, t, err);

	if (ret == 0) {
		enter(messages);
		model = svm.svm_train(&c.prob, &c.param);
		leave();
		/* LIBSVM has freed the multipliers of k^2 / 2 pairs, as much as all coefficients */
		mem_give_back();
		s->n_class = model->nr_class;
		if (copy_vectors(s, model, err) < 0 || copy_constants(s, model, err) < 0) {
			solution_free(s);
			ret = -1;
		}
		/* the model is freed before the nodes, into which its vectors point */
		svm.svm_free_and_destroy_model(&model);
	}
	call_free(&c);
	mem_give_back();
	return ret;
}

int libsvm_cross_validate(const struct dataset *d, const struct training *t, int n_folds,
			  const struct libsvm_messages *messages, double *predicted,
			  struct error *err)
{
	const struct example_list all = { d->x.n_rows, NULL, d->y };
	struct call c;
	int ret = call_init(&c, &d->x, &all, t, err);

	if (ret == 0) {
		enter(messages);
		/* LIBSVM frees the models of its folds itself */
		svm.svm_cross_validation(&c.prob, &c.param, n_folds, predicted);
		leave();
	}
	call_free(&c);
	return ret;
}

/* Read the number of iterations from LIBSVM's message, the only place that tells it. */
static void count_iterations(void *arg, const char *text)
{
	const char *number = strstr(text, "#iter = ");

	if (number)
		*(int64_t *)arg += strtoll(number + strlen("#iter = "), NULL, 10);
}

/*
 * The solver of a subproblem that starts from nothing: x->beta, x->rho and the number of steps; f
 * is left to the caller.
 */
static int solve_with_libsvm(const struct solver *solver, const struct problem_view *view,
			     double eps, struct iterate *x, struct error *err)
{
	/* C of the classes as weights of C = 1: the labels of the problem are +1 and -1 */
	const struct class_weight weight[] = { { 1, view->c_plus }, { -1, view->c_minus } };
	/* a regression has a single C and no classes */
	const bool regression = view->type == MACHINE_EPSILON_SVR;
	const struct training t = { .type = view->type,
				    .kernel = view->kernel,
				    .C = regression ? view->c_plus : 1,
				    .p = view->epsilon,
				    .cache_mb = solver->cache_mb,
				    .eps = eps,
				    .shrinking = solver->shrinking,
				    .n_weights = regression ? 0 : 2,
				    .weight = weight };
	int64_t n_iterations = 0;
	struct libsvm_messages messages = { count_iterations, &n_iterations };
	const struct example_list members = { view->n, view->row, view->target };
	struct svm_model *model;
	struct call c;
	int ret = call_init(&c, view->x, &members, &t, err);

	if (ret == 0) {
		enter(&messages);
		model = svm.svm_train(&c.prob, &c.param);
		leave();
		/* an example that is no support vector has the multiplier 0 */
		memset(x->beta, 0, (size_t)view->n * sizeof(*x->beta));
		/* sv_coef is y alpha, as beta is: LIBSVM puts +1 first of the labels +1 and -1 */
		for (int j = 0; j < model->l; j++)
			x->beta[model->sv_indices[j] - 1] = model->sv_coef[0][j];
		x->rho = model->rho[0];
		x->n_iterations += n_iterations;
		svm.svm_free_and_destroy_model(&model);
		/* 1 where LIBSVM's limit of steps ended it, as it does not say so itself */
		ret = n_iterations >= solver_max_iterations(view->n);
	}
	call_free(&c);
	return ret;
}

struct solver libsvm_solver(double cache_mb, bool shrinking)
{
	return (struct solver){ .solve = solve_with_libsvm,
				.cache_mb = cache_mb,
				.rows_mb = cache_mb,
				.shrinking = shrinking };
}
#endif

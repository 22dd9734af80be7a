/*
 * liblinear_adapter.c - LIBLINEAR as a library: its machines with the 1-norm
 *
 * LIBLINEAR is written for a program that trains once: it prints, draws from rand(), reports that
 * it gave up by a message alone, and does not check malloc().  What this file makes of it:
 *
 *     printing    one function takes all messages, prints none, and notices that of the limit
 *     rand()      seeded before each training
 *     malloc()    the memory of a training is probed for first
 *     input       rows of nodes that end with the index -1; the constant feature is a column of
 *                 ours, as LIBLINEAR's own 'bias' only says that there is one
 *     output      a model, of which the sizes of the weights are kept and the rest freed
 *
 * A training reads d->problem and leaves it as it was, so that a search for C copies the rows once.
 * One training at a time in a process, by a lock: LIBLINEAR's print function, rand() and
 * 'reached_limit' are global.  Memory of the copy: 16 bytes an entry, and 32 a row for the constant and the end.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linear/liblinear_adapter.h"

#ifdef HAVE_LIBLINEAR
#include <linear.h>

#include "base/mem_bound.h"
#include "base/shared_library.h"
#include "libraries.h"

/* What is called of LIBLINEAR. */
#define FUNCTIONS(F)                 \
	F(liblinear_version)         \
	F(set_print_string_function) \
	F(check_parameter)           \
	F(train)                     \
	F(free_and_destroy_model)

static struct {
	FUNCTIONS(SHARED_POINTER)
} linear;

#define SYMBOL(name) { #name, &linear.name, false },

static struct shared_library library = {
	.file = (const char *const[]){ LIBLINEAR_FILES, NULL },
	.symbol = (const struct shared_symbol[]){ FUNCTIONS(SYMBOL){ .name = NULL } },
	.room = 64 << 20, /* room for LIBLINEAR 2.30, which loads the BLAS */
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

int liblinear_version_number(int *version, struct error *err)
{
	if (shared_library_load(&library, err) < 0)
		return -1;
	*version = *linear.liblinear_version;
	return 0;
}

struct liblinear_data {
	struct problem problem;
	struct feature_node *nodes;
	double n_nodes;
};

/* Copy the entries of a row, then the constant feature 1, then LIBLINEAR's end mark. */
static struct feature_node *copy_row(struct feature_node *node, const struct csr *x, int64_t i)
{
	for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++)
		/* LIBLINEAR counts features from 1 */
		*node++ = (struct feature_node){ x->col[k] + 1, x->val[k] };
	/* the constant feature comes last, as a column of ones */
	*node++ = (struct feature_node){ (int)x->n_cols + 1, 1 };
	*node++ = (struct feature_node){ -1, 0 };
	return node;
}

static int fill(struct liblinear_data *d, const struct csr *x, const double *y, struct error *err)
{
	int64_t n_nodes = csr_n_entries(x) + 2 * x->n_rows;
	struct feature_node *node;

	/* n counts the constant feature; a 'bias' of 1 only tells LIBLINEAR that there is one */
	d->problem = (struct problem){
		.l = (int)x->n_rows,
		.n = (int)x->n_cols + 1,
		.y = (double *)y, /* LIBLINEAR only reads the labels */
		.x = mem_array(x->n_rows, sizeof(*d->problem.x), err),
		.bias = 1,
	};
	d->nodes = node = mem_array(n_nodes, sizeof(*node), err);
	d->n_nodes = (double)n_nodes;
	if (!d->problem.x || !d->nodes)
		return -1;
	for (int64_t i = 0; i < x->n_rows; i++) {
		d->problem.x[i] = node;
		node = copy_row(node, x, i);
	}
	return 0;
}

struct liblinear_data *liblinear_data_new(const struct csr *x, const double *y, struct error *err)
{
	struct liblinear_data *d;

	/*
	 * LIBLINEAR adds to numbers of rows and columns, so one less must fit; and the constant is
	 * one column more
	 */
	if (x->n_rows > INT_MAX - 2 || x->n_cols > INT_MAX - 2) {
		error_set(err, ERR_ARGUMENT, "LIBLINEAR takes at most %d rows and features",
			  INT_MAX - 2);
		return NULL;
	}
	/* zeroed, so that liblinear_data_free() may free what fill() has not made */
	d = mem_zeroed(1, sizeof(*d), err);
	if (d && fill(d, x, y, err) < 0) {
		liblinear_data_free(d);
		d = NULL;
	}
	return d;
}

void liblinear_data_free(struct liblinear_data *d)
{
	if (d)
		mem_free_all(d->problem.x, d->nodes, d);
}

/*
 * LIBLINEAR reports its limit of iterations by a message alone, through a function that has no
 * argument for a context: hence a variable of the process.
 */
static bool reached_limit;

static void look_for_limit(const char *text)
{
	if (strstr(text, "reaching max number of iterations"))
		reached_limit = true;
}

/*
 * Bytes of a row and of a column while LIBLINEAR trains, beside the nodes once more by columns:
 * arrays of rows (labels, order, pointers, margins and their backups: 64 bytes a row in version
 * 2.30) and of columns (weights, gradients, steps: 72 bytes a column).  The model's weights, one for
 * each column and machine, are counted with the columns, as machines are few.
 */
#define BYTES_OF_EACH 128

/*
 * size[j] = sum over the machines of |w_j|; w holds the weights of all machines column by column.
 */
static int sum_sizes(const struct model *model, int n, double *size, struct error *err)
{
	/* two classes have one machine, more classes have one machine each */
	const int n_machines = model->nr_class == 2 ? 1 : model->nr_class;

	for (int j = 0; j < n; j++) {
		size[j] = 0;
		for (int c = 0; c < n_machines; c++)
			size[j] += fabs(model->w[(int64_t)j * n_machines + c]);
		if (!isfinite(size[j]))
			return error_set(err, ERR_NUMERIC,
					 "LIBLINEAR's weights are beyond doubles;"
					 " scale the values");
	}
	return 0;
}

int liblinear_train(const struct liblinear_data *d, const struct liblinear_training *t,
		    double *size, struct error *err)
{
	const struct parameter parameter = {
		/*
		 * LIBLINEAR's two types of machine with |w|_1: logistic loss, and squared hinge
		 * loss
		 */
		.solver_type = t->loss == LIBLINEAR_LOGISTIC ? L1R_LR : L1R_L2LOSS_SVC,
		.C = t->C,
		.eps = t->eps,
#if LIBLINEAR_VERSION >= 240
		.regularize_bias = 1,
#endif
	};
	const double bytes = d->n_nodes * sizeof(*d->nodes) +
			     BYTES_OF_EACH * ((double)d->problem.l + d->problem.n);
	static pthread_mutex_t training = PTHREAD_MUTEX_INITIALIZER;
	const char *reason;
	struct model *model;
	int ret;

	if (shared_library_load(&library, err) < 0)
		return -1;
	/* LIBLINEAR ends the process for parameters that it does not check in train() */
	reason = linear.check_parameter(&d->problem, &parameter);
	if (reason)
		return error_set(err, ERR_ARGUMENT, "LIBLINEAR: %s", reason);
	if (mem_check_bound(bytes, err) < 0 || mem_check_room(bytes, err) < 0)
		return -1;
	pthread_mutex_lock(&training);
	linear.set_print_string_function(look_for_limit);
	/* look_for_limit() sets 'reached_limit' while LIBLINEAR trains */
	reached_limit = false;
	srand(t->seed); /* the order in which LIBLINEAR tries coordinates */
	shared_library_enter(&library);
	model = linear.train(&d->problem, &parameter);
	shared_library_leave();
	/* sizes of all weights but the last, which is the weight of the constant */
	ret = sum_sizes(model, d->problem.n - 1, size, err);
	linear.free_and_destroy_model(&model);
	/* 1 tells the caller that LIBLINEAR's limit of iterations ended the training */
	if (ret == 0)
		ret = reached_limit;
	pthread_mutex_unlock(&training);
	return ret;
}
#endif

/*
 * randsvm.h - support vector machines for large data: train, prove, predict, project, select
 *
 *     rows (a file, arrays) --> rsv_train() --> model, with a certificate --> rsv_predict()
 *          |                                     `--> a file of LIBSVM's
 *          `--> rsv_project(), rsv_scale(), rsv_select() --> map --> rsv_map_apply() --> rows
 *
 * What is computed is what the programs randsvm-train, rp-project, fs-select and svm-eval compute
 * with the same options; their manual pages describe the methods.
 *
 * Handles (rsv_rows, rsv_model, rsv_map) are made by functions that return NULL on failure, and
 * released by rsv_..._free(), which takes NULL too.  What is read from a handle that is NULL is 0 or
 * NULL.  Other functions that can fail return 0, or -1.
 * The last argument says why: a struct rsv_error of the caller, or NULL.
 *
 * Parameters are structs that begin with their size, filled by rsv_..._init() with the defaults of
 * the programs.  Fields may be added at the end in later versions: a program compiled with an
 * earlier header runs on unchanged.
 *
 * A file is replaced when the new one is complete, and is gzipped if its name ends in ".gz"; "-" is
 * standard input, or output.  Gzipped files are read like others.
 *
 * The library prints nothing, reads no environment and ends no process.  Threads may call it at the
 * same time, and so may callbacks; a handle that is only read may be shared.  A callback must return: a
 * jump out of one leaves memory taken.  Folds are those that LIBSVM draws after srand(run.seed), and
 * the process's rand() is not used; only LIBLINEAR, which rsv_select() calls for method l1, uses it.
 *
 * Exceptions of arithmetic that the caller has made traps, by feenableexcept(), trap in no function
 * that computes, nor in the callbacks of one, and those raised before it are what is raised after it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_H
#define RANDSVM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* rsv_version() - version of the library, such as "0.1.0" */
const char *rsv_version(void);

/* ---- errors ---- */

enum rsv_error_code {
	RSV_OK,
	RSV_ERR_MEMORY,	    /* out of memory */
	RSV_ERR_IO,	    /* open, read, write or rename failed */
	RSV_ERR_FORMAT,	    /* the input's bytes are wrong */
	RSV_ERR_ARGUMENT,   /* the caller asked for something impossible */
	RSV_ERR_NUMERIC,    /* the numbers defeated the algorithm */
	RSV_ERR_LIBRARY,    /* a shared library cannot be loaded */
	RSV_ERR_INTERRUPTED /* the caller asked to stop before there was a result */
};

/* The first failure of a call; unchanged where a call does not fail. */
struct rsv_error {
	int code;	 /* code, an enum rsv_error_code */
	char text[1020]; /* reason in words, without a newline at its end */
};

/* ---- how to run ---- */

/* Figures of a round of training. */
struct rsv_round {
	size_t size;
	int number; /* number of the round, from 1 */
	int reserved;
	int64_t working_set, n_sv, n_violators;
	double primal, dual; /* the best bounds so far; the optimum lies between them */
};

/*
 * What does not change the result, but for the end that interrupted() asks for: threads, memory,
 * callbacks; and the start of random numbers.  Functions use what concerns them.
 */
struct rsv_run {
	size_t size;
	int n_threads; /* number of threads, at most 256; 0: all cores that the process may use */
	int reserved;
	double cache_mb; /* memory for kernel values, in 2^20 bytes; 0: a quarter of all */
	uint64_t seed;	 /* start of the random numbers of the engine, 1; and of the folds */
	/*
	 * interrupted() - is the end wanted?  All functions that take a run and work for long ask it
	 * some times a second, by any thread; NULL: never.  Once it has returned other than 0 it must
	 * keep doing so.  rsv_train() then gives the model so far; other functions, and rsv_train()
	 * while it trains folds for probabilities, fail with RSV_ERR_INTERRUPTED.
	 *
	 * What other libraries compute comes to its end first: a decomposition by LAPACK, of
	 * rsv_components() and the methods bss, leverage, top and approx-bss of rsv_select(), takes
	 * min(rows, columns)^3 steps, of 2000 rows and columns 1 to 5 s; a training by LIBLINEAR, of
	 * method l1, as long as one at that C.  Functions that take no run are not asked: to copy
	 * rows takes a second for some 1e8 values, to write them for 3e7.
	 */
	int (*interrupted)(void *arg);
	/*
	 * round() - called after each round of a training, also of folds, by one thread at a time;
	 * not in searches; or NULL
	 */
	void (*round)(void *arg, const struct rsv_round *round);
	/*
	 * progress() - share of a search, or of reading a file whose size is known, that is done;
	 * called by one thread at a time; or NULL
	 */
	void (*progress)(void *arg, double share);
	void *arg; /* first argument of the callbacks */
};

/* rsv_run_init() - the defaults.  Functions take NULL for them. */
#define rsv_run_init(run) rsv_run_init_sized((run), sizeof(*(run)))
void rsv_run_init_sized(struct rsv_run *run, size_t size);

/* ---- rows ---- */

/*
 * Examples in memory, each with a label (of a class) or target.  Features are numbered from 1, as in
 * files; column j of an array is feature j + 1.
 */
typedef struct rsv_rows rsv_rows;

/*
 * rsv_rows_read() - all rows of a file
 *
 * SVMlight's text or the binary form of rp-project.  'run' may be NULL.  Fails with
 * RSV_ERR_FORMAT, naming line and column, RSV_ERR_IO or RSV_ERR_MEMORY.
 */
rsv_rows *rsv_rows_read(const char *path, const struct rsv_run *run, struct rsv_error *err);

/*
 * rsv_rows_read_by_qid() - rsv_rows_read() of rows that each have a qid; those of a qid are a group
 *
 * Groups are what rsv_rows_group() says.  rsv_rows_read() leaves qids out.
 */
rsv_rows *rsv_rows_read_by_qid(const char *path, const struct rsv_run *run, struct rsv_error *err);

/*
 * rsv_rows_scan() - the rows of a file, some thousand at a time, in constant memory
 *
 * batch() gets them in the order of the file; they last until it returns.  If it returns other than
 * 0 the scan ends, and so does rsv_rows_scan() with -1, and RSV_ERR_INTERRUPTED unless batch() has
 * filled 'err' itself.
 */
int rsv_rows_scan(const char *path, const struct rsv_run *run,
		  int (*batch)(void *arg, const rsv_rows *rows), void *arg, struct rsv_error *err);

/*
 * rsv_rows_dense() - a copy of a full matrix: value[i * stride + j] is column j of row i
 *
 * Zeros are left out; rsv_rows_n_features() is n_columns all the same.  'label' has n_rows numbers,
 * or is NULL: all 0.  All numbers must be finite.
 */
rsv_rows *rsv_rows_dense(int64_t n_rows, int64_t n_columns, const double *value, int64_t stride,
			 const double *label, struct rsv_error *err);

/*
 * rsv_rows_csr() - a copy of a sparse matrix: the entries of row i are numbers start[i] to
 * start[i + 1] - 1 of 'column' and 'value'
 *
 * Columns count from 0, in any order, each once in a row.
 */
rsv_rows *rsv_rows_csr(int64_t n_rows, const int64_t *start, const int32_t *column,
		       const double *value, const double *label, struct rsv_error *err);

/*
 * rsv_rows_kernel() - rows of a precomputed kernel: value[i * stride + j] = K(row i, row j trained
 * on)
 *
 * Row i has feature 0, the number i + 1, and then n_columns values, zeros too; rsv_rows_part() of
 * these can be trained on as well.  For training n_columns is at least n_rows, and the kernel is
 * symmetric: of two values that differ training may take either, and rsv_doubts() tells.
 */
rsv_rows *rsv_rows_kernel(int64_t n_rows, int64_t n_columns, const double *value, int64_t stride,
			  const double *label, struct rsv_error *err);

/* A kernel of the caller's own objects: strings, graphs, molecules. */
struct rsv_kernel_function {
	size_t size;
	/*
	 * values() - value[b] = K(object i, object j[b]) for n objects j; returns 0, or another number
	 * if it fails, which ends the call that asks, with RSV_ERR_ARGUMENT
	 *
	 * The kernel is symmetric, and its values are finite.  Called by any thread, by one at a time, for
	 * as many values as are wanted, which it may share among threads of its own; it must not make
	 * calls that ask for values, and must return.
	 */
	int (*values)(void *arg, int64_t i, const int64_t *j, int64_t n, double *value);
	void *arg; /* first argument of values() */
	/*
	 * 0: bound of the error of a value, as a share of the root of K(i, i) K(j, j); certificates
	 * count it in
	 */
	double error;
};

#define rsv_kernel_function_init(kernel) rsv_kernel_function_init_sized((kernel), sizeof(*(kernel)))
void rsv_kernel_function_init_sized(struct rsv_kernel_function *kernel, size_t size);

/*
 * rsv_rows_kernel_by() - rows that are objects of the caller's, whose kernel a function gives
 *
 * Row i is object i; rsv_rows_part() makes of them the rows to train on, and those to predict.  The
 * kernel of the training is RSV_PRECOMPUTED, and a support vector is the number of an object, plus
 * 1: a model predicts objects by their values with its support vectors alone.
 *
 * Training asks for the values that it needs: of 256 rows at random, to see whether the kernel is
 * positive semidefinite, of the rows it works with, and of all rows with the support vectors, which
 * the certificate takes.  It asks for K(i, j) or K(j, i), once: the rows, and those that
 * rsv_rows_part(), rsv_rows_weigh() and rsv_rows_group() make of them, keep the values for further
 * trainings, in an eighth of the memory at most.  rsv_predict() keeps none.  '*kernel' is copied; what
 * its arg points to must last as long as these rows do.
 *
 * A kernel that is not positive semidefinite is trained as LIBSVM trains, and nothing is proved;
 * RSV_ERR_NUMERIC names objects whose value is not finite, RSV_ERR_ARGUMENT rows where it is not
 * symmetric, of 8 at random.  Not for rsv_certify(), rsv_rows_write(), and maps.
 */
rsv_rows *rsv_rows_kernel_by(const struct rsv_kernel_function *kernel, int64_t n_rows,
			     const double *label, struct rsv_error *err);

/* rsv_rows_n_kernel_values() - number of values that the function was asked for so far */
int64_t rsv_rows_n_kernel_values(const rsv_rows *rows);

struct svm_node;

/* rsv_rows_nodes() - a copy of rows of LIBSVM's svm_node, each ended by an index of -1 */
rsv_rows *rsv_rows_nodes(int64_t n_rows, const struct svm_node *const *node, const double *label,
			 struct rsv_error *err);

/* rsv_rows_part() - a copy of rows row[0], ..., row[n - 1], which may repeat */
rsv_rows *rsv_rows_part(const rsv_rows *rows, const int64_t *row, int64_t n, struct rsv_error *err);

/*
 * rsv_rows_weigh() - a copy of the rows with weights: a row of weight w counts as w equal rows do
 *
 * weight[i] is above 0; leave others out by rsv_rows_part().  Training, certificates, cross
 * validation, rsv_search() with its rates, and the methods rfe, rmb, lpsvm, t and f of rsv_select() go
 * by the weights, and rsv_rows_part() and rsv_map_apply() hand them on; files have none.  Other methods
 * of rsv_select() refuse rows with weights.
 */
rsv_rows *rsv_rows_weigh(const rsv_rows *rows, const double *weight, struct rsv_error *err);

/*
 * rsv_rows_group() - a copy of the rows with groups: row i is of group group[i], any number
 *
 * Rows of a group resemble each other, as samples of a patient do.  Folds keep them together: those
 * of rsv_folds(), rsv_cross_validate(), rsv_search(), and of probabilities.  There must not be fewer
 * groups than folds.  rsv_rows_part(), rsv_rows_weigh() and rsv_map_apply() hand the groups on;
 * files that are written have none.
 */
rsv_rows *rsv_rows_group(const rsv_rows *rows, const int64_t *group, struct rsv_error *err);

/* rsv_rows_write() - write SVMlight's text, all digits of the values */
int rsv_rows_write(const rsv_rows *rows, const char *path, struct rsv_error *err);

int64_t rsv_rows_count(const rsv_rows *rows);
int64_t rsv_rows_n_entries(const rsv_rows *rows);    /* values that are stored */
int64_t rsv_rows_n_features(const rsv_rows *rows);   /* highest number of a feature, or n_columns */
const double *rsv_rows_labels(const rsv_rows *rows); /* borrowed */

/*
 * rsv_rows_copy() - the rows as rsv_rows_csr() takes them: start[rows + 1], column and value
 * [entries]
 *
 * Fails with RSV_ERR_ARGUMENT if a row has a feature 0, which has no column.
 */
int rsv_rows_copy(const rsv_rows *rows, int64_t *start, int32_t *column, double *value,
		  struct rsv_error *err);

void rsv_rows_free(rsv_rows *rows);

/* ---- training ---- */

/* Machines, numbered as the values of svm-train's -s. */
enum rsv_machine { RSV_C_SVC, RSV_NU_SVC, RSV_ONE_CLASS, RSV_EPSILON_SVR, RSV_NU_SVR };

/* Kernels, numbered as the values of svm-train's -t. */
enum rsv_kernel {
	RSV_LINEAR,	/* x.z */
	RSV_POLYNOMIAL, /* (gamma x.z + coef0)^degree */
	RSV_RBF,	/* exp(-gamma |x - z|^2) */
	RSV_SIGMOID,	/* tanh(gamma x.z + coef0) */
	RSV_PRECOMPUTED /* rows of rsv_rows_kernel(), rsv_rows_kernel_by() */
};

/* The parameters of svm-train, with its defaults, and some of randsvm-train's. */
struct rsv_training {
	size_t size;
	int machine, kernel; /* machine and kernel: RSV_C_SVC and RSV_RBF */
	int degree;	     /* 3 */
	int probability;     /* is the model to give probabilities? */
	double gamma;	     /* 0: 1 / highest number of a feature */
	double coef0;	     /* 0 */
	double C;	     /* 1: C-SVC, epsilon-SVR, nu-SVR */
	double nu;	     /* 0.5: nu-SVC, one-class, nu-SVR */
	double p;	     /* 0.1: epsilon-SVR: half the width of the tube */
	double eps;	     /* 0.001: tolerance of the conditions of optimality */
	int squared_loss;    /* are losses squared?  C-SVC, epsilon-SVR; linear kernel */
	int one_vs_rest;     /* a machine for each class against the rest?  C-SVC, linear kernel */
	int balanced;  /* is C of each class to be weighed by 1 / its number of rows?  C-SVC */
	int n_weights; /* weights of classes: C of class label[i] is C weight[i] */
	const int *label;
	const double *weight;
	/* budget of examples at a time, for kernels and very many rows; 0: the optimum */
	int64_t budget;
	double gap; /* relative gap at which to stop, up to 1; 0: at the tolerance eps alone */
	int64_t max_rounds; /* most rounds over all rows, kernels other than linear; 0: no limit */
};

#define rsv_training_init(training) rsv_training_init_sized((training), sizeof(*(training)))
void rsv_training_init_sized(struct rsv_training *training, size_t size);

/* What makes results of rows wrong, or better than they are, without an error: bits of rsv_doubts(). */
enum rsv_doubt {
	RSV_DOUBT_QID = 1, /* the file has qids, and no groups: folds split rows of one qid */
	RSV_DOUBT_ASYMMETRY =
		2,	      /* the precomputed kernel is not symmetric, by 512 rows at random */
	RSV_DOUBT_ROUNDED = 4 /* the file has integers of more digits than a double holds */
};

/*
 * rsv_doubts() - what is doubtful in these rows and parameters; 0: nothing
 *
 * randsvm-train tells the same.  RSV_DOUBT_QID matters where there are folds: cross validation, a
 * search, probabilities.  'training' may be NULL: what is doubtful in the rows alone.  O(rows).
 */
int rsv_doubts(const rsv_rows *rows, const struct rsv_training *training);

typedef struct rsv_model rsv_model;

/*
 * rsv_train() - the optimum of the training problem on all rows, within training->eps
 *
 * The model has a certificate for each decision function.  'run' may be NULL.  Fails with
 * RSV_ERR_ARGUMENT (in svm-train's words, such as "C <= 0"), RSV_ERR_FORMAT (labels that are no
 * classes), RSV_ERR_NUMERIC (no solution in doubles; nu-SVC without a margin) or RSV_ERR_MEMORY.
 */
rsv_model *rsv_train(const rsv_rows *rows, const struct rsv_training *training,
		     const struct rsv_run *run, struct rsv_error *err);

/* ---- certificates ---- */

/* How far a decision function is from the optimum, proved over all rows. */
struct rsv_certificate {
	size_t size;
	int label_a, label_b; /* the pair of classes; 0 without classes, label_b 0 for the rest */
	int64_t n_rows;	      /* rows of the pair, or all */
	double primal, dual;  /* the optimum lies between them; NAN: not known */
	double rounding;      /* bound of the rounding errors of each of the two; NAN: not known */
	/*
	 * (primal - dual + 2 rounding) / |primal|; NAN as they are, or where the primal is 0 or below the
	 * dual by more than rounding, as the kernel is not positive semidefinite on these rows, and
	 * nothing is proved
	 */
	double relative_gap;
	int64_t n_violators; /* rows that violate the conditions of optimality by more than eps */
	int64_t n_sv, n_bounded; /* support vectors, and those whose multiplier is at its bound */
	double rho;		 /* minus the constant of the decision function; NAN: not known */
	int64_t rounds; /* rounds of training; 0 where the certificate is rsv_certify()'s */
	/*
	 * C times the largest kernel value, where it is too much for doubles, and rows violate the
	 * conditions or rounding leaves nothing proved: the model may be chance; else, and of
	 * rsv_certify(), 0
	 */
	double excess;
	/*
	 * how far the objective of the model, in exact numbers, may be above the optimum: an upper bound
	 * with all errors in it; NAN where none is known, or the kernel is not positive semidefinite
	 */
	double gap;
	int ended_early; /* training ended at a limit, or was interrupted */
	int reserved;
};

/* rsv_model_n_certificates() - number of certificates; 0 of a model that was read from a file */
int64_t rsv_model_n_certificates(const rsv_model *model);

/* rsv_model_certificate() - certificate k of a model that was trained */
#define rsv_model_certificate(model, k, certificate, err) \
	rsv_model_certificate_sized((model), (k), (certificate), sizeof(*(certificate)), (err))
int rsv_model_certificate_sized(const rsv_model *model, int64_t k,
				struct rsv_certificate *certificate, size_t size,
				struct rsv_error *err);

/*
 * rsv_certify() - certificates of any model by the rows and parameters it was trained with
 *
 * Whichever program has trained it.  The model then has these certificates, in double precision.
 * gamma, coef0 and degree are those of the model.  Fails with RSV_ERR_ARGUMENT if its machine or
 * kernel are not those of 'training'; the certificates it had then stay.
 */
int rsv_certify(rsv_model *model, const rsv_rows *rows, const struct rsv_training *training,
		const struct rsv_run *run, struct rsv_error *err);

/* ---- models ---- */

/*
 * rsv_model_read() - read a file of LIBSVM's or LIBLINEAR's, or a chain of svm-eval --chain
 *
 * A chain that has maps is for rsv_predict() alone, of rows as they are before all of them; what it
 * tells of itself is of its model, and what writes or changes a model, or certifies, refuses it.  Its
 * names of classes are not used.  One that begins with columns of a table is refused.
 */
rsv_model *rsv_model_read(const char *path, struct rsv_error *err);

/*
 * rsv_model_write() - write a file of LIBSVM's or LIBLINEAR's from which the same model is read
 *
 * LIBSVM itself writes eight digits of a feature of a support vector; this file has as many as its
 * double needs.  rsv_model_write_exact() does the same.
 */
int rsv_model_write(const rsv_model *model, const char *path, struct rsv_error *err);
int rsv_model_write_exact(const rsv_model *model, const char *path, struct rsv_error *err);
void rsv_model_free(rsv_model *model);

/*
 * rsv_model_export() - write a model, or a chain, as a program that needs no library
 *
 * 'kind' is "c" (C99, the decision values of rsv_predict() bit for bit), "c-float" (in single precision)
 * or "onnx", where 'probabilities' other than 0 has it predict by these.  Functions of C are called by
 * the name of the file.  Refused with RSV_ERR_ARGUMENT are precomputed kernels, maps that are neither
 * ranges nor choices, feature 0, models of one class, graphs beyond 2 GB and probabilities that there
 * are not; with RSV_ERR_NUMERIC numbers beyond the file's precision.
 */
int rsv_model_export(const rsv_model *model, const char *kind, int probabilities, const char *path,
		     struct rsv_error *err);

struct rsv_model_info {
	size_t size;
	int machine, kernel, degree;
	int is_linear_model; /* weights of features, not support vectors: LIBLINEAR's kind */
	double gamma, coef0;
	int n_classes;	       /* number of classes; 0: the model predicts no class */
	int has_probabilities; /* does it have what training->probability adds? */
	int64_t n_sv;
	int64_t n_values;    /* decision values of a row */
	int64_t n_features;  /* the highest number of a feature */
	int was_interrupted; /* training ended before the optimum, as run->interrupted() asked */
	/* probabilities of a row: n_classes, or 2 of a one-class model; 0: the model gives none */
	int n_probabilities;
	/*
	 * regression with probabilities: the errors of predictions have the density
	 * exp(-|error| / sigma) / (2 sigma); else 0
	 */
	double sigma;
	/* pairs of classes, or machines against the rest, whose probability falls where the decision value grows: of too few rows */
	int64_t n_reversed;
	/*
	 * of a model that was trained: by some so much decision values of support vectors would be
	 * off, as rows of a linear kernel lie far from 0; the model has weights in their place, a
	 * vector for each pair, and no rsv_model_sv_rows().  0: by less than a hundredth
	 */
	double far_error;
};

#define rsv_model_info(model, info) rsv_model_info_sized((model), (info), sizeof(*(info)))
void rsv_model_info_sized(const rsv_model *model, struct rsv_model_info *info, size_t size);

/*
 * Arrays of a model, borrowed; NULL where there are none.  Pairs of classes are in the order (0, 1),
 * (0, 2), ..., (1, 2), ...
 */
const int *rsv_model_labels(const rsv_model *model); /* n_classes */
const double *rsv_model_rho(const rsv_model *model); /* one for each pair */
/*
 * probability of a pair's first class at decision value f: 1 / (1 + exp(prob_a f + prob_b)); of
 * machines of each class against the rest, n_values of them, the odds exp(-(prob_a f + prob_b)) divided
 * by their sum over the classes are the probabilities
 */
const double *rsv_model_prob_a(const rsv_model *model);
const double *rsv_model_prob_b(const rsv_model *model);
/*
 * coefficients of the support vectors, [n_classes - 1][n_sv] (without classes [1][n_sv]), as in
 * LIBSVM's sv_coef
 */
const double *rsv_model_coefficients(const rsv_model *model);
/* number of support vectors of each class */
const int64_t *rsv_model_n_sv_of_classes(const rsv_model *model);
/* rows, from 0, that the support vectors are; of a model that was trained */
const int64_t *rsv_model_sv_rows(const rsv_model *model);

/* rsv_model_support_vectors() - the support vectors as rows, whose labels are 0 */
rsv_rows *rsv_model_support_vectors(const rsv_model *model, struct rsv_error *err);

/*
 * rsv_model_weights() - weights and constants of a linear model: value v of a row x is
 * x.weight[v] + constant[v]
 *
 * weight[v * n_features + j] is that of feature j + 1; both arrays have room for n_values.  The
 * weight of a feature 0, which folded models have for rows of files, is left out.  Fails with
 * RSV_ERR_ARGUMENT if the kernel is not linear, or with RSV_ERR_NUMERIC where a weight is too large
 * for a double.
 */
int rsv_model_weights(const rsv_model *model, int64_t n_features, double *weight, double *constant,
		      struct rsv_error *err);

/*
 * rsv_model_reduce() - a model of at most n_sv of the support vectors that decides nearly as it does
 *
 * As svm-eval --reduce: the vectors are chosen one by one, and the coefficients are the nearest to
 * the decision functions f, in the norm of the kernel's functions.  change[v], for each of n_values,
 * becomes |f - g| / |f|, g being the function so found; 'change' may be NULL.  Fewer vectors come of
 * it where the others depend on them.
 *
 * Given rows and 'training', the coefficients are then trained on these rows, as by --retrain; the
 * model has no probabilities then.  gamma, coef0 and degree are those of the model.
 *
 * S support vectors take O(S (S + n_sv)) kernel values and 8 S n_sv bytes.  Fails with
 * RSV_ERR_ARGUMENT if the kernel is neither rbf nor polynomial with gamma and coef0 of 0 or more, the
 * model has no support vectors, 'training' has another machine or kernel, or a class has no rows.
 */
rsv_model *rsv_model_reduce(const rsv_model *model, int64_t n_sv, double *change,
			    const rsv_rows *rows, const struct rsv_training *training,
			    const struct rsv_run *run, struct rsv_error *err);

/* ---- predictions ---- */

/* Arrays to be filled; NULL: not wanted. */
struct rsv_predictions {
	size_t size;
	double *predicted; /* class, value, or side: +1 or -1; one for each row */
	double *values;	   /* decision values, [rows][n_values] */
	/* probability of each class, or of a one-class model of +1 and of -1, [rows][n_probabilities] */
	double *probability;
	/* of a chain: grows by the number of values, of all rows, that its ranges leave out, having none of them */
	int64_t *n_unranged;
};

#define rsv_predictions_init(predictions) \
	rsv_predictions_init_sized((predictions), sizeof(*(predictions)))
void rsv_predictions_init_sized(struct rsv_predictions *predictions, size_t size);

/*
 * rsv_predict() - predict all rows
 *
 * As svm-predict does, with -b 1 if 'probability' is wanted: of classes the prediction is then the
 * most probable one.  Where a kernel value or a sum is too large for a double, decision values,
 * predictions of regression and probabilities may be infinite or NAN, and a class worth nothing:
 * svm-predict prints the same, and svm-eval warns.  Fails with RSV_ERR_ARGUMENT if the model gives
 * no probabilities, or if rows of a precomputed kernel lack a support vector's value; or with
 * RSV_ERR_MEMORY.
 */
int rsv_predict(const rsv_model *model, const rsv_rows *rows,
		const struct rsv_predictions *predictions, const struct rsv_run *run,
		struct rsv_error *err);

/* Numbers of a row that was explained: decision value, base, and bound of the errors of its values. */
enum { RSV_EXPLAINED = 3 };

/*
 * rsv_explain() - value[i * n_features + j - 1], the Shapley value of feature j in row i
 *
 * As svm-eval --explain: a row's decision value is the base, its mean over the background, plus the
 * row's values.  Of several classes it is that of the class predicted: its own machine's, or the sum of
 * all its pairs.  Feature 0, and those above n_features, are left out.  'background' may be NULL: one
 * row of zeros; 'sums', an element for each row, too.  An infinite bound: the values are not known, as
 * numbers are too large.  S support vectors and a row of the background take O(S n) operations, n being the features in which
 * they differ, times 3 nodes or some more for rbf.  Fails with RSV_ERR_ARGUMENT for sigmoid and
 * precomputed kernels, degrees above 3, chains, and a background without rows; with
 * RSV_ERR_NUMERIC where a decision value of the background is not finite; or with RSV_ERR_MEMORY.
 */
int rsv_explain(const rsv_model *model, const rsv_rows *rows, const rsv_rows *background,
		int64_t n_features, double *value, double (*sums)[RSV_EXPLAINED],
		const struct rsv_run *run, struct rsv_error *err);

/*
 * How good predictions are.  NAN: not defined, as without rows, or where targets (or predictions, for
 * the correlation) are all equal; INFINITY or NAN also where squares are too large for a double.
 */
struct rsv_measures {
	size_t size;
	int64_t n;
	double accuracy; /* share of the predictions that equal their targets, in percent */
	double mse, mae; /* mean squared, mean absolute error */
	double squared_correlation;
	double determination; /* 1 - squared errors / squares about the mean of the targets */
};

#define rsv_measure(target, predicted, n, measures) \
	rsv_measure_sized((target), (predicted), (n), (measures), sizeof(*(measures)))
void rsv_measure_sized(const double *target, const double *predicted, int64_t n,
		       struct rsv_measures *measures, size_t size);

/*
 * rsv_auc() - area under the ROC curve: the share of pairs of a positive and another row in which
 * the positive has the higher score; NAN without a pair, or where memory is out
 */
double rsv_auc(const double *score, const int *is_positive, int64_t n);

/* ---- cross validation and search ---- */

/*
 * rsv_folds() - fold[i] = number of the fold, from 0, that row i is in: the folds of svm-train -v,
 * or of rows with groups those that keep each group whole
 *
 * Stratified by label if 'stratified', for labels that are classes.  'run' has the seed.  Fails
 * with RSV_ERR_ARGUMENT if there are fewer rows, or groups, than folds.
 */
int rsv_folds(const rsv_rows *rows, int64_t n_folds, int stratified, const struct rsv_run *run,
	      int64_t *fold, struct rsv_error *err);

/*
 * rsv_cross_validate() - predicted[i] = what a model trained without the fold of row i says of it
 *
 * Of at least 2 folds; if there are fewer rows, one for each, but not of rows with groups.  Fails as
 * rsv_train() does, for any fold.
 */
int rsv_cross_validate(const rsv_rows *rows, const struct rsv_training *training, int64_t n_folds,
		       const struct rsv_run *run, double *predicted, struct rsv_error *err);

/* A point of a search. */
struct rsv_point {
	double C, gamma;
	/*
	 * accuracy in percent, or mean squared error of a regression, both by the weights of the
	 * rows; NAN: no training, or not yet, or an error too large for a double
	 */
	double rate;
	int64_t n_unfinished; /* folds that were not trained to the tolerance */
};

/*
 * Values of C, ascending, and of gamma; above 0.  An array of no values: training->C or gamma alone,
 * as for machines without C and kernels without gamma.  Not with a budget.
 */
struct rsv_grid {
	size_t size;
	int n_c, n_gamma;
	const double *c, *gamma;
	int64_t n_folds; /* 5; at least 2, and if there are fewer rows, one fold for each */
	/*
	 * found() - a point is known, and with it predictions of all rows (NAN if it has no rate);
	 * called by any thread, by one at a time; or NULL
	 */
	void (*found)(void *arg, const struct rsv_point *point, const double *predicted);
	void *arg;
	/*
	 * number of the fold of each row, from 0, as rsv_folds() gives it; or -1: the row is in none,
	 * and is trained on by all.  n_folds is then 1 to the number of rows.  NULL: folds are those of
	 * rsv_folds()
	 */
	const int64_t *fold;
	/*
	 * found_values() - found(), with the decision values [rows][n_values] behind the predictions:
	 * those of rsv_predict(), where labels have the order in which rows have them first, but +1 is
	 * before -1 where there are these two
	 */
	void (*found_values)(void *arg, const struct rsv_point *point, const double *predicted,
			     const double *values, int64_t n_values);
};

#define rsv_grid_init(grid) rsv_grid_init_sized((grid), sizeof(*(grid)))
void rsv_grid_init_sized(struct rsv_grid *grid, size_t size);

/*
 * rsv_search() - cross-validate at all points of a grid, sharing what they have in common
 *
 * point[g * n_c + c] is that of gamma[g] and c[c].  Returns the number of the best, the smallest of
 * C and then of gamma where rates are equal; or -1.  Where no point has a rate that is
 * RSV_ERR_NUMERIC.  After RSV_ERR_INTERRUPTED the points found before have their rates.
 */
int64_t rsv_search(const rsv_rows *rows, const struct rsv_training *training,
		   const struct rsv_grid *grid, const struct rsv_run *run, struct rsv_point *point,
		   struct rsv_error *err);

/* ---- maps: rows with other features ---- */

typedef struct rsv_map rsv_map;

/* A random projection, or a map of a kernel, whose rows have nearly its values as products */
struct rsv_projection {
	size_t size;
	const char *
		method; /* "rs", "fht", "cw", "countsketch", "gaussian", ...: "cw", see rp-project */
	int64_t n_columns;  /* number of features made; must be set */
	int64_t n_features; /* number of features of the rows; needed by fht and li */
	uint64_t seed;	    /* 1 */
	/*
	 * of maps of a kernel: "rff", random Fourier features of "rbf" or "laplace",
	 * exp(-gamma |x - z|_1), orthogonal if n_features is known, to 16,384; "tensorsketch", of
	 * "polynomial"; and rsv_nystrom(), of "rbf" or "polynomial".  NULL: the first of these
	 */
	const char *kernel;
	double gamma,
		coef0; /* of the kernel, 0 or more; gamma of 0: 1 / n_features, of Nystrom's rows */
	int degree;    /* 3 */
	int by_leverage; /* are landmarks drawn by ridge leverage scores?  0: uniformly */
};

#define rsv_projection_init(projection) \
	rsv_projection_init_sized((projection), sizeof(*(projection)))
void rsv_projection_init_sized(struct rsv_projection *projection, size_t size);

/* rsv_project() - the map, which depends on no data */
rsv_map *rsv_project(const struct rsv_projection *projection, struct rsv_error *err);

/*
 * rsv_nystrom() - Nystrom's map of a kernel: n_columns landmarks among the rows, and a feature each
 *
 * Of fewer rows, or where some landmarks depend on others, there are fewer features.  The method of
 * 'projection' is not read.  O(n_columns^3) and, by leverage, as many kernel values as rows and
 * columns; 24 n_columns^2 bytes.  run->interrupted() is not asked.
 */
rsv_map *rsv_nystrom(const rsv_rows *rows, const struct rsv_projection *projection,
		     const struct rsv_run *run, struct rsv_error *err);

/* rsv_components() - the first principal components of the rows */
rsv_map *rsv_components(const rsv_rows *rows, int64_t n_components, const struct rsv_run *run,
			struct rsv_error *err);

/* rsv_scale() - each feature to the range from 'lower' to 'upper' in these rows, as svm-scale */
rsv_map *rsv_scale(const rsv_rows *rows, double lower, double upper, struct rsv_error *err);

/* A selection of features, see fs-select. */
struct rsv_selection {
	size_t size;
	const char *method; /* "bss", "leverage", "rrqr", "rfe", "l1", "f", ...: "bss" */
	/* number of features wanted; must be set, but where nu is */
	int64_t n_features;
	int unsupervised; /* choose among all rows, not among support vectors? */
	int regression;	  /* are labels targets?  unsupervised for rfe and rmb alone */
	double C, p, eps; /* 1, 0.1, 0.001: of the machines that are trained */
	double nu;	  /* lpsvm, l1: weight of the errors, in place of n_features; 0 */
	double fraction;  /* rfe, rmb: share of the features that a step drops, up to 1; 0: one */
	int64_t sketch_rows; /* approx-bss: random combinations of the rows; 0: 256 */
	int rescale;	     /* are values multiplied by the weights of their features? */
	int renumber;	     /* are the features chosen called 1, 2, ... in ascending order? */
};

#define rsv_selection_init(selection) rsv_selection_init_sized((selection), sizeof(*(selection)))
void rsv_selection_init_sized(struct rsv_selection *selection, size_t size);

/*
 * rsv_select() - the features chosen, as a map that keeps them alone
 *
 * Fails with RSV_ERR_ARGUMENT where a number is out of its range or the method does not have what is
 * set, as regression of t, lpsvm and l1, nu of other methods than lpsvm and l1, or fewer than two
 * classes for methods that tell classes apart; and with RSV_ERR_FORMAT for labels that are no classes.
 */
rsv_map *rsv_select(const rsv_rows *rows, const struct rsv_selection *selection,
		    const struct rsv_run *run, struct rsv_error *err);

/* rsv_map_n_features() - number of features that the map makes; 0: as many as the rows have */
int64_t rsv_map_n_features(const rsv_map *map);

/* The features of a selection in the order of choice, borrowed; 0 and NULL of other maps. */
int64_t rsv_map_n_selected(const rsv_map *map);
const int32_t *rsv_map_selected(const rsv_map *map);
const double *rsv_map_selected_weights(const rsv_map *map);
const double *rsv_map_selected_scores(const rsv_map *map);

/*
 * rsv_map_read() - a file of rp-project -s, fs-select -s or svm-scale -s, which is not standard
 * input; rsv_map_write() - write one
 */
rsv_map *rsv_map_read(const char *path, struct rsv_error *err);
int rsv_map_write(const rsv_map *map, const char *path, struct rsv_error *err);
void rsv_map_free(rsv_map *map);

/*
 * rsv_map_apply() - the rows with their new features; labels as they were, but where ranges of
 * svm-scale have a range of them
 *
 * Fails with RSV_ERR_NUMERIC, naming the row, where a new number is too large for a double.
 */
rsv_rows *rsv_map_apply(const rsv_map *map, const rsv_rows *rows, const struct rsv_run *run,
			struct rsv_error *err);

/*
 * rsv_map_fold() - a linear model of mapped rows as a model of the rows as they were
 *
 * 'n_features' is the highest feature that they have.  Not for scalings and maps of kernels.  Fails
 * with RSV_ERR_NUMERIC where a weight is too large for a double.
 */
rsv_model *rsv_map_fold(const rsv_map *map, const rsv_model *model, int64_t n_features,
			struct rsv_error *err);

#ifdef __cplusplus
}
#endif

#endif

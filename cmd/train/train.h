/*
 * train.h - the parts of randsvm-train
 *
 *     randsvm-train.c       options, and what is done in which order
 *     train_settings.c      svm-train's defaults, and options that do not go together
 *     train_problem.c       the training problem of data and options
 *     train_remarks.c       what in a training set is probably a slip
 *     train_run.c           training: who trains, and what is told of it before and after
 *     train_ranks.c         the other ranks of randsvm-train-mpi
 *     train_checkpoint.c    --checkpoint
 *     train_certificates.c  svm-train's lines, and rounds; certificates
 *     train_validation.c    -v
 *     train_model.c         --start; the model file
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "common/read_rows.h"
#include "evaluate/machine_train.h"
#include "model/model.h"

enum { MODE_EXACT, MODE_PAPER, MODE_REWEIGHT, MODE_BUDGET, MODE_DIRECT };
enum { SOLVER_AUTO, SOLVER_NATIVE, SOLVER_LIBSVM };
enum { FORMAT_LIBSVM, FORMAT_LIBLINEAR };
enum { MULTICLASS_OVO, MULTICLASS_OVR };

extern const char *const train_mode_names[];

/*
 * Options that randsvm-train and randsvm-grid share, written by main() before any other function
 * runs; train_settings.c has svm-train's defaults
 */
extern struct train_given {
	struct common_options common;
	struct data_files data;
	const char *data_name;	 /* data.name */
	const char *row_weights; /* file of -W; or NULL */

	/* what to train, but for what train_asked() adds of the fields below */
	struct machine_given machine;
	int64_t svm_type, kernel_type, degree, shrinking, probability;
	double cache_mb; /* size of the kernel cache in MB; NAN: not given */
	struct cli_weights weights;
	int multiclass, loss;

	int64_t n_folds;
	double time_limit; /* seconds; 0: none */
} given;

/* Options of randsvm-train alone; randsvm-grid leaves them at their defaults. */
extern struct train_settings {
	int mode, solver;
	int64_t n_models;
	const char *start, *start_indices;
	const char *checkpoint;
	/* seconds between two writes of the checkpoint; 0: a write at each safe point */
	double checkpoint_every;
	double most_gap; /* largest relative gap of a model that is written; INFINITY: any */
	bool compact, metrics;
	int64_t n_permutations; /* draws of labels of --permutations; 0: none */
	const char *cv_predictions;
	int model_format;
	const char *sv_indices, *model_name;
} settings;

/* Files that a run writes, by position in struct cli_run; those of randsvm-grid follow the model. */
enum { FILE_MODEL, FILE_INDICES, FILE_PREDICTIONS };

/* Inputs, training and outputs of one run of the program, which must not move. */
struct training_job {
	struct cli_run run;
	struct dataset data;
	/* numbers, from 0, that the rows of the data have in their file; NULL: their own */
	int64_t *file_row;
	int64_t n_file_rows;
	struct machine machine;
	/* what the machine points to */
	struct training_setup {
		struct libsvm_messages messages;
		struct randsvm_observer rounds;
		struct trainer_observer pairs;
		struct validation_observer folds;
		struct interruption interruption;
		/* rows of the trainer, where LIBSVM trains; or empty */
		struct shifted_data shifted;
	} setup;
	struct model start; /* model of --start, whose vectors are rows of the data; else empty */
	struct machine_result result;
	bool interrupted; /* training was interrupted: the result is the one so far */
	double deadline;  /* time (cli_seconds()) at which training ends; INFINITY: no limit */
	/* state of the lines printed while the program runs */
	struct {
		/* number of pairs, and of folds, finished so far; number of folds */
		int64_t n_trained, fold, n_folds;
		/* trainings of folds by what warn_of_folds() says of them */
		int64_t n_reversed, n_coarse;
		double last_primal; /* primal of the round before, which mode paper compares */
		double flushed; /* time (cli_seconds()) when LIBSVM's messages were flushed last */
	} display;
	struct report *rounds; /* array of the report that gets an object a round; or NULL */
	double reading;	       /* processor time of reading the rows, in seconds */
};

/* is_one_vs_rest() - is the option --multiclass ovr given, or one that has it besides? */
static inline bool is_one_vs_rest(void)
{
	return given.multiclass == MULTICLASS_OVR || given.loss == LOSS_LOGISTIC;
}

/* one_vs_rest_option() - the option that makes it so */
static inline const char *one_vs_rest_option(void)
{
	return given.loss == LOSS_LOGISTIC ? "--loss logistic" : "--multiclass ovr";
}

/* makes_folds() - are there folds, of -v or a grid, or for the probabilities of -b 1? */
static inline bool makes_folds(void)
{
	return given.n_folds > 0 || (given.probability && given.svm_type != MACHINE_ONE_CLASS);
}

/* job_classifies() - has the machine of the job classes? */
static inline bool job_classifies(const struct training_job *job)
{
	return machine_classifies(job->machine.training.type);
}

/* row_in_file() - the number, from 1, that row i of the data has in its file */
static inline int64_t row_in_file(const struct training_job *job, int64_t i)
{
	return (job->file_row ? job->file_row[i] : i) + 1;
}

/* is_published() - is the mode one of the papers', which print a line for each round? */
static inline bool is_published(void)
{
	return settings.mode == MODE_PAPER || settings.mode == MODE_REWEIGHT;
}

/* ---- train_settings.c ---- */

/*
 * train_check_options() - refuse options that do not go together; after parsing
 *
 * Sets the default of --gap that --multiclass ovr has.
 */
void train_check_options(void);

/*
 * engine_misfit() - cli_misfit() of a single training by our own engines; 'of_start': of one that
 * begins as --start says
 */
const char *engine_misfit(bool of_start);

/* train_refuse_engine() - refuse --mode, unless it fits, and LIBSVM as --solver, with an option */
void train_refuse_engine(bool mode_fits, const char *with);

/* ---- train_problem.c ---- */

/* read_training_rows() - read the rows and their weights; rows of weight 0 are left out, with a note */
void read_training_rows(struct training_job *job);

/* train_name_after() - name of the data without its folder, and an ending: in the current folder */
const char *train_name_after(const char *data, const char *ending);

/* train_asked() - the machine that the options ask for */
struct machine_given train_asked(void);

/* init_machine() - machine_init(), which ends the program with svm-train's words where it fails */
void init_machine(struct training_job *job, const struct machine_given *asked);

/* check_problem() - init_machine(), after the checks of the data; tells the weights of -w auto */
void check_problem(struct training_job *job, const struct machine_given *asked);

/* report_data() - add the part "data" to the report */
void report_data(struct training_job *job);

/* ---- train_remarks.c ---- */

/*
 * remark_data() - note likely slips, and warn where the result is likely to be chance
 *
 * With --mode direct nothing: that writes on standard error only what svm-train writes there.  Before
 * a search nothing that is of one gamma or one width of the tube, and what else training the model
 * says.
 */
void remark_data(const struct training_job *job, bool of_search);

/* remark_many_folds() - svm-train's warning where there are more folds than rows */
void remark_many_folds(const struct training_job *job);

/* ---- train_run.c ---- */

/* bound_training() - let the machine end when that is wanted, and keep within --memory */
void bound_training(struct training_job *job);

/* need_memory() - end the program if --memory is too small; 'direct': LIBSVM trains all examples */
void need_memory(const struct training_job *job, bool direct);

/*
 * set_up_training() - bound_training(), set the observers, and tell who will train
 *
 * 'for_predictions': a cross validation, see trainer_shift().
 */
void set_up_training(struct training_job *job, bool for_predictions);

/* end_job() - free all of the job, and end its run; returns the exit status */
int end_job(struct training_job *job);

/* fail_training() - end the program after a training that could not be done */
_Noreturn void fail_training(const struct error *err);

/* train_job() - train on all examples, into job->result, and print the lines */
void train_job(struct training_job *job);

/* ---- train_model.c ---- */

/* read_start() - read the model of --start into job->start; ends the program if it is of no use */
void read_start(struct training_job *job);

/* find_start() - find the rows that the start's vectors are, once the training is known */
void find_start(struct training_job *job);

/* write_model() - write the model file, in the format that the options ask for, and --sv-indices */
void write_model(struct training_job *job);

/* ---- train_checkpoint.c ---- */

/* open_checkpoint() - read the checkpoint, if it exists; ends the program if it is of no use */
void open_checkpoint(void);

/* start_checkpoint() - check that the checkpoint is of this training, and begin to write it */
void start_checkpoint(struct training_job *job);

/* keep_checkpoint() - write the last state of a training that was interrupted, which goes on later */
void keep_checkpoint(void);

/*
 * end_checkpoint() - the files are complete: signals end the program as ever, and the checkpoint is
 * removed, unless training may go on
 */
void end_checkpoint(bool interrupted);

/* ---- train_validation.c ---- */

/* cross_validate_job() - -v: train on each fold, print the measures and write the predictions */
void cross_validate_job(struct training_job *job);

/* ---- train_ranks.c ---- */

/*
 * train_ranks_start() - start MPI in randsvm-train-mpi
 *
 * Returns -1 in randsvm-train and on rank 0; on all other ranks, when rank 0 ends, the exit status.
 */
int train_ranks_start(int *argc, char ***argv);

/* train_ranks_check() - refuse options that several ranks cannot have; after parsing options */
void train_ranks_check(void);

/* train_ranks_settle() - memory bound and threads of each rank; after common_bound_memory() */
void train_ranks_settle(void);

/* train_ranks_read() - read the rows with all ranks; false where rank 0 is to read them alone */
bool train_ranks_read(struct training_job *job);

/* train_rank_rows() - the rows that other ranks have; NULL: all are here */
struct rank_rows *train_rank_rows(void);

/* train_ranks_look() - bring all entries where the kernel wants rows that lie far from 0 shifted */
void train_ranks_look(const struct training_job *job);

/* train_ranks_show() - the data, or some rows of them where the entries are with other ranks */
void train_ranks_show(const struct dataset *d, struct dataset *shown);

/* train_ranks_view() - how a model of model_view() is written whose vectors are with other ranks */
void train_ranks_view(struct model *model);

/* train_checksum() - dataset_checksum() of the rows, wherever they are */
uint32_t train_checksum(const struct training_job *job);

/* train_ranks_bring() - the entries of all rows, as far as other ranks have them, to this one */
void train_ranks_bring(void);

/* train_ranks_report() - add the ranks' work to the report, and to the lines of --verbose */
void train_ranks_report(const struct training_job *job);

/* ---- train_certificates.c ---- */

/* train_observe() - have the machine of the job tell what it does, in svm-train's lines and more */
void train_observe(struct training_job *job);

/*
 * train_certificates() - what is known of the result: print and report it, and warn of doubts
 *
 * Ends the program, without a model, if a certificate is no numbers or doubles are too coarse for a
 * pair's solution.
 */
void train_certificates(struct training_job *job);

/*
 * The programs whose tables have them fill 'given' (train.h).  svm-train's options have
 * svm-train's words; training_fault() knows their ranges.
 */

extern const char *const train_multiclass_names[];

/* Options of svm-train for the machine and its solver. */
#define TRAIN_MACHINE                                                                                       \
	CLI_INT('s', NULL, &given.svm_type, INT_MIN, INT_MAX, "svm_type",                                   \
		"set type of SVM\n"                                                                         \
		"0 -- C-SVC          (multi-class classification)\n"                                        \
		"1 -- nu-SVC         (multi-class classification)\n"                                        \
		"2 -- one-class SVM\n"                                                                      \
		"3 -- epsilon-SVR    (regression)\n"                                                        \
		"4 -- nu-SVR         (regression)",                                                         \
		.key = "svm_type"),                                                                         \
		CLI_INT('t', NULL, &given.kernel_type, INT_MIN, INT_MAX, "kernel_type",                     \
			"set type of kernel function\n"                                                     \
			"0 -- linear: u'*v\n"                                                               \
			"1 -- polynomial: (gamma*u'*v + coef0)^degree\n"                                    \
			"2 -- radial basis function: exp(-gamma*|u-v|^2)\n"                                 \
			"3 -- sigmoid: tanh(gamma*u'*v + coef0)\n"                                          \
			"4 -- precomputed kernel (kernel values in training_set_file)",                     \
			.key = "kernel_type"),                                                              \
		CLI_INT('d', NULL, &given.degree, INT_MIN, INT_MAX, "degree",                               \
			"set degree in kernel function", .key = "degree"),                                  \
		CLI_REAL('g', NULL, &given.machine.training.kernel.gamma, 0, 0, "gamma",                    \
			 "set gamma in kernel function", .otherwise = "1/num_features",                     \
			 .key = "gamma"),                                                                   \
		CLI_REAL('r', NULL, &given.machine.training.kernel.coef0, 0, 0, "coef0",                    \
			 "set coef0 in kernel function", .key = "coef0"),                                   \
		CLI_REAL('c', NULL, &given.machine.training.C, 0, 0, "cost",                                \
			 "set the parameter C of C-SVC, epsilon-SVR, and nu-SVR", .key = "C"),              \
		CLI_REAL('n', NULL, &given.machine.training.nu, 0, 0, "nu",                                 \
			 "set the parameter nu of nu-SVC, one-class SVM, and nu-SVR",                       \
			 .key = "nu"),                                                                      \
		CLI_REAL('p', NULL, &given.machine.training.p, 0, 0, "epsilon",                             \
			 "set the epsilon in loss function of epsilon-SVR", .key = "p"),                    \
		CLI_REAL('m', NULL, &given.cache_mb, 0, 0, "cachesize",                                     \
			 "set cache memory size in MB",                                                     \
			 .otherwise = "100; for working sets a quarter of the memory",                      \
			 .key = "cache_mb"),                                                                \
		CLI_REAL('e', NULL, &given.machine.training.eps, 0, 0, "epsilon",                           \
			 "set tolerance of termination criterion", .key = "eps"),                           \
		CLI_INT('h', NULL, &given.shrinking, INT_MIN, INT_MAX, "shrinking",                         \
			"whether to use the shrinking heuristics, 0 or 1", .key = "shrinking"),             \
		CLI_INT('b', NULL, &given.probability, INT_MIN, INT_MAX, "probability_estimates",           \
			"whether to train a model for probability estimates, 0 or 1",                       \
			.key = "probability"),                                                              \
		CLI_WEIGHT(                                                                                 \
			'w', &given.weights, "weight",                                                      \
			"set the parameter C of class i to weight*C, for C-SVC; -w auto: the weights that " \
			"make all classes count the same, n / (classes * examples of the class)",           \
			.key = "weights")

#define TRAIN_MULTICLASS                                                                         \
	CLI_CHOICE(0, "multiclass", &given.multiclass, train_multiclass_names, "WAY",            \
		   "what to do with more than two classes\n"                                     \
		   "ovo -- one model for each pair of classes, which vote, as in svm-train\n"    \
		   "ovr -- one for each class against all others, in a model file of LIBLINEAR " \
		   "(needs -t 0): for many classes, and for text")

#define TRAIN_LOSS                                                                                 \
	CLI_CHOICE(                                                                                \
		0, "loss", &given.loss, common_training_loss_names, "NAME",                        \
		"what an example costs that is on the wrong side of its margin by v\n"             \
		"hinge -- C v, as in svm-train; in a regression v is what is beyond -p\n"          \
		"squared -- C v^2 (needs -t 0, and -s 0 or -s 3), as in liblinear-train -s 2 and " \
		"-s 11, but the constant is free\n"                                                \
		"logistic -- C log(1 + e^(v - 1)) (needs -t 0, and -s 0): logistic regression, "   \
		"as liblinear-train -s 0, but the constant is free; a machine for each class, as " \
		"ovr, whose model has probabilities")

#define TRAIN_ROW_WEIGHTS                                                                         \
	COMMON_ROW_WEIGHTS(&given.row_weights,                                                    \
			   "weights of the rows, by which their C is multiplied, as in LIBSVM's " \
			   "svm-train for weighted instances", )

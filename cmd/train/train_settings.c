/*
 * train_settings.c - the settings of a training: svm-train's defaults, and what does not go together
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "train.h"

const char *const train_mode_names[] = { "exact", "paper", "reweight", "budget", "direct", NULL };

const char *const train_multiclass_names[] = { "ovo", "ovr", NULL };

struct train_given given = {
	.machine = { .training = { .C = 1, .nu = 0.5, .p = 0.1, .eps = TRAINING_USUAL_EPS },
		     .options = { .seed = 1, .epsilon = 0.2, .delta = 0.9, .sample_factor = 2 },
		     .any_kernel = true,
		     .takes_libsvm = true },
	.kernel_type = KERNEL_RBF,
	.degree = 3,
	.shrinking = 1,
	.cache_mb = NAN,
	.weights = { .takes_auto = true },
};

struct train_settings settings = {
	.n_models = 1,
	.checkpoint_every = 600,
	.most_gap = INFINITY,
};

const char *train_name_after(const char *data, const char *ending)
{
	const char *slash = strrchr(data, '/');
	char *name;

	data = strcmp(data, "-") == 0 ? "stdin" : slash ? slash + 1 : data;
	name = cli_zeroed((int64_t)(strlen(data) + strlen(ending) + 1), 1);
	return strcat(strcpy(name, data), ending);
}

struct machine_given train_asked(void)
{
	static const enum working_set_mode mode[] = { WORKING_SET_EXACT, WORKING_SET_PAPER,
						      WORKING_SET_REWEIGHT, WORKING_SET_BUDGET,
						      WORKING_SET_EXACT };
	struct machine_given m = given.machine;
	struct training *t = &m.training;

	t->type = (enum machine_type)given.svm_type;
	t->kernel.type = (enum kernel_type)given.kernel_type;
	t->kernel.degree = (int)given.degree;
	t->shrinking = (int)given.shrinking;
	t->probability = (int)given.probability;
	t->squared_loss = given.loss == LOSS_SQUARED;
	t->logistic_loss = given.loss == LOSS_LOGISTIC;
	t->n_weights = (int)given.weights.n;
	t->weight = given.weights.weight;
	t->cache_mb = isnan(given.cache_mb) ? TRAINING_USUAL_CACHE_MB : given.cache_mb;
	m.cache_mb = isnan(given.cache_mb) ? 0 : given.cache_mb;
	m.balanced = given.weights.automatic;
	m.one_vs_rest = is_one_vs_rest();
	m.direct = settings.mode == MODE_DIRECT;
	m.by_libsvm = settings.solver == SOLVER_LIBSVM ||
		      (settings.solver == SOLVER_AUTO && settings.mode == MODE_REWEIGHT);
	m.options.mode = mode[settings.mode];
	m.options.n_models = (int)settings.n_models;
	m.options.n_threads = (int)given.common.n_threads;
	return m;
}

/*
 * Default of --gap with --multiclass ovr: the bound that all models keep.  LIBLINEAR's default
 * tolerance is coarser.
 */
#define ONE_VS_REST_GAP 1e-3

static void check_mode(void)
{
	if (settings.mode == MODE_BUDGET && given.machine.options.budget == 0)
		cli_refuse("--mode budget needs --budget");
	if (settings.mode != MODE_BUDGET &&
	    (given.machine.options.budget > 0 || cli_given("--bag")))
		cli_refuse("%s is for --mode budget",
			   given.machine.options.budget > 0 ? "--budget" : "--bag");
	if (is_published() && given.svm_type != MACHINE_C_SVC &&
	    given.svm_type != MACHINE_EPSILON_SVR)
		cli_refuse("--mode %s is for -s 0 and -s 3: it begins without support vectors, and "
			   "nu says how many there are",
			   train_mode_names[settings.mode]);
}

/* Refuse LIBLINEAR's format for kernels that are not linear, which have no weights of features. */
static void check_format(void)
{
	const char *format = settings.model_format == FORMAT_LIBLINEAR ?
				     "--model-format liblinear" :
			     settings.compact ? "--compact" :
						NULL;

	if (format && given.kernel_type != KERNEL_LINEAR)
		cli_refuse("%s is for -t 0, the linear kernel", format);
	if (settings.model_format == FORMAT_LIBLINEAR && given.probability &&
	    !machine_classifies((enum machine_type)given.svm_type))
		cli_fail("--model-format liblinear has no room for what -b 1 finds; try --compact");
}

/* Refuse what has no weights of rows: LIBSVM, as it is installed, and the published algorithms. */
static void check_row_weights(void)
{
	if (!given.row_weights)
		return;
	if (is_published())
		cli_refuse("-W is not for --mode %s, which draws examples as it is published",
			   train_mode_names[settings.mode]);
	if (settings.mode == MODE_DIRECT || settings.solver == SOLVER_LIBSVM)
		cli_refuse("-W is not for %s: LIBSVM has no weights of rows",
			   settings.mode == MODE_DIRECT ? "--mode direct" : "--solver libsvm");
	if (settings.mode == MODE_BUDGET && given.svm_type == MACHINE_NU_SVC)
		cli_refuse("-W is not for -s 1 in --mode budget: LIBSVM trains it, which has no "
			   "weights of rows");
}

void train_refuse_engine(bool mode_fits, const char *with)
{
	const struct cli_fit fit[] = { { "--mode", mode_fits },
				       { "--solver", settings.solver != SOLVER_LIBSVM } };

	cli_refuse_misfits(fit, N_ELEMENTS(fit), with);
}

/* Refuse groups where there are no folds, or LIBSVM draws them: it trains some machines of nu. */
static void check_groups(void)
{
	const bool has_nu = machine_fixes_sums((enum machine_type)given.svm_type);
	const struct cli_fit fit[] = {
		{ "--mode", settings.mode != MODE_DIRECT && (settings.mode != MODE_BUDGET ||
							     given.svm_type != MACHINE_NU_SVC) },
		{ "--solver", settings.solver != SOLVER_LIBSVM || !has_nu }
	};

	if (!given.common.groups && !given.common.by_qid)
		return;
	if (!makes_folds())
		cli_refuse("%s is for -v and for -b 1, which make folds",
			   given.common.groups ? "--groups" : "--by-qid");
	cli_refuse_misfits(fit, N_ELEMENTS(fit), "folds of groups, which LIBSVM does not know");
}

static void check_multiclass(void)
{
	const struct cli_fit fit[] = { { "--mode", settings.mode == MODE_EXACT },
				       { "--solver", settings.solver != SOLVER_LIBSVM },
				       { "--compact", false },
				       { "--multiclass", given.multiclass == MULTICLASS_OVR },
				       { "--model-format",
					 settings.model_format == FORMAT_LIBLINEAR },
				       { "--sv-indices", false } };

	if (!is_one_vs_rest())
		return;
	cli_refuse_misfits(fit, N_ELEMENTS(fit), one_vs_rest_option());
	if (!cli_given("--gap"))
		given.machine.options.gap = ONE_VS_REST_GAP;
}

/* Refuse, by the names of options, what no front trains. */
static void check_machine(void)
{
	const struct machine_given asked = train_asked();
	const struct machine_fault fault = machine_check(&asked);
	const char *option = fault.kind == FAULT_LOSS && given.loss == LOSS_SQUARED ?
				     "--loss squared" :
				     one_vs_rest_option();
	const struct cli_fit misfit = { "-s", false };

	if (fault.kind == FAULT_BALANCE)
		cli_refuse("-w auto is for -s 0, C-SVC");
	if (fault.kind != FAULT_LOSS && fault.kind != FAULT_REST)
		return;
	if (strcmp(fault.parameter, "kernel") == 0)
		cli_refuse("%s is for -t 0, the linear kernel", option);
	cli_refuse_misfits(&misfit, 1, option);
}

const char *engine_misfit(bool of_start)
{
	const struct cli_fit fit[] = {
		{ "-v", false },
		{ "-b", of_start || !given.probability },
		{ "--mode",
		  settings.mode == MODE_EXACT || (settings.mode == MODE_BUDGET && !of_start) },
		{ "--solver", settings.solver != SOLVER_LIBSVM },
		{ "--multiclass", !is_one_vs_rest() },
		{ "--loss", given.loss != LOSS_LOGISTIC },
	};

	return cli_misfit(fit, N_ELEMENTS(fit));
}

/* Refuse options that --start does not go with. */
static void check_start(void)
{
	const char *misfit = engine_misfit(true);
	const struct kernel kernel = train_asked().training.kernel;

	if (!settings.start)
		return;
	if (given.svm_type != MACHINE_C_SVC && given.svm_type != MACHINE_EPSILON_SVR)
		cli_refuse("--start is for -s 0 and -s 3");
	if (misfit)
		cli_refuse("%s is not for --start", misfit);
	if (kernel.type == KERNEL_PRECOMPUTED)
		cli_refuse("--start is not for -t 4: LIBSVM trains, and begins with nothing");
	if (!kernel_is_definite(&kernel))
		cli_refuse("--start is for kernels that are positive definite: with this one the "
			   "start would decide which of several optima is found");
}

/* Refuse options that --checkpoint does not go with. */
static void check_checkpoint(void)
{
	const char *misfit = engine_misfit(false);

	if (!settings.checkpoint)
		return;
	if (misfit)
		cli_refuse("%s is not for --checkpoint", misfit);
	if (strcmp(settings.checkpoint, "-") == 0)
		cli_refuse("--checkpoint needs a file, not standard output");
}

void train_check_options(void)
{
	check_mode();
	check_format();
	check_row_weights();
	check_groups();
	if (given.loss == LOSS_SQUARED)
		train_refuse_engine(settings.mode == MODE_EXACT, "--loss squared");
	check_multiclass();
	check_machine();
	check_start();
	check_checkpoint();
}

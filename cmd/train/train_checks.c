/*
 * train_checks.c - randsvm-train: options that do not go together, beyond what the table says
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <string.h>

#include "train.h"

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
	if (settings.model_format == FORMAT_LIBLINEAR && given.probability)
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

	cli_refuse_misfits(fit, 2, with);
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
	cli_refuse_misfits(fit, 2, "folds of groups, which LIBSVM does not know");
}

static void check_multiclass(void)
{
	const struct cli_fit fit[] = { { "--mode", settings.mode == MODE_EXACT },
				       { "--solver", settings.solver != SOLVER_LIBSVM },
				       { "--compact", false },
				       { "--model-format",
					 settings.model_format == FORMAT_LIBLINEAR },
				       { "--sv-indices", false } };

	if (!is_one_vs_rest())
		return;
	cli_refuse_misfits(fit, (int)(sizeof(fit) / sizeof(*fit)), "--multiclass ovr");
	if (!cli_given("--gap"))
		given.machine.options.gap = ONE_VS_REST_GAP;
}

/* Refuse, by the names of options, what no front trains. */
static void check_machine(void)
{
	const struct machine_given asked = train_asked();
	const struct machine_fault fault = machine_check(&asked);
	const char *option = fault.kind == FAULT_LOSS ? "--loss squared" : "--multiclass ovr";
	struct cli_fit misfit = { NULL, false };

	if (fault.kind == FAULT_BALANCE)
		cli_refuse("-w auto is for -s 0, C-SVC");
	if (fault.kind != FAULT_LOSS && fault.kind != FAULT_REST)
		return;
	if (strcmp(fault.parameter, "kernel") == 0)
		cli_refuse("%s is for -t 0, the linear kernel", option);
	misfit.option = strcmp(fault.parameter, "type") == 0 ? "-s" : "-b";
	cli_refuse_misfits(&misfit, 1, option);
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
}

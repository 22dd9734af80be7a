/*
 * selector.c - choose features by any of the methods of this folder
 *
 * A choice goes from the rows that count (selector_rows.c) to the features (selector_methods.c).
 * In between, where a method or the number of features asks for it, comes what the rows span:
 * an orthonormal basis V of the row space of rank rho, found once.  The error of a reduction R,
 * E = |I - V'RR'V|, is at most 2 s + s^2 with s = sqrt(rho / r) for r features of spectral
 * sparsification, so that E <= epsilon takes
 *
 *     r = rho / (sqrt(1 + epsilon) - 1)^2                                     (1)
 *
 * of them (Paul, Magdon-Ismail, Drineas 2015, Lemma 2; reduction.h).  The methods that
 * approximate V have a rank of their own, and settle (1) when they know it.
 *
 * rank_tol cuts small singular values off V, for the choice alone.  A certificate is of all of V:
 * with rank_tol there may so be two bases.
 *
 * What is kept of a failed choice is result->trouble, by which the caller chooses its message; all
 * else of the result is freed.  The result of a choice owns its rows, its space and its selection.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/selector.h"

#include "select/selector_run.h"

const char *const selector_sampling_names[] = { "iid", "bernoulli", NULL };

/* Rank of the row space, for methods that find no rank themselves, if epsilon asks for it. */
static int settle_before(struct selector_run *run, struct error *err)
{
	const struct row_space *space;

	run->result->n_wanted = run->options->n_features;
	/* a given number of features needs no rank */
	if (run->options->epsilon == 0 || selector_methods[run->options->method].own_rank)
		return 0;
	space = selector_space(run, err);
	return space ? selector_settle_size(run, space->rank, err) : -1;
}

/* ---- options ---- */

static int check_number_of_features(const struct selector_options *o, struct error *err)
{
	const int n_ways = (o->n_features != 0) + (o->epsilon != 0) + (o->nu != 0);

	if (o->n_features < 0 || o->n_features > INT32_MAX)
		return error_set(err, ERR_ARGUMENT, "the number of features is %" PRId64,
				 o->n_features);
	if (n_ways == 0)
		return error_set(err, ERR_ARGUMENT, "the number of features is not set");
	if (n_ways > 1)
		return error_set(err, ERR_ARGUMENT, "the number of features is set twice");
	return 0;
}

/* Refuse numbers that no method can work with. */
static int check_numbers(const struct selector_options *o, struct error *err)
{
	const struct {
		const char *name;
		double value, least, most;
	} number[] = { { "C", o->C, DBL_MIN, DBL_MAX },
		       { "p", o->p, 0, DBL_MAX },
		       { "eps", o->eps, DBL_MIN, 1 },
		       { "nu", o->nu, 0, DBL_MAX },
		       { "fraction", o->fraction, 0, 1 },
		       { "sketch_rows", (double)o->sketch_rows, 0, INT32_MAX } };

	for (size_t k = 0; k < sizeof(number) / sizeof(*number); k++)
		if (!(number[k].value >= number[k].least && number[k].value <= number[k].most))
			return error_set(err, ERR_ARGUMENT, "%s is %g, out of range: %g to %g",
					 number[k].name, number[k].value, number[k].least,
					 number[k].most);
	return 0;
}

/* Refuse what the method does not have. */
static int check_method(const struct selector_run *run, struct error *err)
{
	const struct selector_options *o = run->options;
	const struct selector_method *method = &selector_methods[o->method];
	const char *name = select_method_names[o->method];
	const struct {
		const char *name;
		enum selector_parameter parameter;
		bool given;
	} part[] = { { "regression", SELECTOR_REGRESSION, o->regression },
		     { "nu", SELECTOR_NU, o->nu > 0 },
		     { "sketch_rows", SELECTOR_SKETCH_ROWS,
		       o->sketch_rows > 0 && o->sketch_rows != ROW_SKETCH_ROWS } };

	for (size_t k = 0; k < sizeof(part) / sizeof(*part); k++)
		if (part[k].given && !(method->takes & part[k].parameter))
			return error_set(err, ERR_ARGUMENT, "%s is not for %s", part[k].name, name);
	if (o->unsupervised && o->regression && !method->pairs)
		return error_set(err, ERR_ARGUMENT,
				 "%s by all rows looks at no targets of a regression", name);
	if (run->data->weight && method->no_row_weights)
		return error_set(err, ERR_ARGUMENT, "%s takes no weights of rows: it %s", name,
				 method->no_row_weights);
	return 0;
}

/* ---- all together ---- */

static int choose(struct selector_run *run, struct error *err)
{
	struct selector_result *r = run->result;

	/*
	 * the order is rows, space, number, features, as each step needs those before; the space
	 * comes first, so that no choice is made in vain where the space is too large
	 */
	if (check_number_of_features(run->options, err) < 0 ||
	    check_numbers(run->options, err) < 0 || check_method(run, err) < 0 ||
	    selector_find_rows(run, err) < 0 ||
	    (run->options->whole_space && selector_find_space(run, 0, &r->space, err) < 0))
		return -1;
	selector_tell(run, SELECTOR_CHOOSING);
	if (settle_before(run, err) < 0 ||
	    selector_methods[run->options->method].choose(run, err) < 0)
		return -1;
	selector_tell(run, SELECTOR_CHOSEN);
	/* scores in the unit of the data may overflow where the choice, by scaled data, did not */
	for (int64_t k = 0; k < r->chosen.n; k++)
		if (!isfinite(r->chosen.score[k]))
			return error_set(err, ERR_NUMERIC,
					 "the score of feature %d is too large: scale the data",
					 r->chosen.feature[k]);
	return 0;
}

int selector_run(struct selector_result *result, const struct dataset *data,
		 const struct selector_options *options, const struct selector_observer *observer,
		 struct error *err)
{
	struct selector_run run = {
		.data = data, .options = options, .observer = observer, .result = result
	};
	int ret;

	*result = (struct selector_result){ 0 };
	ret = choose(&run, err);
	classes_free(&run.classes);
	/* arrays that the run owned are freed, those of the result stay */
	dataset_free(&run.gathered);
	row_space_free(&run.cut);
	if (ret < 0) {
		enum selector_trouble trouble = result->trouble;

		selector_result_free(result);
		result->trouble = trouble;
	}
	return ret;
}

void selector_result_free(struct selector_result *result)
{
	mem_free(result->row);
	row_space_free(&result->space);
	selection_free(&result->chosen);
	*result = (struct selector_result){ 0 };
}

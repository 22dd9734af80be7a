/*
 * projection_apply.c - oblivious random projections, of whatever family
 *
 * The nine methods are four families: signs, independent entries, sparse embeddings and the
 * Hadamard transform.  A family completes the options, projects rows, and gives a row of R
 * (family.h); here is what does not depend on it: options that are out of range or that the method
 * does not have, and an empty output after a failure.
 *
 * An option of another method is refused, not ignored: a map with q = 4 that is not a cw would not
 * be the map that was asked for.
 *
 * A projection is read only once projection_init() has returned: threads share it, each with a
 * map_room of its own.  The scale of R is applied here for a row of R (projection_row()),
 * and by the families for rows of the data, whose sums are scaled once when a row ends.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project/projection.h"

#include "project/family.h"

/* The family of a method, which projection_init() has checked to be one of these. */
static const struct projection_family *family_of(const struct projection *p)
{
	static const struct projection_family *const families[] = {
		[PROJECT_RS] = &sign_family,	      [PROJECT_FHT] = &srht_family,
		[PROJECT_CW] = &sparse_family,	      [PROJECT_COUNTSKETCH] = &sparse_family,
		[PROJECT_GAUSSIAN] = &dense_family,   [PROJECT_UNIFORM] = &dense_family,
		[PROJECT_ACHLIOPTAS] = &dense_family, [PROJECT_LI] = &dense_family,
		[PROJECT_OSNAP] = &sparse_family,
	};
	_Static_assert(sizeof(families) / sizeof(*families) == PROJECT_N_METHODS, "of each method");

	return p->options.method == PROJECT_CAUCHY ? &dense_family : families[p->options.method];
}

/* ---- Options ---- */

/* Are the options of other methods zero, or as this one sets them itself? */
static int check_concern(const struct projection_options *o, struct error *err)
{
	const char *name = o->method == PROJECT_CAUCHY ? "cauchy" : projection_names[o->method];
	bool one_each =
		o->method == PROJECT_COUNTSKETCH && o->q == o->n_columns && o->a == 1 && o->v == 1;
	bool blocks =
		o->method == PROJECT_CW || one_each || (o->method == PROJECT_OSNAP && o->q == 1);

	if (o->q != 0 && !blocks)
		return error_set(err, ERR_ARGUMENT, "%s has no number of blocks to choose", name);
	if ((o->a != 0 || o->v != 0) && !blocks && o->method != PROJECT_OSNAP)
		return error_set(err, ERR_ARGUMENT, "%s has no entries a feature to choose", name);
	if (o->sparsity != 0 && o->method != PROJECT_LI)
		return error_set(err, ERR_ARGUMENT, "%s has no sparsity to choose", name);
	if (o->with_replacement && o->method != PROJECT_FHT)
		return error_set(err, ERR_ARGUMENT, "%s draws nothing to be replaced", name);
	return 0;
}

/* Columns and features are numbered by 32 bits with a sign in files. */
static int check_ranges(const struct projection_options *o, struct error *err)
{
	if (o->n_columns < 1 || o->n_columns > INT32_MAX)
		return error_set(err, ERR_ARGUMENT, "%" PRId64 " columns: 1 to %d can be made",
				 o->n_columns, INT32_MAX);
	if (o->n_features < 0 || o->n_features > INT32_MAX)
		return error_set(err, ERR_ARGUMENT,
				 "%" PRId64 " features: there can be 1 to %d (0: unknown)",
				 o->n_features, INT32_MAX);
	return 0;
}

int projection_init(struct projection *p, const struct projection_options *options,
		    struct error *err)
{
	*p = (struct projection){ .options = *options };
	/* negative ones as well */
	if ((unsigned)options->method >= PROJECT_N_METHODS && options->method != PROJECT_CAUCHY)
		error_set(err, ERR_ARGUMENT, "no projection has the number %d",
			  (int)options->method);
	else if (check_concern(options, err) == 0 && check_ranges(options, err) == 0 &&
		 family_of(p)->start(p, err) == 0)
		return 0;
	projection_free(p);
	return -1;
}

void projection_free(struct projection *p)
{
	mem_free_all(p->sample, p->plane, p->wanted);
	*p = (struct projection){ 0 };
}

int projection_apply(const struct projection *p, struct row_range rows, struct row_batch *out,
		     struct map_room *room, struct error *err)
{
	int ret = row_batch_reserve(out, rows.n, 0, rows.in->has_text, err);

	return ret < 0 ? -1 : family_of(p)->apply(p, rows, out, room, err);
}

int projection_row(const struct projection *p, int64_t feature, double *row)
{
	bool ends = p->options.method == PROJECT_FHT; /* other methods have a row for any index */

	if (feature < ends || feature > (ends ? p->options.n_features : INT32_MAX))
		return -1;
	family_of(p)->row(p, internal_feature((int32_t)feature), row);
	for (int64_t t = 0; t < p->options.n_columns; t++)
		row[t] *= p->scale;
	return 0;
}

/*
 * Orders of magnitude: the theorems leave their constants open, and with 1 for them they ask for
 * far more columns than are needed.  sizes_for_error() of reduction.h has the expected size.
 */
double sizes_of_theorem(enum projection_method method, int64_t rank, double epsilon, double delta,
			int64_t n_features)
{
	double rho = (double)rank, per_square = rho / (epsilon * epsilon);

	if (method == PROJECT_FHT)
		return per_square * log(rho / delta) * log(per_square / delta * log(rho / delta));
	if (method == PROJECT_CW)
		return per_square / (epsilon * epsilon) * log(rho / (delta * epsilon)) *
		       (rho + log(1 / (delta * epsilon)));
	return method == PROJECT_RS && rank > 1 && n_features > 1 ?
		       per_square * log(rho) * log((double)n_features) :
		       NAN;
}

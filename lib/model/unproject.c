/*
 * unproject.c - convert a linear model of mapped data to one of the data itself
 *
 * How this works.  A linear decision function of z = x R - c is one of x,
 *
 *     z w~ - rho = x w - (rho + c w~),        w = R w~                          (1)
 *
 * so predictions on the original rows need no map.  R is not stored: its rows are made one after
 * the other, and row j of R gives w_j for all pairs of classes at once (2).  Of a projection w has
 * no zeros to speak of, whatever the sparsity of the data; of chosen features it has their weights
 * alone.
 *
 * A model of LIBSVM's kind is first made compact (compact.h), which gives w~ of each pair, and gets
 * the vectors R w~ instead; one of LIBLINEAR's kind has its weights in a matrix already.  There
 * the constant of (1) is the weight of the bias feature, of value to->bias, and takes
 * -c w~ / to->bias (3); the one-class machine's rho is kept, (3) being a bias beside it.
 *
 * A model of other data is found by its features (4): it has more than the map has columns, or a
 * weight of a feature that was not chosen.
 *
 * Sizes.  For d features, k columns of the map and v decision values (pairs, or LIBLINEAR's
 * columns) w~ is [k][v] and w [d][v]; R's rows are made once each, in O(entries of R) time in all,
 * and (2) takes v multiplications for each entry.  Memory, besides the models, is one row of R and
 * w.
 *
 * The constants of (1) have signs that depend on the kind of model:
 *
 *      LIBSVM's      f = w~'z - rho               rho' = rho + c w~          factor 1
 *      LIBLINEAR's   f = w~'z + bias b            b' = b - c w~ / bias       factor -1 / bias
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/unproject.h"

#include "matrix/full_weights.h"
#include "model/compact.h"

/*
 * w~ of each pair, or of each column of LIBLINEAR's, for the features first .. first + n - 1 of z:
 * values_q = sum_t z_t w[(t - first) * n_values + q]
 */
struct mapped_weights {
	const struct linear_map *map;
	int64_t first, n, n_values;
	const double *w;	   /* weights w~ of the model; borrowed */
	bool *made;		   /* n: z_t comes from some x_j; NULL unless map->selects */
	struct linear_map_row row; /* scratch of one row of R */
};

/* Scratch for rows of R; after a failure mapped_weights_free() releases what there is. */
static int mapped_weights_init(struct mapped_weights *u, struct error *err)
{
	u->row.column = mem_array(u->map->most_entries, sizeof(*u->row.column), err);
	u->row.value = mem_array(u->map->most_entries, sizeof(*u->row.value), err);
	if (u->map->selects)
		u->made = mem_zeroed(u->n, sizeof(*u->made), err);
	return err->code == ERR_NONE ? 0 : -1;
}

static void mapped_weights_free(struct mapped_weights *u)
{
	mem_free_all(u->row.column, u->row.value, u->made);
}

/* (4) for a projection: its rows have no features beyond its columns */
static int check_columns(const struct mapped_weights *u, struct error *err)
{
	int64_t last = u->first + u->n - 1;

	if (u->map->selects || last <= u->map->n_columns)
		return 0;
	return error_set(err, ERR_ARGUMENT,
			 "the model has feature %" PRId64 ", the map %" PRId64
			 " columns: it was trained on other data",
			 last, u->map->n_columns);
}

/* Does feature t of z, counted from u->first, have a weight in some pair? */
static bool has_weight(const struct mapped_weights *u, int64_t t)
{
	return !are_zeros(u->w + t * u->n_values, u->n_values);
}

/* (4) for a choice of features, after all rows of R were made */
static int check_made(const struct mapped_weights *u, struct error *err)
{
	/* made[t] was set by unproject_row() for each row of R that has column t */
	for (int64_t t = 0; u->made && t < u->n; t++)
		if (!u->made[t] && has_weight(u, t))
			return error_set(err, ERR_ARGUMENT,
					 "the model has feature %" PRId64
					 ", which the selection does not have: it was trained on "
					 "other data",
					 u->first + t);
	return 0;
}

/* (2): to_q += sum_t row_t w~_tq; features of z that the model has not have a weight of 0 */
static void unproject_row(struct mapped_weights *u, double *to)
{
	for (int64_t k = 0; k < u->row.n; k++) {
		int64_t t = u->row.column[k] - u->first;

		if (t < 0 || t >= u->n)
			continue;
		if (u->made)
			u->made[t] = true;
		for (int64_t q = 0; q < u->n_values; q++)
			to[q] += u->row.value[k] * u->w[t * u->n_values + q];
	}
}

/* Row k of R into u->row.  Feature 0, which has no row with fht, gets one without entries. */
static int make_row(struct mapped_weights *u, int64_t k, struct error *err)
{
	if (u->map->row(u->map->map, k, &u->row) == 0)
		return 0;
	u->row.n = 0;
	if (u->row.feature == 0)
		return 0;
	return error_set(err, ERR_ARGUMENT, "the map has no feature %" PRId32, u->row.feature);
}

/* constant[q] += factor c w~_q */
static void add_offset(const struct mapped_weights *u, double factor, double *constant)
{
	const double *offset = u->map->offset;

	for (int64_t c = 1; offset && c <= u->map->n_columns; c++)
		for (int64_t q = 0; c - u->first < u->n && q < u->n_values; q++)
			constant[q] +=
				factor * offset[c - 1] * u->w[(c - u->first) * u->n_values + q];
}

/* ---- LIBSVM's kind ---- */

/* w~ from the vectors that model_compact() makes */
static double *take_weights(const struct csr *sv, struct error *err)
{
	double *w = mem_zeroed(sv->n_cols * sv->n_rows, sizeof(*w), err);

	for (int64_t q = 0; w && q < sv->n_rows; q++)
		for (int64_t k = sv->row_start[q]; k < sv->row_start[q + 1]; k++)
			w[sv->col[k] * sv->n_rows + q] = sv->val[k];
	return w;
}

/* w = R w~, [n_rows][n_values], and the features of its rows */
struct unprojected_weights {
	int32_t *feature; /* features of the rows, ascending */
	double *w;
};

static int unproject_weights(struct unprojected_weights *to, struct mapped_weights *u,
			     struct error *err)
{
	to->feature = mem_array(u->map->n_rows, sizeof(*to->feature), err);
	to->w = mem_zeroed(u->map->n_rows * u->n_values, sizeof(*to->w), err);
	if (!to->feature || !to->w)
		return -1;
	for (int64_t k = 0; k < u->map->n_rows; k++) {
		if (make_row(u, k, err) < 0)
			return -1;
		to->feature[k] = u->row.feature;
		unproject_row(u, to->w + k * u->n_values);
	}
	return check_made(u, err);
}

/* The compact model keeps all but its vectors, which change from w~ to R w~, and its constants. */
static int unproject_libsvm(struct model *unprojected, const struct model *m,
			    const struct linear_map *map, struct error *err)
{
	struct mapped_weights u = { .map = map };
	struct unprojected_weights w = { 0 };
	double *compact;
	int ret = -1;

	if (model_compact(unprojected, m, err) < 0)
		return -1;
	/* the compact model has one vector for each pair, in the order of pairs: (1) for each */
	u.n = unprojected->sv.n_cols;
	u.n_values = unprojected->sv.n_rows;
	u.w = compact = take_weights(&unprojected->sv, err);
	csr_free(&unprojected->sv); /* the vectors had w~, and get R w~ */
	if (compact && check_columns(&u, err) == 0 && mapped_weights_init(&u, err) == 0)
		ret = unproject_weights(&w, &u, err);
	/* a support vector for each pair; the pairs are grouped by their first class */
	for (int64_t q = 0; q < u.n_values && ret == 0; q++)
		ret = csr_append_nonzeros(&unprojected->sv, map->n_rows, w.feature, w.w + q,
					  u.n_values, err);
	if (ret == 0)
		add_offset(&u, 1, unprojected->solution.rho);
	mapped_weights_free(&u);
	mem_free_all(compact, w.feature, w.w);
	return ret;
}

/* ---- LIBLINEAR's kind ---- */

/* Feature 0 gets no weight from a projection; but where it was chosen its weight would be lost. */
static int check_feature_0(const struct mapped_weights *u, struct error *err)
{
	for (int64_t k = 0; u->map->selects && k < u->row.n; k++) {
		int64_t t = u->row.column[k] - u->first;

		if (t >= 0 && t < u->n && has_weight(u, t))
			return error_set(err, ERR_ARGUMENT,
					 "feature 0 was chosen, which models of LIBLINEAR cannot "
					 "have");
	}
	return 0;
}

/* The weights of to->n_features features, into zeros; rows of R are by ascending feature. */
static int unproject_columns(struct linear_model *to, struct mapped_weights *u, struct error *err)
{
	for (int64_t k = 0; k < u->map->n_rows; k++) {
		if (make_row(u, k, err) < 0)
			return -1;
		if (u->row.feature > 0)
			unproject_row(u, to->w + (u->row.feature - 1) * u->n_values);
		else if (check_feature_0(u, err) < 0)
			return -1;
	}
	return check_made(u, err);
}

/* A copy with other weights, number of features and bias; 'from' keeps its arrays. */
static int unproject_liblinear(struct model *unprojected, const struct model *m,
			       const struct linear_map *map, struct error *err)
{
	const struct linear_model *from = &m->linear;
	struct linear_model *to = &unprojected->linear;
	struct mapped_weights u = { .map = map,
				    .first = 1,
				    .n = from->n_features,
				    .n_values = from->n_columns,
				    .w = from->w };
	double *bias;
	int ret = -1;

	if (check_columns(&u, err) < 0 || mapped_weights_init(&u, err) < 0)
		goto out;
	/* copies all fields; arrays are replaced below, and stay those of 'from' */
	*to = *from;
	to->label = mem_copy(from->label, from->n_class, sizeof(*to->label), err);
	/* the values stay what they are, and their probabilities with them */
	to->prob_a = mem_copy(from->prob_a, from->n_columns, sizeof(double), err);
	to->prob_b = mem_copy(from->prob_b, from->n_columns, sizeof(double), err);
	to->n_features = map->n_features;
	/* an offset needs a bias to be written to, also where the model had none */
	if (map->offset && !(from->bias > 0))
		to->bias = 1;
	to->w = full_weights(map->n_features, from->n_columns, map->n_rows, err);
	if (!to->w || err->code != ERR_NONE || unproject_columns(to, &u, err) < 0)
		goto out;
	/* (3): the weights of the bias feature, from those of the model, if it had one, and from c */
	bias = to->w + to->n_features * to->n_columns;
	/* else the model had no bias, or a bias feature of value 0, which adds 0 */
	if (to->bias >= 0 && from->bias == to->bias)
		memcpy(bias, from->w + from->n_features * from->n_columns,
		       (size_t)from->n_columns * sizeof(double));
	if (to->bias >= 0)
		add_offset(&u, -1 / to->bias, bias);
	ret = 0;
out:
	mapped_weights_free(&u);
	return ret;
}

int model_unproject(struct model *unprojected, const struct model *m, const struct linear_map *map,
		    struct error *err)
{
	int ret;

	/* each feature that the map has a row of gets a weight */
	if (full_weights_check(map->n_rows - 1, 1, 0, err) < 0)
		return -1;
	*unprojected = (struct model){ .is_linear_model = m->is_linear_model };
	ret = m->is_linear_model ? unproject_liblinear(unprojected, m, map, err) :
				   unproject_libsvm(unprojected, m, map, err);
	/* sums of finite numbers may overflow */
	if (ret == 0)
		ret = model_check(unprojected, err);
	if (ret < 0)
		model_free(unprojected);
	return ret;
}

/* ---- Of Nystrom's features: a model with the kernel of the landmarks ---- */

/*
 * How this works.  z(x) = L^-1 k(x) is a linear map of the r kernel values k(x).  So model_unproject()
 * makes of w~ the weights beta of those values (a), as those of features 1 to r, one vector for each
 * pair of classes.  They become the coefficients of the landmarks (b).
 */

/* A function for linear_map.row: feature j + 1 is the kernel value with landmark j. */
static int landmark_row(const void *map, int64_t j, struct linear_map_row *to)
{
	const struct nystrom *n = map;

	to->feature = (int32_t)j + 1;
	to->n = n->n_columns - j;
	for (int64_t k = 0; k < to->n; k++) {
		to->column[k] = (int32_t)(j + k) + 1;
		to->value[k] = nystrom_row(n, j + k)[j];
	}
	return 0;
}

/* (b): row q of 'beta' has the weights of pair q, (0,1), (0,2), ..., (1,2), ... */
static void fill_coef(struct solution *s, const struct csr *beta, int64_t m)
{
	int64_t q = 0;

	for (int a = 0; a < s->n_class; a++)
		for (int b = a + 1; b < s->n_class; b++, q++)
			for (int64_t k = beta->row_start[q]; k < beta->row_start[q + 1]; k++)
				solution_coef(s, a, b)[a * m + beta->col[k] - 1] = beta->val[k];
}

/* Take the weights of kernel values, which 'model' has as its vectors, to be those of landmarks. */
static int use_landmarks(struct model *model, const struct nystrom *map, struct error *err)
{
	struct solution *s = &model->solution;
	const int64_t m = map->landmarks.n_rows;
	const int n_copies = s->n_class > 1 ? s->n_class - 1 : 0;
	struct csr beta = model->sv;
	double *coef;
	int ret;

	model->kernel = map->kernel;
	model->sv = (struct csr){ 0 };
	s->n_sv = n_copies * m;
	coef = mem_zeroed(s->n_sv * int64_max(n_copies, 1), sizeof(*coef), err);
	ret = coef ? 0 : -1;
	/* (a): the landmarks, once for each class but the last */
	for (int c = 0; c < n_copies && ret == 0; c++)
		ret = csr_append(&model->sv, m, map->landmarks.row_start, map->landmarks.col,
				 map->landmarks.val, err);
	if (ret == 0) {
		mem_free(s->coef);
		s->coef = coef;
		coef = NULL;
		for (int c = 0; c < s->n_class; c++)
			s->n_sv_of_class[c] = c < n_copies ? m : 0;
		fill_coef(s, &beta, m);
	}
	mem_free(coef);
	csr_free(&beta);
	return ret;
}

int model_of_landmarks(struct model *folded, const struct model *m, const struct nystrom *map,
		       struct error *err)
{
	const struct linear_map values = { .map = map,
					   .n_features = map->landmarks.n_rows,
					   .n_rows = map->landmarks.n_rows,
					   .most_entries = map->n_columns,
					   .n_columns = map->n_columns,
					   .row = landmark_row };

	if (m->is_linear_model) {
		*folded = (struct model){ 0 };
		return error_set(err, ERR_ARGUMENT,
				 "a model of LIBLINEAR's kind cannot be one with a kernel; train "
				 "with randsvm-train -t 0 or svm-train -t 0");
	}
	if (model_unproject(folded, m, &values, err) < 0) /* (a) */
		return -1;
	if (use_landmarks(folded, map, err) == 0 && model_check(folded, err) == 0)
		return 0;
	model_free(folded);
	return -1;
}

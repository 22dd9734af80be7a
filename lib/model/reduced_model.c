/*
 * reduced_model.c - a kernel model of fewer support vectors, or with others of its coefficients
 *
 * How this works.  Each pair of classes has a decision function f, and an orthonormal basis of the
 * functions that its landmarks l_1, l_2, ... span, Newton's:
 *
 *     v_t = (K(l_t, .) - sum_(u < t) v_u(l_t) v_u) / sqrt(d_t)                           (1)
 *     d(x) = K(x, x) - sum_t v_t(x)^2,     d_t = d(l_t) before v_t joins
 *
 * of which the values at all support vectors of the pair are kept; they are columns of the pivoted
 * Cholesky factor of its kernel matrix.  With the residual r = f - g, the part of f along v_t is
 *
 *     c_t = <f, v_t> = r(l_t) / sqrt(d_t),     r <- r - c_t v_t                          (2)
 *
 * so a landmark x lowers |f - g|^2 by r(x)^2 / d(x): that, summed over the pairs of its class, is
 * what the choice maximises (3).  In the end g = sum_t c_t v_t is written in the K(l_t, .): with
 * L_st = v_t(l_s), lower triangular, beta = L'^-1 c (4).
 *
 * Where d(x) is rounding, K(x, .) is already spanned, as of a vector that occurs twice, and the pair
 * does without x.  The rounding of kernel values, u max K, is in v_t(x) divided by sqrt(d_t), and so
 * in d(x) as 2 |v_t(x)| u max K / sqrt(d_t), summed over t (5).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/reduced_model.h"

#include "matrix/blas.h"
#include "model/unproject.h"
#include "project/nystrom.h"
#include "train/machine.h"

/* Decision values held at a time, before each pair takes its own: a megabyte. */
#define BLOCK_VALUES (1 << 17)

/* The decision function of a pair, at its members: the vectors of class 'own[0]', then own[1]. */
struct pair_function {
	int own[2];
	int64_t first[2], count[2]; /* vectors of the two classes, by their numbers in the model */
	int64_t n;		    /* number of members, count[0] + count[1] */
	double *residual, *left;    /* r and d of the members; n each */
	double *basis;		    /* values v_t of the members, [n_chosen][n] */
	int64_t basis_capacity;
	int64_t *chosen; /* members that are landmarks; n_chosen */
	double *share;	 /* parts c_t of f; n_chosen */
	int64_t n_chosen, chosen_capacity, shares_capacity;
	double most;	 /* largest K(x, x) of the members */
	double rounding; /* (5): error of the numbers in 'left' */
};

/* What the choice works on. */
struct choice {
	const struct model *m;
	struct expansion expansion;
	struct expansion_scratch scratch;
	int64_t n_pairs;
	struct pair_function *pair;
	double *column;	    /* kernel values of a vector with all vectors; n_sv */
	double *gain;	    /* (3) of each vector; n_sv */
	double *factors;    /* v_u(l_t) of (1); room for a landmark each */
	double *projection; /* sum_u v_u(l_t) v_u; room for a vector each */
	bool *is_chosen;    /* whether a vector is a landmark; n_sv */
};

static int check_model(const struct model *m, struct error *err)
{
	const struct kernel *k = &m->kernel;

	if (m->is_linear_model || k->type == KERNEL_LINEAR)
		return error_set(err, ERR_ARGUMENT,
				 "the kernel is linear: of such a model one vector of weights is "
				 "enough");
	if (nystrom_check_kernel(k, err) < 0)
		return -1;
	if (m->solution.n_sv < 1)
		return error_set(err, ERR_ARGUMENT, "the model has no support vectors");
	return 0;
}

/* ---- The functions of all pairs ---- */

static int init_pair(struct pair_function *f, const struct choice *c, int a, int b,
		     struct error *err)
{
	const struct solution *s = &c->m->solution;

	*f = (struct pair_function){ .own = { a, b },
				     .first = { solution_first_sv(s, a), solution_first_sv(s, b) },
				     .count = { s->n_sv_of_class[a], s->n_sv_of_class[b] } };
	f->n = f->count[0] + f->count[1];
	f->residual = mem_array(f->n, sizeof(double), err);
	f->left = mem_array(f->n, sizeof(double), err);
	return f->residual && f->left ? 0 : -1;
}

/* The place of a member in the model's vectors. */
static int64_t vector_of(const struct pair_function *f, int64_t member)
{
	return member < f->count[0] ? f->first[0] + member : f->first[1] + member - f->count[0];
}

/* The member that a vector is, or -1. */
static int64_t member_of(const struct pair_function *f, int64_t vector)
{
	if (vector >= f->first[0] && vector < f->first[0] + f->count[0])
		return vector - f->first[0];
	if (vector >= f->first[1] && vector < f->first[1] + f->count[1])
		return vector - f->first[1] + f->count[0];
	return -1;
}

/* Residual f and d of a vector in all its pairs, from its decision values. */
static int begin_vector(struct choice *c, int64_t j, const double *value, struct error *err)
{
	const double diagonal = kernel_diagonal(&c->m->kernel, csr_row_norm2(&c->m->sv, j));

	for (int64_t q = 0; q < c->n_pairs; q++) {
		struct pair_function *f = &c->pair[q];
		const int64_t member = member_of(f, j);

		if (member < 0)
			continue;
		if (!isfinite(value[q]) || !isfinite(diagonal))
			return error_set(err, ERR_NUMERIC,
					 "a decision value of a support vector is too large");
		f->residual[member] = value[q];
		f->left[member] = diagonal;
		f->most = fmax(f->most, diagonal);
	}
	return 0;
}

/* All residuals: f of the support vectors, some rows at a time. */
static int find_values(struct choice *c, int n_threads, struct error *err)
{
	const struct csr *sv = &c->m->sv;
	const int64_t block = int64_max(BLOCK_VALUES / c->n_pairs, 64);
	double *values = mem_array(int64_min(block, sv->n_rows) * c->n_pairs, sizeof(*values), err);
	int ret = values ? 0 : -1;

	for (int64_t first = 0; ret == 0 && first < sv->n_rows; first += block) {
		const int64_t n = int64_min(block, sv->n_rows - first);
		const struct row_view rows = { n, NULL, sv->row_start + first, sv->col, sv->val };

		ret = expansion_evaluate_rows(&c->expansion, rows, values, n_threads, err);
		for (int64_t i = 0; ret == 0 && i < n; i++)
			ret = begin_vector(c, first + i, values + i * c->n_pairs, err);
	}
	mem_free(values);
	return ret;
}

static int choice_init(struct choice *c, const struct model *m, int n_threads, struct error *err)
{
	const struct solution *s = &m->solution;
	int64_t q = 0;

	*c = (struct choice){ .m = m, .n_pairs = solution_n_pairs(s->n_class) };
	c->pair = mem_zeroed(c->n_pairs, sizeof(*c->pair), err);
	c->column = mem_array(s->n_sv, sizeof(*c->column), err);
	c->gain = mem_array(s->n_sv, sizeof(*c->gain), err);
	c->factors = mem_array(s->n_sv, sizeof(*c->factors), err);
	c->projection = mem_array(s->n_sv, sizeof(*c->projection), err);
	c->is_chosen = mem_zeroed(s->n_sv, sizeof(*c->is_chosen), err);
	if (err->code != ERR_NONE || blas_reserve(INT64_MAX, 0, err) < 0 ||
	    expansion_init(&c->expansion, &m->kernel, solution_vectors(s, &m->sv), err) < 0 ||
	    expansion_scratch_init(&c->scratch, &c->expansion, err) < 0)
		return -1;
	for (int a = 0; a < s->n_class; a++)
		for (int b = a + 1; b < s->n_class; b++)
			if (init_pair(&c->pair[q++], c, a, b, err) < 0)
				return -1;
	return find_values(c, n_threads, err);
}

static void choice_free(struct choice *c)
{
	for (int64_t q = 0; c->pair && q < c->n_pairs; q++) {
		struct pair_function *f = &c->pair[q];

		mem_free_all(f->residual, f->left, f->basis, f->chosen, f->share);
	}
	expansion_scratch_free(&c->scratch);
	expansion_free(&c->expansion);
	mem_free_all(c->pair, c->column, c->gain, c->factors, c->projection, c->is_chosen);
}

/* ---- The choice ---- */

/* Least d(x) that is more than rounding. */
static double least_left(const struct pair_function *f)
{
	return 10 * (f->rounding + (double)f->n * DBL_EPSILON * f->most);
}

/* (3) for all vectors; the number of the best that a pair can use, or -1 */
static int64_t best_vector(const struct choice *c)
{
	const int64_t n_sv = c->m->solution.n_sv;
	int64_t best = -1;

	for (int64_t j = 0; j < n_sv; j++)
		c->gain[j] = -1;
	for (int64_t q = 0; q < c->n_pairs; q++) {
		const struct pair_function *f = &c->pair[q];
		const double least = least_left(f);

		for (int64_t i = 0; i < f->n; i++)
			if (f->left[i] > least) {
				double *gain = &c->gain[vector_of(f, i)];

				*gain = fmax(*gain, 0) +
					f->residual[i] * f->residual[i] / f->left[i];
			}
	}
	for (int64_t j = 0; j < n_sv; j++)
		if (!c->is_chosen[j] && c->gain[j] >= 0 && (best < 0 || c->gain[j] > c->gain[best]))
			best = j;
	return best;
}

/* (1): the values of v_t at the members, not divided by sqrt(d_t) yet */
static void orthogonalise(const struct choice *c, const struct pair_function *f, int64_t member,
			  double *v)
{
	for (int64_t u = 0; u < f->n_chosen; u++)
		c->factors[u] = f->basis[u * f->n + member];
	memcpy(v, c->column + f->first[0], (size_t)f->count[0] * sizeof(*v));
	memcpy(v + f->count[0], c->column + f->first[1], (size_t)f->count[1] * sizeof(*v));
	if (f->n_chosen == 0)
		return;
	blas_multiply_vector((struct blas_factor){ f->basis, f->n, BLAS_TRANSPOSED }, f->n,
			     f->n_chosen, c->factors, c->projection);
	for (int64_t i = 0; i < f->n; i++)
		v[i] -= c->projection[i];
}

/* The member becomes a landmark of the pair, unless it depends on those before. */
static int add_landmark(struct choice *c, struct pair_function *f, int64_t member,
			struct error *err)
{
	const int64_t t = f->n_chosen + 1;
	double *v, root, share, largest = 0;

	if (!(f->left[member] > least_left(f)))
		return 0;
	if (mem_grow(&f->basis, &f->basis_capacity, t * f->n, sizeof(*f->basis), err) < 0 ||
	    mem_grow(&f->chosen, &f->chosen_capacity, t, sizeof(*f->chosen), err) < 0 ||
	    mem_grow(&f->share, &f->shares_capacity, t, sizeof(*f->share), err) < 0)
		return -1;
	v = f->basis + f->n_chosen * f->n;
	orthogonalise(c, f, member, v);
	if (!(v[member] > least_left(f))) {
		f->left[member] = 0;
		return 0;
	}
	root = sqrt(v[member]);
	share = f->residual[member] / root;
	for (int64_t i = 0; i < f->n; i++) { /* (2) */
		v[i] /= root;
		f->left[i] -= v[i] * v[i];
		f->residual[i] -= share * v[i];
		largest = fmax(largest, fabs(v[i]));
	}
	f->rounding += 2 * largest * DBL_EPSILON * f->most / root; /* (5) */
	f->left[member] = 0;
	f->chosen[f->n_chosen] = member;
	f->share[f->n_chosen++] = share;
	return 0;
}

static int choose(struct choice *c, int64_t n_wanted, struct error *err)
{
	const struct csr *sv = &c->m->sv;
	int ret = 0;

	for (int64_t k = 0; ret == 0 && k < n_wanted; k++) {
		const int64_t j = best_vector(c);
		struct row_view row = { 1, &j, sv->row_start, sv->col, sv->val };

		if (j < 0) /* all others depend on the landmarks */
			break;
		ret = interruption_check(err);
		c->is_chosen[j] = true;
		expansion_values(&c->expansion, &row, c->column, sv->n_rows, &c->scratch);
		for (int64_t q = 0; ret == 0 && q < c->n_pairs; q++) {
			const int64_t member = member_of(&c->pair[q], j);

			if (member >= 0)
				ret = add_landmark(c, &c->pair[q], member, err);
		}
	}
	return ret;
}

/* ---- The model of what was chosen ---- */

/* (4): the shares c become beta */
static void solve(struct pair_function *f)
{
	for (int64_t t = f->n_chosen - 1; t >= 0; t--) {
		const double *v = f->basis + t * f->n;

		for (int64_t s = t + 1; s < f->n_chosen; s++)
			f->share[t] -= v[f->chosen[s]] * f->share[s];
		f->share[t] /= v[f->chosen[t]];
	}
}

/* |f - g| / |f|: both squares are sums of coefficients times values at the vectors */
static double lost_share(const struct choice *c, const struct pair_function *f)
{
	const struct solution *s = &c->m->solution;
	double lost2 = 0, kept2 = squared_norm(f->share, f->n_chosen);

	for (int64_t i = 0; i < f->n; i++) {
		const int side = i < f->count[0] ? 0 : 1;

		lost2 += solution_coef(s, f->own[side], f->own[!side])[vector_of(f, i)] *
			 f->residual[i];
	}
	lost2 = fmax(lost2, 0);
	return lost2 > 0 ? sqrt(lost2 / (lost2 + kept2)) : 0;
}

/* The coefficients of all pairs, place[j] being the number of the landmark that vector j is. */
static void fill_coef(struct solution *s, const struct choice *c, const int64_t *place)
{
	for (int64_t q = 0; q < c->n_pairs; q++) {
		const struct pair_function *f = &c->pair[q];

		for (int64_t t = 0; t < f->n_chosen; t++) {
			const int side = f->chosen[t] < f->count[0] ? 0 : 1;

			solution_coef(s, f->own[side],
				      f->own[!side])[place[vector_of(f, f->chosen[t])]] =
				f->share[t];
		}
	}
}

/* Solution and vectors of the landmarks; 'place' and 'row' have room for all vectors. */
static int gather(struct model *to, const struct choice *c, int64_t *place, int64_t *row,
		  struct error *err)
{
	const struct solution *from = &c->m->solution;
	struct solution *s = &to->solution;
	int64_t j = 0;

	if (solution_copy_constants(s, from, err) < 0)
		return -1;
	for (int class = 0; class < from->n_class; class ++)
		for (int64_t i = 0; i < from->n_sv_of_class[class]; i++, j++)
			if (c->is_chosen[j]) {
				place[j] = s->n_sv;
				row[s->n_sv++] = j;
				s->n_sv_of_class[class]++;
			}
	s->coef = mem_zeroed(s->n_sv * (s->n_class - 1), sizeof(*s->coef), err);
	if (!s->coef || csr_gather(&to->sv, &c->m->sv, row, s->n_sv, err) < 0)
		return -1;
	fill_coef(s, c, place);
	return 0;
}

static int make_model(struct model *reduced, const struct choice *c, double *lost,
		      struct error *err)
{
	const int64_t n_sv = c->m->solution.n_sv;
	int64_t *place = mem_array(n_sv, sizeof(*place), err);
	int64_t *row = mem_array(n_sv, sizeof(*row), err);
	int ret = -1;

	for (int64_t q = 0; q < c->n_pairs; q++) {
		lost[q] = lost_share(c, &c->pair[q]); /* before the shares become coefficients */
		solve(&c->pair[q]);
		if (!isfinite(lost[q]))
			error_set(err, ERR_NUMERIC, "the norm of a decision function is too large");
	}
	if (place && row && err->code == ERR_NONE)
		ret = gather(reduced, c, place, row, err);
	mem_free_all(place, row);
	return ret;
}

int model_reduce(struct model *reduced, const struct model *m, int64_t n_wanted, double *lost,
		 int n_threads, struct error *err)
{
	struct choice c = { 0 };
	int ret = -1;

	*reduced = (struct model){ .type = m->type, .kernel = m->kernel };
	if (check_model(m, err) == 0 && choice_init(&c, m, n_threads, err) == 0 &&
	    choose(&c, n_wanted, err) == 0 && make_model(reduced, &c, lost, err) == 0 &&
	    model_check(reduced, err) == 0)
		ret = 0;
	choice_free(&c);
	if (ret < 0)
		model_free(reduced);
	return ret;
}

/* ---- the coefficients of given support vectors, trained on data ---- */

/*
 * How this works.  For each pair the vectors of its two classes are the landmarks of a map of
 * nystrom.h.  The rows of the two classes are mapped (6), a linear machine is trained on what that
 * gives (7), and its weights are carried back to coefficients of the landmarks (8), which take the
 * place of the model's own.  Regressions and one class have one such machine, of all rows.
 */

/* Kernel cache of machines that are not solved by their weights, in 2^20 bytes: as -m 1000. */
#define CACHE_MB 1000

/* What all pairs share. */
struct retraining {
	struct model *m;
	const struct dataset *data;
	struct machine_given given;
	struct classes classes; /* rows of each class; empty without classes */
};

/* ---- rows as their features in the map, (6) ---- */

/* 'from' gives its weights to 'to' */
static int map_rows(struct dataset *to, struct dataset *from, const struct nystrom *map,
		    int n_threads, struct error *err)
{
	int ret = nystrom_map_rows(map, from, n_threads, dataset_append, to, err);

	to->weight = from->weight; /* rows stay in order */
	from->weight = NULL;
	return ret;
}

/* ---- a linear machine of these, (7) ---- */

static int train(struct model *linear, const struct dataset *z, const struct retraining *r,
		 struct error *err)
{
	struct machine machine = { 0 };
	struct solution solution = { 0 };
	int ret = -1;

	if (machine_init(&machine, z, &r->given, err) == 0 &&
	    trainer_run(&machine.trainer, machine_classes(&machine), &solution, NULL, err) == 0 &&
	    interruption_check(err) == 0)
		ret = model_from_solution(linear, &r->given.training, &solution, &z->x, err);
	solution_free(&solution);
	machine_free(&machine);
	return ret;
}

/* ---- its weights as coefficients, (8) ---- */

/* The landmarks of a pair: the vectors of class a, then those of class b. */
static int gather_landmarks(struct csr *landmarks, const struct model *m, int a, int b,
			    struct error *err)
{
	const struct solution *s = &m->solution;
	const int64_t n_a = s->n_sv_of_class[a], n_b = s->n_sv_of_class[b];
	int64_t *row = mem_array(n_a + n_b, sizeof(*row), err);
	int ret;

	for (int64_t i = 0; row && i < n_a + n_b; i++)
		row[i] = i < n_a ? solution_first_sv(s, a) + i : solution_first_sv(s, b) + i - n_a;
	ret = row ? csr_gather(landmarks, &m->sv, row, n_a + n_b, err) : -1;
	mem_free(row);
	return ret;
}

/*
 * The coefficients and the constant of the pair (a, b), whose number is q, from a folded model.
 * Vectors that depend on others are no landmarks of the map, and have coefficients of 0.
 */
static void take_coef(struct model *m, int a, int b, int64_t q, const struct model *folded,
		      const struct nystrom *map)
{
	struct solution *s = &m->solution;
	const int64_t n_a = s->n_sv_of_class[a], n_b = s->n_sv_of_class[b];
	double *of_a = solution_coef(s, a, b) + solution_first_sv(s, a);
	double *of_b = solution_coef(s, b, a) + solution_first_sv(s, b);
	/* a machine of two classes may have them in the other order */
	const double sign = s->label && folded->solution.label[0] != s->label[a] ? -1 : 1;

	memset(of_a, 0, (size_t)n_a * sizeof(*of_a));
	memset(of_b, 0, (size_t)n_b * sizeof(*of_b));
	for (int64_t t = 0; t < map->n_columns; t++) {
		const int64_t i = map->origin[t];

		*(i < n_a ? of_a + i : of_b + (i - n_a)) = sign * folded->solution.coef[t];
	}
	s->rho[q] = sign * folded->solution.rho[0];
}

/* ---- All pairs ---- */

/* The rows of classes a and b, or all rows. */
static int gather_rows(struct dataset *part, const struct retraining *r, int a, int b,
		       struct error *err)
{
	const struct classes *c = &r->classes;
	int64_t *row = mem_array(r->data->x.n_rows, sizeof(*row), err), n = 0;
	int ret;

	if (!row)
		return -1;
	for (int side = 0; side < 2 && c->n > 0; side++) {
		const int label = r->m->solution.label[side == 0 ? a : b];
		const int k = classes_find(c, label);

		if (k < 0) {
			mem_free(row);
			return error_set(err, ERR_ARGUMENT, "no row has the label %d", label);
		}
		for (int64_t i = c->start[k]; i < c->start[k + 1]; i++)
			row[n++] = c->row[i];
	}
	for (int64_t i = 0; c->n == 0 && i < r->data->x.n_rows; i++)
		row[n++] = i;
	ret = dataset_gather(part, r->data, row, n, err);
	mem_free(row);
	return ret;
}

/* Steps (6) to (8) of a pair that has landmarks. */
static int retrain_mapped(struct retraining *r, int a, int b, int64_t q, const struct nystrom *map,
			  struct error *err)
{
	struct dataset rows = { 0 }, z = { 0 };
	struct model linear = { 0 }, folded = { 0 };
	int ret = -1;

	if (gather_rows(&rows, r, a, b, err) == 0 &&
	    map_rows(&z, &rows, map, r->given.options.n_threads, err) == 0 &&
	    train(&linear, &z, r, err) == 0 &&
	    model_of_landmarks(&folded, &linear, map, err) == 0) {
		take_coef(r->m, a, b, q, &folded, map);
		ret = 0;
	}
	dataset_free(&rows);
	dataset_free(&z);
	model_free(&linear);
	model_free(&folded);
	return ret;
}

static int retrain_pair(struct retraining *r, int a, int b, int64_t q, struct error *err)
{
	const struct solution *s = &r->m->solution;
	struct csr landmarks = { 0 };
	struct nystrom map = { 0 };
	int ret = -1;

	if (s->n_sv_of_class[a] + s->n_sv_of_class[b] == 0)
		return 0; /* a constant, which stays */
	if (gather_landmarks(&landmarks, r->m, a, b, err) == 0 &&
	    nystrom_fit(&map, &landmarks, &r->m->kernel, NULL, r->given.options.n_threads, err) ==
		    0)
		ret = retrain_mapped(r, a, b, q, &map, err);
	nystrom_free(&map);
	csr_free(&landmarks);
	return ret;
}

int model_retrain(struct model *m, const struct dataset *d, const struct training *t, uint64_t seed,
		  int n_threads, struct error *err)
{
	struct retraining r = { .m = m,
				.data = d,
				.given = { .training = *t,
					   .options = { .seed = seed, .n_threads = n_threads },
					   .cache_mb = CACHE_MB } };
	struct solution *s = &m->solution;
	const int n_class = s->n_class;
	int64_t q = 0;
	int ret = 0;

	r.given.training.type = m->type;
	r.given.training.kernel = (struct kernel){ .type = KERNEL_LINEAR };
	r.given.training.cache_mb = TRAINING_USUAL_CACHE_MB;
	r.given.training.probability = 0;
	if (machine_classifies(m->type))
		ret = classes_init(&r.classes, d, err);
	for (int a = 0; a < n_class; a++)
		for (int b = a + 1; b < n_class && ret == 0; b++)
			ret = retrain_pair(&r, a, b, q++, err);
	classes_free(&r.classes);
	/* probabilities and marks were those of other decision values */
	mem_free_all(s->prob_a, s->prob_b, s->density_marks);
	s->prob_a = s->prob_b = s->density_marks = NULL;
	s->n_density_marks = 0;
	return ret < 0 ? ret : model_check(m, err);
}

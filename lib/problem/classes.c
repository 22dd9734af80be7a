/*
 * classes.c - the classes of a training set, and the pairs of one-vs-one
 *
 * How this works.  The numbers of classes decide the order of pairs, of support vectors in a model,
 * and which class a decision value of 0 goes to; so they are LIBSVM's (svm_group_classes()): in the
 * order in which labels first occur, with +1 before -1 if these are the two.
 *
 *  (1) One pass lists the labels in that order and counts the rows of each.  A table of their
 *      numbers finds a label: at the place that a product spreads it to (Knuth, The Art of Computer
 *      Programming 3, section 6.4), or at the next that is not another's.
 *  (2) The list is the classes, with -1 and +1 turned around where these are all.
 *  (3) A second pass places each row behind those of its class before it: a stable counting sort.
 *
 * Problems of pairs are made of row numbers and targets; the rows themselves stay where they are,
 * and all pairs share them.
 *
 * Pairs are numbered (0,1), (0,2), ..., (0,k-1), (1,2), ...; those of class a begin at
 *
 *      first_pair(a) = a k - a (a + 1) / 2                                       (4)
 *
 * and the pair with number q is found by solving (4) for a, in floating point, and then stepping to
 * the integer that fits (5).  In the problem of a pair, examples are in the order of the training
 * set, as a merge of two classes, each of which (3) has left in this order; LIBSVM's order, one
 * class behind the other, is the same merge without comparisons (6).
 *
 * Time is O(rows) for the classes and O(examples of the pair) for a problem; memory is 8 or 16
 * bytes a row, and 16 bytes an example of a pair.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "problem/classes.h"

#include "base/decimal.h"
#include "base/order.h"

void classes_free(struct classes *c)
{
	mem_free_all(c->label, c->start, c->row, c->place);
	*c = (struct classes){ 0 };
}

/* A label and how often it occurs. */
struct known_label {
	int label;
	int64_t count; /* number of rows with the label */
};

/* Labels, in the order of their first occurrence. */
struct label_list {
	struct known_label *item;
	int64_t n, capacity;
	/*
	 * hash table of 2^bits slots: 1 + the number of a label, or 0 where empty, as at least half
	 * are
	 */
	int32_t *slot;
	int bits;
};

enum { LEAST_BITS = 4 };

/* The slot of 'label', or the empty one for it: at least half are empty, so the search ends. */
static int32_t *find_slot(const struct label_list *list, int label)
{
	/* 2^32 over the golden ratio, which spreads neighbours */
	const uint32_t golden = 0x9e3779b9;
	uint32_t last = (uint32_t)((UINT64_C(1) << list->bits) - 1);
	uint32_t at = (uint32_t)label * golden >> (32 - list->bits);

	while (list->slot[at] > 0 && list->item[list->slot[at] - 1].label != label)
		at = (at + 1) & last;
	return &list->slot[at];
}

/* Room for one more label; the number of slots doubles where more than half would be full. */
static int reserve_label(struct label_list *list, struct error *err)
{
	if (mem_grow(&list->item, &list->capacity, list->n + 1, sizeof(*list->item), err) < 0)
		return -1;
	if (list->slot && 2 * (list->n + 1) <= INT64_C(1) << list->bits)
		return 0;
	mem_free(list->slot);
	list->bits = list->bits > 0 ? list->bits + 1 : LEAST_BITS;
	/*
	 * a label's slot depends on the number of slots: all labels are placed anew, which doubling
	 * makes O(1) for each label that was ever added
	 */
	list->slot = mem_zeroed(INT64_C(1) << list->bits, sizeof(*list->slot), err);
	if (!list->slot)
		return -1;
	for (int64_t i = 0; i < list->n; i++)
		*find_slot(list, list->item[i].label) = (int32_t)(i + 1);
	return 0;
}

/* Count one more row with the label, which joins the list if it is new. */
static int count_label(struct label_list *list, int label, struct error *err)
{
	int32_t *slot = list->slot ? find_slot(list, label) : NULL;

	if (!slot || *slot == 0) {
		if (reserve_label(list, err) < 0)
			return -1;
		list->item[list->n++] = (struct known_label){ .label = label };
		slot = find_slot(list, label);
		*slot = (int32_t)list->n;
	}
	list->item[*slot - 1].count++;
	return 0;
}

/*
 * List the labels, step (1).  Labels that differ by a fraction are no classes; LIBSVM would cut the
 * fraction off.
 */
static int list_labels(struct label_list *labels, const struct example_list *list,
		       struct error *err)
{
	for (int64_t i = 0; i < list->n; i++) {
		double y = list->y[i];

		if (!(y >= INT_MIN && y <= INT_MAX) || y != trunc(y))
			return error_set(
				err, ERR_FORMAT,
				"class labels are integers%s, but example %" PRId64 " has %s",
				fabs(y) > INT_MAX ? " of 32 bits" : "", i + 1, DECIMAL_TEXT(y));
		if (count_label(labels, (int)y, err) < 0)
			return -1;
	}
	return list->n > 0 ? 0 : error_set(err, ERR_ARGUMENT, "no examples, so no classes");
}

/* Order the classes, step (2): set c->label and c->start. */
static void order_classes(struct classes *c, struct label_list *list)
{
	/* LIBSVM's exception: the class +1 gets number 0, in the list and in the table of (1) */
	if (list->n == 2 && list->item[0].label == -1 && list->item[1].label == 1) {
		struct known_label minus = list->item[0];
		/*
		 * slot looked up before the slot of +1 changes: a search compares the labels of
		 * items
		 */
		int32_t *slot_of_minus = find_slot(list, -1);

		*find_slot(list, 1) = 1;
		*slot_of_minus = 2;
		list->item[0] = list->item[1];
		list->item[1] = minus;
	}
	/*
	 * running sums of the counts: c->start tells where each class begins among the rows by
	 * class
	 */
	c->start[0] = 0;
	for (int k = 0; k < c->n; k++) {
		c->label[k] = list->item[k].label;
		c->start[k + 1] = c->start[k] + list->item[k].count;
	}
}

/* Place the rows, step (3): set c->row and, where examples are numbered otherwise, c->place. */
static int place_rows(struct classes *c, const struct label_list *labels,
		      const struct example_list *list, struct error *err)
{
	int64_t *next = mem_copy(c->start, c->n, sizeof(*next), err);

	if (!next)
		return -1;
	for (int64_t i = 0; i < list->n; i++) {
		/* next[k]: place of the next row of class k; every label has a slot since (1) */
		int64_t at = next[*find_slot(labels, (int)list->y[i]) - 1]++;

		c->row[at] = list->row ? list->row[i] : i;
		if (c->place)
			c->place[at] = i;
	}
	mem_free(next);
	return 0;
}

int classes_init_list(struct classes *c, const struct example_list *list, struct error *err)
{
	struct label_list labels = { 0 };
	int ret = -1;

	*c = (struct classes){ 0 };
	if (list_labels(&labels, list, err) < 0)
		goto out;
	c->n = (int)labels.n;
	c->label = mem_array(c->n, sizeof(*c->label), err);
	c->start = mem_array(c->n + 1, sizeof(*c->start), err);
	c->row = mem_array(list->n, sizeof(*c->row), err);
	c->place = list->row ? mem_array(list->n, sizeof(*c->place), err) : NULL;
	/* any of the four allocations may have failed; 'place' may also be NULL by intention */
	if (err->code != ERR_NONE)
		goto out;
	order_classes(c, &labels);
	ret = place_rows(c, &labels, list, err);
out:
	mem_free_all(labels.item, labels.slot);
	if (ret < 0)
		classes_free(c);
	return ret;
}

int classes_init(struct classes *c, const struct dataset *d, struct error *err)
{
	return classes_init_list(c, &(struct example_list){ d->x.n_rows, NULL, d->y }, err);
}

int classes_check_number(int64_t n, struct error *err)
{
	if (n <= CLASSES_MOST)
		return 0;
	return error_set(err, ERR_ARGUMENT, "%" PRId64 " classes: there can be %d at most", n,
			 CLASSES_MOST);
}

void problem_free(struct problem *p)
{
	mem_free_all(p->row, p->target, p->weight);
	*p = (struct problem){ 0 };
}

/* Arrays for n examples, and the view's pointers to them. */
static int problem_allocate(struct problem *p, const struct dataset *d, int64_t n,
			    struct error *err)
{
	p->row = mem_array(n, sizeof(*p->row), err);
	p->target = mem_array(n, sizeof(*p->target), err);
	p->weight = d->weight ? mem_array(n, sizeof(*p->weight), err) : NULL;
	if (err->code != ERR_NONE) {
		problem_free(p);
		return -1;
	}
	/* the view borrows the arrays of the problem, which outlive it */
	p->view.x = &d->x;
	p->view.n = n;
	p->view.row = p->row;
	p->view.target = p->target;
	p->view.weight = p->weight;
	return 0;
}

/* C of the class: C times all weights of the label, as options may name a label more than once. */
double classes_c(const struct training *t, int label)
{
	double c = t->C;

	for (int i = 0; i < t->n_weights; i++)
		if (t->weight[i].label == label)
			c *= t->weight[i].factor;
	return c;
}

double classes_balanced_weight(double all, int n_classes, double of_class)
{
	return all / ((double)n_classes * of_class);
}

/* Sum of the weights of examples of 'd'; without weights their number. */
static double weight_of_list(const struct dataset *d, const struct example_list *list)
{
	double sum = 0;

	if (!d->weight)
		return (double)list->n;
	for (int64_t i = 0; i < list->n; i++)
		sum += d->weight[list->row ? list->row[i] : i];
	return sum;
}

/* The same of class k's examples, rows of 'd'. */
static double weight_of_class(const struct classes *c, int k, const struct dataset *d)
{
	return weight_of_list(
		d, &(struct example_list){ .row = c->row + c->start[k], .n = classes_size(c, k) });
}

void classes_balance(const struct classes *c, const struct dataset *d, struct class_weight *weight)
{
	double all = 0;

	for (int k = 0; k < c->n; k++)
		all += weight_of_class(c, k, d);
	for (int k = 0; k < c->n; k++)
		weight[k] = (struct class_weight){
			c->label[k], classes_balanced_weight(all, c->n, weight_of_class(c, k, d))
		};
}

/* View of the problem of a pair of classes with these labels and weights. */
static struct problem_view pair_view(const struct training *t, int label_a, int label_b, double w_a,
				     double w_b)
{
	struct problem_view v = { .type = t->type, .kernel = t->kernel, .c_plus = 1, .c_minus = 1 };

	/*
	 * nu-SVC bounds multipliers by their weights, and fixes their sum on each side instead of
	 * C; a class of weight w can have no larger sum than w
	 */
	if (t->type == MACHINE_NU_SVC) {
		v.sum_plus = v.sum_minus = fmin(t->nu * (w_a + w_b) / 2, fmin(w_a, w_b));
		return v;
	}
	/* C-SVC: bounds C times the weight of the class, +1 for class a and -1 for class b */
	v.type = MACHINE_C_SVC;
	v.c_plus = classes_c(t, label_a);
	v.c_minus = classes_c(t, label_b);
	v.squared_loss = t->squared_loss;
	return v;
}

/* Number of the first pair of class a with a later class, (4) */
static int64_t first_pair(int n_class, int64_t a)
{
	return a * n_class - a * (a + 1) / 2;
}

struct class_choice classes_choice(int n_class, int64_t q, bool by_class)
{
	/*
	 * Class a of pair q, by (5): the smaller root of first_pair(a) = q, rounded down; the loops
	 * below correct the root's rounding
	 */
	double m = n_class - 0.5;
	int a = (int)(m - sqrt(fmax(m * m - 2 * (double)q, 0)));

	while (first_pair(n_class, a) > q)
		a--;
	while (first_pair(n_class, a + 1) <= q)
		a++;
	return (struct class_choice){ a, (int)(q - first_pair(n_class, a)) + a + 1, by_class };
}

/* The weights of the problem's examples, once it is known which rows they are. */
static void take_weights(struct problem *p, const struct dataset *d)
{
	for (int64_t i = 0; p->weight && i < p->view.n; i++)
		p->weight[i] = d->weight[p->row[i]];
}

/* classes_pair_problem() of two classes. */
static int pair_problem(struct problem *p, const struct classes *c, struct class_choice choice,
			const struct dataset *d, const struct training *t, struct error *err)
{
	int a = choice.a, b = choice.b;
	int64_t i = c->start[a], j = c->start[b], i_end = c->start[a + 1], j_end = c->start[b + 1];
	const int64_t *place = c->place ? c->place : c->row;

	*p = (struct problem){ .view = pair_view(t, c->label[a], c->label[b],
						 weight_of_class(c, a, d),
						 weight_of_class(c, b, d)) };
	if (problem_allocate(p, d, i_end - i + j_end - j, err) < 0)
		return -1;
	/*
	 * order of the examples, (6): a merge of two ascending lists; or, by class, one list after
	 * the other
	 */
	for (int64_t k = 0; k < p->view.n; k++) {
		bool is_a = j == j_end || (i < i_end && (choice.by_class || place[i] < place[j]));

		p->row[k] = is_a ? c->row[i++] : c->row[j++];
		p->target[k] = is_a ? 1 : -1;
	}
	take_weights(p, d);
	return 0;
}

/* View of the problem of examples without classes, the sum of whose weights is w. */
static struct problem_view single_view(const struct training *t, double w)
{
	struct problem_view v = { .type = t->type, .kernel = t->kernel, .c_plus = 1, .c_minus = 1 };

	/* one-class: multipliers from 0 to their weights that sum to nu w */
	if (t->type == MACHINE_ONE_CLASS) {
		v.sum_plus = t->nu * w;
		return v;
	}
	v.c_plus = v.c_minus = t->C;
	/* nu-SVR: the multipliers of each side sum to C nu w / 2; there is no epsilon */
	if (t->type == MACHINE_NU_SVR) {
		v.sum_plus = v.sum_minus = t->C * t->nu * w / 2;
		return v;
	}
	/* epsilon-SVR: multipliers from -C to C; the tube reaches epsilon to both sides */
	v.type = MACHINE_EPSILON_SVR;
	v.epsilon = t->p;
	v.squared_loss = t->squared_loss;
	return v;
}

int single_problem_list(struct problem *p, const struct dataset *d, const struct training *t,
			const struct example_list *list, struct error *err)
{
	*p = (struct problem){ .view = single_view(t, weight_of_list(d, list)) };
	if (problem_allocate(p, d, list->n, err) < 0)
		return -1;
	for (int64_t i = 0; i < p->view.n; i++) {
		p->row[i] = list->row ? list->row[i] : i;
		p->target[i] = t->type == MACHINE_ONE_CLASS ? 1 : list->y[i];
	}
	take_weights(p, d);
	return 0;
}

int classes_pair_problem(struct problem *p, const struct classes *c, struct class_choice choice,
			 const struct dataset *d, const struct training *t, struct error *err)
{
	const struct example_list all = { d->x.n_rows, NULL, d->y };

	return c ? pair_problem(p, c, choice, d, t, err) : single_problem_list(p, d, t, &all, err);
}

/* An example of a problem and the place of its row, by which problem_sort() sorts examples. */
struct placed_example {
	int64_t place, row; /* the place first, for order_int64s() */
	double target, weight;
};

int problem_sort(struct problem *p, const int64_t *place, struct error *err)
{
	int64_t n = p->view.n;
	struct placed_example *list = mem_array(n, sizeof(*list), err);

	if (!list)
		return -1;
	for (int64_t i = 0; i < n; i++)
		list[i] = (struct placed_example){ place[p->row[i]], p->row[i], p->target[i],
						   p->weight ? p->weight[i] : 1 };
	/* places are of different rows: no two are equal, so any qsort() gives the same order */
	qsort(list, (size_t)n, sizeof(*list), order_int64s);
	for (int64_t i = 0; i < n; i++) {
		p->row[i] = list[i].row;
		p->target[i] = list[i].target;
		if (p->weight)
			p->weight[i] = list[i].weight;
	}
	mem_free(list);
	return 0;
}

void problem_share_targets(struct problem *p, const struct dataset *d)
{
	if (p->view.n != d->x.n_rows || memcmp(p->target, d->y, (size_t)p->view.n * sizeof(double)))
		return;
	mem_free(p->target);
	p->target = NULL;
	p->view.target = d->y;
}

int classes_find(const struct classes *c, int label)
{
	return label_find(c->label, c->n, label);
}

/* The sum of the two largest numbers of rows, in one pass: a new largest one moves down the old. */
int64_t classes_largest_pair(const struct classes *c)
{
	int64_t first = 0, second = 0;

	for (int k = 0; k < c->n; k++) {
		int64_t n = classes_size(c, k);

		/* n is one of the two largest so far, or leaves both unchanged */
		second = int64_max(second, int64_min(n, first));
		first = int64_max(n, first);
	}
	return first + second;
}

/*
 * A pair of weights w_a and w_b allows nu up to 2 min(w_a, w_b) / (w_a + w_b): the pair that allows
 * least is that of the heaviest class and the lightest one.
 */
bool classes_allow_nu(const struct classes *c, const struct dataset *d, double nu)
{
	double least = INFINITY, most = 0;

	for (int k = 0; k < c->n; k++) {
		double w = weight_of_class(c, k, d);

		least = fmin(least, w);
		most = fmax(most, w);
	}
	return c->n < 2 || !(nu * (least + most) / 2 > least);
}

/*
 * A label with more than 200 values, or with more than 20 and over a tenth of the rows, is probably
 * a regression target.
 */
enum { MANY_CLASSES = 200, FEW_CLASSES = 20, ROWS_OF_A_CLASS = 10 };

/* Do labels look like counts or years: whole numbers without large gaps, some of them rare? */
static bool are_like_counts(const struct classes *c)
{
	int lowest = c->label[0], highest = c->label[0];
	int64_t fewest = c->start[c->n];

	for (int k = 0; k < c->n; k++) {
		lowest = c->label[k] < lowest ? c->label[k] : lowest;
		highest = c->label[k] > highest ? c->label[k] : highest;
		fewest = int64_min(fewest, classes_size(c, k));
	}
	return (int64_t)highest - lowest < 2 * (int64_t)c->n && fewest < ROWS_OF_A_CLASS;
}

bool classes_look_like_targets(const struct classes *c)
{
	return c->n > MANY_CLASSES ||
	       (c->n > FEW_CLASSES &&
		(c->n > c->start[c->n] / ROWS_OF_A_CLASS || are_like_counts(c)));
}

/*
 * classes.h - the classes of a training set, and the pairs of one-vs-one
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "problem/problem.h"
#include "problem/training.h"

/*
 * struct classes - the labels in svm-train's order, and the rows of each class
 *
 * Labels are in the order of their first occurrence in the data, with one exception: if the labels
 * are -1 and +1 and -1 occurs first, +1 is still class 0.  Owns its arrays.
 */
struct classes {
	int n;
	int *label; /* labels of the n classes */
	/* start of each class: class c has row[start[c] .. start[c+1]-1]; n + 1 numbers */
	int64_t *start;
	int64_t *row; /* row numbers of all examples, ascending within a class */
	/* example numbers of each row of 'row', ascending within a class; or NULL */
	int64_t *place;
};

/* classes_size() - number of examples of class k */
static inline int64_t classes_size(const struct classes *c, int k)
{
	return c->start[k + 1] - c->start[k];
}

/*
 * classes_init() - group the rows of 'd' by label
 *
 * Fails with ERR_FORMAT, naming the example, if a label is not an integer of 32 bits; with
 * ERR_ARGUMENT if there are no rows; or with ERR_MEMORY.  O(rows).
 */
int classes_init(struct classes *c, const struct dataset *d, struct error *err);

/*
 * Most classes that machines are trained for, and predictions compared: the machines of all pairs,
 * or each with all rows against the rest, and the counts of all pairs are quadratic.  Where there
 * are more, labels are mostly the targets of a regression.
 */
#define CLASSES_MOST 20000

/* classes_look_like_targets() - are labels so many, or so like counts, that a regression may be meant? */
bool classes_look_like_targets(const struct classes *c);

/* classes_check_number() - ERR_ARGUMENT, with the number n, if it is above CLASSES_MOST */
int classes_check_number(int64_t n, struct error *err);

/* Examples: example i is row[i] of a data set ('row' NULL: row i), with label or target y[i]. */
struct example_list {
	int64_t n;
	const int64_t *row;
	const double *y;
};

/*
 * classes_init_list() - group examples by label, as classes_init() does for a data set of them
 *
 * But c->row holds rows of the data set, within a class in the order of the examples.
 */
int classes_init_list(struct classes *c, const struct example_list *list, struct error *err);

void classes_free(struct classes *c);

/* label_find() - the number of the first of n labels that is 'wanted', or -1; O(n) */
static inline int label_find(const int *label, int n, double wanted)
{
	for (int k = 0; k < n; k++)
		if (label[k] == wanted)
			return k;
	return -1;
}

/* classes_find() - the number of the class with this label, or -1; O(classes) */
int classes_find(const struct classes *c, int label);

/* classes_largest_pair() - number of examples in the two largest classes together; O(classes) */
int64_t classes_largest_pair(const struct classes *c);

/*
 * classes_allow_nu() - is the nu-SVC of each pair of classes feasible?
 *
 * Its multipliers sum up to nu / 2 times the weight of both classes within each class, and are at
 * most the weights.
 */
bool classes_allow_nu(const struct classes *c, const struct dataset *d, double nu);

/* classes_c() - C of a class: t->C times all weights given for its label, as in LIBSVM */
double classes_c(const struct training *t, int label);

/*
 * classes_balanced_weight() - the weight that makes a class count as much as each other one
 *
 *     examples / (classes * examples of the class)
 *
 * Of rows with weights 'all' and 'of_class' are their sums, in place of numbers of examples.
 */
double classes_balanced_weight(double all, int n_classes, double of_class);

/* classes_balance() - weight[k]: the balanced weight of class k < c->n of the rows 'd' */
void classes_balance(const struct classes *c, const struct dataset *d, struct class_weight *weight);

/*
 * A problem that owns the arrays its view points to; x and all other pointers of the view are
 * borrowed.
 */
struct problem {
	struct problem_view view;
	int64_t *row;
	double *target;
	double *weight; /* weights of the examples, where the data has them; else NULL */
};

/* Choice of a pair of classes, and of the order of its examples. */
struct class_choice {
	int a, b; /* numbers of the classes, 0 .. n - 1; class a has target +1, class b -1 */
	/*
	 * examples in the order by class: all rows of a before those of b; else in the order of the
	 * data
	 */
	bool by_class;
};

/* classes_choice() - pair q of n_class classes, in LIBSVM's order: 0-1, 0-2, ..., 1-2, ... */
struct class_choice classes_choice(int n_class, int64_t q, bool by_class);

/*
 * classes_pair_problem() - the C-SVC or nu-SVC problem of one pair of classes
 *
 * C-SVC's c_plus and c_minus are classes_c() of classes a and b; nu-SVC has no weights of classes,
 * and the sums S_plus = S_minus = nu (w_a + w_b) / 2 of the weights of the classes' examples, but at
 * most the weight of the lighter class: nu is feasible up to 2 min(w_a, w_b) / (w_a + w_b).
 * Weights of the rows of 'd' become those of the examples.  The rows are borrowed.  O(examples of
 * the pair).  Fails with ERR_MEMORY only.
 *
 * Without classes, 'c' NULL, the problem of all rows of 'd', as by single_problem_list().
 */
int classes_pair_problem(struct problem *p, const struct classes *c, struct class_choice choice,
			 const struct dataset *d, const struct training *t, struct error *err);

/*
 * single_problem_list() - the problem of examples of 'd', of a regression or one class
 *
 * epsilon-SVR, nu-SVR, or one-class, which does not look at targets.  Fails with ERR_MEMORY only.
 */
int single_problem_list(struct problem *p, const struct dataset *d, const struct training *t,
			const struct example_list *list, struct error *err);

void problem_free(struct problem *p);

/*
 * problem_sort() - order the examples by place[row], all different; returns 0, or -1 with
 * ERR_MEMORY
 */
int problem_sort(struct problem *p, const int64_t *place, struct error *err);

/*
 * problem_share_targets() - targets that are the labels of 'd', one for each of its rows, are
 * borrowed from there; nothing else may change p->target after it
 */
void problem_share_targets(struct problem *p, const struct dataset *d);

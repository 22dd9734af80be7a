/*
 * prepared.c - models made ready to predict, kept beside the caller's svm_model
 *
 * How this works.  A hash table maps addresses of models to what was made of them.  LIBSVM's
 * interface has no place in svm_model for more than its fields, and callers copy models, build them
 * by hand, and edit them between calls.  So an entry has a copy of all that it was made of, and is
 * used only while the model is equal to the copy, to the last node of its support vectors.
 * Comparing takes less than predicting does: it reads in order what a prediction reads.
 *
 *     prepared_take()   find the entry -- compare -- equal: take scratch memory
 *                                               `-- else: make one, put it in the old one's place
 *     prepared_give()   put the scratch memory back; free an entry that has been replaced and has
 *                       no other user
 *
 * One lock guards the table, the counts of users and the idle scratch memory; nothing is computed
 * under it.  A second one lets one thread at a time prepare a model, while others wait for it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "prepared.h"

#include <pthread.h>
#include <stdint.h>

#include "base/mem.h"
#include "public_model.h"

enum { N_BUCKETS = 1024 };

static struct prepared *bucket[N_BUCKETS];
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t making_lock = PTHREAD_MUTEX_INITIALIZER;

/* Where the entry of a model is linked to, or would be; under table_lock. */
static struct prepared **place_of(const struct svm_model *of)
{
	/* bits 4 and up: malloc() gives multiples of 16 */
	struct prepared **p = &bucket[((uintptr_t)of >> 4) * 0x9e3779b97f4a7c15U >> 54];

	while (*p && (*p)->of != of)
		p = &(*p)->next;
	return p;
}

static void scratch_free(struct prediction_scratch *s)
{
	node_row_free(&s->row);
	predictor_scratch_free(&s->predictor);
	mem_free(s->values);
	mem_free(s);
}

static struct prediction_scratch *scratch_new(const struct prepared *p, struct error *err)
{
	struct prediction_scratch *s = mem_zeroed(1, sizeof(*s), err);

	if (!s)
		return NULL;
	s->values = mem_array(p->predictor.n_values, sizeof(*s->values), err);
	if (s->values && predictor_scratch_init(&s->predictor, &p->predictor, err) == 0)
		return s;
	scratch_free(s);
	return NULL;
}

static void entry_free(struct prepared *p)
{
	while (p->idle) {
		struct prediction_scratch *s = p->idle;

		p->idle = s->next;
		scratch_free(s);
	}
	predictor_free(&p->predictor);
	model_free(&p->model);
	mem_free(p->sv);
	mem_free(p);
}

/* Copy the pointers to the support vectors. */
static int copy_pointers(struct prepared *p, const struct svm_model *of, struct error *err)
{
	p->sv = mem_array(of->l, sizeof(*p->sv), err);
	if (!p->sv)
		return -1;
	for (int j = 0; j < of->l; j++)
		p->sv[j] = of->SV[j];
	return 0;
}

static struct prepared *entry_new(const struct svm_model *of, struct error *err)
{
	struct prepared *p = mem_zeroed(1, sizeof(*p), err);

	if (!p)
		return NULL;
	p->of = of;
	p->form = of->param.kernel_type == PRECOMPUTED ? NODES_POSITIONS : NODES_FEATURES;
	if (public_model_read(&p->model, of, err) == 0 && copy_pointers(p, of, err) == 0 &&
	    predictor_init(&p->predictor, &p->model, err) == 0)
		return p;
	entry_free(p);
	return NULL;
}

/* Are the nodes, read as a row, this one? */
static bool reads_as(const struct svm_node *node, struct csr_row row)
{
	struct node_row r = { 0 };
	bool same = node_row_read(&r, node, NODES_FEATURES, &(struct error){ 0 }) == 0 &&
		    r.row.n == row.n;

	for (int64_t k = 0; same && k < row.n; k++)
		same = r.row.col[k] == row.col[k] && r.row.val[k] == row.val[k];
	node_row_free(&r);
	return same;
}

/* The same, at once where the nodes are in order and all different. */
static bool is_same_vector(const struct svm_node *node, struct csr_row row)
{
	for (int64_t k = 0; k < row.n; k++)
		if (node[k].index != row.col[k] || node[k].value != row.val[k])
			return reads_as(node, row);
	return node[row.n].index == -1 || reads_as(node, row);
}

/* Is the model what it was when the entry was made? */
static bool is_current(const struct prepared *p, const struct svm_model *of)
{
	const struct csr *sv = &p->model.sv;

	if (!public_model_is_same(&p->model, p->sv, of))
		return false;
	for (int j = 0; p->form == NODES_FEATURES && j < of->l; j++)
		if (!is_same_vector(of->SV[j], csr_row_of(sv, j)))
			return false;
	for (int j = 0; p->form == NODES_POSITIONS && j < of->l; j++)
		if (of->SV[j]->value != *csr_row_of(sv, j).val)
			return false;
	return true;
}

/* End one use, by no one if 'users' is 0; takes the entry out of the table if it is still there. */
static void release(struct prepared *p, int users, bool drops)
{
	struct prepared **place;
	bool is_last;

	pthread_mutex_lock(&table_lock);
	place = place_of(p->of);
	if (drops && *place == p) {
		*place = p->next;
		p->dropped = true;
	}
	p->n_users -= users;
	is_last = p->dropped && p->n_users == 0;
	pthread_mutex_unlock(&table_lock);
	if (is_last)
		entry_free(p);
}

/* The entry of the model, with one user more, and idle scratch memory if there is some. */
static struct prepared *find(const struct svm_model *of, struct prediction_scratch **scratch)
{
	struct prepared *p;

	*scratch = NULL;
	pthread_mutex_lock(&table_lock);
	p = *place_of(of);
	if (p) {
		p->n_users++;
		*scratch = p->idle;
		if (p->idle)
			p->idle = p->idle->next;
	}
	pthread_mutex_unlock(&table_lock);
	return p;
}

void prepared_give(struct prepared *p, struct prediction_scratch *scratch)
{
	pthread_mutex_lock(&table_lock);
	if (scratch) {
		scratch->next = p->idle;
		p->idle = scratch;
	}
	pthread_mutex_unlock(&table_lock);
	release(p, 1, false);
}

/* find(), if the entry is current; one that is not leaves the table. */
static struct prepared *find_current(const struct svm_model *of,
				     struct prediction_scratch **scratch)
{
	struct prepared *p = find(of, scratch);

	if (!p || is_current(p, of))
		return p;
	if (*scratch)
		scratch_free(*scratch);
	*scratch = NULL;
	release(p, 1, true);
	return NULL;
}

static struct prepared *make(const struct svm_model *of, struct error *err)
{
	struct prepared *p = entry_new(of, err);

	if (!p)
		return NULL;
	p->n_users = 1;
	pthread_mutex_lock(&table_lock);
	*place_of(of) = p;
	pthread_mutex_unlock(&table_lock);
	return p;
}

struct prepared *prepared_take(const struct svm_model *of, struct prediction_scratch **scratch,
			       struct error *err)
{
	struct prepared *p = find_current(of, scratch);

	if (!p) {
		pthread_mutex_lock(&making_lock);
		/* another thread may have made it while this one waited */
		p = find_current(of, scratch);
		if (!p)
			p = make(of, err);
		pthread_mutex_unlock(&making_lock);
	}
	if (!p)
		return NULL;
	if (!*scratch)
		*scratch = scratch_new(p, err);
	if (*scratch)
		return p;
	prepared_give(p, NULL);
	return NULL;
}

void prepared_forget(const struct svm_model *of)
{
	struct prepared **place, *p;
	bool is_used = false;

	pthread_mutex_lock(&table_lock);
	place = place_of(of);
	p = *place;
	if (p) {
		*place = p->next;
		p->dropped = true;
		is_used = p->n_users > 0;
	}
	pthread_mutex_unlock(&table_lock);
	if (p && !is_used)
		entry_free(p);
}

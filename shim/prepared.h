/*
 * prepared.h - models made ready to predict, kept beside the caller's svm_model
 *
 * The first prediction by a model prepares it; later ones compare the model's fields with what
 * they were, and prepare it anew if the caller has edited one.  What is kept is found by the
 * model's address, and released by prepared_forget().
 *
 * Threads may predict at the same time, by one model or by several.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_PREPARED_H
#define RANDSVM_PREPARED_H

#include "model/predict.h"
#include "node_rows.h"

/* Memory of one prediction at a time. */
struct prediction_scratch {
	struct node_row row;
	struct predictor_scratch predictor;
	double *values; /* decision values of the row */
	struct prediction_scratch *next;
};

/* One model; 'predictor' is read-only between prepared_take() and prepared_give(). */
struct prepared {
	struct predictor predictor;
	enum node_form form; /* nodes of a row to predict that are read */
	struct model model;
	const struct svm_model *of; /* caller's model, the key */
	struct svm_node **sv;	    /* support vectors of the caller's model when this was made */
	int n_users;		    /* number of predictions running */
	bool dropped;		    /* not in the table any more: the last user frees it */
	struct prediction_scratch *idle;
	struct prepared *next;
};

/*
 * prepared_take() - the model as it is now, and scratch memory
 *
 * NULL with ERR_ARGUMENT if its fields are no model, or with ERR_MEMORY.  Compares
 * O(l nr_class + nodes) bytes.
 */
struct prepared *prepared_take(const struct svm_model *of, struct prediction_scratch **scratch,
			       struct error *err);
void prepared_give(struct prepared *p, struct prediction_scratch *scratch);

/* prepared_forget() - release what is kept of the model, if anything is */
void prepared_forget(const struct svm_model *of);

#endif

/*
 * one_vs_rest_model.c - a model of LIBLINEAR's kind from machines of each class against the rest
 *
 * How this works.  Machines of each class against the rest have weights [feature][machine], which
 * is the layout of LIBLINEAR's models: they move into the model without being copied.  The biases
 * are the last row, of a bias feature of 1; labels are copied, since the classes keep theirs.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/one_vs_rest_model.h"

#include <string.h>

#include "base/mem.h"

int one_vs_rest_model(struct model *m, struct one_vs_rest *from, const struct classes *classes,
		      struct error *err)
{
	int *label = mem_copy(classes->label, classes->n, sizeof(*label), err);

	*m = (struct model){ 0 };
	if (!label)
		return -1;
	m->is_linear_model = true;
	m->linear = (struct linear_model){ .n_class = classes->n,
					   .label = label,
					   .n_features = from->n_features,
					   .bias = 1,
					   .n_columns = from->n_machines,
					   .w = from->w };
	strcpy(m->linear.solver_type,
	       from->squared_loss ? "L2R_L2LOSS_SVC" : "L2R_L1LOSS_SVC_DUAL");
	from->w = NULL;
	one_vs_rest_free(from);
	return 0;
}

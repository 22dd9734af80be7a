/*
 * export.c - a model, and the maps before it, as a program of C or a graph of ONNX
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "export/export_form.h"

const char *const export_kind_names[] = { "c", "c-float", "onnx", NULL };

int export_model(const void *options, struct output *to, struct error *err)
{
	const struct export_options *o = options;
	struct export_form f;

	if (export_form_init(&f, o, err) == 0 && export_form_test(&f, err) == 0) {
		o->size->constant_bytes =
			(o->kind == EXPORT_ONNX ? export_write_onnx : export_write_c)(&f, to, err);
		o->size->n_inputs = f.n_inputs;
		o->size->n_vectors = f.vector.n_rows;
	}
	export_form_free(&f);
	return err->code == ERR_NONE ? 0 : -1;
}

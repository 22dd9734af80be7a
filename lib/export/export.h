/*
 * export.h - a model, and the maps before it, as a program of C or a graph of ONNX
 *
 * C: a file of C99 without any library and without allocation, in double or single precision; its
 * double precision decision values have the bits of predictor_values().  ONNX: rows and values in single
 * precision, and what is between them in double.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "chain/chain.h"

enum export_kind { EXPORT_C, EXPORT_C_FLOAT, EXPORT_ONNX };

/* export_kind_names - names of enum export_kind; ended by NULL */
extern const char *const export_kind_names[];

/* What is said of the file. */
struct export_size {
	int64_t n_inputs;	/* features of a row, 1 .. n_inputs */
	int64_t constant_bytes; /* numbers of the model */
	int64_t n_vectors;	/* support vectors; 0: weights */
};

struct export_options {
	const struct chain *chain;
	int kind;	    /* form, an enum export_kind */
	const char *path;   /* file's name, of which functions and graph get theirs */
	bool probabilities; /* of ONNX: predictions by probabilities, an output in place of values */
	struct export_size *size; /* becomes what is said of the file */
};

/*
 * export_model() - write a chain, mostly a model alone, as a struct export_options says, to 'to',
 * which stays open
 *
 * Ranges and choices of features become part of the file; columns of tables and names of classes do
 * not.  Refused with ERR_ARGUMENT, before anything is written, are precomputed kernels, models of a
 * single class, feature 0, vectors of half a million entries and more, projections and kernel maps,
 * probabilities that the model or ONNX has not; with ERR_NUMERIC numbers beyond the file's precision,
 * such as |s|^2 of values of 1e200, or a gamma that is 0 in floats.  Also fails with ERR_MEMORY and as
 * output_write().  O(numbers of the model).
 */
int export_model(const void *options, struct output *to, struct error *err);

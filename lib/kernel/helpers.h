/*
 * helpers.h - other processes that help with sums over many rows, as those see them who sum
 *
 * Each call is given all that its sums need and returns them, so that the same bytes come out for
 * any number of processes.  Without helpers (NULL) a process computes alone.  The ranks of a group
 * are helpers: ranks/rank_sums.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/expansion.h"
#include "kernel/float_sums.h"

struct helpers;

/*
 * struct helped_expansion - rows of x, one decision function of them, and the vectors it was made
 * of
 */
struct helped_expansion {
	const struct csr *x;
	const struct expansion *e; /* decision function of two classes, all vectors in the first */
	const struct csr *sv;
	const double *coef;
};

struct helper_calls {
	int (*float_sums)(struct helpers *h, struct float_rows rows,
			  const struct float_vectors *vectors, const double *coef, double *out,
			  int n_threads, struct error *err);
	int (*expand)(struct helpers *h, const struct helped_expansion *s, const int64_t *row,
		      int64_t n, double *out, int n_threads, struct error *err);
	void (*forget)(struct helpers *h);
};

/*
 * struct helpers - first member of the struct of a helping module; all calls come from one thread
 */
struct helpers {
	const struct helper_calls *calls;
	int n_processes; /* number of processes, this one included */
};

/*
 * helpers_float_sums() - float_vectors_sums(), with help where that pays
 *
 * rows.row is not NULL. Fails with ERR_MEMORY of this process or another, which the text names, as
 * helpers_expand() does.
 */
static inline int helpers_float_sums(struct helpers *h, struct float_rows rows,
				     const struct float_vectors *vectors, const double *coef,
				     double *out, int n_threads, struct error *err)
{
	return h ? h->calls->float_sums(h, rows, vectors, coef, out, n_threads, err) :
		   float_vectors_sums(rows, vectors, coef, out, n_threads, err);
}

/*
 * helpers_expand() - expansion_evaluate_rows() of rows row[0 .. n-1] of x, with help where that
 * pays
 */
static inline int helpers_expand(struct helpers *h, const struct helped_expansion *s,
				 const int64_t *row, int64_t n, double *out, int n_threads,
				 struct error *err)
{
	return h ? h->calls->expand(h, s, row, n, out, n_threads, err) :
		   expansion_evaluate_rows(s->e, csr_view(s->x, row, n), out, n_threads, err);
}

/* helpers_forget() - rows given to helpers will be freed: the helpers get rows anew when needed */
static inline void helpers_forget(struct helpers *h)
{
	if (h)
		h->calls->forget(h);
}

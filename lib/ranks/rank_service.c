/*
 * rank_service.c - what all ranks but rank 0 do: serve it
 *
 * How this works.  A rank waits asleep for a message of fixed size, does what the message asks for,
 * and waits again.  Between commands the rank keeps two things: the rows of the evaluator and the
 * bound of memory.  Both are replaced by the next command of their kind.
 * A failure goes to rank 0 as an answer and ends the command, not the loop: only RANK_END ends the
 * loop, so that no rank is left waiting for one that has gone.
 *
 * Each command of rank 0 is a message, what this rank gets of it, an answer (ready, or no memory),
 * the data, and for sums a second answer and the sums; see rank_sums.c.
 *
 *     rank 0                         this rank
 *     announce the command    -->    keep_rows() or send_sums()
 *     part                    -->    how many rows, values and runs are its own                (1)
 *                             <--    ready; or no memory for them                              (2)
 *     go on, or not           -->    not: the command ends here for all ranks                  (3)
 *     data                    -->    rows to keep; or vectors and coefficients, for all        (4)
 *                             <--    for sums: finished, or an error                           (5)
 *                             <--    the sums, unless (5) was an error                         (6)
 *
 * All memory is taken between (1) and (2): past (3) a rank that failed would leave rank 0 waiting
 * for bytes.  What can fail later is the sum alone, and (5) tells that before (6).  Functions that
 * take memory do not return early where another message is still to come: the error is kept in
 * 'err' until the rank answers.
 *
 * Rows are kept from command to command, in one form or both; vectors are dropped with each answer.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ranks/rank_sums.h"

#include <stdbool.h>

#include "base/arithmetic.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/mem_bound.h"
#include "kernel/expansion.h"
#include "kernel/float_sums.h"
#include "kernel/float_vectors.h"
#include "matrix/csr.h"
#include "ranks/rank_messages.h"

/* Rows or vectors in floats, in doubles, or in both.  A zeroed struct is empty. */
struct rows {
	struct float_vectors floats;
	struct csr doubles;
};

/* ---- rows ---- */

static void drop_rows(struct rows *r, bool in_floats)
{
	if (in_floats) {
		float_vectors_drop_tiles(&r->floats);
		float_vectors_free(&r->floats);
	} else {
		csr_free(&r->doubles);
	}
}

static void rows_free(struct rows *r)
{
	drop_rows(r, true);
	drop_rows(r, false);
}

/* Room for n rows with n_values values in the form that the message has; no values yet. */
static int make_room(struct rows *r, const struct rank_message *m, int64_t n, int64_t n_values,
		     struct error *err)
{
	if (m->in_floats)
		return float_vectors_make_room(&r->floats, &m->form, n, n_values, err);
	if (csr_reserve(&r->doubles, n, n_values, err) < 0)
		return -1;
	r->doubles.n_rows = n;
	r->doubles.n_cols = m->n_cols;
	return 0;
}

static struct row_arrays arrays_of(const struct rows *r, const struct rank_message *m)
{
	return m->in_floats ? row_arrays_of_floats(&r->floats) : row_arrays_of_csr(&r->doubles);
}

/* Receive this rank's share of the rows of RANK_ROWS; rows kept before are dropped. */
static void keep_rows(struct rows *kept, struct rank_group *g, const struct rank_message *m)
{
	struct error err = { 0 };
	struct row_arrays a;
	struct rank_part part;

	/* number of rows and values that this rank gets, (1) */
	rank_group_receive(g, 0, &part, sizeof(part));
	/* the rows kept before leave first, which makes room for the new ones */
	drop_rows(kept, m->in_floats);
	if (make_room(kept, m, part.n, part.n_values, &err) == 0 && m->in_floats)
		float_vectors_keep_tiles(&kept->floats, &err);
	/* ready or not, (2); then rank 0 tells whether all ranks are ready, (3) */
	if (!rank_goes_on(g, &err))
		return;
	a = arrays_of(kept, m);
	/* blocks of rows, all but the last of which are whole, (4) */
	for (int64_t first = 0; first < part.n; first += m->block)
		rank_move_rows(g, &a, first, int64_min(m->block, part.n - first), g->rank);
}

/* ---- sums ---- */

/* One request for sums: row numbers, vectors, coefficients and sums. */
struct sums {
	int64_t n, *row;
	struct rows vectors;
	double *coef, *out;
};

/* Runs are received whether or not there is room for their rows: rank 0 sends them anyway. */
static void receive_list(struct rank_group *g, struct sums *s, struct error *err)
{
	struct rank_part part;
	struct rank_run run[RANK_RUNS];
	int64_t n = 0;

	/* number of rows to be summed for, (1), each of which has an element of 'out' and 'row' */
	rank_group_receive(g, 0, &part, sizeof(part));
	s->n = part.n;
	s->row = mem_array(s->n, sizeof(*s->row), err);
	s->out = mem_array(s->n, sizeof(*s->out), err);
	/* a run of neighbours is one pair of numbers; RANK_RUNS of them make a message */
	for (int64_t left = part.n_runs, some; left > 0; left -= some) {
		some = int64_min(left, RANK_RUNS);
		rank_group_receive(g, 0, run, some * (int64_t)sizeof(*run));
		for (int64_t k = 0; k < some && s->row; k++)
			for (int64_t i = 0; i < run[k].n; i++)
				s->row[n++] = run[k].first + i;
	}
}

/* Sums in doubles are those of an expansion, as rank 0 computes its own. */
static int evaluate_doubles(const struct csr *x, const struct rank_message *m, const struct sums *s,
			    int n_threads, struct error *err)
{
	/* one decision function, the pair (0, 1), with all vectors in class 0 */
	const int64_t n_of_class[2] = { m->n, 0 };
	const struct support_vectors sv = { &s->vectors.doubles, 2, n_of_class, s->coef };
	struct expansion expansion;
	int ret;

	if (expansion_init(&expansion, &m->kernel, &sv, err) < 0)
		return -1;
	ret = expansion_evaluate_rows(&expansion, csr_view(x, s->row, s->n), s->out, n_threads,
				      err);
	expansion_free(&expansion);
	return ret;
}

/* The sums of those of the rows kept that the request names, which may be none. */
static int evaluate(const struct rows *kept, const struct rank_message *m, const struct sums *s,
		    int n_threads, struct error *err)
{
	struct float_rows rows = { &kept->floats, s->row, s->n };

	if (s->n == 0)
		return 0;
	if (!m->in_floats)
		return evaluate_doubles(&kept->doubles, m, s, n_threads, err);
	return float_vectors_sums(rows, &s->vectors.floats, s->coef, s->out, n_threads, err);
}

/* Compute and send the sums of RANK_SUMS, on n_threads threads or as many as rank 0 says. */
static void send_sums(const struct rows *kept, struct rank_group *g, const struct rank_message *m,
		      int n_threads)
{
	struct error err = { 0 };
	struct sums s = { 0 };
	struct row_arrays a;
	double started;

	receive_list(g, &s, &err);
	s.coef = mem_array(m->n, sizeof(*s.coef), &err);
	make_room(&s.vectors, m, m->n, m->n_values, &err);
	/* ready or not, (2), and whether all ranks are, (3): each array is there, or err says why not */
	if (!rank_goes_on(g, &err))
		goto out;
	a = arrays_of(&s.vectors, m);
	/* vectors and coefficients, (4): the same for all ranks, so one broadcast */
	rank_move_rows(g, &a, 0, m->n, RANK_ALL);
	rank_group_broadcast(g, s.coef, m->n * (int64_t)sizeof(*s.coef));
	started = clock_seconds(CLOCK_MONOTONIC);
	evaluate(kept, m, &s, m->n_threads > 0 ? m->n_threads : n_threads, &err);
	/* answer, (5): finished or failed, and the seconds that the sums took */
	rank_answer(g, &err, clock_seconds(CLOCK_MONOTONIC) - started);
	/* sums, (6), which do not follow an error */
	if (err.code == ERR_NONE)
		rank_group_send(g, 0, s.out, s.n * (int64_t)sizeof(*s.out));
out:
	mem_free_all(s.row, s.coef, s.out);
	rows_free(&s.vectors);
}

/* ---- commands ---- */

/* Set the bound of memory to that of rank 0. */
static void set_bound(struct rank_group *g, const struct rank_message *m)
{
	char folder[RANK_FOLDER];
	struct error err = { 0 };

	rank_group_broadcast(g, folder, sizeof(folder));
	/* a folder that cannot be used is reported by rank 0, not here */
	mem_set_bound(m->bytes, folder, "name another folder", &err);
	rank_goes_on(g, &err);
}

int rank_service_run(struct rank_group *g, int n_threads)
{
	struct rows kept = { 0 };
	struct rank_message m;

	for (;;) {
		rank_group_announce(g, &m, sizeof(m));
		switch (m.command) {
		case RANK_MEMORY:
			set_bound(g, &m);
			break;
		case RANK_ROWS:
			keep_rows(&kept, g, &m);
			break;
		case RANK_SUMS:
			send_sums(&kept, g, &m, n_threads);
			break;
		case RANK_END:
			rows_free(&kept);
			return m.status;
		}
	}
}

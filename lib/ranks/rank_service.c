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
#include "ranks/rank_service.h"

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/mem_bound.h"
#include "kernel/expansion.h"
#include "kernel/float_sums.h"
#include "kernel/float_vectors.h"
#include "matrix/csr.h"
#include "ranks/rank_messages.h"

/* The rows that a rank other than 0 keeps.  A zeroed struct is empty. */
struct evaluator {
	struct float_vectors floats;
	struct csr doubles; /* rows in double precision, if they were asked for */
};

/* ---- rows ---- */

/*
 * Room for rows with their starts; the first start is set here, and the receiver's other starts
 * follow from it.
 */
static int make_csr_room(struct csr *x, const struct rank_message *m, int64_t n, int64_t n_values,
			 struct error *err)
{
	*x = (struct csr){ .n_rows = n, .n_cols = m->n_cols };
	x->row_start = mem_array(n + 1, sizeof(*x->row_start), err);
	x->col = mem_array(n_values, sizeof(*x->col), err);
	x->val = mem_array(n_values, sizeof(*x->val), err);
	if (err->code != ERR_NONE) {
		csr_free(x);
		return -1;
	}
	x->row_start[0] = 0;
	return 0;
}

/* Blocks of rows, all but the last of which are whole. */
static void receive_rows(struct rank_group *g, const struct rank_message *m,
			 const struct row_arrays *a, int64_t n)
{
	for (int64_t first = 0; first < n; first += m->block)
		rank_move_rows(g, a, first, int64_min(m->block, n - first), rank_receive, 0);
}

/* Release the rows in single precision, and the tiles made of them. */
static void drop_floats(struct evaluator *e)
{
	float_vectors_drop_tiles(&e->floats);
	float_vectors_free(&e->floats);
}

static void evaluator_free(struct evaluator *e)
{
	drop_floats(e);
	csr_free(&e->doubles);
}

/* Receive this rank's share of the rows in single precision, in the form that the message has. */
static void keep_floats(struct evaluator *e, struct rank_group *g, const struct rank_message *m)
{
	struct error err = { 0 };
	struct row_arrays a;
	struct rank_part part;

	/* number of rows and values that this rank gets, (1) */
	rank_group_receive(g, 0, &part, sizeof(part));
	/* the rows kept before leave first, which makes room for the new ones */
	drop_floats(e);
	if (float_vectors_make_room(&e->floats, &m->form, part.n, part.n_values, &err) == 0)
		float_vectors_keep_tiles(&e->floats, &err);
	/* ready or not, (2); then rank 0 tells whether all ranks are ready, (3) */
	if (!rank_goes_on(g, &err))
		return;
	a = row_arrays_of_floats(&e->floats);
	/* rows block by block, (4) */
	receive_rows(g, m, &a, part.n);
}

/* Receive this rank's share of the rows in double precision, as a sparse matrix of its own. */
static void keep_doubles(struct evaluator *e, struct rank_group *g, const struct rank_message *m)
{
	struct error err = { 0 };
	struct row_arrays a;
	struct rank_part part;

	/* number of rows and values that this rank gets, (1) */
	rank_group_receive(g, 0, &part, sizeof(part));
	csr_free(&e->doubles);
	make_csr_room(&e->doubles, m, part.n, part.n_values, &err);
	/* ready or not, (2); then rank 0 tells whether all ranks are ready, (3) */
	if (!rank_goes_on(g, &err))
		return;
	a = row_arrays_of_csr(&e->doubles);
	/* rows block by block, (4) */
	receive_rows(g, m, &a, part.n);
}

/* Receive the rows of RANK_FLOAT_ROWS or RANK_ROWS; rows kept before are dropped. */
static void keep_rows(struct evaluator *e, struct rank_group *g, const struct rank_message *m)
{
	if (m->command == RANK_FLOAT_ROWS)
		keep_floats(e, g, m);
	else
		keep_doubles(e, g, m);
}

/* ---- sums ---- */

/* One request for sums: rows, vectors in one of two forms, coefficients and sums. */
struct sums {
	int64_t n, *row;
	struct float_vectors floats;
	struct csr doubles;
	double *coef, *out;
};

static void sums_free(struct sums *s)
{
	mem_free(s->row);
	mem_free(s->coef);
	mem_free(s->out);
	float_vectors_free(&s->floats);
	csr_free(&s->doubles);
}

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

/* Sums in double precision are those of an expansion, as rank 0 computes its own. */
static int evaluate_doubles(const struct evaluator *e, const struct rank_message *m,
			    const struct sums *s, int n_threads, struct error *err)
{
	/* one decision function, the pair (0, 1), with all vectors in class 0 */
	const int64_t n_of_class[2] = { s->doubles.n_rows, 0 };
	const struct support_vectors sv = { &s->doubles, 2, n_of_class, s->coef };
	struct expansion expansion;
	int ret;

	if (expansion_init(&expansion, &m->kernel, &sv, err) < 0)
		return -1;
	ret = expansion_evaluate_rows(&expansion, csr_view(&e->doubles, s->row, s->n), s->out,
				      n_threads, err);
	expansion_free(&expansion);
	return ret;
}

/*
 * The sums of the rows asked for, in the precision of the command.  A rank may have none of these
 * rows.
 */
static int evaluate(const struct evaluator *e, const struct rank_message *m, const struct sums *s,
		    int n_threads, struct error *err)
{
	/* Of the rows that are kept, those that this request names. */
	struct float_rows rows = { &e->floats, s->row, s->n };

	/* a rank with none of the rows asked for answers all the same, as rank 0 waits for it */
	if (s->n == 0)
		return 0;
	if (m->command == RANK_SUMS)
		return evaluate_doubles(e, m, s, n_threads, err);
	return float_vectors_sums(rows, &s->floats, s->coef, s->out, n_threads, err);
}

/* Compute and send the sums of RANK_FLOAT_SUMS or RANK_SUMS. */
static void send_sums(struct evaluator *e, struct rank_group *g, const struct rank_message *m,
		      int n_threads)
{
	struct error err = { 0 };
	struct sums s = { 0 };
	struct row_arrays a;
	double started;

	receive_list(g, &s, &err);
	s.coef = mem_array(m->n, sizeof(*s.coef), &err);
	if (m->command == RANK_SUMS)
		make_csr_room(&s.doubles, m, m->n, m->n_values, &err);
	else
		float_vectors_make_room(&s.floats, &m->form, m->n, m->n_values, &err);
	/*
	 * ready or not, (2), and whether all ranks are, (3): s.coef, s.out and s.row are arrays
	 * now, or err says why not
	 */
	if (!rank_goes_on(g, &err))
		goto out;
	a = m->command == RANK_SUMS ? row_arrays_of_csr(&s.doubles) :
				      row_arrays_of_floats(&s.floats);
	/* vectors and coefficients, (4): the same for all ranks, so one broadcast */
	rank_move_rows(g, &a, 0, m->n, rank_broadcast, 0);
	rank_group_broadcast(g, s.coef, m->n * (int64_t)sizeof(*s.coef));
	started = rank_seconds();
	evaluate(e, m, &s, n_threads, &err);
	/* answer, (5): finished or failed, and the seconds that the sums took */
	rank_answer(g, &err, rank_seconds() - started);
	/* sums, (6), which do not follow an error */
	if (err.code == ERR_NONE)
		rank_group_send(g, 0, s.out, s.n * (int64_t)sizeof(*s.out));
out:
	sums_free(&s);
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
	struct evaluator evaluator = { 0 };
	struct rank_message m;

	do {
		int n;

		rank_group_announce(g, &m, sizeof(m));
		/* rank 0's number of threads, if it gives one, goes before that of this process */
		n = m.n_threads > 0 ? m.n_threads : n_threads;
		switch (m.command) {
		case RANK_MEMORY:
			set_bound(g, &m);
			break;
		case RANK_FLOAT_ROWS:
		case RANK_ROWS:
			keep_rows(&evaluator, g, &m);
			break;
		case RANK_FLOAT_SUMS:
		case RANK_SUMS:
			send_sums(&evaluator, g, &m, n);
			break;
		case RANK_END:
			break;
		}
	} while (m.command != RANK_END);
	evaluator_free(&evaluator);
	return m.status;
}

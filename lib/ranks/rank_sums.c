/*
 * rank_sums.c - sums over support vectors with the help of other processes: rank 0's side
 *
 * A request, as rank 0 sees it:
 *
 *     announce the command            evaluators wake up
 *     send each its runs of rows      rows are mostly asked for in order: a run says which
 *     receive: ready                  they have made room for the vectors; if one could not, all
 *     broadcast: go on, or not        leave it at that, and its error is returned
 *     broadcast vectors, coefficients
 *     sums for the own rows           meanwhile the evaluators do theirs
 *     receive the sums                from each rank, in order; then to their places
 *
 * Rows are dealt in the same way, with blocks of rows in place of the vectors.  An error of rank 0
 * itself is returned only when all have answered, so that the next command finds them listening.
 *
 * Which rank has which row follows from the row's number alone (blocks of 3 rows, 2 ranks):
 *
 *     row      0  1  2 | 3  4  5 | 6  7  8 | 9 ...
 *     rank     0  0  0 | 1  1  1 | 0  0  0 | 1 ...     owner_of()
 *     number   0  1  2 | 0  1  2 | 3  4  5 | 3 ...     number_at_owner()
 *
 * Dealing blocks in turn shares out the rows evenly although requests are mostly for rows that lie
 * together.  Rank 0 keeps all rows in any case, and names its own by their numbers of the data.
 *
 * A request is sorted by rank, and its sums come back in that order (counting sort, O(n)):
 *
 *     row       5  0  3  1           rows asked for, in the caller's order
 *     by_rank   0  1 | 2  0          numbers at their owners, grouped
 *     start     0    2    4          where each rank's group begins
 *     value     one sum for each of by_rank; run_request() brings them back to the caller's order
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ranks/rank_sums.h"

#include <stdio.h>

#include "base/arithmetic.h"
#include "base/clock.h"
#include "base/mem.h"
#include "ranks/rank_messages.h"

/* Work of a kernel value besides its products, in multiplications: an exponential. */
#define WORK_OF_VALUE 8

void rank_sums_end(struct rank_sums *ranks, int status)
{
	struct rank_message message = { .command = RANK_END, .status = status };

	if (ranks->group)
		rank_group_announce(ranks->group, &message, sizeof(message));
	mem_free(ranks->record);
	*ranks = (struct rank_sums){ 0 };
}

static void forget(struct helpers *helpers)
{
	struct rank_sums *ranks = (struct rank_sums *)helpers;

	/* dealt rows are known by the address of their struct, where other rows may lie later */
	ranks->floats = NULL;
	ranks->doubles = NULL;
}

/* ---- who has which row ---- */

/* The rank that keeps a row of the data: blocks go to the ranks in turn. */
static int owner_of(const struct rank_sums *ranks, int64_t row)
{
	return (int)(row / ranks->block % ranks->group->size);
}

/*
 * The number that a row has at its rank: the whole blocks of that rank before it, and its place in
 * the block.
 */
static int64_t number_at_owner(const struct rank_sums *ranks, int64_t row)
{
	return row / ranks->block / ranks->group->size * ranks->block + row % ranks->block;
}

/* ---- functions that all commands share ---- */

/* Receive the rank's answer to a command, and note its figures; the first error stays in '*err'. */
static void take_answer(struct rank_sums *ranks, int rank, struct error *err)
{
	struct rank_answer answer;

	rank_group_receive(ranks->group, rank, &answer, sizeof(answer));
	/* seconds of sums are those since the rank's last answer; its other figures are totals */
	ranks->record[rank].sum_seconds += answer.sum_seconds;
	ranks->record[rank].cpu_seconds = answer.cpu_seconds;
	ranks->record[rank].peak_array_bytes = answer.peak_array_bytes;
	if (answer.err.code != ERR_NONE)
		error_set(err, answer.err.code, "rank %d of %d: %s", rank, ranks->group->size,
			  answer.err.text);
}

/* Are all ranks ready, by their answers?  Tells the outcome to all of them. */
static bool all_ready(struct rank_sums *ranks, struct error *err)
{
	int go;

	/*
	 * every rank is heard, also after the first error: an answer left unread would be taken for
	 * the next one
	 */
	for (int rank = 1; rank < ranks->group->size; rank++)
		take_answer(ranks, rank, err);
	go = err->code == ERR_NONE;
	rank_group_broadcast(ranks->group, &go, sizeof(go));
	return go;
}

int rank_sums_set_bound(struct rank_sums *ranks, int64_t bytes, const char *folder,
			struct error *err)
{
	struct rank_message message = { .command = RANK_MEMORY, .bytes = bytes };
	/*
	 * the other ranks get a fixed number of bytes, so the name is copied to a room of that size
	 */
	char name[RANK_FOLDER];

	snprintf(name, sizeof(name), "%s", folder);
	rank_group_announce(ranks->group, &message, sizeof(message));
	rank_group_broadcast(ranks->group, name, sizeof(name));
	return all_ready(ranks, err) ? 0 : -1;
}

/* ---- rows ---- */

/*
 * Give each rank its blocks of n rows, unless these are '*dealt', which the ranks keep already.
 * All ranks make room first; after a failure no rank keeps rows, and '*dealt' is NULL.
 */
static int deal_rows(struct rank_sums *ranks, const void **dealt, const void *rows,
		     struct rank_message *message, const struct row_arrays *a, int64_t n,
		     struct error *err)
{
	struct rank_group *g = ranks->group;
	struct rank_part *part;

	if (*dealt == rows)
		return 0;
	*dealt = NULL;
	part = mem_zeroed(g->size, sizeof(*part), err);
	if (!part)
		return -1;
	/* how many rows and values each rank will get, so that it can make room for them at once */
	for (int64_t first = 0; first < n; first += ranks->block) {
		struct rank_part *p = &part[owner_of(ranks, first)];
		int64_t n_rows = int64_min(ranks->block, n - first);

		p->n += n_rows;
		p->n_values += row_arrays_values(a, first, n_rows);
	}
	message->block = ranks->block;
	rank_group_announce(g, message, sizeof(*message));
	for (int rank = 0; rank < g->size; rank++) {
		ranks->record[rank].n_rows = part[rank].n;
		if (rank > 0)
			rank_group_send(g, rank, &part[rank], sizeof(*part));
	}
	mem_free(part);
	/* the error is that of a rank without memory; none has been sent a row */
	if (!all_ready(ranks, err))
		return -1;
	/* blocks go in ascending order, as rank_move_rows() wants them at the receiver */
	for (int64_t first = 0; first < n; first += ranks->block)
		if (owner_of(ranks, first) != 0)
			rank_move_rows(g, a, first, int64_min(ranks->block, n - first),
				       owner_of(ranks, first));
	*dealt = rows;
	return 0;
}

/* ---- sums ---- */

/* A request for sums over 'vectors' of rows of 'all', or for those of an expansion. */
struct request {
	struct rank_message message;
	const struct float_vectors *all, *vectors; /* in single precision; else NULL */
	const struct helped_expansion *expansion;  /* in double precision; else NULL */
	struct row_arrays arrays;		   /* arrays of the vectors */
	const double *coef;
	const int64_t *row; /* row numbers, n of them in any order */
	int64_t n;
	double *out;
	int n_threads;
	/* position of each rank's first row in by_rank and value; size + 1 numbers */
	int64_t *start;
	/*
	 * rows by rank, n numbers: rank 0's rows as in the data, others with the number at their
	 * owner
	 */
	int64_t *by_rank;
	double *value; /* sums of the rows, n numbers in the order of by_rank */
};

/* Group the rows by the rank that keeps them, each group in the order of the request. */
static int group_rows(struct request *r, const struct rank_sums *ranks, struct error *err)
{
	const struct rank_group *g = ranks->group;
	/* next[rank] is the place in by_rank that the rank's next row takes */
	int64_t *next = mem_array(g->size, sizeof(*next), err);

	/*
	 * counts of each rank go one element to the right of it, so that their sums become its
	 * start
	 */
	r->start = mem_zeroed(g->size + 1, sizeof(*r->start), err);
	r->by_rank = mem_array(r->n, sizeof(*r->by_rank), err);
	r->value = mem_array(r->n, sizeof(*r->value), err);
	if (err->code != ERR_NONE) {
		mem_free(next);
		return -1;
	}
	for (int64_t k = 0; k < r->n; k++)
		r->start[owner_of(ranks, r->row[k]) + 1]++;
	/* start[rank] is now the number of rows of all ranks before it */
	for (int rank = 0; rank < g->size; rank++) {
		r->start[rank + 1] += r->start[rank];
		next[rank] = r->start[rank];
	}
	for (int64_t k = 0; k < r->n; k++) {
		int rank = owner_of(ranks, r->row[k]);

		r->by_rank[next[rank]++] =
			rank == 0 ? r->row[k] : number_at_owner(ranks, r->row[k]);
	}
	mem_free(next);
	return 0;
}

/* Find the run of neighbours that begins with the first of n numbers. */
static struct rank_run next_run(const int64_t *number, int64_t n)
{
	struct rank_run run = { number[0], 1 };

	while (run.n < n && number[run.n] == run.first + run.n)
		run.n++;
	return run;
}

/* Send one rank the runs of rows that it is to sum for.  Needs no memory. */
static void send_runs(const struct request *r, struct rank_group *g, int rank)
{
	const int64_t *number = r->by_rank + r->start[rank];
	struct rank_part part = { .n = r->start[rank + 1] - r->start[rank] };
	struct rank_run run[RANK_RUNS];
	int64_t n = 0;

	/*
	 * runs are counted, then found again: their number goes first, and no memory is needed for
	 * a list
	 */
	for (int64_t k = 0; k < part.n; k += next_run(number + k, part.n - k).n)
		part.n_runs++;
	rank_group_send(g, rank, &part, sizeof(part));
	for (int64_t k = 0; k < part.n; k += run[n++].n) {
		if (n == RANK_RUNS) {
			rank_group_send(g, rank, run, sizeof(run));
			n = 0;
		}
		run[n] = next_run(number + k, part.n - k);
	}
	rank_group_send(g, rank, run, n * (int64_t)sizeof(*run));
}

/* This process's sums of n rows of the data. */
static int sum_here(const struct request *r, const int64_t *row, int64_t n, double *out,
		    struct error *err)
{
	const struct helped_expansion *s = r->expansion;
	const struct float_rows rows = { r->all, row, n };

	if (s)
		return expansion_evaluate_rows(s->e, csr_view(s->x, row, n), out, r->n_threads,
					       err);
	return float_vectors_sums(rows, r->vectors, r->coef, out, r->n_threads, err);
}

/*
 * One request from announcement to sums.  An error of any rank is returned after every rank has
 * answered.
 */
static int run_request(struct rank_sums *ranks, struct request *r, struct error *err)
{
	struct rank_group *g = ranks->group;
	double started;

	r->message.n_threads = ranks->n_threads;
	rank_group_announce(g, &r->message, sizeof(r->message));
	/* every rank gets a message, even one that has none of the rows asked for */
	for (int rank = 1; rank < g->size; rank++)
		send_runs(r, g, rank);
	if (!all_ready(ranks, err))
		return -1;
	/* vectors and coefficients are the same for all ranks */
	rank_move_rows(g, &r->arrays, 0, r->message.n, RANK_ALL);
	rank_group_broadcast(g, (void *)r->coef, r->message.n * (int64_t)sizeof(*r->coef));
	/* rank 0 sums for its own rows, whose numbers are those of the data */
	started = clock_seconds(CLOCK_MONOTONIC);
	sum_here(r, r->by_rank, r->start[1], r->value, err);
	/* values of floats are counted where they are computed: here those of the other ranks */
	if (!r->expansion)
		float_vectors_count(r->all, (r->n - r->start[1]) * r->message.n);
	ranks->record[0].sum_seconds += clock_seconds(CLOCK_MONOTONIC) - started;
	ranks->n_requests++;
	/* each rank's answer is taken, whether or not rank 0 or a rank before it has failed */
	for (int rank = 1; rank < g->size; rank++) {
		struct error failed = { 0 };

		take_answer(ranks, rank, &failed);
		if (failed.code == ERR_NONE)
			rank_group_receive(g, rank, r->value + r->start[rank],
					   (r->start[rank + 1] - r->start[rank]) *
						   (int64_t)sizeof(double));
		else
			error_pass(err, &failed);
	}
	/* all ranks have answered, and listen for the next command */
	if (err->code != ERR_NONE)
		return -1;
	/* back into the caller's order: r->start[rank] moves on to the next value of the rank */
	for (int64_t k = 0; k < r->n; k++)
		r->out[k] = r->value[r->start[owner_of(ranks, r->row[k])]++];
	return 0;
}

/*
 * Group the rows by rank, run the request, and free what group_rows() took, also where that took
 * only a part.
 */
static int request_sums(struct rank_sums *ranks, struct request *r, struct error *err)
{
	int ret = -1;

	if (group_rows(r, ranks, err) == 0)
		ret = run_request(ranks, r, err);
	mem_free_all(r->start, r->by_rank, r->value);
	return ret;
}

/* Is the work of the sums worth sending to other ranks? */
static bool pays(const struct rank_sums *ranks, const struct request *r)
{
	/* products of each value, and of each vector the function of the product */
	double work =
		(double)r->n * ((double)r->message.n_values + WORK_OF_VALUE * (double)r->message.n);

	return ranks->group->size > 1 && work >= ranks->least_work && r->n > 0;
}

static int share_float_sums(struct helpers *helpers, struct float_rows rows,
			    const struct float_vectors *vectors, const double *coef, double *out,
			    int n_threads, struct error *err)
{
	struct rank_sums *ranks = (struct rank_sums *)helpers;
	const struct row_arrays all = row_arrays_of_floats(rows.all);
	struct rank_message deal = { .command = RANK_ROWS, .in_floats = true, .form = *rows.all };
	struct request r = { .message = { .command = RANK_SUMS,
					  .in_floats = true,
					  .form = *vectors,
					  .n = vectors->n },
			     .all = rows.all,
			     .vectors = vectors,
			     .arrays = row_arrays_of_floats(vectors),
			     .coef = coef,
			     .row = rows.row,
			     .n = rows.n,
			     .out = out,
			     .n_threads = n_threads };

	r.message.n_values = row_arrays_values(&r.arrays, 0, vectors->n);
	/* summed here: few numbers, or neighbouring rows, whose tiles decide which values count */
	if (rows.all->near || !pays(ranks, &r))
		return sum_here(&r, rows.row, rows.n, out, err);
	if (deal_rows(ranks, &ranks->floats, rows.all, &deal, &all, rows.all->n, err) < 0)
		return -1;
	return request_sums(ranks, &r, err);
}

static int share_expansion(struct helpers *helpers, const struct helped_expansion *s,
			   const int64_t *row, int64_t n, double *out, int n_threads,
			   struct error *err)
{
	struct rank_sums *ranks = (struct rank_sums *)helpers;
	const struct row_arrays all = row_arrays_of_csr(s->x);
	struct rank_message deal = { .command = RANK_ROWS, .n_cols = s->x->n_cols };
	struct request r = { .message = { .command = RANK_SUMS,
					  .kernel = s->e->kernel,
					  .n_cols = s->sv->n_cols,
					  .n = s->sv->n_rows,
					  .n_values = csr_n_entries(s->sv) },
			     .expansion = s,
			     .arrays = row_arrays_of_csr(s->sv),
			     .coef = s->coef,
			     .row = row,
			     .n = n,
			     .out = out,
			     .n_threads = n_threads };

	/* sums by weights are less work than sending the vectors of the weights */
	if (s->e->weight || !pays(ranks, &r))
		return sum_here(&r, row, n, out, err);
	if (deal_rows(ranks, &ranks->doubles, s->x, &deal, &all, s->x->n_rows, err) < 0)
		return -1;
	return request_sums(ranks, &r, err);
}

int rank_sums_init(struct rank_sums *ranks, struct rank_group *group, struct error *err)
{
	static const struct helper_calls calls = { .float_sums = share_float_sums,
						   .expand = share_expansion,
						   .forget = forget };

	*ranks = (struct rank_sums){ .helpers = { &calls, group->size },
				     .group = group,
				     .least_work = RANK_SUMS_LEAST_WORK,
				     .block = RANK_SUMS_BLOCK };
	ranks->record = mem_zeroed(group->size, sizeof(*ranks->record), err);
	return ranks->record ? 0 : -1;
}

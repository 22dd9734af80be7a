/*
 * exact_finish.c - the last digits of small problems, in double precision
 *
 * The optimum to within svm-train's tolerance, from floats, has mostly a relative gap of 1e-5, but
 * where the kernel matrix is nearly singular and C is large one of a half.  A problem of at most
 * MOST_EXAMPLES is small enough for kernel values in doubles and for a factor of what is free.  It
 * is finished where a gap is asked for (--gap), where the gap is above CERTIFICATE_WIDE_GAP, or where that
 * takes no more than SHARE_OF_WORK of the training; always to finish would multiply the time of
 * easy problems, as of two classes of satimage by five.
 *
 *     (1)  SMO in doubles goes on from the solution, with Newton steps all the time: on a face that
 *          is nearly right, two or three reach what doubles hold.  Its tolerance is what the wanted
 *          gap leaves each multiplier,
 *
 *              P - D <= violation times sum of C_i over the support vectors
 *
 *     (2)  Where that does not get there, as one face follows another, an interior point method
 *          begins anew (smo/interior.h), and (1) follows.
 *
 * Each step offers its solution, and the result is that of least gap, the first one included.  Where
 * memory ends, so does this, with the best so far.
 *
 * Work is counted in members that steps of pairs meet, so that it does not depend on the clock.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "problem/decision.h"
#include "smo/interior.h"
#include "smo/smo.h"
#include "train/exact.h"

/* Above this many examples the matrix of doubles takes more than the training. */
#define MOST_EXAMPLES 2000

/* Relative gap to come to where none is asked for; share of it that the tolerance of (1) is. */
#define WANTED_GAP 1e-9
#define SHARE_OF_GAP 0.3

/* Of (1): runs of SMO, each to a tenth of the tolerance before if that left the gap too wide. */
#define MOST_RUNS 3
#define TOLERANCE_STEP 0.1

/* A run of SMO ends here to look at the work: some four tries of Newton steps. */
#define STEPS_AT_ONCE 256

/*
 * Work that (1) and that (2) may take: this share of what the training took, or as much as some 20
 * and 60 ms.  A relative gap above CERTIFICATE_WIDE_GAP is finished whatever the training took, and (2)
 * takes what it takes.
 */
#define SHARE_OF_WORK 0.1
#define LEAST_WORK 2e7
#define LEAST_INTERIOR_WORK 1.2e8

/* Kernel values in the time of a member that a step meets. */
#define VALUE_WORK 8

struct finish {
	struct randsvm_task *task;
	const struct problem_view *p; /* in double precision */
	struct iterate *x;	      /* of the task */
	const struct interruption *interruption;
	struct smo smo;
	struct iterate best;
	struct certificate certificate; /* of 'best' */
	bool improved;			/* 'best' is not the first one */
	double training_work;
	double wanted; /* relative gap to come to */
};

static int finish_init(struct finish *s, struct error *err)
{
	if (iterate_init(&s->best, s->p->n, err) < 0 ||
	    smo_init(&s->smo, s->p, solver_rows_mb(s->task->solver), s->task->options->n_threads,
		     s->interruption, err) < 0)
		return -1;
	s->smo.eager = true;
	return smo_set_members(&s->smo, NULL, err);
}

/* What the multipliers of the task are worth; '*gap' is theirs. */
static int offer(struct finish *s, double *gap, struct error *err)
{
	struct certificate c;

	if (certificate_make(s->p, s->x, s->task->options->eps, &c, err) < 0)
		return -1;
	*gap = certificate_relative_gap(&c);
	if ((c.n_violators == 0 || s->certificate.n_violators > 0) &&
	    *gap < certificate_relative_gap(&s->certificate)) {
		iterate_copy(&s->best, s->x, s->p->n);
		s->certificate = c;
		s->improved = true;
	}
	return 0;
}

static int evaluate(struct finish *s, struct error *err)
{
	return decision_values(s->p, s->x->beta, 0, s->x->f, s->task->options->n_threads, err);
}

/* The tolerance of the wanted gap: an example adds C times its violation, if it may move. */
static double wanted_tolerance(const struct finish *s)
{
	double of_vectors = 0, of_all = 0;

	for (int64_t i = 0; i < s->p->n; i++) {
		double c = problem_c(s->p, i);

		of_all += c;
		of_vectors += s->x->beta[i] != 0 ? c : 0;
	}
	return SHARE_OF_GAP * s->wanted * fabs(s->certificate.primal) /
	       (of_vectors > 0 ? of_vectors : of_all);
}

/*
 * Offer the multipliers with decision values computed afresh: those that SMO keeps are sums of the
 * changes of all its steps, whose rounding no bound knows.
 */
static int offer_afresh(struct finish *s, double *gap, struct error *err)
{
	/* a run without steps finds the thresholds */
	if (evaluate(s, err) < 0 || smo_run(&s->smo, 1, INFINITY, 0, s->x, err) < 0)
		return -1;
	return offer(s, gap, err);
}

/* (1) */
static int polish(struct finish *s, struct error *err)
{
	double eps = fmin(wanted_tolerance(s), s->task->options->eps), gap = INFINITY, before;
	double most_work = s->smo.work + fmax(LEAST_WORK, SHARE_OF_WORK * s->training_work);

	if (evaluate(s, err) < 0)
		return -1;
	for (int run = 0; run < MOST_RUNS; run++, eps *= TOLERANCE_STEP) {
		int ret = 1;

		before = gap;
		/* SMO until the tolerance is met, or no work is left */
		while (ret == 1 && s->smo.work < most_work &&
		       !interruption_requested(s->interruption))
			ret = smo_run(&s->smo, 1, eps, STEPS_AT_ONCE, s->x, err);
		if (ret < 0 || offer_afresh(s, &gap, err) < 0)
			return -1;
		if (gap <= s->wanted || !(gap < before) || s->smo.work >= most_work ||
		    interruption_requested(s->interruption))
			break;
	}
	return 0;
}

static bool is_finished(const struct finish *s)
{
	return certificate_relative_gap(&s->certificate) <= s->wanted ||
	       interruption_requested(s->interruption);
}

/* May (2) take the time and the memory that it takes? */
static bool interior_serves(const struct finish *s)
{
	double most = fmax(LEAST_INTERIOR_WORK, SHARE_OF_WORK * s->training_work);

	return interior_bytes(s->p->n) <= solver_rows_mb(s->task->solver) * MEGABYTE &&
	       (interior_work(s->p->n) <= most ||
		certificate_relative_gap(&s->certificate) > CERTIFICATE_WIDE_GAP);
}

/* (2); 1 where there are no kernel values in doubles for it */
static int begin_anew(struct finish *s, struct error *err)
{
	double gap;
	int ret = interior_solve(s->p, s->task->options->n_threads, s->interruption, s->x, err);

	if (ret != 0)
		return ret;
	s->smo.work += interior_work(s->p->n);
	if (offer_afresh(s, &gap, err) < 0)
		return -1;
	return is_finished(s) ? 0 : polish(s, err);
}

/* The best solution, which task->x has, becomes the result. */
static void take_best(struct finish *s)
{
	struct randsvm_result *result = &s->task->result;
	bool optimal = result->reason == STOP_OPTIMAL || result->reason == STOP_WHOLE_SET;

	result->certificate = s->certificate;
	result->in_doubles = true;
	if (!optimal && s->certificate.n_violators == 0 &&
	    certificate_relative_gap(&s->certificate) <= s->wanted)
		result->reason = STOP_WHOLE_SET;
	result->rounds++;
	randsvm_observe_whole(s->task);
}

/* Work of the training, in members that steps of pairs meet. */
static double training_work(const struct randsvm_task *task)
{
	return (double)task->p->n *
	       ((double)task->x.n_iterations + (double)task->result.certificate.n_sv * VALUE_WORK);
}

/* The gap to come to; INFINITY where the solution is good enough for what another would take. */
static double wanted_gap(const struct randsvm_task *task)
{
	const struct certificate *c = &task->result.certificate;
	double values = 2 * VALUE_WORK * (double)task->p->n * (double)c->n_sv;

	if (task->options->gap > 0)
		return task->options->gap;
	return certificate_relative_gap(c) > CERTIFICATE_WIDE_GAP ||
			       values <= SHARE_OF_WORK * training_work(task) ?
		       WANTED_GAP :
		       INFINITY;
}

/*
 * Do doubles hold nothing of the optimum?  The rounding of a multiplier moves decision values, and
 * not even the dual tells which multipliers are better.  Nothing else need be asked: a solution is
 * taken only if its gap is less than that of the one before, however coarse both are.
 */
static bool is_hopeless(const struct randsvm_task *task)
{
	struct certificate c = task->result.certificate;

	c.excess = certificate_excess(task->p);
	return certificate_is_doubted(&c);
}

static bool applies(const struct randsvm_task *task)
{
	const struct problem_view *p = task->p;
	enum stop_reason reason = task->result.reason;

	return task->options->finishes && !task->w && p->n <= MOST_EXAMPLES &&
	       task->solver->warm_start && reason != STOP_INTERRUPTED &&
	       reason != STOP_MAX_ROUNDS && !p->squared_loss && !p->linear_rows &&
	       kernel_is_definite(&p->kernel) && !problem_source(p)->indefinite &&
	       certificate_is_finite(&task->result.certificate) &&
	       certificate_relative_gap(&task->result.certificate) > wanted_gap(task) &&
	       !is_hopeless(task);
}

int exact_finish(struct randsvm_task *task, struct error *err)
{
	struct problem_view p = *task->p;
	struct finish s = { .task = task,
			    .p = &p,
			    .x = &task->x,
			    .interruption = randsvm_interruption(task),
			    .certificate = task->result.certificate,
			    .training_work = training_work(task),
			    .wanted = wanted_gap(task) };
	const bool knew_sizes = task->x.knows_sizes;
	int ret = -1;

	if (!applies(task))
		return 0;
	decision_use_doubles(&p);
	p.interruption = NULL;
	if (finish_init(&s, err) == 0) {
		iterate_copy(&s.best, s.x, p.n);
		ret = polish(&s, err);
		if (ret == 0 && !is_finished(&s) && interior_serves(&s))
			ret = begin_anew(&s, err);
		iterate_copy(s.x, &s.best, p.n);
	}
	if (s.improved)
		take_best(&s);
	/* without a better one the multipliers are as they were */
	s.x->knows_sizes = knew_sizes && !s.improved;
	smo_free(&s.smo);
	iterate_free(&s.best);
	/* the training has a solution, whatever memory its last digits would take */
	return ret < 0 && !error_forgive(err, ERR_MEMORY) ? -1 : 0;
}

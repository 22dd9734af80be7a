"""randsvm._shared - GridSearchCV, whose trainings share what they have in common

How this works.  scikit-learn's GridSearchCV trains at each candidate, without each test set, and
scores what the machine says of the test set.  Here the library's search finds for all candidates
what is said of the test sets; then scikit-learn's own GridSearchCV runs over these answers, with an
estimator that trains nothing and knows them, so that cv_results_, scores and ranks are its work:

    candidates   by all parameters but C and gamma: a group has one machine and one pipeline
    splits       a batch trains on all rows but those of its folds; or is one split alone, whose
                 rows go through the steps of the pipeline that are fitted to its training set
    search       of each group and batch, over a grid of C and gamma: predictions of the test sets
    answers      [candidate][split], which scikit-learn asks for in this order

What this does not do (_Unshared has the reason) scikit-learn does as usual.

SPDX-License-Identifier: BSD-3-Clause
"""
from __future__ import annotations

import contextlib
import inspect
import logging
import threading
import time
from typing import Any, Iterator

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.metrics import accuracy_score, get_scorer, make_scorer
from sklearn.model_selection import GridSearchCV as _GridSearchCV
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, indexable

from ._library import RandsvmError, _c_value, _run
from ._base import BaseEstimator, ClassifierMixin, RegressorMixin
from ._rows import ArrayLike, MatrixLike, Rows, _decode, _matrix, _row_weights
from ._problems import _Problem, _gamma
from ._linear import LinearSVC, LinearSVR
from ._machines import NuSVC, NuSVR, SVC, SVR, _pairs_by, _winners
from ._search import _fold_numbers, _search, _splits_of

_log = logging.getLogger("randsvm")

# The scorers of scikit-learn's look at the estimator's answers, and not at X.
_SCORER = type(make_scorer(accuracy_score)).__mro__[-2]

_MACHINES = SVC, NuSVC, SVR, NuSVR, LinearSVC, LinearSVR

# Parameters of machines that the library's search does not know, unless they have their defaults.
_UNKNOWN_TO_SEARCH = "budget", "gap", "max_iter", "break_ties", "time_limit", "callback"

_DEFAULT = inspect.Parameter.empty

# Decision values of a candidate, 128 MB, up to which classes with equal votes are told apart as
# predict() does; of more the library's search decides, as svm-train -v.
_MOST_VALUES = 1 << 24


# A search of one split makes a matrix of kernel values of its rows.  With a value of C for each so
# many rows that takes as long as trainings one by one: of a9a and ijcnn1, with five folds, 0.44 and
# 0.39 s for 2 values and 4,000 rows (one by one 0.24 and 0.09), 0.47 and 0.19 s for 6 (0.87 and
# 0.28), 3.96 and 1.04 s for 6 and 8,000 rows (3.51 and 0.81).
_ROWS_FOR_A_C = 1000


class _Unshared(Exception):
    """Why scikit-learn is to search as usual"""


# ---- what can be shared ----

def _answers_wanted(estimator, scoring):
    """Are decision values wanted, besides predictions, by the scorers?"""
    if scoring is None:
        return False
    several = scoring.values() if isinstance(scoring, dict) else scoring
    scorers = [scoring] if isinstance(scoring, str) or callable(scoring) else several
    wants_values = False
    for scorer in scorers:
        scorer = get_scorer(scorer)
        if not isinstance(scorer, _SCORER):
            raise _Unshared("a scorer of one's own may look at more than predictions")
        # scikit-learn's until 1.3, and from 1.4 on
        methods = getattr(scorer, "_response_method", type(scorer).__name__)
        if methods in ("_PredictScorer", "predict", "default"):
            continue
        if ("_ThresholdScorer" != methods and "decision_function" not in methods
                or "predict_proba" in methods):
            raise _Unshared("a scorer asks for probabilities")
        wants_values = wants_values or is_classifier(estimator)
    return wants_values


def _default_of(machine, name):
    parameter = inspect.signature(type(machine).__init__).parameters.get(name)
    return _DEFAULT if parameter is None else parameter.default


def _check_machine(machine):
    """Refuse what fit() may do otherwise than the library's search; the machine as it has it"""
    kind = type(machine)
    is_drop_in = kind.__module__ == __package__ + "._drop_in" and issubclass(kind, _MACHINES)
    if kind not in _MACHINES and not is_drop_in:
        raise _Unshared(f"{kind.__module__}.{kind.__name__} is none of "
                        f"{', '.join(one.__name__ for one in _MACHINES)}")
    for name in _UNKNOWN_TO_SEARCH:
        if getattr(machine, name, _DEFAULT) != _default_of(machine, name):
            raise _Unshared(f"{name}={getattr(machine, name)!r} is not for shared searches")
    if isinstance(machine, (LinearSVC, LinearSVR)):
        machine._check_form(getattr(machine, "penalty", "l2"))
    machine = machine._as_machine()
    if callable(machine.kernel):
        raise _Unshared("the kernel is a function")
    return machine


def _parts_of(estimator):
    """(steps before the machine as a Pipeline or None, prefix of the machine's parameters, it)"""
    if type(estimator) is not Pipeline:
        return None, "", estimator
    *steps, (name, machine) = estimator.steps
    steps = [(key, step) for key, step in steps if step not in (None, "passthrough")]
    return Pipeline(steps) if steps else None, name + "__", machine


def _sample_weights(fit_params, prefix, n_rows):
    """Weights of the rows among what fit() is given, or None"""
    others = fit_params.keys() - {prefix + "sample_weight"}
    if others:
        raise _Unshared(f"fit() is given {sorted(others)[0]}")
    weights = _row_weights(fit_params.get(prefix + "sample_weight"), n_rows)
    if weights is not None and not weights.all():
        raise _Unshared("rows have weight 0, and are tested all the same")
    return weights


def _batches(splits, n_rows):
    """Lists of numbers of splits that train on all rows but those of folds, or of one split"""
    batch, is_tested = [], np.zeros(n_rows, bool)
    for k, split in enumerate(splits):
        is_fold = _fold_numbers([split], n_rows) is not None
        if batch and (not is_fold or is_tested[split[1]].any()):
            yield batch
            batch, is_tested = [], np.zeros(n_rows, bool)
        if is_fold:
            batch.append(k)
            is_tested[split[1]] = True
        else:
            yield [k]
    if batch:
        yield batch


# ---- the searches ----

class _Data:
    """X, y and weights of a search; parts of them by numbers of rows"""

    def __init__(self, X, y, weights):
        if isinstance(X, Rows):
            raise _Unshared("Rows are not divided by scikit-learn")
        self.X, self.y, self.weights = X, y, weights
        self.n_rows = X.shape[0] if hasattr(X, "shape") else len(X)

    def part(self, rows, kernel=None):
        X = _safe_indexing(self.X, rows)
        if kernel == "precomputed":
            X = _safe_indexing(X, rows, axis=1)
        return X, _safe_indexing(self.y, rows), None if self.weights is None else self.weights[rows]


class _OneFold:
    """The folds of one split: its training rows are in none, its test rows in fold 0"""

    n = 1

    def __init__(self, n_train, n_test):
        self.of_row = np.repeat(np.array([-1, 0], np.int64), (n_train, n_test))


class _ManyFolds:
    """The folds of several splits"""

    def __init__(self, splits, n_rows):
        self.n, self.of_row = len(splits), _fold_numbers(splits, n_rows)


class _Group:
    """Candidates that differ in C and gamma alone: {(C, gamma): their numbers}"""

    def __init__(self, estimator, others, prefix):
        try:
            estimator = clone(estimator).set_params(
                **{name: clone(value, safe=False) for name, value in others.items()})
        except ValueError as reason:
            raise _Unshared(str(reason)) from reason
        self.steps, found, machine = _parts_of(estimator)
        if found != prefix:
            raise _Unshared("candidates replace the machine's step")
        self.machine, self.places = _check_machine(machine), {}
        if getattr(self.machine, "probability", False):
            self.machine.set_params(probability=False)  # predict() goes by decision values

    def add(self, number, C, gamma):
        if hasattr(self.machine, "C"):
            C = _c_value(self.machine.C if C is None else C, "d", "C")
        if gamma is not None and not isinstance(gamma, str):
            gamma = _c_value(gamma, "d", "gamma")
        self.places.setdefault((C, gamma), []).append(number)

    def has_gamma(self):
        return self.machine.kernel in ("rbf", "poly", "sigmoid")

    def goes_by_split(self):
        """Is a split's training set to be looked at for what its machine is?"""
        gammas = {self.machine.gamma if gamma is None else gamma for _, gamma in self.places}
        return (self.steps is not None or self._is_balanced()
                or (self.has_gamma() and "scale" in gammas))

    def check_worth(self, n_rows):
        """Refuse splits one by one where trainings are faster"""
        if not isinstance(self.machine, (SVC, SVR)) or self.machine.kernel not in ("rbf", "poly"):
            return
        n_gammas = len({gamma for _, gamma in self.places})
        if len(self.places) / n_gammas < n_rows // _ROWS_FOR_A_C:
            raise _Unshared("few values of C, of so many rows, share little where each split has "
                            "a gamma, weights or a pipeline of its own")

    def _is_balanced(self):
        return isinstance(self.machine, SVC) and isinstance(self.machine.class_weight, str)

    def for_training(self, X, y, weights):
        """(machine, {(C, gamma): numbers}) with the numbers that words stand for, by these rows"""
        machine = clone(self.machine)
        if self._is_balanced():
            if weights is not None:
                raise _Unshared("class_weight='balanced' with sample_weight")
            classes, counts = np.unique(y, return_counts=True)
            machine.set_params(class_weight={
                one: len(y) / (len(classes) * n) for one, n in zip(classes.tolist(), counts)})
        if not self.has_gamma():
            return machine, {(C, None): self._numbers(C) for C, _ in self.places}
        places = {}
        for (C, gamma), numbers in self.places.items():
            gamma = _gamma(machine.gamma if gamma is None else gamma, X)
            places.setdefault((C, float(gamma)), []).extend(numbers)
        machine.set_params(gamma=next(iter(places))[1])
        return machine, places

    def _numbers(self, C):
        """Of a kernel without gamma its values are all one"""
        return [number for (c, _), numbers in self.places.items() if c == C for number in numbers]


def _group_candidates(search, candidates, prefix):
    groups = {}
    own = _parts_of(search.estimator)[2].get_params(deep=False)
    for number, candidate in enumerate(candidates):
        for name in ("C", "gamma"):
            given = prefix + name in candidate
            if given and (candidate[prefix + name] is None or name not in own):
                raise _Unshared(f"a candidate has no {name}")
        others = {name: value for name, value in candidate.items()
                  if name not in (prefix + "C", prefix + "gamma")}
        # values of a grid are the same objects in all its candidates
        key = tuple((name, id(value)) for name, value in sorted(others.items(), key=lambda p: p[0]))
        if key not in groups:
            groups[key] = _Group(search.estimator, others, prefix)
        groups[key].add(number, candidate.get(prefix + "C"), candidate.get(prefix + "gamma"))
    return list(groups.values())


def _rectangles(places):
    """Lists [values of C, values of gamma], ascending, that cover all places; None: it has none"""
    columns = {}
    for C, gamma in places:
        columns.setdefault(gamma, set()).add(C)
    grids = {}
    for gamma, values in columns.items():
        grids.setdefault(frozenset(values), []).append(gamma)
    for values, gammas in grids.items():
        yield [sorted(one for one in axis if one is not None) for axis in (values, gammas)]


class _Answers:
    """What the machines of all candidates say of the test sets"""

    def __init__(self, candidates, splits, wants_values):
        self.splits, self.wants_values = splits, wants_values
        self.predicted = [[None] * len(splits) for _ in candidates]
        self.values = [[None] * len(splits) for _ in candidates]
        self.n_asked = 0

    def __deepcopy__(self, memo):
        return self  # clones of the estimator ask the same

    def next(self):
        """(candidate, split) of the next training: scikit-learn asks candidate by candidate"""
        self.n_asked += 1
        return divmod(self.n_asked - 1, len(self.splits))

    def put(self, candidate, split, predicted, values):
        self.predicted[candidate][split] = predicted
        self.values[candidate][split] = values


class _Run:
    """A shared search: the answers of all candidates"""

    def __init__(self, search, X, y, groups, fit_params):
        if type(search) not in (_GridSearchCV, GridSearchCV):
            raise _Unshared(f"{type(search).__name__} may search in its own way")
        if search.return_train_score:
            raise _Unshared("return_train_score=True asks what machines say of training sets")
        if y is None:
            raise _Unshared("there is no y")
        _, prefix, machine = _parts_of(search.estimator)
        _check_machine(machine)
        wants_values = _answers_wanted(search.estimator, search.scoring)
        self.data = _Data(X, y, None)
        self.data.weights = _sample_weights(fit_params, prefix, self.data.n_rows)
        cv = check_cv(search.cv, y, classifier=is_classifier(search.estimator))
        self.splits = _splits_of(cv, X, y, groups)
        self.candidates = list(ParameterGrid(search.param_grid))
        if not self.splits or not self.candidates:
            raise _Unshared("there is nothing to search")
        if is_classifier(search.estimator):
            self._check_classes(wants_values)
        self.answers = _Answers(self.candidates, self.splits, wants_values)
        self.n_jobs = search.n_jobs
        for group in _group_candidates(search, self.candidates, prefix):
            self._search_group(group)

    def _check_classes(self, wants_values):
        y = np.asarray(self.data.y)
        if wants_values and len(np.unique(y)) > 2:
            raise _Unshared("decision values of more than two classes")
        for train, _ in self.splits:
            if len(np.unique(y[train])) < 2:
                raise _Unshared("a training set has one class alone")

    def _search_group(self, group):
        by_split = group.goes_by_split()
        if by_split:
            group.check_worth(self.data.n_rows)
        for batch in ([[k] for k in range(len(self.splits))] if by_split else
                      _batches(self.splits, self.data.n_rows)):
            splits = [self.splits[k] for k in batch]
            if not by_split and _fold_numbers(splits, self.data.n_rows) is not None:
                self._search_batch(group, batch)
            else:
                self._search_split(group, batch[0])

    def _search_batch(self, group, batch):
        """All rows but those of a fold are trained on"""
        data, splits = self.data, [self.splits[k] for k in batch]
        machine, places = group.for_training(_matrix(data.X), data.y, data.weights)
        parts = [(k, test) for k, (_, test) in zip(batch, splits)]
        self._run(machine, places, (data.X, data.y, data.weights),
                  _ManyFolds(splits, data.n_rows), parts)

    def _search_split(self, group, k):
        """The rows of one split, as the steps before the machine make them of its training set"""
        train, test = self.splits[k]
        kernel = group.machine.kernel
        if group.steps is not None and kernel == "precomputed":
            raise _Unshared("a precomputed kernel behind other steps")
        rows = np.concatenate([train, test])
        X, y, weights = self.data.part(rows, kernel)
        own_X, own_y, own_weights = self.data.part(train, kernel)
        if group.steps is not None:
            own_X, X = _through(group.steps, own_X, own_y, self.data.part(test)[0])
        machine, places = group.for_training(_matrix(own_X), own_y, own_weights)
        parts = [(k, np.arange(len(train), len(rows)))]
        self._run(machine, places, (X, y, weights), _OneFold(len(train), len(test)), parts)

    def _run(self, machine, places, data, folds, parts):
        """Search; `parts` are (number of the split, its test rows among those of the data)"""
        problem = _Problem(machine, *data)
        says = _Says(problem, machine, self.answers.wants_values)
        run = _run(self.n_jobs if self.n_jobs is not None else machine.n_jobs,
                   machine.random_state, machine.cache_size)

        def found(C, gamma, predicted, values):
            numbers = places[C if n_c else None, gamma if n_gamma else None]
            for k, rows in parts:
                if np.isnan(predicted[rows]).any():
                    raise _Unshared("a candidate has no solution on some training set")
                answer = says(predicted[rows], None if values is None else values[rows])
                for number in numbers:
                    self.answers.put(number, k, *answer)

        for C, gamma in _rectangles(places):
            n_c, n_gamma = len(C), len(gamma)
            _search(problem, folds, run, C, gamma, found=found,
                    with_values=says.by_values)


class _Says:
    """What predict() and decision_function() say by the library's predictions and values"""

    def __init__(self, problem, machine, wants_values):
        self.classes = problem.classes
        n = 0 if self.classes is None else len(self.classes)
        self.by_votes = (n > 2 and getattr(machine, "multi_class", "ovo") == "ovo"
                         and len(problem.rows) * n * (n - 1) // 2 <= _MOST_VALUES)
        self.by_values = wants_values or self.by_votes
        if n:
            # places of the classes in the order in which rows have them first; +1 is before -1
            labels, first = np.unique(problem.rows.labels, return_index=True)
            self.places = np.argsort(np.argsort(first))
            if np.array_equal(labels, [-1, 1]):
                self.places = np.array([1, 0])

    def __call__(self, predicted, values):
        if self.classes is None or not self.by_values:
            return _decode(self.classes, predicted), values
        pairs, in_order = _pairs_by(self.places)
        values = values[:, pairs] * np.where(in_order == (len(self.classes) > 2), 1, -1)
        if self.by_votes:
            return self.classes[_winners(values, len(self.classes))], None
        return _decode(self.classes, predicted), values[:, 0]


def _through(steps, X, y, X_test):
    """(rows to train on, these and those to test) as steps fitted to the first make them"""
    steps = clone(steps)
    try:
        X = steps.fit_transform(X, y)
        X_test = steps.transform(X_test)
    except Exception as reason:
        raise _Unshared(f"a step of the pipeline fails: {reason}") from reason
    X, X_test = _matrix(X), _matrix(X_test)
    if isinstance(X, np.ndarray):
        return X, np.concatenate([X, X_test])
    from scipy.sparse import vstack
    return X, vstack([X, X_test]).tocsr()


# ---- scikit-learn's search over the answers ----

class _Known(BaseEstimator):
    """An estimator that trains nothing: its rows are numbers, and their answers are known"""

    def __init__(self, answers):
        self.answers = answers

    def get_params(self, deep=True):
        return {"answers": self.answers}

    def set_params(self, **parameters):
        return self

    def fit(self, X, y=None):
        self.candidate, self.split = self.answers.next()
        if self.candidate < len(self.answers.predicted):
            train = self.answers.splits[self.split][0]
            assert np.array_equal(np.ravel(X), train), "another order of candidates and splits"
        self.classes_ = np.unique(y)
        return self

    def _answer(self, answers, X):
        assert np.array_equal(np.ravel(X), self.answers.splits[self.split][1])
        return answers[self.candidate][self.split]

    def predict(self, X):
        return self._answer(self.answers.predicted, X)


class _KnownClassifier(ClassifierMixin, _Known):
    def decision_function(self, X):
        return self._answer(self.answers.values, X).copy()


class _KnownRegressor(RegressorMixin, _Known):
    pass


def _fit_shared(search, X, y, fit_params):
    """fit() of a GridSearchCV, but for the best estimator"""
    fit_params = dict(fit_params)
    X, y, groups = indexable(X, y, fit_params.pop("groups", None))
    started = time.time()
    run = _Run(search, X, y, groups, fit_params)
    share = (time.time() - started) / (len(run.candidates) * len(run.splits))
    kind = _KnownClassifier if is_classifier(search.estimator) else _KnownRegressor
    parameters = {**search.get_params(deep=False), "estimator": kind(run.answers), "n_jobs": 1,
                  "cv": run.splits}
    inner = _GridSearchCV(**parameters)
    _ORIGINAL(inner, np.arange(run.data.n_rows)[:, np.newaxis], y)
    inner.cv_results_["mean_fit_time"][:] = share
    inner.cv_results_["std_fit_time"][:] = 0
    vars(search).update({name: value for name, value in vars(inner).items()
                         if name.endswith("_") and not name.startswith("_")})


def _refit(search, X, y, fit_params):
    """The best candidate, trained on all rows"""
    fit_params = {name: value for name, value in fit_params.items() if name != "groups"}
    best = {name: clone(value, safe=False) for name, value in search.best_params_.items()}
    search.best_estimator_ = clone(search.estimator).set_params(**best)
    started = time.time()
    search.best_estimator_.fit(X, y, **fit_params)
    search.refit_time_ = time.time() - started
    if hasattr(search.best_estimator_, "feature_names_in_"):
        search.feature_names_in_ = search.best_estimator_.feature_names_in_


_ORIGINAL = _GridSearchCV.fit
_told = set()


def _fit(search, X, y=None, **fit_params):
    cv = search.cv
    if hasattr(cv, "__next__"):
        search.cv = list(cv)  # both searches may ask for the splits
    try:
        _fit_shared(search, X, y, fit_params)
    except (_Unshared, RandsvmError) as reason:
        if str(reason) not in _told:
            _told.add(str(reason))
            _log.warning("GridSearchCV is scikit-learn's, training by training: %s", reason)
        return _ORIGINAL(search, X, y, **fit_params)
    finally:
        search.cv = cv
    if search.refit:
        _refit(search, X, y, fit_params)
    return search


class GridSearchCV(_GridSearchCV):
    """scikit-learn's GridSearchCV, whose trainings share what they have in common

    Parameters, attributes and ``cv_results_`` are those of
    ``sklearn.model_selection.GridSearchCV``.  Scores are those of machines trained one by one, but
    for rows whose decision values are within the tolerance; ``mean_fit_time`` is an even share of
    the whole search.

    The library's search is used for SVC, NuSVC, SVR, NuSVR, LinearSVC and LinearSVR of this module,
    also where patch_sklearn() has put them, or a Pipeline that ends in one; for any splitter,
    groups and ``sample_weight``; and for scorers of predictions, or, of two classes, of decision
    values, among them all of scikit-learn's by name that need no probabilities.  C and gamma share
    most; other parameters, those of the pipeline's steps too, are searched one after another.  All
    else is done as by scikit-learn, and the logger ``randsvm`` says why, once for each reason.

    ``n_jobs`` is the number of threads; None is that of the machine.
    """

    def fit(self, X: MatrixLike, y: ArrayLike | None = None, **fit_params: Any) -> GridSearchCV:
        """Search, and fit the best candidate to all rows, as scikit-learn's GridSearchCV does

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_rows, n_features)
        y : array of shape (n_rows,)
        **fit_params
            ``groups``, for the splitter, and ``sample_weight``.

        Returns
        -------
        GridSearchCV
        """
        return _fit(self, X, y, **fit_params)


_lock, _depth = threading.Lock(), 0
_OWN = vars(_GridSearchCV).get("fit")  # None: it inherits it


@contextlib.contextmanager
def shared_search() -> Iterator[None]:
    """A context in which scikit-learn's GridSearchCV is randsvm.GridSearchCV, in all threads

    Of each that is fitted there, whoever has made it; results and fallbacks are those of
    GridSearchCV of this module.
    """
    global _depth
    with _lock:
        _depth += 1
        _GridSearchCV.fit = _fit
    try:
        yield
    finally:
        with _lock:
            _depth -= 1
            if _depth == 0 and _OWN:
                _GridSearchCV.fit = _OWN
            elif _depth == 0:
                del _GridSearchCV.fit

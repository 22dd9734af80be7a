"""randsvm._search - cross validation and search

SPDX-License-Identifier: BSD-3-Clause
"""
from __future__ import annotations

import ctypes
import numbers
from collections import namedtuple
from typing import Any, Callable

import numpy as np

from ._library import (RandsvmArgumentError, RandsvmValueError, _FOUND, _FOUND_VALUES, _Grid,
                       _POINT, _run_of, _work)
from ._rows import ArrayLike, MatrixLike, _decode, _doubles, _row_numbers
from ._problems import _Problem


# ---- folds by number ----

def _splits_of(cv, X, y=None, groups=None):
    """(train, test), two arrays of row numbers, for each split of a splitter or of pairs"""
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    pairs = cv
    if hasattr(cv, "split"):
        try:
            pairs = list(cv.split(X, y, groups))
        except ValueError as error:
            hint = "; say groups=" if groups is None and "groups" in str(error) else ""
            raise RandsvmValueError(f"{cv!r}: {error}{hint}") from None
    try:
        pairs = [(train, test) for train, test in pairs]
    except (TypeError, ValueError):
        raise RandsvmArgumentError(
            f"cv is {cv!r}, neither a number of folds, nor a splitter, nor pairs of row numbers to "
            "train on and to test") from None
    return [tuple(_row_numbers(rows, n_rows) for rows in pair) for pair in pairs]


def _fold_numbers(splits, n_rows):
    """The fold of each row, or -1, where splits train on all rows but those of a fold; else None"""
    fold = np.full(n_rows, -1, np.int64)
    for k, (train, test) in enumerate(splits):
        is_outside = np.ones(n_rows, bool)
        is_outside[test] = False
        if (not len(train) or not len(test) or (fold[test] >= 0).any()
                or len(np.unique(test)) != len(test)
                or not np.array_equal(np.sort(train), np.flatnonzero(is_outside))):
            return None
        fold[test] = k
    return fold


def _is_number(cv):
    return cv is None or isinstance(cv, numbers.Integral)


class _Folds:
    """The folds of a validation: a number of them, or those of cv by the row"""

    def __init__(self, problem, n_folds, cv, X, y, groups):
        self.n, self.of_row = n_folds if cv is None else cv, None
        if _is_number(cv):
            return
        splits = _splits_of(cv, X, y, groups)
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        fold = _fold_numbers(splits, n_rows)
        if fold is None:
            raise RandsvmValueError(
                "cv has splits that do not train on all rows but those they test, or that test a "
                "row twice: GridSearchCV takes these")
        self.n = len(splits)
        self.of_row = fold if problem.kept is None else np.ascontiguousarray(fold[problem.kept])


# ---- the library's search ----

def _search(problem, folds, run, C=(), gamma=(), progress=None, found=None, with_values=False):
    """(number of the best point, points [gammas][Cs]) of rsv_search()

    found(C, gamma, predicted, values) gets copies of the labels or values predicted for each row,
    and of their decision values or None.  What it raises ends the search.
    """
    C, gamma = np.asarray(C, np.float64), np.asarray(gamma, np.float64)
    n_rows, failures = len(problem.rows), []
    grid = _Grid(n_c=len(C), c=C.ctypes.data, n_gamma=len(gamma), gamma=gamma.ctypes.data,
                 n_folds=folds.n)
    if folds.of_row is not None:
        grid.fold = folds.of_row.ctypes.data

    def tell(_, point, predicted, values=None, n_values=0):
        try:
            found(point[0], point[1], np.ctypeslib.as_array(predicted, (n_rows,)).copy(),
                  np.ctypeslib.as_array(values, (n_rows, n_values)).copy() if values else None)
        except BaseException as error:
            failures.append(error)

    def share(done):
        for error in failures:
            raise error
        if progress:
            progress(done)

    told = (_FOUND_VALUES if with_values else _FOUND)(tell)
    if found:
        setattr(grid, "found_values" if with_values else "found",
                ctypes.cast(told, ctypes.c_void_p))
    points = np.zeros((max(1, len(gamma)), max(1, len(C))), _POINT)
    best = _work("search", problem.rows, ctypes.byref(problem.training), ctypes.byref(grid),
                 run=run, progress=share, last=[points.ctypes.data])
    for error in failures:
        raise error
    return best, points


def cross_validate(estimator: Any, X: MatrixLike, y: ArrayLike | None = None, *,
                   n_folds: int = 5, sample_weight: ArrayLike | None = None,
                   groups: ArrayLike | None = None, cv: Any = None) -> np.ndarray:
    """What a machine trained without the fold of each row says of it

    The folds are those of ``svm-train -v``, or of `cv`.  gamma="scale" is that of all rows.

    Parameters
    ----------
    estimator : machine of this module
        Has the parameters, and is not fitted.
    X : array of shape (n_rows, n_features), sparse matrix, or Rows
    y : array of shape (n_rows,), optional
        Classes or targets; Rows have their own.
    n_folds : int
        Number of folds, at least 2; of fewer rows each is a fold.
    sample_weight : array of shape (n_rows,), optional
        Weights.  Rows of weight 0 are in no fold: the result is of the others,
        ``X[sample_weight > 0]``.
    groups : array of shape (n_rows,), optional
        A name or number for each row.  Rows of a group are in one fold, as rows of the same patient
        must be.  A splitter gets them.
    cv : int, splitter of scikit-learn's kind, or iterable of pairs (train, test), optional
        Folds in place of those drawn.  Each split trains on all rows but those it tests, and a row
        is tested once at most.

    Returns
    -------
    ndarray of shape (n_rows,)
        Classes or values; NaN of rows that no split tests.

    Raises
    ------
    RandsvmValueError
        As fit() does, and for splits of another kind, or classes with a row in no fold.
    """
    draws = _is_number(cv)
    problem = _Problem(estimator, X, y, sample_weight, groups if draws else None, with_folds=draws)
    folds = _Folds(problem, n_folds, cv, X, y, groups)
    predicted = np.empty(len(problem.rows))
    if folds.of_row is None:
        _work("cross_validate", problem.rows, ctypes.byref(problem.training), folds.n,
              run=_run_of(estimator), last=[predicted.ctypes.data])
        return _decode(problem.classes, predicted)
    if problem.classes is not None and (folds.of_row < 0).any():
        raise RandsvmValueError("cv has rows that no split tests, and no class is predicted for")
    _search(problem, folds, _run_of(estimator),
            found=lambda C, gamma, found, values: predicted.__setitem__(slice(None), found))
    return _decode(problem.classes, predicted)


Search = namedtuple("Search", "best points")
Search.__doc__ = """Result of search()

best      the parameters of the best point, for set_params()
points    an array [gammas][Cs] with the fields C, gamma, rate (accuracy in percent, or mean squared
          error, by sample_weight; NaN: none) and n_unfinished (folds that were not trained to the
          tolerance)
"""


def search(estimator: Any, X: MatrixLike, y: ArrayLike | None = None, *, C: ArrayLike = (),
           gamma: ArrayLike = (), n_folds: int = 5,
           progress: Callable[[float], Any] | None = None, sample_weight: ArrayLike | None = None,
           groups: ArrayLike | None = None, cv: Any = None) -> Search:
    """Cross validation at all points of a grid, sharing what they have in common

    Parameters
    ----------
    estimator, X, y, n_folds, sample_weight, groups, cv
        As of cross_validate().
    C, gamma : arrays of numbers above 0
        Values, in any order; without any, the estimator's.
    progress : callable, optional
        ``progress(share)`` is called by another thread now and then, and must not call this module.

    Returns
    -------
    Search
        The best point, and all points.

    Raises
    ------
    RandsvmValueError
        As fit() does, for splits of cv that do not train on all other rows, and for C or gamma that
        the estimator does not have.
    """
    draws = _is_number(cv)
    problem = _Problem(estimator, X, y, sample_weight, groups if draws else None, with_folds=draws)
    C, gamma = (np.unique(_doubles(values, name)) for name, values in (("C", C), ("gamma", gamma)))
    names = [name for name, values in (("C", C), ("gamma", gamma)) if len(values)]
    for name in names:
        if not hasattr(estimator, name):
            raise RandsvmValueError(f"{type(estimator).__name__} has no parameter {name}")
    best, points = _search(problem, _Folds(problem, n_folds, cv, X, y, groups), _run_of(estimator),
                           C, gamma, progress)
    return Search({name: float(points.flat[best][name]) for name in names}, points)

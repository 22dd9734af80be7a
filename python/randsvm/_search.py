"""randsvm._search - cross validation and search

SPDX-License-Identifier: BSD-3-Clause
"""
import ctypes
from collections import namedtuple

import numpy as np

from ._library import RandsvmValueError, _Grid, _POINT, _run_of, _work
from ._rows import _decode, _doubles
from ._problems import _Problem


def cross_validate(estimator, X, y=None, *, n_folds=5, sample_weight=None, groups=None):
    """What a machine trained without the fold of each row says of it; folds as svm-train -v

    `estimator` has the parameters and is not fitted.  gamma="scale" is that of all rows.  Rows of
    weight 0 are in no fold: the result is of the others, X[sample_weight > 0].  groups, a name or
    number for each row, are in one fold each, as rows of the same patient must be.
    """
    problem = _Problem(estimator, X, y, sample_weight, groups, with_folds=True)
    predicted = np.empty(len(problem.rows))
    _work("cross_validate", problem.rows, ctypes.byref(problem.training), n_folds,
          run=_run_of(estimator), last=[predicted.ctypes.data])
    return _decode(problem.classes, predicted)


Search = namedtuple("Search", "best points")
Search.__doc__ = """Result of search()

best      the parameters of the best point, for set_params()
points    an array [gammas][Cs] with the fields C, gamma, rate (accuracy in percent, or mean squared
          error, by sample_weight; NaN: none) and n_unfinished (folds that were not trained to the
          tolerance)
"""


def search(estimator, X, y=None, *, C=(), gamma=(), n_folds=5, progress=None, sample_weight=None,
           groups=None):
    """Cross validation at all points of a grid, sharing what they have in common

    The folds are those of cross_validate(), with groups too.  C and gamma are values; without any,
    the estimator's.  progress(share) is called by another thread now and then, and must not call
    this module.
    """
    problem = _Problem(estimator, X, y, sample_weight, groups, with_folds=True)
    C, gamma = (np.unique(_doubles(values, name)) for name, values in (("C", C), ("gamma", gamma)))
    names = [name for name, values in (("C", C), ("gamma", gamma)) if len(values)]
    for name in names:
        if not hasattr(estimator, name):
            raise RandsvmValueError(f"{type(estimator).__name__} has no parameter {name}")
    grid = _Grid(n_c=len(C), c=C.ctypes.data, n_gamma=len(gamma), gamma=gamma.ctypes.data,
                 n_folds=n_folds)
    points = np.zeros((max(1, len(gamma)), max(1, len(C))), _POINT)
    best = _work("search", problem.rows, ctypes.byref(problem.training), ctypes.byref(grid),
                 run=_run_of(estimator), progress=progress, last=[points.ctypes.data])
    return Search({name: float(points.flat[best][name]) for name in names}, points)

"""randsvm._problems - training problems of estimators and arrays, as the library has them

SPDX-License-Identifier: BSD-3-Clause
"""
import ctypes
from collections.abc import Mapping

import numpy as np

from ._library import (RandsvmArgumentError, RandsvmTypeError, RandsvmValueError, _DOUBT_ASYMMETRY,
                       _DOUBT_QID, _Training, _c_value, librandsvm)
from ._objects import _object_rows, _objects
from ._rows import (Rows, _count, _as_rows, _encode, _kept, _labels_of, _matrix, _row_weights, _targets,
                    _warn, _weighed)


_NU_SVC = 1
_KERNELS = ("linear", "poly", "rbf", "sigmoid", "precomputed")


def _choice(value, names, what):
    if value not in names:
        raise RandsvmValueError(f"{what} is {value!r}, not one of {', '.join(names)}")
    return names.index(value)


def _gamma(gamma, X):
    """The number that gamma stands for, as in scikit-learn"""
    n_rows, n_features = X.shape
    if not isinstance(gamma, str):
        if not _c_value(gamma, "d", "gamma") > 0:
            raise RandsvmValueError(f"gamma = {gamma} is not above 0")
        return gamma
    if _choice(gamma, ("scale", "auto"), "gamma") == 1:
        return 1 / n_features
    with np.errstate(over="ignore", invalid="ignore"):
        variance = _variance(X)
    if not np.isfinite(variance):
        raise RandsvmValueError("gamma='scale': the variance of X is too large for a double")
    return 1 / (n_features * variance) if variance > 0 else 1.0


def _variance(X):
    """Variance of all values of a matrix, zeros too"""
    if isinstance(X, np.ndarray):
        return X.var()
    values = X.arrays()[0] if isinstance(X, Rows) else X.data
    n = X.shape[0] * X.shape[1]
    mean = values.sum() / n
    return (np.square(values - mean).sum() + (n - len(values)) * mean ** 2) / n


def _rounds(max_iter):
    """The library's limit of rounds for scikit-learn's max_iter"""
    if _c_value(max_iter, "q", "max_iter") < 1 and max_iter != -1:
        raise RandsvmValueError(f"max_iter = {max_iter} is neither -1, no limit, nor a number of "
                                "rounds")
    return max(max_iter, 0)


class _Problem:
    """The training problem of an estimator and arrays, as the library has it

    rows; kept, their numbers, or None: all; training, a struct; classes, sorted, or None where there
    are none; with classes, given, labels and weights (or None), the classes of all rows, the library's
    labels of them (0 of rows left out), and their weights.
    """

    def __init__(self, estimator, X, y, sample_weight=None, groups=None, with_folds=False):
        if not hasattr(estimator, "_as_machine"):
            raise RandsvmTypeError(
                f"{type(estimator).__name__} is not a machine of this module; of a Pipeline, whose "
                "steps learn in each fold, randsvm.GridSearchCV searches the parameters, and "
                "sklearn.model_selection.cross_val_predict() predicts each row")
        estimator = estimator._as_machine()
        own, precomputed = callable(estimator.kernel), estimator.kernel == "precomputed"
        kernel = _choice("precomputed" if own else estimator.kernel, _KERNELS, "kernel")
        X = _objects(X) if own else _matrix(X)
        y = _targets(X, y) if estimator._wants_y else None
        weights = _row_weights(sample_weight, _count(X))
        self.kept = _kept(weights)
        self.classes = None
        if estimator._classifies:
            self.given, self.weights = y, weights
            self.classes, y = _encode(y, self.kept)
            self.labels = y
        if precomputed and X.shape[0] != X.shape[1]:
            raise RandsvmValueError("Precomputed matrix must be a square matrix. "
                                    f"Input is a {X.shape[0]}x{X.shape[1]} matrix.")
        rows = _object_rows(X, y, estimator.kernel) if own else _as_rows(X, y, precomputed)
        self.rows = _weighed(rows, weights, groups)
        if self.kept is not None and not own and not estimator._counts_rows:
            X = self.rows if isinstance(X, Rows) else X[self.kept]
        self.training = self._training(estimator, kernel)
        if estimator.kernel in ("poly", "rbf", "sigmoid"):
            self.training.gamma = _gamma(estimator.gamma, X)
        self._tell_doubts(with_folds or bool(self.training.probability))

    def _tell_doubts(self, with_folds):
        doubts = librandsvm.rsv_doubts(self.rows, ctypes.byref(self.training))
        if doubts & _DOUBT_QID and with_folds:
            _warn("rows have qid, and folds do not keep those of one qid together; with "
                  "read_rows(by_qid=True) or groups they do")
        if doubts & _DOUBT_ASYMMETRY:
            _warn("the precomputed kernel is not symmetric")

    def _training(self, estimator, kernel):
        training = _Training(machine=estimator._machine, kernel=kernel, degree=estimator.degree,
                             coef0=estimator.coef0, eps=estimator.tol,
                             gap=estimator._gap_for(len(self.rows)),
                             budget=estimator.budget or 0)
        for name in ("C", "nu", "epsilon", "probability"):
            if hasattr(estimator, name):
                setattr(training, "p" if name == "epsilon" else name, getattr(estimator, name))
        training.max_rounds = _rounds(getattr(estimator, "max_iter", -1))
        if hasattr(estimator, "loss"):
            training.squared_loss = _choice(estimator.loss, estimator._losses, "loss")
        if hasattr(estimator, "multi_class"):
            training.one_vs_rest = _choice(estimator.multi_class, ("ovo", "ovr"), "multi_class")
        weights = getattr(estimator, "class_weight", None)
        if isinstance(weights, str) and estimator._counts_rows and self.weights is not None:
            _choice(weights, ("balanced",), "class_weight")
            weights = self._weights_by_rows()
        self._weigh(training, weights)
        return training

    def _weights_by_rows(self):
        """class_weight that balances numbers of rows, whatever these weigh, if only 0"""
        n = np.array([np.count_nonzero(self.given == one) for one in self.classes])
        return dict(zip(self.classes.tolist(), (len(self.given) / (len(n) * n)).tolist()))

    def class_weights(self):
        """Factors of C of the classes"""
        training, n = self.training, len(self.classes)
        labels = _labels_of(self.classes)
        if training.balanced:
            weights = np.ones(len(self.labels)) if self.weights is None else self.weights
            sums = np.array([weights[self.labels == one].sum() for one in labels])
            return sums.sum() / (n * sums)
        found = np.ones(n)
        if training.n_weights:
            label, weight = training.arrays
            found[np.searchsorted(labels, label)] = weight
        return found

    def _weigh(self, training, weights):
        if weights is not None and training.machine == _NU_SVC:
            _warn("class_weight has no effect on nu-SVC, which has no C; sample_weight has")
            return
        if isinstance(weights, str):
            training.balanced = 1 - _choice(weights, ("balanced",), "class_weight")
            return
        if not isinstance(weights, Mapping):
            if weights is not None:
                raise RandsvmArgumentError(
                    f"class_weight is {weights!r}, not a dict, 'balanced' or None")
            return
        classes = self.classes.tolist()
        for key in weights.keys() - set(classes):
            _warn(f"class_weight has {key!r}, which is the label of no row")
        known = [k for k, one in enumerate(classes) if one in weights]
        labels = _labels_of(self.classes)[known]
        values = np.array([_c_value(weights[classes[k]], "d", "a weight of class_weight")
                           for k in known], np.float64)
        training.n_weights = len(known)
        training.label, training.weight = labels.ctypes.data, values.ctypes.data
        training.arrays = labels, values  # last as long as the struct

"""randsvm._linear - linear machines under the names of scikit-learn that stand for LIBLINEAR

SPDX-License-Identifier: BSD-3-Clause
"""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

from ._library import RandsvmValueError
from ._base import ClassifierMixin, RegressorMixin
from ._docs import documented
from ._rows import ArrayLike, MatrixLike, Rows, _check_finite, _is_sparse
from ._fitted import _Fitted, _keep
from ._machines import SVC, SVR

# The forms of the problems that LIBLINEAR has: loss, penalty, dual
_FORMS = {("hinge", "l2", True), ("squared_hinge", "l1", False), ("squared_hinge", "l2", False),
          ("squared_hinge", "l2", True), ("epsilon_insensitive", "l2", True),
          ("squared_epsilon_insensitive", "l2", False), ("squared_epsilon_insensitive", "l2", True)}

_FOUND = ("coef_ intercept_ n_iter_ fit_status_ n_features_in_ feature_names_in_ certificates_ "
          "model_")


class _Linear(_Fitted):
    """Weights and constants that a machine with a linear kernel finds"""

    _counts_rows = False
    _kept = ("model_", "certificates_", "fit_status_", "n_features_in_", "feature_names_in_",
             "classes_", "intercept_")

    def fit(self, X: MatrixLike, y: ArrayLike | None = None,
            sample_weight: ArrayLike | None = None) -> _Linear:
        """Train until the tolerance `tol` is proved

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Classes or targets.  Rows have them.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w equal rows do.  One of weight 0 or below is left out.

        Returns
        -------
        self

        Raises
        ------
        RandsvmError
            Where data or parameters are refused; it is a ValueError or TypeError, too, where
            scikit-learn raises one.
        """
        self._check_form(getattr(self, "penalty", "l2"))
        machine = self._as_machine().fit(X, y, sample_weight)
        for name in self._kept:
            vars(self).pop(name, None)
            if hasattr(machine, name):
                setattr(self, name, getattr(machine, name))
        weights = machine.coef_
        self.coef_ = self._shaped(weights.toarray() if _is_sparse(weights) else weights.copy())
        self.n_iter_ = int(np.max(machine.n_iter_))
        return self

    def _shaped(self, weights):
        return weights

    def _check_form(self, penalty):
        """Refuse what LIBLINEAR refuses, and what the engine has no problem for"""
        dual = True if self.dual == "auto" and self.loss != "squared_hinge" else self.dual
        if dual != "auto" and (self.loss, penalty, bool(dual)) not in _FORMS:
            raise RandsvmValueError(
                "Unsupported set of arguments: these do not go together, Parameters: "
                f"penalty={penalty!r}, loss={self.loss!r}, dual={self.dual!r}")
        if penalty != "l2":
            raise RandsvmValueError(f"penalty={penalty!r}: the engine has penalty='l2' alone")
        if not self.fit_intercept:
            raise RandsvmValueError("fit_intercept=False: the engine's machines have a constant")
        if not self.intercept_scaling > 0:
            raise RandsvmValueError(f"Intercept scaling is {self.intercept_scaling!r} but needs to "
                                    "be greater than 0.")

    def _settings(self):
        """Parameters that the machine has too"""
        names = ("C", "tol", "loss", "verbose", "max_iter", "random_state", "gap", "n_jobs",
                 "time_limit", "callback")
        return {name: getattr(self, name) for name in names}

    def _values(self, X):
        """x.weights + constants of all rows"""
        X = self._check(X)
        if isinstance(X, Rows):
            try:
                X = X.tocsr(self.n_features_in_)
            except ImportError:  # no scipy
                X = X.toarray(self.n_features_in_)
        _check_finite(X.data if _is_sparse(X) else X, "X")
        values = X @ self.coef_.T
        return (values.toarray() if _is_sparse(values) else np.asarray(values)) + self.intercept_

    def densify(self) -> _Linear:
        """Make coef_ an array, as fit() does; returns self"""
        if _is_sparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self

    def sparsify(self) -> _Linear:
        """Make coef_ a CSR matrix, for weights that are mostly 0; returns self"""
        from scipy.sparse import csr_matrix
        self.coef_ = csr_matrix(self.coef_)
        return self

    def _tags(self):
        return False, True


@documented("classes_ " + _FOUND,
            loss=("{'hinge', 'squared_hinge'}", "Errors themselves, or their squares."),
            multi_class=("{'ovr'}", "A machine for each class against the rest.  'crammer_singer' "
                         "is refused: the engine has no such problem."))
class LinearSVC(ClassifierMixin, _Linear):
    """Linear C-SVC, for classes: sklearn.svm.LinearSVC, proved

    The problem is LIBLINEAR's but for the constant, which is free, where LIBLINEAR regularises it
    unless intercept_scaling is large.
    """

    def __init__(self, penalty: str = "l2", loss: str = "squared_hinge", *,
                 dual: bool | str = True, tol: float = 1e-4, C: float = 1.0,
                 multi_class: str = "ovr", fit_intercept: bool = True,
                 intercept_scaling: float = 1, class_weight: dict | str | None = None,
                 verbose: bool | int = 0, random_state: Any = None, max_iter: int = 1000,
                 gap: float | None = None, n_jobs: int | None = None,
                 time_limit: float | None = None,
                 callback: Callable[[dict], Any] | None = None) -> None:
        _keep(self, locals())

    def _as_machine(self):
        if self.multi_class != "ovr":
            raise RandsvmValueError(f"multi_class={self.multi_class!r}: the engine has "
                                    "multi_class='ovr' alone")
        machine = SVC(kernel="linear", multi_class="ovr", class_weight=self.class_weight,
                      **self._settings())
        machine._counts_rows = self._counts_rows
        return machine

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Decision values x.coef_ + intercept_

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_features)

        Returns
        -------
        ndarray
            Of two classes of shape (n_samples,), positive for classes_[1]; of more with a column
            for each class.

        Raises
        ------
        NotFittedError
            Before fit().
        RandsvmValueError
            Where X has other features than fit() has seen.
        """
        values = self._values(X)
        return values[:, 0] if values.shape[1] == 1 else values

    def predict(self, X: MatrixLike) -> np.ndarray:
        """Classes of the rows of X, labels of classes_, of shape (n_samples,)

        Raises NotFittedError, and RandsvmValueError where X has other features.
        """
        values = self.decision_function(X)
        best = (values > 0).astype(int) if values.ndim == 1 else values.argmax(axis=1)
        return self.classes_[best]


@documented(_FOUND,
            epsilon=("float", "Half the width of the tube, in which errors cost nothing; 0 or "
                     "more."),
            loss=("{'epsilon_insensitive', 'squared_epsilon_insensitive'}",
                  "Errors themselves, or their squares."))
class LinearSVR(RegressorMixin, _Linear):
    """Linear epsilon-SVR, for targets: sklearn.svm.LinearSVR, proved

    The problem is LIBLINEAR's but for the constant, which is free, where LIBLINEAR regularises it
    unless intercept_scaling is large.
    """

    def __init__(self, *, epsilon: float = 0.0, tol: float = 1e-4, C: float = 1.0,
                 loss: str = "epsilon_insensitive", fit_intercept: bool = True,
                 intercept_scaling: float = 1.0, dual: bool | str = True,
                 verbose: bool | int = 0, random_state: Any = None, max_iter: int = 1000,
                 gap: float | None = None, n_jobs: int | None = None,
                 time_limit: float | None = None,
                 callback: Callable[[dict], Any] | None = None) -> None:
        _keep(self, locals())

    def _as_machine(self):
        return SVR(kernel="linear", epsilon=self.epsilon, **self._settings())

    def _shaped(self, weights):
        return weights[0]

    def predict(self, X: MatrixLike) -> np.ndarray:
        """x.coef_ + intercept_ of the rows of X, of shape (n_samples,)

        Raises NotFittedError, and RandsvmValueError where X has other features.
        """
        return self._values(X).ravel()

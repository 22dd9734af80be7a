"""randsvm._machines - the machines: SVC, NuSVC, SVR, NuSVR, OneClassSVM

SPDX-License-Identifier: BSD-3-Clause
"""
from __future__ import annotations

import ctypes
import time
from typing import Any, Callable, Union

import numpy as np

from ._library import RandsvmValueError, _c_value, _run_of, _work
from ._base import (ClassifierMixin, ConvergenceWarning, NotFittedError, OutlierMixin,
                    RegressorMixin)
from ._certificates import keep_certificates
from ._docs import documented
from ._rows import (ArrayLike, MatrixLike, Rows, _as_rows, _decode, _feature_names, _is_sparse,
                    _matrix, _warn)
from ._objects import _Vectors, _objects
from ._problems import _Problem, _choice
from ._models import Model
from ._fitted import _Fitted, _keep

_FOUND = ("dual_coef_ coef_ intercept_ fit_status_ n_iter_ shape_fit_ n_kernel_values_ "
          "n_features_in_ feature_names_in_ certificates_ model_")

# the name of a kernel, or the kernel itself
Kernel = Union[str, Callable[[Any, Any], ArrayLike]]


def _time_limit(seconds):
    """A number of seconds above 0, or None"""
    if seconds is not None and not _c_value(seconds, "d", "time_limit") > 0:
        raise RandsvmValueError(f"time_limit = {seconds} is not above 0")
    return seconds


class _Machine(_Fitted):
    """Machines of all kinds: what fit() finds, in scikit-learn's order and signs"""

    _classifies = False
    _wants_y = True
    # do "balanced" and "scale" look at rows, whatever their weights, 0 too, as scikit-learn's do?
    _counts_rows = False

    def fit(self, X: MatrixLike, y: ArrayLike | None = None,
            sample_weight: ArrayLike | None = None, groups: ArrayLike | None = None) -> _Machine:
        """Train until the tolerance `tol`, or the relative gap `gap`, is proved

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_features)
            The rows.  For kernel='precomputed' the kernel's values, (n_samples, n_samples).  For a
            callable kernel what it takes, also a list of anything.
        y : array-like of shape (n_samples,)
            Classes or targets.  Rows have them; a one-class machine takes none.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w equal rows do.  One of weight 0 or below is left out.
        groups : array-like of shape (n_samples,), optional
            For probability=True: the folds that probabilities are found by keep the rows of a
            group together.

        Returns
        -------
        self

        Raises
        ------
        RandsvmError
            Where X, y, weights or parameters are refused; it is a ValueError or TypeError, too,
            where scikit-learn raises one.  Or where numbers are too large for doubles.

        Warns
        -----
        ConvergenceWarning
            A limit ended the training: see certificates_ for how far it has come.
        """
        if hasattr(self, "decision_function_shape"):
            _choice(self.decision_function_shape, ("ovo", "ovr"), "decision_function_shape")
        own = callable(self.kernel)
        names, X = (None, _objects(X)) if own else (_feature_names(X), _matrix(X))
        if groups is not None and not getattr(self, "probability", False):
            raise RandsvmValueError(
                "groups are for probability=True: without it there are no folds")
        problem = _Problem(self, X, y, sample_weight, groups)
        started = time.monotonic()
        self.model_ = _work("train", problem.rows, ctypes.byref(problem.training),
                            run=_run_of(self), kind=Model, callback=self.callback,
                            time_limit=_time_limit(self.time_limit))
        seconds = time.monotonic() - started
        if self.model_.info["n_reversed"]:
            _warn("Probabilities contradict decision values: there are too few rows for "
                  "probability=True")
        excess = max((c["excess"] for c in self.model_.certificates), default=0)
        if excess:
            _warn(f"C times the largest kernel value is {excess:g}, too much for doubles: rows may "
                  "violate the optimality conditions by more than tol; scale X, or try a smaller C")
        elif self.model_.info["far_error"]:
            _warn("rows lie so far from 0 that decision values by support vectors would be off by "
                  f"some {self.model_.info['far_error']:.2g}: the model has weights, and no support_")
        self.model_.feature_names_in_ = names
        self._keep_features(names, None if own else X.shape[1])
        self._form = (None if isinstance(X, Rows) else
                      "tocsr" if _is_sparse(X) and not own else "toarray")
        if self._classifies:
            self.classes_ = problem.classes
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (len(X),)
        self.certificates_ = [self._named(c) for c in self.model_.certificates]
        self._keep_ends(problem)
        self._keep_solution(problem.kept)
        self._keep_vectors(problem.rows if own else None)
        keep_certificates(problem, self.model_, self.certificates_, seconds)
        if self.verbose:
            self._tell_certificates()
        return self

    def _keep_vectors(self, rows):
        """Of a kernel that is a function: the support vectors, and how many values it gave"""
        vars(self).pop("n_kernel_values_", None)
        self._vectors = None
        if rows is not None:
            self._vectors = _Vectors(rows, self.support_)
            self.n_kernel_values_ = rows._function.n_values

    def _keep_ends(self, problem):
        """How the training ended: by proofs, or before"""
        given, found = self.max_iter, self.certificates_
        rounds = np.array([c["rounds"] for c in found], np.int32)
        self.n_iter_ = self._count_rounds(rounds if given == -1 else np.minimum(rounds, given))
        gap = self.gap or 0
        self.fit_status_ = int(any(c["ended_early"] or c["n_violators"] and
                                   not c["relative_gap"] <= gap for c in found))
        if any(c["ended_early"] for c in found) and not self.budget:
            is_limit = given != -1 and rounds.max() >= given
            limit = f"max_iter={given}" if is_limit else "its limit of steps"
            if self.model_.info["was_interrupted"]:
                if self.time_limit is None:
                    return  # as the callback has asked
                limit = f"time_limit={self.time_limit}"
            _warn(f"Solver terminated early ({limit}).  Consider pre-processing your data with "
                  "StandardScaler or MinMaxScaler.", ConvergenceWarning)

    def _tell_certificates(self):
        for c in self.certificates_:
            rest = "rest" if c["label_b"] is None else c["label_b"]
            pair = "" if c["label_a"] is None else f" {c['label_a']}/{rest}"
            print(f"[randsvm]{pair}: {c['rounds']} rounds, {c['n_sv']} support vectors, "
                  f"{c['n_bounded']} of them at the bound, optimum from {c['dual']:.9g} to "
                  f"{c['primal']:.9g}, {c['n_violators']} violators", flush=True)

    def _keep_solution(self, kept):
        """Support vectors and constants in the order of classes_; `kept` are the rows of weights"""
        for name in "support_", "n_support_", "dual_coef_":
            vars(self).pop(name, None)
        if self._has_weights():
            self.intercept_ = self._orient(self.model_.weights(self.n_features_in_)[1])
            return
        order = self._vector_order()
        rows = self.model_.sv_rows[order]
        self.support_ = (rows if kept is None else kept[rows]).astype(np.int32)
        self.n_support_ = self._count_vectors().astype(np.int32)
        self.dual_coef_ = self._like_rows(self._dual_coefficients()[:, order])
        self.intercept_ = self._orient(-self.model_.rho)

    def _as_machine(self):
        """The machine that has the parameters of training"""
        return self

    def _gap_for(self, n_rows):
        """The relative gap to stop at, of so many rows; 0: at tol alone"""
        return self.gap or 0

    def _has_weights(self):
        info = self.model_.info
        return info["is_linear_model"] or info["far_error"] > 0

    def _like_rows(self, values):
        """An array, or a CSR matrix where X was sparse"""
        if self._form != "tocsr":
            return values
        from scipy.sparse import csr_matrix
        return csr_matrix(values)

    # what classes change
    def _orient(self, values):
        return values

    def _vector_order(self):
        return np.arange(self.model_.info["n_sv"])

    def _count_vectors(self):
        return np.array([self.model_.info["n_sv"]])

    def _dual_coefficients(self):
        return self.model_.coefficients

    def _named(self, certificate):
        return {**certificate, "label_a": None, "label_b": None}

    def _count_rounds(self, rounds):
        return int(rounds[0])

    @property
    def coef_(self) -> Any:
        """Weights of the features, which cannot be written to; of a linear kernel alone

        An array of shape (n_values, n_features), or a CSR matrix where X was sparse.
        """
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        weights = self._like_rows(self._orient(self.model_.weights(self.n_features_in_)[0].T).T)
        (weights.data if _is_sparse(weights) else weights).flags.writeable = False
        return weights

    @property
    def support_vectors_(self) -> Any:
        """A copy of the rows support_: Rows of Rows, an array of an array, or a CSR matrix

        AttributeError where the model has weights in their place.
        """
        if self._has_weights():
            raise AttributeError("a model of weights has coef_ and intercept_, and no support "
                                 "vectors")
        if self.kernel == "precomputed" or callable(self.kernel):
            return np.empty((0, 0))
        rows = self.model_.support_vectors().part(self._vector_order())
        return getattr(rows, self._form)(self.n_features_in_) if self._form else rows

    def _rows(self, X):
        if callable(self.kernel):
            if getattr(self, "_vectors", None) is None:
                raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. "
                                     "Call 'fit' before.")
            return self._vectors.rows(self.kernel, X)
        return _as_rows(self._check(X), precomputed=self.kernel == "precomputed")

    def _values(self, X):
        rows = self._rows(X)
        return self._orient(self.model_.decision_values(rows, self.n_jobs))

    def predict(self, X: MatrixLike) -> np.ndarray:
        """Values of the rows, or what the kind of machine predicts

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_features)
            For kernel='precomputed' of shape (n_samples, rows that fit() had).

        Returns
        -------
        ndarray of shape (n_samples,)

        Raises
        ------
        NotFittedError
            Before fit().
        RandsvmValueError
            Where X has other features than fit() has seen.
        """
        rows = self._rows(X)
        return self.model_.predict(rows, self.n_jobs)

    def _tags(self):
        return self.kernel == "precomputed", self._wants_y


def _pairs_by(place):
    """(places of pairs of sorted classes among a model's pairs, is its first class first there?)

    The classes have these places among the model's labels.
    """
    first, second = (place[k] for k in np.triu_indices(len(place), 1))
    low, high = np.minimum(first, second), np.maximum(first, second)
    return low * (2 * len(place) - low - 1) // 2 + high - low - 1, first < second


def _winners(values, n):
    """Numbers of the n classes that have most votes, the first of equal ones, as LIBSVM decides

    values[rows][pairs (0, 1), (0, 2), ..., (1, 2), ...] are positive for the first class of a pair;
    of NaN neither has a vote.
    """
    first, second = np.triu_indices(n, 1)
    one = np.eye(n)
    return ((values > 0) @ one[first] + (values <= 0) @ one[second]).argmax(axis=1)


class _Classifier(ClassifierMixin, _Machine):
    """Machines of all pairs of classes, or of each class against the rest

    Values of two classes are positive for classes_[1].  Of more classes, decision_function() has
    columns for classes if decision_function_shape is "ovr", and for pairs (0, 1), (0, 2), ...,
    (1, 2), ... if it is "ovo", positive for the first of the pair.
    """

    _classifies = True

    def _against_rest(self):
        return getattr(self, "multi_class", "ovo") == "ovr" and len(self.classes_) > 2

    def _places(self):
        """Places of classes_ among the model's labels"""
        return np.argsort(self.model_.labels)

    def _pairs(self):
        return _pairs_by(self._places())

    def _orient(self, values):
        """values[..., of the model's machines] as those of pairs of classes_, or of classes_"""
        if self._against_rest():
            return values[..., self._places()]
        pairs, in_order = self._pairs()
        return values[..., pairs] * np.where(in_order == (len(self.classes_) > 2), 1.0, -1.0)

    def _count_rounds(self, rounds):
        return abs(self._orient(rounds)).astype(np.int32)

    def _count_vectors(self):
        return self.model_.n_sv_of_classes[self._places()]

    def _vector_order(self):
        """The model's support vectors by classes_"""
        end = np.cumsum(self.model_.n_sv_of_classes)
        start = np.append(0, end)
        return np.concatenate([np.arange(start[p], end[p]) for p in self._places()])

    def _dual_coefficients(self):
        """The model's coefficients with a row for each other class in the order of classes_"""
        given, found = self.model_.coefficients, np.empty_like(self.model_.coefficients)
        n, place = len(self.classes_), self._places()
        end = np.cumsum(self.model_.n_sv_of_classes)
        for a in range(n):
            p = place[a]
            own = slice(end[p] - self.model_.n_sv_of_classes[p], end[p])
            for b in set(range(n)) - {a}:
                q = place[b]
                sign = 1 if ((a < b) == (p < q)) == (n > 2) else -1
                found[b - (b > a), own] = sign * given[q - (q > p), own]
        return found

    def _named(self, certificate):
        a, b = (_decode(self.classes_, np.array([certificate[key]]))[0]
                for key in ("label_a", "label_b"))
        return {**certificate, "label_a": a, "label_b": None if self._against_rest() else b}

    def _keep_ends(self, problem):
        super()._keep_ends(problem)
        self.class_weight_ = problem.class_weights()

    @property
    def probA_(self) -> np.ndarray:
        """Slopes of the probabilities of pairs of classes, or of classes_ if multi_class is "ovr"

        Empty without probability=True.
        """
        given = self.model_.prob_a
        if given is None:
            return np.empty(0)
        return given[self._places() if self._against_rest() else self._pairs()[0]]

    @property
    def probB_(self) -> np.ndarray:
        """Constants of the probabilities of pairs of classes, or of classes_ if multi_class is "ovr"

        Empty without probability=True.
        """
        given = self.model_.prob_b
        if given is None:
            return np.empty(0)
        if self._against_rest():
            return given[self._places()]
        pairs, in_order = self._pairs()
        return given[pairs] * np.where(in_order, 1.0, -1.0)

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Decision values

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_features)

        Returns
        -------
        ndarray
            Of two classes of shape (n_samples,), positive for classes_[1].  Of more, with a column
            for each class (decision_function_shape='ovr'), votes and a part by the values, or for
            each pair (0, 1), (0, 2), ..., (1, 2), ... ('ovo'), positive for the first.

        Raises
        ------
        NotFittedError, RandsvmValueError
            As in predict().
        """
        values = self._values(X)
        if len(self.classes_) == 2:
            return values[:, 0]
        shape = _choice(self.decision_function_shape, ("ovo", "ovr"), "decision_function_shape")
        return values if shape == 0 or self._against_rest() else self._votes(values)

    def _votes(self, values):
        """Votes of the pairs for each class, and a third of a vote at most by their values"""
        n = len(self.classes_)
        votes, sums = np.zeros((len(values), n)), np.zeros((len(values), n))
        for value, a, b in zip(values.T, *np.triu_indices(n, 1)):
            votes[:, a] += value >= 0
            votes[:, b] += value < 0
            sums[:, a] += value
            sums[:, b] -= value
        return votes + sums / (3 * (abs(sums) + 1))

    def predict(self, X: MatrixLike) -> np.ndarray:
        """Classes of the rows, labels of classes_

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_features)
            For kernel='precomputed' of shape (n_samples, rows that fit() had).

        Returns
        -------
        ndarray of shape (n_samples,)
            The class of most votes of pairs, the first of equal ones (model_.predict(), as
            svm-predict, the one that fit() had a row of first); with break_ties=True, or of
            machines against the rest, that of the largest decision value.

        Raises
        ------
        NotFittedError, RandsvmValueError
            Before fit(); and where X has other features, or break_ties=True is not for 'ovr'.
        """
        if not self.break_ties:
            n = len(getattr(self, "classes_", ()))
            if n > 2 and not self._against_rest():
                return self.classes_[_winners(self._values(X), n)]
            predicted = super().predict(X)
            return _decode(self.classes_, predicted)
        if self.decision_function_shape == "ovo":
            raise RandsvmValueError("break_ties must be False when decision_function_shape is "
                                    "'ovo'")
        values = self.decision_function(X)
        best = values.argmax(axis=1) if values.ndim == 2 else (values > 0).astype(int)
        return self.classes_[best]

    @property
    def predict_proba(self) -> Callable[[MatrixLike], np.ndarray]:
        """predict_proba(X): probabilities of classes_, of shape (n_samples, n_classes)

        AttributeError unless probability=True, and NotFittedError where fit() had another.
        """
        if not self.probability:
            raise AttributeError("predict_proba is not available when probability=False")
        return self._probabilities

    @property
    def predict_log_proba(self) -> Callable[[MatrixLike], np.ndarray]:
        """predict_log_proba(X): the logarithms of predict_proba(X)"""
        probabilities = self.predict_proba
        return lambda X: np.log(probabilities(X))

    def _probabilities(self, X):
        rows = self._rows(X)
        if not self.model_.info["n_probabilities"]:
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False")
        return self.model_.probabilities(rows, self.n_jobs)[:, self._places()]


@documented("classes_ class_weight_ support_ support_vectors_ n_support_ probA_ probB_ " + _FOUND)
class SVC(_Classifier):
    """C-SVC, for classes: sklearn.svm.SVC, proved"""

    _machine = 0
    _losses = ("hinge", "squared_hinge")

    def __init__(self, *, C: float = 1.0, kernel: Kernel = "rbf", degree: int = 3,
                 gamma: str | float = "scale", coef0: float = 0.0, shrinking: bool = True,
                 probability: bool = False, tol: float = 1e-3, cache_size: float | None = None,
                 class_weight: dict | str | None = None, verbose: bool | int = False,
                 max_iter: int = -1, decision_function_shape: str = "ovr",
                 break_ties: bool = False, random_state: Any = None, loss: str = "hinge",
                 multi_class: str = "ovo", budget: int | None = None, gap: float | None = None,
                 n_jobs: int | None = None, time_limit: float | None = None,
                 callback: Callable[[dict], Any] | None = None) -> None:
        _keep(self, locals())


@documented("classes_ class_weight_ support_ support_vectors_ n_support_ probA_ probB_ " + _FOUND,
            class_weight=("dict or 'balanced'", "Without effect, as in scikit-learn, which is "
                          "said: nu-SVC has no C.  sample_weight has an effect."))
class NuSVC(_Classifier):
    """nu-SVC, for classes: sklearn.svm.NuSVC, proved"""

    _machine = 1
    _failing_checks = {"check_class_weight_classifiers": "class_weight is ignored."}

    def __init__(self, *, nu: float = 0.5, kernel: Kernel = "rbf", degree: int = 3,
                 gamma: str | float = "scale", coef0: float = 0.0, shrinking: bool = True,
                 probability: bool = False, tol: float = 1e-3, cache_size: float | None = None,
                 class_weight: dict | str | None = None, verbose: bool | int = False,
                 max_iter: int = -1, decision_function_shape: str = "ovr",
                 break_ties: bool = False, random_state: Any = None, budget: int | None = None,
                 gap: float | None = None, n_jobs: int | None = None,
                 time_limit: float | None = None,
                 callback: Callable[[dict], Any] | None = None) -> None:
        _keep(self, locals())


@documented("support_ support_vectors_ n_support_ offset_ " + _FOUND)
class OneClassSVM(OutlierMixin, _Machine):
    """One-class SVM, for outliers: sklearn.svm.OneClassSVM, proved"""

    _machine = 2
    _wants_y = False

    def __init__(self, *, kernel: Kernel = "rbf", degree: int = 3, gamma: str | float = "scale",
                 coef0: float = 0.0, tol: float = 1e-3, nu: float = 0.5, shrinking: bool = True,
                 cache_size: float | None = None, verbose: bool | int = False, max_iter: int = -1,
                 random_state: Any = None, budget: int | None = None, gap: float | None = None,
                 n_jobs: int | None = None, time_limit: float | None = None,
                 callback: Callable[[dict], Any] | None = None) -> None:
        _keep(self, locals())

    @property
    def offset_(self) -> np.ndarray:
        """decision_function() = score_samples() - offset_"""
        return -self.intercept_

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Distances of the rows of X from the boundary, of shape (n_samples,); negative of outliers

        Raises NotFittedError, and RandsvmValueError where X has other features.
        """
        return self._values(X)[:, 0]

    def score_samples(self, X: MatrixLike) -> np.ndarray:
        """decision_function(X) + offset_, of shape (n_samples,)"""
        return self.decision_function(X) + self.offset_

    def predict(self, X: MatrixLike) -> np.ndarray:
        """+1 of each row of X, or -1 of outliers: integers, of shape (n_samples,)

        Raises NotFittedError, and RandsvmValueError where X has other features.
        """
        return super().predict(X).astype(int)


@documented("support_ support_vectors_ n_support_ " + _FOUND)
class SVR(RegressorMixin, _Machine):
    """epsilon-SVR, for targets: sklearn.svm.SVR, proved"""

    _machine = 3
    _losses = ("epsilon_insensitive", "squared_epsilon_insensitive")

    def __init__(self, *, kernel: Kernel = "rbf", degree: int = 3, gamma: str | float = "scale",
                 coef0: float = 0.0, tol: float = 1e-3, C: float = 1.0, epsilon: float = 0.1,
                 shrinking: bool = True, cache_size: float | None = None,
                 verbose: bool | int = False, max_iter: int = -1,
                 loss: str = "epsilon_insensitive", budget: int | None = None,
                 gap: float | None = None, n_jobs: int | None = None, random_state: Any = None,
                 time_limit: float | None = None,
                 callback: Callable[[dict], Any] | None = None) -> None:
        _keep(self, locals())


@documented("support_ support_vectors_ n_support_ " + _FOUND)
class NuSVR(RegressorMixin, _Machine):
    """nu-SVR, for targets: sklearn.svm.NuSVR, proved"""

    _machine = 4

    def __init__(self, *, nu: float = 0.5, C: float = 1.0, kernel: Kernel = "rbf", degree: int = 3,
                 gamma: str | float = "scale", coef0: float = 0.0, shrinking: bool = True,
                 tol: float = 1e-3, cache_size: float | None = None, verbose: bool | int = False,
                 max_iter: int = -1, budget: int | None = None, gap: float | None = None,
                 n_jobs: int | None = None, random_state: Any = None,
                 time_limit: float | None = None,
                 callback: Callable[[dict], Any] | None = None) -> None:
        _keep(self, locals())

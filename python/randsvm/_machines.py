"""randsvm._machines - the machines: SVC, NuSVC, SVR, NuSVR, OneClassSVM

SPDX-License-Identifier: BSD-3-Clause
"""
import ctypes

import numpy as np

from ._library import RandsvmValueError, _run_of, _work
from ._base import ClassifierMixin, OutlierMixin, RegressorMixin
from ._rows import Rows, _as_rows, _decode, _feature_names, _is_sparse, _matrix, _warn
from ._problems import _Problem, _choice
from ._models import Model
from ._fitted import _Fitted, _keep


class _Machine(_Fitted):
    """Machines of all kinds: what fit() finds, in scikit-learn's order and signs"""

    _classifies = False
    _wants_y = True

    def fit(self, X, y=None, sample_weight=None, groups=None):
        """Train until the tolerance `tol`, or the relative gap `gap`, is proved

        A row of weight w counts as w equal rows do, one of weight 0 as none.  groups, one for each
        row, are for probability=True: the folds that probabilities are found by keep them together.
        """
        names, X = _feature_names(X), _matrix(X)
        if groups is not None and not getattr(self, "probability", False):
            raise RandsvmValueError(
                "groups are for probability=True: without it there are no folds")
        problem = _Problem(self, X, y, sample_weight, groups)
        self.model_ = _work("train", problem.rows, ctypes.byref(problem.training),
                            run=_run_of(self), kind=Model)
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
        self._keep_features(names, X.shape[1])
        self._form = None if isinstance(X, Rows) else "tocsr" if _is_sparse(X) else "toarray"
        if self._classifies:
            self.classes_ = problem.classes
        self.certificates_ = [self._named(c) for c in self.model_.certificates]
        self._keep_solution(problem.kept)
        return self

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
        self.dual_coef_ = self._dual_coefficients()[:, order]
        self.intercept_ = self._orient(-self.model_.rho)

    def _has_weights(self):
        return self.model_.info["is_linear_model"] or self.model_.info["far_error"] > 0

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

    @property
    def coef_(self):
        """Weights of the features, of a linear kernel"""
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        return self._orient(self.model_.weights(self.n_features_in_)[0].T).T

    @property
    def support_vectors_(self):
        """A copy of the rows support_: Rows of Rows, an array of an array, or a CSR matrix"""
        if self._has_weights():
            raise AttributeError("a model of weights has coef_ and intercept_, and no support "
                                 "vectors")
        if self.kernel == "precomputed":
            return np.empty((0, 0))
        rows = self.model_.support_vectors().part(self._vector_order())
        return getattr(rows, self._form)(self.n_features_in_) if self._form else rows

    def _rows(self, X):
        return _as_rows(self._check(X), precomputed=self.kernel == "precomputed")

    def _values(self, X):
        rows = self._rows(X)
        return self._orient(self.model_.decision_values(rows, self.n_jobs))

    def predict(self, X):
        rows = self._rows(X)
        return self.model_.predict(rows, self.n_jobs)

    def _tags(self):
        return self.kernel == "precomputed", self._wants_y


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

    def _orient(self, values):
        """values[..., of the model's machines] as those of pairs of classes_, or of classes_"""
        n, place = len(self.classes_), self._places()
        if self._against_rest():
            return values[..., place]
        first, second = (place[k] for k in np.triu_indices(n, 1))
        low, high = np.minimum(first, second), np.maximum(first, second)
        values = values[..., low * (2 * n - low - 1) // 2 + high - low - 1]
        return values * np.where((first < second) == (n > 2), 1.0, -1.0)

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

    def decision_function(self, X):
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
            votes[:, a] += value > 0
            votes[:, b] += value <= 0
            sums[:, a] += value
            sums[:, b] -= value
        return votes + sums / (3 * (abs(sums) + 1))

    def predict(self, X):
        predicted = super().predict(X)
        return _decode(self.classes_, predicted)

    @property
    def predict_proba(self):
        """predict_proba(X): probabilities of classes_, if probability=True"""
        if not self.probability:
            raise AttributeError("predict_proba is not available when probability=False")
        return self._probabilities

    @property
    def predict_log_proba(self):
        """predict_log_proba(X): their logarithms"""
        probabilities = self.predict_proba
        return lambda X: np.log(probabilities(X))

    def _probabilities(self, X):
        rows = self._rows(X)
        return self.model_.probabilities(rows, self.n_jobs)[:, self._places()]


class SVC(_Classifier):
    """C-SVC

    loss="squared_hinge" and multi_class="ovr", a machine for each class against the rest, are for
    the linear kernel.  `budget` is the number of examples at a time for very many rows, `gap` a
    relative duality gap to stop at, cache_size the memory for kernel values in MB (None: a quarter
    of all), n_jobs the number of threads (None: all cores).
    """

    _machine = 0
    _losses = ("hinge", "squared_hinge")

    def __init__(self, *, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0,
                 probability=False, tol=1e-3, class_weight=None, loss="hinge", multi_class="ovo",
                 decision_function_shape="ovr", budget=None, gap=None, cache_size=None, n_jobs=None,
                 random_state=None):
        _keep(self, locals())


class NuSVC(_Classifier):
    """nu-SVC: nu bounds the share of the support vectors from below, that of errors from above"""

    _machine = 1

    def __init__(self, *, nu=0.5, kernel="rbf", degree=3, gamma="scale", coef0=0.0,
                 probability=False, tol=1e-3, decision_function_shape="ovr", budget=None, gap=None,
                 cache_size=None, n_jobs=None, random_state=None):
        _keep(self, locals())


class OneClassSVM(OutlierMixin, _Machine):
    """One-class SVM: predictions are +1, or -1 of outliers"""

    _machine = 2
    _wants_y = False

    def __init__(self, *, nu=0.5, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3,
                 budget=None, gap=None, cache_size=None, n_jobs=None, random_state=None):
        _keep(self, locals())

    @property
    def offset_(self):
        return -self.intercept_

    def decision_function(self, X):
        """Negative of outliers"""
        return self._values(X)[:, 0]

    def score_samples(self, X):
        return self.decision_function(X) + self.offset_

    def predict(self, X):
        return super().predict(X).astype(int)


class SVR(RegressorMixin, _Machine):
    """epsilon-SVR; loss="squared_epsilon_insensitive" is for the linear kernel"""

    _machine = 3
    _losses = ("epsilon_insensitive", "squared_epsilon_insensitive")

    def __init__(self, *, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3, C=1.0,
                 epsilon=0.1, loss="epsilon_insensitive", budget=None, gap=None, cache_size=None,
                 n_jobs=None, random_state=None):
        _keep(self, locals())


class NuSVR(RegressorMixin, _Machine):
    """nu-SVR: nu bounds the share of the support vectors from below, that of errors from above"""

    _machine = 4

    def __init__(self, *, nu=0.5, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3,
                 budget=None, gap=None, cache_size=None, n_jobs=None, random_state=None):
        _keep(self, locals())

"""randsvm._fitted - what machines and maps have in common as estimators

SPDX-License-Identifier: BSD-3-Clause
"""
from __future__ import annotations

from ._library import RandsvmValueError
from ._base import BaseEstimator, NotFittedError
from ._rows import Rows, _check_same_names, _feature_names, _matrix, _warn


def _keep(estimator, parameters):
    """Attributes of the arguments of __init__()"""
    del parameters["self"]
    vars(estimator).update(parameters)


class _Fitted(BaseEstimator):
    """What machines and maps have in common once they are fitted"""

    _failing_checks = {}

    def _check(self, X):
        """X as Rows or a matrix, with as many features as those that were fitted"""
        name = type(self).__name__
        if not hasattr(self, "n_features_in_"):
            raise NotFittedError(f"This {name} instance is not fitted yet. Call 'fit' before.")
        self._check_names(_feature_names(X))
        X = _matrix(X)
        if X.shape[1] != self.n_features_in_ and not isinstance(X, Rows):
            raise RandsvmValueError(f"X has {X.shape[1]} features, but {name} is expecting "
                                    f"{self.n_features_in_} features as input.")
        return X

    def _check_names(self, given):
        """Names of columns go by scikit-learn's rules"""
        name, fitted = type(self).__name__, getattr(self, "feature_names_in_", None)
        if fitted is None and given is not None:
            _warn(f"X has feature names, but {name} was fitted without feature names")
        if fitted is not None and given is None:
            _warn(f"X does not have valid feature names, but {name} was fitted with feature names")
        _check_same_names(fitted, given)

    def _keep_features(self, names, n):
        """What fit() has seen: names of the columns, or None, and their number, or None"""
        for name in "n_features_in_", "feature_names_in_":
            vars(self).pop(name, None)
        if n is not None:
            self.n_features_in_ = n
        if names is not None:
            self.feature_names_in_ = names

    def _tags(self):
        """(Are columns other rows?  Must there be a y?)"""
        return False, False

    # scikit-learn's until 1.5, and from 1.6 on
    def _more_tags(self):
        pairwise, requires_y = self._tags()
        # rows in another order, as there: another solution within tol
        return {"pairwise": pairwise, "requires_y": requires_y, "_xfail_checks": {
            "check_sample_weights_invariance": "sums in another order", **self._failing_checks}}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise, tags.target_tags.required = self._tags()
        return tags

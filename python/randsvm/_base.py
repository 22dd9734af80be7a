"""randsvm._base - scikit-learn's base classes, or what stands for them where it is not installed

SPDX-License-Identifier: BSD-3-Clause
"""
from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from ._library import RandsvmValueError

try:
    from sklearn.base import (BaseEstimator, ClassifierMixin, OutlierMixin, RegressorMixin,
                              TransformerMixin)
    from sklearn.exceptions import ConvergenceWarning, DataConversionWarning, NotFittedError
except ImportError:
    class NotFittedError(ValueError, AttributeError):
        """fit() has not been called"""

    class DataConversionWarning(UserWarning):
        """The shape of an argument was changed"""

    class ConvergenceWarning(UserWarning):
        """A limit ended a training before the optimum"""

    class BaseEstimator:
        """Parameters are the arguments of __init__(), and attributes of the same names"""

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """Parameters by their names"""
            names = inspect.signature(type(self).__init__).parameters
            return {name: getattr(self, name) for name in names if name != "self"}

        def set_params(self, **parameters: Any) -> BaseEstimator:
            """Set parameters of these names; returns self"""
            for name in parameters.keys() - self.get_params().keys():
                raise RandsvmValueError(f"{type(self).__name__} has no parameter {name!r}")
            vars(self).update(parameters)
            return self

        def __repr__(self):
            given = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
            return f"{type(self).__name__}({given})"

    class ClassifierMixin:
        """Machines that predict classes"""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
            """Share of the rows, or of their weight, whose class is predicted"""
            return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))

    class RegressorMixin:
        """Machines that predict targets"""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
            """1 - squared errors / squares about the mean, each by weight"""
            y = np.asarray(y, np.float64)
            squares = (y - np.average(y, weights=sample_weight)) ** 2
            errors = (y - self.predict(X)) ** 2
            return float(1 - np.average(errors, weights=sample_weight)
                         / np.average(squares, weights=sample_weight))

    class OutlierMixin:
        """Machines that find outliers"""

        def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
            """fit(X).predict(X)"""
            return self.fit(X).predict(X)

    class TransformerMixin:
        """Maps"""

        def fit_transform(self, X: Any, y: Any = None, **parameters: Any) -> Any:
            """fit(X, y).transform(X)"""
            return self.fit(X, y, **parameters).transform(X)

"""randsvm._base - scikit-learn's base classes, or what stands for them where it is not installed

SPDX-License-Identifier: BSD-3-Clause
"""
import inspect

import numpy as np

from ._library import RandsvmValueError

try:
    from sklearn.base import (BaseEstimator, ClassifierMixin, OutlierMixin, RegressorMixin,
                              TransformerMixin)
    from sklearn.exceptions import DataConversionWarning, NotFittedError
except ImportError:
    class NotFittedError(ValueError, AttributeError):
        """fit() has not been called"""

    class DataConversionWarning(UserWarning):
        """The shape of an argument was changed"""

    class BaseEstimator:
        """Parameters are the arguments of __init__(), and attributes of the same names"""

        def get_params(self, deep=True):
            names = inspect.signature(type(self).__init__).parameters
            return {name: getattr(self, name) for name in names if name != "self"}

        def set_params(self, **parameters):
            for name in parameters.keys() - self.get_params().keys():
                raise RandsvmValueError(f"{type(self).__name__} has no parameter {name!r}")
            vars(self).update(parameters)
            return self

        def __repr__(self):
            given = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
            return f"{type(self).__name__}({given})"

    class ClassifierMixin:
        def score(self, X, y, sample_weight=None):
            """Share of the rows, or of their weight, whose class is predicted"""
            return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))

    class RegressorMixin:
        def score(self, X, y, sample_weight=None):
            """1 - squared errors / squares about the mean, each by weight"""
            y = np.asarray(y, np.float64)
            squares = (y - np.average(y, weights=sample_weight)) ** 2
            errors = (y - self.predict(X)) ** 2
            return float(1 - np.average(errors, weights=sample_weight)
                         / np.average(squares, weights=sample_weight))

    class OutlierMixin:
        def fit_predict(self, X, y=None):
            return self.fit(X).predict(X)

    class TransformerMixin:
        def fit_transform(self, X, y=None, **parameters):
            return self.fit(X, y, **parameters).transform(X)

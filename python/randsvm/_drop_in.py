"""randsvm._drop_in - machines in the place of scikit-learn's, for programs that know nothing of these

They keep scikit-learn's contract where ours is wider.  What they refuse, and scikit-learn takes, an
estimator of scikit-learn's does for them, which the log `randsvm` tells.

SPDX-License-Identifier: BSD-3-Clause
"""
from __future__ import annotations

import inspect
import logging
from abc import ABCMeta
from typing import Any

import numpy as np
from sklearn.svm import _classes as stock

from . import _linear, _machines
from ._library import RandsvmError, RandsvmMemoryError, RandsvmTypeError, RandsvmValueError
from ._rows import Rows, _is_sparse

_log = logging.getLogger("randsvm")
_told = set()

# Up to this many rows problems are solved to the last digits of doubles, which takes milliseconds:
# what programs compare, and pages print, of small examples are these.
_FEW_ROWS = 200
_LAST_DIGITS, _LAST_DIGITS_LINEAR = 2e-14, 1e-15

# Attributes that are this object's own, also where an estimator of scikit-learn's stands in for it
_OWN = {"fit", "fit_predict", "get_params", "set_params", "_get_param_names", "_stand_in",
        "_stock", "_parameters", "_make_stand_in", "_tags", "_more_tags", "_failing_checks"}


class _DropIn(metaclass=ABCMeta):
    """A machine with, or without, an estimator of scikit-learn's that stands in for it

    _stock is scikit-learn's class; _stand_in, in vars(), the fitted estimator, which then has all
    attributes but the parameters.
    """

    _parameters = frozenset()
    _counts_rows = True

    def __init_subclass__(cls):
        super().__init_subclass__()
        cls._parameters = frozenset(inspect.signature(cls.__init__).parameters)

    def __getattribute__(self, name):
        get = super().__getattribute__
        if name.startswith("__") or name in _OWN:
            return get(name)
        stand_in = get("__dict__").get("_stand_in")
        if stand_in is None or name in get("_parameters"):
            return get(name)
        return getattr(stand_in, name)

    def __getattr__(self, name):
        """What our class does not have: a property of scikit-learn's; or the error of one of ours"""
        for kind in (type(self), type(self)._stock) if not name.startswith("__") else ():
            found = getattr(kind, name, None)
            if isinstance(found, property):
                return found.__get__(self)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __sklearn_is_fitted__(self) -> bool:
        return "_stand_in" in vars(self) or "model_" in vars(self)

    def __dir__(self):
        return sorted({*super().__dir__(), *dir(vars(self).get("_stand_in"))})

    def __setattr__(self, name, value):
        stand_in = None if name in _OWN else vars(self).get("_stand_in")
        if stand_in is None or name in self._parameters:
            super().__setattr__(name, value)
        if stand_in is not None:
            setattr(stand_in, name, value)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **more: Any) -> _DropIn:
        """As the machine, or as scikit-learn's where the machine refuses

        What both refuse has scikit-learn's error.
        """
        vars(self).pop("_stand_in", None)
        try:
            return super().fit(X, y, sample_weight, **more)
        except RandsvmMemoryError:
            raise
        except RandsvmError as error:
            if more or isinstance(X, Rows):
                raise
            reason = error
        stand_in = self._make_stand_in(reason)
        stand_in.fit(X, y, sample_weight)
        line = f"{type(self).__name__}: {reason}; scikit-learn's own is used"
        if line not in _told:
            _told.add(line)
            _log.warning(line)
        self._stand_in = stand_in
        return self

    def _make_stand_in(self, reason):
        """An estimator of scikit-learn's with these parameters; where there are others, our refusal"""
        given, known = self.get_params(deep=False), self._stock._get_param_names()
        defaults = type(self)().get_params(deep=False)
        for name in given.keys() - set(known):
            if given[name] != defaults[name]:
                raise reason
        # what scikit-learn takes where nothing is given, of cache_size and dual, is its own affair
        return self._stock(**{name: given[name] for name in known
                              if name not in ("cache_size", "dual")
                              or given[name] != defaults[name]})


class _Vectors(_DropIn):
    """scikit-learn's contract of machines with support vectors, where ours is wider"""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **more: Any) -> _Vectors:
        if _is_sparse(X) and self.kernel == "precomputed":
            raise RandsvmTypeError("Sparse precomputed kernels are not supported.")
        return super().fit(X, y, sample_weight, **more)

    def _check(self, X):
        X = super()._check(X)
        if _is_sparse(X) and self._form == "toarray":
            raise RandsvmValueError(
                f"cannot use sparse input in {type(self).__name__!r} trained on dense data")
        if "n_support_" in vars(self) and self.n_support_.sum() != len(self.support_):
            raise RandsvmValueError(
                f"The internal representation of {type(self).__name__} was altered")
        return X

    def _gap_for(self, n_rows):
        digits = _LAST_DIGITS_LINEAR if self.kernel == "linear" else _LAST_DIGITS
        return super()._gap_for(n_rows) or (digits if n_rows <= _FEW_ROWS else 0)

    @property
    def _dual_coef_(self) -> np.ndarray:
        return -self.dual_coef_ if len(getattr(self, "classes_", ())) == 2 else self.dual_coef_

    @property
    def _gamma(self) -> float:
        return self.model_.info["gamma"]

    @property
    def _n_support(self) -> np.ndarray:
        return self.n_support_


class SVC(_Vectors, _machines.SVC):
    __doc__ = _machines.SVC.__doc__
    _stock = stock.SVC


class NuSVC(_Vectors, _machines.NuSVC):
    __doc__ = _machines.NuSVC.__doc__
    _stock = stock.NuSVC
    _failing_checks = {**_machines.NuSVC._failing_checks,
                       "check_classifiers_one_label_sample_weights": "nu is infeasible, as there"}


class OneClassSVM(_Vectors, _machines.OneClassSVM):
    __doc__ = _machines.OneClassSVM.__doc__
    _stock = stock.OneClassSVM


class SVR(_Vectors, _machines.SVR):
    __doc__ = _machines.SVR.__doc__
    _stock = stock.SVR


class NuSVR(_Vectors, _machines.NuSVR):
    __doc__ = _machines.NuSVR.__doc__
    _stock = stock.NuSVR


class LinearSVC(_DropIn, _linear.LinearSVC):
    __doc__ = _linear.LinearSVC.__doc__
    _stock = stock.LinearSVC


class LinearSVR(_DropIn, _linear.LinearSVR):
    __doc__ = _linear.LinearSVR.__doc__
    _stock = stock.LinearSVR


CLASSES = (SVC, NuSVC, OneClassSVM, SVR, NuSVR, LinearSVC, LinearSVR)

for _one in CLASSES:
    _one.register(_one._stock)  # isinstance() of what was fitted, or pickled, without us

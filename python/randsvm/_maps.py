"""randsvm._maps - maps: projections, components, scalings, selections

SPDX-License-Identifier: BSD-3-Clause
"""
import ctypes
import os

import numpy as np

from ._library import (RandsvmArgumentError, RandsvmTypeError, RandsvmValueError, _Handle,
                       _Projection, _Selection, _bytes_of, _call, _copy, _from_bytes, librandsvm,
                       _run, _run_of, _work)
from ._base import NotFittedError, TransformerMixin
from ._rows import (Rows, _as_rows, _check_same_names, _encode, _feature_names, _is_sparse, _kept,
                    _matrix, _row_weights, _targets, _weighed)
from ._models import Model
from ._fitted import _Fitted, _keep


class Map(_Handle):
    """Rows to rows with other features: a projection, components, a scaling or a selection

    feature_names_in_ are those of the columns that an estimator was fitted to, or None.
    """

    _free = "rsv_map_free"
    feature_names_in_ = None

    @classmethod
    def read(cls, path):
        """A file of rp-project -s, fs-select -s or svm-scale -s"""
        return cls._of(_call("map_read", os.fsencode(path)))

    def write(self, path):
        _call("map_write", self, os.fsencode(path))

    def __reduce__(self):
        return (_from_bytes, (Map, _bytes_of(self.write)),
                {"feature_names_in_": self.feature_names_in_})

    @property
    def selected(self):
        """Columns that a selection has chosen, in the order of choice"""
        n = librandsvm.rsv_map_n_selected(self)
        return _copy(librandsvm.rsv_map_selected(self), n, np.int32) - 1

    @property
    def selected_weights(self):
        return _copy(librandsvm.rsv_map_selected_weights(self), len(self.selected), np.float64)

    @property
    def selected_scores(self):
        return _copy(librandsvm.rsv_map_selected_scores(self), len(self.selected), np.float64)

    def apply(self, X, n_jobs=None):
        """The rows mapped: Rows of Rows, an array of an array, a CSR matrix of a sparse one

        RandsvmError names the first row with a number that is too large for a double.
        """
        _check_same_names(self.feature_names_in_, _feature_names(X))
        X = _matrix(X)
        mapped = _work("map_apply", self, _as_rows(X), run=_run(n_jobs), kind=Rows)
        if isinstance(X, Rows):
            return mapped
        n = librandsvm.rsv_map_n_features(self) or X.shape[1]
        return mapped.tocsr(n) if _is_sparse(X) else mapped.toarray(n)

    def fold(self, model, n_features):
        """A linear model of mapped rows as one of the rows as they were, with so many features"""
        if not isinstance(model, Model):
            raise RandsvmTypeError(f"a Model is wanted, not {type(model).__name__}")
        folded = Model._of(_call("map_fold", self, model, n_features))
        folded.feature_names_in_ = self.feature_names_in_
        return folded


class _Transformer(TransformerMixin, _Fitted):
    """A map that fit() makes"""

    def fit(self, X, y=None):
        return self._fit(X, y)

    def _fit(self, X, y, sample_weight=None):
        names, X = _feature_names(X), _matrix(X)
        weights = _row_weights(sample_weight, X.shape[0])
        rows = _as_rows(X, self._labels(X, y, _kept(weights)))
        self.map_ = self._make(_weighed(rows, weights))
        self.map_.feature_names_in_ = names
        self._keep_features(names, X.shape[1])
        return self

    def _labels(self, X, y, kept):
        return None

    def transform(self, X):
        X = self._check(X)
        return self.map_.apply(X, self.n_jobs)

    def get_feature_names_out(self, input_features=None):
        """Names of the columns of transform(), after those given, or fitted, or x0, x1, ..."""
        name = type(self).__name__
        if not hasattr(self, "map_"):
            raise NotFittedError(f"This {name} instance is not fitted yet. Call 'fit' before.")
        fitted = getattr(self, "feature_names_in_", None)
        if input_features is None:
            names = fitted if fitted is not None else [f"x{k}" for k in range(self.n_features_in_)]
        else:
            names = input_features
            if fitted is not None and list(names) != list(fitted):
                raise RandsvmValueError("input_features is not equal to feature_names_in_")
            if len(names) != self.n_features_in_:
                raise RandsvmValueError(
                    "input_features should have length equal to number of features "
                    f"({self.n_features_in_}), got {len(names)}")
        return self._names_out(np.asarray(names, object))

    def _names_out(self, names):
        n = librandsvm.rsv_map_n_features(self.map_)
        return np.array([f"{type(self).__name__.lower()}{k}" for k in range(n)], object)

    def fold(self, machine):
        """The Model of a linear machine, fitted to mapped rows, for the rows as they were"""
        return self.map_.fold(machine.model_, self.n_features_in_)


class RandomProjection(_Transformer):
    """Random projection to n_components features; methods are rp-project's"""

    def __init__(self, n_components=100, *, method="cw", n_jobs=None, random_state=None):
        _keep(self, locals())

    def _make(self, rows):
        return Map._of(_call("project", ctypes.byref(_Projection(
            method=os.fsencode(self.method), n_columns=self.n_components, n_features=rows.shape[1],
            seed=_run_of(self).seed))))


class PrincipalComponents(_Transformer):
    """The first n_components principal components, of which there may be fewer"""

    def __init__(self, n_components=2, *, n_jobs=None, random_state=None):
        _keep(self, locals())

    def _make(self, rows):
        # a decomposition by LAPACK takes seconds, and asks nothing
        return _work("components", rows, self.n_components, run=_run_of(self), kind=Map,
                     leaves=True)


class RangeScaler(_Transformer):
    """Each feature from its range in the rows fitted to feature_range, as svm-scale"""

    def __init__(self, feature_range=(-1, 1), *, n_jobs=None):
        _keep(self, locals())

    def _make(self, rows):
        try:
            low, high = self.feature_range
        except (TypeError, ValueError):
            raise RandsvmArgumentError(
                f"feature_range is {self.feature_range!r}, not two numbers") from None
        return Map._of(_call("scale", rows, low, high))

    def _names_out(self, names):
        return names


# methods that look at labels, whichever rows count
_BY_LABELS = "rfe", "rmb", "lpsvm", "l1", "t", "f"


class FeatureSelector(_Transformer):
    """Selection of n_features_to_select features; methods are fs-select's

    map_.selected are the columns in the order of choice.  transform() leaves the others out; with
    rescale=True it multiplies by the weights that the method gives.
    """

    _failing_checks = {f"check_sample_weights_{name}": "method='bss' takes no weights"
                       for name in ("list", "not_overwritten")}

    def __init__(self, n_features_to_select=10, *, method="bss", unsupervised=False,
                 regression=False, C=1.0, epsilon=0.1, tol=1e-3, fraction=0.1, rescale=False,
                 n_jobs=None, random_state=None):
        _keep(self, locals())

    def fit(self, X, y=None, sample_weight=None):
        """Choose features

        For the methods rfe, rmb, lpsvm, t and f a row of weight w counts as w equal rows do, one of
        weight 0 as none; the others take no weights but 0 and 1.
        """
        return self._fit(X, y, sample_weight)

    def _labels(self, X, y, kept):
        if self.unsupervised and self.method not in _BY_LABELS:
            return None
        y = _targets(X, y)
        return y if self.regression else _encode(y, kept)[1]

    def _tags(self):
        return False, not self.unsupervised

    def _names_out(self, names):
        return names[np.sort(self.map_.selected)]

    def _make(self, rows):
        return _work("select", rows, ctypes.byref(_Selection(
            method=os.fsencode(self.method), n_features=self.n_features_to_select,
            unsupervised=self.unsupervised, regression=self.regression, C=self.C, p=self.epsilon,
            eps=self.tol, fraction=self.fraction, rescale=self.rescale, renumber=1)),
            run=_run_of(self), kind=Map, leaves=True)

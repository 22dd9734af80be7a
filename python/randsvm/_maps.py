"""randsvm._maps - maps: projections, components, scalings, selections

SPDX-License-Identifier: BSD-3-Clause
"""
from __future__ import annotations

import ctypes
import os
from typing import Any, Sequence

import numpy as np

from ._library import (RandsvmArgumentError, RandsvmTypeError, RandsvmValueError, _Handle,
                       _Projection, _Selection, _bytes_of, _call, _copy, _from_bytes, librandsvm,
                       _run, _run_of, _work)
from ._base import NotFittedError, TransformerMixin
from ._rows import (ArrayLike, MatrixLike, Rows, _as_rows, _check_chosen_names, _check_same_names,
                    _choice_of, _encode, _feature_names, _is_sparse, _kept, _matrix, _row_weights,
                    _targets, _text_lines, _weighed)
from ._models import Model
from ._fitted import _Fitted, _keep


class Map(_Handle):
    """Rows to rows with other features: a projection, components, a scaling or a selection

    Estimators have it as ``map_``, and read() makes it of files of the programs.  pickle takes it.

    Attributes
    ----------
    feature_names_in_ : ndarray or None
        Names of the columns that an estimator was fitted to.
    """

    _free = "rsv_map_free"
    feature_names_in_ = None
    _chosen = None  # columns selected, and their names in the file

    @classmethod
    def read(cls, path: str | os.PathLike) -> Map:
        """A file of ``rp-project -s``, ``fs-select -s`` or ``svm-scale -s``

        Where ``fs-select --names`` kept names of the features chosen, columns of a DataFrame must
        have these.

        Raises
        ------
        RandsvmError
            Where it cannot be read (code 2), or is no map (code 3).
        """
        return cls._of(_call("map_read", os.fsencode(path)))

    def write(self, path: str | os.PathLike) -> None:
        """Write a file that the programs read, gzipped if its name ends in .gz

        Raises
        ------
        RandsvmError
            Where it cannot be written; a file of that name then stays as it was.
        """
        _call("map_write", self, os.fsencode(path))

    def __reduce__(self):
        return (_from_bytes, (Map, _bytes_of(self.write)),
                {"feature_names_in_": self.feature_names_in_})

    @property
    def selected(self) -> np.ndarray | None:
        """Columns that a selection has chosen, from 0, in the order of choice; else None"""
        n = librandsvm.rsv_map_n_selected(self)
        features = _copy(librandsvm.rsv_map_selected(self), n, np.int32)
        return None if features is None else features - 1

    @property
    def selected_weights(self) -> np.ndarray | None:
        """Weights of these columns, by which rescale=True multiplies; None of other maps"""
        n = librandsvm.rsv_map_n_selected(self)
        return _copy(librandsvm.rsv_map_selected_weights(self), n, np.float64)

    @property
    def selected_scores(self) -> np.ndarray | None:
        """Scores of these columns, by which the method chose; None of other maps"""
        n = librandsvm.rsv_map_n_selected(self)
        return _copy(librandsvm.rsv_map_selected_scores(self), n, np.float64)

    def apply(self, X: MatrixLike, n_jobs: int | None = None) -> Any:
        """The rows mapped

        Parameters
        ----------
        X : array of shape (n_rows, n_features), sparse matrix, or Rows
        n_jobs : int, optional
            Number of threads; None: all cores.

        Returns
        -------
        array of shape (n_rows, n_columns), CSR matrix of a sparse one, or Rows of Rows

        Raises
        ------
        RandsvmError
            Of the first row with a number that is too large for a double (code 5), or a feature
            that the map does not have; or where columns of a DataFrame have other names than those
            that the map was fitted to, or that its file has of those chosen.
        """
        names = _feature_names(X)
        _check_same_names(self.feature_names_in_, names)
        if self.feature_names_in_ is None and names is not None and self.selected is not None:
            if self._chosen is None:
                self._chosen = _choice_of(_text_lines(_bytes_of(self.write)))[:2]
            _check_chosen_names(*self._chosen, names)
        X = _matrix(X)
        mapped = _work("map_apply", self, _as_rows(X), run=_run(n_jobs), kind=Rows)
        if isinstance(X, Rows):
            return mapped
        n = librandsvm.rsv_map_n_features(self) or X.shape[1]
        return mapped.tocsr(n) if _is_sparse(X) else mapped.toarray(n)

    def fold(self, model: Model, n_features: int) -> Model:
        """A linear model of mapped rows as one of the rows as they were

        Parameters
        ----------
        model : Model
            Of a linear kernel.
        n_features : int
            Of the rows as they were.

        Returns
        -------
        Model

        Raises
        ------
        RandsvmError
            For scalings and maps of kernels, which are not linear, and where a weight is too large
            for a double.
        """
        if not isinstance(model, Model):
            raise RandsvmTypeError(f"a Model is wanted, not {type(model).__name__}")
        folded = Model._of(_call("map_fold", self, model, n_features))
        folded.feature_names_in_ = self.feature_names_in_
        return folded


class _Transformer(TransformerMixin, _Fitted):
    """A map that fit() makes"""

    def fit(self, X: MatrixLike, y: ArrayLike | None = None) -> _Transformer:
        """Make the map

        Parameters
        ----------
        X : array of shape (n_rows, n_features), sparse matrix, or Rows
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        RandsvmValueError
            Of a parameter out of its range, or an X without rows, or with numbers not finite.
        """
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

    def transform(self, X: MatrixLike) -> Any:
        """The rows mapped

        Parameters
        ----------
        X : array of shape (n_rows, n_features), sparse matrix, or Rows
            With the features, and the names of columns, that were fitted.

        Returns
        -------
        array of shape (n_rows, n_columns), CSR matrix of a sparse one, or Rows of Rows

        Raises
        ------
        NotFittedError
        RandsvmError
            Of other features, and of a number that is too large for a double.
        """
        X = self._check(X)
        return self.map_.apply(X, self.n_jobs)

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """Names of the columns of transform()

        Parameters
        ----------
        input_features : sequence of str, optional
            Names of the features; None: those fitted, or x0, x1, ...

        Returns
        -------
        ndarray of str
        """
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

    def _linear_part(self):
        """What the map adds for a unit of each feature, [n_features_in_][features made]"""
        n = self.n_features_in_
        start, column, value = np.arange(n + 1), np.arange(n, dtype=np.int32), np.ones(n)
        units = Rows._of(_call("rows_csr", n, start.ctypes.data, column.ctypes.data,
                               value.ctypes.data, None))
        return self._mapped(self.map_.apply(units)) - self.map_.apply(np.zeros((1, n)))

    def _mapped(self, X):
        """Rows that transform() gives, as an array of as many columns"""
        n = librandsvm.rsv_map_n_features(self.map_) or self.n_features_in_
        if isinstance(X, Rows):
            return X.toarray(n)
        X = _matrix(X)
        X = X.toarray() if _is_sparse(X) else X
        if X.shape[1] != n:
            raise RandsvmValueError(f"X has {X.shape[1]} features, but {type(self).__name__} makes "
                                    f"{n} features.")
        return X

    def fold(self, machine: Any) -> Model:
        """The model of a linear machine, fitted to mapped rows, for the rows as they were

        Parameters
        ----------
        machine : SVC, SVR, ...
            Fitted to rows of transform().

        Returns
        -------
        Model

        Raises
        ------
        RandsvmError
            As Map.fold() does.
        """
        return self.map_.fold(machine.model_, self.n_features_in_)


class RandomProjection(_Transformer):
    """Random projection to n_components features

    Parameters
    ----------
    n_components : int, default 100
        Number of features made.
    method : str, default "cw"
        As of ``rp-project -m``: "rs", "fht", "cw", "countsketch", "osnap", "gaussian", "uniform",
        "achlioptas", "li".
    n_jobs : int, optional
        Number of threads of transform(); None: all cores.
    random_state : int, RandomState, or None, which is 1

    Attributes
    ----------
    map_ : Map
        The map as the programs have it.
    n_features_in_, feature_names_in_
        As of scikit-learn's.
    """

    def __init__(self, n_components: int = 100, *, method: str = "cw", n_jobs: int | None = None,
                 random_state: Any = None) -> None:
        _keep(self, locals())

    def _make(self, rows):
        return Map._of(_call("project", ctypes.byref(_Projection(
            method=os.fsencode(self.method), n_columns=self.n_components, n_features=rows.shape[1],
            seed=_run_of(self).seed))))

    @property
    def components_(self) -> np.ndarray:
        """The map as a matrix of shape (n_components, n_features_in_): transform(X) is X @ its
        transpose

        Computed at each look, in n_components n_features_in_ values.
        """
        if not hasattr(self, "map_"):
            raise AttributeError("components_ are there after fit()")
        return self._linear_part().T

    def inverse_transform(self, X: Any) -> np.ndarray:
        """The shortest rows that transform() takes to the rows of X, or next to them

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_components)

        Returns
        -------
        ndarray of shape (n_samples, n_features_in_)

        Raises
        ------
        RandsvmValueError
            Where X has other than n_components features.
        """
        return self._mapped(X) @ np.linalg.pinv(self.components_).T


class PrincipalComponents(_Transformer):
    """The first principal components

    Parameters
    ----------
    n_components : int, default 2
        At most so many; rows of a lower rank have fewer.
    n_jobs, random_state
        As of RandomProjection.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features_in_)
        Unit vectors: transform(X) is (X - mean_) @ components_.T.
    mean_ : ndarray of shape (n_features_in_,)
    singular_values_ : ndarray of shape (n_components_,)
        Of the rows less their mean.
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components_,)
        Variance of each component, and its share of the variance of all features.
    n_components_ : int
        Number of components found.
    map_, n_features_in_, feature_names_in_
        As of RandomProjection.
    """

    def __init__(self, n_components: int = 2, *, n_jobs: int | None = None,
                 random_state: Any = None) -> None:
        _keep(self, locals())

    def _make(self, rows):
        # a decomposition by LAPACK takes seconds, and asks nothing
        return _work("components", rows, self.n_components, run=_run_of(self), kind=Map,
                     leaves=True)

    def fit(self, X: Any, y: Any = None) -> PrincipalComponents:
        """Find the components

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        RandsvmError
            Of a parameter out of its range, or of memory.
        """
        super().fit(X)
        X = _matrix(X)
        self.mean_, squares = _moments(X, self.n_features_in_)
        n = X.shape[0]
        self.components_ = self._linear_part().T
        mapped = self._mapped(self.map_.apply(X, self.n_jobs))
        self.singular_values_ = np.sqrt(np.square(mapped - mapped.mean(axis=0)).sum(axis=0))
        self.explained_variance_ = self.singular_values_ ** 2 / max(n - 1, 1)
        total = squares.sum()
        self.explained_variance_ratio_ = self.singular_values_ ** 2 / (total if total > 0 else 1)
        self.n_components_ = len(self.components_)
        return self

    def inverse_transform(self, X: Any) -> np.ndarray:
        """The rows in the space of the components that transform() takes to the rows of X

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_components_)

        Returns
        -------
        ndarray of shape (n_samples, n_features_in_)

        Raises
        ------
        RandsvmValueError
            Where X has other than n_components_ features.
        """
        return self._mapped(X) @ self.components_ + self.mean_


# Rows of Rows that are looked at at a time, so that they are not in memory twice
_PIECE = 10000


def _pieces(X):
    """(values, columns) of parts of a CSR matrix or Rows, zeros left out"""
    if not isinstance(X, Rows):
        yield X.data, X.indices
        return
    for first in range(0, len(X), _PIECE):
        value, column, _ = X.part(np.arange(first, min(first + _PIECE, len(X)))).arrays()
        yield value, column


def _moments(X, n_features):
    """(mean, sum of squares about it) of each column of a matrix or Rows"""
    n = X.shape[0]
    if isinstance(X, np.ndarray):
        mean = X.mean(axis=0)
        return mean, np.square(X - mean).sum(axis=0)
    mean = sum(np.bincount(column, value, n_features) for value, column in _pieces(X)) / n
    squares = n * mean ** 2  # of rows that are all 0
    for value, column in _pieces(X):
        one = mean[column]
        squares += np.bincount(column, np.square(value - one) - np.square(one), n_features)
    return mean, squares


class RangeScaler(_Transformer):
    """Each feature from its range in the rows fitted to another, as svm-scale

    Parameters
    ----------
    feature_range : (low, high), default (-1, 1)
    n_jobs
        As of RandomProjection.

    Attributes
    ----------
    data_min_, data_max_, data_range_ : ndarray of shape (n_features_in_,)
        The least and the greatest number of each feature, and their difference.
    map_, n_features_in_, feature_names_in_
        As of RandomProjection.
    """

    def __init__(self, feature_range: tuple[float, float] = (-1, 1), *,
                 n_jobs: int | None = None) -> None:
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

    def fit(self, X: Any, y: Any = None) -> RangeScaler:
        """Find the ranges of the features

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        RandsvmError
            Of a feature_range that is none.
        """
        super().fit(X)
        self.data_min_, self.data_max_ = _ranges(_matrix(X), self.n_features_in_)
        return self

    @property
    def data_range_(self) -> np.ndarray:
        """data_max_ - data_min_, of shape (n_features_in_,)"""
        return self.data_max_ - self.data_min_

    def inverse_transform(self, X: Any) -> np.ndarray:
        """The rows that transform() takes to the rows of X

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, n_features_in_)

        Returns
        -------
        ndarray of shape (n_samples, n_features_in_)
            A feature that was the same in all rows of fit() is so here.

        Raises
        ------
        RandsvmValueError
            Where X has other than n_features_in_ features.
        """
        low, high = self.feature_range
        return self.data_min_ + (self._mapped(X) - low) / (high - low) * self.data_range_


def _ranges(X, n_features):
    """(least, greatest) value of each column of a matrix or Rows, zeros too"""
    if isinstance(X, np.ndarray):
        return X.min(axis=0), X.max(axis=0)
    low, high = np.full(n_features, np.inf), np.full(n_features, -np.inf)
    n_values = np.zeros(n_features, np.int64)
    for value, column in _pieces(X):
        order = np.argsort(column, kind="stable")
        found, first = np.unique(column[order], return_index=True)
        low[found] = np.minimum(low[found], np.minimum.reduceat(value[order], first))
        high[found] = np.maximum(high[found], np.maximum.reduceat(value[order], first))
        n_values += np.bincount(column, minlength=n_features)
    has_zero = n_values < X.shape[0]
    return np.where(has_zero, np.minimum(low, 0), low), np.where(has_zero, np.maximum(high, 0), high)


# methods that look at labels, whichever rows count
_BY_LABELS = "rfe", "rmb", "lpsvm", "l1", "t", "f"


class FeatureSelector(_Transformer):
    """Selection of features, by fs-select's methods

    transform() leaves the other features out.  ``map_.selected`` are the columns in the order of
    choice.

    Parameters
    ----------
    n_features_to_select : int, default 10
    method : str, default "bss"
        As of ``fs-select -m``: "bss", "leverage", "rrqr", "rfe", "lpsvm", "l1", "f", ...
    unsupervised : bool, default False
        Choose among all rows, not among support vectors.
    regression : bool, default False
        Labels are targets.
    C, epsilon, tol : float
        Of the machines that are trained.
    fraction : float, default 0.1
        Share of the features that a step of "rfe" and "rmb" drops; 0: one.
    rescale : bool, default False
        transform() multiplies by the weights that the method gives, as with "bss" and "leverage"
        it always does.
    n_jobs, random_state
        As of RandomProjection.

    Attributes
    ----------
    map_, n_features_in_, feature_names_in_
        As of RandomProjection.
    """

    _failing_checks = {f"check_sample_weights_{name}": "method='bss' takes no weights"
                       for name in ("list", "not_overwritten")}

    def __init__(self, n_features_to_select: int = 10, *, method: str = "bss",
                 unsupervised: bool = False, regression: bool = False, C: float = 1.0,
                 epsilon: float = 0.1, tol: float = 1e-3, fraction: float = 0.1,
                 rescale: bool = False, n_jobs: int | None = None,
                 random_state: Any = None) -> None:
        _keep(self, locals())

    def fit(self, X: MatrixLike, y: ArrayLike | None = None,
            sample_weight: ArrayLike | None = None) -> FeatureSelector:
        """Choose features

        Parameters
        ----------
        X : array of shape (n_rows, n_features), sparse matrix, or Rows
        y : array of shape (n_rows,)
            Classes, or targets; not of unsupervised=True, nor of Rows, which have their own.
        sample_weight : array of shape (n_rows,), optional
            For the methods rfe, rmb, lpsvm, t and f a row of weight w counts as w equal rows do,
            one of weight 0 as none; the others take no weights but 0 and 1.

        Returns
        -------
        self

        Raises
        ------
        RandsvmValueError
            Of a parameter out of its range, or one that the method does not have.
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

    def get_support(self, indices: bool = False) -> np.ndarray:
        """A mask of the columns chosen, of shape (n_features_in_,), or their numbers, ascending

        Parameters
        ----------
        indices : bool
            Numbers are wanted.

        Raises
        ------
        NotFittedError
            Before fit().
        """
        if not hasattr(self, "map_"):
            raise NotFittedError("This FeatureSelector instance is not fitted yet. Call 'fit' "
                                 "before.")
        chosen = np.sort(self.map_.selected)
        if indices:
            return chosen
        mask = np.zeros(self.n_features_in_, bool)
        mask[chosen] = True
        return mask

    def inverse_transform(self, X: Any) -> np.ndarray:
        """The rows of X with columns of 0 for the features left out, and without weights

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_samples, features chosen)

        Returns
        -------
        ndarray of shape (n_samples, n_features_in_)

        Raises
        ------
        RandsvmValueError
            Where X has other features.
        """
        X = self._mapped(X)
        full = np.zeros((len(X), self.n_features_in_))
        # some methods multiply by weights, whatever rescale says
        full[:, self.get_support()] = X / self.map_.apply(np.ones((1, self.n_features_in_)))
        return full

    def _make(self, rows):
        return _work("select", rows, ctypes.byref(_Selection(
            method=os.fsencode(self.method), n_features=self.n_features_to_select,
            unsupervised=self.unsupervised, regression=self.regression, C=self.C, p=self.epsilon,
            eps=self.tol, fraction=self.fraction, rescale=self.rescale, renumber=1)),
            run=_run_of(self), kind=Map, leaves=True)

"""randsvm._kernel_maps - kernels as maps: RBFSampler, Nystroem, PolynomialCountSketch

SPDX-License-Identifier: BSD-3-Clause
"""
from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._library import (RandsvmArgumentError, RandsvmValueError, _Projection, _call, _run_of, _work)
from ._rows import ArrayLike, MatrixLike, Rows
from ._problems import _choice, _gamma
from ._fitted import _keep
from ._maps import Map, _Transformer


class _KernelMap(_Transformer):
    """A map whose rows have nearly kernel values as products; they are full, also of sparse X"""

    def fit(self, X: MatrixLike, y: ArrayLike | None = None) -> _KernelMap:
        """Draw the map

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
            Of a parameter out of its range.
        """
        return self._fit(X, y)

    def transform(self, X: MatrixLike) -> np.ndarray | Rows:
        """The rows mapped

        Parameters
        ----------
        X : array of shape (n_rows, n_features), sparse matrix, or Rows

        Returns
        -------
        ndarray of shape (n_rows, n_columns), or Rows of Rows
            n_columns is n_components, or fewer of Nystroem.
        """
        X = self._check(X)
        mapped = self.map_.apply(X, getattr(self, "n_jobs", None))
        return mapped if isinstance(mapped, (Rows, np.ndarray)) else mapped.toarray()

    def _projection(self, method, rows, **parameters):
        return _Projection(method=method, n_columns=self.n_components, n_features=rows.shape[1],
                           seed=_run_of(self).seed, **parameters)


def _number_of_gamma(gamma, rows):
    """gamma, which may be "scale"; of 0 a map would be of 1 / n_features"""
    gamma = _gamma(gamma, rows)
    if not np.isfinite(gamma):
        raise RandsvmValueError(f"gamma = {gamma} is not finite")
    return gamma


class RBFSampler(_KernelMap):
    """Random Fourier features of a Gaussian kernel, or Laplace's

    Parameters
    ----------
    gamma : float or "scale", default 1.0
        Of the kernel exp(-gamma |x - z|^2), or exp(-gamma |x - z|_1) of "laplace".
    n_components : int, default 100
        Number of features made.  Errors of kernel values fall as 1 / sqrt(n_components).
    kernel : "rbf" or "laplace"
    n_jobs : int, optional
        Number of threads; None: all cores.
    random_state : int, RandomState, or None, which is 1

    Attributes
    ----------
    map_ : Map
        The map as the programs have it: that of ``rp-project -m rff``, to the byte.
    n_features_in_ : int

    Notes
    -----
    Frequencies are orthogonal within blocks, for a smaller error than scikit-learn's independent
    ones, and there is a cosine and a sine for each.  There is no ``random_weights_``.
    """

    def __init__(self, *, gamma: float | str = 1.0, n_components: int = 100, kernel: str = "rbf",
                 n_jobs: int | None = None, random_state: Any = None) -> None:
        _keep(self, locals())

    def _make(self, rows):
        _choice(self.kernel, ("rbf", "laplace"), "kernel")
        projection = self._projection(b"rff", rows, kernel=self.kernel.encode(),
                                      gamma=_number_of_gamma(self.gamma, rows))
        return Map._of(_call("project", ctypes.byref(projection)))


class PolynomialCountSketch(_KernelMap):
    """Sketches of the polynomial kernel (gamma x.z + coef0)^degree

    Parameters
    ----------
    gamma : float, default 1.0
    degree : int, default 2
        From 1 to 1000.
    coef0 : float, default 0
        0 or more.
    n_components : int, default 100
        Number of features made.  The variance of a kernel value is at most
        (3^degree - 1) / n_components K(x, x) K(z, z).
    n_jobs : int, optional
        Number of threads; None: all cores.
    random_state : int, RandomState, or None, which is 1

    Attributes
    ----------
    map_ : Map
        The map as the programs have it: that of ``rp-project -m tensorsketch``, to the byte.
    n_features_in_ : int
    """

    def __init__(self, *, gamma: float = 1.0, degree: int = 2, coef0: float = 0,
                 n_components: int = 100, n_jobs: int | None = None,
                 random_state: Any = None) -> None:
        _keep(self, locals())

    def _make(self, rows):
        projection = self._projection(b"tensorsketch", rows, degree=self.degree, coef0=self.coef0,
                                      gamma=_number_of_gamma(self.gamma, rows))
        return Map._of(_call("project", ctypes.byref(projection)))


class Nystroem(_KernelMap):
    """Nystrom's map: kernel values by way of some rows, the landmarks

    Parameters
    ----------
    kernel : "rbf", "poly", "polynomial" or "linear"
    gamma : float, optional
        Of the kernel; None: 1 / n_features.
    coef0 : float, optional
        Of the polynomial kernel, 0 or more; None: 1.
    degree : int, optional
        Of the polynomial kernel; None: 3.
    kernel_params : dict, optional
        gamma, coef0 and degree where these are None.
    n_components : int, default 100
        Number of landmarks, of which those that others make up are left out.
    landmarks : "uniform" or "leverage"
        How they are drawn: all rows alike, or by ridge leverage scores, which finds small clusters.
    n_jobs : int, optional
        Number of threads; None: all cores.
    random_state : int, RandomState, or None, which is 1

    Attributes
    ----------
    map_ : Map
        The map as the programs have it: that of ``rp-project -m nystrom``, to the byte.
    n_features_in_ : int

    Notes
    -----
    Products of mapped rows are those of scikit-learn's map with the same landmarks, which is a
    rotation of this one.  There are no ``components_``.
    """

    def __init__(self, kernel: str = "rbf", *, gamma: float | None = None,
                 coef0: float | None = None, degree: int | None = None,
                 kernel_params: dict | None = None, n_components: int = 100,
                 landmarks: str = "uniform", n_jobs: int | None = None,
                 random_state: Any = None) -> None:
        _keep(self, locals())

    def _kernel(self, n_features):
        """gamma, coef0 and degree of the kernel in the library's terms, by scikit-learn's rules"""
        _choice(self.kernel, ("rbf", "poly", "polynomial", "linear"), "kernel")
        given = self.kernel_params or {}
        if not isinstance(given, Mapping):
            raise RandsvmArgumentError(f"kernel_params is {given!r}, not a dict")
        known = {"gamma": 1 / n_features, "coef0": 1, "degree": 3}
        for name in given:
            _choice(name, tuple(known), "a name of kernel_params")
        if self.kernel == "linear":
            return {"kernel": b"polynomial", "gamma": 1, "coef0": 0, "degree": 1}
        own = {name: getattr(self, name) for name in known if getattr(self, name) is not None}
        kernel = b"rbf" if self.kernel == "rbf" else b"polynomial"
        return {"kernel": kernel, **known, **given, **own}

    def _make(self, rows):
        kernel = self._kernel(rows.shape[1])
        kernel["gamma"] = _number_of_gamma(kernel["gamma"], rows)
        by_leverage = _choice(self.landmarks, ("uniform", "leverage"), "landmarks")
        projection = self._projection(b"nystrom", rows, by_leverage=by_leverage, **kernel)
        # its matrices take seconds, and nothing is asked meanwhile
        return _work("nystrom", rows, ctypes.byref(projection), run=_run_of(self), kind=Map,
                     leaves=True)

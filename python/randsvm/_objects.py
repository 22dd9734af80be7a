"""randsvm._objects - examples that only a kernel of the caller's knows: kernel=callable

SPDX-License-Identifier: BSD-3-Clause
"""
from __future__ import annotations

import ctypes
from typing import Any, Callable

import numpy as np

from ._library import (RandsvmTypeError, RandsvmValueError, _KernelFunction, _VALUES, _call)
from ._rows import Rows, _count, _is_sparse

# Rows up to which the kernel is asked for all values in one call, as scikit-learn asks: those are
# wanted anyway, and of so few some kernels know a matrix of all rows alone.
_WHOLE = 64


def _objects(X: Any) -> Any:
    """X as something that _part() takes parts of: an array, a DataFrame, a CSR matrix, a list"""
    if isinstance(X, Rows):
        raise RandsvmTypeError("a kernel that is a function is for arrays and lists, not for Rows")
    if _is_sparse(X):
        X = X.tocsr()
    elif not hasattr(X, "shape"):
        X = list(X)
    if _count(X) == 0:
        raise RandsvmValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
    return X


def _part(X, index):
    """The rows, or objects, of these numbers"""
    if hasattr(X, "iloc"):
        return X.iloc[index]
    return X[index] if hasattr(X, "shape") else [X[k] for k in index]


def _values(kernel, X, Y):
    """kernel(X, Y), an array of shape (rows of X, rows of Y)"""
    values, shape = kernel(X, Y), (_count(X), _count(Y))
    values = np.asarray(values.toarray() if _is_sparse(values) else values)
    if values.shape != shape:
        raise RandsvmValueError(f"the kernel of {shape[0]} and {shape[1]} rows should be an array "
                                f"of shape {shape}, not {values.shape}")
    return np.ascontiguousarray(values, np.float64)


class _Function:
    """A kernel of Python's as the library calls it, by one thread at a time

    `job` is the computation under way, which ends where the kernel raises an exception.
    """

    def __init__(self, kernel, X):
        self.kernel, self.X, self.job = kernel, X, None
        self.whole = _values(kernel, X, X) if _count(X) <= _WHOLE else None
        self.n_values = 0 if self.whole is None else self.whole.size
        self.callback = _VALUES(self._give)

    def _give(self, _, i, others, n, out):
        try:
            if self.job.failure:
                return 1
            index = np.frombuffer(ctypes.string_at(others, 8 * n), np.int64)
            if self.whole is None:
                values = _values(self.kernel, _part(self.X, [i]), _part(self.X, index))
                self.n_values += n
            else:
                values = self.whole[i, index]
            ctypes.memmove(out, values.ctypes.data, 8 * n)
            return 0
        except BaseException as error:
            self.job.failure = self.job.failure or error
            return 1

    def gives_blocks(self, index):
        """Does it know rows of these numbers apart from all others?"""
        if self.whole is None or len(index) == 0:
            return True
        try:
            values = _values(self.kernel, _part(self.X, index[:1]), _part(self.X, index))
        except Exception:
            return False
        self.n_values += values.size
        return np.allclose(values, self.whole[index[:1]][:, index], 1e-9)


def _object_rows(X, y, kernel):
    """Rows whose values the kernel gives when they are wanted"""
    function = _Function(kernel, X)
    given = _KernelFunction(values=ctypes.cast(function.callback, ctypes.c_void_p),
                            error=getattr(kernel, "error", 0))
    labels = None if y is None else np.ascontiguousarray(y, np.float64)
    rows = Rows._of(_call("rows_kernel_by", ctypes.byref(given), _count(X),
                          None if y is None else labels.ctypes.data))
    rows._function = function
    return rows


class _Vectors:
    """The support vectors of a model by a kernel of the caller's, to predict others by"""

    def __init__(self, rows, support):
        function = rows._function
        self.numbers = np.unique(support)
        if not function.gives_blocks(self.numbers):
            self.numbers = np.arange(_count(function.X))
        self.objects = _part(function.X, self.numbers)

    def rows(self, kernel: Callable, X: Any) -> Rows:
        """X as rows of a precomputed kernel, which have the values with these vectors"""
        X, m = _objects(X), len(self.numbers)
        values = _values(kernel, X, self.objects) if m else np.empty((_count(X), 0))
        start = np.arange(len(values) + 1, dtype=np.int64) * m
        column = np.tile(self.numbers.astype(np.int32), len(values))
        return Rows._of(_call("rows_csr", len(values), start.ctypes.data, column.ctypes.data,
                              values.ctypes.data, None))

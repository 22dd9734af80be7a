"""randsvm._rows - arrays, names of features, labels and weights; Rows, examples of the library

SPDX-License-Identifier: BSD-3-Clause
"""
from __future__ import annotations

import gzip
import numbers
import os
import sys
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._library import (RandsvmArgumentError, RandsvmTypeError, RandsvmValueError, _DOUBT_ROUNDED,
                       _Handle, _call, _copy, librandsvm, _run, _work)
from ._base import DataConversionWarning

# What methods take as X: an array-like, a sparse matrix of scipy, a DataFrame, or Rows
MatrixLike = Any

# ---- arrays ----

def _is_sparse(X):
    return hasattr(X, "tocsr")


def _count(X):
    """Number of rows of a matrix, or of elements of a list"""
    return X.shape[0] if hasattr(X, "shape") else len(X)


def _warn(text, category=UserWarning):
    """Warn the first caller that is not in this package"""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def _missing(value):
    """Is it None, NaN, NaT, or pandas' NA, whose comparisons are neither true nor false?"""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True
    except ValueError:  # an array
        return False


def _refuse_times(name, kind):
    raise RandsvmArgumentError(
        f"{name} has values of {kind}, which are no numbers of a known unit: "
        "divide their distance from some moment by a unit")


def _check_objects(array, name):
    for value in array.flat:
        if _missing(value):
            raise RandsvmValueError(f"Input {name} contains NaN{' (None)' * (value is None)}.")
        if isinstance(value, (np.datetime64, np.timedelta64)):
            _refuse_times(name, value.dtype)


def _converted(convert):
    """What numpy makes of a caller's values: its refusals are ours"""
    try:
        return convert()
    except (ValueError, TypeError, OverflowError) as reason:
        raise RandsvmArgumentError(str(reason)) from reason


def _array(values, name):
    """An array of values, none of which is missing or would be taken for a number it is not"""
    if _is_sparse(values):
        raise RandsvmTypeError(f"{name}: A sparse matrix was passed, but dense data is required.")
    if np.ma.is_masked(values):
        raise RandsvmValueError(
            f"{name} has masked values, and the numbers behind them mean nothing: "
            "leave them out, or replace them by filled()")
    array = _converted(lambda: np.asarray(values))
    kind = array.dtype.kind
    if kind == "c":
        raise RandsvmValueError("Complex data not supported")
    if kind in "mM":
        _refuse_times(name, array.dtype)
    if kind == "V":
        raise RandsvmArgumentError(f"{name} has values of {array.dtype}, which are not numbers")
    if kind == "O":
        _check_objects(array, name)
    elif kind in "US" and isinstance(values, (list, tuple)):
        _check_objects(np.array(values, object), name)  # where NaN is not "nan" yet
    return array


def _plain(array):
    """An array of objects as one of numbers, if all are numbers"""
    if array.dtype.kind == "O" and all(isinstance(value, numbers.Real) for value in array.flat):
        return np.array(array.tolist())
    return array


def _doubles(values, name):
    """An array of values as doubles, which may be infinite or NaN"""
    array = _array(values, name)
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        _tell_rounded(array, name)
    with np.errstate(over="ignore"):
        return _converted(lambda: array.astype(np.float64, copy=False))


def _tell_rounded(array, name):
    """Warn of the first integer of an array that no double is"""
    for value in array[(array > 2 ** 53) | (array < -2 ** 53)].tolist():
        if int(float(value)) != value:
            _warn(f"{name} has {value}, an integer of more digits than a double holds, and is "
                  "rounded")
            return


def _check_finite(values, name):
    if not np.isfinite(values).all():
        what = ("NaN" if np.isnan(values).any() else
                "infinity or a value too large for dtype('float64')")
        raise RandsvmValueError(f"Input {name} contains {what}.")


def _check_dimensions(n):
    if n > 2:
        raise RandsvmValueError(f"Found array with dim {n}. Expected <= 2.")
    if n < 2:
        raise RandsvmValueError(
            f"Expected 2D array, got {('scalar', '1D')[n]} array instead. Reshape "
            "your data with reshape(-1, 1) if it is a feature, (1, -1) if it is a row")


def _check_sparse(X):
    """Refuse what leads outside the arrays of a sparse matrix: scipy would go there"""
    def check(holds):
        if not holds:
            raise RandsvmValueError(f"the arrays of the sparse matrix of format {X.format} are not "
                                    f"those of a matrix of shape {X.shape}")

    def check_indices(indices, n):
        check(indices.ndim == 1 and indices.dtype.kind in "iu" and
              (not len(indices) or 0 <= indices.min() <= indices.max() < n))

    n_rows, n_columns = X.shape
    if X.format == "coo":
        check_indices(X.row, n_rows)
        check_indices(X.col, n_columns)
        check(len(X.row) == len(X.col) and X.data.shape == X.row.shape)
    elif X.format in ("csr", "csc", "bsr"):
        high, wide = X.data.shape[1:] if X.format == "bsr" else (1, 1)
        check(high > 0 and wide > 0 and n_rows % high == 0 and n_columns % wide == 0)
        n_major, n_minor = n_rows // high, n_columns // wide
        if X.format == "csc":
            n_major, n_minor = n_minor, n_major
        check_indices(X.indptr, len(X.indices) + 1)
        check(X.indptr.shape == (n_major + 1,) and X.indptr[0] == 0 and
              (X.indptr[1:] >= X.indptr[:-1]).all() and len(X.data) == len(X.indices) and
              X.data.ndim == (3 if X.format == "bsr" else 1))
        check_indices(X.indices[:X.indptr[-1]], n_minor)
    elif X.format == "lil":
        check(X.rows.shape == X.data.shape == (n_rows,) and
              all(len(row) == len(data) for row, data in zip(X.rows, X.data)))
    elif X.format == "dia":
        check(X.data.ndim == 2 and X.offsets.shape == X.data.shape[:1] and
              X.offsets.dtype.kind in "iu")


def _csr(X):
    """A sparse matrix as a CSR matrix of doubles, each entry once, columns in order"""
    from scipy.sparse import csr_matrix
    _check_dimensions(len(X.shape))
    if hasattr(X, "format"):
        _check_sparse(X)
    X = X.tocsr()
    _check_sparse(X)
    data = _doubles(X.data, "X")
    # without what the matrix says of itself, which its arrays need not bear out
    X = csr_matrix((data, X.indices.astype(np.int32, copy=False),
                    X.indptr.astype(np.int64, copy=False)), X.shape)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _matrix(X):
    """X as a contiguous 2-d array of doubles, or as a CSR matrix of them; Rows as they are"""
    if isinstance(X, Rows):
        return X
    if _is_sparse(X):
        if len(X.shape) == 2 and X.shape[1] >= 2 ** 31 - 1:
            raise RandsvmValueError(f"{X.shape[1]} features are too many")
        X = _csr(X)
    else:
        X = _doubles(X, "X")
        _check_dimensions(X.ndim)
        X = np.ascontiguousarray(X)
    for n, what in zip(X.shape, ("sample", "feature")):
        if n == 0:
            raise RandsvmValueError(
                f"Found array with 0 {what}(s) (shape={X.shape}) while a minimum of 1 "
                "is required.")
    return X


def _vector(y, n):
    """y as a 1-d array of length n"""
    if y is None:
        raise RandsvmValueError("this requires y to be passed, but the target y is None")
    y = _array(y, "y")
    if y.ndim == 2 and y.shape[1] == 1:
        _warn("A column-vector y was passed when a 1d array was expected", DataConversionWarning)
        y = y.ravel()
    if y.ndim != 1:
        raise RandsvmValueError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
    if len(y) != n:
        raise RandsvmValueError("Found input variables with inconsistent numbers of samples: "
                                f"{[n, len(y)]}")
    y = _plain(y)
    if y.dtype.kind == "f":
        _check_finite(y, "y")
    return y


# ---- names of features ----

def _feature_names(X):
    """Names of the columns of a DataFrame, of pandas or any that tells them; None: no strings"""
    if isinstance(X, Rows):
        return X.feature_names
    # pandas makes strings of all names for the protocol, and pyarrow has other things as 'columns'
    if hasattr(X, "__dataframe__") and not hasattr(X, "iloc"):
        names = np.asarray(list(X.__dataframe__().column_names()), object)
    elif hasattr(X, "columns"):
        names = np.asarray(X.columns, object)
    else:
        return None
    kinds = sorted({type(name).__qualname__ for name in names})
    if "str" not in kinds:
        return None
    if len(kinds) > 1:
        raise RandsvmTypeError(
            "Feature names are only supported if all input features have string names, "
            f"but your input has {kinds} as feature name / column name types.")
    return names


def _check_same_names(fitted, given):
    """Refuse columns of other names, or in another order, than those fitted; None: no names"""
    if fitted is None or given is None or list(fitted) == list(given):
        return
    lines = ["The feature names should match those that were passed during fit."]
    others = ((set(given) - set(fitted), "Feature names unseen at fit time:"),
              (set(fitted) - set(given), "Feature names seen at fit time, yet now missing:"))
    for names, heading in others:
        if names:
            lines += [heading, *(f"- {name}" for name in sorted(names)[:5])]
            lines += ["- ..."] * (len(names) > 5)
    if len(lines) == 1:
        lines.append("Feature names must be in the same order as they were in fit.")
    raise RandsvmValueError("\n".join(lines) + "\n")


def _text_lines(saved):
    """Lines of a file of the programs, whose bytes may be no UTF-8"""
    return saved.decode(errors="surrogateescape").split("\n")


def _choice_of(lines):
    """(columns from 0, names, whether they are numbered anew) of a file of fs-select -s

    Data are a line "index weight score [name]" for each; "" stands for no name.
    """
    head = next(k for k, line in enumerate(lines) if line.startswith("data "))
    n = int(lines[head].split()[1])
    words = [line.rstrip("\r").split(" ", 3) + [""] for line in lines[head + 1:head + 1 + n]]
    names = [word[3].rstrip() for word in words]
    # R's quotes, unless there are quotes inside, as the programs have it
    names = [name[1:-1] if len(name) > 1 and name[0] == name[-1] == '"' and '"' not in name[1:-1] else name
             for name in names]
    return [int(word[0]) - 1 for word in words], names, "renumber yes" in lines[:head]


def _choice_of_chain(path):
    """(columns from 0, names) of the first choice of a chain that has names; None: there is none

    False of a file that is no chain.
    """
    if not os.path.isfile(path):
        return None  # a pipe is read once
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    with (gzip.open if packed else open)(path, "rb") as file:
        if file.read(14) != b"randsvm-chain ":
            return False
        lines = _text_lines(file.read())
    head = next(k for k, line in enumerate(lines) if line.startswith("data "))
    first, before = head + 1, None
    for key, n in (line.split() for line in lines[1:head]):
        part = lines[first:first + int(n)]
        first += int(n)
        if not key.startswith("map-") or not part or part[0][:1] in "xy":
            continue  # ranges keep the numbers of features
        if not part[0].startswith("randsvm-selection "):
            return None  # a map makes others
        columns, names, anew = _choice_of(part)
        columns = [before[k] for k in columns] if before else columns
        if any(names):
            return columns, names
        before = sorted(columns) if anew else before
    return None


def _check_chosen_names(columns, names, given):
    """Refuse columns of other names than a file has of those chosen; "": not known"""
    for column, name in zip(columns, names):
        found = given[column] if 0 <= column < len(given) else None
        if name and column >= 0 and found != name:
            there = "there is none" if found is None else f"it is {found!r} here"
            raise RandsvmValueError(
                f"column {column} is {name!r} in the file of the choice, and {there}: take columns "
                "as they were chosen from, or X.to_numpy() where names alone differ")


def _labels_of(classes):
    """Labels of sorted classes for the library, which ascend: themselves, if such integers"""
    if classes.dtype.kind in "biuf":
        if -2 ** 31 < float(classes[0]) and float(classes[-1]) < 2 ** 31:
            return classes.astype(np.int32)
    return np.arange(len(classes), dtype=np.int32)


def _encode(y, kept=None):
    """(classes of the rows kept, sorted, and the library's labels of y, 0 for other rows)"""
    if kept is not None:
        labels = np.zeros(len(y))
        if (y[kept] == y[kept[0]]).all() and not (y == y[kept[0]]).all():
            raise RandsvmValueError(
                "Invalid input - all samples with positive weights belong to the same class.")
        classes, labels[kept] = _encode(y[kept])
        return classes, labels
    if y.dtype.kind == "f" and (y != np.floor(y)).any():
        raise RandsvmValueError("Unknown label type: 'continuous'")
    try:
        classes, index = np.unique(y, return_inverse=True)
    except TypeError as reason:
        raise RandsvmValueError(f"Unknown label type: labels have no order: {reason}") from None
    if len(classes) < 2:
        raise RandsvmValueError("The number of classes has to be greater than one; got 1 class")
    return classes, _labels_of(classes)[index]


def _decode(classes, labels):
    """Classes of the library's labels; the labels where there are no classes"""
    if classes is None:
        return labels
    return classes[np.searchsorted(_labels_of(classes), labels.astype(np.int32))]


class Rows(_Handle):
    """Examples as the library has them, with a label or target each

    All that takes X takes them, without a copy.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_features)
        Copied.  Of a precomputed kernel it has a row for each example, and a column for each
        example that is trained on.
    y : array-like of shape (n_rows,), optional
        Labels, which are numbers, or targets; without it 0.
    precomputed : bool
        Are these values of a kernel?

    Attributes
    ----------
    feature_names : ndarray or None
        Names of a DataFrame's columns.
    """

    _free = "rsv_rows_free"
    feature_names = None
    _function = None  # a kernel of the caller's that has their values: _objects.py

    def __init__(self, X: MatrixLike, y: ArrayLike | None = None,
                 precomputed: bool = False) -> None:
        self.feature_names = _feature_names(X)
        X = _matrix(X)
        _check_finite(X.data if _is_sparse(X) else X, "X")
        n_rows, n_columns = X.shape
        if y is not None:
            y = np.ascontiguousarray(_doubles(_vector(y, n_rows), "y"))
            _check_finite(y, "y")
        labels = None if y is None else y.ctypes.data
        if _is_sparse(X) and precomputed:
            X = X.toarray()
        if _is_sparse(X):
            start = np.ascontiguousarray(X.indptr, np.int64)
            column = np.ascontiguousarray(X.indices, np.int32)
            value = np.ascontiguousarray(X.data)
            pointer = _call("rows_csr", n_rows, start.ctypes.data, column.ctypes.data,
                            value.ctypes.data, labels)
        else:
            pointer = _call("rows_kernel" if precomputed else "rows_dense", n_rows, n_columns,
                            X.ctypes.data, n_columns, labels)
        super().__init__(pointer)

    def __len__(self) -> int:
        return librandsvm.rsv_rows_count(self)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows, and the highest number of a feature, from 1"""
        return len(self), librandsvm.rsv_rows_n_features(self)

    @property
    def labels(self) -> np.ndarray:
        """A copy of the labels or targets"""
        return _copy(librandsvm.rsv_rows_labels(self), len(self), np.float64)

    def _like(self, pointer):
        """Other rows with the same features"""
        rows = Rows._of(pointer)
        rows.feature_names, rows._function = self.feature_names, self._function
        return rows

    def part(self, index: ArrayLike) -> Rows:
        """The rows of these numbers, from 0, which may repeat, or those where a mask is True

        RandsvmValueError of a number of no row, or a mask of another length.
        """
        index = _row_numbers(index, len(self))
        return self._like(_call("rows_part", self, index.ctypes.data, len(index)))

    def weigh(self, weights: ArrayLike) -> Rows:
        """The rows with weights: a row of weight w counts as w equal rows do

        RandsvmValueError of weights that are not finite and above 0, or not one for each row.
        """
        weights = np.ascontiguousarray(_doubles(weights, "weights"))
        if weights.shape != (len(self),):
            raise RandsvmValueError(f"weights of shape {weights.shape} for {len(self)} rows")
        return self._like(_call("rows_weigh", self, weights.ctypes.data))

    def group(self, groups: ArrayLike) -> Rows:
        """The rows with groups, a name or number for each, which folds keep together

        RandsvmValueError of missing names, or not one for each row.
        """
        numbers = _group_numbers(groups, len(self))
        return self._like(_call("rows_group", self, numbers.ctypes.data))

    def write(self, path: str | os.PathLike) -> None:
        """Write a file of SVMlight's format, gzipped if its name ends in .gz

        RandsvmError where it cannot be written; a file of that name then stays as it was.
        """
        _call("rows_write", self, os.fsencode(path))

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(data, indices, indptr), as a CSR matrix has them"""
        n_entries = librandsvm.rsv_rows_n_entries(self)
        value, column = np.empty(n_entries), np.empty(n_entries, np.int32)
        start = np.empty(len(self) + 1, np.int64)
        _call("rows_copy", self, start.ctypes.data, column.ctypes.data, value.ctypes.data)
        return value, column, start

    def tocsr(self, n_features: int | None = None) -> Any:
        """A CSR matrix of scipy, with n_features columns; None: up to the highest feature"""
        from scipy.sparse import csr_matrix
        return csr_matrix(self.arrays(), (len(self), n_features or self.shape[1]))

    def toarray(self, n_features: int | None = None) -> np.ndarray:
        """A 2-d array, with n_features columns; None: up to the highest feature"""
        value, column, start = self.arrays()
        X = np.zeros((len(self), n_features or self.shape[1]))
        X[np.repeat(np.arange(len(self)), np.diff(start)), column] = value
        return X


def _row_numbers(index, n_rows):
    """Numbers of rows, of numbers or a mask"""
    index = _plain(_array(index, "index"))
    if index.ndim != 1:
        raise RandsvmArgumentError(f"rows are chosen by a 1d array, not one of shape {index.shape}")
    if index.dtype.kind == "b":
        if len(index) != n_rows:
            raise RandsvmValueError(f"a mask of length {len(index)} for {n_rows} rows")
        return np.flatnonzero(index)
    if index.dtype.kind not in "iu" and len(index):
        raise RandsvmArgumentError("rows are chosen by integers, or by a mask of True and False, "
                                   f"not by values of {index.dtype}")
    for row in (index.min(), index.max()) if len(index) else ():
        if not 0 <= row < n_rows:
            raise RandsvmValueError(f"there is no row {row}: there are {n_rows}, from 0")
    return np.ascontiguousarray(index, np.int64)


def read_rows(path: str | os.PathLike, n_jobs: int | None = None, by_qid: bool = False) -> Rows:
    """Rows of a file: SVMlight's text or the binary form of rp-project, gzipped or not

    Parameters
    ----------
    path : str or PathLike
        "-" is standard input.
    n_jobs : int, optional
        Number of threads; None: all cores.
    by_qid : bool
        Are the rows of a qid to be a group, which folds keep together?

    Returns
    -------
    Rows

    Raises
    ------
    RandsvmError
        Where the file cannot be read (code 2), or is wrong (code 3, with line and column).
    """
    rows = _work("rows_read_by_qid" if by_qid else "rows_read", os.fsencode(path),
                 run=_run(n_jobs), kind=Rows)
    if librandsvm.rsv_doubts(rows, None) & _DOUBT_ROUNDED:
        _warn("rows have integers of more digits than a double holds, which are rounded")
    return rows


def _as_rows(X, y=None, precomputed=False):
    return X if isinstance(X, Rows) else Rows(X, y, precomputed)


def _targets(X, y):
    """Targets or classes of the rows, a 1-d array; those of Rows are their labels"""
    if not isinstance(X, Rows):
        return _vector(y, _count(X))
    if y is not None and not np.array_equal(y, X.labels):
        raise RandsvmValueError("y differs from the labels of the rows")
    return _whole(X.labels)


def _whole(values):
    """Doubles as integers, if they are such"""
    if len(values) and (values == np.floor(values)).all() and abs(values).max() < 2 ** 31:
        return values.astype(np.int32)
    return values


def _row_weights(weights, n_rows):
    """Weights of the rows, or None"""
    if weights is None:
        return None
    weights = _doubles(weights, "sample_weight")
    if weights.ndim == 0:
        weights = np.full(n_rows, weights)
    if weights.shape != (n_rows,):
        raise RandsvmValueError(f"sample_weight.shape == {weights.shape}, expected {(n_rows,)}!")
    if not np.isfinite(weights).all():
        raise RandsvmValueError("sample_weight: finite numbers are expected")
    if not (weights > 0).any():
        raise RandsvmValueError("Invalid input - all samples have zero or negative weights.")
    if (weights < 0).any():
        _warn(f"{np.count_nonzero(weights < 0)} rows have weights below 0, and are left out")
    return np.maximum(weights, 0)


def _group_numbers(groups, n_rows):
    """A number for each row, the same where groups are equal"""
    dates = np.asanyarray(groups)
    if dates.dtype.kind in "mM" and not np.isnat(dates).any():
        groups = dates.astype(np.int64)
    groups = _array(groups, "groups")
    if groups.ndim != 1:
        raise RandsvmValueError("groups should be a 1d array, got an array of shape "
                                f"{groups.shape} instead.")
    if len(groups) != n_rows:
        raise RandsvmValueError("Found input variables with inconsistent numbers of samples: "
                                f"{[n_rows, len(groups)]}")
    if groups.dtype.kind == "f" and np.isnan(groups).any():
        raise RandsvmValueError("Input groups contains NaN.")
    number = {}
    return np.array([number.setdefault(one, len(number)) for one in groups.tolist()], np.int64)


def _kept(weights):
    """Numbers of the rows whose weight is above 0; None: all"""
    return None if weights is None or weights.all() else np.flatnonzero(weights)


def _weighed(rows, weights, groups=None):
    """The rows with weights and groups, those of weight 0 left out"""
    if groups is not None:
        rows = rows.group(groups)
    kept = _kept(weights)
    if kept is not None:
        rows, weights = rows.part(kept), weights[kept]
    return rows if weights is None or (weights == 1).all() else rows.weigh(weights)

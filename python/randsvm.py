"""randsvm - support vector machines for large data: train, prove, predict, search, reduce

    from randsvm import SVC, search
    machine = SVC(C=10, gamma=0.05).fit(X, y)         # arrays, or sparse matrices of scipy
    machine.predict(X_new)
    machine.certificates_[0]["gap"]                   # proved distance from the optimum
    search(SVC(), X, y, C=[1, 10], gamma=[0.01, 0.1]).best

Machines (SVC, NuSVC, SVR, NuSVR, OneClassSVM) and maps (RandomProjection, PrincipalComponents,
RangeScaler, FeatureSelector) are estimators in scikit-learn's manner, with its names of parameters
and attributes.  They inherit from its base classes where it is installed; nothing else needs it.

Wherever X is wanted it may be a 2-d array, a sparse matrix of scipy, or Rows.  The rows of a file,
read_rows(path), have labels and need no y.

The library librandsvm computes all of it; randsvm.h is its manual.

SPDX-License-Identifier: BSD-3-Clause
"""
import _thread
import atexit
import ctypes
import inspect
import numbers
import os
import sys
import tempfile
import threading
import warnings
import weakref
from collections import namedtuple
from collections.abc import Mapping

try:
    import numpy as np
except ImportError as reason:
    raise ImportError("randsvm needs numpy (Debian: python3-numpy)") from reason

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

__all__ = ["FeatureSelector", "Map", "Model", "NuSVC", "NuSVR", "OneClassSVM",
           "PrincipalComponents", "RandomProjection", "RandsvmArgumentError", "RandsvmError",
           "RandsvmMemoryError", "RandsvmTypeError", "RandsvmValueError", "RangeScaler", "Rows",
           "SVC", "SVR", "cross_validate", "library_version", "read_rows", "search"]

# ---- the library ----

_SONAME = "librandsvm.so.0"

_TYPES = {"b": ctypes.c_int, "i": ctypes.c_int, "q": ctypes.c_int64, "Q": ctypes.c_uint64,
          "z": ctypes.c_size_t, "d": ctypes.c_double, "s": ctypes.c_char_p, "p": ctypes.c_void_p,
          "-": None}

# The least and the greatest integer of a letter; "b" is a truth value.
_RANGES = {"b": (0, 1), "i": (-2 ** 31, 2 ** 31 - 1), "q": (-2 ** 63, 2 ** 63 - 1),
           "Q": (0, 2 ** 64 - 1)}

# Functions of randsvm.h, without "rsv_": name, letter of the result, letters of the arguments.
# Those that a caller of this module gives as numbers have a name.
_FUNCTIONS = """
    version s
    rows_read p spp
    rows_read_by_qid p spp
    rows_dense p qqpqpp
    rows_csr p qppppp
    rows_kernel p qqpqpp
    rows_part p ppqp
    rows_weigh p ppp
    rows_group p ppp
    rows_write i psp
    rows_count q p
    rows_n_entries q p
    rows_n_features q p
    rows_labels p p
    rows_copy i ppppp
    rows_free - p
    run_init_sized - pz
    training_init_sized - pz
    doubts i pp
    train p pppp
    model_n_certificates q p
    model_certificate_sized i pqpzp
    certify i ppppp
    model_read p sp
    model_write i psp
    model_free - p
    model_info_sized - ppz
    model_labels p p
    model_rho p p
    model_coefficients p p
    model_n_sv_of_classes p p
    model_sv_rows p p
    model_support_vectors p pp
    model_weights i pqppp
    model_reduce p p n_sv:q ppppp
    predict i ppppp
    cross_validate i pp n_folds:q ppp
    grid_init_sized - pz
    search q pppppp
    projection_init_sized - pz
    project p pp
    components p p n_components:q pp
    scale p p feature_range:d feature_range:d p
    selection_init_sized - pz
    select p pppp
    map_n_features q p
    map_n_selected q p
    map_selected p p
    map_selected_weights p p
    map_selected_scores p p
    map_read p sp
    map_write i psp
    map_free - p
    map_apply p pppp
    map_fold p pp n_features:q p
"""


_ARGUMENTS = {}  # by functions: what _arguments() gives


def _arguments(words):
    """(name or None, letter) of each argument"""
    return [pair for word in words for pair in
            ([tuple(word.split(":"))] if ":" in word else [(None, letter) for letter in word])]


def _load():
    """The library that the loader finds, or the one that is installed two folders above"""
    try:
        library = ctypes.CDLL(_SONAME)
    except OSError as reason:
        folder = os.path.dirname(os.path.abspath(__file__))
        path = os.path.normpath(os.path.join(folder, "..", "..", _SONAME))
        if not os.path.exists(path):
            raise ImportError(f"cannot load {_SONAME} (Debian: librandsvm0): {reason}") from reason
        library = ctypes.CDLL(path)
    for line in _FUNCTIONS.strip().splitlines():
        name, result, *words = line.split()
        _ARGUMENTS[name] = _arguments(words)
        try:
            function = getattr(library, "rsv_" + name)
        except AttributeError:
            raise ImportError(f"the library {library._name} has no function rsv_{name}") from None
        function.restype = _TYPES[result]
        function.argtypes = [_TYPES[letter] for _, letter in _ARGUMENTS[name]]
    return library


_library = _load()


def library_version():
    """Version of the library, such as 0.1.0"""
    return _library.rsv_version().decode()


class RandsvmError(Exception):
    """What is refused, or fails; `code` is its number in enum rsv_error_code, `text` the reason

    All that this module raises of arguments and data is one, and a ValueError, a TypeError, or
    both, where scikit-learn raises these.
    """

    def __init__(self, text, code=4):
        super().__init__(text, code)
        self.code, self.text = code, text

    def __str__(self):
        return self.text


class RandsvmValueError(RandsvmError, ValueError):
    """An argument or the contents of a file are wrong"""


class RandsvmTypeError(RandsvmError, TypeError):
    """An argument is of a wrong kind"""


class RandsvmArgumentError(RandsvmValueError, RandsvmTypeError):
    """An argument is of a wrong kind, or out of range"""


class RandsvmMemoryError(RandsvmError, MemoryError):
    """Memory is out"""


_ERRORS = {1: RandsvmMemoryError, 3: RandsvmValueError, 4: RandsvmValueError}


class _Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("text", ctypes.c_char * 1020)]


def _c_value(value, letter, name):
    """A value as C takes it; ctypes would cut an integer or a text that does not fit"""
    if letter == "s" and value and b"\0" in value:
        raise RandsvmValueError("embedded null byte")
    if letter == "d":
        if not isinstance(value, numbers.Real):
            raise RandsvmArgumentError(f"{name} is {value!r}, not a number")
        try:
            return float(value)
        except OverflowError:
            raise RandsvmArgumentError(f"{name} is too large for a double") from None
    if letter in _RANGES:
        low, high = _RANGES[letter]
        if not isinstance(value, (numbers.Integral, np.bool_)) or not low <= value <= high:
            wanted = "True or False" if letter == "b" else f"an integer from {low} to {high}"
            raise RandsvmArgumentError(f"{name} is {value!r}, not {wanted}")
        return int(value)
    return value


def _call(name, *arguments):
    """Call rsv_NAME(), whose last argument is a struct rsv_error, and raise what it says"""
    error = _Error()
    arguments = [_c_value(value, letter, what or f"an argument of rsv_{name}()")
                 for value, (what, letter) in zip(arguments, _ARGUMENTS[name])]
    result = getattr(_library, "rsv_" + name)(*arguments, ctypes.byref(error))
    if error.code:
        text = error.text.decode(errors="replace")
        raise _ERRORS.get(error.code, RandsvmError)(text, error.code)
    return result


# ---- structs ----

# Names that fields have as parameters of estimators
_PARAMETERS = {"cache_mb": "cache_size", "eps": "tol", "n_columns": "n_components",
               "n_threads": "n_jobs", "p": "epsilon", "seed": "random_state"}


class _Struct(ctypes.Structure):
    """A struct that begins with its size; if the library has defaults for it they are set"""

    def __init__(self, **fields):
        super().__init__(size=ctypes.sizeof(self))
        init = getattr(_library, f"rsv_{self._name}_init_sized", None)
        if init:
            init(ctypes.byref(self), self.size)
        for name, value in fields.items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        value = _c_value(value, self._letters.get(name), _PARAMETERS.get(name, name))
        super().__setattr__(name, value)

    def as_dict(self):
        return {name: getattr(self, name) for name, _ in self._fields_
                if name not in ("size", "reserved")}


def _struct(name, fields):
    """The class of struct rsv_NAME, from its fields behind `size` and their letters"""
    fields = [field.split(":") for field in ("size:z " + fields).split()]
    return type("_" + name, (_Struct,), {
        "_name": name, "_letters": dict(fields),
        "_fields_": [(field, _TYPES[letter]) for field, letter in fields]})


_Run = _struct("run", "n_threads:i reserved:i cache_mb:d seed:Q interrupted:p round:p progress:p "
               "arg:p")
_Training = _struct("training", "machine:i kernel:i degree:i probability:b gamma:d coef0:d C:d "
                    "nu:d p:d eps:d squared_loss:b one_vs_rest:b balanced:b n_weights:i label:p "
                    "weight:p budget:q gap:d")
_Certificate = _struct("certificate", "label_a:i label_b:i n_rows:q primal:d dual:d rounding:d "
                       "relative_gap:d n_violators:q n_sv:q n_bounded:q rho:d rounds:q "
                       "excess:d gap:d")
_Info = _struct("model_info", "machine:i kernel:i degree:i is_linear_model:i gamma:d coef0:d "
                "n_classes:i has_probabilities:i n_sv:q n_values:q n_features:q was_interrupted:i "
                "n_probabilities:i sigma:d n_reversed:q far_error:d")
_Predictions = _struct("predictions", "predicted:p values:p probability:p")
_Grid = _struct("grid", "n_c:i n_gamma:i c:p gamma:p n_folds:q found:p arg:p")
_Projection = _struct("projection", "method:s n_columns:q n_features:q seed:Q")
_Selection = _struct("selection", "method:s n_features:q unsupervised:b regression:b C:d p:d eps:d "
                     "nu:d fraction:d sketch_rows:q rescale:b renumber:b")

# struct rsv_point as numpy has it
_POINT = np.dtype([("C", np.float64), ("gamma", np.float64), ("rate", np.float64),
                   ("n_unfinished", np.int64)])

_INTERRUPTED = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_PROGRESS = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_double)


def _copy(pointer, n, dtype):
    """A copy of an array of the library's; None where it has none"""
    if not pointer:
        return None
    dtype = np.dtype(dtype)
    borrowed = (ctypes.c_char * (n * dtype.itemsize)).from_address(pointer)
    return np.frombuffer(borrowed, dtype).copy()


# ---- how to run ----

def _run(n_jobs=None, random_state=None, cache_size=None):
    """struct rsv_run: None stands for all cores, the seed 1, a quarter of the memory"""
    if n_jobs is not None and n_jobs != -1 and _c_value(n_jobs, "i", "n_jobs") < 1:
        raise RandsvmValueError(
            f"n_jobs = {n_jobs} is neither -1, all cores, nor a number of threads")
    if hasattr(random_state, "randint"):
        random_state = random_state.randint(2 ** 31 - 1)
    return _Run(n_threads=0 if n_jobs in (None, -1) else n_jobs, cache_mb=cache_size or 0,
                seed=1 if random_state is None else random_state)


def _run_of(estimator):
    """How an estimator wants its computations to run"""
    names = "n_jobs", "random_state", "cache_size"
    return _run(*(getattr(estimator, name, None) for name in names))


class _Job:
    """A computation that Ctrl-C ends

    Python tells only the main thread of a signal, and not while that is in the library.  So another
    thread calls the library, which asks now and then whether to go on, and the caller waits for it.
    """

    def __init__(self, run, progress=None):
        self.failure = None
        self.run = run
        self.progress = progress
        self.callbacks = [_INTERRUPTED(self._interrupted), _PROGRESS(self._progress)]
        self.run.interrupted = ctypes.cast(self.callbacks[0], ctypes.c_void_p)
        if progress:
            self.run.progress = ctypes.cast(self.callbacks[1], ctypes.c_void_p)

    def _interrupted(self, _):
        return self.failure is not None

    def _progress(self, _, share):
        try:
            self.progress(share)
        except BaseException as error:
            self.failure = self.failure or error

    def __call__(self, compute, leaves=False):
        """The result of compute(), or the first exception there, in progress(), or while waiting

        `leaves`: a computation that does not end soon after an exception while waiting is left to
        come to its end alone, and its result is freed.  It must hold all that it works with.
        """
        results, done, claims = [], threading.Event(), []
        patience = 5 if leaves else np.inf

        def work():
            claims.append(True)
            try:
                if claims[0]:
                    results.append(compute())
            except BaseException as error:
                self.failure = self.failure or error
            finally:
                done.set()

        # Thread.start() waits for the thread, and what a signal raised there would leave it alone;
        # so might Thread.join(), or a signal between two waits.  Whoever claims the work first
        # decides whether it is done, if a signal or a lack of threads came before the thread.
        try:
            _thread.start_new_thread(work, ())
        except BaseException as error:
            self.failure = error
            claims.append(False)
            if not claims[0]:
                done.set()
        ended = False
        while not ended:
            try:
                while not done.wait(0.1) and patience > 0:
                    patience -= self.failure is not None
                ended = True
            except BaseException as error:
                self.failure = self.failure or error
        if not done.is_set():
            # before what it works with is freed, and libraries are unloaded
            atexit.register(done.wait)
        if self.failure:
            raise self.failure
        return results[0]


def _work(name, *arguments, run, kind=None, progress=None, last=(), leaves=False):
    """_call() of a function that is told how to run, as a job; a `kind` of handle that it makes

    `last` are arguments behind the run.  A handle that is made in vain is freed.
    """
    job = _Job(run, progress)

    def compute():
        result = _call(name, *arguments, ctypes.byref(job.run), *last)
        return kind._of(result) if kind else result
    return job(compute, leaves)


# ---- what the library holds ----

class _Handle:
    """A pointer of the library's, which is freed with the object"""

    def __init__(self, pointer):
        self._as_parameter_ = pointer
        weakref.finalize(self, getattr(_library, self._free), pointer)

    @classmethod
    def _of(cls, pointer):
        handle = cls.__new__(cls)
        _Handle.__init__(handle, pointer)
        return handle

    def __reduce__(self):
        raise RandsvmTypeError(f"{type(self).__name__} cannot be copied or pickled")


def _bytes_of(write):
    """The bytes that write(path) writes"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "saved")
        write(path)
        with open(path, "rb") as file:
            return file.read()


def _from_bytes(kind, saved):
    """What kind.read(path) makes of these bytes"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "saved")
        with open(path, "wb") as file:
            file.write(saved)
        return kind.read(path)


# ---- arrays ----

def _is_sparse(X):
    return hasattr(X, "tocsr")


def _warn(text, category=UserWarning):
    """Warn the first caller that is not in this module"""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals is globals():
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
        classes, labels[kept] = _encode(y[kept])
        return classes, labels
    if y.dtype.kind == "f":
        if (y != np.floor(y)).any():
            raise RandsvmValueError("Unknown label type: 'continuous'")
        if float(abs(y).max()) < 2 ** 31:
            y = y.astype(np.int32)
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

    Rows(X, y) copies arrays.  Of a precomputed kernel X has a row for each example, and a column
    for each example that is trained on.  feature_names are those of a DataFrame's columns, or None.
    """

    _free = "rsv_rows_free"
    feature_names = None

    def __init__(self, X, y=None, precomputed=False):
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

    def __len__(self):
        return _library.rsv_rows_count(self)

    @property
    def shape(self):
        """Number of rows, and the highest number of a feature, from 1"""
        return len(self), _library.rsv_rows_n_features(self)

    @property
    def labels(self):
        return _copy(_library.rsv_rows_labels(self), len(self), np.float64)

    def _like(self, pointer):
        """Other rows with the same features"""
        rows = Rows._of(pointer)
        rows.feature_names = self.feature_names
        return rows

    def part(self, index):
        """The rows of these numbers, from 0, which may repeat, or those where a mask is True"""
        index = _row_numbers(index, len(self))
        return self._like(_call("rows_part", self, index.ctypes.data, len(index)))

    def weigh(self, weights):
        """The rows with weights above 0: a row of weight w counts as w equal rows do"""
        weights = np.ascontiguousarray(_doubles(weights, "weights"))
        if weights.shape != (len(self),):
            raise RandsvmValueError(f"weights of shape {weights.shape} for {len(self)} rows")
        return self._like(_call("rows_weigh", self, weights.ctypes.data))

    def group(self, groups):
        """The rows with groups, a name or number for each, which folds keep together"""
        numbers = _group_numbers(groups, len(self))
        return self._like(_call("rows_group", self, numbers.ctypes.data))

    def write(self, path):
        """Write a file of SVMlight's format, gzipped if its name ends in .gz"""
        _call("rows_write", self, os.fsencode(path))

    def arrays(self):
        """(data, indices, indptr), as a CSR matrix has them"""
        n_entries = _library.rsv_rows_n_entries(self)
        value, column = np.empty(n_entries), np.empty(n_entries, np.int32)
        start = np.empty(len(self) + 1, np.int64)
        _call("rows_copy", self, start.ctypes.data, column.ctypes.data, value.ctypes.data)
        return value, column, start

    def tocsr(self, n_features=None):
        """A CSR matrix of scipy, with n_features columns"""
        from scipy.sparse import csr_matrix
        return csr_matrix(self.arrays(), (len(self), n_features or self.shape[1]))

    def toarray(self, n_features=None):
        """A 2-d array, with n_features columns"""
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


def read_rows(path, n_jobs=None, by_qid=False):
    """Rows of a file: SVMlight's text or the binary form of rp-project, gzipped or not

    by_qid=True makes groups of the rows that have the same qid, which folds keep together.
    """
    rows = _work("rows_read_by_qid" if by_qid else "rows_read", os.fsencode(path),
                 run=_run(n_jobs), kind=Rows)
    if _library.rsv_doubts(rows, None) & _DOUBT_ROUNDED:
        _warn("rows have integers of more digits than a double holds, which are rounded")
    return rows


def _as_rows(X, y=None, precomputed=False):
    return X if isinstance(X, Rows) else Rows(X, y, precomputed)


def _targets(X, y):
    """Targets or classes of the rows, a 1-d array; those of Rows are their labels"""
    if not isinstance(X, Rows):
        return _vector(y, X.shape[0])
    if y is not None and not np.array_equal(y, X.labels):
        raise RandsvmValueError("y differs from the labels of the rows")
    return X.labels


def _row_weights(weights, n_rows):
    """Weights of the rows, or None"""
    if weights is None:
        return None
    weights = _doubles(weights, "sample_weight")
    if weights.ndim == 0:
        weights = np.full(n_rows, weights)
    if weights.shape != (n_rows,):
        raise RandsvmValueError(f"sample_weight.shape == {weights.shape}, expected {(n_rows,)}!")
    if not (np.isfinite(weights) & (weights >= 0)).all() or not weights.any():
        raise RandsvmValueError(
            "sample_weight: numbers of 0 or more are expected, not all of them 0")
    return weights


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


# ---- models ----

_KERNELS = ("linear", "poly", "rbf", "sigmoid", "precomputed")


class Model(_Handle):
    """A model as the programs have it: labels are integers, pairs of classes in its own order

    A copy, or what pickle makes of it, has no certificates and no numbers of rows.
    feature_names_in_ are those of the columns that an estimator was fitted to, or None.
    """

    _free = "rsv_model_free"
    feature_names_in_ = None

    @classmethod
    def read(cls, path):
        """A file of LIBSVM's or LIBLINEAR's"""
        return cls._of(_call("model_read", os.fsencode(path)))

    def write(self, path, exact=True):
        """Write a file of LIBSVM's or LIBLINEAR's, from which the same model is read

        LIBSVM itself writes 8 digits of each feature, this file all that it has, whatever 'exact' says.
        """
        _call("model_write", self, os.fsencode(path))

    def __reduce__(self):
        return (_from_bytes, (Model, _bytes_of(lambda path: self.write(path))),
                {"feature_names_in_": self.feature_names_in_})

    @property
    def info(self):
        """The fields of struct rsv_model_info"""
        info = _Info()
        _library.rsv_model_info_sized(self, ctypes.byref(info), info.size)
        return info.as_dict()

    @property
    def labels(self):
        """Labels of the classes, in the model's order"""
        return _copy(_library.rsv_model_labels(self), self.info["n_classes"], np.int32)

    @property
    def rho(self):
        n = self.info["n_classes"]
        return _copy(_library.rsv_model_rho(self), n * (n - 1) // 2 if n else 1, np.float64)

    @property
    def coefficients(self):
        """Coefficients of the support vectors, [n_classes - 1][n_sv]"""
        info = self.info
        shape = max(1, info["n_classes"] - 1), info["n_sv"]
        coefficients = _copy(_library.rsv_model_coefficients(self), shape[0] * shape[1], np.float64)
        return None if coefficients is None else coefficients.reshape(shape)

    @property
    def n_sv_of_classes(self):
        return _copy(_library.rsv_model_n_sv_of_classes(self), self.info["n_classes"], np.int64)

    @property
    def sv_rows(self):
        """Numbers of the rows that are the support vectors; None of a model that was read"""
        return _copy(_library.rsv_model_sv_rows(self), self.info["n_sv"], np.int64)

    def support_vectors(self):
        return Rows._of(_call("model_support_vectors", self))

    def weights(self, n_features=None):
        """(weights [n_values][n_features], constants) of a linear model"""
        info = self.info
        weights = np.empty((info["n_values"], n_features or info["n_features"]))
        constants = np.empty(info["n_values"])
        _call("model_weights", self, weights.shape[1], weights.ctypes.data, constants.ctypes.data)
        return weights, constants

    def _fill(self, field, X, n_jobs):
        info = self.info
        _check_same_names(self.feature_names_in_, _feature_names(X))
        rows = _as_rows(X, precomputed=_KERNELS[info["kernel"]] == "precomputed")
        width = {"predicted": 1, "values": info["n_values"], "probability": info["n_probabilities"]}
        out = np.empty((len(rows), width[field]))
        _work("predict", self, rows, ctypes.byref(_Predictions(**{field: out.ctypes.data})),
              run=_run(n_jobs))
        return out

    def predict(self, X, n_jobs=None):
        """Labels or values, as svm-predict

        Of rows whose numbers are too large for a kernel or a sum in doubles, values, decision
        values and probabilities may be infinite or NaN, and labels worth nothing.
        """
        return self._fill("predicted", X, n_jobs)[:, 0]

    def decision_values(self, X, n_jobs=None):
        """[rows][n_values]"""
        return self._fill("values", X, n_jobs)

    def probabilities(self, X, n_jobs=None):
        """[rows][n_classes], in the order of `labels`"""
        return self._fill("probability", X, n_jobs)

    @property
    def certificates(self):
        """A dict of struct rsv_certificate for each pair of classes"""
        found = []
        for k in range(_library.rsv_model_n_certificates(self)):
            certificate = _Certificate()
            _call("model_certificate_sized", self, k, ctypes.byref(certificate), certificate.size)
            found.append(certificate.as_dict())
        return found

    def certify(self, estimator, X, y=None, sample_weight=None):
        """Certificates of this model, whichever program has trained it

        The estimator has the parameters, and X, y and sample_weight are the data, of that training.
        """
        _check_same_names(self.feature_names_in_, _feature_names(X))
        problem = _Problem(estimator, X, y, sample_weight)
        _work("certify", self, problem.rows, ctypes.byref(problem.training),
              run=_run_of(estimator))
        return self.certificates

    def reduce(self, n_sv, estimator=None, X=None, y=None, sample_weight=None, n_jobs=None):
        """A model of at most n_sv of the support vectors that decides nearly as this one

        With an estimator, which has the parameters of training, the coefficients are then trained
        on X and y; else they are the nearest to the decision functions.
        """
        if estimator is None:
            reduced = _work("model_reduce", self, n_sv, None, None, None, run=_run(n_jobs),
                            kind=Model)
        else:
            _check_same_names(self.feature_names_in_, _feature_names(X))
            problem = _Problem(estimator, X, y, sample_weight)
            reduced = _work("model_reduce", self, n_sv, None, problem.rows,
                            ctypes.byref(problem.training), run=_run_of(estimator), kind=Model)
        reduced.feature_names_in_ = self.feature_names_in_
        return reduced


# ---- training problems ----

def _choice(value, names, what):
    if value not in names:
        raise RandsvmValueError(f"{what} is {value!r}, not one of {', '.join(names)}")
    return names.index(value)


def _gamma(gamma, X):
    """The number that gamma stands for, as in scikit-learn"""
    n_rows, n_features = X.shape
    if not isinstance(gamma, str):
        if not _c_value(gamma, "d", "gamma") > 0:
            raise RandsvmValueError(f"gamma = {gamma} is not above 0")
        return gamma
    if _choice(gamma, ("scale", "auto"), "gamma") == 1:
        return 1 / n_features
    with np.errstate(over="ignore", invalid="ignore"):
        variance = _variance(X)
    if not np.isfinite(variance):
        raise RandsvmValueError("gamma='scale': the variance of X is too large for a double")
    return 1 / (n_features * variance) if variance > 0 else 1.0


def _variance(X):
    """Variance of all values of a matrix, zeros too"""
    if isinstance(X, np.ndarray):
        return X.var()
    values = X.arrays()[0] if isinstance(X, Rows) else X.data
    n = X.shape[0] * X.shape[1]
    mean = values.sum() / n
    return (np.square(values - mean).sum() + (n - len(values)) * mean ** 2) / n


# Bits of doubts()
_DOUBT_QID, _DOUBT_ASYMMETRY, _DOUBT_ROUNDED = 1, 2, 4


class _Problem:
    """The training problem of an estimator and arrays, as the library has it

    rows; kept, their numbers, or None: all; training, a struct; classes, sorted, or None where there
    are none.
    """

    def __init__(self, estimator, X, y, sample_weight=None, groups=None, with_folds=False):
        kernel = _choice(estimator.kernel, _KERNELS, "kernel")
        precomputed = estimator.kernel == "precomputed"
        X = _matrix(X)
        y = _targets(X, y) if estimator._wants_y else None
        weights = _row_weights(sample_weight, X.shape[0])
        self.kept = _kept(weights)
        self.classes = None
        if estimator._classifies:
            self.classes, y = _encode(y, self.kept)
        if precomputed and X.shape[0] != X.shape[1]:
            raise RandsvmValueError("Precomputed matrix must be a square matrix. "
                                    f"Input is a {X.shape[0]}x{X.shape[1]} matrix.")
        self.rows = _weighed(_as_rows(X, y, precomputed), weights, groups)
        if self.kept is not None:
            X = self.rows if isinstance(X, Rows) else X[self.kept]
        self.training = self._training(estimator, kernel)
        if estimator.kernel in ("poly", "rbf", "sigmoid"):
            self.training.gamma = _gamma(estimator.gamma, X)
        self._tell_doubts(with_folds or bool(self.training.probability))

    def _tell_doubts(self, with_folds):
        doubts = _library.rsv_doubts(self.rows, ctypes.byref(self.training))
        if doubts & _DOUBT_QID and with_folds:
            _warn("rows have qid, and folds do not keep those of one qid together; with "
                  "read_rows(by_qid=True) or groups they do")
        if doubts & _DOUBT_ASYMMETRY:
            _warn("the precomputed kernel is not symmetric")

    def _training(self, estimator, kernel):
        training = _Training(machine=estimator._machine, kernel=kernel, degree=estimator.degree,
                             coef0=estimator.coef0, eps=estimator.tol, gap=estimator.gap or 0,
                             budget=estimator.budget or 0)
        for name in ("C", "nu", "epsilon", "probability"):
            if hasattr(estimator, name):
                setattr(training, "p" if name == "epsilon" else name, getattr(estimator, name))
        if hasattr(estimator, "loss"):
            training.squared_loss = _choice(estimator.loss, estimator._losses, "loss")
        if hasattr(estimator, "multi_class"):
            training.one_vs_rest = _choice(estimator.multi_class, ("ovo", "ovr"), "multi_class")
        self._weigh(training, getattr(estimator, "class_weight", None))
        return training

    def _weigh(self, training, weights):
        if isinstance(weights, str):
            training.balanced = 1 - _choice(weights, ("balanced",), "class_weight")
            return
        if not isinstance(weights, Mapping):
            if weights is not None:
                raise RandsvmArgumentError(
                    f"class_weight is {weights!r}, not a dict, 'balanced' or None")
            return
        classes = self.classes.tolist()
        for key in weights.keys() - set(classes):
            _warn(f"class_weight has {key!r}, which is the label of no row")
        known = [k for k, one in enumerate(classes) if one in weights]
        labels = _labels_of(self.classes)[known]
        values = np.array([_c_value(weights[classes[k]], "d", "a weight of class_weight")
                           for k in known], np.float64)
        training.n_weights = len(known)
        training.label, training.weight = labels.ctypes.data, values.ctypes.data
        training.arrays = labels, values  # last as long as the struct


# ---- machines ----

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
        """What fit() has seen: names of the columns, or None, and their number"""
        self.n_features_in_ = n
        vars(self).pop("feature_names_in_", None)
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


# ---- cross validation and search ----

def cross_validate(estimator, X, y=None, *, n_folds=5, sample_weight=None, groups=None):
    """What a machine trained without the fold of each row says of it; folds as svm-train -v

    `estimator` has the parameters and is not fitted.  gamma="scale" is that of all rows.  Rows of
    weight 0 are in no fold: the result is of the others, X[sample_weight > 0].  groups, a name or
    number for each row, are in one fold each, as rows of the same patient must be.
    """
    problem = _Problem(estimator, X, y, sample_weight, groups, with_folds=True)
    predicted = np.empty(len(problem.rows))
    _work("cross_validate", problem.rows, ctypes.byref(problem.training), n_folds,
          run=_run_of(estimator), last=[predicted.ctypes.data])
    return _decode(problem.classes, predicted)


Search = namedtuple("Search", "best points")
Search.__doc__ = """Result of search()

best      the parameters of the best point, for set_params()
points    an array [gammas][Cs] with the fields C, gamma, rate (accuracy in percent, or mean squared
          error, by sample_weight; NaN: none) and n_unfinished (folds that were not trained to the
          tolerance)
"""


def search(estimator, X, y=None, *, C=(), gamma=(), n_folds=5, progress=None, sample_weight=None,
           groups=None):
    """Cross validation at all points of a grid, sharing what they have in common

    The folds are those of cross_validate(), with groups too.  C and gamma are values; without any,
    the estimator's.  progress(share) is called by another thread now and then, and must not call
    this module.
    """
    problem = _Problem(estimator, X, y, sample_weight, groups, with_folds=True)
    C, gamma = (np.unique(_doubles(values, name)) for name, values in (("C", C), ("gamma", gamma)))
    names = [name for name, values in (("C", C), ("gamma", gamma)) if len(values)]
    for name in names:
        if not hasattr(estimator, name):
            raise RandsvmValueError(f"{type(estimator).__name__} has no parameter {name}")
    grid = _Grid(n_c=len(C), c=C.ctypes.data, n_gamma=len(gamma), gamma=gamma.ctypes.data,
                 n_folds=n_folds)
    points = np.zeros((max(1, len(gamma)), max(1, len(C))), _POINT)
    best = _work("search", problem.rows, ctypes.byref(problem.training), ctypes.byref(grid),
                 run=_run_of(estimator), progress=progress, last=[points.ctypes.data])
    return Search({name: float(points.flat[best][name]) for name in names}, points)


# ---- maps ----

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
        n = _library.rsv_map_n_selected(self)
        return _copy(_library.rsv_map_selected(self), n, np.int32) - 1

    @property
    def selected_weights(self):
        return _copy(_library.rsv_map_selected_weights(self), len(self.selected), np.float64)

    @property
    def selected_scores(self):
        return _copy(_library.rsv_map_selected_scores(self), len(self.selected), np.float64)

    def apply(self, X, n_jobs=None):
        """The rows mapped: Rows of Rows, an array of an array, a CSR matrix of a sparse one

        RandsvmError names the first row with a number that is too large for a double.
        """
        _check_same_names(self.feature_names_in_, _feature_names(X))
        X = _matrix(X)
        mapped = _work("map_apply", self, _as_rows(X), run=_run(n_jobs), kind=Rows)
        if isinstance(X, Rows):
            return mapped
        n = _library.rsv_map_n_features(self) or X.shape[1]
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
        n = _library.rsv_map_n_features(self.map_)
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

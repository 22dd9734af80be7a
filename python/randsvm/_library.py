"""randsvm._library - the library librandsvm: its functions, structs and errors, and how calls run

SPDX-License-Identifier: BSD-3-Clause
"""
import _thread
import atexit
import ctypes
import numbers
import os
import sys
import tempfile
import threading
import time
import weakref

import numpy as np

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
    rows_kernel_by p pqpp
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
    model_export i psisp
    model_free - p
    model_info_sized - ppz
    model_labels p p
    model_rho p p
    model_prob_a p p
    model_prob_b p p
    model_coefficients p p
    model_n_sv_of_classes p p
    model_sv_rows p p
    model_support_vectors p pp
    model_weights i pqppp
    model_reduce p p n_sv:q ppppp
    explain i pppqpppp
    predict i ppppp
    cross_validate i pp n_folds:q ppp
    grid_init_sized - pz
    search q pppppp
    projection_init_sized - pz
    project p pp
    nystrom p pppp
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


def _find():
    """The library in the package's folder, as wheels have it, or that which the loader finds, or
    that of the prefix where the package is installed, as PREFIX/lib/python3.N/site-packages/randsvm
    """
    folder = os.path.dirname(os.path.abspath(__file__))
    beside, below = (os.path.normpath(os.path.join(folder, place, _SONAME))
                     for place in (".", "../../.."))
    if os.path.exists(beside):
        return ctypes.CDLL(beside)
    try:
        return ctypes.CDLL(_SONAME)
    except OSError as reason:
        if not os.path.exists(below):
            raise ImportError(
                f"cannot load {_SONAME} ('pip install .' puts it beside the modules; in a source "
                "tree 'make library' makes it, and LD_LIBRARY_PATH=lib finds it; Debian: "
                f"librandsvm0): {reason}") from reason
        return ctypes.CDLL(below)


def _load():
    """The library, whose functions have the types of their arguments and results"""
    library = _find()
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


librandsvm = _load()


def library_version() -> str:
    """Version of the library, such as 0.1.0"""
    return librandsvm.rsv_version().decode()


class RandsvmError(Exception):
    """What is refused, or fails; `code` is its number in enum rsv_error_code, `text` the reason

    All that this module raises of arguments and data is one, and a ValueError, a TypeError, or
    both, where scikit-learn raises these.
    """

    def __init__(self, text: str, code: int = 4) -> None:
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


_ERRORS = {1: RandsvmMemoryError, 3: RandsvmValueError, 4: RandsvmValueError, 5: RandsvmValueError}


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
    result = getattr(librandsvm, "rsv_" + name)(*arguments, ctypes.byref(error))
    if error.code:
        text = error.text.decode(errors="replace")
        raise _ERRORS.get(error.code, RandsvmError)(text, error.code)
    return result


# ---- structs ----

# Names that fields have as parameters of estimators
_PARAMETERS = {"cache_mb": "cache_size", "eps": "tol", "max_rounds": "max_iter",
               "n_columns": "n_components", "n_threads": "n_jobs", "p": "epsilon",
               "seed": "random_state"}


class _Struct(ctypes.Structure):
    """A struct that begins with its size; if the library has defaults for it they are set"""

    def __init__(self, **fields):
        super().__init__(size=ctypes.sizeof(self))
        init = getattr(librandsvm, f"rsv_{self._name}_init_sized", None)
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
_Round = _struct("round", "number:i reserved:i working_set:q n_sv:q n_violators:q primal:d dual:d")
_Training = _struct("training", "machine:i kernel:i degree:i probability:b gamma:d coef0:d C:d "
                    "nu:d p:d eps:d squared_loss:b one_vs_rest:b balanced:b n_weights:i label:p "
                    "weight:p budget:q gap:d max_rounds:q")
_Certificate = _struct("certificate", "label_a:i label_b:i n_rows:q primal:d dual:d rounding:d "
                       "relative_gap:d n_violators:q n_sv:q n_bounded:q rho:d rounds:q "
                       "excess:d gap:d ended_early:b reserved:i")
_Info = _struct("model_info", "machine:i kernel:i degree:i is_linear_model:i gamma:d coef0:d "
                "n_classes:i has_probabilities:i n_sv:q n_values:q n_features:q was_interrupted:i "
                "n_probabilities:i sigma:d n_reversed:q far_error:d")
_Predictions = _struct("predictions", "predicted:p values:p probability:p n_unranged:p")
_Grid = _struct("grid", "n_c:i n_gamma:i c:p gamma:p n_folds:q found:p arg:p fold:p found_values:p")
_Projection = _struct("projection", "method:s n_columns:q n_features:q seed:Q kernel:s "
                      "gamma:d coef0:d degree:i by_leverage:b")
_Selection = _struct("selection", "method:s n_features:q unsupervised:b regression:b C:d p:d eps:d "
                     "nu:d fraction:d sketch_rows:q rescale:b renumber:b")

_KernelFunction = _struct("kernel_function", "values:p arg:p error:d")

# struct rsv_point as numpy has it
_POINT = np.dtype([("C", np.float64), ("gamma", np.float64), ("rate", np.float64),
                   ("n_unfinished", np.int64)])

_INTERRUPTED = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_PROGRESS = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_double)
_ROUND = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(_Round))
# struct rsv_kernel_function's: arrays by their address
_VALUES = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p,
                           ctypes.c_int64, ctypes.c_void_p)
_DOUBLES = ctypes.POINTER(ctypes.c_double)
# of struct rsv_point C and gamma are read, its first fields
_FOUND = ctypes.CFUNCTYPE(None, ctypes.c_void_p, _DOUBLES, _DOUBLES)
_FOUND_VALUES = ctypes.CFUNCTYPE(None, ctypes.c_void_p, _DOUBLES, _DOUBLES, _DOUBLES,
                                 ctypes.c_int64)


def _copy(pointer, n, dtype):
    """A copy of an array of the library's; None where it has none"""
    if not pointer:
        return None
    dtype = np.dtype(dtype)
    borrowed = (ctypes.c_char * (n * dtype.itemsize)).from_address(pointer)
    return np.frombuffer(borrowed, dtype).copy()

# Bits of doubts()
_DOUBT_QID, _DOUBT_ASYMMETRY, _DOUBT_ROUNDED = 1, 2, 4


# ---- how to run ----

def _is_worker():
    """Is this a worker of joblib, beside others that have the other cores?"""
    parallel = sys.modules.get("joblib.parallel")
    backend = parallel.get_active_backend()[0] if parallel else None
    return (getattr(backend, "nesting_level", 0) or 0) > 0


def _run(n_jobs=None, random_state=None, cache_size=None):
    """struct rsv_run: None stands for all cores, or one in a worker, the seed 1, a quarter of the
    memory
    """
    if n_jobs is not None and n_jobs != -1 and _c_value(n_jobs, "i", "n_jobs") < 1:
        raise RandsvmValueError(
            f"n_jobs = {n_jobs} is neither -1, all cores, nor a number of threads")
    if hasattr(random_state, "randint"):
        random_state = random_state.randint(2 ** 31 - 1)
    if n_jobs is None and _is_worker():
        n_jobs = 1
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

    A training also ends, with the model so far, after time_limit seconds, or where callback(round),
    a dict of struct rsv_round after each round, returns something true.
    """

    def __init__(self, run, progress=None, callback=None, time_limit=None):
        self.failure = None
        self.run = run
        self.progress, self.callback = progress, callback
        self.is_enough = False
        self.end = np.inf if time_limit is None else time.monotonic() + time_limit
        self.callbacks = [_INTERRUPTED(self._interrupted), _PROGRESS(self._progress),
                          _ROUND(self._round)]
        self.run.interrupted = ctypes.cast(self.callbacks[0], ctypes.c_void_p)
        if progress:
            self.run.progress = ctypes.cast(self.callbacks[1], ctypes.c_void_p)
        if callback:
            self.run.round = ctypes.cast(self.callbacks[2], ctypes.c_void_p)

    def _interrupted(self, _):
        return self.failure is not None or self.is_enough or time.monotonic() >= self.end

    def _round(self, _, found):
        try:
            if self.failure is None and not self.is_enough:
                self.is_enough = bool(self.callback(found.contents.as_dict()))
        except BaseException as error:
            self.failure = self.failure or error

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


def _work(name, *arguments, run, kind=None, last=(), leaves=False, **told):
    """_call() of a function that is told how to run, as a job; a `kind` of handle that it makes

    `last` are arguments behind the run; `told` are those of _Job().  A handle that is made in vain
    is freed.
    """
    job = _Job(run, **told)
    for argument in arguments:
        if getattr(argument, "_function", None):  # Rows whose kernel is the caller's
            argument._function.job = job

    def compute():
        result = _call(name, *arguments, ctypes.byref(job.run), *last)
        return kind._of(result) if kind else result
    return job(compute, leaves)


# ---- what the library holds ----

class _Handle:
    """A pointer of the library's, which is freed with the object"""

    def __init__(self, pointer: int) -> None:
        self._as_parameter_ = pointer
        weakref.finalize(self, getattr(librandsvm, self._free), pointer)

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

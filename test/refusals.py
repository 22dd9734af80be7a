"""refusals.py - what one front refuses all refuse: the table of test/refusals, tried at each front

    refusals.py TABLE FOLDER FRONT...     FRONT is program, call, python or shim; FOLDER is for files

Prints a line for each cell that does otherwise than the table says, then "N cells, M failed"; exit
status 1 if any.  Each cell is tried in a process of its own: a front may crash.  With VERBOSE=1 in
the environment every cell is told, with what the front says.

SPDX-License-Identifier: BSD-3-Clause
"""
import ctypes
import os
import re
import subprocess
import sys
import warnings

import numpy as np
import randsvm
from randsvm import _library

FRONTS = ("program", "call", "python", "shim")
CODES = ("OK", "MEMORY", "IO", "FORMAT", "ARGUMENT", "NUMERIC", "LIBRARY", "INTERRUPTED")

# ---- data: the same rows for all fronts ----

rng = np.random.RandomState(1)
X = rng.rand(24, 3) * 2 - 1
LABELS = {
    "two": np.where(X[:, 0] + 0.3 * X[:, 1] > 0, 1.0, 2.0),
    "three": np.arange(24) % 3 + 1.0,
    "one": np.ones(24),
    "lopsided": np.where(np.arange(24) < 2, 1.0, 2.0),
    "targets": X[:, 0] + 0.25,
    "single": np.ones(1),
    "none": np.ones(0),
    "six": np.ones(6),
}
SIZES = {"single": 1, "none": 0, "six": 6}
KERNEL = X @ X.T
WEIGHTS = np.where(np.arange(24) % 2, 2.0, 1.0)
GROUPS = np.arange(24) // 8


def matrix(name):
    """Values of a data set; kernel is the linear kernel of its rows"""
    return KERNEL if name in ("kernel", "wide") else X[:SIZES.get(name, 24)]


def labels(name):
    return LABELS["two" if name in ("kernel", "wide") else name]


def write_files():
    """A file of each name for the programs, and models, maps and lists of numbers"""
    for name in [*LABELS, "kernel", "wide"]:
        with open(name, "w") as file:
            for i, (row, y) in enumerate(zip(matrix(name), labels(name))):
                file.write(f"{y:.17g}" + f" 0:{i + 1}" * (name == "kernel"))
                file.write("".join(f" {j + 1}:{v:.17g}" for j, v in enumerate(row)) + "\n")
    for name, numbers in (("weights", WEIGHTS), ("groups", GROUPS), ("zeros", 0 * WEIGHTS),
                          ("below", WEIGHTS - 2)):
        np.savetxt(name, numbers, "%g")
    for name, arguments in (("rbf", "randsvm-train -q two"), ("poly", "randsvm-train -q -t 1 two"),
                            ("sigmoid", "randsvm-train -q -t 3 two"),
                            ("linear", "randsvm-train -q -t 0 two"),
                            ("weighed", "randsvm-train -q -t 0 --multiclass ovr three"),
                            ("regression", "randsvm-train -q -s 3 targets"),
                            ("precomputed", "randsvm-train -q -t 4 kernel")):
        subprocess.run(arguments.split() + [name + ".model"], check=True)
    subprocess.run("rp-project -q -m cw -k 2 -s cw.map two out".split(), check=True)
    subprocess.run("rp-project -q -m fht -k 2 -s fht.map two out".split(), check=True)
    subprocess.run("rp-project -q -m scale -s scale.map two out".split(), check=True)
    subprocess.run("rp-project -q -m rff -k 4 -s rff.map two out".split(), check=True)
    subprocess.run("fs-select -q -m bss -k 2 -s chosen.map two chosen".split(), check=True)


# ---- the fronts: each gives (what it did, what it said) ----

def program(cell):
    """Exit status 0, or 1 with a message and without a file"""
    if os.path.exists("m"):
        os.remove("m")
    done = subprocess.run(cell, shell=True, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    said = (done.stdout + done.stderr).strip().split("\n")[-1]
    if done.returncode == 1 and said and "sage:" not in said and not os.path.exists("m"):
        return "refused", said
    return "OK" if done.returncode == 0 else f"status {done.returncode}", said


def call(cell):
    """The code of a call of the library's"""
    def raw(name, *arguments):
        """rsv_NAME(), without what the module checks before"""
        error = _library._Error()
        result = getattr(_library.librandsvm, "rsv_" + name)(*arguments, ctypes.byref(error))
        if error.code:
            raise randsvm.RandsvmError(error.text.decode(), error.code)
        return result

    def rows(name, weights=None, groups=None):
        if name == "none":  # Rows() refuses no rows
            return randsvm.Rows._of(raw("rows_csr", 0, np.zeros(1, np.int64).ctypes.data,
                                                  None, None, None))
        found = randsvm.Rows(matrix(name), labels(name), name == "kernel")
        if weights is not None:
            found = found.weigh(weights)
        return found if groups is None else found.group(groups)

    def struct(kind, fields):
        kept = []
        for name, value in fields.items():
            if isinstance(value, (tuple, list)):
                kept.append(np.array(value, np.int32 if name == "label" else np.float64))
                fields[name] = kept[-1].ctypes.data
        made = kind()
        for name, value in fields.items():  # whatever the module would say of it
            ctypes.Structure.__setattr__(made, name, value)
        made.kept = kept
        return ctypes.byref(made)

    def split(fields):
        run = {name: fields.pop(name) for name in ("n_threads", "cache_mb") if name in fields}
        return struct(_library._Run, run)

    def training(fields):
        return struct(_library._Training, fields)

    def train(data, weights=None, groups=None, **fields):
        run = split(fields)
        return model_of(raw("train", rows(data, weights, groups), training(fields), run))

    def cross_validate(data, n_folds, weights=None, groups=None, **fields):
        run, given, predicted = split(fields), rows(data, weights, groups), np.empty(24)
        raw("cross_validate", given, training(fields), n_folds, run,
                      predicted.ctypes.data)

    def folds(data, n_folds, stratified=0, groups=None):
        fold = np.empty(24, np.int64)
        library = _library.librandsvm.rsv_folds
        library.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int] + 3 * [ctypes.c_void_p]
        raw("folds", rows(data, groups=groups), n_folds, stratified, None,
                      fold.ctypes.data)

    def search(data, grid, **fields):
        run, points = split(fields), np.zeros(100, _library._POINT)
        for array in ("c", "gamma"):
            grid.setdefault("n_" + array, len(grid.get(array, ())))
        raw("search", rows(data), training(fields), struct(_library._Grid, grid), run,
                      points.ctypes.data)

    def project(**fields):
        return randsvm.Map._of(raw("project", struct(_library._Projection, fields)))

    def components(data, n):
        raw("components", rows(data), n, None)

    def scale(data, lower, upper):
        raw("scale", rows(data), lower, upper)

    def select(data, weights=None, **fields):
        run = split(fields)
        raw("select", rows(data, weights), struct(_library._Selection, fields), run)

    def fold(map_file, model_file, n_features):
        raw("map_fold", randsvm.Map.read(map_file), model(model_file), n_features)

    def apply(map_, data):
        raw("map_apply", map_, rows(data), None)

    def model_of(pointer):
        return randsvm.Model._of(pointer)

    def model(name):
        return randsvm.Model.read(name)

    def certify(name, data, **fields):
        raw("certify", model(name), rows(data), training(fields), None)

    def reduce(name, n_sv, data=None, **fields):
        raw("model_reduce", model(name), n_sv, None, rows(data) if data else None,
                      training(fields) if data else None, None)

    def predict(name, data, field="predicted"):
        room = np.empty(24 * 24)
        raw("predict", model(name), rows(data), ctypes.byref(
            _library._Predictions(**{field: room.ctypes.data})), None)

    def explain(name, data, background=None):
        room = np.empty(24 * 24)
        raw("explain", model(name), rows(data), rows(background) if background else None, 3,
            room.ctypes.data, None, None)

    def weights(name):
        room = np.empty(1000)
        raw("model_weights", model(name), 3, room.ctypes.data, room.ctypes.data)

    try:
        eval(cell, {**globals(), **locals()})
    except randsvm.RandsvmError as error:
        return CODES[error.code], error.text
    return "OK", ""


def python(cell):
    """ValueError and its like, or the library's failure"""
    names = {**vars(randsvm), "np": np, "weights": WEIGHTS, "groups": GROUPS, "X": X, "K": KERNEL,
             "model": randsvm.Model.read, "map": randsvm.Map.read,
             **{name: (matrix(name), labels(name)) for name in [*LABELS, "wide"]}}
    try:
        eval(cell, names)
    except (ValueError, TypeError, AttributeError) as error:
        return "refused", str(error)
    except randsvm.RandsvmError as error:
        return CODES[error.code], error.text
    return "OK", ""


class Node(ctypes.Structure):
    _fields_ = [("index", ctypes.c_int), ("value", ctypes.c_double)]


class Problem(ctypes.Structure):
    _fields_ = [("l", ctypes.c_int), ("y", ctypes.POINTER(ctypes.c_double)),
                ("x", ctypes.POINTER(ctypes.POINTER(Node)))]


class Parameter(ctypes.Structure):
    _fields_ = [("svm_type", ctypes.c_int), ("kernel_type", ctypes.c_int), ("degree", ctypes.c_int),
                ("gamma", ctypes.c_double), ("coef0", ctypes.c_double),
                ("cache_size", ctypes.c_double), ("eps", ctypes.c_double), ("C", ctypes.c_double),
                ("nr_weight", ctypes.c_int), ("weight_label", ctypes.POINTER(ctypes.c_int)),
                ("weight", ctypes.POINTER(ctypes.c_double)), ("nu", ctypes.c_double),
                ("p", ctypes.c_double), ("shrinking", ctypes.c_int), ("probability", ctypes.c_int)]


def shim(cell):
    """svm_check_parameter() says why, or svm_train() gives NULL, or the targets are NaN"""
    library = ctypes.CDLL(os.environ["SHIM"])
    library.svm_check_parameter.restype = ctypes.c_char_p
    library.svm_train.restype = ctypes.c_void_p

    def problem(name):
        given = matrix(name)
        n, d = given.shape
        first = int(name == "kernel")
        nodes = (Node * (n * (d + first + 1)))()
        rows = (ctypes.POINTER(Node) * max(n, 1))()
        for i in range(n):
            values = [i + 1, *given[i]] if first else given[i]
            at = i * (d + first + 1)
            for j, value in enumerate(values):
                nodes[at + j] = Node(j + 1 - first, value)
            nodes[at + len(values)] = Node(-1, 0)
            rows[i] = ctypes.pointer(nodes[at])
        y = (ctypes.c_double * max(n, 1))(*labels(name))
        made = Problem(n, y, rows)
        made.kept = nodes, rows, y
        return made

    def parameter(fields):
        kept = {}
        if "weight" in fields:
            values = fields.pop("weight")
            kept = {"weight": (ctypes.c_double * len(values))(*values),
                    "weight_label": (ctypes.c_int * len(values))(*range(1, len(values) + 1))}
            fields["nr_weight"] = len(values)
        made = Parameter(**{**dict(svm_type=0, kernel_type=2, degree=3, gamma=0.3, coef0=0,
                                   cache_size=100, eps=1e-3, C=1, nu=0.5, p=0.1, shrinking=1,
                                   probability=0), **fields})
        for name, array in kept.items():
            setattr(made, name, array)
        made.kept = kept
        return made

    def train(data, **fields):
        given, wanted = problem(data), parameter(fields)
        said = library.svm_check_parameter(ctypes.byref(given), ctypes.byref(wanted))
        if library.svm_train(ctypes.byref(given), ctypes.byref(wanted)):
            return ("OK", "") if not said else ("trained what it refuses", said.decode())
        return "refused", (said or b"svm_train() is NULL").decode()

    def cross_validate(data, n_folds, **fields):
        given, wanted = problem(data), parameter(fields)
        target = (ctypes.c_double * 24)()
        library.svm_cross_validation(ctypes.byref(given), ctypes.byref(wanted), n_folds, target)
        return ("refused", "targets are NaN") if np.isnan(target[0]) else ("OK", "")

    return eval(cell, {**globals(), **locals()})


# ---- the table ----

def read_table(path):
    """(line, expected, why, cells), a cell being text or None"""
    with open(path) as file:
        for number, line in enumerate(file, 1):
            if line.strip() and not line.startswith("#"):
                expected, *cells, why = (part.strip() for part in re.split(r" \|(?: |$)", line.rstrip("\n")))
                assert len(cells) == len(FRONTS), f"line {number}: {len(cells)} cells"
                yield number, expected, why, [None if cell == "-" else cell for cell in cells]


def in_process(front, cell):
    """What a front does, in a process of its own"""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        warnings.simplefilter("ignore")
        try:
            did = globals()[front](cell)
        except BaseException as error:
            did = type(error).__name__, str(error)
        os.write(writer, "\n".join(did).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        text = file.read().decode()
    status = os.waitpid(child, 0)[1]
    if status:
        return f"signal {os.WTERMSIG(status)}", ""
    did, _, said = text.partition("\n")
    return did, said


def agrees(did, expected):
    """Fronts without codes say that they refuse"""
    return did == expected or (did == "refused" and expected != "OK")


def main():
    table, folder, *fronts = sys.argv[1:]
    table = os.path.abspath(table)
    os.chdir(folder)
    write_files()
    n = failed = 0
    for number, row_expected, why, cells in read_table(table):
        assert why or not any(cell and ": " in cell.split("(")[0] for cell in cells), number
        for front, cell in zip(FRONTS, cells):
            if front not in fronts or cell is None:
                continue
            expected = row_expected
            first, _, rest = cell.partition(": ")
            if first in CODES:
                expected, cell = first, rest
            did, said = in_process(front, cell)
            n += 1
            failed += not agrees(did, expected)
            if not agrees(did, expected) or os.environ.get("VERBOSE"):
                print(f"{'' if agrees(did, expected) else 'NOT '}{number} {front}: {cell}: "
                      f"{did}, expected {expected}: {said}", flush=True)
    print(f"{n} cells, {failed} failed")
    return failed > 0 or n == 0


sys.exit(main())

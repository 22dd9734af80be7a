"""shim_svmutil.py - Python's interface of LIBSVM, as its README uses it

    shim_svmutil.py save FILE       train, predict, and write what came out
    shim_svmutil.py compare FILE    the same, and compare: numbers agree up to what the tolerance of
                                    training leaves

SPDX-License-Identifier: BSD-3-Clause
"""
import ctypes
import gzip
import json
import os
import sys
import tempfile

import numpy
import scipy.sparse
import svmutil
from svm import libsvm, svm_problem, svm_parameter, gen_svm_nodearray

# svm.py asks scipy for what scipy had of numpy until 1.9
if not hasattr(scipy, "ctypeslib"):
    scipy.ctypeslib = numpy.ctypeslib

results = {}


def note(name, numbers, tolerance):
    results[name] = {"numbers": [float(x) for x in numbers], "tolerance": tolerance}


def flat(values):
    return [x for row in values for x in row]


def unpacked(name):
    file = tempfile.NamedTemporaryFile(delete=False)
    with gzip.open(os.path.join(os.environ["T"], name)) as packed:
        file.write(packed.read())
    file.close()
    return file.name


def machines(y, x):
    """Machines of lists of dictionaries, with values and probabilities"""
    for options in ("-c 4", "-t 0", "-s 1 -n .4", "-s 2 -n .3", "-s 3 -p .2", "-s 4 -n .4", "-t 1 -r 1"):
        model = svmutil.svm_train(y[:200], x[:200], options + " -e 1e-6 -q")
        labels, (accuracy, error, _), values = svmutil.svm_predict(y[200:], x[200:], model, "-q")
        note("values of " + options, flat(values), 1e-4)
        note("rates of " + options, [accuracy, error], 1e-3)
        note("vectors of " + options, [len(model.get_SV())], 0.05)
    model = svmutil.svm_train(y, x, "-b 1 -q")
    labels, rates, values = svmutil.svm_predict(y, x, model, "-b 1 -q")
    note("probabilities", flat(values), 0.01)
    note("rate by probabilities", rates[:1], 0.01)


def forms(y, x):
    """The same rows as lists, numpy and scipy"""
    dense = numpy.zeros((len(x), 13))
    for i, row in enumerate(x):
        for j, value in row.items():
            dense[i, j - 1] = value
    first = None
    for name, rows in (("dictionaries", x), ("lists", dense.tolist()), ("numpy", dense),
                       ("scipy", scipy.sparse.csr_matrix(dense))):
        target = numpy.array(y) if name in ("numpy", "scipy") else y
        model = svmutil.svm_train(target, rows, "-c 4 -g .1 -e 1e-6 -q")
        values = flat(svmutil.svm_predict(target, rows, model, "-q")[2])
        note("values of " + name, values, 1e-4)
        first = first or values
        assert max(abs(a - b) for a, b in zip(first, values)) < 1e-12, name
    gram = numpy.hstack([numpy.arange(1, len(x) + 1)[:, None], dense @ dense.T])
    model = svmutil.svm_train(numpy.array(y), gram, "-t 4 -e 1e-6 -q")
    note("values of a kernel matrix", flat(svmutil.svm_predict([], gram, model, "-q")[2]), 1e-4)


def validation(y, x):
    libc = ctypes.CDLL(None)
    libc.srand(1)
    note("-v 5", [svmutil.svm_train(y, x, "-v 5 -q")], 0.005)
    note("-v 5, -s 3", [svmutil.svm_train(y, x, "-s 3 -v 5 -q")], 0.005)


def low_level(y, x):
    """The interface of svm.py, files, and fields of a model"""
    problem = svm_problem(y, x)
    parameter = svm_parameter("-c 4 -e 1e-6 -q")
    parameter.gamma = 1 / 13
    assert not libsvm.svm_check_parameter(problem, parameter)
    model = svmutil.svm_train(problem, parameter)
    node, _ = gen_svm_nodearray({1: 1, 3: 1})
    note("a row", [libsvm.svm_predict(model, node)], 0)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        svmutil.svm_save_model(path, model)
        read = svmutil.svm_load_model(path)
        assert flat(svmutil.svm_predict(y, x, read, "-q")[2]) == flat(svmutil.svm_predict(y, x, model, "-q")[2])
    assert model.get_nr_class() == 2 and model.get_labels() == [1, -1]
    indices = model.get_sv_indices()
    assert len(indices) == len(model.get_SV()) == len(model.get_sv_coef()) == model.l
    for index, vector in zip(indices, model.get_SV()):
        assert {k: v for k, v in vector.items() if k > 0} == x[index - 1]
    for wrong in ("-c -1 -q", "-n 2 -s 1 -q", "-s 1 -n .99 -q"):
        try:
            svmutil.svm_train(y, x, wrong)
            assert False, wrong
        except ValueError:
            pass


def compare(path):
    with open("/proc/self/maps") as file:
        loaded = {line.split()[-1] for line in file if "libsvm.so" in line}
    assert loaded == {os.environ["SHIM"]}, loaded
    with open(path) as file:
        expected = json.load(file)
    assert expected.keys() == results.keys()
    bad = 0
    for name, before in expected.items():
        now = results[name]["numbers"]
        assert len(now) == len(before["numbers"]), name
        worst = max(abs(a - b) / max(1, abs(a)) for a, b in zip(before["numbers"], now))
        if worst > before["tolerance"]:
            print("%s: %g" % (name, worst))
            bad += 1
    print("%d results, %d of them differ" % (len(expected), bad))
    sys.exit(bad > 0)


def main():
    path = unpacked("heart_scale.gz")
    y, x = svmutil.svm_read_problem(path)
    os.unlink(path)
    machines(y, x)
    forms(y, x)
    validation(y, x)
    low_level(y, x)
    if sys.argv[1] == "compare":
        compare(sys.argv[2])
    with open(sys.argv[2], "w") as file:
        json.dump(results, file)


main()

"""sklearn_weights.py - models and measures of weighted rows against scikit-learn's sample_weight

`sklearn_weights.py BIN CLASSES WEIGHTS REGRESSION WEIGHTS`: the folder of the programs, rows of two
classes and of a regression, each with the weights of its rows.  scikit-learn's LIBSVM has the same
bounds and sums of nu.

SPDX-License-Identifier: BSD-3-Clause
"""
import subprocess
import sys

import numpy
from sklearn import datasets, metrics, svm

BIN = sys.argv[1]
TIGHT = ["-q", "-e", "1e-9", "-g", ".05", "-c", "2"]
bad = 0


def close(name, ours, theirs, tolerance):
    global bad
    error = numpy.max(numpy.abs(numpy.asarray(ours) - numpy.asarray(theirs)))
    print(name, "largest difference", error)
    bad += not error <= tolerance


def run(program, *words):
    return subprocess.run([f"{BIN}/{program}", *words], check=True, capture_output=True,
                          text=True).stdout


def values(data, options, weights):
    run("randsvm-train", *TIGHT, *options, "-W", weights, data, "m")
    run("svm-eval", "-q", "--scores", data, "m", "scores")
    return [float(line.split()[1]) for line in open("scores").readlines()[1:]]


def word(text, name):
    return float(text.split(name + " = ")[1].split()[0].rstrip("%,"))


def machines(data, weights, w, x, y, kinds):
    for options, machine in kinds:
        machine.set_params(tol=1e-9, gamma=.05).fit(x, y, sample_weight=w)
        find = getattr(machine, "decision_function", machine.predict)
        # a relative gap of 1e-11 leaves |w - w'| of up to sqrt(2 gap), and rows are up to 4 long
        close(f"{data} {' '.join(options)}", values(data, options, weights), find(x), 3e-4)


def one_class(data, weights, w, x):
    machine = svm.OneClassSVM(tol=1e-9, gamma=.05, nu=.3).fit(x, sample_weight=w)
    ours = numpy.array(values(data, ["-s", "2", "-n", ".3"], weights))
    theirs = machine.decision_function(x)
    # the scale of the sums is the program's own
    close(f"{data} one class", ours / abs(ours).max(), theirs / abs(theirs).max(), 1e-5)


def measure(data, weights, w, y):
    run("randsvm-train", "-q", "-g", "1", "-c", "1", data, "m")
    text = run("svm-eval", "--metrics", "-W", weights, data, "m")
    run("svm-eval", "-q", "--scores", data, "m", "scores")
    lines = [[float(word) for word in line.split()] for line in open("scores").readlines()[1:]]
    p, f = [line[0] for line in lines], [line[1] for line in lines]
    close("accuracy", word(text, "Accuracy"),
          100 * metrics.accuracy_score(y, p, sample_weight=w), 1e-3)
    close("balanced", word(text, "Balanced accuracy"),
          100 * metrics.balanced_accuracy_score(y, p, sample_weight=w), 1e-3)
    close("AUC", word(text, "AUC"), metrics.roc_auc_score(y, f, sample_weight=w), 1e-5)
    close("average precision", word(text, "average precision"),
          metrics.average_precision_score(y, f, sample_weight=w), 1e-5)


def main():
    data, weights, regression, weights_of_regression = sys.argv[2:]
    x, y = datasets.load_svmlight_file(data)
    w = numpy.loadtxt(weights)
    x = x.toarray()
    machines(data, weights, w, x, y,
             [([], svm.SVC(C=2)), (["-t", "0"], svm.SVC(C=2, kernel="linear")),
              (["-s", "1", "-n", ".3"], svm.NuSVC(nu=.3))])
    one_class(data, weights, w, x)
    measure(data, weights, w, y)
    x, y = datasets.load_svmlight_file(regression)
    w = numpy.loadtxt(weights_of_regression)
    machines(regression, weights_of_regression, w, x.toarray(), y,
             [(["-s", "3", "-p", ".1"], svm.SVR(C=2)),
              (["-s", "3", "-t", "0"], svm.SVR(C=2, kernel="linear")),
              (["-s", "4", "-n", ".3"], svm.NuSVR(C=2, nu=.3))])
    return bad > 0


sys.exit(main())

#!/usr/bin/env python3
"""extremes.py - files of extreme numbers through every program, judged by exact arithmetic

    test/extremes.py                  all data and commands (`make check-numbers`)
    test/extremes.py --seed S         other data of the same kinds (default: 1)
    test/extremes.py WORD...          the runs whose name has one of these words

Each run ends with exit status 0 or with 1 and a message, and what a run of exit status 0 writes has no
nan and no inf.  Beyond that its numbers are judged by an oracle:

    a training       primal and dual of the model, from its text by decimals of 60 digits, are those
                     that it prints; the primal is no worse than that of svm-train's model
    a prediction     the sign of the decision value by these decimals; what svm-predict says
    a projection     the sums of the map's own entries, as fractions
    scaling          the formula of svm-scale, as fractions
    a choice, a radius, a model    those of the same data times a power of two, which no rounding changes

The programs are taken from PATH, or from bin/.  Prints a line for each wrong end, then
"numbers: N checks, M failed".

SPDX-License-Identifier: BSD-3-Clause
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from decimal import Context, Decimal, localcontext
from fractions import Fraction

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EXACT = Context(prec=60, Emin=-999999999, Emax=999999999)
MAGNITUDES = ["1e308", "1e300", "1e155", "1e154", "1e100", "1e38", "1e20", "1e9", "1e-9", "1e-38", "1e-100",
              "1e-154", "1e-155", "1e-162", "1e-300", "1e-308", "1e-320", "5e-324"]
CPU_SECONDS = 120  # more than any of the runs needs; an endless loop ends there

n_checks = n_failed = 0


def check(name, complaint):
    """Counts a check; prints the complaint unless it is None or empty."""
    global n_checks, n_failed
    n_checks += 1
    if complaint:
        n_failed += 1
        print("FAIL %s: %s" % (name, " ".join(complaint.split())), flush=True)


# ---- data ----


def number(x):
    return repr(x) if isinstance(x, float) else str(x)


def text_of(rows):
    """Rows are (label, {index: value}), their numbers floats or their own texts."""
    return "".join("%s%s\n" % (number(y), "".join(" %d:%s" % (j, number(v)) for j, v in sorted(x.items())))
                   for y, x in rows)


def parsed(text):
    rows = []
    for line in text.splitlines():
        words = line.split("#")[0].split()
        if words:
            rows.append((float(words[0]), {int(a): float(b) for a, b in (w.split(":") for w in words[1:])}))
    return rows


def two_classes(draw, n, d, values):
    """n rows of d features, their values by values(row, column)."""
    return [(1 if i % 2 else -1, {j: values(i, j) for j in range(1, d + 1) if draw.random() < 0.8}) for i in range(n)]


def data_sets(draw):
    """name, text"""
    for m in MAGNITUDES:
        size = float(m)
        small = lambda: draw.choice([-1, 1]) * draw.uniform(0.1, 1)
        yield "all " + m, text_of(two_classes(draw, 12, 4, lambda i, j: small() * size))
        yield "a column of " + m, text_of(two_classes(draw, 12, 4, lambda i, j: small() * (size if j == 2 else 1)))
        yield "a value of " + m, text_of(two_classes(draw, 12, 4, lambda i, j: small() * (size if i == j == 2 else 1)))
    plain = lambda i, j: round(draw.uniform(-2, 2), 2)
    rows = two_classes(draw, 12, 4, plain)
    yield "mixed sizes", text_of(two_classes(draw, 16, 6, lambda i, j: plain(i, j) * 10.0 ** draw.randint(-150, 150)))
    yield "columns of all sizes", text_of(two_classes(draw, 16, 6, lambda i, j: plain(i, j) * 10.0 ** (50 * (j - 3))))
    yield "negative zeros", text_of([(y, {j: "-0" if j % 2 else v for j, v in x.items()}) for y, x in rows])
    yield "repeated rows", text_of(rows[:4] * 6)
    yield "opposite labels", text_of(rows[:6] + [(-y, x) for y, x in rows[:6]])
    yield "one row, opposite labels", text_of([(1, {1: 3.0}), (-1, {1: 3.0})])
    yield "constant columns", text_of([(y, {1: 7.5, 2: 1e100, 3: v}) for (y, x), v in zip(rows, range(12))])
    yield "all constant", text_of([(y, {1: 7.5, 2: 3.0}) for y, x in rows])
    yield "one class", text_of([(1, x) for y, x in rows])
    yield "one row", text_of(rows[:1])
    yield "empty rows", text_of([(y, {}) for y, x in rows])
    yield "all zeros", text_of([(y, {1: 0, 2: 0}) for y, x in rows])
    yield "a class each", text_of([(i, x) for i, (y, x) in enumerate(rows)])
    yield "extreme labels", text_of([(2147483647 if y > 0 else -2147483648, x) for y, x in rows])
    yield "one against eleven", text_of([(1 if i == 5 else -1, x) for i, (y, x) in enumerate(rows)])
    yield "a high index", text_of(rows + [(1, {2147483646: 1.0})])
    yield "far from 0", text_of([(y, {j: 1e8 + v for j, v in x.items()}) for y, x in rows])


def target_sets(draw):
    """Regressions: name, text"""
    rows = [{j: round(draw.uniform(-1, 1), 2) for j in (1, 2, 3)} for i in range(10)]
    for m in MAGNITUDES + ["0", "-0"]:
        yield "targets of " + m, text_of([(draw.choice([-1, 1]) * draw.uniform(0.1, 1) * float(m), x) for x in rows])
    yield "a target of 1e300", text_of([(1e300 if i == 3 else float(i), x) for i, x in enumerate(rows)])
    yield "equal targets", text_of([(2.5, x) for x in rows])


# ---- running ----


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(*words, text=None):
    return subprocess.run(words, input=text, capture_output=True, text=True, preexec_fn=limit, errors="replace",
                          stdin=subprocess.DEVNULL if text is None else None)


def not_finite(text):
    """The first nan or inf, but for the correlation with equal labels, which svm-predict prints so, too, and for what
    may become of a margin by a map that loses a dimension."""
    text = re.sub(r"Squared correlation coefficient = -?nan|squared margin: 0 to inf times", "", text)
    return re.search(r"(^|[^A-Za-z_])[-+]?(nan|inf)([^A-Za-z_]|$)", text, re.M | re.I)


def finished(name, words, outputs=()):
    """Runs a command: its standard output if it ended with exit status 0, else None.  Judges what any run has to
    keep to."""
    for path in outputs:
        if os.path.exists(path):
            os.remove(path)
    done = run(*words)
    command = " ".join(words)
    if done.returncode == 1:
        last = done.stderr.rstrip("\n").rsplit("\n", 1)[-1]
        message = re.match(r"%s: .|can't (open|save) |Wrong input|ERROR: " % re.escape(words[0]), last)
        check(name, None if message else "no message: %s" % command)
        left = [p for p in outputs if os.path.exists(p)]
        check(name, "%s fails, and leaves %s" % (command, left) if left else None)
        return None
    if done.returncode != 0:
        check(name, "%s ends with %d" % (command, done.returncode))
        return None
    texts = {"-": done.stdout}
    for path in outputs:
        texts[path] = open(path, errors="replace").read() if os.path.exists(path) else ""
    wrong = ["%s: %s" % (p, t[max(0, found.start() - 60):found.end() + 20].strip())
             for p, t in texts.items() for found in [not_finite(t)] if found]
    check(name, "%s writes no number: %s" % (command, "; ".join(wrong)) if wrong else None)
    return done.stdout


# ---- models, by decimals ----


def decimal(x):
    return Decimal(x)  # of a float: exactly its value


def dot(u, v):
    return sum((decimal(a) * decimal(v[j]) for j, a in u.items() if j in v), Decimal(0))


def eight_digits(x):
    return tuple((j, "%.8g" % v) for j, v in sorted(x.items()) if v)


class Model:
    """A model file of LIBSVM, of two classes or a regression, with the rows that its support vectors are: a file of
    svm-train has eight digits of their values, and training had all."""

    def __init__(self, path, rows):
        head, body = open(path).read().split("\nSV\n")
        self.head = dict(line.split(None, 1) for line in head.splitlines())
        self.rho = float(self.head["rho"].split()[0])
        self.labels = [int(w) for w in self.head.get("label", "").split()]
        by_digits = {eight_digits(x): x for y, x in rows}
        known = [x for y, x in rows]
        self.sv = [(c, x if x in known else by_digits.get(eight_digits(x), x)) for c, x in parsed(body)]

    def kernel(self, u, v):
        name = self.head["kernel_type"]
        if name == "linear":
            return dot(u, v)
        gamma, coef0 = decimal(float(self.head["gamma"])), decimal(float(self.head.get("coef0", "0")))
        if name == "rbf":
            distance = sum(((decimal(u.get(j, 0.0)) - decimal(v.get(j, 0.0))) ** 2 for j in set(u) | set(v)), Decimal(0))
            exponent = -gamma * distance
            return exponent.exp() if exponent > -100000 else Decimal(0)
        if name == "polynomial":
            base = gamma * dot(u, v) + coef0
            return base ** int(self.head["degree"]) if base else Decimal(0)
        x = gamma * dot(u, v) + coef0
        if abs(x) > 1000:
            return Decimal(1).copy_sign(x)
        e = (2 * x).exp()
        return (e - 1) / (e + 1)

    def decision(self, x):
        """The decision value, and the sum of the sizes of its terms, of which rounding errors are a part."""
        terms = [decimal(c) * self.kernel(s, x) for c, s in self.sv] + [-decimal(self.rho)]
        return sum(terms, Decimal(0)), sum((abs(t) for t in terms), Decimal(0))


def primal_and_dual(model, rows, c, regression_p=None):
    """Objectives of C-SVC, or of epsilon-SVR, with the multipliers of the model: the least primal over all constants,
    with w as it is or, of a C-SVC that separates, made longer until no row is within the margin; and the dual."""
    sign = 1 if regression_p is not None or model.labels[0] == 1 else -1
    f = [sign * (model.decision(x)[0] + decimal(model.rho)) for y, x in rows]
    y = [decimal(y) for y, x in rows]
    c, norm2 = decimal(c), sum((decimal(a) * (model.decision(x)[0] + decimal(model.rho)) for a, x in model.sv), Decimal(0))

    def loss(scale, b):
        if regression_p is None:
            return sum(max(Decimal(0), 1 - t * (scale * v + b)) for t, v in zip(y, f))
        return sum(max(Decimal(0), abs(v + b - t) - decimal(regression_p)) for t, v in zip(y, f))

    def primal(scale):
        # the losses are linear in the constant between these
        edges = {t - scale * v + d for t, v in zip(y, f) for d in (
            [Decimal(0)] if regression_p is None else [decimal(regression_p), -decimal(regression_p)])}
        return scale * scale * norm2 / 2 + c * min(loss(scale, b) for b in edges)

    best = primal(Decimal(1))
    if regression_p is None and len(set(y)) == 2:
        apart = min(v for t, v in zip(y, f) if t > 0) - max(v for t, v in zip(y, f) if t < 0)
        if apart > 0:
            best = min(best, primal(2 / apart))
    return best, sum((abs(decimal(a)) for a, x in model.sv), Decimal(0)) - norm2 / 2


def judge_training(name, out, model_path, rows, c, p):
    """The numbers that a training prints are those of its model; the primal."""
    line = re.search(r"^primal = ([^,]*), dual = ([^,]*), (.*)$", out, re.M)
    if not line or not os.path.exists(model_path):
        return None
    with localcontext(EXACT):
        primal, dual = primal_and_dual(Model(model_path, rows), rows, c, p)
        rounding = re.search(r"rounding = ([-0-9.e+]+)", out)
        slack = decimal(float(rounding.group(1))) if rounding else Decimal(0)
        said = decimal(float(line.group(1)))
        # the line has six digits and more
        slack += Decimal("1e-6") * max(abs(primal), abs(said)) + Decimal("1e-15") * decimal(c) * len(rows)
        check(name, None if primal <= said + slack else "primal of the model is %.9g, and %s is printed" % (
            primal, line.group(1)))
        if p is None:
            check(name, None if said >= dual - slack else "dual of the model is %.9g, and the primal %s is printed" % (
                dual, line.group(1)))
        if p is None and line.group(2) != "unknown":
            close = decimal(float(line.group(2))) <= dual + slack
            check(name, None if close else "dual of the model is %.9g, and %s is printed" % (dual, line.group(2)))
        return primal


def by_svm_train(words, data, rows, c, p):
    """The primal of svm-train's model, or None where it has none of use."""
    if os.path.exists("theirs"):
        os.remove("theirs")
    done = run("timeout", "5", "svm-train", *words, data, "theirs")
    if done.returncode or not os.path.exists("theirs") or not_finite(open("theirs").read()):
        return None
    with localcontext(EXACT):
        try:
            return primal_and_dual(Model("theirs", rows), rows, c, p)[0]
        except (ValueError, KeyError, ArithmeticError):
            return None


TRAININGS = [  # svm-train's options, -c, -p of a regression
    ("-t 0", 1.0, None),
    ("-t 0 -c 1e6", 1e6, None),
    ("-t 0 -c 1e-6", 1e-6, None),
    ("-t 2 -g 0.5", 1.0, None),
    ("-t 2 -g 1e-300", 1.0, None),
    ("-t 2 -g 1e300", 1.0, None),
    ("-t 2 -g 1 -c 1e12", 1e12, None),
    ("-t 1 -d 2 -g 0.1 -r 1", 1.0, None),
    ("-t 3 -g 0.01", 1.0, None),
]
REGRESSIONS = [
    ("-s 3 -t 0", 1.0, 0.1),
    ("-s 3 -t 2 -g 0.5 -c 100", 100.0, 0.1),
    ("-s 3 -t 2 -g 0.5 -p 1e-300 -c 1e6", 1e6, 1e-300),
]
# further trainings, of which only the rules for all runs are checked, and predictions
FURTHER = ["-s 1 -n 0.1 -t 0", "-s 1 -n 0.1 -t 2", "-s 2 -n 0.5 -t 2", "-s 2 -n 0.5 -t 0", "-s 4 -t 0", "-s 4 -t 2 -c 1e3",
           "-b 1 -t 2", "-b 1 -t 0", "-s 3 -b 1 -t 2", "-t 0 --loss squared", "-t 0 --compact", "-t 0 --multiclass ovr",
           "-s 3 -t 0 --loss squared", "-t 0 --model-format liblinear", "--mode budget --budget 8", "--mode paper -k 6",
           "--mode reweight -k 2 --max-iter 3", "--solver libsvm --sample 6", "--sample 6 -c 100", "-w auto -c 10", "-w1 1e9",
           "-t 2 -c 1e300", "-t 2 -c 1e-300", "-t 0 -c 1e300", "-t 1 -d 30", "-t 3 -g 1e200", "-v 2 --metrics -t 2",
           "-v 2 --metrics -t 0", "-v 2 -s 3", "-v 2 -b 1"]


def train(name, data, rows):
    labels = {y for y, x in rows}
    for words, c, p in TRAININGS + REGRESSIONS:
        label = "%s, randsvm-train %s" % (name, words)
        if not wanted(label):
            continue
        out = finished(label, ["randsvm-train", "--verbose", *words.split(), data, "m"], ["m"])
        if out is None or (p is None and labels != {1.0, -1.0}):
            continue
        ours = judge_training(label, out, "m", rows, c, p)
        theirs = by_svm_train(words.split(), data, rows, c, p) if ours is not None and "libsvm" in os.environ.get(
            "RANDSVM_ORACLES", "libsvm") else None
        if theirs is not None and theirs.is_finite():
            good = ours <= theirs * Decimal("1.01") + Decimal("1e-9")
            check(label, None if good else "primal %.9g, and svm-train's is %.9g" % (ours, theirs))
        predict(label, data, rows)
    for words in FURTHER:
        label = "%s, randsvm-train %s" % (name, words)
        if not wanted(label):
            continue
        outputs = [] if "-v" in words.split() else ["m"]
        if finished(label, ["randsvm-train", *words.split(), data, *outputs], outputs) is not None and outputs:
            finished(label + ", svm-eval", ["svm-eval", "--metrics", data, "m", "predicted"], ["predicted"])
            if "-b" in words.split():
                finished(label + ", svm-eval -b 1", ["svm-eval", "-b", "1", data, "m", "predicted"], ["predicted"])


def predict(name, data, rows):
    """Predictions of the model 'm' are the signs of its decision values."""
    name += ", svm-eval"
    if finished(name, ["svm-eval", "--scores", "--metrics", data, "m", "predicted"], ["predicted"]) is None:
        return
    with localcontext(EXACT):
        model = Model("m", [])
        lines = open("predicted").read().splitlines()[-len(rows):]
        wrong = None
        for (y, x), line in zip(rows, lines):
            said = float(line.split()[0])
            value, size = model.decision(x)
            error = Decimal("1e-12") * size + Decimal("5e-324")
            if model.labels:
                expected = model.labels[0 if value > 0 else 1]
                if said != expected and abs(value) > error:
                    wrong = "predicts %g by the decision value %.6g" % (said, value)
            elif abs(decimal(said) - value) > error + Decimal("1e-5") * abs(value):
                wrong = "predicts %g, and the value is %.6g" % (said, value)
        check(name, wrong)


# ---- rows ----


def close(said, exact, size, name, what):
    """A sum of doubles is as near to the exact one as rounding of terms of that size allows."""
    error = abs(Fraction(said) - exact)
    # of the numbers below 2^-1022 all have an error of 2^-1075 and more
    return None if error <= size * Fraction(2) ** -40 + Fraction(2) ** -1060 else "%s: %r, exactly %.17g" % (
        what, said, float(exact))


PROJECTIONS = ["rs", "cw", "gaussian", "uniform", "achlioptas", "li", "fht", "countsketch", "osnap"]


def project(name, data, rows):
    n_cols = max([j for y, x in rows for j in x], default=0)
    if not 0 < n_cols < 100:
        return
    with open("identity", "w") as file:
        file.write("".join("1 %d:1\n" % j for j in range(1, n_cols + 1)))
    for method in PROJECTIONS:
        label = "%s, rp-project -m %s" % (name, method)
        if not wanted(label):
            continue
        k = {"cw": "32"}.get(method, "4")
        if finished(label, ["rp-project", "-m", method, "-k", k, "-d", str(n_cols), "-s", "map", data, "out"], ["map", "out"]) is None:
            continue
        finished(label + " -r", ["rp-project", "-r", "map", "identity", "entries"], ["entries"])
        entries = [x for y, x in parsed(open("entries").read())]
        wrong = None
        for (y, x), (_, got) in zip(rows, parsed(open("out").read())):
            for i in range(1, int(k) + 1):
                terms = [Fraction(v) * Fraction(entries[j - 1].get(i, 0.0)) for j, v in x.items()]
                size = sum(abs(Fraction(v)) for v in x.values())
                wrong = wrong or close(got.get(i, 0.0), sum(terms, Fraction(0)), size, label, "feature %d" % i)
        check(label, wrong)
    for words in ["-m pca -k 2", "-m rff -k 4 -g 0.5", "-m rff -k 4 -g 1e-300", "-m rff --kernel laplace -k 4",
                  "-m nystrom -k 3 -g 0.5", "-m nystrom --kernel polynomial -k 3", "-m rs -k 4 --single",
                  "-m rs -k 4 --certificate", "-m rff -k 8 --certificate -g 1"]:
        label = "%s, rp-project %s" % (name, words)
        if wanted(label):
            finished(label, ["rp-project", *words.split(), "-s", "map", data, "out"], ["map", "out"])


def scale(name, data, rows):
    label = name + ", rp-project -m scale"
    columns = sorted({j for y, x in rows for j in x})
    if not wanted(label) or len(columns) > 100 or (columns and columns[-1] > 100):
        return
    if finished(label, ["rp-project", "-m", "scale", "-s", "ranges", data, "out"], ["ranges", "out"]) is not None:
        wrong = None
        for (y, x), (_, got) in zip(rows, parsed(open("out").read())):
            for j in columns:
                values = [Fraction(r.get(j, 0.0)) for _, r in rows]
                low, high = min(values), max(values)
                if low == high:
                    continue
                exact = -1 + 2 * (Fraction(x.get(j, 0.0)) - low) / (high - low)
                # svm-scale writes six digits, and rp-project as many as it takes
                wrong = wrong or close(got.get(j, 0.0), exact, Fraction(4), label, "feature %d" % j)
        check(label, wrong)
    label = name + ", rp-project -m normalise"
    if finished(label, ["rp-project", "-m", "normalise", data, "out"], ["out"]) is not None:
        wrong = None
        for (y, x), (_, got) in zip(rows, parsed(open("out").read())):
            length2 = sum(Fraction(v) ** 2 for v in x.values())
            for j, v in x.items():
                if length2 and abs(Fraction(got.get(j, 0.0)) ** 2 - Fraction(v) ** 2 / length2) > Fraction(2) ** -45:
                    wrong = "feature %d: %r" % (j, got.get(j))
        check(label, wrong)
    label = name + ", rp-project -m none"
    if finished(label, ["rp-project", "-m", "none", data, "out"], ["out"]) is not None:
        nonzero = lambda rows: [(y, {j: v for j, v in x.items() if v}) for y, x in rows]
        check(label, None if nonzero(parsed(open("out").read())) == nonzero(rows) else "other values")
        if finished(label + " --binary", ["rp-project", "-m", "none", "--binary", data, "out.b"]) is not None:
            finished(label + " of it", ["rp-project", "-m", "none", "out.b", "out"], ["out"])
            check(label + " of it", None if nonzero(parsed(open("out").read())) == nonzero(rows) else "other values")


def times(text, power):
    """The rows times 2^power, or None where a value leaves the doubles or loses digits."""
    rows = []
    for y, x in parsed(text):
        scaled = {j: v * 2.0 ** power for j, v in x.items()}
        if any(v and not (1e-290 < abs(s) < 1e290 and s / 2.0 ** power == v) for v, s in zip(x.values(), scaled.values())):
            return None
        rows.append((int(y) if y == int(y) else y, scaled))
    return text_of(rows)


SELECTIONS = ["rfe -k 2", "rmb -k 2", "bss -k 3 --unsupervised", "approx-bss -k 3", "leverage -k 3 --unsupervised",
              "approx-leverage -k 3 --unsupervised", "top -k 2", "rrqr -k 2 --unsupervised", "lpsvm -k 2", "l1 -k 2", "t -k 2",
              "f -k 2", "uniform -k 2", "f -k 2 --regression", "rfe -k 2 --regression", "bss --epsilon 0.9 --certificate"]


def select(name, data, text):
    for words in SELECTIONS:
        label = "%s, fs-select -m %s" % (name, words)
        if not wanted(label):
            continue
        finished(label, ["fs-select", "-m", *words.split(), data, "out"], ["out"])
        listed = finished(label, ["fs-select", "-m", *words.split(), "--list", data, "out"], ["out"])
        if listed is None or "l1" in words or "lpsvm" in words or "rfe" in words or "rmb" in words:
            continue  # by an SVM: the choice depends on C, which has a size
        for power in (300, -300):
            other = times(text, power)
            if other is None or ("--unsupervised" not in words and words.split()[0] not in ("t", "f", "uniform")):
                continue
            mine = [line.split()[0] for line in open("out").read().splitlines()[1:]]
            with open("other", "w") as file:
                file.write(other)
            if finished(label + " times 2^%d" % power, ["fs-select", "-m", *words.split(), "--list", "other", "out.o"],
                        ["out.o"]) is not None:
                theirs = [line.split()[0] for line in open("out.o").read().splitlines()[1:]]
                check(label, None if sorted(mine) == sorted(theirs) else "chooses %s, and %s times 2^%d" % (mine, theirs, power))


def evaluate(name, data, text, rows):
    label = name + ", svm-eval --geometry"
    if wanted(label):
        out = finished(label, ["svm-eval", "--geometry", data])
        radius = re.search(r"radius = ([-0-9.e+]+)", out or "")
        if radius:
            # a ball around all rows: half of the largest distance at least, and sqrt(1/2) of it at most
            far = max(sum((Fraction(u.get(j, 0.0)) - Fraction(v.get(j, 0.0))) ** 2 for j in set(u) | set(v))
                      for _, u in rows for _, v in rows)
            got = Fraction(float(radius.group(1))) ** 2
            fits = far / 4 * Fraction(99, 100) <= got <= far / 2 * Fraction(101, 100)
            check(label, None if fits else "radius %s, and the largest distance is %.9g" % (radius.group(1), float(far) ** 0.5))
    for words in ["-v 3 -f 1 --train", "-v 3 -f 1 --test", "-v 2 -f 1 --test --stratified", "-v 2 --list",
                  "-v 2 -f 2 --train --svm-train-order"]:
        label = "%s, svm-fold %s" % (name, words)
        if not wanted(label):
            continue
        if finished(label, ["svm-fold", *words.split(), data, "out"], ["out"]) is None or "--list" in words:
            continue
        kept = open("out").read().splitlines()
        check(label, None if set(kept) <= set(text.splitlines()) else "other rows")
    label = name + ", randsvm-grid"
    if wanted(label) and len(rows) > 3:
        for words in ["-t 0 -log2c -60,60,60", "-log2c 0,10,10 -log2g -600,600,600", "-s 3 -log2c 0,10,10 -log2g null"]:
            finished(label + " " + words, ["randsvm-grid", *words.split(), "-v", "2", "-png", "null", "-out", "out", "--model",
                                           "m", "--table", "table", data], ["m", "table"])


def many_labels(n):
    """A million labels, and a class for each of 300 rows."""
    if wanted("labels"):
        with open("labels", "w") as file:
            file.write("".join("%d 1:%d\n" % (i - n // 2, i % 1000) for i in range(n)))
        for words in (["randsvm-train", "-s", "3", "-t", "0", "--max-iter", "2", "labels", "m"],
                      ["svm-fold", "-v", "2", "-f", "1", "--test", "labels", "out"],
                      ["fs-select", "-m", "f", "-k", "1", "labels", "out"],
                      ["rp-project", "-m", "scale", "labels", "out"]):
            finished("%d labels, %s" % (n, words[0]), words, [words[-1]])
    if wanted("300 classes"):
        rows = [(i % 300, {1: float(i % 300), 2: float(i)}) for i in range(600)]
        with open("classes", "w") as file:
            file.write(text_of(rows))
        for words in ("-t 0", "-t 2", "-t 0 --multiclass ovr"):
            name = "300 classes, randsvm-train " + words
            if finished(name, ["randsvm-train", "-q", *words.split(), "classes", "m"], ["m"]) is not None and "ovr" not in words:
                run("svm-predict", "classes", "m", "theirs")
                finished(name + ", svm-eval", ["svm-eval", "classes", "m", "ours"], ["ours"])
                same = open("ours").read() == open("theirs").read()
                check(name, None if same else "svm-predict predicts otherwise")


def wanted(label):
    return not options.words or any(w in label for w in options.words)


def main():
    draw = random.Random(options.seed)
    sets = [(n, t, True) for n, t in data_sets(draw)] + [(n, t, False) for n, t in target_sets(draw)]
    for name, text, classes in sets:
        with open("data", "w") as file:
            file.write(text)
        rows = parsed(text)
        if classes:
            train(name, "data", rows)
            project(name, "data", rows)
            scale(name, "data", rows)
            select(name, "data", text)
            evaluate(name, "data", text, rows)
        else:
            regress(name, "data", rows)
    many_labels(options.labels)
    print("numbers: %d checks, %d failed" % (n_checks, n_failed))
    return n_failed > 0


def regress(name, data, rows):
    for words, c, p in REGRESSIONS:
        label = "%s, randsvm-train %s" % (name, words)
        if wanted(label):
            out = finished(label, ["randsvm-train", "--verbose", *words.split(), data, "m"], ["m"])
            if out is not None:
                judge_training(label, out, "m", rows, c, p)
                predict(label, data, rows)
    for words in FURTHER:
        label = "%s, randsvm-train %s" % (name, words)
        if "-s 3" in words or "-s 4" in words:
            if wanted(label):
                outputs = [] if "-v" in words.split() else ["m"]
                finished(label, ["randsvm-train", *words.split(), data, *outputs], outputs)
    label = name + ", fs-select --regression"
    if wanted(label):
        for method in ("f", "rfe"):
            finished(label, ["fs-select", "-m", method, "--regression", "-k", "2", "--list", data, "out"], ["out"])


parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--labels", type=int, default=1000000)
parser.add_argument("words", nargs="*")
options = parser.parse_args()
os.environ["PATH"] += os.pathsep + os.path.join(TOP, "bin")
work = tempfile.mkdtemp()
os.chdir(work)
try:
    status = main()
finally:
    shutil.rmtree(work)
sys.exit(status)

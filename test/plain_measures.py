"""plain_measures.py TEST SCORES [PROBABILITIES] - the measures of predictions, by their definitions

TEST are examples, SCORES and PROBABILITIES what `svm-eval --scores` and `svm-eval -b 1` wrote
of them.  Prints `key value` lines in the words of svm-eval's report.  Uses scikit-learn too where
it is installed: both must then agree.

SPDX-License-Identifier: BSD-3-Clause
"""
import math
import sys


def targets(name):
    return [float(line.split()[0]) for line in open(name) if line.strip()]


def rows(name):
    lines = [line.split() for line in open(name)]
    return lines[0], [[float(word) for word in line] for line in lines[1:]]


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def f1(truth, predicted, c):
    both = sum(t == c and p == c for t, p in zip(truth, predicted))
    return 2 * both / (truth.count(c) + predicted.count(c))


def precision(truth, predicted, c):
    of = [t == c for t, p in zip(truth, predicted) if p == c]
    return mean(of) if of else 0


def recall(truth, predicted, c):
    of = [p == c for t, p in zip(truth, predicted) if t == c]
    return mean(of) if of else 0


def auc(positive, score):
    high = [s for s, p in zip(score, positive) if p]
    low = [s for s, p in zip(score, positive) if not p]
    return mean((x > y) + (x == y) / 2 for x in high for y in low)


def classification(truth, header, values):
    predicted = [v[0] for v in values]
    classes = sorted(set(truth) | set(predicted))
    present = sorted(set(truth))
    out = {
        "accuracy": 100 * mean(t == p for t, p in zip(truth, predicted)),
        "balanced_accuracy": 100 * mean(recall(truth, predicted, c) for c in present),
        "macro_f1": mean(f1(truth, predicted, c) for c in classes),
        "macro_precision": mean(precision(truth, predicted, c) for c in classes),
        "macro_recall": mean(recall(truth, predicted, c) for c in classes),
    }
    if len(header) == 2:
        a, b = (int(word) for word in header[1].split("/"))
        score = [v[1] * (1 if a > b else -1) for v in values]
        out["auc"] = auc([t == max(a, b) for t in truth], score)
    return out


def probabilities(truth, header, values):
    labels = [float(word) for word in header[1:]]
    given = [dict(zip(labels, v[1:])) for v in values]
    squares = mean(sum((p[c] - (c == t)) ** 2 for c in labels) for p, t in zip(given, truth))
    return {
        "log_loss": mean(-math.log(p[t]) for p, t in zip(given, truth)),
        "brier": squares / 2 if len(labels) == 2 else squares,
    }


def regression(truth, values):
    predicted = [v[0] for v in values]
    errors = [abs(t - p) for t, p in zip(truth, predicted)]
    middle = mean(truth)
    return {
        "mse": mean(e * e for e in errors),
        "mae": mean(errors),
        "max_error": max(errors),
        "r2": 1 - sum(e * e for e in errors) / sum((t - middle) ** 2 for t in truth),
    }


def check(name, ours, theirs):
    if abs(ours - theirs) > 1e-9 * max(1, abs(theirs)):
        sys.exit(f"{name}: {ours} by definition, {theirs} by scikit-learn")


def compare_with_sklearn(truth, header, values, out):
    try:
        from sklearn import metrics
    except ImportError:
        return
    predicted = [v[0] for v in values]
    if "mse" in out:
        check("mse", out["mse"], metrics.mean_squared_error(truth, predicted))
        check("mae", out["mae"], metrics.mean_absolute_error(truth, predicted))
        check("r2", out["r2"], metrics.r2_score(truth, predicted))
        check("max_error", out["max_error"], metrics.max_error(truth, predicted))
        return
    check("accuracy", out["accuracy"] / 100, metrics.accuracy_score(truth, predicted))
    check("balanced_accuracy", out["balanced_accuracy"] / 100,
          metrics.balanced_accuracy_score(truth, predicted))
    p, r, f, _ = metrics.precision_recall_fscore_support(truth, predicted, average="macro",
                                                         zero_division=0)
    check("macro_precision", out["macro_precision"], p)
    check("macro_recall", out["macro_recall"], r)
    check("macro_f1", out["macro_f1"], f)
    if "auc" in out:
        a, b = (int(word) for word in header[1].split("/"))
        score = [v[1] * (1 if a > b else -1) for v in values]
        check("auc", out["auc"], metrics.roc_auc_score([t == max(a, b) for t in truth], score))


def main():
    truth = targets(sys.argv[1])
    header, values = rows(sys.argv[2])
    if header[1] == "value":
        out = regression(truth, values)
    else:
        out = classification(truth, header, values)
    compare_with_sklearn(truth, header, values, out)
    if len(sys.argv) > 3:
        out.update(probabilities(truth, *rows(sys.argv[3])))
    for key, value in out.items():
        print(key, repr(value))


main()

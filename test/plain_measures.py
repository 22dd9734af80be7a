"""plain_measures.py TEST SCORES [PROBABILITIES] - the measures of predictions, by their definitions

TEST are examples, SCORES and PROBABILITIES what `svm-eval --scores` and `svm-eval -b 1` wrote
of them.  Prints `key value...` lines in the words of svm-eval's report: the numbers of confusion row by
row, of precision, recall and f1 class by class.

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
    return mean(of) if of else None


def recall(truth, predicted, c):
    of = [p == c for t, p in zip(truth, predicted) if t == c]
    return mean(of) if of else None


def auc(positive, score):
    high = [s for s, p in zip(score, positive) if p]
    low = [s for s, p in zip(score, positive) if not p]
    return mean((x > y) + (x == y) / 2 for x in high for y in low)


def average_precision(positive, score):
    """Precision at the threshold of each positive, ties together, and the mean of these."""
    at_least = {s: [p for x, p in zip(score, positive) if x >= s] for s in set(score)}
    return mean(mean(at_least[s]) for s, p in zip(score, positive) if p)


def class_scores(header, values):
    """What speaks for each class: its own column, or its pairs with their signs."""
    scores = {}
    for k, word in enumerate(header[1:], 1):
        names = word.split("/")
        for name, sign in zip(names, (1, -1)):
            old = scores.get(int(name), [0] * len(values))
            scores[int(name)] = [s + sign * v[k] for s, v in zip(old, values)]
    return scores


def auc_of_classes(truth, scores):
    return mean(
        auc([t == c for t in truth], s) for c, s in scores.items() if 0 < truth.count(c) < len(truth)
    )


def classification(truth, header, values):
    predicted = [v[0] for v in values]
    classes = sorted(set(truth) | set(predicted))
    present = sorted(set(truth))
    each = {
        "precision": [precision(truth, predicted, c) for c in classes],
        "recall": [recall(truth, predicted, c) for c in classes],
        "f1": [f1(truth, predicted, c) for c in classes],
    }
    pairs = list(zip(truth, predicted))
    out = {
        "accuracy": 100 * mean(t == p for t, p in zip(truth, predicted)),
        "balanced_accuracy": 100 * mean(recall(truth, predicted, c) for c in present),
        "micro_f1": mean(t == p for t, p in pairs),
        "confusion": [pairs.count((t, p)) for t in classes for p in classes],
    }
    for key, values_of_classes in each.items():
        out["macro_" + key] = mean(v or 0 for v in values_of_classes)
    out.update(each)
    if len(header) == 2:
        a, b = (int(word) for word in header[1].split("/"))
        score = [v[1] * (1 if a > b else -1) for v in values]
        out["auc"] = auc([t == max(a, b) for t in truth], score)
        out["average_precision"] = average_precision([t == max(a, b) for t in truth], score)
    elif len(header) > 3:
        out["auc"] = auc_of_classes(truth, class_scores(header, values))
    return out


def probabilities(truth, header, values):
    labels = [float(word) for word in header[1:]]
    given = [dict(zip(labels, v[1:])) for v in values]
    squares = mean(sum((p[c] - (c == t)) ** 2 for c in labels) for p, t in zip(given, truth))
    columns = {int(c): [p[c] for p in given] for c in labels}
    high = max(columns)
    truth_of_high = [t == high for t in truth]
    return {
        "auc": (auc_of_classes(truth, columns) if len(labels) > 2
                else auc(truth_of_high, columns[high])),
        **({} if len(labels) > 2 else
           {"average_precision": average_precision(truth_of_high, columns[high])}),
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


def main():
    truth = targets(sys.argv[1])
    header, values = rows(sys.argv[2])
    if header[1] == "value":
        out = regression(truth, values)
    else:
        out = classification(truth, header, values)
    if len(sys.argv) > 3:
        out.update(probabilities(truth, *rows(sys.argv[3])))
    for key, value in out.items():
        print(key, *(value if isinstance(value, list) else [value]))


if __name__ == "__main__":
    main()

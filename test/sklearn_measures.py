"""sklearn_measures.py - the measures of predictions against scikit-learn's

Reads lines `TEST SCORES OURS [PROBABILITIES]`: examples, what `svm-eval --scores` wrote of them, lines
`key value...` with the words of svm-eval's report, and what `svm-eval -b 1` wrote.

SPDX-License-Identifier: BSD-3-Clause
"""
import sys

from sklearn import metrics

from plain_measures import rows, targets


def classification(truth, header, values):
    predicted = [v[0] for v in values]
    labels = sorted(set(truth) | set(predicted))
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(
        truth, predicted, labels=labels, zero_division=0)
    macro = metrics.precision_recall_fscore_support(truth, predicted, average="macro",
                                                    zero_division=0)
    out = {
        "accuracy": [100 * metrics.accuracy_score(truth, predicted)],
        "balanced_accuracy": [100 * metrics.balanced_accuracy_score(truth, predicted)],
        "confusion": metrics.confusion_matrix(truth, predicted, labels=labels).ravel(),
        "precision": precision, "recall": recall, "f1": f1,
        "macro_precision": [macro[0]], "macro_recall": [macro[1]], "macro_f1": [macro[2]],
        "micro_f1": [metrics.f1_score(truth, predicted, average="micro")],
    }
    if len(header) == 2:
        a, b = (int(word) for word in header[1].split("/"))
        score = [v[1] * (1 if a > b else -1) for v in values]
        out["auc"] = [metrics.roc_auc_score([t == max(a, b) for t in truth], score)]
    return out


def probabilities(truth, header, values):
    labels = [float(word) for word in header[1:]]
    order = sorted(range(len(labels)), key=lambda k: labels[k])
    given = [[v[1 + k] for k in order] for v in values]
    briers = [metrics.brier_score_loss([t == labels[k] for t in truth], [v[1 + k] for v in values])
              for k in order]
    return {
        **({"auc": [metrics.roc_auc_score([t == max(labels) for t in truth],
                                          [v[1 + order[-1]] for v in values])]}
           if len(labels) == 2 else {}),
        "log_loss": [metrics.log_loss(truth, given, labels=sorted(labels))],
        "brier": [briers[0] if len(briers) == 2 else sum(briers)],
    }


def regression(truth, values):
    predicted = [v[0] for v in values]
    return {
        "mse": [metrics.mean_squared_error(truth, predicted)],
        "mae": [metrics.mean_absolute_error(truth, predicted)],
        "max_error": [metrics.max_error(truth, predicted)],
        "r2": [metrics.r2_score(truth, predicted)],
    }


def compare(test, scores, ours, *rest):
    truth = targets(test)
    header, values = rows(scores)
    out = regression(truth, values) if header[1] == "value" else classification(truth, header, values)
    if rest:
        out.update(probabilities(truth, *rows(rest[0])))
    ours = {words[0]: words[1:] for words in map(str.split, open(ours))}
    for key, theirs in out.items():
        # a precision that is not defined is 0 to scikit-learn
        mine = [0 if word == "None" else float(word) for word in ours[key]]
        if len(mine) != len(theirs) or any(abs(x - y) > 1e-5 * max(1, abs(y))
                                           for x, y in zip(mine, theirs)):
            sys.exit(f"{test}: {key}: {mine}, by scikit-learn {list(theirs)}")
    return len(out)


print(sum(compare(*line.split()) for line in sys.stdin), "measures agree")

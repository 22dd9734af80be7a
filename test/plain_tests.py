#!/usr/bin/env python3
#
# plain_tests.py - t and F of features of weighted rows by the definitions: what fs-select -W is compared with
#
#     plain_tests.py TEST FILE WEIGHTS
#
# TEST is t, f, or r, the F of the correlation with the targets.  Prints `index score`, a line for each
# feature that has a value, by descending score.  A weight counts as that many rows.
#
# SPDX-License-Identifier: BSD-3-Clause
import math
import sys


def read(name):
    rows = []
    with open(name, encoding="ascii") as file:
        for line in file:
            label, *entries = line.split()
            rows.append((float(label), {int(j): float(x) for j, x in (e.split(":") for e in entries)}))
    return rows


def moments(values, weights):
    """Weight, mean and sum of squares about the mean"""
    n = math.fsum(weights)
    mean = math.fsum(w * x for w, x in zip(weights, values)) / n
    return n, mean, math.fsum(w * (x - mean) ** 2 for w, x in zip(weights, values))


def by_class(values, labels, weights):
    return [moments([x for x, y in zip(values, labels) if y == c],
                    [w for w, y in zip(weights, labels) if y == c]) for c in sorted(set(labels))]


def t_score(values, labels, weights):
    (n_a, m_a, s_a), (n_b, m_b, s_b) = by_class(values, labels, weights)
    return abs(m_a - m_b) / math.sqrt(s_a / (n_a - 1) / n_a + s_b / (n_b - 1) / n_b)


def f_score(values, labels, weights):
    classes = by_class(values, labels, weights)
    n, mean, _ = moments(values, weights)
    between = math.fsum(n_c * (m - mean) ** 2 for n_c, m, _ in classes) / (len(classes) - 1)
    return between / (math.fsum(s for _, _, s in classes) / (n - len(classes)))


def r_score(values, targets, weights):
    n, m_x, s_x = moments(values, weights)
    _, m_y, s_y = moments(targets, weights)
    products = math.fsum(w * (x - m_x) * (y - m_y) for w, x, y in zip(weights, values, targets))
    square = products ** 2 / (s_x * s_y)
    return (n - 2) * square / (1 - square)


def main():
    score = {"t": t_score, "f": f_score, "r": r_score}[sys.argv[1]]
    rows = read(sys.argv[2])
    with open(sys.argv[3], encoding="ascii") as file:
        weights = [float(line) for line in file]
    kept = [k for k, w in enumerate(weights) if w > 0]
    labels = [rows[k][0] for k in kept]
    features = sorted(set().union(*(rows[k][1] for k in kept)))
    scores = [(score([rows[k][1].get(j, 0) for k in kept], labels, [weights[k] for k in kept]), j)
              for j in features]
    for value, j in sorted(scores, key=lambda s: (-s[0], s[1])):
        print(j, repr(value))


main()

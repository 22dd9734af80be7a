#!/usr/bin/env python3
#
# plain_fold.py - the weights of a linear model, carried back through a selection by the definition
#
#     plain_fold.py MODEL [SELECTION]
#
# Prints `pair feature weight` of each weight that is not 0, and `pair constant`.  With SELECTION, a
# file of fs-select -s, each feature of MODEL is the one it was chosen as, and its weight is that
# times the weight of the selection.  Models of LIBSVM (-t 0) and of LIBLINEAR.
#
# SPDX-License-Identifier: BSD-3-Clause
import math
import sys


def read_selection(name):
    """The feature, and the factor of its values, that each feature of the chosen rows has."""
    lines = open(name).read().splitlines()
    header = dict(line.split(" ", 1) for line in lines if not line[0].isdigit())
    chosen = sorted(((int(w[0]), float(w[1])) for w in map(str.split, lines) if w[0].isdigit()))
    result = {}
    for number, (feature, weight) in enumerate(chosen, 1):
        name = number if header["renumber"] == "yes" else feature
        result[name] = feature, weight if header["rescale"] == "yes" else 1.0
    return result


def read_libsvm(header, body):
    """For each pair of classes its weights and its constant."""
    n_class = int(header["nr_class"][0])
    counts = list(map(int, header.get("nr_sv", [len(body)])))
    first = [sum(counts[:k]) for k in range(len(counts) + 1)]
    rows = [line.split() for line in body]
    pairs, rho = [], iter(map(float, header["rho"]))
    for a in range(n_class):
        for b in range(a + 1, n_class):
            terms = {}
            for k, row in enumerate(rows):
                of_a = len(counts) < n_class or first[a] <= k < first[a + 1]
                of_b = not of_a and first[b] <= k < first[b + 1]
                if not of_a and not of_b:
                    continue
                coefficient = float(row[b - 1 if of_a else a])
                for word in row[n_class - 1:]:
                    j, x = word.split(":")
                    terms.setdefault(int(j), []).append(coefficient * float(x))
            pairs.append(({j: math.fsum(t) for j, t in terms.items()}, next(rho)))
    return pairs


def read_liblinear(header, body):
    rows = [list(map(float, line.split())) for line in body]
    n = int(header["nr_feature"][0])
    return [({j + 1: rows[j][q] for j in range(n)}, rows[n][q] if len(rows) > n else 0.0)
            for q in range(len(rows[0]))]


def read_model(name):
    lines = open(name).read().splitlines()
    end = next(k for k, line in enumerate(lines) if line in ("SV", "w"))
    header = {line.split()[0]: line.split()[1:] for line in lines[:end]}
    return (read_libsvm if lines[end] == "SV" else read_liblinear)(header, lines[end + 1:])


def main():
    selection = read_selection(sys.argv[2]) if len(sys.argv) > 2 else None
    for pair, (weights, constant) in enumerate(read_model(sys.argv[1])):
        if selection is not None:
            weights = {selection[j][0]: w * selection[j][1] for j, w in weights.items() if w != 0}
        for j in sorted(weights):
            if weights[j] != 0:
                print(pair, j, repr(weights[j]))
        print(pair, repr(constant))


main()

#!/usr/bin/env python3
#
# plain_groups.py - folds of whole groups, by the definition
#
#     plain_groups.py folds N SEED LABELS GROUPS     the fold of each row, from 1
#     plain_groups.py check LABELS GROUPS FOLDS      is it a partition of groups, as even as promised?
#     plain_groups.py data SEED CLASSES GROUPS       lines "label group" of random groups
#
# LABELS, GROUPS and FOLDS are files with a line for each row; LABELS "-": no classes.  Groups are
# dealt the largest first, equal ones in the order of a shuffle by rand() of the C library; each
# goes to the fold where the sum of squares of `check` grows least.
#
# SPDX-License-Identifier: BSD-3-Clause
import collections
import ctypes
import fractions
import random
import sys


def lines(name):
    return open(name).read().split("\n")[:-1]


def classes_of(name, n):
    """The classes in the order of svm-train: as they come, but 1 before -1; and the class of each row"""
    if name == "-":
        return [], [None] * n
    labels = [float(line) for line in lines(name)]
    order = list(dict.fromkeys(labels))
    return ([1.0, -1.0] if order == [-1.0, 1.0] else order), labels


def parts_of(labels, groups):
    """Rows of each class in each group"""
    parts = {}
    for label, group in zip(labels, groups):
        parts.setdefault(group, collections.Counter())[label] += 1
    return parts


def shuffled(n, seed):
    """Places of 0 .. n - 1: place i gets one of those from i on"""
    libc = ctypes.CDLL(None)
    libc.srand(ctypes.c_uint(seed))
    order = list(range(n))
    for i in range(n):
        j = i + libc.rand() % (n - i)
        order[i], order[j] = order[j], order[i]
    return {one: place for place, one in enumerate(order)}


def make_folds(n_folds, seed, labels_name, groups):
    order, labels = classes_of(labels_name, len(groups))
    parts, total, n = parts_of(labels, groups), collections.Counter(labels), len(groups)
    rows = {group: sum(part.values()) for group, part in parts.items()}
    place = dict(zip(parts, map(shuffled(len(parts), seed).get, range(len(parts)))))

    def grows(group, of_class, size):
        """What sums of squares grow by, but for factors, with what a fold has"""
        result = rows[group] * (size / n) if of_class is parts[group] else rows[group] / n * size
        for label in order:
            if parts[group][label]:
                result += parts[group][label] / total[label] * of_class[label]
        return result

    by_size = sorted(parts, key=lambda g: (-grows(g, parts[g], rows[g]), place[g]))
    counts, sizes, fold = [collections.Counter() for _ in range(n_folds)], [0] * n_folds, {}
    for group in by_size:
        fold[group] = min(range(n_folds), key=lambda k: grows(group, counts[k], sizes[k]))
        counts[fold[group]].update(parts[group])
        sizes[fold[group]] += rows[group]
    return [fold[group] + 1 for group in groups]


def check(labels_name, groups, folds):
    """No group in two folds, no fold empty, and sums of squares no larger than at random"""
    order, labels = classes_of(labels_name, len(groups))
    n_folds, n = max(folds), fractions.Fraction(len(groups))
    assert len(groups) == len(folds) and set(folds) == set(range(1, n_folds + 1)), "empty folds"
    assert len(set(zip(groups, folds))) == len(set(groups)), "a group in two folds"

    def squares(parts, mean):
        total = collections.Counter(labels)
        return sum((sum(part.values()) - n * mean) ** 2 / n + sum(
            (part[c] - total[c] * mean) ** 2 / fractions.Fraction(total[c]) for c in order)
            for part in parts.values())
    uneven = squares(parts_of(labels, folds), fractions.Fraction(1, n_folds))
    at_random = (1 - fractions.Fraction(1, n_folds)) * squares(parts_of(labels, groups), 0)
    print(f"{float(uneven):.4f}, at random {float(at_random):.4f}")
    assert uneven <= at_random, "less even than at random"


def data(seed, n_classes, n_groups):
    """Groups of 1 to 12 rows, most of them of a class or two"""
    random.seed(seed)
    rows = []
    for g in range(n_groups):
        of_group = random.choices(range(1, n_classes + 1), k=random.choice((1, 1, 2)))
        rows += [(random.choice(of_group), f"group {g}") for _ in range(random.randint(1, 12))]
    random.shuffle(rows)
    for label, group in rows:
        print(label, group)


def main():
    command, arguments = sys.argv[1], sys.argv[2:]
    if command == "folds":
        n, seed, labels, groups = arguments
        print("\n".join(map(str, make_folds(int(n), int(seed), labels, lines(groups)))))
    elif command == "check":
        check(arguments[0], lines(arguments[1]), list(map(int, lines(arguments[2]))))
    else:
        data(*map(int, arguments))


main()

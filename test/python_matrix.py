#!/usr/bin/env python3
"""python_matrix.py - arrays of all kinds at all entries of the module randsvm

    python_matrix.py                  cases drawn in 60 seconds, or all if there is time
    python_matrix.py --seconds S      in S seconds
    python_matrix.py --pairs          the first that have each entry with each type and each layout
    python_matrix.py --seed N         drawn by another seed (default: 1)
    python_matrix.py --only WORDS     the entries, types and layouts of these words, separated by commas

A case is an entry (a function and the argument that is an array), a type of values, and a layout:
order, strides, alignment, flags, class, shape.  What holds numbers must give the same bits as the
array of doubles that numpy makes of it; all else must be refused by a ValueError or TypeError with a
message.  No warning, no change of the array; each case is a process, so that a crash is one's own.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import itertools
import os
import random
import sys
import tempfile
import time
import warnings

import numpy as np
import randsvm
from randsvm import (FeatureSelector, NuSVC, OneClassSVM, PrincipalComponents, RandomProjection,
                     RangeScaler, Rows, SVC, SVR, cross_validate, search)

N, WIDTH = 24, 4
_random = np.random.default_rng(3)
X = _random.integers(0, 8, (N, WIDTH)).astype(float)
Y = (X[:, 0] + X[:, 1] > 7).astype(float)
W = _random.integers(1, 4, N).astype(float)
GROUP = np.arange(N) // 3.
SQUARE = X @ X.T // 4  # fits 8 bits
SQUARE = np.minimum(SQUARE, SQUARE.T)
ROW = np.array([3., 0, 5, 5, 1])
POINTS = np.array([1., 2, 4])
ONE = dict(n_jobs=1)


def fitted(machine):
    """All that fit() finds, but names"""
    parts = [machine.intercept_, machine.certificates_[0]["primal"], machine.certificates_[0]["dual"]]
    return parts + ([machine.coef_] if machine.model_.info["is_linear_model"] else
                    [machine.support_, machine.dual_coef_])


SURE = SVC(probability=True, **ONE).fit(X, Y)
LINE = SVR(kernel="linear", **ONE).fit(X, Y)
MAPS = [RandomProjection(3, **ONE).fit(X), PrincipalComponents(2, **ONE).fit(X), RangeScaler(**ONE).fit(X),
        FeatureSelector(2, method="f", **ONE).fit(X, Y)]
KERNEL = SVC(kernel="precomputed", **ONE).fit(SQUARE, Y)
SHOWN = Rows(X, Y)

# name: (what is given as a plain array, its role, what is computed of it)
ENTRIES = {
    "SVC.fit": (X, "X", lambda a: fitted(SVC(**ONE).fit(a, Y))),
    "SVC.fit-linear": (X, "X", lambda a: fitted(SVC(kernel="linear", multi_class="ovr", loss="squared_hinge",
                                                    **ONE).fit(a, Y))),
    "SVR.fit": (X, "X", lambda a: fitted(SVR(**ONE).fit(a, Y))),
    "OneClassSVM.fit": (X, "X", lambda a: fitted(OneClassSVM(**ONE).fit(a))),
    "precomputed.fit": (SQUARE, "X", lambda a: fitted(SVC(kernel="precomputed", **ONE).fit(a, Y))),
    "precomputed.predict": (SQUARE, "X", KERNEL.decision_function),
    "predict": (X, "X", SURE.predict),
    "decision_function": (X, "X", SURE.decision_function),
    "predict_proba": (X, "X", SURE.predict_proba),
    "SVR.predict": (X, "X", LINE.predict),
    "score": (X, "X", lambda a: SURE.score(a, Y)),
    "cross_validate": (X, "X", lambda a: cross_validate(SVC(**ONE), a, Y, n_folds=2)),
    "search": (X, "X", lambda a: search(SVC(**ONE), a, Y, C=[1, 2], n_folds=2).points["rate"]),
    "certify": (X, "X", lambda a: SURE.model_.certify(SURE, a, Y)[0]["primal"]),
    "reduce": (X, "X", lambda a: SURE.model_.reduce(3, SURE, a, Y).decision_values(X)),
    "Model.predict": (X, "X", SURE.model_.predict),
    "Rows": (X, "X", lambda a: Rows(a).toarray(WIDTH)),
    **{f"{type(one).__name__}.transform": (X, "X", one.transform) for one in MAPS},
    **{f"{type(one).__name__}.fit": (X, "X", lambda a, one=one: type(one)(**one.get_params()).fit(a, Y).transform(X))
       for one in MAPS},
    "Map.apply": (X, "X", MAPS[0].map_.apply),
    "SVC.fit y": (Y, "y", lambda a: fitted(SVC(**ONE).fit(X, a))),
    "NuSVC.fit y": (Y, "y", lambda a: NuSVC(nu=.3, **ONE).fit(X, a).predict(X)),
    "SVR.fit y": (W, "y", lambda a: fitted(SVR(**ONE).fit(X, a))),
    "Rows y": (Y, "y", lambda a: Rows(X, a).labels),
    "cross_validate y": (Y, "y", lambda a: cross_validate(SVC(**ONE), X, a, n_folds=2)),
    "search y": (Y, "y", lambda a: search(SVC(**ONE), X, a, C=[1, 2], n_folds=2).points["rate"]),
    "FeatureSelector.fit y": (Y, "y", lambda a: FeatureSelector(2, method="f", **ONE).fit(X, a).map_.selected_scores),
    "sample_weight": (W, "weight", lambda a: fitted(SVC(**ONE).fit(X, Y, a))),
    "FeatureSelector sample_weight": (W, "weight", lambda a: FeatureSelector(2, method="f", **ONE).fit(X, Y, a)
                                      .map_.selected_scores),
    "Rows.weigh": (W, "weight", lambda a: fitted(SVC(**ONE).fit(SHOWN.weigh(a)))),
    "groups": (GROUP, "group", lambda a: cross_validate(SVC(**ONE), X, Y, n_folds=2, groups=a)),
    "Rows.group": (GROUP, "group", lambda a: cross_validate(SVC(**ONE), SHOWN.group(a), n_folds=2)),
    "Rows.part": (ROW, "index", lambda a: SHOWN.part(a).toarray(WIDTH)),
    "search C": (POINTS, "points", lambda a: search(SVC(**ONE), X, Y, C=a, n_folds=2).points["rate"]),
    "search gamma": (POINTS, "points", lambda a: search(SVC(**ONE), X, Y, gamma=a, n_folds=2).points["rate"]),
}

NUMBERS = ["?", *(order + letter for letter in "bhiqBHIQefdg" for order in "<>")]
OTHERS = ["O", "U4", "S4", "F", ">D", "G", "M8[s]", "m8[us]", "record"]


def typed(values, role, kind):
    """The values as another type, which has them all; truth values are those of another question"""
    if kind == "record":
        return values.astype([("a", float)])
    if kind == "?":
        return values > (0 if role in ("weight", "points") else np.median(values))
    whole = values.astype(int)
    return whole.astype(kind)


class Holder:
    """No array, but one is to be had of it"""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array.astype(dtype or self.array.dtype)


class Interface:
    def __init__(self, array):
        self.array, self.__array_interface__ = array, array.__array_interface__


def doubled(a):
    """The array as every second element, along each axis, of a larger one"""
    large = np.zeros([2 * n + 1 for n in a.shape], a.dtype)
    view = large[tuple(slice(1, None, 2) for _ in a.shape)]
    view[...] = a
    return view


def backwards(a):
    every = tuple(slice(None, None, -1) for _ in a.shape)
    return a[every].copy()[every]


def unaligned(a):
    room = np.zeros(a.nbytes + 1, np.uint8)[1:].view(a.dtype).reshape(a.shape)
    room[...] = a
    return room


def fixed(a):
    a = a.copy()
    a.flags.writeable = False
    return a


def mapped(a):
    file = tempfile.NamedTemporaryFile()
    held = np.memmap(file, a.dtype, "w+", shape=a.shape)
    held[...] = a
    held.file = file
    return held


SAME = {"C": lambda a: a.copy(), "Fortran": np.asfortranarray, "strides": doubled, "backwards": backwards,
        "unaligned": unaligned, "read-only": fixed, "memmap": mapped, "list": lambda a: a.tolist(),
        "no mask": np.ma.array, "holder": Holder, "interface": Interface,
        "view": lambda a: np.vstack([a[None], a[None]])[1]}
REFUSED = {"mask": lambda a: np.ma.array(a, mask=np.arange(a.size).reshape(a.shape) == 1),
           "0-d": lambda a: a.reshape(-1)[0], "None": lambda a: None, "deeper": lambda a: a[None],
           "rows": lambda a: a[:0], "pairs": lambda a: np.stack([a, a], -1)}


def accepted(entry, role, kind, layout):
    """Is a case to give what doubles give?  None: that is not defined"""
    if layout in ("list", "holder", "interface") and kind in ("record", "M8[s]", "m8[us]", "G", "<g", ">g"):
        return None  # a list of other things; and no interface has them
    if layout in ("None", "0-d") and role in ("weight", "points"):
        return None  # a weight for all, one value, or no weights
    if layout == "None" and (role == "group" or entry == "Rows y") or layout == "rows" and role in ("index", "points"):
        return None
    if layout in REFUSED and (layout, role) not in (("deeper", "points"), ("pairs", "points")):
        return False
    if kind in ("F", ">D", "G", "record"):
        return False
    if kind in ("M8[s]", "m8[us]"):
        return role == "group"
    if role == "index":
        return None if kind == "?" else kind[-1] in "bhiqBHIQO" and layout not in REFUSED
    return None if layout in REFUSED else True


def numbers(found):
    return [np.asarray(part).astype(float) for part in (found if isinstance(found, list) else [found])]


def wanted(entry, kind, known={}):
    """What the plain array of doubles gives"""
    values, role, compute = ENTRIES[entry]
    if (entry, kind == "?") not in known:
        plain = typed(values, role, "?" if kind == "?" else "i").astype(float)
        known[entry, kind == "?"] = numbers(compute(plain.astype(int) if role == "index" else plain))
    return known[entry, kind == "?"]


def judge(entry, kind, layout):
    """What is wrong with a case, or None"""
    values, role, compute = ENTRIES[entry]
    array = typed(values, role, kind)
    with np.errstate(over="ignore"):  # the number that stands for masked ones
        given = {**SAME, **REFUSED}[layout](array)
    right = accepted(entry, role, kind, layout)
    before = np.asarray(given).tobytes() if isinstance(given, np.ndarray) and kind != "O" else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if right is None else "error")
        try:
            found = numbers(compute(given))
        except (ValueError, TypeError) as error:
            if right:
                return f"refused: {type(error).__name__}: {error}"
            return None if len(str(error)) > 5 else f"no message: {error!r}"
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    if before is not None and before != np.asarray(given).tobytes():
        return "the array was changed"
    if right is False:
        return "was taken"
    if right and not all(map(np.array_equal, found, wanted(entry, kind))):
        return "other numbers"
    return None


def run(case):
    """judge() in a process of its own"""
    if accepted(case[0], ENTRIES[case[0]][1], *case[1:]):
        wanted(*case[:2])
    child = os.fork()
    if child == 0:
        wrong = "did not come to its end"
        try:
            wrong = judge(*case)
        except BaseException as error:
            wrong = f"{type(error).__name__}: {error}"
        if wrong:
            print(f"{', '.join(case)}: {wrong}", flush=True)
        os._exit(bool(wrong))
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        print(f"{', '.join(case)}: signal {os.WTERMSIG(status)}", flush=True)
    return status == 0


def pairs(cases):
    """The cases with an entry and type, or an entry and layout, that none before has"""
    seen, chosen = set(), []
    for case in cases:
        if not {case[:2], case[::2]} <= seen:
            seen |= {case[:2], case[::2]}
            chosen.append(case)
    return chosen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only")
    options = parser.parse_args()
    cases = [case for case in itertools.product(ENTRIES, NUMBERS + OTHERS, [*SAME, *REFUSED])
             if case[1:] != ("O", "unaligned")]  # which numpy does not make
    if options.only:
        cases = [case for case in cases if set(options.only.split(",")) <= set(case)]
    random.Random(options.seed).shuffle(cases)
    if options.pairs:
        cases = pairs(cases)
    end = time.monotonic() + options.seconds
    n = failed = 0
    for case in cases:
        if not options.pairs and time.monotonic() > end:
            break
        n += 1
        failed += not run(case)
    print(f"python_matrix: {n} of {len(cases)} cases, {failed} failed")
    return failed > 0 or n == 0


sys.exit(main())

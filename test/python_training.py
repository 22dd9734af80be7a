"""Checks of how the Python module's trainings end, and what they leave; test/python.sh names them

    python_training.py ends           time_limit and callback
    python_training.py certificates   RANDSVM_CERTIFICATES
    python_training.py many           trains in four processes, for certificates

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import os
import subprocess
import sys
import warnings

import numpy as np
from randsvm import LinearSVC, RandsvmError, SVC, SVR, read_rows


def data(n):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 10))
    return X, np.where(X[:, 0] * X[:, 1] + random.normal(size=n) > 0, "up", "down")


def warned(train):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        machine = train()
    return machine, [str(one.message) for one in said]


def raises(kind, words, function):
    try:
        function()
    except kind as error:
        assert words in str(error), (words, error)
        return
    raise AssertionError(f"no {kind}: {words}")


def ends():
    X, y = data(6000)
    rounds = []
    whole = SVC(C=30, gamma=.1, callback=rounds.append).fit(X, y)
    assert whole.fit_status_ == 0 and len(rounds) >= whole.n_iter_[0] > 0
    assert [r["number"] for r in rounds] == sorted(r["number"] for r in rounds)
    assert all(r["dual"] <= r["primal"] for r in rounds) and rounds[-1]["n_violators"] == 0
    optimum = whole.certificates_[0]
    # the model so far, without a word, whose bounds hold the optimum
    part, said = warned(lambda: SVC(C=30, gamma=.1, callback=lambda r: True).fit(X, y))
    found = part.certificates_[0]
    assert part.fit_status_ == 1 and not said and part.n_iter_[0] < whole.n_iter_[0]
    assert found["primal"] - found["gap"] <= optimum["primal"] <= found["primal"]
    assert found["gap"] > optimum["gap"] and (part.predict(X) == y).mean() > .6
    # an instant: what is left of the time when the first round begins is nothing
    part, said = warned(lambda: SVC(C=30, gamma=.1, time_limit=1e-9).fit(X, y))
    assert part.fit_status_ == 1 and ["time_limit=1e-09" in one for one in said] == [True], said
    assert warned(lambda: SVC(time_limit=1e6).fit(X[:200], y[:200]))[0].fit_status_ == 0
    raises(RandsvmError, "interrupted",
           lambda: SVC(C=30, gamma=.1, time_limit=1e-9, probability=True).fit(X, y))
    raises(ZeroDivisionError, "", lambda: SVC(callback=lambda r: 1 / 0).fit(X, y))
    raises(ValueError, "time_limit = 0", lambda: SVC(time_limit=0).fit(X, y))
    assert LinearSVC(time_limit=1e6, callback=rounds.append).fit(X, y).fit_status_ == 0


def lines():
    with open("proofs") as file:
        return [json.loads(line, parse_constant=lambda word: 1 / 0) for line in file]


def certificates():
    """Lines have the keys of a report of randsvm-train, and its values"""
    os.environ["RANDSVM_CERTIFICATES"] = "proofs"
    rows = read_rows("three_class")
    machine = SVC(gamma=.25).fit(rows)
    SVR(gamma=.25, epsilon=.3).fit(rows)
    LinearSVC().fit(rows)
    X, y = data(300)
    names = SVC(C=1e-300).fit(X, y)
    subprocess.run(["randsvm-train", "-q", "-g", ".25", "--report", "report", "three_class", "model"],
                   check=True)
    with open("report") as file:
        report = json.load(file)
    first, second, third, last = lines()
    own = {"ended_early", "process"}
    assert first.keys() - own <= report.keys(), first.keys() - report.keys()
    assert first["settings"].keys() <= report["settings"].keys()
    assert first["data"].keys() <= report["data"].keys()
    for key in ("primal", "dual", "gap_bound", "relative_gap", "violators", "rounds", "n_sv", "n_bsv"):
        assert np.isclose(first[key], report[key], 1e-9, 0), (key, first[key], report[key])
        for ours, theirs in zip(first["pairs"], report["pairs"], strict=True):
            assert ours["label_a"] == theirs["label_a"] and ours["label_b"] == theirs["label_b"]
            assert np.isclose(ours[key], theirs[key], 1e-9, 0), key
    assert first["settings"]["gamma"] == .25 and first["data"]["rows"] == len(rows)
    assert second["settings"]["svm_type"] == 3 and "pairs" not in second and "rho" in second
    assert len(third["pairs"]) == 3 and third["pairs"][0]["label_b"] is None
    assert last["primal"] <= 1e-290 and names.certificates_[0]["label_a"] in ("up", "down")
    assert first["primal"] == sum(c["primal"] for c in machine.certificates_)
    # a file that cannot be written does not end the program
    for path in "/dev/full", "no folder/proofs":
        os.environ["RANDSVM_CERTIFICATES"] = path
        _, said = warned(lambda: SVC().fit(X, y))
        assert len(said) == 1 and "cannot write" in said[0], said
    # four processes append to one file, and lines stay whole
    os.remove("proofs")
    os.environ["RANDSVM_CERTIFICATES"] = "proofs"
    running = [subprocess.Popen([sys.executable, "-B", __file__, "many"]) for _ in range(4)]
    assert [one.wait() for one in running] == [0] * 4
    found = lines()
    assert len(found) == 80 and len({line["process"] for line in found}) == 4
    del os.environ["RANDSVM_CERTIFICATES"]
    SVC().fit(X, y)
    assert len(lines()) == 80


def many():
    X, y = data(40)
    for _ in range(20):
        SVC().fit(X, y)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])

"""randsvm._certificates - RANDSVM_CERTIFICATES=FILE: a line of JSON in FILE for each training

The environment variable makes programs that know nothing of certificates leave a proof of each
model.  Keys are those of the reports of randsvm-train (randsvm-formats(5)).

SPDX-License-Identifier: BSD-3-Clause
"""
from __future__ import annotations

import json
import math
import os
import sys
from typing import Any

import numpy as np

from ._library import library_version
from ._rows import _warn

_VARIABLE = "RANDSVM_CERTIFICATES"

# settings of a report, and fields of struct rsv_training
_SETTINGS = {"svm_type": "machine", "kernel_type": "kernel", "degree": "degree", "gamma": "gamma",
             "coef0": "coef0", "C": "C", "nu": "nu", "p": "p", "eps": "eps",
             "probability": "probability", "budget": "budget", "wanted_gap": "gap"}

# keys of a proof, and fields of struct rsv_certificate
_PROOF = {"primal": "primal", "dual": "dual", "gap_bound": "gap", "rounding": "rounding",
          "relative_gap": "relative_gap", "violators": "n_violators", "rounds": "rounds",
          "n_sv": "n_sv", "n_bsv": "n_bounded", "rho": "rho", "ended_early": "ended_early"}


def _plain(value):
    """What JSON has of a value: null where it is not finite"""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)


def _proof(certificate):
    proof = {key: _plain(certificate[field]) for key, field in _PROOF.items()}
    proof["ended_early"] = bool(proof["ended_early"])
    return {**proof, "gap": _plain(certificate["primal"] - certificate["dual"])}


def _sum_of(certificates, n_sv):
    """The proof of a model: sums over its machines, without the constants"""
    total = {field: sum(c[field] for c in certificates)
             for field in ("primal", "dual", "gap", "rounding", "n_violators", "n_bounded",
                           "rounds")}
    total["relative_gap"] = total["gap"] / abs(total["primal"]) if total["primal"] else total["gap"]
    return {**total, "n_sv": n_sv, "ended_early": any(c["ended_early"] for c in certificates),
            "rho": None}


def _line(problem: Any, model: Any, certificates: list[dict], seconds: float) -> dict:
    """What a line says of a training; `certificates` have labels of the caller's"""
    info, training = model.info, problem.training
    proofs = [_proof(c) for c in certificates]
    total = proofs[0] if len(proofs) == 1 else _proof(_sum_of(certificates, info["n_sv"]))
    if len(proofs) > 1:
        del total["rho"]
    line = {
        "schema_version": 1, "tool": "randsvm.py", "version": library_version(),
        "argv": [str(word) for word in getattr(sys, "argv", ())], "process": os.getpid(),
        "settings": {key: _plain(getattr(training, field)) for key, field in _SETTINGS.items()},
        "seconds_per_phase": {"train": seconds},
        "data": {"rows": len(problem.rows), "max_index": problem.rows.shape[1],
                 "classes": 0 if problem.classes is None else len(problem.classes),
                 "gamma": _plain(info["gamma"])},
        **total}
    if len(proofs) > 1:
        line["pairs"] = [{"label_a": _plain(c["label_a"]), "label_b": _plain(c["label_b"]), **proof}
                         for c, proof in zip(certificates, proofs)]
    return line


def keep_certificates(problem: Any, model: Any, certificates: list[dict], seconds: float) -> None:
    """Append a line to the file that RANDSVM_CERTIFICATES names, if it names one

    In one write, so that lines of several processes do not mix.  A file that cannot be written is
    a warning: the training is done.

    Parameters
    ----------
    problem : _Problem
        What was trained.
    model : Model
    certificates : list of dict
        Those of the model, with the caller's labels.
    seconds : float
        That the training took.
    """
    path = os.environ.get(_VARIABLE)
    if not path:
        return
    text = json.dumps(_line(problem, model, certificates, seconds), allow_nan=False)
    data = (text + "\n").encode()
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        try:
            n = os.write(file, data)
        finally:
            os.close(file)
        if n != len(data):
            raise OSError(f"{n} of {len(data)} bytes written")
    except OSError as reason:
        _warn(f"{_VARIABLE}: cannot write {path!r}: {reason}")

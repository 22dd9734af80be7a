"""randsvm._patch - scikit-learn's names of machines for ours: patch_sklearn(), unpatch_sklearn()

SPDX-License-Identifier: BSD-3-Clause
"""
from __future__ import annotations

import sys


def _replace(old_to_new):
    """Put classes in the place of others in all modules of scikit-learn that are loaded

    But the one where scikit-learn defines its own, which pickles of them name.
    """
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "sklearn" and name != "sklearn.svm._classes":
            for attribute, value in list(vars(module).items()):
                if isinstance(value, type) and value in old_to_new:
                    setattr(module, attribute, old_to_new[value])


def patch_sklearn() -> None:
    """Make the machines of sklearn.svm ours, for all that is imported from there from now on

    SVC, NuSVC, SVR, NuSVR, OneClassSVM, LinearSVC and LinearSVR, also in modules of scikit-learn
    that have them already; a `from sklearn.svm import SVC` before stays what it is.  What our
    machines refuse and scikit-learn's take, such as LinearSVC(penalty='l1'), scikit-learn's do, with
    a line in the log `randsvm`.  To call it again changes nothing.

    Raises
    ------
    ImportError
        Without scikit-learn.
    """
    from . import _drop_in
    _replace({ours._stock: ours for ours in _drop_in.CLASSES})


def unpatch_sklearn() -> None:
    """Undo patch_sklearn(), for all that is imported from now on; what was fitted stays ours"""
    from . import _drop_in
    _replace({ours: ours._stock for ours in _drop_in.CLASSES})

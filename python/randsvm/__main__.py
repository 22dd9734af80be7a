"""randsvm as a program: run a program of Python whose SVMs of scikit-learn are ours

    python3 -m randsvm script.py [argument]...
    python3 -m randsvm -m module [argument]...

As `python3 script.py` would, after patch_sklearn(), and in shared_search(): its GridSearchCV shares
what trainings have in common.

SPDX-License-Identifier: BSD-3-Clause
"""
from __future__ import annotations

import os
import runpy
import sys

from . import library_version, patch_sklearn


def main() -> None:
    """Run what sys.argv says"""
    arguments = sys.argv[1:]
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__.split("\n\nSPDX")[0])
        return
    if arguments == ["--version"]:
        print(f"randsvm {library_version()}")
        return
    by_name = arguments[:1] == ["-m"]
    arguments = arguments[by_name:]
    if not arguments or not by_name and arguments[0].startswith("-"):
        sys.exit("python3 -m randsvm: which script?  Try 'python3 -m randsvm --help'")
    if not by_name and not os.path.exists(arguments[0]):
        sys.exit(f"python3 -m randsvm: cannot open '{arguments[0]}'")
    try:
        patch_sklearn()
        from . import shared_search
    except ImportError as reason:
        sys.exit(f"python3 -m randsvm: scikit-learn is needed (Debian: python3-sklearn): {reason}")
    sys.argv = arguments
    with shared_search():
        if by_name:
            runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
            return
        # as python3 does, but with -P and -I
        if not getattr(sys.flags, "safe_path", sys.flags.isolated):
            sys.path[0] = os.path.dirname(os.path.realpath(arguments[0]))
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main()

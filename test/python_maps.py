"""Checks of the Python module's maps of kernels; test/python.sh names them

    python_maps.py values              kernel values, of rows and of sparse rows
    python_maps.py write KIND PATH     a map of the rows of heart by parameters given to it, and rows

SPDX-License-Identifier: BSD-3-Clause
"""
import pickle
import sys

import numpy as np
from randsvm import (Nystroem, PolynomialCountSketch, RBFSampler, RandsvmError, Rows, SVC, read_rows)


def refuses(words, function):
    try:
        function()
    except RandsvmError as error:
        assert words in str(error), (words, error)
        return
    raise AssertionError(f"not refused: {words}")


def products(machine, X):
    mapped = machine.fit_transform(X)
    return mapped @ mapped.T


def values():
    rows = read_rows("heart")
    X = rows.toarray()[:120]
    square = ((X[:, None] - X) ** 2).sum(axis=2)
    rbf, laplace = np.exp(-.1 * square), np.exp(-.1 * abs(X[:, None] - X).sum(axis=2))
    polynomial = (.2 * X @ X.T + .5) ** 2
    # 2 exp(-k E^2 / 4) is the chance that a value is off by E: of 7,140 pairs, one of 10^6
    bound = np.sqrt(4 * np.log(2 * 7140 * 1e6) / 5000)
    assert abs(products(RBFSampler(gamma=.1, n_components=5000), X) - rbf).max() < bound
    assert abs(products(RBFSampler(gamma=.1, n_components=5000, kernel="laplace"), X)
               - laplace).max() < bound
    size = np.sqrt(np.outer(polynomial.diagonal(), polynomial.diagonal()))
    sketch = PolynomialCountSketch(gamma=.2, coef0=.5, n_components=1 << 14)
    errors = (products(sketch, X) - polynomial) / size
    assert np.sqrt((errors ** 2).mean()) < 2 * np.sqrt(8 / (1 << 14))
    # with all rows as landmarks, and where one of the two rows is one
    for kernel, gram, more in (
            ("rbf", rbf, {"gamma": .1}), ("poly", polynomial, {"coef0": .5, "degree": 2, "gamma": .2}),
            ("polynomial", polynomial, {"kernel_params": {"gamma": .2, "coef0": .5, "degree": 2}}),
            ("linear", X @ X.T, {})):
        machine = Nystroem(kernel, n_components=200, **more)
        assert np.allclose(products(machine, X), gram, 0, 1e-6 * gram.max()), kernel
        for landmarks in "uniform", "leverage":
            part = Nystroem(kernel, n_components=9, landmarks=landmarks, random_state=3, **more)
            error = gram - products(part, X)
            assert np.linalg.eigvalsh(error)[0] > -1e-6 * gram.max()
            assert (abs(error.diagonal()) < 1e-6 * gram.max()).sum() >= 9
    # kinds of rows, copies, a linear machine, and what is not taken
    machine = RBFSampler(gamma="scale", n_components=50, random_state=7).fit(X)
    assert machine.transform(X).shape == (120, 50)
    assert np.array_equal(machine.transform(X), machine.transform(Rows(X)).toarray(50))
    assert np.array_equal(pickle.loads(pickle.dumps(machine)).transform(X), machine.transform(X))
    assert list(machine.get_feature_names_out()[:2]) == ["rbfsampler0", "rbfsampler1"]
    X, y = rows.toarray(), rows.labels
    linear = SVC(kernel="linear").fit(RBFSampler(gamma=.1).fit_transform(X), y)
    assert linear.score(RBFSampler(gamma=.1).fit_transform(X), y) > .85
    refuses("gamma", lambda: RBFSampler(gamma=-1).fit(X))
    refuses("kernel is 'poly'", lambda: RBFSampler(kernel="poly").fit(X))
    refuses("coef0", lambda: PolynomialCountSketch(coef0=-1).fit(X))
    refuses("degree", lambda: PolynomialCountSketch(degree=0).fit(X))
    refuses("n_components", lambda: Nystroem(n_components="all").fit(X))
    refuses("0 landmarks", lambda: Nystroem(n_components=0).fit(X))
    refuses("a name of kernel_params", lambda: Nystroem(kernel_params={"p": 1}).fit(X))
    refuses("kernel is 'cosine'", lambda: Nystroem("cosine").fit(X))
    refuses("not finite", lambda: Nystroem(gamma=np.inf).fit(X))
    refuses("coef0", lambda: Nystroem("poly", coef0=-1).fit(X))


def write(kind, parameters):
    rows = read_rows("heart")
    machine = eval(f"{kind}({parameters})").fit(rows)  # parameters are those of test/python.sh
    machine.map_.write("ours.map")
    machine.transform(rows).write("ours")


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])

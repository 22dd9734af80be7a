"""python_checks.py - checks of the module randsvm, a function each

    python_checks.py NAME [ARGUMENT...]

Files heart, sinc, three_class and a1a are in the working folder.

SPDX-License-Identifier: BSD-3-Clause
"""
import copy
import ctypes
import inspect
import os
import pickle
import re
import resource
import signal
import sys
import threading
import time
import warnings

import numpy as np
import randsvm
from randsvm import _library, _machines, _problems, _rows
from randsvm import (LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM, PrincipalComponents, RandomProjection, RandsvmError,
                     RangeScaler, FeatureSelector, Map, Model, Rows, SVC, SVR, cross_validate,
                     read_rows, search)


def arrays(path):
    rows = read_rows(path)
    return rows.toarray(), rows.labels


def sparse():
    """scipy.sparse, which takes longer to load than most checks; None if it is not there"""
    try:
        import scipy.sparse
        return scipy.sparse
    except ImportError:
        return None


def raises(kind, words, function):
    """What is raised: it has these words, and RandsvmError catches it, as all that the module refuses"""
    try:
        function()
    except kind as error:
        assert words in str(error), (words, str(error))
        if isinstance(error, (ValueError, TypeError)):
            assert isinstance(error, (RandsvmError, AttributeError)), (words, type(error))
        return error
    raise AssertionError(f"no {kind}: {words}")


# ---- the library ----

def declarations():
    """A program in C that compares the structs of the header with those of the module"""
    print("#include <stdio.h>\n#include <randsvm.h>\nint main(void)\n{\n\tint bad = 0;")

    def same(what, value):
        print(f'\tif ({what} != {value})\n\t\tbad = !!printf("{what} is not {value}\\n");')

    names = [name for name, kind in vars(_library).items()
             if inspect.isclass(kind) and issubclass(kind, _library._Struct) and name != "_Struct"]
    assert len(names) >= 8, names
    for name in names:
        kind = getattr(_library, name)
        struct = f"struct rsv_{kind._name}"
        same(f"(int)sizeof({struct})", ctypes.sizeof(kind))
        for field, _ in kind._fields_:
            same(f"(int)__builtin_offsetof({struct}, {field})", getattr(kind, field).offset)
    point = _library._POINT
    same("(int)sizeof(struct rsv_point)", point.itemsize)
    for field in point.names:
        same(f"(int)__builtin_offsetof(struct rsv_point, {field})", point.fields[field][1])
    print("\treturn bad;\n}")


def errors():
    X, y = arrays("heart")
    value = ValueError
    raises(value, "C <= 0", lambda: SVC(C=-1).fit(X, y))
    raises(value, "infeasible", lambda: NuSVC(nu=0.99).fit(X, y))
    raises(value, "gamma = 0", lambda: SVC(gamma=0).fit(X, y))
    raises(value, "gamma is 'other'", lambda: SVC(gamma="other").fit(X, y))
    raises(value, "kernel is 'cubic'", lambda: SVC(kernel="cubic").fit(X, y))
    raises(value, "loss is 'other'", lambda: SVC(loss="other").fit(X, y))
    raises(value, "linear kernel", lambda: SVC(loss="squared_hinge").fit(X, y))
    raises(value, "class_weight is 'odd'", lambda: SVC(class_weight="odd").fit(X, y))
    raises(value, "n_jobs = 0", lambda: SVC(n_jobs=0).fit(X, y))
    raises(value, "[270, 269]", lambda: SVC().fit(X, y[1:]))
    raises(value, "got 1D array", lambda: SVC().fit(X[0], y))
    raises(value, "y is None", lambda: SVC().fit(X))
    raises(value, "got 1 class", lambda: SVC().fit(X, 0 * y))
    raises(value, "Unknown label type", lambda: SVC().fit(X, y / 2))
    raises(value, "0 sample(s)", lambda: SVC().fit(X[:0], y[:0]))
    raises(value, "square", lambda: SVC(kernel="precomputed").fit(X, y))
    raises(value, "12 features, but SVC is expecting 13", lambda: SVC().fit(X, y).predict(X[:, 1:]))
    raises(value, "not fitted", lambda: SVC().predict(X))
    raises(AttributeError, "not fitted", lambda: SVR().predict(X))
    raises(AttributeError, "linear", lambda: SVC().fit(X, y).coef_)
    raises(AttributeError, "probability=False", lambda: SVC().fit(X, y).predict_proba)
    raises(value, "no parameter", lambda: SVC().set_params(D=1))
    raises(value, "no parameter C", lambda: search(NuSVC(), X, y, C=[1]))
    raises(value, "folds", lambda: search(SVC(), X, y, C=[1], n_folds=1))
    raises(value, "differs from the labels", lambda: SVC().fit(read_rows("heart"), -y))
    for bad in np.nan, np.inf:
        dirty = X.copy()
        dirty[3, 2] = bad
        words = "contains NaN" if np.isnan(bad) else "contains infinity or a value too large"
        raises(value, "Input X " + words, lambda: SVC().fit(dirty, y))
        raises(value, "Input X " + words, lambda: SVC().fit(X, y).predict(dirty))
        raises(value, "Input y " + words, lambda: SVR().fit(X, y + bad))
    error = raises(RandsvmError, "nowhere", lambda: read_rows("nowhere"))
    again = pickle.loads(pickle.dumps(error))
    assert (error.code, str(error)) == (again.code, str(again)) == (2, error.text)
    with open("bad", "w") as file:
        file.write("1 1:x\n")
    raises(value, "line 1", lambda: read_rows("bad"))
    raises(RandsvmError, "No such file", lambda: Model.read("nowhere"))
    raises(RandsvmError, "No such file", lambda: Map.read("nowhere"))
    raises(value, "no method 'other'", lambda: FeatureSelector(method="other").fit(X, y))
    raises(TypeError, "cannot be copied", lambda: copy.copy(read_rows("heart")))


def calls_end(X, y):
    """Every call that takes long hears of a signal, and what it was given can be used again"""
    asked, _library._Job._interrupted = _library._Job._interrupted, lambda job, arg: job.failure is not None
    rows = Rows(X, y)
    rows.write("rows")
    machine = SVC(C=.1).fit(X, y)
    selectors = [randsvm.FeatureSelector(5, method=method, unsupervised=unsupervised)
                 for method in ("bss", "leverage", "top", "rrqr", "rfe", "rmb", "lpsvm", "l1", "t", "f", "uniform")
                 for unsupervised in (False,) + (True,) * (method in ("bss", "leverage", "rrqr"))]
    calls = [lambda one=one: one.fit(X, y) for one in selectors]
    calls += [lambda: randsvm.read_rows("rows"), lambda: machine.predict(X), lambda: machine.decision_function(X),
              lambda: machine.model_.certify(machine, X, y), lambda: machine.model_.reduce(10),
              lambda: machine.model_.reduce(10, machine, X, y),
              lambda: randsvm.PrincipalComponents(3).fit(X),
              lambda map=randsvm.RandomProjection(3).fit(X): map.transform(X)]
    predicted, gone = machine.predict(X), threading.Event()

    def interrupt_and_compute_on(job, arg):
        if not gone.is_set() and job.failure is None:
            os.kill(os.getpid(), signal.SIGINT)
        return not gone.wait()

    # as LAPACK and LIBLINEAR, which do not ask: they are left, and what they made is freed
    for call in calls[0], calls[-2]:
        gone.clear()
        _library._Job._interrupted = interrupt_and_compute_on
        raises(KeyboardInterrupt, "", call)
        gone.set()
        call()
    for call in calls:
        _library._Job._interrupted = asked
        raises(KeyboardInterrupt, "", call)
        _library._Job._interrupted = lambda job, arg: job.failure is not None
        call()
    assert np.array_equal(machine.predict(X), predicted) and len(rows) == len(X)
    _library._Job._interrupted = asked


def interruption():
    """The first time that a training asks whether to go on it is sent a signal, as by Ctrl-C"""
    X, y = arrays("a1a")
    models, struck, of, asked = [], set(), Model._of, _library._Job._interrupted

    def interrupt(job, arg):
        if job not in struck:
            struck.add(job)
            os.kill(os.getpid(), signal.SIGINT)
        while job.failure is None:
            time.sleep(0.001)
        return asked(job, arg)

    # a shell may have started the test with the signal ignored
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _library._Job._interrupted = interrupt
    Model._of = lambda pointer: models.append(of(pointer)) or models[-1]
    raises(KeyboardInterrupt, "", lambda: SVC(C=100, tol=1e-6).fit(X, y))
    assert len(models) == 1 and models[0].info["was_interrupted"]
    raises(KeyboardInterrupt, "", lambda: cross_validate(SVC(), X, y))
    raises(KeyboardInterrupt, "", lambda: search(SVC(), X, y, C=[1, 10]))
    Model._of = of
    calls_end(X, y)
    _library._Job._interrupted = asked
    Model._of = lambda pointer: models.append(of(pointer)) or models[-1]
    SVC(C=100).fit(X, y)
    assert len(models) == 2 and not models[1].info["was_interrupted"]

    def fail(share):
        raise KeyError(f"{share} is done")
    raises(KeyError, "is done", lambda: search(SVC(), X, y, C=[1, 10], progress=fail))


def overflow():
    """A number too large for a double is an error of maps, and documented of predictions"""
    maps = [(randsvm.RangeScaler(), [[1e308], [-1e308]], [[0.]], "row 1: overflow: a scaled value"),
            (randsvm.RangeScaler(), [[0.], [1e-320]], [[0.], [1e308]], "row 2: overflow"),
            (randsvm.RandomProjection(1), np.ones((2, 4)), np.full((1, 4), 1.7e308), "row 1: overflow"),
            (randsvm.PrincipalComponents(1), np.outer([1, -1, 2], np.ones(3)), np.full((1, 3), 1.7e308), "row 1: overflow")]
    for map, fitted, X, words in maps:
        map.fit(fitted)
        try:
            map.transform(X)
        except randsvm.RandsvmError as error:
            assert error.code == 5 and words in str(error), error
        else:
            raise AssertionError(f"{map} of {X} is no error")
    machine = SVC(kernel="poly", gamma=1.0).fit([[1.], [-1.], [2.], [-2.]], [1, 0, 1, 0])
    values = machine.decision_function([[1e308], [1.]])
    assert not np.isfinite(values[0]) and np.isfinite(values[1])
    assert set(machine.predict([[1e308]])) <= {0, 1}


def memory():
    """Handles are freed: 60 times 8 MB or less take less than 100 MB"""
    X = np.random.default_rng(1).normal(size=(700, 1000))
    y = np.arange(700) % 2

    def peak_mb():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    SVC(kernel="linear").fit(X, y)
    before = peak_mb()
    for _ in range(30):
        Rows(X, y)
    model = SVC(kernel="linear").fit(X, y).model_
    for _ in range(30):
        model.support_vectors()
    for _ in range(10):
        pickle.loads(pickle.dumps(RandomProjection(50).fit(X)))
    assert peak_mb() - before < 100, (before, peak_mb())


# ---- rows and parameters ----

def rows():
    """The same values by any way that the rows come"""
    X, y = arrays("heart")
    want = SVC(C=3, gamma=.1).fit(X, y)
    values = want.decision_function(X)
    assert want.n_features_in_ == 13 and len(read_rows("heart")) == 270
    given = {"lists": X.tolist(), "Fortran": np.asfortranarray(X), "Rows": Rows(X, y),
             "part": np.hstack([X, X])[:, :13], "file": read_rows("heart")}
    if sparse():
        far = 2.0 ** 40 + X
        assert abs(_problems._gamma("scale", sparse().csr_matrix(far)) * 13 * far.var() - 1) < 1e-6
        csr = sparse().csr_matrix(X)
        given.update({form: csr.asformat(form) for form in ("csr", "csc", "coo")})
        backwards = sparse().csr_matrix(X[:, ::-1])
        backwards.indices = 12 - backwards.indices
        backwards.has_sorted_indices = backwards.has_canonical_format = False
        twice = sparse().csr_matrix((csr.data.repeat(2) / 2, csr.indices.repeat(2), 2 * csr.indptr))
        given.update(backwards=backwards, twice=twice)
        assert (read_rows("heart").tocsr() != csr).nnz == 0
        for form in "csr", "csc":
            for name, place, value in (("indices", 20, 1000), ("indices", 20, -1), ("indptr", 5, 10 ** 7),
                                       ("indptr", 5, -1)):
                broken = csr.asformat(form, copy=True)
                getattr(broken, name)[place] = value
                raises(ValueError, "", lambda: SVC().fit(broken, y))
                raises(ValueError, "", lambda: want.predict(broken))
                raises(ValueError, "", lambda: Rows(broken, y))
    for form, other in given.items():
        found = SVC(C=3, gamma=.1).fit(other, None if isinstance(other, Rows) else y)
        assert np.array_equal(found.support_, want.support_), form
        assert np.array_equal(found.decision_function(other), values), form
        scale, = (_problems._gamma("scale", _rows._matrix(rows)) for rows in [other])
        assert abs(scale * 13 * X.var() - 1) < 1e-12, form
        vectors = found.support_vectors_
        if not isinstance(vectors, np.ndarray):
            vectors = vectors.toarray()
        assert np.array_equal(vectors, X[want.support_]), form
    with open("single", "w") as file:
        file.write("1 2:3\n-1 1:.5 3:2\n")
    assert read_rows("single").toarray(4).tolist() == [[0, 3, 0, 0], [.5, 0, 2, 0]]
    assert read_rows("heart").part([5, 0]).labels.tolist() == y[[5, 0]].tolist()
    Rows(X, y).write("written.gz")
    assert np.array_equal(read_rows("written.gz").toarray(), X)
    single = X.astype(np.float32)
    assert np.array_equal(SVC().fit(single, y).predict(single), SVC().fit(X, y).predict(X))


def scalars():
    """Scalars of numpy are taken wherever a number, a truth or a name is expected"""
    X, y = arrays("heart")
    X, y = X[:60, :5], y[:60]
    given = {bool: [np.bool_], int: [np.int8, np.int64, np.uint16],
             float: [np.float16, np.float32, np.float64, np.longdouble], str: [np.str_]}
    others = {"random_state": 1, "n_jobs": 1, "cache_size": 100.0, "budget": 30, "gap": 0.5, "gamma": 0.25}
    n_taken = 0
    for kind in (SVC, NuSVC, SVR, NuSVR, OneClassSVM, FeatureSelector, PrincipalComponents,
                 RandomProjection):
        needed = {} if issubclass(kind, _machines._Machine) else {list(kind().get_params())[0]: 2}
        defaults = {**kind().get_params(), **needed}
        for name, value in {**defaults, **{k: v for k, v in others.items() if k in defaults}}.items():
            if name == "budget" and kind in (NuSVC, NuSVR):
                continue
            for scalar in given.get(type(value), []):
                kind(**{**needed, name: scalar(value)}).fit(X, y)
                n_taken += 1
    assert n_taken > 150, n_taken
    rows, two = Rows(X, y), np.int64(2)
    SVC(class_weight={np.int64(-1): np.float32(2)}).fit(X, y).model_.reduce(two)
    RangeScaler((np.float32(0), np.int8(1))).fit(X)
    cross_validate(SVC(), X, y, n_folds=two)
    search(SVC(), X, y, C=np.float32([1, 2]), gamma=[np.float16(.5)], n_folds=two)
    for one in [two], [np.uint8(2)], np.array([2], np.uint64), np.arange(60) == 2:
        assert np.array_equal(rows.part(one).toarray(), X[2:3])


def refusals():
    """Whatever is refused RandsvmError catches, and what scikit-learn's users catch"""
    X, y = arrays("heart")
    rows, machine = Rows(X, y), SVC().fit(X, y)
    both = RandsvmError, ValueError
    kind = RandsvmError, ValueError, TypeError
    for kinds, call in (
            (both, lambda: rows.part([270])), (both, lambda: rows.part([-271])), (both, lambda: rows.part([True])),
            (kind, lambda: rows.part([1.5])), (kind, lambda: rows.part([[1]])), (kind, lambda: rows.part("a")),
            (both, lambda: rows.weigh([1])), (both, lambda: rows.weigh(-y)), (both, lambda: rows.group([1])),
            (kind, lambda: SVC(C="1").fit(X, y)), (kind, lambda: SVC(degree=2.5).fit(X, y)),
            (both, lambda: SVC(C=-1).fit(X, y)), (both, lambda: SVC(kernel="k").fit(X, y)),
            (both, lambda: SVC(n_jobs=0).fit(X, y)), (kind, lambda: SVC(n_jobs="all").fit(X, y)),
            (kind, lambda: SVC().fit([["a"]] * 2, [0, 1])), (kind, lambda: SVC().fit([[1], [1, 2]], [0, 1])),
            (both, lambda: SVC().fit(X * np.nan, y)), (both, lambda: SVC().fit(X, y[1:])),
            (kind, lambda: SVC().fit(X, y, sample_weight="a")), (both, lambda: machine.predict(X[:, 1:])),
            (both, lambda: machine.model_.reduce(0)), (kind, lambda: machine.model_.reduce(1.5)),
            (both, lambda: FeatureSelector(2, method="m").fit(X, y)), (both, lambda: RangeScaler((1, 0)).fit(X)),
            (kind, lambda: RangeScaler(3).fit(X)), (kind, lambda: RangeScaler((0, 1, 2)).fit(X)),
            (kind, lambda: rows.part(True)), (kind, lambda: rows.part(1.0)), (kind, lambda: rows.part(2)),
            (both, lambda: cross_validate(SVC(), X, y, n_folds=1)),
            (kind, lambda: search(SVC(), X, y, C=["a"])), (both, lambda: Model.read("a\0b")),
            (both, lambda: machine.model_.write("\0")), (both, lambda: Model.read("three_class"))):
        try:
            call()
        except Exception as error:
            assert all(isinstance(error, one) for one in kinds), (kinds, type(error), str(error))
        else:
            raise AssertionError(inspect.getsource(call))


def parameters():
    X, y = arrays("heart")
    assert repr(SVC(C=2)).startswith("SVC(")
    assert SVC().set_params(C=5).get_params()["C"] == 5
    # dual coefficients are bounded by C and weights
    for weight in {-1: 3, 1: .5}, "balanced":
        machine = SVC(C=.1, class_weight=weight).fit(X, y)
        share = {one: 270 / (2 * (y == one).sum()) for one in (-1, 1)}
        for one in -1, 1:
            bound = .1 * (share if weight == "balanced" else weight)[one]
            most = abs(machine.dual_coef_[0, y[machine.support_] == one]).max()
            assert abs(most - bound) < 1e-9, (weight, one, most, bound)
    scale = SVC(gamma=1 / (13 * X.var())).fit(X, y)
    assert np.array_equal(scale.decision_function(X), SVC().fit(X, y).decision_function(X))
    auto, same = SVC(gamma="auto").fit(X, y), SVC(gamma=1 / 13).fit(X, y)
    assert np.array_equal(auto.decision_function(X), same.decision_function(X))
    gram = np.exp(-scale.gamma * ((X[:, None] - X) ** 2).sum(axis=2))
    kernel = SVC(kernel="precomputed").fit(gram, y)
    assert np.allclose(kernel.decision_function(gram[:9]), scale.decision_function(X[:9]), 0, 1e-2)
    assert np.array_equal(kernel.support_, scale.support_)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        SVC(kernel="precomputed").fit(gram, y)
        assert not said
        SVC(kernel="precomputed").fit(np.triu(gram), y)
        assert "not symmetric" in str(said[0].message)
        # half of a kernel matrix has no optimum to come to
        assert said.pop(1).category.__name__ == "ConvergenceWarning"
        # rows of a file likewise
        with open("lopsided", "w") as file:
            file.write("1 0:1 1:4 2:1\n-1 0:2 1:3 2:5\n")
        SVC(kernel="precomputed").fit(read_rows("lopsided"))
        assert len(said) == 2 and said[1].message.args == said[0].message.args
        assert said[0].filename == said[1].filename == __file__
    # integers that no double is are told, the first of them, and no others
    for kind, first, n in (np.int64, 2 ** 53 + 1, 1), (np.int64, -2 ** 53 - 1, 1), \
            (np.uint64, 2 ** 64 - 1, 1), (np.int64, 2 ** 53, 0), (np.uint64, 2 ** 63, 0), \
            (np.int64, -2 ** 63, 0):
        column = np.array([[0], [first], [1], [3]], kind)
        for form in [np.asarray] + ([sparse().csr_matrix] if sparse() else []):
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                SVC(gamma=1).fit(form(column), [1, 1, 2, 2])
                assert len(said) == n and all(str(first) in str(one.message) for one in said), first
                assert all(one.filename == __file__ for one in said)
        with open("integers", "w") as file:
            file.write(f"1 1:{first}\n2 1:1\n")
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            SVC(gamma=1).fit(read_rows("integers"))
            assert len(said) == n and all("more digits" in str(one.message) for one in said), first
            assert all(one.filename == __file__ for one in said)
    # a linear machine's values are sums of products, which have no digits far from 0
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for kernel, offset, n in ("linear", 0, 0), ("rbf", 4e9, 0), ("linear", 4e9, 1):
            SVC(kernel=kernel, gamma=.1).fit(X + offset, y)
            assert len(said) == n and all("lie so far" in str(one.message) for one in said), kernel
    with open("ones", "w") as file:
        file.write("1 0:1 1:4 2:1\n-1 0:1 1:1 2:5\n")
    raises(RandsvmError, "rows 1 and 2 differ, and have the same serial number",
           lambda: SVC(kernel="precomputed").fit(read_rows("ones")))
    squared = SVC(kernel="linear", loss="squared_hinge").fit(X, y)
    slack = np.maximum(0, 1 - (2 * (y == squared.classes_[1]) - 1) * squared.decision_function(X))
    primal = np.sum(squared.coef_ ** 2) / 2 + np.sum(slack ** 2)
    assert abs(primal / squared.certificates_[0]["primal"] - 1) < 1e-3, primal
    # any number of threads gives the same, and seeds are numbers or numpy's
    for jobs in 1, 3, -1:
        assert np.array_equal(SVC(n_jobs=jobs).fit(X, y).dual_coef_, SVC().fit(X, y).dual_coef_)
    chances = [SVC(probability=True, random_state=seed).fit(X, y).predict_proba(X)
               for seed in (1, 2, np.random.RandomState(5), np.random.RandomState(5))]
    assert np.array_equal(chances[2], chances[3]) and not np.array_equal(chances[0], chances[1])
    tight = SVC(gap=1e-9, tol=.1).fit(X, y).certificates_[0]
    assert 0 <= tight["gap"] <= 1e-9 * tight["primal"] and 0 <= tight["relative_gap"] <= 1e-9
    assert tight["dual"] - tight["rounding"] <= tight["primal"] + tight["rounding"]
    for machine in SVC(), NuSVC(), SVR(C=100), NuSVR(C=100):
        assert machine.fit(X, y).score(X, y) > 0.7, machine
        gap = machine.certificates_[0]["relative_gap"]
        assert 0 <= gap < 1e-2, (machine, gap)
    sides = OneClassSVM(nu=.2).fit_predict(X)
    assert set(sides) == {-1, 1} and abs((sides < 0).mean() - .2) < .05


def arguments():
    """What C would cut, or read as another number, is refused; what numpy has for a number is taken"""
    X, y = arrays("heart")
    value, kind = ValueError, TypeError
    model = SVC(C=.1).fit(X, y).model_
    wide, whole = 2 ** 32 + 1, "not an integer from"
    for call in (lambda n: SVC(kernel="poly", degree=n).fit(X, y), lambda n: SVC(n_jobs=n).fit(X, y),
                 lambda n: SVC(budget=n << 32).fit(X, y), lambda n: SVC(random_state=n << 32).fit(X, y),
                 lambda n: cross_validate(SVC(), X, y, n_folds=n << 32),
                 lambda n: search(SVC(), X, y, C=[1], n_folds=n << 32), lambda n: model.reduce(n << 32),
                 lambda n: RandomProjection(n << 32).fit(X), lambda n: PrincipalComponents(n << 32).fit(X),
                 lambda n: FeatureSelector(n << 32).fit(X, y), lambda n: read_rows("heart", n_jobs=n)):
        for wrong in wide, -wide:
            raises(value, whole, lambda: call(wrong))
    for wrong in 2.0, "2", None, [2], 2j:
        for call in (lambda: SVC(kernel="poly", degree=wrong).fit(X, y), lambda: model.reduce(wrong),
                     lambda: cross_validate(SVC(), X, y, n_folds=wrong), lambda: RandomProjection(wrong).fit(X)):
            raises(value, whole, call)
            raises(kind, whole, call)  # it is both, as scikit-learn's
    for wrong in "1", None, [1], 1j, 10 ** 400:
        for call in (lambda: SVC(C=wrong).fit(X, y), lambda: SVC(gamma=wrong).fit(X, y),
                     lambda: SVC(tol=wrong).fit(X, y), lambda: RangeScaler((0, wrong)).fit(X),
                     lambda: SVC(class_weight={1: wrong}).fit(X, y)):
            raises(value, "", call)
    raises(value, "not True or False", lambda: SVC(probability=2).fit(X, y))
    raises(value, "not True or False", lambda: FeatureSelector(2, unsupervised="no").fit(X, y))
    wanted = SVC(kernel="poly", degree=2, C=3).fit(X, y).decision_function(X)
    for degree, C in (np.int8(2), np.float32(3)), (np.uint64(2), 3), (2, np.int16(3)):
        assert np.array_equal(SVC(kernel="poly", degree=degree, C=C, probability=np.False_).fit(X, y)
                              .decision_function(X), wanted)
    for call in (lambda: read_rows("heart\0"), lambda: Rows(X).write(b"nul\0.txt"), lambda: Model.read("\0"),
                 lambda: Map.read("a\0b"), lambda: model.write("nul\0"), lambda: RangeScaler().fit(X).map_.write("nul\0"),
                 lambda: RandomProjection(2, method="cw\0").fit(X), lambda: FeatureSelector(2, method="f\0").fit(X, y)):
        raises(value, "embedded null byte", call)
    assert not os.path.exists("nul")
    # weights of classes
    for wrong in [1, 2], 3, {1, 2}:
        raises(value, "not a dict, 'balanced' or None", lambda: SVC(class_weight=wrong).fit(X, y))
    for given, unknown in (({1: 2}, []), ({1.0: 2, -1: 1}, []), ({np.int8(1): 2}, []), ({"1": 2}, ["'1'"]),
                           ({1: 2, 3: 4}, ["3"]), ({None: 1, np.nan: 2}, ["None", "nan"]), ({}, [])):
        _, said = said_by(lambda: SVC(class_weight=given).fit(X, y))
        assert sorted(said) == [f"class_weight has {one}, which is the label of no row" for one in unknown]
    _, said = said_by(lambda: SVC(class_weight={"b": 2, b"a": 1}).fit(X, np.where(y > 0, "a", "b")))
    assert said == ["class_weight has b'a', which is the label of no row"]
    raises(kind, "a Model is wanted", lambda: RandomProjection(2).fit(X).map_.fold(Rows(X), 2))


def masks():
    """Rows.part() takes what numpy takes for rows of an array, but no numbers from behind"""
    X, y = arrays("heart")
    rows = Rows(X, y)
    mask = X[:, 0] > 0
    for index in (mask, mask.tolist(), mask.astype(object), np.flatnonzero(mask), np.flatnonzero(mask).astype(np.uint8).tolist(),
                  np.flatnonzero(mask).astype(">u2"), np.flatnonzero(mask).astype(object), [0, 0, 3], range(3), [], ~mask & mask):
        taken = np.arange(len(X))[np.asarray(index, None if len(index) else int)
                                  if not isinstance(index, np.ndarray) or index.dtype.kind != "O" else list(index)]
        part = rows.part(index)
        assert np.array_equal(part.toarray(13), X[taken]) and np.array_equal(part.labels, y[taken])
    for wrong in (mask[1:], np.append(mask, True), [1.7], [1.0], ["1"], None, [None], 3, True, [[0, 1]], X.astype(int),
                  [-1], [270], [2 ** 63], [-2 ** 63], [True], np.array([2 ** 64 - 1], np.uint64), [True, 1.5], slice(2), {1},
                  np.array([1], "m8[s]"), np.array([1j]), np.ma.array([1, 2], mask=[0, 1]), np.array([(1,)], [("a", "i4")])):
        raises((ValueError, TypeError), "", lambda: rows.part(wrong))


def labels():
    """What numpy would read as a number or a name, and is none, is no label, weight or value"""
    X, y = arrays("heart")
    machine = SVC(gamma=.1).fit(X, y)
    values = machine.decision_function(X)
    for same in (y.astype(object), y.astype(int).tolist(), y.astype(">i2"), y.astype(np.longdouble), np.ma.array(y),
                 y[:, None], y.astype(np.float16)):
        again = said_by(lambda: SVC(gamma=.1).fit(X, same))[0]
        assert np.array_equal(again.decision_function(X), values) and again.classes_.tolist() == [-1, 1]
    for low, high in (-2 ** 63, 0), (0, 2 ** 63 - 1), (-2 ** 31, 2 ** 31), (-2 ** 63, 2 ** 63 - 1), ("a", "b"), (b"a", b"b"):
        named = SVC(gamma=.1).fit(X, np.where(y > 0, np.array(high), np.array(low)))
        assert np.array_equal(named.decision_function(X), values) and named.classes_.tolist() == [low, high]
        assert np.array_equal(named.predict(X) == high, machine.predict(X) > 0)
    unsigned = np.where(y > 0, np.uint64(2 ** 64 - 1), np.uint64(2 ** 63))
    assert SVC().fit(X, unsigned).classes_.tolist() == [2 ** 63, 2 ** 64 - 1]
    times = y.astype("M8[D]")
    masked = np.ma.array(y, mask=y > 0)
    words = {"Input y contains NaN": [np.array([np.nan, 1.] * 135, object), ["a", np.nan] * 135, [None, "a"] * 135,
                                      [None, 1] * 135, np.array([np.nan, "a"] * 135, object), y * np.nan],
             "Input y contains infinity": [y * np.inf],
             "no numbers of a known unit": [times, y.astype("m8[s]"), np.array([times[0], times[1]] * 135, object)],
             "masked values": [masked], "Complex data": [y * 1j], "which are not numbers": [y.astype([("a", "f8")])],
             "no order": [np.array([1, "a"] * 135, object), np.array([b"a", "a"] * 135, object)],
             "a 1d array": [np.c_[y, y], y[None], 3.0, np.array("a")], "[270, 3]": [y[:3], list("abc")]}
    for text, wrong in words.items():
        for one in wrong:
            raises((ValueError, TypeError), text, lambda: SVC().fit(X, one))
            raises((ValueError, TypeError), text, lambda: FeatureSelector(2, method="f").fit(X, one))
            raises((ValueError, TypeError), text, lambda: cross_validate(SVC(), X, one))
            if text != "no order":
                raises((ValueError, TypeError), "", lambda: SVR().fit(X, one))
                raises((ValueError, TypeError), "", lambda: Rows(X, one))
    ones = np.ones(270)
    for wrong in (times, ones * 1j, np.ma.array(ones, mask=y > 0), ones.astype([("a", "f8")]), ones[1:], ones[:, None], -ones,
                  ones * np.nan, ones * np.inf, 0 * ones, ["a"] * 270, [None] * 270):
        raises((ValueError, TypeError), "", lambda: SVC().fit(X, y, wrong))
        raises((ValueError, TypeError), "", lambda: Rows(X).weigh(wrong))
        raises((ValueError, TypeError), "", lambda: search(SVC(), X, y, C=[1], sample_weight=wrong))
    for wrong in (np.ma.array(ones, mask=y > 0), ones * 1j, ones.astype([("a", "f8")]), ["a", np.nan] * 135):
        raises((ValueError, TypeError), "", lambda: cross_validate(SVC(), X, y, groups=wrong))
    for wrong in (X.astype("M8[s]"), X.astype("m8[s]"), X * 1j, (X * 1j).astype(object), np.ma.array(X, mask=X > 0),
                  X.astype([("a", "f8")]), X.astype(np.longdouble) * np.longdouble("1e400"), [["a"] * 13] * 270, [[None] * 13] * 270,
                  X[None], X[0], 3.0, None, "a", X[:, :0], X[:0], [[1], [1, 2]] * 135, np.full((270, 13), times[0], object)):
        for use in lambda X: SVC().fit(X, y), machine.predict, Rows, RangeScaler().fit, RangeScaler().fit(X).transform:
            raises((ValueError, TypeError), "", lambda: use(wrong))
    raises(ValueError, "variance of X is too large", lambda: SVC().fit(1e200 * X, y))


def damages(matrix, sparse):
    """Copies of a sparse matrix whose arrays do not fit together"""
    form = matrix.format
    changes = {"csr": ("indptr", "indices", "data"), "coo": ("row", "col", "data"), "dia": ("offsets", "data"),
               "lil": ("rows", "data"), "dok": ()}
    for name in changes.get(form, changes["csr"]):
        whole = getattr(matrix, name)
        changed = [whole[:-1], np.append(whole, whole[-1:], axis=0)] * (form != "dia" or name == "data")
        if whole.dtype.kind == "i" and form != "dia":
            for place in 1, len(whole) // 2, len(whole) - 1:
                for value in -1, 1 << 20, 2 ** 31 - 1, -2 ** 31, 2 ** 32, -2 ** 32, 2 ** 63 - 1, -2 ** 63:
                    changed.append(whole.astype(np.int64))
                    changed[-1][place] = value
            changed += [whole.astype(float), whole[:, None], whole - 1]
        if form == "lil":
            changed = [whole[:-1]]
            for place, other in (3, []), (3, whole[3] * 2), (3, whole[3][:-1]):
                changed.append(whole.copy())
                changed[-1][place] = other
        for values in changed:
            broken = matrix.copy()
            try:
                setattr(broken, name, values)
            except (AttributeError, ValueError):
                continue
            yield name, broken
    if form == "csr":  # no entries, and starts whose differences wrap
        for starts in [0, 5, 0, 0], [0, 2 ** 31 - 1, -2 ** 31, -1]:
            broken = sparse.csr_matrix((268, 13)) if starts[1] == 5 else matrix.copy()
            broken.indptr = broken.indptr.copy()
            broken.indptr[:4] = starts
            if starts[1] == 5:
                broken.indptr[4:] = 0
            yield "starts", broken
    if form == "coo":
        broken = matrix.copy()
        broken.row = broken.row + 268
        yield "rows", broken


def sparse_damages():
    """A sparse matrix whose arrays lead outside them is refused, each in a process of its own"""
    sparse_ = sparse()
    if not sparse_:
        return
    X, y = arrays("heart")
    X, y = X[:268, :12], y[:268]
    n = 0
    for make in sparse_.csr_matrix, getattr(sparse_, "csr_array", sparse_.csr_matrix):
        for form in "csr", "csc", "coo", "bsr", "dia", "lil", "dok":
            matrix = make(X).asformat(form)
            before = [array.copy() for array in vars(matrix).values() if isinstance(array, np.ndarray)]
            assert np.array_equal(Rows(matrix).toarray(12), X), form
            after = [array for array in vars(matrix).values() if isinstance(array, np.ndarray)]
            assert all(map(np.array_equal, before, after)), form
            for name, broken in damages(matrix, sparse_):
                n += 1
                child = os.fork()
                if child == 0:
                    try:
                        with warnings.catch_warnings():
                            warnings.simplefilter("error")
                            raises((ValueError, TypeError), "", lambda: _rows._matrix(broken))
                            raises((ValueError, TypeError), "", lambda: Rows(broken))
                    except BaseException as error:
                        print(form, name, type(error).__name__, error, flush=True)
                        os._exit(1)
                    os._exit(0)
                assert os.waitpid(child, 0)[1] == 0, (form, name)
    # what a matrix says of itself need not be so
    backwards = sparse_.csr_matrix(X)
    backwards.indices = backwards.indices.astype(np.int64)
    backwards.has_canonical_format = backwards.has_sorted_indices = True
    backwards.indices[0] = 2 ** 32
    raises(ValueError, "format csr", lambda: SVC().fit(backwards, y))
    twice = sparse_.csr_matrix((np.ones(4), [0, 0, 2, 1], [0, 2, 4]), (2, 3))
    twice.has_canonical_format = True
    assert Rows(twice).toarray(3).tolist() == [[2, 0, 0], [0, 1, 1]]
    assert n > 200, n


class Table:
    """A DataFrame as scikit-learn looks at one: its columns, and what they make of an array"""

    def __init__(self, values, columns):
        self.values, self.columns, self.shape = np.asarray(values), columns, np.shape(values)

    def __array__(self, dtype=None, copy=None):
        return self.values.astype(dtype or float)


class Protocol(Table):
    """A DataFrame of the exchange protocol alone"""

    def __init__(self, values, columns):
        super().__init__(values, [np.asarray(column) for column in np.transpose(values)])  # as pyarrow
        self.names = columns

    def __dataframe__(self):
        return self

    def column_names(self):
        return iter(self.names)


def tables():
    """Kinds of DataFrames that are here: make(values, columns)"""
    kinds = [Table, Protocol]
    for module, kind in ("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table"):
        try:
            frame = getattr(__import__(module), kind)
        except ImportError:
            continue
        kinds.append(lambda X, names, frame=frame: frame({name: X[:, k] for k, name in enumerate(names)}))
    return kinds


def said_by(call):
    """(result, the warnings)"""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        result = call()
    assert all(one.filename == __file__ for one in said), said  # where the caller is
    return result, [str(one.message) for one in said]


def names():
    """Columns of other names, or in another order, are refused wherever a table is taken"""
    X, y = arrays("heart")
    X = X[:, :7]
    names = ["age", "sex", "dose", "x", "b", "a", "c"]
    order = [2, 1, 0, 3, 4, 5, 6]
    other = [names[k] for k in order]
    words = "The feature names should match those that were passed during fit."
    unseen = ["n%d" % k for k in range(6)] + ["c"]
    for make in tables():
        table, turned = make(X, names), make(X[:, order], other)
        for estimator in (SVC(), NuSVC(nu=.3), SVR(), NuSVR(), OneClassSVM(), RandomProjection(2),
                          PrincipalComponents(2), RangeScaler(), FeatureSelector(3),
                          SVC(kernel="linear", multi_class="ovr")):
            kind = type(estimator).__name__
            fitted = estimator.fit(table, y)
            assert fitted.feature_names_in_.tolist() == names and fitted.n_features_in_ == 7
            assert fitted.feature_names_in_.dtype == object
            uses = [name for name in ("predict", "decision_function", "score_samples", "transform")
                    if hasattr(fitted, name)]
            held = getattr(fitted, "model_", None) or fitted.map_
            low = held.predict if isinstance(held, Model) else held.apply
            for use in [getattr(fitted, name) for name in uses] + [low]:
                raises(ValueError, words + "\nFeature names must be in the same order as they were in fit.",
                       lambda: use(turned))
                raises(ValueError, "same order", lambda: use(Rows(turned).part(np.arange(270) < 9)))
                raises(ValueError, "unseen at fit time:\n- n0\n- n1\n- n2\n- n3\n- n4\n- ...\nFeature names "
                       "seen at fit time, yet now missing:\n- a\n", lambda: use(make(X, unseen)))
                raises(ValueError, "yet now missing:\n- c\n", lambda: use(make(X[:, :6], names[:6])))
                result, said = said_by(lambda: use(table))
                assert not said, said
                for bare in X, Rows(X):
                    plain, said = said_by(lambda: use(bare))
                    assert use == low or said == [
                        f"X does not have valid feature names, but {kind} was fitted with feature names"]
                    if not isinstance(plain, Rows):
                        assert np.array_equal(plain, result)
            again = pickle.loads(pickle.dumps(fitted))
            raises(ValueError, "same order", lambda: getattr(again, uses[0])(turned))
            raises(ValueError, "same order", lambda: getattr(copy.deepcopy(held), low.__name__)(turned))
            fitted.fit(X, y)
            assert not hasattr(fitted, "feature_names_in_")
            _, said = said_by(lambda: getattr(fitted, uses[0])(table))
            assert said == [f"X has feature names, but {kind} was fitted without feature names"], said
    table, turned = Table(X, names), Table(X[:, order], other)
    machine = SVC().fit(table, y)
    for call in (lambda: machine.model_.certify(machine, turned, y),
                 lambda: machine.model_.reduce(5, machine, turned, y),
                 lambda: machine.model_.reduce(5).predict(turned)):
        raises(ValueError, "same order", call)
    chosen = FeatureSelector(3, method="f").fit(table, y)
    folded = chosen.fold(SVC(kernel="linear").fit(chosen.transform(table), y))
    raises(ValueError, "same order", lambda: folded.predict(turned))
    # names are strings, all or none
    mixed = Table(X, [0, *names[1:]])
    for call in lambda: SVC().fit(mixed, y), lambda: machine.predict(mixed), lambda: Rows(mixed):
        raises(TypeError, "your input has ['int', 'str'] as feature name", call)
    for make in Table, Protocol:
        assert not hasattr(SVC().fit(make(X, list(range(7))), y), "feature_names_in_")
    # names of what comes out
    assert RangeScaler().fit(table).get_feature_names_out().tolist() == names
    assert chosen.get_feature_names_out().tolist() == [names[k] for k in np.sort(chosen.map_.selected)]
    assert np.array_equal(chosen.transform(table), X[:, [names.index(one) for one in chosen.get_feature_names_out()]])
    assert PrincipalComponents(2).fit(X).get_feature_names_out().tolist() == [
        "principalcomponents0", "principalcomponents1"]
    assert RandomProjection(3).fit(X).get_feature_names_out(names).tolist()[2] == "randomprojection2"
    assert RangeScaler().fit(X).get_feature_names_out().tolist() == ["x%d" % k for k in range(7)]
    assert RangeScaler().fit(X).get_feature_names_out(names).tolist() == names
    raises(ValueError, "is not equal to feature_names_in_", lambda: chosen.get_feature_names_out(other))
    raises(ValueError, "number of features (7), got 6", lambda: RangeScaler().fit(X).get_feature_names_out(other[1:]))
    raises(ValueError, "not fitted", lambda: RangeScaler().get_feature_names_out())
    try:
        from pandas import DataFrame
    except ImportError:
        return
    assert not hasattr(SVC().fit(DataFrame(X), y), "feature_names_in_")


def pickles():
    """What comes out of pickle and deepcopy predicts to the last bit"""
    X, y = arrays("heart")
    X = X + np.random.default_rng(1).normal(size=X.shape) / 1000  # more than eight digits
    machines = [SVC(), SVC(kernel="linear"), NuSVC(probability=True), SVR(), OneClassSVM(),
                SVC(kernel="linear", multi_class="ovr"), SVC(kernel="poly", coef0=1)]
    for machine in machines:
        machine.fit(X, y)
        for other in pickle.loads(pickle.dumps(machine)), copy.deepcopy(machine):
            assert np.array_equal(other.predict(X), machine.predict(X)), machine
            if not isinstance(machine, SVR):
                values = machine.decision_function(X)
                assert np.array_equal(other.decision_function(X), values), machine
            assert other.certificates_ == machine.certificates_
            if not machine.model_.info["is_linear_model"]:
                assert np.array_equal(other.support_vectors_, X[machine.support_])
    for map in RandomProjection(5), PrincipalComponents(3), RangeScaler(), FeatureSelector(4):
        mapped = map.fit_transform(X, y)
        assert np.array_equal(pickle.loads(pickle.dumps(map)).transform(X), mapped), map


def files():
    """A model that is read decides as the one that was written, to the last bit, whatever the values"""
    rng = np.random.default_rng(3)
    u = rng.random((40, 2))
    tables = {
        "identifiers": 20240101000 + rng.permutation(1000)[:40, None].astype(float),
        "seconds": 1.7e9 + 100 * u,
        "amounts": np.column_stack([1e6 + np.round(100 * u[:, 0], 3), u[:, 1]]),
        "large": 1e160 * u,
        "small": 1e-200 * u,
        "denormal": 1e-310 * u,
        "thirds": np.round(9 * u) / 3,
    }
    trained = 0
    for name, X in tables.items():
        y = np.where(u[:, 0] + u[:, 1] > 1, 1, -1)
        for kernel in "rbf", "linear", "poly", "sigmoid":
            for make in SVC, NuSVC, SVR, NuSVR, OneClassSVM:
                machine = make(kernel=kernel, gamma=1.0 if kernel == "rbf" else 1e-3)
                try:
                    model = machine.fit(X, u[:, 0] if make in (SVR, NuSVR) else y).model_
                except RandsvmError:
                    continue  # where the kernel overflows
                trained += 1
                weights = model.info["far_error"] > 0
                assert weights == (model.sv_rows is None), (name, kernel, make)
                for exact in False, True:
                    model.write("written", exact=exact)
                    read = Model.read("written")
                    assert weights or np.array_equal(read.support_vectors().toarray(), X[model.sv_rows])
                    assert np.array_equal(read.decision_values(X), model.decision_values(X))
                if make in (SVC, SVR):
                    certificate = read.certify(machine, X, u[:, 0] if make is SVR else y)[0]
                    own = machine.certificates_[0]
                    slack = certificate["rounding"] + own["rounding"]
                    bound = "primal" if weights or np.isnan(certificate["dual"]) else "dual"
                    slack = np.inf if np.isnan(slack) else slack  # doubles prove nothing of the file
                    assert abs(certificate[bound] - own[bound]) <= slack, (name, kernel, make)
    assert trained > 100, trained


# ---- like the programs ----

def train(rows, path, parameters, kind="SVC"):
    machine = eval(f"{kind}({parameters})").fit(read_rows(rows))
    machine.model_.write(path)
    assert all(0 <= c["relative_gap"] < 1e-2 for c in machine.certificates_)
    assert all(c["n_violators"] == 0 for c in machine.certificates_)


def predict(path, rows):
    for predicted in Model.read(path).predict(read_rows(rows)):
        print(f"{predicted:g}")


def validate(rows, parameters):
    rows = read_rows(rows)
    share = np.mean(cross_validate(eval(f"SVC({parameters})"), rows) == rows.labels)
    print(f"Cross Validation Accuracy = {100 * share:g}%")


def certify(path, rows):
    model = Model.read(path)
    assert model.certificates == []
    certificate, = model.certify(SVC(C=2, gamma=.1), read_rows(rows))
    assert certificate["n_violators"] == 0 and 0 <= certificate["relative_gap"] < 1e-3
    own = SVC(C=2, gamma=.1).fit(read_rows(rows)).certificates_[0]
    assert own["dual"] - own["rounding"] <= certificate["primal"] + certificate["rounding"]
    assert certificate["dual"] - certificate["rounding"] <= own["primal"] + own["rounding"]


def search_():
    X, y = arrays("heart")
    shares = []
    best, points = search(SVC(), X, y, C=[8, 1], gamma=[.02, .1, .5], progress=shares.append)
    assert points.shape == (3, 2) and shares and 0 <= min(shares) <= max(shares) <= 1
    assert points["C"].tolist() == [[1, 8]] * 3 and points["gamma"][:, 0].tolist() == [.02, .1, .5]
    for point in points.flat:
        predicted = cross_validate(SVC(C=point["C"], gamma=point["gamma"]), X, y)
        # a row whose values are within the tolerance may go either way
        assert abs(100 * np.mean(predicted == y) - point["rate"]) < 100.5 / len(y)
    assert points["rate"].max() in [p["rate"] for p in points.flat
                                    if (p["C"], p["gamma"]) == (best["C"], best["gamma"])]
    assert SVC().set_params(**best).C == best["C"]
    assert set(search(SVC(), X, y, gamma=[.1]).best) == {"gamma"}
    best, points = search(SVR(), *arrays("sinc"), C=[.01, 1])
    assert best == {"C": 1} and points["rate"][0, 1] < points["rate"][0, 0]
    names = np.where(y > 0, "ill", "well")
    predicted = cross_validate(SVC(), X, names)
    assert set(predicted) == {"ill", "well"} and np.mean(predicted == names) > .8


def given_folds():
    """Folds of cv: each row is predicted by a machine trained on the rows of its split"""
    X, y = arrays("heart")
    fold = np.random.default_rng(4).integers(0, 3, len(y))
    pairs = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]

    class Splitter:
        def split(self, X, y, groups):
            assert groups is None or len(groups) == len(y)
            return ((fold != k, fold == k) for k in range(3))

    for kind, more in (SVC, {}), (NuSVC, {"nu": .4}), (SVR, {}):
        machine, predicted = kind(tol=1e-6, gamma=.05, **more), np.empty(len(y))
        for train, test in pairs:
            predicted[test] = machine.fit(X[train], y[train]).predict(X[test])
        for cv in pairs, iter(pairs), Splitter():
            assert np.allclose(cross_validate(machine, X, y, cv=cv), predicted, 0, 1e-3), machine
        wanted = (100 * np.mean(predicted == y) if not isinstance(machine, SVR) else
                  np.mean((predicted - y) ** 2))
        assert np.allclose(search(machine, X, y, cv=pairs).points["rate"], wanted, 0, 1e-3)
    assert np.array_equal(cross_validate(SVC(), X, y, cv=3), cross_validate(SVC(), X, y, n_folds=3))
    # rows of weight 0 are in no fold; rows that none tests have no value
    weights = np.where(np.arange(len(y)) % 4, 1, 0)
    left = weights > 0
    part = [(fold[left] != k, fold[left] == k) for k in range(3)]
    assert np.array_equal(cross_validate(SVC(gamma=.05), X, y, sample_weight=weights, cv=pairs),
                          cross_validate(SVC(gamma=.05), X[left], y[left], cv=part))
    assert np.array_equal(np.isnan(cross_validate(SVR(), X, y, cv=pairs[:2])), fold == 2)
    raises(ValueError, "no split tests", lambda: cross_validate(SVC(), X, y, cv=pairs[:2]))
    raises(ValueError, "GridSearchCV takes these", lambda: search(SVC(), X, y, cv=pairs[:1] * 2))
    raises(ValueError, "neither a number of folds", lambda: search(SVC(), X, y, cv=[1, 2]))
    raises(ValueError, "there is no row 270", lambda: search(SVC(), X, y, cv=[([0, 1], [270])]))


def offsets():
    """An RBF kernel does not know the origin"""
    X, y = arrays("heart")
    X = np.round(X * 64)

    def values(machine, data):
        machine.fit(data, y)
        return machine.predict(data) if isinstance(machine, SVR) else machine.decision_function(data)

    for offset in 2.0 ** 31, -2.0 ** 40:
        moved = X.copy()
        moved[:, ::3] += offset
        for kind, parameters in (SVC, {}), (NuSVC, {"nu": .4}), (OneClassSVM, {"nu": .3}), (SVR, {}):
            machine = kind(gamma=.001, tol=1e-6, **parameters)
            assert np.allclose(values(machine, X), values(machine, moved), 0, 1e-4)
            near, far = (cross_validate(machine, data, y) for data in (X, moved))
            assert np.allclose(near, far, 0, 1e-3)
        near, far = (search(SVC(tol=1e-6), data, y, C=[1, 8], gamma=[.001, .01]).points
                     for data in (X, moved))
        assert np.array_equal(near["rate"], far["rate"])
    # a polynomial kernel does, and of such rows doubles hold nothing
    X = np.round(X[:40])
    X[:, 0] += 1e11
    machine = SVC(kernel="poly", gamma=1)
    raises(RandsvmError, "too much for doubles", lambda: machine.fit(X, y[:40]))
    raises(RandsvmError, "too much for doubles", lambda: cross_validate(machine, X, y[:40], n_folds=2))
    raises(RandsvmError, "", lambda: search(machine, X, y[:40], C=[1, 8]))
    # of nearer ones they hold a solution that nothing proves
    machine = SVC(kernel="poly", degree=2, coef0=1, gamma=1)
    rows = np.arange(40)
    for distance in 0, 1e4:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            machine.fit(np.column_stack([distance + rows * 7 % 40, rows * 11 % 40]), rows % 2)
        assert any("too much for doubles" in str(w.message) for w in told) == (distance > 0)
        assert (machine.certificates_[0]["excess"] > 0) == (distance > 0)


def project(rows, path):
    RandomProjection(5).fit_transform(read_rows(rows)).write(path)


def select(rows):
    print(FeatureSelector(4, method="f").fit(read_rows(rows)).map_.selected)


def selected(path):
    print(Map.read(path).selected)


def names_of_choice(path, plain, names_file):
    """path is a choice with names, plain the same without, of the features named by names_file"""
    X, y = arrays("heart")
    with open(names_file) as file:
        names = file.read().split("\n")[:-1]
    choice = Map.read(path)
    first = int(choice.selected[0])
    other = [name.upper() for name in names]
    turned = names[::-1]
    wanted = Map.read(plain).apply(X)
    for held in choice, pickle.loads(pickle.dumps(choice)):
        for rows in X, Rows(X), Table(X, names), Rows(Table(X, names)):
            assert np.array_equal(np.asarray(held.apply(rows).toarray(wanted.shape[1]) if isinstance(rows, Rows)
                                             else held.apply(rows)), wanted)
        for given in other, turned:
            raises(ValueError, f"column {first} is {names[first]!r} in the file of the choice, and it is {given[first]!r} here",
                   lambda: held.apply(Table(X, given)))
        raises(ValueError, "there is none", lambda: held.apply(Table(X[:, :int(min(choice.selected))],
                                                                     names[:int(min(choice.selected))])))
        raises(ValueError, "in the file of the choice", lambda: held.apply(Rows(Table(X, turned))))
        # columns that were not chosen may be called otherwise
        left = [name if k in choice.selected else name + "!" for k, name in enumerate(names)]
        assert np.array_equal(held.apply(Table(X, left)), wanted)
    assert np.array_equal(Map.read(plain).apply(Table(X, other)), wanted)


def names_of_chain(names_file, plain, *chains):
    """Chains with the same choices, of which that of the file plain has no names"""
    X, y = arrays("heart")
    with open(names_file) as file:
        names = file.read().split("\n")[:-1]
    wanted = Model.read(plain).decision_values(X)
    assert np.array_equal(Model.read(plain).decision_values(Table(X, names[::-1])), wanted)
    for chain in chains:
        model = Model.read(chain)
        for rows in X, Rows(X), Table(X, names), Rows(Table(X, names)):
            assert np.array_equal(model.decision_values(rows), wanted)
        for use in model.predict, model.decision_values:
            raises(ValueError, "in the file of the choice, and it is", lambda: use(Table(X, names[::-1])))


def scaling():
    X, y = arrays("heart")
    low, high = X.min(axis=0), X.max(axis=0)
    scaled = RangeScaler((0, 2)).fit_transform(X)
    assert np.allclose(scaled, 2 * (X - low) / (high - low), 0, 1e-12)
    X = X @ np.random.default_rng(1).normal(size=(13, 13))
    mapped = PrincipalComponents(13).fit_transform(X)
    # components turn the centred rows, so that their products stay
    centred = X - X.mean(axis=0)
    assert np.allclose(mapped @ mapped.T, centred @ centred.T, 0, 1e-9 * np.sum(centred ** 2))
    chosen = FeatureSelector(4, method="f").fit(X, y)
    assert np.array_equal(chosen.transform(X), X[:, np.sort(chosen.map_.selected)])
    assert chosen.map_.selected_scores[0] >= chosen.map_.selected_scores[-1]
    # two million pairs of classes are not trained
    many = np.arange(2001.)
    raises(ValueError, "2001 classes of one row each have 2001000 pairs",
           lambda: FeatureSelector(1).fit(many[:, None], many))
    if sparse():
        mapped = chosen.transform(sparse().csr_matrix(X))
        assert np.array_equal(mapped.toarray(), chosen.transform(X))


def folding():
    X, y = arrays("heart")
    for map in RandomProjection(5, method="rs"), PrincipalComponents(3), FeatureSelector(4):
        mapped = map.fit_transform(X, y)
        machine = SVC(kernel="linear").fit(mapped, y)
        folded = map.fold(machine)
        assert np.array_equal(folded.predict(X), machine.predict(mapped)), map
        weights, constant = folded.weights()
        values = X @ weights[0] + constant[0]
        assert np.allclose(values, machine.model_.decision_values(mapped)[:, 0], 0, 1e-9), map


def reducing():
    X, y = arrays("three_class")
    names = np.array(["b", "a", "c"])[np.unique(y, return_inverse=True)[1]]
    machine = SVC(C=2, gamma=.5).fit(X, names)
    model = machine.model_
    reduced = model.reduce(10)
    assert reduced.info["n_sv"] == 10 < model.info["n_sv"] and reduced.sv_rows is None
    assert np.array_equal(reduced.rho, model.rho)
    whole = model.reduce(model.info["n_sv"]).decision_values(X)
    assert np.allclose(whole, model.decision_values(X), 0, 1e-6)
    trained = model.reduce(10, machine, X, names)
    primal = [sum(c["primal"] for c in m.certify(machine, X, names))
              for m in (model, trained, reduced)]
    assert primal[0] < primal[1] < primal[2], primal
    raises(ValueError, "0 support vectors", lambda: model.reduce(0))
    raises(ValueError, "another machine or kernel",
           lambda: model.reduce(5, SVC(kernel="linear"), X, names))


def explaining():
    """Values add up; those of a linear model are its weights times what features differ by"""
    X, y = arrays("heart")[:2]
    for machine in (SVC(C=2, gamma=.05), SVC(kernel="poly", degree=3, gamma=.1, coef0=1)):
        model = machine.fit(X, y).model_
        found = model.explain(X[:20], X[50:60])
        assert np.allclose(found["base"] + found["values"].sum(1), found["decision"], 0, 1e-9)
        assert np.allclose(found["decision"], model.decision_values(X[:20])[:, 0], 0, 1e-12)
        assert np.allclose(found["base"], model.decision_values(X[50:60]).mean(), 0, 1e-12)
        assert np.array_equal(found["values"], model.shap_values(X[:20], X[50:60], n_jobs=1))
        assert (found["bound"] < 1e-6).all()
    model = SVC(kernel="linear").fit(X, y).model_
    expected = (X[:20] - X[50:60].mean(0)) * model.weights(X.shape[1])[0][0]
    assert np.allclose(model.shap_values(X[:20], X[50:60]), expected, 0, 1e-9)
    assert np.allclose(model.shap_values(X[:3]), X[:3] * model.weights(X.shape[1])[0][0], 0, 1e-9)
    raises(ValueError, "exact Shapley values are for",
           lambda: SVC(kernel="sigmoid").fit(X, y).model_.explain(X))


def weights():
    """A row of weight w is w rows, one of weight 0 none"""
    X, y = arrays("heart")[:2]
    w = np.arange(len(y)) % 4
    copies = np.repeat(np.arange(len(y)), w)
    for machine in (SVC(C=2, gamma=.1, tol=1e-9), SVC(kernel="linear", C=.1, tol=1e-9),
                    OneClassSVM(nu=.3, gamma=.1, tol=1e-9)):
        values = machine.fit(X, y, sample_weight=w).decision_function(X)
        assert (w[machine.support_] > 0).all()
        copied = copy.deepcopy(machine).fit(X[copies], y[copies]).decision_function(X)
        if not isinstance(machine, OneClassSVM):  # whose values grow with the weights
            assert abs(values - copied).max() < 1e-4, abs(values - copied).max()
        assert (np.sign(values) == np.sign(copied))[abs(copied) > 1e-3].all()
    kept = w > 0
    ones = SVC(gamma="scale").fit(X, y, kept.astype(float))
    left = SVC(gamma="scale").fit(X[kept], y[kept])
    assert (ones.decision_function(X) == left.decision_function(X)).all()
    assert (ones.support_ == np.flatnonzero(kept)[left.support_]).all()
    # a kernel's matrix keeps its columns; classes of weight 0 are none
    K = X @ X.T
    by_kernel = SVC(kernel="precomputed", C=.1).fit(K, y, kept).decision_function(K)
    assert abs(by_kernel - SVC(kernel="linear", C=.1).fit(X, y, kept).decision_function(X)).max() < 1e-2
    names = np.array(["a", "b", "c"])[np.arange(len(y)) % 3]
    assert list(SVC().fit(X, names, names != "b").classes_) == ["a", "c"]
    # cross validation, search and selections go by them too; folds are of the rows that are left
    predicted = cross_validate(SVC(C=2, gamma=.1, tol=1e-6), X, y, sample_weight=w)
    twice = cross_validate(SVC(C=1, gamma=.1, tol=1e-6), X, y, sample_weight=2 * w)
    assert len(predicted) == kept.sum() and np.array_equal(predicted, twice)
    rates = search(SVC(gamma=.1, tol=1e-6), X, y, C=[2, 4], sample_weight=w).points["rate"][0]
    shares = [100 * np.average(cross_validate(SVC(C=C, gamma=.1, tol=1e-6), X, y, sample_weight=w)
                               == y[kept], weights=w[kept]) for C in (2, 4)]
    assert abs(rates - shares).max() < 1e-9, (rates, shares)
    assert abs(rates[0] - 100 * np.mean(predicted == y[kept])) > 1e-3
    for method, tolerance in ("t", 1e-9), ("f", 1e-9), ("rfe", 1e-6), ("rmb", 1e-5), ("lpsvm", 1e-6):
        chosen = FeatureSelector(5, method=method, tol=1e-9).fit(X, y, sample_weight=w).map_
        by_copies = FeatureSelector(5, method=method, tol=1e-9).fit(X[copies], y[copies]).map_
        # two features of one score may change places
        assert set(chosen.selected) == set(by_copies.selected), method
        assert np.allclose(chosen.selected_scores, by_copies.selected_scores, tolerance, 0), method
    raises(ValueError, "bss takes no weights of rows", lambda: FeatureSelector(5).fit(X, y, w))
    assert np.array_equal(FeatureSelector(5).fit(X, y, kept).map_.selected,
                          FeatureSelector(5).fit(X[kept], y[kept]).map_.selected)
    machine = SVC(C=2, gamma=.1).fit(X, y, w)
    assert machine.model_.certify(machine, X, y, w)[0]["n_violators"] == 0
    assert abs(machine.score(X, y, w) - np.mean(machine.predict(X[copies]) == y[copies])) < 1e-12
    machine = SVR(C=2).fit(X, y, w)
    assert abs(machine.score(X, y, w) - machine.score(X[copies], y[copies])) < 1e-12
    for wrong, words in ((w[1:], "sample_weight"), (w * np.nan, "sample_weight"),
                         (-w, "zero or negative weights"), (0 * w, "zero or negative weights")):
        raises(ValueError, words, lambda: SVC().fit(X, y, wrong))
        raises(ValueError, words, lambda: search(SVC(), X, y, sample_weight=wrong))
        raises(ValueError, words, lambda: FeatureSelector(5, method="f").fit(X, y, wrong))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        below = SVC().fit(X, y, np.where(w > 0, w, -1.5))
    assert len(said) == 1 and "weights below 0" in str(said[0].message)
    assert np.array_equal(below.dual_coef_, SVC().fit(X, y, w).dual_coef_)


def groups():
    """40 patients, six rows each, whose labels are drawn: chance, unless folds divide patients"""
    random = np.random.default_rng(5)
    patient = np.repeat(np.arange(40), 6)
    X = random.normal(size=(40, 200))[patient] + .3 * random.normal(size=(240, 200))
    y = random.choice([-1, 1], 40)[patient]
    order = random.permutation(240)
    X, y, patient = X[order], y[order], patient[order]
    machine = SVC(kernel="linear", C=.06)
    for names in patient, patient.astype(str), [f"patient {p}" for p in patient], patient / 7:
        predicted = cross_validate(machine, X, y, groups=names)
        assert .25 < (predicted == y).mean() < .75
        assert np.array_equal(predicted, cross_validate(machine, X, y, groups=patient))
        assert 25 < search(machine, X, y, C=[.06], groups=names).points["rate"][0, 0] < 75
    assert (cross_validate(machine, X, y) == y).mean() == 1
    # Rows that have groups need no others; weights of 0 leave rows out and keep groups
    rows = Rows(X, y).group(patient)
    assert np.array_equal(cross_validate(machine, rows), cross_validate(machine, X, y, groups=patient))
    weights = np.where(np.arange(240) % 5, 1, 0)
    left = weights > 0
    assert np.array_equal(cross_validate(machine, X, y, groups=patient, sample_weight=weights),
                          cross_validate(machine, X[left], y[left], groups=patient[left]))
    with open("replicates", "w") as file:
        for row, label, one in zip(X, y, patient):
            file.write(f"{label} qid:{one} " + " ".join(f"{j + 1}:{x!r}" for j, x in enumerate(row.tolist())) + "\n")
    by_qid = read_rows("replicates", by_qid=True)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        machine.fit(read_rows("replicates"))
        cross_validate(machine, by_qid)
        cross_validate(machine, read_rows("replicates"), groups=patient)
        assert not said
        lone = read_rows("replicates")
        for rows_of in lone, lone.part(np.arange(200)), lone.weigh(np.full(240, 2.)):
            cross_validate(machine, rows_of)
        search(machine, lone, C=[.06])
        SVC(kernel="linear", probability=True).fit(lone)
        assert len(said) == 5 and all("rows have qid" in str(w.message) for w in said), said
    assert np.array_equal(cross_validate(machine, by_qid), cross_validate(machine, rows))
    sure = SVC(kernel="linear", C=.06, probability=True).fit(X, y)
    fair = SVC(kernel="linear", C=.06, probability=True).fit(X, y, groups=patient)
    slopes = [np.ptp(one.predict_proba(X)[:, 0]) for one in (sure, fair)]
    assert slopes[0] > slopes[1], slopes
    value = ValueError
    raises(value, "inconsistent numbers of samples: [240, 239]",
           lambda: cross_validate(machine, X, y, groups=patient[1:]))
    raises(value, "1d array", lambda: search(machine, X, y, C=[1], groups=X))
    for missing in (None, np.nan, "NaT"):
        absent = np.array(["2020"] * 239 + [missing], "M8[D]") if missing == "NaT" else ["a"] * 239 + [missing]
        raises(value, "groups", lambda: search(machine, X, y, C=[1], groups=absent))
    visits = np.datetime64("2020-01-01") + patient
    raises(value, "masked", lambda: search(machine, X, y, C=[1], groups=np.ma.array(visits, mask=y > 0)))
    assert np.array_equal(cross_validate(machine, X, y, groups=visits), cross_validate(machine, rows))
    raises(value, "40 groups are not enough for 41 folds",
           lambda: cross_validate(machine, X, y, n_folds=41, groups=patient))
    raises(value, "without it there are no folds", lambda: machine.fit(X, y, groups=patient))
    try:
        import pandas
    except ImportError:
        return
    category = pandas.Series(pandas.Categorical([f"p{p}" for p in patient]))
    assert np.array_equal(cross_validate(machine, X, y, groups=category), cross_validate(machine, rows))


def inverses():
    """What maps tell of themselves, by scikit-learn's names, and the way back"""
    X, y = arrays("heart")
    kinds = [X, Rows(X)] + ([sparse().csr_matrix(X)] if sparse() else [])
    for rows in kinds:
        found = PrincipalComponents(13).fit(rows)
        centred = X - X.mean(axis=0)
        assert np.allclose(found.mean_, X.mean(axis=0), 0, 1e-12)
        assert np.allclose(found.components_ @ found.components_.T, np.eye(13), 0, 1e-9)
        assert np.allclose(found.singular_values_, np.linalg.svd(centred)[1], 1e-9, 1e-9)
        assert np.allclose(found.explained_variance_, found.singular_values_ ** 2 / (len(X) - 1))
        assert abs(found.explained_variance_ratio_.sum() - 1) < 1e-9
        assert np.allclose(found.inverse_transform(found.transform(rows)), X, 0, 1e-9)
        two = PrincipalComponents(2).fit(rows)
        share = np.square(centred @ two.components_.T).sum() / np.square(centred).sum()
        assert abs(two.explained_variance_ratio_.sum() - share) < 1e-9 and two.n_components_ == 2
        scaler = RangeScaler((-2, 3)).fit(rows)
        assert np.array_equal(scaler.data_min_, X.min(axis=0))
        assert np.array_equal(scaler.data_max_, X.max(axis=0))
        assert np.allclose(scaler.inverse_transform(scaler.transform(rows)), X, 0, 1e-12)
    # of a feature that is constant its value is known
    odd = np.c_[X[:, :2], np.full(len(X), 7.)]
    scaler = RangeScaler().fit(odd)
    assert np.allclose(scaler.inverse_transform(scaler.transform(odd)), odd, 0, 1e-12)
    for method in "cw", "gaussian", "rs":
        projection = RandomProjection(5, method=method).fit(X)
        assert projection.components_.shape == (5, 13)
        assert np.allclose(X @ projection.components_.T, projection.transform(X), 0, 1e-9)
        back = projection.inverse_transform(projection.transform(X))
        assert np.allclose(projection.transform(back), projection.transform(X), 0, 1e-9)
    for method, rescale in ("f", False), ("bss", False), ("bss", True):
        chosen = FeatureSelector(4, method=method, rescale=rescale).fit(X, y)
        mask = chosen.get_support()
        assert mask.sum() == 4 and np.array_equal(np.flatnonzero(mask), chosen.get_support(True))
        assert np.allclose(chosen.inverse_transform(chosen.transform(X)), X * mask, 0, 1e-12)
    raises(ValueError, "not fitted", FeatureSelector().get_support)
    raises(ValueError, "makes 4 features", lambda: chosen.inverse_transform(X))
    assert not hasattr(RandomProjection(), "components_")


def ends():
    """How trainings end, by proofs or limits, and what is told of it"""
    X = np.random.RandomState(0).randn(1500, 10)
    y = X[:, 0] + .8 * np.random.RandomState(1).randn(1500) > 0
    hard = {"C": 1e3, "gamma": .05}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        free = SVC(**hard).fit(X, y)
        assert not said and free.fit_status_ == 0 and free.n_iter_[0] > 1
        short = SVC(max_iter=1, **hard).fit(X, y)
    assert [one.category.__name__ for one in said] == ["ConvergenceWarning"]
    assert "(max_iter=1)" in str(said[0].message)
    assert short.fit_status_ == 1 and short.n_iter_.tolist() == [1]
    # a short training is what its certificate says: further from the optimum, by a proof
    bounds = [one.certificates_[0] for one in (free, short)]
    assert bounds[0]["primal"] < bounds[1]["primal"] and bounds[0]["gap"] < bounds[1]["gap"]
    assert not bounds[0]["ended_early"] and bounds[1]["ended_early"]
    for wrong, words in (0, "max_iter = 0"), (-2, "max_iter = -2"), (1.5, "max_iter is 1.5"):
        raises(ValueError, words, lambda: SVC(max_iter=wrong).fit(X, y))
    # parameters without effect on the optimum, and attributes of all machines
    X, y = arrays("heart")
    for kind in SVC, NuSVC, SVR, NuSVR, OneClassSVM:
        machine = kind().fit(X, y)
        same = kind(shrinking=False, max_iter=1000).fit(X, y)
        assert np.array_equal(machine.dual_coef_, same.dual_coef_)
        assert machine.shape_fit_ == X.shape and machine.fit_status_ == 0
        assert (machine.n_iter_ >= 1) if isinstance(machine.n_iter_, int) else machine.n_iter_.min() >= 1
        if not sparse():
            continue
        spread = kind(kernel="linear").fit(sparse().csr_matrix(X), y)
        full = kind(kernel="linear").fit(X, y)
        for name in "dual_coef_", "coef_", "support_vectors_":
            assert getattr(spread, name).format == "csr", (kind, name)
            assert np.array_equal(getattr(spread, name).toarray(), getattr(full, name)), (kind, name)
        for one in full.coef_, spread.coef_.data:
            assert not one.flags.writeable
        raises(AttributeError, "coef_", lambda: setattr(full, "coef_", 1))


def options():
    """Weights and probabilities of classes, ties, and labels as they were given"""
    X, y = arrays("three_class")
    index = np.unique(y, return_inverse=True)[1]
    for names in (np.array([1, 0, 2]), np.array([1., 0, 2]), np.array(["b", "a", "c"]),
                  np.array([1, 0, 2], np.int8)):
        labels = names[index]
        machine = SVC(probability=True, class_weight="balanced").fit(X, labels)
        assert machine.classes_.dtype == machine.predict(X).dtype == labels.dtype
        counts = np.array([np.sum(labels == one) for one in machine.classes_])
        assert np.allclose(machine.class_weight_, len(y) / (3 * counts), 1e-12, 0)
    weighed = SVC(class_weight={"c": 4}).fit(X, np.array(["b", "a", "c"])[index])
    assert weighed.class_weight_.tolist() == [1, 1, 4]
    # of two classes the probability is that of the only pair
    for pair in (0, 1), (1, 2), (2, 0):
        some = np.isin(index, pair)
        machine = SVC(probability=True).fit(X[some], (index == pair[0])[some])
        values = -machine.decision_function(X[some])  # positive for classes_[0]
        first = 1 / (1 + np.exp(machine.probA_ * values + machine.probB_))
        assert np.allclose(machine.predict_proba(X[some])[:, 0], first, 0, 1e-6)
    assert SVC().fit(X, y).probA_.shape == (0,)
    machine.probability = True
    raises(ValueError, "fitted with probability=False",
           lambda: SVC().fit(X, y).set_params(probability=True).predict_proba(X))
    # far from all rows pairs are tied
    far = 1e3 + np.arange(12.).reshape(-1, X.shape[1])[:3]
    tied = SVC(gamma=10, break_ties=True).fit(X, y)
    for rows in X, far:
        best = tied.decision_function(rows).argmax(axis=1)
        assert np.array_equal(tied.predict(rows), tied.classes_[best])
    raises(ValueError, "break_ties must be False",
           lambda: SVC(break_ties=True, decision_function_shape="ovo").fit(X, y).predict(X))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        NuSVC(nu=.1, class_weight="balanced").fit(X, y)
    assert len(said) == 1 and "no effect on nu-SVC" in str(said[0].message)


def linear():
    """LinearSVC and LinearSVR: the machines of the linear kernel, by other names"""
    for X, y in arrays("heart"), arrays("three_class"):
        for loss in "hinge", "squared_hinge":
            other = SVC(kernel="linear", loss=loss, multi_class="ovr", tol=1e-4).fit(X, y)
            machine = LinearSVC(loss=loss).fit(X, y)
            assert np.array_equal(machine.coef_, other.coef_)
            assert np.array_equal(machine.intercept_, other.intercept_)
            assert np.allclose(machine.decision_function(X), other.decision_function(X), 0, 1e-9)
            assert np.array_equal(machine.predict(X), other.predict(X))
            assert np.array_equal(machine.predict(Rows(X)), other.predict(X))
            assert isinstance(machine.n_iter_, int)
            if sparse():
                values = machine.decision_function(sparse().csr_matrix(X))
                assert np.allclose(values, other.decision_function(X), 0, 1e-9)
                machine.sparsify()
                assert machine.coef_.format == "csr"
                for rows in X, sparse().csr_matrix(X):
                    assert np.allclose(machine.decision_function(rows), values, 0, 1e-9)
                assert np.array_equal(machine.densify().coef_, other.coef_)
    X, y = arrays("sinc")
    for loss in "epsilon_insensitive", "squared_epsilon_insensitive":
        other = SVR(kernel="linear", loss=loss, epsilon=.05, tol=1e-4).fit(X, y)
        machine = LinearSVR(loss=loss, epsilon=.05).fit(X, y)
        assert np.array_equal(machine.coef_, other.coef_[0])
        assert np.allclose(machine.predict(X), other.predict(X), 0, 1e-9)
        assert machine.score(X, y) == machine.score(Rows(X), y)
    # parameters are of a search, too
    X, y = arrays("heart")
    assert search(LinearSVC(loss="hinge"), X, y, C=[.1, 1]).best["C"] in (.1, 1)
    for wrong, words in (({"penalty": "l1"}, "do not go together"),
                         ({"penalty": "l1", "dual": False}, "penalty='l1'"),
                         ({"loss": "hinge", "dual": False}, "do not go together"),
                         ({"multi_class": "crammer_singer"}, "crammer_singer"),
                         ({"fit_intercept": False}, "fit_intercept"),
                         ({"intercept_scaling": 0}, "Intercept scaling")):
        raises(ValueError, words, lambda: LinearSVC(**wrong).fit(X, y))
    raises(ValueError, "not fitted", lambda: LinearSVC().predict(X))
    raises(ValueError, "2 features", lambda: LinearSVC().fit(X, y).predict(X[:, :2]))
    raises(ValueError, "NaN", lambda: LinearSVC().fit(X, y).predict(X * np.nan))


def documented():
    """All that is public has a docstring and annotations, and each parameter of estimators its words"""
    def check(name, member):
        function = getattr(member, "fget", getattr(member, "__func__", member))
        function = inspect.unwrap(function)
        assert name.endswith("__init__") or inspect.getdoc(function), name
        signature = inspect.signature(function)
        assert signature.return_annotation is not signature.empty, name
        for parameter in signature.parameters.values():
            assert (parameter.name in ("self", "cls") or
                    parameter.annotation is not parameter.empty), (name, parameter)

    n = 0
    X, y = arrays("heart")
    for name in randsvm.__all__:
        one = getattr(randsvm, name)
        assert inspect.getdoc(one), name
        if not inspect.isclass(one):
            check(name, one)
            continue
        for key, member in inspect.getmembers(one):
            home = getattr(getattr(member, "fget", member), "__module__", None) or ""
            if (not key.startswith("_") or key == "__init__") and home.startswith("randsvm.") and (
                    inspect.isroutine(member) or isinstance(member, property)):
                check(f"{name}.{key}", member)
                n += 1
        if not hasattr(one, "get_params"):
            continue
        words = {*one().get_params(), *vars(one().fit(X, y))}
        for key in words:
            assert key.startswith("_") or re.search(rf"\n([a-zA-Z_]+, )*{key}\b", inspect.getdoc(one)), (
                name, key)
    assert n > 150, n


def classes():
    """What is known of classes, whatever they are called and whichever comes first"""
    X, y = arrays("three_class")
    names = np.array(["b", "a", "c"])[np.unique(y, return_inverse=True)[1]]
    for kernel in "rbf", "linear":
        for shape in "ovo", "ovr":
            machine = SVC(kernel=kernel, decision_function_shape=shape, tol=1e-6).fit(X, names)
            assert machine.classes_.tolist() == ["a", "b", "c"]
            assert set(machine.predict(X)) == {"a", "b", "c"}
            values = machine.decision_function(X)
            if shape == "ovr":
                agree = machine.classes_[values.argmax(axis=1)] == machine.predict(X)
                assert agree.mean() > .99
                continue
            if kernel == "linear":
                assert np.allclose(X @ machine.coef_.T + machine.intercept_, values, 0, 1e-9)
            # each pair, from its vectors and coefficients
            gram = X @ machine.support_vectors_.T
            if kernel == "rbf":
                square = (X ** 2).sum(axis=1)
                gram = square[:, None] + square[machine.support_] - 2 * gram
                gram = np.exp(-gram / (X.shape[1] * X.var()))
            start = np.append(0, np.cumsum(machine.n_support_))
            assert names[machine.support_].tolist() == sorted(names[machine.support_])
            for pair, (a, b) in enumerate(((0, 1), (0, 2), (1, 2))):
                of_a, of_b = slice(start[a], start[a + 1]), slice(start[b], start[b + 1])
                value = gram[:, of_a] @ machine.dual_coef_[b - 1, of_a] + \
                    gram[:, of_b] @ machine.dual_coef_[a, of_b] + machine.intercept_[pair]
                # kernel values in floats
                assert np.allclose(value, values[:, pair], 0, 1e-4 * max(1, abs(values).max()))
            pairs = {(c["label_a"], c["label_b"]) for c in machine.certificates_}
            assert {frozenset(pair) for pair in pairs} == {frozenset(p) for p in ("ab", "ac", "bc")}
    machine = SVC(kernel="linear", multi_class="ovr").fit(X, names)
    values = machine.decision_function(X)
    assert np.allclose(X @ machine.coef_.T + machine.intercept_, values, 0, 1e-9)
    assert np.array_equal(machine.classes_[values.argmax(axis=1)], machine.predict(X))
    assert [c["label_b"] for c in machine.certificates_] == [None] * 3
    # with probabilities: by the odds of each class against the rest, divided by their sum
    machine = SVC(kernel="linear", multi_class="ovr", probability=True).fit(X, names)
    assert machine.probA_.shape == machine.probB_.shape == (3,) and (machine.probA_ < 0).all()
    own = np.exp(-(machine.probA_ * machine.decision_function(X) + machine.probB_))
    p = machine.predict_proba(X)
    assert np.allclose(p, own / own.sum(axis=1)[:, None], 0, 1e-12)
    assert np.mean(p[np.arange(len(X)), np.unique(names, return_inverse=True)[1]]) > .5
    again = pickle.loads(pickle.dumps(machine))
    assert np.array_equal(again.predict_proba(X), p)
    machine = SVC(kernel="linear", multi_class="ovr", probability=True).fit(X, names == "a")
    first = 1 / (1 + np.exp(-machine.probA_ * machine.decision_function(X) + machine.probB_))
    assert np.allclose(machine.predict_proba(X)[:, 0], first, 0, 1e-6)
    # a model of weights has no support vectors, and no attributes that would be of them
    machine = SVC(kernel="linear").fit(X, names).set_params(multi_class="ovr").fit(X, names)
    for name in "support_", "support_vectors_", "n_support_", "dual_coef_":
        assert not hasattr(machine, name), name
    assert machine.coef_.shape == (3, X.shape[1]) and machine.intercept_.shape == (3,)
    inspect.getmembers(machine)
    # the cross validation of two rows has each predicted by the other
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        SVC(kernel="linear", probability=True).fit([[-1, -1], [1, 1]], [-1, 1])
        assert [str(w.message) for w in said] == ["Probabilities contradict decision values: there are too "
                                                  "few rows for probability=True"]
        SVC(kernel="linear", probability=True).fit(*arrays("heart"))
        assert len(said) == 1
    chances = SVC(probability=True).fit(X, names).predict_proba(X)
    assert np.allclose(chances.sum(axis=1), 1) and np.mean(
        machine.classes_[chances.argmax(axis=1)] == names) > .5
    for two in (names == "a"), y == y[0], np.where(y == y[0], -1, 1), np.where(y == y[0], 7, 5):
        machine = SVC().fit(X, two)
        positive = machine.decision_function(X) > 0
        assert np.array_equal(machine.predict(X) == machine.classes_[1], positive)
        assert machine.classes_[0] < machine.classes_[1]


class Counted:
    """An rbf kernel, which counts the values it gives"""

    def __init__(self, gamma):
        self.gamma, self.n = gamma, 0

    def __call__(self, X, Z):
        self.n += len(X) * len(Z)
        distances = (X ** 2).sum(axis=1)[:, None] + (Z ** 2).sum(axis=1) - 2 * X @ Z.T
        return np.exp(-self.gamma * np.maximum(distances, 0))


class Stop(Exception):
    pass


def kernels():
    X, y = (a[:900] for a in arrays("a1a"))
    for kind, target, parameters in ((SVC, y, {}), (SVC, y, {"class_weight": {1: 2}}),
                                     (NuSVC, y, {"nu": 0.3}), (OneClassSVM, y, {"nu": 0.1}),
                                     (SVR, X[:, 0] + y / 9, {}), (NuSVR, X[:, 0] + y / 9, {})):
        kernel = Counted(0.05)
        own = kind(kernel=kernel, **parameters).fit(X, target)
        built_in = kind(gamma=0.05, **parameters).fit(X, target)
        (a,), (b,) = own.certificates_, built_in.certificates_
        assert abs(a["primal"] - b["primal"]) < 1e-3 * abs(b["primal"]), (kind, a, b)
        assert kernel.n == own.n_kernel_values_ <= 900 * 901 // 2 + 28, kind
        least = 900 * len(own.support_) - len(own.support_) ** 2 // 2
        assert least <= kernel.n < 1.25 * least + 256 * 257 // 2, (kind, kernel.n, least)
        values = own.predict(X) if kind in (SVR, NuSVR) else own.decision_function(X)
        others = built_in.predict(X) if kind in (SVR, NuSVR) else built_in.decision_function(X)
        assert abs(values - others).max() < 0.02 * abs(others).max(), kind
        # predictions ask for values with the support vectors, which pickles have
        own, kernel = pickle.loads(pickle.dumps(own)), None
        own.kernel.n = 0
        again = own.predict(X[:50]) if kind in (SVR, NuSVR) else own.decision_function(X[:50])
        assert (again == values[:50]).all() and own.kernel.n == 50 * len(own.support_)
        assert own.support_vectors_.shape == (0, 0)
    # sequences of anything
    texts = [("abab", "cdcd")[k % 2] + "efg"[k % 3:] for k in range(90)]

    def letters(X, Z):
        assert isinstance(X[0], str)
        return np.array([[sum(a.count(c) * b.count(c) for c in "abcdefg") for b in Z] for a in X])
    names = np.array(["even", "odd"])[np.arange(90) % 2]
    for given in texts, np.array(texts), np.array(texts, object):
        machine = SVC(kernel=letters, probability=True).fit(given, names)
        assert (machine.predict(given) == names).all() and machine.predict(["ababa"]) == ["even"]
        assert machine.predict_proba(given).shape == (90, 2)
        assert not hasattr(machine, "n_features_in_")
    weights = np.arange(90) % 3.0
    machine = SVC(kernel=letters).fit(texts, names, sample_weight=weights)
    assert weights[machine.support_].all() and (machine.predict(texts) == names).all()
    found = search(SVC(kernel=letters), texts, names, C=[1, 10], n_folds=3)
    assert (found.points["rate"] == 100).all()
    # kernels that know all rows alone, as long as these are few
    few = X[:60]
    matrix = few @ few.T

    def whole(A, B):
        assert len(B) == 60
        return A @ few.T
    machine = SVC(kernel=whole).fit(few, y[:60])
    assert np.allclose(machine.decision_function(X), SVC(kernel="precomputed").fit(
        matrix, y[:60]).decision_function(X @ few.T))
    # a bound of errors is part of the gap
    gaps = []
    for error in 0, 1e-3:
        kernel = Counted(0.05)
        kernel.error = error
        gaps.append(SVC(kernel=kernel).fit(X, y).certificates_[0]["gap"])
    assert gaps[1] > gaps[0] + 1e-3 and np.isfinite(gaps[1]), gaps
    # what a kernel raises ends the training
    for raised in Stop, KeyboardInterrupt, MemoryError:
        calls = []

        def fails(A, B):
            calls.append(len(B))
            if len(calls) > 100:
                raise raised("said so")
            return A @ B.T
        try:
            SVC(kernel=fails).fit(X, y)
            raise AssertionError(raised)
        except raised as error:
            assert error.args == ("said so",) and len(calls) == 101
    linear = lambda A, B: A @ B.T  # noqa: E731
    raises(ValueError, "shape (1, 1), not (3, 3)",
           lambda: SVC(kernel=lambda A, B: np.zeros((3, 3))).fit(X, y))
    raises(ValueError, "not symmetric",
           lambda: SVC(kernel=lambda A, B: linear(A, B) +
                       (A @ np.arange(A.shape[1]))[:, None]).fit(X, y))
    raises(RandsvmError, "is nan", lambda: SVC(kernel=lambda A, B: linear(A, B) * np.nan).fit(X, y))
    raises(TypeError, "not for Rows", lambda: SVC(kernel=linear).fit(read_rows("a1a")))
    raises(ValueError, "0 sample", lambda: SVC(kernel=linear).fit([], []))
    raises(ValueError, "inconsistent", lambda: SVC(kernel=linear).fit(X, y[:5]))
    raises(ValueError, "not fitted", lambda: SVC(kernel=linear).predict(X))
    raises(RandsvmError, "no features",
           lambda: (lambda m: m.model_.certify(m, X, y))(SVC(kernel=linear).fit(X, y)))
    # nothing of it stays
    machine = SVC(kernel=linear).fit(X, y).set_params(kernel="rbf").fit(X, y)
    assert not hasattr(machine, "n_kernel_values_") and machine.n_features_in_ == X.shape[1]
    assert np.array_equal(machine.decision_function(X), SVC().fit(X, y).decision_function(X))


if __name__ == "__main__":
    globals()[sys.argv[1].replace("search", "search_")](*sys.argv[2:])

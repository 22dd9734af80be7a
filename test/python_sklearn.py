"""python_sklearn.py - the module randsvm and scikit-learn

    python_sklearn.py machines      the machines of both agree
    python_sklearn.py votes         ... where pairs of classes are tied
    python_sklearn.py estimators    scikit-learn's check_estimator() of all estimators
    python_sklearn.py messages      names of columns go by its rules, and their messages are its own
    python_sklearn.py drop_in       sklearn.svm's machines are ours by patch_sklearn()
    python_sklearn.py weights       weights of rows are its weights
    python_sklearn.py workers       threads in workers of joblib

SPDX-License-Identifier: BSD-3-Clause
"""
import inspect
import logging
import pickle
import sys
import warnings

import numpy as np
import randsvm
from randsvm import _drop_in, _library
from sklearn import svm
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.validation import check_is_fitted
from sklearn.utils.estimator_checks import check_estimator


def agree(ours, theirs, X, y):
    """Values agree within a thousandth of the largest, which `tol` leaves of those of nu-SVC"""
    ours.fit(X, y)
    theirs.fit(X, y)
    assert np.array_equal(ours.predict(X) if y.dtype.kind != "f" else 0,
                          theirs.predict(X) if y.dtype.kind != "f" else 0), ours
    if hasattr(theirs, "decision_function"):
        mine, other = ours.decision_function(X), theirs.decision_function(X)
    else:
        mine, other = ours.predict(X), theirs.predict(X)
    bound = 1e-3 * max(1, abs(other).max())
    assert mine.shape == other.shape and abs(mine - other).max() < bound, (ours, bound)
    assert ours.intercept_.shape == theirs.intercept_.shape, ours
    assert np.allclose(ours.intercept_, theirs.intercept_, 0, bound), ours
    if hasattr(theirs, "n_support_"):
        assert ours.n_support_.shape == theirs.n_support_.shape, ours
        assert ours.dual_coef_.shape[0] == theirs.dual_coef_.shape[0], ours
    if theirs.kernel == "linear":
        assert np.allclose(ours.coef_, theirs.coef_, 0, bound), ours


def machines():
    X, y = load_iris(return_X_y=True)
    target = X[:, 3] + 0.1 * X[:, 0]
    for kernel in "linear", "poly", "rbf", "sigmoid":
        # the optimum of an indefinite kernel may be another one
        same = {"kernel": kernel, "tol": 1e-6}
        if kernel != "sigmoid":
            for labels in y, -y, np.array(["x", "z", "y"])[y]:
                agree(randsvm.SVC(**same), svm.SVC(**same), X, labels)
                agree(randsvm.SVC(**same), svm.SVC(**same), X[50:], labels[50:])
            agree(randsvm.SVC(decision_function_shape="ovo", **same),
                  svm.SVC(decision_function_shape="ovo", **same), X, y)
            # of classes that are far apart a range of constants is optimal
            agree(randsvm.NuSVC(nu=.2, **same), svm.NuSVC(nu=.2, **same), X[50:], y[50:])
            agree(randsvm.SVR(**same), svm.SVR(**same), X[:, :3], target)
            agree(randsvm.NuSVR(**same), svm.NuSVR(**same), X[:, :3], target)
        weight = {0: 3, 1: .2, 2: 1}
        if kernel == "rbf":
            for chosen in weight, "balanced":
                agree(randsvm.SVC(C=.3, class_weight=chosen, **same),
                      svm.SVC(C=.3, class_weight=chosen, **same), X, y)
    same = {"nu": .3, "tol": 1e-8}
    ours, theirs = randsvm.OneClassSVM(**same).fit(X), svm.OneClassSVM(**same).fit(X)
    assert abs(ours.score_samples(X) - theirs.score_samples(X)).max() < 1e-3
    assert abs(ours.offset_ - theirs.offset_).max() < 1e-3
    chances = [kind(probability=True, random_state=1).fit(X, y).predict_proba(X)
               for kind in (randsvm.SVC, svm.SVC)]
    # probabilities are fitted to folds, which the two draw differently
    assert abs(chances[0] - chances[1]).mean() < .05, abs(chances[0] - chances[1]).mean()
    search = GridSearchCV(randsvm.SVC(), {"C": [.01, 10]}, cv=3).fit(X, y)
    assert search.best_params_ == {"C": 10}
    line = make_pipeline(randsvm.RangeScaler(), randsvm.RandomProjection(3, random_state=2),
                         randsvm.SVC(C=10))
    assert cross_val_score(line, X, y, cv=3).mean() > .8
    gram = X @ X.T
    rates = [cross_val_score(kind(kernel=kernel), rows, y, cv=3).mean() for kind, kernel, rows in (
        (randsvm.SVC, "precomputed", gram), (svm.SVC, "linear", X))]
    assert rates[0] == rates[1], rates
    fitted = randsvm.SVC(C=7).fit(X, y)
    assert clone(fitted).C == 7 and not hasattr(clone(fitted), "model_")


def votes():
    """Where pairs of classes have as many votes the class is scikit-learn's, whatever the order"""
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(8).permutation(len(y))
    X, y = X[order], y[order]
    ours, theirs = (kind(C=.1, gamma=1e-4, tol=1e-6).fit(X[:600], y[:600])
                    for kind in (randsvm.SVC, svm.SVC))
    assert list(ours.model_.labels) != sorted(ours.model_.labels)
    assert (ours.model_.predict(X) != theirs.predict(X)).sum() > 9  # there are such rows
    assert np.array_equal(ours.predict(X), theirs.predict(X))


def estimators():
    """All checks pass but those of weights that _failing_checks names"""
    for estimator in (randsvm.SVC(), randsvm.SVC(probability=True), randsvm.NuSVC(), randsvm.SVR(),
                      randsvm.LinearSVC(), randsvm.LinearSVR(),
                      randsvm.SVC(kernel="linear", loss="squared_hinge", multi_class="ovr"),
                      randsvm.NuSVR(), randsvm.OneClassSVM(), randsvm.RandomProjection(),
                      randsvm.PrincipalComponents(), randsvm.RangeScaler(),
                      randsvm.FeatureSelector(2), randsvm.FeatureSelector(2, unsupervised=True),
                      *(kind() for kind in _drop_in.CLASSES),
                      randsvm.RBFSampler(), randsvm.Nystroem(), randsvm.PolynomialCountSketch()):
        check_estimator(estimator)


class Table:
    """A DataFrame as scikit-learn looks at one"""

    def __init__(self, values, columns):
        self.values, self.columns, self.shape = values, columns, values.shape
        self.ndim, self.dtype = 2, values.dtype

    def __array__(self, dtype=None, copy=None):
        return self.values.astype(dtype or float)

    def __len__(self):
        return len(self.values)


def outcome(call):
    """Warnings and error of a call, without what follows the first of their sentences

    The kinds that error has, of the two that scikit-learn raises.
    """
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            call()
            error = None
        except (TypeError, ValueError) as reason:
            kinds = [kind for kind in (TypeError, ValueError) if isinstance(reason, kind)]
            error = kinds, str(reason).split(" If you want ")[0]
    return error, [(one.category, str(one.message)) for one in said]


def messages():
    X, y = load_iris(return_X_y=True)
    names = ["a", "b", "c", "d"]
    table = Table(X, names)
    given = [table, X, Table(X[:, ::-1], names[::-1]), Table(X, list("abce")), Table(X[:, :3], names[:3]),
             Table(X, [0, "b", "c", "d"]), Table(X, [0, 1, 2, 3]), Table(np.tile(X, 3), list("abcdefghijkl"))]
    n_errors = 0
    for kind in "SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM":
        ours, theirs = (getattr(module, kind)(gamma=.1) for module in (randsvm, svm))
        for fitted in table, X, given[6]:
            ours.fit(fitted, y)
            theirs.fit(fitted, y)
            assert hasattr(ours, "feature_names_in_") == hasattr(theirs, "feature_names_in_") == (fitted is table)
            for one in given:
                mine, other = (outcome(lambda: machine.predict(one)) for machine in (ours, theirs))
                assert mine == other, (kind, mine, other)
                n_errors += other[0] is not None
        mine, other = (outcome(lambda: machine.fit(given[5], y)) for machine in (ours, theirs))
        assert mine == other and mine[0], (mine, other)
    assert n_errors > 20, n_errors
    for ours, theirs in (randsvm.RangeScaler(), MinMaxScaler()), (randsvm.PrincipalComponents(2), PCA(2)):
        ours.fit(table)
        theirs.fit(table)
        for one in None, names, names[::-1]:
            mine, other = (outcome(lambda: map.get_feature_names_out(one)) for map in (ours, theirs))
            assert mine == other, (mine, other)
    assert np.array_equal(ours.get_feature_names_out(), ["principalcomponents0", "principalcomponents1"])
    assert make_pipeline(randsvm.RangeScaler(), randsvm.FeatureSelector(2, method="f")).fit(table, y)[
        :].get_feature_names_out().tolist() == ["c", "d"]
    try:
        from pandas import DataFrame
    except ImportError:
        return
    frame = DataFrame(X, columns=names)
    chosen = randsvm.FeatureSelector(2, method="f").set_output(transform="pandas").fit_transform(frame, y)
    assert chosen.equals(frame[["c", "d"]]), chosen


def raises_value(estimator, name):
    """An AttributeError as a ValueError, which outcome() keeps"""
    try:
        getattr(estimator, name)
    except AttributeError as error:
        raise ValueError(str(error)) from error


def drop_in():
    """sklearn.svm's machines are ours, or stand in for ours where these refuse"""
    import sklearn.calibration
    stock, stock_linear = svm.SVC, svm.LinearSVC
    X, y = load_iris(return_X_y=True)
    before = stock().fit(X, y)
    pickled = pickle.dumps(before)
    lines = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())
    logging.getLogger("randsvm").addHandler(handler)
    randsvm.patch_sklearn()
    randsvm.patch_sklearn()
    assert svm.SVC is not stock and issubclass(svm.SVC, randsvm.SVC)
    assert sklearn.calibration.LinearSVC is svm.LinearSVC is not stock_linear
    ours = svm.SVC(C=3).fit(X, y)
    assert ours.certificates_ and not lines
    # what was pickled, or made, before is what it was; what is made now comes back as ours
    assert type(pickle.loads(pickled)) is stock and isinstance(before, svm.SVC)
    again = pickle.loads(pickle.dumps(ours))
    assert type(again) is svm.SVC and np.array_equal(again.predict(X), ours.predict(X))
    assert clone(ours).C == 3 and type(clone(ours)) is svm.SVC
    # a stand-in, with scikit-learn's results, and one line for all of its kind
    for again in range(2):
        l1 = svm.LinearSVC(penalty="l1", dual=False, random_state=0).fit(X, y)
        same = stock_linear(penalty="l1", dual=False, random_state=0).fit(X, y)
        assert np.array_equal(l1.coef_, same.coef_) and np.array_equal(l1.predict(X), same.predict(X))
        assert l1.score(X, y) == same.score(X, y)
        check_is_fitted(l1)
        assert "coef_" in dir(l1) and l1._tags() == (False, True)
    assert len(lines) == 1 and "LinearSVC: penalty='l1'" in lines[0], lines
    copied = pickle.loads(pickle.dumps(l1))
    assert np.array_equal(copied.coef_, same.coef_) and type(copied) is svm.LinearSVC
    assert not hasattr(clone(l1), "coef_")
    assert outcome(lambda: check_is_fitted(clone(l1)))[0]
    # errors of properties are their own
    for kind in svm.SVC, stock:
        error = outcome(lambda: raises_value(kind().fit(X, y), "predict_proba"))[0]
        assert "predict_proba is not available when" in error[1], error
        error = outcome(lambda: raises_value(kind().fit(X, y), "coef_"))[0]
        assert "only available when using a linear kernel" in error[1], error
    # which goes with the parameters that asked for it
    l1.set_params(penalty="l2").fit(X, y)
    assert np.array_equal(l1.coef_, randsvm.LinearSVC(dual=False).fit(X, y).coef_) and l1.certificates_
    # both refuse, by scikit-learn's words; and parameters that are ours alone have no stand-in
    outcomes = [outcome(lambda: kind(C=-1).fit(X, y))[0] for kind in (svm.SVC, stock)]
    assert outcomes[0] == outcomes[1] and outcomes[0], outcomes
    error = outcome(lambda: svm.LinearSVC(penalty="l1", dual=False, gap=.1).fit(X, y))[0]
    assert "penalty='l1'" in error[1], error
    for kind in svm.SVC, svm.NuSVC, svm.SVR, svm.NuSVR, svm.OneClassSVM, svm.LinearSVC, svm.LinearSVR:
        theirs = getattr(svm._classes, kind.__name__)
        names = list(inspect.signature(theirs).parameters)
        mine = inspect.signature(kind).parameters
        for name, parameter in inspect.signature(theirs).parameters.items():
            assert mine[name].kind == parameter.kind, (kind, name)
            assert name == "cache_size" or mine[name].default == parameter.default, (kind, name)
        found = vars(theirs().fit(X[50:], y[50:]))
        public = {name for name in found if name.endswith("_") and not name.startswith("_")}
        fitted = kind().fit(X[50:], y[50:])
        assert not [name for name in public if not hasattr(fitted, name)], kind
    # "balanced" goes by numbers of rows, as there; ours by their weights
    weights = np.where(y == 1, 5, 1.5) * (np.arange(len(y)) > 9)
    same = {"class_weight": "balanced", "C": .1, "tol": 1e-8}
    values = [kind(**same).fit(X, y, weights).decision_function(X)
              for kind in (svm.SVC, stock, randsvm.SVC)]
    assert abs(values[0] - values[1]).max() < 1e-3 < abs(values[0] - values[2]).max()
    lines = [kind(class_weight=balance).fit(X, y, weights).coef_ for kind, balance in (
        (svm.LinearSVC, "balanced"), (randsvm.LinearSVC, None), (randsvm.LinearSVC, "balanced"))]
    assert np.array_equal(lines[0], lines[1]) and not np.array_equal(lines[0], lines[2])
    randsvm.unpatch_sklearn()
    assert svm.SVC is stock and sklearn.calibration.LinearSVC is stock_linear
    assert np.array_equal(ours.predict(X), pickle.loads(pickle.dumps(ours)).predict(X))


def weights():
    """Weights of rows mean what they mean there, negative ones and 0 too, in all machines"""
    X, classes = load_iris(return_X_y=True)
    target, X = X[:, 3] + .1 * X[:, 0] ** 2, X[:, :3]
    some = np.random.RandomState(0).rand(len(X)) * 3
    for given in some, np.where(some < .5, 0, some), np.where(some < .5, -1, 1):
        for kind, parameters, y in (("SVC", {}, classes), ("SVC", {"kernel": "poly"}, classes),
                                    ("NuSVC", {"nu": .2}, classes), ("SVR", {}, target),
                                    ("NuSVR", {}, target), ("OneClassSVM", {"nu": .3}, None)):
            values = []
            for module in _drop_in, svm:
                machine = getattr(module, kind)(tol=1e-9, **parameters).fit(X, y, given)
                says = getattr(machine, "decision_function", machine.predict)
                values.append(says(X))
            assert abs(values[0] - values[1]).max() < 1e-4, (kind, parameters)


def workers():
    """In a worker of joblib n_jobs=None is one thread"""
    from joblib import Parallel, delayed
    assert _library._run().n_threads == 0
    for backend in "loky", "threading":
        found = Parallel(2, backend)(delayed(lambda: _library._run().n_threads)() for _ in range(2))
        assert found == [1, 1], (backend, found)
    for backend in "loky", "threading":  # a program of one worker has all cores
        assert Parallel(1, backend)([delayed(lambda: _library._run().n_threads)()]) == [0]
    assert Parallel(2)([delayed(lambda: _library._run(-1).n_threads)()]) == [0]


globals()[sys.argv[1]]()

"""Checks of the Python module's GridSearchCV against scikit-learn's; test/python.sh names them

    python_search.py NAME...

runs the functions of these names, which raise AssertionError.

SPDX-License-Identifier: BSD-3-Clause
"""
import logging
import sys
import warnings

import numpy as np
import sklearn.svm
from scipy.sparse import csr_matrix
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris
from sklearn.decomposition import PCA
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import (GridSearchCV, GroupKFold, KFold, PredefinedSplit,
                                     RepeatedStratifiedKFold, ShuffleSplit, StratifiedKFold,
                                     TimeSeriesSplit, cross_val_score)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import randsvm
from randsvm import LinearSVC, LinearSVR, NuSVC, NuSVR, SVC, SVR

said = []


class _Said(logging.Handler):
    def emit(self, record):
        said.append(record.getMessage())


logging.getLogger("randsvm").addHandler(_Said())


def sample(load, n, scale=True):
    """Some n rows of a data set of scikit-learn's"""
    X, y = load(return_X_y=True)
    order = np.random.default_rng(3).permutation(len(y))[:n]
    return (X[order] - X.mean(0)) / (X.std(0) + 1e-9) if scale else X[order], y[order]


def same(ours, theirs, tolerance=0):
    """Are the results of two searches the same?"""
    a, b = ours.cv_results_, theirs.cv_results_
    assert list(a) == list(b), (list(a), list(b))
    assert a["params"] == b["params"]
    for key in a:
        if key.startswith("param_"):
            assert (a[key] == b[key]).all() and (a[key].mask == b[key].mask).all(), key
        elif "_test_" in key and not key.startswith("rank_"):
            assert a[key].dtype == b[key].dtype
            assert np.allclose(a[key], b[key], 0, tolerance, equal_nan=True), (key, a[key], b[key])
        elif key.startswith("rank_") and tolerance == 0:
            assert np.array_equal(a[key], b[key]), key
    names = {name for name in vars(theirs) if name.endswith("_")}
    assert names == {name for name in vars(ours) if name.endswith("_")}
    assert ours.n_splits_ == theirs.n_splits_ and ours.multimetric_ == theirs.multimetric_
    if tolerance == 0 and hasattr(theirs, "best_index_"):
        assert ours.best_params_ == theirs.best_params_ and ours.best_index_ == theirs.best_index_


def compare(estimator, grid, X, y, tolerance=0, fit=None, **parameters):
    """Search both ways: by the library, without a word, and by scikit-learn"""
    said.clear()
    ours = randsvm.GridSearchCV(estimator, grid, **parameters).fit(X, y, **fit or {})
    assert not said, said
    theirs = GridSearchCV(estimator, grid, **parameters).fit(X, y, **fit or {})
    same(ours, theirs, tolerance)
    if parameters.get("refit", True):
        assert type(ours.best_estimator_) is type(estimator)
        assert np.allclose(ours.predict(X) != theirs.predict(X), 0, 0, tolerance or 1e-9)
    return ours, theirs


def classes():
    """Many classes: a grid of C and gamma, scores and their order, as scikit-learn's SVC has them"""
    X, y = sample(load_digits, 400, scale=False)
    grid = {"C": [.1, .3, 1, 10], "gamma": [1e-4, 5e-4, 1e-3]}
    cv = StratifiedKFold(4, shuffle=True, random_state=1)
    ours, _ = compare(SVC(tol=1e-6), grid, X, y, cv=cv)
    stock = GridSearchCV(sklearn.svm.SVC(tol=1e-6), grid, cv=cv).fit(X, y)
    same(ours, stock)
    # names as labels, weights of rows
    compare(SVC(tol=1e-6), grid, X, y.astype(str), cv=3,
            fit={"sample_weight": np.random.default_rng(1).uniform(.2, 2, len(y))})


def two_classes():
    """Labels -1 and +1, of which +1 comes first in models; a grid that is an iterator's; balanced"""
    X, y = sample(load_breast_cancer, 200)
    for label in 0, 1:
        order = np.argsort(y != label, kind="stable")
        order = np.concatenate([order[:1], np.random.default_rng(5).permutation(order[1:])])
        for labels in y, 2 * y - 1, 1 - 2 * y:
            for steps in SVC(tol=1e-6), make_pipeline(StandardScaler(), SVC(tol=1e-6)):
                prefix = "svc__" if isinstance(steps, Pipeline) else ""
                compare(steps, {prefix + "C": [.1, 1], prefix + "gamma": ["scale", .05]}, X[order],
                        labels[order], tolerance=1e-9, scoring="roc_auc", cv=3)
    # sums of bounds of the two classes that are equal but for rounding: rows at bounds alone
    compare(SVC(class_weight="balanced"), {"C": [1e-3, .01], "gamma": [.01, .1]}, X, y)
    # no candidate: scikit-learn's errors
    for grid in {"C": [None, 2]}, {"C": [-1, 2]}:
        both = [make(SVC(), grid, cv=iter(list(KFold(3).split(X)))).fit(X, y)
                for make in (randsvm.GridSearchCV, GridSearchCV)]
        same(*both)
        assert np.isnan(both[0].cv_results_["mean_test_score"][0]) and both[0].best_params_["C"] == 2
    for make in randsvm.GridSearchCV, GridSearchCV:
        try:
            make(LinearSVC(), {"gamma": [1, 2]}, refit=False).fit(X, y)
            raise AssertionError("a parameter that LinearSVC does not have")
        except ValueError as error:
            assert "gamma" in str(error)


def pipelines():
    """Steps that are fitted to each training set; gamma='scale' and balanced classes are, too"""
    X, y = sample(load_breast_cancer, 250, scale=False)
    steps = make_pipeline(StandardScaler(), SVC(tol=1e-6, class_weight="balanced"))
    grid = {"svc__C": [.1, 1, 10], "svc__gamma": ["scale", "auto", .05]}
    scoring = ["accuracy", "roc_auc", "f1", "balanced_accuracy"]
    ours, _ = compare(steps, grid, X, y, tolerance=1e-9, scoring=scoring, refit="roc_auc")
    assert ours.best_score_ == ours.cv_results_["mean_test_roc_auc"].max() > .95
    # a step with a parameter in the grid, one that is left out, and sparse rows
    steps = Pipeline([("none", "passthrough"), ("pca", PCA(random_state=1)), ("svm", SVC(tol=1e-6))])
    compare(steps, {"pca__n_components": [2, 5], "svm__C": [1, 5]}, StandardScaler().fit_transform(X),
            y, cv=3)
    compare(make_pipeline(StandardScaler(with_mean=False), SVC(tol=1e-6)), {"svc__C": [1, 5]},
            csr_matrix(X), y, cv=ShuffleSplit(3, random_state=2))


def regressions():
    """Training sets that are not all other rows"""
    X, y = sample(load_diabetes, 200)
    y = (y - y.mean()) / y.std()
    compare(SVR(tol=1e-6), {"C": [.1, 1], "epsilon": [.05, .3], "gamma": [.01, .1]}, X, y, 1e-4,
            cv=ShuffleSplit(3, test_size=.3, train_size=.5, random_state=0))
    compare(NuSVR(tol=1e-6, gamma=.05), [{"nu": [.3, .6]}, {"C": [.5]}, {}], X, y, 1e-4,
            cv=TimeSeriesSplit(3), scoring={"mse": "neg_mean_squared_error", "r2": "r2"}, refit="r2")
    compare(LinearSVR(tol=1e-6), {"C": [.1, 1], "epsilon": [.05, .3]}, X, y, 1e-4, cv=3)
    compare(SVR(tol=1e-6, kernel="linear"), {"C": [.1, 1], "gamma": [1, 2]}, X, y, 1e-4, cv=3,
            scoring="neg_mean_absolute_error")


def splitters():
    """Groups, repeated folds, rows that are never tested, pairs of row numbers; other machines"""
    X, y = sample(load_iris, 150)
    X = X + np.random.default_rng(0).normal(scale=.7, size=X.shape)
    groups = np.arange(150) % 13
    both = [{"kernel": ["linear"], "C": [.1, 1]}, {"kernel": ["rbf", "poly"], "gamma": [.1, .5]}]
    compare(SVC(tol=1e-6, degree=2), both, X, y, cv=GroupKFold(4), fit={"groups": groups})
    compare(NuSVC(tol=1e-6), {"nu": [.2, .4], "gamma": [.1, .5]}, X, y,
            cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1))
    compare(SVC(tol=1e-6, gamma=.2), {"C": [1, 2]}, X, y, cv=PredefinedSplit(np.arange(150) % 4 - 1))
    pairs = [(np.arange(100), np.arange(90, 150)), (np.arange(20, 150), np.arange(20))]
    compare(SVC(tol=1e-6, gamma=.2), {"C": [1, 2]}, X, y, cv=pairs, refit=False)
    compare(LinearSVC(tol=1e-6), {"C": [.1, 1], "class_weight": [None, "balanced"]}, X, y, cv=3)
    compare(SVC(tol=1e-6, multi_class="ovr", kernel="linear"), {"C": [.1, 1]}, X, y, cv=3,
            scoring=make_scorer(accuracy_score))
    compare(SVC(tol=1e-6, kernel="precomputed"), {"C": [.1, 1, 10]}, rbf_kernel(X, gamma=.2), y,
            cv=KFold(3, shuffle=True, random_state=0))
    compare(SVC(tol=1e-6, kernel="precomputed"), {"C": [.1, 1]}, rbf_kernel(X, gamma=.2), y,
            cv=ShuffleSplit(2, random_state=0), refit=lambda results: 1)


def refusals():
    """cross_validate() and search() say what is missing, and what does what they do not"""
    X, y = sample(load_iris, 120)
    groups = np.arange(120) % 13

    def refuses(kind, reason, *arguments, **parameters):
        for ask in randsvm.cross_validate, randsvm.search:
            try:
                ask(*arguments, **parameters)
            except kind as error:
                assert reason in str(error), error
            else:
                raise AssertionError(f"{ask.__name__}: no {reason}")

    refuses(ValueError, "say groups=", SVC(), X, y, cv=GroupKFold(4))
    refuses(ValueError, "100", SVC(), X, y, cv=KFold(1000))
    assert "say groups=" not in str(randsvm.cross_validate(SVC(), X, y, cv=GroupKFold(4), groups=groups))
    refuses(TypeError, "neither a number of folds, nor a splitter", SVC(), X, y, cv=3.5)
    refuses(TypeError, "randsvm.GridSearchCV", make_pipeline(StandardScaler(), SVC()), X, y)
    refuses(TypeError, "SVC is not a machine of this module", sklearn.svm.SVC(), X, y)


def contexts():
    """Under shared_search() scikit-learn's own class shares, wherever it was made"""
    X, y = sample(load_iris, 150)
    grid = {"C": [.1, 1, 10]}
    inner = GridSearchCV(SVC(tol=1e-6, gamma=.3), grid, cv=3)
    apart = cross_val_score(inner, X, y, cv=3)
    said.clear()
    with randsvm.shared_search(), randsvm.shared_search():
        together = cross_val_score(inner, X, y, cv=3)
        inner.fit(X, y)
    assert np.array_equal(apart, together) and not said
    assert (inner.cv_results_["std_fit_time"] == 0).all()
    inner.fit(X, y)
    assert inner.cv_results_["std_fit_time"].any()
    # machines in the place of scikit-learn's
    randsvm.patch_sklearn()
    compare(sklearn.svm.SVC(tol=1e-6, gamma=.3), grid, X, y, cv=3)
    compare(sklearn.svm.LinearSVC(tol=1e-6), grid, X, y, cv=3)
    randsvm.unpatch_sklearn()


def fallbacks():
    """All else is done by scikit-learn, which is said once"""
    X, y = sample(load_iris, 120)
    grid = {"C": [.1, 1]}

    def tell(reason, *arguments, fit=None, **parameters):
        said.clear()
        for _ in 1, 2:
            ours = randsvm.GridSearchCV(*arguments, cv=3, **parameters).fit(X, y, **fit or {})
        assert len(said) == 1 and reason in said[0], (reason, said)
        same(ours, GridSearchCV(*arguments, cv=3, **parameters).fit(X, y, **fit or {}))

    class Own(SVC):
        def score(self, X, y):
            return 7

    class Search(GridSearchCV):
        pass

    said.clear()
    with randsvm.shared_search():
        Search(SVC(), grid).fit(X, y)
    assert len(said) == 1 and "Search may search in its own way" in said[0], said
    tell("sklearn.svm._classes.SVC is none of", sklearn.svm.SVC(), grid)
    tell("Own is none of", Own(), grid)
    tell("time_limit=9", SVC(time_limit=9), grid)
    tell("return_train_score", SVC(), grid, return_train_score=True)
    tell("a scorer of one's own", SVC(), grid, scoring=lambda machine, X, y: X.sum())
    tell("probabilities", SVC(probability=True), grid, scoring="neg_log_loss")
    many = np.random.default_rng(0).normal(size=(3000, 4))
    said.clear()
    randsvm.GridSearchCV(SVC(), {"C": [1, 2]}, cv=2).fit(many, many[:, 0] > 0)
    assert len(said) == 1 and "few values of C" in said[0], said
    tell("budget=50", SVC(budget=50), grid)
    tell("weight 0", SVC(), grid, fit={"sample_weight": np.arange(120)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # trainings that fail
        tell("nu is infeasible", NuSVC(), {"nu": [.3, .99]})
        tell("values of C", SVC(), {"C": [1, -1]})


if __name__ == "__main__":
    for name in sys.argv[1:]:
        globals()[name]()

"""randsvm - support vector machines for large data: train, prove, predict, search, reduce

    from randsvm import SVC, search
    machine = SVC(C=10, gamma=0.05).fit(X, y)         # arrays, or sparse matrices of scipy
    machine.predict(X_new)
    machine.certificates_[0]["gap"]                   # proved distance from the optimum
    search(SVC(), X, y, C=[1, 10], gamma=[0.01, 0.1]).best

Machines (SVC, NuSVC, SVR, NuSVR, OneClassSVM) and maps (RandomProjection, PrincipalComponents,
RangeScaler, FeatureSelector) are estimators in scikit-learn's manner, with its names of parameters
and attributes.  They inherit from its base classes where it is installed; nothing else needs it.

Wherever X is wanted it may be a 2-d array, a sparse matrix of scipy, or Rows.  The rows of a file,
read_rows(path), have labels and need no y.

The library librandsvm computes all of it; randsvm.h is its manual.

    _library       functions, structs and errors of the library; how calls run, and end
    _base          scikit-learn's base classes, or what stands for them
    _rows          arrays, names of features, labels, weights, groups; Rows
    _problems      training problems of estimators and arrays
    _models        models
    _certificates  RANDSVM_CERTIFICATES
    _fitted        what machines and maps have in common as estimators
    _machines      machines
    _linear        linear machines by LIBLINEAR's names
    _drop_in       machines in the place of scikit-learn's
    _patch         which puts them there
    _docs          what parameters and attributes mean
    _search        cross validation and search
    _shared        GridSearchCV by the library's search
    _maps          maps
    _kernel_maps   kernels as maps

SPDX-License-Identifier: BSD-3-Clause
"""
try:
    import numpy as _numpy
except ImportError as reason:
    raise ImportError("randsvm needs numpy (Debian: python3-numpy)") from reason

from ._library import (RandsvmArgumentError, RandsvmError, RandsvmMemoryError, RandsvmTypeError,
                       RandsvmValueError, library_version)
from ._library import _from_bytes  # where pickles of the module that was one file look for it
from ._kernel_maps import Nystroem, PolynomialCountSketch, RBFSampler
from ._linear import LinearSVC, LinearSVR
from ._machines import NuSVC, NuSVR, OneClassSVM, SVC, SVR
from ._maps import FeatureSelector, Map, PrincipalComponents, RandomProjection, RangeScaler
from ._models import Model
from ._patch import patch_sklearn, unpatch_sklearn
from ._rows import Rows, read_rows
from ._search import Search, cross_validate, search

__version__ = library_version().partition("-")[0]


def __getattr__(name):
    """What needs all of scikit-learn is loaded when it is first asked for"""
    if name in ("GridSearchCV", "shared_search"):
        from . import _shared
        return getattr(_shared, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["FeatureSelector", "LinearSVC", "LinearSVR", "Map", "Model", "NuSVC", "NuSVR",
           "Nystroem", "OneClassSVM", "PolynomialCountSketch", "PrincipalComponents", "RBFSampler",
           "RandomProjection", "RandsvmArgumentError", "RandsvmError", "RandsvmMemoryError",
           "RandsvmTypeError", "RandsvmValueError", "RangeScaler", "Rows", "SVC", "SVR",
           "cross_validate", "library_version", "patch_sklearn", "read_rows", "search",
           "unpatch_sklearn"]

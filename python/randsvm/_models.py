"""randsvm._models - models as the programs have them

SPDX-License-Identifier: BSD-3-Clause
"""
import ctypes
import os

import numpy as np

from ._library import (_Certificate, _Handle, _Info, _Predictions, _bytes_of, _call, _copy,
                       _from_bytes, librandsvm, _run, _run_of, _work)
from ._rows import Rows, _as_rows, _check_same_names, _feature_names
from ._problems import _KERNELS, _Problem


class Model(_Handle):
    """A model as the programs have it: labels are integers, pairs of classes in its own order

    A copy, or what pickle makes of it, has no certificates and no numbers of rows.
    feature_names_in_ are those of the columns that an estimator was fitted to, or None.
    """

    _free = "rsv_model_free"
    feature_names_in_ = None

    @classmethod
    def read(cls, path):
        """A file of LIBSVM's or LIBLINEAR's"""
        return cls._of(_call("model_read", os.fsencode(path)))

    def write(self, path, exact=True):
        """Write a file of LIBSVM's or LIBLINEAR's, from which the same model is read

        LIBSVM itself writes 8 digits of each feature, this file all that it has, whatever 'exact' says.
        """
        _call("model_write", self, os.fsencode(path))

    def __reduce__(self):
        return (_from_bytes, (Model, _bytes_of(lambda path: self.write(path))),
                {"feature_names_in_": self.feature_names_in_})

    @property
    def info(self):
        """The fields of struct rsv_model_info"""
        info = _Info()
        librandsvm.rsv_model_info_sized(self, ctypes.byref(info), info.size)
        return info.as_dict()

    @property
    def labels(self):
        """Labels of the classes, in the model's order"""
        return _copy(librandsvm.rsv_model_labels(self), self.info["n_classes"], np.int32)

    @property
    def rho(self):
        """Minus the constants of the decision functions of pairs of classes"""
        return self._of_pairs(librandsvm.rsv_model_rho(self))

    def _of_pairs(self, pointer):
        n = self.info["n_classes"]
        return _copy(pointer, n * (n - 1) // 2 if n else 1, np.float64)

    @property
    def prob_a(self):
        """Slopes of the probabilities of pairs of classes; None: the model gives none"""
        return self._of_pairs(librandsvm.rsv_model_prob_a(self))

    @property
    def prob_b(self):
        """Constants of the probabilities of pairs of classes; None: the model gives none"""
        return self._of_pairs(librandsvm.rsv_model_prob_b(self))

    @property
    def coefficients(self):
        """Coefficients of the support vectors, [n_classes - 1][n_sv]"""
        info = self.info
        shape = max(1, info["n_classes"] - 1), info["n_sv"]
        coefficients = _copy(librandsvm.rsv_model_coefficients(self), shape[0] * shape[1], np.float64)
        return None if coefficients is None else coefficients.reshape(shape)

    @property
    def n_sv_of_classes(self):
        return _copy(librandsvm.rsv_model_n_sv_of_classes(self), self.info["n_classes"], np.int64)

    @property
    def sv_rows(self):
        """Numbers of the rows that are the support vectors; None of a model that was read"""
        return _copy(librandsvm.rsv_model_sv_rows(self), self.info["n_sv"], np.int64)

    def support_vectors(self):
        return Rows._of(_call("model_support_vectors", self))

    def weights(self, n_features=None):
        """(weights [n_values][n_features], constants) of a linear model"""
        info = self.info
        weights = np.empty((info["n_values"], n_features or info["n_features"]))
        constants = np.empty(info["n_values"])
        _call("model_weights", self, weights.shape[1], weights.ctypes.data, constants.ctypes.data)
        return weights, constants

    def _fill(self, field, X, n_jobs):
        info = self.info
        _check_same_names(self.feature_names_in_, _feature_names(X))
        rows = _as_rows(X, precomputed=_KERNELS[info["kernel"]] == "precomputed")
        width = {"predicted": 1, "values": info["n_values"], "probability": info["n_probabilities"]}
        out = np.empty((len(rows), width[field]))
        _work("predict", self, rows, ctypes.byref(_Predictions(**{field: out.ctypes.data})),
              run=_run(n_jobs))
        return out

    def predict(self, X, n_jobs=None):
        """Labels or values, as svm-predict

        Of rows whose numbers are too large for a kernel or a sum in doubles, values, decision
        values and probabilities may be infinite or NaN, and labels worth nothing.
        """
        return self._fill("predicted", X, n_jobs)[:, 0]

    def decision_values(self, X, n_jobs=None):
        """[rows][n_values]"""
        return self._fill("values", X, n_jobs)

    def probabilities(self, X, n_jobs=None):
        """[rows][n_classes], in the order of `labels`"""
        return self._fill("probability", X, n_jobs)

    @property
    def certificates(self):
        """A dict of struct rsv_certificate for each pair of classes"""
        found = []
        for k in range(librandsvm.rsv_model_n_certificates(self)):
            certificate = _Certificate()
            _call("model_certificate_sized", self, k, ctypes.byref(certificate), certificate.size)
            found.append(certificate.as_dict())
        return found

    def certify(self, estimator, X, y=None, sample_weight=None):
        """Certificates of this model, whichever program has trained it

        The estimator has the parameters, and X, y and sample_weight are the data, of that training.
        """
        _check_same_names(self.feature_names_in_, _feature_names(X))
        problem = _Problem(estimator, X, y, sample_weight)
        _work("certify", self, problem.rows, ctypes.byref(problem.training),
              run=_run_of(estimator))
        return self.certificates

    def reduce(self, n_sv, estimator=None, X=None, y=None, sample_weight=None, n_jobs=None):
        """A model of at most n_sv of the support vectors that decides nearly as this one

        With an estimator, which has the parameters of training, the coefficients are then trained
        on X and y; else they are the nearest to the decision functions.
        """
        if estimator is None:
            reduced = _work("model_reduce", self, n_sv, None, None, None, run=_run(n_jobs),
                            kind=Model)
        else:
            _check_same_names(self.feature_names_in_, _feature_names(X))
            problem = _Problem(estimator, X, y, sample_weight)
            reduced = _work("model_reduce", self, n_sv, None, problem.rows,
                            ctypes.byref(problem.training), run=_run_of(estimator), kind=Model)
        reduced.feature_names_in_ = self.feature_names_in_
        return reduced

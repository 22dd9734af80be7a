"""randsvm._models - models as the programs have them

SPDX-License-Identifier: BSD-3-Clause
"""
from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np

from ._library import (_Certificate, _Handle, _Info, _Predictions, _bytes_of, _call, _copy,
                       _from_bytes, librandsvm, _run, _run_of, _work)
from ._rows import (ArrayLike, MatrixLike, Rows, _as_rows, _check_chosen_names, _check_same_names,
                    _choice_of_chain, _feature_names, _warn)
from ._problems import _KERNELS, _Problem


class Model(_Handle):
    """A model as the programs have it: labels are integers, pairs of classes in its own order

    Estimators have it as ``model_``, and read() makes it of files.  A copy, or what pickle makes of
    it, has no certificates and no numbers of rows.

    Attributes
    ----------
    feature_names_in_ : ndarray or None
        Names of the columns that an estimator was fitted to.
    """

    _free = "rsv_model_free"
    feature_names_in_ = None
    _chosen = None  # columns and names of the choice of a chain; False: a file of a model alone

    @classmethod
    def read(cls, path: str | os.PathLike) -> Model:
        """A file of LIBSVM's or LIBLINEAR's, or a chain of ``svm-eval --chain``

        A chain predicts rows as they are before its ranges, maps and choices, and warns where it
        leaves out values, of features that have no range.  A model warns where more than one in 100
        values are of features behind its last one; missing ones are taken for 0, as files have it.
        Where a choice in it has names of the features, columns of a DataFrame must have these.  It
        has the attributes of its model; what writes, copies, changes or certifies a model refuses
        it.  Predictions are labels, not names.

        Raises
        ------
        RandsvmError
            Where it cannot be read (code 2), is no model (code 3, with the line), or is a chain that
            begins with columns of a table (code 4): make one of the files behind them, for rows as
            ``svm-convert -r`` makes them.
        """
        model = cls._of(_call("model_read", os.fsencode(path)))
        model._chosen = _choice_of_chain(path)
        return model

    def write(self, path: str | os.PathLike, exact: bool = True) -> None:
        """Write a file of LIBSVM's or LIBLINEAR's, from which the same model is read

        Parameters
        ----------
        path : str or PathLike
            Gzipped if its name ends in .gz.
        exact : bool
            Without effect: LIBSVM itself writes 8 digits of each feature, this file all it has.

        Raises
        ------
        RandsvmError
            Where it cannot be written; a file of that name then stays as it was.
        """
        _call("model_write", self, os.fsencode(path))

    def export(self, path: str | os.PathLike, kind: str = "c",
               probabilities: bool = False) -> None:
        """Write the model, or chain, as a program that needs neither this module nor a library

        Labels are the integers of labels, not those of an estimator that has others.

        Parameters
        ----------
        path : str or path
            The functions of C are called by its name: of heart.c they are heart_predict(x), ...
        kind : {"c", "c-float", "onnx"}
            C99, whose decision values have the same bits as those here; the same in single precision;
            or a graph for onnxruntime, whose rows and values are floats.
        probabilities : bool
            Whether a graph predicts by probabilities, which it then has in place of values.

        Raises
        ------
        RandsvmValueError
            Where the kernel is precomputed, a map is neither ranges nor a choice of features, or
            there are no such probabilities.
        """
        _call("model_export", self, kind.encode(), int(probabilities), os.fsencode(path))

    def __reduce__(self):
        return (_from_bytes, (Model, _bytes_of(lambda path: self.write(path))),
                {"feature_names_in_": self.feature_names_in_})

    @property
    def info(self) -> dict[str, Any]:
        """The fields of struct rsv_model_info of randsvm.h"""
        info = _Info()
        librandsvm.rsv_model_info_sized(self, ctypes.byref(info), info.size)
        return info.as_dict()

    @property
    def labels(self) -> np.ndarray | None:
        """Labels of the classes, in the model's order; None of a model without classes"""
        return _copy(librandsvm.rsv_model_labels(self), self.info["n_classes"], np.int32)

    @property
    def rho(self) -> np.ndarray | None:
        """Minus the constants of the decision functions of pairs of classes"""
        return self._by_value(librandsvm.rsv_model_rho(self))

    def _by_value(self, pointer):
        return _copy(pointer, self.info["n_values"], np.float64)

    @property
    def prob_a(self) -> np.ndarray | None:
        """Slopes of the probabilities, one for each decision value; None: the model gives none"""
        return self._by_value(librandsvm.rsv_model_prob_a(self))

    @property
    def prob_b(self) -> np.ndarray | None:
        """Constants of the probabilities, one for each decision value; None: the model gives none"""
        return self._by_value(librandsvm.rsv_model_prob_b(self))

    @property
    def coefficients(self) -> np.ndarray | None:
        """Coefficients of the support vectors, of shape (n_classes - 1 or 1, n_sv)

        None of a model of weights.
        """
        info = self.info
        shape = max(1, info["n_classes"] - 1), info["n_sv"]
        values = _copy(librandsvm.rsv_model_coefficients(self), shape[0] * shape[1], np.float64)
        return None if values is None else values.reshape(shape)

    @property
    def n_sv_of_classes(self) -> np.ndarray | None:
        """Number of support vectors of each class, in the order of `labels`"""
        return _copy(librandsvm.rsv_model_n_sv_of_classes(self), self.info["n_classes"], np.int64)

    @property
    def sv_rows(self) -> np.ndarray | None:
        """Numbers of the rows that are the support vectors; None of a model that was read"""
        return _copy(librandsvm.rsv_model_sv_rows(self), self.info["n_sv"], np.int64)

    def support_vectors(self) -> Rows:
        """The support vectors as rows, whose labels are 0; RandsvmError of a model of weights"""
        return Rows._of(_call("model_support_vectors", self))

    def weights(self, n_features: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Weights and constants of a linear model: values of a row x are weights @ x + constants

        Parameters
        ----------
        n_features : int, optional
            Columns of the weights; None: the highest number of a feature.

        Returns
        -------
        weights : ndarray of shape (n_values, n_features)
        constants : ndarray of shape (n_values,)

        Raises
        ------
        RandsvmError
            Where the kernel is not linear, or a weight is too large for a double.
        """
        info = self.info
        weights = np.empty((info["n_values"], n_features or info["n_features"]))
        constants = np.empty(info["n_values"])
        _call("model_weights", self, weights.shape[1], weights.ctypes.data, constants.ctypes.data)
        return weights, constants

    def _fill(self, field, X, n_jobs):
        info, names = self.info, _feature_names(X)
        _check_same_names(self.feature_names_in_, names)
        if self._chosen and names is not None:
            _check_chosen_names(*self._chosen, names)
        rows = _as_rows(X, precomputed=_KERNELS[info["kernel"]] == "precomputed")
        if self._chosen is False and rows.shape[1] > info["n_features"] > 0:
            value, column, _ = rows.arrays()
            beyond = np.count_nonzero(value[column >= info["n_features"]])
            if beyond > .01 * len(value):
                _warn(f"the last feature is {rows.shape[1]}, the model's is {info['n_features']}, and {beyond} "
                      "values are behind it: was the map or the selection applied?")
        width = {"predicted": 1, "values": info["n_values"], "probability": info["n_probabilities"]}
        out, n_unranged = np.empty((len(rows), width[field])), ctypes.c_int64()
        wanted = {field: out.ctypes.data, "n_unranged": ctypes.addressof(n_unranged)}
        _work("predict", self, rows, ctypes.byref(_Predictions(**wanted)), run=_run(n_jobs))
        if n_unranged.value:
            _warn(f"{n_unranged.value} values are left out: their features have no range in the chain")
        return out

    def predict(self, X: MatrixLike, n_jobs: int | None = None) -> np.ndarray:
        """Labels or values, as svm-predict

        Of rows whose numbers are too large for a kernel or a sum in doubles, values, decision
        values and probabilities may be infinite or NaN, and labels worth nothing.

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_rows, n_features)
        n_jobs : int, optional
            Number of threads; None: all cores.

        Returns
        -------
        ndarray of shape (n_rows,)

        Raises
        ------
        RandsvmValueError
            Where columns have other names than those fitted, or of a precomputed kernel a support
            vector's column is missing.
        """
        return self._fill("predicted", X, n_jobs)[:, 0]

    def decision_values(self, X: MatrixLike, n_jobs: int | None = None) -> np.ndarray:
        """Decision values of shape (n_rows, n_values), of pairs of classes in the order of `labels`

        X, n_jobs and errors are as of predict().
        """
        return self._fill("values", X, n_jobs)

    def probabilities(self, X: MatrixLike, n_jobs: int | None = None) -> np.ndarray:
        """Probabilities, of shape (n_rows, n_classes), in the order of `labels`

        X, n_jobs and errors are as of predict(); a model that gives none is an error, too.
        """
        return self._fill("probability", X, n_jobs)

    def explain(self, X: MatrixLike, background: MatrixLike | None = None,
                n_jobs: int | None = None) -> dict[str, np.ndarray]:
        """Exact Shapley values: which features made each decision value what it is

        A row's decision value is its base plus its values: what each feature adds when features
        become those of the row one after the other, in the mean over all orders and over the rows of
        the background.  As ``svm-eval --explain``, whose manual says what the values do not mean.

        Parameters
        ----------
        X : array-like, sparse matrix or Rows of shape (n_rows, n_features)
        background : array-like, sparse matrix or Rows, optional
            Rows such as some of the training set; None: one row of zeros.
        n_jobs : int, optional
            Number of threads; None: all cores.

        Returns
        -------
        dict of ndarray
            'values' of shape (n_rows, n_features); and of shape (n_rows,) 'decision', the value that
            is explained: of several classes that of the class predicted, its own or the sum of its
            pairs; 'base', its mean over the background; and 'bound' of the error of each value,
            infinite where numbers are too large.

        Raises
        ------
        RandsvmValueError
            Where the kernel is sigmoid, precomputed or of a degree above 3, or the model a chain.
        """
        given = [a for a in (X, background) if a is not None]
        for a in given:
            _check_same_names(self.feature_names_in_, _feature_names(a))
        rows = [_as_rows(a) for a in given]
        values = np.empty((len(rows[0]), max([self.info["n_features"]] + [r.shape[1] for r in rows])))
        sums = np.empty((len(rows[0]), 3))
        _work("explain", self, rows[0], rows[1] if len(rows) > 1 else None, values.shape[1],
              values.ctypes.data, sums.ctypes.data, run=_run(n_jobs))
        return {"values": values, "decision": sums[:, 0], "base": sums[:, 1], "bound": sums[:, 2]}

    def shap_values(self, X: MatrixLike, background: MatrixLike | None = None,
                    n_jobs: int | None = None) -> np.ndarray:
        """The 'values' of explain(), of shape (n_rows, n_features)"""
        return self.explain(X, background, n_jobs)["values"]

    @property
    def certificates(self) -> list[dict[str, Any]]:
        """A dict of struct rsv_certificate of randsvm.h for each machine

        The optimum lies between 'dual' and 'primal', and is at most 'gap' below 'primal'.  Empty of
        a model that was read, or copied, until certify().
        """
        found = []
        for k in range(librandsvm.rsv_model_n_certificates(self)):
            certificate = _Certificate()
            _call("model_certificate_sized", self, k, ctypes.byref(certificate), certificate.size)
            found.append(certificate.as_dict())
        return found

    def certify(self, estimator: Any, X: MatrixLike, y: ArrayLike | None = None,
                sample_weight: ArrayLike | None = None) -> list[dict[str, Any]]:
        """Certificates of this model, whichever program has trained it

        Parameters
        ----------
        estimator : machine of this module
            Has the parameters of that training.
        X, y, sample_weight
            The data of that training.

        Returns
        -------
        list of dict
            As `certificates`, which they are from now on.

        Raises
        ------
        RandsvmValueError
            Where the model has another machine or kernel than the estimator.
        """
        _check_same_names(self.feature_names_in_, _feature_names(X))
        problem = _Problem(estimator, X, y, sample_weight)
        _work("certify", self, problem.rows, ctypes.byref(problem.training),
              run=_run_of(estimator))
        return self.certificates

    def reduce(self, n_sv: int, estimator: Any = None, X: MatrixLike | None = None,
               y: ArrayLike | None = None, sample_weight: ArrayLike | None = None,
               n_jobs: int | None = None) -> Model:
        """A model of at most n_sv of the support vectors that decides nearly as this one

        Parameters
        ----------
        n_sv : int
            Fewer come of it where the others depend on them.
        estimator : machine of this module, optional
            Has the parameters of training.  With it the coefficients are then trained on X and y;
            else they are the nearest to the decision functions.
        X, y, sample_weight
            The data of training.
        n_jobs : int, optional
            Number of threads, without an estimator; None: all cores.

        Returns
        -------
        Model

        Raises
        ------
        RandsvmValueError
            Where the kernel is neither rbf nor polynomial with gamma and coef0 of 0 or more, or the
            model has no support vectors.
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

"""randsvm._docs - what parameters and attributes of estimators mean, for their docstrings

SPDX-License-Identifier: BSD-3-Clause
"""
from __future__ import annotations

import inspect
import textwrap
from typing import Callable, TypeVar

_Class = TypeVar("_Class", bound=type)

# name: kind, meaning
_PARAMETERS = {
    "C": ("float", "Weight of the errors against the margin, above 0."),
    "nu": ("float", "Above 0, up to 1: the share of the support vectors is at least nu, that of "
           "the rows outside margin or tube at most nu."),
    "epsilon": ("float", "Half the width of the tube, in which errors cost nothing; 0 or more."),
    "kernel": ("{'linear', 'poly', 'rbf', 'sigmoid', 'precomputed'} or callable",
               "x.z, (gamma x.z + coef0)^degree, exp(-gamma |x - z|^2), tanh(gamma x.z + coef0), "
               "or 'precomputed': X has the kernel's values, of shape (n_samples, n_samples).  A "
               "callable gives an array of the values of all rows of its first argument with all "
               "of its second; X may then be a list of anything."),
    "degree": ("int", "Degree of 'poly'."),
    "gamma": ("{'scale', 'auto'} or float", "Of 'rbf', 'poly' and 'sigmoid', above 0.  'scale' is "
              "1 / (n_features X.var()), 'auto' is 1 / n_features."),
    "coef0": ("float", "Constant of 'poly' and 'sigmoid'."),
    "shrinking": ("bool", "Without effect: the engine chooses, and proves, the same optimum."),
    "probability": ("bool", "Are there to be probabilities?  They are found by 5 folds, which "
                    "multiplies the time by up to 5."),
    "tol": ("float", "Tolerance of the conditions of optimality, above 0."),
    "cache_size": ("float", "Memory for kernel values in MB.  None: a quarter of all memory."),
    "class_weight": ("dict or 'balanced'", "C of class k is C class_weight[k], for each label k of "
                     "the dict, else C.  'balanced' is n_samples / (n_classes n_samples_of_k)."),
    "verbose": ("bool or int", "Print what the certificates say, at the end of fit()."),
    "max_iter": ("int", "Most rounds over all rows, each of which ends with a certificate; the "
                 "linear kernel has one.  -1: no limit.  A limit that ends fit() gives a "
                 "ConvergenceWarning, and fit_status_ = 1.  LIBSVM's iterations are far smaller."),
    "decision_function_shape": ("{'ovr', 'ovo'}", "Columns of decision_function() of more than two "
                                "classes: classes, or pairs of classes."),
    "break_ties": ("bool", "predict() gives the class of the largest decision value, also where "
                   "several classes have as many votes.  For 'ovr' alone."),
    "random_state": ("int or RandomState", "Seed of samples, and of the folds of probabilities.  "
                     "None: 1, so that the same data give the same model."),
    "loss": ("str", "Errors themselves, or, with a linear kernel, their squares."),
    "multi_class": ("{'ovo', 'ovr'}", "A machine for each pair of classes, or, with a linear "
                    "kernel, for each class against the rest."),
    "budget": ("int", "Most examples to optimise at a time, for very many rows.  None: the optimum "
               "of all."),
    "gap": ("float", "Relative gap, between the objective and its proved bound, at which to stop.  "
            "None: stop at `tol` alone."),
    "time_limit": ("float", "Seconds after which fit() ends with the best model so far, a "
                   "ConvergenceWarning and fit_status_ = 1; its certificates tell how far it has "
                   "come.  With probability=True folds that are ended are an error.  It is of fit() "
                   "alone."),
    "callback": ("callable", "callback(round) is called after each round of fit(), with a dict: "
                 "'number', 'working_set', 'n_sv', 'n_violators', and the bounds 'dual' and "
                 "'primal' that the optimum lies between.  Where it returns True fit() ends with the best "
                 "model so far.  It runs in another thread and must not call this module."),
    "n_jobs": ("int", "Number of threads.  -1: all cores.  None: all cores, but in a worker of "
               "joblib one.  Results do not depend on it."),
    "penalty": ("{'l2'}", "'l1' is refused: the engine has no such problem."),
    "dual": ("bool or 'auto'", "Without effect, as primal and dual have the same optimum; "
             "combinations that LIBLINEAR does not know are refused."),
    "fit_intercept": ("bool", "True; machines without a constant are refused."),
    "intercept_scaling": ("float", "Without effect, as the constant is not regularised."),
}

# name: kind, meaning
_ATTRIBUTES = {
    "classes_": ("ndarray of shape (n_classes,)", "Labels, sorted, in the type they were given."),
    "class_weight_": ("ndarray of shape (n_classes,)", "Factor of C of each class."),
    "support_": ("ndarray of shape (n_SV,)", "Rows that are support vectors, by class."),
    "support_vectors_": ("ndarray or csr_matrix of shape (n_SV, n_features)", "These rows."),
    "n_support_": ("ndarray of shape (n_classes,) or (1,)", "Number of support vectors."),
    "dual_coef_": ("ndarray or csr_matrix of shape (n_classes - 1, n_SV)", "Their coefficients."),
    "coef_": ("ndarray or csr_matrix of shape (n_values, n_features)",
              "Weights of the features; of the linear kernel alone."),
    "intercept_": ("ndarray of shape (n_values,)", "Constants of the decision functions."),
    "offset_": ("ndarray of shape (1,)", "decision_function() = score_samples() - offset_."),
    "probA_": ("ndarray of shape (n_pairs,), or (n_classes,)", "With probB_, for the decision value "
               "f of a pair of classes, positive for its first: 1 / (1 + exp(probA_ f + probB_)) is the "
               "probability of the first.  With multi_class='ovr' of each class against the rest, and "
               "predict_proba() is by the odds exp(-(probA_ f + probB_)), divided by their sum.  Empty "
               "without probability=True."),
    "probB_": ("ndarray of shape (n_pairs,), or (n_classes,)", "See probA_."),
    "fit_status_": ("int", "0: all certificates prove the optimum within tol, or gap; else 1."),
    "n_iter_": ("int, or ndarray of shape (n_machines,)", "Rounds of each machine; of one, or its "
                "largest, where it is an int."),
    "shape_fit_": ("tuple of int", "Shape of X in fit()."),
    "n_kernel_values_": ("int", "Values that fit() asked a callable kernel for."),
    "n_features_in_": ("int", "Number of features of X in fit()."),
    "feature_names_in_": ("ndarray of shape (n_features_in_,)",
                          "Names of the columns, if X was a DataFrame whose names are strings."),
    "certificates_": ("list of dict", "For each machine, struct rsv_certificate of randsvm.h: the "
                      "optimum lies between 'dual' and 'primal', and 'gap' bounds the distance."),
    "model_": ("Model", "The model as the library has it; model_.write(path) writes LIBSVM's file."),
}


def _entry(name, kind, meaning):
    lines = textwrap.wrap(meaning, 90)
    return [f"{name} : {kind}", *(f"    {line}" for line in lines)]


def documented(attributes: str, **own: tuple[str, str]) -> Callable[[_Class], _Class]:
    """A decorator that adds parameters and attributes to the docstring of a class

    Parameters
    ----------
    attributes : str
        Names of attributes that fit() makes, between blanks.
    **own : (kind, meaning)
        Parameters that mean something else in this class.

    Returns
    -------
    callable
        It gives the class back.  Each argument of __init__() must be in the table here.
    """
    def document(machine):
        lines = [inspect.cleandoc(machine.__doc__), "", "Parameters", "----------"]
        for name, parameter in inspect.signature(machine.__init__).parameters.items():
            if name != "self":
                kind, meaning = own.get(name) or _PARAMETERS[name]
                lines += _entry(name, f"{kind}, default={parameter.default!r}", meaning)
        lines += ["", "Attributes", "----------"]
        for name in attributes.split():
            lines += _entry(name, *_ATTRIBUTES[name])
        machine.__doc__ = "\n".join(lines) + "\n"
        return machine
    return document

"""Faults of diffprivlib's models."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import numpy as np

from reports.audit.fault import Fault, Kind, Route
from reports.audit.routes import diffprivlib as values
from reports.audit.routes.noises import laplace_tails, told_together

__all__ = ["MODEL_FAULTS"]

_MODELS = "diffprivlib.models"

MODEL_FAULTS = (
    Fault(
        key="linear_regression_square_sensitivity",
        kind=Kind.WRONG_NUMBER,
        entry=f"{_MODELS}.LinearRegression",
        says="the sums of squares get noise for the lower bound squared: without intercept and for bounds (0, 1) none "
        "at all",
        why="The sensitivity is the maximum over bounds_X[0][i] and bounds_X[0][i], the same bound twice. Without "
        "intercept and with bounds (0, 1) the sums of squares are used, and kept, without noise at any finite "
        "epsilon. With an intercept the bounds are shifted by the mean first, and noise is for the shifted lower one.",
        fix="Take the maximum over bounds_X[0][i] and bounds_X[1][i].",
        routes=(
            Route("the largest square within (0, 1)", lambda: max(0.0**2, 1.0**2)),
            Route(
                "the largest change of a square, over a grid of pairs",
                lambda: float(np.ptp(np.linspace(0, 1, 101) ** 2)),
            ),
        ),
    ),
    Fault(
        key="linear_regression_intercept_budget",
        kind=Kind.WRONG_NUMBER,
        entry=f"{_MODELS}.LinearRegression",
        says="with an intercept, which is the default, it spends epsilon (1 + 1 / (d + 1)) and charges epsilon",
        why="epsilon / (d + 1) is meant for the means of d features and of y, but the features' means take all of "
        "it together, and the mean of y takes as much again. With one feature 1.5 epsilon is spent. Means are cut "
        "to the bounds: where both are 0 the intercept is 0, and with the sign of the coefficient that alone tells "
        "7/6 epsilon.",
        fix="Give the features' means d / (d + 1) of that part, or count it twice.",
        routes=(
            Route("(d + 2) / (d + 1) for one feature", lambda: float(Fraction(1 + 2, 1 + 1))),
            Route(
                "randomised responses at 1/2, 1/2, 1/6, 1/6, 1/6, where all tell",
                lambda: told_together(1 / 2, 1 / 2, 1 / 6, 1 / 6, 1 / 6),
            ),
        ),
    ),
    Fault(
        key="linear_regression_targets_budget",
        kind=Kind.WRONG_NUMBER,
        entry=f"{_MODELS}.LinearRegression",
        says="for several targets it asks more queries than it divides epsilon by, and keeps their answers",
        why="epsilon is divided by 1 + t d + d (d + 1) / 2, but t sums of squares of targets are asked, not one. "
        "For three targets and one feature 1.4 epsilon is spent on the noisy objective, which the model keeps in "
        "_obj_coefs. The coefficients do not depend on these sums, and what they depend on gets less "
        "than epsilon.",
        fix="Divide by t + t d + d (d + 1) / 2.",
        routes=(
            Route(
                "(t + t d + 1) / (1 + t d + 1) for t = 3 and d = 1",
                lambda: float(Fraction(3 + 3 + 1, 1 + 3 + 1)),
            ),
            Route("seven randomised responses at 1/5, where all tell", lambda: told_together(*[0.2] * 7)),
        ),
    ),
    Fault(
        key="linear_regression_not_clipped",
        kind=Kind.MISUSE,
        entry=f"{_MODELS}.LinearRegression",
        says="without intercept the data are not clipped to the bounds that the noise is scaled to",
        why="Clipping is done only where the mean is taken off. A record outside of the bounds moves the sums as "
        "far as it likes, and no warning says so; with an intercept, and in the other models, it would be clipped. "
        "The docs do not say which of both to expect.",
        fix="Clip in both branches.",
        routes=(
            Route("the square of the entry 1000", lambda: 1000.0**2),
            Route(
                "difference of the sums of squares",
                lambda: float(np.dot([0, 1e3], [0, 1e3]) - np.dot([0, 0], [0, 0])),
            ),
        ),
    ),
    Fault(
        key="logistic_regression_data_norm",
        kind=Kind.WRONG_NUMBER,
        entry=f"{_MODELS}.LogisticRegression",
        says="the curvature of the loss is bounded by norm / 4, where norm^2 / 4 is due: too small for norms above 1",
        why="The second derivative of the logistic loss at a record x is at most |x|^2 / 4 along x. Chaudhuri et "
        "al. scale records to norm 1, where both are the same. For larger ones the term for the change of volume "
        "is too small: for norm 10^4 without intercept the loss is 7.8 at epsilon = 1.",
        fix="Pass function_sensitivity = norm^2 / 4 with a data sensitivity of 1 in that term.",
        routes=(
            Route("closed form of the densities' ratio at 0", lambda: values.norm_loss(1e4)),
            Route("the same with slopes taken numerically", lambda: values.norm_loss_by_slope(1e4)),
        ),
    ),
    Fault(
        key="logistic_regression_intercept",
        kind=Kind.WRONG_NUMBER,
        entry=f"{_MODELS}.LogisticRegression",
        says="the intercept, fitted by default, is not regularised, and objective perturbation needs that of every "
        "coordinate",
        why="The proof bounds a ratio of determinants by the regularisation in all directions. In the direction of "
        "the intercept there is none: where a far intercept makes the other records flat, one record decides the "
        "volume. At (6, -6) the loss is 4.0 at epsilon = 1, and it grows without bound along (b, -b). Where the "
        "noise is large no minimum exists.",
        fix="Regularise the intercept, as a coefficient of a feature that is 1.",
        routes=(
            Route("closed form of the densities' ratio at (6, -6)", values.intercept_loss),
            Route("the same with slopes taken numerically", values.intercept_loss_by_slope),
        ),
    ),
    Fault(
        key="logistic_regression_n_jobs",
        kind=Kind.WRONG_NUMBER,
        entry=f"{_MODELS}.LogisticRegression",
        says="with n_jobs=2 classes get the same noise, and so do fits that follow each other in one program",
        why="NumPy's global generator is copied to each process in the state that it has, and stays there unless "
        "something else draws from it. So differences between classes, or between two fits, have no noise: with "
        "three classes and one feature the coefficients are all alike if every record is 0, and are not if one "
        "record is 1. Without n_jobs each class has its own noise, "
        "from a secure generator; a copy is not recognised as the default one, and is used as it is.",
        fix="Draw a seed for each class before the work is dealt out, or let each process make its own secure "
        "generator.",
        routes=(
            Route(
                "how much the chance of coefficients that are all alike differs: 1 where all records are 0, else 0",
                lambda: 1.0 - 0.0,
            ),
            Route("share of noises at which the minima of all classes are the same", values.minima_alike),
        ),
    ),
    Fault(
        key="random_forest_seeds",
        kind=Kind.MISUSE,
        entry=f"{_MODELS}.RandomForestClassifier",
        says="a fitted forest keeps the seed of each tree's noise in estimators_, though no random_state was given",
        why="As in scikit-learn each tree gets an integer as random_state. Whoever has the model and knows all records "
        "but one fits a tree again with this seed for each value of that record, and sees which of them leads to the "
        "tree. In the script the wrong label of one record is ruled out in about four of five forests, at epsilon = 1. "
        "The docs do not say that a fitted forest must not be stored or sent.",
        fix="Give trees a secure generator where no random_state was given, and delete seeds after fitting.",
        routes=(
            Route("1 - 1/(2 e) of the forests rule the wrong label out", lambda: 1 - exp(-1) / 2),
            Route("the same by the series of the coin that permute-and-flip tosses", values.seeds_rule_out),
        ),
    ),
    Fault(
        key="random_forest_partition",
        kind=Kind.WRONG_NUMBER,
        entry=f"{_MODELS}.RandomForestClassifier",
        says="records are dealt to trees by position and number: one record more or less changes every tree",
        why="Each leaf's label is drawn with noise for counts of which one changes by one, that is for a record "
        "that is added or removed. But then the trees' shares shift, most trees lose a record and gain another, and "
        "the losses add up: 19 at epsilon = 1 with ten trees, in order. If a record is replaced only its tree changes, "
        "but by two counts, which costs 2 epsilon. So epsilon holds for neither kind of neighbours, with or without "
        "shuffle.",
        fix="Deal records by a rule that each record decides for itself (a random draw), or take noise for two "
        "counts and say that neighbours have the same number of records.",
        routes=(
            Route("two for each of nine trees, and one", lambda: 9 * 2 + 1.0),
            Route(
                "chances of permute-and-flip, over the orders of both labels", values.forest_loss_by_orders
            ),
        ),
    ),
    Fault(
        key="gaussian_nb_sum_sensitivity",
        kind=Kind.WRONG_NUMBER,
        entry=f"{_MODELS}.GaussianNB",
        says="a class's sum gets noise for upper - lower, though a record that changes class moves it by up to "
        "|upper|",
        why="Neighbours may differ in a label, or in one record more. Then a class loses a whole record. With bounds "
        "(100, 101) and epsilon = 1 the sum moves by 100.5, and the scale of its noise is 3: a loss of 33.5 from "
        "this sum alone. KMeans takes the same sensitivity for its clusters (read).",
        fix="Subtract the middle of the bounds before summing, and take half of upper - lower as sensitivity for a "
        "record that comes or goes; or take max(|lower|, |upper|).",
        routes=(
            Route("a shift of 100.5 over a scale of 3", lambda: 100.5 / 3),
            Route("chances of an answer above the larger sum", lambda: laplace_tails(100.5, 3)),
        ),
    ),
    Fault(
        key="gaussian_nb_absent_class",
        kind=Kind.WRONG_NUMBER,
        entry=f"{_MODELS}.GaussianNB.partial_fit",
        says="a class that has no record keeps the count 0, and one with a record gets at least 1: that is told for "
        "certain",
        why="Only the labels that are in the data get noise, and their noisy counts are cut to 1 and above. So one "
        "record decides whether class_count_ is 0, at any epsilon, though classes were given. Where they are not, "
        "classes_ is read from the data without a PrivacyLeakWarning, which forests give. Logistic regression reads "
        "its classes in this way, too (read).",
        fix="Add noise for every class that was given, with 0 as lower end, and warn where classes are read from the "
        "data.",
        routes=(
            Route(
                "how much the chance of a count of 0 differs, 1 without a record and 0 with one",
                lambda: 1.0 - 0.0,
            ),
            Route(
                "chances of all counts above 0 that one record leads to, summed",
                values.truncated_count_mass,
            ),
        ),
        tolerance=1e-12,
    ),
    Fault(
        key="kmeans_epsilon_swapped",
        kind=Kind.WRONG_NUMBER,
        entry=f"{_MODELS}.KMeans",
        says="the epsilons of the count and of each sum are exchanged: from five dimensions on more than epsilon is "
        "spent",
        why="_split_epsilon returns that of a sum first, and _update_centers unpacks that of the count first. With "
        "d dimensions (1 + d c) / (d + c) epsilon is spent, c = (0.2025 d)^(1/3): 2.66 epsilon at d = 100.",
        fix="Unpack as epsilon_i, epsilon_0.",
        routes=(
            Route("d c / (d + c) for the sums at d = 100", lambda: values.kmeans_sums(100)),
            Route(
                "bounded Laplace densities at the outcome 0",
                lambda: values.kmeans_sums_by_density(100),
            ),
        ),
    ),
    Fault(
        key="denied_fit_keeps_model",
        kind=Kind.MISUSE,
        entry=f"{_MODELS}.GaussianNB",
        says="a fit that is denied when it spends has set its attributes, and the model answers",
        why="Models check at the start of fit and spend at its end. Where two fits overlap both pass the check; one "
        "is denied at its end, but both models are fitted. Two releases of epsilon go out under a ceiling of one. "
        "Linear regression, k-means and PCA are written in the same order (read, not run).",
        fix="Spend before the data are touched, in one step with the check.",
        routes=(
            Route("two releases at 1.0", lambda: float(2 * Fraction(1))),
            Route("two randomised responses at epsilon 1, where both tell", lambda: told_together(1.0, 1.0)),
        ),
    ),
    Fault(
        key="kmeans_inertia",
        kind=Kind.MISUSE,
        entry=f"{_MODELS}.KMeans",
        says="a fitted model keeps inertia_ and labels_, which are exact functions of the data",
        why="Who knows all records but one computes its distance to its centre from inertia_. The docs list both "
        "attributes, and do not say that they are not private. A model that is stored or sent takes them along.",
        fix="Leave them out, as predict(X) gives labels to the owner of the data, or say in the docs that they are "
        "exact.",
        routes=(
            Route("the record that is read off", lambda: float(Fraction(37, 100))),
            Route(
                "the same from sums of squared distances to a centre at 1/2",
                lambda: 0.5 - ((99 * 0.25 + 0.13**2) - 99 * 0.25) ** 0.5,
            ),
        ),
    ),
)

"""OpenDP: its odometers, privacy filters and compositors, and the maps of the mechanisms that are sent to them."""

from __future__ import annotations

from fractions import Fraction

import mpmath
from scipy import stats

from reports.audit.fault import EntryPoint, Fault, Kind, Library, Route
from reports.audit.faults import opendp_amplification, opendp_extras
from reports.audit.subjects import opendp as subjects

__all__ = ["LIBRARY"]

_FILTER = "combinators.make_privacy_filter"
_ODOMETER = "combinators.make_fully_adaptive_composition"
_ADAPTIVE = "combinators.make_adaptive_composition"
_CONTEXT = "Context.compositor"


def _released_by_threshold(power: int, scale: int, threshold: int) -> float:
    """P(1 + Z >= threshold) for the discrete Laplace (power 1) or Gaussian (power 2) Z, summed term by term."""
    with mpmath.workdps(40):
        weight = [
            mpmath.exp(-(mpmath.mpf(abs(z)) ** power) / (power * mpmath.mpf(scale) ** power))
            for z in range(-300, 301)
        ]
        return float(mpmath.fsum(weight[threshold - 1 + 300 :]) / mpmath.fsum(weight))


def _discrete_laplace_tail() -> float:
    """The geometric series, by scipy's own discrete Laplace."""
    return float(stats.dlaplace(1.0).sf(8))


def _discrete_gaussian_tail() -> float:
    """By theta functions: the whole mass is theta_3(0, q) with q = exp(-1/2), and three terms are taken off."""
    with mpmath.workdps(40):
        q = mpmath.exp(mpmath.mpf(-1) / 2)
        whole = mpmath.jtheta(3, 0, q)
        return float(((whole + 1) / 2 - 1 - q) / whole)


def _laplace_loss(scale: Fraction) -> float:
    """The largest privacy loss of the Laplace mechanism at distance 1, from the densities."""
    law = stats.laplace(scale=float(scale))
    points = (-0.25, 0.0)
    return float(max(law.logpdf(x) - law.logpdf(x - 1.0) for x in points))


_FAULTS = (
    Fault(
        key="negative_child_refunds",
        breaks=(("combinators.make_privacy_filter", "odd_parameters_grant_nothing"),),
        kind=Kind.UNSOUND,
        entry=_FILTER,
        says="A privacy filter grants any loss after a query whose privacy map is negative",
        why=(
            "A compositor with d_mids=[-1000.0], and a privacy filter with d_out=-1000.0, are built without "
            "an error, and their map is -1000. Sent to a filter as a query, either of them lowers the "
            "accumulated loss by 1000. An analyst who can only send measurements, with the feature `contrib` "
            "alone, then has queries answered that lose 1001 in all where d_out is 1. The same holds for "
            "zCDP, approximate DP and approximate zCDP. make_composition hides a large loss beside a "
            "negative one in the same way, and a slot of make_adaptive_composition answers that query."
        ),
        fix=(
            "Refuse a negative or NaN distance in make_adaptive_composition (each of d_mids) and "
            "make_privacy_filter (d_out), and let the odometer refuse a measurement whose map is below zero "
            "at the d_in that is asked."
        ),
        routes=(
            Route("distance over scale, 1 / 0.002, in fractions", lambda: float(1 / Fraction(2, 1000))),
            Route(
                "the log-ratio of the two Laplace densities, scipy", lambda: _laplace_loss(Fraction(2, 1000))
            ),
        ),
    ),
    Fault(
        key="negative_d_mids",
        kind=Kind.WRONG_NUMBER,
        entry=_ADAPTIVE,
        says="make_adaptive_composition accepts a negative entry of d_mids and claims a loss below that of one query",
        why=(
            "With d_mids=[2.0, -1.0] the map is 1.0, and the first query may lose 2.0. Nobody has to use the "
            "second slot. The map is the promise that callers compare with their budget, and this constructor "
            "is not among those, marked honest-but-curious, that are private for honest arguments alone."
        ),
        fix="Refuse a negative entry of d_mids; for approximate measures, a negative delta as well.",
        routes=(
            Route("distance over scale, 1 / 0.5, in fractions", lambda: float(1 / Fraction(1, 2))),
            Route("the log-ratio of the two Laplace densities, scipy", lambda: _laplace_loss(Fraction(1, 2))),
        ),
    ),
    Fault(
        key="context_negative_weights",
        kind=Kind.MISUSE,
        entry=_CONTEXT,
        says="Context.compositor takes a negative weight, and grants a query more than the context's whole loss",
        why=(
            "split_by_weights=[3, -1] with epsilon=1.0 gives the first query 1.5 and the second -0.5. Their "
            "sum is 1.0, so the compositor is accepted, and the first release alone breaks the promised 1.0. "
            "It takes a mistake of whoever makes the context; the docs do not say that weights must be >= 0."
        ),
        fix="Refuse weights that are negative or NaN, with the check on d_mids behind it.",
        routes=(
            Route("the share of the first weight, 3 / (3 - 1)", lambda: float(Fraction(3, 3 - 1))),
            Route(
                "the log-ratio of Laplace densities at the scale that the share asks for, 2/3, scipy",
                lambda: _laplace_loss(Fraction(2, 3)),
            ),
        ),
    ),
    Fault(
        key="laplace_threshold_delta",
        kind=Kind.WRONG_NUMBER,
        entry="measurements.make_laplace_threshold",
        says="make_laplace_threshold reports a delta that is too small: values equal to the threshold are kept",
        why=(
            "The mechanism keeps a noisy value when it is at least the threshold. The map bounds the chance "
            "that it is above it. A key that is in one of two neighbours alone is released with a chance "
            "that is larger by the factor exp(1/scale): 2.7 at scale 1, 22000 at scale 0.1 and threshold 1. "
            "Odometers and filters add the small delta. It is reported upstream too, as issue 2922."
        ),
        fix="Use the tail at threshold - l_inf - 1 for integers, or keep only values above the threshold.",
        routes=(
            Route("the masses at 9, 10, ... summed, mpmath", lambda: _released_by_threshold(1, 1, 10)),
            Route("the survival function of the discrete Laplace law, scipy", _discrete_laplace_tail),
        ),
        tolerance=1e-9,
    ),
    Fault(
        key="gaussian_threshold_delta",
        kind=Kind.WRONG_NUMBER,
        entry="measurements.make_gaussian_threshold",
        says="make_gaussian_threshold reports a delta that is too small: values equal to the threshold are kept",
        why=(
            "The mechanism keeps a noisy value when it is at least the threshold. The map takes a bound on "
            "the chance that integer noise is above threshold - l_inf. At scale 1 and threshold 3 a key that "
            "one neighbour lacks is released with chance 0.0586, and the map says 0.0228. It is reported "
            "upstream too, as issue 2922."
        ),
        fix="Use the tail at threshold - l_inf - 1 for integers, or keep only values above the threshold.",
        routes=(
            Route("the masses at 2, 3, ... summed, mpmath", lambda: _released_by_threshold(2, 1, 3)),
            Route("the total mass as a Jacobi theta function, mpmath", _discrete_gaussian_tail),
        ),
        tolerance=1e-9,
    ),
    Fault(
        key="runs_before_check",
        breaks=(("combinators.make_privacy_filter", "nothing_is_touched_before_the_check"),),
        kind=Kind.SEMANTICS,
        entry=_FILTER,
        says="make_privacy_filter runs a query on the data before it looks at the budget",
        why=(
            "The answer of a refused query is dropped, so that the promise holds for what is returned. But "
            "the mechanism has run: its time, its memory and whatever a user-defined function does are spent "
            "on a query that is refused. The proof document says so; the user guide does not. "
            "make_adaptive_composition checks first."
        ),
        fix="Ask the map of the query at the filter's d_in before the query is invoked, as the compositor does.",
    ),
    Fault(
        key="halts_at_first_denial",
        kind=Kind.SEMANTICS,
        entry=_FILTER,
        says="A privacy filter answers nothing after its first refusal, and its loss can no longer be read",
        why=(
            "It halts; it does not deny and go on. A query that costs nothing is refused too, as are "
            "privacy_loss, repr, Context.current_privacy_loss and Context.remaining_privacy_loss. Children "
            "that were spawned before still answer: they were charged in full. make_adaptive_composition, in "
            "contrast, leaves its slot open."
        ),
        fix="Say in the docs that the filter halts, and keep privacy_loss readable; or check before the charge.",
    ),
    Fault(
        key="approximate_denial",
        kind=Kind.SEMANTICS,
        entry=_FILTER,
        says="Under approximate measures a refusal reads as an unknown ordering of two pairs",
        why=(
            "Pairs (epsilon, delta) are compared in the product order. Where one is above its limit and the "
            "other below, the comparison is an error, and the filter raises that. The answer is withheld, "
            "and later queries are refused as well, but with the same message and not as an exhausted "
            "filter. Code that tells a denial by its message misses it."
        ),
        fix="Compare with `not (loss <= d_out)`, and treat what cannot be compared as exhausted.",
    ),
    Fault(
        key="exception_is_free",
        kind=Kind.SEMANTICS,
        entry=_ODOMETER,
        says="A query whose function raises is not charged, and its exception reaches the analyst",
        why=(
            "The map is stored after the function has returned. The library's definition of a valid "
            "measurement asks for errors that do not depend on the data, so that this is sound for valid "
            "ones. A user-defined function that raises by chance, or with the data in its message, releases "
            "something free of charge; the docstring of make_user_measurement asks for no side effects and "
            "does not speak of exceptions."
        ),
        fix="Charge before the function is invoked, and say in make_user_measurement what it may raise.",
    ),
    Fault(
        key="infinite_loss_is_silent",
        kind=Kind.SEMANTICS,
        entry=_ODOMETER,
        says="An odometer releases a query of infinite loss, and from then on raises when it is asked for its loss",
        why=(
            "With Laplace noise of scale 0 the value is released as it is. privacy_loss then raises an "
            "overflow for every d_in above 0; after a query whose map raises or is NaN it raises too. In a "
            "filter the answer is withheld, and every later query fails with the same message, not as an "
            "exhausted filter."
        ),
        fix="Let the sum be infinite, and compare; a loss of infinity is an answer.",
    ),
    Fault(
        key="sequential_child_unusable",
        kind=Kind.SEMANTICS,
        entry=_ODOMETER,
        says="Under approximate zCDP an interactive query is charged and its child answers nothing",
        why=(
            "A child asks its odometer for permission before each answer. The reply is cast to the wrong "
            "type, so every query of every child fails, of the most recent one too. The loss was charged in "
            "full when it was spawned. Children of make_adaptive_composition work."
        ),
        fix="Ask for `()` in the hook: `self_.eval_internal(...)` without the question mark, as the compositor has it.",
    ),
    Fault(
        key="renyi_filter_aborts",
        kind=Kind.SEMANTICS,
        entry=_FILTER,
        says="make_privacy_filter over an odometer of Renyi divergence ends the Python process",
        why="A limit that is a function cannot be cloned behind the interface; the panic is not caught and aborts.",
        fix="Refuse measures whose distances cannot be compared when the filter is made, with an exception.",
    ),
    Fault(
        key="composed_children_crash",
        kind=Kind.SEMANTICS,
        entry="combinators.make_composition",
        says="Children that make_composition spawned end the Python process when they are asked",
        why=(
            "The docstring says that each of the composed mechanisms may be interactive. From Python the "
            "queryables of the returned list are not safe to use: asking one of them was a segmentation "
            "fault in each of our runs. No answer is released."
        ),
        fix="Clone the queryables when a list of them is handed over, or keep the list alive with them.",
    ),
    Fault(
        key="query_loss_is_no_limit",
        kind=Kind.SEMANTICS,
        entry=_CONTEXT,
        says="The loss given to Context.query is no limit on that query",
        why=(
            "It serves to find a missing parameter. Where the threshold is given and the scale is missing, the "
            "scale is found for the epsilon, and the delta is not looked at: a query with delta=1e-9 and a "
            "threshold of 5 costs a delta of 0.005. Where nothing is missing, none of the two is looked at. "
            "The context charges what the query costs, so that its own total holds."
        ),
        fix="Check the resolved measurement against the loss that the query was given, before it is released.",
    ),
)

LIBRARY = Library(
    key="opendp",
    distribution="opendp",
    entries=(
        EntryPoint(
            name=_FILTER,
            rule="refuse, and answer nothing more, once the sum of the losses at d_in is above d_out",
            where="rust/src/combinators/privacy_filter/mod.rs, new_continuation_rule",
            theorem=(
                "a filter of additive losses: pure, approximate, zCDP (Whitehouse et al. 2023, Feldman & "
                "Zrnic 2021), concurrent but for approximate zCDP (Haney et al. 2023)"
            ),
            promises="rejects every query that would raise the total loss above d_out; its map is d_out up to d_in",
            subject=subjects.privacy_filter,
        ),
        EntryPoint(
            name=_ODOMETER,
            rule="the loss at d_in is the sum, rounded up, of the maps of the answered queries at d_in",
            where="rust/src/combinators/sequential_composition/fully_adaptive/mod.rs",
            theorem="composition of additive losses with parameters chosen as one goes (Haney et al. 2023)",
            promises="an odometer that spawns queryables; privacy_loss(d_in) at any time",
            subject=subjects.fully_adaptive_composition,
        ),
        EntryPoint(
            name=_ADAPTIVE,
            rule="the k-th query must cost at most d_mids[k] at d_in; the map is the sum of d_mids",
            where="rust/src/combinators/sequential_composition/adaptive/mod.rs",
            theorem="basic and concurrent composition, parameters fixed in advance (Vadhan & Wang 2021, Lyu 2022)",
            promises="an interactive measurement whose loss is the sum of the d_mids",
            subject=subjects.adaptive_composition,
        ),
        EntryPoint(
            name="combinators.make_composition",
            rule="all mechanisms at once; the map is the sum of their maps, rounded up",
            where="rust/src/combinators/sequential_composition/non_adaptive/mod.rs",
            theorem="basic composition",
            promises="a list of releases; each of the mechanisms may be interactive",
        ),
        EntryPoint(
            name=_CONTEXT,
            rule="a compositor whose d_mids share out the loss, or a privacy filter where nothing is split",
            where="opendp/context.py, _normalize_compositor",
            theorem="that of the compositor or filter it makes",
            promises="queries within the privacy loss of the context",
        ),
        EntryPoint(
            name="combinators.make_population_amplification",
            rule="epsilon becomes ln(1 + n/N (exp(epsilon) - 1)), delta becomes n/N delta, at every d_in",
            where="rust/src/combinators/amplify/mod.rs",
            theorem="sampling without replacement, one record changed (Balle, Barthe & Gaboardi 2018)",
            promises="the loss with respect to the population, if the data are a simple sample of it",
        ),
        EntryPoint(
            name="measurements.make_laplace_threshold",
            rule="noise every value, keep the keys whose noisy value is at least the threshold",
            where="rust/src/measurements/noise_threshold/distribution/laplace/mod.rs",
            theorem="stability of the set of keys (Rogers 2023)",
            promises="(epsilon, delta) from the bounds l0, l1, l_inf on the change",
        ),
        EntryPoint(
            name="measurements.make_gaussian_threshold",
            rule="noise every value, keep the keys whose noisy value is at least the threshold",
            where="rust/src/measurements/noise_threshold/distribution/gaussian/mod.rs",
            theorem="stability of the set of keys (Rogers 2023)",
            promises="(rho, delta) from the bounds l0, l2, l_inf on the change",
        ),
    ),
    faults=(*_FAULTS, *opendp_amplification.FAULTS, *opendp_extras.FAULTS),
    held=(
        "privacy_loss of odometers under pure DP, approximate DP, zCDP and approximate zCDP: after each of "
        "20 queries, in 20 histories a measure, with losses from 5e-324 to 1e10, at least the exact sum of "
        "the charged doubles and at most 3e-15 of it above",
        "ten queries of 0.1 against 1.0, and a thousand of 0.001: the last is refused, as the exact sums of "
        "these doubles are above 1; 64 of 1/64 are granted",
        "a NaN, infinite or raising map and a NaN d_out grant nothing in a filter",
        "maps of make_laplace and make_gaussian on floats, 8 scales from 5e-324 to 1.7e308 and 6 distances "
        "up to 1e300: never below the exact ratio; negative, NaN and infinite distances and scales are "
        "refused",
        "maps of make_randomized_response_bool, make_randomized_response, make_randomized_response_bitvec at "
        "23 settings: never below the loss in 60 digits",
        "make_zCDP_to_approxDP of the Gaussian mechanism, rho from 1e-12 to 1e4: delta(epsilon) and "
        "epsilon(delta) never below those of the Gaussian pair, delta = 0 gives infinity, NaN and values "
        "outside [0, 1] are refused",
        "make_population_amplification at one changed record: equal to the closed form to 1e-12, at 4 rates "
        "and 6 epsilons",
        "make_adaptive_composition checks before it runs, and neither a refusal nor an exception uses up a "
        "slot; its map refuses a d_in above its own",
        "make_privacy_filter inside make_privacy_filter: charged in full when spawned, and both limits hold",
        "the lock of approximate zCDP in make_adaptive_composition: only the most recent child and its "
        "children answer",
        "four threads on one filter, five times: never more grants than one thread has; a query that meets "
        "another raises",
    ),
    left_out=(
        "the Polars front end, make_private_lazyframe (read: it keeps only counts above its threshold)",
        "samplers, floating-point attacks and timing",
        "make_private_quantile, make_alp_queryable, make_canonical_noise, make_select_private_candidate, "
        "make_noisy_top_k: read, not played against the truth",
        "the synthesizers of opendp.extras; of its estimators, the eigenvalues and the mean",
        "stability maps of transformations",
        "data races: a queryable is used from one thread at a time only by its own check",
        "the Rust crate and the R package as such; the Rust source was read at a commit near this version",
    ),
)

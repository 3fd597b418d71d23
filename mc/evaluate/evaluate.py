"""Compute, without sampling, the hockey-stick divergence of the transcript for one given adversary.

>>> from fractions import Fraction
>>> import filterproof as fp
>>> coin = fp.RandomizedResponse.from_ratio(Fraction(3))
>>> str(fp.evaluate(fp.ZCDPFilter(1.0), fp.Constant(coin), epsilon=fp.LogRatio(Fraction(2))).value)
'1/4'
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any, Literal, TypedDict, Unpack, overload

import numpy as np

from filterproof.filters.contract.filter_base import OnDenial
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.adversary import Adversary
from filterproof.mc.engine.filter_determinism import check_filter_determinism
from filterproof.mc.engine.game import Game
from filterproof.mc.evaluate.adversary_queries import retry_with_last_loss
from filterproof.mc.evaluate.certified_distribution import CertifiedDistribution
from filterproof.mc.evaluate.evaluation import (
    Evaluation,
    Evaluations,
    NumericalEvaluation,
    checked_directions_and_name,
)
from filterproof.mc.evaluate.forward_distribution import two_grids
from filterproof.mc.evaluate.transcript_loss_distribution import TranscriptLossDistribution
from filterproof.mc.losses.epsilon_values import Epsilon, check_epsilon
from filterproof.mc.losses.finite_outputs import NoFiniteDistributionError
from filterproof.theory.argument_checks import check_count
from filterproof.theory.evidence import Evidence
from filterproof.theory.pairs.base import Direction
from filterproof.theory.rounding import round_down, round_up

#: The default limit on positions of a game with finitely many outputs; each is one or two Python objects.
_MAX_POSITIONS = 2_000_000


class EvaluationOptions(TypedDict, total=False):
    """The keywords of `evaluate` besides epsilon."""

    direction: Direction | Literal["both"]
    rounds: int | None
    on_denial: OnDenial
    evidence: Evidence | None
    max_positions: int | None


@overload
def evaluate(
    filt: PrivacyFilter, adversary: Adversary, *, epsilon: Epsilon, **options: Unpack[EvaluationOptions]
) -> Evaluation | NumericalEvaluation: ...


@overload
def evaluate(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    epsilon: Sequence[Epsilon],
    **options: Unpack[EvaluationOptions],
) -> Evaluations: ...


def evaluate(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    epsilon: Epsilon | Sequence[Epsilon],
    direction: Direction | Literal["both"] = "both",
    rounds: int | None = None,
    on_denial: OnDenial = "halt",
    evidence: Evidence | None = None,
    max_positions: int | None = None,
) -> Evaluation | NumericalEvaluation | Evaluations:
    """Compute the hockey-stick divergence of the transcript for one given adversary, without sampling.

    `simulate` estimates this number. `evaluate` propagates the distribution of (filter state, loss) round by round
    through the filter's and the adversary's own code.

    Parameters
    ----------
    filt : PrivacyFilter
        The filter.
    adversary : Adversary
        A deterministic function of round, filter state and loss. It may also use the last loss and a memory of number
        arrays.
    epsilon : float, LogRatio or sequence of these
        In nats. A single value must be >= 0. A sequence may contain negative values, and one play serves them all.
    direction : {"both", "PQ", "QP"}
        "PQ" draws outputs from P, "QP" from Q, "both" takes the larger value.
    rounds : int, optional
        Largest number of rounds, as in `fp.runs.Game`.
    on_denial : {"halt", "retry"}
        Whether a denied run ends or may ask again.
    evidence : Evidence, optional
        EXACT or CERTIFIED; by default the strongest that is available, or a number from two grids.
    max_positions : int, optional
        Limit on pairs of state and loss, by default 2 million.

    Returns
    -------
    Evaluation, NumericalEvaluation or Evaluations
        An `Evaluation` if all requests have finitely many outputs with known losses, or if evidence is CERTIFIED.
        A `NumericalEvaluation` for Gaussian requests otherwise. `Evaluations` for a sequence of epsilons.

    Raises
    ------
    ValueError
        For an adversary that draws random numbers (use `simulate`), for other kinds of requests, for more than
        `max_positions` positions, and where the evidence cannot be had.

    Notes
    -----
    The computation is Bellman's recursion with the given strategy in place of the maximum. For Gaussian requests the
    filter's decisions are bisected to the double at which they change. The scope lists these points. A change between
    two grid points that both decide alike stays undetected.

    Examples
    --------
    >>> import filterproof as fp
    >>> filt = fp.GaussianFilter(mu=1.0)
    >>> both = fp.evaluate(filt, fp.HighWhileLossPositive(pace=4), epsilon=[1.0, 4.0])
    >>> [f"{each.value:.5g} of {filt.promise.delta(each.epsilon):.5g}" for each in both]
    ['0.12694 of 0.12694', '4.7122e-05 of 4.7122e-05']
    """
    many = isinstance(epsilon, Sequence) or np.ndim(epsilon) == 1  # type: ignore[arg-type]
    given: Any = epsilon if many else [epsilon]
    epsilons = [check_epsilon(number, below_zero=many) for number in given]
    if not epsilons:
        raise ValueError("epsilon must name at least one value, got none; pass a number or a sequence")
    ways, scope_words = checked_directions_and_name(direction, evidence)
    most = _MAX_POSITIONS if max_positions is None else check_count("max_positions", max_positions)
    game = Game.between(filt, adversary, rounds=rounds, on_denial=on_denial)
    check_filter_determinism(game)
    name = repr(game.adversary)
    if len(name) >= 120:
        name = type(game.adversary).__name__
    length = f"at most {game.rounds} round{'s' * (game.rounds != 1)}"
    scope = f"{name}; {length}; {scope_words}; a denied run may {on_denial}"
    results: Sequence[Evaluation | NumericalEvaluation]
    distribution: TranscriptLossDistribution | None = None
    with suppress(NoFiniteDistributionError):
        distribution = retry_with_last_loss(
            game, lambda asking: TranscriptLossDistribution.of(asking, max_positions=most)
        )
    if distribution is not None:
        results = [_discrete_evaluation(distribution, each, ways, scope, evidence) for each in epsilons]
    elif evidence is Evidence.EXACT:
        raise ValueError(
            f"adversary must request pairs with rational masses for EXACT evidence, got {game.adversary!r}; use "
            "e.g. RandomizedResponse.from_ratio"
        )
    elif evidence is Evidence.CERTIFIED:
        results = CertifiedDistribution.evaluations(game, epsilons, ways, scope)
    else:
        results = two_grids(game, epsilons, ways, scope)
    return Evaluations(results) if many else results[0]


def _discrete_evaluation(
    distribution: TranscriptLossDistribution,
    epsilon: Epsilon,
    ways: tuple[Direction, ...],
    scope: str,
    evidence: Evidence | None,
) -> Evaluation:
    """Return the evaluation at one epsilon from a distribution of finitely many transcripts."""
    values = {way: distribution.value(epsilon, way) for way in ways}
    exact = {way: value for way, value in values.items() if isinstance(value, Fraction)}
    if evidence is Evidence.EXACT and len(exact) < len(values):
        raise ValueError(
            f"epsilon must be a LogRatio and every pair have rational masses for EXACT evidence, got {epsilon!r}; "
            "pass LogRatio(e^epsilon) and e.g. RandomizedResponse.from_ratio"
        )
    # of two directions with equal double bounds the first counts
    order = sorted(ways, key=lambda way: exact.get(way, 0), reverse=True)
    bounds = {way: (max(round_down(values[way]), 0.0), min(round_up(values[way]), 1.0)) for way in order}
    is_exact = len(exact) == len(values) and evidence is not Evidence.CERTIFIED
    value = exact[order[0]] if is_exact else None
    return Evaluation.from_worse_direction(
        epsilon, bounds, value, distribution.rounds, distribution.positions, scope
    )

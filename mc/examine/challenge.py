"""A challenge: a filter's promise is tested against many adversaries, with one failure probability for all tests.

>>> import filterproof as fp
>>> found = fp.challenge(fp.GaussianFilter(mu=1.0), [fp.OneShot()], epsilons=[1.0], most=1000)
>>> found.verdict().outcome.name, len(found.comparisons)
('UNDECIDED', 2)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from itertools import product
from reprlib import repr as short
from typing import Any, Unpack

from filters import PrivacyFilter
from filters.contract.parameters import one_epsilon
from mc.engine.adversary import Adversary
from mc.estimate.decide import decide
from mc.examine.confirmation import drawn, happens, impure
from mc.examine.filter_fault import FilterFault
from mc.examine.witness import named
from mc.examine.worker import alone, set_aside
from mc.intervals.anytime import Decision, Side
from mc.intervals.multiplicity import Family
from mc.runs.play import Placement, Play
from mc.worst_case.plan import History
from theory.arguments import check_count
from theory.evidence import Evidence, Outcome, Verdict
from theory.pairs.base import Direction
from theory.shown import one_line


@dataclass(frozen=True, slots=True)
class Comparison:
    """One adversary, epsilon and direction, and the decision whether its divergence is above or below the promise."""

    adversary: Adversary
    epsilon: float
    direction: Direction
    decision: Decision


@dataclass(frozen=True, slots=True)
class Challenge:
    """All comparisons of a filter with its promise; all are right except with probability `family.failure`."""

    filter: PrivacyFilter
    family: Family
    comparisons: tuple[Comparison, ...]
    setting: tuple[tuple[str, Any], ...]

    __repr__ = one_line

    @property
    def refutations(self) -> tuple[Comparison, ...]:
        """The comparisons found above the promise."""
        return tuple(one for one in self.comparisons if one.decision.side is Side.ABOVE)

    @property
    def surest(self) -> Comparison | None:
        """The refutation with the most evidence, None where there is none."""
        return max(self.refutations, key=lambda one: one.decision.log_e_above, default=None)

    def verdict(self, *kinds: type) -> Verdict:
        """REFUTED with a witness if any comparison lies above the promise, else UNDECIDED, never HOLDS.

        The witness holds the arguments of `decide` that give the same decision again; `kinds` adds frozen
        dataclasses of your own to the catalogue that names its values; what it cannot name is kept by its class's name.
        """
        names = sorted({type(one.adversary).__name__ for one in self.comparisons})
        scope = f"{', '.join(names)} against {self.filter}; {self.family}"
        below = sum(one.decision.side is Side.BELOW for one in self.comparisons)
        if (worst := self.surest) is None:
            left = self.family.size - below
            detail = f"{below} comparisons were found below the promise, {left} could not be told from it."
            return Verdict(Outcome.UNDECIDED, Evidence.STATISTICAL, scope, detail)
        witness = {
            "filter": named(self.filter, *kinds),
            "adversary": named(worst.adversary, *kinds),
            "epsilon": worst.epsilon,
            "direction": worst.direction,
            "delta": worst.decision.threshold,
            "failure": worst.decision.failure,
            **dict(self.setting),
            "n": worst.decision.n,
            "log_e_above": worst.decision.log_e_above,
        }
        detail = f"{type(worst.adversary).__name__} at epsilon={worst.epsilon:g}, {worst.direction}: {worst.decision}"
        return Verdict(Outcome.REFUTED, Evidence.STATISTICAL, scope, detail, witness)


def challenge(
    filt: PrivacyFilter,
    adversaries: Iterable[Adversary],
    *,
    epsilons: Iterable[float],
    directions: Iterable[Direction] = ("PQ", "QP"),
    failure: float = 1e-6,
    most: int = 1_000_000,
    **how: Unpack[Placement],
) -> Challenge:
    """Every adversary at every epsilon in every direction, compared with the delta that the filter promises there.

    The combinations are fixed before the first path is played and share the failure probability equally. Each
    comparison is a `decide`, which stops as soon as it is decided, after at most `most` paths.
    The other keywords are the fields of `Play`. The surest refutation is played again in a process that nobody has
    asked before, and some of its runs alone: FilterFault where that is decided otherwise.
    """
    ways = _listed("directions", directions, str, '["PQ", "QP"]')
    if not {"PQ", "QP"}.issuperset(ways):
        raise ValueError(f"directions must be of PQ and QP, got directions={short(ways)}; pass one or both")
    grid = tuple(one_epsilon("epsilons", each) for each in _listed("epsilons", epsilons, object, "[1.0]"))
    play = Play(n=check_count("most", most), **how)
    given = _listed("adversaries", adversaries, Adversary, "[fp.OneShot()]")
    setting = (("most", play.n), ("seed", play.seed), ("rounds", play.rounds), ("on_denial", play.on_denial))

    def games() -> tuple[Family, tuple[tuple[Adversary, float, Direction], ...]]:
        foes = tuple(play.game(filt, adversary).adversary for adversary in given)
        family = Family.crossing(failure, adversaries=foes, epsilons=grid, directions=ways)
        return family, tuple(product(foes, grid, ways))

    def again(at: int) -> tuple[bool, tuple[History, ...]]:
        family, asked = games()
        foe, epsilon, way = asked[at]
        where: Any = dict(setting)
        decision = decide(filt, foe, epsilon=epsilon, failure=family.each, direction=way, workers=1, **where)
        # by a filter that was asked for all of that
        return decision.side is Side.ABOVE, drawn(filt, foe, play.rounds, way)

    def happens_afresh(at: int) -> bool:
        above, histories = alone(partial(again, at), filt=filt)
        return above and all(alone(partial(happens, filt, one), filt=filt) for one in histories)

    def compared(each: float, foe: Adversary, epsilon: float, way: Direction) -> Comparison:
        decision = decide(filt, foe, epsilon=epsilon, failure=each, most=play.n, direction=way, **how)
        return Comparison(foe, epsilon, way, decision)

    with set_aside(happens_afresh, filt=filt) as ask:
        family, asked = games()
        found = Challenge(filt, family, tuple(compared(family.each, *one) for one in asked), setting)
        if (surest := found.surest) is not None and not ask(found.comparisons.index(surest)):
            asks = type(surest.adversary).__name__
            raise FilterFault(f"{impure(filt)}, or {asks} asks for something else when it is asked again")
    return found


def _listed(name: str, given: Iterable[Any], kind: type, example: str) -> tuple[Any, ...]:
    """The members of a list; TypeError for what is none, or has others among them."""
    members = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else None
    if members is None or not all(isinstance(member, kind) for member in members):
        raise TypeError(f"{name} must be a list such as {example}, got {name}={short(given)}; pass one")
    return members

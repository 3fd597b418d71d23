"""The stage of exact games: the worst adversary over menus of what the filter really admits, solved and certified."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from filters.privacy_filter import PrivacyFilter
from mc.examine.attack import Attack, attack, replied
from mc.examine.clock import Clock, OutOfTime
from mc.examine.fault import FilterFault, examining
from mc.examine.finding import Finding, Tightness
from mc.examine.measure import Measure, exceeds
from mc.examine.stages.menus import Menu, menus
from mc.examine.subject import Subject
from mc.examine.witness import Witness, menu_witness
from mc.worst_case import WorstCase, worst_case
from mc.worst_case.renyi_game import renyi_game
from theory.evidence import Evidence, Outcome, Verdict
from theory.pairs import DominatingPair
from theory.pairs.finite import Finite

__all__ = ["games"]

_ASKED = "What is the most that the worst adversary over a menu can reach?"
#: Positions of one game; more take longer than they are worth here.
_POSITIONS = 2_500_000
#: The share of a promised curve from which the epsilons about it are looked at as well.
_NEAR = 0.9
#: The goals at which games are solved where a promise has many.
_GOALS = 3


def games(subject: Subject, clock: Clock) -> Iterator[Finding]:
    """A finding for each refutation, and one on all menus that were solved."""
    filt = subject.filter
    goals = _chosen(subject)
    tried = _Tried(subject)
    try:
        with examining(filt):
            yield from _renyi(subject, clock.part(0.2))
            if not goals:
                return
            yield from _planned(subject, clock.part(0.3), replied)
            yield from _planned(subject, clock.part(0.12), attack)
            for menu in menus(subject, clock):
                before = len(tried.rows)
                for goal in goals:
                    found = tried.solve(menu, goal, clock)
                    if found is not None:
                        yield found
                        goals = tuple(other for other in goals if other is not goal)
                    if clock.over:
                        raise OutOfTime
                for goal in _between(goals, tried.rows[before:]):  # a curve may be thinnest between two goals
                    if (found := tried.solve(menu, goal, clock)) is not None:
                        yield found
                        break
    except OutOfTime:
        tried.cut = True
    yield tried.summary()


def _between(goals: tuple[Measure, ...], rows: list[Tightness]) -> tuple[Measure, ...]:
    """Epsilons on both sides of the goal that a menu came near to, half way to the next."""
    near = max(rows, key=lambda row: row.share, default=None)
    if near is None or not _NEAR <= near.share <= 1 or len(goals) < 2:
        return ()
    here = near.measure.at
    others = sorted({0.0, 2 * here, *(goal.at for goal in goals)} - {here})
    sides = (
        max((e for e in others if e < here), default=here),
        min((e for e in others if e > here), default=here),
    )
    return tuple(Measure.hockey_stick((here + other) / 2) for other in sides if other != here)


def _renyi(subject: Subject, clock: Clock) -> Iterator[Finding]:
    """Rényi promises of filters that look at losses: one finite pair at a time, for more and more rounds."""
    filt, goals = subject.filter, [goal for goal in subject.goals if goal.kind == "renyi"]
    if not subject.looks:
        return
    for rounds in (4, 30, 150):
        for line in subject.lines:
            if line.line.family not in ("rr", "twopoint", "own") or not isinstance(line.largest, Finite):
                continue
            for pair in dict.fromkeys(
                (line.pairs[-1], line.pairs[-1 - len(line.pairs) // 6], line.pairs[len(line.pairs) // 2])
            ):
                for goal in goals[:3]:
                    for measure in (goal, replace(goal, direction="QP")):
                        if not clock.left:
                            return
                        found = _renyi_game(filt, subject, pair, measure, rounds, clock)
                        if found is not None:
                            yield found
                            return


def _renyi_game(
    filt: PrivacyFilter, subject: Subject, pair: DominatingPair, measure: Measure, rounds: int, clock: Clock
) -> Finding | None:
    promised = subject.promised(measure)
    try:
        with clock.part(0.2).limiting():
            low = renyi_game(
                filt,
                (pair,),
                order=measure.at,
                rounds=rounds,
                direction=measure.direction,
                max_positions=20_000,
            )
    except (OutOfTime, ValueError):
        return None
    if not exceeds(low, promised):
        return None
    shown = menu_witness(filt, (pair,), measure, rounds=rounds, low=low, high=None)
    said = f"asking for {pair!r} again and again reaches {low:.6g} in {measure}, promised {promised:.6g}"
    scope = f"an adversary that asks for {pair!r} in at most {rounds} rounds, and stops when that is best"
    verdict = Verdict(Outcome.REFUTED, Evidence.CERTIFIED, scope, said, shown.data)
    row = Tightness(measure, repr(pair), low, None, promised, Evidence.CERTIFIED)
    return Finding("games", _ASKED, said, repr(pair), "", verdict, shown, tightness=(row,))


def _chosen(subject: Subject) -> tuple[Measure, ...]:
    """The hockey-sticks to solve games at: promised more than nothing where that can be, and less than all."""
    sticks = [goal for goal in subject.goals if goal.kind == "hockey-stick" and subject.promised(goal) < 1]
    if len(sticks) <= _GOALS:
        return tuple(sticks)
    telling = [goal for goal in sticks if subject.promised(goal) > 1e-12]
    return tuple(telling[:: max(1, len(telling) // _GOALS)][:_GOALS])


def _planned(
    subject: Subject, clock: Clock, find: Callable[[PrivacyFilter], Attack | None]
) -> Iterator[Finding]:
    """A search for a plan in rational numbers, which is the shortest kind of witness."""
    if not subject.families >= {"rr", "erasure", "twopoint"}:
        return  # those are what the search asks for
    try:
        with clock.limiting(), examining(subject.filter):
            found = find(subject.filter)
    except (OutOfTime, FilterFault):  # it also asks for families that may be outside the filter's scope
        return
    if found is not None and found.refuted and found.plan is not None:
        witness = Witness(subject.filter, found.witness)
        if not witness.replay().refutes:
            return
        measure = Measure.hockey_stick(found.epsilon, found.direction)
        row = Tightness(measure, "a plan", float(found.value), None, found.promised, Evidence.EXACT)
        menu = f"the plan's own pairs, {found.plan.size} requests"
        yield Finding(
            "games", _ASKED, found.verdict.detail, menu, "", found.verdict, witness, tightness=(row,)
        )


@dataclass(slots=True)
class _Tried:
    """The games solved so far."""

    subject: Subject
    rows: list[Tightness] = field(default_factory=list)
    solved: list[WorstCase] = field(default_factory=list)
    above: int = 0
    large: int = 0
    cut: bool = False

    def solve(self, menu: Menu, goal: Measure, clock: Clock) -> Finding | None:
        """Solve one game in both directions; a finding if its value exceeds the promise."""
        symmetric = not self.subject.looks and all(pair.swapped == pair for pair in menu.pairs)
        for measure in (goal,) if symmetric else (goal, replace(goal, direction="QP")):
            found = self._solve(menu, measure, clock)
            if found is not None:
                return found
        return None

    def _solve(self, menu: Menu, measure: Measure, clock: Clock) -> Finding | None:
        filt, promised = self.subject.filter, self.subject.promised(measure)
        try:
            with clock.at_most(max(clock.left / 6, 0.5)).limiting():
                worst = worst_case(
                    filt,
                    menu.pairs,
                    epsilon=measure.at,
                    rounds=menu.rounds,
                    direction=measure.direction,
                    max_positions=_POSITIONS,
                )
        except (OutOfTime, ValueError):
            self.large += 1
            return None
        if not worst.tried:
            return None
        self.solved.append(worst)
        row = Tightness(measure, menu.name, worst.low, worst.high, promised, worst.evidence)
        self.rows.append(row)
        if not exceeds(worst.low, promised):
            return None
        self.above += 1
        shown = menu_witness(filt, menu.pairs, measure, rounds=menu.rounds, low=worst.low, high=worst.high)
        said = f"an adaptive adversary over {menu.name} reaches {worst.low:.6g} at {measure}, promised {promised:.6g}"
        verdict = Verdict(Outcome.REFUTED, worst.evidence, worst.scope, said, shown.data)
        return Finding("games", _ASKED, said, menu.name, "", verdict, shown, tightness=(row,))

    def summary(self) -> Finding:
        """What was solved; HOLDS on the union of menus is not claimed, for an adversary may mix them."""
        within = [row for row in self.rows if row.worst is not None and row.worst <= row.promised]
        near = max(
            self.rows, key=lambda row: row.attack / row.promised if row.promised else 0.0, default=None
        )
        closest = (
            f"; the closest, {near.menu} at {near.measure}, reaches {near.share:.4g} of the promise"
            if near
            else ""
        )
        found = (
            f"{len(self.rows)} games solved, {self.above} worth more than the promise, "
            f"{len(within)} certified within it{closest}"
        )
        too_large = f"; {self.large} games were too large" if self.large else ""
        verdict = None
        if within and not self.above:
            widest = max(within, key=lambda row: (row.attack, row.menu))
            scope = next(
                one.scope for one in self.solved if one.low == widest.attack and one.high == widest.worst
            )
            detail = f"{widest.menu} at {widest.measure}: at most {widest.worst:.6g}, promised {widest.promised:.6g}"
            verdict = Verdict(Outcome.HOLDS, widest.evidence, f"{scope}; at {widest.measure}", detail)
        return Finding(
            "games",
            _ASKED,
            found,
            "; ".join(dict.fromkeys(row.menu for row in self.rows)),
            f"other menus, longer games, pairs between these{too_large}{'; the time was up' if self.cut else ''}",
            verdict,
            tightness=tuple(self.rows),
        )

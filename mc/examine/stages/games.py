"""The stage of exact games: the worst adversary over menus of what the filter really admits, solved and certified."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from filters.contract.checks import checked_start
from filters.privacy_filter import PrivacyFilter
from mc.engine.encoding import encode, nameable
from mc.examine.attack import Attack, attack, replied
from mc.examine.clock import Clock, OutOfTime
from mc.examine.fault import FilterFault, examining
from mc.examine.finding import Finding, Tightness
from mc.examine.measure import Measure, exceeds
from mc.examine.stages.sequences import Player, greedily
from mc.examine.subject import Admission, Subject
from mc.examine.witness import Witness, named
from mc.worst_case import WorstCase, worst_case
from mc.worst_case.renyi_game import renyi_game
from theory.evidence import Evidence, Outcome, Verdict
from theory.pairs import DominatingPair, Gaussian
from theory.pairs.finite import Finite

__all__ = ["games"]

_ASKED = "What is the most that the worst adversary over a menu can reach?"
#: Rounds that the least pair of a menu lasts, and how many multiples of it the menu holds.
_PACES, _WIDTHS = (1, 2, 3, 4, 6, 9, 14, 20, 32, 48), (1, 2, 3, 5, 8)
#: Positions of one game; more take longer than they are worth here.
_POSITIONS = 2_500_000
#: The goals at which games are solved where a promise has many.
_GOALS = 3
#: Families of first requests whose outputs an adversary answers in different ways.
_OPENINGS = ("gaussian", "rr", "laplace", "own")


@dataclass(frozen=True, slots=True)
class _Menu:
    name: str
    pairs: tuple[DominatingPair, ...]
    rounds: int


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
            for menu in _menus(subject, clock):
                for goal in goals:
                    found = tried.solve(menu, goal, clock)
                    if found is not None:
                        yield found
                        goals = tuple(other for other in goals if other is not goal)
                    if clock.over:
                        raise OutOfTime
    except OutOfTime:
        tried.cut = True
    yield tried.summary()


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
    data = {
        "filter": named(filt),
        "measure": {"kind": "renyi", "at": measure.at, "direction": measure.direction},
        "ratio": None,
        "promised": promised,
        "menu": encode((pair,), nameable()),
        "rounds": rounds,
        "low": encode(low, nameable()),
        "high": None,
    }
    said = f"asking for {pair!r} again and again reaches {low:.6g} in {measure}, promised {promised:.6g}"
    scope = f"an adversary that asks for {pair!r} in at most {rounds} rounds, and stops when that is best"
    verdict = Verdict(Outcome.REFUTED, Evidence.CERTIFIED, scope, said, data)
    row = Tightness(measure, repr(pair), low, None, promised, Evidence.CERTIFIED)
    return Finding("games", _ASKED, said, repr(pair), "", verdict, Witness(filt, data), tightness=(row,))


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

    def solve(self, menu: _Menu, goal: Measure, clock: Clock) -> Finding | None:
        """Solve one game in both directions; a finding if its value exceeds the promise."""
        symmetric = not self.subject.looks and all(pair.swapped == pair for pair in menu.pairs)
        for measure in (goal,) if symmetric else (goal, replace(goal, direction="QP")):
            found = self._solve(menu, measure, clock)
            if found is not None:
                return found
        return None

    def _solve(self, menu: _Menu, measure: Measure, clock: Clock) -> Finding | None:
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
        data = {
            "filter": named(filt),
            "measure": {"kind": "hockey-stick", "at": measure.at, "direction": measure.direction},
            "ratio": None,
            "promised": promised,
            "menu": encode(menu.pairs, nameable()),
            "rounds": menu.rounds,
            "low": worst.low,
            "high": worst.high,
        }
        said = f"an adaptive adversary over {menu.name} reaches {worst.low:.6g} at {measure}, promised {promised:.6g}"
        verdict = Verdict(Outcome.REFUTED, worst.evidence, worst.scope, said, data)
        return Finding("games", _ASKED, said, menu.name, "", verdict, Witness(filt, data), tightness=(row,))

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


# -- the menus -------------------------------------------------------------------------------------------------


def _menus(subject: Subject, clock: Clock) -> Iterator[_Menu]:
    """Menus from small to large: multiples of what lasts a number of rounds, alone and with other families."""
    filt = subject.filter
    by_name: dict[str, list[Admission]] = {}
    for line in subject.lines:
        by_name.setdefault(line.line.family, []).append(line)
    own = tuple(getattr(filt, "menu", ()) or ())
    if own and all(isinstance(pair, DominatingPair) and pair.shape == () for pair in own):
        yield from (_Menu("its own menu", own, rounds) for rounds in (1, 2, 3, 5, 8))
    lattice = [line for name in ("rr", "kov", "erasure") for line in by_name.get(name, ())]
    paces = {line.line.name: _paces(subject, line, clock) for line in subject.lines}
    for pace in _PACES:
        if pace == 3:
            yield from _named(subject, clock.part(0.3))
        if pace == 4:
            yield from _later(subject, paces, clock.part(0.3))
            if not subject.looks:
                yield from _replies(subject, clock.part(0.4))
        for width in _WIDTHS:
            for line in by_name.get("rr", ()):
                yield from _ladder(line, paces[line.line.name], pace, width)
        if lattice:
            yield from _mixed(lattice, paces, pace)
        if not subject.looks and pace >= 4:
            for line in (
                *by_name.get("gaussian", ()),
                *by_name.get("laplace", ()),
                *by_name.get("subsampled", ()),
            ):
                yield from _ladder(line, paces[line.line.name], pace, 3)
            yield from _across(by_name, paces, pace)
        if pace <= 4:
            for line in by_name.get("twopoint", ()):
                yield from _both_ways(line, paces[line.line.name], pace)


def _paces(subject: Subject, line: Admission, clock: Clock) -> dict[int, float]:
    """For each pace the largest size that is granted that often in a row, whatever is lost where that matters."""
    found: dict[int, float] = {}
    wanted = list(_PACES)
    for size, pair in zip(reversed(line.sizes), reversed(line.pairs), strict=True):
        if not wanted or clock.over:
            break
        times = 0
        for tail in (0.1, 0.5, 0.9) if subject.looks else (None,):
            player = Player(subject.filter, clock, checked_start(subject.filter, 1), tail, pure=False)
            times = max(times, player.ask(pair, wanted[-1]))
        while wanted and times >= wanted[0]:
            found[wanted.pop(0)] = size
    return found


def _named(subject: Subject, clock: Clock) -> Iterator[_Menu]:
    """Responses of the sizes that are granted at some time: levels may change with the round or with an answer."""
    response = next((one for one in (*subject.lines, *subject.closed) if one.line.family == "rr"), None)
    if response is None:
        return
    sizes: dict[float, None] = {}
    longest = 1
    for tail in (0.1, 0.9) if subject.looks else (None,):
        player = Player(subject.filter, clock, checked_start(subject.filter, 1), tail, pure=False)
        for rounds in range(60):
            # the largest of its own numbers, or of the grid, that is granted now
            own = [
                t
                for t in sorted(response.line.extra, reverse=True)
                if response.line.least <= t <= response.line.most
            ]
            for t in (*own, *response.line.sizes[::-4]):
                if not clock.left:
                    return
                if player.ask(response.line.pair(t)):
                    sizes[t] = None
                    longest = max(longest, rounds + 1)
                    break
            else:
                break
    largest = sorted(sizes, reverse=True)[:4]
    own = [t for t in response.line.extra[:12] if any(abs(t - s) > 0 for s in largest)]
    for more in ((), own[:2], own[:4]):
        levels = sorted({*largest, *more})
        if levels and clock.left:
            for rounds in (6, 14, 40):
                if rounds <= 2 * longest + 6:
                    pairs = tuple(map(response.line.pair, levels))
                    yield _Menu(f"responses of {len(levels)} levels granted at some time", pairs, rounds)


def _ladder(line: Admission, paces: dict[int, float], pace: int, width: int) -> Iterator[_Menu]:
    least = paces.get(pace)
    if least is None:
        return
    sizes = sorted(
        {least * k for k in ((1, 2, 4) if width == 3 and line.line.family != "rr" else range(1, width + 1))}
    )
    pairs = tuple(line.line.pair(size) for size in sizes if size <= line.sizes[-1] * 1.0001)
    if len(pairs) > 1 or width == 1:
        yield _Menu(f"{line.line.name}, {len(pairs)} multiples of {least:.4g}", pairs, 4 * pace)


def _mixed(lattice: list[Admission], paces: dict[str, dict[int, float]], pace: int) -> Iterator[_Menu]:
    """Randomised response beside pairs that may reveal all, on one lattice."""
    response = next((line for line in lattice if line.line.family == "rr"), None)
    step = paces[response.line.name].get(pace) if response is not None else None
    for line in lattice:
        least = paces[line.line.name].get(pace)
        if line is response or least is None:
            continue
        if line.line.family == "erasure":
            ladder = tuple(line.line.pair(size) for size in (least, least / 4))
        else:
            size = step if step is not None and step <= line.sizes[-1] else least
            ladder = tuple(line.line.pair(k * size) for k in (1, 2) if k * size <= line.sizes[-1])
        if response is not None and step is not None:
            ladder += tuple(response.line.pair(k * step) for k in (1, 2) if k * step <= response.sizes[-1])
        yield _Menu(f"{line.line.name} with randomised response", ladder, 3 * pace)


def _across(
    by_name: dict[str, list[Admission]], paces: dict[str, dict[int, float]], pace: int
) -> Iterator[_Menu]:
    """One pair of each continuous family, and a smaller Gaussian."""
    pairs: list[DominatingPair] = []
    for name in ("gaussian", "laplace", "subsampled"):
        for line in by_name.get(name, ())[:2]:
            size = paces[line.line.name].get(pace)
            if size is not None:
                pairs.append(line.line.pair(size))
                if name == "gaussian":
                    pairs.append(Gaussian(size / 2))
    if len({type(pair) for pair in pairs}) > 1 and pace <= 9:
        yield _Menu("one of each continuous family", tuple(pairs), 2 * pace)


def _replies(subject: Subject, clock: Clock) -> Iterator[_Menu]:
    """A first request, then as much as is left of its own family or of another: each branch spends another way."""
    openings = [one for one in subject.lines if one.line.family in _OPENINGS]
    for share in (0.6, 0.3, 0.85):
        for opening in openings:
            first = opening.line.pair(_near(opening, share * opening.sizes[-1]))
            replies = {}
            for line in (*subject.lines, *subject.closed):
                if not clock.over:
                    player = Player(subject.filter, clock, checked_start(subject.filter, 1))
                    if player.ask(first) and greedily(player, line, 1):
                        replies[line.line.name] = player.steps[-1][0]
            if clock.over:
                return
            own = replies.pop(opening.line.name, None)
            for name, reply in replies.items():
                if not clock.left:
                    return
                pairs = tuple(dict.fromkeys(pair for pair in (first, own, reply) if pair is not None))
                yield _Menu(f"{opening.line.name}, then the rest of it or as {name}", pairs, 2)


def _later(subject: Subject, paces: dict[str, dict[int, float]], clock: Clock) -> Iterator[_Menu]:
    """Responses, and pairs that may reveal all where a filter that looks at losses grants them after some of these."""
    lines = (*subject.lines, *subject.closed)
    response = next((one for one in lines if one.line.family == "rr"), None)
    if response is None or not subject.looks:
        return
    for pace in (3, 6, 9, 14):
        step = paces.get(response.line.name, {}).get(pace)
        if step is None:
            continue
        answer = response.line.pair(step)
        found: dict[DominatingPair, None] = {}
        for signs in ((0.1,), (0.9,), (0.1, 0.9), (0.9, 0.9), (0.1, 0.1)):
            for line in lines:
                if line.line.family not in ("kov", "erasure") or not clock.left:
                    continue
                player = Player(subject.filter, clock, checked_start(subject.filter, 1))
                for tail in signs:
                    player.tail = tail
                    player.ask(answer)
                sizes = (2 * step, step, step / 2) if line.line.family == "kov" else line.line.sizes[::-1]
                found.update(dict.fromkeys([p for p in map(line.line.pair, sizes) if player.grants(p)][:1]))
        for pair in found:
            yield _Menu(f"rr of {step:.4g} and {pair!r}", (answer, pair), min(pace + 2, 14))


def _near(line: Admission, size: float) -> float:
    return min(line.line.sizes, key=lambda one: abs(one - size))


def _both_ways(line: Admission, paces: dict[int, float], pace: int) -> Iterator[_Menu]:
    size = paces.get(pace)
    if size is not None:
        pair, small = line.line.pair(size), line.line.pair(max(size / 4, line.line.least))
        yield _Menu(
            f"{line.line.name}, {size:.4g} and a quarter, both ways round",
            (pair, pair.swapped, small),
            pace + 1,
        )

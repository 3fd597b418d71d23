"""The stage of telling: the refutation found is made one that a person understands, and its play is told.

Nothing is believed that was not certified again: a sequence by its own admission and a certified lower bound, a menu by
its solved game, a plan in rational numbers. All is tried in a fixed order; the work decides only where it ends.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import combinations, groupby, permutations, product, takewhile
from operator import itemgetter
from typing import TypeVar

from filters.contract.state import keys
from filters.contract.work import OutOfWork, WorkLimit, stopping_at
from filters.privacy_filter import PrivacyFilter
from mc.engine.encoding import decode, decode_fraction, nameable
from mc.examine.examination import USED_UP, StageFinding
from mc.examine.filter_fault import FilterFault, examining
from mc.examine.measure import Measure, exceeds
from mc.examine.minimise import minimise
from mc.examine.sequence import Sequence
from mc.examine.stages.game_menus import Menu
from mc.examine.stages.games import chosen_goals, solved
from mc.examine.stages.plays import ROUND, Player, plain
from mc.examine.stages.rational_plans import admits, ratio_at, ratios_of, solved_plan
from mc.examine.stages.sequences import most
from mc.examine.story import Story, curve_of, prefix, story_of_plan, story_of_sequence
from mc.examine.subject import Subject
from mc.examine.witness import TELLING, Witness, sequence_witness
from mc.examine.words import count_words, pair_words, times_words
from mc.examine.worker import limited
from mc.worst_case.plan import Plan
from theory.numerics.decimals import below
from theory.pairs import DominatingPair, Erasure, Gaussian, RandomizedResponse
from theory.rounding import away_from_zero

T = TypeVar("T")

_ASKED = "What is the plainest play that breaks the promise, and how far does it go?"
#: The rounds of a play that is pushed.
_PUSHED = 400
#: Measures at which a play is looked at exactly, and the least delta of a promised curve that is looked at.
_GOALS, _SEEN = 4, 1e-3
#: e^epsilon of plain responses, and shares of erasures; the rounds of a menu's game that is written out.
_RATIOS = ((3, 1), (2, 1), (3, 2), (5, 4), (11, 10), (21, 20), (101, 100), (1001, 1000))
_PARTS, _WRITTEN = tuple(Fraction(d, 10**k) for k in range(1, 8) for d in (5, 1)), 6


def telling(subject: Subject, witnesses: tuple[Witness, ...], limit: WorkLimit) -> Iterator[StageFinding]:
    """One finding: the most telling witness, with its story; what was found before, where nothing is plainer."""
    search = _Telling(subject, limit.fraction(0.35), witnesses)
    if subject.looks:
        search.plans()
    else:
        search.plays()
        search.limit = limit.fraction(0.5)
        search.shrink()
        if search.best.adaptive and subject.pure:
            search.menu()
    if subject.pure:
        search.limit = limit.fraction(0.7)
        search.write_out()
    yield search.finding(limit)


@dataclass(slots=True)
class _Telling:
    """The most telling witness so far."""

    subject: Subject
    limit: WorkLimit
    witnesses: tuple[Witness, ...]
    best: Witness = field(init=False)
    tried: int = 0

    def __post_init__(self) -> None:
        self.best = self.witnesses[0]

    def keep(self, witness: Witness | None) -> bool:
        """Whether the witness is more telling than what was known."""
        before, self.best = self.best, min(self.best, witness or self.best, key=lambda one: one.order)
        return self.best is not before

    # -- sequences -----------------------------------------------------------------------------------

    def certified(self, played: Sequence, least: float) -> Witness | None:
        """The witness of a sequence at the first goal at which it is `least` times the promise, or else above it."""
        self.tried += 1
        plainer: Witness | None = None
        looked = 0
        for measure, bound in most(played, self.goals) if played.steps else ():
            promised = self.subject.promised(measure)
            if not exceeds(bound, promised) or looked >= _GOALS or (plainer and bound < least * promised):
                continue
            looked += 1
            low = played.low(measure, promised)
            if not exceeds(low, promised) or not played.admitted(self.subject.filter):
                continue
            if plainer is None or low >= least * promised:
                plainer = sequence_witness(self.subject.filter, played, measure, low)
            if low >= least * promised:
                return plainer
        return plainer

    @property
    def goals(self) -> tuple[Measure, ...]:
        """What the promise is measured by; of a curve not its far end."""
        subject = self.subject

        def promised_from(least: float) -> tuple[Measure, ...]:
            return tuple(g for g in subject.goals if g.kind == "renyi" or least <= subject.promised(g) < 1)

        return promised_from(_SEEN) or promised_from(-math.inf)

    def plays(self) -> None:
        """Plain plays, until one is short, fixed, of known kinds, and far above the promise."""
        for played in plain(self.subject, self.limit):
            if not any(self.best.order[:4]) or self.limit.exhausted:
                return
            best = self.best
            if not best.adaptive and best.factor >= TELLING and best.order[3] == 0:
                played = prefix(played, best.rounds)  # only a shorter one can be plainer
            self.keep(self.certified(played, TELLING))

    def shrink(self) -> None:
        """Leave out what the best sequence does not need, and ask for plainer pairs, while that changes anything."""
        fixed = [one for one in (self.best, *self.witnesses) if one.kind == "sequence"]
        if not fixed:
            return
        start = min(fixed, key=lambda one: one.order)
        # what exceeds the promise by a hair convinces nobody: half of the excess, or a hundredth of the promise, stays
        least = min(1 + (start.factor - 1) / 2, 1.01 if start.factor < TELLING else TELLING)

        def refuting(played: Sequence) -> Witness | None:
            found = None if self.limit.exhausted else self.certified(played, max(least, TELLING))
            return found if found is not None and found.factor >= least else None

        plainer: Witness | None = start
        while plainer is not None:
            self.keep(plainer)
            kept = minimise(
                _pieces(plainer.played),
                lambda pieces: refuting(_joined(pieces)) is not None,
                limit=self.limit,
            )
            shortest = refuting(_joined(kept)) or plainer
            self.keep(shortest)
            tried = filter(None, map(refuting, self._renamed(shortest.played)))
            plainer = next((one for one in tried if one.order < shortest.order), None)

    def _renamed(self, played: Sequence) -> Iterator[Sequence]:
        """Plays of as many requests and of plainer kinds: one for all, or one in the place of another."""
        steps, kinds = played.steps, list(played.counts)
        if len(kinds) > 1 and played.rounds <= 30:
            yield from (Sequence(((pair, played.rounds),)) for pair in self._named(kinds))
        for kind in kinds[:12]:
            for other in dict.fromkeys((*kinds[:3], *self._named([kind]))):
                if other != kind:
                    yield _joined((other if pair == kind else pair, times) for pair, times in steps)

    def _named(self, kinds: list[DominatingPair]) -> Iterator[DominatingPair]:
        """Gaussians and responses of about the size of these, of few digits, where such are asked for at all."""
        asked = {one.line.kind for one in self.subject.lines}
        for kind in kinds[:6]:
            mu, epsilon = math.sqrt(2 * float(kind.asked.zcdp_rho)), float(kind.asked.pure_epsilon)
            for family, make, size in (("gaussian", Gaussian, mu), ("rr", RandomizedResponse, epsilon)):
                if family in asked and size < 30:
                    for plain_one in map(make, (0.01, 0.001) if size < 1e-3 else _near(size)):
                        yield kind.with_parameters({"mechanism": plain_one}) if kind.labels else plain_one

    def again(self, played: Sequence) -> tuple[Sequence, str]:
        """The play over and over, as far as it is granted, and how it ends."""
        player, tells = Player.fresh(self.subject, self.limit), any(p.pure_epsilon > 0 for p in played.counts)
        rounds_at: dict[object, int] = {}
        rounds = 0
        while rounds < _PUSHED and not self.limit.exhausted:
            before = rounds
            for pair, times in played.steps:
                rounds += player.ask(pair, min(times, _PUSHED))
            key = keys(player.state)[0]
            if rounds == before:
                break
            if key in rounds_at and self.subject.pure and tells:
                came = f"after {rounds:,} rounds the state is what it was after {rounds_at[key]:,}"
                return player.played, f"without limit as rounds grow: {came}"
            rounds_at[key] = rounds
        return player.played, ""

    # -- adaptive ones -------------------------------------------------------------------------------

    def menu(self) -> None:
        """A fixed order over the best menu's pairs, if one will do; else fewer rounds, and fewer pairs."""
        names = nameable()
        menus = [one for one in self.witnesses if one.kind == "menu" and one.measure.kind == "hockey-stick"]
        for witness in menus[:1]:
            pairs: tuple[DominatingPair, ...] = decode(witness.data["menu"], names)
            for order in permutations(pairs[:3]):
                for counts in product(range(5), repeat=len(order)):
                    if self.limit.exhausted:
                        return
                    played = _joined((pair, n) for pair, n in zip(order, counts, strict=True) if n)
                    if played.rounds > 1 and self.keep(self.certified(played, TELLING)):
                        self.shrink()
                        return
            for rounds in (2, 3, 4, 5, 6, 8, 10):
                if rounds < witness.rounds and self._solve(pairs, rounds, witness.measure):
                    break
            for pair in pairs if len(pairs) > 1 else ():
                self._solve(tuple(other for other in pairs if other != pair), witness.rounds, witness.measure)

    def _solve(self, pairs: tuple[DominatingPair, ...], rounds: int, measure: Measure) -> bool:
        menu = Menu(" or ".join(map(pair_words, pairs)), pairs, rounds)
        games = self._within(0.2, lambda: list(solved(self.subject, menu, replace(measure, direction="PQ"))))
        return any(self.keep(game.witness) for game in games or () if game is not None)

    def _within(self, share: float, work: Callable[[], T]) -> T | None:
        """What the work gives, None where the work is used up or it asks for what is outside the filter's scope."""
        try:
            with examining(self.subject.filter), stopping_at(self.limit.fraction(share)):
                return work()
        except (OutOfWork, FilterFault):
            return None

    def write_out(self) -> None:
        """The best menu's game as a plan, which can be told."""
        if self.best.kind == "menu":
            told = self._within(0.5, partial(written, self.subject.filter, self.best))
            self.best = told or self.best

    def plans(self) -> None:
        """Plans over a few plain requests with rational masses, solved exactly: for a filter that looks at losses."""
        certain, factor, _, kinds = self.best.order[:4]
        short = self.best.kind == "plan" and self.best.rounds <= 2
        if not self.subject.families >= {"rr"} or (short and not (certain or factor or kinds)):
            return
        filt = self.subject.filter
        with suppress(OutOfWork, FilterFault):  # responses and erasures may be outside the filter's scope
            for found in limited(plain_plans(self.subject), filt, self.limit):
                self.keep(found)

    # -- what is told --------------------------------------------------------------------------------

    def finding(self, limit: WorkLimit) -> StageFinding:
        """The best witness and its story."""
        best, self.limit = self.best, limit
        story = None
        with suppress(FilterFault, ValueError):
            story = None if limit.exhausted else self._story(best)
        asked = scope = best.asked
        if best.kind == "sequence":
            scope = f"the fixed sequence of {count_words(best.rounds, 'request')}, all granted"
        looked_at = count_words(self.tried, "play was", "plays were")
        unseen = f"{looked_at} looked at{f'; {USED_UP}' if limit.exhausted else ''}"
        return StageFinding.refuted("telling", _ASKED, asked, scope, best, unseen=unseen, story=story)

    def _story(self, best: Witness) -> Story | None:
        """The play, how far it can be pushed, and its curve, as far as the work allows."""
        filt = self.subject.filter
        match best.kind:
            case "sequence":
                story = story_of_sequence(filt, best.played, best.measure)
                # whoever asks again one that looks at losses is shown them, and then no order is fixed
                pushed = "" if self.subject.looks else self._pushed(best.played, best)
                reached = best.played.low
            case "plan":
                story = story_of_plan(filt, best.plan, best.measure, decode_fraction(best.data["ratio"]))
                pushed, reached = "", partial(_worth, best.plan, self.subject)
            case _:
                return None
        points = takewhile(lambda _: not self.limit.exhausted, curve_of(story, filt.promise, reached))
        return replace(story, pushed=pushed, curve=tuple(points))

    def _pushed(self, played: Sequence, best: Witness) -> str:
        """How far the play goes when it is played again and again."""
        longer, limitless = self.again(played)
        if limitless or longer.rounds <= played.rounds or self.limit.exhausted:
            return limitless
        low = longer.low(best.measure)
        if low <= best.value:
            return ""
        told = times_words(low, self.subject.promised(best.measure))
        return f"{below(low)} after {longer.rounds:,} rounds{', ' if told else ''}{told}"


# -- plans ---------------------------------------------------------------------------------------------


def plain_plans(subject: Subject) -> Iterator[Witness]:
    """The refutations by games over one or two plain requests that a fresh run grants, few rounds first."""
    filt, goals = subject.filter, tuple(ratios_of(subject.filter, chosen_goals(subject)))
    start = filt.start(1)
    responses: list[DominatingPair] = [RandomizedResponse.from_ratio(Fraction(*of)) for of in _RATIOS]
    erasures: list[DominatingPair] = [Erasure(away_from_zero(p), exact=p) for p in _PARTS]
    asked = [
        pair
        for few, pairs in ((4, responses), (1, erasures))
        for pair in [pair for pair in pairs if admits(filt, start, pair)][:few]
    ]
    menus = [[pair] for pair in asked] + [list(two) for two in combinations(asked, 2)]
    for rounds, menu, (epsilon, ratio) in product((2, 3, 4, 5, 7, 10), menus, goals):
        if (found := solved_plan(filt, menu, rounds, epsilon, ratio)) is not None:
            yield found


def written(filt: PrivacyFilter, best: Witness) -> Witness | None:
    """The plan that is best over a menu's pairs that have rational masses; None where much is lost by the others."""
    if best.measure.kind != "hockey-stick" or best.rounds > _WRITTEN:
        return None
    pairs = [exact for pair in decode(best.data["menu"], nameable()) if (exact := pair.rational) is not None]
    if not pairs:
        return None
    epsilon = best.measure.at
    found = solved_plan(filt, pairs, best.rounds, epsilon, ratio_at(filt, epsilon))
    return None if found is None or found.factor < min(TELLING, 0.9 * best.factor) else found


def _worth(plan: Plan, subject: Subject, at: Measure) -> float:
    return float(plan.worth(subject.filter, Fraction(math.exp(at.at)), at.direction))


def _pieces(played: Sequence) -> list[tuple[DominatingPair, int]]:
    """The requests in pieces of which any number of them can be left out: of each row half, a quarter, and so on."""
    pieces = []
    for pair, left in played.steps:
        while left:
            pieces.append((pair, (left + 1) // 2))
            left //= 2
    return pieces


def _joined(steps: Iterable[tuple[DominatingPair, int]]) -> Sequence:
    """The sequence with the same requests in a row counted together."""
    rows = groupby(steps, key=itemgetter(0))
    return Sequence(tuple((pair, sum(times for _, times in row)) for pair, row in rows))


def _near(size: float) -> dict[float, None]:
    """One digit, then two, at or below a size and then above."""
    at = bisect_right(ROUND, size)
    below = ROUND[max(at - 2, 0) : at][::-1]
    return dict.fromkeys((*below, *ROUND[at : at + 1], float(f"{size:.2g}"), float(f"{size:.3g}")))

"""The examination of a holder: what it lets through, the theorem and the numbers that cover it, and its games.

>>> import filterproof as fp
>>> found = theorem_of(fp.IndividualFilter(fp.ZCDPFilter(0.5), people=2))
>>> found.verdict.outcome.name, found.whole
('HOLDS', True)
>>> class Mine(fp.IndividualFilter):
...     pass
>>> print(theorem_of(Mine(fp.ZCDPFilter(0.5), people=2)).found)
no theorem covers Mine: it is not a class of the library, and its code may be its own
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Lock, RLock
from typing import Any

from filters.certified.certify import certify
from filters.contract.checks import checked_reaches
from filters.contract.library import attributes, of_the_library, settled, told_apart
from filters.holders.held_to import HeldTo
from filters.holders.individual import IndividualFilter
from filters.holders.journal import Journal
from filters.holders.linear_queries import LinearQueries
from filters.privacy_filter import PrivacyFilter
from mc.examine.clock import Clock, OutOfTime
from mc.examine.examination import StageFinding, Tightness, closest
from mc.examine.filter_fault import examining
from mc.examine.holders import GAMES
from mc.examine.holders.holder_game import HolderGame
from mc.examine.measure import Measure, exceeds
from mc.examine.stages.made_of import Unknown, fields_as_made
from mc.examine.stages.parts import parts, proved
from mc.examine.stages.unpatched import patched
from mc.examine.witness import measured_witness
from mc.examine.words import count_words
from theory.claims.theorem import RefusedError
from theory.evidence import Evidence, Outcome, Verdict
from theory.kernel.claimed import KERNEL
from theory.proofs import THEOREMS
from theory.proofs.proof import Proof

__all__ = ["games_of", "lets_through", "theorem_of"]

#: What differs from one who was just made for one person; and what is of a class of its own, if it is there.
_RUNNING = {"_process", "_people", "_state", "_sums", "_some_left", "_shape", "_factors"}
_LENT: dict[str, type] = {"_lock": type(RLock()), "_changing": type(Lock()), "_changed": set}
_LENT |= {"_key": bytes, "_journal": Journal}
_ASKED = "What is the most that it lets anyone tell, played by its own code?"
_UNSEEN = "other questions, longer plays, and the last bits of noise that is drawn in doubles"


def lets_through(holder: Any, clock: Clock) -> Iterator[StageFinding]:
    """What a fresh one lets through of what was first asked."""
    with examining(holder):
        game = next(iter(_proposed(holder, clock)), None)
    told = "nothing" if game is None else f"{game.menu}: {game.asked}"
    yield StageFinding(
        "admission", "What does a fresh one let through?", told, told, "" if game else "everything else"
    )


def _proposed(holder: HeldTo, clock: Clock) -> Iterator[HolderGame]:
    return (game for game in GAMES[holder.played].proposed(holder, clock) if game.released)


def theorem_of(holder: HeldTo, *, done: dict[str, Proof] | None = None) -> StageFinding:
    """The theorem on the rule, the kernel's on it, and the certificate of the numbers that run.

    It is about what is released from a fresh one of these parameters on; what this one has charged is not looked at,
    but that it is a sum of charges. HOLDS where the class is the library's own, made by its constructor, where the
    filter or the holder that it rests on holds by its parts, no number is refused, and every step of the theorem runs.
    No code but the library's is run. `done` keeps proofs from call to call.
    """
    try:
        if changed := patched():
            raise Unknown(f"{changed} is not the function that was imported")
        verdict = _covered(holder, done)
        told = verdict.detail
    except (Unknown, RefusedError) as reason:
        verdict, told = None, f"no theorem covers {type(holder).__name__}: {reason}"
    return StageFinding(
        "parts",
        "Do the theorem on its rule and the numbers that run cover it?",
        told,
        "all that its theorem covers",
        "pairs that a caller declares wrongly, noise that is drawn in doubles, and the interpreter below",
        verdict,
        whole=verdict is not None,
        notes=() if verdict is not None else (told,),
    )


def _covered(holder: HeldTo, done: dict[str, Proof] | None) -> Verdict:
    """The HOLDS of a holder of the library as in its files; Unknown or RefusedError with what stands in the way."""
    kind = type(holder)
    if not of_the_library(kind) or not kind.__module__.startswith("filters.holders."):
        raise Unknown("it is not a class of the library, and its code may be its own")
    cited: list[str] = []
    evidence: list[Evidence] = []
    scopes = [f"what is released from a fresh one of these parameters on, for {holder.scope}"]
    for inner in holder.rests_on:
        of_a_filter = isinstance(inner, PrivacyFilter)
        known = parts(inner, done=done) if of_a_filter else _covered(inner, done)
        if known is None or known.outcome is not Outcome.HOLDS:
            why = f"no theorem covers {inner!r}" if known is None else known.detail
            raise Unknown(f"it keeps what its filter keeps, and {why}")
        cited += known.citations
        evidence += [] if known.citations else [known.evidence]
        if of_a_filter:
            scopes.append(known.scope)
    _check_made(holder)
    numbers = certify(holder)  # type: ignore[arg-type]
    if numbers.refused or not numbers.numbers:
        raise Unknown(f"its numbers are not certified: {numbers}")
    theorem = THEOREMS[holder.theorem]
    if len(scopes) == 1:
        scopes.append(theorem.hypotheses)
    kernel = (f"theorem {name!r} of the kernel: {KERNEL[name].says.rstrip('.')}" for name in holder.kernel)
    points = (
        f"{len(numbers.numbers)} numbers that it runs with are certified, at the points that fp.certify names"
    )
    said = "; ".join((f"theorem {theorem.name!r}, {theorem.source}", *kernel, points))
    return proved((theorem.name,), tuple(cited), (numbers.evidence, *evidence), "; ".join(scopes), said, done)


def _check_made(holder: HeldTo) -> None:
    """Unknown unless a holder of the library holds what its constructor makes, and sums that charges can come to."""
    kind: Any = type(holder)
    if not hasattr(kind, "anew"):
        fields_as_made(holder)  # type: ignore[arg-type]
        return
    made = attributes(kind.anew(holder, 1))
    for name, value in attributes(holder).items():
        if name not in made:
            raise Unknown(f"this instance has a {name} of its own")
        if any(value is inner for inner in holder.rests_on):
            continue
        runs = name in _RUNNING and type(value) is type(made[name]) and settled(value)
        as_made = told_apart(value) == told_apart(made[name])
        if not (runs or as_made or type(value) is _LENT.get(name)):
            raise Unknown(f"its {name} is not what its constructor made")
    if not _reached(holder):
        raise Unknown("what its people were charged is no sum of charges")


def _reached(holder: HeldTo) -> bool:
    """Whether everybody's state is one that granted requests may have led to."""
    if isinstance(holder, IndividualFilter):
        return bool(checked_reaches(holder.filter, holder._state, holder.people).all())
    if isinstance(holder, LinearQueries):
        return bool(holder._budget.reaches((holder._sums.high, holder._sums.low)).all())
    return True


def games_of(holder: Any, clock: Clock) -> Iterator[StageFinding]:
    """A finding for each refutation, the smallest game that shows it, and one on all games that were solved."""
    tried = _Tried(holder)
    try:
        with examining(holder):
            for game in tried.largest(clock):
                for measure in game.measures():
                    if clock.over:
                        raise OutOfTime
                    if (found := tried.solve(game, measure, clock)) is not None:
                        yield found
                        return
    except OutOfTime:
        tried.cut = True
    yield tried.summary()


@dataclass(slots=True)
class _Tried:
    """The games played and solved so far; of each kind of play and measure the row nearest to the promise."""

    holder: HeldTo
    played: int = 0
    rows: dict[tuple[str, Measure], Tightness] = field(default_factory=dict)
    cut: bool = False

    def largest(self, clock: Clock) -> list[HolderGame]:
        """The games that no other contains; half of the time goes into playing."""
        part, best = clock.part(0.5), dict[tuple[str, Any], HolderGame]()
        for game in _proposed(self.holder, part):
            self.played += 1
            key = game.menu, frozenset(game.released.items())
            if key not in best or game.rounds < best[key].rounds:
                best[key] = game
            if part.over:
                break
        self.cut = part.over  # proposals end with the time, too
        games = list(best.values())
        return [one for one in games if not any(_inside(one, other) for other in games)]

    def solve(self, game: HolderGame, measure: Measure, clock: Clock) -> StageFinding | None:
        """Solve a game for a measure; the finding if it is above the promise."""
        solved, promised = game.solved(measure), game.promised(measure)
        row = Tightness(measure, game.menu, solved.low, solved.high, promised, Evidence.CERTIFIED)
        key = game.menu, measure
        self.rows[key] = max(self.rows.get(key, row), row, key=lambda row: row.attack)
        if not exceeds(solved.low, promised):
            return None
        game = _shrunk(game, measure)
        solved, promised = game.solved(measure), game.promised(measure)
        witness = measured_witness(self.holder, measure, solved.low, promised, game=game.to_data())
        scope = f"an analyst who asks: {game.asked}"
        return StageFinding.refuted("games", _ASKED, game.asked, scope, witness, worst=solved.high)

    def summary(self) -> StageFinding:
        """What was solved; a game is no proof, so nothing is said of the promise itself."""
        rows = self.rows.values()
        worth = (
            f"none worth more than the promise{closest(rows)}" if rows else "and none was measured in time"
        )
        told = f"{count_words(self.played, 'play')} by its own code, {worth}"
        unseen = f"{_UNSEEN}{'; the time was up' if self.cut else ''}"
        menus = "; ".join(dict.fromkeys(menu for menu, _ in self.rows))
        return StageFinding("games", _ASKED, told, menus, unseen, tightness=tuple(rows))


def _inside(one: HolderGame, other: HolderGame) -> bool:
    return one is not other and one.menu == other.menu and one.released < other.released


def _shrunk(game: HolderGame, measure: Measure) -> HolderGame:
    """The smallest game inside this one that is above the promise, as far as leaving out one thing at a time leads."""

    def above(less: HolderGame) -> bool:
        return exceeds(less.solved(measure).low, less.promised(measure))

    while (less := next(filter(above, game.smaller()), None)) is not None:
        game = less
    return game

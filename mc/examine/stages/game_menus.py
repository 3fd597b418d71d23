"""The menus of games: multiples of requests that last, pairs of families, and levels that are granted at some time.

A filter that looks at losses may credit null outcomes: each costs next to nothing, and many of them distinguish the
two worlds. So one menu is a rare-event request, repeated many times.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from filterproof.filters.contract.work import WorkLimit
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.examination_context import ExaminationContext, GrantedSizes
from filterproof.mc.examine.formatting import pair_words
from filterproof.mc.examine.pairs_in_attributes import pairs_of_attribute
from filterproof.mc.examine.stages.plays import PlayInProgress
from filterproof.theory.pairs import DominatingPair, FinitePair

#: The numbers of rounds that the smallest pair of a menu lasts, and the families whose losses add up on a lattice.
_PACES, _ON_A_LATTICE = (1, 2, 3, 4, 6, 9, 14, 20, 32, 48), ("rr", "kov", "erasure", "twopoint")
#: The event probabilities of rare-event pairs, and their losses relative to the largest first randomised response.
_RATES, _SHARES = (Fraction(1, 16), Fraction(1, 10), Fraction(1, 6), Fraction(1, 4)), (0.7, 0.5, 0.35, 1.0)
#: The most null outcomes, the guessed share of the guarantee from which a game is solved, and a sufficient share.
_NULL_OUTCOMES, _MIN_GUESSED_SHARE, _ENOUGH = 200, 0.9, 1.25
#: The number of games that are solved: first the shortest sufficient ones, then the most valuable.
_MAX_GAMES = 4


@dataclass(frozen=True, slots=True)
class GameMenu:
    """Pairs for a number of rounds, None for as many as are granted, and their name.

    The same process then plays the game for each number of rounds in `longer_counts` and keeps the distributions of the
    pairs.
    """

    name: str
    pairs: tuple[DominatingPair, ...]
    rounds: int | None
    longer_counts: tuple[int | None, ...] = ()


def candidate_menus(subject: ExaminationContext, limit: WorkLimit) -> Iterator[GameMenu]:
    """Yield menus from small to large: multiples of sizes that last a number of rounds, alone and with responses."""
    if own := pairs_of_attribute(subject.filter, "menu"):
        yield GameMenu("its own menu", own, 1, (3, 5, 8, 30, 100, None))
    families = [family for family in subject.families if family.definition.mechanism in _ON_A_LATTICE]
    half = limit.fraction(0.5)
    paces = [
        (family, _lasting_sizes(subject, family, half.fraction(1 / (len(families) - place))))
        for place, family in enumerate(families)
    ]
    responses = next((each for each in paces if each[0].definition.mechanism == "rr"), None)
    for pace in _PACES:
        if pace == 3:
            yield from _menus_granted_at_some_time(subject, limit.fraction(0.3))
        response = None if responses is None else responses[1].get(pace)
        extra: tuple[DominatingPair, ...] = ()
        if responses is not None and response is not None:
            extra = _multiples_of_size(responses[0], response, (1, 2))
        for family, sizes in paces:
            if (size := sizes.get(pace)) is None:
                continue
            definition, pair = family.definition, family.definition.pair(size)
            name = f"{definition.name} with randomised response"
            match definition.mechanism:
                case "rr":
                    yield GameMenu(f"{pair_words(pair)} again and again", (pair,), 4 * pace)
                    if len(ladder := _multiples_of_size(family, size, (1, 2, 4))) > 1:
                        several = f"{definition.name}, {len(ladder)} multiples of {size:.4g}"
                        yield GameMenu(several, ladder, 4 * pace)
                case "erasure":
                    yield GameMenu(name, (pair, definition.pair(size / 4), *extra), 3 * pace)
                case "kov":  # on one lattice with the responses
                    step = response if response is not None and response <= family.sizes[-1] else size
                    yield GameMenu(name, _multiples_of_size(family, step, (1, 2)) + extra, 3 * pace)
                case _ if pace <= 4:
                    small = definition.pair(max(size / 4, definition.least))
                    several = f"{definition.name}, {size:.4g} and a quarter, both ways round"
                    yield GameMenu(several, (pair, pair.swapped, small), pace + 1)


def _multiples_of_size(family: GrantedSizes, size: float, of: tuple[int, ...]) -> tuple[DominatingPair, ...]:
    return tuple(family.definition.pair(k * size) for k in of if k * size <= family.sizes[-1] * 1.0001)


def _lasting_sizes(subject: ExaminationContext, family: GrantedSizes, limit: WorkLimit) -> dict[int, float]:
    """Return the largest size that is granted this often in a row, for each number of rounds, after any losses."""
    sizes: dict[int, float] = {}
    wanted = list(_PACES)
    for size, pair in zip(reversed(family.sizes), reversed(family.pairs), strict=True):
        if not wanted or limit.exhausted:
            break
        tails = (0.1, 0.5, 0.9) if subject.observes_losses else (None,)
        players = (PlayInProgress.fresh(subject, limit, tail) for tail in tails)
        times = max(player.request_and_count_grants(pair, wanted[-1]) for player in players)
        while wanted and times >= wanted[0]:
            sizes[wanted.pop(0)] = size
    return sizes


def _menus_granted_at_some_time(subject: ExaminationContext, limit: WorkLimit) -> Iterator[GameMenu]:
    """Yield menus of responses that are granted at some time: the levels may change with the round or the answer."""
    families = (each.definition for each in (*subject.families, *subject.denied_families))
    if (family := next((each for each in families if each.mechanism == "rr"), None)) is None:
        return
    # its own numbers first, then the grid
    own_sizes = [t for t in sorted(family.extra, reverse=True) if family.least <= t <= family.most]
    sizes, longest = set[float](), 1
    for tail in (0.1, 0.9) if subject.observes_losses else (None,):
        player = PlayInProgress.fresh(subject, limit, tail)
        for rounds in range(1, 61):
            requested = (*own_sizes, *family.sizes[::-4])
            granted = (t for t in requested if player.request_and_count_grants(family.pair(t)))
            if (size := next(granted, None)) is None:
                break
            sizes.add(size)
            longest = max(longest, rounds)
    largest = sorted(sizes, reverse=True)[:4]
    others = [t for t in family.extra[:12] if t not in largest]
    for more in ((), others[:2], others[:4]):
        pairs = tuple(map(family.pair, sorted({*largest, *more})))
        if pairs and limit.remaining:
            several = f"responses of {len(pairs)} levels" if len(pairs) > 1 else pair_words(pairs[0])
            lengths = (rounds for rounds in (6, 14, 40) if more or rounds <= 2 * longest + 6)
            yield from (GameMenu(f"{several} granted at some time", pairs, rounds) for rounds in lengths)


# -- rare events ---------------------------------------------------------------------------------------


def rare_event_menus(subject: ExaminationContext, limit: WorkLimit) -> list[tuple[GameMenu, Divergence]]:
    """Return the rare-event menus whose null outcomes exceed the guarantee soonest or come nearest to it."""
    targets = [target for target in subject.hockey_stick_targets if subject.promised(target) > 0]
    families = subject.first_families
    largest = [family.sizes[-1] for family in families if family.definition.mechanism in ("rr", "twopoint")]
    if not (subject.observes_losses and largest and "twopoint" in subject.mechanisms and targets):
        return []
    games: list[tuple[float, GameMenu, Divergence]] = []
    for pair in _rare_event_pairs(largest[0]):
        if limit.exhausted:
            break
        # how often a run with null outcomes is granted the request
        longest = PlayInProgress.fresh(subject, limit).request_and_count_grants(
            pair, _NULL_OUTCOMES, loss=math.log(pair.p[0] / pair.q[0])
        )
        for target in targets:
            share, rounds = _null_outcome_share_and_rounds(pair, longest, target.at, subject.promised(target))
            if share > _MIN_GUESSED_SHARE:
                games.append((share, GameMenu("a query with a rare event", (pair,), rounds), target))
    games.sort(key=lambda game: (-min(game[0], _ENOUGH), game[1].rounds or 0))
    return [(menu, target) for _, menu, target in games[:_MAX_GAMES]]


def _rare_event_pairs(level: float) -> Iterator[FinitePair]:
    """Yield pairs with an event of these probabilities under P, more often under Q, and the swapped pairs."""
    for share, rate in product(_SHARES, _RATES):
        ratio = Fraction(math.exp(min(share * level, 3.0))).limit_denominator(8)
        if ratio > 1 and rate * ratio < 1:
            pair = FinitePair((1 - rate, rate), (1 - rate * ratio, rate * ratio))
            yield from (pair, pair.swapped)


def _null_outcome_share_and_rounds(
    pair: FinitePair, longest: int, epsilon: float, promised: float
) -> tuple[float, int]:
    """Return the share of the guarantee that null outcomes alone reach, and the rounds for it."""
    rounds = np.arange(longest + 1)
    more, less = sorted((float(pair.p[0]), float(pair.q[0])), reverse=True)
    shares = np.maximum(more**rounds - math.exp(epsilon) * less**rounds, 0.0) / promised
    chosen = int(np.argmax(shares >= _ENOUGH) or np.argmax(shares))
    return float(shares[chosen]), chosen

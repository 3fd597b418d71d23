"""The plays and menus at the boundary of the requests that a filter grants in reachable states.

The work limit ends the search and influences nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, combinations, product

import numpy as np
from numpy.typing import NDArray
from scipy import special

from filterproof.filters.contract.largest_granted import largest_granted
from filterproof.filters.contract.state import run_keys
from filterproof.filters.contract.work import WorkLimit, count_work
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.examination_context import ExaminationContext, GrantedSizes
from filterproof.mc.examine.formatting import pair_words, sequence_words
from filterproof.mc.examine.sequence import RequestSequence
from filterproof.mc.examine.stages.game_menus import GameMenu
from filterproof.mc.examine.stages.plays import PlayInProgress
from filterproof.mc.examine.stages.rational_plans import simple_rational_exp_epsilon_below
from filterproof.theory.pairs import DominatingPair, Gaussian, RandomizedResponse
from filterproof.theory.pairs.base import Direction
from filterproof.theory.rounding import round_down_to_bits

#: Lengths of rows, beyond counters of one byte and a year of days. The largest size that lasts so long is searched.
_LASTING_COUNTS = (1000, 400)
#: The number of rounds of a tiny request that count how many requests are granted at all.
_MAX_TINY_ROUNDS = 2000
#: The relative precision of a size, and a lower one for rows and for losses.
_COARSE, _ROUGH = 2.0**-9, 2.0**-5
#: Bits of a coarse size: few, so that states coincide.
_SIZE_BITS = 10
#: The most alternations of two families.
_MAX_ALTERNATIONS = 40
#: Shares of the largest first request, how often it is repeated, and the lengths of the rows that may follow.
_OPENINGS, _FIRST, _AFTER, _AFTER_OTHERS = (0.5, 1.0, 0.25), (1, 3), (1, 2, 4, 16, 64), (1, 4)
#: The tails at which a loss is tried if there are too many losses, and shown to a filter that looks at losses.
_UPPER_TAILS = np.array([*np.geomspace(1e-9, 0.05, 24), *np.linspace(0.1, 0.9, 17), 0.95, 0.99, 1 - 1e-4])
_FEW_TAILS = np.array([1e-4, 0.05, 0.5, 0.95, 1 - 1e-4])
#: Units of work of the value of a reply after every loss.
_REPLY_UNITS = 4
#: The families whose requests in a row have a known distribution.
_REPEATABLE = ("rr", "gaussian")
#: The share of a guarantee from which a guessed menu is worth a game, and the most pairs of a menu.
_MIN_GUESSED_SHARE, _PAIRS = 0.85, 4


@dataclass(slots=True)
class LargestGranted:
    """The largest granted size for each state, family and number of requests in a row."""

    subject: ExaminationContext
    limit: WorkLimit
    solved_cache: dict[tuple[Hashable, str, int], float | None] = field(default_factory=dict)

    def fresh(self) -> PlayInProgress:
        """Return a run without requests. A filter that looks at losses observes the median of each."""
        return PlayInProgress.fresh(self.subject, self.limit, 0.5 if self.subject.observes_losses else None)

    def largest_size_granted_in_a_row(
        self, player: PlayInProgress, family: GrantedSizes, times: int = 1
    ) -> float | None:
        """Return about the largest size that the state grants `times` in a row, or None."""
        key = run_keys(player.state)[0], family.definition.name, times
        if key not in self.solved_cache:
            self.solved_cache[key] = self._search_size_granted_in_a_row(player, family, times)
        return self.solved_cache[key]

    def _search_size_granted_in_a_row(
        self, player: PlayInProgress, family: GrantedSizes, times: int
    ) -> float | None:
        """Search the largest size that is granted `times` in a row, cut to few bits; None if none is."""

        def is_granted_in_a_row(size: float) -> bool:
            return player.fork().request_and_count_grants(family.definition.pair(size), times) == times

        sizes = sorted({*family.sizes, *family.definition.sizes})
        octaves = [t for t in sizes if t <= family.definition.most][::-3][::-1]
        fewer = self.subject.observes_losses or times >= min(_LASTING_COUNTS)
        tolerance = math.inf if family.definition.mechanism == "own" else _ROUGH if fewer else _COARSE
        low = largest_granted(is_granted_in_a_row, octaves, tolerance)
        if low is None or self.limit.exhausted:
            return None
        coarse = round_down_to_bits(low, _SIZE_BITS)
        return coarse if is_granted_in_a_row(coarse) else low

    def pair(self, player: PlayInProgress, family: GrantedSizes, times: int = 1) -> DominatingPair | None:
        """Return the pair of that size."""
        size = self.largest_size_granted_in_a_row(player, family, times)
        return None if size is None else self.pair_of_size(family, size)

    def pair_of_size(self, family: GrantedSizes, size: float) -> DominatingPair:
        """Return the pair of a size. For a filter that looks at losses, a response has a ratio of small integers."""
        simple = self.subject.observes_losses and family.definition.mechanism == "rr"
        if simple and (ratio := simple_rational_exp_epsilon_below(size)) is not None:
            return RandomizedResponse.from_ratio(ratio)
        return family.definition.pair(size)


# -- fixed plays ---------------------------------------------------------------------------------------


def boundary_sequences(subject: ExaminationContext, limit: WorkLimit) -> Iterator[RequestSequence]:
    """Yield alternations of two families' largest granted requests, and long rows of one request."""
    granted_sizes = LargestGranted(subject, limit)
    families = subject.all_first_families
    yield from _alternating_plays(granted_sizes, families)
    yield from _long_rows_of_largest_request(granted_sizes, families)


def _long_rows_of_largest_request(
    granted_sizes: LargestGranted, families: tuple[GrantedSizes, ...]
) -> Iterator[RequestSequence]:
    """Yield long rows of each family's largest request that is granted so often."""
    # count the granted tiny requests: a filter that refills its budget is worst when all of them are used
    tiny = [family.definition.pair(family.definition.least) for family in families[:1]]
    most = [granted_sizes.fresh().request_and_count_grants(pair, _MAX_TINY_ROUNDS) for pair in tiny]
    capped = [times for times in most if 1 < times < _MAX_TINY_ROUNDS]
    for times, family in product((*capped, *_LASTING_COUNTS), families):
        if not granted_sizes.limit.exhausted:
            yield from row_of_largest_request(granted_sizes, family, times)


def row_of_largest_request(
    granted_sizes: LargestGranted, family: GrantedSizes, times: int
) -> Iterator[RequestSequence]:
    """Yield the row of the largest request granted `times` in a row, and the row with one more request."""
    player = granted_sizes.fresh()
    pair = granted_sizes.pair(player, family, times)
    if pair is not None and player.request_and_count_grants(pair, times):
        yield player.played
        again = granted_sizes.pair(player, family)
        if again is not None and player.request_and_count_grants(again):
            yield player.played


def _alternating_plays(
    granted_sizes: LargestGranted, families: tuple[GrantedSizes, ...]
) -> Iterator[RequestSequence]:
    """Yield plays of two families, or two sizes of one family, in alternation."""
    for (family, other), parts in product(combinations(families, 2), (2, 3)):
        player = granted_sizes.fresh()
        first, second = granted_sizes.pair(player, family, parts), granted_sizes.pair(player, other, parts)
        if granted_sizes.limit.exhausted:
            return
        if first is None or second is None:
            continue
        for _ in range(_MAX_ALTERNATIONS):
            if not (player.request_and_count_grants(first) and player.request_and_count_grants(second)):
                break
        if player.steps:
            yield player.played


# -- menus ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _RepeatedPair:
    """A pair that is requested several times in a row: a Gaussian or a response if more than once."""

    pair: DominatingPair
    times: int

    def equivalent_pair(self, way: Direction) -> DominatingPair | None:
        """Return one pair that is equivalent to the row in this direction, or None for a row of responses."""
        if self.times == 1:
            return self.pair if way == "PQ" else self.pair.swapped
        mu = self.pair.normal_mu
        return None if mu is None else Gaussian(float(mu) * math.sqrt(self.times))

    def divergence_estimate(self, epsilons: NDArray[np.float64], way: Direction) -> NDArray[np.float64]:
        """Return about H_{e^epsilon} of the row, in doubles."""
        if (equivalent := self.equivalent_pair(way)) is not None:
            return np.asarray(equivalent.hockey_stick(epsilons))
        losses, masses = _repeated_response_distribution(float(self.pair.pure_epsilon), self.times)
        return np.maximum(-np.expm1(epsilons[:, None] - losses), 0.0) @ masses

    def losses_and_masses(
        self, way: Direction, *, few: bool
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the finite losses of the row and their masses, all of them if there are few."""
        equivalent = self.equivalent_pair(way)
        if equivalent is None:
            return _repeated_response_distribution(float(self.pair.pure_epsilon), self.times)
        if equivalent.outputs is not None:
            finite = [(float(loss), float(mass)) for loss, mass in equivalent.outputs if math.isfinite(loss)]
            return np.array([loss for loss, _ in finite]), np.array([mass for _, mass in finite])
        return loss_isf_and_masses(equivalent, _FEW_TAILS if few else _UPPER_TAILS)

    def losses_that_sum_to(self, loss: float) -> list[float]:
        """Return the loss split over the requests: equal parts, or high responses first."""
        if self.equivalent_pair("PQ") is not None:
            return [loss / self.times] * self.times
        level = float(self.pair.pure_epsilon)
        ups = round((loss / level + self.times) / 2)
        return [level] * ups + [-level] * (self.times - ups)

    def __str__(self) -> str:
        return sequence_words(((self.pair, self.times),))


def loss_isf_and_masses(
    pair: DominatingPair, tails: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the losses of a pair at these upper tails, and the mass around each."""
    edges = np.concatenate([[0.0], np.sqrt(tails[1:] * tails[:-1]), [1.0]])
    return np.asarray(pair.loss_isf(tails)), np.diff(edges)


@lru_cache(maxsize=1 << 10)
def _repeated_response_distribution(
    level: float, times: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the losses of `times` randomised responses, and their masses under P."""
    ups = np.arange(times + 1, dtype=np.float64)
    # binomial masses through logarithms: importing scipy.stats would double the import time
    choices = special.gammaln(times + 1) - special.gammaln(ups + 1) - special.gammaln(times - ups + 1)
    masses = np.exp(choices - ups * np.logaddexp(0, -level) - (times - ups) * np.logaddexp(0, level))
    return level * (2 * ups - times), masses


def best_guessed_menus(
    subject: ExaminationContext, targets: tuple[Divergence, ...], limit: WorkLimit
) -> Iterator[tuple[float, GameMenu]]:
    """Yield (guessed share of the guarantee, menu): a first request, and the possible requests after each answer.

    The best first request of each kind comes first, so that a menu exists before all are guessed.
    """
    granted_sizes = LargestGranted(subject, limit)
    every = subject.all_first_families
    openings = subject.first_families
    menus_tried: set[tuple[DominatingPair, ...]] = set()
    for first_times, share in product(_FIRST, _OPENINGS):
        guesses: list[tuple[float, GameMenu]] = []
        for opening in openings:
            player, repeatable = granted_sizes.fresh(), opening.definition.mechanism in _REPEATABLE
            if limit.exhausted or (first_times > 1 and not repeatable):
                continue
            top = granted_sizes.largest_size_granted_in_a_row(player, opening, first_times)
            if top is None:
                continue
            pair = granted_sizes.pair_of_size(opening, round_down_to_bits(share * top, _SIZE_BITS))
            if player.grants(pair):
                first = _RepeatedPair(pair, first_times)
                guesses += _menus_with_guessed_values(granted_sizes, first, targets, every)
        for guess in sorted(guesses, key=lambda one: -one[0]):
            if guess[0] >= _MIN_GUESSED_SHARE and guess[1].pairs not in menus_tried:
                menus_tried.add(guess[1].pairs)
                yield guess


def _menus_with_guessed_values(
    granted_sizes: LargestGranted,
    first: _RepeatedPair,
    targets: tuple[Divergence, ...],
    every: tuple[GrantedSizes, ...],
) -> Iterator[tuple[float, GameMenu]]:
    """Yield the guessed value of the best continuations, relative to the guarantee, and their menu."""
    subject = granted_sizes.subject
    ways: tuple[Direction, ...] = ("PQ", "QP")
    for way in ways:
        losses, masses = first.losses_and_masses(way, few=subject.observes_losses)
        shown = losses if way == "PQ" else -losses
        after = [_affordable_replies(granted_sizes, first, loss, every) for loss in shown.tolist()]
        replies = list(dict.fromkeys(chain.from_iterable(after)))
        granted_there = np.array([[reply in there for there in map(set, after)] for reply in replies])
        pairs = [row.pair for row in (first, *replies)]
        if way == "QP" and not subject.observes_losses and all(pair.swapped == pair for pair in pairs):
            return
        for target in targets:
            stopped = np.maximum(-np.expm1(np.minimum(target.at - losses, 0.0)), 0.0)
            count_work(_REPLY_UNITS * len(replies))
            worth = np.array([reply.divergence_estimate(target.at - losses, way) for reply in replies])
            table = np.vstack([stopped, np.where(granted_there, worth, 0.0)]) if replies else stopped[None]
            # games of filters that look at losses are solved for finite pairs only
            both = subject.observes_losses and first.pair.outputs is not None
            for finite in (False, True) if both else (False,):
                out = [k for k, reply in enumerate(replies, 1) if finite and reply.pair.outputs is None]
                if finite and not out:
                    continue
                table[out] = 0.0
                best = table.argmax(axis=0)
                gains = masses * table.max(axis=0)
                value, promised = float(1 - masses.sum() + gains.sum()), subject.promised(target)
                shares = [(float(gains[best == k].sum()), reply) for k, reply in enumerate(replies, 1)]
                chosen = [reply for share, reply in sorted(shares, key=lambda each: -each[0]) if share > 0]
                menu = _menu_of_first_and_replies(first, chosen[: _PAIRS - 1])
                yield (value / promised if promised else value * 1e12), menu


def _menu_of_first_and_replies(first: _RepeatedPair, chosen: list[_RepeatedPair]) -> GameMenu:
    """Return the menu of a first request and the chosen replies to its answer."""
    pairs = tuple(dict.fromkeys(row.pair for row in (first, *chosen)))
    rounds = first.times + max((row.times for row in chosen), default=0)
    then = " or ".join(pair_words(row.pair) for row in chosen)
    return GameMenu(f"{first}, then by its answer {then}" if then else str(first), pairs, rounds)


def _affordable_replies(
    granted_sizes: LargestGranted, first: _RepeatedPair, loss: float, every: tuple[GrantedSizes, ...]
) -> list[_RepeatedPair]:
    """Return the affordable requests after the first one, and after its loss if the filter looks at losses."""
    player, observes_losses = granted_sizes.fresh(), granted_sizes.subject.observes_losses
    for each in first.losses_that_sum_to(loss):
        if not player.request_and_count_grants(first.pair, loss=each if observes_losses else None):
            return []
    replies: dict[_RepeatedPair, None] = {}
    for family in every:
        mechanism = family.definition.mechanism
        counts = _AFTER if mechanism == "rr" and not observes_losses else _AFTER_OTHERS
        for times in counts if mechanism in _REPEATABLE else (1,):
            pair = granted_sizes.pair(player, family, times) if not granted_sizes.limit.exhausted else None
            if pair is not None:
                replies[_RepeatedPair(pair, times)] = None
    return list(replies)

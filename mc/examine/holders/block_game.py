"""The game of a tracker: requests that it lets through before so many blocks are full, and what they compose to.

>>> import filterproof as fp
>>> tracker = fp.GaussianTracker(size=1.0)
>>> game = BlockGame(tracker, 2, Sequence(((fp.Gaussian(1.0), 2),)))
>>> found, order = game.solved(Measure.renyi(2.0)), Measure.renyi(2.0)
>>> found.low, game.promised(order)
(2.0, 2.0000000000000004)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

from filters.contract.checks import checked_start
from filters.rules.blocks import BlockFilter
from mc.engine.encoding import nameable
from mc.examine.family_lines import Line, lines_of
from mc.examine.filter_fault import FilterFault
from mc.examine.holders.holder_game import HolderGame
from mc.examine.measure import Bound, Measure
from mc.examine.sequence import Sequence, granted
from mc.examine.words import count_words
from theory.arguments import check_count
from theory.pairs import DominatingPair

_BLOCKS, _FAMILIES, _DEEPEST = (1, 2, 3), ("gaussian", "rr"), 7


class BlockGame(HolderGame):
    """Requests fixed in advance, all before the tracker opens more than `blocks`; it promises what these hold.

    What a tracker counts depends on what was asked alone, so that an adaptive adversary chooses among such sequences.
    """

    fields: ClassVar[frozenset[str]] = frozenset({"blocks", "sequence"})

    def __init__(self, holder: Any, blocks: int, sequence: Sequence) -> None:
        self.holder, self.blocks, self.sequence = holder, blocks, sequence
        self.menu, self.rounds = count_words(blocks, "block"), sequence.rounds
        self.asked = (
            f"{', '.join(f'{times} x {pair!r}' for pair, times in sequence.steps)}, within {self.menu}"
        )

    @property
    def promise(self) -> Any:
        return self.holder.guarantee(self.blocks)

    def solved(self, measure: Measure) -> Bound:
        """Zero where the tracker opens another block on the way."""
        let_through = self.sequence.admitted(BlockFilter(self.holder, self.blocks))
        return super().solved(measure) if let_through else Bound(0.0)

    @property
    def parts(self) -> tuple[DominatingPair, ...]:
        return tuple(pair for pair, times in self.sequence.steps for _ in range(times))

    def with_parts(self, parts: tuple[Any, ...]) -> Self | None:
        sequence = Sequence(tuple((pair, 1) for pair in parts))
        return type(self)(self.holder, self.blocks, sequence) if parts else None

    def to_data(self) -> dict[str, Any]:
        return {"blocks": self.blocks, "sequence": self.sequence.to_data(nameable())}

    @classmethod
    def from_data(cls, holder: Any, data: Mapping[str, Any]) -> Self:
        sequence = Sequence.from_data(data["sequence"], nameable())
        return cls(holder, check_count("blocks", data["blocks"]), sequence)

    @classmethod
    def proposed(cls, holder: Any) -> Iterator[Self]:
        for blocks in _BLOCKS:
            filt = BlockFilter(holder, blocks)
            for line in lines_of(_FAMILIES, filt.promise):
                levels = _levels(filt, line)
                # what is not let through is not let through with more after it
                longest: list[tuple[Sequence, Any]] = [(Sequence(()), checked_start(filt, 1))]
                for _ in range(_DEEPEST) if levels else ():
                    longest = [
                        (Sequence((*sequence.steps, (pair, 1))), after)
                        for sequence, state in longest
                        for pair in levels
                        if (after := granted(filt, state, pair)) is not None
                    ]
                    yield from (cls(holder, blocks, sequence) for sequence, _ in longest)


def _levels(filt: BlockFilter, line: Line) -> tuple[DominatingPair, ...]:
    """The largest sizes of which one, two and three are let through; none where the family is not charged."""
    pairs: dict[int, DominatingPair] = {}
    try:
        for size in sorted(line.sizes, reverse=True):
            pair = line.pair(size)
            for wanted in (1, 2, 3):
                if wanted not in pairs and Sequence(((pair, wanted),)).admitted(filt):
                    pairs[wanted] = pair
            if 3 in pairs:
                break
    except FilterFault:
        raise
    except (TypeError, ValueError):
        return ()
    return tuple(dict.fromkeys(pairs.values()))

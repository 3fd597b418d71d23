"""The play of a solved game, history by history: what the best adversary asks after each outcome.

>>> from fractions import Fraction
>>> import filterproof as fp
>>> coin, ratio = fp.RandomizedResponse.from_ratio(Fraction(3)), fp.LogRatio(Fraction(2))
>>> nodes = game_tree(fp.worst_case(fp.ZCDPFilter(1.0), coin, epsilon=ratio, rounds=1))
>>> [(node.outcomes, node.request, str(node.p), str(node.q)) for node in nodes]
[((), 0, '1', '1'), ((0,), None, '3/4', '1/4'), ((1,), None, '1/4', '3/4')]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from mc.losses.outputs import Output, exact_outputs
from mc.worst_case.result import WorstCase
from mc.worst_case.strategy import TreeStrategy

__all__ = ["GameNode", "game_tree"]


@dataclass(frozen=True, slots=True)
class GameNode:
    """A history with its probabilities, p under the law drawn from and q under the other, and what is asked there.

    outcomes are the places of the outputs seen, in descending order of the loss, and asked the requests that gave
    them, as places in the menu. request is the next one, None at the end of the play.
    """

    outcomes: tuple[int, ...]
    asked: tuple[int, ...]
    request: int | None
    p: Fraction
    q: Fraction

    def excess(self, ratio: Fraction) -> Fraction:
        """(p - ratio q)_+: what a leaf adds to the hockey-stick divergence at e^epsilon = ratio."""
        return max(self.p - ratio * self.q, Fraction(0))


def game_tree(worst: WorstCase) -> tuple[GameNode, ...]:
    """Every history that the best strategy of an EXACT worst case brings about, parents before children.

    Histories that lead to the same position stay apart. The sum of `excess` over the leaves is worst.value.
    Raises ValueError for a game that was not solved in rational arithmetic.
    """
    strategy = worst.strategy
    if worst.value is None or not isinstance(strategy, TreeStrategy):
        raise ValueError(
            f"worst must be solved in rationals, got evidence {worst.evidence.name}; "
            "pass rational pairs and a LogRatio to worst_case"
        )
    outputs = [exact_outputs(pair, worst.direction) or () for pair in strategy.menu]
    # the strategy tells outputs apart by the loss that is seen
    places = [
        [strategy.seen[m].tolist().index(output.seen) for output in row] for m, row in enumerate(outputs)
    ]
    root = GameNode((), (), None, Fraction(1), Fraction(1))
    return tuple(_below(strategy, outputs, places, root, 0))


def _below(
    strategy: TreeStrategy,
    outputs: list[tuple[Output, ...]],
    places: list[list[int]],
    node: GameNode,
    position: int,
) -> Iterator[GameNode]:
    t = len(node.outcomes)
    # below zero: the loss is infinite, and no request can add to it
    request = int(strategy.choice[t][position]) if t < strategy.horizon and position >= 0 else -1
    if request < 0:
        yield node
        return
    yield GameNode(node.outcomes, node.asked, request, node.p, node.q)
    for y, output in enumerate(outputs[request]):
        p = node.p * output.mass
        after = GameNode(
            (*node.outcomes, y), (*node.asked, request), None, p, node.q * output.mass * output.tilt
        )
        reached = int(strategy.child[t][position, request, places[request][y]])
        yield from _below(strategy, outputs, places, after, reached)

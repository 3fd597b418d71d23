"""The worst-case game of a filter and a menu: its states are enumerated once and solved at any epsilon."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from hashlib import sha256
from operator import add
from typing import Any, TypeAlias

import flint
import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.content import content
from filterproof.filters.contract.work import count_work
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.adversaries import Constant
from filterproof.mc.engine.adversary import Adversary
from filterproof.mc.engine.game import Game
from filterproof.mc.evaluate.certified_distribution import CertifiedDistribution
from filterproof.mc.losses.balls import BITS, Rounding, exact_fraction, nearest_double, to_ball
from filterproof.mc.losses.epsilon_values import Epsilon
from filterproof.mc.losses.finite_outputs import (
    ZERO_LOSS,
    FiniteOutputs,
    Loss,
    Mass,
    NoFiniteDistributionError,
    fraction_from_fmpq,
    hockey_stick_payoff,
    loss_adder,
    loss_as_ball,
)
from filterproof.mc.losses.finite_pair_from_cdfs import pair_with_known_tails
from filterproof.mc.losses.lattice_pld import (
    KOVLevel,
    LatticePLD,
    common_epsilon_step,
    kov_lattice_pld,
    kov_parameters,
)
from filterproof.mc.losses.loss_cells import step_and_bounding_plds
from filterproof.mc.worst_case.dense import DenseGame
from filterproof.mc.worst_case.graph import StateGraph
from filterproof.mc.worst_case.level_game import LevelGame, is_within_double_range
from filterproof.mc.worst_case.result import NOTHING_ADMITTED, WorstCase
from filterproof.mc.worst_case.strategy import LatticeStrategy
from filterproof.mc.worst_case.tree import GameTree, branches_of
from filterproof.theory.argument_checks import check_positive
from filterproof.theory.evidence import Evidence
from filterproof.theory.log_ratio import LogRatio
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.pairs.base import Direction
from filterproof.theory.rounding import round_down, round_up

#: The default limit on the doubles of a game in memory: a quarter of a gigabyte.
MAX_DOUBLES = 30_000_000
#: The default limit on the positions of a game of levels: most are not in memory, and the strategy takes a byte or two
#: for each.
_MAX_LEVEL_POSITIONS = 4 * MAX_DOUBLES
#: Units of work of the distribution of a pair on a lattice.
_DISTRIBUTION_UNITS = 1200
#: -log of the share of the value outside the windows for coarsely rounded losses.
_TRUNCATION_EXPONENT = 20.0
#: The largest epsilon in nats that is enclosed by logarithms of rationals.
_MAX_EXACT_EPSILON = 2.0**14
#: A game that is not over after this many rounds counts as endless.
_MAX_FINITE_ROUNDS = 1000

#: The solved worst cases, by the graph and everything else that the solution depends on.
SolvedCache: TypeAlias = dict[Hashable, WorstCase]
#: The rounding of a game, bounds on its value, and a factory of its best strategy.
_SolvedBounds: TypeAlias = tuple[Rounding, Fraction, Fraction, Callable[[], Adversary]]
#: The distributions of a menu with masses rounded to one side, their step, and the side.
_Distributions: TypeAlias = tuple[tuple[LatticePLD, ...], Fraction, Rounding]


@dataclass(frozen=True, slots=True)
class _TreeGame:
    """The game on a tree, with exact losses or with losses in steps that are wrong by at most `off`.

    `masses` are those of each request's outcomes, an infinite one last.
    """

    tree: GameTree[Any]
    masses: list[list[Mass]]
    step: Fraction | None = None
    off: Fraction = Fraction(0)

    @property
    def size(self) -> tuple[int, int]:
        """The length of the longest play, and the number of positions."""
        return self.tree.rounds, self.tree.positions

    def iter_solved_bounds(self, epsilon: Epsilon, *, exact: bool) -> Iterator[_SolvedBounds]:
        """Yield bounds on the value with a best strategy, in rationals or in doubles, for each rounding.

        In rationals, if e^epsilon is none, the game is solved at a rational above and one below, because V decreases.
        In doubles, losses in steps are solved on either side of the true losses.
        """
        sides: dict[Rounding, Epsilon] = {"near": epsilon}
        masses: list[list[Any]] = self.masses
        with PRECISION_LOCK, flint.ctx.workprec(BITS):
            if not exact:
                masses = [[nearest_double(flint.arb(mass)) for mass in each] for each in masses]
                sides = sides if self.step is None else {"low": epsilon, "high": epsilon}
            elif not isinstance(epsilon, LogRatio):
                growth = to_ball(epsilon).exp()
                ends = exact_fraction(growth.upper()), exact_fraction(growth.lower())
                sides = {"low": LogRatio(ends[0]), "high": LogRatio(ends[1])}
        reached = set() if exact else {loss for layer in self.tree.layers for loss in layer.losses}
        for side, end in sides.items():
            with PRECISION_LOCK, flint.ctx.workprec(BITS):
                paid = {
                    loss: nearest_double(
                        flint.arb(hockey_stick_payoff(self._loss_of_position(loss, side), end))
                    )
                    for loss in reached
                }
            worth: Callable[[Any], Any] = (
                partial(hockey_stick_payoff, epsilon=end) if exact else paid.__getitem__
            )

            def payoff(losses: Sequence[Any], worth: Callable[[Any], Any] = worth) -> NDArray[Any]:
                return np.array(list(map(worth, losses)), dtype=object if exact else np.float64)

            value, choices = self.tree.solve(masses, payoff)
            bounds = (fraction_from_fmpq(value),) * 2 if exact else self.tree.bounds(float(value))
            yield side, *bounds, partial(self.tree.strategy, choices)

    def _loss_of_position(self, reached: Any, side: Rounding) -> Loss:
        """Return the loss of a position; a loss in steps is rounded to the side."""
        if self.step is None:
            exact: Loss = reached
            return exact
        moved = self.off * self.tree.rounds
        return self.step * reached + (moved if side == "high" else -moved), Fraction(1)


@dataclass(frozen=True, slots=True)
class WorstCaseGame:
    """The game that `worst_case` describes. `solve` chooses the arithmetic; the states are enumerated once.

    `from_below` replaces a distribution that a class outside the library states by a `pair_with_known_tails` one,
    which is less revealing. The filter gets the requests of the menu, and no upper bound holds.
    """

    filter: PrivacyFilter
    menu: tuple[DominatingPair, ...]
    rounds: int | None
    scope: str
    max_positions: int | None = None
    step: float | None = None
    solved_cache: SolvedCache | None = None
    from_below: bool = False
    _graphs: list[StateGraph] = field(default_factory=list)
    _trees: dict[tuple[Direction, bool], _TreeGame] = field(default_factory=dict)

    @property
    def solver_chooses_loss_step(self) -> bool:
        """Whether the solver chooses the step of rounded losses, so that a larger step is quicker."""
        if self.step is not None or self.solved_cache is not None:
            return False
        return not (
            self.filter.looks_at_losses or self._levels_and_common_step[1] is not None or self._is_rational
        )

    @property
    def graph(self) -> StateGraph:
        """The graph of the states that the filter's own code reaches."""
        if not self._graphs:
            limit = self.max_positions or MAX_DOUBLES
            self._graphs.append(
                StateGraph.of(self.filter, self.menu, rounds=self.rounds, max_positions=limit)
            )
        return self._graphs[0]

    @property
    def _levels_and_common_step(self) -> tuple[list[KOVLevel], tuple[list[int], Fraction, Fraction] | None]:
        """The requests that are KOV levels, and their common step if all are, else None."""
        levels = [kov_level for pair in self.menu if (kov_level := kov_parameters(pair)) is not None]
        return levels, common_epsilon_step(levels) if len(levels) == len(self.menu) else None

    @property
    def _is_rational(self) -> bool:
        return all(pair.exact_masses is not None for pair in self.menu)

    def solve(
        self, epsilon: Epsilon, direction: Direction, evidence: Evidence | None, *, coarsen: int = 1
    ) -> WorstCase:
        """Return the value with the requested or the strongest evidence, at `coarsen` times the default step."""
        if evidence is Evidence.EXACT:
            self._check_exact(epsilon)
        exact = self._is_rational and evidence is not Evidence.CERTIFIED
        # beyond, rational bounds on e^epsilon have too many digits, or it is no ball
        if exact and (isinstance(epsilon, LogRatio) or abs(epsilon) <= _MAX_EXACT_EPSILON):
            tree = self._game_tree(direction, exact=True)
            return self._case_from_bounds(
                epsilon, direction, [*tree.iter_solved_bounds(epsilon, exact=True)], *tree.size, exact=True
            )
        _, lattice = self._levels_and_common_step
        middling = lattice is not None and is_within_double_range(lattice[0], lattice[2], epsilon)
        if not (self.filter.looks_at_losses or (lattice and not middling)):
            return self._solve_on_lattice(epsilon, direction, middling, coarsen)
        try:
            tree = self._game_tree(direction, exact=False)
        except NoFiniteDistributionError:
            return self._solve_one_gaussian(epsilon, direction)
        return self._case_from_bounds(
            epsilon, direction, [*tree.iter_solved_bounds(epsilon, exact=False)], *tree.size
        )

    def _check_exact(self, epsilon: Epsilon) -> None:
        """Raise ValueError if the game cannot be solved in rationals at this epsilon."""
        if not isinstance(epsilon, LogRatio):
            raise ValueError(
                f"epsilon must be a LogRatio for EXACT evidence, got epsilon={epsilon!r}; pass LogRatio(e^epsilon)"
            )
        for pair in self.menu:
            if pair.exact_masses is None:
                raise ValueError(
                    f"menu must hold pairs with rational masses for EXACT evidence, got {pair!r}; "
                    "use e.g. RandomizedResponse.from_ratio"
                )

    def _case_from_bounds(
        self,
        epsilon: Epsilon,
        direction: Direction,
        solved: Sequence[_SolvedBounds],
        rounds: int,
        positions: int,
        *,
        exact: bool = False,
        note: str = "",
    ) -> WorstCase:
        """Return the result with the lower game's lower bound and the upper game's upper bound."""
        low, strategy = next((below, best) for side, below, _, best in solved if side != "high")
        high = next(above for side, _, above, _ in solved if side != "low")
        value = low if exact and isinstance(epsilon, LogRatio) else None
        return WorstCase(
            epsilon=epsilon,
            value=value,
            low=round_down(low),
            high=round_up(high),
            evidence=Evidence.CERTIFIED if value is None else Evidence.EXACT,
            direction=direction,
            strategy=strategy(),
            rounds=rounds,
            positions=positions,
            scope="; ".join(filter(None, (self.scope, "" if rounds else NOTHING_ADMITTED, note))),
        )

    # -- states with a loss in steps -------------------------------------------------------------------------------

    def _solve_on_lattice(
        self,
        epsilon: Epsilon,
        direction: Direction,
        middling: bool,
        coarsen: int,
    ) -> WorstCase:
        """Solve the game with losses on a lattice: once to nearest, or rounded to both sides.

        Without `max_positions`, a game has at most `MAX_DOUBLES` doubles in memory. A game of moderate levels has at
        most four times as many positions, most of which are not in memory.
        """
        sizes: list[tuple[int, Fraction]] = []
        games: list[_Distributions]
        levels, lattice = self._levels_and_common_step
        if lattice is not None:
            units, least, most = lattice
            sizes = list(zip(units, (kov_level.delta for kov_level in levels), strict=True))
            steps: list[tuple[Fraction, Rounding]] = [(least, "low"), (most, "high")]
            if least == most:
                steps = [(least, "near")]
            games = [
                (tuple(kov_lattice_pld(*each, step, side) for each in sizes), step, side)
                for step, side in steps
            ]
        else:
            wanted = None if self.step is None else Fraction(float(check_positive("step", self.step)))
            count_work(_DISTRIBUTION_UNITS * len(self.menu))
            step, below, above = step_and_bounding_plds(
                self.drawn_pairs(direction),
                wanted,
                max_positions=self.max_positions or MAX_DOUBLES,
                coarsen=coarsen,
            )
            games = [(below, step, "low"), (above, step, "high")]
        graph, mark = self.graph, None
        if self.solved_cache is not None:
            of = content((epsilon, self.menu, self.scope, self.step, self.max_positions))
            mark = direction, coarsen, of, sha256(graph.child.tobytes()).digest()
            if mark in self.solved_cache:
                return self.solved_cache[mark]
        solved: list[_SolvedBounds] = []
        positions = 0
        for distributions, step, side in games:
            game: DenseGame | LevelGame
            if middling:
                most_positions = self.max_positions or _MAX_LEVEL_POSITIONS
                game = LevelGame.solve(graph, sizes, step, epsilon, side, max_positions=most_positions)
            else:
                game = DenseGame.solve(
                    graph,
                    distributions,
                    step,
                    epsilon,
                    side,
                    max_positions=self.max_positions or MAX_DOUBLES,
                    left=None if coarsen == 1 else _TRUNCATION_EXPONENT,
                )
            solved.append(
                (side, *game.bounds, partial(LatticeStrategy, self.menu, game, distributions, direction))
            )
            positions += game.windows.positions
        case = self._case_from_bounds(epsilon, direction, solved, graph.depth, positions)
        if self.solved_cache is not None:
            self.solved_cache[mark] = case
        return case

    def drawn_pairs(self, direction: Direction) -> tuple[DominatingPair, ...]:
        """Return the pairs that outputs are drawn from: the menu, swapped for the direction "QP"."""
        drawn = self.menu if direction == "PQ" else tuple(pair.swapped for pair in self.menu)
        return tuple(pair_with_known_tails(pair) or pair for pair in drawn) if self.from_below else drawn

    # -- states with an exact loss ---------------------------------------------------------------------------------

    def _game_tree(self, direction: Direction, *, exact: bool) -> _TreeGame:
        """Return the game tree; raise NoFiniteDistributionError if a request has infinitely many outputs.

        If levels are multiples of one step up to rounding, losses that differ by rounding alone count as equal, so that
        there are few positions. They are counted in steps, and the error is applied once against and once for the
        adversary. Levels and their masses stay, because a filter that looks at losses may admit more after an output
        that a larger level makes less likely.
        """
        if (direction, exact) in self._trees:
            return self._trees[direction, exact]
        _, lattice = self._levels_and_common_step
        outputs = tuple(map(FiniteOutputs.of_pair, self.drawn_pairs(direction)))
        moves: list[list[Callable[[Any], Any]]]
        step: Fraction | None = None
        off = Fraction(0)
        if exact or lattice is None or lattice[1] == lattice[2]:
            moves = [[loss_adder(loss) for loss, *_ in each.outputs] for each in outputs]
        else:
            units, step, _ = lattice
            with PRECISION_LOCK, flint.ctx.workprec(BITS):
                off = max(
                    exact_fraction(abs(abs(loss_as_ball(loss)) - to_ball(step * k)).upper())
                    for k, each in zip(units, outputs, strict=True)
                    for loss, *_ in each.outputs
                )
                moves = [
                    [partial(add, k if loss_as_ball(loss) > 0 else -k) for loss, *_ in each.outputs]
                    for k, each in zip(units, outputs, strict=True)
                ]
        branches = [branches_of(*each, direction) for each in zip(outputs, moves, strict=True)]
        # a position takes the memory of this many doubles: objects, and an int32 per output
        doubles = 32 + len(self.menu) * max(map(len, branches)) // 2
        tree = GameTree.of(
            self.filter,
            self.menu,
            branches,
            ZERO_LOSS if step is None else 0,
            rounds=self.rounds,
            max_positions=self.max_positions or MAX_DOUBLES // doubles,
        )
        masses: list[list[Mass]] = [
            [*(mass for _, mass, _ in each.outputs), *([each.erased_p] if each.erased_p else [])]
            for each in outputs
        ]
        self._trees[direction, exact] = exact_losses = _TreeGame(tree, masses, step, off)
        return exact_losses

    def _solve_one_gaussian(self, epsilon: Epsilon, direction: Direction) -> WorstCase:
        """Solve the game over one Gaussian against a filter that looks at losses: request it to the end.

        With a single request, an adversary only chooses when to stop. Its view is a function of the view without
        stopping, so that continuing never lowers the divergence.
        """
        if len(self.menu) > 1 or self.menu[0].normal_mu is None:
            raise ValueError(
                "menu must hold one Gaussian, or pairs with finitely many outputs, for a filter that observes "
                f"losses, got {self.menu!r}; pass FinitePair of rational masses, or RandomizedResponse"
            )
        strategy = Constant(self.menu[0])
        game = Game.between(
            self.filter, strategy, rounds=_MAX_FINITE_ROUNDS if self.rounds is None else self.rounds
        )
        (played,) = CertifiedDistribution.evaluations(game, [epsilon], (direction,), "")
        if self.rounds is None and played.rounds >= _MAX_FINITE_ROUNDS:
            raise ValueError(
                f"rounds must be given, got rounds=None for a game that is not over after {_MAX_FINITE_ROUNDS} "
                f"rounds; pass a "
                "number"
            )
        solved: _SolvedBounds = "near", Fraction(played.low), Fraction(played.high), lambda: strategy
        note = played.scope.removeprefix("; ")
        return self._case_from_bounds(
            epsilon, direction, [solved], played.rounds, played.positions, note=note
        )

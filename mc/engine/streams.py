"""Random streams: two per tile of paths, functions of (seed, tile) alone, whoever computes the tile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from numpy.random import SFC64, Generator, SeedSequence

from theory.arguments import check_count

__all__ = ["MOST_PATHS", "TILE", "Tile", "tiles"]

#: Paths per tile. Part of a run's identity: another size is another sequence of random numbers.
#: A bare loop over arrays is fastest at 8192 (64 KiB). But a round makes some sixty calls whatever the number of
#: paths, so more share them: beside 65536, twice as many measured 0.86 of the time with the compiled extra and 0.96
#: without.
TILE = 131072
#: Days of work on a hundred cores, and as many tiles as a driver can keep account of.
MOST_PATHS = 10**12


@dataclass(frozen=True, slots=True)
class Tile:
    """`size` paths with two random streams of their own, both functions of (seed, index) alone."""

    seed: int
    index: int
    size: int

    def nature(self) -> Generator:
        """The stream that the mechanisms' outputs are drawn from."""
        return Generator(SFC64(SeedSequence(self.seed, spawn_key=(self.index, 0))))

    def adversary(self) -> Generator:
        """The stream of the adversary's own randomness, independent of nature's."""
        return Generator(SFC64(SeedSequence(self.seed, spawn_key=(self.index, 1))))


def tiles(seed: int, n: int, first: int = 0) -> Iterator[Tile]:
    """The tiles that make up n paths, numbered from `first`: all of size TILE but the last."""
    seed = check_count("seed", seed, least=0)
    n = check_count("n", n)
    if n > MOST_PATHS:
        raise ValueError(
            f"n must be at most {MOST_PATHS:,} paths, got n={n:.6g}; play fewer, or several runs of other seeds"
        )
    for index, done in enumerate(range(0, n, TILE), first):
        yield Tile(seed, index, min(TILE, n - done))

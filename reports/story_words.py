"""The play of a witness as Python that anyone can paste, and as a picture of two curves."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

from mc.examine.sequence import MOST_PLAYED, Sequence
from mc.examine.story import Story
from reports.drawing import INK, PALETTE, new_figure
from reports.witness_words import replay_snippet
from theory.pairs import DominatingPair

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from mc.examine.witness import Witness

__all__ = ["play_snippet", "story_figure"]


def story_figure(name: str, story: Story, *, width: float = 8.0) -> Figure | None:
    """delta against epsilon as promised and as the play reveals it; None where no curve was computed."""
    if not story.curve:
        return None
    at, reached, promised = zip(*story.curve, strict=True)
    with new_figure(width, 3.2) as figure:
        ax = figure.subplots()
        ax.plot(at, promised, color=INK, lw=1.6, label="promised")
        ax.plot(at, reached, "o-", color=PALETTE[1], ms=4, lw=1.2, label="revealed by the play, at least")
        ax.set_title(f"{name}: the play against the promise")
        ax.set_xlabel("epsilon")
        ax.set_ylabel("delta")
        if min(x for x in (*reached, *promised) if x > 0) < 0.1 * max(*reached, *promised):
            ax.set_yscale("log")
        ax.legend()
    return figure


def play_snippet(witness: Witness) -> str:
    """Python that plays a fixed sequence through the filter itself, with no more of ours than pairs and laws.

    For other witnesses, and filters that take arguments, it is the snippet that replays the witness.
    """
    kind, steps = type(witness.filter), _steps(witness)
    own = kind.__module__ != "__main__" and not kind.__module__.startswith(("filters.", "mc."))
    if steps is None or not own or _needs_arguments(kind):
        return replay_snippet(witness)
    asked = " + ".join(
        f"{times} * [{_code(pair)}]" if times > 1 else f"[{_code(pair)}]" for pair, times in steps
    )
    measure, way = witness.measure, ".swapped" if witness.measure.direction == "QP" else ""
    revealed = f"sum(float(pair{way}.renyi({measure.at!r})) for pair in asked)"
    if measure.kind == "hockey-stick":
        counted = "{pair: asked.count(pair) for pair in asked}"
        revealed = f'fp.Composition({counted}).delta({measure.at!r}, direction="{measure.direction}")'
    fractions = "from fractions import Fraction\n" if "Fraction(" in asked else ""
    module = kind.__module__.replace("_user_filter_", "")
    return (
        f"{fractions}import filterproof as fp\nfrom {module} import {kind.__name__}\n"
        f"asked = {asked}\nsession = {kind.__name__}().open()\n"
        'print("granted", all(session.request(pair) for pair in asked))\n'
        f'print("revealed", {revealed}, "promised", {witness.promised!r})'
    )


def _needs_arguments(kind: type) -> bool:
    given = inspect.signature(kind).parameters.values()
    return any(
        one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in given
    )


def _steps(witness: Witness) -> tuple[tuple[DominatingPair, int], ...] | None:
    from mc.engine.encoding import nameable

    if witness.kind != "sequence" or witness.rounds > MOST_PLAYED:
        return None
    return Sequence.from_data(witness.data["sequence"], nameable()).steps


def _code(pair: DominatingPair) -> str:
    """The pair as Python.

    >>> from theory.pairs import RandomizedResponse
    >>> _code(RandomizedResponse.from_ratio(2)), _code(RandomizedResponse(1.0))
    ('fp.RandomizedResponse(epsilon=0.6931471805599454, ratio=Fraction(2, 1))', 'fp.RandomizedResponse(epsilon=1.0)')
    """
    bare = re.sub(r", \w+=None", "", repr(pair))
    return re.sub(r"\b(?!Fraction)([A-Z]\w*)\(", r"fp.\1(", bare)

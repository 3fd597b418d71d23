"""The play of a witness in words, and as a picture of two curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mc.examine.measure import exceeds
from mc.examine.story import Story
from mc.examine.words import told_apart
from reports.drawing import INK, PALETTE, new_figure, plain_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["remarks", "story_figure", "story_lines"]


def story_lines(story: Story) -> list[str]:
    """The play, a line a move or turn, and what is remarked on it."""
    lines = [f"{number}. {move}" for number, move in enumerate(story.moves, 1)]
    for turn in story.turns:
        above = " <- above" if exceeds(turn.reached, turn.promised) else ""
        reached, promised = told_apart(turn.reached, turn.promised)
        when, several = f"{turn.when}: " if turn.when else "", "s" if "-" in turn.rounds else ""
        lines.append(
            f"round{several} {turn.rounds}: {when}ask {turn.asked}: {turn.answered}; "
            f"state {turn.before} -> {turn.after}; "
            f"revealed so far {reached} of {promised}{above}"
        )
    return [*lines, *remarks(story)]


def remarks(story: Story) -> list[str]:
    """Where the promise is passed, why, as far as it shows, and how far the same play can be pushed."""
    passed = [] if story.passed is None else [f"The promise is passed in round {story.passed}."]
    pushed = [f"Pushed further: {story.pushed}."] if story.pushed else []
    return [*passed, *(f"Why: {reason}." for reason in story.why), *pushed]


def story_figure(name: str, story: Story, *, width: float = 8.0) -> Figure | None:
    """delta against epsilon as promised and as the play reveals it; None where no curve was computed."""
    if not story.curve:
        return None
    at, reached, promised = zip(*story.curve, strict=True)
    with new_figure(width, 3.2) as figure:
        ax = figure.subplots()
        ax.plot(at, promised, color=INK, lw=1.6, label="promised")
        ax.plot(at, reached, "o-", color=PALETTE[1], ms=4, lw=1.2, label="revealed by the play, at least")
        ax.set_title(f"{plain_text(name)}: the play against the promise")
        ax.set_xlabel("epsilon")
        ax.set_ylabel("delta")
        if min(x for x in (*reached, *promised) if x > 0) < 0.1 * max(*reached, *promised):
            ax.set_yscale("log")
        ax.legend()
    return figure

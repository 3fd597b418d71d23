"""Results as pictures and as HTML: what `filterproof.theory.display` asks for by name when a result is to be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["figure", "html"]


def figure(value: Any, ax: Axes | None = None) -> Figure:
    """Draw a result into `ax`, or into a new figure if it is None, and return the figure.

    Raises ValueError where the result has no rows.
    """
    from filterproof.reports.drawing import drawn_into
    from filterproof.reports.html_repr.pictures import draw

    if not value.rows():
        raise ValueError(
            f"{type(value).__name__} must hold a row to be drawn, got none; ask for one epsilon at least"
        )
    return drawn_into(ax, 1, lambda axes: draw(value, axes[0]))


def html(value: Any) -> str:
    """A result as HTML that borrows the colours of what surrounds it, as a notebook shows it."""
    from filterproof.reports.html_repr.fragments import fragment

    return fragment(value).html(value)

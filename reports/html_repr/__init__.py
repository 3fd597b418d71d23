"""Results as pictures and as HTML: what `filterproof.theory.display` asks for by name when a result is to be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["figure", "html"]


def figure(value: Any, ax: Axes | None = None) -> Figure:
    """Draw a result into `ax`, or into a new figure if it is None, and return the figure.

    Raises ValueError if the result has no rows.
    """
    from filterproof.reports.drawing import drawn_into
    from filterproof.reports.html_repr.pictures import draw

    if not value.rows():
        raise ValueError(
            f"the {type(value).__name__} has no rows to draw (rows=[]); compute it for at least one epsilon"
        )
    return drawn_into(ax, 1, lambda axes: draw(value, axes[0]))


def html(value: Any) -> str:
    """Return a result as HTML for a notebook."""
    from filterproof.reports.html_repr.fragments import fragment

    return fragment(value).html(value)

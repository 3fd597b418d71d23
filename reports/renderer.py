"""Results as pictures, HTML and files: what `filterproof.theory.display.load_renderer` imports by name when it is
needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from filterproof.mc.examine.examination import Examination

__all__ = ["figure", "html", "save", "tightness"]


def figure(value: Any, ax: Axes | None = None) -> Figure:
    """Draw a result into `ax`, or into a new figure if it is None, and return the figure.

    Raises ValueError if the result has no rows.
    """
    from filterproof.reports.drawing import draw_panels
    from filterproof.reports.html_repr.pictures import draw_result

    if not value.rows():
        raise ValueError(
            f"the {type(value).__name__} has no rows to draw (rows=[]); compute it for at least one epsilon"
        )
    return draw_panels(ax, 1, lambda axes: draw_result(value, axes[0]))


def html(value: Any) -> str:
    """Return a result as HTML for a notebook."""
    from filterproof.mc.examine.examination import Examination
    from filterproof.reports.html_repr.fragments import result_fragment

    if isinstance(value, Examination):
        from filterproof.reports.pages.examination_page import examination_fragment

        return examination_fragment(value)
    return result_fragment(value).html(value)


def tightness(exam: Examination) -> Figure:
    """Draw the attacks of an examination that come closest to the guarantee; raise ValueError without any."""
    from filterproof.reports.pages.tightness_figure import tightness_figure

    figure = tightness_figure(exam.name, exam.tightness)
    if figure is None:
        raise ValueError(
            "no attack was compared with the guarantee (tightness=()); examine the filter with more effort"
        )
    return figure


def save(exam: Examination, folder: Path) -> Path:
    """Write report.html and verdict.json of an examination into a folder, both or none; return the page's path."""
    from filterproof.mc.runs.output import OutputFolder
    from filterproof.reports.pages.examination_page import examination_page

    page = examination_page(exam, folder).encode()
    with OutputFolder(folder) as files:
        files.add("verdict.json", exam.json().encode())
        files.add("report.html", page)
    return folder / "report.html"

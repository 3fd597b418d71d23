"""Drawing in the report's style: new figures, and SVG, PNG and PDF that are the same bytes for the same drawing."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # matplotlib takes a quarter of a second, and those who draw nothing do not wait for it
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Okabe and Ito's colours, told apart by colour-blind readers, in the order of use.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")

#: Letters and lines that are not data.
INK = "#1b1f24"

#: Light and dark pages both show this grey.
GREY = "#868e96"

_STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e3e7eb",
    "grid.linewidth": 0.7,
    "axes.axisbelow": True,
    "axes.edgecolor": "#57606a",
    **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color"), INK),
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "legend.frameon": False,
    "pdf.fonttype": 42,  # letters stay letters, which journals ask for
    "svg.fonttype": "path",  # letters keep their widths on machines without our font
    "svg.hashsalt": "filterproof",  # element ids do not change from run to run
}

#: How each kind of picture is saved: without a date and a name of who made it.
_SAVED: dict[str, dict[str, Any]] = {
    "svg": {"metadata": {"Date": None}},
    "png": {"dpi": 144, "metadata": {"Software": None}},
    "pdf": {"metadata": dict.fromkeys(("CreationDate", "Producer", "Creator"))},
}
#: The formats of pictures.
FORMATS = tuple(_SAVED)
#: Colours of a drawing, and what a dark page shows instead.
_DARK = {
    "#ffffff": "#14171a",
    "#000000": "#f0f3f6",
    INK: "#e6e9ec",
    "#57606a": "#9aa4ae",
    "#e3e7eb": "#343b43",
    **{
        light.lower(): dark
        for light, dark in zip(
            PALETTE, ("#4aa8e0", "#ff8a3d", "#2fc99b", "#e39cc4", "#f2b134", "#8fd3ff"), strict=False
        )
    },
}
#: Inches that are shown at full size on a narrow screen, so that letters stay readable there.
NARROW_INCHES = 5.4


def _report_style() -> AbstractContextManager[None]:
    """Return a context in which matplotlib uses the report's style."""
    import matplotlib as mpl

    return mpl.rc_context(_STYLE)


def escape_dollars(words: str) -> str:
    """Escape the dollar signs of a text, so that matplotlib reads no formula."""
    return words.replace("$", r"\$")


@contextmanager
def new_figure(
    width: float = NARROW_INCHES,
    height: float = 3.8,
    *,
    margins: tuple[float, float, float, float] | None = None,
) -> Iterator[Figure]:
    """Yield a new matplotlib figure in the report's style.

    `margins` are the left, bottom, right and top ends of the axes, as shares of the figure. Without them it is drawn
    twice, once to find them.
    """
    from matplotlib.figure import Figure

    with _report_style():
        figure = Figure(figsize=(width, height), layout=None if margins else "constrained")
        if margins:
            figure.subplots_adjust(*margins)
        figure.set_facecolor("#ffffff")
        yield figure


def root_figure(ax: Axes) -> Figure:
    """Return the root figure that contains `ax`."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    return figure


def draw_panels(
    ax: Axes | Sequence[Axes] | None, panels: int, draw: Callable[[tuple[Axes, ...]], None], **size: Any
) -> Figure:
    """Draw panels into the given axes or a new figure; return the figure.

    Raises ValueError for another number of axes.
    """
    from matplotlib.axes import Axes

    if ax is None:
        with new_figure(**size) as figure:
            draw(tuple(figure.subplots(panels, 1, squeeze=False)[:, 0]))
        return figure
    axes = (ax,) if isinstance(ax, Axes) else tuple(ax)
    if len(axes) != panels:
        raise ValueError(
            f"the figure has {panels} panels and not {len(axes)} (ax={len(axes)} axes); pass {panels}, or none"
        )
    draw(axes)
    return root_figure(axes[0])


def intervals_divided_by_promise_figure(
    rows: Sequence[tuple[str, float, float, float, float]], xlabel: str
) -> Figure:
    """Draw named intervals (name, low, value, high, promised), each divided by what is guaranteed, and a line at 1."""
    with new_figure(height=1.2 + 0.3 * len(rows)) as figure:
        ax = figure.subplots()
        for y, (_, *numbers, promised) in enumerate(reversed(rows)):
            low, value, high = (number / promised for number in numbers)
            above = low > 1
            colour = PALETTE[1 if above else 0]
            ax.hlines(y, max(low, 0.0), high, lw=2.2, color=colour)
            ax.scatter([max(low, 0.0), high], [y, y], marker="|", s=120, color=colour)
            ax.scatter([max(value, 0.0)], [y], marker="X" if above else "o", s=50, color=colour)
        ax.axvline(1.0, ls="--", lw=1.4, color=INK)
        at = 1.0, len(rows) - 0.35
        ax.annotate("promised", at, xytext=(4, 0), textcoords="offset points", fontsize=9, color=INK)
        ax.set_yticks(range(len(rows)), [row[0] for row in reversed(rows)])
        ends = (high / promised for *_, high, promised in rows)
        ax.set(ylim=(-0.6, len(rows)), xlabel=xlabel, xlim=(-0.02, 1.1 * max(1.0, *ends)))
        ax.grid(axis="y", visible=False)
    return figure


def svg_text(figure: Figure) -> str:
    """The figure as an <svg> element, the same bytes for the same drawing; it turns dark where the page does."""
    text = picture_bytes(figure, "svg").decode()
    text = text[text.index("<svg") :]
    end = text.index(">") + 1
    return text[:end] + _dark_mode_style() + text[end:]


def _dark_mode_style() -> str:
    """Return a <style> element that recolours an SVG for readers who prefer dark pages."""
    rules = "".join(
        f'[style*="{what}: {light}"]{{{what}:{dark}!important}}'
        for light, dark in _DARK.items()
        for what in ("fill", "stroke")
    )
    # black letters have no style of their own
    rules += f"g[id^=text]>g:not([style]){{fill:{_DARK[INK]}}}"
    return f"<style>@media (prefers-color-scheme:dark){{{rules}}}</style>"


def picture_bytes(figure: Figure, kind: str) -> bytes:
    """The figure as svg, as png at 144 dots per inch, or as pdf, whose letters are text."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    buffer = io.BytesIO()
    with _report_style():
        if kind == "svg":  # the same bytes, drawn once: `savefig` draws all once more to lay it out
            canvas: Any = FigureCanvasSVG(figure)  # which has no types
            canvas.print_svg(buffer, **_SAVED[kind])
        else:
            figure.savefig(buffer, format=kind, **_SAVED[kind])
    return buffer.getvalue()


def data_uri(svg: str) -> str:
    """The SVG as the source of an <img>: inline SVGs would share element ids."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()

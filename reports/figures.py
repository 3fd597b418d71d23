"""Figures in the report's style, and their SVG and PNG, which are the same bytes for the same drawing."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

__all__ = ["PALETTE", "new_figure", "png_bytes", "svg_text"]

#: Okabe and Ito's colours, told apart by colour-blind readers, in the order of use.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")

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
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "legend.frameon": False,
    "svg.fonttype": "path",  # letters keep their widths on machines without our font
    "svg.hashsalt": "filterproof",  # element ids do not change from run to run
}


@contextmanager
def new_figure(width: float = 8.0, height: float = 4.2) -> Iterator[Figure]:
    """A figure in the report's look; drawing happens inside the block."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        figure.set_facecolor("white")
        yield figure


def svg_text(figure: Figure) -> str:
    """The figure as an <svg> element, the same bytes for the same drawing."""
    buffer = io.StringIO()
    with mpl.rc_context(_STYLE):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def png_bytes(figure: Figure) -> bytes:
    """The figure as a PNG at 144 dots per inch."""
    buffer = io.BytesIO()
    with mpl.rc_context(_STYLE):
        figure.savefig(buffer, format="png", dpi=144, metadata={"Software": None})
    return buffer.getvalue()

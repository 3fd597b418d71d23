"""Drawing in the report's style: new figures, and SVG, PNG and PDF that are the same bytes for the same drawing."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

__all__ = ["PALETTE", "Drawn", "data_uri", "drawn", "new_figure", "pdf_bytes", "png_bytes", "svg_text"]

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
    "pdf.fonttype": 42,  # letters stay letters, which journals ask for
    "svg.fonttype": "path",  # letters keep their widths on machines without our font
    "svg.hashsalt": "filterproof",  # element ids do not change from run to run
}


#: What a dark page changes.
_DARK: dict[Any, Any] = {
    **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color"), "#e6e9ec"),
    "axes.edgecolor": "#9aa4ae",
    "axes.facecolor": "#14171a",
    "grid.color": "#343b43",
}


@contextmanager
def new_figure(width: float = 8.0, height: float = 4.2, *, dark: bool = False) -> Iterator[Figure]:
    """A figure in the report's look; drawing happens inside the block."""
    with mpl.rc_context(_STYLE | (_DARK if dark else {})):
        figure = Figure(figsize=(width, height), layout="constrained")
        figure.set_facecolor("#14171a" if dark else "white")
        yield figure


def svg_text(figure: Figure, *, dark: bool = False) -> str:
    """The figure as an <svg> element, the same bytes for the same drawing."""
    buffer = io.StringIO()
    with mpl.rc_context(_STYLE | (_DARK if dark else {})):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def png_bytes(figure: Figure) -> bytes:
    """The figure as a PNG at 144 dots per inch."""
    buffer = io.BytesIO()
    with mpl.rc_context(_STYLE):
        figure.savefig(buffer, format="png", dpi=144, metadata={"Software": None})
    return buffer.getvalue()


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure as SVG and as PNG."""

    svg: str
    png: bytes


def drawn(figure: Figure) -> Drawn:
    """The figure as the report shows and keeps it."""
    return Drawn(svg_text(figure), png_bytes(figure))


def pdf_bytes(figure: Figure) -> bytes:
    """The figure as a PDF whose letters are text."""
    buffer = io.BytesIO()
    with mpl.rc_context(_STYLE):
        figure.savefig(
            buffer, format="pdf", metadata={"CreationDate": None, "Producer": None, "Creator": None}
        )
    return buffer.getvalue()


def data_uri(svg: str) -> str:
    """The SVG as the source of an <img>: inline SVGs would share element ids."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()

"""Formulas for a page: LaTeX as MathML, which browsers draw without a script or a font of ours."""

from __future__ import annotations

from latex2mathml.converter import convert
from markupsafe import Markup

__all__ = ["mathml"]


def mathml(latex: str) -> Markup:
    """The formula on a line of its own; `convert` escapes text that it does not recognise, so this is safe HTML."""
    return Markup(convert(latex, display="block")) if latex else Markup("")

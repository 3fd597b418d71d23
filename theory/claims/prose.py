r"""Prose with mathematics in it, as LaTeX.

>>> print(as_latex("delta <= 1 % of e^(2 alpha)"))
$\delta$ $\le$ 1 \% of $e^{2 \alpha}$
"""

from __future__ import annotations

import re

__all__ = ["as_latex"]

_GREEK = "alpha|delta|epsilon|kappa|theta|sigma|Delta|rho|mu"
#: The mathematics in a line of prose: a power, a Greek name with its index, a relation.
_MATHEMATICS = re.compile(
    rf"(\b\w+\^(?:\((?:[^()]|\([^()]*\))*\)|-?\w+)|\b(?:{_GREEK})\b(?:_\w+)?|<=|>=|<|>)"
)
_RESERVED = str.maketrans(
    {c: f"\\{c}" for c in "%&#_{}$"} | {"^": r"\^{}", "~": r"\~{}", "\\": r"\textbackslash "}
)


def as_latex(prose: str) -> str:
    """A line of prose as LaTeX: mathematics between dollars, reserved characters escaped."""
    parts = _MATHEMATICS.split(prose)
    parts[::2] = [text.translate(_RESERVED) for text in parts[::2]]
    parts[1::2] = [f"${_formula(text)}$" for text in parts[1::2]]
    return "".join(parts)


def _formula(text: str) -> str:
    text = {"<=": r"\le", ">=": r"\ge"}.get(text, text)
    base, power, exponent = text.partition("^")
    if power:
        inner = exponent[1:-1] if exponent.startswith("(") else exponent
        inner = re.sub(r"\^(-?\w+)", r"^{\1}", inner)
        text = f"{base}^{{{inner}}}"
    text = re.sub(r"_(\w{2,})", r"_{\1}", text).replace("epsilon", "varepsilon")
    text = re.sub(rf"(?<![A-Za-z\\])({_GREEK}|varepsilon|sum|log|sqrt)(?![A-Za-z])", r"\\\1 ", text)
    return re.sub(r" (?=[ ^_)}]|$)", "", text)

"""Numbers in formulas, and prose with mathematics in it, as LaTeX."""

from __future__ import annotations

import re

_GREEK = "alpha|delta|epsilon|kappa|theta|sigma|Delta|rho|mu"
#: The mathematics in a line of prose: a power, a Greek name with its index, a relation.
_MATHEMATICS = re.compile(
    rf"(\b\w+\^(?:\((?:[^()]|\([^()]*\))*\)|-?\w+)|\b(?:{_GREEK})\b(?:_\w+)?|<=|>=|<|>)"
)
_RESERVED = str.maketrans(
    {c: f"\\{c}" for c in "%&#_{}$"} | {"^": r"\^{}", "~": r"\~{}", "\\": r"\textbackslash "}
)


def tex_number(value: float) -> str:
    """A number to six digits, as LaTeX.

    >>> print(tex_number(1e-5), tex_number(2.5e-8), tex_number(0.25))
    10^{-5} 2.5\\cdot 10^{-8} 0.25
    """
    digits, _, exponent = f"{value:g}".partition("e")
    if not exponent:
        return digits
    power = f"10^{{{int(exponent)}}}"
    return power if digits == "1" else rf"{digits}\cdot {power}"


def as_latex(prose: str) -> str:
    """A line of prose as LaTeX: mathematics between dollars, reserved characters escaped.

    >>> print(as_latex("delta <= 1 % of e^(2 alpha)"))
    $\\delta$ $\\le$ 1 \\% of $e^{2 \\alpha}$
    """
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

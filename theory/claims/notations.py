"""A formula of a claim, stated once: its LaTeX comes from its text; Rocq has its own.

>>> bound = Formula("exp((alpha - 1) * B)", rocq="exp ((alpha - 1) * B)", alpha=("3/2", "9"), B=("1/8", "2"))
>>> print(bound.latex)
e^{B \\left(\\alpha - 1\\right)}

The text is in the language of `formula.py`. The Rocq form must stand in the statement of the theorem that the kernel
accepted; the tests compare that it means the same, at points of the stated box, in balls, by a reader of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from theory.claims.formula import variables

__all__ = ["Formula"]

#: The box of a formula, side by side, where it gives no other.
_USUAL = {
    **dict.fromkeys(("c", "mu"), ("1/8", "3")),
    **dict.fromkeys(("epsilon", "sigma"), ("1/4", "4")),
    **dict.fromkeys(("B", "Delta", "H", "S"), ("1/16", "2")),
    **dict.fromkeys(("d", "kappa", "q", "r", "rho"), ("1/64", "1/2")),
    **{"alpha": ("3/2", "9"), "delta": ("1/1024", "1/4"), "l": ("1", "12")},
    **{"m": ("1", "9"), "t": ("1/2", "8")},
}
#: What sympy prints, and what the project shows.
_SHOWN = (
    (r"\operatorname{tail}", r"\overline{\Phi}"),
    (r"\operatorname{quantile}", r"\overline{\Phi}^{-1}"),
    (r"\epsilon", r"\varepsilon"),
)


@dataclass(frozen=True, init=False)
class Formula:
    """A formula of a claim: its text, the same in Rocq ('' where no kernel theorem states it), and a box of points.

    `names` maps names of the Rocq form to formulas in the variables of the text, where they differ. The box gives
    each variable's range, corners exact, as texts such as "1/8", or leaves it what is usual for that letter. Raises
    ValueError where the box does not name the variables of the text.
    """

    text: str
    rocq: str
    names: Mapping[str, str]
    box: Mapping[str, tuple[Fraction, Fraction]]

    def __init__(
        self, text: str, *, rocq: str = "", names: Mapping[str, str] | None = None, **box: tuple[str, str]
    ) -> None:
        box = {name: _USUAL[name] for name in sorted(variables(text) & _USUAL.keys())} | box
        if set(box) != variables(text):
            raise ValueError(
                f"box must name {', '.join(sorted(variables(text)))}, got {', '.join(sorted(box))}"
            )
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "rocq", rocq)
        object.__setattr__(self, "names", dict(names or {}))
        sides = {name: (Fraction(low), Fraction(high)) for name, (low, high) in box.items()}
        object.__setattr__(self, "box", sides)

    @property
    def latex(self) -> str:
        """The formula as it is shown, the normal upper tail as a Phi with a bar."""
        import sympy as sp

        known: dict[str, object] = {
            name: sp.Symbol(name, real=True, positive=low > 0 or None) for name, (low, _) in self.box.items()
        }
        functions = {name: sp.Function(name) for name in ("tail", "quantile")}
        text: str = sp.latex(sp.sympify(self.text, locals=known | functions), ln_notation=False)
        for name, sign in _SHOWN:
            text = text.replace(name, sign)
        return text

"""An admission condition: the requests that a theorem allows a filter to grant, in terms of the theorem's sums.

>>> condition = AdmissionCondition("RDP filter", ("rho - {B}",), {"Gaussian(x)": {"B": "{x}**2/2"}},
...     {"rho": Fraction(1, 2)})
>>> condition.margin("Gaussian(x)", [("Gaussian(x)", Fraction(1, 2), 3)])
'rho - (0 + 3*((1/2)**2/2) + x**2/2)'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from string import Formatter

from flint import arb

from filterproof.filters.certified.comparison import Margin, SmallestMargin

#: The name of a family, its x, and the number of its releases.
Spent = tuple[str, Fraction, int]


@dataclass(frozen=True, slots=True)
class AdmissionCondition:
    """A request may be released if every margin, with the request in the sums, is zero or more.

    `margins` are formulas in {sums}, in the parameters `at`, and in the roots `balls`. `costs` are formulas in {x} for
    the charge of a request to each named sum; other sums are not charged. `denied` has the families of infinite cost.
    `some` says that one margin suffices. `slack` is the allowed waste of a decision, relative to x.
    """

    theorem: str
    margins: tuple[str, ...]
    costs: Mapping[str, Mapping[str, str]]
    at: Mapping[str, Fraction]
    balls: Mapping[str, Callable[[], arb]] = field(default_factory=dict)
    slack: float = 2.0**-40
    denied: tuple[str, ...] = ()
    some: bool = False

    @property
    def sum_names(self) -> tuple[str, ...]:
        """The names of the sums that occur in the margins."""
        sum_names = [name for text in self.margins for _, name, _, _ in Formatter().parse(text) if name]
        return tuple(dict.fromkeys(sum_names))

    def margin(self, family: str, spent: Sequence[Spent]) -> Margin:
        """Return the margin of a request x of the family after earlier spending."""
        sums = {}
        for name in self.sum_names:
            parts = [f"{times}*({self._cost_formula(of, name, f'({size})')})" for of, size, times in spent]
            sums[name] = f"({' + '.join(['0', *parts, self._cost_formula(family, name, 'x')])})"
        return self._least_margin([text.format(**sums) for text in self.margins])

    def repeated_request_margin(self, family: str, x: Fraction) -> Margin:
        """Return the margin of repeated requests of size `x`; the variable x is their number."""
        sums = {name: f"(x*({self._cost_formula(family, name, f'({x})')}))" for name in self.sum_names}
        return self._least_margin([text.format(**sums) for text in self.margins])

    def _cost_formula(self, family: str, name: str, x: str) -> str:
        return self.costs[family].get(name, "0").format(x=x)

    def _least_margin(self, texts: list[str]) -> Margin:
        if len(texts) == 1 and not self.balls:
            return texts[0]
        return SmallestMargin(tuple(texts), self.at, self.balls, self.some)

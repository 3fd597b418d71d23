"""The rows of the papers: what each says, where it lives here, and the numbers that it prints, for the pages.

>>> row = next(row for row in paper_statements("004") if row.place == "Proposition 1")
>>> row.where, row.status
(('fp.conversions.kappa', 'theorem:kappa', 'page:derivations'), 'works')

The rows stand in `templates/papers.toml`. A row names objects of the code: public names, theorems, figures or pages.
`resolve_reference` raises ValueError if one of them is gone, so that no page is built from a stale row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from operator import attrgetter
from pathlib import Path

import filterproof as fp
from filterproof.reports.figures.paper_figure import FIGURES
from filterproof.reports.package_data import declared_tables
from filterproof.theory.conversions import BUN_STEINKE, CKS, gaussian_epsilon
from filterproof.theory.proofs import THEOREMS

#: What a status means.
STATUS: Mapping[str, str] = {
    "works": "everything in the row",
    "partly": "the row says what is missing, or a number differs from the printed one",
    "stand-in": "on other data",
    "missing": "not here",
}
_PAGES = Path(__file__).with_name("pages")


@dataclass(frozen=True, slots=True)
class PrintedNumber:
    """A number as the paper prints it, and the function that computes it; `remark` explains a difference."""

    what: str
    printed: str
    compute: Callable[[], float]
    remark: str = ""

    def agrees(self, got: float) -> bool | None:
        """Return whether a number rounds to the printed digits; None for words."""
        try:
            exact = Fraction(self.printed)
        except ValueError:
            return None
        digits, _, exponent = self.printed.partition("e")
        places = len(digits.partition(".")[2]) - int(exponent or 0)
        return abs(Fraction(got) - exact) <= Fraction(10) ** -places / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperStatement:
    """A statement of a paper, where it is implemented here, and its status.

    Each part of `where` is a public name, or theorem, figure or page with a name after a colon. `why` says what is
    missing. `numbers` is a key of `NUMBERS`. Raises ValueError for a row that is on other data or not here and does not
    say why.
    """

    paper: str
    place: str
    says: str
    where: tuple[str, ...]
    stand_in: bool = False
    why: str = ""
    numbers: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "where", tuple(self.where))
        if (self.stand_in or not self.where) and not self.why:
            raise ValueError(
                f"why must be given for a row that is a stand-in or without where, got {self}; say what is missing"
            )

    @property
    def status(self) -> str:
        """Return the key of `STATUS` that follows from `where`, `why` and the numbers."""
        if self.stand_in or not self.where:
            return "stand-in" if self.stand_in else "missing"
        differs = any(number.agrees(number.compute()) is False for number in self.printed_numbers)
        return "partly" if self.why or differs else "works"

    @property
    def printed_numbers(self) -> tuple[PrintedNumber, ...]:
        """The numbers that the paper prints for the statement."""
        return NUMBERS[self.numbers] if self.numbers else ()


def paper_statements(paper: str) -> tuple[PaperStatement, ...]:
    """Return the statements of a paper, in the paper's order."""
    every = (PaperStatement(**row) for row in declared_tables("papers", "row", by="says").values())
    return tuple(row for row in every if row.paper == paper)


def resolve_reference(where: str) -> tuple[str, str]:
    """Split `kind:name` and check that it exists; the kind is "" for a public name."""
    kind, colon, name = where.partition(":")
    exists = {
        "theorem": name in THEOREMS,
        "figure": name in FIGURES,
        "page": (_PAGES / f"{name}.md").exists(),
    }
    if not colon:
        try:
            attrgetter(where.removeprefix("fp."))(fp)
        except AttributeError as gone:
            raise ValueError(f"where must be a public name, got {where!r}: {gone}; correct the row") from gone
        return "", where
    if not exists.get(kind, False):
        raise ValueError(f"where must name an existing {kind}, got {where!r}; correct the row")
    return kind, name


def _simple_conversion_epsilon(sigma: int, k: float) -> float:
    """Return epsilon at delta = 1e-5 of k Gaussian steps, by the simple zCDP conversion."""
    return float(BUN_STEINKE.epsilon(k / (2 * sigma**2), 1e-5))


def _epsilons_of_420_steps() -> tuple[float, float]:
    """Return the epsilons of 420 steps at sigma = 100, by RDP and by GDP."""
    return float(CKS.epsilon(420 / 20000, 1e-5)), float(gaussian_epsilon(420**0.5 / 100, 1e-5))


def _percent_gdp_is_smaller() -> float:
    """Return the percentage by which GDP's epsilon of 420 steps is smaller than RDP's."""
    rdp, gdp = _epsilons_of_420_steps()
    return 100 * (1 - gdp / rdp)


def _cost_of_counts_in_steps(sigma: int, resolution: float) -> float:
    """Return the number of steps that cost as much as eight noisy counts of 60000 people."""
    return 8 * sigma**2 / (60000 * resolution) ** 2


#: The numbers of a row, by name.
NUMBERS: Mapping[str, tuple[PrintedNumber, ...]] = {
    "parameters": (
        *(
            PrintedNumber(
                f"epsilon, sigma = {sigma}, k = {k}",
                printed,
                partial(_simple_conversion_epsilon, sigma, k),
                f"k = {fits} stays within it",
            )
            for sigma, k, printed, fits in (
                (170, 112, "0.3", 111),
                (130, 180, "0.5", 179),
                (100, 420, "1.0", 416),
            )
        ),
        *(
            PrintedNumber(f"B_norm, C = {clip}, k = {k}", printed, partial(float, k * clip**2))
            for k, clip, printed in ((112, 10, "11200"), (180, 15, "40500"), (420, 10, "42000"))
        ),
    ),
    "reports": tuple(
        PrintedNumber(
            f"steps, sigma = {sigma}, resolution {100 * resolution:g} %",
            printed,
            partial(_cost_of_counts_in_steps, sigma, resolution),
            "with the resolution as standard deviation, and 60000 people",
        )
        for sigma, resolution, printed in (
            (170, 0.01, "less than one or two"),
            (130, 0.01, "less than one or two"),
            (100, 0.001, "a few dozen"),
        )
    ),
    "more_steps": (
        PrintedNumber("epsilon of 420 steps by RDP", "0.8", lambda: _epsilons_of_420_steps()[0]),
        PrintedNumber(
            "steps by GDP",
            "495",
            lambda: fp.conversions.gaussian_steps(100, _epsilons_of_420_steps()[0], "1e-5"),
        ),
        PrintedNumber(
            "percent by which epsilon is smaller",
            "10",
            _percent_gdp_is_smaller,
            'printed as "roughly 10 percent"',
        ),
    ),
    "noise": (
        PrintedNumber(
            "sigma, 50 epochs, epsilon = 2.75",
            "10.61",
            lambda: 50**0.5 / float(fp.conversions.max_gaussian_mu(2.75, 1e-5)),
            'printed as "about"',
        ),
    ),
    "split": (
        PrintedNumber(
            "delta-hat, N = 48",
            "4.797e-6",
            lambda: fp.conversions.optimal_split(48, 1e-5).dhat,
            "at delta = 1e-5, which the paper does not state; the printed pair is optimal for no delta",
        ),
    ),
}

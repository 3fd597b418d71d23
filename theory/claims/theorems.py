"""Every theorem by name: rows of this room that the kernel proves, and those that steps of `theory.proofs` prove.

>>> list(THEOREMS)[2:5]
['RR zCDP', 'RDP filter', 'B*']
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module

from theory.arguments import did_you_mean
from theory.claims.theorem import Theorem

__all__ = ["THEOREMS", "unknown"]

#: The module of each theorem: one of its own where steps prove it, a row of `theory.claims` where the kernel does.
_MODULES = {
    "Gaussian hockey-stick": "proofs.gaussian_hockey_stick",
    "Rényi divergences": "proofs.renyi_divergences",
    "RR zCDP": "proofs.pure_to_zcdp",
    "RDP filter": "claims.divergences",
    "B*": "proofs.b_star",
    "approximate-DP filter": "claims.conversions",
    "CKS": "proofs.cks",
    "conversions": "proofs.conversions",
    "basic composition": "claims.approximate",
    "good part": "proofs.good_part",
    "approximate zCDP filter": "claims.approximate",
    "all orders": "claims.conversions",
    "GDP filter": "claims.gaussian",
    "Blackwell filter": "claims.gaussian",
    "Gaussian slack": "proofs.gaussian_slack",
    "kappa": "proofs.kappa",
    "realisation filter": "claims.approximate",
    "loss supermartingale": "proofs.loss_supermartingale",
    "potential filter": "claims.approximate",
    "Whitehouse filter": "claims.approximate",
    "Rogers filter": "claims.approximate",
    "odometers": "proofs.odometers",
    "trackers": "claims.divergences",
    "individual filter": "proofs.individual_filter",
    "linear queries": "proofs.linear_queries",
    "tilted weights": "claims.divergences",
    "infinite losses": "proofs.infinite_losses",
    "natural filter": "proofs.natural_filter",
    "some order": "proofs.some_order",
    "papers' steps": "proofs.papers_steps",
    "slips": "proofs.slips",
}


def unknown(name: object) -> str:
    """The sentence about a name that no theorem has."""
    near = did_you_mean(name, _MODULES) or f"; known: {', '.join(_MODULES)}"
    return f"name must be a known theorem, got name={name!r}{near}"


class _Registry(Mapping[str, Theorem]):
    """Theorems by name, in the order of the proofs; a theorem's module and sympy are imported when asked for."""

    def __getitem__(self, name: str) -> Theorem:
        if name not in _MODULES:
            raise KeyError(unknown(name))
        module = import_module(f"theory.{_MODULES[name]}")
        rows: tuple[Theorem, ...] = getattr(module, "ROWS", None) or (module.THEOREM,)
        return next(row for row in rows if row.name == name)

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)

    def __repr__(self) -> str:
        return f"<{len(self)} theorems by name, such as {next(iter(self))!r}>"


#: Every theorem, by name.
THEOREMS: Mapping[str, Theorem] = _Registry()


def _named(name: str) -> Theorem:
    return THEOREMS[name]


def _by_its_name(theorem: Theorem) -> tuple[Callable[[str], Theorem], tuple[str]]:
    # checks are closures: another process takes its own theorem of that name
    if THEOREMS.get(theorem.name) is not theorem:
        raise TypeError(
            f"theorem must be one of THEOREMS to be pickled, got one of your own, {theorem.name!r}; "
            "prove it where it was made"
        )
    return _named, (theorem.name,)


copyreg.pickle(Theorem, _by_its_name)

"""What filters say that they hold every path to, beside formulas of their parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from filterproof.filters.catalogue import (
    AllOrdersFilter,
    ApproximateDPFilter,
    ApproximateZCDPFilter,
    BasicFilter,
    GaussianFilter,
    RenyiFilter,
    RogersFilter,
    WhitehouseFilter,
    ZCDPFilter,
)
from filterproof.filters.certified.comparison import Comparison, Comparisons
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.theory.conversions import BUN_STEINKE

#: The simple budget of (epsilon, tail).
_STAR = "(epsilon/(sqrt(log(1/tail) + epsilon) + sqrt(log(1/tail))))**2"
#: K of drift S/2 and S = 2x, beyond epsilon: no admitted run has a larger sum of squares.
_H = "(100*epsilon**2/(2804*log(1/delta)))"
_K = f"x + sqrt(2*(2*x + {_H})*(1 + log(2*x/{_H} + 1)/2)*log(2/delta)) - epsilon"
#: Bounds are doubles to nearest; where a budget was rounded down, it is by less than this.
_SLACK = 2.0**-40
#: What the largest sum of squares of RogersFilter is raised by, and a little.
_RAISED = 2e-11

_PURE = {"zcdp": "epsilon**2/2", "pure": "epsilon", "infinite": "delta"}
_ROGERS, _WHITEHOUSE = (
    {"zcdp": _K, "infinite": "delta/2"},
    {"zcdp": _STAR, "infinite": "(delta - tail)/weight"},
)
#: Filters, and what they hold every path to, in formulas of their parameters; orders are numbers; nothing else.
HELD: tuple[tuple[FilterBase, Mapping[Any, str]], ...] = (
    (BasicFilter(1.0, 1e-3), _PURE),
    (BasicFilter(0.3), _PURE),
    (RogersFilter(2.0, 1e-3), _ROGERS),
    (RogersFilter(50.0, 0.3), _ROGERS),
    (WhitehouseFilter(1.0, 1e-3), _WHITEHOUSE),
    (WhitehouseFilter(5.0, 1e-3, tail=1e-4, weight=2.0), _WHITEHOUSE),
    (RenyiFilter(8.0, 1.0), {8.0: "rho"}),
    (AllOrdersFilter((2.0, 8.0, 32.0), (0.25, 1.0, 4.0)), {2.0: "1/4", 8.0: "1", 32.0: "4"}),
    (ZCDPFilter(0.3), {"zcdp": "rho"}),
    (ApproximateZCDPFilter(0.5, 1e-3), {"zcdp": "rho", "infinite": "xi"}),
    (ApproximateDPFilter(1.0, 1e-5, BUN_STEINKE), {"zcdp": _STAR.replace("tail", "delta")}),
    (GaussianFilter(0.7), {"zcdp": "mu**2/2"}),
)


def bound_comparisons(filt: FilterBase, bounds: Mapping[Any, str]) -> Iterator[Comparison]:
    """The bounds of `filt.holds`: sums of zCDP charges, of pure epsilons, of infinite mass, of divergences."""
    holds, of = filt.holds, Comparisons("RDP filter")
    assert holds is not None
    for name in ("zcdp", "pure", "infinite"):
        says, value = f"{filt!r} holds {name}", getattr(holds, name)
        formula = bounds.get(name, "0" if name == "infinite" else "")
        names = re.findall(r"\w+", formula)
        at = {one.name: getattr(filt, one.name) for one in fields(filt) if one.name in names}  # type: ignore[arg-type]
        if not formula:
            yield of.infinite(says, value)
        elif formula is _K:
            yield of.by_margin(f"{says}, by K", value, ">=", _K, slack=_RAISED, **at)
        else:
            yield of.near_truth(says, value, formula, slack=_SLACK if at else 0, **at)
    orders = dict(holds.orders)
    for alpha, formula in ((key, text) for key, text in bounds.items() if isinstance(key, float)):
        at = {"rho": filt.rho} if isinstance(filt, RenyiFilter) else {}
        yield of.near_truth(
            f"{filt!r} holds order {alpha!r}", orders.get(alpha, 0.0), formula, slack=_SLACK, **at
        )

"""How much of the promised delta the worst adversary over a menu reaches against each filter; the rest is unused.

>>> import filterproof as fp
>>> row = fp.figure("unused", epsilons=(1.0,)).data.rows()[0]
>>> f"{row['simple']:.4f}, {row['cks']:.3f}, {row['calibrated']:.3f}"
'0.0031, 0.248, 0.797'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from matplotlib.axes import Axes

from filters import (
    ApproximateDPFilter,
    BasicFilter,
    GaussianFilter,
    PrivacyFilter,
    RogersFilter,
    WhitehouseFilter,
)
from mc.worst_case.calibrated import calibrated
from mc.worst_case.calibrated_threshold import CalibratedThreshold
from mc.worst_case.solve import worst_case
from reports.figures.data import FigureData
from reports.figures.lines import colour, line, number_ticks
from reports.figures.paper_figure import PaperFigure, Source
from reports.figures.specification import (
    Specification,
    check_between,
    check_count_to,
    check_probability,
    check_several,
    checked,
)
from theory.conversions import CKS, SIMPLE, gaussian_mu
from theory.evidence import Evidence
from theory.pairs import Gaussian, RandomizedResponse

__all__ = ["UNUSED"]

#: Steps of the budget to which sums of mu^2 of randomised responses, which never coincide, are rounded.
_SPEND_STEPS = 20_000


def _gdp(epsilon: float, delta: float) -> PrivacyFilter:
    return GaussianFilter(float(gaussian_mu(epsilon, delta)))


#: column -> (label, filter of (epsilon, delta), whether the menu is that of Gaussians).
_FILTERS: dict[str, tuple[str, Callable[[float, float], PrivacyFilter], bool]] = {
    "gdp_gaussians": ("GDP, asked for Gaussians", _gdp, True),
    "calibrated": ("calibrated, from the table", calibrated, False),
    "cks": ("B*, CKS", lambda epsilon, delta: ApproximateDPFilter(epsilon, delta, CKS), False),
    "gdp": ("GDP", _gdp, False),
    "simple": ("B*, simple (000)", lambda epsilon, delta: ApproximateDPFilter(epsilon, delta, SIMPLE), False),
    "whitehouse": (
        "Whitehouse et al.",
        lambda epsilon, delta: WhitehouseFilter(epsilon, delta, tail=delta),
        False,
    ),
    "rogers": ("Rogers et al.", RogersFilter, False),
    "basic": ("basic", BasicFilter, False),
}
#: column -> (colour, dashes, marker, size of the marker); basic composition reaches nothing, which has no logarithm.
_LOOKS: dict[str, tuple[int, int, str, float]] = {
    "gdp_gaussians": (-2, 2, "x", 5),
    "calibrated": (2, 5, "D", 5),
    "cks": (1, 0, "s", 4),
    "gdp": (4, 4, "^", 5),
    "simple": (0, 0, "o", 4),
    "whitehouse": (5, 1, "o", 8),
    "rogers": (3, 3, "v", 5),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unused(Specification):
    """Promises (epsilon, delta) for several epsilons; the menu is RR at `levels` times the step of the table's row."""

    delta: float = checked(1e-5, check_probability, low=1e-9, high=0.3)
    epsilons: tuple[float, ...] = checked(
        (0.25, 0.5, 1.0, 2.0, 5.0, 10.0),
        check_several,
        check=partial(check_between, low=0.1, high=10.0),
        most=12,
    )
    levels: tuple[int, ...] = checked(
        (2, 4, 8),
        check_several,
        check=partial(check_count_to, most=50, remedy="the rows hold not many more"),
        most=3,
    )
    QUICK: ClassVar[Mapping[str, Any]] = {"epsilons": (0.5, 2.0)}


def _step(epsilon: float, delta: float) -> float:
    """The least level of the calibrated filter: at its multiples no filter here rounds a charge."""
    row = calibrated(epsilon, delta).certificate
    assert isinstance(row, CalibratedThreshold)
    return row.step


def _data(spec: _Unused) -> FigureData:
    columns: dict[str, list[float]] = {"epsilon": list(spec.epsilons)}
    for epsilon in spec.epsilons:
        step, mu = _step(epsilon, spec.delta), float(gaussian_mu(epsilon, spec.delta))
        responses = tuple(RandomizedResponse(step * k) for k in spec.levels)
        for name, (_, made, gaussian) in _FILTERS.items():
            found = worst_case(
                made(epsilon, spec.delta),
                (Gaussian(mu / 2), Gaussian(mu / 4)) if gaussian else responses,
                epsilon=epsilon,
                evidence=Evidence.CERTIFIED,
                spend_steps=_SPEND_STEPS if name == "gdp" else None,
            )
            columns.setdefault(name, []).append(found.low / spec.delta)
            columns.setdefault(f"{name}_at_most", []).append(found.high / spec.delta)
    return FigureData.of(**columns)


def _range(data: FigureData, name: str) -> str:
    low, high = (float(end) for end in (data.column(name).min(), data.column(f"{name}_at_most").max()))
    return f"{100 * low:.3g} to {100 * high:.3g} %"


def _caption(spec: _Unused, data: FigureData) -> str:
    levels = ", ".join(map(str, spec.levels))
    simple = data.column("simple")
    same = bool((data.column("whitehouse") == simple).all() and (simple > 0).any())
    also = " Whitehouse et al., with all of delta for the tail, is the same rule." if same else ""
    return (
        f"Every filter promises (epsilon, {spec.delta:g})-DP. The worst adversary over randomised responses at "
        f"{levels} times the step of the calibrated filter reaches this share of the promised delta, the rest is "
        f"unused: {_range(data, 'calibrated')} with the calibrated threshold, {_range(data, 'cks')} with B* by CKS, "
        f"{_range(data, 'simple')} with 000's B*, {_range(data, 'rogers')} with Rogers et al.{also} The GDP filter, "
        f"which charges these responses as the Gaussians that dominate them, leaves all but {_range(data, 'gdp')}; "
        f"asked for Gaussians it reaches at least {100 * data.column('gdp_gaussians').min():.2f} %. Basic composition "
        f"is not drawn: pure mechanisms within it never pass epsilon, and reach nothing. Certified enclosures; other "
        f"menus can reach more."
    )


def _alt(spec: _Unused, data: FigureData) -> str:
    last = data.rows()[-1]
    ends = ", ".join(
        f"{_FILTERS[name][0]}: {last[name]:.2g}"
        for name in sorted(_LOOKS, key=lambda one: -data.column(one)[-1])
    )
    return (
        f"Lines of the share of delta that is reached, on a logarithmic axis, against epsilon from "
        f"{spec.epsilons[0]:g} to {spec.epsilons[-1]:g}. At the right end, from the top, {ends}."
    )


def _draw(spec: _Unused, data: FigureData, axes: Sequence[Axes]) -> None:
    (ax,) = axes
    epsilon = data.column("epsilon")
    for name, (k, dash, marker, size) in _LOOKS.items():
        low, high = data.column(name), data.column(f"{name}_at_most")
        ax.fill_between(epsilon, low, high, color=colour(k), alpha=0.3, lw=0)
        look: dict[str, Any] = {"marker": marker, "ms": size, "mfc": "none" if size > 7 else None}
        line(ax, epsilon, low, k, dash=dash, label=_FILTERS[name][0], **look)
    ax.axhline(1, color=colour(-1), lw=1.2)
    ax.set(
        xscale="log",
        yscale="log",
        xlabel="epsilon (nats)",
        ylabel="share of delta reached",
        title=f"What the worst adversary makes of delta = {spec.delta:g}",
    )
    ax.legend(
        fontsize=8.5, loc="center left", bbox_to_anchor=(0.0, 0.42), handlelength=3.0, labelspacing=0.25
    )
    number_ticks(ax, (0.1, 0.25, 0.5, 1, 2, 5, 10), epsilon)


UNUSED = PaperFigure(
    name="unused",
    title="delta left unused by each filter against epsilon",
    source=Source("000", "no figure: how tight Theorem 4.9 is", "Section 4.3"),
    specification=_Unused,
    data=_data,
    draw=_draw,
    caption=_caption,
    alt=_alt,
)

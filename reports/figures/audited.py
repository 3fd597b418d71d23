"""An audit of a trained network: what a test of everything released tells of one person, with filtering and without.

>>> import filterproof as fp
>>> shown = fp.figure("audit", quick=True)
>>> {row["sums"]: row["above"] for row in shown.data.rows()}["clipping after adding"]
True
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from matplotlib.axes import Axes

from filters import ClippedSums, ClippingAfterAdding, ForgettingSums, GaussianFilter, knowingly
from mc import TrainingAudit, WithCanary, audit_training
from mc.training.digits import digits
from mc.training.network import Network
from reports.figures.data import FigureData
from reports.figures.lines import GREY, colour
from reports.figures.network_training import NetworkTraining
from reports.figures.paper_figure import PaperFigure, Source
from reports.figures.specification import Specification, check_between, check_count_to, check_seed, checked

__all__ = ["AUDIT"]

#: The canary's norm, in clips; and the rate of the descent.
_SIZE, _RATE = 1e4, 2.0
#: name of the row -> (sums, whether they go on when full clips have used a budget up)
_AUDITED: dict[str, tuple[type[ClippedSums], bool]] = {
    "without filtering": (ClippedSums, False),
    "with filtering": (ClippedSums, True),
    "clipping after adding": (ClippingAfterAdding, False),
    "forgetting who sat out": (ForgettingSums, True),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Audit(Specification):
    """Steps at the clip that a budget of mu-GDP covers, four times as many with filtering, and n trainings a row."""

    mu: float = checked(1.0, check_between, low=0.01, high=10.0)
    clip: float = checked(2.0, check_between, low=1e-3, high=1e3)
    steps: int = checked(4, check_count_to, most=100)
    people: int = checked(100, check_count_to, most=digits().people)
    n: int = checked(600, check_count_to, most=100_000, least=4)
    epsilon: float = checked(0.5, check_between, low=1e-3, high=20.0)
    confidence: float = checked(0.9999, check_between, low=0.5, high=1 - 2.0**-40)
    seed: int = checked(0, check_seed)

    QUICK: ClassVar[dict[str, Any]] = {"people": 8, "n": 100, "steps": 2}

    def audit(self, kind: type[ClippedSums], *, long: bool) -> TrainingAudit:
        """The audit of one kind of sums."""
        training = NetworkTraining(
            digits(), Network(), rate=_RATE / self.clip, seed=self.seed, people=self.people
        )
        with knowingly():
            return audit_training(
                WithCanary(training, _SIZE * self.clip),
                kind.making(
                    GaussianFilter(self.mu), clip=self.clip, sigma=self.clip * self.steps**0.5 / self.mu
                ),
                epsilon=self.epsilon,
                steps=self.steps * (4 if long else 1),
                person=self.people,
                n=self.n,
                seed=self.seed,
                confidence=self.confidence,
            )


def _data(spec: _Audit) -> FigureData:
    found = {name: spec.audit(kind, long=long) for name, (kind, long) in _AUDITED.items()}
    promised = next(iter(found.values())).promised
    return FigureData.of(
        sums=list(found),
        steps=[spec.steps * (4 if long else 1) for _, long in _AUDITED.values()],
        reached=[one.reached.value for one in found.values()],
        low=[one.reached.low for one in found.values()],
        high=[one.reached.high for one in found.values()],
        mu_low=[one.mu_low for one in found.values()],
        above=[one.refutes for one in found.values()],
    ).told(promised=promised)


def _caption(spec: _Audit, data: FigureData) -> str:
    rows = data.rows()
    told = "; ".join(
        f"{row['sums']}, {row['steps']} steps: [{row['low']:.2g}, {row['high']:.2g}], mu at least {row['mu_low']:.2g}"
        f"{', ABOVE the promise' if row['above'] else ''}"
        for row in rows
    )
    return (
        f"The tanh network 64-32-10 trained on {spec.people} of scikit-learn's digits, {spec.n} times for each row, "
        f"half of them with a canary: a person more with a vector along a coordinate of its own, {_SIZE:g} times the "
        f"clip. Whoever knows everyone else's data tests all that was released for the canary, by the likelihood "
        f"ratio; reached is P(accused | canary in) - e^epsilon P(accused | canary out) at epsilon = {spec.epsilon:g}, "
        f"promised at most {data.number('promised'):.3g} ({spec.mu:g}-GDP). Intervals at confidence "
        f"{spec.confidence:g} each. "
        f"{told}. Not being above the promise proves nothing."
    )


def _alt(spec: _Audit, data: FigureData) -> str:
    above = [str(row["sums"]) for row in data.rows() if row["above"]]
    return (
        f"Four intervals beside a dashed line at {data.number('promised'):.3g}. With the whole interval above it: "
        f"{', '.join(above) or 'none'}."
    )


def _draw(spec: _Audit, data: FigureData, axes: Sequence[Axes]) -> None:
    (ax,) = axes
    rows = data.rows()
    low, high, reached = (data.column(name)[::-1] for name in ("low", "high", "reached"))
    for y, row in enumerate(reversed(rows)):
        k, marker = (1, "X") if row["above"] else (0, "o")
        ax.hlines(y, max(low[y], -0.1), high[y], lw=2.2, color=colour(k))
        ax.scatter([reached[y]], [y], marker=marker, s=50, color=colour(k))
    ax.axvline(data.number("promised"), ls="--", lw=1.4, color=GREY)
    ax.set(
        xlabel=f"delta reached at epsilon = {spec.epsilon:g}",
        ylabel="sums released",
        xlim=(-0.12, 1.04),
        ylim=(-0.6, len(rows) - 0.4),
        title="An audit; dashed: the promise",
    )
    ax.set_yticks(range(len(rows)), [str(row["sums"]) for row in reversed(rows)])


AUDIT = PaperFigure(
    name="audit",
    title="an audit of a trained network",
    source=Source("000", "no figure: Algorithms 6 and 7", "Section 5"),
    specification=_Audit,
    data=_data,
    draw=_draw,
    caption=_caption,
    alt=_alt,
)

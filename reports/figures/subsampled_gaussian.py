"""Paper 003's Figure 1: DP-SGD on MNIST, one person's privacy profile, and epsilon by three accountants.

>>> import filterproof as fp
>>> shown = fp.figure("003-1", points=2, people=1, steps=4, q=0.5, more_orders=4, trained=5)
>>> shown.data.names[:3]
('panel', 'epsilon', 'delta_low')
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from mc.losses.composition import Bounds, Composition
from mc.losses.individual_accountant import IndividualAccountant
from mc.training.data import DataSet
from mc.training.digits import digits
from mc.training.network import Network
from reports.drawing import GREY
from reports.figures.data import FigureData
from reports.figures.lines import colour, label, line
from reports.figures.specification import (
    Specification,
    any_seed,
    axis_points,
    check_between,
    checked,
    probability,
    real,
    whole,
)
from theory.conversions import gaussian_mu, renyi_epsilon
from theory.guarantees import GaussianDP
from theory.pairs import SubsampledGaussian

_MOST_PEOPLE = 200
#: How far the profile is drawn, over its epsilon at delta.
_BEYOND = 1.3
#: The delta of the paper's other experiments, at which the floor of RDP is told as well.
_OTHER_DELTA = 1e-5
#: How much the mu that dominates at the points drawn is rounded up.
_UP = 1 + 1e-9
#: The people of the digits who are trained on.
MOST_TRAINED = 1437
#: The clip and the rate of the training: about a third of all norms are clipped.
_CLIP, _RATE = 2.0, 0.02
#: The bins of the histograms, and the least width that they cover together.
_BINS, _LEAST = 24, 1e-3


Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SampledDescent:
    """theta_{t+1} = theta_t - rate (sum of clipped gradients over a sample + N(0, (sigma clip)^2 I)) / clip.

    A sample holds each person with probability q. Every `every` steps the gradients of all people are computed, sampled
    or not, which the descent itself does not need.
    Source: the training of paper 003's Figure 1.
    """

    network: Network
    q: float
    sigma: float
    clip: float
    rate: float
    every: int
    seed: int

    def shares(self, data: DataSet, *, steps: int) -> Array:
        """Norms after clipping, over the clip, at steps 0, every, 2 every, ...: shape (looks, people)."""
        rng = np.random.default_rng(self.seed)
        theta = self.network.start(rng)
        seen = []
        for step in range(steps):
            if step % self.every == 0:
                norms = self.network.gradients(theta, data.features, data.labels).norms()
                seen.append(np.minimum(norms / self.clip, 1.0))
            sampled = np.flatnonzero(rng.random(data.people) < self.q)
            total = self.sigma * rng.standard_normal(self.network.dimension)
            if len(sampled):
                gradients = self.network.gradients(theta, data.features[sampled], data.labels[sampled])
                total += gradients.weighted(1 / np.maximum(gradients.norms(), self.clip))
            theta = theta - self.rate * total
        return np.array(seen)


def _beyond(name: str, value: object) -> float | None:
    return None if value is None else check_between(name, value, 1e-3, 10.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledTraining(Specification):
    """`steps` Gaussian mechanisms of noise sigma on samples of rate q; a person's gradients have norm fraction x C.

    The first two panels are of one person with norm `fraction`; epsilon from 0 to
    `most`, or a little beyond the one at delta if it is None. The third has `people` norms
    from `least` to 1, at delta; `orders` and `more_orders` are the largest integer orders of the two RDP accountants.
    The last has `trained` people of a training on digits, whose norms are looked at every `every` steps.
    """

    q: float = real(0.005, 1e-4, 1.0)
    sigma: float = real(2.0, 0.5, 20.0)
    steps: int = whole(10_000, most=100_000)
    delta: float = probability(1e-6, 1e-12, 0.1)
    fraction: float = real(1.0, 0.01, 1.0)
    most: float | None = checked(None, _beyond)
    points: int = axis_points(31)
    least: float = real(0.05, 0.01, 1.0)
    people: int = whole(12, most=_MOST_PEOPLE, remedy="draw fewer")
    orders: int = whole(32, most=4096, least=2)
    more_orders: int = whole(1024, most=4096, least=2)
    trained: int = whole(1000, most=MOST_TRAINED, remedy="the digits have no more")
    every: int = whole(10, most=100_000)
    seed: int = any_seed(0)
    QUICK: ClassVar[Mapping[str, Any]] = {
        "points": 9,
        "people": 5,
        "least": 0.1,
        "trained": 200,
        "every": 50,
    }

    def pair(self, fraction: float) -> SubsampledGaussian:
        """The dominating pair of one step, for a person whose gradients have norm fraction x C."""
        return SubsampledGaussian(self.q, self.sigma / fraction)

    def composition(self, fraction: float) -> Composition:
        """All steps of that person."""
        return Composition({self.pair(fraction): self.steps})

    def rdp(self, fraction: float, orders: int) -> float:
        """epsilon by the best integer order up to `orders`, from the Renyi divergences in both directions."""
        alphas = np.arange(2.0, orders + 1)
        pair = self.pair(fraction)
        one = np.maximum(np.asarray(pair.renyi(alphas)), np.asarray(pair.swapped.renyi(alphas)))
        return float(np.min(renyi_epsilon(alphas, self.steps * one, self.delta)))

    def floor(self, orders: int, delta: float | None = None) -> float:
        """epsilon by RDP of a person who contributes nothing: what the conversion at the largest order costs."""
        return float(renyi_epsilon(float(orders), 0.0, self.delta if delta is None else delta))

    def data(self) -> FigureData:
        person = self.composition(self.fraction)
        at = person.epsilon(self.delta, relative=1e-2)
        # far beyond its epsilon a divergence takes long, and nobody reads it off
        epsilons = np.linspace(0.0, _BEYOND * at.high if self.most is None else self.most, self.points)
        curve = [person.delta(float(epsilon)) for epsilon in epsilons]
        # agrees at delta; and is at least the curve at every point drawn
        mu_at = float(gaussian_mu(at.high, self.delta))
        mus = [
            float(gaussian_mu(float(epsilon), one.high))
            for epsilon, one in zip(epsilons, curve, strict=True)
            if 0 < one.high < 1
        ]
        mu_all = math.sqrt(self.steps) * self.fraction / self.sigma
        mu_range = max(mus) * _UP if mus else mu_all
        fractions = np.linspace(self.least, 1.0, self.people) if self.people > 1 else np.ones(1)
        people = [self.composition(float(one)).epsilon(self.delta, relative=1e-2) for one in fractions]
        costs = self.trained_costs()
        profile = FigureData.of(
            panel=["profile"] * self.points,
            epsilon=epsilons,
            delta_low=[one.low for one in curve],
            delta_high=[one.high for one in curve],
            delta_gdp_range=np.asarray(GaussianDP(mu_range).delta(epsilons)),
            delta_gdp_at=np.asarray(GaussianDP(mu_at).delta(epsilons)),
        )
        norms = FigureData.of(
            panel=["people"] * self.people,
            fraction=fractions,
            epsilon_low=[one.low for one in people],
            epsilon_high=[one.high for one in people],
            epsilon_rdp=[self.rdp(float(one), self.orders) for one in fractions],
            epsilon_rdp_more=[self.rdp(float(one), self.more_orders) for one in fractions],
        )
        parts = (profile, norms, costs)
        names = dict.fromkeys(name for part in parts for name in part.names)
        return FigureData.of_rows([row for part in parts for row in part.rows()], names=names).told(
            mu_at=mu_at,
            mu_range=mu_range,
            mu_all=mu_all,
            person_epsilon_low=at.low,
            person_epsilon_high=at.high,
            floor=self.floor(self.orders),
            floor_more=self.floor(self.more_orders),
            floor_at_other_delta=self.floor(self.orders, _OTHER_DELTA),
            **costs.facts,
        )

    def trained_costs(self) -> FigureData:
        """How many of the trained people have which epsilon, by loss distributions and by RDP with either orders.

        A row a bin. Upper bounds, each. Norms are looked at every `every` steps, and taken for those of the steps
        between.
        """
        every, data = min(self.every, self.steps), digits()
        chosen = np.sort(np.random.default_rng(self.seed).permutation(data.people)[: self.trained])
        run = SampledDescent(
            Network(sizes=(64, 10)), self.q, self.sigma, clip=_CLIP, rate=_RATE, every=every, seed=self.seed
        )
        shares = run.shares(data, steps=self.steps)
        accountant = IndividualAccountant(self.trained, q=self.q, sigma=self.sigma)
        for look, row in enumerate(shares):
            accountant.add(row[chosen], steps=min(every, self.steps - look * every))
        # the digits are public
        low, pld = accountant.epsilon(self.delta).made_public()
        few, more = (
            accountant.renyi_epsilon(self.delta, orders=range(2, most + 1)).high.made_public()
            for most in (self.orders, self.more_orders)
        )
        edges = np.linspace(0.0, max(float(max(few.max(), more.max(), pld.max())), _LEAST), _BINS + 1)
        people_of = {"pld": pld, "rdp": few, "rdp_more": more}
        seen = pld > 0
        return FigureData.of(
            panel=["trained"] * _BINS,
            from_epsilon=edges[:-1],
            to_epsilon=edges[1:],
            **{f"people_{name}": np.histogram(values, edges)[0] for name, values in people_of.items()},
        ).told(
            clipped=(shares[:, chosen] == 1).mean(),
            rounding=(1 - low[seen] / pld[seen]).max() if seen.any() else 0.0,
            **{f"median_{name}": np.median(values) for name, values in people_of.items()},
            **{f"least_{name}": values.min() for name, values in people_of.items()},
            pld_below_rdp_more=(pld < more).mean(),
        )

    def words(self, data: FigureData) -> dict[str, Any]:
        low, rdp, more = _panel(data, "people", "epsilon_low", "epsilon_rdp", "epsilon_rdp_more")
        person = Bounds(data.number("person_epsilon_low"), data.number("person_epsilon_high"))
        excess = {"wide": _excess(data, "delta_gdp_range"), "near": _excess(data, "delta_gdp_at")}
        every = min(self.every, self.steps)
        return {
            "person": person,
            "other": _OTHER_DELTA,
            "looked": "at every step" if every == 1 else f"every {every} steps and kept in between",
            "clipped": 100 * data.number("clipped"),
            "rounding": 100 * data.number("rounding"),
            "below": 100 * data.number("pld_below_rdp_more"),
            **{name: (values.min(), values.max()) for name, values in excess.items()},
            **{name: (one[0], one[-1]) for name, one in (("low", low), ("rdp", rdp), ("more", more))},
        }

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        above, between, below, last = axes
        few, many = f"RDP, orders up to {self.orders}", f"up to {self.more_orders}"
        epsilon, high = _panel(data, "profile", "epsilon", "delta_high")
        line(above, epsilon, high, 0, lw=2.0)
        above.set_yscale("log")
        above.axhline(self.delta, color=GREY, lw=0.8)
        label(above, (0.0, self.delta), f"delta = {self.delta:g}", -1, offset=(4, 4), va="bottom")
        wide, near = _excess(data, "delta_gdp_range"), _excess(data, "delta_gdp_at")
        told = f"mu = {data.number('mu_range'):.4f}, dominates here"
        line(between, epsilon, wide, 1, dash=1, text=told, at=int(np.argmax(wide)), ha="center")
        told = f"mu = {data.number('mu_at'):.4f}, agrees at {self.delta:g}"
        look: dict[str, Any] = {"dash": 2, "lw": 2.2, "offset": (-22, 0), "ha": "right", "va": "center"}
        line(between, epsilon, near, 2, text=told, **look)
        between.axhline(0.0, color=colour(0), lw=1.2)
        between.margins(y=0.14)
        names: tuple[str, ...] = ("fraction", "epsilon_high", "epsilon_rdp", "epsilon_rdp_more")
        fraction, pld, rdp, more = _panel(data, "people", *names)
        line(below, fraction, rdp, 1, marker="s", ms=4, text=few, at=0, offset=(0, 14), va="bottom")
        look = {"dash": 3, "marker": "^", "ms": 5, "offset": (14, 0), "va": "center"}
        line(below, fraction, more, 3, text=many, at=0, **look)
        look = {"marker": "o", "ms": 4, "at": len(fraction) // 2, "offset": (8, -8), "va": "top"}
        line(below, fraction, pld, 0, text="PLD, certified", **look)
        below.set(xlim=(0, 1.02), ylim=(0, None))
        # histograms as steps, whose words stand on the left, where hardly anybody is
        names = ("from_epsilon", "to_epsilon", "people_pld", "people_rdp", "people_rdp_more")
        start, end, *people = (column.astype(float) for column in _panel(data, "trained", *names))
        top = max(1.0, *(float(counts.max()) for counts in people))
        for place, (k, counts, text) in enumerate(zip((0, 1, 3), people, ("PLD", few, many), strict=True)):
            last.stairs(counts, [*start, end[-1]], color=colour(k), lw=2.0, ls=("-", "-", "--")[place])
            label(last, (0.0, (1.13 - 0.11 * place) * top), text, k, offset=(4, 0), va="center")
        last.set(xlim=(0, None), ylim=(0, 1.2 * top))


def _panel(data: FigureData, panel: str, *names: str) -> tuple[NDArray[np.float64], ...]:
    """Columns of one panel: shape (rows of the panel,)."""
    here = data.where("panel", panel)
    return tuple(here.column(name) for name in names)


def _excess(data: FigureData, column: str) -> NDArray[np.float64]:
    """How far a Gaussian curve lies above the profile, in percent."""
    gdp, high = _panel(data, "profile", column, "delta_high")
    return 100 * (gdp / np.maximum(high, 1e-300) - 1)

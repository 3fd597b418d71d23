"""The histogram of Figure 1 of Koskela, Tobaben & Honkela: epsilons of single people after DP-SGD, by PLD and by RDP.

>>> import filterproof as fp
>>> shown = fp.figure("003-1-people", steps=10, people=5, every=10, orders=2)
>>> shown.data.names, int(shown.data.column("pld").sum())
(('epsilon', 'pld', 'rdp'), 5)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from matplotlib.axes import Axes
from threadpoolctl import threadpool_limits

from filterproof.mc.losses.individual_accountant import IndividualAccountant
from filterproof.mc.training.sampled_descent import sampled_descent
from filterproof.reports.figures.figure_data import FigureData
from filterproof.reports.figures.lines import line_colour
from filterproof.reports.figures.specification import (
    Specification,
    any_seed,
    integer_parameter,
    parameter_field,
    probability_parameter,
    real_parameter,
)
from filterproof.reports.figures.stand_in import checked_folder
from filterproof.reports.figures.subsampled_gaussian import DPSGDAccounting
from filterproof.reports.figures.trials import dense_network, training_data

_BINS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledPeople(Specification):
    """Epsilons at delta of `people` random people after `steps` steps of DP-SGD at rate q, noise sigma and this clip.

    The norms of their gradients are taken before every step that is a multiple of `every`, for as many steps. Each
    picture of the stand-in stands for `copies` people. `folder` has IDX files, such as MNIST's, in its place. RDP is
    over the integer orders from 2 to `orders`.
    """

    q: float = real_parameter(0.005, 1e-4, 1.0)
    sigma: float = real_parameter(2.0, 0.5, 20.0)
    clip: float = real_parameter(5.0, 1e-3, 1e3)
    steps: int = integer_parameter(10_000, most=100_000)
    delta: float = probability_parameter(1e-6, 1e-12, 0.1)
    people: int = integer_parameter(1000, most=60_000, least=2)
    orders: int = integer_parameter(32, most=256, least=2)
    rate: float = real_parameter(0.25, 1e-4, 100.0)
    every: int = integer_parameter(10, most=1000)
    copies: int = integer_parameter(42, most=1000)
    seed: int = any_seed(0)
    folder: str = parameter_field("", checked_folder)

    QUICK: ClassVar[Mapping[str, Any]] = {"steps": 200, "people": 200}

    def check_together(self) -> None:
        if self.steps % self.every:
            raise ValueError(
                f"steps must be a multiple of every={self.every}, got steps={self.steps}; pass another every"
            )

    def data(self) -> FigureData:
        data, rng = training_data(self.folder), np.random.default_rng(self.seed)
        network = dense_network(data)
        chosen = rng.permutation(data.people)[: self.people]
        accountant = IndividualAccountant(len(chosen), q=self.q, sigma=self.sigma)
        levels = np.append(0.0, accountant.levels)
        counts = np.zeros((len(chosen), len(levels)))
        descent = sampled_descent(
            data,
            network,
            q=self.q,
            steps=self.steps,
            clip=self.clip,
            sigma=self.sigma,
            rate=self.rate,
            copies=1 if self.folder else self.copies,
            rng=rng,
        )
        with threadpool_limits(1):
            for step, theta in enumerate(descent):
                if step % self.every == 0 and step < self.steps:
                    norms = network.gradients(theta, data.features[chosen], data.labels[chosen]).norms()
                    shares = np.minimum(norms / self.clip, 1.0)
                    accountant.add(shares, steps=self.every)
                    counts[np.arange(len(chosen)), np.searchsorted(levels, shares)] += self.every
            quality = data.quality(network.scores(theta, data.test_features), data.test_labels)
        pld = accountant.epsilon(self.delta)
        high, low = pld.high.made_public(), pld.low.made_public()
        rdp = DPSGDAccounting(q=self.q, sigma=self.sigma, delta=self.delta).composed_rdp(
            levels[1:], counts[:, 1:], self.orders
        )
        edges = np.linspace(0.0, max(high.max(), rdp.max()), _BINS + 1)
        return FigureData.of(
            epsilon=edges[:-1], pld=np.histogram(high, edges)[0], rdp=np.histogram(rdp, edges)[0]
        ).with_facts(
            quality=100 * quality,
            pld_least=high.min(),
            rdp_least=rdp.min(),
            pld_middle=np.median(high),
            rdp_middle=np.median(rdp),
            widest=(high - low).max(),
            right=int(np.count_nonzero(high < rdp)),
            people=len(chosen),
            bin_width=edges[1],
        )

    def caption_values(self, data: FigureData) -> dict[str, Any]:
        where = training_data(self.folder).name
        stand_in = f"A stand-in: {where}, each picture for {self.copies} people"
        return {
            "where": where if self.folder else stand_in,
            "seen": "is seen" if data.facts["right"] == data.facts["people"] else "is not seen for all",
        }

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        edges = np.append(data.column("epsilon"), data.column("epsilon")[-1] + data.number("bin_width"))
        for k, (name, words) in enumerate(
            (("pld", "PLD, certified"), ("rdp", f"RDP, orders up to {self.orders}"))
        ):
            ax.stairs(data.column(name), edges, fill=True, color=line_colour(k), alpha=0.6, label=words)
        ax.legend(fontsize=9)

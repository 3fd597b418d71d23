"""Batch gradient descent against DP-SGD at one guarantee, on scikit-learn's digits.

>>> import filterproof as fp
>>> shown = fp.figure("000-sgd", fractions=(0.25, 1.0), factors=(0.5, 1.0), epochs=4, trials=2)
>>> shown.data.names
('fraction', 'factor', 'steps', 'mean', 'low', 'high')
>>> shown.data.column("steps").tolist()
[16.0, 16.0, 4.0, 4.0]
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from matplotlib.axes import Axes
from threadpoolctl import threadpool_limits

from filterproof.mc.intervals.student import student
from filterproof.mc.training.digits import load_digits
from filterproof.mc.training.network import DenseNetwork
from filterproof.mc.training.sampled_descent import sampled_descent, sampled_noise
from filterproof.reports.figures.figure_data import Cell, FigureData
from filterproof.reports.figures.lines import line, line_colour
from filterproof.reports.figures.specification import (
    Specification,
    any_seed,
    integer_parameter,
    real_parameter,
    real_parameters,
)
from filterproof.reports.figures.trials import DELTA
from filterproof.theory.numerics.decimals import interval

#: Tuned for full batches: see `stand_in`.
_CLIP, _RATE = 2.0, 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FullBatchVersusDPSGD(Specification):
    """Test accuracy of full-batch descent and of DP-SGD at (epsilon, DELTA), by learning rate.

    `fractions` are the Poisson rates, of which 1 is the full batch; `factors` are multiples of the learning rate that
    is tuned for full batches.
    """

    epsilon: float = real_parameter(2.75, 0.05, 50.0)
    fractions: tuple[float, ...] = real_parameters((0.1, 1.0), 0.01, 1.0, most=4)
    factors: tuple[float, ...] = real_parameters((0.0625, 0.25, 1.0, 4.0), 1e-3, 1e3, most=8)
    epochs: int = integer_parameter(50, most=1000, least=2)
    trials: int = integer_parameter(10, most=1000, least=2)
    seed: int = any_seed(0)

    QUICK: ClassVar[dict[str, Any]] = {"trials": 2, "epochs": 8, "fractions": (0.25, 1.0)}

    def data(self) -> FigureData:
        rows: list[dict[str, Cell]] = []
        best: dict[float, list[float]] = {}
        for fraction in self.fractions:
            steps = round(self.epochs / fraction)
            sigma = sampled_noise(fraction, steps, epsilon=self.epsilon, delta=DELTA)
            for factor in self.factors:
                accuracies = self._accuracies(
                    q=fraction, steps=steps, clip=_CLIP, sigma=sigma, rate=_RATE * factor
                )
                mean, low, high = student(accuracies)
                place = {"fraction": fraction, "factor": factor, "steps": steps}
                rows.append({**place, "mean": mean, "low": low, "high": high})
                if mean > float(np.mean(best.get(fraction, [-1.0]))):
                    best[fraction] = accuracies
        whole_batch, small = best[max(best)], best[min(best)]
        gains = [full - sampled for full, sampled in zip(whole_batch, small, strict=True)]
        ends = zip(("gain", "gain_low", "gain_high"), student(gains), strict=True)
        return FigureData.of_rows(rows).with_facts(**dict(ends))

    def _accuracies(self, **how: Any) -> list[float]:
        """Return the test accuracy of each trial in percent; the k-th trials of all settings start alike."""
        data, network = load_digits(), DenseNetwork()
        accuracies = []
        with threadpool_limits(1):
            for number in range(self.trials):
                rng = np.random.default_rng([self.seed, number])
                (theta,) = deque(sampled_descent(data, network, **how, rng=rng), maxlen=1)
                scores = network.scores(theta, data.test_features)
                accuracies.append(100 * data.quality(scores, data.test_labels))
        return accuracies

    def caption_values(self, data: FigureData) -> dict[str, Any]:
        mean, low, high = (data.number(name) for name in ("gain", "gain_low", "gain_high"))
        seen = "seen" if low > 0 else "the opposite is seen" if high < 0 else "undecided"
        best = {
            fraction: max(float(row["mean"] or 0) for row in data.where("fraction", fraction).rows())
            for fraction in self.fractions
        }
        best_text = "; ".join(
            f"{value:.2f} % at {fraction:g} in {round(self.epochs / fraction)} steps"
            for fraction, value in best.items()
        )
        return {"gain": f"{mean:.3g} {interval(low, high, 3)}, {seen}", "best": best_text}

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        for k, fraction in enumerate(self.fractions):
            shown = data.where("fraction", fraction)
            factor, mean, low, high = map(shown.column, ("factor", "mean", "low", "high"))
            ax.fill_between(factor, low, high, color=line_colour(k), alpha=0.2, lw=0)
            line(ax, factor, mean, k, label="full batch" if fraction == 1 else f"rate {fraction:g}")
        ax.set_xscale("log")
        ax.legend(fontsize=9, handlelength=3.0)

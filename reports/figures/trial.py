"""One trial: the same start trained without and with individual filtering, under the same promise.

>>> trial = Trial(setting=Setting(epsilon=4.0, clip=6.0, steps=3, rate=0.5, looks=2), seed=0, number=0)
>>> outcome = trial.play()
>>> len(outcome.answers), len(outcome.active), outcome.stopped in (3, 8)
(2, 9, True)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from threadpoolctl import threadpool_limits

from filters.holders.individual import IndividualFilter
from filters.rules.zcdp import ZCDPFilter
from mc.training.descent import Descent
from mc.training.digits import digits
from mc.training.network import Network
from mc.training.stopping import PrivateCounts
from theory.conversions import SIMPLE

__all__ = ["Setting", "Trained", "Trial"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """(epsilon, delta) is promised; without filtering `steps` steps are taken, each sum clipped to `clip`.

    The promise is kept by rho-zCDP with rho by 000's simple conversion. A share `asked` of rho is set aside where one
    asks by private counts when to stop: `looks` times, before the first further step and then every `every` steps.
    """

    epsilon: float
    clip: float
    steps: int
    rate: float
    delta: float = 1e-5
    asked: float = 0.1
    looks: int = 8
    every: int = 5

    @property
    def rho(self) -> float:
        """The budget of everyone: the largest rho for which rho-zCDP is (epsilon, delta)-DP by the simple theorem."""
        return float(SIMPLE.budget(self.epsilon, self.delta))

    @property
    def descent_rho(self) -> float:
        """What of rho the steps may cost where counts are asked for."""
        return self.rho * (1 - self.asked)

    @property
    def counts_rho(self) -> float:
        """What of rho the counts may cost; with `descent_rho` it is rho exactly, the difference being exact."""
        return self.rho - self.descent_rho

    @property
    def sigma(self) -> float:
        """The noise without filtering, in units of the clip: `steps` steps cost rho (000, Proposition 5.1)."""
        return float((self.steps / (2 * self.rho)) ** 0.5)

    @property
    def filtered_sigma(self) -> float:
        """The noise with filtering: `steps` steps clipped to the most cost what is left for them."""
        return float((self.steps / (2 * self.descent_rho)) ** 0.5)

    @property
    def count_sigma(self) -> float:
        """The noise of each count, in people: `looks` of them, in each of which everyone counts, cost their share."""
        return float((self.looks / (2 * self.counts_rho)) ** 0.5)

    @property
    def further(self) -> int:
        """The steps after the first `steps`: `every` between two looks."""
        return self.every * (self.looks - 1)

    def shortened(self, factor: float, *, clip: float = 1.0) -> Setting:
        """factor^2 times fewer steps keep the promise: with a noise smaller by factor, or a clip larger by it as well.

        Source: paper 000, Appendix A.
        """
        return replace(self, clip=self.clip * clip, steps=max(round(self.steps / factor**2), 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """What came of a trial. All but the two accuracies' parameters and the answers is known for public data only.

    plain, filtered: test accuracy of the parameters that each releases. stopped: the step whose answer was the best.
    answers: the noisy training accuracies asked for. curve, active: test accuracy, and the number of people who
    counted in the last step, after each step with filtering, shape (steps + further + 1,).
    """

    plain: float
    filtered: float
    stopped: int
    answers: tuple[float, ...]
    curve: tuple[float, ...]
    active: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Trial `number` of a setting, on the digits, by the network 64-32-10; the same one is the same to the bit.

    Both descents start from the same parameters. The plain one spends rho on its steps; the filtered one spends less
    on them, by the share that is set aside for the counts, and so has a little more noise.
    """

    setting: Setting
    seed: int
    number: int

    def play(self) -> Trained:
        """Train both, on one thread: products as small as these wait for others longer than they take."""
        with threadpool_limits(1):
            plain = self.descent(filtered=False)
            plain.steps(self.setting.steps)
            return self._filtered(_tested(plain))

    def descent(self, *, filtered: bool) -> Descent:
        """The descent at its start, with the budgets of its steps."""
        setting, data = self.setting, digits()
        rho = setting.descent_rho if filtered else setting.rho
        return Descent(
            data,
            Network(),
            IndividualFilter(ZCDPFilter(rho), people=data.people),
            clip=setting.clip,
            sigma=setting.filtered_sigma if filtered else setting.sigma,
            rate=setting.rate,
            seed=int(self._seeds()[0].generate_state(1)[0]),
        )

    def _filtered(self, plain: float) -> Trained:
        setting, descent = self.setting, self.descent(filtered=True)
        counts = PrivateCounts(people=descent.data.people, rho=setting.counts_rho, looks=setting.looks)
        rng = np.random.default_rng(self._seeds()[1])
        curve, active, answers = [_tested(descent)], [descent.active()], []
        best = (-np.inf, 0, 0.0)
        for taken in range(setting.steps + setting.further + 1):
            if taken:
                next(descent)
                curve.append(_tested(descent))
                active.append(descent.active())
            if taken >= setting.steps and (taken - setting.steps) % setting.every == 0:
                data = descent.data
                right = descent.network.right(descent.theta, data.features, data.labels)
                answers.append(counts.count(right, rng) / data.people)
                best = max(best, (answers[-1], taken, curve[-1]))
        return Trained(
            plain=plain,
            filtered=best[2],
            stopped=best[1],
            answers=tuple(answers),
            curve=tuple(curve),
            active=tuple(active),
        )

    def _seeds(self) -> list[np.random.SeedSequence]:
        return np.random.SeedSequence([self.seed, self.number]).spawn(2)


def _tested(descent: Descent) -> float:
    data = descent.data
    return float(descent.network.right(descent.theta, data.test_features, data.test_labels).mean())

"""One trial: the same start trained without and with individual filtering, under the same promise.

>>> from mc.training.setting import Setting
>>> trial = Trial(setting=Setting(epsilon=4.0, clip=6.0, steps=3, rate=0.5, looks=2), seed=0, number=0)
>>> outcome = trial.play()
>>> len(outcome.answers), len(outcome.active), outcome.stopped in (3, 8)
(2, 9, True)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from filters.holders.individual import IndividualFilter
from filters.rules.zcdp import ZCDPFilter
from mc.training.descent import Descent
from mc.training.digits import digits
from mc.training.network import Network
from mc.training.setting import Setting
from mc.training.stopping import PrivateCounts

__all__ = ["Trained", "Trial"]


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

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Trained:
        """The outcome that `to_data` told; KeyError where a part is missing."""
        return cls(
            plain=float(data["plain"]),
            filtered=float(data["filtered"]),
            stopped=int(data["stopped"]),
            **{name: tuple(data[name]) for name in ("answers", "curve", "active")},
        )

    def to_data(self) -> dict[str, Any]:
        """The outcome as JSON-able values."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Trial `number` of a setting, on the digits, by the network 64-32-10; the same one is the same to the bit.

    Both descents start from the same parameters. The plain one spends rho on its steps; the filtered one spends less
    on them, by the share that is set aside for the counts, and so has a little more noise.
    """

    setting: Setting
    seed: int
    number: int

    def parameters(self) -> dict[str, Any]:
        """Everything that decides the outcome, as JSON-able values."""
        return {
            "kind": "trial",
            "setting": self.setting.parameters(),
            "seed": self.seed,
            "number": self.number,
        }

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
    return descent.network.accuracy(descent.theta, data.test_features, data.test_labels)

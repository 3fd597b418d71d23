"""The last panel of paper 003's Figure 1 in a stand-in: epsilon of many people of one training, by three accountants.

>>> found = trained_costs(q=0.005, sigma=2.0, steps=200, delta=1e-6, people=20, every=100, orders=(8, 16), seed=0)
>>> len(found), int(found.column("people_pld").sum())
(24, 20)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mc.losses.individual_accountant import IndividualAccountant
from mc.training.digits import digits
from mc.training.network import Network
from reports.figures.data import FigureData
from reports.figures.lines import colour, label
from reports.figures.sampled_descent import SampledDescent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MOST_TRAINED", "draw_costs", "trained_costs"]

#: The people of the digits who are trained on.
MOST_TRAINED = 1437
#: The clip and the rate of the training: about a third of all norms are clipped.
_CLIP, _RATE = 2.0, 0.02
#: The bins, and the least width that they cover together.
_BINS, _LEAST = 24, 1e-3


def trained_costs(
    *,
    q: float,
    sigma: float,
    steps: int,
    delta: float,
    people: int,
    every: int,
    orders: tuple[int, int],
    seed: int,
) -> FigureData:
    """How many of `people` have which epsilon, by loss distributions and by RDP with orders up to either of `orders`.

    A row a bin. Upper bounds, each. Norms are looked at every `every` steps, and taken for those of the steps between.
    """
    every = min(every, steps)
    data = digits()
    chosen = np.sort(np.random.default_rng(seed).permutation(data.people)[:people])
    run = SampledDescent(
        Network(sizes=(64, 10)), q=q, sigma=sigma, clip=_CLIP, rate=_RATE, every=every, seed=seed
    )
    shares = run.shares(data, steps=steps)
    accountant = IndividualAccountant(people, q=q, sigma=sigma)
    for look, row in enumerate(shares):
        accountant.add(row[chosen], steps=min(every, steps - look * every))
    # the digits are public
    low, pld = accountant.epsilon(delta).made_public()
    few, more = (
        accountant.renyi_epsilon(delta, orders=range(2, most + 1)).high.made_public() for most in orders
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


def draw_costs(ax: Axes, data: FigureData, orders: Sequence[int]) -> None:
    """The three histograms, as steps."""
    here = data.column("panel") == "trained"
    start, end = (data.column(name)[here].astype(float) for name in ("from_epsilon", "to_epsilon"))
    told = (
        ("people_pld", 0, "PLD"),
        ("people_rdp", 1, f"RDP, orders up to {orders[0]}"),
        ("people_rdp_more", 3, f"up to {orders[1]}"),
    )
    most, texts = 0.0, []
    for place, (name, k, text) in enumerate(told):
        counts = data.column(name)[here].astype(float)
        ax.stairs(counts, [*start, end[-1]], color=colour(k), lw=2.0, ls=("-", "-", "--")[place])
        most = max(most, float(counts.max()))
        texts.append((k, text))
    for place, (k, text) in enumerate(texts):  # on the left, where hardly anybody is
        label(ax, (0.0, (1.13 - 0.11 * place) * max(most, 1.0)), text, k, offset=(4, 0), va="center")
    ax.set(
        xlim=(0, None),
        ylim=(0, 1.2 * max(most, 1.0)),
    )

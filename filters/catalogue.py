"""The catalogue: every filter of the project with an example of it; `filters` exports the classes listed here.

>>> CATALOGUE["ZCDPFilter"].example()
ZCDPFilter(rho=0.5)
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from filters.entry import Entry, FilterPage
from filters.rules.blackwell import BlackwellFilter
from filters.rules.ex_post import ExPostFilter
from filters.rules.gaussian_residue import GaussianResidueFilter
from filters.rules.hockey_stick import HockeyStickFilter
from filters.rules.one_sum import ApproximateDPFilter, GaussianFilter, RenyiFilter
from filters.rules.orders import AllOrdersFilter, SomeOrderMarkovFilter
from filters.rules.potential import PotentialFilter
from filters.rules.ranged_blackwell import RangedBlackwellFilter
from filters.rules.realisation import RealisationFilter
from filters.rules.several_sums import ApproximateZCDPFilter, BasicFilter, RogersFilter, WhitehouseFilter
from filters.rules.unsound import (
    CentralLimitFilter,
    NaiveRealisationFilter,
    NaturalFilter,
    SomeOrderFilter,
    SquaredLossFilter,
)
from filters.rules.zcdp import ZCDPFilter
from theory.log_ratio import LogRatio
from theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    FinitePair,
    Gaussian,
    RandomizedResponse,
    SubsampledGaussian,
)

__all__ = [
    "CATALOGUE",
    "AllOrdersFilter",
    "ApproximateDPFilter",
    "ApproximateZCDPFilter",
    "BasicFilter",
    "BlackwellFilter",
    "CentralLimitFilter",
    "Entry",
    "ExPostFilter",
    "GaussianFilter",
    "GaussianResidueFilter",
    "HockeyStickFilter",
    "NaiveRealisationFilter",
    "NaturalFilter",
    "PotentialFilter",
    "RangedBlackwellFilter",
    "RealisationFilter",
    "RenyiFilter",
    "RogersFilter",
    "SomeOrderFilter",
    "SomeOrderMarkovFilter",
    "SquaredLossFilter",
    "WhitehouseFilter",
    "ZCDPFilter",
]

_LADDER = tuple(RandomizedResponse.from_ratio(Fraction(3, 2) ** k) for k in (1, 2, 3))


def _natural(delta: Fraction) -> NaturalFilter:
    return NaturalFilter.from_ratio(Fraction(9, 4), delta, _LADDER)


def _coin(p: str, q: str) -> DominatingPair:
    """A bit that is 1 with probability p on one data set and q on the other."""
    one, other = Fraction(p), Fraction(q)
    return FinitePair((one, 1 - one), (other, 1 - other))


def _responses(*epsilons: float) -> tuple[DominatingPair, ...]:
    return tuple(RandomizedResponse(epsilon) for epsilon in epsilons)


_BIT, _STEP = (RandomizedResponse(0.25),), (Gaussian(mu=0.5),)
_PAIRS, _THREE = (2.0, 32.0), (2.0, 8.0, 32.0)
_FIRST = RandomizedResponse.from_ratio(Fraction("1.10517"))
#: A mechanism of five outcomes and, for each, the one that says most after it; each two keep (5.1) on [0, 1.3].
_FIVE = FinitePair(
    tuple(map(Fraction, ("0.0093", "0.0117", "0.0775", "0.1973", "0.7042"))),
    tuple(map(Fraction, ("0.00276", "0.00468", "0.04136", "0.14894", "0.80226"))),
)
_REPLIES = (
    _FIVE,
    *(_coin("0.5485", "0.37372"), _coin("0.15246", "0.07786"), _coin("0.0389", "0.01404")),
    *(_coin("0.01085", "0.0026"), Erasure(0.00136)),
)
_COINS = (_FIRST, _coin("0.608430710", "0.001614677"), _coin("0.0168334078", "0.000018877554"))

_ENTRIES = (
    Entry(
        GaussianFilter,
        lambda: GaussianFilter(1.0),
        lambda: GaussianFilter(1.5),
        FilterPage(
            r"\sum_t \mu_t^2 \le \mu^2",
            "Squares of the GDP parameters add up. Gaussian mechanisms reach the promise itself, so no filter with "
            "this promise can admit more of them.",
            (Gaussian(0.25), Gaussian(0.5)),
            2.0,
            (0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0),
            (1.0, 2.0, 4.0),
            "filt = fp.GaussianFilter(mu=1.0)\nmenu = [fp.Gaussian(0.25), fp.Gaussian(0.5)]",
            explained="supermartingale",
        ),
    ),
    Entry(
        GaussianResidueFilter,
        lambda: GaussianResidueFilter(1.0),
        lambda: GaussianResidueFilter(1.5),
        FilterPage(
            r"v_t = v_{t-1} - c_t \ge 0,\ v_0 = \mu^2, \quad \mathrm{E}\, \delta_{\varepsilon - L_t}(\sqrt{v_t}) \le "
            r"\delta_\varepsilon(\sqrt{v_t + c_t}) \text{ for all } \varepsilon",
            "A request costs what keeps the Gaussian curve that is left from rising. Gaussian mechanisms cost their "
            "mu^2; randomised response costs up to a third less than the square of its mu, the more is left.",
            _responses(0.25, 0.5),
            2.0,
            (0.5, 1.0, 1.5, 2.0, 2.5, 3.0),
            (1.0, 2.0, 3.0),
            "filt = fp.GaussianResidueFilter(mu=1.0)\n"
            "menu = [fp.RandomizedResponse(0.25), fp.RandomizedResponse(0.5)]",
        ),
    ),
    Entry(
        ZCDPFilter,
        lambda: ZCDPFilter(0.5),
        lambda: ZCDPFilter(0.6),
        FilterPage(
            r"\sum_t \rho_t \le \rho",
            "The sum of zCDP parameters stays within the budget. The stopping rule is the same at every Rényi order.",
            (Gaussian(0.25), Gaussian(0.5)),
            1.0,
            (0.5, 1.0, 1.5, 2.0, 2.5, 3.0),
            (1.0, 2.0, 3.0),
            "filt = fp.ZCDPFilter(rho=0.5)\nmenu = [fp.Gaussian(0.25), fp.Gaussian(0.5)]",
        ),
    ),
    Entry(
        RenyiFilter,
        lambda: RenyiFilter(8.0, 1.0),
        lambda: RenyiFilter(8.0, 1.5),
        FilterPage(
            r"\sum_t D_\alpha(P_t \| Q_t) \le \rho, \quad \alpha = 8",
            "The Rényi divergences of one order, fixed in advance, add up.",
            _responses(0.25, 0.5),
            1.0,
            (0.25, 0.5, 0.75, 1.0, 1.25, 1.5),
            (0.5, 1.0, 1.25),
            "filt = fp.RenyiFilter(alpha=8.0, rho=1.0)\n"
            "menu = [fp.RandomizedResponse(0.25), fp.RandomizedResponse(0.5)]",
        ),
    ),
    Entry(
        AllOrdersFilter,
        lambda: AllOrdersFilter(_THREE, (0.25, 1.0, 4.0)),
        lambda: AllOrdersFilter(_THREE, (0.25, 2.0, 4.5)),
        FilterPage(
            r"\sum_t D_{\alpha_j}(P_t \| Q_t) \le \rho_j \text{ for every } j",
            "Each order of a set that is fixed in advance has its own budget, and all must be kept.",
            (Gaussian(0.125), Gaussian(0.25)),
            0.25,
            (0.125, 0.25, 0.375, 0.5, 0.75, 1.0),
            (0.25, 0.5, 1.0),
            "filt = fp.AllOrdersFilter(alphas=(2.0, 8.0, 32.0), rhos=(0.25, 1.0, 4.0))\n"
            "menu = [fp.Gaussian(0.125), fp.Gaussian(0.25)]",
        ),
    ),
    Entry(
        SomeOrderMarkovFilter,
        lambda: SomeOrderMarkovFilter(6.0, 0.01, _PAIRS),
        lambda: SomeOrderMarkovFilter(6.5, 0.02, _PAIRS),
        FilterPage(
            r"\exists j: \; \sum_t D_{\alpha_j}(P_t \| Q_t) \le \varepsilon - \frac{\log(1/\delta)}{\alpha_j - 1}",
            "Some order of a set may keep its budget, whichever; budgets by Markov's inequality. Each order takes of "
            "delta what lower ones leave unpaid; orders that take more than all of it are refused.",
            (_FIRST, _coin("0.0025", "0.00000227272")),
            6.0,
            (3.0, 4.0, 5.0, 6.0, 6.5),
            (4.0, 5.0, 6.0),
            "from fractions import Fraction\n\n"
            "filt = fp.SomeOrderMarkovFilter(epsilon=6.0, delta=0.01, orders=(2.0, 32.0))\n"
            'p, q = Fraction("0.0025"), Fraction("0.00000227272")\n'
            'menu = [fp.RandomizedResponse.from_ratio(Fraction("1.10517")), fp.FinitePair((p, 1 - p), (q, 1 - q))]',
            rounds=3,
        ),
    ),
    Entry(
        ApproximateDPFilter,
        lambda: ApproximateDPFilter(1.0, 1e-5),
        lambda: ApproximateDPFilter(2.0, 1e-4),
        FilterPage(
            r"\sum_t \rho_t \le B^*(\varepsilon, \delta)",
            "The zCDP filter with the largest budget that a conversion turns into the promise.",
            (Gaussian(0.0618), Gaussian(0.1236)),
            1.0,
            (0.25, 0.5, 0.75, 1.0, 1.25, 1.5),
            (0.5, 1.0, 1.25),
            "filt = fp.ApproximateDPFilter(epsilon=1.0, delta=1e-5)\n"
            "menu = [fp.Gaussian(0.0618), fp.Gaussian(0.1236)]",
        ),
    ),
    Entry(
        ApproximateZCDPFilter,
        lambda: ApproximateZCDPFilter(0.5, 1e-3),
        lambda: ApproximateZCDPFilter(0.6, 2e-3),
        FilterPage(
            r"\sum_t \rho_t \le \rho \text{ and } \sum_t \xi_t \le \xi",
            "Two sums: the zCDP parameters of the good parts, and the probabilities of the bad events.",
            (RandomizedResponse(0.25), KOV(0.5, 2.5e-4)),
            2.0,
            (0.5, 1.0, 1.5, 2.0, 2.5, 3.0),
            (1.0, 2.0, 3.0),
            "filt = fp.ApproximateZCDPFilter(rho=0.5, xi=1e-3)\n"
            "menu = [fp.RandomizedResponse(0.25), fp.KOV(0.5, 2.5e-4)]",
        ),
    ),
    Entry(
        BasicFilter,
        lambda: BasicFilter(1.0, 1e-3),
        lambda: BasicFilter(1.5, 2e-3),
        FilterPage(
            r"\sum_t \varepsilon_t \le \varepsilon \text{ and } \sum_t \delta_t \le \delta",
            "Epsilons add up, and deltas add up.",
            (KOV(0.25, 2.5e-4), KOV(0.5, 2.5e-4)),
            1.0,
            (0.25, 0.5, 0.75, 1.0, 1.25, 1.5),
            (0.5, 1.0, 1.25),
            "filt = fp.BasicFilter(epsilon=1.0, delta=1e-3)\n"
            "menu = [fp.KOV(0.25, 2.5e-4), fp.KOV(0.5, 2.5e-4)]",
        ),
    ),
    Entry(
        RogersFilter,
        lambda: RogersFilter(2.0, 1e-3),
        lambda: RogersFilter(3.0, 1e-3),
        FilterPage(
            r"\sum_t \frac{\varepsilon_t (e^{\varepsilon_t} - 1)}{2} + \sqrt{2 (S + H) \left(1 + \tfrac{1}{2} "
            r"\log\left(\tfrac{S}{H} + 1\right)\right) \log \tfrac{2}{\delta}} \le \varepsilon, \quad S = \sum_t "
            r"\varepsilon_t^2, \quad \sum_t \delta_t \le \tfrac{\delta}{2}",
            "Advanced composition for epsilons chosen on the way. Half of delta is kept for the tail of the losses, "
            "which randomised responses hardly touch: only the other half is seen here.",
            (RandomizedResponse(0.125), KOV(0.125, 1.25e-4)),
            2.0,
            (0.25, 0.5, 0.75, 1.0, 1.5, 2.0),
            (0.5, 1.0, 2.0),
            "filt = fp.RogersFilter(epsilon=2.0, delta=1e-3)\n"
            "menu = [fp.RandomizedResponse(0.125), fp.KOV(0.125, 1.25e-4)]",
        ),
    ),
    Entry(
        WhitehouseFilter,
        lambda: WhitehouseFilter(1.0, 1e-3),
        lambda: WhitehouseFilter(1.5, 2e-3),
        FilterPage(
            r"\sqrt{2 S \log \tfrac{1}{\delta'}} + \frac{S}{2} \le \varepsilon, \quad S = \sum_t \varepsilon_t^2, "
            r"\quad \sum_t \delta_t \le \delta - \delta'",
            "Advanced composition by a line instead of a mixture, with the constants of one mechanism "
            "known in advance.",
            (RandomizedResponse(0.0625), KOV(0.0625, 1.25e-4)),
            1.0,
            (0.25, 0.5, 0.75, 1.0, 1.25, 1.5),
            (0.5, 1.0, 1.25),
            "filt = fp.WhitehouseFilter(epsilon=1.0, delta=1e-3)\n"
            "menu = [fp.RandomizedResponse(0.0625), fp.KOV(0.0625, 1.25e-4)]",
        ),
    ),
    Entry(
        BlackwellFilter,
        lambda: BlackwellFilter(1.0, _BIT),
        lambda: BlackwellFilter(1.5, _BIT),
        FilterPage(
            r"H_{e^\varepsilon}\left(\otimes_t P_t \| \otimes_t Q_t\right) \le H_{e^\varepsilon}"
            r"(\mathcal{N}(\mu, 1) \| \mathcal{N}(0, 1)) \text{ for all } \varepsilon \in \mathbb{R}",
            "The mechanisms so far, composed as if they had been fixed in advance, must be dominated by one Gaussian.",
            (RandomizedResponse(0.25), Gaussian(0.5)),
            1.0,
            (0.5, 1.0, 1.5, 2.0, 2.5, 3.0),
            (1.0, 2.0, 3.0),
            "filt = fp.BlackwellFilter(mu=1.0, menu=(fp.RandomizedResponse(0.25),))\n"
            "menu = [fp.RandomizedResponse(0.25), fp.Gaussian(0.5)]",
        ),
    ),
    Entry(
        PotentialFilter,
        lambda: PotentialFilter(1.0, 0.01, _responses(0.125, 0.25)),
        lambda: PotentialFilter(1.5, 0.02, _responses(0.125, 0.25)),
        FilterPage(
            r"\exists b' < b: \; \mathrm{E}\, \psi_{b'}(x P_t, y Q_t) \le \psi_b(x, y) \text{ for all } x, y \ge 0, "
            r"\quad \psi_b(x, y) \ge (x - e^\varepsilon y)_+, \quad \psi_{b_0}(1, 1) \le \delta",
            "Each level has a payoff, and a request costs as many levels as keep its mean from rising. The payoffs are "
            "made for the mechanisms of the menu.",
            _responses(0.125, 0.25),
            1.0,
            (0.25, 0.5, 0.75, 1.0, 1.25, 1.5),
            (0.5, 1.0, 1.25),
            "menu = [fp.RandomizedResponse(0.125), fp.RandomizedResponse(0.25)]\n"
            "filt = fp.PotentialFilter(epsilon=1.0, delta=0.01, design=tuple(menu))",
        ),
    ),
    Entry(
        RealisationFilter,
        lambda: RealisationFilter(10.0, 1e-5, 48, _STEP),
        lambda: RealisationFilter(12.0, 1e-5, 48, _STEP),
        FilterPage(
            r"q_i(\theta) + \max_r q_r(\hat\delta) \le \varepsilon - |\ell^{(i-1)}|, \quad "
            r"\hat\delta + \theta (1 - \hat\delta) N \le \delta",
            "The filter looks at the realised loss before the last release, and leaves room for the quantiles of two "
            "more. Erasures spend what it keeps for its quantiles: theta in every round, delta-hat in the last. With "
            "delta = 0 the quantiles are the largest losses, and it keeps pure DP for any number of rounds.",
            (Erasure(9.6e-8), Erasure(5.38e-6)),
            10.0,
            (6.0, 7.0, 8.0, 9.0, 10.0, 11.0),
            (8.0, 9.0, 10.0),
            "filt = fp.RealisationFilter(epsilon=10.0, delta=1e-5, rounds=48, menu=(fp.Gaussian(0.5),))\n"
            "menu = [fp.Erasure(9.6e-8), fp.Erasure(5.38e-6)]",
            rounds=48,
        ),
    ),
    Entry(
        ExPostFilter,
        lambda: ExPostFilter(1.0, 1e-3),
        lambda: ExPostFilter(1.5, 2e-3),
        FilterPage(
            r"\sum_t b_t(y_t) + \max_y b(y) \le \varepsilon \text{ and } \sum_t \delta_t \le \delta",
            "A release is charged what its output turned out to cost; before it, there must be room for the most "
            "that it may cost.",
            (_coin("1/2", "2/5"), KOV(0.25, 2.5e-4)),
            1.0,
            (0.25, 0.5, 0.75, 1.0, 1.25, 1.5),
            (0.5, 1.0, 1.25),
            "from fractions import Fraction\n\n"
            "half, less = Fraction(1, 2), Fraction(2, 5)\n"
            "filt = fp.ExPostFilter(epsilon=1.0, delta=1e-3)\n"
            "menu = [fp.FinitePair((half, half), (less, 1 - less)), fp.KOV(0.25, 2.5e-4)]",
            rounds=6,
        ),
    ),
    Entry(
        HockeyStickFilter,
        lambda: HockeyStickFilter(0.5, 0.01),
        lambda: HockeyStickFilter(0.5, 0.02),
        FilterPage(
            r"\sum_t \left[H_{e^{\varepsilon - \ell_t}}(P_t \| Q_t) - (1 - e^{\varepsilon - \ell_t})_+\right] "
            r"\le \delta",
            "A release is charged the hockey-stick divergence that it adds, given the loss realised so far: the "
            "divergence of the transcript is the mean of what was charged.",
            (_coin("1/2", "2/5"), Erasure(0.0025)),
            0.5,
            (0.125, 0.25, 0.375, 0.5, 0.625, 0.75),
            (0.25, 0.5, 0.75),
            "from fractions import Fraction\n\n"
            "half, less = Fraction(1, 2), Fraction(2, 5)\n"
            "filt = fp.HockeyStickFilter(epsilon=0.5, delta=0.01)\n"
            "menu = [fp.FinitePair((half, half), (less, 1 - less)), fp.Erasure(0.0025)]",
            rounds=8,
        ),
    ),
    Entry(
        SquaredLossFilter,
        lambda: SquaredLossFilter(0.5),
        lambda: SquaredLossFilter(0.6),
        FilterPage(
            r"\sum_t \tfrac{1}{2} \ell_t^2 + \tfrac{1}{2} \max_y \ell(y)^2 \le \rho",
            "Half the square of the loss that a release turned out to have. An alarm that nearly always keeps silent "
            "costs next to nothing, and its silence tells much in the long run.",
            (_coin("0.904", "0.808"),),
            4.0,
            (1.0, 2.0, 3.0, 4.0, 5.0, 6.0),
            (3.0, 4.0, 5.0),
            "from fractions import Fraction\n\n"
            "with fp.knowingly():\n"
            "    filt = fp.SquaredLossFilter(rho=0.5)\n"
            'silent, other = Fraction("0.904"), Fraction("0.808")\n'
            "menu = [fp.FinitePair((silent, 1 - silent), (other, 1 - other))]",
            rounds=41,
        ),
    ),
    Entry(
        RangedBlackwellFilter,
        lambda: RangedBlackwellFilter(0.5, _REPLIES, 0.0, 1.3),
        lambda: RangedBlackwellFilter(0.75, _REPLIES, 0.0, 1.3),
        FilterPage(
            r"H_{e^\varepsilon}\left(\otimes_t P_t \| \otimes_t Q_t\right) \le H_{e^\varepsilon}"
            r"(\mathcal{N}(\mu, 1) \| \mathcal{N}(0, 1)) \text{ for } 0 \le \varepsilon \le 1.3",
            "The condition of the Blackwell filter, asked only on a range of epsilons, which is what can be computed. "
            "After each of five outcomes another mechanism fits that says most there.",
            _REPLIES,
            1.3,
            (0.25, 0.5, 0.75, 1.0, 1.15, 1.3),
            (0.5, 1.0, 1.3),
            "from fractions import Fraction\n\n"
            "first = fp.FinitePair(\n"
            '    tuple(map(Fraction, ("0.0093", "0.0117", "0.0775", "0.1973", "0.7042"))),\n'
            '    tuple(map(Fraction, ("0.00276", "0.00468", "0.04136", "0.14894", "0.80226"))),\n'
            ")\n"
            'ones = [("0.5485", "0.37372"), ("0.15246", "0.07786"), ("0.0389", "0.01404"), ("0.01085", "0.0026")]\n'
            "coins = [(Fraction(p), Fraction(q)) for p, q in ones]\n"
            "menu = [first, *(fp.FinitePair((p, 1 - p), (q, 1 - q)) for p, q in coins), fp.Erasure(0.00136)]\n"
            "with fp.knowingly():\n"
            "    filt = fp.RangedBlackwellFilter(mu=0.5, menu=tuple(menu), low=0.0, high=1.3)",
            rounds=2,
        ),
    ),
    Entry(
        CentralLimitFilter,
        lambda: CentralLimitFilter(0.5),
        lambda: CentralLimitFilter(0.6),
        FilterPage(
            r"\sum_t q_t^2 \left(e^{1/\sigma_t^2} - 1\right) \le \mu^2",
            "What rounds on samples at small rates q add to mu^2 in the limit of many. The tail of their losses is "
            "heavier than the limit's after any number of rounds, and far heavier at the rates in use.",
            (SubsampledGaussian(0.05, 1.0), SubsampledGaussian(0.1, 1.0)),
            2.0,
            (0.5, 1.0, 1.5, 2.0, 2.5, 3.0),
            (1.0, 2.0, 3.0),
            "with fp.knowingly():\n"
            "    filt = fp.CentralLimitFilter(mu=0.5)\n"
            "menu = [fp.SubsampledGaussian(q=0.05, sigma=1.0), fp.SubsampledGaussian(q=0.1, sigma=1.0)]",
        ),
    ),
    Entry(
        SomeOrderFilter,
        lambda: SomeOrderFilter(6.0, 0.01, _PAIRS),
        lambda: SomeOrderFilter(6.5, 0.02, _PAIRS),
        FilterPage(
            r"\exists j: \; \sum_t D_{\alpha_j}(P_t \| Q_t) \le B_{\mathrm{CKS}}(\alpha_j, \varepsilon, \delta)",
            "Some order of a set may keep its budget, whichever. After one outcome an adversary meets the budget of "
            "one order, after the other outcome that of another.",
            _COINS,
            6.0,
            (3.0, 4.0, 5.0, 6.0, 6.5),
            (4.0, 5.0, 6.0),
            "from fractions import Fraction\n\n\n"
            "def coin(p, q):\n"
            "    p, q = Fraction(p), Fraction(q)\n"
            "    return fp.FinitePair((p, 1 - p), (q, 1 - q))\n\n\n"
            "with fp.knowingly():\n"
            "    filt = fp.SomeOrderFilter(epsilon=6.0, delta=0.01, orders=(2.0, 32.0))\n"
            "menu = [\n"
            '    fp.RandomizedResponse.from_ratio(Fraction("1.10517")),\n'
            '    coin("0.608430710", "0.001614677"),\n'
            '    coin("0.0168334078", "0.000018877554"),\n'
            "]",
            rounds=2,
        ),
    ),
    Entry(
        NaturalFilter,
        lambda: _natural(Fraction(45, 169)),
        lambda: _natural(Fraction(60, 169)),
        FilterPage(
            r"H_{e^\varepsilon}\left(\otimes_t P_t \| \otimes_t Q_t\right) \le \delta",
            "The mechanisms so far, had they been fixed in advance, keep the promise. An adversary chooses the next "
            "one by the outcome of the last.",
            _LADDER,
            LogRatio(Fraction(9, 4)),
            (0.2, 0.4, 0.6, 0.81093, 1.0, 1.2),
            (0.4, 0.81093, 1.2),
            "from fractions import Fraction\n\n"
            "menu = [fp.RandomizedResponse.from_ratio(Fraction(3, 2) ** k) for k in (1, 2, 3)]\n"
            "with fp.knowingly():\n"
            "    filt = fp.NaturalFilter.from_ratio(Fraction(9, 4), Fraction(45, 169), menu)",
            explained="natural-game",
        ),
    ),
    Entry(
        NaiveRealisationFilter,
        lambda: NaiveRealisationFilter(1.0, 0.01),
        lambda: NaiveRealisationFilter(2.0, 0.02),
        FilterPage(
            r"P(L_i > \varepsilon - \ell^{(i-1)}) \le \delta",
            "Stops when the next loss would pass epsilon with probability above delta. Every round may "
            "spend delta again.",
            (Erasure(0.01),),
            1.0,
            (0.5, 1.0, 1.5, 2.0),
            (0.5, 1.0, 2.0),
            "with fp.knowingly():\n"
            "    filt = fp.NaiveRealisationFilter(epsilon=1.0, delta=0.01)\n"
            "menu = [fp.Erasure(0.01)]",
            rounds=250,
            explained="eraser",
        ),
    ),
)

#: Class name -> entry.
CATALOGUE: Mapping[str, Entry] = MappingProxyType({entry.name: entry for entry in _ENTRIES})

"""A dominating pair is two laws (P, Q) whose hockey-stick divergences bound those of a mechanism.

>>> import filterproof as fp
>>> pair = fp.Gaussian(mu=1.0)
>>> round(pair.hockey_stick(epsilon=1.0), 6), pair.renyi(alpha=2.0), pair.zcdp_rho
(0.126937, 1.0, 0.5)
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from inspect import isabstract
from reprlib import repr as short
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filterproof.theory.argument_checks import Real
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.stable import as_real, half_square
from filterproof.theory.pairs.parametrised import Parametrised
from filterproof.theory.pairs.reference_values import PairReferenceValues

#: "PQ": outputs are drawn from P and the loss is log dP/dQ. "QP": they are drawn from Q and it is log dQ/dP.
Direction: TypeAlias = Literal["PQ", "QP"]
#: The charges that are one number.
ChargeName: TypeAlias = Literal["pure_epsilon", "zcdp_rho", "gdp_mu"]
#: (loss, P-mass) outcome by outcome, in descending order of the loss.
Outputs: TypeAlias = tuple[tuple[Real, Real], ...]


#: What a pair declares, and says of itself, whatever its law is.
_DECLARED = frozenset(
    {
        *(
            "pure_epsilon",
            "zcdp_rho",
            "gdp_mu",
            "zcdp_root",
            "closed_least",
            "domination_parameter",
            "monotone_parameters",
        ),
        *("renyi", "least", "dominates", "labels", "asked", "family", "take", "_abc_impl"),
    }
)
ALL_CHARGES: frozenset[ChargeName] = frozenset({"pure_epsilon", "zcdp_rho", "gdp_mu"})


@dataclass(frozen=True, slots=True)
class ExactMasses:
    """The outcome probabilities of P and of Q as rationals, outcome by outcome."""

    p: tuple[Fraction, ...]
    q: tuple[Fraction, ...]


class KOVForm(NamedTuple):
    """The parameters of what is KOV(epsilon, delta); e^epsilon and delta as rationals too where they are known."""

    epsilon: Real
    delta: Real
    ratio: Fraction | None
    exact_delta: Fraction | None


class TightnessRatio(NamedTuple):
    """Bounds on the least charge that is true over the one that a pair declares: 1 where it declares the least."""

    low: float
    high: float


def same_as(name: str) -> Any:
    """A property that is another one of the pair, or its field."""
    return property(lambda pair: getattr(pair, name))


def half_square_of(name: str) -> Any:
    """A property that is half the square of another one of the pair, or of its field, never rounded down."""
    return property(lambda pair: half_square(getattr(pair, name)))


#: `swapped` of a pair that is its own mirror image.
ITSELF: Any = property(lambda pair: pair)


def check_direction(direction: object) -> None:
    """ValueError unless `direction` is "PQ" or "QP"."""
    if not isinstance(direction, str) or direction not in ("PQ", "QP"):
        raise ValueError(
            f"direction must be 'PQ' or 'QP', got direction={short(direction)}; pass one of them"
        )


class DominatingPair(Parametrised, ABC):
    """A pair of laws (P, Q) with H_{e^eps}(M(x) || M(x')) <= H_{e^eps}(P || Q) for every real eps.

    L = log dP/dQ at an outcome drawn from P is the privacy loss, in nats; it is +inf at an outcome that Q
    cannot produce, and -inf at one that only Q can produce.
    Parameters are numbers or arrays of shape (n,), one per run; every method broadcasts over them.
    The pairs of this package copy the arrays they are given and make the copies read-only. What they compute is within
    1e-12 of itself (where that, and each parameter, is above 1e-300): divergences, charges, and hockey-sticks at an
    epsilon within 2^-50 of the one asked for; the probabilities of `loss_cdf` within 1e-12, quantiles within 1e-12 of
    the sizes that they are sums of. A class says where it is less.
    Subclasses are frozen slotted dataclasses whose fields are the parameters, declared with
    `@dataclass(frozen=True, slots=True, eq=False, repr=False)`; equality, hash and repr come from the base class.
    Classes of pairs are final but for what they declare: a subclass of one of them may say other charges, and raises
    TypeError where it overrides part of the law, for whatever else it inherits would be of the parent's law.
    x, x' are neighbours in the sense that is yours: the pair must dominate the mechanism M for all of them.
    Raises ValueError for parameters out of range. Source: Zhu, Dong and Wang; paper 003, Definition 3.
    """

    __slots__ = ()

    #: The parameters that a pair reveals more with, or less: 1 where more with more, -1 where less with more.
    monotone_parameters: ClassVar[Mapping[str, int]] = {}
    #: The charges that are the least, by a closed form.
    closed_least: ClassVar[frozenset[ChargeName]] = frozenset()
    #: The charge that decides what the pair dominates, of whatever family: None where none does.
    domination_parameter: ClassVar[Literal["pure_epsilon", "gdp_mu"] | None] = None

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        order = cls.__mro__[1:]
        parent = next(
            (kind for kind in order if issubclass(kind, DominatingPair) and not isabstract(kind)), None
        )
        if parent is None:
            return
        beside = [kind for kind in cls.__mro__ if kind not in parent.__mro__]
        own = {name for kind in beside for name in vars(kind) if name[:2] != "__"} - _DECLARED
        if changed := sorted(name for name in own if hasattr(parent, name)):
            raise TypeError(
                f"{cls.__name__} must not override {parent.__name__}.{changed[0]}, for what else it inherits would be "
                "of another law; subclass fp.DominatingPair"
            )

    # -- what a filter charges ---------------------------------------------------------------

    @property
    @abstractmethod
    def pure_epsilon(self) -> Real:
        """The essential supremum of |L| under P and Q: the least eps with (eps, 0)-DP; inf if none."""

    @property
    @abstractmethod
    def zcdp_rho(self) -> Real:
        """A rho with D_a(P||Q) <= a rho and D_a(Q||P) <= a rho for every a > 1; inf if none.

        The least such rho where a closed form is known, an upper bound otherwise (the class says which).
        """

    @property
    @abstractmethod
    def gdp_mu(self) -> Real:
        """A mu such that Gaussian(mu) dominates the pair in both directions; inf if none.

        The least such mu where a closed form is known, an upper bound otherwise (the class says which).
        """

    @property
    def zcdp_root(self) -> Real | None:
        """An r >= 0 with `zcdp_rho` = r^2/2, never rounded down, where rho is given by one; None for others."""
        return None

    def least(self, charge: ChargeName) -> tuple[float, float]:
        """Bounds on the least number that is true in place of `charge`, of a pair of shape ().

        Of the library's pairs; for others only 0 and what they declare are known. Where a class declares the least in a
        closed form it is that, and what rounding up has added to it is below 2^-44 of it.
        """
        declared = float(getattr(self, charge))
        return declared * (1 - 2.0**-44) if charge in self.closed_least else 0.0, declared

    def tightness_ratio(self, charge: ChargeName = "zcdp_rho") -> TightnessRatio:
        """How loose the charge is: bounds on the least that is true over it; 1 where nothing or nothing finite is."""
        low, high = self.least(charge)
        declared = float(getattr(self, charge))
        if declared in (0.0, math.inf):
            return TightnessRatio(1.0, 1.0)
        return TightnessRatio(low / declared * (1 - 2.0**-52), min(high / declared * (1 + 2.0**-52), 1.0))

    def hockey_stick_upper_bound(self, epsilon: float) -> Real:
        """No less than H_{e^eps}(P||Q) and H_{e^eps}(Q||P), if doubles err by 2^-40 of them, and 2^-50 of eps, at most.

        0 may stand for what is less than the least double, too: a filter then charges that (`floor_at_tiny`).
        What rounds a loss, as 1/b does, or eps over mu, gives the divergence at another eps: it falls with eps.
        """
        epsilon *= 1 - math.copysign(2.0**-50, epsilon)
        larger = np.maximum(_or_inf(self.hockey_stick(epsilon)), _or_inf(self.swapped.hockey_stick(epsilon)))
        return as_real(larger * (1 + 2.0**-40) + 2.0**-1070 * np.greater(larger, 0))

    # -- what it is, and what it is more than ----------------------------------------------------

    @property
    def asked(self) -> DominatingPair:
        """The mechanism that is to be released: that of a request with labels, else the pair itself."""
        return self

    @property
    def labels(self) -> Mapping[str, Any]:
        """Where, about what or for whom it is asked for, by dimension; empty but for a request with labels."""
        return {}

    @property
    def members(self) -> tuple[DominatingPair, ...]:
        """The pairs that some run may ask for: those of a selection, else the pair itself."""
        return (self,)

    @property
    def choice(self) -> NDArray[np.intp] | None:
        """Which of the `members` each run asks for, shape (n,), of a selection; None where all ask for the pair."""
        return None

    def families(self) -> list[tuple[NDArray[np.intp] | None, DominatingPair]]:
        """The runs of each family that is asked for (None: all of them), and the vectorised pair of those runs."""
        return [(None, self)]

    def of_run(self, run: int) -> DominatingPair:
        """The pair of one run, of shape ()."""
        own = {k: float(v[run]) for k, v in self.parameters().items() if isinstance(v, np.ndarray)}
        return self.with_parameters(own) if own else self

    @property
    def kov(self) -> KOVForm | None:
        """The parameters of what is KOV(epsilon, delta): randomised response, an erasure, or both. None for others."""
        return None

    def same_parameters(self, request: DominatingPair) -> Any:
        """Whether `request` is of this class with equal numbers: of the request's shape. This pair has shape ()."""
        if type(self) is not type(request):
            return np.False_
        same: Any = np.True_
        for name, own in self.parameters().items():
            asked = getattr(request, name)
            if isinstance(asked, (float, np.ndarray)):
                same = same & np.equal(own, asked)  # type: ignore[call-overload]
            elif isinstance(asked, (tuple, str, int)):
                same = same & (own == asked)
        return same

    def dominates(self, request: DominatingPair) -> Any:
        """Whether `request` is a post-processing of this pair, by the numbers declared: of the request's shape.

        One map must take P' to P and Q' to Q, both from this pair to the request. Then no hockey-stick divergence of
        the request, at any epsilon and in either direction, is larger than this pair's, and an adversary who is handed
        the output of this pair, and makes the request's of it, loses nothing. This is one pair; request no Selection.
        True only where a class says why; False does not say that there is no such map.
        """
        if self.domination_parameter is not None:
            return np.less_equal(
                getattr(request, self.domination_parameter), getattr(self, self.domination_parameter)
            )
        if not self.monotone_parameters or type(self) is not type(request):
            return self.same_parameters(request)
        fixed = [name for name, value in self.parameters().items() if isinstance(value, (str, int))]
        within = [
            np.less_equal(sign * getattr(request, name), sign * getattr(self, name))
            for name, sign in self.monotone_parameters.items()
        ]
        same = all(getattr(request, name) == getattr(self, name) for name in fixed)
        return np.logical_and.reduce(np.broadcast_arrays(same, *within))

    @property
    def more_private_variants(self) -> tuple[DominatingPair, ...]:
        """Pairs with one parameter of `monotone_parameters` half as revealing: half the rate, or twice the noise."""
        return tuple(
            self.with_parameters(
                dict.fromkeys(("ratio", "exact", "exact_delta")) | {name: getattr(self, name) * 2.0**-sign}
            )
            for name, sign in self.monotone_parameters.items()
        )

    # -- divergences and the loss law ----------------------------------------------------------

    @abstractmethod
    def hockey_stick(self, epsilon: Real) -> Real:
        """H_{e^eps}(P||Q) = E_P[(1 - e^{eps - L})_+] for any real eps."""

    @abstractmethod
    def renyi(self, alpha: Real) -> Real:
        """D_alpha(P||Q) = log E_P[e^{(alpha-1) L}] / (alpha-1) for alpha > 1, E_P[L] at 1; inf where it diverges.

        At alpha = inf it is the largest loss, inf{x : P(L > x) = 0}.
        """

    @abstractmethod
    def loss_cdf(self, x: Real) -> Real:
        """P(L <= x), L drawn under P."""

    @abstractmethod
    def loss_isf(self, tail: Real) -> Real:
        """The upper quantile inf{x : P(L > x) <= tail}, L drawn under P, tail in [0, 1]."""

    @property
    def outputs(self) -> Outputs | None:
        """(loss, P-mass) of the outcomes that P can produce, the largest loss first; None where they are not finite."""
        return None

    @property
    def normal_mu(self) -> Real | None:
        """mu of what is Gaussian(mu), one for each run: such pairs compose to one. None for others."""
        return None

    @property
    def sampled_normal(self) -> tuple[Real, Real, str] | None:
        """(q, sigma, adjacency) of what is the Gaussian mechanism on a sample of rate q; None for others."""
        return None

    @property
    def exact_masses(self) -> ExactMasses | None:
        """P and Q as rationals, or None when the pair was not given by rationals."""
        return None

    @property
    def rational(self) -> DominatingPair | None:
        """A pair with rational masses whose parameters are the same doubles; None where none is known."""
        return None if self.exact_masses is None else self

    @property
    def held_masses(self) -> tuple[tuple[Fraction, Fraction], ...] | None:
        """(P, Q) of each of finitely many outcomes, as given or else as the doubles held; None for other pairs."""
        if self.outputs is None:
            return None
        if (given := self.exact_masses) is not None:
            return tuple(zip(given.p, given.q, strict=True))
        doubles = ((float(p), float(p * rm.exp(-loss))) for loss, p in self.outputs)
        return tuple((Fraction(p), Fraction(q)) for p, q in doubles)

    @property
    def infinite_mass(self) -> Real:
        """P(L = inf), the probability of an outcome that Q cannot produce; 0 unless a subclass overrides it."""
        return 0.0

    @property
    @abstractmethod
    def swapped(self) -> DominatingPair:
        """The pair (Q, P)."""

    @property
    def reference_values(self) -> PairReferenceValues:
        """What is true of the pair, of shape (), in formulas and balls; TypeError for one that is not the library's."""
        raise TypeError(
            f"pair must be one of the library's, got {self!r}; pass one of filterproof.theory.pairs.PAIRS"
        )

    # -- sampling ------------------------------------------------------------------------------

    @abstractmethod
    def sample(self, rng: np.random.Generator, n: int, order: float = 1.0) -> NDArray[np.float64]:
        """n losses drawn from the law tilted to `order`: shape (n,), one per run.

        Outputs with L = +inf keep their P-mass d; the others are drawn, with total mass 1 - d, from the
        density proportional to P^order Q^(1-order). order=1 is P itself.
        """

    def sample_finite(self, rng: np.random.Generator, n: int, order: float = 1.0) -> NDArray[np.float64]:
        """n losses drawn as `sample` draws them, given that they are finite: shape (n,).

        `log_weight` holds for this law too, since tilting moves no mass between finite and infinite losses.
        Where `infinite_mass` is 1 the result is meaningless. Subclasses override this and `infinite_mass` together.
        """
        return self.sample(rng, n, order)

    def log_weight(self, loss: NDArray[np.float64], order: float) -> NDArray[np.float64]:
        """The log of the likelihood-ratio weight dP/dR at the given losses, R the tilted law of `sample` at `order`.

        It is log E_P[e^{(order-1) L} | L < inf] - (order-1) L, and 0 at an infinite loss. For a pair without
        infinite losses this is (order-1)(D_order - L).
        """
        if order == 1:
            return np.zeros_like(loss)
        weight = (1 - order) * loss
        weight += self._log_normaliser(order)
        if loss.size and loss.max() == np.inf:
            weight[np.isposinf(loss)] = 0.0
        return weight

    def _log_normaliser(self, order: float) -> Real:
        """log E_P[e^{(order-1) L} | L < inf]; a subclass with infinite losses overrides it."""
        return (order - 1) * self.renyi(order)


def _or_inf(value: Real) -> Real:
    """The value where it is a number from zero up, else inf: what no mechanism has promises nothing."""
    return np.where(np.greater_equal(value, 0), value, np.inf)

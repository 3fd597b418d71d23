"""Dominating pairs: two distributions whose hockey-stick divergences bound those of a mechanism."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from inspect import isabstract
from reprlib import repr as short
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filterproof.theory.argument_checks import Real, safe_double_copy
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.stable import float_if_scalar, half_square_round_up
from filterproof.theory.pairs.per_run_parameters import PerRunParameters
from filterproof.theory.pairs.reference_values import PairReferenceValues

#: "PQ": outputs are drawn from P and the loss is log dP/dQ. "QP": they are drawn from Q and it is log dQ/dP.
Direction: TypeAlias = Literal["PQ", "QP"]
#: Names of the charges that are one number.
ChargeName: TypeAlias = Literal["pure_epsilon", "zcdp_rho", "gdp_mu"]
#: (loss, P-mass) outcome by outcome, in descending order of the loss.
Outputs: TypeAlias = tuple[tuple[Real, Real], ...]


#: Attributes that a subclass of a concrete pair may override: they do not compute its distribution.
_OVERRIDABLE_ATTRIBUTES = frozenset(
    {
        *(
            "pure_epsilon",
            "zcdp_rho",
            "gdp_mu",
            "sqrt_twice_zcdp_rho",
            "closed_least",
            "domination_parameter",
            "monotone_parameters",
        ),
        *("renyi", "tight_charge", "dominates", "labels", "unlabelled", "family", "take", "_abc_impl"),
    }
)
ALL_CHARGES: frozenset[ChargeName] = frozenset({"pure_epsilon", "zcdp_rho", "gdp_mu"})


@dataclass(frozen=True, slots=True)
class ExactMasses:
    """Outcome probabilities of a pair as rational numbers.

    Parameters
    ----------
    p, q : tuple of Fraction
        Probabilities under P and under Q, outcome by outcome. Both have the same length.
    """

    p: tuple[Fraction, ...]
    q: tuple[Fraction, ...]


class KOVForm(NamedTuple):
    """Parameters of a pair that equals KOV(epsilon, delta); `ratio` = e^epsilon and `exact_delta` may be None."""

    epsilon: Real
    delta: Real
    ratio: Fraction | None
    exact_delta: Fraction | None


def alias_property(name: str) -> Any:
    """Return a property that reads another property or field of the pair."""
    return property(lambda pair: getattr(pair, name))


def half_square_property(name: str) -> Any:
    """Return a property that is half the square of another property or field, never rounded down."""
    return property(lambda pair: half_square_round_up(getattr(pair, name)))


#: `swapped` of a pair that is its own mirror image.
ITSELF: Any = property(lambda pair: pair)


def check_direction(direction: object) -> None:
    """Raise ValueError unless `direction` is "PQ" or "QP"."""
    if not isinstance(direction, str) or direction not in ("PQ", "QP"):
        raise ValueError(
            f"direction must be 'PQ' or 'QP', got direction={short(direction)}; pass one of these"
        )


class DominatingPair(PerRunParameters, ABC):
    """Base class of dominating pairs (P, Q) of a mechanism M.

    H_{e^eps}(M(x) || M(x')) <= H_{e^eps}(P || Q) for all neighbouring data sets x, x' and every real eps.

    The privacy loss is L = log dP/dQ at an outcome drawn from P, in nats. It is +inf at an outcome that Q cannot
    produce and -inf at an outcome that only Q can produce. The caller chooses the neighbouring relation of M.

    A subclass declares its parameters as fields of a dataclass with the options
    `@dataclass(frozen=True, slots=True, eq=False, repr=False)`. Equality, hash and repr come from this base class. A
    parameter is a number or an array of shape (n,), one value per run. Every method broadcasts over the parameters.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    TypeError
        If a subclass of a concrete pair overrides a method of its distribution. Such a subclass may override charges
        only, because the other inherited methods describe the distribution of the parent.

    Notes
    -----
    The pairs of this package copy the arrays that they receive and make the copies read-only. Where a value and each
    parameter are above 1e-300, divergences and charges have relative errors below 1e-12. A hockey-stick divergence
    belongs to an epsilon within a relative 2^-50 of the given one. `loss_cdf` has absolute errors below 1e-12.
    `loss_isf` has errors below 1e-12 of the terms in its sum. A class states where its errors are larger.

    Source: Zhu, Dong & Wang (2022), "Optimal Accounting of Differential Privacy via Characteristic Function"; Koskela,
    Tobaben & Honkela (2023), "Individual Privacy Accounting with Gaussian Differential Privacy", Definition 3.

    Examples
    --------
    >>> import filterproof as fp
    >>> pair = fp.Gaussian(mu=1.0)
    >>> round(pair.hockey_stick(epsilon=1.0), 6), pair.renyi(alpha=2.0), pair.zcdp_rho
    (0.126937, 1.0, 0.5)
    """

    __slots__ = ()

    #: Parameters with a monotone effect on privacy: 1 if a larger value reveals more, -1 if it reveals less.
    monotone_parameters: ClassVar[Mapping[str, int]] = {}
    #: Names of the charges that a closed form shows to be the smallest valid ones.
    closed_least: ClassVar[frozenset[ChargeName]] = frozenset()
    #: Name of the charge that decides which requests of any family the pair dominates; None if there is none.
    domination_parameter: ClassVar[Literal["pure_epsilon", "gdp_mu"] | None] = None

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        order = cls.__mro__[1:]
        parent = next(
            (kind for kind in order if issubclass(kind, DominatingPair) and not isabstract(kind)), None
        )
        if parent is None:
            return
        added = [kind for kind in cls.__mro__ if kind not in parent.__mro__]
        own = {name for kind in added for name in vars(kind) if name[:2] != "__"} - _OVERRIDABLE_ATTRIBUTES
        if changed := sorted(name for name in own if hasattr(parent, name)):
            raise TypeError(
                f"{cls.__name__} must not override {parent.__name__}.{changed[0]}, because its other inherited methods "
                "describe another distribution; subclass fp.DominatingPair"
            )

    def _set_checked(
        self, name: str, check: Callable[..., Real], remedy: str = "", *, down: bool = False
    ) -> None:
        """Round a parameter to doubles (`down` for scales of noise), check it and set it."""
        self._set_parameter(name, check(name, safe_double_copy(getattr(self, name), down=down), remedy))

    # -- charges of filters ---------------------------------------------------------------

    @property
    @abstractmethod
    def pure_epsilon(self) -> Real:
        """Smallest eps for which the mechanism is (eps, 0)-DP: the essential supremum of `|L|`, or inf."""

    @property
    @abstractmethod
    def zcdp_rho(self) -> Real:
        """A rho with D_a(P||Q) <= a rho and D_a(Q||P) <= a rho for every order a > 1; inf if there is none.

        It is the smallest such rho where a closed form is known, and an upper bound otherwise. Each class says which.
        """

    @property
    @abstractmethod
    def gdp_mu(self) -> Real:
        """A mu for which Gaussian(mu) dominates the pair in both directions; inf if there is none.

        It is the smallest such mu where a closed form is known, and an upper bound otherwise. Each class says which.
        """

    @property
    def sqrt_twice_zcdp_rho(self) -> Real | None:
        """A number r >= 0 with `zcdp_rho` = r^2/2, never rounded down; None if the class declares no such number."""
        return None

    def tight_charge(self, charge: ChargeName) -> tuple[float, float]:
        """Bounds on the smallest valid value of a charge.

        Parameters
        ----------
        charge : {"pure_epsilon", "zcdp_rho", "gdp_mu"}
            Name of the charge. The pair must have shape ().

        Returns
        -------
        tuple of float
            Lower and upper bound. Other people's pairs have the bounds 0 and the declared charge.

        Notes
        -----
        Where a class declares the smallest value by a closed form, rounding up adds less than 2^-44 of it.
        """
        if charge == "zcdp_rho" and (bounds := self._least_zcdp_rho()) is not None:
            return bounds
        declared = float(getattr(self, charge))
        return declared * (1 - 2.0**-44) if charge in self.closed_least else 0.0, declared

    def _least_zcdp_rho(self) -> tuple[float, float] | None:
        """Return bounds on the smallest rho by a computation; None where the declared one is all that is known."""
        return None

    def hockey_stick_upper_bound(self, epsilon: float) -> Real:
        """Rounded-up bound on H_{e^eps}(P||Q) and H_{e^eps}(Q||P).

        Parameters
        ----------
        epsilon : float
            Any real number, in nats.

        Returns
        -------
        float or ndarray
            A bound on both directions, with the shape of the pair.

        Notes
        -----
        The bound holds if `hockey_stick` errs by at most 2^-40 of its value and 2^-50 of epsilon. It also covers values
        below the smallest double, which `hockey_stick` may return as 0.
        """
        epsilon *= 1 - math.copysign(2.0**-50, epsilon)
        larger = np.maximum(_or_inf(self.hockey_stick(epsilon)), _or_inf(self.swapped.hockey_stick(epsilon)))
        return float_if_scalar(larger * (1 + 2.0**-40) + 2.0**-1070 * np.greater(larger, 0))

    # -- request and domination ----------------------------------------------------

    @property
    def unlabelled(self) -> DominatingPair:
        """The mechanism to release: the mechanism inside a labelled request, otherwise the pair itself."""
        return self

    @property
    def labels(self) -> Mapping[str, Any]:
        """Labels of this request, dimension to label; empty for a request without labels."""
        return {}

    @property
    def members(self) -> tuple[DominatingPair, ...]:
        """Pairs that at least one run may request: the menu of a selection, otherwise the pair itself."""
        return (self,)

    @property
    def member_index(self) -> NDArray[np.intp] | None:
        """Index into `members` of each run, shape (n,), for a selection; None if every run requests this pair."""
        return None

    def runs_by_family(self) -> list[tuple[NDArray[np.intp] | None, DominatingPair]]:
        """Group the runs by the family of their request: (run indices, vectorised pair).

        Returns
        -------
        list of tuple
            For each family, the indices of its runs (None for all runs) and the vectorised pair that they request.
        """
        return [(None, self)]

    def of_run(self, run: int) -> DominatingPair:
        """Return the pair of one run, of shape ().

        Parameters
        ----------
        run : int
            Index of the run.
        """
        own = {k: float(v[run]) for k, v in self.parameters().items() if isinstance(v, np.ndarray)}
        return self.with_parameters(own) if own else self

    @property
    def kov(self) -> KOVForm | None:
        """Parameters of the equal KOV(epsilon, delta) for randomised response, erasure and KOV; None for others."""
        return None

    def same_parameters(self, request: DominatingPair) -> Any:
        """Whether `request` has the class and the numbers of this pair.

        Parameters
        ----------
        request : DominatingPair
            A pair of any shape. This pair has shape ().

        Returns
        -------
        bool or ndarray of bool
            It has the shape of `request`.
        """
        if type(self) is not type(request):
            return np.False_
        same: Any = np.True_
        for name, own in self.parameters().items():
            requested = getattr(request, name)
            if isinstance(requested, (float, np.ndarray)):
                same = same & np.equal(own, requested)  # type: ignore[call-overload]
            elif isinstance(requested, (tuple, str, int)):
                same = same & (own == requested)
        return same

    def dominates(self, request: DominatingPair) -> Any:
        """Whether the declared parameters show that `request` is a post-processing of this pair.

        Parameters
        ----------
        request : DominatingPair
            A pair of any shape that is not a PairPerRun. This pair has shape ().

        Returns
        -------
        bool or ndarray of bool
            It has the shape of `request`. True needs a reason in the class. False does not rule out a post-processing.

        Notes
        -----
        A post-processing is one random map that takes P to P' and Q to Q', from this pair (P, Q) to the request (P',
        Q'). No hockey-stick divergence of the request then exceeds that of this pair, at any epsilon and in either
        direction. An adversary with the output of this pair can compute the output of the request, and so loses
        nothing.
        """
        if self.domination_parameter is not None:
            return np.less_equal(
                getattr(request, self.domination_parameter), getattr(self, self.domination_parameter)
            )
        if not self.monotone_parameters or type(self) is not type(request):
            return self.same_parameters(request)
        fixed = [name for name, value in self.parameters().items() if isinstance(value, (str, int))]
        smaller = [
            np.less_equal(sign * getattr(request, name), sign * getattr(self, name))
            for name, sign in self.monotone_parameters.items()
        ]
        same = all(getattr(request, name) == getattr(self, name) for name in fixed)
        return np.logical_and.reduce(np.broadcast_arrays(same, *smaller))

    @property
    def more_private_variants(self) -> tuple[DominatingPair, ...]:
        """Pairs with one parameter of `monotone_parameters` changed by a factor of 2 towards more privacy."""
        return tuple(
            self.with_parameters(
                dict.fromkeys(("ratio", "exact", "exact_delta")) | {name: getattr(self, name) * 2.0**-sign}
            )
            for name, sign in self.monotone_parameters.items()
        )

    # -- divergences and the privacy-loss distribution ----------------------------------------------------------

    @abstractmethod
    def hockey_stick(self, epsilon: Real) -> Real:
        """Hockey-stick divergence H_{e^eps}(P||Q) = E_P[(1 - e^{eps - L})_+].

        Parameters
        ----------
        epsilon : float or ndarray
            Any real numbers, in nats.

        Returns
        -------
        float or ndarray
            Divergence in [0, 1], with the broadcast shape of the pair and `epsilon`.
        """

    @abstractmethod
    def renyi(self, alpha: Real) -> Real:
        """Rényi divergence D_alpha(P||Q) = log E_P[e^{(alpha-1) L}] / (alpha-1).

        Parameters
        ----------
        alpha : float or ndarray
            Order, 1 or more. At 1 the divergence is E_P[L]. At inf it is the largest loss, inf{x : P(L > x) = 0}.

        Returns
        -------
        float or ndarray
            Divergence in nats, with the broadcast shape of the pair and `alpha`; inf where it diverges.
        """

    @abstractmethod
    def loss_cdf(self, x: Real) -> Real:
        """Cumulative distribution function of the privacy loss, P(L <= x), under P.

        Parameters
        ----------
        x : float or ndarray
            Loss, in nats.

        Returns
        -------
        float or ndarray
            Probability, with the broadcast shape of the pair and `x`.
        """

    @abstractmethod
    def loss_isf(self, tail: Real) -> Real:
        """Inverse survival function of the privacy loss, inf{x : P(L > x) <= tail}, under P.

        Parameters
        ----------
        tail : float or ndarray
            Probability in [0, 1].

        Returns
        -------
        float or ndarray
            Loss in nats, with the broadcast shape of the pair and `tail`.
        """

    @property
    def outputs(self) -> Outputs | None:
        """Tuple (loss, P-mass) of each outcome that P can produce, largest loss first; None for infinitely many."""
        return None

    @property
    def normal_mu(self) -> Real | None:
        """The mu of an equal Gaussian(mu), one per run; None for other pairs. Gaussians compose to a Gaussian."""
        return None

    @property
    def subsampled_gaussian_parameters(self) -> tuple[Real, Real, str] | None:
        """Parameters (q, sigma, adjacency) of the Gaussian mechanism on a Poisson sample; None for other pairs."""
        return None

    @property
    def exact_masses(self) -> ExactMasses | None:
        """P and Q as rational numbers; None if the pair was not given by rational numbers."""
        return None

    @property
    def rational(self) -> DominatingPair | None:
        """A pair with rational probabilities whose parameters are the same doubles; None if none is known."""
        return None if self.exact_masses is None else self

    @property
    def masses_as_fractions(self) -> tuple[tuple[Fraction, Fraction], ...] | None:
        """(P, Q) mass of each outcome as Fractions; None for infinitely many outcomes."""
        if self.outputs is None:
            return None
        if (given := self.exact_masses) is not None:
            return tuple(zip(given.p, given.q, strict=True))
        doubles = ((float(p), float(p * rm.exp(-loss))) for loss, p in self.outputs)
        return tuple((Fraction(p), Fraction(q)) for p, q in doubles)

    @property
    def infinite_mass(self) -> Real:
        """P(L = inf), the probability under P of an outcome that Q cannot produce; 0 unless a subclass overrides it."""
        return 0.0

    @property
    @abstractmethod
    def swapped(self) -> DominatingPair:
        """The pair (Q, P)."""

    @property
    def reference_values(self) -> PairReferenceValues:
        """Reference formulas and certified enclosures of a pair of shape (); TypeError for other people's classes."""
        raise TypeError(
            f"pair must be of a class in filterproof.theory.pairs.PAIR_CLASSES, got {self!r}; pass such a pair"
        )

    # -- sampling ------------------------------------------------------------------------------

    @abstractmethod
    def sample(self, rng: np.random.Generator, n: int, order: float = 1.0) -> NDArray[np.float64]:
        """Draw privacy losses from the distribution tilted to an order.

        Outcomes with L = +inf keep their P-mass d. The other outcomes have total mass 1 - d, with density proportional
        to P^order Q^(1-order). The order 1 gives P itself.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of random numbers.
        n : int
            Number of runs.
        order : float, optional
            Order of the tilt.

        Returns
        -------
        ndarray of shape (n,)
            One loss per run, in nats.

        Raises
        ------
        ValueError
            If the parameters are arrays of another length than `n`. Pairs with shared parameters accept every `n`.
        """

    def sample_finite(self, rng: np.random.Generator, n: int, order: float = 1.0) -> NDArray[np.float64]:
        """Draw privacy losses as `sample` does, conditional on finite losses.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of random numbers.
        n : int
            Number of runs.
        order : float, optional
            Order of the tilt.

        Returns
        -------
        ndarray of shape (n,)
            One loss per run, in nats; meaningless where `infinite_mass` is 1.

        Notes
        -----
        `log_weight` is valid for these losses too, because tilting moves no mass between finite and infinite losses. A
        subclass that overrides this method also overrides `infinite_mass`.
        """
        return self.sample(rng, n, order)

    def log_weight(self, loss: NDArray[np.float64], order: float) -> NDArray[np.float64]:
        """Logarithm of the importance weight dP/dR of losses that `sample` draws from the tilted distribution R.

        It is log E_P[e^{(order-1) L} | L < inf] - (order-1) L at a finite loss and 0 at an infinite loss. Without
        infinite losses it equals (order-1) (D_order - L).

        Parameters
        ----------
        loss : ndarray of shape (n,)
            Losses in nats.
        order : float
            Order of the tilt.

        Returns
        -------
        ndarray of shape (n,)
            Logarithms of the weights.
        """
        if order == 1:
            return np.zeros_like(loss)
        weight = (1 - order) * loss
        weight += self._log_normaliser(order)
        if loss.size and loss.max() == np.inf:
            weight[np.isposinf(loss)] = 0.0
        return weight

    def _log_normaliser(self, order: float) -> Real:
        """Return log E_P[e^{(order-1) L} | L < inf]; a subclass with infinite losses overrides it."""
        return (order - 1) * self.renyi(order)


def _or_inf(value: Real) -> Real:
    """Return the values, with inf in place of NaN and negative ones, which no mechanism has."""
    return np.where(np.greater_equal(value, 0), value, np.inf)

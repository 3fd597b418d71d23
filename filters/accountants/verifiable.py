"""What an accountant is held to: what it says of all that is released, the theorem on its rule, and how it is asked.

>>> import filterproof as fp
>>> people = fp.IndividualFilter(fp.GaussianFilter(mu=1.0), people=3)
>>> print(people.promise, people.theorem, *people.kernel, sep="; ")
1-GDP; individual filter; individual_filter; individual_gaussian_filter
>>> print(fp.odometers.LineOdometer(0.05, target=1.0).promise)
a loss above the bound, ever, with probability at most 0.05
"""

from __future__ import annotations

from dataclasses import dataclass
from inspect import getattr_static
from typing import Any, Literal, Protocol, TypeAlias, TypeGuard, runtime_checkable

from filterproof.theory.guarantees import Guarantee
from filterproof.theory.latex import tex_number

#: How an accountant is asked: for who takes part, for a noisy sum, for blocks, or for a bound on the loss.
QueryKind: TypeAlias = Literal["selects", "sums", "blocks", "losses"]


@dataclass(frozen=True, slots=True)
class AnytimeLossBound:
    """P(L_t > epsilon(state_t) for some t) <= failure, what an odometer promises."""

    failure: float

    @property
    def formula(self) -> str:
        """The promise as LaTeX."""
        return rf"P(\exists t: L_t > \varepsilon_t) \le {tex_number(self.failure)}"

    def __str__(self) -> str:
        return f"a loss above the bound, ever, with probability at most {self.failure:g}"


@dataclass(frozen=True, slots=True)
class BlockByBlock:
    """What a tracker promises of all that m blocks hold, for each m that is fixed in advance; `one` is m = 1."""

    one: Guarantee

    @property
    def formula(self) -> str:
        """What one block holds, as LaTeX."""
        return self.one.formula

    def __str__(self) -> str:
        return f"{self.one} for each block, and for m blocks what m of them compose to, m fixed in advance"


@runtime_checkable
class VerifiableAccountant(Protocol):
    """What `fp.verify` asks of what is no filter; subclasses of the library's accountants inherit it.

    theorem is a key of `fp.THEOREMS`, kernel names the kernel's theorems on this very rule, rests_on
    holds the filters and accountants whose promise it passes on, scope says whom the promise is about.
    """

    @property
    def promise(self) -> Guarantee | AnytimeLossBound | BlockByBlock: ...
    @property
    def theorem(self) -> str: ...
    @property
    def kernel(self) -> tuple[str, ...]: ...
    @property
    def rests_on(self) -> tuple[Any, ...]: ...
    @property
    def scope(self) -> str: ...
    @property
    def played(self) -> QueryKind: ...


_MEMBERS = tuple(name for name, member in vars(VerifiableAccountant).items() if isinstance(member, property))


def is_verifiable(made: object) -> TypeGuard[VerifiableAccountant]:
    """Whether it has all that an accountant says; none of its properties is run, which may raise."""
    found = (getattr_static(made, name, None) for name in _MEMBERS)
    return not isinstance(made, type) and all(one is not None for one in found)

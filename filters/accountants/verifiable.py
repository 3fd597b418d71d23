"""The statements of a verifiable accountant: its guarantee, the theorem on its rule, and its kind of query.

>>> import filterproof as fp
>>> people = fp.IndividualFilter(fp.GaussianFilter(mu=1.0), people=3)
>>> print(people.promise, people.theorem, *people.kernel_theorems, sep="; ")
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

#: The kind of query: who takes part, a noisy sum, blocks, or a bound on the loss.
QueryKind: TypeAlias = Literal["selects", "sums", "blocks", "losses"]


@dataclass(frozen=True, slots=True)
class AnytimeLossBound:
    """P(L_t > epsilon(state_t) for some t) <= failure, the guarantee of an odometer."""

    failure: float

    @property
    def formula(self) -> str:
        """The guarantee as LaTeX."""
        return rf"P(\exists t: L_t > \varepsilon_t) \le {tex_number(self.failure)}"

    def __str__(self) -> str:
        return f"a loss above the bound, ever, with probability at most {self.failure:g}"


@dataclass(frozen=True, slots=True)
class BlockByBlock:
    """The guarantee of a tracker for the contents of m blocks, for each m fixed in advance; `per_block` is m = 1."""

    per_block: Guarantee

    @property
    def formula(self) -> str:
        """The guarantee of one block, as LaTeX."""
        return self.per_block.formula

    def __str__(self) -> str:
        return f"{self.per_block} for each block, and the composition of m of them for m blocks, m fixed in advance"


@runtime_checkable
class VerifiableAccountant(Protocol):
    """The attributes of an accountant that `fp.verify` uses; the library's accountants inherit them.

    `theorem` is a key of `fp.THEOREMS`. `kernel_theorems` names the kernel's theorems on this rule.
    `underlying_filters` has the filters and accountants whose guarantee it passes on. `scope` names the people whom
    the guarantee covers.
    """

    @property
    def promise(self) -> Guarantee | AnytimeLossBound | BlockByBlock: ...
    @property
    def theorem(self) -> str: ...
    @property
    def kernel_theorems(self) -> tuple[str, ...]: ...
    @property
    def underlying_filters(self) -> tuple[Any, ...]: ...
    @property
    def scope(self) -> str: ...
    @property
    def query_kind(self) -> QueryKind: ...


_PROTOCOL_MEMBERS = tuple(
    name for name, member in vars(VerifiableAccountant).items() if isinstance(member, property)
)


def is_verifiable(accountant: object) -> TypeGuard[VerifiableAccountant]:
    """Whether an object has all attributes of an accountant. Its properties, which may raise, are not run."""
    members = (getattr_static(accountant, name, None) for name in _PROTOCOL_MEMBERS)
    return not isinstance(accountant, type) and all(member is not None for member in members)

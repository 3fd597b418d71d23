"""A case of the corpus: a filter as a user would write it, and what is true of it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias, TypeVar

import filterproof as fp
from tests.instruments.corpus.games import Asked, Reached, played

F = TypeVar("F", bound=fp.PrivacyFilter)
Kind: TypeAlias = Literal["broken", "sound"]


#: Plays a game through a filter's own code.
ReachedBy: TypeAlias = Callable[[fp.PrivacyFilter], Reached]


@dataclass(frozen=True, slots=True)
class Case:
    """A filter class, constructible without arguments, and its truth.

    why: which game breaks it, or by which theorem or domination it is sound. shown: plays a game through the filter's
    own code and computes what it reaches on another route; for a sound case a game that comes near the promise, or
    None. margin: the share by which a broken filter at least exceeds its promise.
    """

    filter_class: type[fp.PrivacyFilter]
    kind: Kind
    why: str
    shown: ReachedBy | None = None
    margin: float = 0.001

    @property
    def name(self) -> str:
        """The words of the class's name."""
        return re.sub(r"(?<=.)(?=[A-Z])", "-", self.filter_class.__name__).lower()


class Cases(list[Case]):
    """The cases of a module, each told where it stands.

    `broken` and `sound` stand above a filter's class and say what is asked of it: requests fixed in advance, or a
    strategy. `breaks` and `keeps` stand above a function that plays another game, whose docstring is the reason.
    """

    def broken(
        self, why: str, asked: Asked, *, margin: float = 0.001, **at: float
    ) -> Callable[[type[F]], type[F]]:
        return self._told("broken", why, partial(played, asked=asked, **at), margin)

    def sound(self, why: str, asked: Asked | None = None, **at: float) -> Callable[[type[F]], type[F]]:
        return self._told("sound", why, asked and partial(played, asked=asked, **at), 0.001)

    def breaks(self, filter_class: type[F], margin: float = 0.001) -> Callable[[ReachedBy], type[F]]:
        return lambda shown: self._told("broken", shown.__doc__ or "", shown, margin)(filter_class)

    def keeps(self, filter_class: type[F]) -> Callable[[ReachedBy], type[F]]:
        return lambda shown: self._told("sound", shown.__doc__ or "", shown, 0.001)(filter_class)

    def _told(
        self, kind: Kind, why: str, shown: ReachedBy | None, margin: float
    ) -> Callable[[type[F]], type[F]]:
        def told(filter_class: type[F]) -> type[F]:
            self.append(Case(filter_class, kind, " ".join(why.split()), shown, margin))
            return filter_class

        return told

"""A case of the corpus: a filter as a user would write it, and what is true of it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias, TypeVar

import filterproof as fp
from tests.instruments.corpus.games import Reached, Requests, played

F = TypeVar("F", bound=fp.PrivacyFilter)
Kind: TypeAlias = Literal["broken", "sound"]


#: Plays a game through a filter's own code.
ReachedBy: TypeAlias = Callable[[fp.PrivacyFilter], Reached]


@dataclass(frozen=True, slots=True)
class Case:
    """What makes a filter or a service, and its truth.

    why: which game breaks it, or by which theorem or domination it is sound. shown: plays a game through the filter's
    own code and computes what it reaches on another route; for a sound case a game that comes near the promise, or
    None. margin: the share by which a broken filter at least exceeds its promise. thread: where a public bug was told.
    """

    name: str
    kind: Kind
    why: str
    make: Callable[[], Any]
    shown: ReachedBy | None = None
    margin: float = 0.001
    thread: str = ""


class Cases(list[Case]):
    """The cases of a module, each told where it stands.

    `broken` and `sound` stand above a filter's class and say what is asked of it: requests fixed in advance, or a
    strategy. `breaks` and `keeps` stand above a function that plays another game, whose docstring is the reason.
    """

    def broken(
        self, why: str, requests: Requests, *, margin: float = 0.001, **at: float
    ) -> Callable[[type[F]], type[F]]:
        return self._add("broken", why, partial(played, requests=requests, **at), margin)

    def sound(self, why: str, requests: Requests | None = None, **at: float) -> Callable[[type[F]], type[F]]:
        return self._add("sound", why, requests and partial(played, requests=requests, **at), 0.001)

    def breaks(self, filter_class: type[F], margin: float = 0.001) -> Callable[[ReachedBy], type[F]]:
        return lambda shown: self._add("broken", shown.__doc__ or "", shown, margin)(filter_class)

    def keeps(self, filter_class: type[F]) -> Callable[[ReachedBy], type[F]]:
        return lambda shown: self._add("sound", shown.__doc__ or "", shown, 0.001)(filter_class)

    def _add(
        self, kind: Kind, why: str, shown: ReachedBy | None, margin: float
    ) -> Callable[[type[F]], type[F]]:
        def add(filter_class: type[F]) -> type[F]:
            name = re.sub(r"(?<=.)(?=[A-Z])", "-", filter_class.__name__).lower()
            self.append(Case(name, kind, " ".join(why.split()), filter_class, shown, margin))
            return filter_class

        return add

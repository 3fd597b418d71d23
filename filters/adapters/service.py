"""A service that answers requests in steps, stores its budget on a disk, and may be killed between two steps.

>>> import filterproof as fp
>>> class Purse:
...     def __init__(self, disk):  # a process begins, with what was stored
...         self.disk = disk
...     def request(self, pair, key):
...         spent = self.disk.get("spent", 0.0) + pair.pure_epsilon
...         if spent <= 1.0:
...             self.disk["spent"] = spent
...             yield fp.services.Release()
>>> disk = {}
>>> [len(list(Purse(disk).request(fp.RandomizedResponse(0.75), key))) for key in "ab"]
[1, 0]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias

from filterproof.theory.guarantees import Guarantee
from filterproof.theory.pairs import DominatingPair

#: The storage that outlives a process: texts to plain values.
Disk: TypeAlias = "MutableMapping[str, Any]"


@dataclass(frozen=True, slots=True)
class Release:
    """A service's statement that it sends an answer, a fresh sample of the mechanism unless it repeats an earlier one.

    Parameters
    ----------
    again : bool
        The answer repeats, word for word, an earlier answer for the same key (sent or about to be sent). It reveals
        nothing new.
    epoch : int, optional
        The epoch of the data behind the answer. Default: the epoch of the request's first step. An answer with `again`
        in a later epoch must state it; otherwise it does not count.
    answer : str, optional
        The name of the answer. Answers of one mechanism and one epoch with the same name are the same, word for word,
        whoever asks: a cached answer, or noise from a seed that the query determines.

    Raises
    ------
    ValueError
        If both `again` and `answer` are given.
    TypeError
        If `answer` is not a str.
    """

    again: bool = False
    epoch: int | None = None
    answer: str | None = None

    def __post_init__(self) -> None:
        if self.answer is None:
            return
        if not isinstance(self.answer, str):
            raise TypeError(f"answer must be a text, got answer={self.answer!r}; pass e.g. repr(query)")
        if self.again:
            raise ValueError(
                f"again must be False for a named answer, got answer={self.answer!r}; pass one of both"
            )


class Service(Protocol):
    """A process that answers requests.

    It may also have `clock(epoch)`, called at its start and at the end of each epoch. With a clock a record lies in one
    epoch, and the guarantee is for results from its data. An optional `kill()` releases resources that the operating
    system takes back from a dead process, such as file locks. An optional `observe(key, loss)` is told what came out
    as a new answer goes out: the realised loss log p(output)/q(output), in nats. A schedule is then a counterexample
    only if its answers go out whatever came out.
    """

    def request(self, pair: DominatingPair, key: str) -> Iterator[Release | None]:
        """The steps of one request: a `Release` as an answer goes out, None at any other moment between two steps.

        key names the client's wish: a request that is sent once more has the same key. Ending is a denial, or the end;
        so is an exception, and SystemExit ends the process.
        """


#: A process that begins: with what was stored, nothing at first.
MakeService: TypeAlias = Callable[[Disk], Service]


@dataclass(frozen=True, eq=False)
class PromisedService:
    """A service with its guarantee: make(disk) starts a process, and `promise` covers all releases of an epoch."""

    make: MakeService
    promise: Guarantee
    scope: ClassVar[str] = (
        "clients with concurrent requests and retries, and a process that is killed and restarted"
    )


def with_promise(service: MakeService, promise: Guarantee) -> PromisedService:
    """Return a service together with its guarantee, for `fp.verify`.

    Parameters
    ----------
    service : callable
        service(disk) starts a process of the service.
    promise : Guarantee
        The guarantee for all releases of an epoch.

    Returns
    -------
    PromisedService
        An object whose class has the name of the service, which counterexamples and messages use.

    Raises
    ------
    TypeError
        If `service` is not callable or `promise` is not a guarantee.
    """
    if not callable(service):
        raise TypeError(f"service must make a service from a disk, got {service!r}; pass its class")
    if not isinstance(promise, Guarantee):
        raise TypeError(f"promise must be a guarantee, got {promise!r}; pass e.g. fp.PureDP(1.0)")
    name = getattr(service, "__name__", type(service).__name__)
    promised_class: type[PromisedService] = type(name, (PromisedService,), {"__module__": service.__module__})
    return promised_class(service, promise)

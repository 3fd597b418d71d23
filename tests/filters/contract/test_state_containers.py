"""States in dicts, named tuples and data classes decide, are saved and are simulated as tuples are."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import filterproof as fp
from tests.filters.own import of


class Purses(NamedTuple):
    main: NDArray[np.float64]
    petty: NDArray[np.float64]


@dataclass(frozen=True)
class Books:
    main: NDArray[np.float64]
    petty: NDArray[np.float64]


class InTuple(fp.PrivacyFilter[Any]):
    """Requests of at most 0.05 are paid from the petty purse, others from the main one."""

    promise = fp.ZCDP(0.5)

    def pack(self, main: Any, petty: Any) -> Any:
        return main, petty

    def unpack(self, state: Any) -> tuple[Any, Any]:
        main, petty = state
        return main, petty

    def start(self, n: int) -> Any:
        return self.pack(np.zeros(n), np.zeros(n))

    def admits(self, state: Any, request: fp.DominatingPair) -> NDArray[np.bool_]:
        main, petty = self.unpack(state)
        admitted: NDArray[np.bool_] = main + petty + request.zcdp_rho <= 0.5
        return admitted

    def spend(self, state: Any, request: fp.DominatingPair) -> Any:
        main, petty = self.unpack(state)
        small = request.zcdp_rho <= 0.05
        charged = main + request.zcdp_rho, petty + request.zcdp_rho
        return self.pack(np.where(small, main, charged[0]), np.where(small, charged[1], petty))


class InDict(InTuple):
    def pack(self, main: Any, petty: Any) -> Any:
        return {"petty": petty, "main": main}

    def unpack(self, state: Any) -> tuple[Any, Any]:
        return state["main"], state["petty"]


class InNamedTuple(InTuple):
    pack = staticmethod(Purses)  # type: ignore[assignment]


class InDataClass(InTuple):
    pack = staticmethod(Books)  # type: ignore[assignment]

    def unpack(self, state: Any) -> tuple[Any, Any]:
        return state.main, state.petty


class Nested(InTuple):
    """A dict of a tuple and of a data class."""

    def pack(self, main: Any, petty: Any) -> Any:
        return {"purses": (petty,), "books": Books(main, np.zeros(len(main)))}

    def unpack(self, state: Any) -> tuple[Any, Any]:
        return state["books"].main, state["purses"][0]


CONTAINERS = (InDict, InNamedTuple, InDataClass, Nested)
MUS = (0.7, 0.2, 0.9, 0.3, 0.1, 0.6, 0.3, 0.3, 0.2)


@pytest.mark.parametrize("kind", CONTAINERS)
def test_containers_decide_as_tuples_and_are_saved(kind: type[InTuple]) -> None:
    ours, other = kind().open("retry"), InTuple().open("retry")
    for mu in MUS:
        restored = fp.Session.from_dict(ours.to_dict(), kind(), "retry")
        decisions = {session.request(fp.Gaussian(mu)) for session in (ours, restored, other)}
        assert len(decisions) == 1
    assert not other.request(fp.Gaussian(0.5))


@pytest.mark.parametrize("kind", CONTAINERS)
def test_containers_are_simulated_as_tuples(kind: type[InTuple]) -> None:
    results = [
        fp.simulate(one(), fp.HighWhileLossPositive(0.2, 0.4, fp.Gaussian), epsilon=1.0, n=2_000, seed=3)
        for one in (kind, InTuple)
    ]
    assert len({(result.low, result.high) for result in results}) == 1


class LosesAKey(InDict):
    def pack(self, main: Any, petty: Any) -> Any:
        return {"petty": petty, "main": main} if not np.any(petty) else {"main": main}


def test_a_state_that_changes_its_layout_or_is_written_to_is_refused() -> None:
    with pytest.raises(TypeError, match="must keep its layout"):
        fp.IndividualFilter(LosesAKey(), people=3).select(fp.Gaussian(np.array([0.1, 0.2, 1.1])))

    def into_the_dict(filt: InDict, state: Any, request: fp.DominatingPair) -> Any:
        state["main"] += request.zcdp_rho
        return state

    with pytest.raises(Exception, match=r"Own\.spend writes into the state"):
        of(InDict, spend=into_the_dict)().open().request(fp.Gaussian(0.1))


@pytest.mark.parametrize("state", [(), 0.0, np.zeros(()), (np.zeros(1), np.zeros(2)), {"a": [0.0]}], ids=repr)
def test_a_state_without_one_row_per_run_is_refused(state: Any) -> None:
    with pytest.raises(TypeError, match=r"Own\.start must return an array with 1 runs"):
        of(InTuple, start=lambda filt, n: state)().open()

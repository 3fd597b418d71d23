"""The catalogue names every filter there is, and what it says of them is true."""

import pickle
from dataclasses import fields
from inspect import isabstract

import numpy as np
import pytest
from numpy.typing import NDArray

import filters as fp
from filters import catalogue
from filters.contract.state import State, runs_of
from filters.rules import unsound
from theory.guarantees import Guarantee
from theory.pairs import DominatingPair, Gaussian, RandomizedResponse


def test_every_public_filter_is_in_the_catalogue() -> None:
    public = {
        name
        for name in fp.__all__
        if isinstance(thing := getattr(fp, name), type)
        and issubclass(thing, fp.PrivacyFilter)
        and not isabstract(thing)
        # what filters of one sum share, and what is made of a tracker and shown with the trackers
        and thing not in (fp.AdditiveFilter, fp.BlockFilter)
    }
    assert public == set(catalogue.CATALOGUE)


@pytest.mark.parametrize("entry", catalogue.CATALOGUE.values(), ids=lambda entry: entry.name)
def test_an_example_states_promise_and_proof(entry: catalogue.Entry) -> None:
    filt = entry.example()
    assert isinstance(filt, entry.kind)
    assert isinstance(filt.promise, Guarantee)
    assert filt.proof != fp.PrivacyFilter.proof
    assert filt.scope
    assert entry.name in repr(filt)
    assert filt == entry.example()
    assert hash(filt) == hash(entry.example())
    assert pickle.loads(pickle.dumps(filt)) == filt  # noqa: S301
    assert 0 <= float(filt.promise.delta(1.0)) <= 1
    assert str(filt.promise)
    left = filt.remaining(filt.start(3))
    assert left.shape == (3,)
    assert (left > 0).all()


@pytest.mark.parametrize("entry", catalogue.CATALOGUE.values(), ids=lambda entry: entry.name)
def test_what_a_subclass_decides_is_decided(entry: catalogue.Entry) -> None:
    example = entry.example()
    pair = getattr(example, "menu", (RandomizedResponse(1e-3),))[0]
    spent = []

    class Closed:
        def admits(self, state: State, request: DominatingPair) -> NDArray[np.bool_]:
            return np.zeros(runs_of(state), dtype=bool)

    class Counting:
        def spend(self, state: State, request: DominatingPair) -> State:
            spent.append(request)
            return super().spend(state, request)  # type: ignore[misc, no-any-return]

    def derived(own: type) -> fp.PrivacyFilter:
        parameters = {part.name: getattr(example, part.name) for part in fields(entry.kind) if part.init}  # type: ignore[arg-type]
        with unsound.knowingly():
            return type(entry.name, (own, entry.kind), {})(**parameters)  # type: ignore[no-any-return]

    closed, counting = derived(Closed).open("retry"), derived(Counting).open("retry")
    assert not closed.request(pair)
    halted = derived(Closed).open()
    assert not halted.request(pair)
    with pytest.raises(fp.FilterHaltedError, match="the session has halted after 0 grants"):
        halted.request(pair)
    assert closed.affordable(Gaussian) == 0
    assert counting.request(pair)
    assert spent


def test_unsound_filters_live_in_their_files_and_warn() -> None:
    for entry in catalogue.CATALOGUE.values():
        assert (entry.kind.__module__ == unsound.__name__) == (entry.sound is False)
        word = {True: "", False: "false: ", None: "undecided: "}[entry.sound]
        assert entry.kind.proof.startswith(word)
        if entry.sound is False:
            doc = entry.kind.__doc__ or ""
            assert "Flaw:" in doc
            assert "Witness:" in doc
            with pytest.warns(fp.UnsoundFilterWarning):
                entry.make()

"""What the catalogue says of each filter is true; `test_registries` tests that it names every filter there is."""

import pickle

import pytest

import filterproof.filters as fp
from filterproof.filters import catalogue
from filterproof.filters.rules import unsound
from filterproof.theory.guarantees import Guarantee


@pytest.mark.parametrize("entry", catalogue.CATALOGUE.values(), ids=lambda entry: entry.name)
def test_an_example_states_promise_and_proof(entry: catalogue.CatalogueEntry) -> None:
    filt = entry.example()
    assert isinstance(filt, entry.filter_class)
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


def test_unsound_filters_live_in_their_files_and_warn() -> None:
    for entry in catalogue.CATALOGUE.values():
        assert (entry.filter_class.__module__ == unsound.__name__) == (entry.sound is False)
        word = {True: "", False: "false: ", None: "undecided: "}[entry.sound]
        assert entry.filter_class.proof.startswith(word)
        if entry.sound is False:
            doc = entry.filter_class.__doc__ or ""
            assert "Flaw:" in doc
            assert "Counterexample:" in doc
            with pytest.warns(fp.UnsoundFilterWarning):
                entry.make(entry.parameters)

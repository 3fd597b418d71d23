"""What a filter's own code raises is told in a sentence that names its method and line; all else passes."""

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import filterproof as fp
from filterproof.filters.adapters.bridge import BridgeError, LateBridgeError
from filterproof.filters.contract.work import OutOfWork
from filterproof.mc.examine.filter_fault import FilterFault, filter_faults_raised
from tests.mc.examine import misbehaving_filters

HERE = Path(__file__)


class Breaks(misbehaving_filters.SumOfZCDP):
    """Its methods do what they are asked for: raise in a helper of this file, or call something."""

    def admits(self, state, request):
        return self.cost(state, request)

    def cost(self, state, request):
        return broken(request) if isinstance(request, BaseException) else request()

    spend = lambda self, state, request: 1 // 0  # noqa: E731


def broken(error):
    raise error


def line_of(words: str) -> int:
    return next(number for number, line in enumerate(HERE.read_text().splitlines(), 1) if words in line)


def call_admits(filt: fp.PrivacyFilter, request: object) -> Iterator[object]:
    yield filt.admits(np.zeros(1), request)


PLACE = f"in test_filter_fault.py, line {line_of('    raise error')}; correct it there"
#: What is raised in the helper, and the sentence.
SAID = {
    "without words": (ValueError(), f"Breaks.cost raised ValueError {PLACE}"),
    "with words": (KeyError("x"), f"Breaks.cost raised KeyError: 'x' {PLACE}"),
    "in words of ours": (
        TypeError("Breaks.admits is"),
        f"Breaks.cost raised TypeError: Breaks.admits is {PLACE}",
    ),
    "for a generator": (StopIteration(), f"Breaks.cost raised StopIteration {PLACE}"),
    "an interrupt": (KeyboardInterrupt(), f"Breaks.cost raised KeyboardInterrupt {PLACE}"),
    "in another language": (BridgeError("bridge.mjs said nothing"), "bridge.mjs said nothing"),
}


@pytest.mark.parametrize("name", SAID)
def test_an_error_is_told_by_the_innermost_method_and_the_line_of_its_helper_once(name: str) -> None:
    error, sentence = SAID[name]
    filt = Breaks()
    with pytest.raises(FilterFault) as caught, filter_faults_raised(Breaks()), filter_faults_raised(filt):
        next(call_admits(filt, error))
    assert str(caught.value).startswith(sentence)


def spends(how: str) -> fp.PrivacyFilter:
    """A filter from a budget of another library whose code is at fault."""

    class Ledger:
        def __init__(self):
            self.lock = threading.Lock() if how == "uncopied" else None

        def spend(self, held, pair):
            return [True] if how == "answered" else broken(KeyError("row 7"))

    def ask(ledger, pair):
        return broken(KeyError("row 7")) if how == "function" else ledger.spend(ledger, pair)

    inner = fp.from_budget(Ledger, ask, fp.PureDP(1.0))
    return fp.LabelledFilter(inner, labels={"site": ("a", "b")}, over={"site": "a"})


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("method", f"Ledger.spend raised KeyError: 'row 7' {PLACE}"),
        ("function", f"Ledger: ask raised KeyError: 'row 7' {PLACE}"),
        ("answered", "Ledger: spend must grant or deny the whole request, got"),
        ("uncopied", "Ledger: cannot pickle"),
    ],
)
def test_a_fault_behind_an_adapter_is_told_by_the_code_of_the_user(how: str, sentence: str) -> None:
    filt = spends(how)
    with pytest.raises(FilterFault) as caught, filter_faults_raised(filt):
        filt.admits(filt.start(1), filt.at(fp.RandomizedResponse(0.5)))
    assert str(caught.value).startswith(sentence)


def test_a_function_without_a_name_is_told_by_where_it_stands() -> None:
    filt = Breaks()
    with (
        pytest.raises(FilterFault, match=r"^Breaks\.Breaks\.<lambda> raised ZeroDivisionError: "),
        filter_faults_raised(filt),
    ):
        filt.spend(np.zeros(1), None)


def test_what_a_person_interrupts_and_what_is_raised_elsewhere_is_no_fault() -> None:
    for error in (KeyboardInterrupt, ZeroDivisionError):
        filt = misbehaving_filters.first("Interrupted", lambda error=error: broken(error()))()
        with (
            pytest.raises(KeyboardInterrupt if error is KeyboardInterrupt else FilterFault),
            filter_faults_raised(filt),
        ):
            filt.admits(np.zeros(1), fp.Gaussian(0.1))
        with pytest.raises(error), filter_faults_raised(filt):
            broken(error())


class Translates(misbehaving_filters.SumOfZCDP):
    """Makes its own error of whatever it meets."""

    def admits(self, state, request):
        try:
            raise request
        except BaseException as met:  # noqa: BLE001 - also what ends a search
            raise ValueError("my budget broke") from (met if isinstance(met, LateBridgeError) else None)


@pytest.mark.parametrize("end", [OutOfWork(), LateBridgeError("late")])
def test_what_a_filter_makes_of_the_end_of_a_search_is_no_fault_of_it(end: BaseException) -> None:
    filt = Translates()
    with pytest.raises(type(end)) as raised, filter_faults_raised(filt):
        next(call_admits(filt, end))
    assert raised.value is end
    with pytest.raises(FilterFault, match="my budget broke"), filter_faults_raised(filt):
        next(call_admits(filt, KeyError("x")))

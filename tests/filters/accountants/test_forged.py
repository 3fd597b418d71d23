"""Whatever is done to a saved file, it is refused or restores no more than a whole budget."""

import itertools
import json
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import filterproof.filters as fp
from filterproof.filters.catalogue import CATALOGUE
from filterproof.theory.pairs import DominatingPair, Gaussian, RandomizedResponse
from tests.filters.accountants.saved_session import FILTER, KEY, OTHER, places, reread
from tests.filters.own import Known

HEX = st.one_of(
    st.sampled_from([-1000.0, -0.0, 0.0, 5e-324, -5e-324, 1e308, math.inf, -math.inf, math.nan]),
    st.floats(-2.0, 2.0),
    st.floats(-1000.0, 0.0),
    st.floats(0.0, 0.5),
    st.floats(),
).map(float.hex)
JUNK = st.one_of(
    HEX,
    st.none(),
    st.booleans(),
    st.integers(-2, 40),
    st.sampled_from([2**31, 2**48, 2**63 - 1, 2**63, -(2**63), 10**30]),
    st.floats(),
    st.sampled_from(["halt", "retry", "<f8", "<i8", "False", "", "values", 1.0]),
    st.just([]),
    st.just({}),
    st.lists(HEX, max_size=3),
)


@st.composite
def mutations(draw: st.DrawFn, saved: dict[str, Any]) -> Any:
    """`saved` with up to three other values in it, most of them numbers of the state, which count."""
    data = reread(saved)
    for _ in range(draw(st.integers(1, 3))):
        inside = [(box, way[-1]) for box, way in places(data)]
        numbers = [(box, at) for box, at in inside if isinstance(box, list) and isinstance(box[at], str)]
        aimed = bool(numbers) and draw(st.booleans())
        box, at = draw(st.sampled_from(numbers if aimed else inside))
        box[at] = draw(HEX if aimed else JUNK)
    return data


def requests(filt: fp.PrivacyFilter) -> list[DominatingPair]:
    """Mechanisms of which a fresh run of `filt` grants some, not many."""
    menu = getattr(filt, "menu", getattr(filt, "design", None))
    if menu is not None:
        return list(menu)
    start = filt.start(1)
    return [
        RandomizedResponse(float(filt.affordable(start, RandomizedResponse)[0]) * share)
        for share in (0.5, 0.9)
    ]


def grants(session: fp.Session, pair: DominatingPair, most: int = 60) -> int:
    """How often `pair` is granted in a row."""
    count = 0
    if session.to_dict()["awaits_loss"]:
        session.observe(0.0)
    while count < most and not session.halted and session.request(pair):
        count += 1
        if session.filter.looks_at_losses:
            session.observe(0.0)
    return count


FUZZED = [*(name for name in CATALOGUE if name != "RangedBlackwellFilter"), "Known"]


def example(name: str) -> fp.PrivacyFilter:
    return Known() if name == "Known" else CATALOGUE[name].example()


@pytest.mark.parametrize("name", FUZZED)
def test_a_changed_file_is_refused_or_grants_no_more_than_a_fresh_session(name: str) -> None:
    """With a key: is refused, or is what was saved."""
    filt = example(name)
    pairs = requests(filt)
    policies: Any = ("halt", "retry")
    sessions = {policy: filt.open(policy) for policy in policies}
    for session, pair in itertools.product(sessions.values(), pairs):
        if not session.halted and session.request(pair) and filt.looks_at_losses:
            session.observe(0.1)
    saved = {
        policy: (reread(session.to_dict()), reread(session.to_dict(key=KEY)))
        for policy, session in sessions.items()
    }
    fresh_grants = [grants(filt.open("retry"), pair) for pair in pairs]
    assert fresh_grants == [grants(filt.open("halt"), pair) for pair in pairs]
    assert max(fresh_grants) > 0
    refused = [0, 0]
    tries = settings.default.max_examples // 2  # a share of the profile's: one for each filter there is

    @settings(max_examples=tries, deadline=None, derandomize=True, database=None)
    @given(st.data())
    def fuzz(data: st.DataObject) -> None:
        policy = data.draw(st.sampled_from(policies))
        unsigned, signed = saved[policy]
        changed = data.draw(mutations(unsigned))
        for pair, most in zip(pairs, fresh_grants, strict=True):
            try:
                restored = fp.Session.from_dict(changed, filt, policy)
            except ValueError as error:
                assert "\n" not in str(error)  # noqa: PT017
                refused[0] += 1
            else:
                assert json.dumps(restored.to_dict()) == json.dumps(changed)  # True is not 1
                assert grants(restored, pair) <= most
        changed = data.draw(mutations(signed))
        try:
            restored = fp.Session.from_dict(changed, filt, policy, key=KEY)
        except ValueError:
            refused[1] += 1
        else:
            assert restored.to_dict() == signed

    fuzz()
    assert min(refused) > tries // 3  # not idle


def a_session() -> fp.Session:
    session = FILTER.open("retry")
    assert session.request(Gaussian(0.5))
    return session


def some_people() -> fp.IndividualFilter:
    people = fp.IndividualFilter(FILTER, 3)
    people.select(fp.gaussian_request(np.array([0.5, 0.0, 0.9]), 1.0))
    return people


def some_queries() -> fp.LinearQueries:
    queries = fp.LinearQueries(3, norm_budget=2.0, kappa=0.5)
    queries.answer(np.array([0.5, 0.0, 0.9]), np.random.default_rng(0))
    return queries


#: What is saved, and how it is restored.
GROUPS: list[tuple[Callable[[], Any], Callable[..., Any]]] = [
    (some_people, partial(fp.IndividualFilter.from_dict, filt=FILTER)),
    (some_queries, partial(fp.LinearQueries.from_dict, norm_budget=2.0, kappa=0.5)),
]
ALL = [(a_session, partial(fp.Session.from_dict, filt=FILTER, on_denial="retry")), *GROUPS]


@pytest.mark.parametrize(("make", "again"), ALL)
def test_what_is_saved_is_restored_to_the_last_bit_and_goes_on_signing(make: Any, again: Any) -> None:
    saved, signed = reread(make().to_dict()), reread(make().to_dict(key=KEY))
    assert again(saved).to_dict() == saved
    assert again(signed, key=KEY).to_dict() == signed
    if make is not a_session:
        assert [again(saved).report_for(i) for i in range(3)] == [make().report_for(i) for i in range(3)]
    for data, key in ((signed, None), (signed, OTHER), (saved, KEY)):
        with pytest.raises(ValueError, match=r"^[^\n]*key[^\n]*$"):
            again(data, key=key)


@pytest.mark.parametrize(("make", "again"), GROUPS)
def test_nobody_gets_budget_from_a_saved_file(make: Any, again: Any) -> None:
    numbers = (-1000.0, -(2.0**-30), 2.5, math.nan, math.inf, -math.inf)
    for person, part, number in itertools.product(range(3), (0, 1), numbers):
        data = reread(make().to_dict())
        data["state"][part]["values"][person] = number.hex()
        with pytest.raises(ValueError, match="unreachable one in 1 of 3 runs"):
            again(data)
    for count in (0, -3, True, 3.0, "3", None, 2, 4, 10**15):
        with pytest.raises(ValueError, match=r"people must be an integer >= 1|state must hold arrays of"):
            again({**make().to_dict(), "people": count})


def test_people_and_queries_are_restored_under_their_own_budgets() -> None:
    with pytest.raises(ValueError, match="pass the same filter"):
        fp.IndividualFilter.from_dict(some_people().to_dict(), fp.GaussianFilter(2.0))
    saved = reread(some_queries().to_dict())
    with pytest.raises(ValueError, match="norm_budget must be what was saved, got 3"):
        fp.LinearQueries.from_dict(saved, norm_budget=3.0, kappa=0.5)
    with pytest.raises(ValueError, match=r"kappa must be what was saved, got 0\.6"):
        fp.LinearQueries.from_dict(saved, norm_budget=2.0, kappa=0.6)

"""A saved session is data: every field of it is checked, and a key tells whether it was changed."""

import hashlib
import hmac
import json
import math
from fractions import Fraction
from typing import Any

import pytest

import filterproof.filters as fp
from filterproof.theory.pairs import Gaussian, RandomizedResponse
from tests.filters.accountants.saved_session import FILTER, KEY, OTHER, refusal, reread, spent, sums


def test_sums_up_to_the_last_bit_of_the_budget_are_restored() -> None:
    for high, low in ((1.0, 0.0), (math.nextafter(1.0, 0.0), 2.0**-55), (1.0, -(2.0**-60)), (0.5, 2.0**-54)):
        session = fp.Session.from_dict(sums(high, low), FILTER, "retry")
        left = 1 - Fraction(high) - Fraction(low)
        assert Fraction(session.remaining()) ** 2 <= left
        assert session.remaining() == pytest.approx(float(left) ** 0.5, abs=1e-8)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"parameters": {}}, "which differ in class, promise, budget and 1 more; pass the same filter"),
        ({"filter": "x" * 201}, "filter must be as to_dict wrote it"),
        ({"on_denial": "halt"}, "on_denial must be what was saved"),
        ({"halted": True}, "halted must be false if on_denial is 'retry'"),
        ({"awaits_loss": True}, "awaits_loss must be false before a grant and for a filter that asks"),
        ({"loss_within": (0.5).hex()}, "loss_within must be 'inf' if no loss is awaited"),
        ({"granted": 0}, "state must be reachable by no grant"),
        ({"state": []}, "state must have the layout of a fresh one, got 0 parts for 2"),
        ({"more": 1}, "data must have no other keys, got 'more'"),
        ({1: 1}, "data must have no other keys, got '1'"),
        ({(): 1}, "data must have JSON values only"),
    ],
)
def test_fields_that_do_not_go_together_are_refused(change: dict[Any, object], says: str) -> None:
    assert says in refusal({**spent(), **change})


def test_what_is_saved_is_a_mapping_with_its_own_keys() -> None:
    saved = spent()
    for name in saved:
        assert name in refusal({key: value for key, value in saved.items() if key != name})
    for data in (None, [], "session", {*saved}):
        assert "data must be a mapping" in refusal(data)


def test_a_restored_session_refuses_the_losses_that_it_refused_before() -> None:
    filt = fp.HockeyStickFilter(epsilon=1.0, delta=1e-3)
    session = filt.open("retry")
    assert session.request(RandomizedResponse(0.5))
    saved = reread(session.to_dict())
    for size in ("nan", "-nan", (-0.5).hex(), "0x1p-1", "0.5", 0.5, None):
        assert "loss_within must be the digits of a double" in refusal({**saved, "loss_within": size}, filt)
    restored = fp.Session.from_dict(saved, filt, "retry")
    with pytest.raises(
        ValueError, match=r"at most 0\.5 in size, the epsilon of the granted request, got loss=-50"
    ):
        restored.observe(-50.0)
    restored.observe(-0.5)
    assert restored.to_dict()["loss_within"] == "inf"


def test_a_key_refuses_what_was_not_signed_with_it() -> None:
    signed, unsigned = spent(KEY), spent()
    for data in (signed, {**unsigned, "hmac": None}):
        assert "key must be the key of the signed data, got key=None" in refusal(data)
    odd = (None, "", "é", "\ud800", 1, ["x"], signed["hmac"].upper(), signed["hmac"] + "0")
    for data, key in (
        (signed, OTHER),
        (unsigned, KEY),
        *(({**signed, "hmac": signature}, KEY) for signature in odd),
    ):
        assert "hmac must be the signature of data under key" in refusal(data, key=key)


def test_the_signature_is_the_one_of_the_text_with_sorted_keys() -> None:
    signed, unsigned = spent(KEY), spent()
    text = json.dumps(unsigned, separators=(",", ":"), sort_keys=True)
    assert signed == {**unsigned, "hmac": hmac.new(KEY, text.encode(), hashlib.sha256).hexdigest()}


def test_a_session_with_a_key_signs_all_that_it_saves_and_an_older_copy_is_genuine() -> None:
    disk: list[Any] = []
    session = FILTER.open(record=disk.append, key=KEY)
    session.request(Gaussian(mu=0.5))
    again = fp.Session.from_dict(disk[-1], FILTER, record=disk.append, key=KEY)
    again.request(Gaussian(mu=0.5))
    # the number to keep elsewhere
    assert [fp.Session.from_dict(saved, FILTER, key=KEY).granted for saved in disk] == [1, 2]
    assert fp.Session.from_dict(session.to_dict(key=OTHER), FILTER, key=OTHER).granted == 1
    assert fp.Session.from_dict(FILTER.open().to_dict(key=OTHER), FILTER, key=OTHER).granted == 0


@pytest.mark.parametrize("key", [b"", b"of fifteen byte", "a text of sixteen", 1, bytearray(16), True])
def test_a_key_is_sixteen_bytes_or_more(key: Any) -> None:
    assert "hmac" in FILTER.open(key=b"of sixteen bytes").to_dict()
    for act in (
        lambda: FILTER.open(key=key),
        lambda: FILTER.open().to_dict(key=key),
        lambda: fp.Session.from_dict(spent(), FILTER, "retry", key=key),
    ):
        with pytest.raises(ValueError, match="key must be at least 16 bytes"):
            act()

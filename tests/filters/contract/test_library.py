"""What an instance holds is seen, whatever its class says of itself."""

from __future__ import annotations

import filterproof as fp
from filters.contract.library import attributes


class Likeness(type):
    """Classes that claim to be one of the library's."""

    def __eq__(cls, other: object) -> bool:
        return True

    def __hash__(cls) -> int:
        return hash(fp.Holds)


class Hidden(metaclass=Likeness):
    __slots__ = ("secret",)

    def __init__(self) -> None:
        self.secret = 3


def test_a_class_that_claims_to_equal_another_hides_no_slot() -> None:
    assert attributes(fp.Holds(zcdp=0.02))["zcdp"] == 0.02
    assert attributes(Hidden()) == {"secret": 3}
    assert attributes(fp.Holds(zcdp=0.03))["zcdp"] == 0.03

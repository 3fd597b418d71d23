"""A filter whose constructor never ran is refused in one sentence, and no theorem covers it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

import filterproof as fp
from filters.adapters.foreign import CopiedFilter, CountedFilter
from filters.catalogue import CATALOGUE
from mc.examine.stages.parts import of_parts
from mc.losses.accountant_filter import AccountantFilter
from mc.worst_case.calibrate import CalibratedFilter

pytestmark = pytest.mark.usefixtures("as_installed")


class Base(fp.AdditiveFilter):
    promise = fp.ZCDP(0.02)
    charge = fp.zcdp_charge


def kinds() -> Iterator[type]:
    listed = [entry.kind for entry in CATALOGUE.values()]
    for kind in (*listed, CalibratedFilter, CountedFilter, CopiedFilter, AccountantFilter):
        yield kind
        with suppress(
            TypeError, ValueError
        ):  # what has slots of its own beside, or no theorem for this promise
            yield type(f"Base{kind.__name__}", (Base, kind), {})


@pytest.mark.parametrize("kind", tuple(kinds()), ids=lambda kind: kind.__name__)
def test_an_object_without_its_constructor_is_not_covered_and_refused_in_one_sentence(kind: Any) -> None:
    made = object.__new__(kind)
    finding = of_parts(made)
    assert finding.verdict is None
    assert "\n" not in finding.found
    asks: tuple[Callable[[], object], ...] = (
        lambda: fp.verify(made, seconds=1),
        lambda: fp.certify(made),
        lambda: made.open(),
        lambda: fp.IndividualFilter(made, 2),
    )
    if isinstance(made, Base) and not hasattr(kind, "__dataclass_fields__"):
        return  # an AdditiveFilter all of whose parts are attributes of the class needs no constructor
    for ask in asks:
        with pytest.raises(
            TypeError, match=r"must be made by its constructor|promise must be a guarantee"
        ) as refused:
            ask()
        assert "\n" not in str(refused.value)

"""The guarantee of a filter in memory."""

from __future__ import annotations

import inspect

from filterproof.filters.contract.library import defining_class, of_the_library
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.prove.paths import NotTraced
from filterproof.theory.guarantees import Guarantee


def promise_of(filt: PrivacyFilter) -> Guarantee:
    """The guarantee, where it is a value of the library that no code computes."""
    held = inspect.getattr_static(filt, "promise", None)
    if isinstance(held, property) and not of_the_library(defining_class(type(filt), "promise")):
        raise NotTraced("the promise is computed; make it an attribute")
    promise = filt.promise
    if not (isinstance(promise, Guarantee) and of_the_library(type(promise))):
        raise NotTraced("the promise is no guarantee of the library")
    return promise

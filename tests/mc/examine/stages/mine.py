"""A user's filter of library parts, and what the stage of parts says of a filter."""

import filterproof as fp
from filterproof.mc.examine.stages.certificate import certificate
from filterproof.theory.evidence import Outcome, Verdict

PROMISE = fp.ApproxDP(epsilon=1.0, delta=1e-5)


class Mine(fp.AdditiveFilter):
    """The design of the README: a promise and a charge."""

    promise = PROMISE
    charge = fp.zcdp_charge


def outcome(filt: fp.PrivacyFilter) -> Outcome | None:
    found = certificate(filt)
    return None if found is None else found.outcome


def said_of(filt: fp.PrivacyFilter) -> Verdict:
    """The verdict on the parts of a filter that is made of some."""
    found = certificate(filt)
    assert found is not None
    return found

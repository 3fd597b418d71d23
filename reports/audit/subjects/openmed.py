"""The privacy budget ledger of openmed, which accepts a charge or raises."""

from __future__ import annotations

from typing import Any

import filterproof as fp
from mc.accountants.answers import subject_of
from mc.accountants.subject import Subject

__all__ = ["ledger"]


def ledger() -> Subject:
    """One release context with a pure epsilon."""
    from openmed.risk.privacy_budget import (
        PrivacyBudgetLedger,
        PrivacyBudgetLedgerExceeded,
        ReleaseContextPrivacyBudget,
    )

    def make() -> Any:
        return PrivacyBudgetLedger({"release": ReleaseContextPrivacyBudget(epsilon=1.0, delta=0.0)})

    filt = fp.from_budget(
        make,
        lambda held, pair: held.spend("release", float(pair.epsilon), 0.0),
        fp.PureDP(1.0),
        menu=(fp.RandomizedResponse(0.25), fp.RandomizedResponse(0.5)),
        denied=PrivacyBudgetLedgerExceeded,
        spent=lambda held: sum(one.epsilon for one in held.spends),
    )
    return subject_of(filt, raw=lambda held, value: held.spend("release", value, 0.0))

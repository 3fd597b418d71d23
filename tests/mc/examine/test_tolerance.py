"""A budget that lets pass what is over by a tolerance is refuted, however small the tolerance is."""

import pytest

import filterproof as fp
from filterproof.mc.examine.stage_schedule import examine


class _Ledger:
    def __init__(self, most):
        self.most, self.spent = most, 0.0

    def spend(self, cost):
        if self.spent + cost > self.most:
            return False
        self.spent += cost
        return True


def _filter(most, promise, charge):
    return fp.from_budget(
        lambda: _Ledger(most), lambda ledger, pair: ledger.spend(float(charge(pair))), promise
    )


def _epsilon(pair):
    return pair.pure_epsilon


def _rho(pair):
    return pair.zcdp_rho


@pytest.mark.parametrize(
    ("most", "promise", "charge", "refuted"),
    [
        (3.0 * (1 + 1e-9), fp.PureDP(3.0), _epsilon, True),
        (0.5 * (1 + 1e-9), fp.ZCDP(0.5), _rho, True),
        (1.0, fp.PureDP(1.0), _epsilon, False),
        (0.5, fp.ZCDP(0.5), _rho, False),
    ],
)
def test_tolerance_of_a_billionth_is_refuted_and_none_is_not(most, promise, charge, refuted):
    found = examine(
        _filter(most, promise, charge), effort=0.01, mechanisms=["gaussian", "rr"], stages=["sequences"]
    )
    assert (found.counterexample is not None) == refuted
    if refuted:
        assert found.counterexample.replay().refutes

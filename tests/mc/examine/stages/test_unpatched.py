"""Whose code decides is asked of the files of the installed package, on every Python."""

import builtins
import copy
import pickle
import subprocess
import sys
import types
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import filterproof as fp
import filters.accounting.charge_rules
import filters.accounting.ledger
import filters.contract.state
import filters.rules.additive
import mc.engine.adversary
import mc.evaluate.certified_law
import mc.losses.inversion
import mc.losses.lattice_law
import mc.losses.log_ratio
import mc.worst_case.solve
from filters.accounting.ledger import Budget
from filters.certified import running_number
from filters.rules.additive import AdditiveFilter
from mc.examine.stages.parts import of_parts
from mc.examine.stages.unpatched import patched
from mc.worst_case.menu_levels import MenuLevels
from tests.mc.examine.stages.mine import Mine, outcome
from theory.evidence import Outcome


@pytest.mark.usefixtures("proved")
def test_a_patched_game_certifies_no_calibrated_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    filt = fp.calibrated(1.0, 1e-5, each=0.1)
    assert outcome(filt) is Outcome.HOLDS
    for where, name in (
        (MenuLevels, "places"),
        (fp.CalibratedFilter, "recheck"),
        (mc.worst_case.solve, "worst_case"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(where, name, lambda *given, **more: None)
            assert outcome(filt) is Outcome.UNDECIDED


def _evil(self: Any, state: Any, request: Any) -> Any:
    return state


def _like(function: Any, around: Any = None, cells: Any = None) -> Any:
    """A function of the same code that finds its names elsewhere, or encloses something else."""
    globals_, cells = around or function.__globals__, cells or function.__closure__
    return types.FunctionType(function.__code__, globals_, function.__name__, function.__defaults__, cells)


def _cached_lie() -> Any:
    lie = lru_cache(maxsize=256)(lambda *given: Budget.of(9.0))
    lie.__wrapped__ = filters.rules.additive._joined.__wrapped__  # type: ignore[method-assign]
    return lie


def _module(like: types.ModuleType, **members: Any) -> types.ModuleType:
    """A module that says that it is another."""
    made = types.ModuleType(like.__name__)
    vars(made).update(vars(like), **members)
    return made


LEDGER = _module(filters.accounting.ledger, add_up=lambda state, cost: state)


def _of_other_builtins() -> Any:
    """Of the same code, made while the module's builtins were others."""
    with pytest.MonkeyPatch.context() as patch:
        others = dict(vars(builtins)) | {"len": lambda x: 10**6}
        patch.setitem(vars(filters.accounting.ledger), "__builtins__", others)
        return _like(Budget.charge)


RULE = vars(type(fp.zcdp_charge))["_of"]


@pytest.mark.parametrize(
    ("where", "name", "value"),
    [
        (AdditiveFilter, "start", lambda self, n: (np.full(n, -1.0), np.zeros(n))),
        (fp.ZCDPFilter, "charge", fp.gdp_charge),
        (filters.accounting.ledger, "add_up", lambda state, cost: state),
        (fp.Gaussian, "zcdp_rho", property(lambda self: 0.0)),
        (AdditiveFilter.spend, "__code__", _evil.__code__),
        (filters.accounting.charge_rules.proper, "__defaults__", (1.0,)),
        (Budget.fits, "__kwdefaults__", {"most": 9}),
        (type(fp.zcdp_charge), "_of", _like(RULE, dict(RULE.__globals__) | {"proper": lambda x: x / 2})),
        (
            Budget,
            "__setattr__",
            _like(Budget.__setattr__, cells=(types.CellType(TypeError), types.CellType(1))),
        ),
        (filters.rules.additive, "_joined", _cached_lie()),
        (filters.accounting.declared, "_SHARE", 0.5),
        (running_number.Claims, "at_most", running_number.Claims.near),
        (filters.accounting.charge_rules, "_KEPT", frozenset()),
        (filters.accounting.declared, "max", min),
        (filters.accounting, "ledger", LEDGER),
        (filters.accounting.ledger, "__builtins__", dict(vars(builtins))),
        (filters.contract.state, "np", _module(np, frombuffer=lambda data, kind: np.zeros(1))),
        (mc.losses.inversion, "TILTS", mc.losses.inversion.TILTS[:, None]),
        (mc.losses.inversion, "TILTS", mc.losses.inversion.TILTS / 2),
        (Budget, "charge", _of_other_builtins()),
        (mc.losses.log_ratio.nearest_log, "__code__", (lambda ratio: 0.0).__code__),
        (mc.engine.adversary, "Adversary", type("Adversary", (), {})),
        (fp.RenyiFilter, "spend", _evil),
        (fp.RenyiFilter, "sound", None),
        (fp.Gaussian, "mu", 0.0),
        (Budget, "__eq__", lambda self, other: True),
    ],
    ids=lambda thing: thing if isinstance(thing, str) else getattr(thing, "__name__", "value"),
)
def test_whatever_is_put_into_the_package_is_seen_and_seen_to_be_gone(
    where: Any, name: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(where, name, value, raising=False)
        said = patched()
        assert said
        if not isinstance(where, types.FunctionType):
            assert said.endswith(f".{name}")
        assert outcome(fp.ZCDPFilter(0.5)) is Outcome.UNDECIDED
    assert patched() == ""


@pytest.mark.usefixtures("proved")
def test_the_library_as_it_was_certifies_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(AdditiveFilter, "spend", _evil)
        assert outcome(Mine()) is Outcome.UNDECIDED
        found = of_parts(fp.IndividualFilter(fp.ZCDPFilter(0.5), 2)).found
        assert "AdditiveFilter.spend is not as in the files of the installed package" in found
    assert outcome(Mine()) is Outcome.HOLDS


def test_an_attribute_put_into_a_charge_of_the_library_is_seen() -> None:
    assert patched() == ""
    object.__setattr__(fp.CKS, "__class__", type("CKS", (type(fp.CKS),), {"__slots__": ()}))
    try:
        assert patched() == "theory.conversions.CKS"
    finally:
        object.__setattr__(fp.CKS, "__class__", type(fp.CKS).__base__)
    assert patched() == ""


def test_a_module_that_stands_in_for_one_of_ours_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "filters.accounting.ledger", LEDGER)
        assert patched().startswith("filters.accounting")
    with monkeypatch.context() as patch:  # one whose attributes its class may compute
        patch.setattr(filters.accounting.ledger, "__class__", type("Other", (types.ModuleType,), {}))
        assert patched() == "filters.accounting.ledger"
    assert patched() == ""


def test_an_answer_kept_from_while_something_was_patched_is_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = fp.zcdp_charge, fp.ApproxDP(0.75, 1e-5), fp.CKS
    with monkeypatch.context() as patch:
        patch.setattr(filters.rules.additive, "promised_budget", lambda *given: Budget.of(9.0))
        assert filters.rules.additive._joined(*asked) == Budget.of(9.0)
    assert patched() == ""
    assert filters.rules.additive._joined(*asked) != Budget.of(9.0)


def test_what_python_writes_while_code_is_used_is_no_patch() -> None:
    for kept in (fp.ZCDPFilter(0.5), fp.Gaussian(0.5), Budget.of(1.0)):
        assert repr(pickle.loads(pickle.dumps(kept))) == repr(copy.copy(kept)) == repr(kept)  # noqa: S301
    for _ in range(1000):  # so often that Python replaces instructions by others of the same meaning
        fp.zcdp_charge(fp.Gaussian(0.5))
    assert patched() == ""


BEFORE = """
import filterproof as fp
fp.Gaussian.zcdp_rho = property(lambda pair: pair.mu**2 / 8)
from mc.examine.stages.parts import parts
print(parts(fp.ZCDPFilter(0.5)).outcome.name)
"""


def test_what_was_put_into_the_library_before_anything_was_examined_is_seen() -> None:
    told = subprocess.run([sys.executable, "-c", BEFORE], capture_output=True, text=True, check=True).stdout
    assert told == "UNDECIDED\n"

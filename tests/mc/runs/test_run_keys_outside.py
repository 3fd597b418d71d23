"""A store's key and the world outside: what no key can cover is refused by its name, and nothing known pure is."""

from __future__ import annotations

import codecs
import configparser
import decimal
import gzip
import math
import operator
import statistics
import typing
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.special

import filters.accounting.charges
import filters.rules.gdp
import theory.pairs.gaussian
from filters import GaussianFilter
from filters.accounting.amounts import Square
from mc.engine.adversaries import Constant
from mc.engine.adversary import Adversary, View
from mc.engine.game import Game
from mc.estimate.functionals import HockeyStick
from mc.estimate.simulate import simulate
from mc.runs.fingerprint import digest, fingerprint
from mc.runs.run import what_plays
from mc.runs.store import StoreError
from theory.pairs import DominatingPair, Gaussian


def key(value: object) -> str:
    return digest(fingerprint(value))


@dataclass(frozen=True)
class Asks(Adversary):
    """An adversary that asks for what a rule says, which may be any object."""

    rule: Any

    def request(self, view: View) -> DominatingPair:
        return Gaussian(float(self.rule(view)))


LEVELS = [0.1]
ALIAS = getattr


def by_codecs(view: View) -> float:
    return float(codecs.open("level").read())


def by_gzip(view: View) -> float:
    return float(gzip.open("level").read())


def by_configuration(view: View) -> float:
    parser = configparser.ConfigParser()
    parser.read("level")
    return float(parser["a"]["b"])


def by_records(view: View) -> float:
    return float(np.rec.fromfile("level", formats="f8", shape=1)[0][0])


def by_decimals(view: View) -> float:
    return float(decimal.Decimal(19) / decimal.Decimal(17))


def by_hidden_draws(view: View) -> float:
    return statistics.NormalDist(0.5, 0.1).samples(1)[0]


def by_scipy_draws(view: View) -> float:
    import scipy.stats

    return float(scipy.stats.norm.rvs())


def by_a_dunder_name(view: View) -> float:
    return float(getattr(by_codecs, "__globals__")["LEVELS"][0])  # noqa: B009 - what is tested


def by_a_computed_name(view: View) -> float:
    return float(getattr(by_codecs, "__glo" + view.name)["LEVELS"][0])  # type: ignore[attr-defined]


def by_another_name_for_getattr(view: View) -> float:
    return float(ALIAS(by_codecs, "__globals__")["LEVELS"][0])


def by_handing_getattr_on(view: View) -> float:
    return float(next(map(getattr, [by_codecs], ["__globals__"]))["LEVELS"][0])


def by_a_pattern(view: View) -> float:
    match by_codecs:
        case object(__globals__=found):
            return float(found["LEVELS"][0])
    return 0.1


def by_a_builtins_module(view: View) -> float:
    return float(len.__self__.open("level").read())  # type: ignore[attr-defined]


def by_a_getter(view: View) -> float:
    return float(operator.attrgetter("__globals__")(by_codecs)["LEVELS"][0])


def by_vars(view: View) -> float:
    return float(vars(view)["level"])


def by_a_module_not_yet_imported(view: View) -> float:
    from xml.dom import pulldom

    return float(str(pulldom))


def by_annotations(view: View) -> float:
    return float(typing.get_type_hints(Asks)["rule"])


def by_memory(view: View) -> float:
    return float(np.empty(1)[0])


@pytest.mark.parametrize(
    ("rule", "named"),
    [
        (by_codecs, r"uses codecs\.open"),
        (by_gzip, r"uses gzip\.open"),
        (by_configuration, r"uses configparser\.ConfigParser"),
        (by_records, r"uses numpy\.rec\.fromfile"),
        (by_decimals, r"uses decimal\.Decimal"),
        (by_hidden_draws, r"uses statistics\.NormalDist"),
        (by_scipy_draws, "uses scipy"),
        (by_a_dunder_name, "looks at '__globals__' of an object"),
        (by_a_computed_name, "uses getattr with a name that does not stand in the call"),
        (by_another_name_for_getattr, r"ALIAS, which .* uses builtins\.getattr"),
        (by_handing_getattr_on, "uses getattr with a name that does not stand in the call"),
        (by_a_pattern, "looks at '__globals__'"),
        (by_a_builtins_module, "looks at '__self__'"),
        (by_a_getter, r"uses operator\.attrgetter"),
        (by_vars, r"uses builtins\.vars"),
        (by_a_module_not_yet_imported, r"uses xml\.dom\.pulldom"),
        (by_annotations, r"uses typing\.get_type_hints"),
        (by_memory, r"uses numpy\.empty"),
        (operator.attrgetter("memory.__init__.__globals__"), "looks at '__globals__'"),
        (operator.methodcaller("__reduce__"), "looks at '__reduce__'"),
        (getattr, r"uses builtins\.getattr"),
    ],
)
def test_what_is_not_known_to_answer_from_its_arguments_is_refused_by_name(
    rule: Callable[..., Any], named: str
) -> None:
    with pytest.raises(StoreError, match=named) as refused:
        key(Asks(rule))
    assert "\n" not in str(refused.value)
    assert str(refused.value).endswith("leave store out")


def by_known_functions(view: View) -> float:
    loss = np.asarray(view.loss, dtype=np.float64)
    levels = np.where(loss > 0, np.exp(-loss), np.linalg.norm(np.ones(3)))
    if isinstance(view, View) and getattr(view, "level", None) is None and hasattr(view, "memory"):
        levels = levels + scipy.special.ndtr(0.0) + scipy.special.logsumexp([0.0, 1.0])
    return float(np.clip(levels.sum(), 0.1, math.sqrt(2.0))) + float(Fraction(1, 3))


def test_what_is_known_to_answer_from_its_arguments_is_not_refused() -> None:
    assert key(Asks(by_known_functions)) == key(Asks(by_known_functions)) != key(Asks(math.sqrt))


@pytest.mark.parametrize(
    ("setting", "named"),
    [
        (lambda: np.errstate(over="raise"), r"numpy\.seterr"),
        (lambda: np.errstate(call=print), r"numpy\.seterr"),
        (lambda: scipy.special.errstate(all="raise"), r"scipy\.special\.seterr"),
    ],
)
def test_a_setting_that_decides_what_arithmetic_answers_is_refused(
    setting: Callable[[], Any], named: str
) -> None:
    key(Constant(Gaussian(0.1)))
    with (
        setting(),
        pytest.raises(StoreError, match=f"under another {named} than the usual one, .* leave store out"),
    ):
        key(Constant(Gaussian(0.1)))


def test_a_decimal_number_is_refused_where_somebody_set_how_decimals_are_rounded() -> None:
    first = key(decimal.Decimal("0.1"))
    for change in ({"prec": 1}, {"rounding": decimal.ROUND_UP}, {"traps": [decimal.Inexact]}):
        with decimal.localcontext(decimal.Context(**change)):  # type: ignore[arg-type]
            with pytest.raises(StoreError, match=r"decimal\.getcontext\(\) is not the usual one"):
                key(decimal.Decimal("0.1"))
            key(0.1)
    assert key(decimal.Decimal("0.1")) == first


def test_a_call_of_a_method_by_name_with_keywords_is_told_by_all_of_them() -> None:
    found = [
        key(operator.methodcaller(*name, **kept))
        for name, kept in ((["a"], {"x": 1}), (["b"], {"x": 1}), (["a"], {"x": 2}), (["a", 1], {"x": 1}))
    ]
    assert len(set(found)) == 4


GAME = Game.between(GaussianFilter(mu=1.0), Constant(Gaussian(0.5)))


def test_a_function_or_a_constant_of_the_package_that_was_patched_is_another_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = key(GAME)
    found = [first]
    for module, name, value in (
        (GaussianFilter, "charge", lambda _, request: Square(request.mu * 0.1)),
        (GaussianFilter, "charge", lambda _, request: Square(request.mu * 0.2)),
        (GaussianFilter, "charge", filters.zcdp_charge),
        (filters.accounting.charge_rules, "proper", lambda x: x * 0.1),
        (theory.pairs.gaussian, "_BLOCK", 7),
        (Square, "exact", lambda *_: 0.0),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, value)
            found.append(key(GAME))
        assert key(GAME) == first
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    "patched",
    [("mc.engine.game.LONGEST", 2), ("mc.engine.live.join", max), ("mc.engine.tiles.Live.finish", print)],
    ids=lambda patched: patched[0],
)
def test_a_patched_engine_is_another_run(patched: tuple[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    functional = HockeyStick(1.0)
    first = digest(what_plays(GAME, functional))
    with monkeypatch.context() as patch:
        patch.setattr(*patched)
        assert digest(what_plays(GAME, functional)) != first
    assert digest(what_plays(GAME, functional)) == first


def test_the_store_does_not_answer_a_patched_filter_with_the_true_ones_tiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments: dict[str, Any] = {"epsilon": 1.0, "n": 5_000, "seed": 1, "rounds": 3, "workers": 1}
    arguments |= {"method": "plain", "interval": "empirical Bernstein"}
    asked = (GaussianFilter(mu=1.0), Constant(Gaussian(0.9)))
    first = simulate(*asked, store=tmp_path / "run.db", **arguments)
    with monkeypatch.context() as patch:
        patch.setattr(GaussianFilter, "charge", lambda _, request: Square(request.mu * 0.1))
        again = simulate(*asked, store=tmp_path / "run.db", **arguments)
        assert again == simulate(*asked, **arguments) != first
    assert simulate(*asked, store=tmp_path / "run.db", **arguments) == first


def test_a_run_does_not_change_its_own_key() -> None:
    first = digest(what_plays(GAME, HockeyStick(1.0)))
    simulate(GAME.filter, GAME.adversary, epsilon=1.0, n=2_000, seed=1, workers=1)
    assert digest(what_plays(GAME, HockeyStick(1.0))) == first

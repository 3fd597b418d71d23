"""Filterproof: a testbed that answers whether a privacy filter's promise is true, and how tight it is.

>>> import filterproof as fp
>>> filt = fp.ZCDPFilter(rho=0.5)
>>> worst = fp.worst_case(filt, fp.RandomizedResponse(0.5), epsilon=1.0)
>>> f"{worst.high:.4f} is at most the promised {filt.promise.delta(1.0):.4f}"
'0.0949 is at most the promised 0.2468'

Every public name can be imported from here, and is loaded when it is asked for: who holds a filter loads no simulation.
This package holds no logic: `theory`, `filters`, `mc` and `reports` do.
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

for _room in ("theory", "filters", "mc", "reports"):
    # find_spec does not run the package, whose own errors would hide ours if it is a foreign one
    _found = sys.modules.get(_room) or find_spec(_room)
    _files = [getattr(_found, "__file__", None), getattr(_found, "origin", None)]
    _folders = getattr(_found, "__path__", None) or getattr(_found, "submodule_search_locations", None) or ()
    _where = next(filter(None, [*_files, *_folders]), None)
    if _where is None or Path(_where).resolve().parent.parent != Path(__file__).resolve().parent.parent:
        raise ImportError(
            f"the package {_room!r} must be Filterproof's own, got {_where!r}, which Python finds first; rename that "
            "file or folder, or uninstall what brought it, or keep its folder off the path: python -P, another folder"
        )

#: The rooms and what they list as public, in the order in which a name is looked for: what loads least comes first.
_ROOMS = ("theory", "theory.pairs", "filters", "mc")
#: Filters where they are, so that who asks for one of them loads no other: the room of filters loads all.
_ALONE = {
    "ApproximateDPFilter": "filters.rules.one_sum",
    "ApproximateZCDPFilter": "filters.rules.several_sums",
    "GaussianFilter": "filters.rules.one_sum",
    "PrivacyFilter": "filters.privacy_filter",
    "RenyiFilter": "filters.rules.one_sum",
    "ZCDPFilter": "filters.rules.zcdp",
}
#: Names that no room lists, most of them because they are the names of their own modules: name -> module.
_BESIDE = {
    "Ball": "theory.proofs.threshold",
    "CertifiedNumbers": "filters.certified.certified_numbers",
    "Examined": "reports.examined",
    "LabelledFilter": "filters.adapters.labelled",
    "Release": "filters.adapters.service",
    "THEOREMS": "theory.proofs",
    "assert_holds": "reports.examined",
    "attack": "mc.examine.attack",
    "calibrate": "mc.worst_case.calibrate",
    "calibrated": "mc.worst_case.calibrated",
    "certify": "filters.certified.certify",
    "challenge": "mc.examine.challenge",
    "compare_filters": "mc.estimate.compare_filters",
    "crossing": "mc.estimate.crossing",
    "decide": "mc.estimate.decide",
    "decide_profile": "mc.estimate.decide",
    "evaluate": "mc.evaluate.evaluate",
    "figure": "reports.figures.paper_figure",
    "figures": "reports.figures.paper_figure",
    "first_breach": "mc.examine.schedule_search",
    "first_difference": "mc.examine.difference",
    "from_accountant": "filters.adapters.accountant",
    "from_budget": "filters.adapters.budget",
    "from_command": "filters.adapters.bridged",
    "from_queryable": "filters.adapters.budget",
    "laws": "mc.examine.testing",
    "laws_for_accountants": "mc.accountants.law_answers",
    "prove": "theory.proofs",
    "prove_all": "theory.proofs",
    "schedules": "mc.examine.testing",
    "simulate": "mc.estimate.simulate",
    "supremum": "mc.examine.supremum",
    "survival": "mc.estimate.survival",
    "threshold": "theory.proofs.threshold",
    "verify": "reports.examined",
    "witness": "mc.examine.witness",
    "worst_case": "mc.worst_case.solve",
}

if TYPE_CHECKING:
    from filters import *  # noqa: F403
    from filters.adapters.accountant import from_accountant as from_accountant
    from filters.adapters.bridged import from_command as from_command
    from filters.adapters.budget import from_budget as from_budget
    from filters.adapters.budget import from_queryable as from_queryable
    from filters.adapters.labelled import LabelledFilter as LabelledFilter
    from filters.adapters.service import Release as Release
    from filters.catalogue import *  # noqa: F403
    from filters.certified.certified_numbers import CertifiedNumbers as CertifiedNumbers
    from filters.certified.certify import certify as certify
    from filters.testing import strategies as strategies
    from mc import *  # noqa: F403
    from mc.accountants.law_answers import laws_for_accountants as laws_for_accountants
    from mc.estimate.compare_filters import compare_filters as compare_filters
    from mc.estimate.crossing import crossing as crossing
    from mc.estimate.decide import decide as decide
    from mc.estimate.decide import decide_profile as decide_profile
    from mc.estimate.simulate import simulate as simulate
    from mc.estimate.survival import survival as survival
    from mc.evaluate.evaluate import evaluate as evaluate
    from mc.examine.attack import attack as attack
    from mc.examine.challenge import challenge as challenge
    from mc.examine.difference import first_difference as first_difference
    from mc.examine.schedule_search import first_breach as first_breach
    from mc.examine.supremum import supremum as supremum
    from mc.examine.testing import laws as laws
    from mc.examine.testing import schedules as schedules
    from mc.examine.witness import witness as witness
    from mc.worst_case.calibrate import calibrate as calibrate
    from mc.worst_case.calibrated import calibrated as calibrated
    from mc.worst_case.solve import worst_case as worst_case
    from reports.examined import Examined as Examined
    from reports.examined import assert_holds as assert_holds
    from reports.examined import verify as verify
    from reports.figures.paper_figure import figure as figure
    from reports.figures.paper_figure import figures as figures
    from theory import *  # noqa: F403
    from theory.pairs import *  # noqa: F403
    from theory.proofs import THEOREMS as THEOREMS
    from theory.proofs import prove as prove
    from theory.proofs import prove_all as prove_all
    from theory.proofs.threshold import Ball as Ball
    from theory.proofs.threshold import threshold as threshold

    __all__: list[str]
else:

    def __getattr__(name: str) -> object:
        if name == "__all__":
            listed = {one for room in _ROOMS for one in import_module(room).__all__}
            value = sorted(listed | set(_BESIDE))
        elif name == "strategies":  # a module, and not listed: it imports hypothesis
            value = import_module("filters.testing.strategies")
        elif place := _ALONE.get(name) or _BESIDE.get(name):
            value = getattr(import_module(place), name)
        else:
            rooms = (import_module(room) for room in _ROOMS if not name.startswith("_"))
            room = next((room for room in rooms if name in room.__all__), None)
            if room is None:
                near = ""
                if not name.startswith("_"):
                    near = import_module("theory.arguments").did_you_mean(name, __getattr__("__all__"))
                raise AttributeError(f"module 'filterproof' has no attribute {name!r}{near}")
            value = getattr(room, name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return [*globals(), *__getattr__("__all__")]

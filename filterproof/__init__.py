"""Filterproof: a testbed that answers whether a privacy filter's promise is true, and how tight it is.

>>> import filterproof as fp
>>> filt = fp.ZCDPFilter(rho=0.5)
>>> worst = fp.worst_case(filt, fp.RandomizedResponse(0.5), epsilon=1.0)
>>> f"{worst.high:.4f} is at most the promised {filt.promise.delta(1.0):.4f}"
'0.0949 is at most the promised 0.2468'

Every public name can be imported from here. This package holds no logic: `theory`, `filters`, `mc` and `reports` do.
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

import filters  # noqa: E402
import mc  # noqa: E402
import theory  # noqa: E402
from filters import *  # noqa: E402, F403
from filters.adapters.accountant import from_accountant as from_accountant  # noqa: E402
from filters.adapters.budget import from_budget as from_budget  # noqa: E402
from filters.adapters.queryable import from_queryable as from_queryable  # noqa: E402
from filters.catalogue import *  # noqa: E402, F403
from filters.certified.certified_numbers import CertifiedNumbers as CertifiedNumbers  # noqa: E402
from filters.certified.certify import certify as certify  # noqa: E402
from mc import *  # noqa: E402, F403
from mc.accountants.testing import laws_for_accountants as laws_for_accountants  # noqa: E402
from mc.estimate.compare_filters import compare_filters as compare_filters  # noqa: E402
from mc.estimate.crossing import crossing as crossing  # noqa: E402
from mc.estimate.decide import decide as decide  # noqa: E402
from mc.estimate.simulate import simulate as simulate  # noqa: E402
from mc.estimate.survival import survival as survival  # noqa: E402
from mc.evaluate.evaluate import evaluate as evaluate  # noqa: E402
from mc.examine.attack import attack as attack  # noqa: E402
from mc.examine.challenge import challenge as challenge  # noqa: E402
from mc.examine.law_tests import laws as laws  # noqa: E402
from mc.examine.supremum import supremum as supremum  # noqa: E402
from mc.examine.witness import witness as witness  # noqa: E402
from mc.worst_case.calibrate import calibrate as calibrate  # noqa: E402
from mc.worst_case.calibrated import calibrated as calibrated  # noqa: E402
from mc.worst_case.calibrated_clock import calibrated_clock as calibrated_clock  # noqa: E402
from mc.worst_case.solve import worst_case as worst_case  # noqa: E402
from theory import *  # noqa: E402, F403
from theory.arguments import did_you_mean  # noqa: E402
from theory.pairs import *  # noqa: E402, F403
from theory.proofs import THEOREMS as THEOREMS  # noqa: E402
from theory.proofs import prove as prove  # noqa: E402
from theory.proofs import prove_all as prove_all  # noqa: E402
from theory.proofs.threshold import Ball as Ball  # noqa: E402
from theory.proofs.threshold import threshold as threshold  # noqa: E402

_adapters = {"from_accountant", "from_budget", "from_queryable", "laws_for_accountants"}
_proofs = {"Ball", "CertifiedNumbers", "THEOREMS", "prove", "prove_all", "threshold"}
_namesakes = {  # functions named like their modules, which their rooms therefore do not export
    *(
        "attack",
        "calibrate",
        "calibrated",
        "calibrated_clock",
        "certify",
        "challenge",
        "compare_filters",
        "crossing",
        "decide",
        "evaluate",
        "laws",
        "simulate",
    ),
    *("supremum", "survival", "witness", "worst_case"),
}
#: What is shown, imported when it is asked for: name -> module.
_shown = {
    "Examined": "reports.examined",
    "assert_holds": "reports.assertion",
    "figure": "reports.figures.registry",
    "figures": "reports.figures.registry",
    "verify": "reports.examined",
}
__all__ = sorted({*theory.__all__, *filters.__all__, *mc.__all__, *_adapters, *_proofs, *_namesakes, *_shown})


if TYPE_CHECKING:
    from filters.testing import strategies as strategies
    from reports.assertion import assert_holds as assert_holds
    from reports.examined import Examined as Examined
    from reports.examined import verify as verify
    from reports.figures.registry import figure as figure
    from reports.figures.registry import figures as figures
else:

    def __getattr__(name: str) -> object:
        if name == "strategies":  # lazily, because this module imports hypothesis
            return import_module("filters.testing.strategies")
        if name in _shown:
            return getattr(import_module(_shown[name]), name)
        near = "" if name.startswith("_") else did_you_mean(name, __all__)
        raise AttributeError(f"module 'filterproof' has no attribute {name!r}{near}")

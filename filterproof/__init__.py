"""Filterproof: is a privacy filter's promise true, and how tight is it?

Everything public is a name of this package; the rooms behind it are `theory`, `filters`, `mc` and `reports`.
"""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

for _room in ("theory", "filters", "mc", "reports"):
    _found = find_spec(_room)  # found but not run: a foreign package would fail in its own way
    _where = _found.origin if _found is not None else None
    if _where is None or Path(_where).resolve().parent.parent != Path(__file__).resolve().parent.parent:
        raise ImportError(
            f"the package {_room!r} must be Filterproof's own, got {_where!r}; "
            f"rename or uninstall the other {_room!r}, or run from another folder"
        )

import filters  # noqa: E402
import mc  # noqa: E402
import theory  # noqa: E402
from filters import *  # noqa: E402, F403
from filters.catalogue import *  # noqa: E402, F403
from filters.testing.laws import laws as laws  # noqa: E402
from mc import *  # noqa: E402, F403
from mc.estimate.decide import decide as decide  # noqa: E402
from mc.estimate.simulate import simulate as simulate  # noqa: E402
from mc.estimate.survival import survival as survival  # noqa: E402
from mc.examine.attack import attack as attack  # noqa: E402
from mc.examine.challenge import challenge as challenge  # noqa: E402
from mc.examine.witness import witness as witness  # noqa: E402
from mc.worst_case.calibrate import calibrate as calibrate  # noqa: E402
from mc.worst_case.rounds_bought import rounds_bought as rounds_bought  # noqa: E402
from mc.worst_case.solve import worst_case as worst_case  # noqa: E402
from theory import *  # noqa: E402, F403
from theory.pairs import *  # noqa: E402, F403
from theory.proofs import THEOREMS as THEOREMS  # noqa: E402
from theory.proofs import prove as prove  # noqa: E402
from theory.proofs import prove_all as prove_all  # noqa: E402
from theory.proofs.threshold import Ball as Ball  # noqa: E402
from theory.proofs.threshold import threshold as threshold  # noqa: E402

_proofs = {"Ball", "THEOREMS", "prove", "prove_all", "threshold"}
_namesakes = {  # of their modules, which a room must not hide
    *("attack", "calibrate", "challenge", "decide", "laws", "rounds_bought", "simulate", "survival"),
    *("witness", "worst_case"),
}
__all__ = sorted({*theory.__all__, *filters.__all__, *mc.__all__, *_proofs, *_namesakes})


if TYPE_CHECKING:
    from filters.testing import strategies as strategies
else:

    def __getattr__(name: str) -> ModuleType:
        if name == "strategies":  # imports hypothesis, so only when asked for
            return import_module("filters.testing.strategies")
        raise AttributeError(f"module 'filterproof' has no attribute {name!r}")

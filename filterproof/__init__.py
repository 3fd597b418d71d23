"""Filterproof: a testbed that answers whether a privacy filter's promise is true, and how tight it is.

>>> import filterproof as fp
>>> filt = fp.ZCDPFilter(rho=0.5)
>>> worst = fp.worst_case(filt, fp.RandomizedResponse(0.5), epsilon=1.0)
>>> f"{worst.high:.4f} is at most the promised {filt.promise.delta(1.0):.4f}"
'0.0949 is at most the promised 0.2468'

The names in use every day are here, the others in its modules: `fp.charges`, `fp.conversions`, `fp.intervals`,
`fp.odometers`, `fp.people`, `fp.results`, `fp.runs`, `fp.services`, `fp.training`. Each name is loaded when it is asked
for: whoever uses a filter loads no simulation. This package holds no logic: `theory`, `filters`, `mc` and `reports` do.
"""

import ast
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

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


def _imported(file: str) -> dict[str, str]:
    """The names that a file of this package imports, and the module that each comes from."""
    parsed = ast.parse(Path(__file__).with_name(file).read_text("utf-8"))
    found = [one for one in parsed.body if isinstance(one, ast.ImportFrom)]
    return {alias.name: str(one.module) for one in found for alias in one.names}


#: Public name -> the module that it comes from, as the stub says that type checkers read.
_HOMES = _imported("__init__.pyi")


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if name == "__all__":
        # neither modules, nor what imports hypothesis
        value: object = sorted(one for one, of in _HOMES.items() if of != __name__ and one != "strategies")
    elif home == __name__ or name == "strategies":
        value = import_module(f"{home}.{name}")
    elif home is not None:
        value = getattr(import_module(home), name)
    else:
        raise AttributeError(f"module 'filterproof' has no attribute {name!r}{_elsewhere(name)}")
    globals()[name] = value
    return value


def _module_of(name: str) -> str | None:
    """The module of this package that has the name."""
    modules = (one for one, of in _HOMES.items() if of == __name__)
    return next((one for one in modules if name in _imported(f"{one}.py")), None)


def _elsewhere(name: str) -> str:
    """Where a name is that is not here, or the one that it is near to."""
    if where := _module_of(name):
        return f"; it is fp.{where}.{name}"
    if name.startswith("_"):
        return ""
    return str(import_module("theory.arguments").did_you_mean(name, [*_HOMES]))


def __dir__() -> list[str]:
    return [*globals(), *_HOMES]

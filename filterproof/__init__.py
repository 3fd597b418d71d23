"""Filterproof: a testbed that answers whether a privacy filter's promise is true, and how tight it is.

>>> import filterproof as fp
>>> filt = fp.ZCDPFilter(rho=0.5)
>>> worst = fp.worst_case(filt, fp.RandomizedResponse(0.5), epsilon=1.0)
>>> f"{worst.high:.4f} is at most the promised {filt.promise.delta(1.0):.4f}"
'0.0949 is at most the promised 0.2468'

The names in use every day are here, the others in its modules: `fp.charges`, `fp.conversions`, `fp.intervals`,
`fp.odometers`, `fp.people`, `fp.results`, `fp.runs`, `fp.services`, `fp.training`. Each name is loaded when it is asked
for: whoever uses a filter loads no simulation. This folder holds no logic: its packages
`theory`, `filters`, `mc` and `reports` do, which in the repository are links to the folders beside it.
"""

import ast
from importlib import import_module
from pathlib import Path


def _imported_names(file: str) -> dict[str, str]:
    """Return the names that a file of this package imports, each with its module."""
    parsed = ast.parse(Path(__file__).with_name(file).read_text("utf-8"))
    imports = [node for node in parsed.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


_ROOMS = ("theory", "filters", "mc", "reports")
#: Public name -> the module that it comes from, as the stub says that type checkers read.
_HOMES = _imported_names("__init__.pyi")


def __getattr__(name: str) -> object:
    if name in _ROOMS:  # `from filterproof import theory` asks here first
        return import_module(f"{__name__}.{name}")
    home = _HOMES.get(name)
    if name == "__all__":
        # neither modules, nor what imports hypothesis
        value: object = sorted(name for name, of in _HOMES.items() if of != __name__ and name != "strategies")
    elif home == __name__ or name == "strategies":
        value = import_module(f"{home}.{name}")
    elif home is not None:
        value = getattr(import_module(home), name)
    else:
        raise AttributeError(f"module 'filterproof' has no attribute {name!r}{_name_hint(name)}")
    globals()[name] = value
    return value


def _module_of(name: str) -> str | None:
    """Return the module of this package that exports the name, such as charges."""
    modules = (module for module, home in _HOMES.items() if home == __name__)
    return next((module for module in modules if name in _imported_names(f"{module}.py")), None)


def _name_hint(name: str) -> str:
    """Return the rest of an error message: where an unknown name is, or the nearest name."""
    if where := _module_of(name):
        return f"; it is fp.{where}.{name}"
    if name.startswith("_"):
        return ""
    return str(import_module("filterproof.theory.argument_checks").did_you_mean(name, [*_HOMES]))


def __dir__() -> list[str]:
    return sorted({*_ROOMS, *_HOMES, *(name for name in globals() if name.startswith("__"))})

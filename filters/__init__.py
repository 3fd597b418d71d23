"""Privacy filters: rules that admit or deny a request before anything is released, and the objects that hold them.

Pairs, guarantees and proofs are in `theory`; adversaries, simulations and exact worst cases are in `mc`.
The public names are those of `filterproof.filters.public_names`, which is loaded when the first of them is asked for
here.
"""

if __name__ != "filterproof.filters":
    raise ImportError(f"a module has one name: import filterproof.filters, got the name {__name__!r}")

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filterproof.filters.catalogue import *  # noqa: F403
    from filterproof.filters.public_names import *  # noqa: F403
    from filterproof.filters.public_names import __all__ as __all__
else:

    def __getattr__(name: str) -> object:
        # nothing is kept here: a module that is not as its file makes it counts as patched
        public = import_module("filterproof.filters.public_names")
        if name != "__all__" and name not in public.__all__:
            raise AttributeError(f"module 'filterproof.filters' has no attribute {name!r}")
        value: object = getattr(public, name)
        return value

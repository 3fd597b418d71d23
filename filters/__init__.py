"""Privacy filters: rules that grant or deny a request before a release, and the stateful objects that use them.

Pairs, guarantees and proofs are in `theory`; adversaries, simulations and exact worst cases are in `mc`.
`filterproof.filters.public_names` has the public names and is loaded on first use.
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
        # nothing is cached here, because a changed module counts as patched
        public = import_module("filterproof.filters.public_names")
        if name != "__all__" and name not in public.__all__:
            raise AttributeError(f"module 'filterproof.filters' has no attribute {name!r}")
        value: object = getattr(public, name)
        return value

"""Mathematics: dominating pairs, guarantees, conversions between them, thresholds of filters, and proofs.

This package contains no filters, random generators or pictures. The packages that contain them import its modules;
users import its public names from `filterproof`.
"""

if __name__ != "filterproof.theory":
    raise ImportError(f"a module has one name: import filterproof.theory, got the name {__name__!r}")

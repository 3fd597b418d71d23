"""The report and the command line: claims and their verdicts, tables, figures, and the files that hold them.

Nothing is decided here about a filter; `theory` proves and `mc` simulates. This room alone writes to the disk, apart
from the store of runs.
"""

if __name__ != "filterproof.reports":
    raise ImportError(f"a module has one name: import filterproof.reports, got the name {__name__!r}")

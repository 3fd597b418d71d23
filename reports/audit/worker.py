"""The audit of one library in a process of its own: `python -m reports.audit.worker FINDINGS KEY FILE SECONDS`."""

from __future__ import annotations

import json
import logging
import sys
import warnings
from dataclasses import asdict
from pathlib import Path

from reports.audit.examined import audited
from reports.audit.registry import libraries_of

__all__ = ["main"]


def main(findings: str, key: str, file: str, seconds: str) -> None:
    """Audit the library and write what was found as JSON; its progress goes to standard error."""
    warnings.simplefilter("ignore")  # other people's warnings
    logging.disable(logging.CRITICAL)
    library = libraries_of(Path(findings))[key]
    found = audited(library, seconds=float(seconds), on_step=lambda said: sys.stderr.write(f"{said}\n"))
    data = json.dumps(asdict(found), default=lambda kind: kind.value)
    Path(file).write_text(data, "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])

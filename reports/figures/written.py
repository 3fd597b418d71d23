"""Several figures as files in one folder, with a manifest that says what is there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reports.figures.paper_figure import FORMATS, ComputedFigure, manifest
from reports.output import OutputFolder

__all__ = ["write"]


def write(
    figures: Sequence[ComputedFigure], out: Path, *, formats: Sequence[str] = FORMATS, quick: bool
) -> None:
    """Write each figure's files and manifest.json into a folder, all or none.

    Raises OSError with one sentence where the folder cannot be written to, ValueError for an unknown format.
    """
    files = {one.name: one.files(formats) for one in figures}
    listed = {name: tuple(contents) for name, contents in files.items()}
    with OutputFolder(out) as folder:
        for contents in files.values():
            for name, content in contents.items():
                folder.add(name, content)
        folder.add("manifest.json", manifest(figures, listed, quick=quick).encode())

"""Several figures as files in one folder, with a manifest that says what is there, of earlier calls too."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, NoReturn

from mc.runs.output import OutputFolder
from reports.drawing import FORMATS
from reports.figures.paper_figure import ComputedFigure

_MANIFEST = "manifest.json"
_SCHEMA = 2


def write(
    figures: Sequence[ComputedFigure], out: Path, *, formats: Sequence[str] = FORMATS, quick: bool
) -> None:
    """Write each figure's files into a folder, and into its manifest.json beside the figures of earlier calls.

    All or none; the manifest is put in its place last, by renaming, so that whoever is killed leaves one that can be
    read. Of a figure that was there the files of other formats go. Raises OSError with one sentence where the folder
    cannot be written to, ValueError for an unknown format and for a manifest.json that is none.
    """
    from reports.examination_words import version

    libraries = {name: metadata.version(name) for name in ("numpy", "scipy", "matplotlib", "python-flint")}
    made_by = {"filterproof": version(), "versions": {"python": platform.python_version()} | libraries}
    files = {one.name: one.files(formats) for one in figures}
    with OutputFolder(out) as folder:
        known = listed(out)
        for figure in figures:
            contents = files[figure.name]
            for name, content in contents.items():
                folder.add(name, content)
            for name in known.get(figure.name, {}).get("files", ()):
                if name not in contents and name in {f"{figure.name}.{suffix}" for suffix in FORMATS}:
                    folder.drop(name)
            details = {"seconds": round(figure.seconds, 3), "quick": quick, "files": list(contents)}
            known[figure.name] = figure.to_data(columns=False) | details | made_by
        manifest = {"schema": _SCHEMA, "figures": list(known.values())}
        text = json.dumps(manifest, indent=1, allow_nan=False, ensure_ascii=False)
        folder.add(_MANIFEST, f"{text}\n".encode())


def listed(out: Path) -> dict[str, dict[str, Any]]:
    """The figures that the manifest of a folder lists, by name; none where there is no manifest.

    Raises ValueError, with one sentence, for a file of its name that `write` did not write.
    """
    path = out / _MANIFEST
    try:
        manifest = json.loads(path.read_text("utf-8"), parse_constant=_no_number)
        known = {entry["name"]: entry for entry in manifest["figures"]}
        if manifest["schema"] == _SCHEMA and all(
            isinstance(name, str) and isinstance(entry["files"], list) for name, entry in known.items()
        ):
            return known
        why = f"it is not of schema {_SCHEMA}"
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        why = getattr(error, "strerror", None) or "it is no JSON of ours, or damaged"
    raise ValueError(
        f"out must hold a manifest that this command wrote, or none, got {str(path)!r} ({why}); move it away or "
        "pass another folder, nothing was changed"
    )


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"a manifest holds no {word}")

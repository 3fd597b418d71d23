"""What a command of the Makefile recorded for the report, as JSON in the folder `recorded`."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

__all__ = ["record"]


def record(name: str) -> dict[str, Any]:
    """The record of `make NAME`, empty where nothing was recorded."""
    file = resources.files("reports").joinpath("recorded", f"{name}.json")
    content: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    return content

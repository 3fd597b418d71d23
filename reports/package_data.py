"""Reads the package's data: tables of texts in `templates`, and the records of `make`."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any


@cache
def declared_tables(file: str, table: str, *, by: str = "key") -> Mapping[str, Mapping[str, Any]]:
    """The rows of an array of tables in `templates/FILE.toml`, in their order, by one of their entries."""
    text = resources.files("filterproof.reports").joinpath("templates", f"{file}.toml").read_text("utf-8")
    return {row[by]: row for row in tomllib.loads(text)[table]}


def filled_template(template: str, values: Mapping[str, Any]) -> str:
    """The template with its {names} filled in, in one line.

    >>> filled_template("from {ends[0]:g}\\n  to {ends[1]:g}", {"ends": (0.5, 1.0)})
    'from 0.5 to 1'
    """
    return " ".join(template.format_map(values).split())


def is_right_verdict(case: Mapping[str, Any]) -> bool:
    """Whether a broken filter is refuted or named as breaking the contract, and a sound one neither."""
    right_outcomes = {"broken": ("REFUTED", "FAULTY"), "sound": ("HOLDS", "UNDECIDED")}
    return case["outcome"] in right_outcomes[case["kind"]]


def recorded_data(name: str) -> dict[str, Any]:
    """The record of `make NAME`, empty where nothing was recorded."""
    file = resources.files("filterproof.reports").joinpath("recorded", f"{name}.json")
    content: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    return content

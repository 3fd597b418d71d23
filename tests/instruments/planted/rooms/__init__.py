"""Faults planted at nodes of `mc`, and the tests of their room that kill them; `FAULTS` is the table."""

from __future__ import annotations

from tests.instruments.planted.node import NodeFault
from tests.instruments.planted.table import table

__all__ = ["FAULTS"]

FAULTS = table("mc", NodeFault)

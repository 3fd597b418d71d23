"""Write theory/kernel/generated/RunningNumbers.v: `python -m tests.filters.certified.write_running_numbers`."""

from __future__ import annotations

from pathlib import Path

from filters.certified.in_rocq import in_rocq

PATH = Path(__file__).parents[3] / "theory/kernel/generated/RunningNumbers.v"

if __name__ == "__main__":
    PATH.write_text(in_rocq(), encoding="utf-8")

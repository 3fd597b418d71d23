"""Services that decide in another process: what they release, and schedules of crashes, retries and epochs."""

from filters.adapters.service import Release
from mc.examine.schedule_search import first_breach
from mc.examine.testing import schedules

__all__ = [
    "Release",
    "first_breach",
    "schedules",
]

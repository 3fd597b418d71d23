"""Services that decide in another process: what they release, and schedules of crashes, retries and epochs."""

from filterproof.filters.adapters.commands import request_text
from filterproof.filters.adapters.service import Release, promised
from filterproof.mc.examine.schedule_search import first_violation
from filterproof.mc.examine.testing import schedules

__all__ = [
    "Release",
    "first_violation",
    "promised",
    "request_text",
    "schedules",
]

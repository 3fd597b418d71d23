"""Services that decide in another process: what they release, and schedules of crashes, retries and epochs."""

from filterproof.filters.adapters.commands import request_text
from filterproof.filters.adapters.service import Release, with_promise
from filterproof.mc.examine.service_schedule_search import first_violation
from filterproof.mc.examine.testing import schedule_tests

__all__ = [
    "Release",
    "first_violation",
    "request_text",
    "schedule_tests",
    "with_promise",
]

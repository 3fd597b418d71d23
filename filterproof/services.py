"""Services that decide in another process: what they release, and schedules of crashes, retries and epochs."""

from filterproof.filters.adapters.commands import request_text
from filterproof.filters.adapters.service import Release, with_promise

__all__ = [
    "Release",
    "request_text",
    "with_promise",
]

"""Schedules of a service: requests in flight, sent again, cut by crashes, and what is released by all of it."""

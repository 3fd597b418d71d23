"""Accountants: the objects that keep a filter's state while releases are made, or measure what releases have spent.

The rules that decide are in `filterproof.filters.rules`; simulated adversaries are in `mc`.
"""

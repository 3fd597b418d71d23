"""Stateful objects that own a filter's state while releases are made, or measure the spending.

The deciding rules are in `filterproof.filters.rules`; simulated adversaries are in `mc`.
"""

"""Invariants of accountants, budgets and odometers of other libraries, tested through their adapters."""

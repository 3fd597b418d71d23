"""Filters made from objects of other libraries: accountants, budgets, queryables, programs."""

"""The contract of a privacy filter: its methods, states, parameters and stated bounds, and the checks of each.

The rules are in `filters.rules`, the sums that they keep in `filters.accounting`.
"""

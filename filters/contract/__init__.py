"""The contract of a privacy filter: its methods, states, parameters and stated bounds, and the checks of each.

The rules are in `filterproof.filters.rules`, the sums that they keep in `filterproof.filters.accounting`.
"""

"""Property tests for filters, a user's own included: the invariants of the contract and Hypothesis strategies.

Estimates of how much a filter really spends are in `mc`; the project's own tests are in `tests`.
"""

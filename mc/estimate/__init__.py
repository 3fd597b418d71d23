"""Estimates of divergences, survival and decisions from simulated runs.

In reading order: `declared_spending` and `path_bound` bound a run; `functionals` and `martingale` define the integrand
and its interval; `estimator` combines terms; `simulate` plays them.
"""

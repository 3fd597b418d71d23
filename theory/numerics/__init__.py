"""Numerical methods: functions that do not cancel in doubles, an integration, and reference values by mpmath.

The privacy notions that they serve are defined in the other modules of `theory`.
"""

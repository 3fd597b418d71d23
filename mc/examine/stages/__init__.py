"""The stages of an examination, cheapest first. Each takes an `ExaminationContext` and a limit and yields findings.

Import from its modules: `from filterproof.mc.examine.stages.filter_invariants import invariant_stage`.
"""

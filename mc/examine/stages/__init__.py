"""The stages of an examination, cheapest first; each takes a `ExaminationContext` and a limit, and returns findings.

Import from its modules: `from filterproof.mc.examine.stages.filter_invariants import invariants`.
"""

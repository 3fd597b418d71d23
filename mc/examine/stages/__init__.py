"""The stages of an examination, cheapest first; each takes a `Subject` and a limit, and returns findings.

Import from its modules: `from filterproof.mc.examine.stages.filter_laws import laws`.
"""

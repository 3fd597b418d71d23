"""Imports and compilations that worker processes share, done once by the server that forks them."""

import filterproof.filters.accounting.compiled
import filterproof.theory.fast.gaussian

filterproof.theory.fast.gaussian.kernels()
filterproof.filters.accounting.compiled.kernels()

"""Imports and compilations that worker processes share, done once by the server that forks them."""

import filterproof.filters.accounting.compiled
import filterproof.theory.fast.compiled_gaussian

filterproof.theory.fast.compiled_gaussian.gaussian_kernels()
filterproof.filters.accounting.compiled.compiled_loops()

"""What every worker needs, imported and compiled when this is imported: by the server that workers are forked from."""

import filterproof.filters.accounting.compiled
import filterproof.theory.fast.gaussian

filterproof.theory.fast.gaussian.kernels()
filterproof.filters.accounting.compiled.kernels()

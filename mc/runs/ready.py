"""What every worker needs, imported and compiled when this is imported: by the server that workers are forked from."""

import filters.accounting.fast.compiled
import theory.fast.gaussian

theory.fast.gaussian.kernels()
filters.accounting.fast.compiled.kernels()

"""What every worker needs, imported and compiled when this is imported: by the server that workers are forked from."""

import filters.accounting.compiled
import theory.fast.gaussian

theory.fast.gaussian.kernels()
filters.accounting.compiled.kernels()

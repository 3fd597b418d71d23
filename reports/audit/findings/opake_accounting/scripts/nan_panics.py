"""A prior that is NaN ends in a panic that `except Exception` does not catch."""

import os

import opake.accounting as acc

os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the panic prints its stack
kind = None
try:
    acc.eps_delta(1.0, 0.0).risk_at(float("nan"))
except BaseException as error:  # noqa: BLE001
    kind = type(error)
print("expected: a ValueError, or another Exception")
print(f"got: {kind.__name__ if kind else kind}")
raise SystemExit(0 if kind is not None and not issubclass(kind, Exception) else 1)

"""The accounting: exact running sums of charges, never rounded in favour of a request.

`Budget` and `Allowance` hold the sums and decide; `Plain`, `Square` and `Mixed` are charges; the rules, called
like functions, are what this package's filters charge for a mechanism. Whoever writes a filter adds with these, and not
in floats of his own.
"""

from filters.accounting.allowance import Allowance
from filters.accounting.amounts import Charge, Mixed, Plain, Square
from filters.accounting.charge_rules import (
    ChargeRule,
    gdp_charge,
    pure_charge,
    renyi_charge,
    zcdp_charge,
)
from filters.accounting.charges import approximate_charge, approximate_zcdp_charge
from filters.accounting.declared import proper
from filters.accounting.ledger import Budget

__all__ = [
    "Allowance",
    "Budget",
    "Charge",
    "ChargeRule",
    "Mixed",
    "Plain",
    "Square",
    "approximate_charge",
    "approximate_zcdp_charge",
    "gdp_charge",
    "proper",
    "pure_charge",
    "renyi_charge",
    "zcdp_charge",
]

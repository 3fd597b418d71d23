"""What a filter of one's own is made of: charges, budgets, and what they hold every path to."""

from filterproof.filters.accounting.amounts import Plain, Square
from filterproof.filters.accounting.charge_rules import ChargeRule, RenyiCharge, renyi_charge
from filterproof.filters.accounting.charges import approximate_charge, approximate_zcdp_charge
from filterproof.filters.contract.holds import Holds
from filterproof.filters.public import Charge
from filterproof.filters.rules.orders import RenyiCurve

__all__ = [
    "Charge",
    "ChargeRule",
    "Holds",
    "Plain",
    "RenyiCharge",
    "RenyiCurve",
    "Square",
    "approximate_charge",
    "approximate_zcdp_charge",
    "renyi_charge",
]

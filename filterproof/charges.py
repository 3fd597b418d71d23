"""Building blocks of your own filter: charges, charge rules, Rényi curves and guarantee scopes."""

from filterproof.filters.accounting.approximate_charges import approximate_charge, approximate_zcdp_charge
from filterproof.filters.accounting.charge_kinds import LinearCharge, SquaredCharge
from filterproof.filters.accounting.charge_rules import ChargeRule, RenyiCharge, renyi_charge
from filterproof.filters.contract.guarantee_scope import GuaranteeScope
from filterproof.filters.public_names import Charge
from filterproof.filters.rules.orders import RenyiCurve

__all__ = [
    "Charge",
    "ChargeRule",
    "GuaranteeScope",
    "LinearCharge",
    "RenyiCharge",
    "RenyiCurve",
    "SquaredCharge",
    "approximate_charge",
    "approximate_zcdp_charge",
    "renyi_charge",
]

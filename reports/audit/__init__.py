"""The audit: what widely used libraries do where their accountants, budgets and odometers are used as filters."""

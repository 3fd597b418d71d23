"""Certification of the run-time numbers of filters, accountants and charges against theorems."""

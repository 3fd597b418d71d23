"""The numbers that filters, accountants and charges run with, found by running them, and certified against theorems."""

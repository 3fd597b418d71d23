"""The numbers that filters, holders and charges run with, found by running them, and certified against theorems."""

"""Numbers that run, held against theorems: the exact value of a double, the side that is safe, a ball or a fraction."""

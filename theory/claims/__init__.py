"""Claims that the kernel proves, a row each: words, formulas, where it applies, and the kernel's statements.

`fp.THEOREMS` has the rows beside the theorems of `theory.proofs`, which steps prove. A filter names the row that covers
it by its `theorem`. The statements of a row are written in it; those of no row are listed beside the rows of their
subject, `STATEMENTS`, and `table.py` has all of them by name.
"""

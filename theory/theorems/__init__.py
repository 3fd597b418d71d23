"""Theorems: `theorems.toml` has the claims that the kernel proves, one in each table.

`fp.THEOREMS` has these rows and the theorems of `filterproof.theory.proofs`, which steps prove. A filter names the row
that covers it by its `theorem`. The text of a statement is above it in the Rocq sources;
`filterproof.theory.kernel.kernel_theorems` reads it there.
"""

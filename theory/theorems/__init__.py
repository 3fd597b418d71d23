"""Claims that the kernel proves, a row each: words, formulas, where it applies, and names of the kernel's statements.

`fp.THEOREMS` has the rows beside the theorems of `filterproof.theory.proofs`, which steps prove. A filter names the row
that covers it by its `theorem`. What a statement says stands above it in the Rocq sources, whence
`filterproof.theory.kernel.kernel_theorems` has it.
"""

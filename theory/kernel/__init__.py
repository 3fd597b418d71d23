"""What a proof assistant's kernel checks: theorems in Rocq, and the numbers that run, written for it."""

"""Twenty sound and twenty broken filters by an author who had not seen the prover, as they were written."""

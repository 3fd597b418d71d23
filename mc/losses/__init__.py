"""Privacy-loss distributions on lattices, and certified compositions of mechanisms fixed in advance."""

"""Privacy losses as laws on a lattice: cells, tails, roundings with a side, and compositions fixed in advance."""

"""The engine: adversary against filter, a tile of paths at a time, on the code of the filter itself."""

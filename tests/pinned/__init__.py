"""Numbers that decide, or are shipped, bit by bit: the same on every machine."""

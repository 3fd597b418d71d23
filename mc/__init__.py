"""What attacks: adversaries, the engine that plays them, estimators and intervals."""

"""The first half of the corpus."""
